#!/usr/bin/env bash
# Tests the output on a terminal: the summary, folded groups, lines that fit, and the pager.
# script(1) provides the pseudo-terminal.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export TERM=xterm NO_COLOR=1 PAGER=cat
unset LESS COLUMNS

# Families of copies, of similar files, and single files, with names that may confuse a terminal.
python3 -c 'import os, random, sys
rng = random.Random(5)
top = sys.argv[1]
names = ["plain", "\u732b\u306e\u5199\u771f" * 6, "e\u0301te\u0301-" * 9, "tab\there\x1b[31m" * 4,
         "20261122123456789012345678901234567890", "v1.25.3-" * 12, "a b  c" * 9, "x" * 250]
for family in range(9):
    content = rng.randbytes(5000 + 900 * family)
    for member in range(2 + 3 * (family % 4)):
        folder = os.path.join(top, "some folder of family %d" % family, "with %d more" % (member % 3))
        os.makedirs(folder, exist_ok=True)
        changed = bytearray(content)
        if member % 2:
            changed[member * 7] ^= 1 + member
        name = "%s %d.txt" % (names[(family + member) % len(names)][:240], member)
        open(os.path.join(os.fsencode(folder), name.encode()[:250]), "wb").write(changed)' "$files"
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" -q --group --format=json -o groups.json
runs 0 "$SIMFIND" -q -o pairs.txt

# No line is too wide, and no number is cut. Each shown path is a path without its middle.
cat >check.py <<'END'
import re, sys, unicodedata
columns = int(sys.argv[1])
paths = set()
for line in open("pairs.txt", encoding="utf-8"):
    paths.update(p.strip("\n") for p in re.split(r"  (?=/)", line[18:]))
def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)
lines = open("screen", encoding="utf-8").read().split("\n")
for line in lines:
    if width(line) > columns:
        sys.exit("%d columns: %r" % (width(line), line))
cut = 0
for line in lines:
    if line.startswith("Paths are below "):
        continue
    for head, tail in re.findall(r"(\S*?)\.\.\.(\S*)", line):
        cut += 1
        head = re.escape(head) + (r"(?![0-9])" if head[-1:].isdigit() else "")
        tail = (r"(?<![0-9])" if tail[:1].isdigit() else "") + re.escape(tail.split("...")[0])
        if not any(re.search(head, p) for p in paths) or not any(re.search(tail, p) for p in paths):
            sys.exit("a number is cut, or this is not a path: %r" % line)
print(cut)
END
for columns in 40 80 120 200 300; do
	for how in "" --format=text --group --sort=path --min-resemblance=0.7 "--limit=3 --sort=-saved"; do
		# shellcheck disable=SC2086
		on_terminal $columns "$SIMFIND" $how
		same "status with '$how'" 0 "$status"
		python3 check.py $columns >shortened || fail "$columns columns, '$how': $(cat screen)"
		[ -n "$how" ] || [ $columns -gt 80 ] || [ "$(cat shortened)" -gt 3 ] || fail "nothing is cut at $columns"
	done
	on_terminal $columns "$SIMFIND" "$(find "$files" -name 'plain*' | head -n 1)"
	python3 check.py $columns >shortened || fail "$columns columns, of a file: $(cat screen)"
done
# $COLUMNS has priority if it is a number.
on_terminal 200 env COLUMNS=50 "$SIMFIND"
python3 check.py 50 >shortened || fail "COLUMNS=50: $(cat screen)"
on_terminal 60 env COLUMNS=many "$SIMFIND"
python3 check.py 60 >shortened || fail "COLUMNS=many: $(cat screen)"

# The summary comes first, and after the list only the next step.
on_terminal 300 "$SIMFIND"
cp screen folded
python3 -c 'import json, re
def shown_size(size):
    return "%d bytes" % size if size < 1000 else "%.1f kB" % (size / 1000)
groups = json.load(open("groups.json"))
members = [m for g in groups for m in g["members"]]
copies = [m for m in members if m["role"] == "copy"]
similar = [m for m in members if m["role"] == "member"]
found = open("folded", encoding="utf-8").read().split("\n")
files = re.match("[0-9]+ of ([0-9]+) files", found[0]).group(1)
assert found[0] == "%d of %s files are copies; removing them would free %s. %d more files resemble another." % (
    len(copies), files, shown_size(sum(m["size"] for m in copies)), len(similar)), found[0]
assert found[1] == "" and found[2].startswith("Paths are below "), found[:4]
assert found[-3:] == ["", "Next: simkeep shows which copies can be removed.", ""], found[-3:]
# Each group: its first file with its size, the others, how many more, and a blank line before the next one.
at = 4
assert found[3] == ""
for g in groups:
    others = len(g["members"]) - 1
    shown = others if others <= 4 else 3
    last = head = g["members"][0]
    assert re.search(r"^\S.* " + shown_size(head["size"]) + "$", found[at]), found[at]
    at += 1
    for m in g["members"][1:shown + 1]:
        line, at = found[at], at + 1
        if found[at].startswith(" " * 13 + "byte"):
            at += 1
        if found[at].startswith(" " * 13 + "same as "):
            line, at = line + found[at][11:], at + 1
        assert (line[:13].strip() == "identical") == (m["role"] == "copy"), line
        assert ("  same as " in line) == (m["role"] == "copy" and last != head), line
        last = m if m["role"] != "copy" else last
        assert re.match(r"  (identical|part of  |contains | *>?[0-9]+ % *|similar  |damaged copy\?|one bit differs)  \S.* " + shown_size(m["size"]), line), line
    if shown < others:
        assert found[at] == " " * 13 + "and %d more (--group)" % (others - shown), found[at]
        at += 1
    assert found[at] == "", found[at]
    at += 1
assert at == len(found) - 2, found[at:]' || fail "the folded list: $(cat folded)"
on_terminal 300 "$SIMFIND" --summary=none
same "quietly, the head" "Paths are below $files/." "$(head -n 1 screen)"
on_terminal 300 "$SIMFIND" -d "$SIMHASH_DATABASE" --limit=2
same "the next step" "Next: simkeep -d $SIMHASH_DATABASE shows which copies can be removed." "$(tail -n 1 screen)"
groups=$(python3 -c 'import json; print(len(json.load(open("groups.json"))))')
same "the last line" "$((groups - 2)) more groups left out by --limit" "$(tail -n 3 screen | head -n 1)"

# Unfolded: every pair as in a file; on a wide terminal the paths are complete.
for how in --format=text --group=none; do
	on_terminal 2000 "$SIMFIND" --summary=none $how
	runs 0 "$SIMFIND" -q $how -o expected
	same "pairs with $how" "$(sed -E "s|  +|\t|g; s|$files/||g" expected)" "$(tail -n +3 screen | sed -E 's|  +|\t|g')"
done
on_terminal 200 "$SIMFIND" --format=text
same "the summary of pairs" "$(wc -l <pairs.txt)" "$(head -n 1 screen | grep -o '^[0-9]*')"
# Not on a terminal: one line for each pair with complete paths, and the summary on standard error.
COLUMNS=40 runs 0 "$SIMFIND"
cmp out pairs.txt || fail "to a file, pairs depend on the terminal"
said "among"

# The pager.
cat >pager <<'END'
#!/bin/sh
echo "LESS=$LESS"
exec cat
END
chmod +x pager
paged() {
	if head -n 1 screen | has '^LESS='; then echo yes; else echo no; fi
}
PAGER=./pager on_terminal 120 "$SIMFIND"
same "first line in the pager" "LESS=FRX" "$(head -n 1 screen)"
tail -n +2 screen >found
on_terminal 120 "$SIMFIND"
cmp screen found || fail "the pager reads something else"
for how in --format=text --group; do
	PAGER="./pager | cat" on_terminal 120 "$SIMFIND" $how
	same "paged with $how" yes "$(paged)"
done
LESS=-S PAGER=./pager on_terminal 120 "$SIMFIND"
same "setting of the user" "LESS=-S" "$(head -n 1 screen)"
PAGER=./pager TERM=dumb on_terminal 120 "$SIMFIND"
same "paged on a dumb terminal" no "$(paged)"
PAGER='' on_terminal 120 "$SIMFIND"
cmp screen found || fail "an empty PAGER is none"
PAGER="cat" on_terminal 120 "$SIMFIND"
cmp screen found || fail "the pager cat is none"
PAGER=./pager runs 0 "$SIMFIND"
cmp out pairs.txt || fail "paged without a terminal"
PAGER=./pager on_terminal 120 "$SIMFIND" -o listed
same "paged, of what goes to a file" no "$(paged)"
cmp listed pairs.txt || fail "the list in a file"
PAGER=./pager on_terminal 120 "$SIMFIND" --format=csv
same "paged, of csv" no "$(paged)"
mkdir bin
cp pager bin/less
(
	unset PAGER
	PATH=$PWD/bin:$PATH on_terminal 120 "$SIMFIND"
	same "paged by less" yes "$(paged)"
) || exit 1
PAGER='no-such-pager -x' on_terminal 120 "$SIMFIND"
same "status without the pager" 0 "$status"
grep -q "simfind: cannot run the pager 'no-such-pager -x', which \$PAGER names" screen || fail "no message: $(cat screen)"
grep -vF 'cannot run the pager' screen | cmp - found || fail "the list without its pager"
# The status is simfind's status, and simfind does not wait for a pager that ends early.
PAGER=./pager on_terminal 120 "$SIMFIND" --fail-on-match
same "status with matches" 3 "$status"
PAGER='./pager; exit 3' on_terminal 120 "$SIMFIND"
same "status of simfind" 0 "$status"
PAGER='head -n 1' on_terminal 120 "$SIMFIND" --group=none
[ "$status" = 0 ] || [ "$status" = 141 ] || fail "a pager that ends early: status $status"
same "lines of a pager that ends early" 1 "$(wc -l <screen)"
# After a signal, simfind waits for the pager, which uses the terminal, and then ends.
cat >slow <<'END'
#!/bin/sh
kill -TERM "$(cat simfind.pid)"
sleep 1
cat >read
echo 'the pager ends'
END
chmod +x slow
cat >run <<'END'
#!/bin/sh
echo $$ >simfind.pid
exec "$SIMFIND"
END
chmod +x run
PAGER=./slow on_terminal 120 ./run
same "status after SIGTERM" 143 "$status"
# The shell of script(1) may report how simfind ended.
same "the last line, of the pager" "the pager ends" "$(grep -vx Terminated screen | tail -n 1)"

# Groups can be sorted by keys that pairs do not have.
on_terminal 100 "$SIMFIND" --sort=files
same "status of --sort=files" 0 "$status"

# On a terminal, a FILE without a similar file gets the command that finds more, if one does.
reset
rm -r "${files:?}"
mkdir "$files"
random_bytes 30000 1 | base64 >"$files/whole"
head -c 9000 "$files/whole" >part
random_bytes 30000 2 | base64 >"$files/other"
cp "$files/other" "$files/copy"
gzip -c "$files/other" >other.gz
runs 0 "$SIMHASH" -q "$files"
# next_is NEXT OPTION...: the next step after simfind OPTION...
next_is() {
	NO_COLOR=1 PAGER=cat on_terminal 300 "$SIMFIND" "${@:2}"
	same "next step of ${*:2}" "${1:+Next: simfind ${*:2} $1 finds more.}" "$(grep ^Next: screen || true)"
}
next_is "" part
grep -q 'part of .*whole' screen || fail "a part of a file is not found: $(cat screen)"
next_is -z other.gz
next_is "" other.gz -z
next_is "" "$files/other"
next_is "" --only=copies part
next_is "" -q part
next_is "" --summary=none part
NO_COLOR=1 PAGER=cat on_terminal 300 "$SIMFIND" other.gz -z
grep -q 'identical .*other' screen || fail "the suggested command finds nothing: $(cat screen)"
