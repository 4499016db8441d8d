#!/usr/bin/env bash
# A disk that is full, for real: a run into an index on a small tmpfs fails and says so, what it
# stored is whole, and when there is room the next run completes it. Mounting needs rights that not
# every machine gives, so that this is run by hand, as root:
#
#     SIMHASH=build/simhash SIMFIND=build/simfind SOURCE_DIR=$PWD tests/on_engine.sh sqlite \
#         unshare -m $PWD/tests/faults/full_disk.sh
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

disk=$TEST_FOLDER/disk
mkdir "$disk"
mount -t tmpfs -o size=1M none "$disk"
export SIMHASH_DATABASE=sqlite:$disk/index.db
whole() {
	same "integrity" ok "$(sqlite3 "$disk/index.db" 'PRAGMA integrity_check')"
	same "rows without their size" 0 "$(sqlite3 "$disk/index.db" 'SELECT count(*) FROM file WHERE size < 0 OR uniform > size')"
}
for size in 1M 2M 3M; do
	mount -o "remount,size=$size" "$disk"
	runs 1 "$SIMHASH" /usr/include
	said "database or disk is full"
	whole
done
mount -o remount,size=80M "$disk"
runs 0 "$SIMHASH" /usr/include
whole
same "files" "$(find /usr/include -type f | wc -l)" "$(sqlite3 "$disk/index.db" 'SELECT count(*) FROM file')"
# A listing that does not fit is a failure, and the index stays what it is.
mkdir "$disk/small"
mount -t tmpfs -o size=64k none "$disk/small"
runs 1 "$SIMFIND" -T 5 -o "$disk/small/pairs"
said "cannot write to $disk/small/pairs: No space left on device"
umount "$disk/small"
whole
umount "$disk"
