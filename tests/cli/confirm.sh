#!/usr/bin/env bash
# Tests reading of pairs: edited files, files that only look alike, and files that changed or were
# removed. Also checks groups against all pairs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Random lines of a fixed alphabet: files that look alike but share nothing.
text() { # SEED BYTES
	awk -v seed="$1" -v size="$2" 'BEGIN { srand(seed); while (n < size) { line = ""
		for (i = 0; i < 60; i++) line = line sprintf("%c", 97 + int(26 * rand()))
		printf "%s", substr(line "\n", 1, size - n); n += 61 } }'
}

mkdir "$files/like" "$files/edited"
for i in $(seq 30); do
	text "$i" 200000 >"$files/like/$i.txt"
done
# 1 % changed in one block; as many bytes moved from one end to the other; and as many cut off.
for i in $(seq 6); do
	from=$files/like/$i.txt
	{ head -c 100000 "$from"; text "$((i + 100))" 2000; tail -c 98000 "$from"; } >"$files/edited/$i.block.txt"
	{ tail -c 50000 "$from"; head -c 150000 "$from"; } >"$files/edited/$i.moved.txt"
	head -c 199000 "$from" >"$files/edited/$i.cut.txt"
	cp "$from" "$files/edited/$i.copy.txt"
done
settle "$files"
runs 0 "$SIMHASH" "$files"

# Unrelated files look alike at 2 %, so nearly all of their pairs are found. Reading drops these
# pairs.
runs 0 "$SIMFIND" --verify=no -T 2 --format=csv
unrelated=$(tr -d '\r' <out | awk -F, '$10 ~ /like/ && $11 ~ /like/' | wc -l)
[ "$unrelated" -gt 100 ] || fail "only $unrelated unrelated pairs: no test"
for how in all read; do
	runs 0 "$SIMFIND" -T 2 --group=none --verify=$how --min-resemblance=0.95 --format=csv
	tr -d '\r' <out | tail -n +2 >"$how.csv"
	awk -F, '{ n = split($10, a, "/"); m = split($11, b, "/")
		split(a[n], x, "."); split(b[m], y, "."); if (x[1] != y[1]) print }' "$how.csv" >wrong
	[ ! -s wrong ] || fail "$how: unrelated files are confirmed: $(head -n 1 wrong)"
	# Each of the 6 files has 4 relatives: all ten pairs of five files are found.
	for i in $(seq 6); do
		same "$how: pairs of $i" 10 "$(grep -cE "/$i\.[a-z.]*txt,[^,]*/$i\.[a-z.]*txt," "$how.csv")"
	done
done
# The measured shares: 2,000 of 200,000 bytes overwritten; nothing lost by moving.
awk -F, '/block/ && /like/ { if ($4 != "confirmed" || $5 < 0.9899 || $5 > 0.9903 || $6 < 0.9899 ||
	$6 > 0.9903 || $7 < 0.98 || $7 > 0.9815) exit 1; n++ } END { if (n != 6) exit 1 }' all.csv ||
	fail "block edits: $(grep block all.csv | grep like)"
awk -F, '/moved/ && /like/ { if ($7 < 0.999) exit 1; n++ } END { if (n != 6) exit 1 }' all.csv ||
	fail "moved: $(grep moved all.csv | grep like)"
awk -F, '/cut/ && /like/ { if (($5 < 1) != ($6 == 1) || $7 != 0.995) exit 1; n++ }
	END { if (n != 6) exit 1 }' all.csv || fail "cut: $(grep cut all.csv | grep like)"
grep -q "^identical,.*,confirmed,1.000000,1.000000,1.000000," all.csv || fail "copies are not confirmed"
grep -q ',sketch$' read.csv || fail "all pairs were read"
grep -q ',hash$' read.csv || fail "copies were read"
# If sketches are not exact enough for the minimum, files are read.
runs 0 "$SIMFIND" -T 2 --group=none --verify=read --min-resemblance=0.98 --format=csv
tr -d '\r' <out | has '^similar,.*block.*,read$' || fail "no pair was read"
tr -d '\r' <out | has '^similar,.*moved.*,sketch$' || fail "moved content was read"
# A lower minimum keeps more pairs, and a higher one fewer.
runs 0 "$SIMFIND" --summary=none -T 2 --group=none --verify=all --min-resemblance=0.999 --format=csv
[ "$(wc -l <out)" -lt "$(wc -l <all.csv)" ] || fail "a higher bar drops nothing"
grep -q block out && fail "a block edit resembles by 0.999"

# Changed, removed and unreadable files are reported once, and their pairs are marked.
sed -i '1s/^./?/' "$files/edited/1.block.txt"
rm "$files/edited/2.block.txt"
runs 2 "$SIMFIND" -T 2 --verify=all --format=csv
said "$files/edited/1.block.txt: has changed since it was indexed; its pairs stay as they were found"
said "$files/edited/2.block.txt: No such file or directory; its pairs stay as they were found"
same "messages" 2 "$(grep -c 'stay as they were' err)"
[ "$(grep -c '[12].block' out)" = "$(grep '[12].block' out | grep -c ,unconfirmed,)" ] ||
	fail "pairs of changed files are not marked: $(grep "[12].block" out | grep -v ,unconfirmed,)"
grep -q ,unconfirmed, out || fail "nothing is marked unconfirmed"
# Files of another host cannot be read.
runs 0 "$SIMFIND" --host=elsewhere -T 2 --verify=all --format=csv
same "pairs confirmed of another host" 0 "$(grep -c ,confirmed, out || true)"
runs 0 "$SIMHASH" "$files"

# Groups: every file of these pairs is in one group; a member is a pair with its representative, and
# single linkage gives connected sets.
runs 0 "$SIMFIND" -q --verify=no -T 2 --group=none --format=csv -o pairs.csv
tr -d '\r' <pairs.csv | tail -n +2 | cut -d, -f10,11 >pairs
for linkage in representative single; do
	runs 0 "$SIMFIND" -q --verify=no -T 2 --group=$linkage --format=csv -o groups.csv
	tr -d '\r' <groups.csv | tail -n +2 >groups
	awk -F, -v linkage=$linkage '
		FILENAME == "pairs" { pair[$1, $2] = pair[$2, $1] = 1; file[$1] = file[$2] = 1; next }
		{ if (group[$5]++) { print "twice: " $5; exit 1 }
		  in_group[$5] = $1; if ($2 == "representative") { r[$1] = $5; n++ }
		  else if (linkage == "representative" && !(($5, r[$1]) in pair)) {
			print $5 " is not a pair with " r[$1]; exit 1 } }
		END { for (f in file) if (!(f in group)) { print f " is in no group"; exit 1 }
			for (f in group) if (!(f in file)) { print f " is in no pair"; exit 1 }
			if (linkage == "single") for (p in pair) { split(p, x, SUBSEP)
				if (in_group[x[1]] != in_group[x[2]]) { print p " is divided"; exit 1 } }
			print n }' pairs groups >verdict || fail "$linkage: $(cat verdict)"
	same "copies in groups" 6 "$(grep -c ,copy, groups)"
done
runs 0 "$SIMFIND" -q -T 2 --group --verify=all --format=json -o groups.json
same "groups of confirmed pairs" 6 "$(sqlite3 :memory: "SELECT json_array_length(readfile('groups.json'))")"
same "their files" 29 "$(sqlite3 :memory: "SELECT sum(value ->> 'files') FROM json_each(readfile('groups.json'))")"
runs 0 "$SIMFIND" --summary=none -T 2 --group --verify=all --min-resemblance=0.95
same "groups in text" 5 "$(awk -v RS= '{ n += gsub(/[0-9] kB/, "") == 5 } END { print n }' out)"

# Between two directories, and between two hosts.
runs 0 "$SIMFIND" --summary=none --verify=no -T 2 --between "$files/like/" "$files/edited" --format=csv
tr -d '\r' <out | tail -n +2 | cut -d, -f10,11 | LC_ALL=C sort >found
# The file of the first directory comes first.
awk -F, '($1 ~ /like/) != ($2 ~ /like/) { print $1 ~ /like/ ? $0 : $2 "," $1 }' pairs | LC_ALL=C sort >expected
cmp expected found || fail "between directories: $(diff expected found | head -4)"
[ -s expected ] || fail "nothing is between the directories"
runs 0 "$SIMHASH" --host=mirror "$files/edited"
runs 0 "$SIMFIND" --summary=none --verify=no -T 2 --between mirror: "$files/like" --format=csv
same "pairs between hosts" "$(wc -l <expected)" "$(tail -n +2 out | wc -l)"
same "pairs within a host" 0 "$(tail -n +2 out | grep -vc mirror: || true)"
# A side that is not in the index is an error, not an empty result.
for side in mirror:/no/such nobody: /no/such/directory; do
	runs 1 "$SIMFIND" --summary=none --verify=no -T 2 --between mirror: "$side" --format=csv
	said "the index has no files at or below "
done

# Statistics agree with the list.
runs 0 "$FIGURES" "$TEST_URL" 2
for key in uniform skew_ext; do
	"$SIMFIND" --summary=none --verify=no -T 2 --candidates=$key --group=none --format=csv | tail -n +2 >by_key
	exact=()
	[ $key = skew_ext ] || exact=(--candidates=exact)
	"$SIMFIND" --summary=none --verify=no -T 2 "${exact[@]}" --group=none --format=csv | tail -n +2 >exact
	same "statistics of $key" "$(wc -l <by_key) $(grep -c ^identical by_key) $(wc -l <exact)" \
		"$(awk -v key=$key '$1 == key { print $4, $5, $7 }' out)"
done
# Key hits by brute force over the columns.
hits=$(sql "SELECT count(*) FROM file a JOIN file b ON a.tag_set = b.tag_set
	AND (a.host < b.host OR (a.host = b.host AND a.path_hash < b.path_hash))
	WHERE a.size > 0 AND b.size > 0 AND (abs(a.skew - b.skew) <= 1
	OR abs(a.skew - b.skew) * 50 <= CASE WHEN a.size > b.size THEN a.size ELSE b.size END)")
same "key hits" "$hits" "$(awk '$1 == "skew" { print $2 }' out)"
agree=$(sql "SELECT count(*) FROM file a JOIN file b ON a.tag_set = b.tag_set
	AND (a.host < b.host OR (a.host = b.host AND a.path_hash < b.path_hash))
	WHERE a.size > 0 AND b.size > 0 AND (abs(a.skew - b.skew) <= 1
	OR abs(a.skew - b.skew) * 50 <= CASE WHEN a.size > b.size THEN a.size ELSE b.size END)
	AND 2 * a.size <= 3 * b.size AND 2 * b.size <= 3 * a.size")
same "size rejections" "$((hits - agree))" "$(awk '$1 == "skew" { print $3 }' out)"
same "collisions" "$(sql "SELECT count(*) FROM file a JOIN file b ON a.tag_set = b.tag_set
	AND a.skew = b.skew AND (a.host < b.host OR (a.host = b.host AND a.path_hash < b.path_hash))
	WHERE a.size > 0 AND b.size > 0")" "$(awk '$1 == "skew" { print $8 }' out)"
runs 0 "$FIGURES" "$TEST_URL" skew_ext 0.01 6 1.2
same "tolerances of a sweep" 36 "$(grep -vc '^#' out)"
awk '!/^#/ { if ($2 < hits || $4 < sums || $7 < $4) exit 1; hits = $2; sums = $4 }' out ||
	fail "a sweep does not grow with the tolerance"
for tolerance in 0.01 $(awk '!/^#/ { t = $1 } END { print t }' out); do
	same "sweep at $tolerance" \
		"$("$SIMFIND" --summary=none --verify=no -T "$tolerance" --group=none --candidates=skew_ext --format=csv | tail -n +2 | wc -l)" \
		"$(awk -v t="$tolerance" '$1 == t { print $4 }' out)"
done
