// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent: PID 1 of the guest. It mounts what it reads, gathers the evidence, sends it, runs the
 * test programs that it was given (base/test_job.h) and powers the guest off, or stays and runs
 * what the host asks for (base/frames.h). Started by hand as another process it writes the same
 * stream to stdout and leaves the machine alone, which is how evidence of a real machine is made.
 */
#include "guest/channel.h"
#include "guest/gather.h"
#include "guest/serve.h"
#include "guest/tests.h"
#include "guest/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Without one more byte of evidence for so long, gathering is given up. */
#define GATHER_WAIT_MS 120000

static void filesystems_mount(void)
{
	static const struct {
		const char *type, *target;
	} mounts[] = {
		{"devtmpfs", "/dev"},
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"debugfs", "/sys/kernel/debug"},
	};

	for (unsigned i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		/* Failures show as missing files; the initramfs may hold the folders already. */
		mkdir(mounts[i].target, 0755);
		mount(mounts[i].type, mounts[i].target, mounts[i].type, 0, NULL);
	}
}

static void child_gather(int fd)
{
	struct text evidence = gather_evidence();
	size_t sent = 0;

	while (sent < evidence.length) {
		ssize_t n = write(fd, evidence.data + sent, evidence.length - sent);

		if (n < 0 && errno != EINTR)
			_exit(1);
		sent += n > 0 ? (size_t)n : 0;
	}
	_exit(0);
}

/* Reads until the child closes its end; returns 0, or -1 when it stopped sending. */
static int child_collect(int fd, struct text *evidence)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};

	for (;;) {
		ssize_t n;

		if (poll(&end, 1, GATHER_WAIT_MS) <= 0)
			return -1;
		text_reserve(evidence, 65536);
		n = read(fd, evidence->data + evidence->length, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -1 : 0;
		evidence->length += (size_t)n;
	}
}

/*
 * In a child, because whatever ends PID 1 is a kernel panic and would be taken for the kernel's
 * fault. NULL, or why there is no evidence.
 */
static const char *evidence_collect(struct text *evidence)
{
	int ends[2], status;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return "no pipe for the gathering process";
	child = fork();
	if (child == 0)
		child_gather(ends[1]);
	close(ends[1]);
	if (child < 0)
		return "the gathering process did not start";
	if (child_collect(ends[0], evidence) != 0) {
		kill(child, SIGKILL);
		return "gathering the evidence made no progress";
	}
	close(ends[0]);
	if (waitpid(child, &status, 0) != child || status != 0)
		return "the gathering process died";
	return NULL;
}

static void evidence_send(struct channel *channel)
{
	struct text evidence = {0};
	const char *problem;

	channel_hello(channel);
	problem = evidence_collect(&evidence);
	if (problem)
		channel_error(channel, problem);
	else
		channel_blob(channel, "evidence", evidence.data, evidence.length);
	text_free(&evidence);
}

/* The console carries only the kernel's log, except when nothing else reaches the host. */
static void console_complain(void)
{
	static const char text[] = "topolab agent: neither virtio port topolab.0 nor ttyS1 works\n";
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, sizeof(text) - 1) > 0)
		fsync(fd);
	close(fd);
}

int main(void)
{
	struct channel channel = {.fd = STDOUT_FILENO, .name = "stdout"};
	int port = -1;

	if (getpid() != 1) {
		evidence_send(&channel);
		channel_close(&channel);
		return 0;
	}
	filesystems_mount();
	if (channel_open(&channel) == 0) {
		port = serve_is_wanted() ? serve_open(channel.name) : -1;
		evidence_send(&channel);
		/* The evidence is of the kernel before any test changed it. */
		tests_run(&channel);
		channel_close(&channel);
	} else {
		console_complain();
	}
	if (port >= 0)
		serve(port);
	reboot(RB_POWER_OFF);
	/* A kernel that cannot power off: the host sees no progress and ends the guest. */
	for (;;)
		pause();
}
