#!/usr/bin/env bash
# Tests the installed tree: programs, libraries for other programs, manual pages, SQL, documentation
# and completions. It must also work after it is moved.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

number() {
	sed -n "s/^#define SIMHASH_VERSION_$1 //p" "$SOURCE_DIR/include/simhash.h"
}
soversion=$(number MAJOR)
same "version" "$soversion.$(number MINOR).$(number PATCH)" \
	"$(sed -n 's/^#define SIMHASH_VERSION "\(.*\)"/\1/p' "$SOURCE_DIR/include/simhash.h")"
cmake --install "$BINARY_DIR" --prefix "$PWD/usr" >install.log
for path in usr/bin/simhash usr/bin/simfind usr/bin/simkeep usr/include/simhash.h usr/include/simhash_measures.h \
	usr/include/simhash_resemblance.h usr/include/simhash_index.h \
	usr/share/man/man1/simhash.1 usr/share/man/man1/simfind.1 usr/share/man/man1/simkeep.1 \
	usr/share/simhash/sql/examples/all_pairs.sql \
	usr/share/doc/simhash/README.md usr/share/doc/simhash/copyright; do
	[ -f "$path" ] || fail "not installed: $path"
done
for path in "$SOURCE_DIR"/docs/*.md; do
	cmp "$path" "usr/share/doc/simhash/docs/${path##*/}" || fail "not installed: $path"
done
for completion in simhash.bash:bash-completion/completions/simhash \
	simhash.bash:bash-completion/completions/simfind simhash.bash:bash-completion/completions/simkeep _simhash:zsh/site-functions/_simhash \
	simhash.fish:fish/vendor_completions.d/simhash.fish \
	simfind.fish:fish/vendor_completions.d/simfind.fish simkeep.fish:fish/vendor_completions.d/simkeep.fish; do
	cmp "$BINARY_DIR/completions/${completion%:*}" "usr/share/${completion#*:}" ||
		fail "not installed: $completion"
done
same "files that others may write" "" "$(find usr ! -type l -perm -002)"

# uses PREFIX NAME: build another program with the files installed in PREFIX, with the flags of
# pkg-config and with find_package, and with each library
uses() {
	local prefix=$1 name=$2 library flags
	library=$(dirname "$(dirname "$(find "$prefix" -name simhash.pc)")")
	export PKG_CONFIG_PATH=$library/pkgconfig
	same "folder of headers" "$(realpath "$prefix/include")" \
		"$(realpath "$(pkg-config --variable=includedir simhash)")"
	same "folder of libraries" "$(realpath "$library")" \
		"$(realpath "$(pkg-config --variable=libdir simhash)")"
	flags=$(pkg-config --cflags --libs simhash)
	# shellcheck disable=SC2086  # flags are words
	${CC:-cc} ${TEST_CFLAGS:-} "$SOURCE_DIR/tests/install/example.c" -o "$name.shared" $flags \
		-Wl,-rpath,"$library"
	built "$name.shared" shared

	# With only the archive in the folder, -lsimhash is the archive.
	mkdir "$name.archive"
	cp "$library/libsimhash.a" "$name.archive"
	flags=$(pkg-config --static --cflags --libs simhash)
	[[ " $flags " = *" -lz "* ]] || fail "pkg-config --static does not name zlib: $flags"
	# shellcheck disable=SC2086
	${CC:-cc} ${TEST_CFLAGS:-} "$SOURCE_DIR/tests/install/example.c" -o "$name.static" \
		-L"$name.archive" $flags
	built "$name.static" static

	cmake -S "$SOURCE_DIR/tests/install/consumer" -B "$name.consumer" \
		-DWANTED_VERSION="$soversion.$(number MINOR)" \
		-DARCHIVES_HIDE_NAMES="$([ -f "$BINARY_DIR/simhash_whole.o" ] && echo ON || echo OFF)" \
		-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="${TEST_CFLAGS:-}" >cmake.log 2>&1 ||
		fail "find_package: $(cat cmake.log)"
	grep -qF "simhash_DIR:PATH=$library/cmake/simhash" "$name.consumer/CMakeCache.txt" ||
		fail "another simhash was found: $(grep simhash_DIR "$name.consumer/CMakeCache.txt")"
	cmake --build "$name.consumer" >build.log 2>&1 || fail "$(cat build.log)"
	built "$name.consumer/with_simhash" shared
	built "$name.consumer/with_static" static
}

# built PROGRAM shared|static: it computes keys, and contains or loads the library
built() {
	same "$1" "12 12" "$(printf '\0\0' | "./$1" name)"
	same "$1, with an extension" "12 508299626684612620" "$(printf '\0\0' | "./$1" name.txt)"
	same "libraries of ours that $1 loads" "$([ "$2" = static ] || echo "libsimhash.so.$soversion")" \
		"$(readelf -d "$1" | grep -o 'libsimhash[^]]*' || true)"
}

uses "$PWD/usr" here
library=$(dirname "$(find usr -name libsimhash.a)")

# The libraries export exactly the names in exports.txt. An archive with private names could
# conflict with names of a program; with sanitizers they stay, as CMake says.
exported() {
	nm "$1" --defined-only "$library/$2" | awk -v library="${2%.*}" 'NF == 3 { print library, $3 }' | LC_ALL=C sort -u
}
for name in libsimhash libsimhash-index; do
	exported -D $name.so
done | LC_ALL=C sort >exported
diff "$SOURCE_DIR/tests/install/exports.txt" exported || fail "the shared libraries export other names"
if [ -z "${TEST_CFLAGS:-}" ] && [ -f "$BINARY_DIR/simhash_whole.o" ]; then
	for name in libsimhash libsimhash-index; do
		exported -g $name.a
	done | LC_ALL=C sort >exported
	diff "$SOURCE_DIR/tests/install/exports.txt" exported || fail "the archives export other names"
fi

# The example of each header compiles with the flags of pkg-config, and runs.
runs 0 usr/bin/simhash "$SOURCE_DIR/include"
for case in simhash:simhash simhash_measures:simhash simhash_resemblance:simhash simhash_index:simhash-index; do
	header=${case%:*}
	"$SOURCE_DIR/tests/install/example_of.sh" "usr/include/$header.h" >"$header.c"
	flags=$(PKG_CONFIG_PATH=$library/pkgconfig pkg-config --cflags --libs "${case#*:}")
	# shellcheck disable=SC2086  # flags are words
	${CC:-cc} ${TEST_CFLAGS:-} -Wall -Wextra -Werror "$header.c" -o "$header" $flags \
		-Wl,-rpath,"$library" 2>compile.log || fail "the example of $header.h: $(cat compile.log)"
done
same "example of simhash.h" 508299626684612611 "$(printf hello | ./simhash)"
same "example of simhash_measures.h" "0.859 of 7 features" "$(./simhash_measures)"
same "example of simhash_resemblance.h" "44 %" "$(./simhash_resemblance)"
./simhash_index >listed || fail "the example of simhash_index.h failed"
grep -qx "$(realpath "$SOURCE_DIR")/include/simhash.h $(stat -c %s "$SOURCE_DIR/include/simhash.h")" listed ||
	fail "the example of simhash_index.h: $(cat listed)"

# The headers alone, as C and as C++.
printf '#include <simhash_index.h>\n#include <simhash_resemblance.h>\n#include <simhash_measures.h>\n#include <simhash.h>\n' >header.c
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only -Iusr/include header.c
c++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -Iusr/include -x c++ header.c

for page in simhash simfind simkeep; do
	# EXAMPLES come early.
	! mandoc -Tlint -W warning "usr/share/man/man1/$page.1" | grep -v 'sections out of conventional order: Sh DESCRIPTION' >lint ||
		fail "$page.1: $(cat lint)"
	# The page and --help have the same options. Options of other programs are not marked as Fl
	# in the page.
	"usr/bin/$page" --help | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u >help.options
	grep -oE '\bFl -[a-z][a-z0-9-]+' "usr/share/man/man1/$page.1" | sed 's/^Fl /-/' | sort -u >page.options
	diff help.options page.options || fail "options of $page --help and of $page(1) differ"
done

# No file contains the path where it was built or installed, and everything works the same
# elsewhere.
for folder in "$BINARY_DIR" "$SOURCE_DIR" "$PWD"; do
	same "text files that name $folder" "" "$(grep -rIlF "$folder/" usr || true)"
done
mkdir elsewhere
mv usr elsewhere/tree
uses "$PWD/elsewhere/tree" moved
runs 0 elsewhere/tree/bin/simhash "$SOURCE_DIR/include"
runs 0 elsewhere/tree/bin/simfind
runs 0 elsewhere/tree/bin/simkeep
