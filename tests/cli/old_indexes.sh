#!/usr/bin/env bash
# Tests indexes written by earlier versions: after the update, their rows equal the rows that are
# written today for the same files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

tree=$TEST_FOLDER/tree
"$SOURCE_DIR/tests/schema/tree.sh" "$tree"
newest=$(newest_version)

# Columns that must not differ: all except for where and when a file was scanned, and columns that
# newer versions fill by scanning.
same_columns() { # VERSION
	local added="contents|pieces|ctime_ns"
	[ "$1" -ge 3 ] || added+="|links"
	[ "$1" -ge 17 ] || added+="|resemblance_sketch"
	if [ "$TEST_ENGINE" = sqlite ]; then
		sql "SELECT name FROM pragma_table_info('file')"
	else
		sql "SELECT column_name FROM information_schema.columns
			WHERE table_schema = 'simhash' AND table_name = 'file'"
	fi | grep -vxE "host|path_hash|directory|device|inode|scanned_at_ns|$added"
}

restore() { # VERSION
	reset
	gzip -dc "$SOURCE_DIR/tests/schema/$TEST_ENGINE-$1.sql.gz" >dump
	if [ "$TEST_ENGINE" = sqlite ]; then
		sqlite3 -batch index.db <dump
	else
		mariadb simhash <dump
	fi
}

check_version() { # VERSION
	local equals=IS condition='a.tag_set = b.tag_set' column
	[ "$TEST_ENGINE" = sqlite ] || equals='<=>'
	restore "$1"
	runs 1 "$SIMFIND"
	said "has schema version $1, but this program needs $newest: run simhash on it once"
	runs 0 "$SIMHASH" "$tree"
	summary 10 0 0 0
	same "rows from version $1" 20 "$(sql "SELECT COUNT(*) FROM file")"

	# Their sketches are of the bytes of texts, with white space.
	[ "$1" -ge 17 ] || same "sketches from version $1" "$(sql "SELECT COUNT(*) FROM file a
		JOIN host h ON h.id = a.host AND h.name = 'archive' WHERE size >= 16")" \
		"$(sql "SELECT COUNT(*) FROM file a
		JOIN host h ON h.id = a.host AND h.name = 'archive' WHERE resemblance_sketch IS NULL AND size >= 16")"

	# Contents of both hosts have pieces, but only the new rows say so, and rows that had them.
	same "rows with pieces from version $1" "10 $(($1 < 18 ? 0 : 10))" "$(sql "SELECT SUM(pieces) FROM file a
		JOIN host h ON h.id = a.host AND h.name <> 'archive'") $(sql "SELECT SUM(pieces) FROM file a
		JOIN host h ON h.id = a.host AND h.name = 'archive'")"
	same "pieces after version $1" "$(sql "SELECT COUNT(DISTINCT content_hash) FROM file WHERE size >= 2063
		AND content_hash IN (SELECT content_hash FROM pieces)")" "$(sql "SELECT COUNT(*) FROM pieces")"

	for column in $(same_columns "$1"); do
		condition+=" AND a.$column $equals b.$column"
	done
	same "rows that are as today's, from version $1" 10 "$(sql "SELECT COUNT(*) FROM file a
		JOIN host ha ON ha.id = a.host AND ha.name = 'archive'
		JOIN file b ON b.host <> a.host AND $condition")"

	# By counts alone, which every version has, and by another measure if the version had one.
	runs 0 "$SIMFIND" --verify=no --between archive: "$tree" --group=none --format=csv -o pairs
	same "identical pairs from version $1" 13 "$(grep -c ^identical pairs)"
	same "similar pairs from version $1" 10 "$(grep -c ^similar pairs)"
	[ "$1" -lt 5 ] || {
		runs 0 "$SIMFIND" --measure=simhash64 --between archive: archive: --format=csv -o measured
		grep -q 'numbers-new.csv' measured || fail "from version $1 the other measure finds no version"
	}
	runs 0 "$SIMFIND" --between archive: "$tree"
	same "differences of counts above 1 %, from version $1" 0 \
		"$(sql "SELECT COUNT(*) FROM similar_pair WHERE count_difference > 1")"
}

for version in $(seq $((newest - 1))); do
	check_version "$version"
done
