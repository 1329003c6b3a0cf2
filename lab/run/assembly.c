// SPDX-License-Identifier: GPL-2.0-only
#include "run/assembly.h"

#include "image/initramfs.h"

GBytes *assembly_initramfs(const struct topo *topo, GBytes *init, GError **error)
{
	g_autoptr(GPtrArray) bytes = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	struct initramfs_table tables[TOPO_TABLE_COUNT];

	for (int i = 0; i < TOPO_TABLE_COUNT; i++) {
		enum topo_table table = (enum topo_table)i;

		if (!topo_replaces_table(topo, table))
			continue;
		tables[bytes->len].signature = topo_table_name(table);
		tables[bytes->len].bytes = emit_table(topo, table);
		g_ptr_array_add(bytes, tables[bytes->len].bytes);
	}
	return initramfs_build(init, tables, bytes->len, error);
}

char *assembly_domain(const struct assembly *assembly, struct vm_root *root, GError **error)
{
	g_autofree char *kernel = NULL;
	g_autofree char *initrd = NULL;
	g_autofree char *command_socket =
		assembly->command_socket
			? g_build_filename(vm_root_path(root), assembly->command_socket, NULL)
			: NULL;
	struct emit_domain domain = {
		.name = topo_name(assembly->topo),
		.command_line = assembly->command_line,
		.accel = assembly->accel,
		.in_turn = assembly->in_turn,
		.socket_folder = assembly->uri ? NULL : vm_root_path(root),
		.command_socket = command_socket,
		.vmcoreinfo = assembly->dump_memory,
	};

	kernel = vm_root_put_file(root, "kernel", assembly->kernel->image_path, error);
	if (!kernel)
		return NULL;
	initrd = vm_root_put(root, "initrd", assembly->initramfs, error);
	if (!initrd)
		return NULL;
	domain.kernel_path = kernel;
	domain.initrd_path = initrd;
	return emit_domain_xml(assembly->topo, &domain, error);
}
