#!/usr/bin/env bash
# Tests members of archives, text of documents and content of compressed files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make() {
	python3 "$SOURCE_DIR/tests/cli/containers.py" "$@"
}
rows() {
	sql "SELECT path FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort
}

# Next versions are found inside archives, and unrelated files are not.
make pairs "$files"
runs 0 "$SIMHASH" -z "$files"
runs 0 "$SIMFIND" --group=none
read -r same strangers < <(make found "$files" <out)
[ "$same" -ge 95 ] || fail "only $same of 100 pairs are found"
same "strangers" 0 "$strangers"
runs 0 "$SIMFIND" -z "$files/new/0.docx"
grep -q "new/0.docx//word/document.xml  .*old/0.docx//word/document.xml" out || fail "0.docx is not found: $(cat out)"
runs 0 "$SIMFIND" --verify=all "$files/new/0.docx" -z
same "verified" '' "$(cat err | grep -v '^[0-9,]* pairs' || true)"
runs 0 "$SIMFIND" --verify=read --min-resemblance=0.5
same "read" '' "$(grep -v '^[0-9,]* pairs' err || true)"
runs 0 "$SIMKEEP" --action=script:actions.sh
! grep -q '^#delete.*//' actions.sh || fail "a member is to be deleted"
reset
rm -r "${files:?}"/*

# An index that was made without -z is completed, and nothing is read twice.
make odd "$TEST_FOLDER/odd"
cp "$TEST_FOLDER/odd/names/x.tar.bz2" "$files/x.tbz"
seq 2000 >"$files/a.txt"
seq 3000 >"$files/b.txt"
mkdir "$files/below"
(cd "$files" && python3 -m zipfile -c ab.zip a.txt b.txt && xz -k b.txt && python3 -m zipfile -c below/outer.epub ab.zip)
settle "$files"
runs 0 "$SIMHASH" "$files"
summary 6 0 0 0
runs 0 "$SIMHASH" --decompress=zip "$files"
summary 5 6 0 0
same "members of zip files" "a.txt
ab.zip
ab.zip//a.txt
ab.zip//b.txt
b.txt
b.txt.xz
below/outer.epub
below/outer.epub//ab.zip
below/outer.epub//ab.zip//a.txt
below/outer.epub//ab.zip//b.txt
x.tbz" "$(rows)"
runs 0 "$SIMHASH" -z "$files"
summary 7 6 0 0
# A member in the index is a FILE by its path in a list, from any folder and after its archive was removed.
found() {
	sed 's/^[^/]*//' out | tr -s ' ' '\n' | sed "s|^$files/||" | LC_ALL=C sort -u | paste -sd' '
}
copies="a.txt ab.zip//a.txt below/outer.epub//ab.zip//a.txt"
for member in "$files/ab.zip//a.txt" "ab.zip//a.txt" "below//outer.epub//ab.zip//a.txt"; do
	(cd "$files" && runs 0 "$SIMFIND" --only=copies "$member")
	same "copies of $member" "$copies" "$(found)"
	said "2 pairs (2 identical, 0 similar) for 1 file."
done
mv "$files/ab.zip" moved.zip
runs 0 "$SIMFIND" --only=copies "$files/ab.zip//a.txt"
same "copies of a member of a removed archive" "$copies" "$(found)"
mv moved.zip "$files/ab.zip"
for member in "$files/ab.zip//c.txt" "$files/a.txt//a" "$files/none.zip//a" "$files//none"; do
	runs 2 "$SIMFIND" "$member"
	same "standard error" "simfind: $member: No such file or directory" "$(sed 's/Not a directory/No such file or directory/' err)"
	on_terminal 200 "$SIMFIND" "$member"
	same "lines for a FILE that does not exist" 1 "$(grep -c . screen)"
	runs 2 "$SIMKEEP" "$member"
	same "lines of simkeep for a FILE that does not exist" 1 "$(cat out err | grep -c .)"
done
runs 0 "$SIMKEEP" --keep=oldest "$files/ab.zip//a.txt"
said "would remove 0 files"
rows | has -x 'b.txt.xz//b.txt' || fail "no content of b.txt.xz"
rows | has -x 'x.tbz//in/x.txt' || fail "no member of x.tbz"
runs 0 "$SIMHASH" -z "$files"
summary 0 6 0 0
runs 0 "$SIMHASH" "$files"
summary 0 6 0 0
same "rows" 13 "$(rows | wc -l)"
same "extension" txt "$(sql "SELECT extension FROM file_text WHERE path LIKE '%/ab.zip//a.txt' AND path LIKE '$files/ab%'")"
runs 0 "$SIMFIND" --between "$files/below" "$files"
grep -q "outer.epub//ab.zip//a.txt  $files/a.txt$" out || fail "a member is not found between folders: $(cat out)"

# An unchanged archive that is read again for any reason keeps everything that other runs stored
# about it.
runs 0 "$SIMHASH" -z --hash=md5 --filter=zip:cat "$files"
summary 14 0 0 0
runs 0 "$SIMFIND" --store
rows >before
has -x 'ab.zip//filtered' <before || fail "no row of a filter"
stored=$(sql 'SELECT COUNT(*) FROM grouped_file')
for options in -f --measure=minhash '-z -f' '-z --measure=bottomk' '-f --decompress=tar'; do
	# shellcheck disable=SC2086  # are several words
	runs 0 "$SIMHASH" $options "$files"
	summary 13 0 0 0
	rows | cmp - before || fail "rows after $options: $(rows | diff - before)"
	same "hashes after $options" 14 "$(sql "SELECT COUNT(*) FROM sketched_file WHERE measure = 'md5'")"
	same "stored answers after $options" "$stored" "$(sql 'SELECT COUNT(*) FROM grouped_file')"
done
runs 0 "$SIMHASH" -z --filter=zip:cat "$files"
summary 0 6 0 0

# It also keeps data that this run does not reach: after a limit, a failing filter, or a signal.
reset
mkdir "$TEST_FOLDER/many"
python3 - "$TEST_FOLDER/many/many.zip" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for number in range(2000):
        archive.writestr("member %d" % number, b"%d " % number * 2000)
PYTHON
runs 0 "$SIMHASH" -q -z --filter=zip:cat "$TEST_FOLDER/many"
rows >before
for options in '0 -f -z --limits=inflated=1M' '0 -z --hash=md5 --limits=total=1M' '2 -f --filter=zip:false'; do
	# shellcheck disable=SC2086  # are several words
	runs "${options%% *}" "$SIMHASH" ${options#* } "$TEST_FOLDER/many"
	rows | cmp - before || fail "rows after $options: $(rows | diff - before | head -3)"
done
# A signal at the moment when a sanitizer looks for leaks would stop it for ever.
for seconds in 0.05 0.1 0.2 0.4; do
	ASAN_OPTIONS=detect_leaks=0 timeout -s TERM "$seconds" "$SIMHASH" -q -f -z "$TEST_FOLDER/many" 2>err || true
	rows | cmp - before || fail "rows after a signal: $(rows | diff - before | head -3)"
done
rm -r "$TEST_FOLDER/many"
reset
runs 0 "$SIMHASH" -q -z --filter=zip:cat "$files"

# Changed, moved, removed and forgotten archives: the members follow their archive.
(cd "$files" && python3 -m zipfile -c ab.zip a.txt && touch -d '2020-01-02' ab.zip)
runs 0 "$SIMHASH" -z "$files"
same "members of a changed archive" "ab.zip//a.txt" "$(rows | grep '^ab.zip//')"
grep -q ' 2 removed' err || fail "removed member and filter text: $(cat err)"
mv "$files/ab.zip" "$files/below/moved.zip"
runs 0 "$SIMHASH" -z "$files"
same "members of a moved archive" "below/moved.zip//a.txt" "$(rows | grep -E '^(ab|below/moved).zip//')"
ln "$files/below/moved.zip" "$files/linked.zip"
runs 0 "$SIMHASH" -z "$files"
same "members of a linked archive" "linked.zip//a.txt" "$(rows | grep '^linked.zip//')"
touch -d '2020-01-03' "$files/below/moved.zip"
runs 0 "$SIMHASH" "$files"
same "members of an archive that was touched" "below/moved.zip//a.txt linked.zip//a.txt" \
	"$(rows | grep -E '^(below/moved|linked).zip//' | paste -sd ' ')"

# A run without -z continues to look inside the archives that were read before, for the same kinds,
# and inside no others.
(cd "$files" && python3 -m zipfile -c zip.zip a.txt)
settle "$files"
runs 0 "$SIMHASH" --decompress=zip "$files"
(cd "$files" && python3 -m zipfile -c new.zip a.txt && python3 -m zipfile -c zip.zip b.txt b.txt.xz &&
	python3 -m zipfile -c linked.zip b.txt.xz)
settle "$files"
touch -d '2020-01-04' "$files/zip.zip" "$files/linked.zip"
runs 0 "$SIMHASH" "$files"
same "members of archives that changed" \
	"linked.zip//b.txt.xz linked.zip//b.txt.xz//b.txt zip.zip//b.txt zip.zip//b.txt.xz" \
	"$(rows | grep -E '^(zip|linked|new).zip//' | paste -sd ' ')"
runs 0 "$SIMHASH" "$files"
grep -q '^0 scanned' err || fail "read again: $(cat err)"
rm "$files/new.zip" "$files/zip.zip"

# Moved files take their members along, and nothing is read: one archive, a folder, the content of a
# gzip file.
gzip -k "$files/b.txt"
(cd "$files/below" && python3 -m zipfile -c one.zip ../a.txt)
runs 0 "$SIMHASH" -z "$files"
next_tick
runs 0 "$SIMHASH" -z "$files"
members="SELECT path, size, compressed_size, modified_utc, links, skew_ext FROM file_text WHERE compressed_size > 0"
sql "$members" | sed 's,below/one,one,;s,/below,/under/here,;s,b.txt.gz//b,under/g.txt.gz//g,' | LC_ALL=C sort >expected
mkdir "$files/under"
mv "$files/below/one.zip" "$files"
mv "$files/below" "$files/under/here"
mv "$files/b.txt.gz" "$files/under/g.txt.gz"
runs 0 "$SIMHASH" "$files"
summary 0 5 0 0 11
sql "$members" | LC_ALL=C sort | diff expected - || fail "wrong members of the moved archives"
runs 0 "$SIMHASH" -z "$files"
summary 0 10 0 0
mv "$files/under/here" "$files/below"
rm -r "$files/under" "$files/one.zip"
runs 0 "$SIMHASH" "$files"
summary 0 5 4 0 7
runs 0 "$SIMHASH" --forget "$files/below/outer.epub"
same "members of a forgotten archive" '' "$(rows | grep outer || true)"
seq 10 >"$files/x.tbz"
runs 0 "$SIMHASH" -z "$files"
same "members of a file that is not an archive any more" '' "$(rows | grep 'x.tbz//' || true)"
rm -r "$files/below" "$files/b.txt.xz"
runs 0 "$SIMHASH" "$files"
same "rows that are left" "a.txt b.txt linked.zip linked.zip//b.txt.xz linked.zip//b.txt.xz//b.txt x.tbz" "$(rows | paste -sd ' ')"
reset
rm -r "${files:?}"/*

# A copy in an archive saves nothing. A file represents a group if there is one. --print shows
# members.
seq 5000 >"$files/m.txt"
sed '100s/.*/changed/' "$files/m.txt" >"$files/e.txt"
(cd "$files" && python3 -m zipfile -c 0.zip m.txt && python3 -m zipfile -c 1.zip m.txt e.txt && cp m.txt n.txt && rm e.txt)
seq 4000 9000 >"$files/o.txt"
sed '100s/.*/changed/' "$files/o.txt" >"$files/p.txt"
(cd "$files" && python3 -m zipfile -c 2.zip o.txt && rm o.txt)
runs 0 "$SIMHASH" -z "$files"
for linkage in representative single; do
	runs 0 "$SIMFIND" --group=$linkage --format=jsonl
	same "groups by $linkage" "[['m.txt', '1.zip//e.txt', '1.zip//m.txt', '0.zip//m.txt', 'n.txt'], ['p.txt', '2.zip//o.txt'], ['0.zip', '1.zip']] $(stat -c %s "$files/n.txt") 0 0" \
		"$(python3 -c "
import json, sys
groups = [json.loads(line) for line in sys.stdin]
names = [[m['path'][len('$files/'):] for m in g['members']] for g in groups]
print([n[:1] + sorted(n[1:], key=lambda p: (p[0] != '1', p)) for n in names], *(g['copied_bytes'] for g in groups))" <out)"
done
cksum "$files"/*.zip >expected
runs 0 "$SIMKEEP" --keep=newest --action=delete --yes --journal=journal
cksum "$files"/*.zip | diff expected - || fail "an archive was changed"
same "files that are left" "0.zip 1.zip 2.zip p.txt" "$(cd "$files" && echo [!mn]*)"
same "copies that are left" 1 "$(find "$files" -name '[mn].txt' | wc -l)"
runs 0 "$SIMHASH" --print -z "$files/1.zip"
same "printed" "1.zip 1.zip//m.txt 1.zip//e.txt" "$(sed -n "s|^file *$files/||p" out | paste -sd ' ')"
same "printed content" "$(sql "SELECT content_hash FROM file_text WHERE path LIKE '%/1.zip//m.txt'")" "$(awk '$1 == "content" { n++; if (n == 2) print $2 }' out)"
"$SIMHASH" --export "$files/1.zip" 2>/dev/null | grep '//' >expected || fail "--export has no members"
runs 0 "$SIMHASH" --print -z --format=digest "$files/1.zip"
grep '//' out | LC_ALL=C sort | diff <(LC_ALL=C sort expected) - || fail "--print has other digests"
reset
rm -r "${files:?}"/*

# Names are bytes. Names that no index can store are reported.
runs 0 "$SIMHASH" -z "$TEST_FOLDER/odd/names"
said "names.tar: Has members whose names are too long; these are not indexed"
same "names" 8 "$(sql 'SELECT COUNT(*) FROM file WHERE compressed_size > 0')"
runs 0 "$SIMFIND" --verify=all
grep -qF 'names.tar//new\nline' out || fail "a name is not escaped: $(cat out)"
same "control characters" 0 "$(grep -c "$(printf '\033')" out || true)"
[ ! -e /etc/absolute ] && [ ! -e "$TEST_FOLDER/odd/up.txt" ] || fail "a member was written"
reset

# Limits are reported, and everything read before them is stored.
runs 0 "$SIMHASH" -z "$TEST_FOLDER/odd/bomb"
said "bomb/zeros.zip: Inflates to more than 200 times its size: the part read before is indexed"
said "bomb/sparse.tar: Inflates to more than 200 times its size: the part read before is indexed"
said "bomb/deep.zip//19.zip//18.zip//17.zip: Is inside more archives than --limits=depth=N allows"
said "bomb/quine.zip//q.zip//q.zip//q.zip: Is inside more archives than --limits=depth=N allows"
said "bomb/locked.zip: Encrypted, so its content is not indexed"
said "bomb/locked.7z: Encrypted, so its content is not indexed"
said "bomb/wide.zip: Inflates to more than 200 times its size: the part read before is indexed"
same "a billion members" "many.zip//a.txt many.zip//b.txt" "$(rows | sed -n 's|.*/bomb/many|many|p' | grep // | paste -sd ' ')"
# A sanitizer needs more memory than a process may use, so its build has no limit, and neither has a
# build without a sandbox.
if ! built_with sanitizer && built_with sandbox; then
	said "bomb/hungry.xz: Needs more memory than simhash --limits=memory=SIZE allows for an archive: the part read before is indexed"
else
	same "a huge dictionary" 1 "$(rows | grep -c 'hungry.xz//hungry$')"
fi
same "before a bomb" 1 "$(rows | grep -c 'zeros.zip//before.txt')"
# With 512 MiB of addresses, of which a sanitizer needs more for itself, only the dictionary is
# missing.
if ! built_with sanitizer; then
	rows >with_memory
	reset
	(
		ulimit -v 524288
		runs 0 "$SIMHASH" -z -j1 "$TEST_FOLDER/odd/bomb"
	)
	said "bomb/hungry.xz: "
	grep -v 'hungry.xz//hungry$' with_memory | diff - <(rows) || fail "other members with little memory"
fi
runs 0 "$SIMHASH" -z --limits=inflated=10K "$TEST_FOLDER/odd/bomb"
said "bomb/zeros.zip: Inflates to more than --limits=inflated=SIZE allows"
runs 0 "$SIMHASH" -z --limits=total=10K "$TEST_FOLDER/odd/bomb"
said "bomb/zeros.zip: Not inflated to its end, because the run has reached --limits=total=SIZE"
runs 0 "$SIMHASH" -z --limits=depth=1 "$TEST_FOLDER/odd/bomb"
said "bomb/deep.zip//19.zip: Is inside more archives than --limits=depth=N allows"
# A compressed disk image may begin with zeros, like the end of a tar file. It is neither a tar file nor damaged.
reset
mkdir "$TEST_FOLDER/images"
(
	cd "$TEST_FOLDER/images"
	(head -c 1024 /dev/zero && random_bytes 5000 3) >disk
	head -c 20000 /dev/zero >blank
	gzip -k disk blank
	xz -k disk blank
	zstd -qk disk blank
	bzip2 -k disk
	tar -cf inside.tar disk.* blank.*
	tar -cJf tar.xz disk
	(head -c 2048 /dev/zero && cat inside.tar) | xz >behind.xz
)
runs 0 "$SIMHASH" -z "$TEST_FOLDER/images"
said ", 0 failed"
for name in disk:4 blank:3; do
	same "${name%:*}, packed and packed in a tar file" "$((2 * ${name#*:}))" \
		"$(sql "SELECT COUNT(*) FROM file_text p, file_text f WHERE f.path = '$TEST_FOLDER/images/${name%:*}' AND
			p.content_hash = f.content_hash AND p.path LIKE '%/${name%:*}.%//${name%:*}' AND p.path NOT LIKE '%behind.xz//%'")"
done
same "a tar file behind zeros" 7 "$(rows | grep -c 'behind.xz//[a-z]*\.[a-z0-9]*$')"
reset
runs 1 "$SIMHASH" --decompress=zip,rpm "$files"
said "--decompress 'zip,rpm': expected zip, tar, 7z, "
reset
runs 0 "$SIMHASH" -z "$TEST_FOLDER/odd/rar"
same "members of rar files" "4.rar//in/x.txt 4.rar//y.txt 5.rar//in/x.txt 5.rar//y.txt" "$(rows | sed -n 's|.*/rar/||p' | grep // | paste -sd ' ')"
same "content of rar files" 2 "$(sql "SELECT COUNT(DISTINCT content_hash) FROM file WHERE compressed_size > 0")"
reset
runs 2 "$SIMHASH" -zj1 "$TEST_FOLDER/odd/cut"
for kind in zip tar tar.xz 7z lz4 ar; do
	same "reported cut $kind" "$(find "$TEST_FOLDER/odd/cut" -name "*[0-9].$kind" | wc -l)" \
		"$(grep -oE "cut/[0-9]*\.$kind(//[^:]*)?: Damaged" err | sort -u | wc -l)"
done
reset

# Files left out on purpose are reported and counted, and the run succeeds.
make left "$TEST_FOLDER/left"
mkdir "$TEST_FOLDER/design"
cp "$TEST_FOLDER"/odd/bomb/{deep.zip,locked.zip,locked.7z} "$TEST_FOLDER/design"
runs 0 "$SIMHASH" -z "$TEST_FOLDER/design"
said "0 failed"
said "3 parts of archives left out, as reported above"
runs 0 "$SIMHASH" -z -f --summary=json "$TEST_FOLDER/design"
same "left out" '"left_out":3' "$(tr -d ' ' <err | grep -o '"left_out":[0-9]*')"
runs 0 "$SIMHASH" --print -z "$TEST_FOLDER/design/locked.zip"
runs 0 "$SIMFIND" -z "$TEST_FOLDER/design/locked.zip"
reset
runs 0 "$SIMHASH" -z "$TEST_FOLDER/left/volumes"
for name in x.part1.rar{,//a.txt} {x,middle}.part2.rar {old.rar,old.r00,middle.r00}//a.txt x.z01//b.txt {x,comment}.zip x.7z.001; do
	said "volumes/$name: One of several volumes of an archive"
done
same "members that are not whole" '' "$(rows | sed -n 's|.*/volumes/||p' | grep -E '(rar|r00|zip|001)//' || true)"
same "a member that is whole" 'x.z01//a.txt' "$(rows | sed -n 's|.*/volumes/||p' | grep '//')"
reset
runs 0 "$SIMHASH" -z "$TEST_FOLDER/left/rest"
said "rest/a.txt.gz: Has other bytes after its end"
said "rest/a.tar: Has other bytes after its end"
said "rest/same.tar: Has several members with the same name"
same "reports" 3 "$(grep -c '^simhash: ' err)"
reset
runs 0 "$SIMHASH" -z "$TEST_FOLDER/left/end"
for name in {cut,last,in.zip//cut}.tar cut.tar.xz cut.tgz; do
	said "end/$name: Has no zeros at its end"
done
said "end/cut.tar.001: One of several volumes of an archive"
same "members of a file that is cut between two" 'cut.tar//a.txt' "$(rows | sed -n 's|.*/left/end/cut.tar//|cut.tar//|p')"
same "reports" 7 "$(grep -c '^simhash: ' err)"
reset

# The checksum of a gzip file is checked under any name and inside other archives, and its complete
# members are stored.
make gzip "$TEST_FOLDER/gzip"
members() {
	rows | sed -n "s|.*/gzip/$1/||p" | grep //
}
runs 0 "$SIMHASH" -z "$TEST_FOLDER/gzip/none"
said "0 failed"
members none >whole
same "members of whole gzip files" 73 "$(wc -l <whole)"
for damage in content checksum length cut; do
	runs 2 "$SIMHASH" -z "$TEST_FOLDER/gzip/$damage"
	printf '%s\n' {,in.tar//,in.zip//}{cpio,parts,tar,tar.gz,tar.gz.{bz2,gz}//tar.gz,text//text,text.gz//text,zip} | LC_ALL=C sort >expected
	sed -i 's|^text.gz//text$|text.gz|' expected
	grep -vE '(text|text.gz)//text$|^tar.gz//tar$' whole >expected_members
	[ "$damage" != content ] || sed -i -E '/(^|\/)zip(\/|$)/d' expected expected_members
	sed -n "s|^simhash: .*/gzip/$damage/\(.*\): Damaged .*|\1|p" err | LC_ALL=C sort | diff expected - || fail "damaged: $damage"
	members $damage | diff expected_members - || fail "members: $damage"
	# Both the content of the file and its members are read.
	runs 2 "$SIMHASH" --print -z "$TEST_FOLDER/gzip/$damage/tar.gz"
	same "reports of --print" 1 "$(grep -c 'tar.gz.*: Damaged' err)"
	runs 2 "$SIMFIND" -z "$TEST_FOLDER/gzip/$damage/tar.gz"
	same "reports of simfind" 1 "$(grep -c 'tar.gz.*: Damaged' err)"
done
for limit in inflated total; do
	runs 0 "$SIMHASH" -z -f --limits=$limit=1k "$TEST_FOLDER/gzip/none/tar.gz"
	same "reports of the limit $limit" 1 "$(grep -c "tar.gz.*--limits=$limit=SIZE" err)"
done
reset

# Names that are not text are distinguished. Skipped frames, programs and other archives before an
# archive do not hide it. With 64 threads, a process has 16 MiB, and the dictionary of an xz file
# needs 64 MiB, so the file is read alone.
runs 0 "$SIMHASH" -z -j64 "$TEST_FOLDER/left/read"
said "read/long.7z: Has members whose names are too long"
same "reports" 1 "$(grep -c '^simhash: ' err)"
same "members" "$(printf '%s//a.txt\n%s//b.txt\n' {7z.program,initrd,long.7z,rar.program,rar4.program,skipped.tar.lz4,skipped.tar.zst,two.tar,zip.{between,noise,program}}{,} |
	sort -u | cat - <(echo 'large.xz//large names.7z//?1 names.7z//?2 names.zip//?1 names.zip//?2 two.tar//c.txt' | tr ' ' '\n') | LC_ALL=C sort)" \
	"$(rows | sed -n 's|.*/left/read/||p' | grep // | LC_ALL=C sort)"
same "contents" 3 "$(sql "SELECT COUNT(DISTINCT content_hash) FROM file WHERE compressed_size > 0")"
