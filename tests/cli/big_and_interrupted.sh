#!/usr/bin/env bash
# Tests a sparse file of 5 GB, and runs that are interrupted or killed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

size=$((5 * 1024 * 1024 * 1024 + 3))
truncate -s "$size" "$files/sparse.img"
runs 0 "$SIMHASH" "$files"
same "5 GB of zeros" "$size|$size|0|$size|$((6 * size))" \
	"$(sql 'SELECT size, sum_00, sum_01, uniform, skew FROM file')"
rm "$files/sparse.img"

# Many files, so that runs can be interrupted between them.
mkdir "$files/many"
for number in $(seq 20); do
	mkdir "$files/many/$number"
	seq "$number" 1 $((number + 20000)) | split -l 100 -a 4 - "$files/many/$number/f"
	truncate -s 100M "$files/many/$number/zeros"
done
settle "$files"
total=$(find "$files" -type f | wc -l)

# Start it so that SIGINT is not ignored, which it is for background jobs of a shell.
start() {
	reset
	env --default-signal=INT "$SIMHASH" "$files" 2>"$TEST_FOLDER/err" &
	pid=$!
}

# A first load of SQLite has no indexes by key. They must exist after the next run, no matter how
# the last one ended.
complete() {
	runs 0 "$SIMHASH" "$files"
	[ "$TEST_ENGINE" != sqlite ] || same "indexes" "directory_path directory_text file_cell file_uniform" "$(sql "
		SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('file', 'directory')
		AND sql IS NOT NULL ORDER BY name" | tr '\n' ' ' | sed 's/ $//')"
	same "rows after a completed run" "$total" "$(sql 'SELECT count(*) FROM file')"
	runs 0 "$SIMHASH" "$files"
	summary 0 "$total" 0 0
}

is_stored() { # ROWS
	[ "$TEST_ENGINE" != sqlite ] || [ -s "${TEST_URL#sqlite:}" ] || return 1
	[ "$(sql 'SELECT count(*) FROM file' 2>/dev/null || echo 0)" -ge "$1" ]
}

# stop_after ROWS: run the program for short moments until this many rows are stored. It is stopped
# for longer than it runs, so that it commits often; and it is stopped while the rows are counted,
# so that it cannot end meanwhile. It may end between two counts, which the callers notice.
stop_after() {
	local tries
	for tries in $(seq 5000); do
		kill -STOP "$pid" 2>/dev/null || return 0
		! is_stored "$1" || return 0
		sleep 0.05
		kill -CONT "$pid"
		sleep 0.01
	done
	fail "fewer than $1 rows after $tries looks"
}

last_ending() {
	sql "$(grep -v '^--' "$SOURCE_DIR/sql/examples/runs.sql")" | tail -1 | sed 's/.*|//'
}

# end_early SIGNAL ROWS: a run that the signal ends. On a busy machine, a run may end between two
# counts, or a killed run may have only its exit left: then it starts again.
end_early() {
	local signal=$1 rows=$2
	for _ in $(seq 20); do
		start
		stop_after "$rows"
		kill -s "$signal" "$pid" 2>/dev/null || true
		kill -CONT "$pid" 2>/dev/null || true # a killed process may have ended
		status=0
		wait "$pid" || status=$?
		if [ "$status" != 0 ] && { [ "$signal" != KILL ] || [ "$(last_ending)" != finished ]; }; then
			return
		fi
		echo "finished before the signal $signal; once more"
		complete
	done
	fail "no run was ended by the signal $signal after $rows rows"
}

for round in INT:1 TERM:500 KILL:1 KILL:500 KILL:1500; do
	signal=${round%:*}
	end_early "$signal" "${round#*:}"
	same "status after $signal" $((128 + $(kill -l "$signal"))) "$status"
	[ "$signal" = KILL ] || said "interrupted; everything scanned so far is stored"
	# The index contains exactly what the run has stored, before the next run and during it.
	stored=$(sql 'SELECT COUNT(*), SUM(size), 0 FROM file')
	same "stored files" "$stored" "$(sql 'SELECT files, bytes, errors FROM scan_run')"
	runs 0 "$SIMHASH" --status
	tr -d , <out | grep -Eq " unfinished +1 +${stored%%|*} .* 0  $files\$" ||
		fail "no counts of a run that was cut off: $(cat out)"
	# A killed run has no end in the index, and this is visible.
	[ "$signal" != KILL ] || same "the run that was killed" "cut off" "$(last_ending)"
	complete
done
if [ "$TEST_ENGINE" = sqlite ]; then
	same "integrity" ok "$(sql 'PRAGMA integrity_check')"
fi

[ "$TEST_ENGINE" = mysql ] || exit 0
# The server dies in the middle: the status is 1, the message is clear, and the file is stored
# completely or not at all.
for _ in $(seq 20); do
	start
	stop_after 100
	! is_stored "$total" || {
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" || true
		continue
	}
	break
done
kill -KILL "$MARIADB_SERVER_PID"
kill -CONT "$pid"
status=0
wait "$pid" || status=$?
same "status after the server died" 1 "$status"
said "cannot use index mysql://"
runs 1 "$SIMFIND"
said "cannot use index mysql://"
