#!/usr/bin/env bash
# Measures --directories on a tree, and on enough backups of it for some millions of files; in each
# backup, one file in ten has another content.
#
#     tests/bench/directories.sh [BUILD [TREE [MILLIONS]]]   (default: build /usr 1)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
millions=${3:-1}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# line WHAT INDEX OPTION...: the best of three runs
line() {
	local what=$1 index=$2 least="" work=0
	shift 2
	for _ in 1 2 3; do
		timed "$build/simfind" -q -d "sqlite:$folder/$index.db" -o "$folder/pairs" --directories --format=jsonl "$@"
		read -r wall work peak <"$folder/measured"
		[ -n "$least" ] && awk -v a="${least%% *}" -v b="$wall" 'BEGIN { exit a > b }' || least="$wall $work $peak"
	done
	read -r wall work peak <<<"$least"
	printf '%-44s %8.2f s %8.2f s of work %6d MB %9d pairs\n' "$what" "$wall" "$work" $((peak / 1024)) \
		"$(wc -l <"$folder/pairs")"
}

sql() {
	sqlite3 -batch -noheader "$folder/backups.db" "$1"
}

# Add the rows of the tree again, below another directory.
add_backup() { # NUMBER
	local values
	values=$(sql "SELECT group_concat(CASE name
		WHEN 'path_hash' THEN 'randomblob(16)'
		WHEN 'directory' THEN 'CAST(''/backup$1'' || directory AS BLOB)'
		WHEN 'content_hash' THEN 'CASE WHEN random() % 10 = 0 THEN randomblob(16) ELSE content_hash END'
		WHEN 'links' THEN '1'
		ELSE name END) FROM pragma_table_info('file')")
	sql "INSERT INTO file SELECT $values FROM tree"
}

"$build/simhash" -q -d "sqlite:$folder/tree.db" "$tree" || [ $? = 2 ]
files=$(sqlite3 "$folder/tree.db" "SELECT count(*) FROM file")
line "$tree, $files files" tree
line "  identical files alone" tree --min-resemblance=1
line "  one thread" tree -j 1

cp "$folder/tree.db" "$folder/backups.db"
indexes=$(sql "SELECT group_concat(sql, ';') FROM sqlite_master WHERE type = 'index' AND tbl_name = 'file' AND sql IS NOT NULL")
sql "SELECT 'DROP INDEX ' || name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'file' AND sql IS NOT NULL" |
	while read -r drop; do sql "$drop"; done
sql "CREATE TABLE tree AS SELECT * FROM file"
for ((i = 1; i * files < millions * 1000000; i++)); do
	add_backup "$i"
done
sql "DROP TABLE tree; $indexes"
files=$(sql "SELECT count(*) FROM file")
line "$i trees, $files files" backups
line "  identical files alone" backups --min-resemblance=1
