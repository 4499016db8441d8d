#!/usr/bin/env bash
# Tests the README with an installed tree. Its "sh" blocks run as they are written, in order, in a
# generated home. Its session, the "console" block, must print the same output, except for times. A
# block below <!-- not run: REASON --> does not run, and a block below <!-- server --> runs if there
# is a server. With WRITE=1, the session is written again.
#
# The generated tree has the names that the README uses. No other block may contain commands.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
unset SIMHASH_DATABASE
readme=$SOURCE_DIR/README.md

prefix=$TEST_FOLDER/usr
cmake --install "$BINARY_DIR" --prefix "$prefix" >install.log
PATH=$prefix/bin:$PATH
library=$(dirname "$(find "$prefix" -name libsimhash.a)")
export PATH PKG_CONFIG_PATH=$library/pkgconfig LD_LIBRARY_PATH=$library
# If a library is built for a sanitizer, programs that link it must be built the same way.
printf '#!/bin/sh\nexec %s %s "$@"\n' "${CC:-cc}" "${TEST_CFLAGS:-}" >"$prefix/bin/cc"
chmod +x "$prefix/bin/cc"
"$SOURCE_DIR/tests/docs_links.sh" "$prefix/share/doc/simhash" || fail "links of the installed documentation"

# Each block gets a file NUMBER.LANGUAGE, and the comment above it NUMBER.mark.
mkdir blocks
awk '/^```/ && !inside { inside = 1; n++; language = substr($0, 4); if (language == "") language = "none"
		file = sprintf("blocks/%02d.%s", n, language); printf "" >file
		if (last ~ /^<!--/) print last >sprintf("blocks/%02d.mark", n); next }
	/^```/ { inside = 0; close(file); next }
	inside { print >file; next }
	/^    / { print "indented block in line " NR ": " $0 >"blocks/indented" }
	{ last = $0 }' "$readme"
[ ! -e blocks/indented ] || fail "$(cat blocks/indented)"
same "kinds of blocks" "c console ini sh" \
	"$(find blocks -name '[0-9]*' ! -name '*.mark' | sed 's/.*\.//' | sort -u | paste -sd ' ')"

# A home as the README expects it.
mkdir -p home && cp "$HOME/.my.cnf" home 2>/dev/null || true
export HOME=$TEST_FOLDER/home
cd "$HOME"
if [ "$TEST_ENGINE" = mysql ]; then
	mariadb -e 'DROP DATABASE simhash' # the README creates it
fi
mkdir -p documents archive src/old src/node_modules src/build logs
seq 20000 24000 | factor >documents/draft.txt
sed 100,110d documents/draft.txt >documents/final.txt
seq 30000 34000 | factor >documents/report.odt
sed 7d documents/report.odt >archive/report.odt
cp documents/final.txt archive
seq 9 | gzip >archive/unknown.bin
seq 500 | sed 's/.*/int variable_&;/' >src/main.c
sed 9d src/main.c >src/old/main.c
cp src/main.c src/node_modules/copy.c
echo build >src/.gitignore
echo object >src/main.o
seq 40000 41000 | factor >logs/today.log
sed 3d logs/today.log >logs/yesterday.log
cp logs/yesterday.log logs/old.log && gzip logs/old.log
awk '/^    # 16 lines/ { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' \
	"$prefix/share/doc/simhash/docs/algorithm.md" >my-tags.txt

# session: run the commands of standard input on a terminal without colours, as a user types them
session() {
	{
		printf 'export NO_COLOR=1 PAGER=cat HOME=%q\n' "$PWD"
		while read -r line; do
			[[ $line = '$ '* ]] || continue
			printf 'printf "%%s\\n" %q\n' "$line"
			# No file may change in the same clock tick in which it is scanned.
			echo 'find "$HOME" -name "*.txt" -execdir touch -d 2020-01-01 {} +'
			printf '%s\n' "${line#'$ '}"
		done
	} >session
	script -qec "bash -eu session" /dev/null </dev/null | sed "s/\r$//; s/^.*\r\x1b\[K//; s|$PWD|/home/ada|g"
	rm session
}
without_times() {
	sed -E 's/in [0-9.]+ s \([0-9.]+ [kMG]?B\/s\)$/in N s (N B\/s)/'
}
console=$(find "$TEST_FOLDER/blocks" -name '*.console')
mkdir session.home
cd session.home
session <"$console" >../found
cd ..
rm -rf session.home
if [ -n "${WRITE:-}" ]; then
	awk '/^```console$/ { print; while ((getline line < "found") > 0) print line; skip = 1 }
		/^```$/ { skip = 0 } !skip' "$readme" >written
	cp written "$readme"
	cp found "$console"
fi
diff <(without_times <"$console") <(without_times <found) || fail "the session of the README prints something else"
grep -Eq '^ *>?[0-9]+ %' found || fail "the session finds nothing: $(cat found)"

ran=0
for block in "$TEST_FOLDER"/blocks/*.{sh,c}; do echo "$block"; done | sort >"$TEST_FOLDER/order"
while read -r block; do
	mark=$(cat "${block%.*}.mark" 2>/dev/null || true)
	case $mark in
	"") ;;
	'<!-- not run: '*) continue ;;
	'<!-- save as '*) ;;
	'<!-- server -->') [ "$TEST_ENGINE" = mysql ] || continue ;;
	*) fail "unknown mark: $mark" ;;
	esac
	if [ "${block##*.}" = c ]; then
		mark=${mark#'<!-- save as '}
		cp "$block" "${mark%' -->'}"
		continue
	fi
	ran=$((ran + 1))
	# Every command of a block must succeed, as for a reader who types it.
	bash -eu -o pipefail "$block" >out 2>err </dev/null || fail "$(cat "$block"): $(cat err)"
	echo "== $(head -n 1 "$block")"
	cat out err
done <"$TEST_FOLDER/order" >"$TEST_FOLDER/log"
[ $ran -gt 15 ] || fail "only $ran blocks"
# Results that some blocks promise.
same "tags counted by the program" "$(simhash --print documents/report.odt | awk '$1 == "sum" { print $3 }' | paste -sd ' ')" \
	"$(./program <documents/report.odt | paste -sd ' ')"
[ archive/final.txt -ef documents/final.txt ] || fail "the copies were not replaced by links: $(cat copies.sh)"
# Some copies have become links since the README listed the parts.
for i in 1 2 3; do
	simfind -q --partition=$i/3 --format=csv -o part$i.csv
done
same "pairs of the parts" "$(simfind --summary=none --format=csv | tail -n +2 | sort)" \
	"$(tail -q -n +2 part[123].csv | sort)"
same "rows of what was forgotten" 0 "$(sqlite3 .local/share/simhash/simhash.db \
	"SELECT count(*) FROM file_text WHERE directory LIKE '%/src/old'")"
