#!/usr/bin/env bash
# Tests a digest list against the index: the pairs are the same as by brute force over the files
# themselves, and the same as between two hosts after the list is imported, in every way of
# searching and listing. The index does not change.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

there=$files/there here=$files/here
mkdir "$there" "$here"
make_tree --flat --files=80 --sizes=300-12000 "$there"
number=0
find "$there" -type f -size +2k | LC_ALL=C sort | sed -n 1,36p | while IFS= read -r path; do
	number=$((number + 1))
	name=${path##*/}
	cp "$path" "$here/same$((number % 7)) $name"
	{ cat "$path"; printf 'a tail of %d' "$number"; } >"$here/longer $name"
	printf 'simhash%04d' "$number" |
		dd of="$here/same$((number % 7)) $name" conv=notrunc bs=1 seek=$((number * 7)) 2>/dev/null
	[ $((number % 3)) != 0 ] || cp "$path" "$here/copy $name"
	[ $((number % 4)) != 0 ] || { head -c 1200 "$path" && tail -c +1300 "$path"; } >"$here/edited $name"
done
seq 4000 >"$there/packed"
seq 4001 >"$here/seq.txt"
gzip "$there/packed"
: >"$there/empty"
: >"$here/empty"
printf x | tee "$there/one byte" >"$here/one byte too"
cp "$there/one byte" "$here/"$'odd \xff\e[1m.bin'

runs 0 "$SIMHASH" -q -z -d sqlite:there.db "$there"
runs 0 "$SIMHASH" -q -d sqlite:there.db --export=elsewhere
runs 0 "$SIMHASH" -q "$here"
shape="SELECT COUNT(*), SUM(size), (SELECT COUNT(*) FROM host) FROM file"
before=$(sql "$shape")

echo "Brute force"
find "$here" "$there" -type f -print0 | LC_ALL=C sort -z >paths
"$ORACLE" counts <paths >counts
for tolerance in 0.1 1 3.25; do
	"$ORACLE" pairs 5 "$(awk "BEGIN { printf \"%d\", $tolerance * 1000000 }")" exact counts <paths |
		python3 -c "
import sys
here, there = sys.argv[1:]
for line in sys.stdin.buffer:
    if here.encode() in line and there.encode() in line:
        line = line.rstrip(b'\r\n').replace(there.encode(), b'elsewhere:' + there.encode())
        *same, size_a, size_b, a, b = line.split(b',')
        # The file of the list comes first.
        if b'elsewhere:' in b:
            size_a, size_b, a, b = size_b, size_a, b, a
        sys.stdout.buffer.write(b','.join([*same, size_a, size_b, a, b]) + b'\n')" "$here/" "$there/" |
		tr -d '\r' | LC_ALL=C sort >expected
	runs 0 "$SIMFIND" --summary=none --against=elsewhere --verify=no -T "$tolerance" --format=csv
	tail -n +2 out | tr -d '\r' | grep -v 'packed.gz//' | cut -d, -f1-3,8-11 | LC_ALL=C sort >found
	cmp expected found || fail "$tolerance %: $(diff expected found | head -4)"
	[ "$(wc -l <expected)" -gt 20 ] || fail "only $(wc -l <expected) pairs: too few for a test"
done

echo "As if it were imported"
gzip -c elsewhere >elsewhere.gz
runs 0 "$SIMFIND" --against=elsewhere.gz --format=csv -o list.csv
sed 's/elsewhere\.gz:/elsewhere:/g' list.csv >gz.csv
cp err summary
cat elsewhere | "$SIMFIND" --summary=none --against=- --format=csv | sed 's/stdin:/elsewhere:/g' | cmp - gz.csv ||
	fail "standard input gives other pairs"
# Other compressions, if libarchive is built in.
xz -k elsewhere
if built_with archives; then
	"$SIMFIND" --summary=none --against=elsewhere.xz --format=csv | sed 's/elsewhere\.xz:/elsewhere:/g' | cmp - gz.csv || fail "other pairs by xz"
	head -c 5000 elsewhere.xz >cut.xz
	runs 1 "$SIMFIND" --against=cut.xz
	said "simfind: cut.xz is damaged"
else
	runs 1 "$SIMFIND" --against=elsewhere.xz
	said "elsewhere.xz is compressed by xz, which this simhash was built without"
fi
same "the index" "$before" "$(sql "$shape")"
options=('' --verify=no --min-resemblance=0.7 '--verify=read -T 2' --also=empty '--min-resemblance=0.9 --same-extension'
	'--candidates=uniform' --group '--group=single' --group=lineage '-j 1 --limits=memory=32M --limit=9' --format=null)
mkdir piped
mkfifo piped/elsewhere
for number in "${!options[@]}"; do
	# shellcheck disable=SC2086  # several options
	"$SIMFIND" --summary=none --against=elsewhere ${options[number]} >"list $number"
	# The list is read once, so it can come through a pipe.
	cat elsewhere >piped/elsewhere &
	# shellcheck disable=SC2086
	timeout 300 "$SIMFIND" --summary=none --against=piped/elsewhere ${options[number]} | cmp - "list $number" ||
		fail "'${options[number]}': another list by a pipe"
	wait
done
"$SIMFIND" --summary=none --against=elsewhere --format=jsonl | LC_ALL=C sort >list.jsonl
"$SIMFIND" --summary=none --against=elsewhere "$here/" --sort=path >below
runs 0 "$SIMHASH" -q --import=elsewhere --host=elsewhere
across=(--between elsewhere: "$(uname -n):")
for number in "${!options[@]}"; do
	# shellcheck disable=SC2086
	runs 0 "$SIMFIND" --summary=none "${across[@]}" ${options[number]}
	cmp out "list $number" || fail "'${options[number]}': $(diff out "list $number" | head -4)"
	[ -s out ] || fail "'${options[number]}' lists nothing"
done
runs 0 "$SIMFIND" "${across[@]}" --format=csv
cmp out gz.csv || fail "other pairs: $(diff out gz.csv | head -4)"
cmp err summary || fail "another summary: $(cat summary)"
"$SIMFIND" --summary=none "${across[@]}" --format=jsonl | LC_ALL=C sort | cmp - list.jsonl || fail "other lines of JSON"
"$SIMFIND" --summary=none "${across[@]}" --sort=path | cmp - below || fail "other pairs below a directory"
# Files of other hosts in the index are also found, and a report can be written.
runs 0 "$SIMFIND" --summary=none --against=elsewhere
grep -q ' elsewhere:.*  elsewhere:' out || fail "no file of another host"
runs 0 "$SIMFIND" --against=elsewhere --format=html -o page.html
runs 3 "$SIMFIND" -q --against=elsewhere --fail-on-match

echo "Refused lists"
runs 1 "$SIMFIND" --against=missing
said "simfind: cannot open missing: No such file or directory"
runs 1 "$SIMFIND" --against="$here/seq.txt"
said "seq.txt is not a digest list"
runs 1 "$SIMFIND" --against="$files"
said "cannot read $files: Is a directory"
sed '$d' elsewhere | sed '$s/ [^ ]* [^ ]*$/ relative -/' >hostile
runs 1 "$SIMFIND" --against=hostile -o hostile.txt
said "simfind: hostile:$(wc -l <hostile):"
said "expected"
sed -E -e '1s/5$/1/' -e '$d' -e 's/^(([^ ]+ ){4}[^ ]{171})[^ ]*(.*) [^ ]*$/\1\3/' elsewhere >old
runs 0 "$SIMFIND" --against=old
said "simfind: old: an older simhash wrote this list, without an end mark: it may have been cut off, and its sketches are not used"
runs 0 "$SIMFIND" --against=elsewhere
! grep -q 'cut off' err || fail "a list with an end may have been cut off"
[ ! -e hostile.txt ] || fail "pairs of a list that is damaged"
runs 1 "$SIMFIND" --against=elsewhere -o elsewhere
said "cannot write to elsewhere: it is the list of --against"
printf 'txt=1\n' >input
before_output=$(cksum <input)
runs 1 "$SIMFIND" --known=elsewhere -o elsewhere
said "cannot write to elsewhere: it is a list of --known"
runs 1 "$SIMFIND" --tolerance=@input -o input
said "cannot write to input: it has the tolerances of --tolerance"
same "input read" "$before_output" "$(cksum <input)"
printf '%s\0' "$here/seq.txt" >input
runs 1 "$SIMFIND" --files0-from=input -o input
said "cannot write to input: it is the list of --files0-from"
{ head -n 19 elsewhere | sed '3,18s/ .*/ 7 3/' && echo "end 0"; } >tags
runs 0 "$SIMFIND" --against=tags
said "', only of 'sample'; use --tag-set=FILE"
