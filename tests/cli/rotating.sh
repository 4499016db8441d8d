#!/usr/bin/env bash
# Tests the order in which files of rotating disks are read. A preloaded library simulates the disks,
# and writes what is read: see rotating.c.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export READS=$TEST_FOLDER/reads
count=1000

# plant FOLDER SEED: files at the places 1 to $count, in random order in 40 directories. 4 of them
# have a second name.
plant() {
	python3 - "$1" "$count" "$2" <<-'END'
		import os, random, sys
		folder, count, chance = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
		numbers = list(range(1, count + 1))
		chance.shuffle(numbers)
		for number in numbers:
		    name = f"{folder}/{chance.randrange(40)}/{number}.data"
		    os.makedirs(os.path.dirname(name), exist_ok=True)
		    with open(name, "wb") as file:
		        file.write(chance.randbytes(chance.randrange(1, 3000)))
		    if number % 250 == 0:
		        os.makedirs(f"{folder}/again", exist_ok=True)
		        os.link(name, f"{folder}/again/{number}.data")
	END
	settle "$1"
}

# index [VARIABLE=VALUE]... PROGRAM [OPTION]... PATH...: index into an empty index
index() {
	reset
	rm -f "$READS"
	runs 0 env LD_PRELOAD="$ROTATING" "$@"
}

# Print the COLUMN of the files that were read, in this order.
read_in_order() {
	awk -v column="$1" '$1 == "begin" { print $column }' "$READS"
}

# Print how often the order of a column goes back.
descents() {
	read_in_order "$1" | awk '$1 < last { n++ } { last = $1 } END { print n + 0 }'
}

# Print how many files of one device were read at once.
at_once() {
	awk '$1 == "begin" && ++n[$2] > most { most = n[$2] } $1 == "end" { n[$2]-- } END { print most + 0 }' "$READS"
}

rows() {
	sql "SELECT path, size, links, content_hash FROM file_text ORDER BY path"
}

# sorted WHAT: one thread read all files of the last run in the order of their places
sorted() {
	same "$1: files" "$count" "$(read_in_order 3 | sort -u | wc -l)"
	same "$1: descents" 0 "$(descents 3)"
	same "$1: read at once" 1 "$(at_once)"
	same "$1: rows" "$expected" "$(rows)"
}

# unsorted WHAT: the last run did not use places
unsorted() {
	same "$1: places" 0 "$(grep -c '^place' "$READS" || true)"
	[ "$(descents 3)" -gt $((count / 10)) ] || fail "$1: the files were sorted"
	same "$1: rows" "$expected" "$(rows)"
}

plant "$files" 1
runs 0 "$SIMHASH" -q "$files"
expected=$(rows)

# ---- The order ----
for threads in 1 4; do
	index "$SIMHASH" -q -j $threads "$files"
	sorted "$threads threads"
done
index ROTATIONAL=0 "$SIMHASH" -q -j 4 --limits=disk=1 "$files"
sorted "an order on request"
index NO_PLACES=1 "$SIMHASH" -q -j 4 "$files"
same "without places: descents of inodes" 0 "$(descents 4)"
same "without places: read at once" 1 "$(at_once)"
same "without places: rows" "$expected" "$(rows)"
(cd "$files" && find . -type f -print0) >"$TEST_FOLDER/list"
(cd "$files" && index "$SIMHASH" -q -j 4 --files0-from="$TEST_FOLDER/list")
sorted "a list"

# ---- No order ----
index ROTATIONAL=0 "$SIMHASH" -q -j 4 "$files"
unsorted "flash"
index DRIVER=virtio1 "$SIMHASH" -q -j 4 "$files"
unsorted "a virtual disk"
index "$SIMHASH" -q -j 4 --limits=disk=0 "$files"
unsorted "no order on request"
index CACHED=1 "$SIMHASH" -q -j 4 "$files"
unsorted "files in the page cache"

# ---- Windows: only files of one window are sorted ----
index "$SMALL_WINDOWS" -q -j 4 "$files"
same "small windows: files" "$count" "$(read_in_order 3 | sort -u | wc -l)"
[ "$(descents 3)" -ge 1 ] || fail "there was only one window"
[ "$(descents 3)" -le 8 ] || fail "there were $(descents 3) windows"
same "small windows: read at once" 1 "$(at_once)"
same "small windows: rows" "$expected" "$(rows)"

# ---- Another run: changed, removed and moved files ----
find "$files" -name '*7.data' -exec sh -c 'echo changed >>"$1"; touch -d "2020-01-02 00:00:00" "$1"' sh {} \;
find "$files" -name '*8.data' -delete
mv "$files/3" "$files/moved"
rm -f "$READS"
runs 0 env LD_PRELOAD="$ROTATING" "$SMALL_WINDOWS" -q -j 4 "$files"
same "changed files" $((count / 10)) "$(read_in_order 3 | sort -u | wc -l)"
same "changed files: read at once" 1 "$(at_once)"
found=$(rows)
reset
runs 0 "$SIMHASH" -q "$files"
same "rows after a second run" "$(rows)" "$found"

# ---- Two disks are read at once; each with one thread ----
other=$(mktemp -d /dev/shm/simhash-XXXXXX 2>/dev/null || true)
trap 'rm -rf "$other"' EXIT
if [ -z "$other" ] || [ "$(stat -c %d "$other")" = "$(stat -c %d "$files")" ]; then
	not_tested "two disks: /dev/shm is not another file system"
else
	plant "$other" 2
	index MEET=1 "$SIMHASH" -q -j 2 "$files" "$other"
	same "two disks: read at once" 1 "$(at_once)"
fi
