/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A subcommand is a file cmd_NAME.c that defines one row; the table is made from the file names.
 * Parsing, help, completion and the man page come from the same rows.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <argp.h>
#include <glib.h>
#include <stdbool.h>

struct command {
	const char *name;      /* "run" */
	const char *arguments; /* "TOPOLOGY..."; "" when it takes none */
	const char *summary;   /* one line for the list of commands */
	const char *details;   /* a paragraph for its own --help; NULL: none */
	char *(*notes)(void);  /* lines below the details, made from other tables; NULL: none */
	const struct argp_option *options;     /* ends with an empty row; NULL: none */
	unsigned min_arguments, max_arguments; /* G_MAXUINT: no limit */
	gsize settings_size; /* of the command's own zeroed settings structure; 0: none */
	bool hidden;	     /* not listed: the worker */
	/*
	 * One option into @settings. @key as in options; an error is ERROR_INPUT. NULL: no options.
	 */
	bool (*option)(int key, const char *value, void *settings, GError **error);
	/*
	 * The exit status for @error, or with NULL for bad usage, of which nothing but @argv is
	 * known yet. NULL: the usual ones.
	 */
	int (*error_status)(char **argv, const GError *error);
	/* @arguments: NULL-terminated. Returns the exit status; with @error set that decides it. */
	int (*run)(char **arguments, void *settings, GError **error);
};

/* Sorted, NULL-terminated. */
extern const struct command *const command_table[];

/* Finds the command, parses its options and runs it; prints the error. Returns the exit status. */
int command_main(int argc, char **argv);

#endif
