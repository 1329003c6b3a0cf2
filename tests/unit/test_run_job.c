// SPDX-License-Identifier: GPL-2.0-only
/* Jobs without an answer: what was not judged did not pass, and the report says why it was not. */
#include "base/host.h"
#include "run/channel.h"
#include "run/job.h"
#include "topo/load.h"

#include <glib/gstdio.h>
#include <string.h>

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

static void test_not_started(void)
{
	AUTO(topo) *topo = topo_load_text(machine, strlen(machine), "four.yaml", NULL);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	struct kernel kernel = {.name = (char[]){"k"}, .facts = facts};
	AUTO(result) *result = job_not_started(
		&(struct job_spec){.topo = topo, .kernel = &kernel, .accel = EMIT_ACCEL_TCG},
		VERDICT_ERROR, "it was interrupted");
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	struct report report = {.results = results, .run_folder = "", .version = "0"};
	json_t *json = result_to_json(result);
	AUTO(result) *again = result_from_json(json, NULL);

	json_decref(json);
	g_ptr_array_add(results, result);
	g_assert_cmpint(report_exit_status(&report), ==, 3);
	g_assert_cmpint(result->ending, ==, ENDING_STOPPED);
	g_assert_cmpstr(checks_get(result->judgement->checks, 0)->reason, ==, "it was interrupted");
	g_assert_nonnull(again);
	g_assert_cmpstr(result->folder, ==, "four/k");
}

/* Whether the host was overloaded decides whose fault a stall is: all guests load it. */
static void test_guests_at_once(void)
{
	AUTO(topo) *topo = topo_load_text(machine, strlen(machine), "four.yaml", NULL);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	struct kernel kernel = {.name = (char[]){"k"}, .facts = facts};
	AUTO(result) *result = job_not_started(
		&(struct job_spec){
			.topo = topo, .kernel = &kernel, .accel = EMIT_ACCEL_TCG, .guests = 3},
		VERDICT_ERROR, "it was interrupted");

	/* Three guests of four vCPUs. */
	g_assert_cmpfloat(result->vcpus_per_host_cpu * g_get_num_processors(), ==, 12);
}

static char *command_line(enum emit_accel accel, const char *uri)
{
	AUTO(topo) *topo = topo_load_text(machine, strlen(machine), "four.yaml", NULL);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	struct kernel kernel = {.name = (char[]){"k"}, .facts = facts};
	AUTO(result) *result = job_not_started(
		&(struct job_spec){.topo = topo, .kernel = &kernel, .accel = accel, .uri = uri},
		VERDICT_ERROR, "it was interrupted");

	return g_strdup(result->command_line);
}

/* Only under TCG is the guest's TSC the host's, and only of this host is it known. */
static void test_tsc(void)
{
	AUTO(root) *root = root_new_dir("/");
	unsigned khz = host_tsc_khz(root);
	g_autofree char *wanted = g_strdup_printf(" tsc_early_khz=%u", khz);
	g_autofree char *tcg = command_line(EMIT_ACCEL_TCG, NULL);
	g_autofree char *kvm = command_line(EMIT_ACCEL_KVM, NULL);
	g_autofree char *far = command_line(EMIT_ACCEL_TCG, "qemu+ssh://there/system");

	g_assert_cmpint(strstr(tcg, wanted) != NULL, ==, khz != 0);
	g_assert_null(strstr(kvm, "tsc_early_khz"));
	g_assert_null(strstr(far, "tsc_early_khz"));
}

/* The agent's own reason is the evidence there is. */
static void test_agent_says_why(void)
{
	static const char stream[] =
		"{\"type\":\"hello\",\"agent\":1}\n"
		"{\"type\":\"error\",\"text\":\"the gathering process died\"}\n"
		"{\"type\":\"bye\"}\n";
	g_autofree char *folder = g_dir_make_tmp("topolab-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	g_autofree char *problem = NULL;

	g_assert_true(g_file_set_contents(path, stream, -1, NULL));
	g_assert_null(channel_read(folder, NULL, &problem));
	g_assert_cmpstr(problem, ==, "the agent sent no evidence but 'the gathering process died'");
	g_remove(path);
	g_rmdir(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/run/job/not-started", test_not_started);
	g_test_add_func("/run/job/guests-at-once", test_guests_at_once);
	g_test_add_func("/run/job/agent-says-why", test_agent_says_why);
	g_test_add_func("/run/job/tsc", test_tsc);
	return g_test_run();
}
