#!/usr/bin/env python3
"""Damage files, or edit them honestly, and print what simhash --scrub should find.

    scrub.py damage SEED FILE...    damage each file and restore its time; print
                                    "PATH DIFFERENT COMPARED FIRST LAST" for each
    scrub.py edit SEED FILE...      change each file as people and programs do
"""
import os
import random
import sys

rng = random.Random(int(sys.argv[2]))


def region(content, size):
    """Return the bounds of an aligned region of at most this size."""
    first = rng.randrange((len(content) - 1) // size + 1) * size
    return first, min(len(content), first + size)


def replaced(content, bounds, new):
    return content[:bounds[0]] + new[:bounds[1] - bounds[0]] + content[bounds[1]:]


def flip_bit(content):
    at = rng.randrange(len(content))
    return replaced(content, (at, at + 1), bytes([content[at] ^ 1 << rng.randrange(8)]))


def sector(content):
    return replaced(content, region(content, 512), rng.randbytes(512))


def page(content):
    return replaced(content, region(content, 4096), rng.randbytes(4096))


def torn(content):
    bounds = region(content, 4096)[0], len(content)
    return replaced(content, bounds, rng.randbytes(len(content)))


def zeros(content):
    return replaced(content, region(content, 4096), bytes(4096))


def truncated(content):
    return content[:rng.randrange(len(content))]


def padded(content):
    return content + bytes(rng.randint(1, 5000))


DAMAGES = [flip_bit, sector, page, torn, zeros, truncated, padded]


def damage(path, number):
    before = os.stat(path)
    with open(path, "rb") as file:
        content = file.read()
    found = content
    while found == content:
        found = DAMAGES[number % len(DAMAGES)](content)
    with open(path, "r+b") as file:
        file.write(found)
        file.truncate()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    longest = max(len(content), len(found))
    places = [i for i in range(longest) if content[i:i + 1] != found[i:i + 1]]
    print(path, len(places), longest, places[0], places[-1])


def edit(path, number):
    with open(path, "rb") as file:
        content = file.read()
    kind = number % 6
    new = rng.randbytes(len(content))
    if kind == 0:
        with open(path, "r+b") as file:
            file.write(new)
    elif kind == 1:
        with open(path, "ab") as file:
            file.write(b"more")
    elif kind == 2:
        os.truncate(path, len(content) // 2)
    elif kind == 3:
        os.utime(path)
    elif kind == 4:
        os.remove(path)
    else:
        # As rsync --times does: another file with the same size and time.
        before = os.stat(path)
        with open(path + ".new", "wb") as file:
            file.write(new)
        os.utime(path + ".new", ns=(before.st_atime_ns, before.st_mtime_ns))
        os.rename(path + ".new", path)


for number, path in enumerate(sys.argv[3:]):
    {"damage": damage, "edit": edit}[sys.argv[1]](path, number)
