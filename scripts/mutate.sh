#!/usr/bin/env bash
# Break one important line at a time, in a copy of the tree, and check that a test fails, because a
# test that cannot fail is useless.
#
#     scripts/mutate.sh [NUMBER]...      (default: every mutation)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
need_packages "${build_packages[@]}" "${test_packages[@]}"

copy=$PWD/build-mutate/source build=$PWD/build-mutate/build
rm -rf "$copy" && mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
cmake -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Release >/dev/null

wanted=("$@") number=0 survived=0
# mutate WHAT FILE SED TESTS: change one line, and run the tests that match the pattern
mutate() {
	local what=$1 file=$2 change=$3 tests=$4
	number=$((number + 1))
	[ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $number "* ]] || return 0
	cp "$file" "$copy/$file"
	sed -i "$change" "$copy/$file"
	[ "$(diff "$file" "$copy/$file" | grep -c '^>')" = 1 ] || {
		echo "mutation $number, $what: changes no line, or several, of $file" >&2
		exit 1
	}
	cmake --build "$build" --parallel "$(nproc)" >"$build.log" 2>&1 || {
		cat "$build.log"
		exit 1
	}
	if (cd "$build" && ctest --parallel "$(nproc)" --no-tests=error --stop-on-failure -R "$tests") >"$build.log" 2>&1; then
		echo "$number  SURVIVED  $what ($file)"
		survived=$((survived + 1))
	else
		echo "$number  caught by $(sed -n 's/^.*[0-9] - \([^ ]*\) (.*/\1/p' "$build.log" | sort -u | paste -sd' ')  $what"
	fi
	cp "$file" "$copy/$file"
}

mutate "a counted tag blocks one position too few" src/core/automaton.c \
	's/\(state->skip\[t\] = WINDOW - \)1;/\12;/' '^core'
mutate "weights round up" src/core/key.c \
	's|count \* tags\[i\]\.skew / 1000|(count * tags[i].skew + 999) / 1000|' '^core'
mutate "a pair at exactly the tolerance is rejected" src/core/distance.c \
	's/\(distance \* twice_hundred_percent <\)=/\1/' '^(core|find)'
mutate "the search does not allow for rounded sums" src/find/pairs/join.c \
	's/(shift > 0 ? 1 + SUMS : 0)/0/' '^find|^cli.pairs'
mutate "the last row in reach is skipped" src/find/pairs/join.c \
	's/at < cell->end && room->third_sorted\[at\] <= most;/at < cell->end \&\& room->third_sorted[at] < most;/' '^find|^cli.pairs'
mutate "a file that changed within the tick of its scan counts as unchanged" src/index/compare/reconcile.c \
	's/\(scanned_at_ns - (uint64_t)known->mtime_ns >= \)tick/\10/' '^cli.incremental'
mutate "a directory that cannot be examined counts as removed" src/index/compare/vanished.c \
	's/(fd < 0 && (errno == ENOENT/(fd < 0 \&\& (true || errno == ENOENT/' '^(cli.incremental|faults)'
mutate "opening a file follows links" src/scan/file/scan_file.c \
	's/(scanner->follow ? 0 : O_NOFOLLOW)/0/' '^faults.sqlite'
mutate "a failed transaction is committed" src/store/open/store.c \
	's/"ROLLBACK", &ignored/"COMMIT", \&ignored/' '^(faults|kills|store)'
mutate "a plain connection is accepted although TLS was requested" src/store/engine/mysql_connect.c \
	's/if (!is_wanted || mode == TLS_DISABLED/if (true || mode == TLS_DISABLED/' '^cli.network'
mutate "markup in a name reaches the page" src/report/page/html.c \
	"s/ || c == '<'//" '^report.html|^cli.hostile'
mutate "a quotation mark in a field of CSV is not doubled" src/base/text/record.c \
	"s/while (has_quotes && /while (false \\&\\& /" '^base.record|^report.formatter|^cli.odd_names'
mutate "a block has one hit more than the cap" src/core/resemblance_template.h \
	's/count < most; group/count <= most; group/' '^core.resemblance'
mutate "a seam of 14 bytes is read from before the bytes of the caller" src/core/resemblance_scanner.c \
	's/(taken >= SHINGLE_OVERLAP)/(taken >= SHINGLE_OVERLAP - 1)/' '^core.resemblance'
[ "$survived" = 0 ] || {
	echo "$survived of the mutations survived" >&2
	exit 1
}
