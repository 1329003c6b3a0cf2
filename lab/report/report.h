/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results and the formats they are written in. A format is a file fmt_NAME.c that defines one row.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/auto.h"
#include "base/ending.h"
#include "base/look.h"
#include "verdict/verdict.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#define RESULT_SCHEMA 1

/* One job: a topology, a kernel, and what came of them. Everything result.json holds. */
struct result {
	char *topology;	     /* name */
	char *topology_text; /* the file's text, so that the job can be judged again anywhere */
	char *kernel, *kernel_release, *kernel_sha256, *kernel_package; /* package may be NULL */
	char *kernel_config; /* the config's text; NULL when unknown */
	char *command_line;
	char **steps; /* taken before the evidence, as step_parse() reads them; NULL: none */
	char *accel;  /* "tcg", "kvm" */
	char *qemu, *libvirt, *host; /* NULL when not known */
	double vcpus_per_host_cpu;
	char *started;		 /* UTC, ISO 8601 */
	gint64 boot_ms, wall_ms; /* -1: never came so far */
	unsigned boots;		 /* 1; more: the emulator spoilt all but this one */
	enum ending ending;
	char *ending_detail;   /* NULL: nothing to add */
	struct look *look;     /* the last one at the guest; NULL: none was taken */
	unsigned traced;       /* addresses on the console with their lines in traces.log */
	char *channel_problem; /* NULL: the agent's stream was fine */
	GPtrArray *programs;   /* struct program *, of its tests; NULL: the domains alone */
	char *known;	       /* "gnr-snc3: what it is": a public bug that it shows; NULL: none */
	char *folder;	       /* the job's folder relative to the run's: "nps4/debian-6.12" */
	struct judgement *judgement;
};

struct result *result_new(void);
void result_free(struct result *result);
AUTO_DEFINE(result, result_free)
enum verdict result_verdict(const struct result *result);
/*
 * Judges @input, into which how the guest ended is put from the result, and replaces the result's
 * judgement. What the guest printed because it was asked to, in a last look, is not judged.
 */
void result_judge(struct result *result, const struct verdict_input *input);

/* The result.json object; its schema is lab/report/result.schema.json. */
json_t *result_to_json(const struct result *result);
/* Reads it back without the judgement's trees; unknown members are fine. ERROR_INPUT. */
struct result *result_from_json(const json_t *json, GError **error);
/* What a file with @json in it holds, newline and all. Caller frees. */
char *report_json_text(const json_t *json);

/* How a report may look; the caller knows the terminal. */
struct report_style {
	bool utf8;
	bool colour;
	bool verbose;
};

/* A run: every result in it. */
struct report {
	GPtrArray *results;	/* struct result *, owned by the caller */
	const char *run_folder; /* as the user would type it */
	const char *version;	/* topolab's own */
	bool require_all;	/* any SKIP is 77 */
	bool bisect;		/* the exit status is for git bisect run */
};

struct report_format {
	const char *name; /* "text" */
	const char *file; /* in the run's folder: "report.txt" */
	const char *help;
	char *(*write)(const struct report *report, const struct report_style *style);
};

/* Sorted, NULL-terminated. */
extern const struct report_format *const report_format_table[];
const struct report_format *report_format_find(const char *name);
/* The same; a name that no format has is ERROR_INPUT, and the message lists those there are. */
const struct report_format *report_format_require(const char *name, GError **error);

/* The formats for --help, a line each: "text    what it is". Caller frees. */
char *report_format_notes(void);

/* What git bisect run takes for "this commit cannot be tested", and for "stop". */
#define BISECT_SKIP  125
#define BISECT_ABORT 128

/*
 * 0 pass; 1 any FAIL or TIMEOUT; 3 any ERROR (wins); 77 everything or, if so asked, one skipped.
 * For git bisect: 0 everything passed; 1 any FAIL or TIMEOUT (wins); else BISECT_SKIP.
 */
int report_exit_status(const struct report *report);
/* "topolab: exit 1 (3 pass, 1 fail, 0 skip, 0 error)" */
char *report_last_line(const struct report *report);

#endif
