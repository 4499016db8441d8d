#!/usr/bin/env bash
# Walks over what is mounted in a tree: file systems of the kernel, one that does not answer, and directories that
# contain themselves.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != mounts ]; then
	in_own_mounts "$0" mounts
	exit
fi

cd "$TEST_FOLDER"
plant() {
	rm -rf "$files"
	mkdir -p "$@"
	reset
}
rows_below() {
	sql "SELECT COUNT(*) FROM file_text WHERE directory LIKE '$1%'"
}

# ---- File systems whose files the kernel makes up ----
plant "$files/"{proc,sys,memory,a}
mount --rbind /proc "$files/proc"
mount -t tmpfs none "$files/memory"
for directory in a memory .; do
	seq 100 >"$files/$directory/file"
done
runs 0 "$SIMHASH" "$files"
summary 3 0 0 0
said "1 kernel file system, such as /proc, left out"
mount -t devpts none "$files/sys"
runs 0 "$SIMHASH" "$files"
said "2 kernel file systems, such as /proc, left out"
runs 0 "$SIMHASH" --summary=json "$files"
said '"kernel_file_systems":2,'
runs 0 "$SIMHASH" -x "$files"
! grep -q 'kernel' err || fail "with -x other file systems are not spoken of: $(cat err)"
runs 0 "$SIMHASH" -q "$files"
same "messages of a quiet run" "" "$(cat err)"
# Unless they are named, alone or with a place above them.
runs 0 "$SIMHASH" "$files/proc/sys/kernel/random" "$files"
same "rows below a file system of the kernel that was named" "$(find /proc/sys/kernel/random -type f -readable | wc -l)" "$(rows_below "$files/proc")"
runs 0 "$SIMHASH" "$files/proc/sys/kernel/random"
same "rows of a file system of the kernel" "$(find /proc/sys/kernel/random -type f -readable | wc -l)" "$(rows_below "$files/proc")"
# ... and what they gave stays, as what other options leave out does, until it is forgotten.
runs 0 "$SIMHASH" "$files"
same "rows of a file system of the kernel" "$(find /proc/sys/kernel/random -type f -readable | wc -l)" "$(rows_below "$files/proc")"
runs 0 "$SIMHASH" --forget "$files/proc"
runs 0 "$SIMHASH" "$files/proc/version" "$files"
same "rows of a file of the kernel" 1 "$(rows_below "$files/proc")"
umount -l "$files/proc" "$files/sys"

# ---- A PATH on another file system than the one above it ----
runs 0 "$SIMHASH" --forget "$files"
runs 0 "$SIMHASH" -x "$files" "$files/memory"
summary 3 0 0 0
umount "$files/memory"

# ---- A file system that does not answer: its server has ended ----
plant "$files/"{a,dead/below,z}
for directory in a dead dead/below z; do
	seq 100 >"$files/$directory/file"
done
settle "$files"
runs 0 "$SIMHASH" "$files"
python3 -c 'import ctypes, os, sys
fd = os.open("/dev/fuse", os.O_RDWR)
options = "fd=%d,rootmode=40000,user_id=0,group_id=0" % fd
if ctypes.CDLL(None, use_errno=True).mount(b"dead", sys.argv[1].encode(), b"fuse", 0, options.encode()) != 0:
	sys.exit("cannot mount: " + os.strerror(ctypes.get_errno()))' "$files/dead"
runs 2 "$SIMHASH" "$files"
summary 0 2 0 1
said "$files/dead: Transport endpoint is not connected"
runs 0 "$SIMHASH" -x "$files"
summary 0 2 0 0
umount "$files/dead"
runs 0 "$SIMHASH" "$files"
summary 0 4 0 0

# ---- Times that do not fit into 64 bits of nanoseconds ----
plant "$files/memory"
mount -t tmpfs none "$files/memory"
for time in 2300-01-01 2400-01-01T00:00:00.5 2400-01-01T00:00:00.6 1500-01-01 1400-01-01 2262-04-11T23:47:16.854775807; do
	echo "$time" | head -c 10 >"$files/memory/file"
	touch -d "$time" "$files/memory/file"
	runs 0 "$SIMHASH" "$files"
	summary 1 0 0 0
	runs 0 "$SIMHASH" "$files"
	summary 0 1 0 0
done
umount "$files/memory"

# ---- Directories that contain themselves ----
# contains STATUS MESSAGE FILES: a walk ends, and indexes this many files
contains() {
	local found
	runs "$1" timeout 60 "$SIMHASH" "${options[@]}" "$files"
	[ -z "$2" ] || grep -q "^simhash: $files/.*: $2" err || fail "expected '$2', found '$(cat err)'"
	found=$(sql "SELECT COUNT(*) FROM file")
	[[ $found =~ ^($3)$ ]] || fail "expected $3 files, found $found, with ${options[*]}"
	# Nothing of that is removed while it is not walked.
	runs "$1" timeout 60 "$SIMHASH" "${options[@]}" "$files"
	grep -q ' 0 removed' err || fail "rows are removed: $(cat err)"
}
real=$TEST_FOLDER/real
for threads in 1 3; do
	options=(-j "$threads")
	# By a mount, some levels below.
	plant "$files/a/b/c"
	seq 10 | tee "$files/file" >"$files/a/b/file"
	mount --bind "$files" "$files/a/b/c"
	contains 2 "Not entered: it is the directory 3 levels above it" 2
	options=(-j "$threads" -L)
	contains 0 "" 2
	options=(-j "$threads")
	umount "$files/a/b/c"
	# By a file system, with the inode of the directory.
	plant "$files/x" "$real"
	seq 10 | tee "$real/one" >"$real/two"
	"$ODD_FS" "$real" "$files/x" self=self
	contains 2 "Not entered: it is the directory 1 level above it" 2
	umount "$files/x"
	# With an inode of its own for each level. Another walker can be below a level that is not read to its end.
	"$ODD_FS" "$real" "$files/x" invent self=self
	contains 2 "Not entered: it and the levels above" "(8|9|[1-3][0-9])"
	umount "$files/x"
	# Each level twice.
	mkdir -p "$real/below"
	seq 11 >"$real/below/file"
	"$ODD_FS" "$real" "$files/x" invent self=self
	contains 2 "Not entered: it and the levels above" "[0-9]{1,3}"
	umount "$files/x"
	rm -r "$real"
done
