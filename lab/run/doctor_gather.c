// SPDX-License-Identifier: GPL-2.0-only
#include "run/doctor.h"

#include "base/error.h"
#include "base/paths.h"
#include "kernel/apt.h"
#include "kernel/kernel.h"

#include <hwloc.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

static void keep_message(char **problem, GError *error)
{
	if (error)
		*problem = g_strdup(error->message);
	g_clear_error(&error);
}

/* @path is taken over. */
static void gather_folder(struct doctor_folder *folder, char *path, GError *error)
{
	struct statvfs status;

	folder->path = path;
	if (path && statvfs(path, &status) == 0)
		folder->free_bytes = (guint64)status.f_bavail * status.f_frsize;
	keep_message(&folder->problem, error);
}

static void gather_folders(struct doctor_facts *facts)
{
	GError *error = NULL;
	char *path = paths_cache(NULL, &error);

	gather_folder(&facts->cache, path, error);
	error = NULL;
	path = paths_runtime(&error);
	gather_folder(&facts->runtime, path, error);
}

/* Only what the user named is fetched, and only that is an error. */
static bool gather_kernel(const char *name, struct kernel **kernel, struct doctor_facts *facts,
			  GError **error)
{
	const struct kernel_options options = {.offline = name == NULL};
	g_autoptr(GError) cause = NULL;

	*kernel = kernel_get(name ? name : KERNEL_DEFAULT, &options, &cause);
	if (*kernel) {
		facts->kernel = g_strdup(kernel_facts_release((*kernel)->facts));
		return true;
	}
	facts->kernel_problem = g_strdup(cause->message);
	if (name)
		g_propagate_error(error, g_steal_pointer(&cause));
	return name == NULL;
}

static void gather_kvm(const struct kernel *kernel, struct doctor_facts *facts)
{
	struct vm_kvm_question question = {0};

	if (!vm_kvm_opens(&facts->kvm_problem) || !kernel || facts->trial.problem)
		return;
	question.kernel_path = kernel->image_path;
	facts->kvm_tried = true;
	vm_kvm_works(&question, &facts->kvm_problem);
}

bool doctor_gather(const char *kernel_name, struct doctor_facts *facts, GError **error)
{
	AUTO(kernel) *kernel = NULL;
	GError *cause = NULL;
	struct utsname host;

	if (!gather_kernel(kernel_name, &kernel, facts, error))
		return false;
	uname(&host);
	facts->system = g_strdup_printf("%s %s on %s", host.sysname, host.release, host.machine);
	facts->n_cpus = g_get_num_processors();
	facts->hwloc = g_strdup(HWLOC_VERSION);
	gather_folders(facts);
	if (!apt_check_host(&cause))
		keep_message(&facts->fetch_problem, g_steal_pointer(&cause));
	facts->qemu = qemu_ask(&cause);
	keep_message(&facts->qemu_problem, g_steal_pointer(&cause));
	if (!vm_init(&cause))
		keep_message(&facts->reaping_problem, g_steal_pointer(&cause));
	else if (facts->qemu)
		vm_try(&facts->trial);
	gather_kvm(kernel, facts);
	return true;
}

void doctor_facts_clear(struct doctor_facts *facts)
{
	g_free(facts->system);
	g_free(facts->cache.path);
	g_free(facts->cache.problem);
	g_free(facts->runtime.path);
	g_free(facts->runtime.problem);
	g_free(facts->kernel);
	g_free(facts->kernel_problem);
	qemu_free(facts->qemu);
	g_free(facts->qemu_problem);
	vm_trial_clear(&facts->trial);
	g_free(facts->kvm_problem);
	g_free(facts->reaping_problem);
	g_free(facts->fetch_problem);
	g_free(facts->hwloc);
}
