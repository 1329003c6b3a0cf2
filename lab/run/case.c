// SPDX-License-Identifier: GPL-2.0-only
#include "run/case.h"

#include "base/error.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/yaml.h"
#include "expect/step.h"
#include "topo/change.h"
#include "topo/load.h"

#include <stdio.h>
#include <string.h>

#define FOLDER "tests/cases"
#define SUFFIX ".yaml"
#define RIGHT  "right"

ENUM_NAMES(case_verdict, CASE_VERDICT_COUNT, [CASE_PASS] = "PASS", [CASE_KNOWN_BUG] = "KNOWN-BUG",
	   [CASE_SKIP] = "SKIP", [CASE_FIXED] = "FIXED", [CASE_TIMEOUT] = "TIMEOUT",
	   [CASE_FAIL] = "FAIL", [CASE_ERROR] = "ERROR")

static const char *const case_keys[] = {
	"title", "source", "machine", "append", "steps", "right", "wrong", "kernels", NULL,
};
static const char *const kernel_keys[] = {"shows", "as-of", "append", NULL};

static void observation_release(gpointer observation)
{
	observation_free(observation);
}

static void look_release(gpointer data)
{
	struct case_look *look = data;

	g_free(look->name);
	g_ptr_array_unref(look->observations);
	g_free(look);
}

static void kernel_release(gpointer data)
{
	struct case_kernel *kernel = data;

	g_free(kernel->name);
	g_free(kernel->append);
	g_free(kernel);
}

void case_free(struct case_file *file)
{
	if (!file)
		return;
	g_free(file->name);
	g_free(file->title);
	g_free(file->topology);
	g_free(file->machine);
	g_free(file->append);
	g_ptr_array_unref(file->sources);
	g_ptr_array_unref(file->steps);
	g_ptr_array_unref(file->looks);
	g_ptr_array_unref(file->kernels);
	g_free(file);
}

/* A key that may be absent. */
static bool read_text(const struct yaml_node *root, const char *key, char **text, GError **error)
{
	const struct yaml_node *node = yaml_get(root, key);
	const char *value = node ? yaml_text(node, error) : NULL;

	if (node && !value)
		return false;
	*text = g_strdup(value);
	return true;
}

static bool read_lines(const struct yaml_node *root, const char *key, GPtrArray *lines,
		       GError **error)
{
	const struct yaml_node *list = yaml_get(root, key);

	if (!list)
		return true;
	if (!yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; i < yaml_count(list); i++) {
		const char *line = yaml_text(yaml_item(list, i), error);

		if (!line)
			return false;
		g_ptr_array_add(lines, g_strdup(line));
	}
	return true;
}

static bool read_sources(struct case_file *file, const struct yaml_node *root, GError **error)
{
	if (!read_lines(root, "source", file->sources, error))
		return false;
	return file->sources->len ||
	       yaml_error(root, error, "the case has no 'source' where it was reported or mended");
}

/* Errors of parsers that do not know where a line stands. */
static bool error_at(const struct yaml_node *node, GError *cause, GError **error)
{
	yaml_error(node, error, "%s", cause->message);
	g_error_free(cause);
	return false;
}

static bool read_steps(struct case_file *file, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *list = yaml_get(root, "steps");

	if (!read_lines(root, "steps", file->steps, error))
		return false;
	for (guint i = 0; i < file->steps->len; i++) {
		GError *cause = NULL;
		AUTO(step) *step = step_parse(file->steps->pdata[i], &cause);

		if (!step)
			return error_at(yaml_item(list, i), cause, error);
	}
	g_ptr_array_add(file->steps, NULL);
	return true;
}

/* A mapping is another machine with changes, {of: NAME, KEY: VALUE, ...}, or a whole one. */
static char *machine_text(const struct case_file *file, const struct yaml_node *node,
			  GError **error)
{
	g_auto(GStrv) path = topo_search_path();
	const struct yaml_node *of = yaml_get(node, "of");
	const char *name = of ? yaml_name(of, error) : NULL;
	AUTO(topo) *base = name ? topo_find(name, (const char *const *)path, error) : NULL;

	if (of && !base)
		return NULL;
	return topo_change(base ? topo_text(base) : "{}", node, file->name, file->title,
			   file->sources->pdata[0], error);
}

static bool read_machine(struct case_file *file, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_require(root, "machine", error);
	AUTO(topo) *topo = NULL;

	if (!node)
		return false;
	if (yaml_type(node) == YAML_SCALAR) {
		file->topology = g_strdup(yaml_name(node, error));
		return file->topology != NULL;
	}
	file->machine = machine_text(file, node, error);
	if (!file->machine)
		return false;
	topo = topo_load_text(file->machine, strlen(file->machine), file->name, error);
	if (!topo)
		g_prefix_error(error, "the machine of case '%s': ", file->name);
	return topo != NULL;
}

static bool read_look(struct case_file *file, const char *name, const struct yaml_node *list,
		      GError **error)
{
	struct case_look *look;

	if (!yaml_check_list(list, error))
		return false;
	if (!yaml_count(list))
		return yaml_error(list, error, "'%s' says nothing that can be observed", name);
	look = g_new0(struct case_look, 1);
	look->name = g_strdup(name);
	look->observations = g_ptr_array_new_with_free_func(observation_release);
	g_ptr_array_add(file->looks, look);
	for (unsigned i = 0; i < yaml_count(list); i++) {
		const char *text = yaml_text(yaml_item(list, i), error);
		GError *cause = NULL;
		struct observation *observation = text ? observation_parse(text, &cause) : NULL;

		if (!observation)
			return text ? error_at(yaml_item(list, i), cause, error) : false;
		g_ptr_array_add(look->observations, observation);
	}
	return true;
}

static bool read_looks(struct case_file *file, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *right = yaml_require(root, RIGHT, error);
	const struct yaml_node *wrong = yaml_get(root, "wrong");

	if (!right || !read_look(file, RIGHT, right, error))
		return false;
	if (wrong && yaml_type(wrong) != YAML_MAPPING)
		return yaml_error(wrong, error, "'wrong' is not a mapping of names to lists");
	for (unsigned i = 0; wrong && i < yaml_count(wrong); i++)
		if (!read_look(file, yaml_key(wrong, i), yaml_item(wrong, i), error))
			return false;
	return true;
}

static const struct case_look *look_find(const struct case_file *file, const char *name)
{
	for (guint i = 0; i < file->looks->len; i++) {
		const struct case_look *look = file->looks->pdata[i];

		if (strcmp(look->name, name) == 0)
			return look;
	}
	return NULL;
}

static bool read_version(struct case_kernel *kernel, const struct yaml_node *node, GError **error)
{
	const struct yaml_node *value = yaml_get(node, "as-of");
	const char *text = value ? yaml_text(value, error) : NULL;
	unsigned major, minor, patch;

	if (value && !text)
		return false;
	if (strcmp(kernel->look->name, RIGHT) == 0)
		return !value ||
		       yaml_error(value, error, "'as-of' is the version of a kernel that is wrong");
	if (!value)
		return yaml_error(node, error, "a kernel that is wrong needs 'as-of', its version");
	if (sscanf(text, "%4u.%4u.%4u", &major, &minor, &patch) != 3)
		return yaml_wrong(value, error, "a version such as 6.12.117");
	kernel->version = KERNEL_VERSION_OF(major, minor, patch);
	return true;
}

static bool read_kernel(struct case_file *file, const char *name, const struct yaml_node *node,
			GError **error)
{
	struct case_kernel *kernel = g_new0(struct case_kernel, 1);
	const struct yaml_node *shows;
	const char *look;

	kernel->name = g_strdup(name);
	g_ptr_array_add(file->kernels, kernel);
	if (!yaml_check_keys(node, kernel_keys, error))
		return false;
	shows = yaml_require(node, "shows", error);
	look = shows ? yaml_text(shows, error) : NULL;
	if (!look)
		return false;
	kernel->look = look_find(file, look);
	if (!kernel->look)
		return yaml_error(shows, error, "'%s' is neither 'right' nor one of 'wrong'", look);
	return read_text(node, "append", &kernel->append, error) &&
	       read_version(kernel, node, error);
}

static bool read_kernels(struct case_file *file, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_require(root, "kernels", error);

	if (!node)
		return false;
	if (yaml_type(node) != YAML_MAPPING || !yaml_count(node))
		return yaml_error(node, error, "'kernels' is not a mapping of kernels");
	for (unsigned i = 0; i < yaml_count(node); i++)
		if (!read_kernel(file, yaml_key(node, i), yaml_item(node, i), error))
			return false;
	return true;
}

static bool read_file(struct case_file *file, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *title;
	const char *text;

	if (!yaml_check_keys(root, case_keys, error))
		return false;
	title = yaml_require(root, "title", error);
	text = title ? yaml_text(title, error) : NULL;
	file->title = g_strdup(text);
	return text && read_sources(file, root, error) && read_machine(file, root, error) &&
	       read_text(root, "append", &file->append, error) && read_steps(file, root, error) &&
	       read_looks(file, root, error) && read_kernels(file, root, error);
}

struct case_file *case_parse(const char *text, gsize length, const char *name, const char *from,
			     GError **error)
{
	AUTO(yaml) *yaml = yaml_parse(text, length, from, error);
	AUTO(case_file) *file = NULL;

	if (!yaml)
		return NULL;
	file = g_new0(struct case_file, 1);
	file->name = g_strdup(name);
	file->sources = g_ptr_array_new_with_free_func(g_free);
	file->steps = g_ptr_array_new_with_free_func(g_free);
	file->looks = g_ptr_array_new_with_free_func(look_release);
	file->kernels = g_ptr_array_new_with_free_func(kernel_release);
	return read_file(file, yaml_root(yaml), error) ? g_steal_pointer(&file) : NULL;
}

char **case_list(void)
{
	g_autofree char *folder = paths_data(FOLDER);
	const char *folders[] = {folder, NULL};

	return paths_names(folders, SUFFIX);
}

static struct case_file *case_load(const char *path, GError **error)
{
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *name = g_str_has_suffix(base, SUFFIX)
					? g_strndup(base, strlen(base) - strlen(SUFFIX))
					: g_strdup(base);
	g_autofree char *text = NULL;
	g_autoptr(GError) cause = NULL;
	gsize length;

	if (g_file_get_contents(path, &text, &length, &cause))
		return case_parse(text, length, name, path, error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read the case '%s': %s", path,
		    cause->message);
	return NULL;
}

struct case_file *case_find(const char *name, GError **error)
{
	g_autofree char *folder = paths_data(FOLDER);
	g_autofree char *base = g_strconcat(name, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(folder, base, NULL);
	g_auto(GStrv) names = NULL;
	g_autofree char *known = NULL;

	if (strchr(name, '/') || g_str_has_suffix(name, SUFFIX))
		return case_load(name, error);
	if (*name && g_file_test(path, G_FILE_TEST_EXISTS))
		return case_load(path, error);
	names = case_list();
	known = g_strjoinv(", ", names);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "there is no case '%s', the cases are: %s",
		    name, *known ? known : "none");
	return NULL;
}

bool case_is_guard(const struct case_file *file)
{
	for (guint i = 0; i < file->kernels->len; i++) {
		const struct case_kernel *kernel = file->kernels->pdata[i];

		if (strcmp(kernel->look->name, RIGHT) != 0)
			return false;
	}
	return true;
}
