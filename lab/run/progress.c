// SPDX-License-Identifier: GPL-2.0-only
#include "run/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Often enough to look alive, rarely enough to cost nothing. */
#define LIVE_INTERVAL_USEC 100000

struct progress {
	enum progress_mode mode;
	unsigned n_jobs, n_done;
	gint64 begun_usec, drawn_usec;
	GHashTable *states; /* job -> its last state; plain lines are printed on change */
	bool line_open;	    /* a live line is on the screen and must be wiped first */
};

enum progress_mode progress_mode_for_stderr(void)
{
	const char *term = g_getenv("TERM");

	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 ? PROGRESS_LIVE
									  : PROGRESS_PLAIN;
}

struct progress *progress_new(enum progress_mode mode)
{
	struct progress *progress = g_new0(struct progress, 1);

	progress->mode = mode;
	progress->begun_usec = g_get_monotonic_time();
	progress->states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return progress;
}

void progress_expect(struct progress *progress, unsigned n_jobs)
{
	progress->n_jobs = n_jobs;
}

static void progress_wipe(struct progress *progress)
{
	if (progress->line_open)
		fputs("\r\033[K", stderr);
	progress->line_open = false;
}

void progress_free(struct progress *progress)
{
	progress_wipe(progress);
	g_hash_table_unref(progress->states);
	g_free(progress);
}

void progress_say(struct progress *progress, const char *format, ...)
{
	va_list args;

	if (progress->mode == PROGRESS_QUIET)
		return;
	progress_wipe(progress);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static unsigned terminal_width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void progress_draw(struct progress *progress, const char *job,
			  const struct vm_progress *state)
{
	gint64 now = g_get_monotonic_time();
	g_autofree char *line = NULL;

	if (now - progress->drawn_usec < LIVE_INTERVAL_USEC)
		return;
	progress->drawn_usec = now;
	line = g_strdup_printf("[%u/%u] %s: %s, %.0f s, console %" G_GUINT64_FORMAT
			       " kB, records %" G_GUINT64_FORMAT " kB",
			       progress->n_done, progress->n_jobs, job, state->state,
			       (double)(now - progress->begun_usec) / G_USEC_PER_SEC,
			       state->console_bytes / 1000, state->channel_bytes / 1000);
	fprintf(stderr, "\r\033[K%.*s", (int)terminal_width() - 1, line);
	progress->line_open = true;
}

void progress_update(struct progress *progress, const char *job, const struct vm_progress *state)
{
	const char *before = g_hash_table_lookup(progress->states, job);

	if (progress->mode == PROGRESS_LIVE)
		progress_draw(progress, job, state);
	else if (!before || strcmp(before, state->state) != 0)
		progress_say(progress, "%s: %s", job, state->state);
	if (!before || strcmp(before, state->state) != 0)
		g_hash_table_replace(progress->states, g_strdup(job), g_strdup(state->state));
}

void progress_done(struct progress *progress, const char *job, const char *verdict, gint64 wall_ms)
{
	progress->n_done++;
	progress_say(progress, "%s: %s after %.1f s", job, verdict, (double)wall_ms / 1000);
}
