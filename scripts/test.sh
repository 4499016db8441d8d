#!/usr/bin/env bash
# Install what is missing, build, and run every test: as released, and again under
# AddressSanitizer and UndefinedBehaviorSanitizer (asan) and ThreadSanitizer (tsan); on
# x86-64 also the library built for 64-bit ARM, under qemu-user; and each fuzz target for
# some seconds. Every test runs as released; the presets of the sanitizers leave out those
# that have nothing for them, see CMakePresets.json.
#
#     scripts/test.sh [PRESET]...      (default: release asan tsan arm64 fuzz)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then
	presets=(release asan tsan)
	# On ARM itself all tests are tests of the ARM kernel.
	[ "$(uname -m)" != x86_64 ] || presets+=(arm64)
	presets+=(fuzz)
fi
packages=("${build_packages[@]}" "${test_packages[@]}" shellcheck clang-format)
[[ " ${presets[*]} " != *" arm64 "* ]] || packages+=("${arm64_packages[@]}")
need_packages "${packages[@]}"

if command -v apt-get >/dev/null; then
	get_spider "$PWD/build-spider"
fi

echo "Checking the scripts"
shellcheck -x -S warning scripts/*.sh tests/*.sh tests/*/*.sh .ci/run
# Versions of clang-format differ in what they want; ours is 14.
if clang-format --version | grep -q 'version 14\.'; then
	echo "Checking the layout of the code"
	clang-format --dry-run -Werror src/*/*.[ch] src/*/*/*.[ch] include/*.h tests/*.[ch] \
		tests/*/*.[ch]
else
	echo "Layout not checked: that needs clang-format 14, and here is $(clang-format --version)"
fi

for preset in "${presets[@]}"; do
	echo
	echo "== $preset"
	if [ "$preset" = fuzz ]; then
		scripts/fuzz.sh 6
		continue
	fi
	[ "$preset" != arm64 ] || get_arm64_libraries "$PWD/build-arm64/libraries"
	cmake --preset "$preset" >"build-$preset.log" || {
		cat "build-$preset.log"
		exit 1
	}
	cmake --build --preset "$preset" --parallel "$(nproc)" >>"build-$preset.log" || {
		cat "build-$preset.log"
		exit 1
	}
	rm "build-$preset.log"
	# One more than there are processors: some tests wait for their clocks and servers.
	ctest --preset "$preset" --parallel $(($(nproc) + 1)) --no-tests=error | tee "build-$preset/tests.log"
	if grep -qE '\*\*\*(Skipped|Not Run)' "build-$preset/tests.log"; then
		echo "A test was skipped, and that is a failure." >&2
		exit 1
	fi
done
