// SPDX-License-Identifier: GPL-2.0-only
#include "run/inputs.h"

#include "run/scheduler.h"
#include "run/tests.h"

#include "base/error.h"
#include "expect/situation.h"
#include "expect/step.h"
#include "topo/load.h"

static void topo_release(gpointer topo)
{
	topo_unref(topo);
}

void run_inputs_clear(struct run_inputs *inputs)
{
	for (unsigned i = 0; inputs->kernels && i < inputs->n_kernels; i++) {
		g_clear_pointer(&inputs->plans[i], test_plan_free);
		g_clear_pointer(&inputs->kernels[i], kernel_free);
	}
	g_free(inputs->plans);
	g_clear_pointer(&inputs->tests, g_ptr_array_unref);
	g_clear_pointer(&inputs->steps, g_ptr_array_unref);
	g_clear_pointer(&inputs->scheduler, g_bytes_unref);
	g_free(inputs->kernels);
	g_free(inputs->ours);
	g_clear_pointer(&inputs->topologies, g_ptr_array_unref);
}

static bool load_topologies(struct run_inputs *inputs, char **names, GError **error)
{
	g_auto(GStrv) path = topo_search_path();

	inputs->topologies = g_ptr_array_new_with_free_func(topo_release);
	for (unsigned i = 0; names[i]; i++) {
		struct topo *topo = topo_find(names[i], (const char *const *)path, error);

		if (!topo)
			return false;
		g_ptr_array_add(inputs->topologies, topo);
	}
	return true;
}

static bool choose_jobs(struct run_inputs *inputs, const struct shard *shard,
			const char *const *kernels, GError **error)
{
	AUTO(boot_times) *times = boot_times_load(error);
	g_autofree struct shard_job *jobs = NULL;
	g_autofree unsigned *shards = NULL;
	unsigned n;

	if (!times)
		return false;
	jobs = shard_jobs(inputs->topologies, kernels, times, &n);
	shards = shard_split(jobs, n, MAX(shard->count, 1));
	inputs->ours = g_new0(bool, n);
	for (unsigned i = 0; i < n; i++) {
		inputs->ours[i] = !shard->count || shards[i] == shard->index;
		inputs->n_jobs += inputs->ours[i];
	}
	if (inputs->n_jobs)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "shard %u/%u has no job, because there are only %u", shard->index, shard->count,
		    n);
	return false;
}

bool run_inputs_has_job(const struct run_inputs *inputs, unsigned topology, unsigned kernel)
{
	return inputs->ours[topology * inputs->n_kernels + kernel];
}

static bool has_jobs(const struct run_inputs *inputs, unsigned kernel)
{
	for (unsigned t = 0; t < inputs->topologies->len; t++)
		if (run_inputs_has_job(inputs, t, kernel))
			return true;
	return false;
}

static bool load_kernels(struct run_inputs *inputs, const char *const *names,
			 const struct kernel_options *options, GError **error)
{
	for (unsigned i = 0; i < inputs->n_kernels; i++) {
		if (!has_jobs(inputs, i))
			continue;
		inputs->kernels[i] = kernel_get(names[i], options, error);
		if (!inputs->kernels[i])
			return false;
	}
	return true;
}

static bool plan_tests(struct run_inputs *inputs, const char *selftests,
		       const struct kernel_options *options, GError **error)
{
	const struct test_supplies supplies = {
		.selftests = selftests,
		.scheduler = inputs->scheduler,
	};

	for (unsigned i = 0; inputs->tests->len > 0 && i < inputs->n_kernels; i++) {
		if (!inputs->kernels[i])
			continue;
		inputs->plans[i] =
			test_plan_new(inputs->tests, inputs->kernels[i], &supplies, options, error);
		if (!inputs->plans[i])
			return false;
	}
	return true;
}

static bool load_scheduler(struct run_inputs *inputs, const char *path, GError **error)
{
	if (path)
		inputs->scheduler = scheduler_load(path, error);
	return !path || inputs->scheduler;
}

static bool check_steps_of(const struct run_inputs *inputs, const struct topo *topo,
			   const struct kernel *kernel, const char *append, GError **error)
{
	g_autofree char *line = g_strjoin(" ", topo_boot_arguments(topo), append, NULL);
	AUTO(situation) *situation = situation_new(topo, kernel->facts, line, NULL);

	/* Arguments that no rule models make the job SKIP, whatever the steps are. */
	return !situation || steps_apply(inputs->steps, topo, situation, error);
}

/* A step that no kernel can take on the machine is found before anything is started. */
static bool check_steps(const struct run_inputs *inputs, const char *append, GError **error)
{
	for (guint t = 0; t < inputs->topologies->len; t++)
		for (unsigned k = 0; k < inputs->n_kernels; k++)
			if (inputs->kernels[k] &&
			    !check_steps_of(inputs, inputs->topologies->pdata[t],
					    inputs->kernels[k], append, error))
				return false;
	return true;
}

bool run_inputs_load(struct run_inputs *inputs, const struct run_options *options,
		     const struct kernel_options *kernel_options, GError **error)
{
	static const char *const default_kernels[] = {KERNEL_DEFAULT, NULL};
	const char *const *kernels =
		options->kernels ? (const char *const *)options->kernels : default_kernels;

	inputs->tests = run_tests_choose((const char *const *)options->tests, error);
	inputs->steps = steps_parse((const char *const *)options->steps, error);
	if (!inputs->tests || !inputs->steps ||
	    !load_scheduler(inputs, options->scheduler, error) ||
	    !load_topologies(inputs, options->topologies, error))
		return false;
	inputs->n_kernels = g_strv_length((char **)(guintptr)kernels);
	inputs->kernels = g_new0(struct kernel *, inputs->n_kernels);
	inputs->plans = g_new0(struct test_plan *, inputs->n_kernels);
	return choose_jobs(inputs, &options->shard, kernels, error) &&
	       load_kernels(inputs, kernels, kernel_options, error) &&
	       check_steps(inputs, options->append, error) &&
	       plan_tests(inputs, options->selftests, kernel_options, error);
}
