/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole runs of the real binary, in a folder of their own: what is done to them while they live,
 * how they end, and that nothing of them is left.
 */
#ifndef TESTS_FAULT_RUN_H
#define TESTS_FAULT_RUN_H

#include "base/paths.h"
#include "report/report.h"
#include "vm/process.h"

#include "../run_topolab.h"
#include "stub_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The smallest machine: one core of two threads, which a stub never looks at. */
#define FAULT_MACHINE                                                                              \
	"name: small\n"                                                                            \
	"title: two CPUs\n"                                                                        \
	"reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x, "                    \
	"threads_per_core: x, nodes_per_package: x, memory_per_node: x, distances: x, "            \
	"numbering: x}\n"                                                                          \
	"cpu: {vendor: AuthenticAMD, family: 25, model: 1, stepping: 1}\n"                         \
	"packages: 1\n"                                                                            \
	"l3_per_package: 1\n"                                                                      \
	"cores_per_l3: 1\n"                                                                        \
	"threads_per_core: 2\n"                                                                    \
	"nodes_per_package: 1\n"                                                                   \
	"memory_per_node: 192M\n"                                                                  \
	"distances: [[10]]\n"                                                                      \
	"numbering: threads-last\n"

/* Seconds; what a host that does ten other things may take for anything here. */
#define FAULT_PATIENCE 300

struct fault_place {
	char *folder, *runtime, *machine;
	char *program; /* topolab */
};

struct fault_run {
	pid_t pid;	       /* and process group */
	char *folder;	       /* of its results */
	char *output, *errors; /* files */
};

static inline void fault_place_set_up(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	/* Sockets lie below the runtime folder: the path has to be short, and open to QEMU. */
	place->folder = g_strdup("/tmp/tlf-XXXXXX");
	g_assert_nonnull(g_mkdtemp_full(place->folder, 0711));
	place->runtime = g_build_filename(place->folder, "r", NULL);
	place->machine = g_build_filename(place->folder, "small.yaml", NULL);
	g_assert_true(g_file_set_contents(place->machine, FAULT_MACHINE, -1, NULL));
	place->program = topolab_path();
	g_setenv("TOPOLAB_RUNTIME", place->runtime, TRUE);
}

static inline char *fault_text(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

/* Processes whose command line names a file below @folder: QEMUs and workers. Elements: pid_t. */
static inline GArray *fault_processes(const char *folder, const char *word)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autofree char *below = g_strconcat(folder, "/", NULL);
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename("/proc", name, "cmdline", NULL);
		g_autofree char *line = NULL;
		gsize length;
		pid_t pid = (pid_t)g_ascii_strtoll(name, NULL, 10);

		if (pid > 0 && g_file_get_contents(path, &line, &length, NULL) && length &&
		    memmem(line, length, below, strlen(below)) &&
		    memmem(line, length, word, strlen(word)))
			g_array_append_val(pids, pid);
	}
	return pids;
}

static inline void assert_nothing_left(const struct fault_place *place)
{
	g_autoptr(GArray) qemus = fault_processes(place->runtime, "qemu-system-");
	g_autoptr(GArray) workers = fault_processes(place->runtime, "worker");
	g_autoptr(GDir) dir = g_dir_open(place->runtime, 0, NULL);
	const char *name = dir ? g_dir_read_name(dir) : NULL;

	g_assert_cmpuint(qemus->len, ==, 0);
	g_assert_cmpuint(workers->len, ==, 0);
	g_assert_cmpstr(name, ==, NULL);
}

static inline void fault_place_tear_down(struct fault_place *place,
					 gconstpointer data G_GNUC_UNUSED)
{
	assert_nothing_left(place);
	folder_remove(place->folder);
	g_free(place->folder);
	g_free(place->runtime);
	g_free(place->machine);
	g_free(place->program);
}

struct fault_child {
	const char *output, *errors; /* files; NULL: left as they are */
	void (*setup)(void *data);
	void *data;
};

static inline void fault_child_setup(gpointer pointer)
{
	const struct fault_child *child = pointer;
	int output = open(child->output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	int errors = open(child->errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	/* As a shell starts a job: a process group of its own, signals as they are by default. */
	setpgid(0, 0);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	if (child->setup)
		child->setup(child->data);
}

/* @arguments after `run MACHINE --accel tcg -o FOLDER/NAME`, blank separated. */
static inline struct fault_run fault_start_with(const struct fault_place *place, const char *name,
						const char *arguments, void (*setup)(void *data),
						void *data)
{
	g_autofree char *output_name = g_strconcat(name, ".out", NULL);
	g_autofree char *errors_name = g_strconcat(name, ".err", NULL);
	struct fault_run run = {
		.folder = g_build_filename(place->folder, name, NULL),
		.output = g_build_filename(place->folder, output_name, NULL),
		.errors = g_build_filename(place->folder, errors_name, NULL),
	};
	struct fault_child child = {run.output, run.errors, setup, data};
	g_autofree char *line = g_strdup_printf("%s run %s --accel tcg -o %s %s", place->program,
						place->machine, run.folder, arguments);
	g_auto(GStrv) argv = g_strsplit(line, " ", -1);
	g_autoptr(GError) error = NULL;

	g_spawn_async(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, fault_child_setup, &child,
		      &run.pid, &error);
	g_assert_no_error(error);
	return run;
}

static inline struct fault_run fault_start(const struct fault_place *place, const char *name,
					   const char *arguments)
{
	return fault_start_with(place, name, arguments, NULL, NULL);
}

static inline bool fault_is_running(const struct fault_run *run)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

/* Its exit status, or minus the signal that ended it. */
static inline int fault_end(struct fault_run *run)
{
	gint64 limit = g_get_monotonic_time() + FAULT_PATIENCE * G_USEC_PER_SEC;
	int status;

	while (fault_is_running(run) && g_get_monotonic_time() < limit)
		g_usleep(20000);
	if (fault_is_running(run)) {
		g_test_fail_printf("topolab does not end");
		kill(run->pid, SIGKILL);
	}
	waitpid(run->pid, &status, 0);
	run->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline void fault_run_clear(struct fault_run *run)
{
	g_autofree char *output = fault_text("/", run->output);
	g_autofree char *errors = fault_text("/", run->errors);

	g_test_message("%s%s", output, errors);
	g_free(run->folder);
	g_free(run->output);
	g_free(run->errors);
}

/* Until stderr says so: progress is told there, a line for each state. */
static inline bool fault_wait_for(const struct fault_run *run, const char *text)
{
	gint64 limit = g_get_monotonic_time() + FAULT_PATIENCE * G_USEC_PER_SEC;

	while (g_get_monotonic_time() < limit) {
		g_autofree char *errors = fault_text("/", run->errors);

		if (strstr(errors, text))
			return true;
		if (!fault_is_running(run))
			break;
		g_usleep(10000);
	}
	g_test_fail_printf("topolab never said '%s'", text);
	return false;
}

/* The one process of @place's runs with @word in its command line; 0 when it does not come. */
static inline pid_t fault_wait_process(const struct fault_place *place, const struct fault_run *run,
				       const char *word)
{
	gint64 limit = g_get_monotonic_time() + FAULT_PATIENCE * G_USEC_PER_SEC;

	while (g_get_monotonic_time() < limit && fault_is_running(run)) {
		g_autoptr(GArray) pids = fault_processes(place->runtime, word);

		if (pids->len)
			return g_array_index(pids, pid_t, 0);
		g_usleep(2000);
	}
	g_test_fail_printf("no process with '%s' came", word);
	return 0;
}

/* A check of the only job, by name; its reason must be exactly @reason. NULL: not looked at. */
static inline void assert_job_check(const struct fault_run *run, const char *job, const char *name,
				    const char *verdict, const char *reason)
{
	json_t *result = result_load(run->folder, job), *check;
	size_t i;
	bool found = false;

	json_array_foreach (json_object_get(result, "checks"), i, check) {
		const char *its = json_string_value(json_object_get(check, "reason"));

		if (strcmp(json_string_value(json_object_get(check, "name")), name) != 0 ||
		    strcmp(json_string_value(json_object_get(check, "verdict")), verdict) != 0)
			continue;
		found = true;
		if (reason)
			g_assert_cmpstr(its, ==, reason);
		break;
	}
	if (!found)
		g_test_fail_printf("no check '%s' with verdict %s", name, verdict);
	json_decref(result);
}

static inline void assert_format_is_whole(const struct fault_run *run,
					  const struct report_format *format)
{
	g_autofree char *text = fault_text(run->folder, format->file);

	g_assert_cmpstr(text, !=, "");
	g_assert_true(g_utf8_validate(text, -1, NULL));
	for (const char *p = text; *p; p++)
		if (((guchar)*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f) {
			g_test_fail_printf("'%s' holds byte 0x%02x", format->file, (guchar)*p);
			break;
		}
	if (g_str_has_suffix(format->file, ".json")) {
		json_t *json = json_loads(text, 0, NULL);

		g_assert_nonnull(json);
		json_decref(json);
	} else if (g_str_has_suffix(format->file, ".xml")) {
		xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), format->file, NULL,
					    XML_PARSE_NONET | XML_PARSE_NOERROR);

		g_assert_nonnull(doc);
		xmlFreeDoc(doc);
	} else if (g_str_has_suffix(format->file, ".tap")) {
		g_assert_nonnull(strstr(text, "1.."));
	}
}

/* Every report, and the job's folder under its name with nothing half written beside it. */
static inline void assert_results_are_whole(const struct fault_run *run)
{
	g_autoptr(GDir) dir = g_dir_open(run->folder, 0, NULL);
	g_autofree char *output = fault_text("/", run->output);
	const char *name;

	for (unsigned i = 0; report_format_table[i]; i++)
		assert_format_is_whole(run, report_format_table[i]);
	g_assert_nonnull(dir);
	while (dir && (name = g_dir_read_name(dir)))
		g_assert_false(g_str_has_prefix(name, "."));
	g_assert_nonnull(strstr(output, "\ntopolab: exit "));
}

#endif
