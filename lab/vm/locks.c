// SPDX-License-Identifier: GPL-2.0-only
#include "vm/locks.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#define OWNER_NAME  "owner"
#define NAME_LENGTH 8

/* RFC 4648's base32 in lower case: eight of them are 40 random bits. */
static const char name_digits[] = "abcdefghijklmnopqrstuvwxyz234567";

char *locks_new_name(void)
{
	char *name = g_malloc0(NAME_LENGTH + 1);
	guint8 bytes[NAME_LENGTH];

	/* getrandom(2) fails only on kernels without it. */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		for (unsigned i = 0; i < NAME_LENGTH; i++)
			bytes[i] = (guint8)g_random_int();
	for (unsigned i = 0; i < NAME_LENGTH; i++)
		name[i] = name_digits[bytes[i] % 32];
	return name;
}

bool locks_is_name(const char *name)
{
	return strlen(name) == NAME_LENGTH && strspn(name, name_digits) == NAME_LENGTH;
}

int locks_take_runtime(const char *runtime, GError **error)
{
	int fd = open(runtime, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot lock the runtime folder '%s': %s",
		    runtime, g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int locks_make_owner(const char *root, GError **error)
{
	g_autofree char *path = g_build_filename(root, OWNER_NAME, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot lock '%s': %s", path,
		    g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Does another process hold an fcntl lock, as libvirt does on its pid file? */
static bool is_locked_by_record(const char *path)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool locked;

	if (fd < 0)
		return false;
	locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return locked;
}

enum locks_state locks_try(const char *root, int *fd)
{
	g_autofree char *owner = g_build_filename(root, OWNER_NAME, NULL);
	g_autofree char *driver = g_build_filename(root, "run", "qemu", "driver.pid", NULL);

	*fd = open(owner, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LOCKS_BARE : LOCKS_LIVE;
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0 && !is_locked_by_record(driver))
		return LOCKS_ORPHAN;
	close(*fd);
	*fd = -1;
	return LOCKS_LIVE;
}
