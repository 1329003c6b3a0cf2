// SPDX-License-Identifier: GPL-2.0-only
#include "base/cpus.h"

#include "base/error.h"

#include <string.h>

#define WORD_BITS 64

/* Words beyond n_words are zero; a set only has as many as its highest member ever needed. */
struct cpus {
	unsigned n_words;
	guint64 *words;
};

struct cpus *cpus_new(void)
{
	return g_rc_box_new0(struct cpus);
}

struct cpus *cpus_ref(struct cpus *set)
{
	return g_rc_box_acquire(set);
}

static void cpus_clear(gpointer data)
{
	struct cpus *set = data;

	g_free(set->words);
}

void cpus_unref(struct cpus *set)
{
	if (set)
		g_rc_box_release_full(set, cpus_clear);
}

struct cpus *cpus_copy(const struct cpus *set)
{
	struct cpus *copy = cpus_new();

	copy->n_words = set->n_words;
	copy->words = g_memdup2(set->words, set->n_words * sizeof(guint64));
	return copy;
}

static guint64 cpus_word(const struct cpus *set, unsigned i)
{
	return i < set->n_words ? set->words[i] : 0;
}

static void cpus_reserve(struct cpus *set, unsigned n_words)
{
	if (n_words <= set->n_words)
		return;
	set->words = g_renew(guint64, set->words, n_words);
	memset(set->words + set->n_words, 0, (n_words - set->n_words) * sizeof(guint64));
	set->n_words = n_words;
}

void cpus_add(struct cpus *set, unsigned cpu)
{
	g_assert(cpu < CPUS_MAX);
	cpus_reserve(set, cpu / WORD_BITS + 1);
	set->words[cpu / WORD_BITS] |= G_GUINT64_CONSTANT(1) << (cpu % WORD_BITS);
}

void cpus_remove(struct cpus *set, unsigned cpu)
{
	if (cpu / WORD_BITS < set->n_words)
		set->words[cpu / WORD_BITS] &= ~(G_GUINT64_CONSTANT(1) << (cpu % WORD_BITS));
}

void cpus_or(struct cpus *set, const struct cpus *other)
{
	cpus_reserve(set, other->n_words);
	for (unsigned i = 0; i < other->n_words; i++)
		set->words[i] |= other->words[i];
}

void cpus_and(struct cpus *set, const struct cpus *other)
{
	for (unsigned i = 0; i < set->n_words; i++)
		set->words[i] &= cpus_word(other, i);
}

void cpus_andnot(struct cpus *set, const struct cpus *other)
{
	for (unsigned i = 0; i < set->n_words; i++)
		set->words[i] &= ~cpus_word(other, i);
}

bool cpus_has(const struct cpus *set, unsigned cpu)
{
	return cpus_word(set, cpu / WORD_BITS) >> (cpu % WORD_BITS) & 1;
}

bool cpus_is_empty(const struct cpus *set)
{
	return cpus_next(set, -1) < 0;
}

unsigned cpus_count(const struct cpus *set)
{
	unsigned count = 0;

	for (unsigned i = 0; i < set->n_words; i++)
		count += (unsigned)__builtin_popcountll(set->words[i]);
	return count;
}

bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return cpus_subset(a, b) && cpus_subset(b, a);
}

bool cpus_intersects(const struct cpus *a, const struct cpus *b)
{
	for (unsigned i = 0; i < a->n_words; i++)
		if (a->words[i] & cpus_word(b, i))
			return true;
	return false;
}

bool cpus_subset(const struct cpus *a, const struct cpus *b)
{
	for (unsigned i = 0; i < a->n_words; i++)
		if (a->words[i] & ~cpus_word(b, i))
			return false;
	return true;
}

int cpus_next(const struct cpus *set, int after)
{
	unsigned cpu = (unsigned)(after + 1);

	for (unsigned i = cpu / WORD_BITS; i < set->n_words; i++) {
		guint64 word = set->words[i];

		if (i == cpu / WORD_BITS)
			word &= ~G_GUINT64_CONSTANT(0) << (cpu % WORD_BITS);
		if (word)
			return (int)(i * WORD_BITS) + __builtin_ctzll(word);
	}
	return -1;
}

guint cpus_hash(gconstpointer data)
{
	const struct cpus *set = data;
	guint64 hash = 0;

	/* Zero words do not count: equal sets may have reserved different lengths. */
	for (unsigned i = 0; i < set->n_words; i++)
		if (set->words[i])
			hash = (hash ^ set->words[i] ^ i) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
	return (guint)(hash ^ hash >> 32);
}

gboolean cpus_hash_equal(gconstpointer a, gconstpointer b)
{
	return cpus_equal(a, b);
}

static bool number_read(const char **text, unsigned *number)
{
	unsigned value = 0;
	const char *p = *text;

	if (!g_ascii_isdigit(*p))
		return false;
	for (; g_ascii_isdigit(*p); p++) {
		value = value * 10 + (unsigned)(*p - '0');
		if (value >= CPUS_MAX)
			return false;
	}
	*text = p;
	*number = value;
	return true;
}

struct cpus *cpus_parse_list(const char *text, GError **error)
{
	AUTO(cpus) *set = cpus_new();
	const char *p = text;

	while (*p) {
		unsigned first, last;

		if (!number_read(&p, &first))
			goto bad;
		last = first;
		if (*p == '-') {
			p++;
			if (!number_read(&p, &last) || last < first)
				goto bad;
		}
		for (unsigned cpu = first; cpu <= last; cpu++)
			cpus_add(set, cpu);
		if (*p == ',' && p[1])
			p++;
		else if (*p)
			goto bad;
	}
	return g_steal_pointer(&set);
bad:
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'%.80s' is not a CPU list such as '0-7,128-135' at character %d", text,
		    (int)(p - text));
	return NULL;
}

/* Kernel masks are comma separated 32 bit words of 8 digits; only the first may be shorter. */
struct cpus *cpus_parse_mask(const char *text, GError **error)
{
	AUTO(cpus) *set = cpus_new();
	g_auto(GStrv) words = g_strsplit(text, ",", -1);
	unsigned n = g_strv_length(words);

	for (unsigned i = 0; i < n; i++) {
		const char *word = words[i];
		size_t length = strlen(word);
		unsigned base = (n - 1 - i) * 32;

		if (length == 0 || length > 8 || (i > 0 && length != 8) || base >= CPUS_MAX ||
		    strspn(word, "0123456789abcdef") != length) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "'%.80s' is not a CPU mask such as '0000ff00,000000ff'", text);
			return NULL;
		}
		for (unsigned bits = (unsigned)g_ascii_strtoull(word, NULL, 16); bits;
		     bits &= bits - 1)
			cpus_add(set, base + (unsigned)__builtin_ctz(bits));
	}
	if (n == 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "a CPU mask is empty");
		return NULL;
	}
	return g_steal_pointer(&set);
}

char *cpus_to_list(const struct cpus *set)
{
	GString *text = g_string_new(NULL);

	for (int first = cpus_next(set, -1), last; first >= 0; first = cpus_next(set, last)) {
		for (last = first; cpus_has(set, (unsigned)last + 1); last++)
			;
		if (text->len)
			g_string_append_c(text, ',');
		g_string_append_printf(text, "%d", first);
		if (last > first)
			g_string_append_printf(text, "-%d", last);
	}
	return g_string_free(text, FALSE);
}
