/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * g_autoptr() for our untypedefed structs: after AUTO_DEFINE(cpus, cpus_unref) a variable declared
 * as AUTO(cpus) *set is released when it leaves its scope; hand it over with g_steal_pointer().
 * The initialiser is not optional.
 */
#ifndef BASE_AUTO_H
#define BASE_AUTO_H

#include <glib.h>

#define AUTO(type) __attribute__((cleanup(auto_##type))) struct type

#define AUTO_DEFINE(type, release)                                                                 \
	static inline void auto_##type(struct type **pointer)                                      \
	{                                                                                          \
		if (*pointer)                                                                      \
			release(*pointer);                                                         \
	}

#endif
