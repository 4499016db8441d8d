#!/usr/bin/env bash
# Print the example in the first comment of a header as a C program: the block that is indented by
# four spaces after the star. Functions come before main, and the rest is the body of main.
#
#     tests/install/example_of.sh include/simhash.h >example.c
set -euo pipefail

cat <<END
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <${1##*/}>

END
awk '
/^ \*\// { exit }
/^ \*     / { line = substr($0, 8); block = block line "\n"; next }
/^ \*$/ { if (block != "") block = block "\n" }
END {
	count = split(block, lines, "\n")
	for (i = 1; i <= count; i++) {
		if (lines[i] ~ /^static /) is_function = 1
		if (is_function) print lines[i]; else body = body "\t" lines[i] "\n"
		if (lines[i] ~ /^}/) is_function = 0
	}
	print "int main(void)\n{\n" body "\treturn 0;\n}"
}' "$1"
