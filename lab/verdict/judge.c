// SPDX-License-Identifier: GPL-2.0-only
/* What a job came to, in the order in which one thing makes the next worth judging. */
#include "base/cpus.h"
#include "base/error.h"
#include "base/steps.h"
#include "expect/enumerate.h"
#include "expect/step.h"
#include "observe/observe.h"
#include "verdict/compare.h"
#include "verdict/firmware.h"
#include "verdict/session.h"

#include <string.h>

void session_say(struct session *session, const char *name, enum verdict verdict,
		 const char *evidence, const char *reason)
{
	checks_add(session->judgement->checks, &(struct check){
						       .name = name,
						       .verdict = verdict,
						       .cpu = -1,
						       .level = -1,
						       .reason = reason,
						       .evidence = evidence,
					       });
}

/* How the guest ended, by itself. Whether a kernel that stood still was healthy its log tells. */
static const struct ending_row {
	enum verdict verdict;
	const char *sentence;
} endings[ENDING_COUNT] = {
	[ENDING_POWEROFF] = {VERDICT_PASS, "the guest powered itself off"},
	[ENDING_REBOOT] = {VERDICT_FAIL,
			   "the guest went down by itself: a panic, a triple fault or a reset"},
	[ENDING_STALLED] = {VERDICT_TIMEOUT, "the kernel spoke, then made no progress"},
	[ENDING_SILENT] = {VERDICT_ERROR, "not one byte came from the kernel"},
	[ENDING_STARVED] = {VERDICT_ERROR, "this host did not let the guest run"},
	[ENDING_DIED] = {VERDICT_ERROR, "QEMU or libvirt died, not the guest"},
	[ENDING_CRASHED] = {VERDICT_ERROR, "QEMU crashed, whatever the guest did"},
	[ENDING_FLOODED] = {VERDICT_ERROR, "the guest sent more than any guest should"},
	[ENDING_STOPPED] = {VERDICT_ERROR, "the guest was stopped before it had an answer"},
	[ENDING_UP] = {VERDICT_PASS, "the guest sent all it had and stays up"},
};

/*
 * The lab gave the kernel its initramfs: one that did not get as far as to use it is not judged.
 * True: that is how this guest ended.
 */
static bool judge_lost_root(struct session *session)
{
	enum ending ending = session->input->ending;
	struct kernel_message *panic =
		session->console ? observe_lost_root(session->console) : NULL;
	g_autofree char *reason = NULL;

	if (!panic || (ending != ENDING_REBOOT && ending != ENDING_STALLED))
		return false;
	reason = g_strdup_printf("the kernel did not start the /init of the initramfs that the lab "
				 "gave it (is it built with BLK_DEV_INITRD and RD_GZIP?): %s",
				 panic->text);
	session_say(session, "guest.ending", VERDICT_ERROR, "console.log", reason);
	g_ptr_array_remove(session->console, panic);
	return true;
}

/* Two races of QEMU's TCG were seen: this oops, and iotlb_to_section()'s assertion (10.0). */
static void judge_emulator(struct session *session)
{
	const struct verdict_input *input = session->input;
	struct kernel_message *oops =
		session->console ? observe_stale_breakpoint(session->console) : NULL;
	g_autofree char *reason = NULL;

	if (!input->emulated)
		return;
	if (input->ending == ENDING_CRASHED)
		reason = g_strdup_printf("QEMU, which emulated the CPUs, crashed: %s",
					 input->ending_detail ?: "nobody knows how");
	else if (oops)
		reason = g_strdup_printf("QEMU's TCG executed a breakpoint that the kernel had "
					 "already taken out of its code, a race in QEMU: %s",
					 oops->text);
	if (reason)
		session_say(session, CHECK_EMULATOR, VERDICT_ERROR, "console.log", reason);
}

static void judge_ending(struct session *session)
{
	const struct verdict_input *input = session->input;
	const struct ending_row *row = &endings[input->ending];
	g_autofree char *reason = input->ending_detail ? g_strdup_printf("%s: %s", row->sentence,
									 input->ending_detail)
						       : g_strdup(row->sentence);

	session_say(session, "guest.ending", row->verdict, "console.log", reason);
}

/*
 * A guest that went down or stood still cannot finish its stream; the ending says so already. One
 * that powered itself off or stays up can, and owes its evidence.
 */
static void judge_channel(struct session *session)
{
	const struct verdict_input *input = session->input;
	g_autofree char *reason = NULL;

	if (input->ending != ENDING_POWEROFF && input->ending != ENDING_UP)
		return;
	if (input->channel_problem) {
		reason = g_strdup_printf("the agent's stream is not usable: %s",
					 input->channel_problem);
		session_say(session, "evidence.channel", VERDICT_ERROR, NULL, reason);
	} else if (!input->evidence) {
		session_say(session, "evidence.channel", VERDICT_ERROR, NULL,
			    "the guest was done and sent no evidence");
	} else {
		session_say(session, "evidence.channel", VERDICT_PASS, NULL,
			    "the agent's stream is whole");
	}
}

static bool judge_archive(struct session *session)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *manifest = NULL;
	g_auto(GStrv) lines = NULL;
	bool whole = true;

	session->evidence = evidence_open(session->input->evidence, &error);
	if (session->evidence)
		manifest = root_read(session->evidence, &error, "manifest");
	if (!manifest) {
		session_say(session, "evidence.archive", VERDICT_ERROR, NULL, error->message);
		return false;
	}
	/* The agent notes what it could not read; what it reads later may hang on it. */
	lines = g_strsplit(manifest, "\n", -1);
	for (unsigned i = 0; lines[i] && whole; i++) {
		whole = !g_str_has_prefix(lines[i], "error: ");
		if (!whole)
			session_say(session, "evidence.archive", VERDICT_ERROR, "manifest",
				    lines[i]);
	}
	if (whole)
		session_say(session, "evidence.archive", VERDICT_PASS, "manifest",
			    "the archive is whole");
	return true;
}

static bool judge_log(struct session *session)
{
	g_autoptr(GError) error = NULL;

	session->log = observe_kernel_log(session->evidence, &error);
	if (!session->log)
		session_say(session, "evidence.log", VERDICT_ERROR, "kmsg", error->message);
	return session->log != NULL;
}

/* Evidence of another kernel would be judged by rules that are not its own. */
static bool judge_release(struct session *session)
{
	g_autoptr(GError) error = NULL;
	const char *wanted = kernel_facts_release(session->input->facts);
	g_autofree char *release = observe_release(session->evidence, &error);
	bool same = release && strcmp(release, wanted) == 0;

	checks_add(session->judgement->checks,
		   &(struct check){
			   .name = "guest.release",
			   .verdict = same ? VERDICT_PASS : VERDICT_ERROR,
			   .cpu = -1,
			   .level = -1,
			   .expected = same ? NULL : wanted,
			   .observed = same ? NULL : release,
			   .reason = !release ? error->message
				     : same   ? wanted
					      : "guest was not given the kernel",
			   .evidence = "proc/sys/kernel/osrelease",
		   });
	return same;
}

static void judge_facts(struct session *session)
{
	if (!kernel_facts_config_known(session->input->facts))
		session_say(
			session, "kernel.config", VERDICT_PASS, NULL,
			"the kernel's config is not known; options that rules ask for are taken "
			"as set");
}

/* False: this kernel has no room for the machine, so there is nothing to judge. */
static bool judge_room(struct session *session)
{
	unsigned n = topo_n_cpus(session->input->topo);
	const char *config = kernel_facts_config(session->input->facts, "NR_CPUS");
	g_autofree char *reason = NULL;
	gint64 most;

	/* kernel_max is NR_CPUS - 1: drivers/base/cpu.c, print_cpus_kernel_max(). */
	if (root_read_number(session->evidence, &most, NULL, "sys/devices/system/cpu/kernel_max"))
		most++;
	else if (!config || !g_ascii_string_to_signed(config, 10, 1, G_MAXINT, &most, NULL))
		return true;
	if (most >= n)
		return true;
	reason = g_strdup_printf("the kernel is built for %" G_GINT64_FORMAT
				 " CPUs (CONFIG_NR_CPUS), the machine has %u",
				 most, n);
	session_say(session, "guest.room", VERDICT_SKIP, "sys/devices/system/cpu/kernel_max",
		    reason);
	return false;
}

/* False: this kernel cannot be given the machine, so there is nothing to judge. */
static bool judge_tables(struct session *session)
{
	return check_tables_taken(session->input->topo, session->input->facts, session->log,
				  session->judgement->checks);
}

/*
 * The machine as this kernel numbers its CPUs: what it makes of the MADT. False, and said why: no
 * row knows.
 */
static bool judge_numbers(struct session *session)
{
	const struct verdict_input *input = session->input;
	g_autoptr(GError) error = NULL;
	AUTO(enumeration) *enumeration =
		enumerate_machine(input->topo, kernel_facts_version(input->facts),
				  observe_hypervisor(session->log), &error);

	if (!enumeration) {
		session_say(session, "kernel.presence", VERDICT_SKIP, NULL, error->message);
		return false;
	}
	session->n_possible = enumeration->n_possible;
	session->topo = enumeration_topo(enumeration, input->topo);
	return true;
}

/* False: nobody knows what this guest was told to see. */
static bool judge_arguments(struct session *session)
{
	const struct verdict_input *input = session->input;
	g_autoptr(GError) error = NULL;
	g_autofree char *line = root_read(session->evidence, &error, "proc/cmdline");

	if (!line) {
		session_say(session, "kernel.arguments", VERDICT_ERROR, NULL, error->message);
		return false;
	}
	session->situation = situation_new(session->topo, input->facts, line, &error);
	session_say(session, "kernel.arguments", session->situation ? VERDICT_PASS : VERDICT_SKIP,
		    "proc/cmdline",
		    session->situation ? "what each argument does to the machine is known"
				       : error->message);
	return session->situation != NULL;
}

/* False: the kernel was not brought to where it must be judged. */
static bool judge_steps(struct session *session)
{
	const struct verdict_input *input = session->input;
	g_autoptr(GError) error = NULL;
	g_autofree char *done = NULL;

	g_autoptr(GPtrArray) steps = NULL;

	if (!input->steps || !input->steps[0])
		return true;
	steps = steps_parse(input->steps, &error);
	done = steps ? root_read(session->evidence, &error, STEPS_MEMBER) : NULL;
	if (done && steps_take_answers(steps, done, &error) &&
	    steps_apply(steps, session->topo, session->situation, &error)) {
		session_say(session, "guest.steps", VERDICT_PASS, STEPS_MEMBER,
			    "every step was taken");
		return true;
	}
	session_say(session, "guest.steps", VERDICT_ERROR, STEPS_MEMBER, error->message);
	return false;
}

/*
 * Without schedstat the spans are the verbose log's alone. That is a kernel without
 * CONFIG_SCHEDSTATS, or evidence that lost a member.
 */
static bool judge_schedstat(struct session *session)
{
	if (root_has(session->evidence, "proc/schedstat") ||
	    !kernel_facts_builtin(session->input->facts, "SCHEDSTATS"))
		return true;
	session_say(session, "domains.observed", VERDICT_ERROR, "proc/schedstat",
		    "the evidence lacks schedstat, although the kernel is not known to be built "
		    "without it");
	return false;
}

/* A guest that claims more is lying, and would have us compare for ever. */
#define DEPTH_MAX 64

static void judge_depth(struct session *session)
{
	struct domain_tree *tree = session->judgement->observed;

	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		if (domain_tree_depth(tree, (unsigned)cpu) <= DEPTH_MAX)
			continue;
		session_say(session, "domains.observed", VERDICT_ERROR, "proc/schedstat",
			    "a CPU has more domains than any kernel can build");
		g_clear_pointer(&session->judgement->observed, domain_tree_free);
		return;
	}
}

static void judge_evidence(struct session *session)
{
	g_autoptr(GError) error = NULL;

	if (!judge_archive(session) || !judge_log(session) || !judge_release(session))
		return;
	judge_facts(session);
	session->judgement->observed = observe_domains(session->evidence, &error);
	if (!session->judgement->observed)
		session_say(session, "domains.observed", VERDICT_ERROR, NULL, error->message);
	else if (judge_schedstat(session))
		judge_depth(session);
	if (judge_room(session) && judge_tables(session) && judge_numbers(session) &&
	    judge_arguments(session) && judge_steps(session))
		session_judge_machine(session);
	check_splats(
		&(struct splat_input){
			.name = "kernel.splats",
			.stall_name = "kernel.stalls",
			.log = session->log,
			.evidence = "kmsg",
			.tree = session->judgement->observed,
			.vcpus_per_host_cpu = session->input->vcpus_per_host_cpu,
		},
		session->judgement->checks);
}

/*
 * The kernel was told to print on the serial port. Where nothing of a healthy one arrived, the
 * console was lost, or this kernel has none there: what it complained of at its end nobody knows.
 */
static void judge_silence(struct session *session)
{
	const struct verdict_input *input = session->input;

	if (!input->console || input->console_length ||
	    endings[input->ending].verdict != VERDICT_PASS)
		return;
	session_say(session, "evidence.console", VERDICT_ERROR, "console.log",
		    "the serial console is empty, though the kernel was told to print there (is it "
		    "built with SERIAL_8250_CONSOLE?)");
}

/* All there is of a guest that died before it could send evidence, and what came after it did. */
static void judge_console(struct session *session)
{
	if (!session->console || session->console->len == 0)
		return;
	check_splats(
		&(struct splat_input){
			.name = "console.splats",
			.stall_name = "console.stalls",
			.log = session->console,
			.known = session->log,
			.evidence = "console.log",
			.tree = session->judgement->observed,
			.vcpus_per_host_cpu = session->input->vcpus_per_host_cpu,
		},
		session->judgement->checks);
}

/*
 * The last guard against a false PASS: whatever path was taken, no job passes without each of
 * these. A check that is there has compared something, findings_close() sees to it.
 */
static void judge_complete(struct session *session)
{
	static const char *const needed[] = {
		"guest.ending",	      "evidence.channel",
		"evidence.archive",   "guest.release",
		"guest.madt-order",   "kernel.presence",
		"guest.cpuid",	      "guest.madt",
		"guest.srat",	      "guest.slit",
		"kernel.cpus",	      "kernel.topology",
		"kernel.caches",      "kernel.numa",
		"domains.cpus",	      "domains.rules",
		"invariants.nested",  "invariants.meet",
		"invariants.present", "invariants.groups-cover",
		"kernel.splats",
	};
	const struct checks *checks = session->judgement->checks;

	if (checks_verdict(checks) != VERDICT_PASS)
		return;
	for (gsize i = 0; i < G_N_ELEMENTS(needed); i++) {
		g_autofree char *reason = NULL;

		if (judgement_has(session->judgement, needed[i]))
			continue;
		reason = g_strdup_printf("'%s' was not judged, so the job cannot pass", needed[i]);
		session_say(session, "judge.complete", VERDICT_ERROR, NULL, reason);
	}
}

bool judgement_has(const struct judgement *judgement, const char *name)
{
	for (guint i = 0; judgement && i < checks_count(judgement->checks); i++)
		if (strcmp(checks_get(judgement->checks, i)->name, name) == 0)
			return true;
	return false;
}

struct judgement *judge(const struct verdict_input *input)
{
	struct judgement *judgement = g_new0(struct judgement, 1);
	struct session session = {.input = input, .judgement = judgement};

	judgement->checks = checks_new();
	if (input->console && input->console_length)
		session.console = observe_console(input->console, input->console_length);
	judge_emulator(&session);
	if (!judge_lost_root(&session))
		judge_ending(&session);
	judge_channel(&session);
	if (input->evidence)
		judge_evidence(&session);
	judge_silence(&session);
	judge_console(&session);
	if (input->programs)
		check_programs(input->programs, input->ending, judgement->checks);
	judge_complete(&session);
	root_unref(session.evidence);
	situation_free(session.situation);
	topo_unref(session.topo);
	g_clear_pointer(&session.log, g_ptr_array_unref);
	g_clear_pointer(&session.console, g_ptr_array_unref);
	return judgement;
}

void judgement_free(struct judgement *judgement)
{
	if (!judgement)
		return;
	checks_free(judgement->checks);
	domain_tree_free(judgement->observed);
	domain_tree_free(judgement->expected);
	g_free(judgement);
}
