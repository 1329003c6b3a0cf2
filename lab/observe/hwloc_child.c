// SPDX-License-Identifier: GPL-2.0-only
#include "observe/hwloc_child.h"

#include "base/error.h"
#include "base/spawn.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

/* 256 CPUs take 15 to 35 ms; this is for a dump that makes hwloc loop. */
#define SECONDS_MAX 60
#define OUTPUT_MAX  (64u << 20)
/* The child's last words, so that a cut output is seen. */
#define END "end"

struct scratch {
	char *path;
	unsigned n;
};

/* Only files of our own making are removed, by name. */
static void scratch_clear(struct scratch *scratch)
{
	g_autofree char *info = g_build_filename(scratch->path, "hwloc-cpuid-info", NULL);

	for (unsigned i = 0; i < scratch->n; i++) {
		g_autofree char *file = g_strdup_printf("%s/pu%u", scratch->path, i);

		g_unlink(file);
	}
	g_unlink(info);
	g_rmdir(scratch->path);
	g_free(scratch->path);
}

/* In memory where the host has it: /dev/shm is a tmpfs, and nothing here outlives the call. */
static bool scratch_make(struct scratch *scratch, GError **error)
{
	static const char *const parents[] = {"/dev/shm", NULL};

	for (unsigned i = 0; i < G_N_ELEMENTS(parents); i++) {
		const char *parent = parents[i] ? parents[i] : g_get_tmp_dir();

		scratch->path = g_build_filename(parent, "topolab-cpuid-XXXXXX", NULL);
		if (g_mkdtemp_full(scratch->path, 0700))
			return true;
		g_clear_pointer(&scratch->path, g_free);
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "cannot make a folder for CPUID dumps in '/dev/shm' or '%s': %s",
		    g_get_tmp_dir(), g_strerror(errno));
	return false;
}

static bool scratch_write(struct scratch *scratch, char *const *dumps, unsigned n, GError **error)
{
	g_autofree char *info = g_build_filename(scratch->path, "hwloc-cpuid-info", NULL);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *file = g_strdup_printf("%s/pu%u", scratch->path, i);

		scratch->n = i + 1;
		if (!g_file_set_contents_full(file, dumps[i], -1, G_FILE_SET_CONTENTS_NONE, 0600,
					      error))
			return false;
	}
	return g_file_set_contents_full(info, "Architecture: x86\n", -1, G_FILE_SET_CONTENTS_NONE,
					0600, error);
}

static void print_mask(FILE *out, hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t pu)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, pu);
	char *list = NULL;

	if (object && hwloc_bitmap_list_asprintf(&list, object->cpuset) >= 0)
		fprintf(out, " %s", list);
	else
		fputs(" -", out);
	free(list);
}

/* hwloc quietly loads the host when it dislikes the dumps. */
static bool is_the_dump(hwloc_topology_t topology, unsigned n)
{
	const char *backend = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "Backend");

	return hwloc_topology_is_thissystem(topology) == 0 && backend &&
	       strcmp(backend, "x86") == 0 &&
	       hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) == (int)n;
}

/* In the child. Prints "PU CORE L2 L3 PACKAGE" for each CPU. */
static int hwloc_main(int fd, void *data)
{
	const struct scratch *scratch = data;
	hwloc_topology_t topology;
	FILE *out = fdopen(fd, "w");
	hwloc_obj_t pu = NULL;

	if (!out || hwloc_topology_init(&topology) != 0 ||
	    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
	    hwloc_topology_load(topology) != 0)
		return 2;
	if (!is_the_dump(topology, scratch->n))
		return 3;
	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
		fprintf(out, "%u", pu->os_index);
		print_mask(out, topology, HWLOC_OBJ_CORE, pu);
		print_mask(out, topology, HWLOC_OBJ_L2CACHE, pu);
		print_mask(out, topology, HWLOC_OBJ_L3CACHE, pu);
		print_mask(out, topology, HWLOC_OBJ_PACKAGE, pu);
		fputc('\n', out);
	}
	fputs(END "\n", out);
	return fclose(out) == 0 ? 0 : 4;
}

static char *word_take(const char *word)
{
	return strcmp(word, "-") == 0 ? NULL : g_strdup(word);
}

static bool line_take(struct hwloc_masks *masks, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint64 pu;

	if (g_strv_length(words) != 5 ||
	    !g_ascii_string_to_unsigned(words[0], 10, 0, masks->n - 1, &pu, NULL) ||
	    masks->core[pu] || masks->package[pu])
		return false;
	masks->core[pu] = word_take(words[1]);
	masks->l2[pu] = word_take(words[2]);
	masks->l3[pu] = word_take(words[3]);
	masks->package[pu] = word_take(words[4]);
	return true;
}

static struct hwloc_masks *masks_new(unsigned n)
{
	struct hwloc_masks *masks = g_new0(struct hwloc_masks, 1);

	masks->n = n;
	masks->core = g_new0(char *, n);
	masks->l2 = g_new0(char *, n);
	masks->l3 = g_new0(char *, n);
	masks->package = g_new0(char *, n);
	return masks;
}

void hwloc_masks_free(struct hwloc_masks *masks)
{
	if (!masks)
		return;
	for (unsigned i = 0; i < masks->n; i++) {
		g_free(masks->core[i]);
		g_free(masks->l2[i]);
		g_free(masks->l3[i]);
		g_free(masks->package[i]);
	}
	g_free(masks->core);
	g_free(masks->l2);
	g_free(masks->l3);
	g_free(masks->package);
	g_free(masks);
}

static struct hwloc_masks *masks_parse(const char *output, unsigned n, GError **error)
{
	AUTO(hwloc_masks) *masks = masks_new(n);
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
	bool whole = g_strv_length(lines) == n + 2 && strcmp(lines[n], END) == 0;

	for (unsigned i = 0; whole && i < n; i++)
		whole = line_take(masks, lines[i]);
	if (whole)
		return g_steal_pointer(&masks);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "hwloc's reading of the CPUID dumps does not list %u CPUs", n);
	return NULL;
}

struct hwloc_masks *hwloc_masks_read(char *const *dumps, unsigned n, GError **error)
{
	struct scratch scratch = {0};
	struct hwloc_masks *masks = NULL;
	g_autofree char *output = NULL;

	if (!scratch_make(&scratch, error))
		return NULL;
	if (scratch_write(&scratch, dumps, n, error)) {
		g_autofree char *path = g_strconcat("HWLOC_CPUID_PATH=", scratch.path, NULL);
		const char *const environment[] = {
			path,
			"HWLOC_COMPONENTS=x86,stop",
			"HWLOC_HIDE_ERRORS=2",
			NULL,
		};

		output = spawn_function("hwloc's reading of the CPUID dumps", hwloc_main, &scratch,
					environment, SECONDS_MAX, OUTPUT_MAX, error);
	}
	if (output)
		masks = masks_parse(output, n, error);
	scratch_clear(&scratch);
	return masks;
}
