#!/usr/bin/env bash
# Tests the output on a terminal: progress, colours, and paths without their common part. script(1)
# provides the pseudo-terminal.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export TERM=xterm PAGER=cat
unset NO_COLOR COLUMNS

# shows COLUMNS COMMAND...: what a terminal of that width gets, carriage returns and all, is in `screen`
shows() {
	on_terminal "$@"
	same "status of $*" 0 "$status"
	mv screen.raw screen
}

# The progress lines of the screen, one per line.
progress_lines() {
	grep -ao $'\r\x1b\\[K[^\r]*' screen | sed $'s/^\r\x1b\\[K//' | grep -a . | grep -av scanned, || true
}

mkdir -p "$files/a directory"
for i in $(seq 300); do
	seq "$i" "$((i + 2000))" >"$files/a directory/file number $i.txt"
done
cp "$files/a directory/file number 1.txt" "$files/copy.txt"
seq 9 >"$files/"$'odd\x1b[31m\tname.txt'
cp "$files/"$'odd\x1b[31m\tname.txt' "$files/"$'odd\x1b[32m\tname.txt'

# A run that is long enough to show progress. At its end, the summary replaces the progress line.
seq 100000000 >"$files/large"
for columns in 80 40 200; do
	shows $columns "$SIMHASH" -f -j 1 --progress=always "$files"
	[ "$(progress_lines | wc -l)" -ge 1 ] || fail "no progress: $(cat -v screen)"
	progress_lines | awk -v most=$((columns - 1)) 'length > most' >wide
	same "progress wider than $columns" 0 "$(wc -l <wide)"
	# Fields are complete, or left out.
	same "lines of which a part is cut at $columns" "" "$(progress_lines | grep -Ev \
		'^(counting|[ 0-9]{2,3}%)(  [0-9,]+ (of [0-9,]+ )?files)?(  [0-9.]+ [kMGb][a-zB]*( of [0-9.]+ [kMG]B)?)?(  [0-9.]+ [kMGb][a-zB]*/s)?(  [0-9:]+ left|  finishing)?(  (/|\.\.\.).*)?$')"
	# The last line has the totals of the summary.
	same "totals" "100% 304 of 304 files" "$(progress_lines | tail -n 1 | grep -o '^100%  304 of 304 files' | tr -s ' ')"
	same "the last line" "Next: simfind lists similar files." "$(tail -n 1 screen | tr -d '\r')"
	tail -n 3 screen | has $'\r\x1b\\[K304 scanned,' ||
		fail "the line is still there: $(tail -n 3 screen | cat -v)"
done
progress_lines | has -E '^( *[0-9]+%  |counting  )[0-9,]+ (of 304 )?files  [0-9.]+ [kMG]B' ||
	fail "no files and bytes: $(progress_lines)"
progress_lines | has -E '[0-9.]+ [kMG]B/s' || fail "no rate: $(progress_lines | head -3)"
progress_lines | has -F "$files/" || fail "no path: $(progress_lines | head -3)"

# Percent and time left, by bytes, after the walk ahead has counted; the scan is made slow.
SIMHASH_KERNEL=portable shows 120 "$SIMHASH" -f -j 1 --progress=always "$files"
progress_lines | has -E '^ *[0-9]+%  [0-9,]+ of 304 files  [0-9.]+ .?B of 89[0-9.]+ MB  [0-9.]+ .?B/s  [0-9]+:[0-9]{2} left' ||
	fail "no share and time left: $(progress_lines)"
# At most ten per second, and one at the start.
lines=$(progress_lines | wc -l)
seconds=$(grep -o 'in [0-9.]* s' screen | tr -dc '0-9.')
awk -v lines="$lines" -v seconds="$seconds" 'BEGIN { exit !(lines <= seconds * 10 + 2) }' ||
	fail "$lines lines in $seconds s"

# The same for a copy of the index.
shows 40 "$SIMHASH" --copy-to="sqlite:$TEST_FOLDER/copy.db" --progress=always
same "lines of which a part is cut" "" "$(progress_lines | grep -v 'rows copied' | grep -Ev \
	'^(counting|[ 0-9]{2,3}%)(  (copying|comparing) [0-9,]+ of [0-9,]+ rows)?(  [0-9,]+ rows/s)?$')"
progress_lines | has '^100%  comparing 304 of 304 rows' || fail "no end of copying: $(progress_lines)"

# Silent with -q, with --progress=never, and without a terminal.
for option in -q --progress=never; do
	shows 80 "$SIMHASH" -f "$option" "$files"
	same "progress with $option" 0 "$(progress_lines | wc -l)"
done
TERM=dumb shows 80 "$SIMHASH" -f "$files"
same "progress on a dumb terminal" 0 "$(progress_lines | wc -l)"
runs 0 "$SIMHASH" -f "$files"
same "progress into a file" 0 "$(grep -c $'\r' "$TEST_FOLDER/err" || true)"
runs 0 "$SIMHASH" -f --progress=always "$files"
grep -q $'\r' err || fail "progress was asked for always"
# A message is not inside the progress line.
printf 'broken' >"$files/broken.gz"
script -qec "stty cols 80; '$SIMHASH' -z -f --progress=always '$files'" /dev/null >screen </dev/null || true
grep -aq $'\x1b\\[Ksimhash: .*broken.gz: Not in gzip format' screen ||
	grep -aq '^simhash: .*broken.gz: Not in gzip format' screen ||
	fail "the message is not on a separate line: $(cat -v screen)"
rm "$files/broken.gz" "$files/large"
runs 0 "$SIMHASH" "$files"

# simfind: rows and pairs, then the list. Empty files are not searched or counted.
: >"$files/empty"
runs 0 "$SIMHASH" "$files"
for columns in 30 40; do
	shows $columns "$SIMFIND" --progress=always -T 0.1 -o listed
	same "lines of which a part is cut at $columns" "" "$(progress_lines | grep -Eav ' among | free |empty|left out|resemble' | grep -Ev \
		'^(counting|[ 0-9]{2,3}%)(  (read )?[0-9,]+ of 303 files)?(  [0-9,]+ pairs)?(  [0-9:]+ left|  finishing)?$')"
	progress_lines | has '^100%  303 of 303 files' || fail "other totals: $(progress_lines)"
done
# While rows are read, their number is shown, until the end of a list that is so long that reading
# begins before.
runs 0 "$SIMHASH" --export=digests
padding=$(printf '%0200d/' 1 2 3 4 5 6 7 8 9)
mkfifo list
{
	sed "s# /\([^ ]*\)\$# /$padding\1#" digests
	wait_until grep -qa '%  read [0-9,]* of 303 files' err
} >list &
runs 0 "$SIMFIND" --progress=always --against=- -T 0.1 -o listed <list
wait $!
tail -n 1 err | has $'\r\x1b\\[K[0-9,]* pair' || fail "the line is still there: $(tail -n 1 err | cat -v)"
# For a directory or a part, the last line has the total of the summary; groups have no pairs.
for options in "$files/a?directory" --partition=1/2 --group; do
	# shellcheck disable=SC2086  # a pattern
	runs 0 "$SIMFIND" -T 0.1 --progress=always $options -o listed
	total=$(grep -oE '[0-9]+ files?( are| is|[.])' err | tail -n 1 | tr -dc 0-9)
	tr '\r' '\n' <err | has "^.\[K100%  $total of $total files" ||
		fail "other totals with $options: $(cat -v err)"
done
! grep -q '[0-9] pairs' err || fail "pairs of groups: $(cat -v err)"
rm "$files/empty"
runs 0 "$SIMHASH" "$files"
shows 120 "$SIMFIND" --progress=always --format=text -T 0.1
progress_lines | has -E '^ *[0-9]+%  [0-9,]+ of 303 files  [0-9,]+ pairs' ||
	fail "no rows and pairs: $(progress_lines)"
shows 120 "$SIMFIND" --progress=always -T 0.1
progress_lines | has -E '^ *[0-9]+%  [0-9,]+ of 303 files  ' || fail "no rows of groups: $(progress_lines)"
shows 120 "$SIMFIND" --progress=always --format=text --verify=all -T 0.1
progress_lines | has -E '%  confirmed [0-9,]+ of [0-9,]+ pairs' || fail "no confirming: $(progress_lines)"
# Progress is not in the output, and is not shown while lines go to the same terminal.
shows 120 "$SIMFIND" -T 0.1 --format=jsonl --progress=always
same "progress among lines" 0 "$(progress_lines | wc -l)"

# On a terminal: colours, and paths without their common part.
shows 120 "$SIMFIND" --summary=none --format=text -T 0
tr -d '\r' <screen >plain
same "head" "Paths are below $files/." "$(head -n 1 plain)"
grep -q $'^\x1b\\[32midentical *\x1b\\[0m.*  a directory/file number 1.txt  *copy.txt$' plain ||
	fail "no coloured line: $(cat -v plain)"
grep -qF 'odd\x1b[31m\tname.txt' plain || fail "no escaped name: $(cat -v plain)"
same "columns of the second path" 1 "$(sed $'s/\x1b\\[[0-9]*m//g' plain | awk '/^identical/ { print match($0, /  (copy|odd.x1b.32m)/) }' |
	sort -u | wc -l)"
same "control bytes but colours" 0 "$(sed $'s/\x1b\\[[0-9]*m//g' plain | LC_ALL=C tr -d '\n -~' | wc -c)"
for setting in NO_COLOR=1 TERM=dumb; do
	shows 120 env "$setting" "$SIMFIND" --summary=none -T 0
	same "colours with $setting" 0 "$(grep -c $'\x1b' screen || true)"
done
NO_COLOR='' shows 120 "$SIMFIND" --summary=none -T 0
grep -q $'\x1b' screen || fail "an empty NO_COLOR is none"
# --color decides, regardless of NO_COLOR and of the output.
shows 120 "$SIMFIND" --summary=none -T 0 --color=never
same "colours with --color=never" 0 "$(grep -c $'\x1b' screen || true)"
NO_COLOR=1 shows 120 "$SIMFIND" --summary=none -T 0 --color=always
grep -q $'\x1b\\[32m' screen || fail "NO_COLOR is stronger than --color=always"
NO_COLOR=1 shows 120 "$SIMFIND" --summary=none -T 0 --color=auto
same "colours with NO_COLOR and --color=auto" 0 "$(grep -c $'\x1b' screen || true)"
for words in '-T 0' '-T 0 --group' --group=lineage --directories; do
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMFIND" --summary=none $words
	cp out plain
	runs 0 "$SIMFIND" --summary=none $words --color=auto
	cmp out plain || fail "$words --color=auto is not the default"
	runs 0 "$SIMFIND" --summary=none $words --color=always
	[ ! -s plain ] || grep -q $'\x1b\[[0-9]*m' out || fail "no colours with $words --color=always: $(cat -v out | first 5)"
	sed $'s/\x1b\\[[0-9]*m//g' out | cmp - plain || fail "$words --color=always changes more than colours"
done
for format in csv json jsonl null; do
	# JSON lines come in the order in which pairs are found.
	runs 0 "$SIMFIND" --summary=none -T 0 --format=$format -j 1
	LC_ALL=C sort out >plain
	runs 0 "$SIMFIND" --summary=none -T 0 --format=$format -j 1 --color=always
	LC_ALL=C sort out | cmp - plain || fail "colours in $format"
done
shows 120 "$SIMFIND" --summary=none -T 0 --group
grep -q $'^\x1b\\[1ma directory/file number 1.txt\x1b\\[0m ' screen || fail "no bold head: $(cat -v screen)"
grep -q $'^  \x1b\\[32midentical\x1b\\[0m  copy.txt ' screen || fail "no copy below it: $(cat -v screen)"
# To a file or a pipe: complete paths, no colours.
runs 0 "$SIMFIND" --summary=none -T 0
grep -qF "$files/copy.txt" out || fail "no whole path"
same "colours in a file" 0 "$(grep -c $'\x1b' out || true)"
# Other formats are also harmless on a terminal.
for format in csv json jsonl null; do
	shows 120 "$SIMFIND" --summary=none -T 0 --format=$format
	same "control bytes of $format" 0 "$(LC_ALL=C tr -d '\r\n\t -~\200-\377' <screen | wc -c)"
done
