// SPDX-License-Identifier: GPL-2.0-only
#include "vm/death.h"

#include "vm/logfile.h"

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Signals that a program brings upon itself: a failed assertion, a wild pointer. */
enum ending death_ending(bool reaped, int status)
{
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

	for (unsigned i = 0; reaped && WIFSIGNALED(status) && i < G_N_ELEMENTS(signals); i++)
		if (WTERMSIG(status) == signals[i])
			return ENDING_CRASHED;
	return ENDING_DIED;
}

static char *death_text(bool reaped, int status)
{
	if (reaped && WIFSIGNALED(status))
		return g_strdup_printf("QEMU was killed by signal %d (%s)", WTERMSIG(status),
				       g_strsignal(WTERMSIG(status)));
	if (reaped)
		return g_strdup_printf("QEMU ended with status %d", WEXITSTATUS(status));
	return g_strdup("QEMU ended by itself");
}

char *death_explain(const char *root, bool reaped, int status, char *detail)
{
	g_autofree char *words = logfile_last_words(root);
	g_autofree char *known = detail ? detail : death_text(reaped, status);

	if (words && !strstr(known, words))
		return g_strdup_printf("%s; QEMU's last words: %s", known, words);
	return g_steal_pointer(&known);
}
