// SPDX-License-Identifier: GPL-2.0-only
#include "base/kernel_facts.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_facts {
	char *release;
	unsigned version;
	GHashTable *config; /* symbol -> value; NULL while the config is unknown */
	bool excerpt;	    /* only symbols of kept_prefixes are known */
};

/* The first line of an excerpt. */
#define EXCERPT "# What topology code depends on, of a larger config"

/*
 * What topology code depends on. A config has thousands of symbols; a result carries these, so that
 * it can be judged again.
 */
static const char *const kept_prefixes[] = {
	"SCHED_", "NUMA", "SMP", "NR_CPUS", "ACPI_TABLE_UPGRADE", "X86_X2APIC", "AMD_NUMA",
};

/*
 * Written even when not set, because what was not kept reads as unknown. Of a prefix added to the
 * list above, excerpts that were written before would say that nothing of it is set.
 */
static const char *const told_symbols[] = {"SCHEDSTATS", "NO_HZ_FULL"};

static bool symbol_is_kept(const char *symbol)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kept_prefixes); i++)
		if (g_str_has_prefix(symbol, kept_prefixes[i]))
			return true;
	return false;
}

/* Rejects what would overflow a field of KERNEL_VERSION_OF(). */
static bool version_parse(const char *release, unsigned *version)
{
	unsigned major, minor, patch = 0;
	int n = sscanf(release, "%4u.%4u.%4u", &major, &minor, &patch);

	if (n < 2 || major > 1023 || minor > 1023 || patch > 1023)
		return false;
	*version = KERNEL_VERSION_OF(major, minor, n == 3 ? patch : 0);
	return true;
}

struct kernel_facts *kernel_facts_new(const char *release, GError **error)
{
	struct kernel_facts *facts;
	unsigned version;

	if (!version_parse(release, &version)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "kernel release '%.80s' does not begin with a version such as 6.12.117",
			    release);
		return NULL;
	}
	facts = g_rc_box_new0(struct kernel_facts);
	facts->release = g_strdup(release);
	facts->version = version;
	return facts;
}

struct kernel_facts *kernel_facts_ref(struct kernel_facts *facts)
{
	return g_rc_box_acquire(facts);
}

static void kernel_facts_clear(gpointer data)
{
	struct kernel_facts *facts = data;

	g_free(facts->release);
	g_clear_pointer(&facts->config, g_hash_table_unref);
}

void kernel_facts_unref(struct kernel_facts *facts)
{
	if (facts)
		g_rc_box_release_full(facts, kernel_facts_clear);
}

static void config_line_read(GHashTable *config, const char *line)
{
	const char *equals;

	if (!g_str_has_prefix(line, "CONFIG_"))
		return;
	equals = strchr(line, '=');
	if (equals)
		g_hash_table_replace(config,
				     g_strndup(line + strlen("CONFIG_"),
					       (gsize)(equals - line) - strlen("CONFIG_")),
				     g_strchomp(g_strdup(equals + 1)));
}

void kernel_facts_set_config(struct kernel_facts *facts, const char *config_text)
{
	g_auto(GStrv) lines = g_strsplit(config_text, "\n", -1);

	g_clear_pointer(&facts->config, g_hash_table_unref);
	facts->excerpt = g_str_has_prefix(config_text, EXCERPT);
	facts->config = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (unsigned i = 0; lines[i]; i++)
		config_line_read(facts->config, lines[i]);
}

const char *kernel_facts_release(const struct kernel_facts *facts)
{
	return facts->release;
}

unsigned kernel_facts_version(const struct kernel_facts *facts)
{
	return facts->version;
}

bool kernel_facts_config_known(const struct kernel_facts *facts)
{
	return facts->config != NULL;
}

const char *kernel_facts_config(const struct kernel_facts *facts, const char *symbol)
{
	const char *value;

	if (!facts->config)
		return NULL;
	value = g_hash_table_lookup(facts->config, symbol);
	if (!value && facts->excerpt && !symbol_is_kept(symbol))
		return NULL;
	return value ? value : "n";
}

static int compare_symbols(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *kernel_facts_config_text(const struct kernel_facts *facts)
{
	g_autofree char **symbols = NULL;
	GString *text;
	guint n;

	if (!facts->config)
		return NULL;
	text = g_string_new(EXCERPT "\n");
	symbols = (char **)g_hash_table_get_keys_as_array(facts->config, &n);
	if (n)
		qsort(symbols, n, sizeof(*symbols), compare_symbols);
	for (guint i = 0; i < n; i++) {
		if (!symbol_is_kept(symbols[i]))
			continue;
		g_string_append_printf(text, "CONFIG_%s=%s\n", symbols[i],
				       (char *)g_hash_table_lookup(facts->config, symbols[i]));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(told_symbols); i++) {
		const char *value = kernel_facts_config(facts, told_symbols[i]);

		if (value)
			g_string_append_printf(text, "CONFIG_%s=%s\n", told_symbols[i], value);
	}
	return g_string_free(text, FALSE);
}

bool kernel_facts_builtin(const struct kernel_facts *facts, const char *symbol)
{
	const char *value = kernel_facts_config(facts, symbol);

	return !value || strcmp(value, "y") == 0;
}
