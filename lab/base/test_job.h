/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host and the agent agree on about test programs: a file in the initramfs that says what
 * to run, and the records that answer it (base/records.h).
 *
 * The file has one "KEY VALUE" in a line; values are printable and hold no newline. "program NAME"
 * begins a program; what follows is its own:
 *
 *	program rseq.param_test
 *	file /tests/rseq.param_test
 *	seconds 60
 *	environment GLIBC_TUNABLES=glibc.pthread.rseq=0
 *	argument -T
 *	argument s
 *	again
 *	argument -T
 *	argument i
 *
 * "again" runs the file once more, with the arguments that follow, if it exited with 0 before;
 * "seconds" is for all of it together.
 *
 *	{"type":"running","program":"rseq.param_test"}
 *	{"type":"blob","name":"output.rseq.param_test","bytes":1024,"crc32":305419896}
 *	{"type":"program","name":"rseq.param_test","how":"exited","number":0,"ms":1234,"dropped":0,
 *	 "left":0}
 *
 * "running" comes when it begins and then every few seconds. "how" is "exited" (number: its
 *status), "signalled" (the signal), "timeout" (0) or "not-started" (errno). "dropped" is how many
 *bytes of output were more than TEST_OUTPUT_MAX or the rest of TEST_OUTPUTS_MAX; "left" how many of
 *its processes did not go when they were killed.
 */
#ifndef BASE_TEST_JOB_H
#define BASE_TEST_JOB_H

#define TEST_JOB_FILE	 "tests/job"
#define TEST_NAME_MAX	 56 /* bytes of "rseq.param_test"; blob names are a little longer */
#define TEST_WORDS_MAX	 60 /* arguments of one run, and settings of its environment */
#define TEST_OUTPUT_MAX	 (1u << 20)
#define TEST_OUTPUTS_MAX (16u << 20) /* of all programs together: evidence needs room too */
#define TEST_OUTPUT_BLOB "output."
/* How often the agent says that a program still runs. */
#define TEST_NEWS_SECONDS 5

#endif
