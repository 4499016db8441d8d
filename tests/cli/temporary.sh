#!/usr/bin/env bash
# Temporary files of SQLite, where it sorts rows, that cannot be written: the message names their
# folder and not the index.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$TEST_FOLDER/temporary"
export TMPDIR=$TEST_FOLDER/temporary
for i in 1 2 3 4; do
	seq "$i" 300 >"$files/$i"
done
runs 0 "$SIMHASH" "$files"
# More rows than SQLite sorts in memory.
columns=$(sql "SELECT group_concat(name) FROM pragma_table_info('file') WHERE name NOT IN ('path_hash', 'name')")
sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
	INSERT INTO file (path_hash, name, $columns)
	SELECT randomblob(16), CAST(name || '.' || i AS BLOB), $columns FROM file, n"
same "rows" 60004 "$(sql 'SELECT COUNT(*) FROM file')"

# At most 1 MiB may be written to a file.
for option in --threads=1 --group; do
	(ulimit -f 1024 && runs 1 "$SIMFIND" $option)
	said "simfind: cannot write a temporary file in $TMPDIR, where SQLite sorts the rows of index $TEST_URL: File too large; set TMPDIR to a folder with more room"
	same "lists" "" "$(cat out)"
	same "temporary files" "" "$(ls -A "$TMPDIR")"
done
# With room, the same command succeeds.
runs 0 "$SIMFIND" -q --threads=1 --limit=1
same "lines" 1 "$(wc -l <out)"
