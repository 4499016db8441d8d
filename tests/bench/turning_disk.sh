#!/usr/bin/env bash
# Measures a first run over an aged tree on a simulated rotating disk with a cold cache: as it is, in
# the order of the walk (--limits=disk=0), and compared with cat in the order of the walk, jdupes and
# rmlint. turning_disk.c describes the disk. The files of all directories were written interleaved, in
# random order. Needs root, FUSE and a free loop device. BEFORE is a build to compare with. With
# SPEED 10, the disk is ten times as fast.
#
#     [BEFORE=BUILD] tests/bench/turning_disk.sh [BUILD [DIRECTORIES [FILES [SPEED]]]]
#         (default: build 600 10 1; FILES are in each directory)
build=$(cd "${1:-build}" && pwd)
directories=${2:-600}
files=${3:-10}
speed=${4:-1}
before=${BEFORE:+$(cd "$BEFORE" && pwd)}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

loop=''
end() {
	umount -l "$folder/tree" 2>/dev/null || true
	[ -z "$loop" ] || losetup -d "$loop"
	umount -l "$folder/point" 2>/dev/null || true
	rm -rf --one-file-system "$folder"
}
trap end EXIT

age() { # write the tree
	python3 - "$folder/tree/files" "$directories" "$files" <<-'END'
		import os, random, sys
		root, directories, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		chance = random.Random(1)
		words = [bytes(chance.choices(b"abcdefghij \n", k=chance.randrange(3, 12))) for _ in range(4000)]
		names = []
		for directory in range(directories):
		    path = f"{root}/{directory % 10:02d}/{directory:04d}"
		    os.makedirs(path)
		    names += [f"{path}/{chance.randrange(10**9):09d}.txt" for _ in range(files)]
		chance.shuffle(names)
		for name in names:
		    size = int(min(2_000_000, max(200, chance.lognormvariate(9.6, 1.3))))
		    with open(name, "wb") as file:
		        file.write(b" ".join(chance.choices(words, k=size // 7 + 1))[:size])
	END
}

# cold WHAT COMMAND...: a line with the time and what the disk did
cold() {
	local what=$1 requests seeks busy last_requests last_seeks last_busy
	shift
	umount "$folder/tree"
	mount -o ro "$loop" "$folder/tree"
	drop_caches # another mount namespace may keep the file system
	read -r last_requests _ last_seeks _ last_busy _ <"$folder/point/state"
	timed "$@"
	read -r requests _ seeks _ busy _ <"$folder/point/state"
	awk -v what="$what" -v wall="$wall" -v requests=$((requests - last_requests)) \
		-v seeks=$((seeks - last_seeks)) -v busy="$busy" -v last="$last_busy" 'BEGIN {
		printf "%-34s %8.2f s, the disk %8.2f s, %6d requests, %6d seeks\n", what, wall, busy - last,
			requests, seeks }'
}

index() { # WHAT BUILD [OPTION]...
	local what=$1 program=$2/simhash
	shift 2
	rm -f "$folder"/index.db*
	cold "$what" "$program" -q -d "sqlite:$folder/index.db" "$@" "$folder/tree/files"
}

mkdir "$folder/tree" "$folder/point"
truncate -s 4G "$folder/image"
mkfs.ext4 -q -F "$folder/image"
mount -o loop "$folder/image" "$folder/tree"
age
bytes=$(du -sk "$folder/tree/files" | cut -f 1)
umount "$folder/tree"
"$build/tests/turning_disk" "$folder/image" "$folder/point" "$speed"
loop=$(losetup --direct-io=on --show -f "$folder/point/disk")
echo 1 >"/sys/block/${loop#/dev/}/queue/rotational"
echo 128 >"/sys/block/${loop#/dev/}/queue/read_ahead_kb"
echo mq-deadline >"/sys/block/${loop#/dev/}/queue/scheduler"
mount -o ro "$loop" "$folder/tree"
echo "$((directories * files)) files, $((bytes / 1000)) MB, $(nproc) processors, speed $speed"

index "simhash" "$build"
index "simhash -j8" "$build" -j8
index "simhash --limits=disk=2" "$build" --limits=disk=2
index "simhash --limits=disk=0" "$build" --limits=disk=0
index "simhash, walk only" "$build" --min-size=1T
[ -z "$before" ] || index "before" "$before"
[ -z "$before" ] || index "before, walk only" "$before" --min-size=1T
cold "cat, order of find" sh -c "find '$folder/tree/files' -type f -print0 | xargs -0 cat"
cold "find -size 0" find "$folder/tree/files" -size 0
command -v rmlint >/dev/null && cold "rmlint" rmlint -o summary:stdout "$folder/tree/files"
command -v jdupes >/dev/null && cold "jdupes -rqm" jdupes -rqm "$folder/tree/files"
