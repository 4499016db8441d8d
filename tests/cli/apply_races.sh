#!/usr/bin/env bash
# Tests actions of other programs while simkeep acts on copies or undoes this: at no moment is a
# written change lost, and a signal leaves nothing incomplete. $KILLER is the library of
# act/killer.c.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"

# ---- 10,000 races: act/races.c ----
if [ "${1:-}" = mounted ]; then
	total=0
	for kind in tmpfs ext4 xfs btrfs; do
		new_file_system "$kind" "disk/$kind"
		mkdir "disk/$kind/files"
		options=(every=6)
		[ "$kind" != tmpfs ] || options=(no-times mounts)
		number=$("$RACES" "disk/$kind/files" "${options[@]}") || fail "on $kind"
		total=$((total + number))
		umount "disk/$kind"
	done
	[ "$total" -ge 10000 ] || fail "only $total races"
	exit
fi
echo "What others do at each step, on several file systems"
in_own_mounts "$0" mounted

make_files() {
	rm -rf "${files:?}"/* "$files"/.simkeep-* journal
	seq 5000 >"$files/kept"
	cp -p "$files/kept" "$files/copy"
	reset
	runs 0 "$SIMHASH" -q "$files"
}

# between N COMMAND ARGUMENTS...: run simkeep, and run the command before its Nth call that changes
# something
between() {
	local number=$1 command=$2
	shift 2
	status=0
	LD_PRELOAD=$KILLER KILL_BEFORE=$number KILL_BY=$command "$SIMKEEP" "$@" >out 2>err || status=$?
}

has_content() { seq 5000 | cmp -s - "$1"; }
nothing_lost() {
	local name
	grep -rqs 'saved meanwhile' "$files" || fail "$1: saved changes are lost"
	for name in "$files"/* "$files"/.simkeep-*; do
		[ ! -e "$name" ] || ! has_content "$name" || return 0
	done
	fail "$1: the content is lost"
}
act=(-q --keep=match:kept --yes --journal=journal)

echo "An editor saves the copy meanwhile"
save="echo saved meanwhile >'$files/new' && mv '$files/new' '$files/copy' && : >'$TEST_FOLDER/was_run'"
for action in hardlink delete; do
	for ((number = 1; ; number++)); do
		make_files
		rm -f was_run
		between "$number" "$save" "${act[@]}" --action=$action
		[ -e was_run ] || break
		nothing_lost "$action, call $number"
	done
	[ "$number" -gt 4 ] || fail "$action: $number calls"
	for ((number = 1; ; number++)); do
		make_files
		rm -f was_run
		runs 0 "$SIMKEEP" "${act[@]}" --action=$action
		between "$number" "$save" -q --undo=journal --yes
		[ -e was_run ] || break
		nothing_lost "undoing $action, call $number"
	done
	[ "$number" -gt 2 ] || fail "undoing $action: $number calls"
done

echo "Waits for the disk"
rm -rf "${files:?}"/*
python3 -c 'import sys
for i in range(1000):
    for name in "ab":
        with open(f"{sys.argv[1]}/{name}{i}", "w") as out:
            print("content", i, file=out)' "$files"
reset
runs 0 "$SIMHASH" -q "$files"
for action in delete hardlink; do
	rm -f waits journal
	runs 0 env LD_PRELOAD="$KILLER" NOTE_WAITS="$PWD/waits" "$SIMKEEP" -q --keep=match:'a*' --action=$action --yes --journal=journal
	same "acts" 1000 "$(grep -c '"state":"done"' journal)"
	[ "$(stat -c %s waits)" -le 40 ] || fail "$(stat -c %s waits) waits for 1,000 acts"
	runs 0 "$SIMKEEP" -q --undo=journal --yes
done

echo "A signal"
for action in hardlink delete; do
	for ((number = 1; ; number++)); do
		make_files
		rm -f was_run
		between "$number" "kill -TERM \$PPID && : >'$TEST_FOLDER/was_run'" "${act[@]}" --action=$action
		[ -e was_run ] || break
		[ "$status" = 143 ] || fail "$action, call $number: ended with $status"
		same "$action, call $number: temporary files" "" "$(find "$files" -name '.simkeep-*')"
		same "acts begun, and ended" "$(grep -c '"state":"begin"' journal || true)" "$(grep -c '"state":"done"' journal || true)"
	done
done

echo "A kill before the old file was removed, and then other work"
cut_off() {
	make_files
	LD_PRELOAD=$KILLER KILL_BEFORE=$1 "$SIMKEEP" "${act[@]}" --action=hardlink 2>err || true
}
for ((number = 1; ; number++)); do
	cut_off "$number"
	[ ! "$files/copy" -ef "$files/kept" ] || [ -z "$(find "$files" -name '.simkeep-*')" ] || break
	[ "$number" -lt 20 ] || fail "no kill comes at that moment"
done
# The temporary file that the killed act left is neither kept as one of the copies nor removed as a copy.
runs 0 "$SIMHASH" -q "$files"
runs 2 "$SIMKEEP" --keep=longest-name --action=delete
said ".simkeep-"
said "left alone: an interrupted act left it; see --undo"
same "deleted files" "" "$(grep '^delete' out || true)"
echo "saved meanwhile" >"$files/copy"
rm "$files/kept"
runs 2 "$SIMKEEP" --undo=journal --yes
said "left alone: another file has its name now"
nothing_lost "undoing"
# With another name of the written file, undo is not blocked.
cut_off "$number"
echo "saved meanwhile" >"$files/kept"
runs 0 "$SIMKEEP" --undo=journal --yes
nothing_lost "undoing"
has_content "$files/copy" || fail "the copy is not restored"
same "the kept file" "saved meanwhile" "$(cat "$files/kept")"
same "temporary files" "" "$(find "$files" -name '.simkeep-*')"

echo "Another name that is protected"
make_files
mkdir protected "$files/q"
mv "$files/kept" "$files/q/kept"
ln "$files/q/kept" protected/name
runs 0 "$SIMHASH" -q "$files"
runs 2 "$SIMKEEP" --keep=match:kept --action=hardlink --protect=protected --yes --journal=journal
said "left alone: the kept file has another name, which is protected"
[ ! "$files/copy" -ef protected/name ] || fail "a hard link to a protected file"
# Unprotected names do not block a link, and neither do names that were made earlier.
rm journal protected/name
for number in 1 2 3; do
	cp -p "$files/copy" "$files/copy.$number"
done
ln "$files/q/kept" "$files/other"
runs 0 "$SIMHASH" -q "$files"
runs 0 "$SIMKEEP" --keep=match:kept --action=hardlink --protect=protected --yes --journal=journal
same "names" 6 "$(stat -c %h "$files/q/kept")"
