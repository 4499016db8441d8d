#!/usr/bin/env bash
# Tests real disks that are full, over their quota, or failing. A run with an index there fails with
# a message, the stored rows are complete, and when the disk works again, the next run completes the
# index. Files that cannot be read are named, and the run continues. Not every machine allows
# mounting, so run this by hand, as root, with btrfs-progs, fuse and python3-fusepy installed:
#
#     SIMHASH=$PWD/build/simhash SIMFIND=$PWD/build/simfind SIMKEEP=$PWD/build/simkeep SOURCE_DIR=$PWD tests/on_engine.sh sqlite \
#         unshare -m $PWD/tests/faults/real_disks.sh
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

disk=$TEST_FOLDER/disk
mkdir "$disk"
export SIMHASH_DATABASE=sqlite:$disk/index.db
whole() {
	same "integrity" ok "$(sqlite3 "$disk/index.db" 'PRAGMA integrity_check')"
	same "rows without their size" 0 "$(sqlite3 "$disk/index.db" 'SELECT count(*) FROM file WHERE size < 0 OR uniform > size')"
}
number=12000
make_tree --files=$number --sizes=100-3000 "$files"
completed() {
	runs 0 "$SIMHASH" "$files"
	whole
	same "files" "$number" "$(sqlite3 "$disk/index.db" 'SELECT count(*) FROM file')"
}

echo "A full disk (tmpfs)"
mount -t tmpfs -o size=1M none "$disk"
for size in 1M 2M 3M; do
	mount -o "remount,size=$size" "$disk"
	runs 1 "$SIMHASH" "$files"
	said "database or disk is full"
	whole
done
mount -o remount,size=80M "$disk"
completed
# A list that does not fit is a failure, and the index does not change.
mkdir "$disk/small"
mount -t tmpfs -o size=64k none "$disk/small"
runs 1 "$SIMFIND" -T 5 -o "$disk/small/pairs"
said "cannot write to $disk/small/pairs: No space left on device"
umount "$disk/small"
whole
umount "$disk"

echo "A quota (btrfs)"
truncate -s 400M "$TEST_FOLDER/image"
mkfs.btrfs -q "$TEST_FOLDER/image" >mkfs.log 2>&1
mkdir "$TEST_FOLDER/volume"
mount -o loop "$TEST_FOLDER/image" "$TEST_FOLDER/volume"
btrfs -q subvolume create "$TEST_FOLDER/volume/part"
btrfs quota enable "$TEST_FOLDER/volume"
mount --bind "$TEST_FOLDER/volume/part" "$disk"
group=0/$(btrfs inspect-internal rootid "$disk")
quota() { btrfs qgroup limit "$1" "$group" "$TEST_FOLDER/volume"; }
for size in 1M 2M 3M; do
	quota "$size"
	runs 1 "$SIMHASH" "$files"
	said "cannot use index $SIMHASH_DATABASE: "
	echo "    $(cat err)"
	# SQLite itself needs space to read an interrupted change.
	quota none
	whole
done
completed
quota 1M
runs 1 "$SIMFIND" -T 5 -o "$disk/pairs"
said "cannot write to $disk/pairs: Disk quota exceeded"
quota none
whole
umount "$disk" "$TEST_FOLDER/volume"

echo "A disk that breaks (FUSE)"
mkdir "$TEST_FOLDER/below"
/usr/bin/python3 "$(dirname "$0")/broken_disk.py" "$TEST_FOLDER/below" "$disk" &
trap 'umount "$disk" || true' EXIT
until mountpoint -q "$disk"; do sleep 0.1; done
# Rows of files that cannot be read any more stay; each file is named.
below=$TEST_FOLDER/below/files
mkdir "$below" "$below/bad-list"
names=(good bad-open bad-read-0 bad-read-200000 bad-stat bad-list/within)
for name in "${names[@]}"; do
	{ seq 100000 && echo "$name"; } >"$below/$name"
done
touch "$TEST_FOLDER/below.well"
rows() { sqlite3 "$TEST_FOLDER/elsewhere.db" 'SELECT CAST(name AS TEXT), hex(content_hash), size FROM file ORDER BY 1'; }
index() { "$SIMHASH" -d "sqlite:$TEST_FOLDER/elsewhere.db" "$disk/files"; }
runs 0 index
summary 6 0 0 0
rows >before
rm "$TEST_FOLDER/below.well"
for name in "${names[@]}"; do
	echo more >>"$below/$name"
done
sleep 1.5 # the time for which the kernel uses cached attributes
runs 2 index
for name in bad-open bad-read-0 bad-read-200000 bad-stat bad-list; do
	said "$disk/files/$name: Input/output error"
done
summary 1 0 0 5
rows >after
same "rows that changed" good "$(diff before after | sed -n 's/^> \([^|]*\)|.*/\1/p')"
same "rows" 6 "$(wc -l <after)"
touch "$TEST_FOLDER/below.well"
sleep 1.5
runs 0 index
summary 5 1 0 0

# An index on a disk that fails after some writes, and then works again.
broken=0
for writes in 0 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597; do
	rm -f "$disk"/index.db*
	echo "$writes" >"$TEST_FOLDER/below.dying"
	status=0
	"$SIMHASH" "$files" >out 2>err || status=$?
	left=$(cat "$TEST_FOLDER/below.dying")
	rm "$TEST_FOLDER/below.dying"
	echo "    after $writes writes: $status, $(cat err)"
	if [ "$left" = 0 ]; then
		same "exit status after $writes writes" 1 "$status"
		said "index $SIMHASH_DATABASE: "
		grep -qE 'disk I/O error|Input/output error|unable to open database file' err || fail "$writes writes: $(cat err)"
		broken=$((broken + 1))
	fi
	completed
done
[ "$broken" -gt 10 ] || fail "only $broken runs met the broken disk"
# An index that cannot be read.
"$SIMFIND" --summary=none >before
touch "$TEST_FOLDER/below.dead"
for command in "$SIMFIND" "$SIMFIND $SIMHASH" "$SIMHASH --status" "$SIMHASH $files" "$SIMHASH --copy-to=sqlite:copy.db"; do
	# shellcheck disable=SC2086  # a command and its arguments
	runs 1 $command
	said "index $SIMHASH_DATABASE: "
	grep -qE 'disk I/O error|Input/output error|full, over its quota or broken' err || fail "$command: $(cat err)"
	[ ! -s out ] || fail "$command: $(cat out)"
done
rm "$TEST_FOLDER/below.dead"
"$SIMFIND" --summary=none >after
cmp before after || fail "another listing when the disk is well again"
completed
trap - EXIT
umount "$disk"
