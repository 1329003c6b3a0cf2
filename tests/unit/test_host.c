// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/host.h"

#include "members.h"

#include <string.h>
#include <x86intrin.h>

static char *model_in(const char *cpuinfo)
{
	AUTO(root) *root = cpuinfo ? root_of("proc/cpuinfo", cpuinfo, NULL) : root_of(NULL, NULL);

	return host_cpu_model(root);
}

/* The lines as show_cpuinfo() of arch/x86/kernel/cpu/proc.c prints them. */
static void test_model(void)
{
	g_autofree char *two = model_in("processor\t: 0\n"
					"model\t\t: 1\n"
					"model name\t: AMD EPYC 7763 64-Core Processor\n"
					"stepping\t: 1\n\n"
					"processor\t: 1\n"
					"model name\t: another\n");
	g_autofree char *cut = model_in("model name\t: AMD");

	g_assert_cmpstr(two, ==, "AMD EPYC 7763 64-Core Processor");
	g_assert_cmpstr(cut, ==, "AMD");
}

static void test_none(void)
{
	g_autofree char *no_name = model_in("processor\t: 0\nmodel\t\t: 1\n");
	g_autofree char *no_file = model_in(NULL);

	g_assert_cmpstr(no_name, ==, "unknown CPU");
	g_assert_cmpstr(no_file, ==, "unknown CPU");
}

/* Against ten times as long a measurement; a TSC that may change its speed has none. */
static void test_tsc(void)
{
	AUTO(root) *root = root_new_dir("/");
	AUTO(root) *constant = root_of("proc/cpuinfo", "flags\t\t: fpu constant_tsc nopl\n", NULL);
	AUTO(root) *changing = root_of("proc/cpuinfo", "flags\t\t: fpu tsc nopl\n", NULL);
	gint64 begun = g_get_monotonic_time();
	guint64 tsc = __rdtsc();
	double khz;

	g_usleep(200000);
	khz = (double)(__rdtsc() - tsc) * 1e3 / (double)(g_get_monotonic_time() - begun);
	/* A busy host may take the CPU away between two of these lines: 10 ms of 200. */
	g_assert_cmpfloat_with_epsilon(host_tsc_khz(constant), khz, khz / 20);
	g_assert_cmpuint(host_tsc_khz(constant) % 1000, ==, 0);
	g_assert_cmpuint(host_tsc_khz(changing), ==, 0);
	g_assert_true(host_tsc_khz(root) == 0 || host_tsc_khz(root) == host_tsc_khz(constant));
}

static void test_system(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(host_check_system("Linux", "x86_64", NULL));
	g_assert_false(host_check_system("Linux", "i686", NULL));
	g_assert_false(host_check_system("Darwin", "x86_64", NULL));
	g_assert_false(host_check_system("Linux", "aarch64", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpstr(error->message, ==,
			"this is Linux on aarch64, and topolab needs Linux on x86-64");
}

/* Each of the three is missed alone, by its own name, with what to do. */
static void test_mounts(void)
{
	static const char *const files[] = {"proc/cpuinfo", "sys/devices/system/cpu/online",
					    "dev/null"};
	static const char *const sentences[] = {
		"'/proc' is not mounted here ('/proc/cpuinfo' is missing), and QEMU and libvirt "
		"need it; for a chroot in FOLDER, 'mount -t proc proc FOLDER/proc' outside of it "
		"brings it in",
		"'/sys' is not mounted here ('/sys/devices/system/cpu/online' is missing), and "
		"QEMU and libvirt need it; for a chroot in FOLDER, 'mount --rbind /sys FOLDER/sys' "
		"outside of it brings it in",
		"'/dev' is not mounted here ('/dev/null' is missing), and QEMU and libvirt need "
		"it; for a chroot in FOLDER, 'mount --rbind /dev FOLDER/dev' outside of it brings "
		"it in"};
	g_autoptr(GHashTable) members = members_new();
	AUTO(root) *whole = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		members_add(members, files[i], "0");
	whole = members_root(members);
	g_assert_true(host_check_mounts(whole, NULL));
	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(root) *root = NULL;

		members_remove(members, files[i]);
		root = members_root(members);
		g_assert_false(host_check_mounts(root, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_cmpstr(error->message, ==, sentences[i]);
		members_add(members, files[i], "0");
	}
}

/* The form of /proc/meminfo: fs/proc/meminfo.c */
#define MEMINFO                                                                                    \
	"MemTotal:       16331712 kB\n"                                                            \
	"MemFree:          812344 kB\n"                                                            \
	"MemAvailable:    8388608 kB\n"
#define GIB ((guint64)1 << 30)

static void assert_memory(struct root *made, guint64 expected)
{
	AUTO(root) *root = made;

	g_assert_cmpuint(host_memory_available(root), ==, expected);
}

static void test_memory(void)
{
	assert_memory(root_of("proc/cpuinfo", "", NULL), 0);
	assert_memory(root_of("proc/meminfo", MEMINFO, NULL), 8 * GIB);
	/* A container's group, as its own namespace shows it: 4 GiB allowed, 1 used. */
	assert_memory(root_of("proc/meminfo", MEMINFO, "proc/self/cgroup", "0::/\n",
			      "sys/fs/cgroup/memory.max", "4294967296\n",
			      "sys/fs/cgroup/memory.current", "1073741824\n", NULL),
		      3 * GIB);
	/* The group around ours allows less than ours; version 1's lines are not looked at. */
	assert_memory(root_of("proc/meminfo", MEMINFO, "proc/self/cgroup",
			      "12:memory:/x\n0::/a.slice/b.scope\n",
			      "sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n",
			      "sys/fs/cgroup/a.slice/b.scope/memory.current", "0\n",
			      "sys/fs/cgroup/a.slice/memory.max", "2147483648\n",
			      "sys/fs/cgroup/a.slice/memory.current", "1073741824\n", NULL),
		      1 * GIB);
	/* More than the machine has limits nothing; more used than allowed leaves nothing. */
	assert_memory(root_of("proc/meminfo", MEMINFO, "proc/self/cgroup", "0::/\n",
			      "sys/fs/cgroup/memory.max", "99999999999999\n",
			      "sys/fs/cgroup/memory.current", "1\n", NULL),
		      8 * GIB);
	assert_memory(root_of("proc/meminfo", MEMINFO, "proc/self/cgroup", "0::/\n",
			      "sys/fs/cgroup/memory.max", "4096\n", "sys/fs/cgroup/memory.current",
			      "8192\n", NULL),
		      0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/host/cpu-model", test_model);
	g_test_add_func("/host/tsc", test_tsc);
	g_test_add_func("/host/no-cpu-model", test_none);
	g_test_add_func("/host/system", test_system);
	g_test_add_func("/host/mounts", test_mounts);
	g_test_add_func("/host/memory", test_memory);
	return g_test_run();
}
