// SPDX-License-Identifier: GPL-2.0-only
#include "vm/connect.h"

#include "base/error.h"

#include <libvirt/virterror.h>

void connect_set_error(GError **error, const char *what)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "libvirt cannot %s: %s", what,
		    virGetLastErrorMessage());
}

static void ignore_libvirt_error(void *data G_GNUC_UNUSED, virErrorPtr error G_GNUC_UNUSED)
{
}

bool connect_init(const struct worker_job *job, GError **error)
{
	g_autofree char *log = g_build_filename(job->root, "libvirt.log", NULL);
	g_autofree char *outputs = g_strconcat("3:file:", log, NULL);

	g_setenv("LIBVIRT_LOG_OUTPUTS", outputs, TRUE);
	if (!job->uri) {
		g_setenv("XDG_CACHE_HOME", job->root, TRUE);
		g_setenv("XDG_CONFIG_HOME", job->root, TRUE);
		g_setenv("XDG_RUNTIME_DIR", job->root, TRUE);
	}
	virSetErrorFunc(NULL, ignore_libvirt_error);
	if (virInitialize() == 0 && virEventRegisterDefaultImpl() == 0)
		return true;
	connect_set_error(error, "be initialised");
	return false;
}

static void explain_failure(const struct worker_job *job, GError **error)
{
	const virError *cause = virGetLastError();

	if (!job->uri && cause && cause->code == VIR_ERR_NO_CONNECT)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "libvirt's QEMU driver is missing (%s); 'make deps' installs it, and "
			    "so does 'apt-get install libvirt-daemon-driver-qemu'",
			    cause->message);
	else
		connect_set_error(error, "open its QEMU driver");
}

virConnectPtr connect_open(const struct worker_job *job, GError **error)
{
	g_autofree char *escaped = g_uri_escape_string(job->root, "/", FALSE);
	g_autofree char *embed = g_strconcat("qemu:///embed?root=", escaped, NULL);
	virConnectPtr connection = virConnectOpen(job->uri ? job->uri : embed);

	if (!connection)
		explain_failure(job, error);
	return connection;
}

/* NULL when libvirt does not know, as before it has found a QEMU. */
static char *version_text(unsigned long version)
{
	if (!version)
		return NULL;
	return g_strdup_printf("%lu.%lu.%lu", version / 1000000, version / 1000 % 1000,
			       version % 1000);
}

struct message *connect_report(virConnectPtr connection)
{
	struct message *report = g_new0(struct message, 1);
	unsigned long qemu = 0, libvirt = 0;

	virConnectGetVersion(connection, &qemu);
	virConnectGetLibVersion(connection, &libvirt);
	report->kind = MESSAGE_CONNECTED;
	report->qemu = version_text(qemu);
	report->libvirt = version_text(libvirt);
	return report;
}
