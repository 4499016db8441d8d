#!/usr/bin/env bash
# Tests that undo makes a restored name a hard link of the names that no act removed, wherever these
# are in the mount, but only if their file is unchanged.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# Every mount has few files here, because undo searches all of them.
[ "${1:-}" = mounted ] || {
	in_own_mounts "$0" mounted
	exit
}
mkdir disk far
mount -t tmpfs none disk
mount -t tmpfs none far
disk=$PWD/disk
top=$disk/a/b/c/files

# make STAYING: names of one file in $top, and the path STAYING, which is not indexed
make() {
	rm -rf "${disk:?}"/* far/* journal
	mkdir -p "$top/kept" "$top/x" "$top/y" "$disk/other/empty"
	seq 5000 >"$top/kept/b"
	seq 5000 >"$top/x/a1"
	touch -d 2019-01-01 "$top/x/a1"
	touch -d 2018-01-01 "$top/kept/b"
	chmod 640 "$top/kept/b" "$top/x/a1"
	ln "$top/x/a1" "$top/x/a2"
	ln "$top/x/a1" "$top/y/a3"
	seq 5000 >"$top/y/alone"
	chmod 640 "$top/y/alone"
	touch -d 2019-01-01 "$top/y/alone"
	reset
	runs 0 "$SIMHASH" -q "$top"
	mkdir -p "$(dirname "$1")"
	ln "$top/x/a1" "$1"
	before=$(tree)
}
# tree: the files of the disk, with the numbers of their links
tree() {
	(cd "$disk" && find . -type f -printf "%p %m %T@ %n\n" -exec cksum {} + | LC_ALL=C sort)
}
# counted TEXT: the last run wrote this pattern, without the number of folders
counted() {
	sed -E 's/ and [0-9]+ folders?//' err | grep -qE "$1" || fail "expected '$1', found '$(cat err)'"
}
# undone WHAT STAYING: the three names are links of the staying one again, in the index too
undone() {
	runs 0 "$SIMKEEP" --undo=journal
	counted "^would restore 4 files; this would take 23.9 kB;"
	runs 0 "$SIMKEEP" --undo=journal --yes
	counted "^restored 4 files; this takes 23.9 kB$"
	grep -q separate err && fail "$1: $(cat err)"
	same "$1: the tree" "$before" "$(tree)"
	same "$1: names of one file" 1 "$(stat -c %i "$top/x/a1" "$top/x/a2" "$top/y/a3" "$2" | sort -u | wc -l)"
	same "$1: in the index" 3 "$(sql "SELECT COUNT(DISTINCT inode) FROM file")"
	runs 0 "$SIMKEEP" --undo=journal --yes
	said "restored 0 files"
	same "$1: again" "$before" "$(tree)"
}
act() {
	runs 0 "$SIMKEEP" --keep=in:"$top/kept" --action="$1" --yes --journal=journal "$top"
}

# ---- The staying name is near, above, in another folder or below a long path ----
long=$disk/other
for ((i = 0; i < 14; i++)); do
	long+=/$(printf '%0250d' $i)
done
make "$disk/other/stays"
act hardlink
undone hardlink "$disk/other/stays"
for staying in "$top/y/stays" "$disk/stays" "$disk/other/stays" "$long/stays"; do
	make "$staying"
	act delete
	undone "delete, ${staying:0:60}" "$staying"
done

# ---- It is enough to restore the file, if the kept file has disappeared or changed ----
for change in "rm -r $top/kept" "echo more >>$top/kept/b"; do
	make "$disk/other/stays"
	act delete
	sh -c "$change"
	runs 2 "$SIMKEEP" --undo=journal
	counted "^would restore 3 files; left 1 alone; nothing"
	runs 2 "$SIMKEEP" --undo=journal --yes
	counted "^restored 3 files; left 1 alone"
	same "names of one file: $change" 1 "$(stat -c %i "$top/x/a1" "$top/x/a2" "$top/y/a3" "$disk/other/stays" | sort -u | wc -l)"
done

# ---- A file that has changed gets no link; two names of the restored file are one file ----
for change in "seq 5001 10000 | head -c 23893 >stays; touch -d 2019-01-01 stays" "chmod 600 stays" \
	"touch -d 2019-01-02 stays" "echo >>stays; touch -d 2019-01-01 stays" "rm stays" \
	"mv stays away; ln -s away stays; chmod 600 away" "rm stays; mkfifo stays; touch -d 2019-01-01 stays" \
	"chown 1:1 stays" "cp -p stays new; mv new stays"; do
	make "$disk/other/stays"
	act delete
	[[ $change != chown* ]] || [ "$(id -u)" = 0 ] || continue
	(cd "$disk/other" && sh -c "$change") 2>why_not || { [[ $change = chown* ]] && continue; fail "$(cat why_not)"; }
	stays=$(cd "$disk/other" && ls -l --time-style=full-iso)
	runs 0 "$SIMKEEP" --undo=journal --yes
	counted "^restored 4 files; this takes 47.8 kB; 1 file is separate now: its other names .hard links. were not found unchanged$"
	grep -q "could not be searched" err && fail "$change: $(cat err)"
	same "$change: names" 1 "$(stat -c %i "$top/x/a1" "$top/x/a2" "$top/y/a3" | sort -u | wc -l)"
	same "$change: the other file" "$stays" "$(cd "$disk/other" && ls -l --time-style=full-iso)"
	cmp "$top/x/a1" "$top/kept/b" || fail "$change: other bytes"
done

# ---- Deeper than the system accepts, and another mount of the same files ----
make "$disk/other/stays"
act delete
python3 - "$disk/other" <<'PYTHON'
import os, sys
os.chdir(sys.argv[1])
here = os.open(".", os.O_RDONLY)
for i in range(3000):
    os.mkdir("deep")
    os.chdir("deep")
os.rename("stays", "stays", src_dir_fd=here)
PYTHON
runs 0 "$SIMKEEP" --undo=journal --yes
said "; 1 file is separate now: its other names (hard links) were not found unchanged; 1 folder could not be searched for them"

make "$disk/other/stays"
mkdir "$top/x/mounted"
act delete
mount --bind "$disk/other" "$top/x/mounted"
mkdir "$disk/loop"
mount --rbind "$disk" "$disk/loop"
runs 0 "$SIMKEEP" -q --undo=journal --yes
umount -R "$disk/loop"
umount "$top/x/mounted"
rmdir "$top/x/mounted" "$disk/loop"
same "bind mounts: the tree" "$before" "$(tree)"

# ---- Many files whose other names have disappeared: the mount is read once ----
make "$disk/other/stays"
python3 - "$disk" "$top" <<'PYTHON'
import os, sys
for i in range(2000):
    os.mkdir(f"{sys.argv[1]}/other/{i}")
for i in range(1000):
    for folder in "x", "kept":
        with open(f"{sys.argv[2]}/{folder}/{i}", "w") as file:
            file.write(f"content {i}")
        os.utime(file.name, (i, i))
    os.link(f"{sys.argv[2]}/x/{i}", f"{sys.argv[1]}/other/{i}/stays")
PYTHON
runs 0 "$SIMHASH" -q "$top"
act delete
rm -r "$disk/other"
mkdir -p "$disk/other"
mkdir "$disk"/other/{1..2000}
runs 0 within 5 "$SIMKEEP" --undo=journal --yes
counted "^restored 1,004 files; .*; 1,001 files are separate now: their other names "

# ---- After a move to another file system ----
make "$disk/other/stays"
runs 0 "$SIMKEEP" --into=far/all --action=delete --yes --journal=journal "$top"
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "far: the tree" "$before" "$(tree)"
same "the other file system" "" "$(find far -mindepth 1)"
