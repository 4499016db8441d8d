#!/usr/bin/env bash
# Tests that a list in any order is stored like the sorted list, by a program that sorts little at a
# time and keeps the rest in temporary files. If a path occurs twice, the last line counts. After a
# killed import, it can be repeated.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export TMPDIR=$TEST_FOLDER/temporary
mkdir "$TMPDIR"
seq 300 >"$files/a.txt"
# The format without an end mark, because the lines are combined in many ways.
"$SIMHASH" --print --format=digest "$files/a.txt" | sed -E '1s/5$/1/; $d; s/^(([^ ]+ ){4})[^ ]+(.*) [^ ]*$/\1-\3/' >one
head -n 19 one >heading
# The tables of a server are created only once.
fresh() {
	if [ "$TEST_ENGINE" = sqlite ]; then
		reset
	else
		runs 0 "$SIMHASH" -q --forget --host=there /
	fi
}

# lines COUNT: lines for this number of files
lines() {
	python3 - "$(tail -n 1 one)" "$1" <<'SCRIPT'
import sys
fields = sys.argv[1].split(" ")
for number in range(int(sys.argv[2])):
    fields[6] = "/there/%d/of/%d/file%d.txt" % (number // 1000, number // 20, number)
    fields[1] = str(number)
    print(*fields)
SCRIPT
}

shape="SELECT hex(path_hash), hex(directory), hex(name), size, mtime_ns, hex(content_hash), sum_05, skew_ext FROM file ORDER BY path_hash"
# stored FILES: import standard input, and check that the index contains the files of the lines.
stored() {
	runs 0 "$SIMHASH" --import=- --host=there
	said "$1 files imported"
	same "temporary files" "" "$(ls -A "$TMPDIR")"
	sql "$shape" | cmp rows - || fail "rows differ from the sorted list"
	same "directories" "$directories" "$(sql 'SELECT COUNT(*), COUNT(DISTINCT path) FROM directory')"
}

lines 500 >lines
cat heading lines >list
runs 0 "$SIMHASH" --import=list --host=there
sql "$shape" >rows
directories=$(sql 'SELECT COUNT(*), COUNT(DISTINCT path) FROM directory')
same "rows" 500 "$(wc -l <rows)"
runs 0 "$SIMHASH" --export=whole --host=there
sed -E '1s/5$/1/; $d; s/^(([^ ]+ ){4})[^ ]+(.*) [^ ]*$/\1-\3/' whole >exported
sed 1,19d exported | LC_ALL=C sort | cmp - <(LC_ALL=C sort lines) || fail "another list than was imported"

echo "In order, backwards, mixed, and once more"
fresh
stored 500 <exported
fresh
{ cat heading && sed 1,19d exported | tac; } | stored 500
fresh
{ cat heading && LC_ALL=C sort -t' ' -k2,2r lines; } >mixed
stored 500 <mixed
stored 500 <mixed
fresh
{ cat heading && sed 1,200d lines && sed 200q lines; } | stored 500
same "hosts" 1 "$(sql 'SELECT COUNT(*) FROM host')"

echo "The last line of a path counts"
fresh
{ cat heading && awk '{ $2 = 77; print }' lines && sed 1,19d mixed; } | stored 500
awk '{ $2 = 77; print }' lines | { cat mixed - && sed 1,19d exported; } | stored 500

echo "Refused lists"
fresh
{ cat mixed && echo x; } >damaged
runs 1 "$SIMHASH" --import=damaged --host=there
said "damaged:520:1: expected a number"
said "500 files imported"
sql "$shape" | cmp rows - || fail "not all lines before the damage are stored"
fresh
runs 1 env TMPDIR="$TEST_FOLDER/nowhere" "$SIMHASH" --import=mixed --host=there
said "cannot write a temporary file in $TEST_FOLDER/nowhere (TMPDIR can be a folder with more room): No such file or directory"
stored 500 <mixed

echo "Killed"
lines 4500 | LC_ALL=C sort -t' ' -k2,2r | cat heading - >mixed
fresh
runs 0 "$SIMHASH" -q --import=mixed --host=there
sql "$shape" >rows
directories=$(sql 'SELECT COUNT(*), COUNT(DISTINCT path) FROM directory')
is_stored() {
	[ "$TEST_ENGINE" != sqlite ] || [ -s "${TEST_URL#sqlite:}" ] || return 1
	[ "$(sql 'SELECT COUNT(*) FROM file' 2>/dev/null || echo 0)" -ge "$1" ]
}
# If temporary files need a name for a moment, a program killed at this moment leaves an empty file.
left=()
python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$TMPDIR" 2>/dev/null || left=(-size +0)
for least in 0 1; do
	fresh
	"$SIMHASH" -q --import=mixed --host=there &
	pid=$!
	until is_stored "$least" || ! kill -0 "$pid" 2>/dev/null; do
		sleep 0.01
	done
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" || true
	same "temporary files" "" "$(find "$TMPDIR" -type f "${left[@]}")"
	find "$TMPDIR" -type f -delete
	[ "$least" = 0 ] || runs 0 "$SIMFIND" --summary=none --limit=3
	stored 4,500 <mixed
done
[ "$TEST_ENGINE" != sqlite ] ||
	same "indexes" "directory_path directory_text file_cell file_uniform" "$(sql "SELECT group_concat(name, ' ')
		FROM (SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('file', 'directory') AND sql IS NOT NULL ORDER BY name)")"
