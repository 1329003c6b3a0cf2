// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expected domains and groups against what kernels printed: tests/golden/expect/NAME.dmesg holds
 * the lines of sched_domain_debug() (kernel/sched/topology.c) from a boot of that very machine with
 * sched_verbose. The tree is written out as that function would print it.
 */
#include "test_expect.h"

/* The lines of one domain; false when the kernel would complain that groups miss a CPU. */
static void print_domain(GString *text, const struct domain *domain, bool overlaps)
{
	g_autofree char *span = cpus_to_list(domain->span);
	int indent = (int)domain->index;
	AUTO(cpus) *sum = cpus_new();

	g_string_append_printf(text, "%*s domain-%d: span=%s level=%s\n", indent, "", indent, span,
			       domain->name);
	g_string_append_printf(text, "%*s groups:", indent + 1, "");
	for (unsigned i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *own = cpus_to_list(group->span);

		cpus_or(sum, group->span);
		g_string_append_printf(text, "%s %d:{ span=%s", i ? "," : "", group->id, own);
		if (overlaps && !cpus_equal(group->mask, group->span)) {
			g_autofree char *mask = cpus_to_list(group->mask);

			g_string_append_printf(text, " mask=%s", mask);
		}
		g_string_append(text, " }");
	}
	g_string_append_c(text, '\n');
	if (!cpus_equal(sum, domain->span))
		g_string_append(text, "ERROR: groups don't span domain->span\n");
}

static char *print_tree(const struct domain_tree *tree)
{
	GString *text = g_string_new(NULL);

	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		g_string_append_printf(text, "CPU%d attaching sched-domain(s):\n", cpu);
		for (unsigned i = 0; i < domain_tree_depth(tree, (unsigned)cpu); i++) {
			const struct domain *domain = domain_tree_get(tree, (unsigned)cpu, i);

			print_domain(text, domain, strstr(domain->flags, "SD_NUMA") != NULL);
		}
	}
	return g_string_free(text, FALSE);
}

/* clang-format off */
static const struct boot {
	const char *name, *release;
	struct shape shape;
} boots[] = {
	{"gnr-6.12", "6.12.117+deb12-cloud-amd64", {GRANITE_RAPIDS, .packages = 2, .llcs = 1,
	 .cores = 6, .threads = 1, .nodes = 3,
	 .slit = "[[10, 15, 17, 21, 28, 26], [15, 10, 15, 23, 26, 23], [17, 15, 10, 26, 23, 21],"
		 " [21, 28, 26, 10, 15, 17], [23, 26, 23, 15, 10, 15], [26, 23, 21, 17, 15, 10]]"}},
	{"gnr-7.3", "7.3.4+deb13-cloud-amd64", {GRANITE_RAPIDS, .packages = 2, .llcs = 1,
	 .cores = 6, .threads = 1, .nodes = 3,
	 .slit = "[[10, 15, 17, 21, 28, 26], [15, 10, 15, 23, 26, 23], [17, 15, 10, 26, 23, 21],"
		 " [21, 28, 26, 10, 15, 17], [23, 26, 23, 15, 10, 15], [26, 23, 21, 17, 15, 10]]"}},
	/* NUMA diameter 3, as drawn in build_overlap_sched_groups() */
	{"line-6.12", "6.12.117+deb12-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 4, .llcs = 1,
	 .cores = 2, .threads = 1, .nodes = 1,
	 .slit = "[[10, 20, 30, 40], [20, 10, 20, 30], [30, 20, 10, 20], [40, 30, 20, 10]]"}},
	{"nps2-7.3", "7.3.4+deb13-cloud-amd64", {MILAN, .packages = 2, .llcs = 4,
	 .cores = 2, .threads = 2, .nodes = 2,
	 .slit = "[[10, 12, 32, 32], [12, 10, 32, 32], [32, 32, 10, 12], [32, 32, 12, 10]]"}},
	/* no machine at all: a symmetric and an asymmetric jumble on both sides of distance 30 */
	{"mesh-6.12", "6.12.117+deb12-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 5, .llcs = 1,
	 .cores = 2, .threads = 1, .nodes = 1,
	 .slit = "[[10, 16, 24, 31, 20], [16, 10, 35, 12, 24], [24, 35, 10, 20, 16],"
		 " [31, 12, 20, 10, 35], [20, 24, 16, 35, 10]]"}},
	{"skew-6.12", "6.12.117+deb12-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 5, .llcs = 1,
	 .cores = 2, .threads = 1, .nodes = 1,
	 .slit = "[[10, 16, 24, 31, 20], [20, 10, 35, 12, 24], [24, 31, 10, 20, 16],"
		 " [12, 12, 20, 10, 35], [20, 24, 35, 35, 10]]"}},
	/* one CPU per node: all that is not NUMA goes */
	{"single-6.12", "6.12.117+deb12-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 4, .llcs = 1,
	 .cores = 1, .threads = 1, .nodes = 1,
	 .slit = "[[10, 20, 30, 40], [20, 10, 20, 30], [30, 20, 10, 20], [40, 30, 20, 10]]"}},
	{"nps1-6.1", "6.1.0-57-cloud-amd64", {MILAN, .packages = 2, .llcs = 2, .cores = 2,
	 .threads = 2, .nodes = 1, .slit = "[[10, 33], [33, 10]]"}},
	{"nps1-6.12", "6.12.117+deb12-cloud-amd64", {MILAN, .packages = 2, .llcs = 2, .cores = 2,
	 .threads = 2, .nodes = 1, .slit = "[[10, 33], [33, 10]]"}},
	{"snc2-6.1", "6.1.0-57-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 2, .llcs = 1,
	 .cores = 4, .threads = 2, .nodes = 2,
	 .slit = "[[10, 12, 21, 21], [12, 10, 21, 21], [21, 21, 10, 12], [21, 21, 12, 10]]"}},
	{"snc2-7.3", "7.3.4+deb13-cloud-amd64", {SAPPHIRE_RAPIDS, .packages = 2, .llcs = 1,
	 .cores = 4, .threads = 2, .nodes = 2,
	 .slit = "[[10, 12, 21, 21], [12, 10, 21, 21], [21, 21, 10, 12], [21, 21, 12, 10]]"}},
};
/* clang-format on */

static void test_boot(gconstpointer data)
{
	const struct boot *boot = data;
	AUTO(domain_tree) *tree = expect_shape(&boot->shape, boot->release);
	g_autofree char *path =
		g_strdup_printf("%s/tests/golden/expect/%s.dmesg", TOPOLAB_SOURCE, boot->name);
	g_autofree char *printed = NULL;
	g_autofree char *expected = print_tree(tree);
	g_autoptr(GError) error = NULL;

	g_file_get_contents(path, &printed, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(expected, ==, printed);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(boots); i++) {
		g_autofree char *path = g_strdup_printf("/expect-kernel/%s", boots[i].name);

		g_test_add_data_func(path, &boots[i], test_boot);
	}
	return g_test_run();
}
