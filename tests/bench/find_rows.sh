#!/usr/bin/env bash
# Measures searches in large indexes that are similar to the index of a real tree: compared with
# only reading the same rows in order, with ten times the rows, with half of the rows copies of one
# file, and by key range. Also searches for one file in the largest index.
#
#     tests/bench/find_rows.sh [BUILD [TREE [MILLIONS]]]   (default: build /usr 10)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
millions=${3:-10}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

find_pairs() { # INDEX [OPTION...]
	local index=$1
	shift
	timed "$build/simfind" -q -d "sqlite:$folder/$index.db" -o "$folder/pairs" "$@"
}

line() { # WHAT BASE
	awk -v what="$1" -v t="$wall" -v base="$2" -v mb="$((peak / 1024))" \
		-v pairs="$(wc -l <"$folder/pairs")" \
		'BEGIN { printf "%-44s %8.2f s %6.2f times %6d MB %10d lines\n", what, t, t / base, mb, pairs }'
}

"$build/simhash" -q -d "sqlite:$folder/tree.db" "$tree" || [ $? = 2 ]
"$build/tests/rows" make "sqlite:$folder/tree.db" "sqlite:$folder/one.db" 1000000
"$build/tests/rows" make "sqlite:$folder/tree.db" "sqlite:$folder/copies.db" 1000000 50
for round in 1 2 3; do
	echo "-- 1 million rows, round $round"
	: >"$folder/pairs"
	timed "$build/tests/rows" read "sqlite:$folder/one.db"
	read=$wall
	line "bare ordered read" "$read"
	find_pairs one
	base=$wall
	line "simfind (over the bare read)" "$read"
	find_pairs one --candidates=skew_ext
	line "--candidates=skew_ext (over simfind)" "$base"
	find_pairs copies
	line "half are copies of one (over simfind)" "$base"
	find_pairs one -j 1
	line "-j 1 (over simfind)" "$base"
done
"$build/tests/rows" make "sqlite:$folder/tree.db" "sqlite:$folder/ten.db" $((millions * 1000000))
for round in 1 2; do
	echo "-- $millions million rows, round $round"
	: >"$folder/pairs"
	timed "$build/tests/rows" read "sqlite:$folder/ten.db"
	read=$wall
	line "bare ordered read" "$read"
	find_pairs ten
	line "simfind (over the bare read)" "$read"
	line "simfind (over that of 1 million)" "$base"
done
# The first round fills the cache.
for round in 1 2; do
	echo "-- one file among $millions million rows, round $round"
	for file in /usr/include/stdio.h /usr/bin/env /usr/share/common-licenses/GPL-3 /usr/bin/perl; do
		for how in -q "--candidates=exact" --nearest=10 --verify=no; do
			find_pairs ten "$how" "$file"
			# shellcheck disable=SC2154  # of timed
			echo "simfind $how $file: $work s of work, $wall s"
		done
	done
done
{ find "$tree" -type f -size +1k -print0 || true; } | head -z -n 1000 >"$folder/list"
find_pairs ten --files0-from="$folder/list"
echo "1,000 FILEs at once: $work s of work, $wall s"
