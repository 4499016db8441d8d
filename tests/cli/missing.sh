#!/usr/bin/env bash
# Tests simfind --missing and --copies: texts, formats, exit statuses, places of each kind, names of one
# file, and errors. tests/cli/missing.py compares them with brute force.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" = mounts ]; then
	# Another mount of the drive is not elsewhere, also if both were indexed.
	cd "$TEST_FOLDER"
	mkdir mounts mounts/drive mounts/again mounts/file
	seq 2000 >mounts/drive/a
	seq 3000 >mounts/drive/b
	ln mounts/drive/b mounts/drive/c
	: >mounts/file/b
	settle mounts
	mount --bind mounts/drive mounts/again
	mount --bind mounts/drive/a mounts/file/b
	runs 0 "$SIMHASH" -q mounts
	runs 3 "$SIMFIND" --missing --summary=none --format=null mounts/drive
	same "files of two mounts" "a b c" "$(tr '\0' '\n' <out | sed 's|.*/||' | paste -sd ' ')"
	umount mounts/file/b mounts/again
	# Nor is a hard link in the drive that is mounted elsewhere, or an archive in it.
	seq 4000 >mounts/drive/d
	tar cf mounts/drive/z.tar -C mounts/drive d
	: >mounts/file/z.tar
	settle mounts
	mount --bind mounts/drive/b mounts/file/b
	mount --bind mounts/drive/z.tar mounts/file/z.tar
	options=()
	! built_with archives || options=(-z)
	runs 0 "$SIMHASH" -q "${options[@]}" mounts
	runs 3 "$SIMFIND" --missing --summary=none --format=null mounts/drive
	same "files of other mounts" "a b c d z.tar" "$(tr '\0' '\n' <out | sed 's|.*/||' | paste -sd ' ')"
	umount mounts/file/b mounts/file/z.tar
	# Nor is the drive in an overlay, or on a mount that ignores case and invents inode numbers.
	mkdir mounts/upper mounts/work mounts/all folded
	shown() {
		runs 0 "$SIMHASH" -q "${options[@]}" mounts "$@"
		runs 3 "$SIMFIND" --missing --summary=none --format=null "$1"
		same "files of $1" "a b c d z.tar" "$(tr '\0' '\n' <out | sed 's|.*/||' | paste -sd ' ')"
	}
	if mount -t overlay -o lowerdir=mounts/drive,upperdir=mounts/upper,workdir=mounts/work none mounts/all; then
		shown mounts/drive
		shown mounts/all
		umount mounts/all
	fi
	if [ -n "${ODD_FS:-}" ] && [ -c /dev/fuse ]; then
		"$ODD_FS" mounts folded fold invent
		shown folded/drive folded/Drive
		shown mounts/drive folded/Drive
		umount folded
	fi
	cp -pR mounts/drive mounts/copy
	runs 0 "$SIMHASH" -q mounts
	runs 0 "$SIMFIND" --missing mounts/drive
	exit
fi

mkdir -p "$files"/{drive/photos/2019,drive/docs,backup/pictures,other}
for i in 1 2 3; do
	random_bytes 5000$i $i >"$files/drive/photos/2019/$i.jpg"
done
seq 5000 >"$files/drive/docs/a.txt"
seq 9000 9999 >"$files/drive/docs/note"
: >"$files/drive/empty"
random_bytes 30000 4 >"$files/drive/z.bin"
cp "$files/drive/photos/2019/1.jpg" "$files/backup/pictures/renamed.jpg"
(seq 4000 && echo another && seq 4001 5001) >"$files/backup/b.txt"
(seq 20000 22000 && seq 5000 && seq 1000000 1030000) >"$files/other/all.txt"
tar cf "$files/other/z.tar" -C "$files/drive" z.bin
settle "$files"
cd "$files"

# missing EXPECTED ARGUMENT...: the missing files, with their states
missing() {
	local expected=$1 status=3
	shift
	[ -n "$expected" ] || status=0
	runs $status "$SIMFIND" --missing --summary=none --format=jsonl "$@"
	same "missing with $*" "$expected" "$(python3 -c 'import json, sys
print(*(json.loads(line)["path"].rpartition("/")[2] + ":" + json.loads(line)["state"] for line in sys.stdin))' \
		<"$TEST_FOLDER/out")"
}

# ---- Before the drive is indexed, everything is missing ----
runs 0 "$SIMHASH" -q backup other
missing "a.txt:not indexed note:not indexed 1.jpg:not indexed 2.jpg:not indexed 3.jpg:not indexed z.bin:not indexed" drive
options=()
! built_with archives || options=(-z)
runs 0 "$SIMHASH" -q "${options[@]}" drive backup other
bin=z.bin:missing
! built_with archives || bin=
missing "a.txt:missing note:missing 2.jpg:missing 3.jpg:missing${bin:+ $bin}" drive
missing "a.txt:missing note:missing 2.jpg:missing 3.jpg:missing z.bin:missing" drive --in=backup
missing "" --in=drive drive/../backup/pictures
missing "" backup/pictures

# ---- Text: whole folders, the most similar file, and totals ----
runs 3 "$SIMFIND" --missing drive --in=backup
same "the list" "  28.9 kB  $files/drive/docs/  2 files
  23.9 kB  $files/drive/docs/a.txt  >99 %: $files/backup/b.txt
  50.0 kB  $files/drive/photos/2019/2.jpg
  50.0 kB  $files/drive/photos/2019/3.jpg
  30.0 kB  $files/drive/z.bin" "$(cat "$TEST_FOLDER/out")"
said "5 of 6 files below $files/drive are not in $files/backup: 158.9 kB. 1 empty file was left out. Indexed: these files "
runs 3 "$SIMFIND" --missing drive --in=other --only=copies
! grep -q 'all.txt' "$TEST_FOLDER/out" || fail "--only=copies looked for similar files"
runs 3 "$SIMFIND" --missing drive --in=other
grep -q "a.txt  part of (.*): $files/other/all.txt" "$TEST_FOLDER/out" || fail "no part: $(cat "$TEST_FOLDER/out")"
runs 3 "$SIMFIND" --missing --limit=1 drive
said "more lines left out by --limit"
# The line of a folder names the innermost folder with all its files.
mkdir -p deep/er
echo 1 >deep/er/1
echo 2 >deep/er/2
runs 3 "$SIMFIND" --missing deep
grep -qx "  4 bytes  $files/deep/er/  2 files, 2 not indexed" "$TEST_FOLDER/out" || fail "the folder: $(cat "$TEST_FOLDER/out")"
said "None of the 2 files below $files/deep is elsewhere in the index: 4 bytes. 2 of them are not indexed. Indexed: these files never, "
rm -r deep
runs 0 "$SIMFIND" --missing backup/pictures
said "The only file below $files/backup/pictures is also elsewhere in the index."

# ---- Several directories: which of them can be deleted? ----
mkdir several several/{a,b,c}
cp drive/photos/2019/*.jpg several/a
cp drive/photos/2019/[12].jpg several/b
cp drive/photos/2019/3.jpg several/c
settle several
runs 0 "$SIMHASH" -q several
cd several
judged() { sed '$d' "$TEST_FOLDER/err"; }
runs 3 "$SIMFIND" --missing --format=null a b c --in="$files/backup"
same "the verdict with --in" "$files/several/a must stay: 2 of its 3 files are not in $files/backup: 100.0 kB.
$files/several/b must stay: 1 of its 2 files is not in $files/backup: 50.0 kB.
$files/several/c must stay: its only file is not in $files/backup: 50.0 kB." "$(judged)"
rm "$files"/drive/photos/2019/[23].jpg "$files/backup/pictures/renamed.jpg" "$files/drive/photos/2019/1.jpg"
runs 3 "$SIMFIND" --missing --format=null a b c
same "the verdict" "$files/several/a can be deleted: all its 3 files are also elsewhere in the index.
$files/several/b can be deleted: all its 2 files are also elsewhere in the index.
$files/several/c can be deleted: its only file is also elsewhere in the index.
But not all together: for example, delete $files/several/a, and keep $files/several/b and $files/several/c." "$(judged)"
runs 0 "$SIMFIND" --missing --format=null b c
same "the safe ones" "$files/several/b can be deleted: all its 2 files are also elsewhere in the index.
$files/several/c can be deleted: its only file is also elsewhere in the index.
$files/several/b and $files/several/c can be deleted together." "$(judged)"
runs 3 "$SIMFIND" --missing --format=null a "$files/drive"
grep -q "^$files/drive must stay: 2 of its 3 files are not elsewhere" "$TEST_FOLDER/err" || fail "$(judged)"
# No verdict if options leave files out.
runs 0 "$SIMFIND" --missing --format=null --ext=jpg a "$files/drive"
! grep -q 'can be deleted' "$TEST_FOLDER/err" || fail "a verdict without all files"
runs 3 "$SIMFIND" --missing --format=null a b c
said "If all are deleted: none of the 6 files below 3 directories is outside them in the index: 300.0 kB. Indexed: "
runs 1 "$SIMFIND" --missing a/1.jpg
said "a/1.jpg is neither a directory nor an archive in the index; simfind FILE lists the copies of a file"
cd "$files"
rm -r several
for i in 1 2 3; do
	random_bytes 5000$i $i >"$files/drive/photos/2019/$i.jpg"
done
cp "$files/drive/photos/2019/1.jpg" "$files/backup/pictures/renamed.jpg"
settle drive backup
runs 0 "$SIMHASH" -q "${options[@]}" drive backup
if built_with archives; then
	runs 3 "$SIMFIND" --missing drive
	said "1 of the others is only in archives there."
	missing "" other/z.tar
	missing "z.bin:missing" other/z.tar --in=backup
	missing "a.txt:missing note:missing 1.jpg:missing 2.jpg:missing 3.jpg:missing" drive --in=other/z.tar
	# A member of an archive that has changed is not known.
	touch other/z.tar
	missing "z.bin:changed" other/z.tar
	missing "a.txt:missing note:missing 2.jpg:missing 3.jpg:missing z.bin:missing" drive
	touch -d '2020-01-01 00:00:00' other/z.tar
	# ... nor is an archive safe of which the index lacks members, also after other runs.
	mkdir other/odd
	python3 - other/odd drive/z.bin drive/docs/a.txt <<-'END'
		import sys, warnings, zipfile
		warnings.simplefilter("ignore")
		top, *files = sys.argv[1:]
		for name, members in (("same", "mm"), ("closed", "mn"), ("whole", "mn")):
		    with zipfile.ZipFile(f"{top}/{name}.zip", "w") as archive:
		        for member, file in zip(members, files):
		            archive.write(file, member)
		data = bytearray(open(f"{top}/closed.zip", "rb").read())
		for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
		    data[data.rindex(signature) + flags] |= 1  # the last member is encrypted
		open(f"{top}/closed.zip", "wb").write(data)
		data = open(f"{top}/whole.zip", "rb").read()
		open(f"{top}/cut.zip", "wb").write(data[:31000])
	END
	for option in -z '' -z; do
		status=0
		"$SIMHASH" -q ${option:+"$option"} other/odd 2>err || status=$?
		[ $status = 0 ] || [ $status = 2 ] || fail "$status: $(cat err)"
		missing "same.zip:unreadable" other/odd/same.zip --in=drive
		missing "closed.zip:unreadable" other/odd/closed.zip//m --in=drive
		missing "cut.zip:unreadable" other/odd/cut.zip --in=drive
		missing "" other/odd/whole.zip --in=drive
	done
	runs 3 "$SIMFIND" --missing other/odd/same.zip --in=drive
	said "1 of them cannot be read."
	rm -r other/odd
fi

# ---- Excluded files are counted, and each file once ----
runs 0 "$SIMFIND" --missing drive --in=drive/../backup --exclude='*.*' --exclude=note
said "Options exclude 6 more files, which were not examined."
runs 3 "$SIMFIND" --missing --summary=json drive --in=backup --min-size=30k
grep -q '"missing":2,"excluded":3,' "$TEST_FOLDER/err" || fail "summary: $(cat "$TEST_FOLDER/err")"
runs 3 "$SIMFIND" --missing drive/docs drive drive/../drive --in=backup
said "5 of 6 files below 3 directories are not in $files/backup: 158.9 kB. 1 empty file was left out."

# ---- Formats ----
runs 3 "$SIMFIND" --missing --summary=none --format=null drive --in=backup
same "paths" "a.txt note 2.jpg 3.jpg z.bin" "$(tr '\0' '\n' <"$TEST_FOLDER/out" | sed 's|.*/||' | paste -sd ' ')"
runs 3 "$SIMFIND" --missing --format=csv drive --in=backup
same "the first lines" "state,copies,size,modified,resemblance,contained,path,folder,relative,why
missing,,23893,2020-01-01T00:00:00Z,0.999456,,$files/drive/docs/a.txt,$files/drive/docs,$files/backup/b.txt," \
	"$(tr -d '\r' <"$TEST_FOLDER/out" | sed -n 1,2p | sed 's/T[0-9:]*Z/T00:00:00Z/')"
runs 3 "$SIMFIND" --missing --summary=json drive --in=backup
grep -qE '"result":"missing","exit":3,.*"files":6,.*"missing":5,' "$TEST_FOLDER/err" || fail "summary: $(cat "$TEST_FOLDER/err")"

# ---- Lists and other hosts ----
"$SIMHASH" --export >all.digests
missing "" drive --in=all.digests
runs 0 "$SIMHASH" --host=far backup other
missing "a.txt:missing note:missing 2.jpg:missing 3.jpg:missing z.bin:missing" drive --in=far: --in=backup
missing "" backup --in=far:
runs 0 "$SIMFIND" --missing backup --in=far:
said "All 2 files below $files/backup are also on host far. Indexed: "
missing "" far:"$files/backup" --in=backup
# The same host, when it had another name, is not elsewhere.
runs 0 "$SIMHASH" -q --host=earlier drive
missing "a.txt:missing note:missing 2.jpg:missing 3.jpg:missing${bin:+ $bin}" drive
missing "" drive --in=earlier:
# The first run on another host was killed, so more files may be there.
if [ "$TEST_ENGINE" = sqlite ]; then
	sql "UPDATE scan_run SET finished_at_ns = NULL WHERE host = (SELECT id FROM host WHERE name = 'far')"
	runs 3 "$SIMFIND" --missing far:"$files/backup" --in=backup
	said "1 run of simhash there did not end, so other files may exist."
	runs 0 "$SIMHASH" --host=far backup other
	missing "" far:"$files/backup" --in=backup
fi

# ---- Links ----
mkdir snapshots snapshots/{0,1}
random_bytes 999 9 >snapshots/0/file
ln snapshots/0/file snapshots/1/file
ln -s ../0/file snapshots/1/link
settle snapshots
runs 0 "$SIMHASH" -q snapshots
missing "" snapshots/1
rm snapshots/0/file
missing "file:missing" snapshots/1

# ---- Changes since, on both sides ----
echo more >>backup/pictures/renamed.jpg
missing "a.txt:missing note:missing 1.jpg:missing 2.jpg:missing 3.jpg:missing z.bin:missing" drive --in=backup
echo new >drive/docs/new
echo more >>drive/docs/note
runs 3 "$SIMFIND" --missing drive --in=backup
said "1 of them is not indexed. 1 of them has changed since it was indexed."
missing "note:changed" drive --exclude='*.*' --exclude=new
rm drive/docs/new
mkdir drive/closed
cp drive/docs/a.txt drive/closed
chmod 0 drive/closed
cp drive/docs/a.txt drive/locked
chmod 0 drive/locked
copy_for_user "$SIMFIND"
if [ "$TEST_ENGINE" = sqlite ]; then
	chmod -R a+rX "$TEST_FOLDER" && chmod 0 drive/closed drive/locked && chmod a+rw "${TEST_URL#sqlite:}"*
	runs 3 as_user "$TEST_FOLDER/bin/simfind" --missing drive --in=backup
	grep -qF "  -  $files/drive/closed  cannot be read: Permission denied" "$TEST_FOLDER/out" || fail "$(cat "$TEST_FOLDER/out")"
	grep -qF "  -  $files/drive/locked  cannot be read: Permission denied" "$TEST_FOLDER/out" || fail "$(cat "$TEST_FOLDER/out")"
	said "2 of them cannot be read."
fi
chmod 755 drive/closed
rm drive/locked

# ---- Copies ----
# selected EXPECTED ARGUMENT...
selected() {
	local expected=$1
	shift
	runs 0 "$SIMFIND" --summary=none --format=jsonl "$@"
	same "files with $*" "$expected" "$(python3 -c 'import json, sys
print(*(json.loads(line)["path"].rpartition("/")[2] + ":" + str(json.loads(line)["copies"]) for line in sys.stdin))' \
		<"$TEST_FOLDER/out")"
}
reset
runs 0 "$SIMHASH" -q drive backup
runs 0 "$SIMHASH" -q --host=far backup other
selected "a.txt:1 a.txt:1 note:1 1.jpg:1 2.jpg:1 3.jpg:1 z.bin:1" --copies=1 drive
selected "b.txt:2" --copies='>1' backup --exclude=pictures
selected "b.txt:2 renamed.jpg:2" --copies=2 far:"$files/backup"
runs 0 "$SIMFIND" --copies='<3' drive
said "7 files have their content on fewer than 3 file systems: "
runs 0 "$SIMFIND" --copies=2
grep -q "  far:$files/backup/  2 files" "$TEST_FOLDER/out" || fail "files of another host: $(cat "$TEST_FOLDER/out")"
runs 3 "$SIMFIND" -q --fail-on-match --copies=2
same "the view of SQL" "2|2|b.txt
2|2|renamed.jpg" "$(sql "SELECT file_systems, files, path FROM file_copies WHERE host = 'far' AND file_systems = 2 ORDER BY path" | sed 's|\|/.*/|\||')"

# ---- Errors ----
mkdir unmounted
cp drive/docs/a.txt unmounted
runs 0 "$SIMHASH" -q unmounted
rm unmounted/a.txt
runs 1 "$SIMFIND" --missing unmounted
said "$files/unmounted has no files now, but the index has some; is the drive connected?"
missing "a.txt:missing" "$(uname -n):$files/unmounted" --in=backup
runs 1 "$SIMFIND" --missing
said "--missing needs a DIR"
runs 1 "$SIMFIND" --missing drive --in=drive/docs
said "--in: $files/drive/docs is in $files/drive, so it would be lost with it"
runs 1 "$SIMFIND" --missing drive --in=nowhere:
said "the index has no files at or below nowhere:/"
runs 1 "$SIMFIND" --missing drive/z.bin
said "$files/drive/z.bin is neither a directory nor an archive in the index"
runs 1 "$SIMFIND" --missing drive --format=html -o page
said "--missing cannot be combined with --format=html; expected text, csv, json, jsonl or null"
runs 1 "$SIMFIND" --in=backup
said "--in"
runs 1 "$SIMFIND" --copies=0
said "--copies"
# Rows of another program may have any path.
if [ "$TEST_ENGINE" = sqlite ]; then
	for directory in "x''" "x'666f6f2f'" "x'2f'" "x'666f6f'"; do
		sql "UPDATE file SET name = x'', directory = $directory, compressed_size = 5 WHERE path_hash = (SELECT MIN(path_hash) FROM file)"
		runs 0 "$SIMFIND" --copies='<9' --summary=none
		within 10 "$SIMFIND" --missing drive --summary=none >"$TEST_FOLDER/out" || [ $? = 3 ] || fail "with $directory"
	done
fi

[ "$TEST_ENGINE" != sqlite ] || in_own_mounts "$0" mounts
