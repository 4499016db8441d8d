#!/usr/bin/env bash
# A tree indexed by simhash beside `xxhsum -H3` over the same files, in one run
# with a warm cache: first run, rescan with nothing changed, and peak memory.
#
#     tests/bench/index_tree.sh [BUILD [TREE [ROUNDS]]]   (default: build /usr 3)
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
rounds=${3:-3}
command -v xxhsum >/dev/null || { echo "needs xxhsum (Debian: xxhash)" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
measure="$build/tests/measure $folder/m"
find "$tree" -type f -print0 >"$folder/list"
echo "$tree: $(tr -cd '\0' <"$folder/list" | wc -c) files, $(xargs -0 stat -c %s <"$folder/list" |
	awk '{ s += $1 } END { printf "%.2f GB", s / 1e9 }'), $(nproc) processors"
xargs -0 cat <"$folder/list" >/dev/null # warm the cache

printf '%-6s %10s %10s %10s %8s %12s\n' round xxhsum simhash rescan ratio 'peak memory'
for round in $(seq "$rounds"); do
	$measure sh -c 'xargs -0 xxhsum -H3 >/dev/null 2>&1 || true' <"$folder/list"
	read -r xxhsum _ <"$folder/m"
	rm -f "$folder"/index.db*
	$measure "$build/simhash" -q -d "sqlite:$folder/index.db" "$tree" || true
	read -r first _ memory <"$folder/m"
	$measure "$build/simhash" -q -d "sqlite:$folder/index.db" "$tree" || true
	read -r rescan _ <"$folder/m"
	awk -v r="$round" -v x="$xxhsum" -v f="$first" -v s="$rescan" -v m="$memory" 'BEGIN {
		printf "%-6s %8.2f s %8.2f s %8.2f s %8.2f %9.1f MB\n", r, x, f, s, f / x, m / 1024 }'
done
