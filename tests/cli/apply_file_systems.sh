#!/usr/bin/env bash
# Tests copies on another file system: they cannot become links, and each is reported with the
# reason; but they can be deleted and restored. far_moves.sh moves them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# ---- Mounts, in a separate namespace ----
# stays NAME...: no action on any of these names of one file removes its content from the tree at
# $real
stays() {
	local action status
	for action in delete hardlink "move:$point/moved"; do
		rm -f journal
		reset
		"$SIMHASH" -q "$@" 2>err || fail "$(cat err)"
		status=0
		"$SIMKEEP" --keep=shortest-path --action="$action" --yes --journal=journal >out 2>err || status=$?
		[ "$status" = 0 ] || [ "$status" = 2 ] || fail "$(cat err)"
		[ "$(find "$real" -type f -exec cmp -s {} wanted \; -print | wc -l)" -ge 1 ] || fail "$action: the only file was removed"
		[ -d "$1" ] || cmp "$1" wanted || fail "$action: $1 was removed"
		same "$action: temporary names" "" "$(find "$real" -name '.simkeep-*')"
	done
}

if [ "${1:-}" = mounted ]; then
	seq 3000 >wanted
	real=$PWD/real point=$PWD/point
	for options in "fold invent" "fold invent plain" fold "fold plain"; do
		echo "One file with several spellings: $options"
		mkdir -p "$real/dir" "$real/moved" "$point"
		cp wanted "$real/dir/File"
		touch -d 2020-01-01 "$real/dir/File"
		# shellcheck disable=SC2086  # options
		"$ODD_FS" "$real" "$point" $options || skip "FUSE cannot be mounted"
		stays "$point/dir/File" "$point/dir/file"
		stays "$point/dir/File" "$point/DIR/File"
		stays "$point/DIR/FILE" "$point/dir/file"
		mkdir bound
		mount --bind "$point/dir" bound
		stays "$point/dir/file" "$PWD/bound/File"
		umount bound
		# Two files are different files.
		cp wanted "$real/dir/other"
		touch -d 2020-01-01 "$real/dir/other"
		reset
		rm -f journal
		runs 0 "$SIMHASH" -q "$point/dir"
		runs 0 "$SIMKEEP" -q --keep=match:other --action=delete --yes --journal=journal
		same "files" other "$(ls "$real/dir")"
		umount "$point"
		rm -r bound "$real" "$point"
	done
	echo "One directory, mounted twice"
	new_file_system tmpfs "$real"
	mkdir -p "$real/dir" "$real/moved" point
	cp wanted "$real/dir/File"
	touch -d 2020-01-01 "$real/dir/File"
	mount --bind "$real" point
	stays "$real/dir" "$point/dir"
	umount point real

	echo "A directory that only grows"
	new_file_system ext4 disk
	mkdir disk/kept disk/grows
	cp wanted disk/kept/a
	cp wanted disk/grows/b
	touch -d 2020-01-01 disk/*/[ab]
	reset
	runs 0 "$SIMHASH" -q disk
	chattr +a disk/grows
	for action in delete hardlink "move:$PWD/disk/kept"; do
		rm -f journal
		runs 2 "$SIMKEEP" --keep=match:a --action="$action" --yes --journal=journal
		said "/grows/b: left alone: its directory is append-only, so its names cannot be removed; see chattr(1)"
		same "names after $action" b "$(ls -A disk/grows)"
	done
	chattr -a disk/grows
	umount disk

	echo "More names than ext4 allows"
	new_file_system ext4 disk
	mkdir disk/files disk/links
	for name in a b c d e; do
		cp wanted "disk/files/$name"
		touch -d 2020-01-01 "disk/files/$name"
	done
	python3 -c 'import os
for number in range(64998):
    os.link("disk/files/a", f"disk/links/{number}")'
	reset
	rm -f journal
	runs 0 "$SIMHASH" -q disk/files
	runs 0 "$SIMKEEP" --keep=shortest-path --action=hardlink --yes --journal=journal
	same "names of the first" 65000 "$(stat -c %h disk/files/a)"
	same "names of the second" "3 3 3" "$(stat -c %h disk/files/[cde] | xargs)"
	same "messages" "keep a,hardlink b,keep c,hardlink d,hardlink e" \
		"$(sed 's|  *.*/| |' out | paste -sd,)"
	runs 0 "$SIMHASH" -q disk/files
	cp wanted disk/files/f
	touch -d 2020-01-01 disk/files/f
	runs 0 "$SIMHASH" -q disk/files
	rm journal
	runs 0 "$SIMKEEP" --keep=shortest-path --action=hardlink --yes --journal=journal
	same "names of the second" 4 "$(stat -c %h disk/files/f)"
	umount disk

	echo "A journal on a full disk, where a shorter line has room"
	new_file_system ext2 disk 4M
	new_file_system tmpfs copies
	for number in $(seq 300); do
		cp wanted "copies/$number"
	done
	stat -c '%n %s %y %a' copies/* >expected
	reset
	runs 0 "$SIMHASH" -q copies
	cat /dev/zero >disk/fill 2>/dev/null || true
	sync -f disk
	cut_off=0
	for _ in $(seq 12); do
		truncate -s -7K disk/fill
		sync -f disk
		status=0
		"$SIMKEEP" --keep=shortest-path --action=delete --yes --journal=disk/journal >out 2>err || status=$?
		acts=$((300 - $(find copies -type f | wc -l)))
		if [ $status != 0 ]; then
			said "cannot write the journal disk/journal: No space left on device"
			[ $acts != 128 ] || cut_off=$((cut_off + 1))
		fi
		# All acts can be undone, regardless of their number.
		runs 0 "$SIMKEEP" --undo=disk/journal --yes
		said "restored $acts files"
		stat -c '%n %s %y %a' copies/* | diff expected - || fail "other files"
		rm disk/journal
	done
	[ $cut_off -gt 0 ] || fail "no journal became full after the first batch"
	umount disk copies
	exit
fi
in_own_mounts "$0" mounted

# Another file system where this process may write: memory, or the build folder.
for folder in /dev/shm /run /var/tmp "$BINARY_DIR" "$PWD"; do
	[ -d "$folder" ] && [ -w "$folder" ] || continue
	[ "$(stat -c %d "$folder")" = "$(stat -c %d "$PWD")" ] || break
done
[ "$folder" != "$PWD" ] || skip "there is no other file system here, such as /dev/shm"
far=$(mktemp -d "$folder/simhash-test.XXXXXX")
trap 'rm -rf "$far"' EXIT
mkdir moved

make_files() {
	rm -rf "${files:?}"/* "${far:?}"/* journal
	mkdir "$far/moved"
	seq 2000 >"$files/a"
	cp "$files/a" "$files/b"
	cp "$files/a" "$far/c"
	touch -d 2020-01-01 "$files"/* "$far/c"
	reset
	runs 0 "$SIMHASH" -q "$files" "$far"
}

tree() {
	find "$files" "$far" -type f -printf '%p %i %n %m %T@ ' -exec cksum {} \; | LC_ALL=C sort
}
make_files
before=$(tree)

# left ACTION REASON: only c is left, with the reason, by the plan and by the act
left() {
	runs 2 "$SIMKEEP" --keep=in:"$files" --action="$1"
	said "$far/c: left alone: $2"
	said "; left 1 alone; nothing has been changed"
	runs 2 "$SIMKEEP" -q --keep=in:"$files" --action="$1" --yes --journal=journal
	said "$far/c: left alone: $2"
	same "acts upon it" 0 "$(grep -c "$far/c" journal || true)"
	[ -e "$far/c" ] || fail "$1: it was removed"
}

left hardlink "it is on another file system than the kept file"
same "names of the others" 2 "$(stat -c %h "$files/b")"
make_files
runs 2 "$SIMKEEP" --keep=in:"$files" --action=reflink
said "$far/c: left alone: it is on another file system than the kept file"

# A script has the possible command, and says why there is no other one.
make_files
runs 0 "$SIMKEEP" -q --keep=in:"$files" --action=script:todo.sh
same "commands in the script" "# no hardlink: it is on another file system than the kept file
# no reflink: it is on another file system than the kept file
#delete $far/c" "$(sed -n "/has no reflinks/d; /^# no /p; s|^#delete .*\"copy\":\"\($far/c\)\".*|#delete \1|p" todo.sh)"

# Bytes can be compared across file systems, so the copy can be deleted.
before=$(tree | sed 's/ [0-9]* / /')
runs 0 "$SIMKEEP" -q --keep=in:"$files" --action=delete --yes --journal=journal
same "files left" "$files/a" "$(find "$files" "$far" -type f)"
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "the tree" "$before" "$(tree | sed 's/ [0-9]* / /')"

# The same without renames that keep existing files: a second name shows that these are two files.
make_files
before=$(tree | sed 's/ [0-9]* / /')
runs 0 env LD_PRELOAD="$KILLER" NO_EXCHANGE=1 "$SIMKEEP" -q --keep=in:"$files" --action=delete --yes --journal=journal
same "files left" "$files/a" "$(find "$files" "$far" -type f)"
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "the tree" "$before" "$(tree | sed 's/ [0-9]* / /')"

# One file that is visible through two file systems with different inodes is not deleted.
cat >overlay.sh <<'SCRIPT'
set -eu
cd "$1"
mkdir lower upper work merged
mount -t overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work" none merged || {
	echo "no overlay can be mounted here" >>"$TEST_FOLDER/not_tested"
	exit 77
}
seq 3000 >lower/only
touch -d 2020-01-01 lower/only
export SIMHASH_DATABASE="sqlite:$PWD/overlay.db"
"$SIMHASH" -q lower merged
shift
number=0
for how; do
	status=0
	number=$((number + 1))
	env $how "$SIMKEEP" --keep=in:merged --action=delete --yes --journal=journal.$number 2>said || status=$?
	cat said
	[ "$status" = 2 ]
	seq 3000 | cmp - lower/only
	seq 3000 | cmp - merged/only
	[ "$(ls -A lower)" = only ]
	# A script is as safe, because the same program carries it out.
	status=0
	"$SIMKEEP" -q --keep=in:merged --action=script:todo.sh 2>>said
	sed 's/^#delete /delete /' todo.sh | env $how JOURNAL=journal.script.$number PATH="$(dirname "$SIMKEEP"):$PATH" sh 2>said || status=$?
	cat said
	[ "$status" = 2 ]
	seq 3000 | cmp - lower/only
done
umount merged
# The same for two bind mounts of one directory, whose files have the same inode.
mkdir bound
mount --bind lower bound
"$SIMHASH" -q lower bound
sed "s|$PWD/merged/|$PWD/bound/|g; s/^#delete /delete /" todo.sh | JOURNAL=journal.bound PATH="$(dirname "$SIMKEEP"):$PATH" sh 2>said && exit 1
cat said
grep -q 'left alone: it is the same file as the one that is kept' said
seq 3000 | cmp - lower/only
umount bound
# A file of the lower and a file of the upper file system are different files.
mkdir away
mount -t tmpfs none away
mkdir away/upper away/work
mount -t overlay -o "xino=off,lowerdir=$PWD/lower,upperdir=$PWD/away/upper,workdir=$PWD/away/work" none merged
cp merged/only merged/copy
rm -f overlay.db*
"$SIMHASH" -q merged
"$SIMKEEP" --keep=match:only --action=delete --yes --journal=journal.two
[ -e merged/only ] && [ ! -e merged/copy ]
umount merged away
chown -R --reference=.. .
SCRIPT
far_overlay=$far/overlay
mkdir "$far_overlay"
hows=(A=1 "LD_PRELOAD=$KILLER NO_EXCHANGE=1")
in_own_mounts sh overlay.sh "$far_overlay" "${hows[@]}" >out
same "refusals" $((2 * ${#hows[@]})) "$(grep -c "/only: left alone: it is the kept file, shown by another file system" out)"
