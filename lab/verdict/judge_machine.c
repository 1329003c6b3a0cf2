// SPDX-License-Identifier: GPL-2.0-only
/* The machine as three witnesses have it, and the domains that the kernel made of it. */
#include "base/error.h"
#include "expect/expect.h"
#include "expect/sharing.h"
#include "observe/observe.h"
#include "verdict/compare.h"
#include "verdict/firmware.h"
#include "verdict/session.h"

static bool passed_since(const struct checks *checks, guint first)
{
	for (guint i = first; i < checks_count(checks); i++)
		if (checks_get(checks, i)->verdict != VERDICT_PASS)
			return false;
	return checks_count(checks) > first;
}

/* Both judges. Rules for a kernel that no row knows are skipped; invariants hold on it too. */
static void judge_domains(struct session *session)
{
	const struct verdict_input *input = session->input;
	struct judgement *judgement = session->judgement;
	g_autoptr(GPtrArray) maps = situation_maps(session->situation);
	struct expectation expectation = {
		.topo = session->topo, .facts = input->facts, .situation = session->situation};
	g_autoptr(GError) error = NULL;

	judgement->expected =
		expect_domains(session->topo, input->facts, session->situation, &error);
	expectation.tree = judgement->expected;
	if (judgement->expected)
		check_rules(&expectation, judgement->observed, judgement->checks);
	else
		session_say(session, "domains.rules",
			    g_error_matches(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED)
				    ? VERDICT_SKIP
				    : VERDICT_ERROR,
			    NULL, error->message);
	check_invariants(judgement->observed, session->situation->online, maps, judgement->checks);
}

static struct view *session_view(struct session *session, const char *name,
				 struct view *(*observe)(struct root *, GError **))
{
	g_autoptr(GError) error = NULL;
	struct view *view = observe(session->evidence, &error);

	if (!view)
		session_say(session, name, VERDICT_ERROR, NULL, error->message);
	return view;
}

/* On an overloaded host a CPU that does not answer in time may be the host's fault. */
static enum verdict verdict_of_lost_cpu(const struct session *session)
{
	return session->input->vcpus_per_host_cpu > 1 ? VERDICT_ERROR : VERDICT_FAIL;
}

/* Where an argument makes the kernel see another machine than the hardware is. */
static void view_follow_arguments(struct view *hardware, const struct session *session)
{
	const struct topo *topo = session->topo;
	unsigned split = session->situation->split_llc;

	if (session->situation->one_node)
		view_merge_nodes(hardware);
	/* AMD's L3 list in /sys is the kernel's LLC mask; Intel's comes from CPUID alone. */
	if (split && topo_cpu_model(topo)->vendor == TOPO_VENDOR_AMD)
		view_split_llc(hardware, topo, split);
}

/* Where there is no L3 the kernel still gives CPUs the id of an LLC. */
static void view_take_llcs(struct view *view, const struct session *session)
{
	unsigned version = kernel_facts_version(session->input->facts);

	CPUS_FOREACH (cpu, view->cpus) {
		struct cpus **llc = &view->cpu[cpu].mask[TOPO_LLC];

		if (!*llc || !cpus_is_empty(*llc) || (unsigned)cpu >= topo_n_cpus(session->topo))
			continue;
		cpus_unref(*llc);
		*llc = sharing_mask(session->topo, version, TOPO_LLC, (unsigned)cpu);
		cpus_and(*llc, session->situation->online);
	}
}

/* Only kernels since 6.9 show them. */
static void judge_ids(struct session *session, const struct view *hardware)
{
	g_autoptr(GError) error = NULL;
	AUTO(view) *ids = observe_topo_ids(session->evidence, session->situation->online, &error);
	AUTO(view) *expected = view_copy_cpus(hardware);

	view_take_llcs(expected, session);
	if (ids)
		compare_topo_ids(expected, ids, session->judgement->checks);
	else if (error)
		session_say(session, "kernel.ids", VERDICT_ERROR, NULL, error->message);
}

/* nr_cpus= takes the last ones away. */
static unsigned possible_cpus(const struct session *session)
{
	unsigned limit = session->situation->nr_cpus;

	return limit ? MIN(limit, session->n_possible) : session->n_possible;
}

void session_judge_machine(struct session *session)
{
	struct checks *checks = session->judgement->checks;
	const struct topo *topo = session->input->topo;
	AUTO(view) *model = view_of_topo(session->topo);
	AUTO(view) *hardware = session_view(session, "guest.witness", observe_hardware);
	AUTO(view) *system = session_view(session, "kernel.witness", observe_system);
	struct presence presence = {
		.model = model, .hardware = hardware, .started = session->situation->online};
	guint first = checks_count(checks);
	bool given;

	if (!hardware || !system)
		return;
	view_imply_tables(hardware);
	presence.online = system->cpus;
	compare_firmware(topo, session->evidence, checks);
	firmware_interpret(topo, model, hardware);
	if (passed_since(checks, first) &&
	    !check_presence(&presence, verdict_of_lost_cpu(session), checks))
		return;
	view_keep_cpus(model, session->situation->online);
	compare_guest(model, hardware, checks);
	given = passed_since(checks, first);
	check_possible(possible_cpus(session), session->evidence, checks);
	judge_ids(session, hardware);
	view_follow_arguments(hardware, session);
	compare_kernel(topo_cpu_model(topo)->vendor, session->input->facts, hardware, system,
		       checks);
	if (!session->judgement->observed)
		return;
	if (given)
		judge_domains(session);
	else
		session_say(session, "domains.rules", VERDICT_ERROR, NULL,
			    "the domains were not judged: the guest was not given the machine");
}
