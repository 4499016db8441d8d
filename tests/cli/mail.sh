#!/usr/bin/env bash
# Tests that mail is read: messages of mailboxes, and the decoded parts of messages, with Python's
# modules as the oracle.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make() {
	python3 "$SOURCE_DIR/tests/cli/mail.py" "$@"
}
# members [FOLDER]: the names of the members in files, without members of archives
members() {
	sql "SELECT path FROM file_text WHERE path LIKE '$files/%//%'" | sed "s|^$files/||" | LC_ALL=C sort
}
# hashes FOLDER: PATH|HASH of its files and members
hashes() {
	sql "SELECT path, HEX(content_hash) FROM file_text WHERE path LIKE '$1/%'" | sed "s|^$1/||" | LC_ALL=C sort
}

# Every message and part has the name and bytes that Python finds, in mailboxes, Maildir files and
# single messages, with one or two bytes at the ends of lines.
make make "$files"
expected="$TEST_FOLDER/expected"
make expect "$files" "$expected"
settle "$files" "$expected"
runs 0 "$SIMHASH" -z "$files"
same "reports" 0 "$(grep -c '^simhash: ' err || true)"
runs 0 "$SIMHASH" "$expected"
hashes "$files" | grep -v '^disk' | grep -v '\.\(tar\|zip\|docx\|xlsx\)//' >found
hashes "$expected" | sort -t'|' -k1,1 >numbered
while read -r number name; do
	echo "$name|$(sed -n "s/^$number|//p" numbered)"
done <"$expected/list" | LC_ALL=C sort >wanted
grep '//' found | diff wanted - >different || fail "other members than Python finds: $(head -n 5 different)"
[ "$(wc -l <wanted)" -gt 250 ] || fail "only $(wc -l <wanted) members"
runs 0 "$SIMHASH" --forget "$expected"

# Each attachment is found as identical to its file; members of attached archives are found, and the
# texts of attached documents.
runs 0 "$SIMFIND" --format=csv --group=none
make recall "$files" <out >recalled || fail "attachments that are not found: $(cat recalled)"
cat recalled
grep -q '000[0-9]*.eml//[^/]*docx//text' <(members) || fail "no text of an attached document"
grep -q '000[0-9]*.eml//[^/]*\.tar//in/the tar.txt' <(members) || fail "no member of an attached archive"
attached=$(find "$files/disk" -name '*.pdf' | head -n 1)
runs 0 "$SIMFIND" -z "$attached"
grep -q '^identical .*//report.pdf' out || fail "report.pdf is not found: $(cat out)"
runs 0 "$SIMFIND" -z "$files/inbox"
grep -q '^identical' out || fail "nothing is identical to a part of the mailbox"
runs 0 "$SIMHASH" --print -z "$files/inbox"
same "printed messages" 20 "$(grep -c '//0000[0-9][0-9].eml$' out)"

# Reading the members again, and without a sandbox.
for sandbox in yes no; do
	SIMHASH_SANDBOX=$sandbox runs 0 "$SIMFIND" --verify=read --only=copies
	same "problems of reading" '' "$(grep -v '^[0-9,]* pairs' err || true)"
done
reset
SIMHASH_SANDBOX=no runs 0 "$SIMHASH" -z "$files"
hashes "$files" | grep -v '^disk' | grep -v '\.\(tar\|zip\|docx\|xlsx\)//' | diff found - >different || fail "other members without a sandbox: $(head -n 5 different)"

# Mail that is appended to a mailbox renames nothing.
make append "$files/inbox"
settle "$files"
runs 0 "$SIMHASH" -z "$files"
hashes "$files" | grep '^inbox//' | comm -23 <(grep '^inbox//' found) - >different
same "members that were renamed" '' "$(head -n 5 different)"
members | has -x 'inbox//000021.eml//1.txt' || fail "the new message is missing"
runs 0 "$SIMHASH" -z "$files"
same "nothing to read" 0 "$(tr -d , <err | sed -n 's/^\([0-9]*\) scanned.*/\1/p')"
reset
rm -r "${files:?}"/*

# Which files are mail, and the kinds alone.
make texts "$files"
settle "$files"
runs 0 "$SIMHASH" -z "$files"
same "mail" 'mail/box.zone//000001.eml
mail/box.zone//000001.eml//1.txt
mail/box//000001.eml
mail/box//000001.eml//1.txt
mail/crlf//1.txt
mail/folded//1.txt
mail/long//1.txt
mail/no.end//1.txt
mail/plain//1.txt' "$(members)"
reset
runs 0 "$SIMHASH" --decompress=mbox "$files"
same "mailboxes" 'mail/box.zone//000001.eml
mail/box//000001.eml' "$(members)"
runs 0 "$SIMHASH" --forget "$files"
runs 0 "$SIMHASH" --decompress=zip "$files"
same "no mail" '' "$(members)"
runs 0 "$SIMHASH" -z --limits=depth=1 "$files/mail/box"
said "mail/box//000001.eml: Is inside more archives than --limits=depth=N allows"
reset
rm -r "${files:?}"/*

# Mail that nobody sends takes little time and memory, its problems are one line each, and the rest
# is read. A reader has a share of 16 MiB.
make hostile "$files"
mv "$files/large" "$TEST_FOLDER/"
if built_with sanitizer; then
	truncate -s 64M "$files/line" "$files/line.header"
fi
settle "$files"
runs 0 within 60 "$SIMHASH" -z -j2 --limits=memory=32M "$files"
lacks="Mail without an end, as mail with several parts should have: later parts, or the end of this one, may be missing"
large="Mail with more than 20,000 parts, parts at more than 100 levels, or more than 64 KiB of headers about a part: the rest is not decoded"
while read -r name why; do
	echo "simhash: $files/$name: $why"
done <<END | LC_ALL=C sort >wanted
big.headers//1.txt $large
boundaries $lacks
boundaries//1.eml//inner.txt $lacks
box//000003.eml//cut.txt $lacks
cut//cut.bin $lacks
deep//1.bin $large
too.many $large
END
grep '^simhash: ' err | LC_ALL=C sort | diff wanted - || fail "other reports"
members >found
same "parts of a mail" 10000 "$(grep -c '^many//[0-9]*.txt$' found)"
same "parts with the same name" 10000 "$(grep -c '^same//same\(-[0-9]*\)*.txt$' found)"
same "parts of a mail with more" 20000 "$(grep -c '^too.many//' found)"
grep -v '^\(many\|same\|too.many\|charsets\)//' found | diff - <(cat <<'END'
base64//broken.bin
big.headers//1.txt
big.headers//next.txt
boundaries//1.eml
boundaries//1.eml//inner.txt
boundaries//2.txt
boundaries//3.txt
boundaries//4.txt
boundaries//5.txt
box//000001.eml
box//000001.eml//one.txt
box//000002.eml
box//000002.eml//1.txt
box//000003.eml
box//000003.eml//cut.txt
cut//cut.bin
cut//whole.txt
deep//1.bin
headers//found.txt
line.header//1.txt
line//1.txt
END
grep '^\(names\|uu\)//' found) || fail "other members of hostile mail"
same "harmless names" '' "$(grep '^names//' found | cut -c8- | grep -e / -e '^\.' || true)"
same "names" 14 "$(grep -c '^names//' found)"
for name in passwd passwd-6 b.txt encoded.txt continued.txt 3.txt; do
	grep -qx "names//$name" found || fail "no part $name: $(grep names// found)"
done
size_of() {
	sql "SELECT size FROM file_text WHERE path = '$files/$1'"
}
same "text around uuencode" "7 3 40" "$(size_of uu//1.txt) $(size_of uu//cat.txt) $(size_of uu//3.txt)"
same "a file with uuencode, and one that is sent so" "43 3" "$(size_of charsets//kept.uu) $(size_of charsets//cat.txt)"
# Names are known in the sandbox, which can load no file, as without it.
for sandbox in yes no; do
	runs 0 "$SIMHASH" --forget "$files"
	SIMHASH_SANDBOX=$sandbox runs 0 "$SIMHASH" -z "$files/charsets"
	members | sed -n 's|^charsets//||p' | diff - <(make charsets | cat - <(printf 'kept.uu\ncat.txt\n') | LC_ALL=C sort) || fail "other names with SIMHASH_SANDBOX=$sandbox"
done
runs 0 "$SIMHASH" -z "$files/box"
printf 'From x\nFrom the text\n>From y\n' >"$TEST_FOLDER/unquoted"
settle "$TEST_FOLDER/unquoted"
runs 0 "$SIMFIND" "$TEST_FOLDER/unquoted"
grep -q '^identical .*box//000002.eml//1.txt' out || fail "lines with From are not restored: $(cat out)"

# The libraries start no thread in the sandbox.
if built_with sandbox && [ -e /proc/self/status ]; then
	truncate -s 2G "$files/line"
	"$SIMHASH" -zq -j1 --force "$files/line" 2>err &
	run=$!
	helper_is_restricted() {
		helper=$({ grep -lsxE "PPid:[[:space:]]$run" /proc/[0-9]*/status || true; } | cut -d/ -f3)
		[ -n "$helper" ] && grep -qsxE 'Seccomp:[[:space:]]2' "/proc/$helper/status"
	}
	wait_until helper_is_restricted
	same "threads of the sandbox" 1 "$(sed -n 's/^Threads:[[:space:]]*//p' "/proc/$helper/status")"
	kill -TERM $run
	wait $run 2>/dev/null || true
fi

# The messages of a mailbox may have more bytes than one message may have.
rm -r "${files:?}"/*
mv "$TEST_FOLDER/large" "$files/"
settle "$files"
runs 0 "$SIMHASH" -z "$files"
same "reports" 0 "$(grep -c '^simhash: ' err || true)"
same "members" "$(printf '000001.eml\n000001.eml//1.txt\n000002.eml\n000002.eml//1.txt\n000003.eml\n000003.eml//1.txt\n000004.eml')" "$(members | sed 's|^large//||')"
