#!/usr/bin/env bash
# Tests that names with any bytes pass through the index and every format unchanged.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

long=$(printf 'n%.0s' $(seq 251)).txt # 255 bytes
names=($'new\nline.txt' $'quote"s\'.txt' $'tab\there.txt' $'escape\x1b[31mred.txt' $'bell\x07.txt'
	$'invalid\xff\xfe.txt' $'latin\xe9.txt' $'c1\xc2\x9b31m.txt' $'back\\slash.txt' $'comma,.txt'
	$'semi;colon.txt' '  spaces  .txt' '-dash.txt' 'percent%20.txt' $'\xc3\xa9t\xc3\xa9.txt'
	$'cr\r.txt' '$(touch pwned).txt' "Robert'); DROP TABLE file;--.txt" "$long" $'del\x7f.txt'
	$'rtl\xe2\x80\xaegpj.txt' $'arabic\xd8\x9cmark.txt' $'line\xe2\x80\xa8end.txt')
content=$(random_bytes 6000 1 | base64)
for name in "${names[@]}"; do
	printf '%s' "$content" >"$files/$name"
done
# A path of more than 4,000 bytes, which is too long for one system call.
(
	cd "$files"
	for _ in $(seq 20); do
		part=$(printf 'd%.0s' $(seq 240))
		mkdir "$part"
		cd "$part" || exit 1
	done
	printf '%s' "$content" >deep.txt
)
count=${#names[@]}

runs 0 "$SIMHASH" "$files"
summary $((count + 1)) 0 0 0
[ ! -e pwned ] || fail "a name was run"
same "longest directory" 1 "$(sql 'SELECT count(*) FROM file WHERE length(directory) > 4800')"

# Every name is returned byte by byte, as hex, by the engine's own client.
for name in "${names[@]}"; do
	printf '%s' "$name" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F
	echo
done | LC_ALL=C sort >expected
sql "SELECT hex(name) FROM file WHERE length(directory) < 4800" | LC_ALL=C sort >found
cmp expected found || fail "names: $(diff expected found | head -4)"

# A second run knows all files.
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" "$files"
summary 0 $((count + 1)) 0 0

pairs=$((count * (count + 1) / 2))

# Text: one line for each pair, without control bytes, and in UTF-8.
runs 0 "$SIMFIND" --group=none
same "identical pairs" $pairs "$(grep -c ^identical out)"
same "lines of text" $pairs "$(wc -l <out)"
same "control bytes in text" 0 "$(LC_ALL=C tr -d '\n -~\200-\377' <out | wc -c)"
iconv -f UTF-8 -t UTF-8 out >/dev/null || fail "text is not UTF-8"
same "control bytes in messages" 0 "$(LC_ALL=C tr -d '\n -~\200-\377' <err | wc -c)"
grep -qF 'new\nline.txt' out || fail "no escaped newline"
grep -qF 'invalid\xff\xfe.txt' out || fail "no escaped invalid bytes"
grep -qF 'escape\x1b[31mred.txt' out || fail "no escaped escape"
grep -qF 'c1\xc2\x9b31m.txt' out || fail "no escaped C1 control"
grep -qF 'rtl\xe2\x80\xaegpj.txt' out || fail "no escaped mark of direction"
grep -qF 'arabic\xd8\x9cmark.txt' out || fail "no escaped mark of letters"
grep -qF 'line\xe2\x80\xa8end.txt' out || fail "no escaped end of line"
grep -qF 'back\\slash.txt' out || fail "no escaped backslash"

# JSON: valid, with every pair, and with the bytes that are not UTF-8 in a separate field.
runs 0 "$SIMFIND" --group=none --format=json -o pairs.json
iconv -f UTF-8 -t UTF-8 pairs.json >/dev/null || fail "JSON is not UTF-8"
same "JSON" "1|$pairs" "$(sqlite3 :memory: "SELECT json_valid(readfile('pairs.json')) || '|' ||
	json_array_length(readfile('pairs.json'))")"
! LC_ALL=C grep -q $'\xe2\x80[\xa8-\xae]' pairs.json || fail "marks of direction in JSON"
same "control bytes in JSON" 0 "$(LC_ALL=C tr -d '\n -~\200-\377' <pairs.json | wc -c)"
sqlite3 :memory: "SELECT DISTINCT hex(value ->> 'path_a') FROM json_each(readfile('pairs.json'))
	WHERE value ->> 'path_a_hex' IS NULL
	UNION SELECT upper(value ->> 'path_a_hex') FROM json_each(readfile('pairs.json'))
	WHERE value ->> 'path_a_hex' IS NOT NULL
	UNION SELECT DISTINCT hex(value ->> 'path_b') FROM json_each(readfile('pairs.json'))
	WHERE value ->> 'path_b_hex' IS NULL
	UNION SELECT upper(value ->> 'path_b_hex') FROM json_each(readfile('pairs.json'))
	WHERE value ->> 'path_b_hex' IS NOT NULL" | grep -v "$(printf '64%.0s' $(seq 200))" |
	LC_ALL=C sort >found
prefix=$(printf '%s/' "$files" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F)
sed "s/^/$prefix/" expected | LC_ALL=C sort >expected.paths
cmp expected.paths found || fail "paths in JSON: $(diff expected.paths found | head -4)"

# CSV: another program reads the same bytes back.
runs 0 "$SIMFIND" --group=none --format=csv -o pairs.csv
sqlite3 :memory: -cmd '.mode csv' -cmd '.import pairs.csv pairs' \
	"SELECT hex(path_a) FROM pairs UNION SELECT hex(path_b) FROM pairs" |
	grep -v "$(printf '64%.0s' $(seq 200))" | LC_ALL=C sort >found
cmp expected.paths found || fail "paths in CSV: $(diff expected.paths found | head -4)"

# One file with an unusual path. Under valgrind, a few names are enough.
[ -z "${MEMCHECK:-}" ] || names=("${names[@]:0:3}")
for name in "${names[@]}"; do
	runs 0 "$SIMFIND" "$files/$name"
	same "pairs of one file" "$count" "$(wc -l <out)"
done
