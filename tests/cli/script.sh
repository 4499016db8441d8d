#!/usr/bin/env bash
# Tests the script about copies: it does nothing unless edited, it preserves any name, simkeep
# carries out its commands as with --yes, and a script that was truncated or does not find simkeep
# does nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
PATH=$(dirname "$SIMKEEP"):$PATH

# run ACTION SHELL: run the commands for one action, with a new journal
run() {
	rm -f journal
	sed "s/^#$1 /$1 /" todo.sh | JOURNAL=journal "$2" >out 2>err
}

make_files() {
	rm -rf "$files"
	mkdir -p "$files/sub"
	names=("plain" "with space" "quote'quote" 'double"quote' 'dollar$(touch pwned)' 'back\slash' '`touch pwned`'
		$'new\nline' $'end\n' $'tab\tescape\x1b[31m' $'bad\xff\xfe' '-dash' '#hash' 'back\0112' 'ünïcode' '*' ';touch pwned' $'c1\xc2\x9b31m' $'bidi\xe2\x80\xaetxt' 'ā')
	for name in "${names[@]}"; do
		seq 2000 >"$files/sub/$name"
	done
	seq 2000 >"$files/kept" # the first in the order of all files
	: >"$files/sub/empty1"
	: >"$files/sub/empty2"
	reset
	runs 0 "$SIMHASH" "$files"
}

# The state of the tree: names, inodes and contents.
tree() {
	find "$files" -printf '%P|%i|%n\0' -type f -exec cksum {} + | LC_ALL=C sort -z | cksum
}

make_files
before=$(tree)
runs 0 "$SIMKEEP" --action=script:todo.sh
said "todo.sh: a script for ${#names[@]} copies; edit it before you run it"
same "mode" 700 "$(stat -c %a todo.sh)"
same "bytes that are not plain ASCII or valid UTF-8" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <todo.sh | wc -c)"
iconv -f UTF-8 -t UTF-8 todo.sh >/dev/null || fail "the script is not UTF-8"
same "active lines that do something" 0 "$(grep -cE '^(hardlink|reflink|delete)( |$)[^(]' todo.sh || true)"
for shell in sh bash dash; do
	$shell -n todo.sh || fail "$shell does not take it"
	$shell ./todo.sh >out 2>err || fail "$shell: $(cat err)"
	same "what $shell says" "simkeep: all commands are comments; remove the # from the commands to carry out; nothing has been changed" "$(cat out err)"
done
[ -z "$(find . -name 'simkeep-journal-*')" ] || fail "a journal of nothing"
same "the tree" "$before" "$(tree)"
[ ! -e pwned ] || fail "a name was run"

# With a plan: the kept file is the one that --keep prefers, and there are commands for the copies
# to remove.
runs 0 "$SIMKEEP" --keep=match:-dash --action=script:todo.sh
said "todo.sh: a script for ${#names[@]} copies; edit it before you run it"
said "; nothing has been changed"
# Without reflinks, the script says so instead.
reflinks=0
! cp --reflink=always "$files/${names[0]}" shared 2>/dev/null || reflinks=${#names[@]}
for action in hardlink reflink delete; do
	[ "$action" = reflink ] && expected=$reflinks || expected=${#names[@]}
	same "commands that keep another file than the plan" "$expected" \
		"$(grep -cE "^#$action \{\"size\":[0-9]*,\"kept\":\"$files/sub/-dash\"," todo.sh)"
done
runs 0 "$SIMKEEP" -q --keep=match:-dash --action=delete --action=script:-
same "kinds of commands" "#delete" "$(grep -oE '^#(hardlink|reflink|delete) ' out | grep -o '[^ ]*' | sort -u)"
same "lines of the plan" 0 "$(grep -cE '^(keep|delete) +/' out || true)"
grep '^#delete' todo.sh >expected
grep '^#delete' out | cmp - expected || fail "another script on standard output"

# Hard links: one file under all names, and the names do not change.
for shell in dash bash; do
	make_files
	find "$files" -printf '%P\0' | LC_ALL=C sort -z >expected
	runs 0 "$SIMKEEP" -q --action=script:todo.sh
	run hardlink $shell || fail "$shell: $(cat err)"
	said "replaced ${#names[@]} files by hard links"
	same "bytes that act on a terminal" 0 "$(cat out err | tr -d '\n' | LC_ALL=C tr -dc '\0-\037\177' | wc -c)"
	grep -qP '\xc2\x9b|\xe2\x80\xae' out err && fail "names act on a terminal"
	find "$files" -printf '%P\0' | LC_ALL=C sort -z >found
	cmp expected found || fail "names have changed"
	same "inodes" 1 "$(find "$files" -type f -size +0 -printf '%i\n' | sort -u | wc -l)"
	same "content" "$(seq 2000 | cksum)" "$(cksum <"$files/sub/-dash")"
	# A second time: they are already one file, so none of its names is removed.
	for action in hardlink delete; do
		run $action $shell && fail "nothing was refused"
		same "refused" ${#names[@]} "$(grep -ac "left alone: " err)"
	done
	find "$files" -printf '%P\0' | LC_ALL=C sort -z | cmp expected - || fail "names were removed"
	runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMFIND" --candidates=exact
	same "pairs afterwards" "" "$(cat out)"
done
[ ! -e pwned ] || fail "a name was run"

# Several copies for one file, and for another name of it: each link changes a time of the kept
# file.
make_files
ln "$files/kept" "$files/other name"
runs 0 "$SIMKEEP" -q --action=script:todo.sh
sed "s|^\(#hardlink .*\"kept\":\)\"$files/kept\"\(.*/with space\".*\)|\1\"$files/other name\"\2|" todo.sh >changed.sh
mv changed.sh todo.sh
same "commands for the other name" 1 "$(grep -c '^#hardlink .*"kept":"[^"]*/other name"' todo.sh)"
run hardlink sh || fail "$(cat err)"
said "replaced ${#names[@]} files by hard links"
same "inodes" 1 "$(find "$files" -type f -size +0 -printf '%i\n' | sort -u | wc -l)"

# Deleting: files that have changed since the script was written stay.
make_files
runs 0 "$SIMKEEP" -q --action=script:todo.sh
echo more >>"$files/sub/with space"
rm "$files/sub/plain"
ln -s ../kept "$files/sub/plain"
rm "$files/sub/*"
mkdir "$files/sub/*"
run delete sh && fail "nothing was refused"
said "$files/sub/with space: left alone: it has changed since it was indexed"
said "$files/sub/plain: left alone: it is no longer a regular file"
said "$files/sub/*: left alone: it is no longer a regular file"
same "files left" "kept sub/empty1 sub/empty2 sub/with space" \
	"$(find "$files" -type f -printf '%P\n' | LC_ALL=C sort | paste -sd ' ')"
same "link left" "../kept" "$(readlink "$files/sub/plain")"
# Removed files can be restored.
runs 0 "$SIMKEEP" -q --undo=journal --yes
same "files left" $((${#names[@]} + 1)) "$(find "$files" -type f -printf x | wc -c)"
# Without the kept file, nothing is deleted.
make_files
runs 0 "$SIMKEEP" -q --action=script:todo.sh
rm "$files/kept"
run delete sh && fail "nothing was refused"
same "files left" $((${#names[@]} + 2)) "$(find "$files" -type f -printf x | wc -c)"
# A file that is another name of the kept one, through a link to a higher directory, is not deleted.
rm -rf "$files"
mkdir -p "$files/real"
seq 3000 >"$files/real/a"
cp "$files/real/a" "$files/b"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMKEEP" -q --action=script:todo.sh
rm -r "$files/real"
mkdir "$files/other"
mv "$files/b" "$files/other/a"
ln -s other "$files/real"
ln -s other/a "$files/b"
for action in delete hardlink; do
	run $action sh && fail "nothing was refused"
done
[ -s "$files/other/a" ] || fail "the last copy was removed"

# Reflinks: made if the file system supports them; otherwise both files do not change.
make_files
chmod 640 "$files/sub/-dash"
touch -d 2001-02-03 "$files/sub/-dash"
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMKEEP" -q --action=script:todo.sh
if run reflink sh; then
	same "mode kept" 640 "$(stat -c %a "$files/sub/-dash")"
	same "time kept" 2001-02-03 "$(stat -c %y "$files/sub/-dash" | cut -d' ' -f1)"
else
	same "refused" ${#names[@]} "$(grep -ac 'left alone: its file system has no reflinks' err)"
fi
same "contents" 1 "$(find "$files" -type f -size +0 -exec sh -c 'cksum <"$1"' _ {} \; | sort -u | wc -l)"
same "files" $((${#names[@]} + 3)) "$(find "$files" -type f -printf x | wc -c)"

# Only real files of this host: no files of another host, and no inflated content.
rm -rf "$files"
mkdir "$files"
seq 3000 >"$files/a.txt"
gzip -k "$files/a.txt"
reset
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMHASH" --host=elsewhere "$files"
runs 0 "$SIMKEEP" --action=script:todo.sh
said "todo.sh: a script for 0 copies"
same "lines about files" 0 "$(grep -cE '^#(delete|hardlink|reflink) ' todo.sh || true)"
# The script does not overwrite a FILE or the index.
runs 1 "$SIMKEEP" --action=script:"$files/a.txt" "$files/a.txt"
said "cannot write to $files/a.txt: it is one of the FILEs"
if [ "$TEST_ENGINE" = sqlite ]; then
	runs 1 "$SIMKEEP" --action=script:"${TEST_URL#sqlite:}"
	said "it is the index itself"
fi

# ---- Truncated, edited, or without the program; does not depend on the engine ----
cut_or_edited() {
	rm -rf "$files"
	mkdir "$files"
	seq 3000 >"$files/a"
	cp "$files/a" "$files/b"
	cp "$files/a" "$files/c"
	reset
	runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMKEEP" -q --action=script:todo.sh
	before=$(tree)
	sed 's/^#delete /delete /' todo.sh >active.sh
	lines=$(wc -l <active.sh)
	for shell in sh bash; do
		for ((line = 1; line < lines; line++)); do
			first $line <active.sh >cut.sh
			! JOURNAL=journal.cut $shell cut.sh >out 2>err || [ "$line" -lt "$(grep -n '^{$' active.sh | cut -d: -f1)" ] ||
				fail "$shell: cut after line $line it succeeds: $(cat out err)"
			[ ! -e journal.cut ] || fail "$shell: cut after line $line it does something"
		done
	done
	# The same for scripts truncated in the middle of a line, and for truncated input of
	# simkeep.
	for size in $(seq 1000 151 "$(($(wc -c <active.sh) - 3))"); do
		head -c "$size" active.sh >cut.sh
		JOURNAL=journal.cut sh cut.sh >out 2>err || true
		[ ! -e journal.cut ] || fail "cut after $size bytes it does something"
	done
	same "the tree" "$before" "$(tree)"
	sed -n "/END OF COMMANDS'/,/^END OF COMMANDS/p" active.sh | sed '1d; $d' >commands
	while read -r line; do
		first "$line" <commands >part
		runs 1 "$SIMKEEP" --decisions=part --yes --journal=journal.cut
		said "the script was cut"
		[ ! -e journal.cut ] || fail "a journal of nothing"
	done < <(seq 1 "$(($(wc -l <commands) - 1))")
	# Without simkeep.
	status=0
	env PATH=/nonexistent /bin/sh active.sh >out 2>err || status=$?
	same "status" 127 "$status"
	said "This script needs simkeep, which is not in PATH. Nothing has been changed."
	# On another host, and with a line that is not a command.
	sed 's/"host":"[^"]*"/"host":"elsewhere"/' active.sh >wrong.sh
	JOURNAL=journal.cut sh wrong.sh 2>err && fail "commands of another host"
	said "they are for host elsewhere"
	sed 's/^#//' active.sh >wrong.sh
	JOURNAL=journal.cut sh wrong.sh 2>err && fail "comments as commands"
	sed '/^delete/s/"copy":/"cpoy":/' commands >wrong
	runs 1 "$SIMKEEP" --decisions=wrong
	said "wrong, line 6: expected size, kept, copy, kept_mtime_ns and copy_mtime_ns"
	sed '/^delete/s/^delete/Delete/' commands >wrong
	runs 1 "$SIMKEEP" --decisions=wrong
	said "wrong, line 6: expected hardlink, reflink, delete or move, or # and a comment"
	sed 's/^{"commands":.*/&\ndelete {}/' commands >wrong
	runs 1 "$SIMKEEP" --decisions=wrong
	said "expected nothing after the number of commands"
	runs 1 "$SIMKEEP" --decisions=commands --action=delete
	said "--action cannot be combined with the commands of a script"
	same "the tree" "$before" "$(tree)"
	# Removed lines are reported; without --yes, nothing is done.
	grep -v '^#' commands >fewer
	runs 0 "$SIMKEEP" --decisions=fewer
	said "fewer: 4 of the 6 commands are missing"
	said "would delete 2 files"
	same "the tree" "$before" "$(tree)"
	# The names of the script and of its journal also do not act on a terminal.
	runs 0 "$SIMKEEP" --keep=match:a --action=script:$'todo\e[31m.sh'
	said 'todo\x1b[31m.sh: a script for '
	sed 's/^#delete /delete /' $'todo\e[31m.sh' | JOURNAL=$'journal\e[31m' sh >out 2>err
	said "; to undo: simkeep --undo=FILE"
	runs 0 "$SIMKEEP" -q --undo=$'journal\e[31m' --yes
	# Every kind of command at once: each file is removed at most once, and one file stays.
	sed 's/^#\([a-z]* {\)/\1/' todo.sh >all.sh
	JOURNAL=journal.all sh all.sh >out 2>err && fail "all commands were carried out"
	seq 3000 | cmp - "$files/a" || fail "the kept file was removed"
}
[ "$TEST_ENGINE" != sqlite ] || cut_or_edited

rm -rf "$files"
mkdir "$files"
seq 3000 >"$files/a.txt"
reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --host=elsewhere "$files"
runs 1 "$SIMKEEP" --action=script:/dev/full
said "cannot write to /dev/full: No space left on device"

# Matches are found, and the status makes a build fail.
runs 3 "$SIMFIND" --fail-on-match
same "said" 1 "$(grep -c . err)"
runs 1 "$SIMFIND" --fail-on-match --between "$files" elsewhere:/no/such/place
said "the index has no files at or below elsewhere:/no/such/place"
runs 1 "$SIMFIND" --between "$files" nobody:
said "the index has no files at or below nobody:/"
runs 2 "$SIMFIND" --fail-on-match /no/such/file
runs 3 "$SIMFIND" --fail-on-match --group -q
same "said" "" "$(cat err)"
# Quiet as grep is: nothing but errors and the status, and the first match ends the search.
for words in '' --group --format=csv '-o -'; do
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMFIND" -q $words
	same "what $words -q shows" "" "$(cat out err)"
done
runs 3 "$SIMFIND" -q --fail-on-match
same "what -q shows of a match" "" "$(cat out err)"
for words in "--fail-on-match $files/a.txt:3" :2; do
	# shellcheck disable=SC2086  # are several words
	runs "${words##*:}" "$SIMFIND" -q ${words%:*} /no/such/file
	same "what -q shows of an error" "simfind: /no/such/file: No such file or directory" "$(cat out err)"
done
runs 0 "$SIMFIND" -q -o pairs
[ -s pairs ] || fail "-q wrote no list to the file that --output names"
# A list without a summary, for a program that reads both streams.
runs 0 "$SIMFIND" --summary=none
cmp out pairs || fail "--summary=none changes the list"
same "what --summary=none says" "" "$(cat err)"
for words in --directories --order; do
	runs 0 "$SIMFIND" $words --summary=none
	same "what $words --summary=none says" "" "$(cat err)"
	[ -s out ] || [ $words = --directories ] || fail "$words --summary=none lists nothing"
done
runs 0 "$SIMHASH" --summary=none "$files"
same "output of simhash --summary=none" "" "$(cat out err)"
