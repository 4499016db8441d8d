#!/usr/bin/env bash
# Tests names that control a terminal or a spreadsheet in every output format: text and messages
# show them escaped, messages about a failure name the file this way, JSON and CSV can be read back,
# and no CSV field begins like a formula.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
unset PAGER SIMHASH_KERNEL

# clean FILE...: it is UTF-8 in which only the end of a line acts on a display
acts='[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
clean() {
	if LC_ALL=C grep -anP "$acts" "$@" >found || ! cat "$@" | iconv -f UTF-8 -t UTF-8 >>found; then
		fail "bytes that act on a display, by $ran: $(head -c 2000 found | od -c)"
	fi
}
ran="the test of the test"
for bytes in '\0' '\t' '\r' '\033' '\177' '\302\233' '\233' '\377' '\342\200\256' '\355\240\200'; do
	printf 'a%bb\n' "$bytes" >bad
	! (clean bad) 2>/dev/null || fail "$bytes is taken for clean"
done
printf 'a\\x1b \303\251\342\202\254\n' >good
clean good
# Run a command with an expected exit status: messages STATUS COMMAND... checks standard error, and
# the functions below also check the output.
as_expected() {
	printf -v ran '%q ' "${@:2}"
	runs "$@"
}
messages() {
	as_expected "$@"
	clean err
}
text() {
	as_expected "$@"
	clean out err
}
# without_tabs FILE: it is clean, except for the tabs of its layout
without_tabs() {
	tr -d '\t' <"$1" >layout
	clean layout
}
# names SHOWN COMMAND...: the command fails with a message that contains the name as shown
names() {
	local shown=$1
	shift
	text 1 "$@"
	[ -s err ] || fail "$ran: no message"
	said "$shown"
	same "lines of the message of $ran" 1 "$(wc -l <err)"
}
json() {
	messages "$@"
	clean out
	python3 -ISc 'import json, sys; json.load(open("out", encoding="utf-8"))' || fail "$ran: JSON cannot be read"
}
lines() {
	messages "$@"
	clean out
	python3 -ISc 'import json, sys; [json.loads(line) for line in open("out", encoding="utf-8", newline="\n")]' ||
		fail "$ran: a line of JSON cannot be read"
}
# No field begins like a formula, and some fields are paths.
table() {
	messages "$@"
	python3 -IS - <<'PYTHON' || fail "$ran: CSV"
import csv
with open("out", encoding="utf-8", errors="surrogateescape", newline="") as file:
    rows = list(csv.reader(file, strict=True))
header, found = rows[0], 0
for row in rows[1:]:
    assert len(row) == len(header), row
    for column, field in zip(header, row):
        assert field == "" or field[0] not in "=+-@\t\r\n", (column, field)
        found += column.startswith("path")
assert found, "no path is listed"
PYTHON
}

# ---- The files ----
# Each name as it is, and as it is shown.
raw=($'title\e]0;x\a.txt' $'clear\e[2J' $'new\nline.txt' $'cr\rover' $'back\b\b.txt' $'del\x7f' $'c1\xc2\x9b31m'
	$'byte\x9b31m' $'bad\xff\xfe.txt' "both\"'.txt" -rf "=cmd|' C'!A0" +1+1 @sum $'\ttab' $'\rreturn' $'\nfirst' "'quote"
	'trail ' $'end\n' $'rtl\xe2\x80\xaetxt.exe' 'back\slash')
shown=('title\x1b]0;x\x07.txt' 'clear\x1b[2J' 'new\nline.txt' 'cr\x0dover' 'back\x08\x08.txt' 'del\x7f' 'c1\xc2\x9b31m'
	'byte\x9b31m' 'bad\xff\xfe.txt' "both\"'.txt" -rf "=cmd|' C'!A0" +1+1 @sum '\ttab' '\x0dreturn' '\nfirst' "'quote"
	'trail ' 'end\n' 'rtl\xe2\x80\xaetxt.exe' 'back\\slash')
# All of these bytes in one name.
evil=$'=e\e[31m\n\r\b\x7f\xc2\x9b\x9b\xff\'" '
evil_shown="=e\\x1b[31m\\n\\x0d\\x08\\x7f\\xc2\\x9b\\x9b\\xff'\" "
dir=$files/d$evil
dir_shown=$files/d$evil_shown
other=$files/other$evil
other_shown=$files/other$evil_shown
mkdir "$dir" "$other" "$evil"
for number in "${!raw[@]}"; do
	seq 3000 >"$dir/${raw[number]}"
	# All files move, except for the first and the last.
	seq 3000 >"$other/${raw[(number + 1) % ${#raw[@]}]}"
done
rm "$other/${raw[3]}" "$dir/${raw[5]}"
(seq 2900 && echo "$evil") >"$dir/=similar$evil"
(seq 2920 && echo "$evil") >"$other/=similar$evil"
python3 - "$dir/packed$evil" <<'PYTHON'
import gzip, io, os, sys, tarfile, zipfile
base = os.fsencode(sys.argv[1])
content = b"".join(b"%d\n" % i for i in range(1, 3001))
members = [b"m\x1b[31m", b"m\n\r\b\x7f", b"m\xc2\x9b", b"m\x9b\xff", b"=m", b"m/\x1b]0;x\x07/-m '\""]
with tarfile.open(base + b".tar", "w") as tar:
    for name in members:
        info = tarfile.TarInfo(os.fsdecode(name))
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
with zipfile.ZipFile(sys.argv[1] + ".zip", "w") as zip:
    for name in members:
        zip.writestr(name.decode() if b"\xff" not in name else "RAW", content)
whole = open(base + b".zip", "rb").read().replace(b"RAW", b"\x9b\xff\x1b")
open(base + b".zip", "wb").write(whole)
open(base + b"broken.zip", "wb").write(whole[:2000])
bad = bytearray(whole)
bad[600:900] = bytes(300)
open(base + b"damaged.zip", "wb").write(bad)
open(base + b"cut.gz", "wb").write(gzip.compress(content)[:-2000])
PYTHON
settle "$files"

# ---- simhash ----
text 2 "$SIMHASH" -z "$files"
said "$dir_shown/packed${evil_shown}broken.zip"
said "$dir_shown/packed${evil_shown}damaged.zip"
said "$dir_shown/packed${evil_shown}cut.gz"
messages 0 "$SIMFIND" --order --format=null
find "$files" -type f -print0 | LC_ALL=C sort -z >expected
LC_ALL=C sort -z out | LC_ALL=C grep -azv // | cmp - expected || fail "the list of all files is another one"
messages 2 "$SIMHASH" -z --summary=json --limits=depth=1 --force "$files"
# Progress has its own control sequences, and no others.
as_expected 2 "$SIMHASH" -zf --progress=always "$files"
sed -i $'s/\r\e\\[K//g' err
clean err
text 0 "$SIMHASH" --status
grep -qF "$files" out || fail "no status"
json 0 "$SIMHASH" --status --format=json
text 0 "$SIMHASH" "$dir" "$other"
text 0 "$SIMHASH" --status
grep -qF "$dir_shown" out || fail "no status of the directory"
json 0 "$SIMHASH" --status --format=json
text 2 "$SIMHASH" -z --print "$dir"/* "$other"/*
said "$dir_shown/packed${evil_shown}cut.gz"
for number in "${!shown[@]}"; do
	[ "$number" = 5 ] || grep -qF -- "$dir_shown/${shown[number]}" out || fail "--print does not show ${shown[number]}"
done
text 2 "$SIMHASH" -z --print --format=digest "$dir"/* "$other"/*
text 0 "$SIMHASH" --export="$evil/digests"
clean "$evil/digests"
text 0 "$SIMHASH" -d sqlite:other.db --host=far --import="$evil/digests"
printf '%s\0' "$evil/none" "$dir/-rf" >list
text 2 "$SIMHASH" --files0-from=list
said "$evil_shown/none: No such file or directory"

# ---- simfind: lists ----
for words in "" -j2 --group=none --group --group=single --min-resemblance=0.7 --group=lineage "--verify=read --same-extension" --verify=all \
	--order --order=delta --directories "--nearest=2 $files/nearest" "--between $files $files" \
	"--against=$files/list" "--sort=path --limit=3" --partition=1/2 --also=empty; do
	rm -f "$files/nearest" "$files/list"
	[[ $words != *nearest ]] || cp "$dir/-rf" "$files/nearest"
	[[ $words != *list ]] || cp "$evil/digests" "$files/list"
	# shellcheck disable=SC2086  # some options
	text 0 "$SIMFIND" $words
	case $words in
	*=1/2) ;;
	*) grep -qF "$dir_shown" out || fail "$ran does not show the directory" ;;
	esac
done
rm -f "$files/list"
for words in "" --group --order=delta --directories --group=none; do
	# shellcheck disable=SC2086  # an option
	table 0 "$SIMFIND" --format=csv $words
	# shellcheck disable=SC2086  # an option
	json 0 "$SIMFIND" --format=json $words
	# shellcheck disable=SC2086  # an option
	lines 0 "$SIMFIND" --format=jsonl $words
done
text 0 "$SIMFIND" --directories "$dir" "$other"
grep -qF '=similar=e\x1b[31m' out || fail "the similar file is not shown"
table 0 "$SIMFIND" --directories --format=csv "$dir" "$other"
grep -qaF "'=cmd|" out || fail "no name is kept from being a formula"
json 0 "$SIMFIND" --directories --format=json "$dir" "$other"
lines 0 "$SIMFIND" --directories --format=jsonl "$dir" "$other"
json 0 "$SIMFIND" --group=lineage --format=json
for words in --format=html "--group=lineage --format=html" "--group=lineage --format=dot" "--directories --format=html"; do
	# shellcheck disable=SC2086  # some options
	messages 0 "$SIMFIND" $words
	without_tabs out
done
for words in --format=null "--format=null --group" "--format=null --group=lineage" "--format=null --order=delta"; do
	# shellcheck disable=SC2086  # some options
	messages 0 "$SIMFIND" $words
done
text 0 "$SIMFIND" "$dir"/*.txt "$dir"
text 2 "$SIMFIND" -z "$dir"/*
said "$dir_shown/packed${evil_shown}cut.gz"
text 0 "$SIMFIND" --compare "$dir/=similar$evil" "$other/=similar$evil"
grep -qF "$dir_shown/=similar$evil_shown" out || fail "--compare does not show the file"
text 0 "$SIMFIND" --store --tolerance="$evil=2" "$dir"
text 0 "$SIMHASH" --status
grep -qF -- "--tolerance=${evil_shown%%\'*}" out || fail "the command of the answers is not shown"
json 0 "$SIMHASH" --status --format=json
text 2 "$SIMFIND" "$evil/none" "$dir/-rf"
said "$evil_shown/none: No such file or directory"
text 2 "$SIMFIND" --files0-from=list
said "$evil_shown/none: No such file or directory"
as_expected 0 "$SIMFIND" --progress=always
sed -i $'s/\r\e\\[K//g' err
clean out err
messages 1 "$SIMFIND" --summary=json --known="$evil/none"
grep '^{' err >out
python3 -ISc 'import json; json.load(open("out"))' || fail "the summary cannot be read"

# ---- simkeep: copies ----
text 0 "$SIMFIND" -o "$evil/list"
clean "$evil/list"
text 0 "$SIMKEEP" --action=script:"$evil/script"
without_tabs "$evil/script"
said "$evil_shown/script: a script for"
sh -n "$evil/script" || fail "sh does not take the script"
PATH=$(dirname "$SIMKEEP"):$PATH
text 0 sh "$evil/script"
mkdir "$other/to" # nothing moves to a protected directory
for action in report hardlink delete "move:$other/to"; do
	text 0 "$SIMKEEP" --keep=oldest --action="$action" --protect="$evil"
	grep -qF "$dir_shown/title\\x1b]0;x\\x07.txt" out || fail "$ran does not show the copy"
done
rmdir "$other/to"
text 0 "$SIMKEEP" --keep=in:"$other" --action=delete --action=script:"$evil/plan" --protect="$evil"
without_tabs "$evil/plan"
sh -n "$evil/plan" || fail "sh does not take the script of the plan"
sed 's/^#delete /delete /' "$evil/plan" >act.sh
text 0 env JOURNAL="$evil/j1" sh act.sh
said "to undo: simkeep --undo=FILE" # no command line for a terminal can contain such a name
clean "$evil/j1"
[ ! -e "$dir/-rf" ] || fail "the script has done nothing"
# A copy has changed, and another file gets the name of a removed one.
text 0 "$SIMKEEP" --undo="$evil/j1"
seq 9 >"$dir/${raw[0]}"
text 2 "$SIMKEEP" --undo="$evil/j1" --yes
said "$dir_shown/${shown[0]}: "
[ -e "$dir/-rf" ] || fail "nothing is restored"
seq 3000 >"$dir/${raw[0]}"
settle "$files"
text 0 "$SIMHASH" "$files"
seq 9 >"$dir/${raw[1]}"
text 2 "$SIMKEEP" --keep=oldest --action=hardlink --yes --journal="$evil/j2"
said "$dir_shown/${shown[1]}: left alone: "
text 0 "$SIMKEEP" --undo="$evil/j2" --yes
head -c 900 "$evil/j2" >"$evil/cut"
text 0 "$SIMKEEP" --undo="$evil/cut" --yes
said "$evil_shown/cut: the journal has no end: "
printf '\e[31m\x9b\n' >>"$evil/j2"
names "$evil_shown/j2, line " "$SIMKEEP" --undo="$evil/j2" --yes
quoted="j=cmd|' C'!A0 \$(touch pwned)\`touch pwned\`\""
text 2 "$SIMKEEP" --keep=oldest --action=hardlink --yes --journal="$quoted"
sed -n 's/.*; to undo: simkeep //p' err >words
(
	eval "set -- $(cat words)"
	same "name of the journal in the command that is advised" "--undo=$quoted" "$*"
)
text 0 "$SIMKEEP" --undo="$quoted" --yes
[ ! -e pwned ] || fail "a name was run"

# ---- Decisions ----
# decisions FIELD VALUE: written to standard output, with this value in place of the decided one
decisions() {
	python3 - "$dir/-rf" "$other/-rf" "$(hostname)" "$@" <<'PYTHON'
import hashlib, json, os, sys, time
kept, copy, host, field, value = sys.argv[1:]
def entry(path, decision):
    ns, content = os.stat(path).st_mtime_ns, open(path, "rb").read()
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + ".%09dZ" % (ns % 10**9)
    return {"path": os.fsencode(path).decode("utf-8", "replace"), "path_hex": os.fsencode(path).hex(), "host": host,
            "size": len(content), "mtime": when, "hash": hashlib.md5(content).hexdigest(), "decision": decision}
files = [entry(kept, "keep"), entry(copy, "give up")]
top = {"format": "simfind decisions", "format_version": 1, "groups": [{"id": "0", "files": files}]}
for place in (top, top["groups"][0], files[1]):
    if field in place:
        place[field] = os.fsencode(value).decode("utf-8", "replace")
        if field == "path":
            del place["path_hex"]
json.dump(top, sys.stdout)
PYTHON
}
decisions none none >"$evil/decisions"
text 0 "$SIMKEEP" --decisions="$evil/decisions" --action=delete
grep -qF "$other_shown/-rf" out || fail "the copy is not shown"
for field in format format_version id path host size mtime hash decision; do
	decisions "$field" "/$evil" >"$evil/decisions"
	ran="--decisions with another $field" status=0
	"$SIMKEEP" --decisions="$evil/decisions" --action=delete >out 2>err || status=$?
	[ $status -le 2 ] || fail "$ran ended with $status"
	clean out err
	[ "$field" = id ] || [ -s err ] || fail "no message about $field"
done

# ---- Messages about arguments ----
none=$evil/none$evil
none_shown=$evil_shown/none$evil_shown
gone="$none_shown: No such file or directory"
for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
	names "--none${evil_shown#=}" "$program" "--none${evil#=}"
	names "database URL '$evil_shown'" "$program" -d "$evil" "$files"
	names "database URL '$evil_shown'" env SIMHASH_DATABASE="$evil" "$program" "$files"
	names "$none_shown/i.db" "$program" -d "sqlite:$none/i.db" "$files"
	text 1 "$program" $'-\e'
	text 1 "$program" $'-\x9b'
	# shellcheck disable=SC2016  # for the inner shell
	text 1 bash -c 'exec -a "$2" "$1" -d' - "$program" "$evil"
	[ "$program" = "$SIMKEEP" ] || names "$gone" "$program" --tag-set="$none" "$files"
	[ "$program" = "$SIMKEEP" ] || names "$gone" "$program" --files0-from="$none"
	text 1 env SIMHASH_KERNEL="$evil" "$program" "$dir/-rf" --force
	said "$evil_shown"
	text 1 env -u SIMHASH_DATABASE XDG_DATA_HOME="$PWD/$evil/digests" "$program" "$files"
	said "$evil_shown/digests"
done
# Every option in the help that takes a value, with a value that is a name or is refused.
for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
	"$program" --help | grep -oE '^ +(-., )?--[a-z0-9-]+\[?=' | grep -oE -- '--[a-z0-9-]+' | sort -u >options
	[ "$(wc -l <options)" -gt 10 ] || fail "the help has only $(wc -l <options) options"
	while read -r option; do
		more=() status=0
		[ "$program" != "$SIMHASH" ] || more=("$dir/-rf")
		case $option in
		--action | --protect) more=(--keep=oldest "$files") ;;
		--journal) more=(--keep=oldest --action=delete --yes "$files") ;;
		--into) more=("$files") ;;
		--in) more=(--missing "$files") ;;
		--copy-to) more=() ;;
		--import) more=(--host=far) ;;
		--require-tls) more=(--init-database) ;;
		--password-file) continue ;; # only for a server
		esac
		ran="$program $option"
		"$program" "${more[@]}" "$option=/none$evil/x" >out 2>err </dev/null || status=$?
		# simkeep leaves files that have changed since they were indexed.
		[ $status -le 1 ] || [ "$program $status" = "$SIMKEEP 2" ] || fail "$ran ended with $status"
		clean out err
		[ $status != 1 ] || said "${evil_shown#=}"
	done <options
done
text 1 "$SIMHASH" "$none"
said "$gone"
names "$none_shown" "$SIMHASH" --forget "$PWD/$none"
names "$none_shown" "$SIMHASH" --export "$PWD/$none"
text 2 "$SIMHASH" --print "$none" "$dir/-rf"
said "$gone"
text 1 "$SIMHASH" --import="$none" --host=far
said "$gone"
names "$evil_shown/x: No such file" "$SIMHASH" --measure="simhash64:weights=$evil/x" "$files"
names "'wordz=1$evil_shown'" "$SIMHASH" --measure="minhash:wordz=1$evil" "$files"
names "$none_shown" "$SIMFIND" "$none/"
names "$none_shown" "$SIMFIND" --compare "$none" "$dir/-rf"
names "$none_shown" "$SIMFIND" --between "$none" "$files"
names "x$evil_shown:" "$SIMFIND" --between "x$evil:" "$files"
names "$none_shown" "$SIMFIND" --directories "$none" "$files"
names "$none_shown" "$SIMKEEP" --keep=in:"$none"
names "$none_shown" "$SIMKEEP" --keep=oldest --action=move:"$none" "$files"
names "$evil_shown/digests: expected a new file" \
	"$SIMKEEP" --keep=oldest --action=delete --yes --journal="$evil/digests" "$files"
names "$dir_shown/-rf: " "$SIMFIND" -o "$dir/-rf"
messages 1 "$SIMHASH" --summary=json --tag-set="$none" "$files"
grep '^{' err >out
python3 -ISc 'import json; json.load(open("out"))' || fail "the summary cannot be read"

# ---- Messages about the content of files ----
# with CONTENT PROGRAM OPTION [WORD]...: a file with this content is refused with its name
with() {
	printf '%b' "$1" >"$evil/wrong"
	local option=$3
	[[ $option == *@ ]] || option+='='
	text 1 "$2" "$option$evil/wrong" "${@:4}"
	said "$evil_shown/wrong"
}
for line in '\e[31m\x9b\r\x7f \xc2\x9b=\n' 'name \e[31m\n\e[31m\n' '{"\e[31m":1}\n' \
	'{"format":"\\u001b[31m\x9b","format_version":1}\n' \
	'simhash-digests 5\nname \e\x9b\n\e[31m \x9b\n' '#\e\n"SHA-1","\e[31m"\n"\x9b","\e"\n'; do
	with "$line" "$SIMHASH" --tag-set "$files"
	with "$line" "$SIMHASH" --filter=@ "$files"
	with "$line" "$SIMHASH" --import --host=far
	with "$line" "$SIMHASH" --measure=simhash64:weights "$files"
	with "$line" "$SIMFIND" --tolerance=@
	with "$line" "$SIMFIND" --files0-from
	with "$line" "$SIMFIND" --against
	with "$line" "$SIMFIND" --known
	with "$line" "$SIMKEEP" --decisions
	with "$line" "$SIMKEEP" --undo --yes
	text 1 "$SIMKEEP" --decisions=- <"$evil/wrong"
done
# Names of tag sets.
"$SIMHASH" --print --format=digest "$dir/-rf" | sed -n '3,18p' >tags
(printf 'name set\e[31m\x9b\n' && cat tags) >"$evil/wrong"
names "$evil_shown/wrong" "$SIMHASH" --tag-set="$evil/wrong" "$files"
cp tags "$evil/=set"$'\e[31m'
text 1 "$SIMHASH" -d sqlite:tags.db --tag-set="$evil/=set"$'\e[31m' "$files"
said '=set\x1b[31m'
# Files of another host, and files of a list with such a name.
text 0 "$SIMFIND" -d sqlite:other.db
grep -qF "far:$dir_shown/-rf" out || fail "no file of the other host"
table 0 "$SIMFIND" -d sqlite:other.db --format=csv
cp "$evil/digests" "=list$evil"
text 0 "$SIMFIND" --against="=list$evil"
grep -qF "=list$evil_shown:" out || fail "the list is not named"
table 0 "$SIMFIND" --against="=list$evil" --format=csv
json 0 "$SIMFIND" --against="=list$evil" --format=json
# Commands that fail, and ignore files that cannot be read.
filter='printf "x\n\033[31m\r\233last\177" >&2; exit 3'
text 2 "$SIMHASH" -d sqlite:filtered.db --filter="txt:sh -c '$filter'" "$dir"
said "$dir_shown/both\"'.txt: "
said 'last\x7f'
truncate -s 2M "$dir/.gitignore"
text 2 "$SIMHASH" -d sqlite:ignored.db --ignore-files "$files"
said "$dir_shown/.gitignore"
rm "$dir/.gitignore"
# Settings of a server.
printf '[client\e\x9b]\n\e[31m=\e\n[client]\nport=\e[31m\x9b\n' >"$evil/wrong"
messages 1 timeout 60 "$SIMHASH" -d "mysql://127.0.0.1:1/x$evil?defaults-file=$evil/wrong" --status
messages 1 timeout 60 "$SIMHASH" -d "mysql://u$evil@127.0.0.1:1/x" --status

# ---- Files and directories that cannot be read ----
chmod 755 . "$evil"
mkdir "$evil/user" "$files/closed$evil"
cp "$SIMHASH" "$evil/user/simhash"
chmod 777 "$evil/user"
chmod 000 "$dir/-rf" "$dir/${raw[0]}" "$files/closed$evil"
text 2 as_user "$evil/user/simhash" -z -d "sqlite:$evil/user/i.db" "$files"
said "$dir_shown/-rf: Permission denied"
said "$dir_shown/${shown[0]}: Permission denied"
said "$files/closed$evil_shown: Permission denied"
text 0 as_user "$evil/user/simhash" -d "sqlite:$evil/user/i.db" --status
text 1 as_user "$evil/user/simhash" -d "sqlite:$evil/user/i.db" --tag-set="$dir/-rf" "$files"
said "$dir_shown/-rf: Permission denied"
chmod 755 "$files/closed$evil"
# A file that is removed before its pairs are read.
rm "$dir/-rf"
text 2 "$SIMFIND" --verify=all
said "$dir_shown/-rf: "
exit 0
