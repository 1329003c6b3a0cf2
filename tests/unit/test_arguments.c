// SPDX-License-Identifier: GPL-2.0-only
#include "expect/arguments.h"

#include <glib.h>

static void expect_word(const char *command_line, const char *word)
{
	g_autofree char *found = arguments_unmodelled(command_line);

	g_assert_cmpstr(found, ==, word);
}

static void test_modelled(void)
{
	expect_word("", NULL);
	expect_word("console=ttyS0 panic=-1 sched_verbose lpj=5000000 cpuhp.parallel=off\n", NULL);
	/* Only whole names count. */
	expect_word("numa_balancing=disable mempolicy=x acpi_enforce_resources=lax nosmtx", NULL);
	expect_word("mitigations=auto", NULL);
	expect_word("l1tf=flush", NULL);
}

static void test_unmodelled(void)
{
	expect_word("quiet nosmp", "nosmp");
	expect_word("console=ttyS0 mem=1G", "mem=1G");
	expect_word("mitigations=auto,nosmt", "mitigations=auto,nosmt");
	expect_word("mds=full,nosmt", "mds=full,nosmt");
	/* l1tf_cmdline(): full disables SMT, flush does not. */
	expect_word("l1tf=full,force quiet", "l1tf=full,force");
	expect_word("possible_cpus=2\n", "possible_cpus=2");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/arguments/modelled", test_modelled);
	g_test_add_func("/arguments/unmodelled", test_unmodelled);
	return g_test_run();
}
