#!/usr/bin/env bash
# Tests the full-screen review of copies in a real terminal: keys, marks, totals, decisions that
# survive each way to end, and the plan at the end.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
command -v tmux >/dev/null || skip "tmux is not installed"
export TMUX_TMPDIR=$TEST_FOLDER XDG_STATE_HOME=$TEST_FOLDER/state LC_ALL=C.UTF-8
unset TMUX
# Curses keeps some of its memory until the program ends.
export ASAN_OPTIONS=detect_leaks=0
trap 'tmux -L review kill-server 2>/dev/null || true' EXIT

mkdir -p "$files"/a "$files"/b/deep "$files"/c "$files"/p "$files"/b/.git
seq 2000 >"$files/a/one"
cp "$files/a/one" "$files/b/one"
cp "$files/a/one" "$files/b/deep/one"
cp "$files/a/one" "$files/b/.git/one"
seq 1000 >"$files/a/two"
cp "$files/a/two" "$files/c/two"
ln "$files/c/two" "$files/c/linked"
odd=$'odd\n\e[31m\xff\xe2\x80\xae\xe5\x90\x8d'
seq 700 >"$files/c/$odd"
cp "$files/c/$odd" "$files/p/kept"
touch -d 2020-01-01 "$files/a/one"
touch -d 2021-01-01 "$files/b/one"
touch -d 2022-01-01 "$files/b/deep/one"
runs 0 "$SIMHASH" -q "$files"
one=$(stat -c %s "$files/a/one")
two=$(stat -c %s "$files/a/two")
three=$(stat -c %s "$files/p/kept")

# ---- A terminal ----
t() {
	tmux -L review -f /dev/null "$@"
}
session='' sessions=0
t new-session -d -s keeper 'sleep 600' # so that the server stays
# start COLUMNS ROWS [OPTION]...: the program's output after the full screen follows it
start() {
	local columns=$1 rows=$2
	shift 2
	[ -z "$session" ] || t kill-session -t "$session" 2>/dev/null || true
	rm -f status
	session=s$((++sessions))
	t new-session -d -s $session -x "$columns" -y "$rows" "trap : INT; ${before:-} $(printf '%q ' "$SIMKEEP" --review "$@"); echo \"status \$?\"; echo \$? >status; sleep 600"
	sees "?help"
}
screen() {
	t capture-pane -pJ -t $session
}
shows() {
	screen | has -F -- "$1"
}
sees() {
	local end=$((SECONDS + 20))
	until shows "$1"; do
		[ $SECONDS -lt $end ] || fail "expected '$1' on the screen: $(screen)"
		sleep 0.02
	done
}
misses() {
	! shows "$1" || fail "unexpected '$1' on the screen: $(screen)"
}
press() {
	t send-keys -t $session "$@"
}
process() {
	pgrep -f -- "^$SIMKEEP --review" | first 1
}
# decisions [FILE]: "keep a/one" for each decision
decisions() {
	python3 - "${1:-$(echo state/simhash/*.json)}" "$files/" <<'PYTHON'
import json, os, sys
data = json.load(open(sys.argv[1]))
assert data["format"] == "simfind decisions" and data["format_version"] == 1
found = []
for group in data["groups"]:
    for file in group["files"]:
        path = bytes.fromhex(file["path_hex"]) if "path_hex" in file else file["path"].encode()
        found.append((os.fsdecode(path).removeprefix(sys.argv[2]), file["decision"]))
print("; ".join(f"{d} {p}" for p, d in sorted(found)).encode("unicode_escape").decode())
PYTHON
}
saved_is() {
	[ "$(decisions "${2:-}" 2>/dev/null)" = "$1" ]
}
# saved TEXT [FILE]: wait until these are the saved decisions
saved() {
	local end=$((SECONDS + 20))
	until saved_is "$@"; do
		[ $SECONDS -lt $end ] || fail "expected '$1', found '$(decisions "${2:-}")'"
		sleep 0.05
	done
}
kilobytes() {
	awk "BEGIN { printf($1 < 1000 ? \"%d bytes\" : \"%.1f kB\", $1 < 1000 ? $1 : $1 / 1000) }"
}

# ---- Without a terminal there is one clear error ----
runs 1 "$SIMKEEP" --review
said "--review needs a terminal for input and output"
same "lines" 1 "$(wc -l <err)"
on_terminal 80 env TERM=dumb "$SIMKEEP" --review
grep -q "needs a terminal that can place its cursor; TERM is 'dumb'" screen || fail "$(cat screen)"
runs 1 "$SIMKEEP" --review --keep=oldest
said "--review cannot be combined with --keep"
runs 1 "$SIMKEEP" --review --yes --journal=j
said "--yes needs --action=hardlink, reflink, delete or move:DIR"
runs 1 "$SIMKEEP" --review --decisions=-
said "--review saves decisions, so it needs a file"
runs 1 "$SIMKEEP" --review "$files/a/one"
said "--review cannot be combined with a FILE"
runs 1 "$SIMKEEP" --review "$files/nonexistent"
said "simkeep: $files/nonexistent: No such file or directory"

# ---- Folders, groups, files, marks and totals ----
all=$((2 * one + two + three))
start 80 24
sees "0 to remove frees 0 bytes of $(kilobytes $all); 0 to keep"
sees "$files"
misses .git
# The mark of each list covers no size; only the active one is an arrow.
screen | grep -qE "^> .* \\. +$(kilobytes $((2 * one))) " || fail "the marks of the lists: $(screen)"
press Tab Enter
sees "2020-01-01"
sees "b/deep/one"
press d
sees "1 to remove frees $(kilobytes "$one")"
sees REMOVE
saved "remove a/one; keep b/deep/one; keep b/one"
press d d
sees "at least one file of each content stays"
sees "2 to remove frees $(kilobytes $((2 * one)))"
press u
sees "Took back 1 mark."
sees "1 to remove frees $(kilobytes "$one")"
press g c
sees "0 to remove frees 0 bytes"
press s
sees "keep "
sees "1 to keep"
# A file with two names is free when both are removed.
press h / t w o Enter
press Enter
sees " @ "
press G
press k d
sees "1 to remove frees 0 bytes"
press G d
sees "to remove frees"
press u u u

# ---- Rules, for a folder and for all ----
press h h g
press R
sees "Rule for all folders"
press b o g u s Enter
sees "This is not a rule"
press R newest Enter
sees "frees $(kilobytes $all)"
press u
press g G k
press R "in:$files/b" Enter
sees "frees $(kilobytes $((2 * one)))"

# ---- Search, help and comparison ----
press g / d e e p Enter
sees "$files/b/deep"
press / n o n e Enter
sees "No folder has this name: none (Tab, then n: files)"
press ?
sees "one file of each content always stays"
misses "t one or two"
press G
sees "save the decisions now"
press g
press q
press g Tab Enter
printf 'changed\n' >>"$files/b/deep/one"
press g = G = 
sees "changed"
press t
sees "@@ "
press h
sees "REMOVE"

# ---- Versions and parts of a file ----
(seq 999 && echo edited && seq 1001 2000) >"$files/p/version"
(seq 100000 120000 && seq 2000 && seq 200000 210000) >"$files/p/whole.log"
runs 0 "$SIMHASH" -q "$files/p"
press h h g / a Enter Tab / one Enter Enter g v
sees ">99 %"
sees "part of"
press s
sees "Only identical files are marked."
press / w h o l e Enter
sees "lines 20002-22001 of $files/p/whole.log"
press d
sees "Only identical files are marked."
press g Enter
sees "edited"
press h h
sees "2020-01-01"
rm "$files"/p/{version,whole.log}
press v Enter
sees "cannot open the file"
runs 0 "$SIMHASH" -q "$files/p"
press h v
sees "lines 1-1000 are $files/a/two"

# ---- Each way to end saves the marks, and the plan follows ----
press q
sees "status 2"
sees "left alone: it has changed since it was indexed"
sees "the decisions are saved in"
sees "would remove"
sees "Next: simkeep --decisions="
seq 2000 >"$files/b/deep/one"
touch -d 2022-01-01 "$files/b/deep/one"
[ -e "$files/a/one" ] || fail "a file was removed without --yes"
for end in INT TERM HUP; do
	rm -f state/simhash/*.json
	start 80 24
	press Tab Enter d
	sees "1 to remove"
	kill -$end "$(process)"
	sees "interrupted; the decisions are saved in"
	wait_until [ -s status ]
	saved "remove a/one; keep b/deep/one; keep b/one"
done
# The terminal vanishes.
rm -f state/simhash/*.json
start 80 24
pid=$(process)
press Tab Enter d d
sees "2 to remove"
t kill-session -t $session
session=
gone() {
	! kill -0 "$pid" 2>/dev/null
}
wait_until gone
saved "remove a/one; keep b/deep/one; remove b/one"
# Ctrl-C with --yes acts on nothing.
start 80 24 --action=delete --yes --journal=journal
sees "q ACT: 2 files  ^C leave  ?help  Enter groups  d remove  r rule  u undo"
sees "2 to remove"
press C-c
sees interrupted
[ ! -e journal ] || fail "it acted after Ctrl-C"

# ---- The decisions load again, and other ones remain ----
cat >other.json <<JSON
{"format": "simfind decisions", "format_version": 1, "groups": [{"files": [
{"path": "$files/a/two", "host": "$(uname -n)", "hash": "$(printf '0%.0s' {1..32})", "decision": "remove"},
{"path": "/elsewhere", "host": "another", "hash": "$(printf '1%.0s' {1..32})", "decision": "remove"}]}]}
JSON
start 80 24 --decisions=other.json "$files/c" "$files/p"
sees "1 saved decision about other or changed files remains saved."
press Tab d
sees "1 to remove frees $(kilobytes "$three")"
press q
sees "status 0"
same "decisions" 'remove /elsewhere; remove a/two; keep c/odd\n\x1b[31m\udcff\u202e\u540d; remove p/kept' "$(decisions other.json)"

# ---- Hostile names, protected files, no colours, sizes ----
start 80 24 --protect="$files/p" --decisions=protected.json
press / o d d Enter
press Tab / o d d Enter Enter
sees protected
sees 'c/odd\n\x1b[31m\xff\xe2\x80\xae'
press g d G d
sees "protected"
press q
sees "status 0"
for size in "200 60" "40 10"; do
	# shellcheck disable=SC2086  # two words
	before="NO_COLOR=1 TERM=vt100" start $size --decisions=sizes.json
	press Tab Enter
	sees "2020-01-01"
	press q
	sees "status 0"
done
start 80 24 --decisions=sizes.json
t resize-window -t $session -x 30 -y 8
sees "too small"
t resize-window -t $session -x 120 -y 40
sees "$files"
press q
sees "status 0"

# ---- With --yes, it asks before it acts on marks of an earlier review ----
rm -rf state
start 80 24
press Tab Enter d q
sees "status 0"
start 80 24 --action=delete --yes --journal=journal
sees "q ACT: 1 file"
for key in n q Enter Escape; do
	press q
	sees "Act on the saved marks too? (y/n)"
	press $key
	sees "Decisions: "
done
[ -e "$files/a/one" ] || fail "it acted without an answer"
press q y
sees "deleted 1 file"
sees "status 0"
runs 0 "$SIMKEEP" -q --undo=journal --yes
rm journal

# ---- With --yes, it acts on the decisions, and undo restores the files ----
rm -rf state
rows=$(sql "SELECT COUNT(*) FROM file")
start 80 24 --action=delete --yes --journal=journal
press Tab Enter d d
sees "2 to remove"
press q
sees "deleted 2 files"
sees "status 0"
[ ! -e "$files/a/one" ] && [ ! -e "$files/b/one" ] && [ -e "$files/b/deep/one" ] || fail "other files were removed"
same "rows" $((rows - 2)) "$(sql "SELECT COUNT(*) FROM file")"
runs 0 "$SIMKEEP" --undo=journal --yes
[ -e "$files/a/one" ] || fail "not restored"
