#!/usr/bin/env bash
# Tests that closing the terminal stops a run of simhash and its filters, but not with nohup.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >tool <<'EOT'
#!/bin/sh
sleep 1000 &
echo $! $$ >>pids
until [ -e "$1" ]; do sleep 0.02; done
kill $!
cat
EOT
chmod +x tool
seq 100 >"$files/a.pdf"
start() {
	: >pids
	"$SIMHASH" -q --filter="pdf:./tool $TEST_FOLDER/go" "$files" 2>err &
	run=$!
	wait_until [ -s pids ]
	kill -HUP $run
}
is_gone() {
	! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]
}

start
status=0
wait $run || status=$?
same "status" $((128 + $(kill -l HUP))) $status
said "interrupted; everything scanned so far is stored"
read -r child tool <pids
wait_until is_gone "$tool"
wait_until is_gone "$child"

trap '' HUP
start
: >go
wait $run || fail "a run with nohup was stopped: $(cat err)"
same "rows" 2 "$(sql "SELECT COUNT(*) FROM file")"
