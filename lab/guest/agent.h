/* SPDX-License-Identifier: GPL-2.0-only */
/* The version of what the agent sends; a unit test holds it equal to RECORDS_AGENT_VERSION. */
#ifndef GUEST_AGENT_H
#define GUEST_AGENT_H

#define AGENT_VERSION 1

#endif
