#!/usr/bin/env python3
"""Compares simhash with other tools that find identical or similar files, and prints tables in Markdown.

    tests/bench/compare.py BUILD [OPTION]...

    --competitors=DIR  programs that were built from source are in DIR/bin, each with a line in NAME.txt that says how;
                       DIR/material/reflowed may have TLSH's example_data_variants
                       (default: $COMPETITORS or ~/.cache/simhash-competitors)
    --tree=DIR         the folder whose identical files are listed (default: /usr/share)
    --from=DIR         files are drawn from here (default: /usr)
    --base=N           files of the smallest folder (default: 2000); other folders have 5, 10 and 100 times as
                       many
    --limit=SECONDS    a tool that needs more processor time is stopped (default: 180)
    --only=LIST        some of the questions: cold,identical,edited,versions,parts,reflowed,strangers,growing

Every tool gets the same files. Each list is judged: which pairs it should have, and how many pairs share less than a
tenth of their runs of 16 bytes, counted exactly. The last two tables are for the README. Debian's
programs are used if DIR has none. The question `cold` empties the cache of the system, as root. The question `versions`
downloads packages with apt-get. The files take 6 GB in $TMPDIR.

SPDX-License-Identifier: MIT
"""

import argparse
import csv
import datetime
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile

import compare_material as material
import contained
from compare_material import pair
from compare_tools import (COPY_FINDERS, PROGRAMS, SIMILAR_FINDERS, Program, Simfind, Step, Stopped, Tlsh,
                           output_of)

SAMPLED_PAIRS, REQUESTS = 2000, 10
SIZES = (1, 10, 100)
README_TOOLS = ("simhash", "jdupes", "rmlint", "ssdeep", "tlsh, distance 50",
                "tlsh, distance 100")


def warm(folder):
    """Read all files, so that they are cached."""
    for at, _, names in os.walk(folder):
        for path in (os.path.join(at, name) for name in names):
            if os.path.isfile(path) and os.access(path, os.R_OK):
                with open(path, "rb") as file:
                    while file.read(1 << 20):
                        pass


def drop_caches():
    """Let the next reading come from the disk; false if that is not allowed."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        return True
    except OSError:
        return False


def forget_marks(tree):
    """Remove the attributes that `rmlint --xattr` adds to files."""
    for path in (os.path.join(at, name) for at, _, names in os.walk(os.fsencode(tree)) for name in names):
        if not os.path.islink(path):
            for name in os.listxattr(path):
                if name.startswith("user.rmlint"):
                    os.removexattr(path, name)


# ---- Cells ----

def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def megabytes(step):
    return f"{step.peak_kib / 1024:.0f}"


def both_times(step):
    return f"{seconds(step.wall)} ({seconds(step.work)})"


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def table(title, columns, rows):
    print(f"\n| {title} | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name, *cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")
    sys.stdout.flush()


class Judged:
    """What a list contains: the wanted pairs that it has, its number of pairs, and a sample of them."""

    def __init__(self, pairs, wanted):
        rng, self.found, self.count, self.sample = random.Random("judge"), set(), 0, []
        for a, b in pairs:
            if a == b:
                continue
            both = pair(a, b)
            if both in wanted:
                self.found.add(both)
            if len(self.sample) < SAMPLED_PAIRS:
                self.sample.append(both)
            elif rng.random() * (self.count + 1) < SAMPLED_PAIRS:
                self.sample[rng.randrange(SAMPLED_PAIRS)] = both
            self.count += 1


class Comparison:
    def __init__(self, options, folder):
        self.options, self.build, self.folder = options, options.build, folder
        self.programs = {name: Program(name, options.competitors) for name in PROGRAMS}
        self.programs["build"] = self.build
        self.speed, self.accuracy = [], []

    # ---- Runs ----

    def step(self):
        return Step(self.build, self.folder, self.options.limit)

    def stopped(self):
        return f"stopped after {self.options.limit:g} processor s"

    def present(self, finders):
        return [finder for finder in finders if finder.program is None or self.programs[finder.program].path]

    def run(self, finder, commands, step, state):
        """Run the commands in this order; the tools keep their caches in the folder `state`."""
        for name in ("listed", "copies"):  # simfind does not replace the list of another tool
            if os.path.exists(f"{self.folder}/{name}"):
                os.remove(f"{self.folder}/{name}")
        for command, output in commands:
            step.run(command, output, finder.statuses, {"XDG_CACHE_HOME": state})

    def list_all(self, finders, name, files):
        """Generate (finder, step, its list) for all pairs of a folder; the step is None if it was stopped."""
        state, listed, learned = f"{self.folder}/{name}.state", f"{self.folder}/listed", {}
        shutil.rmtree(state, ignore_errors=True)
        os.makedirs(state)
        for finder in finders:
            step = self.step()
            try:
                if finder.shared() not in learned:
                    self.run(finder, finder.learn(self.programs, files, state), step, state)
                    learned[finder.shared()] = step
                    step = self.step()
                step.add(learned[finder.shared()])
                self.run(finder, finder.list_all(self.programs, state, listed), step, state)
            except Stopped:
                step = None
            yield finder, step, finder.pairs(listed) if step else ()

    def remember(self, task, finder, step, run="", count=1):
        """A row for the README; the time is of one of `count` equal commands."""
        if finder.label in README_TOOLS:
            self.speed.append((task, finder.label + run, f"{step.wall / count:.2f} s", f"{step.work / count:.2f} s",
                               f"{megabytes(step)} MB"))

    def exact(self, pairs):
        """The exact resemblances of pairs: {pair: share}."""
        lines = "".join(f"{a}\t{b}\n" for a, b in sorted(pairs))
        done = subprocess.run([f"{self.build}/tests/shingles"], input=lines, capture_output=True, text=True, check=True,
                              errors="surrogateescape")
        rows = (line.split("\t") for line in done.stdout.splitlines())
        return {(a, b): float(share) for share, _, a, b in rows}

    def wrong(self, judged):
        """The percentage of listed pairs that share less than a tenth."""
        shares = self.exact(set(judged.sample))
        return percent(sum(share < 0.1 for share in shares.values()), len(shares))

    # ---- The tools ----

    def print_versions(self):
        simhash = output_of([f"{self.build}/simhash", "--version"]).splitlines()
        print(f"{datetime.date.today():%-d %B %Y}; {os.cpu_count()} processors; {'; '.join(simhash[:2])}; limit "
              f"{self.options.limit:g} processor s")
        table("tool", ("version", "built"), [(name, program.version or "-", program.built or "missing: not compared")
                                             for name, program in self.programs.items() if name != "build"])

    # ---- Identical files ----

    def run_twice(self, finder, tree, is_cold):
        """The steps of a first and of a second run, fewer if one was stopped, and the number of copies in each list."""
        state, listed, steps, copies = f"{self.folder}/state", f"{self.folder}/copies", [], []
        shutil.rmtree(state, ignore_errors=True)
        os.makedirs(state)
        for _ in range(2):
            step = self.step()
            if is_cold:
                drop_caches()
            try:
                self.run(finder, finder.commands(self.programs, tree, state, listed), step, state)
            except Stopped:
                break
            steps.append(step)
            copies.append(finder.count(listed))
        if finder.label == "rmlint --xattr":
            forget_marks(tree)
        return steps, copies

    def list_copies(self, tree, is_cold):
        rows, wanted, count = [], material.copies_below(tree), sum(len(names) for _, _, names in os.walk(tree))
        for finder in self.present(COPY_FINDERS):
            steps, copies = self.run_twice(finder, tree, is_cold)
            if len(steps) < 2:
                rows.append((finder.label, self.stopped()))
                continue
            rows.append((finder.label, *map(both_times, steps), megabytes(steps[0]),
                         "all" if copies == [wanted] * 2 else " / ".join(map(str, copies))))
            runs = ("first run", "again") if finder.keeps(self.programs) else ("each run",)
            for run, step in zip(runs, steps if not is_cold else ()):
                self.remember(f"list copies among {count:,} files", finder, step, ", " + run)
        table(f"identical files, {'cold' if is_cold else 'cached'}: {count:,} files, {wanted:,} copies",
              ("first run: s (processor s)", "again: s (processor s)", "MB", "copies found"), rows)
        shutil.rmtree(tree)

    def cold(self):
        if not drop_caches():
            print("\nNot root: no cold runs.")
            return
        tree = f"{self.folder}/cold"
        material.Growing(self.options.source, tree).grow(5 * self.options.base)
        self.list_copies(tree, True)

    def identical(self):
        tree = f"{self.folder}/tree"
        subprocess.run(["cp", "-a", self.options.tree, tree], check=True)
        self.list_copies(tree, False)

    # ---- Edited copies and next versions ----

    def edited(self):
        files, rows, cells = f"{self.folder}/edited", [], {}
        wanted = material.make_edited(self.options.source, 5 * self.options.base, files)
        warm(files)
        for finder, step, pairs in self.list_all(self.present(SIMILAR_FINDERS), "edited", files):
            if step is None:
                rows.append((finder.label, self.stopped()))
                continue
            judged = Judged(pairs, wanted)
            shares = [percent(sum(wanted[found] == amount for found in judged.found),
                              sum(value == amount for value in wanted.values())) for amount in material.PERCENTS]
            rows.append((finder.label, both_times(step), megabytes(step), *shares, f"{judged.count:,}",
                         self.wrong(judged)))
            cells[finder.label] = shares
        table(f"edited copies: {4 * len(wanted):,} files and {len(wanted):,} edited copies",
              ("s (processor s)", "MB", *(f"{amount} % changed: found, %" for amount in material.PERCENTS),
               "pairs listed", "wrong, %"), rows)
        for number, amount in list(enumerate(material.PERCENTS))[1:]:  # the README is short
            self.accuracy.append((f"edited copies, {amount} % changed",
                                  {name: shares[number] for name, shares in cells.items()}))
        shutil.rmtree(files)

    def versions(self):
        folder = f"{self.folder}/versions"
        wanted = material.make_versions(folder)
        if not wanted:
            print("\nNext versions: no packages could be downloaded.")
            return
        shares, rows, cells = self.exact(wanted), [], {}
        bands = [("80 to 100 %", 0.8, 1.01), ("50 to 80 %", 0.5, 0.8), ("30 to 50 %", 0.3, 0.5)]
        chosen = [{both for both in wanted if low <= shares[both] < high} for _, low, high in bands]
        for finder, step, pairs in self.list_all(self.present(SIMILAR_FINDERS), "versions", f"{folder}/files"):
            if step is None:
                rows.append((finder.label, self.stopped()))
                continue
            judged = Judged(pairs, wanted)
            cells[finder.label] = [percent(len(band & judged.found), len(band)) for band in chosen]
            rows.append((finder.label, *cells[finder.label], f"{judged.count:,}", self.wrong(judged)))
        columns = [f"{name} in common: found of {len(band)}, %" for (name, _, _), band in zip(bands, chosen)]
        table("next versions of files in packages", columns + ["pairs listed", "wrong, %"], rows)
        for number, (name, _, _) in enumerate(bands[:2]):
            self.accuracy.append((f"next versions, {name} in common",
                                  {tool: found[number] for tool, found in cells.items()}))
        shutil.rmtree(folder)

    # ---- Parts of files ----

    def ask(self, finder, requests, files, state, step):
        """Learn a folder, and generate (request, listed file) for each request; one step for everything."""
        listed = f"{self.folder}/listed"
        self.run(finder, finder.learn(self.programs, files, state), step, state)
        for request in requests:
            self.run(finder, finder.ask(self.programs, request, state, listed), step, state)
            for a, b in finder.pairs(listed):
                yield request, b if a == request else a

    def parts(self):
        folder, state, rows, cells = f"{self.folder}/parts", f"{self.folder}/parts.state", [], {}
        wanted = material.make_parts(self.options.source, max(1, min(20, self.options.base // 100)), folder)
        for finder in self.present(SIMILAR_FINDERS):
            os.makedirs(state, exist_ok=True)
            step, requests = self.step(), sorted({request for _, request, _ in wanted})
            try:
                found = set(self.ask(finder, requests, f"{folder}/index", state, step))
            except Stopped:
                rows.append((finder.label, self.stopped()))
                continue
            cells[finder.label] = [
                percent(sum(of == times and (request, whole) in found for of, request, whole in wanted), len(requests))
                for times in material.TIMES]
            sample = random.Random("parts").sample(sorted(found), min(SAMPLED_PAIRS // 10, len(found)))
            wrong = sum(max(contained.share(folder, *map(os.path.basename, both))) < 0.1 for both in sample)
            rows.append((finder.label, both_times(step), megabytes(step), *cells[finder.label], f"{len(found):,}",
                         percent(wrong, len(sample))))
        table(f"a file in a larger one: {len(requests)} requests",
              ("s (processor s)", "MB", *(f"{times} times as large: found, %" for times in material.TIMES),
               "pairs listed", "wrong, %"), rows)
        for number, times in enumerate(material.TIMES):
            self.accuracy.append((f"files in a file {times} times as large",
                                  {name: row[number] for name, row in cells.items()}))
        shutil.rmtree(folder)
        shutil.rmtree(state)

    # ---- Texts, strangers and templates ----

    def reflowed(self):
        files, rows, cells = f"{self.folder}/reflowed", [], {}
        origin, wanted = material.make_reflowed(self.options.competitors, self.options.source, files)
        finders = self.present(SIMILAR_FINDERS) + [Simfind("--min-resemblance=20%")]
        finders += [Tlsh(150)] if self.programs["tlsh"].path else []
        for finder, step, pairs in self.list_all(finders, "reflowed", files):
            if step is None:
                rows.append((finder.label, self.stopped()))
                continue
            judged = Judged(pairs, wanted)
            rows.append((finder.label, str(len(judged.found)), str(judged.count - len(judged.found))))
            cells[finder.label] = percent(len(judged.found), len(wanted))
        count = len({path for both in wanted for path in both})
        table(f"forms of one text: {count} files, {origin}",
              (f"pairs of one text found, of {len(wanted)}",
               f"other pairs listed, of {count * (count - 1) // 2 - len(wanted)}"), rows)
        self.accuracy.append(("forms of one text", cells))
        shutil.rmtree(files)

    def strangers(self):
        folder, rows, cells = f"{self.folder}/strangers", [], {}
        kinds = material.make_strangers(self.options.source, folder)
        families = material.make_templates(folder)
        unrelated = {kind: set(itertools.combinations(sorted(paths), 2)) for kind, paths in kinds.items()}
        shares = self.exact(set().union(*unrelated.values()))
        unrelated = {kind: {both for both in pairs if shares[both] < 0.1} for kind, pairs in unrelated.items()}
        everything = set().union(*unrelated.values(), *families.values())
        versions = set().union(*(pairs for (_, is_version), pairs in families.items() if is_version))
        versions = {both for both, share in self.exact(versions).items() if share >= 0.5}
        for finder, step, pairs in self.list_all(self.present(SIMILAR_FINDERS), "strangers", folder):
            if step is None:
                rows.append((finder.label, self.stopped()))
                continue
            found = Judged(pairs, everything).found
            worst = max(unrelated, key=lambda kind: len(unrelated[kind] & found) / max(1, len(unrelated[kind])))
            worst_share = percent(len(unrelated[worst] & found), len(unrelated[worst]))
            cells[finder.label] = percent(sum(len(pairs & found) for pairs in unrelated.values()),
                                          sum(map(len, unrelated.values())))
            rows.append((finder.label, cells[finder.label],
                         worst_share if worst_share == "0.0" else f"{worst_share} ({worst})",
                         *(percent(len(families[share, False] & found), len(families[share, False]))
                           for share in material.SHARES), percent(len(versions & found), len(versions))))
        table(f"unrelated files of {len(kinds)} kinds, and files of one template",
              ("unrelated pairs listed, %", "worst kind", *(f"{share} % is the template: pairs listed, %" for share in
               material.SHARES), "versions of one of them: found, %"), rows)
        self.accuracy.append(("**wrong:** unrelated files of one kind", cells))
        shutil.rmtree(folder)

    # ---- One, ten and a hundred times the files ----

    def growing_copies(self, finder, files):
        steps, copies = self.run_twice(finder, files, False)
        if len(steps) < 2:
            return None
        return f"{both_times(steps[0])}, {both_times(steps[1])}; {megabytes(steps[0])} MB" + \
            ("" if copies == [self.copies] * 2 else f", {copies[0]:,} of {self.copies:,} copies")

    def growing_list(self, finder, files):
        for _, step, pairs in self.list_all([finder], "growing", files):
            if step is None:
                return None
            judged = Judged(pairs, self.growth.wanted)
            if self.growth.number == 10 * self.options.base:
                self.remember(f"find edited copies among {self.growth.number:,} files", finder, step)
            return f"{both_times(step)}; {megabytes(step)} MB; {percent(len(judged.found), len(self.growth.wanted))} %"
        return None

    def growing_ask(self, finder, files):
        """The mean time of one request; learning is not counted."""
        state, listed, found = f"{self.folder}/ask.state", f"{self.folder}/listed", 0
        shutil.rmtree(state, ignore_errors=True)
        os.makedirs(state)
        step = self.step()
        try:
            self.run(finder, finder.learn(self.programs, files, state), self.step(), state)
            for request, wanted in self.requests.items():
                self.run(finder, finder.ask(self.programs, request, state, listed), step, state)
                found += any(wanted in both for both in finder.pairs(listed))
        except Stopped:
            return None
        wall, work = (1000 * time / len(self.requests) for time in (step.wall, step.work))
        if self.growth.number == 100 * self.options.base:
            self.remember(f"find one file among {self.growth.number:,}", finder, step, count=len(self.requests))
        return f"{wall:.0f} ({work:.0f}); {megabytes(step)} MB; {found} of {len(self.requests)}"

    def growing(self):
        files = f"{self.folder}/growing"
        self.growth = material.Growing(self.options.source, files)
        tests = [(self.growing_copies, finder, finder.label) for finder in self.present(COPY_FINDERS)] + \
            [(test, finder, finder.label) for test in (self.growing_list, self.growing_ask)
             for finder in self.present(SIMILAR_FINDERS) if not isinstance(finder, Tlsh) or finder.distance == "50"]
        rows = {(test.__name__, name): [] for test, _, name in tests}
        sizes = []
        for size in SIZES:
            if not self.growth.grow(size * self.options.base):
                print(f"\n{self.options.source} has too few files for {size} times as many.")
                break
            sizes.append(self.growth.number)
            if size == 1:
                self.requests = self.growth.requests(REQUESTS, f"{self.folder}/requests")
            self.copies = material.copies_below(files)
            warm(files)
            for test, finder, name in tests:
                cells = rows[test.__name__, name]
                stopped = any(cell is None for cell in cells)
                cells.append("" if stopped else test(finder, files))
                print(f"compare: {self.growth.number:,} files, {name}: {cells[-1]}", file=sys.stderr)
        for test, title in ((self.growing_copies, "identical files: s (processor s) of a first run and again; memory"),
                            (self.growing_list, "edited copies: s (processor s); memory; found"),
                            (self.growing_ask, "one file among many: ms (processor ms) of a request; memory; found")):
            table(title, [f"{count:,} files" for count in sizes],
                  [(name, *(self.stopped() if cell is None else cell for cell in cells))
                   for (of, name), cells in rows.items() if of == test.__name__])
        shutil.rmtree(files)

    # ---- The README ----

    def print_readme(self):
        print("\nFor the README:")
        table("task", ("program", "time", "processor time", "memory"), self.speed)
        finders = [finder.label for finder in self.present(SIMILAR_FINDERS) if finder.label in README_TOOLS]
        table("share of files that are found", finders,
              [(name, *(f"{cells[tool].removesuffix('.0')} %" if tool in cells else "-" for tool in finders))
               for name, cells in self.accuracy])


QUESTIONS = ("cold", "identical", "edited", "versions", "parts", "reflowed", "strangers", "growing")


def parse_options():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--competitors", type=os.path.abspath,
                        default=os.environ.get("COMPETITORS") or os.path.expanduser("~/.cache/simhash-competitors"))
    parser.add_argument("--tree", type=os.path.abspath, default="/usr/share")
    parser.add_argument("--from", dest="source", type=os.path.abspath, default="/usr")
    parser.add_argument("--base", type=int, default=2000)
    parser.add_argument("--limit", type=float, default=180)
    parser.add_argument("--only", default=",".join(QUESTIONS))
    options = parser.parse_args()
    if unknown := set(options.only.split(",")) - set(QUESTIONS):
        raise SystemExit(f"compare: no question '{unknown.pop()}': expected {', '.join(QUESTIONS)}")
    return options


def main():
    options = parse_options()
    csv.field_size_limit(sys.maxsize)
    with tempfile.TemporaryDirectory(prefix="simhash-compare.") as folder:
        comparison = Comparison(options, folder)
        comparison.print_versions()
        for question in QUESTIONS:
            if question in options.only.split(","):
                getattr(comparison, question)()
        comparison.print_readme()


if __name__ == "__main__":
    main()
