#!/usr/bin/env python3
"""Makes version histories with known order, and measures how often a lineage of them is right.

    lineage_corpus.py git REPOSITORY OUT [PATHS [COMMITS]]   blobs of the most changed paths
    lineage_corpus.py trees FOLDER OUT                       FOLDER/PACKAGE/VERSION/...
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

KINDS = ["numbers", "times", "blind", "scrambled"]
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


def score(out, listings):
    with open(os.path.join(out, "truth.json"), encoding="utf-8") as f:
        truth = json.load(f)
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
    elif task == "score":
        score(rest[0], rest[1:])
    else:
        sys.exit(__doc__)


main()
