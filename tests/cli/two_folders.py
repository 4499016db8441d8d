#!/usr/bin/env python3
"""Tests simfind --directories A B for two directories: every file of both is in exactly one line.

There are many pairs of small trees with many copies, similar files, and equal paths with different
contents. The files are read from the disk, and every format must agree with them and with the other
formats. folders.py compares the lines with the rule.

SPDX-License-Identifier: MIT
"""

import collections
import csv
import io
import json
import os
import random
import re
import subprocess
import sys

SIMHASH, SIMFIND = os.environ["SIMHASH"], os.environ["SIMFIND"]
ROOT = os.path.join(os.environ["TEST_FOLDER"], "pairs")
os.environ["SIMHASH_DATABASE"] = os.environ["TEST_URL"]
PAIRS = 40
FATES = ("changed", "moved", "only_a", "only_b", "same")
LABELS = {"identical": "same", "moved": "moved", "changed": "changed", "only in A": "only_a", "only in B": "only_b",
          "copied in A": "only_a", "copied in B": "only_b"}


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {command} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def words(rng, count):
    return " ".join(rng.choice("bcdfglmn") + rng.choice("aeiou") + rng.choice("rstvz") for _ in range(count))


def families(rng):
    """Lists of similar contents; contents of different lists are not similar. The last ones are too short for an estimate."""
    found = [["x", "y", "short"], ["", "", "z"]]
    for size in (200, 700):
        text = words(rng, size)
        found.insert(0, [text, text + " one line more", "another line " + text, text + words(rng, 3)])
    return found


def write_tree(rng, folder, contents):
    for _ in range(rng.randrange(1, 14)):
        name = rng.choice(("", "", "dir/", "dir/deep/", "other/")) + rng.choice("abcdef")
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(rng.choice(rng.choice(contents)))
    # Without files of one of the two in the index, there is no answer.
    path = os.path.join(folder, "always")
    with open(path, "w", encoding="ascii") as file:
        file.write(rng.choice(contents[0]))


def read_tree(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.relpath(file.name, folder)] = file.read()
    return found


def wanted_fate(line, a, b):
    """The possible lines for two paths."""
    path_a, path_b = line["path_a"], line["path_b"]
    if a[path_a] == b[path_b]:
        return "same" if path_a == path_b else "moved"
    return "changed"


def check_lines(lines, a, b):
    counted = {side: {path for path, content in own.items() if content or other.get(path)}
               for side, own, other in (("a", a, b), ("b", b, a))}
    for side in "ab":
        listed = [line["path_" + side] for line in lines if "path_" + side in line]
        assert sorted(listed) == sorted(counted[side]), (side, sorted(listed), sorted(counted[side]))
    for line in lines:
        if "path_a" in line and "path_b" in line:
            assert line["match"] == wanted_fate(line, a, b), line
            continue
        side, own, other = ("a", a, b) if "path_a" in line else ("b", b, a)
        assert line["match"] == "only_" + side, line
        path = line["path_" + side]
        if path in other:  # the file at this path is found at another one
            assert any(path == moved["path_" + "ba"[side == "b"]] != moved["path_" + side] for moved in lines
                       if moved["match"] == "moved"), line
        if "like" in line:
            assert line["like"] in other, line
        else:
            assert own[line["path_" + side]] not in other.values(), line


def check_json(printed, lines):
    fates = collections.Counter(line["match"] for line in lines)
    for side in "ab":
        expected = [fates["same"] + fates["moved"], fates["changed"], fates["only_" + side]]
        assert [printed[side][name] for name in ("same", "changed", "only")] == expected, (printed, fates)
        assert printed[side]["files"] == sum(expected), (printed, fates)
    return fates


def is_copy(line, a, b):
    """Has a file without a counterpart a content that the other folder has?"""
    return "like" in line and (a[line["path_a"]] == b[line["like"]] if "path_a" in line else b[line["path_b"]] == a[line["like"]])


def check_text(printed, fates, lines, a, b):
    _, head, body = printed.split("\n\n")
    counts = {label: number for number, label in re.findall(r"(\d+)(?: files?)? ([a-z][a-zA-Z ]*)", head.split(";")[0])}
    found = collections.Counter()
    for label, number in counts.items():
        if label in LABELS:
            found[LABELS[label]] += int(number)
    assert found == fates, (head, fates)
    copies = [sum(line["match"] == match and is_copy(line, a, b) for line in lines) for match in ("only_a", "only_b")]
    assert [int(counts.get("copied in " + side, 0)) for side in "AB"] == copies, (head, copies)
    labels = ["changed" if "%" in line[:13] or line.startswith(("part of", "contains")) else line[:13].strip()
              for line in body.splitlines()]
    shown = [{"only_a": "only in A", "only_b": "only in B", "same": "identical"}.get(line["match"], line["match"])
             for line in lines]
    shown = [label.replace("only", "copy") if is_copy(line, a, b) else label for label, line in zip(shown, lines)]
    assert labels == shown, (body, shown)


def check_csv(printed, lines):
    names, *rows = csv.reader(io.StringIO(printed, newline=""))
    rows = [{name: value for name, value in zip(names, row) if value != ""} for row in rows]
    expected = [{name: f"{value:.6f}" if name == "resemblance" else str(value) for name, value in line.items()
                 if name not in ("part_of", "contains")} for line in lines]
    assert rows == expected, (rows, expected)


def check_page(printed, lines):
    files = json.loads(re.search(r'id="files-0">(.*?)</script>', printed, re.S)[1])
    shown = [(FATES[file[0]], file[4] or None, (file[5] or file[4]) if FATES[file[0]] != "only_a" else None,
              (file[6] or None) if len(file) > 6 else None) for file in files]
    expected = [(line["match"], line.get("path_a"), line.get("path_b"), line.get("like")) for line in lines]
    assert shown == expected, (shown, expected)


def check_pair(number, counts):
    folders = [os.path.join(ROOT, str(number), side) for side in "AB"]
    trees = [read_tree(folder) for folder in folders]
    options = ["--summary=none", "--directories", *folders, *(["--min-resemblance=1"] if number % 8 == 7 else [])]
    printed = json.loads(run(SIMFIND, *options, "--format=json"))
    lines = printed["files_of_both"]
    check_lines(lines, *trees)
    fates = check_json(printed, lines)
    head, *rest = [json.loads(line) for line in run(SIMFIND, *options, "--format=jsonl").splitlines()]
    assert rest == lines and head == {name: printed[name] for name in head}, (head, rest)
    check_text(run(SIMFIND, *options), fates, lines, *trees)
    check_csv(run(SIMFIND, *options, "--format=csv"), lines)
    page = os.path.join(os.environ["TEST_FOLDER"], f"page-{number}.html")
    run(SIMFIND, *options, "--format=html", "-o", page)
    with open(page, encoding="utf-8") as file:
        check_page(file.read(), lines)
    counts.update(fates)
    counts["like"] += sum("like" in line for line in lines)
    counts["unlike"] += sum(line["match"] == "changed" and line.get("resemblance", 0) < 0.3 for line in lines)


# The files of A, the files of B, and the lines; a letter is a content, and 1 is similar to a.
SWAPS = {
    "swapped": ({"log": "a", "log.1": "b"}, {"log": "b", "log.1": "a"},
                {("moved", "log", "log.1"), ("moved", "log.1", "log")}),
    "alike": ({"log": "a", "log.1": "1"}, {"log": "1", "log.1": "a"},
              {("moved", "log", "log.1"), ("moved", "log.1", "log")}),
    "rotated": ({"log": "a", "log.1": "b"}, {"log": "c", "log.1": "a", "log.2": "b"},
                {("moved", "log", "log.1"), ("moved", "log.1", "log.2"), ("only_b", None, "log")}),
    "ring": ({"x": "a", "y": "b", "d/z": "c"}, {"x": "c", "y": "a", "d/z": "b"},
             {("moved", "x", "y"), ("moved", "y", "d/z"), ("moved", "d/z", "x")}),
    "saved": ({"log": "a"}, {"log": "1", "log.old": "a"}, {("changed", "log", "log"), ("only_b", None, "log.old")}),
    "copied": ({"x": "a", "y": "b"}, {"x": "b", "y": "b"}, {("changed", "x", "x"), ("same", "y", "y")}),
    "emptied": ({"x": "a", "y": "b"}, {"x": "", "y": "a"}, {("changed", "x", "x"), ("changed", "y", "y")}),
}


def check_swaps():
    """Files that exchanged their names have moved, and have not changed."""
    rng = random.Random(1)
    contents = {letter: words(rng, 300) for letter in "abc"} | {"": ""}
    contents["1"] = contents["a"] + " and one line more"
    for name, (*sides, expected) in SWAPS.items():
        folders = [os.path.join(ROOT, name, side) for side in "AB"]
        for folder, files in zip(folders, sides):
            for path, letter in files.items():
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w", encoding="ascii") as file:
                    file.write(contents[letter])
    run(SIMHASH, "-q", ROOT)
    for name, (*_, expected) in SWAPS.items():
        folders = [os.path.join(ROOT, name, side) for side in "AB"]
        lines = json.loads(run(SIMFIND, "--summary=none", "--directories", *folders, "--format=json"))["files_of_both"]
        found = {(line["match"], line.get("path_a"), line.get("path_b")) for line in lines}
        if found != expected or len(lines) != len(expected):
            sys.exit(f"FAILED: {name}: {lines} instead of {expected}")


def main():
    for number in range(PAIRS):
        rng = random.Random(number)
        contents = families(rng)
        for side in "AB":
            folder = os.path.join(ROOT, str(number), side)
            os.makedirs(folder)
            write_tree(rng, folder, contents)
    run(SIMHASH, "-q", ROOT)
    counts = collections.Counter()
    for number in range(PAIRS):
        try:
            check_pair(number, counts)
        except AssertionError as failure:
            sys.exit(f"FAILED: seed {number}: {failure}")
    check_swaps()
    print(dict(counts))
    for what in (*FATES, "like", "unlike"):
        if counts[what] < 10:
            sys.exit(f"FAILED: only {counts[what]} {what}: the trees show nothing")


main()
