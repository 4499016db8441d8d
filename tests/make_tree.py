#!/usr/bin/env python3
"""Makes a tree of files from a seed; the files are related like the files of people.

    tests/make_tree.py [--seed=N] [--files=N] [--sizes=LOW-HIGH] [--flat] [--unrelated] FOLDER

The files are texts, sources, logs, tables and binaries in several folders, or in one with
--flat. Two in three are made from another file: copies, some with another extension, and files
with bytes changed, a piece inserted, removed or moved, or a tail added or removed; --unrelated
leaves these out. The names and contents depend only on the arguments. The seed is printed.

SPDX-License-Identifier: MIT
"""

import argparse
import os
import random
import sys

SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi xo zu stra pler kin dor mal".split()


def words(rng, count):
    """Words with frequencies as in a language: a few words are most of the text."""
    vocabulary = ["".join(rng.choices(SYLLABLES, k=rng.randrange(1, 4))) for _ in range(400)]
    weights = [1 / rank for rank in range(1, 401)]
    return rng.choices(vocabulary, weights, k=count)


def text(rng, size):
    word = iter(words(rng, size // 3 + 20))
    lines, length = [], 0
    while length < size:
        line = " ".join(next(word) for _ in range(rng.randrange(4, 12)))
        lines.append(line.capitalize() + rng.choice((".", ",", "")))
        length += len(lines[-1]) + 1
    return "\n".join(lines).encode()


def source(rng, size):
    names = words(rng, size // 20 + 40)
    lines, length = ["/* " + " ".join(names[:9]), " * SPDX-License-Identifier: MIT */"], 0
    while length < size:
        a, b, c = rng.choices(names, k=3)
        lines.append(rng.choice((
            f"#define {a.upper()}_{b.upper()} 0x{rng.randrange(1 << 16):04x}",
            f"int {a}_{b}(struct {a} *{c}, size_t size);",
            f"static int {a}_{b}(const char *{c})\n{{\n\treturn {b} < 0 ? -1 : {rng.randrange(99)};\n}}\n",
            f"\tif ({a} == NULL)\n\t\treturn {b};")))
        length += len(lines[-1]) + 1
    return "\n".join(lines).encode()


def log(rng, size):
    time, hosts = rng.randrange(10**9, 2 * 10**9), words(rng, 4)
    lines, length = [], 0
    while length < size:
        time += rng.randrange(90)
        lines.append(f"{time} {rng.choice(hosts)} daemon[{rng.randrange(300, 32000)}]: "
                     f"request {rng.randrange(10**6)} took {rng.randrange(5000)} us")
        length += len(lines[-1]) + 1
    return "\n".join(lines).encode()


def table(rng, size):
    lines, length = ["id;name;value;share"], 0
    names = words(rng, 50)
    while length < size:
        lines.append(f"{len(lines)};{rng.choice(names)};{rng.gauss(1000, 200):.2f};{rng.random():.4f}")
        length += len(lines[-1]) + 1
    return "\r\n".join(lines).encode()


def binary(rng, size):
    """Records with zeros between them, runs of zeros, and random pieces."""
    pieces, length = [], 0
    while length < size:
        way = rng.randrange(8)
        if way == 0:
            piece = bytes(rng.randrange(1, 600))
        elif way == 1:
            piece = rng.randbytes(rng.randrange(1, 800))
        else:
            first, step = rng.randrange(1 << 20), rng.randrange(1, 64)
            piece = b"".join((first + step * n).to_bytes(4, "little") + b"\x01\x00\xff\xff"
                             for n in range(rng.randrange(4, 60)))
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)


KINDS = ((text, ("txt", "md", "TXT")), (source, ("h", "c", "h")), (log, ("log", "log.1")),
         (table, ("csv",)), (binary, ("bin", "o", "dat")))


def change_bytes(rng, content):
    content = bytearray(content)
    for _ in range(rng.randrange(1, 12)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def insert(rng, content):
    at = rng.randrange(len(content))
    return content[:at] + b" what was not there before " * rng.randrange(1, 4) + content[at:]


def remove(rng, content):
    at = rng.randrange(len(content))
    return content[:at] + content[at + rng.randrange(1, 2 + len(content) // 50):]


def move(rng, content):
    first, second = sorted(rng.randrange(len(content)) for _ in range(2))
    return content[second:] + content[first:second] + content[:first]


def add_tail(rng, content):
    return content + b"\nand the tail, %d\n" % rng.randrange(10**6)


def cut_tail(rng, content):
    return content[:len(content) - rng.randrange(1, 2 + len(content) // 40)]


def copy(_, content):
    return content


WAYS = (copy, copy, change_bytes, insert, remove, move, add_tail, cut_tail)


def tree(folder, rng, files, sizes, is_flat, is_unrelated):
    made = 0
    while made < files:
        make, extensions = rng.choice(KINDS)
        low, high = sizes
        size = round(low * (high / low) ** rng.random())
        content = make(rng, size)[:size]
        stem, extension = f"{made:05d}{make.__name__}", rng.choice(extensions)
        place = "" if is_flat else os.path.join(*(f"d{rng.randrange(5)}" for _ in range(1 + made % 3)))
        os.makedirs(os.path.join(folder, place), exist_ok=True)
        variants = 1 if is_unrelated else rng.choice((1, 1, 2, 3, 4, 7))
        for number in range(min(variants, files - made)):
            way = rng.choice(WAYS) if number else copy
            name = f"{stem}.{number}{way.__name__}" if number else stem
            # One copy in four gets an extension of another type.
            if number and rng.randrange(4) == 0:
                extension = rng.choice(rng.choice(KINDS)[1])
            changed = way(rng, content)
            changed = changed[:high] if len(changed) >= low else content
            with open(os.path.join(folder, place, f"{name}.{extension}"), "xb") as file:
                file.write(changed)
            made += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED", "1")))
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--sizes", default="500-40000")
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--unrelated", action="store_true")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    low, high = (int(size) for size in arguments.sizes.split("-"))
    if not 0 < low <= high:
        sys.exit(f"make_tree.py: --sizes={arguments.sizes}: expected LOW-HIGH")
    print(f"{arguments.folder}: {arguments.files} files, seed {arguments.seed}")
    tree(arguments.folder, random.Random(arguments.seed), arguments.files, (low, high), arguments.flat,
         arguments.unrelated)


main()
