#!/usr/bin/env bash
# Tests that moved or renamed files and trees keep their rows and are not read again, and that files
# that only look like them are read. Every index is compared with a new one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

fresh=$TEST_FOLDER/fresh.db
"$SIMHASH" -q -d "sqlite:$fresh" "$files"
# Every column except for ids and the time of the scan, in SQL for both engines.
columns=$(sqlite3 "$fresh" "SELECT group_concat(CASE type WHEN 'BLOB' THEN 'CASE WHEN ' || name || ' IS NULL THEN ''none'' ELSE LOWER(HEX(' || name || ')) END'
	ELSE name END, ', ') FROM pragma_table_info('file') WHERE name NOT IN ('tag_set', 'host', 'scanned_at_ns', 'ctime_ns')")
[[ $columns == *skew_ext*resemblance_sketch* ]] || fail "columns: $columns"

# compare [OPTION]... FOLDER: compare the index with a new one
compare() {
	rm -f "$fresh"*
	"$SIMHASH" -q -d "sqlite:$fresh" "$@"
	sqlite3 -separator '|' "$fresh" "SELECT $columns FROM file" | LC_ALL=C sort >expected
	sql "SELECT $columns FROM file" | LC_ALL=C sort >found
	cmp expected found || fail "rows differ from a first run: $(diff expected found | cut -c 1-1000 | head -6)"
	[ -s found ] || fail "no rows"
	same "rows without their directory" 0 "$(sql "SELECT COUNT(*) FROM file f WHERE NOT EXISTS (SELECT 1 FROM directory d
		WHERE d.tag_set = f.tag_set AND d.host = f.host AND d.path = f.directory)")"
}

# named NAME: the condition on rows, in SQL for both engines
named() {
	printf "name = X'%s'" "$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')"
}

# age: all existing files become older than later scans, also for a coarse clock.
age() {
	local stamp
	stamp=$(($(date +%s%N) + 60000000))
	is_older() { [ "$(date +%s%N)" -gt $stamp ]; }
	wait_until is_older
}

# Start again with the current files.
begin() {
	reset
	settle "$files"
	age
	runs 0 "$SIMHASH" "$@" "$files"
}

# If a file system gives too little information, files are read: then no files are moved, and
# everything else is the same.
knows_births=false knows_inodes=false
: >"$TEST_FOLDER/probe"
case $(stat -f -c %T "$TEST_FOLDER/probe") in
ext2/ext3 | xfs | btrfs | f2fs | bcachefs | zfs | tmpfs | overlayfs | nfs) knows_inodes=true ;;
esac
birth=$(stat -c %W "$TEST_FOLDER/probe")
if $knows_inodes && [ "$birth" != '-' ] && [ "$birth" -gt 0 ]; then
	knows_births=true
else
	not_tested "the file system of temporary files does not say when a file was made"
fi

# finds MOVED SCANNED UNCHANGED REMOVED [OPTION]...: for files that were renamed
finds() {
	local moved=$1 scanned=$2 unchanged=$3 removed=$4
	shift 4
	runs 0 "$SIMHASH" "$@" "$files"
	if $knows_births; then
		summary "$scanned" "$unchanged" "$removed" 0 "$moved"
	fi
}

plant() {
	rm -rf "$files"
	mkdir -p "$files/one/deep" "$files/two"
	seq 3000 >"$files/a.txt"
	seq 4000 >"$files/b.txt"
	seq 20 2000 >"$files/one/c.c"
	random_bytes 30000 1 >"$files/one/deep/d.bin"
	seq 7 70 >"$files/one/deep/noext"
	: >"$files/two/empty"
	ln "$files/one/c.c" "$files/one/deep/link.h"
}

# ---- Moved ----
plant
begin
summary 7 0 0 0
mv "$files/a.txt" "$files/z.txt"
finds 1 0 6 0
mv "$files/z.txt" "$files/two/z.txt" # to another directory
finds 1 0 6 0
mv "$files/two/z.txt" "$files/two/z.LOG" # another extension, so other keys
finds 1 0 6 0
mv "$files/two/z.LOG" "$files/two/z"
finds 1 0 6 0
compare "$files"
mv "$files/one" "$files/two/.hidden" # a directory with others in it, and with links
runs 0 "$SIMHASH" "$files"
! $knows_inodes || summary 0 3 0 0 4
mv "$files/b.txt" "$files/x" # exchange names
mv "$files/two/z" "$files/b.txt"
mv "$files/x" "$files/two/z"
finds 2 0 5 0
mv "$files/b.txt" "$files/two/z" # replace another file
finds 1 0 5 0
mv "$files/two/z" "$files/x" # a new file gets the name, and so it gets the row
seq 9 99 >"$files/two/z"
age
# ... unless the moved file was found first and took the row along.
runs 0 "$SIMHASH" "$files"
if grep -q '[0-9] moved' err; then
	summary 1 5 0 0 1
elif $knows_births; then
	summary 2 5 0 0
fi
compare "$files"
mv "$files/two" "$files/z" && mkdir "$files/two" && mv "$files/z/empty" "$files/x" "$files/two"
runs 0 "$SIMHASH" "$files"
compare "$files"
runs 0 "$SIMHASH" "$files"
summary 0 7 0 0
runs 0 "$SIMHASH" --summary=json "$files"
grep -q '"moved":0,' err || fail "no count of moved files: $(cat err)"

# A link is made and the old name removed; and in the reverse order.
plant
begin
ln "$files/b.txt" "$files/new.txt"
rm "$files/b.txt"
finds 1 0 6 0
ln "$files/new.txt" "$files/newer.txt"
finds 1 0 7 0
rm "$files/new.txt"
finds 0 0 7 1

compare "$files"

# From a place that is not walked; and between two paths of a run.
mv "$files/newer.txt" "$files/two/"
runs 0 "$SIMHASH" "$files/two" "$files/one"
summary 1 5 0 0
finds 0 0 7 1
mv "$files/two/newer.txt" "$files/one/"
runs 0 "$SIMHASH" "$files/one" "$files/two"
! $knows_births || summary 0 5 0 0 1
compare "$files"

# A tree that is copied with links to its files, and two such copies at once, are not read again.
plant
begin
cp -al "$files/one" "$files/copy"
finds 4 0 7 0
compare "$files"
mkdir "$files/snapshots"
cp -al "$files/one" "$files/snapshots/1"
cp -al "$files/one" "$files/snapshots/2"
finds 8 0 11 0
compare "$files"
mv "$files/copy" "$files/snapshots/0"
cp -al "$files/one" "$files/copy"
runs 0 "$SIMHASH" "$files"
! $knows_births || grep -q '^0 scanned' err || fail "files are read again: $(cat err)"
compare "$files"
# ... but files that have changed since, or replace a link, are read.
cp -al "$files/one" "$files/snapshots/3"
seq 5 >>"$files/one/c.c"
rm "$files/snapshots/3/deep/noext"
seq 8 71 >"$files/snapshots/3/deep/noext"
touch -r "$files/one/deep/noext" "$files/snapshots/3/deep/noext"
runs 0 "$SIMHASH" "$files"
compare "$files"
plant
begin
ln "$files/one/c.c" "$files/newer.txt"
rm "$files/newer.txt"
runs 0 "$SIMHASH" "$files"
compare "$files"

# ---- Not read ----
# Size and time decide, as for a file that was not moved: a change that affects neither is not
# noticed.
plant
begin
printf 9 | dd of="$files/b.txt" conv=notrunc status=none
touch -d '2020-01-01 00:00:00' "$files/b.txt"
mv "$files/b.txt" "$files/moved.txt"
mv "$files/one" "$files/renamed"
before=$(sql "SELECT LOWER(HEX(content_hash)) FROM file WHERE $(named b.txt)")
runs 0 "$SIMHASH" "$files"
if $knows_births; then
	summary 0 2 0 0 5
	same "content" "$before" "$(sql "SELECT LOWER(HEX(content_hash)) FROM file WHERE $(named moved.txt)")"
fi
runs 0 "$SIMHASH" --force "$files"
compare "$files"

# ---- Read, whenever there is a doubt ----
# A backup with the same times under another name.
plant
begin
cp -p "$files/b.txt" "$TEST_FOLDER/backup"
rm "$files/b.txt"
mv "$TEST_FOLDER/backup" "$files/restored.txt"
finds 0 1 6 1

# A new file uses the inode of a removed file, with the same size and time. Here, the row is given
# that inode.
reuse() {
	plant
	begin
	rm "$files/a.txt"
	seq 3001 6000 >"$files/reused.txt"
	truncate -s "$(sql "SELECT size FROM file WHERE $(named a.txt)")" "$files/reused.txt"
	touch -d '2020-01-01 00:00:00' "$files/reused.txt"
	sql "UPDATE file SET inode = $(stat -c %i "$files/reused.txt") WHERE $(named a.txt)"
	age
}
reuse
finds 0 1 6 1
compare "$files"
# Without the birth time, it would look like the same file.
reuse
sql "UPDATE file SET scanned_at_ns = $(date +%s%N) WHERE $(named a.txt)"
sql "UPDATE scan_run SET finished_at_ns = $(date +%s%N)"
runs 0 "$SIMHASH" "$files"
! $knows_births || summary 0 6 0 0 1

# Another device; a scan within the clock tick of a change; a scan in the future.
for change in "device = device + 1" "scanned_at_ns = mtime_ns + 1000000" "scanned_at_ns = 4000000000000000000"; do
	plant
	begin
	sql "UPDATE file SET $change WHERE $(named b.txt)"
	mv "$files/b.txt" "$files/moved.txt"
	finds 0 1 6 1
done

# Two rows of one file that contradict each other, and two that agree.
plant
begin
mv "$files/one" "$files/six"
sql "UPDATE file SET content_hash = X'000102030405060708090a0b0c0d0e0f' WHERE $(named c.c)"
runs 0 "$SIMHASH" "$files"
! $knows_inodes || summary 2 3 2 0 2
compare "$files"

# If all files are read, or if less is known.
plant
begin
mv "$files/b.txt" "$files/1.txt"
finds 0 7 0 1 --force
mv "$files/1.txt" "$files/2.txt"
finds 0 7 0 1 --measure=minhash
mv "$files/2.txt" "$files/one/2.txt"
finds 0 1 6 1 --measure=minhash
runs 0 "$SIMHASH" -L "$files"
mv "$files/one/2.txt" "$files/3.txt"
runs 0 "$SIMHASH" -L "$files"
summary 1 6 1 0
mv "$files/3.txt" "$files/4.txt"
find "$files" -type f -print0 >list
runs 0 "$SIMHASH" --files0-from=list
summary 1 6 0 0
same "rows of the list" 8 "$(sql 'SELECT COUNT(*) FROM file')"
runs 0 "$SIMHASH" "$files"
compare "$files"

# Rows without a sketch are completed.
begin --no-sketch
mv "$files/4.txt" "$files/5.txt"
finds 1 0 6 0 --no-sketch
compare --no-sketch "$files"
mv "$files/5.txt" "$files/6.txt"
runs 0 "$SIMHASH" "$files"
summary 7 0 1 0

# Rows of another host do not change.
plant
begin --host=alpha
runs 0 "$SIMHASH" --host=beta "$files"
mv "$files/b.txt" "$files/c.txt"
runs 0 "$SIMHASH" --host=beta "$files"
! $knows_births || summary 0 6 0 0 1
same "rows of the old name" alpha "$(sql "SELECT h.name FROM file f JOIN host h ON h.id = f.host WHERE f.$(named b.txt)")"

# Inflated content moves with its file, also if it is not requested.
plant
seq 5000 | gzip -n >"$files/one/w.txt.gz"
begin -z
summary 9 0 0 0
mv "$files/one/w.txt.gz" "$files/two/v.c.gz"
finds 2 0 7 0 -z
compare -z "$files"
mv "$files/two/v.c.gz" "$files/two/v"
finds 1 0 7 1 -z
mv "$files/two/v" "$files/two/v.gz"
finds 1 1 7 0 -z
mv "$files/two/v.gz" "$files/u.gz"
finds 2 0 7 0
finds 0 0 9 0 -z
compare -z "$files"

# ---- Equal sizes and times: only the inodes differ ----
# plant_twins NAME...: make files of the same size and time with different contents
plant_twins() {
	local name
	rm -rf "$files"
	for name; do
		mkdir -p "$(dirname "$files/$name")"
		random_bytes 3000 ${#name} >"$files/$name"
	done
}
# exchange NAME NAME
exchange() {
	mv -T "$files/$1" "$files/exchanged"
	mv -T "$files/$2" "$files/$1"
	mv -T "$files/exchanged" "$files/$2"
}
# notices [OPTION]...: check that no name keeps the row of another file
notices() {
	! $knows_inodes || {
		runs 0 "$SIMHASH" "$@" "$files"
		compare "$@" "$files"
	}
}
plant_twins log log.1 log.11 a/x b/xyz b/deep/xy
mv "$files/b/xyz" "$files/b/x"
begin
exchange log log.1
! $knows_births || finds 2 0 4 0
notices
exchange log log.11 # again, in a circle
exchange log.1 log.11
notices
exchange a b # exchange directories: the status of their files does not change
notices
exchange a/x b/x
mv "$files/b/x" "$files/log" # replace another file
notices
mkdir "$files/c"
cp -p "$files/log" "$files/c/log"
random_bytes 3000 99 >"$files/new" # a restored backup, which is a new file
touch -r "$files/log" "$files/new"
mv "$files/new" "$files/log"
notices
# If all files are read because of links, or a list names only a few.
exchange log log.11
notices -L
notices
exchange log log.11
if $knows_inodes; then
	printf '%s\0' "$files/log" "$files/log.11" >list
	runs 0 "$SIMHASH" --files0-from=list
	compare "$files"
fi
# Gzip files and their contents; archives and their members.
rm -rf "$files"
mkdir "$files"
for number in 1 2; do
	random_bytes 3000 $number >"$files/$number"
	tar -C "$files" --transform 's/.*/member/' -cf "$files/$number.tar" $number
	gzip -n "$files/$number"
done
begin -z
exchange 1.gz 2.gz
exchange 1.tar 2.tar
notices -z

# ---- A directory with many parts; names of every kind; then random changes of everything ----
plant
mkdir "$files/many"
seq 8300 | (cd "$files/many" && split -l 1 -a 4 - $'n\n')
begin
mv "$files/many" "$files/more"
for name in "$files"/more/*aaa[a-e]; do
	mv "$name" "${name%aaa?}'\"\\ ${name: -1}"$'\xff'
done
runs 0 "$SIMHASH" "$files"
! $knows_births || summary 0 7 0 0 8300
compare "$files"
rm -r "$files/more"

cat >change.py <<'PYTHON'
import os, random, sys
top, dice, knows_inodes = sys.argv[1], random.Random(int(sys.argv[2])), sys.argv[3] == "true"
def listed(kind):
    return sorted(os.path.join(above, name) for above, *both in os.walk(top) for name in both[kind])
def write(path, data, mode='wb'):
    with open(path, mode) as file:
        file.write(data)
def change(what):
    files, folders = listed(1), listed(0)
    new = os.path.join(dice.choice(folders + [top]), 'r%d%s' % (dice.randrange(40), dice.choice(('', '.txt', '.c', '.C'))))
    if what == 'create' or len(files) < 10:
        if not os.path.isdir(new):
            write(new, dice.randbytes(dice.choice((0, 10, 3000, 3000))))
            # Files of a round may have equal sizes and times if inodes show an exchange.
            os.utime(new, ns=(int(sys.argv[2]) * 10**9 + dice.randrange(3 if knows_inodes else 10**8),) * 2)
    elif what == 'link' and not os.path.exists(new):
        os.link(dice.choice(files), new)
    elif what == 'remove':
        os.remove(dice.choice(files))
    elif what == 'append':
        write(dice.choice(files), dice.randbytes(dice.randrange(1, 5000)), 'ab')
    elif what == 'make' and not os.path.exists(new):
        os.mkdir(new)
    elif what == 'move tree' and folders:
        old = dice.choice(folders)
        if not os.path.exists(new) and not new.startswith(old + '/'):
            os.rename(old, new)
    elif what == 'swap':
        one, other = dice.sample(files, 2)
        os.rename(one, top + '/swap')
        os.rename(other, one)
        os.rename(top + '/swap', other)
    elif what == 'move' and not os.path.isdir(new):
        os.rename(dice.choice(files), new)
for _ in range(dice.randrange(1, 14)):
    change(dice.choice(('create', 'link', 'remove', 'append', 'make', 'move tree', 'swap', 'move', 'move')))
PYTHON
seed=${MOVED_SEED:-$RANDOM}
echo "seed $seed"
plant
begin
for round in 1 2 3 4 5 6; do
	[ $((round % 2)) = 0 ] || age
	python3 change.py "$files" $((seed * 100 + round)) $knows_inodes
	runs 0 "$SIMHASH" "$files"
	compare "$files"
done
