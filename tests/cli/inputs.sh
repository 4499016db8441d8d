#!/usr/bin/env bash
# Tests the inputs of the programs other than the compared files: an endless input is refused soon,
# missing memory does not look like its end, a signal ends each wait for an input, and texts from
# Windows are read.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# is_waiting PID: the process runs the program and sleeps
is_waiting() {
	local name state
	read -r _ name state _ <"/proc/$1/stat" || fail "'${command[*]}' ended before the signal: $(cat err)"
	[[ $name = "(sim"* && $state = [SD] ]]
}
# ends_at SIGNAL STATUS: the started command ends at the signal, much faster than a user would
# accept to wait
ends_at() {
	local end=$((SECONDS + 20)) status=0
	wait_until is_waiting "$pid"
	sleep 0.05
	kill "-$1" "$pid"
	while kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $end ]; do
		sleep 0.02
	done
	! kill -KILL "$pid" 2>/dev/null || fail "'${command[*]}' does not end at SIG$1"
	wait "$pid" || status=$?
	same "status of '${command[*]}' at SIG$1" "$2" "$status"
}

# A file on a server that does not answer ends no run with an error, and the index is still usable.
if [ "${1:-}" = mounted ]; then
	mkdir shown point
	seq 3000 | split -l 10 - shown/a
	seq 100 >shown/hanging
	settle shown
	# hung SIGNAL STATUS WORD...: the command waits for the file, and ends at the signal. A
	# program that opens the file later waits in the kernel.
	hung() {
		local signal=$1 status=$2
		shift 2
		command=("$@")
		"$ODD_FS" "$PWD/shown" "$PWD/point" hang=hanging -- -f 2>/dev/null &
		daemon=$!
		trap 'kill -KILL "$daemon"' EXIT
		wait_until mountpoint -q point
		env --default-signal=INT "$@" >out 2>err &
		pid=$!
		sleep 0.3
		ends_at "$signal" "$status"
		kill -KILL "$daemon"
		umount point
		trap - EXIT
	}
	for signal in TERM:143 INT:130; do
		hung "${signal%:*}" "${signal#*:}" "$SIMHASH" -d sqlite:hung.db --force --threads=2 point
		said "simhash: interrupted; a file or a pipe does not answer; only what it has committed is stored"
		! grep -q hanging err || fail "the file is reported: $(cat err)"
		same "integrity" ok "$(sqlite3 hung.db 'PRAGMA integrity_check')"
	done
	# simfind and simkeep: a FILE, a comparison, acts and undo. The files were indexed while the
	# file system still answered.
	mkdir kept gone shown/{1,2}
	seq 100 20000 | tee shown/1/hanging shown/2/hanging gone/same >kept/same
	touch -d 2020-01-01Z shown/*/hanging {kept,gone}/same
	"$ODD_FS" "$PWD/shown" "$PWD/point"
	runs 0 "$SIMHASH" -q -d sqlite:gone.db point/1 gone
	runs 0 "$SIMKEEP" -d sqlite:gone.db --keep=in:point/1 --action=delete --yes --journal=undone point/1 gone
	[ ! -e gone/same ] || fail "nothing was done"
	runs 0 "$SIMHASH" -q -d sqlite:found.db point kept
	umount point
	# decided PATH DECISION: print a file for a file of decisions
	decided() {
		printf '{"path": "%s", "host": "%s", "size": %d, "mtime": "2020-01-01T00:00:00.000000000Z", "hash": "%s", "decision": "%s"}' \
			"$PWD/$1" "$(hostname)" "$(stat -c %s kept/same)" "$(md5sum <kept/same | cut -d' ' -f1)" "$2"
	}
	printf '{"format": "simfind decisions", "format_version": 1, "groups": [{"id": "0", "files": [%s, %s]}]}' \
		"$(decided kept/same keep)" "$(decided point/1/hanging "give up")" >decisions
	for options in point/1/hanging "--compare point/1/hanging kept/same" --verify=all \
		"--keep=in:kept --action=delete --yes --journal=acts" "--keep=in:point/1 --action=hardlink --yes --journal=acts" \
		"--decisions=decisions --action=delete --yes --journal=acts" "--undo=undone --yes"; do
		program=$SIMFIND
		[[ $options != *--journal* && $options != --undo* ]] || program=$SIMKEEP
		# shellcheck disable=SC2086  # several words
		SIMHASH_DATABASE=sqlite:found.db hung TERM 143 "$program" $options
		for file in shown/1/hanging shown/2/hanging; do
			cmp "$file" kept/same || fail "$options: $file"
		done
		rm -f acts
	done
	exit
fi

for number in 1 2 3 4 5; do
	seq "$number" $((number + 3000)) >"$files/similar$number.txt"
done
cp "$files/similar1.txt" "$files/copy.txt"
settle "$files"
runs 0 "$SIMHASH" -q --hash=sha256 "$files"
runs 0 "$SIMHASH" -q --export=digests
(cd "$files" && sha256sum similar1.txt similar2.txt) >sums
weighted=--measure=simhash64:words,weights=

# Every option that reads a list, as PROGRAM:WORDS; % is the list.
inputs=(hash:--tag-set=% hash:--exclude=@% hash:--filter=@% hash:--files0-from=% "hash:--import=% --host=there"
	"hash:--print --tag-set=% $files/copy.txt" find:--tag-set=% find:--tolerance=@% find:--files0-from=% find:--known=%
	find:--against=% "find:--compare % $files/copy.txt" "find:--compare $files/copy.txt %" "hash:$weighted%")
# program INPUT LIST: put the words of the command into `command`
program() {
	local words=${1#*:}
	command=("$SIMFIND")
	[ "${1%%:*}" = find ] || command=("$SIMHASH")
	# shellcheck disable=SC2206  # several words
	command+=(${words//%/$2})
	case $1 in
	hash:--import* | hash:--files0* | hash:--print* | find:*) ;;
	*) command+=("$files") ;;
	esac
}

echo "Inputs without an end"
for input in "${inputs[@]}"; do
	program "$input" /dev/zero
	runs 1 timeout -s KILL 60 "${command[@]}"
	said ": "
done
# Endless text without a zero byte.
for input in hash:--tag-set=% hash:--files0-from=% "hash:--import=% --host=there" find:--known=% find:--tolerance=@%; do
	program "$input" /dev/stdin
	runs 1 timeout -s KILL 60 "${command[@]}" < <(yes "no list has such a line" 2>/dev/null)
	said ": "
done

echo "Memory that is short"
if ! built_with sanitizer; then
	# A line that does not fit into memory follows some lines that do.
	for input in find:--tolerance=@% hash:--filter=@% "hash:$weighted%" hash:--exclude=@% find:--known=%; do
		case $input in
		*filter*) printf 'pdf:cat\n' ;;
		*weights*) printf '1 feature\n' ;;
		*known*) cat sums ;;
		*) printf 'txt=1\n' ;;
		esac >long
		truncate -s 900M long
		program "$input" long
		(ulimit -v 800000 && runs 1 "${command[@]}")
		said ": "
	done
	rm long
fi

echo "Signals"
mkfifo fifo
# Nobody writes to the pipe; then somebody opens it but writes nothing.
for input in "${inputs[@]}"; do
	program "$input" fifo
	"${command[@]}" >out 2>err &
	pid=$!
	ends_at TERM 143
	case $input in
	hash:--import* | hash:--tag-set* | hash:--files0* | find:--known* | find:--against*) ;;
	*) continue ;;
	esac
	exec 3<>fifo
	env --default-signal=INT "${command[@]}" >out 2>err 3<&- &
	pid=$!
	ends_at INT 130
	exec 3<&-
done
# If a FILE is a pipe, the program does not wait for it.
runs 2 "$SIMFIND" fifo
said "simfind: $PWD/fifo: Not a regular file"
runs 2 "$SIMHASH" --print fifo
said "simhash: fifo: Not a regular file"
# The first files of a list are stored or found, and then nothing follows.
mkfifo list
for beginning in "head -n 23 digests" "cat digests" "head -c 500 digests"; do
	exec 3<>list
	$beginning >&3
	command=("$SIMHASH" --import=list --host=there)
	"${command[@]}" >out 2>err 3<&- &
	pid=$!
	ends_at TERM 143
	exec 3<&-
done
runs 0 "$SIMHASH" --import=digests --host=there
exec 3<>list
printf '%s\0' "$files/copy.txt" >&3
command=("$SIMHASH" --files0-from=list)
"${command[@]}" >out 2>err 3<&- &
pid=$!
ends_at TERM 143
exec 3<&-

echo "Pipes that nobody reads, locks of others, and files that do not answer"
# ends_soon OUTPUT WORD...: the command writes to OUTPUT, and ends by SIGTERM
ends_soon() {
	local output=$1
	shift
	command=("$@")
	"$@" >"$output" 2>err &
	pid=$!
	ends_at TERM 143
	said "interrupted"
}
has_row() { [ "$(sqlite3 "$1" 'SELECT COUNT(*) FROM file' 2>/dev/null || echo 0)" != 0 ]; }
# has_read BYTES PID
has_read() { [ "$(sed -n 's/rchar: //p' "/proc/$2/io")" -ge "$1" ]; }
exec 3<>fifo
timeout 1 cat /dev/zero >&3 || true
ends_soon fifo "$SIMHASH" --export
exec 3<&-
if [ "${TEST_URL%%:*}" = sqlite ]; then
	mkfifo orders
	sqlite3 "${TEST_URL#sqlite:}" <orders >locked &
	locker=$!
	exec 3>orders
	echo "BEGIN IMMEDIATE; SELECT 'locked';" >&3
	wait_until [ -s locked ]
	ends_soon out "$SIMHASH" --import=digests --host=another
	ends_soon out "$SIMHASH" --force "$files"
	# Results from before the signal cannot be written.
	head -c 3000000 /dev/zero >large
	exec 4<>list
	command=("$SIMHASH" -d sqlite:locked.db --files0-from=list)
	"${command[@]}" >out 2>err 3>&- 4>&- &
	pid=$!
	printf '%s\0' "$files/copy.txt" >&4
	wait_until has_row locked.db
	echo "ATTACH '$PWD/locked.db' AS other; COMMIT; BEGIN IMMEDIATE; SELECT 'other';" >&3
	wait_until grep -q other locked
	printf '%s\0' large >&4
	wait_until has_read 3000000 "$pid"
	sleep 0.1
	ends_at TERM 143
	said "simhash: interrupted; the index could not be written, and the next run scans the last files again"
	exec 4>&-
	exec 3>&-
	wait "$locker"
fi
[ -z "${ODD_FS:-}" ] || in_own_mounts "$0" mounted

echo "Texts from Windows"
# as FORM FILE: a text as Windows programs write it
as() {
	case $1 in
	mark) printf '\xef\xbb\xbf' && sed 's/$/\r/' "$2" ;;
	little) printf '\xff\xfe' && sed 's/$/\r/' "$2" | iconv -f UTF-8 -t UTF-16LE ;;
	big) printf '\xfe\xff' && sed 's/$/\r/' "$2" | iconv -f UTF-8 -t UTF-16BE ;;
	esac
}
"$SIMHASH" -q --export >digests
printf '"SHA-256","FileName"\n"%s","\U1F600 name"\n' "$(head -c 64 sums)" >nsrl
printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,sha256,filename\n1,%s,\u00e4\n' "$(head -c 64 sums)" >hashdeep
printf 'txt=50\n# \u00e4\n' >tolerances
sed -n '2,18p' digests | sed '1s/ .*/ other/; 2s/ .*/ 9 9/' >tags
printf 'similar2*\n*\u00e4*\n' >patterns
printf '*\u00e4' | tee "$files/"$'a\u00e4' >"$files/"$'b\u00e4'
printf 'zzz:cat\n' >commands
printf '5 feature\ndefault 2\n' >weights
known() { "$SIMFIND" --summary=none --known="$1" --format=csv; }
tolerated() { "$SIMFIND" --summary=none --tolerance=@"$1" --verify=no --format=csv; }
tagged() { "$SIMHASH" --print -t "$1" "$files/copy.txt"; }
without() { "$SIMHASH" -q -d sqlite:other.db --exclude="@$1" "$files" && "$SIMHASH" -d sqlite:other.db --export 2>&1 | sed 's/ [^ ]*$//' && rm other.db*; }
weighing() { "$SIMFIND" --compare "$weighted$1" "$files/similar1.txt" "$files/similar2.txt"; }
filtered() { "$SIMHASH" -q -d sqlite:other.db --filter="@$1" "$files" && rm other.db*; }
for what in known:sums known:nsrl known:hashdeep known:digests tolerated:tolerances tagged:tags without:patterns weighing:weights \
	filtered:commands; do
	list=${what#*:}
	${what%%:*} "$list" >expected
	for form in mark little big; do
		as $form "$list" >windows
		${what%%:*} windows >found || fail "$what in the form $form is refused"
		cmp expected found || fail "$what in the form $form: $(diff expected found | head -4)"
	done
	[ -s expected ] || [ "$list" = commands ] || fail "$what gives nothing"
done
for form in mark little big; do
	as $form digests >windows
	runs 0 "$SIMHASH" --import=windows --host=windows
	said "$(grep -c / digests) files imported"
done
as little sums | head -c -1 >windows
runs 1 "$SIMFIND" --known=windows
said "windows is cut off: its UTF-16 ends within a character"
as big tolerances | head -c -1 >windows
runs 1 "$SIMFIND" --tolerance=@windows
said "windows is cut off: its UTF-16 ends within a character"

echo "Lists of nothing"
for input in find:--tolerance=@% hash:--filter=@% "hash:$weighted%" find:--known=% find:--against=% "hash:--import=% --host=x" hash:--tag-set=%; do
	printf '# a comment\n\n' >nothing
	program "$input" nothing
	runs 1 "${command[@]}"
	said "nothing"
done
