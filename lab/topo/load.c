// SPDX-License-Identifier: GPL-2.0-only
#include "topo/load.h"

#include "base/error.h"
#include "topo/load_yaml.h"

struct topo *topo_load_text(const char *text, gsize length, const char *file, GError **error)
{
	AUTO(yaml) *yaml = yaml_parse(text, length, file, error);
	AUTO(topo) *topo = NULL;
	const struct yaml_node *root;

	if (!yaml)
		return NULL;
	root = yaml_root(yaml);
	topo = topo_new();
	topo->text = g_strndup(text, length);
	if (!topo_read_yaml(topo, root, error) || !topo_validate_file(topo, root, file, error))
		return NULL;
	topo_build(topo);
	if (!topo_validate_model(topo, root, error))
		return NULL;
	return g_steal_pointer(&topo);
}

struct topo *topo_load_file(const char *path, GError **error)
{
	g_autoptr(GError) read_error = NULL;
	g_autofree char *text = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, &read_error)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "topology file '%s' cannot be read: %s", path, read_error->message);
		return NULL;
	}
	return topo_load_text(text, length, path, error);
}
