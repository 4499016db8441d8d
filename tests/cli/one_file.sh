#!/usr/bin/env bash
# Tests that a file with names through several mounts is one file: the names are not copies in any
# list, and free nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != mounted ]; then
	in_own_mounts "$0" mounted
	exit
fi

cd "$TEST_FOLDER"
mkdir -p tree/sub first second
for number in 1 2 3; do
	random_bytes 20000 "$number" >"tree/sub/$number.bin"
done
tar -C tree/sub -cf tree/members.tar 1.bin 2.bin
settle tree
mount --bind tree first
mount --bind tree second
same "the link count of a file with two names here" 1 "$(stat -c %h first/sub/1.bin)"
[ first/sub/1.bin -ef second/sub/1.bin ] || fail "a bind mount shows other files"
runs 0 "$SIMHASH" -q first second

# There are no copies among pairs, in groups, for a FILE, and between two directories.
for how in "" --group --group=single --group=none --min-resemblance=0.7 "--between first second" "-T 0 --only=copies,similar first/sub/1.bin" first; do
	# shellcheck disable=SC2086  # several options
	runs 0 "$SIMFIND" $how
	same "what '$how' lists" "" "$(cat out)"
done
runs 0 "$SIMFIND" --format=json --also=hard-links -T 0
[ "$(grep -c '"identical"' out)" -ge 3 ] || fail "--also=hard-links does not list the names: $(cat out)"

# The same for members of one archive with two names, but two members of it are two files.
runs 0 "$SIMHASH" -q -z first second
runs 0 "$SIMFIND" --summary=none --group=none --format=csv
grep -q "members.tar//1.bin" out || fail "a member is not found: $(cat out)"
grep -E '(first|second)(/.*),.*/(first|second)\2$' out && fail "names of one file are listed"
cp tree/sub/1.bin tree/again.bin
tar -C tree -cf tree/members.tar sub/1.bin again.bin
rm tree/again.bin
touch -d 2021-01-01 tree/members.tar
runs 0 "$SIMHASH" -q first second
runs 0 "$SIMFIND" --summary=none --group=none -T 0 first
grep -q "members.tar//again.bin.*members.tar//sub/1.bin" out || fail "members are taken for one: $(cat out)"
reset
rm tree/members.tar
runs 0 "$SIMHASH" -q first second

# Two names of one folder save nothing. A real copy of the folder saves space, even if the copy has
# two names.
runs 0 "$SIMFIND" --directories
grep -q "would free\|frees [0-9]" out err && fail "one folder is a copy of itself: $(cat out)"
grep -q "frees nothing: its files have other names" out || fail "nothing says that: $(cat out)"
runs 0 "$SIMFIND" --directories first second
grep -q "would free\|frees [0-9]" out err && fail "one folder is a copy of itself: $(cat out)"
grep -q "frees nothing: the files have other names" out || fail "nothing says that: $(cat out)"
runs 0 "$SIMFIND" --summary=none --directories --format=csv
same "what CSV says is saved" "saved_bytes 0" "$(cut -d, -f2 out | sort -u | sort -r | xargs)"
mkdir copy
cp -p tree/sub/* copy/
runs 0 "$SIMHASH" -q first second copy
runs 0 "$SIMFIND" --summary=none --directories --format=csv
same "bytes saved by removing a copy" 60000 "$(grep copy out | cut -d, -f2 | sort -u | tail -n 1)"
runs 0 "$SIMFIND" --group
said "3 of 9 files are copies; removing them would free 60.0 kB."
same "files of the groups" 6 "$(grep -c '/[123].bin  ' out)"
runs 0 "$SIMFIND" --summary=none --group --format=json
grep -q second out && fail "a second name is in a group: $(cat out)"
runs 0 "$SIMFIND" -q --format=html -o page.html
python3 - <<'PYTHON' || fail "a group of the page has the second name"
import json, re
page = open("page.html", encoding="utf-8").read()
data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
assert len(data["groups"]) == 3 and "second" not in json.dumps(data["groups"]), data["groups"]
PYTHON

# A plan: the kept file has another name, and no line of a script removes it.
runs 0 "$SIMKEEP" -q --action=script:script --keep=in:first
grep -qE '^#(delete|hardlink|reflink) .*second' script && fail "the script removes a name of the kept file: $(cat script)"
same "copies in the script" 3 "$(grep -c '^#delete' script)"
rm copy/*
runs 0 "$SIMHASH" -q first second copy
runs 0 "$SIMKEEP" --action=script:script --keep=oldest
grep -q '^#delete' script && fail "the script deletes names of one file"
said "and free 0 bytes"
exit 0
