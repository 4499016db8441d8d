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
runs 0 "$SIMFIND" --group=none --format=csv -o pairs
forms="crlf cr tabs indented trailing lines mark little big"
for form in $forms; do
	# The pair of the two files, in either order
	line=$(grep -E "/($form.txt\"?,.*/plain|plain.txt\"?,.*/$form).txt" pairs | head -n 1) || fail "no pair with $form.txt: $(cat pairs)"
	same "$form" "same text,1" "$(cut -d, -f1,7 <<<"$line" | sed 's/,1\.0*$/,1/')"
	same "$form is verified by" text "$(tr -d '\r' <<<"$line" | sed 's/.*,//')"
done
grep -E '/(changed.txt.*/crlf|crlf.txt.*/changed).txt' pairs >changed
grep -q '^similar,' changed || fail "a changed text: $(cat changed)"
same "same text as a binary file" 0 "$(grep -c '^same text.*binary' pairs || true)"
same "same texts" $((10 * 9 / 2)) "$(grep -c '^same text,' pairs)"

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

echo "UTF-16, in both byte orders, of short and long texts with other letters"
reset
rm -r "${files:?}"
mkdir "$files"
python3 - "$files" <<'SCRIPT'
import random, sys

chance = random.Random(7)
latin, cyrillic, chinese = ([chr(c) for c in range(*r)] for r in ((97, 123), (0x430, 0x450), (0x4E00, 0x9FA6)))
german = latin + list("äöüß")

def word(letters, least=3, most=10):
    return "".join(chance.choice(letters) for _ in range(chance.randrange(least, most)))

def text(count, *letters):
    words = [word(chance.choice(letters)) + chance.choice(["\n", " ", " ", " "]) for _ in range(count)]
    return words

def put(name, words, encoding, mark=b""):
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(mark + "".join(words).encode(encoding))

for name, words in (("short", text(30, latin)), ("page", text(300, latin)), ("book", text(30000, latin)), ("german", text(2000, german)),
                    ("digits", text(2000, list("0123456789"))), ("hexadecimal", text(2000, list("0123456789abcdef"))), ("russian", text(900, cyrillic)), ("chinese", text(900, chinese)), ("few", text(2000, latin, latin, latin, latin, cyrillic)),
                    ("half", text(2000, latin, cyrillic)), ("some", text(2000, latin, latin, latin, chinese))):
    put(name + ".utf-8", words, "utf-8")
    put(name + ".le", words, "utf-16-le", b"\xff\xfe")
    put(name + ".be", words, "utf-16-be", b"\xfe\xff")
    lines = "".join(words).replace("\n", "\r\n").split(" ")
    put(name + ".windows", [word + "  " for word in lines], "utf-16-le", b"\xff\xfe")
    if name not in ("short", "page"):
        for i in range(0, len(words), len(words) // 8):
            words[i] = word(latin, 10, 20) + " "
        put(name + ".changed", words, "utf-16-le", b"\xff\xfe")
SCRIPT
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --summary=none --group=none --format=csv -o pairs
tr -d '"\r' <pairs | awk -F, -v top="$files/" 'NR > 1 {
	split(substr($0, index($0, top)), paths, top); a = paths[2]; b = paths[3]; sub(/,.*/, "", a); sub(/,.*/, "", b)
	print $1, (a < b ? a " " b : b " " a) }' | LC_ALL=C sort >found
for name in short page book german digits hexadecimal russian chinese few half some; do
	for pair in be:le be:utf-8 be:windows le:utf-8 le:windows utf-8:windows; do
		echo "same text $name.${pair%:*} $name.${pair#*:}"
	done
	case $name in
	short | page) ;;
	*) for form in be le utf-8 windows; do
		a=$name.$form b=$name.changed
		[[ $a < $b ]] || { a=$b b=$name.$form; }
		echo "similar $a $b"
	done ;;
	esac
done | LC_ALL=C sort >expected
diff expected found >&2 || fail "copies in UTF-16"
# The list does not depend on how the search divides the files.
runs 0 "$SIMFIND" --summary=none --group=none --format=csv --sort=path -o pairs
for parts in 2 7; do
	for ((part = 1; part <= parts; part++)); do
		"$SIMFIND" --summary=none --group=none --format=csv --partition="$part/$parts" | sed 1d
	done | LC_ALL=C sort >in-parts
	sed 1d pairs | LC_ALL=C sort | diff - in-parts >&2 || fail "$parts parts"
done
# A copy without a sketch is not known to be such a text, but is found.
cp "$files/page.le" "$files/page.copy"
runs 0 "$SIMHASH" "$files"
sql "UPDATE file SET resemblance_sketch = NULL WHERE name = 'page.le'"
runs 0 "$SIMFIND" --summary=none --group=none
grep -q '^identical .*page\.' out || fail "a copy without a sketch: $(cat out)"
