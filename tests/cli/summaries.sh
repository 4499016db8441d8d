#!/usr/bin/env bash
# Tests the output about a run and an index for programs: a line of JSON instead of the summary, and
# --status as JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$files"/{one,two}
for i in 1 2 3 4; do
	seq "$i" 3000 >"$files/one/$i"
done
cp "$files/one/1" "$files/two/copy"
: >"$files/empty"
settle "$files"

# All questions can be asked of an empty index, and of an index of only empty files.
mkdir "$TEST_FOLDER/nothing" "$TEST_FOLDER/empty"
: >"$TEST_FOLDER/empty/a"
: >"$TEST_FOLDER/empty/b"
for folder in nothing empty; do
	runs 0 "$SIMHASH" "$TEST_FOLDER/$folder"
	for options in '' --group=none --also=empty --group --group=single --min-resemblance=0.7 --verify=no --verify=all --group=lineage --directories \
		--threads=3 --partition=2/3 "--nearest=3 $files/empty" "$files/one/1"; do
		# shellcheck disable=SC2086  # are several words
		runs 0 "$SIMFIND" $options
	done
done
reset

# json FILE EXPRESSION: its value; s is the only line of JSON in FILE
json() {
	python3 - "$@" <<'END'
import json, sys
lines = [line for line in open(sys.argv[1], encoding="utf-8", errors="surrogateescape") if line.startswith("{")]
if len(lines) != 1:
    sys.exit("not one line of JSON: %r" % lines)
s = json.loads(lines[0])
print(eval(sys.argv[2]))
END
}
# has EXPRESSION...: each is true for the line on standard error of the last run
has() {
	local expression
	for expression in "$@"; do
		same "$expression of $(cat "$TEST_FOLDER/err")" True "$(json "$TEST_FOLDER/err" "$expression")"
	done
}

# A run of simhash: every field, and nothing else on standard error.
as_time="__import__('datetime').datetime.fromisoformat(s['started'].replace('Z', '+00:00')).timestamp()"
before=$(($(date +%s) - 1))
runs 0 "$SIMHASH" --summary=json "$files"
has "s['program'] == 'simhash'" "s['task'] == 'index'" "s['result'] == 'ok'" "s['exit'] == 0" \
	"s['scanned'] == 6" "s['unchanged'] == 0" "s['moved'] == 0" "s['removed'] == 0" "s['failed'] == 0" \
	"s['bytes'] == $(($(find "$files" -type f -printf '%s+')0))" \
	"0 <= s['seconds'] < 600" "s['error'] is None" "s['sketched_again'] == 0" \
	"s['host'] == '$(uname -n)'" "s['paths'] == ['$files']" \
	"$before <= $as_time <= __import__('time').time()" \
	"s['version'] == '$("$SIMHASH" --version | sed -n '1s/.* //p')'" \
	"set(s) == set('program version task result exit started host paths scanned unchanged moved removed failed left_out sketched_again listed_directories listed_others kernel_file_systems bytes seconds error'.split())"
same "lines" 1 "$(wc -l <err)"
rm "$files/one/4"
runs 0 "$SIMHASH" --summary=json "$files"
has "s['scanned'] == 0" "s['unchanged'] == 5" "s['removed'] == 1"
# Files that could not be read, in the line and in the exit status.
printf '%s\0' "$files/one" "$files/none" >list
runs 2 "$SIMHASH" --summary=json --files0-from=list
has "s['result'] == 'unreadable'" "s['exit'] == 2" "s['failed'] == 1" "s['listed_directories'] == 1"
said "simhash: $files/none: No such file or directory"
# A run that fails, also before it begins.
runs 1 "$SIMHASH" --summary=json -d sqlite:/no/such/index "$files"
has "s['result'] == 'failed'" "s['exit'] == 1" "s['error'].startswith('cannot create index sqlite:/no/such/index')"
printf 'no zero byte\nin two lines\n' >lines
runs 1 "$SIMHASH" --summary=json --files0-from=lines
has "s['result'] == 'failed'" "s['error'].startswith('lines: names are terminated by newlines')"
# A run that is interrupted while it waits for its list.
mkfifo names
runs_before=$(sql 'SELECT COUNT(*) FROM scan_run')
is_begun() {
	[ "$(sql 'SELECT COUNT(*) FROM scan_run')" != "$runs_before" ]
}
set -m
"$SIMHASH" --summary=json --files0-from=- <names 2>err &
pid=$!
exec 7>names
printf '%s\0' "$files/one/1" >&7
wait_until is_begun
kill -s TERM $pid
status=0
wait $pid || status=$?
exec 7>&-
set +m
same "status after TERM" 143 "$status"
has "s['result'] == 'interrupted'" "s['exit'] == 143"

# A run of simfind.
runs 0 "$SIMFIND" --summary=json
has "s['program'] == 'simfind'" "s['task'] == 'find'" "s['result'] == 'ok'" "s['exit'] == 0" \
	"s['identical'] == $(grep -c ^identical out)" "s['pairs'] == $(grep -c . out)" \
	"s['similar'] == s['pairs'] - s['identical']" "s['kept'] == s['pairs']" "s['files'] == 4" \
	"s['left_out'] == 0" "s['unsketched'] == 0" "s['unreadable'] == 0" "s['error'] is None" \
	"set(s) == set('program version task result exit started host paths files pairs identical similar kept left_out empty unsketched unreadable seconds error'.split())"
same "lines" 1 "$(wc -l <err)"
runs 0 "$SIMFIND" --summary=json --limit=1
has "s['left_out'] == s['pairs'] - 1" "s['pairs'] > 1"
runs 3 "$SIMFIND" --summary=json --fail-on-match
has "s['result'] == 'match'" "s['exit'] == 3" "s['error'] is None"
runs 0 "$SIMFIND" --summary=json --group --format=json
same "groups" "$(python3 -c 'import json; g = json.load(open("out"))
print(len(g), sum(x["files"] for x in g), sum(x["copied_bytes"] for x in g))')" \
	"$(json err "'%d %d %d' % (s['groups'], s['grouped_files'], s['copied_bytes'])")"
has "s['copies'] == 1" "'pairs' not in s"
runs 2 "$SIMFIND" --summary=json "$files/one/1" "$files/none"
has "s['result'] == 'unreadable'" "s['exit'] == 2" "s['unreadable'] == 1" "s['candidates'] > 1" "'files' not in s"
for words in gone/ "--between gone $files" --known=gone; do
	# shellcheck disable=SC2086  # are several words
	runs 1 "$SIMFIND" --summary=json $words
	has "s['result'] == 'failed'" "s['exit'] == 1" "'No such file or directory' in s['error']"
done
runs 1 "$SIMFIND" --summary=json --bogus # is not a run
same "lines for a wrong option" 1 "$(wc -l <err)"
runs 1 "$SIMFIND" --summary=json -o /dev/full
has "s['result'] == 'failed'" "s['exit'] == 1" "s['error'] == 'cannot write to /dev/full: No space left on device'"
runs 0 "$SIMFIND" --summary=json --update "$files"
same "tasks" "index find" "$(python3 -c 'import json; print(" ".join(json.loads(l)["task"] for l in open("err")))')"
# The paths: as the user named FILEs and PATHs, and the whole paths of directories.
runs 0 "$SIMHASH" --summary=json --host=other "$files/one" "$files/two/"
has "s['host'] == 'other'" "s['paths'] == ['$files/one', '$files/two/']"
runs 0 "$SIMFIND" --summary=json
has "s['paths'] == []" "s['host'] == '$(uname -n)'" "$before <= $as_time <= __import__('time').time()"
runs 0 "$SIMFIND" --summary=json "$files/one/1" - "$files/two/" <"$files/one/2"
has "s['paths'] == ['$files/one/1', '-', '$files/two']"
runs 0 "$SIMFIND" --summary=json --between "$files/one" other:
has "s['paths'] == ['$files/one', 'other:/']"
runs 0 "$SIMHASH" -q --forget --host=other /
# Text is the default and has not changed.
runs 0 "$SIMFIND" --summary=text
said " pairs ("
runs 0 "$SIMHASH" --summary=text "$files"
said "0 scanned, 5 unchanged"
runs 1 "$SIMHASH" --summary=xml "$files"
said "--summary 'xml': expected text, json or none"
runs 1 "$SIMFIND" -q --summary=json
said "--summary cannot be combined with --quiet"
runs 1 "$SIMHASH" --status --summary=json
said "--status cannot be combined with --summary"

# While waiting for a server, nothing is done, and no time is estimated.
if [ "$TEST_ENGINE" = mysql ]; then
	runs 1 "$SIMHASH" -d mysql://nobody@127.0.0.1:1/none --wait-server=2 --progress=always "$files"
	said "waiting for the server"
	same "estimates" 0 "$(grep -c ' left' err || true)"
fi

# The index: numbers as SQL counts them, and names with any bytes.
odd=$files/$'odd\x1b\xff"name'
mkdir "$odd"
cp "$files/one/1" "$odd/x"
runs 0 "$SIMHASH" --measure=minhash "$odd"
runs 0 "$SIMHASH" --host=web1 "$files/two"
runs 0 "$SIMHASH" --host=web1 "$files/two"
sql "UPDATE scan_run SET finished_at_ns = NULL WHERE id = 1"
runs 0 "$SIMHASH" --status --format=json
python3 - "$TEST_URL" "$(hostname)" "$odd" "$files/two" "$(sql "SELECT host.name, COUNT(*), SUM(size)
	FROM file JOIN host ON host.id = file.host GROUP BY host.name" | tr '\n' ' ')" <<'END'
import json, os, re, sys
url, host, odd, two, rows = sys.argv[1:]
s = json.load(open("out", encoding="utf-8"))
assert set(s) == {"bytes", "index", "totals", "measures", "runs", "answers"}, s
assert s["answers"] == []
assert s["index"] == url and s["bytes"] > 4096
found = {t["host"]: (t["files"], t["bytes"]) for t in s["totals"]}
assert found == {r.split("|")[0]: tuple(map(int, r.split("|")[1:])) for r in rows.split()}, (found, rows)
assert all(set(t) == {"files", "sketches", "bytes", "damaged", "oldest_verified", "host", "tag_set"} and t["tag_set"] == "sample" for t in s["totals"])
assert s["measures"] == [{"sketches": 1, "measure": "minhash:bytes=8,functions=128,cluster=4"}], s["measures"]
last = {(r["host"], r.get("path_hex", r["path"])): r for r in s["runs"]}
assert last["web1", two]["runs"] == 2 and last["web1", two]["errors"] == 0
assert last["web1", two]["bytes"] in (0, os.path.getsize(two + "/copy"))
at = last[host, os.fsencode(odd).hex()]
assert at["path"].endswith('odd\x1b\ufffd"name') and at["scanned"] == 1
for r in s["runs"]:
    assert set(r) - {"path_hex"} == set("runs started finished scanned bytes errors host tag_set path".split()), r
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", r["started"]), r
assert at["finished"] >= at["started"]
END
runs 1 "$SIMHASH" --format=json "$files"
said "--format needs --status"

# No file is similar to standard input: a note says whether a name could change this.
mkdir "$files/named"
for i in 1 2 3; do
	seq "$i" 7 60000 >"$files/named/$i.txt"
done
sed 2000,2030d "$files/named/1.txt" >near
settle "$files/named"
runs 0 "$SIMHASH" "$files/named"
# nothing WHY OPTION...: nothing is found, and the note says why
nothing() {
	runs 0 "$SIMFIND" "${@:2}" - <near
	same "pairs by ${*:2}" 0 "$(wc -l <out)"
	said "simfind: note: $1"
}
no_name="standard input counts as a file without an extension, and"
nothing "$no_name only files of the same extension can be found by this key; give a FILE to search with its extension" --verify=no
nothing "$no_name only files of the same extension can be similar to it" --same-extension
nothing "$no_name only files of the same extension can be similar to it" --candidates=skew_ext
cp near near.txt
for option in --verify=no --same-extension; do
	runs 0 "$SIMFIND" $option near.txt
	[ -s out ] || fail "a name did not help with $option"
	same "notes" 0 "$(grep -c note: err)"
done
runs 0 "$SIMFIND" - <near
[ -s out ] || fail "a name matters by default"
runs 0 "$SIMFIND" - <<<"something else altogether, and not much of it"
said "simfind: note: no file in the index is similar to standard input; --nearest=N lists"
runs 0 "$SIMFIND" -q - <<<"something else altogether, and not much of it"
same "notes when quiet" 0 "$(wc -l <err)"
# Nothing is similar to a file, or no files are similar: the message says which options hide files,
# or that the index does not cover the file.
runs 0 "$SIMFIND" "$files/empty"
same "notes of a file" 0 "$(grep -c note: err)"
explained() {
	runs 0 "$SIMFIND" "${@:2}"
	same "list of ${*:2}" "" "$(cat out)"
	same "notes of ${*:2}" "simfind: note: $1" "$(grep note: err)"
	runs 0 "$SIMFIND" -q "${@:2}"
	same "what ${*:2} -q shows" "" "$(cat out err)"
}
for option in --ext=none --exclude='*' --min-size=1G --max-size=1; do
	explained "nothing was found with ${option%%=*}; without it there may be more" $option
done
explained "nothing was found with --ext, --only; without them there may be more" --only=parts --ext=txt
mkdir "$TEST_FOLDER/uncovered"
echo "something else altogether, and not much of it" >"$TEST_FOLDER/uncovered/file"
explained "the index has no files at or below $TEST_FOLDER/uncovered; to search them too, index them first: simhash $TEST_FOLDER/uncovered
simfind: note: the index does not show whether larger files contain a short FILE; --verify=read reads them" \
	"$TEST_FOLDER/uncovered/file"
printf x >"$TEST_FOLDER/uncovered/byte"
explained "--nearest compares only files whose sizes differ by a factor of at most 1.5; --size-ratio=RATIO sets another one" \
	--nearest=2 "$TEST_FOLDER/uncovered/byte"
cp "$TEST_FOLDER/uncovered/file" "$files/named/else"
explained "nothing was found with --min-resemblance; without it there may be more" --min-resemblance=100% "$files/named/else"
for words in "" --group --directories --order "$files/named/else"; do
	runs 0 "$SIMFIND" --exclude='*' $words
	same "notes of $words" 1 "$(grep -c "note: nothing was found with --exclude; " err)"
done
rm "$files/named/else"
runs 0 "$SIMHASH" --measure=minhash "$files"
runs 0 "$SIMFIND" --measure=minhash --min-resemblance=0.9 - <<<"something else altogether, and not much of it"
said "simfind: note: no file is similar to standard input by minhash:bytes=8,functions=128,cluster=4; --min-resemblance accepts less than 90%"
# Without sketches, only files with the same extension are compared.
reset
mkdir -p "$TEST_FOLDER/nothing"
runs 0 "$SIMHASH" "$TEST_FOLDER/nothing"
for words in "" --group "$files/named/1.txt" --order; do
	explained "the index is empty; add files with simhash PATH" $words
done
runs 0 "$SIMHASH" --no-sketch "$files/named"
nothing "$no_name a file without a resemblance sketch can be similar to it only if it has the same"
runs 0 "$SIMFIND" near.txt
[ -s out ] || fail "a name did not help without sketches"

# A resemblance of 1 is shown only for identical files: one byte of 300,000 was changed, and no
# sketch shows this.
reset
rm -rf "$files"
mkdir -p "$files/one" "$files/two"
random_bytes 300000 77 >"$files/one/data"
{
	head -c 150000 "$files/one/data"
	printf '\n\n'
	tail -c +150003 "$files/one/data"
} >"$files/two/data"
settle "$files"
runs 0 "$SIMHASH" -q "$files"
for how in "" --group --verify=all --min-resemblance=0.7 "--directories $files/one $files/two" --group=lineage; do
	for format in csv json; do
		[ "$format $how" != "csv --group=lineage" ] || continue
		# shellcheck disable=SC2086  # several options
		runs 0 "$SIMFIND" --summary=none $how --format=$format
		grep -q '0\.99' out || fail "'$how' shows no share as $format: $(cat out)"
		grep -v representative out | grep -E '(^|[,:])1\.000000' && fail "'$how' shows all as $format"
	done
done
runs 0 "$SIMFIND" --compare "$files/one/data" "$files/two/data"
grep -qE '^[a-z0-9: ]+ 100\.0000%' out && fail "two files that differ have a share of all: $(cat out)"
runs 0 "$SIMFIND" -q --store
same "shares in the index" 0 "$(sql "SELECT COUNT(*) FROM found_pair WHERE resemblance >= 1")"
