// SPDX-License-Identifier: GPL-2.0-only
#include "guest/gather.h"

#include "guest/archive.h"
#include "guest/cpuid.h"
#include "guest/steps.h"

#include "base/steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As many as topolab's CPU sets hold (CPUS_MAX). */
#define CPUS_LIMIT 8192
/* Of one file. Nothing we gather comes near, even with 4096 CPUs. */
#define FILE_LIMIT (32u << 20)
#define KMSG_LIMIT (32u << 20)
/* The kernel's CONSOLE_EXT_LOG_MAX is 8 KiB, its PRINTKRB_RECORD_MAX 1 KiB. */
#define KMSG_RECORD 16384

struct gather {
	struct archive *archive;
	struct text scratch; /* one file at a time */
};

/*
 * Files of equal name in many folders. What is missing is noted once for each name: on some
 * kernels a file is absent for every CPU.
 */
struct file_list {
	const char *const *names;
	unsigned n_names;
	unsigned missing[16]; /* for each name: in how many folders */
};

#define FILE_LIST(array)                                                                           \
	{                                                                                          \
		.names = (array), .n_names = COUNT(array)                                          \
	}

/* Appends a whole file to @scratch; returns 0 or an errno value. */
static int file_read(struct text *scratch, int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int result = 0;

	scratch->length = 0;
	if (fd < 0)
		return errno;
	for (;;) {
		ssize_t n;

		text_reserve(scratch, 65536);
		n = read(fd, scratch->data + scratch->length, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			result = n < 0 ? errno : 0;
			break;
		}
		scratch->length += (size_t)n;
		if (scratch->length > FILE_LIMIT) {
			result = EFBIG;
			break;
		}
	}
	close(fd);
	return result;
}

/*
 * The same for an attribute of sysfs or debugfs, which comes in one read(): there are thousands of
 * them, and another read() only to see the end would be a quarter of the cost.
 */
static int attribute_read(struct text *scratch, int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int result = 0;
	ssize_t n;

	scratch->length = 0;
	if (fd < 0)
		return errno;
	text_reserve(scratch, 65536);
	n = read(fd, scratch->data, 65536);
	if (n < 0)
		result = errno;
	else if (n == 65536)
		result = EFBIG;
	else
		scratch->length = (size_t)n;
	close(fd);
	return result;
}

/* Adds what was read from @prefix/@name, or why not; returns 0 when it was missing. */
static int file_keep(struct gather *gather, int problem, const char *prefix, const char *name)
{
	char path[512];

	if (strlen(prefix) + strlen(name) + 2 > sizeof(path))
		problem = ENAMETOOLONG;
	else
		stpcpy(stpcpy(stpcpy(path, prefix), "/"), name);
	if (problem == ENOENT || problem == ENOTDIR)
		return 0;
	if (problem)
		archive_note(gather->archive, "error: %s/%s: %s", prefix, name, strerror(problem));
	else
		archive_add(gather->archive, path, gather->scratch.data, gather->scratch.length);
	return 1;
}

static int file_add(struct gather *gather, int folder, const char *prefix, const char *name)
{
	return file_keep(gather, file_read(&gather->scratch, folder, name), prefix, name);
}

static int attribute_add(struct gather *gather, int folder, const char *prefix, const char *name)
{
	return file_keep(gather, attribute_read(&gather->scratch, folder, name), prefix, name);
}

/* @names: relative to the folder /@prefix. */
static void files_add(struct gather *gather, const char *prefix, const char *const *names,
		      unsigned n_names)
{
	char path[512];
	int folder;

	snprintf(path, sizeof(path), "/%s", prefix);
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < n_names; i++)
		if (folder < 0 || !file_add(gather, folder, prefix, names[i]))
			archive_note(gather->archive, "missing: %s/%s", prefix, names[i]);
	if (folder >= 0)
		close(folder);
}

/* The files of @list in the folder @name of @parent. Returns 0 when there is no such folder. */
static int list_add(struct gather *gather, struct file_list *list, int parent, const char *prefix,
		    const char *name)
{
	int folder = openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[512];

	if (folder < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", prefix, name);
	for (unsigned i = 0; i < list->n_names; i++)
		if (!attribute_add(gather, folder, path, list->names[i]))
			list->missing[i]++;
	close(folder);
	return 1;
}

static void list_note(struct gather *gather, const struct file_list *list, const char *prefix)
{
	for (unsigned i = 0; i < list->n_names; i++)
		if (list->missing[i])
			archive_note(gather->archive, "missing: %s/%s in %u folders", prefix,
				     list->names[i], list->missing[i]);
}

/* Reads a list such as "0-7,128-135"; returns how many numbers it stored. */
static unsigned numbers_read(struct gather *gather, const char *path, unsigned *numbers,
			     unsigned limit)
{
	const char *p;
	unsigned n = 0;

	if (file_read(&gather->scratch, AT_FDCWD, path) != 0 || gather->scratch.length == 0)
		return 0;
	gather->scratch.data[gather->scratch.length] = '\0';
	for (p = gather->scratch.data; *p >= '0' && *p <= '9';) {
		char *end;
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long i = first; i <= last && n < limit; i++)
			numbers[n++] = (unsigned)i;
		p = *end == ',' ? end + 1 : end;
	}
	return n;
}

static unsigned cpus[CPUS_LIMIT], n_cpus;

static void gather_proc(struct gather *gather)
{
	static const char *const names[] = {
		"version", "cmdline", "sys/kernel/osrelease", "cpuinfo", "schedstat", "config.gz",
	};

	files_add(gather, "proc", names, COUNT(names));
}

static void gather_cpus(struct gather *gather)
{
	static const char *const global[] = {
		"online",     "possible",    "present",	   "isolated",
		"smt/active", "smt/control", "kernel_max",
	};
	static const char *const topology_names[] = {
		"physical_package_id",	"die_id",	 "core_id",	      "cluster_id",
		"core_cpus_list",	"die_cpus_list", "cluster_cpus_list", "package_cpus_list",
		"thread_siblings_list",
	};
	static const char *const cache_names[] = {"level", "type", "size", "id", "shared_cpu_list"};
	struct file_list topology = FILE_LIST(topology_names), cache = FILE_LIST(cache_names);
	const char *prefix = "sys/devices/system/cpu";
	int folder = open("/sys/devices/system/cpu", O_PATH | O_DIRECTORY | O_CLOEXEC);

	files_add(gather, prefix, global, COUNT(global));
	for (unsigned i = 0; i < n_cpus; i++) {
		char name[64];

		snprintf(name, sizeof(name), "cpu%u/topology", cpus[i]);
		if (!list_add(gather, &topology, folder, prefix, name))
			archive_note(gather->archive, "missing: %s/%s", prefix, name);
		for (unsigned index = 0;; index++) {
			snprintf(name, sizeof(name), "cpu%u/cache/index%u", cpus[i], index);
			if (!list_add(gather, &cache, folder, prefix, name))
				break;
		}
	}
	list_note(gather, &topology, "sys/devices/system/cpu/cpuN/topology");
	list_note(gather, &cache, "sys/devices/system/cpu/cpuN/cache/indexM");
	close(folder);
}

static void gather_nodes(struct gather *gather)
{
	static const char *const global[] = {"online", "possible", "has_cpu", "has_memory"};
	static const char *const node_names[] = {"cpulist", "distance", "meminfo"};
	struct file_list list = FILE_LIST(node_names);
	const char *prefix = "sys/devices/system/node";
	int folder = open("/sys/devices/system/node", O_PATH | O_DIRECTORY | O_CLOEXEC);
	static unsigned nodes[1024];
	unsigned n = numbers_read(gather, "/sys/devices/system/node/online", nodes, COUNT(nodes));

	files_add(gather, prefix, global, COUNT(global));
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "node%u", nodes[i]);
		if (!list_add(gather, &list, folder, prefix, name))
			archive_note(gather->archive, "missing: %s/%s", prefix, name);
	}
	list_note(gather, &list, "sys/devices/system/node/nodeN");
	close(folder);
}

/* max_newidle_lb_cost is left out: it changes by itself, and nothing judges it. */
static void gather_domains(struct gather *gather)
{
	static const char *const global[] = {"features", "verbose", "preempt"};
	static const char *const names[] = {
		"name",		"flags",	"level",	 "groups_flags",
		"min_interval", "max_interval", "imbalance_pct", "cache_nice_tries",
		"busy_factor",
	};
	struct file_list list = FILE_LIST(names);
	const char *prefix = "sys/kernel/debug/sched/domains";
	int folder = open("/sys/kernel/debug/sched/domains", O_PATH | O_DIRECTORY | O_CLOEXEC);

	files_add(gather, "sys/kernel/debug/sched", global, COUNT(global));
	if (folder < 0) {
		archive_note(gather->archive, "missing: %s", prefix);
		return;
	}
	for (unsigned i = 0; i < n_cpus; i++) {
		for (unsigned index = 0;; index++) {
			char name[64];

			snprintf(name, sizeof(name), "cpu%u/domain%u", cpus[i], index);
			if (!list_add(gather, &list, folder, prefix, name))
				break;
		}
	}
	list_note(gather, &list, "sys/kernel/debug/sched/domains/cpuN/domainM");
	close(folder);
}

static void gather_topo(struct gather *gather)
{
	static const char *const global[] = {"domains"};
	const char *prefix = "sys/kernel/debug/x86/topo";
	int folder = open("/sys/kernel/debug/x86/topo", O_PATH | O_DIRECTORY | O_CLOEXEC);
	unsigned missing = 0;

	files_add(gather, prefix, global, COUNT(global));
	if (folder < 0)
		return;
	for (unsigned i = 0; i < n_cpus; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cpus/%u", cpus[i]);
		if (!attribute_add(gather, folder, prefix, name))
			missing++;
	}
	if (missing)
		archive_note(gather->archive, "missing: %s/cpus in %u files", prefix, missing);
	close(folder);
}

static void gather_tables(struct gather *gather)
{
	static const char *const names[] = {"APIC", "SRAT", "SLIT", "HMAT", "FACP"};

	files_add(gather, "sys/firmware/acpi/tables", names, COUNT(names));
}

/*
 * CPUs of another cpuset partition are out of reach until one is in its cgroup; "." is the root's,
 * which has those that no partition took.
 */
static int cpu_enter_partition(size_t size, const cpu_set_t *set)
{
	DIR *groups = opendir("/sys/fs/cgroup");
	struct dirent *entry;
	int result = -1;

	while (groups && result != 0 && (entry = readdir(groups))) {
		char path[sizeof(entry->d_name) + 16];
		int fd;

		if (entry->d_type != DT_DIR || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/cgroup.procs", entry->d_name);
		fd = openat(dirfd(groups), path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, "0", 1) == 1)
			result = sched_setaffinity(0, size, set);
		close(fd);
	}
	if (groups)
		closedir(groups);
	return result;
}

static int cpu_enter(size_t size, const cpu_set_t *set)
{
	return sched_setaffinity(0, size, set) == 0 ? 0 : cpu_enter_partition(size, set);
}

static void gather_cpuid(struct gather *gather)
{
	static const char info[] = "Architecture: x86\n";
	cpu_set_t *set = CPU_ALLOC(CPUS_LIMIT);
	size_t size = CPU_ALLOC_SIZE(CPUS_LIMIT);

	for (unsigned i = 0; set && i < n_cpus; i++) {
		char path[32];

		snprintf(path, sizeof(path), "cpuid/pu%u", cpus[i]);
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpus[i], size, set);
		if (cpu_enter(size, set) != 0) {
			archive_note(gather->archive, "error: %s: %s", path, strerror(errno));
			continue;
		}
		gather->scratch.length = 0;
		cpuid_dump(&gather->scratch);
		archive_add(gather->archive, path, gather->scratch.data, gather->scratch.length);
	}
	CPU_FREE(set);
	archive_add(gather->archive, "cpuid/hwloc-cpuid-info", info, sizeof(info) - 1);
}

/* Every record as the kernel gives it; each read() returns one, and EPIPE when some were lost. */
static void gather_log(struct gather *gather)
{
	struct text *log = &gather->scratch;
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		archive_note(gather->archive, "missing: kmsg");
		return;
	}
	log->length = 0;
	while (log->length < KMSG_LIMIT) {
		ssize_t n;

		text_reserve(log, KMSG_RECORD);
		n = read(fd, log->data + log->length, KMSG_RECORD);
		if (n > 0) {
			log->length += (size_t)n;
		} else if (n < 0 && errno == EPIPE) {
			archive_note(gather->archive, "error: kmsg: records were overwritten");
		} else if (n == 0 || errno != EINTR) {
			if (n < 0 && errno != EAGAIN)
				archive_note(gather->archive, "error: kmsg: %s", strerror(errno));
			break;
		}
	}
	if (log->length >= KMSG_LIMIT)
		archive_note(gather->archive, "error: kmsg: more than %u bytes", KMSG_LIMIT);
	archive_add(gather->archive, "kmsg", log->data, log->length);
	close(fd);
}

struct phase {
	const char *name;
	void (*run)(struct gather *gather);
};

/* The log comes last, so that it holds whatever the other phases made the kernel say. */
static const struct phase phases[] = {
	{"proc", gather_proc},	     {"cpus", gather_cpus}, {"nodes", gather_nodes},
	{"domains", gather_domains}, {"topo", gather_topo}, {"tables", gather_tables},
	{"cpuid", gather_cpuid},     {"log", gather_log},
};

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct text gather_evidence(void)
{
	struct gather gather = {.archive = archive_new()};
	struct text out;

	steps_take(&gather.scratch);
	if (gather.scratch.length)
		archive_add(gather.archive, STEPS_MEMBER, gather.scratch.data,
			    gather.scratch.length);
	n_cpus = numbers_read(&gather, "/sys/devices/system/cpu/online", cpus, CPUS_LIMIT);
	for (unsigned i = 0; i < COUNT(phases); i++) {
		long start = now_ms();

		phases[i].run(&gather);
		archive_note(gather.archive, "milliseconds: %s %ld", phases[i].name,
			     now_ms() - start);
	}
	out = archive_finish(gather.archive);
	text_free(&gather.scratch);
	return out;
}
