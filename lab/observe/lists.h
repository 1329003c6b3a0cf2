/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU lists by their text: a machine of 256 CPUs shows the same few lists hundreds of times. */
#ifndef OBSERVE_LISTS_H
#define OBSERVE_LISTS_H

#include "base/auto.h"
#include "base/cpus.h"

#include <glib.h>

struct lists;

struct lists *lists_new(void);
void lists_free(struct lists *lists);
AUTO_DEFINE(lists, lists_free)

/* A reference to the set of "0-7,128-135"; ERROR_LAB as cpus_parse_list(). */
struct cpus *lists_get(struct lists *lists, const char *text, GError **error);

#endif
