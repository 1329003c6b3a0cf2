// SPDX-License-Identifier: GPL-2.0-only
/*
 * JUnit's XML as Jenkins' xUnit plugin specifies it (junit-10.xsd): a test suite per job, a test
 * case per check and finding. XML has no way at all to write most control characters, so what a
 * guest sent is made printable first; libxml2 escapes the rest.
 */
#include "report/lines.h"
#include "report/report.h"

#include <libxml/xmlwriter.h>

struct junit {
	xmlTextWriter *writer;
	const struct report_style *style;
};

/* libxml2's strings are UTF-8 in unsigned characters; its own BAD_CAST drops const. */
static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

static void junit_open(struct junit *junit, const char *element)
{
	xmlTextWriterStartElement(junit->writer, xml(element));
}

static void junit_close(struct junit *junit)
{
	xmlTextWriterEndElement(junit->writer);
}

static void junit_attribute(struct junit *junit, const char *name, const char *text)
{
	g_autofree char *printable = lines_printable(text, junit->style);

	xmlTextWriterWriteAttribute(junit->writer, xml(name), xml(printable));
}

static void junit_count(struct junit *junit, const char *name, guint count)
{
	xmlTextWriterWriteFormatAttribute(junit->writer, xml(name), "%u", count);
}

static void junit_seconds(struct junit *junit, gint64 ms)
{
	xmlTextWriterWriteFormatAttribute(junit->writer, xml("time"),
					  "%" G_GINT64_FORMAT ".%03" G_GINT64_FORMAT, ms / 1000,
					  ms % 1000);
}

/* Nothing for NULL. */
static void junit_property(struct junit *junit, const char *name, const char *value)
{
	if (!value)
		return;
	junit_open(junit, "property");
	junit_attribute(junit, "name", name);
	junit_attribute(junit, "value", value);
	junit_close(junit);
}

static void junit_properties(struct junit *junit, const struct report *report,
			     const struct result *result)
{
	g_autofree char *load = g_strdup_printf("%.4g", result->vcpus_per_host_cpu);
	g_autofree char *boot = g_strdup_printf("%" G_GINT64_FORMAT, result->boot_ms);

	junit_open(junit, "properties");
	junit_property(junit, "topolab", report->version);
	junit_property(junit, "topology", result->topology);
	junit_property(junit, "kernel", result->kernel);
	junit_property(junit, "release", result->kernel_release);
	junit_property(junit, "package", result->kernel_package);
	junit_property(junit, "sha256", result->kernel_sha256);
	junit_property(junit, "cmdline", result->command_line);
	junit_property(junit, "accel", result->accel);
	junit_property(junit, "qemu", result->qemu);
	junit_property(junit, "libvirt", result->libvirt);
	junit_property(junit, "host", result->host);
	junit_property(junit, "vcpus_per_host_cpu", load);
	junit_property(junit, "boot_ms", result->boot_ms >= 0 ? boot : NULL);
	junit_property(junit, "ending", ending_name(result->ending));
	junit_property(junit, "verdict", verdict_name(result_verdict(result)));
	junit_close(junit);
}

/* The element that says how a case ended; NULL: a case that passed has none. */
static const char *outcome(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return NULL;
	case VERDICT_SKIP:
		return "skipped";
	case VERDICT_INVALID:
	case VERDICT_TIMEOUT:
	case VERDICT_FAIL:
		return "failure";
	case VERDICT_ERROR:
	case VERDICT_COUNT:
		return "error";
	}
	return "error";
}

static void append_field(GString *text, const char *label, const char *value,
			 const struct report_style *style)
{
	g_autofree char *printable = value ? lines_printable(value, style) : NULL;

	if (printable)
		g_string_append_printf(text, "%s: %s\n", label, printable);
}

static char *check_details(const struct check *check, const struct report_style *style)
{
	g_autofree char *cpu = check->cpu >= 0 ? g_strdup_printf("%d", check->cpu) : NULL;
	g_autofree char *level = NULL;
	GString *text = g_string_new(NULL);

	if (check->level >= 0)
		level = g_strdup_printf("domain%d", check->level);
	append_field(text, "CPUs", check->cpus ? check->cpus : cpu, style);
	append_field(text, "level", level, style);
	append_field(text, "expected", check->expected, style);
	append_field(text, "observed", check->observed, style);
	append_field(text, "rule", check->rule, style);
	append_field(text, "evidence", check->evidence, style);
	return g_string_free(text, FALSE);
}

/* "nps4.debian-6_12": Jenkins takes what stands before the last dot for a package. */
static char *class_of(const struct result *result)
{
	g_autofree char *topology = g_strdelimit(g_strdup(result->topology), ".", '_');
	g_autofree char *kernel = g_strdelimit(g_strdup(result->kernel), ".", '_');

	return g_strdup_printf("%s.%s", topology, kernel);
}

static void junit_case(struct junit *junit, const struct result *result, const struct check *check)
{
	g_autofree char *class = class_of(result);
	g_autofree char *details = check_details(check, junit->style);
	const char *element = outcome(check->verdict);

	junit_open(junit, "testcase");
	junit_attribute(junit, "name", check->name);
	junit_attribute(junit, "classname", class);
	if (element) {
		junit_open(junit, element);
		junit_attribute(junit, "type", verdict_name(check->verdict));
		junit_attribute(junit, "message", check->reason ? check->reason : "");
		if (*details)
			xmlTextWriterWriteString(junit->writer, xml(details));
		junit_close(junit);
	}
	junit_close(junit);
}

struct counts {
	guint cases, skipped, failures, errors;
};

static void count_result(struct counts *counts, const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	guint n = checks ? checks_count(checks) : 0;

	for (guint i = 0; i < n; i++) {
		const char *element = outcome(checks_get(checks, i)->verdict);

		counts->skipped += g_strcmp0(element, "skipped") == 0;
		counts->failures += g_strcmp0(element, "failure") == 0;
		counts->errors += g_strcmp0(element, "error") == 0;
	}
	counts->cases += MAX(n, 1);
	counts->errors += n == 0;
}

static void junit_counts(struct junit *junit, const struct counts *counts)
{
	junit_count(junit, "tests", counts->cases);
	junit_count(junit, "failures", counts->failures);
	junit_count(junit, "errors", counts->errors);
}

static void junit_suite(struct junit *junit, const struct report *report,
			const struct result *result)
{
	static const struct check nothing = {
		.name = "judged",
		.verdict = VERDICT_ERROR,
		.cpu = -1,
		.level = -1,
		.reason = "nothing was judged",
	};
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	g_autofree char *name = g_strdup_printf("%s/%s", result->topology, result->kernel);
	struct counts counts = {0};

	count_result(&counts, result);
	junit_open(junit, "testsuite");
	junit_attribute(junit, "name", name);
	junit_counts(junit, &counts);
	junit_count(junit, "skipped", counts.skipped);
	junit_seconds(junit, MAX(result->wall_ms, 0));
	if (result->started)
		junit_attribute(junit, "timestamp", result->started);
	junit_properties(junit, report, result);
	if (!checks || checks_count(checks) == 0)
		junit_case(junit, result, &nothing);
	for (guint i = 0; checks && i < checks_count(checks); i++)
		junit_case(junit, result, checks_get(checks, i));
	junit_close(junit);
}

/* No job at all is an error, which readers see only in a case. */
static void junit_nothing(struct junit *junit)
{
	const struct counts counts = {.cases = 1, .errors = 1};

	junit_open(junit, "testsuite");
	junit_attribute(junit, "name", "topolab");
	junit_counts(junit, &counts);
	junit_open(junit, "testcase");
	junit_attribute(junit, "name", "judged");
	junit_open(junit, "error");
	junit_attribute(junit, "type", verdict_name(VERDICT_ERROR));
	junit_attribute(junit, "message", "nothing was run");
	junit_close(junit);
	junit_close(junit);
	junit_close(junit);
}

static void junit_report(struct junit *junit, const struct report *report)
{
	struct counts counts = {.cases = report->results->len == 0,
				.errors = report->results->len == 0};
	gint64 wall_ms = 0;

	for (guint i = 0; i < report->results->len; i++) {
		const struct result *result = report->results->pdata[i];

		count_result(&counts, result);
		wall_ms += MAX(result->wall_ms, 0);
	}
	junit_open(junit, "testsuites");
	junit_attribute(junit, "name", "topolab");
	junit_counts(junit, &counts);
	junit_seconds(junit, wall_ms);
	for (guint i = 0; i < report->results->len; i++)
		junit_suite(junit, report, report->results->pdata[i]);
	if (report->results->len == 0)
		junit_nothing(junit);
	junit_close(junit);
}

static char *junit_write(const struct report *report, const struct report_style *style)
{
	/* It declares its encoding, whatever the terminal speaks. */
	struct report_style utf8 = {.utf8 = true, .verbose = style->verbose};
	xmlBuffer *buffer = xmlBufferCreate();
	struct junit junit = {.writer = xmlNewTextWriterMemory(buffer, 0), .style = &utf8};
	char *text;

	xmlTextWriterSetIndent(junit.writer, 1);
	xmlTextWriterSetIndentString(junit.writer, xml("  "));
	xmlTextWriterStartDocument(junit.writer, NULL, "UTF-8", NULL);
	junit_report(&junit, report);
	xmlTextWriterEndDocument(junit.writer);
	xmlFreeTextWriter(junit.writer);
	text = g_strdup((const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return text;
}

const struct report_format report_format_junit = {
	.name = "junit",
	.file = "junit.xml",
	.help = "JUnit's XML: a test suite per job, a case per check",
	.write = junit_write,
};
