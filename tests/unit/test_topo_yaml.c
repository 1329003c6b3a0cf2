// SPDX-License-Identifier: GPL-2.0-only
/* The strict reader below the topology and kernel files. */
#include "base/error.h"
#include "base/yaml.h"

#include <string.h>

static struct yaml *parse(const char *text, GError **error)
{
	return yaml_parse(text, strlen(text), "f.yaml", error);
}

static void assert_parse_fails(const char *text, const char *message)
{
	g_autoptr(GError) error = NULL;
	AUTO(yaml) *yaml = parse(text, &error);

	g_assert_null(yaml);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error->message, ==, message);
}

static void test_documents(void)
{
	assert_parse_fails("", "f.yaml:1:1: the file is empty");
	assert_parse_fails("# nothing\n", "f.yaml:1:1: the file is empty");
	assert_parse_fails(
		"a: 1\n---\nb: 2\n",
		"f.yaml:3:1: a second document begins here, a file must hold exactly one");
	assert_parse_fails(
		"a: 1\n...\nb: 2\n",
		"f.yaml:3:1: a second document begins here, a file must hold exactly one");
	assert_parse_fails("a: 1\nb: 2\na: 3\n",
			   "f.yaml:3:1: key 'a' is given twice, first in line 1");
	assert_parse_fails("a: &x 1\n",
			   "f.yaml:1:4: anchors are not read here: write the value out");
	assert_parse_fails("a: 1\nb: *a\n",
			   "f.yaml:2:4: aliases are not read here: write the value out");
	assert_parse_fails("a: !!int 1\n",
			   "f.yaml:1:4: tags are not read here: write the value without one");
	assert_parse_fails("a: [&x [1]]\n",
			   "f.yaml:1:5: anchors are not read here: write the value out");
	assert_parse_fails("? [a]\n: 1\n",
			   "f.yaml:1:3: a key must be a word, not a list or mapping");
	assert_parse_fails(
		"\"a\\nb\": 1\n",
		"f.yaml:1:1: a key must be a word of at most 64 letters, digits, '-', '_' "
		"and '.'");
	assert_parse_fails("a: \"x\\0y\"\n", "f.yaml:1:4: a NUL character is written here");
	assert_parse_fails("a: 1\nb: \xc3\xa9\xff\n", "f.yaml:2:5: byte 0xff is not UTF-8 text");
}

static void test_syntax(void)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{"a: 1\nb: @x\n", "f.yaml:2:4: this is not YAML: "},
		{"a: 1\nb: \"x\n", "f.yaml:2:5: this is not YAML: "},
		{"]\n", "f.yaml:1:1: this is not YAML: "},
		{"a: [1,,2]\n", "f.yaml:1:7: this is not YAML: "},
		{"a: 1\nb\n", "f.yaml:2:1: this is not YAML: "},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(yaml) *yaml = parse(rows[i].text, &error);

		g_assert_null(yaml);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		/* The words that follow are libfyaml's. */
		g_assert_true(g_str_has_prefix(error->message, rows[i].place));
	}
}

static void test_bounds(void)
{
	g_autoptr(GString) deep = g_string_new("a: ");
	g_autoptr(GString) wide = g_string_new(NULL);
	g_autofree char *large = g_strnfill(YAML_MAX_BYTES + 1, ' ');
	AUTO(yaml) *yaml = NULL;
	g_autoptr(GError) error = NULL;

	for (int i = 0; i < YAML_MAX_DEPTH - 1; i++)
		g_string_append_c(deep, '[');
	g_string_append_c(deep, '1');
	for (int i = 0; i < YAML_MAX_DEPTH - 1; i++)
		g_string_append_c(deep, ']');
	yaml = parse(deep->str, &error);
	g_assert_no_error(error);
	g_string_insert(deep, 3, "[");
	g_string_append_c(deep, ']');
	assert_parse_fails(deep->str,
			   "f.yaml:1:19: lists and mappings are nested more than 16 deep");
	for (int i = 0; i <= YAML_MAX_KEYS; i++)
		g_string_append_printf(wide, "k%d: 1\n", i);
	assert_parse_fails(wide->str, "f.yaml:257:1: a mapping has more than 256 keys");
	assert_parse_fails(large, "f.yaml:1:1: the file has 1048577 bytes, more than 1048576");
	/* Nesting past any stack must end in our own bound, or libfyaml's. */
	memset(large, '[', YAML_MAX_BYTES);
	large[YAML_MAX_BYTES] = '\0';
	assert_parse_fails(large, "f.yaml:1:17: lists and mappings are nested more than 16 deep");
}

static void test_tree(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(yaml) *yaml = parse("one: 1\nmap: {x: \"q\", y: [3, 4]}\n", &error);
	const struct yaml_node *root, *map, *list;
	g_autofree char *path = NULL;

	g_assert_no_error(error);
	root = yaml_root(yaml);
	g_assert_cmpuint(yaml_count(root), ==, 2);
	g_assert_cmpstr(yaml_key(root, 1), ==, "map");
	g_assert_null(yaml_get(root, "two"));
	map = yaml_get(root, "map");
	g_assert_cmpint(yaml_type(map), ==, YAML_MAPPING);
	g_assert_cmpuint(yaml_line(map), ==, 2);
	list = yaml_get(map, "y");
	g_assert_true(yaml_check_list(list, &error));
	g_assert_cmpuint(yaml_count(list), ==, 2);
	path = yaml_path(yaml_item(list, 1));
	g_assert_cmpstr(path, ==, "'map.y[1]'");
	g_assert_false(yaml_check_list(map, &error));
	g_assert_cmpstr(error->message, ==, "f.yaml:2:6: 'map' must be a list, not a mapping");
}

static void test_keys(void)
{
	static const char *const allowed[] = {"a", "b", NULL};
	g_autoptr(GError) unknown = NULL;
	g_autoptr(GError) missing = NULL;
	AUTO(yaml) *yaml = parse("a: 1\nc: 2\n", NULL);

	g_assert_false(yaml_check_keys(yaml_root(yaml), allowed, &unknown));
	g_assert_cmpstr(unknown->message, ==,
			"f.yaml:2:1: key 'c' is not known here, the keys are a, b");
	g_assert_null(yaml_require(yaml_root(yaml), "b", &missing));
	g_assert_cmpstr(missing->message, ==, "f.yaml:1:1: the file lacks the key 'b'");
}

static void test_numbers(void)
{
	static const char *const bad[] = {"010",
					  "00",
					  "2 3",
					  "0x10",
					  "1e3",
					  "+1",
					  "-1",
					  "1_0",
					  "\"1\"",
					  "'1'",
					  "1.0",
					  "4294967296",
					  "1O1",
					  "257",
					  "",
					  "~",
					  "true",
					  "[1]",
					  "99999999999999999999999"};

	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *text = g_strdup_printf("n: %s\n", bad[i]);
		g_autoptr(GError) error = NULL;
		AUTO(yaml) *yaml = parse(text, &error);
		unsigned value;

		g_assert_no_error(error);
		if (yaml_unsigned(yaml_get(yaml_root(yaml), "n"), 0, 256, &value, &error))
			g_test_message("'%s' was read as %u", bad[i], value);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	}
	for (unsigned i = 0; i <= 256; i += 64) {
		g_autofree char *text = g_strdup_printf("n: %u # so\n", i);
		AUTO(yaml) *yaml = parse(text, NULL);
		unsigned value = 1;

		g_assert_true(yaml_unsigned(yaml_get(yaml_root(yaml), "n"), 0, 256, &value, NULL));
		g_assert_cmpuint(value, ==, i);
	}
}

static void test_number_message(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(yaml) *yaml = parse("cpu:\n  family: 010\n", NULL);
	unsigned value;

	g_assert_false(yaml_unsigned(yaml_get(yaml_get(yaml_root(yaml), "cpu"), "family"), 1, 255,
				     &value, &error));
	g_assert_cmpstr(error->message, ==,
			"f.yaml:2:11: 'cpu.family' must be a number from 1 to 255 in plain digits, "
			"not '010'");
}

/* 41 characters of two bytes each are cut after the 40th, never within one. */
static void test_long_value(void)
{
	g_autoptr(GString) text = g_string_new("n: ");
	g_autoptr(GString) expected = g_string_new("f.yaml:1:4: 'n' must be 1 or 2, not '");
	g_autoptr(GError) error = NULL;
	AUTO(yaml) *yaml = NULL;

	for (int i = 0; i < 41; i++)
		g_string_append(text, "\xc3\xa9");
	for (int i = 0; i < 40; i++)
		g_string_append(expected, "\xc3\xa9");
	g_string_append_c(expected, '\'');
	yaml = parse(text->str, NULL);
	g_assert_false(yaml_wrong(yaml_get(yaml_root(yaml), "n"), &error, "%d or %d", 1, 2));
	g_assert_cmpstr(error->message, ==, expected->str);
}

static void test_sizes(void)
{
	static const struct {
		const char *text;
		unsigned mib; /* 0: refused */
	} rows[] = {{"256M", 256}, {"4G", 4096}, {"1M", 1},	  {"0M", 0},   {"256", 0},
		    {"256MB", 0},  {"M", 0},	 {"0256M", 0},	  {"1T", 0},   {"4194304G", 0},
		    {"-1M", 0},	   {"1 M", 0},	 {"\"256M\"", 0}, {"1.5G", 0}, {"", 0}};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strdup_printf("n: %s\n", rows[i].text);
		AUTO(yaml) *yaml = parse(text, NULL);
		unsigned mib = 0;

		g_assert_nonnull(yaml);
		g_assert_true(yaml_size_mib(yaml_get(yaml_root(yaml), "n"), 1, 1u << 20, &mib,
					    NULL) == (rows[i].mib != 0));
		if (rows[i].mib)
			g_assert_cmpuint(mib, ==, rows[i].mib);
	}
}

static void test_texts(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(yaml) *yaml = parse("name: nps4-mini\nbad: Ünps4\nempty:\ntext: \"a: b\"\n", NULL);
	const struct yaml_node *root = yaml_root(yaml);

	g_assert_cmpstr(yaml_name(yaml_get(root, "name"), NULL), ==, "nps4-mini");
	g_assert_cmpstr(yaml_text(yaml_get(root, "text"), NULL), ==, "a: b");
	g_assert_null(yaml_name(yaml_get(root, "bad"), &error));
	g_assert_cmpstr(
		error->message, ==,
		"f.yaml:2:6: 'bad' must be a name of at most 64 lower case letters, digits, "
		"'-' and '.', not 'Ünps4'");
	g_clear_error(&error);
	g_assert_null(yaml_text(yaml_get(root, "empty"), &error));
	/* libfyaml puts what is not there at its key (0.7) or behind it (0.9). */
	g_assert_true(g_str_has_prefix(error->message, "f.yaml:3:"));
	g_assert_true(g_str_has_suffix(error->message, ": 'empty' has no value, it must be text"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/yaml/documents", test_documents);
	g_test_add_func("/yaml/syntax", test_syntax);
	g_test_add_func("/yaml/bounds", test_bounds);
	g_test_add_func("/yaml/tree", test_tree);
	g_test_add_func("/yaml/keys", test_keys);
	g_test_add_func("/yaml/numbers", test_numbers);
	g_test_add_func("/yaml/number-message", test_number_message);
	g_test_add_func("/yaml/long-value", test_long_value);
	g_test_add_func("/yaml/sizes", test_sizes);
	g_test_add_func("/yaml/texts", test_texts);
	return g_test_run();
}
