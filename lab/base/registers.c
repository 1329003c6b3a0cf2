// SPDX-License-Identifier: GPL-2.0-only
#include "base/registers.h"

#include <string.h>

#define GATE_MARK "IDT gate 0: "

/* The number behind @name, which begins a word, between @text and @end. */
static bool find_number(const char *text, const char *end, const char *name, guint base,
			guint64 *value)
{
	gsize length = strlen(name);

	for (const char *at = text; (at = memmem(at, (gsize)(end - at), name, length)); at++) {
		const char *digits = at + length;
		char *stop;

		if (at != text && !g_ascii_isspace(at[-1]))
			continue;
		while (digits < end && *digits == ' ')
			digits++;
		if (digits == end || !g_ascii_isxdigit(*digits))
			continue;
		*value = g_ascii_strtoull(digits, &stop, base);
		return stop <= end;
	}
	return false;
}

/* "CS =f000 ffff0000 0000ffff 00009b00": selector, base, limit, flags. */
static guint64 code_base(const char *text, const char *end)
{
	const char *at = memmem(text, (gsize)(end - text), "CS =", 4);

	if (!at || end - at < 9 || at[8] != ' ' || !g_ascii_isxdigit(at[9]))
		return 0;
	return g_ascii_strtoull(at + 9, NULL, 16);
}

/* Where 64-bit code runs, the base of CS counts for nothing, and QEMU prints 0. */
static bool parse_vcpu(const char *text, const char *end, struct registers *registers)
{
	guint64 address, number;

	registers->long_mode = find_number(text, end, "RIP=", 16, &address);
	if (!registers->long_mode && !find_number(text, end, "EIP=", 16, &address))
		return false;
	registers->address = address + code_base(text, end);
	if (!registers->long_mode)
		registers->address &= G_MAXUINT32;
	registers->cpl = find_number(text, end, "CPL=", 10, &number) ? number & 3 : 0;
	registers->halted = find_number(text, end, "HLT=", 10, &number) && number;
	registers->idt = find_number(text, end, "IDT=", 16, &number) ? number : 0;
	return true;
}

GArray *registers_parse(const char *text)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct registers));
	const char *at = strstr(text, "CPU#");

	while (at && all->len < REGISTERS_MAX) {
		const char *next = strstr(at + 4, "CPU#");
		const char *end = next ? next : at + strlen(at);
		struct registers registers = {0};
		char *stop;
		guint64 vcpu = g_ascii_strtoull(at + 4, &stop, 10);

		if (stop != at + 4 && vcpu < REGISTERS_MAX && parse_vcpu(stop, end, &registers)) {
			registers.vcpu = (unsigned)vcpu;
			g_array_append_val(all, registers);
		}
		at = next;
	}
	return all;
}

char *registers_format_gate(const char *dump)
{
	g_autofree char *line = g_strndup(dump, strcspn(dump, "\r\n"));

	return g_strconcat(GATE_MARK, line, "\n", NULL);
}

/*
 * "fffffe0000000000: 0x9a208e0000101040 0x00000000ffffffff". A 64-bit gate holds its handler's
 * address in three pieces: Intel SDM volume 3, figure 7-8.
 */
bool registers_parse_gate(const char *text, guint64 *handler)
{
	const char *mark = g_strrstr(text, GATE_MARK);
	const char *colon = mark ? strchr(mark + strlen(GATE_MARK), ':') : NULL;
	guint64 low, high;
	char *end;

	if (!colon)
		return false;
	low = g_ascii_strtoull(colon + 1, &end, 16);
	if (end == colon + 1)
		return false;
	high = g_ascii_strtoull(end, NULL, 16);
	*handler = (low & 0xffff) | (low >> 48 << 16) | (high << 32);
	return *handler != 0;
}
