#!/usr/bin/env bash
# Tests that the views of sql/ give right answers on each engine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$files/a" "$files/b"
make_tree --flat --files=400 --sizes=2000-40000 "$files/a"
find "$files/a" -type f | LC_ALL=C sort | sed -n 1,40p | while IFS= read -r path; do
	cp "$path" "$files/b/"
	printf 'changed' | dd of="$path" conv=notrunc bs=1 seek=700 2>/dev/null
	cp "$path" "$path.copy"
done
runs 0 "$SIMHASH" "$files"

example() {
	sql "$(grep -v '^--' "$SOURCE_DIR/sql/examples/$1.sql")"
}

same "rows in key order" 20 "$(example key_order | wc -l)"
example key_order | cut -d'|' -f4 | sort -n -c || fail "keys out of order"

# All pairs by key range: exactly the pairs of simfind without sketches.
"$SIMFIND" --summary=none --verify=no --candidates=skew_ext --group=none --format=csv | tr -d '\r' | tail -n +2 | awk -F, '{ print $2 "|" $10 "|" $11 }' |
	LC_ALL=C sort >expected
sql "SELECT distance, path_a, path_b FROM similar_pair" | awk -F'|' '{
	print $1 "|" ($2 < $3 ? $2 : $3) "|" ($2 < $3 ? $3 : $2) }' | LC_ALL=C sort >found
cmp expected found || fail "all pairs: $(diff expected found | head -4)"
[ "$(wc -l <expected)" -gt 40 ] || fail "too few pairs for a test"
# The entries of an index show which files are not a pair, without their rows.
if [ "$TEST_ENGINE" = sqlite ]; then
	same "files compared by an index" 2 "$(sql 'EXPLAIN QUERY PLAN SELECT COUNT(*) FROM similar_pair' |
		grep -c 'COVERING INDEX file_cell')"
	same "cells of one file" 1 "$(sql "EXPLAIN QUERY PLAN $(grep -v '^--' "$SOURCE_DIR/sql/examples/similar_to_one_file.sql")" |
		grep -c ' k USING .*file_cell (tag_set=? AND cell=?')"
	# The files with a content that may be left are looked up.
	left=$(sed -n '/KEPT_FIND_CONTENT,/,/error)/p' "$SOURCE_DIR/src/store/write/left_contents.c" | grep -o '"[^"]*"' | tr -d '"\n')
	same "files with a content" 1 "$(sql "EXPLAIN QUERY PLAN $left" |
		grep -c 'file_cell (tag_set=? AND cell=? AND uniform=? AND size=?)')"
	same "files read for a group" 0 "$(sql "EXPLAIN QUERY PLAN $(grep -v '^--' "$SOURCE_DIR/sql/examples/group_of_one_file.sql")" |
		grep -cE 'AUTOMATIC|SCAN (f|g|o|p)|SEARCH (f|p) .*(tag_set=\?( AND host=\?)?\))')"
	# All rows are read in the order of the table, also after ANALYZE: looking them up is slow.
	sql "ANALYZE"
	grep -rhoE 'FROM file f WHERE \+f\.tag_set[^"]*' "$SOURCE_DIR/src/store/rows" "$SOURCE_DIR/src/find" |
		sed 's/%lld/3/; s/ AND $//' >statements
	same "statements for all rows" 3 "$(wc -l <statements)"
	while read -r statement; do
		same "$statement" 0 "$(sql "EXPLAIN QUERY PLAN SELECT f.name $statement" | grep -c 'file_')"
	done <statements
	sql "DROP TABLE sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4"
else
	same "files compared by an index" 1 "$(sql 'EXPLAIN SELECT COUNT(*) FROM similar_pair' |
		grep -c 'Using index condition')"
fi

one=$(find "$files/b" -name '*.h' | LC_ALL=C sort | sed -n 2p)
"$SIMFIND" --summary=none --verify=no --candidates=skew_ext --format=csv "$one" | tr -d '\r' | tail -n +2 |
	awk -F, -v one="$one" '{ print $2 "|" ($10 == one ? $11 : $10) }' | LC_ALL=C sort >expected
sql "SELECT distance, similar_path FROM similar_file
	WHERE directory = '${one%/*}' AND name = '${one##*/}'" | LC_ALL=C sort >found
cmp expected found || fail "one file: $(diff expected found | head -4)"
[ -s expected ] || fail "the one file has no similar ones"

# 40 files were changed and then copied: this gives 40 groups of 2, among others.
groups=$(sql 'SELECT count(*) FROM duplicate')
by_hash=$(find "$files" -type f -size +0 -exec sha256sum {} + | cut -c1-64 | sort | uniq -d | wc -l)
same "groups of duplicates" "$by_hash" "$groups"
[ "$groups" -ge 40 ] || fail "only $groups groups"
same "examples of largest groups" 20 "$(example largest_groups | wc -l)"
same "examples of duplicates" 40 "$(example duplicates | wc -l)"
example duplicates | cut -d'|' -f4 | while IFS= read -r path; do
	[ -f "$path" ] || fail "no file $path"
done

same "files by extension" "$(find "$files" -name '*.h' | wc -l)" \
	"$(example extension_key_space | awk -F'|' '$1 == "h" { print $2 }')"
example runs | has "|$files|$(find "$files" -type f | wc -l)|.*|0|finished$" ||
	fail "runs: $(example runs)"

# The view with texts, by names as users type them.
same "file_text" 1 "$(sql "SELECT count(*) FROM file_text WHERE path = '$one' AND extension = 'h'")"
same "modified" "$(date -u -r "$one" '+%Y-%m-%d %H:%M:%S')" \
	"$(sql "SELECT modified_utc FROM file_text WHERE path = '$one'" | cut -c1-19)"

# Names that differ only in case, accents, blanks at the end or bytes that are not UTF-8 are
# different names.
reset
tree=$TEST_FOLDER/hostile
i=0
for name in Doc doc DOC $'caf\xc3\xa9' $'cafe\xcc\x81' cafe 'x' 'x ' 'x  ' $'n\nl' "q'uote" 'd"q' 'b\s' $'\xff' $'\xfe' $'caf\xe9' \
	$'caf\xc3\xa9\xef\xbf\xbd' 100% _; do
	i=$((i + 1))
	mkdir -p "$tree/letters/$name" "$tree/backup"
	seq 3000 4000 >"$tree/letters/$name/$name"
	seq $((i * 1000)) $((i * 1000 + 900)) >"$tree/letters/$name.txt"
	(cat "$tree/letters/$name.txt"; echo more) >"$tree/backup/$name.txt"
done
cp "$tree/letters/doc.txt" "$tree/letters/april.txt"
touch "$tree"/{letters,backup}/*.txt
[ "$(ls -A "$tree/letters" | wc -l)" -ge 39 ] || fail "the file system does not keep names apart"
hostile() { # DATABASE
	runs 0 "$SIMHASH" -d "$1" --measure=minhash:words=3 --host=alpha "$tree"
	runs 0 "$SIMHASH" -d "$1" --host=beta "$tree/backup"
	runs 0 "$SIMFIND" -d "$1" --host=alpha --store
}
hostile "$TEST_URL"
same "paths" "58|58|58" "$(sql "SELECT COUNT(*), COUNT(DISTINCT path), COUNT(DISTINCT file_id) FROM file_text WHERE host = 'alpha'")"
same "directories" 22 "$(sql "SELECT COUNT(DISTINCT directory) FROM (SELECT directory FROM file_text UNION ALL SELECT '$tree') AS d")"
for name in doc cafe x 'x ' $'caf\xc3\xa9'; do
	same "files called '$name'" 1 "$(sql "SELECT COUNT(*) FROM file_text WHERE path = '$tree/letters/$name/$name'")"
	same "members called '$name'" 1 "$(sql "SELECT COUNT(*) FROM grouped_file WHERE name = '$name'")"
done
same "spare bytes" "$((18 * $(wc -c <"$tree/letters/doc/doc")))" "$(sql "SELECT MAX(spare_bytes) FROM duplicate")"
if [ "$TEST_ENGINE" != sqlite ]; then
	hostile sqlite:other.db
	python3 "$SOURCE_DIR/tests/cli/same_rows.py" "$SOURCE_DIR/sql/examples" other.db "$tree" >answers ||
		fail "different rows on both engines"
	same "examples compared" "$(find "$SOURCE_DIR/sql/examples" -name '*.sql' | wc -l)" "$(wc -l <answers)"
fi

# Names with the same device and inode are one file, regardless of the number of links; here as for
# a bind mount.
sql "UPDATE file SET links = 1, device = 7, inode = 9 WHERE content_hash IN (
	SELECT content_hash FROM (SELECT content_hash FROM file GROUP BY content_hash HAVING COUNT(*) > 10) AS many)"
same "no copies of one file" 0 "$(sql "SELECT COUNT(*) FROM duplicate WHERE files > 2")"
same "no group of one file" 0 "$(sql "SELECT COUNT(*) FROM similar_group WHERE copies > 5")"
same "no pairs of one file" 0 "$(sql "SELECT COUNT(*) FROM similar_pair WHERE is_copy = 1
	AND path_a LIKE '%/letters/%/%' AND path_b LIKE '%/letters/%/%'")"
