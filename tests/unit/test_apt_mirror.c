// SPDX-License-Identifier: GPL-2.0-only
/* Which mirror a system uses, from sources files in both of sources.list(5)'s forms. */
#include "kernel/mirror.h"

#include "base/error.h"

#include <string.h>

#define M "http://mirror.example/debian"

static const struct sample {
	const char *what;
	enum mirror_form form;
	const char *text, *suite, *uri;
} samples[] = {
	{"plain line", MIRROR_ONE_LINE, "deb " M " bookworm main\n", "bookworm", M},
	{"no newline at the end", MIRROR_ONE_LINE, "deb " M " bookworm main", "bookworm", M},
	{"slash at the end", MIRROR_ONE_LINE, "deb " M "/ bookworm main contrib", "bookworm", M},
	{"another suite", MIRROR_ONE_LINE, "deb " M " trixie main", "bookworm", NULL},
	{"a longer suite", MIRROR_ONE_LINE, "deb " M " bookworm-updates main", "bookworm", NULL},
	{"commented out", MIRROR_ONE_LINE, "# deb " M " bookworm main\n", "bookworm", NULL},
	{"comment behind", MIRROR_ONE_LINE, "deb " M " bookworm main # here\n", "bookworm", M},
	{"tabs", MIRROR_ONE_LINE, "deb\t" M "\tbookworm\tmain\n", "bookworm", M},
	{"source packages", MIRROR_ONE_LINE, "deb-src " M " bookworm main\n", "bookworm", NULL},
	{"options", MIRROR_ONE_LINE,
	 "deb [ arch=amd64,i386 signed-by=/usr/share/keyrings/d.gpg ] " M " bookworm main",
	 "bookworm", M},
	{"other architecture", MIRROR_ONE_LINE, "deb [arch=arm64] " M " bookworm main", "bookworm",
	 NULL},
	{"CD-ROM, then mirror", MIRROR_ONE_LINE,
	 "deb cdrom:[Debian GNU/Linux 12.5.0 _Bookworm_ - amd64 NETINST]/ bookworm main\n"
	 "deb " M " bookworm main\n",
	 "bookworm", M},
	{"another vendor first", MIRROR_ONE_LINE,
	 "deb https://packages.vendor.example/debian/12/prod bookworm main\n"
	 "deb https://download.vendor.example/linux/debian bookworm stable\n"
	 "deb " M " bookworm main\n",
	 "bookworm", M},
	{"folder instead of a suite", MIRROR_ONE_LINE, "deb " M " ./\n", "bookworm", NULL},
	{"list of mirrors", MIRROR_ONE_LINE,
	 "deb mirror+file:/etc/apt/mirrors/debian.list bookworm main\n", "bookworm",
	 "mirror+file:/etc/apt/mirrors/debian.list"},
	{"words missing", MIRROR_ONE_LINE, "deb " M "\ndeb\n[\ndeb [ " M "\n", "bookworm", NULL},
	{"empty", MIRROR_ONE_LINE, "", "bookworm", NULL},

	{"stanza", MIRROR_DEB822,
	 "Types: deb\nURIs: " M "\nSuites: bookworm bookworm-updates\nComponents: main\n",
	 "bookworm-updates", M},
	{"two types, several URIs, odd case", MIRROR_DEB822,
	 "types: deb deb-src\nURIS: cdrom:[x]/debian " M "/ http://second.example/debian\n"
	 "SUITES: bookworm\ncomponents: main\n",
	 "bookworm", M},
	{"comments inside", MIRROR_DEB822,
	 "# generated\nTypes: deb\n# URIs: http://old.example/debian\nURIs: " M
	 "\nSuites: bookworm\nComponents: main\n",
	 "bookworm", M},
	{"continuation lines", MIRROR_DEB822,
	 "Types: deb\nURIs:\n " M "\nSuites: trixie\n  bookworm\nComponents: main\nSigned-By:\n"
	 " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBF: x\n",
	 "bookworm", M},
	{"disabled, then enabled", MIRROR_DEB822,
	 "Enabled: no\nTypes: deb\nURIs: http://off.example/debian\nSuites: bookworm\n"
	 "Components: main\n\nEnabled: yes\nTypes: deb\nURIs: " M
	 "\nSuites: bookworm\nComponents: main\n",
	 "bookworm", M},
	{"disabled last", MIRROR_DEB822,
	 "Types: deb\nURIs: " M "\nSuites: bookworm\nComponents: main\nEnabled: No\n", "bookworm",
	 NULL},
	{"source packages only", MIRROR_DEB822,
	 "Types: deb-src\nURIs: " M "\nSuites: bookworm\nComponents: main\n", "bookworm", NULL},
	{"fields of two stanzas do not mix", MIRROR_DEB822,
	 "Types: deb\nURIs: " M "\nComponents: main\n\nTypes: deb\nSuites: bookworm\n"
	 "Components: main\n",
	 "bookworm", NULL},
	{"other architecture", MIRROR_DEB822,
	 "Types: deb\nURIs: " M "\nSuites: bookworm\nComponents: main\nArchitectures: arm64\n",
	 "bookworm", NULL},
	{"carriage returns", MIRROR_DEB822,
	 "Types: deb\r\nURIs: " M "\r\nSuites: bookworm\r\nComponents: main\r\n\r\n", "bookworm",
	 M},
	{"blank lines around", MIRROR_DEB822,
	 "\n\n \nTypes: deb\nURIs: " M "\nSuites: bookworm\nComponents: main\n\n\n", "bookworm", M},
	{"no stanza", MIRROR_DEB822, "this is no sources file\n", "bookworm", NULL},
};

static void test_parse(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(samples); i++) {
		const struct sample *sample = &samples[i];
		g_autofree char *uri = mirror_parse(sample->text, sample->form, sample->suite);

		if (g_strcmp0(uri, sample->uri) != 0)
			g_test_fail_printf("%s: expected '%s', got '%s'", sample->what,
					   sample->uri ? sample->uri : "nothing",
					   uri ? uri : "nothing");
	}
}

static void test_security(void)
{
	g_autofree char *usual = mirror_security_of("http://mirror.example/pub/debian");
	g_autofree char *unusual = mirror_security_of("http://mirror.example/pub/debian-copy");

	g_assert_cmpstr(usual, ==, "http://mirror.example/pub/debian-security");
	g_assert_null(unusual);
}

/* A system of one os-release and one or two sources files. */
static struct root *system_new(const char *os_release, const char *list, const char *sources)
{
	const char *const files[][2] = {{"etc/os-release", os_release},
					{"etc/apt/sources.list", list},
					{"etc/apt/sources.list.d/debian.sources", sources}};
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)g_bytes_unref);

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		if (files[i][1])
			g_hash_table_insert(members, g_strdup(files[i][0]),
					    g_bytes_new(files[i][1], strlen(files[i][1])));
	return root_new_members(members);
}

static void assert_found(struct root *root, const char *suite, const char *expected)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *uri = mirror_find(root, suite, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(uri, ==, expected);
}

#define DEBIAN_12                                                                                  \
	"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n"
#define UBUNTU "VERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\n"

static void test_find_debian(void)
{
	AUTO(root) *plain = system_new(DEBIAN_12, "deb " M " bookworm main\n", NULL);
	AUTO(root) *both = system_new(DEBIAN_12, "# moved to sources.list.d\n",
				      "Types: deb\nURIs: " M
				      "\nSuites: bookworm trixie-backports\nComponents: main\n\n"
				      "Types: deb\nURIs: http://security.example/debian-security\n"
				      "Suites: bookworm-security\nComponents: main\n");
	AUTO(root) *stable = system_new(DEBIAN_12, "deb " M " stable main\n", NULL);

	g_unsetenv("TOPOLAB_MIRROR");
	/* One suite tells the mirror of all; the security archive lies beside. */
	assert_found(plain, "bookworm", M);
	assert_found(plain, "trixie-backports", M);
	assert_found(plain, "bookworm-security", M "-security");
	assert_found(both, "trixie-backports", M);
	assert_found(both, "bookworm-security", "http://security.example/debian-security");
	assert_found(both, "trixie-security", "http://security.example/debian-security");
	assert_found(stable, "bookworm-backports", M);
}

/* No mirror is wired in: whoever has none in the sources is told to name one. */
static void assert_named_nowhere(struct root *root, const char *suite)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(mirror_find(root, suite, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(strstr(error->message, "name one in TOPOLAB_MIRROR"));
}

static void test_find_elsewhere(void)
{
	AUTO(root) *ubuntu = system_new(
		UBUNTU, NULL,
		"Types: deb\nURIs: http://ubuntu.example/ubuntu\nSuites: noble noble-security\n"
		"Components: main\n");
	AUTO(root) *nothing = system_new(DEBIAN_12, NULL, NULL);

	g_unsetenv("TOPOLAB_MIRROR");
	assert_named_nowhere(ubuntu, "trixie-backports");
	assert_named_nowhere(ubuntu, "bookworm-security");
	assert_named_nowhere(nothing, "bookworm");
}

static void test_find_chosen(void)
{
	AUTO(root) *root = system_new(DEBIAN_12, "deb " M " bookworm main\n", NULL);
	g_autoptr(GError) error = NULL;

	g_setenv("TOPOLAB_MIRROR", "https://mine.example/debian/", TRUE);
	assert_found(root, "bookworm", "https://mine.example/debian");
	assert_found(root, "bookworm-security", "https://mine.example/debian-security");
	g_setenv("TOPOLAB_MIRROR", "mine.example", TRUE);
	g_assert_null(mirror_find(root, "bookworm", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error->message, ==,
			"TOPOLAB_MIRROR is 'mine.example', which is not a URI such as "
			"'http://mirror.example/debian'");
	g_unsetenv("TOPOLAB_MIRROR");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/mirror/parse", test_parse);
	g_test_add_func("/mirror/security", test_security);
	g_test_add_func("/mirror/find-debian", test_find_debian);
	g_test_add_func("/mirror/find-elsewhere", test_find_elsewhere);
	g_test_add_func("/mirror/find-chosen", test_find_chosen);
	return g_test_run();
}
