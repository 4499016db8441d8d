#!/usr/bin/env bash
# Tests searches without sketches, as in the paper: all pairs, as a whole and in parts, and the
# pairs of one file equal brute force over all pairs, for three keys, three tolerances and both
# kinds of candidates, on several kinds of files, edited copies and exact copies. The same for the
# nearest files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_tree --flat --files=400 --sizes=300-40000 "$files"
# Copies, and copies with some bytes changed, appended and swapped.
number=0
find "$files" -type f -size +2k | LC_ALL=C sort | sed -n 1,80p | while IFS= read -r path; do
	number=$((number + 1))
	cp "$path" "$path.copy.txt"
	cp "$path" "${path%.*}.edited$number.${path##*.}"
	printf 'simhash%04d' "$number" |
		dd of="${path%.*}.edited$number.${path##*.}" conv=notrunc bs=1 seek=$((number * 7)) 2>/dev/null
	{ cat "$path"; printf 'a tail of %d' "$number"; } >"$path.longer"
	{ tail -c 1500 "$path"; head -c -1500 "$path"; } >"${path%.*}.moved.${path##*.}"
done
: >"$files/empty1"
: >"$files/empty2"

runs 0 "$SIMHASH" "$files"
find "$files" -type f -print0 | LC_ALL=C sort -z >"$TEST_FOLDER/list"
"$ORACLE" counts <"$TEST_FOLDER/list" >"$TEST_FOLDER/counts"

# The fields of each pair that the oracle also has, in its order.
plain() {
	grep -v ^match, | cut -d, -f1-3,8-11 | sed 's/$/\r/' | LC_ALL=C sort
}

expected() { # KEY MILLIONTHS HOW
	"$ORACLE" pairs "$1" "$2" "$3" "$TEST_FOLDER/counts" <"$TEST_FOLDER/list" | tail -n +2 | LC_ALL=C sort >expected.csv
}

equal() { # WHAT
	cmp expected.csv found.csv || fail "$1: $(diff expected.csv found.csv | head -4)"
}

key_name=(uniform scatter skew uniform_ext scatter_ext skew_ext)
total=0
for key in 0 2 5; do
	for tolerance in 0.1 1 3.25; do
		millionths=$(awk "BEGIN { printf \"%d\", $tolerance * 1000000 }")
		what="key ${key_name[$key]}, $tolerance %"
		for how in exact key; do
			expected "$key" "$millionths" "$how"
			find=("$SIMFIND" --verify=no --summary=none -T "$tolerance" --format=csv)
			if [ "$how" = key ]; then
				find+=(--candidates="${key_name[$key]}")
			elif [ "$key" -lt 3 ]; then
				find+=(--candidates=exact) # with any extensions
			fi
			runs 0 "${find[@]}" --group=none -o all.csv
			plain <all.csv >found.csv
			equal "$what, $how"
			total=$((total + $(wc -l <expected.csv)))
			[ "$key" != 0 ] || grep -q ^identical expected.csv || fail "no identical pair"
			[ "$tolerance" = 1 ] || continue
			for part in 1 2 3; do
				"${find[@]}" --group=none --partition="$part/3" -j "$part"
			done | plain >found.csv
			equal "$what, $how, in three parts"
			# With every file requested at once, each pair occurs once.
			"${find[@]}" --files0-from="$TEST_FOLDER/list" | plain >found.csv
			equal "$what, $how, by file"
		done
	done
done
[ "$total" -gt 2000 ] || fail "only $total pairs in all: too few for a test"

# The order of the list does not depend on threads.
"$SIMFIND" --verify=no -q -j 1 -o one.txt
"$SIMFIND" --verify=no -q -j 5 -o five.txt
cmp one.txt five.txt || fail "the order of pairs depends on threads"
awk '$1 == "distance" { if ($2 + 0 < last) exit 1; last = $2 + 0 }' one.txt ||
	fail "pairs are not in the order of their distance"

# One file alone, in the index and not in it, by name and on standard input.
one=$(find "$files" -name '*.copy.txt' | LC_ALL=C sort | sed -n 1p)
"$ORACLE" pairs 0 1000000 exact "$TEST_FOLDER/counts" <"$TEST_FOLDER/list" | grep -F "$one" | LC_ALL=C sort >expected.csv
"$SIMFIND" --verify=no --summary=none --candidates=exact --format=csv "$one" | plain >found.csv
equal "one file"
[ -s expected.csv ] || fail "the file has no pairs"
mkdir outside
cp "$one" outside/stranger.txt
lines=$("$SIMFIND" --verify=no --summary=none --candidates=exact --format=csv outside/stranger.txt | plain | wc -l)
same "pairs of a copy outside the index" "$(($(wc -l <expected.csv) + 1))" "$lines"
lines=$("$SIMFIND" --verify=no --summary=none --candidates=exact --format=csv - <"$one" | plain | wc -l)
same "pairs of standard input" "$(($(wc -l <expected.csv) + 1))" "$lines"
"$SIMFIND" --verify=no --summary=none --candidates=exact outside/stranger.txt | sed "s|$TEST_FOLDER/outside/stranger.txt|-|" | LC_ALL=C sort >expected.csv
"$SIMFIND" --verify=no --summary=none --candidates=exact - <"$one" | LC_ALL=C sort >found.csv
[ "$(wc -l <expected.csv)" = "$(wc -l <found.csv)" ] || fail "standard input is searched otherwise"
[ -s expected.csv ] || fail "nothing is similar to the stranger"

# The nearest files, for files of several kinds and sizes.
find "$files" -type f -size +0 | LC_ALL=C sort | awk 'NR % 200 == 0' | while IFS= read -r path; do
	for key in 0 5; do
		exact=()
		[ "$key" = 5 ] || exact=(--candidates=exact)
		for count in 1 40; do
			"$ORACLE" nearest "$key" "$count" "$path" "$TEST_FOLDER/counts" <"$TEST_FOLDER/list" >expected.csv
			"$SIMFIND" --verify=no --summary=none "${exact[@]}" --nearest="$count" --format=csv "$path" |
				tail -n +2 | tr -d '\r' | awk -F, -v OFS=, -v path="$path" \
				'{ print $2, $10 == path ? $11 : $10 }' | LC_ALL=C sort -t, -k1,1n -k2 >found.csv
			equal "the $count nearest to $path"
		done
	done
done

# Many files at once, with several threads: the same list as with one search after another.
mkdir crowd
find "$files" -name '*.edited*' | LC_ALL=C sort | first 40 | while IFS= read -r path; do cp "$path" crowd; done
for how in --verify=no --verify=sketch --nearest=3; do
	for path in crowd/*; do
		"$SIMFIND" --summary=none "$how" --format=jsonl "$path"
	done >one.json
	for threads in 1 3; do
		"$SIMFIND" --summary=none "$how" -j "$threads" --format=jsonl crowd/* >all.json
		cmp one.json all.json || fail "$how, $threads threads: 40 files at once are not 40 searches"
	done
	[ "$(wc -l <one.json)" -gt 40 ] || fail "$how finds too few pairs: $(cat one.json)"
done

# Tolerances for extensions: for .txt only a distance of 1, which always counts; pairs of other
# files do not change.
"$SIMFIND" --verify=no --summary=none -T 2 --group=none --format=csv | plain | grep -viE '\.txt(,|$)' >expected.csv
printf '# a comment\n\n  TXT=50 # and another\n' >tolerances
"$SIMFIND" --verify=no --summary=none -T 2 --tolerance=@tolerances --tolerance=.txt=0 --group=none --format=csv | plain >with.csv
grep -viE '\.txt(,|$)' with.csv >found.csv
equal "tolerances of others"
[ "$(grep -iE '\.txt(,|$)' with.csv | awk -F, '$2 > 1' | wc -l)" = 0 ] || fail "a .txt pair at a distance above 1"

# Empty files only on request.
same "empty files unasked" 0 "$("$SIMFIND" --verify=no --summary=none | grep -c empty || true)"
runs 0 "$SIMFIND" --verify=no --also=empty --format=csv
grep -q "^identical,0,0.000000,,,,1.000000,0,0,$files/empty1,$files/empty2" <(tr -d '\r' <out) ||
	fail "the empty files are not a pair with --also=empty"
grep -q 'empty' err && fail "empty files that are not left out: $(cat err)"
# Otherwise the summary counts the empty files that the command covers.
mkdir "$files/of_empty"
: >"$files/of_empty/one"
echo 1 >"$files/of_empty/other"
runs 0 "$SIMHASH" "$files"
for form in --verify=no --group "--group --threads=3" "--partition=1/3"; do
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMFIND" $form --format=csv
	grep -q ' 3 empty files were left out[.]$' err || fail "$form: $(cat err)"
done
runs 0 "$SIMFIND" "$files/of_empty"
grep -q ' 1 empty file was left out[.]$' err || fail "empty files of a directory: $(cat err)"
runs 0 "$SIMFIND" --summary=json
grep -q '"empty":3,' err || fail "empty files in the summary: $(cat err)"
