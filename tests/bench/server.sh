#!/usr/bin/env bash
# Measures an index on a server, in one run with MariaDB on this machine. It compares rows written
# by the store with the fastest loaders by hand for the same table, rows read in key order with a
# SELECT alone, two writers with one, a run with nothing changed with find, all pairs with SQLite,
# and three Spider nodes with one server.
#
#     tests/bench/server.sh [BUILD [TREE [ROUNDS [ROWS]]]]   (default: build /usr 3 1000000)
#     PART=pairs tests/bench/server.sh ...                   only all pairs
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
rounds=${3:-3}
pair_rows=${4:-1000000}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/mariadb.sh
. "$source_dir/scripts/mariadb.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-bench.XXXXXX")
# shellcheck disable=SC2317  # called by the trap
end() {
	SPIDER_PLUGIN_DIR='' "$source_dir/scripts/scale-out.sh" stop "$folder/spread" 2>/dev/null || true
	[ -z "${server:-}" ] || end_server "$server" KILL
	rm -rf "$folder"
}
trap end EXIT
# shellcheck disable=SC2034  # by their names
declare -A first again
rows=sqlite:$folder/tree.db
"$build/simhash" -q -d "$rows" "$tree" || [ $? = 2 ]

make_server "$folder/one"
start_server "$folder/one" --skip-networking --innodb-buffer-pool-size=512M --local-infile=1 \
	--innodb-log-file-size=96M
wait_for_server "$folder/one"
export HOME=$folder
printf '[client]\nsocket=%s/one/s\nuser=%s\n' "$folder" "$server_user" >"$HOME/.my.cnf"
url=mysql://localhost/simhash
fresh() {
	at_server "$folder/one" -e 'DROP DATABASE IF EXISTS simhash'
	"$build/simhash" -d "$url" --init-database >/dev/null
}
# line WHAT SECONDS ROWS [BASE]: rows per second, also divided by BASE's
line() {
	awk -v what="$1" -v t="$2" -v n="$3" -v base="${4:-0}" 'BEGIN {
		printf "%-46s %8.1f thousand rows/s %s\n", what, n / t / 1000,
			(base > 0 ? sprintf("%6.2f", n / t / base) : "") }'
}
way() {
	read -r seconds count < <("$build/tests/loader" "$@" | tail -n 1)
	rate=$(awk -v t="$seconds" -v n="$count" 'BEGIN { print n / t }')
}

# seconds COMMAND...: its wall time
seconds() {
	local begin
	begin=$(date +%s%N)
	"$@" >/dev/null || [ $? = 2 ]
	awk -v a="$begin" -v b="$(date +%s%N)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }'
}
# All pairs of the same rows in a file and on the server, with one thread and with all.
all_pairs() {
	local threads round file=sqlite:$folder/pairs.db
	"$build/tests/rows" make "$rows" "$file" "$pair_rows"
	fresh
	"$build/simhash" -q -d "$file" --copy-to="$url"
	for round in $(seq "$rounds"); do
		for threads in 1 "$(nproc)"; do
			awk -v n="$pair_rows" -v threads="$threads" \
				-v f="$(seconds "$build/simfind" -q -j "$threads" --format=text -d "$file" -o "$folder/in_file")" \
				-v s="$(seconds "$build/simfind" -q -j "$threads" --format=text -d "$url" -o "$folder/on_server")" 'BEGIN {
				printf "-- all pairs of %d rows, %d threads: SQLite %.2f s, MariaDB %.2f s: %.2f\n", n, threads, f, s, s / f }'
			cmp "$folder/in_file" "$folder/on_server"
		done
	done
}
[ "${PART:-}" != pairs ] || { all_pairs && exit; }

for round in $(seq "$rounds"); do
	echo "-- round $round: first load, and the same rows again"

	for by in rows array load store; do
		fresh
		way $by "$rows" "$url"
		# shellcheck disable=SC2034  # by their names
		first[$by]="$seconds $count $rate"
		way $by "$rows" "$url"
		# shellcheck disable=SC2034
		again[$by]="$seconds $count $rate"
	done
	for pass in first again; do
		declare -n all=$pass
		fastest=0
		for by in rows array load; do
			read -r seconds count rate <<<"${all[$by]}"
			line "$pass: by hand, $by" "$seconds" "$count"
			fastest=$(awk -v a="$fastest" -v b="$rate" 'BEGIN { print (a > b ? a : b) }')
		done
		read -r seconds count rate <<<"${all[store]}"
		line "$pass: the store, of the fastest by hand" "$seconds" "$count" "$fastest"
	done
	way select "$rows" "$url"
	bare=$rate
	line "read in key order: bare SELECT" "$seconds" "$count"
	way read "$rows" "$url"
	line "read in key order: the store, of the bare" "$seconds" "$count" "$bare"
	fresh
	way store "$rows" "$url"
	one=$rate
	line "one writer" "$seconds" "$count"
	fresh
	begin=$(date +%s%N)
	"$build/tests/loader" store "$rows" "$url" 1/2 >/dev/null &
	first_writer=$!
	"$build/tests/loader" store "$rows" "$url" 2/2 >/dev/null
	wait $first_writer
	seconds=$(awk -v a="$begin" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')
	line "two writers, of one (with their start)" "$seconds" "$count" "$one"
done

fresh
"$build/simhash" -q -d "$url" "$tree" || [ $? = 2 ]
for round in $(seq "$rounds"); do
	awk -v round="$round" -v f="$(seconds find "$tree" -printf '%s %T@ %p\n')" \
		-v s="$(seconds "$build/simhash" -q -d "$url" "$tree")" 'BEGIN {
		printf "-- round %d: again, nothing changed: %.2f s, %.2f times find -printf\n", round, s, s / f }'
done

all_pairs

fetched=$source_dir/build-spider/usr/lib/mysql/plugin
[ ! -e "$fetched/ha_spider.so" ] || export SPIDER_PLUGIN_DIR=${SPIDER_PLUGIN_DIR:-$fetched}
SIMHASH=$build/simhash "$source_dir/scripts/scale-out.sh" start "$folder/spread" >/dev/null
for round in $(seq "$rounds"); do
	echo "-- round $round: three Spider nodes, of one server"
	fresh
	way store "$rows" "$url"
	write=$rate
	way read "$rows" "$url"
	read_one=$rate
	cp "$HOME/.my.cnf" "$folder/one.cnf"
	cp "$folder/spread/head.cnf" "$HOME/.my.cnf"
	at_server "$folder/spread/head" simhash -e 'DELETE FROM file'
	way store "$rows" "$url"
	line "written" "$seconds" "$count" "$write"
	way read "$rows" "$url"
	line "read in key order" "$seconds" "$count" "$read_one"
	cp "$folder/one.cnf" "$HOME/.my.cnf"
done
