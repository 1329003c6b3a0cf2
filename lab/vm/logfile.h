/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU's log below a root, ROOT/log/qemu/NAME.log: libvirt's lines and QEMU's stderr. */
#ifndef VM_LOGFILE_H
#define VM_LOGFILE_H

#include <glib.h>

/* The last line that QEMU itself wrote about a failure, in valid UTF-8; NULL when it wrote none. */
char *logfile_last_words(const char *root);
char *logfile_last_words_in(const char *text);
/* Why libvirt did not take a QEMU, from its own log ROOT/libvirt.log; NULL when it does not say. */
char *logfile_probe_failure(const char *root);
/* To @folder/qemu.log; a guest that never came so far has no log, and then no file is made. */
void logfile_copy(const char *root, const char *folder);

#endif
