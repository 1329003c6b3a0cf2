// SPDX-License-Identifier: GPL-2.0-only
/* What a worker and its parent tell each other; what was read is written and read again. */
#include "fuzz.h"

#include "vm/message.h"

static void message_try(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(message) *message = message_parse((const char *)data, size, &error);
	AUTO(message) *again = NULL;
	g_autofree char *line = NULL;

	fuzz_check(message, error, ERROR_LAB);
	if (!message)
		return;
	line = message_format(message);
	again = message_parse(line, strlen(line) - 1, NULL);
	FUZZ_REQUIRE(again && again->kind == message->kind && again->usec == message->usec);
}

static void job_try(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(worker_job) *job = worker_job_parse((const char *)data, size, &error);
	AUTO(worker_job) *again = NULL;
	g_autofree char *text = NULL;

	fuzz_check(job, error, ERROR_LAB);
	if (!job)
		return;
	text = worker_job_format(job);
	again = worker_job_parse(text, strlen(text), NULL);
	FUZZ_REQUIRE(again && g_strcmp0(again->xml, job->xml) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	message_try(data, size);
	job_try(data, size);
	return 0;
}
