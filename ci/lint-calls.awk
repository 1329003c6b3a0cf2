# SPDX-License-Identifier: GPL-2.0-only
# Finds the calls of lint-calls.txt (the first file named) in the C files named after it, outside
# comments and strings; and /proc and /sys opened by anything but base/root.h.

FNR == NR {
	if ($0 !~ /^#/ && split($0, field, "\t") == 3) {
		n++
		name[n] = "(^|[^A-Za-z0-9_>.])(" field[1] ")[ \t]*\\("
		place[n] = field[2]
		instead[n] = field[3]
	}
	next
}

FNR == 1 {
	comment = 0
}

{
	line = $0
	# A path in a string is what the second rule is about, so strings are looked at first.
	if (line ~ /(open|fopen|g_file_get_contents|g_dir_open|opendir) *\([^;]*"\/(proc|sys)\// &&
	    FILENAME !~ /^lab\/guest\//)
		print FILENAME ":" FNR ": /proc and /sys are read through base/root.h"
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
	if (comment) {
		if (line !~ /\*\//)
			next
		sub(/.*\*\//, "", line)
		comment = 0
	}
	if (line ~ /\/\*/) {
		sub(/\/\*.*/, "", line)
		comment = 1
	}
	sub(/\/\/.*/, "", line)
	for (i = 1; i <= n; i++)
		if (line ~ name[i] && (place[i] == "-" || FILENAME !~ place[i])) {
			match(line, name[i])
			call = substr(line, RSTART, RLENGTH)
			gsub(/[^A-Za-z0-9_]/, "", call)
			print FILENAME ":" FNR ": " call "() is not used here: " instead[i]
		}
}
