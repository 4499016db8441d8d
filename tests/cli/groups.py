#!/usr/bin/env python3
"""Compares the groups of simfind with their definition (docs/algorithm.md), computed from all pairs.

More than 50 sets of files are difficult on purpose: chains, stars, dense families, a middle that is
similar to both ends, copies with other extensions, hard links, files without sketches, tiny files, two
hosts. Each is tested with several rules, both linkages, and 1 to 4 threads. simfind --group=none lists
the pairs with the same options; everything else is computed by brute force, in a different way.

SPDX-License-Identifier: MIT
"""

import json
import os
import random
import re
import shlex
import subprocess
import sys

SIMHASH, SIMFIND = os.environ["SIMHASH"], os.environ["SIMFIND"]
ROOT = os.path.join(os.environ["TEST_FOLDER"], "sets")
os.environ["SIMHASH_DATABASE"] = os.environ["TEST_URL"]
SETS = 52


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {command} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout


# ---- The definition ----

class File:
    """A row of the index."""

    sides = None  # the sides of --between that it is on; None: no --between

    def __init__(self, display, size, uniform, content_hash, link, counts):
        self.display, self.size, self.uniform, self.hash = display, size, uniform, content_hash
        self.link = link  # the properties that all names of one file share; None: it has one name
        self.counts = counts

    def extension(self):
        stem, dot, extension = self.display.rsplit(b"/", 1)[-1].lower().rpartition(b".")
        return extension if dot and stem else b""


class Resemblance:
    """The relation of a pair. More similar pairs are smaller for sorted()."""

    def __init__(self, pair):
        self.distance, self.share = pair["distance"], pair.get("resemblance")
        self.verified = pair["verified"]
        self.order = (self.share is None, -(self.share or 0), self.distance)


class Content:
    """Identical files with the same tolerance."""

    def __init__(self, files):
        self.files = sorted(files, key=lambda file: file.display)
        first = self.files[0]
        self.order = (first.uniform, first.size, first.hash, first.display)
        self.similar = {}  # similar contents, and how similar they are
        sides = [file.sides for file in files]
        self.has_copies = len(files) > 1 and (None in sides or set("".join(sides)) == {"a", "b"})


def without_links(files):
    """Only the first name of each file."""
    kept = {}
    for file in sorted(files, key=lambda file: file.display):
        kept.setdefault(file.link or file.display, file)
    return kept.values()


def contents_of(files, pairs, rule):
    """The sorted contents, each with the contents similar to it."""
    sets, tolerances, by_extension = {}, tolerances_of(rule), "--verify=no" in rule
    for file in files if "--also=hard-links" in rule else without_links(files):
        extension = file.extension()
        key = (file.size, file.uniform, file.hash, tolerances.get(extension), by_extension and extension)
        sets.setdefault(key, []).append(file)
    contents = sorted(map(Content, sets.values()), key=lambda content: content.order)
    content_of = {file.display: content for content in contents for file in content.files}
    for pair in pairs:
        a, b = (content_of.get(pair[path]) for path in ("path_a", "path_b"))
        if a is None or b is None or a is b:
            continue
        alike = Resemblance(pair)
        if b not in a.similar or alike.order < a.similar[b].order:
            a.similar[b] = b.similar[a] = alike
    return contents


def most_alike(content, others):
    return min(others, key=lambda other: (content.similar[other].order, other.order), default=None)


def by_representatives(contents):
    """The representative of each content."""
    of = {}
    for content in contents:
        of[content] = most_alike(content, [c for c in content.similar if of.get(c) is c]) or content
    members = {content: {c for c in contents if of[c] is content} for content in contents}
    lonely = [c for c in contents if members[c] == {c} and not c.has_copies]
    for content in lonely:
        nearest = most_alike(content, content.similar)
        if nearest is None:
            continue
        theirs = of[nearest]
        if theirs is nearest:
            moved, to = [content], nearest
        elif len(members[theirs] - {nearest}) > 1 or theirs.has_copies:
            moved, to = [nearest], content
        else:
            moved, to = [theirs, content, nearest], nearest
        for one in moved:
            members[of[one]].discard(one)
            of[one] = to
            members[to].add(one)
    return of


def by_connection(contents):
    of = {}
    for first in contents:
        ahead = [] if first in of else [first]
        while ahead:
            content = ahead.pop()
            if content not in of:
                of[content] = first
                ahead.extend(content.similar)
    return of


def spread(first, members):
    """The files of a group, each with its role and content: the most similar members first. A content
    that is not a pair with the representative is sorted by its printed resemblance."""
    files = []
    for content in [first, *members]:
        role = "representative" if content is first else "member"
        for file in content.files:
            files.append((file, role, content))
            role = "copy"
    return files


def groups_of(contents, linkage):
    of = by_connection(contents) if linkage == "single" else by_representatives(contents)
    groups = {}
    for content in contents:
        groups.setdefault(of[content], []).append(content)
    found = []
    for first, members in groups.items():
        files = [file for content in members for file in content.files]
        if members == [first] and not first.has_copies:
            continue
        size = sum(file.size for file in files)
        copies = size - sum(content.files[0].size for content in members) if members else 0
        members.remove(first)
        found.append((first, members, len(files), size, copies))
    found.sort(key=lambda g: (-g[4], -g[3], g[0].files[0].display))
    return found


# ---- The definition by hand ----

def drawn(names, pairs):
    """Groups of contents in this order; each has as many files as its name has letters. Each pair has
    a share. The result lists the members of each group, the representative first."""
    contents = {}
    for n, name in enumerate(names.split()):
        files = [File(letter.encode(), 10, n, bytes([n]), None, []) for letter in name]
        contents[name[0]] = Content(files)
    for text in pairs.split():
        a, b, share = contents[text[0]], contents[text[1]], text[2:]
        pair = {"distance": 0, "verified": "sketch", "resemblance": int(share) / 100} if share else {
            "distance": 0, "verified": "no"}
        a.similar[b] = b.similar[a] = Resemblance(pair)
    return {linkage: " ".join(sorted(b"".join(c.files[0].display for c in (first, *members)).decode()
                                     for first, members, *_ in groups_of(contents.values(), linkage)))
            for linkage in ("representative", "single")}


def check_by_hand():
    for names, pairs, representative, single in (
            ("a b c", "", "", ""),
            ("ab c", "", "a", "a"),
            # A path: the middle joins the first end, and its group cannot lose a content.
            ("a b c", "ab90 bc90", "bac", "abc"),
            ("a b c", "ab80 bc90", "bac", "abc"),
            # The middle comes first or last: then the end that is most similar takes it.
            ("b a c", "ab90 bc90", "bac", "bac"),
            ("a c b", "ab80 cb90", "bac", "acb"),
            # A group of three loses one.
            ("a b c d", "ab90 ac90 cd80", "ab dc", "abcd"),
            # The group has copies and can stay; or the moved content has copies.
            ("ax b c", "ab90 bc80", "a cb", "abc"),
            ("a bx c", "ab90 bc80", "bac", "abc"),
            # A known resemblance counts more than an unknown one, regardless of the share.
            ("a b c", "ac bc10", "cab", "abc"),
            ("a b d c", "ac bc10 ad50", "ad bc", "abdc"),
            # Two contents that are alone, with the same middle.
            ("a b c d", "ab90 bc80 bd70", "bacd", "abcd"),
            # A content that is alone takes the content that the next one is most similar to, so the
            # next one joins it.
            ("a b c d e", "ab90 ac90 cd80 ce85", "ab cde", "abcde"),
            # A content that is alone but has copies is a group.
            ("a b cx", "ab90 bc80", "ab c", "abc")):
        found = drawn(names, pairs)
        assert found == {"representative": representative, "single": single}, (names, pairs, found)


# ---- Comparisons ----

def distance(x, y):
    return sum(abs(a - b) for a, b in zip(x.counts, y.counts))


def place_of(member, first, printed):
    """The key for sorting members; without a pair with the representative, the printed share."""
    pair = first.similar.get(member)
    head = member.files[0]
    if pair is not None:
        return (*pair.order, head.display)
    share = printed[head.display].get("resemblance")
    return (share is None, -(share or 0), distance(first.files[0], head), head.display)


def path_of(record, name="path"):
    return bytes.fromhex(record[name + "_hex"]) if name + "_hex" in record else record[name].encode()


def compare_member(printed, expected, first):
    file, role, content = expected
    assert path_of(printed) == file.display, (path_of(printed), file.display)
    assert printed["role"] == role, (file.display, printed["role"], role)
    assert printed["size"] == file.size, file.display
    assert printed["distance"] == distance(first.files[0], file), file.display
    pair = first.similar.get(content)
    if content is first:
        assert (printed["verified"], printed["resemblance"]) == ("hash", 1), printed
    elif pair is not None:
        assert (printed["verified"], printed.get("resemblance")) == (pair.verified, pair.share), (
            printed, pair.verified, pair.share)


def compare_group(number, printed, expected):
    first, members, count, size, copies = expected
    about = {path_of(member): member for member in printed["members"]}
    assert first.files[0].display == path_of(printed["members"][0]), (
        "representative", first.files[0].display, path_of(printed["members"][0]))
    assert {f.display for c in [first, *members] for f in c.files} == set(about), (
        "members", sorted({f.display for c in [first, *members] for f in c.files} ^ set(about)))
    members.sort(key=lambda member: place_of(member, first, about))
    files = spread(first, members)
    assert (printed["group"], printed["files"]) == (number, count), (number, printed["group"])
    assert (printed["bytes"], printed["copied_bytes"]) == (size, copies), (size, copies)
    for member, file in zip(printed["members"], files, strict=True):
        compare_member(member, file, first)


names = {}  # the id of each set of contents


def compare(printed, expected):
    for number, pair in enumerate(zip(printed, expected), 1):
        compare_group(number, *pair)
    assert len(printed) == len(expected), (len(printed), len(expected))
    for group, (first, members, *_) in zip(printed, expected):
        contents = frozenset(content.files[0].hash for content in [first, *members])
        assert names.setdefault(contents, group["id"]) == group["id"], group["id"]
    assert len(set(names.values())) == len(names), "two groups of other contents have one id"


# ---- Files ----

def words(rng, size):
    stock = [rng.choice("bcdfglmnprst") + rng.choice("aeiou") + rng.choice("lnrst") + "aeiouy"[n % 6]
             for n in range(300)]
    return " ".join(rng.choices(stock, k=size // 5 + 1)).encode()[:size]


def noise(rng, size):
    return rng.randbytes(size)


def block_changed(rng, content, at, size):
    return content[:at] + rng.randbytes(size) + content[at + size:]


def bytes_changed(rng, content, count):
    changed = bytearray(content)
    for _ in range(count):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def chain(rng, make):
    """Each file is similar to the one before; the ends are not similar."""
    content = make(rng, rng.choice((3000, 6000, 20000)))
    step, at = len(content) // rng.choice((8, 14, 30)), 0
    for _ in range(rng.randrange(8, 25)):
        yield content
        content = block_changed(rng, content, at, step)
        at = (at + step) % (len(content) - step)


def star(rng, make):
    """All files are similar to the first, and hardly to each other."""
    content = make(rng, rng.choice((4000, 9000, 30000)))
    count = rng.randrange(4, 12)
    step = len(content) // (count * rng.choice((1, 2)))
    yield content
    for n in range(count):
        yield block_changed(rng, content, n * step, step)


def dense(rng, make):
    content = make(rng, rng.choice((1500, 5000, 20000)))
    for _ in range(rng.randrange(10, 40)):
        yield bytes_changed(rng, content, rng.choice((1, 3, 3, 8)))


def middles(rng, make):
    """Two ends, and a middle that has half of their differences."""
    for _ in range(rng.randrange(2, 6)):
        content = make(rng, rng.choice((2000, 8000, 16000)))
        step = len(content) // rng.choice((4, 6, 9, 14))
        middle = block_changed(rng, content, 0, step)
        yield from (content, middle, block_changed(rng, middle, step + 16, step))


def tiny(rng, _):
    for size in (1, 2, 7, 8, 9, 15, 16, 17, 24, 40, 100, 200):
        content = words(rng, size)
        yield from (content, bytes_changed(rng, content, 1), bytes_changed(rng, content, 2))
    yield from (b"", b"", b"\0" * 5000, b"\0" * 5100, b"\0" * 5003)


def edits(rng, make):
    """Files edited in several ways, and parts of files."""
    for _ in range(rng.randrange(3, 7)):
        content = make(rng, rng.choice((900, 3000, 12000)))
        at = rng.randrange(len(content))
        yield content
        yield content[at:] + content[:at]
        yield content[:at] + b" and a line that was not there " + content[at:]
        yield content + make(rng, len(content) // rng.choice((3, 10, 40)))
        yield content[len(content) // rng.choice((3, 10, 40)):]


FAMILIES = (chain, star, dense, middles, tiny, edits)
EXTENSIONS = (b"txt", b"txt", b"txt", b"md", b"TXT", b"bak", b"dat")


class Writer:
    """Writes the files of a set, with copies and links among them."""

    def __init__(self, rng, folder):
        self.rng, self.folder, self.number = rng, folder, 0

    def path(self):
        place = os.path.join(self.folder, self.rng.choice((b"a", b"b", b"b/c", b"\xff, \"\n")))
        os.makedirs(place, exist_ok=True)
        # Names are not sorted in the order in which files are made.
        name = bytes(self.rng.choices(b"abcXYZ~019 ", k=3)) + b"%d" % self.number
        self.number += 1
        extension = self.rng.choice(EXTENSIONS)
        return os.path.join(place, name + (b"." + extension if self.rng.randrange(6) else b""))

    def write(self, content):
        first = self.path()
        with open(first, "xb") as file:
            file.write(content)
        for _ in range(self.rng.choice((0, 0, 0, 0, 0, 0, 1, 3))):
            if self.rng.randrange(3) == 0:
                os.link(first, self.path())
            else:
                with open(self.path(), "xb") as file:
                    file.write(content)


def settle(folder):
    """Give files old times, so that none looks as if it is being written."""
    for place, _, files in os.walk(folder):
        for name in files:
            os.utime(os.path.join(place, name), (1577836800, 1577836800))


def index(*arguments):
    """Index in a new index."""
    subprocess.run(os.environ["TEST_RESET"], shell=True, check=True)
    run(SIMHASH, "-q", *arguments)


def make_set(seed):
    """An index of the files of one seed: most with sketches, some of another host."""
    rng = random.Random(seed)
    folder = os.path.join(ROOT.encode(), b"%d" % seed)
    writer = Writer(rng, folder)
    contents = []
    for family in rng.sample(FAMILIES, rng.randrange(1, 4)):
        contents.extend(family(rng, rng.choice((words, noise))))
    rng.shuffle(contents)
    for content in contents:
        writer.write(content)
    settle(folder)
    if seed % 3 == 1 and os.path.isdir(os.path.join(folder, b"b")):
        index("--no-sketch", os.path.join(folder, b"b"))
        run(SIMHASH, "-q", *[os.path.join(folder, place) for place in os.listdir(folder) if place != b"b"])
    else:
        index(folder)
    if seed % 4 == 2 and os.path.isdir(os.path.join(folder, b"a")):
        run(SIMHASH, "-q", "--host=elsewhere", os.path.join(folder, b"a"))
    return folder


def read_index():
    """All files, by the engine's own client."""
    sums = ", ".join(f"sum_{n:02}" for n in range(16))
    query = ("SELECT HEX(directory), HEX(file.name), HEX(host.name), size, uniform, HEX(content_hash), "
             "device, inode, mtime_ns, links, " + sums + " FROM file JOIN host ON host.id = host")
    here = os.uname().nodename.encode()
    files = []
    for line in run(*shlex.split(os.environ["TEST_SQL"]), query).decode().splitlines():
        directory, name, host, *rest = line.replace("|", "\t").split("\t")
        path = bytes.fromhex(directory) + b"/" + bytes.fromhex(name)
        if bytes.fromhex(host) != here:
            path = bytes.fromhex(host) + b":" + path
        size, uniform, content_hash, *place = rest[:7]
        counts = [int(count) for count in rest[7:]]
        link = (host, *place[:3], content_hash) if place[2:] and int(rest[6]) > 1 else None
        files.append(File(path, int(size), int(uniform), bytes.fromhex(content_hash), link, counts))
    return files


# ---- Rules ----

def rules_for(seed, folder):
    """The default rule, and four of the others."""
    a, b = os.path.join(folder, b"a"), os.path.join(folder, b"b")
    rules = [
        ["-T", "1"], ["--min-resemblance=0.9"], ["--verify=no"], ["--same-extension"],
        ["--tolerance=md=0.5", "--tolerance=bak=0"], ["--also=hard-links"],
        ["--verify=no", "-T", "3"], ["--min-resemblance=0.5", "-T", "100"], ["--also=empty"],
        ["--candidates=skew_ext", "-T", "2"], ["--candidates=skew"],
        ["--also=hard-links", "--same-extension"], ["-T", "0", "--also=empty"], ["--size-ratio=1.05"],
    ]
    if os.path.isdir(a) and os.path.isdir(b):
        rules += [["--between", a, b], [b]]
    if seed % 4 != 2:  # files of another host cannot be read
        rules += [["--verify=read"], ["--verify=all", "--min-resemblance=0.7"]]
    return [[], *random.Random(seed).sample(rules, 4)]


def tolerances_of(rule):
    given = [option[len("--tolerance="):].split("=") for option in rule
             if isinstance(option, str) and option.startswith("--tolerance=")]
    return {extension.encode(): share for extension, share in given}


def files_for(files, rule):
    """The files that take part."""
    files = [file for file in files if file.size > 0 or "--also=empty" in rule]
    for file in files:
        file.sides = None
        if "--between" in rule:
            file.sides = "".join(side for side, folder in zip("ab", rule[1:])
                                 if file.display.startswith(folder + b"/"))
    directories = [option + b"/" for option in rule if isinstance(option, bytes)]
    return [file for file in files
            if not directories or any(map(file.display.startswith, directories))]


def listed_pairs(rule):
    listed = run(SIMFIND, "--summary=none", "--group=none", "--format=jsonl", *rule)
    pairs = [json.loads(line) for line in listed.splitlines()]
    for pair in pairs:
        pair["path_a"], pair["path_b"] = path_of(pair, "path_a"), path_of(pair, "path_b")
    return pairs


def groups_of_simfind(linkage, threads, rule):
    return json.loads(run(SIMFIND, "--summary=none", f"--group={linkage}", "--format=json", "-j", str(threads), *rule))


def check_rule(rule, threads, counts):
    pairs = listed_pairs(rule)
    counts["pairs"] += len(pairs)
    for linkage in ("representative", "single"):
        contents = contents_of(files_for(read_index(), rule), pairs, rule)
        expected = groups_of(contents, linkage)
        counts[linkage] += len(expected)
        counts["members"] += sum(len(group[1]) for group in expected)
        printed = groups_of_simfind(linkage, threads, rule)
        try:
            compare(printed, expected)
        except AssertionError as failure:
            raise AssertionError(f"{rule}, {linkage}, {threads} threads: {failure}") from failure


def ids_of(*options):
    """The ids of all groups in order, from JSON and CSV. Text has the first file of each group."""
    groups = json.loads(run(SIMFIND, "--summary=none", "--group", "--format=json", *options))
    of_json = [group["id"] for group in groups]
    rows = run(SIMFIND, "--summary=none", "--group", "--format=csv", *options).split(b"\r\n")[1:-1]
    of_csv = dict.fromkeys(row.rpartition(b",")[2].decode() for row in rows)
    in_text = re.findall(r"^(/.*?) +[0-9.]+ (?:bytes|[kM]B)$",
                         run(SIMFIND, "--summary=none", "--group", *options).decode(), re.MULTILINE)
    assert of_json == list(of_csv), (of_json, of_csv)
    heads = [group["members"][0]["path"].rstrip() for group in groups]
    assert len(in_text) == len(heads), (in_text, heads)
    # Text escapes control bytes and bytes that are not UTF-8.
    for printed, head in zip(in_text, heads):
        assert printed == head or "\\x" in printed and "\ufffd" in head, (printed, head)
    return of_json


def check_ids():
    """The ids depend only on the contents, not on their paths."""
    folder = make_set(11)
    ids = ids_of()
    assert len(ids) > 5, "too few groups to be a test"
    moved = folder + b".moved"
    os.rename(folder, moved)
    index(moved)
    assert ids_of() == ids, "the ids depend on the place"


def check_set(seed, counts):
    folder = make_set(seed)
    try:
        for n, rule in enumerate(rules_for(seed, folder)):
            check_rule(rule, 1 + (seed + n) % 4, counts)
    except AssertionError as failure:
        sys.exit(f"FAILED: set {seed}: {failure}")


def main():
    counts = dict.fromkeys(("pairs", "representative", "single", "members"), 0)
    check_by_hand()
    check_ids()
    for seed in range(SETS):
        check_set(seed, counts)
    print(counts)
    for what, least in (("pairs", 50000), ("representative", 1500), ("single", 1500), ("members", 4000)):
        assert counts[what] >= least, f"only {counts[what]} {what}: no test"


if __name__ == "__main__":
    main()
