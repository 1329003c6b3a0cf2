// SPDX-License-Identifier: GPL-2.0-only
/* A last look at a guest: what QEMU and the worker say of it, and what becomes of that. */
#include "base/error.h"
#include "base/registers.h"
#include "report/look.h"
#include "run/look.h"
#include "test_report_help.h"
#include "topo/load.h"
#include "vm/patience.h"

#include <glib.h>
#include <string.h>

/*
 * QEMU 10.0.2, Linux 6.12 halted on vCPU 0, in user space on 1, in the kernel on 2;
 * x86_cpu_dump_state() of target/i386/cpu-dump.c prints the lines that are left out.
 */
static const char text_linux[] =
	"\r\nCPU#0\r\n"
	"RAX=0000000000000000 RBX=0000000000000000 RCX=0000000000000002 RDX=0000000000000000\r\n"
	"RIP=ffffffffa1693f8f RFL=00000206 [-----P-] CPL=0 II=0 A20=1 SMM=0 HLT=1\r\n"
	"CS =0010 0000000000000000 ffffffff 00af9b00 DPL=0 CS64 [-RA]\r\n"
	"TR =0040 fffffe4e0f9d6000 00004087 00008900 DPL=0 TSS64-avl\r\n"
	"GDT=     fffffe4e0f9d4000 0000007f\r\n"
	"IDT=     fffffe0000000000 00000fff\r\n"
	"CR0=80050033 CR2=ff17d3b788601000 CR3=0000000007622000 CR4=00751ef0\r\n"
	"\r\nCPU#1\r\n"
	"RIP=0000000000401745 RFL=00000202 [-------] CPL=3 II=0 A20=1 SMM=0 HLT=0\r\n"
	"CS =0033 0000000000000000 ffffffff 00affb00 DPL=3 CS64 [-RA]\r\n"
	"IDT=     fffffe0000000000 00000fff\r\n"
	"\r\nCPU#2\r\n"
	"RIP=ffffffffa0a8980d RFL=00000046 [---Z-P-] CPL=0 II=0 A20=1 SMM=0 HLT=0\r\n"
	"IDT=     fffffe0000000000 00000fff\r\n"
	"\r\nCPU#3\r\n"
	"RIP=ffffffffa1693f8f RFL=00000206 [-----P-] CPL=0 II=0 A20=1 SMM=0 HLT=1\r\n"
	"IDT gate 0: fffffe0000000000: 0x82c08e0000101030 0x00000000ffffffff\n";

/* A vCPU in real mode, and one that nobody started: its first instruction is 16 bytes below 4 GiB.
 */
static const char text_early[] =
	"CPU#0\r\n"
	"EIP=00000460 EFL=00000046 [---Z-P-] CPL=0 II=0 A20=1 SMM=0 HLT=0\r\n"
	"CS =1020 00010200 0000ffff 00009b00\r\n"
	"IDT=     00000000 000003ff\r\n"
	"CPU#1\r\n"
	"EIP=0000fff0 EFL=00000002 [-------] CPL=0 II=0 A20=1 SMM=0 HLT=1\r\n"
	"CS =f000 ffff0000 0000ffff 00009b00\r\n";

static void test_registers(void)
{
	g_autoptr(GArray) all = registers_parse(text_linux);
	const struct registers *at = (const struct registers *)(gpointer)all->data;

	g_assert_cmpuint(all->len, ==, 4);
	g_assert_cmpuint(at[0].vcpu, ==, 0);
	g_assert_cmphex(at[0].address, ==, 0xffffffffa1693f8f);
	g_assert_cmphex(at[0].idt, ==, 0xfffffe0000000000);
	g_assert_true(at[0].halted && at[0].long_mode && at[0].cpl == 0);
	g_assert_cmphex(at[1].address, ==, 0x401745);
	g_assert_true(!at[1].halted && at[1].cpl == 3);
	g_assert_cmphex(at[2].address, ==, 0xffffffffa0a8980d);
	g_assert_true(!at[2].halted && at[2].cpl == 0);
	g_assert_cmpuint(at[3].vcpu, ==, 3);
	g_assert_cmphex(at[3].idt, ==, 0);
}

static void test_early(void)
{
	g_autoptr(GArray) all = registers_parse(text_early);
	const struct registers *at = (const struct registers *)(gpointer)all->data;

	g_assert_cmpuint(all->len, ==, 2);
	g_assert_cmphex(at[0].address, ==, 0x10660);
	g_assert_false(at[0].long_mode || at[0].halted);
	g_assert_cmphex(at[1].address, ==, 0xfffffff0);
	g_assert_true(at[1].halted);
}

static void test_garbage(void)
{
	static const char *const texts[] = {
		"",	 "CPU#",	  "CPU#0", "CPU#x\nRIP=1", "CPU#0\nRIP=", "CPU#4096\nRIP=1",
		"RIP=1", "CPU#0\nXRIP=1 "};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GArray) all = registers_parse(texts[i]);

		g_assert_cmpuint(all->len, ==, 0);
	}
}

/* A 64-bit gate, Intel SDM volume 3, figure 7-8: 0x1030, selector 0x10, 0x8e00, 0x82c0, high half.
 */
static void test_gate(void)
{
	g_autofree char *line = registers_format_gate(
		"fffffe0000000000: 0x82c08e0000101030 0x00000000ffffffff\r\n");
	guint64 handler = 0;

	g_assert_cmpstr(line, ==,
			"IDT gate 0: fffffe0000000000: 0x82c08e0000101030 0x00000000ffffffff\n");
	g_assert_true(registers_parse_gate(text_linux, &handler));
	g_assert_cmphex(handler, ==, 0xffffffff82c01030);
	g_assert_false(registers_parse_gate(text_early, &handler));
	g_assert_false(registers_parse_gate("IDT gate 0: Cannot access memory", &handler));
	g_assert_false(registers_parse_gate("IDT gate 0: 0: 0x0 0x0", &handler));
}

static char *places_of(const char *text)
{
	g_autoptr(GArray) all = registers_parse(text);
	AUTO(look) *look = look_new();

	look_group(look, all, NULL, 0);
	return look_places_text(look);
}

static void test_places(void)
{
	g_autofree char *in_linux = places_of(text_linux);
	g_autofree char *early = places_of(text_early);
	g_autofree char *none = places_of("");

	g_assert_cmpstr(in_linux, ==,
			"0,3 at 0xffffffffa1693f8f (halted); 1 at 0x401745 (user space); "
			"2 at 0xffffffffa0a8980d");
	g_assert_cmpstr(early, ==, "0 at 0x10660; 1 at 0xfffffff0 (not started)");
	g_assert_null(none);
}

static void test_many_places(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *shown = NULL;

	for (unsigned i = 0; i < 11; i++)
		g_string_append_printf(text, "CPU#%u\nRIP=%x CPL=0 HLT=0\n", i, 16 + i);
	shown = places_of(text->str);
	g_assert_cmpstr(shown, ==,
			"0 at 0x10; 1 at 0x11; 2 at 0x12; 3 at 0x13; 4 at 0x14; 5 at 0x15; 6 at "
			"0x16; 7 at 0x17; and 3 places more");
}

static void test_banner(void)
{
	static const char banner[] = "Linux version 6.12.0 (me@here) (gcc 12) #7 SMP";

	g_assert_true(look_banner_fits("[ 0.0] Linux version 6.12.0 (me@here) (gcc 12) #7 SMP\r\n",
				       banner));
	g_assert_false(look_banner_fits("[ 0.0] Linux version 6.12.0 (me@here) (gcc 12) #8 SMP\r\n",
					banner));
	g_assert_true(look_banner_fits("early console in setup code\r\n", banner));
	g_assert_true(look_banner_fits(NULL, banner));
}

/* The parts one after another; a dump that nobody wants takes none of the time. */
static void test_patience(void)
{
	struct patience patience = {0};
	AUTO(look) *look = look_new();
	gint64 now = 100 * G_USEC_PER_SEC;

	g_assert_false(patience_is_over(&patience, now));
	patience_begin(&patience, now);
	g_assert_false(patience_is_over(&patience, now + 15 * G_USEC_PER_SEC));
	g_assert_true(patience_is_over(&patience, now + 15 * G_USEC_PER_SEC + 1));
	patience_forgive(&patience, G_USEC_PER_SEC, now + 15 * G_USEC_PER_SEC);
	g_assert_false(patience_is_over(&patience, now + 15 * G_USEC_PER_SEC + 1));
	patience_looked(&patience, LOOK_REGISTERS, now);
	g_assert_cmpint(patience.part, ==, LOOK_SYSRQ_L);
	patience_looked(&patience, LOOK_SYSRQ_W, now);
	g_assert_cmpint(patience.part, ==, LOOK_SYSRQ_L);
	patience_note(&patience, look);
	g_assert_cmpstr(look->parts[LOOK_SYSRQ_L].problem, ==,
			"QEMU did not answer within 20 seconds");
	patience.dump_memory = true;
	patience_looked(&patience, LOOK_REGISTERS, now);
	g_assert_cmpint(patience.part, ==, LOOK_MEMORY);
}

static struct look *some_look(void)
{
	struct look *look = look_new();
	struct look_place place = {.vcpus = (char[]){"0"}, .where = (char[]){"x+0x1"}};

	look->console_bytes = 4096;
	look->undecoded = g_strdup("it has \xff no names");
	look_note(look, LOOK_REGISTERS, NULL);
	look_note(look, LOOK_SYSRQ_L, NULL);
	look_note(look, LOOK_SYSRQ_W, "no answer");
	look_add_place(look, &place);
	place.source = (char[]){"a.c:1"};
	place.state = (char[]){"halted"};
	look_add_place(look, &place);
	return look;
}

static void test_json(void)
{
	AUTO(look) *look = some_look();
	AUTO(look) *back = NULL;
	g_autoptr(GError) error = NULL;
	json_t *json = look_to_json(look);
	g_autofree char *places = NULL;
	g_autofree char *parts = NULL;

	g_assert_true(look_from_json(json, &back, &error));
	g_assert_no_error(error);
	json_decref(json);
	places = look_places_text(back);
	parts = look_parts_text(back);
	g_assert_cmpstr(places, ==, "0 at x+0x1; 0 at x+0x1 (a.c:1, halted)");
	g_assert_cmpstr(parts, ==,
			"registers.txt; sysrq-l: console.log, after its first 4096 bytes; sysrq-w: "
			"no answer; addresses have no names: it has \xef\xbf\xbd no names");
	g_assert_false(back->parts[LOOK_MEMORY].tried);
}

static void test_json_bad(void)
{
	static const char *const bad[] = {
		"1",
		"{\"parts\":{},\"places\":{}}",
		"{\"parts\":[],\"places\":[]}",
		"{\"parts\":{\"memory\":1},\"places\":[]}",
		"{\"parts\":{},\"places\":[{\"vcpus\":\"0\"}]}",
		"{\"parts\":{},\"places\":[],\"console_bytes\":-1}",
		"{\"parts\":{},\"places\":[],\"undecoded\":1}",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		AUTO(look) *look = NULL;
		g_autoptr(GError) error = NULL;
		json_t *json = json_loads(bad[i], JSON_DECODE_ANY, NULL);

		g_test_message("%s", bad[i]);
		g_assert_false(look_from_json(json, &look, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_null(look);
		json_decref(json);
	}
}

static const char machine[] = "name: four\n"
			      "title: four CPUs\n"
			      "reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x,"
			      " threads_per_core: x, nodes_per_package: x, memory_per_node: x,"
			      " distances: x, numbering: x}\n"
			      "cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
			      "packages: 1\n"
			      "l3_per_package: 1\n"
			      "cores_per_l3: 4\n"
			      "threads_per_core: 1\n"
			      "nodes_per_package: 1\n"
			      "memory_per_node: 512M\n"
			      "distances: [[10]]\n"
			      "numbering: threads-last\n";

static const char spoke[] = "[    0.000000] Linux version 6.12.117\n";
static const char asked[] = "[    9.000000] Oops: 0000 [#1] PREEMPT SMP NOPTI\n";

/* What a guest prints when it is asked for its state is no complaint; the same before that is. */
static void test_judged_part(void)
{
	AUTO(topo) *topo = topo_load_text(machine, strlen(machine), "four.yaml", NULL);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(result) *result = some_result("four", "linux");
	g_autofree char *console = g_strconcat(spoke, asked, NULL);
	struct verdict_input input = {
		.topo = topo,
		.facts = facts,
		.console = console,
		.console_length = strlen(console),
	};

	result->ending = ENDING_STALLED;
	result_judge(result, &input);
	g_assert_cmpint(result_verdict(result), ==, VERDICT_FAIL);
	result->look = look_new();
	result_judge(result, &input);
	g_assert_cmpint(result_verdict(result), ==, VERDICT_FAIL);
	result->look->console_bytes = (gint64)strlen(console);
	result_judge(result, &input);
	g_assert_cmpint(result_verdict(result), ==, VERDICT_FAIL);
	result->look->console_bytes = (gint64)strlen(spoke);
	result_judge(result, &input);
	g_assert_cmpint(result_verdict(result), ==, VERDICT_TIMEOUT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/look/registers", test_registers);
	g_test_add_func("/look/early", test_early);
	g_test_add_func("/look/garbage", test_garbage);
	g_test_add_func("/look/gate", test_gate);
	g_test_add_func("/look/places", test_places);
	g_test_add_func("/look/many-places", test_many_places);
	g_test_add_func("/look/banner", test_banner);
	g_test_add_func("/look/patience", test_patience);
	g_test_add_func("/look/judged-part", test_judged_part);
	g_test_add_func("/look/json", test_json);
	g_test_add_func("/look/json-bad", test_json_bad);
	return g_test_run();
}
