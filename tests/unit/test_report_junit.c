// SPDX-License-Identifier: GPL-2.0-only
/* junit.xml: valid by the schema, and what a reader of it counts and sees. */
#include "test_report_pages.h"

#include <libxml/xmlschemas.h>
#include <libxml/xpath.h>

static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

static xmlDoc *document(struct result *(*const *make)(void))
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct report report = {.results = results, .run_folder = "results/x", .version = "0.1.0"};
	/* The terminal's abilities do not matter: the file says that it is UTF-8. */
	struct report_style style = {.utf8 = false};
	g_autofree char *text = NULL;
	xmlDoc *doc;

	for (; *make; make++)
		g_ptr_array_add(results, (*make)());
	text = report_format_find("junit")->write(&report, &style);
	doc = xmlReadMemory(text, (int)strlen(text), "junit.xml", NULL, XML_PARSE_NONET);
	g_assert_nonnull(doc);
	return doc;
}

static void G_GNUC_PRINTF(2, 3) invalid(void *data, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_test_message("%s%s", (const char *)data, text);
}

static int validate(xmlDoc *doc)
{
	xmlSchemaParserCtxt *parser = xmlSchemaNewParserCtxt(TOPOLAB_SOURCE "/tests/junit.xsd");
	xmlSchema *schema = xmlSchemaParse(parser);
	xmlSchemaValidCtxt *context = schema ? xmlSchemaNewValidCtxt(schema) : NULL;
	int status;

	xmlSchemaSetValidErrors(context, invalid, invalid, (char[]){""});
	status = context ? xmlSchemaValidateDoc(context, doc) : -1;
	xmlSchemaFreeValidCtxt(context);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	return status;
}

static void assert_xpath(xmlDoc *doc, const char *path, const char *wanted)
{
	xmlXPathContext *context = xmlXPathNewContext(doc);
	xmlXPathObject *object = xmlXPathEvalExpression(xml(path), context);
	xmlChar *text = xmlXPathCastToString(object);

	if (g_strcmp0((const char *)text, wanted) != 0)
		g_test_fail_printf("%s: expected '%s', got '%s'", path, wanted, text);
	xmlFree(text);
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
}

static void test_valid(void)
{
	xmlDoc *doc = document((struct result *(*[])(void)){passed, failed, broken, wide, skipped,
							    unjudged, NULL});
	xmlDoc *none = document((struct result *(*[])(void)){NULL});

	g_assert_cmpint(validate(doc), ==, 0);
	g_assert_cmpint(validate(none), ==, 0);
	assert_xpath(none, "/testsuites/@errors", "1");
	assert_xpath(none, "count(//testcase/error)", "1");
	xmlFreeDoc(doc);
	xmlFreeDoc(none);
}

/* A schema that accepts everything would let every file through. */
static void test_invalid(void)
{
	static const char *const texts[] = {
		"<testsuite/>",
		"<testsuites tests='x'/>",
		"<testsuites><testsuite name='a' tests='1' failures='0' errors='0'/></testsuites>",
		"<testsuites><testcase name='a'/></testsuites>",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		xmlDoc *doc = xmlReadMemory(texts[i], (int)strlen(texts[i]), "x", NULL, 0);

		g_assert_cmpint(validate(doc), >, 0);
		xmlFreeDoc(doc);
	}
}

/* By hand from the results in test_report_pages.h. */
static void test_content(void)
{
	static const char *const wanted[][2] = {
		{"/testsuites/@tests", "15"},
		{"/testsuites/@failures", "4"},
		{"/testsuites/@errors", "1"},
		{"/testsuites/@time", "39.504"},
		{"count(/testsuites/testsuite)", "4"},
		{"/testsuites/testsuite[1]/@name", "quad/debian-6.12"},
		{"/testsuites/testsuite[1]/@time", "9.876"},
		{"/testsuites/testsuite[1]/@timestamp", "2026-01-02T03:04:05Z"},
		{"count(/testsuites/testsuite[1]/testcase)", "4"},
		{"count(/testsuites/testsuite[1]/testcase/*)", "0"},
		{"//testsuite[1]/properties/property[@name='accel']/@value", "tcg"},
		{"//testsuite[1]/properties/property[@name='boot_ms']/@value", "6543"},
		{"//testsuite[1]/testcase[1]/@classname", "quad.debian-6_12"},
		{"//testsuite[2]/@failures", "2"},
		{"//testsuite[2]/testcase[5]/failure/@type", "FAIL"},
		{"//testsuite[2]/testcase[5]/failure/@message",
		 "MC spans other CPUs than the machine asks for"},
		{"//testsuite[2]/testcase[5]/failure",
		 "CPUs: 4-7,12\nlevel: domain1\nexpected: 4-7\nobserved: 0-15\nrule: MC: "
		 "x86_topology, cpu_coregroup_mask() (6.7 and later)\nevidence: proc/schedstat\n"},
		{"//testsuite[3]/@errors", "1"},
		{"//testsuite[3]/testcase[1]/error/@message",
		 "QEMU or libvirt died: ?]0;owned? \357\277\275\357\277\275 and \303\251"},
		{"count(//testsuite[3]/properties/property[@name='boot_ms'])", "0"},
		{"//testsuite[4]/@skipped", "1"},
		{"//testsuite[4]/@failures", "2"},
		{"//testsuite[4]/testcase[1]/skipped/@message",
		 "the kernel lacks CONFIG_ACPI_TABLE_UPGRADE # TODO \\ and more"},
		{"//testsuite[4]/testcase[2]/failure/@type", "TIMEOUT"},
		{"//testsuite[4]/testcase[3]/failure/@type", "INVALID"},
	};
	xmlDoc *doc = document((struct result *(*[])(void)){passed, failed, broken, skipped, NULL});

	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++)
		assert_xpath(doc, wanted[i][0], wanted[i][1]);
	xmlFreeDoc(doc);
}

static struct result *escapes(void)
{
	struct result *result = some_result("quad", "<kernel attr=\"&'>");

	add_check(result, "a<b", VERDICT_FAIL, "]]> & \"both\" 'quotes' \001\013\177 \xef\xbf\xbe");
	return result;
}

/* What XML gives a meaning arrives as it was; what it cannot hold at all is replaced. */
static void test_escapes(void)
{
	xmlDoc *doc = document((struct result *(*[])(void)){escapes, NULL});

	assert_xpath(doc, "//testsuite/@name", "quad/<kernel attr=\"&'>");
	assert_xpath(doc, "//testcase/@name", "a<b");
	assert_xpath(doc, "//failure/@message", "]]> & \"both\" 'quotes' ??? ?");
	g_assert_cmpint(validate(doc), ==, 0);
	xmlFreeDoc(doc);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/report/junit/valid", test_valid);
	g_test_add_func("/report/junit/invalid", test_invalid);
	g_test_add_func("/report/junit/content", test_content);
	g_test_add_func("/report/junit/escapes", test_escapes);
	return g_test_run();
}
