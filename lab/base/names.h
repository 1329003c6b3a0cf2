/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An enum and its names from one list: ENUM_NAMES() defines the table, checks at compile time
 * that it has a name for each value, and defines <prefix>_name() and <prefix>_from_name().
 *
 *	enum colour { COLOUR_RED, COLOUR_BLUE, COLOUR_COUNT };
 *	ENUM_NAMES(colour, COLOUR_COUNT, [COLOUR_RED] = "red", [COLOUR_BLUE] = "blue")
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
#include <string.h>

#define ENUM_NAMES(prefix, count, ...)                                                             \
	static const char *const prefix##_names[] = {__VA_ARGS__};                                 \
	_Static_assert(sizeof(prefix##_names) / sizeof(prefix##_names[0]) == (count),              \
		       #prefix " has a value without a name");                                     \
	const char *prefix##_name(enum prefix value)                                               \
	{                                                                                          \
		return prefix##_names[value];                                                      \
	}                                                                                          \
	bool prefix##_from_name(const char *name, enum prefix *value)                              \
	{                                                                                          \
		for (int i = 0; i < (int)(count); i++) {                                           \
			if (strcmp(name, prefix##_names[i]) == 0) {                                \
				*value = (enum prefix)i;                                           \
				return true;                                                       \
			}                                                                          \
		}                                                                                  \
		return false;                                                                      \
	}

#endif
