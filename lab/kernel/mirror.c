// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/mirror.h"

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

/* One entry of a sources file, whatever its form; every list is of words. */
struct entry {
	char **types, **uris, **suites, **components, **architectures;
	bool disabled;
};

static void entry_clear(struct entry *entry)
{
	g_strfreev(entry->types);
	g_strfreev(entry->uris);
	g_strfreev(entry->suites);
	g_strfreev(entry->components);
	g_strfreev(entry->architectures);
	*entry = (struct entry){0};
}

static char **words_of(const char *text)
{
	g_auto(GStrv) parts = g_strsplit_set(text, " \t\r\n", -1);
	GStrvBuilder *builder = g_strv_builder_new();
	char **words;

	for (unsigned i = 0; parts[i]; i++)
		if (*parts[i])
			g_strv_builder_add(builder, parts[i]);
	words = g_strv_builder_end(builder);
	g_strv_builder_unref(builder);
	return words;
}

static bool has_word(char **words, const char *word)
{
	return words && g_strv_contains((const char *const *)words, word);
}

/*
 * @uri without slashes at its end, or NULL. Other vendors use Debian's suite names and components
 * too; Debian's own archive is .../debian, .../debian-security or a list of mirrors named like
 * that.
 */
static char *debian_uri(const char *uri)
{
	gsize length = strlen(uri);
	g_autofree char *trimmed = NULL;
	const char *last;

	while (length && uri[length - 1] == '/')
		length--;
	trimmed = g_strndup(uri, length);
	last = strrchr(trimmed, '/');
	if (!last || !g_str_has_prefix(last, "/debian") || g_str_has_prefix(uri, "cdrom:"))
		return NULL;
	return g_steal_pointer(&trimmed);
}

/* The entry's first usable URI when it is about binary packages of @suite, else NULL. */
static char *entry_match(const struct entry *entry, const char *suite)
{
	char *uri = NULL;

	if (entry->disabled || !has_word(entry->types, "deb") || !has_word(entry->suites, suite) ||
	    !has_word(entry->components, "main"))
		return NULL;
	if (entry->architectures && *entry->architectures &&
	    !has_word(entry->architectures, "amd64"))
		return NULL;
	for (unsigned i = 0; entry->uris && entry->uris[i] && !uri; i++)
		uri = debian_uri(entry->uris[i]);
	return uri;
}

/* The words apt takes for "no" (StringToBool() in its strutl.cc). */
static bool is_no(const char *value)
{
	static const char *const no[] = {"no", "false", "without", "off", "disable", "0"};

	for (unsigned i = 0; i < G_N_ELEMENTS(no); i++)
		if (g_ascii_strcasecmp(value, no[i]) == 0)
			return true;
	return false;
}

static void replace_words(char ***words, const char *text)
{
	g_strfreev(*words);
	*words = words_of(text);
}

static void deb822_field(struct entry *entry, const char *name, const char *value)
{
	if (g_ascii_strcasecmp(name, "Types") == 0)
		replace_words(&entry->types, value);
	else if (g_ascii_strcasecmp(name, "URIs") == 0)
		replace_words(&entry->uris, value);
	else if (g_ascii_strcasecmp(name, "Suites") == 0)
		replace_words(&entry->suites, value);
	else if (g_ascii_strcasecmp(name, "Components") == 0)
		replace_words(&entry->components, value);
	else if (g_ascii_strcasecmp(name, "Architectures") == 0)
		replace_words(&entry->architectures, value);
	else if (g_ascii_strcasecmp(name, "Enabled") == 0)
		entry->disabled = is_no(value);
}

/* @field: "Name: value", continuation lines already appended. */
static void deb822_end_field(struct entry *entry, GString *field)
{
	char *colon = strchr(field->str, ':');

	if (colon) {
		*colon = '\0';
		deb822_field(entry, g_strchomp(field->str), g_strstrip(colon + 1));
	}
	g_string_truncate(field, 0);
}

static char *parse_deb822(char **lines, const char *suite)
{
	struct entry entry = {0};
	GString *field = g_string_new(NULL);
	char *uri = NULL;

	for (unsigned i = 0; !uri; i++) {
		const char *line = lines[i];
		bool blank = line && strspn(line, " \t\r") == strlen(line);

		if (line && *line == '#')
			continue;
		if (line && !blank && g_ascii_isspace(*line)) {
			g_string_append(field, line);
			continue;
		}
		deb822_end_field(&entry, field);
		if (!line || blank) {
			uri = entry_match(&entry, suite);
			entry_clear(&entry);
		}
		if (!line)
			break;
		g_string_assign(field, line);
	}
	entry_clear(&entry);
	g_string_free(field, TRUE);
	return uri;
}

/* "arch=amd64,arm64 signed-by=/x": only the architectures matter here. */
static void one_line_options(struct entry *entry, const char *text)
{
	g_auto(GStrv) options = words_of(text);

	for (unsigned i = 0; options[i]; i++) {
		if (!g_str_has_prefix(options[i], "arch="))
			continue;
		g_strfreev(entry->architectures);
		entry->architectures = g_strsplit(options[i] + strlen("arch="), ",", -1);
	}
}

static char *match_one_line(char *line, const char *suite)
{
	struct entry entry = {0};
	g_auto(GStrv) words = NULL;
	char *comment = strchr(line, '#'), *open, *close, *uri = NULL;

	if (comment)
		*comment = '\0';
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	/* Brackets inside a word are a CD-ROM's name. */
	if (close && open > line && g_ascii_isspace(open[-1])) {
		*close = '\0';
		one_line_options(&entry, open + 1);
		memset(open, ' ', (gsize)(close - open) + 1);
	}
	words = words_of(line);
	if (g_strv_length(words) > 3) {
		entry.types = words_of(words[0]);
		entry.uris = words_of(words[1]);
		entry.suites = words_of(words[2]);
		entry.components = g_strdupv(words + 3);
		uri = entry_match(&entry, suite);
	}
	entry_clear(&entry);
	return uri;
}

char *mirror_parse(const char *text, enum mirror_form form, const char *suite)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	char *uri = NULL;

	if (form == MIRROR_DEB822)
		return parse_deb822(lines, suite);
	for (unsigned i = 0; lines[i] && !uri; i++)
		uri = match_one_line(lines[i], suite);
	return uri;
}

char *mirror_security_of(const char *uri)
{
	return g_str_has_suffix(uri, "/debian") ? g_strconcat(uri, "-security", NULL) : NULL;
}

static char *read_os_release(struct root *root, const char *key)
{
	g_autofree char *text = root_read(root, NULL, "etc/os-release");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(lines[i], "=", 2);

		if (pair[0] && pair[1] && strcmp(pair[0], key) == 0)
			return g_shell_unquote(pair[1], NULL);
	}
	return NULL;
}

static char *search_system(struct root *root, const char *suite)
{
	g_autofree char *main_list = root_read(root, NULL, "etc/apt/sources.list");
	g_auto(GStrv) names = root_list(root, "etc/apt/sources.list.d");
	char *uri = main_list ? mirror_parse(main_list, MIRROR_ONE_LINE, suite) : NULL;

	for (unsigned i = 0; names && names[i] && !uri; i++) {
		bool deb822 = g_str_has_suffix(names[i], ".sources");
		g_autofree char *text = NULL;

		if (!deb822 && !g_str_has_suffix(names[i], ".list"))
			continue;
		text = root_read(root, NULL, "etc/apt/sources.list.d/%s", names[i]);
		if (text)
			uri = mirror_parse(text, deb822 ? MIRROR_DEB822 : MIRROR_ONE_LINE, suite);
	}
	return uri;
}

/* A derivative's codename and "stable" name other archives than Debian's. */
static bool is_debian(struct root *root)
{
	g_autofree char *id = read_os_release(root, "ID");

	return id && strcmp(id, "debian") == 0;
}

/* The mirror of the suite that the system itself is installed from. */
static char *system_mirror(struct root *root)
{
	g_autofree char *codename = read_os_release(root, "VERSION_CODENAME");
	const char *const names[] = {codename, "stable", "oldstable"};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		char *uri = names[i] ? search_system(root, names[i]) : NULL;

		if (uri)
			return uri;
	}
	return NULL;
}

/* A system takes its security updates from one place, whatever its release. */
static char *system_security_mirror(struct root *root)
{
	g_autofree char *codename = read_os_release(root, "VERSION_CODENAME");
	g_autofree char *suite = g_strdup_printf("%s-security", codename ? codename : "stable");

	return search_system(root, suite);
}

static char *mirror_from_environment(const char *value, GError **error)
{
	gsize length = strlen(value);

	if (!strstr(value, "://") || strpbrk(value, " \t\r\n")) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "TOPOLAB_MIRROR is '%s', which is not a URI such as "
			    "'http://mirror.example/debian'",
			    value);
		return NULL;
	}
	while (length && value[length - 1] == '/')
		length--;
	return g_strndup(value, length);
}

char *mirror_find(struct root *root, const char *suite, GError **error)
{
	const char *chosen = g_getenv("TOPOLAB_MIRROR");
	bool security = g_str_has_suffix(suite, "-security");
	g_autofree char *mirror = NULL;
	char *uri;

	if (chosen && *chosen) {
		mirror = mirror_from_environment(chosen, error);
		if (!mirror)
			return NULL;
	} else {
		uri = is_debian(root) ? search_system(root, suite) : NULL;
		if (!uri && security && is_debian(root))
			uri = system_security_mirror(root);
		if (uri)
			return uri;
		mirror = is_debian(root) ? system_mirror(root) : NULL;
	}
	if (mirror && !security)
		return g_steal_pointer(&mirror);
	uri = mirror ? mirror_security_of(mirror) : NULL;
	if (!uri)
		g_set_error(
			error, TOPOLAB_ERROR, ERROR_LAB,
			"this system's package sources name no Debian mirror that has '%s'; name "
			"one in TOPOLAB_MIRROR",
			suite);
	return uri;
}
