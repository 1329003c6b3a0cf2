// SPDX-License-Identifier: GPL-2.0-only
#include "report/machine.h"

#include "base/yaml.h"
#include "report/lines.h"
#include "topo/keeps.h"

#include <string.h>

/* An APIC id of more than 8 bits, or the broadcast id, needs x2APIC (Intel SDM 3A, 11.12.1). */
#define XAPIC_IDS 0xff

struct sheet {
	GString *out;
	const struct topo *topo;
	const struct report_style *style;
	const struct yaml_node *root; /* of the topology's file */
};

/* "  label     text", wrapped. */
static void sheet_field(struct sheet *sheet, const char *label, const char *text)
{
	g_autofree char *printable = lines_printable(text, sheet->style);
	g_autofree char *first = g_strdup_printf("  %-17s ", label);

	lines_wrap(sheet->out, first, "                    ", printable);
}

static void G_GNUC_PRINTF(3, 4)
	sheet_print(struct sheet *sheet, const char *label, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	sheet_field(sheet, label, text);
}

static void sheet_heading(struct sheet *sheet, const char *text)
{
	g_string_append_printf(sheet->out, "\n%s\n", text);
}

static unsigned count_groups(const struct topo *topo, enum topo_level level)
{
	unsigned n = 0;

	CPUS_FOREACH (cpu, topo_all_cpus(topo))
		n += cpus_next(topo_mask(topo, level, (unsigned)cpu), -1) == cpu;
	return n;
}

static unsigned max_threads(const struct topo *topo)
{
	unsigned most = 0;

	CPUS_FOREACH (cpu, topo_all_cpus(topo))
		most = MAX(most, cpus_count(topo_mask(topo, TOPO_CORE, (unsigned)cpu)));
	return most;
}

static bool has_l3(const struct topo *topo)
{
	return topo_cpu_model_tells_llc(topo_cpu_model(topo));
}

static void sheet_apic_ids(struct sheet *sheet)
{
	guint32 low = G_MAXUINT32, high = 0;

	CPUS_FOREACH (cpu, topo_all_cpus(sheet->topo)) {
		guint32 id = topo_cpu(sheet->topo, (unsigned)cpu)->apic_id;

		low = MIN(low, id);
		high = MAX(high, id);
	}
	sheet_print(sheet, "APIC ids", "%u to %u%s", low, high,
		    high >= XAPIC_IDS ? ", which needs x2APIC" : "");
}

static void sheet_size(struct sheet *sheet)
{
	const struct topo *topo = sheet->topo;
	const struct topo_cpu_model *model = topo_cpu_model(topo);

	g_autofree char *lacks = topo_lacks_text(model->lacks);

	sheet_print(sheet, "processor", "%s, family %u, model %u, stepping %u%s%s",
		    topo_vendor_name(model->vendor), model->family, model->model, model->stepping,
		    *lacks ? ", without " : "", lacks);
	sheet_print(sheet, "CPUs", "%u: packages %u, LLCs %u, cores %u, threads per core %u",
		    topo_n_cpus(topo), count_groups(topo, TOPO_PACKAGE),
		    has_l3(topo) ? count_groups(topo, TOPO_LLC) : 0, count_groups(topo, TOPO_CORE),
		    max_threads(topo));
	sheet_print(sheet, "numbering", "%s", topo_numbering_name(topo_numbering(topo)));
	sheet_apic_ids(sheet);
	sheet_print(sheet, "memory", "%u MiB in %u node%s", topo_memory_mib(topo),
		    topo_n_nodes(topo), topo_n_nodes(topo) == 1 ? "" : "s");
	if (*topo_boot_arguments(topo))
		sheet_print(sheet, "boot arguments", "%s", topo_boot_arguments(topo));
}

static void sheet_mini(struct sheet *sheet)
{
	const struct yaml_node *keeps = yaml_get(sheet->root, "keeps");

	if (!topo_mini_of(sheet->topo))
		return;
	sheet_print(sheet, "mini of", "%s, of which it keeps:", topo_mini_of(sheet->topo));
	for (unsigned i = 0; keeps && i < yaml_count(keeps); i++) {
		const char *name = yaml_text(yaml_item(keeps, i), NULL);

		sheet_print(sheet, "", "- %s: %s", name, topo_keep_help(name));
	}
}

static void sheet_cpus(struct sheet *sheet, const char *label, const struct cpus *cpus)
{
	g_autofree char *list = cpus_to_list(cpus);

	sheet_field(sheet, label, list);
}

/* Packages with the LLCs in them, told by their first CPUs. */
static void sheet_sharing(struct sheet *sheet)
{
	const struct topo *topo = sheet->topo;

	sheet_heading(sheet, has_l3(topo) ? "CPUs that share a package, and an LLC in it"
					  : "CPUs that share a package");
	CPUS_FOREACH (cpu, topo_all_cpus(topo)) {
		struct cpus *package = topo_mask(topo, TOPO_PACKAGE, (unsigned)cpu);
		g_autofree char *label =
			g_strdup_printf("package %u", topo_cpu(topo, (unsigned)cpu)->package);

		if (cpus_next(package, -1) != cpu)
			continue;
		sheet_cpus(sheet, label, package);
		if (!has_l3(topo))
			continue;
		CPUS_FOREACH (member, package) {
			struct cpus *llc = topo_mask(topo, TOPO_LLC, (unsigned)member);
			g_autofree char *name =
				g_strdup_printf("  LLC %u", topo_cpu(topo, (unsigned)member)->llc);

			if (cpus_next(llc, -1) == member)
				sheet_cpus(sheet, name, llc);
		}
	}
}

static void sheet_nodes(struct sheet *sheet)
{
	sheet_heading(sheet, "NUMA nodes");
	for (unsigned node = 0; node < topo_n_nodes(sheet->topo); node++) {
		g_autofree char *label = g_strdup_printf("%u, %u MiB", node,
							 topo_node_memory_mib(sheet->topo, node));
		struct cpus *cpus = topo_node_cpus(sheet->topo, node);

		if (cpus_is_empty(cpus))
			sheet_field(sheet, label, "no CPU");
		else
			sheet_cpus(sheet, label, cpus);
	}
}

static void sheet_distances(struct sheet *sheet)
{
	unsigned n = topo_n_nodes(sheet->topo);

	sheet_heading(sheet, "Distances, from the node of the row to that of the column");
	g_string_append(sheet->out, "      ");
	for (unsigned to = 0; to < n; to++)
		g_string_append_printf(sheet->out, " %3u", to);
	g_string_append_c(sheet->out, '\n');
	for (unsigned from = 0; from < n; from++) {
		g_string_append_printf(sheet->out, "  %3u:", from);
		for (unsigned to = 0; to < n; to++)
			g_string_append_printf(sheet->out, " %3u",
					       topo_distance(sheet->topo, from, to));
		g_string_append_c(sheet->out, '\n');
	}
}

/* The tables that the file says itself; what they say is what the file says. */
static void sheet_firmware(struct sheet *sheet)
{
	const struct yaml_node *firmware = yaml_get(sheet->root, "firmware");
	g_autoptr(GString) tables = g_string_new(NULL);

	if (!firmware)
		return;
	for (unsigned i = 0; i < yaml_count(firmware); i++)
		g_string_append_printf(tables, "%s%s", i ? ", " : "", yaml_key(firmware, i));
	sheet_print(sheet, "firmware says", "%s", tables->str);
}

static void sheet_references(struct sheet *sheet)
{
	const struct yaml_node *references = yaml_get(sheet->root, "reference");

	if (!references)
		return;
	sheet_heading(sheet, "Where the numbers come from");
	for (unsigned i = 0; i < yaml_count(references); i++) {
		const char *key = yaml_key(references, i);
		const char *source = topo_reference(sheet->topo, key);

		if (source)
			sheet_field(sheet, key, source);
	}
}

char *report_machine(const struct topo *topo, const struct report_style *style)
{
	const char *text = topo_text(topo);
	/* It has been loaded from this very text. */
	AUTO(yaml) *yaml = yaml_parse(text, strlen(text), topo_name(topo), NULL);
	struct sheet sheet = {
		.out = g_string_new(NULL),
		.topo = topo,
		.style = style,
		.root = yaml ? yaml_root(yaml) : NULL,
	};
	g_autofree char *title = g_strdup_printf("%s: %s", topo_name(topo), topo_title(topo));
	g_autofree char *printable = lines_printable(title, style);

	g_string_append_printf(sheet.out, "%s\n\n", printable);
	sheet_size(&sheet);
	if (sheet.root) {
		sheet_mini(&sheet);
		sheet_firmware(&sheet);
	}
	sheet_sharing(&sheet);
	sheet_nodes(&sheet);
	sheet_distances(&sheet);
	if (sheet.root)
		sheet_references(&sheet);
	return g_string_free(sheet.out, FALSE);
}
