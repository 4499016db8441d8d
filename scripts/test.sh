#!/usr/bin/env bash
# Install missing packages, build, and run the tests. PRESETs are
#
#     release  every test, with the build for releases
#     bare     the same on a new bare Debian (scripts/bare-machine.sh); needs root
#     asan     built by clang, under AddressSanitizer and UndefinedBehaviorSanitizer
#     tsan     under ThreadSanitizer
#     arm64    the library built for 64-bit ARM, under qemu-user on x86-64
#     fuzz     each fuzz target for some seconds
#     packages the packages and the wheel are made, checked, installed, upgraded and removed
#              (scripts/packages.sh); only on a bare machine, whose system they change
#     clang    a release built by clang, and the tests of the libraries, without a server and emulated
#              kernels
#
# asan, tsan, arm64 and clang skip tests that cannot find more with them, by label: see
# CMakePresets.json.
#
#     scripts/test.sh [PRESET]...
#
# By default, all presets except for packages and clang run; as root, bare replaces release if possible.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then
	presets=(release fuzz asan tsan)
	# On an ARM machine, all tests use the ARM kernel.
	[ "$(uname -m)" != x86_64 ] || presets+=(arm64)
	if [ "$(id -u)" = 0 ] && [ -z "${SIMHASH_BARE_MACHINE:-}" ]; then
		command -v debootstrap >/dev/null || need_packages debootstrap
		reason=$(scripts/bare-machine.sh --check)
		if [ -z "$reason" ]; then
			presets[0]=bare
		else
			echo "The preset release runs on this machine: no bare one can be made, since $reason"
		fi
	fi
fi
# This needs few packages, and more of them would hide one that is not named.
[ "${presets[*]}" != packages ] || exec scripts/packages.sh
wants() {
	[[ " ${presets[*]} " == *" $1 "* ]]
}
packages=("${build_packages[@]}" "${test_packages[@]}" shellcheck clang-format)
! wants clang || packages+=("${clang_packages[@]}")
! wants asan || packages+=("${clang_packages[@]}")
! wants arm64 || packages+=("${arm64_packages[@]}")
! wants bare || packages+=(debootstrap)
need_packages "${packages[@]}"

# Several tests build all sources again, some of them with another home folder.
export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}

if command -v apt-get >/dev/null; then
	get_spider "$PWD/build-spider"
fi

# in_parts COMMAND...: run it with the files named on standard input, in parts, on all processors
in_parts() {
	xargs -r -n 16 -P "$(nproc)" "$@"
}
echo "Checking the scripts"
ls scripts/*.sh tests/*.sh tests/*/*.sh .ci/run | in_parts shellcheck -x -S warning
# Versions of clang-format produce different results; this project uses 14.
if clang-format --version | grep -q 'version 14\.'; then
	echo "Checking the layout of the code"
	ls src/*/*.[ch] src/*/*/*.[ch] src/*/*/*/*.[ch] include/*.h tests/*.[ch] tests/*/*.[ch] |
		in_parts clang-format --dry-run -Werror
else
	echo "Layout not checked: that needs clang-format 14, and here is $(clang-format --version)"
fi

for preset in "${presets[@]}"; do
	echo
	echo "== $preset"
	case $preset in
	fuzz)
		scripts/fuzz.sh 2
		continue
		;;
	bare)
		scripts/bare-machine.sh --user=root --cache=build-bare release
		continue
		;;
	esac
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
	# One more job than processors, because some tests wait for clocks and servers.
	ctest --preset "$preset" --parallel $(($(nproc) + 1)) --no-tests=error | tee "build-$preset/tests.log"
	if grep -qE '\*\*\*(Skipped|Not Run)' "build-$preset/tests.log"; then
		echo "A test was skipped, and that is a failure:" >&2
		awk '/^[0-9]+\/[0-9]+ Test: / { test = $3 } /^SKIPPED: / { sub(/^SKIPPED: /, ""); print test ": " $0 }' \
			"build-$preset/Testing/Temporary/LastTest.log" >&2
		exit 1
	fi
done
