// SPDX-License-Identifier: GPL-2.0-only
#include "stand_in.h"

int main(void)
{
	int right = query_is_answered();

	printf("TAP version 13\n1..1\n%sok 1 query\n", right ? "" : "not ");
	return !right;
}
