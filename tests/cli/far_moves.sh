#!/usr/bin/env bash
# Tests moves to another file system: no byte and no attribute is lost, a file that cannot be copied
# stays, and --undo restores everything, also when calls to the system fail or a signal comes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
PATH=$(dirname "$SIMKEEP"):$PATH
tool=$TEST_FOLDER/tool.py

cat >"$tool" <<'PYTHON'
import contextlib, hashlib, os, re, sqlite3, subprocess, sys

def state(path):
    """everything that a move must keep; a hole is no data"""
    status = os.lstat(path)
    with open(os.open(path, os.O_RDONLY | os.O_NOATIME), "rb") as file:
        digest = hashlib.md5(file.read()).hexdigest()
    lists = {name: os.getxattr(path, name) for name in os.listxattr(path) if not name.startswith("security.selinux")}
    return [digest, oct(status.st_mode), status.st_uid, status.st_gid, status.st_mtime_ns, int(status.st_atime),
            status.st_blocks * 512 < status.st_size, sorted(lists.items())]

def tree(tops, whole=True):
    """all files, also temporary ones, and all folders with their modes"""
    for top in tops:
        for folder, _, names in os.walk(top):
            print(folder, oct(os.stat(folder).st_mode))
            for name in sorted(names):
                path = os.path.join(folder, name)
                print(path, *(state(path) if whole else state(path)[:1]))

def all_files(tops):
    return {os.path.join(folder, name): state(os.path.join(folder, name)) for top in tops
            for folder, _, names in os.walk(top) for name in names}

def run(*words, fault=None):
    environment = dict(os.environ, **({"LD_PRELOAD": os.environ["FAULTS"], "FAULT": fault} if fault else {}))
    done = subprocess.run([os.environ["SIMKEEP"], *words], env=environment, capture_output=True)
    return done.returncode, done.stderr.decode()

def faults(words):
    """each call of a class fails, in one run after another"""
    *sources, there, journal, index = words
    with contextlib.closing(sqlite3.connect(index)) as database: # undo gives files other inodes
        database.execute("UPDATE file SET device = 0, inode = 0")
        database.commit()
    with open(index, "rb") as file:
        first_index = file.read()
    before, said, failed = all_files(sources), "", 0
    digests = {state[0] for state in before.values()}
    step = int(os.environ.get("FAULT_STEP", "8"))
    for kind, last in (("read", 90), ("write", 30), ("short", 20), ("sync", 14), ("status", 200), ("open", 60)):
        for call in range(1, last, 1 if kind == "sync" else step):
            fault = f"{kind}:{call}"
            for end in ("-wal", "-shm"):
                if os.path.exists(index + end):
                    os.remove(index + end)
            with open(index, "wb") as file:
                file.write(first_index)
            status, text = run("--into=" + there, "--action=delete", "--yes", "--journal=" + journal, *sources, fault=fault)
            said += text
            failed += status != 0
            assert status in (0, 1, 2), (fault, status, text)
            now = all_files([*sources, there])
            assert digests <= {state[0] for state in now.values()}, (fault, "a content was lost", text)
            if os.path.exists(journal) and os.path.getsize(journal):
                status, text = run("--undo=" + journal, "--yes")
                assert status == 0, (fault, text)
            now = all_files([*sources, there])
            assert now == before, (fault, "undo did not restore everything", text, now, before)
            if os.path.exists(journal):
                os.remove(journal)
    assert failed > 10, failed
    for text in ("cannot copy it: No space left on device", "cannot read its copy again: Input/output error"):
        assert text in said, (text, sorted(set(re.findall("left alone: .*", said))))
    print(failed, "runs failed")

globals()[sys.argv[1]](sys.argv[2:])
PYTHON

# world: two drives at $a and $b
world() {
	rm -rf "${a:?}" "${b:?}" "${far:?}"/* journal
	mkdir -p "$a/photos/2001" "$b/photos" "$b/empty"
	seq 60000 >"$a/photos/2001/one.jpg"
	cp "$a/photos/2001/one.jpg" "$b/photos/copy.jpg"
	echo letter >"$a/letter.txt"
	echo other letter >"$b/letter.txt"
	: >"$a/empty.txt"
	printf 'first' >"$b/sparse"
	truncate -s 3M "$b/sparse"
	printf 'last' >>"$b/sparse"
	chmod 640 "$a/letter.txt"
	chmod 2751 "$b/sparse"
	chmod 750 "$a/photos"
	touch -d '2001-02-03 04:05:06.789' "$a"/*.txt "$a/photos/2001/one.jpg"
	touch -d '1999-02-03 04:05:06.789' "$b"/* "$b/photos/copy.jpg"
	sleep 0.025
	reset
	runs 0 "$SIMHASH" -q "$a" "$b"
}
tree() {
	python3 "$tool" tree "$a" "$b" | grep -v "^$b/empty "
}
undo() {
	runs 0 "$SIMKEEP" --undo=journal --yes
	tree | diff before - || fail "$1: undo did not restore everything"
	same "$1: the other file system after undo" "" "$(find "$far" -mindepth 1)"
	rm journal
}
# row PATH: the row of a file has its device and its inode
row() {
	same "the row of $1" "$(stat -c '%d|%i' "$1")" "$(sql "SELECT device, inode FROM file WHERE CAST(name AS TEXT) = '${1##*/}' AND CAST(directory AS TEXT) = '${1%/*}'")"
}

a=$TEST_FOLDER/a b=$TEST_FOLDER/b

if [ "${1:-}" = mounted ]; then
	echo "A small disk"
	far=$TEST_FOLDER/far
	mkdir far
	mount -t tmpfs -o size=1M none far
	world
	tree >before
	head -c 800K /dev/urandom >far/other
	runs 0 "$SIMKEEP" --into=far/all "$a" "$b"
	said "$far: 5 files from another file system need 3"
	said " kB here, but only 229.4 kB are free"
	runs 1 "$SIMKEEP" --into=far/all --yes --journal=journal "$a" "$b"
	said "$far: too little space: the files from other file systems need 3"
	[ ! -e journal ] || fail "the plan began"
	rm far/other
	umount far

	echo "A disk that is mounted in a source"
	rm -rf "$a" "$b"
	mkdir -p "$a/disk" "$b"
	mount -t tmpfs none "$a/disk"
	echo there >"$a/disk/there"
	echo here >"$a/here"
	settle "$a"
	rm -f journal
	reset
	runs 0 "$SIMHASH" -q "$a"
	before=$(python3 "$tool" tree "$a")
	runs 0 "$SIMKEEP" --into="$b" --yes --journal=journal "$a"
	same "copies and moves" "copy there,move here" \
		"$(sed -n 's/.*"action":"\(copy\|move\)".*"path":"[^"]*\/\(there\|here\)".*/\1 \2/p' journal | sort | paste -sd,)"
	row "$b/disk/there"
	runs 0 "$SIMKEEP" -q --undo=journal --yes
	same "after undo" "$before" "$(python3 "$tool" tree "$a")"
	umount "$a/disk"

	echo "FAT has neither owners nor modes, and not all names"
	rm -rf "$a" "$b"
	far=$TEST_FOLDER/far a=$TEST_FOLDER/a b=$TEST_FOLDER/b
	kind=vfat
	if grep -qw vfat /proc/filesystems || modprobe -q vfat 2>why_not; then
		new_file_system vfat far 40M
	else
		kind=exfat
		image=$(mktemp /dev/shm/simhash-test.XXXXXX)
		truncate -s 60M "$image"
		device=$(losetup -f --show "$image")
		rm "$image"
		if ! { mkfs.exfat "$device" && mount.exfat-fuse "$device" far; } >why_not 2>&1; then
			losetup -d "$device"
			skip "neither FAT nor exFAT can be mounted: $(tail -n 1 why_not)"
		fi
		losetup -d "$device" # when it is unmounted
	fi
	world
	chmod 600 "$a/letter.txt"
	rm "$b/sparse" # it has no holes either
	ln "$a/letter.txt" "$a/photos/letter"
	runs 0 "$SIMHASH" -q "$a" "$b"
	tree >before
	runs 0 "$SIMKEEP" --into=far/all --action=delete --yes --journal=journal "$a" "$b"
	said ": moved without its mode and exact time, which cannot be set here; the same on this file system is not reported again"
	same "notes" 1 "$(grep -c 'moved without' err)"
	same "the letters" "letter other letter" "$(cat far/all/letter.txt "far/all/letter (2).txt" | xargs)"
	row "$far/all/letter.txt"
	undo "FAT"
	row "$a/letter.txt"
	row "$a/photos/letter"
	[ "$a/letter.txt" -ef "$a/photos/letter" ] || fail "two names of one file are separate files"
	rm "$a/photos/letter"
	runs 0 "$SIMHASH" -q "$a"
	tree >before
	# It does not distinguish capital letters.
	mkdir far/all
	echo here >far/all/LETTER.TXT
	runs 2 "$SIMKEEP" --into=far/all --yes --journal=journal "$a"
	said "$a/letter.txt: left alone: the directory to move to has another file with its name"
	same "the other letter" here "$(cat far/all/LETTER.TXT)"
	rm far/all/LETTER.TXT
	runs 0 "$SIMKEEP" -q --undo=journal --yes
	rm journal
	rmdir far/all
	tree | diff before - || fail "a taken name: undo did not restore everything"
	echo what >"$a/what?"
	touch -d 2001-02-03 "$a/letter.txt"
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.note", b"mine")' "$a/letter.txt"
	settle "$a"
	runs 0 "$SIMHASH" -q "$a"
	tree >before
	runs 2 "$SIMKEEP" --into=far/all --yes --journal=journal "$a"
	said "$a/what?: left alone: the file system of the directory to move to does not accept its name"
	said "$a/letter.txt: left alone: its extended attributes or its access list cannot be stored in the directory to move to"
	same "temporary names" "" "$(find far -name '.simkeep*')"
	undo "unusual names"
	if [ $kind = vfat ]; then
		truncate -s 4G "$b/large"
		touch -d 2010-01-01 "$b/large"
		runs 0 "$SIMHASH" -q "$b"
		runs 2 "$SIMKEEP" --into=far/all "$b"
		said "$b/large: left alone: it is too large for the file system of the directory to move to, whose files have less than 4 GiB"
	fi
	umount far
	exit
fi

# Another file system where this process may write: memory, or the build folder.
for folder in /dev/shm /run /var/tmp "$BINARY_DIR" "$PWD"; do
	[ -d "$folder" ] && [ -w "$folder" ] || continue
	[ "$(stat -c %d "$folder")" = "$(stat -c %d "$PWD")" ] || break
done
[ "$folder" != "$PWD" ] || skip "there is no other file system here, such as /dev/shm"
far=$(mktemp -d "$folder/simhash-test.XXXXXX")
trap 'rm -rf "$far"' EXIT

# ---- One tree of two drives on a third one ----
world
python3 -c 'import os, sys
try:
    os.setxattr(sys.argv[1] + "/probe", "user.note", b"mine")
except OSError:
    sys.exit(1)' "$far" 2>why_not || : >"$far/probe"
touch "$far/probe"
if python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.note", b"mine"); os.setxattr(sys.argv[2], "user.note", b"mine")' "$far/probe" "$a/letter.txt" 2>why_not; then
	runs 0 "$SIMHASH" -q "$a"
else
	echo "Without extended attributes, which ext4 has above: $(tail -n 1 why_not)"
fi
rm "$far/probe"
tree >before
runs 0 "$SIMKEEP" --into="$far/all" --action=delete "$a" "$b"
said "$far: 5 files from another file system need 3"
said "would move 5 files (3.5 MB), delete 1 file and free 348.9 kB; would remove 4 empty folders; nothing has been changed"
tree | diff before - || fail "a plan changed files"
same "files of the plan there" "" "$(find "$far" -mindepth 1)"
runs 0 "$SIMKEEP" --into="$far/all" --action=delete --yes --journal=journal "$a" "$b"
said "moved 5 files (3.5 MB), deleted 1 file and freed 348.9 kB; removed 4 empty folders; to undo"
same "files left" "$b/empty" "$(find "$a" "$b" -mindepth 1 2>/dev/null)"
same "the new tree" "empty.txt letter (2).txt letter.txt photos/2001/one.jpg sparse" \
	"$(cd "$far/all" && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs)"
same "modes of folders" "750 755" "$(stat -c %a "$far/all/photos" "$far/all/photos/2001" | xargs)"
# Each file has its bytes, holes, mode, owner, times and attributes.
for file in letter.txt photos/2001/one.jpg; do
	grep -qxF "$(python3 "$tool" tree "$far/all" | sed -n "s|^$far/all/$file ||p" | head -n 1)" <(sed -n "s|^$a/$file ||p" before) ||
		fail "$file has other attributes: $(python3 "$tool" tree "$far/all") instead of $(cat before)"
done
grep -qxF "$(python3 "$tool" tree "$far/all" | sed -n "s|^$far/all/sparse ||p")" <(sed -n "s|^$b/sparse ||p" before) || fail "sparse has other attributes"
for file in letter.txt "letter (2).txt" sparse photos/2001/one.jpg; do
	row "$far/all/$file"
done
same "rows" 5 "$(sql "SELECT count(*) FROM file")"
mkdir -p "$a"
runs 0 "$SIMKEEP" --into="$far/all" --action=delete "$a" "$b"
said "would move 0 files (0 bytes); nothing has been changed"
rmdir "$a"
runs 0 "$SIMKEEP" --undo=journal
said "would restore 6 files and 4 folders; would remove 5 copies on another file system; "
mv "$far/all" "$far/elsewhere"
runs 2 "$SIMKEEP" --undo=journal
said "$b/letter.txt: left alone: cannot open the file that was kept, $far/all/letter (2).txt: cannot open its directory: No such file or directory"
mv "$far/elsewhere" "$far/all"
# A copy that has changed since stays, and the file is then not restored from it.
cp -a "$far/all/letter.txt" saved
echo changed >>"$far/all/letter.txt"
runs 2 "$SIMKEEP" --undo=journal --yes
said "$a/letter.txt: left alone: the content of the file that was kept has changed"
same "the changed copy" "$far/all/letter.txt" "$(find "$far" -type f)"
cp -a saved "$far/all/letter.txt"
undo "--into"
for file in "$a/letter.txt" "$b/letter.txt" "$b/sparse" "$b/photos/copy.jpg"; do
	row "$file"
done

# ---- The plan as a script, and --action=move:DIR ----
world
tree >before
runs 0 "$SIMKEEP" -q --into="$far/all" --action=delete --action=script:todo.sh "$a" "$b"
runs 0 sh -c "sed -E 's/^#(delete|move) /\1 /' todo.sh | JOURNAL=journal sh"
said "moved 5 files, removed 1 file and freed "
same "files left" "" "$(find "$a" "$b" -type f 2>/dev/null)"
undo "script"
mkdir "$far/moved"
runs 0 "$SIMKEEP" --keep=in:"$a" --action=move:"$far/moved" --yes --journal=journal "$a" "$b"
said "moved 1 file"
seq 60000 | cmp - "$far/moved$b/photos/copy.jpg" || fail "move:DIR has other bytes"
[ ! -e "$b/photos" ] || fail "the empty folder is there"
runs 0 "$SIMKEEP" -q --undo=journal --yes
rm journal
rmdir "$far/moved"
tree | diff before - || fail "move:DIR: undo did not restore everything"

# ---- Read-only files move, here and there ----
world
chmod 444 "$a"/*.txt "$a/photos/2001/one.jpg" "$b"/letter.txt "$b/photos/copy.jpg"
tree >before
for to in "$far/all" "$TEST_FOLDER/here"; do
	runs 0 "$SIMKEEP" --into="$to" --action=delete --yes --journal=journal "$a" "$b"
	same "files left" "" "$(find "$a" "$b" -type f 2>/dev/null)"
	same "modes" "444 444 444 444" "$(find "$to" -type f ! -name sparse -printf '%m\n' | xargs)"
	undo "read-only: $to"
done
chmod 755 "$a"

# ---- Files that stay ----
world
mkdir "$far/all"
echo not indexed >"$far/all/letter.txt"
seq 100 >"$a/any.txt" # it is the first one
touch -d 2001-02-03 "$a/any.txt"
runs 0 "$SIMHASH" -q "$a"
printf X | dd of="$a/any.txt" conv=notrunc status=none # the same size and time
touch -d 2001-02-03 "$a/any.txt"
tree >before
runs 2 "$SIMKEEP" --action=merge:"$far/all" --yes --journal=journal "$a"
said "$a/letter.txt: left alone: the directory to move to has another file with its name"
said "$a/any.txt: left alone: its content differs from the index, although its size and time are the same"
same "files there" "$far/all/empty.txt $far/all/letter.txt $far/all/photos/2001/one.jpg" "$(find "$far" -type f | sort | xargs)"
rm "$far/all/letter.txt"
runs 0 "$SIMKEEP" --undo=journal --yes
rmdir "$far/all/photos/2001" "$far/all/photos" "$far/all" 2>/dev/null || true
tree | diff before - || fail "files that stay: undo did not restore everything"

# ---- Of several names of one file, one moves, and then the others are deleted ----
world
mkdir "$a/second" "$b/photos/third"
ln "$a/letter.txt" "$a/second/letter"
ln "$a/letter.txt" "$b/photos/third/letter"
ln "$a/photos/2001/one.jpg" "$b/photos/one"
ln "$b/photos/copy.jpg" "$b/copy"
cp -p "$a/letter.txt" "$a/second/copy"
rmdir "$b/empty"
runs 0 "$SIMHASH" -q "$a" "$b"
tree >before
# linked: the number of the first name of each file, for all names
linked() {
	find "$a" "$b" -type f -printf '%i %p\n' | LC_ALL=C sort -k 2 | awk '{ if (!($1 in n)) n[$1] = NR; print n[$1] }' | xargs
}
names=$(linked)
plan="move 5 files (3.5 MB), delete 6 files and free 348.9 kB"
runs 0 "$SIMKEEP" --into="$far/all" --action=delete "$a" "$b"
said "would $plan; would remove"
grep -qF "delete  $a/second/  (2 files, 14 bytes)" out || fail "the plan: $(cat out)"
cp out plan
tree | diff before - || fail "a plan changed files"
for way in yes script; do
	if [ $way = yes ]; then
		runs 0 "$SIMKEEP" --into="$far/all" --action=delete --yes --journal=journal "$a" "$b"
		said "$(sed 's/move/moved/; s/delete/deleted/; s/free/freed/' <<<"$plan"); removed"
		diff plan out || fail "the plan differs from the acts"
	else
		rm todo.sh
		runs 0 "$SIMKEEP" -q --into="$far/all" --action=delete --action=script:todo.sh "$a" "$b"
		runs 0 sh -c "sed -E 's/^#(delete|move) /\1 /' todo.sh | JOURNAL=journal sh"
		said "moved 5 files, removed 6 files and freed 348.9 kB"
		grep -qF "keep      $b/photos/copy.jpg -> " out && fail "a kept file: $(cat out)"
		grep -qF "keep      $a/letter.txt -> $far/all/letter.txt" out || fail "the kept file: $(cat out)"
	fi
	same "files left" "" "$(find "$a" "$b" -type f 2>/dev/null)"
	same "the new tree" "empty.txt letter (2).txt letter.txt photos/2001/one.jpg sparse" \
		"$(cd "$far/all" && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs)"
	same "rows" 5 "$(sql "SELECT count(*) FROM file")"
	runs 0 "$SIMKEEP" --undo=journal
	said "would restore 11 files"
	runs 0 "$SIMKEEP" --undo=journal --yes
	said "restored 11 files"
	grep "separate\|to update" err && fail "$way: undo"
	tree | diff before - || fail "$way: undo did not restore everything"
	same "$way: names of one file" "$names" "$(linked)"
	same "the other file system after undo" "" "$(find "$far" -mindepth 1)"
	rm journal
	for file in "$a/letter.txt" "$a/second/letter" "$b/photos/third/letter" "$b/photos/one" "$b/copy"; do
		row "$file"
	done
	runs 0 "$SIMHASH" -q "$a" "$b"
done
# A file that does not move keeps its names, also if its new path has a file with the same bytes.
mkdir "$far/all"
echo letter >"$far/all/letter.txt"
for yes in "" "--yes --journal=journal"; do
	# shellcheck disable=SC2086  # options
	runs 2 "$SIMKEEP" --into="$far/all" --action=delete $yes "$a" "$b"
	said "$a/letter.txt: left alone: the directory to move to has another file with its name"
	for name in "$a/second/letter" "$b/photos/third/letter"; do
		said "$name: left alone: it is another name (hard link) of a file that does not move"
		[ -e "$name" ] || fail "$name was deleted"
	done
done
rm "$far/all/letter.txt"
runs 0 "$SIMKEEP" -q --undo=journal --yes
tree | diff before - || fail "without a move: undo did not restore everything"
same "names of one file" "$names" "$(linked)"
rm -rf journal "$far/all"
# The moves are still comments in the script.
runs 2 sh -c "sed -E 's/^#(delete) /\1 /' todo.sh | JOURNAL=journal sh"
said "$a/second/letter: left alone: it is another name (hard link) of a file that does not move"
runs 0 "$SIMKEEP" -q --undo=journal --yes
tree | diff before - || fail "without moves: undo did not restore everything"
rm journal

# ---- Of two names of one file, one is elsewhere ----
world
mkdir names
ln "$a/letter.txt" names/letter
runs 0 "$SIMHASH" -q "$a"
echo late >"$a/late"
runs 2 "$SIMKEEP" --into="$far/all" --action=delete --yes --journal=journal "$a"
mv "$a" away
runs 2 "$SIMKEEP" --undo=journal
said "$a/letter.txt: left alone: its directory no longer exists; make it again first (mkdir -p)"
same "lines of a file that two acts moved" 1 "$(grep -c "$a/letter.txt: left alone" err)"
mv away "$a"
runs 0 "$SIMKEEP" --undo=journal --yes
[ "$a/letter.txt" -ef names/letter ] || fail "it is not a link of the other name"
rm journal

# ---- A signal stops a long copy at once ----
world
truncate -s 200G "$b/sparse"
python3 - "$b/sparse" >decisions.json <<'PYTHON'
import json, os, socket, sys, time
status = os.stat(sys.argv[1])
stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(status.st_mtime_ns // 10**9))
json.dump({"format": "simfind decisions", "format_version": 1, "groups": [{"id": "0", "files": [
    {"path": sys.argv[1], "host": socket.gethostname(), "size": status.st_size, "decision": "remove",
     "mtime": f"{stamp}.{status.st_mtime_ns % 10**9:09d}Z", "hash": "0" * 32}]}]}, sys.stdout)
PYTHON
mkdir "$far/moved"
rm -f journal
"$SIMKEEP" --decisions=decisions.json --action=move:"$far/moved" --yes --journal=journal >out 2>err &
has_begun() {
	[ -n "$(find "$far" -name '.simkeep-*' -print -quit)" ]
}
wait_until has_begun
begun=$(date +%s%N)
kill -TERM $!
status=0
wait $! || status=$?
took=$((($(date +%s%N) - begun) / 1000000))
same "the status after the signal" 143 "$status"
[ $took -lt 3000 ] || fail "it ended after $took ms" # it should take less than a second
same "files there" "" "$(find "$far" -type f)"
same "the file" $((200 << 30)) "$(stat -c %s "$b/sparse")"
runs 0 "$SIMKEEP" -q --undo=journal --yes

# ---- Calls to the system fail ----
# Here the sources, the journal and the index are in memory, because most waits for the disk are for these.
if [ -n "${FAULTS:-}" ]; then
	a=$far/a b=$far/b
	world
	cp "${TEST_URL#sqlite:}" "$far/index"
	SIMHASH_DATABASE=sqlite:$far/index python3 "$tool" faults "$a" "$b" "$TEST_FOLDER/there" "$far/journal" "$far/index"
fi

in_own_mounts "$0" mounted
