// SPDX-License-Identifier: GPL-2.0-only
#include "topo/model.h"

#include "base/names.h"

ENUM_NAMES(
	topo_vendor,
	TOPO_VENDOR_COUNT, [TOPO_VENDOR_AMD] = "AuthenticAMD", [TOPO_VENDOR_INTEL] = "GenuineIntel")

ENUM_NAMES(topo_numbering, TOPO_NUMBERING_COUNT, [TOPO_NUMBERING_THREADS_LAST] = "threads-last",
	   [TOPO_NUMBERING_THREADS_ADJACENT] = "threads-adjacent",
	   [TOPO_NUMBERING_EXPLICIT] = "explicit")

ENUM_NAMES(topo_lack, TOPO_LACK_COUNT, [TOPO_LACK_TOPOEXT] = "topoext", [TOPO_LACK_L3] = "l3")

ENUM_NAMES(topo_level, TOPO_LEVEL_COUNT, [TOPO_CORE] = "core", [TOPO_L2] = "l2", [TOPO_LLC] = "llc",
	   [TOPO_PACKAGE] = "package")

struct topo *topo_new(void)
{
	struct topo *topo = g_rc_box_new0(struct topo);

	topo->references = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return topo;
}

struct topo *topo_ref(struct topo *topo)
{
	return g_rc_box_acquire(topo);
}

static void sets_free(struct cpus **sets, unsigned n)
{
	for (unsigned i = 0; sets && i < n; i++)
		cpus_unref(sets[i]);
	g_free(sets);
}

void topo_clear_sets(struct topo *topo)
{
	sets_free(topo->node_cpus, topo->n_nodes);
	for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
		sets_free(topo->masks[level], topo->n_cpus);
	cpus_unref(topo->all);
}

static void topo_clear(gpointer data)
{
	struct topo *topo = data;

	g_free(topo->name);
	g_free(topo->title);
	g_free(topo->text);
	g_free(topo->boot_arguments);
	g_free(topo->mini_of);
	g_strfreev(topo->keeps);
	g_hash_table_unref(topo->references);
	g_free(topo->node_memory_mib);
	g_free(topo->distance);
	topo_clear_sets(topo);
	g_free(topo->cpu);
	g_free(topo->vcpu);
	topo_clear_firmware(&topo->firmware);
}

void topo_unref(struct topo *topo)
{
	if (topo)
		g_rc_box_release_full(topo, topo_clear);
}

const char *topo_name(const struct topo *topo)
{
	return topo->name;
}

const char *topo_title(const struct topo *topo)
{
	return topo->title;
}

const char *topo_mini_of(const struct topo *topo)
{
	return topo->mini_of;
}

const char *topo_reference(const struct topo *topo, const char *key)
{
	return g_hash_table_lookup(topo->references, key);
}

const char *topo_text(const struct topo *topo)
{
	return topo->text;
}

const struct topo_cpu_model *topo_cpu_model(const struct topo *topo)
{
	return &topo->model;
}

bool topo_cpu_model_lacks(const struct topo_cpu_model *model, enum topo_lack lack)
{
	return model->lacks & 1u << lack;
}

bool topo_cpu_model_tells_llc(const struct topo_cpu_model *model)
{
	if (!topo_cpu_model_lacks(model, TOPO_LACK_L3))
		return true;
	return model->vendor == TOPO_VENDOR_AMD && !topo_cpu_model_lacks(model, TOPO_LACK_TOPOEXT);
}

char *topo_lacks_text(unsigned lacks)
{
	GString *text = g_string_new(NULL);

	for (enum topo_lack lack = 0; lack < TOPO_LACK_COUNT; lack++)
		if (lacks & 1u << lack)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "",
					       topo_lack_name(lack));
	return g_string_free(text, FALSE);
}

bool topo_cpu_model_fixes_llc(const struct topo_cpu_model *model)
{
	return model->vendor == TOPO_VENDOR_AMD && model->family == 0x17 && model->model <= 0x1f &&
	       !model->lacks;
}

enum topo_numbering topo_numbering(const struct topo *topo)
{
	return topo->numbering;
}

const char *topo_boot_arguments(const struct topo *topo)
{
	return topo->boot_arguments;
}

unsigned topo_n_cpus(const struct topo *topo)
{
	return topo->n_cpus;
}

unsigned topo_n_added(const struct topo *topo)
{
	return topo->n_added;
}

const struct topo_cpu *topo_cpu(const struct topo *topo, unsigned cpu)
{
	g_assert(cpu < topo->n_cpus);
	return &topo->cpu[cpu];
}

unsigned topo_core_id(const struct topo *topo, unsigned cpu)
{
	guint32 within = topo_cpu(topo, cpu)->apic_id &
			 ((1u << topo_apic_shift(&topo->shape, TOPO_PACKAGE)) - 1);

	return within >> topo_apic_shift(&topo->shape, TOPO_CORE);
}

unsigned topo_n_vcpus(const struct topo *topo)
{
	return topo->n_vcpus;
}

int topo_cpu_of_vcpu(const struct topo *topo, unsigned vcpu)
{
	g_assert(vcpu < topo->n_vcpus);
	return topo->vcpu[vcpu].cpu;
}

unsigned topo_node_of_vcpu(const struct topo *topo, unsigned vcpu)
{
	g_assert(vcpu < topo->n_vcpus);
	return topo->vcpu[vcpu].node;
}

guint32 topo_apic_id_of_vcpu(const struct topo *topo, unsigned vcpu)
{
	g_assert(vcpu < topo->n_vcpus);
	return topo->vcpu[vcpu].apic_id;
}

unsigned topo_n_packages(const struct topo *topo)
{
	return topo->shape.packages;
}

unsigned topo_llcs_per_package(const struct topo *topo)
{
	return topo->shape.llcs;
}

unsigned topo_core_slots_per_llc(const struct topo *topo)
{
	return topo->shape.core_slots;
}

unsigned topo_cores_per_l2(const struct topo *topo)
{
	return topo->shape.l2_cores;
}

unsigned topo_threads_per_core(const struct topo *topo)
{
	return topo->shape.threads;
}

unsigned topo_nodes_per_package(const struct topo *topo)
{
	return topo->shape.nodes;
}

struct cpus *topo_mask(const struct topo *topo, enum topo_level level, unsigned cpu)
{
	g_assert(cpu < topo->n_cpus);
	return topo->masks[level][cpu];
}

struct cpus *topo_all_cpus(const struct topo *topo)
{
	return topo->all;
}

unsigned topo_n_nodes(const struct topo *topo)
{
	return topo->n_nodes;
}

struct cpus *topo_node_cpus(const struct topo *topo, unsigned node)
{
	g_assert(node < topo->n_nodes);
	return topo->node_cpus[node];
}

unsigned topo_node_memory_mib(const struct topo *topo, unsigned node)
{
	g_assert(node < topo->n_nodes);
	return topo->node_memory_mib[node];
}

unsigned topo_memory_mib(const struct topo *topo)
{
	unsigned mib = 0;

	for (unsigned node = 0; node < topo_n_nodes(topo); node++)
		mib += topo_node_memory_mib(topo, node);
	return mib;
}

unsigned topo_distance(const struct topo *topo, unsigned from, unsigned to)
{
	g_assert(from < topo->n_nodes && to < topo->n_nodes);
	return topo->distance[from * topo->n_nodes + to];
}
