#!/usr/bin/env bash
# Tests the report in a real browser: see browser.py. The expected text comes from JSON, the index
# and the files, read by another program.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
export TZ=UTC

# Names that look like markup, scripts or entities, or that try to end the data.
names=('<img src=x onerror=window.injected=1>.txt' '<script>window.injected=1' '"quoted"&amp;.txt'
	"';window.injected=1;'" '<b class=injected>bold.txt' 'ключ-αβγ-日本.txt')
mkdir "$files/names"
for name in "${names[@]}"; do
	seq 3000 >"$files/names/$name"
done
# A name cannot contain a slash, so a directory ends the element.
mkdir -p "$files/names/<"
seq 3000 >"$files/names/<"/'script>.txt'
seq 3000 >"$files/names/"$'line\nend\x1b[31m.txt'
seq 3000 >"$files/names/back\\slash.txt"
seq 3000 >"$files/names/"$'not-\xff-utf8.txt'
# 60 groups: a file, an older copy, and a file with changed lines; five of them also have a copy in
# a folder of originals.
mkdir "$files/groups" "$files/later" "$files/originals"
for group in $(seq 60); do
	name=$files/$([ "$group" -le 30 ] && echo groups || echo later)/group$group
	awk -v seed="$group" 'BEGIN { srand(seed); for (i = 0; i < 700; i++) print int(rand() * 1e6) }' >"$name-a.txt"
	cp "$name-a.txt" "$name-b.txt"
	sed '100s/.*/-----/; 400s/.*/another line\twith a tab/' "$name-a.txt" >"$name-c.txt"
	touch -d 2020-02-03T04:05:06.123456789Z "$name-a.txt"
	touch -d 2019-01-01T00:00:00Z "$name-b.txt"
	touch -d 2021-06-07T08:09:10Z "$name-c.txt"
	[ "$group" -gt 5 ] || cp -p "$name-a.txt" "$files/originals/group$group-original.txt"
done
# A copy of a file that is not the first, in the same minute.
cp "$files/groups/group7-c.txt" "$files/groups/group7-d.txt"
touch -d 2021-06-07T08:09:40Z "$files/groups/group7-d.txt"
# Files without lines to compare: files that are not text, and files that have changed since. Also
# lines that would act on the page.
mkdir "$files/others"
python3 - "$files/others" <<'PYTHON'
import os, random, struct, sys
folder, r = sys.argv[1], random.Random(1)
def write(name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
noise = bytearray(r.randbytes(40000))
write("noise-a.bin", noise)
noise[20000] ^= 1
write("noise-b.bin", noise)
lines = [str(r.random()).encode() + b"\n" for _ in range(900)]
for kind, line in (("changed", b"x\n"), ("hostile", b"</script><script>window.injected=1</script>\xe2\x80\xae\xff\x1b[31m<!--\n")):
    write(kind + "-a.txt", b"".join(lines))
    write(kind + "-b.txt", b"".join(lines[:500] + [line] + lines[501:]))
    lines = [str(r.random()).encode() + b"\n" for _ in range(900)]
# Similar files that are not nearly identical.
for name in ("alike", "other"):
    lines = [str(r.random()).encode() + b"\n" for _ in range(900)]
    write(name + "-a.txt", b"".join(lines))
    write(name + "-b.txt", b"".join(b"%.10f\n" % r.random() if i % 20 == 0 else line for i, line in enumerate(lines)))
pixels = bytearray(r.randbytes(100 * 100 * 3))
def bitmap():
    return struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, 100, 100, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels
write("picture-a.bmp", bitmap())
pixels[15000:15006] = b"\0" * 6
write("picture-b.bmp", bitmap())
write("alone.bin", r.randbytes(5000))
PYTHON

settle "$files/names"
settle "$files/others"
runs 0 "$SIMHASH" "$files"
printf x | dd of="$files/others/changed-b.txt" conv=notrunc 2>/dev/null
runs 0 "$SIMFIND" --group=single --format=json -o groups.json
head -n 1 err >lead
runs 0 "$SIMFIND" --directories=0.9 --min-resemblance=1 --format=json -o folders.json
runs 0 "$SIMFIND" --group=single --format=html:thumbnails -o report.html
# It contains lines of files, so only the owner can read it.
same "permissions" 600 "$(stat -c %a report.html)"
same "control bytes in the page" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <report.html | wc -c)"
iconv -f UTF-8 -t UTF-8 report.html >/dev/null || fail "the page is not UTF-8"
grep -qF $'\u202e' report.html && fail "the page has a mark that turns text around"
sql "SELECT hex(content_hash), name FROM file" >hashes

# No password appears: a URL with a password is refused before anything is written.
runs 1 "$SIMFIND" -d mysql://me:secret@localhost/simhash --format=html -o refused.html
[ ! -e refused.html ] || fail "a page was written"
runs 1 "$SIMFIND" --format=csv:thumbnails
said "--format 'csv:thumbnails': expected text, csv, json, jsonl, null, html, html:thumbnails or dot"
runs 1 "$SIMFIND" --format=html:thumbnails --partition=1/2
said "--partition cannot be combined with --format=html"
# The page lists the groups within --limit, and counts the others.
runs 0 "$SIMFIND" --group=single --format=json --limit=3 --sort=-path -o few.json
runs 0 "$SIMFIND" --group=single --format=html --limit=3 --sort=-path -o few.html
said "$(($(grep -c '^{' groups.json) - 3)) more groups left out by --limit"
same "limited" "$(grep -c '^{' few.json)" "$(grep -c '^\["[0-9a-f]\{16\}",' few.html)"
grep -q "\"left_out\":$(($(grep -c '^{' groups.json) - 3)),\"limit\":3,\"sort\":4,\"reverse\":true" few.html ||
	fail "the page does not name the number of groups left out"
# Without html:thumbnails the page has no pictures.
runs 0 "$SIMFIND" --format=html -o plain.html
grep -q ';base64,' plain.html && fail "the page has pictures that nobody asked for"
grep -q '"image/bmp;base64,' report.html || fail "the page has no picture"

# A group with ordinary names: its first and its last file are the pair to open.
python3 - >pair <<'PYTHON'
import json
groups = json.load(open("groups.json", encoding="utf-8"))
members = next(g["members"] for g in groups if "/group7-c" in str(g["members"]))
assert [m["role"] for m in members] == ["representative", "copy", "member", "copy"], members
other = next(m for m in members if m["role"] == "member")
print(members[0]["path"], other["path"], sep="\n")
PYTHON
mapfile -t pair <pair
runs 0 "$SIMHASH" --print "${pair[@]}"
awk '$1 == "sum" { print $3 }' out >counts
diff -u "${pair[@]}" | tail -n +3 >hunks || true
python3 "$SOURCE_DIR/tests/report/expected.py" "$files" "${pair[@]}" >expected.json
python3 "$SOURCE_DIR/tests/report/browser.py" report.html expected.json ${PICTURES:+"$PICTURES"}

# simkeep acts on decisions that were saved, loaded and saved again.
runs 0 "$SIMKEEP" --decisions=decisions.json --action=delete
same "files to delete" "$(grep -o '"remove"' decisions.json | wc -l)" "$(grep -c '^delete ' out)"
same "files to keep" "$(grep -o '"keep"' decisions.json | wc -l)" "$(grep -c '^keep ' out)"

# The page names the container of a member of an archive, other hosts, and how much of a part is in a file.
reset
mkdir "$files/archives" "$files/elsewhere"
seq 5000 | sed 's/1/one/' >"$files/archives/a.txt"
gzip -k "$files/archives/a.txt"
seq 5000 | sed 's/1/one/; 400s/.*/x/' >"$files/elsewhere/b.txt"
head -n 3300 "$files/archives/a.txt" >"$files/archives/part.txt"
touch -d 2021-06-07T08:09:10.1Z "$files/archives/a.txt"
touch -d 2021-06-07T08:09:11.1Z "$files/archives/part.txt"
runs 0 "$SIMHASH" -z "$files/archives"
runs 0 "$SIMHASH" -z "$files/archives"
runs 0 "$SIMHASH" --host=other "$files/elsewhere"
runs 0 "$SIMFIND" --min-resemblance=0.7 --format=html -o hosts.html
runs 0 "$SIMFIND" --min-resemblance=0.7 --only=parts --format=html -o hosts-parts.html
python3 - "$files" <<'PYTHON' || fail "archives and other hosts"
import json, re, sys
page = open("hosts.html", encoding="utf-8").read()
data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
[[group_id, size, saves, contents]] = data["groups"]
files = {file[0]: (file[3], file[4]) for content in contents for file in content[8]}
assert files == {sys.argv[1] + "/archives/a.txt": ("", 1), sys.argv[1] + "/archives/a.txt.gz//a.txt": ("", 0),
                 sys.argv[1] + "/archives/part.txt": ("", 1),
                 "other:" + sys.argv[1] + "/elsewhere/b.txt": ("other", 1)}, files
# Nothing can be read on the other host, and too many lines differ from the other file.
assert [content[6] for content in contents] == [0, 1, 5], contents
PYTHON

# With --group=lineage a group shows its tree of versions.
reset
rm -r "$files/elsewhere" "$files/archives"
mkdir "$files/archives"
python3 - "$files/archives" <<'PYTHON'
import os, random, sys
chance, top = random.Random(3), sys.argv[1]
def put(name, lines):
    path = os.path.join(top, name)
    with open(path, "w") as file:
        file.writelines(lines)
    os.utime(path, (1500000000, 1500000000))
def lines(count):
    return [f"{chance.random()}\n" for _ in range(count)]
text = lines(400)
for number in range(1, 5):
    put(f"letter-v{number}.txt", text)
    if number == 3:
        put("letter<b>.txt.bak", text)
    text = text[:100 * number - 50] + lines(8) + text[100 * number - 44:]
text = lines(300)
for name in ("left", "right"):
    put(name, text + [name.rjust(9)])
PYTHON
runs 0 "$SIMHASH" -q "$files/archives"
runs 0 "$SIMFIND" -q --group=lineage --format=json -o versions.json
runs 0 "$SIMFIND" -q --group=lineage --format=html -o versions.html

# An answer without groups is also a page that opens.
reset
rm "$files/archives/"*
seq 3000 >"$files/archives/only.txt"
runs 0 "$SIMHASH" "$files/archives"
runs 0 "$SIMFIND" --format=html -o empty.html
python3 "$SOURCE_DIR/tests/report/browser.py" --others empty.html versions.html versions.json hosts.html "$files"
