#!/usr/bin/env bash
# Tests showing and removing the contents of an index, and the sum table without an index.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$files"/{one/deep,two,oneself}
for name in one/a.txt one/deep/b.txt one/c.gz two/d oneself/e; do
	seq 1000 >"$files/$name"
done
gzip -f <"$files/one/a.txt" >"$files/one/c.gz"

# Without an index, nothing is shown and nothing is created.
runs 1 "$SIMHASH" --status
runs 1 "$SIMHASH" --forget "$files"
[ "$TEST_ENGINE" != sqlite ] || [ ! -e "${TEST_URL#sqlite:}" ] || fail "--forget made an index"

runs 0 "$SIMHASH" -z "$files/one" "$files/two"
runs 0 "$SIMHASH" --status
grep -q "  $files/one$" out || fail "the only host is named: $(cat out)"
runs 0 "$SIMHASH" --host=web1 "$files/two"
runs 0 "$SIMHASH" --host=web1 "$files/two" "$files/oneself"
runs 0 "$SIMHASH" --status
grep -q "^index  $TEST_URL$" out || fail "no URL: $(cat out)"
grep -Eq '^size   [0-9.]+ [kM]B$' out || fail "no size: $(cat out)"
grep -Eq "^$(hostname) +sample +5 +5 +[0-9.]+ kB$" out || fail "no total of this host: $(cat out)"
grep -Eq '^web1 +sample +2 +2 +[0-9.]+ kB$' out || fail "no total of web1: $(cat out)"
grep -Eq " 1 +4 +[0-9.]+ kB +0  $(hostname):$files/one$" out || fail "no run of one: $(cat out)"
grep -Eq " 2 +0 +0 bytes +0  web1:$files/two$" out || grep -Eq " 2 +1 .* web1:$files/two$" out ||
	fail "no two runs of web1's two: $(cat out)"
same "lines over 140 columns" 0 "$(awk 'length > 140' out | wc -l)"

# Hosts are distinguished, regardless of their ids.
renumber() {
	sql "UPDATE host SET id = $2 WHERE id = $1; UPDATE scan_run SET host = $2 WHERE host = $1"
}
renumber 1 7
runs 0 "$SIMHASH" --status
grep -Eq "  $(hostname):$files/one$" out || fail "no host in a run: $(cat out)"
renumber 7 1

# An interrupted run is shown as such.
sql "UPDATE scan_run SET finished_at_ns = NULL WHERE id = 1"
runs 0 "$SIMHASH" --status
same "runs unfinished" 1 "$(grep -c 'unfinished' out)"

# Forgetting: a directory with everything below it, and nothing next to it; a file with its content.
same "rows" 7 "$(sql 'SELECT COUNT(*) FROM file')"
cd "$files/one"
runs 0 "$SIMHASH" --forget deep
cd "$TEST_FOLDER"
said "1 removed"
same "rows" 6 "$(sql 'SELECT COUNT(*) FROM file')"
runs 0 "$SIMHASH" --forget "$files/one/c.gz"
said "2 removed"
rm -r "$files/one"
# A file removed from the disk can be forgotten by its old path.
runs 0 "$SIMHASH" --forget "$files/one/"
said "1 removed"
same "files left" "$(hostname)|$files/two/d web1|$files/oneself/e web1|$files/two/d" \
	"$(sql "SELECT host, path FROM file_text" | LC_ALL=C sort | paste -sd ' ')"
runs 1 "$SIMHASH" --forget "$files/one"
said "simhash: the index has no files at or below $files/one"
# Indexing a missing path prints the command that removes its rows, and this command removes them.
mkdir -p "$files/it was/here"
seq 50 >"$files/it was/here/f"
runs 0 "$SIMHASH" "$files/it was/here"
rows=$(sql 'SELECT COUNT(*) FROM file')
mv "$files/it was" "$files/moved"
(cd "$files" && runs 1 "$SIMHASH" "it was/here/")
said "simhash: it was/here/: No such file or directory"
said "simhash: $files/it was/here: it no longer exists, but the index has files at or below it; to remove them: simhash --forget '$files/it was/here'"
same "rows" "$rows" "$(sql 'SELECT COUNT(*) FROM file')"
mkdir "$files/moved/again"
runs 2 "$SIMHASH" -d "$TEST_URL" "$files/moved/again" "$files/it was"
sed -n 's/.*to remove them: simhash/"$SIMHASH"/p' err >advice.sh
same "commands" 1 "$(wc -l <advice.sh)"
SIMHASH_DATABASE=sqlite:/no/such/index SIMHASH=$SIMHASH sh advice.sh
same "rows" $((rows - 1)) "$(sql 'SELECT COUNT(*) FROM file')"
runs 1 "$SIMHASH" "$files/it was"
same "lines about paths that are not in the index" 1 "$(grep -c 'it was' err)"
rm -r "$files/moved"
# The same for a file, and for another host.
runs 0 "$SIMHASH" --host=web9 "$files/oneself"
mv "$files/oneself/e" kept
runs 1 "$SIMHASH" --host=web9 "$files/oneself/e"
said "to remove them: simhash --host=web9 --forget $files/oneself/e"
runs 0 "$SIMHASH" --host=web9 --forget "$files/oneself/e"
said "1 removed"
mv kept "$files/oneself/e"
"$SIMHASH" -q --host=web9 --forget "$files/oneself" || true # the directory
# For another host by its name alone, and together with a missing path.
runs 1 "$SIMHASH" --host=web1 --forget "$files/oneself" /no/such/thing
said "the index has no files at or below /no/such/thing"
same "rows" 2 "$(sql 'SELECT COUNT(*) FROM file')"
runs 1 "$SIMHASH" --host=web2 --forget "$files"
said "the index has no files of host 'web2'"
# An empty name is refused; if a path became a link, the link itself is forgotten.
(cd "$files" && runs 1 "$SIMHASH" --forget "")
said "cannot resolve path ''"
mkdir -p "$files/v1" "$files/v2"
seq 100 >"$files/v1/f"
seq 200 >"$files/v2/f"
runs 0 "$SIMHASH" "$files/v1" "$files/v2"
rm -r "$files/v1"
ln -s v2 "$files/v1"
runs 0 "$SIMHASH" --forget "$files/v1"
same "forgotten" "$files/v2/f" "$(sql "SELECT path FROM file_text WHERE path LIKE '%/v_/f'")"
runs 0 "$SIMHASH" --forget "$files/v1/."
said "1 removed"
# For one tag set, if it is given.
sed 's/^name .*/name others/' >tags.txt <<'TAGS'
name others
01 1 1
02 1 1
03 1 1
04 1 1
06 1 1
07 1 1
08 1 1
09 1 1
0a 1 1
0b 1 1
0c 1 1
0d 1 1
0e 1 1
0f 1 1
10 1 1
11 1 1
TAGS
runs 1 "$SIMHASH" -t tags.txt --forget "$files/two"
said "the index has no files of tag set 'others'"
runs 0 "$SIMHASH" -q -t tags.txt "$files/two"
runs 0 "$SIMHASH" -t tags.txt --forget "$files/two"
said "1 removed"
same "rows of the other tag set" 1 "$(sql "SELECT COUNT(*) FROM file_text WHERE host <> 'web1'")"
runs 0 "$SIMHASH" -q --forget /
same "quiet" 0 "$(wc -c <err)"
same "rows of web1" 1 "$(sql 'SELECT COUNT(*) FROM file')"
same "directories without rows" 1 "$(sql 'SELECT COUNT(*) FROM directory')"

# The sum table of files, compared with the oracle; no index is opened or created.
unset SIMHASH_DATABASE
seq 5000 >x.txt
runs 0 "$SIMHASH" --print x.txt
same "index made" "" "$(find "$HOME" -name simhash.db)"
printf '%s\0' "$PWD/x.txt" | "$ORACLE" counts | tr '|' '\n' | first 16 >expected
awk '$1 == "sum" { print $3 }' out >found
cmp expected found || fail "counts: $(diff expected found)"
same "size" "$(stat -c %s x.txt)" "$(awk '$1 == "size" { print $2 }' out)"
grep -q '^file          x.txt$' out || fail "no name"
sort out | grep -v ^file >by_name
runs 0 "$SIMHASH" --print - <x.txt
sort out | grep -v ^file >by_stdin
same "keys of standard input" "scatter skew uniform" \
	"$(comm -12 by_name by_stdin | awk '$1 ~ /^(uniform|scatter|skew)/ { print $1 }' | paste -sd ' ')"
runs 2 "$SIMHASH" --print missing x.txt .
said "simhash: missing: No such file or directory"
said "simhash: .: Not a regular file"
same "printed with them" 1 "$(grep -c ^size out)"
