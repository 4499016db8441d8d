#!/usr/bin/env bash
# Tests simfind DIR, which lists similar files below some directories, with every kind of search;
# and --update.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_tree --flat --files=160 "$files"
mkdir -p "$files/one/deep" "$files/one more" "$files/two"
number=0
for file in "$files"/*; do
	[ -f "$file" ] || continue
	case $((number++ % 4)) in
	0) mv "$file" "$files/one/" ;;
	1) mv "$file" "$files/one/deep/" ;;
	2) mv "$file" "$files/one more/" ;;
	3) mv "$file" "$files/two/" ;;
	esac
done
cp "$files/one/deep"/* "$files/two/"
cp "$files/two"/* "$files/one more/"
for i in 1 2 3 4 5 6; do
	seq "$i" $((3000 + i)) >"$files/one/versions of $i.txt"
	seq "$i" $((3000 + i)) | sed "s/^${i}00/other/" >"$files/two/versions of $i.txt"
done
settle "$files"
runs 0 "$SIMHASH" --measure=minhash "$files"

# below DIR...: the pairs on standard input with both files at or below one of the DIRs
below() {
	python3 -c 'import csv, sys
rows = csv.reader(sys.stdin)
write = csv.writer(sys.stdout).writerow
write(next(rows))
for row in rows:
    if all(any(path.startswith(d + "/") for d in sys.argv[1:]) for path in row[9:11]):
        write(row)' "$@" | sort
}

for how in "" --min-resemblance=0.7 --measure=minhash "--verify=no -T 2" "--verify=all" "--candidates=skew --also=empty"; do
	# shellcheck disable=SC2086  # several options
	runs 0 "$SIMFIND" --summary=none --group=none --format=csv $how
	cp out all
	for directories in one "one more" two "one/deep|two" "one|one/deep"; do
		IFS='|' read -ra names <<<"$directories"
		below "${names[@]/#/$files/}" <all >expected
		for threads in 1 3; do
			# shellcheck disable=SC2086
			runs 0 "$SIMFIND" --summary=none -j $threads --group=none --format=csv $how "${names[@]/#/$files/}"
			sort out | cmp - expected || fail "below $directories with '$how'"
		done
		[ "$(wc -l <expected)" -gt 1 ] || fail "nothing is similar below $directories"
	done
	[ "$(wc -l <expected)" -lt "$(wc -l <all)" ] || fail "all is below $directories"
done

# The complete tree, and a directory given by a link and with slashes, give the same as no DIR.
runs 0 "$SIMFIND" --summary=none
cp out all
ln -s "$files" link
for name in "$files" "$files///" link link/ "$files/one/.."  /; do
	runs 0 "$SIMFIND" --summary=none "$name"
	cmp out all || fail "below $name"
done
# Only the files below the directories decide about groups and representatives.
runs 0 "$SIMFIND" --summary=none --group --format=null "$files/two"
tr '\0' '\n' <out | grep . >grouped || fail "no groups below two"
same "files of other directories in groups" 0 "$(grep -cv "^$files/two/" grouped || true)"
runs 0 "$SIMFIND" --summary=none --format=null "$files/two"
same "files in groups and in pairs" "$(tr '\0' '\n' <out | sort -u)" "$(sort -u grouped)"
runs 0 "$SIMFIND" "$files/two"
said "among $(find "$files/two" -type f -size +0 | wc -l) files"

# FILEs with DIRs: the files below them that are similar to each FILE.
asked="$files/one/versions of 3.txt"
for how in "" --min-resemblance=0.7 --measure=minhash --nearest=6; do
	# shellcheck disable=SC2086
	runs 0 "$SIMFIND" --summary=none --format=null $how "$asked" "$files/two"
	tr '\0' '\n' <out >paths
	grep -qx "$files/two/versions of 3.txt" paths || fail "not found with '$how': $(cat paths)"
	same "with '$how', elsewhere" 0 "$(grep -vxF "$asked" paths | grep -cv "^$files/two/" || true)"
done

# A part of the pairs is the same part.
runs 0 "$SIMFIND" --summary=none --format=csv "$files/one"
tail -n +2 out | sort >expected
for part in 1 2 3; do
	runs 0 "$SIMFIND" --summary=none --format=csv --partition=$part/3 "$files/one"
	tail -n +2 out
done | sort | cmp - expected || fail "parts of one directory"

# A directory without files in the index: the message contains the command.
mkdir new
runs 1 "$SIMFIND" "$files/one" new
said "simfind: the index has no files at or below $PWD/new; index it first: simhash $PWD/new"
mkdir 'with blanks'
runs 1 "$SIMFIND" 'with blanks'
said "simfind: the index has no files at or below $PWD/with blanks; index it first: simhash '$PWD/with blanks'"
mkdir "it's"
runs 1 "$SIMFIND" "it's"
said "index it first: simhash '$PWD/it'\"'\"'s'"
runs 1 "$SIMFIND" /no/such/directory/
said "the index has no files at or below /no/such/directory, which cannot be read: No such file or directory"
runs 1 "$SIMFIND" no-such-directory/
said "simfind: cannot find directory no-such-directory/: No such file or directory"
runs 1 "$SIMFIND" --between new new new
said "simfind: --between cannot be combined with a DIR"
runs 1 "$SIMFIND" --nearest=1 new
said "simfind: --nearest needs a FILE"

# --update indexes and searches in one run.
seq 5000 >new/a
seq 5001 >new/b
runs 0 "$SIMFIND" --update new
summary 2 0 0 0
said "1 pair (0 identical, 1 similar) among 2 files"
grep -qF "$PWD/new/a  $PWD/new/b" out || fail "the pair is not listed: $(cat out)"
cp new/a new/c
rm new/b
settle new
runs 0 "$SIMFIND" --update --host="$(hostname)" --summary=none new
same "quietly" "identical         $PWD/new/a  $PWD/new/c" "$(cat out)"
same "quietly, on standard error" "" "$(cat err)"
seq 5002 >asked
runs 0 "$SIMFIND" --update asked new
same "similar to a file elsewhere" 2 "$(grep -c . out)"
summary 0 2 0 0
runs 1 "$SIMFIND" --update
said "simfind: --update needs a DIR"
runs 1 "$SIMFIND" --update "$files/one/deep" --measure=minhash
said "simfind: --update cannot be combined with --measure"

# The backup has no file twice, and all its files are also elsewhere.
mkdir backup
cp new/a backup/a
runs 0 "$SIMHASH" backup
runs 0 "$SIMFIND" backup
same "pairs below a backup" "" "$(cat out)"
said "note: 1 of these files has a copy elsewhere; to see it, use simfind --between $PWD/backup /"
# The command can be copied, also with a backslash in a name.
mkdir 'back\slash'
cp new/a 'back\slash/a'
runs 0 "$SIMHASH" 'back\slash'
runs 0 "$SIMFIND" 'back\slash'
eval "$SIMFIND --summary=none $(sed -n "s|.*use simfind ||p" err)" >out
grep -q 'slash/a  ' out || fail "the command of a note does not work: $(cat err out)"
rm -r 'back\slash'
runs 0 "$SIMHASH" --forget 'back\slash'
# On a terminal too, where a similar file is not a copy. A content that is twice elsewhere counts once.
seq 5000 9000 >backup/b
{ cat backup/b && echo end; } >backup/b2
cp backup/b new/b
runs 0 "$SIMHASH" backup new
PAGER=cat NO_COLOR=1 on_terminal 100 "$SIMFIND" backup
for line in "None of 3 files is a copy of another one of them. 1 more file resembles another." \
	"simfind: note: 2 of these files have copies elsewhere; to see them, use simfind --between $PWD/backup /"; do
	grep -qxF "$line" screen || fail "expected '$line' on the screen: $(cat screen)"
done
runs 0 "$SIMFIND" --only=parts backup
said "note: only files below the directory were compared with each other; to compare them with all others, use simfind"
rm new/b backup/b backup/b2
runs 0 "$SIMHASH" backup new
runs 0 "$SIMFIND" --summary=none --between "$PWD/backup" /
grep -qF "$PWD/backup/a  $PWD/new/a" out || fail "the backup is not compared with the rest: $(cat out)"
# The file of A is on the left, in each order of the two, in each format, and for similar files too.
mkdir left right
seq 6000 >left/b
cp left/b right/a
seq 6001 >right/b
runs 0 "$SIMHASH" left right
for sides in "left right" "right left"; do
	read -r a b <<<"$sides"
	runs 0 "$SIMFIND" --between "$a" "$b" --format=csv --summary=none
	same "pairs between $sides" 2 "$(grep -cE ",$PWD/$a/.,$PWD/$b/." out)"
	runs 0 "$SIMFIND" --between "$a" "$b" --verify=all
	same "pairs between $sides, read" 2 "$(grep -c " $PWD/$a/.  $PWD/$b/.$" out)"
done
rm -r left right
runs 0 "$SIMHASH" --forget left
runs 0 "$SIMHASH" --forget right
runs 0 "$SIMFIND" -q backup
same "quietly" "" "$(cat err)"
