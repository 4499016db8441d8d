#!/usr/bin/env bash
# Tests resemblance sketches: which rows have them, and that they match the content.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

zeros=$(printf '%0256d' 0)

# The sketch of each row and its name in digits; "none" for NULL. An empty value is a sketch of
# zeros.
stored() {
	${1:-sql} "SELECT CASE WHEN resemblance_sketch IS NULL THEN 'none' WHEN LENGTH(resemblance_sketch) = 0
			THEN '$zeros' ELSE LOWER(HEX(resemblance_sketch)) END, LOWER(HEX(name))
		FROM file ORDER BY name"
}
# Standard input in hexadecimal digits.
in_hex() {
	od -An -v -tx1 | tr -d ' \n'
}
# computed FILE [NAME]: the same, computed from the complete content in memory
computed() {
	printf '%s|%s\n' "$(printf '%s\0' "$1" | "$SKETCHES_OF")" "$(printf %s "${2:-${1##*/}}" | in_hex)"
}
in_order() {
	LC_ALL=C sort -t '|' -k 2
}
# all_right WHAT [SQL]: check that the rows equal the file `expected`
all_right() {
	stored "${2:-sql}" | in_order >stored
	cmp expected stored || fail "$1: $(diff expected stored | cut -c 1-300 | head -5)"
}
without() {
	sql "SELECT COUNT(*) FROM file WHERE resemblance_sketch IS NULL"
}

# Sizes at which a level, a buffer, a block, a unit of a shared file, or a shared file begins; runs
# of one byte, which are not sampled in large files; another name.
random_bytes 20000000 1 >"$TEST_FOLDER/random"
for size in 0 1 15 16 17 1038 1039 1040 2063 4096 65550 65551 65552 69632 262143 262144 262145 262159 \
	524288 1048576 16777215 16777216 16777217 16777231 17039360 17039364 17039390 20000000; do
	head -c "$size" "$TEST_FOLDER/random" >"$files/r$size"
done
truncate -s 100000 "$files/z100000"
truncate -s 33000000 "$files/z33000000"
seq 3000000 >"$files/text"
ln "$files/r1040" "$files/r1040.link"
settle "$files"
total=$(find "$files" -type f | wc -l)
for file in "$files"/*; do
	computed "$file"
done | in_order >expected

pieces="SELECT HEX(content_hash), is_text, size, HEX(value) FROM pieces ORDER BY 1, 2, 3"
for threads in 8 3 2 1; do
	reset
	runs 0 "$SIMHASH" -j $threads "$files"
	all_right "$threads threads"
	sql "$pieces" >"pieces by $threads"
	cmp "pieces by 8" "pieces by $threads" || fail "$threads threads give other pieces"
done
# Of the 28 contents of random bytes, 20 have at least 2,063 bytes; and the text.
same "contents with pieces" 21 "$(wc -l <"pieces by 8")"
same "empty values" "r0 r1 r15 z100000 z33000000" "$(sql "SELECT HEX(name) FROM file
	WHERE LENGTH(resemblance_sketch) = 0 ORDER BY name" |
	python3 -c 'import sys; print(*(bytes.fromhex(line).decode() for line in sys.stdin))')"
runs 0 "$SIMHASH" "$files"
summary 0 "$total" 0 0
runs 0 "$SIMHASH" --status
grep -Eq " sample +$total +$total " out || fail "--status: $(cat out)"

# Pieces are made for files that lack them, and other densities only with --force.
reset
runs 0 "$SIMHASH" --pieces=no "$files"
same "pieces if none are wanted" "0 0" "$(sql "SELECT COUNT(*) FROM pieces") $(sql "SELECT SUM(pieces) FROM file")"
runs 0 "$SIMHASH" --pieces=no "$files"
summary 0 "$total" 0 0
runs 0 "$SIMHASH" "$files"
lacking=$(find "$files" -type f -size +2047c | wc -l)
summary "$lacking" $((total - lacking)) 0 0
said "$lacking unchanged files scanned again to complete the index"
sql "$pieces" | cmp "pieces by 8" - || fail "other pieces after a run without them"
runs 0 "$SIMHASH" --pieces=16384 "$files"
summary 0 "$total" 0 0
runs 0 "$SIMHASH" --pieces=16384 --force "$files"
size_of() {
	sql "SELECT LENGTH(value) FROM pieces WHERE size = $1"
}
[ $((3 * $(size_of 20000000))) -lt "$(sed -n 's/.*|20000000|//p' "pieces by 8" | wc -c)" ] ||
	fail "a quarter of the pieces takes $(size_of 20000000) bytes"
runs 0 "$SIMHASH" --pieces=no --force "$files"
same "pieces after a run without them" 0 "$(sql "SELECT COUNT(*) FROM pieces")"
runs 0 "$SIMHASH" --force "$files"
sql "$pieces" | cmp "pieces by 8" - || fail "other pieces again"
runs 1 "$SIMHASH" --pieces=64 "$files"
said "--pieces"
all_right "runs with other pieces"

# A sketch stays in an index if no run requests it, and is removed with the content.
runs 0 "$SIMHASH" --no-sketch "$files"
summary 0 "$total" 0 0
all_right "a run without sketches over unchanged files"
runs 0 "$SIMHASH" --no-sketch --measure=minhash "$files"
summary "$total" 0 0 0
all_right "a run without sketches that reads unchanged files again"
runs 0 "$SIMHASH" --forget --measure=minhash
seq 3000001 >"$files/text"
settle "$files"
runs 0 "$SIMHASH" --no-sketch "$files"
same "rows without sketches" 1 "$(without)"
runs 0 "$SIMHASH" --status
grep -Eq " sample +$total +$((total - 1)) " out || fail "--status: $(cat out)"
runs 0 "$SIMHASH" "$files"
said "1 unchanged file scanned again to complete the index"
summary 1 $((total - 1)) 0 0
{ grep -v "|$(printf text | in_hex)$" expected; computed "$files/text"; } | in_order >changed
mv changed expected
all_right "a changed file"

# An index of version 6: an interrupted run begins to complete it, and another run finishes.
older() {
	drop_version_8
	sql "DELETE FROM schema_version WHERE version = 7"
	sql "ALTER TABLE file DROP COLUMN resemblance_sketch"
}
older
if [ "$TEST_ENGINE" != sqlite ]; then # as the update adds it
	sql "ALTER TABLE file ADD COLUMN resemblance_sketch VARBINARY(128), ALGORITHM = INSTANT"
	sql "ALTER TABLE file DROP COLUMN resemblance_sketch"
fi
runs 1 "$SIMFIND"
said "has schema version 6, but this program needs $(newest_version): run simhash on it once"
runs 0 "$SIMHASH" --no-sketch "$files"
summary 0 "$total" 0 0
same "rows without sketches" "$total" "$(without)"
older
runs 0 "$SIMHASH" "$files/text"
same "rows without sketches" "$((total - 1))" "$(without)"
# A signal at the moment when a sanitizer looks for leaks would stop it for ever.
ASAN_OPTIONS=detect_leaks=0 timeout -s INT 0.2 "$SIMHASH" "$files" 2>err || true
if grep -q "interrupted; everything scanned so far is stored, and the next run continues" err; then
	done_already=$((total - $(without)))
	runs 0 "$SIMHASH" "$files"
	summary $((total - done_already)) "$done_already" 0 0
elif grep -q scanned err; then # the run ended before the signal
	summary $((total - 1)) 1 0 0
else # the signal came before the program could handle it
	runs 0 "$SIMHASH" "$files"
fi
all_right "an older index"
runs 0 "$SIMHASH" --force --no-sketch "$files"
same "rows without sketches" "$total" "$(without)"
rm "$files"/{r167*,r170*,r20000000,z33000000}
runs 0 "$SIMHASH" "$files"
total=$(find "$files" -type f | wc -l)
said "$total unchanged files scanned again to complete the index"
for file in "$files"/*; do
	computed "$file"
done | in_order >expected
all_right "all files again"

# The content of gzip files.
mkdir "$files/packed"
for name in r65551 r16 text r0; do
	gzip -n <"$files/$name" >"$files/packed/$name.gz"
	computed "$files/packed/$name.gz"
	computed "$files/$name" "$name.gz//$name"
done >>expected
in_order <expected >in_order
mv in_order expected
settle "$files/packed"
runs 0 "$SIMHASH" -z "$files"
all_right "gzip files"

# A copy of an index, to another engine and back, including rows without a sketch.
mkdir "$files/bare"
for number in $(seq 40); do
	random_bytes $((number * 40)) "$number" >"$files/bare/b$number"
	[ $((number % 3)) = 0 ] && computed "$files/bare/b$number" && continue
	printf 'none|%s\n' "$(printf %s "b$number" | in_hex)"
done >>expected
in_order <expected >in_order
mv in_order expected
settle "$files/bare"
seq -f "$files/bare/b%g" 3 3 40 | tr '\n' '\0' >third
runs 0 "$SIMHASH" --files0-from=third
runs 0 "$SIMHASH" --no-sketch "$files"
all_right "rows without sketches among others"
in_copy() {
	sqlite3 -batch -noheader -separator '|' copy.db "$1"
}
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
all_right "a copy" in_copy
reset
runs 0 "$SIMHASH" -d sqlite:copy.db --copy-to="$TEST_URL"
all_right "a copy of the copy"
runs 0 "$SIMHASH" -d sqlite:copy.db --copy-to="$TEST_URL"
said "0 of $(sql 'SELECT COUNT(*) FROM file') rows copied"

# The output of --print, for a file and for standard input.
for name in text r1040 r0; do
	"$SIMHASH" --print "$files/$name" | awk '$1 == "sketch" { print $2 }' >printed
	"$SIMHASH" --print - <"$files/$name" | awk '$1 == "sketch" { print $2 }' >>printed
	printf '%s\0' "$files/$name" "$files/$name" | "$SKETCHES_OF" | cmp - printed ||
		fail "--print of $name"
done

# A value that is not a sketch.
sql "UPDATE file SET resemblance_sketch = X'00' WHERE HEX(name) = HEX('text')"
runs 1 "$SIMHASH" --copy-to=sqlite:other.db
said "table file: the resemblance sketch of $files/text is damaged (1 bytes); scan it again with simhash --force"
