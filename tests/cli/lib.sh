# shellcheck shell=bash disable=SC2034
# Shared by the command-line tests; each sources it. Needs the environment of on_engine.sh, and
# SIMHASH, SIMFIND, SIMKEEP, ORACLE and SOURCE_DIR from ctest.
set -euo pipefail

export SIMHASH_DATABASE=$TEST_URL
files=$TEST_FOLDER/files
mkdir -p "$files"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# not_tested REASON: a part of the test cannot run here. All other parts run, and on_engine.sh
# reports the test as skipped.
not_tested() {
	echo "$*" >>"$TEST_FOLDER/not_tested"
}
# skip REASON: the rest of the test cannot run here
skip() {
	not_tested "$@"
	exit 77
}

# within SECONDS COMMAND...: it is killed after this much processor time or, because other programs
# may need the processors, after ten times as long
within() {
	(
		ulimit -t "$1"
		exec timeout -s KILL $((10 * $1)) "${@:2}"
	)
}

# The version of the schema that the programs need.
newest_version() {
	printf '%s\n' "$SOURCE_DIR/sql/$TEST_ENGINE"/00[0-9][0-9]_*.sql | wc -l
}

# built_with NAME: are the programs built with mysql, archives, documents, mail, sandbox, hashes, or a
# sanitizer?
built_with() {
	[[ " $BUILT_WITH " == *" $1 "* ]]
}

# same WHAT EXPECTED FOUND
same() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# Run a command with an expected exit status; standard output and error are then in the files out
# and err.
runs() {
	local expected=$1 status=0
	shift
	"$@" >"$TEST_FOLDER/out" 2>"$TEST_FOLDER/err" || status=$?
	[ "$status" = "$expected" ] ||
		fail "'$*' ended with $status instead of $expected: $(cat "$TEST_FOLDER/err")"
}

# said TEXT: the last run wrote TEXT to standard error
said() {
	grep -qF -- "$1" "$TEST_FOLDER/err" || fail "expected '$1', found '$(cat "$TEST_FOLDER/err")'"
}

# summary SCANNED UNCHANGED REMOVED FAILED [MOVED]: check the summary of the last run of simhash
summary() {
	local found moved=''
	found=$(tr -d , <"$TEST_FOLDER/err" | grep -o '^[0-9]* scanned.*failed' | sed 's/moved or linked/moved/' || true)
	[ "${5:-0}" = 0 ] || moved="$5 moved "
	same "summary" "$1 scanned $2 unchanged $moved$3 removed $4 failed" "$found"
}

# has [OPTION]... PATTERN: standard input contains it; reads it to the end. `grep -q` ends at the
# first match, so that a signal ends the command before it, which pipefail treats as a failure;
# `head` does the same.
has() {
	[ "$(grep -c "$@")" != 0 ]
}
# first COUNT: the first lines of standard input, which is read to its end
first() {
	sed -n "1,$1p"
}

sql() {
	# shellcheck disable=SC2086  # a command and its options
	$TEST_SQL "$1" | tr '\t' '|'
}

# The index that version 9 removed and every earlier version had.
add_skew_index() {
	sql "CREATE INDEX file_skew_ext ON file (tag_set, skew_ext)"
}

# Remove versions 8 to 22 from the index; on a server, tables may exist when the update creates
# them.
drop_version_8() {
	sql "DELETE FROM schema_version WHERE version > 7"
	add_skew_index
	[ "$TEST_ENGINE" != sqlite ] ||
		sql "DROP VIEW damaged_file; DROP TABLE damage; ALTER TABLE file DROP COLUMN verified_at_ns; ALTER TABLE file DROP COLUMN ctime_ns;
			ALTER TABLE file DROP COLUMN document_created; ALTER TABLE file DROP COLUMN document_revision;
			DROP VIEW file_copies; DROP VIEW file_text; DROP VIEW find_run_text; DROP VIEW grouped_file; DROP VIEW ungrouped_file; ALTER TABLE file DROP COLUMN contents; DROP VIEW shown_member;
			DROP VIEW similar_group; DROP VIEW live_member; DROP VIEW part_of; DROP VIEW found_pair;
			DROP TABLE filter_command; DROP TABLE find_run; DROP TABLE file_group; DROP TABLE file_pair;
			DROP VIEW similar_file; DROP VIEW similar_pair; DROP VIEW near_file; DROP VIEW near_pair;
			DROP TABLE pieces; ALTER TABLE file DROP COLUMN pieces; ALTER TABLE file DROP COLUMN document_time;
			DROP INDEX file_cell; ALTER TABLE file DROP COLUMN cell;
			ALTER TABLE file DROP COLUMN signed_1; ALTER TABLE file DROP COLUMN signed_2;
			ALTER TABLE file DROP COLUMN outline_00; ALTER TABLE file DROP COLUMN outline_08;
			ALTER TABLE size_class DROP COLUMN middle; ALTER TABLE size_class DROP COLUMN has_sums"
}

reset() {
	eval "$TEST_RESET"
}

# on_terminal COLUMNS COMMAND...: what it writes to a terminal of that width is in `screen`, and as the terminal gets it in
# `screen.raw`; its exit status is in `status`
on_terminal() {
	local columns=$1
	shift
	status=0
	script -qec "stty cols $columns rows 40; $(printf '%q ' "$@")" /dev/null \
		>"$TEST_FOLDER/screen.raw" </dev/null || status=$?
	tr -d '\r' <"$TEST_FOLDER/screen.raw" >"$TEST_FOLDER/screen"
}

# wait_until COMMAND...: wait until it succeeds; waiting for long is a failure
wait_until() {
	local end=$((SECONDS + 60))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "waited in vain for: $*"
		sleep 0.02
	done
}

# next_tick: wait until new times are later than all earlier ones by more than 20 ms;
# src/store/row/trust.c does not rely on shorter differences
has_ticked() {
	: >"$TEST_FOLDER/tick.now"
	[ "$TEST_FOLDER/tick.now" -nt "$TEST_FOLDER/tick" ]
}
next_tick() {
	: >"$TEST_FOLDER/tick"
	sleep 0.025
	wait_until has_ticked
}

# make_tree [OPTION]... FOLDER: make related files from a seed; see make_tree.py
make_tree() {
	python3 "$SOURCE_DIR/tests/make_tree.py" "$@"
}

# random_bytes SIZE SEED: write them to standard output
random_bytes() {
	python3 -c 'import random, sys
sys.stdout.buffer.write(random.Random(int(sys.argv[2])).randbytes(int(sys.argv[1])))' "$@"
}

# settle: index without effects of the clock: files with old times are not scanned twice.
settle() {
	find "$1" -type f -execdir touch -d '2020-01-01 00:00:00' {} +
	sleep 0.025
}

# as_user: run a command as a user with limited permissions, also if the test runs as root.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		# Its options name a file that only root may be able to read.
		env -u TSAN_OPTIONS setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# copy_for_user PROGRAM...: copy to $TEST_FOLDER/bin, where as_user can run them. The programs of
# the build may be in root's home.
copy_for_user() {
	mkdir -p "$TEST_FOLDER/bin"
	cp "$@" "$TEST_FOLDER/bin"
	chmod -R a+rX "$TEST_FOLDER/bin"
	chmod a+x "$TEST_FOLDER"
}

# in_own_mounts SCRIPT [ARGUMENT]...: run it as root in a separate mount namespace, by sudo or in a
# user namespace if necessary. A test is skipped if none of these work.
in_own_mounts() {
	local as_root=() give_back=() status=0
	if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then
		as_root=(sudo -n -E env "PATH=$PATH")
		give_back=(sudo -n chown -R "$(id -u):$(id -g)" "$TEST_FOLDER")
	elif [ "$(id -u)" != 0 ]; then
		as_root=(unshare -Ur)
	fi
	"${as_root[@]}" unshare -m true 2>"$TEST_FOLDER/why_not" ||
		skip "nothing can be mounted here: $(tail -n 1 "$TEST_FOLDER/why_not")"
	"${as_root[@]}" unshare -m "$@" || status=$?
	"${give_back[@]}"
	[ $status != 77 ] || exit 77
	[ $status = 0 ] || fail "in separate mounts: $*"
}

# as_root_too SCRIPT: run the test again as root, by sudo, in a separate folder, unless it already
# runs as root
as_root_too() {
	[ "$(id -u)" != 0 ] || return 0
	if ! sudo -n true 2>/dev/null; then
		not_tested "acts that only root can do: this is another user, without sudo"
		return 0
	fi
	mkdir "$TEST_FOLDER/root"
	(TEST_FOLDER=$TEST_FOLDER/root in_own_mounts "$1")
}

# new_file_system TYPE POINT [SIZE]: make it in memory, or on a loop device in memory
new_file_system() {
	local image
	mkdir -p "$2"
	if [ "$1" = tmpfs ]; then
		mount -t tmpfs none "$2"
		return
	fi
	image=$(mktemp /dev/shm/simhash-test.XXXXXX)
	truncate -s "${3:-400M}" "$image"
	if ! { "mkfs.$1" -q "$image" && mount -o loop "$image" "$2"; } >"$TEST_FOLDER/why_not" 2>&1; then
		rm "$image"
		skip "no file system $1 can be made here: $(tail -n 1 "$TEST_FOLDER/why_not")"
	fi
	rm "$image" # it exists until it is unmounted
}
