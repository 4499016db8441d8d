#!/usr/bin/env python3
"""Makes a corpus for quality.sh: pairs of files whose common content is known.

    tests/bench/quality_corpus.py CORPUS FOLDER

CORPUS is a, b or c, or a file with the lines that another run wrote to FOLDER/manifest. a is for
tuning and b for judging; c has other packages each day. FOLDER gets

    manifest          the seed, and the packages with their versions
    tree, older       the packages; older has the old versions of packages in tree
    versions.tsv      pairs: file of a package, file of the same name in the next version
    edits, edits.tsv  pairs: original, edited, kind of the file, kind of the edit, percent
    strangers, strangers.tsv     files: path, kind, size; files of one kind and size are unrelated

SPDX-License-Identifier: MIT
"""

import datetime
import filecmp
import multiprocessing
import os
import random
import re
import sys
import zipfile

import quality_packages
from quality_kinds import GENERATORS

PERCENTS = (0.1, 0.5, 1, 2, 5, 10)
# Sizes of the originals of edits, and the number for each size.
CLASSES = ((4 << 10, 48), (16 << 10, 36), (64 << 10, 24), (256 << 10, 10), (1 << 20, 5), (4 << 20, 0))
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


# ---- Edits ----

def pieces(rng, amount, least, most):
    """Random lengths whose sum is amount."""
    while amount > 0:
        length = min(amount, rng.randint(least, most))
        yield length
        amount -= length


def donated(rng, donor, length):
    at = rng.randrange(max(1, len(donor) - length))
    return (donor[at:at + length] * (length // max(1, len(donor)) + 1))[:length].ljust(length, b"\0")


def replace_bytes(rng, data, _, amount):
    for at in rng.sample(range(len(data)), amount):
        data[at] ^= rng.randrange(1, 256)


def replace_block(rng, data, donor, amount):
    at = rng.randrange(len(data) - amount)
    data[at:at + amount] = donated(rng, donor, amount)


def insert_pieces(rng, data, donor, amount):
    cuts = [(rng.randrange(len(data)), length) for length in pieces(rng, amount, 4, 64)]
    parts, last = [], 0
    for at, length in sorted(cuts):
        parts += data[last:at], donated(rng, donor, length)
        last = at
    data[:] = b"".join(parts) + data[last:]


def delete_pieces(rng, data, _, amount):
    cuts = [(rng.randrange(len(data)), length) for length in pieces(rng, amount, 4, 64)]
    parts, last = [], 0
    for at, length in sorted(cuts):
        parts.append(data[last:max(at, last)])
        last = max(at, last) + length
    data[:] = b"".join(parts) + data[last:]


def insert_block(rng, data, donor, amount):
    at = rng.randrange(len(data))
    data[at:at] = donated(rng, donor, amount)


def move_blocks(rng, data, _, amount):
    for length in pieces(rng, amount, max(1, amount // 4), max(1, amount // 2)):
        at = rng.randrange(len(data) - length)
        piece = data[at:at + length]
        del data[at:at + length]
        at = rng.randrange(len(data))
        data[at:at] = piece


def append(rng, data, donor, amount):
    data += donated(rng, donor, amount)


def change_lines(rng, data, donor, amount):
    """Replace lines by lines of the donor, or pieces of 60 bytes if there are no lines."""
    def split(content):
        found = content.splitlines(keepends=True)
        return [line[i:i + 200] for line in found for i in range(0, len(line), 200)]
    mine, others = split(bytes(data)), split(donor)
    order = list(range(len(mine)))
    rng.shuffle(order)
    for i in order:
        if amount <= 0:
            break
        amount -= len(mine[i])
        mine[i] = rng.choice(others)
    data[:] = b"".join(mine)


EDITS = {"bytes": replace_bytes, "block": replace_block, "insert": insert_pieces, "delete": delete_pieces,
         "insert block": insert_block, "move": move_blocks, "append": append, "lines": change_lines}


def originals(rng, by_kind):
    """Real and generated files of each class of sizes, its kinds in turn: [(kind, extension, content)]."""
    for (low, count), (high, _) in zip(CLASSES, CLASSES[1:]):
        pools = {}
        for kind, paths in by_kind.items():
            fitting = [path for path in paths if low <= os.path.getsize(path) < high]
            if fitting:
                pools[kind] = rng.sample(fitting, len(fitting))
        for kind in ("access log", "JSON", "CSV of people", "SQLite", "DNA", "sound"):
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


def make_edits(rng, folder, by_kind):
    chosen, rows = list(originals(rng, by_kind)), []
    for number, (kind, extension, content) in enumerate(chosen):
        donors = [other for of, _, other in chosen if of == kind and other is not content]
        donor = rng.choice(donors) if donors else content
        place = os.path.join(folder, "edits", f"{number:03}")
        first = os.path.join(place, "original" + extension)
        write(first, content)
        for name, edit in EDITS.items():
            for percent in PERCENTS:
                data = bytearray(content)
                edit(rng, data, donor, max(1, int(len(content) * percent / 100)))
                if data == content:
                    continue
                path = os.path.join(place, f"{name.replace(' ', '_')}-{round(percent * 10):03}{extension}")
                write(path, data)
                rows.append((first, path, kind, name, percent))
    return rows


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
        left = rng.sample(paths, len(paths))
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
        kind = kind_of(path)
        if kind and os.path.getsize(path) >= 1024:
            by_kind.setdefault(kind, []).append(path)
    write_lines(folder, "edits.tsv", make_edits(rng, folder, by_kind))
    write_lines(folder, "strangers.tsv", make_strangers(seed, folder, by_kind))


if __name__ == "__main__":
    main()
