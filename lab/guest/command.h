/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting and ending the programs that the host asks for. */
#ifndef GUEST_COMMAND_H
#define GUEST_COMMAND_H

#include "base/frames.h"

#include <sys/types.h>

struct command {
	pid_t pid; /* leader of a session of its own */
	/* Our ends, not blocking; -1: none. With a terminal the errors come with the output. */
	int input, output, errors;
};

/* 0, or errno: why there is no command. */
int command_start(struct command *command, const struct frame_start *start);
/* To every process of the command's session that has not left it. */
void command_signal(pid_t leader, int number);

#endif
