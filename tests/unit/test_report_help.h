/* SPDX-License-Identifier: GPL-2.0-only */
/* Results by hand. */
#ifndef TEST_REPORT_HELP_H
#define TEST_REPORT_HELP_H

#include "report/report.h"
#include "test_verdict_help.h"

/* A whole result without checks and domains. */
static inline struct result *some_result(const char *topology, const char *kernel)
{
	struct result *result = result_new();

	result->topology = g_strdup(topology);
	result->topology_text = g_strdup("name: x\n");
	result->kernel = g_strdup(kernel);
	result->kernel_release = g_strdup("6.12.117+deb12-cloud-amd64");
	result->kernel_sha256 = g_strdup("ab12");
	result->kernel_package = g_strdup("linux-image-6.12.117+deb12-cloud-amd64 6.12.117-1");
	result->command_line = g_strdup("console=ttyS0 sched_verbose");
	result->accel = g_strdup("tcg");
	result->qemu = g_strdup("10.0.2");
	result->libvirt = g_strdup("11.3.0");
	result->host = g_strdup("Linux 6.12.0, some CPU");
	result->vcpus_per_host_cpu = 8;
	result->started = g_strdup("2026-01-02T03:04:05Z");
	result->boot_ms = 6543;
	result->wall_ms = 9876;
	result->ending = ENDING_POWEROFF;
	result->folder = g_strdup_printf("%s/%s", topology, kernel);
	result->judgement = g_new0(struct judgement, 1);
	result->judgement->checks = checks_new();
	return result;
}

static inline void add_check(struct result *result, const char *name, enum verdict verdict,
			     const char *reason)
{
	checks_add(result->judgement->checks, &(struct check){
						      .name = name,
						      .verdict = verdict,
						      .cpu = -1,
						      .level = -1,
						      .reason = reason,
					      });
}

#endif
