#!/usr/bin/env bash
# Tests reflinks: on Btrfs, files share blocks and keep everything else, even after a kill. On a
# file system without reflinks, a message says so, and nothing is changed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_files() {
	mkdir -p "$1/a" "$1/b"
	local i
	for i in 1 2 3; do
		random_bytes 300000 "$i" >"$1/a/$i"
		cp --reflink=never "$1/a/$i" "$1/b/$i"
	done
	chmod 600 "$1/b/1"
	touch -d '2020-01-01' "$1"/a/*
	touch -d '2021-01-01' "$1"/b/*
	reset
	runs 0 "$SIMHASH" -q "$1"
}

# tree FOLDER: inodes, modes, times and contents
tree() {
	(cd "$1" && find . -type f -printf '%p %i %m %T@ %n ' -exec cksum {} \; | LC_ALL=C sort)
}

# ---- A file system without reflinks ----
btrfs=$TEST_FOLDER/btrfs
if [ "${1:-}" != mounted ]; then
	plain=$(mktemp -d /dev/shm/simhash-test.XXXXXX)
	trap 'rm -rf "$plain"' EXIT
	make_files "$plain"
	before=$(tree "$plain")
	runs 2 "$SIMKEEP" --keep=oldest --action=reflink
	said "$plain/b/1: left alone: its file system has no reflinks"
	said "would deduplicate 0 files by reflinks and free 0 bytes; left 3 alone"
	runs 2 "$SIMKEEP" --keep=oldest --action=reflink --yes --journal=journal
	said "$plain/b/1: left alone: its file system has no reflinks"
	said "deduplicated 0 files by reflinks and freed 0 bytes; left 3 alone"
	same "the tree" "$before" "$(tree "$plain")"
	same "acts" 0 "$(grep -c '"act"' journal || true)"
	runs 0 "$SIMKEEP" --undo=journal --yes
	same "the tree" "$before" "$(tree "$plain")"
	rm -rf "$plain" journal

	# ---- A file system with reflinks ----
	in_own_mounts "$0" mounted
	exit
fi

# ---- Blocks that are shared already ----
# In each folder, b and c share the blocks of a, and e shares the blocks of d. All five are equal.
export PAGER=cat TERM=dumb
for type in btrfs xfs; do
	disk=$TEST_FOLDER/shared-$type
	new_file_system $type "$disk"
	mkdir "$disk/files"
	cd "$disk/files"
	random_bytes 300000 1 >a
	cp --reflink=always a b
	cp --reflink=always a c
	cp --reflink=never a d
	cp --reflink=always d e
	touch -d 2020-01-01 a
	cd "$TEST_FOLDER"
	sync "$disk"
	reset
	runs 0 "$SIMHASH" -q "$disk"
	runs 0 "$SIMFIND" --group --format=json --summary=json
	same "shared copies on $type" "['b', 'c'] 300000 2" "$(python3 -c 'import json, sys
group, = json.load(open("out"))
shared = [m["path"][-1] for m in group["members"] if m.get("shared")]
print(shared, group["copied_bytes"], json.load(open("err"))["shared"])')"
	on_terminal 100 "$SIMFIND"
	grep -q "4 of 5 files are copies, 2 of them already shared; removing the others would free 300.0 kB" screen ||
		fail "the summary: $(cat screen)"
	same "marked lines" 2 "$(grep -c '^  identical  *[bc]  *300.0 kB  already shared$' screen)"
	on_terminal 100 "$SIMFIND" "$disk/files/d"
	same "marked matches" 1 "$(grep -c 'e  *300.0 kB  already shared$' screen)"
	runs 0 "$SIMKEEP" "$disk/files" # the folder
	grep -q "4 files are copies; removing them would free 300.0 kB" out || fail "the folders: $(cat out)"
	runs 0 "$SIMKEEP" --keep=oldest --action=delete
	said "would delete 4 files and free 300.0 kB; nothing"
	runs 0 "$SIMKEEP" --keep=oldest --action=reflink --yes --journal="journal-$type"
	said "deduplicated 2 files by reflinks and freed 300.0 kB; 2 already shared"
	sync "$disk"
	runs 0 "$SIMKEEP" --keep=oldest --action=reflink --yes --journal="again-$type"
	said "deduplicated 0 files by reflinks and freed 0 bytes; 4 already shared"
	runs 0 "$SIMKEEP" --keep=oldest --action=hardlink
	said "would replace 4 files by hard links and free 0 bytes"
	on_terminal 100 "$SIMFIND"
	grep -q "4 of 5 files are copies, all already shared" screen || fail "the summary: $(cat screen)"
	# An unknown file shares the blocks of the only copy, so its removal frees nothing.
	cp --reflink=always "$disk/files/e" "$disk/snapshot"
	rm "$disk/files/"[a-d]
	cp --reflink=never "$disk/files/e" "$disk/files/a"
	touch -d 2020-01-01 "$disk/files/a"
	sync "$disk"
	reset
	runs 0 "$SIMHASH" -q "$disk/files"
	runs 0 "$SIMKEEP" --keep=oldest --action=delete
	said "would delete 1 file and free 0 bytes"
	runs 0 "$SIMFIND" --group --format=json
	same "space on $type" 0 "$(python3 -c 'import json; print(json.load(open("out"))[0]["copied_bytes"])')"
done
# A snapshot is another device, but has the same blocks.
btrfs subvolume create -q "$TEST_FOLDER/shared-btrfs/volume" >/dev/null 2>&1 ||
	btrfs subvolume create "$TEST_FOLDER/shared-btrfs/volume" >/dev/null
cp --reflink=never "$TEST_FOLDER/shared-btrfs/files/a" "$TEST_FOLDER/shared-btrfs/volume"
sync "$TEST_FOLDER/shared-btrfs"
btrfs subvolume snapshot "$TEST_FOLDER/shared-btrfs/volume" "$TEST_FOLDER/shared-btrfs/taken" >/dev/null
reset
runs 0 "$SIMHASH" -q "$TEST_FOLDER/shared-btrfs/volume" "$TEST_FOLDER/shared-btrfs/taken"
on_terminal 100 "$SIMFIND"
grep -q "1 of 2 files is a copy, already shared" screen || fail "the snapshot: $(cat screen)"

new_file_system btrfs "$btrfs"

# blocks FILE: the position of its first block
blocks() {
	python3 - "$1" <<'PYTHON'
import fcntl, struct, sys
with open(sys.argv[1], "rb") as file:  # FS_IOC_FIEMAP, one extent
    found = fcntl.ioctl(file, 0xC020660B, struct.pack("=QQLLLL", 0, 2**63, 1, 0, 1, 0) + bytes(56))
print(struct.unpack_from("=QQ", found, 32)[1])
PYTHON
}

# attribute FILE [VALUE]: set or show its attribute
attribute() {
	python3 -c 'import os, sys
if len(sys.argv) > 2:
    os.setxattr(sys.argv[1], "user.test", sys.argv[2].encode())
print(os.getxattr(sys.argv[1], "user.test").decode())' "$@"
}

make_files "$btrfs/files"
attribute "$btrfs/files/b/1" kept >/dev/null # the other file has none
sync "$btrfs"
files=$btrfs/files
before=$(tree "$files")
[ "$(blocks "$files/a/1")" != "$(blocks "$files/b/1")" ] || fail "they share blocks already"
stamp=$(stat -c %y "$files/b/2")
printf X | dd of="$files/b/2" conv=notrunc status=none # the same size and time
touch -d "$stamp" "$files/b/2"
before=$(tree "$files")
runs 2 "$SIMKEEP" --keep=oldest --action=reflink --yes --journal=journal
said "$files/b/2: left alone: its content differs from the kept file"
said "deduplicated 2 files by reflinks and freed 600.0 kB; left 1 alone"
same "the tree, but for blocks" "$before" "$(tree "$files")"
same "blocks" "$(blocks "$files/a/1") $(blocks "$files/a/3")" "$(blocks "$files/b/1") $(blocks "$files/b/3")"
same "attribute" kept "$(attribute "$files/b/1")"
[ "$(blocks "$files/a/2")" != "$(blocks "$files/b/2")" ] || fail "other content shares blocks"
runs 0 "$SIMKEEP" --undo=journal --yes
same "the tree" "$before" "$(tree "$files")"
# Shared blocks are not freed again, by any action.
sync "$btrfs"
rm journal
runs 2 "$SIMKEEP" --keep=oldest --action=reflink --yes --journal=journal
said "by reflinks and freed 0 bytes; 2 already shared; left 1 alone"
runs 0 "$SIMKEEP" --keep=oldest --action=delete
said "would delete 3 files and free 300.0 kB" # b/2, which shares no blocks
# A file without copy-on-write gets a different message from a file system without reflinks.
mkdir "$btrfs/nocow"
random_bytes 300000 9 >"$btrfs/nocow/a"
: >"$btrfs/nocow/b"
chattr +C "$btrfs/nocow/b"
cat "$btrfs/nocow/a" >"$btrfs/nocow/b"
touch -d 2020-01-01 "$btrfs/nocow"/*
runs 0 "$SIMHASH" -q "$btrfs/nocow"
runs 2 "$SIMKEEP" --keep=shortest-path --action=reflink --yes --journal=journal.nocow "$btrfs/nocow"
said "/nocow/b: left alone: copy-on-write is disabled (chattr +C) for only one of the two files"
# The script does the same, no matter which file it keeps.
PATH=$(dirname "$SIMKEEP"):$PATH
for plan in "" --keep=newest; do
	rm -rf "$files"
	make_files "$files"
	sync "$btrfs"
	# shellcheck disable=SC2086  # an option
	runs 0 "$SIMKEEP" -q $plan --action=script:todo.sh
	before=$(tree "$files")
	sed 's/^#reflink /reflink /' todo.sh | sh >out 2>err || fail "the script: $(cat err)"
	same "the tree, but for blocks" "$before" "$(tree "$files")"
	same "blocks of the script" "$(blocks "$files/a/1")" "$(blocks "$files/b/1")"
done

# A kill before each call that changes something.
if [ -n "$KILLER" ]; then
	mkdir "$btrfs/kills"
	"$SOURCE_DIR/tests/cli/apply_killed.py" "$KILLER" "$btrfs/kills"
fi
