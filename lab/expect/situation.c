// SPDX-License-Identifier: GPL-2.0-only
#include "expect/situation.h"

#include "base/error.h"
#include "expect/arguments.h"
#include "expect/sharing.h"
#include "expect/versions.h"

#include <string.h>

/* What the arguments said, before any CPU is started. */
struct told {
	const struct topo *topo;
	const struct kernel_facts *facts;
	struct situation *situation;
	unsigned max_cpus; /* maxcpus=; 0: not given */
	bool parallel;	   /* CPUs are started side by side, first threads first */
	unsigned version;
};

/* Each returns false for a value that it does not understand. */
static bool number_read(const char *value, unsigned least, unsigned *number)
{
	guint64 read;

	if (!value || !g_ascii_string_to_unsigned(value, 10, least, CPUS_MAX, &read, NULL))
		return false;
	*number = (unsigned)read;
	return true;
}

/* maxcpus=0 also takes the IO-APIC away; that is another machine. */
static bool read_maxcpus(struct told *told, const char *value)
{
	return number_read(value, 1, &told->max_cpus);
}

/*
 * CPUs beyond are never numbered: generic_processor_info() of 6.1, topology_register_apic(). What
 * is given twice only gets smaller: nrcpus(), kernel/smp.c.
 */
static bool read_nr_cpus(struct told *told, const char *value)
{
	unsigned *nr_cpus = &told->situation->nr_cpus, before = *nr_cpus;

	if (!number_read(value, 1, nr_cpus))
		return false;
	if (before && before < *nr_cpus)
		*nr_cpus = before;
	return true;
}

/* nosmt and nosmt=force: cpu_smt_disable(), kernel/cpu.c. */
static bool read_nosmt(struct told *told, const char *value)
{
	told->situation->threads_off = true;
	return !value || strcmp(value, "force") == 0;
}

/* numa_setup(), arch/x86/mm/numa.c; other values fake nodes or leave the SRAT out. */
static bool read_numa(struct told *told, const char *value)
{
	told->situation->one_node = true;
	return value && strcmp(value, "off") == 0;
}

/*
 * housekeeping_isolcpus_setup() and housekeeping_setup(), kernel/sched/isolation.c. Only with
 * "domain" are there no domains; a kernel without NO_HZ_FULL takes nothing of what says "nohz", and
 * none takes a second list of other CPUs.
 */
static bool read_isolcpus(struct told *told, const char *value)
{
	bool domain = false, managed_irq = false, nohz = false;
	AUTO(cpus) *list = NULL;

	while (value && g_ascii_isalpha(*value)) {
		if (g_str_has_prefix(value, "domain,"))
			domain = true;
		else if (g_str_has_prefix(value, "managed_irq,"))
			managed_irq = true;
		else if (g_str_has_prefix(value, "nohz,"))
			nohz = true;
		else
			return false;
		value = strchr(value, ',') + 1;
	}
	list = value && *value ? cpus_parse_list(value, NULL) : NULL;
	if (!list)
		return false;
	if (nohz && !kernel_facts_builtin(told->facts, "NO_HZ_FULL"))
		return true;
	if ((domain || !(nohz || managed_irq)) && cpus_is_empty(told->situation->isolated))
		cpus_or(told->situation->isolated, list);
	return true;
}

/* setup_relax_domain_level(), kernel/sched/topology.c. */
static bool read_relax(struct told *told, const char *value)
{
	gint64 level;

	if (!value || !g_ascii_string_to_signed(value, 10, -1, CPUS_MAX, &level, NULL))
		return false;
	told->situation->relax_domain_level = (int)level;
	return true;
}

/* split_llc_setup(), arch/x86/kernel/smpboot.c of 7.3. Older kernels take no notice. */
static bool read_split_llc(struct told *told, const char *value)
{
	return number_read(value, 0, &told->situation->split_llc);
}

/*
 * Not an argument that changes a machine, but how maxcpus= takes its pick. kstrtobool() looks at
 * the first letters alone; what it does not understand changes nothing.
 */
static bool read_parallel(struct told *told, const char *value)
{
	char first = value ? g_ascii_tolower(value[0]) : '\0';
	char second = first ? g_ascii_tolower(value[1]) : '\0';

	if ((first && strchr("yt1", first)) || (first == 'o' && second == 'n'))
		told->parallel = true;
	else if ((first && strchr("nf0", first)) || (first == 'o' && second == 'f'))
		told->parallel = false;
	return true;
}

static const struct argument {
	const char *name;
	struct versions versions; /* that take notice of it */
	bool (*read)(struct told *told, const char *value);
} arguments[] = {
	{"maxcpus", {RELEASE(6, 1)}, read_maxcpus},
	{"nr_cpus", {RELEASE(6, 1)}, read_nr_cpus},
	{"nosmt", {RELEASE(6, 1)}, read_nosmt},
	{"numa", {RELEASE(6, 1)}, read_numa},
	{"isolcpus", {RELEASE(6, 1)}, read_isolcpus},
	{"relax_domain_level", {RELEASE(6, 1)}, read_relax},
	{"split_llc", {RELEASE(7, 3)}, read_split_llc},
	{"cpuhp.parallel", {RELEASE(6, 5)}, read_parallel},
};

static const struct argument *argument_find(const char *word)
{
	gsize length = strcspn(word, "=");

	for (gsize i = 0; i < G_N_ELEMENTS(arguments); i++)
		if (strlen(arguments[i].name) == length &&
		    strncmp(word, arguments[i].name, length) == 0)
			return &arguments[i];
	return NULL;
}

static bool error_unmodelled(const char *word, GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
		    "no rule models what the kernel argument '%s' does", word);
	return false;
}

static bool read_word(struct told *told, const char *word, unsigned version, GError **error)
{
	const struct argument *argument = argument_find(word);
	const char *value = strchr(word, '=');

	if (!argument)
		return !arguments_unmodelled(word) || error_unmodelled(word, error);
	if (!versions_have(&argument->versions, version))
		return true;
	return argument->read(told, value ? value + 1 : NULL) || error_unmodelled(word, error);
}

static bool read_command_line(struct told *told, const char *line, unsigned version, GError **error)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t\n", -1);

	for (gsize i = 0; words[i]; i++)
		if (*words[i] && !read_word(told, words[i], version, error))
			return false;
	if (told->max_cpus && told->situation->threads_off)
		return error_unmodelled("maxcpus with nosmt", error);
	if (told->situation->nr_cpus && topo_n_added(told->topo))
		return error_unmodelled("nr_cpus with CPUs that ACPI adds", error);
	return true;
}

/* The first threads of all cores: topology_is_primary_thread(). */
static struct cpus *first_threads(const struct told *told)
{
	struct cpus *first = cpus_new();

	for (unsigned cpu = 0; cpu < topo_n_cpus(told->topo); cpu++) {
		AUTO(cpus) *threads = sharing_mask(told->topo, told->version, TOPO_CORE, cpu);

		if (cpus_next(threads, -1) == (int)cpu)
			cpus_add(first, cpu);
	}
	return first;
}

static void start(struct cpus *booted, const struct cpus *candidates, unsigned most)
{
	CPUS_FOREACH (cpu, candidates)
		if (cpus_count(booted) < most)
			cpus_add(booted, (unsigned)cpu);
}

static struct cpus *present_cpus(const struct told *told)
{
	struct cpus *present = cpus_new();

	start(present, topo_all_cpus(told->topo), told->situation->nr_cpus ?: CPUS_MAX);
	return present;
}

/* smp_init() comes before ACPI adds what it finds in the DSDT. */
static struct cpus *first_present(const struct told *told)
{
	struct cpus *first = cpus_copy(told->situation->present);
	unsigned n = topo_n_cpus(told->topo);

	for (unsigned i = 1; i <= topo_n_added(told->topo); i++)
		cpus_remove(first, n - i);
	return first;
}

/* bringup_nonboot_cpus(), kernel/cpu.c. */
static struct cpus *booted_cpus(const struct told *told)
{
	AUTO(cpus) *present = first_present(told);
	AUTO(cpus) *first = first_threads(told);
	struct cpus *booted = cpus_new();

	cpus_and(first, present);
	if (told->situation->threads_off)
		start(booted, first, CPUS_MAX);
	else if (!told->max_cpus)
		start(booted, present, CPUS_MAX);
	else if (told->parallel)
		start(booted, first, told->max_cpus);
	if (told->max_cpus)
		start(booted, present, told->max_cpus);
	return booted;
}

struct situation *situation_new(const struct topo *topo, const struct kernel_facts *facts,
				const char *command_line, GError **error)
{
	static const struct versions side_by_side = {.since = RELEASE(6, 5)};
	/* topology_is_core_online(), 2066f00e5b2d; the last releases of 6.16 have it, too. */
	static const struct versions by_core = {.since = RELEASE(6, 17)};
	AUTO(situation) *situation = g_new0(struct situation, 1);
	unsigned version = kernel_facts_version(facts);
	struct told told = {
		.topo = topo,
		.facts = facts,
		.situation = situation,
		.parallel = versions_have(&side_by_side, version),
		.version = version,
	};

	situation->isolated = cpus_new();
	situation->singles = cpus_new();
	situation->partitions = g_ptr_array_new_with_free_func((GDestroyNotify)cpus_unref);
	situation->relax_domain_level = -1;
	situation->last_gone = -1;
	if (!read_command_line(&told, command_line, version, error))
		return NULL;
	situation->smt_on = !situation->threads_off;
	situation->smt_by_core = versions_have(&by_core, version);
	situation->present = present_cpus(&told);
	situation->booted = booted_cpus(&told);
	situation->online = cpus_ref(situation->booted);
	return g_steal_pointer(&situation);
}

void situation_free(struct situation *situation)
{
	if (!situation)
		return;
	cpus_unref(situation->present);
	cpus_unref(situation->booted);
	cpus_unref(situation->online);
	cpus_unref(situation->isolated);
	cpus_unref(situation->singles);
	g_ptr_array_unref(situation->partitions);
	g_free(situation);
}

static void map_add(GPtrArray *maps, struct cpus *map, const struct cpus *online)
{
	cpus_and(map, online);
	if (cpus_is_empty(map))
		cpus_unref(map);
	else
		g_ptr_array_add(maps, map);
}

/* generate_sched_domains(), kernel/cgroup/cpuset.c; without cpusets, sched_init_domains(). */
GPtrArray *situation_maps(const struct situation *situation)
{
	GPtrArray *maps = g_ptr_array_new_with_free_func((GDestroyNotify)cpus_unref);
	struct cpus *first = cpus_copy(situation->online);

	cpus_andnot(first, situation->isolated);
	cpus_andnot(first, situation->singles);
	for (guint i = 0; i < situation->partitions->len; i++)
		cpus_andnot(first, situation->partitions->pdata[i]);
	map_add(maps, first, situation->online);
	for (guint i = 0; i < situation->partitions->len; i++)
		map_add(maps, cpus_copy(situation->partitions->pdata[i]), situation->online);
	return maps;
}
