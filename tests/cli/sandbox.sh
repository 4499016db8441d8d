#!/usr/bin/env bash
# Tests that archives are read in a process that can do nothing else, and that its faults affect
# only one archive.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

rows() {
	sql "SELECT path FROM file_text WHERE compressed_size > 0" | sed "s|^$files/||" | LC_ALL=C sort | paste -sd ' '
}
# with_faults COMMAND...: run it with a faulty library for archives
with_faults() {
	LD_PRELOAD="$FAULTY_ARCHIVE" "$@"
}
archive() {
	(cd "$TEST_FOLDER" && seq $((${#1} * 1000)) 20000 >first && cp first "$1" && bsdtar -cf "$files/$1.tar" first "$1")
}
# helpers PID: the processes that unpack for it
helpers() {
	{ grep -lsxE "PPid:[[:space:]]$1" /proc/[0-9]*/status || true; } | cut -d/ -f3
}
# has_helper PID: does it have a process that has read for a while, and so has started completely?
has_helper() {
	local helper ticks
	helper=$(helpers "$1")
	[ -n "$helper" ] && ticks=$(cut -d' ' -f14 "/proc/$helper/stat" 2>/dev/null) && [ "$ticks" -ge 20 ]
}
is_gone() {
	! kill -0 "$1" 2>/dev/null
}

# For every fault, the archive is reported, and everything before it and all other archives are
# indexed.
for fault in crash abort hungry nosy fine; do
	archive $fault
done
before=(abort.tar//first crash.tar//first fine.tar//fine fine.tar//first hungry.tar//first nosy.tar//first)
crashed="Damaged archive: the process that read it crashed; the part read before is indexed"
for threads in 1 2; do
	runs 2 with_faults "$SIMHASH" -z -j$threads "$files"
	said "$files/crash.tar: $crashed"
	said "$files/abort.tar: $crashed"
	said "$files/hungry.tar: Needs more memory than simhash --limits=memory=SIZE allows for an archive: the part read before is indexed"
	same "failures" 3 "$(grep -c '^simhash: ' err)"
	same "members" "${before[*]} nosy.tar//refused" "$(rows)"
	[ ! -e "$TEST_FOLDER/written" ] || fail "a decoder has written a file"
	[ -z "$(find . -name 'core*')" ] || fail "a decoder has left a core"
	reset
done
runs 2 with_faults "$SIMHASH" -z -j1 "$files"
runs 0 "$SIMHASH" -z "$files"
same "members of damaged archives" "abort.tar//abort abort.tar//first crash.tar//crash crash.tar//first ${before[*]:2:2} hungry.tar//first hungry.tar//hungry nosy.tar//first nosy.tar//refused" "$(rows)"
runs 2 with_faults "$SIMFIND" -z "$files/crash.tar"
said "$files/crash.tar: $crashed"
runs 2 with_faults "$SIMHASH" --print -z "$files/abort.tar"
said "$files/abort.tar: $crashed"
runs 2 with_faults "$SIMFIND" --verify=all
grep -qE "(crash|abort).tar//(first|crash|abort): Damaged archive" err || fail "no damaged archive: $(cat err)"

# Without a sandbox, the rows are the same: by choice, and if the system has none, which is reported
# once.
rm "$files"/{crash,abort,hungry}.tar
reset
runs 0 "$SIMHASH" -z "$files"
sql "SELECT path FROM file_text" | LC_ALL=C sort >expected
for without in no yes ''; do
	reset
	WITHOUT_SECCOMP=1 SIMHASH_SANDBOX=$without runs 0 with_faults "$SIMHASH" -zq "$files"
	sql "SELECT path FROM file_text" | sed 's/allowed$/nosy/' | LC_ALL=C sort | diff expected - || fail "other rows with '$without'"
	[ "$without" != no ] || same "messages" "" "$(cat err)"
	[ "$without" = no ] || same "messages" \
		"simhash: warning: archives are read without a sandbox, as with SIMHASH_SANDBOX=no: Function not implemented" "$(cat err)"
done
for program in "$SIMHASH" "$SIMFIND"; do
	SIMHASH_SANDBOX=off runs 1 "$program" -z "$files"/*
	same "messages" "${program##*/}: SIMHASH_SANDBOX 'off': expected yes or no" "$(cat err)"
done
reset

# The libraries for mail and images are loaded only by a process that reads them.
# loads COUNT LIBRARY [OPTION]...: check that this many processes of a run load the library
loads() {
	rm -f loaded.*
	LD_DEBUG=files LD_DEBUG_OUTPUT=loaded runs 0 "$SIMHASH" -q -j1 "${@:3}" "$files"/{fine.tar,x.docx,x.mbox}
	same "processes with ${*:3}" 2 "$(find . -name 'loaded.*' | wc -l)"
	same "$2 with ${*:3}" "$1" "$({ grep -l "file=$2" loaded.* || true; } | wc -l)"
	reset
}
(cd "$TEST_FOLDER" && mkdir word && seq 100 >word/document.xml && python3 -m zipfile -c "$files/x.docx" word)
printf 'From a@b Thu Jan  1 00:00:00 2026\nSubject: x\n\nbody\n' >"$files/x.mbox"
for part in mail:mbox:libgmime images:disk:libtsk ewf:ewf:libewf; do
	IFS=: read -r feature kind name <<<"$part"
	built_with $feature || continue
	if built_with documents; then
		loads 0 $name
	fi
	loads 0 $name --decompress=zip,tar
	loads 1 $name --decompress=tar,$kind
	loads 1 $name -z
done

# Without a library, the programs work as if they were built without it.
for part in mail:mbox:libgmime:GMime images:disk:libtsk:libtsk ewf:ewf:libewf:libewf; do
	IFS=: read -r feature kind file name <<<"$part"
	built_with $feature || continue
	"$SIMHASH" --version | grep '^containers:' | has " $kind,"
	MISSING_LIBRARY=$file runs 0 with_faults "$SIMHASH" --version
	! grep -q "^containers:.* $kind," out || fail "there is $kind without $file"
	grep -q "^containers:.*[(,] without ${name}[,)]" out || fail "--version does not say so: $(cat out)"
	MISSING_LIBRARY=$file runs 1 with_faults "$SIMHASH" --print --decompress=tar,$kind "$files/x.mbox"
	said "--decompress 'tar,$kind': $kind needs $name; install it, or build simhash with it"
done
if built_with mail; then
	MISSING_LIBRARY=libgmime runs 0 with_faults "$SIMHASH" --print -z "$files/x.mbox"
	same "a mailbox without GMime" "$files/x.mbox" "$(sed -n 's/^file *//p' out)"
	# A library that exists but cannot be loaded is a problem of each file.
	for without in '' no; do
		SIMHASH_SANDBOX=$without BROKEN_LIBRARY=libgmime runs 2 with_faults "$SIMHASH" --print -z "$files/x.mbox" "$files/fine.tar"
		said "$files/x.mbox: Operation not supported"
		grep -q "fine.tar//first" out || fail "other archives are not read"
	done
fi
# A process that has not loaded a library is replaced when a file needs it: without -z, only the
# changed mailbox is read for its messages.
if built_with mail && built_with documents; then
	rm "$files/fine.tar"
	for number in $(seq 9); do
		cp "$files/x.docx" "$files/$number.docx"
	done
	runs 0 "$SIMHASH" -z "$files"
	printf 'more\n' | tee -a "$files"/*.docx >>"$files/x.mbox"
	runs 0 "$SIMHASH" -j1 "$files"
	same "members" "x.mbox//000001.eml x.mbox//000001.eml//1.txt" "$(rows | tr ' ' '\n' | grep mbox | xargs)"
	reset
fi
rm "$files"/*.docx "$files/x.mbox"

# A process that reads an archive a second time, with more memory, may end before it reaches the
# place of the first reading.
(cd "$TEST_FOLDER" && seq 20000 >early && cp early late && bsdtar -cf "$files/late.tar" early late)
runs 2 with_faults "$SIMHASH" -z -j2 "$files"
said "$files/late.tar: $crashed"
reset

# Processor time has a limit; interrupted or killed runs leave no process behind.
rm "$files"/*.tar
archive endless
(
	ulimit -St 1
	runs 2 with_faults "$SIMHASH" -z "$files"
)
said "$files/endless.tar: Damaged archive: reading it made no progress within a minute of processor time; the part read before is indexed"
trap '[ -z "${run:-}" ] || kill -KILL $run 2>/dev/null || true' EXIT
start() {
	LD_PRELOAD=$FAULTY_ARCHIVE "$SIMHASH" -zq "$files" 2>err &
	run=$!
	wait_until has_helper $run
	helper=$(helpers $run)
}
for signal in TERM KILL; do
	start
	kill -$signal $run
	wait $run 2>/dev/null || true
	wait_until is_gone "$helper"
done
start
kill -KILL "$helper"
status=0
wait $run || status=$?
same "status" 2 $status
said "$files/endless.tar: $crashed"

# All processes together may use 1 GiB for data, and one that needs more may use as much again, with
# any number of threads. shares_memory COUNT: check that this many processes unpack, and that their
# limits add up to $half or 1 GiB
shares_memory() {
	local helper
	[ "$(for helper in $(helpers $run); do sed -n 's/^Max data size *\([0-9]*\) .*/\1/p' "/proc/$helper/limits"; done 2>/dev/null |
		awk '{ bytes += $1 } END { print NR, bytes }')" = "$1 ${half:-$((1 << 30))}" ]
}
has_threads() {
	[ "$(find "/proc/$run/task" -maxdepth 1 -name '[0-9]*' | wc -l)" -gt "$1" ]
}
# shares THREADS FOLDER COUNT [OPTION]...: check that this many processes of a run share the memory,
# also after one of them has ended
shares() {
	LD_PRELOAD=$FAULTY_ARCHIVE "$SIMHASH" -q -j"$1" --decompress=tar,xz "${@:4}" "$TEST_FOLDER/$2" 2>err &
	run=$!
	wait_until has_threads "$1"
	wait_until shares_memory "$3"
	kill -KILL "$(helpers $run | head -n 1)"
	wait_until grep -q crashed err
	wait_until shares_memory "$3"
	kill -TERM $run
	wait $run 2>/dev/null || true
}
cd "$TEST_FOLDER"
touch asleep
bsdtar -cf asleep.tar asleep
xz -k --lzma2=dict=64MiB asleep.tar
truncate -s 1M asleep.tar asleep.tar.xz # so that each one goes to another thread
mkdir tar xz
for number in $(seq 80); do
	cp asleep.tar "tar/$number.tar"
	cp asleep.tar.xz "xz/$number.tar.xz"
done
shares 8 xz 8
shares 80 tar 64
shares 80 xz 1
half=$((64 << 20)) shares 12 tar 4 --limits=memory=128M

# The other half is for a single archive.
mkdir one
cp xz/1.tar.xz one
for options in --limits=memory=32M -j3 "--limits=memory=100M -j2" "--limits=memory=160M -j2"; do
	"$SIMHASH" --forget "$TEST_FOLDER/one" >out 2>err || true
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMHASH" -z $options "$TEST_FOLDER/one"
	case $options in
	*32M | *100M*) said "one/1.tar.xz: Needs more memory than simhash --limits=memory=SIZE allows for an archive" ;;
	*) grep -q memory err && fail "$options: $(cat err)" ;;
	esac
done
runs 1 "$SIMHASH" -z --limits=memory=1M "$TEST_FOLDER/one"
said "--limits=memory '1M': expected at least 32M"
