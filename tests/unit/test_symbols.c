// SPDX-License-Identifier: GPL-2.0-only
/* A vmlinux in small, made by gcc: addresses that the linker was told, lines that stand here. */
#include "base/error.h"
#include "base/tree.h"
#include "kernel/symbols.h"
#include "run/look.h"

#include <string.h>

/* At its link address, as arch/x86/kernel/vmlinux.lds.S has it. */
#define TEXT  0xffffffff81000000
#define SLIDE 0x1ba00000

static const char source[] =
	"const char linux_banner[] = \"Linux version 6.12.0 (me@here) (gcc) #7 SMP\\n\";\n"
	"__asm__(\".text\\n.globl asm_exc_divide_error\\n\"\n"
	"	\".type asm_exc_divide_error, @function\\n\"\n"
	"	\"asm_exc_divide_error: .skip 64\\n.size asm_exc_divide_error, 64\");\n"
	"__attribute__((noinline)) void stand_still(void)\n"
	"{\n"
	"	for (;;)\n"
	"		__asm__ volatile(\"hlt\");\n"
	"}\n"
	"void _start(void) { stand_still(); }\n";

struct fixture {
	char *folder, *vmlinux;
	struct symbols *symbols;
	guint64 handler, stand_still; /* link addresses, by nm */
};

static void run_tool(const struct fixture *fixture, const char *line, char **output)
{
	g_auto(GStrv) argv = g_strsplit(line, " ", -1);
	g_autoptr(GError) error = NULL;
	int status;

	g_spawn_sync(fixture->folder, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, output, NULL,
		     &status, &error);
	g_assert_no_error(error);
	g_assert_cmpint(status, ==, 0);
}

static guint64 address_of(const char *names, const char *name)
{
	g_autofree char *tail = g_strdup_printf(" %s\n", name);
	const char *at = strstr(names, tail);

	g_assert_nonnull(at);
	return g_ascii_strtoull(at - strlen("ffffffff81000000 T"), NULL, 16);
}

static void set_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	g_autofree char *names = NULL;
	g_autofree char *command =
		g_strdup_printf("gcc -g -O1 -nostdlib -static -no-pie -fno-pie -mcmodel=kernel "
				"-fcf-protection=none "
				"-Wl,-Ttext=0x%llx -Wl,--build-id=none -o vmlinux here.c",
				(unsigned long long)TEXT);

	fixture->folder = g_dir_make_tmp("vmlinux-XXXXXX", NULL);
	path = g_build_filename(fixture->folder, "here.c", NULL);
	fixture->vmlinux = g_build_filename(fixture->folder, "vmlinux", NULL);
	g_assert_true(g_file_set_contents(path, source, -1, NULL));
	run_tool(fixture, command, NULL);
	run_tool(fixture, "nm vmlinux", &names);
	fixture->handler = address_of(names, "asm_exc_divide_error");
	fixture->stand_still = address_of(names, "stand_still");
	fixture->symbols = symbols_open(fixture->vmlinux, &error);
	g_assert_no_error(error);
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	symbols_free(fixture->symbols);
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->vmlinux);
}

static void test_names(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *name = symbols_name(fixture->symbols, fixture->stand_still + 1);
	g_autofree char *line = symbols_source(fixture->symbols, fixture->stand_still);
	g_autofree char *handler = symbols_name(fixture->symbols, fixture->handler + 0x10);
	g_autofree char *outside = symbols_name(fixture->symbols, 0x401745);
	g_autofree char *no_line = symbols_source(fixture->symbols, 0x401745);

	g_assert_cmpstr(name, ==, "stand_still+0x1");
	g_assert_true(g_str_has_prefix(line, "here.c:"));
	g_assert_cmpint(atoi(line + strlen("here.c:")), >=, 6);
	g_assert_cmpint(atoi(line + strlen("here.c:")), <=, 8);
	g_assert_cmpstr(handler, ==, "asm_exc_divide_error+0x10");
	g_assert_null(outside);
	g_assert_null(no_line);
	g_assert_cmpstr(symbols_banner(fixture->symbols), ==,
			"Linux version 6.12.0 (me@here) (gcc) #7 SMP");
}

static void test_slide(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const struct {
		gint64 off;
		bool fits;
	} rows[] = {{0, true},	     {0x200000, true},	  {SLIDE, true},     {0x3fe00000, true},
		    {0x1000, false}, {0x40000000, false}, {-0x200000, false}};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		guint64 slide = 1;

		g_assert_cmpint(symbols_slide(fixture->symbols,
					      fixture->handler + (guint64)rows[i].off, &slide),
				==, rows[i].fits);
		if (rows[i].fits)
			g_assert_cmphex(slide, ==, (guint64)rows[i].off);
	}
}

/* registers.txt of a guest that KASLR moved by SLIDE, vCPU 1 in user space. */
static char *registers_of(const struct fixture *fixture, guint64 handler)
{
	return g_strdup_printf(
		"CPU#0\r\nRIP=%llx RFL=0 CPL=0 HLT=1\r\nCPU#1\r\nRIP=%llx RFL=0 CPL=3 HLT=0\r\n"
		"\nIDT gate 0: fffffe0000000000: 0x%04llx8e000010%04llx 0x00000000%08llx\n",
		(unsigned long long)fixture->stand_still + SLIDE + 1, 0x401745ULL,
		(unsigned long long)handler >> 16 & 0xffff, (unsigned long long)handler & 0xffff,
		(unsigned long long)handler >> 32);
}

static struct look *look_at(const struct fixture *fixture, guint64 handler, const char *console)
{
	g_autofree char *text = registers_of(fixture, handler);
	g_autofree char *path = g_build_filename(fixture->folder, LOOK_REGISTERS_FILE, NULL);
	struct look *look = look_new();
	struct kernel kernel = {.vmlinux = fixture->vmlinux};

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	look_note(look, LOOK_REGISTERS, NULL);
	look_read(look, fixture->folder, &kernel, console);
	return look;
}

static void test_look(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	AUTO(look) *look = look_at(fixture, fixture->handler + SLIDE,
				   "[ 0.0] Linux version 6.12.0 (me@here) (gcc) #7 SMP\r\n");
	const struct look_place *place;

	g_assert_cmpstr(look->undecoded, ==, NULL);
	g_assert_cmpuint(look->places->len, ==, 2);
	place = g_ptr_array_index(look->places, 0);
	g_assert_cmpstr(place->where, ==, "stand_still+0x1");
	g_assert_true(g_str_has_prefix(place->source, "here.c:"));
	g_assert_cmpstr(place->state, ==, "halted");
	place = g_ptr_array_index(look->places, 1);
	g_assert_cmpstr(place->where, ==, "0x401745");
	g_assert_cmpstr(place->source, ==, NULL);
}

/* A name that may be wrong is worse than an address. */
static void test_not_named(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	AUTO(look) *other = look_at(fixture, fixture->handler + SLIDE,
				    "[ 0.0] Linux version 6.12.0 (me@here) (gcc) #8 SMP\r\n");
	AUTO(look) *moved = look_at(fixture, fixture->handler + SLIDE + 0x1000, NULL);
	AUTO(look) *early = look_at(fixture, 0, NULL);
	struct look *const all[] = {other, moved, early};
	static const char *const why[] = {"is of another build than the kernel that ran",
					  "which is none of its vmlinux",
					  "had no exception handlers yet"};

	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
		const struct look_place *place = g_ptr_array_index(all[i]->places, 0);

		g_assert_true(g_str_has_prefix(place->where, "0xffffffff9"));
		g_assert_nonnull(strstr(all[i]->undecoded, why[i]));
	}
}

static void test_no_elf(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *path = g_build_filename(fixture->folder, "here.c", NULL);
	g_autofree char *missing = g_build_filename(fixture->folder, "none", NULL);
	const char *const paths[] = {path, missing, "/dev/null"};

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(symbols_open(paths[i], &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_test_message("%s", error->message);
	}
}

/* Documentation/kbuild, and where Debian's packages put their images and debug files. */
static void test_find(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *boot = g_build_filename(fixture->folder, "arch", "x86", "boot", NULL);
	g_autofree char *in_tree = g_build_filename(boot, "bzImage", NULL);
	g_autofree char *beside = g_build_filename(fixture->folder, "vmlinuz", NULL);
	g_autofree char *from_tree = symbols_find(in_tree, "0.0");
	g_autofree char *from_beside = symbols_find(beside, "0.0");
	g_autofree char *none = symbols_find("/nowhere/bzImage", "0.0");

	g_assert_cmpstr(from_tree, ==, fixture->vmlinux);
	g_assert_cmpstr(from_beside, ==, fixture->vmlinux);
	g_assert_null(none);
}

#define TEST(name)                                                                                 \
	g_test_add("/symbols/" #name, struct fixture, NULL, set_up, test_##name, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST(names);
	TEST(slide);
	TEST(look);
	TEST(not_named);
	TEST(no_elf);
	TEST(find);
	return g_test_run();
}
