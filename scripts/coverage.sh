#!/usr/bin/env bash
# Build with counters, run the tests, and print which share of the lines and branches of each
# file they run, and which lines none of them does. docs/reliability.md says why.
#
#     scripts/coverage.sh [CTEST-OPTION]...      (such as -R '^cli'; default: all tests)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
need_packages "${build_packages[@]}" "${test_packages[@]}" gcovr
get_spider "$PWD/build-spider"

cmake --preset coverage >build-coverage.log && cmake --build --preset coverage --parallel "$(nproc)" \
	>>build-coverage.log || {
	cat build-coverage.log
	exit 1
}
rm build-coverage.log
# Some tests run the programs as another user, who is to write counts too.
umask 000
chmod -R a+rwX build-coverage
find build-coverage -name '*.gcda' -delete
# Killed programs leave no counts, and the memory of those that valgrind runs is no other.
ctest --preset coverage --parallel $(($(nproc) + 1)) --no-tests=error -E '^(memcheck|install)' "$@" |
	tail -n 5
# What is allocated and fails, and other branches that compilers add, are not told apart.
gcovr --root . --filter src/ --exclude 'src/core/(arm|x86)/' --gcov-ignore-parse-errors \
	--exclude-unreachable-branches --txt build-coverage/lines.txt --txt-metric line \
	--print-summary build-coverage 2>build-coverage/gcovr.log ||
	gcovr --root . --filter src/ --exclude-unreachable-branches --print-summary \
		--output build-coverage/lines.txt build-coverage
cat build-coverage/lines.txt
gcovr --root . --filter src/ --exclude-unreachable-branches --branches build-coverage |
	tee build-coverage/branches.txt | tail -n 3
