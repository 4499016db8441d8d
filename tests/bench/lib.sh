# shellcheck shell=bash
# Shared by the benchmarks; each sources it after setting $build.
set -euo pipefail
: "${build:?is for who sources this to set}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT

for tool in xxhsum b3sum ssdeep; do
	command -v "$tool" >/dev/null || {
		echo "needs $tool (Debian: xxhash b3sum ssdeep)" >&2
		exit 1
	}
done

# timed COMMAND...: sets $wall to its wall time and $work to its processor time in seconds, and
# $peak to its peak memory in KiB
timed() {
	"$build/tests/measure" "$folder/measured" "$@" >/dev/null 2>&1 || true
	# shellcheck disable=SC2034  # for who sources this
	read -r wall work peak <"$folder/measured"
}

# best ROUNDS COMMAND...: sets $wall to the least wall time of several runs
best() {
	local rounds=$1 least=
	shift
	for _ in $(seq "$rounds"); do
		timed "$@"
		least=$(awk -v a="${least:-$wall}" -v b="$wall" 'BEGIN { print a < b ? a : b }')
	done
	wall=$least
}

# Drop the caches; false if that is not allowed.
drop_caches() {
	sync
	echo 3 2>/dev/null >/proc/sys/vm/drop_caches
}

# row NAME SECONDS BYTES BASE: print a line with the rate, and the time as a multiple of BASE
row() {
	awk -v name="$1" -v t="$2" -v bytes="$3" -v base="$4" 'BEGIN {
		printf "%-34s %9.2f s %9.0f MB/s %8.2f\n", name, t, bytes / t / 1e6, t / base }'
}
