// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/apt.h"

#include "kernel/mirror.h"
#include "kernel/version.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/root.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define KEYRING "/usr/share/keyrings/debian-archive-keyring.gpg"

struct apt {
	char *folder; /* the private root */
	char *config; /* apt.conf in it */
	char *suites;
	int lock;
};

bool apt_check_host(GError **error)
{
	static const char *const programs[] = {"apt-get", "apt-cache", "dpkg-deb"};

	for (unsigned i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *path = g_find_program_in_path(programs[i]);

		if (path)
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "fetching a Debian kernel needs '%s', which this host lacks; give a "
			    "bzImage by path instead",
			    programs[i]);
		return false;
	}
	if (g_file_test(KEYRING, G_FILE_TEST_EXISTS))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "Debian's keys are missing ('%s'); install the package "
		    "'debian-archive-keyring'",
		    KEYRING);
	return false;
}

static char *take_text(GString *text)
{
	return g_string_free(text, FALSE);
}

/* One stanza per suite, since security updates have a mirror of their own. */
static char *sources_text(const char *suites, GError **error)
{
	AUTO(root) *root = root_new_dir("/");
	g_auto(GStrv) names = g_strsplit(suites, " ", -1);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; names[i]; i++) {
		g_autofree char *uri = NULL;

		if (!*names[i])
			continue;
		uri = mirror_find(root, names[i], error);
		if (!uri) {
			g_string_free(text, TRUE);
			return NULL;
		}
		g_string_append_printf(text,
				       "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n"
				       "Architectures: amd64\nLanguages: none\nTargets: Packages\n"
				       "Signed-By: " KEYRING "\n\n",
				       uri, names[i]);
	}
	return take_text(text);
}

/*
 * Read after the system's own configuration, of which proxies stay in force. Hooks go, since they
 * would work on the system; so does whatever lets an unsigned archive pass.
 */
static char *config_text(const char *folder)
{
	static const char *const places[][2] = {
		{"Dir::State", "state"},
		{"Dir::State::Lists", "lists"},
		{"Dir::State::status", "status"},
		{"Dir::Cache", "cache"},
		{"Dir::Cache::archives", "archives"},
		{"Dir::Etc::SourceParts", "sources"},
	};
	static const char fixed[] = "Dir::Etc::SourceList \"/dev/null\";\n"
				    "Dir::Etc::Preferences \"/dev/null\";\n"
				    "Dir::Etc::PreferencesParts \"/dev/null\";\n"
				    "#clear APT::Update::Pre-Invoke;\n"
				    "#clear APT::Update::Post-Invoke;\n"
				    "#clear APT::Update::Post-Invoke-Success;\n"
				    "#clear APT::Default-Release;\n"
				    "APT::Architecture \"amd64\";\n"
				    "APT::Update::Error-Mode \"any\";\n"
				    "APT::Sandbox::User \"root\";\n"
				    "APT::Get::AllowUnauthenticated \"false\";\n"
				    "Acquire::AllowInsecureRepositories \"false\";\n"
				    "Acquire::AllowWeakRepositories \"false\";\n"
				    "Acquire::AllowDowngradeToInsecureRepositories \"false\";\n"
				    "Acquire::Retries \"2\";\n"
				    "Acquire::http::Timeout \"20\";\n"
				    "Acquire::https::Timeout \"20\";\n";
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		g_string_append_printf(text, "%s \"%s/%s\";\n", places[i][0], folder, places[i][1]);
	g_string_append(text, fixed);
	return take_text(text);
}

static bool make_folders(const char *folder, GError **error)
{
	static const char *const names[] = {"state", "lists/partial", "cache", "archives/partial",
					    "sources"};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(folder, names[i], NULL);

		if (g_mkdir_with_parents(path, 0755) == 0)
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot create '%s': %s", path,
			    g_strerror(errno));
		return false;
	}
	return true;
}

static bool write_root(struct apt *apt, GError **error)
{
	g_autofree char *sources = sources_text(apt->suites, error);
	g_autofree char *config = config_text(apt->folder);
	g_autofree char *sources_path =
		g_build_filename(apt->folder, "sources", "debian.sources", NULL);
	g_autofree char *status_path = g_build_filename(apt->folder, "status", NULL);

	return sources && make_folders(apt->folder, error) &&
	       g_file_set_contents(sources_path, sources, -1, error) &&
	       g_file_set_contents(status_path, "", 0, error) &&
	       g_file_set_contents(apt->config, config, -1, error);
}

/* For whoever waits: it is we who hold the lock. Always true, for it is no more than a hint. */
static bool lock_sign(int fd)
{
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%d\n", (int)getpid());
	return true;
}

static void say_holder(int fd, const struct kernel_options *options)
{
	char holder[16] = "";
	g_autofree char *text = NULL;

	if (pread(fd, holder, sizeof(holder) - 1, 0) <= 0)
		g_strlcpy(holder, "unknown", sizeof(holder));
	text = g_strdup_printf("waiting for another topolab, process %s, that fetches a kernel",
			       g_strchomp(holder));
	if (options->progress)
		options->progress(text, options->data);
}

static bool take_lock(struct apt *apt, const struct kernel_options *options, GError **error)
{
	g_autofree char *path = g_build_filename(apt->folder, "topolab.lock", NULL);

	apt->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (apt->lock >= 0 && flock(apt->lock, LOCK_EX | LOCK_NB) == 0)
		return lock_sign(apt->lock);
	if (apt->lock >= 0 && errno == EWOULDBLOCK) {
		say_holder(apt->lock, options);
		if (flock(apt->lock, LOCK_EX) == 0)
			return lock_sign(apt->lock);
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot lock '%s': %s", path,
		    g_strerror(errno));
	return false;
}

struct apt *apt_open(const char *suites, const struct kernel_options *options, GError **error)
{
	g_autofree char *name = g_strdelimit(g_strdup(suites), " /", '+');
	g_autofree char *sub = g_build_filename("apt", name, NULL);
	g_autofree char *folder = NULL;
	AUTO(apt) *apt = NULL;

	if (!apt_check_host(error))
		return NULL;
	folder = paths_cache(sub, error);
	if (!folder)
		return NULL;
	if (strchr(folder, '"')) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "apt cannot work in a cache whose name holds a quote: '%s'", folder);
		return NULL;
	}
	apt = g_new0(struct apt, 1);
	apt->lock = -1;
	apt->suites = g_strdup(suites);
	apt->config = g_build_filename(folder, "apt.conf", NULL);
	apt->folder = g_steal_pointer(&folder);
	if (!take_lock(apt, options, error) || !write_root(apt, error))
		return NULL;
	return g_steal_pointer(&apt);
}

void apt_close(struct apt *apt)
{
	if (!apt)
		return;
	if (apt->lock >= 0)
		close(apt->lock);
	g_free(apt->folder);
	g_free(apt->config);
	g_free(apt->suites);
	g_free(apt);
}

/* apt's first complaint says what happened; its last one only that something did. */
static char *first_complaint(const char *errors)
{
	g_auto(GStrv) lines = g_strsplit(errors ? errors : "", "\n", -1);

	for (unsigned i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "E: ") || g_str_has_prefix(lines[i], "W: "))
			return g_strdup(g_strstrip(lines[i] + strlen("E: ")));
	return g_strdup("no reason given");
}

/* @arguments: the program and, behind it, what follows "-c CONFIG". @output may be NULL. */
static bool run_apt(struct apt *apt, const char *folder, const char *const *arguments,
		    char **output, char **complaint)
{
	static const char *const proxies[] = {"http_proxy", "https_proxy", "no_proxy"};
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) environment = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *errors = NULL;
	g_autoptr(GError) cause = NULL;
	struct spawn_options options = {.folder = folder, .errors = &errors};

	for (unsigned i = 0; i < G_N_ELEMENTS(proxies); i++)
		if (g_getenv(proxies[i]))
			g_ptr_array_add(environment,
					g_strconcat(proxies[i], "=", g_getenv(proxies[i]), NULL));
	g_ptr_array_add(environment, g_strdup("DEBIAN_FRONTEND=noninteractive"));
	g_ptr_array_add(environment, NULL);
	options.environment = (const char *const *)environment->pdata;

	g_ptr_array_add(argv, g_strdup(arguments[0]));
	g_ptr_array_add(argv, g_strdup("-c"));
	g_ptr_array_add(argv, g_strdup(apt->config));
	for (unsigned i = 1; arguments[i]; i++)
		g_ptr_array_add(argv, g_strdup(arguments[i]));
	g_ptr_array_add(argv, NULL);
	if (spawn_run((const char *const *)argv->pdata, &options, output, &cause))
		return true;
	*complaint = errors ? first_complaint(errors) : g_strdup(cause->message);
	return false;
}

bool apt_update(struct apt *apt, GError **error)
{
	const char *const arguments[] = {"apt-get", "-q", "update", NULL};
	g_autofree char *complaint = NULL;

	if (run_apt(apt, NULL, arguments, NULL, &complaint))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot fetch the package lists of '%s': %s",
		    apt->suites, complaint);
	return false;
}

void apt_package_clear(struct apt_package *package)
{
	g_clear_pointer(&package->name, g_free);
	g_clear_pointer(&package->version, g_free);
}

static bool apt_query(struct apt *apt, const char *const *arguments, char **output, GError **error)
{
	g_autofree char *complaint = NULL;

	if (run_apt(apt, NULL, arguments, output, &complaint))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot read the package lists of '%s': %s",
		    apt->suites, complaint);
	return false;
}

/* "apt-cache", "madison", NAME... */
static GPtrArray *madison_arguments(const char *names, const char *glob)
{
	g_auto(GStrv) lines = g_strsplit(names, "\n", -1);
	GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(arguments, g_strdup("apt-cache"));
	g_ptr_array_add(arguments, g_strdup("madison"));
	for (unsigned i = 0; lines[i]; i++)
		if (g_pattern_match_simple(glob, lines[i]))
			g_ptr_array_add(arguments, g_strdup(lines[i]));
	return arguments;
}

/* " NAME | VERSION | ORIGIN" per line. */
static void take_newest(const char *madison, struct apt_package *package)
{
	g_auto(GStrv) lines = g_strsplit(madison, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) columns = g_strsplit(lines[i], "|", 3);

		if (g_strv_length(columns) < 3)
			continue;
		g_strstrip(columns[0]);
		g_strstrip(columns[1]);
		if (package->version && deb_version_compare(columns[1], package->version) <= 0)
			continue;
		apt_package_clear(package);
		package->name = g_strdup(columns[0]);
		package->version = g_strdup(columns[1]);
	}
}

/* @glob with its version, from its first digit to its star, made one star. */
static char *any_version(const char *glob)
{
	gsize before = strcspn(glob, G_CSET_DIGITS);
	const char *star = strchr(glob + before, '*');

	return star ? g_strdup_printf("%.*s%s", (int)before, glob, star) : g_strdup(glob);
}

char *apt_similar(const char *names, const char *glob)
{
	g_auto(GStrv) lines = g_strsplit(names, "\n", -1);
	g_autofree char *wide = any_version(glob);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; lines[i]; i++)
		if (g_pattern_match_simple(wide, lines[i]))
			g_string_append_printf(text, "%s'%s'", text->len ? ", " : "", lines[i]);
	return g_string_free(text, text->len == 0);
}

bool apt_newest(struct apt *apt, const char *glob, struct apt_package *package, GError **error)
{
	const char *const list[] = {"apt-cache", "pkgnames", NULL};
	g_autoptr(GPtrArray) arguments = NULL;
	g_autofree char *names = NULL;
	g_autofree char *madison = NULL;
	g_autofree char *similar = NULL;

	if (!apt_query(apt, list, &names, error))
		return false;
	arguments = madison_arguments(names, glob);
	if (arguments->len > 2) {
		g_ptr_array_add(arguments, NULL);
		if (!apt_query(apt, (const char *const *)arguments->pdata, &madison, error))
			return false;
		take_newest(madison, package);
	}
	if (package->name)
		return true;
	similar = apt_similar(names, glob);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the mirror has no package in '%s' that matches '%s'; it has %s", apt->suites,
		    glob, similar ? similar : "none of another version either");
	return false;
}

static char *only_deb_in(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		if (g_str_has_suffix(name, ".deb"))
			return g_build_filename(folder, name, NULL);
	return NULL;
}

bool apt_unpack(struct apt *apt, const char *name, const char *version, const char *folder,
		GError **error)
{
	g_autofree char *wanted = g_strconcat(name, "=", version, NULL);
	const char *const download[] = {"apt-get", "-q", "download", wanted, NULL};
	g_autofree char *complaint = NULL;
	g_autofree char *deb = NULL;

	if (g_mkdir_with_parents(folder, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot create '%s': %s", folder,
			    g_strerror(errno));
		return false;
	}
	if (!run_apt(apt, folder, download, NULL, &complaint)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot download '%s': %s", wanted,
			    complaint);
		return false;
	}
	deb = only_deb_in(folder);
	if (!deb) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "apt downloaded no '%s'", wanted);
		return false;
	}
	return spawn_run((const char *const[]){"dpkg-deb", "-x", deb, folder, NULL}, NULL, NULL,
			 error);
}
