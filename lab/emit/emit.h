/* SPDX-License-Identifier: GPL-2.0-only */
/* Machine -> what QEMU and libvirt need to make it: domain XML, ACPI tables, command line. Pure. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "topo/firmware.h"
#include "topo/topo.h"

#include <glib.h>
#include <stdbool.h>

enum emit_accel { EMIT_ACCEL_TCG, EMIT_ACCEL_KVM, EMIT_ACCEL_COUNT };
const char *emit_accel_name(enum emit_accel accel); /* "tcg", "kvm" */
bool emit_accel_from_name(const char *name, enum emit_accel *accel);

/* The parts of a domain that do not follow from the machine. */
struct emit_domain {
	const char *name;	  /* libvirt's domain name */
	const char *kernel_path;  /* absolute */
	const char *initrd_path;  /* absolute */
	const char *command_line; /* whole kernel command line */
	enum emit_accel accel;
	bool in_turn; /* TCG: the vCPUs run one after the other, in one thread of the host's */
	/*
	 * Absolute folder for the serial ports' Unix sockets, from which what a guest said last can
	 * be read when it is gone. NULL: pseudo terminals, which libvirt reaches on any host.
	 */
	const char *socket_folder;
	/* Absolute path for a virtio-serial port "topolab.1", for commands; NULL: no such port. */
	const char *command_socket;
	/*
	 * A kernel with FW_CFG_SYSFS tells QEMU where its VMCOREINFO lies, which goes into dumps of
	 * the guest's memory: drivers/firmware/qemu_fw_cfg.c
	 */
	bool vmcoreinfo;
};

/*
 * libvirt domain XML. Channels: serial port 0 is the console, serial port 1 and the virtio-serial
 * port "topolab.0" carry the agent's records; the agent picks one. virDomainOpenConsole() knows the
 * serial ports as "serial0" and "serial1", virDomainOpenChannel() the other as "topolab.0".
 *
 * ERROR_INPUT: the command line is longer than a kernel takes, or holds what XML cannot carry.
 */
char *emit_domain_xml(const struct topo *topo, const struct emit_domain *domain, GError **error);

/* Boot arguments for speed and for what observe/ reads, then the machine's own. */
char *emit_command_line(const struct topo *topo, enum emit_accel accel);

/*
 * Has the machine APIC ids that only x2APIC with interrupt remapping can address? QEMU and libvirt
 * ask for it as soon as an empty position has one.
 */
bool emit_has_wide_apic_ids(const struct topo *topo);
/* Does a die of it hold several groups of cores that share a cache? QEMU calls those modules. */
bool emit_has_modules(const struct topo *topo);
/*
 * The table as the machine's guest has it, ready to replace QEMU's through the initrd (ACPI 6.5
 * section 5.2; only a HMAT replaces nothing). NULL: the machine has no such table.
 */
GBytes *emit_table(const struct topo *topo, enum topo_table table);

#endif
