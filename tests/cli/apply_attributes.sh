#!/usr/bin/env bash
# Tests extended attributes of copies: hard links are made only if the attributes are equal, and a
# move keeps them. Undo restores the attributes that both files had, and names the others. Undo
# restores holes, and gives no right to anybody who did not have it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# give FOLDER: reads a line "FILE NAME=VALUE..." for each file in it from standard input
give() {
	python3 -c 'import os, sys
for line in sys.stdin:
    name, *attributes = line.split()
    for attribute in attributes:
        os.setxattr(os.path.join(sys.argv[1], name), *attribute.encode().split(b"="))' "$1"
}

# shown FOLDER: such lines for the existing copies
shown() {
	python3 -c 'import os, sys
for name in sys.argv[2:]:
    path = os.path.join(sys.argv[1], name)
    found = os.listxattr(path)
    print(name, *sorted(f"{key}={os.getxattr(path, key).decode()}" for key in found if key.startswith("user.")))' "$1" $copies
}
copies="same value name more fewer none"

# A folder where files can have attributes: here, or in memory.
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

# One copy has the same attributes as the kept file; each of the others differs in another way.
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

# ---- Hard links: one file has one list of attributes, so both lists must be equal ----
make_files
for yes in "" "--yes --journal=journal"; do
	# shellcheck disable=SC2086  # options
	runs 2 "$SIMKEEP" --keep=in:"$files/a" --action=hardlink $yes
	for name in value name more fewer none; do
		said "$files/$name: left alone: its extended attributes differ from the kept file"
	done
	said " 1 file by hard links"
done
[ "$files/same" -ef "$files/a/kept" ] || fail "no hard link"
same "files that have become links" 1 "$(find "$files" -maxdepth 1 -type f -links +1 | wc -l)"
runs 0 "$SIMKEEP" --undo=journal --yes
[ ! "$files/same" -ef "$files/a/kept" ] || fail "still a hard link"
same "attributes after undoing" "$before" "$(shown "$files")"
same "messages about them" 0 "$(grep -c 'attributes' err || true)"

# ---- Removed files: restored from the kept file ----
make_files
runs 0 "$SIMKEEP" --keep=in:"$files/a" --action=delete --yes --journal=journal
same "files left" "a/kept" "$(cd "$files" && find . -type f | sed 's|^\./||')"
same "acts on files with the same attributes" 1 "$(grep -c '"same_attributes":true' journal)"
same "acts on files with others" 5 "$(grep -c '"same_attributes":false' journal)"
runs 0 "$SIMKEEP" --undo=journal --yes
same "attributes after undoing" "$(echo "$before" | sed '2,$s/ .*//')" "$(shown "$files")"
for name in value name more fewer none; do
	said "$files/$name: restored without its extended attributes"
done
same "files that lost some" 5 "$(grep -c 'attributes' err)"

# ---- Moves: a file keeps its attributes in both directions ----
make_files
mkdir "${files%/*}/moved"
runs 0 "$SIMKEEP" --keep=in:"$files/a" --action="move:${files%/*}/moved" --yes --journal=journal
same "attributes of moved files" "$before" "$(shown "${files%/*}/moved$files")"
runs 0 "$SIMKEEP" --undo=journal --yes
same "attributes after undoing" "$before" "$(shown "$files")"
same "messages about them" 0 "$(grep -c 'attributes' err || true)"

# ---- Permissions: no other user gets the permissions of the old owner or group ----
chmod 755 .
mkdir rights
[ "$(id -u)" != 0 ] || chown 65534:65534 rights
chmod 777 rights
user=$(as_user id -u) group=$(as_user id -g)

# undone MODE OWNER GROUP: prints "mode, uid is the user's, gid is the user's" of a copy with these
# values, undone by the user
undone() {
	rm -rf rights/* journal
	seq 3000 >rights/kept
	cp rights/kept rights/copy
	chmod 644 rights/kept
	chmod "$1" rights/copy
	reset
	runs 0 "$SIMHASH" -q rights
	runs 0 "$SIMKEEP" -q --keep=match:kept --action=delete --yes --journal=journal
	sed -i "s/\(\"file\":{[^}]*\"owner\":\)[0-9]*,\"group\":[0-9]*/\1$2,\"group\":$3/" journal
	chmod 644 journal
	runs 0 as_user "$SIMKEEP" --undo="$PWD/journal" --yes
	cp err said
	stat -c %a rights/copy
	# It is restored as far as possible.
	runs 0 as_user "$SIMKEEP" --undo="$PWD/journal" --yes
	grep -q '^restored 0 files$' err || fail "mode $1 again: $(cat err)"
	cp said err
}
while read -r mode owner group expected; do
	same "mode $mode of $owner:$group" "$expected" "$(undone "$mode" "$owner" "$group")"
done <<END
4755 1 1 755
4755 1 $group 755
4755 $user $group 4755
2755 1 1 755
2755 $user 1 755
6711 1 1 711
6711 $user $group 6711
660 $user 1 600
664 $user 1 644
674 $user 1 644
660 1 $group 660
1604 1 1 1604
END
undone 4750 1 1 >/dev/null
said "rights/copy: restored with another owner or group, and so with fewer permissions"
undone 755 1 1 >/dev/null
said "rights/copy: restored with another owner or group"
# An access list gives permissions, and so does a capability: both are restored only with the owner.
acl() {
	python3 - "$@" <<'PYTHON'
import os, struct, sys
entries = [(1, 6, 2**32 - 1), (2, 7, 7), (4, 4, 2**32 - 1), (16, 7, 2**32 - 1), (32, 4, 2**32 - 1)]
for path in sys.argv[1:]:
    os.setxattr(path, "system.posix_acl_access", struct.pack("<L", 2) + b"".join(struct.pack("<HHL", *e) for e in entries))
PYTHON
}
for who in 1 "$user"; do
	rm -rf rights/* journal
	seq 3000 >rights/kept
	cp rights/kept rights/copy
	[ "$(id -u)" != 0 ] || chown 65534:65534 rights/*
	acl rights/kept rights/copy
	reset
	runs 0 "$SIMHASH" -q rights
	runs 0 "$SIMKEEP" -q --keep=match:kept --action=delete --yes --journal=journal
	sed -i "s/\"owner\":[0-9]*,/\"owner\":$who,/g" journal
	chmod 644 journal
	runs 0 as_user "$SIMKEEP" --undo="$PWD/journal" --yes
	found=$(python3 -c 'import os; print(int("system.posix_acl_access" in os.listxattr("rights/copy")))')
	same "access lists for owner $who" "$([ "$who" = 1 ] && echo 0 || echo 1)" "$found"
	[ "$who" != 1 ] || said "not all of its extended attributes are restored"
done

# Only root can set a capability, and create files of another user.
if [ "$(id -u)" = 0 ]; then
	capability() { # 1 if the copy has one
		python3 -c 'import os; print(int("security.capability" in os.listxattr("rights/copy")))'
	}
	for undoes in as_user env; do # a user who may not set it, and root
		rm -rf rights/* journal
		seq 3000 >rights/kept
		cp rights/kept rights/copy
		python3 -c 'import os
for name in ("kept", "copy"):
    os.setxattr("rights/" + name, "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))'
		same "capabilities before" 1 "$(capability)"
		reset
		runs 0 "$SIMHASH" -q rights
		runs 0 "$SIMKEEP" -q --keep=match:kept --action=delete --yes --journal=journal
		chmod 644 journal
		runs 0 $undoes "$SIMKEEP" --undo="$PWD/journal" --yes
		same "capabilities that $undoes has restored" "$([ $undoes = env ] && echo 1 || echo 0)" "$(capability)"
	done
	# In a sticky directory of another user, only the owner can remove a file.
	chmod 1777 rights
	chown root rights
	rm -rf rights/* journal
	for name in kept theirs own; do
		seq 3000 >rights/$name
	done
	chown "$user" rights/own
	reset
	runs 0 "$SIMHASH" -q rights
	chmod -R a+rX "$(dirname "$PWD/index.db")"
	for action in delete hardlink; do
		runs 2 as_user "$SIMKEEP" --keep=match:kept --action=$action --yes --journal="$PWD/rights/.journal"
		said "/rights/theirs: left alone: its directory lets only the owner of a file remove it"
		rm -f rights/.journal
		same "files after $action" "kept theirs" "$(find rights -type f -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"
	done
	chmod 777 rights
fi

# ---- Holes become holes again and use no space ----
megabytes() {
	echo $(($(stat -c '%b * %B' "$1") >> 20))
}
mkdir holes
truncate -s 64M holes/kept
printf start | dd of=holes/kept conv=notrunc status=none
seq 3000 | dd of=holes/kept bs=1M seek=32 conv=notrunc status=none
for name in middle linked; do
	cp --sparse=always holes/kept holes/$name
done
printf end >>holes/kept
cp --sparse=always holes/kept holes/end
cp --sparse=always holes/kept holes/end.kept
truncate -s 64M holes/kept
touch -d 2020-01-01 holes/*
find holes -type f -exec cksum {} + | LC_ALL=C sort >expected
[ "$(megabytes holes/kept)" = 0 ] || fail "no file here can have holes"
for action in delete hardlink; do
	reset
	runs 0 "$SIMHASH" -q holes
	rm -f journal
	runs 0 "$SIMKEEP" -q --keep=match:*kept --action=$action --yes --journal=journal
	runs 0 "$SIMKEEP" --undo=journal
	grep -q '^would restore 3 files; this would take [0-9.]* kB; nothing has been changed$' err || fail "$(cat err)"
	runs 0 "$SIMKEEP" --undo=journal --yes
	grep -q '^restored 3 files; this takes [0-9.]* kB$' err || fail "$(cat err)"
	find holes -type f -exec cksum {} + | LC_ALL=C sort | cmp expected - || fail "other content"
	for name in middle linked end; do
		same "megabytes of $name after undoing $action" 0 "$(megabytes holes/$name)"
	done
done

# ---- If names can be added but not removed, no name is left, and the reason is given ----
lock_tree() {
	rm -rf journal
	mkdir -p locked/a
	seq 3000 >locked/a/kept
	cp -p locked/a/kept locked/copy
	cp -p locked/a/kept locked/copy.2
	reset
	runs 0 "$SIMHASH" -q locked
}
# spared REASON: acts and undo change nothing and give the reason
spared() {
	local action how
	for action in delete hardlink; do
		for how in A=1 "LD_PRELOAD=$KILLER NO_EXCHANGE=1"; do
			rm -f journal.refused
			# shellcheck disable=SC2086  # several variables
			runs 2 env $how "$SIMKEEP" --keep=match:kept --action=$action --yes --journal=journal.refused
			said "/locked/copy: left alone: $1"
			same "names" "a copy copy.2" "$(find locked -maxdepth 1 -mindepth 1 -printf '%f\n' | sort | paste -sd ' ')"
			same "links" 1 "$(stat -c %h locked/a/kept)"
		done
	done
}
attribute() {
	if [ "$(id -u)" = 0 ]; then chattr "$@"; else sudo -n chattr "$@"; fi
}
lock_tree
if attribute +a locked 2>why; then
	trap 'attribute -a -i locked; rm -rf "$shm"' EXIT
	spared "its directory is append-only, so its names cannot be removed; see chattr(1)"
	attribute -a locked
	attribute +i locked
	spared "its directory is immutable, so its names cannot be removed; see chattr(1)"
	attribute -i locked
	attribute +i locked/copy locked/copy.2
	spared "it is immutable; see chattr(1)"
	attribute -i locked/copy locked/copy.2
	# The same for undo, of an act that was completed and of an act that left a name.
	named=0
	for action in delete hardlink; do
		for kill in 0 4 5 6 7; do
			rm -rf locked
			lock_tree
			LD_PRELOAD=$KILLER NO_EXCHANGE=1 KILL_BEFORE=$kill "$SIMKEEP" -q --keep=match:kept --action=$action --yes --journal=journal 2>err || true
			before=$(find locked -printf '%p %i\n' | sort)
			runs 0 "$SIMKEEP" --undo=journal
			[ -s out ] || continue
			attribute +a locked
			runs 2 "$SIMKEEP" --undo=journal --yes
			said "its directory is append-only, so its names cannot be removed; see chattr(1)"
			named=$((named + $(grep -c "/copy[.2]*: left alone: an interrupted run left a second name, '.simkeep-[0-9a-f]*', and its directory" err || true)))
			same "the tree" "$before" "$(find locked -printf '%p %i\n' | sort)"
			attribute -a locked
			runs 0 "$SIMKEEP" --undo=journal --yes
			same "names" "a copy copy.2" "$(find locked -maxdepth 1 -mindepth 1 -printf '%f\n' | sort | paste -sd ' ')"
		done
	done
	[ "$named" -gt 0 ] || [ -z "$KILLER" ] || fail "no name that a kill left was named"
else
	not_tested "no file here can be append-only: $(tail -n 1 why)"
fi
as_root_too "$0"
