#!/usr/bin/env bash
# Compares the 16 counts and 6 keys of 2,000 files, read with the engine's own client, with the
# bit-by-bit oracle. All but 200 files are made for this test.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Numbers before the names make SQL sort the rows in the order of the oracle.
make_tree --files=1800 --sizes=1-60000 made
# Also a sample of real files in /usr.
find /usr -type f -readable -size -1025k -print0 | LC_ALL=C sort -z >usr
step=$(($(tr -cd '\0' <usr | wc -c) / 200))
[ "$step" -gt 0 ] || fail "fewer than 200 files below /usr"
number=100000
{
	find made -type f -print0 | LC_ALL=C sort -z
	sed -z -n "1~${step}p" usr | sed -z -n 1,200p
} >list
while IFS= read -r -d '' path; do
	number=$((number + 1))
	cp "$path" "$files/$number-${path##*/}"
done <list
same "files" 102000 "$number"

runs 0 "$SIMHASH" "$files"
find "$files" -type f -print0 | LC_ALL=C sort -z | "$ORACLE" counts >expected
sql 'SELECT sum_00, sum_01, sum_02, sum_03, sum_04, sum_05, sum_06, sum_07,
            sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15,
            uniform, scatter, skew, uniform_ext, scatter_ext, skew_ext
     FROM file ORDER BY name' >found
same "rows" 2000 "$(wc -l <found)"
cmp expected found || fail "$(diff expected found | head -4)"
