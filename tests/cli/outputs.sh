#!/usr/bin/env bash
# Tests the outputs of simfind and simkeep: standard output by name, files that are replaced when
# everything is written, and paths that cannot be replaced by a file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
umask 022

seq 3000 >"$files/a.txt"
cp "$files/a.txt" "$files/b.txt"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --summary=none
cp out expected
[ "$(wc -l <expected)" = 1 ] || fail "no pair to write: $(cat expected)"
mkdir there
cd there

# left WHAT NAME...: check the files in this folder
left() {
	same "files after $1" "$(printf '%s\n' "${@:2}" | LC_ALL=C sort)" "$(LC_ALL=C ls -A)"
}

# Standard output by its names.
for name in - /dev/stdout; do
	runs 0 "$SIMFIND" --summary=none -o $name
	cmp ../expected ../out || fail "-o $name is not standard output"
done
left "standard output" ''
# If it is a file, the output is appended and does not replace it.
(echo before && "$SIMFIND" --summary=none -o /dev/stdout && echo after) >../out
same "three lines" "before after" "$(sed -n '1p;$p' ../out | paste -sd' ')"
runs 0 "$SIMKEEP" --action=script:-
said "standard output: a script for 1 copy; edit it"
grep -q '^#delete ' ../out || fail "no script: $(cat ../out)"

# A new file gets the usual permissions; an existing file keeps its own.
runs 0 "$SIMFIND" -q -o new
runs 0 "$SIMKEEP" -q --action=script:new.sh
same "rights" "644 700" "$(stat -c %a new new.sh | paste -sd' ')"
left "new files" new new.sh
"$SIMFIND" --only=parts --format=json --summary=none -o new
runs 0 "$SIMKEEP" -q --keep=newest --action=script:new.sh
cp new.sh newest.sh
chmod 604 new
chmod 640 new.sh
ln -s new link
runs 0 "$SIMFIND" -q -o link
runs 0 "$SIMKEEP" -q --action=script:./new.sh
cmp new ../expected || fail "not replaced through a link"
[ -L link ] || fail "the link was replaced"
! cmp -s new.sh newest.sh || fail "no new script"
rm newest.sh
same "rights" "604 640" "$(stat -c %a new new.sh | paste -sd' ')"
# A link to a missing file, through another link.
mkdir deep
ln -s deep/two one
ln -s ../later deep/two
runs 0 "$SIMFIND" -q -o one
cmp later ../expected || fail "not written to where the link leads"
rm -r deep one later
left "links" link new new.sh

# A failure keeps the old file: a wrong FILE, a missing index, a full disk.
echo "[]" >new
cp new.sh old.sh
runs 1 "$SIMFIND" -q -d sqlite:/no/such/index -o new
runs 1 "$SIMKEEP" -q -d sqlite:/no/such/index --action=script:new.sh
runs 1 "$SIMKEEP" -q --action=script:/dev/full
said "cannot write to /dev/full: No space left on device"
runs 1 "$SIMFIND" -q -o /dev/full
said "cannot write to /dev/full: No space left on device"
runs 1 "$SIMFIND" --compare -o new "$files/a.txt" /no/such/file
(ulimit -f 1 && runs 1 "$SIMKEEP" -q --action=script:new.sh)
said "cannot write to new.sh: File too large"
same "old content" "[]" "$(cat new)"
cmp old.sh new.sh || fail "the script of a run that failed"
left "failures" link new new.sh old.sh

# An interrupted run also keeps it: it waits for standard input with its output open.
mkfifo ../input
is_begun() {
	[ -e "$(echo .simfind.*)" ]
}
set -m
for signal in INT TERM HUP; do
	"$SIMFIND" -q -o new - <../input >/dev/null 2>&1 &
	pid=$!
	exec 7>../input
	wait_until is_begun
	same "permissions of an incomplete file" 600 "$(stat -c %a .simfind.*)"
	same "the file meanwhile" "[]" "$(cat new)"
	kill -s $signal $pid
	status=0
	wait $pid || status=$?
	exec 7>&-
	same "status after $signal" $((128 + $(kill -l $signal))) "$status"
	same "old content" "[]" "$(cat new)"
	left "$signal" link new new.sh old.sh
done
set +m

# Paths that are not files are written directly, and so are files in a folder that is not writable.
mkfifo fifo
cat fifo >../read &
runs 0 "$SIMFIND" -q -o fifo
wait $!
cmp ../read ../expected || fail "nothing came out of the fifo"
[ -p fifo ] || fail "the fifo was replaced"
runs 0 "$SIMFIND" -q -o /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
runs 0 "$SIMFIND" -q -o >(cat >../read)
wait_until cmp -s ../read ../expected
mkdir -p ../closed
: >../closed/open
: >../closed/shut
chmod 666 ../closed/open
chmod 444 ../closed/shut
chmod 555 ../closed
copy_for_user "$SIMFIND"
compare() {
	runs "$1" as_user "$TEST_FOLDER/bin/simfind" --compare -o "../closed/$2" "$files/a.txt" "$files/b.txt"
}
compare 0 open
grep -q '^A and B are identical' ../closed/open || fail "not written directly: $(cat ../closed/open)"
compare 1 shut
said "cannot write to ../closed/shut: Permission denied"
compare 1 new
said "cannot write to ../closed/new: Permission denied"
same "files in it" "open shut" "$(ls -A ../closed | paste -sd' ')"
chmod 755 ../closed
runs 1 "$SIMFIND" -q -o .
said "cannot write to .: Is a directory"
runs 1 "$SIMFIND" -q -o new/x
said "cannot write to new/x: Not a directory"

# A file that another program wrote is not replaced, in the index or not, by its own or another name.
# Files written by an earlier run, and empty files, are replaced.
cp -r "$files" ../indexed
# refused FILE COMMAND...
refused() {
	runs 1 "${@:2}"
	said "cannot write to $1: it exists, and is not an earlier output; remove it first or write to another file"
	cmp "$files/a.txt" ../indexed/a.txt || fail "replaced by ${*:2}"
}
cp "$files/a.txt" kept
for file in "$files/a.txt" kept; do
	refused "$file" "$SIMFIND" -o "$file"
	refused "$file" "$SIMFIND" --format csv --group -o "$file"
	refused "$file" "$SIMFIND" --directories -o "$file"
	refused "$file" "$SIMFIND" --compare -o "$file" "$files/b.txt" "$files/b.txt"
	refused "$file" "$SIMKEEP" --action=script:"$file"
	refused "$file" "$SIMKEEP" --keep oldest --action=script:"$file"
	refused "$file" "$SIMHASH" --export="$file"
done
cmp kept "$files/a.txt" || fail "replaced"
ln -s "$files/a.txt" symbolic
refused symbolic "$SIMFIND" -o symbolic
ln "$files/a.txt" hard
refused hard "$SIMFIND" -o hard
printf '%s\n' /no/such/file >other-list
refused other-list "$SIMFIND" -o other-list
runs 1 "$SIMFIND" -q -o kept - <kept
said "cannot write to kept: it is standard input"
echo "[client]" >some.cnf
runs 1 "$SIMFIND" -q -d "mysql://localhost/x?defaults-file=some.cnf" -o some.cnf
said "cannot write to some.cnf: it is the option file of the index"
rm -f hard symbolic kept other-list some.cnf
# A report that was indexed may be replaced by another one.
mkdir "$files/one"
seq 7000 9000 >"$files/one/x"
seq 7000 9100 >"$files/one/y"
cp -r "$files/one" "$files/two"
runs 0 "$SIMHASH" "$files"
for form in "--format csv" "--format json" "--format jsonl" "--format html" "--format null" \
	"--format text" "--group" "--group --format csv" "--group --format json" \
	"--directories" "--directories --format csv" "--group=lineage --format dot" "--group=lineage" \
	"--directories $files/one $files/two" "--order" "--order --format json" "--order --format csv" "--order --format null" \
	"--order=delta" "--order=delta --format null" "--only=parts --format json" \
	"$files/one/x"; do
	# shellcheck disable=SC2086
	runs 0 "$SIMFIND" -q $form -o "$files/report"
	[ -s "$files/report" ] || fail "nothing was written with $form"
	runs 0 "$SIMHASH" "$files"
	# shellcheck disable=SC2086
	runs 0 "$SIMFIND" -q $form -o "$files/report"
	runs 0 "$SIMKEEP" -q --action=script:"$files/report"
	rm "$files/report"
done
for other in x y; do
	runs 0 "$SIMFIND" --compare -o compared "$files/one/x" "$files/one/$other"
	runs 0 "$SIMFIND" --compare -o compared "$files/one/x" "$files/one/$other"
	rm compared
done
