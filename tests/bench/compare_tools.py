"""The tools that compare.py runs: where they are, their versions, their commands, and how to read their lists.

A program in COMPETITORS/bin is used instead of an installed one. A file NAME.txt next to it says in one line how it
was built.

SPDX-License-Identifier: MIT
"""

import csv
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess

SAY_VERSION = {"ssdeep": "-V", "tlsh": "-version"}


class Stopped(Exception):
    """A tool needed more processor time than the limit."""


class Step:
    """The time and memory of several commands, one after another, that may use `limit` seconds of processor time
    together, and ten times as long."""

    def __init__(self, build, folder, limit):
        self.measure, self.measured, self.limit = f"{build}/tests/measure", f"{folder}/measured", limit
        self.wall = self.work = 0.0
        self.peak_kib = 0

    def run_limited(self, command, file, errors, env):
        """Returns the exit status, or None if the command was killed after ten times the limit."""
        most = max(1, math.ceil(self.limit - self.work))
        child = subprocess.Popen([self.measure, self.measured] + command, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=errors, start_new_session=True, env=dict(os.environ, **env),
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)))
        try:
            return child.wait(timeout=10 * self.limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()

    def run(self, command, output=os.devnull, statuses=(0,), env=None):
        """Run a command, with its output in a file. Its exit status must be one of `statuses`."""
        with open(output, "wb") as file, open(self.measured + ".errors", "wb") as errors:
            status = self.run_limited(command, file, errors, env or {})
        if status in (None, 128 + signal.SIGKILL, 128 + signal.SIGXCPU):
            raise Stopped
        with open(self.measured, encoding="ascii") as file:
            wall, work, peak_kib = file.read().split()
        self.wall += float(wall)
        self.work += float(work)
        self.peak_kib = max(self.peak_kib, int(peak_kib))
        if status not in statuses:
            with open(self.measured + ".errors", encoding="utf-8", errors="replace") as errors:
                raise SystemExit(f"{' '.join(command)} ended with {status}: {errors.read()[-300:]}")

    def add(self, other):
        self.wall += other.wall
        self.work += other.work
        self.peak_kib = max(self.peak_kib, other.peak_kib)


# ---- Programs ----

def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


class Program:
    """A program of a competitor: its path, or None; its version, and how it was built."""

    def __init__(self, name, competitors):
        built = os.path.join(competitors, "bin", name)
        self.name, self.from_source = name, os.access(built, os.X_OK)
        self.path = built if self.from_source else shutil.which(name)
        self.version = self.path and self.find_version()
        self.built = self.path and (self.find_note() if self.from_source else self.find_package())

    def find_version(self):
        said = output_of([self.path, SAY_VERSION.get(self.name, "--version")])
        found = re.search(r"\d+\.\d+[\w.]*", said)
        return found[0] if found else "unknown"

    def find_note(self):
        try:
            with open(self.path + ".txt", encoding="utf-8") as file:
                return file.readline().strip()
        except FileNotFoundError:
            return "built here, without a note"

    def find_package(self):
        if not shutil.which("dpkg-query"):
            return f"installed as {self.path}"
        package = output_of(["dpkg-query", "-S", self.path]).split(":")[0]
        version = output_of(["dpkg-query", "-W", "-f", "${Version}", package])
        return f"Debian package {package} {version}"

    def has(self, option):
        return option in output_of([self.path, "--help"])


# ---- Lists of identical files: each function counts the copies, without the first file of each content ----

def copies_in_pairs(path):
    """For lists of pairs. Hard links are one file."""
    first, copies = {}, 0

    def root(inode):
        while first.setdefault(inode, inode) != inode:
            inode = first[inode]
        return inode
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        for row in csv.DictReader(file):
            a, b = root(os.stat(row["path_a"]).st_ino), root(os.stat(row["path_b"]).st_ino)
            if a != b:
                first[a], copies = b, copies + 1
    return copies


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


def copies_of_rdfind(path):
    with open(path, "rb") as file:
        return sum(line.startswith((b"DUPTYPE_WITHIN_SAME_TREE", b"DUPTYPE_OUTSIDE_TREE")) for line in file)


class SimhashCopies:
    """Finds identical files. `commands` writes a list to `listed`, and keeps what it needs for a second run in the
    folder `state`: [(command, file for its output)]. `keeps` says whether it keeps anything."""
    program, label, statuses = None, "simhash", (0, 2)
    count = staticmethod(copies_in_pairs)

    def keeps(self, programs):
        return True

    def commands(self, programs, tree, state, listed):
        build, database = programs["build"], f"sqlite:{state}/tree.db"
        return [([f"{build}/simhash", "-q", "-d", database, tree], os.devnull),
                ([f"{build}/simfind", "-q", "-d", database, "--only=copies", "--format=csv", "-o", listed], os.devnull)]


class Jdupes:
    program, label, statuses = "jdupes", "jdupes", (0,)
    count = staticmethod(copies_in_paragraphs)

    def keeps(self, programs):
        return programs["jdupes"].has("hash-db")

    def commands(self, programs, tree, state, listed):
        cache = ["-y", f"{state}/jdupes.db"] if self.keeps(programs) else []
        return [([programs["jdupes"].path, "-q", "-r"] + cache + [tree], listed)]


class Fdupes:
    program, label, statuses = "fdupes", "fdupes", (0,)
    count = staticmethod(copies_in_paragraphs)

    def keeps(self, programs):
        return programs["fdupes"].has("--cache")

    def commands(self, programs, tree, state, listed):
        cache = ["--cache"] if self.keeps(programs) else []
        return [([programs["fdupes"].path, "-q", "-r", "-n"] + cache + [tree], listed)]


class Rmlint:
    """With --xattr, rmlint keeps what it read in attributes of the files."""
    program, statuses = "rmlint", (0,)
    count = staticmethod(copies_of_rmlint)

    def __init__(self, *options):
        self.label, self.options = " ".join(("rmlint",) + options), list(options)

    def keeps(self, programs):
        return bool(self.options)

    def commands(self, programs, tree, state, listed):
        return [([programs["rmlint"].path, "-T", "df", "--hidden", "--no-followlinks", "--no-hardlinked", *self.options,
                  "-o", f"json:{listed}", tree], os.devnull)]


class Rdfind:
    program, label, statuses = "rdfind", "rdfind", (0,)
    count = staticmethod(copies_of_rdfind)

    def keeps(self, programs):
        return False

    def commands(self, programs, tree, state, listed):
        checksum = "xxh128" if programs["rdfind"].has("xxh128") else "sha1"
        return [([programs["rdfind"].path, "-checksum", checksum, "-outputname", listed, tree], os.devnull)]


COPY_FINDERS = (SimhashCopies(), Jdupes(), Fdupes(), Rmlint(), Rmlint("--xattr"), Rdfind())


# ---- Lists of similar files: each function generates the pairs ----

def pairs_of_simfind(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        for row in csv.DictReader(file):
            yield row["path_a"], row["path_b"]


def pairs_of_ssdeep(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        for row in csv.reader(file, escapechar="\\"):
            if len(row) == 3:
                yield row[0], row[1]


def pairs_of_tlsh(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for row in (line.split("\t") for line in file):
            if len(row) == 3:
                yield row[0], row[1]


def pairs_of_sdhash(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for row in (line.split("|") for line in file):
            if len(row) == 3:
                yield row[0], row[1]


class Simfind:
    """Finds similar files. `learn` reads all files of a folder once and keeps what it needs in `state`; `list_all`
    then lists the pairs among them, and `ask` the pairs of one other file, to `listed`. All return
    [(command, file for its output)]."""
    program, statuses = None, (0,)
    pairs = staticmethod(pairs_of_simfind)

    def __init__(self, *options):
        self.label, self.options = ", ".join(("simhash",) + options), list(options)

    def shared(self):
        """Tools with equal values can share what they learned."""
        return "simhash"

    def database(self, state):
        return f"sqlite:{state}/simhash.db"

    def learn(self, programs, files, state):
        return [([f"{programs['build']}/simhash", "-q", "-d", self.database(state), files], os.devnull)]

    def list_all(self, programs, state, listed):
        return [([f"{programs['build']}/simfind", "-q", "-d", self.database(state), "--group=none", "--format=csv",
                  "-o", listed, *self.options], os.devnull)]

    def ask(self, programs, path, state, listed):
        return [([f"{programs['build']}/simfind", "-q", "-d", self.database(state), "--format=csv", "-o", listed,
                  *self.options, path], os.devnull)]


class Ssdeep:
    program, label, statuses = "ssdeep", "ssdeep", (0, 1)
    pairs = staticmethod(pairs_of_ssdeep)

    def shared(self):
        return "ssdeep"

    def learn(self, programs, files, state):
        return [([programs["ssdeep"].path, "-s", "-r", files], f"{state}/ssdeep")]

    def list_all(self, programs, state, listed):
        return [([programs["ssdeep"].path, "-s", "-c", "-x", f"{state}/ssdeep"], listed)]

    def ask(self, programs, path, state, listed):
        return [([programs["ssdeep"].path, "-s", "-c", "-m", f"{state}/ssdeep", path], listed)]


class Tlsh:
    program, statuses = "tlsh", (0,)
    pairs = staticmethod(pairs_of_tlsh)

    def __init__(self, distance):
        self.label, self.distance = f"tlsh, distance {distance}", str(distance)

    def shared(self):
        return "tlsh"

    def learn(self, programs, files, state):
        return [([programs["tlsh"].path, "-r", files], f"{state}/tlsh")]

    def list_all(self, programs, state, listed):
        return [([programs["tlsh"].path, "-xref", "-l", f"{state}/tlsh", "-T", self.distance], listed)]

    def ask(self, programs, path, state, listed):
        return [([programs["tlsh"].path, "-c", path, "-l", f"{state}/tlsh", "-T", self.distance], listed)]


class Sdhash:
    program, label, statuses = "sdhash", "sdhash, score of 10 and more", (0,)
    pairs = staticmethod(pairs_of_sdhash)

    def shared(self):
        return "sdhash"

    def learn(self, programs, files, state):
        return [([programs["sdhash"].path, "-r", files], f"{state}/all.sdbf")]

    def list_all(self, programs, state, listed):
        return [([programs["sdhash"].path, "-t", "10", "-c", f"{state}/all.sdbf"], listed)]

    def ask(self, programs, path, state, listed):
        return [([programs["sdhash"].path, path], f"{state}/one.sdbf"),
                ([programs["sdhash"].path, "-t", "10", "-c", f"{state}/one.sdbf", f"{state}/all.sdbf"], listed)]


SIMILAR_FINDERS = (Simfind(), Ssdeep(), Tlsh(30), Tlsh(50), Tlsh(100), Sdhash())
PROGRAMS = ("jdupes", "fdupes", "rmlint", "rdfind", "ssdeep", "tlsh", "sdhash")
