#!/usr/bin/env bash
# Indexing a tree beside what else reads all of it, in one run: warm, cold where the caches may be
# dropped, and a second run with nothing changed beside find and a bare walk. The last column is the
# time over xxhsum's. Of simhash also: processor time, peak memory, the tail, in which it leaves
# processors idle at the end, and how much of all processors it uses before, and would use if nothing
# else ran. BEFORE is a build to be measured beside. WARM=1 leaves out what is cold, SSDEEP=1 runs ssdeep,
# too, which takes minutes.
#
#     [BEFORE=BUILD] [WARM=1] [SSDEEP=1] tests/bench/index_tree.sh [BUILD [TREE [ROUNDS]]]
#                                                      (default: build /usr 3)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
rounds=${3:-3}
before=${BEFORE:+$(cd "$BEFORE" && pwd)}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

warm() {
	xargs -0 cat <"$folder/list" >/dev/null 2>&1 || true
}

over_list() {
	timed sh -c 'xargs -0 "$@" <"$0"' "$folder/list" "$@"
}

# index WHAT BUILD [OPTION...]: a line of a first run, and one of how it used the processors
index() {
	local what=$1 program=$2/simhash
	shift 2
	rm -f "$folder"/index.db*
	"$build/tests/clocks" "$folder/measured" "$program" -q -d "sqlite:$folder/index.db" "$@" "$tree" \
		>/dev/null 2>&1 || true
	read -r wall work peak tail used wanted <"$folder/measured"
	row "$what" "$wall" "$bytes" "$base"
	awk -v work="$work" -v mb="$((peak / 1024))" -v tail="$tail" -v wall="$wall" -v used="$used" \
		-v wanted="$wanted" 'BEGIN {
		printf "   processors %.2f s, memory %d MB, tail %.2f s (%.0f %%), before it %d %% in use, %d %% asked for\n",
			work, mb, tail, 100 * tail / wall, used, wanted }'
}

# again WHAT BUILD: a line of a run over the index of the last one, with nothing changed
again() {
	timed "$2/simhash" -q -d "sqlite:$folder/index.db" "$tree"
	awk -v what="$1" -v s="$wall" -v w="$walk" -v f="$find" 'BEGIN {
		printf "%-34s %9.2f s, %.2f times find -printf, %.2f times a bare walk\n", what, s, s / f, s / w }'
}

find "$tree" -type f -print0 >"$folder/list"
bytes=$(xargs -0 stat -c %s <"$folder/list" | awk '{ s += $1 } END { printf "%.0f", s }')
echo "$tree: $(tr -cd '\0' <"$folder/list" | wc -c) files, $((bytes / 1000000)) MB," \
	"$(nproc) processors, kernel $("$build/simhash" --version | sed -n 's/scan kernel: //p')"

for round in $(seq "$rounds"); do
	echo "-- warm, round $round"
	warm
	over_list xxhsum -H3
	base=$wall
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	warm
	over_list cat
	row "cat" "$wall" "$bytes" "$base"
	warm
	over_list b3sum --num-threads 1
	row "b3sum --num-threads 1" "$wall" "$bytes" "$base"
	if [ -n "$before" ]; then
		warm
		index "before, --no-sketch" "$before" --no-sketch
	fi
	warm
	index "simhash --no-sketch" "$build" --no-sketch
	if [ -n "$before" ]; then
		warm
		index "before" "$before"
	fi
	warm
	index "simhash" "$build"
	timed "$build/tests/walk" "$tree"
	walk=$wall
	timed find "$tree" -printf '%s %T@ %p\n'
	find=$wall
	[ -z "$before" ] || again "before, nothing changed" "$before"
	again "simhash, nothing changed" "$build"
done
if [ -z "${WARM:-}" ] && drop_caches; then
	echo "-- cold"
	over_list xxhsum -H3
	base=$wall
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	drop_caches
	over_list cat
	row "cat" "$wall" "$bytes" "$base"
	drop_caches
	index "simhash" "$build"
fi
[ -n "${SSDEEP:-}" ] || exit 0
warm
echo "-- warm, ssdeep"
over_list xxhsum -H3
base=$wall
index "simhash" "$build"
base=$wall
timed ssdeep -r "$tree"
row "ssdeep -r (over simhash's time)" "$wall" "$bytes" "$base"
