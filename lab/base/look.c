// SPDX-License-Identifier: GPL-2.0-only
#include "base/look.h"

#include "base/names.h"

ENUM_NAMES(look_part, LOOK_PARTS, [LOOK_REGISTERS] = "registers", [LOOK_MEMORY] = "memory",
	   [LOOK_SYSRQ_L] = "sysrq-l", [LOOK_SYSRQ_W] = "sysrq-w")

static void place_free(gpointer data)
{
	struct look_place *place = data;

	g_free(place->vcpus);
	g_free(place->where);
	g_free(place->source);
	g_free(place->state);
	g_free(place);
}

struct look *look_new(void)
{
	struct look *look = g_rc_box_new0(struct look);

	look->console_bytes = -1;
	return look;
}

struct look *look_ref(struct look *look)
{
	return look ? g_rc_box_acquire(look) : NULL;
}

static void look_clear(gpointer data)
{
	struct look *look = data;

	for (unsigned i = 0; i < LOOK_PARTS; i++)
		g_free(look->parts[i].problem);
	g_clear_pointer(&look->places, g_ptr_array_unref);
	g_free(look->undecoded);
}

void look_unref(struct look *look)
{
	if (look)
		g_rc_box_release_full(look, look_clear);
}

void look_note(struct look *look, enum look_part part, const char *problem)
{
	look->parts[part].tried = true;
	g_free(look->parts[part].problem);
	look->parts[part].problem = g_strdup(problem);
}

void look_add_place(struct look *look, const struct look_place *place)
{
	struct look_place *copy = g_new(struct look_place, 1);

	*copy = (struct look_place){
		.vcpus = g_strdup(place->vcpus),
		.where = g_strdup(place->where),
		.source = g_strdup(place->source),
		.state = g_strdup(place->state),
	};
	if (!look->places)
		look->places = g_ptr_array_new_with_free_func(place_free);
	g_ptr_array_add(look->places, copy);
}
