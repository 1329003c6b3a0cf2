// SPDX-License-Identifier: GPL-2.0-only
#include "run/job.h"

#include "base/error.h"
#include "base/host.h"
#include "base/steps.h"
#include "expect/step.h"
#include "run/assembly.h"
#include "run/case.h"
#include "run/channel.h"
#include "run/look.h"
#include "run/traces.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Names in a guest's root. */
#define COMMAND_SOCKET "commands"
#define SERIAL_SOCKET  "serial1"

struct job {
	struct job_spec spec;
	char *part_folder; /* where the job's files grow until they are complete */
	struct vm_root *root;
	struct vm *vm;
	struct result *result; /* until it is handed over */
	char *running;	       /* "testing rseq.basic_test"; NULL: none was heard of */
	bool up;	       /* judged and published while the guest stays */
	gint64 begun_usec;     /* monotonic */
	bool started;	       /* vCPUs have run */
	void (*progress)(const struct vm_progress *, void *);
	void (*ended)(struct result *, void *);
	void *data;
};

char *job_folder(const struct job_spec *spec)
{
	return g_build_filename(topo_name(spec->topo), spec->kernel->name, NULL);
}

char *job_set_aside(const struct job_spec *spec, GError **error)
{
	g_autofree char *name = g_strdup_printf(".%s-boot-%u", spec->kernel->name, spec->boots);
	g_autofree char *job = job_folder(spec);
	g_autofree char *from = g_build_filename(spec->run_folder, job, NULL);
	g_autofree char *to = g_build_filename(spec->run_folder, topo_name(spec->topo), name, NULL);

	if (rename(from, to) == 0)
		return g_steal_pointer(&to);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot rename '%s' to '%s': %s", from, to,
		    g_strerror(errno));
	return NULL;
}

static char *host_description(void)
{
	AUTO(root) *root = root_new_dir("/");
	g_autofree char *model = host_cpu_model(root);
	struct utsname name;

	uname(&name);
	return g_strdup_printf("Linux %s, %s", name.release, model);
}

/* Measured once: a host does not change its TSC. */
static unsigned tsc_khz(void)
{
	static gsize measured; /* and one more, since 0 is not measured */

	if (g_once_init_enter(&measured)) {
		AUTO(root) *root = root_new_dir("/");

		g_once_init_leave(&measured, (gsize)host_tsc_khz(root) + 1);
	}
	return (unsigned)(measured - 1);
}

/*
 * The TSC of TCG is the host's, unless vCPUs run in turn, and the guest's clock hangs on it. A
 * guest that calibrates it against emulated timers while the host is busy may be wrong by a factor
 * of ten, and then sees stalls, and ends tests, that are none.
 */
static char *job_command_line(const struct job_spec *spec)
{
	g_autofree char *line = emit_command_line(spec->topo, spec->accel);
	bool hosts = spec->accel == EMIT_ACCEL_TCG && !spec->uri && !spec->in_turn;
	unsigned khz = hosts ? tsc_khz() : 0;
	g_autofree char *tsc = khz ? g_strdup_printf(" tsc_early_khz=%u", khz) : g_strdup("");

	/* gdb takes the addresses of vmlinux for those of the guest. */
	return g_strconcat(line, tsc, spec->debug.gdb ? " nokaslr" : "", spec->append ? " " : "",
			   spec->append, NULL);
}

static struct result *job_result_new(const struct job_spec *spec)
{
	struct result *result = result_new();
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();

	result->topology = g_strdup(topo_name(spec->topo));
	result->topology_text = g_strdup(topo_text(spec->topo));
	result->kernel = g_strdup(spec->kernel->name);
	result->kernel_release = g_strdup(kernel_facts_release(spec->kernel->facts));
	result->kernel_sha256 = g_strdup(spec->kernel->sha256);
	result->kernel_config = kernel_facts_config_text(spec->kernel->facts);
	result->kernel_package = g_strdup(spec->kernel->package);
	result->command_line = job_command_line(spec);
	result->steps = steps_texts(spec->steps);
	result->accel = g_strdup(emit_accel_name(spec->accel));
	result->host = host_description();
	/* As if the other guests were as large: nobody knows yet which will run beside it. */
	result->vcpus_per_host_cpu =
		(double)topo_n_cpus(spec->topo) * MAX(spec->guests, 1) / g_get_num_processors();
	result->started = g_date_time_format_iso8601(now);
	result->boots = spec->boots;
	if (spec->tests)
		result->programs = test_plan_programs(spec->tests, &spec->test_host);
	result->folder = job_folder(spec);
	return result;
}

struct result *job_not_started(const struct job_spec *spec, enum verdict verdict,
			       const char *reason)
{
	struct result *result = job_result_new(spec);

	result->ending = ENDING_STOPPED;
	result->ending_detail = g_strdup(reason);
	result->judgement = g_new0(struct judgement, 1);
	result->judgement->checks = checks_new();
	checks_add(result->judgement->checks, &(struct check){
						      .name = "lab.started",
						      .verdict = verdict,
						      .cpu = -1,
						      .level = -1,
						      .reason = reason,
					      });
	return result;
}

static bool write_file(const char *folder, const char *name, const char *data, gsize length,
		       GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	return g_file_set_contents_full(path, data, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0644,
					error);
}

/* Takes @initramfs over; NULL stays NULL. */
static GBytes *add_steps(GBytes *initramfs, const GPtrArray *steps, GError **error)
{
	g_autoptr(GBytes) plain = initramfs;
	g_autofree char *actions = plain && steps && steps->len ? steps_actions(steps) : NULL;
	g_autoptr(GBytes) bytes = actions ? g_bytes_new(actions, strlen(actions)) : NULL;
	struct initramfs_file file = {.path = STEPS_FILE, .mode = S_IFREG | 0644, .bytes = bytes};

	return actions ? initramfs_add(plain, &file, 1, error) : g_steal_pointer(&plain);
}

static GBytes *job_initramfs(const struct job_spec *spec, GError **error)
{
	g_autoptr(GBytes) initramfs =
		add_steps(assembly_initramfs(spec->topo, spec->agent, error), spec->steps, error);

	if (initramfs && spec->tests)
		return test_plan_add(spec->tests, &spec->test_host, initramfs, error);
	if (!initramfs || !spec->stay)
		return g_steal_pointer(&initramfs);
	return initramfs_add(initramfs, spec->stay->files, spec->stay->n_files, error);
}

static char *job_domain(struct job *job, GError **error)
{
	const struct job_spec *spec = &job->spec;
	g_autoptr(GBytes) initramfs = job_initramfs(spec, error);
	struct assembly assembly = {
		.topo = spec->topo,
		.kernel = spec->kernel,
		.initramfs = initramfs,
		.command_line = job->result->command_line,
		.accel = spec->accel,
		.in_turn = spec->in_turn,
		.uri = spec->uri,
		.command_socket = spec->stay ? COMMAND_SOCKET : NULL,
		.dump_memory = spec->debug.dump_memory,
	};

	return initramfs ? assembly_domain(&assembly, job->root, error) : NULL;
}

/* The lab's own failures are checks like any other, so that no report can overlook them. */
static void job_add_error(struct job *job, const char *name, const GError *error)
{
	struct check check = {
		.name = name,
		.verdict = VERDICT_ERROR,
		.cpu = -1,
		.level = -1,
		.reason = error->message,
	};

	checks_add(job->result->judgement->checks, &check);
}

static void job_save_evidence(struct job *job, GBytes *evidence)
{
	g_autofree char *channel = g_build_filename(job->part_folder, CHANNEL_FILE, NULL);
	g_autoptr(GError) error = NULL;
	gsize length;
	const char *data = g_bytes_get_data(evidence, &length);

	/* The stream is of use only while its evidence lies nowhere else. */
	if (write_file(job->part_folder, "evidence.tar.gz", data, length, &error))
		g_remove(channel);
	else
		job_add_error(job, "lab.evidence", error);
}

/* tests/NAME.log, for whoever reads them and for `topolab judge`. */
static void job_save_outputs(struct job *job)
{
	g_autofree char *folder = g_build_filename(job->part_folder, "tests", NULL);
	const GPtrArray *programs = job->result->programs;
	g_autoptr(GError) error = NULL;

	if (g_mkdir_with_parents(folder, 0755) != 0) {
		g_set_error(&error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", folder,
			    g_strerror(errno));
		job_add_error(job, "lab.tests", error);
		return;
	}
	for (guint i = 0; i < programs->len; i++) {
		const struct program *program = programs->pdata[i];
		g_autofree char *name = g_strconcat(program->name, ".log", NULL);

		if (!program->output ||
		    write_file(folder, name, program->output, program->output_length, &error))
			continue;
		job_add_error(job, "lab.tests", error);
		return;
	}
}

static void job_find_known(struct job *job, GBytes *evidence, const char *console,
			   gsize console_length)
{
	AUTO(seen) *seen = seen_new(job->result->judgement, evidence, console, console_length);

	g_free(job->result->known);
	job->result->known = case_known(job->spec.topo, job->result->judgement, seen);
}

/* What the kernel said of itself, be it asked or in an oops, once more with lines of source. */
static void job_save_traces(struct job *job, const char *console, gsize length)
{
	g_autofree char *problem = NULL;
	g_autoptr(GString) text = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(symbols) *symbols = NULL;

	if (!console || !traces_has(console))
		return;
	symbols = look_symbols(job->spec.kernel, console, &problem);
	text = symbols ? traces_decode(console, length, symbols, &job->result->traced) : NULL;
	if (text && !write_file(job->part_folder, TRACES_FILE, text->str, text->len, &error))
		job_add_error(job, "lab.traces", error);
}

static void job_judge(struct job *job)
{
	g_autoptr(GBytes) evidence = channel_read(job->part_folder, job->result->programs,
						  &job->result->channel_problem);
	g_autofree char *console_path = g_build_filename(job->part_folder, "console.log", NULL);
	g_autofree char *console = NULL;
	g_autoptr(GError) error = NULL;
	gsize console_length = 0;

	g_file_get_contents(console_path, &console, &console_length, &error);
	if (job->result->look)
		look_read(job->result->look, job->part_folder, job->spec.kernel, console);
	result_judge(job->result, &(struct verdict_input){
					  .topo = job->spec.topo,
					  .facts = job->spec.kernel->facts,
					  .console = console,
					  .console_length = console_length,
					  .evidence = evidence,
				  });
	job_find_known(job, evidence, console, console_length);
	/* It may hold what nobody has read. */
	if (error && job->started)
		job_add_error(job, "lab.console", error);
	job_save_traces(job, console, console_length);
	if (evidence)
		job_save_evidence(job, evidence);
	if (job->result->programs)
		job_save_outputs(job);
}

/* The folder appears under its name only when it is whole. */
static bool job_publish(struct job *job, GError **error)
{
	g_autofree char *folder = g_build_filename(job->spec.run_folder, job->result->folder, NULL);
	g_autofree char *parent = g_path_get_dirname(folder);
	json_t *json = result_to_json(job->result);
	g_autofree char *text = report_json_text(json);

	json_decref(json);
	if (!write_file(job->part_folder, "result.json", text, strlen(text), error))
		return false;
	if (g_mkdir_with_parents(parent, 0755) != 0 || rename(job->part_folder, folder) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "cannot make '%s', so the job's files stay in '%s': %s", folder,
			    job->part_folder, g_strerror(errno));
		return false;
	}
	return true;
}

static void job_conclude(struct job *job)
{
	g_autoptr(GError) error = NULL;

	job->result->wall_ms = (g_get_monotonic_time() - job->begun_usec) / 1000;
	job_judge(job);
	if (!job_publish(job, &error))
		job_add_error(job, "lab.results", error);
}

static void job_finish(struct job *job)
{
	g_clear_pointer(&job->root, vm_root_destroy);
	if (!job->up)
		job_conclude(job);
	job->ended(g_steal_pointer(&job->result), job->data);
}

static void replace_text(char **text, const char *fresh)
{
	g_free(*text);
	*text = g_strdup(fresh);
}

static void job_take_end(struct job *job, const struct vm_end *end)
{
	struct result *result = job->result;

	job->started = end->started_usec > 0;
	result->ending = end->ending;
	replace_text(&result->ending_detail, end->detail);
	g_clear_pointer(&result->look, look_unref);
	result->look = look_ref(end->look);
	replace_text(&result->qemu, end->qemu);
	replace_text(&result->libvirt, end->libvirt);
	if (end->started_usec && end->first_record_usec)
		result->boot_ms = (gint64)(end->first_record_usec - end->started_usec) / 1000;
}

static void job_stays(struct job *job)
{
	g_autofree char *folder = g_build_filename(job->spec.run_folder, job->result->folder, NULL);
	g_autofree char *socket = g_build_filename(
		vm_root_path(job->root),
		channel_is_serial(job->part_folder) ? SERIAL_SOCKET : COMMAND_SOCKET, NULL);

	job->up = true;
	job_take_end(job, vm_keep(job->vm, folder));
	job_conclude(job);
	job->spec.stay->up(job->result, socket, job->data);
}

static void job_vm_progress(const struct vm_progress *progress, void *data)
{
	struct job *job = data;
	struct vm_progress shown = *progress;
	g_autofree char *program = job->spec.tests && progress->channel_bytes
					   ? channel_running(job->part_folder)
					   : NULL;

	if (program) {
		g_free(job->running);
		job->running = g_strconcat("testing ", program, NULL);
	}
	if (job->running && strcmp(shown.state, "gathering") == 0)
		shown.state = job->running;
	job->progress(&shown, job->data);
	if (job->spec.stay && !job->up && progress->channel_bytes &&
	    channel_has_ended(job->part_folder))
		job_stays(job);
}

static void job_vm_ended(const struct vm_end *end, void *data)
{
	struct job *job = data;

	job->vm = NULL;
	job_take_end(job, end);
	job_finish(job);
}

/*
 * A tick of an idle vCPU takes about 30 us of the host under TCG (256 of them at 250 Hz: two whole
 * CPUs), so that with this slack all ticks together take less than a third of one.
 */
static guint64 job_boot_timer_slack_ns(const struct job_spec *spec)
{
	return spec->accel == EMIT_ACCEL_TCG ? (guint64)topo_n_cpus(spec->topo) * 100000 : 0;
}

static bool job_launch(struct job *job, GError **error)
{
	g_autofree char *xml = NULL;
	struct vm_spec vm_spec;

	if (g_mkdir_with_parents(job->part_folder, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s",
			    job->part_folder, g_strerror(errno));
		return false;
	}
	job->root = vm_root_new(error);
	if (!job->root)
		return false;
	xml = job_domain(job, error);
	if (!xml || !write_file(job->part_folder, "domain.xml", xml, strlen(xml), error))
		return false;
	vm_spec = (struct vm_spec){
		.root = job->root,
		.xml = xml,
		.uri = job->spec.uri,
		.folder = job->part_folder,
		.errors = job->spec.stay ? job->spec.stay->errors : NULL,
		.silence_seconds = job->spec.silence_seconds,
		.deadline_seconds = job->spec.deadline_seconds,
		.boot_timer_slack_ns = job_boot_timer_slack_ns(&job->spec),
		.look = true,
		.dump_memory = job->spec.debug.dump_memory,
		.gdb = job->spec.debug.gdb,
		.gdb_port = job->spec.debug.gdb_port,
	};
	job->vm = vm_start(&vm_spec, job_vm_progress, job_vm_ended, job, error);
	return job->vm != NULL;
}

/* A guest that could not be started ends like one that died at once. */
static gboolean job_failed_to_launch(void *data)
{
	job_finish(data);
	return G_SOURCE_REMOVE;
}

struct job *job_start(const struct job_spec *spec,
		      void (*progress)(const struct vm_progress *, void *),
		      void (*ended)(struct result *, void *), void *data)
{
	struct job *job = g_new0(struct job, 1);
	g_autoptr(GError) error = NULL;
	g_autofree char *part =
		g_strdup_printf(".part-%s-%s", topo_name(spec->topo), spec->kernel->name);

	job->spec = *spec;
	job->part_folder = g_build_filename(spec->run_folder, part, NULL);
	job->result = job_result_new(spec);
	job->begun_usec = g_get_monotonic_time();
	job->progress = progress;
	job->ended = ended;
	job->data = data;
	if (!job_launch(job, &error)) {
		job->result->ending = ENDING_DIED;
		job->result->ending_detail = g_strdup(error->message);
		g_idle_add(job_failed_to_launch, job);
	}
	return job;
}

const char *job_root_path(const struct job *job)
{
	return job->root ? vm_root_path(job->root) : NULL;
}

void job_stop(struct job *job, const char *reason)
{
	if (job->vm)
		vm_stop(job->vm, reason);
}

void job_free(struct job *job)
{
	g_clear_pointer(&job->root, vm_root_destroy);
	if (job->result)
		result_free(job->result);
	g_free(job->part_folder);
	g_free(job->running);
	g_free(job);
}
