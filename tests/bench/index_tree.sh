#!/usr/bin/env bash
# Measures indexing of a tree, compared in one run with other programs that read all of it: with a
# warm cache, with a cold cache, and a second run with nothing changed, compared with find and a walk
# alone. The last column is the time divided by xxhsum's. For simhash, also prints processor time,
# peak memory, the tail (in which it leaves processors idle at the end), and how much of all
# processors it uses before the tail, and would use on an idle machine. At the end, prints the best of
# all rounds. BEFORE is a build to compare with, and KERNELS are scan kernels to compare with the
# default one. WARM=1 leaves out cold runs; only root can make the cache cold also for directories and
# inodes. SSDEEP is a tree for ssdeep, which takes minutes. LARGE is a number of gigabytes for
# large_file.sh, which then runs last.
#
#     [BEFORE=BUILD] [KERNELS="avx2 portable"] [WARM=1] [SSDEEP=TREE] [LARGE=GIGABYTES]
#         tests/bench/index_tree.sh [BUILD [TREE [ROUNDS]]]        (default: build /usr 3)
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

remember() { # WHAT, for the end
	printf '%s\t%s\t%s\t%s\n' "$1" "$wall" "$work" "$peak" >>"$folder/lines"
}

line() { # WHAT: a row, which is also printed at the end
	row "$1" "$wall" "$bytes" "$base"
	remember "$1"
}

# index WHAT BUILD [OPTION...]: a line for a first run, and a line with its use of the processors
index() {
	local what=$1 program=$2/simhash
	shift 2
	rm -f "$folder"/index.db*
	"$build/tests/clocks" "$folder/measured" "$program" -q -d "sqlite:$folder/index.db" "$@" "$tree" \
		>/dev/null 2>&1 || true
	read -r wall work peak tail used wanted <"$folder/measured"
	line "$what"
	awk -v work="$work" -v mb="$((peak / 1024))" -v tail="$tail" -v wall="$wall" -v used="$used" \
		-v wanted="$wanted" 'BEGIN {
		printf "   processors %.2f s, memory %d MB, tail %.2f s (%.0f %%), before it %d %% in use, %d %% asked for\n",
			work, mb, tail, 100 * tail / wall, used, wanted }'
}

# again WHAT BUILD: a line for a run over the last index, with nothing changed
again() {
	timed "$2/simhash" -q -d "sqlite:$folder/index.db" "$tree"
	remember "$1"
	awk -v what="$1" -v s="$wall" -v w="$walk" -v f="$find" 'BEGIN {
		printf "%-34s %9.2f s, %.2f times find -printf, %.2f times a bare walk\n", what, s, s / f, s / w }'
}

# The best of all rounds, divided by the best of the base line
summary() {
	awk -F '\t' '
	function ratio(a, b) {
		if ((a in wall) && (b in wall))
			printf "%-34s %9.2f of wall time, %.2f of processor time over %s\n", a, \
				wall[a] / wall[b], work[a] / work[b], b
	}
	!($1 in wall) { order[n++] = $1; wall[$1] = $2; work[$1] = $3 }
	{ if ($2 < wall[$1]) wall[$1] = $2; if ($3 < work[$1]) work[$1] = $3; if ($4 > peak[$1]) peak[$1] = $4 }
	END {
		for (i = 0; i < n; i++)
			printf "%-34s %9.2f s, processors %.2f s, memory %d MB\n", order[i], wall[order[i]], \
				work[order[i]], peak[order[i]] / 1024
		for (i = 0; i < n; i++)
			if (order[i] ~ /--no-sketch/)
				ratio(order[i], "xxhsum -H3")
		ratio("simhash", "simhash --no-sketch")
		ratio("simhash --no-sketch", "before, --no-sketch")
		ratio("simhash", "before")
		ratio("simhash, nothing changed", "find -printf")
	}' "$folder/lines"
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
	line "xxhsum -H3"
	warm
	over_list cat
	line "cat"
	warm
	over_list b3sum --num-threads 1
	line "b3sum --num-threads 1"
	if [ -n "$before" ]; then
		warm
		index "before, --no-sketch" "$before" --no-sketch
	fi
	warm
	index "simhash --no-sketch" "$build" --no-sketch
	for kernel in ${KERNELS:-}; do
		warm
		SIMHASH_KERNEL=$kernel index "simhash --no-sketch, $kernel" "$build" --no-sketch
	done
	timed "$build/tests/walk" "$tree"
	walk=$wall
	timed find "$tree" -printf '%s %T@ %p\n'
	find=$wall
	remember "find -printf"
	if [ -n "$before" ]; then
		warm
		index "before" "$before"
		again "before, nothing changed" "$before"
	fi
	warm
	index "simhash" "$build"
	again "simhash, nothing changed" "$build"
done
echo "-- the least of $rounds rounds"
summary
# Make the cache cold. Without permission, only the contents of the files are dropped from it.
chill() {
	drop_caches || python3 - "$folder/list" <<-'END'
		import os, sys
		for name in open(sys.argv[1], "rb").read().split(b"\0")[:-1]:
		    try:
		        fd = os.open(name, os.O_RDONLY)
		    except OSError:
		        continue
		    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
		    os.close(fd)
	END
}

cold() { # WHAT COMMAND...
	chill
	timed "${@:2}"
	row "$1" "$wall" "$bytes" "$base"
}

if [ -z "${WARM:-}" ]; then
	echo "-- cold"
	base=1
	chill
	over_list xxhsum -H3
	base=$wall
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	chill
	over_list cat
	row "cat" "$wall" "$bytes" "$base"
	for tool in "rmlint -o summary:stdout" "jdupes -rqm"; do
		# shellcheck disable=SC2086  # a command and its options
		command -v ${tool%% *} >/dev/null && cold "$tool" $tool "$tree"
	done
	if [ -n "$before" ]; then
		chill
		index "before, cold" "$before"
	fi
	chill
	index "simhash, cold" "$build"
	chill
	index "simhash --limits=disk=0, cold" "$build" --limits=disk=0
	chill
	index "simhash --limits=disk=1, cold" "$build" --limits=disk=1
fi
if [ -n "${SSDEEP:-}" ]; then
	tree=$SSDEEP
	find "$tree" -type f -print0 >"$folder/list"
	bytes=$(xargs -0 stat -c %s <"$folder/list" | awk '{ s += $1 } END { printf "%.0f", s }')
	echo "-- warm, ssdeep over $(tr -cd '\0' <"$folder/list" | wc -c) files, $((bytes / 1000000)) MB"
	warm
	base=1
	index "simhash" "$build"
	base=$wall
	warm
	index "simhash --no-sketch" "$build" --no-sketch
	timed ssdeep -r "$tree"
	row "ssdeep -r (over simhash's time)" "$wall" "$bytes" "$base"
fi
[ -z "${LARGE:-}" ] || "$(dirname "$0")/large_file.sh" "$build" "$LARGE" "$rounds"
