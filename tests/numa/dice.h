/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that a seed gives for ever, on every machine and with every GLib: splitmix64
 * (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
 */
#ifndef TESTS_NUMA_DICE_H
#define TESTS_NUMA_DICE_H

#include <glib.h>
#include <stdbool.h>

struct dice {
	guint64 state;
};

static inline guint64 dice_next(struct dice *dice)
{
	guint64 z = dice->state += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* @low to @high, both included. */
static inline unsigned dice_range(struct dice *dice, unsigned low, unsigned high)
{
	return low + (unsigned)(dice_next(dice) % (high - low + 1));
}

static inline bool dice_one_in(struct dice *dice, unsigned n)
{
	return dice_range(dice, 1, n) == 1;
}

static inline void dice_shuffle(struct dice *dice, unsigned *list, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = dice_range(dice, 0, i - 1), kept = list[i - 1];

		list[i - 1] = list[j];
		list[j] = kept;
	}
}

/* 0 to @n - 1 in a random order. The caller frees it. */
static inline unsigned *dice_order(struct dice *dice, unsigned n)
{
	unsigned *order = g_new(unsigned, n);

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	dice_shuffle(dice, order, n);
	return order;
}

#endif
