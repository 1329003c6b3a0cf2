// SPDX-License-Identifier: GPL-2.0-only
#include "vm/look.h"

#include "base/registers.h"
#include "vm/device.h"
#include "vm/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Of registers.txt, bytes; a vCPU takes 3 KB. */
#define REGISTERS_FILE_MAX (16u << 20)
/* What is read of the guest's answer to find out what kind of answer it is, bytes. */
#define ANSWER_MAX (64u << 10)
/* The first word of an answer, the pause after which it is taken as whole, and all of it. */
#define ANSWER_FIRST_USEC (6 * G_USEC_PER_SEC)
#define ANSWER_PAUSE_USEC (1 * G_USEC_PER_SEC)
#define ANSWER_WHOLE_USEC (12 * G_USEC_PER_SEC)
#define ANSWER_POLL_MS	  50

/* Of the first vCPU in 64-bit mode that has a table; none before Linux made its own. */
static char *gate_line(const struct looker *looker, const char *text)
{
	g_autoptr(GArray) all = registers_parse(text);
	g_autofree char *command = NULL;
	g_autofree char *dump = NULL;
	g_autofree char *problem = NULL;

	/* The monitor reads memory as its current vCPU sees it, and that is the first one. */
	if (all->len == 0 || !g_array_index(all, struct registers, 0).long_mode ||
	    !g_array_index(all, struct registers, 0).idt)
		return NULL;
	command = g_strdup_printf("x/2gx 0x%" G_GINT64_MODIFIER "x",
				  g_array_index(all, struct registers, 0).idt);
	dump = monitor_ask(looker->domain, command, &problem);
	return dump ? registers_format_gate(dump) : NULL;
}

/*
 * While it runs, TCG keeps a vCPU's place to itself until it leaves its translated code, so the
 * guest is stopped for it.
 */
static void look_at_registers(const struct looker *looker, char **problem)
{
	g_autofree char *path = g_build_filename(looker->folder, LOOK_REGISTERS_FILE, NULL);
	bool paused = virDomainSuspend(looker->domain) == 0;
	g_autofree char *text = monitor_ask(looker->domain, "info registers -a", problem);
	g_autofree char *gate = text ? gate_line(looker, text) : NULL;
	g_autofree char *whole = NULL;
	g_autoptr(GError) error = NULL;

	if (paused)
		virDomainResume(looker->domain);
	if (!text)
		return;
	whole = g_strconcat(text, "\n", gate, NULL);
	if (!g_file_set_contents_full(path, whole, (gssize)MIN(strlen(whole), REGISTERS_FILE_MAX),
				      G_FILE_SET_CONTENTS_NONE, 0644, &error))
		*problem = g_strdup(error->message);
}

/* QEMU gets a descriptor: it is another user, and the folder is not its to write into. */
static void look_at_memory(const struct looker *looker, char **problem)
{
	g_autofree char *path = g_build_filename(looker->folder, LOOK_MEMORY_FILE, NULL);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0) {
		*problem = g_strdup_printf("cannot write '%s': %s", path, g_strerror(errno));
		return;
	}
	if (monitor_lend(looker->domain, "look", fd, problem))
		monitor_execute(looker->domain,
				"{\"execute\":\"dump-guest-memory\",\"arguments\":"
				"{\"paging\":false,\"protocol\":\"fd:look\"}}",
				problem);
	if (*problem)
		unlink(path);
	close(fd);
}

/* What the console said from byte @from on, at most ANSWER_MAX, without NULs. Caller frees. */
static char *console_since(const struct looker *looker, guint64 from)
{
	char *text = g_malloc0(ANSWER_MAX + 1);
	int fd = open(looker->console_log->path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? pread(fd, text, ANSWER_MAX, (off_t)from) : 0;

	for (ssize_t i = 0; i < got; i++)
		if (!text[i])
			text[i] = ' ';
	if (fd >= 0)
		close(fd);
	return text;
}

static gboolean wake(void *data G_GNUC_UNUSED)
{
	return G_SOURCE_CONTINUE;
}

/*
 * Until the console has @title and then pauses. Returns what it said since @from, which a guest
 * that talks without end may be cut in. Caller frees.
 */
static char *wait_for_answer(const struct looker *looker, guint64 from, const char *title)
{
	gint64 begun = g_get_monotonic_time(), spoke = begun;
	guint64 seen = from;
	bool answers = false;
	guint timer = g_timeout_add(ANSWER_POLL_MS, wake, NULL);

	while (!*looker->over) {
		gint64 now = g_get_monotonic_time();

		if (looker->console_log->bytes != seen) {
			g_autofree char *text = console_since(looker, from);

			seen = looker->console_log->bytes;
			spoke = now;
			answers = strstr(text, title);
		}
		if (answers ? now - spoke > ANSWER_PAUSE_USEC : now - begun > ANSWER_FIRST_USEC)
			break;
		if (now - begun > ANSWER_WHOLE_USEC)
			break;
		g_main_context_iteration(NULL, TRUE);
	}
	g_source_remove(timer);
	return console_since(looker, from);
}

static char *break_command(const struct looker *looker)
{
	g_autofree char *xml = virDomainGetXMLDesc(looker->domain, 0);
	AUTO(device) *console = xml ? device_find_serial(xml, 0) : NULL;

	/* libvirt names a character device after its front end. */
	if (!console)
		return NULL;
	return g_strdup_printf("{\"execute\":\"chardev-send-break\","
			       "\"arguments\":{\"id\":\"char%s\"}}",
			       console->name);
}

/*
 * __handle_sysrq() prints "sysrq: " and what it does, or that it may not; uart_try_toggle_sysrq()
 * takes the key that follows a BREAK, once the console is open as a terminal, just before the first
 * program starts. drivers/tty/, 6.12
 */
static void look_by_sysrq(const struct looker *looker, char key, const char *title, char **problem)
{
	guint64 from = looker->console_log->bytes;
	g_autofree char *command = break_command(looker);
	g_autofree char *text = NULL;

	if (!command) {
		*problem = g_strdup("the guest has no console");
		return;
	}
	if (!monitor_execute(looker->domain, command, problem))
		return;
	if (!looker->console || !feed_send(looker->console, key)) {
		*problem = g_strdup("the console takes no keys");
		return;
	}
	text = wait_for_answer(looker, from, title);
	if (strstr(text, title))
		return;
	if (strstr(text, "This sysrq operation is disabled"))
		*problem = g_strdup("the kernel says that this sysrq operation is disabled");
	else
		*problem = g_strdup(
			"the kernel did not answer: its console takes keys only from its first "
			"program on, if it is built with MAGIC_SYSRQ_SERIAL and a CPU still takes "
			"interrupts");
}

/* False: what follows would not come either. */
static bool look_at(const struct looker *looker, enum look_part part, guint64 unasked)
{
	g_autofree char *problem = NULL;

	switch (part) {
	case LOOK_REGISTERS:
		look_at_registers(looker, &problem);
		break;
	case LOOK_MEMORY:
		if (!looker->dump_memory)
			return true;
		look_at_memory(looker, &problem);
		break;
	case LOOK_SYSRQ_L:
		look_by_sysrq(looker, 'l', "sysrq: Show backtrace", &problem);
		break;
	case LOOK_SYSRQ_W:
		look_by_sysrq(looker, 'w', "sysrq: Show Blocked State", &problem);
		break;
	case LOOK_PARTS:
		break;
	}
	looker->looked(part, unasked, problem, looker->data);
	return !problem || part != LOOK_SYSRQ_L;
}

void look_take(const struct looker *looker)
{
	guint64 unasked;

	/* What was said before is taken before anything is asked. */
	while (g_main_context_iteration(NULL, FALSE))
		;
	unasked = looker->console_log->bytes;
	for (enum look_part part = 0; part < LOOK_PARTS && !*looker->over; part++)
		if (!look_at(looker, part, unasked))
			return;
}
