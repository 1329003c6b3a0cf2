// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that is built here from Debian's package of its sources. */
#include "kernel/apt.h"
#include "kernel/cache.h"
#include "kernel/deb_source.h"
#include "kernel/kernel_file.h"
#include "kernel/recipe.h"

#include "base/error.h"

static const struct kernel_field source_fields[] = {
	DEB_SUITES_FIELD,
	{.name = "package",
	 .help = "name of the package, such as linux-source-6.12",
	 .required = true,
	 .valid = deb_is_package,
	 .form = "a package name"},
	RECIPE_FIELDS,
	{0},
};

static char *pin_key(GHashTable *fields)
{
	g_autofree char *text = g_strjoin("\n", kernel_field(fields, "package"),
					  kernel_field(fields, "suites"), NULL);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);

	return g_strdup_printf("source-%.16s", sum);
}

static char *ask_mirror(GHashTable *fields, const struct kernel_options *options, GError **error)
{
	struct apt_package package = {0};
	AUTO(apt) *apt = NULL;

	kernel_say(options, "looking for the newest '%s' in Debian's '%s'",
		   kernel_field(fields, "package"), kernel_field(fields, "suites"));
	apt = apt_open(kernel_field(fields, "suites"), options, error);
	if (!apt || !apt_update(apt, error) ||
	    !apt_newest(apt, kernel_field(fields, "package"), &package, error))
		return NULL;
	g_free(package.name);
	return package.version;
}

/* The newest version: what was it within a day, or still is while the mirror does not answer. */
static char *find_version(GHashTable *fields, const struct kernel_options *options, GError **error)
{
	g_autofree char *key = pin_key(fields);
	g_autoptr(GError) cause = NULL;
	gint64 age = 0;
	g_autofree char *pinned = cache_pin_read(key, &age, NULL);
	char *version;

	if (pinned && (options->offline || age <= APT_LOOK_AGAIN_SECONDS))
		return g_steal_pointer(&pinned);
	if (options->offline) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the sources '%s' are not in the cache, and nothing may be fetched",
			    kernel_field(fields, "package"));
		return NULL;
	}
	version = ask_mirror(fields, options, &cause);
	if (version) {
		cache_pin_write(key, version, 0, NULL);
		return version;
	}
	if (!pinned) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return NULL;
	}
	kernel_say(options, "%s; using '%s' as it was found before", cause->message, pinned);
	cache_pin_write(key, pinned, APT_LOOK_AGAIN_SECONDS - APT_RETRY_AFTER_SECONDS, NULL);
	return g_steal_pointer(&pinned);
}

static struct sources_origin *source_origin(GHashTable *fields, const struct kernel *kernel,
					    const struct kernel_options *options, GError **error)
{
	g_autofree char *version = find_version(fields, options, error);

	(void)kernel;
	return version ? deb_source_origin(kernel_field(fields, "suites"),
					   kernel_field(fields, "package"), version)
		       : NULL;
}

static bool source_present(GHashTable *fields)
{
	g_autofree char *key = pin_key(fields);
	gint64 age = 0;
	g_autofree char *version = cache_pin_read(key, &age, NULL);
	AUTO(sources_origin) *origin =
		version ? deb_source_origin(kernel_field(fields, "suites"),
					    kernel_field(fields, "package"), version)
			: NULL;

	return origin && recipe_present(origin, fields);
}

const struct kernel_source kernel_source_source = {
	.kind = "source",
	.help = "built in the cache from Debian's package of the sources",
	.fields = source_fields,
	.origin = source_origin,
	.present = source_present,
};
