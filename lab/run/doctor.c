// SPDX-License-Identifier: GPL-2.0-only
#include "run/doctor.h"

#include "base/host.h"
#include "base/names.h"
#include "base/version.h"

#include <jansson.h>

ENUM_NAMES(doctor_state, DOCTOR_STATE_COUNT, [DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited",
	   [DOCTOR_MISSING] = "missing")

#define MIB ((guint64)1 << 20)

/* A kernel package, unpacked beside its download. */
#define CACHE_MIB 400
/* A kernel and an initramfs of one guest, and what libvirt writes beside them. */
#define RUNTIME_MIB 32
/* nps1-mini, the smallest of our machines, and QEMU itself. */
#define MEMORY_MIB 1024
/* The libvirts that were tried; older ones may work. */
#define LIBVIRT_OLDEST 10

static void item_free(gpointer data)
{
	struct doctor_item *item = data;

	g_free(item->found);
	g_free(item->advice);
	g_free(item);
}

/* @found and @advice are taken over. */
static void add(GPtrArray *items, const char *name, enum doctor_state state, char *found,
		char *advice)
{
	struct doctor_item *item = g_new0(struct doctor_item, 1);

	item->name = name;
	item->state = state;
	item->found = found;
	item->advice = advice;
	g_ptr_array_add(items, item);
}

static void examine_host(GPtrArray *items, struct root *root, const struct doctor_facts *facts)
{
	g_autofree char *model = host_cpu_model(root);
	g_autoptr(GError) error = NULL;

	add(items, "host", DOCTOR_OK,
	    g_strdup_printf("%s, %u CPUs, %s", facts->system, facts->n_cpus, model), NULL);
	if (host_check_mounts(root, &error))
		add(items, "mounts", DOCTOR_OK, g_strdup("/proc, /sys and /dev are there"), NULL);
	else
		add(items, "mounts", DOCTOR_MISSING, g_strdup(error->message), NULL);
}

static void examine_reaping(GPtrArray *items, struct root *root, const struct doctor_facts *facts)
{
	g_autofree char *first = root_read(root, NULL, "proc/1/comm");

	if (facts->reaping_problem)
		add(items, "reaping", DOCTOR_MISSING, g_strdup(facts->reaping_problem), NULL);
	else
		add(items, "reaping", DOCTOR_OK,
		    g_strdup_printf("ended guests are waited for here, not left to PID 1 ('%s')",
				    first ? first : "unknown"),
		    NULL);
}

static void examine_folder(GPtrArray *items, const char *name, const struct doctor_folder *folder,
			   unsigned wanted_mib, const char *variable)
{
	if (folder->problem)
		add(items, name, DOCTOR_MISSING, g_strdup(folder->problem), NULL);
	else if (folder->free_bytes / MIB < wanted_mib)
		add(items, name, DOCTOR_LIMITED,
		    g_strdup_printf("'%s' has %" G_GUINT64_FORMAT " MiB free", folder->path,
				    folder->free_bytes / MIB),
		    g_strdup_printf("%u MiB are enough; %s names another folder", wanted_mib,
				    variable));
	else
		add(items, name, DOCTOR_OK,
		    g_strdup_printf("'%s', %" G_GUINT64_FORMAT " MiB free", folder->path,
				    folder->free_bytes / MIB),
		    NULL);
}

static void examine_qemu(GPtrArray *items, const struct doctor_facts *facts)
{
	const struct qemu *qemu = facts->qemu;

	if (!qemu) {
		add(items, "qemu", DOCTOR_MISSING, g_strdup(facts->qemu_problem), NULL);
		return;
	}
	add(items, "qemu", qemu->tcg_x2apic && qemu->smp_cache ? DOCTOR_OK : DOCTOR_LIMITED,
	    g_strdup_printf("QEMU %s ('%s'), %s x2APIC under TCG, %s smp-cache", qemu->version,
			    qemu->path, qemu->tcg_x2apic ? "with" : "without",
			    qemu->smp_cache ? "with" : "without"),
	    !qemu->tcg_x2apic
		    ? g_strdup("machines with APIC ids above 254 need QEMU 9.0 without KVM; 'make "
			       "deps DEPS=upgrade' installs the newest that the distribution has")
	    : !qemu->smp_cache ? g_strdup("cache levels of one's own would need QEMU 10.0")
			       : NULL);
}

static void examine_libvirt(GPtrArray *items, const struct doctor_facts *facts)
{
	const struct vm_trial *trial = &facts->trial;
	unsigned long major = trial->libvirt ? g_ascii_strtoull(trial->libvirt, NULL, 10) : 0;

	if (!trial->libvirt)
		add(items, "libvirt", DOCTOR_MISSING,
		    g_strdup(trial->problem ?: "it could not be tried"), NULL);
	else if (major < LIBVIRT_OLDEST)
		add(items, "libvirt", DOCTOR_LIMITED, g_strdup_printf("libvirt %s", trial->libvirt),
		    g_strdup_printf("topolab was tried with %d.0 and newer; 'make deps "
				    "DEPS=upgrade' installs the newest that the distribution has",
				    LIBVIRT_OLDEST));
	else
		add(items, "libvirt", DOCTOR_OK, g_strdup_printf("libvirt %s", trial->libvirt),
		    NULL);
	if (trial->libvirt && trial->problem)
		add(items, "guest", DOCTOR_MISSING, g_strdup(trial->problem), NULL);
	else if (trial->libvirt)
		add(items, "guest", DOCTOR_OK, g_strdup("a guest starts under TCG"), NULL);
}

static void examine_kvm(GPtrArray *items, const struct doctor_facts *facts)
{
	if (facts->kvm_problem)
		add(items, "kvm", DOCTOR_LIMITED, g_strdup(facts->kvm_problem),
		    g_strdup("guests run under TCG, many times slower"));
	else if (facts->kvm_tried)
		add(items, "kvm", DOCTOR_OK,
		    g_strdup_printf("Linux %s boots under KVM", facts->kernel), NULL);
	else
		add(items, "kvm", DOCTOR_LIMITED,
		    g_strdup_printf("/dev/kvm opens, but no kernel was booted to see whether it "
				    "works: %s",
				    facts->kernel_problem),
		    g_strdup("name one with --kernel"));
}

static void examine_size(GPtrArray *items, struct root *root, const struct doctor_facts *facts)
{
	guint64 memory = host_memory_available(root) / MIB;
	unsigned cpus;

	if (!facts->qemu)
		return;
	cpus = facts->qemu->max_cpus;
	if (facts->kvm_problem && !facts->qemu->tcg_x2apic)
		cpus = MIN(cpus, 255);
	add(items, "largest", memory < MEMORY_MIB ? DOCTOR_LIMITED : DOCTOR_OK,
	    g_strdup_printf("a machine of %u CPUs and %" G_GUINT64_FORMAT " MiB of memory", cpus,
			    memory),
	    memory < MEMORY_MIB ? g_strdup_printf("%d MiB are what a small one takes", MEMORY_MIB)
				: NULL);
}

static void examine_tools(GPtrArray *items, const struct doctor_facts *facts)
{
	if (facts->fetch_problem)
		add(items, "kernels", DOCTOR_LIMITED, g_strdup(facts->fetch_problem), NULL);
	else
		add(items, "kernels", DOCTOR_OK, g_strdup("Debian's kernels can be fetched"), NULL);
	add(items, "hwloc", DOCTOR_OK, g_strdup_printf("hwloc %s", facts->hwloc), NULL);
}

GPtrArray *doctor_examine(struct root *root, const struct doctor_facts *facts)
{
	GPtrArray *items = g_ptr_array_new_with_free_func(item_free);

	examine_host(items, root, facts);
	examine_reaping(items, root, facts);
	examine_folder(items, "cache", &facts->cache, CACHE_MIB, "TOPOLAB_CACHE");
	examine_folder(items, "runtime", &facts->runtime, RUNTIME_MIB, "TOPOLAB_RUNTIME");
	examine_qemu(items, facts);
	examine_libvirt(items, facts);
	examine_kvm(items, facts);
	examine_size(items, root, facts);
	examine_tools(items, facts);
	return items;
}

bool doctor_works(const GPtrArray *items)
{
	for (guint i = 0; i < items->len; i++)
		if (((const struct doctor_item *)items->pdata[i])->state == DOCTOR_MISSING)
			return false;
	return true;
}

char *doctor_text(const GPtrArray *items)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < items->len; i++) {
		const struct doctor_item *item = items->pdata[i];

		g_string_append_printf(text, "%-8s %-8s %s%s%s\n", doctor_state_name(item->state),
				       item->name, item->found, item->advice ? "; " : "",
				       item->advice ? item->advice : "");
	}
	g_string_append(text, doctor_works(items) ? "\n'topolab run' works on this host\n"
						  : "\n'topolab run' does not work on this host\n");
	return g_string_free(text, FALSE);
}

char *doctor_json(const GPtrArray *items)
{
	json_t *list = json_array();
	json_t *all = json_pack("{s:i, s:s, s:b, s:o}", "schema", 1, "topolab", TOPOLAB_VERSION,
				"works", doctor_works(items), "items", list);
	char *dump, *text;

	for (guint i = 0; i < items->len; i++) {
		const struct doctor_item *item = items->pdata[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s?}", "name", item->name,
						"state", doctor_state_name(item->state), "found",
						item->found, "advice", item->advice));
	}
	dump = json_dumps(all, JSON_INDENT(1));
	text = g_strconcat(dump, "\n", NULL);
	free(dump);
	json_decref(all);
	return text;
}
