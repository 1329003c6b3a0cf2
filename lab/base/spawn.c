// SPDX-License-Identifier: GPL-2.0-only
#include "base/spawn.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool environment_is_kept(const char *name)
{
	static const char *const kept[] = {"PATH", "HOME", "TMPDIR", "SOURCE_DATE_EPOCH"};

	for (unsigned i = 0; i < G_N_ELEMENTS(kept); i++)
		if (strcmp(name, kept[i]) == 0)
			return true;
	return g_str_has_prefix(name, "XDG_") || g_str_has_prefix(name, "TOPOLAB_") ||
	       g_str_has_prefix(name, "CCACHE_");
}

static char **spawn_environment(const char *const *added)
{
	g_auto(GStrv) names = g_listenv();
	char **environment = g_environ_setenv(NULL, "LC_ALL", "C.UTF-8", TRUE);

	environment = g_environ_setenv(environment, "PATH", "/usr/sbin:/usr/bin:/sbin:/bin", TRUE);
	for (unsigned i = 0; names[i]; i++)
		if (environment_is_kept(names[i]))
			environment =
				g_environ_setenv(environment, names[i], g_getenv(names[i]), TRUE);
	for (unsigned i = 0; added && added[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(added[i], "=", 2);

		environment = g_environ_setenv(environment, pair[0], pair[1], TRUE);
	}
	return environment;
}

static const char *last_line(char *text)
{
	char *newline;

	g_strchomp(text);
	newline = strrchr(text, '\n');
	return newline ? newline + 1 : text;
}

char *spawn_command_line(const char *const *argv)
{
	GString *line = g_string_new(NULL);

	for (unsigned i = 0; argv[i]; i++) {
		g_autofree char *quoted = NULL;

		if (i)
			g_string_append_c(line, ' ');
		if (*argv[i] && strspn(argv[i], G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS
				       "-_./=:,+@%") == strlen(argv[i])) {
			g_string_append(line, argv[i]);
			continue;
		}
		quoted = g_shell_quote(argv[i]);
		g_string_append(line, quoted);
	}
	return g_string_free(line, FALSE);
}

bool spawn_run(const char *const *argv, const struct spawn_options *options, char **output,
	       GError **error)
{
	g_auto(GStrv) environment = spawn_environment(options ? options->environment : NULL);
	g_autofree char *stdout_text = NULL;
	g_autofree char *stderr_text = NULL;
	g_autofree char *line = spawn_command_line(argv);
	g_autoptr(GError) cause = NULL;
	int status;

	if (!g_spawn_sync(options ? options->folder : NULL, (char **)(guintptr)argv, environment,
			  G_SPAWN_SEARCH_PATH, NULL, NULL, &stdout_text, &stderr_text, &status,
			  &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot start '%s': %s", line,
			    cause->message);
		return false;
	}
	if (!g_spawn_check_wait_status(status, &cause)) {
		if (options && options->errors)
			*options->errors = g_strdup(stderr_text);
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' failed (%s): %s", line,
			    cause->message, last_line(stderr_text));
		return false;
	}
	if (output)
		*output = g_steal_pointer(&stdout_text);
	return true;
}

/* Only async-signal-safe calls from here to exec. */
static void child_redirect(const int *child_fds, unsigned n_fds, int stderr_fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	dup2(null_fd, STDIN_FILENO);
	if (stderr_fd >= 0) {
		dup2(stderr_fd, STDOUT_FILENO);
		dup2(stderr_fd, STDERR_FILENO);
	}
	/* The callers' descriptors were moved above the targets, so no dup2() overwrites one. */
	for (unsigned i = 0; i < n_fds; i++)
		dup2(child_fds[i], 3 + (int)i);
	/* Descriptors that we inherited ourselves need not be close-on-exec. */
	close_range(3 + n_fds, ~0u, 0);
}

static void child_exec(char *const *argv, char *const *environment, const int *child_fds,
		       unsigned n_fds, int stderr_fd, pid_t parent)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	child_redirect(child_fds, n_fds, stderr_fd);
	execve(argv[0], argv, environment);
	_exit(127);
}

pid_t spawn_start(const char *const *argv, const int *child_fds, unsigned n_fds,
		  const char *output_path, GError **error)
{
	g_auto(GStrv) environment = spawn_environment(NULL);
	g_autofree int *high_fds = g_new(int, n_fds + 1);
	pid_t parent = getpid(), pid;
	int stderr_fd = -1;

	if (output_path) {
		stderr_fd = open(output_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		if (stderr_fd < 0) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot write '%s': %s",
				    output_path, g_strerror(errno));
			return -1;
		}
	}
	for (unsigned i = 0; i < n_fds; i++)
		high_fds[i] = fcntl(child_fds[i], F_DUPFD_CLOEXEC, 3 + (int)n_fds);
	pid = fork();
	if (pid == 0)
		child_exec((char *const *)(guintptr)argv, environment, high_fds, n_fds, stderr_fd,
			   parent);
	if (pid < 0)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot start '%s': %s", argv[0],
			    g_strerror(errno));
	for (unsigned i = 0; i < n_fds; i++)
		close(high_fds[i]);
	if (stderr_fd >= 0)
		close(stderr_fd);
	return pid;
}

static void child_run(int (*function)(int fd, void *data), void *data, int fd, char **child_environ,
		      unsigned seconds)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* Ctrl-C is for us: an answer that is about to come is not to be lost by it. */
	setpgid(0, 0);
	dup2(null_fd, STDIN_FILENO);
	dup2(null_fd, STDERR_FILENO);
	environ = child_environ;
	/* The signal's default action ends the child wherever it hangs. */
	signal(SIGALRM, SIG_DFL);
	alarm(seconds);
	/* _exit(): what the parent had not yet flushed is the parent's to write. */
	_exit(function(fd, data));
}

/* Until the child closes its end, or NULL when it wrote more than @limit bytes. */
static char *child_read(int fd, gsize limit)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char buffer[4096];

	for (;;) {
		ssize_t n = read(fd, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return g_string_free(g_steal_pointer(&text), FALSE);
		if (text->len + (gsize)n > limit)
			return NULL;
		g_string_append_len(text, buffer, n);
	}
}

/* The child's status as a sentence, or NULL when it ended well. */
static char *child_problem(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return g_strdup_printf("it cannot be waited for: %s", g_strerror(errno));
	if (WIFSIGNALED(status))
		return g_strdup_printf("signal %d (%s) ended it", WTERMSIG(status),
				       g_strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return g_strdup_printf("it returned %d", WEXITSTATUS(status));
	return NULL;
}

char *spawn_function(const char *what, int (*function)(int fd, void *data), void *data,
		     const char *const *environment, unsigned seconds, gsize limit, GError **error)
{
	g_auto(GStrv) child_environ = spawn_environment(environment);
	g_autofree char *text = NULL;
	g_autofree char *problem = NULL;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make a pipe for %s: %s", what,
			    g_strerror(errno));
		return NULL;
	}
	pid = fork();
	if (pid < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot start %s: %s", what,
			    g_strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return NULL;
	}
	if (pid == 0)
		child_run(function, data, ends[1], child_environ, seconds);
	close(ends[1]);
	text = child_read(ends[0], limit);
	close(ends[0]);
	if (!text)
		kill(pid, SIGKILL);
	problem = child_problem(pid);
	if (text && !problem)
		return g_steal_pointer(&text);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "%s failed: %s", what,
		    text ? problem : "it wrote too much");
	return NULL;
}

static void session_run(int (*function)(int fd, void *data), void *data, int fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	dup2(null_fd, STDIN_FILENO);
	/* Other people's locks and pipes are not held for as long as it lives. */
	if (fd != 3)
		dup3(fd, 3, O_CLOEXEC);
	close_range(4, ~0u, 0);
	_exit(function(3, data));
}

pid_t spawn_session(int (*function)(int fd, void *data), void *data, int *end, GError **error)
{
	int ends[2];
	pid_t pid;

	/* What is not flushed yet would be written twice. */
	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot start a process: %s",
			    g_strerror(errno));
		return -1;
	}
	if (pid == 0)
		session_run(function, data, ends[1]);
	close(ends[1]);
	*end = ends[0];
	return pid;
}
