#!/usr/bin/env bash
# Tests simhash --filter: the output of a command for a file is stored as a separate content.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

rows() {
	sql "SELECT path FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort | paste -sd ' '
}

# Replaces every program: it prints its arguments, and ends as the file says.
tool=$TEST_FOLDER/tool
cat >"$tool" <<'END'
#!/usr/bin/env bash
[ $# -gt 0 ] || set -- /dev/stdin
for file; do :; done
text=$(cat -- "$file")
case $text in
fail*) printf 'first\n\nbad \033[31m line\n\n' >&2; exit 3 ;;
signal*) kill -SEGV $$ ;;
sleep*) sleep 1000 & echo $! >>"$PIDS"; echo $$ >>"$PIDS"; echo started; sleep 1000 ;;
long*) yes ;;
fds*) ls /proc/self/fd; readlink /proc/self/fd/0 ;;
empty*) ;;
input*) cat; echo "$1" ;;
*) printf '%s\n' "$text" | tr a-z n-za-m; echo "$# arguments: ${*//"$file"/FILE}" ;;
esac
END
chmod +x "$tool"
export PIDS=$TEST_FOLDER/pids
: >"$PIDS"

# Two versions whose bytes have nothing in common have similar filter output.
words() {
	seq 1 2000 | sed "s/^/line $1 /"
}
words a >"$files/-one.pdf"
words b | sed 's/ b / a /; 500s/line/changed/' >"$files/two.PDF"
words x >"$files/three.txt"
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --filter="pdf,ps:$tool -x 'a b' \"c d\" e\\ f 100%% %" "$files"
summary 2 3 0 0
same "rows" "-one.pdf -one.pdf//filtered three.txt two.PDF two.PDF//filtered" "$(rows)"
runs 0 "$SIMFIND"
grep -q 'one.pdf//filtered  .*two.PDF//filtered' out || fail "filtered contents are not found: $(cat out)"
cp "$TEST_FOLDER/out" "$TEST_FOLDER/before"

# No command runs twice, or in a run without --filter; a changed command reads the files again.
runs 0 "$SIMHASH" --filter="pdf,ps:$tool -x 'a b' \"c d\" e\\ f 100%% %" "$files"
summary 0 3 0 0
runs 0 "$SIMHASH" -z "$files"
summary 0 3 0 0
same "rows that stay" "-one.pdf -one.pdf//filtered three.txt two.PDF two.PDF//filtered" "$(rows)"
# The same if an unchanged file is read again for another reason. A changed file with the same size
# and time does not keep its output.
read_again() {
	runs 0 "$SIMHASH" "$@" "$files"
	summary 3 0 0 0
	same "rows that stay with $*" "-one.pdf -one.pdf//filtered three.txt two.PDF two.PDF//filtered" "$(rows)"
}
read_again -f
read_again --hash=md5
read_again --measure=minhash
read_again -f -z
sql "UPDATE file SET scanned_at_ns = mtime_ns" # in the same clock tick
read_again
sql "UPDATE file SET resemblance_sketch = NULL"
runs 0 "$SIMHASH" "$files"
same "rows that stay for want of sketches" "-one.pdf -one.pdf//filtered three.txt two.PDF two.PDF//filtered" "$(rows)"
runs 0 "$SIMHASH" --filter="pdf,ps:$tool -x 'a b' \"c d\" e\\ f 100%% %" "$files"
summary 0 3 0 0
cp -p "$files/two.PDF" "$TEST_FOLDER/kept.pdf"
sed -i 's/line/LINE/' "$files/two.PDF"
settle "$files"
runs 0 "$SIMHASH" -f "$files"
summary 3 0 1 0
same "rows of a file that was replaced" "-one.pdf -one.pdf//filtered three.txt two.PDF" "$(rows)"
mv "$TEST_FOLDER/kept.pdf" "$files/two.PDF"
runs 0 "$SIMHASH" -f --filter="pdf,ps:$tool -x 'a b' \"c d\" e\\ f 100%% %" "$files"
summary 5 0 0 0
printf '# commands\n\npdf:%s %%\n' "$tool" >"$TEST_FOLDER/filters"
runs 0 "$SIMHASH" --filter="@$TEST_FOLDER/filters" "$files"
summary 2 3 0 0
hash=$(sql "SELECT HEX(content_hash) FROM file_text WHERE path LIKE '%two.PDF//filtered'")
runs 0 "$SIMHASH" -f --filter="pdf:$tool %" -j1 "$files"
same "of one thread" "$hash" "$(sql "SELECT HEX(content_hash) FROM file_text WHERE path LIKE '%two.PDF//filtered'")"
# Another program with the same name also reads the files again. The index contains both commands
# and both programs, and so does a copy of it.
runs 0 "$SIMHASH" --filter="pdf:$tool %" "$files"
summary 0 3 0 0
echo '# another' >>"$tool"
runs 0 "$SIMHASH" --filter="pdf:$tool %" "$files"
summary 2 3 0 0
known_commands() {
	sql "SELECT CAST(command AS CHAR), CAST(version AS CHAR) FROM filter_command" |
		tr -d '\\' | # a MariaDB client doubles these
		sed -E "s|$tool|TOOL|g; s/[0-9]+ bytes, changed 20[0-9T:.-]+Z/N bytes, changed T/" | LC_ALL=C sort
}
same "commands" "TOOL %|TOOL, N bytes, changed T
TOOL %|TOOL, N bytes, changed T
TOOL -x 'a b' \"c d\" e f 100%% %|TOOL, N bytes, changed T" "$(known_commands)"
known_commands >commands
runs 0 "$SIMHASH" --copy-to=sqlite:copy.db
TEST_SQL='sqlite3 copy.db' known_commands | cmp - commands || fail "a copy has other commands"
printf 'line\n' >>"$files/two.PDF"
runs 0 "$SIMHASH" "$files"
same "a changed file has no old text" "-one.pdf -one.pdf//filtered three.txt two.PDF" "$(rows)"
rm "$files/-one.pdf"
runs 0 "$SIMHASH" "$files"
same "a removed file" "three.txt two.PDF" "$(rows)"

# Arguments and descriptors are as expected: a plain file with the same text is identical.
runs 0 "$SIMHASH" --filter="pdf:$tool -x 'a b' \"c d\" e\\ f 100%% %" "$files"
{
	tr a-z n-za-m <"$files/two.PDF"
	echo "6 arguments: -x a b c d e f 100% FILE"
} >"$files/expected.txt"
echo "input of a file" >"$files/in.dat"
echo fds >"$files/fds.dat"
printf '0\n1\n2\n3\n%s\n' "$files/fds.dat" >"$files/fds.txt" # 3 is the folder that ls lists
runs 0 "$SIMHASH" --filter="pdf:$tool -x 'a b' \"c d\" e\\ f 100%% %" --filter="dat:$tool" "$files"
runs 0 "$SIMFIND"
grep -q '^identical .*expected.txt  .*two.PDF//filtered' out || fail "other arguments: $(sql 'SELECT path, size FROM file_text')"
grep -q '^identical .*fds.dat//filtered  .*fds.txt' out || fail "other descriptors: $(cat out)"
runs 2 "$SIMFIND" --verify=all
said "two.PDF//filtered: Is the output of a filter, which is not run again to read it"
reset
rm -r "${files:?}"/*

# Failures are reported for each file and tried again; successful output is stored.
for what in fail signal long good empty; do
	echo "$what" >"$files/$what.pdf"
done
settle "$files"
runs 2 "$SIMHASH" --filter="pdf:$tool %" --limits=output=1M "$files"
said "$files/fail.pdf: tool ended with status 3: bad \\x1b[31m line"
said "$files/signal.pdf: tool was ended by signal 11"
said "$files/long.pdf: tool printed more than --limits=output=SIZE allows"
same "failures" 3 "$(grep -c '^simhash: ' err)"
same "rows" "empty.pdf fail.pdf good.pdf good.pdf//filtered long.pdf signal.pdf" "$(rows)"
mkdir "$files/late"
echo sleep >"$files/late/sleep.pdf"
runs 2 "$SIMHASH" --filter="pdf:$tool %" --limits=seconds=1 "$files/late"
said "$files/late/sleep.pdf: tool took more than 1 s: see --limits=seconds=N"
all_ended() {
	local pid
	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || [ "$(ps -o stat= -p "$pid" 2>/dev/null | cut -c1)" = Z ] || return 1
	done <"$PIDS"
}
wait_until all_ended
rm -r "$files/late" "$files/long.pdf"
# The caller may ignore the end of its children, and the program would inherit this.
runs 2 env --ignore-signal=CHLD "$SIMHASH" --filter="pdf:$tool %" "$files"
summary 0 4 2 2

# An interrupted run ends its commands.
echo sleep >"$files/sleep.pdf"
: >"$PIDS"
"$SIMHASH" -q --filter="pdf:$tool %" "$files" 2>"$TEST_FOLDER/err" &
both_run() {
	[ "$(wc -l <"$PIDS")" = 2 ]
}
wait_until both_run
kill -INT $!
wait $! && fail "not interrupted" || true
wait_until all_ended

# Errors in the option are reported before anything is read.
wrong() {
	runs 1 "$SIMHASH" "$1" "$files"
	said "$2"
}
wrong --filter=pdf "--filter 'pdf': expected EXT[,EXT...]:COMMAND, such as 'pdf:pdftotext % -'"
wrong --filter=pdf: "--filter 'pdf:': expected EXT[,EXT...]:COMMAND"
wrong --filter=.pdf:cat "--filter '.pdf:cat': expected extensions without dots"
wrong --filter='pdf:no-such-program %' "--filter 'pdf:no-such-program %': cannot find the program no-such-program"
wrong --filter='pdf:cat "%' "a quote is not closed"
wrong --limits=seconds=3 "--limits=seconds needs --filter"
wrong --filter="@$TEST_FOLDER/none" "$TEST_FOLDER/none"
printf '# no filter\npdf cat\n' >"$TEST_FOLDER/filters"
wrong --filter="@$TEST_FOLDER/filters" "$TEST_FOLDER/filters:2: filter 'pdf cat': expected EXT[,EXT...]:COMMAND"
