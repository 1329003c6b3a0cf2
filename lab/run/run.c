// SPDX-License-Identifier: GPL-2.0-only
#include "run/run.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/version.h"
#include "emit/emit.h"
#include "kernel/kernel.h"
#include "run/ability.h"
#include "run/accel.h"
#include "run/gdb.h"
#include "run/inputs.h"
#include "run/job.h"
#include "run/output.h"
#include "run/pack.h"
#include "run/progress.h"
#include "run/test_plan.h"
#include "vm/qemu.h"
#include "vm/vm.h"

#include <glib-unix.h>
#include <signal.h>
#include <string.h>

/* A guest that sends nothing for so long has stopped, on a host that has a CPU for each vCPU. */
#define SILENCE_SECONDS 30
/* TCG spoils about one boot in a hundred of a machine with 100 CPUs; three in a row it does not. */
#define BOOTS_MAX 3

struct run {
	const struct run_options *options;
	struct run_inputs inputs;
	GBytes *agent;
	struct qemu *qemu; /* NULL: on another host */
	enum emit_accel accel;
	char *folder;
	GPtrArray *waiting; /* struct run_job *, in order */
	GPtrArray *active;  /* struct run_job * */
	GPtrArray *results; /* struct result *, in the order of the plan */
	struct pack_load limit, running;
	bool stopping;
	bool stayed; /* a guest did, and was reported then */
	struct job_stay stay;
	struct progress *progress;
	GMainLoop *loop;
};

struct run_job {
	struct run *run;
	unsigned index; /* in the plan */
	struct job_spec spec;
	struct pack_load load;
	struct job *job; /* NULL while waiting */
	char *folder;
	char *unsupported; /* why this QEMU cannot do it; NULL: it can */
};

static void result_release(gpointer result)
{
	if (result)
		result_free(result);
}

static void run_job_free(gpointer data)
{
	struct run_job *run_job = data;

	if (run_job->job)
		job_free(run_job->job);
	g_free(run_job->folder);
	g_free(run_job->unsupported);
	g_free(run_job);
}

static void run_clear(struct run *run)
{
	g_clear_pointer(&run->progress, progress_free);
	g_ptr_array_unref(run->waiting);
	g_ptr_array_unref(run->active);
	g_ptr_array_unref(run->results);
	run_inputs_clear(&run->inputs);
	g_clear_pointer(&run->agent, g_bytes_unref);
	g_clear_pointer(&run->qemu, qemu_free);
	g_clear_pointer(&run->loop, g_main_loop_unref);
	g_free(run->folder);
}

static void say_to_progress(const char *text, void *data)
{
	progress_say(data, "%s", text);
}

static bool run_load(struct run *run, GError **error)
{
	const struct kernel_options kernel_options = {
		.offline = run->options->offline,
		.no_build = run->options->no_build,
		.progress = say_to_progress,
		.data = run->progress,
	};

	return run_inputs_load(&run->inputs, run->options, &kernel_options, error);
}

static bool run_load_agent(struct run *run, GError **error)
{
	g_autofree char *path = paths_data("agent");
	char *data;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, error)) {
		g_prefix_error(error, "the guest's agent cannot be read: ");
		return false;
	}
	run->agent = g_bytes_new_take(data, length);
	return true;
}

/* Without QEMU libvirt only says that it found no emulator. */
static bool run_find_qemu(const struct run *run, GError **error)
{
	g_autofree char *path = run->options->uri ? NULL : qemu_find(error);

	return path || run->options->uri;
}

/* What an old one may lack is asked only for machines that need it. */
static bool run_ask_qemu(struct run *run, GError **error)
{
	bool needed = false;

	for (guint i = 0; i < run->inputs.topologies->len; i++)
		needed |= ability_is_needed(g_ptr_array_index(run->inputs.topologies, i));
	if (!needed || run->options->uri)
		return true;
	run->qemu = qemu_ask(error);
	return run->qemu != NULL;
}

static bool run_choose_accel(struct run *run, GError **error)
{
	unsigned first = 0;

	while (!run->inputs.kernels[first])
		first++;
	return accel_choose(
		&(struct accel_question){
			.wanted = run->options->accel,
			.kernel_path = run->inputs.kernels[first]->image_path,
			.silence_seconds = run->options->timeout_seconds,
			.for_bisect = run->options->bisect,
			.say = say_to_progress,
			.data = run->progress,
		},
		&run->accel, error);
}

static unsigned run_guests_at_once(const struct run *run)
{
	return MIN(run->options->jobs, run->inputs.n_jobs);
}

/*
 * How many times longer than on a host that has a CPU for each vCPU a guest may take: each vCPU
 * more than the host has takes its turn; under TCG one instruction costs tens, and firmware and
 * decompression run on one vCPU alone while nothing is printed.
 */
static unsigned job_slowness(const struct run *run, const struct topo *topo, bool in_turn)
{
	unsigned vcpus = topo_n_cpus(topo) * run_guests_at_once(run);
	unsigned cpus = in_turn ? 1 : g_get_num_processors();
	unsigned share = 1 + vcpus / (16 * cpus);

	return share * (run->accel == EMIT_ACCEL_TCG ? 2 : 1);
}

/* Why a test that measures time finds nothing out; NULL: it does. */
static const char *job_untimely(const struct run *run, const struct topo *topo)
{
	if (run->accel == EMIT_ACCEL_TCG)
		return "it measures time, which under TCG is not the CPU's";
	if (topo_n_cpus(topo) * run_guests_at_once(run) > g_get_num_processors())
		return "it measures time, and more vCPUs run than this host has CPUs";
	return NULL;
}

/* Is there something to test that QEMU's TCG gets wrong when it runs vCPUs side by side? */
static bool job_runs_in_turn(const struct run *run, const struct test_plan *tests,
			     const struct test_host *host)
{
	return run->accel == EMIT_ACCEL_TCG && tests && test_plan_patches_code(tests, host);
}

static bool run_plan_job(struct run *run, unsigned topology, unsigned kernel, GError **error)
{
	const struct topo *topo = g_ptr_array_index(run->inputs.topologies, topology);
	struct run_job *run_job = g_new0(struct run_job, 1);
	const struct test_plan *tests = run->inputs.plans[kernel];
	struct test_host host = {
		.memory_mib = topo_memory_mib(topo),
		.untimely = job_untimely(run, topo),
	};
	bool in_turn = job_runs_in_turn(run, tests, &host);
	unsigned slow = host.slow = job_slowness(run, topo, in_turn);

	run_job->run = run;
	run_job->index = run->waiting->len;
	run_job->spec = (struct job_spec){
		.topo = topo,
		.kernel = run->inputs.kernels[kernel],
		.agent = run->agent,
		.accel = run->accel,
		.uri = run->options->uri,
		.run_folder = run->folder,
		.silence_seconds = (run->options->timeout_seconds ?: SILENCE_SECONDS) * slow,
		.tests = tests,
		.test_host = host,
		.in_turn = in_turn,
		.deadline_seconds = run->options->deadline_seconds,
		.append = run->options->append,
		.steps = run->inputs.steps,
		.debug = run->options->debug,
		.boots = 1,
		.guests = run_guests_at_once(run),
		.stay = run->options->stay ? &run->stay : NULL,
	};
	run_job->load = pack_guest(topo);
	run_job->folder = job_folder(&run_job->spec);
	if (run->qemu)
		run_job->unsupported = ability_lack(run->qemu, run->accel, topo);
	for (unsigned i = 0; i < run->waiting->len; i++) {
		const struct run_job *other = g_ptr_array_index(run->waiting, i);

		if (strcmp(other->folder, run_job->folder) == 0) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
				    "two jobs would both be '%s': a topology or a kernel is named "
				    "twice",
				    run_job->folder);
			run_job_free(run_job);
			return false;
		}
	}
	g_ptr_array_add(run->waiting, run_job);
	return true;
}

static bool run_plan(struct run *run, GError **error)
{
	for (unsigned t = 0; t < run->inputs.topologies->len; t++)
		for (unsigned k = 0; k < run->inputs.n_kernels; k++)
			if (run_inputs_has_job(&run->inputs, t, k) &&
			    !run_plan_job(run, t, k, error))
				return false;
	g_ptr_array_set_size(run->results, (int)run->waiting->len);
	return true;
}

static void run_job_up(const struct result *result, const char *socket, void *data)
{
	struct run_job *run_job = data;
	struct run *run = run_job->run;
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	struct report report = {
		.results = results,
		.run_folder = run->folder,
		.version = TOPOLAB_VERSION,
	};

	run->stayed = true;
	g_ptr_array_add(results, (gpointer)(guintptr)result);
	if (!output_write(&report, &error))
		progress_say(run->progress, "%s", error->message);
	progress_done(run->progress, run_job->folder, verdict_name(result_verdict(result)),
		      result->wall_ms);
	run->options->stay->up(&report, job_root_path(run_job->job), socket,
			       run->options->stay->data);
}

/* Of another libvirt's host it is not known what it holds: the user's number alone counts. */
static struct pack_load run_limit(const struct run *run)
{
	AUTO(root) *root = root_new_dir("/");

	if (run->options->uri)
		return (struct pack_load){run->options->jobs, G_MAXUINT, G_MAXUINT64};
	return pack_limit(root, run->options->jobs, g_get_num_processors(), run->accel);
}

static void run_fill(struct run *run);

static void run_job_progress(const struct vm_progress *state, void *data)
{
	struct run_job *run_job = data;

	progress_update(run_job->run->progress, run_job->folder, state);
	gdb_progress(run_job->run->progress, state, &run_job->spec, job_root_path(run_job->job));
}

/* A boot that the emulator spoilt says nothing of the kernel. True: there will be another one. */
static bool run_boots_again(struct run *run, const struct run_job *spoilt,
			    const struct result *result)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *aside = NULL;
	struct run_job *next;

	if (!judgement_has(result->judgement, CHECK_EMULATOR) || run->stopping ||
	    spoilt->spec.boots >= BOOTS_MAX)
		return false;
	aside = job_set_aside(&spoilt->spec, &error);
	if (!aside) {
		progress_say(run->progress, "%s", error->message);
		return false;
	}
	progress_say(run->progress,
		     "%s: QEMU's TCG spoilt this boot, here is another; its files: %s",
		     spoilt->folder, aside);
	next = g_new0(struct run_job, 1);
	*next = (struct run_job){
		.run = run,
		.index = spoilt->index,
		.spec = spoilt->spec,
		.load = spoilt->load,
		.folder = g_strdup(spoilt->folder),
	};
	next->spec.boots++;
	g_ptr_array_insert(run->waiting, 0, next);
	return true;
}

static void run_job_ended(struct result *result, void *data)
{
	struct run_job *run_job = data;
	struct run *run = run_job->run;

	pack_remove(&run->running, &run_job->load);
	if (run_boots_again(run, run_job, result)) {
		result_free(result);
		run_fill(run);
		return;
	}
	if (!run->stayed)
		progress_done(run->progress, run_job->folder, verdict_name(result_verdict(result)),
			      result->wall_ms);
	g_ptr_array_index(run->results, run_job->index) = result;
	run_fill(run);
	if (run->running.guests == 0)
		g_main_loop_quit(run->loop);
}

/* Which of the waiting jobs may begin? -1: none. */
static int run_next(const struct run *run)
{
	g_autofree struct pack_load *loads = g_new(struct pack_load, run->waiting->len);

	for (guint i = 0; i < run->waiting->len; i++) {
		const struct run_job *run_job = g_ptr_array_index(run->waiting, i);

		loads[i] = run_job->load;
	}
	return pack_next(&run->limit, &run->running, loads, run->waiting->len);
}

/* Says of a job that is in nobody's hands yet how it came out. */
static void run_settle(struct run *run, const struct run_job *run_job, enum verdict verdict,
		       const char *reason)
{
	g_ptr_array_index(run->results, run_job->index) =
		job_not_started(&run_job->spec, verdict, reason);
}

static void run_skip_unsupported(struct run *run)
{
	for (guint i = 0; i < run->waiting->len;) {
		const struct run_job *run_job = g_ptr_array_index(run->waiting, i);

		if (!run_job->unsupported) {
			i++;
			continue;
		}
		run_settle(run, run_job, VERDICT_SKIP, run_job->unsupported);
		g_ptr_array_remove_index(run->waiting, i);
	}
}

static void run_fill(struct run *run)
{
	int next;

	while (!run->stopping && (next = run_next(run)) >= 0) {
		struct run_job *run_job = g_ptr_array_steal_index(run->waiting, (guint)next);

		g_ptr_array_add(run->active, run_job);
		pack_add(&run->running, &run_job->load);
		run_job->job = job_start(&run_job->spec, run_job_progress, run_job_ended, run_job);
	}
}

static gboolean run_interrupted(void *data)
{
	struct run *run = data;

	if (run->stopping)
		return G_SOURCE_CONTINUE;
	run->stopping = true;
	progress_say(run->progress, "Interrupted: ending the guests");
	for (unsigned i = 0; i < run->active->len; i++) {
		struct run_job *run_job = g_ptr_array_index(run->active, i);

		job_stop(run_job->job, "the run was interrupted");
	}
	return G_SOURCE_CONTINUE;
}

/* Whoever started us with a signal ignored, as nohup does, wants it ignored. 0: it is. */
static guint run_watch_signal(struct run *run, int number)
{
	struct sigaction before;

	if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
		return 0;
	return g_unix_signal_add(number, run_interrupted, run);
}

static void run_guests(struct run *run)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	guint sources[G_N_ELEMENTS(numbers)];

	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		sources[i] = run_watch_signal(run, numbers[i]);
	run->limit = run_limit(run);
	run_fill(run);
	if (run->running.guests)
		g_main_loop_run(run->loop);
	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (sources[i])
			g_source_remove(sources[i]);
}

static bool run_prepare(struct run *run, GError **error)
{
	/* Without /proc not even the machines are found: vm_init() says so. */
	return gdb_check(run->options, error) && output_folder_check(run->options->folder, error) &&
	       vm_init(error) && run_load(run, error) && run_load_agent(run, error) &&
	       vm_sweep(error) >= 0 && run_find_qemu(run, error) && run_choose_accel(run, error) &&
	       run_ask_qemu(run, error) &&
	       (run->folder = output_folder_new(run->options->folder, error)) &&
	       run_plan(run, error);
}

static int run_report(struct run *run, GError **error)
{
	struct report report = {
		.results = run->results,
		.run_folder = run->folder,
		.version = TOPOLAB_VERSION,
		.require_all = run->options->require_all,
		.bisect = run->options->bisect,
	};
	int status;

	/* The jobs that passed before an interrupt must not make the whole run pass. */
	for (guint i = 0; i < run->waiting->len; i++) {
		const struct run_job *run_job = g_ptr_array_index(run->waiting, i);

		run_settle(run, run_job, VERDICT_ERROR,
			   "the run was interrupted before this job began");
	}
	status = output_report(&report, run->options->format, run->options->verbose, error);
	/* Whoever interrupts a step does not want the next one. */
	return run->stopping && run->options->bisect ? BISECT_ABORT : status;
}

int run_all(const struct run_options *options, GError **error)
{
	struct run run = {
		.options = options,
		.waiting = g_ptr_array_new_with_free_func(run_job_free),
		.active = g_ptr_array_new_with_free_func(run_job_free),
		.results = g_ptr_array_new_with_free_func(result_release),
		.loop = g_main_loop_new(NULL, FALSE),
	};
	int status = 2;

	if (options->stay)
		run.stay = (struct job_stay){
			.files = options->stay->files,
			.n_files = options->stay->n_files,
			.errors = options->stay->errors,
			.up = run_job_up,
		};
	/* Whoever read our messages may be gone: the guests and their results are not. */
	signal(SIGPIPE, SIG_IGN);
	run.progress = progress_new(options->quiet ? PROGRESS_QUIET : progress_mode_for_stderr());
	if (run_prepare(&run, error)) {
		run_skip_unsupported(&run);
		progress_expect(run.progress, run.waiting->len);
		run_guests(&run);
		status = run.stayed ? 0 : run_report(&run, error);
	}
	if (options->interrupted)
		*options->interrupted = run.stopping;
	run_clear(&run);
	return status;
}
