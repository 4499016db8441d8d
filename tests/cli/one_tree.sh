#!/usr/bin/env bash
# Tests that simkeep --into makes one tree from many, and that --action=merge merges a folder into
# another one: no content is lost, nothing is overwritten, and --undo restores every file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
files=$(realpath "$files")
PATH=$(dirname "$SIMKEEP"):$PATH
tool=$TEST_FOLDER/tool.py

cat >"$tool" <<'PYTHON'
import collections, hashlib, os, random, sys

def files(tops):
    for top in tops:
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    with open(path, "rb") as stream:
                        yield path, hashlib.md5(stream.read()).hexdigest()

def tree(tops):
    """all files with their bytes, times and modes, and all folders with their modes"""
    for top in tops:
        for folder, _, _ in os.walk(top):
            print(folder, oct(os.stat(folder).st_mode))
    for path, digest in sorted(files(tops)):
        status = os.stat(path)
        print(path, digest, oct(status.st_mode), status.st_mtime_ns)

def contents(tops):
    """how often each content occurs"""
    for digest, count in sorted(collections.Counter(d for _, d in files(tops)).items()):
        print(digest, count)

def put(path, content, time, mode=0o644):
    os.makedirs(os.path.dirname(path), 0o750, exist_ok=True)
    with open(path, "wb") as out:
        out.write(content)
    os.chmod(path, mode)
    os.utime(path, ns=(time * 10**9 + 7, time * 10**9 + 7))

def household(top):
    """three dated backups, and two phone folders with renamed photos"""
    dice = random.Random(5)
    photos = [dice.randbytes(3000 + i) for i in range(12)]
    letters = [dice.randbytes(500 + i) for i in range(8)]
    for number, year in enumerate((2021, 2022, 2023)):
        base = os.path.join(top, "backup-%d" % year)
        for i, letter in enumerate(letters[:4 + 2 * number]):
            put("%s/letters/letter %d.txt" % (base, i), letter, 10**9 + i, 0o600)
        put(base + "/report.odt", b"report %d" % year * 99, 10**9 + year)
        for i, photo in enumerate(photos[:6 + number]):
            put("%s/photos/summer/beach %d.jpg" % (base, i), photo, 10**9 + 50 + i)
        put(base + "/letters/.keep", b"", 10**9)
    for phone, first in (("phone-a", 2), ("phone-b", 5)):
        for i, photo in enumerate(photos[first:first + 6]):
            put("%s/%s/DCIM/IMG_%d.jpg" % (top, phone, i), photo, 10**9 + 50 + first + i)

def scatter(top, seed):
    """a random world"""
    dice = random.Random(int(seed))
    tops = ["a", "b", "c", "c/d"]
    places = ["x.txt", "x (2).txt", "d/x.txt", "e/y", "e/f/y", "d/z", "w/x.txt"]
    for _ in range(dice.randrange(4, 30)):
        path = os.path.join(top, dice.choice(tops), dice.choice(places))
        if not os.path.exists(path):
            put(path, b"%d" % dice.randrange(9) * dice.choice([1, 1, 1, 0]), 10**9 + dice.randrange(5))
    for name in tops:
        os.makedirs(os.path.join(top, name), exist_ok=True)

globals()[sys.argv[1]](*([sys.argv[2:]] if sys.argv[1] in ("tree", "contents") else sys.argv[2:]))
PYTHON
world() {
	rm -rf "${files:?}"
	mkdir "$files"
	python3 "$tool" "$@"
	sleep 0.025 # files that are indexed so late are not scanned twice
	runs 0 "$SIMHASH" -q "$files"
}
tree() {
	python3 "$tool" tree "$files"
}
# once FOLDER: each content that was in the world is in FOLDER once, and nowhere else
once() {
	(cd "$TEST_FOLDER" && is_once "$1")
}
is_once() {
	python3 "$tool" contents "$files" >now
	cut -d' ' -f1 contents | diff - <(cut -d' ' -f1 now) || fail "contents were lost"
	same "files elsewhere" "" "$(find "$files" -type f ! -path "$1/*")"
	# Empty files are copies only of files with the same place.
	! grep -v d41d8cd98f00b204e9800998ecf8427e now | grep -v ' 1$' || fail "contents are there twice"
}
undo() {
	runs 0 "$SIMKEEP" -q --undo=journal --yes
	tree | diff before - || fail "$1: undo did not restore everything"
	rm journal
}

# ---- Three backups and two phones ----
world household "$files"
cd "$files"
dirs=(backup-2021 backup-2022 backup-2023 phone-a phone-b)
tree >../before
python3 "$tool" contents "$files" >../contents
runs 0 "$SIMKEEP" --into=all "${dirs[@]}"
said "would move 23 files ("
said "; 34 copies stay, which --action=delete removes; "
grep -qx "move    $files/backup-2021/photos/ -> $files/all/photos/  (6 files, 18.0 kB)" ../out ||
	fail "a folder that moves as a whole is not one line: $(cat ../out)"
same "files of the plan" 57 "$(($(sed -E 's/.*\(([0-9]+).* files?,.*/\1/' ../out | paste -sd+)))"
runs 0 "$SIMKEEP" --into=all --action=delete "${dirs[@]}"
said "would move 23 files (40.4 kB), delete 34 files and free "
[ ! -e all ] || fail "a plan made a directory"
tree | diff ../before - || fail "a plan changed files"

# The plan as a script.
runs 0 "$SIMKEEP" --into=all --action=delete --action=script:../todo.sh "${dirs[@]}"
said "todo.sh: a script for 57 files; edit it before you run it"
runs 0 sh ../todo.sh
said "all commands are comments"
tree | diff ../before - || fail "a script of comments changed files"
sed -n '/^{"format"/,/^{"commands"/p' ../todo.sh | sed 's/^#//' >../commands
sed 's/^\(move .*\)"to":"/\1"to":"./' ../commands >../wrong
runs 1 "$SIMKEEP" --decisions=../wrong
said "expected size, file, to and mtime_ns"
runs 0 "$SIMKEEP" --decisions=../commands
said "would move 23 files, remove 34 files and free "
runs 0 sh -c "sed -E 's/^#(delete|move) /\1 /' ../todo.sh | JOURNAL=../journal sh"
said "moved 23 files, removed 34 files and freed "
once "$files/all"
tree >../by_script
cd ..
undo "script"
cd "$files"
rm -rf all

runs 0 "$SIMKEEP" --into=all --action=delete --yes --journal=../journal "${dirs[@]}"
said "moved 23 files (40.4 kB), deleted 34 files and freed "
once "$files/all"
same "folders" all "$(ls)"
tree | diff ../by_script - || fail "the script did something else than --yes"
# The newest report has its name, the older ones are next to it, and renamed photos are in one place.
same "the tree" "letters
photos
photos/summer
report (2).odt
report (3).odt
report.odt" "$(cd all && find . ! -name 'letter *' ! -name 'beach *' ! -name .keep ! -name . ! -path './DCIM*' | sed 's|^\./||' | LC_ALL=C sort)"
has "report 2023" <all/report.odt
has "report 2022" <"all/report (2).odt"
same "photos in the album" 8 "$(find all/photos/summer -type f | wc -l)"
same "photos of the phones" 3 "$(find all/DCIM -type f | wc -l)"
# Planning again gives nothing to do, because the index knows the acts.
mkdir -p "${dirs[@]}"
runs 0 "$SIMKEEP" --into=all --action=delete "${dirs[@]}"
said "would move 0 files (0 bytes); nothing has been changed"
# A line is for a folder in one source, not for the folder above all of them.
cp -p all/report.odt phone-a
cp -p "all/report (2).odt" phone-b
sleep 0.025
runs 0 "$SIMHASH" -q phone-a phone-b
runs 0 "$SIMKEEP" --into=all --action=delete phone-a phone-b
for dir in phone-a phone-b; do
	grep -q "^delete  $files/$dir/  =  $files/all/  (1 file," ../out || fail "no line for $dir: $(cat ../out)"
done
rm phone-?/report*
cd ..
undo "--yes"

# ---- A rule decides which path wins, and which version gets the name ----
world household "$files"
tree >before
python3 "$tool" contents "$files" >contents
runs 0 "$SIMKEEP" -q --into="$files/all" --keep=in:"$files/phone-a" --keep=oldest --action=delete --yes --journal=journal "$files"/backup-* "$files"/phone-*
once "$files/all"
same "photos of the first phone" 6 "$(find "$files/all/DCIM" -name 'IMG_[0-5].jpg' | wc -l)"
has "report 2021" <"$files/all/report.odt"
undo "rules"

# ---- Merging a folder into another one ----
rm -rf "${files:?}"
mkdir -p "$files/small/sub" "$files/large/sub" "$files/large/elsewhere"
cd "$files"
echo same >small/same
cp -p small/same large/elsewhere/other-name
echo only >small/sub/only
echo version 1 >small/sub/letter.tar.gz
echo version 2 >large/sub/letter.tar.gz
echo changed >small/changed
echo disk >small/disk.txt
echo link >small/linked
ln small/linked small/second-name
settle "$files"
runs 0 "$SIMHASH" -q "$files"
echo changed since >small/changed
echo new >small/new
ln -s nowhere small/symlink
echo not indexed >large/disk.txt
tree >../before
runs 2 "$SIMKEEP" --action=merge:large --yes --journal=../journal small
said "$files/small/changed: left alone: "
said "$files/small/disk.txt: left alone: the directory to move to has another file with its name"
said "with 1 other file in the same directory: the index does not have them"
said "moved 4 files (25 bytes), deleted 1 file and freed 5 bytes; 2 files stay; removed 1 empty folder; left 4 alone"
same "merged" "changed
disk.txt
new
symlink" "$(cd small && find . ! -type d | sed 's|^\./||' | sort)"
same "the clash" "version 1" "$(cat "large/sub/letter (2).tar.gz")"
same "what was there" "version 2 not indexed" "$(cat large/sub/letter.tar.gz large/disk.txt | paste -sd' ')"
same "what moved" only "$(cat large/sub/only)"
[ large/linked -ef large/second-name ] || fail "hard links became two files"
cd ..
undo "merge"

# ---- Random worlds, with destinations in all places ----
for seed in $(seq 7); do
	world scatter "$files" "$seed"
	tree >before
	python3 "$tool" contents "$files" >contents
	targets=("$files/new" "$files/a" "$files" "$files/c/d" "$files/b/e")
	to=${targets[seed % 5]}
	option=--action=delete
	[ $((seed % 3)) != 0 ] || option=--action=report
	status=0
	"$SIMKEEP" --into="$to" $option --yes --journal=journal "$files/a" "$files/b" "$files/c" >out 2>err || status=$?
	[ "$status" = 0 ] || [ "$status" = 2 ] || fail "seed $seed: status $status: $(cat err)"
	python3 "$tool" contents "$files" >now
	cut -d' ' -f1 contents | diff - <(cut -d' ' -f1 now) || fail "seed $seed: contents were lost"
	[ "$status" != 0 ] || [ $option != --action=delete ] || once "$to"
	undo "seed $seed"
done

# ---- Version control, protected directories and filters ----
world household "$files"
# A work tree stays with its version control, also a file in it that is a copy.
mkdir -p "$files/phone-b/work/.git" "$files/phone-b/work/below"
echo object >"$files/phone-b/work/.git/object.jpg"
echo picture >"$files/phone-b/work/below/picture.jpg"
cp "$files/phone-b/DCIM/IMG_0.jpg" "$files/phone-b/work"
runs 0 "$SIMHASH" -q "$files"
tree >before
runs 2 "$SIMKEEP" --into="$files/all" --protect="$files/phone-a/DCIM" --ext=jpg --yes --journal=journal "$files/phone-a" "$files/phone-b"
said "3 files belong to version control or a build tree, and stay; move such a folder as a whole yourself"
said "moved 6 files (18.0 kB); 9 files stay; "
grep -q "^stays   $files/phone-b/work/  (3 files, " "$TEST_FOLDER/out" || fail "the work tree: $(cat "$TEST_FOLDER/out")"
said "; 6 protected; to undo: "
undo "protected"

# ---- Not without directories, not together with other actions ----
world household "$files"
mkdir "$TEST_FOLDER/foreign"
echo here >"$TEST_FOLDER/foreign/file"
runs 0 "$SIMKEEP" --into="$TEST_FOLDER/foreign" "$files"
said "the index has no files at or below $TEST_FOLDER/foreign; index it first: simhash $TEST_FOLDER/foreign"
runs 1 "$SIMKEEP" --into="$files"
said "--into needs the directories whose files move, and no FILE"
runs 1 "$SIMKEEP" --into=all --action=hardlink "$files"
said "--into can only be combined with --action=delete and --action=script:FILE"
runs 1 "$SIMKEEP" --into=all --action=merge:x "$files"
said "--into cannot be combined with --action=merge:DIR"
runs 1 "$SIMKEEP" --action=merge:missing "$files"
said "--action=merge:missing: No such file or directory"
runs 1 "$SIMKEEP" --into="$tool" "$files"
said "expected a directory"
runs 1 "$SIMKEEP" --into=all --yes "$files"
said "--yes needs --journal=FILE"
runs 1 "$SIMKEEP" --decisions=todo.sh --action=merge:x
said "--action=merge:DIR cannot be combined with --decisions"
