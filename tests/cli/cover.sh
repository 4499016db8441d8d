#!/usr/bin/env bash
# Tests that simfind --cover finds the known files that a file consists of: their places, which the
# test knows because it made the file, the blank bytes, and the bytes that no known file has. Also
# tests formats, little memory, edited files, filters, standard input, and files that cannot be read.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$files/known"
python3 - "$files/known" whole large places.json <<'PYTHON'
import json, random, sys

known, whole, large, places = sys.argv[1:]
random.seed(30)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(2, 9))) for _ in range(4000)]

def text(size):
    made = []
    while sum(map(len, made)) < size:
        made.append("\t" + "  ".join(random.choices(words, k=random.randint(6, 12))) + "\r\n")
    return "".join(made)[:size].encode()

def table(size):
    made = []
    while sum(map(len, made)) < size:
        made.append(",".join(str(random.randrange(10**random.randint(1, 6))) for _ in range(8)) + "\n")
    return "".join(made)[:size].encode()

def program(size):
    return b"".join(bytes(random.choices(range(64), k=3)) + b"\0" + random.randbytes(4) for _ in range(size // 8))

kinds = {"text": text, "table": table, "program": program, "random": random.randbytes}
contents = {f"{kind}-{size}": make(size) for kind, make in kinds.items() for size in (3000, 8000, 50000, 300000)}
for name, content in contents.items():
    open(f"{known}/{name}", "wb").write(content)

def compose(path, names, unknown, blank):
    """Write a file of contents between unknown and blank bytes; return where they are."""
    place, made = {}, [random.randbytes(1000)]
    at = 1000
    for i, name in enumerate(names):
        place[name] = [at, at + len(contents[name])]
        between = bytes(blank) if i % 3 == 0 else random.randbytes(unknown) if i % 3 == 1 else b""
        made += [contents[name], between]
        at += len(contents[name]) + len(between)
    open(path, "wb").write(b"".join(made))
    return place

names = list(contents)
random.shuffle(names)
json.dump({"whole": compose(whole, names, 7000, 20000),
           "large": compose(large, [name for name in names if name.endswith("00000")], 4000000, 9000000)},
          open(places, "w"))
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"

# check NAME PRECISION: compares a JSON list with the places, which are exact to PRECISION bytes, or to
# the distance of the pieces of large files that are no texts
cat >check.py <<'PYTHON'
import json, os, sys

name, precision = sys.argv[1], int(sys.argv[2])
place = json.load(open("places.json"))[name]
[cover] = json.load(open("list.json"))
size = os.path.getsize(name)
assert cover["size"] == size, cover["size"]
found = {os.path.basename(part["path"]): part for part in cover["parts"]}
assert set(found) == set(place), (set(place) - set(found), set(found) - set(place))
wrong = 0
for path, (begin, end) in place.items():
    distance = precision if path.startswith("t") else max(precision, 3 * (end - begin) / 64)
    wrong += distance
    [[first, last]] = found[path]["ranges"]
    assert abs(first - begin) <= distance and abs(last - end) <= distance, (path, begin, end, first, last)
    assert found[path]["share"] > 0.99 and found[path]["bytes"] == last - first, found[path]
    assert abs(found[path]["added_bytes"] - (end - begin)) <= 2 * distance + 256, found[path]
added = [part["added_bytes"] for part in cover["parts"]]
unknown = sum(end - begin for begin, end in cover["unknown"])
assert cover["covered_bytes"] + cover["blank_bytes"] + unknown == size
known = sum(end - begin for begin, end in place.values())
assert abs(cover["covered_bytes"] - known) <= wrong / 2, (cover["covered_bytes"], known)
content = open(name, "rb").read()
for begin, end in cover["unknown"]:
    assert content.count(0, begin, end) < 2 * 256 + 0.5 * (end - begin), (begin, end)
PYTHON
runs 0 "$SIMFIND" -q --cover --format=json -o list.json whole
python3 check.py whole 600 || fail "whole"
# The larger a file is, the fewer pieces fit into the memory.
runs 0 "$SIMFIND" -q --cover --format=json -o list.json --limits=memory=32M large
python3 check.py large 2500 || fail "large"
runs 0 "$SIMFIND" -q --cover --format=json -o list.json large
python3 check.py large 600 || fail "large, with memory"

# Text, with the largest part first.
runs 0 "$SIMFIND" --summary=none --cover whole
same "first line" 1 "$(head -1 out | grep -cE '^ *[0-9.]+ MB  100\.0 %  whole: 16 known files$')"
same "largest" 1 "$(sed -n 2p out | grep -cE '^ *3[0-9]{2}\.[0-9] kB +[0-9.]+ %  .*/known/[a-z]*-300000: bytes [0-9,]+ to [0-9,]+$')"
same "blank" 1 "$(grep -cE '^ *1[0-9]{2}\.[0-9] kB +[0-9.]+ %  \(one repeated byte, such as zero\)$' out)"
same "unknown" 1 "$(grep -cE '^ *3[0-9]\.[0-9] kB +[0-9.]+ %  \(in no known file\): bytes 0 to [0-9,]+; .* more$' out)"
cp out text
runs 0 "$SIMFIND" --summary=none --cover - <whole
same "standard input" "$(tail -n +2 text)" "$(tail -n +2 out)"
runs 0 "$SIMFIND" --summary=none --cover --format=csv whole
same "CSV" 1 "$(head -1 out | grep -c '^path,begin,end,part_size,added_bytes,part_path')"
same "CSV, ranges" 16 "$(grep -c '/known/' out)"
runs 0 "$SIMFIND" --summary=none --cover --format=jsonl whole large
same "JSON lines" 2 "$(python3 -c 'import json; print(len([json.loads(line)["parts"] for line in open("out")]))')"

# Edited files, with the share of them; the smallest set; no own row; other directories.
mkdir "$files/other"
python3 - "$files/known" "$files/other" edited <<'PYTHON'
import random, sys
random.seed(31)
known, other, edited = sys.argv[1:]
content = bytearray(open(f"{known}/text-300000", "rb").read())
for _ in range(1500):
    content[random.randrange(len(content))] = 0x30 + random.randrange(10)
table = open(f"{known}/table-300000", "rb").read()
open(edited, "wb").write(random.randbytes(5000) + content + table[:150000])
open(f"{other}/both", "wb").write(open(f"{known}/program-50000", "rb").read() + open(f"{known}/text-50000", "rb").read())
open(f"{other}/image", "wb").write(random.randbytes(10000) + open(f"{other}/both", "rb").read() + random.randbytes(10000))
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMFIND" --summary=none --cover edited
same "edited" 1 "$(grep -cE '/text-300000 \((8[7-9]|9[0-4]) % of it\): bytes' out)"
same "half of a file" 1 "$(grep -cE '/table-300000 \((4[4-9]|5[0-6]) % of it\): bytes' out)"
runs 0 "$SIMFIND" --summary=none --cover "$files/other/image"
same "smallest set" 2 "$(grep -c "$files" out)"
same "smallest set" 1 "$(grep -c 'other/both: bytes' out)"
runs 0 "$SIMFIND" --summary=none --cover "$files/other/image" "$files/known"
same "only below a directory" 2 "$(grep -c '/known/.*-50000: bytes' out)"
same "only below a directory" 0 "$(grep -c 'other/both' out || :)"

# Random bytes look better as a text by chance, but then some of their pieces are missing.
mkdir "$files/random"
python3 - "$files/random" joined <<'PYTHON'
import random, sys
random.seed(33)
with open(sys.argv[2], "wb") as joined:
    for i in range(60):
        content = random.randbytes(20000)
        joined.write(content)
        open(f"{sys.argv[1]}/{i}", "wb").write(content)
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMFIND" --summary=none --cover joined
same "random bytes" 60 "$(grep -c "$files/random" out)"
same "all of random bytes" 0 "$(grep -c ' % of it' out || :)"
rm -r "$files/random"
runs 0 "$SIMHASH" -q "$files"

# Nothing is known; nothing can be read; an empty file.
head -c 50000 /dev/urandom >stranger
runs 0 "$SIMFIND" --summary=none --cover stranger
same "a stranger" 1 "$(head -1 out | grep -c 'stranger: no known files$')"
: >empty
runs 0 "$SIMFIND" --summary=none --cover empty
same "an empty file" 1 "$(grep -c 'empty: no known files$' out)"
runs 2 "$SIMFIND" --summary=none --cover missing whole
same "a missing file" 1 "$(grep -c '^simfind: missing: No such file' err)"
same "and the next" 15 "$(grep -c "$files" out)" # one of them has the content of two others
# A pipe may have no end. (Standard input may be one.)
mkfifo pipe
runs 2 within 5 "$SIMFIND" --summary=none --cover pipe
same "a pipe" "simfind: pipe: Not a regular file" "$(cat err)"
runs 2 within 5 "$SIMFIND" --summary=none --cover /dev/zero
same "a device" "simfind: /dev/zero: Not a regular file" "$(cat err)"
# Three bytes again and again, whose shingles are all pieces, take no more memory than other bytes.
if ! built_with sanitizer; then
	python3 -c 'import sys; sys.stdout.buffer.write(b"\xa8\xab\x9f" * (64 << 20))' >lucky
	(ulimit -v 400000 && runs 0 "$SIMFIND" --summary=none --cover --limits=memory=32M lucky)
	same "little memory for many pieces" 1 "$(head -1 out | grep -c 'lucky: no known files$')"
	rm lucky
fi
runs 3 "$SIMFIND" -q --cover --fail-on-match whole
runs 0 "$SIMFIND" -q --cover --fail-on-match stranger
runs 1 "$SIMFIND" --cover
runs 1 "$SIMFIND" --cover --format=html whole
