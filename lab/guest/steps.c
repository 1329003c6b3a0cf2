// SPDX-License-Identifier: GPL-2.0-only
#include "guest/steps.h"

#include "base/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRY	     "try "
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each returns 0 or an errno value. */
static int step_mount(char *type, char *target)
{
	mkdir(target, 0755);
	return mount(type, target, type, 0, NULL) == 0 || errno == EBUSY ? 0 : errno;
}

static int step_mkdir(char *path, char *nothing)
{
	(void)nothing;
	return mkdir(path, 0755) == 0 || errno == EEXIST ? 0 : errno;
}

/* In one write(), as files of sysfs and cgroups want it. */
static int step_write(char *path, char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		result = errno;
	close(fd);
	return result;
}

static const struct verb {
	const char *name;
	int (*act)(char *first, char *second);
} verbs[] = {
	{"mount", step_mount},
	{"mkdir", step_mkdir},
	{"write", step_write},
};

/* Cuts @line into words. */
static int line_act(char *line)
{
	char *verb = strsep(&line, " "), *first = strsep(&line, " ");

	for (unsigned i = 0; first && i < COUNT(verbs); i++)
		if (strcmp(verbs[i].name, verb) == 0)
			return verbs[i].act(first, line ? line : first + strlen(first));
	return EINVAL;
}

void steps_take(struct text *answer)
{
	static char text[STEPS_MAX];
	int fd = open("/" STEPS_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	char *line, *rest = text;

	if (fd >= 0)
		close(fd);
	while (length > 0 && (line = strsep(&rest, "\n")) && *line) {
		int may_fail = strncmp(line, TRY, strlen(TRY)) == 0;
		char said[1024];
		int problem;

		stpncpy(said, line, sizeof(said) - 1)[0] = '\0';
		problem = line_act(may_fail ? line + strlen(TRY) : line);
		if (problem)
			text_printf(answer, "failed %d %s\n", problem, said);
		else
			text_printf(answer, "ok %s\n", said);
		if (problem && !may_fail)
			return;
	}
}
