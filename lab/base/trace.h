/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of its own code that Linux prints by name, in the lines of a console. Pure. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <glib.h>
#include <stdbool.h>

/* "schedule+0x2e/0x80", as %pS and %pB of lib/vsprintf.c have it. */
struct trace_address {
	const char *name; /* in the line, @name_length bytes */
	gsize name_length;
	guint64 offset, size; /* from the name on, and to what kallsyms has next */
	bool at;	      /* the instruction itself, behind "RIP:"; else a call returns there */
};

/*
 * The address that a line ends with: an entry of a call trace, reliable or with a "? ", a RIP, a
 * lock's holder. False: none, or one of a module, which kernels print as "name+0x1/0x2 [module]".
 * @length: of the line, without or with its end.
 */
bool trace_parse(const char *line, gsize length, struct trace_address *address);

#endif
