// SPDX-License-Identifier: GPL-2.0-only
/* What parent and worker tell each other, and what they read from QEMU and libvirt. */
#include "base/error.h"
#include "vm/device.h"
#include "vm/logfile.h"
#include "vm/message.h"
#include "vm/shutdown.h"

#include <glib.h>
#include <string.h>

static void test_job(void)
{
	struct worker_job job = {
		.root = g_strdup("/run/topolab/abcdefgh"),
		.xml = g_strdup("<domain>\n\"\303\244\"</domain>"),
		.folder = g_strdup("/tmp/a b"),
		.console_max = 1,
		.channel_max = G_GUINT64_CONSTANT(1) << 40,
	};
	g_autofree char *text = worker_job_format(&job);
	g_autoptr(GError) error = NULL;
	AUTO(worker_job) *back = worker_job_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	g_assert_cmpstr(back->root, ==, job.root);
	g_assert_null(back->uri);
	g_assert_cmpstr(back->xml, ==, job.xml);
	g_assert_cmpstr(back->folder, ==, job.folder);
	g_assert_cmpuint(back->console_max, ==, 1);
	g_assert_cmpuint(back->channel_max, ==, job.channel_max);
	g_free(job.root);
	g_free(job.xml);
	g_free(job.folder);
}

static void test_job_uri(void)
{
	static const char text[] = "{\"root\":\"/r\",\"uri\":\"qemu:///system\",\"xml\":\"<x/>\","
				   "\"folder\":\"/f\",\"console_max\":1,\"channel_max\":2}";
	g_autoptr(GError) error = NULL;
	AUTO(worker_job) *job = worker_job_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	g_assert_cmpstr(job->uri, ==, "qemu:///system");
}

static void test_job_bad(void)
{
	static const char *const bad[] = {
		"",
		"{}",
		"[]",
		"{\"root\":1,\"xml\":\"\",\"folder\":\"\",\"console_max\":1,\"channel_max\":2}",
		"{\"root\":\"\",\"xml\":\"\",\"folder\":\"\",\"console_max\":-1,\"channel_max\":2}",
		"{\"root\":\"\",\"xml\":\"\",\"folder\":\"\"}",
		/* A member that no job has. */
		("{\"root\":\"\",\"xml\":\"\",\"folder\":\"\",\"x\":1,"
		 "\"console_max\":1,\"channel_max\":2}"),
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(worker_job_parse(bad[i], strlen(bad[i]), &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

static struct message *parse(const char *line)
{
	g_autoptr(GError) error = NULL;
	struct message *report = message_parse(line, strlen(line), &error);

	if (!report)
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	return report;
}

static void test_reports(void)
{
	AUTO(message) *connected =
		parse("{\"report\":\"connected\",\"qemu\":\"10.0.2\",\"libvirt\":\"11.3.0\"}");
	AUTO(message) *started = parse("{\"report\":\"started\",\"pid\":4711,\"usec\":123456789}");
	AUTO(message) *bytes =
		parse("{\"report\":\"bytes\",\"console\":10,\"channel\":68719476736}");
	AUTO(message) *ended =
		parse("{\"report\":\"ended\",\"ending\":\"flooded\",\"detail\":\"d\"}");

	g_assert_cmpint(connected->kind, ==, MESSAGE_CONNECTED);
	g_assert_cmpstr(connected->qemu, ==, "10.0.2");
	g_assert_cmpstr(connected->libvirt, ==, "11.3.0");
	g_assert_null(connected->detail);
	g_assert_cmpint(started->kind, ==, MESSAGE_STARTED);
	g_assert_cmpint(started->pid, ==, 4711);
	g_assert_cmpuint(started->usec, ==, 123456789);
	g_assert_cmpint(bytes->kind, ==, MESSAGE_BYTES);
	g_assert_cmpuint(bytes->console, ==, 10);
	g_assert_cmpuint(bytes->channel, ==, G_GUINT64_CONSTANT(1) << 36);
	g_assert_cmpint(ended->kind, ==, MESSAGE_ENDED);
	g_assert_cmpint(ended->ending, ==, ENDING_FLOODED);
	g_assert_cmpstr(ended->detail, ==, "d");
}

static void test_reports_bad(void)
{
	static const char *const bad[] = {
		"",
		"hello",
		"{\"report\":\"begun\"}",
		"{\"report\":\"ended\"}",
		"{\"report\":\"ended\",\"ending\":\"pass\"}",
		"{\"report\":\"bytes\",\"ending\":\"poweroff\"}",
		"{\"report\":\"bytes\",\"console\":-1}",
		"{\"report\":\"bytes\",\"console\":1.5}",
		"{\"report\":\"bytes\",\"console\":99999999999999999999}",
		"{\"report\":\"started\",\"pid\":-5}",
		"{\"report\":\"started\",\"pid\":4294967297}",
		"{\"report\":\"bytes\",\"console\":1,\"console\":2}",
		"{\"report\":\"bytes\",\"unknown\":1}",
		"{\"report\":\"bytes\"} {}",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_test_message("%s", bad[i]);
		g_assert_null(parse(bad[i]));
	}
}

/* A detail quotes what QEMU wrote, which may be anything; it still has to arrive on one line. */
static void test_report_hostile_detail(void)
{
	char detail[] = "a\nb\"\\\377\001";
	struct message report = {.kind = MESSAGE_ENDED, .ending = ENDING_DIED, .detail = detail};
	g_autofree char *line = message_format(&report);
	AUTO(message) *back = NULL;

	g_assert_true(strchr(line, '\n') == line + strlen(line) - 1);
	back = parse(line);
	g_assert_nonnull(back);
	g_assert_true(g_str_has_prefix(back->detail, "a\nb\"\\"));
}

/* Reasons: ShutdownCause in QEMU 10.0's qapi/run-state.json. */
static void test_shutdown(void)
{
	static const struct {
		const char *details;
		enum ending ending;
	} cases[] = {
		{"{\"guest\":true,\"reason\":\"guest-shutdown\"}", ENDING_POWEROFF},
		{"{\"guest\":true,\"reason\":\"guest-reset\"}", ENDING_REBOOT},
		{"{\"guest\":true,\"reason\":\"guest-panic\"}", ENDING_REBOOT},
		{"{\"guest\":false,\"reason\":\"subsystem-reset\"}", ENDING_REBOOT},
		{"{\"guest\":false,\"reason\":\"host-signal\"}", ENDING_DIED},
		{"{\"guest\":false,\"reason\":\"host-qmp-quit\"}", ENDING_DIED},
		{"{\"guest\":false,\"reason\":\"none\"}", ENDING_DIED},
		{"{\"guest\":false}", ENDING_DIED},
		{"nonsense", ENDING_DIED},
		{NULL, ENDING_DIED},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct shutdown shutdown = {0};

		g_assert_false(shutdown_is_known(&shutdown));
		g_assert_cmpint(shutdown_ending(&shutdown), ==, ENDING_DIED);
		shutdown_note(&shutdown, cases[i].details);
		/* libvirt's SIGTERM to the finished QEMU does not change the reason. */
		shutdown_note(&shutdown, "{\"guest\":false,\"reason\":\"host-signal\"}");
		g_assert_true(shutdown_is_known(&shutdown));
		g_assert_cmpint(shutdown_ending(&shutdown), ==, cases[i].ending);
	}
}

/* Lines of a log that libvirt 11.3 and QEMU 10.0.2 wrote. */
static void test_last_words(void)
{
	static const char start[] =
		"2026-11-30 10:39:12.123+0000: starting up libvirt version: 11.3.0, qemu version: "
		"10.0.2\nLC_ALL=C \\\nXDG_CACHE_HOME=/run/t/lib/qemu/domain-1-t/.cache \\\n"
		"/usr/bin/qemu-system-x86_64 \\\n-name guest=t,debug-threads=on \\\n"
		"-msg timestamp=on\n";
	static const char end[] = "2026-11-30 10:39:15.456+0000: shutting down, reason=crashed\n";
	g_autofree char *none = g_strconcat(
		start,
		"2026-11-30T10:39:12.600000Z qemu-system-x86_64: warning: TCG doesn't support "
		"requested feature: CPUID.01H:ECX.pcid [bit 17]\n",
		end, NULL);
	g_autofree char *some = g_strconcat(
		start, "2026-11-30T10:39:13.1Z qemu-system-x86_64: cannot set up guest memory: a\n",
		end, NULL);
	g_autofree char *bare = g_strconcat(start, "qemu-system-x86_64: -cpu x: no \377\n", NULL);
	char *words = logfile_last_words_in(none);

	g_assert_null(words);
	words = logfile_last_words_in(some);
	g_assert_cmpstr(words, ==, "cannot set up guest memory: a");
	g_free(words);
	words = logfile_last_words_in(bare);
	g_assert_cmpstr(words, ==, "-cpu x: no \357\277\275");
	g_free(words);
}

static void test_devices(void)
{
	static const char xml[] =
		"<domain><devices>"
		"<serial type='pty'><source path='/dev/pts/4'/><target type='isa-serial' port='1'/>"
		"<alias name='serial1'/></serial>"
		"<serial type='unix'><source mode='bind' path='/r/serial0'/><target port='0'/>"
		"<alias name='serial0'/></serial>"
		"<channel type='unix'><source mode='bind' path='/r/agent'/>"
		"<target type='virtio' name='org.qemu.guest_agent.0'/><alias "
		"name='channel0'/></channel>"
		"<channel type='unix'><source mode='bind' path='/r/ours'/>"
		"<target type='virtio' name='topolab.0'/><alias name='channel1'/></channel>"
		"</devices></domain>";
	AUTO(device) *console = device_find_serial(xml, 0);
	AUTO(device) *second = device_find_serial(xml, 1);
	AUTO(device) *channel = device_find_channel(xml, "topolab.0");

	g_assert_cmpint(console->kind, ==, DEVICE_SERIAL);
	g_assert_cmpstr(console->name, ==, "serial0");
	g_assert_cmpstr(console->socket, ==, "/r/serial0");
	g_assert_cmpstr(second->name, ==, "serial1");
	g_assert_null(second->socket);
	g_assert_cmpint(channel->kind, ==, DEVICE_CHANNEL);
	g_assert_cmpstr(channel->name, ==, "topolab.0");
	g_assert_cmpstr(channel->socket, ==, "/r/ours");
	g_assert_null(device_find_serial(xml, 2));
	g_assert_null(device_find_channel("<domain/>", "topolab.0"));
	g_assert_null(device_find_channel("not xml", "topolab.0"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/vm/job/round-trip", test_job);
	g_test_add_func("/vm/job/uri", test_job_uri);
	g_test_add_func("/vm/job/bad", test_job_bad);
	g_test_add_func("/vm/report/good", test_reports);
	g_test_add_func("/vm/report/bad", test_reports_bad);
	g_test_add_func("/vm/report/hostile-detail", test_report_hostile_detail);
	g_test_add_func("/vm/shutdown", test_shutdown);
	g_test_add_func("/vm/last-words", test_last_words);
	g_test_add_func("/vm/devices", test_devices);
	return g_test_run();
}
