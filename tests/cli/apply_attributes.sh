#!/usr/bin/env bash
# Extended attributes of copies: hard links are made only where they are the same, a move keeps them, and undoing
# gives back those that both files had, and tells of the others.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# give FOLDER: a line "FILE NAME=VALUE..." of standard input for each file in it
give() {
	python3 -c 'import os, sys
for line in sys.stdin:
    name, *attributes = line.split()
    for attribute in attributes:
        os.setxattr(os.path.join(sys.argv[1], name), *attribute.encode().split(b"="))' "$1"
}

# shown FOLDER: such lines of the copies that are there
shown() {
	python3 -c 'import os, sys
for name in sys.argv[2:]:
    path = os.path.join(sys.argv[1], name)
    found = os.listxattr(path)
    print(name, *sorted(f"{key}={os.getxattr(path, key).decode()}" for key in found if key.startswith("user.")))' "$1" $copies
}
copies="same value name more fewer none"

# Where files can have some: here, or in memory.
shm=$(mktemp -d /dev/shm/simhash-test.XXXXXX)
trap 'rm -rf "$shm"' EXIT
for folder in "$files" "$shm"; do
	: >"$folder/probe"
	if echo "probe user.probe=1" | give "$folder" 2>refused; then
		files=$folder/tree
		break
	fi
done
[ ! -s refused ] || fail "no file here can have extended attributes: $(tail -n 1 refused)"

# Of the copies, one has the attributes of the file that is kept; the others differ, each in another way.
before="same user.one=1 user.two=2
value user.one=1 user.two=3
name user.one=1 user.three=2
more user.one=1 user.three=3 user.two=2
fewer user.one=1
none"
make_files() {
	rm -rf "$files" journal
	mkdir -p "$files/a"
	local name
	seq 2000 >"$files/a/kept"
	for name in $copies; do
		cp "$files/a/kept" "$files/$name"
	done
	printf '%s\n' "a/kept user.two=2 user.one=1" "$before" | give "$files"
	reset
	runs 0 "$SIMHASH" -q "$files"
}

# ---- Hard links: one file has one list of them, so both have to have the same ----
make_files
for yes in "" "--yes --journal=journal"; do
	# shellcheck disable=SC2086  # options
	runs 2 "$SIMFIND" --keep=in:"$files/a" --action=hardlink $yes
	for name in value name more fewer none; do
		said "$files/$name: left alone: its extended attributes are not those of the file that is kept"
	done
	said " 1 file by hard links"
done
[ "$files/same" -ef "$files/a/kept" ] || fail "no hard link"
same "files that have become links" 1 "$(find "$files" -maxdepth 1 -type f -links +1 | wc -l)"
runs 0 "$SIMFIND" --undo=journal --yes
[ ! "$files/same" -ef "$files/a/kept" ] || fail "still a hard link"
same "attributes after undoing" "$before" "$(shown "$files")"
same "what is said of them" 0 "$(grep -c 'attributes' err || true)"

# ---- Deleted files: made again from what is kept ----
make_files
runs 0 "$SIMFIND" --keep=in:"$files/a" --action=delete --yes --journal=journal
same "files left" "a/kept" "$(cd "$files" && find . -type f | sed 's|^\./||')"
same "acts on files with the same attributes" 1 "$(grep -c '"same_attributes":true' journal)"
same "acts on files with others" 5 "$(grep -c '"same_attributes":false' journal)"
runs 0 "$SIMFIND" --undo=journal --yes
same "attributes after undoing" "$(echo "$before" | sed '2,$s/ .*//')" "$(shown "$files")"
for name in value name more fewer none; do
	said "$files/$name: restored without its extended attributes"
done
same "files that lost some" 5 "$(grep -c 'attributes' err)"

# ---- Moves: a file keeps what it has, there and back ----
make_files
mkdir "${files%/*}/moved"
runs 0 "$SIMFIND" --keep=in:"$files/a" --action="move:${files%/*}/moved" --yes --journal=journal
same "attributes of what was moved" "$before" "$(shown "${files%/*}/moved$files")"
runs 0 "$SIMFIND" --undo=journal --yes
same "attributes after undoing" "$before" "$(shown "$files")"
same "what is said of them" 0 "$(grep -c 'attributes' err || true)"
