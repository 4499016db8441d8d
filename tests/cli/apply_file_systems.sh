#!/usr/bin/env bash
# Copies on another file system: no link is made to them, none is moved, and each is told with the reason; but it can
# be deleted, and made again.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# Another one where this process may write: memory, or where this was built.
for folder in /dev/shm /run /var/tmp "$BINARY_DIR" "$PWD"; do
	[ -d "$folder" ] && [ -w "$folder" ] || continue
	[ "$(stat -c %d "$folder")" = "$(stat -c %d "$PWD")" ] || break
done
[ "$folder" != "$PWD" ] || fail "there is no other file system here, such as /dev/shm"
far=$(mktemp -d "$folder/simhash-test.XXXXXX")
trap 'rm -rf "$far"' EXIT
mkdir moved

make_files() {
	rm -rf "${files:?}"/* "${far:?}"/* journal
	mkdir "$far/moved"
	seq 2000 >"$files/a"
	cp "$files/a" "$files/b"
	cp "$files/a" "$far/c"
	touch -d 2020-01-01 "$files"/* "$far/c"
	reset
	runs 0 "$SIMHASH" -q "$files" "$far"
}

tree() {
	find "$files" "$far" -type f -printf '%p %i %n %m %T@ ' -exec cksum {} \; | LC_ALL=C sort
}
make_files
before=$(tree)

# left ACTION REASON: c alone is left, with the reason, by the plan and by the act; the other copy is not
left() {
	runs 2 "$SIMFIND" --keep=in:"$files" --action="$1"
	said "$far/c: left alone: $2"
	said "; left 1 alone; nothing has been changed"
	runs 2 "$SIMFIND" -q --keep=in:"$files" --action="$1" --yes --journal=journal
	said "$far/c: left alone: $2"
	same "acts upon it" 0 "$(grep -c "$far/c" journal || true)"
	[ -e "$far/c" ] || fail "$1: it is gone"
}

left hardlink "it is on another file system than the file that is kept"
same "names of the others" 2 "$(stat -c %h "$files/b")"
make_files
left "move:$TEST_FOLDER/moved" "it is on another file system than the directory to move to"
[ -e "moved$files/b" ] || fail "b was not moved"
make_files
runs 2 "$SIMFIND" --keep=in:"$files" --action=reflink
said "$far/c: left alone: it is on another file system than the file that is kept"
runs 2 "$SIMFIND" -q --keep=in:"$files" --action="move:$far/moved"
said "$files/b: left alone: it is on another file system than the directory to move to"
same "others that are left" 1 "$(grep -c 'left alone' err)"

# A script has the command that can be done, and says why there is no other.
make_files
runs 0 "$SIMFIND" -q --keep=in:"$files" --script=todo.sh
same "what the script has of it" "# no hardlink: it is on another file system than the file that is kept
# no reflink: it is on another file system than the file that is kept
#delete '$files/a' '$far/c'" "$(sed -n "/^# no /p; \|$far/c|p" todo.sh)"

# Bytes can be compared across file systems, so it can be deleted.
before=$(tree | sed 's/ [0-9]* / /')
runs 0 "$SIMFIND" -q --keep=in:"$files" --action=delete --yes --journal=journal
same "files left" "$files/a" "$(find "$files" "$far" -type f)"
runs 0 "$SIMFIND" -q --undo=journal --yes
same "the tree" "$before" "$(tree | sed 's/ [0-9]* / /')"
