// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

struct result *result_new(void)
{
	struct result *result = g_new0(struct result, 1);

	result->boot_ms = -1;
	result->wall_ms = -1;
	result->boots = 1;
	return result;
}

void result_free(struct result *result)
{
	if (!result)
		return;
	g_free(result->topology);
	g_free(result->topology_text);
	g_free(result->kernel);
	g_free(result->kernel_release);
	g_free(result->kernel_sha256);
	g_free(result->kernel_package);
	g_free(result->kernel_config);
	g_free(result->command_line);
	g_free(result->accel);
	g_free(result->qemu);
	g_free(result->libvirt);
	g_free(result->host);
	g_free(result->started);
	g_free(result->ending_detail);
	g_free(result->channel_problem);
	g_free(result->known);
	g_free(result->folder);
	look_unref(result->look);
	g_strfreev(result->steps);
	g_clear_pointer(&result->programs, g_ptr_array_unref);
	judgement_free(result->judgement);
	g_free(result);
}

void result_judge(struct result *result, const struct verdict_input *input)
{
	struct verdict_input whole = *input;

	whole.ending = result->ending;
	whole.ending_detail = result->ending_detail;
	whole.channel_problem = result->channel_problem;
	whole.vcpus_per_host_cpu = result->vcpus_per_host_cpu;
	whole.programs = result->programs;
	whole.steps = (const char *const *)result->steps;
	whole.emulated = g_strcmp0(result->accel, "tcg") == 0;
	if (result->look && result->look->console_bytes >= 0)
		whole.console_length =
			MIN(whole.console_length, (gsize)result->look->console_bytes);
	judgement_free(result->judgement);
	result->judgement = judge(&whole);
}

/* What was never judged cannot have passed. */
enum verdict result_verdict(const struct result *result)
{
	return result->judgement ? checks_verdict(result->judgement->checks) : VERDICT_ERROR;
}
