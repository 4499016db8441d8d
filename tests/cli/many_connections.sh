#!/usr/bin/env bash
# Tests that simfind reads the rows of a server on several connections and lists the same as on one:
# rows close together, connections that are lost or refused, and connections that may not report
# what they see.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

place=$TEST_FOLDER/server
log=$TEST_FOLDER/statements
make_server "$place"
start_server "$place" --skip-networking --general-log-file="$log" --transaction-isolation=READ-COMMITTED 3>&-
trap 'end_server "$server" KILL' EXIT
wait_for_server "$place"
at() {
	at_server "$place" simhash -e "$1"
}
# as USER: use an option file for this user
as() {
	printf '[client]\nsocket=%s/s\nuser=%s\n' "$place" "$1" >"$HOME/.my.cnf"
}
as "$server_user"
export SIMHASH_DATABASE=mysql://localhost/simhash
at_server "$place" -e 'CREATE DATABASE simhash'
for i in 1 2 3 4; do
	seq "$i" 300 >"$files/$i"
done
runs 0 "$SIMHASH" "$files"
# 60,000 more files in the same directory, whose rows follow each other.
columns=$(at "SELECT GROUP_CONCAT(column_name) FROM information_schema.columns
	WHERE table_schema = 'simhash' AND table_name = 'file' AND column_name NOT IN ('path_hash', 'name', 'inode')")
at "INSERT INTO file (path_hash, name, inode, $columns)
	SELECT CONCAT(LEFT(path_hash, 8), LEFT(UNHEX(MD5(CONCAT(name, seq))), 8)), CONCAT(name, '.', seq), inode * 20000 + seq, $columns
	FROM file, seq_1_to_15000"
runs 0 "$SIMFIND" -j 1 --format=text -o expected
[ "$(wc -l <expected)" -gt 60000 ] || fail "too few pairs to be a test: $(wc -l <expected)"

# The connections that read rows, and the number of statements of each.
readers() {
	awk '/Execute.* FROM file (PARTITION [(][^)]*[)] )?f WHERE/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Execute") n[$i]++ }
		END { for (id in n) print n[id], id }' "$log"
}
at 'SET GLOBAL general_log = ON'
runs 0 "$SIMFIND" -j 3 --format=text -o found
at 'SET GLOBAL general_log = OFF'
cmp expected found || fail "three connections find other pairs"
same "connections that read" 3 "$(readers | wc -l)"
grep -q 'Query.*START TRANSACTION WITH CONSISTENT SNAPSHOT' "$log" || fail "no view: $(grep -m 3 Query "$log")"

# on_one WHAT: one connection reads, without a message, and the list is the same.
on_one() {
	: >"$log"
	at_server "$place" -e 'SET GLOBAL general_log = OFF; SET GLOBAL general_log = ON'
	runs 0 "$SIMFIND" -j 3 -q --format=text -o found
	at_server "$place" -e 'SET GLOBAL general_log = OFF'
	same "messages, $1" "" "$(cat err)"
	cmp expected found || fail "$1: other pairs"
	same "connections that read, $1" 1 "$(readers | wc -l)"
	as "$server_user"
}
at "CREATE USER one@localhost WITH MAX_USER_CONNECTIONS 1; GRANT SELECT ON simhash.* TO one@localhost"
as one
on_one "when the server gives no other"
at "CREATE USER blind@localhost"
for table in schema_version tag_set tag host file directory; do
	at "GRANT SELECT ON simhash.$table TO blind@localhost"
done
as blind
on_one "where commits may not be counted"

# Connections are lost while they read: simfind is stopped, so that the server waits for it.
reading() {
	at_server "$place" -e "SELECT id FROM information_schema.processlist
		WHERE db = 'simhash' AND info LIKE '%FROM file f WHERE%' ORDER BY id"
}
is_read() {
	kill -CONT "$run" 2>/dev/null || return 0
	sleep 0.01
	kill -STOP "$run" 2>/dev/null || return 0
	[ "$(reading | wc -l)" -ge "$1" ]
}
# lose COUNT: end this many of four connections
lose() {
	local status=0 id
	"$SIMFIND" -j 4 -q --format=text -o found >out 2>err &
	run=$!
	wait_until is_read 2
	reading | first "$1" | while read -r id; do
		at_server "$place" -e "KILL $id" || true
	done
	kill -CONT "$run" 2>/dev/null || true
	wait "$run" || status=$?
	same "status without $1 connections ($(cat err))" 0 "$status"
	cmp expected found || fail "without $1 connections: other pairs"
}
lose 1
lose 2

# If other servers have the rows, there is no common view; partitions are read in parallel, each
# once. Here, any engine other than the server's own represents these servers.
at "ALTER TABLE file ENGINE=MyISAM PARTITION BY KEY (path_hash) (
	PARTITION p1, PARTITION p2, PARTITION P_3, PARTITION \`4\`, PARTITION p5)"
# partitions COUNT CONNECTIONS LIST...: check which partitions are read with this many threads
partitions() {
	local threads=$1 connections=$2
	shift 2
	: >"$log"
	at_server "$place" -e 'SET GLOBAL general_log = OFF; SET GLOBAL general_log = ON'
	runs 0 "$SIMFIND" -j "$threads" -q --format=text -o found
	at_server "$place" -e 'SET GLOBAL general_log = OFF'
	cmp expected found || fail "$threads threads and partitions: other pairs"
	same "connections that read with $threads threads" "$connections" "$(readers | wc -l)"
	same "partitions read with $threads threads" "$(printf '%s\n' "$@")" \
		"$(sed -n 's/.*Execute.* FROM file PARTITION (\([^)]*\)) f WHERE.*/\1/p' "$log" | LC_ALL=C sort)"
}
partitions 1 1
# shellcheck disable=SC2016  # names in SQL
{
	partitions 2 2 '`p1`, `P_3`, `p5`' '`p2`, `4`'
	partitions 3 3 '`P_3`' '`p1`, `4`' '`p2`, `p5`'
	partitions 8 5 '`4`' '`P_3`' '`p1`' '`p2`' '`p5`'
}
# Names that are not plain words are not used in statements.
at "ALTER TABLE file REMOVE PARTITIONING"
partitions 3 1
at "ALTER TABLE file PARTITION BY KEY (path_hash) (PARTITION \`p1\`\`) f; --\`, PARTITION p2)"
partitions 3 1
