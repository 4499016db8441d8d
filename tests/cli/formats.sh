#!/usr/bin/env bash
# Tests each format that -z reads: the members have rows with their contents, and a truncated
# archive is reported.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make() {
	python3 -W ignore "$SOURCE_DIR/tests/cli/formats.py" "$@"
}
# contents FOLDER: the contents in each archive, or in the directory with its members
contents() {
	sql "SELECT path, hex(content_hash) FROM file_text WHERE path LIKE '$files/$1/%'" | sed "s|^$files/$1/||;s|//|/|g" | LC_ALL=C sort
}

# A document has its text in addition to its members, and a gzip file has its content.
make whole "$files"
runs 0 "$SIMHASH" -z "$files"
same "formats" "$(ls "$files/plain")" "$(ls "$files/made")"
same "number of formats" 35 "$(find "$files"/made/* | wc -l)"
contents plain >expected
contents made | grep -E '^[^/]*/' | grep -vE '/(text|x\.tar)\|' | diff expected - || fail "members differ from the archives"
same "texts of documents" "docx epub odp ods odt pptx" \
	"$(sql "SELECT path FROM file_text WHERE path LIKE '%//text'" | sed 's|.*/x\.||;s|//text||' | sort | paste -sd ' ')"
reset

# .Z has no end mark.
make cut "$TEST_FOLDER/cut"
runs 2 "$SIMHASH" -z "$TEST_FOLDER/cut"
for kind in a cpio iso tar.bz2 tar.gz tar.lz tar.lz4 tar.xz tar.zst; do
	same "reported cut $kind" "$(find "$TEST_FOLDER/cut" -name "*[0-9].$kind" | wc -l)" \
		"$(grep -oE "cut/[0-9]*\.$kind(//[^:]*)?: Damaged" err | sed 's|\(//.*\)*: Damaged||' | sort | wc -l)"
done
reset

# Nothing is lost silently: it is reported, or left out by a rule of the manual page.
make odd "$TEST_FOLDER/odd"
runs 2 "$SIMHASH" -z "$TEST_FOLDER/odd"
members() {
	sql "SELECT path, size FROM file_text WHERE path LIKE '%/odd/$1//%'" | sed 's|^[^|]*/odd/[^|/]*//||' | LC_ALL=C sort | paste -sd ' '
}
for extension in zip tar; do
	same "the last of two members of one name in $extension" "same|24380" "$(members "twice.$extension")"
	same "a long name in $extension" "short|24380" "$(members "long.$extension")"
	said "long.$extension: Has members whose names are too long; these are not indexed"
done
same "links in tar" "first|5000" "$(members links.tar)"
same "links in newc, where the last one has the content" "first|0 last|5000" "$(members links.newc)"
same "a name with a zero byte" "before|5000" "$(members zero.zip)"
for archive in harmed.tar outer.zip//inner.tar harmed.cpio header.tar.gz; do
	said "$archive: Damaged archive, or unknown kind of archive: the part read before is indexed"
done
said "over.cpio.gz: Has more than a million members: the members read before are indexed"
same "members behind damage" "after|5000 inner.tar//a.txt|5000 inner.tar|40960" "$(members outer.zip)"
same "reported archives" 9 "$(grep -c '^simhash: ' err)"
