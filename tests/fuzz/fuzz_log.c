// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's log: as records of /dev/kmsg, and as text of a serial console. */
#include "fuzz.h"

#include "observe/observe.h"
#include "observe/sched_log.h"

static void bytes_unref(gpointer bytes)
{
	g_bytes_unref(bytes);
}

static void log_use(GPtrArray *log)
{
	g_autoptr(GPtrArray) splats = observe_splats(log);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = sched_log_domains(log, &error);

	/* A log without a tree is no error. */
	if (tree || error)
		fuzz_check(tree, error, ERROR_LAB);
	FUZZ_REQUIRE(splats && splats->len <= log->len);
	observe_table_upgraded(log, "APIC");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, bytes_unref);
	g_autoptr(GError) error = NULL;
	AUTO(root) *evidence = root_new_members(members);
	g_autoptr(GPtrArray) log = NULL;
	g_autoptr(GPtrArray) console = observe_console((const char *)data, size);

	g_hash_table_insert(members, g_strdup("kmsg"), g_bytes_new(data, size));
	log = observe_kernel_log(evidence, &error);
	fuzz_check(log, error, ERROR_LAB);
	if (log)
		log_use(log);
	log_use(console);
	return 0;
}
