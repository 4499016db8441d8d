#!/usr/bin/env bash
# Tests that a first load scans the largest files last. Before that, the other rows are committed,
# and SQLite's indexes by key are built.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

large=$((1 << 20)) # the minimum size of these files in bytes

sizes() { # of all files, in the order of reading
	sql 'SELECT size FROM file ORDER BY scanned_at_ns, size DESC'
}

# Small files above, next to and below large ones; names do not show the sizes.
mkdir -p "$files"/{a,b,c}/d
for number in $(seq 20); do
	for folder in . a b/d c; do
		echo "$number" >"$files/$folder/small-$number"
	done
done
for number in $(seq 20); do
	truncate -s $((large + (number * 7 % 20) * 4096)) "$files/b/$((number * 11 % 20)).large"
done
settle "$files"

runs 0 "$SIMHASH" -j 1 "$files"
summary 100 0 0 0
same "the large files, at the end" "$(seq $((large + 19 * 4096)) -4096 $large)" "$(sizes | tail -n 20)"

# Of 192 descriptors, 16 are for files that are read last.
reset
(
	ulimit -n 192
	runs 0 "$SIMHASH" -j 1 "$files"
)
same "the largest, at the end" "$(seq $((large + 19 * 4096)) -4096 $((large + 4 * 4096)))" \
	"$(sizes | tail -n 16)"
same "all rows" 100 "$(sql 'SELECT COUNT(*) FROM file')"

# A list of names does not have to end first.
reset
printf '%s\0' "$files/b/1.large" "$files/c/small-1" >"$TEST_FOLDER/list"
runs 0 "$SIMHASH" -j 1 --files0-from="$TEST_FOLDER/list"
same "the large file of a list" "$(stat -c %s "$files/b/1.large" "$files/c/small-1")" "$(sizes)"

# While a file is read that never ends, the small files are in the index.
is_ready() {
	[ "$TEST_ENGINE" != sqlite ] || [ -s "${TEST_URL#sqlite:}" ] || return 1
	[ "$(sql 'SELECT COUNT(*) FROM file' 2>/dev/null || echo 0)" = 80 ] || return 1
	[ "$TEST_ENGINE" != sqlite ] || [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE
		name IN ('file_cell', 'file_uniform')")" = 2 ]
}
truncate -s 1T "$files/endless"
reset
env --default-signal=INT "$SIMHASH" "$files" 2>"$TEST_FOLDER/err" &
pid=$!
trap 'kill -KILL "$pid" 2>/dev/null || true' EXIT
wait_until is_ready
kill -INT "$pid"
status=0
wait "$pid" || status=$?
same "status after SIGINT" $((128 + $(kill -l INT))) "$status"
said "interrupted; everything scanned so far is stored"
rm "$files/endless"
runs 0 "$SIMHASH" "$files"
summary 20 80 0 0
