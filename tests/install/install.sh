#!/usr/bin/env bash
# The installed tree: programs, library for others to link, manual pages, SQL.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cmake --install "$BINARY_DIR" --prefix "$PWD/usr" >install.log
library=$(dirname "$(find usr -name simhash.pc)")
export PKG_CONFIG_PATH=$PWD/$library
for path in usr/bin/simhash usr/bin/simfind usr/include/simhash.h \
	usr/share/man/man1/simhash.1 usr/share/man/man1/simfind.1 \
	usr/share/simhash/sql/examples/all_pairs.sql; do
	[ -f "$path" ] || fail "not installed: $path"
done

# Linked by somebody else, with the shared and with the static library.
flags=$(pkg-config --cflags --libs simhash | sed "s|/[^ ]*/usr/|$PWD/usr/|g; s|-I/usr/local/|-I$PWD/usr/|; s|-L/usr/local/|-L$PWD/usr/|")
# shellcheck disable=SC2086  # flags are words
${CC:-cc} ${TEST_CFLAGS:-} "$SOURCE_DIR/tests/install/example.c" -o shared $flags -Wl,-rpath,"$PWD/${library%/pkgconfig}"
same "shared library" "12 12" "$(printf '\0\0' | ./shared name)"
# shellcheck disable=SC2086
${CC:-cc} ${TEST_CFLAGS:-} -Iusr/include "$SOURCE_DIR/tests/install/example.c" -o static \
	"${library%/pkgconfig}/libsimhash.a" -lz
same "static library" "12 508299626684612620" "$(printf '\0\0' | ./static name.txt)"
same "names exported beside the library's own" 0 \
	"$(nm -D --defined-only "${library%/pkgconfig}/libsimhash.so" | awk '$2 == "T"' | grep -vc ' simhash_' || true)"

# The header alone, as C and as C++.
echo '#include <simhash.h>' >header.c
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only -Iusr/include header.c

for page in simhash simfind; do
	mandoc -Tlint -W warning "usr/share/man/man1/$page.1" >lint || fail "$page.1: $(cat lint)"
	# Every option of --help is in the page, and the other way round.
	"usr/bin/$page" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u >help.options
	mandoc -Tutf8 "usr/share/man/man1/$page.1" | sed 's/.\x08//g' | grep -oE -- '--[a-z][a-z-]+' |
		sort -u >page.options
	diff help.options page.options || fail "options of $page --help and of $page(1) differ"
done
