#!/usr/bin/env bash
# A first load of a server is written on two connections, and all is as if it were one: the rows, what
# is left of a run that a killed server ends, and the messages. SIMHASH has small transactions.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

place=$TEST_FOLDER/server
log=$TEST_FOLDER/statements
make_server "$place"
start() {
	start_server "$place" --skip-networking --innodb-flush-log-at-trx-commit=2 --general-log \
		--general-log-file="$log" 3>&-
	wait_for_server "$place"
}
start
trap 'end_server "$server" KILL' EXIT
printf '[client]\nsocket=%s/s\nuser=%s\n' "$place" "$server_user" >"$HOME/.my.cnf"
url=mysql://localhost/simhash
at() {
	at_server "$place" simhash -e "$1"
}
fresh() {
	at_server "$place" -e 'DROP DATABASE IF EXISTS simhash; CREATE DATABASE simhash'
	at_server "$place" -e "SET GLOBAL general_log = OFF; SET GLOBAL general_log = ON"
	: >"$log"
}
# The connections that wrote rows of files.
writers() {
	awk '/INSERT INTO file\(/ && / Execute/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Execute") print $i }' "$log" |
		sort -u | grep -c . || true
}
columns="hex(path_hash), size, uniform, skew_ext, sum_15, hex(content_hash)"
rows() { at 'SELECT COUNT(*) FROM file'; }
# Every row has the directory that it names, which a later run would not enter.
whole_directories() {
	same "rows without a directory" 0 "$(at 'SELECT COUNT(*) FROM file f LEFT JOIN directory d
		ON d.tag_set = f.tag_set AND d.host = f.host AND d.directory_hash = LEFT(f.path_hash, 8)
		WHERE d.path IS NULL OR d.path <> f.directory')"
}
all_there() {
	at "SELECT $columns FROM file ORDER BY path_hash" | tr '\t' '|' >found
	cmp expected found || fail "the rows are not those of SQLite: $(diff expected found | head -4)"
	whole_directories
}

# Directories whose files come in several transactions.
for directory in $(seq 12); do
	mkdir "$files/$directory"
	for i in $(seq 150); do
		echo "$directory $i" >"$files/$directory/$i"
	done
done
settle "$files"
runs 0 "$SIMHASH" "$files"
sql "SELECT $columns FROM file ORDER BY path_hash" >expected

fresh
runs 0 "$SIMHASH" -d "$url" "$files"
summary 1800 0 0 0
same "writers" 2 "$(writers)"
all_there
same "files of the run" 1800 "$(at 'SELECT files FROM scan_run')"
# A run over known files writes as before.
: >"$log"
runs 0 "$SIMHASH" -d "$url" --force "$files"
same "writers of a later run" 1 "$(writers)"
all_there

mkfifo list
begin() {
	exec 3<>list
	"$SIMHASH" --files0-from=list "$@" >out 2>err 3>&- <list &
	run=$!
}
feed() {
	find "$files" -type f -print0 | sort -z | sed -z -n "$1,$2p" >&3
}
ends() {
	local status=0
	exec 3>&-
	wait "$run" || status=$?
	same "exit status ($(cat err))" "$1" "$status"
}
has_rows() { [ "$(rows 2>/dev/null || echo 0)" -ge "$1" ]; }
# Without a second connection: the walker has the other one of two, until the list ends.
fresh
at_server "$place" -e "CREATE USER few@localhost IDENTIFIED BY 'x' WITH MAX_USER_CONNECTIONS 2;
	GRANT ALL ON simhash.* TO few@localhost"
printf '[client]\nsocket=%s/s\npassword=x\n' "$place" >few.cnf
begin -d "mysql://few@localhost/simhash?defaults-file=few.cnf" --wait-server=60
feed 1 900
wait_until has_rows 200
feed 901 1800
ends 0
summary 1800 0 0 0
grep -q 'trying again' err && fail "it waited for a connection"
same "writers without a second connection" 1 "$(writers)"
all_there

# Killed in the middle. What is there is usable, and the next run completes it.
fresh
begin -d "$url"
feed 1 900
wait_until has_rows 200
end_server "$server" KILL
feed 901 1800
ends 1
same "errors of a killed server" 1 "$(grep -c '^simhash: cannot' err)"
start
whole_directories
[ "$(rows)" -lt 1800 ] || fail "nothing was lost"
runs 0 "$SIMHASH" -d "$url" "$files"
all_there

# ... and waited for.
fresh
begin -d "$url" --wait-server=60
feed 1 900
wait_until has_rows 200
end_server "$server" KILL
feed 901 1800
wait_until grep -q 'trying again for 60 s' err
start
ends 0
summary 1800 0 0 0
all_there
