// SPDX-License-Identifier: GPL-2.0-only
/* result.json, both ways. Its members are described in result.schema.json beside this file. */
#include "base/error.h"
#include "base/version.h"
#include "report/look.h"
#include "report/report.h"

#include <string.h>

/* Some strings are the guest's; JSON is UTF-8 whatever it sent. */
static json_t *text_to_json(const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? json_string(valid) : json_null();
}

static json_t *number_to_json(gint64 number)
{
	return number < 0 ? json_null() : json_integer(number);
}

/* "6.12.117" of "6.12.117+deb12-cloud-amd64". */
static char *version_of_release(const char *release)
{
	return release ? g_strndup(release, strspn(release, "0123456789.")) : NULL;
}

static json_t *kernel_to_json(const struct result *result)
{
	json_t *kernel = json_object();
	g_autofree char *version = version_of_release(result->kernel_release);

	json_object_set_new(kernel, "name", text_to_json(result->kernel));
	json_object_set_new(kernel, "release", text_to_json(result->kernel_release));
	json_object_set_new(kernel, "version", text_to_json(version));
	json_object_set_new(kernel, "sha256", text_to_json(result->kernel_sha256));
	json_object_set_new(kernel, "package", text_to_json(result->kernel_package));
	json_object_set_new(kernel, "config", text_to_json(result->kernel_config));
	return kernel;
}

static json_t *check_to_json(const struct check *check)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", text_to_json(check->name));
	json_object_set_new(json, "verdict", json_string(verdict_name(check->verdict)));
	json_object_set_new(json, "cpu", number_to_json(check->cpu));
	json_object_set_new(json, "level", number_to_json(check->level));
	json_object_set_new(json, "cpus", text_to_json(check->cpus));
	json_object_set_new(json, "expected", text_to_json(check->expected));
	json_object_set_new(json, "observed", text_to_json(check->observed));
	json_object_set_new(json, "rule", text_to_json(check->rule));
	json_object_set_new(json, "reason", text_to_json(check->reason));
	json_object_set_new(json, "evidence", text_to_json(check->evidence));
	return json;
}

static json_t *checks_to_json(const struct judgement *judgement)
{
	json_t *array = json_array();

	for (guint i = 0; judgement && i < checks_count(judgement->checks); i++)
		json_array_append_new(array, check_to_json(checks_get(judgement->checks, i)));
	return array;
}

static json_t *domains_to_json(const struct judgement *judgement)
{
	return judgement && judgement->observed ? domain_tree_to_json(judgement->observed)
						: json_null();
}

static json_t *steps_to_json(char *const *steps)
{
	json_t *array = json_array();

	for (unsigned i = 0; steps && steps[i]; i++)
		json_array_append_new(array, json_string(steps[i]));
	return array;
}

/* Where and how it ran. */
static void run_to_json(const struct result *result, json_t *json)
{
	json_object_set_new(json, "cmdline", text_to_json(result->command_line));
	json_object_set_new(json, "steps", steps_to_json(result->steps));
	json_object_set_new(json, "features", json_array());
	json_object_set_new(json, "accel", text_to_json(result->accel));
	json_object_set_new(json, "qemu", text_to_json(result->qemu));
	json_object_set_new(json, "libvirt", text_to_json(result->libvirt));
	json_object_set_new(json, "host", text_to_json(result->host));
	json_object_set_new(json, "vcpus_per_host_cpu", json_real(result->vcpus_per_host_cpu));
	json_object_set_new(json, "started", text_to_json(result->started));
	json_object_set_new(json, "boot_ms", number_to_json(result->boot_ms));
	json_object_set_new(json, "wall_ms", number_to_json(result->wall_ms));
	json_object_set_new(json, "boots", json_integer(result->boots));
	json_object_set_new(json, "ending", json_string(ending_name(result->ending)));
	json_object_set_new(json, "ending_detail", text_to_json(result->ending_detail));
	json_object_set_new(json, "channel_problem", text_to_json(result->channel_problem));
	json_object_set_new(json, "look", look_to_json(result->look));
	json_object_set_new(json, "traced", json_integer(result->traced));
}

static json_t *program_to_json(const struct program *program)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", text_to_json(program->name));
	json_object_set_new(json, "answer", json_string(answer_name(program->answer)));
	json_object_set_new(json, "required", json_boolean(program->required));
	json_object_set_new(json, "end", json_string(program_end_name(program->end)));
	json_object_set_new(json, "number", json_integer(program->number));
	json_object_set_new(json, "seconds", json_integer(program->seconds));
	json_object_set_new(json, "ms", number_to_json(program->ms));
	json_object_set_new(json, "dropped", json_integer(program->dropped));
	json_object_set_new(json, "left", json_integer(program->left));
	json_object_set_new(json, "reason", text_to_json(program->reason));
	return json;
}

/* What they printed lies in files of its own. */
static json_t *programs_to_json(const GPtrArray *programs)
{
	json_t *array = json_array();

	for (guint i = 0; programs && i < programs->len; i++)
		json_array_append_new(array, program_to_json(programs->pdata[i]));
	return array;
}

json_t *result_to_json(const struct result *result)
{
	json_t *json = json_object();

	json_object_set_new(json, "schema", json_integer(RESULT_SCHEMA));
	json_object_set_new(json, "topolab", json_string(TOPOLAB_VERSION));
	json_object_set_new(json, "topology", text_to_json(result->topology));
	json_object_set_new(json, "topology_text", text_to_json(result->topology_text));
	json_object_set_new(json, "kernel", kernel_to_json(result));
	run_to_json(result, json);
	json_object_set_new(json, "verdict", json_string(verdict_name(result_verdict(result))));
	json_object_set_new(json, "known", text_to_json(result->known));
	json_object_set_new(json, "checks", checks_to_json(result->judgement));
	json_object_set_new(json, "programs", programs_to_json(result->programs));
	json_object_set_new(json, "metrics", json_array());
	json_object_set_new(json, "domains", domains_to_json(result->judgement));
	return json;
}

char *report_json_text(const json_t *json)
{
	g_autofree char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(6));

	return g_strconcat(text, "\n", NULL);
}

/* Reading keeps the first problem; what follows it reads as absent. */
struct reader {
	GError **error;
	bool failed;
};

static void reader_fail(struct reader *reader, const char *member, const char *wanted)
{
	if (reader->failed)
		return;
	reader->failed = true;
	g_set_error(reader->error, TOPOLAB_ERROR, ERROR_INPUT, "the result's member '%s' is not %s",
		    member, wanted);
}

/* Null and absent are NULL. */
static const char *reader_text(struct reader *reader, const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);

	if (!value || json_is_null(value))
		return NULL;
	if (!json_is_string(value))
		reader_fail(reader, member, "a string or null");
	return json_string_value(value);
}

static const char *reader_needed_text(struct reader *reader, const json_t *object,
				      const char *member)
{
	const char *text = reader_text(reader, object, member);

	if (!text)
		reader_fail(reader, member, "a string");
	return text;
}

/* Null and absent are -1. */
static gint64 reader_number(struct reader *reader, const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);

	if (!value || json_is_null(value))
		return -1;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > G_MAXINT)
		reader_fail(reader, member, "a whole number or null");
	return json_integer_value(value);
}

static void reader_check(struct reader *reader, const json_t *json, struct checks *checks)
{
	const char *verdict_text = reader_needed_text(reader, json, "verdict");
	struct check check = {
		.name = reader_needed_text(reader, json, "name"),
		.cpu = (int)reader_number(reader, json, "cpu"),
		.level = (int)reader_number(reader, json, "level"),
		.cpus = reader_text(reader, json, "cpus"),
		.expected = reader_text(reader, json, "expected"),
		.observed = reader_text(reader, json, "observed"),
		.rule = reader_text(reader, json, "rule"),
		.reason = reader_text(reader, json, "reason"),
		.evidence = reader_text(reader, json, "evidence"),
	};

	if (verdict_text && !verdict_from_name(verdict_text, &check.verdict))
		reader_fail(reader, "verdict", "the name of a verdict");
	if (!reader->failed)
		checks_add(checks, &check);
}

static void reader_judgement(struct reader *reader, const json_t *json, struct result *result)
{
	const json_t *array = json_object_get(json, "checks");

	if (!json_is_array(array)) {
		reader_fail(reader, "checks", "an array");
		return;
	}
	result->judgement = g_new0(struct judgement, 1);
	result->judgement->checks = checks_new();
	for (size_t i = 0; i < json_array_size(array); i++)
		reader_check(reader, json_array_get(array, i), result->judgement->checks);
}

static void reader_kernel(struct reader *reader, const json_t *json, struct result *result)
{
	const json_t *kernel = json_object_get(json, "kernel");

	result->kernel = g_strdup(reader_needed_text(reader, kernel, "name"));
	result->kernel_release = g_strdup(reader_needed_text(reader, kernel, "release"));
	result->kernel_sha256 = g_strdup(reader_text(reader, kernel, "sha256"));
	result->kernel_package = g_strdup(reader_text(reader, kernel, "package"));
	result->kernel_config = g_strdup(reader_text(reader, kernel, "config"));
}

static void reader_run(struct reader *reader, const json_t *json, struct result *result)
{
	const char *ending = reader_needed_text(reader, json, "ending");

	result->command_line = g_strdup(reader_text(reader, json, "cmdline"));
	result->accel = g_strdup(reader_text(reader, json, "accel"));
	result->qemu = g_strdup(reader_text(reader, json, "qemu"));
	result->libvirt = g_strdup(reader_text(reader, json, "libvirt"));
	result->host = g_strdup(reader_text(reader, json, "host"));
	result->vcpus_per_host_cpu = json_number_value(json_object_get(json, "vcpus_per_host_cpu"));
	result->started = g_strdup(reader_text(reader, json, "started"));
	result->boot_ms = reader_number(reader, json, "boot_ms");
	result->wall_ms = reader_number(reader, json, "wall_ms");
	result->boots = (unsigned)MAX(reader_number(reader, json, "boots"), 1);
	result->traced = (unsigned)CLAMP(reader_number(reader, json, "traced"), 0, G_MAXINT);
	if (ending && !ending_from_name(ending, &result->ending))
		reader_fail(reader, "ending", "the name of an ending");
	result->ending_detail = g_strdup(reader_text(reader, json, "ending_detail"));
	result->channel_problem = g_strdup(reader_text(reader, json, "channel_problem"));
}

static struct program *reader_program(struct reader *reader, const json_t *json)
{
	struct program *program = g_new0(struct program, 1);
	const char *answer = reader_needed_text(reader, json, "answer");
	const char *end = reader_needed_text(reader, json, "end");

	program->name = g_strdup(reader_needed_text(reader, json, "name"));
	/* It names a file. */
	if (program->name && !program_name_is_sane(program->name))
		reader_fail(reader, "name", "the name of a program");
	if (answer && !answer_from_name(answer, &program->answer))
		reader_fail(reader, "answer", "the name of an answer");
	if (end && !program_end_from_name(end, &program->end))
		reader_fail(reader, "end", "the name of a program's end");
	program->required = json_is_true(json_object_get(json, "required"));
	program->number = (int)MAX(reader_number(reader, json, "number"), 0);
	program->seconds = (unsigned)MAX(reader_number(reader, json, "seconds"), 0);
	program->ms = reader_number(reader, json, "ms");
	program->dropped = MAX(reader_number(reader, json, "dropped"), 0);
	program->left = (unsigned)MAX(reader_number(reader, json, "left"), 0);
	program->reason = g_strdup(reader_text(reader, json, "reason"));
	return program;
}

/* Results of before there were tests have none. */
static void reader_programs(struct reader *reader, const json_t *json, struct result *result)
{
	const json_t *array = json_object_get(json, "programs");

	if (json_array_size(array) == 0)
		return;
	result->programs = programs_new();
	for (size_t i = 0; i < json_array_size(array); i++)
		g_ptr_array_add(result->programs, reader_program(reader, json_array_get(array, i)));
}

/* Results of before there were steps have none. */
static void reader_steps(struct reader *reader, const json_t *json, struct result *result)
{
	const json_t *array = json_object_get(json, "steps");

	if (json_array_size(array) == 0)
		return;
	result->steps = g_new0(char *, json_array_size(array) + 1);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (!text)
			reader_fail(reader, "steps", "a list of strings");
		result->steps[i] = g_strdup(text ?: "");
	}
}

struct result *result_from_json(const json_t *json, GError **error)
{
	AUTO(result) *result = result_new();
	struct reader reader = {.error = error};
	const json_t *schema = json_object_get(json, "schema");

	if (!json_is_integer(schema) || json_integer_value(schema) != RESULT_SCHEMA)
		reader_fail(&reader, "schema", "1, the only schema this topolab reads");
	result->topology = g_strdup(reader_needed_text(&reader, json, "topology"));
	result->topology_text = g_strdup(reader_needed_text(&reader, json, "topology_text"));
	reader_kernel(&reader, json, result);
	reader_run(&reader, json, result);
	result->known = g_strdup(reader_text(&reader, json, "known"));
	reader_steps(&reader, json, result);
	reader_programs(&reader, json, result);
	reader_judgement(&reader, json, result);
	if (reader.failed || !look_from_json(json_object_get(json, "look"), &result->look, error))
		return NULL;
	return g_steal_pointer(&result);
}
