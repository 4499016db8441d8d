#!/usr/bin/env bash
# Tests the report of directories in a real browser: see directories.py. The expected text comes
# from JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

python3 - "$files" <<'PYTHON'
import os, random, shutil, sys, zipfile
top, chance = sys.argv[1], random.Random(4)
def put(path, lines):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.writelines(lines)
def lines(count):
    return [f"{chance.random()}\n" for _ in range(count)]
for i in range(40):
    put(f"project/src/lib/f{i:02}.c", lines(120))
put("project/doc/<b class=injected>README", lines(5))
put("project/doc/\x1b[31m\n</script><script>window.injected=1</script>", lines(5))
shutil.copytree(top + "/project", top + "/backup/of project")
for i in range(3):
    with open(f"{top}/project/src/lib/f0{i}.c", "a") as file:
        file.write("one more line\n")
os.rename(top + "/project/src/lib/f30.c", top + "/project/doc/moved.c")
put("project/new.txt", lines(3))
put("backup/of project/doc/old.txt", lines(3))
shutil.copy(top + "/project/src/lib/f10.c", top + "/backup/of project/doc/copy.c")
shutil.copy(top + "/project/src/lib/f11.c", top + "/backup/of project/doc/alike.c")
with open(top + "/backup/of project/doc/alike.c", "a") as file:
    file.write("one more line\n")
put("project/doc/short", ["a\n"])
put("backup/of project/doc/short", ["b\n"])
put("project/doc/all.log", lines(900))
with open(top + "/project/doc/all.log") as file:
    part = file.readlines()[300:700]
put("backup/of project/doc/part.log", part)
put("project/doc/grown.log", lines(900))
with open(top + "/project/doc/grown.log") as file:
    put("backup/of project/doc/grown.log", file.readlines()[:300])
for i in range(450):
    put(f"many/{i:04}", [f"{i}\n"])
    put(f"more/{i:04}", [f"{i}\n"])
put("more/one", ["x\n"])
for i in range(3):
    put(f"photos/p{i}", lines(200))
with zipfile.ZipFile(top + "/photos.zip", "w") as archive:
    for i in range(3):
        archive.write(f"{top}/photos/p{i}", f"all/p{i}")
PYTHON
settle "$files"
runs 0 "$SIMHASH" -q -z "$files"
runs 0 "$SIMFIND" -q --directories --format=json -o pairs.json
runs 0 "$SIMFIND" -q --directories --format=html -o pairs.html
same "permissions" 600 "$(stat -c %a pairs.html)"
same "control bytes in the page" 0 "$(LC_ALL=C tr -d '\n\t -~\200-\377' <pairs.html | wc -c)"
runs 0 "$SIMFIND" -q --directories --format=json "$files/project" "$files/backup/of project" -o two.json
runs 0 "$SIMFIND" -q --directories --format=html "$files/project" "$files/backup/of project" -o two.html
runs 0 "$SIMFIND" --directories --format=html --limit=1 -o limited.html
said "$(($(grep -c '^{' pairs.json) - 1)) more pairs left out by --limit"
grep -q "\"found\":$(grep -c '^{' pairs.json)," limited.html || fail "the page does not count left-out groups"
same "pairs of the page" 1 "$(grep -c '^{"match"' limited.html)"
# A pair whose files are left out because of the limit.
sed 's/"detailed":true/"detailed":false/' pairs.html >room.html
python3 "$SOURCE_DIR/tests/report/directories.py" pairs.html pairs.json two.html two.json room.html ${PICTURES:+"$PICTURES"}
