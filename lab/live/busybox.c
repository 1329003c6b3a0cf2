// SPDX-License-Identifier: GPL-2.0-only
#include "live/busybox.h"

#include "base/error.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#define DEFAULT_PATH "/bin/busybox"

/* An x86-64 program that asks for no loader: the guest has none. ELF-64 object file format. */
static bool is_static_program(GBytes *bytes)
{
	gsize size;
	const guint8 *data = g_bytes_get_data(bytes, &size);
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_machine != EM_X86_64 || head.e_phoff > size ||
	    (size - head.e_phoff) / sizeof(Elf64_Phdr) < head.e_phnum)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, data + head.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return false;
	}
	return head.e_phnum > 0;
}

static GBytes *file_bytes(const char *path, GError **error)
{
	char *data;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, error))
		return NULL;
	return g_bytes_new_take(data, length);
}

GBytes *busybox_find(char **why, GError **error)
{
	const char *chosen = g_getenv("TOPOLAB_BUSYBOX");
	const char *path = chosen && *chosen ? chosen : DEFAULT_PATH;
	g_autoptr(GError) cause = NULL;
	g_autoptr(GBytes) bytes = file_bytes(path, &cause);

	if (bytes && is_static_program(bytes))
		return g_steal_pointer(&bytes);
	if (path == chosen) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "TOPOLAB_BUSYBOX names '%s', which is no static program for x86-64",
			    path);
		return NULL;
	}
	*why = g_strdup_printf("there is no shell in the guest: '%s' %s; install the package "
			       "busybox-static or set TOPOLAB_BUSYBOX",
			       path, bytes ? "is not static" : "does not exist");
	return NULL;
}
