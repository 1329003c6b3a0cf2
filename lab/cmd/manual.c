// SPDX-License-Identifier: GPL-2.0-only
/* topolab.1. The commands come from the table; what they have in common stands here. */
#include "cmd/generate.h"

#include "base/version.h"
#include "cmd/command.h"

#include <string.h>

static const char head[] =
	".SH NAME\n"
	"topolab \\- give a server's CPU, cache and NUMA topology to a virtual machine and judge\n"
	"the sched domains that a kernel builds in it\n"
	".SH SYNOPSIS\n"
	".B topolab\n"
	".I COMMAND\n"
	".RI [ OPTION ...]\n"
	".RI [ ARGUMENT ...]\n"
	".br\n"
	".B topolab \\-\\-help\n"
	".br\n"
	".B topolab \\-\\-version\n"
	".SH DESCRIPTION\n"
	"A topology file describes a machine down to its CPU numbering, caches, NUMA distances "
	"and\n"
	"firmware tables. topolab boots a kernel in a virtual machine of that shape under KVM, or\n"
	"without it under QEMU's TCG, reads what the kernel made of it and compares that with "
	"what\n"
	"this kernel's version must build and with what must hold on any kernel.\n"
	".PP\n"
	"A topology is a name that\n"
	".B topolab list topologies\n"
	"shows, or a file: anything that holds a slash or ends in .yaml. A kernel is a name that\n"
	".B topolab list kernels\n"
	"shows, or the path of a bzImage.\n"
	".SH COMMANDS\n";

struct entry {
	const char *tag, *text;
};

static const struct entry statuses[] = {
	{"0", "Everything passed."},
	{"1", "A verdict is FAIL or TIMEOUT."},
	{"2", "Bad usage or input; nothing was started."},
	{"3", "The lab or the host failed; this wins over 1."},
	{"77", "Everything was skipped."},
};

static const struct entry variables[] = {
	{"TOPOLAB_PATH",
	 "Folders of topology files, separated by colons; searched before topolab's "
	 "own."},
	{"TOPOLAB_CACHE",
	 "The folder of fetched kernels and of what was found out about this host. "
	 "Without it $XDG_CACHE_HOME/topolab, ~/.cache/topolab or "
	 "/var/cache/topolab: the first that can be written."},
	{"TOPOLAB_RUNTIME", "The folder of running guests, at most 40 characters long. Without it "
			    "/run/topolab for root, $XDG_RUNTIME_DIR/topolab or /tmp/topolab-UID."},
	{"TOPOLAB_MIRROR", "Where Debian's packages are fetched from, instead of the mirror that "
			   "this system uses."},
	{"TOPOLAB_BUSYBOX", "The static busybox of guests that stay up, instead of /bin/busybox."},
	{"XDG_CACHE_HOME, XDG_RUNTIME_DIR", "See the two above."},
	{"NO_COLOR", "Set to anything: no colours."},
	{"TERM", "'dumb': no colours and no lines that are written over."},
};

static const struct entry files[] = {
	{"results/UTC-PID/",
	 "A run: report.txt, run.json and a folder TOPOLOGY/KERNEL for each job "
	 "with result.json, evidence.tar.gz, console.log, domain.xml and "
	 "qemu.log. results/latest links to the newest."},
	{"PREFIX/share/topolab/", "topologies/, kernels/ and the guest's agent."},
};

/* Backslashes, hyphens that are to be typed, and lines that would be taken for requests. */
static void write_text(GString *out, const char *text)
{
	bool fresh = true;

	for (const char *p = text; *p; p++) {
		if (fresh && (*p == '.' || *p == '\''))
			g_string_append(out, "\\&");
		fresh = *p == '\n';
		if (*p == '\\')
			g_string_append(out, "\\e");
		else if (*p == '-')
			g_string_append(out, "\\-");
		else if (*p == '\'')
			g_string_append(out, "\\(aq");
		else if (*p == '~')
			g_string_append(out, "\\(ti");
		else
			g_string_append_c(out, *p);
	}
}

/* Lines of @text that are indented or end a paragraph stay lines. */
static void write_lines(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		const char *line = lines[i] + strspn(lines[i], " ");

		if (i > 0 && *line)
			g_string_append(out, line == lines[i] ? ".PP\n" : ".br\n");
		if (*line) {
			write_text(out, line);
			g_string_append_c(out, '\n');
		}
	}
}

static void write_option(GString *out, const struct argp_option *option)
{
	g_string_append(out, ".TP\n");
	if (g_ascii_isgraph(option->key))
		g_string_append_printf(out, "\\fB\\-%c\\fR, ", option->key);
	g_string_append(out, "\\fB\\-\\-");
	write_text(out, option->name);
	g_string_append(out, "\\fR");
	if (option->arg) {
		bool optional = option->flags & OPTION_ARG_OPTIONAL;

		g_string_append(out, optional ? "[=\\fI" : "=\\fI");
		write_text(out, option->arg);
		g_string_append(out, optional ? "\\fR]" : "\\fR");
	}
	g_string_append_c(out, '\n');
	write_text(out, option->doc ? option->doc : "");
	g_string_append_c(out, '\n');
}

static void write_command(GString *out, const struct command *command)
{
	g_autofree char *notes = command->notes ? command->notes() : NULL;

	g_string_append(out, ".SS topolab ");
	write_text(out, command->name);
	g_string_append(out, command->options ? " [OPTION...] " : " ");
	write_text(out, command->arguments);
	/* A synopsis without arguments ends in a blank. */
	g_string_truncate(out, strlen(g_strchomp(out->str)));
	g_string_append_c(out, '\n');
	write_text(out, command->summary);
	g_string_append(out, ".\n");
	if (command->details) {
		g_string_append(out, ".PP\n");
		write_lines(out, command->details);
	}
	if (notes) {
		g_string_append(out, ".PP\n");
		write_lines(out, notes);
	}
	for (const struct argp_option *option = command->options;
	     option && (option->name || option->doc); option++)
		if (option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC)))
			write_option(out, option);
}

static void write_entries(GString *out, const char *title, const struct entry *entries, gsize n)
{
	g_string_append_printf(out, ".SH %s\n", title);
	for (gsize i = 0; i < n; i++) {
		g_string_append(out, ".TP\n.B ");
		write_text(out, entries[i].tag);
		g_string_append_c(out, '\n');
		write_text(out, entries[i].text);
		g_string_append_c(out, '\n');
	}
}

char *generate_manual(void)
{
	GString *out = g_string_new(".TH TOPOLAB 1 \"\" \"topolab " TOPOLAB_VERSION
				    "\" \"User Commands\"\n");

	g_string_append(out, head);
	for (unsigned i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			write_command(out, command_table[i]);
	write_entries(out, "EXIT STATUS", statuses, G_N_ELEMENTS(statuses));
	write_entries(out, "ENVIRONMENT", variables, G_N_ELEMENTS(variables));
	write_entries(out, "FILES", files, G_N_ELEMENTS(files));
	g_string_append(out, ".SH SEE ALSO\n.BR qemu (1),\n.BR virsh (1)\n");
	return g_string_free(out, FALSE);
}
