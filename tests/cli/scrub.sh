#!/usr/bin/env bash
# Tests simhash --scrub and simfind --damaged: each damaged file is found with the number and the
# places of its wrong bytes, no honest edit is, a run continues where it stopped, and damaged files
# are not copies. tests/cli/scrub.py makes the damage and computes the expected result.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

damages=${DAMAGES:-56} # with and without an intact copy
mkdir -p "$files"/{a,alone,edited} "$TEST_FOLDER/copies"
seed=${SEED:-$(date +%s)}
echo "seed $seed"
python3 - "$files" "$damages" "$seed" <<'EOP'
import random, sys
rng = random.Random(int(sys.argv[3]))
for folder in "a", "alone", "edited":
    for i in range(int(sys.argv[2])):
        size = rng.choice([20, 512, 4095, 4096, 4097, rng.randint(16, 40000), rng.randint(40000, 300000)])
        with open(f"{sys.argv[1]}/{folder}/{i}", "wb") as file:
            file.write(rng.randbytes(size) if rng.random() < 0.7 else (f"{folder} {i}\n".encode() * size)[:size])
EOP
: >"$files/empty"
truncate -s 3M "$files/sparse"
printf x | dd of="$files/sparse" bs=1 seek=2000000 conv=notrunc status=none
ln "$files/sparse" "$files/sparse link"
random_bytes 3000000 1 >"$files/large"
cp "$files/large" "$files/large copy"
settle "$files"
cp -a "$files/a" "$TEST_FOLDER/copies"
runs 0 "$SIMHASH" -q "$files" "$TEST_FOLDER/copies"
number=$((4 * damages + 5))

scrubbed() { # VERIFIED DAMAGED CHANGED FAILED
	same "summary" "$1 verified $2 damaged $3 changed $4 failed" \
		"$(tr -d , <"$TEST_FOLDER/err" | grep -o '^[0-9]* verified.* failed')"
}

# ---- Without damage ----
runs 0 "$SIMHASH" --scrub
scrubbed $number 0 0 0
same "verification times" "$number 0" "$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns > scanned_at_ns") $(sql "SELECT COUNT(*) FROM damage")"
runs 0 "$SIMFIND" --damaged
same "nothing is damaged" "" "$(cat out)"
said "No file is known to be damaged."
runs 0 "$SIMHASH" --scrub "$files/large" "$files/sparse link"
scrubbed 2 0 0 0
runs 1 "$SIMHASH" --scrub "$TEST_FOLDER"/nothing
said "the index has no files"
for wrong in 0 -1 2x 200% 0h "1 h" h; do
	runs 1 "$SIMHASH" --scrub="$wrong"
	said "--scrub '$wrong': expected a part of the bytes such as 10%, or a time such as 30m or 2h"
done
runs 1 "$SIMHASH" --limits=rate=1M "$files"

# ---- A part in each run, the least recently verified files first; the last file may exceed the part ----
before=$(sql "SELECT MAX(verified_at_ns) FROM file")
runs=0
while [ "$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns <= $before")" != 0 ]; do
	runs=$((runs + 1))
	[ $runs -le 5 ] || fail "five runs of a quarter did not verify all files"
	runs 0 "$SIMHASH" --scrub=25%
done
[ $runs -ge 3 ] || fail "$runs runs of a quarter verified all files"
runs 0 "$SIMHASH" --scrub=1m
scrubbed $number 0 0 0

# ---- An interrupted run continues ----
before=$(sql "SELECT MAX(verified_at_ns) FROM file")
"$SIMHASH" -q --scrub --limits=rate=2M -j1 2>err &
pid=$!
some_are_new() { [ "$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns > $before")" -gt 0 ]; }
wait_until some_are_new
kill -INT $pid
status=0
wait $pid || status=$?
[ $status = 130 ] || fail "an interrupted run ended with $status: $(cat err)"
said "the next run continues"
new=$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns > $before")
middle=$(sql "SELECT MAX(verified_at_ns) FROM file")
[ "$new" -lt $number ] || fail "the run was not interrupted"
for _ in 1 2 3 4 5 6 7 8 9; do
	runs 0 "$SIMHASH" --scrub=10%
	left=$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns <= $before")
	[ "$left" != 0 ] || break
	same "files that were verified twice before all were verified once" "$new" \
		"$(sql "SELECT COUNT(*) FROM file WHERE verified_at_ns > $before AND verified_at_ns <= $middle")"
done

# ---- Damage ----
find "$files/a" "$files/alone" -type f | sort >damaged
xargs -d '\n' python3 "$SOURCE_DIR/tests/cli/scrub.py" damage "$seed" <damaged >expected
find "$files/edited" -type f | sort | xargs -d '\n' python3 "$SOURCE_DIR/tests/cli/scrub.py" edit "$seed"
status=0
"$SIMHASH" --scrub 2>err || status=$?
same "status" 3 $status
scrubbed $((number - 3 * damages)) $((2 * damages)) $damages 0
runs 3 "$SIMFIND" --damaged --format=jsonl
python3 - "$files" expected out "$TEST_FOLDER/copies" <<'EOP'
import json, os, sys
files, expected, found, copies = sys.argv[1:]
wanted = {}
for line in open(expected):
    path, *numbers = line.split()
    wanted[path] = list(map(int, numbers))
for line in open(found):
    damage = json.loads(line)
    path = damage["path"]
    numbers = wanted.pop(path)
    assert damage["state"] == "time restored", damage
    assert damage["found_size"] == os.stat(path).st_size, damage
    if path.startswith(files + "/a/"):
        measured = [damage[key] for key in ("different_bytes", "compared_bytes", "first_byte", "last_byte")]
        assert measured == numbers, (damage, numbers)
        assert copies + path[len(files):] in damage["intact"], damage
    else:
        assert "different_bytes" not in damage, damage
assert not wanted, f"not found: {wanted}"
EOP
same "damaged files" $((2 * damages)) "$("$SIMFIND" --damaged --format=null 2>err | tr -dc '\0' | wc -c)"
same "damaged files of one folder" "$damages" "$("$SIMFIND" --damaged --format=null "$files/a" 2>err | tr -dc '\0' | wc -c)"
runs 0 "$SIMFIND" --damaged "$TEST_FOLDER/copies"
same "rows of the view" "$damages time restored" \
	"$(sql "SELECT COUNT(different_bytes), kind FROM damaged_file GROUP BY kind" | tr '|' ' ')"

runs 0 "$SIMHASH" --status
grep -q "^$((2 * damages)) files are damaged; simfind --damaged lists them" out || fail "$(cat out)"
runs 0 "$SIMFIND" "$files"
grep -qE 'simfind: note: [0-9,]+ files? (is|are) damaged, and listed with the content (it|they) had; simfind --damaged shows (it|them)' err ||
	fail "a list does not mention damage: $(cat err)"
runs 0 "$SIMHASH" --status --format=json
grep -q "\"damaged\":$((2 * damages)),\"oldest_verified\":\"20" out || fail "$(cat out)"

# ---- The next run of simhash does not forget ----
# A size that changed together with the status time is new content: the truncated and padded files.
resized=$((damages / 7 * 2))
runs 0 "$SIMHASH" "$files/a"
summary $resized $((damages - resized)) 0 0
same "damaged files after a run" $((2 * damages - resized)) "$(sql "SELECT COUNT(*) FROM damaged_file")"
same "rows of damage" $((2 * damages - resized)) "$(sql "SELECT COUNT(*) FROM damage")"
# A file that is read for another reason keeps its row.
hashes=$(sql "SELECT HEX(content_hash) FROM file ORDER BY host, path_hash")
sql "DELETE FROM damage"
sql "UPDATE file SET pieces = 0"
runs 2 "$SIMHASH" "$files/a"
said "it is damaged, or a program restored the time; the index keeps the hash of the right content"
same "rows" "$hashes" "$(sql "SELECT HEX(content_hash) FROM file ORDER BY host, path_hash")"
sql "UPDATE file SET pieces = 1"
large_enough=$(find "$files/a" -size +2047c | wc -l)
[ "$large_enough" -gt 20 ] || fail "only $large_enough files have pieces"
found=$(sql "SELECT COUNT(*) FROM damage")
[ "$found" -gt $((large_enough / 2)) ] || fail "a run found only $found damaged files"
runs 3 "$SIMHASH" -q --scrub "$files/a"
same "damaged files again" $((damages - resized)) "$(sql "SELECT COUNT(*) FROM damaged_file WHERE different_bytes > 0")"

# A copy of the index knows the times and the damage.
if [ "$TEST_ENGINE" = sqlite ]; then
	runs 0 "$SIMHASH" -q --copy-to="sqlite:$TEST_FOLDER/copy.db"
	times="SELECT hex(path_hash), verified_at_ns, ctime_ns FROM file ORDER BY 1"
	damage="SELECT hex(path_hash), hex(found_hash), first_byte, resemblance FROM damage ORDER BY 1"
	same "times of the copy" "$(sql "$times")" "$(sqlite3 copy.db "$times")"
	same "damage of the copy" "$(sql "$damage")" "$(sqlite3 copy.db "$damage")"
fi

# ---- Damaged files are not copies ----
runs 3 "$SIMFIND" --damaged --format=null "$files/a"
first=$(tr '\0' '\n' <out | first 1)
copy=$TEST_FOLDER/copies${first#"$files"}
mkdir only
cp -p "$copy" only/one
runs 0 "$SIMHASH" -q only
rm "$copy"
# If no other file has this content, the copy that the index knows is damaged.
if [ "$(sql "SELECT COUNT(*) FROM file_text WHERE content_hash = (SELECT content_hash FROM file_text WHERE path = '$first')")" = 3 ]; then
	runs 3 "$SIMFIND" --missing --summary=none only
	grep -q "one$" out || fail "a damaged file counts as a copy"
	runs 0 "$SIMFIND" --copies=1 --summary=none only
	grep -q "one$" out || fail "a damaged file counts as a copy"
fi
runs 0 "$SIMHASH" -q "$TEST_FOLDER/copies"
runs 0 "$SIMKEEP" -q --keep=longest-name --action=script:-
grep -q "large copy" out || fail "no copies: $(cat out)"
grep -q -F "$first" out && fail "simkeep would keep or remove a damaged file"

# ---- The content is right again, or somebody changed it ----
cat only/one >"$first"
touch -d 2020-01-01 "$first"
second=$(sql "SELECT MIN(path) FROM damaged_file WHERE path <> '$first' AND path LIKE '%/a/%'")
third=$(sql "SELECT MAX(path) FROM damaged_file WHERE path LIKE '%/a/%'")
echo "edited" >"$second"
rm "$third"
runs 3 "$SIMHASH" --scrub "$files/a"
said "$first: its content is right again"
same "a file that is right again" 0 "$(sql "SELECT COUNT(*) FROM damage WHERE path_hash = (SELECT path_hash FROM file JOIN file_text t USING (name)
	WHERE t.path = '$first' LIMIT 1) AND found_size < 0")"
same "damage of files that were repaired, edited and removed" "0 1 1" "$(for path in "$first" "$second" "$third"; do
	sql "SELECT COUNT(*) FROM damaged_file WHERE path = '$path'"; done | paste -sd ' ')"
runs 0 "$SIMHASH" -q "$files/a"
same "after a run" "0 0 0" "$(for path in "$first" "$second" "$third"; do
	sql "SELECT COUNT(*) FROM damaged_file WHERE path = '$path'"; done | paste -sd ' ')"
# A file that was indexed just after it was written may have been written on with the same time: an
# indexing run reads a new size as a change, and not as damage.
seq 3000 >"$files/fresh"
runs 0 "$SIMHASH" -q "$files/fresh"
touch -r "$files/fresh" "$TEST_FOLDER/time"
size=$(stat -c %s "$files/fresh")
echo more >>"$files/fresh"
touch -r "$TEST_FOLDER/time" "$files/fresh"
sql "UPDATE file SET ctime_ns = $(stat -c %.9Z "$files/fresh" | tr -d .) WHERE size = $size" >/dev/null
runs 0 "$SIMHASH" "$files/fresh"
summary 1 0 0 0
# With --force, the content that is there counts.
accepted=$(sql "SELECT COUNT(*) FROM damaged_file WHERE path LIKE '$files/%'")
[ "$accepted" -gt 1 ] || fail "$accepted damaged files"
runs 0 "$SIMHASH" --force "$files"
said "accepted the present content of $accepted damaged files"
same "after --force" 0 "$(sql "SELECT COUNT(*) FROM damage")"
runs 0 "$SIMHASH" --scrub --summary=json
grep -q '"task":"scrub","result":"ok","exit":0.*"damaged":0,' err || fail "$(cat err)"
python3 - err <<'EOP'
import json, sys
s = json.loads(open(sys.argv[1]).read().splitlines()[-1])
assert set(s) == {"program", "version", "task", "result", "exit", "started", "host", "paths", "verified", "damaged",
                  "time_restored", "right_again", "changed", "failed", "files_left", "bytes_left", "bytes", "seconds", "error"}, s
EOP

