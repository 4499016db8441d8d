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
	local said stay
	runs 0 "$SIMKEEP" --keep=in:"$files/new" "$@"
	mv out plan
	stay=$(grep -o '; stay: [^;]*' err || true)
	said=$(grep -o 'would remove [0-9]* empty' err || true)
	runs 0 "$SIMKEEP" --keep=in:"$files/new" "$@" --yes --journal=journal
	diff plan out || fail "the plan of $* shows something else"
	same "files that stay" "$stay" "$(grep -o '; stay: [^;]*' err || true)"
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

# ---- Files that stay are counted: those that exist only there, and those that the index does not have ----
echo 1 >"$files/old/only"
echo 2 >"$files/old/b/changed"
: >"$files/old/empty"
ln "$files/new/1" "$files/old/link"
mkdir "$files/old/.git"
seq 3 >"$files/old/.git/config"
runs 0 "$SIMHASH" -q "$files"
echo 3 >"$files/old/unknown"
echo 44 >"$files/old/b/changed"
act --action=delete "$files/old" "$files/new"
said "; removed 2 empty folders; stay: 1 file without a copy elsewhere, 2 files that are not in the index; to undo"
undo
rm journal
act --action=delete --min-size=1 "$files/old" "$files/new"
same "files that stay with a filter" 0 "$(grep -c stay err || true)"
undo
rm -r journal "$files/old/only" "$files/old/b/changed" "$files/old/empty" "$files/old/link" "$files/old/.git" \
	"$files/old/unknown"

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

# ---- The index is right afterwards, as if all files had been indexed again ----
options=(-q "--measure=minhash")
! built_with archives || options+=(-z)
# index [OPTION]... FOLDER...: index the folders that exist
index() {
	local there=() folder
	for folder in "$@"; do
		[ "${folder:0:2}" != -- ] && [ ! -e "$folder" ] || there+=("$folder")
	done
	runs 0 "$SIMHASH" "${options[@]}" "${there[@]}"
}
# rows HOST: its rows
rows() {
	local of="WHERE host = (SELECT id FROM host WHERE name = '$1')"
	sql "SELECT HEX(directory), HEX(name), HEX(extension), size, mtime_ns, device, inode, links, contents,
		compressed_size, HEX(content_hash), HEX(path_hash), sum_00, sum_15, uniform, scatter, uniform_ext, scatter_ext,
		HEX(resemblance_sketch), pieces FROM file $of ORDER BY path_hash"
	sql "SELECT HEX(path_hash), measure, HEX(content_hash), features, HEX(value) FROM sketch $of
		ORDER BY path_hash, measure"
}
# up_to_date WHAT: the index is as a new one, and its last change printed nothing about an update
up_to_date() {
	local table
	same "messages about an update, $1" 0 "$(grep -c 'to update the index' err || true)"
	rows "$(uname -n)" >updated
	index --host=fresh "$files/old" "$files/new" moved
	rows fresh >fresh
	for table in file directory sketch; do
		sql "DELETE FROM $table WHERE host = (SELECT id FROM host WHERE name = 'fresh')"
	done
	[ -s fresh ] || fail "no rows"
	diff updated fresh >differences || fail "the index differs after $1: $(cat differences)"
	same "pieces without a file, $1" 0 "$(sql "SELECT COUNT(*) FROM pieces p WHERE NOT EXISTS
		(SELECT 1 FROM file f WHERE f.content_hash = p.content_hash)")"
}

make_files
seq 5000 | gzip -n >"$files/new/4.gz"
cp "$files/new/4.gz" "$files/old/b/four.tgz"
tar -C "$files/new" -cf "$files/new/5.tar" 1 2
cp "$files/new/5.tar" "$files/old/a/five.bin.tar"
cp "$files/new/3" "$files/old/b/odd"$'\n\xff'
settle "$files"
reset
seq 4000 >"$files/old/only"
for action in delete hardlink "move:$TEST_FOLDER/moved"; do
	[ "$action" = delete ] || rm "$files/old/only"
	index "$files/old" "$files/new"
	runs 0 "$SIMKEEP" --keep=in:"$files/new" --action="$action" --yes --journal=journal "$files/old" "$files/new"
	up_to_date "$action"
	runs 0 "$SIMKEEP" --undo=journal --yes
	rmdir moved/* 2>/dev/null || true
	up_to_date "undoing $action"
	rm journal
	seq 4000 >"$files/old/only"
done

# ---- A row of a file that stays does not change ----
index "$files/old" "$files/new"
touch "$files/new/1" # so its copy stays
runs 2 "$SIMKEEP" --keep=in:"$files/new" --action=delete --yes --journal=journal "$files/old" "$files/new"
same "rows" 1 "$(sql "SELECT COUNT(*) FROM file WHERE HEX(directory) = HEX('$files/old/a/deep')")"
same "rows" 0 "$(sql "SELECT COUNT(*) FROM file WHERE HEX(directory) = HEX('$files/old/b')")"
runs 0 "$SIMKEEP" --undo=journal --yes
rm journal

# ---- The acts are done even if the index cannot be changed ----
if [ "$TEST_ENGINE" = sqlite ]; then
	copy_for_user "$SIMKEEP"
	chmod -R a+rwX "$files" "$TEST_FOLDER"
	chmod a-w "${TEST_URL#sqlite:}"*
	runs 2 as_user "$TEST_FOLDER/bin/simkeep" --keep=in:"$files/new" --action=delete --yes --journal=journal \
		"$files/old" "$files/new"
	said "simkeep: the index was not updated: cannot write to index $TEST_URL: the file and its folder must be writable"
	said "simkeep: to update the index: simhash $files/new $files/old"
	[ ! -e "$files/old/b" ] || fail "nothing was done"
	SIMHASH_DATABASE=sqlite:$TEST_FOLDER/none runs 0 as_user "$TEST_FOLDER/bin/simkeep" --undo=journal --yes
	same "messages" 0 "$(grep -c 'the index' err || true)"
fi
