/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent's stream, as vm/ left it in a guest's folder. */
#ifndef RUN_CHANNEL_H
#define RUN_CHANNEL_H

#include <glib.h>
#include <stdbool.h>

#define CHANNEL_FILE "channel.bin"

/*
 * The evidence.tar.gz that the agent sent; NULL when it sent none. What became of the test programs
 * goes into @programs (struct program *; NULL: none were asked for), as far as it was said.
 * @problem receives a sentence when the stream is not whole or answers what nobody asked, and stays
 * NULL when it is whole, or when nothing came at all.
 */
GBytes *channel_read(const char *folder, GPtrArray *programs, char **problem);

/*
 * Of a stream that still grows, the name of the program that its end says runs; NULL: it says
 * nothing such. Cheap, and only for the eye. Caller frees.
 */
char *channel_running(const char *folder);

/* Has the agent said its last word, "bye"? Cheap, for a stream that still grows. */
bool channel_has_ended(const char *folder);

/* Did the agent say that it speaks over the serial port? */
bool channel_is_serial(const char *folder);

#endif
