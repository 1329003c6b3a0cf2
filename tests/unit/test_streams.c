// SPDX-License-Identifier: GPL-2.0-only
/* Standard streams that are closed, full or read by nobody: told, and never written elsewhere. */
#include "../run_topolab.h"
#include "test_kernel.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum stream { STREAM_PIPE, STREAM_CLOSED, STREAM_FULL, STREAM_UNREAD };

struct start {
	enum stream output, errors;
};

static void stream_put(int fd, enum stream stream)
{
	int ends[2], other;

	switch (stream) {
	case STREAM_PIPE:
		break;
	case STREAM_CLOSED:
		close(fd);
		break;
	case STREAM_FULL:
		other = open("/dev/full", O_WRONLY);
		dup2(other, fd);
		close(other);
		break;
	case STREAM_UNREAD:
		if (pipe(ends) == 0) {
			dup2(ends[1], fd);
			close(ends[1]);
			close(ends[0]);
		}
		break;
	}
}

/* Between fork and exec. */
static void start_setup(gpointer data)
{
	const struct start *start = data;

	stream_put(STDOUT_FILENO, start->output);
	stream_put(STDERR_FILENO, start->errors);
}

/* waitpid()'s status of `topolab expect` with streams as @start says; @errors is what it said. */
static int start_expect(struct start start, char **errors)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-streams-XXXXXX", NULL);
	g_autofree char *kernel = g_build_filename(folder, "bzImage", NULL);
	g_autofree guint8 *image = test_image_new();
	g_autofree char *program = topolab_path();
	const char *argv[] = {program, "expect", "nps4-mini", "--kernel", kernel, NULL};
	g_autoptr(GError) error = NULL;
	g_autofree char *output = NULL;
	int status;

	g_assert_true(g_file_set_contents(kernel, (char *)image, LENGTH, NULL));
	g_spawn_sync(NULL, (char **)(guintptr)argv, NULL, 0, start_setup, &start, &output, errors,
		     &status, &error);
	g_assert_no_error(error);
	folder_remove(folder);
	return status;
}

static void assert_told(enum stream output)
{
	g_autofree char *errors = NULL;
	int status = start_expect((struct start){.output = output}, &errors);

	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 3);
	g_assert_cmpstr(errors, ==, "topolab: cannot write to standard output\n");
}

static void test_output_closed(void)
{
	assert_told(STREAM_CLOSED);
}

static void test_output_full(void)
{
	assert_told(STREAM_FULL);
}

/* `topolab expect ... | head` ends as every program that only prints does. */
static void test_output_unread(void)
{
	g_autofree char *errors = NULL;
	int status = start_expect((struct start){.output = STREAM_UNREAD}, &errors);

	g_assert_true(WIFSIGNALED(status));
	g_assert_cmpint(WTERMSIG(status), ==, SIGPIPE);
	g_assert_cmpstr(errors, ==, "");
}

static void test_errors_closed(void)
{
	g_autofree char *errors = NULL;

	g_assert_cmpint(start_expect((struct start){.errors = STREAM_CLOSED}, &errors), ==, 0);
}

static void help_setup(gpointer data G_GNUC_UNUSED)
{
	stream_put(STDOUT_FILENO, STREAM_FULL);
}

/* Help is printed by code that ends the program by itself. */
static void test_help_full(void)
{
	g_autofree char *program = topolab_path();
	const char *lines[][4] = {{program, "--help", NULL}, {program, "run", "--help", NULL}};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *errors = NULL;
		g_autofree char *output = NULL;
		int status;

		g_assert_true(g_spawn_sync(NULL, (char **)(guintptr)lines[i], NULL, 0, help_setup,
					   NULL, &output, &errors, &status, NULL));
		g_assert_true(WIFEXITED(status));
		g_assert_cmpint(WEXITSTATUS(status), ==, 3);
		g_assert_cmpstr(errors, ==, "topolab: cannot write to standard output\n");
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/streams/output-closed", test_output_closed);
	g_test_add_func("/streams/output-full", test_output_full);
	g_test_add_func("/streams/output-unread", test_output_unread);
	g_test_add_func("/streams/errors-closed", test_errors_closed);
	g_test_add_func("/streams/help-full", test_help_full);
	return g_test_run();
}
