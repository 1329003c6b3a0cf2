// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"

GQuark topolab_error_quark(void)
{
	return g_quark_from_static_string("topolab-error-quark");
}

int error_exit_status(const GError *error)
{
	if (error->domain != TOPOLAB_ERROR)
		return 3;
	switch ((enum topolab_error_code)error->code) {
	case ERROR_INPUT:
		return 2;
	case ERROR_LAB:
		return 3;
	case ERROR_UNSUPPORTED:
		return 77;
	}
	return 3;
}
