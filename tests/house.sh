#!/usr/bin/env bash
# Checks that functions in src have at most 70 lines, and .c files at most 600. In the layout of
# this project, a function ends at a brace in the first column; it begins at the last line before
# its opening brace in the first column that is not indented. Also checks that git has no other
# files at the top level than the expected ones.
set -euo pipefail
cd "$SOURCE_DIR"

if git rev-parse --git-dir >/dev/null 2>&1; then
	stray=$(git ls-files | sed 's|/.*||' | sort -u |
		grep -vxE '[.].*|CMakeLists[.]txt|CMakePresets[.]json|LICENSE|README[.]md|cmake|docs|include|python|scripts|sql|src|tests') || true
	[ -z "$stray" ] || {
		echo "not a part of the top level: $stray"
		exit 1
	}
fi

find src -name '*.c' -print0 | LC_ALL=C sort -z | xargs -0 awk '
	FNR == 1 { begin = 0 }
	/^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(struct|union|enum) [a-z_0-9]* *[{]/ { begin = FNR; name = $0 }
	/^[{]/ && begin { open = begin }
	/^[}]/ && open {
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		print FNR - open + 1, FILENAME ":" open, name
		open = begin = 0
	}' >"${TMPDIR:-/tmp}/house.$$"
trap 'rm -f "${TMPDIR:-/tmp}/house.$$"' EXIT
sort -n "${TMPDIR:-/tmp}/house.$$" | awk '{ lines[NR] = $1 }
	END { print NR " functions: median " lines[int((NR + 1) / 2)] " lines, ninth decile " lines[int(NR * 0.9)] ", longest " lines[NR]
		exit NR < 500 }' || { echo "Too few functions were found"; exit 1; }
long=$(awk '$1 > 70 { print "too long: " $0 }' "${TMPDIR:-/tmp}/house.$$")
large=$(find src -name '*.c' -exec wc -l {} + | awk '$2 != "total" && $1 > 600 { print "too large: " $0 }')
[ -z "$long$large" ] || {
	printf '%s\n' "$long" "$large"
	exit 1
}
