// SPDX-License-Identifier: GPL-2.0-only
#include "observe/ktap.h"

#include <string.h>

enum directive { NONE, SKIP, XFAIL, BROKEN };

/* Tests of one indentation under one version line. */
struct group {
	unsigned indent;
	gint64 plan; /* -1: none was said */
	guint n;     /* results so far */
	/* Where @failed and @skipped began: what came since is below the next result. */
	guint first_failed, first_skipped;
	bool has_subtests; /* since the last result */
};

struct parser {
	struct ktap *ktap;
	struct group groups[KTAP_DEPTH_MAX];
	unsigned depth; /* groups that are open */
	guint n_results;
};

static void problem(struct parser *parser, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The first one counts: those after it may follow from it. */
static void problem(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	if (parser->ktap->problem)
		return;
	va_start(arguments, format);
	parser->ktap->problem = g_strdup_vprintf(format, arguments);
	va_end(arguments);
}

static struct group *innermost(struct parser *parser)
{
	return parser->depth ? &parser->groups[parser->depth - 1] : NULL;
}

static void group_mark(struct parser *parser, struct group *group)
{
	group->first_failed = parser->ktap->failed->len;
	group->first_skipped = parser->ktap->skipped->len;
	group->has_subtests = false;
}

static void group_open(struct parser *parser, unsigned indent)
{
	struct group *parent = innermost(parser), *group;

	if (parser->depth == KTAP_DEPTH_MAX) {
		problem(parser, "subtests more than %d deep", KTAP_DEPTH_MAX);
		return;
	}
	if (parent)
		parent->has_subtests = true;
	group = &parser->groups[parser->depth++];
	*group = (struct group){.indent = indent, .plan = -1};
	group_mark(parser, group);
}

/* @what: "the report" or the name of a test whose subtests these are. */
static void group_check(struct parser *parser, const struct group *group, const char *what)
{
	if (group->plan >= 0 && (gint64)group->n < group->plan)
		problem(parser, "%s has %u results where %" G_GINT64_FORMAT " were planned", what,
			group->n, group->plan);
	else if (group->plan >= 0 && (gint64)group->n > group->plan)
		problem(parser, "%s has %u results where only %" G_GINT64_FORMAT " were planned",
			what, group->n, group->plan);
}

/* Text that may stand in a sentence of ours; never empty. */
static char *clean_name(const char *text, gsize length)
{
	g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);
	g_autofree char *cut =
		g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), KTAP_NAME_MAX));

	for (char *p = cut; *p; p++)
		if (g_ascii_iscntrl(*p) || *p == '/')
			*p = '_';
	g_strstrip(cut);
	return *cut ? g_steal_pointer(&cut) : g_strdup("(unnamed)");
}

static bool takes_word(const char **text, const char *end, const char *word)
{
	gsize length = strlen(word);

	if ((gsize)(end - *text) < length || g_ascii_strncasecmp(*text, word, length) != 0 ||
	    (*text + length < end && g_ascii_isalnum((*text)[length])))
		return false;
	*text += length;
	return true;
}

static const char *skip_blanks(const char *text, const char *end)
{
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	return text;
}

/* Behind the '#'; moves @text behind the directive. */
static enum directive take_directive(const char **text, const char *end)
{
	static const struct {
		const char *word;
		enum directive directive;
	} words[] = {
		{"SKIP", SKIP},
		{"SKIPPED", SKIP},
		{"XFAIL", XFAIL},
		/* TAP's own word for it; no to-do of ours. */
		{"TO"
		 "DO",
		 XFAIL},
		{"TIMEOUT", BROKEN},
		{"ERROR", BROKEN},
	};

	*text = skip_blanks(*text, end);
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (takes_word(text, end, words[i].word))
			return words[i].directive;
	return NONE;
}

/* The '#' that ends a description: at its beginning or behind a blank. */
static const char *find_hash(const char *text, const char *end)
{
	for (const char *p = text; p < end; p++)
		if (*p == '#' && (p == text || p[-1] == ' ' || p[-1] == '\t'))
			return p;
	return NULL;
}

static bool take_number(const char **text, const char *end, gint64 *number)
{
	const char *p = *text;

	*number = 0;
	while (p < end && g_ascii_isdigit(*p) && *number < G_MAXINT32)
		*number = *number * 10 + (*p++ - '0');
	if (p == *text)
		return false;
	*text = p;
	return true;
}

/* Names that were added since @first lie below @parent. */
static void put_below(GPtrArray *names, guint first, const char *parent)
{
	for (guint i = first; i < names->len; i++) {
		char *name = names->pdata[i];

		names->pdata[i] = g_strconcat(parent, "/", name, NULL);
		g_free(name);
	}
}

static void take_leaf(struct parser *parser, const char *name, bool ok, enum directive directive)
{
	struct ktap *ktap = parser->ktap;

	if (directive == SKIP)
		g_ptr_array_add(ktap->skipped, g_strdup(name));
	else if (directive == BROKEN || (!ok && directive != XFAIL))
		g_ptr_array_add(ktap->failed, g_strdup(name));
	else if (directive == XFAIL)
		ktap->n_xfailed++;
	else
		ktap->n_passed++;
}

/* A result of a test that had subtests: they tell more than it does. */
static void take_parent(struct parser *parser, struct group *group, const char *name, bool ok,
			enum directive directive)
{
	struct ktap *ktap = parser->ktap;
	bool told = ktap->failed->len > group->first_failed;

	put_below(ktap->failed, group->first_failed, name);
	put_below(ktap->skipped, group->first_skipped, name);
	if (!told && (directive == BROKEN || (!ok && directive != XFAIL && directive != SKIP)))
		g_ptr_array_add(ktap->failed, g_strdup(name));
}

static void take_result(struct parser *parser, struct group *group, const char *text,
			const char *end, bool ok)
{
	const char *hash, *behind;
	enum directive directive;
	gint64 number;
	g_autofree char *name = NULL;

	group->n++;
	text = skip_blanks(text, end);
	if (!take_number(&text, end, &number))
		problem(parser, "result %u has no number", group->n);
	else if (number != group->n)
		problem(parser, "result %" G_GINT64_FORMAT " stands where result %u belongs",
			number, group->n);
	text = skip_blanks(text, end);
	if (text + 1 < end && text[0] == '-' && text[1] == ' ')
		text = skip_blanks(text + 1, end);
	hash = find_hash(text, end);
	behind = hash ? hash + 1 : end;
	directive = take_directive(&behind, end);
	/* kselftest.h prints the name behind the directive: "ok 3 # SKIP test_cpucg_nice". */
	if (hash && skip_blanks(text, hash) == hash)
		name = clean_name(behind, (gsize)(end - behind));
	else
		name = clean_name(text, (gsize)((hash ? hash : end) - text));
	if (group->has_subtests)
		take_parent(parser, group, name, ok, directive);
	else
		take_leaf(parser, name, ok, directive);
	group_mark(parser, group);
}

/* Closes the groups that lie deeper than @indent: their parent has its result now. */
static void close_deeper(struct parser *parser, unsigned indent)
{
	while (parser->depth > 1 && innermost(parser)->indent > indent) {
		group_check(parser, innermost(parser), "a test");
		parser->depth--;
	}
}

static void line_result(struct parser *parser, unsigned indent, const char *text, const char *end,
			bool ok)
{
	struct group *group;

	if (parser->depth == 0 && indent == 0)
		group_open(parser, 0);
	if (parser->depth == 0)
		return;
	if (++parser->n_results > KTAP_RESULTS_MAX) {
		problem(parser, "more than %u results", KTAP_RESULTS_MAX);
		return;
	}
	close_deeper(parser, indent);
	group = innermost(parser);
	/* Deeper than any open group: nobody announced a subtest, so it is a line of no form. */
	if (indent <= group->indent)
		take_result(parser, group, text, end, ok);
}

static void line_plan(struct parser *parser, unsigned indent, gint64 plan)
{
	struct group *group;

	if (parser->depth == 0 && indent == 0)
		group_open(parser, 0);
	close_deeper(parser, indent);
	group = innermost(parser);
	if (!group || indent > group->indent)
		return;
	if (group->plan >= 0)
		problem(parser, "a second plan");
	group->plan = plan;
}

static void line_version(struct parser *parser, unsigned indent)
{
	close_deeper(parser, indent);
	if (parser->depth == 0 || indent > innermost(parser)->indent)
		group_open(parser, indent);
	else if (innermost(parser)->plan >= 0 || innermost(parser)->n > 0)
		problem(parser, "a second report begins");
}

static bool begins(const char *text, const char *end, const char *word)
{
	return (gsize)(end - text) >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static bool is_version(const char *text, const char *end)
{
	return begins(text, end, "KTAP version ") || begins(text, end, "TAP version ");
}

static void parse_line(struct parser *parser, const char *text, const char *end)
{
	const char *begin = skip_blanks(text, end), *rest = begin;
	unsigned indent = (unsigned)MIN(begin - text, G_MAXINT);
	gint64 plan;

	while (end > begin && g_ascii_isspace(end[-1]))
		end--;
	if (begins(begin, end, "Bail out!")) {
		problem(parser, "it bailed out");
	} else if (is_version(begin, end)) {
		line_version(parser, indent);
	} else if (begins(begin, end, "1..")) {
		rest += 3;
		if (take_number(&rest, end, &plan) &&
		    (rest == end || *rest == ' ' || *rest == '\t'))
			line_plan(parser, indent, plan);
	} else if (begins(begin, end, "# Subtest:")) {
		/* KUnit before 6.3 and TAP 14 begin a subtest so, with or without a version. */
		if (indent > 0)
			line_version(parser, indent);
	} else if (begins(begin, end, "not ok ")) {
		line_result(parser, indent, begin + 7, end, false);
	} else if (begins(begin, end, "ok ")) {
		line_result(parser, indent, begin + 3, end, true);
	}
}

static void parse_end(struct parser *parser)
{
	const struct group *top = &parser->groups[0];

	if (parser->depth == 0) {
		problem(parser, "there is no KTAP in it");
		return;
	}
	if (parser->depth > 1)
		problem(parser, "it ends inside the subtests of a test");
	group_check(parser, top, "it");
	parser->ktap->planned = top->plan >= 0;
}

struct ktap *ktap_parse(const char *text, gsize length)
{
	struct ktap *ktap = g_new0(struct ktap, 1);
	struct parser parser = {.ktap = ktap};
	const char *end = text + length;

	ktap->failed = g_ptr_array_new_with_free_func(g_free);
	ktap->skipped = g_ptr_array_new_with_free_func(g_free);
	while (text < end) {
		const char *newline = memchr(text, '\n', (gsize)(end - text));

		parse_line(&parser, text, newline ? newline : end);
		text = newline ? newline + 1 : end;
	}
	parse_end(&parser);
	return ktap;
}

void ktap_free(struct ktap *ktap)
{
	if (!ktap)
		return;
	g_ptr_array_unref(ktap->failed);
	g_ptr_array_unref(ktap->skipped);
	g_free(ktap->problem);
	g_free(ktap);
}
