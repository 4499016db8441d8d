#!/usr/bin/env bash
# Tests simfind --store: the index contains the output of the same run. Readers see the old answer
# or the new one, and no result that is outdated.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$TEST_ENGINE" = sqlite ]; then
	# It is read while it is written.
	sql() { sqlite3 -batch -noheader -separator '|' -cmd '.timeout 60000' index.db "$1"; }
fi

make_tree --flat --files=400 --sizes=2000-20000 "$files"
# Names with special meanings in SQL and shells.
cp "$(find "$files" -name '00000*' | LC_ALL=C sort | head -1)" "$files/it's \"one\""
printf 'group of two, of one content\n%.0s' $(seq 40) >"$files/two"
cp "$files/two" "$files/zwei"
# Two contents that are nearly the same, several times each.
seq 1000 3000 >"$files/near1"
sed 's/^2000$/two thousand/' "$files/near1" >"$files/nearly1"
for i in 2 3; do
	cp "$files/near1" "$files/near$i"
	cp "$files/nearly1" "$files/nearly$i"
done
mkdir "$files/a b"
seq 5000 7000 | tr 1-9 A-I >"$files/a b/alone"
settle "$files"
runs 0 "$SIMHASH" "$files"

# answers JSON-OF-GROUPS JSON-OF-PAIRS: as lines, with the words of the tables
cat >answers.py <<'EOF2'
import json, sys
share = lambda value: "" if value is None else "%.6f" % value
lines = []
for group in json.load(open(sys.argv[1])):
    first = group["members"][0]["path"]
    lines.append("group|%s|%d|%d|%d|%s" % (group["id"], group["files"], group["bytes"], group["copied_bytes"], first))
    for m in group["members"]:
        lines.append("|".join(map(str, ("member", group["id"], m["role"], m["distance"], share(m.get("resemblance")),
                                        m["verified"], m["size"], first, m["path"]))))
for p in json.load(open(sys.argv[2])):
    lines.append("|".join(map(str, ("pair", int(p["match"] == "identical"), p["distance"], share(p.get("resemblance")),
                                    p["verified"], share(p.get("contained_a")), share(p.get("contained_b")),
                                    p["size_a"], p["size_b"], p["path_a"], p["path_b"]))))
print("\n".join(lines))
EOF2
# rounded COLUMN: as in JSON
rounded() {
	if [ "$TEST_ENGINE" = sqlite ]; then
		echo "CASE WHEN $1 IS NULL THEN '' ELSE printf('%.6f', $1) END"
	else
		echo "CASE WHEN $1 IS NULL THEN '' ELSE FORMAT($1, 6, 'en_US') END"
	fi
}
stored_groups() {
	sql "SELECT 'group', group_id, files, bytes, copied_bytes, representative_path FROM similar_group"
	sql "SELECT 'member', group_id, role, distance, $(rounded resemblance), verified, size, representative_path, path
		FROM grouped_file"
}
stored_pairs() {
	sql "SELECT 'pair', is_copy, distance, $(rounded resemblance), verified, $(rounded contained_a), $(rounded contained_b),
		size_a, size_b, path_a, path_b FROM found_pair"
}
stored() {
	{ stored_groups; stored_pairs; } | LC_ALL=C sort
}
# With these options, simfind stores the same as it prints.
equal() {
	"$SIMFIND" --summary=none --format=json --group="$1" "${@:2}" >groups.json
	"$SIMFIND" --summary=none --format=json "${@:2}" >pairs.json
	python3 answers.py groups.json pairs.json | LC_ALL=C sort >expected
	runs 0 "$SIMFIND" --store --group="$1" "${@:2}"
	stored >found
	cmp expected found || fail "$*: $(diff expected found | head -6)"
	same "runs" 1 "$(sql "SELECT COUNT(*) FROM find_run")"
	same "rows of other runs" "0 0" "$(sql "SELECT COUNT(*) FROM file_group WHERE run NOT IN (SELECT id FROM find_run)") $(
		sql "SELECT COUNT(*) FROM file_pair WHERE run NOT IN (SELECT id FROM find_run)")"
}
equal representative
grep -q '^member|.*|copy|' found || fail "no copies to be a test"
[ "$(grep -c '^group' found)" -gt 40 ] || fail "too few groups to be a test"
[ "$(grep -c '^pair' found)" -gt 100 ] || fail "too few pairs for a test"
said "stored in the index: $(grep -c '^group' found) groups of $(grep -c '^member' found) files, $(grep -c '^pair' found) pairs"
# The output format does not matter.
for listed in "" --format=html --format=jsonl; do
	# shellcheck disable=SC2086  # an option or none
	runs 0 "$SIMFIND" --store $listed -o listed
	stored | cmp - expected || fail "stored with '$listed': $(stored | diff - expected | head -4)"
done
equal single --threads=1
equal representative --verify=no --tolerance=2
grep -q '^member|.*||no|' found || fail "no unknown resemblance to be a test"
equal representative --verify=all
grep -q '^member|.*|read|' found || fail "no file that was read to be a test"
runs 0 "$SIMFIND" --store --verify=all
stored | cmp - expected || fail "with pairs that were read: $(stored | diff - expected | head -4)"
equal single --verify=read --tolerance=10
equal single --min-resemblance=0.7
equal representative --between "$files" "$files"
equal representative --same-extension --also=empty
equal representative "$files/" "$files/a b"

# The other files of a group are looked up, instead of reading all files of the run for each.
for view in grouped_file ungrouped_file; do
	[ "$(sql "EXPLAIN $([ "$TEST_ENGINE" = sqlite ] && echo 'QUERY PLAN') SELECT COUNT(*) FROM $view WHERE size > 5" |
		grep -c file_group_representative)" -ge 1 ] || fail "$view does not use the index"
done

# The columns about a run that people read.
runs 0 "$SIMFIND" --store --group=single --between "$files/a b" "$files/a b"
same "the run" "simfind --store --group=single --between '$files/a b' '$files/a b'|0|0|0|1|current" \
	"$(sql "SELECT options, group_count, file_count, pair_count, has_all_pairs, state FROM find_run_text")"
same "answers to an empty question" 0 "$(stored | wc -l)"
same "times" 1 "$(sql "SELECT started_utc <= finished_utc AND finished_utc > '2020' FROM find_run_text")"
runs 0 "$SIMFIND" --store=5 --summary=json
same "counts" "$(sql "SELECT group_count, file_count, stored_pair_count FROM find_run_text")" \
	"$(python3 -c 'import json, sys; s = json.loads(sys.stdin.read())
print(s["stored_groups"], s["stored_files"], s["stored_pairs"], sep="|")' <err)"
runs 0 "$SIMFIND" --store --quiet --host=elsewhere
same "host" elsewhere "$(sql "SELECT host FROM find_run_text")"
[ ! -s err ] || fail "not quiet: $(cat err)"
# status_answers FIELD...: the fields of the current run in --status
status_answers() {
	runs 0 "$SIMHASH" --status --format=json
	python3 -c 'import json, sys; [a] = json.load(open("out"))["answers"]; print(*(a[f] for f in sys.argv[1:]), sep="|")' "$@"
}
same "answers in the status" \
	"$(sql "SELECT tag_set, host, group_count, file_count, pair_count, stored_pair_count, options FROM find_run_text")" \
	"$(status_answers tag_set host groups files pairs stored_pairs command)"
runs 0 "$SIMHASH" --status
grep -Eq '^20[0-9 :-]+ sample +[0-9,]+ +[0-9,]+ +[0-9,]+  simfind --store --quiet --host=elsewhere$' out || fail "no answers: $(cat out)"

# With a limit, the most similar pairs are stored, no matter which thread found them, and all
# groups.
"$SIMFIND" --summary=none --format=json >pairs.json
pairs=$(python3 -c 'import json; print(len(json.load(open("pairs.json"))))')
python3 - <<'EOF2' | LC_ALL=C sort >expected
import json
pairs = json.load(open("pairs.json"))
pairs.sort(key=lambda p: (-p.get("resemblance", -1), p["distance"], p["path_a"], p["path_b"]))
for p in pairs[:37]:
    print(p["path_a"] + "|" + p["path_b"])
EOF2
for threads in 1 4; do
	runs 0 "$SIMFIND" --store=37 --threads=$threads
	said "the 37 most similar of $pairs pairs; --store=PAIRS sets how many"
	sql "SELECT path_a, path_b FROM found_pair" | LC_ALL=C sort >found
	cmp expected found || fail "the most similar pairs: $(diff expected found | head -4)"
	same "counts" "$pairs|37|0" "$(sql "SELECT pair_count, stored_pair_count, has_all_pairs FROM find_run_text")"
done
runs 0 "$SIMFIND" --store=0
said "the 0 most similar of $pairs pairs"
same "no pairs" 0 "$(sql "SELECT COUNT(*) FROM file_pair")"
[ "$(sql "SELECT COUNT(*) FROM similar_group")" -gt 40 ] || fail "no groups"
runs 0 "$SIMFIND" --store=0 --group
said "files, no pairs"
same "pairs that were not looked for" "NULL|0|0" \
	"$(sql "SELECT COALESCE(CAST(pair_count AS CHAR(9)), 'NULL'), stored_pair_count, has_all_pairs FROM find_run_text")"
same "the same in the status" "None|0" "$(status_answers pairs stored_pairs)"
runs 0 "$SIMFIND" --store="$pairs"
said "files, $pairs pairs"
same "all pairs" "$pairs" "$(sql "SELECT COUNT(*) FROM found_pair")"

# Messages about wrong options name both options.
runs 1 "$SIMFIND" --store=-1
said "--store '-1': expected a number from 0 to 4294967295"
runs 1 "$SIMFIND" --store two
said "--store cannot be combined with a FILE"
runs 1 "$SIMFIND" --store --group=none
said "--store cannot be combined with --group=none"
runs 1 "$SIMFIND" --store --partition=1/2
said "--partition"

# Another tag set has its own answer.
for tag in 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 30; do
	echo "$tag 1.5 2"
done >tags
runs 0 "$SIMHASH" --tag-set=tags "$files/two" "$files/zwei"
runs 0 "$SIMFIND" --tag-set=tags --store
same "groups by tag set" 2 "$(sql "SELECT COUNT(DISTINCT tag_set) FROM similar_group")"
runs 0 "$SIMFIND" --store
same "groups by tag set, stored again" "2 2" \
	"$(sql "SELECT COUNT(DISTINCT tag_set) FROM similar_group") $(sql "SELECT COUNT(*) FROM find_run")"
runs 0 "$SIMHASH" --tag-set=tags --forget "$files"
same "an answer of which nothing is left" 1 "$(sql "SELECT COUNT(DISTINCT tag_set) FROM similar_group")"

# ---- Outdated results ----

runs 0 "$SIMFIND" --store
stored >before
# A removed file disappears, and so does the group of two to which it belonged.
rm "$files/zwei"
runs 0 "$SIMHASH" "$files"
stored >found
grep -vF -e "$files/zwei" -e "$files/two" before >expected
grep -cF "$files/zwei" before >/dev/null || fail "no group of two to be a test"
cmp expected found || fail "one file removed: $(diff expected found | head -4)"
# Its rows are also removed from the tables. The row of the other file stays, but no view shows it.
same "rows without a file" 0 "$(sql "SELECT COUNT(*) FROM file_group g LEFT JOIN file f ON f.host = g.host AND
	f.path_hash = g.path_hash WHERE f.host IS NULL")"

# A file that has changed, and is then changed back.
member=$(sql "SELECT path FROM grouped_file WHERE role = 'member' AND content_hash NOT IN
	(SELECT content_hash FROM grouped_file WHERE role = 'copy') ORDER BY path LIMIT 1")
cp -p "$member" kept
echo changed >>"$member"
runs 0 "$SIMHASH" "$files"
stored | grep -vE '^group' >found
grep -vE '^group' expected | grep -vF "|$member" >without
grep -qF "|$member" expected || fail "no member to be a test"
cmp without found || fail "one file changed: $(diff without found | head -4)"
cp -p kept "$member"
runs 0 "$SIMHASH" "$files"
stored >found
cmp expected found || fail "changed back: $(diff expected found | head -4)"

# Without the representative, nothing is known about the other files.
representative=$(sql "SELECT representative_path FROM similar_group WHERE copies > 0 AND files > 3 ORDER BY 1 LIMIT 1")
group=$(sql "SELECT group_id FROM similar_group WHERE representative_path = '$representative'")
echo changed >>"$representative"
runs 0 "$SIMHASH" "$files"
same "a group without its representative" 0 "$(stored_groups | grep -c "|$group|" || true)"
grep -vF -e "|$group|" -e "|$representative" expected >without
stored >found
cmp without found || fail "a representative changed: $(diff without found | head -4)"

# A copy without its original is not a copy, and removing it saves nothing.
runs 0 "$SIMFIND" --store
IFS='|' read -r original copy <<<"$(sql "SELECT m.path, c.path FROM grouped_file m JOIN grouped_file c ON c.run = m.run AND
	c.representative_path = m.representative_path AND c.content_hash = m.content_hash AND c.role = 'copy' AND
	m.role = 'member' ORDER BY m.path, c.path LIMIT 1")"
[ -n "$copy" ] || fail "no copy of a member to be a test"
copies=$(sql "SELECT COUNT(*) FROM grouped_file WHERE content_hash IN
	(SELECT content_hash FROM grouped_file WHERE path = '$copy')")
saved=$(sql "SELECT copied_bytes FROM similar_group WHERE group_id IN (SELECT group_id FROM grouped_file WHERE path = '$copy')")
size=$(wc -c <"$copy")
runs 0 "$SIMHASH" --forget "$original"
same "copies left" $((copies - 1)) "$(sql "SELECT COUNT(*) FROM grouped_file WHERE role = 'member' AND content_hash IN
	(SELECT content_hash FROM grouped_file WHERE path = '$copy')")"
same "bytes saved" $((saved - size)) "$(sql "SELECT copied_bytes FROM similar_group WHERE group_id IN
	(SELECT group_id FROM grouped_file WHERE path = '$copy')")"

# A removed folder, and a forgotten folder.
mkdir "$files/below"
cp "$files/two" "$files/below/a"
cp "$files/two" "$files/below/b"
settle "$files/below"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --store
same "files below a folder" 3 "$(sql "SELECT COUNT(*) FROM grouped_file WHERE path LIKE '%/two' OR path LIKE '%/below/%'")"
rm -r "$files/below"
runs 0 "$SIMHASH" "$files"
same "files below no folder" 0 "$(sql "SELECT COUNT(*) FROM grouped_file WHERE path LIKE '%/two' OR path LIKE '%/below/%'")"
runs 0 "$SIMHASH" --forget "$files"
same "all views" 0 "$(stored | wc -l)"
same "all rows" "0 0" "$(sql "SELECT COUNT(*) FROM file_group") $(sql "SELECT COUNT(*) FROM file_pair")"

# ---- The old answer or the new one ----

reset
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND" --store --same-extension
stored >old
"$SIMFIND" -q --store >/dev/null
stored >new
cmp -s old new && fail "both are the same, which proves nothing"
runs 0 "$SIMFIND" --store --same-extension
# An interrupted run left rows, which no view shows and which the next run removes.
sql "INSERT INTO find_run(id, tag_set, host, options, program_version, state, started_at_ns)
	SELECT id + 1, tag_set, host, options, program_version, 'begun', started_at_ns FROM find_run"
sql "INSERT INTO file_group SELECT run + 1, host, path_hash, content_hash, group_id, role, representative_host,
	representative_hash, distance, resemblance, verified FROM file_group"
stored >found
cmp old found || fail "rows of a run that was cut off are shown: $(diff old found | head -4)"
[ "$(sql "SELECT COUNT(DISTINCT run) FROM file_group")" = 2 ] || fail "none was cut off"
runs 0 "$SIMFIND" --store --same-extension
same "runs left" "1 1" "$(sql "SELECT COUNT(*) FROM find_run") $(sql "SELECT COUNT(DISTINCT run) FROM file_group")"

# Killed at any moment. A server may still execute a statement.
settled() {
	stored >found
	stored >again
	cmp -s found again
}
for try in $(seq 20); do
	"$SIMFIND" -q --store >/dev/null &
	process=$!
	sleep "0.0$((try % 5))$((RANDOM % 10))"
	kill -KILL $process 2>/dev/null || true
	wait $process 2>/dev/null || true
	wait_until settled
	cmp -s old found || cmp -s new found || fail "killed: neither the old answer nor the new one"
	cmp -s old found || runs 0 "$SIMFIND" -q --store --same-extension
done
# Read while it is replaced.
(for _ in $(seq 3); do
	"$SIMFIND" -q --store >/dev/null
	"$SIMFIND" -q --store --same-extension >/dev/null
done) &
process=$!
grep '^group' old >old_groups
grep '^group' new >new_groups
while kill -0 $process 2>/dev/null; do
	sql "SELECT 'group', group_id, files, bytes, copied_bytes, representative_path FROM similar_group" | LC_ALL=C sort >found
	cmp -s old_groups found || cmp -s new_groups found || fail "neither the old answer nor the new one: $(wc -l <found)"
done
wait $process
runs 0 "$SIMFIND" -q --store --same-extension
stored >found
cmp old found || fail "after all: $(diff old found | head -4)"
same "runs left" "1 1 1" "$(sql "SELECT COUNT(*) FROM find_run") $(sql "SELECT COUNT(DISTINCT run) FROM file_group") $(
	sql "SELECT COUNT(DISTINCT run) FROM file_pair")"
