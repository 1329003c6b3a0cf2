// SPDX-License-Identifier: GPL-2.0-only
/* From a guest's specification to its worker. */
#include "vm/launch.h"

#include "base/error.h"
#include "base/spawn.h"
#include "vm/message.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The job lies in memory, so a worker that dies early cannot block us, nor we it. */
static int job_fd_new(const struct vm_spec *spec, GError **error)
{
	AUTO(worker_job) *job = g_new0(struct worker_job, 1);
	g_autofree char *text = NULL;
	int fd = memfd_create("job", MFD_CLOEXEC);

	job->root = g_strdup(vm_root_path(spec->root));
	job->uri = g_strdup(spec->uri);
	job->xml = g_strdup(spec->xml);
	job->folder = g_canonicalize_filename(spec->folder, NULL);
	job->console_max = spec->console_max ? spec->console_max : VM_CONSOLE_MAX;
	job->channel_max = spec->channel_max ? spec->channel_max : VM_CHANNEL_MAX;
	job->dump_memory = spec->dump_memory;
	job->gdb = spec->gdb;
	job->gdb_port = spec->gdb_port;
	text = worker_job_format(job);
	if (text && fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot write the worker's job: %s",
		    text ? g_strerror(errno) : "it is not UTF-8");
	if (fd >= 0)
		close(fd);
	return -1;
}

pid_t launch_worker(const struct vm_spec *spec, int *reports_fd, GError **error)
{
	const char *argv[] = {"/proc/self/exe", "worker", vm_root_path(spec->root), NULL};
	int job = job_fd_new(spec, error);
	int pipe_fds[2];
	pid_t worker;

	if (job < 0)
		return 0;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make a pipe: %s",
			    g_strerror(errno));
		close(job);
		return 0;
	}
	g_unix_set_fd_nonblocking(pipe_fds[0], TRUE, NULL);
	worker = spawn_start(argv, (const int[]){job, pipe_fds[1]}, 2, spec->errors, error);
	close(job);
	close(pipe_fds[1]);
	if (worker > 0) {
		*reports_fd = pipe_fds[0];
		return worker;
	}
	close(pipe_fds[0]);
	return 0;
}
