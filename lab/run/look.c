// SPDX-License-Identifier: GPL-2.0-only
#include "run/look.h"

#include "base/cpus.h"
#include "base/registers.h"

#include <string.h>

/* Where an x86 CPU begins; QEMU leaves those there that nobody started. SDM volume 3, 10.1.4 */
#define RESET_VECTOR 0xfffffff0u

static const char *state_of(const struct registers *registers)
{
	if (registers->halted)
		return registers->address == RESET_VECTOR ? "not started" : "halted";
	return registers->cpl ? "user space" : NULL;
}

static struct look_place place_of(const struct registers *registers, const struct symbols *symbols,
				  guint64 slide)
{
	guint64 address = registers->address;
	struct look_place place = {.state = g_strdup(state_of(registers))};

	if (symbols && registers->long_mode && !registers->cpl) {
		place.where = symbols_name(symbols, address - slide);
		place.source = place.where ? symbols_source(symbols, address - slide) : NULL;
	}
	if (!place.where)
		place.where = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
	return place;
}

static void place_clear(struct look_place *place)
{
	g_free(place->vcpus);
	g_free(place->where);
	g_free(place->source);
	g_free(place->state);
}

static bool at_same_place(const struct registers *a, const struct registers *b)
{
	return a->address == b->address && a->halted == b->halted && !a->cpl == !b->cpl &&
	       a->long_mode == b->long_mode;
}

void look_group(struct look *look, const GArray *registers, const struct symbols *symbols,
		guint64 slide)
{
	g_autofree bool *taken = g_new0(bool, registers->len + 1);

	for (guint i = 0; i < registers->len; i++) {
		const struct registers *first = &g_array_index(registers, struct registers, i);
		AUTO(cpus) *vcpus = cpus_new();
		struct look_place place;

		if (taken[i])
			continue;
		for (guint j = i; j < registers->len; j++) {
			const struct registers *other =
				&g_array_index(registers, struct registers, j);

			if (taken[j] || !at_same_place(first, other))
				continue;
			taken[j] = true;
			cpus_add(vcpus, other->vcpu);
		}
		place = place_of(first, symbols, slide);
		place.vcpus = cpus_to_list(vcpus);
		look_add_place(look, &place);
		place_clear(&place);
	}
}

bool look_banner_fits(const char *console, const char *banner)
{
	return !console || !strstr(console, "Linux version ") || strstr(console, banner);
}

struct symbols *look_symbols(const struct kernel *kernel, const char *console, char **problem)
{
	g_autofree char *path = kernel_vmlinux(kernel);
	g_autoptr(GError) error = NULL;
	AUTO(symbols) *symbols = path ? symbols_open(path, &error) : NULL;

	if (!path)
		*problem = g_strdup("no vmlinux of this kernel was found");
	else if (!symbols)
		*problem = g_strdup(error->message);
	else if (!symbols_banner(symbols) || !look_banner_fits(console, symbols_banner(symbols)))
		*problem =
			g_strdup_printf("'%s' is of another build than the kernel that ran", path);
	return *problem ? NULL : g_steal_pointer(&symbols);
}

/* NULL, and why in @look. */
static struct symbols *open_symbols(struct look *look, const struct kernel *kernel,
				    const char *registers, const char *console, guint64 *slide)
{
	AUTO(symbols) *symbols = look_symbols(kernel, console, &look->undecoded);
	guint64 handler;

	if (!symbols)
		return NULL;
	if (!registers_parse_gate(registers, &handler))
		look->undecoded = g_strdup("the kernel had no exception handlers yet, by which it "
					   "is known where KASLR put it");
	else if (!symbols_slide(symbols, handler, slide))
		look->undecoded = g_strdup_printf("exception handler 0 is at 0x%" G_GINT64_MODIFIER
						  "x, which is none of its vmlinux",
						  handler);
	return look->undecoded ? NULL : g_steal_pointer(&symbols);
}

void look_read(struct look *look, const char *folder, const struct kernel *kernel,
	       const char *console)
{
	g_autofree char *path = g_build_filename(folder, LOOK_REGISTERS_FILE, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GArray) registers = NULL;
	AUTO(symbols) *symbols = NULL;
	guint64 slide = 0;

	if (!look->parts[LOOK_REGISTERS].tried || look->parts[LOOK_REGISTERS].problem ||
	    !g_file_get_contents(path, &text, NULL, NULL))
		return;
	registers = registers_parse(text);
	symbols = open_symbols(look, kernel, text, console, &slide);
	look_group(look, registers, symbols, slide);
}
