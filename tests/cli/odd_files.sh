#!/usr/bin/env bash
# Tests trees on a file system with unusual answers, simulated by a preloaded library: see
# odd_files.c.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# index STATUS [OPTION]... PATH...
index() {
	local expected=$1
	shift
	runs "$expected" env LD_PRELOAD="$ODD_FILES" "$SIMHASH" "$@"
}
contents() {
	sql "SELECT COUNT(DISTINCT content_hash) FROM file"
}
# plant NAME...: make settled files with different contents; their sizes depend on the length of
# their names
plant() {
	local name
	rm -rf "$files"
	for name; do
		mkdir -p "$(dirname "$files/$name")"
		(printf %s "$name" && seq 1000) >"$files/$name"
	done
	settle "$files"
	reset
}

# ---- One inode for several files ----
plant twin twin.size twin.other twin.time
touch -d '2021-01-01 00:00:00' "$files/twin.time" # the same size as twin.other
for threads in 1 3; do
	reset
	index 0 -j $threads "$files"
	same "contents of files with one inode" 4 "$(contents)"
	same "rows with wrong sizes" 0 "$(sql "SELECT COUNT(*) FROM file_text WHERE size <> LENGTH(name) + 3893")"
done
# Equal size and time, but a different status.
plant twin.1 twin.2
next_tick
chmod 600 "$files/twin.2"
index 0 "$files"
same "contents of files with one inode, size and time" 2 "$(contents)"
# Inflated content.
plant twin.a twin.bcd
gzip -n "$files"/*
index 0 -z "$files"
same "contents of packed files with one inode" 4 "$(contents)"

# ---- Inode numbers that change each time ----
plant fuse/new_inode.1 fuse/new_inode.2 fuse/new_inode.3
next_tick
index 0 "$files"
summary 3 0 0 0
index 0 "$files"
summary 0 3 0 0
mv "$files/fuse/new_inode.1" "$files/fuse/x"
mv "$files/fuse/new_inode.2" "$files/fuse/new_inode.1"
mv "$files/fuse/x" "$files/fuse/new_inode.2"
next_tick # otherwise the run after the next one reads them again
index 0 "$files"
summary 2 1 0 0
index 0 "$files"
summary 0 3 0 0

# ---- A failure hides no other files ----
# The entries of a directory in which one fails; `more` comes before or after it, depending on the
# order.
for name in eio estale eoverflow; do
	plant a "$name" z more/x
	runs 0 "$SIMHASH" "$files"
	seq 99 >"$files/more/y"
	seq 98 >"$files/new"
	settle "$files"
	index 2 "$files"
	summary 2 3 0 1
	said "$files/$name: "
	same "rows" 6 "$(sql 'SELECT COUNT(*) FROM file')"
	rm "$files/a"
	index 2 "$files"
	runs 0 "$SIMHASH" "$files"
	same "rows" 5 "$(sql 'SELECT COUNT(*) FROM file')"
done
# The second part of a directory cannot be read, and its files are not treated as removed.
for name in broken.{enoent,eio,status,place}; do
	mapfile -t many < <(seq -f "$name/%03g" 100)
	plant "${many[@]}" "$name/below/x" z/x a/x
	runs 0 "$SIMHASH" "$files"
	seq 98 >"$files/z/new"
	settle "$files"
	index 2 "$files"
	same "rows" 104 "$(sql 'SELECT COUNT(*) FROM file')"
	case $name in
	*.enoent) said "$files/$name: No such file or directory" ;;
	*) said "$files/$name: Input/output error" ;;
	esac
	grep -q '^1 scanned.* 0 removed, 1 failed' err || fail "summary: $(tail -n 1 err)"
done
# A directory that is opened again for its subdirectories, because many others are open.
deep=$(printf 'level/%.0s' {1..40})faded
plant "$deep"/{a,b,c}/x
for directory in $(cd "$files" && find . -type d -name level); do
	mkdir "$files/$directory/"{a,b,c,d} # some of them wait, so their parent stays open
	seq 97 >"$files/$directory/a/x"
done
runs 0 "$SIMHASH" "$files"
found=$(sql 'SELECT COUNT(*) FROM file')
(ulimit -n 64 && index 2 -j1 "$files")
grep -q "/faded/[abc]: Input/output error" err || fail "no report of a directory below: $(cat err)"
same "rows" "$found" "$(sql 'SELECT COUNT(*) FROM file')"

# A file system that does not answer.
plant a dead/x dead/below/x z/x
tar -C "$files" -cf "$files/dead/members.tar" a
runs 0 "$SIMHASH" -z "$files"
index 2 "$files"
summary 0 2 0 1
said "$files/dead: "
index 0 -x "$files"
summary 0 2 0 0
index 0 -xL "$files"
summary 0 2 0 0
same "rows" 6 "$(sql 'SELECT COUNT(*) FROM file')"

# A PATH below a path that fails.
plant eio/below/x eio/file z
index 2 "$files" "$files/eio/below" "$files/eio/file"
summary 3 0 0 1
index 2 "$files" "$files/eio"
summary 0 1 0 1

# ---- Directories that contain themselves ----
# ends FILES: a walk ends, reports one directory, and indexes at most this many files
ends() {
	index 2 "$files"
	same "directories not entered" "$2" "$(grep -o 'Not entered: .*' err)"
	[ "$(sql "SELECT COUNT(*) FROM file")" -le "$1" ] || fail "files: $(sql "SELECT COUNT(*) FROM file")"
}
alike="Not entered: it and the levels above it are all equal, as if it contained itself"
plant file a/b/file a/itself/none
ends 2 "Not entered: it is the directory 1 level above it"
plant file a/file a/endless/none
ends 20 "$alike"
# ... with times that change at each level.
plant file a/file a/endless.now/none
ends 90 "$alike"
# Without files, only the length of the path ends the walk. Rows below it would not be removed.
name=endless.$(printf '%0200d' 0)
plant file a/file a/below/file "a/below/x/$name/none"
runs 0 "$SIMHASH" "$files"
ends 4 "Not entered: its path has more than 32768 bytes"
same "rows below a directory without an end" 1 "$(sql "SELECT COUNT(*) FROM file WHERE name = X'$(printf none | od -An -v -tx1 | tr -d ' \n')'")"
# Many levels that are only similar are walked.
path=$files/deep
for number in $(seq 20); do
	path=$path/d
	mkdir -p "$path"
	echo "$number" >"$path/f"
done
settle "$files/deep"
runs 0 "$SIMHASH" "$files/deep"
summary 20 0 0 0

# ---- Files that disappear while simfind looks for missing ones: they may have been moved ----
# disappears NAME: it makes the status 3, although all other files exist elsewhere
disappears() {
	same "status without $1" 3 "$(
		LD_PRELOAD=$ODD_FILES "$SIMFIND" --missing --summary=none "$files/old" >"$TEST_FOLDER/out" 2>&1
		echo $?
	)"
	grep -qF "$files/old/$1  cannot be read: No such file or directory" "$TEST_FOLDER/out" || fail "$(cat "$TEST_FOLDER/out")"
}
plant old/file old/x/vanished
mkdir "$files/new"
cp -pR "$files/old/." "$files/new"
reset
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMFIND" --missing "$files/old"
disappears x/vanished
mv "$files/old/x" "$files/old/vanished"
runs 0 "$SIMHASH" -q "$files"
disappears vanished
exit 0
