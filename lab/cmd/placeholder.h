/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the words of a synopsis stand for. An argument or an option's value is written as a name in
 * capitals (TOPOLOGY, K) or as the words themselves (kvm|tcg, [prune]); completion follows from
 * that, so a row needs nothing more.
 */
#ifndef CMD_PLACEHOLDER_H
#define CMD_PLACEHOLDER_H

#include <glib.h>

/* What a shell can offer in a place; several may apply at once. */
enum offer {
	OFFER_FILES = 1 << 0,
	OFFER_FOLDERS = 1 << 1,
};

struct offers {
	unsigned kinds;	  /* of enum offer */
	GPtrArray *names; /* const char *: lists that `topolab complete` knows */
	GPtrArray *words; /* char * */
};

/* @synopsis: "TOPOLOGY...", "auto|kvm|tcg", "RUN|JOB|result.json"; NULL and "" offer nothing. */
struct offers *offers_new(const char *synopsis);
void offers_free(struct offers *offers);

#endif
