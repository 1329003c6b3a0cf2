// SPDX-License-Identifier: GPL-2.0-only
#include "topo/domains.h"

#include "base/error.h"

#include <string.h>

/* No kernel has more levels: SMT, CLS, MC, PKG, NODE and one per distance. */
#define MAX_DOMAINS 64

static json_t *set_to_json(const struct cpus *set)
{
	g_autofree char *list = NULL;

	if (!set)
		return json_null();
	list = cpus_to_list(set);
	return json_string(list);
}

/* Names and flags may come from a guest: jansson refuses what is not UTF-8. */
static json_t *string_to_json(const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? json_string(valid) : json_null();
}

static json_t *number_to_json(int number)
{
	return number >= 0 ? json_integer(number) : json_null();
}

static json_t *flags_to_json(const char *flags)
{
	g_auto(GStrv) words = NULL;
	json_t *array;

	if (!flags)
		return json_null();
	words = g_strsplit(flags, " ", -1);
	array = json_array();
	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			json_array_append_new(array, string_to_json(words[i]));
	return array;
}

static json_t *groups_to_json(const GPtrArray *groups)
{
	json_t *array;

	if (!groups)
		return json_null();
	array = json_array();
	for (unsigned i = 0; i < groups->len; i++) {
		const struct domain_group *group = g_ptr_array_index(groups, i);

		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:o}", "span", set_to_json(group->span),
						"mask", set_to_json(group->mask), "id",
						number_to_json(group->id)));
	}
	return array;
}

static json_t *numbers_to_json(const struct domain *domain)
{
	json_t *json = json_object();

	for (unsigned i = 0; i < DOMAIN_NUMBER_COUNT; i++)
		if (domain->number[i] >= 0)
			json_object_set_new(json, domain_number_name(i),
					    json_integer(domain->number[i]));
	return json;
}

static json_t *domain_to_json(const struct domain *domain)
{
	json_t *json =
		json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "index", (int)domain->index, "level",
			  number_to_json(domain->level), "name", string_to_json(domain->name),
			  "span", set_to_json(domain->span), "flags", flags_to_json(domain->flags),
			  "groups", groups_to_json(domain->groups));

	json_object_set_new(json, "groups_flags", flags_to_json(domain->groups_flags));
	json_object_set_new(json, "numbers", numbers_to_json(domain));
	if (domain->rule)
		json_object_set_new(json, "rule", json_string(domain->rule));
	return json;
}

json_t *domain_tree_to_json(const struct domain_tree *tree)
{
	json_t *cpus = json_array();

	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		json_t *domains = json_array();

		for (unsigned i = 0; i < domain_tree_depth(tree, (unsigned)cpu); i++)
			json_array_append_new(
				domains, domain_to_json(domain_tree_get(tree, (unsigned)cpu, i)));
		json_array_append_new(cpus,
				      json_pack("{s:i, s:o}", "cpu", cpu, "domains", domains));
	}
	return json_pack("{s:o}", "cpus", cpus);
}

static bool G_GNUC_PRINTF(3, 4)
	json_error(GError **error, const char *where, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "in a domain tree, '%s' %s", where, text);
	return false;
}

/* The readers below leave @value alone when the member is null; an absent one is an error. */
static const json_t *member(const json_t *object, const char *key, const char *where,
			    GError **error)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		json_error(error, where, "lacks the member '%s'", key);
	return value;
}

static bool read_set(const json_t *object, const char *key, struct cpus **value, const char *where,
		     GError **error)
{
	const json_t *json = member(object, key, where, error);

	if (!json)
		return false;
	if (json_is_null(json))
		return true;
	if (!json_is_string(json))
		return json_error(error, where, "has a '%s' that is not a CPU list", key);
	*value = cpus_parse_list(json_string_value(json), NULL);
	return *value || json_error(error, where, "has a '%s' that is not a CPU list", key);
}

static bool read_number(const json_t *object, const char *key, int *value, const char *where,
			GError **error)
{
	const json_t *json = member(object, key, where, error);

	if (!json)
		return false;
	if (json_is_null(json))
		return true;
	if (!json_is_integer(json) || json_integer_value(json) < 0 ||
	    json_integer_value(json) >= CPUS_MAX)
		return json_error(error, where, "has a '%s' that is not a number below %d", key,
				  CPUS_MAX);
	*value = (int)json_integer_value(json);
	return true;
}

static bool read_name(const json_t *object, char **value, const char *where, GError **error)
{
	const json_t *json = member(object, "name", where, error);

	if (!json)
		return false;
	if (!json_is_null(json) && !json_is_string(json))
		return json_error(error, where, "has a 'name' that is not a string");
	*value = g_strdup(json_string_value(json)); /* NULL for null */
	return true;
}

static bool read_flags(const json_t *json, const char *key, char **value, const char *where,
		       GError **error)
{
	g_autoptr(GString) flags = g_string_new(NULL);

	if (!json)
		return false;
	if (json_is_null(json))
		return true;
	if (!json_is_array(json))
		return json_error(error, where, "has '%s' that are not a list", key);
	for (size_t i = 0; i < json_array_size(json); i++) {
		const char *flag = json_string_value(json_array_get(json, i));

		if (!flag || !*flag || strchr(flag, ' '))
			return json_error(error, where, "has '%s' that are not a list of words",
					  key);
		g_string_append_printf(flags, "%s%s", i ? " " : "", flag);
	}
	*value = g_string_free(g_steal_pointer(&flags), FALSE);
	return true;
}

static bool read_groups(const json_t *object, struct domain *domain, const char *where,
			GError **error)
{
	const json_t *json = member(object, "groups", where, error);

	if (!json)
		return false;
	if (json_is_null(json))
		return true;
	if (!json_is_array(json) || json_array_size(json) > CPUS_MAX)
		return json_error(error, where, "has 'groups' that are not a list of at most %d",
				  CPUS_MAX);
	domain_show_groups(domain);
	for (size_t i = 0; i < json_array_size(json); i++) {
		g_autofree char *place = g_strdup_printf("%s.groups[%zu]", where, i);
		const json_t *item = json_array_get(json, i);
		struct domain_group *group = domain_add_group(domain, NULL);

		if (!read_set(item, "span", &group->span, place, error) ||
		    !read_set(item, "mask", &group->mask, place, error) ||
		    !read_number(item, "id", &group->id, place, error))
			return false;
		if (!group->span)
			return json_error(error, place, "has no span");
	}
	return true;
}

/* Members that results of older versions lack. */
static bool read_details(const json_t *item, struct domain *domain, const char *where,
			 GError **error)
{
	const json_t *flags = json_object_get(item, "groups_flags");
	json_t *numbers = json_object_get(item, "numbers");
	enum domain_number number;
	const char *key;
	json_t *value;

	if (flags && !read_flags(flags, "groups_flags", &domain->groups_flags, where, error))
		return false;
	if (numbers && !json_is_object(numbers))
		return json_error(error, where, "has 'numbers' that are not an object");
	json_object_foreach (numbers, key, value) {
		if (!domain_number_from_name(key, &number))
			continue;
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return json_error(error, where, "has a '%s' that is not a number", key);
		domain->number[number] = json_integer_value(value);
	}
	return true;
}

static bool read_domain(const json_t *item, struct domain *domain, const char *where,
			GError **error)
{
	const json_t *rule = json_object_get(item, "rule");
	int index = -1;

	if (!read_number(item, "index", &index, where, error) ||
	    !read_number(item, "level", &domain->level, where, error) ||
	    !read_name(item, &domain->name, where, error) ||
	    !read_set(item, "span", &domain->span, where, error) ||
	    !read_flags(member(item, "flags", where, error), "flags", &domain->flags, where,
			error) ||
	    !read_groups(item, domain, where, error) || !read_details(item, domain, where, error))
		return false;
	if (index != (int)domain->index)
		return json_error(error, where, "has the index %d, not %u", index, domain->index);
	if (!domain->span)
		return json_error(error, where, "has no span");
	domain->rule = g_strdup(json_string_value(rule));
	return true;
}

static bool read_cpu(const json_t *item, struct domain_tree *tree, const char *where,
		     GError **error)
{
	const json_t *domains = member(item, "domains", where, error);
	int cpu = -1;

	if (!domains || !read_number(item, "cpu", &cpu, where, error))
		return false;
	if (cpu < 0 || cpus_has(domain_tree_cpus(tree), (unsigned)cpu))
		return json_error(error, where, "has no CPU number of its own");
	if (!json_is_array(domains) || json_array_size(domains) > MAX_DOMAINS)
		return json_error(error, where, "has 'domains' that are not a list of at most %d",
				  MAX_DOMAINS);
	domain_tree_touch(tree, (unsigned)cpu);
	for (size_t i = 0; i < json_array_size(domains); i++) {
		g_autofree char *place = g_strdup_printf("%s.domains[%zu]", where, i);

		if (!read_domain(json_array_get(domains, i),
				 domain_tree_append(tree, (unsigned)cpu), place, error))
			return false;
	}
	return true;
}

struct domain_tree *domain_tree_from_json(const json_t *json, GError **error)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	const json_t *cpus = json_object_get(json, "cpus");

	if (!json_is_array(cpus)) {
		json_error(error, "cpus", "is missing or not a list");
		return NULL;
	}
	for (size_t i = 0; i < json_array_size(cpus); i++) {
		g_autofree char *place = g_strdup_printf("cpus[%zu]", i);

		if (!read_cpu(json_array_get(cpus, i), tree, place, error))
			return NULL;
	}
	return g_steal_pointer(&tree);
}
