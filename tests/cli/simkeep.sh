#!/usr/bin/env bash
# Tests that simkeep without a rule lists the folders with copies, and that its totals match the
# tree. Filters, FILEs and DIRs choose copies. It changes nothing without --yes; simfind changes
# nothing and shows simkeep's commands.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
PATH=$(dirname "$SIMKEEP"):$PATH

python3 - "$files" <<'PYTHON'
import os, random, sys
dice = random.Random(38)
folders = ["a", "a/b", "a/b/c", "d", "d/with space", "e"]
contents = [dice.randbytes(dice.choice([1, 700, 5000, 20000, 90000])) for _ in range(12)] + [b""]
for number in range(70):
    folder = os.path.join(sys.argv[1], dice.choice(folders))
    os.makedirs(folder, exist_ok=True)
    name = "%d.%s" % (number, dice.choice(["txt", "TXT", "md", "bin"]))
    with open(os.path.join(folder, name), "wb") as out:
        out.write(dice.choice(contents))
    if number % 9 == 0:
        os.link(os.path.join(folder, name), os.path.join(folder, "linked " + name))
PYTHON
: >"$files/e/"$'bad\xff\x1b'
settle "$files"
runs 0 "$SIMHASH" -q "$files"

# counted KEEP TOP...: the expected list for the files below TOPs for which KEEP, an expression in
# Python, is true
counted() {
	python3 - "$@" <<'PYTHON'
import hashlib, os, sys
wanted, tops = sys.argv[1], sys.argv[2:]
contents, filled = {}, {}
for top in tops:
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            status, size = os.stat(path), os.path.getsize(path)
            below = os.path.relpath(path, top)
            if size > 0:
                filled.setdefault(folder, set()).add(path)
            if size > 0 and eval(wanted):
                with open(path, "rb") as file:
                    contents.setdefault(hashlib.md5(file.read()).digest(), []).append((path, status))
removed, gone = {}, {}
for files in contents.values():
    kept = min(files, key=lambda file: (file[1].st_mtime_ns, len(file[0]), os.fsencode(file[0])))
    for path, status in sorted(files):
        if status.st_ino != kept[1].st_ino:
            gone[status.st_ino] = gone.get(status.st_ino, 0) + 1
            removed[path] = status.st_size if gone[status.st_ino] == status.st_nlink else 0
def at_or_below(folder, path):
    return path == folder or path.startswith(folder + "/")
def is_whole(folder):
    return all(path in removed for inner in filled if at_or_below(folder, inner) for path in filled[inner])
def lines(folder):
    inner = [path for path in removed if at_or_below(folder, path)]
    if inner and is_whole(folder):
        yield folder, len(inner), len(inner), inner
        return
    direct = [path for path in inner if os.path.dirname(path) == folder]
    if direct:
        yield folder, len(direct), len(filled[folder]), direct
    for entry in os.listdir(folder):
        if os.path.isdir(os.path.join(folder, entry)):
            yield from lines(os.path.join(folder, entry))
def shown(taken):
    size = "%d bytes" % taken
    for unit in ("kB", "MB"):
        if taken >= 1000:
            taken /= 1000
            size = "%.1f %s" % (taken, unit)
    return size
one = len(removed) == 1
print("%d %s; removing %s would free %s." % (len(removed), "file is a copy" if one else "files are copies",
      "it" if one else "them", shown(sum(removed.values()))))
found = [(sum(removed[path] for path in paths), folder, copies, files)
         for top in tops for folder, copies, files, paths in lines(top)]
for taken, folder, copies, files in sorted(found, key=lambda line: (-line[0], line[1].split("/"))):
    print(folder, copies if copies == files else "%d of %d" % (copies, files), shown(taken), sep="|")
PYTHON
}

# lists KEEP TOP... -- ARGUMENT...: check the list of simkeep with these arguments
lists() {
	local of=()
	while [ "$1" != -- ]; do
		of+=("$1")
		shift
	done
	shift
	counted "${of[@]}" >expected
	runs 0 "$SIMKEEP" "$@"
	sed -E 's/^(.*[^ ])  (identical to|all in|partly in|in the same|in several) .*  ([0-9]+( of [0-9]+)?) files?  /\1|\3|/' out >found
	diff expected found || fail "simkeep $*"
	[ "$(wc -l <expected)" -gt 1 ] || fail "no copies with $*"
}

state() {
	find "$files" -printf '%P|%i|%n|%s|%T@|%C@\0' | LC_ALL=C sort -z | cksum
}
before=$(state)

lists True "$files" --
same "a next step where no person reads it" "" "$(cat err)"
copies=$(awk 'NR == 1 { print $1 }' out)
# The next command and the script are about the same copies.
lists True "$files" -- "$files/d/with space/.." "$files" -d "$SIMHASH_DATABASE"
on_terminal 200 "$SIMKEEP" "$files/d/with space/.." "$files" -d "$SIMHASH_DATABASE"
advised=$(sed -n 's/^Next: //p' screen)
eval "$advised" >out 2>err || fail "not a command: $advised"
said "would delete $copies files"
runs 0 "$SIMKEEP" --keep=oldest --action=script:copies.sh
said "a script for $copies copies"
runs 0 "$SIMKEEP" --action=script:all.sh
same "standard output of --action=script:FILE" "" "$(cat out)"
runs 0 "$SIMKEEP" -q
same "output of -q" "" "$(cat out err)"
# There is nothing to do because of an option, or because the index is empty.
runs 0 "$SIMKEEP" --ext=none --min-size=1G
same "a note" "simkeep: note: nothing was found with --ext, --min-size; without them there may be more" "$(cat err)"
mkdir nothing
runs 0 "$SIMHASH" -d sqlite:empty.db nothing
runs 0 "$SIMKEEP" -d sqlite:empty.db
same "a note" "simkeep: note: the index is empty; add files with simhash PATH" "$(cat err)"
runs 0 "$SIMKEEP" -d sqlite:empty.db -q
same "no note" "" "$(cat out err)"

# ---- Choosing copies ----
lists True "$files/a" "$files/e" -- "$files/a" "$files/e"
lists True "$files/d" -- "$files/d/"
lists 'name.lower().endswith((".txt", ".md"))' "$files" -- --ext=txt --ext=MD
lists 'size >= 700' "$files" -- --min-size=700
lists '700 <= size <= 20 * 1024' "$files" -- --min-size=700 --max-size=20k
lists 'not name.startswith("linked")' "$files" -- --exclude='linked*'
lists '"b/" not in below' "$files" -- --exclude=b/
printf '# a pattern\nb/\n' >patterns
lists '"b/" not in below' "$files" -- --exclude=@patterns
lists 'not below.startswith("b/c/") and not name.endswith(".bin")' "$files/a" -- --exclude=/b/c --exclude='*.bin' "$files/a"
lists '"/d/" not in path' "$files" -- --exclude="$files/d"
protected=$(runs 0 "$SIMKEEP" --protect="$files/a" && head -n 1 out)
[[ $protected == *" are protected." ]] || fail "nothing is protected: $protected"
[ "$(grep -c "^$files/a" out || true)" = 0 ] || fail "protected copies are counted: $(cat out)"

# With FILEs, their copies: also for a FILE that is not in the index, by any name.
copy=$files/a/original.txt
random_bytes 3000 1 >"$copy"
cp "$copy" "$files/d/copy 1"
cp "$copy" "$files/e/copy 2"
runs 0 "$SIMHASH" -q "$files"
cp "$copy" new
for name in "$copy" "$files/a/../e/copy 2"; do
	runs 0 "$SIMKEEP" "$name"
	same "copies of $name" "2 3" "$(awk 'NR == 1 { n = $1 } END { print n, NR }' out)"
done
runs 0 "$SIMKEEP" "$copy" "$files/d" "$files/a"
same "copies in two directories" "1 2" "$(awk 'NR == 1 { n = $1 } END { print n, NR }' out)"
runs 0 "$SIMKEEP" new
same "copies, one of them new" "3 4" "$(awk 'NR == 1 { n = $1 } END { print n, NR }' out)"
runs 2 "$SIMKEEP" none "$copy"
said "simkeep: none: No such file or directory"
runs 1 "$SIMKEEP" - <"$copy"
said "simkeep: FILE -: standard input has no copies that can be removed; expected the name of a file"
runs 0 "$SIMKEEP" --min-size=1G
same "nothing" "No copies can be removed." "$(cat out)"
same "a note in the place of the next command" "simkeep: note: nothing was found with --min-size; without it there may be more" "$(cat err)"
rm "$copy" "$files/d/copy 1" "$files/e/copy 2"
touch -d '2020-01-01' "$files"/{a,d,e}

# ---- A terminal shows the first folders, a pipe all folders ----
mkdir many
for ((i = 0; i < 30; i++)); do
	mkdir -p "many/original $i" "many/copy $i/inner"
	printf '%0*d' $((2000 + i)) 0 >"many/original $i/x"
	cp "many/original $i/x" "many/copy $i/inner/y"
done
touch -d 2020-01-01 many/original*/x
runs 0 "$SIMHASH" -q many
for columns in 40 60 200; do
	NO_COLOR=1 on_terminal $columns "$SIMKEEP" many
	same "folders on $columns columns" 19 "$(grep -c ' 1 file  .* kB$' screen)"
	grep -qx 'and 11 more folders; a file or a pipe gets all' screen || fail "no more folders: $(cat screen)"
	same "lines wider than $columns" 0 "$(awk -v most=$columns '/ kB$/ && length > most' screen | wc -l)"
done
same "a folder" "copy 29  all in original 29  1 file     2.0 kB" "$(grep '^copy 29' screen)"
runs 0 "$SIMKEEP" many
same "folders in a pipe" 30 "$(grep -c "^$TEST_FOLDER/many/copy [0-9]*  all in $TEST_FOLDER/many/original [0-9]*  1 file  2.0 kB$" out)"
# A folder with links or other files is not removable as a whole, because they stay; empty files do not count.
ln -s x "many/copy 0/inner/link"
: >"many/copy 1/inner/empty"
echo new >"many/copy 2/inner/new"
runs 0 "$SIMKEEP" many
same "parts" "$TEST_FOLDER/many/copy 0/inner  partly in $TEST_FOLDER/many/original 0  1 file  2.0 kB
$TEST_FOLDER/many/copy 1  all in $TEST_FOLDER/many/original 1  1 file  2.0 kB
$TEST_FOLDER/many/copy 2/inner  partly in $TEST_FOLDER/many/original 2  1 of 2 files  2.0 kB" "$(grep 'copy [012]/\|copy [012] ' out | sort)"
rm -r many
runs 0 "$SIMHASH" --forget many
# Kept files that are directly in the folder around a removable folder are there, and not in several folders.
mkdir -p many/docs/again many/docs/below
for i in 1 2 3; do
	random_bytes $((1000 + i)) "$i" >"many/docs/$i"
	cp "many/docs/$i" "many/docs/again/other $i"
done
touch -d 2020-01-01 many/docs/[123]
runs 0 "$SIMHASH" -q many
runs 0 "$SIMKEEP" many
same "originals in the parent" "$TEST_FOLDER/many/docs/again  all in $TEST_FOLDER/many/docs  3 files  3.0 kB" "$(tail -n 1 out)"
mv many/docs/1 many/docs/below
runs 0 "$SIMHASH" -q many
runs 0 "$SIMKEEP" many
same "originals in the parent and below it" "$TEST_FOLDER/many/docs/again  in several folders  3 files  3.0 kB" "$(tail -n 1 out)"
# A file that cannot be removed is not a failure of a list; it is one of a plan.
chmod a-w "many/docs/again/other 2"
runs 0 "$SIMKEEP" many
said "simkeep: $TEST_FOLDER/many/docs/again/other 2 cannot be removed: "
runs 2 "$SIMKEEP" --keep=oldest many
rm -r many
runs 0 "$SIMHASH" --forget many
# A folder whose files have copies only elsewhere.
mkdir -p many/here many/there
random_bytes 1000 1 | tee many/here/x >many/there/y
runs 0 "$SIMHASH" -q many
runs 0 "$SIMKEEP" many/here
same "copies elsewhere" "No copies can be removed; copies elsewhere count only if you name their folders too." "$(cat out)"
same "a second note" "" "$(cat err)"
runs 0 "$SIMKEEP" --keep=in:many/here --action=delete many/there
said "simkeep: $TEST_FOLDER/many/here: the directory of --keep=in is outside the DIRs, so its files do not count; name it too"
! grep -q "without a copy elsewhere" err || fail "a false summary: $(cat err)"
runs 0 "$SIMKEEP" --keep=in:many/here --action=delete many/there many/here
! grep -q "outside the DIRs" err || fail "a wrong note: $(cat err)"
rm -r many
runs 0 "$SIMHASH" --forget many
# The next step after a list of folders keeps the folder whose name is not that of a copy.
for names in "docs,docs (copy)" "old_backup/a,photos" "Copy of x,x" "docs.bak,docs"; do
	mkdir -p "many/${names%,*}" "many/${names#*,}"
	for i in 1 2 3; do
		random_bytes 1000 "$i" | tee "many/${names%,*}/$i" >"many/${names#*,}/$i"
	done
	runs 0 "$SIMHASH" -q -d sqlite:names.db many
	kept=${names#*,}
	[[ $kept != *copy* ]] || kept=docs
	on_terminal 300 "$SIMFIND" -d sqlite:names.db --directories
	grep -q "^Next: simkeep -d sqlite:names.db --action=delete --keep=in:$PWD/many/$kept " screen || fail "$names: $(cat screen)"
	rm -r many names.db
done

# ---- Files that filters leave out stay ----
tree() {
	find "$files" -type f -printf '%P|%s|%T@\0' | LC_ALL=C sort -z | tr '\0' '\n'
}
runs 0 "$SIMHASH" -q "$files"
tree >was
runs 0 "$SIMKEEP" --keep=newest --action=delete --ext=txt --min-size=700 --exclude=c --yes --journal=j "$files/a" "$files/d"
grep -q '^delete' out || fail "nothing was deleted"
tree >now
gone=$(LC_ALL=C comm -23 was now)
same "removed files" "$(sed -n "s|^delete *$files/||p" out | sort)" "$(cut -d'|' -f1 <<<"$gone" | sort)"
same "files that should have stayed" "" "$(grep -viE '^(a|d)/.*\.txt\|' <<<"$gone" || true)"
same "files that should have stayed" "" "$(grep -E '/c/|\|1\|' <<<"$gone" || true)"
# --undo does not need the index, but accepts its name.
runs 0 "$SIMKEEP" --undo=j -d "$SIMHASH_DATABASE" --yes
tree | diff was - || fail "not restored"

# ---- Version control and build trees are left alone ----
mkdir tools
for name in .git .hg .svn .bzr CVS _darcs node_modules site-packages __pycache__ .venv .tox .nox .gradle; do
	mkdir -p "tools/p/$name/deep"
	seq 500 | tee "tools/p/$name/one" >"tools/p/$name/deep/two"
done
mkdir -p tools/p/git tools/p/node_modules.old
seq 500 | tee tools/p/alone >/dev/null
seq 600 | tee tools/p/git/x tools/p/node_modules.old/x tools/p/.git/x >/dev/null
settle tools
runs 0 "$SIMHASH" -q -d sqlite:tools.db tools
in_tools() {
	find tools -type f -printf '%P %s %i %T@\n' | sort
}
in_tools >was
# The copies in these trees are not kept files, so the file "alone" stays.
for action in hardlink delete "move:$TEST_FOLDER/moved"; do
	rm -rf moved
	mkdir moved
	runs 0 "$SIMKEEP" -d sqlite:tools.db --keep=oldest "--action=$action" --yes --journal=j.tools tools
	said "27 identical files in version control and build trees are left alone; to include such a tree, name it as DIR"
	same "lines for $action" "$(printf '%s\n' "keep $PWD/tools/p/git/x" "${action%%:*} $PWD/tools/p/node_modules.old/x")" \
		"$(sed 's/  */ /; s/ -> .*//; /^rmdir/d' out)"
	said "to undo: simkeep --undo=j.tools --database=sqlite:tools.db"
	runs 0 "$SIMKEEP" -d sqlite:tools.db --undo=j.tools --yes
	rm j.tools
	in_tools | cut -d' ' -f1,2,4 | diff <(cut -d' ' -f1,2,4 was) -
done
runs 0 "$SIMKEEP" -d sqlite:tools.db tools
said "27 identical files in version control"
grep -q '^1 file is a copy' out || fail "found: $(cat out)"
# Without DIRs, the trees are named before anything else, also for a script.
for words in --keep=oldest "--keep=oldest --action=delete" "--keep=oldest --action=hardlink" "--keep=oldest --action=reflink" "--keep=oldest --action=move:moved" --action=script:-; do
	# shellcheck disable=SC2086  # several
	"$SIMKEEP" -d sqlite:tools.db $words >both 2>&1 || true
	same "the first line of $words" "simkeep: the plan is for the whole index: $PWD/tools; give DIRs to limit it" "$(sed -n 1p both)"
done
# Such a tree, a directory in it, or a file in it is included if it is named.
for words in tools/p/.git tools/p/.git/deep/two "tools/p/.git/deep tools/p/CVS"; do
	# shellcheck disable=SC2086  # several
	runs 0 "$SIMKEEP" -d sqlite:tools.db --keep=not-in:tools/p/.git/deep --action=delete $words
	grep -qE "^(keep|delete) .*/(.git/one|.git/deep/two|CVS/one)$" out || fail "$words: $(cat out err)"
done
rm -r tools

# ---- Options that cannot be combined ----
wrong() {
	runs 1 "$SIMKEEP" "${@:1:$#-1}"
	said "simkeep: ${*: -1}"
}
wrong --action=delete "--action needs --keep, --review or --decisions"
wrong --yes "--yes needs --keep, --review or --decisions, or --undo"
wrong --min-size=2 --max-size=1 "--min-size is larger than --max-size"
wrong --decisions=x --ext=txt "--decisions cannot be combined with --ext"
wrong --undo=x "$files" "--undo cannot be combined with a DIR"
wrong --keep=oldest --decisions=x "--decisions cannot be combined with --keep"
wrong --no-such "unknown option --no-such; try 'simkeep --help'"

# ---- simfind changes no file ----
before=$(state)
touched() {
	same "the tree after $*" "$before" "$(state)"
}
for words in "" --group --verify=all "--format=html -o page.html" --store --directories; do
	# shellcheck disable=SC2086  # two options
	runs 0 "$SIMFIND" --summary=none $words
	touched "simfind $words"
done
for words in --keep=oldest "--keep=oldest --action=delete --yes --journal=j2" --apply=x --undo=j --undo=j\ --yes --action=script:x --protect=/; do
	# shellcheck disable=SC2086  # several
	runs 1 "$SIMFIND" $words "$files"
	grep -qE "^simfind: --[a-z]+ is an option of simkeep; try 'simkeep --[a-z].*'$" err || fail "simfind $words says: $(cat err)"
	touched "simfind $words"
done
for words in "" --keep=oldest "--keep=oldest --action=delete" "--keep=oldest --action=hardlink --action=script:x.sh" --undo=j; do
	# shellcheck disable=SC2086  # several
	runs 0 "$SIMKEEP" $words
	touched "simkeep $words"
done
