// SPDX-License-Identifier: GPL-2.0-only
/* What no healthy kernel says. Structure is matched, not words: healthy lines say "WARNING" too. */
#include "observe/observe.h"

#include "observe/scan.h"

#include <string.h>

#define CUT_HERE "------------[ cut here ]"
/* Frames of lockdep's and KASAN's reports are far longer. */
#define FRAME_MIN 20

/* Each begins the message, after a "[   1.234567] " that the reader of the console removed. */
static const char *const prefixes[] = {
	CUT_HERE,		      /* include/asm-generic/bug.h: before every WARN() and BUG() */
	"BUG: ",		      /* mm/fault.c, topology.c's "BUG: arch topology borken" */
	"kernel BUG at",	      /* lib/bug.c */
	"Oops: ",		      /* arch/x86/kernel/dumpstack.c, from 6.7 on "Oops: Oops:" */
	"general protection",	      /* arch/x86/kernel/traps.c */
	"unchecked MSR access error", /* arch/x86/mm/extable.c */
	"Kernel panic - not syncing", /* kernel/panic.c */
	"INFO: trying to register non-static key", /* kernel/locking/lockdep.c */
	"ERROR: ", /* kernel/sched/topology.c: sched_domain_debug_one() */
};

/* arch/x86/kernel/dumpstack.c, __die_header(): "invalid opcode: 0000 [#1] PREEMPT SMP" */
static bool is_die_header(const char *text)
{
	const char *p = text;

	while ((p = strstr(p, ": "))) {
		guint32 code;
		guint64 count;

		p += 2;
		if (scan_hex32(&p, &code) && scan_literal(&p, " [#") &&
		    scan_decimal(&p, G_MAXUINT32, &count) && *p == ']')
			return true;
	}
	return false;
}

/* The line of '=' above every report of lockdep, RCU's checks and KASAN. */
static bool is_report_frame(const char *text)
{
	gsize length = strspn(text, "=");

	return length >= FRAME_MIN && text[length] == '\0';
}

static bool message_is_splat(const char *text)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(text, prefixes[i]))
			return true;
	return strstr(text, "borken") || is_die_header(text) || is_report_frame(text);
}

/* A frame or a cut says nothing by itself: the message below stands for it. */
static bool message_is_frame(const char *text)
{
	return g_str_has_prefix(text, CUT_HERE) || is_report_frame(text);
}

GPtrArray *observe_splats(GPtrArray *log)
{
	GPtrArray *splats = g_ptr_array_new();

	for (guint i = 0; i < log->len; i++) {
		struct kernel_message *message = g_ptr_array_index(log, i);

		if (!message_is_splat(message->text))
			continue;
		while (message_is_frame(message->text) && i + 1 < log->len)
			message = g_ptr_array_index(log, ++i);
		g_ptr_array_add(splats, message);
	}
	return splats;
}

/* "Code: 48 89 43 30 66 <90> 0f b7": is the byte before the marked one another than @byte? */
static bool code_lacks(const char *text, const char *byte)
{
	const char *code = strstr(text, "Code: ");
	const char *mark = code ? strstr(code, " <") : NULL;

	return mark && mark - code >= (gssize)strlen("Code: ") + 2 &&
	       strncmp(mark - 2, byte, 2) != 0;
}

/* Is the @i'th message an oops of a breakpoint, and does the memory shown below it hold none? */
static bool is_stale_breakpoint(GPtrArray *log, guint i)
{
	const struct kernel_message *message = g_ptr_array_index(log, i);

	/* arch/x86/kernel/traps.c, exc_int3(): die("int3", regs, 0), "Oops: " before it from 6.10
	 */
	if (!strstr(message->text, "int3: 0000 [#") || !is_die_header(message->text))
		return false;
	while (++i < log->len) {
		message = g_ptr_array_index(log, i);
		/* arch/x86/kernel/dumpstack.c, show_opcodes(): the CPU stands behind the int3 */
		if (strstr(message->text, "Code: "))
			return code_lacks(message->text, "cc");
	}
	return false;
}

struct kernel_message *observe_stale_breakpoint(GPtrArray *log)
{
	for (guint i = 0; i < log->len; i++)
		if (is_stale_breakpoint(log, i))
			return g_ptr_array_index(log, i);
	return NULL;
}

struct kernel_message *observe_lost_root(GPtrArray *log)
{
	/* init/do_mounts.c, mount_root_generic(): "... fs on unknown-block(0,0)" */
	static const char panic[] = "Kernel panic - not syncing: VFS: Unable to mount root fs";
	g_autoptr(GPtrArray) splats = observe_splats(log);
	struct kernel_message *first = splats->len ? g_ptr_array_index(splats, 0) : NULL;

	return first && g_str_has_prefix(first->text, panic) ? first : NULL;
}
