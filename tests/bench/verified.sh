#!/usr/bin/env bash
# Measures the cost of resemblance sketches and verified pairs: runs with and without them, one
# after another. The last column is the processor time divided by the time of the run without.
#
#     tests/bench/verified.sh [BUILD [TREE [ROUNDS [KERNEL...]]]]   (default: build /usr 3, the fastest)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
rounds=${3:-3}
kernels=("${@:4}")
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
[ ${#kernels[@]} -gt 0 ] ||
	kernels=("$("$build/simhash" --version | sed -n 's/scan kernel: //p')")

# line WHAT BASE: print the times of the last command
line() {
	awk -v what="$1" -v wall="$wall" -v cpu="$cpu" -v base="$2" 'BEGIN {
		printf "%-32s %8.2f s %8.2f s of processors %6.2f\n", what, wall, cpu, cpu / base }'
}
# measured WHAT BASE COMMAND...: BASE is - for the run to compare with
measured() {
	"$build/tests/measure" "$folder/measured" "${@:3}" >/dev/null 2>&1 || true
	read -r wall cpu _ <"$folder/measured"
	[ "$2" != - ] || base=$cpu
	line "$1" "$base"
}

index() { # WHAT BASE OPTION...
	rm -f "$folder"/index.db*
	measured "$1" "$2" "$build/simhash" -q -d "sqlite:$folder/index.db" "${@:3}" "$tree"
}

find "$tree" -type f -print0 | xargs -0 cat >/dev/null 2>&1 || true
echo "$tree: $(find "$tree" -type f | wc -l) files, $(nproc) processors"
for kernel in "${kernels[@]}"; do
	export SIMHASH_KERNEL=$kernel
	echo "-- first run, kernel $kernel"
	for _ in $(seq "$rounds"); do
		index "simhash --no-sketch" - --no-sketch
		index simhash ""
	done
done
unset SIMHASH_KERNEL
echo "-- all pairs"
for _ in $(seq "$rounds"); do
	measured "simfind --verify=no" - "$build/simfind" -q -d "sqlite:$folder/index.db" -o "$folder/pairs" --verify=no
	measured simfind "" "$build/simfind" -q -d "sqlite:$folder/index.db" -o "$folder/pairs"
	measured "simfind --min-resemblance=0.7" "" "$build/simfind" -q -d "sqlite:$folder/index.db" -o "$folder/pairs" --min-resemblance=0.7
done
