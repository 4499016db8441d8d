#!/usr/bin/env python3
"""Judges the results for a corpus of quality.sh in tables in Markdown, which quality_goals.py prints.

    quality_table.py strangers FOLDER          all pairs of strangers of one kind and size
    quality_table.py sample FOLDER RUNS        listed pairs of the tree whose true resemblance is unknown
    quality_table.py digests FOLDER TOOL       known pairs that ssdeep or tlsh call similar

FOLDER is the folder of quality_corpus.py; RUNS contains the output of simfind in N.options and N.PART.csv.

SPDX-License-Identifier: MIT
"""

import collections
import csv
import glob
import hashlib
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile

RELATED = 0.2  # strangers with a greater resemblance are not counted as strangers
SAMPLE = 2500  # listed pairs of each class of sizes in the tree whose true resemblance is computed
BANDS = ((0.95, 1.01), (0.8, 0.95), (0.7, 0.8), (0.5, 0.7))
CLASSES = ((256, "to 256 B"), (1 << 10, "to 1 KiB"), (4 << 10, "to 4 KiB"), (64 << 10, "to 64 KiB"),
           (1 << 20, "to 1 MiB"), (1 << 62, "above"))
MEDIA = set("""pdf ps jpg jpeg png gif tif tiff webp ogg oga wav flac mp3 mid mp4 webm gz bz2 xz zip jar whl woff
woff2 ttf otf pfb docx odt epub""".split())
PEERS = (("ssdeep >= 1", "ssdeep", lambda score: score >= 1), ("tlsh <= 30", "tlsh", lambda score: score <= 30),
         ("tlsh <= 50", "tlsh", lambda score: score <= 50))


def rows_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def pair(a, b):
    return (a, b) if a <= b else (b, a)


def truth_of(folder, name):
    """{pair: resemblance of sets}"""
    return {pair(a, b): float(exact) for exact, _, a, b in rows_of(folder, name + ".truth")}


def groups_of_strangers(folder):
    groups = collections.defaultdict(list)
    for path, kind, size in rows_of(folder, "strangers.tsv"):
        groups[kind, int(size)].append(path)
    return {key: paths for key, paths in groups.items() if len(paths) >= 4}


# ---- The list of simfind ----

Listed = collections.namedtuple("Listed", "paths size resemblance is_part")


class Run:
    """The pairs in the lists of simfind in one file. One of several identical files represents them."""

    def __init__(self, path):
        self.parent, self.similar = {}, {}
        listed = []
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            for row in csv.DictReader(file):
                a, b = row["path_a"], row["path_b"]
                if a == "path_a":
                    continue
                if row["match"] == "identical":
                    a, b = self.root(a), self.root(b)
                    if a != b:
                        self.parent[a] = b
                else:
                    size = max(int(row["size_a"]), int(row["size_b"]))
                    listed.append(Listed(pair(a, b), size, row.get("resemblance"),
                                         row["verified"] == "sketch" and bool(row["contained_a"])))
        for entry in listed:
            self.similar[pair(*map(self.root, entry.paths))] = entry

    def root(self, path):
        first = path
        while path in self.parent:
            path = self.parent[path]
        while first != path:  # so that the next way is short
            self.parent[first], first = path, self.parent[first]
        return path

    def entry(self, a, b):
        return self.similar.get(pair(self.root(a), self.root(b)))

    def lists(self, a, b):
        return self.entry(a, b) is not None

    def lists_part(self, a, b):
        entry = self.entry(a, b)
        return entry is not None and entry.is_part

    def resemblance(self, a, b):
        """As a number; -1 if the pair is not listed."""
        entry = self.entry(a, b)
        return -1 if entry is None else float(entry.resemblance or 0)


def class_of(entry):
    return next(name for most, name in CLASSES if entry.size <= most)


def sampled(run):
    """The similar pairs of a run by class of sizes; the sample has the smallest hashes: {class: (all, sample)}."""
    classes = collections.defaultdict(list)
    for entry in run.similar.values():
        hashed = hashlib.md5("\t".join(entry.paths).encode(errors="surrogateescape")).digest()
        classes[class_of(entry)].append((hashed, entry))
    return {name: (len(found), [entry for _, entry in sorted(found)[:SAMPLE]]) for name, found in classes.items()}


def options_of(runs):
    for number in sorted(glob.glob(os.path.join(runs, "*.options"))):
        with open(number, encoding="utf-8") as file:
            yield number[:-len(".options")], file.read().strip() or "default"


def print_sample(folder, runs):
    known, wanted = truth_of(folder, "tree"), set()
    for path, _ in options_of(runs):
        for _, sample in sampled(Run(path + ".tree.csv")).values():
            wanted.update(entry.paths for entry in sample if entry.paths not in known)
    for a, b in sorted(wanted):
        print(f"{a}\t{b}")


def print_strangers(folder):
    for paths in groups_of_strangers(folder).values():
        for a, b in itertools.combinations(paths, 2):
            print(f"{a}\t{b}")


# ---- ssdeep and tlsh ----

def digests_of(folder, tool):
    """{path: line of the digest}"""
    digests = {}
    with open(os.path.join(folder, "digests." + tool), encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if tool == "ssdeep":
                path = line.rstrip("\n").split(",", 1)[-1].strip('"').replace('\\"', '"')
            else:
                path = line.rstrip("\n").split("\t", 1)[-1]
            digests[path] = line
    return digests


def compare(tool, digests):
    """Pairs of one group with their scores."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="surrogateescape") as file:
        if tool == "ssdeep":
            file.write("ssdeep,1.1--blocksize:hash:hash,filename\n")
        file.writelines(digests)
        file.flush()
        command = ["ssdeep", "-s", "-x", file.name] if tool == "ssdeep" else \
            ["tlsh", "-xref", "-l", file.name, "-T", "50"]
        output = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape").stdout
        if tool == "ssdeep":
            line = re.compile(f"^{file.name}:(.*) matches {file.name}:(.*) \\(([0-9]+)\\)$", re.MULTILINE)
            return [(a, b, score) for a, b, score in line.findall(output)]
        return [row for row in (line.split("\t")[:3] for line in output.split("\n")) if len(row) == 3]


def print_digests(folder, tool):
    digests = digests_of(folder, tool)
    edits = collections.defaultdict(set)
    for a, b, *_ in rows_of(folder, "edits.tsv"):
        edits[a].update((a, b))
    groups = list(edits.values()) + list(groups_of_strangers(folder).values()) + \
        [(a, b) for a, b, *_ in rows_of(folder, "versions.tsv")]
    for group in groups:
        lines = [digests[path] for path in group if path in digests]
        if len(lines) > 1:
            for a, b, score in compare(tool, lines):
                print(f"{score}\t{a}\t{b}")


class Peer:
    """Pairs that another tool calls similar."""

    def __init__(self, folder, tool, accept):
        self.pairs = {pair(a, b) for score, a, b in rows_of(folder, "pairs." + tool) if accept(int(score))}

    def lists(self, a, b):
        return pair(a, b) in self.pairs


def judges_of(folder, runs, part):
    """What can tell whether two files of a part are similar: [(name, judge)]."""
    return [(name, run[part]) for name, run in runs] + \
        [(name, Peer(folder, tool, accept)) for name, tool, accept in PEERS]


# ---- Tables ----

def table(title, names, rows):
    print(f"\n| {title} | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")


def percent(part, whole, digits=1):
    return f"{100 * part / whole:.{digits}f}" if whole else "-"


def count_by(rows, key, judges):
    """{key: [all, found by judge 0, 1, ..]} of rows that begin with two paths."""
    counts = collections.OrderedDict()
    for row in rows:
        count = counts.setdefault(key(row), [0] * (len(judges) + 1))
        count[0] += 1
        for i, judge in enumerate(judges):
            count[i + 1] += judge.lists(row[0], row[1])
    return counts


def recall_table(title, counts, names, order=None):
    keys = order or counts
    table(title, names, [(f"{key} ({counts[key][0]})", [percent(n, counts[key][0]) for n in counts[key][1:]])
                         for key in keys if key in counts])


def size_class(row):
    """The size of the original of an edit."""
    size = os.path.getsize(row[0])
    return next((name for most, name in ((300, "200 B"), (700, "500 B"), (2 << 10, "1 KiB"), (16 << 10, "4 to 16 KiB"),
                                         (256 << 10, "16 to 256 KiB")) if size < most), "above")


def edit_tables(folder, runs):
    judges = judges_of(folder, runs, "edits")
    rows = list(rows_of(folder, "edits.tsv"))
    names = [name for name, _ in judges]
    judges = [judge for _, judge in judges]
    large = [row for row in rows if os.path.getsize(row[0]) >= 4 << 10]
    counts = count_by(large, lambda row: row[4], judges)
    recall_table("recall of edits, %, files of 4 KiB and more, by percent changed", counts, names,
                 sorted(counts, key=float))
    for least, most, title in ((0, 2, "up to 2 %"), (5, 5, "5 %")):
        counts = count_by((row for row in rows if least <= float(row[4]) <= most), size_class, judges)
        recall_table(f"recall of edits of {title}, %, by size", counts, names)
    for title, column in (("edit", 3), ("kind of file", 2)):
        recall_table(f"recall of edits up to 2 %, %, files of 4 KiB and more, by {title}",
                     count_by((row for row in large if float(row[4]) <= 2), lambda row: row[column], judges), names)


def band_of(exact):
    return next((f"J {low} to {min(high, 1)}" for low, high in BANDS if low <= exact < high), "J below 0.5")


def version_table(folder, runs):
    judges = judges_of(folder, runs, "versions")
    truth = truth_of(folder, "versions")
    rows = [row for row in rows_of(folder, "versions.tsv") if pair(row[0], row[1]) in truth]
    recall_table("next versions: recall, %",
                 count_by(rows, lambda row: band_of(truth[pair(row[0], row[1])]), [judge for _, judge in judges]),
                 [name for name, _ in judges], [band_of(low) for low, _ in BANDS] + [band_of(0)])


def change_table(title, rows, key, runs, part, test):
    """Cells "listed / listed and true by the test, %" of changed files."""
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(key(row), []).append(row)

    def cell(run, group):
        tests = (run.lists(row[0], row[1]) for row in group), (test(run, row) for row in group)
        return " / ".join(percent(sum(found), len(group)) for found in tests)
    table(title, [name for name, _ in runs], [
        (f"{name} ({len(group)})", [cell(run[part], group) for _, run in runs]) for name, group in groups.items()])


def part_tables(folder, runs):
    rows = sorted(rows_of(folder, "parts.tsv"), key=lambda row: (row[3], float(row[4])))
    names = {"cut": "cut to {} %", "grown": "logs that grew by {} %", "front": "{} % inserted at the front"}
    half = [row for row in rows if row[3] == "cut" and int(row[4]) >= 50]
    for title, chosen, key in (("", rows, lambda row: names[row[3]].format(row[4])),
                               (", cut to 50 % and more, by kind", half, lambda row: row[2])):
        change_table("parts of files: listed / as a part, %" + title, chosen, key, runs, "parts",
                     lambda run, row: run.lists_part(row[0], row[1]))


def white_tables(folder, runs):
    rows = list(rows_of(folder, "white.tsv"))
    for title, column in ("", 3), (", by kind of file", 2):
        change_table("other white space: listed / with 95 % and more, %" + title, rows, lambda row: row[column], runs,
                     "white", lambda run, row: run.resemblance(row[0], row[1]) >= 0.95)


def stranger_tables(folder, runs):
    judges = judges_of(folder, runs, "strangers")
    truth, related = truth_of(folder, "strangers"), 0
    shares = collections.defaultdict(dict)
    for (kind, size), paths in groups_of_strangers(folder).items():
        pairs = [(a, b) for a, b in itertools.combinations(paths, 2)]
        unrelated = [(a, b) for a, b in pairs if truth[pair(a, b)] < RELATED]
        related += len(pairs) - len(unrelated)
        if unrelated:
            shares[size][kind] = [sum(judge.lists(a, b) for a, b in unrelated) / len(unrelated)
                                  for _, judge in judges]
    names = [name for name, _ in judges]
    rows = [(f"{size >> 10} KiB ({len(kinds)} kinds)",
             [f"{100 * statistics.mean(kind[i] for kind in kinds.values()):.2f}" for i in range(len(judges))])
            for size, kinds in sorted(shares.items())]
    print(f"\n{related} pairs of one kind and size have a resemblance of {RELATED} or more and are left out.")
    table("strangers: pairs listed, %, mean over kinds", names, rows)
    kinds = sorted({kind for by_kind in shares.values() for kind in by_kind})
    means = {kind: [100 * statistics.mean(by_kind[kind][i] for by_kind in shares.values() if kind in by_kind)
                    for i in range(len(judges))] for kind in kinds}
    table("strangers by kind, %, mean over sizes", names,
          [(kind, [f"{cell:.2f}" for cell in means[kind]]) for kind in kinds])


def precision(samples, truth, keep=lambda entry: True):
    """Cells "pairs: share >= .8 / >= .5 / < .3" of the samples, each weighted by its class."""
    total, weights, sums = 0, 0, [0, 0, 0]
    for found, sample in samples:
        kept = [truth[entry.paths] for entry in sample if keep(entry)]
        weight = found / len(sample) if sample else 0
        total += weight * len(kept)
        for i, judged in enumerate((lambda j: j >= 0.8, lambda j: j >= 0.5, lambda j: j < 0.3)):
            sums[i] += weight * sum(map(judged, kept))
    if not total:
        return "0"
    return f"{total:.0f}: " + " / ".join(f"{100 * part / total:.1f}" for part in sums)


def is_media(entry):
    return any(os.path.splitext(path)[1][1:].lower() in MEDIA for path in entry.paths)


def tree_table(folder, runs):
    truth = truth_of(folder, "tree")
    names = [name for name, _ in runs]
    samples = [sampled(run["tree"]) for _, run in runs]
    rows = [("all", [precision(by_class.values(), truth) for by_class in samples]),
            ("documents, media, archives",
             [precision(by_class.values(), truth, is_media) for by_class in samples])]
    for _, name in CLASSES:
        rows.append((name, [precision([by_class.get(name, (0, []))], truth) for by_class in samples]))
    rows.append(("identical files found, %", [percent(*identical_found(folder, run["tree"]), 3) for _, run in runs]))
    table("similar pairs of the tree: number, % with J >= .8 / >= .5 / < .3", names, rows)


def identical_found(folder, run):
    """How many files of the tree are connected with another file of the same content, and how many should be."""
    by_hash = collections.defaultdict(list)
    with open(os.path.join(folder, "tree.sha256"), encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if not line.startswith("\\"):
                by_hash[line[:64]].append(line[66:].rstrip("\n"))
    found = wanted = 0
    for paths in by_hash.values():
        inodes = {os.stat(path).st_ino: path for path in paths if os.path.getsize(path)}
        if inodes:
            roots = collections.Counter(run.root(path) for path in inodes.values())
            wanted += len(inodes) - 1
            found += len(inodes) - len(roots)
    return found, wanted


def errors_of(run, truth):
    for entry in run.similar.values():
        if entry.resemblance and entry.paths in truth:
            yield truth[entry.paths], float(entry.resemblance) - truth[entry.paths]


def error_table(folder, runs):
    """The error of the printed resemblance."""
    bands = BANDS + ((0.3, 0.5), (0, 0.3), (0.8, 1.01), (0, 1.01))
    found = [[error for part in ("edits", "versions", "tree") for error in errors_of(run[part], truth_of(folder, part))]
             for _, run in runs]
    if not any(found):
        print("\nThis build prints no resemblance.")
        return
    rows = []
    for low, high in bands:
        cells = []
        for errors in found:
            inside = [error for exact, error in errors if low <= exact < high]
            cells.append(f"{statistics.mean(inside):+.3f}, {statistics.pstdev(inside):.3f} of {len(inside)}"
                         if inside else "-")
        rows.append((f"J {low} to {min(high, 1)}", cells))
    table("error of the printed resemblance: mean, standard deviation", [name for name, _ in runs], rows)


def main():
    tasks = {"strangers": print_strangers, "sample": print_sample, "digests": print_digests}
    if len(sys.argv) < 3 or sys.argv[1] not in tasks:
        sys.exit(__doc__)
    tasks[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
