/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The agent's stream. A record is one line of JSON; {"type":"blob","name":N,"bytes":B,"crc32":C}
 * is followed by exactly B raw bytes and a newline. "hello" comes first, "bye" last. The guest is
 * not trusted: every length is bounded and a stream that breaks the format is an error that says
 * where.
 *
 *	{"type":"hello","agent":1,"release":"6.12.117","channel":"virtio"}
 *	{"type":"blob","name":"evidence","bytes":1024,"crc32":305419896}
 *	{"type":"bye"}
 */
#ifndef BASE_RECORDS_H
#define BASE_RECORDS_H

#include "base/auto.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#define RECORDS_MAX_BYTES     (64u << 20)
#define RECORDS_AGENT_VERSION 1

struct record {
	json_t *head;
	GBytes *blob; /* NULL unless type is "blob" */
};

struct records;

/* ERROR_LAB: garbage, cut short, wrong checksum, too long. An empty stream has zero records. */
struct records *records_parse(const guint8 *data, gsize length, GError **error);
/* The records before the first that is wrong, and in @error what is: never NULL. */
struct records *records_parse_some(const guint8 *data, gsize length, GError **error);
void records_free(struct records *records);
AUTO_DEFINE(records, records_free)

guint records_count(const struct records *records);
const struct record *records_get(const struct records *records, guint i);
const char *record_type(const struct record *record);
/* The first blob of that name, or NULL; owned by @records. */
GBytes *records_blob(const struct records *records, const char *name);
/* Did the stream end with "bye"? */
bool records_complete(const struct records *records);

#endif
