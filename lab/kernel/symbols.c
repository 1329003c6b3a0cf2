// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/symbols.h"

#include "base/error.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <string.h>

#define BANNER_MAX 512

/* Where start_kernel() is */
#define FIRST_SOURCE "init/main.c"

/* CONFIG_PHYSICAL_ALIGN's and RANDOMIZE_BASE's bounds on x86-64, arch/x86/Kconfig */
#define SLIDE_STEP  (2u << 20)
#define SLIDE_LIMIT (1u << 30)

/* What the gate of vector 0 leads to: once traps are set up, and before. arch/x86/kernel/idt.c */
static const char *const handler_names[] = {"asm_exc_divide_error", "early_idt_handler_array"};

/*
 * A kernel takes a function to reach up to what kallsyms has next, so with what aligns that one
 * (FUNCTION_ALIGNMENT, at most 64 bytes) and the nops in front of it, which have no name there.
 */
#define PADDING_MAX 128

struct function {
	const char *name; /* the vmlinux's */
	guint64 address, size;
};

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	guint64 handlers[G_N_ELEMENTS(handler_names)]; /* 0: it has none */
	GArray *functions;			       /* struct function, by name and address */
	char *banner;
	char *root; /* of the paths of its sources, '/' and all; NULL: not known */
};

/* Separate debug files are somebody else's, and debuginfod is the network. */
static int find_no_debuginfo(Dwfl_Module *module G_GNUC_UNUSED, void **data G_GNUC_UNUSED,
			     const char *name G_GNUC_UNUSED, Dwarf_Addr base G_GNUC_UNUSED,
			     const char *file G_GNUC_UNUSED, const char *link G_GNUC_UNUSED,
			     GElf_Word crc G_GNUC_UNUSED, char **found G_GNUC_UNUSED)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* The text at a link address; NULL: no section holds it. */
static char *read_text(Dwfl_Module *module, guint64 address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    address - bias < header.sh_addr ||
		    address - bias - header.sh_addr >= header.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf && address - bias - header.sh_addr < data->d_size) {
			gsize offset = address - bias - header.sh_addr;

			return g_strndup((const char *)data->d_buf + offset,
					 MIN(data->d_size - offset, BANNER_MAX));
		}
	}
	return NULL;
}

static gint compare_functions(gconstpointer a, gconstpointer b)
{
	const struct function *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order || left->address == right->address)
		return order;
	return left->address < right->address ? -1 : 1;
}

/* Assembly leaves its labels without a type. */
static bool is_code(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_NOTYPE;
}

static void symbols_read(struct symbols *symbols, int n_symbols)
{
	symbols->functions = g_array_new(FALSE, FALSE, sizeof(struct function));
	for (int i = 1; i < n_symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(symbols->module, i, &symbol, &address,
							   NULL, NULL, NULL);

		for (unsigned h = 0; name && h < G_N_ELEMENTS(handler_names); h++)
			if (strcmp(name, handler_names[h]) == 0)
				symbols->handlers[h] = address;
		if (name && !symbols->banner && strcmp(name, "linux_banner") == 0)
			symbols->banner = read_text(symbols->module, address);
		if (name && is_code(&symbol)) {
			struct function function = {name, address, symbol.st_size};

			g_array_append_val(symbols->functions, function);
		}
	}
	g_array_sort(symbols->functions, compare_functions);
	if (symbols->banner)
		g_strchomp(symbols->banner);
}

/* Of those with this name the first. */
static guint first_function(const GArray *functions, const char *name)
{
	guint low = 0, high = functions->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (strcmp(g_array_index(functions, struct function, middle).name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * With O= objects are compiled in another folder than that of the sources. Where that one is, tells
 * a file that every Linux has.
 */
static void find_root(struct symbols *symbols)
{
	guint i = first_function(symbols->functions, "start_kernel");
	const struct function *function;
	Dwfl_Line *line;
	const char *file;

	if (i == symbols->functions->len)
		return;
	function = &g_array_index(symbols->functions, struct function, i);
	line = strcmp(function->name, "start_kernel") == 0
		       ? dwfl_module_getsrc(symbols->module, function->address)
		       : NULL;
	file = line ? dwfl_lineinfo(line, NULL, NULL, NULL, NULL, NULL) : NULL;
	if (file && g_str_has_suffix(file, "/" FIRST_SOURCE))
		symbols->root = g_strndup(file, strlen(file) - strlen(FIRST_SOURCE));
}

struct symbols *symbols_open(const char *vmlinux, GError **error)
{
	AUTO(symbols) *symbols = g_new0(struct symbols, 1);
	int n_symbols = 0;

	symbols->dwfl = dwfl_begin(&callbacks);
	if (symbols->dwfl) {
		dwfl_report_begin(symbols->dwfl);
		symbols->module = dwfl_report_offline(symbols->dwfl, "vmlinux", vmlinux, -1);
		dwfl_report_end(symbols->dwfl, NULL, NULL);
	}
	if (symbols->module)
		n_symbols = dwfl_module_getsymtab(symbols->module);
	if (n_symbols <= 1) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "'%s' names no addresses: %s",
			    vmlinux, n_symbols == 1 ? "it has no symbols" : dwfl_errmsg(-1));
		return NULL;
	}
	symbols_read(symbols, n_symbols);
	find_root(symbols);
	return g_steal_pointer(&symbols);
}

void symbols_free(struct symbols *symbols)
{
	g_clear_pointer(&symbols->functions, g_array_unref);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	g_free(symbols->banner);
	g_free(symbols->root);
	g_free(symbols);
}

const char *symbols_banner(const struct symbols *symbols)
{
	return symbols->banner;
}

bool symbols_slide(const struct symbols *symbols, guint64 handler, guint64 *slide)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(handler_names); i++) {
		*slide = handler - symbols->handlers[i];
		if (symbols->handlers[i] && handler >= symbols->handlers[i] &&
		    *slide % SLIDE_STEP == 0 && *slide < SLIDE_LIMIT)
			return true;
	}
	return false;
}

char *symbols_name(const struct symbols *symbols, guint64 address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(symbols->module, address, &offset, &symbol, NULL, NULL, NULL);

	return name ? g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", name, (guint64)offset) : NULL;
}

/* What is left of @file without the folder it was compiled in, or all of it. */
static const char *below_folder(const char *file, const char *folder)
{
	if (folder && g_str_has_prefix(file, folder) && file[strlen(folder)] == '/')
		return file + strlen(folder) + 1;
	return file;
}

char *symbols_source(const struct symbols *symbols, guint64 address)
{
	Dwfl_Line *line = dwfl_module_getsrc(symbols->module, address);
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;

	if (!file)
		return NULL;
	if (symbols->root && g_str_has_prefix(file, symbols->root))
		file += strlen(symbols->root);
	else
		file = below_folder(file, dwfl_line_comp_dir(line));
	/* Headers of a build with O= are named by way of "./". */
	if (g_str_has_prefix(file, "./"))
		file += 2;
	return g_strdup_printf("%s:%d", file, number);
}

bool symbols_address(const struct symbols *symbols, const char *name, guint64 offset, guint64 size,
		     guint64 *address)
{
	guint64 found = 0;

	for (guint i = first_function(symbols->functions, name); i < symbols->functions->len; i++) {
		const struct function *function =
			&g_array_index(symbols->functions, struct function, i);

		if (strcmp(function->name, name) != 0)
			break;
		if (size < function->size || size - function->size > PADDING_MAX)
			continue;
		if (found && found != function->address)
			return false;
		found = function->address;
	}
	*address = found + offset;
	return found && offset <= size;
}

static char *existing(char *path)
{
	g_autofree char *plain = g_canonicalize_filename(path, NULL);

	g_free(path);
	return g_file_test(plain, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer(&plain) : NULL;
}

char *symbols_find(const char *image, const char *release)
{
	g_autofree char *folder = g_path_get_dirname(image);
	g_autofree char *name = g_strconcat("vmlinux-", release, NULL);
	char *found = NULL;

	if (g_str_has_suffix(folder, "/arch/x86/boot"))
		found = existing(g_build_filename(folder, "..", "..", "..", "vmlinux", NULL));
	if (!found)
		found = existing(g_build_filename(folder, "vmlinux", NULL));
	if (!found)
		found = existing(g_build_filename(folder, name, NULL));
	if (!found)
		found = existing(g_build_filename("/usr/lib/debug/boot", name, NULL));
	return found;
}
