#!/usr/bin/env bash
# Tests sketches of other measures: they are made when requested, kept up to date, used in searches,
# and copied.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Texts of 4,000 words in families of four; each member has other words in some places.
python3 - "$files" <<'END'
import os, random, sys
rng = random.Random(5)
root = sys.argv[1]
for family in range(12):
    words = ["w%d" % rng.randrange(3000) for _ in range(1500)]
    os.makedirs("%s/f%d" % (root, family))
    for member in range(4):
        text = words[:]
        for _ in range(member * member * 3):
            text[rng.randrange(len(text))] = "x%d" % rng.randrange(10 ** 6)
        with open("%s/f%d/m%d.txt" % (root, family, member), "w") as out:
            out.write(" ".join(text) + "\n")
END
cp "$files/f0/m0.txt" "$files/f1/copy of f0.txt"
cp "$files/f0/m0.txt" "$files/f2/copy of f0.txt"
ln "$files/f3/m0.txt" "$files/f4/link.txt"
: >"$files/empty"
printf 'abc' >"$files/three bytes"
gzip -c "$files/f5/m0.txt" >"$files/f5/packed.txt.gz"
settle "$files"
all=(--measure=simhash64 --measure=simhash128:words --measure=minhash:words=2 --measure=bottomk)

# No sketch is made unless it is requested, and requested sketches are made without --force.
runs 0 "$SIMHASH" "$files"
same "sketches" 0 "$(sql 'SELECT COUNT(*) FROM sketch')"
runs 1 "$SIMFIND" --measure=minhash
said "the index has no sketches by minhash:bytes=8,functions=128,cluster=4; run simhash --measure="
runs 0 "$SIMHASH" "${all[@]}" "$files"
summary 54 0 0 0
same "sketches" 216 "$(sql 'SELECT COUNT(*) FROM sketch')"
same "measures" "simhash64:bytes=8 simhash128:words=1 minhash:words=2,functions=128,cluster=4 bottomk:bytes=8,k=64,cluster=4" \
	"$(sql 'SELECT name FROM measure ORDER BY id' | paste -sd' ')"
runs 0 "$SIMHASH" "${all[@]}" "$files"
summary 0 54 0 0
runs 0 "$SIMHASH" --measure=simhash64 "$files"
summary 0 54 0 0
runs 0 "$SIMHASH" --measure=bottomk:words -z "$files"
summary 55 0 0 0
runs 0 "$SIMHASH" --status
grep -Eq '^bottomk:words=1,k=64,cluster=4 +55$' out || fail "no measure: $(cat out)"

# Sketches equal the sketches of a simple program in another language, if that needs no hash
# library: the cluster key of bottomk combines the smallest values, and equal files have equal
# sketches.
same "values of other sizes" 0 "$(sql "SELECT COUNT(*) FROM sketch s JOIN measure m ON m.id = s.measure
	WHERE LENGTH(s.value) <> CASE SUBSTR(m.name, 1, 8) WHEN 'simhash6' THEN 8 WHEN 'simhash1' THEN 16
		WHEN 'minhash:' THEN 256 ELSE 512 END")"
same "features of the empty file" 0 "$(sql "SELECT SUM(s.features) FROM sketch s JOIN file f
	ON f.tag_set = s.tag_set AND f.host = s.host AND f.path_hash = s.path_hash WHERE f.size = 0")"
same "contents with several sketches" 0 "$(sql 'SELECT COUNT(*) FROM (SELECT measure, content_hash
	FROM sketch GROUP BY measure, content_hash HAVING MIN(value) <> MAX(value)) x')"

# All pairs agree with brute force over the sketches in the index, and every pair occurs once.
brute_force() {
	sql "SELECT f.size, HEX(s.value), s.features, HEX(f.directory), HEX(f.name), HEX(s.content_hash),
		f.inode, f.links FROM sketch s JOIN measure m ON m.id = s.measure JOIN file f ON f.tag_set = s.tag_set
		AND f.host = s.host AND f.path_hash = s.path_hash AND f.content_hash = s.content_hash
		WHERE m.name = '$1' AND f.size > 0" >rows
	python3 - "$2" "$3" <<'END'
import sys
kind, least = sys.argv[1], float(sys.argv[2])
rows = [line.rstrip("\n").split("|") for line in open("rows")]
for r in rows:
    r.append((bytes.fromhex(r[3]) + b"/" + bytes.fromhex(r[4])).decode())
    r[1] = bytes.fromhex(r[1])
def alike(a, b):
    if kind == "simhash":
        n = 8 * len(a)
        return 1 - bin(int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).count("1") / n
    if kind == "minhash":
        k = len(a) // 2
        equal = sum(a[2 * i:2 * i + 2] == b[2 * i:2 * i + 2] for i in range(k)) / k
        return max(0, (equal - 1 / 65536) / (1 - 1 / 65536))
    x, y = ({s[i:i + 8] for i in range(0, len(s), 8)} - {b"\xff" * 8} for s in (a, b))
    union = sorted(x | y)[:len(a) // 8]
    return sum(v in x and v in y for v in union) / len(union)
first, lines = {}, []
rows.sort(key=lambda r: r[8])
def add(a, b, s):
    if a[6] == b[6] and a[7] != "1":
        return
    a, b = sorted((a, b), key=lambda r: r[8].encode())
    lines.append("%s %s %.6f" % (a[8], b[8], s))
for i, a in enumerate(rows):
    for b in rows[:i]:
        s = 1 if a[5] == b[5] else min(alike(a[1], b[1]), .999999)  # 1 only for identical files
        if s >= least - 1e-12:
            add(a, b, s)
print("\n".join(sorted(lines)))
END
}
# pairs OPTION...: PATH_A PATH_B RESEMBLANCE of every pair, sorted
pairs() {
	runs 0 "$SIMFIND" --summary=none --group=none --format=json "$@"
	python3 -c 'import json, sys
for p in sorted("%s %s %.6f" % (p["path_a"], p["path_b"], p["resemblance"]) for p in json.load(open("out"))):
    print(p)'
}
in_order() {
	python3 -c 'import sys
for line in sorted(" ".join(sorted(line.split()[:2]) + line.split()[2:]) for line in sys.stdin):
    print(line)'
}
for case in "simhash64:bytes=8 simhash 0.953125" "simhash64:bytes=8 simhash 0.875" \
	"simhash128:words=1 simhash 0.9" "minhash:words=2,functions=128,cluster=4 minhash 0.8" \
	"bottomk:bytes=8,k=64,cluster=4 bottomk 0.8" "bottomk:bytes=8,k=64,cluster=4 bottomk 0.5"; do
	read -r measure kind least <<<"$case"
	brute_force "$measure" "$kind" "$least" >expected
	pairs --measure="$measure" --min-resemblance="$least" >found
	cmp expected found || fail "$case: $(diff expected found | head -5)"
	[ "$(wc -l <found)" -gt 12 ] || fail "$case: too few pairs for a test"
	# With all files requested at once: the same pairs, each once.
	find "$files" -type f -print0 >every_file
	pairs --measure="$measure" --min-resemblance="$least" --files0-from=every_file | in_order >found
	in_order <expected >expected_by_file
	cmp expected_by_file found || fail "$case, by file: $(diff expected_by_file found | head -5)"
done

# A name alone selects the measure with this name, unless there are several.
runs 0 "$SIMFIND" -q --measure=minhash -o by_name
runs 0 "$SIMFIND" -q --measure=minhash:words=2 -o by_text
cmp by_name by_text || fail "a name alone finds other pairs"
runs 1 "$SIMFIND" --summary=none --measure=bottomk # although simhash uses bytes=8 for this name
said "simfind: --measure=bottomk: the index has 2 measures of this name; expected bottomk:"
said "bottomk:bytes=8,k=64,cluster=4"
said "bottomk:words=1,k=64,cluster=4"
runs 0 "$SIMHASH" --forget --measure=bottomk:words
runs 0 "$SIMFIND" -q --measure=bottomk -o by_name

# An index of schema version 5 calls the measure bottom. After a run of simhash, its new name is
# valid, and no sketch was made again.
sketches=$(sql "SELECT COUNT(*) FROM sketch")
sql "UPDATE measure SET name = 'bottom:bytes=8,least=64,cluster=4' WHERE name LIKE 'bottomk:bytes%'"
drop_version_8
sql "DELETE FROM schema_version WHERE version > 5"
sql "ALTER TABLE file DROP COLUMN resemblance_sketch"
runs 1 "$SIMFIND" --summary=none --measure=bottomk
said "has schema version 5, but this program needs $(newest_version): run simhash on it once"
runs 0 "$SIMHASH" --no-sketch "$files/f0"
grep -q "^0 scanned" err || fail "scanned anew: $(cat err)"
runs 0 "$SIMHASH" "$files" # for their resemblance sketches
runs 0 "$SIMFIND" -q --measure=bottomk -o migrated
cmp by_name migrated || fail "a migrated index finds other pairs"
same "sketches" "$sketches" "$(sql "SELECT COUNT(*) FROM sketch")"
same "measures called bottom" 0 "$(sql "SELECT COUNT(*) FROM measure WHERE name LIKE 'bottom:%'")"
same "their name" "bottomk:bytes=8,k=64,cluster=4" \
	"$(sql "SELECT name FROM measure WHERE name LIKE 'bottomk:b%'")"
runs 1 "$SIMFIND" --summary=none --measure=bottom:least=64
said "unknown measure 'bottom': bottom:least=N is now bottomk:k=N"
grep -qE '^[0-9.]+ % +/' by_name || fail "no similarity: $(head -3 by_name)"
# By default, a content is compared once, and its copies are listed with it.
grep -c '^identical' by_name >count || true
same "copies" 2 "$(cat count)"

# For one file: the same as among all pairs, also from standard input.
runs 0 "$SIMFIND" -q --measure=bottomk --group=none -o every
grep "/f0/m0\.txt" every >expected
runs 0 "$SIMFIND" --summary=none --measure=bottomk --format=csv "$files/f0/m0.txt"
same "partners of a file" "$(wc -l <expected)" "$(($(wc -l <out) - 1))"
runs 0 "$SIMFIND" --summary=none --measure=bottomk --format=csv - <"$files/f0/m0.txt"
same "partners of standard input" "$(($(wc -l <expected) + 1))" "$(($(wc -l <out) - 1))"
runs 0 "$SIMFIND" --measure=bottomk "$files/empty"
same "partners of an empty file" "" "$(cat out)"

# Other kinds of searches.
runs 0 "$SIMFIND" --summary=none --measure=minhash --group
grep -q '^  identical  /' out || fail "no groups: $(cat out)"
# Pairs that are similar enough by the measure are not dropped after reading, unless this is
# requested.
runs 0 "$SIMFIND" -q --measure=minhash --format=csv -o measured
runs 0 "$SIMFIND" --summary=none --measure=minhash --verify=all --format=csv
same "confirmed pairs" "$(wc -l <measured)" "$(wc -l <out)"
[ "$(grep -c ',confirmed,' out)" -gt 10 ] || fail "nothing confirmed: $(head -3 out)"
runs 0 "$SIMFIND" --summary=none --measure=minhash --verify=all --min-resemblance=1 --format=csv
[ "$(wc -l <out)" -lt "$(wc -l <measured)" ] || fail "nothing was dropped"
# The most similar pairs come first.
runs 0 "$SIMFIND" --summary=none --measure=minhash --min-resemblance=0.5
grep -v '^identical' out | awk '{ print $1 ~ /^>/ ? 100 : $1 + 0 }' >similarities
sort -c -g -r similarities || fail "not in order of similarity"
runs 0 "$SIMFIND" --summary=none --measure=minhash --between "$files/f0" "$files/f1"
same "pairs between" 4 "$(grep -c . out)"
runs 3 "$SIMFIND" --measure=minhash --fail-on-match -q
runs 1 "$SIMFIND" --measure=minhash -T 2
said "--measure cannot be combined with --tolerance"
runs 1 "$SIMFIND" --measure=minhash --same-extension
said "--measure cannot be combined with --same-extension"
runs 1 "$SIMFIND" --measure=minhash --format=html -o report.html
said "--measure cannot be combined with --format=html"
runs 1 "$SIMFIND" --measure=minhash --measure=bottomk
said "--measure can be given only once"
runs 1 "$SIMHASH" --measure=minhash:words=3,bytes=4 "$files"
said "measure minhash: bytes or words is given twice"
runs 1 "$SIMFIND" --measure=minhash --min-resemblance=0%
said "--min-resemblance with --measure: expected more than 0"
runs 1 "$SIMFIND" --measure=simhash64 --min-resemblance=0.5
said "similarity 0.5: measure simhash64 finds pairs from 0.875 to 1"
runs 1 "$SIMFIND" --measure=minhash --min-resemblance=2
said "--min-resemblance '2': expected a percentage such as 75%, or a number from 0 to 1"
runs 1 "$SIMFIND" --measure=ssdeep
said "unknown measure 'ssdeep': expected simhash64, simhash128, minhash or bottomk"
runs 1 "$SIMHASH" --measure=minhash:functions=3 "$files"
said "expected a power of two from 16 to 1024"
runs 1 "$SIMHASH" --status --measure=minhash
said "--status cannot be combined with --measure"

# The cluster is a column: GROUP BY gives the clusters, and other files do not change them.
clusters="SELECT MIN(path), COUNT(*) FROM sketched_file WHERE measure LIKE 'minhash%'
	GROUP BY cluster HAVING COUNT(*) > 1 ORDER BY 1"
sql "$clusters" >before
[ "$(wc -l <before)" -gt 4 ] || fail "too few clusters: $(cat before)"
mkdir "$files/later"
for i in 1 2 3; do seq "$i" 900 >"$files/later/$i"; done
settle "$files/later"
runs 0 "$SIMHASH" "${all[@]}" "$files"
summary 3 54 0 0
sql "$clusters" | grep -v later >after
cmp before after || fail "clusters changed: $(diff before after)"

# The old content of a changed file is not found any more, and its new sketch is made when
# requested.
printf 'other words altogether, and no more than that\n' >"$files/f0/m0.txt"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --summary=none --measure=bottomk
! grep -q 'f0/m0' out || fail "the sketch of a former content is used"
said "warning: 2 files have no sketch by bottomk:bytes=8,k=64,cluster=4 and are not found: "
said "$files/f0/m0.txt"
said "$files/f5/packed.txt.gz//packed.txt"
said "; index them with simhash --measure=bottomk:bytes=8,k=64,cluster=4"
runs 0 "$SIMFIND" --summary=none --measure=bottomk "$files/f0/m1.txt"
said "warning: 2 files have no sketch"
runs 0 "$SIMHASH" "${all[@]}" "$files"
same "sketches of a file" 4 "$(sql "SELECT COUNT(*) FROM sketch s JOIN file f ON f.tag_set = s.tag_set
	AND f.host = s.host AND f.path_hash = s.path_hash WHERE f.size = 46")"
# Removed files, forgotten files, and removed directories lose their sketches.
rm -r "$files/f6" "$files/f7/m1.txt"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --forget "$files/f8"
same "sketches without a file" 0 "$(sql 'SELECT COUNT(*) FROM sketch s LEFT JOIN file f ON f.tag_set = s.tag_set
	AND f.host = s.host AND f.path_hash = s.path_hash WHERE f.tag_set IS NULL')"

# Copies of an index include them, and a second copy writes nothing.
runs 0 "$SIMHASH" --copy-to="sqlite:$TEST_FOLDER/copy.db"
runs 0 "$SIMHASH" --copy-to="sqlite:$TEST_FOLDER/copy.db"
said "0 of"
sql "SELECT m.name, HEX(s.path_hash), HEX(s.content_hash), s.features, s.cluster, HEX(s.value) FROM sketch s
	JOIN measure m ON m.id = s.measure JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host
	AND f.path_hash = s.path_hash AND f.content_hash = s.content_hash ORDER BY 1, 2" >original
sqlite3 "$TEST_FOLDER/copy.db" "SELECT m.name, HEX(s.path_hash), HEX(s.content_hash), s.features, s.cluster,
	HEX(s.value) FROM sketch s JOIN measure m ON m.id = s.measure ORDER BY 1, 2" >copied
cmp original copied || fail "sketches differ in the copy: $(diff original copied | head -4)"

# A stored sketch that is not valid is refused, and the message names it.
sql "UPDATE sketch SET value = X'00' WHERE features > 100"
runs 1 "$SIMFIND" --measure=bottomk
said "table sketch: a sketch has 1 bytes instead of 512"
runs 0 "$SIMHASH" --force "${all[@]}" "$files"
runs 0 "$SIMFIND" --summary=none --measure=bottomk

# If two measures have the same name, one must be specified.
runs 0 "$SIMHASH" --measure=minhash:words=5 "$files/f9"
runs 1 "$SIMFIND" --summary=none --measure=minhash
said "--measure=minhash: the index has 2 measures of this name; expected minhash:words="
said "minhash:words=5,functions=128,cluster=4"
# If many files have no sketch, the first ones are named, and the suggested command completes the
# same measure.
measures=$(sql 'SELECT COUNT(*) FROM measure')
runs 0 "$SIMFIND" --summary=none --measure=minhash:words=5
grep -Eq "^simfind: warning: ([0-9]+) files have no sketch by minhash:words=5,functions=128,cluster=4 and are not found: ($files/[^,]*, ){2}$files/[^,]* and [0-9]+ more; index them with simhash " err ||
	fail "files are not named: $(cat err)"
same "files that are named or counted" "$(sed -E 's/^[^0-9]*([0-9]+) files.*/\1/' err)" \
	"$(($(sed -E 's/.* and ([0-9]+) more;.*/\1/' err) + 3))"
advice=$(sed 's/.*index them with simhash //' err)
runs 0 "$SIMHASH" -z "$advice" "$files"
same "measures" "$measures" "$(sql 'SELECT COUNT(*) FROM measure')"
runs 0 "$SIMFIND" --summary=none --measure=minhash:words=5
same "warnings" 0 "$(wc -l <err)"
# A measure is forgotten with all its sketches, and no other measure is.
others=$(sql "SELECT COUNT(*) FROM sketch s JOIN measure m ON m.id = s.measure WHERE m.name NOT LIKE 'minhash%'")
runs 1 "$SIMHASH" --forget --measure=minhash
said "the index has no measure 'minhash'; simhash --status lists its measures"
runs 0 "$SIMHASH" --forget --measure=minhash:words=5
said " removed"
runs 0 "$SIMHASH" --forget --measure=minhash:words=2,functions=128,cluster=4
same "measures called minhash" 0 "$(sql "SELECT COUNT(*) FROM measure WHERE name LIKE 'minhash%'")"
same "other sketches" "$others" "$(sql 'SELECT COUNT(*) FROM sketch')"
runs 1 "$SIMHASH" --forget --measure=bottomk "$files"
said "--forget --measure cannot be combined with a PATH"
runs 1 "$SIMHASH" --forget --measure=bottomk --exclude=x
said "--forget cannot be combined with --exclude"

# Weights come from a file, and are identified by its content.
printf '0 w1\n5 w2\n' >weights
runs 0 "$SIMHASH" --measure="simhash64:words,weights=weights" "$files/f9"
printf '# another order\n5 w2\n0 w1\n' >same_weights
runs 0 "$SIMFIND" --summary=none --measure="simhash64:words,weights=same_weights"
[ -s out ] || fail "no pairs by weights"
printf '5 w2\n' >other_weights
runs 1 "$SIMFIND" --summary=none --measure="simhash64:words,weights=other_weights"
said "the index has no sketches by simhash64:words=1,weights="
said "run simhash --measure=simhash64:words,weights=other_weights first"
printf 'default 0\n' >no_weights
runs 0 "$SIMHASH" --measure="simhash64:words,weights=no_weights" "$files/f9"
runs 0 "$SIMFIND" --summary=none --measure="simhash64:words,weights=no_weights"
same "pairs of what weighs nothing" "" "$(cat out)"
runs 0 "$SIMHASH" --forget --measure="$(sql "SELECT name FROM measure WHERE name LIKE '%weights%' ORDER BY id LIMIT 1")"

# A name in an index does not open a file.
sql "UPDATE measure SET name = 'simhash128:weights=/etc/passwd' WHERE name LIKE 'simhash128:%'"
runs 1 "$SIMFIND" --summary=none --measure=simhash128
said "--measure=simhash128: the measure of this name in the index has weights; expected simhash128:weights=FILE"

# A gzip file and its content, both requested, are one pair.
mkdir "$files/stored"
openssl enc -aes-128-ctr -pass pass:x -nosalt -pbkdf2 -iter 1 -in "$files/f9/m0.txt" 2>/dev/null | gzip -c >"$files/stored/noise.gz"
runs 0 "$SIMHASH" -z --measure=bottomk "$files/stored"
runs 0 "$SIMFIND" --summary=none -z --measure=bottomk --min-resemblance=0.9 "$files/stored/noise.gz"
same "pairs of a file and its content" 1 "$(grep -c 'noise.gz .*noise.gz//noise' out)"

# Two files by every measure; lines like diff.
runs 0 "$SIMFIND" --compare "$files/later/1" "$files/later/3"
for name in "sum table" "bytes in both" "lines in order" "bytes in order" "words with repeats" "runs of 8 bytes" \
	simhash64 simhash128:words minhash bottomk:words; do
	grep -q "^$name  " out || fail "--compare lacks $name: $(cat out)"
done
same "lines in common" "$(diff --unchanged-line-format='%L' --old-line-format='' --new-line-format='' \
	"$files/later/1" "$files/later/3" | wc -l)" "$(sed -n 's/^lines in order .*% *\([0-9]*\) in common.*/\1/p' out)"
runs 0 "$SIMFIND" --compare "$files/f9/m0.txt" "$files/f9/m0.txt"
same "measures that are not all" 0 "$(tail -n +7 out | grep -vc ' 100\.0000 % ')"
same "the first line" "A and B are identical." "$(head -n 1 out)"
# The confirmed pairs, each by all measures.
between=(--between "$files/f9" "$files/f9")
runs 0 "$SIMFIND" --summary=none -T 5 --verify=all --min-resemblance=0.5 --format=csv "${between[@]}"
pairs=$(($(wc -l <out) - 1))
"$SIMFIND" --summary=none --format=null -T 5 --verify=all --min-resemblance=0.5 "${between[@]}" | xargs -0 -n 2 "$SIMFIND" --compare >compared
[ "$pairs" -gt 3 ] || fail "too few pairs for a test"
same "pairs compared" "$pairs" "$(grep -c '^lines in order' compared)"
runs 0 "$SIMFIND" --compare "$files/empty" "$files/f9/m0.txt"
same "measures of nothing" 0 "$(tail -n +7 out | grep -c '100\.0000 %')"
same "files without a resemblance" "0 % resemblance; nothing of A is in B, and nothing of B is in A." "$(head -n 1 out)"
# Files with the same words are not identical: no measure of them is 100 %.
seq 500 >order.1
seq 500 | sort -R --random-source=order.1 >order.2
cat order.1 order.2 >order.both
runs 0 "$SIMFIND" --compare order.1 order.2
grep -q '^different words *>99.99 %  500 in both, of 500 and 500: 100.00 % of A, 100.00 % of B$' out || fail "the same words: $(cat out)"
same "measures that are all" 0 "$(tail -n +7 out | cut -c 25-34 | grep -c 100)"
runs 0 "$SIMFIND" --compare order.1 order.both
[[ $(head -n 1 out) == *" resemblance; all of A is in B, and "* ]] || fail "not all of A: $(head -n 1 out)"
runs 0 "$SIMFIND" --compare --measure=minhash:words=7 "$files/f9/m0.txt" "$files/f9/m1.txt"
grep -q '^minhash:words=7,functions=128,cluster=4$' out || fail "one more measure is not shown: $(cat out)"
runs 1 "$SIMFIND" --compare "$files/empty" "$files/not there"
said "cannot read $files/not there: No such file or directory"
runs 1 "$SIMFIND" --compare "$files/empty"
said "--compare needs two FILEs"
runs 1 "$SIMFIND" --compare -d sqlite:x "$files/empty" "$files/empty"
said "--compare cannot be combined with --database"
