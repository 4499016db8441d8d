#!/usr/bin/env bash
# Tests hard links: a file is read once, all its names are in the index, and they are not pairs
# unless requested.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# The bytes that a command and its children read, as the kernel counts them.
bytes_read() {
	bash -c '"$@" 2>err >&2; awk "/^rchar/ { print \$2 }" /proc/$$/io' _ "$@"
}
[ -r /proc/self/io ] || fail "the kernel does not count bytes read"

mkdir -p "$files"/{a,b,c}
random_bytes 40000000 1 >"$files/a/large"
for name in $(seq 50); do
	random_bytes 100000 "$((name + 1))" >"$files/a/$name.bin"
done
settle "$files"
single=$(bytes_read "$SIMHASH" -j 3 "$files")
reset
for directory in b c; do
	for file in "$files"/a/*; do
		ln "$file" "$files/$directory/$(basename "$file" .bin).$directory"
	done
done
cp -p "$files/a/1.bin" "$files/c/copy.bin"
for threads in 1 2 5; do
	reset
	linked=$(bytes_read "$SIMHASH" -j $threads "$files")
	[ "$linked" -lt $((single + single / 4)) ] ||
		fail "of three names each $linked bytes were read, of one $single, by $threads threads"
	same "rows" 154 "$(sql 'SELECT COUNT(*) FROM file')"
	same "contents" 51 "$(sql 'SELECT COUNT(DISTINCT content_hash) FROM file')"
	same "links" "153 1" "$(echo "$(sql 'SELECT COUNT(*) FROM file WHERE links = 3') $(sql 'SELECT COUNT(*) FROM file WHERE links = 1')")"
done
# Each row is the same as if the file were alone, except for the keys that depend on its name.
sql "SELECT path, size, content_hash, uniform, skew_ext, sum_00, sum_15, modified_utc FROM file_text ORDER BY path" >linked
reset
for file in "$files"/*/*; do
	"$SIMHASH" -q "$file"
done
sql "SELECT path, size, content_hash, uniform, skew_ext, sum_00, sum_15, modified_utc FROM file_text ORDER BY path" >alone
cmp linked alone || fail "rows differ: $(diff linked alone | head -4)"

# A second run knows all names, and adds a new link.
runs 0 "$SIMHASH" "$files"
summary 0 154 0 0
ln "$files/a/large" "$files/b/more"
runs 0 "$SIMHASH" "$files"
# The new name gets the row of the file, because its other names have the same inode, size and
# times.
summary 0 154 0 0 1
said ", 1 moved or linked, "
# ... and the other names, which are not read again, now have one more link.
same "links" 4 "$(sql 'SELECT COUNT(*) FROM file WHERE links = 4')"
rm "$files/b/more"
runs 0 "$SIMHASH" "$files"
summary 0 154 1 0
same "links" 153 "$(sql 'SELECT COUNT(*) FROM file WHERE links = 3')"

# Pairs. With equal extensions, as in the paper:
runs 0 "$SIMFIND" --verify=no -T 0
same "pairs" 1 "$(grep -c . out)"
grep -q "a/1.bin.*c/copy.bin" out || fail "the copy is not listed: $(cat out)"
# for any names, a file with many names is not a pair with itself:
runs 0 "$SIMFIND" -T 0
# (one pair, or three if the copy represents its content)
grep -q copy.bin out || fail "the copy is not listed"
grep -vq copy.bin out && fail "links are listed: $(cat out)"
runs 0 "$SIMFIND" -T 0 --group=none
same "all pairs" 3 "$(grep -c . out)"
runs 0 "$SIMFIND" -T 0 --group
same "groups" 1 "$(grep -c ^/ out)"
runs 0 "$SIMFIND" -T 0 "$files/a/2.bin"
same "pairs of one name" 0 "$(grep -c . out || true)"
runs 0 "$SIMFIND" -T 0 --group=none --also=hard-links
same "all pairs with links" $((3 * 50 + 6)) "$(grep -c . out)"
runs 0 "$SIMFIND" -T 0 --also=hard-links "$files/a/2.bin"
same "pairs of one name with links" 2 "$(grep -c . out)"

# Copies are counted by file, not by name.
same "copies" "100000|2|100000" "$(sql 'SELECT size, files, spare_bytes FROM duplicate')"

# Files on two disks with the same inode numbers are copies: each has one link.
sql "UPDATE file SET device = 1, inode = 7 WHERE links = 1"
cp "$files/c/copy.bin" "$files/c/copy2.bin"
runs 0 "$SIMHASH" "$files"
sql "UPDATE file SET device = 1, inode = 7 WHERE links = 1"
runs 0 "$SIMFIND" -T 0 --group=none
grep -q "copy.bin.*copy2.bin" out || fail "copies were taken for links"

# If links are followed, both names of a file are one file.
rm -rf "$files"
mkdir "$files"
seq 5000 >"$files/target.txt"
ln -s target.txt "$files/symbolic.txt"
cp "$files/target.txt" "$files/other.txt"
reset
runs 0 "$SIMHASH" -L "$files"
runs 0 "$SIMFIND" -T 0 --group=none
same "pairs through links" 2 "$(grep -c . out)"
grep -q 'symbolic.txt.*target.txt' out && fail "a link is a pair with its target"

# ... and their number of names is unknown, whether the file was read or got the row of another
# name.
for number in $(seq 20); do
	ln "$files/target.txt" "$files/hard.$number.txt"
done
reset
runs 0 "$SIMHASH" -L -j 3 "$files"
same "links where symbolic ones are followed" "23 0" "$(sql 'SELECT COUNT(*) FROM file') $(sql 'SELECT COUNT(*) FROM file WHERE links <> 0')"
exit 0
