// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kbuild.h"

#include "kernel/folder_lock.h"
#include "kernel/kconfig.h"

#include "base/caller.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMAGE "arch/x86/boot/bzImage"
/* How often a build that goes on says so. */
#define NEWS_SECONDS 20
#define LOOK_USEC    100000

static bool has_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

bool kbuild_is_tree(const char *folder)
{
	return has_file(folder, "Makefile") && has_file(folder, "Kconfig") &&
	       has_file(folder, "arch/x86/Makefile");
}

bool kbuild_check_tree(const char *folder, GError **error)
{
	if (kbuild_is_tree(folder))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%s' is no Linux tree: there is no Makefile, Kconfig and arch/x86/Makefile "
		    "in it",
		    folder);
	return false;
}

char *kbuild_image(const struct kbuild *kbuild)
{
	return g_build_filename(kbuild->out, IMAGE, NULL);
}

char *kbuild_config(const struct kbuild *kbuild)
{
	return g_build_filename(kbuild->out, ".config", NULL);
}

char *kbuild_vmlinux(const struct kbuild *kbuild)
{
	return has_file(kbuild->out, "vmlinux") ? g_build_filename(kbuild->out, "vmlinux", NULL)
						: NULL;
}

static bool kbuild_in_place(const struct kbuild *kbuild)
{
	return strcmp(kbuild->tree, kbuild->out) == 0;
}

/* A folder of the cache for each tree: its log, and its objects if they are not in the tree. */
static char *cache_folder(const char *tree, GError **error)
{
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, tree, -1);
	g_autofree char *short_sum = g_strndup(sum, 16);
	g_autofree char *sub = g_build_filename("builds", short_sum, NULL);

	return paths_cache(sub, error);
}

/* Configs that differ in their fragments have objects that differ. */
static char *out_folder(const char *folder, const char *const *fragments)
{
	g_autofree char *names = g_strjoinv("\n", (char **)(gsize)fragments);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, names, -1);
	g_autofree char *name = g_strdup_printf("out-%.8s", sum);

	return g_build_filename(folder, name, NULL);
}

static bool choose_out(struct kbuild *kbuild, const char *folder, const char *const *fragments,
		       GError **error)
{
	if (!has_file(kbuild->tree, ".config")) {
		g_autoptr(GStrvBuilder) all = g_strv_builder_new();
		g_autofree char *base = kconfig_base();

		g_strv_builder_add(all, base);
		g_strv_builder_addv(all, (const char **)(gsize)fragments);
		kbuild->fragments = g_strv_builder_end(all);
		kbuild->out = out_folder(folder, (const char *const *)kbuild->fragments);
		return true;
	}
	kbuild->out = g_strdup(kbuild->tree);
	if (!*fragments)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%s' is built with the .config that lies in it, to which '%s' cannot be "
		    "added",
		    kbuild->tree, *fragments);
	return false;
}

struct kbuild *kbuild_open(const char *tree, const char *const *fragments,
			   const struct kernel_options *options, GError **error)
{
	AUTO(kbuild) *kbuild = g_new0(struct kbuild, 1);
	g_autofree char *folder = NULL;

	kbuild->lock = -1;
	if (!kbuild_check_tree(tree, error))
		return NULL;
	kbuild->tree = realpath(tree, NULL);
	folder = cache_folder(kbuild->tree, error);
	if (!folder || !choose_out(kbuild, folder, fragments, error))
		return NULL;
	kbuild->log = g_build_filename(folder, "log", NULL);
	kbuild->lock = folder_lock(folder, kbuild->tree, options, error);
	return kbuild->lock >= 0 ? g_steal_pointer(&kbuild) : NULL;
}

void kbuild_free(struct kbuild *kbuild)
{
	if (!kbuild)
		return;
	if (kbuild->lock >= 0)
		close(kbuild->lock);
	/* realpath() is libc's: what it returns is freed with free(), which g_free() is. */
	g_free(kbuild->tree);
	g_free(kbuild->out);
	g_free(kbuild->log);
	g_strfreev(kbuild->fragments);
	g_free(kbuild);
}

/* What the objects were compiled with; NULL: there are none yet. */
static char *compiler_used(const struct kbuild *kbuild)
{
	g_autofree char *path = g_build_filename(kbuild->out, "init", ".main.o.cmd", NULL);
	g_autofree char *command = NULL;

	return g_file_get_contents(path, &command, NULL, NULL) ? kbuild_compiler(command) : NULL;
}

/*
 * New objects: ccache in front of gcc, if there is one, for the files that a patch or a bisect will
 * change to and fro. It sleeps through the first build: every file includes the configuration and
 * says where the tree lies, so what another build left never fits, and keeping it would take a
 * seventh of the time.
 */
static void add_compiler(const struct kbuild *kbuild, GPtrArray *argv)
{
	g_autofree char *used = compiler_used(kbuild);
	g_autofree char *ccache = g_find_program_in_path("ccache");

	if (used)
		g_ptr_array_add(argv, g_strconcat("CC=", used, NULL));
	if (kbuild_in_place(kbuild))
		return;
	if (!used && ccache) {
		g_ptr_array_add(argv, g_strdup("CC=ccache gcc"));
		g_ptr_array_add(argv, g_strdup("CCACHE_DISABLE=1"));
	}
	/* A file that it does not know is then not preprocessed twice. */
	g_ptr_array_add(argv, g_strdup("CCACHE_DEPEND=1"));
}

/* As root through sudo, in the caller's tree: make runs as the caller, whose files it makes. */
static void add_caller(const struct kbuild *kbuild, GPtrArray *argv)
{
	uid_t uid;
	gid_t gid;

	if (!kbuild_in_place(kbuild) || !caller_owns(kbuild->tree) || !caller_find(&uid, &gid))
		return;
	g_ptr_array_add(argv, g_strdup("setpriv"));
	g_ptr_array_add(argv, g_strdup_printf("--reuid=%u", (unsigned)uid));
	g_ptr_array_add(argv, g_strdup_printf("--regid=%u", (unsigned)gid));
	g_ptr_array_add(argv, g_strdup("--init-groups"));
	/* Another user's process would otherwise outlive us. */
	g_ptr_array_add(argv, g_strdup("--pdeathsig=TERM"));
}

/* Was it configured with LLVM=1? A build with another linker would configure it anew. */
static bool uses_lld(const struct kbuild *kbuild)
{
	g_autofree char *path = kbuild_config(kbuild);
	g_autofree char *config = NULL;

	return g_file_get_contents(path, &config, NULL, NULL) &&
	       strstr(config, "\nCONFIG_LD_IS_LLD=y\n");
}

/* make -C TREE [O=OUT] [LLVM=1] [CC=...] -jN TARGET */
static GPtrArray *make_arguments(const struct kbuild *kbuild, const char *target)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	add_caller(kbuild, argv);
	g_ptr_array_add(argv, g_strdup("make"));
	g_ptr_array_add(argv, g_strdup("-C"));
	g_ptr_array_add(argv, g_strdup(kbuild->tree));
	if (!kbuild_in_place(kbuild)) {
		g_ptr_array_add(argv, g_strconcat("O=", kbuild->out, NULL));
		g_ptr_array_add(argv, g_strdup("ARCH=x86_64"));
	}
	if (uses_lld(kbuild))
		g_ptr_array_add(argv, g_strdup("LLVM=1"));
	add_compiler(kbuild, argv);
	g_ptr_array_add(argv, g_strdup_printf("-j%u", g_get_num_processors()));
	g_ptr_array_add(argv, g_strdup(target));
	g_ptr_array_add(argv, NULL);
	return argv;
}

/* How far a log was read, and how many lines such as "  CC      init/main.o" it had. */
struct steps {
	int fd;
	unsigned column; /* of the next byte; past 2 nobody looks */
	unsigned n;
};

static void steps_take(struct steps *steps, char c)
{
	if (c == '\n') {
		steps->column = 0;
	} else if (steps->column < 2 && c == ' ') {
		steps->column++;
	} else {
		steps->n += steps->column == 2 && g_ascii_isupper(c);
		steps->column = 3;
	}
}

static void steps_read(struct steps *steps)
{
	char buffer[4096];
	ssize_t n;

	while (steps->fd >= 0 && (n = read(steps->fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n; i++)
			steps_take(steps, buffer[i]);
}

/* Until make ends; its status as waitpid() has it. */
static int follow(const struct kbuild *kbuild, pid_t pid, const struct kernel_options *options)
{
	gint64 next = g_get_monotonic_time() + NEWS_SECONDS * G_USEC_PER_SEC;
	struct steps steps = {.fd = open(kbuild->log, O_RDONLY | O_CLOEXEC)};
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		g_usleep(LOOK_USEC);
		steps_read(&steps);
		if (g_get_monotonic_time() < next)
			continue;
		kernel_say(options, "building '%s': %u steps done", kbuild->tree, steps.n);
		next += NEWS_SECONDS * G_USEC_PER_SEC;
	}
	if (steps.fd >= 0)
		close(steps.fd);
	return status;
}

static void explain(const struct kbuild *kbuild, int status, GError **error)
{
	g_autofree char *log = NULL;
	g_autofree char *first = NULL;

	if (WIFSIGNALED(status)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the build of '%s' was ended by signal %d (%s); its log is '%s'",
			    kbuild->tree, WTERMSIG(status), g_strsignal(WTERMSIG(status)),
			    kbuild->log);
		return;
	}
	g_file_get_contents(kbuild->log, &log, NULL, NULL);
	first = kbuild_first_error(log ? log : "");
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD,
		    "'%s' does not build: %s; the whole log is '%s'", kbuild->tree,
		    first ? first : "make gives no reason", kbuild->log);
}

bool kbuild_target(const struct kbuild *kbuild, const char *target,
		   const struct kernel_options *options, GError **error)
{
	g_autoptr(GPtrArray) argv = make_arguments(kbuild, target);
	g_autofree char *program = g_find_program_in_path(argv->pdata[0]);
	pid_t pid;
	int status;

	if (!program) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "building '%s' needs '%s', which this host lacks", kbuild->tree,
			    (char *)argv->pdata[0]);
		return false;
	}
	g_free(argv->pdata[0]);
	argv->pdata[0] = g_steal_pointer(&program);
	pid = spawn_start((const char *const *)argv->pdata, NULL, 0, kbuild->log, error);
	if (pid < 0)
		return false;
	status = follow(kbuild, pid, options);
	if (status == 0)
		return true;
	explain(kbuild, status, error);
	return false;
}

bool kbuild_make(const struct kbuild *kbuild, const struct kernel_options *options, GError **error)
{
	/* Of this build alone. */
	if (unlink(kbuild->log) != 0 && errno != ENOENT) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot replace '%s': %s", kbuild->log,
			    g_strerror(errno));
		return false;
	}
	if (!kbuild_in_place(kbuild) && !kconfig_make(kbuild, options, error))
		return false;
	kernel_say(options, "building '%s', %s", kbuild->tree,
		   kbuild_in_place(kbuild) ? "in place" : "in the cache");
	return kbuild_target(kbuild, "bzImage", options, error);
}
