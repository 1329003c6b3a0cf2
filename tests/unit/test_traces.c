// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call traces of a kernel in small, which gcc and ld make as Linux's build with O= does: where its
 * functions are says nm, on which lines its instructions stand says addr2line.
 */
#include "base/trace.h"
#include "base/tree.h"
#include "run/traces.h"

#include <string.h>

/* Where the compiler stands, and where the sources lie. */
#define OUT  "out"
#define TREE "tree"

/* The label is where the call returns to, which is on another line. */
static const char main_source[] = "const char linux_banner[] = \"Linux version 6.12.0 #7\\n\";\n"
				  "#include \"spin.h\"\n"
				  "static __attribute__((noinline)) void twin(void)\n"
				  "{\n"
				  "	__asm__ volatile(\"nop\");\n"
				  "}\n"
				  "static __attribute__((noinline)) void alike(void)\n"
				  "{\n"
				  "	__asm__ volatile(\"nop\");\n"
				  "}\n"
				  "void other(void);\n"
				  "__attribute__((noinline, noreturn)) void stand_still(void)\n"
				  "{\n"
				  "	for (;;)\n"
				  "		spin();\n"
				  "}\n"
				  "void start_kernel(void)\n"
				  "{\n"
				  "	twin();\n"
				  "	alike();\n"
				  "	other();\n"
				  "	__asm__ volatile(\".globl returned\\nreturned:\");\n"
				  "	stand_still();\n"
				  "}\n";
static const char spin_source[] = "static inline void spin(void)\n"
				  "{\n"
				  "	__asm__ volatile(\".globl halted\\nhalted: hlt\");\n"
				  "}\n";
/* Of the two that are called alike nothing but the line is different. */
static const char other_source[] = "static __attribute__((noinline)) void twin(void)\n"
				   "{\n"
				   "	__asm__ volatile(\".skip 200, 0x90\");\n"
				   "}\n"
				   "static __attribute__((noinline)) void alike(void)\n"
				   "{\n"
				   "	__asm__ volatile(\"nop\");\n"
				   "}\n"
				   "void other(void)\n"
				   "{\n"
				   "	twin();\n"
				   "	alike();\n"
				   "	__asm__ volatile(\"nop\");\n"
				   "}\n";

struct fixture {
	char *folder, *out, *tree, *vmlinux;
	char *names; /* by nm */
	struct symbols *symbols;
};

static char *run_tool(const struct fixture *fixture, const char *line)
{
	g_auto(GStrv) argv = g_strsplit(line, " ", -1);
	g_autoptr(GError) error = NULL;
	char *output = NULL;
	int status;

	g_spawn_sync(fixture->out, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL,
		     &status, &error);
	g_assert_no_error(error);
	g_assert_cmpint(status, ==, 0);
	return output;
}

static void put(const struct fixture *fixture, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(fixture->tree, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void set_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *command = NULL;

	fixture->folder = g_dir_make_tmp("traces-XXXXXX", NULL);
	fixture->out = g_build_filename(fixture->folder, OUT, NULL);
	fixture->tree = g_build_filename(fixture->folder, TREE, NULL);
	fixture->vmlinux = g_build_filename(fixture->out, "vmlinux", NULL);
	g_assert_cmpint(g_mkdir_with_parents(fixture->out, 0755), ==, 0);
	put(fixture, "init/main.c", main_source);
	put(fixture, "include/spin.h", spin_source);
	put(fixture, "kernel/other.c", other_source);
	command = g_strdup_printf("gcc -g -O1 -fno-toplevel-reorder -fno-ipa-icf -nostdlib -static "
				  "-no-pie -fno-pie -mcmodel=kernel -fcf-protection=none "
				  "-falign-functions=16 -Wl,-Ttext=0xffffffff81000000 "
				  "-Wl,--build-id=none -Wl,-e,start_kernel -I%s/./include "
				  "-o vmlinux %s/init/main.c %s/kernel/other.c",
				  fixture->tree, fixture->tree, fixture->tree);
	g_free(run_tool(fixture, command));
	fixture->names = run_tool(fixture, "nm -n -S vmlinux");
	fixture->symbols = symbols_open(fixture->vmlinux, &error);
	g_assert_no_error(error);
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	symbols_free(fixture->symbols);
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->out);
	g_free(fixture->tree);
	g_free(fixture->vmlinux);
	g_free(fixture->names);
}

/* "ffffffff81000010 0000000000000006 t twin"; a label has no size. */
static guint64 find(const struct fixture *fixture, const char *name, unsigned nth, guint64 *size)
{
	g_auto(GStrv) lines = g_strsplit(fixture->names, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		guint n = g_strv_length(words);

		if (n < 3 || strcmp(words[n - 1], name) != 0 || nth-- > 0)
			continue;
		*size = n == 4 ? g_ascii_strtoull(words[1], NULL, 16) : 0;
		return g_ascii_strtoull(words[0], NULL, 16);
	}
	g_test_fail_printf("there is no %s", name);
	return 0;
}

/* As kallsyms has it: up to the next function, which begins on a multiple of 16. */
static char *printed(const struct fixture *fixture, const char *name, unsigned nth, guint64 address)
{
	guint64 size;
	guint64 begin = find(fixture, name, nth, &size);

	return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x/0x%" G_GINT64_MODIFIER "x", name,
			       address - begin, (size + 15) & ~(guint64)15);
}

/* " (init/main.c:21)", by addr2line, below the tree's folder. */
static char *line_of(const struct fixture *fixture, guint64 address)
{
	g_autofree char *command =
		g_strdup_printf("addr2line -e vmlinux 0x%" G_GINT64_MODIFIER "x", address);
	g_autofree char *text = run_tool(fixture, command);
	const char *below;

	text[strcspn(text, " \n")] = '\0';
	below = strstr(text, "/" TREE "/");
	g_assert_nonnull(below);
	below += strlen("/" TREE "/");
	if (g_str_has_prefix(below, "./"))
		below += 2;
	return g_strdup_printf(" (%s)", below);
}

/* One line of a console, decoded: what it gained; NULL: nothing. */
static char *gained(const struct fixture *fixture, const char *before, const char *address,
		    const char *after)
{
	g_autofree char *line = g_strconcat(before, address, after, NULL);
	g_autofree char *head = g_strconcat(before, address, NULL);
	unsigned n = 99;
	g_autoptr(GString) text = traces_decode(line, strlen(line), fixture->symbols, &n);

	g_assert_cmpuint(n, ==, text ? 1 : 0);
	if (!text)
		return NULL;
	g_assert_true(g_str_has_prefix(text->str, head) && g_str_has_suffix(text->str, after));
	return g_strndup(text->str + strlen(head), text->len - strlen(line));
}

/* A call's line, not that of the next instruction: the source says 21, so must addr2line. */
static void test_call(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const before[] = {"[    9.123456]  ", "[    9.123456]  ? ", " ",
					     "[    9.123456][   T77]  ",
					     "[    9.1] hardirqs last enabled at (7): [<1>] "};
	guint64 size;
	guint64 address = find(fixture, "returned", 0, &size);
	g_autofree char *name = printed(fixture, "start_kernel", 0, address);
	g_autofree char *wanted = line_of(fixture, address - 1);

	g_assert_cmpstr(wanted, ==, " (init/main.c:21)");
	for (unsigned i = 0; i < G_N_ELEMENTS(before); i++) {
		g_autofree char *crlf = gained(fixture, before[i], name, "\r\n");
		g_autofree char *cut = gained(fixture, before[i], name, "");

		g_assert_cmpstr(crlf, ==, wanted);
		g_assert_cmpstr(cut, ==, wanted);
	}
}

/* The instruction itself, in a header that was named by way of "./". */
static void test_rip(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	guint64 size;
	guint64 address = find(fixture, "halted", 0, &size);
	g_autofree char *name = printed(fixture, "stand_still", 0, address);
	g_autofree char *wanted = line_of(fixture, address);
	g_autofree char *got = gained(fixture, "[    9.1] RIP: 0010:", name, "\r\n");

	g_assert_cmpstr(wanted, ==, " (include/spin.h:3)");
	g_assert_cmpstr(got, ==, wanted);
}

/* Two functions of one name: their lengths tell which it is, or nothing does. */
static void test_twins(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	for (unsigned i = 0; i < 2; i++) {
		guint64 size;
		guint64 address = find(fixture, "twin", i, &size) + 1;
		g_autofree char *name = printed(fixture, "twin", i, address);
		g_autofree char *wanted = line_of(fixture, address - 1);
		g_autofree char *got = gained(fixture, "  ", name, "\n");
		g_autofree char *alike =
			printed(fixture, "alike", i, find(fixture, "alike", i, &size) + 1);
		g_autofree char *none = gained(fixture, "  ", alike, "\n");

		g_assert_cmpstr(got, ==, wanted);
		g_assert_cmpstr(none, ==, NULL);
	}
}

/* Kernel text that ends with no address of the kernel's own. */
static void test_left(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const lines[] = {
		"",
		"\n",
		"Call Trace:",
		"  start_kernel+0x5/0x30 [xfs]",
		"  start_kernel+0x5/0x30 [xfs 0123456789abcdef]",
		"  no_such_function+0x5/0x30",
		"  start_kernel+0x5/0x1000",
		"  start_kernel+0x100/0x30",
		"  start_kernel+5/0x30",
		"  start_kernel+0x5",
		"  start_kernel+0x/0x",
		"  start_kernel+0x5/0x30:",
		"  +0x5/0x30",
		"  0xffffffff81000000+0x5/0x30",
		"RIP: 0033:0x7f1234567890",
		"Code: 0010:start_kernel+0x5/0x30",
		"  start_kernel+0x11111111111111111/0x30",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		unsigned n;
		g_autoptr(GString) text =
			traces_decode(lines[i], strlen(lines[i]), fixture->symbols, &n);

		g_test_message("%s", lines[i]);
		g_assert_cmpuint(n, ==, 0);
		g_assert_null(text);
	}
}

/* Everything else stays as it is, NULs too; past the bound all does. */
static void test_whole(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	guint64 size;
	guint64 address = find(fixture, "returned", 0, &size);
	g_autofree char *name = printed(fixture, "start_kernel", 0, address);
	g_autoptr(GString) console = g_string_new(NULL);
	g_autoptr(GString) wanted = g_string_new(NULL);
	g_autoptr(GString) text = NULL;
	unsigned n;

	g_string_append_len(console, "a\0b\r\n", 5);
	g_string_append_len(wanted, "a\0b\r\n", 5);
	for (unsigned i = 0; i < TRACES_MAX + 2; i++) {
		g_string_append_printf(console, " %s\n", name);
		g_string_append_printf(wanted, " %s%s\n", name,
				       i < TRACES_MAX ? " (init/main.c:21)" : "");
	}
	text = traces_decode(console->str, console->len, fixture->symbols, &n);
	g_assert_cmpuint(n, ==, TRACES_MAX);
	g_assert_cmpmem(text->str, text->len, wanted->str, wanted->len);
	g_assert_true(traces_has("x\r\n[ 9.1] Call Trace:\r\n") && traces_has("RIP: 0010:x"));
	g_assert_false(traces_has("[ 0.0] Linux version 6.12.0\r\n"));
}

static void test_parse(void)
{
	static const char line[] = "[    9.1] RIP: 0010:fn.isra.0+0x12/0x40\r\n";
	struct trace_address address;

	g_assert_true(trace_parse(line, strlen(line), &address));
	g_assert_cmpmem(address.name, address.name_length, "fn.isra.0", 9);
	g_assert_cmphex(address.offset, ==, 0x12);
	g_assert_cmphex(address.size, ==, 0x40);
	g_assert_true(address.at);
	g_assert_false(trace_parse(line, strlen(line) - 5, &address));
}

#define TEST(name)                                                                                 \
	g_test_add("/traces/" #name, struct fixture, NULL, set_up, test_##name, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST(call);
	TEST(rip);
	TEST(twins);
	TEST(left);
	TEST(whole);
	g_test_add_func("/traces/parse", test_parse);
	return g_test_run();
}
