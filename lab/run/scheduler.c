// SPDX-License-Identifier: GPL-2.0-only
#include "run/scheduler.h"

#include "base/error.h"

#include <elf.h>
#include <string.h>

static bool refuse(GError **error, const char *path, const char *why)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "the scheduler '%s' cannot run in a guest: %s", path, why);
	return false;
}

static bool has_segments(const Elf64_Ehdr *header, gsize length)
{
	gsize size = (gsize)header->e_phnum * sizeof(Elf64_Phdr);

	return header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum > 0 &&
	       header->e_phoff <= length && size <= length - header->e_phoff;
}

/* What the kernel's load_elf_binary() looks for, fs/binfmt_elf.c. */
bool scheduler_check(const guint8 *data, gsize length, const char *path, GError **error)
{
	Elf64_Ehdr header;

	if (length < sizeof(header) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return refuse(error, path, "it is no ELF program");
	memcpy(&header, data, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return refuse(error, path, "it is no ELF program for x86-64");
	if (!has_segments(&header, length))
		return refuse(error, path, "its program headers lie outside of it");
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, data + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return refuse(error, path,
				      "it needs shared libraries and their loader, of which a "
				      "guest has none; link it with -static");
	}
	return true;
}

GBytes *scheduler_load(const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *data = NULL;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "the scheduler '%s' cannot be read: %s", path, cause->message);
		return NULL;
	}
	if (!scheduler_check((const guint8 *)data, length, path, error))
		return NULL;
	return g_bytes_new_take(g_steal_pointer(&data), length);
}
