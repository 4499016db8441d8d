#!/usr/bin/env python3
"""Prints what a corpus of quality.sh shows: a table of all goals, and then the details.

    quality_goals.py FOLDER RUNS

FOLDER is the folder of quality_corpus.py; RUNS contains the output of simfind in N.options and N.PART.csv.

SPDX-License-Identifier: MIT
"""

import glob
import itertools
import os
import statistics
import sys

from quality_table import (RELATED, Run, edit_tables, error_table, errors_of, groups_of_strangers, identical_found,
                           options_of, pair, part_tables, percent, precision, rows_of, sampled, size_class,
                           stranger_tables, table, tree_table, truth_of, version_table, white_tables)

INDEXES, VERSION = (40, 1000, 20000), 0.5
PARTS = ("versions", "edits", "strangers", "tree", "parts", "white", "reflowed") + \
    tuple(f"templates-{size}" for size in INDEXES)


# ---- Templates ----

class Family:
    """Files of one template. Files with one number are versions of one file; all others are strangers. Versions are
    counted if they have as much in common as VERSION: one change in a compressed text changes the rest of it."""

    def __init__(self, place, truth):
        self.kind = os.path.basename(os.path.dirname(place)).replace("_", " ")
        self.share, self.count = map(int, os.path.basename(place).split("-"))
        names = sorted(os.listdir(place))
        number = {os.path.join(place, name): name[1:3] for name in names}
        pairs = list(itertools.combinations(number, 2))
        self.strangers = [(a, b) for a, b in pairs if number[a] != number[b]]
        self.versions = [(a, b) for a, b in pairs if number[a] == number[b] and truth[a, b] >= VERSION]
        self.number = number

    def results(self, run):
        """The share of the pairs of strangers that is listed; and for each version whether it is listed, and how
        many strangers the list has above it, as a mean of its two files."""
        versions = []
        for pair_of_versions in self.versions:
            least = run.resemblance(*pair_of_versions)
            above = sum(run.lists(a, b) and run.resemblance(a, b) >= least for a in pair_of_versions
                        for b in self.number if self.number[b] != self.number[a]) / 2
            versions.append((least >= 0, above))
        return statistics.mean(run.lists(a, b) for a, b in self.strangers), versions


class Families:
    def __init__(self, folder, runs):
        truth = truth_of(folder, "templates")
        self.all = [Family(place, truth) for place in sorted(glob.glob(os.path.join(folder, "templates", "*", "*")))]
        self.results = {(name, size, family): family.results(run[f"templates-{size}"]) for name, run in runs
                        for size in INDEXES for family in self.all if size > 40 or family.count <= 20}

    def cells(self, name, size, keep=lambda family: True):
        """Strangers listed, versions listed, versions above all strangers, strangers above a version; for the run
        of this name and an index of this size."""
        chosen = [result for (run, of, family), result in self.results.items()
                  if run == name and of == size and keep(family)]
        versions = [version for _, found in chosen for version in found]
        return (f"{100 * statistics.mean(strangers for strangers, _ in chosen):.1f}",
                percent(sum(found for found, _ in versions), len(versions)),
                percent(sum(found and not above for found, above in versions), len(versions)),
                f"{statistics.mean(above for _, above in versions):.1f}")


def print_templates(families, runs):
    shares, kinds, counts = (sorted({getattr(family, name) for family in families.all})
                             for name in ("share", "kind", "count"))
    tests = [(f"{share} % shared, index of {size}", size, lambda family, share=share: family.share == share)
             for share, size in itertools.product(shares, INDEXES)] + \
        [(kind, 1000, lambda family, kind=kind: family.kind == kind) for kind in kinds] + \
        [(f"{count} files of one template", 1000, lambda family, count=count: family.count == count)
         for count in counts]
    table("files of one template: strangers listed, % / versions listed, % / versions above all strangers, % / "
          "strangers above a version; the last rows in an index of 1000", [name for name, _ in runs],
          [(name, [" / ".join(families.cells(run, size, keep)) for run, _ in runs]) for name, size, keep in tests])


# ---- Goals ----

def listed(run, row):
    return run.lists(row[0], row[1])


def as_part(run, row):
    return run.lists_part(row[0], row[1])


class Goals:
    """The rows of the table. Each method returns a cell for the lists of one run, or a function that does."""

    def __init__(self, folder, runs):
        self.folder, self.families = folder, Families(folder, runs)
        self.truth = {part: truth_of(folder, part) for part in ("versions", "edits", "strangers", "tree")}
        self.rows = {part: list(rows_of(folder, part + ".tsv")) for part in ("versions", "edits", "parts", "white")}

    def shares(self, part, keep, values=(None,), test=listed):
        """Percentages: for each value, of the rows to keep, those for which the test is true."""
        chosen = [[row for row in self.rows[part] if keep(row, value)] for value in values]
        return lambda run: " / ".join(percent(sum(test(run[part], row) for row in rows), len(rows)) for rows in chosen)

    def edits(self, percents):
        large = {row[0] for row in self.rows["edits"] if os.path.getsize(row[0]) >= 4 << 10}
        return self.shares("edits", lambda row, value: float(row[4]) == value and row[0] in large, percents)

    def small_edits(self, sizes):
        return self.shares("edits", lambda row, value: float(row[4]) <= 2 and size_class(row) == value, sizes)

    def versions(self, low, high):
        truth = self.truth["versions"]
        return self.shares("versions", lambda row, _: low <= truth.get(pair(row[0], row[1]), -1) < high)

    def parts(self, change, percents, test=listed):
        return self.shares("parts", lambda row, value: row[3] == change and int(row[4]) == value, percents, test)

    def white(self, least):
        return self.shares("white", lambda *_: True, test=lambda run, row: run.resemblance(row[0], row[1]) >= least)

    def template(self, size, column):
        shares = sorted({family.share for family in self.families.all})
        return lambda run: " / ".join(
            self.families.cells(run["name"], size, lambda family, share=share: family.share == share)[column]
            for share in shares)

    def strangers(self, most):
        """The percentage listed of pairs of strangers with a lower resemblance: the mean and the worst kind."""
        pairs = {}
        for (kind, _), paths in groups_of_strangers(self.folder).items():
            pairs.setdefault(kind, []).extend(found for found in itertools.combinations(paths, 2)
                                              if self.truth["strangers"][pair(*found)] < most)

        def cell(run):
            shares = {kind: 100 * statistics.mean(run["strangers"].lists(a, b) for a, b in found)
                      for kind, found in pairs.items() if found}
            worst = max(shares, key=shares.get)
            return f"{statistics.mean(shares.values()):.3f}; {shares[worst]:.3f}" + \
                (f" ({worst})" if shares[worst] else "")
        return cell

    def reflowed(self, run):
        """Pairs of forms of one text that are found of all, and pairs of different texts that are listed."""
        paths = sorted(glob.glob(os.path.join(self.folder, "reflowed", "*", "*")))
        found = [(os.path.dirname(a) == os.path.dirname(b), run["reflowed"].lists(a, b))
                 for a, b in itertools.combinations(paths, 2)]
        return f"{found.count((True, True))} of {sum(same for same, _ in found)}, {found.count((False, True))} wrong"

    def error(self, run):
        errors = [error for part in ("edits", "versions", "tree")
                  for exact, error in errors_of(run[part], self.truth[part]) if exact >= 0.8]
        return f"{statistics.pstdev(errors):.3f}" if errors else "-"

    def table(self, runs):
        shares = " / ".join(map(str, sorted({family.share for family in self.families.all})))
        rows = [
            ("identical files of the tree, %", "100",
             lambda run: percent(*identical_found(self.folder, run["tree"]), 3)),
            ("edits of 0.5 / 1 / 2 / 5 %, files of 4 KiB and more, %", "99.9 / 99.8 / 99 / 90",
             self.edits((0.5, 1, 2, 5))),
            ("edits up to 2 %, files of 200 B / 500 B / 1 KiB, %", "", self.small_edits(("200 B", "500 B", "1 KiB"))),
            ("next versions, J .8 to .95, %", "99", self.versions(0.8, 0.95)),
            ("next versions, J .7 to .8, %", "", self.versions(0.7, 0.8)),
            ("copies cut to 95 / 90 / 80 / 70 / 60 / 50 %, %", "", self.parts("cut", (95, 90, 80, 70, 60, 50))),
            ("cut copies listed as a part, %", "", self.parts("cut", (95, 90, 80, 70, 60, 50), as_part)),
            ("copies cut to 33 / 20 / 10 %, %", "", self.parts("cut", (33, 20, 10))),
            ("logs that grew by 5 / 10 / 20 / 50 / 100 %, %", "", self.parts("grown", (5, 10, 20, 50, 100))),
            ("logs that grew listed as a part, %", "", self.parts("grown", (5, 10, 20, 50, 100), as_part)),
            ("1 / 5 / 10 / 20 / 50 % inserted at the front, %", "", self.parts("front", (1, 5, 10, 20, 50))),
            ("other white space, %", "", self.white(0)),
            ("other white space, resemblance of 95 % and more, %", "", self.white(0.95)),
            ("forms of ten texts", "30, 0 wrong", self.reflowed)]
        for name, column in (("strangers, {} % of a template, index of {}: % listed", 0),
                             ("true versions, {} % of a template, index of {}: % listed", 1),
                             ("strangers above a true version, {} % of a template, index of {}", 3)):
            rows += [(name.format(shares, size), "", self.template(size, column)) for size in INDEXES]
        rows += [
            (f"strangers, J < {RELATED}: % listed, mean; worst kind", "0; 0", self.strangers(RELATED)),
            ("strangers, J < 0.5: % listed, mean; worst kind", "; 0.05", self.strangers(0.5)),
            ("similar pairs of the tree: number, % with J >= .8 / >= .5 / < .3", "",
             lambda run: precision(sampled(run["tree"]).values(), self.truth["tree"])),
            ("standard error of the printed resemblance, J >= .8", "", self.error)]
        table("default run", ["goal"] + [name for name, _ in runs],
              [(name, [goal] + [cell(run) for _, run in runs]) for name, goal, cell in rows])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, place = sys.argv[1:]
    runs = []
    for path, options in options_of(place):
        name = options if options == "default" else f"`{options}`"
        runs.append((name, {part: Run(f"{path}.{part}.csv") for part in PARTS} | {"name": name}))
    goals = Goals(folder, runs)
    goals.table(runs)
    version_table(folder, runs)
    edit_tables(folder, runs)
    part_tables(folder, runs)
    white_tables(folder, runs)
    print_templates(goals.families, runs)
    stranger_tables(folder, runs)
    tree_table(folder, runs)
    error_table(folder, runs)


if __name__ == "__main__":
    main()
