# SPDX-License-Identifier: GPL-2.0-only
# Which folder of lab/ may include which: a lower layer never a higher one, and of one height only
# where the table says so. What a file includes comes from its text, so no build is needed.

BEGIN {
	# "A: B C" means that A may include B and C; every folder may include itself.
	n = split("base:|guest: base|topo: base|expect: base topo|emit: base topo|observe: base topo|" \
		"kernel: base|image: base|vm: base|verdict: base topo expect observe|" \
		"report: base topo verdict|" \
		"run: base topo expect emit observe kernel image vm verdict report|" \
		"live: base topo expect emit observe kernel image vm verdict report run|" \
		"cmd: base topo expect emit observe kernel image vm verdict report run live", rows, "|")
	for (i = 1; i <= n; i++) {
		split(rows[i], row, ": *")
		known[row[1]] = 1
		m = split(row[2], others, " ")
		for (j = 1; j <= m; j++)
			allowed[row[1], others[j]] = 1
	}
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	if (split(FILENAME, part, "/") < 3)
		folder = "cmd" # lab/main.c
	else
		folder = part[2]
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/".*/, "", name)
	if (!(folder in known)) {
		print FILENAME ":" FNR ": the folder '" folder "' has no layer in ci/lint-layers.awk"
		next
	}
	if (split(name, target, "/") < 2 || !(target[1] in known)) {
		print FILENAME ":" FNR ": \"" name "\" does not say which folder it is of"
		next
	}
	if (target[1] != folder && !((folder, target[1]) in allowed))
		print FILENAME ":" FNR ": " folder "/ must not include \"" name "\""
}
