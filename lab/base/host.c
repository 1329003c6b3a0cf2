// SPDX-License-Identifier: GPL-2.0-only
#include "base/host.h"

#include "base/error.h"

#include <string.h>
#include <time.h>
#include <x86intrin.h>

bool host_check_system(const char *system, const char *machine, GError **error)
{
	if (strcmp(system, "Linux") == 0 && strcmp(machine, "x86_64") == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "this is %s on %s, and topolab needs Linux on x86-64", system, machine);
	return false;
}

bool host_check_mounts(struct root *root, GError **error)
{
	/* A file that each of them always has, and how it comes into a chroot from outside. */
	static const struct {
		const char *folder, *file, *mount;
	} mounts[] = {
		{"/proc", "proc/cpuinfo", "mount -t proc proc FOLDER/proc"},
		{"/sys", "sys/devices/system/cpu/online", "mount --rbind /sys FOLDER/sys"},
		{"/dev", "dev/null", "mount --rbind /dev FOLDER/dev"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(mounts); i++) {
		if (root_has(root, "%s", mounts[i].file))
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'%s' is not mounted here ('/%s' is missing), and QEMU and libvirt "
			    "need it; for a chroot in FOLDER, '%s' outside of it brings it in",
			    mounts[i].folder, mounts[i].file, mounts[i].mount);
		return false;
	}
	return true;
}

char *host_cpu_model(struct root *root)
{
	/* show_cpuinfo(), arch/x86/kernel/cpu/proc.c */
	static const char label[] = "model name\t: ";
	g_autofree char *text = root_read(root, NULL, "proc/cpuinfo");
	const char *model = text ? strstr(text, label) : NULL;

	if (!model)
		return g_strdup("unknown CPU");
	model += strlen(label);
	return g_strndup(model, strcspn(model, "\n"));
}

/* The TSC at a moment of CLOCK_MONOTONIC. */
struct tsc_moment {
	guint64 tsc;
	gint64 ns;
};

static gint64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Of some readings that of which is best known when it was: nothing came between. */
static struct tsc_moment tsc_read(void)
{
	struct tsc_moment best = {0};
	gint64 least = G_MAXINT64;

	for (unsigned i = 0; i < 16; i++) {
		gint64 before = monotonic_ns();
		guint64 tsc = __rdtsc();
		gint64 after = monotonic_ns();

		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct tsc_moment){.tsc = tsc, .ns = before + least / 2};
	}
	return best;
}

unsigned host_tsc_khz(struct root *root)
{
	g_autofree char *text = root_read(root, NULL, "proc/cpuinfo");
	struct tsc_moment first, last;
	double khz;

	if (!text || !strstr(text, " constant_tsc "))
		return 0;
	first = tsc_read();
	g_usleep(20000);
	last = tsc_read();
	khz = (double)(last.tsc - first.tsc) * 1e6 / (double)(last.ns - first.ns);
	return (unsigned)(khz / 1000 + 0.5) * 1000;
}

/* What @text has behind "@label:", in bytes; 0 when it has none. proc_meminfo(5): always in kB. */
static guint64 meminfo_bytes(const char *text, const char *label)
{
	const char *line = text ? strstr(text, label) : NULL;

	return line ? g_ascii_strtoull(line + strlen(label), NULL, 10) * 1024 : 0;
}

/* What is left in one control group; G_MAXUINT64 without a limit. */
static guint64 cgroup_left(struct root *root, const char *group)
{
	gint64 max = 0, current = 0;

	/* "max" is no number: no limit. cgroup-v2.rst, "Memory Interface Files" */
	if (!root_read_number(root, &max, NULL, "sys/fs/cgroup%s/memory.max", group) ||
	    !root_read_number(root, &current, NULL, "sys/fs/cgroup%s/memory.current", group))
		return G_MAXUINT64;
	return max > current ? (guint64)(max - current) : 0;
}

/* The least that this process's group and the groups around it have left. */
static guint64 cgroups_left(struct root *root)
{
	g_autofree char *groups = root_read(root, NULL, "proc/self/cgroup");
	const char *line = groups ? strstr(groups, "0::/") : NULL;
	g_autofree char *group = NULL;
	guint64 left = G_MAXUINT64;

	if (!line)
		return left;
	line += strlen("0::");
	group = g_strndup(line, strcspn(line, "\n"));
	for (;;) {
		guint64 here = cgroup_left(root, strcmp(group, "/") == 0 ? "" : group);
		char *slash = strrchr(group, '/');

		left = MIN(left, here);
		if (group[0] != '/' || group[1] == '\0')
			return left;
		/* The parent, and last of all "/". */
		slash[slash == group ? 1 : 0] = '\0';
	}
}

guint64 host_memory_available(struct root *root)
{
	g_autofree char *meminfo = root_read(root, NULL, "proc/meminfo");
	guint64 available = meminfo_bytes(meminfo, "MemAvailable:");

	return MIN(available, cgroups_left(root));
}
