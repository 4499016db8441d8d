#!/usr/bin/env bash
# Measures the report for an index of a million files: the time to write it, compared with the plain
# list of the same pairs, and its speed in a browser.
#
#     tests/bench/report.sh [BUILD [TREE]]      (default: build /usr)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

"$build/simhash" -q -d "sqlite:$folder/tree.db" "$tree" || [ $? = 2 ]
"$build/tests/rows" make "sqlite:$folder/tree.db" "sqlite:$folder/one.db" 1000000
timed "$build/simfind" -q -d "sqlite:$folder/one.db" -o "$folder/pairs"
listing=$wall
timed "$build/simfind" -q -d "sqlite:$folder/one.db" --format=html -o "$folder/report.html"
echo "simfind: $listing s for $(wc -l <"$folder/pairs") pairs; --format=html: $wall s," \
	"$((peak / 1024)) MB of memory, a page of $(($(stat -c %s "$folder/report.html") / 1000000)) MB"
python3 "$(dirname "$0")/report_times.py" "$folder/report.html"
