#!/usr/bin/env bash
# The report, in a real browser: see browser.py. What it must say comes from JSON, read
# by another program.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# Names that try to be markup, script, entities, or to end the data.
names=('<img src=x onerror=window.injected=1>.txt' '<script>window.injected=1' '"quoted"&amp;.txt'
	"';window.injected=1;'" '<b class=injected>bold.txt' 'ключ-αβγ-日本.txt')
mkdir "$files/names"
for name in "${names[@]}"; do
	seq 3000 >"$files/names/$name"
done
# The slash cannot be in a name, so a directory ends the element.
mkdir -p "$files/names/<"
seq 3000 >"$files/names/<"/'script>.txt'
seq 3000 >"$files/names/"$'line\nend\x1b[31m.txt'
# 60 groups of three: a file, a copy, and one with a line changed.
for group in $(seq 60); do
	awk -v seed="$group" 'BEGIN { srand(seed); for (i = 0; i < 700; i++) print int(rand() * 1e6) }' \
		>"$files/group$group-a.txt"
	cp "$files/group$group-a.txt" "$files/group$group-b.txt"
	sed '100s/.*/-----/' "$files/group$group-a.txt" >"$files/group$group-c.txt"
done

runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --group=single --format=json -o groups.json
runs 0 "$SIMFIND" --format=jsonl -o pairs.jsonl
runs 0 "$SIMFIND" --group=single --format=html -o report.html
same "control bytes in the page" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <report.html | wc -c)"
iconv -f UTF-8 -t UTF-8 report.html >/dev/null || fail "the page is not UTF-8"

# A group of ordinary names: its first file and its member make the pair to open.
python3 - >pair <<'PYTHON'
import json
groups = json.load(open("groups.json", encoding="utf-8"))
members = next(g["members"] for g in groups if "/group7-c" in str(g["members"]))
print(members[0]["path"], next(m["path"] for m in members if m["role"] == "member"), sep="\n")
PYTHON
mapfile -t pair <pair
runs 0 "$SIMHASH" --print "${pair[@]}"
awk '$1 == "sum" { print $3 }' out >counts
python3 - "${pair[@]}" >expected.json <<'PYTHON'
import json, sys
groups = json.load(open("groups.json", encoding="utf-8"))
pairs = [json.loads(line) for line in open("pairs.jsonl", encoding="utf-8")]
counts = [int(line) for line in open("counts")]
rows = {path for pair in pairs for path in (pair["path_a"], pair["path_b"])}
def label(member):
    """What text for people says of a member whose sketch is known."""
    percent = 100 * member["resemblance"]
    return "about %.0f %%" % percent if percent < 99.5 else "over 99 %"
members = [m for g in groups for m in g["members"] if m["role"] == "member"]
assert all(m["verified"] == "sketch" for m in members), members
common = next(label(m) for m in members if m["path"] == sys.argv[2])
print(json.dumps({
    "least_alike": label(min(members, key=lambda m: m["resemblance"])),
    "tiles": {"Files indexed": len(rows), "Groups": len(groups),
              "Identical pairs": sum(p["match"] == "identical" for p in pairs),
              "Similar pairs": sum(p["match"] == "similar" for p in pairs)},
    "most_files": max(g["files"] for g in groups),
    "filter": {"text": "GROUP1", "groups": sum(any("/group1" in m["path"] for m in g["members"])
                                              for g in groups)},
    "pair": {"a": sys.argv[1], "b": sys.argv[2], "common": common,
             "counts_a": counts[:16], "counts_b": counts[16:]},
    "names": ["<img src=x onerror=window.injected=1>.txt", "<script>window.injected=1",
              '"quoted"&amp;.txt', "';window.injected=1;'", "<b class=injected>bold.txt",
              "ключ-αβγ-日本.txt", "</script>.txt",
              "line\\nend\\x1b[31m.txt"],
}))
PYTHON
python3 "$SOURCE_DIR/tests/report/browser.py" report.html expected.json ${PICTURES:+"$PICTURES"}
