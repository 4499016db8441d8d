#!/usr/bin/env bash
# Tests that rows of different tag sets are in one index and never compared with each other.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a.txt"
seq 1000 >"$files/b.txt"
for tag in 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 30; do
	echo "$tag 1.5 2"
done >numbers.txt
{ echo "# the same, but for its name"; echo "name twins"; cat numbers.txt; } >twins.txt
sed 's/^30 1.5 2/30 1.5 2.001/' numbers.txt >other.txt

runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" -t numbers.txt "$files"
summary 2 0 0 0
same "rows" "numbers 2 sample 2" "$(sql "SELECT t.name, count(*) FROM file f JOIN tag_set t
	ON t.id = f.tag_set GROUP BY t.name ORDER BY t.name" | tr '|\n' '  ' | sed 's/ $//')"
same "tags stored" "48|1500|2000" "$(sql "SELECT pattern, scatter, skew FROM tag JOIN tag_set t
	ON t.id = tag_set WHERE t.name = 'numbers' AND position = 15")"
same "pairs of the sample" 1 "$("$SIMFIND" --summary=none | wc -l)"
same "pairs of the numbers" 1 "$("$SIMFIND" --summary=none -t numbers.txt | wc -l)"

# The sum of 30s, the digit 0 in the output of seq, counted by another program.
zeros=$(tr -cd 0 <"$files/a.txt" | wc -c)
[ "$(sql "SELECT sum_15 FROM file_text WHERE tag_set = 'numbers' AND name = 'a.txt'")" -ge "$zeros" ] ||
	fail "fewer 30s than zeros"

# Removing affects only rows of the same tag set.
rm "$files/b.txt"
runs 0 "$SIMHASH" -t numbers.txt "$files"
said " 1 removed,"
same "rows" 3 "$(sql 'SELECT count(*) FROM file')"

# The same tags under another name are the same set; other tags cannot use the name.
runs 0 "$SIMHASH" -t twins.txt --force "$files"
same "sets" 2 "$(sql 'SELECT count(*) FROM tag_set')"
mkdir elsewhere
cp other.txt elsewhere/numbers.txt
runs 1 "$SIMHASH" -t elsewhere/numbers.txt "$files"
said "the index has other tags under the name 'numbers': give the tag set another name"
runs 0 "$SIMHASH" -t other.txt "$files"
same "sets" 3 "$(sql 'SELECT count(*) FROM tag_set')"

# If simfind needs a set that the index lacks, it lists the existing ones.
sed 's/^30/31/' numbers.txt >absent.txt
runs 0 "$SIMFIND" -t absent.txt
said "simfind: note: the index has no files of tag set 'absent', only of 'sample', 'numbers', 'other'; use --tag-set=FILE"

# simkeep uses the built-in tags or, without them, the only other set.
cp "$files/a.txt" "$files/b.txt"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMKEEP"
grep -q "^1 file is a copy; " out || fail "no copy: $(cat out)"
reset
runs 0 "$SIMHASH" -t numbers.txt "$files"
runs 0 "$SIMKEEP" --keep=newest
grep -q "$files/a.txt" out || fail "no copies by the only tags: $(cat out)"
runs 0 "$SIMHASH" -t other.txt "$files"
runs 1 "$SIMKEEP"
said "simkeep: the index has files by the tag sets 'numbers' and 'other', and none by the built-in tags; index the files once more: simhash PATH"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMKEEP" --keep=newest
grep -q "$files/a.txt" out || fail "no copies by the built-in tags: $(cat out)"

# Malformed sets.
sed 's/^0a 1.5/0a 1.5.5/' numbers.txt >bad.txt
runs 1 "$SIMHASH" -t bad.txt "$files"
said "simhash: bad.txt:10:4: expected a weight such as 1.28, found '1.5.5'"
runs 1 "$SIMHASH" -t /no/such "$files"
said "cannot read /no/such: No such file or directory"
