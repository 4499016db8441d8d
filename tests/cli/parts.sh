#!/usr/bin/env bash
# Tests that simfind finds a requested file in every file that contains it, and every file that it
# contains, at ratios of sizes from 1.5 to 60, by the pieces of the contents. The expected shares are
# those of the sets of all shingles. Also tests that half of a file is no part, requests that are
# changed, standard input, many requests at once, and an index without pieces.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir "$files/whole" asked
python3 - "$files/whole" asked <<'PYTHON'
import json, random, re, sys

whole, asked = sys.argv[1:]
random.seed(20)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(2, 9))) for _ in range(4000)]

def text(size):
    made = []
    while sum(map(len, made)) < size:
        made.append(" ".join(random.choices(words, k=random.randint(6, 12))) + "\n")
    return "".join(made)[:size].encode()

def table(size):
    made = []
    while sum(map(len, made)) < size:
        made.append(",".join(str(random.randrange(10**random.randint(1, 6))) for _ in range(8)) + "\n")
    return "".join(made)[:size].encode()

def program(size):  # records of small numbers, with zeros between them
    return b"".join(bytes(random.choices(range(64), k=3)) + b"\0" + random.randbytes(4) for _ in range(size // 8))

def shingles(content, is_text):
    if is_text:
        content = re.sub(rb"[ \t\n\v\f\r]+", b" ", content)
    return {content[i:i + 16] for i in range(len(content) - 15)}

kinds = {"text": text, "table": table, "program": program, "random": random.randbytes}
sizes = {"text": 5000, "table": 9000, "program": 30000, "random": 40000}
expected = []
for kind, make in kinds.items():
    is_text = kind in ("text", "table")
    for number, ratio in enumerate((1.5, 4, 12, 60)):
        part = make(sizes[kind])
        rest = int(len(part) * (ratio - 1))
        before = (0, rest // 2, rest, rest // 3)[number]
        name = f"{kind}-{ratio}"
        variants = {"all": part, "tenth": part[len(part) // 10:], "half": part[:len(part) // 2]}
        for variant, shared in variants.items():
            content = make(before) + shared + make(rest - before)
            open(f"{whole}/{name}-{variant}", "wb").write(content)
            x, y = shingles(part, is_text), shingles(content, is_text)
            expected.append([name, f"{name}-{variant}", len(x & y) / len(x)])
        open(f"{asked}/{name}", "wb").write(part)
json.dump(expected, open("expected.json", "w"))
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"

# check FILE SIDE: the pairs in a JSON list of requests, against the expected shares; SIDE is the
# folder of the parts
cat >check.py <<'PYTHON'
import json, os, sys

expected = {(part, whole): share for part, whole, share in json.load(open("expected.json"))}
found = {}
for pair in json.load(open(sys.argv[1])):
    for part, whole in (("a", "b"), ("b", "a")):
        names = os.path.basename(pair[f"path_{part}"]), os.path.basename(pair[f"path_{whole}"])
        if names in expected and "contained_a" in pair:
            found[names] = pair[f"contained_{part}"]
            assert pair[f"size_{part}"] < pair[f"size_{whole}"], pair
            assert pair[f"contained_{whole}"] <= pair[f"size_{part}"] / pair[f"size_{whole}"] * 1.1, pair
missing = [names for names, share in expected.items() if share > 0.97 and names not in found]
most = [names for names, share in expected.items() if 0.88 < share <= 0.97]
assert sum(names in found for names in most) >= 0.8 * len(most), [names for names in most if names not in found]
wrong = [(names, found[names]) for names, share in expected.items() if share < 0.6 and names in found]
off = [(names, share, found[names]) for names, share in expected.items() if names in found and abs(share - found[names]) > 0.13]
assert not missing and not wrong and not off, f"missing {missing}, wrong {wrong}, off {off}"
print(len(found))
PYTHON
check() { # WHAT
	python3 check.py list.json >count || fail "$1"
	[ "$(cat count)" -ge 28 ] || fail "$1: only $(cat count) parts"
}
find asked -type f -print0 | LC_ALL=C sort -z >requests
runs 0 "$SIMFIND" -q --files0-from=requests --format=json -o list.json
check "many files at once"
cp list.json together.json
# The same, one after the other.
for request in asked/*; do
	runs 0 "$SIMFIND" --summary=none --format=jsonl "$request"
	cat out
done | LC_ALL=C sort >single
python3 -c 'import json
for pair in json.load(open("together.json")): print(json.dumps(pair, separators=(",", ":")))' | wc -l >lines
same "single requests" "$(cat lines)" "$(wc -l <single)"
runs 0 "$SIMFIND" --summary=none asked/random-60
same "screen" 1 "$(grep -c '^part of (>99 %) .*/whole/random-60-all$' out)"
runs 0 "$SIMFIND" --summary=none - <asked/text-60
same "standard input" 1 "$(grep -c '^part of (>99 %) .*/whole/text-60-all$' out)"
# With other blanks it is the same text.
sed 's/ /\t/; s/$/\r/' asked/text-60 >asked/blanks
runs 0 "$SIMFIND" --summary=none asked/blanks
same "other blanks" 1 "$(grep -c '^part of (>99 %) .*/whole/text-60-all$' out)"
rm asked/blanks
# In another encoding it is the same text, although no count agrees.
runs 0 "$SIMHASH" -q asked/text-12
{ printf '\xff\xfe'; iconv -f ASCII -t UTF-16LE asked/text-12; } >utf-16
runs 0 "$SIMFIND" --summary=none utf-16
same "UTF-16" 1 "$(grep -cE '^same text .*/text-12( |$)' out)"
same "a part in UTF-16" 1 "$(grep -cE '^(part of|contains) \(>99 %\) .*/text-12-all( |$)' out)"
reset
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMFIND" --summary=none --min-resemblance=95% asked/random-60
same "95 %" 1 "$(grep -c '^part of .*random-60-all$' out)"
# Files of the same size are no parts, so their resemblance must reach the minimum: here 83 %.
python3 - similar-x similar-y <<'PYTHON'
import random, sys
random.seed(21)
content = random.randbytes(100000)
open(sys.argv[1], "wb").write(content)
open(sys.argv[2], "wb").write(random.randbytes(9000) + content[9000:])
PYTHON
runs 0 "$SIMHASH" -q similar-x
runs 0 "$SIMFIND" --summary=none --min-resemblance=75% similar-y
same "75 %" 1 "$(grep -c '^8[0-9] % .*similar-x' out)"
"$SIMFIND" --summary=none --min-resemblance=90% similar-y >out || :
same "90 %" 0 "$(wc -l <out)"
# With 100 % the sketches must be equal, so no file is a part.
"$SIMFIND" --summary=none --min-resemblance=100% asked/random-60 >out || :
same "100 %" 0 "$(wc -l <out)"
runs 0 "$SIMFIND" --summary=none --only=copies asked/random-60
same "only copies" 0 "$(wc -l <out)"

# A member of an archive that is in the index, and members that are searched with -z.
if built_with archives; then
	mkdir members
	(cd asked && python3 -m zipfile -c ../members/a.zip random-60 text-60)
	settle members
	runs 0 "$SIMHASH" -q -z members
	runs 0 "$SIMFIND" --summary=none members/a.zip//random-60
	same "a member" 1 "$(grep -cE '^(part of|contains) \(>99 %\) .*/whole/random-60-all( |$)' out)"
	runs 0 "$SIMFIND" --summary=none -z members/a.zip
	same "members" 2 "$(grep -cE '^(part of|contains) \(>99 %\) .*-60-all( |$)' out)"
	# An archive and its own members are no pairs.
	tar -cf members/a.tar -C asked random-60 text-60
	runs 0 "$SIMHASH" -q -z members
	runs 0 "$SIMFIND" --summary=none members/a.tar
	same "own members" 0 "$(grep -c 'a\.tar//' out)"
	same "a member of another archive" 1 "$(grep -cE '^(part of|contains) .*a\.zip//random-60( |$)' out)"
	runs 0 "$SIMFIND" --summary=none members/a.tar//random-60
	same "the own archive" 0 "$(grep -c 'a\.tar  ' out)"
	rm members/a.tar
	runs 0 "$SIMHASH" -q -z members
	runs 0 "$SIMFIND" --summary=none "$files/whole/text-60-all"
	same "a whole that contains a member" 1 "$(grep -cE '^(part of|contains) .*members/a.zip//text-60' out)"
fi

# The other direction: the wholes are requested, and the parts are in the index.
reset
find "$files/whole" -type f -print0 | LC_ALL=C sort -z >requests
settle asked
runs 0 "$SIMHASH" -q asked
runs 0 "$SIMFIND" -q --files0-from=requests --format=json -o list.json
check "files that contain others"
runs 0 "$SIMFIND" --summary=none "$files/whole/table-12-all"
same "screen" 1 "$(grep -cE '^(part of|contains) \(>99 %\) .*/table-12( .*|$)' out)"

# A text in a file that is no text, in both directions. There its white space counts.
mkdir other
python3 - other <<'PYTHON'
import random, sys
random.seed(24)
text = "".join("\t" + "  ".join(str(random.randrange(10**9)) for _ in range(9)) + "\r\n" for _ in range(900)).encode()
open(f"{sys.argv[1]}/text", "wb").write(text)
open(f"{sys.argv[1]}/image", "wb").write(random.randbytes(50000) + text + random.randbytes(60000))
PYTHON
reset
settle other
runs 0 "$SIMHASH" -q other/image
runs 0 "$SIMFIND" --summary=none other/text
same "a text in an image" 1 "$(grep -cE '^(part of|contains) \(>99 %\) .*/other/image( |$)' out)"
reset
runs 0 "$SIMHASH" -q other/text
runs 0 "$SIMFIND" --summary=none other/image
same "an image with a text" 1 "$(grep -cE '^(part of|contains) \(>99 %\) .*/other/text( |$)' out)"

# All pairs: the parts and the wholes are in the index. What 40 contents have does not count, even if
# it is all of a file.
settle asked
mkdir "$files/letters"
python3 - "$files/letters" <<'PYTHON'
import random, sys
random.seed(22)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(2, 9))) for _ in range(4000)]
text = lambda count: " ".join(random.choices(words, k=count)) + "\n"
licence = text(900)
open(f"{sys.argv[1]}/LICENCE", "w").write(licence)
for i in range(40):
    open(f"{sys.argv[1]}/{i}", "w").write(text(500) + licence + text(4000))
# A file that is mostly the licence, and one that has it all.
rest = text(300)
open(f"{sys.argv[1]}/own", "w").write(licence + rest)
open(f"{sys.argv[1]}/with-own", "w").write(text(5000) + licence + rest + text(1000))
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files" asked
runs 0 "$SIMFIND" -q --only=parts --group=none --format=json -o list.json
check "all pairs"
runs 0 "$SIMFIND" --summary=none --only=parts --store
same "parts in SQL" "$(wc -l <out)" "$(sql "SELECT COUNT(*) FROM part_of")"
same "a part in SQL" "text-60 0.9" "$(sql "SELECT part_path, share FROM part_of WHERE whole_path LIKE '%text-60-all'" |
	sed 's|.*/||; s/[|\t]/ /; s/\(0\.9\).*/\1/')"
grep letters out >letters || :
same "common content" 0 "$(grep -cE 'letters/[0-9]' letters)"
same "the own part" 1 "$(grep -cE '^(part of|contains) .*/own .*/with-own|/with-own .*/own' letters)"
runs 0 "$SIMFIND" -q --only=parts --between asked "$files" --format=json -o list.json
check "between directories"
same "one side" 0 "$(python3 -c 'import json
print(sum("/asked/" not in p["path_a"] or "/files/" not in p["path_b"] for p in json.load(open("list.json"))))')"
# A ratio of sizes is a limit.
runs 0 "$SIMFIND" -q --only=parts --size-ratio=20 --format=json -o list.json
same "at most 20 times" 0 "$(grep -c -- '-60-' list.json || :)"
same "12 times" 1 "$(($(grep -c -- '-12-' list.json) > 0))"
rm -r "$files/letters"
if built_with archives; then
	# An archive is not listed with its own members, and not with its content without gzip.
	mkdir packed
	tar -czf packed/b.tgz -C asked random-60 text-60 table-12
	settle packed
	runs 0 "$SIMHASH" -q -z packed
	runs 0 "$SIMFIND" --summary=none --only=parts packed
	same "own members of an archive" 0 "$(wc -l <out)"
fi

# More contents than fit into the memory at once. A sanitizer finds nothing else here.
if [ "$TEST_ENGINE" = sqlite ] && ! built_with sanitizer; then
	mkdir many
	python3 - many <<'PYTHON'
import random, sys
random.seed(23)
for i in range(11500):
    content = random.randbytes(2100)
    open(f"{sys.argv[1]}/{i}", "wb").write(content)
    if i % 230 == 0:
        open(f"{sys.argv[1]}/whole-{i}", "wb").write(random.randbytes(3000) + content + random.randbytes(9000))
PYTHON
	settle many
	runs 0 "$SIMHASH" -q many
	runs 0 "$SIMFIND" --summary=none --only=parts --limits=memory=32M many
	same "little memory" 50 "$(grep -cE '/whole-([0-9]+) .*/many/\1$|/many/([0-9]+) .*/whole-\2$' out)"
	same "little memory, all" 50 "$(wc -l <out)"
fi

# Without pieces, only files of similar sizes are found.
reset
runs 0 "$SIMHASH" -q --pieces=no "$files"
runs 0 "$SIMFIND" --summary=none asked/random-60
same "without pieces" 0 "$(grep -c '^part of' out || true)"
runs 0 "$SIMFIND" --summary=none asked/random-1.5
same "without pieces, near sizes" 2 "$(grep -c '^part of' out)"

# ---- Short FILEs, which are searched in the files themselves ----

reset
rm -rf "$files" && mkdir -p "$files/texts" "$files/other" passages
python3 - "$files" passages <<'PYTHON'
import json, os, random, re, sys, zipfile

files, asked = sys.argv[1:]
random.seed(22)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(2, 9))) for _ in range(4000)]
made = {}

def text(count):
    lines = [" ".join(random.choices(words, k=random.randint(6, 12))) for _ in range(count)]
    return "\n".join(lines) + "\n"

for number in range(12):
    made[number] = text(600)
    open(f"{files}/texts/{number}.txt", "w").write(made[number])
blob = random.randbytes(300000)
open(f"{files}/other/blob.bin", "wb").write(blob)
expected = {}

def ask(name, content, whole, begin, end, least, lines=None):
    open(f"{asked}/{name}", "wb").write(content)
    expected[name] = [whole, begin, end, least, lines]

def lines_of(content, begin, end):
    return [content[:begin].count("\n") + 1, content[:end - 1].count("\n") + 1]

for number, size in enumerate((40, 200, 500, 1000, 3000)):
    begin = made[number].index(" ", 9000) + 1
    part = made[number][begin:begin + size].rstrip()
    place = [f"{number}.txt", begin, begin + len(part)]
    lines = lines_of(made[number], begin, begin + len(part))
    ask(f"exact-{size}", part.encode(), *place, 1, lines)
    ask(f"blanks-{size}", re.sub(r"\s", lambda found: random.choice(["  ", "\r\n\t", " \n"]), part).encode(), *place, 1, lines)
    if size >= 200:
        changed = part.split()
        for at in (len(changed) // 4, len(changed) // 2, 3 * len(changed) // 4):
            changed[at] = "X" * len(changed[at])
        ask(f"changed-{size}", " ".join(changed).encode(), *place, 0.8, lines)
for size in (16, 300, 20000):
    ask(f"bytes-{size}", blob[70000:70000 + size], "blob.bin", 70000, 70000 + size, 1)
open(f"{asked}/stranger", "w").write(text(5))
json.dump(expected, open("expected.json", "w"))
with zipfile.ZipFile(f"{files}/other/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("inner.txt", "".join(text(300) for _ in range(3)) + made[2][9000:9900] + text(300))
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"
cat >check_places.py <<'PYTHON'
import json, os, sys

expected = json.load(open("expected.json"))
found = {}
for pair in json.load(open(sys.argv[1])):
    for part, whole in (("a", "b"), ("b", "a")):
        name = os.path.basename(pair[f"path_{part}"])
        if "/passages/" in pair[f"path_{part}"]:
            assert name not in found, f"{name} is found twice"
            found[name] = pair, os.path.basename(pair[f"path_{whole}"]), pair[f"contained_{part}"]
for name, (whole, begin, end, least, lines) in expected.items():
    assert name in found, f"{name} is not found"
    pair, path, share = found.pop(name)
    assert path == whole and least <= share <= 1 and pair["verified"] == "read", (name, pair)
    assert least == 1 or share < 1, (name, pair)
    place = pair["part_begin"], pair["part_end"]
    assert place == (begin, end), (name, place, begin, end)
    assert [pair.get("part_first_line"), pair.get("part_last_line")] == (lines or [None, None]), (name, pair)
assert not found, f"found by mistake: {sorted(found)}"
PYTHON
find passages -type f -print0 | LC_ALL=C sort -z >requests
for options in --verify=read --verify=all --threads=1\ --verify=read; do
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMFIND" -q $options --files0-from=requests --format=json -o list.json
	python3 check_places.py list.json || fail "short FILEs with $options"
done
# A text that is short only in its normal form is not read completely.
{
	cat passages/exact-500
	head -c 67108864 /dev/zero | tr '\0' '\n'
	cat passages/exact-200
} >blank
runs 0 "$SIMFIND" -q --verify=read blank
rm blank
# Without reading, the last line says what finds more.
runs 0 "$SIMFIND" passages/exact-500
same "not found" "" "$(cat out)"
same "hint" 1 "$(tail -n1 err | grep -c -- '--verify=read reads them')"
runs 0 "$SIMFIND" --verify=read passages/stranger
same "no hint" 0 "$(grep -c -- --verify=read err)"
# Standard input, also from a pipe, and the line for people.
runs 0 "$SIMFIND" --summary=none --verify=read - <passages/exact-200
same "standard input" 1 "$(grep -c '^part of (100 %)   -  .*/1.txt  lines [0-9]*-[0-9]*$' out)"
# shellcheck disable=SC2002
cat passages/exact-200 | "$SIMFIND" --summary=none --verify=read - >piped || fail "a pipe"
same "a pipe" "$(cat out)" "$(cat piped)"
runs 0 "$SIMFIND" --summary=none --verify=read passages/bytes-300
same "bytes" 1 "$(grep -c '^contains (100 %) .*/blob.bin  .*/bytes-300  bytes 70000-70299$' out)"
# Filters limit what is read.
for options in "--ext=bin" "--max-size=1000" "$files/other"; do
	# shellcheck disable=SC2086
	"$SIMFIND" --summary=none --verify=read passages/exact-500 $options >out || fail "with $options"
	same "with $options" "" "$(cat out)"
done
runs 0 "$SIMFIND" --summary=none --verify=read passages/exact-500 "$files/texts"
same "in a directory" 1 "$(wc -l <out)"
# The progress line
"$SIMFIND" --summary=none --verify=read --progress=always passages/exact-500 >out 2>err || fail "progress"
grep -q ' pairs' err || fail "no progress: $(cat err)"
if built_with archives; then
	runs 0 "$SIMHASH" -q -z "$files"
	runs 0 "$SIMFIND" --summary=none --verify=read passages/exact-500
	same "in an archive" 1 "$(grep -c 'a\.zip//inner.txt .* lines' out)"
fi
# A file that has changed is reported, and was not searched.
echo more >>"$files/texts/2.txt"
status=0
"$SIMFIND" --summary=none --verify=read passages/exact-500 >out 2>err || status=$?
[ "$status" != 0 ] || fail "the exit status of a file that was not searched"
same "a changed file" 1 "$(grep -c '2\.txt: has changed since it was indexed; it was not searched' err)"
# The places of larger parts, which the index finds
python3 - "$files/texts/large.txt" passages/large <<'PYTHON'
import sys
words = [f"{number * 7919 % 100003:x}" for number in range(90000)]
lines = [" ".join(words[at:at + 9]) + "\n" for at in range(0, len(words), 9)]
open(sys.argv[1], "w").writelines(lines)
open(sys.argv[2], "w").writelines(lines[4000:7000])
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMFIND" --summary=none --verify=read passages/large
same "the place of a large part" 1 "$(grep -c '^contains .*/large.txt  .*/large  lines 4001-7000$' out)"
runs 0 "$SIMHASH" -q passages/large
runs 0 "$SIMFIND" --summary=none --verify=all "$files/texts/large.txt"
same "the place in FILE" 1 "$(grep -cE '^(part of|contains) .*/large( .*)?  lines 4001-7000$' out)"
runs 0 "$SIMFIND" --summary=none passages/large
same "without reading" 0 "$(grep -c lines out)"

# Two directories: files without a counterpart that are part of files of the other directory, or
# contain them; also below a top folder in an archive.
mkdir -p sides/a/logs sides/b
python3 - sides <<'PYTHON'
import random, sys
chance = random.Random(7)
def lines(count):
    return [f"{chance.random()} {chance.random()}\n" for _ in range(count)]
def put(path, text):
    open(f"{sys.argv[1]}/{path}", "w").writelines(text)
whole, inner, other = lines(3000), lines(400), lines(500)
put("b/all.log", whole)
put("a/logs/march.log", whole[1000:1600])
put("b/inner.txt", inner)
put("a/outer.txt", lines(300) + inner + lines(300))
put("a/alone.txt", other)
put("a/same.txt", inner[:200])
log, grown = lines(3000), lines(2000)
put("a/grown.log", log[:900])
put("b/grown.log", log)
put("a/old.log", grown[:1000])
put("b/new.log", grown)
put("b/same.txt", inner[:200])
put("b/alone too.txt", lines(500))
PYTHON
settle sides
directories() { # A B: the lines of files
	runs 0 "$SIMFIND" --directories "$1" "$2"
	sed -n 's/ [0-9.]* kB$//p' out | grep -E '^(only|moved|identical|changed|part of|contains)' || true
}
runs 0 "$SIMHASH" -q sides
expected="part of      grown.log  (>99 %)
part of      old.log  (>99 %) now new.log
only in A    alone.txt
only in A    logs/march.log  part of (>99 %) all.log
only in A    outer.txt  contains (>99 %) inner.txt
only in B    all.log  contains (>99 %) logs/march.log
only in B    alone too.txt
only in B    inner.txt  part of (>99 %) outer.txt
identical    same.txt"
same "parts of files of two directories" "$expected" "$(directories sides/a sides/b | sed 's/ *$//')"
same "only identical files" 0 "$("$SIMFIND" --directories --min-resemblance=1 sides/a sides/b | grep -cE 'part of|contains')"
runs 0 "$SIMFIND" --directories --format=json sides/a sides/b
same "in JSON" '"all.log","part_of":1.000000' "$(grep -o '"all.log","part_of":1.000000' out)"
if built_with archives; then
	mkdir zipped
	(cd sides && python3 -m zipfile -c ../zipped/b.zip b)
	runs 0 "$SIMHASH" -q -z zipped
	same "in an archive" "$expected" "$(directories sides/a zipped/b.zip | sed 's/ *$//')"
fi
