#!/usr/bin/env bash
# Tests a project that adds this one with add_subdirectory: it gets the libraries, with the same
# names as from find_package, and no programs, tests, packages or files to install.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

mkdir project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(other VERSION 7.8 LANGUAGES C)
enable_testing()
add_subdirectory("$SOURCE_DIR" simhash)
foreach(library simhash static)
  add_executable(with_\${library} "$SOURCE_DIR/tests/install/example.c")
  target_link_libraries(with_\${library} PRIVATE simhash::\${library})
endforeach()
END
cmake -S project -B build -DCMAKE_C_FLAGS="${TEST_CFLAGS:-}" >cmake.log 2>&1 || fail "$(cat cmake.log)"
cmake --build build -j "$(nproc)" >build.log 2>&1 || fail "$(tail -n 20 build.log)"

for library in simhash static; do
	same "keys by $library" "12 12" "$(printf '\0\0' | "build/with_$library" name)"
done
find build -type f -perm -100 ! -path '*/CMakeFiles/*' -printf '%P\n' | LC_ALL=C sort >executables
same "programs" "with_simhash with_static" "$(grep -vF '.so' executables | xargs)"
same "libraries for two programs" "libsimhash.a" "$(find build -name 'libsimhash.a' -printf '%f\n')"
for library in index report; do
	[ ! -e "build/simhash/libsimhash_$library.a" ] || fail "built for nobody: libsimhash_$library.a"
done
ctest --test-dir build -N >tests
grep -qx 'Total Tests: 0' tests || fail "tests: $(cat tests)"
for name in CPackConfig.cmake DartConfiguration.tcl; do
	[ ! -e "build/$name" ] && [ ! -e "build/simhash/$name" ] || fail "made: $name"
done
cmake --install build --prefix "$PWD/usr" >install.log
same "installed" "" "$(find usr -type f 2>/dev/null || true)"
same "build type of the project" "" "$(sed -n 's/^CMAKE_BUILD_TYPE:.*=//p' build/CMakeCache.txt)"
