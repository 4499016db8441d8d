#!/usr/bin/env bash
# Tests simhash --scrub on a disk that changes bytes by itself: below the file system no time moves,
# and the page cache still has the right bytes. Also tests a disk with a bad block.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

if [ "${1:-}" = mounted ]; then
	image=$TEST_FOLDER/image disk=$TEST_FOLDER/disk
	mkdir "$disk"
	truncate -s 64M "$image"
	remount() { mount -o loop "$image" "$disk"; }
	{ mkfs.ext4 -q -b 4096 "$image" && remount; } 2>why_not || skip "no ext4 can be mounted here: $(tail -n 1 why_not)"
	for name in rotten short long right unseen; do
		random_bytes 100000 $RANDOM >"$disk/$name"
		cp "$disk/$name" "$name"
	done
	settle "$disk"
	settle .
	runs 0 "$SIMHASH" -q "$disk" "$TEST_FOLDER"/{rotten,short,long,right,unseen}
	status_times=$(stat -c '%n %Z %Y' "$disk"/*)
	sync
	echo "A block changes below the file system"
	for name in rotten unseen; do
		block=$(debugfs -R "bmap /$name 3" "$image" 2>/dev/null)
		random_bytes 512 7 >sector
		cat "$disk/$name" >/dev/null
		dd if=sector of="$(findmnt -no SOURCE "$disk")" bs=512 seek=$((block * 8 + 1)) oflag=direct conv=notrunc status=none 2>why_not ||
			skip "the disk cannot be written below the file system: $(cat why_not)"
	done
	cmp "$disk/rotten" rotten || fail "the page cache has the changed bytes"
	echo "A run of simhash sees no change"
	runs 0 "$SIMHASH" "$disk"
	summary 0 5 0 0
	echo "Reading from the disk does, although the right bytes are cached"
	runs 3 "$SIMHASH" --scrub "$disk"
	said "$disk/rotten: damaged: it changed, but none of its times did; "
	said "of 100,000 bytes, from byte 12,8"
	runs 3 "$SIMFIND" --damaged --format=csv
	same "damaged files" "2 damaged" "$(grep -c '^damaged,100000,100000,' out) damaged"
	grep '/rotten,' out | grep -q ",$TEST_FOLDER/rotten" || fail "$(cat out)"

	echo "Sizes change below the file system"
	umount "$disk"
	debugfs -w -R "sif /short size 5000" "$image" 2>/dev/null
	debugfs -w -R "sif /long size 100100" "$image" 2>/dev/null
	remount
	same "times" "$status_times" "$(stat -c '%n %Z %Y' "$disk"/*)"
	runs 2 "$SIMHASH" "$disk"
	summary 0 3 0 2
	said "$disk/short: its bytes changed, its time did not"
	same "damaged files after a run" "long short" \
		"$(sql "SELECT substr(path, length('$disk') + 2) FROM damaged_file WHERE found_size <> size ORDER BY 1" | paste -sd ' ')"
	runs 2 "$SIMHASH" -q "$disk"
	runs 3 "$SIMHASH" --scrub "$disk"
	same "sizes" "100000|100100|100|100000 100000|5000|95000|5000" \
		"$(sql "SELECT size, found_size, different_bytes, first_byte FROM damaged_file WHERE found_size <> size ORDER BY path" | paste -sd ' ')"
	echo "The disk is repaired"
	umount "$disk"
	debugfs -w -R "sif /short size 100000" "$image" 2>/dev/null
	remount
	runs 3 "$SIMHASH" --scrub "$disk"
	said "$disk/short: its content is right again"
	runs 0 "$SIMHASH" -q --force "$disk"
	runs 0 "$SIMFIND" --damaged
	umount "$disk"
	exit
fi

echo "A bad block"
random_bytes 50000 1 >"$files/one.bad"
random_bytes 5000 2 >"$files/small.bad"
random_bytes 50000 3 >"$files/good"
settle "$files"
cp "$files/one.bad" "$files/copy"
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 2 env LD_PRELOAD="$BAD_BLOCKS" "$SIMHASH" --scrub
said "$files/one.bad: Input/output error"
said "3 verified, 0 damaged, 0 changed, 1 failed"
runs 3 "$SIMFIND" --damaged
grep -q "unreadable after .*: from byte 8,192" out || fail "$(cat out)"
grep -q "intact: $files/copy" out || fail "$(cat out)"
same "the view" "unreadable|" "$(sql "SELECT kind, found_hash FROM damaged_file")"
runs 0 "$SIMHASH" --scrub
said "$files/one.bad: its content is right again"
runs 0 "$SIMFIND" --damaged

in_own_mounts "$0" mounted
