// SPDX-License-Identifier: GPL-2.0-only
#include "guest/tests.h"

#include "base/test_job.h"
#include "guest/program.h"
#include "guest/text.h"
#include "guest/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file and its arguments. */
#define WORDS_MAX (TEST_WORDS_MAX + 1)
#define JOB_MAX	  (1u << 20)

/* A program of the job, and the run of it that is being read. */
struct job {
	struct channel *channel;
	const char *name; /* NULL: none yet */
	char *words[WORDS_MAX + 1], *environment[WORDS_MAX + 1];
	unsigned n_words, n_environment;
	long seconds;
	long long begun_ms;
	struct text output;
	size_t output_used; /* by programs before this one */
	struct program_answer answer;
	int over; /* no more runs of this one */
};

static void say_running(void *data)
{
	const struct job *job = data;
	char line[128 + TEST_NAME_MAX];

	snprintf(line, sizeof(line), "{\"type\":\"running\",\"program\":\"%.*s\"}", TEST_NAME_MAX,
		 job->name);
	channel_line(job->channel, line);
}

/* Runs what was read so far. */
static void job_run(struct job *job)
{
	size_t left = TEST_OUTPUTS_MAX - job->output_used, dropped = job->answer.dropped;
	const struct program program = {
		.arguments = job->words,
		.environment = job->environment,
		.end_ms = job->begun_ms + job->seconds * 1000,
		.output_max = left < TEST_OUTPUT_MAX ? left : TEST_OUTPUT_MAX,
		.output = &job->output,
		.news = say_running,
		.data = job,
	};

	if (!job->name || job->over)
		return;
	program_run(&program, &job->answer);
	job->answer.dropped += dropped;
	job->over = job->answer.end != PROGRAM_EXITED || job->answer.number != 0;
}

static void job_answer(struct job *job)
{
	static const char *const ends[] = {
		[PROGRAM_EXITED] = "exited",
		[PROGRAM_SIGNALLED] = "signalled",
		[PROGRAM_TIMEOUT] = "timeout",
		[PROGRAM_NOT_STARTED] = "not-started",
	};
	char blob[sizeof(TEST_OUTPUT_BLOB) + TEST_NAME_MAX], line[512];

	if (!job->name)
		return;
	snprintf(blob, sizeof(blob), TEST_OUTPUT_BLOB "%s", job->name);
	channel_blob(job->channel, blob, job->output.data, job->output.length);
	snprintf(line, sizeof(line),
		 "{\"type\":\"program\",\"name\":\"%.*s\",\"how\":\"%s\",\"number\":%d,"
		 "\"ms\":%lld,\"dropped\":%zu,\"left\":%u}",
		 TEST_NAME_MAX, job->name, ends[job->answer.end], job->answer.number,
		 program_now_ms() - job->begun_ms, job->answer.dropped, job->answer.left);
	channel_line(job->channel, line);
	job->output_used += job->output.length;
	job->output.length = 0;
}

static void job_begin(struct job *job, const char *name)
{
	job->name = name;
	job->n_words = job->n_environment = 0;
	job->words[0] = job->environment[0] = NULL;
	job->seconds = 0;
	job->over = 0;
	job->answer = (struct program_answer){.end = PROGRAM_NOT_STARTED};
	job->begun_ms = program_now_ms();
	say_running(job);
}

static void word_add(char **words, unsigned *n, char *word)
{
	if (*n < WORDS_MAX)
		words[(*n)++] = word;
	words[*n] = NULL;
}

static void job_line(struct job *job, char *key, char *value)
{
	if (strcmp(key, "program") == 0) {
		job_run(job);
		job_answer(job);
		job_begin(job, value);
	} else if (strcmp(key, "again") == 0) {
		job_run(job);
		job->n_words = 1;
		job->words[1] = NULL;
	} else if (strcmp(key, "file") == 0 || strcmp(key, "argument") == 0) {
		word_add(job->words, &job->n_words, value);
	} else if (strcmp(key, "environment") == 0) {
		word_add(job->environment, &job->n_environment, value);
	} else if (strcmp(key, "seconds") == 0) {
		job->seconds = strtol(value, NULL, 10);
	}
}

static void job_read(struct job *job, char *text)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');

		if (value)
			*value++ = '\0';
		job_line(job, line, value ? value : line + strlen(line));
	}
	job_run(job);
	job_answer(job);
}

void tests_run(struct channel *channel)
{
	static struct job job;
	static char text[JOB_MAX];
	int fd = open("/" TEST_JOB_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return;
	text[length] = '\0';
	world_prepare();
	job.channel = channel;
	job_read(&job, text);
	text_free(&job.output);
}
