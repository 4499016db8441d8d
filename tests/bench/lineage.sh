#!/usr/bin/env bash
# Measures how often `simfind --group=lineage` is right for version histories with known order; see
# lineage_corpus.py.
#
#     tests/bench/lineage.sh BUILD git REPOSITORY [PATHS [COMMITS]]
#     tests/bench/lineage.sh BUILD trees FOLDER
#     tests/bench/lineage.sh BUILD cases SEED
#
# KEEP=FOLDER keeps the corpus in this folder and uses it again.
# SPDX-License-Identifier: MIT
set -euo pipefail

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
[ -f "$work/truth.json" ] || python3 "$here/lineage_corpus.py" "$1" "$2" "$work" "${@:3}"
listings=()
for kind in numbers times blind scrambled cases; do
	[ -d "$work/$kind" ] || continue
	index=sqlite:$work/$kind.db
	"$build/simhash" -q -d "$index" "$work/$kind"
	"$build/simfind" -q -d "$index" --group=lineage --format=json -o "$work/$kind.json"
	listings+=("$work/$kind.json")
done
python3 "$here/lineage_corpus.py" score "$work" "${listings[@]}"
