#!/usr/bin/env bash
# Indexing a tree beside what else reads all of it, in one run: warm, cold where the
# caches may be dropped, a second run with nothing changed beside find and a bare walk, and
# once ssdeep, which takes minutes. The last column is the time over xxhsum's.
#
#     tests/bench/index_tree.sh [BUILD [TREE [ROUNDS]]]   (default: build /usr 3)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
rounds=${3:-3}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

simhash() {
	rm -f "$folder"/index.db*
	timed "$build/simhash" -q -d "sqlite:$folder/index.db" "$tree"
}

over_list() {
	timed sh -c 'xargs -0 "$@" <"$0"' "$folder/list" "$@"
}

find "$tree" -type f -print0 >"$folder/list"
bytes=$(xargs -0 stat -c %s <"$folder/list" | awk '{ s += $1 } END { printf "%.0f", s }')
echo "$tree: $(tr -cd '\0' <"$folder/list" | wc -c) files, $((bytes / 1000000)) MB," \
	"$(nproc) processors, kernel $("$build/simhash" --version | sed -n 's/scan kernel: //p')"

for round in $(seq "$rounds"); do
	xargs -0 cat <"$folder/list" >/dev/null 2>&1 || true
	echo "-- warm, round $round"
	over_list xxhsum -H3
	base=$wall
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	over_list cat
	row "cat" "$wall" "$bytes" "$base"
	over_list b3sum --num-threads 1
	row "b3sum --num-threads 1" "$wall" "$bytes" "$base"
	simhash
	row "simhash" "$wall" "$bytes" "$base"
	echo "   simhash used $((peak / 1024)) MB of memory"
	timed "$build/tests/walk" "$tree"
	walk=$wall
	timed find "$tree" -printf '%s %T@ %p\n'
	find=$wall
	timed "$build/simhash" -q -d "sqlite:$folder/index.db" "$tree"
	awk -v s="$wall" -v w="$walk" -v f="$find" 'BEGIN {
		printf "   again, nothing changed: %.2f s, %.2f times find -printf, %.2f times a bare walk\n",
			s, s / f, s / w }'
done
if drop_caches; then
	echo "-- cold"
	over_list xxhsum -H3
	base=$wall
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	drop_caches
	over_list cat
	row "cat" "$wall" "$bytes" "$base"
	drop_caches
	simhash
	row "simhash" "$wall" "$bytes" "$base"
fi
xargs -0 cat <"$folder/list" >/dev/null 2>&1 || true
echo "-- warm, ssdeep"
simhash
base=$wall
row "simhash" "$wall" "$bytes" "$base"
timed ssdeep -r "$tree"
row "ssdeep -r (over simhash's time)" "$wall" "$bytes" "$base"
