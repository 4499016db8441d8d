#!/usr/bin/env bash
# Compares similar pairs in plain SQL with simfind, in SQLite and on a MariaDB server. All pairs of
# 100,000 real files are found by the view, and by two joins that one would write without it: on a
# stored logarithm of the key, which loses pairs whose keys differ by more than 0.1 to 0.2 percent,
# and on ranges of the key. Also finds the files similar to one file in an index of a million rows.
#
#     tests/bench/sql.sh [BUILD [TREE]]   (default: build /usr)
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/mariadb.sh
. "$source_dir/scripts/mariadb.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-bench.XXXXXX")
# shellcheck disable=SC2317  # called by the trap
end() {
	[ -z "${server:-}" ] || end_server "$server" KILL
	rm -rf "$folder"
}
trap end EXIT
export HOME=$folder
make_server "$folder/one"
start_server "$folder/one" --skip-networking --innodb-buffer-pool-size=1G --innodb-log-file-size=96M
wait_for_server "$folder/one"
printf '[client]\nsocket=%s/one/s\nuser=%s\n' "$folder" "$server_user" >"$HOME/.my.cnf"

# line WHAT COMMAND...: print the seconds and the output of the command
line() {
	local what=$1 begin answer
	shift
	begin=$(date +%s%N)
	answer=$("$@" | tail -n 1)
	awk -v what="$what" -v a="$begin" -v b="$(date +%s%N)" -v answer="$answer" \
		'BEGIN { printf "%-52s %9.3f s   %s\n", what, (b - a) / 1e9, answer }'
}
in_sqlite() { sqlite3 "$folder/$1.db" "$2"; }
in_mariadb() { mariadb --batch --skip-column-names "$1" -e "$2"; }
by_simfind() { "$build/simfind" -d "sqlite:$folder/part.db" --verify=no --candidates=skew_ext --group=none -o "$folder/pairs" 2>&1; }
count='SELECT COUNT(*) FROM similar_pair'
# Conditions that one would write without the buckets.
sizes_and_distance='AND a.size > 0 AND b.size > 0
	AND 2 * a.size <= 3 * b.size AND 2 * b.size <= 3 * a.size
	AND 200 * (abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15)) <= a.size + b.size'
ranges="SELECT COUNT(*) FROM file a JOIN file b ON b.tag_set = a.tag_set
	AND b.skew_ext BETWEEN a.skew_ext AND a.skew_ext + 1 + a.size * 15 / 1000
	AND (b.skew_ext > a.skew_ext OR b.path_hash > a.path_hash) $sizes_and_distance"
make_logarithms="DROP TABLE IF EXISTS by_logarithm;
	CREATE TABLE by_logarithm AS SELECT file.*, FLOOR(1000 * LN(skew + 1)) AS bucket_of_key FROM file;
	CREATE INDEX bucket_of_key ON by_logarithm (bucket_of_key)"
# join_logarithms JOIN: JOIN sets the order of the tables, or lets SQLite choose.
join_logarithms() {
	printf 'SELECT COUNT(*) FROM by_logarithm a %s by_logarithm b
		ON b.bucket_of_key IN (a.bucket_of_key, a.bucket_of_key + 1)
		AND (b.skew > a.skew OR b.skew = a.skew AND b.path_hash > a.path_hash) %s' "$1" "$sizes_and_distance"
}
# A server may use one range per row for IN; each of the two buckets alone is an equality.
each_logarithm="SELECT SUM(pairs) FROM (
	SELECT COUNT(*) AS pairs FROM by_logarithm a STRAIGHT_JOIN by_logarithm b ON b.bucket_of_key = a.bucket_of_key
		AND (b.skew > a.skew OR b.skew = a.skew AND b.path_hash > a.path_hash) $sizes_and_distance
	UNION ALL SELECT COUNT(*) FROM by_logarithm a STRAIGHT_JOIN by_logarithm b
		ON b.bucket_of_key = a.bucket_of_key + 1 $sizes_and_distance) AS both_buckets"

"$build/simhash" -q -d "sqlite:$folder/tree.db" "$tree" || [ $? = 2 ]
cp "$folder/tree.db" "$folder/part.db"
in_sqlite part 'DELETE FROM file WHERE path_hash >= (SELECT path_hash FROM file ORDER BY path_hash LIMIT 1 OFFSET 100000)'
in_sqlite part 'ANALYZE'
"$build/simhash" -q -d "sqlite:$folder/part.db" --copy-to=mysql://localhost/part
in_mariadb part 'ANALYZE TABLE file' >/dev/null
in_sqlite part "$make_logarithms; ANALYZE"
in_mariadb part "$make_logarithms; ANALYZE TABLE by_logarithm" >/dev/null
for round in 1 2; do
	echo "-- all pairs of 100,000 files at 1 percent, round $round"
	line "simfind --verify=no --candidates=skew_ext --group=none" by_simfind
	line "SQLite, similar_pair" in_sqlite part "$count"
	line "SQLite, logarithm of the key (loses pairs)" in_sqlite part "$(join_logarithms 'CROSS JOIN')"
	line "SQLite, ranges of the key" in_sqlite part "$ranges"
	line "MariaDB, similar_pair" in_mariadb part "$count"
	line "MariaDB, logarithm of the key (loses pairs)" in_mariadb part "$each_logarithm"
done
echo "-- MariaDB, ranges of the key, ended after 60 s"
line "MariaDB, ranges of the key" in_mariadb part "SET max_statement_time = 60; $ranges" || true

"$build/tests/rows" make "sqlite:$folder/tree.db" "sqlite:$folder/made.db" 1000000
# A copy also writes the directories, because the view finds a file by its directory.
for url in "sqlite:$folder/million.db" mysql://localhost/million; do
	"$build/simhash" -q -d "sqlite:$folder/made.db" --copy-to="$url"
done
in_mariadb million 'ANALYZE TABLE file, directory' >/dev/null
echo "-- the files similar to one, of a million rows (with the start of the client)"
for i in 1 1000 20000 300000 900000; do
	file=$(in_sqlite million "SELECT CAST(directory AS TEXT) || '|' || CAST(name AS TEXT) FROM file WHERE size > 3000 LIMIT 1 OFFSET $i")
	where="directory = '${file%|*}' AND name = '${file#*|}'"
	for engine in in_sqlite in_mariadb; do
		line "$engine, file $i" $engine million "SELECT COUNT(*) FROM similar_file WHERE $where"
	done
done
line "the start of the client alone, SQLite" in_sqlite million 'SELECT 1'
line "the start of the client alone, MariaDB" in_mariadb million 'SELECT 1'
