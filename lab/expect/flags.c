// SPDX-License-Identifier: GPL-2.0-only
#include "expect/flags.h"

#include "expect/versions.h"

struct flag_row {
	enum sd_flag flag;
	const char *name;
	struct versions versions;
	bool needs_groups; /* SDF_NEEDS_GROUPS */
};

/*
 * include/linux/sched/sd_flags.h of 6.1, 6.12 and 7.3, in its order. SD_CLUSTER came with 6.7
 * (b95303e0aeaf), the new name of SD_SHARE_LLC with 6.9 (54de44274703); SD_OVERLAP went with 6.17
 * (1eec89a67141).
 */
static const struct flag_row flag_rows[] = {
	{SD_BALANCE_NEWIDLE, "SD_BALANCE_NEWIDLE", {RELEASE(6, 1)}, true},
	{SD_BALANCE_EXEC, "SD_BALANCE_EXEC", {RELEASE(6, 1)}, true},
	{SD_BALANCE_FORK, "SD_BALANCE_FORK", {RELEASE(6, 1)}, true},
	{SD_WAKE_AFFINE, "SD_WAKE_AFFINE", {RELEASE(6, 1)}, false},
	{SD_SHARE_CPUCAPACITY, "SD_SHARE_CPUCAPACITY", {RELEASE(6, 1)}, true},
	{SD_CLUSTER, "SD_CLUSTER", {RELEASE(6, 7)}, true},
	{SD_SHARE_LLC, "SD_SHARE_PKG_RESOURCES", {RELEASE(6, 1), RELEASE(6, 9)}, true},
	{SD_SHARE_LLC, "SD_SHARE_LLC", {RELEASE(6, 9)}, true},
	{SD_SERIALIZE, "SD_SERIALIZE", {RELEASE(6, 1)}, true},
	{SD_PREFER_SIBLING, "SD_PREFER_SIBLING", {RELEASE(6, 1)}, true},
	{SD_OVERLAP, "SD_OVERLAP", {RELEASE(6, 1), RELEASE(6, 17)}, true},
	{SD_NUMA, "SD_NUMA", {RELEASE(6, 1)}, true},
};

guint32 flags_known(guint32 flags, unsigned version)
{
	guint32 known = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(flag_rows); i++)
		if (versions_have(&flag_rows[i].versions, version))
			known |= flag_rows[i].flag;
	return flags & known;
}

guint32 flags_needing_groups(unsigned version)
{
	guint32 needing = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(flag_rows); i++)
		if (flag_rows[i].needs_groups && versions_have(&flag_rows[i].versions, version))
			needing |= flag_rows[i].flag;
	return needing;
}

char *flags_text(guint32 flags, unsigned version)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(flag_rows); i++) {
		if (!(flags & flag_rows[i].flag) || !versions_have(&flag_rows[i].versions, version))
			continue;
		if (text->len)
			g_string_append_c(text, ' ');
		g_string_append(text, flag_rows[i].name);
	}
	return g_string_free(text, FALSE);
}
