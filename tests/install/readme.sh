#!/usr/bin/env bash
# Runs the commands of README.md, of docs/guide.md and of the EXAMPLES in the manual pages. They come from the unpacked
# packages for Debian, and run as they are written, in order. Each page gets a new home with the folders that it names; the
# manual pages run in ~/project. The session of the README must print the same output, except for times. With WRITE=1, the
# session is written again.
#
# A block below <!-- not run: REASON --> does not run. A block below <!-- server --> runs if there is a server. A block below
# <!-- save as FILE --> is a file. No other block may contain commands. In a manual page, these marks are comments, such as
# .\" not run: REASON
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
unset SIMHASH_DATABASE
server_home=$HOME

# Pack the build as it is: do not build again, compress little, and keep the names of functions for a sanitizer.
root=$TEST_FOLDER/root
strip=$([ -z "${TEST_CFLAGS:-}" ] && echo ON || echo OFF)
(cd "$BINARY_DIR" && cpack -G DEB -B "$TEST_FOLDER/packages" -D CPACK_CMAKE_GENERATOR=Ninja -D CPACK_STRIP_FILES="$strip" \
	-D CPACK_COMPONENTS_ALL='programs;library;development' -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -D CPACK_POST_BUILD_SCRIPTS= \
	-D CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS=OFF -D CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS=OFF) >cpack.log 2>&1 || fail "cpack: $(tail cpack.log)"
for package in simhash-similarity libsimhash1 libsimhash-dev; do
	dpkg-deb -x packages/"${package}"_*.deb "$root"
done
rm -r packages
doc=$root/usr/share/doc/simhash-similarity
"$SOURCE_DIR/tests/docs_links.sh" "$doc" || fail "links of the installed documentation"
library=$(dirname "$(find "$root" -name libsimhash.a)")
pkgconfig=$(dirname "$(find "$root" -name simhash.pc)")
# If a library is built for a sanitizer, programs that link it must be built the same way.
mkdir bin
printf '#!/bin/sh\nexec %s %s "$@"\n' "${CC:-cc}" "${TEST_CFLAGS:-}" >bin/cc
chmod +x bin/cc
export PATH=$root/usr/bin:$PWD/bin:$PATH PKG_CONFIG_PATH=$pkgconfig LD_LIBRARY_PATH=$library

# page_blocks PAGE: write each block to a file NUMBER.LANGUAGE in the folder blocks, and the comment above it to NUMBER.mark
page_blocks() {
	rm -rf "$TEST_FOLDER/blocks"
	mkdir "$TEST_FOLDER/blocks"
	awk -v folder="$TEST_FOLDER/blocks/" '/^```/ && !inside {
			inside = 1; n++; language = substr($0, 4); if (language == "") language = "none"
			file = sprintf("%s%02d.%s", folder, n, language); printf "" >file
			if (last ~ /^<!--/) print last >sprintf("%s%02d.mark", folder, n); next }
		/^```/ { inside = 0; close(file); next }
		inside { print >file; next }
		/^    / { print "indented block in line " NR ": " $0 >(folder "indented") }
		{ last = $0 }' "$1"
	[ ! -e "$TEST_FOLDER/blocks/indented" ] || fail "$1: $(cat "$TEST_FOLDER/blocks/indented")"
}

# manual_blocks NAME: the same for the EXAMPLES of a manual page
manual_blocks() {
	rm -rf "$TEST_FOLDER/blocks"
	mkdir "$TEST_FOLDER/blocks"
	gzip -dc "$root/usr/share/man/man1/$1.1.gz" | awk -v folder="$TEST_FOLDER/blocks/" '
		/^\.Sh / { examples = $2 == "EXAMPLES" }
		!examples { next }
		/^\.Bd/ { inside = 1; n++; file = sprintf("%s%02d", folder, n)
			if (sub(/^\.\\" /, "", last)) print "<!-- " last " -->" >(file ".mark"); next }
		/^\.Ed/ { inside = 0; close(file ".sh"); next }
		inside { gsub(/\\e/, "\\"); sub(/^\$ /, ""); print >(file ".sh"); next }
		{ last = $0 }'
}

# make_home: make a home with the folders that the pages name, and enter it
make_home() {
	rm -rf "${TEST_FOLDER:?}/home"
	mkdir "$TEST_FOLDER/home"
	cp "$server_home/.my.cnf" "$TEST_FOLDER/home" 2>/dev/null || true
	export HOME=$TEST_FOLDER/home
	cd "$HOME"
	mkdir -p documents archive old/reports src/old src/node_modules src/build logs pictures site music project/src Maildir/new
	mkdir -p backup-202{1,2,3}/photos phone-{a,b}/DCIM
	for year in 2021 2022 2023; do
		echo "report of $year" >backup-$year/report.txt
		seq 60000 61000 | factor >backup-$year/photos/beach.jpg
	done
	cp backup-2021/photos/beach.jpg phone-a/DCIM/IMG_1.jpg
	seq 61000 62000 | factor >phone-b/DCIM/IMG_2.jpg
	seq 20000 24000 | factor >documents/draft.txt
	sed 100,110d documents/draft.txt >documents/final.txt
	seq 30000 34000 | factor >documents/report.odt
	cp documents/report.odt documents/report.txt
	sed 7d documents/report.odt >archive/report.odt
	cp documents/final.txt archive
	seq 50000 54000 | factor >archive/unknown.bin
	cp documents/draft.txt old/reports/draft.txt
	sed 50,60d documents/draft.txt >old/reports/draft2.txt
	echo "only here" >old/notes.txt
	seq 500 | sed 's/.*/int variable_&;/' >src/main.c
	sed 9d src/main.c >src/old/main.c
	sed 11d src/main.c >archive/main.c
	cp src/main.c src/node_modules/copy.c
	echo build >src/.gitignore
	echo object >src/main.o
	cat documents/draft.txt old/notes.txt documents/report.odt >disk.img
	sed -n 100,110p documents/draft.txt >passage.txt
	sed -n 200,205p documents/final.txt >note.txt
	seq 40000 41000 | factor >logs/today.log
	sed 3d logs/today.log >logs/yesterday.log
	cp logs/yesterday.log logs/old.log && gzip logs/old.log
	seq 100 | sed 's/.*/int one_&;/' >project/src/one.c
	seq 800 900 | sed 's/.*/double &[2];/' >project/src/two.c
	awk '/^    # 16 lines/ { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' "$doc/docs/algorithm.md" >my-tags.txt
}

# run_blocks: run the blocks of a page in order, and write their output to the file log
run_blocks() {
	local block mark
	ran=0
	find "$TEST_FOLDER/blocks" -name '*.sh' -o -name '*.c' | sort >"$TEST_FOLDER/order"
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
}
printed() {
	grep -qF -- "$1" "$TEST_FOLDER/log" || fail "not printed: $1"
}

# session: run the commands of standard input on a terminal without colours, as a user types them
session() {
	{
		printf 'export NO_COLOR=1 PAGER=cat HOME=%q\n' "$PWD"
		while read -r line; do
			[[ $line = '$ '* ]] || continue
			printf 'printf "%%s\\n" %q\n' "$line"
			printf '%s\n' "${line#'$ '}"
		done
	} >session
	script -qec "bash -eu session" /dev/null </dev/null | sed "s/\r$//; s/^.*\r\x1b\[K//; s|$PWD|/home/ada|g"
	rm session
}
without_times() {
	sed -E 's/in [0-9.]+ s \([0-9.]+ [kMG]?B\/s\)$/in N s (N B\/s)/'
}

# ---- The README ----
page_blocks "$doc/README.md"
same "kinds of blocks in the README" "console sh" \
	"$(find blocks -name '[0-9]*' ! -name '*.mark' | sed 's/.*\.//' | sort -u | paste -sd ' ')"
console=$(find "$TEST_FOLDER/blocks" -name '*.console')
mkdir -p session.home/documents/{cv,old/cv}
cd session.home/documents
seq 20000 24000 | factor >cv/2024.odt
sed 500,650d cv/2024.odt >cv/2023.odt
seq 20000 22000 >cv/photo.jpg
cp cv/2023.odt cv/2024.odt old/cv
settle .
cd ..
session <"$console" >../found
cd ..
rm -r session.home
if [ -n "${WRITE:-}" ]; then
	awk '/^```console$/ { print; while ((getline line < "found") > 0) print line; skip = 1 }
		/^```$/ { skip = 0 } !skip' "$SOURCE_DIR/README.md" >written
	cp written "$SOURCE_DIR/README.md"
	cp found "$console"
fi
diff <(without_times <"$console") <(without_times <found) || fail "the session of the README prints something else"
grep -Eq '^ *>?[0-9]+ %' found || fail "the session finds nothing: $(cat found)"
make_home
run_blocks
[ $ran = 1 ] || fail "$ran blocks of the README ran"
printed "identical"

# ---- The guide ----
page_blocks "$doc/docs/guide.md"
same "kinds of blocks in the guide" "c ini sh text" \
	"$(find "$TEST_FOLDER/blocks" -name '[0-9]*' ! -name '*.mark' | sed 's/.*\.//' | sort -u | paste -sd ' ')"
if [ "$TEST_ENGINE" = mysql ]; then
	mariadb -e 'DROP DATABASE simhash' # the guide creates it
fi
make_home
run_blocks
[ $ran -gt 35 ] || fail "only $ran blocks of the guide ran"
# Results that some blocks promise.
same "removed files" 3 "$(grep -c '"state":"done"' removed.jsonl)"
[ -e documents/report.txt ] || fail "a removed file was not restored"
same "rest of the backup" "notes.txt reports/draft2.txt" "$(cd old && find . -type f | sed 's|^./||' | LC_ALL=C sort | xargs)"
printed "a file of src resembles one of archive"
same "tags counted by the program" "$(simhash --print documents/report.odt | awk '$1 == "sum" { print $3 }' | paste -sd ' ')" \
	"$(./program <documents/report.odt | paste -sd ' ')"
[ archive/final.txt -ef documents/final.txt ] || fail "the copies were not replaced by links: $(cat copies.sh)"
# Some copies have become links since the guide listed the parts.
for i in 1 2 3; do
	simfind --partition=$i/3 --format=csv -o part$i.csv --summary=none
done
same "pairs of the parts" "$(simfind --format=csv --summary=none | tail -n +2 | sort)" \
	"$(tail -q -n +2 part[123].csv | sort)"
same "rows of forgotten files" 0 "$(sqlite3 .local/share/simhash/simhash.db \
	"SELECT count(*) FROM file_text WHERE directory LIKE '%/src/old'")"

# ---- The manual pages ----
for page in simhash simfind simkeep; do
	manual_blocks $page
	make_home
	cd project
	run_blocks
	[ $ran -gt 3 ] || fail "only $ran examples of $page(1) ran"
done
