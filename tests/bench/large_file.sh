#!/usr/bin/env bash
# Measures one large file, compared in one run with other programs that read it, with a warm and a
# cold cache. The last column is the time divided by cat's. At the end, prints the time of threads
# on all processors for the same bytes step by step: the kernel alone, reading, both, and with the
# hash and the sketch.
#
#     [WARM=1] tests/bench/large_file.sh [BUILD [GIGABYTES [ROUNDS]]]   (default: build 10 3)
build=$(cd "${1:-build}" && pwd)
gigabytes=${2:-10}
rounds=${3:-3}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

simhash() {
	rm -f "$folder"/index.db*
	timed "$build/simhash" "$@" -q -d "sqlite:$folder/index.db" "$folder/large"
}

# A file of repeated programs, with different bytes between them.
tar cf "$folder/part" /usr/bin /usr/lib/x86_64-linux-gnu 2>/dev/null || true
bytes=$((gigabytes * 1000000000))
while [ "$(stat -c %s "$folder/large" 2>/dev/null || echo 0)" -lt "$bytes" ]; do
	head -c 1000003 /dev/urandom >>"$folder/large"
	cat "$folder/part" >>"$folder/large"
done
rm "$folder/part"
truncate -s "$bytes" "$folder/large"
echo "$gigabytes GB, $(nproc) processors," \
	"kernel $("$build/simhash" --version | sed -n 's/scan kernel: //p')"

for round in $(seq "$rounds"); do
	cat "$folder/large" >/dev/null
	echo "-- warm, round $round"
	timed cat "$folder/large"
	base=$wall
	row "cat" "$wall" "$bytes" "$base"
	timed xxhsum -H3 "$folder/large"
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	timed b3sum --num-threads 1 "$folder/large"
	row "b3sum --num-threads 1" "$wall" "$bytes" "$base"
	timed b3sum "$folder/large"
	row "b3sum" "$wall" "$bytes" "$base"
	simhash -j 1
	row "simhash -j 1" "$wall" "$bytes" "$base"
	simhash --no-sketch
	row "simhash --no-sketch" "$wall" "$bytes" "$base"
	simhash
	row "simhash" "$wall" "$bytes" "$base"
	echo "   simhash used $((peak / 1024)) MB of memory"
done
echo "-- step by step, the least of three"
"$build/tests/large_steps" "$folder/large" "$(nproc)" | while read -r wall step; do
	row "$step" "$wall" "$bytes" "$base"
done
if [ -z "${WARM:-}" ] && drop_caches; then
	echo "-- cold"
	timed cat "$folder/large"
	base=$wall
	row "cat" "$wall" "$bytes" "$base"
	drop_caches
	timed xxhsum -H3 "$folder/large"
	row "xxhsum -H3" "$wall" "$bytes" "$base"
	drop_caches
	simhash
	row "simhash" "$wall" "$bytes" "$base"
	awk '/^Cached:/ { printf "   then %.1f GB are cached\n", $2 / 1e6 }' /proc/meminfo
fi
