#!/usr/bin/env bash
# Have the sources read by gcc's analyzer, cppcheck and clang-tidy. Whatever they find that is
# not among tests/analyse.exceptions, each with its reason, is a failure; so is an exception
# that none of them needs any more.
#
#     scripts/analyse.sh [gcc|cppcheck|clang-tidy]...      (default: all three)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

tools=("$@")
[ ${#tools[@]} -gt 0 ] || tools=(gcc cppcheck clang-tidy)
need_packages "${build_packages[@]}" cppcheck clang clang-tidy
build=$PWD/build-analyse
mkdir -p "$build"
configure() {
	cmake -S . -B "$build/$1" -DBUILD_TESTING=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}" >/dev/null
}

# Each finding becomes a line: TOOL CHECK FILE:LINE MESSAGE
findings=$build/findings
: >"$findings"
note() {
	sed "s|$PWD/||g" | sort -u | tee -a "$findings" | wc -l
}
for tool in "${tools[@]}"; do
	case $tool in
	gcc)
		# Its check for leaks takes what a caller is given in a structure for lost; leaks are
		# looked for by AddressSanitizer, valgrind and the tests of faults.
		configure gcc -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc \
			"-DCMAKE_C_FLAGS=-fanalyzer -Wno-analyzer-malloc-leak"
		cmake --build "$build/gcc" --parallel "$(nproc)" --clean-first 2>&1 >/dev/null |
			sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: warning: \(.*\) \[-W\([^]]*\)\]$/gcc \3 \1 \2/p' | note
		;;
	cppcheck)
		configure cppcheck -DCMAKE_C_COMPILER=gcc
		cmake --build "$build/cppcheck" --parallel "$(nproc)" >/dev/null
		cppcheck --project="$build/cppcheck/compile_commands.json" -j "$(nproc)" --quiet \
			--enable=warning,performance,portability --suppress=missingIncludeSystem \
			--template='cppcheck {id} {file}:{line} {message}' 2>&1 | note
		;;
	clang-tidy)
		configure clang -DCMAKE_C_COMPILER=clang
		cmake --build "$build/clang" --parallel "$(nproc)" >/dev/null
		# The ARM kernel is not built here, and AVX is all intrinsics.
		find src -name '*.c' ! -path '*/arm/*' ! -path '*/x86/*' -print0 |
			xargs -0 -n 4 -P "$(nproc)" clang-tidy -p "$build/clang" -quiet 2>/dev/null |
			sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: warning: \(.*\) \[\([^]]*\)\]$/clang-tidy \3 \1 \2/p' | note
		;;
	*)
		echo "analyse.sh: unknown tool '$tool': expected gcc, cppcheck or clang-tidy" >&2
		exit 1
		;;
	esac
done

# An exception is TOOL CHECK FILE, and a comment above it.
failed=0
while read -r tool check place message; do
	if ! grep -qx "$tool $check ${place%:*}" tests/analyse.exceptions; then
		echo "$tool: $place: $message [$check]"
		failed=1
	fi
done <"$findings"
while read -r tool check file; do
	case $tool in "" | "#"*) continue ;; esac
	[[ " ${tools[*]} " == *" $tool "* ]] || continue
	grep -q "^$tool $check $file:" "$findings" || {
		echo "tests/analyse.exceptions: nothing is found any more by: $tool $check $file"
		failed=1
	}
done <tests/analyse.exceptions
exit $failed
