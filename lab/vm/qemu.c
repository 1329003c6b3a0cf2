// SPDX-License-Identifier: GPL-2.0-only
#include "vm/qemu.h"

#include "base/error.h"
#include "base/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* It answers at once; a host that is busy with guests may take its time. */
#define ANSWER_SECONDS 60

struct talk {
	const char *path;
	pid_t pid;
	FILE *stream;
	char *line;
	size_t size;
};

void qemu_free(struct qemu *qemu)
{
	if (!qemu)
		return;
	g_free(qemu->path);
	g_free(qemu->version);
	g_free(qemu);
}

char *qemu_find(GError **error)
{
	char *path = g_find_program_in_path(QEMU_PROGRAM);

	if (!path)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "QEMU is missing: there is no '" QEMU_PROGRAM
			    "' in the PATH '%s'; 'make deps' installs it, and so does 'apt-get "
			    "install qemu-system-x86'",
			    g_getenv("PATH") ?: "");
	return path;
}

static bool talk_begin(struct talk *talk, GError **error)
{
	const char *const argv[] = {
		talk->path, "-machine", "none,accel=tcg",   "-nodefaults", "-display",
		"none",	    "-chardev", "socket,id=q,fd=3", "-mon",	   "chardev=q,mode=control",
		NULL};
	const struct timeval limit = {.tv_sec = ANSWER_SECONDS};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make a socket: %s",
			    g_strerror(errno));
		return false;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	talk->pid = spawn_start(argv, &ends[1], 1, NULL, error);
	close(ends[1]);
	talk->stream = fdopen(ends[0], "r");
	return talk->pid > 0;
}

static void talk_end(struct talk *talk)
{
	if (talk->stream)
		fclose(talk->stream);
	if (talk->pid > 0) {
		kill(talk->pid, SIGKILL);
		while (waitpid(talk->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(talk->line);
}

/* QEMU that does not speak QMP, or no longer. How it ended is all that there is to tell. */
static void talk_failed(struct talk *talk, GError **error)
{
	int status = 0;
	bool gone = waitpid(talk->pid, &status, WNOHANG) == talk->pid;
	g_autofree char *how = NULL;

	if (gone)
		talk->pid = 0;
	if (gone && WIFSIGNALED(status))
		how = g_strdup_printf("signal %d (%s) ended it", WTERMSIG(status),
				      g_strsignal(WTERMSIG(status)));
	else if (gone)
		how = g_strdup_printf("it ended with status %d", WEXITSTATUS(status));
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' does not answer: %s", talk->path,
		    how ? how : "its monitor says nothing");
}

/* The next message with the member @key, which is returned; events and the greeting are passed. */
static json_t *talk_read(struct talk *talk, const char *key, GError **error)
{
	json_error_t problem_at;

	/* Some of QEMU's numbers have all 64 bits and no sign, which jansson takes for no integer.
	 */
	while (getline(&talk->line, &talk->size, talk->stream) > 0) {
		json_t *message = json_loads(talk->line, JSON_DECODE_INT_AS_REAL, &problem_at);
		json_t *wanted = json_incref(json_object_get(message, key));
		const char *problem = json_string_value(
			json_object_get(json_object_get(message, "error"), "desc"));

		if (!message) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' does not speak JSON: %s",
				    talk->path, problem_at.text);
			return NULL;
		}
		if (problem)
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' refuses a question: %s",
				    talk->path, problem);
		json_decref(message);
		if (wanted || problem)
			return wanted;
	}
	talk_failed(talk, error);
	return NULL;
}

/* @arguments is taken over; NULL: none. */
static json_t *talk_ask(struct talk *talk, const char *command, json_t *arguments, GError **error)
{
	json_t *question = json_pack("{s:s, s:o*}", "execute", command, "arguments", arguments);
	g_autofree char *text = json_dumps(question, JSON_COMPACT);

	json_decref(question);
	dprintf(fileno(talk->stream), "%s\n", text);
	return talk_read(talk, "return", error);
}

const char *qemu_q35(const json_t *machines, unsigned *max_cpus)
{
	const json_t *machine;
	size_t i;

	json_array_foreach (machines, i, machine) {
		if (g_strcmp0(json_string_value(json_object_get(machine, "alias")), "q35") != 0)
			continue;
		*max_cpus = (unsigned)json_number_value(json_object_get(machine, "cpu-max"));
		return json_string_value(json_object_get(machine, "name"));
	}
	return NULL;
}

/* In qom-list-properties' answer. */
static bool has_property(const json_t *properties, const char *name)
{
	const json_t *property;
	size_t i;

	json_array_foreach (properties, i, property)
		if (g_strcmp0(json_string_value(json_object_get(property, "name")), name) == 0)
			return true;
	return false;
}

bool qemu_read_answers(struct qemu *qemu, const json_t *version, const json_t *machines,
		       const json_t *properties, const json_t *cpu, GError **error)
{
	const json_t *numbers = json_object_get(version, "qemu");
	const json_t *features = json_object_get(json_object_get(cpu, "model"), "props");

	if (!json_is_object(numbers) || !json_is_object(features) ||
	    !qemu_q35(machines, &qemu->max_cpus)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'%s' answers without its version, its q35 machine or its CPU",
			    qemu->path);
		return false;
	}
	qemu->version = g_strdup_printf("%d.%d.%d",
					(int)json_number_value(json_object_get(numbers, "major")),
					(int)json_number_value(json_object_get(numbers, "minor")),
					(int)json_number_value(json_object_get(numbers, "micro")));
	qemu->tcg_x2apic = json_is_true(json_object_get(features, "x2apic"));
	qemu->smp_cache = has_property(properties, "smp-cache");
	return true;
}

static bool talk_about(struct talk *talk, struct qemu *qemu, GError **error)
{
	json_t *greeting = talk_read(talk, "QMP", error);
	json_t *ready = greeting ? talk_ask(talk, "qmp_capabilities", NULL, error) : NULL;
	json_t *version = ready ? talk_ask(talk, "query-version", NULL, error) : NULL;
	json_t *machines = version ? talk_ask(talk, "query-machines", NULL, error) : NULL;
	json_t *cpu = NULL, *properties = NULL;
	unsigned max_cpus;
	const char *q35 = machines ? qemu_q35(machines, &max_cpus) : NULL;
	g_autofree char *type = g_strconcat(q35 ? q35 : "none", "-machine", NULL);
	bool ok;

	if (machines)
		properties = talk_ask(talk, "qom-list-properties",
				      json_pack("{s:s}", "typename", type), error);
	if (properties)
		cpu = talk_ask(talk, "query-cpu-model-expansion",
			       json_pack("{s:s, s:{s:s}}", "type", "full", "model", "name", "max"),
			       error);
	ok = cpu && qemu_read_answers(qemu, version, machines, properties, cpu, error);
	json_decref(greeting);
	json_decref(ready);
	json_decref(version);
	json_decref(machines);
	json_decref(properties);
	json_decref(cpu);
	return ok;
}

struct qemu *qemu_ask(GError **error)
{
	AUTO(qemu) *qemu = g_new0(struct qemu, 1);
	struct talk talk = {0};
	bool ok;

	qemu->path = qemu_find(error);
	if (!qemu->path)
		return NULL;
	talk.path = qemu->path;
	ok = talk_begin(&talk, error) && talk_about(&talk, qemu, error);
	talk_end(&talk);
	return ok ? g_steal_pointer(&qemu) : NULL;
}
