#!/usr/bin/env bash
# Tests a tree that changes while it is indexed: nothing outside the tree is indexed, every error
# names a file, and the next run adds what was missed. Then tests very large and very deep trees,
# and trees with unusual names.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mutator=("$(PATH=/usr/bin:$PATH command -v python3)" "$TEST_FOLDER/bin/mutator.py")
limit_s=60
rounds_s=6
is_sanitized=false
if built_with sanitizer; then
	is_sanitized=true
fi

# Root may read everything, but this test needs unreadable files. So another user runs everything,
# with copies of the programs, because the build may be in root's home.
copy_for_user "$SIMHASH" "$SIMFIND" "$SIMKEEP" "$(dirname "$0")/mutator.py"
SIMHASH=$TEST_FOLDER/bin/simhash SIMFIND=$TEST_FOLDER/bin/simfind SIMKEEP=$TEST_FOLDER/bin/simkeep
as=()
if [ "$(id -u)" = 0 ]; then
	as=(env -u TSAN_OPTIONS setpriv --reuid=65534 --regid=65534 --clear-groups)
	chown 65534:65534 "$TEST_FOLDER"
	"${as[@]}" "$SIMHASH" --version >version || fail "another user cannot run what root can"
fi

tree=$files/tree outside=$TEST_FOLDER/outside
mkdir -p "$tree"/{one,two,swapped/below} "$outside/below"
# Outside, sizes and contents are different from all files inside.
for number in 1 2 3 4 5 6 7 8; do
	head -c $((1000000 + number)) /dev/zero | tr '\0' "$number" >"$outside/secret$number"
	head -c $((2000000 + number)) /dev/zero | tr '\0' "$number" >"$outside/below/secret$number"
	seq "$number" 3000 >"$tree/swapped/f$number"
	seq "$number" 2000 >"$tree/swapped/below/f$number"
	seq "$number" 1000 | gzip -n >"$tree/swapped/g$number.gz"
done
"$SIMHASH" -q -d "sqlite:$TEST_FOLDER/outside.db" "$outside"
for place in one two; do
	ln -s "$outside" "$tree/$place/spare1"
	ln -s "$outside/secret1" "$tree/$place/spare2"
	ln -s spare3 "$tree/$place/spare3"
	mkfifo "$tree/$place/spare4"
	# Devices, if they can be created.
	mknod "$tree/$place/spare5" c 1 5 2>/dev/null || true
	mknod "$tree/$place/spare6" c 1 3 2>/dev/null || true
done
for place in swapped swapped/below; do
	ln -s "$outside/${place#swapped}" "$tree/$place.link"
done
[ ${#as[@]} -eq 0 ] || chown -R -h 65534:65534 "$files"

children=()
# End the started programs with the signal that no handler can delay.
stop() {
	[ ${#children[@]} -eq 0 ] || kill -KILL "${children[@]}" 2>/dev/null || true
	[ ${#children[@]} -eq 0 ] || wait "${children[@]}" 2>/dev/null || true
	children=()
}
watcher=
trap 'stop; [ -z "$watcher" ] || kill -KILL $watcher' EXIT
start() {
	"${as[@]}" "${mutator[@]}" "$@" &
	children+=($!)
}

# index STATUSES [ENV]... DATABASE OPTION...: an indexing run in which every message is about a
# file.
index() {
	local database=$1 status=0 odd
	shift
	within "$limit_s" "${as[@]}" "$SIMHASH" -d "sqlite:$TEST_FOLDER/$database" "$@" 2>err || status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "simhash $* ended with $status: $(tail -c 2000 err)"
	odd=$(grep -avE "^simhash: $files/.+: [A-Z][^:]+$|^[0-9,]+ scanned, .* failed; |^[0-9,]+ parts? of archives left out|^[0-9]+ (director(y|ies)|names?) in the list skipped" err || true)
	[ -z "$odd" ] || fail "errors that name no file: $odd"
	[ $status = 0 ] || grep -aq '^simhash: /' err || fail "status 2 without an error"
}

"${mutator[@]}" watch "$outside" >watched &
watcher=$!
wait_until grep -qs watch watched
for place in one two; do
	start files "$tree/$place" 1
	start files "$tree/$place" 2
done
start directories "$tree" 3
start swap "$tree" swapped
start swap "$tree/swapped" below
runs=0
SECONDS=0
while [ $SECONDS -lt $rounds_s ]; do
	index plain.db "$tree"
	index inflated.db -z -j4 "$tree"
	index ignoring.db --ignore-files "$tree"
	find "$tree" -name 'f*' -print0 >list 2>/dev/null || true
	index listed.db --files0-from=list
	runs=$((runs + 4))
done
stop
kill "$watcher"
wait "$watcher" || true
watcher=
echo "$runs runs"
if grep -q cannot watched; then
	not_tested "files opened outside of the tree: $(cat watched)"
else
	same "openings outside" 0 "$(tail -n 1 watched)"
fi
for database in plain inflated ignoring listed; do
	same "rows of outside in $database" 0 "$(sqlite3 "$database.db" "ATTACH 'outside.db' AS outside;
		SELECT count(*) FROM main.file WHERE size >= 1000000
		OR content_hash IN (SELECT content_hash FROM outside.file)")"
done

# When everything has stopped, the next run gives the same as a first run.
chmod -R u+rwX "$tree" 2>/dev/null || true
next_tick
# The last exchange may have left the link under either name.
[ ! -L "$tree/swapped" ] || "${as[@]}" mv -T "$tree/swapped.link" "$tree/was-swapped"
rest() {
	local database=$1
	shift
	index "$database.db" "$@" "$tree"
	index "fresh-$database.db" "$@" "$tree"
	for name in "$database" "fresh-$database"; do
		sqlite3 "$name.db" "$(sqlite3 "$name.db" "SELECT 'SELECT ' || group_concat('quote(' || name || ')', ' || '' '' || ')
			|| ' FROM file ORDER BY path_hash' FROM pragma_table_info('file') WHERE name NOT IN ('scanned_at_ns', 'ctime_ns')")" >"$name.rows"
	done
	cmp "$database.rows" "fresh-$database.rows" ||
		fail "rows of $database: $(diff "$database.rows" "fresh-$database.rows" | cut -c 1-300 | head -6)"
	[ -s "$database.rows" ] || fail "no rows"
	same "rows without their directory" 0 "$(sqlite3 "$database.db" "SELECT count(*) FROM file f WHERE NOT EXISTS
		(SELECT 1 FROM directory d WHERE d.directory_hash = substr(f.path_hash, 1, 8))")"
	same "integrity" ok "$(sqlite3 "$database.db" 'PRAGMA integrity_check')"
}
rest plain
rest inflated -z -j4
rm -rf "$tree" ./*.db ./*.rows

# ---- Names with every byte, and of the maximum length; all file modes ----
mkdir "$tree"
for byte in $(seq 1 255); do
	[ "$byte" != 47 ] || continue
	name=$(printf '%b' "\\x$(printf %02x "$byte")x")
	name=${name%x}
	printf '%s%s' "$byte" "$byte" >"$tree/n$name$(printf 'n%.0s' $(seq 253))"
	[ "$byte" != 46 ] || name=... # "." always exists
	printf '%s' "$byte" >"$tree/$name"
done
mkdir -m 1777 "$tree/everybody's"
echo setuid >"$tree/everybody's/setuid"
chmod 6755 "$tree/everybody's/setuid"
[ ${#as[@]} -eq 0 ] || chown -R -h 65534:65534 "$tree"
settle "$tree"
count=$(find "$tree" -type f -printf x | wc -c)
same "files of odd names" 509 "$count"
index names.db "$tree"
summary 509 0 0 0
index names.db "$tree"
summary 0 509 0 0
same "bytes of names" 509 "$(sqlite3 names.db 'SELECT count(DISTINCT name) FROM file')"
"${as[@]}" "$SIMFIND" --summary=none -T 100 -d sqlite:names.db --group=none >out || fail "simfind fails on odd names"
[ -s out ] || fail "no pairs of odd names"
rm -rf "$tree"
mkdir "$tree"
index names.db "$tree"
summary 0 0 509 0

# ---- Files invented by the system: the run ends ----
odd_place() {
	local status=0
	[ -e "$1" ] || return 0
	within "$limit_s" "${as[@]}" "$SIMHASH" -q -x -d sqlite:system.db "$1" 2>err || status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "simhash $1 ended with $status: $(tail -n 3 err)"
}
odd_place /proc/self
odd_place /sys/kernel

# ---- 10,000 nested directories, many with two others next to them, and few descriptors ----
depth=10000
"${mutator[@]}" deep "$tree/deep" $depth
[ ${#as[@]} -eq 0 ] || chown -R -h 65534:65534 "$tree"
settle "$tree"
deep_index() {
	(
		ulimit -n 200
		index deep.db "$@" "$tree"
	)
}
deep_index
summary 63 0 0 0
same "deepest directory" 1 "$(sqlite3 deep.db "SELECT max(length(directory)) > 2 * $depth FROM file")"
deep_index -j4
grep -aq '63 unchanged' err || fail "a deep tree is not known again: $(tail -c 300 err)"
"${as[@]}" "$SIMFIND" -d sqlite:deep.db -o pairs.txt --verify=all 2>err || fail "simfind in a deep tree: $(cat err)"
"${as[@]}" "$SIMKEEP" -d sqlite:deep.db --action=script:script.sh 2>err || fail "script of a deep tree"
sh -n script.sh || fail "the script of a deep tree is none"
"${as[@]}" rm -rf "$tree/deep/d/d/d"
deep_index
grep -aq '60 removed' err || fail "removed deep directories: expected '60 removed': $(tail -c 300 err)"
same "rows left" 3 "$(sqlite3 deep.db 'SELECT count(*) FROM file')"
"${as[@]}" "$SIMHASH" -q -d sqlite:deep.db --forget "$tree/deep" || fail "a deep tree is not forgotten"
same "rows forgotten" 0 "$(sqlite3 deep.db 'SELECT count(*) FROM file')"
"${as[@]}" rm -rf "$tree/deep"

# ---- 200,000 files in one directory ----
count=200000
"${as[@]}" "${mutator[@]}" many "$tree/many" $count
settle "$tree/many"
measured() {
	local kib
	kib=$("${as[@]}" "${mutator[@]}" measure timeout -s KILL 120 "$SIMHASH" -d sqlite:many.db "$tree" 2>err) ||
		fail "many files: $(cat err)"
	echo "$1: $kib KiB"
	$is_sanitized || [ "$kib" -lt 200000 ] || fail "$1 takes $kib KiB"
}
measured "first run over $count files"
summary $count 0 0 0
measured "second run"
measured "third run"
summary 0 $count 0 0
rm -rf "$tree/many"
measured "run that removes them"
summary 0 0 $count 0
