#!/usr/bin/env bash
# An include points down: a room includes its own headers and those of the rooms that
# CMakeLists.txt lets it use, directly or through them. And no room includes the programs' own.
set -euo pipefail
cd "$SOURCE_DIR"
status=0
declare -A below
while read -r room uses; do
	below[$room]=" $room"
	for used in $uses; do
		below[$room]+="${below[$used]:?add_room($room) uses $used, which is not declared above it}"
	done
done < <(sed -nE 's/^add_room\(([a-z]+)( USES)?(( [a-z]+)*).*/\1\3/p' CMakeLists.txt)
[ ${#below[@]} = "$(find src -mindepth 1 -maxdepth 1 -type d ! -name completions | wc -l)" ] || {
	echo "The folders of src are not the rooms of CMakeLists.txt: ${!below[*]}"
	status=1
}
while IFS=: read -r file line; do
	room=${file#src/} room=${room%%/*} to=${line#*\"} to=${to%%/*}
	case "$to" in simhash*.h*) continue ;; esac
	[[ " ${below[$room]} " == *" $to "* ]] || { echo "$file points up or across: $line"; status=1; }
done < <(grep -rE '^#include "' src --include='*.[ch]')
exit $status
