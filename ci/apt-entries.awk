# SPDX-License-Identifier: GPL-2.0-only
# Prints the first entry of an apt sources file that takes Debian's own binary packages of @suite,
# with that suite replaced by @replacement and everything else (keys, options) as it is.
# Variables: suite, replacement, form ("list" or "sources"). Debian's own: component "main", and a
# URI whose last part begins with "debian", since other vendors use Debian's suite names too.

function is_debian(uri)
{
	sub(/\/+$/, "", uri)
	sub(/^.*\//, "", uri)
	return uri ~ /^debian/
}

function has_word(text, word)
{
	return index(" " text " ", " " word " ") > 0
}

# "deb [options] URI SUITE COMPONENT..."
form == "list" {
	line = $0
	sub(/#.*/, "", line)
	if (line !~ /^[ \t]*deb[ \t]/)
		next
	options = ""
	rest = line
	sub(/^[ \t]*deb[ \t]+/, "", rest)
	if (rest ~ /^\[/) {
		options = substr(rest, 1, index(rest, "]")) " "
		rest = substr(rest, index(rest, "]") + 1)
	}
	n = split(rest, word, /[ \t]+/)
	first = word[1] == "" ? 2 : 1
	components = ""
	for (i = first + 2; i <= n; i++)
		components = components " " word[i]
	if (word[first + 1] != suite || !is_debian(word[first]) || !has_word(components, "main"))
		next
	print "deb " options word[first] " " replacement " main"
	exit
}

function field_end(    name, value, words, n, i)
{
	if (field == "")
		return
	name = tolower(substr(field, 1, index(field, ":") - 1))
	value = substr(field, index(field, ":") + 1)
	gsub(/[ \t\n]+/, " ", value)
	if (name == "types")
		types = value
	else if (name == "suites")
		suites = value
	else if (name == "components")
		components = value
	else if (name == "enabled")
		disabled = value ~ /(no|false|without|off|disable|0)[ ]*$/
	else if (name == "uris") {
		n = split(value, words, " ")
		for (i = 1; i <= n; i++)
			debian = debian || is_debian(words[i])
	}
	if (name == "types")
		kept = kept "Types: deb\n"
	else if (name == "suites")
		kept = kept "Suites: " replacement "\n"
	else if (name == "components")
		kept = kept "Components: main\n"
	else if (name != "enabled")
		kept = kept field "\n"
	field = ""
}

function stanza_end()
{
	field_end()
	if (!done && !disabled && debian && has_word(types, "deb") && has_word(suites, suite) &&
	    has_word(components, "main")) {
		printf "%s\n", kept
		done = 1
	}
	types = suites = components = kept = ""
	disabled = debian = 0
}

form == "sources" && /^#/ { next }
form == "sources" && /^[ \t\r]*$/ { stanza_end(); next }
form == "sources" && /^[ \t]/ { field = field "\n" $0; next }
form == "sources" { field_end(); field = $0 }
END { if (form == "sources") stanza_end() }
