#!/usr/bin/env bash
# Tests that protected files are protected through all mounts: of directories, of directories below
# them, and of a single file. Also tests that only the owner can use directories that a move
# creates.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# make_files DIRECTORY...: creates x in the first one, copies it to the others, and indexes all
make_files() {
	local directory
	rm -f journal
	seq 2000 >"$1/x"
	for directory; do
		[ "$directory/x" -ef "$1/x" ] || cp "$1/x" "$directory/x"
	done
	reset
	runs 0 "$SIMHASH" -q "$@"
}

# ---- Directories created by a move ----
if [ "${1:-}" != mounts ]; then
	mkdir -p "$files/private/below" "$files/kept" moved
	chmod 700 "$files/private"
	make_files "$files/kept" "$files/private/below"
	(
		umask 022
		runs 0 "$SIMKEEP" -q --keep=in:"$files/kept" --action="move:$PWD/moved" --yes --journal=journal
	)
	[ -e "moved$files/private/below/x" ] || fail "nothing was moved"
	same "modes of directories that were made" 700 "$(find moved -mindepth 1 -type d -printf '%m\n' | sort -u)"
	same "mode of the one that was there" "$(stat -c %a "$files/kept")" "$(stat -c %a moved)"
	rm -rf moved "$files"

	# ---- Mounts, in a separate namespace ----
	in_own_mounts "$0" mounts
	exit
fi

mkdir disk other
mount -t tmpfs none disk
mount -t tmpfs none other
disk=$PWD/disk other=$PWD/other
prot=$disk/prot
mkdir -p "$prot/sub" "$prot/nested" "$disk/kept" "$disk/kept.too" "$disk/twin" "$disk/alias"
mkdir "$other/dir" "$other/dir.too"

# stays DIRECTORY: its x is left by every action
stays() {
	local action
	make_files "$disk/kept" "$1"
	for action in delete hardlink "move:$disk"; do
		rm -f journal
		runs 2 "$SIMKEEP" --keep=in:"$disk/kept" --protect="$prot" --action="$action" --yes --journal=journal
		same "files left, with reasons" "x: left alone: it is protected" "$(grep -o '[^/]*: left alone: .*' err | sort -u)"
		cmp "$disk/kept/x" "$1/x" || fail "$1: x has changed"
		same "names of $1/x" 1 "$(stat -c %h "$1/x")"
	done
}

# goes DIRECTORY: its x is deleted, so it is not protected
goes() {
	make_files "$disk/kept" "$1"
	runs 0 "$SIMKEEP" --keep=in:"$disk/kept" --protect="$prot" --action=delete --yes --journal=journal
	[ ! -e "$1/x" ] || fail "$1/x is there"
}

# Without other mounts, a directory with a similar name is not protected.
mkdir "$disk/prot.too"
goes "$disk/prot.too"
goes "$disk/alias"

# A directory below it, the directory itself, and the directory above.
mount --bind "$prot/sub" "$disk/alias"
stays "$disk/alias"
cmp "$prot/sub/x" "$disk/kept/x" || fail "x has changed"
# A move does not create anything in it either.
make_files "$disk/kept" "$disk/twin"
before=$(find "$prot" | LC_ALL=C sort)
runs 2 "$SIMKEEP" --keep=in:"$disk/kept" --protect="$prot" --action="move:$disk/alias" --yes --journal=journal
said "$disk/twin/x: left alone: it is protected"
same "names in the protected directory" "$before" "$(find "$prot" | LC_ALL=C sort)"
umount "$disk/alias"
mount --bind "$disk/kept.too" "$disk/alias"
goes "$disk/alias"
umount "$disk/alias"
mount --bind "$prot" "$disk/alias"
stays "$disk/alias/sub"
umount "$disk/alias"
mount --bind "$disk" "$other/dir"
stays "$other/dir/prot/sub"
goes "$other/dir/alias"
umount "$other/dir"

# Names with bytes that mountinfo escapes, and names that look like a mark of the kernel.
for name in $'new\nline and space' 'back\slash\040' $'bad\xff\ttab' '#hash' 'gone (deleted)' 'gone//deleted'; do
	mkdir -p "$prot/$name/sub" "$other/$name"
	mount --bind "$prot/$name" "$other/$name"
	stays "$other/$name/sub"
	umount "$other/$name"
	# The protected directory itself has such a name.
	mkdir -p "$disk/$name/sub"
	mount --bind "$disk/$name/sub" "$disk/alias"
	(
		prot=$disk/$name
		stays "$disk/alias"
		goes "$disk/kept.too"
	)
	umount "$disk/alias"
done

# A mount inside it is protected at its origin, but nothing next to the origin is.
mount --bind "$other/dir" "$prot/nested"
stays "$other/dir"
goes "$other/dir.too"
mkdir -p "$other/dir/inner"
stays "$other/dir/inner"
umount "$prot/nested"
goes "$other/dir"
# The same for a mount inside another mount of it.
mount --bind "$prot/sub" "$disk/alias"
mkdir -p "$disk/alias/deep"
mount --bind "$other/dir" "$disk/alias/deep"
stays "$other/dir/inner"
umount "$disk/alias/deep" "$disk/alias"
# A directory that a mount hides is still protected.
mkdir -p "$prot/nested/hidden"
mount --bind "$prot/nested" "$disk/alias"
mount -t tmpfs none "$prot/nested"
stays "$disk/alias/hidden"
umount "$prot/nested" "$disk/alias"

# The protected directory is itself a mount of another directory.
mount --bind "$other/dir" "$disk/alias"
(
	prot=$disk/alias
	stays "$other/dir"
	stays "$other/dir/inner"
	goes "$other/dir.too"
)
umount "$disk/alias"

# A single file. A mounted file cannot be renamed, protected or not; but it can be by its own name.
: >"$disk/alias/x"
seq 2000 >"$prot/x"
mount --bind "$prot/x" "$disk/alias/x"
rm -f journal
reset
runs 0 "$SIMHASH" -q "$disk/kept" "$disk/alias"
runs 2 "$SIMKEEP" --keep=in:"$disk/kept" --protect="$prot" --action=delete --yes --journal=journal
said "$disk/alias/x: left alone: it is protected"
umount "$disk/alias/x"
mount --bind "$disk/alias/x" "$prot/x"
stays "$disk/alias"
umount "$prot/x"
goes "$disk/alias"

# A mount below a directory that was renamed.
mkdir -p "$disk/above/point"
mount --bind "$prot/sub" "$disk/above/point"
mv "$disk/above" "$disk/renamed"
stays "$disk/renamed/point"
umount "$disk/renamed/point"

# Without /proc, the inodes on the way decide.
make_files "$disk/kept" "$disk/twin"
mount --bind "$prot" "$disk/alias"
seq 2000 >"$prot/sub/x"
reset
runs 0 "$SIMHASH" -q "$disk/kept" "$disk/alias/sub" "$disk/twin"
mount -t tmpfs none /proc
runs 2 "$SIMKEEP" --keep=in:"$disk/kept" --protect="$prot" --action=delete --yes --journal=journal
umount /proc
same "files left without /proc, with reasons" "x: left alone: it is protected" "$(grep -o '[^/]*: left alone: .*' err)"
cmp "$disk/kept/x" "$prot/sub/x" || fail "x has changed"
[ ! -e "$disk/twin/x" ] || fail "the twin's x is there"
umount "$disk/alias"

# A chroot that is not a mount: the locations of its directories are unknown, so the inodes on the
# way must be enough.
mkdir -p "$disk/root/plain"
for directory in /*; do
	if [ -L "$directory" ]; then
		cp -P "$directory" "$disk/root"
	elif [ -d "$directory" ]; then
		mkdir "$disk/root$directory"
		mount --rbind "$directory" "$disk/root$directory"
	fi
done
mkdir "$disk/root/plain/kept" "$disk/root/plain/other"
seq 2000 >"$disk/root/plain/kept/x"
cp "$disk/root/plain/kept/x" "$disk/root/plain/other/x"
reset
runs 0 chroot "$disk/root" "$SIMHASH" -q /plain
for mounted in no yes; do
	runs 0 chroot "$disk/root" "$SIMKEEP" --keep=oldest --protect=/plain --action=delete
	said "would delete 0 files"
	runs 0 chroot "$disk/root" "$SIMKEEP" --keep=in:/plain/other --protect=/plain/other --action=delete
	said "would delete 1 file and"
	[ $mounted = yes ] || mount --rbind "$disk/root" "$disk/root"
done
