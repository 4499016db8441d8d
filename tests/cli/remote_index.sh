#!/usr/bin/env bash
# Tests an index on a network file system: there is no write-ahead log, whose memory hosts cannot
# share, and one message about the risk. A preloaded library simulates the type of file system.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# on TYPE COMMAND...: run it as if all files were on such a file system
on() {
	env LD_PRELOAD="$REMOTE_FILES" NETWORK_TYPE="$1" "${@:2}"
}
mode() {
	sql "PRAGMA journal_mode"
}
warns() {
	said "$1: warning: index sqlite:$TEST_FOLDER/index.db is on a network file system ($2): programs wait for each other"
	same "warnings" 1 "$(grep -c 'warning' err)"
}

for i in $(seq 200); do
	seq "$i" 400 >"$files/$i"
done
settle "$files"
# Each type, and a local one.
for kind in 6969/nfs ff534d42/cifs fe534d42/smb 1021997/9p c36400/ceph; do
	reset
	runs 0 on "${kind%/*}" "$SIMHASH" "$files"
	summary 200 0 0 0
	warns simhash "${kind#*/}"
	same "$kind, journal" delete "$(mode)"
done
# FUSE counts as a network, unless its files have the device number of a disk.
reset
runs 0 on 65735546 "$SIMHASH" "$files"
case $(stat -c %d "$files") in
? | ?? | 1?? | 2[0-4]? | 25[0-5]) warns simhash fuse ;;
*) same "on a disk" wal "$(mode)" ;;
esac
runs 0 on ef53 "$SIMHASH" "$files"
grep -q warning err && fail "ext4 is not on the network: $(cat err)"
same "moved to a disk" wal "$(mode)"

# An existing log is written into the index and removed; a log that others use is not.
sqlite3 index.db ".dbconfig no_ckpt_on_close on" "INSERT INTO host VALUES (77, 'in-the-log')" >/dev/null
[ -s index.db-wal ] || fail "no log to begin with"
runs 1 on 6969 "$SIMFIND"
said "its newest rows are in $TEST_FOLDER/index.db-wal, from a run that has not ended or was interrupted; on a network file system only"
mkfifo hold
sqlite3 index.db <hold >/dev/null &
exec 3>hold
echo "BEGIN; SELECT COUNT(*) FROM host;" >&3
sleep 0.2
runs 1 on 6969 "$SIMHASH" "$files"
said "it has a write-ahead log, which is not safe on a network file system (nfs), and other programs use it now"
same "the log in use" wal "$(mode)"
exec 3>&-
wait
runs 0 on 6969 "$SIMHASH" "$files"
summary 0 200 0 0
same "without the log" "delete in-the-log ok" "$(mode) $(sql "SELECT name FROM host WHERE id = 77") $(sql 'PRAGMA integrity_check')"
[ ! -e index.db-wal ] || fail "the log is still there"
# Without rows in a log, only the file is read, and it does not change.
runs 0 "$SIMHASH" "$files"
same "local again" wal "$(mode)"
runs 0 on 6969 "$SIMFIND"
warns simfind nfs
same "after reading" wal "$(mode)"
# A database of another program is refused, and does not change.
sqlite3 other.db "PRAGMA journal_mode = WAL; CREATE TABLE precious (x)" >/dev/null
runs 1 on 6969 "$SIMHASH" -d sqlite:other.db "$files"
said "sqlite:other.db is a database, but not an index of simhash"
same "another program's journal" wal "$(sqlite3 other.db 'PRAGMA journal_mode')"

# Programs that read and write at once, and one after another in one program: all rows exist.
runs 0 on 6969 "$SIMHASH" "$files"
for i in 1 2 3; do
	mkdir "$files/more$i"
	for j in $(seq 300); do
		echo "$i $j" >"$files/more$i/$j"
	done
	on 6969 "$SIMHASH" -q "$files/more$i" 2>>errors &
done
for _ in 1 2 3; do
	runs 0 on 6969 "$SIMFIND" "$files/1"
	runs 0 on 6969 "$SIMFIND" --store
done
wait
grep -v 'warning: ' errors && fail "a run failed"
same "rows" "1100 ok" "$(sql "SELECT COUNT(*) FROM file") $(sql 'PRAGMA integrity_check')"
runs 0 on 6969 "$SIMHASH" "$files"
summary 0 1100 0 0
runs 0 on 6969 "$SIMHASH" --forget "$files/more1"
runs 0 on 6969 "$SIMHASH" --copy-to=sqlite:copy.db
same "journal in the end" delete "$(mode)"
