#!/usr/bin/env bash
# Tests --group=lineage: trees of versions for histories with known order.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Histories: s0/v1.N by number, s1 by time, s2 with only sizes; and other files next to them.
python3 - "$files" <<'PYTHON'
import os, random, sys

chance = random.Random(21)
top = os.fsencode(sys.argv[1])

def words(count):
    return b" ".join(b"%08x" % chance.randrange(2**32) for _ in range(count))

def put(name, content, when=1500000000):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)
    os.utime(path, (when, when))

def history(count, size=8):
    content = words(1500)
    for _ in range(count):
        yield content
        at = chance.randrange(len(content) // 2)
        content = content[:at] + words(size) + content[at + 9 * size:] + words(12)

for i, content in enumerate(history(12)):
    put(b"s0/v1.%d/x.c" % i, content)
    if i == 5:
        put(b"s0/v1.6a/x.c", content)
order = [4, 1, 3, 0, 2]
for i, content in enumerate(history(5, 120)):
    put(b"s1/%c.txt" % (97 + order[i]), content, 1500000000 + 90000 * i)
base, other = words(2000), words(2000)
put(b"s2/one/x", base + b"a" * 9)
put(b"s2/two/x", base + b"b" * 9)
put(b"s3/x.doc", other)
put(b"s3/x (1).doc", other[:9000] + words(90) + other[9809:])
put(b"s3/x.doc.bak", other[:3000] + words(90) + other[3809:])
odd = words(900)
put(b"s4/a\n\"b\\\xff.1", odd)
put(b"s4/a\n\"b\\\xff.2", odd + words(20))
same = words(700)
put(b"s5/p", same)
put(b"s5/q", same)
PYTHON
runs 0 "$SIMHASH" "$files"

# edges [OPTION]...: parent, child, order and reasons of each edge, by the first path, without
# higher directories
edges() {
	"$SIMFIND" --summary=none --group=lineage --format=json "$@" >lineage.json || fail "simfind failed"
	python3 - "$files" <<'PYTHON'
import json, sys

for group in json.load(open("lineage.json", encoding="utf-8")):
    name = {v["version"]: v["files"][0]["path"][len(sys.argv[1]) + 1:] for v in group["versions"]}
    parents = [v["version"] for v in group["versions"] if "parent" not in v]
    assert parents == [1], parents
    for v in group["versions"]:
        if "parent" in v:
            assert v["parent"] < v["version"] and 0 <= v["confidence"] <= 1
            assert v["order"] == "unclear" or v["confidence"] > 0.45, v
            print(name[v["parent"]], name[v["version"]], v["order"], ",".join(v["reasons"]), sep="|")
PYTHON
}

# By number, although all times are equal; identical files are one version.
for ((i = 1; i < 12; i++)); do
	echo "s0/v1.$((i - 1))/x.c|s0/v1.$i/x.c|clear|number,size"
done >expected
edges "$files/s0" >found
diff expected found >&2 || fail "versions by number"
grep -q 'v1.5/x.c"},{[^}]*v1.6a/x.c"}\]' lineage.json || fail "identical files are two versions"

# By time, regardless of names.
printf '%s|clear|time\n' 's1/e.txt|s1/b.txt' 's1/b.txt|s1/d.txt' 's1/d.txt|s1/a.txt' 's1/a.txt|s1/c.txt' >expected
edges "$files/s1" >found
diff expected found >&2 || fail "versions by time"

# Without evidence, the edge has no direction.
same "unclear order" 'unclear' "$(edges "$files/s2" | cut -d '|' -f 3)"
"$SIMFIND" --summary=none --group=lineage "$files/s2" | has ' %  *[-0-9]*  ?  .*  order unclear$' || fail "an unclear order is not shown in text"
runs 0 "$SIMFIND" --summary=none --group=lineage --format=dot "$files/s2"
grep -q 'unclear", dir=none' out || fail "an unclear edge has an arrow"

# Backups come before the file that they are named after, and copies come after it.
printf '%s\n' 's3/x.doc.bak|s3/x.doc|clear|backup' 's3/x.doc|s3/x (1).doc|clear|copy' >expected
edges "$files/s3" | sort >found
sort expected | diff - found >&2 || fail "backups and copies"

# The drawing has one line for each version, and the main line goes straight down.
runs 0 "$SIMFIND" --group=lineage "$files/s0"
same "lines of the drawing" 13 "$(grep -c '  [o=]  /' out)"
same "the first and the last" "v1.0 v1.11" \
	"$(sed -n '5p;$p' out | grep -o 'v1[.][0-9]*' | paste -sd ' ')"
same "the legend" "o version  = identical  ? unclear  |- branch" "$(sed -n 2p out)"
sed -n 4p out | grep -q '^12 versions in 13 files, [0-9.]* kB$' || fail "no heading: $(sed -n 4p out)"
grep -q '^identical .*  =  .*/s0/v1.6a/x.c  [0-9.]* kB$' out || fail "no copy is shown"

# Dates are as short as possible, but different times look different.
runs 0 "$SIMFIND" --group=lineage "$files/s1"
same "days" 5 "$(grep -c '  [0-9-]\{10\}  o  ' out)"
touch -d '2017-07-14 02:40:07Z' "$files/s1/c.txt"
touch -d '2017-07-14 02:40:59Z' "$files/s1/b.txt"
runs 0 "$SIMHASH" -q "$files/s1"
runs 0 "$SIMFIND" --group=lineage "$files/s1"
same "seconds" "02:40:00 02:40:07 02:40:59" "$(grep -o '2017-07-14 02:4[0-9]:[0-9]*' out | cut -d ' ' -f 2 | sort | xargs)"
touch -d '2017-07-14 02:41Z' "$files/s1/b.txt"
touch -d '2017-07-14 02:42Z' "$files/s1/c.txt"
runs 0 "$SIMHASH" -q "$files/s1"
runs 0 "$SIMFIND" --group=lineage "$files/s1"
same "minutes" "02:40 02:41 02:42" "$(grep -o '2017-07-14 02:4[0-9:]*  ' out | cut -d ' ' -f 2 | sort | xargs)"

# Names are harmless in text, and complete in JSON.
runs 0 "$SIMFIND" --summary=none --group=lineage "$files/s4"
grep -qF 's4/a\n"b\\\xff.2' out || fail "an odd name: $(cat out)"
same "lines of odd names" 3 "$(sed 1,3d out | wc -l)"
runs 0 "$SIMFIND" --summary=none --group=lineage --format=dot "$files/s4"
grep -qF 's4/a\\n\"b\\\\\\xff.2"];' out || fail "an odd name for Graphviz: $(cat out)"
edges "$files/s4" >/dev/null
python3 - "$files" <<'PYTHON' || fail "odd names in JSON"
import json, os, sys
last = json.load(open("lineage.json"))[0]["versions"][1]["files"][0]
assert bytes.fromhex(last["path_hex"]) == os.fsencode(sys.argv[1]) + b'/s4/a\n"b\\\xff.2', last
PYTHON

# Identical files alone have no order. All groups, which do not depend on the number of threads.
runs 0 "$SIMFIND" --summary=none --group=lineage "$files/s5"
same "a group of copies" '' "$(cat out)"
runs 0 "$SIMFIND" --summary=none --group=lineage -j 1
mv out one
runs 0 "$SIMFIND" --summary=none --group=lineage -j 5
cmp one out || fail "the threads show"
same "groups" 5 "$(grep -c '^[0-9]* versions in ' out)"
runs 0 "$SIMFIND" --group=lineage --sort=files --limit=2
same "the largest groups" '12 5' "$(sed -n 's/^\([0-9]*\) versions in .*/\1/p' out | paste -sd ' ')"
said '3 more groups left out by --limit'
runs 0 "$SIMFIND" --summary=none --group=lineage --format=jsonl
same "lines of JSON" 5 "$(wc -l <out)"

# On a terminal the summary is written only once, above the list, and paths are short.
script -qec "env TERM=xterm PAGER=cat COLUMNS=80 $SIMFIND --group=lineage $files/s1" /dev/null >shown </dev/null
same "summaries on a terminal" 1 "$(grep -Ec '^[0-9A-Z][^ ]* of [0-9]+ files' shown)"
grep -q 'o  e.txt' shown || fail "a path on a terminal: $(cat shown)"

# For programs: each file once, after the file that it comes from, which is its parent in JSON.
"$SIMFIND" --summary=none --group=lineage --format=null >pairs || fail "simfind failed"
"$SIMFIND" --summary=none --group=lineage --format=json >lineage.json || fail "simfind failed"
python3 - <<'PYTHON' || fail "files and their parents"
import json, os
def path(file):
    return bytes.fromhex(file["path_hex"]) if "path_hex" in file else file["path"].encode()
expected = set()
for group in json.load(open("lineage.json", encoding="utf-8")):
    first = {v["version"]: path(v["files"][0]) for v in group["versions"]}
    for v in group["versions"]:
        expected.add((first[v["version"]], first.get(v.get("parent"), b"")))
        expected.update((path(f), first[v["version"]]) for f in v["files"][1:])
fields = open("pairs", "rb").read().split(b"\0")
assert fields.pop() == b"" and len(fields) % 2 == 0
found, seen = list(zip(fields[0::2], fields[1::2])), {b""}
for file, origin in found:
    assert origin in seen and file not in seen, (file, origin)
    seen.add(file)
assert set(found) == expected and len(found) == len(expected) > 20
PYTHON

# For one file: the files similar to it.
runs 0 "$SIMFIND" --summary=none --group=lineage "$files/s3/x.doc"
same "versions of one file" 3 "$(grep -c 's3/x' out)"

# Files next to each other under other names are not versions of one file: translations in two
# releases, and files of one day. Files with the same name are.
python3 - "$files" <<'PYTHON'
import os, random, sys
chance, top = random.Random(5), sys.argv[1]
def put(name, content, when):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(content)
    os.utime(path, (when, when))
def words(count):
    return " ".join("%08x" % chance.randrange(2**32) for _ in range(count))
start = 1500000000
base = words(900)
for name in ("pt.json", "pt_BR.json"):
    own = words(100)
    put(f"t/x-1.0/{name}", base + own, start)
    put(f"t/x-1.1/{name}", base + own + words(10), start)
base = words(900)
put("t/day/anna", base + words(20), start)
put("t/day/bert", base + words(20), start + 18000)
base = words(900)
put("t/p/same", base + words(20), start)
put("t/q/same", base + words(20), start + 18000)
# A history with the times of other versions.
content, times = words(1500), [7, 0, 10, 3, 11, 5, 1, 8, 2, 9, 4, 6]
for i, time in enumerate(times):
    put(f"u/{chance.randrange(10**9)}q/x", content, start + 90000 * time)
    at = chance.randrange(len(content) // 2)
    content = content[:at] + words(8) + content[at + 72:]
PYTHON
runs 0 "$SIMHASH" "$files"
edges "$files/t" | sort >found
diff - found >&2 <<'EDGES' || fail "files side by side"
t/day/anna|t/day/bert|unclear|
t/p/same|t/q/same|clear|time
t/x-1.0/pt.json|t/x-1.0/pt_BR.json|unclear|
t/x-1.0/pt.json|t/x-1.1/pt.json|clear|number,size
t/x-1.0/pt_BR.json|t/x-1.1/pt_BR.json|clear|number,size
EDGES
edges "$files/u" >/dev/null
python3 - <<'PYTHON' || fail "times that carry no order"
import json
versions = [v for group in json.load(open("lineage.json")) for v in group["versions"]]
assert len(versions) == 12 and all(v.get("confidence", 0) <= 0.75 for v in versions), versions
PYTHON

# Files that only share a template have no edges: invoices, photos, letters, monthly files, and forms in
# the folders of several people. Versions with a mark in their names have one with less in common.
# Numbers without a mark follow the times.
python3 - "$files" <<'PYTHON'
import os, random, sys, zlib
chance, top = random.Random(7), sys.argv[1]
def put(name, content, day=0):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)
    os.utime(path, (1500000000 + 86400 * day,) * 2)
def words(count):
    return b" ".join(b"%08x" % chance.randrange(2**32) for _ in range(count))
logo = chance.randbytes(25000)
for i in range(4):
    put(f"w/invoices/Invoice {1001 + i}.pdf", logo + zlib.compress(words(1000)), i)
    put(f"w/photos/IMG_{i:04d}.jpg", logo[:14000] + chance.randbytes(14000 + 300 * i), i)
    put(f"w/letters/to {'anna bert carl dora'.split()[i]}.doc", logo + words(300), i)
    put(f"w/months/statement 2024-0{i + 1}.pdf", logo + words(500), i)
    put(f"w/people/{'anna bert carl dora'.split()[i]}/contract.doc", logo + words(700), i)
def history(name, count, days):
    content, step = words(2000), 16000 // count
    for i in range(count):
        put(name(i), content, days * i)
        content = content[:step * i] + words(200) + content[step * i + 1800:] + words(5)
history(lambda i: f"w/marked/thesis_v{i + 8}.doc", 4, 0)
history(lambda i: f"w/copies/thesis{f' ({i})' if i > 0 else ''}.doc", 4, 0)
history(lambda i: f"w/days/thesis 2024-03-{i + 8:02d}.doc", 4, 0)
history(lambda i: f"w/contrary/report {5 - i}.doc", 5, 2)
put("w/two/scan 1.pdf", logo + words(500), 1)
put("w/two/scan 2.pdf", logo + words(500), 2)
for i in range(6):  # the first one is hardly more than the template
    put(f"w/tracks/0{i + 1} - {'anna bert carl dora emil fritz'.split()[i]}.mp3", bytes(b ^ 85 for b in logo[:14000]) + words(0 if i == 0 else 200), i)
put("w/more/scan 1.pdf", logo[::-1] + words(60), 1)
put("w/more/scan 2.pdf", logo[::-1] + words(60), 2)
PYTHON
runs 0 "$SIMHASH" -q "$files"
edges "$files/w" | sort >found
diff - found >&2 <<'EDGES' || fail "strangers and versions"
w/contrary/report 2.doc|w/contrary/report 1.doc|clear|time,size
w/contrary/report 3.doc|w/contrary/report 2.doc|clear|time,size
w/contrary/report 4.doc|w/contrary/report 3.doc|clear|time,size
w/contrary/report 5.doc|w/contrary/report 4.doc|clear|time,size
w/copies/thesis (1).doc|w/copies/thesis (2).doc|clear|number,size
w/copies/thesis (2).doc|w/copies/thesis (3).doc|clear|number,size
w/copies/thesis.doc|w/copies/thesis (1).doc|clear|copy,size
w/days/thesis 2024-03-08.doc|w/days/thesis 2024-03-09.doc|clear|number,size
w/days/thesis 2024-03-09.doc|w/days/thesis 2024-03-10.doc|clear|number,size
w/days/thesis 2024-03-10.doc|w/days/thesis 2024-03-11.doc|clear|number,size
w/marked/thesis_v10.doc|w/marked/thesis_v11.doc|clear|number,size
w/marked/thesis_v8.doc|w/marked/thesis_v9.doc|clear|number,size
w/marked/thesis_v9.doc|w/marked/thesis_v10.doc|clear|number,size
w/more/scan 1.pdf|w/more/scan 2.pdf|unclear|number,time
EDGES
"$SIMFIND" --summary=none --group=lineage "$files/w/more" | has '  ?  .*scan 2.pdf .*  perhaps a version$' || fail "a doubt is not shown"

# A rotated log with a larger number is older. Without .log in its name, a log without a number and all times
# must show this. Files that are numbered in another way are not rotated.
python3 - "$files" <<'PYTHON'
import os, random, sys
chance, top = random.Random(11), sys.argv[1]
def words(count):
    return " ".join("%08x" % chance.randrange(2**32) for _ in range(count))
def history(names, minutes):
    content = words(1500)
    for i, name in enumerate(names):
        path = os.path.join(top, "r", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(content)
        os.utime(path, (1500000000 + 60 * minutes[i],) * 2)
        content = content[450:] + words(50)
history(["equal/app.log.2", "equal/app.log.1", "equal/app.log"], [0, 0, 0])
history(["days/app.log-20250101", "days/app.log-20250108", "days/app.log"], [0, 0, 0])
history(["shown/syslog.2", "shown/syslog.1", "shown/syslog"], [0, 3000, 6000])
history(["new/data", "new/data.1", "new/data.2"], [0, 3000, 6000])
history(["contrary/data.1", "contrary/data.2", "contrary/data"], [0, 3000, 6000])
history(["counted/part.1", "counted/part.2", "counted/part.3"], [0, 3000, 6000])
history(["version/GPL-2.1", "version/GPL-2"], [0, 3000])
PYTHON
runs 0 "$SIMHASH" -q "$files"
edges "$files/r" | sort >found
diff - found >&2 <<'EDGES' || fail "rotated logs"
r/contrary/data.1|r/contrary/data.2|clear|number,time
r/contrary/data|r/contrary/data.1|unclear|number,size
r/counted/part.1|r/counted/part.2|unclear|number,time
r/counted/part.2|r/counted/part.3|unclear|number,time
r/days/app.log-20250101|r/days/app.log-20250108|clear|rotation
r/days/app.log-20250108|r/days/app.log|clear|rotation
r/equal/app.log.1|r/equal/app.log|clear|rotation
r/equal/app.log.2|r/equal/app.log.1|clear|rotation
r/new/data.1|r/new/data.2|clear|number,time
r/new/data|r/new/data.1|clear|number,time
r/shown/syslog.1|r/shown/syslog|clear|rotation,time
r/shown/syslog.2|r/shown/syslog.1|clear|rotation,time
r/version/GPL-2|r/version/GPL-2.1|clear|number,size
EDGES
"$SIMFIND" --summary=none --group=lineage "$files/r/equal" | has ' % sure by rotation$' || fail "the reason of a rotated log is not shown"

runs 1 "$SIMFIND" --format=dot
said '--format=dot needs --group=lineage'
for option in --partition=1/2 --store=9 --verify=no --format=csv --nearest=3 --measure=minhash; do
	runs 1 "$SIMFIND" --group=lineage $option "$files/s3/x.doc"
	case $option in --verify=* | --format=*) ;; *) option=${option%=*} ;; esac
	grep -qE -- "^simfind: --group=lineage cannot be combined with $option|^simfind: $option cannot be combined with --group=lineage" \
		"$TEST_FOLDER/err" || said "--group=lineage cannot be combined with $option"
done
