/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the parts of the loader; everybody else includes topo/load.h. */
#ifndef TOPO_LOAD_YAML_H
#define TOPO_LOAD_YAML_H

#include "base/yaml.h"
#include "topo/model.h"

/* Fills the first half of the model: each value alone is right, the machine need not be. */
bool topo_read_yaml(struct topo *topo, const struct yaml_node *root, GError **error);

/* The rows of 'cpus', after the shape and the number of nodes. */
bool topo_read_rows(struct topo *topo, const struct yaml_node *root, GError **error);
/* They fit the shape, and Linux will number CPUs and nodes as they do. */
bool topo_validate_rows(const struct topo *topo, const struct yaml_node *root, GError **error);

/* The key 'firmware', after the nodes and their memory. */
bool topo_read_firmware(struct topo *topo, const struct yaml_node *root, GError **error);
/* Linux will make of it what the other keys say, however the tables say it. */
bool topo_validate_firmware(const struct topo *topo, const struct yaml_node *root, GError **error);

/* What must hold before the machine can be built from the file. @file: only its name matters. */
bool topo_validate_file(const struct topo *topo, const struct yaml_node *root, const char *file,
			GError **error);
/* What must hold of the machine, however the file described it; points at @root where it can. */
bool topo_validate_model(const struct topo *topo, const struct yaml_node *root, GError **error);

#endif
