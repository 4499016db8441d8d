#!/usr/bin/env bash
# Tests the content of gzip files, which is indexed in addition to the files themselves.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

rows() {
	sql "SELECT path, size, compressed_size FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort
}

# Archives have their own test.
z=(-z)
! built_with archives || z=(--decompress=zip)

seq 20000 >"$files/a.txt"
gzip -k "$files/a.txt"
tar -C "$files" -czf "$files/x.tgz" a.txt
sed '1000s/.*/-----/' "$files/a.txt" | gzip >"$files/B.TXT.GZ"
seq 300 | gzip >"$files/README.gz"
{ seq 5000 | gzip; seq 5000 | gzip; } >"$files/two.txt.gz"
: | gzip >"$files/empty.txt.gz"
seq 10 | gzip >"$files/.gz"
packed=$(stat -c %s "$files/a.txt.gz")

# Without the option, a gzip file is only a file.
runs 0 "$SIMHASH" "$files"
same "rows without -z" 8 "$(rows | wc -l)"
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" "${z[@]}" "$files"
summary 6 8 0 0
same "rows of a.txt.gz" "a.txt.gz//a.txt|$(stat -c %s "$files/a.txt")|$packed
a.txt.gz|$packed|0" "$(rows | grep '^a.txt.gz')"
for name in 'x.tgz//x.tar' 'B.TXT.GZ//B.TXT' 'README.gz//README' 'empty.txt.gz//empty.txt'; do
	rows | has "^$name|" || fail "no row of $name: $(rows)"
done
same "two members" "$(seq 5000 | wc -c)" "$(($(rows | sed -n 's/^two.*txt|\([0-9]*\)|.*/\1/p') / 2))"
same "extensions" "gz txt" "$(sql "SELECT DISTINCT extension FROM file_text
	WHERE name LIKE 'a.txt.gz%' OR name LIKE 'B%'" | LC_ALL=C sort | paste -sd ' ')"
# The counts are the counts of zcat's output.
zcat "$files/two.txt.gz" >two.txt
"$SIMHASH" --print two.txt | grep -v ^file >expected
"$SIMHASH" --print -z "$files/two.txt.gz" | sed '1,/^$/d' | grep -v ^file >found
cmp expected found || fail "--print -z differs from zcat: $(diff expected found)"
same "uniform" "$(awk '$1 == "uniform" { print $2 }' expected)" \
	"$(sql "SELECT uniform FROM file_text WHERE path LIKE '%//two.txt'")"

# A second run knows both the file and its content. A run without the option keeps both, and reads
# changed files again.
runs 0 "$SIMHASH" "${z[@]}" "$files"
summary 0 14 0 0
runs 0 "$SIMHASH" "$files"
summary 0 8 0 0
seq 400 | gzip >"$files/README.gz"
touch -d '2020-01-02' "$files/README.gz"
runs 0 "$SIMHASH" "$files"
summary 2 7 0 0
same "changed content" "$(seq 400 | wc -c)" "$(rows | sed -n 's,^README.gz//README.\([0-9]*\)|.*,\1,p')"
runs 0 "$SIMHASH" "${z[@]}" "$files"
summary 0 14 0 0

# Pairs with the original file and with a changed one, which are read if requested.
runs 0 "$SIMFIND" --verify=all --format=csv
grep -q "^identical,0,.*,$files/a.txt,$files/a.txt.gz//a.txt" out || fail "no identical pair: $(cat out)"
grep "B.TXT" out | has '^similar.*,confirmed,' || fail "no similar pair"
# A requested file is inflated.
sed '2000s/.*/xxx/' "$files/a.txt" | gzip >asked.txt.gz
runs 0 "$SIMFIND" -z asked.txt.gz
# The archive is not a text, so its line ends are not blanks. The first 5,000 lines are also in a
# smaller file.
same "pairs of asked.txt.gz" "B.TXT.GZ//B.TXT
a.txt
a.txt.gz//a.txt
two.txt.gz//two.txt" "$(grep -F 'asked.txt.gz//asked.txt' out | grep -oE 'files/.*(txt|TXT|tar)$' | cut -d/ -f2- | LC_ALL=C sort)"
runs 0 "$SIMFIND" asked.txt.gz
same "pairs of the gzip file itself" 0 "$(grep -c //asked out || true)"

# Broken files are separate errors, and bombs are stopped.
seq 1000 >"$files/plain.gz"
head -c 3000 "$files/a.txt.gz" >"$files/cut.gz"
cp "$files/a.txt.gz" "$files/wrong.gz"
printf 'XXXX' | dd of="$files/wrong.gz" bs=1 seek=5000 conv=notrunc status=none
: >"$files/nothing.gz"
head -c 3000000 /dev/zero | gzip >"$files/bomb.gz"
runs 2 "$SIMHASH" "${z[@]}" --limits=inflated=2M "$files"
said "simhash: $files/plain.gz: Not in gzip format"
said "simhash: $files/nothing.gz: Not in gzip format"
said "simhash: $files/cut.gz: Damaged gzip file"
said "simhash: $files/wrong.gz: Damaged gzip file"
said "simhash: $files/bomb.gz: Inflates to more than --limits=inflated=SIZE allows"
runs 2 "$SIMHASH" "${z[@]}" --limits=total=2M "$files"
said "simhash: $files/bomb.gz: Not inflated to its end, because the run has reached --limits=total=SIZE"
said "2 failed"
said "3 parts of archives left out, as reported above"
same "the files themselves" 5 "$(rows | grep -cE '^(plain|nothing|cut|wrong|bomb)\.gz\|')"
same "their content" 0 "$(rows | grep -cE '^(plain|nothing|cut|wrong|bomb)\.gz//' || true)"
runs 2 "$SIMFIND" -z --limits=inflated=2M "$files/bomb.gz"
said "bomb.gz: Inflates to more than --limits=inflated=SIZE allows"
runs 2 "$SIMHASH" "${z[@]}" "$files"
said "2 failed"
same "a bomb that is allowed" 1 "$(rows | grep -c '^bomb.gz//bomb|3000000|')"

# A gzip file that cannot be read is one failure, although its content is also read. valgrind runs the
# program of the build, which another user may not be allowed to read.
if [ -z "${MEMCHECK:-}" ]; then
	mkdir closed
	cp "$files/a.txt.gz" closed
	copy_for_user "$SIMHASH"
	chmod 000 closed/a.txt.gz
	chmod 777 closed
	runs 2 as_user "$TEST_FOLDER/bin/simhash" -z -d "sqlite:$PWD/closed/index.db" closed
	same "what is said of a file that cannot be read" "simhash: $PWD/closed/a.txt.gz: Permission denied" \
		"$(grep '^simhash: ' err)"
	said "1 failed"
fi

# The content is removed with the file.
rm "$files"/*.gz "$files"/*.GZ "$files/.gz" "$files/x.tgz"
runs 0 "$SIMHASH" "$files"
same "rows left" "a.txt|$(stat -c %s "$files/a.txt")|0" "$(rows)"
