#!/usr/bin/env bash
# Tests simhash --copy-to: between engines and back, interrupted and continued, merged, and
# verified.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for i in $(seq 300); do
	mkdir -p "$files/$((i % 40))"
	seq "$i" $((i * 2)) >"$files/$((i % 40))/$i.txt"
done
printf 'x' >"$files/odd
name"
seq 50 >"$files/"$'bytes\xff'
seq 5000 >"$files/4/more.txt"
seq 5000 >"$files/4/copy.txt"
ln "$files/1/1.txt" "$files/1/link"
gzip -k "$files/2/2.txt"
settle "$files"
awk 'BEGIN { for (i = 1; i <= 16; i++) printf "%02x 1 2\n", 10 + i * 3 }' >other.tags
runs 0 "$SIMHASH" -z --host=alpha "$files"
runs 0 "$SIMHASH" --host=beta "$files/1" "$files/3"
runs 0 "$SIMHASH" -q --tag-set=other.tags --host=alpha "$files/4"
total=$(sql 'SELECT COUNT(*) FROM file')

# A copy to an SQLite file and back gives exactly the same index.
copied() {
	said "$1 of $total rows copied"
	said "verified: $total rows are equal, checksum "
}
everything() {
	pieces="SELECT t.name, hex(p.content_hash), p.is_text, p.size, hex(p.value) FROM pieces p
		JOIN tag_set t ON t.id = p.tag_set ORDER BY 1, 2, 3, 4"
	if [ "$1" = "$TEST_URL" ]; then sql "$pieces"; else sqlite3 "${1#sqlite:}" "$pieces"; fi
	"$SIMFIND" --summary=none -d "$1" --host=alpha --group=none --format=csv
	"$SIMFIND" --summary=none -d "$1" --host=beta --verify=no --format=csv | LC_ALL=C sort
	"$SIMFIND" --summary=none -d "$1" --tag-set=other.tags --format=csv
	"$SIMHASH" -d "$1" --status | sed 1,2d
}
same "contents with pieces" 2 "$(sql "SELECT COUNT(*) FROM pieces WHERE size > 20000")"
everything "$TEST_URL" >expected
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
copied "$total"
checksum=$(sed -n 's/.*checksum //p' err)
everything sqlite:copy.db >found
cmp expected found || fail "a copy: $(diff expected found | head)"
same "mode of a copy" 600 "$(stat -c %a copy.db)"
same "integrity" ok "$(sqlite3 copy.db 'PRAGMA integrity_check')"
same "indexes" 3 "$(sqlite3 copy.db "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND name IN ('file_uniform', 'file_cell', 'directory_text')")"
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
copied 0
reset
runs 0 "$SIMHASH" -d sqlite:copy.db --copy-to="$TEST_URL"
copied "$total"
same "checksum" "$checksum" "$(sed -n 's/.*checksum //p' err)"
everything "$TEST_URL" >found
cmp expected found || fail "back again: $(diff expected found | head)"
# Files indexed in the copy need no scan, and the copy contains each run once.
runs 0 "$SIMHASH" -z --host=alpha "$files"
summary 0 "$(sqlite3 copy.db "SELECT COUNT(*) FROM file WHERE tag_set = 1 AND host = 1")" 0 0
same "runs" 4 "$(sqlite3 copy.db 'SELECT COUNT(*) FROM scan_run')"

# The same index by another name is refused, because a second name would get a second log.
refused() {
	runs 1 "$SIMHASH" -d "$1" --copy-to="$2"
	said "simhash: cannot copy index $1 to $2: they are the same index; name another one"
}
ln copy.db hard.db
ln -s copy.db soft.db
for name in copy.db "$PWD/./copy.db" hard.db soft.db; do
	refused sqlite:copy.db "sqlite:$name"
	[ ! -e "$name-wal" ] || fail "$name has a log"
done
refused sqlite:hard.db sqlite:copy.db
refused "$TEST_URL" "$TEST_URL"
rm hard.db soft.db

# After an interrupted copy, only the rest is written.
sqlite3 copy.db "DELETE FROM file WHERE host = 2 OR (name > X'32' AND tag_set = 1); DELETE FROM scan_run WHERE id > 1"
missing=$((total - $(sqlite3 copy.db 'SELECT COUNT(*) FROM file')))
[ "$missing" -gt 20 ] || fail "nothing is missing"
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
copied "$missing"
# A different row is repaired; a newer row, and other rows in the target, are kept.
sqlite3 copy.db "UPDATE file SET sum_03 = sum_03 + 1 WHERE path_hash = (SELECT MIN(path_hash) FROM file)"
sqlite3 copy.db "UPDATE file SET scanned_at_ns = scanned_at_ns + 1, size = size + 1
	WHERE host = 2 AND path_hash = (SELECT MAX(path_hash) FROM file WHERE host = 2)"
mkdir elsewhere
seq 9 >elsewhere/more
runs 0 "$SIMHASH" -d sqlite:copy.db --host=alpha elsewhere
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
said " rows copied, 1 newer rows in the target kept, 1 other rows in the target; verified: $((total - 1)) rows are equal"

# Copy into an index that numbers hosts and tag sets differently.
reset
runs 0 "$SIMHASH" --host=gamma --tag-set=other.tags elsewhere
runs 0 "$SIMHASH" -d sqlite:copy.db --copy-to="$TEST_URL"
same "hosts" "gamma alpha beta" "$(sql 'SELECT name FROM host ORDER BY id' | paste -sd ' ')"
everything sqlite:copy.db >expected
runs 0 "$SIMHASH" -q --forget --host=gamma --tag-set=other.tags "$PWD/elsewhere"
everything "$TEST_URL" | grep -v gamma >found
cmp <(LC_ALL=C sort expected) <(LC_ALL=C sort found) || fail "merged: $(diff expected found | head)"

# Interrupted by a signal, and impossible copies.
runs 1 "$SIMHASH" -d sqlite:none.db --copy-to="$TEST_URL"
said "there is no index sqlite:none.db yet"
runs 1 "$SIMHASH" --copy-to=sqlite:/no/such/folder/x.db
said "cannot create index sqlite:/no/such/folder/x.db: No such file or directory"
runs 1 "$SIMHASH" --copy-to=nonsense
said "database URL 'nonsense'"
runs 1 "$SIMHASH" --copy-to=sqlite:x.db "$files"
said "--copy-to cannot be combined with a PATH"

# Many runs are copied in one transaction, and only once: a second copy only completes runs that
# have ended since.
reset
rm -f runs.db*
runs 0 "$SIMHASH" "$files"
values=$(for i in {10..910}; do printf ", (%d, 1, 1, 'x', %d, NULL, %d, 7, 0)" "$i" $((1000 + i)) "$i"; done)
sql "INSERT INTO scan_run(id, tag_set, host, root, started_at_ns, finished_at_ns, files, bytes, errors) VALUES ${values#,}"
runs 0 "$SIMHASH" -d "$TEST_URL" --copy-to=sqlite:runs.db
numbers="COUNT(*), COUNT(DISTINCT id), SUM(started_at_ns % 1000000), SUM(files), SUM(bytes), COUNT(finished_at_ns) FROM scan_run"
same "runs" "$(sql "SELECT $numbers")" "$(sqlite3 runs.db "SELECT $numbers")"
sql "UPDATE scan_run SET finished_at_ns = started_at_ns + 9, files = files + 1 WHERE files > 800"
runs 0 "$SIMHASH" -d "$TEST_URL" --copy-to=sqlite:runs.db
same "completed runs" "$(sql "SELECT $numbers")" "$(sqlite3 runs.db "SELECT $numbers")"
reset
commits() {
	sql "SHOW GLOBAL STATUS LIKE 'Com_commit'" | cut -d'|' -f2
}
if [ "$TEST_ENGINE" = mysql ]; then
	before=$(commits)
	runs 0 "$SIMHASH" -d sqlite:runs.db --copy-to="$TEST_URL"
	same "runs back" "$(sqlite3 runs.db "SELECT $numbers")" "$(sql "SELECT $numbers")"
	[ $(($(commits) - before)) -lt 100 ] || fail "a transaction for each run"
fi
