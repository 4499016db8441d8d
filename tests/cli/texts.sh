#!/usr/bin/env bash
# Tests that texts are compared as texts: copies with other line ends, tabs, indentation, line
# lengths, a byte-order mark or in UTF-16 are listed as the same text, and changed ones as similar.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$files"
cd "$files"
cp "$SOURCE_DIR/docs/algorithm.md" plain.txt
sed 's/$/\r/' plain.txt >crlf.txt
tr '\n' '\r' <plain.txt >cr.txt
tr ' ' '\t' <plain.txt >tabs.txt
sed 's/^/    /' plain.txt >indented.txt
sed 's/$/  /' plain.txt >trailing.txt
sed "s/ /\n/5; s/ /\n/9" plain.txt >lines.txt
{ printf '\xef\xbb\xbf' && cat plain.txt; } >mark.txt
python3 - <<'SCRIPT'
text = open("plain.txt", encoding="utf-8").read()
for name, encoding, mark in (("little", "utf-16-le", b"\xff\xfe"), ("big", "utf-16-be", b"\xfe\xff")):
    with open(name + ".txt", "wb") as file:
        file.write(mark + text.encode(encoding))
SCRIPT
sed '300s/.*/Another line, with other words than before./' crlf.txt >changed.txt
# Other contents are compared with their white space.
{ head -c 200 /dev/zero && cat plain.txt; } >binary.dat
{ head -c 200 /dev/zero && cat crlf.txt; } >binary-crlf.dat
cd "$TEST_FOLDER"
settle "$files"
runs 0 "$SIMHASH" "$files"

echo "Pairs"
# The sizes and counts of a text in UTF-16 are too different for the lists.
runs 0 "$SIMFIND" --group=none --format=csv -o pairs
forms="crlf cr tabs indented trailing lines mark"
for form in $forms; do
	# The pair of the two files, in either order
	line=$(grep -E "/($form.txt\"?,.*/plain|plain.txt\"?,.*/$form).txt" pairs | head -n 1) || fail "no pair with $form.txt: $(cat pairs)"
	same "$form" "same text,1" "$(cut -d, -f1,7 <<<"$line" | sed 's/,1\.0*$/,1/')"
	same "$form is verified by" text "$(tr -d '\r' <<<"$line" | sed 's/.*,//')"
done
grep -E '/(changed.txt.*/crlf|crlf.txt.*/changed).txt' pairs >changed
grep -q '^similar,' changed || fail "a changed text: $(cat changed)"
same "same text as a binary file" 0 "$(grep -c '^same text.*binary' pairs || true)"
same "same texts" $((8 * 7 / 2)) "$(grep '^same text,' pairs | grep -cv 'little\|big')"

echo "One file, groups, JSON"
runs 0 "$SIMFIND" --summary=none "$files/plain.txt"
same "lines of the same text, two in UTF-16" 9 "$(grep -c '^ *same text ' out)"
runs 0 "$SIMFIND" --summary=none --group
grep -q '^ *same text ' out || fail "no label in a group: $(head -n 20 out)"
runs 0 "$SIMFIND" --format=jsonl --group=none
grep -q '"match":"same text".*"resemblance":1[,.].*"verified":"text"' out || fail "JSON: $(grep -m 1 same out)"
runs 0 "$SIMFIND" --compare "$files/plain.txt" "$files/crlf.txt"
grep -q '^same text; ' out || fail "$(head -n 1 out)"
grep -q '^resemblance sketch  *same text ' out || fail "$(grep sketch out)"

for form in little big; do
	runs 0 "$SIMFIND" --compare "$files/plain.txt" "$files/$form.txt"
	grep -q '^same text; ' out || fail "$form: $(head -n 1 out)"
done

echo "Bytes are read as bytes"
runs 0 "$SIMFIND" --verify=all --min-resemblance=1% --format=csv -o read "$files/plain.txt" || true
! grep -q '^same text' read || fail "a file that was read: $(grep -m 1 '^same text' read)"
same "identical files" 0 "$(grep -c '^identical' pairs || true)"

echo "SQL"
same "files with one text" 10 "$(sql "SELECT COUNT(*) FROM file_text WHERE text_hash =
	(SELECT text_hash FROM file_text WHERE path LIKE '%/plain.txt')")"
same "files without a text" 2 "$(sql "SELECT COUNT(*) FROM file_text WHERE text_hash IS NULL")"
