#!/usr/bin/env python3
"""Compares the pairs of directories of simfind --directories with their definition (docs/algorithm.md).

The sets of trees are difficult on purpose: copies, edited copies, renamed folders, moved files, backups
inside backups, hard links, chains of single folders, common small files, two hosts. The rows come from
the engine's own client, and the groups from simfind --group; everything else is computed by brute force
over all pairs of folders. Two folders are then compared file by file.

SPDX-License-Identifier: MIT
"""

import collections
import csv
import io
import json
import os
import random
import shlex
import shutil
import subprocess
import sys

SIMHASH, SIMFIND = os.environ["SIMHASH"], os.environ["SIMFIND"]
ROOT = os.path.join(os.environ["TEST_FOLDER"], "sets").encode()
os.environ["SIMHASH_DATABASE"] = os.environ["TEST_URL"]
SETS = 8
COMMON = 256
REACH = 32
MILLION = 1000000


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {command} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout


# ---- Trees ----

def words(rng, size):
    stock = [rng.choice("bcdfglmnprst") + rng.choice("aeiou") + rng.choice("lnrst") + "aeiouy"[n % 6]
             for n in range(300)]
    return " ".join(rng.choices(stock, k=size // 5 + 1)).encode()[:size]


def edited(rng, content):
    at, size = rng.randrange(len(content)), rng.choice((1, 3, 20, len(content) // 6 + 1))
    return rng.choice((content[:at] + rng.randbytes(size) + content[at + size:],
                       content[:at] + b" a line that was not there " + content[at:],
                       content + words(rng, size), content[size:] or b"x"))


def project(rng):
    """Contents by path."""
    folders = [b""]
    for _ in range(rng.randrange(2, 8)):
        folders.append(rng.choice(folders) + rng.choice((b"src/", b"lib/", b".hidden/", b"d \xff\n/", b"t-1/")))
    files = {}
    for number in range(rng.randrange(4, 30)):
        name = rng.choice(folders) + rng.choice((b"a", b"b.c", b"README", b".rc", b"z,\"")) + b"%d" % number
        files[name] = words(rng, rng.choice((20, 300, 1500, 6000)))
    if rng.randrange(3) == 0:
        files[b"empty"] = b""
    return files


def changed(rng, files):
    """Another version: files edited, renamed, moved, removed and added."""
    result = {}
    for name, content in files.items():
        fate = rng.randrange(12)
        if fate == 0:
            continue
        if fate == 1:
            name = b"moved/" + name.rsplit(b"/", 1)[-1]
        elif fate == 2:
            name += b".renamed"
        elif fate < 6 and content:
            content = edited(rng, content)
        result[name] = content
    if rng.randrange(2):
        result[b"new/file"] = words(rng, rng.choice((100, 3000)))
    return result


def write(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            with open(path, "xb") as file:
                file.write(content)


def link_tree(source, target):
    shutil.copytree(source, target, copy_function=os.link, dirs_exist_ok=True)


def make_trees(rng, folder):
    for number in range(rng.randrange(2, 5)):
        files = project(rng)
        home = os.path.join(folder, rng.choice((b"home", b"home/u", b"data/x/y")), b"p%d" % number)
        write(home, files)
        for copy in range(rng.randrange(1, 5)):
            place = rng.choice((b"backup", b"backup/old/older", b"mnt", b"home", b"one/way"))
            target = os.path.join(folder, place, rng.choice((b"p%d" % number, b"copy%d.%d" % (number, copy))))
            kind = rng.randrange(5)
            if kind == 0:
                write(target, files)
            elif kind == 1 and not os.path.exists(target) and not target.startswith(home + b"/"):
                link_tree(home, target)
            elif kind == 2:
                write(target, {b"inner/" + name: content for name, content in files.items()})
                write(target, changed(rng, files))
            # With many other files; the directory around it has hardly more, but contains one of
            # the files.
            elif kind == 3:
                name = min(files, key=lambda name: len(files[name]) or 1000)
                write(target, {b"between/inner/" + n: content for n, content in files.items() if n != name})
                write(target, {b"between/far%d" % n: words(rng, 6000) for n in range(6)})
                write(target, {b"one": files[name]})
            else:
                files = changed(rng, files)
                write(target, files)
        if rng.randrange(3) == 0:  # a backup inside the directory that it is a backup of
            write(os.path.join(home, b"backup"), files)
    if rng.randrange(2):
        shutil.copytree(os.path.join(folder, b"home"), os.path.join(folder, b"nested/backup/home"))


def make_common(rng, folder):
    """A license in so many folders that it is common, and a few similar licenses."""
    licence = words(rng, 900)
    for number in range(4 * COMMON - 24):
        files = {b"LICENSE": licence}
        if number % 9 == 0:
            files[b"code"] = words(random.Random(number % 4), 1000 + number % 4)
        if number % 31 == 0:
            files[b"more"] = words(rng, 500)
        write(os.path.join(folder, b"%d" % (number % 5), b"package%d" % number), files)


def make_family(rng, folder):
    """More similar contents than are compared with each other."""
    content = words(rng, 3000)
    for number in range(50):
        content = edited(rng, content) if number % 3 else content[:-7]
        write(os.path.join(folder, b"f%d" % (number % 6)), {b"x%d" % number: content})


def settle(folder):
    for place, _, files in os.walk(folder):
        for name in files:
            os.utime(os.path.join(place, name), (1577836800, 1577836800))


def make_set(seed):
    rng = random.Random(seed)
    folder = os.path.join(ROOT, b"%d" % seed)
    os.makedirs(folder)
    (make_common if seed == 3 else make_family if seed == 5 else make_trees)(rng, folder)
    settle(folder)
    subprocess.run(os.environ["TEST_RESET"], shell=True, check=True)
    run(SIMHASH, "-q", *(["--no-sketch"] if seed == 7 else []), folder)
    if seed % 4 == 2:
        run(SIMHASH, "-q", "--host=elsewhere", os.path.join(folder, b"home"))
    if seed % 3 == 1:  # as if files with several names were mounted several times
        run(*shlex.split(os.environ["TEST_SQL"]), "UPDATE file SET links = 1 WHERE links > 1")
    return folder


# ---- Rows ----

class File:
    def __init__(self, host, directory, name, size, content_hash, device, inode, links, sketch):
        self.host, self.directory, self.name = host, directory.rstrip(b"/"), name
        self.path = self.directory + b"/" + name
        self.size, self.content = size, (size, content_hash)
        is_member = directory.endswith(b"/") and directory != b"/"
        self.link = (host, inode, device, self.content) if inode != 0 and not is_member else None
        self.links, self.sketch = links, sketch


def read_rows():
    query = ("SELECT host, HEX(directory), HEX(name), size, HEX(content_hash), device, inode, links, "
             "COALESCE(HEX(resemblance_sketch), '') FROM file")
    files = []
    for line in run(*shlex.split(os.environ["TEST_SQL"]), query).decode().splitlines():
        host, directory, name, size, content_hash, *rest = line.replace("|", "\t").split("\t")
        device, inode, links, sketch = rest
        files.append(File(int(host), bytes.fromhex(directory), bytes.fromhex(name), int(size),
                          bytes.fromhex(content_hash), int(device), int(inode), int(links),
                          bytes.fromhex(sketch)))
    return files


def read_hosts():
    rows = run(*shlex.split(os.environ["TEST_SQL"]), "SELECT id, name FROM host").decode()
    return {int(number): name for number, name in
            (line.replace("|", "\t").split("\t") for line in rows.splitlines())}


def shown(hosts, host, path):
    here = hosts[host] == os.uname().nodename
    return (b"" if here else hosts[host].encode() + b":") + (path or b"/")


# ---- Similar files ----

def level(size):
    return min(7, max(0, ((max(size - 15, 0) >> 9) | 1).bit_length() - 1))


REGISTERS = 128


def sketched_size(file):
    """The text size, which follows the registers, or the size of another content."""
    text = file.sketch[REGISTERS:REGISTERS + 8]
    return int.from_bytes(text, "big") if text else file.size


def estimate(x, y):
    """The estimate from the sketches of two files, or None; see docs/algorithm.md."""
    if not x.sketch or not y.sketch:
        return None
    if len(x.sketch) > REGISTERS and x.sketch[REGISTERS:] == y.sketch[REGISTERS:]:
        return 1.0
    size_x, size_y = sketched_size(x), sketched_size(y)
    pairs = list(zip(x.sketch[:REGISTERS], y.sketch[:REGISTERS]))
    both = sum(1 for a, b in pairs if a and b)
    equal = sum(1 for a, b in pairs if a and a == b)
    used = both
    if level(size_y) <= level(size_x):
        used += sum(1 for a, b in pairs if a and not b)
    if level(size_x) <= level(size_y):
        used += sum(1 for a, b in pairs if b and not a)
    if used < 16:
        return None
    most = min(size_x, size_y) / max(size_x, size_y)
    return min(most, max(0.0, (255.0 * equal - both) / (255.0 * used - both)))


def resemblance(x, y):
    """The resemblance of two files that are in one group."""
    estimated = estimate(x, y)
    return min(x.size, y.size) / max(x.size, y.size) if estimated is None else estimated


def bytes_of(record, name):
    return bytes.fromhex(record[name + "_hex"]) if name + "_hex" in record else record[name].encode()


class World:
    """Files, and values computed from them."""

    def __init__(self, files, hosts, minimum, *below):
        self.files, self.hosts = files, hosts
        self.by_content = collections.defaultdict(list)
        for file in files:
            self.by_content[file.content].append(file)
        self.folders_of = {content: len({(file.host, file.directory) for file in its})
                           for content, its in self.by_content.items()}
        self.alike = collections.defaultdict(dict)
        self.by_path = {shown(hosts, file.host, file.path): file for file in files}
        if minimum < 1:
            graded = [] if minimum == 0 else [f"--min-resemblance={minimum}"]
            listed = json.loads(run(SIMFIND, "--summary=none", "--group", "--format=json", *graded, *below))
            for group in listed:
                self.relate(group, max(0.3, minimum))

    def relate(self, group, minimum):
        contents = {self.by_path[bytes_of(member, "path")].content for member in group["members"]}
        contents = sorted(content for content in contents if self.folders_of[content] <= COMMON)
        for i, x in enumerate(contents):
            for y in contents[i + 1:i + 1 + REACH]:
                found = resemblance(self.by_content[x][0], self.by_content[y][0])
                if found >= minimum:
                    self.alike[x][y] = self.alike[y][x] = min(int(found * MILLION + 0.5), MILLION - 1)

    def weight(self, content, contents):
        """How much of a content is in a set of contents."""
        if content in contents:
            return MILLION
        return max((w for other, w in self.alike[content].items() if other in contents), default=0)


# ---- Folders ----

class Folder:
    def __init__(self, host, path, files):
        self.host, self.path, self.files = host, path, files
        self.order = (host, path.split(b"/"))
        self.counts = collections.Counter(file.content for file in files)
        self.bytes = sum(file.size for file in files)
        self.parent = None

    def holds(self, other):
        return self.host == other.host and (other.path + b"/").startswith(self.path + b"/")


def folders_of(files):
    """Directories that directly contain files, or that have files in two subdirectories."""
    below, inside = collections.defaultdict(list), collections.defaultdict(set)
    for file in files:
        parts = file.directory.split(b"/")
        for depth in range(1, len(parts) + 1):
            key = (file.host, b"/".join(parts[:depth]))
            below[key].append(file)
            inside[key].add(parts[depth] if depth < len(parts) else None)
    folders = sorted((Folder(*key, files) for key, files in below.items()
                      if len(inside[key]) > 1 or None in inside[key]), key=lambda folder: folder.order)
    for folder in folders:
        around = [other for other in folders if other is not folder and other.holds(folder)]
        if around:
            folder.parent = max(around, key=lambda other: len(other.path))
    return folders


class Definition:
    def __init__(self, world, min_shared):
        self.world, self.min_shared = world, min_shared
        self.folders = folders_of(world.files)
        self.known = {}
        self.partners = {}

    def shared(self, a, b):
        """The bytes of a that b has."""
        key = (id(a), id(b))
        if key not in self.known:
            self.known[key] = sum(count * (content[0] * self.world.weight(content, b.counts) // MILLION)
                                  for content, count in a.counts.items())
        return self.known[key]

    def meet(self, a, b):
        return any(self.world.folders_of[content] <= COMMON and self.world.weight(content, b.counts)
                   for content in a.counts)

    def gives_way(self, folder, inner, other):
        left_out = folder.bytes - inner.bytes
        return (left_out >= folder.bytes // 4 and
                self.shared(other, folder) - self.shared(other, inner) <= left_out // 20)

    def partner(self, a):
        others = [b for b in self.folders if not a.holds(b) and not b.holds(a) and self.meet(a, b) and
                  self.shared(a, b) >= self.min_shared * a.bytes]
        wanted = [b for b in others if not any(self.gives_way(b, inner, a) for inner in self.folders
                                               if inner.parent is b and self.meet(a, inner))]
        others = [b for b in wanted if not any(self.gives_way(b, inner, a) for inner in wanted
                                               if inner is not b and b.holds(inner))]
        if not others:
            return None
        best = min(others, key=lambda b: (-self.shared(a, b), -(self.shared(b, a) / b.bytes), b.order))
        return None if any(self.gives_way(a, inner, best) for inner in self.folders
                           if inner.parent is a) else best

    def around(self, folder):
        while folder is not None:
            yield folder
            folder = folder.parent

    def is_topmost(self, a, b):
        for x in self.around(a):
            for y in self.around(b):
                if (x is not a or y is not b) and (self.partners[x] is y or self.partners[y] is x):
                    return False
        return not any(self.partners[x] is not None and x is not a and
                       self.shared(a, self.partners[x]) >= self.shared(a, b) for x in self.around(a))

    def saved(self, a, b):
        result, links = 0, collections.Counter()
        for file in a.files:
            if file.content in b.counts:
                if file.link is None:
                    result += file.size
                else:
                    links[file.link] += 1
        for link, count in links.items():
            names = [file for file in self.world.by_content[link[3]] if file.link == link]
            has_other = any(file.content == link[3] and file.link != link for file in b.files)
            if count >= (max(file.links for file in names) or len(names)) and has_other:
                result += link[3][0]
        return result

    def numbers(self, a, b):
        def side(x, y):
            weights = collections.Counter()
            for content, count in x.counts.items():
                weight = self.world.weight(content, y.counts)
                weights["same" if content in y.counts else "changed" if weight else "only"] += count
            # Similar files share at most the bytes of the files of the other folder that have no copy here.
            same = sum(count * content[0] for content, count in x.counts.items() if content in y.counts)
            most = sum(count * content[0] for content, count in y.counts.items() if content not in x.counts)
            return [x.bytes, same + min(self.shared(x, y) - same, most), len(x.files), weights["same"],
                    weights["changed"], weights["only"]]
        of_a, of_b = side(a, b), side(b, a)
        kind = "similar" if of_a[3] < of_a[2] else "contained" if of_b[3] < of_b[2] else "identical"
        return kind, self.saved(a, b), of_a, of_b

    def goes_first(self, x, y):
        _, _, of_x, of_y = self.numbers(x, y)
        if (of_x[2] == of_x[3]) != (of_y[2] == of_y[3]):
            return of_x[2] == of_x[3]
        share_x, share_y = self.shared(x, y) / x.bytes, self.shared(y, x) / y.bytes
        return share_x > share_y if share_x != share_y else x.order > y.order

    def pairs(self):
        self.partners = {folder: self.partner(folder) for folder in self.folders}
        found = []
        for x, y in self.partners.items():
            if y is None or (self.partners[y] is x and y.order < x.order) or not self.is_topmost(x, y):
                continue
            a, b = (y, x) if self.partners[y] is x and not self.goes_first(x, y) else (x, y)
            numbers = self.numbers(a, b)
            if numbers[0] != "similar" or numbers[2][3] + numbers[2][4] > 1:
                found.append((a, b, numbers))
        found.sort(key=lambda pair: (-pair[2][1], -pair[2][2][1], pair[0].order, pair[1].order))
        return [[kind, str(saved), *(str(value) for sides in zip(of_a, of_b) for value in sides),
                 shown(self.world.hosts, a.host, a.path), shown(self.world.hosts, b.host, b.path)]
                for a, b, (kind, saved, of_a, of_b) in found]


# ---- Two folders ----

FATES = ("changed", "moved", "only_a", "only_b", "same")


def name_of(path):
    return path.rsplit(b"/", 1)[-1]


def weight_of(world, x, y):
    """The similarity in millionths; above a million for the same content."""
    return MILLION + 1 if x.content == y.content else world.alike[x.content].get(y.content, 0)


def changed_resemblance(world, x, y):
    if x.size == 0 or y.size == 0:
        return 0
    return world.alike[x.content][y.content] / MILLION if weight_of(world, x, y) else estimate(x, y)


def like(world, path, file, others):
    """The most similar file of the other folder."""
    found = [(-weight_of(world, file, other), name_of(other_path) != name_of(path), name_of(other_path), other_path)
             for other_path, other in others.items() if other.size > 0 and weight_of(world, file, other)]
    return (min(-min(found)[0], MILLION) / MILLION, min(found)[3]) if found else (None, None)


def may_swap(world, x, y, a, b):
    """May the two files at one path have moved? Both must, or only one if they are not similar."""
    if x.size == 0 or y.size == 0 or x.content == y.content:
        return False
    there = [any(x.content == other.content for other in b.values() if other.size > 0),
             any(y.content == other.content for other in a.values() if other.size > 0)]
    return all(there) if weight_of(world, x, y) else any(there)


def moves_by_hand(world, left_a, left_b, lines):
    """Match equal contents, and then files at the same path that have not moved."""
    for path, other in sorted(((path, other) for path, x in left_a.items() for other, y in left_b.items()
                               if x.size > 0 and x.content == y.content),
                              key=lambda two: (name_of(two[0]) != name_of(two[1]), two[0], name_of(two[1]), two[1])):
        if path in left_a and other in left_b:
            x, y = left_a.pop(path), left_b.pop(other)
            lines.append(("moved", 1, x.size, y.size, path, other, None))
    for path in set(left_a) & set(left_b):
        x, y = left_a.pop(path), left_b.pop(path)
        lines.append(("changed", changed_resemblance(world, x, y), x.size, y.size, path, path, None))


def compare_by_hand(world, a, b):
    """Compare two folders, given as files by path."""
    lines, left_a, left_b = [], dict(a), dict(b)
    for path in set(a) & set(b):
        if may_swap(world, a[path], b[path], a, b):
            continue
        x, y = left_a.pop(path), left_b.pop(path)
        if x.content == y.content and x.size > 0:
            lines.append(("same", 1, x.size, y.size, path, path, None))
        elif x.content != y.content:
            lines.append(("changed", changed_resemblance(world, x, y), x.size, y.size, path, path, None))
    left_a, left_b = ({path: file for path, file in left.items() if file.size > 0} for left in (left_a, left_b))
    moves_by_hand(world, left_a, left_b, lines)
    pairs = sorted((-weight_of(world, x, y), name_of(path) != name_of(other), path, name_of(other), other)
                   for path, x in left_a.items() for other, y in left_b.items() if weight_of(world, x, y))
    for weight, _, path, _, other in pairs:
        if path in left_a and other in left_b:
            x, y = left_a.pop(path), left_b.pop(other)
            lines.append(("moved" if -weight > MILLION else "changed", min(-weight, MILLION) / MILLION,
                          x.size, y.size, path, other, None))
    for path, x in left_a.items():
        resembled, other = like(world, path, x, b)
        lines.append(("only_a", resembled, x.size, None, path, None, other))
    for path, y in left_b.items():
        resembled, other = like(world, path, y, a)
        lines.append(("only_b", resembled, None, y.size, None, path, other))
    return sorted(lines, key=lambda line: (FATES.index(line[0]), line[4] or line[5]))


def rounded(lines):
    """Resemblances to five digits, because the output was already rounded to six."""
    return [(line[0], None if line[1] is None else round(round(line[1], 6), 5), *line[2:]) for line in lines]


def below(file, folder):
    return file.host == folder.host and (file.directory + b"/").startswith(folder.path + b"/")


def check_comparison(files, hosts, a, b, counts):
    paths = [a.path, b.path]
    inside = [[file for file in files if below(file, x)] for x in (a, b)]
    world = World([file for file in inside[0] + inside[1] if file.size > 0], hosts, 0, *paths)
    definition = Definition(world, 0.5)
    sides = [Folder(x.host, x.path, [file for file in world.files if below(file, x)]) for x in (a, b)]
    printed = json.loads(run(SIMFIND, "--summary=none", "--directories", "--format=json", *paths))
    kind, saved, *numbers = definition.numbers(*sides)
    assert (printed["match"], printed["saved_bytes"]) == (kind, saved), (printed["match"], kind, saved)
    for side, expected in zip("ab", numbers):
        assert [printed[side]["bytes"], printed[side]["shared_bytes"]] == expected[:2], (side, printed[side], expected)
    lines = [(line["match"], line.get("resemblance"), line.get("size_a"), line.get("size_b"),
              *(bytes_of(line, name) if name in line or name + "_hex" in line else None
                for name in ("path_a", "path_b", "like")))
             for line in printed["files_of_both"]]
    expected = rounded(compare_by_hand(world, *({file.path[len(x.path) + 1:]: file for file in its}
                                                for x, its in zip((a, b), inside))))
    assert rounded(lines) == expected, next((pair for pair in zip(rounded(lines), expected) if pair[0] != pair[1]),
                                            (len(lines), len(expected)))
    fates = collections.Counter(line[0] for line in lines)
    for side in "ab":
        same, changed_files, only = fates["same"] + fates["moved"], fates["changed"], fates["only_" + side]
        assert [printed[side][name] for name in ("files", "same", "changed", "only")] == \
            [same + changed_files + only, same, changed_files, only], (printed[side], fates)
    counts.update("two: " + fate for fate in fates)
    counts["two: like"] += any(line[6] for line in lines)


# ---- The test ----

def list_of_simfind(options):
    printed = run(SIMFIND, "--summary=none", "--directories", "--format=csv", *options)
    rows = list(csv.reader(io.StringIO(printed.decode("latin1"), newline="")))
    assert rows[0][:4] == ["match", "saved_bytes", "share_a", "share_b"], rows[0]
    for row in rows[1:]:
        assert abs(float(row[2]) - int(row[6]) / int(row[4])) < 1e-6, row
        assert abs(float(row[3]) - int(row[7]) / int(row[5])) < 1e-6, row
    return [[*row[:2], *row[4:16], *(path.encode("latin1") for path in row[16:])] for row in rows[1:]]


def check_list(files, hosts, counts, threads, min_shared, minimum):
    world = World(files, hosts, minimum)
    definition = Definition(world, min_shared)
    expected = definition.pairs()
    options = ["-j", str(threads), f"--directories={min_shared}"]
    printed = list_of_simfind(options + ([] if minimum == 0 else [f"--min-resemblance={minimum}"]))
    for pair in zip(printed, expected):
        assert pair[0] == pair[1], f"{options} {minimum}: printed {pair[0]}, expected {pair[1]}"
    assert len(printed) == len(expected), (options, minimum, len(printed), len(expected))
    for line in expected:
        counts[line[0]] += 1
    return definition


def check_set(seed, counts):
    make_set(seed)
    rows, hosts = read_rows(), read_hosts()
    files = [row for row in rows if row.size > 0]
    definition = check_list(files, hosts, counts, 1 + seed % 4, 0.5, 0)
    check_list(files, hosts, counts, 2, 1 if seed % 2 else 0.2, (0.9, 1)[seed % 2])
    here = [(a, b) for a, b in definition.partners.items() if b is not None and
            hosts[a.host] == hosts[b.host] == os.uname().nodename]
    rng = random.Random(seed)
    chosen = rng.sample(here, min(3, len(here)))
    local = [folder for folder in definition.folders if hosts[folder.host] == os.uname().nodename]
    apart = [(a, b) for a, b in (rng.choices(local, k=2) for _ in range(20)) if not a.holds(b) and not b.holds(a)]
    for a, b in chosen + apart[:4]:
        check_comparison(rows, hosts, a, b, counts)
        counts["compared"] += 1


def main():
    os.makedirs(ROOT)
    counts = collections.Counter()
    for seed in range(SETS):
        try:
            check_set(seed, counts)
        except AssertionError as failure:
            sys.exit(f"FAILED: seed {seed}: {failure}")
    print(dict(counts))
    for what in ("identical", "contained", "similar", "compared", *("two: " + fate for fate in FATES), "two: like"):
        if counts[what] < (5 if ":" not in what else 3):
            sys.exit(f"FAILED: only {counts[what]} {what}: the sets show nothing")


main()
