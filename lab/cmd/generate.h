/* SPDX-License-Identifier: GPL-2.0-only */
/* Text made from the command table, so that it cannot differ from what is parsed. Caller frees. */
#ifndef CMD_GENERATE_H
#define CMD_GENERATE_H

/* topolab.1, for man(7) macros. */
char *generate_manual(void);
/* A completion script for bash. */
char *generate_completion(void);

#endif
