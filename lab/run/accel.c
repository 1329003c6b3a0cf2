// SPDX-License-Identifier: GPL-2.0-only
#include "run/accel.h"

#include "base/error.h"
#include "run/bisect.h"
#include "vm/vm.h"

#include <string.h>

const char *accel_require(const char *text, GError **error)
{
	static const char *const known[] = {"auto", "kvm", "tcg", NULL};

	if (g_strv_contains(known, text))
		return text;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "--accel takes auto, kvm or tcg, not '%s'",
		    text);
	return NULL;
}

/* "auto" is the only mode that may come down to TCG, and then it says so. */
static bool try_accel(const struct accel_question *question, const char *wanted,
		      enum emit_accel *accel, GError **error)
{
	const struct vm_kvm_question kvm = {
		.kernel_path = question->kernel_path,
		.silence_seconds = question->silence_seconds,
	};
	g_autofree char *why = NULL;
	g_autofree char *text = NULL;

	*accel = EMIT_ACCEL_TCG;
	if (strcmp(wanted, "tcg") == 0)
		return true;
	if (vm_kvm_works(&kvm, &why)) {
		*accel = EMIT_ACCEL_KVM;
		return true;
	}
	if (strcmp(wanted, "kvm") == 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "KVM was asked for, but %s", why);
		return false;
	}
	text = g_strdup_printf("Guests run under TCG, many times slower than KVM: %s", why);
	question->say(text, question->data);
	return true;
}

bool accel_choose(const struct accel_question *question, enum emit_accel *accel, GError **error)
{
	const char *wanted = question->wanted;
	g_autofree char *bisect = question->for_bisect ? bisect_find(".") : NULL;
	enum emit_accel before;

	if (!bisect)
		return try_accel(question, wanted, accel, error);
	if (strcmp(wanted, "auto") == 0 && bisect_recall(bisect, &before))
		wanted = emit_accel_name(before);
	return try_accel(question, wanted, accel, error) && bisect_remember(bisect, *accel, error);
}
