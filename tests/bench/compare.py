#!/usr/bin/env python3
"""Compares simhash, jdupes, rmlint, ssdeep and tlsh on the same two tasks in one run.

    tests/bench/compare.py BUILD TREE [COUNT]

First, the tools find the identical files of TREE. Then they find the changed files among COUNT files
(default: 2000) of TREE, after an edited copy of every fourth file was added: lines replaced, a block
inserted, pieces deleted or blocks moved, each 1 % of the file. Prints tables in Markdown: the time,
the processor time and the memory of each tool, the files that it finds, and how many listed pairs
share less than a tenth of their content, by their exact Jaccard index of runs of 16 bytes.
Files are read once before, so that they are cached for all tools. Needs jdupes, rmlint, ssdeep and
tlsh (Debian: tlsh-tools).

SPDX-License-Identifier: MIT
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import quality_corpus

EDITS = ("lines", "insert block", "delete", "move")
SMALLEST, LARGEST = 4 << 10, 1 << 20
SAMPLED_PAIRS = 2000


class Step:
    """The time and memory of several commands, one after another."""

    def __init__(self, build, folder):
        self.measure, self.measured = f"{build}/tests/measure", f"{folder}/measured"
        self.wall = self.work = 0.0
        self.peak_kib = 0

    def run(self, command, output, may_fail=False):
        with open(output, "wb") as file:
            status = subprocess.run([self.measure, self.measured] + command, stdout=file, stderr=subprocess.DEVNULL,
                                    stdin=subprocess.DEVNULL, check=False).returncode
        if status != 0 and not may_fail:
            raise SystemExit(f"{command[0]} ended with {status}")
        with open(self.measured, encoding="ascii") as file:
            wall, work, peak_kib = file.read().split()
        self.wall += float(wall)
        self.work += float(work)
        self.peak_kib = max(self.peak_kib, int(peak_kib))

    def columns(self):
        return f"{self.wall:.2f} | {self.work:.2f} | {self.peak_kib / 1024:.0f}"


def warm(folder):
    """Read all files, so that they are cached."""
    for at, _, names in os.walk(folder):
        for path in (os.path.join(at, name) for name in names):
            if os.path.isfile(path) and os.access(path, os.R_OK):
                with open(path, "rb") as file:
                    while file.read(1 << 20):
                        pass


def files_to_draw(tree):
    for path in quality_corpus.files_below(tree):
        if SMALLEST <= os.path.getsize(path) <= LARGEST and os.access(path, os.R_OK):
            yield path


def make_folder(tree, count, folder):
    """Draw files from the tree. Returns the pairs of a file and its edited copy."""
    rng = random.Random(f"compare {count}")
    paths = list(files_to_draw(tree))
    contents, edited = [], []
    for path in rng.sample(paths, min(count, len(paths))):
        contents.append((path, quality_corpus.read(path)))
    for number, (path, content) in enumerate(contents):
        extension = os.path.splitext(path)[1]
        first = os.path.join(folder, f"{number % 40:02}", f"{number}{extension}")
        quality_corpus.write(first, content)
        if number % 4 != 0:
            continue
        data = bytearray(content)
        edit = EDITS[number // 4 % len(EDITS)]
        quality_corpus.EDITS[edit](rng, data, contents[number - 1][1], max(1, len(content) // 100))
        second = os.path.join(folder, "edited", f"{number}{extension}")
        quality_corpus.write(second, bytes(data))
        edited.append(tuple(sorted((first, second))))
    return edited


# ---- Identical files ----

def copies_in_pairs(path):
    """For n identical files, simfind lists n - 1 pairs."""
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return sum(row["match"] == "identical" for row in csv.DictReader(file))


def copies_in_paragraphs(path):
    """For lists with one file per line and an empty line between sets."""
    copies = 0
    with open(path, "rb") as file:
        for paragraph in file.read().split(b"\n\n"):
            copies += max(0, len(paragraph.strip().splitlines()) - 1)
    return copies


def copies_of_rmlint(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return sum(entry.get("type") == "duplicate_file" and not entry["is_original"] for entry in json.load(file))


def identical(build, tree, folder):
    database, listed = f"sqlite:{folder}/tree.db", f"{folder}/listed"
    index = [f"{build}/simhash", "-q", "-d", database, tree]
    group = [f"{build}/simfind", "-q", "-d", database, "--tolerance=0", "--min-resemblance=1",
             "--format=csv"]
    rows = []
    warm(tree)
    for run in ("first run", "again"):
        step = Step(build, folder)
        step.run(index, os.devnull, may_fail=True)
        step.run(group, listed)
        rows.append((f"simhash, simfind: {run}", step, copies_in_pairs(listed)))
    step = Step(build, folder)
    step.run(["jdupes", "-q", "-r", tree], listed, may_fail=True)
    rows.append(("jdupes", step, copies_in_paragraphs(listed)))
    step = Step(build, folder)
    step.run(["rmlint", "-T", "df", "--hidden", "--no-hardlinked", "-o", f"json:{folder}/rmlint.json", tree], os.devnull, may_fail=True)
    rows.append(("rmlint", step, copies_of_rmlint(f"{folder}/rmlint.json")))
    print("\n| identical files | seconds | of processors | MB | copies |\n|---|---|---|---|---|")
    for name, step, copies in rows:
        print(f"| {name} | {step.columns()} | {copies} |")


# ---- Changed files ----

def pairs_of_simfind(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return {tuple(sorted((row["path_a"], row["path_b"]))) for row in csv.DictReader(file)}


def pairs_of_ssdeep(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return {tuple(sorted(row[:2])) for row in csv.reader(file, escapechar="\\") if len(row) == 3}


def pairs_of_tlsh(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return {tuple(sorted(row[:2])) for row in (line.split("\t") for line in file) if len(row) == 3}


def strangers_among(build, pairs):
    """The number of pairs, and how many of them share less than a tenth."""
    sample = sorted(random.Random("strangers").sample(sorted(pairs), min(SAMPLED_PAIRS, len(pairs))))
    lines = "".join(f"{a}\t{b}\n" for a, b in sample)
    done = subprocess.run([f"{build}/tests/shingles"], input=lines, capture_output=True, text=True, check=True,
                          errors="surrogateescape")
    return sum(float(line.split("\t")[0]) < 0.1 for line in done.stdout.splitlines()), len(sample)


def changed(build, tree, count, folder):
    files, listed = os.path.join(folder, "files"), os.path.join(folder, "listed")
    edited = make_folder(tree, count, files)
    database = f"sqlite:{folder}/files.db"
    tools = [
        ("simhash, simfind", pairs_of_simfind,
         [[f"{build}/simhash", "-q", "-d", database, files],
          [f"{build}/simfind", "-q", "-d", database, "--group=none", "--format=csv"]]),
        ("ssdeep", pairs_of_ssdeep, [["ssdeep", "-r", "-s", "-d", "-c", files]]),
        ("tlsh, distance up to 30", pairs_of_tlsh, [["tlsh", "-r", files, "-xref", "-T", "30"]]),
        ("tlsh, distance up to 50", pairs_of_tlsh, [["tlsh", "-r", files, "-xref", "-T", "50"]]),
    ]
    print(f"\n{len(list(quality_corpus.files_below(files)))} files, of which {len(edited)} are edited copies of others.\n")
    print("| changed files | seconds | of processors | MB | edited copies found, % | pairs listed |"
          " of them share less than a tenth, % |\n|---|---|---|---|---|---|---|")
    for name, pairs_of, commands in tools:
        step = Step(build, folder)
        for command in commands:
            step.run(command, listed, may_fail=command[0] == "ssdeep")
        pairs = pairs_of(listed)
        strangers, sampled = strangers_among(build, pairs)
        print(f"| {name} | {step.columns()} | {100 * sum(pair in pairs for pair in edited) / len(edited):.1f} |"
              f" {len(pairs)} | {100 * strangers / max(1, sampled):.1f} |")


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    build, tree = (os.path.abspath(path) for path in sys.argv[1:3])
    count = int(sys.argv[3]) if len(sys.argv) == 4 else 2000
    with tempfile.TemporaryDirectory(prefix="simhash-bench.") as folder:
        identical(build, tree, folder)
        changed(build, tree, count, folder)


if __name__ == "__main__":
    main()
