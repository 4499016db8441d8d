#!/usr/bin/env bash
# Build the fuzz targets of tests/fuzz with clang, and run each of them for some time, starting with
# its corpus and the inputs that earlier runs found. Inputs that make a target fail are reported and
# kept.
#
#     scripts/fuzz.sh [SECONDS] [TARGET]...      (default: 60 seconds, all targets)
#
# New inputs stay in build-fuzz/work/TARGET: corpus/ grows from run to run, and failures/ contains
# the inputs that failed. To repeat one: build-fuzz/tests/fuzz/fuzz_TARGET INPUT.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

seconds=60
if [[ ${1-} =~ ^[0-9]+$ ]]; then
	seconds=$1
	shift
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
	for source in tests/fuzz/fuzz_*.c; do
		target=${source#tests/fuzz/fuzz_}
		targets+=("${target%.c}")
	done
fi
need_packages "${build_packages[@]}" "${fuzz_packages[@]}"

cmake --preset fuzz >build-fuzz.log && cmake --build --preset fuzz --parallel "$(nproc)" \
	>>build-fuzz.log || {
	cat build-fuzz.log
	exit 1
}
rm build-fuzz.log

work=$PWD/build-fuzz/work
# Some targets need files, and create them in memory if possible.
scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")" fuzz.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1

# Check the output of the writers with Python: for the corpus, and for some inputs that were found.
check_writers() {
	local input found
	mapfile -t found < <(find "$work/writers/corpus" -type f | sort | head -100)
	for input in tests/fuzz/corpus/writers/* "${found[@]}"; do
		SIMHASH_FUZZ_OUTPUT=$scratch build-fuzz/tests/fuzz/fuzz_writers "$input" 2>/dev/null &&
			python3 tests/fuzz/check_writers.py "$scratch" && continue
		echo "writers failed: $input" >&2
		return 1
	done
}

# fuzz TARGET: run it; new inputs are in its folder
fuzz() {
	local folder=$work/$1 status=0
	mkdir -p "$folder/corpus" "$folder/failures"
	# Targets read few bytes, and every input should take a short time.
	build-fuzz/tests/fuzz/fuzz_"$1" -max_total_time="$seconds" -max_len=4096 \
		-timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$folder/failures/" "$folder/corpus" "tests/fuzz/corpus/$1" \
		</dev/null >"$folder/log" 2>&1 || status=$?
	echo $status >"$folder/status"
}

# Run as many targets at once as there are processors.
for target in "${targets[@]}"; do
	[ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
	fuzz "$target" &
done
wait

executions=0 failed=0
for target in "${targets[@]}"; do
	folder=$work/$target
	if [ "$(cat "$folder/status")" != 0 ]; then
		grep -E 'does not hold|ERROR|runtime error|SUMMARY' "$folder/log" >&2 ||
			tail -20 "$folder/log" >&2
		echo "$target failed: $(sed -n 's/.*Test unit written to //p' "$folder/log")" \
			"(see $folder/log)" >&2
		failed=$((failed + 1))
	fi
	count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
	echo "$target: ${count:-0} executions"
	executions=$((executions + ${count:-0}))
	[ "$target" != writers ] || check_writers || failed=$((failed + 1))
done
if [ "$failed" != 0 ]; then
	echo "${#targets[@]} targets, $executions executions, $failed failed" >&2
	exit 1
fi
echo "${#targets[@]} targets, $executions executions, no failure"
