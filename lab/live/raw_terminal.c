// SPDX-License-Identifier: GPL-2.0-only
#include "live/raw_terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved, raw;
static volatile sig_atomic_t entered;

/* tcsetattr() is async-signal-safe, POSIX 2.4.3. */
void raw_terminal_leave(void)
{
	int before = errno;

	if (entered)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
	entered = 0;
	errno = before;
}

/* Its default action follows when it returns: SA_RESETHAND. */
static void on_fatal(int number)
{
	raw_terminal_leave();
	raise(number);
}

static void on_stop(int number G_GNUC_UNUSED)
{
	raw_terminal_leave();
	raise(SIGSTOP);
}

static void on_continue(int number G_GNUC_UNUSED)
{
	int before = errno;

	entered = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
	errno = before;
}

bool raw_terminal_enter(void)
{
	static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
				    SIGABRT, SIGSEGV, SIGBUS,  SIGFPE};
	struct sigaction ends = {.sa_handler = on_fatal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction stops = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
	struct sigaction continues = {.sa_handler = on_continue, .sa_flags = SA_RESTART};

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &saved) != 0)
		return false;
	raw = saved;
	cfmakeraw(&raw);
	for (unsigned i = 0; i < G_N_ELEMENTS(fatal); i++)
		sigaction(fatal[i], &ends, NULL);
	sigaction(SIGTSTP, &stops, NULL);
	sigaction(SIGCONT, &continues, NULL);
	atexit(raw_terminal_leave);
	entered = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
	return entered;
}

void raw_terminal_size(unsigned *rows, unsigned *columns)
{
	struct winsize size;
	bool known = ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;

	*rows = known ? size.ws_row : 24;
	*columns = known ? size.ws_col : 80;
}
