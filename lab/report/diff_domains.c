// SPDX-License-Identifier: GPL-2.0-only
#include "report/diff.h"

#include "report/lines.h"

#include <string.h>

/* Domains of one CPU on either side that stand for each other; one of them may be NULL. */
struct pair {
	const struct domain *left, *right;
};

/* What differs for one CPU, and the same with sizes in place of CPUs, by which CPUs are alike. */
struct change {
	GString *text, *key;
	const struct report_style *style;
};

static bool same_name(const struct domain *a, const struct domain *b)
{
	return !a->name || !b->name || strcmp(a->name, b->name) == 0;
}

/*
 * The longest common sequence of names, so that a level that one kernel alone has moves no other.
 * Chains are short: domain_tree_from_json() takes 64 levels at most.
 */
static GArray *align(const struct domain_tree *left, const struct domain_tree *right, unsigned cpu)
{
	unsigned n = domain_tree_depth(left, cpu), m = domain_tree_depth(right, cpu);
	g_autofree unsigned *length = g_new0(unsigned, (n + 1) * (m + 1));
	GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct pair));
	unsigned i, j;

	for (i = n; i-- > 0;) {
		for (j = m; j-- > 0;) {
			unsigned *cell = &length[i * (m + 1) + j];

			if (same_name(domain_tree_get(left, cpu, i),
				      domain_tree_get(right, cpu, j)))
				*cell = cell[m + 2] + 1;
			else
				*cell = MAX(cell[1], cell[m + 1]);
		}
	}
	for (i = 0, j = 0; i < n || j < m;) {
		struct domain *ours = domain_tree_get(left, cpu, i);
		struct domain *theirs = domain_tree_get(right, cpu, j);
		const unsigned *cell = &length[i * (m + 1) + j];
		struct pair pair = {ours, theirs};

		if (!theirs || (ours && !same_name(ours, theirs) && cell[m + 1] >= cell[1]))
			pair.right = NULL;
		else if (!ours || !same_name(ours, theirs))
			pair.left = NULL;
		i += pair.left != NULL;
		j += pair.right != NULL;
		g_array_append_val(pairs, pair);
	}
	return pairs;
}

/* NULL sets are "not shown", as they are in a result. */
static char *set_text(const struct cpus *set)
{
	return set ? cpus_to_list(set) : g_strdup("not shown");
}

static bool same_set(const struct cpus *a, const struct cpus *b)
{
	return a == b || (a && b && cpus_equal(a, b));
}

/* "domain2 NUMA FORMAT": several domains of a CPU may have one name. */
static void G_GNUC_PRINTF(4, 5) change_add(struct change *change, char sign,
					   const struct domain *domain, const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *line = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	line = g_strdup_printf("domain%u %s%s", domain->index, domain->name ? domain->name : "?",
			       text);
	diff_line(change->text, sign, line, change->style);
}

/* What the key says of a pair comes behind it. */
static void change_key(struct change *change, const char *what, const struct domain *domain)
{
	g_string_append_printf(change->key, "%s domain%u %s ", what, domain->index,
			       domain->name ? domain->name : "?");
}

static void change_span(struct change *change, const struct domain *left,
			const struct domain *right)
{
	g_autofree char *ours = set_text(left->span);
	g_autofree char *theirs = set_text(right->span);

	if (same_set(left->span, right->span))
		return;
	change_add(change, '-', left, " span %s", ours);
	change_add(change, '+', right, " span %s", theirs);
	change_key(change, "span", left);
	g_string_append_printf(change->key, "%u %u\n", cpus_count(left->span),
			       cpus_count(right->span));
}

/* The words of @ours that @theirs lacks. */
static char *words_beyond(const char *ours, const char *theirs)
{
	g_auto(GStrv) words = g_strsplit(ours, " ", -1);
	g_auto(GStrv) others = g_strsplit(theirs, " ", -1);
	GString *beyond = g_string_new(NULL);

	for (unsigned i = 0; words[i]; i++)
		if (!g_strv_contains((const char *const *)others, words[i]))
			g_string_append_printf(beyond, " %s", words[i]);
	return g_string_free(beyond, FALSE);
}

static void change_flags(struct change *change, const struct domain *left,
			 const struct domain *right)
{
	const char *ours = left->flags ? left->flags : "not shown";
	const char *theirs = right->flags ? right->flags : "not shown";
	g_autofree char *lost = words_beyond(ours, theirs);
	g_autofree char *gained = words_beyond(theirs, ours);

	if (strcmp(ours, theirs) == 0)
		return;
	/* The same flags in another order are told in full. */
	if (*lost || !*gained)
		change_add(change, '-', left, " flags%s%s", *lost ? "" : " ", *lost ? lost : ours);
	if (*gained || !*lost)
		change_add(change, '+', right, " flags%s%s", *gained ? "" : " ",
			   *gained ? gained : theirs);
	change_key(change, "flags", left);
	g_string_append_printf(change->key, "%s\n%s\n", ours, theirs);
}

/* "0-7 8-15", each with its balance mask where that is shown and not the whole group. */
static char *groups_text(const struct domain *domain, GString *key)
{
	GString *text = g_string_new(domain->groups ? NULL : " not shown");

	for (guint i = 0; domain->groups && i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *span = set_text(group->span);
		g_autofree char *mask = group->mask ? cpus_to_list(group->mask) : NULL;

		g_string_append_printf(text, " %s", span);
		if (mask && strcmp(mask, span) != 0)
			g_string_append_printf(text, " (mask %s)", mask);
		g_string_append_printf(key, " %u/%u", cpus_count(group->span),
				       group->mask ? cpus_count(group->mask) : 0);
	}
	return g_string_free(text, FALSE);
}

static void change_groups(struct change *change, const struct domain *left,
			  const struct domain *right)
{
	g_autoptr(GString) key = g_string_new(NULL);
	g_autofree char *ours = groups_text(left, key);
	g_autofree char *theirs = (g_string_append(key, " ->"), groups_text(right, key));

	if (strcmp(ours, theirs) == 0)
		return;
	change_add(change, '-', left, " groups%s", ours);
	change_add(change, '+', right, " groups%s", theirs);
	change_key(change, "groups", left);
	g_string_append_printf(change->key, "%s\n", key->str);
}

static void change_lone(struct change *change, char sign, const struct domain *domain)
{
	g_autofree char *span = set_text(domain->span);
	const char *flags = domain->flags ? domain->flags : "not shown";

	change_add(change, sign, domain, " span %s flags %s", span, flags);
	change_key(change, sign == '-' ? "lost" : "gained", domain);
	g_string_append_printf(change->key, "%u %s\n", cpus_count(domain->span), flags);
}

static void change_pair(struct change *change, const struct pair *pair)
{
	if (!pair->right) {
		change_lone(change, '-', pair->left);
		return;
	}
	if (!pair->left) {
		change_lone(change, '+', pair->right);
		return;
	}
	if (g_strcmp0(pair->left->name, pair->right->name) != 0) {
		change_add(change, '-', pair->left, "%s", "");
		change_add(change, '+', pair->right, "%s", "");
		change_key(change, "name", pair->left);
		change_key(change, "is", pair->right);
	}
	change_span(change, pair->left, pair->right);
	change_flags(change, pair->left, pair->right);
	change_groups(change, pair->left, pair->right);
}

/* CPUs that changed alike, and the text of the first. */
struct class
{
	struct cpus *cpus;
	char *text;
};

static void class_free(gpointer data)
{
	struct class *class = data;

	cpus_unref(class->cpus);
	g_free(class->text);
	g_free(class);
}

static void class_add(GPtrArray *classes, GHashTable *known, unsigned cpu, struct change *change)
{
	struct class *class = g_hash_table_lookup(known, change->key->str);

	if (!class) {
		class = g_new0(struct class, 1);
		class->cpus = cpus_new();
		class->text = g_strdup(change->text->str);
		g_ptr_array_add(classes, class);
		g_hash_table_insert(known, g_strdup(change->key->str), class);
	}
	cpus_add(class->cpus, cpu);
}

static void diff_cpu(GPtrArray *classes, GHashTable *known, const struct domain_tree *left,
		     const struct domain_tree *right, unsigned cpu,
		     const struct report_style *style)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GString) key = g_string_new(NULL);
	struct change change = {.text = text, .key = key, .style = style};
	g_autoptr(GArray) pairs = align(left, right, cpu);

	for (guint i = 0; i < pairs->len; i++)
		change_pair(&change, &g_array_index(pairs, struct pair, i));
	if (text->len)
		class_add(classes, known, cpu, &change);
}

static void diff_cpus(GString *out, char sign, const struct cpus *ours, const struct cpus *theirs,
		      const struct report_style *style)
{
	AUTO(cpus) *only = cpus_copy(ours);
	g_autofree char *list = NULL;
	g_autofree char *text = NULL;

	cpus_andnot(only, theirs);
	if (cpus_is_empty(only))
		return;
	list = cpus_to_list(only);
	text = g_strdup_printf("CPUs %s", list);
	diff_line(out, sign, text, style);
}

static void print_class(GString *out, const struct class *class)
{
	g_autofree char *list = cpus_to_list(class->cpus);
	unsigned n = cpus_count(class->cpus);

	g_string_append_printf(out, "domains of CPU %d", cpus_next(class->cpus, -1));
	if (n > 1)
		g_string_append_printf(out, ", of %u that differ alike: %s", n, list);
	g_string_append_printf(out, "\n%s", class->text);
}

void diff_domains(GString *out, const struct domain_tree *left, const struct domain_tree *right,
		  const struct report_style *style)
{
	g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(class_free);
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GString) lone = g_string_new(NULL);
	AUTO(cpus) *both = NULL;

	if (!left || !right) {
		if (left || right)
			g_string_append_printf(out, "domains\n  - %s\n  + %s\n",
					       left ? "were seen" : "were not seen",
					       right ? "were seen" : "were not seen");
		return;
	}
	diff_cpus(lone, '-', domain_tree_cpus(left), domain_tree_cpus(right), style);
	diff_cpus(lone, '+', domain_tree_cpus(right), domain_tree_cpus(left), style);
	if (lone->len)
		g_string_append_printf(out, "CPUs with domains\n%s", lone->str);
	both = cpus_copy(domain_tree_cpus(left));
	cpus_and(both, domain_tree_cpus(right));
	CPUS_FOREACH (cpu, both)
		diff_cpu(classes, known, left, right, (unsigned)cpu, style);
	for (guint i = 0; i < classes->len; i++)
		print_class(out, classes->pdata[i]);
}
