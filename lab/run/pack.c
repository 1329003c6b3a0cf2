// SPDX-License-Identifier: GPL-2.0-only
#include "run/pack.h"

#include <string.h>

/*
 * Resident beside the guest's memory: 88 to 160 MiB were measured in QEMU under TCG with 2 to 224
 * vCPUs; the rest is for the worker with its libvirt.
 */
#define QEMU_MIB 224

#define TCG_VCPUS_PER_CPU 64
#define KVM_VCPUS_PER_CPU 128

struct pack_load pack_guest(const struct topo *topo)
{
	return (struct pack_load){
		.guests = 1,
		.vcpus = topo_n_cpus(topo),
		.memory_mib = (guint64)QEMU_MIB + topo_memory_mib(topo),
	};
}

/* "MemAvailable:   22887640 kB", meminfo_proc_show() in fs/proc/meminfo.c */
static guint64 memory_available_mib(struct root *root)
{
	static const char label[] = "\nMemAvailable:";
	g_autofree char *text = root_read(root, NULL, "proc/meminfo");
	const char *line = text ? strstr(text, label) : NULL;
	guint64 kib = line ? g_ascii_strtoull(line + strlen(label), NULL, 10) : 0;

	return kib ? kib / 1024 : G_MAXUINT64;
}

static unsigned vcpus_per_cpu(enum emit_accel accel)
{
	switch (accel) {
	case EMIT_ACCEL_TCG:
		return TCG_VCPUS_PER_CPU;
	case EMIT_ACCEL_KVM:
	case EMIT_ACCEL_COUNT:
		return KVM_VCPUS_PER_CPU;
	}
	return TCG_VCPUS_PER_CPU;
}

struct pack_load pack_limit(struct root *root, unsigned guests, unsigned host_cpus,
			    enum emit_accel accel)
{
	return (struct pack_load){
		.guests = guests,
		.vcpus = host_cpus * vcpus_per_cpu(accel),
		.memory_mib = memory_available_mib(root),
	};
}

static bool fits(const struct pack_load *limit, const struct pack_load *running,
		 const struct pack_load *guest)
{
	return running->guests + guest->guests <= limit->guests &&
	       running->vcpus + guest->vcpus <= limit->vcpus &&
	       running->memory_mib + guest->memory_mib <= limit->memory_mib;
}

int pack_next(const struct pack_load *limit, const struct pack_load *running,
	      const struct pack_load *waiting, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (running->guests == 0 || fits(limit, running, &waiting[i]))
			return (int)i;
	return -1;
}

void pack_add(struct pack_load *running, const struct pack_load *guest)
{
	running->guests += guest->guests;
	running->vcpus += guest->vcpus;
	running->memory_mib += guest->memory_mib;
}

void pack_remove(struct pack_load *running, const struct pack_load *guest)
{
	running->guests -= guest->guests;
	running->vcpus -= guest->vcpus;
	running->memory_mib -= guest->memory_mib;
}
