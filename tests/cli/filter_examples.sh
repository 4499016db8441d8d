#!/usr/bin/env bash
# Tests the filters in the manual page with the programs that they use: files that share no bytes
# are similar by the output of the programs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export HOME=$TEST_FOLDER/home
python3 "$SOURCE_DIR/tests/cli/filter_examples.py" "$HOME"
cp "$SOURCE_DIR/tests/cli/letter.doc" "$HOME/documents"
antiword "$HOME/documents/letter.doc" | sed 's/were/have been/' >"$HOME/documents/letter.txt"
for name in one two; do
	flac -s --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 --sample-rate=8000 \
		--tag='TITLE=The quiet river' --tag='ARTIST=Nobody in particular' --tag="ALBUM=Light of $(seq -s ' ' 60)" \
		--delete-input-file -o "$HOME/music/$name.flac" "$HOME/music/$name.raw"
done
settle "$HOME"
runs 0 "$SIMHASH" "$HOME"
runs 0 "$SIMFIND" --summary=none
same "pairs of the files themselves" '' "$(cat out)"

# The examples, as a shell reads them.
simhash() {
	runs 0 "$SIMHASH" "$@"
}
sed -n "s/^\\$ \\(simhash --filter='.*\\)/\\1/p" "$SOURCE_DIR/docs/simhash.1" >examples
same "examples" 5 "$(wc -l <examples)"
# shellcheck source=/dev/null
. ./examples
runs 0 "$SIMFIND" --summary=none --format=csv
tr -d '\r' <out | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR > 1 { print $column["path_a"], $column["path_b"] }' | sed "s|$HOME/||g" | LC_ALL=C sort >found
cat >expected <<'END'
documents/letter.doc//filtered documents/letter.txt
documents/one.pdf//filtered documents/two.pdf//filtered
music/one.flac//filtered music/two.flac//filtered
pictures/one.png//filtered pictures/two.png//filtered
site/one.html//filtered site/two.html//filtered
END
cmp expected found || fail "$(diff expected found)"
