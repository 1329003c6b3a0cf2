// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole cold runs of topolab against bare QEMU: the same kernel, machine, command line and ACPI
 * table, but no libvirt and an init that powers off at once. Pairs are interleaved, so that a busy
 * host slows both; the figure is the median of the pairs' ratios.
 */
#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/tree.h"
#include "emit/emit.h"
#include "emit/emit_priv.h"
#include "kernel/kernel.h"
#include "run/assembly.h"
#include "topo/load.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die_on(GError *error)
{
	if (!error)
		return;
	fprintf(stderr, "bench: %s\n", error->message);
	exit(3);
}

static GBytes *file_bytes(const char *path)
{
	char *data;
	gsize length;
	GError *error = NULL;

	g_file_get_contents(path, &data, &length, &error);
	die_on(error);
	return g_bytes_new_take(data, length);
}

static double run_seconds(const char *const *argv)
{
	gint64 begun = g_get_monotonic_time();
	GError *error = NULL;

	spawn_run(argv, NULL, NULL, &error);
	die_on(error);
	return (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
}

/* Which vCPUs, as QEMU numbers them, are in @node. */
static char *node_vcpus(const struct topo *topo, unsigned node)
{
	AUTO(cpus) *vcpus = cpus_new();
	g_autofree char *list = NULL;
	g_auto(GStrv) ranges = NULL;

	CPUS_FOREACH (cpu, topo_node_cpus(topo, node))
		cpus_add(vcpus, topo_cpu(topo, (unsigned)cpu)->vcpu);
	list = cpus_to_list(vcpus);
	ranges = g_strsplit(list, ",", -1);
	return g_strjoinv(",cpus=", ranges);
}

static void add(GPtrArray *argv, const char *option, char *value)
{
	g_ptr_array_add(argv, g_strdup(option));
	g_ptr_array_add(argv, value);
}

static void add_numa(GPtrArray *argv, const struct topo *topo)
{
	for (unsigned node = 0; node < topo_n_nodes(topo); node++) {
		g_autofree char *vcpus = node_vcpus(topo, node);

		add(argv, "-object",
		    g_strdup_printf("memory-backend-ram,id=m%u,size=%uM", node,
				    topo_node_memory_mib(topo, node)));
		add(argv, "-numa",
		    g_strdup_printf("node,nodeid=%u,memdev=m%u,cpus=%s", node, node, vcpus));
	}
	for (unsigned from = 0; from < topo_n_nodes(topo); from++)
		for (unsigned to = 0; to < topo_n_nodes(topo); to++)
			add(argv, "-numa",
			    g_strdup_printf("dist,src=%u,dst=%u,val=%u", from, to,
					    topo_distance(topo, from, to)));
}

static char **bare_command(const struct topo *topo, const struct kernel *kernel, const char *initrd)
{
	GPtrArray *argv = g_ptr_array_new();
	struct emit_shape shape = emit_shape(topo);
	unsigned memory_mib = 0;

	for (unsigned node = 0; node < topo_n_nodes(topo); node++)
		memory_mib += topo_node_memory_mib(topo, node);
	g_ptr_array_add(argv, g_strdup("qemu-system-x86_64"));
	add(argv, "-machine", g_strdup("q35,accel=tcg,usb=off,smm=off"));
	add(argv, "-cpu", emit_cpu(topo, EMIT_ACCEL_TCG));
	add(argv, "-m", g_strdup_printf("%uM", memory_mib));
	add(argv, "-smp",
	    g_strdup_printf("%u,sockets=%u,dies=%u,cores=%u,threads=%u", topo_n_cpus(topo),
			    shape.sockets, shape.dies, shape.cores, shape.threads));
	add_numa(argv, topo);
	if (emit_has_wide_apic_ids(topo)) {
		add(argv, "-machine", g_strdup("kernel-irqchip=split"));
		add(argv, "-device", g_strdup("intel-iommu,intremap=on,eim=on"));
	}
	add(argv, "-kernel", g_strdup(kernel->image_path));
	add(argv, "-initrd", g_strdup(initrd));
	add(argv, "-append", emit_command_line(topo, EMIT_ACCEL_TCG));
	add(argv, "-display", g_strdup("none"));
	add(argv, "-serial", g_strdup("file:/dev/null"));
	g_ptr_array_add(argv, g_strdup("-nodefaults"));
	g_ptr_array_add(argv, g_strdup("-no-reboot"));
	g_ptr_array_add(argv, NULL);
	return (char **)g_ptr_array_free(argv, FALSE);
}

static char *one_shot_initrd(const struct topo *topo, const char *folder)
{
	g_autofree char *init_path = paths_data("bench/one-shot");
	g_autoptr(GBytes) init = file_bytes(init_path);
	GError *error = NULL;
	g_autoptr(GBytes) initrd = assembly_initramfs(topo, init, &error);
	char *path = g_build_filename(folder, "one-shot.img", NULL);

	die_on(error);
	g_file_set_contents(path, g_bytes_get_data(initrd, NULL), (gssize)g_bytes_get_size(initrd),
			    &error);
	die_on(error);
	return path;
}

static double run_topolab(const char *name, const char *folder, unsigned n)
{
	g_autofree char *binary = paths_data("topolab");
	g_autofree char *output = g_strdup_printf("%s/%s-%u", folder, name, n);
	const char *const argv[] = {binary,    "run", name,   "--accel", "tcg",
				    "--quiet", "-o",  output, NULL};

	return run_seconds(argv);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void bench_machine(const char *name, unsigned pairs, const char *folder)
{
	GError *error = NULL;
	g_auto(GStrv) path = topo_search_path();
	AUTO(topo) *topo = topo_find(name, (const char *const *)path, &error);
	AUTO(kernel) *kernel = NULL;
	g_autofree char *initrd = NULL;
	g_auto(GStrv) bare = NULL;
	g_autofree double *ratios = g_new(double, pairs);
	g_autofree double *seconds = g_new(double, pairs);

	die_on(error);
	kernel = kernel_get("debian-6.12", &(struct kernel_options){0}, &error);
	die_on(error);
	initrd = one_shot_initrd(topo, folder);
	bare = bare_command(topo, kernel, initrd);
	/* Not counted: fills the caches of both. */
	if (pairs > 1)
		run_topolab(name, folder, 0);
	for (unsigned i = 0; i < pairs; i++) {
		double bare_seconds = run_seconds((const char *const *)bare);

		seconds[i] = run_topolab(name, folder, i + 1);
		ratios[i] = seconds[i] / bare_seconds;
		printf("%s pair %u: topolab %.2f s, bare QEMU %.2f s, ratio %.3f\n", name, i + 1,
		       seconds[i], bare_seconds, ratios[i]);
		fflush(stdout);
	}
	printf("%s: median ratio %.3f of %u pairs; topolab run, cold: median %.1f s\n", name,
	       median(ratios, pairs), pairs, median(seconds, pairs));
}

/* bench [MACHINE PAIRS]... */
int main(int argc, char **argv)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-bench-XXXXXX", NULL);
	GError *error = NULL;

	for (int i = 1; i + 1 < argc; i += 2)
		bench_machine(argv[i], (unsigned)atoi(argv[i + 1]), folder);
	tree_remove(folder, &error);
	die_on(error);
	return 0;
}
