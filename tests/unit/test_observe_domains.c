// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three places that show domains, joined: formats from kernel/sched/{stats,debug,topology}.c of
 * Linux 6.12 and 7.3. Two CPUs with SMT below one MC would degenerate; here CPU 0 and 1 are cores.
 */
#include "base/error.h"
#include "members.h"
#include "observe/observe.h"

#define ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0 0"
#define ZEROS36 ZEROS12 ZEROS12 ZEROS12
#define ZEROS45 ZEROS36 " 0 0 0 0 0 0 0 0 0"
#define DEBUGFS "sys/kernel/debug/sched/domains/"

static const char schedstat_16[] = "version 16\ntimestamp 1\n"
				   "cpu0 0 0 0 0 0 0 0 0 0\n"
				   "domain0 00000003" ZEROS36 "\n"
				   "domain1 0000000f" ZEROS36 "\n"
				   "cpu1 0 0 0 0 0 0 0 0 0\n"
				   "domain0 00000003" ZEROS36 "\n"
				   "domain1 0000000f" ZEROS36 "\n"
				   "cpu2 0 0 0 0 0 0 0 0 0\n";

static const char schedstat_17[] = "version 17\ntimestamp 1\n"
				   "cpu0 0 0 0 0 0 0 0 0 0\n"
				   "domain0 MC 00000003" ZEROS45 "\n"
				   "domain1 NUMA 0000000f" ZEROS45 "\n"
				   "cpu1 0 0 0 0 0 0 0 0 0\n"
				   "domain0 MC 00000003" ZEROS45 "\n"
				   "domain1 NUMA 0000000f" ZEROS45 "\n"
				   "cpu2 0 0 0 0 0 0 0 0 0\n";

static const char kmsg[] = "7,0,1,-;CPU0 attaching sched-domain(s):\n"
			   "7,1,2,-; domain-0: span=0-1 level=MC\n"
			   "7,2,3,-;  groups: 0:{ span=0 }, 1:{ span=1 cap=1000 }\n"
			   "7,3,4,-;  domain-1: span=0-3 level=NUMA\n"
			   "7,4,5,-;   groups: 0:{ span=0-1 }, 2:{ span=2-3 }\n"
			   "7,5,6,-;CPU1 attaching sched-domain(s):\n"
			   "7,6,7,-; domain-0: span=0-1 level=MC\n"
			   "7,7,8,-;  groups: 1:{ span=1 }, 0:{ span=0 }\n"
			   "7,8,9,-;  domain-1: span=0-3 level=NUMA\n"
			   "7,9,10,-;   groups: 0:{ span=0-1 }, 2:{ span=2-3 }\n";

static void add_debugfs(GHashTable *members, unsigned cpu, unsigned domain, const char *name,
			const char *flags, unsigned level)
{
	g_autofree char *folder = g_strdup_printf(DEBUGFS "cpu%u/domain%u", cpu, domain);
	g_autofree char *name_path = g_strconcat(folder, "/name", NULL);
	g_autofree char *flags_path = g_strconcat(folder, "/flags", NULL);
	g_autofree char *level_path = g_strconcat(folder, "/level", NULL);

	members_add(members, name_path, "%s\n", name);
	/* sd_flags_show() ends with a blank. */
	members_add(members, flags_path, "%s \n", flags);
	members_add(members, level_path, "%u\n", level);
}

static GHashTable *machine(const char *schedstat)
{
	GHashTable *members = members_new();

	members_add(members, "proc/schedstat", "%s", schedstat);
	members_add(members, "kmsg", "%s", kmsg);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		add_debugfs(members, cpu, 0, "MC", "SD_BALANCE_NEWIDLE SD_SHARE_LLC", 2);
		add_debugfs(members, cpu, 1, "NUMA", "SD_SERIALIZE SD_NUMA", 4);
	}
	return members;
}

static void assert_domain(const struct domain_tree *tree, unsigned cpu, unsigned index,
			  const char *name, const char *flags, int level, const char *span)
{
	const struct domain *domain = domain_tree_get(tree, cpu, index);
	g_autofree char *list = NULL;

	g_assert_nonnull(domain);
	list = cpus_to_list(domain->span);
	g_assert_cmpuint(domain->index, ==, index);
	g_assert_cmpstr(domain->name, ==, name);
	g_assert_cmpstr(domain->flags, ==, flags);
	g_assert_cmpint(domain->level, ==, level);
	g_assert_cmpstr(list, ==, span);
}

static struct domain_tree *observe(GHashTable *members, GError **error)
{
	AUTO(root) *root = members_root(members);

	return observe_domains(root, error);
}

static void test_joined(void)
{
	static const char *const texts[] = {schedstat_16, schedstat_17};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GHashTable) members = machine(texts[i]);
		g_autoptr(GError) error = NULL;
		AUTO(domain_tree) *tree = observe(members, &error);
		const struct domain_group *group;
		g_autofree char *cpus = NULL;
		g_autofree char *span = NULL;

		g_assert_no_error(error);
		cpus = cpus_to_list(domain_tree_cpus(tree));
		g_assert_cmpstr(cpus, ==, "0-2");
		assert_domain(tree, 0, 0, "MC", "SD_BALANCE_NEWIDLE SD_SHARE_LLC", 2, "0-1");
		assert_domain(tree, 1, 1, "NUMA", "SD_SERIALIZE SD_NUMA", 4, "0-3");
		g_assert_cmpuint(domain_tree_depth(tree, 2), ==, 0);
		g_assert_cmpuint(domain_tree_get(tree, 1, 0)->groups->len, ==, 2);
		group = domain_tree_get(tree, 1, 0)->groups->pdata[0];
		span = cpus_to_list(group->span);
		g_assert_cmpstr(span, ==, "1");
		g_assert_cmpint(group->id, ==, 1);
	}
}

/* Without sched_verbose, 6.12 shows no more than spans. */
static void test_spans_only(void)
{
	g_autoptr(GHashTable) members = members_new();
	g_autoptr(GError) error = NULL;

	members_add(members, "proc/schedstat", "%s", schedstat_16);
	members_add(members, "kmsg", "6,0,0,-;Linux version 6.12.117\n");
	{
		AUTO(domain_tree) *tree = observe(members, &error);

		g_assert_no_error(error);
		assert_domain(tree, 0, 1, NULL, NULL, -1, "0-3");
		g_assert_null(domain_tree_get(tree, 0, 1)->groups);
	}
}

/* 6.1 has debugfs without levels; no debugfs at all leaves the log's names. */
static void test_less(void)
{
	g_autoptr(GHashTable) members = machine(schedstat_16);
	g_autoptr(GHashTable) bare = members_new();
	g_autoptr(GError) error = NULL;

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		for (unsigned index = 0; index < 2; index++) {
			g_autofree char *path =
				g_strdup_printf(DEBUGFS "cpu%u/domain%u/level", cpu, index);

			members_remove(members, path);
		}
	}
	{
		AUTO(domain_tree) *tree = observe(members, &error);

		g_assert_no_error(error);
		assert_domain(tree, 0, 0, "MC", "SD_BALANCE_NEWIDLE SD_SHARE_LLC", -1, "0-1");
	}
	members_add(bare, "proc/schedstat", "%s", schedstat_16);
	members_add(bare, "kmsg", "%s", kmsg);
	{
		AUTO(domain_tree) *tree = observe(bare, &error);

		g_assert_no_error(error);
		assert_domain(tree, 0, 0, "MC", NULL, -1, "0-1");
	}
	/* CONFIG_SCHEDSTATS=n */
	members_remove(bare, "proc/schedstat");
	{
		AUTO(domain_tree) *tree = observe(bare, &error);
		g_autofree char *cpus = NULL;

		g_assert_no_error(error);
		cpus = cpus_to_list(domain_tree_cpus(tree));
		g_assert_cmpstr(cpus, ==, "0-1");
		assert_domain(tree, 1, 1, "NUMA", NULL, -1, "0-3");
	}
}

static char *replaced(const char *text, const char *from, const char *to)
{
	g_autoptr(GString) copy = g_string_new(text);

	g_assert_cmpuint(g_string_replace(copy, from, to, 1), ==, 1);
	return g_string_free(g_steal_pointer(&copy), FALSE);
}

/* Two places that differ: both are named, with both values. */
static void test_disagree(void)
{
	static const struct {
		const char *path, *from, *to, *message;
	} cases[] = {
		{"proc/schedstat", "domain1 NUMA 0000000f", "domain1 NUMA 00000007",
		 "the span of domain1 of CPU 0 is '0-2' in 'proc/schedstat' and debugfs but '0-3' "
		 "in "
		 "the kernel log"},
		{"proc/schedstat", "domain0 MC", "domain0 PKG",
		 "domain0 of CPU 0 is 'PKG' in 'proc/schedstat' and 'MC' in debugfs"},
		{"kmsg", "level=MC", "level=CLS",
		 "the name of domain0 of CPU 0 is 'MC' in 'proc/schedstat' and debugfs but 'CLS' "
		 "in "
		 "the kernel log"},
		{"proc/schedstat", "domain1 NUMA 0000000f" ZEROS45 "\n", "",
		 "CPU 0 has a domain1 in debugfs but not in 'proc/schedstat'"},
		{"kmsg",
		 "7,8,9,-;  domain-1: span=0-3 level=NUMA\n"
		 "7,9,10,-;   groups: 0:{ span=0-1 }, 2:{ span=2-3 }\n",
		 "", "CPU 1 has 2 domains in 'proc/schedstat' but 1 in the kernel log"},
		{"kmsg", "span=0-3 level", "span=0-3", "*"},
		{DEBUGFS "cpu1/domain0/name", "MC", "SMT",
		 "domain0 of CPU 1 is 'MC' in 'proc/schedstat' and 'SMT' in debugfs"},
		{DEBUGFS "cpu1/domain0/flags", "SD_SHARE_LLC", "\x1b[2J",
		 "'" DEBUGFS "cpu1/domain0/flags' holds 'SD_BALANCE_NEWIDLE \x1b[2J'"},
		{DEBUGFS "cpu1/domain0/level", "2", "-2",
		 "'" DEBUGFS "cpu1/domain0/level' holds -2, which is no level"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GHashTable) members = machine(schedstat_17);
		GBytes *bytes = g_hash_table_lookup(members, cases[i].path);
		g_autofree char *text =
			g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
		g_autofree char *changed = replaced(text, cases[i].from, cases[i].to);
		g_autoptr(GError) error = NULL;

		members_add(members, cases[i].path, "%s", changed);
		g_assert_null(observe(members, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		if (strcmp(cases[i].message, "*") != 0)
			g_assert_cmpstr(error->message, ==, cases[i].message);
	}
}

/* What is lost is never a smaller tree. */
static void test_missing(void)
{
	static const char *const paths[] = {
		"kmsg",
		DEBUGFS "cpu0/domain0/name",
		DEBUGFS "cpu0/domain1/flags",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(GHashTable) members = machine(schedstat_17);
		g_autoptr(GError) error = NULL;

		members_remove(members, paths[i]);
		g_assert_null(observe(members, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_nonnull(strstr(error->message, paths[i]));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/domains/joined", test_joined);
	g_test_add_func("/domains/spans-only", test_spans_only);
	g_test_add_func("/domains/less", test_less);
	g_test_add_func("/domains/disagree", test_disagree);
	g_test_add_func("/domains/missing", test_missing);
	return g_test_run();
}
