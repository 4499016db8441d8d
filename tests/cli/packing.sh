#!/usr/bin/env bash
# Tests --order: it lists every file once, similar files next to each other, and references that can
# be resolved.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Families with names and folders that give no hint, copies and links, and files that resemble no
# other.
python3 - "$files" <<'PYTHON'
import os, random, sys

chance = random.Random(22)
top = os.fsencode(sys.argv[1])

def words(count):
    return b" ".join(b"%08x" % chance.randrange(2**32) for _ in range(count))

def put(name, content):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)

for family in range(8):
    content = words(900)
    for member in range(6):
        put(b"many/%d/%08x" % (chance.randrange(9), chance.randrange(2**32)), content)
        at = chance.randrange(len(content) - 900)
        content = content[:at] + words(40) + content[at + 360:] + words(chance.randrange(40))
content = words(2000)
for i in range(40):
    put(b"chain/%02d" % i, content)
    at = 450 * i % 17000
    content = content[:at] + words(40) + content[at + 360:]
for name in (b"z.c", b"b.h", b"a.c", b"b/a.c", b"b-c/a.c", b"plain"):
    put(b"lonely/" + name, words(400))
put(b"odd/a\n\"b\\\xff,.1", odd := words(900))
put(b"odd/c", odd + words(20))
for name in (b"copies/1/x", b"copies/2/y.txt", b"other/x"):
    put(name, odd)
put(b"other/empty", b"")
put(b"many/0/empty", b"")
os.link(top + b"/other/x", top + b"/copies/linked")
os.symlink(b"x", top + b"/other/soft")
PYTHON
gzip -k "$files/lonely/plain"
runs 0 "$SIMHASH" -z "$files"
find "$files" -type f -print0 | LC_ALL=C sort -z >expected

# Each file once, in an order that does not depend on the number of threads; directories limit the
# list.
runs 0 "$SIMFIND" --order --format=null -j 1
mv out one
LC_ALL=C sort -z one | cmp - expected || fail "other files than there are"
said "$(tr -cd '\0' <expected | wc -c) files, "
said ": 4 identical and 79 similar to an earlier file; earlier files have 1.0 MB of the content."
runs 0 "$SIMFIND" --order=similar --summary=none --format=null -j 7 --limits=memory=32M
cmp one out || fail "the threads show"
same "standard error of -q" '' "$(cat err)"
runs 0 "$SIMFIND" --order --summary=none "$files/lonely"
same "files like no other, by folder, extension and name" \
	"plain a.c z.c plain.gz b.h b/a.c b-c/a.c" "$(sed "s|^$files/lonely/||" out | paste -sd ' ')"
tar --null --no-recursion -P -T one -cf all.tar
same "files in an archive" "$(tr -cd '\0' <expected | wc -c)" "$(tar -P -tf all.tar | wc -l)"

# References come earlier, form no circles, and share as many bytes as stated, checked with the
# files themselves. In total they share as much as any forest of the listed pairs.
runs 0 "$SIMFIND" --order=delta --summary=none --format=null
mv out references
runs 0 "$SIMFIND" --order=delta --summary=none --format=json
mv out order.json
runs 0 "$SIMFIND" --order=delta --summary=none --format=csv
mv out order.csv
runs 0 "$SIMFIND" --order=delta --summary=none
mv out order.text
"$SIMFIND" -q -T 2 --min-resemblance=0.3 --format=json -o pairs.json
python3 - "$files" <<'PYTHON' || fail "files and their references"
import csv, json, os, sys

top = os.fsencode(sys.argv[1]) + b"/"
def name(item, field):
    text = bytes.fromhex(item[field + "_hex"]) if field + "_hex" in item else item.get(field, "").encode()
    return text.removeprefix(top)
fields = [f.removeprefix(top) for f in open("references", "rb").read().split(b"\0")]
assert fields.pop() == b""
pairs = list(zip(fields[0::2], fields[1::2]))
assert [p for p, _ in pairs] == [f.removeprefix(top) for f in open("one", "rb").read().split(b"\0")[:-1]]
items = json.load(open("order.json", encoding="utf-8"))
assert [(name(i, "path"), name(i, "reference")) for i in items] == pairs
rows = list(csv.DictReader(open("order.csv", newline="", encoding="latin-1")))
assert [(r["path"].encode("latin-1").removeprefix(top), r["reference"].encode("latin-1").removeprefix(top))
        for r in rows] == pairs
lines = open("order.text", encoding="utf-8").read().splitlines()
assert len(lines) == len(pairs)

content = {p: open(top + p, "rb").read() for p, _ in pairs}
def shingles(text):
    return {text[i:i + 16] for i in range(len(text) - 15)}
known = {p: shingles(c) for p, c in content.items()}
depths, seen, told = {}, set(), 0
for i, (path, reference) in enumerate(pairs):
    item, row, text = items[i], rows[i], content[path]
    assert item["size"] == int(row["size"]) == len(text) and path not in seen
    seen.add(path)
    assert item.get("match", "") == row["match"] and item.get("shared_bytes", 0) == int(row["shared_bytes"])
    depths[path] = int(row["depth"])
    if not reference:
        assert depths[path] == 0 and row["match"] == "" and lines[i].startswith(" " * 18)
    elif row["match"] == "identical":
        assert reference in seen and content[reference] == text and lines[i].startswith("identical  ")
        assert depths[path] == depths[reference] and int(row["shared_bytes"]) == len(text)
        assert content[pairs[i - 1][0]] == text
    else:
        assert reference in seen and content[reference] != text and row["match"] == "similar"
        assert depths[path] == depths[reference] + 1 <= 16
        share = len(known[path] & known[reference]) / len(known[path])
        assert abs(share - int(row["shared_bytes"]) / len(text)) < 0.25, (path, reference, share)
        told += int(row["shared_bytes"])
references = dict(pairs)
assert max(depths[p] for p in content if p.startswith(b"chain/")) == 16
assert not any(references[p] for p in content if not content[p] or p.startswith(b"lonely/"))

# The forest that joins the most bytes by the pairs, except for chains that start again.
edges = []
for p in json.load(open("pairs.json", encoding="utf-8")):
    a, b, r = name(p, "path_a"), name(p, "path_b"), p["resemblance"]
    if p["match"] == "similar" and not (a + b).startswith(b"chain"):
        x, y = len(content.get(a, b"")), len(content.get(b, b""))
        edges.append((min(x, y, r / (1 + r) * (x + y)), a, b))
tree, most = {}, 0
def root(x):
    while x in tree:
        x = tree[x]
    return x
for common, a, b in sorted(edges, reverse=True):
    if root(a) != root(b):
        tree[root(a)] = root(b)
        most += common
told -= sum(int(r["shared_bytes"]) for r, (p, _) in zip(rows, pairs) if p.startswith(b"chain/"))
assert most > 0 and abs(told - most) < 1e-4 * most + len(edges), (told, most)

# Joined files are next to each other.
place = {p: i for i, (p, _) in enumerate(pairs)}
families = {}
for p in content:
    families.setdefault(root(p), []).append(place[p])
several = [f for f in families.values() if len(f) > 1]
assert len(several) >= 8 and all(max(f) - min(f) <= len(f) + 5 for f in several), several
PYTHON
same "text on one line" "$(tr -cd '\0' <expected | wc -c)" "$(wc -l <order.text)"
grep -qF 'odd/a\n"b\\\xff,.1' order.text || fail "an odd name is not escaped"

# The minimum; known contents; files with other names elsewhere.
runs 0 "$SIMFIND" --order=delta --summary=none --min-resemblance=1 --format=jsonl "$files/copies" "$files/other"
same "copies alone" 3 "$(grep -c '"match":"identical"' out)"
same "nothing similar" 0 "$(grep -c '"match":"similar"' out || true)"
runs 0 "$SIMFIND" --order --summary=none --host=elsewhere
same "files of another host" "$(tr -cd '\0' <expected | wc -c)" "$(grep -c "^$(uname -n):/" out)"
runs 3 "$SIMFIND" --order -q --fail-on-match -o /dev/null
runs 0 "$SIMFIND" --order -q --fail-on-match -o /dev/null "$files/lonely"
mkdir empty
runs 1 "$SIMFIND" --order empty
said 'index it first'

# On a terminal, names are also escaped in this list.
script -qec "env TERM=xterm PAGER=cat $SIMFIND --summary=none --order --format=null $files/odd" /dev/null </dev/null | tr -d '\r' >shown
same "on a terminal" 2 "$(wc -l <shown)"
grep -qF 'odd/a\n"b\\\xff,.1' shown || fail "an odd name on a terminal: $(cat shown)"

runs 1 "$SIMFIND" --order --format=html -o page
said '--order cannot be combined with --format=html; expected text, csv, json, jsonl or null'
for option in --group --group=lineage --sort=path --limit=1; do
	runs 1 "$SIMFIND" --order "$option"
	said "--order cannot be combined with"
done
runs 1 "$SIMFIND" --order=names
said "--order 'names': expected similar or delta"
runs 1 "$SIMFIND" --order "$files/odd/c"
said '--order cannot be combined with a FILE'
