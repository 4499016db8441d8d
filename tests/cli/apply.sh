#!/usr/bin/env bash
# Tests acting on copies: nothing happens without --yes, only files that are identical at that
# moment are removed, and everything can be undone.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

make_files() {
	rm -rf "$files" journal* moved
	mkdir -p "$files/a" "$files/b" "$files/old" moved
	local i
	for i in 1 2 3; do
		seq "$((i * 1000))" >"$files/a/$i"
		cp "$files/a/$i" "$files/b/$i"
		cp "$files/a/$i" "$files/b/$i.copy"
		cp "$files/a/$i" "$files/old/$i"
	done
	touch -d '2019-01-01 00:00:00.123456789' "$files"/a/*
	touch -d '2020-01-01' "$files"/b/?
	touch -d '2021-01-01' "$files"/b/*.copy
	touch -d '2018-01-01' "$files"/old/*
	cp "$files/a/1" $'odd\n\xff'
	mv $'odd\n\xff' "$files/b/"
	touch -d '2022-01-01' "$files/b/"$'odd\n\xff'
	chmod 640 "$files"/b/*.copy
	seq 999 >"$files/a/similar"
	: >"$files/a/empty"
	: >"$files/b/empty"
	touch -d 2017-01-01 "$files/a/similar" "$files"/*/empty
	reset
	runs 0 "$SIMHASH" -q "$files"
}

# tree [FORMAT]: names, modes, times and contents, without temporary names
tree() {
	(cd "$files" && find . -type f -printf "%p %m %T@ ${1:-}\n" -exec cksum {} + | LC_ALL=C sort)
}

# shown TEXT: check the output of the last run, without the folder
shown() {
	same "output" "$1" "$(sed "s|$files/||" out)"
}

simkeep() {
	local expected=$1
	shift
	runs "$expected" "$SIMKEEP" "$@"
	sed "s|$files/||g" "$TEST_FOLDER/out" >shown
}

# sizes FILE...: print the sum of the sizes, as simkeep shows it
sizes() {
	stat -c %s "$@" | awk '{ sum += $1 } END { printf(sum < 1000 ? "%d bytes" : "%.1f kB", sum < 1000 ? sum : sum / 1000) }'
}

# ---- Messages about wrong options say what was expected ----
make_files
before=$(tree %i)
runs 1 "$SIMKEEP" --keep=best
said "--keep 'best': expected oldest, newest, shortest-path, longest-name, in:DIR, not-in:DIR or match:GLOB"
runs 1 "$SIMKEEP" --keep=oldest --action=link
said "--action 'link': expected report, hardlink, reflink, delete, move:DIR, merge:DIR or script:FILE"
runs 1 "$SIMKEEP" --keep=oldest --action=script:
said "--action 'script:': expected report, hardlink, reflink, delete, move:DIR, merge:DIR or script:FILE"
runs 1 "$SIMKEEP" --keep=oldest --action=delete --yes
said "--yes needs --journal=FILE, from which --undo restores"
runs 1 "$SIMKEEP" --keep=oldest --yes --journal=journal
said "--yes needs --action=hardlink, reflink, delete or move:DIR"
runs 1 "$SIMKEEP" --action=delete
said "--action needs --keep, --review or --decisions"
runs 1 "$SIMKEEP" --yes
said "--yes needs --keep, --review or --decisions, or --undo"
runs 1 "$SIMKEEP" --keep=oldest --journal=journal
said "--journal needs --yes"
runs 1 "$SIMKEEP" --keep=oldest --decisions=x.json
said "cannot be combined with"
runs 1 "$SIMKEEP" --keep=oldest --protect="$files/none"
said "--protect=$files/none: No such file or directory"
# A mistyped directory, or one that is not in the index, would prefer nothing.
runs 1 "$SIMKEEP" --keep=in:"$files/none" --action=delete
said "--keep=in:$files/none: No such file or directory"
runs 1 "$SIMKEEP" --keep=not-in:"$files/none"
said "--keep=not-in:$files/none: No such file or directory"
mkdir unknown
runs 1 "$SIMKEEP" --keep=in:unknown --action=delete
said "the index has no files at or below $TEST_FOLDER/unknown"
rmdir unknown
runs 1 "$SIMKEEP" --keep=oldest --action=move:none
said "--action=move:none: expected a directory that exists; make it first: No such file"
: >journal
runs 1 "$SIMKEEP" --keep=oldest --action=delete --yes --journal=journal
said "--journal=journal: expected a new file, but this file exists"
rm journal

# ---- Without --yes nothing is changed ----
reflinks=2
! cp --reflink=always "$files/a/1" "$TEST_FOLDER/shared" 2>/dev/null || reflinks=0
for action in report hardlink reflink delete "move:$TEST_FOLDER/moved"; do
	[ "$action" = reflink ] && expected=$reflinks || expected=0
	runs "$expected" "$SIMKEEP" --keep=oldest "--action=$action" "$files/a" "$files/old"
	said "; nothing has been changed"
done
simkeep 0 --keep=oldest --action=delete "$files/a" "$files/old"
same "the plan" "keep      old/3
delete    a/3
keep      old/2
delete    a/2
keep      old/1
delete    a/1" "$(cat shown)"
said "would delete 3 files and free $(sizes "$files"/a/[123]); nothing has been changed"
same "the tree" "$before" "$(tree %i)"
[ -z "$(ls moved)" ] || fail "moved: $(ls moved)"

# ---- The trees that a plan covers, and how the index gets the changes of an act ----
runs 0 "$SIMHASH" -q "$files/a" "$files/a/1" "$files/old"
runs 0 "$SIMKEEP" --keep=oldest --action=delete
said "the plan is for the whole index: $files; give DIRs to limit it"
runs 0 "$SIMKEEP" --keep=oldest --action=delete "$files/a" "$files/old"
same "messages about trees" 0 "$(grep -c 'the plan is for\|to update' err || true)"
mkdir -p other "odd ' name"
seq 700 >other/x
cp other/x "odd ' name/x"
seq 800 >"odd ' name/only"
runs 0 "$SIMHASH" -q other "odd ' name"
runs 0 "$SIMHASH" -q --host=elsewhere moved
runs 0 "$SIMKEEP" --keep=oldest
said "the plan is for the whole index: $files '$TEST_FOLDER/odd '\"'\"' name' $TEST_FOLDER/other; give DIRs to limit it"
runs 0 "$SIMKEEP" --keep=oldest --action=delete --yes --journal=journal.trees other "odd ' name"
runs 0 "$SIMKEEP" --keep=oldest
same "lines about deleted files" 0 "$(grep -c 'other/x\|name/x' out || true)"
rm -r other "odd ' name"
make_files

# ---- Rules in their order, and protected files ----
kept() {
	simkeep 0 "$@"
	grep '^keep' shown | grep -o '[^ ]*$' | tr '\n' ' '
}
same "newest" "b/3.copy b/2.copy b/odd\\n\\xff " "$(kept --keep=newest)"
same "in, then newest" "a/3 a/2 a/1 " "$(kept --keep=in:"$files/a" --keep=newest)"
same "not-in b, then newest" "a/3 a/2 a/1 " "$(kept --keep=not-in:"$files/b" --keep=newest)"
same "longest name" "b/3.copy b/2.copy b/1.copy " "$(kept --keep=longest-name)"
same "match, then oldest" "b/3.copy b/2.copy b/1.copy " "$(kept --keep='match:*.copy')"
same "shortest path" "a/3 a/2 a/1 " "$(kept --keep=shortest-path)"
same "protected" "b/3 b/2 b/1 " "$(kept --keep=oldest --protect="$files/b")"
simkeep 0 --keep=oldest --protect="$files" --action=delete
said "would delete 0 files"

# ---- Each action, and undoing it ----
before=$(tree)
for action in hardlink delete "move:$TEST_FOLDER/moved"; do
	make_files
	# Files with another mode do not become hard links; each other group of files has one
	# content.
	left=0
	[ "$action" != hardlink ] || left=2
	runs "$left" "$SIMKEEP" --keep=oldest "--action=$action" --yes --journal=journal
	[ "$action" != hardlink ] ||
		same "messages about modes" 3 "$(grep -c 'left alone: its owner, group or mode differs' err)"
	[ "$action" = hardlink ] || same "files left" "a/empty a/similar b/empty old/1 old/2 old/3" \
		"$(cd "$files" && find . -type f | sed 's|^./||' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
	[ "$action" != hardlink ] ||
		same "inodes" 9 "$(find "$files" -type f -printf '%i\n' | sort -u | wc -l)"
	[ -z "$(find "$files" -name '.simkeep*')" ] || fail "temporary files are left"
	same "acts that began and ended" "$(grep -c '"begin"' journal)" "$(grep -c '"done"' journal)"
	runs 0 "$SIMKEEP" --undo=journal
	said "; nothing has been changed"
	same "files to restore" "$(grep "\"begin\"" journal | grep -vc "\"mkdir\"")" "$(wc -l <out)"
	runs 0 "$SIMKEEP" --undo=journal --yes
	said "restored $(grep "\"begin\"" journal | grep -vc "\"mkdir\"") files"
	same "the tree after undoing $action" "$before" "$(tree)"
	same "links" "" "$(find "$files" -type f -links +1)"
	runs 0 "$SIMKEEP" --undo=journal --yes
	said "restored 0 files"
done

# The following tests do not depend on the engine.
[ "$TEST_ENGINE" = sqlite ] || exit 0

# ---- Files that changed or were replaced are left and named ----
make_files
echo changed >>"$files/b/1"
stamp=$(stat -c %y "$files/b/2")
printf X | dd of="$files/b/2" conv=notrunc status=none # the same size and time
touch -d "$stamp" "$files/b/2"
chmod 444 "$files/b/3"
rm "$files/b/3.copy"
ln -s ../a/2 link
mv "$files/b/2.copy" "$files/b/2.real"
ln -s 2.real "$files/b/2.copy"
runs 2 "$SIMKEEP" --keep=in:"$files/a" --action=delete --yes --journal=journal
said "/b/1: left alone: it has changed since it was indexed"
said "/b/2: left alone: its content differs from the kept file"
said "/b/3: left alone: it is read-only"
said "/b/3.copy: left alone: it no longer exists"
said "/b/2.copy: left alone: it is no longer a regular file"
said "left 5 alone"
for name in b/1 b/2 b/3 b/2.copy b/2.real a/1 a/2 a/3; do
	[ -e "$files/$name" ] || fail "$name was removed"
done
[ ! -e "$files/old/1" ] || fail "old/1 is there"
runs 0 "$SIMKEEP" -q --undo=journal --yes
[ -e "$files/old/1" ] || fail "old/1 is not restored"

# Undo does not make directories that were removed since, and says how to make them.
make_files
seq 5 >"$files/old/only"
runs 0 "$SIMKEEP" -q --keep=in:"$files/a" --action=delete --yes --journal=journal "$files/a" "$files/old"
rm -r "$files/old"
for way in "" --yes; do
	# shellcheck disable=SC2086  # may be empty
	runs 2 "$SIMKEEP" --undo=journal $way
	said "/old/2: left alone: its directory no longer exists; make it again first (mkdir -p)"
done
mkdir -p "$files/old"
runs 0 "$SIMKEEP" --undo=journal --yes
[ -e "$files/old/2" ] || fail "old/2 is not restored"

# A changed kept file protects its copies; a directory that became a link is not followed.
make_files
echo changed >>"$files/a/1"
mv "$files/old" "$files/elsewhere"
ln -s elsewhere "$files/old"
runs 2 "$SIMKEEP" --keep=in:"$files/a" --action=delete --yes --journal=journal
said "/b/1: left alone: the kept file, $files/a/1: it has changed since it was indexed"
said "/old/2: left alone: cannot open its directory: Not a directory"
same "files of elsewhere" 3 "$(find "$files/elsewhere" -type f | wc -l)"

# Hard links are one file: one name is not removed for another one, and does not count as freed.
make_files
ln "$files/a/2" "$files/a/2.name"
ln "$files/b/2" "$files/b/2.name"
runs 0 "$SIMHASH" -q "$files"
simkeep 0 --keep=in:"$files/a" --keep=shortest-path --action=delete "$files/a" "$files/b"
grep -q 'a/2.name' shown && fail "a name of the kept file goes"
said "would delete 8 files and free $(sizes "$files"/b/{1,1.copy,odd*,2,2.copy,3,3.copy})"

# Holes free nothing, and undo takes as much space as was freed.
mkdir "$files/holes"
truncate -s 100M "$files/holes/a"
printf x | dd of="$files/holes/a" bs=1 seek=8192 conv=notrunc status=none
cp --sparse=always "$files/holes/a" "$files/holes/b"
touch -d 2020-01-01 "$files"/holes/[ab]
runs 0 "$SIMHASH" -q "$files/holes"
simkeep 0 --keep=shortest-path --action=delete "$files/holes"
blocks=$(($(stat -c %b "$files/holes/b") * 512))
[ $blocks -lt 1000000 ] || not_tested "holes: this file system has none"
freed=$(python3 -c 'import sys
size = min(int(sys.argv[1]), 100 << 20)
print("%d bytes" % size if size < 1000 else "%.1f kB" % (size / 1e3) if size < 1e6 else "%.1f MB" % (size / 1e6))' $blocks)
said "would delete 1 file and free $freed; nothing has been changed"
runs 0 "$SIMKEEP" --keep=shortest-path --action=delete "$files/holes" --yes --journal=holes.journal
said "deleted 1 file and freed $freed; "
runs 0 "$SIMKEEP" --undo=holes.journal
said "would restore 1 file; this would take $freed; nothing has been changed"
# A file without any data frees nothing.
truncate -s 5M "$files/holes/c" "$files/holes/d"
touch -d 2020-01-01 "$files"/holes/[cd]
runs 0 "$SIMHASH" -q "$files/holes"
simkeep 0 --keep=shortest-path --action=delete --max-size=6M "$files/holes"
[ $blocks -ge 1000000 ] || said "would delete 1 file and free 0 bytes; nothing has been changed"
rm -r "$files/holes"

# Undo leaves files that have changed since.
make_files
runs 0 "$SIMKEEP" -q --keep=in:"$files/a" --action=delete --yes --journal=journal
echo mine >"$files/b/1"
echo changed >>"$files/a/2"
runs 2 "$SIMKEEP" --undo=journal --yes
said "/b/1: left alone: another file has its name"
said "/b/2: left alone: the content of the file that was kept has changed"
same "my file" mine "$(cat "$files/b/1")"
[ -e "$files/b/3" ] || fail "b/3 is not restored"
runs 1 "$SIMKEEP" --undo=journal --host=other
said "expected a journal of this host"
printf '{"format":"other"}\n' >wrong
runs 1 "$SIMKEEP" --undo=wrong
said "wrong, line 1: expected a journal that simkeep wrote"

# ---- A truncated journal, or a journal of a run that was stopped ----
make_files
runs 0 "$SIMKEEP" -q --keep=in:"$files/a" --action=delete --yes --journal=journal
acts=$(grep -c '"state":"begin"' journal)
# journal_as VERSION: the journal of all acts in this version, without its end mark
journal_as() {
	sed "1s/\"format_version\":[0-9]*/\"format_version\":$1/; /\"state\":\"end\"/d" journal
}
# ends_with STATUS TEXT: check the message of --undo about ./part; "" for only the summary
ends_with() {
	runs "$1" "$SIMKEEP" --undo=part
	said "would restore "
	[ -n "$2" ] || same "messages" 1 "$(wc -l <err)"
	said "$2"
}
stopped="part: the journal has no end: the run was stopped, or the file was cut; its acts end with number"
{ journal_as 2; echo '{"state":"end","acts":'"$acts"',"time_ns":1}'; } >whole
cp whole part
ends_with 0 ""
said "would restore $acts files"
journal_as 1 >part
ends_with 0 ""
# Truncated between two lines, in the middle of a line, before the line feed, and with zeros after a
# crash.
for lines in $(seq 1 "$(($(wc -l <whole) - 1))"); do
	first "$lines" <whole >part
	begun=$(grep -c '"state":"begin"' part || true)
	ends_with 0 "$stopped $begun"
	said "would restore $begun file"
	sed "$((lines + 1))q" whole | sed '$s/.$//' | head -c -1 >part
	ends_with 0 "$stopped $begun"
	head -c 1000 /dev/zero >>part
	ends_with 0 "$stopped $begun"
done
# Version 1 has no end mark: the run was stopped if its last act has no outcome.
journal_as 1 | sed '$d' >part
ends_with 0 "$stopped $acts"
journal_as 1 | head -c -1 >part
ends_with 0 "$stopped $acts"
# All acts of a batch precede their outcomes, which come in any order.
{ sed -n '1p; /"state":"begin"/p' whole; grep '"state":"done"' whole | tac; tail -n 1 whole; } >part
ends_with 0 ""
said "would restore $acts files"
# Missing lines in the middle and at the end are counted.
sed '/"act":2,/d' whole >part
ends_with 2 "part: the lines of 1 act are missing, which cannot be undone"
sed "/\"act\":$acts,/d; /\"act\":$((acts - 1)),/d" whole >part
ends_with 2 "part: the lines of 2 acts are missing, which cannot be undone"
{ cat whole; tail -n 2 whole; } >part
runs 1 "$SIMKEEP" --undo=part
said "expected nothing after the line that ends the journal"
sed 's/"acts":[0-9]*/"acts":1/' whole >part
runs 1 "$SIMKEEP" --undo=part
said "expected the number of acts"
sed '3s/.*/{"act":1,"state":"begin"}/' whole >part
runs 1 "$SIMKEEP" --undo=part
said "part, line 3: expected a higher number than the previous act has"
sed 's/"temporary":"[^"]*"/"temporary":"precious"/' whole >part
runs 1 "$SIMKEEP" --undo=part
said "part, line 2: expected action, path, kept and file"
for size in 0 1 20; do
	head -c "$size" whole >part
	runs 1 "$SIMKEEP" --undo=part
	said "part, line 1: expected a journal that simkeep wrote; "
done
# The acts in the journal are undone.
{ journal_as 2 | sed '$d'; printf '{"act"'; } >part
runs 0 "$SIMKEEP" --undo=part --yes
said "restored $acts files"
said "$stopped $acts"
# Acts that are still running or being undone cannot be undone.
exec 9<whole
flock 9
runs 1 "$SIMKEEP" --undo=whole --yes
said "whole: another program still writes this journal, or undoes it"
exec 9<&-

# ---- Decisions of a report ----
# decide HASH-OF KEEP... -- GIVE-UP...: on standard output
decide() {
	python3 - "$files" "$(hostname)" "$@" <<'PYTHON'
import json, os, subprocess, sys, time
top, host, *words = sys.argv[1:]
files = []
for word in words:
    decision, name = word.split(":", 1)
    path = os.path.join(top, name) if not name.startswith("/") else name
    ns = os.stat(path).st_mtime_ns
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + ".%09dZ" % (ns % 10**9)
    content = open(path, "rb").read()
    import hashlib
    files.append({"path": path, "host": host, "size": len(content), "mtime": when,
                  "hash": hashlib.md5(content).hexdigest(), "decision": {"k": "keep", "g": "give up"}[decision]})
json.dump({"format": "simfind decisions", "format_version": 1, "groups": [{"id": "0", "files": files}]}, sys.stdout)
PYTHON
}
make_files
decide k:a/1 g:b/1 g:b/1.copy g:a/2 g:b/2 g:a/similar >decisions.json
# A script never overwrites a file that it is about, kept or not.
for file in a/1 b/1; do
	cp "$files/$file" before
	runs 1 "$SIMKEEP" --decisions=decisions.json --action=report --action=script:"$files/$file"
	said "cannot write to $files/$file: it exists, and is not an earlier output"
	cmp before "$files/$file" || fail "a script replaced $file"
done
rm before
rows=$(sql "SELECT COUNT(*) FROM file")
simkeep 2 --decisions=decisions.json --action=delete --yes --journal=journal
same "rows" $((rows - 2)) "$(sql "SELECT COUNT(*) FROM file")"
grep "to update the index" err && fail "the index is updated"
same "acts" "keep      a/1
delete    b/1
delete    b/1.copy" "$(cat shown)"
for name in a/2 b/2 a/similar; do
	said "/$name: left alone: no other file of this content is kept; decide to keep one, or move it"
	[ -e "$files/$name" ] || fail "$name was removed"
done
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "rows" "$rows" "$(sql "SELECT COUNT(*) FROM file")"
rm journal
# Without an index, there is nothing to update.
SIMHASH_DATABASE=sqlite:$PWD/none runs 2 "$SIMKEEP" --decisions=decisions.json --action=delete --yes --journal=journal
grep "index" err && fail "there is an index: $(cat err)"
SIMHASH_DATABASE=sqlite:$PWD/none runs 0 "$SIMKEEP" -q --undo=journal --yes
[ ! -e none ] || fail "an index was made"
rm journal
runs 0 "$SIMHASH" -q "$files"
# A similar file is moved if a decision names it.
simkeep 0 --decisions=decisions.json --action="move:$TEST_FOLDER/moved" --yes --journal=journal
[ -e "moved$files/a/similar" ] && [ -e "moved$files/b/1" ] && [ ! -e "$files/a/similar" ] || fail "nothing was moved"
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "the tree" "$before" "$(tree)"
# If a file is decided twice, by other names of its directory or of itself, one file is still kept.
ln -s a "$files/linked"
ln "$files/a/1" "$files/a/1.name"
ln "$files/b/1" "$files/b/1.name"
decide k:a/1 g:b/1 >one
decide k:b/1.name g:a/1.name g:linked/1 >two
# The same for two contents, if only reading shows that they differ.
sed 's/"hash": "[^"]*"/"hash": "00000000000000000000000000000000"/g' two >three
for second in two three; do
	python3 -c 'import json, sys
one, two = (json.load(open(name)) for name in sys.argv[1:])
one["groups"] += two["groups"]
json.dump(one, open("both.json", "w"))' one $second
	runs 2 "$SIMKEEP" --decisions=both.json --action=delete --yes --journal="journal.$second"
	said "/linked/1: left alone: cannot open its directory: Not a directory"
	cmp "$files/a/1" "$files/old/1" || fail "a/1 was removed"
	runs 0 "$SIMKEEP" -q --undo="journal.$second" --yes
done
rm "$files/a/1.name" "$files/b/1.name"
decide k:b/1 g:a/1 >two
python3 -c 'import json
one, two = (json.load(open(name)) for name in ("one", "two"))
one["groups"] += two["groups"]
json.dump(one, open("both.json", "w"))'
runs 1 "$SIMKEEP" --decisions=both.json --action=delete --yes --journal=journal2
said "both.json: groups[1].files[1] contradicts groups[0].files[0] about $files/a/1; expected one decision"
[ ! -e journal2 ] && cmp "$files/a/1" "$files/b/1" || fail "something was deleted"
# Different files are not removed, even if the hashes are equal.
decide k:a/3 g:b/2 | sed 's/"hash": "[^"]*"/"hash": "00000000000000000000000000000000"/g; s/"size": [0-9]*/"size": 8893/g' >lie.json
runs 2 "$SIMKEEP" --decisions=lie.json --action=delete --yes --journal=journal4
[ -e "$files/b/2" ] || fail "b/2 was removed"
# Without size and time in the decision, the current copy is compared, and a similar file is not
# moved.
decide k:a/3 g:b/3 g:a/similar | sed 's/"size": [0-9]*, "mtime": "[^"]*", //g; s/"hash": "[^"]*"/"hash": "00000000000000000000000000000000"/g' >bare.json
runs 2 "$SIMKEEP" --decisions=bare.json --action=delete --yes --journal=journal5
said "/a/similar: left alone: its content differs from the kept file"
[ ! -e "$files/b/3" ] || fail "b/3 is there"
decide g:a/similar | sed 's/"size": [0-9]*, "mtime": "[^"]*", //g' >bare.json
runs 2 "$SIMKEEP" --decisions=bare.json --action="move:$TEST_FOLDER/moved" --yes --journal=journal6
said "/a/similar: left alone: its decision has neither size nor mtime"
# Each field must have the right type, and no other fields are allowed; a truncated file is refused.
decide k:a/1 g:b/1 | python3 -c 'import json, sys
whole = json.load(sys.stdin)
whole.update(version="1", command=["simfind"], index="x", made="y")
json.dump(whole, sys.stdout, indent=1)
print()' >whole.json
runs 0 "$SIMKEEP" --decisions=whole.json --action=delete
python3 - <<'PYTHON'
import copy, json
whole = json.load(open("whole.json"))
number = 0
expected = open("expected", "w")
def broken(message, change):
    global number
    other = copy.deepcopy(whole)
    text = change(other)
    with open(f"broken.{number}", "w") as out:
        out.write(text if isinstance(text, str) else json.dumps(other))
    print(number, message, file=expected)
    number += 1
def wrong(where, name, message, *values):
    for value in values:
        def change(top):
            item = top if where == "" else top["groups"][0] if where == "groups[0]." else top["groups"][0]["files"][1]
            if value is None:
                del item[name]
            else:
                item[name] = value
        broken(f"{where}{name}: expected {message}", change)
top, group, file = "", "groups[0].", "groups[0].files[1]."
wrong(top, "groups", "an array", "x", {}, 1, None)
wrong(top, "version", "a text", 1, [])
wrong(top, "index", "a text", {})
wrong(top, "made", "a text", 1.5)
wrong(top, "command", "an array of texts", "x", [1], {})
wrong(top, "other", "no such field", 1, "x")
wrong(group, "files", "an array", "x", {}, None)
wrong(group, "id", "a text", 1)
wrong(group, "other", "no such field", 1)
wrong(file, "path", "an absolute path", "", "x", None)
wrong(file, "path", "a text", 1, ["/x"], False)
wrong(file, "path_hex", "an absolute path", "", "2", "2f0", "zz", "2f00")
wrong(file, "path_hex", "a text", 1)
wrong(file, "host", "the name of a host", "", 1, None)
wrong(file, "size", "a number of bytes, since there is an mtime", -1, 1.0, "1", True, None, 2**63 - 2**64)
wrong(file, "mtime", "a time such as 2026-11-22T14:12:41.123456789Z", 1, "", "2026-11-22", None,
      "2026-13-22T14:12:41.123456789Z", "2026-11-00T14:12:41.123456789Z", "2026-11-22T24:12:41.123456789Z",
      "2026-11-22T14:60:41.123456789Z", "2026-11-22T14:12:41.12345678 Z", "+026-11-22T14:12:41.123456789Z",
      "2026-11-22 14:12:41.123456789Z", "2026-11-22T14:12:41.1234567890")
wrong(file, "hash", "32 hexadecimal digits", 1, "", "0" * 31, "g" * 32, None)
wrong(file, "decision", "keep or remove", "", "burn", 1, None)
wrong(file, "other", "no such field", 1)
broken("expected format_version 1", lambda top: top.update(format_version="1"))
broken("expected format_version 1", lambda top: top.update(format_version=2))
broken("expected decisions that a report of simfind saved", lambda top: top.update(format="other"))
broken("expected decisions that a report of simfind saved", lambda top: "[]")
broken("groups[0]: expected an object", lambda top: top.update(groups=[[]]))
broken("groups[0].files[0]: expected an object", lambda top: top["groups"][0].update(files=["x"]))
text = json.dumps(whole)
broken("expected JSON", lambda top: text + "x")
broken("expected JSON", lambda top: text + text)
broken("expected JSON: duplicate object key", lambda top: text.replace('"host"', '"hash"', 1))
broken("expected JSON", lambda top: "")
for size in range(1, len(text) - 1, 23):
    broken("expected JSON", lambda top: text[:size])
broken("expected JSON", lambda top: text[:-1])
PYTHON
while read -r number message; do
	runs 1 "$SIMKEEP" --decisions="broken.$number" --action=delete --yes --journal=journal.broken
	said "broken.$number"
	said "$message"
	[ ! -e journal.broken ] || fail "broken.$number: a journal"
done <expected
printf '{"format":"simfind decisions",\n"format_version":1,\n"groups":[}\n' >broken.json
runs 1 "$SIMKEEP" --decisions=broken.json
said "broken.json, line 3: expected JSON"
printf '{"format":"simkeep journal","format_version":1,"host":"%s"}\n{"act":1,"state":\n' "$(hostname)" >wrong
runs 1 "$SIMKEEP" --undo=wrong
said "wrong, line 2: expected JSON"
sed "s/\"host\": \"[^\"]*\"/\"host\": \"far\"/g" decisions.json >far.json
runs 2 "$SIMKEEP" --decisions=far.json --action=delete
said "far:$files/b/1: left alone: it is on another host"

# ---- Names of several inodes end on one inode ----
make_files
rm -rf "${files:?}"/*
random_bytes 50000 1 >"$files/a1"
cp "$files/a1" "$files/b1"
cp "$files/a1" "$files/c1"
for file in a b c; do
	ln "$files/${file}1" "$files/${file}2"
	ln "$files/${file}1" "$files/${file}3"
done
touch -d 2020-01-01 "$files"/b?
reset
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMKEEP" --keep=oldest --action=hardlink --yes --journal=journal-names
said "replaced 6 files by hard links and freed 100.0 kB"
same "inodes" 1 "$(stat -c %i "$files"/?? | sort -u | wc -l)"
same "links" 9 "$(stat -c %h "$files/a1")"

# ---- Undo restores several names of one file as one file ----
for action in delete hardlink; do
	rm -rf "$files" journal
	mkdir -p "$files/kept" "$files/x" "$files/y"
	seq 5000 >"$files/kept/b"
	seq 5000 >"$files/x/a1"
	touch -d 2019-01-01 "$files/x/a1"
	touch -d 2018-01-01 "$files/kept/b"
	ln "$files/x/a1" "$files/x/a2"
	ln "$files/x/a1" "$files/y/a3"
	seq 5000 >"$files/y/alone"
	touch -d 2019-01-01 "$files/y/alone"
	reset
	runs 0 "$SIMHASH" -q "$files"
	before=$(tree %n)
	runs 0 "$SIMKEEP" --keep=in:"$files/kept" --action=$action --yes --journal=journal
	same "$action: files" 1 "$(find "$files" -type f -printf '%i\n' | sort -u | wc -l)"
	runs 0 "$SIMKEEP" --undo=journal
	said "would restore 4 files; this would take 47.8 kB"
	runs 0 "$SIMKEEP" --undo=journal --yes
	same "$action: the tree" "$before" "$(tree %n)"
	same "$action: names of one file" 1 "$(stat -c %i "$files/x/a1" "$files/x/a2" "$files/y/a3" | sort -u | wc -l)"
	same "$action: files" 3 "$(find "$files" -type f -printf '%i\n' | sort -u | wc -l)"
	same "$action: in the index" 3 "$(sql "SELECT COUNT(DISTINCT inode) FROM file")"
	if [ $action = delete ]; then
		# Again, after an interruption: a name is missing.
		rm "$files/x/a1"
		runs 0 "$SIMKEEP" -q --undo=journal --yes
		same "again" "$before" "$(tree %n)"
		# A restored name that has changed since is not linked to.
		rm "$files/x/a1" "$files/x/a2"
		seq 5001 10000 | head -c "$(stat -c %s "$files/kept/b")" >"$files/y/a3"
		touch -d 2019-01-01 "$files/y/a3"
		runs 0 "$SIMKEEP" -q --undo=journal --yes
		cmp "$files/x/a1" "$files/kept/b" || fail "linked to a changed file"
		same "the other two" 1 "$(stat -c %i "$files/x/a1" "$files/x/a2" | sort -u | wc -l)"
	fi
done

# ---- Protected as a file, not only by its name ----
make_files
decide k:a/1 g:b/1 >decisions.json
runs 2 "$SIMKEEP" --decisions=decisions.json --action=delete --protect="$files/b" --yes --journal=journal
said "/b/1: left alone: it is protected"
ln -s "$files/b" protected-link
runs 2 "$SIMKEEP" --decisions=decisions.json --action=delete --protect=protected-link --yes --journal=journal2
said "/b/1: left alone: it is protected"
# No hard link is made to a protected file.
runs 2 "$SIMKEEP" --decisions=decisions.json --action=hardlink --protect="$files/a" --yes --journal=journal3
said "left alone: the kept file is protected, and a hard link would let it be changed by another name"

# ---- A file that another program has locked, and a directory that cannot be changed ----
exec 9<"$files/b/1"
flock -s 9
runs 2 "$SIMKEEP" --decisions=decisions.json --action=delete --yes --journal=journal4
said "/b/1: left alone: another program has locked it or the kept file"
exec 9<&-
chmod 755 . "$files" "$files/a" 2>/dev/null
chown 65534 "$files" -R 2>/dev/null || true
chmod 555 "$files/b"
mkdir -p writable && chmod 777 writable
runs 2 as_user "$SIMKEEP" --decisions=decisions.json --action=delete --yes --journal=writable/journal
said "/b/1: left alone: its directory cannot be changed: Permission denied"
chmod 755 "$files/b"
[ -e "$files/b/1" ] || fail "b/1 was removed"
