#!/usr/bin/env bash
# Tests damaged copies: files of equal size in which a bit, a run of zeros or whole blocks differ are
# named with the bytes, and edited files are not.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
export PAGER=cat TERM=dumb

# The changes are made here, and their ranges are written down: NAME, kind, ranges, and the file
# that lost content.
cat >plant.py <<'PYTHON'
import os, random, sys
random.seed(5)
files = sys.argv[1]
words = [bytes(random.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in range(random.randrange(3, 9))) for _ in range(800)]
text = b" ".join(random.choice(words) for _ in range(16000)).ljust(102400, b".")[:102400]
data = random.randbytes(102400)

def put(base, *changes):
    changed = bytearray(base)
    for at, new in changes:
        changed[at:at + len(new)] = new
    assert len(changed) == len(base) and changed != base
    return bytes(changed)

def flip(base, at, bit=7):
    return put(base, (at, bytes([base[at] ^ 1 << bit])))

letter = next(i for i in range(5000, 9000) if text[i] == ord("b"))
cases = {
    # damage
    "bit": (data, flip(data, 70001), "bit", [[70001, 70002]], None),
    "bit in text": (text, flip(text, 70001), "bit", [[70001, 70002]], None),
    "two bits": (text, flip(flip(text, 70001), 9), "bit", [[9, 10], [70001, 70002]], None),
    "zeros in a sector": (data, put(data, (512, bytes(512))), "lost", [[512, 1024]], "path_b"),
    "zeros in pages": (text, put(text, (8192, bytes(8192))), "lost", [[8192, 16384]], "path_b"),
    "zeros anywhere": (text, put(text, (777, bytes(3000))), "lost", [[777, 3777]], "path_b"),
    "zeros at the end": (data + b"abc" * 70, put(data + b"abc" * 70, (102400 - 512, bytes(722))), "lost", [[101888, 102610]], "path_b"),
    "the first is damaged": (put(data, (4096, bytes(4096))), data, "lost", [[4096, 8192]], "path_a"),
    "ones": (data, put(data, (1024, b"\xff" * 512)), "lost", [[1024, 1536]], "path_b"),
    "other bytes": (data, put(data, (512, random.randbytes(512)), (40960, random.randbytes(4096))), "blocks", [[512, 1024], [40960, 45056]], None),
    "other bytes in text": (text, put(text, (4096, random.randbytes(512))), "blocks", [[4096, 4608]], None),
    "both are damaged": (put(data, (4096, bytes(512))), put(data, (8192, bytes(512))), "blocks", [[4096, 4608], [8192, 8704]], None),
    "a letter": (text, flip(text, letter, 0), "bit or edit", [[letter, letter + 1]], None),
    # edits
    "two letters": (text, put(flip(text, letter, 0), (30000, b"B" if text[30000:30001] != b"B" else b"D")), None, None, None),
    "a word": (text, put(text, (30000, b"WORD")), None, None, None),
    "a long passage": (text, put(text, (30000, text[60000:61500])), None, None, None),
    "a number": (data, put(data, (100, (int.from_bytes(data[100:104], "little") + 12345).to_bytes(4, "little"))), None, None, None),
    "a short field": (data, put(data, (512, bytes(60))), None, None, None),
    "a block and a word": (data, put(data, (512, bytes(512)), (9000, b"word")), None, None, None),
    "an edited header": (data, put(data, (512, random.randbytes(400))), None, None, None),
    "blocks everywhere": (data, put(data, *((at, bytes(512)) for at in range(0, 20480, 2048))), None, None, None),
}
with open("expected", "w") as out:
    for name, (a, b, kind, ranges, lost) in cases.items():
        folder = os.path.join(files, name)
        os.mkdir(folder)
        # Each case has its own content, at the end of its files.
        tail = random.Random(name).randbytes(0)
        open(folder + "/a", "wb").write(a + tail)
        open(folder + "/b", "wb").write(b + tail)
        print(name, kind, ranges, lost, sep="|", file=out)
PYTHON
python3 plant.py "$files"
for folder in "$files"/*; do
	reset
	runs 0 "$SIMHASH" -q "$folder"
	runs 0 "$SIMFIND" --format=json --summary=none
	python3 - "${folder##*/}" <<'PYTHON' >>found
import json, sys
pair, = json.load(open("out"))
print(sys.argv[1], pair.get("damage"), pair.get("damaged_bytes"), pair.get("lost_in"), sep="|")
PYTHON
done
diff <(LC_ALL=C sort expected) <(LC_ALL=C sort found) || fail "other damage"

# ---- The list, groups and the page ----
shows() {
	reset
	runs 0 "$SIMHASH" -q "$files/$1"
	runs 0 "$SIMFIND" --summary=none
	same "$1" "$2" "$(sed "s|  $files/[^/]*/|  |g" out)"
}
shows "zeros anywhere" "damaged copy?     a  b  bytes 777-3776: zeros in the second file"
shows ones "damaged copy?     a  b  bytes 1024-1535: only 0xff in the second file"
shows "both are damaged" "damaged copy?     a  b  bytes 4096-4607, 8192-8703"
shows "a letter" "one bit differs   a  b  byte $(grep -ao '^a letter|.*' expected | grep -o '[0-9]*' | head -n 1)"
on_terminal 100 "$SIMFIND"
grep -A1 '^  one bit differs  [ab] ' screen | grep -q '^             byte [0-9]*$' || fail "the block: $(cat screen)"
shows "the first is damaged" "damaged copy?     a  b  bytes 4096-8191: zeros in the first file"
on_terminal 100 "$SIMFIND"
grep -Eq '^  damaged copy\?  [ab]  *102.4 kB$' screen || fail "the block: $(cat screen)"
grep -Eq '^             bytes 4096-8191: zeros in (this|the first) file$' screen || fail "the block: $(cat screen)"
on_terminal 100 "$SIMFIND" "$files/the first is damaged/b"
grep -A1 '^  damaged copy?  .*a  *102.4 kB$' screen | grep -q '^             bytes 4096-8191: zeros in this file$' ||
	fail "the match: $(cat screen)"
runs 0 "$SIMFIND" --group --format=json --summary=none
python3 -c 'import json
group, = json.load(open("out"))
first, other = group["members"]
assert other["damage"] == "lost" and other["damaged_bytes"] == [[4096, 8192]], other
assert other["lost_in"] == ("file" if other["path"].endswith("/a") else "representative"), other'
runs 0 "$SIMFIND" --format=html -o page.html
grep -Eq 'damaged copy\? \(bytes 4096-8191: zeros in (this|the first) file\)' page.html || fail "the page"

# A file that has changed since is not called damaged, and a file that cannot be read neither.
printf x >>"$files/the first is damaged/a"
runs 0 "$SIMFIND" --summary=none
grep -q '^damaged' out && fail "a changed file: $(cat out)"
rm "$files/the first is damaged/a"
runs 0 "$SIMFIND" --summary=none
grep -q '^damaged' out && fail "a removed file: $(cat out)"
true
