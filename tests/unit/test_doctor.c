// SPDX-License-Identifier: GPL-2.0-only
/* `topolab doctor` on hosts that are made up here; one of them is run for real. */
#include "run/doctor.h"
#include "vm/kvm_access.h"

#include "../run_topolab.h"
#include "members.h"

#include <jansson.h>
#include <string.h>

#define GIB ((guint64)1 << 30)
/* What the structures own elsewhere is borrowed here and never freed. */
#define TEXT(literal) ((char[]){literal})

static struct root *host_root(void)
{
	return root_of("proc/cpuinfo", "model name\t: AMD EPYC 7763\n", "proc/1/comm", "tail\n",
		       "proc/meminfo", "MemAvailable:   16777216 kB\n",
		       "sys/devices/system/cpu/online", "0-3\n", "dev/null", "", NULL);
}

/* A host on which all is well. */
static struct qemu good_qemu = {
	.path = TEXT("/usr/bin/qemu-system-x86_64"),
	.version = TEXT("10.0.2"),
	.tcg_x2apic = true,
	.smp_cache = true,
	.max_cpus = 4096,
};

static struct doctor_facts good_facts = {
	.system = TEXT("Linux 6.1.0 on x86_64"),
	.n_cpus = 4,
	.cache = {.path = TEXT("/c"), .free_bytes = 5 * GIB},
	.runtime = {.path = TEXT("/r"), .free_bytes = GIB},
	.kernel = TEXT("6.12.117"),
	.qemu = &good_qemu,
	.trial = {.qemu = TEXT("10.0.2"), .libvirt = TEXT("11.3.0")},
	.kvm_tried = true,
	.hwloc = TEXT("2.9.0"),
};

static const struct doctor_item *item_of(const GPtrArray *items, const char *name)
{
	for (guint i = 0; i < items->len; i++) {
		const struct doctor_item *item = items->pdata[i];

		if (strcmp(item->name, name) == 0)
			return item;
	}
	return NULL;
}

static void assert_item(const GPtrArray *items, const char *name, enum doctor_state state,
			const char *part)
{
	const struct doctor_item *item = item_of(items, name);
	g_autofree char *text = NULL;

	if (!item) {
		g_test_fail_printf("there is no item '%s'", name);
		return;
	}
	text = g_strdup_printf("%s; %s", item->found, item->advice ? item->advice : "");
	g_assert_cmpint(item->state, ==, state);
	if (!strstr(text, part))
		g_test_fail_printf("%s: '%s' is not in '%s'", name, part, text);
}

static void test_good(void)
{
	AUTO(root) *root = host_root();
	struct doctor_facts facts = good_facts;
	g_autoptr(GPtrArray) items = doctor_examine(root, &facts);

	for (guint i = 0; i < items->len; i++)
		g_assert_cmpint(((struct doctor_item *)items->pdata[i])->state, ==, DOCTOR_OK);
	g_assert_true(doctor_works(items));
	assert_item(items, "host", DOCTOR_OK, "Linux 6.1.0 on x86_64, 4 CPUs, AMD EPYC 7763");
	assert_item(items, "reaping", DOCTOR_OK, "'tail'");
	assert_item(items, "kvm", DOCTOR_OK, "Linux 6.12.117 boots under KVM");
	assert_item(items, "largest", DOCTOR_OK, "4096 CPUs and 16384 MiB");
}

/* Slower or smaller, but `run` works. */
static void test_limited(void)
{
	AUTO(root) *root = host_root();
	struct doctor_facts facts = good_facts;
	struct qemu old = good_qemu;
	g_autoptr(GPtrArray) items = NULL;

	old.version = TEXT("7.2.19");
	old.tcg_x2apic = old.smp_cache = false;
	old.max_cpus = 288;
	facts.qemu = &old;
	facts.trial.libvirt = TEXT("9.0.0");
	facts.kvm_problem = TEXT("this host has no /dev/kvm");
	facts.fetch_problem = TEXT("needs 'apt-get'");
	facts.cache.free_bytes = GIB / 8;
	items = doctor_examine(root, &facts);
	g_assert_true(doctor_works(items));
	assert_item(items, "qemu", DOCTOR_LIMITED, "7.2.19");
	assert_item(items, "qemu", DOCTOR_LIMITED, "need QEMU 9.0 without KVM");
	assert_item(items, "libvirt", DOCTOR_LIMITED, "libvirt 9.0.0");
	assert_item(items, "kvm", DOCTOR_LIMITED,
		    "this host has no /dev/kvm; guests run under TCG");
	assert_item(items, "largest", DOCTOR_OK, "255 CPUs");
	assert_item(items, "kernels", DOCTOR_LIMITED, "needs 'apt-get'");
	assert_item(items, "cache", DOCTOR_LIMITED, "128 MiB free");
}

/* Each alone makes `run` impossible. */
static void test_missing(void)
{
	static const char *const names[] = {"mounts", "reaping", "cache", "runtime",
					    "qemu",   "libvirt", "guest"};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		AUTO(root) *root = i == 0 ? root_of("dev/null", "", NULL) : host_root();
		struct doctor_facts facts = good_facts;
		char *why = TEXT("because");
		g_autoptr(GPtrArray) items = NULL;

		if (i == 1)
			facts.reaping_problem = why;
		if (i == 2)
			facts.cache.problem = why;
		if (i == 3)
			facts.runtime.problem = why;
		if (i == 4) {
			facts.qemu = NULL;
			facts.qemu_problem = why;
		}
		if (i >= 5)
			facts.trial.problem = why;
		if (i == 5)
			facts.trial.libvirt = NULL;
		items = doctor_examine(root, &facts);
		g_assert_false(doctor_works(items));
		assert_item(items, names[i], DOCTOR_MISSING,
			    i == 0 ? "'/proc' is not mounted here" : "because");
	}
}

static void test_kvm_not_tried(void)
{
	AUTO(root) *root = host_root();
	struct doctor_facts facts = good_facts;
	g_autoptr(GPtrArray) items = NULL;

	facts.kvm_tried = false;
	facts.kernel_problem = TEXT("the cache is empty");
	items = doctor_examine(root, &facts);
	assert_item(items, "kvm", DOCTOR_LIMITED, "no kernel was booted");
	assert_item(items, "kvm", DOCTOR_LIMITED, "the cache is empty; name one with --kernel");
}

/* The udev rule is the one that GitHub gives for its runners. */
static void test_kvm_refusal(void)
{
	struct kvm_access access = {
		.user = "ada", .group = "kvm", .group_may = true, .problem = "Permission denied"};
	g_autofree char *stranger = kvm_refusal(&access);
	g_autofree char *member = NULL;
	g_autofree char *nobody = NULL;

	g_assert_cmpstr(
		stranger, ==,
		"the user 'ada' cannot open /dev/kvm: Permission denied; it is for the group "
		"'kvm': 'sudo usermod -aG kvm ada', then log in again; on a CI machine put the "
		"line 'KERNEL==\"kvm\", GROUP=\"kvm\", MODE=\"0666\", "
		"OPTIONS+=\"static_node=kvm\"' into /etc/udev/rules.d/99-kvm.rules, then 'sudo "
		"udevadm control --reload-rules' and 'sudo udevadm trigger --name-match=kvm'");
	access.is_member = true;
	member = kvm_refusal(&access);
	g_assert_nonnull(strstr(member, "this session began earlier: log in again"));
	g_assert_null(strstr(member, "usermod"));
	/* Root's alone: no group helps. */
	access.group_may = false;
	nobody = kvm_refusal(&access);
	g_assert_null(strstr(nobody, "log in again"));
	g_assert_nonnull(strstr(nobody, "99-kvm.rules"));
}

static void test_text(void)
{
	AUTO(root) *root = host_root();
	struct doctor_facts facts = good_facts;
	g_autoptr(GPtrArray) items = NULL;
	g_autofree char *text = NULL;
	g_autofree char *json_text = NULL;
	json_t *json, *kvm = NULL;
	size_t i;

	facts.kvm_problem = TEXT("this host has no /dev/kvm");
	items = doctor_examine(root, &facts);
	text = doctor_text(items);
	g_assert_nonnull(strstr(text, "\nok       qemu     QEMU 10.0.2 ("));
	g_assert_nonnull(strstr(text, "\nlimited  kvm      this host has no /dev/kvm; guests run "
				      "under TCG, many times slower\n"));
	g_assert_true(g_str_has_suffix(text, "\n'topolab run' works on this host\n"));
	json_text = doctor_json(items);
	json = json_loads(json_text, 0, NULL);
	g_assert_true(json_is_true(json_object_get(json, "works")));
	json_array_foreach (json_object_get(json, "items"), i, kvm)
		if (strcmp(json_string_value(json_object_get(kvm, "name")), "kvm") == 0)
			break;
	g_assert_cmpstr(json_string_value(json_object_get(kvm, "state")), ==, "limited");
	json_decref(json);
}

/* QMP's answers as QEMU's documentation (qapi/) has them, cut down. */
static void test_answers(void)
{
	json_t *version =
		json_loads("{\"qemu\": {\"major\": 8, \"minor\": 2, \"micro\": 2}}", 0, NULL);
	json_t *machines = json_loads("[{\"name\": \"pc-q35-8.1\", \"cpu-max\": 288},"
				      "{\"name\": \"pc-q35-8.2\", \"alias\": \"q35\", "
				      "\"cpu-max\": 1024}]",
				      0, NULL);
	json_t *properties =
		json_loads("[{\"name\": \"smp\"}, {\"name\": \"smp-cache\"}]", 0, NULL);
	json_t *cpu = json_loads("{\"model\": {\"props\": {\"x2apic\": false}}}", 0, NULL);
	struct qemu qemu = {.path = TEXT("q")};
	g_autoptr(GError) error = NULL;

	g_assert_true(qemu_read_answers(&qemu, version, machines, properties, cpu, NULL));
	g_assert_cmpstr(qemu.version, ==, "8.2.2");
	g_assert_cmpuint(qemu.max_cpus, ==, 1024);
	g_assert_true(qemu.smp_cache);
	g_assert_false(qemu.tcg_x2apic);
	g_assert_false(qemu_read_answers(&qemu, version, properties, properties, cpu, &error));
	g_assert_cmpstr(error->message, ==,
			"'q' answers without its version, its q35 machine or its CPU");
	g_free(qemu.version);
	json_decref(version);
	json_decref(machines);
	json_decref(properties);
	json_decref(cpu);
}

/* As a user sees it. */
static void test_without_qemu(void)
{
	g_autofree char *path = g_strdup(g_getenv("PATH"));
	g_autofree char *cache = g_dir_make_tmp("topolab-doctor-XXXXXX", NULL);
	struct topolab_run run;

	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	g_setenv("PATH", "/no/such/folder", TRUE);
	run = topolab_run("doctor");
	g_setenv("PATH", path, TRUE);
	g_unsetenv("TOPOLAB_CACHE");
	g_assert_cmpint(run.status, ==, 3);
	g_assert_nonnull(strstr(run.output, "\nmissing  qemu     QEMU is missing: there is no "
					    "'qemu-system-x86_64' in the PATH '/no/such/folder'; "
					    "'make deps' installs it"));
	g_assert_true(g_str_has_suffix(run.output, "\n'topolab run' does not work on this host\n"));
	topolab_run_clear(&run);
	folder_remove(cache);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/doctor/good", test_good);
	g_test_add_func("/doctor/limited", test_limited);
	g_test_add_func("/doctor/missing", test_missing);
	g_test_add_func("/doctor/kvm-not-tried", test_kvm_not_tried);
	g_test_add_func("/doctor/kvm-refusal", test_kvm_refusal);
	g_test_add_func("/doctor/text", test_text);
	g_test_add_func("/doctor/qemu-answers", test_answers);
	g_test_add_func("/doctor/without-qemu", test_without_qemu);
	return g_test_run();
}
