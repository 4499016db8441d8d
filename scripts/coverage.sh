#!/usr/bin/env bash
# Build with counters, run the tests, and print which share of the lines and branches of each
# file they run, and which lines none of them does. docs/lab/reliability.md says why.
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
find build-coverage -name '*.gcda' -delete
# Killed programs leave no counts, what valgrind runs is run without it as well, and another
# user, whom cli.moving is, cannot write them.
ctest --preset coverage --parallel $(($(nproc) + 1)) --no-tests=error \
	-E '^(memcheck|kills|install)|^cli.moving' "$@" >build-coverage/tests.log || {
	grep -A100 'tests passed' build-coverage/tests.log >&2
	exit 1
}
report=(gcovr --root . --filter src/ --exclude-unreachable-branches --gcov-ignore-parse-errors build-coverage)
"${report[@]}" --output build-coverage/lines.txt
"${report[@]}" --branches --output build-coverage/branches.txt
cat build-coverage/lines.txt
tail -n 3 build-coverage/branches.txt
