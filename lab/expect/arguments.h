/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel arguments that change the machine which a kernel sees, and that no rule models. */
#ifndef EXPECT_ARGUMENTS_H
#define EXPECT_ARGUMENTS_H

/*
 * The first word of @command_line (as in /proc/cmdline) that makes the topology file's machine and
 * the rules of expect/ say nothing about the guest; NULL when there is none. Caller frees.
 */
char *arguments_unmodelled(const char *command_line);

#endif
