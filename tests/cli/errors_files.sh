#!/usr/bin/env bash
# Tests files that cannot be read, and output that cannot be written: everything else is done.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"
runs 0 "$SIMHASH" "$files"

# An empty list requests no files.
: >none
runs 0 "$SIMFIND" --files0-from=none
said "0 pairs (0 identical, 0 similar) for 0 files"

# Requested files that cannot be read; the others are answered.
cp "$files/a" b
printf '%s\0' "$files" >list
runs 2 "$SIMFIND" --files0-from=list "$files/missing" b
said "simfind: $files/missing: No such file or directory"
said "simfind: $files: Not a regular file"
same "answer for the readable one" 1 "$(grep -c ^identical out)"

# Output that cannot be written.
cp "$files/a" "$files/d"
runs 0 "$SIMHASH" "$files"
runs 1 "$SIMFIND" -o /no/such/folder/out
said "simfind: cannot write to /no/such/folder/out: No such file or directory"
runs 1 "$SIMFIND" -o /dev/full
said "simfind: cannot write to /dev/full: No space left on device"
runs 1 sh -c '"$0" >/dev/full' "$SIMFIND"
said "simfind: cannot write to standard output: No space left on device"

# An ordinary home directory, every night: files without content, encrypted files, files above a
# limit, and files that are removed meanwhile are not failures.
home=$TEST_FOLDER/home
mkdir -p "$home/.mozilla/firefox/profile" "$home/.cache/removed" "$home/documents" "$home/downloads" "$home/.gnupg"
python3 - "$home" <<'PYTHON'
import os, socket, sqlite3, sys
os.chdir(sys.argv[1])
socket.socket(socket.AF_UNIX).bind(".gnupg/S.gpg-agent")
os.mkfifo(".cache/pipe")
os.symlink("127.0.1.1:+1234", ".mozilla/firefox/profile/lock")
os.symlink("loop", "documents/loop")
for name in (".mozilla/firefox/profile/.parentlock", "downloads/empty.zip", "downloads/empty.gz", "documents/empty.docx", "empty"):
    open(name, "w").close()
places = sqlite3.connect(".mozilla/firefox/profile/places.sqlite")
places.execute("PRAGMA journal_mode = WAL")
places.execute("CREATE TABLE visit(url TEXT)")
places.commit()
for number in range(100):
    with open(".cache/removed/%d" % number, "w") as file:
        file.write("%d\n" % number * 500)
os._exit(0)  # as a browser that is still open
PYTHON
for number in 1 2 3; do
	echo "$number" >"$home/documents/$number.slow"
done
seq 1000 >"$home/documents/text"
cp "$home/documents/text" "$home/downloads/no zip.zip"
cp "$home/documents/text" "$home/downloads/no gzip.gz"
if built_with archives; then
	(
		cd "$home/downloads"
		bsdtar -cf locked.zip --format=zip --options zip:encryption=zipcrypt --passphrase=secret -C ../documents text
		tar -cJf data.tar.xz -C ../documents text
		gzip -nc ../documents/text >text.gz
		for outer in control.tar.gz inner.tar outer.tar; do
			tar -caf "$outer" ./*.gz ./*.xz
		done
		echo 2.0 >debian-binary
		ar r package.deb debian-binary control.tar.gz data.tar.xz 2>/dev/null
		tar -cf packages.tar package.deb inner.tar outer.tar
		rm -f control.tar.gz data.tar.xz inner.tar outer.tar debian-binary
	)
fi
# While the first files are read, others are removed.
printf '#!/bin/sh\nsleep 0.2\nrm -rf "%s"\ncat\n' "$home/.cache/removed" >slow
chmod +x slow
reset
runs 0 "$SIMHASH" -j 1 --filter="slow:$PWD/slow" "$home"
[ ! -e "$home/.cache/removed" ] && ! grep -q '^10[0-9] scanned' err || fail "nothing was removed in time: $(cat err)"
runs 0 "$SIMHASH" "$home"
for night in first second; do
	runs 0 "$SIMHASH" -z "$home"
	said ", 0 failed"
	[ $night = second ] || said "no gzip.gz: Not in gzip format"
	! built_with archives || said "Is inside more archives than --limits=depth=N allows"
	! built_with archives || [ $night = second ] || said "locked.zip: Encrypted, so its content is not indexed"
	said " archives left out, as reported above"
done
runs 0 "$SIMHASH" -q -z -f "$home"
same "what a night with -q shows" "" "$(cat out err)"
# A damaged file is a failure.
gzip -nc "$home/documents/text" >"$home/downloads/damaged.gz"
truncate -s 500 "$home/downloads/damaged.gz"
runs 2 "$SIMHASH" -z "$home"
said "1 failed"
runs 2 "$SIMHASH" -q -z "$home"
same "what -q shows of damage" 1 "$(grep -c 'damaged.gz.*: Damaged' err)"

# If no PATH can be read, nothing is done: no index is created or changed.
mkdir closed
chmod 000 closed
copy_for_user "$SIMHASH"
if [ "$TEST_ENGINE" = sqlite ]; then
	runs 1 "$SIMHASH" -d sqlite:new.db /no/such/path "$home/.cache/pipe"
	said "simhash: /no/such/path: No such file or directory"
	said "simhash: $home/.cache/pipe: Neither a regular file nor a directory"
	same "the last line" "simhash: no PATH can be read; nothing is indexed or removed from the index" "$(tail -n 1 err)"
	mkdir as_user
	chmod 777 as_user
	runs 1 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" -d sqlite:as_user/new.db closed
	said "simhash: $PWD/closed: Permission denied"
	runs 2 as_user "$TEST_FOLDER/bin/${SIMHASH##*/}" -d sqlite:as_user/some.db closed as_user
	same "indexes" as_user/some.db "$(ls -d new.db* as_user/*.db 2>/dev/null)"
fi
before=$(sql "SELECT COUNT(*), MAX(id) FROM scan_run")
runs 1 "$SIMHASH" /no/such/path "$home/none"
same "the runs of the index" "$before" "$(sql "SELECT COUNT(*), MAX(id) FROM scan_run")"
runs 2 "$SIMHASH" /no/such/path "$home/documents"
runs 1 "$SIMHASH" --summary=json /no/such/path
has '"result":"failed","exit":1.*"failed":1.*"error":"no PATH can be read' <err || fail "no result: $(cat err)"

# The reason why a PATH cannot be read is the reason that the system gives.
mkdir reasons reasons/locked
cd reasons
seq 1000 >file
ln -s loop loop
ln -s nowhere dangling
long=$(printf 'n%.0s' {1..300})
cp "$SIMFIND" "$SIMKEEP" "$TEST_FOLDER/bin"
# reason PATH REASON [COMMAND]...: what each program says about the path, run by COMMAND
reason() {
	local path=$1 why=$2 in
	shift 2
	in=$([ "${path#/}" = "$path" ] && echo "cannot find directory $path" || echo "at or below $path, which cannot be read")
	runs 1 "$@" "${programs}simhash" "$path"
	same "simhash" "simhash: $path: $why" "$(first 1 <"$TEST_FOLDER/err")"
	runs 2 "$@" "${programs}simhash" --print file "$path"
	said "simhash: $path: $why"
	for option in -z --files0-from=-; do
		runs 2 "$@" "${programs}simfind" "$option" "$path" < <(printf '%s\0' file)
		said "simfind: $path: $why"
	done
	runs 1 "$@" "${programs}simfind" --compare file "$path"
	said "simfind: cannot read $path: $why"
	runs 1 "$@" "${programs}simfind" --directories "$path"
	said "$in: $why"
	runs 1 "$@" "${programs}simfind" --between . "$path"
	said "$in: $why"
	runs 2 "$@" "${programs}simkeep" "$path"
	said "simkeep: $path: $why"
	runs 1 "$@" "${programs}simkeep" --keep="in:$path"
	said "simkeep: --keep=in:$path: $why"
}
reset
runs 0 "$SIMHASH" .
programs=$(dirname "$SIMHASH")/
for above in '' "$PWD/"; do
	reason "${above}loop" 'Too many levels of symbolic links'
	reason "${above}loop/file" 'Too many levels of symbolic links'
	reason "${above}file/below" 'Not a directory'
	reason "$above$long" 'File name too long'
	reason "${above}dangling" 'No such file or directory'
	reason "${above}none" 'No such file or directory'
done
runs 1 "$SIMHASH" ''
said "simhash: '': No such file or directory"
runs 1 "$SIMFIND" --directories ''
said "cannot find directory '': No such file or directory"
seq 1000 >locked/file
if [ "$TEST_ENGINE" = sqlite ]; then
	chmod 700 locked
	chmod 777 .
	programs=$TEST_FOLDER/bin/
	export SIMHASH_DATABASE=sqlite:$PWD/user.db
	runs 0 as_user "${programs}simhash" file
	[ "$(id -u)" = 0 ] || chmod 000 locked
	reason locked/file 'Permission denied' as_user
	reason "$PWD/locked/file" 'Permission denied' as_user
	chmod 700 locked
fi
