#!/usr/bin/env bash
# Trees whose file system answers oddly, by a library that is preloaded: see odd_files.c.
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
# plant NAME...: settled files of different contents, their sizes by the length of their names
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
touch -d '2021-01-01 00:00:00' "$files/twin.time" # twin.other has the same size
for threads in 1 3; do
	reset
	index 0 -j $threads "$files"
	same "contents of files with one inode" 4 "$(contents)"
	same "sizes of rows that are not those of their files" 0 "$(sql "SELECT COUNT(*) FROM file_text WHERE size <> LENGTH(name) + 3893")"
done
# Of one size and time, but not of one status.
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

# ---- Inodes that are another number each time ----
plant fuse/new_inode.1 fuse/new_inode.2 fuse/new_inode.3
next_tick
index 0 "$files"
summary 3 0 0 0
index 0 "$files"
summary 0 3 0 0
mv "$files/fuse/new_inode.1" "$files/fuse/x"
mv "$files/fuse/new_inode.2" "$files/fuse/new_inode.1"
mv "$files/fuse/x" "$files/fuse/new_inode.2"
index 0 "$files"
summary 2 1 0 0
index 0 "$files"
summary 0 3 0 0
exit 0
