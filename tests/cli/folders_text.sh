#!/usr/bin/env bash
# Tests the output of simfind --directories for pairs and for two directories, in each format;
# unusual names, hosts, links, limits and refused requests. folders.py compares the numbers with
# their definition.
set -euo pipefail
# shellcheck source=tests/cli/lib.sh
. "$SOURCE_DIR/tests/cli/lib.sh"

text() { # SEED LINES
	python3 -c 'import random, sys
rng = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
	print(*(rng.choice("bdfgklmn") + rng.choice("aeiou") + rng.choice("rstvz") for _ in range(8)))' "$@"
}
# shows WHAT EXPECTED: check the output of the last run
shows() {
	same "$1" "$2" "$(cat "$TEST_FOLDER/out")"
}

mkdir -p "$files"/{photos/2019,docs,old/photos,project-1/src,project-2/src,other}
cd "$files"
for n in 1 2 3; do
	text $n 100 >photos/2019/$n.txt
	text 1$n 200 >project-1/src/$n.c
	cp project-1/src/$n.c project-2/src
done
text 4 50 >docs/letter
text 5 60 >other/one
cp -r photos/2019 old/photos/holidays
text 20 100 >project-1/README
(cat project-1/README && echo "one more line") >project-2/README
mv project-2/src/3.c project-2/three.c
echo new >project-2/news
echo gone >project-1/gone
: >project-2/empty
settle .
"$SIMHASH" -q .

# The later one of two identical directories can be removed. Empty files do not count.
size=$(cat photos/2019/* | wc -c)
same_size=$(cat project-1/src/* | wc -c)
runs 0 "$SIMFIND" --directories
shows "pairs" "$files/project-1  5 files  22.4 kB
    99 %     $files/project-2  5 files  22.4 kB
             3 files identical, 1 changed, 1 only here, 1 only in the folder above; removing the identical files frees 19.2 kB

$files/old/photos/holidays  3 files  9.6 kB
  identical  $files/photos/2019  3 files  9.6 kB"
said "1 of 9 folders is a copy; removing it would free 9.6 kB. 1 more resembles another."
same "bytes" "9600 19200" "$size $same_size"
runs 3 "$SIMFIND" --directories --fail-on-match -q -o /dev/null
runs 0 "$SIMFIND" --directories --limit=1
said "1 more pair left out by --limit"

# Only identical files; only below some directories; one directory completely in another.
runs 0 "$SIMFIND" --directories --summary=none --format=csv --min-resemblance=1 "$files/project-1/.."
shows "CSV" "match,saved_bytes,share_a,share_b,bytes_a,bytes_b,shared_a,shared_b,files_a,files_b,same_a,same_b,changed_a,changed_b,only_a,only_b,path_a,path_b"$'\r'"
similar,19200,0.856952,0.856455,22405,22418,19200,19200,5,5,3,3,0,0,2,2,$files/project-1,$files/project-2"$'\r'"
identical,9600,1.000000,1.000000,9600,9600,9600,9600,3,3,3,3,0,0,0,0,$files/photos/2019,$files/old/photos/holidays"$'\r'
runs 0 "$SIMFIND" --directories --summary=none --format=jsonl "$files/photos"
shows "below one directory" ""
text 30 40 >old/photos/more
settle old
"$SIMHASH" -q old
runs 0 "$SIMFIND" --directories --summary=none "$files/photos" "$files/old/" "$files/docs"
shows "below three" "$files/photos/2019  3 files  9.6 kB
  part of    $files/old/photos (100 %)  4 files  10.9 kB
             3 files identical, 1 only here; removing the identical files frees 9.6 kB"
mv old/photos/more old/photos/holidays
"$SIMHASH" -q .
runs 0 "$SIMFIND" --directories --summary=none old docs other photos
shows "contained" "$files/old/photos/holidays  4 files  10.9 kB
  contains   $files/photos/2019 (100 %)  3 files  9.6 kB"
rm old/photos/holidays/more
"$SIMHASH" -q .

# Two directories file by file: first as text, then in the other formats.
runs 0 "$SIMFIND" --directories project-1 "$files/project-2/"
shows "two directories" "A  $files/project-1  5 files  22.4 kB
B  $files/project-2  5 files  22.4 kB

2 files identical, 1 moved, 1 changed, 1 only in A, 1 only in B; 99 % of A is in B, 99 % of B is in A. Removing from A the files that B also has would free 19.2 kB.

 >99 %       README  3.2 kB
moved        src/3.c  now three.c  6.4 kB
only in A    gone  5 bytes
only in B    news  4 bytes
identical    src/1.c  6.4 kB
identical    src/2.c  6.4 kB"
runs 0 "$SIMFIND" --directories --format=csv project-1 project-2
shows "CSV of two" "match,resemblance,size_a,size_b,path_a,path_b,like"$'\r'"
changed,0.995643,3200,3214,README,README,"$'\r'"
moved,1.000000,6400,6400,src/3.c,three.c,"$'\r'"
only_a,,5,,gone,,"$'\r'"
only_b,,,4,,news,"$'\r'"
same,1.000000,6400,6400,src/1.c,src/1.c,"$'\r'"
same,1.000000,6400,6400,src/2.c,src/2.c,"$'\r'
runs 0 "$SIMFIND" --directories --format=json project-1 project-2
python3 -c 'import json, sys
whole = json.load(open(sys.argv[1]))
assert (whole["match"], whole["saved_bytes"], len(whole["files_of_both"])) == ("similar", 19200, 6), whole
assert whole["a"]["files"] == 5 and whole["b"]["only"] == 1 and whole["b"]["path"].endswith("/project-2"), whole' \
	"$TEST_FOLDER/out"
runs 0 "$SIMFIND" --directories --format=jsonl project-1 project-2
same "lines" 7 "$(python3 -c 'import json, sys
print(len([json.loads(line) for line in open(sys.argv[1])]))' "$TEST_FOLDER/out")"

# The partner is the directory with the packages, not a higher one with one more file that is hardly
# larger.
for v in 1 2; do
	mkdir -p python/$v/lib/python3.$v/packages/{p,q}
	text 8$v 900 >python/$v/lib/python3.$v/os
	text 9$v 50 >python/$v/lib/so
	for n in 1 2 3 4; do
		text 4$n 40 >python/$v/lib/python3.$v/packages/p/$n
	done
done
text 95 20 | tee python/1/lib/python3.1/packages/q/1 >python/2/lib/python3.2/moved
settle python
"$SIMHASH" -q python
runs 0 "$SIMFIND" --directories --summary=none python
shows "packages" "$files/python/2/lib/python3.2/packages/p  4 files  5.1 kB
  part of    $files/python/1/lib/python3.1/packages (100 %)  5 files  5.8 kB
             4 files identical, 1 only here; removing the identical files frees 5.1 kB

$files/python/2/lib/python3.2  6 files  34.6 kB
  contains   $files/python/1/lib/python3.1/packages/q (100 %)  1 file  640 bytes"
rm -r python
"$SIMHASH" -q .

# Files at the same path in both directories are never only in one of them, no matter how different,
# and empty or not. Each file is in one line: if several resemble one file of the other directory,
# only one is its counterpart, and the others name it.
mkdir -p versions/{1,2}/sub
text 70 40 >versions/1/unlike
text 71 40 >versions/2/unlike
echo short >versions/1/short
echo shorter >versions/2/short
: | tee versions/{1,2}/empty versions/1/filled >versions/2/gone
text 72 30 | tee versions/2/filled versions/1/sub/moved >versions/2/moved
text 73 90 | tee versions/{1,2}/letter >versions/2/copy
(cat versions/1/letter && echo "one more line") >versions/2/letter.new
settle versions
"$SIMHASH" -q versions
runs 0 "$SIMFIND" --directories versions/1 versions/2
shows "the same paths" "A  $files/versions/1  5 files  5.1 kB
B  $files/versions/2  7 files  11.9 kB

1 file identical, 1 moved, 3 changed, 1 copied in B, 1 only in B; 74 % of A is in B, 75 % of B is in A. Removing from A the files that B also has would free 3.8 kB.

   0 %       filled  0 bytes
changed      short  6 bytes
   0 %       unlike  1.3 kB
moved        sub/moved  now moved  960 bytes
copy in B    copy  same as letter  2.9 kB
only in B    letter.new  >99 % like letter  2.9 kB
identical    letter  2.9 kB"
# Many versions of one file share at most its bytes.
mkdir -p many/a many/b
text 75 900 >many/b/letter
for i in 1 2 3 4; do
	(cat many/b/letter && echo "version $i") >many/a/letter$i
done
settle many
"$SIMHASH" -q many
runs 0 "$SIMFIND" --directories --format=json --summary=none many/a many/b
python3 - "$TEST_FOLDER/out" <<'PYTHON' || fail "more of a is in b than b has"
import json, sys
pair = json.load(open(sys.argv[1]))
a, b = pair["a"], pair["b"]
assert a["changed"] == 1 and a["only"] == 3, pair
assert a["shared_bytes"] <= b["bytes"] and 0.9 * b["bytes"] < a["shared_bytes"], pair
assert abs(a["share"] - a["shared_bytes"] / a["bytes"]) < 1e-5, pair
PYTHON
rm -r many
runs 0 "$SIMHASH" -q --forget many
runs 0 "$SIMFIND" --directories --min-resemblance=1 --format=csv versions/1 versions/2
shows "the same paths, without similar files" "match,resemblance,size_a,size_b,path_a,path_b,like"$'\r'"
changed,0.000000,0,960,filled,filled,"$'\r'"
changed,,6,8,short,short,"$'\r'"
changed,0.000000,1280,1280,unlike,unlike,"$'\r'"
moved,1.000000,960,960,sub/moved,moved,"$'\r'"
only_b,1.000000,,2880,,copy,letter"$'\r'"
only_b,,,2894,,letter.new,"$'\r'"
same,1.000000,2880,2880,letter,letter,"$'\r'
rm -r versions
"$SIMHASH" -q .

# Each host has its own tree; a directory of another host need not exist here.
"$SIMHASH" -q --host=web1 photos
rm -r photos
"$SIMHASH" -q .
runs 0 "$SIMFIND" --summary=none --directories=100%
shows "two hosts" "$files/project-2  5 files  22.4 kB
  contains   $files/project-1/src (100 %)  3 files  19.2 kB

$files/old/photos/holidays  3 files  9.6 kB
  identical  web1:$files/photos/2019  3 files  9.6 kB"
runs 0 "$SIMFIND" --directories --format=jsonl "web1:$files/photos" old
grep -qF "\"a\":{\"share\":1.000000,\"bytes\":9600,\"shared_bytes\":9600,\"files\":3,\"same\":3,\"changed\":0,\"only\":0,\"path\":\"web1:$files/photos\"}" \
	"$TEST_FOLDER/out" || fail "a directory of another host: $(cat "$TEST_FOLDER/out")"

# A file with another name elsewhere keeps its space; the copy does not.
mkdir -p links/{a,b,c}
text 40 50 >links/a/one
text 41 50 >links/a/two
ln links/a/one links/a/two links/b
cp links/a/* links/c
settle links
"$SIMHASH" -q links
runs 0 "$SIMFIND" --directories --format=csv --summary=none links
same "saved" "identical,0 identical,3200" "$(sed -n '2,$p' "$TEST_FOLDER/out" | cut -d, -f1,2 | sort | xargs)"

# Names can contain any bytes; no byte acts on a terminal.
odd=$'odd\n\e[31m\xff,"'
mkdir -p "$odd/x" plain
text 50 100 >"$odd/x/f"$'\t'
cp "$odd/x/f"$'\t' plain/g
settle .
"$SIMHASH" -q "$odd" plain
runs 0 "$SIMFIND" --directories --summary=none "$odd" other plain
shows "odd names" "$files/odd\\n\\x1b[31m\\xff,\"/x  1 file  3.2 kB
  identical  $files/plain  1 file  3.2 kB"
runs 0 "$SIMFIND" --directories --summary=none --format=json "$odd" other plain
python3 -c 'import json, os, sys
pair, = json.load(open(sys.argv[1]))
assert bytes.fromhex(pair["b"]["path_hex"]) == os.fsencode(sys.argv[2]), pair' "$TEST_FOLDER/out" "$files/$odd/x"
runs 0 "$SIMFIND" --directories --format=csv "$odd" plain
same "a moved file" "moved,1.000000,3200,3200,x/f"$'\t'",g,"$'\r' "$(sed -n 2p "$TEST_FOLDER/out")"

# A spreadsheet treats no field as a formula, and removing the apostrophe gives the name.
mkdir -p sheet/A sheet/B
python3 - <<'PYTHON'
names = ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "\rx", "\nx", "'", "''=1", "=a,\"b", "a=1", "1-1"]
for i, name in enumerate(names):
    content = f"{name} line of {i}\n" * 400
    with open("sheet/A/" + name, "w", newline="") as file:
        file.write(content)
    # The same, changed, moved, and only in B, where the file resembles another one.
    with open("sheet/B/" + name + ("2" if i % 3 == 2 else ""), "w", newline="") as file:
        file.write(content + "one more line\n" * (i % 3 == 1))
    with open("sheet/B/" + name + "3", "w", newline="") as file:
        file.write(content + "the last line\n")
PYTHON
"$SIMHASH" -q sheet
runs 0 "$SIMFIND" --directories --format=json sheet/A sheet/B
cp "$TEST_FOLDER/out" sheet.json
runs 0 "$SIMFIND" --directories --format=csv sheet/A sheet/B
python3 - "$TEST_FOLDER/out" sheet.json <<'PYTHON' || fail "a formula in CSV"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
lines = json.load(open(sys.argv[2]))["files_of_both"]
assert len(rows) == len(lines) > 20 and any("like" in line for line in lines), lines
for row, line in zip(rows, lines):
    for name, field in row.items():
        assert field[:1] not in tuple("=+-@\t\r\n"), row
        if name in ("path_a", "path_b", "like"):
            plain = field[1:] if field.startswith("'") else field
            assert plain == line.get(name, ""), (row, line)
            assert (plain != field) == (plain != "" and plain[0] in "=+-@\t\r\n'"), row
PYTHON
rm -r sheet sheet.json

# An archive is compared like a directory: it saves nothing, does not hide pairs that save space,
# and counts as one file in its directory. A compressed file is not an archive, and only one of two
# copies is listed.
mkdir zips
python3 - project-1 zips/src.zip zips/two.zip <<'PYTHON'
import os, sys, zipfile
folder, *archives = sys.argv[1:]
def pack(path, extra):
    with zipfile.ZipFile(path, "w") as archive:
        for here, _, names in os.walk(folder):
            for name in sorted(names):
                inner = os.path.relpath(os.path.join(here, name), folder)
                archive.write(os.path.join(here, name), os.path.join("in", inner))
        for name in extra:
            archive.write(name, "deep/" + os.path.basename(name))
pack(archives[0], [])
pack(archives[1], [archives[0]])
PYTHON
cp zips/src.zip zips/copy.zip
gzip -c project-1/src/1.c >zips/1.c.gz
settle zips
"$SIMHASH" -q -z zips project-1 project-2
runs 0 "$SIMFIND" --directories --summary=none project-1 project-2 "$files/zips/src.zip" "$files/zips/1.c.gz"
shows "an archive" "$files/project-1  5 files  22.4 kB
    99 %     $files/project-2  5 files  22.4 kB
             3 files identical, 1 changed, 1 only here, 1 only in the folder above; removing the identical files frees 19.2 kB
  identical  $files/zips/src.zip//in  5 files  22.4 kB
             in an archive

$files/zips/src.zip//in  5 files  22.4 kB
    99 %     $files/project-2  5 files  22.4 kB
             3 files identical, 1 changed, 1 only here, 1 only in the folder above, the folder above is in an archive"
runs 0 "$SIMFIND" --directories --format=jsonl --summary=none zips
python3 -c 'import json, sys
pairs = [json.loads(line) for line in open(sys.argv[1])]
inner = [sorted(side["path"].split("/zips/")[-1] for side in (p["a"], p["b"]) if side.get("in_archive")) for p in pairs]
assert all(p["saved_bytes"] == 0 for p in pairs), pairs
assert ["copy.zip//in", "src.zip//in"] not in inner and any("two.zip//deep/src.zip//in" in names for names in inner), inner' \
	"$TEST_FOLDER/out"
runs 0 "$SIMFIND" --directories project-2 zips/src.zip
grep -qxF "moved        three.c  now src/3.c  6.4 kB" "$TEST_FOLDER/out" || fail "a file in an archive: $(cat "$TEST_FOLDER/out")"
same "an archive is one file" "4" "$("$SIMFIND" --summary=none --directories --format=json zips project-1 |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["a"]["files"])')"
# The message names the file that cannot be compared, and not the other one.
(cd zips && python3 -m zipfile -c one.zip ../docs/letter)
"$SIMHASH" -qz zips
runs 1 "$SIMFIND" --directories zips/one.zip project-2
said "--directories: $files/zips/one.zip is a file, and the index has fewer than two members of it that are not empty; simhash -z"
runs 1 "$SIMFIND" --directories docs/letter zips/src.zip
said "the index has no files at or below $files/docs/letter; to index the members of archives: simhash -z $files/docs/letter"
runs 1 "$SIMFIND" --directories zips/src.zip web1:/nothing
said "--directories: the index has no files that are not empty at or below web1:/nothing"
rm -r zips
"$SIMHASH" -q .

# Contents in very many directories propose no pair, and a message says so.
mkdir -p many/{1..257}
text 60 20 | tee many/{1..257}/LICENSE >/dev/null
settle many
"$SIMHASH" -q many
runs 0 "$SIMFIND" --directories many
shows "common contents" ""
said "note: 258 folders were not compared: every file that they share with others is in more than 256 folders"

# Requests that are refused.
runs 1 "$SIMFIND" --directories old old/photos
said "--directories: a directory cannot be compared with one that it is in, or with itself"
runs 1 "$SIMFIND" --directories old no-such-directory
said "--directories: cannot find directory no-such-directory"
runs 1 "$SIMFIND" --directories old web1:relative
said "--directories 'web1:relative': expected an absolute directory after the host"
runs 1 "$SIMFIND" --directories old web1:/nothing
said "--directories: the index has no files that are not empty at or below web1:/nothing"
mkdir unknown
runs 1 "$SIMFIND" --directories old unknown
said "the index has no files at or below $files/unknown; index it first: simhash"
runs 1 "$SIMFIND" --directories --format=null
said "--directories cannot be combined with --format=null; expected text, csv, json, jsonl or html"
for share in 2 101% % '' 50%%; do
	runs 1 "$SIMFIND" --directories="$share"
	said "--directories '$share': expected a percentage such as 75%, or a number from 0 to 1"
done
