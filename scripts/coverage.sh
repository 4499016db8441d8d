#!/usr/bin/env bash
# Build with counters, run the tests, and print the share of lines and branches in each file that
# they run, and the lines that no test runs. docs/lab/reliability.md explains the reasons.
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
# Killed programs write no counts. Tests under valgrind also run without it. Another user, as in
# cli.moving, cannot write counts.
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
