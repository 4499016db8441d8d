#!/usr/bin/env bash
# Tests images of disks. Other programs make the file systems: mkfs.ext4, mtools and ntfs-3g.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/sbin:/usr/sbin
for program in mkfs.ext4 debugfs mformat mkntfs ntfscp; do
	command -v "$program" >/dev/null || skip "no program $program"
done
make() {
	python3 "$SOURCE_DIR/tests/cli/images.py" "$@"
}
# members IMAGE: the names of its files
members() {
	sql "SELECT path FROM file_text" | sed -n "s|^$files/$1//||p" | LC_ALL=C sort
}
# prefixed PREFIX FILE: the lines of a file behind a prefix
prefixed() {
	sed "s|^|$1|" "$2"
}
# same_bytes IMAGE PREFIX: each of its files has the bytes of the file with this name on disk
same_bytes() {
	sql "SELECT count(*) FROM file_text m JOIN file_text f ON m.path = '$files/$1//$2' || substr(f.path, length('$tree') + 2)
		WHERE f.path LIKE '$tree/%' AND f.path NOT LIKE '%.tar//%' AND f.content_hash = m.content_hash AND f.size = m.size"
}

tree=$TEST_FOLDER/tree
mkdir -p "$tree/home/sub" "$tree/(deleted)"
seq 3000 >"$tree/a.txt"
seq 5000 90000 >"$tree/b.txt"
seq 100 400 >"$tree/home/long name with spaces and ünicode.txt"
seq 200 600 >"$tree/home/sub/d.txt"
seq 500 >"$tree/(deleted)/a.txt"
truncate -s 3000000 "$tree/hole"
echo end >>"$tree/hole"
: >"$tree/empty"
tar -C "$tree" -cf "$tree/home/t.tar" a.txt
(cd "$tree" && find . -type f | sed 's|^\./||'; echo home/t.tar//a.txt) | LC_ALL=C sort >names
count=$(grep -cv // names)

# Images of file systems; deleted files are in fat.img. Files with the bytes of b.txt are first on
# the disk, so later files do not take the room of deleted ones.
fat() {
	MTOOLS_SKIP_CHECK=1 "$@"
}
mkfs.ext4 -q -d "$tree" "$files/ext.img" 8M >err 2>&1 || fail "$(cat err)"
fat mformat -C -T 32768 -i "$files/fat.img" ::
fat mcopy -s -i "$files/fat.img" "$tree"/* ::/
truncate -s 8M "$files/ntfs.img"
mkntfs -F -Q -q "$files/ntfs.img" >out 2>&1 || fail "$(cat out)"
for name in a.txt b.txt; do
	ntfscp -f -q "$files/ntfs.img" "$tree/$name" "/$name"
done
ntfscp -f -q -N stream "$files/ntfs.img" "$tree/a.txt" /b.txt
make tables "$files"

# All files are found, with their bytes and below their partition.
runs 2 "$SIMHASH" -z "$files" "$tree"
damaged="Damaged archive, or unknown kind of archive: the part read before is indexed"
for image in cut long beyond; do
	said "$files/$image.img: $damaged"
done
same "failures" 3 "$(grep -c "^simhash: .*$damaged" err)"
said "$files/locked.img: Encrypted, so its content is not indexed"
said "$files/other.img: Has volumes without a known file system, whose files are not indexed"
same "messages" 5 "$(grep -c '^simhash: ' err)"
for image in ext fat; do
	members $image.img | diff names - || fail "other members of $image.img"
	same "files of $image.img" "$count" "$(same_bytes $image.img '')"
done
{ prefixed p1/ names && prefixed p2/ names && prefixed p5/ names && prefixed p6/ names; } | LC_ALL=C sort >expected
members mbr.img | diff expected - || fail "other members of mbr.img"
for part in p1 p2 p5 p6; do
	same "files of $part" "$count" "$(same_bytes mbr.img $part/)"
done
{ prefixed p1/ names && prefixed p5/ names; } | LC_ALL=C sort >expected
members gpt.img | diff expected - || fail "other members of gpt.img"
for image in loop locked other; do
	same "files of $image.img" "$count" "$(same_bytes $image.img p1/)"
done
same "files in NTFS" "a.txt b.txt" "$(members ntfs.img | paste -sd ' ')"
same "bytes in NTFS" 2 "$(same_bytes ntfs.img '')"
runs 0 "$SIMFIND" --only=copies "$tree/home/sub/d.txt" --summary=none
[ "$(grep -cE '/(ext|fat|mbr|gpt|loop|locked|other).img//(p[1256]/)?home/sub/d.txt' out)" = 12 ] || fail "other copies of a file on disk: $(cat out)"
runs 0 "$SIMFIND" --verify=all --only=copies --group=none --summary=none
same "problems when files are read again" '' "$(cat err)"
[ "$(grep -c 'img//.*a.txt' out)" -ge 10 ] || fail "no copies after reading again"
runs 0 "$SIMHASH" --print --decompress=disk "$files/ext.img"
grep -q 'ext.img//home/t.tar$' out || fail "no member is printed"
! grep -q 'home/t.tar//a.txt' out || fail "tar was not requested"
reset

# A deleted file has its own folder, whose name no allocated file can have. If its bytes are lost, it
# is no file.
rm "$files"/*
cp "$tree/a.txt" "$tree/gone.txt"
seq 80000 >"$tree/lost.txt"
mkfs.ext4 -q -d "$tree" "$files/ext.img" 8M >err 2>&1 || fail "$(cat err)"
for name in gone.txt home/sub/d.txt; do
	debugfs -w -R "rm $name" "$files/ext.img" 2>err
done
fat mformat -C -T 8192 -i "$files/fat.img" ::
fat mcopy -i "$files/fat.img" "$tree/gone.txt" ::/xone.txt
fat mcopy -i "$files/fat.img" "$tree/lost.txt" ::/yone.txt
fat mcopy -i "$files/fat.img" "$tree/a.txt" ::/
fat mcopy -s -i "$files/fat.img" "$tree/home" ::/home
fat mdel -i "$files/fat.img" ::/xone.txt ::/yone.txt
fat mdeltree -i "$files/fat.img" ::/home
cp "$files/fat.img" "$files/full.img"
truncate -s 4000000 zeros
fat mcopy -i "$files/full.img" zeros ::/
runs 0 "$SIMHASH" -z "$files" "$tree"
same "files that were not deleted in ext4" "(deleted)/a.txt a.txt b.txt empty hole home/long name with spaces and ünicode.txt home/t.tar home/t.tar//a.txt lost.txt" \
	"$(members ext.img | grep -v '^((del' | paste -sd ' ')"
same "deleted files in ext4" "((deleted)/gone.txt ((deleted)/home/sub/d.txt" "$(members ext.img | grep '^((del' | paste -sd ' ')"
same "files that were not deleted in FAT" a.txt "$(members fat.img | grep -v '^(deleted')"
members fat.img | sed -n 's/^(deleted \([0-9]*\)).*/\1/p' >number
same "deleted files in FAT" "(deleted $(cat number))/_one.txt (deleted)/_ome/_.tar (deleted)/_ome/_.tar//a.txt (deleted)/_ome/_ub/_.txt (deleted)/_ome/long name with spaces and ünicode.txt (deleted)/_one.txt" \
	"$(members fat.img | grep '^(deleted' | paste -sd ' ')"
# same_deleted IMAGE NAME FILE: a deleted file has the bytes of a file on disk
same_deleted() {
	sql "SELECT 1 FROM file_text m, file_text f WHERE m.path = '$files/$1//$2' AND f.path = '$tree/$3' AND m.content_hash = f.content_hash" |
		has 1 || fail "$2 in $1 has not the bytes of $3"
}
same_deleted ext.img "((deleted)/gone.txt" gone.txt
same_deleted ext.img "((deleted)/home/sub/d.txt" home/sub/d.txt
same_deleted fat.img "(deleted)/_one.txt" gone.txt
same_deleted fat.img "(deleted $(cat number))/_one.txt" lost.txt
same_deleted fat.img "(deleted)/_ome/_ub/_.txt" home/sub/d.txt
same "files after the clusters of deleted ones were used again" "a.txt zeros" "$(members full.img | paste -sd ' ')"
reset
rm "$tree/gone.txt" "$tree/lost.txt"

# Images that lie end soon, with one line, and their other files are found.
rm "$files"/*
lie() {
	mkfs.ext4 -q -d "$tree" "$files/$1.img" 8M >err 2>&1 || fail "$(cat err)"
	debugfs -w -R "$2" "$files/$1.img" >out 2>&1
}
lie huge 'set_inode_field a.txt size 1152921504606846975'
lie folder 'set_inode_field home size 1152921504606846975'
lie root 'set_inode_field / size 3000000000'
lie circle 'link /home /home/sub/circle'
lie blocks 'set_inode_field a.txt block[4] 4000000000'
within 20 "$SIMHASH" -z "$files" 2>err || true
said "$files/huge.img: Inflates to more than 200 times its size: the part read before is indexed"
for image in folder root; do
	said "$files/$image.img: $damaged"
done
for image in huge folder root circle blocks; do
	[ "$(grep -c "/$image.img" err)" -le 1 ] || fail "several lines for $image.img: $(cat err)"
done
same "files with one that lies about its size" "$(grep -cvx a.txt names)" "$(members huge.img | wc -l)"
same "files with a circle of folders" "$(wc -l <names)" "$(members circle.img | wc -l)"
same "files outside of a folder that lies" "(deleted)/a.txt a.txt" "$(members folder.img | grep 'a.txt' | paste -sd ' ')"
reset

# Other files are no images.
mv "$files/circle.img" ext.img
rm "$files"/*
fat mformat -C -T 8192 -i fat.img ::
make alarms "$TEST_FOLDER"
mv ./*.bin ./*.com "$files"
runs 0 "$SIMHASH" -z "$files"
summary 9 0 0 0

# Images in compressed files and archives; the depth counts.
rm "$files"/*
for name in a.txt home/t.tar; do
	fat mcopy -i fat.img "$tree/$name" ::/
done
gzip -c fat.img >"$files/fat.img.gz"
tar -C "$TEST_FOLDER" -cf "$files/fat.tar" fat.img
runs 0 "$SIMHASH" -z "$files"
same "members of nested images" "fat.img.gz fat.img.gz//fat.img fat.img.gz//fat.img//a.txt fat.img.gz//fat.img//t.tar fat.img.gz//fat.img//t.tar//a.txt fat.tar fat.tar//fat.img fat.tar//fat.img//a.txt fat.tar//fat.img//t.tar fat.tar//fat.img//t.tar//a.txt" \
	"$(sql "SELECT path FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort | paste -sd ' ')"
runs 0 "$SIMFIND" --verify=read --summary=none --group=none --only=copies
same "problems with nested images" '' "$(cat err)"
reset
runs 0 "$SIMHASH" -z --limits=depth=2 "$files"
said "Is inside more archives than --limits=depth=N allows"
same "members with a depth of 2" 2 "$(sql "SELECT count(*) FROM file_text WHERE path LIKE '%fat.img//a.txt'")"
reset

# A decoder that crashes: the part before is indexed.
if built_with sandbox && ! built_with sanitizer; then
	rm "$files"/*
	cp ext.img "$files"
	FAULTY_IMAGE=24 LD_PRELOAD=$FAULTY_ARCHIVE runs 2 "$SIMHASH" -z "$files"
	said "$files/ext.img: Damaged archive: the process that read it crashed; the part read before is indexed"
	same "messages" 1 "$(grep -c '^simhash: ' err)"
	[ "$(members ext.img | wc -l)" -gt 0 ] || fail "no file before the crash"
	reset
fi

# The format of EnCase, also in several files.
built_with ewf || exit 0
command -v ewfacquire >/dev/null || skip "no program ewfacquire"
rm "$files"/*
acquire() {
	ewfacquire -u -q -f encase6 -t "$files/$1" "${@:3}" "$2" >out 2>&1 || fail "$(cat out)"
}
acquire disk fat.img -c best
acquire part ext.img -c none -S 1048576
runs 0 "$SIMHASH" -z "$files" "$tree"
same "members of an E01 image" "a.txt t.tar t.tar//a.txt" "$(members disk.E01 | paste -sd ' ')"
same "bytes of an E01 image" 1 "$(same_bytes disk.E01 '')"
volumes=$(find "$files" -name 'part.E*' | wc -l)
[ "$volumes" -gt 2 ] || fail "only $volumes volumes"
same "volumes" "$volumes" "$(grep -c 'part.E..: One of several volumes of an archive' err)"
runs 0 "$SIMFIND" --verify=all --only=copies --summary=none "$tree/a.txt"
grep -q 'disk.E01//a.txt' out || fail "a.txt is not found in an E01 image"
reset
head -c $(($(stat -c %s "$files/disk.E01") / 2)) "$files/disk.E01" >"$files/cut.E01"
runs 2 "$SIMHASH" -z "$files/cut.E01"
same "messages" 1 "$(grep -c '^simhash: ' err)"
