// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's archive, opened in memory. Nothing in it is trusted: libarchive decodes it, and every
 * bound, path and count is checked here.
 */
#include "observe/observe.h"

#include "base/error.h"
#include "base/records.h"
#include "observe/scan.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#define MANIFEST "manifest"
/* The longest path a plain ustar header holds; the agent writes no other. */
#define PATH_MAX_BYTES 100

struct reader {
	struct archive *archive;
	GHashTable *members; /* char * -> GBytes * */
	gsize total;
	char *last; /* path of the member read last */
};

static void reader_clear(struct reader *reader)
{
	archive_read_free(reader->archive);
	g_clear_pointer(&reader->members, g_hash_table_unref);
	g_free(reader->last);
}

static void error_archive(const struct reader *reader, GError **error)
{
	const char *reason = archive_error_string(reader->archive);

	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the evidence is not a whole gzipped tar archive: %s after member '%s'",
		    reason ? reason : "unknown error", reader->last ? reader->last : "(none)");
}

/* Relative, printable ASCII, no empty, "." or ".." component. */
static bool path_is_sane(const char *path)
{
	g_auto(GStrv) parts = NULL;

	if (strlen(path) == 0 || strlen(path) > PATH_MAX_BYTES)
		return false;
	for (const char *p = path; *p; p++)
		if (!g_ascii_isgraph(*p) || *p == '\\')
			return false;
	parts = g_strsplit(path, "/", -1);
	for (unsigned i = 0; parts[i]; i++)
		if (!*parts[i] || strcmp(parts[i], ".") == 0 || strcmp(parts[i], "..") == 0)
			return false;
	return true;
}

/* The header's size is only a claim: what counts is what comes out, and that is bounded. */
static GBytes *reader_data(struct reader *reader, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	guint8 buffer[16384];
	la_ssize_t n;

	while ((n = archive_read_data(reader->archive, buffer, sizeof(buffer))) > 0) {
		reader->total += (gsize)n;
		if (reader->total > EVIDENCE_MAX_BYTES) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "the evidence holds more than %u bytes", EVIDENCE_MAX_BYTES);
			return NULL;
		}
		g_byte_array_append(bytes, buffer, (guint)n);
	}
	if (n < 0) {
		error_archive(reader, error);
		return NULL;
	}
	return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

static bool reader_member(struct reader *reader, struct archive_entry *entry, GError **error)
{
	const char *path = archive_entry_pathname(entry);
	g_autofree char *name = NULL;
	GBytes *bytes;

	if (!path || !path_is_sane(path) || archive_entry_filetype(entry) != AE_IFREG ||
	    archive_entry_hardlink(entry)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the evidence holds '%.100s', which is not a plain file below its root",
			    path ? path : "(no name)");
		return false;
	}
	if (g_hash_table_contains(reader->members, path)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the evidence holds '%s' twice", path);
		return false;
	}
	if (g_hash_table_size(reader->members) >= EVIDENCE_MAX_ENTRIES) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the evidence holds more than %u members", EVIDENCE_MAX_ENTRIES);
		return false;
	}
	name = g_strdup(path);
	bytes = reader_data(reader, error);
	if (!bytes)
		return false;
	g_free(reader->last);
	reader->last = g_strdup(name);
	g_hash_table_insert(reader->members, g_steal_pointer(&name), bytes);
	return true;
}

static bool reader_open(struct reader *reader, GBytes *bytes, GError **error)
{
	gsize length;
	const void *data = g_bytes_get_data(bytes, &length);

	reader->archive = archive_read_new();
	archive_read_support_filter_gzip(reader->archive);
	archive_read_support_format_tar(reader->archive);
	if (archive_read_open_memory(reader->archive, data, length) != ARCHIVE_OK) {
		error_archive(reader, error);
		return false;
	}
	return true;
}

/* One layer of gzip and no other: libarchive would also unpack gzip in gzip, or take a bare tar. */
static bool reader_filters_are_sane(struct reader *reader, GError **error)
{
	if (archive_filter_count(reader->archive) == 2 &&
	    archive_filter_code(reader->archive, 0) == ARCHIVE_FILTER_GZIP)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the evidence is not gzipped exactly once");
	return false;
}

static bool reader_run(struct reader *reader, GError **error)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(reader->archive, &entry)) == ARCHIVE_OK) {
		if (!reader->last && !reader_filters_are_sane(reader, error))
			return false;
		if (!reader_member(reader, entry, error))
			return false;
	}
	if (status != ARCHIVE_EOF) {
		error_archive(reader, error);
		return false;
	}
	return true;
}

/* "agent: 1", "members: N", then lines for humans; N counts the members before the manifest. */
static bool manifest_check(const struct reader *reader, GError **error)
{
	GBytes *bytes = g_hash_table_lookup(reader->members, MANIFEST);
	guint64 version, members, seen = g_hash_table_size(reader->members) - 1;
	g_autofree char *text = NULL;
	const char *p; /* of an empty member, the bytes are NULL */

	if (!bytes || strcmp(reader->last, MANIFEST) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the evidence does not end with its manifest but with '%s'",
			    reader->last ? reader->last : "(nothing)");
		return false;
	}
	p = g_bytes_get_data(bytes, NULL);
	text = g_strndup(p ? p : "", g_bytes_get_size(bytes));
	p = text;
	if (!scan_literal(&p, "agent: ") || !scan_decimal(&p, G_MAXUINT32, &version) ||
	    !scan_literal(&p, "\nmembers: ") || !scan_decimal(&p, G_MAXUINT32, &members) ||
	    !scan_literal(&p, "\n")) {
		g_set_error(
			error, TOPOLAB_ERROR, ERROR_LAB,
			"the evidence's manifest does not begin with the agent's version and the "
			"number of members");
		return false;
	}
	if (version != RECORDS_AGENT_VERSION) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the evidence is of agent version %" G_GUINT64_FORMAT
			    ", this topolab reads version %d",
			    version, RECORDS_AGENT_VERSION);
		return false;
	}
	if (members != seen) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the evidence's manifest counts %" G_GUINT64_FORMAT
			    " members, the archive holds %" G_GUINT64_FORMAT,
			    members, seen);
		return false;
	}
	return true;
}

struct root *evidence_open(GBytes *archive, GError **error)
{
	struct reader reader = {
		.members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						 (GDestroyNotify)g_bytes_unref),
	};
	struct root *root = NULL;

	if (reader_open(&reader, archive, error) && reader_run(&reader, error) &&
	    manifest_check(&reader, error))
		root = root_new_members(g_steal_pointer(&reader.members));
	reader_clear(&reader);
	return root;
}

/* "Linux version 6.12.117 (builder) ..." */
char *observe_release(struct root *evidence, GError **error)
{
	g_autofree char *release = root_read(evidence, NULL, "proc/sys/kernel/osrelease");
	g_autofree char *version = NULL;
	const char *p;

	if (release && *release)
		return g_steal_pointer(&release);
	version = root_read(evidence, error, "proc/version");
	if (!version)
		return NULL;
	p = version;
	g_clear_pointer(&release, g_free);
	if (scan_literal(&p, "Linux version "))
		release = scan_until(&p, " ");
	if (!release)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'proc/version' holds '%.80s', not 'Linux version RELEASE ...'",
			    version);
	return g_steal_pointer(&release);
}
