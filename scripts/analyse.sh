#!/usr/bin/env bash
# Check the sources with gcc's analyzer, cppcheck and clang-tidy. A finding is a failure unless
# tests/analyse.exceptions lists it with a reason. An exception that is no longer needed is also a
# failure.
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

# Each finding becomes one line: TOOL CHECK FILE:LINE MESSAGE
findings=$build/findings
: >"$findings"
note() {
	sed "s|$PWD/||g" | sort -u | tee -a "$findings" | wc -l
}
for tool in "${tools[@]}"; do
	case $tool in
	gcc)
		# Its leak check assumes that memory in a structure for the caller is lost.
		# AddressSanitizer, valgrind and the tests of faults look for leaks instead.
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
		# The ARM kernel is not built here, and the AVX kernels consist of intrinsics.
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

# An exception is a line TOOL CHECK FILE with a comment above it.
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
