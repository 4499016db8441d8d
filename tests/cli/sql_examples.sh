#!/usr/bin/env bash
# The views of sql/ tell the truth, on each engine.
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

# All pairs by key range: those of simfind, to the pair, without sketches.
"$SIMFIND" -q --verify=no --candidates=key --expand --format=csv | tr -d '\r' | tail -n +2 | awk -F, '{ print $2 "|" $11 "|" $12 }' |
	LC_ALL=C sort >expected
sql "SELECT distance, path_a, path_b FROM similar_pair" | awk -F'|' '{
	print $1 "|" ($2 < $3 ? $2 : $3) "|" ($2 < $3 ? $3 : $2) }' | LC_ALL=C sort >found
cmp expected found || fail "all pairs: $(diff expected found | head -4)"
[ "$(wc -l <expected)" -gt 40 ] || fail "too few pairs to be a test"
# Files that are no pair are known by their entries in an index, without their rows.
if [ "$TEST_ENGINE" = sqlite ]; then
	same "files compared by an index" 2 "$(sql 'EXPLAIN QUERY PLAN SELECT COUNT(*) FROM similar_pair' |
		grep -c 'COVERING INDEX file_cell')"
else
	same "files compared by an index" 1 "$(sql 'EXPLAIN SELECT COUNT(*) FROM similar_pair' |
		grep -c 'Using index condition')"
fi

one=$(find "$files/b" -name '*.h' | LC_ALL=C sort | sed -n 2p)
"$SIMFIND" -q --verify=no --candidates=key --format=csv "$one" | tr -d '\r' | tail -n +2 |
	awk -F, -v one="$one" '{ print $2 "|" ($11 == one ? $12 : $11) }' | LC_ALL=C sort >expected
sql "SELECT distance, similar_path FROM similar_file
	WHERE directory = '${one%/*}' AND name = '${one##*/}'" | LC_ALL=C sort >found
cmp expected found || fail "one file: $(diff expected found | head -4)"
[ -s expected ] || fail "the one file has no similar ones"

# 40 files were changed and then copied: 40 groups of 2 among others.
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

# The view of text, by names people type.
same "file_text" 1 "$(sql "SELECT count(*) FROM file_text WHERE path = '$one' AND extension = 'h'")"
same "modified" "$(date -u -r "$one" '+%Y-%m-%d %H:%M:%S')" \
	"$(sql "SELECT modified_utc FROM file_text WHERE path = '$one'" | cut -c1-19)"
