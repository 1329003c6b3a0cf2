// SPDX-License-Identifier: GPL-2.0-only
#include "vm/shutdown.h"

#include "base/names.h"

#include <jansson.h>

ENUM_NAMES(shutdown_reason, SHUTDOWN_COUNT, [SHUTDOWN_NONE] = "none",
	   [SHUTDOWN_GUEST_SHUTDOWN] = "guest-shutdown", [SHUTDOWN_GUEST_RESET] = "guest-reset",
	   [SHUTDOWN_GUEST_PANIC] = "guest-panic", [SHUTDOWN_SUBSYSTEM_RESET] = "subsystem-reset",
	   [SHUTDOWN_HOST_SIGNAL] = "host-signal", [SHUTDOWN_OTHER] = "other")

void shutdown_note(struct shutdown *shutdown, const char *details)
{
	json_t *json = details ? json_loads(details, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(json, "reason"));

	/* libvirt ends QEMU after the first event, which then reports a second one. */
	if (shutdown->reason == SHUTDOWN_NONE &&
	    (!name || !shutdown_reason_from_name(name, &shutdown->reason) ||
	     shutdown->reason == SHUTDOWN_NONE))
		shutdown->reason = SHUTDOWN_OTHER;
	json_decref(json);
}

bool shutdown_is_known(const struct shutdown *shutdown)
{
	return shutdown->reason != SHUTDOWN_NONE;
}

enum ending shutdown_ending(const struct shutdown *shutdown)
{
	switch (shutdown->reason) {
	case SHUTDOWN_GUEST_SHUTDOWN:
		return ENDING_POWEROFF;
	case SHUTDOWN_GUEST_RESET:
	case SHUTDOWN_GUEST_PANIC:
	case SHUTDOWN_SUBSYSTEM_RESET:
		return ENDING_REBOOT;
	case SHUTDOWN_NONE:
	case SHUTDOWN_HOST_SIGNAL:
	case SHUTDOWN_OTHER:
	case SHUTDOWN_COUNT:
		break;
	}
	return ENDING_DIED;
}

const char *shutdown_detail(const struct shutdown *shutdown)
{
	if (shutdown->reason == SHUTDOWN_HOST_SIGNAL)
		return "QEMU was ended by a signal from this host";
	if (shutdown->reason == SHUTDOWN_OTHER)
		return "QEMU stopped the guest for a reason that topolab does not know";
	return NULL;
}
