// SPDX-License-Identifier: GPL-2.0-only
#include "vm/kvm_access.h"

#include "vm/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

/* As GitHub's own instructions for their runners have it. */
#define UDEV_RULE "KERNEL==\"kvm\", GROUP=\"kvm\", MODE=\"0666\", OPTIONS+=\"static_node=kvm\""

char *kvm_refusal(const struct kvm_access *access)
{
	g_autofree char *join = NULL;

	if (access->group_may && access->is_member)
		join = g_strdup_printf("'%s' is in its group '%s', but this session began earlier: "
				       "log in again; ",
				       access->user, access->group);
	else if (access->group_may)
		join = g_strdup_printf("it is for the group '%s': 'sudo usermod -aG %s %s', then "
				       "log in again; ",
				       access->group, access->group, access->user);
	return g_strdup_printf("the user '%s' cannot open /dev/kvm: %s; %son a CI machine put the "
			       "line '" UDEV_RULE "' into /etc/udev/rules.d/99-kvm.rules, then "
			       "'sudo udevadm control --reload-rules' and 'sudo udevadm trigger "
			       "--name-match=kvm'",
			       access->user, access->problem, join ? join : "");
}

static char *kvm_refused(const struct stat *kvm, int cause)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrgid(kvm->st_gid);
	g_autofree char *user_number = g_strdup_printf("%u", geteuid());
	g_autofree char *group_number = g_strdup_printf("%u", kvm->st_gid);
	struct kvm_access access = {
		.user = user ? user->pw_name : user_number,
		.group = group ? group->gr_name : group_number,
		.group_may = kvm->st_gid != 0 && (kvm->st_mode & 060) == 060,
		.problem = g_strerror(cause),
	};

	/* A container's root, a device that is there without its driver: no group would help. */
	if (cause != EACCES)
		return g_strdup_printf("/dev/kvm cannot be opened: %s", access.problem);
	access.is_member =
		group && user && g_strv_contains((const char *const *)group->gr_mem, user->pw_name);
	return kvm_refusal(&access);
}

bool vm_kvm_opens(char **why)
{
	struct stat kvm;
	int fd;

	if (stat("/dev/kvm", &kvm) < 0) {
		*why = g_strdup("this host has no /dev/kvm");
		return false;
	}
	fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		*why = kvm_refused(&kvm, errno);
		return false;
	}
	close(fd);
	return true;
}
