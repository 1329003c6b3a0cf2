// SPDX-License-Identifier: GPL-2.0-only
#include "vm/process.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define END_LIMIT_USEC (10 * G_USEC_PER_SEC)
#define END_POLL_USEC  5000

/* /proc/PID/comm has 15 characters: "qemu-system-x86". */
#define QEMU_PREFIX "qemu-system-"

static bool command_line_matches(GBytes *bytes, const char *folder)
{
	g_autofree char *below = g_strconcat(folder, "/", NULL);
	g_autofree char *program = NULL;
	gsize length;
	const char *arguments = g_bytes_get_data(bytes, &length);

	/* A zombie has an empty command line. */
	if (length == 0 || arguments[length - 1] != '\0')
		return false;
	program = g_path_get_basename(arguments);
	return g_str_has_prefix(program, QEMU_PREFIX) &&
	       memmem(arguments, length, below, strlen(below));
}

static bool process_matches(struct root *proc, const char *pid, const char *folder)
{
	g_autoptr(GBytes) arguments = root_read_bytes(proc, NULL, "%s/cmdline", pid);
	g_autofree char *name = root_read(proc, NULL, "%s/comm", pid);

	return arguments && name && g_str_has_prefix(name, QEMU_PREFIX) &&
	       command_line_matches(arguments, folder);
}

GArray *process_find(struct root *proc, const char *folder)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_auto(GStrv) names = root_list(proc, ".");

	for (unsigned i = 0; names[i]; i++) {
		guint64 number;
		pid_t pid;

		if (!g_ascii_string_to_unsigned(names[i], 10, 1, G_MAXINT32, &number, NULL) ||
		    !process_matches(proc, names[i], folder))
			continue;
		pid = (pid_t)number;
		g_array_append_val(pids, pid);
	}
	return pids;
}

/* Holds the process by a descriptor while looking again, so that a reused pid is never hit. */
static void process_kill(struct root *proc, pid_t pid, const char *folder)
{
	g_autofree char *name = g_strdup_printf("%d", pid);
	int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return;
	if (process_matches(proc, name, folder))
		pidfd_send_signal(fd, SIGKILL, NULL, 0);
	close(fd);
}

bool process_end(const char *folder, GError **error)
{
	AUTO(root) *proc = root_new_dir("/proc");
	gint64 limit = g_get_monotonic_time() + END_LIMIT_USEC;

	for (;;) {
		g_autoptr(GArray) pids = process_find(proc, folder);

		if (pids->len == 0)
			return true;
		if (g_get_monotonic_time() > limit) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "QEMU %d of '%s' does not end although it was killed",
				    g_array_index(pids, pid_t, 0), folder);
			return false;
		}
		for (guint i = 0; i < pids->len; i++)
			process_kill(proc, g_array_index(pids, pid_t, i), folder);
		g_usleep(END_POLL_USEC);
	}
}

bool process_is_stopped(struct root *proc, pid_t pid)
{
	/* proc(5): "PID (NAME) STATE ..."; a name may hold anything. */
	g_autofree char *text = root_read(proc, NULL, "%d/stat", pid);
	const char *end = text ? strrchr(text, ')') : NULL;

	return end && (g_str_has_prefix(end, ") T") || g_str_has_prefix(end, ") t"));
}

bool process_cpu_time(struct root *proc, pid_t pid, struct cpu_time *time)
{
	g_autofree char *folder = g_strdup_printf("%d/task", pid);
	g_auto(GStrv) threads = root_list(proc, "%s", folder);

	*time = (struct cpu_time){0};
	for (unsigned i = 0; threads[i]; i++) {
		/* Documentation/scheduler/sched-stats.rst: ran, waited, time slices. */
		g_autofree char *text =
			root_read(proc, NULL, "%s/%s/schedstat", folder, threads[i]);
		g_auto(GStrv) words = g_strsplit(text ? text : "", " ", -1);
		guint64 ran, waited;

		if (g_strv_length(words) != 3 ||
		    !g_ascii_string_to_unsigned(words[0], 10, 0, G_MAXINT64, &ran, NULL) ||
		    !g_ascii_string_to_unsigned(words[1], 10, 0, G_MAXINT64, &waited, NULL))
			continue;
		time->ran_ns += ran;
		time->waited_ns += waited;
	}
	return time->ran_ns > 0;
}

void process_set_timer_slack(pid_t pid, guint64 nanoseconds)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/timerslack_ns", pid);
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT "\n", nanoseconds);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		g_debug("the timer slack of process %d stays: %s", pid, g_strerror(errno));
	close(fd);
}
