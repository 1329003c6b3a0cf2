// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"

#include "base/error.h"
#include "cmd/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What argp carries through the parsing of one command's line. */
struct parse {
	const struct command *command;
	void *settings;
	GPtrArray *arguments; /* char *, borrowed from argv */
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	const struct command *command = parse->command;
	g_autoptr(GError) error = NULL;

	switch (key) {
	case ARGP_KEY_ARG:
		if (parse->arguments->len == command->max_arguments)
			argp_error(state, "'%s' is one argument too many", value);
		g_ptr_array_add(parse->arguments, value);
		return 0;
	case ARGP_KEY_END:
		if (parse->arguments->len < command->min_arguments)
			argp_error(state, "%s is missing", command->arguments);
		return 0;
	case ARGP_KEY_INIT:
	case ARGP_KEY_FINI:
	case ARGP_KEY_SUCCESS:
	case ARGP_KEY_ERROR:
	case ARGP_KEY_ARGS:
	case ARGP_KEY_NO_ARGS:
		return ARGP_ERR_UNKNOWN;
	default:
		if (!command->option)
			return ARGP_ERR_UNKNOWN;
		if (!command->option(key, value, parse->settings, &error))
			argp_error(state, "%s", error->message);
		return 0;
	}
}

/* What argp prints: the summary above the options, the rest below them. */
static char *command_doc(const struct command *command)
{
	g_autofree char *notes = command->notes ? command->notes() : NULL;

	return g_strdup_printf("%s\v%s%s%s", command->summary, command->details ?: "",
			       command->details && notes ? "\n\n" : "", notes ?: "");
}

static int command_run(const struct command *command, int argc, char **argv)
{
	g_autofree void *settings = g_malloc0(MAX(command->settings_size, 1));
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	g_autofree char *name = g_strdup_printf("topolab %s", command->name);
	g_autofree char *doc = command_doc(command);
	struct argp argp = {
		.options = command->options,
		.parser = parse_option,
		.args_doc = command->arguments,
		.doc = doc,
	};
	struct parse parse = {.command = command, .settings = settings, .arguments = arguments};
	g_autoptr(GError) error = NULL;
	int status;

	if (command->error_status)
		argp_err_exit_status = command->error_status(argv, NULL);
	/* argp names the program by argv[0]. */
	argv[0] = name;
	argp_parse(&argp, argc, argv, 0, NULL, &parse);
	g_ptr_array_add(arguments, NULL);
	status = command->run((char **)arguments->pdata, settings, &error);
	if (error) {
		g_autofree char *text = error_text(error);

		fprintf(stderr, "topolab: %s\n", text);
		status = command->error_status ? command->error_status(argv, error)
					       : error_exit_status(error);
	}
	return status;
}

static void usage_print(FILE *stream)
{
	fprintf(stream, "Usage: topolab COMMAND [ARGUMENT...]\n\nCommands:\n");
	for (unsigned i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			fprintf(stream, "  %-10s %s\n", command_table[i]->name,
				command_table[i]->summary);
	fprintf(stream, "\n'topolab COMMAND --help' tells more about one of them.\n");
}

static const struct command *command_find(const char *name)
{
	for (unsigned i = 0; command_table[i]; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}

int command_main(int argc, char **argv)
{
	const struct command *command;

	argp_err_exit_status = 2;
	if (argc < 2) {
		usage_print(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		usage_print(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		g_autofree char *text = version_text();

		fputs(text, stdout);
		return 0;
	}
	command = command_find(argv[1]);
	if (!command) {
		fprintf(stderr, "topolab: there is no command '%s'; 'topolab --help' lists them\n",
			argv[1]);
		return 2;
	}
	return command_run(command, argc - 1, argv + 1);
}
