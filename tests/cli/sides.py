#!/usr/bin/env python3
"""Tests sides: directories, archives, and folders and members in archives, with --between, DIRs and
--directories in every order. The expected pairs come from the list of all files and their paths."""
import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
import zipfile

FILES = os.path.realpath(os.environ["TEST_FOLDER"]) + "/files"
os.environ["SIMHASH_DATABASE"] = os.environ["TEST_URL"]
SIMHASH, SIMFIND = os.environ["SIMHASH"], os.environ["SIMFIND"]
world = {}  # path in lists: content


def text(word):
    return "".join(f"{word} {i * i} {word}{i}\n" for i in range(200)).encode()


CONTENTS = {word: text(word) for word in ("apple", "berry", "cedar", "daisy", "elm")}


def write(path, content):
    os.makedirs(os.path.dirname(f"{FILES}/{path}"), exist_ok=True)
    with open(f"{FILES}/{path}", "wb") as out:
        out.write(content)
    world[f"{FILES}/{path}"] = content


def pack(kind, members):
    """An archive with these members: (name, content)."""
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content)
    else:
        with tarfile.open(fileobj=out, mode="w:gz" if kind == "tgz" else "w") as archive:
            for name, content in members:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def write_archive(path, kind, members):
    write(path, pack(kind, members))
    for name, content in members:
        world[f"{FILES}/{path}//{name}"] = content


def make_world():
    c = CONTENTS
    inner = [("2024/apple", c["apple"]), ("elm", c["elm"]), ("x/elm", c["elm"])]
    write("dir/2024/apple", c["apple"])
    write("dir/2024-old/apple", c["apple"])
    write("dir/berry", c["berry"])
    write("dir/elm", c["elm"])
    write("named/a.zip/2024/apple", c["apple"])  # a directory with the name of an archive
    write("named/a.zip/berry", c["berry"])
    write_archive("a.zip", "zip", [("2024/apple", c["apple"]), ("2024/x/berry", c["berry"]),
                                   ("2024-old/cedar", c["cedar"]), ("2", c["cedar"]),
                                   ("deep/in.tar", pack("tar", inner))])
    for name, content in inner:
        world[f"{FILES}/a.zip//deep/in.tar//{name}"] = content
    write_archive("a.zip-old", "zip", [("2024/apple", c["apple"]), ("cedar", c["cedar"])])
    write_archive("t.tar.gz", "tgz", [("2024/apple", c["apple"]), ("20245/berry", c["berry"]),
                                      ("daisy", c["daisy"])])
    os.symlink("a.zip", f"{FILES}/link.zip")
    os.symlink("dir", f"{FILES}/linked")


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, check=False, cwd=FILES)
    if done.returncode != status:
        sys.exit(f"{words} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


# The side as a user writes it, and the paths that it holds: exactly this one, or with this start.
SIDES = [
    ("dir", None, "dir/"), ("linked/2024", None, "dir/2024/"), ("named/a.zip", None, "named/a.zip/"),
    ("a.zip", None, "a.zip//"), ("link.zip//", None, "a.zip//"), ("./a.zip//2024", None, "a.zip//2024/"),
    ("a.zip//2024/x/", None, "a.zip//2024/x/"), ("a.zip//2", "a.zip//2", "\0"),
    ("link.zip///deep/in.tar", "a.zip//deep/in.tar", "a.zip//deep/in.tar//"),
    ("a.zip//deep/in.tar//2024", None, "a.zip//deep/in.tar//2024/"), ("a.zip-old", None, "a.zip-old//"),
    ("t.tar.gz//2024", None, "t.tar.gz//2024/"), ("t.tar.gz//daisy", "t.tar.gz//daisy", "\0"),
    (".", None, ""),
]


def held(side):
    _, exact, start = side
    return {path for path in world
            if path == f"{FILES}/{exact}" or path.startswith(f"{FILES}/{start}")}


def is_own(x, y):
    """An archive and its members are no pair."""
    return x.startswith(y + "//") or y.startswith(x + "//")


def copies(words):
    out, _ = run(SIMFIND, "--only=copies", "--group=none", "--format=jsonl", "--summary=none", *words)
    return {frozenset((pair["path_a"], pair["path_b"])) for pair in map(json.loads, out.splitlines())}


def expected_pairs(a, b):
    return {frozenset((x, y)) for x in a for y in b
            if x != y and world[x] == world[y] and not is_own(x, y)}


def check(what, expected, found):
    if expected != found:
        sys.exit(f"{what}: missing {sorted(map(sorted, expected - found))}, "
                 f"unexpected {sorted(map(sorted, found - expected))}")


def main():
    make_world()
    run(SIMHASH, "-qz", FILES)
    run(SIMFIND, "--update", "a.zip//2024/", "a.zip//", "dir")
    host = os.uname().nodename
    for x, y in itertools.product(SIDES, SIDES):
        expected = expected_pairs(held(x), held(y))
        check(f"--between {x[0]} {y[0]}", expected, copies(["--between", x[0], y[0]]))
    for x in SIDES:  # a side of a host is an absolute path
        name = f"{host}:{FILES}/{x[1] or x[2]}"
        if "\0" not in name:
            check(f"--between {name}", expected_pairs(held(x), held(SIDES[0])),
                  copies(["--between", name, "dir"]))
        # As a DIR; a folder in an archive ends with a slash, because without one it is a FILE.
        if x[0] == "." or x[1] is None and os.path.isdir(f"{FILES}/{x[0]}"):
            check(f"{x[0]}", expected_pairs(held(x), held(x)), copies([x[0]]))
        else:
            check(f"{x[0]}", expected_pairs(held(x), held(x)), copies([x[0].rstrip("/") + "//"]))
    check_directories()
    check_tops()
    check_errors()


def listed(a, b):
    """The files of each side in the list of two directories: the outermost archive of a path that the
    side is not inside counts as one file."""
    def files(side):
        own = side[2].count("//")
        return {path[len(f"{FILES}/{side[2]}"):] for path in held(side)
                if path != f"{FILES}/{side[1]}" and path[len(FILES):].count("//") == own}
    return files(a), files(b)


def check_directories():
    """Each file of both sides is listed once, and the order of the sides does not matter."""
    sides = [side for side in SIDES if side[2] != "\0"]
    for x, y in itertools.permutations(sides, 2):
        inner, outer = (x, y) if len(x[2]) > len(y[2]) else (y, x)
        words = ["--directories", "--format=json", "--summary=none", x[0], y[0]]
        if inner[2].startswith(outer[2]) and inner[2].count("//") == outer[2].count("//"):
            continue  # one is inside the other: see check_errors
        out, _ = run(SIMFIND, *words)
        found = json.loads(out)["files_of_both"]
        for key, expected in zip(("path_a", "path_b"), listed(x, y)):
            names = [file[key] for file in found if file.get(key)]
            if len(names) != len(set(names)):
                sys.exit(f"{words}: a file is listed twice")
            check(" ".join(words) + " " + key, expected, set(names))


def check_tops():
    """If all files of an archive are in one folder, its paths begin there if more of them then match."""
    c = CONTENTS
    files = [("apple", c["apple"]), ("x/berry", c["berry"])]
    for name, content in files:
        write(f"p/{name}", content)
        write(f"q/home/me/{name}", content)
    for archive, top in ("one.tgz", "name-1/"), ("two.zip", "home/me/"), ("same.zip", ""):
        write_archive(archive, archive[-3:], [(top + name, content) for name, content in files])
    write_archive("three.zip", "zip", [("in/one.tgz", pack("tgz", [("./name-1/" + n, t) for n, t in files])),
                                       ("other", c["elm"])])
    run(SIMHASH, "-qz", FILES)
    for words, expected in (
            ("one.tgz p", ("one.tgz//name-1", "p")), ("two.zip p", ("two.zip//home/me", "p")),
            ("one.tgz same.zip", ("one.tgz//name-1", "same.zip")), ("two.zip q", ("two.zip", "q")),
            ("one.tgz two.zip", ("one.tgz//name-1", "two.zip//home/me")),
            ("two.zip//home p", ("two.zip//home/me", "p")), ("one.tgz q", ("one.tgz", "q")),
            ("one.tgz q/home", ("one.tgz", "q/home")), ("two.zip q/home", ("two.zip//home", "q/home")),
            ("three.zip//in/one.tgz p", ("three.zip//in/one.tgz//./name-1", "p"))):
        for order in (1, -1):
            sides = words.split()[::order]
            out, _ = run(SIMFIND, "--directories", "--format=json", "--summary=none", *sides)
            found = json.loads(out)
            same("the names of " + words, [f"{FILES}/{name}" for name in expected[::order]],
                 [found[side]["path"] for side in "ab"])
            fate = "moved" if expected[0] == "one.tgz" else "same"
            same(words, {fate}, {file["match"] for file in found["files_of_both"]})


def same(what, expected, found):
    if expected != found:
        sys.exit(f"{what}: expected {expected}, found {found}")


def check_errors():
    write("dots.tgz", pack("tgz", [("./2024/apple", CONTENTS["apple"]), ("./elm", CONTENTS["elm"])]))
    run(SIMHASH, "-qz", FILES)
    for words, message in (
            (["--between", "dots.tgz//2024", "dir"], f'names in this archive begin with "./": {FILES}/dots.tgz//./2024'),
            (["--between", "a.zip//20", "dir"], f"{FILES}/a.zip//20; to index the members of archives: simhash -z {FILES}/a.zip"),
            (["--between", "dir", "dir/elm"], "to index the members of archives: simhash -z"),
            (["--between", "none//x", "dir"], "--between: cannot find directory none//x"),
            (["--directories", "a.zip", "a.zip//2024"], "cannot be compared with one that it is in"),
            (["--directories", "a.zip//2024", "a.zip"], "cannot be compared with one that it is in"),
            (["--directories", "dir/2024", "linked"], "cannot be compared with one that it is in"),
            (["--directories", "a.zip//", "link.zip"], "cannot be compared with one that it is in"),
            (["a.zip//20/"], "to index the members of archives: simhash -z")):
        _, errors = run(SIMFIND, *words, status=1)
        if message not in errors:
            sys.exit(f"{words}: expected '{message}', found '{errors}'")


main()
