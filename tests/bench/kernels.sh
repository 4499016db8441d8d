#!/usr/bin/env bash
# Measures in one run the scan kernels by kind of data, from cache and from memory, in GB/s of one
# thread; then resemblance sketches by kernel and size; and then complete programs with one thread
# on the same real data. The kernels of the build BEFORE are measured in turns with the kernels of
# BUILD.
#
#     tests/bench/kernels.sh [BUILD [BEFORE]]   (default: build alone)
build=$(cd "${1:-build}" && pwd)
before=${2:+$(cd "$2" && pwd)/libsimhash.so}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

sample() { # NAME: 64 MB of standard input
	head -c 64000000 >"$folder/$1"
}
(find /usr/share/doc /usr/include /usr/share/perl -type f ! -name '*.gz' -exec cat {} + 2>/dev/null || true) |
	sample text
(find /usr/bin /usr/sbin -type f -exec cat {} + 2>/dev/null || true) | sample programs
(tar c -C /usr share 2>/dev/null || true) | sample "tar of share"
(find /usr/share -name '*.gz' -exec cat {} + && gzip -c "$folder/programs" || true) 2>/dev/null |
	sample compressed
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors," \
	"kernel $("$build/simhash" --version | sed -n 's/scan kernel: //p')"
"$build/tests/kernel" "$build/libsimhash.so" "$before" "$folder/text" "$folder/programs" \
	"$folder/tar of share" "$folder/compressed"
echo
"$build/tests/resemblance"

for _ in $(seq 8); do
	cat "$folder/text" "$folder/programs" "$folder/tar of share" "$folder/compressed"
done >"$folder/all"
bytes=$(stat -c %s "$folder/all")
echo
echo "whole programs over $((bytes / 1000000)) MB of these; the last column is the time over cat's"
best 5 cat "$folder/all"
base=$wall
row cat "$wall" "$bytes" "$base"
best 5 xxhsum -H3 "$folder/all"
row "xxhsum -H3" "$wall" "$bytes" "$base"
best 5 b3sum --num-threads 1 "$folder/all"
row "b3sum --num-threads 1" "$wall" "$bytes" "$base"
best 5 b3sum --num-threads 1 --no-mmap "$folder/all"
row "b3sum --num-threads 1 --no-mmap" "$wall" "$bytes" "$base"
best 5 "$build/simhash" -q -f -j 1 -d "sqlite:$folder/index.db" "$folder/all"
row "simhash -j 1" "$wall" "$bytes" "$base"
