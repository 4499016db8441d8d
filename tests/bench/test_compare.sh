#!/usr/bin/env bash
# Tests that compare.py runs all tools on the same files, judges their lists, and stops a slow tool. The other tools are
# scripts with known answers.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

competitors=$TEST_FOLDER/competitors
mkdir -p "$competitors/bin" "$competitors/path" "$files/below"
ln -s "$(command -v cp)" "$(python3 -c 'import sys; print(sys.executable)')" "$competitors/path"
PATH_OF_TEST=$PATH

# The texts are always the same.
python3 - "$TEST_FOLDER/source" <<'END'
import os, random, sys
rng = random.Random(7)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 10))) for _ in range(3000)]
os.mkdir(sys.argv[1])
for number in range(400):
    with open(f"{sys.argv[1]}/{number}.txt", "w", encoding="ascii") as file:
        for _ in range(rng.randrange(60, 600)):
            file.write(" ".join(rng.choices(words, k=12)) + "\n")
END

# stub NAME: make a program of standard input
stub() {
	{ printf '#!/bin/sh\nPATH=%s\n' "$PATH_OF_TEST" && cat; } >"$competitors/bin/$1"
	chmod +x "$competitors/bin/$1"
}
# compare OPTION...: run compare.py with its output in $TEST_FOLDER/out
compare() {
	runs 0 env PATH="$competitors/path" TMPDIR="$TEST_FOLDER" \
		"$SOURCE_DIR/tests/bench/compare.py" "$(dirname "$SIMHASH")" \
		--competitors="$competitors" --tree="$files" --from="$TEST_FOLDER/source" "$@"
}
# cells TITLE TOOL: the cells of a tool, in the table whose title begins so
cells() {
	awk -F ' [|] ' -v title="| $1" -v tool="| $2" '
		index($0, title) == 1 { inside = 1 }
		!/^[|]/ { inside = 0 }
		inside && $1 == tool { sub(/ [|]$/, ""); print substr($0, length(tool) + 4); exit }' "$TEST_FOLDER/out"
}

# Lists three copies. The folder has one: hard links, symbolic links and empty files do not count.
seq 300 | tee "$files/a" "$files/below/b" >"$files/other"
echo more >>"$files/other"
ln "$files/a" "$files/hard"
ln -s a "$files/symbolic"
touch "$files/empty" "$files/below/empty"
stub jdupes <<'EOS'
case $1 in --version) echo "jdupes 9.8.7" ;; -q) printf '/a\n/b\n\n/c\n/d\n/e\n' ;; esac
EOS
echo "a script" >"$competitors/bin/jdupes.txt"
# Lists one pair, of the first and the last file.
stub tlsh <<'EOS'
case $1 in
-version) echo "4.5.6 a script" ;;
-r) find "$2" -type f -printf 'T1\t%p\n' | sort ;;
-xref) printf '%s\t%s\t7\n' "$(sed -n '1s/T1.//p' "$3")" "$(sed -n '$s/T1.//p' "$3")" ;;
-c) sed -n "1s/T1.//;1s|^|$2	|;1s/\$/	7/p" "$4" ;;
esac
EOS
compare --base=20 --limit=60 --only=identical
same "version of a stub" "9.8.7 | a script" "$(cells tool jdupes)"
same "a missing tool" "- | missing: not compared" "$(cells tool rmlint)"
same "copies of simhash" all \
	"$(cells 'identical files, cached: 7 files, 1 copies' 'simhash' | sed 's/.* | //')"
same "copies of a wrong tool" "3 / 3" "$(cells 'identical files' jdupes | sed 's/.* | //')"
same "rows for the README" 3 "$(grep -c '^| list copies among 7 files | [sj]' "$TEST_FOLDER/out")"

compare --base=20 --limit=60 --only=edited,parts,reflowed,growing
[[ $(cells 'edited copies: 100' 'simhash') =~ ' | 100.0 | 100.0 | '.*' | 0.0'$ ]] ||
	fail "edited copies: $(cells 'edited copies: 100' 'simhash')"
[[ $(cells 'edited copies: 100' 'tlsh, distance 50') =~ ' | 0.0 | 0.0 | 0.0 | 0.0 | 1 | 100.0'$ ]] ||
	fail "a list of one wrong pair: $(cells 'edited copies: 100' 'tlsh, distance 50')"
has '^| one file among many.*20 files | 200 files |' <"$TEST_FOLDER/out" || fail "the folder did not grow"
has 'has too few files for 100 times as many' <"$TEST_FOLDER/out" || fail "the end of the tree is not reported"
[[ $(cells 'one file among many' 'simhash') = *'; 5 of 5 | '*'; 5 of 5' ]] ||
	fail "one file among many: $(cells 'one file among many' 'simhash')"
has '^| edited copies, 1 % changed | 100 % | 0 % |' <"$TEST_FOLDER/out" || fail "no row for the README"

# Never ends.
stub ssdeep <<'EOS'
case $2 in -c) while :; do :; done ;; *) echo 1.2 ;; esac
EOS
compare --base=20 --limit=1 --only=reflowed
same "a slow tool" "stopped after 1 processor s" "$(cells 'forms of one text' ssdeep)"
runs 1 "$SOURCE_DIR/tests/bench/compare.py" "$(dirname "$SIMHASH")" --only=edited,others
said "compare: no question 'others': expected cold, identical, "
