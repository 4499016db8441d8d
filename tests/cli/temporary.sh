#!/usr/bin/env bash
# Tests that rows and pairs that do not fit into --limits=memory are in temporary files: the lists
# are the same, the memory stays below the limit, no file is left, and if there is no space, the
# message names the folder.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$TEST_FOLDER/temporary"
export TMPDIR=$TEST_FOLDER/temporary
for i in 1 2 3 4; do
	seq "$i" 300 >"$files/$i"
done
runs 0 "$SIMHASH" "$files"
# More rows than fit into the smallest --limits=memory.
columns=$(sql "SELECT group_concat(name) FROM pragma_table_info('file') WHERE name NOT IN ('path_hash', 'name')")
sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
	INSERT INTO file (path_hash, name, $columns)
	SELECT randomblob(16), CAST(name || '.' || i AS BLOB), $columns FROM file, n"
same "rows" 120004 "$(sql 'SELECT COUNT(*) FROM file')"

# The peak memory of a command in KiB; the output of simfind goes to "list".
peak() {
	[ "$1" != "$SIMFIND" ] || set -- "$@" -o list
	"$BINARY_DIR/tests/measure" measured "$@" -q || fail "$*"
	cut -d " " -f 3 measured
}
for options in "--threads=1" "--threads=3"; do
	read -ra words <<<"$options"
	whole=$(peak "$SIMFIND" "${words[@]}")
	mv list expected
	small=$(peak "$SIMFIND" "${words[@]}" --limits=memory=32M)
	cmp list expected || fail "$options: --limits=memory changes the list"
	same "temporary files" "" "$(ls -A "$TMPDIR")"
	echo "$options: $whole KiB, and $small KiB with --limits=memory=32M"
	built_with sanitizer || [ "$small" -lt "$whole" ] || fail "$options: --limits=memory=32M takes $small KiB"
done

# Many rows within reach of each other do not add up, and neither do threads: sixteen threads with
# separate blocks would use twice as much.
if ! built_with sanitizer; then
	"$BINARY_DIR/tests/rows" make "$SIMHASH_DATABASE" sqlite:dense.db 60000 || fail "rows"
	whole=$(peak "$SIMFIND" --database=sqlite:dense.db --threads=1)
	mv list expected
	small=$(peak "$SIMFIND" --database=sqlite:dense.db --threads=16 --limits=memory=32M)
	cmp list expected || fail "dense rows: --limits=memory changes the list"
	[ "$(wc -l <list)" -gt 10000 ] || fail "dense rows: few pairs"
	echo "dense rows: $whole KiB, and $small KiB with --limits=memory=32M"
	[ "$small" -lt 53248 ] || fail "dense rows: --limits=memory=32M takes $small KiB"
	# Each file of a group is stored once, and pairs are in a file until their groups are made.
	for option in --group --directories; do
		small=$(peak "$SIMFIND" --database=sqlite:dense.db --threads=1 --limits=memory=32M "$option")
		echo "dense rows, $option: $small KiB"
		[ "$small" -lt 53248 ] || fail "dense rows: $option takes $small KiB"
	done
fi

# A list that is many times larger than the part sorted at once, with many equal lines, is the same
# as a list sorted in memory.
mkdir "$TEST_FOLDER/family"
"$BINARY_DIR/tests/files" family "$TEST_FOLDER/family" 1300 2048 || fail "files"
"$SIMHASH" -q --database=sqlite:family.db "$TEST_FOLDER/family" || fail "the family"
runs 0 "$SIMFIND" -q --database=sqlite:family.db --threads=3 -o expected
runs 0 "$SIMFIND" -q --database=sqlite:family.db --threads=3 --limits=memory=32M -o list
cmp list expected || fail "a long list: --limits=memory changes the order"
same "pairs" $((1300 * 1299 / 2)) "$(wc -l <list)"
sed 's/^[^0-9]*//; s/ .*//' list >shares
sort -c -n -r shares || fail "a long list: not in order"
[ "$(uniq -c shares | sort -n | tail -1 | awk '{ print $1 }')" -gt 100000 ] || fail "a long list: few ties"
(ulimit -f 1024 && runs 1 "$SIMFIND" --database=sqlite:family.db --limits=memory=32M)
said "simfind: cannot write a temporary file in $TMPDIR (TMPDIR can be a folder with more room): File too large"
runs 0 "$SIMFIND" -q --database=sqlite:family.db --directories -o expected
runs 0 "$SIMFIND" -q --database=sqlite:family.db --directories --limits=memory=32M -o list
cmp list expected || fail "directories: --limits=memory changes them"
[ -s list ] || fail "directories: none are alike"

# Lines sorted in dozens of parts need one file, not one for each part.
if ! built_with sanitizer; then
	runs 0 "$SIMFIND" -q --database=sqlite:family.db --format=csv --sort=path -o expected
	(ulimit -n 20 && runs 0 "$SIMFIND" -q --database=sqlite:family.db --format=csv --sort=path --limits=memory=32M -o list)
	cmp list expected || fail "few open files: --limits=memory changes the list"
	[ "$(wc -c <list)" -gt 100000000 ] || fail "few open files: a short list"
fi

# Groups that do not fit into memory are in a file without a name: every format and order lists the
# same, including a thousand copies of one file.
"$BINARY_DIR/tests/rows" make "$SIMHASH_DATABASE" sqlite:groups.db 100000 || fail "rows"
# Lineage compares the names of many pairs.
"$BINARY_DIR/tests/rows" make "$SIMHASH_DATABASE" sqlite:lineage.db 25000 || fail "rows"
listed() { # FILE [OPTION...]: the list with these options, without the time and the command
	local index=groups.db
	[[ "$*" != *=lineage* ]] || index=lineage.db
	runs 0 "$SIMFIND" --summary=none --threads=2 --database=sqlite:$index "${@:2}"
	sed 's/"made":.*"tolerance":/"tolerance":/' out >"$1"
}
lists=("--group" "--group=lineage --format=jsonl --limit=2000")
# Under a sanitizer, each takes ten seconds or more.
built_with sanitizer || lists+=("--group --format=json --sort=-similarity" "--group --format=csv --sort=size --limit=9000"
	"--group=single --format=null --sort=files" "--format=html --sort=path")
for options in "${lists[@]}"; do
	read -ra words <<<"$options"
	listed expected "${words[@]}"
	listed list "${words[@]}" --limits=memory=32M
	cmp list expected || fail "$options: --limits=memory changes the list"
	[ "$(wc -c <list)" -gt 100000 ] || fail "$options: a short list"
	same "temporary files" "" "$(ls -A "$TMPDIR")"
done
for memory in 512M 32M; do
	cp groups.db stored.db
	runs 0 "$SIMFIND" -q --group --database=sqlite:stored.db --store=0 --limits=memory=$memory
	sqlite3 stored.db "SELECT hex(path_hash), group_id, role, distance, resemblance FROM file_group ORDER BY 1" >"stored.$memory"
done
cmp stored.512M stored.32M || fail "--store: --limits=memory changes the groups"
[ "$(wc -l <stored.32M)" -gt 40000 ] || fail "--store: few rows"

# When a signal ends the list, no such file is left.
mkfifo lines
exec 8<>lines
"$SIMFIND" --summary=none --group --database=sqlite:groups.db --limits=memory=32M >lines &
listing=$!
trap 'kill "$listing"' EXIT
read -r line <&8
[[ $line == made:/made/*"B" ]] || fail "the first line is '$line'"
readlink "/proc/$listing/fd/"* | has "^$TMPDIR/.* (deleted)\$" || fail "no group waits in a file"
same "names of temporary files" "" "$(ls -A "$TMPDIR")"
kill -TERM "$listing"
status=0
wait "$listing" || status=$?
trap - EXIT
same "the status" 143 "$status"
same "temporary files" "" "$(ls -A "$TMPDIR")"
exec 8<&-

# A few groups need no file, and no folder for one.
for format in text json jsonl csv null html; do
	TMPDIR=$TEST_FOLDER/none runs 0 "$SIMFIND" --summary=none --database=sqlite:family.db --group --format=$format
	[ -s out ] || fail "$format: no groups of a family"
done

# At most 1 MiB may be written to a file.
for options in "--threads=1" "--threads=3" "--group"; do
	(ulimit -f 1024 && runs 1 "$SIMFIND" --limits=memory=32M "$options")
	said "simfind: cannot write a temporary file in $TMPDIR (TMPDIR can be a folder with more room): File too large"
	same "lists" "" "$(cat out)"
	same "temporary files" "" "$(ls -A "$TMPDIR")"
done
# Without the folder, no file can be created.
TMPDIR=$TEST_FOLDER/none runs 1 "$SIMFIND" --limits=memory=32M
said "simfind: cannot write a temporary file in $TEST_FOLDER/none (TMPDIR can be a folder with more room): No such file or directory"
# With enough space, the same command succeeds.
runs 0 "$SIMFIND" --summary=none --threads=1 --limit=1
same "lines" 1 "$(wc -l <out)"
