#!/usr/bin/env bash
# Install what is missing, build, and run every test: as released, and again under
# AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer.
#
#     scripts/test.sh [PRESET]...      (default: release asan ubsan tsan)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release asan ubsan tsan)
need_packages "${build_packages[@]}" "${test_packages[@]}" shellcheck clang-format

echo "Checking the scripts"
shellcheck -x -S warning scripts/*.sh tests/*.sh tests/*/*.sh .ci/run
# Versions of clang-format differ in what they want; ours is 14.
if clang-format --version | grep -q 'version 14\.'; then
	echo "Checking the layout of the code"
	clang-format --dry-run -Werror src/*/*.[ch] include/*.h tests/*.[ch] tests/*/*.c
else
	echo "Layout not checked: that needs clang-format 14, and here is $(clang-format --version)"
fi

for preset in "${presets[@]}"; do
	echo
	echo "== $preset"
	cmake --preset "$preset" >"build-$preset.log" || {
		cat "build-$preset.log"
		exit 1
	}
	cmake --build --preset "$preset" --parallel "$(nproc)" >>"build-$preset.log" || {
		cat "build-$preset.log"
		exit 1
	}
	rm "build-$preset.log"
	ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error | tee "build-$preset/tests.log"
	if grep -qE '\*\*\*(Skipped|Not Run)' "build-$preset/tests.log"; then
		echo "A test was skipped, and that is a failure." >&2
		exit 1
	fi
done
