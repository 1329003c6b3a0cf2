// SPDX-License-Identifier: GPL-2.0-only
/* report.tap as Perl's TAP::Parser, which prove is made of, understands it. */
#include "base/spawn.h"
#include "test_report_pages.h"

#include <glib/gstdio.h>

/* Every line as the parser took it: a point with its state and directive, or a block of YAML. */
static const char script[] =
	"my $p = TAP::Parser->new({source => $ARGV[0]});"
	"while (my $r = $p->next) {"
	"  print $r->is_ok ? 'ok' : 'bad', $r->has_skip ? ' skip' : '', $r->has_todo ? ' todo' : "
	"'',"
	"    ' ', $r->number, ' ', $r->description, $r->explanation ? ' -> ' . $r->explanation : "
	"'',"
	"    qq{\\n} if $r->is_test;"
	"  print join(' | ', map { qq{$_=} . $r->data->{$_} } sort keys %{$r->data}), qq{\\n}"
	"    if $r->is_yaml;"
	"  print 'unknown: ', $r->as_string, qq{\\n} if $r->is_unknown;"
	"}"
	"print $p->version, ' ', $p->plan, ' ', scalar($p->parse_errors), qq{\\n};";

static char *parse(struct result *(*make)(void))
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct report report = {.results = results, .run_folder = "results/x", .version = "0.1.0"};
	struct report_style style = {.utf8 = true};
	g_autofree char *folder = g_dir_make_tmp("topolab-tap-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "report.tap", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	char *output = NULL;

	if (make)
		g_ptr_array_add(results, make());
	text = report_format_find("tap")->write(&report, &style);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	spawn_run((const char *const[]){"perl", "-MTAP::Parser", "-e", script, path, NULL}, NULL,
		  &output, &error);
	g_assert_no_error(error);
	g_remove(path);
	g_rmdir(folder);
	return output;
}

/* By hand from the results in test_report_pages.h. */
static const struct tap_case {
	const char *name;
	struct result *(*make)(void);
	const char *wanted;
} cases[] = {
	{"pass", passed,
	 "ok 1 - quad/debian-6.12 guest.ending\n"
	 "ok 2 - quad/debian-6.12 guest.cpuid\n"
	 "ok 3 - quad/debian-6.12 domains.rules\n"
	 "ok 4 - quad/debian-6.12 invariants.meet\n"
	 "13 1..4 0\n"},
	{"fail", failed,
	 "ok 1 - quad/debian-6.12 guest.ending\n"
	 "ok 2 - quad/debian-6.12 guest.cpuid\n"
	 "ok 3 - quad/debian-6.12 domains.rules\n"
	 "ok 4 - quad/debian-6.12 invariants.meet\n"
	 "bad 5 - quad/debian-6.12 domains.rules\n"
	 "cpu=4 | cpus=4-7,12 | evidence=proc/schedstat | expected=4-7 | level=1 | "
	 "message=MC spans other CPUs than the machine asks for | observed=0-15 | "
	 "rule=MC: x86_topology, cpu_coregroup_mask() (6.7 and later) | verdict=FAIL\n"
	 "bad 6 - quad/debian-6.12 domains.rules\n"
	 "cpu=4 | evidence=proc/schedstat | expected=4-7 | level=1 | "
	 "message=MC spans other CPUs than the machine asks for | "
	 "observed=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,"
	 "57,"
	 "59,61,63 | rule=MC: x86_topology, cpu_coregroup_mask() (6.7 and later) | verdict=FAIL\n"
	 "13 1..6 0\n"},
	/* A '#' of ours is no directive, a backslash stays one. */
	{"skip", skipped,
	 "ok skip 1 - quad/old guest.table-upgrade -> the kernel lacks CONFIG_ACPI_TABLE_UPGRADE "
	 "\\# TODO \\\\ and more\n"
	 "bad 2 - quad/old kernel.stalls\n"
	 "message=no byte for 30 s | verdict=TIMEOUT\n"
	 "bad 3 - quad/old wakeup.idle-core\n"
	 "verdict=INVALID\n"
	 "ok 4 - quad/old one \\# TODO two\n"
	 "13 1..4 0\n"},
	{"hostile", broken,
	 "bad 1 - quad/./my?[31mImage guest.ending\n"
	 "message=QEMU or libvirt died: ?]0;owned? \357\277\275\357\277\275 and \303\251 | "
	 "verdict=ERROR\n"
	 "13 1..1 0\n"},
	{"unjudged", unjudged,
	 "bad 1 - quad/debian-6.12 judged\nmessage=nothing was judged | verdict=ERROR\n13 1..1 "
	 "0\n"},
	{"none", NULL, "bad 1 - judged\nmessage=nothing was run | verdict=ERROR\n13 1..1 0\n"},
};

static void test_case(gconstpointer data)
{
	const struct tap_case *tap_case = data;
	g_autofree char *output = parse(tap_case->make);

	g_assert_cmpstr(output, ==, tap_case->wanted);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strdup_printf("/report/tap/%s", cases[i].name);

		g_test_add_data_func(path, &cases[i], test_case);
	}
	return g_test_run();
}
