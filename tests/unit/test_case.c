// SPDX-License-Identifier: GPL-2.0-only
/* Cases: their files, and what a kernel that shows this or that is said to be. */
#include "base/error.h"
#include "run/case.h"
#include "topo/load.h"

#include <string.h>

/* The case of the partition's weight, as 8e8e23dea43e tells it. */
static const char text[] = "title: a case\n"
			   "source: [a commit]\n"
			   "machine: nps1-mini\n"
			   "append: quiet\n"
			   "steps:\n"
			   "  - offline 4-7\n"
			   "right:\n"
			   "  - chain 0 MC 0-3\n"
			   "  - number 0/0 min_interval 4\n"
			   "wrong:\n"
			   "  whole:\n"
			   "    - chain 0 MC 0-3\n"
			   "    - number 0/0 min_interval 8\n"
			   "    - fails invariants.intervals\n"
			   "kernels:\n"
			   "  debian-6.12: {shows: whole, as-of: 6.12.117}\n"
			   "  debian-7.3: {shows: right}\n"
			   "  bugs: {shows: whole, as-of: 6.12.117, append: x=y}\n";

static struct case_file *parsed(void)
{
	g_autoptr(GError) error = NULL;
	struct case_file *file = case_parse(text, strlen(text), "a", "a.yaml", &error);

	g_assert_no_error(error);
	return file;
}

static void test_parse(void)
{
	AUTO(case_file) *file = parsed();
	const struct case_kernel *kernel = file->kernels->pdata[2];

	g_assert_cmpstr(file->name, ==, "a");
	g_assert_cmpstr(file->topology, ==, "nps1-mini");
	g_assert_cmpstr(file->append, ==, "quiet");
	g_assert_cmpstr(file->steps->pdata[0], ==, "offline 4-7");
	g_assert_null(file->steps->pdata[1]);
	g_assert_cmpuint(file->looks->len, ==, 2);
	g_assert_cmpstr(kernel->name, ==, "bugs");
	g_assert_cmpstr(kernel->append, ==, "x=y");
	g_assert_cmpstr(kernel->look->name, ==, "whole");
	g_assert_cmpuint(kernel->version, ==, KERNEL_VERSION_OF(6, 12, 117));
	g_assert_false(case_is_guard(file));
}

/* Each is the text above with one change. */
static void test_bad(void)
{
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
		{"source: [a commit]\n", "",
		 "a.yaml:1:1: the case has no 'source' where it was reported or mended"},
		{"title: a case\n", "", "a.yaml:1:1: the file lacks the key 'title'"},
		{"- offline 4-7", "- reboot",
		 "a.yaml:6:5: 'reboot' is no step; steps are 'offline CPUS', 'online CPUS', 'smt "
		 "on|off', 'cpuset NAME CPUS root|isolated', 'write FILE WORD', and "
		 "'try STEP'"},
		{"shows: right", "shows: left",
		 "a.yaml:17:23: 'left' is neither 'right' nor one of 'wrong'"},
		{", as-of: 6.12.117}", "}",
		 "a.yaml:16:16: a kernel that is wrong needs 'as-of', its version"},
		{"as-of: 6.12.117}", "as-of: newest}",
		 "a.yaml:16:38: 'kernels.debian-6.12.as-of' must be a version such as 6.12.117, "
		 "not 'newest'"},
		{"{shows: right}", "{shows: right, as-of: 7.3.4}",
		 "a.yaml:17:37: 'as-of' is the version of a kernel that is wrong"},
		{"kernels:\n", "kernel:\n", NULL},
		{"chain 0 MC 0-3\n  -", "chain 0\n  -", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(GStrv) parts = g_strsplit(text, rows[i].from, 2);
		g_autofree char *changed = g_strjoinv(rows[i].to, parts);
		g_autoptr(GError) error = NULL;
		AUTO(case_file) *file = case_parse(changed, strlen(changed), "a", "a.yaml", &error);

		g_assert_cmpuint(g_strv_length(parts), ==, 2);
		g_assert_null(file);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		if (rows[i].message)
			g_assert_cmpstr(error ? error->message : NULL, ==, rows[i].message);
	}
}

/* What was seen: CPU 0's one domain, its interval, and one more check. */
struct sight {
	const char *span;
	gint64 interval;
	const char *check;
	enum verdict verdict;
};

static struct judgement *judgement_of(const struct sight *sight)
{
	struct judgement *judgement = g_new0(struct judgement, 1);
	struct domain *domain;

	judgement->checks = checks_new();
	judgement->observed = domain_tree_new();
	domain = domain_tree_append(judgement->observed, 0);
	domain->name = g_strdup("MC");
	domain->span = cpus_parse_list(sight->span, NULL);
	domain->number[DOMAIN_MIN_INTERVAL] = sight->interval;
	checks_add(judgement->checks, &(struct check){.name = "domains.rules",
						      .verdict = VERDICT_PASS,
						      .cpu = -1,
						      .level = -1});
	if (sight->check)
		checks_add(judgement->checks, &(struct check){.name = sight->check,
							      .verdict = sight->verdict,
							      .cpu = -1,
							      .level = -1,
							      .reason = "because"});
	return judgement;
}

#define RIGHT                                                                                      \
	{                                                                                          \
		"0-3", 4                                                                           \
	}
#define WRONG                                                                                      \
	{                                                                                          \
		"0-3", 8, "invariants.intervals", VERDICT_FAIL                                     \
	}
#define OLD	      KERNEL_VERSION_OF(6, 12, 117)
#define NEWER	      KERNEL_VERSION_OF(6, 12, 118)
#define KNOWN_WRONG   0
#define KNOWN_RIGHT   1
#define KNOWN_NOTHING -1

static const struct {
	const char *name;
	struct sight sight;
	int kernel;
	unsigned version;
	enum case_verdict verdict;
	const char *reason; /* a part of it; NULL: none */
} looks[] = {
	{"right", RIGHT, KNOWN_RIGHT, OLD, CASE_PASS, NULL},
	{"wrong-as-recorded", WRONG, KNOWN_WRONG, OLD, CASE_KNOWN_BUG, "whole"},
	{"newer-and-still-wrong", WRONG, KNOWN_WRONG, NEWER, CASE_KNOWN_BUG, "whole"},
	{"newer-and-mended", RIGHT, KNOWN_WRONG, NEWER, CASE_PASS, NULL},
	{"mended-but-the-same", RIGHT, KNOWN_WRONG, OLD, CASE_FIXED, "this very version"},
	{"wrong-where-right", WRONG, KNOWN_RIGHT, OLD, CASE_FAIL,
	 "it shows what is wrong, 'whole'"},
	{"wrong-where-nothing", WRONG, KNOWN_NOTHING, OLD, CASE_FAIL, "'whole'"},
	{"otherwise-wrong", {"0-2", 8}, KNOWN_WRONG, OLD, CASE_FAIL, "but 'MC 0-2'"},
	/* The interval is wrong and no check says so. */
	{"wrong-but-not-failing", {"0-3", 8}, KNOWN_WRONG, OLD, CASE_FAIL, "no check"},
	{"right-but-failing",
	 {"0-3", 4, "kernel.splats", VERDICT_FAIL},
	 KNOWN_RIGHT,
	 OLD,
	 CASE_FAIL,
	 "'kernel.splats' fails, which the case does not tell of: because"},
	{"wrong-and-more",
	 {"0-3", 8, "kernel.splats", VERDICT_FAIL},
	 KNOWN_WRONG,
	 OLD,
	 CASE_FAIL,
	 "no check 'invariants.intervals' fails"},
	{"lab-at-fault",
	 {"0-3", 4, "guest.cpuid", VERDICT_ERROR},
	 KNOWN_RIGHT,
	 OLD,
	 CASE_ERROR,
	 "guest.cpuid: because"},
	{"skipped",
	 {"0-3", 4, "guest.room", VERDICT_SKIP},
	 KNOWN_RIGHT,
	 OLD,
	 CASE_SKIP,
	 "guest.room"},
	{"timeout",
	 {"0-3", 4, "guest.ending", VERDICT_TIMEOUT},
	 KNOWN_WRONG,
	 OLD,
	 CASE_TIMEOUT,
	 "guest.ending"},
};

static void test_look(gconstpointer data)
{
	gsize i = GPOINTER_TO_SIZE(data);
	AUTO(case_file) *file = parsed();
	AUTO(judgement) *judgement = judgement_of(&looks[i].sight);
	AUTO(seen) *seen = seen_new(judgement, NULL, NULL, 0);
	const struct case_kernel *known =
		looks[i].kernel < 0 ? NULL : file->kernels->pdata[looks[i].kernel];
	g_autofree char *reason = NULL;
	enum case_verdict verdict =
		case_judge(file, known, looks[i].version, judgement, seen, &reason);

	g_assert_cmpstr(case_verdict_name(verdict), ==, case_verdict_name(looks[i].verdict));
	if (looks[i].reason)
		g_assert_nonnull(strstr(reason ?: "", looks[i].reason));
	else
		g_assert_null(reason);
}

/* A machine that is another one with changes is loaded with them, and refers to the case. */
static void test_machine(void)
{
	g_auto(GStrv) parts = g_strsplit(text, "nps1-mini\n", 2);
	g_autofree char *changed = g_strjoinv(
		"{of: nps1-mini, cpu: {family: 23, model: 49}, distances: {other-package: 30}}\n",
		parts);
	g_autoptr(GError) error = NULL;
	AUTO(case_file) *file = case_parse(changed, strlen(changed), "a", "a.yaml", &error);
	AUTO(topo) *topo = NULL;

	g_assert_no_error(error);
	g_assert_nonnull(file->machine);
	topo = topo_load_text(file->machine, strlen(file->machine), "a.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(topo_name(topo), ==, "a");
	g_assert_null(topo_mini_of(topo));
	g_assert_cmpuint(topo_cpu_model(topo)->family, ==, 23);
	g_assert_cmpuint(topo_cpu_model(topo)->stepping, ==, 1);
	g_assert_cmpuint(topo_distance(topo, 0, 1), ==, 30);
	g_assert_cmpstr(topo_reference(topo, "distances"), ==, "a commit");
	g_assert_cmpstr(topo_reference(topo, "packages"), ==, "as in nps1");
	g_assert_cmpuint(topo_n_cpus(topo), ==, 16);
}

/* Without another one it is described whole, but for what the case says of itself. */
static void test_whole_machine(void)
{
	g_auto(GStrv) parts = g_strsplit(text, "nps1-mini\n", 2);
	g_autofree char *changed = g_strjoinv(
		"{cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 1}, packages: 1, "
		"l3_per_package: 1, cores_per_l3: 8, threads_per_core: 1, nodes_per_package: 1, "
		"memory_per_node: 256M, distances: {}, numbering: threads-last}\n",
		parts);
	g_autoptr(GError) error = NULL;
	AUTO(case_file) *file = case_parse(changed, strlen(changed), "a", "a.yaml", &error);
	AUTO(topo) *topo = NULL;

	g_assert_no_error(error);
	topo = topo_load_text(file->machine, strlen(file->machine), "a.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpuint(topo_n_cpus(topo), ==, 8);
	g_assert_cmpstr(topo_title(topo), ==, "a case");
}

/* Every file in tests/cases can be read, and says which kernels show what. */
static void test_files(void)
{
	g_auto(GStrv) names = case_list();

	g_assert_cmpuint(g_strv_length(names), >=, 15);
	for (unsigned i = 0; names[i]; i++) {
		g_autoptr(GError) error = NULL;
		AUTO(case_file) *file = case_find(names[i], &error);

		g_assert_no_error(error);
		g_assert_cmpuint(file->kernels->len, >=, 2);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/case/parse", test_parse);
	g_test_add_func("/case/bad", test_bad);
	g_test_add_func("/case/machine", test_machine);
	g_test_add_func("/case/whole-machine", test_whole_machine);
	g_test_add_func("/case/files", test_files);
	for (gsize i = 0; i < G_N_ELEMENTS(looks); i++) {
		g_autofree char *path = g_strdup_printf("/case/look/%s", looks[i].name);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_look);
	}
	return g_test_run();
}
