/* SPDX-License-Identifier: GPL-2.0-only */
/* Random tables of distances between nodes: what firmware may write into a SLIT, sane or not. */
#ifndef TESTS_NUMA_TABLES_H
#define TESTS_NUMA_TABLES_H

#include "dice.h"

#include <string.h>

#define TABLE_LOCAL 10
#define TABLE_MOST  254

struct table {
	unsigned n;
	const unsigned *cluster; /* of each node: its package, for tables that go by it */
	unsigned *distance;	 /* n squared, row = from */
};

static inline unsigned *table_cell(const struct table *table, unsigned from, unsigned to)
{
	return &table->distance[from * table->n + to];
}

static inline void table_set_both(const struct table *table, unsigned a, unsigned b, unsigned value)
{
	*table_cell(table, a, b) = *table_cell(table, b, a) = value;
}

/* Machines whose nodes are linked: is there a link from @a to @b, where @a is less? */
struct links {
	unsigned n;
	bool *linked; /* n squared, symmetric */
};

static inline void link_add(struct links *links, unsigned a, unsigned b)
{
	if (a != b && a < links->n && b < links->n)
		links->linked[a * links->n + b] = links->linked[b * links->n + a] = true;
}

static inline void links_line(struct links *links, struct dice *dice)
{
	(void)dice;
	for (unsigned i = 1; i < links->n; i++)
		link_add(links, i - 1, i);
}

static inline void links_ring(struct links *links, struct dice *dice)
{
	links_line(links, dice);
	link_add(links, 0, links->n - 1);
}

/* Rows of equal length, the last may be shorter. */
static inline void links_grid(struct links *links, struct dice *dice)
{
	unsigned width = dice_range(dice, 2, 4);

	for (unsigned i = 1; i < links->n; i++) {
		if (i % width)
			link_add(links, i - 1, i);
		if (i >= width)
			link_add(links, i - width, i);
	}
}

static inline void links_cube(struct links *links, struct dice *dice)
{
	(void)dice;
	for (unsigned i = 0; i < links->n; i++)
		for (unsigned bit = 1; bit < links->n; bit <<= 1)
			link_add(links, i, i ^ bit);
}

/*
 * Glueless boxes: two rails with rungs between them. The ends are crossed, as in eight-socket
 * Opterons and Xeons, or they are not.
 */
static inline void links_glueless(struct links *links, struct dice *dice)
{
	unsigned half = (links->n + 1) / 2;

	for (unsigned i = 0; i < links->n; i++) {
		if (i % half)
			link_add(links, i - 1, i);
		if (i >= half)
			link_add(links, i - half, i);
	}
	if (dice_one_in(dice, 2)) {
		link_add(links, 0, links->n - 1);
		link_add(links, half - 1, half);
	}
}

/* Groups in which all are linked, and one link between each two groups. */
static inline void links_dragonfly(struct links *links, struct dice *dice)
{
	unsigned size = dice_range(dice, 2, 4), groups = (links->n + size - 1) / size;

	for (unsigned i = 0; i < links->n; i++)
		for (unsigned j = i - i % size; j < i; j++)
			link_add(links, j, i);
	for (unsigned a = 0; a < groups; a++) {
		for (unsigned b = a + 1; b < groups; b++) {
			unsigned last = MIN(size, links->n - b * size) - 1;

			link_add(links, a * size + b % size, b * size + MIN(a % size, last));
		}
	}
}

static inline void links_star(struct links *links, struct dice *dice)
{
	(void)dice;
	for (unsigned i = 1; i < links->n; i++)
		link_add(links, 0, i);
}

static inline void links_tree(struct links *links, struct dice *dice)
{
	for (unsigned i = 1; i < links->n; i++)
		link_add(links, dice_range(dice, 0, i - 1), i);
}

/* Connected, with as many links again as it needs at most. */
static inline void links_graph(struct links *links, struct dice *dice)
{
	links_tree(links, dice);
	for (unsigned more = dice_range(dice, 0, links->n); more; more--)
		link_add(links, dice_range(dice, 0, links->n - 1),
			 dice_range(dice, 0, links->n - 1));
}

/* Lengths of the shortest ways; a link has the length that is in its cell, 0: there is none. */
static inline void table_shortest(const struct table *table)
{
	unsigned n = table->n;

	for (unsigned i = 0; i < n * n; i++)
		if (!table->distance[i] && i % (n + 1))
			table->distance[i] = 10000;
	for (unsigned via = 0; via < n; via++)
		for (unsigned a = 0; a < n; a++)
			for (unsigned b = 0; b < n; b++)
				*table_cell(table, a, b) = MIN(*table_cell(table, a, b),
							       *table_cell(table, a, via) +
								       *table_cell(table, via, b));
}

static inline unsigned table_most(const struct table *table)
{
	unsigned most = 0;

	for (unsigned i = 0; i < table->n * table->n; i++)
		most = MAX(most, table->distance[i]);
	return most;
}

/* From hops to distances: each hop adds the same, or each its own. */
static inline void table_scale(const struct table *table, struct dice *dice)
{
	unsigned hops = table_most(table),
		 room = MIN((TABLE_MOST - TABLE_LOCAL) / MAX(hops, 1), 20);
	bool even = dice_one_in(dice, 2);
	unsigned step = dice_range(dice, 1, room);
	g_autofree unsigned *distance = g_new(unsigned, hops + 1);

	distance[0] = TABLE_LOCAL;
	for (unsigned i = 1; i <= hops; i++)
		distance[i] = distance[i - 1] + (even ? step : dice_range(dice, 1, room));
	for (unsigned i = 0; i < table->n * table->n; i++)
		table->distance[i] = distance[table->distance[i]];
}

static inline void fill_hops(const struct table *table, struct dice *dice,
			     void (*link)(struct links *links, struct dice *dice))
{
	g_autofree bool *linked = g_new0(bool, table->n * table->n);
	struct links links = {.n = table->n, .linked = linked};

	link(&links, dice);
	for (unsigned i = 0; i < table->n * table->n; i++)
		table->distance[i] = linked[i];
	table_shortest(table);
	table_scale(table, dice);
}

/* Links have lengths of their own. */
static inline void fill_lengths(const struct table *table, struct dice *dice)
{
	g_autofree bool *linked = g_new0(bool, table->n * table->n);
	struct links links = {.n = table->n, .linked = linked};

	links_graph(&links, dice);
	for (unsigned a = 0; a < table->n; a++)
		for (unsigned b = a + 1; b < table->n; b++)
			table_set_both(table, a, b,
				       linked[a * table->n + b] ? dice_range(dice, 1, 3) : 0);
	table_shortest(table);
	for (unsigned i = 0; i < table->n * table->n; i++)
		table->distance[i] += TABLE_LOCAL;
}

/* All nodes are equally far, or those of a cluster are nearer: real servers. */
static inline void fill_clusters(const struct table *table, struct dice *dice)
{
	unsigned near = dice_range(dice, 11, 20), far = dice_range(dice, near, 40);

	for (unsigned a = 0; a < table->n; a++)
		for (unsigned b = 0; b < table->n; b++)
			*table_cell(table, a, b) =
				table->cluster[a] == table->cluster[b] ? near : far;
}

/* Symmetric, and nothing else; a few values, or any. */
static inline void fill_symmetric(const struct table *table, struct dice *dice)
{
	unsigned palette[6], n_values = dice_range(dice, 2, 6);
	bool any = dice_one_in(dice, 3);

	for (unsigned i = 0; i < n_values; i++)
		palette[i] = dice_range(dice, 11, dice_one_in(dice, 3) ? TABLE_MOST : 40);
	for (unsigned a = 0; a < table->n; a++)
		for (unsigned b = a + 1; b < table->n; b++)
			table_set_both(table, a, b,
				       any ? dice_range(dice, 11, TABLE_MOST)
					   : palette[dice_range(dice, 0, n_values - 1)]);
}

/* Each direction on its own. */
static inline void fill_asymmetric(const struct table *table, struct dice *dice)
{
	unsigned palette[6], n_values = dice_range(dice, 2, 6);
	bool any = dice_one_in(dice, 3);

	for (unsigned i = 0; i < n_values; i++)
		palette[i] = dice_range(dice, 11, dice_one_in(dice, 3) ? TABLE_MOST : 40);
	for (unsigned i = 0; i < table->n * table->n; i++)
		table->distance[i] = any ? dice_range(dice, 11, TABLE_MOST)
					 : palette[dice_range(dice, 0, n_values - 1)];
}

/* A sane machine with a slip or two of firmware's. */
static inline void fill_slip(const struct table *table, struct dice *dice)
{
	fill_hops(table, dice, links_graph);
	for (unsigned slips = dice_range(dice, 1, 3); slips; slips--)
		*table_cell(table, dice_range(dice, 0, table->n - 1),
			    dice_range(dice, 0, table->n - 1)) = dice_range(dice, 11, 60);
}

/* As Granite Rapids has it: clusters are symmetric in themselves, and what is between them is not.
 */
static inline void fill_snc(const struct table *table, struct dice *dice)
{
	for (unsigned a = 0; a < table->n; a++) {
		for (unsigned b = a + 1; b < table->n; b++) {
			bool same = table->cluster[a] == table->cluster[b];

			table_set_both(table, a, b, same ? dice_range(dice, 12, 17) : 0);
			if (same)
				continue;
			*table_cell(table, a, b) = dice_range(dice, 20, 28);
			*table_cell(table, b, a) = dice_range(dice, 20, 28);
		}
	}
}

static const struct table_kind {
	const char *name;
	void (*link)(struct links *links, struct dice *dice); /* distances are hops; or */
	void (*fill)(const struct table *table, struct dice *dice);
} table_kinds[] = {
	{.name = "clusters", .fill = fill_clusters},
	{.name = "line", .link = links_line},
	{.name = "ring", .link = links_ring},
	{.name = "grid", .link = links_grid},
	{.name = "cube", .link = links_cube},
	{.name = "glueless", .link = links_glueless},
	{.name = "dragonfly", .link = links_dragonfly},
	{.name = "star", .link = links_star},
	{.name = "tree", .link = links_tree},
	{.name = "graph", .link = links_graph},
	{.name = "lengths", .fill = fill_lengths},
	{.name = "symmetric", .fill = fill_symmetric},
	{.name = "slip", .fill = fill_slip},
	{.name = "snc", .fill = fill_snc},
	{.name = "asymmetric", .fill = fill_asymmetric},
};

static inline void table_permute(const struct table *table, struct dice *dice)
{
	g_autofree unsigned *order = dice_order(dice, table->n);
	g_autofree unsigned *before =
		g_memdup2(table->distance, table->n * table->n * sizeof(*before));

	for (unsigned a = 0; a < table->n; a++)
		for (unsigned b = 0; b < table->n; b++)
			*table_cell(table, a, b) = before[order[a] * table->n + order[b]];
}

/*
 * Distances from 11 to 254, and 10 from a node to itself. Linked machines have their nodes numbered
 * along the links or at random.
 */
static inline void table_make(const struct table *table, const struct table_kind *kind,
			      struct dice *dice)
{
	if (kind->link)
		fill_hops(table, dice, kind->link);
	else
		kind->fill(table, dice);
	for (unsigned node = 0; node < table->n; node++)
		*table_cell(table, node, node) = TABLE_LOCAL;
	if (kind->link && dice_one_in(dice, 2))
		table_permute(table, dice);
}

#endif
