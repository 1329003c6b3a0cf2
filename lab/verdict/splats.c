// SPDX-License-Identifier: GPL-2.0-only
/* The gate: a kernel that complains is not healthy, whatever its domains look like. */
#include "base/cpus.h"
#include "observe/observe.h"
#include "verdict/compare.h"
#include "verdict/findings.h"

#include <stdio.h>
#include <string.h>

/* A guest's line is quoted up to here. */
#define LINE_SHOWN 240

/* What a CPU that was not given time looks like, from inside the guest. */
static const char *const stalls[] = {
	/* kernel/rcu/tree_stall.h, print_other_cpu_stall() and print_cpu_stall(); rcu/tasks.h */
	"detected stalls on ",
	"self-detected stall on CPU",
	"detected stall, but suppressed",
	/* kernel/rcu/tree_exp.h, synchronize_rcu_expedited_stall() */
	"detected expedited stalls",
	/* kernel/watchdog.c, watchdog_timer_fn() and watchdog_hardlockup_check() */
	"soft lockup - CPU#",
	"hard LOCKUP on cpu",
	/* kernel/workqueue.c, wq_watchdog_timer_fn() */
	"workqueue lockup - pool",
};

struct gate {
	const struct domain_tree *tree; /* may be NULL */
	/* Where the verbose domain log stands: each domain's complaint follows its line. */
	int cpu, level;
	struct findings *splats, *stalls;
	GHashTable *splat_set; /* the messages that observe_splats() chose */
	GHashTable *known;     /* texts that were told before; NULL: none */
};

static bool is_stall(const char *text)
{
	for (gsize i = 0; i < G_N_ELEMENTS(stalls); i++)
		if (strstr(text, stalls[i]))
			return true;
	/* kernel/hung_task.c, check_hung_task(): "INFO: task x:1 blocked for more than 120 s..." */
	return g_str_has_prefix(text, "INFO: task ") && strstr(text, " for more than ");
}

/*
 * sched_domain_debug() prints, for each CPU, "CPU0 attaching sched-domain(s):" and then a line
 * " domain-0: span=0-1 level=SMT" for each domain, indented; its complaints come right after.
 */
static void gate_follow(struct gate *gate, const char *text)
{
	const char *domain = text + strspn(text, " ");
	int number, end = 0;

	if (sscanf(text, "CPU%5d attaching %n", &number, &end) == 1 && end > 0) {
		gate->cpu = number;
		gate->level = -1;
	} else if (sscanf(domain, "domain-%5d: span%n", &number, &end) == 1 && end > 0) {
		gate->level = number;
	} else if (!g_str_has_prefix(domain, "groups:") && !g_str_has_prefix(text, "ERROR: ")) {
		gate->cpu = -1;
		gate->level = -1;
	}
}

/* The domain that a complaint of the scheduler is about, when it was observed. */
static const struct domain *gate_domain(const struct gate *gate)
{
	if (!gate->tree || gate->cpu < 0 || gate->level < 0 || gate->cpu >= CPUS_MAX ||
	    !cpus_has(domain_tree_cpus(gate->tree), (unsigned)gate->cpu) ||
	    (unsigned)gate->level >= domain_tree_depth(gate->tree, (unsigned)gate->cpu))
		return NULL;
	return domain_tree_get(gate->tree, (unsigned)gate->cpu, (unsigned)gate->level);
}

static char *gate_reason(const struct gate *gate)
{
	const struct domain *domain = gate_domain(gate);
	AUTO(cpus) *lacking = domain ? domain_uncovered(domain) : NULL;
	g_autofree char *list = lacking ? cpus_to_list(lacking) : NULL;

	if (!list || !*list)
		return g_strdup("the kernel printed what no healthy kernel prints");
	return g_strdup_printf("the groups of %s lack CPUs %s of its span",
			       domain->name ? domain->name : "the domain", list);
}

static void gate_splat(struct gate *gate, const char *text)
{
	/* Only the scheduler's own self-checks belong to the domain that was printed before. */
	bool about_domain = g_str_has_prefix(text, "ERROR: ");
	g_autofree char *line = g_strndup(text, LINE_SHOWN);
	g_autofree char *reason = about_domain
					  ? gate_reason(gate)
					  : g_strdup("the kernel printed what no healthy kernel "
						     "prints");

	findings_add(gate->splats, &(struct finding){
					   .cpu = about_domain ? gate->cpu : -1,
					   .level = about_domain ? gate->level : -1,
					   .expected = "no such line",
					   .observed = line,
					   .rule = "a healthy kernel does not complain",
					   .reason = reason,
				   });
}

static void gate_stall(struct gate *gate, const char *text)
{
	g_autofree char *line = g_strndup(text, LINE_SHOWN);

	findings_add(gate->stalls, &(struct finding){
					   .cpu = -1,
					   .level = -1,
					   .expected = "no such line",
					   .observed = line,
					   .rule = "a CPU that runs is not seen to stand still",
					   .reason = "a vCPU made no progress for a long time",
				   });
}

static void gate_message(struct gate *gate, const struct kernel_message *message)
{
	gate_follow(gate, message->text);
	findings_compared(gate->splats, 1);
	findings_compared(gate->stalls, 1);
	if (gate->known && g_hash_table_contains(gate->known, message->text))
		return;
	if (is_stall(message->text))
		gate_stall(gate, message->text);
	else if (g_hash_table_contains(gate->splat_set, message))
		gate_splat(gate, message->text);
}

/* What was found in @log. Its other lines excuse nothing: one may follow a cut by chance. */
static GHashTable *complaints_of(GPtrArray *log)
{
	GHashTable *texts = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) splats = observe_splats(log);

	for (guint i = 0; i < splats->len; i++) {
		const struct kernel_message *message = splats->pdata[i];

		g_hash_table_add(texts, message->text);
	}
	for (guint i = 0; i < log->len; i++) {
		const struct kernel_message *message = log->pdata[i];

		if (is_stall(message->text))
			g_hash_table_add(texts, message->text);
	}
	return texts;
}

void check_splats(const struct splat_input *input, struct checks *checks)
{
	g_autoptr(GPtrArray) splats = observe_splats(input->log);
	bool overloaded = input->vcpus_per_host_cpu > 1;
	struct gate gate = {
		.tree = input->tree,
		.cpu = -1,
		.level = -1,
		.splats = findings_new(input->name, VERDICT_FAIL, "lines of the kernel's log",
				       input->evidence),
		.stalls = findings_new(input->stall_name, overloaded ? VERDICT_ERROR : VERDICT_FAIL,
				       "lines of the kernel's log", input->evidence),
		.splat_set = g_hash_table_new(NULL, NULL),
		.known = input->known ? complaints_of(input->known) : NULL,
	};

	for (guint i = 0; i < splats->len; i++)
		g_hash_table_add(gate.splat_set, splats->pdata[i]);
	for (guint i = 0; i < input->log->len; i++)
		gate_message(&gate, input->log->pdata[i]);
	findings_close(gate.splats, checks);
	findings_close(gate.stalls, checks);
	g_hash_table_unref(gate.splat_set);
	g_clear_pointer(&gate.known, g_hash_table_unref);
}
