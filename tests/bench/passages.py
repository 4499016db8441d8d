#!/usr/bin/env python3
"""Measures how often simfind --verify=read finds a passage in the file that it is from.

    tests/bench/passages.py BUILD FOLDER [SEED]

Takes 600 files each of prose (copyright files and other texts) and of code (Python and C) from
/usr, and makes 600 tables in CSV. Half of them are indexed in FOLDER (200 MB, not removed). For each
size it cuts 50 passages of each kind from files of the index, exact and with three words changed,
and 50 from the other files. All passages are requested in one run. A passage is found if its file
is listed. The truth is the share of the bytes of its normal form in stretches of at least 16 bytes
that the other file has. Prints a table in Markdown, and the listed file with the smallest share.
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import time

SIZES = (200, 500, 1000, 4000)
FILES, PASSAGES = 600, 50


def kind_of(name):
    if name == "copyright" or name.endswith((".txt", ".rst", ".md")):
        return "prose"
    return "code" if name.endswith((".py", ".c", ".h")) else None


def find_files():
    files = {"prose": [], "code": []}
    for folder, folders, names in os.walk("/usr"):
        folders.sort()
        for name in sorted(names):
            path, kind = os.path.join(folder, name), kind_of(name)
            if kind and not os.path.islink(path) and 9000 <= os.path.getsize(path) <= 2000000:
                files[kind].append(path)
    return files


def table(names):
    """A table of orders: most of its rows differ in a few numbers."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["order", "date", "customer", "article", "count", "price", "state"])
    for order in range(random.randint(200, 3000)):
        rows.writerow([100000 + order, f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}", random.choice(names),
                       f"A-{random.randint(1, 4000):05}", random.randint(1, 20), f"{random.randint(100, 99999) / 100:.2f}",
                       random.choice(("open", "paid", "sent"))])
    return out.getvalue().encode()


def change_words(passage):
    """Replace three words by others of about the same length."""
    words = [match for match in re.finditer(rb"[A-Za-z0-9]{3,}", passage)]
    for match in sorted(random.sample(words, 3), key=lambda match: -match.start()):
        new = bytes(random.choices(b"bcdfghjklmnpqrstvwxz", k=max(3, len(match.group()) + random.randint(-1, 1))))
        passage = passage[:match.start()] + new + passage[match.end():]
    return passage


def cut(content, size):
    for _ in range(100):
        at = random.randrange(len(content) - size)
        passage = content[at:at + size]
        if len(set(re.findall(rb"[A-Za-z0-9]{3,}", passage))) >= 10:
            return passage
    return None


def make(folder):
    os.makedirs(f"{folder}/index")
    os.makedirs(f"{folder}/others")
    os.makedirs(f"{folder}/requests")
    names = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(4, 12))) for _ in range(300)]
    contents = {}
    for kind, paths in find_files().items():
        contents[kind] = []
        for path in random.sample(paths, min(FILES, len(paths))):
            with open(path, "rb") as file:
                contents[kind].append(file.read())
    contents["CSV"] = [table(names) for _ in range(FILES)]
    for kind, files in contents.items():
        for number, content in enumerate(files):
            with open(f"{folder}/{'index' if number % 2 == 0 else 'others'}/{kind}-{number}", "wb") as file:
                file.write(content)
        for size in SIZES:
            for variant, first in (("exact", 0), ("changed", 0), ("stranger", 1)):
                made = 0
                while made < PASSAGES:
                    number = random.randrange(first, len(files), 2)
                    passage = cut(files[number], size)
                    if passage is None:
                        continue
                    with open(f"{folder}/requests/{kind}-{size}-{variant}-{made}-{number}", "wb") as file:
                        file.write(change_words(passage) if variant == "changed" else passage)
                    made += 1


def read(path):
    with open(path, "rb") as file:
        return re.sub(rb"[ \t\n\v\f\r]+", b" ", file.read()).strip(b" ")


def share(passage, shingles):
    """The share of the bytes of a passage in common stretches of 16 bytes."""
    covered, end = 0, 0
    for at in range(len(passage) - 15):
        if passage[at:at + 16] in shingles:
            covered += at + 16 - max(at, end)
            end = at + 16
    return covered / len(passage)


def find(build, folder):
    index = f"sqlite:{folder}/index.db"
    subprocess.run([f"{build}/simhash", "-q", "-d", index, f"{folder}/index"], check=True)
    with open(f"{folder}/list", "w", encoding="utf-8") as file:
        file.write("\0".join(f"{folder}/requests/{name}" for name in sorted(os.listdir(f"{folder}/requests"))))
    found = {}
    started = time.monotonic()
    subprocess.run([f"{build}/simfind", "-q", "-d", index, f"--files0-from={folder}/list", "--verify=read", "--format=json",
                    "-o", f"{folder}/list.json"], check=True)
    seconds = time.monotonic() - started
    with open(f"{folder}/list.json", encoding="utf-8") as file:
        for pair in json.load(file):
            for a, b in (("a", "b"), ("b", "a")):
                if "/requests/" in pair["path_" + a] and "/index/" in pair["path_" + b]:
                    key = os.path.basename(pair["path_" + a]), os.path.basename(pair["path_" + b])
                    found[key] = pair["contained_" + a]
    return found, seconds


def main():
    build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    if not os.path.exists(f"{folder}/index"):
        make(folder)
    found, seconds = find(build, folder)
    names = sorted(os.listdir(f"{folder}/requests"))
    print("| passages: found, % | " + " | ".join(f"{size} bytes" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 1) + "|")
    for kind in ("prose", "code", "CSV"):
        for variant, text in (("exact", "exact"), ("changed", "three words changed")):
            cells = []
            for size in SIZES:
                asked = [name for name in names if name.startswith(f"{kind}-{size}-{variant}-")]
                hits = sum((name, f"{kind}-{name.rsplit('-', 1)[1]}") in found for name in asked)
                cells.append(f"{100 * hits / len(asked):.0f}")
            print(f"| {kind}, {text} | " + " | ".join(cells) + " |")
    worst, by_file = (2.0, ""), {}
    for request, other in found:
        by_file.setdefault(other, []).append(request)
    below = 0
    for other, requests in by_file.items():
        content = read(f"{folder}/index/{other}")
        shingles = {content[at:at + 16] for at in range(len(content) - 15)}
        for request in requests:
            truth = share(read(f"{folder}/requests/{request}"), shingles)
            below += truth < 0.75
            worst = min(worst, (truth, f"{request} in {other}, said {found[request, other]:.3f}"))
    strangers = sum("-stranger-" in request for request, _ in found)
    print(f"\n{len(names)} passages in {seconds:.2f} s: {len(found)} pairs, {strangers} of them for {len(names) // 3} passages from other files.")
    print(f"{below} pairs have less than 75 % in stretches of 16 bytes; the smallest is {100 * worst[0]:.1f} % ({worst[1]}).")


if __name__ == "__main__":
    main()
