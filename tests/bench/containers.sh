#!/usr/bin/env bash
# Measures archives: simhash -z with one thread, compared with `bsdtar -xOf ARCHIVE | wc -c`, which
# only unpacks. For each archive, prints the least wall time and the least processor time of several
# rounds in turns; the last columns are the times divided by bsdtar's. One row is without the
# process that unpacks, one has a thread for each processor, and one reads the archive like any
# other file.
#
#     tests/bench/containers.sh [BUILD [ROUNDS [TREE]]]   (default: build 5 /usr)
#
# The zip has 50,000 files of TREE below 16 KiB, the tar.zst has 2 GB of TREE, or the same as one
# member, like the tar, and the 7z has 300 MB.
build=$(cd "${1:-build}" && pwd)
rounds=${2:-5}
tree=${3:-/usr}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
for tool in bsdtar zstd; do
	command -v "$tool" >/dev/null || {
		echo "needs $tool (Debian: libarchive-tools zstd)" >&2
		exit 1
	}
done

# pick CONDITION ARCHIVE: the files that satisfy the condition on the size, and on the count and
# bytes of the files before
pick() {
	{ find "$tree" -xdev -type f -readable -size +0 -printf '%s\t%p\n' || true; } | LC_ALL=C sort -t "$(printf '\t')" -k 2 |
		awk -F '\t' "{ size = \$1 } $1 { count++; bytes += size; print \$2 }" >"$folder/list"
	bsdtar -cf "$2" -a -n -T "$folder/list" 2>/dev/null
}
pick 'count < 50000 && size < 16384' "$folder/small.zip"
pick 'bytes < 2e9' "$folder/large.tar.zst"
pick 'bytes < 3e8' "$folder/packed.7z"
zstd -dqc "$folder/large.tar.zst" >"$folder/one"
bsdtar -cf "$folder/one.tar.zst" -a -C "$folder" one
bsdtar -cf "$folder/one.tar" -C "$folder" one
rm "$folder/one"

unpacked() { # ARCHIVE
	bsdtar -xOf "$1" | wc -c
}
export -f unpacked

# way NUMBER ARCHIVE: run one of the ways
way() {
	rm -f "$folder"/index.db*
	case $1 in
	0) timed bash -c "unpacked '$2'" ;;
	1) timed "$build/simhash" -qzj1 -d "sqlite:$folder/index.db" "$2" ;;
	2) SIMHASH_SANDBOX=no timed "$build/simhash" -qzj1 -d "sqlite:$folder/index.db" "$2" ;;
	3) timed "$build/simhash" -qz -d "sqlite:$folder/index.db" "$2" ;;
	4) timed "$build/simhash" -qj1 -d "sqlite:$folder/index.db" "$2" ;;
	esac
}

least() {
	awk -v a="$1" -v b="$2" 'BEGIN { print a < b ? a : b }'
}

echo "$(nproc) processors, $(bsdtar --version), kernel $("$build/simhash" --version | sed -n 's/scan kernel: //p')"
names=('bsdtar -xOf | wc -c' 'simhash -zj1' 'SIMHASH_SANDBOX=no simhash -zj1' 'simhash -z' 'simhash -j1')
for archive in "$folder/small.zip" "$folder/large.tar.zst" "$folder/one.tar.zst" "$folder/one.tar" "$folder/packed.7z"; do
	echo "-- ${archive##*/}, $(stat -c %s "$archive") bytes," \
		"$(bsdtar -tf "$archive" | wc -l) members of $(unpacked "$archive") bytes"
	walls=() works=()
	for _ in $(seq "$rounds"); do
		for number in "${!names[@]}"; do
			way "$number" "$archive"
			walls[number]=$(least "$wall" "${walls[number]:-$wall}")
			works[number]=$(least "$work" "${works[number]:-$work}")
		done
	done
	for number in "${!names[@]}"; do
		awk -v name="${names[number]}" -v wall="${walls[number]}" -v work="${works[number]}" \
			-v bare_wall="${walls[0]}" -v bare_work="${works[0]}" 'BEGIN {
			printf "%-28s %8.2f s %8.2f s of processors %6.2f %6.2f\n", name, wall, work, wall / bare_wall, work / bare_work }'
	done
done
