#!/usr/bin/env bash
# Checks that every relative link in the documentation leads to a file, and its anchor to a heading.
# In the source tree, also checks that every path and source file that a page names exists, and
# every page that the code names.
#
#     tests/docs_links.sh [FOLDER]      checks README.md and docs/ below FOLDER (default: $SOURCE_DIR)
set -euo pipefail
cd "${1:-$SOURCE_DIR}"
status=0
wrong() {
	echo "$*"
	status=1
}

# anchors FILE: its headings as anchors, in GitHub's form
anchors() {
	sed -nE '/^```/,/^```/d; s/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

mapfile -t pages < <(find README.md docs -name '*.md' | LC_ALL=C sort)
[ ${#pages[@]} -gt 10 ] || wrong "only ${#pages[@]} pages"
links=0
for page in "${pages[@]}"; do
	while read -r target; do
		links=$((links + 1))
		file=${target%%#*} anchor=
		[[ $target != *#* ]] || anchor=${target#*#}
		path=$page
		[ -z "$file" ] || path=$(dirname "$page")/$file
		if [ ! -e "$path" ]; then
			wrong "$page: no such file: $target"
		elif [ -n "$anchor" ] && ! grep -qxF -- "$anchor" < <(anchors "$path"); then
			wrong "$page: no such heading: $target"
		fi
	done < <(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' | grep -v '^https\?:')
done
[ $links -gt 50 ] || wrong "only $links links"

if [ -d src ]; then
	for page in "${pages[@]}"; do
		# A notebook and a list of changes may name files that no longer exist.
		case $page in docs/lab/* | docs/CHANGELOG.md) continue ;; esac
		while read -r path; do
			# shellcheck disable=SC2086  # a path may be a pattern
			compgen -G "$path" >/dev/null || wrong "$page: no such file: $path"
		done < <(grep -oE '(^|[^A-Za-z0-9_./-])(src|include|tests|scripts|sql|cmake|docs|examples)/[A-Za-z0-9_./*-]*' "$page" |
			sed -E 's/^[^a-z]//; s/[.]+$//' | sort -u)
		# The README and the guide also name files of the reader.
		[[ $page != @(README|docs/guide).md ]] || continue
		while read -r name; do
			[ -n "$(find src include tests examples -name "$name" -print -quit 2>/dev/null)" ] || wrong "$page: no such source file: $name"
		done < <(grep -oE '`[A-Za-z0-9_]+\.[ch]`' "$page" | tr -d '`' | sort -u)
	done
	# The pages that the code names.
	while read -r path; do
		[ -e "$path" ] || wrong "the code names a page that does not exist: $path"
	done < <(grep -rhoE 'docs/[A-Za-z/_-]+\.(md|1)' CMakeLists.txt src include tests scripts sql | sort -u)
fi
exit $status
