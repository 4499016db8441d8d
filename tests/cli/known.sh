#!/usr/bin/env bash
# Tests lists of known files, with each hash and in each format: every file with a listed content is
# left out, and no other file, in every kind of list. Lists that are damaged or empty are refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_tree --files=70 --sizes=300-6000 "$files"
mkdir "$files/again"
find "$files" -type f -size +1k | LC_ALL=C sort | first 24 | while IFS= read -r path; do
	cp "$path" "$files/again/copy ${path##*/}"
	{ cat "$path"; echo tail; } >"$files/again/longer ${path##*/}"
done
settle "$files"
runs 0 "$SIMHASH" -q --hash=md5 --hash=sha1 --hash=sha256 "$files"
# Every third file, which includes its copies.
find "$files" -type f | LC_ALL=C sort | awk 'NR % 3 == 0' >known
while IFS= read -r path; do sha256sum "$path"; done <known >sums
cut -c1-64 sums | LC_ALL=C sort -u >hashes
find "$files" -type f -exec sha256sum {} + | grep -Ff hashes | cut -c67- | LC_ALL=C sort >left_out
[ "$(wc -l <left_out)" -gt "$(wc -l <known)" ] || fail "no known file has a copy that is not listed"

# The lines of a list that name no left-out file, found by brute force.
without() {
	grep -vFf <(sed 's/$/,/; p; s/,$/\r/' left_out) || true
}

echo "Every form"
"$SIMFIND" --summary=none --group=none --format=csv | without >expected
[ "$(wc -l <expected)" -gt 15 ] || fail "only $(wc -l <expected) pairs: too few for a test"
while IFS= read -r path; do
	printf '"%s","%s","00000000","%s",%s,1,"WIN",""\r\n' "$(sha1sum "$path" | cut -c1-40 | tr a-f A-F)" \
		"$(md5sum "$path" | cut -c1-32 | tr a-f A-F)" 'a ""name"", of two' "$(stat -c %s "$path")"
done <known >nsrl.rows
{ printf '"SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"\r\n' && cat nsrl.rows; } >nsrl
{
	printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,md5,sha256,filename\n## Invoked from: /\n## \n'
	while IFS= read -r path; do
		echo "$(stat -c %s "$path"),$(md5sum "$path" | cut -c1-32),$(sha256sum "$path" | cut -c1-64),$path, and more"
	done <known
} >hashdeep
while IFS= read -r path; do md5sum --tag "$path"; done <known >tagged
while IFS= read -r path; do sha1sum -b "$path" | sed 's/^/\\/'; done <known >binary
cut -c1-64 sums | head -c -1 >bare
tr '\n' '\0' <known | xargs -0 "$SIMHASH" --print --format=digest >digests
sed '1,19d; $d' digests | awk '{ print $3 "  name" }' >xxh128
gzip -c sums >sums.gz
# As the NSRL publishes it today: complete, with FILE as a view; and minimal, with FILE as a table.
python3 - <<'SCRIPT'
import csv, sqlite3
rows = [(r["SHA-1"], r["MD5"], r["FileName"]) for r in csv.DictReader(open("nsrl", newline=""))]
hashes = [line[:64].upper() for line in open("sums")]
for name, table in (("whole.db", "METADATA"), ("minimal.db", "FILE")):
    with sqlite3.connect(name) as database:
        database.execute("CREATE TABLE %s (sha256 VARCHAR NOT NULL, sha1 VARCHAR, md5 VARCHAR, file_name VARCHAR)" % table)
        database.executemany("INSERT INTO %s VALUES (?, ?, ?, ?)" % table, [(h, *r) for h, r in zip(hashes, rows)])
        if table == "METADATA":
            database.execute("CREATE VIEW FILE AS SELECT UPPER(sha256) AS sha256 FROM METADATA")
with sqlite3.connect("forged.db") as database:
    database.execute("CREATE TABLE other (sha256)")
    database.execute("CREATE VIEW FILE AS SELECT hex(randomblob(32)) AS sha256 FROM other")
with sqlite3.connect("none.db") as database:
    database.execute("CREATE TABLE FILE (sha256, md5)")
with sqlite3.connect("wrong.db") as database:
    database.execute("CREATE TABLE FILE (sha256, md5)")
    database.execute("INSERT INTO FILE VALUES ('12', NULL)")
SCRIPT
for list in whole.db minimal.db sums nsrl hashdeep tagged binary bare digests sums.gz; do
	runs 0 "$SIMFIND" --known="$list" --group=none --format=csv
	cmp out expected || fail "$list: $(diff out expected | head -4)"
	said "note: files of"
done
runs 0 "$SIMFIND" --summary=none --known=xxh128:xxh128 --group=none --format=csv
cmp out expected || fail "xxh128: $(diff out expected | head -4)"
split -n l/2 sums half
"$SIMFIND" --summary=none --known=halfaa --known=- --group=none --format=csv <halfab | cmp - expected || fail "two lists"
"$SIMFIND" --known=- --group=none --format=csv </dev/null >nothing 2>err
said "simfind: -: the list is empty"
"$SIMFIND" --summary=none --group=none --format=csv | cmp - nothing || fail "a list of nothing leaves out something"

echo "Everywhere"
is_without() { # WHAT COMMAND...
	runs 0 "${@:2}"
	[ -s out ] || fail "$1: nothing is listed"
	! grep -Ff left_out out || fail "$1 lists a known file"
}
is_without "the list" "$SIMFIND" --summary=none --known=sums --format=null
is_without "groups" "$SIMFIND" --summary=none --known=sums --group --format=json
is_without "versions" "$SIMFIND" --summary=none --known=sums --min-resemblance=0.7
is_without "small parts" "$SIMFIND" --summary=none --known=sums --partition=7/8
is_without "directories" "$SIMFIND" --summary=none --known=sums --directories "$files/again" "$files"/[!a]*/
runs 0 "$SIMHASH" -q --export=list
is_without "a list of digests" "$SIMFIND" --summary=none --known=sums --against=list
# A requested file is searched for, known or not.
asked=$(head -n 1 left_out)
runs 0 "$SIMFIND" --summary=none --known=sums --nearest=5 "$asked"
same "lines of the nearest" 5 "$(wc -l <out)"
same "other known files" 0 "$(grep -vxF "$asked" left_out | grep -cFf - out || true)"

echo "Refused lists"
refused() { # TEXT [FORMAT]: refuse the list on standard input
	cat >hostile
	runs 1 "$SIMFIND" --known="${2:+$2:}hostile"
	said "simfind: $1"
}
printf '%s  a\n%s  b\n' "$(head -c 64 hashes)" 12345 | refused "hostile:2:1: expected an MD5, SHA-1 or SHA-256 hash of 32, 40 or 64 digits"
printf '%sx\n' "$(head -c 64 hashes)" | refused "hostile:1:65: expected a blank and a name, or the end of the line"
printf 'SHA256 (a) = %sz\n' "$(head -c 63 hashes)" | refused "hostile:1:14: expected 64 hexadecimal digits"
printf '"MD5","x"\n"00","y"\n' | refused "hostile:2:2: expected 32 hexadecimal digits"
printf '"x","MD5"\n"y\n' | refused "hostile:2:3: expected a quote that ends the field"
printf 'x,md5\ny\n' | refused "hostile:2:2: expected as many fields as columns"
printf '%%%%%%%% HASHDEEP-1.0\n' | refused "hostile:1:1: expected a line with the names of columns after it"
printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,name\n' | refused "hostile:2:1: expected the names of columns, MD5, SHA-1 or SHA-256 among them"
refused "hostile:1:1: expected the names of columns" nsrl <sums
refused "hostile:1:1: expected 32 hexadecimal digits" xxh128 <sums
sed '19,$s/ / x/' digests | refused "hostile:20:"
sed '$s/ / x/' digests | refused "hostile:$(wc -l <digests):"
head -c 3000000 /dev/zero | refused "hostile:1:1: expected a line of at most 1,048,576 bytes"
printf '\n# a comment\r\n' | refused "hostile has no hash, so it would leave out nothing"
head -n 1 nsrl | refused "hostile has no hash"
head -n 4 hashdeep | refused "hostile has no hash"
{ head -n 19 digests && echo "end 0"; } | refused "hostile has no hash"
printf '\xef\xbb\xbf\n' | refused "hostile has no hash"

echo "Lists that are cut off"
size=$(wc -c <sums.gz)
for cut in 1 5 9 $((size / 2)); do
	head -c -"$cut" sums.gz | refused "hostile is cut off: its compressed data ends early"
done
head -c -4096 minimal.db >cut.db
for list in "forged.db forged.db is an SQLite file without hashes of known files; expected a table METADATA or FILE" \
	"none.db none.db has no hash" "wrong.db wrong.db: row 1: expected 64 hexadecimal digits" \
	"cut.db cannot read cut.db as an SQLite file"; do
	runs 1 "$SIMFIND" --known="${list%% *}"
	said "simfind: ${list#* }"
done
gzip <minimal.db | refused "hostile is an SQLite file"
head -n 10 nsrl | head -c -60 | refused "hostile:10:"
head -n -1 digests | refused "hostile is cut off after"
# For a list without an end mark, there is only a warning.
head -c -1 sums >open
runs 0 "$SIMFIND" --known=open
said "simfind: open: the last line has no end: the list may have been cut off"
sed -E '1s/5$/1/; $d; s/^(([^ ]+ ){4}[^ ]{171})[^ ]*(.*) [^ ]*$/\1\3/' digests >old
runs 0 "$SIMFIND" --known=old --group=none --format=csv
cmp out expected || fail "an older list: $(diff out expected | head -4)"
said "simfind: old: an older simhash wrote this list, without an end mark: it may have been cut off"
runs 0 "$SIMFIND" --known=sums
! grep -q 'cut off' err || fail "a list of whole lines may have been cut off"
runs 1 "$SIMFIND" --known=missing
said "cannot open missing: No such file or directory"
# If a name begins like a format, it is written with its directory.
cp sums nsrl:sums
runs 1 "$SIMFIND" --known=nsrl:sums
said "sums:1:1: expected the names of columns"
runs 0 "$SIMFIND" --summary=none --known=./nsrl:sums --group=none --format=csv
cmp out expected || fail "./nsrl:sums: $(diff out expected | head -4)"
runs 0 "$SIMFIND" --summary=none --known=sums:./nsrl:sums --group=none --format=csv
cmp out expected || fail "sums:./nsrl:sums: $(diff out expected | head -4)"
runs 0 "$SIMFIND" --summary=none --known=auto:sums --group=none --format=csv
cmp out expected || fail "auto:sums: $(diff out expected | head -4)"
runs 1 "$SIMFIND" --known=xxh129:sums
said "cannot open xxh129:sums: No such file"
runs 1 "$SIMFIND" --known=sums:sums -o sums
said "cannot write to sums: it is a list of --known"
runs 0 "$SIMHASH" -q --forget --measure=md5
runs 1 "$SIMFIND" --known=tagged
said "tagged has md5 hashes, but the index has no md5 hashes; run simhash --hash=md5 first"
# By the hash that the index still has.
"$SIMFIND" --summary=none --known=nsrl --group=none --format=csv | cmp - expected || fail "SHA-1 alone"
