#!/usr/bin/env bash
# Tests the text of documents: versions are found although an editor wrote all their markup again.
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

# A file from another editor has the same text, next versions have nearly the same text, and
# unrelated documents do not.
make versions "$files"
settle "$files"
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMFIND"
read -r again next strangers < <(make found "$files" <out)
same "the same text by two editors and as a file" 100 "$again"
[ "$next" -ge 95 ] || fail "only $next of 100 next versions are found"
same "strangers" 0 "$strangers"
runs 0 "$SIMFIND" --verify=all
same "confirmed" '' "$(grep -v '^[0-9,]* pairs' err || true)"
runs 0 "$SIMFIND" --verify=read --min-resemblance=0.5
same "read" '' "$(grep -v '^[0-9,]* pairs' err || true)"
runs 0 "$SIMFIND" -z "$files/next/0.docx"
grep -q "next/0.docx//text  .*0.docx//text$" out || fail "0.docx is not found: $(cat out)"
runs 0 "$SIMHASH" -z "$files"
summary 0 400 0 0

# An index from before texts were supported gets them, and nothing else is read again.
sql "UPDATE file SET contents = contents - 16384 WHERE contents > 0"
sql "DELETE FROM file WHERE HEX(name) = '74657874'"
same "removed texts" '' "$(texts)"
runs 0 "$SIMHASH" -z "$files"
same "unchanged" 400 "$(tr -d , <err | sed -n 's/.* \([0-9]*\) unchanged.*/\1/p')"
same "texts" 300 "$(texts | wc -l)"

# With texts alone, a document is one row.
reset
runs 0 "$SIMHASH" --decompress=text "$files"
summary 700 0 0 0
same "rows of documents" 300 "$(rows | grep -c //)"
runs 0 "$SIMFIND"
read -r again next strangers < <(make found "$files" <out)
same "by texts alone" "100 0" "$again $strangers"
same "pairs" 300 "$(wc -l <out)"
reset
rm -r "${files:?}"/*

# Documents written by common libraries, one of them from a template of Word: as files they consist
# mostly of the template, so they are similar.
/usr/bin/python3 "$SOURCE_DIR/tests/cli/documents.py" libraries "$files"
settle "$files"
runs 0 "$SIMHASH" --decompress=text "$files"
runs 0 "$SIMFIND"
grep -E '(//text|[.]txt)  .*(//text|[.]txt)$' out >texts || true
same "texts by libraries" "20 20 0" "$(make found "$files" <texts)"
reset
rm -r "${files:?}"/*

# Which problems are reported, and which files have a text.
make odd "$files"
settle "$files"
runs 2 "$SIMHASH" -z "$files"
for told in 'cut.docx//word/document.xml: Not well-formed XML: the text of its document is indexed without the rest of this part' \
	'laughs.docx//word/document.xml: Declares entities, which no document needs: its text is not indexed' \
	'outside.docx//word/document.xml: Declares entities, which no document needs' \
	'deep.docx//word/document.xml: Has too much text, or too long or deep markup' \
	'tag.docx//word/document.xml: Has too much text, or too long or deep markup'; do
	said "bad/$told"
done
same "failures" 5 "$(grep -c '^simhash: ' err)"
same "texts" "bad/cut.docx//text
good/own.docx//text
good/renamed.bin//text
nested/outer.zip//in/report.docx//text
nested/report.docx//text" "$(texts)"
same "the member called text" 21 "$(sql "SELECT size FROM file_text WHERE path LIKE '%/own.docx//text'")"
runs 0 "$SIMFIND" --verify=all
grep -q 'nested/outer.zip//in/report.docx//text  .*nested/report.docx//text' out || fail "a nested text is not found: $(cat out)"
same "confirmed" '' "$(grep -v '^[0-9,]* pairs' err || true)"
same "a file that an entity names" 0 "$(grep -c root: out || true)"
reset
runs 0 "$SIMHASH" --decompress=text "$files/good" "$files/nested"
same "texts alone" "good/renamed.bin//text
nested/report.docx//text" "$(texts)"
reset
runs 0 "$SIMHASH" --decompress=zip "$files/nested"
same "no texts" '' "$(texts)"
