// SPDX-License-Identifier: GPL-2.0-only
#include "stand_in.h"

#include <pthread.h>

static void *thread(void *right)
{
	*(int *)right = query_is_answered();
	return NULL;
}

int main(void)
{
	pthread_t id;
	int right = 0;

	if (pthread_create(&id, NULL, thread, &right) == 0)
		pthread_join(id, NULL);
	printf("TAP version 13\n1..1\n%sok 1 query\n", right ? "" : "not ");
	return !right;
}
