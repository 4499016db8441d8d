#!/usr/bin/env bash
# All pairs, and the pairs of one file, equal brute force over all pairs: three
# keys and three tolerances, on real files, edited copies and exact copies.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Real files: headers are many of one kind, and small enough for the oracle.
find /usr/include /usr/share/doc -type f -size -40k -print0 | LC_ALL=C sort -z | sed -z -n 1,700p |
	while IFS= read -r -d '' path; do
		cp "$path" "$files/$(echo "${path#/usr/}" | tr / _)"
	done
# Copies, and copies with some bytes changed, appended and swapped.
number=0
find "$files" -type f -size +2k | LC_ALL=C sort | sed -n 1,120p | while IFS= read -r path; do
	number=$((number + 1))
	cp "$path" "$path.copy.txt"
	cp "$path" "${path%.*}.edited$number.${path##*.}"
	printf 'simhash%04d' "$number" |
		dd of="${path%.*}.edited$number.${path##*.}" conv=notrunc bs=1 seek=$((number * 7)) 2>/dev/null
	{ cat "$path"; printf 'a tail of %d' "$number"; } >"$path.longer"
	{ tail -c 1500 "$path"; head -c -1500 "$path"; } >"${path%.*}.moved.${path##*.}"
done
: >"$files/empty1"
: >"$files/empty2"

runs 0 "$SIMHASH" "$files"
find "$files" -type f -print0 | LC_ALL=C sort -z >"$TEST_FOLDER/list"

sorted() {
	IFS= read -r header
	echo "$header"
	LC_ALL=C sort -t, -k6,6 -k7,7
}

key_number=(uniform scatter skew uniform_ext scatter_ext skew_ext)
total=0
for key in 0 2 5; do
	for tolerance in 0.1 1 3.25; do
		millionths=$(awk "BEGIN { printf \"%d\", $tolerance * 1000000 }")
		"$ORACLE" pairs "$key" "$millionths" <"$TEST_FOLDER/list" | sorted >expected.csv
		runs 0 "$SIMFIND" -k "${key_number[$key]}" -T "$tolerance" --format=csv -o all.csv
		sorted <all.csv >found.csv
		cmp expected.csv found.csv ||
			fail "key ${key_number[$key]}, $tolerance %: $(diff expected.csv found.csv | head -4)"
		# Asking for every file, all at once: again each pair once.
		xargs -0 "$SIMFIND" -q -k "${key_number[$key]}" -T "$tolerance" --format=csv \
			<"$TEST_FOLDER/list" | sorted >found.csv
		cmp expected.csv found.csv ||
			fail "by file, key ${key_number[$key]}, $tolerance %: $(diff expected.csv found.csv | head -4)"
		total=$((total + $(wc -l <expected.csv) - 1))
	done
done
[ "$total" -gt 2000 ] || fail "only $total pairs in all: the files are no test"
grep -q ^identical expected.csv || fail "no identical pair"

# One file alone, in the index and not in it.
one=$(find "$files" -name '*.copy.txt' | LC_ALL=C sort | sed -n 1p)
"$ORACLE" pairs 0 1000000 <"$TEST_FOLDER/list" | grep -F "$one" | LC_ALL=C sort >expected.csv
"$SIMFIND" -q -k uniform --format=csv "$one" | tail -n +2 | LC_ALL=C sort >found.csv
cmp expected.csv found.csv || fail "one file: $(diff expected.csv found.csv | head -4)"
[ -s expected.csv ] || fail "the file has no pairs"
mkdir outside
cp "$one" outside/stranger.txt
lines=$("$SIMFIND" -q -k uniform --format=csv outside/stranger.txt | tail -n +2 | wc -l)
same "pairs of a copy outside the index" "$(($(wc -l <expected.csv) + 1))" "$lines"

# Empty files only on request.
same "empty files unasked" 0 "$("$SIMFIND" -q | grep -c empty || true)"
runs 0 "$SIMFIND" --empty --format=csv
grep -q "^identical,0,0.000000,0,0,$files/empty1,$files/empty2" "$TEST_FOLDER/out" ||
	fail "the empty files are not a pair with --empty"
