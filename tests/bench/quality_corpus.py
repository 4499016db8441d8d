#!/usr/bin/env python3
"""Makes a corpus for quality.sh: pairs of files whose common content is known.

    tests/bench/quality_corpus.py CORPUS FOLDER

CORPUS is a, b or c, or a file with the lines that another run wrote to FOLDER/manifest. a is for
tuning and b for judging; c has other packages each day. FOLDER gets

    manifest          the seed, and the packages with their versions
    tree, older       the packages; older has the old versions of packages in tree
    versions.tsv      pairs: file of a package, file of the same name in the next version
    edits, edits.tsv  pairs: original, edited, kind of the file, kind of the edit, percent
    parts, parts.tsv  the same: truncated copies, logs that grew, blocks inserted at the front
    white, white.tsv  the same: texts with other white space
    reflowed          ten texts in three forms each
    templates, fill   families of files that share a template; fill lists the files of the tree
    strangers, strangers.tsv     files: path, kind, size; files of one kind and size are unrelated

SPDX-License-Identifier: MIT
"""

import datetime
import filecmp
import functools
import io
import multiprocessing
import os
import random
import re
import sys
import tarfile
import zipfile
import zlib

import quality_packages
from quality_changes import EDIT_PERCENTS, EDITS, FORMS, PARTS, WHITE
from quality_kinds import GENERATORS, TEMPLATE_SIZE, TEMPLATES, translation

# Sizes of the originals of edits from and below, and the number for each size.
CLASSES = ((170, 230, 40), (450, 550, 40), (950, 1100, 40), (4 << 10, 16 << 10, 48), (16 << 10, 64 << 10, 36),
           (64 << 10, 256 << 10, 24), (256 << 10, 1 << 20, 10), (1 << 20, 4 << 20, 5), (4 << 20, 16 << 20, 1))
# Sizes of the files of which parts are made, and the number for each kind; texts of each extension.
PART_SIZES, WHITE_COUNT = ((4 << 10, 4), (64 << 10, 4), (1 << 20, 2), (16 << 20, 1)), 8
# The percentage of a file that is its template, and the numbers of files of one template.
SHARES, FAMILIES = (30, 45, 60, 75, 90), (3, 8, 20, 60)
# Sizes of strangers, and the number for each kind.
STRANGERS = ((64 << 10, 24), (256 << 10, 18), (1 << 20, 12), (4 << 20, 8))
PAIRS_OF_A_PACKAGE, LARGEST = 80, 16 << 20

# The kinds of real files, by extension; the first bytes identify "binary".
KINDS = {"text": "txt md rst texi tex", "C source": "c h cpp hpp cc hh", "Python": "py", "JavaScript": "js mjs ts",
         "HTML": "html htm", "JSON": "json", "CSV": "csv tsv", "XML": "xml svg", "PDF": "pdf", "JPEG": "jpg jpeg",
         "PNG": "png", "fonts": "ttf otf pfb woff woff2", "byte code": "class pyc beam elc", "debug": "debug",
         "sound": "ogg wav flac mp3", "gz": "gz tgz", "translations": "mo po", "style": "css less scss", "map": "map"}
BY_EXTENSION = {ext: kind for kind, exts in KINDS.items() for ext in exts.split()}
# Kinds that are joined, if necessary, and cut to one size.
JOINED = ("C source", "Python", "JavaScript", "HTML", "PDF", "JPEG", "PNG", "fonts", "byte code", "debug", "ELF",
          "translations")


def files_below(folder):
    """Regular files whose names can be in lines and columns."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path) and not re.search("[\t\n\r]", path):
                try:
                    path.encode()
                except UnicodeEncodeError:
                    continue
                yield path


def kind_of(path):
    kind = BY_EXTENSION.get(os.path.splitext(path)[1][1:].lower())
    if kind is None:
        with open(path, "rb") as file:
            kind = "ELF" if file.read(4) == b"\x7fELF" else None
    return kind


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def write_lines(folder, name, rows):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def unpack_classes(folder):
    """Unpack the byte code in Java archives into files next to them."""
    for path in list(files_below(os.path.join(folder, "tree"))):
        if path.endswith(".jar"):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist()[:2000]:
                    if name.endswith(".class"):
                        archive.extract(name, path + ".d")


def next_versions(rng, pairs):
    """Files with the same name but different contents in two versions of a package."""
    for older, newer in pairs:
        found = []
        for path in files_below(older):
            other = newer + path[len(older):]
            if os.path.isfile(other) and not os.path.islink(other) and 0 < os.path.getsize(path) <= LARGEST and \
                    0 < os.path.getsize(other) <= LARGEST and not filecmp.cmp(path, other, shallow=False):
                found.append((path, other))
        yield from sorted(rng.sample(found, min(len(found), PAIRS_OF_A_PACKAGE)))


# ---- Edits, parts and white space ----

def originals(rng, by_kind):
    """Real and generated files of each class of sizes, its kinds in turn: [(kind, extension, content)]."""
    for low, high, count in CLASSES:
        pools = {}
        for kind, paths in by_kind.items():
            fitting = [path for path in paths if low <= os.path.getsize(path) < high]
            if fitting:
                pools[kind] = rng.sample(fitting, len(fitting))
        for kind in ("access log", "JSON", "CSV of people", "DNA", "sound") + (("SQLite",) if low >= 4 << 10 else ()):
            pools.setdefault(kind, [None])
        order = sorted(pools)
        rng.shuffle(order)
        seen = set()
        while len(seen) < count and any(pools.values()):
            for kind in order:
                path = pools[kind].pop() if pools[kind] and len(seen) < count else 0
                if path == 0:
                    continue
                size = rng.randrange(low, high)
                content = read(path) if path else GENERATORS[kind][0](rng, size)[:size]
                if content not in seen:
                    seen.add(content)
                    extension = os.path.splitext(path)[1] if path else "." + GENERATORS[kind][1]
                    yield kind, extension, content


def edited(change, percent, rng, content, donor):
    data = bytearray(content)
    change(rng, data, donor, max(1, int(len(content) * percent / 100)))
    return bytes(data)


def make_changed(rng, folder, part, chosen, changes):
    """Write files and their changes {(change, percent): function}. Each change is a folder, so that it can be
    indexed with the originals alone."""
    rows = []
    for number, (kind, extension, content) in enumerate(chosen):
        donors = [other for of, _, other in chosen if of == kind and other is not content]
        donor = rng.choice(donors) if donors else content
        first = os.path.join(folder, part, "original", f"{number:03}{extension}")
        write(first, content)
        for (change, percent), make in changes.items():
            if change == "grown" and "log" not in kind:
                continue
            changed = make(rng, content, donor)
            if changed != content:
                path = os.path.join(folder, part, f"{change.replace(' ', '_')}-{percent}", f"{number:03}{extension}")
                write(path, changed)
                rows.append((first, path, kind, change, percent))
    write_lines(folder, part + ".tsv", rows)


def tar_of(rng, paths, size):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        while made.tell() < size:
            archive.add(rng.choice(paths), recursive=False)
    return made.getvalue()


def part_originals(rng, by_kind):
    """Files of which parts are made, two or more of each kind and size, so that one can be the donor of another."""
    everything = [path for paths in by_kind.values() for path in paths if os.path.getsize(path) < 1 << 20]
    for size, count in PART_SIZES:
        for kind in ("JPEG", "PDF", "ELF"):
            fitting = [path for path in by_kind.get(kind, ()) if size <= os.path.getsize(path) < 4 * size]
            for path in rng.sample(fitting, min(count, len(fitting))):
                yield kind, os.path.splitext(path)[1], read(path)
        for _ in range(count):
            yield "tar", ".tar", tar_of(rng, everything, size)
            yield "log", ".log", GENERATORS["access log"][0](rng, size)
            if size <= 1 << 20:
                yield "text", ".txt", b"".join(map(read, rng.sample(by_kind["text"], len(by_kind["text"]))))[:size]
                yield "system log", ".log", GENERATORS["system log"][0](rng, size)


def white_originals(rng, by_kind):
    """Texts of each extension, generated if the packages have too few."""
    for extension in "c py po md txt log html json xml".split():
        paths = [path for path in by_kind.get(BY_EXTENSION.get(extension), ())
                 if path.endswith("." + extension) and 2 << 10 <= os.path.getsize(path) < 64 << 10]
        found = [content for content in map(read, rng.sample(paths, len(paths)))
                 if b"\0" not in content and content.count(b"\n") >= 20][:WHITE_COUNT]
        make = {"log": GENERATORS["system log"][0], "po": translation, "json": GENERATORS["JSON"][0],
                "xml": GENERATORS["XML"][0]}.get(extension)
        while make and len(found) < WHITE_COUNT:
            found.append(make(rng, rng.randrange(2 << 10, 64 << 10)))
        for content in found:
            yield extension, "." + extension, content


def make_reflowed(rng, folder, by_kind):
    """Three forms of each of ten texts from different packages, each text in a folder."""
    texts = {}
    for path in rng.sample(by_kind["text"], len(by_kind["text"])):
        package = os.path.relpath(path, folder).split(os.sep)[1]
        content = read(path) if 3 << 10 <= os.path.getsize(path) < 40 << 10 else b""
        if content.isascii() and content.count(b" ") > 400 and content.count(b"\n") > 40 and \
                not re.search("licen|copying", path, re.IGNORECASE):
            texts.setdefault(package, content)
    for number, content in enumerate(list(texts.values())[:10]):
        for form, make in FORMS.items():
            write(os.path.join(folder, "reflowed", str(number), form + ".txt"), make(rng, content))


# ---- Templates ----

def own_text(rng, make, packed, size):
    """A text that takes size bytes in a file."""
    text = make(rng, size * (6 if packed else 1))
    ratio = len(zlib.compress(text, 9)) / len(text) if packed else 1
    return text[:max(200, int(size / ratio))]


def make_family(task):
    """Files of one template, and versions of three of them with 2 % of their own text changed:
    KIND/SHARE-COUNT/mNN and vNN."""
    seed, folder, kind, share, count = task
    rng = random.Random(f"{seed} {kind} {share} {count}")
    shared_of, own_of, join, extension, packed = TEMPLATES[kind]
    shared = shared_of(rng, TEMPLATE_SIZE)[:TEMPLATE_SIZE]
    size = TEMPLATE_SIZE * (100 - share) / share
    own = [own_text(rng, own_of, packed, int(size * rng.uniform(0.8, 1.25))) for _ in range(count)]
    place = os.path.join(folder, "templates", kind.replace(" ", "_"), f"{share}-{count}")
    for number, text in enumerate(own):
        write(os.path.join(place, f"m{number:02}.{extension}"), join(shared, text))
    changes = EDITS["block"], EDITS["lines"], EDITS["insert block"]
    for change, number in zip(changes, rng.sample(range(count), 3)):
        text = edited(change, 2, rng, own[number], own[number - 1])
        write(os.path.join(place, f"v{number:02}.{extension}"), join(shared, text))


def make_templates(seed, folder):
    """The families, and the files of the tree that fill an index with them in the order of a hash."""
    tasks = [(seed, folder, kind, share, count) for kind in TEMPLATES for share in SHARES for count in FAMILIES]
    with multiprocessing.Pool() as pool:
        pool.map(make_family, tasks, chunksize=1)
    paths = sorted(files_below(os.path.join(folder, "tree")), key=lambda path: quality_packages.number(seed + path))
    write_lines(folder, "fill", [[path] for path in paths])


# ---- Strangers ----

def generated(seed, folder, kind):
    make, extension = GENERATORS[kind]
    for size, count in STRANGERS:
        for number in range(count):
            rng = random.Random(f"{seed} {kind} {size} {number}")
            exact = size + rng.randrange(-size // 400, size // 400)
            yield kind, size, number, extension, make(rng, exact + 16)[:exact]


def joined(seed, kind, paths):
    """Real files, joined if they are too small; none is in two strangers of the same size."""
    extension = KINDS.get(kind, "so").split()[0]
    for size, count in STRANGERS:
        rng = random.Random(f"{seed} {kind} {size}")
        left = [path for path in rng.sample(paths, len(paths)) if os.path.getsize(path) >= 1024]
        for number in range(count):
            exact = size + rng.randrange(-size // 400, size // 400)
            content = b""
            while len(content) < exact and left:
                content += read(left.pop())
            if len(content) < exact:
                break
            yield kind, size, number, extension, content[:exact]


def make_kind(task):
    """One kind of strangers: [(path, kind, size)]."""
    seed, folder, kind, paths = task
    rows = []
    for kind, size, number, extension, content in \
            joined(seed, kind, paths) if paths else generated(seed, folder, kind):
        path = os.path.join(folder, "strangers", kind.replace(" ", "_"), str(size), f"{number:02}.{extension}")
        write(path, content)
        rows.append((path, kind, size))
    return rows


def make_strangers(seed, folder, by_kind):
    tasks = [(seed, folder, kind, by_kind[kind]) for kind in JOINED if kind in by_kind] + \
        [(seed, folder, kind, None) for kind in GENERATORS]
    with multiprocessing.Pool() as pool:
        return [row for rows in pool.map(make_kind, tasks, chunksize=1) for row in rows]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, folder = sys.argv[1:]
    if os.path.exists(corpus):
        with open(corpus, encoding="utf-8") as file:
            seed, *manifest = file.read().strip().split("\n")
        seed = seed.split()[-1]
    elif corpus in ("a", "b", "c"):
        seed = corpus if corpus != "c" else datetime.date.today().isoformat()
        manifest = quality_packages.choose(corpus, seed)
    else:
        sys.exit(f"quality: no corpus '{corpus}': expected a, b, c or a file of packages")
    os.makedirs(folder)
    write_lines(folder, "manifest", [[f"# seed {seed}"]] + [[line] for line in manifest])
    rng = random.Random(seed)
    pairs = quality_packages.fetch(folder, manifest)
    unpack_classes(folder)
    write_lines(folder, "versions.tsv", next_versions(rng, pairs))
    by_kind = {}
    for path in files_below(os.path.join(folder, "tree")):
        kind = kind_of(path) if os.path.getsize(path) >= 150 else None
        if kind:
            by_kind.setdefault(kind, []).append(path)
    edits = {(name, percent): functools.partial(edited, edit, percent)
             for name, edit in EDITS.items() for percent in EDIT_PERCENTS}
    parts = {(name, percent): functools.partial(edited, change, percent)
             for name, (change, percents) in PARTS.items() for percent in percents}
    white = {(name, ""): functools.partial(lambda change, _, content, donor: change(content), change)
             for name, change in WHITE.items()}
    make_changed(rng, folder, "edits", list(originals(rng, by_kind)), edits)
    make_changed(rng, folder, "parts", list(part_originals(rng, by_kind)), parts)
    make_changed(rng, folder, "white", list(white_originals(rng, by_kind)), white)
    make_reflowed(rng, folder, by_kind)
    make_templates(seed, folder)
    write_lines(folder, "strangers.tsv", make_strangers(seed, folder, by_kind))


if __name__ == "__main__":
    main()
