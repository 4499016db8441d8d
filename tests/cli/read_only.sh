#!/usr/bin/env bash
# Tests indexes in places that are not writable: they are still read, unless the result could be
# wrong. Also tests a disk that fails under memory mapped by SQLite.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

copy_for_user "$SIMHASH" "$SIMFIND"
chmod a+rX "$files"
simhash=$TEST_FOLDER/bin/simhash simfind=$TEST_FOLDER/bin/simfind

for i in $(seq 20); do
	seq "$((i / 2))" 3000 >"$files/f$i"
done
settle "$files"
# A name that SQLite could misinterpret.
folder="$TEST_FOLDER/of  others?x=%41#y"
index=$folder/index+é%00.db
mkdir "$folder"
export SIMHASH_DATABASE=sqlite:$index
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --group=none
cp out pairs
[ "$(wc -l <pairs)" -ge 10 ] || fail "too few pairs for a test"
runs 0 "$SIMFIND" "$files/f3"
cp out near
# A reader leaves the log next to the index; the owner of both could write.
rm -f "$index-wal" "$index-shm"
chmod a+r "$index"
chmod 555 "$folder"
beside=$(ls "$folder")

runs 0 as_user "$simfind" --group=none
cmp out pairs || fail "another listing"
runs 0 as_user "$simfind" --group=none --threads=3
cmp out pairs || fail "another listing of several threads"
runs 0 as_user "$simfind" "$files/f3"
cmp out near || fail "another listing of one file"
runs 0 as_user "$simhash" --status
runs 0 as_user "$simfind" -d "sqlite:/$index" --group=none
cmp out pairs || fail "another listing by another path"
cd "$folder"
runs 0 as_user "$simfind" -d "sqlite:${index##*/}" --group=none
cd "$TEST_FOLDER"
cmp out pairs || fail "another listing by a relative path"
same "files next to the index" "$beside" "$(ls "$folder")"
mkdir others
chmod 777 others
runs 0 as_user "$simhash" --copy-to="sqlite:$TEST_FOLDER/others/copy.db"
chmod u+rwx others
same "rows copied" 20 "$(sqlite3 others/copy.db 'SELECT count(*) FROM file')"

# Writing is refused, and the message says what is missing.
for command in "$files" "--force $files" "--forget $files"; do
	# shellcheck disable=SC2086  # arguments
	runs 1 as_user "$simhash" $command
	said "cannot write to index $SIMHASH_DATABASE: the file and its folder must be writable ("
done
runs 1 as_user "$simfind" --store
said "cannot write to index $SIMHASH_DATABASE: the file and its folder must be writable ("
[ ! -s out ] || fail "listed before it was refused"
runs 1 as_user "$simhash" -d "sqlite:$folder/other.db" "$files"
said "cannot create index sqlite:$folder/other.db: Permission denied"

# holders FILE: the processes that have it open
holders() {
	find /proc/[0-9]*/fd -lname "$TEST_FOLDER/$1" 2>/dev/null | cut -d/ -f3 | sort -u
}
switches() {
	local process
	for process; do
		grep -E '^State|ctxt_switches' "/proc/$process/status" 2>/dev/null || true
	done
}
# is_waiting FILE: a process has it open and does not continue. Its first attempt may be another way
# of opening.
is_waiting() {
	local processes before
	processes=$(holders "$1")
	[ -n "$processes" ] || return 1
	# shellcheck disable=SC2086  # ids
	before=$(switches $processes)
	! grep -q '^State:.*[RD] ' <<<"$before" || return 1
	for _ in 1 2 3 4 5; do
		sleep 0.05
		# shellcheck disable=SC2086
		[ "$(holders "$1")" = "$processes" ] && [ "$(switches $processes)" = "$before" ] || return 1
	done
}

# A user with write permission writes between opening and reading: no list may mix the old and the
# new rows.
mkfifo -m 666 listing
as_user "$simfind" --group=none -o listing >out 2>err &
finding=$!
wait_until is_waiting '*/index+*.db'
chmod 755 "$folder"
seq 77 4000 >"$files/new"
settle "$files"
runs 0 "$SIMHASH" "$files"
chmod 555 "$folder"
cat listing >listed
status=0
wait $finding || status=$?
same "exit status of what read a changing index" 1 "$status"
said "index $SIMHASH_DATABASE changed while it was read"
same "listed pairs" "" "$(cat listed)"
same "exit status when nobody writes" 0 "$(as_user "$simfind" --summary=none >/dev/null 2>&1 && echo 0)"

# If that user writes only to the log, a reader of the file sees no change, no matter what its
# threads could open meanwhile.
runs 0 "$SIMFIND" --group=none
cp out pairs
rm -f "$index-wal" "$index-shm"
mkfifo list
as_user "$simfind" --group=none --threads=3 -o listing >out 2>err &
finding=$!
wait_until is_waiting '*/index+*.db'
chmod 755 "$folder"
"$SIMHASH" -q --files0-from=- <list &
running=$!
exec 9>list
for i in $(seq 20); do
	seq "$((30 - i))" 3000 >"$files/f$i"
done
settle "$files"
printf '%s\0' "$files"/f? "$files"/f1? "$files/f20" >&9
has_new_rows() {
	[ "$(sqlite3 -readonly "$index" "SELECT count(DISTINCT content_hash) FROM file" 2>/dev/null)" = 21 ]
}
wait_until has_new_rows
chmod a+r "$folder"/*
chmod 555 "$folder"
cat listing >listed
wait $finding || fail "reading while somebody writes to the log: $(cat err)"
cmp listed pairs || fail "a listing that mixes old and new: $(diff listed pairs | head -4)"
chmod 755 "$folder"
exec 9>&-
wait $running
chmod 555 "$folder"

# Rows in the log of a killed run: with its -shm they are read; without it, the message says what is
# missing, and they are not ignored.
chmod 755 "$folder"
for i in $(seq 21 30); do
	seq "$i" 3000 >"$files/f$i"
done
settle "$files"
"$SIMHASH" -q --files0-from=- <list &
running=$!
exec 9>list
printf '%s\0' "$files"/f2? "$files/f30" >&9
has_rows() {
	[ "$(sqlite3 -readonly "$index" 'SELECT count(*) FROM file' 2>/dev/null)" = "$1" ]
}
wait_until has_rows 31
kill -9 $running
wait $running 2>/dev/null || true
exec 9>&-
[ -s "$index-wal" ] || fail "no log is left"
runs 0 "$SIMFIND" --group=none
cp out pairs
chmod a+r "$folder"/*
chmod 555 "$folder"
runs 0 as_user "$simfind" --group=none
cmp out pairs || fail "another listing where rows wait in a log"
chmod 755 "$folder"
rm "$index-shm"
chmod 555 "$folder"
runs 1 as_user "$simfind" --group=none
refused="its newest rows are in $index-wal, from a run that has not ended or was interrupted"
said "cannot read index $SIMHASH_DATABASE: $refused"
[ ! -s out ] || fail "something was listed: $(cat out)"
mkdir links
ln -s "$index" links/link.db
chmod a+rx links
runs 1 as_user "$simfind" -d "sqlite:$TEST_FOLDER/links/link.db" --group=none
said "cannot read index sqlite:$TEST_FOLDER/links/link.db: $refused"
cp "$index" "$index-wal" others
chmod 777 others/*
runs 0 as_user "$simfind" -d "sqlite:others/${index##*/}" --group=none
cmp out pairs || fail "another listing of copies"

# A disk that fails under mapped memory: the file loses its content.
chmod 755 "$folder"
"$SIMHASH" -q --files0-from=- <list 2>err &
running=$!
exec 9>list
seq 2 500 >"$files/one"
printf '%s\0' "$files/one" >&9
wait_until has_rows 32
truncate -s 0 "$index-shm"
seq 3 500 >"$files/more"
printf '%s\0' "$files/more" >&9
exec 9>&-
status=0
wait $running || status=$?
same "exit status at a bus error" 1 "$status"
same "the message" "simhash: cannot use index $SIMHASH_DATABASE: its shared memory file cannot be written: the disk is full, over quota or damaged" "$(cat err)"
runs 0 "$SIMHASH" "$files"
same "integrity" ok "$(sqlite3 "$index" 'PRAGMA integrity_check')"
same "rows" 33 "$(sqlite3 "$index" 'SELECT count(*) FROM file')"

# Changes that another program left incomplete are not treated as the index.
chmod 755 "$folder"
sqlite3 "$index" 'PRAGMA journal_mode = DELETE' >/dev/null
runs 0 "$SIMFIND" --group=none
cp out pairs
cp "$index" others/half.db
python3 - others/half.db <<'EOF' 2>/dev/null || true
import os, sqlite3, sys
index = sqlite3.connect(sys.argv[1], isolation_level=None)
index.execute("PRAGMA cache_size = 1")
index.execute("BEGIN")
index.execute("UPDATE file SET size = 1, mtime_ns = 1, name = zeroblob(3000)")
os.kill(os.getpid(), 9)
EOF
[ -s others/half.db-journal ] || fail "no journal is left"
chmod a+r others/*
chmod 555 others
runs 1 as_user "$simfind" -d sqlite:others/half.db --group=none
said "cannot read index sqlite:others/half.db: "
[ ! -s out ] || fail "something was listed: $(cat out)"
chmod 755 others
runs 0 "$SIMHASH" -d sqlite:others/half.db --host="$(hostname)" "$files"
runs 0 "$SIMFIND" -d sqlite:others/half.db --group=none
cmp out pairs || fail "a different list after an incomplete change"

# Read-only files in a writable folder.
chmod 777 others
cp "$index" others/fixed.db
chmod 444 others/fixed.db
runs 1 as_user "$simhash" -d sqlite:others/fixed.db "$files"
said "cannot write to index sqlite:others/fixed.db: the file and its folder must be writable ("
