#!/usr/bin/env bash
# Tests that the programs leave no traces on what they read: access times do not change, also where
# the system may refuse this, and the page cache has the same files as before.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != mounted ]; then
	in_own_mounts "$0" mounted
	exit
fi

# ---- Access times ----
mount -t tmpfs -o strictatime none "$files"
mkdir "$files/a" "$files/b"
random_bytes 300000 1 >"$files/a/1"
cp "$files/a/1" "$files/b/1"
random_bytes 5000 2 >"$files/a/2"
(cd "$files" && cp a/2 b/2 && tar cf archive.tar a && gzip -c a/2 >b/2.gz)
find "$files" -exec touch -a -d '2020-01-01' {} +
access_times() {
	find "$files" "$@" -printf '%p %A@\n' | LC_ALL=C sort
}
# find reads the directories, so their times are set again after each look
before=$(access_times -type f)
look() {
	same "access times after $1" "$before" "$(access_times -type f)"
	find "$files" -type d -exec touch -a -d '2020-01-01' {} +
}
directories() {
	stat -c '%n %X' "$files" "$files/a" "$files/b"
}
find "$files" -type d -exec touch -a -d '2020-01-01' {} +
directories=$(directories)
runs 0 "$SIMHASH" -q "$files"
same "directories" "$directories" "$(directories)"
look simhash
if built_with archives; then
	runs 0 "$SIMHASH" -q -z "$files"
	look "simhash -z"
fi
runs 0 "$SIMFIND" --verify=all
look "simfind --verify"
runs 0 "$SIMFIND" "$files/a/1"
look "simfind FILE"
runs 0 "$SIMKEEP" --keep=oldest
look simkeep
runs 0 "$SIMKEEP" --keep=oldest --action=hardlink --yes --journal="$TEST_FOLDER/journal"
same "access time of a kept file" 1577836800 "$(stat -c %X "$files/a/1")"
cat "$files/a/1" >/dev/null
[ "$(stat -c %X "$files/a/1")" != 1577836800 ] || fail "this file system keeps access times anyway"

# ---- Files of other users, whose access times only they and root may keep ----
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	copy_for_user "$SIMHASH"
	chmod a+rx "$files" "$files/a"
	chmod a+r "$files/a/1"
	as_user "$TEST_FOLDER/bin/simhash" --print "$files/a/1" >"$TEST_FOLDER/other"
	"$SIMHASH" --print "$files/a/1" | cmp - "$TEST_FOLDER/other"
	chmod a+r "$files/a/2"
	mkdir -m 777 "$TEST_FOLDER/of_user"
	runs 0 as_user "$TEST_FOLDER/bin/simhash" -q -d "sqlite:$TEST_FOLDER/of_user/index.db" "$files/a"
else
	not_tested "files of another user"
fi

# ---- The page cache ----
disk=$TEST_FOLDER/disk
new_file_system ext4 "$disk"
for i in 1 2 3 4; do
	random_bytes 30000 "$i" >"$disk/small.$i"
	random_bytes 3000000 "$i" >"$disk/large.$i"
done
random_bytes 20000000 5 >"$disk/shared.1" # several threads read it
tar cf "$disk/archive.tar" -C "$disk" small.1 small.2
# forget: nothing is in the page cache except the files that end in 2
forget() {
	sync -f "$disk"
	find "$disk" -type f -exec dd of={} oflag=nocache conv=notrunc count=0 status=none \;
	cat "$disk"/*.2 >"$TEST_FOLDER/read"
}
cached() {
	find "$disk" -type f -exec fincore -nro PAGES,FILE {} + | sed 's#/.*/##' | sort -k 2
}
forget
before=$(cached)
same "uncached" 0 "$(grep small.1 <<<"$before" | cut -d ' ' -f 1)"
same "cached" 8 "$(grep small.2 <<<"$before" | cut -d ' ' -f 1)"
for options in "" "--hash=md5 -j1" "-z"; do
	[ "$options" != -z ] || built_with archives || continue
	[ "$options" != "--hash=md5 -j1" ] || built_with hashes || continue
	forget
	# shellcheck disable=SC2086  # several options
	runs 0 "$SIMHASH" -q --force $options "$disk"
	same "the cache after simhash $options" "$before" "$(cached)"
done
umount "$disk"
