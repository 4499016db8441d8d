#!/usr/bin/env bash
# Tests the default list: identical files with any names, in every output; edited files with any
# names; and no files that are only of the same kind. Also tests how options change it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# letters SEED BYTES: random text with a fixed alphabet
letters() {
	awk -v seed="$1" -v size="$2" 'BEGIN { srand(seed); while (n < size) { line = ""
		for (i = 0; i < 60; i++) line = line sprintf("%c", 97 + int(26 * rand()))
		printf "%s", substr(line "\n", 1, size - n); n += 61 } }'
}

mkdir "$files"/{tree,same,strangers,edited,parts}
make_tree --flat --files=160 --sizes=2000-60000 "$files/tree"
# Identical files with several extensions and without one; files too small for a shingle or a
# sketch; zeros.
for name in a.conf a.conf.bak a "a copy"; do letters 1 30000 >"$files/same/$name"; done
for name in b.jpg b.jpeg; do random_bytes 5000 2 >"$files/same/$name"; done
for name in c.x c.y; do printf 'some bytes' >"$files/same/$name"; done
for name in d.x d; do printf 'a few bytes more' >"$files/same/$name"; done
for name in e.img e.img.1; do head -c 70000 /dev/zero >"$files/same/$name"; done
# Unrelated files of one kind and one size.
for i in $(seq 30); do letters $((100 + i)) 60000 >"$files/strangers/$i.txt"; done
# Versions with the same extension and with others.
for i in $(seq 6); do
	letters $((200 + i)) 50000 >"$files/edited/$i.txt"
	sed "$((i * 70))s/.*/a line that was not there before/" "$files/edited/$i.txt" >"$files/edited/$i.2.txt"
	sed "$((i * 90)),+12s/.*/several lines/" "$files/edited/$i.txt" >"$files/edited/$i.orig"
	{ cat "$files/edited/$i.txt"; echo "and a tail"; } >"$files/edited/$i"
done
# Files inside files of 1.6 times their size, with names before and after theirs.
letters 301 50000 >"$files/parts/a"
{ letters 302 10000; cat "$files/parts/a"; letters 303 20000; } >"$files/parts/b.whole"
letters 304 50000 >"$files/parts/z"
{ letters 305 10000; cat "$files/parts/z"; letters 306 20000; } >"$files/parts/y.whole"
settle "$files"

# The files that have an identical one, by a hash of another program.
find "$files" -type f -size +0 -print0 | xargs -0 sha256sum | LC_ALL=C sort | awk '{ hash = $1; sub(/^[^ ]*  /, "")
	if (hash == last) { if (!shown) print path; print; shown = 1 } else shown = 0; last = hash; path = $0 }' |
	LC_ALL=C sort >copies
[ "$(wc -l <copies)" -gt 40 ] || fail "only $(wc -l <copies) files have copies: no test"

# pairs_of FIELDS: these fields of the pairs in the JSON of the last run, sorted
pairs_of() {
	python3 -c 'import json, sys
for p in json.load(open("out")):
    print(*(p.get(field, "") for field in sys.argv[1:]), sep="|")' "$@" | LC_ALL=C sort
}
# The files that each output calls identical to another one.
listed_in_list() {
	python3 -c 'import json
for p in json.load(open("list.json")):
    if p["match"] == "identical":
        print(p["path_a"], p["path_b"], sep="\n")'
}
listed_in_groups() {
	python3 -c 'import json
for group in json.load(open("groups.json")):
    head = None
    for member in group["members"]:
        if member["role"] == "copy":
            print(head, member["path"], sep="\n")
        else:
            # With another tolerance it is not a copy, that is, not the same for every rule.
            if member["role"] == "member" and member["verified"] == "hash":
                print(group["members"][0]["path"], member["path"], sep="\n")
            head = member["path"]'
}
listed_in_script() {
	python3 -c 'import json
for line in open("script.sh"):
    if line.startswith("#delete "):
        command = json.loads(line[8:])
        print(command["kept"], command["copy"], sep="\n")'
}
listed_in_report() {
	python3 -c 'import json, re
page = open("report.html", encoding="utf-8").read()
data = json.loads(re.search("<script type=\"application/json\" id=\"data\">(.*?)</script>", page, re.S).group(1))
for group_id, size, saves, contents in data["groups"]:
    for content in contents:
        label, files = content[0], content[8]
        # With another tolerance it is not a copy, that is, not the same for every rule.
        head = contents[0][8][0] if label == "identical" else files[0]
        for file in files[0 if label == "identical" else 1:]:
            print(head[0], file[0], sep="\n")'
}
listed_in_sql() {
	sql "SELECT path FROM file_text f JOIN duplicate d ON d.content_hash = f.content_hash AND d.size = f.size"
}
# Every output has all of them, and no other file.
identical_are_listed() { # OPTION...
	local output
	runs 0 "$SIMFIND" -q "$@" --format=json -o list.json
	runs 0 "$SIMKEEP" -q --action=script:script.sh
	runs 0 "$SIMFIND" -q "$@" --group --format=json -o groups.json
	runs 0 "$SIMFIND" -q "$@" --format=html -o report.html
	for output in list groups script report sql; do
		"listed_in_$output" | LC_ALL=C sort -u >listed
		cmp copies listed || fail "identical files by $output, '$*': $(diff copies listed | head -5)"
	done
	runs 0 "$SIMFIND" --summary=none "$@" --group=none --format=json
	python3 - >listed <<'PYTHON'
import json
hashes = {}
for p in json.load(open("out")):
    if p["match"] == "identical":
        hashes.setdefault(p["path_a"], set()).add(p["path_b"])
        assert p["verified"] == "hash" and p["resemblance"] == 1, p
        hashes.setdefault(p["path_b"], set()).add(p["path_a"])
# Each of n identical files is in a pair with n - 1 files.
for path, others in hashes.items():
    assert all(hashes[other] | {other} == others | {path} for other in others), path
    print(path)
PYTHON
	LC_ALL=C sort listed | cmp copies - || fail "identical files with --group=none, '$*'"
}

# ---- With sketches ----
runs 0 "$SIMHASH" "$files"
identical_are_listed
identical_are_listed --candidates=exact
identical_are_listed --same-extension
identical_are_listed -T 0
identical_are_listed --candidates=skew
identical_are_listed --candidates=skew_ext -T 0
identical_are_listed --tolerance=conf=0 --tolerance=jpg=3
identical_are_listed --min-resemblance=1
identical_are_listed --min-resemblance=0.7
identical_are_listed --verify=read
# --partition gives the same in parts.
for part in 1 2 3; do
	"$SIMFIND" -q --format=json -o "part$part.json" --partition=$part/3
done
for part in 1 2 3; do
	cp "part$part.json" list.json
	listed_in_list
done | LC_ALL=C sort -u | cmp copies - || fail "identical files in three parts"

# Unrelated files are not listed, although their counts are near; edited files are, with any names.
runs 0 "$SIMFIND" --summary=none --verify=no -T 5 --format=json
strangers=$(pairs_of path_a path_b | grep -c 'strangers.*strangers')
[ "$strangers" -gt 50 ] || fail "only $strangers pairs of strangers have near counts: no test"
runs 0 "$SIMFIND" -q --group=none --format=json -o all.json
cp all.json out
same "strangers that are listed" "" "$(pairs_of path_a path_b | grep strangers || true)"
for i in $(seq 6); do
	for other in 2.txt orig ''; do
		name=$i${other:+.}$other
		pairs_of verified path_a path_b | grep -E "^sketch\|.*/$i(\.[a-z2.]+)?\|" | grep -F "/$i.txt" |
			grep -qE "/${name//./\\.}(\||$)" || fail "$name is not listed with $i.txt"
	done
done
runs 0 "$SIMFIND" --summary=none --group=none --same-extension --format=json
same "edited files of one extension" 6 "$(pairs_of path_a path_b match | grep -c 'edited/.*similar')"
pairs_of path_a path_b match >expected
runs 0 "$SIMFIND" --summary=none --group=none --candidates=skew_ext --same-extension --format=json
pairs_of path_a path_b match >expected
[ "$(grep -c similar expected)" -gt 6 ] || fail "too few pairs by key: $(cat expected)"
runs 0 "$SIMFIND" --summary=none --group=none --candidates=skew_ext --format=json
pairs_of path_a path_b match | cmp expected - || fail "--candidates=skew_ext does not imply --same-extension"
runs 0 "$SIMFIND" --summary=none --group=none --candidates=skew --format=json
[ "$(pairs_of path_a | wc -l)" -gt "$(wc -l <expected)" ] || fail "--candidates=skew implies --same-extension"

# The most similar pairs come first, in text and in CSV.
runs 0 "$SIMFIND" --summary=none
awk '/^identical/ { r = 100 } /^>99 %/ { r = 99.5 } /^[0-9]+ %/ { r = $1 }
	!/^(identical|>99 %|[0-9]+ %|similar|part of|contains)/ { print "no label: " $0; exit 1 }
	/^(identical|>99|[0-9])/ { if (NR > 1 && r > last) { print "after " last ": " $0; exit 1 } last = r }' out >verdict ||
	fail "order: $(cat verdict)"
same "columns of labels" "" "$(LC_ALL=C grep -vE "^.{16}  /" out || true)"
runs 0 "$SIMFIND" --summary=none --format=csv
tr -d '\r' <out | awk -F, 'NR > 1 && $7 != "" { if (n++ && $7 > last) exit 1; last = $7 }' ||
	fail "CSV is not in the order of resemblance"

# A given minimum filters the pairs that resemble each other.
cp all.json out
[ "$(pairs_of verified | grep -c sketch)" -gt 60 ] || fail "too few pairs for a test"
runs 0 "$SIMFIND" -q --group=none --min-resemblance=0 --format=json -o any.json
cp any.json out
# A part counts by its share.
pairs_of verified resemblance path_a path_b contained_a contained_b |
	awk -F'|' '$1 != "sketch" || $2 >= 0.9 || $5 >= 0.9 || $6 >= 0.9' | cut -d'|' -f1-4 | LC_ALL=C sort >expected
runs 0 "$SIMFIND" --summary=none --group=none --min-resemblance=0.9 --format=json
pairs_of verified resemblance path_a path_b | cmp expected - || fail "--min-resemblance=0.9 does not filter"
for share in 90% '90 %' 90.0%; do
	runs 0 "$SIMFIND" --summary=none --group=none --min-resemblance="$share" --format=json
	pairs_of verified resemblance path_a path_b | cmp expected - || fail "$share is not 0.9"
done

# ---- One file, with any extension ----
cp all.json out
pairs_of path_a path_b distance verified resemblance >every
for path in "$files/edited/1.txt" "$files/edited/2.orig" "$files/edited/3" "$files/same/a.conf.bak" \
	"$files/same/a" "$files/same/b.jpeg" "$files/same/c.y" "$files/same/d" "$files/same/e.img" "$files/strangers/1.txt"; do
	awk -F'|' -v path="$path" '$1 == path || $2 == path' every >expected
	runs 0 "$SIMFIND" --summary=none --format=json "$path"
	pairs_of path_a path_b distance verified resemblance | cmp expected - || fail "pairs of $path"
	# Standard input has no name, and is also identical to the file itself.
	{ awk -F'|' -v path="$path" '{ print $1 == path ? $2 : $1 }' expected; echo "$path"; } | LC_ALL=C sort >partners
	runs 0 "$SIMFIND" --summary=none --format=json - <"$path"
	pairs_of path_a path_b | tr '|' '\n' | grep -vx -- - | LC_ALL=C sort | cmp partners - ||
		fail "partners of standard input, $path"
done
for options in "--candidates=skew_ext" "--same-extension -T 0" "--candidates=skew"; do
	# shellcheck disable=SC2086  # several
	runs 0 "$SIMFIND" --summary=none $options --format=json "$files/same/a.conf.bak"
	same "copies of one file, $options" 3 "$(pairs_of path_a path_b match | grep -c '|identical$')"
done

# ---- Parts ----
runs 0 "$SIMFIND" --summary=none
grep -qE "^part of \([0-9]+ %\) +$files/parts/a +$files/parts/b.whole$" out || fail "no part: $(grep parts/ out)"
grep -qE "^contains \([0-9]+ %\) +$files/parts/y.whole +$files/parts/z$" out || fail "no whole: $(grep parts/ out)"
runs 0 "$SIMFIND" -q --format=html -o report.html
grep -qE '"(part of|contains) \([0-9]+ %\)"' report.html || fail "the report has no parts"
runs 0 "$SIMFIND" --summary=none --format=csv
tr -d '\r' <out | awk -F, '/parts\// { if ($12 != "sketch" || ($5 > $6) != ($8 < $9)) exit 1
	if (($5 > $6 ? $5 : $6) < 0.85 || ($5 > $6 ? $6 : $5) > 0.7) exit 1; n++ } END { exit n != 2 }' ||
	fail "shares: $(grep parts/ out)"
same "pairs that are listed twice" "" "$(cut -d'|' -f1,2 every | uniq -d)"
for path in "$files/parts/a" "$files/parts/y.whole" "$files/edited/1.txt"; do
	awk -F'|' -v path="$path" '$1 == path || $2 == path' every >expected
	[ -s expected ] || fail "$path has no version"
	runs 0 "$SIMFIND" --summary=none --format=json "$path"
	pairs_of path_a path_b distance verified resemblance | cmp expected - || fail "parts of $path"
done
# If files are read, a part is completely in the other file, and its resemblance does not count.
runs 0 "$SIMFIND" --summary=none --verify=all --format=csv
tr -d '\r' <out | awk -F, '/parts\// { if ($12 != "read" || ($5 > $6) != ($8 < $9)) exit 1
	if (($5 > $6 ? $5 : $6) < 0.99 || $7 > 0.7) exit 1; n++ } END { exit n != 2 }' ||
	fail "shares that were read: $(grep parts/ out)"
runs 0 "$SIMFIND" --summary=none --size-ratio=1.5 --format=csv
same "parts of files 1.5 times their size" 0 "$(grep -c parts/ out || true)"

# ---- Counts of random bytes ----
# 40 % of the runs of 16 bytes are common. That is enough if the counts are nearly equal, but the counts
# of random bytes always are.
reset
mkdir "$files/random"
for number in 2 3; do
	{ random_bytes 60000 1 && random_bytes 42000 $number; } >"$files/random/$number.bin"
	base64 "$files/random/$number.bin" >"$files/random/$number.txt"
done
runs 0 "$SIMHASH" -q "$files/random"
runs 0 "$SIMFIND" --summary=none --format=json
same "pairs of text" 1 "$(pairs_of path_a | grep -c '\.txt$')"
same "pairs of random bytes" 0 "$(pairs_of path_a | grep -c '\.bin$' || true)"
runs 0 "$SIMFIND" --summary=none --min-resemblance=0.3 --format=json
same "all pairs" 2 "$(pairs_of path_a | grep -c .)"

rm -r "$files/random"
reset
runs 0 "$SIMHASH" "$files"

# ---- Without sketches ----
runs 0 "$SIMFIND" --summary=none --verify=no --group=none --format=json
pairs_of match distance path_a path_b >paper
reset
runs 0 "$SIMHASH" --no-sketch "$files"
count=$(find "$files" -type f -size +0 | wc -l)
for options in "" "--group" "--format=csv" "-j 5" "--verify=read"; do
	# shellcheck disable=SC2086  # several
	runs 0 "$SIMFIND" $options
	same "notes with '$options'" "simfind: note: $count files have no resemblance sketch; they are found by counts alone; run simhash on them again" \
		"$(grep note: err)"
done
runs 0 "$SIMFIND" --verify=no
same "notes about unverified pairs" 0 "$(grep -c note: err || true)"
identical_are_listed
identical_are_listed --candidates=exact
identical_are_listed -T 0
identical_are_listed --candidates=skew
# Similar files are as in the paper, and more files are identical.
runs 0 "$SIMFIND" --summary=none --verify=no --group=none --format=json
pairs_of match distance path_a path_b | cmp paper - || fail "--verify=no depends on sketches"
runs 0 "$SIMFIND" --summary=none --group=none --format=json
pairs_of match distance path_a path_b >found
grep ^similar paper >expected
grep ^similar found | cmp expected - || fail "similar files without sketches are not the paper's"
same "identical pairs of the paper that are lost" "" "$(grep ^identical paper | LC_ALL=C comm -23 - found)"
# A given tolerance applies to them.
runs 0 "$SIMFIND" --summary=none --verify=no -T 3 --group=none --format=json
pairs_of match distance path_a path_b | grep ^similar >expected
runs 0 "$SIMFIND" --summary=none -T 3 --group=none --format=json
pairs_of match distance path_a path_b | grep ^similar | cmp expected - || fail "-T without sketches"
# A requested file also finds its copies with any extension.
runs 0 "$SIMFIND" --summary=none --format=json "$files/same/a.conf.bak"
same "copies of one file without sketches" 3 "$(pairs_of path_a path_b match | grep -c '|identical$')"
runs 0 "$SIMFIND" --summary=none --format=json - <"$files/same/b.jpg"
same "copies of standard input without sketches" 2 "$(pairs_of path_a path_b match | grep -c '|identical$')"

# Another run makes the sketches, and then everything is as with sketches from the beginning.
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --group=none --format=json
same "notes once all have sketches" 0 "$(grep -c note: err || true)"
pairs_of path_a path_b distance verified resemblance | cmp every - || fail "sketches made later find other pairs"

# Only identical files have 100 %, in every output: one changed byte in a large file, and a file that
# has the same content twice.
reset
mkdir "$files"/{a,b}
random_bytes 3000000 9 >"$files/a/large"
{ head -c 1500000 "$files/a/large"; printf x; tail -c 1499999 "$files/a/large"; } >"$files/b/large"
runs 0 "$SIMHASH" "$files/a" "$files/b"
for options in '' --group --group=none --group=lineage --verify=all --order=delta \
	"--directories $files/a $files/b" "$files/a/large"; do
	for format in text csv json html; do
		case "$options $format" in
		*--group=lineage\ csv | *--order*\ html | *=none\ html) continue ;;
		esac
		status=0
		# shellcheck disable=SC2086
		"$SIMFIND" --summary=none $options --format=$format >out || status=$?
		[ "$status" = 0 ] || fail "simfind $options --format=$format"
		grep -q large out || fail "$options $format does not list the file: $(cat out)"
		[ "$format" != html ] || sed -i 's/.*id="data">//;t;d' out
		! sed '/representative/d;s/"",1\.0*,//' out | grep -E '100(\.0+)? ?%|[^0-9.]1\.0{4,}[^0-9]|shared_bytes":3000000' ||
			fail "$options $format: a share of 100 %"
	done
done
runs 0 "$SIMFIND" --compare "$files/a/large" "$files/b/large"
! grep -E "(resemblance|bytes in both).*100" out || fail "--compare: a share of 100 %"
mkdir "$files/twice"
random_bytes 50000 8 >"$files/twice/once"
{ cat "$files/twice/once" "$files/twice/once"; } >"$files/twice/twice"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --summary=none --verify=all --min-resemblance=0.4 --format=json "$files/twice/once"
pairs_of resemblance contained_a contained_b >found
python3 - found <<'PYTHON' || fail "more in common than the sizes allow: $(cat found)"
import sys
rows = [line.strip().split("|") for line in open(sys.argv[1])]
assert rows and all(float(row[0]) <= 0.5 for row in rows), rows
PYTHON
