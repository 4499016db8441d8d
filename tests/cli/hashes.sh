#!/usr/bin/env bash
# Tests MD5, SHA-1 and SHA-256 of every file, of content in compressed files, and of a file that
# several threads read. They must equal the hashes of the system's programs. They stay while files
# are unchanged, are computed again after changes, and are copied and removed with the rows.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

"$SIMHASH" --version | has '^hashes: xxh128, md5, sha1, sha256 (nettle [0-9.]*)$' || fail "built without Nettle"
make_tree --files=40 --sizes=1-9000 "$files"
: >"$files/empty"
ln "$files/empty" "$files/empty too"
random_bytes 17000000 7 >"$files/large"
printf 'one\n' >"$files/"$'odd \\ \n name'
seq 3000 | gzip >"$files/packed.gz"
settle "$files"

# Each line has a hash in hexadecimal and a path, as in sha256sum --zero.
found() { # HASH
	sql "SELECT CONCAT(value, ' ', lower(hex(path))) FROM sketched_file WHERE measure = '$1' AND path NOT LIKE '%//%'" |
		LC_ALL=C sort
}
[ "$TEST_ENGINE" != sqlite ] || found() {
	sql "SELECT value || ' ' || lower(hex(path)) FROM sketched_file WHERE measure = '$1' AND path NOT LIKE '%//%'" |
		LC_ALL=C sort
}
expected() { # HASH
	find "$files" -type f -exec "$1sum" --zero {} + | python3 -c '
import sys
for line in sys.stdin.buffer.read().split(b"\0")[:-1]:
    print(line[:line.index(b" ")].decode(), line[line.index(b" ") + 2:].hex())' | LC_ALL=C sort
}
equal() { # HASH
	expected "$1" >sums
	found "$1" >rows
	cmp sums rows || fail "$1: $(diff sums rows | head -4)"
}

runs 0 "$SIMHASH" -z --hash=sha256 -j 3 "$files"
equal sha256
total=$(sql 'SELECT COUNT(*) FROM file')
same "the content of a gzip file" "$(seq 3000 | sha256sum | cut -d' ' -f1)" \
	"$(sql "SELECT value FROM sketched_file WHERE measure = 'sha256' AND path LIKE '%packed.gz//packed'")"
runs 0 "$SIMHASH" -z --hash=sha256 "$files"
summary 0 $total 0 0
# Another hash is computed for all files in one pass, together with the hashes that are kept up to
# date.
runs 0 "$SIMHASH" -z --hash=sha256 --hash=md5 --hash=sha1 --measure=simhash64 "$files"
summary $total 0 0 0
for hash in md5 sha1 sha256; do
	equal $hash
done
runs 0 "$SIMHASH" --status
grep -qE "^sha1 +$total *$" out || fail "--status: $(cat out)"

# A changed file has no hash until it is requested again, and then only this file is read.
printf 'two\n' >"$files/empty"
runs 0 "$SIMHASH" -z "$files"
same "hashes without the two that changed" $((total - 2)) "$(sql "SELECT COUNT(*) FROM sketched_file WHERE measure = 'md5'")"
runs 0 "$SIMHASH" -z --hash=md5 "$files"
summary 2 $((total - 2)) 0 0
equal md5

# The first bytes are the cluster, which has an index.
prefix=$(printf 'two\n' | md5sum | cut -c1-16)
number=$(python3 -c "import sys; n = int(sys.argv[1], 16); print(n - (n >> 63 << 64))" "$prefix")
same "files by the cluster" 2 "$(sql "SELECT COUNT(*) FROM sketched_file WHERE measure = 'md5' AND cluster = $number")"

# Digest lists contain the hashes if the index has any, and the importing index knows them by the
# state of each file.
runs 0 "$SIMHASH" --export=list
same "hashes in the list" "hashes md5 sha1 sha256" "$(sed -n 19p list)"
same "hashes in the list" "$(sed '1,20d; $d' list | cut -d' ' -f9,10 | LC_ALL=C sort | grep -v -- - | wc -l)" $((total - 2))
same "hashes that are not known" "- - 2" "$(sed '1,20d; $d' list | cut -d' ' -f9,10 | grep -- - | sort | uniq -c | awk '{ print $2, $3, $1 }')"
runs 0 "$SIMHASH" --import=list --host=elsewhere
"$SIMHASH" -q --export --host=elsewhere | cmp - list || fail "another list after an import"
same "hashes of two hosts" $((2 * total)) "$(sql "SELECT COUNT(*) FROM sketched_file WHERE measure = 'md5'")"
printf 'two\n' | md5sum >known
runs 0 "$SIMFIND" --known=known --format=csv --between elsewhere: elsewhere:
! grep 'empty' out || fail "a file that is known elsewhere is listed"
runs 0 "$SIMHASH" -q --forget --host=elsewhere /

runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
same "hashes of a copy" "$(sql "SELECT COUNT(*) FROM sketched_file")" "$(sqlite3 copy.db 'SELECT COUNT(*) FROM sketched_file')"
runs 0 "$SIMHASH" --forget --measure=md5
same "removed hashes" 0 "$(sql "SELECT COUNT(*) FROM sketched_file WHERE measure = 'md5'")"
runs 1 "$SIMHASH" --hash=sha512 "$files"
said "--hash 'sha512': expected md5, sha1 or sha256"
runs 1 "$SIMHASH" --hash=md5 --status
said "--status cannot be combined with --hash"
