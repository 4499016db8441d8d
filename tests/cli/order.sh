#!/usr/bin/env bash
# Tests --sort and --limit: compares the order of pairs and groups with an order computed from the
# list, and checks that a limit lists the first ones.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_tree --files=150 "$files"
mkdir "$files/copies"
for name in one two three; do
	random_bytes 4000 7 >"$files/copies/$name"
	random_bytes 90000 8 >"$files/copies/large $name"
done
random_bytes 90000 8 >"$files/copies/\"quoted\", and more"
settle "$files"
runs 0 "$SIMHASH" "$files"

# ordered KEY: sort the CSV of all pairs on standard input by this key. Equal pairs stay in the
# order of the input, as without a key.
ordered() {
	python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
size = lambda r: int(r["size_a"]) + int(r["size_b"])
keys = {"similarity": lambda r: 0, "size": lambda r: -size(r),
        "saved": lambda r: -int(r["size_a"]) * (r["match"] == "identical"),
        "path": lambda r: (r["path_a"].encode(), r["path_b"].encode())}
for r in sorted(rows, key=keys[sys.argv[1]]):
    print(r["path_a"], r["path_b"], sep="\t")' "$1"
}

# paths_of FILE: the paths of the pairs in a CSV file
paths_of() {
	python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1], newline="")): print(r["path_a"], r["path_b"], sep="\t")' "$1"
}

runs 0 "$SIMFIND" -q --format=csv -o all
count=$(($(wc -l <all) - 1))
[ "$count" -gt 40 ] || fail "only $count pairs"
for key in similarity size saved path; do
	ordered $key <all >expected
	for threads in 1 3; do
		runs 0 "$SIMFIND" -q -j $threads --sort=$key --format=csv -o found
		paths_of found | cmp - expected || fail "sorted by $key"
		runs 0 "$SIMFIND" -q -j $threads --sort=-$key --format=csv -o found
		paths_of found | cmp - <(tac expected) || fail "sorted by $key in reverse"
	done
	for limit in 1 17 $((count - 1)) "$count" $((count + 5)); do
		runs 0 "$SIMFIND" --sort=$key --limit="$limit" --format=csv -o found
		paths_of found | cmp - <(head -n "$limit" expected) || fail "the first $limit by $key"
		if [ "$limit" -lt "$count" ]; then
			said "$((count - limit)) more pair"
			said "left out by --limit"
		else
			same "left out" 0 "$(grep -c 'left out' err || true)"
		fi
		said "$count pairs ("
	done
done
# Lines of text are sorted in two ways, which agree.
runs 0 "$SIMFIND" -q -o plain
same "lines of text" "$count" "$(wc -l <plain)"
for threads in 1 3; do
	runs 0 "$SIMFIND" -q -j $threads --sort=similarity -o found
	cmp found plain || fail "sorted by similarity, as text"
	runs 0 "$SIMFIND" -q -j $threads --sort=-similarity -o found
	cmp found <(tac plain) || fail "in reverse, as text"
	runs 0 "$SIMFIND" -q -j $threads --limit=12 -o found
	cmp found <(head -n 12 plain) || fail "the first, as text"
done
# All formats, including streams, have the same number of lines.
for format in text json jsonl null; do
	runs 0 "$SIMFIND" -q --format=$format --sort=path --limit=5 -o found
	case $format in
	null) lines=$(($(tr -dc '\0' <found | wc -c) / 2)) ;;
	json) lines=$(python3 -c 'import json; print(len(json.load(open("found"))))') ;;
	*) lines=$(wc -l <found) ;;
	esac
	same "pairs as $format" 5 "$lines"
done
runs 0 "$SIMFIND" -q --format=jsonl --sort=size -o found
same "lines in order as jsonl" "$(ordered size <all)" "$(python3 -c 'import json
for line in open("found"): r = json.loads(line); print(r["path_a"], r["path_b"], sep="\t")')"
# Confirmed pairs, and the pairs of FILEs.
runs 0 "$SIMFIND" -q --verify=all --min-resemblance=0.5 --sort=size --limit=9 --format=csv -o found
same "of pairs that were read" 10 "$(wc -l <found)"
runs 0 "$SIMFIND" --summary=none --sort=-path --limit=1 --format=null "$files/copies/one"
same "similar to a file" "$files/copies/one|$files/copies/two|" "$(tr '\0' '|' <out)"

# Groups are sorted by the saved bytes, unless another key is given.
group_order() {
	python3 -c 'import json, sys
groups = json.load(sys.stdin)
def saved(g): return sum(m["size"] for m in g["members"] if m["role"] == "copy")
def path(g): return g["members"][0]["path"].encode()
keys = {"saved": lambda g: (-saved(g), -g["bytes"], path(g)), "path": path,
        "size": lambda g: (-g["bytes"], path(g)),
        "files": lambda g: (-g["files"], -g["bytes"], path(g))}
for g in sorted(groups, key=keys[sys.argv[1]]): print(g["id"])' "$1"
}
ids_of() {
	python3 -c 'import json, sys
groups = json.load(sys.stdin)
assert [g["group"] for g in groups] == list(range(1, len(groups) + 1))
for g in groups: print(g["id"])'
}
for linkage in representative single; do
	runs 0 "$SIMFIND" --summary=none --group=$linkage --format=json
	cp out groups
	group_order saved <groups >expected
	ids_of <groups | cmp - expected || fail "groups without a key"
	groups=$(wc -l <expected)
	[ "$groups" -gt 5 ] || fail "only $groups groups"
	for key in saved path size files; do
		group_order $key <groups >expected
		runs 0 "$SIMFIND" --summary=none --group=$linkage --format=json --sort=$key
		ids_of <out | cmp - expected || fail "groups by $key"
		runs 0 "$SIMFIND" --group=$linkage --format=json --sort=-$key --limit=3
		ids_of <out | cmp - <(tac expected | head -n 3) || fail "the last three groups by $key"
		said "$((groups - 3)) more groups left out by --limit"
	done
done
runs 0 "$SIMFIND" --summary=none --group --format=json --sort=similarity
python3 -c 'import json
worst = [min(m.get("resemblance", 1) for m in g["members"][1:]) for g in json.load(open("out"))
         if all("resemblance" in m for m in g["members"][1:])]
assert len(worst) > 3 and worst == sorted(worst, reverse=True), worst' || fail "groups by similarity"

# Keys without a meaning are refused.
runs 1 "$SIMFIND" --sort=files
said "simfind: --sort=files needs --group: a pair has two files"
runs 1 "$SIMFIND" --sort=name
said "simfind: --sort 'name': expected size, saved, similarity, path, files, -size"
for limit in 0 -1 x ''; do
	runs 1 "$SIMFIND" --limit=$limit
	said "simfind: --limit '$limit': expected a number from 1"
done
