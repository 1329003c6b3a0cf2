// SPDX-License-Identifier: GPL-2.0-only
#include "run/channel.h"

#include "base/records.h"

GBytes *channel_evidence(const char *folder, char **problem)
{
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	g_autofree char *data = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = NULL;
	GBytes *evidence;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, NULL) || length == 0)
		return NULL;
	records = records_parse((const guint8 *)data, length, &error);
	if (!records) {
		*problem = g_strdup(error->message);
		return NULL;
	}
	evidence = records_blob(records, "evidence");
	if (!records_complete(records))
		*problem = g_strdup("the agent's stream ends before it said bye");
	else if (!evidence)
		*problem = g_strdup("the agent sent no evidence");
	return evidence ? g_bytes_ref(evidence) : NULL;
}
