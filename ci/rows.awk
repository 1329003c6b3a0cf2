# SPDX-License-Identifier: GPL-2.0-only
# The rows of C tables, for ci/mutants. A table is a file-scope array that ends in "[] = {"; a row is
# a braced element of it, one tab deep.
#
# awk -f rows.awk FILE             prints "TABLE ROW TITLE" for each row; TITLE is its first string or name
# awk -v drop=TABLE:ROW -f rows.awk FILE    prints FILE without that row

function title(text,    found) {
	if (match(text, /"[^"]*"/))
		found = substr(text, RSTART, RLENGTH)
	else if (match(text, /[A-Za-z_]+\([^)]*\)|[A-Za-z_][A-Za-z_0-9]+/))
		found = substr(text, RSTART, RLENGTH)
	return found
}

function keep(line) {
	if (drop != "" && !(inside && table ":" row == drop))
		print line
}

/^(static )?(const )?[a-z].*\[\] = \{$/ || /^\} [a-z_]+\[\] = \{$/ {
	table = $0
	sub(/\[\] = \{$/, "", table)
	sub(/^.*[ *]/, "", table)
	row = 0
	keep($0)
	next
}

/^\};/ { table = "" }

# Whole on one line.
table != "" && /^\t(\{.*\}|[A-Z_]+\(.*\)),/ {
	row++
	inside = 1
	keep($0)
	inside = 0
	if (drop == "")
		print table, row, title($0)
	next
}

table != "" && /^\t(\{|\{.*[^}],)$/ {
	row++
	inside = 1
	text = ""
}

{
	keep($0)
	if (inside)
		text = text " " $0
}

inside && /^\t\},$|^\t +.*\}\},$/ {
	inside = 0
	if (drop == "")
		print table, row, title(text)
}
