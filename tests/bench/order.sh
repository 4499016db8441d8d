#!/usr/bin/env bash
# Measures how much smaller `simfind --order` makes archives of real trees, and --order=delta single
# files.
#
#     tests/bench/order.sh BUILD TREE...
#
# For each tree, prints the size of its files with tar and zstd in the order of paths, of extension
# and name, and of --order. Then prints the size of SAMPLE files (default 500) that have a reference
# but are not copies of it, compressed alone and with --patch-from.
# SPDX-License-Identifier: MIT
set -euo pipefail
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

for tree in "$@"; do
	index=sqlite:$work/index.db
	rm -f "$work"/index.db*
	"$build/simhash" -q -d "$index" "$tree"
	"$build/simfind" -q -d "$index" --order --format=null -o "$work/similar" "$tree"
	"$build/simfind" -d "$index" --order=delta --format=null -o "$work/references" "$tree"
	sort -z "$work/similar" >"$work/paths"
	python3 - "$work" <<'PYTHON'
import os, sys
paths = open(sys.argv[1] + "/paths", "rb").read().split(b"\0")[:-1]
def key(path):
    name = os.path.basename(path)
    return (os.path.splitext(name)[1].lower(), name, path)
open(sys.argv[1] + "/extensions", "wb").write(b"".join(p + b"\0" for p in sorted(paths, key=key)))
PYTHON
	printf '\n%s: %s files, %s bytes\n' "$tree" "$(tr -cd '\0' <"$work/paths" | wc -c)" \
		"$(find "$tree" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%d", sum }')"
	printf '%-28s %14s %14s %14s\n' '' paths extensions similar
	while read -r compress; do
		sizes=()
		for order in paths extensions similar; do
			# shellcheck disable=SC2086  # a command and its options
			sizes+=("$(tar -P --null --no-recursion -T "$work/$order" -cf - | $compress | wc -c)")
		done
		printf '%-28s %14d %14d %14d\n' "$compress" "${sizes[@]}"
	done <<-'COMMANDS'
		zstd -3
		zstd -9 --long=24
		zstd -9 --long=27
	COMMANDS
	python3 - "$work" "${SAMPLE:-500}" <<'PYTHON'
import os, random, subprocess, sys
work, count = sys.argv[1], int(sys.argv[2])
fields = open(work + "/references", "rb").read().split(b"\0")[:-1]
pairs = list(zip(fields[0::2], fields[1::2]))
seen, size = set(), os.path.getsize
for path, reference in pairs:
    assert path not in seen and (not reference or reference in seen), path
    seen.add(path)
def same(a, b):
    return size(a) == size(b) and open(a, "rb").read() == open(b, "rb").read()
def zstd(path, *options):
    command = ["zstd", "-9", "-q", "-c", *options, path]
    return len(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
similar = [(p, r) for p, r in pairs if r and not same(p, r)]
sample = random.Random(1).sample(similar, min(count, len(similar)))
alone = [zstd(p) for p, _ in sample]
patched = [zstd(p, b"--patch-from=" + r) for p, r in sample]
worse = sum(b > a for a, b in zip(alone, patched))
print(f"{len(similar)} files with a reference; of {len(sample)}, {sum(size(p) for p, _ in sample)} bytes: "
      f"alone {sum(alone)}, by --patch-from {sum(patched)} ({100 * sum(patched) / max(1, sum(alone)):.1f} %), "
      f"larger {worse}")
PYTHON
done
