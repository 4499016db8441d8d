#!/usr/bin/env bash
# Measures the search for all pairs of the paper's chain (figure 9: 2,900 s for 16,000 files),
# compared with ssdeep and tlsh, which compare every pair of digests. Digests and the index are made
# before.
#
#     tests/bench/chain.sh [BUILD]
build=$(cd "${1:-build}" && pwd)
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v tlsh >/dev/null || { echo "needs tlsh (Debian: tlsh-tools)" >&2; exit 1; }

printf '%8s %10s %12s %12s %12s %12s %10s\n' files pairs simfind,s work,s "ssdeep -x,s" \
	"tlsh -xref,s" "paper,s"
for count in 1000 4000 8000 16000; do
	rm -rf "$folder/chain" "$folder"/index.db*
	mkdir "$folder/chain"
	"$build/tests/files" chain "$folder/chain" "$count"
	"$build/simhash" -q -d "sqlite:$folder/index.db" "$folder/chain"
	timed "$build/simfind" -q -d "sqlite:$folder/index.db" -o "$folder/pairs" --same-extension
	ours=$wall
	read -r _ work _ <"$folder/measured"
	pairs=$(wc -l <"$folder/pairs")
	deep=- trend=-
	if [ "$count" -le 8000 ]; then
		ssdeep -s "$folder"/chain/*.bin >"$folder/digests" 2>/dev/null
		timed ssdeep -x "$folder/digests"
		deep=$wall
		tlsh -r "$folder/chain" >"$folder/tlsh" 2>/dev/null
		timed tlsh -xref -l "$folder/tlsh"
		trend=$wall
	fi
	printf '%8d %10d %12s %12s %12s %12s %10.0f\n' "$count" "$pairs" "$ours" "$work" "$deep" \
		"$trend" "$(awk -v n="$count" 'BEGIN { print n * n / 90000 }')"
done
