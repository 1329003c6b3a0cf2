/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random machines, as texts of topology files. A seed gives the same machine for ever: what the
 * dice are asked for, and in which order, must not change (test_numa_tables.c holds a digest).
 */
#ifndef TESTS_NUMA_MACHINE_H
#define TESTS_NUMA_MACHINE_H

#include "base/auto.h"
#include "base/cpus.h"
#include "tables.h"

#define MACHINE_NODES_MAX 64

/* Linux's order of CPUs. */
enum machine_order { ORDER_ADJACENT, ORDER_THREADS_LAST, ORDER_SHUFFLED };

struct machine_cpu {
	unsigned package, l3, core, thread; /* within their parents, core and below */
	unsigned node, apic;
};

struct random_machine {
	guint64 seed;
	const char *body,
		*table; /* the kinds: what the nodes are made of, how far they are apart */
	bool amd;
	unsigned family, model;
	unsigned packages, llcs, cores, threads, l2_cores; /* the keys of a topology file */
	unsigned nodes_per_package;			   /* 0: there are rows */
	enum machine_order order;
	unsigned n_nodes;	 /* that have CPUs */
	unsigned n_memory_nodes; /* after these */
	unsigned n_cpus;
	struct machine_cpu *row;      /* n_cpus, in Linux's order; NULL without rows */
	unsigned *cluster, *distance; /* of all nodes; distances row by row */
	char *text;
};

static inline unsigned machine_nodes(const struct random_machine *machine)
{
	return machine->n_nodes + machine->n_memory_nodes;
}

static inline unsigned machine_positions(const struct random_machine *machine)
{
	return machine->packages * machine->llcs * machine->cores * machine->threads;
}

/* Between nodes with CPUs. */
static inline bool machine_symmetric(const struct random_machine *machine)
{
	unsigned n = machine_nodes(machine);

	for (unsigned a = 0; a < machine->n_nodes; a++)
		for (unsigned b = 0; b < a; b++)
			if (machine->distance[a * n + b] != machine->distance[b * n + a])
				return false;
	return true;
}

static inline unsigned dice_nodes(struct dice *dice)
{
	if (dice_one_in(dice, 150))
		return dice_range(dice, 17, MACHINE_NODES_MAX);
	if (dice_one_in(dice, 6))
		return dice_range(dice, 9, 16);
	if (dice_one_in(dice, 30))
		return 1;
	return dice_range(dice, 2, 8);
}

/* Milan, Turin, Rome, Genoa; a Naples needs APIC ids that leave no freedom. */
static inline void roll_amd(struct random_machine *machine, struct dice *dice)
{
	static const unsigned ids[][2] = {{25, 1}, {26, 2}, {23, 49}, {25, 17}};
	const unsigned *id = ids[dice_range(dice, 0, G_N_ELEMENTS(ids) - 1)];

	machine->amd = true;
	machine->family = id[0];
	machine->model = id[1];
}

/* Sapphire Rapids, Ice Lake, Cascade Lake, Granite Rapids, Clearwater Forest (Darkmont). */
static inline void roll_intel(struct random_machine *machine, struct dice *dice)
{
	static const unsigned models[] = {143, 106, 85, 173, 221};

	machine->family = 6;
	machine->model = models[dice_range(dice, 0, G_N_ELEMENTS(models) - 1)];
}

static inline void roll_regular(struct random_machine *machine, struct dice *dice, unsigned most)
{
	unsigned n = dice_nodes(dice);

	machine->nodes_per_package = dice_range(dice, 1, MIN(n, most));
	machine->packages = n / machine->nodes_per_package;
	machine->threads = dice_range(dice, 1, 2);
	machine->order = dice_range(dice, ORDER_ADJACENT, ORDER_THREADS_LAST);
}

/* One to three L3 in a node, one or two cores in an L3. */
static inline void body_amd(struct random_machine *machine, struct dice *dice)
{
	bool many;

	roll_amd(machine, dice);
	roll_regular(machine, dice, 8);
	many = machine->packages * machine->nodes_per_package > 16;
	machine->llcs = machine->nodes_per_package * dice_range(dice, 1, many ? 1 : 3);
	machine->cores = dice_range(dice, 1, many ? 1 : 2);
}

/* One L3 in a package; an L2 has two cores if that divides a node. */
static inline void roll_intel_cores(struct random_machine *machine, struct dice *dice)
{
	unsigned of_node = dice_range(dice, 1, 4);

	machine->llcs = 1;
	machine->cores = machine->nodes_per_package * of_node;
	if (of_node % 2 == 0 && dice_one_in(dice, 2))
		machine->l2_cores = 2;
}

static inline void body_intel(struct random_machine *machine, struct dice *dice)
{
	roll_intel(machine, dice);
	roll_regular(machine, dice, 4);
	roll_intel_cores(machine, dice);
}

/* What Linux has a fix-up for: clusters of three nodes or more on several packages. */
static inline void body_snc(struct random_machine *machine, struct dice *dice)
{
	roll_intel(machine, dice);
	machine->model = dice_one_in(dice, 2) ? 173 : 221;
	machine->nodes_per_package = dice_range(dice, 2, 4);
	machine->packages = dice_range(dice, 2, 4);
	machine->threads = dice_range(dice, 1, 2);
	machine->order = dice_range(dice, ORDER_ADJACENT, ORDER_THREADS_LAST);
	roll_intel_cores(machine, dice);
}

/* Bits that hold the values 0 to @n - 1. */
static inline unsigned width_of(unsigned n)
{
	unsigned bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

/* As topologies/README.md says under "APIC ids". */
static inline unsigned apic_of(const struct random_machine *machine, const struct machine_cpu *cpu)
{
	unsigned id = cpu->package;

	id = id << width_of(machine->llcs) | cpu->l3;
	id = id << width_of(machine->cores) | cpu->core;
	return id << width_of(machine->threads) | cpu->thread;
}

/* Linux numbers nodes as they come up along the APIC ids, along which @node goes. */
static inline void renumber_nodes(unsigned *node, unsigned n)
{
	unsigned fresh[TABLE_MOST], next = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(fresh); i++)
		fresh[i] = G_MAXUINT;
	for (unsigned i = 0; i < n; i++) {
		if (fresh[node[i]] == G_MAXUINT)
			fresh[node[i]] = next++;
		node[i] = fresh[node[i]];
	}
}

/*
 * The node of each of @n units, at least one for each node: consecutive ones, of unequal number, or
 * any. There are as many units as nodes, or more.
 */
static inline unsigned *roll_nodes(const struct random_machine *machine, struct dice *dice,
				   unsigned n)
{
	g_autofree unsigned *order = dice_order(dice, n);
	unsigned *node = g_new(unsigned, n);

	if (dice_one_in(dice, 2)) {
		g_autofree bool *begins = g_new0(bool, n);

		begins[0] = true;
		for (unsigned i = 0, left = machine->n_nodes - 1; left; i++) {
			left -= order[i] > 0;
			begins[order[i]] = true;
		}
		for (unsigned i = 0, last = 0; i < n; i++)
			node[i] = last += i && begins[i];
		return node;
	}
	for (unsigned i = 0; i < n; i++)
		node[order[i]] =
			i < machine->n_nodes ? i : dice_range(dice, 0, machine->n_nodes - 1);
	renumber_nodes(node, n);
	return node;
}

static inline void row_add(struct random_machine *machine, struct machine_cpu cpu)
{
	cpu.apic = apic_of(machine, &cpu);
	machine->row = g_renew(struct machine_cpu, machine->row, machine->n_cpus + 1);
	machine->row[machine->n_cpus++] = cpu;
}

static inline void order_rows(struct random_machine *machine, struct dice *dice)
{
	g_autofree struct machine_cpu *before =
		g_memdup2(machine->row, machine->n_cpus * sizeof(*before));
	unsigned next = 0;

	if (machine->order == ORDER_THREADS_LAST)
		for (unsigned thread = 0; thread < machine->threads; thread++)
			for (unsigned i = 0; i < machine->n_cpus; i++)
				if (before[i].thread == thread)
					machine->row[next++] = before[i];
	if (machine->order == ORDER_SHUFFLED && machine->n_cpus > 1) {
		g_autofree unsigned *order = dice_order(dice, machine->n_cpus - 1);

		/* Linux's CPU 0 is the one that the machine starts on. */
		for (unsigned i = 1; i < machine->n_cpus; i++)
			machine->row[i] = before[1 + order[i - 1]];
	}
}

/* Some cores have one thread where others have two. */
static inline void row_add_core(struct random_machine *machine, struct dice *dice,
				struct machine_cpu place)
{
	unsigned threads = dice_one_in(dice, 4) ? 1 : machine->threads;

	for (place.thread = 0; place.thread < threads; place.thread++)
		row_add(machine, place);
}

/* L3 of unequal size, some of them missing, on nodes that may hold L3 of several packages. */
static inline void body_amd_rows(struct random_machine *machine, struct dice *dice)
{
	g_autofree unsigned *node = NULL;
	unsigned n_llcs, skipped = 0, i = 0;

	roll_amd(machine, dice);
	machine->n_nodes = dice_nodes(dice);
	machine->packages = dice_range(dice, 1, 4);
	machine->llcs = (machine->n_nodes + machine->packages - 1) / machine->packages +
			dice_range(dice, 0, 2);
	machine->llcs = MIN(machine->llcs, 64);
	machine->cores = dice_range(dice, 1, 3);
	machine->threads = dice_range(dice, 1, 2);
	machine->order = dice_range(dice, ORDER_ADJACENT, ORDER_SHUFFLED);
	n_llcs = machine->packages * machine->llcs;
	skipped = dice_range(dice, 0, n_llcs - machine->n_nodes);
	n_llcs -= skipped;
	node = roll_nodes(machine, dice, n_llcs);
	for (unsigned place = 0; i < n_llcs; place++) {
		struct machine_cpu cpu = {.package = place / machine->llcs,
					  .l3 = place % machine->llcs};

		if (i && skipped && dice_one_in(dice, 2)) {
			skipped--;
			continue;
		}
		cpu.node = node[i++];
		for (unsigned cores = dice_range(dice, 1, machine->cores); cpu.core < cores;
		     cpu.core++)
			row_add_core(machine, dice, cpu);
	}
	order_rows(machine, dice);
}

/* Nodes of any cores: an L3 lies in several nodes, and a node may have cores of several packages.
 */
static inline void body_intel_rows(struct random_machine *machine, struct dice *dice)
{
	g_autofree unsigned *node = NULL;
	unsigned n_cores;

	roll_intel(machine, dice);
	machine->n_nodes = dice_nodes(dice);
	machine->packages = dice_range(dice, 1, 4);
	machine->llcs = 1;
	machine->cores = (machine->n_nodes + machine->packages - 1) / machine->packages *
				 dice_range(dice, 1, 2) +
			 dice_range(dice, 0, 2);
	machine->threads = dice_range(dice, 1, 2);
	machine->order = dice_range(dice, ORDER_ADJACENT, ORDER_SHUFFLED);
	n_cores = machine->packages * machine->cores;
	node = roll_nodes(machine, dice, n_cores);
	for (unsigned i = 0; i < n_cores; i++) {
		struct machine_cpu cpu = {
			.package = i / machine->cores, .core = i % machine->cores, .node = node[i]};

		row_add_core(machine, dice, cpu);
	}
	order_rows(machine, dice);
}

static const struct machine_body {
	const char *name;
	void (*roll)(struct random_machine *machine, struct dice *dice);
	const char *table; /* half of them have this one; NULL: any */
} machine_bodies[] = {
	{"amd", body_amd, NULL},
	{"intel", body_intel, NULL},
	{"snc", body_snc, "snc"},
	{"amd-rows", body_amd_rows, NULL},
	{"intel-rows", body_intel_rows, NULL},
};

/* A node is of the cluster of its first CPU's package. */
static inline void machine_cluster(struct random_machine *machine)
{
	machine->cluster = g_new(unsigned, machine_nodes(machine));
	for (unsigned node = 0; node < machine_nodes(machine); node++)
		machine->cluster[node] =
			machine->row ? G_MAXUINT : node / machine->nodes_per_package;
	for (unsigned i = 0; i < machine->n_cpus && machine->row; i++) {
		unsigned *cluster = &machine->cluster[machine->row[i].node];

		*cluster = MIN(*cluster, machine->row[i].package);
	}
}

static inline void machine_distances(struct random_machine *machine, struct dice *dice,
				     const char *preferred)
{
	unsigned n = machine_nodes(machine);
	const struct table_kind *kind =
		&table_kinds[dice_range(dice, 0, G_N_ELEMENTS(table_kinds) - 1)];
	struct table table = {.n = n};

	if (preferred && dice_one_in(dice, 2))
		for (unsigned i = 0; i < G_N_ELEMENTS(table_kinds); i++)
			if (strcmp(table_kinds[i].name, preferred) == 0)
				kind = &table_kinds[i];
	machine_cluster(machine);
	machine->distance = g_new0(unsigned, n *n);
	machine->table = kind->name;
	table.cluster = machine->cluster;
	table.distance = machine->distance;
	table_make(&table, kind, dice);
}

static inline void text_matrix(const struct random_machine *machine, GString *text)
{
	unsigned n = machine_nodes(machine);

	g_string_append(text, "distances:\n");
	for (unsigned from = 0; from < n; from++) {
		for (unsigned to = 0; to < n; to++)
			g_string_append_printf(text, "%s%u", to ? ", " : "  - [",
					       machine->distance[from * n + to]);
		g_string_append(text, "]\n");
	}
}

/* The first node has what a kernel needs, the others as little as they can. */
static inline void text_memory(const struct random_machine *machine, GString *text)
{
	g_string_append_printf(text, "memory_per_node: [%uM", 128 + machine->n_cpus);
	for (unsigned node = 1; node < machine_nodes(machine); node++)
		g_string_append(text, ", 64M");
	g_string_append(text, "]\n");
}

static inline void text_rows(const struct random_machine *machine, GString *text)
{
	g_string_append_printf(text, "nodes: %u\ncpus:\n", machine->n_nodes);
	for (unsigned i = 0; i < machine->n_cpus; i++) {
		const struct machine_cpu *cpu = &machine->row[i];

		g_string_append_printf(text,
				       "  - {package: %u, node: %u, l3: %u, core: %u, thread: %u, "
				       "apic: %u}\n",
				       cpu->package, cpu->node, cpu->l3, cpu->core, cpu->thread,
				       cpu->apic);
	}
}

static inline void text_references(const struct random_machine *machine, GString *text)
{
	static const char *const common[] = {
		"cpu",		"packages",	    "l3_per_package",
		"cores_per_l3", "threads_per_core", "memory_per_node",
		"distances",
	};

	g_string_append(text, "reference:\n");
	for (unsigned i = 0; i < G_N_ELEMENTS(common); i++)
		g_string_append_printf(text, "  %s: the seed\n", common[i]);
	if (machine->l2_cores > 1)
		g_string_append(text, "  cores_per_l2: the seed\n");
	if (machine->n_memory_nodes)
		g_string_append(text, "  memory_only_nodes: the seed\n");
	if (machine->row)
		g_string_append(text, "  nodes: the seed\n  cpus: the seed\n");
	else
		g_string_append(text, "  nodes_per_package: the seed\n  numbering: the seed\n");
}

static inline void machine_write(struct random_machine *machine)
{
	GString *text = g_string_new("# SPDX-License-Identifier: GPL-2.0-only\n");

	g_string_append_printf(text, "name: random-%" G_GUINT64_FORMAT "\n", machine->seed);
	g_string_append_printf(text, "title: '%s, table %s'\n", machine->body, machine->table);
	text_references(machine, text);
	g_string_append_printf(text, "cpu: {vendor: %s, family: %u, model: %u, stepping: 1}\n",
			       machine->amd ? "AuthenticAMD" : "GenuineIntel", machine->family,
			       machine->model);
	g_string_append_printf(text, "packages: %u\nl3_per_package: %u\ncores_per_l3: %u\n",
			       machine->packages, machine->llcs, machine->cores);
	g_string_append_printf(text, "threads_per_core: %u\n", machine->threads);
	if (machine->l2_cores > 1)
		g_string_append_printf(text, "cores_per_l2: %u\n", machine->l2_cores);
	if (machine->n_memory_nodes)
		g_string_append_printf(text, "memory_only_nodes: %u\n", machine->n_memory_nodes);
	text_memory(machine, text);
	text_matrix(machine, text);
	if (machine->row)
		text_rows(machine, text);
	else
		g_string_append_printf(
			text, "nodes_per_package: %u\nnumbering: %s\n", machine->nodes_per_package,
			machine->order == ORDER_ADJACENT ? "threads-adjacent" : "threads-last");
	machine->text = g_string_free(text, FALSE);
}

static inline struct random_machine *random_machine_new(guint64 seed)
{
	struct random_machine *machine = g_new0(struct random_machine, 1);
	struct dice dice = {.state = seed};
	const struct machine_body *body =
		&machine_bodies[dice_range(&dice, 0, G_N_ELEMENTS(machine_bodies) - 1)];

	machine->seed = seed;
	machine->body = body->name;
	machine->l2_cores = 1;
	body->roll(machine, &dice);
	if (!machine->row) {
		machine->n_nodes = machine->packages * machine->nodes_per_package;
		machine->n_cpus = machine_positions(machine);
	}
	if (dice_one_in(&dice, 4))
		machine->n_memory_nodes = dice_range(&dice, 1, 3);
	machine_distances(machine, &dice, body->table);
	machine_write(machine);
	return machine;
}

static inline void random_machine_free(struct random_machine *machine)
{
	g_free(machine->row);
	g_free(machine->cluster);
	g_free(machine->distance);
	g_free(machine->text);
	g_free(machine);
}
AUTO_DEFINE(random_machine, random_machine_free)

#endif
