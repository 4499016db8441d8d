#!/usr/bin/env bash
# Tests many simhash processes at once on one index, for several hosts, on separate and overlapping
# trees: nothing is lost, doubled, incomplete, or removed by another process.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for tree in one two/a two/b three; do
	mkdir -p "$files/$tree"
	for i in $(seq 150); do
		seq "$i" $((i * 3 + ${#tree})) >"$files/$tree/$i.txt"
	done
done
settle "$files"

# The rows that one run after another would have stored, without columns that depend on the time.
rows() {
	sql "SELECT h.name, f.directory, f.name, f.size, LOWER(HEX(f.path_hash)), LOWER(HEX(f.content_hash)),
		f.sum_00, f.sum_07, f.sum_15, f.uniform, f.skew_ext, f.bucket, f.links
		FROM file f JOIN host h ON h.id = f.host" | LC_ALL=C sort
}
paths=("$files" "$files/one" "$files/two" "$files/two/a" "$files/three")
for host in web1 web2 web3; do
	runs 0 "$SIMHASH" -q --host=$host "${paths[@]}"
done
rows >expected
same "rows of three hosts" 1800 "$(wc -l <expected)"

all_at_once() {
	local host path pids=() pid
	for host in web1 web2 web3; do
		for path in "${paths[@]}"; do
			"$SIMHASH" -q --host=$host -j 2 "$@" "$path" 2>"errors.$host.${path//\//_}" &
			pids+=($!)
		done
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "a writer failed: $(cat errors.*)"
	done
}
for round in first again forced; do
	case $round in
	first) reset && all_at_once ;;
	again) all_at_once ;;
	forced) all_at_once --force ;;
	esac
	rows >found
	cmp expected found || fail "$round: $(diff expected found | head -5)"
	same "$round: names of hosts" 3 "$(sql 'SELECT COUNT(*) FROM host')"
	same "$round: tag sets" "1|16" "$(sql 'SELECT (SELECT COUNT(*) FROM tag_set), (SELECT COUNT(*) FROM tag)')"
	same "$round: directories" 12 "$(sql 'SELECT COUNT(*) FROM directory')"
	same "$round: runs without an end" 0 "$(sql 'SELECT COUNT(*) FROM scan_run WHERE finished_at_ns IS NULL')"
done
same "runs" 45 "$(sql 'SELECT COUNT(*) FROM scan_run')"

# Files appear and disappear while several processes walk over them: the files at the end are in the
# index.
(
	for i in $(seq 60); do
		mkdir -p "$files/four/$i"
		seq "$i" 200 >"$files/four/$i/x"
		[ $((i % 3)) != 0 ] || rm -r "$files/four/$((i - 1))"
	done
) &
changing=$!
all_at_once
all_at_once
wait $changing
settle "$files"
all_at_once
for host in web1 web2 web3; do
	find "$files" -type f | LC_ALL=C sort >expected
	sql "SELECT path FROM file_text WHERE host = '$host'" | LC_ALL=C sort >found
	cmp expected found || fail "$host, files that change: $(diff expected found | head -5)"
done
