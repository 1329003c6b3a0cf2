// SPDX-License-Identifier: GPL-2.0-only
/* Completion for bash. Names of machines and kernels are asked for when they are completed. */
#include "cmd/generate.h"

#include "cmd/command.h"
#include "cmd/placeholder.h"

static const char head[] =
	"# Completion of topolab for bash; `topolab generate completion` prints it.\n"
	"_topolab_add() {\n"
	"\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	"}\n"
	"_topolab_names() {\n"
	"\t_topolab_add -W \"$(\"${COMP_WORDS[0]}\" complete \"$1\" 2>/dev/null)\"\n"
	"}\n"
	"_topolab_files() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\t_topolab_add \"$1\"\n"
	"}\n"
	"_topolab() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tCOMPREPLY=()\n"
	"\t# --option=value comes as three words.\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\tcur=''\n"
	"\telif [[ $previous == = ]]; then\n"
	"\t\tprevious=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n";

static const char tail[] = "}\n"
			   "complete -F _topolab topolab\n";

static void write_offers(GString *out, const char *synopsis)
{
	struct offers *offers = offers_new(synopsis);

	for (guint i = 0; i < offers->names->len; i++)
		g_string_append_printf(out, "\t\t_topolab_names %s\n",
				       (const char *)offers->names->pdata[i]);
	if (offers->words->len) {
		g_string_append(out, "\t\t_topolab_add -W '");
		for (guint i = 0; i < offers->words->len; i++)
			g_string_append_printf(out, "%s%s", i ? " " : "",
					       (const char *)offers->words->pdata[i]);
		g_string_append(out, "'\n");
	}
	if (offers->kinds & OFFER_FILES)
		g_string_append(out, "\t\t_topolab_files -f\n");
	else if (offers->kinds & OFFER_FOLDERS)
		g_string_append(out, "\t\t_topolab_files -d\n");
	offers_free(offers);
}

static bool is_shown(const struct argp_option *option)
{
	return option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC));
}

static void write_commands(GString *out)
{
	g_string_append(out, "\tif ((COMP_CWORD == 1)); then\n\t\t_topolab_add -W '--help "
			     "--version");
	for (unsigned i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			g_string_append_printf(out, " %s", command_table[i]->name);
	g_string_append(out, "'\n\t\treturn\n\tfi\n");
}

static void write_values(GString *out, const struct command *command)
{
	for (const struct argp_option *option = command->options;
	     option && (option->name || option->doc); option++) {
		if (!is_shown(option) || !option->arg)
			continue;
		g_string_append_printf(out, "\t%s:--%s", command->name, option->name);
		if (g_ascii_isgraph(option->key))
			g_string_append_printf(out, " | %s:-%c", command->name, option->key);
		g_string_append(out, ")\n");
		write_offers(out, option->arg);
		g_string_append(out, "\t\treturn\n\t\t;;\n");
	}
}

static void write_options(GString *out, const struct command *command)
{
	g_string_append_printf(out, "\t%s:-*)\n\t\t_topolab_add -W '--help", command->name);
	for (const struct argp_option *option = command->options;
	     option && (option->name || option->doc); option++)
		if (is_shown(option))
			g_string_append_printf(out, " --%s", option->name);
	g_string_append(out, "'\n\t\treturn\n\t\t;;\n");
}

char *generate_completion(void)
{
	GString *out = g_string_new(head);

	write_commands(out);
	g_string_append(out, "\tcase ${COMP_WORDS[1]}:$previous in\n");
	for (unsigned i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			write_values(out, command_table[i]);
	g_string_append(out, "\tesac\n\tcase ${COMP_WORDS[1]}:$cur in\n");
	for (unsigned i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			write_options(out, command_table[i]);
	g_string_append(out, "\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (unsigned i = 0; command_table[i]; i++) {
		if (command_table[i]->hidden || !*command_table[i]->arguments)
			continue;
		g_string_append_printf(out, "\t%s)\n", command_table[i]->name);
		write_offers(out, command_table[i]->arguments);
		g_string_append(out, "\t\t;;\n");
	}
	g_string_append_printf(out, "\tesac\n%s", tail);
	return g_string_free(out, FALSE);
}
