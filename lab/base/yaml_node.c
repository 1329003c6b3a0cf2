// SPDX-License-Identifier: GPL-2.0-only
#include "base/yaml_node.h"

#include <string.h>

#define MAX_NAME_BYTES 64u
#define MAX_SHOWN      40 /* characters of a value that a message quotes */

bool yaml_error(const struct yaml_node *node, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	yaml_set_error(node->yaml->file, node->line, node->column, text, error);
	return false;
}

const struct yaml_node *yaml_root(const struct yaml *yaml)
{
	return yaml->root;
}

enum yaml_type yaml_type(const struct yaml_node *node)
{
	return node->type;
}

unsigned yaml_line(const struct yaml_node *node)
{
	return node->line;
}

unsigned yaml_count(const struct yaml_node *node)
{
	return node->items ? node->items->len : 0;
}

const struct yaml_node *yaml_item(const struct yaml_node *node, unsigned i)
{
	return g_ptr_array_index(node->items, i);
}

const struct yaml_node *yaml_key_node(const struct yaml_node *node, unsigned i)
{
	return g_ptr_array_index(node->keys, i);
}

const char *yaml_key(const struct yaml_node *node, unsigned i)
{
	return yaml_key_node(node, i)->text;
}

const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key)
{
	if (node->type != YAML_MAPPING)
		return NULL;
	for (unsigned i = 0; i < yaml_count(node); i++)
		if (strcmp(yaml_key(node, i), key) == 0)
			return yaml_item(node, i);
	return NULL;
}

static void path_append(GString *path, const struct yaml_node *node)
{
	const struct yaml_node *parent = node->parent;

	if (!parent)
		return;
	path_append(path, parent);
	for (unsigned i = 0; i < yaml_count(parent); i++) {
		if (yaml_item(parent, i) != node)
			continue;
		if (parent->type == YAML_LIST)
			g_string_append_printf(path, "[%u]", i);
		else
			g_string_append_printf(path, "%s%s", path->len ? "." : "",
					       yaml_key(parent, i));
	}
}

char *yaml_path(const struct yaml_node *node)
{
	GString *path = g_string_new(NULL);

	path_append(path, node);
	if (path->len)
		g_string_append_c(g_string_prepend_c(path, '\''), '\'');
	else
		g_string_append(path, "the file");
	return g_string_free(path, FALSE);
}

/* What to quote of a value: its first line, not cut within a character. */
static char *excerpt(const char *text)
{
	glong length = g_utf8_strlen(text, -1);
	char *shown = g_utf8_substring(text, 0, MIN(length, MAX_SHOWN));

	for (char *p = shown; *p; p++) {
		if (g_ascii_iscntrl(*p)) {
			*p = '\0';
			break;
		}
	}
	return shown;
}

static const char *type_name(const struct yaml_node *node)
{
	switch (node->type) {
	case YAML_SCALAR:
		return *node->text ? "a single value" : "nothing";
	case YAML_LIST:
		return "a list";
	case YAML_MAPPING:
		return "a mapping";
	}
	return "nothing";
}

static bool check_type(const struct yaml_node *node, enum yaml_type type, const char *wanted,
		       GError **error)
{
	g_autofree char *path = NULL;

	if (node->type == type)
		return true;
	path = yaml_path(node);
	return yaml_error(node, error, "%s must be %s, not %s", path, wanted, type_name(node));
}

bool yaml_check_list(const struct yaml_node *node, GError **error)
{
	return check_type(node, YAML_LIST, "a list", error);
}

bool yaml_check_keys(const struct yaml_node *node, const char *const *allowed, GError **error)
{
	if (!check_type(node, YAML_MAPPING, "a mapping", error))
		return false;
	for (unsigned i = 0; i < yaml_count(node); i++) {
		g_autoptr(GString) known = NULL;

		if (g_strv_contains(allowed, yaml_key(node, i)))
			continue;
		known = g_string_new(allowed[0]);
		for (unsigned k = 1; allowed[0] && allowed[k]; k++)
			g_string_append_printf(known, ", %s", allowed[k]);
		return yaml_error(yaml_key_node(node, i), error,
				  "key '%s' is not known here, the keys are %s", yaml_key(node, i),
				  known->str);
	}
	return true;
}

const struct yaml_node *yaml_require(const struct yaml_node *node, const char *key, GError **error)
{
	const struct yaml_node *value = yaml_get(node, key);

	if (!value) {
		g_autofree char *path = yaml_path(node);

		yaml_error(node, error, "%s lacks the key '%s'", path, key);
	}
	return value;
}

/* A scalar that is not empty; quotes are part of what the caller may refuse. */
static bool check_scalar(const struct yaml_node *node, const char *wanted, GError **error)
{
	g_autofree char *path = NULL;

	if (!check_type(node, YAML_SCALAR, wanted, error))
		return false;
	if (*node->text)
		return true;
	path = yaml_path(node);
	return yaml_error(node, error, "%s has no value, it must be %s", path, wanted);
}

/* Reads "0" or digits without a leading zero; false on anything else, also past G_MAXUINT. */
static bool digits_read(const char *text, gsize length, unsigned *value)
{
	guint64 sum = 0;

	if (length == 0 || (length > 1 && text[0] == '0'))
		return false;
	for (gsize i = 0; i < length; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		sum = sum * 10 + (guint64)(text[i] - '0');
		if (sum > G_MAXUINT)
			return false;
	}
	*value = (unsigned)sum;
	return true;
}

bool yaml_wrong(const struct yaml_node *node, GError **error, const char *format, ...)
{
	g_autofree char *path = yaml_path(node);
	g_autofree char *shown = excerpt(node->text);
	g_autofree char *wanted = NULL;
	va_list args;

	va_start(args, format);
	wanted = g_strdup_vprintf(format, args);
	va_end(args);
	return yaml_error(node, error, "%s must be %s, not %s'%s'", path, wanted,
			  node->plain ? "" : "the quoted text ", shown);
}

bool yaml_unsigned(const struct yaml_node *node, unsigned min, unsigned max, unsigned *value,
		   GError **error)
{
	if (!check_scalar(node, "a number", error))
		return false;
	if (node->plain && digits_read(node->text, strlen(node->text), value) && *value >= min &&
	    *value <= max)
		return true;
	return yaml_wrong(node, error, "a number from %u to %u in plain digits", min, max);
}

bool yaml_size_mib(const struct yaml_node *node, unsigned min, unsigned max, unsigned *mib,
		   GError **error)
{
	unsigned number;
	gsize length;

	if (!check_scalar(node, "a size such as 256M", error))
		return false;
	length = strlen(node->text);
	if (node->plain && digits_read(node->text, length - 1, &number)) {
		guint64 size = number;

		if (node->text[length - 1] == 'G')
			size *= 1024;
		if ((node->text[length - 1] == 'G' || node->text[length - 1] == 'M') &&
		    size >= min && size <= max) {
			*mib = (unsigned)size;
			return true;
		}
	}
	return yaml_wrong(node, error, "a size from %uM to %uM such as 256M or 4G", min, max);
}

const char *yaml_text(const struct yaml_node *node, GError **error)
{
	return check_scalar(node, "text", error) ? node->text : NULL;
}

const char *yaml_name(const struct yaml_node *node, GError **error)
{
	const char *text;
	gsize length;

	if (!check_scalar(node, "a name", error))
		return NULL;
	text = node->text;
	length = strlen(text);
	if (g_ascii_isalnum(text[0]) && length <= MAX_NAME_BYTES &&
	    strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") == length)
		return text;
	yaml_wrong(node, error, "a name of at most %u lower case letters, digits, '-' and '.'",
		   MAX_NAME_BYTES);
	return NULL;
}

char *yaml_quoted(const char *text)
{
	char beyond_ascii[129] = {0};
	g_autofree char *escaped = NULL;

	for (unsigned i = 0; i < 128; i++)
		beyond_ascii[i] = (char)(128 + i);
	escaped = g_strescape(text, beyond_ascii);
	return g_strdup_printf("\"%s\"", escaped);
}

/* What is a number, a size or a name keeps meaning that only without quotes. */
static void scalar_write(const struct yaml_node *node, GString *text)
{
	bool bare = node->plain && *node->text;
	g_autofree char *quoted = yaml_quoted(node->text);

	for (const char *p = node->text; *p && bare; p++)
		bare = g_ascii_isalnum(*p) || (strchr("._/+", *p) != NULL) ||
		       (*p == '-' && p > node->text);
	g_string_append(text, bare ? node->text : quoted);
}

void yaml_write(const struct yaml_node *node, GString *text)
{
	if (node->type == YAML_SCALAR) {
		scalar_write(node, text);
		return;
	}
	g_string_append_c(text, node->type == YAML_LIST ? '[' : '{');
	for (unsigned i = 0; i < yaml_count(node); i++) {
		if (i)
			g_string_append(text, ", ");
		if (node->type == YAML_MAPPING)
			g_string_append_printf(text, "%s: ", yaml_key(node, i));
		yaml_write(yaml_item(node, i), text);
	}
	g_string_append_c(text, node->type == YAML_LIST ? ']' : '}');
}
