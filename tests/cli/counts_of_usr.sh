#!/usr/bin/env bash
# The 16 counts and 6 keys of 2,000 files of /usr, read back through the
# engine's own client, equal those of the bit-by-bit oracle to the last digit.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Spread over the tree; the oracle reads a bit at a time, so nothing huge.
# Copies under numbers of their own let SQL order the rows as the oracle reads them.
find /usr -type f -size -1025k -print0 | LC_ALL=C sort -z >"$TEST_FOLDER/all"
step=$(($(tr -cd '\0' <"$TEST_FOLDER/all" | wc -c) / 2000))
[ "$step" -gt 0 ] || fail "fewer than 2,000 files below /usr"
sed -z -n "1~${step}p" "$TEST_FOLDER/all" | sed -z -n 1,2000p >"$TEST_FOLDER/list"
number=100000
while IFS= read -r -d '' path; do
	name=${path##*/}
	number=$((number + 1))
	cp "$path" "$files/$number-$name"
done <"$TEST_FOLDER/list"
same "files" 102000 "$number"

runs 0 "$SIMHASH" "$files"
find "$files" -type f -print0 | LC_ALL=C sort -z | "$ORACLE" counts >"$TEST_FOLDER/expected"
sql 'SELECT sum_00, sum_01, sum_02, sum_03, sum_04, sum_05, sum_06, sum_07,
            sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15,
            uniform, scatter, skew, uniform_ext, scatter_ext, skew_ext
     FROM file ORDER BY name' >"$TEST_FOLDER/found"
same "rows" 2000 "$(wc -l <"$TEST_FOLDER/found")"
cmp "$TEST_FOLDER/expected" "$TEST_FOLDER/found" ||
	fail "$(diff "$TEST_FOLDER/expected" "$TEST_FOLDER/found" | head -4)"
