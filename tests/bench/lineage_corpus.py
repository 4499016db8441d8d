#!/usr/bin/env python3
"""Makes version histories with known order, and measures how often a lineage of them is right.

    lineage_corpus.py git REPOSITORY OUT [PATHS [COMMITS]]   blobs of the most changed paths
    lineage_corpus.py trees FOLDER OUT                       FOLDER/PACKAGE/VERSION/...
    lineage_corpus.py cases SEED OUT                         histories and strangers with usual names
    lineage_corpus.py score OUT LINEAGE.json...

OUT gets four folders with the same contents. In `numbers`, the name of a directory contains the
number of the version and all times are equal, as after unpacking; in `times`, directories have random
names and files have the time of their version; in `blind`, names are random and times are equal; in
`scrambled`, names and times are random. OUT/truth.json has the series: the paths of each version.
SPDX-License-Identifier: MIT
"""
import json
import os
import random
import re
import subprocess
import sys
import zlib

DAY = 86400
START = 1400000000


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, stdout=subprocess.PIPE).stdout


def git_series(repository, paths, commits):
    """The contents of each of the paths with the most versions, the oldest first."""
    counts = {}
    log = git(repository, "log", "--first-parent", "--reverse", "--no-renames", "-m", "--raw", "--abbrev=40",
              "--format=", "--diff-filter=AM", "-z", "HEAD").split(b"\0")
    history = {}
    for meta, path in zip(log[0::2], log[1::2]):
        blob = meta.split()[3].decode()
        history.setdefault(path, []).append(blob)
        counts[path] = counts.get(path, 0) + 1
    for path in sorted(counts, key=lambda p: (-counts[p], p))[:paths]:
        blobs = list(dict.fromkeys(history[path]))[-commits:]
        yield os.path.basename(os.fsdecode(path)), [git(repository, "cat-file", "blob", b) for b in blobs]


def version_key(name):
    return [(int(t), "") if t.isdigit() else (-1, t) for t in re.findall(r"\d+|[a-z]+", name)]


def tree_series(folder):
    """The contents of each path of a package, by version."""
    for package in sorted(os.listdir(folder)):
        top = os.path.join(folder, package)
        versions = sorted((v for v in os.listdir(top) if os.path.isdir(os.path.join(top, v))), key=version_key)
        series = {}
        for version in versions:
            for here, _, names in os.walk(os.path.join(top, version)):
                for name in names:
                    path = os.path.join(here, name)
                    if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 0:
                        key = os.path.relpath(path, os.path.join(top, version))
                        with open(path, "rb") as f:
                            series.setdefault(key, []).append(f.read())
        for key in sorted(series):
            yield os.path.basename(key), series[key]


def write(path, content, when):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)
    os.utime(path, (when, when))


def make(source, out):
    chance = random.Random(20261122)
    truth = []
    for number, (name, contents) in enumerate(source):
        contents = list(dict.fromkeys(contents))  # a version that comes back counts once
        if len(contents) < 3:
            continue
        codes = chance.sample(range(10**9), len(contents))
        times = chance.sample(range(len(contents)), len(contents))
        series = []
        for i, content in enumerate(contents):
            folder = f"s{number:05d}/{codes[i]:09x}".translate(str.maketrans("0123456789", "ghijklmnop"))
            paths = {
                "numbers": (f"s{number:05d}/v1.{i}/{name}", START),
                "times": (f"{folder}/{name}", START + i * DAY),
                "blind": (f"{folder}/{name}", START),
                "scrambled": (f"{folder}/{name}", START + times[i] * DAY),
            }
            for kind, (path, when) in paths.items():
                write(os.path.join(out, kind, path), content, when)
            series.append({kind: path for kind, (path, when) in paths.items()})
        truth.append({"versions": series, "times": times})
    with open(os.path.join(out, "truth.json"), "w", encoding="utf-8") as f:
        json.dump(truth, f)


# ---- Histories and strangers with the names that people give them ----

def random_bytes(chance, size):
    return chance.getrandbits(8 * size).to_bytes(size, "little") if size > 0 else b""


def words(chance, size):
    """Text of about this size: words of a vocabulary, the frequent ones more often."""
    text = []
    while size > 0:
        word = VOCABULARY[int(len(VOCABULARY) ** chance.random()) - 1]
        text.append(word)
        size -= len(word) + 1
    return (" ".join(text) + "\n").encode()


VOCABULARY = ["".join(random.Random(n).choices("etaoinshrdlucmfw", k=2 + n % 9)) for n in range(8000)]


def edited(chance, text, share):
    """A text after edits of some sentences, which change about this share of its bytes."""
    left = int(share * len(text))
    while left > 0:
        size, at = min(left, chance.randrange(20, 400)), chance.randrange(len(text))
        text = text[:at] + words(chance, size) + text[at + chance.choice([0, size // 2, size]):]
        left -= size
    return text


def chain(chance, count, size=None):
    text, share = words(chance, size or chance.choice([3000, 12000, 60000])), chance.choice([0.01, 0.03, 0.1, 0.25])
    for _ in range(count):
        yield text
        text = edited(chance, text, share * chance.uniform(0.5, 1.5))


def filled(chance, count, is_text):
    """Strangers: files with the same template, each filled with something else."""
    size, share = chance.choice([4000, 25000, 80000]), chance.choice([0.3, 0.5, 0.8, 0.9, 0.96])
    template = [words(chance, size // 5) if is_text else random_bytes(chance, size // 5) for _ in range(5)]
    for _ in range(count):
        own = words(chance, int(5 * size * (1 / share - 1) * chance.uniform(0.8, 1.2) ** 2))
        if is_text:  # the fields of a form
            parts = [own[len(own) * i // 5:len(own) * (i + 1) // 5] for i in range(5)]
            yield b"".join(t + p for t, p in zip(template, parts))
        else:
            own = zlib.compress(own, 9)
            yield b"".join(template) + own[:int(size * (1 / share - 1) * chance.uniform(0.8, 1.2))]


TITLES = ["report", "letter", "Budget", "thesis", "Minutes", "offer", "cv", "plan", "Presentation", "contract"]
FORMS = {  # the names of strangers, and whether they are texts
    "invoices": (lambda i, c: f"Invoice {1001 + i}.pdf", False),
    "photos": (lambda i, c: f"IMG_{17 + i:04d}.jpg", False),
    "scans": (lambda i, c: f"scan {4 + i:03d}.pdf", False),
    "tracks": (lambda i, c: f"{1 + i:02d} - {VOCABULARY[c.randrange(8000)]}.mp3", False),
    "pages": (lambda i, c: f"page-{9 + i}.html", True),
    "chapters": (lambda i, c: f"chapter {1 + i}.tex", True),
    "months": (lambda i, c: f"statement 2024-{1 + i:02d}.txt", True),
    "customers": (lambda i, c: f"{VOCABULARY[c.randrange(4000) * 2 + 1]}{i}/contract.doc".translate(LETTERS), True),
    "letters": (lambda i, c: f"to {VOCABULARY[c.randrange(4000) * 2]}{i}.txt".translate(LETTERS), True),
}
LETTERS = str.maketrans("0123456789", "ghijklmnop")
HISTORIES = {  # the names of versions, and how many times they follow: 1 all, 0 none, -1 all equal
    "marked, by time": (lambda t, i, n, c: f"{t}_v{i + 1}.doc", 1),
    "marked, equal": (lambda t, i, n, c: f"{t} rev {i + 1}.doc", -1),
    "marked, scrambled": (lambda t, i, n, c: f"{t}-v0.{i + 8}.doc", 0),
    "copies": (lambda t, i, n, c: f"{t}.doc" if i == 0 else f"{t} ({i}).doc", 1),
    "dates": (lambda t, i, n, c: f"{t} 2024-03-{4 + 2 * i:02d}.doc", 1),
    "bare, by time": (lambda t, i, n, c: f"{t}{i + 1}.doc", 1),
    "bare, equal": (lambda t, i, n, c: f"{t} {i + 1}.doc", -1),
    "bare, contrary": (lambda t, i, n, c: f"{t} {n - i}.doc", 1),
    "one contrary": (lambda t, i, n, c: f"{t}_v{1 if i == n - 1 else i + 2}.doc", 1),
    "folders, by time": (lambda t, i, n, c: f"{VOCABULARY[c.randrange(8000)]}{i}/{t}.doc".translate(LETTERS), 1),
    "renamed, by time": (lambda t, i, n, c: f"{VOCABULARY[c.randrange(8000)]}{i}.doc".translate(LETTERS), 1),
    "drafts": (lambda t, i, n, c: [f"{t}_draft.doc", f"{t}.doc", f"{t}_final.doc"][i % 3], 1),
}


def make_cases(seed, out):
    chance = random.Random(seed)
    truth = []

    def put(case, folder, name, content, when):
        path = f"{folder}/{name}"
        write(os.path.join(out, "cases", path), content, when)
        return {"cases": path}

    for round_ in range(12):
        for case, (name, is_text) in FORMS.items():
            folder, count = f"{case}{round_}".translate(LETTERS), chance.choice([2, 3, 4, 5, 8])
            for i, content in enumerate(filled(chance, count, is_text)):
                truth.append({"case": case, "versions": [
                    put(case, folder, name(i, chance), content, START + i * DAY * chance.choice([1, 7]))]})
        for case, (name, follows) in HISTORIES.items():
            title, count = chance.choice(TITLES), 3 if case == "drafts" else chance.choice([2, 3, 4, 5, 5, 8])
            folder = f"{case}{round_}".translate(LETTERS)
            times = sorted(chance.sample(range(count * 40), count))
            times = times if follows == 1 else [0] * count if follows == -1 else chance.sample(times, count)
            truth.append({"case": case, "versions": [
                put(case, folder, name(title, i, count, chance), content, START + times[i] * DAY)
                for i, content in enumerate(chain(chance, count))]})
    with open(os.path.join(out, "truth.json"), "w", encoding="utf-8") as f:
        json.dump(truth, f)


# ---- Scores ----

def edges_of(listing, kind):
    """(parent's paths, child's paths, is it clear, confidence)"""
    with open(listing, encoding="utf-8", errors="surrogateescape") as f:
        groups = json.load(f)
    for group in groups:
        files = {v["version"]: [p["path"].split(f"/{kind}/", 1)[1] for p in v["files"]] for v in group["versions"]}
        for v in group["versions"]:
            if "parent" in v:
                yield files[v["parent"]], files[v["version"]], v["order"] == "clear", v["confidence"]


def by_time(times):
    """The share of right edges if only the times of files decide; equal times are in random order."""
    order = sorted(range(len(times)), key=lambda i: times[i])
    return sum(order[k + 1] == order[k] + 1 for k in range(len(order) - 1))


def score_cases(truth, listing):
    """For each case: edges of the histories, and of these found with the right order, unclear and reversed;
    edges that skip a version; edges between strangers, and the largest confidence of a wrong edge."""
    place = {v["cases"]: (s, i) for s, series in enumerate(truth) for i, v in enumerate(series["versions"])}
    rows = {}
    for series in truth:
        row = rows.setdefault(series["case"], {"edges": 0, "right": 0, "unclear": 0, "reversed": 0, "other": 0,
                                               "strangers": 0, "above 60": 0, "files": 0, "wrong": 0})
        row["edges"] += len(series["versions"]) - 1
        row["files"] += len(series["versions"])
    for parents, children, is_clear, confidence in edges_of(listing, "cases"):
        (s, i), (t, j) = place[parents[0]], place[children[0]]
        row = rows[truth[t]["case"]]
        is_wrong = s != t or i > j
        if s != t:
            row["strangers"] += 1
            row["above 60"] += confidence > 0.6
        else:
            row["unclear" if not is_clear else "reversed" if i > j else "right" if i == j - 1 else "other"] += 1
        if is_wrong:
            row["wrong"] = max(row["wrong"], round(100 * confidence))
    names = list(next(iter(rows.values())))
    print(f"{'case':<18}", *(f"{n:>9}" for n in names))
    rows["all"] = {n: (max if n == "wrong" else sum)(r[n] for r in rows.values()) for n in names}
    for case, row in rows.items():
        print(f"{case:<18}", *(f"{row[n]:>9}" for n in names))


def score(out, listings):
    with open(os.path.join(out, "truth.json"), encoding="utf-8") as f:
        truth = json.load(f)
    if "case" in truth[0]:
        score_cases(truth, listings[0])
        return
    chance = random.Random(1)
    print(f"{'names and times':<16} {'edges':>6} {'found':>6} {'right':>7} {'unclear':>8} {'reversed':>9} "
          f"{'order right':>12} {'by time':>8}")
    for listing in listings:
        kind = os.path.basename(listing).removesuffix(".json")
        place = {v[kind]: (s, i) for s, series in enumerate(truth) for i, v in enumerate(series["versions"])}
        total = sum(len(s["versions"]) - 1 for s in truth)
        found = right = unclear = reversed_ = clear = clear_right = 0
        bins = {}
        for parents, children, is_clear, confidence in edges_of(listing, kind):
            spots = {}
            for p in parents:
                spots.setdefault(place[p][0], []).append(place[p][1])
            best = None
            for c in children:
                s, i = place[c]
                for j in spots.get(s, []):
                    if best is None or abs(i - j) < abs(best):
                        best = i - j
            if best is None:
                continue
            found += 1
            if is_clear:
                clear += 1
                clear_right += best > 0
                right += best == 1
                reversed_ += best < 0
            else:
                unclear += 1
            b = bins.setdefault(min(int(confidence * 10), 9), [0, 0])
            b[0] += 1
            b[1] += best > 0
        if kind == "times":
            timed = total
        elif kind == "scrambled":
            timed = sum(by_time(s["times"]) for s in truth)
        else:
            timed = sum(by_time(chance.sample(range(len(s["times"])), len(s["times"]))) for s in truth)
        percent = lambda n, of: f"{100 * n / max(of, 1):.1f}"
        print(f"{kind:<16} {total:>6} {percent(found, total):>6} {percent(right, total):>7} "
              f"{percent(unclear, total):>8} {percent(reversed_, total):>9} {percent(clear_right, clear):>12} "
              f"{percent(timed, total):>8}")
        print("   order right by confidence:", "  ".join(
            f"{b * 10}-: {percent(r, n)} of {n}" for b, (n, r) in sorted(bins.items())))


def main():
    task, *rest = sys.argv[1:]
    if task == "git":
        make(git_series(rest[0], *(int(a) for a in (rest[2:] + ["30", "60"][len(rest) - 2:])[:2])), rest[1])
    elif task == "trees":
        make(tree_series(rest[0]), rest[1])
    elif task == "cases":
        make_cases(int(rest[0]), rest[1])
    elif task == "score":
        score(rest[0], rest[1:])
    else:
        sys.exit(__doc__)


main()
