// SPDX-License-Identifier: GPL-2.0-only
#include "base/ending.h"

#include "base/names.h"

ENUM_NAMES(ending, ENDING_COUNT, [ENDING_POWEROFF] = "poweroff", [ENDING_REBOOT] = "reboot",
	   [ENDING_STALLED] = "stalled", [ENDING_SILENT] = "silent", [ENDING_STARVED] = "starved",
	   [ENDING_DIED] = "died", [ENDING_CRASHED] = "crashed", [ENDING_FLOODED] = "flooded",
	   [ENDING_STOPPED] = "stopped", [ENDING_UP] = "up")
