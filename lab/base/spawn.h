/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one way to start a program: no shell, no inherited descriptors, a clean environment
 * (PATH, HOME, XDG_*, CCACHE_*, TOPOLAB_*, LC_ALL=C.UTF-8 and what the caller adds).
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct spawn_options {
	const char *folder;		/* working directory; NULL: ours */
	const char *const *environment; /* "NAME=value" to add; NULL: nothing */
	char **errors;			/* receives stderr when the program fails; NULL: unwanted */
};

/*
 * Runs to the end. @output (may be NULL) receives stdout. A program that is missing, that a signal
 * ended, or whose status is not 0 is ERROR_LAB; the message holds the command line and the last
 * line of its stderr. Not to be called while a main loop reaps children.
 */
bool spawn_run(const char *const *argv, const struct spawn_options *options, char **output,
	       GError **error);

/*
 * Starts a child that lives beside us: it gets @child_fds (n_fds of them) as descriptors 3, 4, ...,
 * /dev/null as stdin, both outputs appended to @output_path (NULL: ours), its own process group,
 * and SIGTERM when we die. The caller waits for it. -1 on failure.
 */
pid_t spawn_start(const char *const *argv, const int *child_fds, unsigned n_fds,
		  const char *output_path, GError **error);

/*
 * Runs @function in a forked child, for a library that keeps its settings in the environment or
 * cannot be trusted with a guest's data. The child has the environment described above with
 * @environment added, stdin and stderr on /dev/null, and @seconds to live; what it writes to @fd
 * comes back, NUL-terminated. ERROR_LAB when it returned other than 0, a signal ended it, or it
 * wrote more than @limit bytes; @what names it in the message. Not to be called while a main loop
 * reaps children.
 */
char *spawn_function(const char *what, int (*function)(int fd, void *data), void *data,
		     const char *const *environment, unsigned seconds, gsize limit, GError **error);

/*
 * Forks a process that runs @function and may outlive us, leader of a session of its own: stdin is
 * /dev/null, stdout and stderr are ours, and of the other descriptors it keeps only @fd, where what
 * it writes comes back from *@end. The caller waits for it. -1 on failure.
 */
pid_t spawn_session(int (*function)(int fd, void *data), void *data, int *end, GError **error);

/* As one could paste it into a terminal. */
char *spawn_command_line(const char *const *argv);

#endif
