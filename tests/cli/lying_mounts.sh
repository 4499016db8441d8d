#!/usr/bin/env bash
# Tests file systems whose inode numbers, device numbers or names lie or change: an unchanged tree
# is not read again, and the only file of a content stays.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
[ "${1:-}" = mounted ] || {
	in_own_mounts "$0" mounted
	exit
}
seq 3000 >wanted

# fill DIRECTORY: two files that differ, and two hard links if possible
fill() {
	mkdir -p "$1/dir"
	cp wanted "$1/dir/File"
	seq 500 >"$1/dir/other"
	ln "$1/dir/other" "$1/dir/link" 2>/dev/null || true
	touch -d '2020-01-01 00:00:00' "$1"/dir/*
}

# unread CASE DIRECTORY...: another run reads no file and removes none
unread() {
	local case=$1
	shift
	runs 0 "$SIMHASH" "$@"
	grep -Eq '^0 scanned, .* 0 removed, 0 failed' err || fail "$case: $(cat err)"
}

# stays CASE NAME...: simkeep removes none of these names of one file
stays() {
	local case=$1 status
	shift
	reset
	rm -f journal
	runs 0 "$SIMHASH" -q "$@"
	status=0
	"$SIMKEEP" --keep=oldest --action=delete --yes --journal=journal >out 2>err || status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "$case: status $status: $(cat err)"
	cmp "$1" wanted || fail "$case: the only file was removed"
}


real=$PWD/real point=$PWD/point
mkdir "$point"

# again CASE: the tree at $point is mounted a second time by `mount_it`, and is not read again. A
# file that replaces another one is read.
again() {
	mount_it
	fill "$point"
	sync -f "$point"
	sleep 0.03 # rows of younger files are not trusted
	reset
	runs 0 "$SIMHASH" -q "$point"
	umount "$point"
	mount_it
	unread "$1" "$point"
	unread "$1, again" "$point"
	tr 0-9 1-90 <wanted >"$point/dir/new"
	touch -d '2020-01-01 00:00:00' "$point/dir/new"
	mv "$point/dir/new" "$point/dir/File"
	runs 0 "$SIMHASH" "$point"
	[ -n "${overwrites:-}" ] || ! grep -q '^0 scanned' err || fail "$1: a replaced file was not read"
	cp wanted "$point/dir/File"
	touch -d '2020-01-01 00:00:00' "$point/dir/File"
	stays "$1" "$point/dir/File" "$point/dir"
}

echo "FUSE"
for options in invent "invent fresh" fresh "fold invent" "fold fresh"; do
	mkdir "$real"
	mount_it() {
		# shellcheck disable=SC2086  # options
		"$ODD_FS" "$real" "$point" $options || skip "FUSE cannot be mounted"
	}
	again "FUSE, $options"
	case $options in
	fold*) stays "FUSE, $options" "$point/dir/File" "$point/DIR/file" "$point/dir/FILE" ;;
	esac
	umount "$point"
	rm -r "$real"
done

echo "Disks, which get another device number"
for type in vfat ext4 xfs btrfs; do
	grep -q "\<$type$" /proc/filesystems || modprobe -q $type 2>/dev/null || continue
	command -v mkfs.$type >/dev/null || continue
	image=$(mktemp /dev/shm/simhash-test.XXXXXX)
	truncate -s 400M "$image"
	quiet=-q
	[ $type != vfat ] || quiet=-i1234abcd
	mkfs.$type $quiet "$image" >/dev/null 2>&1 || skip "no file system $type can be made here"
	busy=
	mount_it() {
		# The device number depends on the number of the loop device.
		[ -z "$busy" ] || busy=$(losetup --find --show "$image.busy")
		mount -o loop "$image" "$point"
	}
	truncate -s 1M "$image.busy"
	overwrites=
	[ $type != vfat ] || overwrites=yes # FAT has no status time
	before=
	mount_it
	before=$(stat -c %d "$point")
	umount "$point"
	busy=next
	again "$type"
	[ $type = btrfs ] || [ "$before" != "$(stat -c %d "$point")" ] || fail "$type has the same device number"
	[ $type != vfat ] || stays "FAT" "$point/dir/File" "$point/DIR/file" "$point/dir/FILE"
	mkdir bound
	mount --bind "$point" bound
	stays "$type, mounted twice" "$point/dir/File" "$PWD/bound/dir/File"
	umount bound
	rmdir bound
	# An overlay shows the same files with other device numbers.
	if [ $type = ext4 ]; then
		new_file_system tmpfs above
		mkdir above/upper above/work merged
		layers=lowerdir=$point/dir,upperdir=above/upper,workdir=above/work
		mount -t overlay -o "$layers" none merged
		stays "overlay" "$point/dir/File" "$PWD/merged/File"
		runs 0 "$SIMHASH" -q "$PWD/merged"
		unread "overlay" "$PWD/merged"
		umount merged
		mount -t overlay -o "xino=off,$layers" none merged
		unread "overlay, mounted again" "$PWD/merged"
		umount merged above
	fi
	# A snapshot has the inode numbers of its origin. Its files are other files.
	if [ $type = btrfs ]; then
		btrfs subvolume create "$point/volume" >/dev/null
		mv "$point/dir/File" "$point/volume"
		btrfs subvolume snapshot "$point/volume" "$point/taken" >/dev/null
		reset
		rm -f journal
		runs 0 "$SIMHASH" -q "$point"
		runs 0 "$SIMKEEP" --keep=in:"$point/taken" --action=delete --yes --journal=journal
		cmp "$point/taken/File" wanted || fail "the last file was removed"
		[ ! -e "$point/volume/File" ] || fail "the file of the volume is there"
	fi
	umount "$point"
	losetup -d "$busy"
	rm "$image" "$image.busy"
done

echo "A directory of ext4 that ignores case"
image=$(mktemp /dev/shm/simhash-test.XXXXXX)
truncate -s 64M "$image"
if mkfs.ext4 -q -O casefold "$image" 2>/dev/null && mount -o loop "$image" "$point" 2>/dev/null; then
	mkdir "$point/dir"
	chattr +F "$point/dir"
	fill "$point"
	stays "ext4, casefold" "$point/dir/File" "$point/DIR/../dir/file" "$point/dir/FILE"
	umount "$point"
else
	echo "this kernel has no casefold" # FUSE and FAT were tested
fi
rm "$image"

echo "A mount that goes away"
mkdir -p "$real" trees/near trees/far
"$ODD_FS" "$real" trees/far -- -f &
server=$!
wait_until mountpoint -q trees/far
fill trees/far
fill trees/near
sleep 0.03
reset
runs 0 "$SIMHASH" -q trees
before=$(sql "SELECT COUNT(*) FROM file")
touch trees/near/dir/File
# Its process ends, so each call fails with ENOTCONN.
kill -KILL $server
wait $server || true
wait_until sh -c "! ls trees/far 2>/dev/null"
runs 2 "$SIMHASH" trees
said "trees/far"
same "rows" "$before" "$(sql "SELECT COUNT(*) FROM file")"
grep -q '^1 scanned' err || fail "the other tree: $(cat err)"
runs 1 "$SIMHASH" trees/far
same "rows" "$before" "$(sql "SELECT COUNT(*) FROM file")"
runs 2 "$SIMHASH" trees/far trees/near
same "rows" "$before" "$(sql "SELECT COUNT(*) FROM file")"
rm -f journal
status=0
"$SIMKEEP" --keep=in:trees/near --action=delete --yes --journal=journal >out 2>err || status=$?
[ $status != 0 ] || grep -q "deleted 0" err || fail "acts on a dead mount: $(cat err)"
umount -l trees/far
