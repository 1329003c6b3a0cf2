// SPDX-License-Identifier: GPL-2.0-only
#include "vm/kvm_answer.h"

#include <string.h>

/* init/do_mounts.c of 6.12: the panic of a kernel that was given no root. */
#define NO_ROOT                                                                                    \
	"[    0.9] Kernel panic - not syncing: VFS: Unable to mount root fs on "                   \
	"unknown-block(0,0)\n"

static void test_judge(void)
{
	static const struct {
		enum ending ending;
		const char *console;
		enum kvm_answer answer;
	} cases[] = {
		{ENDING_REBOOT, "[    0.0] Linux version 6.12\n" NO_ROOT, KVM_WORKS},
		/* A deadline that passes after the boot takes nothing back. */
		{ENDING_STOPPED, NO_ROOT, KVM_WORKS},
		/* mm/page_alloc.c, free_reserved_area(): it has an initramfs inside. */
		{ENDING_STALLED, "[    1.1] Freeing unused kernel image (initmem) memory: 2688K\n",
		 KVM_WORKS},
		{ENDING_REBOOT, "Kernel panic - not syncing: Fatal exception\n", KVM_RUNS},
		{ENDING_REBOOT, "[    0.0] Linux version 6.12\n", KVM_FAILS},
		{ENDING_REBOOT, NULL, KVM_FAILS},
		{ENDING_SILENT, "", KVM_FAILS},
		{ENDING_STALLED, "Probing EDD (edd=off to disable)... ok\n", KVM_FAILS},
		/* A busy host is no reason to believe anything of KVM, less so to keep it. */
		{ENDING_STOPPED, "[    0.0] Linux version 6.12\n", KVM_UNKNOWN},
		{ENDING_DIED, "", KVM_UNKNOWN},
		{ENDING_STARVED, "", KVM_UNKNOWN},
		{ENDING_FLOODED, "", KVM_UNKNOWN},
		{ENDING_POWEROFF, "", KVM_UNKNOWN},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
		if (kvm_answer_judge(cases[i].ending, cases[i].console) != cases[i].answer)
			g_test_fail_printf("case %u", i);
}

/* The words of QEMU 10.0.2 for a /dev/kvm of mode 0600, as root with libvirt 11.3. */
static void test_reason(void)
{
	static const char forbidden[] =
		"libvirt cannot start the guest: internal error: QEMU unexpectedly closed the "
		"monitor (vm='probe'): qemu-system-x86_64: -accel kvm: Could not access KVM kernel "
		"module: No such file or directory";
	g_autofree char *user = kvm_answer_reason(KVM_UNKNOWN, ENDING_DIED, forbidden);
	g_autofree char *hang = kvm_answer_reason(KVM_FAILS, ENDING_SILENT, "no byte came");
	g_autofree char *bare = kvm_answer_reason(KVM_UNKNOWN, ENDING_STOPPED, NULL);

	g_assert_nonnull(strstr(user, "the user that libvirt runs QEMU as may not open it"));
	g_assert_null(strstr(user, "No such file"));
	g_assert_cmpstr(
		hang, ==,
		"/dev/kvm is there, but Linux does not boot under it: silent, no byte came");
	g_assert_cmpstr(bare, ==, "/dev/kvm is there, but cannot be tried: stopped");
}

/* A host in four files, as show_cpuinfo() and version_proc_show() write them. */
struct host {
	const char *version, *model, *flags, *mhz, *product, *qemu, *more;
};

static const struct host base_host = {
	.version = "Linux version 6.12.117+deb12-amd64 (...) #1 SMP",
	.model = "17",
	.flags = "fpu svm npt",
	.mhz = "2450.000",
	.product = "Standard_D4s_v5",
	.qemu = "QEMU emulator version 10.0.2\n",
	.more = "20660 0 104 0\n",
};

static void add(GHashTable *members, const char *path, const char *text)
{
	g_hash_table_insert(members, g_strdup(path), g_bytes_new(text, strlen(text)));
}

static char *key_of(const struct host *host)
{
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)g_bytes_unref);
	AUTO(root) *root = root_new_members(members);
	g_autofree char *cpuinfo = g_strdup_printf(
		"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: %s\n"
		"model name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0xa0011d1\n"
		"cpu MHz\t\t: %s\nflags\t\t: %s\n\nprocessor\t: 1\nmodel\t\t: 99\n",
		host->model, host->mhz, host->flags);

	add(members, "proc/version", host->version);
	add(members, "proc/cpuinfo", cpuinfo);
	add(members, "sys/class/dmi/id/product_name", host->product);
	return kvm_answer_key(root, host->qemu, host->more);
}

static void assert_key(const struct host *host, bool same)
{
	g_autofree char *base = key_of(&base_host);
	g_autofree char *key = key_of(host);

	g_assert_true(g_str_equal(base, key) == same);
}

/* The CPU's name alone would not do: a cloud calls all of its CPUs "AMD EPYC". */
static void test_key(void)
{
	struct host host = base_host;

	assert_key(&host, true);
	host.mhz = "3500.117";
	assert_key(&host, true);
	host.version = "Linux version 6.12.118+deb12-amd64 (...) #1 SMP";
	assert_key(&host, false);
	host = base_host;
	host.model = "1";
	assert_key(&host, false);
	host = base_host;
	host.flags = "fpu";
	assert_key(&host, false);
	host = base_host;
	host.product = "Standard_D4as_v5";
	assert_key(&host, false);
	host = base_host;
	host.qemu = "QEMU emulator version 8.2.2\n";
	assert_key(&host, false);
	host = base_host;
	host.more = "20660 0 104 1000\n";
	assert_key(&host, false);
}

/* Neither a chroot without /sys nor a strange /proc is a reason to fail. */
static void test_key_of_nothing(void)
{
	AUTO(root) *root = root_new_members(g_hash_table_new(g_str_hash, g_str_equal));
	g_autofree char *key = kvm_answer_key(root, "", "");

	g_assert_cmpuint(strlen(key), ==, 64);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/kvm-answer/judge", test_judge);
	g_test_add_func("/kvm-answer/reason", test_reason);
	g_test_add_func("/kvm-answer/key", test_key);
	g_test_add_func("/kvm-answer/key-of-nothing", test_key_of_nothing);
	return g_test_run();
}
