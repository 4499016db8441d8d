#!/usr/bin/env bash
# Resemblance sketches: which rows have them, and that they are those of the content.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# The sketch of each row as the index has it, "none" or 256 digits, and the file's name. A sketch
# that is stored as an empty value is one of zeros.
zeros=$(printf '%0256d' 0)
stored() {
	sql "SELECT CASE WHEN resemblance_sketch IS NULL THEN 'none' WHEN LENGTH(resemblance_sketch) = 0
			THEN '$zeros' ELSE LOWER(HEX(resemblance_sketch)) END, LOWER(HEX(name))
		FROM file ORDER BY name"
}
# computed FILE...: the same by the library from the whole contents in memory
computed() {
	local file
	for file in "$@"; do
		printf '%s|%s\n' "$(printf '%s\0' "$file" | "$SKETCHES_OF")" \
			"$(printf %s "${file##*/}" | xxd -p -c 0)"
	done | LC_ALL=C sort -t '|' -k 2
}
# all_right WHAT
all_right() {
	stored | LC_ALL=C sort -t '|' -k 2 >stored
	cmp expected stored || fail "$1: $(diff expected stored | cut -c 1-300 | head -5)"
}
without() {
	sql "SELECT COUNT(*) FROM file WHERE resemblance_sketch IS NULL"
}

# Sizes at which a level, a buffer, a block, or a file that all threads read begins and ends; runs
# of one byte, which have no shingle in large files.
random_bytes 20000000 1 >"$TEST_FOLDER/random"
for size in 0 1 15 16 17 1038 1039 1040 2063 4096 65550 65551 65552 69632 262143 262144 262145 262159 \
	524288 1048576 16777215 16777216 16777217 16777231 17039360 17039364 17039390 20000000; do
	head -c "$size" "$TEST_FOLDER/random" >"$files/r$size"
done
truncate -s 100000 "$files/z100000"
truncate -s 33000000 "$files/z33000000"
seq 3000000 >"$files/text"
settle "$files"
computed "$files"/* >expected

for threads in 1 2 3 8; do
	reset
	runs 0 "$SIMHASH" -j $threads "$files"
	all_right "$threads threads"
done
same "empty values" "r0 r1 r15 z100000 z33000000" "$(sql "SELECT HEX(name) FROM file
	WHERE LENGTH(resemblance_sketch) = 0 ORDER BY name" | xxd -r -p | sed 's/\([rz]\)/ \1/g; s/^ //')"
