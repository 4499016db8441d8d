#!/usr/bin/env python3
"""Counts damaged copies that simfind recognizes, and edited files of equal size that it calls damaged.

    tests/bench/damage.py BUILD [SEED]

It copies files of /usr: texts, pictures, archives and binaries of 2 kB to 3 MB. 500 copies are damaged, and 500 edited so
that their size stays the same. 100 pairs are in one index.
"""
import collections
import gzip
import io
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

BUILD, SEED = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
COUNT, AT_ONCE = 500, 100
choice = random.Random(SEED)
folder = tempfile.mkdtemp(dir="/dev/shm")
ENDS = {"text": (".txt", ".h", ".py", ".md", ".html"), "picture": (".png", ".jpg", ".gif", ".svg"),
        "archive": (".gz", ".deb", ".zip", ".jar", ".xz", ".whl", ".docx"), "binary": (".so", ".a", ".mo", ".pyc", ".o", ".bin")}
found = subprocess.run(["find", "/usr", "-type", "f", "-size", "+2k", "-size", "-3000k", "-print0"], stdout=subprocess.PIPE,
                       check=True).stdout.decode("utf-8", "surrogateescape").split("\0")
files = {kind: choice.sample(several, min(400, len(several))) for kind, ends in ENDS.items()
         if (several := sorted(name for name in found if name.endswith(ends)))}


def pick(kind=None):
    kind = kind or choice.choice(sorted(files))
    with open(choice.choice(files[kind]), "rb") as file:
        return kind, file.read()


# ---- Damage ----

def damaged(data):
    changed = bytearray(data)
    how = choice.choice(["bit", "zeros 512", "zeros 4096", "zeros anywhere", "0xff 512", "random 512", "random 4096", "other 4096"])
    if how == "bit":
        changed[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
        return how, bytes(changed)
    if how == "zeros anywhere":
        size = choice.randrange(600, 8000)
        at = choice.randrange(max(1, len(data) - size))
    else:
        block = int(how.split()[1])
        at = choice.randrange(-(-len(data) // block)) * block
        size = block * choice.choice([1, 1, 1, 2, 4])
    size = min(size, len(data) - at)
    new = {"zeros": bytes(size), "0xff": b"\xff" * size, "random": choice.randbytes(size)}.get(how.split()[0])
    if new is None:
        other = pick()[1]
        new = (other * (size // len(other) + 1))[:size]
    changed[at:at + size] = new
    return how, bytes(changed)


# ---- Edits: (before, after), or only after ----

def words(data):
    spots = list(re.finditer(rb"[A-Za-z]{4,12}", data))
    changed = bytearray(data)
    for spot in choice.sample(spots, min(len(spots), choice.choice([1, 1, 2, 5]))):
        same = [w.group() for w in choice.sample(spots, min(len(spots), 200)) if len(w.group()) == len(spot.group())]
        changed[spot.start():spot.end()] = choice.choice(same or [spot.group().upper()])
    return bytes(changed)


def date(data):
    spots = list(re.finditer(rb"\d{1,4}[:./-]\d\d|\d+", data))
    changed = bytearray(data)
    if spots:
        spot = choice.choice(spots)
        changed[spot.start():spot.end()] = bytes(choice.choice(b"0123456789") for _ in spot.group())
    return bytes(changed)


def lines(data):
    several = data.split(b"\n")
    x, y = choice.randrange(len(several)), choice.randrange(len(several))
    several[x], several[y] = several[y], several[x]
    return b"\n".join(several)


def number(data):
    size, at = choice.choice([1, 2, 4, 8]), choice.randrange(64, len(data) - 16)
    value = (int.from_bytes(data[at:at + size], "little") + choice.randrange(1, 300)) % 256 ** size
    return data[:at] + value.to_bytes(size, "little") + data[at + size:]


def blanked(data):
    size = choice.randrange(4, 60)
    at = choice.randrange(len(data) - size)
    return data[:at] + bytes([choice.choice(b" x\0")]) * size + data[at + size:]


def tar(data):
    parts = [data[at:at + 5000] for at in range(0, min(len(data), 60000), 5000)]

    def make(changed):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for place, part in enumerate(parts):
                member = tarfile.TarInfo("folder/file%d" % place)
                member.size, member.mtime = len(part), 1600000000 + changed * (place == 1)
                archive.addfile(member, io.BytesIO(part))
        return out.getvalue()
    return make(0), make(choice.randrange(1, 10 ** 7))


def zipped(data):
    parts = [data[at:at + 8000] for at in range(0, min(len(data), 100000), 8000)]
    place, way = choice.randrange(len(parts)), choice.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])

    def make(changed):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", way) as archive:
            for at, part in enumerate(parts):
                year = 2021 if changed and at == place else 2020
                archive.writestr(zipfile.ZipInfo("file%d" % at, (year, 1, 2, 3, 4, 6)),
                                 words(part) if changed and at == place and way == zipfile.ZIP_STORED else part)
        return out.getvalue()
    return make(False), make(True)


def sound(_):
    def name():
        return " ".join(choice.choice(["Blue", "Train", "Song", "Night", "Remix", "Live"]) for _ in range(3)).encode()[:30]

    def first(comment):
        frames = b"".join(key + struct.pack(">I", len(text) + 1) + b"\0\0\3" + text
                          for key, text in ((b"TIT2", name()), (b"COMM", comment)) if text)
        return b"ID3\4\0\0\0\0\x10\0" + frames.ljust(2048, b"\0")

    def last(year):
        return b"TAG" + name().ljust(30, b"\0") * 3 + year + bytes(30) + b"\1"
    content = choice.randbytes(choice.randrange(20000, 200000))
    if choice.random() < .5:
        return content + last(b"2001"), content + last(b"2002")
    return first(name() * choice.choice([1, 30])) + content, first(choice.choice([b"", name()])) + content


def picture(_):
    content = choice.randbytes(choice.randrange(8000, 60000))

    def make(year):
        chunks = ((b"IHDR", bytes(13)), (b"tIME", struct.pack(">H", year) + b"\1\2\3\4\5"),
                  (b"tEXt", b"Comment\0" + bytes(choice.choice(b"abc def") for _ in range(40))), (b"IDAT", content), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
                                               for kind, data in chunks)
    return make(2020), make(2021)


def database(_):
    path = os.path.join(folder, "database")
    if os.path.exists(path):
        os.remove(path)
    with open(path, "ab"), sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        connection.executemany("INSERT INTO t (b) VALUES (?)", [("row %d %s" % (i, "x" * choice.randrange(100)),) for i in range(2000)])
    connection.close()
    with open(path, "rb") as file:
        before = file.read()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA secure_delete = %s" % choice.choice(["ON", "OFF"]))
        connection.execute(choice.choice(["UPDATE t SET b = replace(b, 'row', 'ROW') WHERE a = %d", "DELETE FROM t WHERE a > %d"]) %
                           choice.randrange(1500, 1990))
    connection.close()
    with open(path, "rb") as file:
        return before, file.read()


def packed(data):
    return gzip.compress(data, mtime=1600000000), gzip.compress(data, mtime=1600000000 + choice.randrange(1, 10 ** 8))


edits = [("words", "text", words), ("words", "text", words), ("a date", "text", date), ("two lines exchanged", "text", lines),
         ("words in binaries", "binary", words), ("a number", "binary", number), ("digits in binaries", "binary", date),
         ("a field blanked", None, blanked), ("tar, time", None, tar), ("zip, time and words", None, zipped), ("tags of sound", None, sound),
         ("comment of a picture", None, picture), ("rows of SQLite", None, database), ("gzip, time", "text", packed)]


def make_edits():
    made = []
    while len(made) < COUNT:
        name, kind, edit = edits[len(made) % len(edits)]
        before = pick(kind)[1]
        result = edit(before)
        before, after = result if isinstance(result, tuple) else (before, result)
        if before != after and len(before) == len(after):
            made.append((name, before, after))
    return made


def make_damages():
    made = []
    while len(made) < COUNT:
        kind, before = pick()
        how, after = damaged(before)
        if before != after:
            made.append((how, before, after))
    return made


def answers(cases):
    """For each case: the damage that simfind shows, "none", or "no pair"."""
    result = []
    for start in range(0, len(cases), AT_ONCE):
        tree, index = os.path.join(folder, "tree"), os.path.join(folder, "index")
        shutil.rmtree(tree, ignore_errors=True)
        os.mkdir(tree)
        for name in os.listdir(folder):
            if name.startswith("index"):
                os.remove(os.path.join(folder, name))
        for number_, case in enumerate(cases[start:start + AT_ONCE]):
            for side in (1, 2):
                with open(os.path.join(tree, "%03d.%d" % (number_, side)), "wb") as file:
                    file.write(case[side])
        database_ = "--database=sqlite:" + index
        subprocess.run([BUILD + "/simhash", "-q", database_, tree], check=True)
        pairs = json.loads(subprocess.run([BUILD + "/simfind", database_, "--summary=none", "--format=json"], check=True,
                                          stdout=subprocess.PIPE).stdout)
        found_ = {pair["path_a"][-5:-2]: pair.get("damage", "none") for pair in pairs if pair["path_a"][:-2] == pair["path_b"][:-2]}
        result += [found_.get("%03d" % number_, "no pair") for number_ in range(len(cases[start:start + AT_ONCE]))]
    return result


for title, cases_ in (("damaged", make_damages()), ("edited", make_edits())):
    counts = collections.defaultdict(collections.Counter)
    for (kind_, _, _), answer in zip(cases_, answers(cases_)):
        counts[kind_][answer] += 1
        counts["all"][answer] += 1
    for kind_, counted in sorted(counts.items()):
        print(title, kind_, dict(counted), sep=": ")
shutil.rmtree(folder)
