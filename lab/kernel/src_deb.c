// SPDX-License-Identifier: GPL-2.0-only
/* A kernel from Debian's archive: the newest package that matches, unpacked into the cache. */
#include "kernel/apt.h"
#include "kernel/cache.h"
#include "kernel/deb_source.h"
#include "kernel/kernel_file.h"

#include "base/error.h"
#include "base/tree.h"

#include <string.h>

#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_DIGITS "+-."

/* Debian Policy 5.6.1, and one '*' in it. */
static bool is_package_glob(const char *value)
{
	const char *star = strchr(value, '*');

	return star && g_ascii_isalnum(*value) &&
	       strspn(value, NAME_CHARACTERS) == (gsize)(star - value) &&
	       strspn(star + 1, NAME_CHARACTERS) == strlen(star + 1);
}

static bool is_inner_path(const char *value)
{
	g_auto(GStrv) parts = g_strsplit(value, "/", -1);

	for (unsigned i = 0; parts[i]; i++)
		if (!*parts[i] || strcmp(parts[i], ".") == 0 || strcmp(parts[i], "..") == 0)
			return false;
	return true;
}

static const struct kernel_field deb_fields[] = {
	DEB_SUITES_FIELD,
	{.name = "package",
	 .help = "name of the package, with a '*'",
	 .required = true,
	 .valid = is_package_glob,
	 .form = "a package name with one '*'"},
	{.name = "image",
	 .help = "path of the bzImage in the package; '*' and '?' stand for anything",
	 .required = true,
	 .valid = is_inner_path,
	 .form = "a path inside a package, such as 'boot/vmlinuz-*'"},
	{.name = "config",
	 .help = "path of the config, likewise",
	 .required = true,
	 .valid = is_inner_path,
	 .form = "a path inside a package, such as 'boot/config-*'"},
	{.name = "config_package",
	 .help = "the package that holds the config, when it is another; '*' is the same text",
	 .valid = is_package_glob,
	 .form = "a package name with one '*'"},
	{.name = "source",
	 .help = "the package of its sources, such as linux-source-6.12",
	 .valid = deb_is_package,
	 .form = "a package name"},
	{0},
};

/* The same question has the same key, whatever file asks it. */
static char *pin_key(GHashTable *fields)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *sum = NULL;

	for (const struct kernel_field *field = deb_fields; field->name; field++) {
		const char *value = kernel_field(fields, field->name);

		/* The sources do not change what is fetched. */
		if (strcmp(field->name, "source") != 0)
			g_string_append_printf(text, "%s=%s\n", field->name, value ? value : "");
	}
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
	return g_strndup(sum, 16);
}

/* The one path below @folder that matches @pattern, whose parts may hold '*' and '?'. */
static char *match_below(const char *folder, const char *pattern)
{
	g_auto(GStrv) parts = g_strsplit(pattern, "/", 2);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = NULL;
		char *found;

		if (!g_pattern_match_simple(parts[0], name))
			continue;
		path = g_build_filename(folder, name, NULL);
		found = parts[1] ? match_below(path, parts[1]) : g_steal_pointer(&path);
		if (found)
			return found;
	}
	return NULL;
}

static char *find_file(const char *folder, const char *pattern, const char *package, GError **error)
{
	char *path = match_below(folder, pattern);

	if (!path)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "package '%s' holds no '%s'", package,
			    pattern);
	return path;
}

/*
 * The package of the config that belongs to @package: what '*' stands for in one glob is put into
 * the other. A kernel's image and config may lie in two packages of one version.
 */
static char *config_package_of(const char *package, const char *glob, const char *config_glob)
{
	const char *star = strchr(glob, '*'), *config_star = strchr(config_glob, '*');
	gsize before = (gsize)(star - glob), after = strlen(star + 1);

	return g_strdup_printf("%.*s%.*s%s", (int)(config_star - config_glob), config_glob,
			       (int)(strlen(package) - before - after), package + before,
			       config_star + 1);
}

static bool unpack_into_cache(struct apt *apt, GHashTable *fields,
			      const struct apt_package *package, const char *stage, const char *id,
			      GError **error)
{
	const char *config_glob = kernel_field(fields, "config_package");
	g_autofree char *folder = g_build_filename(stage, "image", NULL);
	g_autofree char *config_folder = g_build_filename(stage, "config", NULL);
	g_autofree char *config_package = NULL;
	g_autofree char *image = NULL;
	g_autofree char *config = NULL;
	g_autofree char *origin = g_strconcat(package->name, " ", package->version, NULL);

	config_package = config_glob
				 ? config_package_of(package->name, kernel_field(fields, "package"),
						     config_glob)
				 : NULL;
	if (!apt_unpack(apt, package->name, package->version, folder, error))
		return false;
	if (config_package &&
	    !apt_unpack(apt, config_package, package->version, config_folder, error))
		return false;
	image = find_file(folder, kernel_field(fields, "image"), package->name, error);
	if (!image)
		return false;
	config = find_file(config_package ? config_folder : folder, kernel_field(fields, "config"),
			   config_package ? config_package : package->name, error);
	return config &&
	       cache_commit(stage, &(struct cache_files){.image = image, .config = config}, id,
			    origin, error);
}

/* Asks the mirror which package is the newest and makes sure that the cache holds it. */
static char *fetch_newest(struct apt *apt, GHashTable *fields, const struct kernel_options *options,
			  struct kernel *kernel, GError **error)
{
	struct apt_package package = {0};
	g_autofree char *id = NULL;
	g_autofree char *stage = NULL;
	bool ok = false;

	kernel_say(options, "looking for the newest '%s' in Debian's '%s'", kernel->name,
		   kernel_field(fields, "suites"));
	if (!apt_update(apt, error) ||
	    !apt_newest(apt, kernel_field(fields, "package"), &package, error))
		return NULL;
	id = g_strconcat(package.name, "_", package.version, NULL);
	if (cache_load(id, kernel, NULL)) {
		ok = true;
	} else {
		kernel_say(options, "fetching %s %s", package.name, package.version);
		stage = cache_stage(error);
		ok = stage && unpack_into_cache(apt, fields, &package, stage, id, error) &&
		     cache_load(id, kernel, error);
		if (stage)
			tree_remove(stage, NULL);
	}
	apt_package_clear(&package);
	return ok ? g_steal_pointer(&id) : NULL;
}

/* What the cache has under @key, if it is intact and not older than @max_age. */
static bool load_pinned(const char *key, gint64 max_age, struct kernel *kernel)
{
	gint64 age = 0;
	g_autofree char *id = cache_pin_read(key, &age, NULL);

	return id && age <= max_age && cache_load(id, kernel, NULL);
}

static bool load_offline(const char *key, struct kernel *kernel, GError **error)
{
	gint64 age = 0;
	g_autofree char *id = cache_pin_read(key, &age, NULL);

	if (!id) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "kernel '%s' is not in the cache, and nothing may be fetched",
			    kernel->name);
		return false;
	}
	if (cache_load(id, kernel, error))
		return true;
	g_prefix_error(error, "kernel '%s' may not be fetched again: ", kernel->name);
	return false;
}

/* The mirror failed: the kernel of an earlier day is as good, and is said to be that. */
static bool fall_back(const char *key, const struct kernel_options *options, struct kernel *kernel,
		      GError *cause, GError **error)
{
	gint64 age = 0;
	g_autofree char *id = cache_pin_read(key, &age, NULL);

	if (!id || !cache_load(id, kernel, NULL)) {
		g_propagate_error(error, cause);
		return false;
	}
	kernel_say(options, "%s; using '%s' from the cache", cause->message, kernel->package);
	cache_pin_write(key, id, APT_LOOK_AGAIN_SECONDS - APT_RETRY_AFTER_SECONDS, NULL);
	g_error_free(cause);
	return true;
}

static bool deb_fetch(GHashTable *fields, const struct kernel_options *options,
		      struct kernel *kernel, GError **error)
{
	g_autofree char *key = pin_key(fields);
	g_autofree char *id = NULL;
	AUTO(apt) *apt = NULL;
	GError *cause = NULL;

	if (options->offline)
		return load_offline(key, kernel, error);
	if (load_pinned(key, APT_LOOK_AGAIN_SECONDS, kernel))
		return true;
	apt = apt_open(kernel_field(fields, "suites"), options, &cause);
	/* Another run may have fetched it while this one waited for the lock. */
	if (apt && load_pinned(key, APT_LOOK_AGAIN_SECONDS, kernel))
		return true;
	id = apt ? fetch_newest(apt, fields, options, kernel, &cause) : NULL;
	if (!id)
		return fall_back(key, options, kernel, cause, error);
	return cache_pin_write(key, id, 0, error);
}

/* "linux-image-6.12.1-cloud-amd64 6.12.1-1": Debian makes both packages of one source. */
static struct sources_origin *deb_origin(GHashTable *fields, const struct kernel *kernel,
					 const struct kernel_options *options, GError **error)
{
	const char *package = kernel_field(fields, "source");
	const char *version = kernel->package ? strchr(kernel->package, ' ') : NULL;

	(void)options;
	if (package && version)
		return deb_source_origin(kernel_field(fields, "suites"), package, version + 1);
	g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
		    "the file of kernel '%s' names no 'deb.source', the package of its sources",
		    kernel->name);
	return NULL;
}

static bool deb_present(GHashTable *fields)
{
	g_autofree char *key = pin_key(fields);
	gint64 age = 0;
	g_autofree char *id = cache_pin_read(key, &age, NULL);

	return id && cache_has(id);
}

const struct kernel_source kernel_source_deb = {
	.kind = "deb",
	.help = "a signed package of Debian's archive, kept in the cache",
	.fields = deb_fields,
	.fetch = deb_fetch,
	.origin = deb_origin,
	.present = deb_present,
};
