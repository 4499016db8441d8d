#!/usr/bin/env bash
# Tests that documents are compared by their texts: versions are found although an editor wrote all
# their markup again, and documents of one template are not.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make() {
	python3 "$SOURCE_DIR/tests/cli/documents.py" "$@"
}
rows() {
	sql "SELECT path FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort
}
texts() {
	rows | grep '//text$' || true
}
# 3 kB of text that depends on a number
make_text() {
	seq "$1"00000 "$1"00400
}
# The pairs that simfind lists with these options, without labels and sizes.
pairs() {
	runs 0 "$SIMFIND" --format=csv --group=none "$@"
	make pairs "$files" "$plain" <out | LC_ALL=C sort
}

# A file from another editor has the same text, next versions have nearly the same text, and
# unrelated documents do not. Pairs have the paths of the documents, and a line each.
make versions "$files"
settle "$files"
runs 0 "$SIMHASH" "$files"
summary 400 0 0 0
same "rows of texts" 300 "$(rows | grep -c //)"
runs 0 "$SIMFIND"
read -r again next strangers < <(make found "$files" <out)
same "the same text by two editors and as a file" 100 "$again"
[ "$next" -ge 95 ] || fail "only $next of 100 next versions are found"
same "strangers" 0 "$strangers"
same "members in the list" '' "$(grep // out || true)"
same "pairs that are listed twice" '' "$(sed 's/^[^ ]* *//' out | sort | uniq -d)"
same "identical" 0 "$(grep -c '^identical' out || true)"

# The next run reads nothing.
runs 0 "$SIMHASH" "$files"
summary 0 400 0 0

# A list is the same as of plain files with these texts, whose bytes are read without any of this
# code. Copies of some documents are identical. So is the list of pairs if each file is requested, and on
# one partition after the other.
mkdir "$files/copies"
for i in 1 12 33 47; do
	cp "$files/one/$i".* "$files/copies/"
done
plain="$TEST_FOLDER/plain"
make texts "$plain"
cp -r "$files/copies" "$plain/"
for i in 1 12 33 47; do
	cp "$plain/one/$i".* "$plain/copies/"
done
settle "$files" "$plain"
runs 0 "$SIMHASH" "$files"
pairs >listed
other="sqlite:$TEST_FOLDER/other.db"
runs 0 "$SIMHASH" --no-documents -d "$other" "$plain"
pairs -d "$other" >expected
same "pairs of documents and of their texts" '' "$(diff expected listed || true)"
[ "$(wc -l <listed)" -gt 500 ] || fail "only $(wc -l <listed) pairs"
# shellcheck disable=SC2046  # names without blanks
pairs $(find "$files" -type f) >requested
same "pairs of all files, each requested" '' "$(diff listed requested || true)"
for part in 1 2 3; do
	pairs --partition=$part/3
done | LC_ALL=C sort >parted
same "pairs of three parts" '' "$(diff listed parted || true)"
pairs --between "$files/one" "$files/next" >crossing
grep -E '^/one.* /next|^/next.* /one' listed >expected
same "pairs between two folders" '' "$(diff expected crossing || true)"
runs 0 "$SIMFIND" --format=json --group=none
same "JSON" "$(wc -l <listed)" "$(grep -c '"match"' out)"
same "sizes in JSON" "$(stat -c %s "$files/one/1.odt")" "$(grep -o "\"size_.\":[0-9]*,[^}]*$files/one/1.odt" out | first 1 | grep -o '[0-9]*' | first 1)"

# So are the groups, if no two documents have the same text.
group_members() {
	runs 0 "$SIMFIND" --format=csv --group "$@"
	cut -d, -f2,3,5,6 out | sed "s|$files||; s|$plain||; s|representative|member|" | LC_ALL=C sort
}
rm -r "$files/again" "$files/plain" "$plain/again" "$plain/plain"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --no-documents -d "$other" "$plain"
group_members -d "$other" >expected
group_members >grouped
same "groups" '' "$(diff expected grouped || true)"
[ "$(wc -l <grouped)" -gt 190 ] || fail "only $(wc -l <grouped) files in groups"

# Only identical documents are copies, and the bytes decide. One of them has no text in the index.
cp "$files/one/2.pptx" "$files/copies/unread.bin"
settle "$files/copies"
runs 0 "$SIMHASH" --no-documents "$files/copies/unread.bin"
cp "$files/one/2.pptx" "$files/copies/2.pptx"
settle "$files/copies"
runs 0 "$SIMHASH" "$files/copies/2.pptx"
sql "DELETE FROM file WHERE directory = X'$(printf %s "$files/copies/unread.bin/" | od -An -v -tx1 | tr -d ' \n')'"
runs 0 "$SIMFIND" --only=copies
same "copies" 6 "$(grep -c '^identical' out)"
runs 0 "$SIMFIND"
same "copies in all pairs" 6 "$(grep -c '^identical' out)"
grep -q "^identical .*copies/unread.bin" out || fail "the copy without a text is not found"
runs 0 "$SIMFIND" "$files/copies/unread.bin"
same "copies of one file" 2 "$(grep -c '^identical' out)"
runs 0 "$SIMKEEP" --keep=in:"$files/one" "$files"
grep -q '//' out err && fail "simkeep lists members: $(cat out err)"
runs 0 "$SIMKEEP" --yes --journal="$TEST_FOLDER/journal" --action=delete --keep=in:"$files/one" "$files"
same "kept files" 200 "$(find "$files" -type f | wc -l)"
[ ! -e "$files/copies" ] || fail "a folder that became empty remains"

# Reading compares the texts, and the bytes of identical documents.
mkdir "$files/copies"
cp -r "$files/one/10.docx" "$files/copies/"
settle "$files/copies"
runs 0 "$SIMHASH" "$files"
for how in read all; do
	runs 0 "$SIMFIND" --verify=$how
	same "read" '' "$(grep -v '^[0-9,]* pairs' err || true)"
	same "identical by reading" 1 "$(grep -c '^identical' out)"
	[ "$(grep -c '/next/' out)" -ge 95 ] || fail "only $(grep -c '/next/' out) are confirmed"
done
runs 0 "$SIMFIND" --verify=all "$files/next/0.docx"
grep -q "next/0.docx  .*one/0.docx$" out || fail "0.docx is not found: $(cat out)"
runs 0 "$SIMFIND" --nearest=1 "$files/next/0.docx"
grep -q "next/0.docx  .*one/0.docx$" out || fail "0.docx is not the nearest: $(cat out)"
reset
rm -r "${files:?}"/*

# Of documents from one template, only versions are pairs.
make template "$files"
settle "$files"
runs 0 "$SIMHASH" "$files"
pairs >listed
same "strangers from a template" '' "$(awk '{ split($1, x, "[/.-]"); split($2, y, "[/.-]"); if (x[3] != y[3]) print }' listed)"
[ "$(wc -l <listed)" -ge 50 ] || fail "only $(wc -l <listed) of 60 pairs of versions"
runs 0 "$SIMHASH" -d "$other" --no-documents "$files"
runs 0 "$SIMFIND" -d "$other"
[ "$(wc -l <out)" -gt 200 ] || fail "as files, only $(wc -l <out) pairs share their template"
# Documents in an archive, too.
(cd "$files/a" && python3 -m zipfile -c ../a.zip ./* && rm ./*)
settle "$files"
runs 0 "$SIMHASH" -z --no-documents "$files"
runs 0 "$SIMHASH" -z "$files"
pairs | awk '$1 ~ /[.](docx|odt|pptx)$/ && $2 ~ /[.](docx|odt|pptx)$/' >inside
same "strangers in an archive" '' "$(grep '/a.zip.*/a.zip' inside || true)"
[ "$(grep -c '/a.zip.*/b' inside)" -ge 20 ] || fail "versions in an archive are not found: $(cat inside)"
reset
rm -r "${files:?}"/*

# An index without texts gets them, and nothing else is read again. Documents that change or move
# keep them.
make versions "$files"
settle "$files"
runs 0 "$SIMHASH" --no-documents "$files"
summary 400 0 0 0
same "no texts" '' "$(texts)"
runs 0 "$SIMHASH" "$files"
same "unchanged" 400 "$(tr -d , <err | sed -n 's/.* \([0-9]*\) unchanged.*/\1/p')"
same "texts" 300 "$(texts | wc -l)"
sql "SELECT HEX(path_hash), HEX(content_hash), size, links, contents FROM file" | LC_ALL=C sort >added
mv "$files/one" "$files/moved"
cp "$files/next/1.odt" "$files/again/1.odt"
settle "$files/again"
runs 0 "$SIMHASH" --no-documents "$files"
same "texts after a move" 300 "$(texts | wc -l)"
same "the changed text" 1 "$(sql "SELECT COUNT(*) FROM file_text a, file_text b WHERE a.path = '$files/again/1.odt//text' AND b.path = '$files/next/1.odt//text' AND a.content_hash = b.content_hash")"
mv "$files/moved" "$files/one"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND"
grep -q '^identical .*again/1.odt .*next/1.odt' out || fail "1.odt is not identical"

# A digest list has the texts.
runs 0 "$SIMHASH" --export="$TEST_FOLDER/list"
runs 0 "$SIMHASH" -d "sqlite:$TEST_FOLDER/imported.db" --import="$TEST_FOLDER/list" --host=other
pairs >listed
pairs -d "sqlite:$TEST_FOLDER/imported.db" | sed 's/other://g' >imported
same "pairs of a digest list" '' "$(diff listed imported || true)"
runs 0 "$SIMFIND" -d "sqlite:$TEST_FOLDER/imported.db" --only=copies "$files/again/1.odt"
same "copies on another host" 2 "$(grep -c '^identical .*other:.*odt$' out)"
runs 0 "$SIMFIND" -d "sqlite:$TEST_FOLDER/imported.db" "$files/again/1.odt"
grep -q '^[0-9>]* % .*other:.*/one/1.odt$' out || fail "the version on another host is not found: $(cat out)"
same "members on another host" '' "$(grep // out || true)"
runs 0 "$SIMHASH" --copy-to="sqlite:$TEST_FOLDER/copied.db"
pairs -d "sqlite:$TEST_FOLDER/copied.db" >copied
same "pairs of a copy" '' "$(diff listed copied || true)"
reset
rm -r "${files:?}"/*

# Documents written by common libraries, one of them from a template of Word: as files they consist
# mostly of the template, so they are similar.
/usr/bin/python3 "$SOURCE_DIR/tests/cli/documents.py" libraries "$files"
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND"
same "texts by libraries" "20 20 0" "$(make found "$files" <out)"
reset
rm -r "${files:?}"/*

# Which problems are reported, and which files have a text. Documents without text are compared as
# files, and never fail a run.
make odd "$files"
settle "$files"
printf 'PK\3\4 this is not a document' >"$files/bad/no.docx"
printf 'PK\3\4 this is not a document' >"$files/bad/no.zip"
runs 0 "$SIMHASH" "$files"
for told in 'cut.docx//word/document.xml: Not well-formed XML: the text of its document is indexed without the rest of this part' \
	'laughs.docx//word/document.xml: Declares entities, which no document needs: its text is not indexed' \
	'outside.docx//word/document.xml: Declares entities, which no document needs' \
	'deep.docx//word/document.xml: Has too much text, or too long or deep markup' \
	'tag.docx//word/document.xml: Has too much text, or too long or deep markup' \
	'no.docx: Damaged or encrypted document: it is compared as a file, without its text'; do
	said "bad/$told"
done
same "reports" 6 "$(grep -c '^simhash: ' err)"
same "texts" "bad/cut.docx//text
good/renamed.bin//text
nested/report.docx//text" "$(texts)"
runs 0 "$SIMHASH" -q "$files"
same "reports of a quiet run" '' "$(cat err)"
runs 2 "$SIMHASH" -z "$files"
same "texts with members" "bad/cut.docx//text
good/own.docx//text
good/renamed.bin//text
nested/outer.zip//in/report.docx//text
nested/report.docx//text" "$(texts)"
same "the member called text" 21 "$(sql "SELECT size FROM file_text WHERE path LIKE '%/own.docx//text'")"
runs 0 "$SIMFIND" --verify=all
grep -q '^identical .*nested/outer.zip//in/report.docx  .*nested/report.docx' out || fail "a nested document is not found: $(cat out)"
same "confirmed" '' "$(grep -v '^[0-9,]* pairs' err || true)"
same "a file that an entity names" 0 "$(grep -c root: out || true)"
reset
runs 0 "$SIMHASH" --no-documents --decompress=zip "$files/nested"
same "no texts" '' "$(texts)"
reset
rm -r "${files:?}"/*

# Two similar archives are one line: their members are counted, as are the members of documents.
# All pairs are in other lists. Members are listed if their archives are no pair, or if they are in one.
make template "$files"
for version in 1 2; do
	mkdir "$TEST_FOLDER/v$version" "$TEST_FOLDER/w$version"
	for i in $(seq 12); do
		make_text "$i" >"$TEST_FOLDER/v$version/$i.txt"
		make_text "5$i" >"$TEST_FOLDER/w$version/$i.txt"
	done
done
echo "one more line" | tee -a "$TEST_FOLDER/v2/7.txt" >>"$TEST_FOLDER/w2/7.txt"
for version in 1 2; do
	cp "$TEST_FOLDER/v$version/3.txt" "$TEST_FOLDER/v$version/copy.txt"
done
(cd "$TEST_FOLDER" && tar cf "$files/v1.tar" v1 && tar cf "$files/v2.tar" v2 && tar czf "$files/w1.tar.gz" w1 && tar czf "$files/w2.tar.gz" w2)
(cd "$TEST_FOLDER/v2" && python3 -m zipfile -c "$files/few.zip" 5.txt)
settle "$files"
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMFIND"
said ' pairs of members of documents or of similar archives were left out.'
same "members of documents" '' "$(grep -E '(docx|odt|pptx)//' out || true)"
same "the archives" 1 "$(grep -c '/v1.tar  .*/v2.tar$' out)"
same "the contents of gzip files" 1 "$(grep -c '/w1.tar.gz//w1.tar  .*/w2.tar.gz//w2.tar$' out)"
same "members of pairs" '' "$(grep '/v1.tar//.*/v2.tar//\|/w1.tar.gz//w1/.*/w2.tar.gz//w2/' out || true)"
grep -q '^identical .*/v1.tar//v1/3.txt .*/v1.tar//v1/copy.txt\|^identical .*/v1.tar//v1/copy.txt .*/v1.tar//v1/3.txt\|^identical .*/3.txt .*/copy.txt' out || fail "a copy in an archive is left out"
grep -q '5.txt .*few.zip//5.txt\|few.zip//5.txt .*5.txt' out || fail "a member of an archive without a pair is left out"
runs 0 "$SIMFIND" --group=none
[ "$(grep -c '/v1.tar//.*/v2.tar//' out)" -ge 12 ] || fail "--group=none has no members"
runs 0 "$SIMFIND" --format=csv
[ "$(grep -c 'docx//' out)" -ge 12 ] || fail "CSV has no members"
runs 0 "$SIMFIND" --only=copies
[ "$(grep -c 'docx//' out)" -ge 12 ] || fail "--only=copies has no members"
runs 0 "$SIMFIND" --group
said ' groups of members of documents or of similar archives were left out.'
same "groups of members of documents" '' "$(grep -E '(docx|odt|pptx)//' out || true)"

# Solid archives differ from their first different member on. Two that have mostly the same members
# are one line, with the share of the bytes in identical members; a small one is part of a large one.
reset
rm -r "${files:?}"/*
for version in 1 2; do
	mkdir "$TEST_FOLDER/x$version"
	for i in $(seq 12); do
		make_text "9$i" >"$TEST_FOLDER/x$version/$i.txt"
	done
done
for i in 2 3; do # similar, and other members
	echo "one more line" >>"$TEST_FOLDER/x2/$i.txt"
	make_text "77$i" >"$TEST_FOLDER/x2/1$i.txt"
done
(
	cd "$TEST_FOLDER"
	tar cJf "$files/x1.tar.xz" x1
	bsdtar -acf "$files/x2.7z" x2
	bsdtar -acf "$files/some.7z" x1/{4,5,6}.txt
	bsdtar -acf "$files/two.7z" x1/{7,8}.txt w1/{1,2,3,4,5,6,7,8,9}.txt
	tar cJf "$files/one.tar.xz" x1/9.txt
	cp "$files/x1.tar.xz" "$files/x3.tar.xz"
)
share=$(python3 - "$TEST_FOLDER" <<'END'
import glob, sys
x, y = ({open(name, "rb").read() for name in glob.glob(f"{sys.argv[1]}/{x}/*")} for x in ("x1", "x2"))
print(100 * sum(map(len, x & y)) // sum(map(len, x | y)))
END
)
settle "$files"
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMFIND"
sed "s|  *$files/| |g; s|  *| |g" out | LC_ALL=C sort >found
LC_ALL=C sort <<END | diff - <(grep -v // found) || fail "archives with the same members"
$share % x1.tar.xz x2.7z
identical x1.tar.xz x3.tar.xz
part of (>99 %) some.7z x1.tar.xz
part of (>99 %) some.7z x2.7z
END
same "their members" '' "$(grep 'x1.tar.xz//.* x2.7z//\|some.7z//.* x[123].[t7].*//' found || true)"
[ "$(grep -c '^identical .*two.7z//' found)" -ge 2 ] || fail "members of archives that share few members are left out"
grep -q '^identical .*one.tar.xz//x1/9.txt' found || fail "the only member of an archive is left out"
runs 0 "$SIMFIND" --group
same "a block" 1 "$(grep -cE "^ +$share %  +[^ ]*x[12]\.[^ ]* " out)"
same "members in blocks" 0 "$(grep -cE '^[^ ].*//x[12]/(4|5|6|10|11).txt' out || true)"
# Members 1, 10, 11 and 12 are in no other archive, which might have the first of several copies.
for option in --group=none --format=csv --min-resemblance=0.5; do
	runs 0 "$SIMFIND" "$option"
	[ "$(grep -cE 'x1.tar.xz//.*x2.7z//|x2.7z//.*x3.tar.xz//' out)" -ge 4 ] || fail "$option has no members"
	same "$option: archives" 0 "$(grep -c "x1.tar.xz[ ,].*x2.7z$" out || true)"
done

# The properties of documents say when they were changed and how often they were saved. This comes
# before the times of files, which say the opposite here.
reset
rm -r "${files:?}"
mkdir -p "$files"
make dated "$files"
at=30
while read -r name; do
	touch -d "2026-01-01 + $at days" "$files/$name"
	at=$((at - 1))
done <"$files/order.txt"
mv "$files/order.txt" .
runs 0 "$SIMHASH" "$files"
below="CAST(directory AS CHAR(4000)) LIKE"
same "times of documents" 26 "$(sql "SELECT COUNT(*) FROM file WHERE document_time > 0 AND contents = 268435456")"
same "impossible times" "11|0" "$(sql "SELECT COUNT(*), SUM(document_time) FROM file WHERE $below '%/bad/%'")"
same "no times of PDFs" "10|0" "$(sql "SELECT COUNT(*), SUM(document_time) FROM file WHERE $below '%/bad-pdf'")"
same "times of PDFs" 7 "$(sql "SELECT COUNT(*) FROM file WHERE document_time > 0 AND contents <> 268435456")"
# 2021-03-11 23:30:00.25, two hours west of UTC
same "a time with a zone" 1 "$(sql "SELECT COUNT(*) FROM file WHERE document_time = 1615512600000000000")"
same "revisions" "2 2|9 2|10 2|100 2|" "$(sql "SELECT document_revision, COUNT(*) FROM file
	WHERE $below '%/saved/%' OR $below '%/cycles/%' GROUP BY 1 ORDER BY 1" | tr '|\t\n' '  |')"
same "times of creation" 1262304000000000000 "$(sql "SELECT DISTINCT document_created FROM file WHERE document_revision > 0")"

# versions FOLDER: the names of all versions of its group, each after its parent, which is the version before
versions() {
	runs 0 "$SIMFIND" --summary=none --group=lineage --format=json "$files/$1"
	python3 - <<'END'
import json, os
(group,) = json.load(open("out"))
for version in group["versions"]:
    (file,) = version["files"]
    assert file["document_modified"].startswith("2021-03-"), file
    assert version.get("parent", 0) == version["version"] - 1, version
    print(os.path.basename(os.path.dirname(file["path"])), os.path.basename(file["path"]), sep="/")
END
}

for kind in docx odt saved cycles pdf; do
	versions "$kind" >found || fail "$kind: $(cat out)"
	diff <(grep "^$kind/" order.txt) found || fail "$kind: the order of versions"
	runs 0 "$SIMFIND" --summary=none --group=lineage "$files/$kind"
	same "$kind: times in the tree" "$(wc -l <found)" "$(grep -c ' 2021-03-1[0-6]' out)"
done
runs 0 "$SIMFIND" --summary=none --group=lineage --format=json "$files/saved"
same "clear revisions" 3 "$(grep -o '"order":"clear"[^}]*"reasons":\["revision"' out | wc -l)"
# Properties that are equal in all files say nothing, so the times of the files decide.
versions equal >found || fail "equal: $(cat out)"
diff <(grep '^equal/' order.txt | tac) found || fail "equal properties: the order of versions"
runs 0 "$SIMFIND" --summary=none --group=lineage --format=json "$files/against"
same "a revision against the time" 1 "$(grep -o '"order":"unclear"' out | wc -l)"
