#!/usr/bin/env bash
# Tests a server that is killed, comes back or does not, ends sessions, or fills its disk. simhash
# reports it, files reported as stored are in the index, and with --wait-server the run continues.
# The list of files comes through a pipe, so that the server dies in the middle of a run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

place=$TEST_FOLDER/server
make_server "$place"
# Committed rows must survive the end of the server process.
start() {
	start_server "$place" --skip-networking --innodb-flush-log-at-trx-commit=2 3>&-
}
start
trap 'end_server "$server" KILL' EXIT
wait_for_server "$place"
printf '[client]\nsocket=%s/s\nuser=%s\n' "$place" "$server_user" >"$HOME/.my.cnf"
url=mysql://localhost/simhash
at_server "$place" -e 'CREATE DATABASE simhash'
rows() {
	at_server "$place" simhash -e 'SELECT COUNT(*) FROM file'
}
for i in $(seq 600); do
	seq "$i" $((i * 2)) >"$files/$i"
done
settle "$files"
mkfifo list
# feed FROM TO: write names of files to the list on descriptor 3
feed() {
	local i
	for i in $(seq "$1" "$2"); do
		printf '%s\0' "$files/$i"
	done >&3
}
# begin OPTION...: start simhash in the background, reading the list, so that it does not ignore
# SIGINT. It opens the list while this script has descriptor 3 open, because opening a pipe without
# a writer would wait for one.
begin() {
	exec 3<>list
	env --default-signal=INT setsid "$SIMHASH" -d "$url" --files0-from=- "$@" <list >out 2>err 3>&- &
	run=$!
}
# ends STATUS: end the list, and check how the run ends
ends() {
	local status=0
	exec 3>&-
	wait "$run" || status=$?
	same "exit status ($(cat err))" "$1" "$status"
}
has_rows() { [ "$(rows 2>/dev/null || echo 0)" -ge "$1" ]; }
has_said() { grep -q "$1" err; }
reported() { tr -d , <err | sed -n 's/^\([0-9]*\) scanned.*/\1/p'; }

# Killed in the middle without coming back: the run fails, and everything reported as stored is in
# the index.
begin
feed 1 200
wait_until has_rows 200
end_server "$server" KILL
feed 201 400
ends 1
said "simhash: cannot use index $url: "
grep -Eq '\(error (2006|2013)\)' err || fail "no error of a lost connection: $(cat err)"
stored=$(reported)
same "files reported" 200 "$stored"
runs 1 "$SIMHASH" -d "$url" "$files"
said "(error 2002)"
runs 1 "$SIMFIND" -d "$url"
said "(error 2002)"
start
wait_for_server "$place"
same "rows" "$stored" "$(rows)"
runs 0 "$SIMFIND" -d "$url"

# A server that does not greet, or stops answering in the middle of a run, is abandoned after the
# time limit. A change of the schema may take longer.
cp "$HOME/.my.cnf" usual.cnf
printf '[simhash]\nconnect-timeout=1\nread-timeout=2\nwrite-timeout=2\n' >>"$HOME/.my.cnf"
begin
feed 1 200
wait_until has_rows 200
kill -STOP "$server"
feed 201 600
ends 1
said "; read-timeout in an option file says how long the server may be silent"
for program in "$SIMHASH $files" "$SIMFIND"; do
	# shellcheck disable=SC2086  # a program and its argument
	runs 1 timeout -s KILL 20 $program -d "$url"
	said "cannot use index $url: "
done
kill -CONT "$server"
wait_for_server "$place"
at_server "$place" -e 'CREATE DATABASE busy'
at_server "$place" -e 'FLUSH TABLES WITH READ LOCK; DO SLEEP(4)' &
holder=$!
sleep 0.5
runs 0 "$SIMHASH" -d mysql://localhost/busy --init-database
wait "$holder"
at_server "$place" -e 'DROP DATABASE busy'

# A signal ends the wait for a silent server: in the middle of a run, before it reads, and while it
# connects.
printf '[client]\nsocket=%s/s\nuser=%s\n[simhash]\nread-timeout=30\n' "$place" "$server_user" >"$HOME/.my.cnf"
is_connected() { [ -n "$(find "/proc/$1/fd" -lname 'socket:*' 2>/dev/null)" ]; }
# interrupted SIGNAL STATUS: interrupt the run while the server is silent
interrupted() {
	kill "-$1" "$run"
	ends "$2"
	same "the message of $1" "simhash: interrupted; the server does not answer; only what it has committed is stored" \
		"$(tail -n 1 err)"
	kill -CONT "$server"
	wait_for_server "$place"
}
before=$(rows)
begin -q
feed 201 210
wait_until has_rows $((before + 10))
kill -STOP "$server"
feed 211 230
sleep 0.5 # so that a call is waiting when the signal comes
interrupted TERM 143
same "rows after an interrupted run" $((before + 10)) "$(rows)"
at_server "$place" simhash -e "DELETE FROM file WHERE CAST(name AS UNSIGNED) > 200"
begin -q
wait_until is_connected "$run"
kill -STOP "$server"
feed 1 230
interrupted INT 130
kill -STOP "$server"
begin -q
wait_until is_connected "$run"
interrupted HUP 129
# The same with other commands that take long.
runs 0 "$SIMHASH" -q -d sqlite:few.db "$files/1"
runs 0 "$SIMHASH" -q -d sqlite:few.db --export=few.csv "$files/1"
for command in "-d sqlite:few.db --copy-to $url" "-d $url --import=few.csv --host=elsewhere" "-d $url --export=out.csv"; do
	kill -STOP "$server"
	# shellcheck disable=SC2086  # a command and its arguments
	env --default-signal=INT "$SIMHASH" $command >out 2>err &
	run=$!
	wait_until is_connected "$run"
	interrupted TERM 143
done
mv usual.cnf "$HOME/.my.cnf"

# The server comes back while the run waits.
entered=$(at_server "$place" simhash -e 'SELECT COUNT(*) FROM scan_run')
begin --wait-server=60
feed 201 300
wait_until has_rows 300
end_server "$server" KILL
feed 301 400
wait_until has_said 'trying again for 60 s'
start
wait_for_server "$place"
wait_until has_rows 400
feed 401 450
ends 0
summary 250 0 0 0
same "rows" 450 "$(rows)"
same "runs that are entered" $((entered + 1)) "$(at_server "$place" simhash -e 'SELECT COUNT(*) FROM scan_run')"

# The server does not come back in time.
begin --wait-server=2
feed 451 460
wait_until has_rows 460
end_server "$server" KILL
feed 461 470
ends 1
said "trying again for 2 s"
same "files reported" 10 "$(reported)"
begin --wait-server=600
wait_until has_said 'trying again for 600 s'
kill -INT "$run"
ends 130
said "interrupted; everything scanned so far is stored"

# The server is not running when the run begins.
begin --wait-server=60
feed 461 480
wait_until has_said 'trying again for 60 s'
start
wait_for_server "$place"
ends 0
same "rows" 480 "$(rows)"

# An administrator, or a time limit, ends sessions between statements.
kill_sessions() {
	at_server "$place" -e "SELECT id FROM information_schema.processlist WHERE db = 'simhash'" |
		while read -r id; do
			at_server "$place" -e "KILL $id" || true
		done
}
begin
feed 481 490
wait_until has_rows 490
kill_sessions
feed 491 500
ends 1
grep -Eq '\(error (2006|2013|1927)\)' err || fail "no error of a killed session: $(cat err)"
same "rows" 490 "$(rows)"
begin --wait-server=20
feed 491 500
wait_until has_rows 500
kill_sessions
feed 501 520
ends 0
same "rows" 520 "$(rows)"

# The server is killed while simfind waits for it: simfind reports an error, and no incomplete list.
kill -STOP "$server"
"$SIMFIND" -d "$url" >out 2>err &
finder=$!
wait_until is_connected "$finder"
end_server "$server" KILL
status=0
wait "$finder" || status=$?
same "simfind" 1 "$status"
said "simfind: cannot use index $url: "
[ ! -s out ] || fail "simfind listed pairs all the same"

# A full disk: a table space that cannot grow.
limited() {
	start_server "$place" --skip-networking --innodb-flush-log-at-trx-commit=2 --innodb-file-per-table=0 \
		--innodb-data-file-path="ibdata1:12M:autoextend:max:$1"
	wait_for_server "$place"
}
rm -rf "$place/data"
make_server "$place"
limited 15M
at_server "$place" -e 'CREATE DATABASE simhash'
mkdir many
for i in $(seq 40); do
	mkdir "many/$i"
	(cd "many/$i" && for k in $(seq 150); do echo "$i $k" >"a-file-with-a-name-that-is-quite-long-to-take-its-room-$k"; done)
done
settle many
runs 1 "$SIMHASH" -d "$url" many
said "(error 1114); make room on the server's disk"
stored=$(reported)
[ "$(rows)" -ge "${stored:-0}" ] || fail "less is stored than was reported"
runs 0 "$SIMFIND" -d "$url"
end_server "$server"
limited 200M
runs 0 "$SIMHASH" -d "$url" many
same "rows when there is room" 6000 "$(rows)"
