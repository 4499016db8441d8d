#!/usr/bin/env bash
# Tests an index on three data nodes of MariaDB's Spider engine: it gives the same answers as an
# index in a file, and a node that is down is an error, never a wrong answer.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

# scripts/test.sh puts it here.
fetched=$SOURCE_DIR/build-spider/usr/lib/mysql/plugin
[ ! -e "$fetched/ha_spider.so" ] || export SPIDER_PLUGIN_DIR=${SPIDER_PLUGIN_DIR:-$fetched}
plugins=$(PATH="$PATH:/usr/sbin" mariadbd --no-defaults --verbose --help 2>/dev/null | awk '$1 == "plugin-dir" { print $2 }')
[ -e "${SPIDER_PLUGIN_DIR:-$plugins}/ha_spider.so" ] ||
	fail "no Spider engine: install mariadb-plugin-spider, or name the folder of ha_spider.so in SPIDER_PLUGIN_DIR"
place=$TEST_FOLDER/spread
export SCALE_OUT_PORT=$((20000 + RANDOM % 10000))
trap '"$SOURCE_DIR/scripts/scale-out.sh" stop "$place"' EXIT
runs 0 "$SOURCE_DIR/scripts/scale-out.sh" start "$place"
runs 1 "$SOURCE_DIR/scripts/scale-out.sh" start "$place"
said "is in use"
url=mysql://localhost/simhash
index() { "$SIMHASH" -d "$url?defaults-file=$place/head.cnf" "$@"; }
find_in() { "$SIMFIND" -d "$url?defaults-file=$place/head.cnf" "$@"; }
node() {
	local i=$1
	shift
	at_server "$place/node$i" simhash -e "$@"
}

mkdir "$files/a" "$files/b"
make_tree --flat --files=700 --sizes=1000-30000 "$files/a"
find "$files/a" -type f | LC_ALL=C sort | sed -n 1,60p | while IFS= read -r path; do
	cp "$path" "$files/b/"
	printf 'changed' | dd of="$path" conv=notrunc bs=1 seek=300 2>/dev/null
done
settle "$files"

# Both indexes contain the same and find the same.
compare() {
	runs 0 "$SIMHASH" -q "$@" "$files"
	runs 0 index "$@" "$files"
	"$SIMFIND" --summary=none --format=csv --group=none >expected
	find_in --summary=none --format=csv --group=none >found
	cmp expected found || fail "$1: $(diff expected found | head -4)"
	# One connection reads two of the nodes, or each node has its own connection.
	for threads in 1 2 3; do
		find_in --summary=none --format=csv --group=none -j "$threads" >found
		cmp expected found || fail "$1, $threads threads find: $(diff expected found | head -4)"
	done
	"$SIMFIND" --summary=none --group >expected
	find_in --summary=none --group >found
	cmp expected found || fail "$1: groups: $(diff expected found | head -4)"
}
compare --threads=2
[ "$("$SIMFIND" --summary=none --group=none | wc -l)" -gt 60 ] || fail "too few pairs for a test"
summary 760 0 0 0
for i in 1 2 3; do
	rows=$(node "$i" 'SELECT COUNT(*) FROM file')
	[ "$rows" -gt 150 ] || fail "node $i has but $rows rows"
done
# The parts of a search, each in its own process, together give all pairs.
for part in 1 2 3; do
	find_in --summary=none --group=none --partition=$part/3 >part$part &
done
wait
cat part1 part2 part3 | LC_ALL=C sort >found
"$SIMFIND" --summary=none --group=none | LC_ALL=C sort >expected
cmp expected found || fail "parts: $(diff expected found | head -4)"
one=$(find "$files/b" -type f | LC_ALL=C sort | sed -n 5p)
"$SIMFIND" --summary=none "$one" >expected
find_in --summary=none "$one" >found
cmp expected found || fail "one file: $(diff expected found | head -4)"
# The same with SQL.
same "pairs by SQL" "$(sqlite3 index.db 'SELECT COUNT(*), SUM(distance) FROM similar_pair' | tr '|' ' ')" \
	"$(at_server "$place/head" simhash -e 'SELECT COUNT(*), SUM(distance) FROM similar_pair' | tr '\t' ' ')"

# The same for the answers stored for SQL, at the head.
answers() {
	echo "SELECT group_id, files, bytes, copied_bytes, representative_path FROM similar_group ORDER BY group_id"
}
same_answers() {
	sqlite3 -separator $'\t' index.db "$(answers)" >expected
	at_server "$place/head" simhash -e "$(answers)" >found
	cmp expected found || fail "$1: $(diff expected found | head -4)"
	same "$1: files and pairs" "$(sqlite3 index.db 'SELECT (SELECT COUNT(*) FROM grouped_file), (SELECT COUNT(*) FROM found_pair),
		(SELECT COUNT(*) FROM ungrouped_file)' | tr '|' ' ')" "$(at_server "$place/head" simhash -e 'SELECT
		(SELECT COUNT(*) FROM grouped_file), (SELECT COUNT(*) FROM found_pair), (SELECT COUNT(*) FROM ungrouped_file)' | tr '\t' ' ')"
}
runs 0 "$SIMFIND" --store
runs 0 find_in --store
same_answers "groups stored"
[ "$(wc -l <found)" -gt 30 ] || fail "too few groups to be a test"

# Changes, removals, forgetting and copying.
find "$files/a" -name '*s*.h' | LC_ALL=C sort | sed -n 1,50p | xargs rm
seq 4000 >"$files/a/new"
find "$files/b" -name '*t*' | LC_ALL=C sort | sed -n 1,5p | while IFS= read -r path; do echo more >>"$path"; done
settle "$files"
compare -j 1
summary 6 705 50 0
same_answers "groups stored before the changes"
rm -r "$files/b"
compare -j 1
same "rows removed with their directory" "0 651 60 0" \
	"$(tr -d , <err | sed -n 's/^\([0-9]*\) scanned \([0-9]*\) unchanged \([0-9]*\) removed \([0-9]*\) failed.*/\1 \2 \3 \4/p')"
runs 0 index --forget "$files/a/new"
said "1 removed"
runs 0 index --copy-to=sqlite:copy.db
said "650 of 650 rows copied; verified: 650 rows are equal"
runs 0 index --status

# A node that is down.
find_in --summary=none --group=none >expected
kill -9 "$(cat "$place/node2/pid")"
is_gone() { ! : 2>/dev/null <"/dev/tcp/127.0.0.2/$((SCALE_OUT_PORT + 2))"; }
wait_until is_gone
# A connection that the head still has open may fail first, once; the message is from Spider.
lost='(Unable to connect to foreign data source: node2|Got an error reading communication packets) \(error 12701\)'
for command in "find_in -j 1" "find_in -j 2" "find_in -j 3" "find_in $files/a/new" "find_in --group" "find_in --partition=1/3" "index $files" \
	"index --force $files" "index --forget $files" "index --status" "index --copy-to=sqlite:copy2.db"; do
	# shellcheck disable=SC2086  # a command and its arguments
	runs 1 $command
	grep -qE "cannot use index $url: $lost" err || fail "$command said '$(cat err)'"
	[ "$command" = "index --status" ] || [ ! -s out ] || fail "$command: $(cat out)"
done
rm -f "$place/node2/pid"
# The run waits for a node until the given time: the head is up and answers.
index --wait-server=120 --force "$files" >waited.out 2>waited.err &
waiting=$!
wait_until grep -q 'trying again for' waited.err
kill -0 "$waiting" || fail "not waited for: $(cat waited.err)"
server_tie=(setsid)
start_server "$place/node2" --innodb-flush-log-at-trx-commit=1 --bind-address=127.0.0.2 --port=$((SCALE_OUT_PORT + 2)) >/dev/null </dev/null
wait_for_server "$place/node2"
wait "$waiting" || fail "waited for: $(cat waited.err)"
same "said once" 1 "$(grep -c 'trying again for' waited.err)"
grep -q '^651 scanned' waited.err || fail "waited for: $(cat waited.err)"
runs 0 index "$files"
summary 0 651 0 0
find_in --summary=none --group=none >found
cmp expected found || fail "when the node is back: $(diff expected found | head -4)"
