#!/usr/bin/env bash
# Tests a build without the server's client library and libarchive, and with link-time optimization:
# everything works except for mysql:// and archives, where a message gives the reason. Without only
# expat and libtsk, the code for archives compiles.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cmake -S "$SOURCE_DIR" -B without -DSIMHASH_MYSQL=OFF -DSIMHASH_ARCHIVES=OFF -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" \
	-DSIMHASH_WERROR=ON -DSIMHASH_LTO=ON >cmake.log
cmake --build without --target simhash simfind -j "$(nproc)" >build.log 2>&1 || fail "$(tail build.log)"
grep -q -- -flto without/CMakeFiles/simhash.dir/flags.make || fail "not optimized when linked"
seq 1000 >"$files/linked"
runs 0 without/simhash -q --print "$files/linked"
mv out expected
runs 0 "$SIMHASH" -q --print "$files/linked"
cmp out expected || fail "optimized when linked, it prints something else"
rm "$files/linked"
cmake -G 'Unix Makefiles' -S "$SOURCE_DIR" -B textless -DSIMHASH_MYSQL=OFF -DSIMHASH_DOCUMENTS=OFF -DSIMHASH_IMAGES=OFF -DBUILD_TESTING=OFF >cmake.log
make -C textless src/scan/document/document_none.o src/scan/archive/unpacker.o src/scan/archive/container_level.o \
	src/scan/archive/unpacker_text.o src/scan/archive/container_image.o src/scan/image/image_none.o >build.log 2>&1 || fail "$(tail build.log)"
if ldd without/simhash without/simfind | grep -Ei 'mysql|mariadb|archive|expat|libtsk|libewf'; then
	fail "linked with the client library"
fi

# The user who builds can choose one of two client libraries, which a small project shows.
mkdir -p client/found
cat >client/CMakeLists.txt <<PROJECT
cmake_minimum_required(VERSION 3.21)
project(client LANGUAGES C)
find_package(PkgConfig REQUIRED)
include($SOURCE_DIR/cmake/optional_library.cmake)
mysql_client_modules(modules)
optional_library(mysql OPTION SIMHASH_MYSQL MODULES \${modules} LIBRARY client GIVES it)
PROJECT
printf 'Name: a client\nDescription: of a server\nVersion: 1.1\nLibs: -lc\n' >client/found/libmariadb.pc
printf 'Name: a client\nDescription: of a server\nVersion: 2.2\nLibs: -lc\n' >client/found/mysqlclient.pc
configure() { # STATUS [OPTION]...
	rm -rf client/build
	runs "$1" env PKG_CONFIG_LIBDIR="$PWD/client/found" cmake -S client -B client/build "${@:2}"
}
configure 0
grep -q 'it: built in, by client 1.1' out || fail "not MariaDB's: $(cat out)"
configure 0 -DSIMHASH_MYSQL_CLIENT=mysql
grep -q 'it: built in, by client 2.2' out || fail "not MySQL's: $(cat out)"
configure 1 -DSIMHASH_MYSQL_CLIENT=oracle
said "SIMHASH_MYSQL_CLIENT is oracle: expected mariadb, mysql or AUTO"
rm client/found/mysqlclient.pc
configure 0 -DSIMHASH_MYSQL_CLIENT=mysql
grep -q 'it: not built in' out || fail "another library: $(cat out)"
configure 1 -DSIMHASH_MYSQL_CLIENT=mysql -DSIMHASH_MYSQL=ON
said "SIMHASH_MYSQL is ON, but client was not found"

seq 1000 >"$files/a"
cp "$files/a" "$files/b"
runs 0 without/simhash "$files"
same "that documents are not read" 1 "$(grep -c '^simhash: documents are compared as files, without their text, because' err)"
runs 0 without/simhash --no-documents "$files"
same "without documents" 0 "$(grep -c 'documents' err || true)"
runs 0 without/simfind
same "pairs" 1 "$(grep -c ^identical out)"
for program in simhash simfind; do
	runs 1 without/$program -d mysql://user@host/database "$files/a"
	said "cannot open index mysql://user@host/database: mysql:// was not built in"
done
runs 0 without/simhash --version
grep -q 'built without mysql' out || fail "--version does not say so"
! grep -q '^containers:.* text' out || fail "--version mentions texts"
grep -q 'containers: gzip (built without libarchive)' out || fail "--version does not mention archives"
runs 1 without/simhash --decompress=zip "$files"
said "--decompress 'zip': this simhash was built without zip; build it with libarchive"

# Archives: the message appears if archives are requested, or if rows of members would be removed.
gzip -k "$files/a"
(cd "$files" && python3 -m zipfile -c x.zip a b)
settle "$files"
runs 0 without/simhash -z "$files"
said "simhash: -z can read only gzip files, because this simhash was built without libarchive"
same "content of files" "$files/a.gz//a" "$(sql "SELECT path FROM file_text WHERE compressed_size > 0")"
runs 0 without/simhash --print -z "$files/x.zip"
runs 0 without/simfind -z "$files/x.zip"
built_with archives || exit 0
runs 0 "$SIMHASH" -z "$files"
(cd "$files" && python3 -m zipfile -c x.zip a)
runs 2 without/simhash "$files"
said "x.zip: Has changed, and its members are removed from the index: this simhash is built without libarchive"
same "members" 0 "$(sql "SELECT COUNT(*) FROM file_text WHERE path LIKE '%x.zip//%'")"
runs 0 without/simhash "$files"
