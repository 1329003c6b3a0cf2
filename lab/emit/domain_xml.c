// SPDX-License-Identifier: GPL-2.0-only
/* libvirt's domain XML, https://libvirt.org/formatdomain.html; libxml2 does the escaping. */
#include "base/error.h"
#include "emit/emit.h"
#include "emit/emit_priv.h"

#include <libxml/xmlwriter.h>
#include <string.h>

#define QEMU_NAMESPACE "http://libvirt.org/schemas/domain/qemu/1.0"

/* COMMAND_LINE_SIZE of arch/x86/include/asm/setup.h; the kernel cuts what is longer. */
#define COMMAND_LINE_MAX 2047

/* libxml2's strings are UTF-8 in unsigned characters; its own BAD_CAST drops const. */
static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

static void write_open(xmlTextWriter *writer, const char *name)
{
	xmlTextWriterStartElement(writer, xml(name));
}

static void write_close(xmlTextWriter *writer)
{
	xmlTextWriterEndElement(writer);
}

static void write_attribute(xmlTextWriter *writer, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(writer, xml(name), xml(value));
}

static void write_number(xmlTextWriter *writer, const char *name, unsigned value)
{
	xmlTextWriterWriteFormatAttribute(writer, xml(name), "%u", value);
}

static void write_text(xmlTextWriter *writer, const char *name, const char *text)
{
	xmlTextWriterWriteElement(writer, xml(name), xml(text));
}

/* An element without content: pairs of attribute name and value. */
static void write_empty(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;

static void write_empty(xmlTextWriter *writer, const char *name, ...)
{
	const char *attribute;
	va_list list;

	write_open(writer, name);
	va_start(list, name);
	while ((attribute = va_arg(list, const char *)))
		write_attribute(writer, attribute, va_arg(list, const char *));
	va_end(list);
	write_close(writer);
}

static void write_memory(xmlTextWriter *writer, const struct topo *topo)
{
	write_open(writer, "memory");
	write_attribute(writer, "unit", "MiB");
	xmlTextWriterWriteFormatString(writer, "%u", topo_memory_mib(topo));
	write_close(writer);
}

static void write_boot(xmlTextWriter *writer, const struct emit_domain *domain)
{
	write_open(writer, "os");
	write_open(writer, "type");
	write_attribute(writer, "arch", "x86_64");
	write_attribute(writer, "machine", "q35");
	xmlTextWriterWriteString(writer, xml("hvm"));
	write_close(writer);
	write_text(writer, "kernel", domain->kernel_path);
	write_text(writer, "initrd", domain->initrd_path);
	write_text(writer, "cmdline", domain->command_line);
	write_close(writer);
}

/* libvirt 11 adds what wide APIC ids need by itself, 9.0 and 10.0 do not. */
static void write_features(xmlTextWriter *writer, const struct topo *topo,
			   const struct emit_domain *domain)
{
	write_open(writer, "features");
	write_empty(writer, "acpi", NULL);
	write_empty(writer, "apic", NULL);
	if (emit_has_wide_apic_ids(topo))
		write_empty(writer, "ioapic", "driver", "qemu", NULL);
	/* SMM gives each vCPU a second address space: 256 take QEMU 10.6 s to start, else 2.0. */
	write_empty(writer, "smm", "state", "off", NULL);
	if (domain->vmcoreinfo)
		write_empty(writer, "vmcoreinfo", "state", "on", NULL);
	write_close(writer);
}

/*
 * vCPU indices: libvirt knows nothing of the numbers that Linux will give them. Empty positions are
 * in some node, too: QEMU warns of those that are in none, and puts them into the SRAT all the
 * same.
 */
static char *node_vcpus(const struct topo *topo, unsigned node)
{
	AUTO(cpus) *vcpus = cpus_new();

	for (unsigned vcpu = 0; vcpu < topo_n_vcpus(topo); vcpu++)
		if (topo_node_of_vcpu(topo, vcpu) == node)
			cpus_add(vcpus, vcpu);
	return cpus_to_list(vcpus);
}

/* All of them, both ways: libvirt mirrors what is missing without a word. */
static void write_distances(xmlTextWriter *writer, const struct topo *topo, unsigned from)
{
	write_open(writer, "distances");
	for (unsigned to = 0; to < topo_n_nodes(topo); to++) {
		write_open(writer, "sibling");
		write_number(writer, "id", to);
		write_number(writer, "value", topo_distance(topo, from, to));
		write_close(writer);
	}
	write_close(writer);
}

/* With distances between them QEMU writes a SLIT. */
static void write_numa(xmlTextWriter *writer, const struct topo *topo)
{
	unsigned n_slit;

	topo_slit(topo, &n_slit);
	write_open(writer, "numa");
	for (unsigned node = 0; node < topo_n_nodes(topo); node++) {
		g_autofree char *vcpus = node_vcpus(topo, node);

		write_open(writer, "cell");
		write_number(writer, "id", node);
		if (*vcpus)
			write_attribute(writer, "cpus", vcpus);
		write_number(writer, "memory", topo_node_memory_mib(topo, node));
		write_attribute(writer, "unit", "MiB");
		if (n_slit || topo_n_nodes(topo) == 1)
			write_distances(writer, topo, node);
		write_close(writer);
	}
	write_close(writer);
}

/*
 * With empty positions QEMU starts with the boot CPU, and libvirt plugs in the others that are
 * there before the guest runs. It knows nothing of modules and would plug in the CPUs of others; a
 * machine of modules has a vCPU at every position, and those that the MADT does not list are never
 * started.
 */
static void write_vcpus(xmlTextWriter *writer, const struct topo *topo)
{
	unsigned n = topo_n_vcpus(topo);
	bool plugged = n != topo_n_cpus(topo) && emit_shape(topo).modules == 1;

	write_open(writer, "vcpu");
	if (plugged)
		write_number(writer, "current", topo_n_cpus(topo));
	xmlTextWriterWriteFormatString(writer, "%u", n);
	write_close(writer);
	if (!plugged)
		return;
	write_open(writer, "vcpus");
	for (unsigned vcpu = 0; vcpu < n; vcpu++) {
		write_open(writer, "vcpu");
		write_number(writer, "id", vcpu);
		write_attribute(writer, "enabled",
				topo_cpu_of_vcpu(topo, vcpu) >= 0 ? "yes" : "no");
		write_attribute(writer, "hotpluggable", vcpu ? "yes" : "no");
		write_close(writer);
	}
	write_close(writer);
}

/* Only the shape is libvirt's to say; the processor itself is in write_qemu_arguments(). */
static void write_cpu(xmlTextWriter *writer, const struct topo *topo)
{
	struct emit_shape shape = emit_shape(topo);

	write_open(writer, "cpu");
	write_attribute(writer, "mode", "maximum");
	write_attribute(writer, "check", "none");
	write_open(writer, "topology");
	write_number(writer, "sockets", shape.sockets);
	write_number(writer, "dies", shape.dies);
	write_number(writer, "cores", shape.modules * shape.cores);
	write_number(writer, "threads", shape.threads);
	write_close(writer);
	write_numa(writer, topo);
	write_close(writer);
}

static void write_serial(xmlTextWriter *writer, const char *port, const char *socket_folder)
{
	g_autofree char *name = g_strconcat("serial", port, NULL);
	g_autofree char *path = socket_folder ? g_build_filename(socket_folder, name, NULL) : NULL;

	write_open(writer, "serial");
	write_attribute(writer, "type", path ? "unix" : "pty");
	if (path)
		write_empty(writer, "source", "mode", "bind", "path", path, NULL);
	write_empty(writer, "target", "type", "isa-serial", "port", port, NULL);
	write_close(writer);
}

/* virDomainOpenChannel() takes only unix channels; without @path libvirt chooses one. */
static void write_channel(xmlTextWriter *writer, const char *name, const char *path)
{
	write_open(writer, "channel");
	write_attribute(writer, "type", "unix");
	if (path)
		write_empty(writer, "source", "mode", "bind", "path", path, NULL);
	else
		write_empty(writer, "source", "mode", "bind", NULL);
	write_empty(writer, "target", "type", "virtio", "name", name, NULL);
	write_close(writer);
}

/* On the root bus: a PCIe port in front of it would be one more bridge to bring up. */
static void write_channel_controller(xmlTextWriter *writer)
{
	write_open(writer, "controller");
	write_attribute(writer, "type", "virtio-serial");
	write_attribute(writer, "index", "0");
	write_empty(writer, "address", "type", "pci", "domain", "0x0000", "bus", "0x00", "slot",
		    "0x03", "function", "0x0", NULL);
	write_close(writer);
}

static void write_interrupt_remapping(xmlTextWriter *writer)
{
	write_open(writer, "iommu");
	write_attribute(writer, "model", "intel");
	write_empty(writer, "driver", "intremap", "on", "eim", "on", NULL);
	write_close(writer);
}

static void write_devices(xmlTextWriter *writer, const struct topo *topo,
			  const struct emit_domain *domain)
{
	write_open(writer, "devices");
	write_empty(writer, "controller", "type", "usb", "model", "none", NULL);
	write_channel_controller(writer);
	write_serial(writer, "0", domain->socket_folder);
	write_serial(writer, "1", domain->socket_folder);
	write_channel(writer, "topolab.0", NULL);
	if (domain->command_socket)
		write_channel(writer, "topolab.1", domain->command_socket);
	write_empty(writer, "memballoon", "model", "none", NULL);
	if (emit_has_wide_apic_ids(topo))
		write_interrupt_remapping(writer);
	write_close(writer);
}

static void write_argument(xmlTextWriter *writer, const char *option, const char *value)
{
	write_empty(writer, "qemu:arg", "value", option, NULL);
	write_empty(writer, "qemu:arg", "value", value, NULL);
}

/* libvirt's shape has no modules; QEMU merges repeated -smp and -machine. */
static void write_modules(xmlTextWriter *writer, const struct emit_shape *shape)
{
	g_autofree char *smp = g_strdup_printf("modules=%u,cores=%u", shape->modules, shape->cores);
	g_autofree char *cache = NULL;

	if (!shape->module_cache)
		return;
	cache = g_strdup_printf("smp-cache.0.cache=%s,smp-cache.0.topology=module",
				shape->module_cache);
	write_argument(writer, "-smp", smp);
	write_argument(writer, "-machine", cache);
}

/* Of the guest's second each vCPU has so many: a tick of Linux's takes some ten thousand. */
#define VCPU_MIPS 7
/* 125 million in all: about what a core of a host does, so that both seconds last alike. */
#define SHIFT_MAX 3

/*
 * An accelerator's options have no XML, and a second -accel counts for nothing. With an instruction
 * counter QEMU runs all vCPUs in one thread, and the guest's clock follows what they execute, so
 * that a host that is busy costs the guest no time. 2^shift ns pass with each instruction.
 */
static void write_in_turn(xmlTextWriter *writer, const struct topo *topo)
{
	unsigned shift = SHIFT_MAX;
	g_autofree char *icount = NULL;

	while (shift && (1000u >> shift) < VCPU_MIPS * topo_n_cpus(topo))
		shift--;
	icount = g_strdup_printf("shift=%u", shift);
	write_argument(writer, "-icount", icount);
}

/*
 * Family, model, stepping and forced leaves have no XML. QEMU takes the last -cpu, and libvirt
 * writes these arguments last.
 */
static void write_qemu_arguments(xmlTextWriter *writer, const struct topo *topo,
				 const struct emit_domain *domain)
{
	struct emit_shape shape = emit_shape(topo);
	g_autofree char *cpu = emit_cpu(topo, domain->accel);

	write_open(writer, "qemu:commandline");
	write_modules(writer, &shape);
	if (domain->in_turn)
		write_in_turn(writer, topo);
	write_argument(writer, "-cpu", cpu);
	write_close(writer);
}

/*
 * libvirt would ask QEMU for every property of the guest's CPU, one by one, and QEMU's monitor
 * reads its commands byte by byte: 0.7 s of CPU time before the guest starts. Without this
 * capability it asks for the feature words at once.
 */
static void write_capabilities(xmlTextWriter *writer)
{
	write_open(writer, "qemu:capabilities");
	write_empty(writer, "qemu:del", "capability", "cpu-unavailable-features", NULL);
	write_close(writer);
}

static void write_domain(xmlTextWriter *writer, const struct topo *topo,
			 const struct emit_domain *domain)
{
	write_open(writer, "domain");
	write_attribute(writer, "type", domain->accel == EMIT_ACCEL_KVM ? "kvm" : "qemu");
	write_attribute(writer, "xmlns:qemu", QEMU_NAMESPACE);
	write_text(writer, "name", domain->name);
	write_memory(writer, topo);
	write_vcpus(writer, topo);
	write_boot(writer, domain);
	write_features(writer, topo, domain);
	write_cpu(writer, topo);
	/* A guest ends once, and how it ended is in the event; nothing starts again by itself. */
	write_text(writer, "on_poweroff", "destroy");
	write_text(writer, "on_reboot", "destroy");
	write_text(writer, "on_crash", "destroy");
	write_devices(writer, topo, domain);
	write_qemu_arguments(writer, topo, domain);
	write_capabilities(writer);
	write_close(writer);
}

static bool text_is_sane(const char *text)
{
	if (!g_utf8_validate(text, -1, NULL))
		return false;
	for (const char *at = text; *at; at = g_utf8_find_next_char(at, NULL)) {
		gunichar character = g_utf8_get_char(at);

		/* XML 1.0 section 2.2; of the control characters none belongs into these. */
		if (g_unichar_iscntrl(character) || (character & 0xfffe) == 0xfffe)
			return false;
	}
	return true;
}

static bool domain_check(const struct emit_domain *domain, GError **error)
{
	const char *const texts[] = {
		domain->name,	      domain->kernel_path,	   domain->initrd_path,
		domain->command_line, domain->socket_folder ?: "", domain->command_socket ?: ""};
	gsize length = strlen(domain->command_line);

	if (length > COMMAND_LINE_MAX) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "the kernel command line has %zu bytes, Linux takes %u", length,
			    COMMAND_LINE_MAX);
		return false;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		if (!text_is_sane(texts[i])) {
			g_autofree char *escaped = g_strescape(texts[i], NULL);

			g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
				    "'%s' holds a byte that the domain's XML cannot", escaped);
			return false;
		}
	}
	return true;
}

char *emit_domain_xml(const struct topo *topo, const struct emit_domain *domain, GError **error)
{
	xmlTextWriter *writer;
	xmlBuffer *buffer;
	char *text;

	if (!domain_check(domain, error))
		return NULL;
	buffer = xmlBufferCreate();
	writer = xmlNewTextWriterMemory(buffer, 0);
	xmlTextWriterSetIndent(writer, 1);
	xmlTextWriterSetIndentString(writer, xml("  "));
	write_domain(writer, topo, domain);
	xmlTextWriterEndDocument(writer);
	xmlFreeTextWriter(writer);
	text = g_strdup((const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return text;
}
