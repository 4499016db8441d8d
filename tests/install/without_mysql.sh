#!/usr/bin/env bash
# Built without the server's client library and expat, all works but mysql:// and the text of documents,
# which say why. This build is
# also the one that is optimized when it is linked.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cmake -S "$SOURCE_DIR" -B without -DSIMHASH_MYSQL=OFF -DSIMHASH_DOCUMENTS=OFF -DBUILD_TESTING=OFF \
	-DSIMHASH_LTO=ON -DCMAKE_BUILD_TYPE=Release >cmake.log
cmake --build without -j "$(nproc)" >build.log 2>&1 || fail "$(tail build.log)"
grep -q -- -flto without/CMakeFiles/simhash.dir/flags.make || fail "not optimized when linked"
if ldd without/simhash without/simfind | grep -Ei 'mysql|mariadb'; then
	fail "linked with the client library"
fi
seq 1000 >"$files/a"
cp "$files/a" "$files/b"
runs 0 without/simhash "$files"
runs 0 without/simfind
same "pairs" 1 "$(grep -c ^identical out)"
for program in simhash simfind; do
	runs 1 without/$program -d mysql://user@host/database "$files/a"
	said "cannot open index mysql://user@host/database: mysql:// was not built in"
done
runs 0 without/simhash --version
grep -q 'built without mysql' out || fail "--version does not tell"
! grep -q '^containers:.* text' out || fail "--version tells of texts"
runs 1 without/simhash -z --container=text "$files"
said "--container 'text': this simhash was built without text; build it with libarchive and expat"
