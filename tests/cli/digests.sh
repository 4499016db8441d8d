#!/usr/bin/env bash
# Tests lists of digests: an index is exported and imported again without the files, completely, in
# part and anonymously. Wrong lists are refused with line and column.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# older NUMBER LIST: the list as an older simhash wrote it, with shorter sketches of texts, without
# pieces and without an end mark
older() {
	sed -E -e "1s/5$/$1/" -e '$d' -e 's/^(([^ ]+ ){4}[^ ]{171})[^ ]*(.*) [^ ]*$/\1\3/' "$2"
}
# no_end LIST: the message said that this list may have been truncated
no_end() {
	said "simhash: $1: an older simhash wrote this list, without an end mark: it may have been cut off, and its sketches are not used"
}

make_tree --files=120 --sizes=1-9000 "$files"
seq 3000 >"$files/numbers.txt"
seq 3001 >"$files/numbers.TXT.bak"
seq 2000 >"$files/"$'odd %41 \xff\n\e[31m name.-'
: >"$files/.-"
mkdir "$files/sub"
seq 5 3000 >"$files/sub/packed"
gzip "$files/sub/packed"
(cd "$files" && python3 -c "
import zipfile
archive = zipfile.ZipFile('sub/members.zip', 'w')
for number in range(3):
    archive.writestr('of/member %d.txt' % number, 'a member, %d\n' % number * 500)
archive.write('sub/packed.gz')
archive.close()")
settle "$files"
runs 0 "$SIMHASH" -z "$files"
total=$(sql 'SELECT COUNT(*) FROM file')

echo "There and back"
runs 0 "$SIMHASH" --export=list
said "$total files exported"
[ "$(LC_ALL=C tr -d '\n -~' <list | wc -c)" = 0 ] || fail "the list has other bytes than printable ASCII"
same "lines" "$((total + 20))" "$(wc -l <list)"
same "the end" "end $total" "$(tail -n 1 list)"
"$SIMHASH" -q --export >again
cmp list again || fail "another list on standard output"
runs 0 "$SIMHASH" --import=list --host=there
said "$total files imported"
"$SIMHASH" -q --export --host=there >again
cmp list again || fail "a different list after the import"
columns=$(printf 'sum_%02d, ' $(seq 0 15))"uniform, scatter, skew, uniform_ext, scatter_ext, skew_ext"
there=$(sql "SELECT id FROM host WHERE name = 'there'")
shape="SELECT size, mtime_ns, hex(content_hash), hex(resemblance_sketch), hex(path_hash), hex(name), hex(directory), bucket, $columns"
for host in "= $there" "<> $there"; do
	sql "$shape FROM file WHERE host $host ORDER BY path_hash" >"rows $host"
done
pieces="SELECT hex(content_hash), is_text, size, hex(value) FROM pieces ORDER BY 1, 2, 3"
sql "$pieces" >pieces
[ "$(wc -l <pieces)" -gt 20 ] || fail "only $(wc -l <pieces) contents have pieces"
"$SIMHASH" -q -d sqlite:fresh.db --import=list --host=there
sqlite3 fresh.db "$pieces" | cmp pieces - || fail "other pieces after the import"
cmp "rows = $there" "rows <> $there" || fail "rows: $(diff "rows = $there" "rows <> $there" | head -4)"
# Importing it again changes nothing; if a path occurs twice in a list, the last line counts.
gzip -c list >list.gz
runs 0 "$SIMHASH" --import=list.gz --host=there
same "rows" "$((2 * total))" "$(sql 'SELECT COUNT(*) FROM file')"
! grep -q 'cut off' "$TEST_FOLDER/err" || fail "a list with an end may have been cut off"
older 1 list >old
grep '/numbers.txt$' old | sed 's/^[0-9]* [0-9]*/99999 -7/' | cat old - >twice
runs 0 "$SIMHASH" --import=- --host=there <twice
said "$total files imported"
no_end -
same "sketches of an older list" 0 "$(sql "SELECT COUNT(resemblance_sketch) FROM file WHERE host = $there")"
{ older 3 list && tail -n 1 list; } >ended
runs 0 "$SIMHASH" --import=ended --host=there
said "simhash: ended: an older simhash wrote this list: its sketches are not used"
runs 0 "$SIMHASH" --import=- --host=there <twice
same "size and time" "99999|-7" "$(sql "SELECT size, mtime_ns FROM file WHERE size = 99999")"
# A search finds the same for both hosts.
runs 0 "$SIMHASH" --import=list --host=there
"$SIMFIND" -q --format=csv --between "$(uname -n):" "$(uname -n):" -o here.csv 2>/dev/null || true
"$SIMFIND" --summary=none --between there: "$(uname -n):" --format=csv | grep -c '^identical' >identical
[ "$(cat identical)" -ge "$((total - 10))" ] || fail "only $(cat identical) files are identical there"

echo "In part"
runs 0 "$SIMHASH" --export=part "$files/sub" "$files/numbers.txt"
inside=$(sql "SELECT COUNT(*) FROM file WHERE compressed_size > 0 AND host <> $there")
said "$((inside + 3)) files exported"
grep -v members part >some
same "paths" "numbers.txt packed.gz packed.gz//packed" "$(sed '1,19d; $d' some | sed 's/ [^ ]*$//; s|.*files/\(sub/\)*||' | LC_ALL=C sort | paste -sd' ')"
runs 0 "$SIMHASH" --export=part --host=there "$files/sub/packed.gz"
said "2 files exported"
runs 1 "$SIMHASH" --export --host=nobody
said "the index has no files of host 'nobody'"
[ ! -s out ] || fail "a list of nobody"
# A path without files in the index is an error, and the existing list is not changed.
printf 'before\n' >kept
mkdir "$files/new"
for path in "$files/sub/typo" "$files/new" /no/such/thing "$files/numbers"; do
	runs 1 "$SIMHASH" --export=kept "$files/sub" "$path"
	[ -e "$path" ] && next="; index it first: simhash $path" || next=", which cannot be read: No such file or directory"
	said "the index has no files at or below $path$next"
	same "a list of nothing" before "$(cat kept)"
done
runs 1 "$SIMHASH" --export --host=there /no/such/thing
said "the index has no files of host 'there' at or below /no/such/thing"
[ ! -s out ] || fail "a list of what there is not"
mkdir "$files/emptied"
seq 10 >"$files/emptied/only"
runs 0 "$SIMHASH" "$files/emptied"
rm "$files/emptied/only"
runs 0 "$SIMHASH" "$files/emptied"
runs 1 "$SIMHASH" --export=kept "$files/emptied"
said "the index has no files at or below $files/emptied; index it first"
same "a list of an empty directory" before "$(cat kept)"
rmdir "$files/new" "$files/emptied"
ln -s files/sub sub
runs 0 "$SIMHASH" --export=part sub/
said "$((inside + 2)) files exported"
rm sub
# An empty index gives a list without files.
mkdir "$TEST_FOLDER/nothing"
"$SIMHASH" -q -d sqlite:nothing.db "$TEST_FOLDER/nothing"
runs 0 "$SIMHASH" -d sqlite:nothing.db --export=empty
said "0 files exported"
same "lines of a list without files" 20 "$(wc -l <empty)"
runs 0 "$SIMHASH" --import=empty --host=empty
said "0 files imported"
older 1 list | grep -v '^[0-9]* [0-9]* [0-9a-f]\{32\}' >heading
printf 'before\n' >kept
(ulimit -f 1 && trap '' XFSZ && "$SIMHASH" --export=kept) 2>err && fail "a list that is cut off"
same "a list that could not be written" before "$(cat kept)"

echo "Anonymously"
runs 0 "$SIMHASH" --export=anonymous --anonymous
! grep -q "$files\|numbers" anonymous || fail "a path is in the list"
same "times" "$total" "$(sed 1,19d anonymous | grep -cE '^[0-9]+ - ')"
runs 0 "$SIMHASH" --import=anonymous --host=someone
said "$total files imported"
"$SIMHASH" -q --export --anonymous --host=someone | cut -d' ' -f1-6,8 | LC_ALL=C sort >again
cut -d' ' -f1-6,8 anonymous | LC_ALL=C sort | cmp - again || fail "another list of anonymous files"
"$SIMFIND" --summary=none --format=csv --between someone: "$(uname -n):" | grep -a '^identical' | tr -d '\r' >pairs
grep -q ':/~/[0-9a-f]\{32\}\.txt' pairs || fail "no file represents numbers.txt: $(head -3 pairs)"

echo "One file"
"$SIMHASH" --print --format=digest "$files/numbers.txt" >printed
same "the end of one file" "end 1" "$(tail -n 1 printed)"
older 1 printed >one
grep -qF -- "$(sed '1,19d; $d' printed)" list || fail "another line than in the list: $(tail -n 1 one)"
head -n 19 one | cmp - heading || fail "another heading"
runs 0 "$SIMHASH" --import=- --host=one <one
"$SIMHASH" --print --format=digest - <"$files/numbers.txt" | tail -n 2 | has ' - ~[0-9a-f]\{32\} [^ ]*$' ||
	fail "standard input has a path"

echo "Lists with other hashes"
"$SIMHASH" --print --format=digest --hash=md5 --hash=sha256 "$files/numbers.txt" >printed
runs 0 "$SIMHASH" --import=printed --host=hashed
older 2 printed >hashed
same "the end of the line" "$(md5sum <"$files/numbers.txt" | cut -c1-32) $(sha256sum <"$files/numbers.txt" | cut -c1-64)" \
	"$(tail -n 1 hashed | cut -d' ' -f8-)"
runs 0 "$SIMHASH" --import=hashed --host=hashed
# unlike SED EXPECTED: a list with this change is refused
unlike() {
	sed -E "$1" hashed >wrong
	runs 1 "$SIMHASH" --import=wrong --host=wrong
	said "wrong:$2"
}
unlike '1s/2/1/' "19:1: expected a tag"
unlike '19d' '19:1: expected a line "hashes ..." before this one'
unlike '19s/md5 sha256/sha256 md5/' "19:14: expected a blank and md5, sha1 or sha256, in this order"
unlike '19s/sha256/sha512/' "19:11: expected a blank and md5, sha1 or sha256, in this order"
unlike '19s/ md5.*/ /' "19:7: expected a blank and md5"
unlike '19p' '20:1: expected a line "files" before this one'
unlike '$s/ [0-9a-f]*$//' "21:$(($(tail -n 1 hashed | wc -c) - 65)): expected a blank"
unlike '$s/.$//' "21:$(($(tail -n 1 hashed | wc -c) - 1)): expected 64 hexadecimal digits in lower case"
unlike '$s/.$/G/' "21:$(($(tail -n 1 hashed | wc -c) - 1)): expected 64 hexadecimal digits in lower case"
unlike '$s/$/ -/' "21:$(tail -n 1 hashed | wc -c): expected the end of the line"
sed 's/^simhash-digests 2/simhash-digests 6/' hashed >wrong
runs 1 "$SIMHASH" --import=wrong --host=wrong
said 'wrong is not a digest list: its first line is not "simhash-digests 5", or 4, 3, 2 or 1 in the place of 5'

echo "Lists that are cut off"
# cut_off NAME TEXT: standard input is refused with a message by every option that reads lists
cut_off() {
	cat >"$1"
	runs 1 "$SIMHASH" --import="$1" --host=cut
	said "simhash: $1$2"
	runs 1 "$SIMFIND" --against="$1"
	said "simfind: $1$2"
	[ ! -s out ] || fail "$1 is cut off, and something is found"
	runs 1 "$SIMFIND" --known="$1"
	said "simfind: $1$2"
	[ ! -s out ] || fail "$1 is cut off, and something is left out"
}
size=$(wc -c <list)
head -n 100 list | cut_off "between lines" " is cut off after 81 files: its last line, which counts them, is missing"
head -n 19 list | cut_off "after the heading" " is cut off after 0 files"
head -c $((size - 3)) list | cut_off "in the end" ":$((total + 20)):"
head -c $((size / 2)) list | cut_off "in a line" ":"
sed 50d list | cut_off "without a line" " has $((total - 1)) files, and its last line counts $total"
sed 50p list | cut_off "with a line twice" " has $((total + 1)) files, and its last line counts $total"
cat list list | cut_off "twice over" ":$((total + 21)):1: expected nothing after the last line"
older 1 list | first 19 | cut_off "an older heading" " has no file after its heading"
runs 1 "$SIMHASH" --import="between lines" --host=cut
said "81 files imported"
# Each of these lists ends where it was truncated.
size=$(wc -c <list.gz)
for cut in 1 4 8 9 $((size / 2)) $((size - 11)); do
	head -c $((size - cut)) list.gz | cut_off cut.gz " is cut off: its compressed data ends early"
done
{ cat list.gz && printf '\x1f'; } | cut_off more.gz " is damaged: other bytes follow the compressed data"
older 1 list | sed 1,19d | gzip >second.gz
{ gzip <heading && head -c 900 second.gz; } | cut_off member.gz " is cut off: its compressed data ends early"
{ gzip <heading && cat second.gz && head -c 100 /dev/zero; } >members.gz
runs 0 "$SIMHASH" --import=members.gz --host=members
said "$total files imported"
if built_with archives; then
	for by in xz zstd bzip2 lz4; do
		$by -c list >whole || fail "$by is missing"
		for cut in 1 5 100; do
			head -c -$cut whole | cut_off "cut.$by" " is damaged"
		done
		# From a pipe and from a file.
		runs 0 "$SIMHASH" --import=- --host=by < <(cat whole)
		said "$total files imported"
	done
fi

echo "Lists of others"
line=$(older 1 list | grep '/numbers.txt$')
# refused LINE COLUMN EXPECTED: refuse the heading with the last line from standard input
refused() {
	cat heading - >hostile
	runs 1 "$SIMHASH" --import=hostile --host=evil
	said "hostile:$1:$2: expected $3"
}
field() { # NUMBER TEXT
	awk -v number="$1" -v text="$2" '{ $number = text; print }' <<<"$line"
}
column() { # of the field NUMBER
	echo $(($(cut -d' ' -f1-$(($1 - 1)) <<<"$line" | wc -c) + 1))
}
field 1 x | refused 20 1 "a number"
field 1 9223372036854775808 | refused 20 1 "a smaller number"
field 1 -5 | refused 20 1 "a number"
field 1 007 | refused 20 1 "a smaller number, without zeros before it"
field 2 99999999999999999999 | refused 20 "$(column 2)" "a smaller number"
field 3 "$(printf 'F%.0s' $(seq 32))" | refused 20 "$(column 3)" "32 hexadecimal digits"
field 4 1,2,3 | refused 20 "$(($(column 4) + 5))" "16 counts"
field 4 99999999,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 | refused 20 "$(column 4)" "a smaller number"
awk '{ $1 = 3; $4 = "4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"; print }' <<<"$line" >three
refused 20 "$(awk '{ print length($1 $2 $3) + 4 }' three)" "a smaller number" <three
field 5 short | refused 20 "$(column 5)" "a sketch of 171 or 192 characters"
field 5 "-$(printf 'A%.0s' $(seq 170))" | refused 20 "$(column 5)" "a character of base64"
field 5 "$(printf '/%.0s' $(seq 171))" | refused 20 "$(($(column 5) + 170))" "a character of base64"
# In lists of this version, a sketch of 192 characters belongs to a text.
awk -v a="$(printf 'A%.0s' $(seq 192))" 'NR == 20 { $5 = a } { print }' list >hostile
runs 1 "$SIMHASH" --import=hostile --host=evil
said "hostile:20:$(awk 'NR == 20 { print length($1 $2 $3 $4) + 5 }' list): expected a sketch of a text with its size"
field 6 html | refused 20 "$(($(wc -c <<<"$line") + 1))" "the extension of the path"
field 6 //x | refused 20 "$(($(column 6) + 3))" "the size of a document in bytes"
field 6 "//$(printf '9%.0s' $(seq 19))" | refused 20 "$(($(column 6) + 21))" "the size of a document in bytes"
field 7 relative.txt | refused 20 "$(column 7)" "a path that begins with /"
field 7 /a/%00.txt | refused 20 "$(($(column 7) + 3))" "% and two hexadecimal digits that are not 00"
field 7 /a/%4 | refused 20 "$(($(column 7) + 3))" "% and two hexadecimal digits"
field 7 /a/ | refused 20 "$(($(column 7) + 3))" "a path of a file"
field 7 "/a/$(printf 'x%.0s' $(seq 1100)).txt" | refused 20 "$(($(column 7) + 1107))" "a name of at most"
sed 's/$/ more/' <<<"$line" | refused 20 "$(wc -c <<<"$line")" "the end of the line"
printf '%s\n\033[31m\n' "$line" | refused 21 1 "a number"
said "1 files imported"
# The pieces are the last field of a line of this version.
pieces=$(grep '/numbers.txt ' list | cut -d' ' -f8)
column=$(($(grep '/numbers.txt ' list | cut -d' ' -f1-7 | wc -c) + 1))
for wrong in "" "x" "1" "${pieces%?}" "${pieces}A" "////" "DAA" "$pieces="; do
	{ cat heading && grep '/numbers.txt ' list | awk -v text="$wrong" '{ $8 = text; print }'; } | sed '1s/1$/5/' >hostile
	runs 1 "$SIMHASH" --import=hostile --host=evil
	grep -qE "^simhash: hostile:20:($column|[0-9]+): expected (pieces|a character of base64|a blank)" err ||
		fail "pieces $wrong: $(cat err)"
done
printf '%s' "$line" | refused 20 "$(wc -c <<<"$line")" "a line that ends"
head -c 3000000 /dev/zero | refused 20 1 "a line of at most"
same "rows of refused lists" 1 "$(sql "SELECT COUNT(*) FROM file WHERE host = (SELECT id FROM host WHERE name = 'evil')")"
for odd in /dev/null "$files/numbers.txt" "$files/sub"; do
	runs 1 "$SIMHASH" --import="$odd" --host=evil
done
runs 1 "$SIMHASH" --import=/dev/null --host=evil
said "/dev/null is not a digest list"
head -n 10 heading >short
runs 1 "$SIMHASH" --import=short --host=evil
said 'short ends before the line "files"'
sed '3s/^/zz/' heading >short
runs 1 "$SIMHASH" --import=short --host=evil
said "short:3:1: expected a tag of two hexadecimal digits"
sed '4s/$/01/' heading >short
runs 1 "$SIMHASH" --import=short --host=evil
said "short:4:9: expected a weight with at most three decimal places, found '4.0301'"
head -c 500 list.gz >cut.gz
runs 1 "$SIMHASH" --import=cut.gz --host=evil
said "cut.gz"
runs 1 "$SIMHASH" --import=missing --host=evil
said "cannot open missing: No such file or directory"
runs 1 "$SIMHASH" --import=list
said "--import needs --host"
runs 1 "$SIMHASH" --import=list --host="$(uname -n)"
said "--import needs a --host other than this one"
runs 1 "$SIMHASH" --status --format=digest
said "--format=digest cannot be combined with --status"
runs 1 "$SIMHASH" --format=digest "$files"
said "--format needs --status or --print"
