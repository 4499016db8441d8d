#!/usr/bin/env bash
# An include points down: a room includes its own headers and those of the rooms that
# CMakeLists.txt lets it use, directly or through them. No room includes the programs' own
# headers, and the public ones include none of any room.
set -euo pipefail

# check FOLDER: prints every include there that points up or across
check() {
	cd "$1"
	local -A below
	local room uses used file line to
	while read -r room uses; do
		below[$room]=" $room"
		for used in $uses; do
			[ -n "${below[$used]:-}" ] || echo "add_room($room) uses $used, which is not declared above it"
			below[$room]+="${below[$used]:-}"
		done
	done < <(sed -nE 's/^add_room\(([a-z]+)( USES)?(( [a-z]+)*).*/\1\3/p' CMakeLists.txt)
	[ ${#below[@]} = "$(find src -mindepth 1 -maxdepth 1 -type d ! -name completions | wc -l)" ] ||
		echo "The folders of src are not the rooms of CMakeLists.txt: ${!below[*]}"
	while IFS=: read -r file line; do
		room=${file#src/} room=${room%%/*} to=${line#*\"} to=${to%%/*}
		case "$to" in simhash*.h*) continue ;; esac
		[[ " ${below[$room]:-} " == *" $to "* ]] || echo "$file points up or across: $line"
	done < <(grep -rE '^[[:space:]]*#[[:space:]]*include "' src include --include='*.[ch]')
}

found=$(check "$SOURCE_DIR")
[ -z "$found" ] || {
	echo "$found"
	exit 1
}
# What is wrong is found: an arrow up, two across, and one from a public header.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$SOURCE_DIR/src" "$SOURCE_DIR/include" "$SOURCE_DIR/CMakeLists.txt" "$folder"
echo '#include "store/store.h"' >>"$folder/src/base/data/array.h"
echo '#  include "find/find.h"' >>"$folder/src/index/walk/walk.c"
echo '#include "index/walk.h"' >>"$folder/src/find/pairs/pairs.c"
echo '#include "base/array.h"' >>"$folder/include/simhash.h"
[ "$(check "$folder" | grep -c 'points up or across')" = 4 ] || {
	echo "Planted arrows are not found: $(check "$folder")"
	exit 1
}
