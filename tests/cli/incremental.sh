#!/usr/bin/env bash
# Tests which files are scanned again, skipped and removed, and which are never removed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$files/one/deep" "$files/two" "$files/twofold"
for path in a.txt one/b.txt one/c.txt one/deep/d.txt two/e.txt twofold/f.txt; do
	seq 1000 >"$files/$path"
done
settle "$files"

names() {
	sql "SELECT name FROM file ORDER BY name" | tr '\n' ' '
}

runs 0 "$SIMHASH" "$files"
summary 6 0 0 0
runs 0 "$SIMHASH" "$files"
summary 0 6 0 0
runs 0 "$SIMHASH" --force "$files"
summary 6 0 0 0

# A file whose size changed, one with only a new time, and one without either.
seq 1001 >"$files/a.txt"
touch -d '2021-01-01' "$files/one/b.txt"
runs 0 "$SIMHASH" "$files"
summary 2 4 0 0
same "size" "$(stat -c %s "$files/a.txt")" "$(sql "SELECT size FROM file_text WHERE name = 'a.txt'")"

# Changed within the clock tick of its scan: the row is not reliable, so the file is scanned again.
seq 900 1900 >"$files/a.txt"
runs 0 "$SIMHASH" "$files"
summary 1 5 0 0
sql "UPDATE file SET scanned_at_ns = mtime_ns + 1000000 WHERE size = $(stat -c %s "$files/a.txt")"
runs 0 "$SIMHASH" "$files"
summary 1 5 0 0
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" "$files"
summary 0 6 0 0

# Two files of equal size and time exchange their names, which is noticed on file systems with
# lasting inodes.
tr 0-9 1-90 <"$files/one/b.txt" >"$files/one/b.other"
touch -r "$files/one/b.txt" "$files/one/b.other"
runs 0 "$SIMHASH" "$files"
mv "$files/one/b.txt" "$files/b" && mv "$files/one/b.other" "$files/one/b.txt" && mv "$files/b" "$files/one/b.other"
runs 0 "$SIMHASH" "$files"
case $(stat -f -c %T "$files") in
ext2/ext3 | xfs | btrfs | f2fs | bcachefs | zfs | tmpfs | overlayfs | nfs)
	same "files that exchanged their names and kept their rows" 0 \
		"$(sql "SELECT COUNT(*) FROM file WHERE name = X'$(printf b.txt | od -An -v -tx1 | tr -d ' \n')' AND inode <> $(stat -c %i "$files/one/b.txt")")"
	;;
*) not_tested "the inodes of temporary files do not last" ;;
esac
rm "$files/one/b.other"
runs 0 "$SIMHASH" "$files"

# Removed files and directories; a neighbour whose name only begins with the same letters stays.
rm "$files/one/c.txt"
rm -r "$files/two"
runs 0 "$SIMHASH" "$files"
summary 0 4 2 0
same "rows" "a.txt b.txt d.txt f.txt " "$(names)"

# A file that became a directory, a directory that became a file.
rm "$files/one/b.txt"
mkdir "$files/one/b.txt"
rm -r "$files/one/deep"
seq 1000 >"$files/one/deep"
settle "$files"
runs 0 "$SIMHASH" "$files"
summary 1 2 2 0
same "rows" "a.txt deep f.txt " "$(names)"

# Files outside the given path are ignored, removed or not.
rm "$files/twofold/f.txt"
runs 0 "$SIMHASH" "$files/one"
summary 0 1 0 0
same "rows" "a.txt deep f.txt " "$(names)"
runs 0 "$SIMHASH" "$files"
summary 0 2 1 0

# If a path is missing or not a file, nothing is removed.
mv "$files" "$files.away"
runs 1 "$SIMHASH" "$files"
said "$files: No such file or directory"
said "simhash: no PATH can be read; nothing is indexed or removed from the index"
mv "$files.away" "$files"
same "rows" "a.txt deep " "$(names)"
mkfifo "$TEST_FOLDER/fifo"
runs 1 "$SIMHASH" "$TEST_FOLDER/fifo"
said "$TEST_FOLDER/fifo: Neither a regular file nor a directory"

# Several paths: a path inside another one counts once, and a single file can be given.
runs 0 "$SIMHASH" "$files/one" "$files" "$files/a.txt" "$files"
summary 0 2 0 0
seq 7 >"$files/single"
settle "$files"
runs 0 "$SIMHASH" "$files/single"
summary 1 0 0 0
(cd "$files" && runs 0 "$SIMHASH" ./single ../files/one && summary 0 2 0 0)

# Symbolic links: not followed unless requested, each directory once, not out of the tree, and no
# loops.
reset
mkdir -p "$files/links" "$TEST_FOLDER/outside"
seq 500 >"$TEST_FOLDER/outside/o.txt"
ln -s "$TEST_FOLDER/outside" "$files/links/outside"
ln -s "$TEST_FOLDER/outside" "$files/links/outside.again"
ln -s .. "$files/links/up"
ln -s "$files/a.txt" "$files/links/to-a.txt"
ln -s nowhere "$files/links/dangling"
mkfifo "$files/links/fifo"
runs 0 "$SIMHASH" "$files"
summary 3 0 0 0
runs 0 "$SIMHASH" -L "$files"
same "rows with -L" "a.txt deep o.txt single to-a.txt " "$(names)"
ln -s loop "$files/links/loop"
runs 2 "$SIMHASH" -L "$files"
said "loop: Too many levels of symbolic links"

# A directory that is too large for cli.small_table to read in one piece.
reset
mkdir "$TEST_FOLDER/large" "$TEST_FOLDER/large/below"
seq 3000 | (cd "$TEST_FOLDER/large" && split -l 1 -a 4 -)
settle "$TEST_FOLDER/large"
runs 0 "$SIMHASH" "$TEST_FOLDER/large"
summary 3000 0 0 0
rm "$TEST_FOLDER"/large/xaa[a-c]?
seq 3 >"$TEST_FOLDER/large/xabaa"
seq 3 >"$TEST_FOLDER/large/new"
runs 0 "$SIMHASH" "$TEST_FOLDER/large"
summary 2 2921 78 0
same "rows of the large directory" 2923 "$(sql 'SELECT count(*) FROM file')"

# The same if it is a small part of the index: then its rows are requested instead of read ahead.
for directory in $(seq 50); do
	mkdir -p "$TEST_FOLDER/others/$directory"
	seq "$directory" >"$TEST_FOLDER/others/$directory/file"
done
settle "$TEST_FOLDER/others"
runs 0 "$SIMHASH" "$TEST_FOLDER/others"
summary 50 0 0 0
seq 2 >"$TEST_FOLDER/large/below/file"
rm "$TEST_FOLDER"/large/xac[a-c]?
seq 4 >"$TEST_FOLDER/large/xabaa"
settle "$TEST_FOLDER/large"
runs 0 "$SIMHASH" "$TEST_FOLDER/large"
summary 3 2843 78 0
runs 0 "$SIMHASH" "$TEST_FOLDER/others" "$TEST_FOLDER/large"
summary 0 2896 0 0
same "rows of all" 2896 "$(sql 'SELECT count(*) FROM file')"

# Hosts are separate, and each removes only its own rows.
reset
runs 0 "$SIMHASH" --host=alpha "$files"
runs 0 "$SIMHASH" --host=beta "$files"
summary 3 0 0 0
same "rows of two hosts" 6 "$(sql 'SELECT count(*) FROM file')"
rm "$files/single"
runs 0 "$SIMHASH" --host=beta "$files"
same "rows of two hosts" "alpha 3 beta 2" "$(sql "SELECT h.name, count(*) FROM file f
	JOIN host h ON h.id = f.host GROUP BY h.name ORDER BY h.name" | tr '|\n' '  ' | sed 's/ $//')"
same "pairs across hosts" 2 "$("$SIMFIND" --summary=none --host=alpha | grep -c ' beta:/')"

# Unreadable files are reported and counted, and never removed from the index.
[ "$TEST_ENGINE" = sqlite ] || exit 0
reset
chmod 755 "$TEST_FOLDER"
mkdir "$TEST_FOLDER/user" "$files/locked"
seq 300 >"$files/locked/l.txt"
seq 400 >"$files/secret.txt"
settle "$files"
chmod -R a+rX "$files"
chmod 777 "$TEST_FOLDER/user"
export SIMHASH_DATABASE=sqlite:$TEST_FOLDER/user/index.db
user_rows() {
	sqlite3 "$TEST_FOLDER/user/index.db" 'SELECT count(*) FROM file'
}
copy_for_user "$SIMHASH"
runs 0 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" --host=h "$files"
before=$(user_rows)
chmod 000 "$files/secret.txt" "$files/locked"
touch -d 2022-02-02 "$files/secret.txt"
runs 2 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" --host=h "$files"
said "$files/secret.txt: Permission denied"
said "$files/locked: Permission denied"
said " 2 failed;"
same "rows" "$before" "$(user_rows)"
same "mode of the index" 600 "$(stat -c %a "$TEST_FOLDER/user/index.db")"

# A directory that is left out and cannot be read may still contain its files: their rows stay, and
# nothing is reported.
chmod 755 "$files/locked"
mkdir "$files/locked/inner"
seq 500 >"$files/locked/inner/file"
runs 2 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" --host=h "$files"
before=$(user_rows)
chmod 000 "$files/locked"
runs 2 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" --host=h --exclude=locked "$files"
said " 0 removed, 1 failed;"
same "rows of left-out files" "$before" "$(user_rows)"
