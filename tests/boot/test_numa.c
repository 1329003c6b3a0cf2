// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boots a sample of the random machines that unit/test_numa_tables.c computes, with the kernels of
 * kernels/. The rules must predict what each kernel builds, whatever the table; invariants may be
 * broken, and the kernel may complain, where it builds from an asymmetric table. In slow mode only.
 */
#include "expect/expect.h"
#include "topo/load.h"
#include "../numa/seen.h"
#include "../run_topolab.h"

#define MACHINES 60
/* Of them. */
#define MACHINES_RARE 6
/* What two of boot side by side on two cores, emulated, within seconds. */
#define CPUS_MOST      24
#define POSITIONS_MOST 48

static const char *const kernels[] = {
	[SEEN_6_1] = "debian-6.1",
	[SEEN_6_12] = "debian-6.12",
	[SEEN_7_3] = "debian-7.3",
};
#define N_KERNELS G_N_ELEMENTS(kernels)

static bool is_small(const struct random_machine *machine)
{
	return machine->n_cpus <= CPUS_MOST && machine_positions(machine) <= POSITIONS_MOST;
}

/* A table of fewer says little, so there is one such machine of each size. */
#define NODES_LEAST 4

/* What a sample has one of each of; NULL: the machine is none for it. */
typedef char *(*kind_function)(const struct random_machine *machine);

static char *kind_of_table(const struct random_machine *machine)
{
	if (machine->n_nodes < NODES_LEAST)
		return g_strdup_printf("%u nodes", machine->n_nodes);
	return g_strdup_printf("%s %s", machine->body, machine->table);
}

/* What few tables would show: how the newest kernel counts nodes and cores of a package. */
static char *kind_of_rarity(const struct random_machine *machine)
{
	struct seen seen = seen_of(machine, SEEN_7_3);

	if (seen_warns(&seen))
		return g_strdup("warns");
	if (seen_without_siblings(&seen) && machine->n_cpus > seen_packages(&seen))
		return g_strdup("without siblings");
	if (machine->row && seen_is_examined(&seen))
		return g_strdup_printf("%u nodes, symmetric: %d", machine->n_nodes, seen.symmetric);
	return NULL;
}

static bool has_seed(const GPtrArray *machines, guint64 seed)
{
	for (guint i = 0; i < machines->len; i++)
		if (((const struct random_machine *)machines->pdata[i])->seed == seed)
			return true;
	return false;
}

/* Along the seeds, the first small machine of each kind until there are @n in all. */
static void take(GPtrArray *machines, guint n, kind_function kind_of)
{
	g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint64 seed = 1; machines->len < n; seed++) {
		AUTO(random_machine) *machine = random_machine_new(seed);
		struct seen seen = seen_of(machine, SEEN_7_3);
		char *kind = NULL;

		if (is_small(machine) && !seen_may_kill(&seen) && !has_seed(machines, seed))
			kind = kind_of(machine);
		if (kind && g_hash_table_add(kinds, kind))
			g_ptr_array_add(machines, g_steal_pointer(&machine));
	}
}

/* struct random_machine * */
static GPtrArray *sample(void)
{
	GPtrArray *machines = g_ptr_array_new_with_free_func((GDestroyNotify)random_machine_free);

	take(machines, MACHINES_RARE, kind_of_rarity);
	take(machines, MACHINES, kind_of_table);
	return machines;
}

static bool rules_refuse(const struct random_machine *machine, const struct kernel_facts *facts)
{
	AUTO(topo) *topo = topo_load_text(machine->text, strlen(machine->text), "random", NULL);
	AUTO(domain_tree) *tree = expect_booted(topo, facts, NULL);

	return !tree;
}

/* Along the seeds, the first small machine that a kernel is to die of. */
static GPtrArray *killers(void)
{
	GPtrArray *machines = g_ptr_array_new_with_free_func((GDestroyNotify)random_machine_free);
	AUTO(kernel_facts) *facts = kernel_facts_new("7.3.4", NULL);

	for (guint64 seed = 1; !machines->len; seed++) {
		AUTO(random_machine) *machine = random_machine_new(seed);

		if (is_small(machine) && rules_refuse(machine, facts))
			g_ptr_array_add(machines, g_steal_pointer(&machine));
	}
	return machines;
}

static char *write_machine(const struct random_machine *machine, const char *folder)
{
	g_autofree char *name = g_strdup_printf("random-%" G_GUINT64_FORMAT ".yaml", machine->seed);
	char *path = g_build_filename(folder, name, NULL);

	g_assert_true(g_file_set_contents(path, machine->text, -1, NULL));
	return path;
}

struct job {
	const struct random_machine *machine;
	struct seen seen;
	const char *kernel;
	json_t *result;
	bool failed;
};

static void job_fail(struct job *job, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void job_fail(struct job *job, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_test_message("seed %" G_GUINT64_FORMAT " (%s, table %s) with %s: %s", job->machine->seed,
		       job->machine->body, job->machine->table, job->kernel, what);
	g_test_fail();
	job->failed = true;
}

static bool has_check(const struct job *job, const char *name, const char *verdict)
{
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(job->result, "checks"), i, check)
		if (g_strcmp0(json_string_value(json_object_get(check, "name")), name) == 0 &&
		    g_strcmp0(json_string_value(json_object_get(check, "verdict")), verdict) == 0)
			return true;
	return false;
}

/*
 * With sched_verbose kernels say of a table that it is asymmetric, and of groups what they lack.
 * What is not found to share anything is misread, and the judge says so, too.
 */
static bool may_fail(const struct job *job, const char *name)
{
	if (strcmp(name, "kernel.splats") == 0)
		return !job->seen.symmetric || seen_warns(&job->seen);
	if (strcmp(name, "kernel.topology") == 0 || strcmp(name, "kernel.caches") == 0)
		return seen_without_siblings(&job->seen);
	return seen_may_break(&job->seen, name);
}

/* Which machines with rows are mended is not known here: then the complaint may lack. */
static bool must_complain(const struct job *job)
{
	return seen_warns(&job->seen) ||
	       (!job->seen.symmetric && !(job->seen.has_fixup && job->machine->row));
}

static void check_job(struct job *job)
{
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(job->result, "checks"), i, check) {
		const char *name = json_string_value(json_object_get(check, "name"));
		const char *verdict = json_string_value(json_object_get(check, "verdict"));

		if (g_strcmp0(verdict, "PASS") != 0 &&
		    (g_strcmp0(verdict, "FAIL") != 0 || !may_fail(job, name)))
			job_fail(job, "%s %s", verdict, name);
	}
	if (!has_check(job, "domains.rules", "PASS") || !has_check(job, "domains.cpus", "PASS"))
		job_fail(job, "the rules did not predict what it built");
	if (must_complain(job) && !has_check(job, "kernel.splats", "FAIL"))
		job_fail(job, "it does not complain");
}

static char *job_name(const struct random_machine *machine, const char *kernel)
{
	return g_strdup_printf("random-%" G_GUINT64_FORMAT "/%s", machine->seed, kernel);
}

static void check_kernel(const struct random_machine *machine, unsigned kernel, const char *folder)
{
	g_autofree char *name = job_name(machine, kernels[kernel]);
	struct job job = {
		.machine = machine,
		.seen = seen_of(machine, kernel),
		.kernel = kernels[kernel],
		.result = result_load(folder, name),
	};

	if (job.result)
		check_job(&job);
	if (job.failed)
		result_explain(folder, name, job.result);
	json_decref(job.result);
}

/* Boots @machines with every kernel into @folder. The caller frees what it returns. */
static struct topolab_run boot(const GPtrArray *machines, const char *folder)
{
	g_autoptr(GString) words = g_string_new("run");

	for (guint i = 0; i < machines->len; i++) {
		g_autofree char *path = write_machine(machines->pdata[i], folder);

		g_string_append_printf(words, " %s", path);
	}
	for (unsigned i = 0; i < N_KERNELS; i++)
		g_string_append_printf(words, " --kernel %s", kernels[i]);
	return topolab_run("%s -j 2 --timeout 120 -o %s", words->str, folder);
}

static bool skip_unless_slow(void)
{
	if (!g_test_slow())
		g_test_skip("random machines boot in slow mode (make check-all)");
	return !g_test_slow();
}

static void test_sample(void)
{
	g_autoptr(GPtrArray) machines = NULL;
	g_autofree char *folder = NULL;
	struct topolab_run run;

	if (skip_unless_slow())
		return;
	machines = sample();
	folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	run = boot(machines, folder);
	for (guint i = 0; i < machines->len; i++)
		for (unsigned kernel = 0; kernel < N_KERNELS; kernel++)
			check_kernel(machines->pdata[i], kernel, folder);
	/* Some of the tables are asymmetric. */
	g_assert_cmpint(run.status, ==, 1);
	topolab_run_clear(&run);
	folder_remove(folder);
}

/*
 * slit_cluster_package() of 7.3 goes through the CPUs of a node that is not there. Judged as a
 * guest that died; the older kernels build what the rules say.
 */
static void test_killer(void)
{
	g_autoptr(GPtrArray) machines = NULL;
	g_autofree char *folder = NULL;
	g_autofree char *name = NULL;
	struct topolab_run run;
	struct job job = {.kernel = kernels[SEEN_7_3]};

	if (skip_unless_slow())
		return;
	machines = killers();
	folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	run = boot(machines, folder);
	for (unsigned i = 0; i < SEEN_7_3; i++)
		check_kernel(machines->pdata[0], i, folder);
	job.machine = machines->pdata[0];
	name = job_name(job.machine, job.kernel);
	job.result = result_load(folder, name);
	if (!has_check(&job, "guest.ending", "FAIL") || !has_check(&job, "console.splats", "FAIL"))
		job_fail(&job, "it did not die");
	json_decref(job.result);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/boot/numa/sample", test_sample);
	g_test_add_func("/boot/numa/killer", test_killer);
	return g_test_run();
}
