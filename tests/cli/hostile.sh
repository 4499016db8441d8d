#!/usr/bin/env bash
# Tests an index that somebody else made, or that is damaged: every command ends soon and within
# limits, with its answer or with a message that names the index, and its output has no control
# byte.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

limit_s=20
limit_kib=$((4 << 20)) # address space
if built_with sanitizer; then
	limit_s=60
	limit_kib=unlimited # a sanitizer reserves terabytes
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1 NO_COLOR=1

# Some similar files, some different ones, and a compressed one.
mkdir "$files/deep"
for number in 1 2 3 4 5 6; do
	seq $((number * 10)) $((number * 10 + 3000)) >"$files/similar$number.txt"
	seq "$number" "$number" $((number * 1000)) >"$files/deep/other$number"
done
cp "$files/similar1.txt" "$files/deep/copy.txt"
seq 3000 >"$files/deep/packed"
gzip "$files/deep/packed"
settle "$files"
base=$TEST_FOLDER/base.db
"$SIMHASH" -qz -d "sqlite:$base" "$files"

index=$TEST_FOLDER/hostile.db
export SIMHASH_DATABASE=sqlite:$index

# Commands that read and commands that may write: the words after the index.
readers=(find:-j2 "find:$files/similar1.txt" find:--group
	"find:--nearest=3 $files/similar2.txt" find:--format=csv find:--format=json find:--format=jsonl
	find:--format=html find:--format=null find:--verify=read "find:--verify=all" "keep:--action=script:script.sh"
	find:--verify=no find:--min-resemblance=0.7 "find:--min-resemblance=0.7 $files/similar1.txt" "find:--same-extension --min-resemblance=0.5"
	"find:--group=none --candidates=skew --also=empty" "find:--between $files $files/deep" find:--group=single
	"find:--partition=2/3" hash:--status)
writers=("hash:-z $files" "hash:--copy-to=sqlite:target.db" "hash:--forget $files/deep"
	"hash:--force $files")

# try ATTACK PROGRAM:WORDS
try() {
	local attack=$1 program=$SIMFIND status=0 words
	case ${2%%:*} in
	hash) program=$SIMHASH ;;
	keep) program=$SIMKEEP ;;
	esac
	read -r -a words <<<"${2#*:}"
	rm -f target.db script.sh
	(
		ulimit -v "$limit_kib"
		within "$limit_s" "$program" "${words[@]}"
	) >out 2>err </dev/null || status=$?
	case $status in
	0 | 2) ;;
	1)
		grep -qE 'sqlite:|table |index|tag set' err ||
			fail "$attack: '$2' does not explain the error: $(head -c 300 err)"
		;;
	*) fail "$attack: '$2' ended with $status: $(head -c 3000 err)" ;;
	esac
	! grep -qE 'Sanitizer|runtime error' err || fail "$attack: '$2': $(head -c 3000 err)"
	[ "$(LC_ALL=C tr -d '\n -~\200-\377' <err | head -c 1 | wc -c)" = 0 ] ||
		fail "$attack: '$2' writes control bytes: $(head -c 300 err | od -c | head -20)"
	case $2 in
	find:--format=null | *html | *csv) ;;
	*)
		[ "$(LC_ALL=C tr -d '\n -~\200-\377' <out | head -c 1 | wc -c)" = 0 ] ||
			fail "$attack: '$2' shows control bytes: $(head -c 300 out | od -c | head -20)"
		;;
	esac
}

# One command after another, of the ones that read or that write.
number=0
try_next() {
	local commands=("${readers[@]}" "${writers[@]}" "${writers[@]}" "${writers[@]}")
	try "$1" "${commands[number++ % ${#commands[@]}]}"
}

fresh() {
	rm -rf "$index" "$index"-wal "$index"-shm "$index"-journal
	cp "$base" "$index"
}

# change SQL: run statements of the attacker with everything that the SQLite shell allows
change() {
	sqlite3 -batch "$index" "PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; $1" \
		>/dev/null || fail "the attack does not work: $1"
}

# attack NAME SQL [COMMAND]...
attack() {
	local name=$1 statements=$2 command
	shift 2
	# If no commands are given, the next three reading commands run on each attack.
	[ $# -gt 0 ] || {
		set -- hash:--status "${writers[@]}"
		for _ in 1 2 3; do
			set -- "${readers[number++ % ${#readers[@]}]}" "$@"
		done
	}
	fresh
	[ -z "$statements" ] || change "$statements"
	cp "$index" attacked.db
	for command in "$@"; do
		try "$name" "$command"
		case $command in
		hash:--status | find:*) ;;
		*) cp attacked.db "$index" && rm -f "$index"-wal "$index"-shm ;;
		esac
	done
}
refused() {
	grep -q "^simhash: " err || fail "$1 is not refused"
}

attack "nothing" "" "${readers[@]}" "${writers[@]}"

# ---- Types: the table without its constraints, with each wrong type in each column ----
loose="DROP VIEW similar_file; DROP VIEW similar_pair; DROP VIEW near_file; DROP VIEW near_pair;
	DROP VIEW key_space; DROP VIEW run_text; DROP VIEW file_text; DROP VIEW duplicate;
	DROP VIEW extension_statistics;
	CREATE TABLE loose AS SELECT * FROM file; DROP TABLE file; ALTER TABLE loose RENAME TO file;
	CREATE UNIQUE INDEX file_key ON file (tag_set, host, path_hash);"
attack "loose" "$loose"
cp attacked.db loose.db
for column in $(sqlite3 "$base" "SELECT name FROM pragma_table_info('file')"); do
	for value in "'text'" "X'00ff'" NULL 9223372036854775807; do
		cp loose.db "$index"
		rm -f "$index"-wal "$index"-shm
		sqlite3 "$index" "DROP INDEX file_key; UPDATE file SET $column = $value WHERE rowid % 3 = 0;
			CREATE UNIQUE INDEX IF NOT EXISTS file_key ON file (tag_set, host, path_hash)" 2>/dev/null || true
		try_next "$column = $value"
	done
done
for table in host tag_set tag scan_run directory schema_version; do
	for column in $(sqlite3 "$base" "SELECT name FROM pragma_table_info('$table')"); do
		for value in "'text'" 1.5 NULL -1; do
			fresh
			change "${loose%%CREATE*} CREATE TABLE loose AS SELECT * FROM $table; DROP TABLE $table;
				ALTER TABLE loose RENAME TO $table; UPDATE $table SET $column = $value"
			try_next "$table.$column = $value"
		done
	done
done

# ---- Numbers ----
sums=$(for t in 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do printf 'sum_%s = %%s, ' "$t"; done)
big=9223372036854775807
# all_sums VALUE
all_sums() {
	echo "${sums//%s/$1}"
}
attack "negative numbers" "UPDATE file SET size = -size, $(all_sums -1) mtime_ns = -1, links = -1"
attack "negative sizes of contents" "UPDATE file SET compressed_size = -1"
attack "sums over 64 bits" "UPDATE file SET $(all_sums $big) size = $big, uniform = $big, scatter = $big,
	skew = $big, uniform_ext = $big, scatter_ext = $big, skew_ext = $big" "${readers[@]}" "${writers[@]}"
attack "sums over 64 bits that differ" "UPDATE file SET $(all_sums "$big - abs(random() % 1000)") size = $big,
	uniform = $big, scatter = $big, skew = $big, uniform_ext = $big, scatter_ext = $big, skew_ext = $big,
	content_hash = randomblob(16)" "${readers[@]}" "${writers[@]}"
attack "sizes over 64 bits in all" "UPDATE file SET size = $big, mtime_ns = -$big, scanned_at_ns = $big"
attack "sizes of contents over 64 bits" "UPDATE file SET compressed_size = $big, size = $big"
attack "runs of negative times and counts" "UPDATE scan_run SET started_at_ns = -$big, finished_at_ns = $big,
	files = -1, bytes = -$big, errors = $big"
attack "all copies of one" "UPDATE file SET content_hash = zeroblob(16), size = 1000, $(all_sums 1)
	uniform = 16, links = 2, device = 1, inode = random()"

# ---- Hashes, and ids of missing rows ----
for hash in "X''" "zeroblob(15)" "zeroblob(1000000)"; do
	attack "path hash $hash" "UPDATE OR REPLACE file SET path_hash = $hash"
	attack "content hash $hash" "UPDATE file SET content_hash = $hash"
	attack "directory hash $hash" "UPDATE OR REPLACE directory SET directory_hash = $hash"
done
attack "no hosts" "DELETE FROM host"
attack "no tag sets" "DELETE FROM tag_set"
attack "no tags" "DELETE FROM tag"
attack "no directories" "DELETE FROM directory"
attack "no runs" "DELETE FROM scan_run"
attack "another host" "UPDATE file SET host = 7; UPDATE scan_run SET host = -1"
attack "another tag set" "UPDATE file SET tag_set = 7; UPDATE scan_run SET tag_set = $big"
attack "tags of no weight" "UPDATE tag SET uniform = -1, scatter = 0, skew = $big"
attack "one pattern" "UPDATE tag SET pattern = 257"
attack "too few tags" "DELETE FROM tag WHERE position > 3"
attack "a last number" "INSERT INTO host VALUES ($big, 'last'); INSERT INTO tag_set VALUES ($big, 'last');
	INSERT INTO scan_run VALUES ($big, 1, 1, X'2f', 0, 0, 0, 0, 0)" "${writers[@]}" "hash:--host=next $files"
attack "many hosts and tag sets" "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
	INSERT INTO host SELECT i, 'host' || i FROM n;
	WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
	INSERT INTO tag_set SELECT i, 'set' || i FROM n"

# ---- Names ----
control="char(27) || ']0;title' || char(7) || char(10) || char(13) || char(155) || '</script><b onload=x>' || x'ff'"
attack "control bytes everywhere" "UPDATE file SET directory = '/' || $control, name = $control || hex(path_hash),
	extension = $control; UPDATE directory SET path = '/' || $control || hex(directory_hash);
	UPDATE host SET name = $control; UPDATE tag_set SET name = $control;
	UPDATE scan_run SET root = $control" "${readers[@]}" "${writers[@]}"
fresh
change "UPDATE file SET directory = '/' || $control, name = $control || hex(path_hash); UPDATE host SET name = $control"
runs 0 "$SIMFIND" --format=html -o report.html
same "markup in the report" 0 "$(grep -c '<b onload' report.html)"
same "control bytes in the report" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <report.html | wc -c)"
attack "slashes and zeros" "UPDATE file SET directory = X'', name = X'2f2e2e2f002f' || path_hash"
attack "relative paths" "UPDATE file SET directory = CAST('../..' AS BLOB), name = CAST('..' AS BLOB)"
attack "files that are none" "UPDATE file SET directory = CAST('/dev' AS BLOB), name = CAST('zero' AS BLOB)"
attack "error message" "UPDATE file SET directory = X'1b5b33316d0a', uniform = 1"
attack "enormous names" "UPDATE file SET directory = zeroblob(100000000), name = zeroblob(100000000)
	WHERE name = 'similar1.txt'; UPDATE directory SET path = CAST('/' || hex(zeroblob(50000000)) AS BLOB)" \
	find:-j1 "find:$files/similar1.txt" "hash:$files"
attack "enormous names of hosts" "UPDATE host SET name = hex(zeroblob(50000000));
	UPDATE tag_set SET name = hex(zeroblob(50000000))" find:-j1 hash:--status

# ---- Versions ----
attack "a version to come" "INSERT INTO schema_version VALUES (99)" && refused "a version to come"
attack "no version" "DELETE FROM schema_version"
attack "no table of versions" "DROP TABLE schema_version" && refused "an index without versions"
attack "a version before the first" "UPDATE schema_version SET version = -version" && refused "a version before the first"
attack "an enormous version" "INSERT INTO schema_version VALUES ($big)" && refused "an enormous version"
attack "version 1 of the tables of 5" "DELETE FROM schema_version WHERE version > 1"

# ---- Objects that are not tables ----
for table in file directory host tag_set tag scan_run schema_version measure sketch; do
	attack "a view in place of $table" "${loose%%CREATE*} ALTER TABLE $table RENAME TO other;
		CREATE VIEW $table AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
		SELECT other.* FROM n, other"
	grep -q "hostile.db.*: table $table in it is not a plain table" err || fail "$table: the error is not explained: $(cat err)"
done
attack "a view of itself" "${loose%%CREATE*} DROP TABLE file; CREATE VIEW file AS SELECT * FROM file"
attack "a virtual table" "${loose%%CREATE*} DROP TABLE host; CREATE VIRTUAL TABLE host USING fts5(id, name)"
attack "generated columns" "${loose%%CREATE*} DROP TABLE host; CREATE TABLE host (id INTEGER PRIMARY KEY,
	name TEXT AS (hex(zeroblob(400000000)))); INSERT INTO host(id) VALUES (1), (2), (3)" \
	find:-j1 hash:--status "hash:$files"
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
for event in "INSERT ON file" "UPDATE ON file" "DELETE ON file" "UPDATE ON scan_run" "INSERT ON directory"; do
	attack "triggers, $event" "CREATE TRIGGER t BEFORE $event BEGIN DELETE FROM host; DELETE FROM schema_version; END;
		CREATE TRIGGER l BEFORE $event BEGIN SELECT load_extension('/tmp/no-such'); END;
		CREATE TRIGGER e AFTER $event BEGIN $endless; END" "${writers[@]}"
	[ ! -s err ] || ! grep -q '^simhash: ' err || fail "triggers, $event: $(cat err)"
done
attack "an index on a function" "CREATE INDEX costly ON file (hex(zeroblob(size * 1000)))" "${writers[@]}"
attack "statistics that lie" "ANALYZE; UPDATE sqlite_stat1 SET stat = '1 1 1 1 1 1'"
attack "a table defined by nonsense" "UPDATE sqlite_schema SET sql = 'CREATE TABLE file (x' WHERE name = 'file'"
attack "a root page of another table" "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
	WHERE name = 'host') WHERE name = 'file'"
attack "an index of another order" "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
	WHERE name = 'file_cell') WHERE name = 'file_uniform'"
attack "a page outside" "UPDATE sqlite_schema SET rootpage = 123456789 WHERE name = 'directory'"

# ---- Files that are not databases ----
# instead NAME COMMAND...: the command replaces the index with something else
instead() {
	local name=$1 command
	shift
	for command in find:-j1 hash:--status "${writers[@]:0:2}"; do
		rm -rf "$index" "$index"-*
		"$@"
		try "$name" "$command"
	done
}
instead "an empty file" touch "$index"
instead "text" cp "$files/similar1.txt" "$index"
instead "a directory" mkdir "$index"
instead "a FIFO" mkfifo "$index"
instead "an endless device" ln -s /dev/zero "$index"
instead "a link to nothing" ln -s nowhere "$index"
rm -f nowhere nowhere-*
instead "a link to itself" ln -s hostile.db "$index"
for size in 1 99 512 4096 8192 20000 40960 $(($(stat -c %s "$base") - 1)); do
	instead "the first $size bytes" sh -c "head -c $size '$base' >'$index'"
done
other_wal() {
	cp "$base" "$index"
	cp other.wal "$index-wal"
}
cp "$base" other.db
# The log of another database whose writer was killed.
sqlite3 other.db "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; DELETE FROM host;
	INSERT INTO host VALUES (1, hex(zeroblob(5000)))" ".shell cp other.db-wal other.wal" >/dev/null
[ -s other.wal ] || fail "no log of another database"
instead "the log of another database" other_wal

# ---- Flipped bytes, always the same ones ----
size=$(stat -c %s "$base")
RANDOM=4711
for flip in $(seq 60); do
	cp "$base" "$index"
	rm -f "$index"-*
	at=$(((RANDOM << 15 | RANDOM) % size))
	[ $((flip % 4)) -ne 0 ] || at=$((at % 4096))
	printf '%b' "\\x$(printf %02x $((RANDOM & 255)))" | dd of="$index" bs=1 seek=$at conv=notrunc status=none
	try_next "flip $flip at $at"
done

# ---- Read permission ----
for mask in 000 022 077; do
	(
		umask "$mask"
		rm -rf private && mkdir private
		"$SIMHASH" -q -d sqlite:private/index.db "$files"
		"$SIMHASH" -q -d sqlite:private/index.db --copy-to=sqlite:private/copy.db
		# While a connection is open, its additional files exist.
		sqlite3 private/index.db "BEGIN IMMEDIATE; DELETE FROM host; ROLLBACK" ".shell ls private" >/dev/null
		cp -p private/index.db private/kept.db
		"$SIMHASH" -q -d sqlite:private/index.db --force "$files" &
		while kill -0 $! 2>/dev/null; do
			find private -type f -perm /077 >>open 2>/dev/null || true
		done
		wait $!
	)
	same "files that others may read, umask $mask" "" "$(cat open)"
done
