// SPDX-License-Identifier: GPL-2.0-only
/* A topology file but for its rows: in the compact form, a regular machine in a few numbers. */
#include "topo/load_yaml.h"

#include "base/error.h"
#include "topo/keeps.h"

#include <string.h>

#define MAX_TITLE_BYTES 200u
#define MAX_BOOT_BYTES	1024u /* half of COMMAND_LINE_SIZE, arch/x86/include/asm/setup.h */
#define MAX_MEMORY_MIB	(1u << 20)

static const char *const file_keys[] = {
	"name",
	"title",
	"reference",
	"mini-of",
	"keeps",
	"cpu",
	"packages",
	"l3_per_package",
	"cores_per_l3",
	"core_slots_per_l3",
	"cores_per_l2",
	"threads_per_core",
	"nodes_per_package",
	"cpus",
	"nodes",
	"memory_only_nodes",
	"memory_per_node",
	"distances",
	"numbering",
	"firmware",
	"boot",
	NULL,
};

/* Every one of these says something about a real machine, so it says where that is known from. */
static const char *const referenced_keys[] = {
	"cpu",
	"packages",
	"l3_per_package",
	"cores_per_l3",
	"core_slots_per_l3",
	"cores_per_l2",
	"threads_per_core",
	"nodes_per_package",
	"cpus",
	"nodes",
	"memory_only_nodes",
	"memory_per_node",
	"distances",
	"numbering",
	"firmware",
	NULL,
};

static bool read_line(const struct yaml_node *root, const char *key, char **value, GError **error)
{
	const struct yaml_node *node = yaml_require(root, key, error);
	const char *text = node ? yaml_text(node, error) : NULL;

	if (!text)
		return false;
	if (strlen(text) > MAX_TITLE_BYTES || strpbrk(text, "\r\n\t"))
		return yaml_error(node, error, "'%s' must be one line of at most %u bytes", key,
				  MAX_TITLE_BYTES);
	*value = g_strdup(text);
	return true;
}

static bool read_name(const struct yaml_node *root, char **value, GError **error)
{
	const struct yaml_node *node = yaml_require(root, "name", error);

	*value = node ? g_strdup(yaml_name(node, error)) : NULL;
	return *value != NULL;
}

static bool read_references(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *references = yaml_require(root, "reference", error);

	if (!references || !yaml_check_keys(references, referenced_keys, error))
		return false;
	for (unsigned i = 0; referenced_keys[i]; i++) {
		const char *key = referenced_keys[i];
		const struct yaml_node *node = yaml_get(references, key);
		bool given = yaml_get(root, key) != NULL;
		const char *text;

		if (!node && !given)
			continue;
		if (!node)
			return yaml_error(references, error,
					  "'reference' does not say where the value of '%s' comes "
					  "from",
					  key);
		if (!given)
			return yaml_error(node, error,
					  "'reference' says where the value of '%s' comes from, "
					  "but the file has no such key",
					  key);
		text = yaml_text(node, error);
		if (!text)
			return false;
		g_hash_table_replace(topo->references, g_strdup(key), g_strchomp(g_strdup(text)));
	}
	return true;
}

static bool read_number(const struct yaml_node *mapping, const char *key, unsigned min,
			unsigned max, unsigned *value, GError **error)
{
	const struct yaml_node *node = yaml_require(mapping, key, error);

	return node && yaml_unsigned(node, min, max, value, error);
}

/* A key that may be absent; @value then stays what it is. */
static bool read_optional_number(const struct yaml_node *mapping, const char *key, unsigned min,
				 unsigned max, unsigned *value, GError **error)
{
	const struct yaml_node *node = yaml_get(mapping, key);

	return !node || yaml_unsigned(node, min, max, value, error);
}

static bool read_lacks(struct topo_cpu_model *model, const struct yaml_node *list, GError **error)
{
	if (list && !yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; list && i < yaml_count(list); i++) {
		const char *text = yaml_text(yaml_item(list, i), error);
		enum topo_lack lack;

		if (!text)
			return false;
		if (!topo_lack_from_name(text, &lack))
			return yaml_wrong(yaml_item(list, i), error, "'%s' or '%s'",
					  topo_lack_name(TOPO_LACK_TOPOEXT),
					  topo_lack_name(TOPO_LACK_L3));
		if (lack == TOPO_LACK_TOPOEXT && model->vendor != TOPO_VENDOR_AMD)
			return yaml_error(yaml_item(list, i), error,
					  "'cpu.lacks' names '%s', which only vendor '%s' has",
					  text, topo_vendor_name(TOPO_VENDOR_AMD));
		model->lacks |= 1u << lack;
	}
	return true;
}

static bool read_cpu_model(struct topo *topo, const struct yaml_node *root, GError **error)
{
	static const char *const keys[] = {"vendor", "family", "model", "stepping", "lacks", NULL};
	const struct yaml_node *cpu = yaml_require(root, "cpu", error);
	const struct yaml_node *vendor;
	const char *text;

	if (!cpu || !yaml_check_keys(cpu, keys, error))
		return false;
	vendor = yaml_require(cpu, "vendor", error);
	text = vendor ? yaml_text(vendor, error) : NULL;
	if (!text)
		return false;
	if (!topo_vendor_from_name(text, &topo->model.vendor))
		return yaml_wrong(vendor, error, "'%s' or '%s'", topo_vendor_name(TOPO_VENDOR_AMD),
				  topo_vendor_name(TOPO_VENDOR_INTEL));
	/* CPUID leaf 1 EAX holds family (4 bits + 8 bits), model (8 bits) and stepping (4 bits). */
	return read_number(cpu, "family", 0, 15 + 255, &topo->model.family, error) &&
	       read_number(cpu, "model", 0, 255, &topo->model.model, error) &&
	       read_number(cpu, "stepping", 0, 15, &topo->model.stepping, error) &&
	       read_lacks(&topo->model, yaml_get(cpu, "lacks"), error);
}

/* The APIC id may have room for more cores than an L3 has: a machine with some fused off. */
static bool read_core_slots(struct topo_shape *shape, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_get(root, "core_slots_per_l3");

	shape->core_slots = shape->cores;
	if (!node)
		return true;
	if (!yaml_unsigned(node, 1, 512, &shape->core_slots, error))
		return false;
	return shape->core_slots >= shape->cores ||
	       yaml_error(node, error, "'core_slots_per_l3' is %u, less than the %u 'cores_per_l3'",
			  shape->core_slots, shape->cores);
}

/* Some of Intel's small cores share an L2. On AMD Linux takes no L2 to be shared by cores. */
static bool read_l2_cores(struct topo *topo, const struct yaml_node *root, GError **error)
{
	struct topo_shape *shape = &topo->shape;
	const struct yaml_node *node = yaml_get(root, "cores_per_l2");

	shape->l2_cores = 1;
	if (!node)
		return true;
	if (!yaml_unsigned(node, 1, 64, &shape->l2_cores, error))
		return false;
	if (topo->model.vendor != TOPO_VENDOR_INTEL)
		return yaml_error(node, error, "'cores_per_l2' is for vendor '%s' only",
				  topo_vendor_name(TOPO_VENDOR_INTEL));
	return (shape->cores % shape->l2_cores == 0 && shape->cores == shape->core_slots &&
		(shape->l2_cores & (shape->l2_cores - 1)) == 0) ||
	       yaml_error(node, error,
			  "'cores_per_l2' is %u, it must be a power of two that divides the %u "
			  "cores of an L3, whose slots must all be filled",
			  shape->l2_cores, shape->cores);
}

/* What the two forms of a file have for themselves. */
static bool check_form(const struct yaml_node *root, GError **error)
{
	static const char *const compact[] = {"core_slots_per_l3", "cores_per_l2",
					      "nodes_per_package", "numbering"};
	const struct yaml_node *nodes = yaml_get(root, "nodes");
	bool rows = yaml_get(root, "cpus") != NULL;

	if (nodes && !rows)
		return yaml_error(nodes, error,
				  "'nodes' is given without 'cpus', the rows that are in them");
	for (unsigned i = 0; rows && i < G_N_ELEMENTS(compact); i++)
		if (yaml_get(root, compact[i]))
			return yaml_error(yaml_get(root, compact[i]), error,
					  "'%s' is given beside 'cpus', whose rows say it all",
					  compact[i]);
	return true;
}

static bool read_nodes(struct topo *topo, const struct yaml_node *root, GError **error)
{
	bool rows = yaml_get(root, "cpus") != NULL;
	const char *key = rows ? "nodes" : "nodes_per_package";
	unsigned n;

	if (!read_number(root, key, 1, rows ? TOPO_MAX_NODES : 64, &n, error) ||
	    !read_optional_number(root, "memory_only_nodes", 1, TOPO_MAX_NODES,
				  &topo->n_memory_nodes, error))
		return false;
	if (!rows) {
		topo->shape.nodes = n;
		n *= topo->shape.packages;
	}
	topo->n_nodes = n + topo->n_memory_nodes;
	if (topo->n_nodes > TOPO_MAX_NODES)
		return yaml_error(yaml_get(root, key), error,
				  "%u nodes with CPUs and %u without are more than QEMU's %d", n,
				  topo->n_memory_nodes, TOPO_MAX_NODES);
	return true;
}

static bool read_shape(struct topo *topo, const struct yaml_node *root, GError **error)
{
	struct topo_shape *shape = &topo->shape;

	return check_form(root, error) &&
	       read_number(root, "packages", 1, 64, &shape->packages, error) &&
	       read_number(root, "l3_per_package", 1, 64, &shape->llcs, error) &&
	       read_number(root, "cores_per_l3", 1, 512, &shape->cores, error) &&
	       read_core_slots(shape, root, error) && read_l2_cores(topo, root, error) &&
	       read_number(root, "threads_per_core", 1, 2, &shape->threads, error) &&
	       read_nodes(topo, root, error) &&
	       (!yaml_get(root, "cpus") || topo_read_rows(topo, root, error));
}

/* One size for every node, or a list with each node's. */
static bool read_memory(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_require(root, "memory_per_node", error);
	bool list;

	if (!node)
		return false;
	list = yaml_type(node) == YAML_LIST;
	if (list && yaml_count(node) != topo->n_nodes)
		return yaml_error(node, error,
				  "'memory_per_node' has %u sizes, but there are %u nodes",
				  yaml_count(node), topo->n_nodes);
	topo->node_memory_mib = g_new(unsigned, topo->n_nodes);
	for (unsigned i = 0; i < topo->n_nodes; i++)
		if (!yaml_size_mib(list ? yaml_item(node, i) : node, 1, MAX_MEMORY_MIB,
				   &topo->node_memory_mib[i], error))
			return false;
	return true;
}

/* {same-package: 12, other-package: 32}: each is there exactly when such a pair of nodes exists. */
static bool read_relations(struct topo *topo, const struct yaml_node *node, GError **error)
{
	static const char *const keys[] = {"same-package", "other-package", NULL};
	const bool wanted[] = {topo->shape.nodes > 1, topo->shape.packages > 1};
	unsigned value[] = {0, 0};

	if (!yaml_check_keys(node, keys, error))
		return false;
	for (unsigned i = 0; keys[i]; i++) {
		const struct yaml_node *item = yaml_get(node, keys[i]);

		if (item && !wanted[i])
			return yaml_error(
				item, error,
				"'distances.%s' is given, but no two nodes are related so: "
				"'packages' is %u and 'nodes_per_package' %u",
				keys[i], topo->shape.packages, topo->shape.nodes);
		if (wanted[i] && !read_number(node, keys[i], 0, 255, &value[i], error))
			return false;
	}
	for (unsigned from = 0; from < topo->n_nodes; from++)
		for (unsigned to = 0; to < topo->n_nodes; to++)
			topo->distance[from * topo->n_nodes + to] =
				from == to
					? TOPO_LOCAL_DISTANCE
					: value[from / topo->shape.nodes != to / topo->shape.nodes];
	return true;
}

static bool read_matrix(struct topo *topo, const struct yaml_node *node, GError **error)
{
	unsigned n = topo->n_nodes;

	if (yaml_count(node) != n)
		return yaml_error(node, error, "'distances' has %u rows, but there are %u nodes",
				  yaml_count(node), n);
	for (unsigned from = 0; from < n; from++) {
		const struct yaml_node *row = yaml_item(node, from);

		if (!yaml_check_list(row, error))
			return false;
		if (yaml_count(row) != n)
			return yaml_error(row, error,
					  "row %u of 'distances' has %u numbers, but there are %u "
					  "nodes",
					  from, yaml_count(row), n);
		for (unsigned to = 0; to < n; to++)
			if (!yaml_unsigned(yaml_item(row, to), 0, 255,
					   &topo->distance[from * n + to], error))
				return false;
	}
	return true;
}

static bool read_distances(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_require(root, "distances", error);

	if (!node)
		return false;
	if (yaml_type(node) == YAML_SCALAR)
		return yaml_error(node, error,
				  "'distances' must be a mapping of relations or a list of rows");
	topo->distance = g_new0(unsigned, (gsize)topo->n_nodes * topo->n_nodes);
	if (yaml_type(node) == YAML_LIST)
		return read_matrix(topo, node, error);
	if (topo->n_memory_nodes || !topo->shape.nodes)
		return yaml_error(
			node, error,
			"'distances' must be a list of rows: relations are for nodes that "
			"are slices of packages, all of them");
	return read_relations(topo, node, error);
}

static bool read_numbering(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node;
	const char *text;

	if (!topo->shape.nodes)
		return true;
	node = yaml_require(root, "numbering", error);
	text = node ? yaml_text(node, error) : NULL;
	if (!text)
		return false;
	return (topo_numbering_from_name(text, &topo->numbering) &&
		topo->numbering != TOPO_NUMBERING_EXPLICIT) ||
	       yaml_wrong(node, error, "'%s' or '%s'",
			  topo_numbering_name(TOPO_NUMBERING_THREADS_LAST),
			  topo_numbering_name(TOPO_NUMBERING_THREADS_ADJACENT));
}

/* Kernel arguments are separated by blanks and end at a newline; quotes would hide blanks. */
static bool read_boot(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *node = yaml_get(root, "boot");
	g_autoptr(GString) words = g_string_new(NULL);

	if (node && !yaml_check_list(node, error))
		return false;
	for (unsigned i = 0; node && i < yaml_count(node); i++) {
		const struct yaml_node *item = yaml_item(node, i);
		const char *text = yaml_text(item, error);

		if (!text)
			return false;
		for (const char *p = text; *p; p++)
			if (!g_ascii_isgraph(*p) || *p == '"' || *p == '\'')
				return yaml_error(item, error,
						  "'boot[%u]' must be one kernel argument without "
						  "blanks and quotes",
						  i);
		g_string_append_printf(words, "%s%s", i ? " " : "", text);
	}
	if (words->len > MAX_BOOT_BYTES)
		return yaml_error(node, error, "'boot' has %zu bytes, more than %u", words->len,
				  MAX_BOOT_BYTES);
	topo->boot_arguments = g_string_free(g_steal_pointer(&words), FALSE);
	return true;
}

static bool read_keeps(struct topo *topo, const struct yaml_node *keeps, GError **error)
{
	topo->keeps = g_new0(char *, yaml_count(keeps) + 1);
	for (unsigned i = 0; i < yaml_count(keeps); i++) {
		const struct yaml_node *item = yaml_item(keeps, i);
		const char *name = yaml_text(item, error);
		g_autofree char *names = NULL;

		if (!name)
			return false;
		if (!topo_keep_help(name)) {
			names = topo_keep_names();
			return yaml_error(item, error,
					  "'keeps' cannot be checked for '%s', the names are %s",
					  name, names);
		}
		if (g_strv_contains((const char *const *)topo->keeps, name))
			return yaml_error(item, error, "'keeps' names '%s' twice", name);
		topo->keeps[i] = g_strdup(name);
	}
	return true;
}

/* A small machine that stands for a large one says which, and in what. */
static bool read_mini(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *of = yaml_get(root, "mini-of");
	const struct yaml_node *keeps = yaml_get(root, "keeps");

	if (!of && !keeps)
		return true;
	if (!of || !keeps)
		return yaml_error(of ? of : keeps, error, "'%s' is given without '%s'",
				  of ? "mini-of" : "keeps", of ? "keeps" : "mini-of");
	topo->mini_of = g_strdup(yaml_name(of, error));
	if (!topo->mini_of || !yaml_check_list(keeps, error))
		return false;
	if (strcmp(topo->mini_of, topo->name) == 0)
		return yaml_error(of, error, "'%s' is a mini of itself", topo->name);
	if (yaml_count(keeps) == 0)
		return yaml_error(keeps, error, "'keeps' is empty: what does it keep of '%s'?",
				  topo->mini_of);
	return read_keeps(topo, keeps, error);
}

bool topo_read_yaml(struct topo *topo, const struct yaml_node *root, GError **error)
{
	return yaml_check_keys(root, file_keys, error) && read_name(root, &topo->name, error) &&
	       read_line(root, "title", &topo->title, error) && read_cpu_model(topo, root, error) &&
	       read_shape(topo, root, error) && read_memory(topo, root, error) &&
	       read_distances(topo, root, error) && read_numbering(topo, root, error) &&
	       topo_read_firmware(topo, root, error) && read_boot(topo, root, error) &&
	       read_mini(topo, root, error) && read_references(topo, root, error);
}
