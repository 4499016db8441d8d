#!/usr/bin/env bash
# Tests acts on whole folders: folders that become empty are removed and restored, and nothing else is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# Make the folders old and new: new has a copy of each file of old.
make_files() {
	chmod -R u+w "$files" 2>/dev/null || true
	rm -rf "$files" journal* moved
	mkdir -p "$files/old/a/deep" "$files/old/b" "$files/new" moved
	seq 1000 >"$files/new/1"
	seq 2000 >"$files/new/2"
	seq 3000 >"$files/new/3"
	cp "$files/new/1" "$files/old/a/deep/"
	cp "$files/new/2" "$files/old/a/"
	cp "$files/new/3" "$files/old/b/third"
	chmod 2750 "$files/old/a"
	chmod 555 "$files/old/a/deep"
	touch -d '2011-01-01 00:00:00.123456789' "$files/old/a/deep"
	touch -d 2012-01-01 "$files/old/a"
	touch -d 2013-01-01 "$files/old/b"
	touch -d 2014-01-01 "$files/old"
	reset
}

tree() {
	(cd "$files" && find . -path ./new -prune -o -printf "%p %y %m %U:%G %T@\n" | LC_ALL=C sort | sed 1d)
}

folders() {
	(cd "$files" && find old -type d 2>/dev/null | LC_ALL=C sort | tr '\n' ' ')
}

# act ARGUMENT...: as a plan, and then for real; both show the same
act() {
	local said
	runs 0 "$SIMKEEP" --keep=in:"$files/new" "$@"
	mv out plan
	said=$(grep -o 'would remove [0-9]* empty' err || true)
	runs 0 "$SIMKEEP" --keep=in:"$files/new" "$@" --yes --journal=journal
	diff plan out || fail "the plan of $* shows something else"
	same "folders of the plan" "$(sed 's/would remove/removed/' <<<"$said")" "$(grep -o 'removed [0-9]* empty' err || true)"
}

undo() {
	local said
	runs 0 "$SIMKEEP" --undo=journal
	mv out plan
	said=$(sed -n 's/would restore \([^;]*\);.*/\1/p' err)
	runs 0 "$SIMKEEP" --undo=journal --yes
	diff plan out || fail "the plan of undo shows something else"
	same "restored" "$said" "$(sed -n 's/^restored \([^;]*\).*/\1/p' err)"
}

# ---- All of a folder is removed, and restored with its attributes ----
make_files
runs 0 "$SIMHASH" -q "$files"
before=$(tree)
for action in delete "move:$TEST_FOLDER/moved"; do
	act --action="$action" "$files/old" "$files/new"
	said "; removed 4 empty folders; to undo"
	same "lines" "old old/a old/a/deep old/b " "$(sed -n "s|^rmdir *$files/||p" out | LC_ALL=C sort | tr "\n" " ")"
	[ ! -e "$files/old" ] || fail "old is there"
	undo
	same "the tree" "$before" "$(tree)"
	same "new folders" "" "$(ls moved)"
	rm journal
done
said "restored 3 files and 4 folders"

# ---- Folders above a DIR stay, and without a DIR all folders stay ----
act --action=delete "$files/old/a" "$files/new"
same "folders" "old old/b " "$(folders)"
undo
rm journal
act --action=delete
same "folders" "old old/a old/a/deep old/b " "$(folders)"
undo
rm journal
# A hard link keeps the name.
act --action=hardlink "$files/old" "$files/new" || true
same "folders" "old old/a old/a/deep old/b " "$(folders)"
make_files
runs 0 "$SIMHASH" -q "$files"

# ---- A folder stays if it has a name, was empty before, is protected, or has attributes ----
mkdir "$files/old/empty" "$files/old/b/empty"
ln -s ../new/1 "$files/old/a/link"
act --action=delete "$files/old" "$files/new"
same "folders" "old old/a old/b old/b/empty old/empty " "$(folders)"
said "; removed 1 empty folder; to undo"
undo
rm -r journal "$files/old/empty" "$files/old/b/empty" "$files/old/a/link"
act --action=delete --protect="$files/old/a/deep" "$files/old" "$files/new"
same "folders" "old old/a old/a/deep " "$(folders)"
undo
rm journal
if python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.note", b"text")' "$files/old/b" 2>/dev/null; then
	act --action=delete "$files/old" "$files/new"
	same "folders" "old old/b " "$(folders)"
	undo
	rm journal
	python3 -c 'import os, sys; os.removexattr(sys.argv[1], "user.note")' "$files/old/b"
else
	not_tested "extended attributes"
fi

# ---- Undo leaves a folder that another program made, and a name that became a file ----
act --action=delete "$files/old" "$files/new"
mkdir "$files/old"
chmod 700 "$files/old"
echo new >"$files/old/b"
runs 2 "$SIMKEEP" --undo=journal --yes
said "/old/b: left alone: another file has its name"
said "/old/b/third: left alone: cannot open its directory"
said "restored 2 files and 2 folders; left 2 alone"
same "mode" 700 "$(stat -c %a "$files/old")"
same "mode" 2750 "$(stat -c %a "$files/old/a")"
rm "$files/old/b"
runs 0 "$SIMKEEP" --undo=journal --yes
said "restored 1 file and 1 folder"
cmp "$files/old/b/third" "$files/new/3"
