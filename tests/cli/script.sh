#!/usr/bin/env bash
# The script about copies: it does nothing by itself, any name survives in it, and nothing
# is touched that is not identical any more.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_files() {
	rm -rf "$files"
	mkdir -p "$files/sub"
	names=("plain" "with space" "quote'quote" 'double"quote' 'dollar$(touch pwned)' 'back\slash' '`touch pwned`'
		$'new\nline' $'end\n' $'tab\tescape\x1b[31m' $'bad\xff\xfe' '-dash' '#hash' 'back\0112' 'ünïcode' '*' ';touch pwned')
	for name in "${names[@]}"; do
		seq 2000 >"$files/sub/$name"
	done
	seq 2000 >"$files/kept" # the first of them all
	: >"$files/sub/empty1"
	: >"$files/sub/empty2"
	reset
	runs 0 "$SIMHASH" "$files"
}

# What the tree is: names, inodes and contents.
tree() {
	find "$files" -printf '%P|%i|%n\0' -type f -exec cksum {} + | LC_ALL=C sort -z | cksum
}

make_files
before=$(tree)
runs 0 "$SIMFIND" -k uniform --script=todo.sh --empty
said "todo.sh: a script for ${#names[@]} copies; edit it before you run it"
for how in --group --group=single --verify=all "--group --verify=all"; do
	# shellcheck disable=SC2086  # two options
	runs 0 "$SIMFIND" -k uniform $how --script=same.sh --empty -o /dev/null
	cmp todo.sh same.sh || fail "another script with $how"
done
rm same.sh
same "mode" 700 "$(stat -c %a todo.sh)"
same "bytes that are not plain ASCII or valid UTF-8" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <todo.sh | wc -c)"
iconv -f UTF-8 -t UTF-8 todo.sh >/dev/null || fail "the script is not UTF-8"
same "active lines that do something" 0 "$(grep -cE '^(hardlink|reflink|delete)( |$)[^(]' todo.sh || true)"
for shell in sh bash dash; do
	$shell -n todo.sh || fail "$shell does not take it"
	$shell ./todo.sh >out 2>err || fail "$shell: $(cat err)"
	same "what $shell says" "" "$(cat out err)"
done
same "the tree" "$before" "$(tree)"
[ ! -e pwned ] || fail "a name was run"

# By a plan: what is kept is what --keep prefers, and there are commands for the copies that it gives up.
runs 0 "$SIMFIND" --keep=match:-dash --script=todo.sh
said "todo.sh: a script for ${#names[@]} copies; edit it before you run it"
said "; nothing has been changed"
# Where there are no reflinks, the script says so instead.
reflinks=0
! cp --reflink=always "$files/${names[0]}" shared 2>/dev/null || reflinks=${#names[@]}
for action in hardlink reflink delete; do
	[ "$action" = reflink ] && expected=$reflinks || expected=${#names[@]}
	same "commands that keep another file than the plan" "$expected" \
		"$(grep -cE "^#$action (-e )?'$files/sub/-dash' " todo.sh)"
done
runs 0 "$SIMFIND" -q --keep=match:-dash --action=delete --script=-
same "kinds of commands" "#delete" "$(grep -oE '^#(hardlink|reflink|delete) ' out | grep -o '[^ ]*' | sort -u)"
same "lines of the plan" 0 "$(grep -cE '^(keep|delete) +/' out || true)"
grep '^#delete' todo.sh >expected
grep '^#delete' out | cmp - expected || fail "another script on standard output"

# Hard links: one file under all names, which are the same as before.
for shell in dash bash; do
	make_files
	find "$files" -printf '%P\0' | LC_ALL=C sort -z >expected
	runs 0 "$SIMFIND" -q -k uniform --script=todo.sh
	sed 's/^#hardlink /hardlink /' todo.sh | $shell >out 2>err || fail "$shell: $(cat err)"
	same "what is said" "" "$(cat out err)"
	find "$files" -printf '%P\0' | LC_ALL=C sort -z >found
	cmp expected found || fail "names have changed"
	same "inodes" 1 "$(find "$files" -type f -size +0 -printf '%i\n' | sort -u | wc -l)"
	same "content" "$(seq 2000 | cksum)" "$(cksum <"$files/sub/-dash")"
	# Again: they are one file already, so there is nothing to do. To delete them is refused.
	sed 's/^#hardlink /hardlink /' todo.sh | $shell >out 2>err || fail "$shell: $(cat err)"
	same "what is said again" "" "$(cat out err)"
	sed 's/^#delete /delete /' todo.sh | $shell 2>err && fail "nothing was refused"
	same "refused" ${#names[@]} "$(grep -ac 'it is the same file as' err)"
	runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMFIND" -k uniform
	same "pairs afterwards" "" "$(cat out)"
done
[ ! -e pwned ] || fail "a name was run"

# Deleting, where some have changed meanwhile: those stay.
make_files
runs 0 "$SIMFIND" -q -k uniform --script=todo.sh
echo more >>"$files/sub/with space"
rm "$files/sub/plain"
ln -s ../kept "$files/sub/plain"
rm "$files/sub/*"
mkdir "$files/sub/*"
sed 's/^#delete /delete /' todo.sh | sh 2>err && fail "nothing was refused"
grep -q "left alone: $files/sub/with space: it is no longer identical to $files/kept" err || fail "$(cat err)"
grep -q "left alone: $files/sub/plain: $files/sub/plain is no longer a regular file" err || fail "$(cat err)"
grep -q "left alone: $files/sub/\*: $files/sub/\* is no longer a regular file" err || fail "$(cat err)"
same "files left" "kept sub/empty1 sub/empty2 sub/with space" \
	"$(find "$files" -type f -printf '%P\n' | LC_ALL=C sort | paste -sd ' ')"
same "link left" "../kept" "$(readlink "$files/sub/plain")"
# The kept one gone: nothing is deleted.
make_files
runs 0 "$SIMFIND" -q -k uniform --script=todo.sh
rm "$files/kept"
sed 's/^#delete /delete /' todo.sh | sh 2>err && fail "nothing was refused"
same "files left" $((${#names[@]} + 2)) "$(find "$files" -type f -printf x | wc -c)"
# A file that is another name of the kept one, by a link above: it is not deleted.
rm -rf "$files"
mkdir -p "$files/real"
seq 3000 >"$files/real/a"
cp "$files/real/a" "$files/b"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" -q -k uniform --script=todo.sh
rm -r "$files/real"
mkdir "$files/other"
mv "$files/b" "$files/other/a"
ln -s other "$files/real"
ln -s other/a "$files/b"
sed 's/^#delete /delete /; s/^#hardlink /hardlink /' todo.sh | sh 2>err && fail "nothing was refused"
[ -s "$files/other/a" ] || fail "the last copy is gone"

# Reflinks: made where the file system can, else both files stay as they are.
make_files
runs 0 "$SIMFIND" -q -k uniform --script=todo.sh
chmod 640 "$files/sub/-dash"
touch -d 2001-02-03 "$files/sub/-dash"
PATH=$(dirname "$SIMFIND"):$PATH
if sed 's/^#reflink /reflink /' todo.sh | sh 2>err; then
	same "mode kept" 640 "$(stat -c %a "$files/sub/-dash")"
	same "time kept" 2001-02-03 "$(stat -c %y "$files/sub/-dash" | cut -d' ' -f1)"
else
	same "refused" ${#names[@]} "$(grep -ac 'it was not replaced by a reflink' err)"
fi
same "contents" 1 "$(find "$files" -type f -size +0 -exec sh -c 'cksum <"$1"' _ {} \; | sort -u | wc -l)"
same "files" $((${#names[@]} + 3)) "$(find "$files" -type f -printf x | wc -c)"

# Only what is here and what it seems: no other host's, no inflated content.
rm -rf "$files"
mkdir "$files"
seq 3000 >"$files/a.txt"
gzip -k "$files/a.txt"
reset
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMHASH" --host=elsewhere "$files"
runs 0 "$SIMFIND" --script=todo.sh
said "todo.sh: a script for 0 copies"
same "lines about files" 0 "$(grep -cE '^#(delete|hardlink|reflink) ' todo.sh || true)"
# It is not written over what is asked for, nor over the index.
runs 1 "$SIMFIND" --script="$files/a.txt" "$files/a.txt"
said "cannot write to $files/a.txt: it is one of the FILEs"
if [ "$TEST_ENGINE" = sqlite ]; then
	runs 1 "$SIMFIND" --script="${TEST_URL#sqlite:}"
	said "it is the index itself"
fi
runs 1 "$SIMFIND" -o found.txt --script="$PWD/found.txt"
said "--script and --output name the same file"
# What is in the way of the new name is left alone.
rm -rf "$files"
mkdir "$files"
seq 3000 >"$files/a"
cp "$files/a" "$files/b"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" -q --script=todo.sh
echo precious >precious
for way in file link directory; do
	sed "s/^#hardlink /hardlink /" todo.sh >active.sh
	case $way in
	file) cp precious in_the_way ;;
	link) ln -s "$PWD/precious" in_the_way ;;
	directory) mkdir in_the_way ;;
	esac
	FILES=$files sh -c 'mv in_the_way "$FILES/b.new.$$"; exec sh active.sh' >/dev/null 2>&1 && fail "it was not in the way"
	rm -rf in_the_way
	[ "$(cat precious)" = precious ] || fail "hardlink wrote through a $way"
	[ -e "$(echo "$files"/b.new.*)" ] || fail "hardlink removed a $way"
	same "names of b" 1 "$(stat -c %h "$files/b")"
	rm -rf "$files"/b.new.*
done
rm -rf "$files"
mkdir "$files"
seq 3000 >"$files/a.txt"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --host=elsewhere "$files"
runs 1 "$SIMFIND" --script=/dev/full
said "cannot write to /dev/full: No space left on device"

# Found, and the build fails.
runs 1 "$SIMFIND" --fail-on-match
same "said" 1 "$(grep -c . err)"
runs 1 "$SIMFIND" --fail-on-match --between "$files" elsewhere:/no/such/place
said "the index has no files at or below elsewhere:/no/such/place"
runs 1 "$SIMFIND" --between "$files" nobody:
said "the index has no files at or below nobody:/"
runs 2 "$SIMFIND" --fail-on-match /no/such/file
runs 1 "$SIMFIND" --fail-on-match --group -q
same "said" "" "$(cat err)"
