#!/usr/bin/env python3
"""Measures how often simfind finds a file inside a larger one, with files of a tree.

    tests/bench/contained.py BUILD FOLDER [SEED] [OPTION]...

Takes 20 files each of twelve kinds, of 1.5 to 400 kB, from /usr. For each file A it makes files of
1.2 to 50 times its size: all, 90 % or half of A, at the front, in the middle or in three places,
between bytes of other files of the same kind. They are indexed in FOLDER (1.5 GB, not removed) with
2,000 strangers of these kinds, and then each A is requested. The OPTIONs are for simhash. Prints a
table in Markdown. The truth is the share of the different shingles of A, of the normal form of a
text. A half is wrong if it is called a part although less than 75 % of A is there.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys

RATIOS = (1.2, 2, 5, 10, 50)
KINDS = {"Python": (".py",), "C": (".h", ".c"), "HTML": (".html", ".htm"), "JavaScript": (".js",),
         "libraries": (".so",), "PNG": (".png",), "gzip": (".gz",), "bytecode": (".pyc",),
         "texts": ("copyright", ".txt"), "XML": (".xml", ".svg"), "translations": (".mo",), "programs": ()}


def read(path):
    with open(path, "rb") as file:
        return file.read(40 << 20)


def kind_of(folder, name):
    if folder in ("/usr/bin", "/usr/sbin"):
        return "programs"
    if ".so." in name:
        return "libraries"
    return next((kind for kind, ends in KINDS.items() if ends and name.endswith(ends)), None)


def find_files(tree):
    files = collections.defaultdict(list)
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            path, kind = os.path.join(folder, name), kind_of(folder, name)
            if kind and not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) >= 1500:
                files[kind].append(path)
    return files


def fill(size, others, share):
    """Bytes of other files: of each at most `share` bytes if it is much larger."""
    filler = b""
    while len(filler) < size:
        other = read(random.choice(others))
        filler += other[:max(1500, share)] if len(other) > 4 * share else other
    return filler[:size]


def insert(part, filler):
    where = random.choice(("front", "middle", "places"))
    if where == "front":
        return part + filler
    if where == "middle":
        return filler[:len(filler) // 2] + part + filler[len(filler) // 2:]
    third, quarter = len(part) // 3, len(filler) // 4
    return (filler[:quarter] + part[:third] + filler[quarter:2 * quarter] + part[third:2 * third] +
            filler[2 * quarter:3 * quarter] + part[2 * third:] + filler[3 * quarter:])


def make(folder, tree="/usr", count=20):
    os.makedirs(f"{folder}/index")
    os.makedirs(f"{folder}/requests")
    for kind, paths in find_files(tree).items():
        random.shuffle(paths)
        chosen = [path for path in paths if os.path.getsize(path) <= 400000][:count]
        others = sorted(set(paths) - set(chosen))
        if not others:
            continue
        for number, path in enumerate(chosen):
            whole, name = read(path), f"{kind}-{number}"
            with open(f"{folder}/requests/{name}", "wb") as file:
                file.write(whole)
            for ratio in RATIOS:
                if ratio == 50 and len(whole) > 200000:
                    continue
                for variant, part in (("all", whole), ("most", whole[:len(whole) * 9 // 10]), ("half", whole[:len(whole) // 2])):
                    filler = fill(max(0, int(len(whole) * ratio) - len(part)), others, len(whole))
                    with open(f"{folder}/index/{name}-{ratio}-{variant}", "wb") as file:
                        file.write(insert(part, filler))
        for number, path in enumerate(random.sample(others, min(8 * count + 10, len(others)))):
            with open(f"{folder}/index/stranger-{kind}-{number}", "wb") as file:
                file.write(read(path))


def shingles(path):
    content = read(path)
    head = content[:4096]
    if b"\0" not in head and sum(byte < 32 and byte not in b"\t\n\v\f\r\b\x1b" for byte in head) * 50 <= len(head):
        content = re.sub(rb"[ \t\n\v\f\r]+", b" ", content)
    return {content[at:at + 16] for at in range(len(content) - 15)}


def share(folder, name, whole):
    """The share of a requested file that is in a file of the index, and the reverse."""
    part, other = shingles(f"{folder}/requests/{name}"), shingles(f"{folder}/index/{whole}")
    return len(part & other) / max(1, len(part)), len(part & other) / max(1, len(other))


def find(build, folder, options):
    index = f"sqlite:{folder}/index.db"
    for file in ("index.db", "index.db-wal", "index.db-shm"):
        if os.path.exists(f"{folder}/{file}"):
            os.remove(f"{folder}/{file}")
    subprocess.run([f"{build}/simhash", "-q", "-d", index, *options, f"{folder}/index"], check=True)
    with open(f"{folder}/list", "w", encoding="utf-8") as file:
        file.write("\0".join(f"{folder}/requests/{name}" for name in sorted(os.listdir(f"{folder}/requests"))))
    subprocess.run([f"{build}/simfind", "-q", "-d", index, f"--files0-from={folder}/list", "--format=json", "-o", f"{folder}/list.json"],
                   check=True)
    found = {}
    with open(f"{folder}/list.json", encoding="utf-8") as file:
        for pair in json.load(file):
            for a, b in (("a", "b"), ("b", "a")):
                if "/requests/" in pair["path_" + a] and "/index/" in pair["path_" + b]:
                    key = os.path.basename(pair["path_" + a]), os.path.basename(pair["path_" + b])
                    found[key] = pair.get("contained_" + a, pair["resemblance"]), pair.get("contained_" + b, pair["resemblance"])
    return found


def main():
    build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    if not os.path.exists(f"{folder}/index"):
        make(folder)
    found = find(build, folder, sys.argv[4:])
    names = sorted(os.listdir(f"{folder}/requests"))
    print("| in a file of this many times the size | " + " | ".join(map(str, RATIOS)) + " |")
    print("|---" * (len(RATIOS) + 1) + "|")
    missed = collections.Counter()
    for variant, text in (("all", "all of A: found, %"), ("most", "90 % of A: found, %"), ("half", "half of A: wrongly called a part, %")):
        cells = []
        for ratio in RATIOS:
            made = [(name, f"{name}-{ratio}-{variant}") for name in names if os.path.exists(f"{folder}/index/{name}-{ratio}-{variant}")]
            if variant == "half":
                hits = sum(key in found and found[key][0] >= 0.8 and share(folder, *key)[0] < 0.75 for key in made)
            else:
                hits = sum(key in found for key in made)
                missed.update(key[0].split("-")[0] for key in made if key not in found)
            cells.append(f"{100 * hits / len(made):.1f}")
        print(f"| {text} | " + " | ".join(cells) + " |")
    strangers = [key for key in found if key[1].startswith("stranger-")]
    wrong = [key for key in strangers if max(share(folder, *key)) < 0.5]
    print(f"\nOf {len(names)} requests, {len(strangers)} pairs with strangers are listed, {len(wrong)} of them with less than half in common.")
    print("Missed: " + ", ".join(f"{kind} {count}" for kind, count in missed.most_common()) + ".")


if __name__ == "__main__":
    main()
