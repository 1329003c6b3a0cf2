// SPDX-License-Identifier: GPL-2.0-only
/* Archives of the guest, good and hostile, made with libarchive's writer or byte by byte. */
#include "base/error.h"
#include "base/records.h"
#include "base/spawn.h"
#include "guest/agent.h"
#include "observe/observe.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(AGENT_VERSION == RECORDS_AGENT_VERSION, "the agent and its reader disagree");

struct member {
	const char *path;
	const char *text;
	mode_t type;	  /* 0: a plain file */
	const char *link; /* target of a hard or symbolic link */
};

#define MANIFEST(count)                                                                            \
	{                                                                                          \
		.path = "manifest", .text = "agent: 1\nmembers: " count "\n"                       \
	}

#define MEMBER_A                                                                                   \
	{                                                                                          \
		.path = "a", .text = "x"                                                           \
	}

static GBytes *pack_with(const struct member *members, unsigned n, int filters)
{
	struct archive *archive = archive_write_new();
	gsize size = 4 << 20, used;
	guint8 *buffer = g_malloc(size);

	archive_write_set_format_ustar(archive);
	for (int i = 0; i < filters; i++)
		archive_write_add_filter_gzip(archive);
	g_assert_cmpint(archive_write_open_memory(archive, buffer, size, &used), ==, ARCHIVE_OK);
	for (unsigned i = 0; i < n; i++) {
		struct archive_entry *entry = archive_entry_new();
		const struct member *member = &members[i];
		gsize length = member->text ? strlen(member->text) : 0;

		archive_entry_set_pathname(entry, member->path);
		archive_entry_set_filetype(entry, member->type ? member->type : AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, (la_int64_t)length);
		if (member->link && member->type == AE_IFLNK)
			archive_entry_set_symlink(entry, member->link);
		else if (member->link)
			archive_entry_set_hardlink(entry, member->link);
		g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
		if (length)
			g_assert_cmpint(archive_write_data(archive, member->text, length), ==,
					(gssize)length);
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return g_bytes_new_take(buffer, used);
}

static GBytes *pack(const struct member *members, unsigned n)
{
	return pack_with(members, n, 1);
}

static void assert_refused(GBytes *archive, const char *pattern)
{
	g_autoptr(GError) error = NULL;
	AUTO(root) *root = evidence_open(archive, &error);

	g_assert_null(root);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	if (!g_pattern_match_simple(pattern, error->message))
		g_error("'%s' does not match '%s'", error->message, pattern);
}

static void test_whole(void)
{
	static const struct member members[] = {
		{.path = "proc/version", .text = "Linux version 6.12.117 (builder) #1\n"},
		{.path = "sys/devices/system/cpu/smt/active", .text = "1\n"},
		MANIFEST("2"),
	};
	g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));
	g_autoptr(GError) error = NULL;
	AUTO(root) *root = evidence_open(archive, &error);
	g_autofree char *active = NULL;
	g_autofree char *release = NULL;

	g_assert_no_error(error);
	active = root_read(root, &error, "sys/devices/system/cpu/smt/active");
	g_assert_cmpstr(active, ==, "1");
	release = observe_release(root, &error);
	g_assert_cmpstr(release, ==, "6.12.117");
}

static void test_paths(void)
{
	static const char *const paths[] = {
		"/etc/passwd", "../escape", "a/../../escape", "a/..", "./a",
		"a//b",	       "a/./b",	    "a\\b",	      "a b",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		const struct member members[] = {{.path = paths[i], .text = "x"}, MANIFEST("1")};
		g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));

		assert_refused(archive, "the evidence holds '*', which is not a plain file*");
	}
}

static void test_types(void)
{
	static const struct member others[] = {
		{.path = "a", .type = AE_IFLNK, .link = "/etc/passwd"},
		{.path = "a", .type = AE_IFDIR},
		{.path = "a", .type = AE_IFCHR},
		{.path = "a", .type = AE_IFIFO},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
		const struct member members[] = {others[i], MANIFEST("1")};
		g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));

		assert_refused(archive, "the evidence holds 'a*', which is not a plain file*");
	}
}

static void test_hard_link(void)
{
	static const struct member members[] = {
		{.path = "a", .text = "x"}, {.path = "b", .link = "a"}, MANIFEST("2")};
	g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));

	assert_refused(archive, "the evidence holds 'b', which is not a plain file*");
}

static void test_duplicate(void)
{
	static const struct member members[] = {
		{.path = "a", .text = "x"}, {.path = "a", .text = "y"}, MANIFEST("2")};
	g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));

	assert_refused(archive, "the evidence holds 'a' twice");
}

static void test_manifest(void)
{
	static const struct {
		struct member members[2];
		const char *pattern;
	} cases[] = {
		{{MEMBER_A, MEMBER_A}, "the evidence holds 'a' twice"},
		{{MEMBER_A, MANIFEST("2")}, "*counts 2 members, the archive holds 1"},
		{{MEMBER_A, MANIFEST("0")}, "*counts 0 members, the archive holds 1"},
		{{MANIFEST("1"), MEMBER_A}, "*does not end with its manifest but with 'a'"},
		{{MEMBER_A, {.path = "manifest", .text = "agent: 2\nmembers: 1\n"}},
		 "*is of agent version 2, this topolab reads version 1"},
		{{MEMBER_A,
		  {.path = "manifest", .text = "agent: 1\nmembers: 18446744073709551617\n"}},
		 "*does not begin with the agent's version*"},
		{{MEMBER_A, {.path = "manifest", .text = "members: 1\n"}},
		 "*does not begin with the agent's version*"},
		{{MEMBER_A, {.path = "manifest", .text = ""}},
		 "*does not begin with the agent's version*"},
	};
	static const struct member a = MEMBER_A;
	g_autoptr(GBytes) alone = pack(&a, 1);
	g_autoptr(GBytes) empty = pack(&a, 0);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) archive = pack(cases[i].members, 2);

		assert_refused(archive, cases[i].pattern);
	}
	assert_refused(alone, "*does not end with its manifest but with 'a'");
	assert_refused(empty, "*");
}

static void test_filters(void)
{
	static const struct member members[] = {{.path = "a", .text = "x"}, MANIFEST("1")};
	g_autoptr(GBytes) bare = pack_with(members, 2, 0);
	g_autoptr(GBytes) twice = pack_with(members, 2, 2);
	g_autoptr(GBytes) garbage = g_bytes_new_static("garbage", 7);
	g_autoptr(GBytes) nothing = g_bytes_new_static("", 0);

	assert_refused(bare, "the evidence is not gzipped exactly once");
	assert_refused(twice, "the evidence is not gzipped exactly once");
	assert_refused(garbage, "the evidence is not a whole gzipped tar archive*");
	assert_refused(nothing, "*");
}

/* Wherever the stream ends early, it is an error and never a smaller machine. */
static void test_cut(void)
{
	static const struct member members[] = {
		{.path = "a",
		 .text = "some text that does not compress to nothing: 1597 2584 4181"},
		{.path = "b", .text = "6765"},
		MANIFEST("2"),
	};
	g_autoptr(GBytes) archive = pack(members, G_N_ELEMENTS(members));

	for (gsize length = 0; length < g_bytes_get_size(archive); length++) {
		g_autoptr(GBytes) cut = g_bytes_new_from_bytes(archive, 0, length);

		assert_refused(cut, "*");
	}
}

/* In a long archive the reader has all members before it comes to the end of the stream. */
static void test_cut_behind_manifest(void)
{
	gsize size = 1 << 20;
	g_autofree char *noise = g_malloc(size + 1);
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	struct member members[] = {{.path = "a"}, MANIFEST("1")};
	g_autoptr(GBytes) archive = NULL;

	for (gsize i = 0; i < size; i++)
		noise[i] = (char)g_rand_int_range(rand, 1, 128);
	noise[size] = '\0';
	members[0].text = noise;
	archive = pack(members, G_N_ELEMENTS(members));
	for (gsize lost = 1; lost < 40; lost++) {
		g_autoptr(GBytes) cut =
			g_bytes_new_from_bytes(archive, 0, g_bytes_get_size(archive) - lost);

		assert_refused(cut, "the evidence is not a whole gzipped tar archive*");
	}
}

static GBytes *gzipped(const guint8 *bytes, gsize length)
{
	g_autoptr(GConverter) gzip =
		G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1));
	g_autofree guint8 *out = g_malloc(65536);
	gsize used, written;

	g_assert_cmpint(g_converter_convert(gzip, bytes, length, out, 65536,
					    G_CONVERTER_INPUT_AT_END, &used, &written, NULL),
			==, G_CONVERTER_FINISHED);
	return g_bytes_new(out, written);
}

/* A header may claim any size; what counts is what comes. */
static void test_claimed_size(void)
{
	static const struct member members[] = {{.path = "a", .text = "x"}, MANIFEST("1")};
	g_autoptr(GBytes) tar = pack_with(members, 2, 0);
	g_autofree guint8 *bytes = g_memdup2(g_bytes_get_data(tar, NULL), g_bytes_get_size(tar));
	g_autoptr(GBytes) packed = NULL;
	unsigned sum = 0;

	/* POSIX ustar: the size is 12 bytes at 124, the checksum 8 bytes at 148, both octal. */
	memcpy(bytes + 124, "77777777777", 11);
	memset(bytes + 148, ' ', 8);
	for (unsigned i = 0; i < 512; i++)
		sum += bytes[i];
	g_snprintf((char *)bytes + 148, 8, "%06o", sum);
	packed = gzipped(bytes, g_bytes_get_size(tar));
	assert_refused(packed, "the evidence is not a whole gzipped tar archive*");
}

/* What stands behind the manifest must be the end of the archive, not one more header. */
static void test_garbage_behind_manifest(void)
{
	static const struct member members[] = {{.path = "a", .text = "x"}, MANIFEST("1")};
	g_autoptr(GBytes) tar = pack_with(members, 2, 0);
	g_autofree guint8 *bytes = g_memdup2(g_bytes_get_data(tar, NULL), g_bytes_get_size(tar));
	g_autoptr(GBytes) packed = NULL;

	/* Two members of two blocks each come before. */
	memset(bytes + 4 * 512, 'x', 1024);
	packed = gzipped(bytes, g_bytes_get_size(tar));
	assert_refused(packed, "the evidence is not a whole gzipped tar archive: * after member "
			       "'manifest'");
}

static void test_bomb(void)
{
	gsize length = (gsize)EVIDENCE_MAX_BYTES / 16 + 4096;
	g_autofree char *zeros = g_malloc(length + 1);
	struct member members[17];

	memset(zeros, '0', length);
	zeros[length] = '\0';
	for (unsigned i = 0; i < 16; i++) {
		static char names[16][8];

		g_snprintf(names[i], sizeof(names[i]), "m%u", i);
		members[i] = (struct member){.path = names[i], .text = zeros};
	}
	members[16] = (struct member)MANIFEST("16");
	{
		g_autoptr(GBytes) archive = pack(members, 17);

		assert_refused(archive, "the evidence holds more than 67108864 bytes");
	}
}

static void test_nul_in_text(void)
{
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)g_bytes_unref);
	g_autoptr(GError) error = NULL;
	AUTO(root) *root = root_new_members(members);
	g_autofree char *release = NULL;

	g_hash_table_insert(members, g_strdup("proc/version"),
			    g_bytes_new("Linux version \0 6.12", 20));
	release = observe_release(root, &error);
	g_assert_null(release);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
}

/* The agent itself, run as an ordinary process on this machine. */
static void test_agent(void)
{
	g_autofree char *agent = g_test_build_filename(G_TEST_BUILT, "..", "agent", NULL);
	g_autofree char *folder = g_dir_make_tmp("topolab-agent-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(folder, "stream", NULL);
	g_autoptr(GError) error = NULL;
	char *argv[] = {agent, NULL};
	g_autofree char *stream = NULL;
	g_autofree char *online = NULL;
	g_autofree char *host_online = NULL;
	AUTO(records) *records = NULL;
	AUTO(root) *root = NULL;
	gsize length;
	int fd = g_open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600), status;
	GPid pid;

	g_assert_true(g_spawn_async_with_fds(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
					     NULL, &pid, -1, fd, -1, &error));
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	close(fd);
	g_assert_true(g_file_get_contents(file, &stream, &length, &error));
	g_unlink(file);
	g_rmdir(folder);
	records = records_parse((const guint8 *)stream, length, &error);
	g_assert_no_error(error);
	g_assert_true(records_complete(records));
	g_assert_nonnull(records_blob(records, "evidence"));
	root = evidence_open(records_blob(records, "evidence"), &error);
	g_assert_no_error(error);
	online = root_read(root, &error, "sys/devices/system/cpu/online");
	g_assert_no_error(error);
	g_assert_true(
		g_file_get_contents("/sys/devices/system/cpu/online", &host_online, NULL, NULL));
	g_assert_cmpstr(online, ==, g_strchomp(host_online));
	g_assert_true(root_has(root, "cpuid/pu0"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/evidence/whole", test_whole);
	g_test_add_func("/evidence/paths", test_paths);
	g_test_add_func("/evidence/types", test_types);
	g_test_add_func("/evidence/hard-link", test_hard_link);
	g_test_add_func("/evidence/duplicate", test_duplicate);
	g_test_add_func("/evidence/manifest", test_manifest);
	g_test_add_func("/evidence/filters", test_filters);
	g_test_add_func("/evidence/cut", test_cut);
	g_test_add_func("/evidence/cut-behind-manifest", test_cut_behind_manifest);
	g_test_add_func("/evidence/claimed-size", test_claimed_size);
	g_test_add_func("/evidence/garbage-behind-manifest", test_garbage_behind_manifest);
	g_test_add_func("/evidence/bomb", test_bomb);
	g_test_add_func("/evidence/nul", test_nul_in_text);
	g_test_add_func("/evidence/agent", test_agent);
	return g_test_run();
}
