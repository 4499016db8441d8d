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
said "by reflinks and freed 0 bytes; left 1 alone"
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
