"""Makes the folders of files that compare.py gives to all tools, with the pairs that are to be found.

SPDX-License-Identifier: MIT
"""

import collections
import hashlib
import itertools
import os
import random
import shutil

import contained
import quality_corpus
import quality_packages
from quality_changes import EDITS, FORMS
from quality_corpus import files_below, read, write

PERCENTS = (0.5, 1, 2, 5)
SMALL, LARGE = (512, 64 << 10), (4 << 10, 1 << 20)
TIMES = (2, 10)
SHARES, FAMILY = (30, 60), 8
STRANGERS = ((64 << 10, 12),)
# The number of packages whose next versions are compared, if the archive has so many.
PACKAGES = 36


def pair(a, b):
    return (a, b) if a <= b else (b, a)


def copies_below(folder):
    """The number of copies, without the first file of each content, hard links and empty files."""
    sizes, copies = collections.defaultdict(dict), 0
    for path in (os.path.join(at, name) for at, _, names in os.walk(os.fsencode(folder)) for name in names):
        if os.path.isfile(path) and not os.path.islink(path):
            status = os.stat(path)
            sizes[status.st_size][status.st_ino] = path
    for size, paths in sizes.items():
        if size and len(paths) > 1:
            copies += len(paths) - len({hashlib.sha256(read(path)).digest() for path in paths.values()})
    return copies


class Drawn:
    """Files of a tree in random order, each content once."""

    def __init__(self, tree, sizes, seed):
        self.paths = [path for path in files_below(tree) if sizes[0] <= os.path.getsize(path) <= sizes[1] and
                      os.access(path, os.R_OK)]
        random.Random(seed).shuffle(self.paths)
        self.seen, self.sizes = set(), sizes

    def next(self):
        """(extension, content), or None at the end."""
        while self.paths:
            path = self.paths.pop()
            content = read(path)
            digest = hashlib.blake2b(content, digest_size=16).digest()
            if digest not in self.seen and self.sizes[0] <= len(content) <= self.sizes[1]:
                self.seen.add(digest)
                return os.path.splitext(path)[1], content
        return None


def changed(rng, edit, percent, content, donor):
    data = bytearray(content)
    EDITS[edit](rng, data, donor, max(1, int(len(content) * percent / 100)))
    return bytes(data)


def make_edited(tree, count, folder):
    """Draw files, and add an edited copy of every fourth one: {pair: percent}. All kinds of edits take turns."""
    rng, drawn, wanted, donor = random.Random("edited"), Drawn(tree, LARGE, "edited"), {}, b""
    changes = list(itertools.product(EDITS, PERCENTS))
    for number in range(count):
        found = drawn.next()
        if found is None:
            break
        extension, content = found
        first = os.path.join(folder, f"{number % 100:02}", f"{number}{extension}")
        write(first, content)
        if number % 4 == 1:
            edit, percent = changes[number // 4 % len(changes)]
            second = os.path.join(folder, "edited", f"{number}{extension}")
            write(second, changed(rng, edit, percent, content, donor))
            wanted[pair(first, second)] = percent
        donor = content
    return wanted


class Growing:
    """A folder whose files are, in turn, a drawn file, a copy of it with 1 % changed, another drawn file, and an
    identical copy of it."""

    def __init__(self, tree, folder):
        self.drawn, self.rng, self.folder = Drawn(tree, SMALL, "growing"), random.Random("growing"), folder
        self.number, self.edited, self.wanted, self.donor = 0, [], set(), b"donor"

    def place(self, extension):
        self.number += 1
        return os.path.join(self.folder, f"{self.number // 500}", f"{self.number}{extension}")

    def grow(self, count):
        """Add files until there are `count`; false if the tree has too few."""
        while self.number < count:
            one, other = self.drawn.next(), self.drawn.next()
            if one is None or other is None:
                return False
            first, second, third, fourth = (self.place(extension) for extension in (one[0], one[0], other[0], other[0]))
            edit = list(EDITS)[self.number // 4 % len(EDITS)]
            write(first, one[1])
            write(second, changed(self.rng, edit, 1, one[1], self.donor))
            write(third, other[1])
            write(fourth, other[1])
            self.edited.append(first)
            self.wanted.add(pair(first, second))
            self.donor = other[1]
        return True

    def requests(self, count, folder):
        """Other edited copies of the first drawn files: {path: the file to find}."""
        made = {}
        for first in self.edited[:count]:
            path = os.path.join(folder, os.path.basename(first))
            write(path, changed(self.rng, "lines", 1, read(first), self.donor))
            made[path] = first
        return made


def make_versions(folder):
    """Files of packages with two versions in Debian's archive: {(older, newer)}, or None without apt-get."""
    packages = os.path.join(folder, "packages")
    try:
        twins, _ = quality_packages.choose_debian("b", "compare")
        lines = [" ".join(["debian", name] + versions) for name, versions in twins[:PACKAGES]]
        folders = quality_packages.fetch(packages, lines)
    except (SystemExit, FileNotFoundError):
        return None
    wanted, seen = set(), set()
    for number, paths in enumerate(quality_corpus.next_versions(random.Random("versions"), folders)):
        contents = [read(path) for path in paths]
        if min(map(len, contents)) >= SMALL[0] and not seen.intersection(contents):
            seen.update(contents)
            name = f"{number}{os.path.splitext(paths[0])[1]}"
            made = [os.path.join(folder, "files", side, name) for side in ("a", "b")]
            for path, content in zip(made, contents):
                write(path, content)
            wanted.add(tuple(made))
    shutil.rmtree(packages)
    return wanted


def make_parts(tree, count, folder):
    """Requests, `count` of each kind, and larger files that contain each: [(times, request, container)]; below
    FOLDER/requests and FOLDER/index, with unrelated files."""
    random.seed("parts")
    contained.RATIOS = TIMES
    contained.make(folder, tree, count)
    return [(times, f"{folder}/requests/{name}", f"{folder}/index/{name}-{times}-all")
            for name in sorted(os.listdir(f"{folder}/requests")) for times in TIMES]


def texts_of(tree):
    """Ten texts from different folders of the tree, with several paragraphs each."""
    texts = {}
    for path in random.Random("texts").sample(found := sorted(files_below(tree)), len(found)):
        if path.endswith((".txt", ".md", ".rst", "README")) and 3 << 10 <= os.path.getsize(path) < 40 << 10:
            content = read(path)
            if content.isascii() and content.count(b" ") > 400 and content.count(b"\n") > 40:
                texts.setdefault(os.path.dirname(path), content)
    return list(texts.values())[:10]


def make_reflowed(competitors, tree, folder):
    """Ten texts in three forms each: (their origin, the pairs of forms of one text)."""
    variants, rng = os.path.join(competitors, "material", "reflowed"), random.Random("reflowed")
    if os.path.isdir(variants):
        for path in files_below(variants):
            text, form = os.path.splitext(os.path.basename(path))
            if form in (".fmt", ".plus", ".sort"):
                write(os.path.join(folder, text, form[1:] + ".txt"), read(path))
        origin = "the test files of TLSH"
    else:
        for number, content in enumerate(texts_of(tree)):
            for form, make in FORMS.items():
                write(os.path.join(folder, str(number), form + ".txt"), make(rng, content))
        origin = f"texts of {tree}"
    paths = sorted(files_below(folder))
    return origin, {(a, b) for a, b in itertools.combinations(paths, 2) if os.path.dirname(a) == os.path.dirname(b)}


def make_strangers(tree, folder):
    """Unrelated files of one kind and size: {kind: paths}."""
    quality_corpus.STRANGERS = STRANGERS
    by_kind = collections.defaultdict(list)
    for path in files_below(tree):
        kind = quality_corpus.kind_of(path) if os.path.getsize(path) >= 1024 else None
        if kind in quality_corpus.JOINED:
            by_kind[kind].append(path)
    made = collections.defaultdict(list)
    for path, kind, _ in quality_corpus.make_strangers("compare", folder, by_kind):
        made[kind].append(path)
    return made


def make_templates(folder):
    """Files of one template: {(share of the template, is a version): pairs}."""
    pairs = collections.defaultdict(set)
    for kind, share in itertools.product(quality_corpus.TEMPLATES, SHARES):
        quality_corpus.make_family(("compare", folder, kind, share, FAMILY))
        place = os.path.join(folder, "templates", kind.replace(" ", "_"), f"{share}-{FAMILY}")
        for a, b in itertools.combinations(sorted(files_below(place)), 2):
            same = os.path.basename(a)[1:3] == os.path.basename(b)[1:3]
            pairs[share, same].add((a, b))
    return pairs
