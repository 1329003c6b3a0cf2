// SPDX-License-Identifier: GPL-2.0-only
#include "run/answers.h"

#include "base/error.h"
#include "base/test_job.h"

#include <string.h>

static struct program *program_named(GPtrArray *programs, const char *name)
{
	for (guint i = 0; i < programs->len; i++) {
		struct program *program = programs->pdata[i];

		if (strcmp(program->name, name) == 0 && program->end != PROGRAM_SKIPPED)
			return program;
	}
	return NULL;
}

/* The program that a record's member names. */
static struct program *asked(const json_t *head, const char *member, GPtrArray *programs,
			     GError **error)
{
	const char *name = json_string_value(json_object_get(head, member));
	struct program *program = name ? program_named(programs, name) : NULL;
	g_autofree char *shown = name ? g_strescape(name, NULL) : NULL;

	if (!name)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the agent's stream has an answer without a program's name");
	else if (!program)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the agent's stream answers for the program '%.80s', which was not "
			    "given to it",
			    shown);
	return program;
}

static bool whole_number(const json_t *head, const char *member, gint64 max, gint64 *value,
			 GError **error)
{
	const json_t *number = json_object_get(head, member);

	if (json_is_integer(number) && json_integer_value(number) >= 0 &&
	    json_integer_value(number) <= max) {
		*value = json_integer_value(number);
		return true;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the agent's stream has an answer whose '%s' is no number from 0 to "
		    "%" G_GINT64_FORMAT,
		    member, max);
	return false;
}

static bool take_end(const json_t *head, struct program *program, GError **error)
{
	const char *how = json_string_value(json_object_get(head, "how"));
	gint64 number, left;
	enum program_end end;

	if (!how || !program_end_from_name(how, &end) || end < PROGRAM_EXITED) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the agent's stream does not say how the program '%s' ended",
			    program->name);
		return false;
	}
	if (!whole_number(head, "number", 255, &number, error) ||
	    !whole_number(head, "ms", G_MAXINT32, &program->ms, error) ||
	    !whole_number(head, "dropped", G_MAXINT64, &program->dropped, error) ||
	    !whole_number(head, "left", G_MAXINT32, &left, error))
		return false;
	program->number = (int)number;
	program->left = (unsigned)left;
	program->end = end;
	return true;
}

static void take_output(const struct records *records, struct program *program)
{
	g_autofree char *name = g_strconcat(TEST_OUTPUT_BLOB, program->name, NULL);
	GBytes *blob = records_blob(records, name);
	gsize length = 0;
	const char *data = blob ? g_bytes_get_data(blob, &length) : NULL;

	if (!blob)
		return;
	program->output_length = MIN(length, TEST_OUTPUT_MAX);
	program->output = g_malloc(program->output_length + 1);
	if (program->output_length)
		memcpy(program->output, data, program->output_length);
	program->output[program->output_length] = '\0';
}

static bool take_answer(const struct records *records, const json_t *head, GPtrArray *programs,
			GError **error)
{
	struct program *program = asked(head, "name", programs, error);

	if (!program)
		return false;
	if (program->end != PROGRAM_UNHEARD && program->end != PROGRAM_RUNNING) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the agent's stream answers twice for the program '%s'", program->name);
		return false;
	}
	if (!take_end(head, program, error))
		return false;
	take_output(records, program);
	return true;
}

static bool take_running(const json_t *head, GPtrArray *programs, GError **error)
{
	struct program *program = asked(head, "program", programs, error);

	if (program && program->end == PROGRAM_UNHEARD)
		program->end = PROGRAM_RUNNING;
	return program != NULL;
}

bool answers_take(const struct records *records, GPtrArray *programs, GError **error)
{
	for (guint i = 0; i < records_count(records); i++) {
		const struct record *record = records_get(records, i);
		const char *type = record_type(record);

		if (strcmp(type, "program") == 0 &&
		    !take_answer(records, record->head, programs, error))
			return false;
		if (strcmp(type, "running") == 0 && !take_running(record->head, programs, error))
			return false;
	}
	return true;
}
