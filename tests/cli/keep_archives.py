#!/usr/bin/env python3
"""Tests that no action of simkeep touches the inside of an archive, and that a member is the kept file
only with --count-archives: it is read again, its archive is unchanged and not locked, and undo restores
from it. In random worlds of archives in archives, no content is lost."""
import fcntl
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile

TOP = os.path.realpath(os.environ["TEST_FOLDER"])
FILES = TOP + "/files"
os.environ["SIMHASH_DATABASE"] = os.environ["TEST_URL"]
SIMHASH, SIMKEEP = os.environ["SIMHASH"], os.environ["SIMKEEP"]
JOURNAL = TOP + "/journal"
STAMP = 1_500_000_000_123_456_789


def text(word):
    return "".join(f"{word} {i * i} {word}{i}\n" for i in range(300)).encode()


def write(path, content, mode=0o640):
    path = f"{FILES}/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(content)
    os.chmod(path, mode)
    os.utime(path, ns=(STAMP, STAMP))


def pack(kind, members):
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content)
    else:
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name, content in members:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0) if kind == "tgz" else out.getvalue()


def unpack(content):
    """The contents of all members, at any depth."""
    try:
        if content[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                inner = [archive.read(name) for name in archive.namelist()]
        elif content[:2] == b"\x1f\x8b" or content[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                inner = [archive.extractfile(entry).read() for entry in archive if entry.isfile()]
        else:
            return
    except tarfile.TarError:
        inner = [gzip.decompress(content)]
    for member in inner:
        yield member
        yield from unpack(member)


def tree(inodes=False):
    found = {}
    for folder, _, names in os.walk(FILES):
        for name in names:
            path = os.path.join(folder, name)
            status = os.stat(path)
            with open(path, "rb") as file:
                found[os.path.relpath(path, FILES)] = (
                    file.read(), status.st_mode, status.st_mtime_ns, inodes and status.st_ino)
    return found


def reachable():
    """The hashes of all contents, on the disk and in archives."""
    found = set()
    for content, *_ in tree().values():
        found.add(hashlib.md5(content).digest())
        found.update(hashlib.md5(inner).digest() for inner in unpack(content))
    return found


def run(*words, status=0, kill_before=None):
    environment = dict(os.environ)
    if kill_before is not None:
        environment.update(LD_PRELOAD=sys.argv[1], KILL_BEFORE=str(kill_before))
    if words[0] == SIMKEEP and os.path.exists(JOURNAL) and "--yes" in words and "--undo=" + JOURNAL not in words:
        os.remove(JOURNAL)
    done = subprocess.run(words, capture_output=True, check=False, cwd=TOP, env=environment)
    if kill_before is not None:
        return done.returncode == -signal.SIGKILL
    output = done.stdout.decode() + done.stderr.decode()
    if status is not None and done.returncode != status:
        sys.exit(f"{words} ended with {done.returncode}: {output}")
    return output


def says(output, message):
    if message not in output:
        sys.exit(f"expected '{message}', found '{output}'")


def same(what, expected, found):
    if expected != found:
        sys.exit(f"{what}: expected {expected}, found {found}")


def begin(make):
    shutil.rmtree(FILES, ignore_errors=True)
    for entry in os.listdir(TOP):
        if entry.startswith("index.db"):
            os.remove(f"{TOP}/{entry}")
    shutil.rmtree(f"{TOP}/moved", ignore_errors=True)
    os.makedirs(FILES)
    os.makedirs(f"{TOP}/moved")
    make()
    run(SIMHASH, "-qz", FILES)


def small():
    apple, berry, cedar = text("apple"), text("berry"), text("cedar")
    write("a.tgz", pack("tgz", [("x/apple", apple), ("berry", berry), ("in.zip", pack("zip", [("cedar", cedar)]))]))
    write("one/apple", apple)
    write("two/apple", apple)
    write("two/cedar", cedar)
    write("log.gz", gzip.compress(text("daisy"), mtime=0))
    write("log", text("daisy"))


ACT = ("--yes", "--journal=" + JOURNAL)


def test_members_stay():
    """No action changes an archive, and without the option a member is not a kept file."""
    before = None
    for action in ("hardlink", "reflink", "delete", f"move:{TOP}/moved"):
        begin(small)
        before = tree(True)
        run(SIMKEEP, "--keep=oldest", "--action=" + action, *ACT, status=None)
        after = tree(True)
        for name in ("a.tgz", "log.gz", "log", "two/cedar"):
            same(f"{name} after {action}", before[name], after.get(name))
        same("the content is kept on the disk", True, "one/apple" in after or "two/apple" in after)
    says(run(SIMKEEP, f"--keep=in:{FILES}/a.tgz", "--action=delete", status=1),
         "members of archives are kept only with --count-archives")
    says(run(SIMKEEP, "--keep=oldest", "--count-archives", "--action=hardlink", status=1),
         "--count-archives needs --action=delete or move:DIR")
    says(run(SIMKEEP, "--keep=oldest", "--count-archives", "--action=script:-", status=1),
         "--action=script:FILE cannot be combined with --count-archives")


def test_decisions():
    """A member that somebody decided to remove stays; a decision to keep it keeps nothing."""
    begin(small)
    before = tree(True)
    files = [dict(host=os.uname().nodename, path=f"{FILES}/{path}", decision=decision, hash="ab" * 16)
             for path, decision in (("a.tgz//x/apple", "remove"), ("a.tgz//berry", "keep"), ("one/apple", "remove"))]
    with open(TOP + "/decisions.json", "w", encoding="utf-8") as out:
        json.dump({"format": "simfind decisions", "format_version": 1, "groups": [{"id": "0", "files": files}]}, out)
    for action in ("delete", "hardlink", f"move:{TOP}/moved"):
        output = run(SIMKEEP, "--decisions=" + TOP + "/decisions.json", "--action=" + action, *ACT, status=2)
        says(output, "a.tgz//x/apple: left alone: it is in an archive")
        same("the tree", before, tree(True))


def test_counted():
    for action in ("delete", f"move:{TOP}/moved"):
        begin(small)
        before = tree()
        rules = (f"--keep=in:{FILES}/a.tgz", f"--keep=in:{FILES}/log.gz", "--count-archives")
        run(SIMKEEP, *rules, "--action=" + action)
        same("a dry run", before, tree())
        run(SIMKEEP, *rules, "--action=" + action, *ACT)
        same("files left", ["a.tgz", "log.gz"], sorted(tree()))
        with open(JOURNAL, encoding="utf-8") as lines:
            acts = [act for act in map(json.loads, lines) if act.get("state") == "begin" and "kept" in act]
        same("kept files", {"one/apple": "a.tgz//x/apple", "two/apple": "a.tgz//x/apple",
                            "two/cedar": "a.tgz//in.zip//cedar", "log": "log.gz//log"},
             {act["path"][len(FILES) + 1:]: act["kept"][len(FILES) + 1:] for act in acts})
        same("the hash of the compared bytes", True, all(len(act["hash"]) == 32 for act in acts))
        run(SIMKEEP, "--undo=" + JOURNAL)
        output = run(SIMKEEP, "--undo=" + JOURNAL, "--yes")
        same("notes", False, "attributes" in output)
        same("the tree after undoing " + action, before, tree())


def test_changed():
    """The archive has changed, is locked, or has other bytes although its size and time are the same."""
    rules = (SIMKEEP, "--keep=match:*/a.tgz//*", "--count-archives", "--action=delete", *ACT)
    begin(small)
    before = tree()
    with open(f"{FILES}/a.tgz", "rb") as archive:
        fcntl.flock(archive, fcntl.LOCK_EX)
        says(run(*rules, status=2), "another program has locked it or the kept file")
    same("the tree", before, tree())
    with open(f"{FILES}/a.tgz", "ab") as archive:
        says(run(*rules, status=2), "another program has it open for writing")
    same("the tree", before, tree())
    members = [("x/apple", text("apple")[::-1]), ("berry", text("berry"))]
    for content in (b"\0" * len(before["a.tgz"][0]), pack("tgz", members).ljust(len(before["a.tgz"][0]), b"\0")):
        write("a.tgz", content[:len(before["a.tgz"][0])])
        says(run(*rules, status=2), "the archive has no member with its content now")
        same("files", sorted(before), sorted(tree()))
    os.utime(f"{FILES}/a.tgz")
    says(run(*rules, status=2), "it has changed since it was indexed")
    os.remove(f"{FILES}/a.tgz")
    says(run(*rules, status=2), "it no longer exists")
    # Undo reads the member again, too.
    begin(small)
    run(*rules)
    write("a.tgz", pack("tgz", members))
    output = run(SIMKEEP, "--undo=" + JOURNAL, "--yes", status=2)
    says(output, "one/apple: left alone: the content of the file that was kept has changed")
    says(output, "a.tgz//in.zip//cedar cannot be read, or has another content now")
    same("files left", ["a.tgz", "log", "log.gz"], sorted(tree()))
    os.remove(f"{FILES}/a.tgz")
    says(run(SIMKEEP, "--undo=" + JOURNAL, "--yes", status=2), "a.tgz//x/apple: it no longer exists")
    small()
    run(SIMKEEP, "--undo=" + JOURNAL, "--yes")


def many():
    """More members than a batch, in two archives, and an archive that is a copy of a member."""
    contents = [text(f"n{i}") for i in range(300)]
    inner = pack("zip", [("last", text("last"))])
    write("p.tgz", pack("tgz", [(f"d/{i}", contents[i]) for i in range(0, 200)]))
    write("q.zip", pack("zip", [(f"{i}", contents[i]) for i in range(150, 300)] + [("inner.zip", inner)]))
    write("disk/inner.zip", inner)
    write("disk/last", text("last"))
    for i, content in enumerate(contents):
        write(f"disk/{i}", content)


def test_many():
    begin(many)
    before = tree()
    run(SIMKEEP, f"--keep=in:{FILES}/p.tgz", f"--keep=not-in:{FILES}/disk", "--count-archives", "--action=delete", *ACT)
    same("files left", ["p.tgz", "q.zip"], sorted(tree()))
    run(SIMKEEP, "--undo=" + JOURNAL, "--yes")
    same("the tree after undo", before, tree())


def test_killed():
    """simkeep and then --undo are killed before each call that changes something."""
    begin(small)
    before, contents = tree(), reachable()
    shutil.copy(f"{TOP}/index.db", f"{TOP}/first")
    rules = (SIMKEEP, f"--keep=in:{FILES}/a.tgz", f"--keep=in:{FILES}/log.gz", "--count-archives", "--action=delete", *ACT)
    kills, moments = 0, [0, 0]
    for phase in range(2):
        killed = True
        while killed:
            moments[phase] += 1
            shutil.rmtree(FILES)
            small()
            shutil.copy(f"{TOP}/first", f"{TOP}/index.db")
            killed = run(*rules, kill_before=moments[0] if phase == 0 else 0)
            same("contents after a kill", contents, reachable())
            if os.path.exists(JOURNAL) and os.path.getsize(JOURNAL) > 0:
                undone = run(SIMKEEP, "--undo=" + JOURNAL, "--yes", kill_before=1 + moments[phase] % 9 if phase == 0 else moments[1])
                same("contents after a killed undo", contents, reachable())
                run(SIMKEEP, "--undo=" + JOURNAL, "--yes")
                killed, kills = killed or undone and phase == 1, kills + killed + undone
            same("the tree after a kill and undo", before, tree())
    print(kills, "kills")
    same("enough kills", True, kills > 25)


def random_world(dice):
    contents = [text(f"c{i}") for i in range(4)]

    def archive(depth):
        members = [(f"{i}", dice.choice(pool)) for i in range(dice.randrange(1, 4))]
        if depth > 0 and dice.random() < 0.5:
            members.append(("in", archive(depth - 1)))
        made = pack(dice.choice(["zip", "tar", "tgz"]), members)
        pool.append(made)
        return made

    pool = list(contents)
    for i in range(3):
        write(f"d{dice.randrange(2)}/a{i}", archive(2))
    for i in range(6):
        write(f"d{dice.randrange(2)}/f{i}", dice.choice(pool))


def test_random():
    for seed in range(int(os.environ.get("WORLDS", "25"))):
        dice = random.Random(seed)
        begin(lambda: random_world(dice))
        before, contents = tree(), reachable()
        rules = dice.sample(["oldest", "newest", "shortest-path", "longest-name", f"not-in:{FILES}/d0",
                             f"match:*//*"], 2)
        action = dice.choice(["delete", "delete", f"move:{FILES}/d1"])
        run(SIMKEEP, *("--keep=" + rule for rule in rules), "--count-archives", "--action=" + action, *ACT, status=None)
        same(f"contents of world {seed}", contents, reachable())
        run(SIMKEEP, "--undo=" + JOURNAL, "--yes")
        same(f"world {seed} after undo", before, tree())


for test in (test_members_stay, test_decisions, test_counted, test_changed, test_many, test_random):
    test()
if len(sys.argv) > 1:  # not with sanitizers
    test_killed()
