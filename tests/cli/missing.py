#!/usr/bin/env python3
"""Compares simfind --missing and --copies with brute force over generated worlds.

A world is a drive and places where its contents may be: directories of this host and of another file
system, another host, an archive, and a list of digests. After indexing, files change, disappear and
appear on both sides, and directories become unreadable. The oracle compares bytes and the attributes
that the files had when they were indexed. In a world without a missing file, the drive is wiped, and
each of its contents must still exist.

usage: missing.py WORLDS SEED

SPDX-License-Identifier: MIT
"""

import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

FOLDER = os.environ["TEST_FOLDER"]
# Copies of the programs, because the build may be in root's home.
SIMHASH, SIMFIND = os.path.join(FOLDER, "simhash"), os.path.join(FOLDER, "simfind")
HAS_ARCHIVES = " archives " in f" {os.environ['BUILT_WITH']} "
TOP = os.path.join(FOLDER, "worlds")
# Root can read everything, so the programs run as another user.
USER = 65534 if os.getuid() == 0 else None
CONTENTS = 12


def run(expected, *command):
    demote = None if USER is None else lambda: (os.setgroups([]), os.setgid(USER), os.setuid(USER))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          preexec_fn=demote)
    if done.returncode not in expected:
        sys.exit(f"FAILED: {command} ended with {done.returncode}: {done.stderr.decode()}")
    return done.returncode, done.stdout, done.stderr.decode()


def own(path):
    if USER is not None:
        os.chown(path, USER, USER, follow_symlinks=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def files_below(top):
    """All regular files, and the directories that the user cannot read."""
    files, closed = [], []
    for folder, folders, names in os.walk(top):
        closed += [os.path.join(folder, name) for name in folders
                   if stat.S_IMODE(os.lstat(os.path.join(folder, name)).st_mode) == 0]
        folders[:] = [name for name in folders if os.path.join(folder, name) not in closed]
        files += [os.path.join(folder, name) for name in names
                  if stat.S_ISREG(os.lstat(os.path.join(folder, name)).st_mode)]
    return files, closed


def identity(path):
    status = os.lstat(path)
    return status.st_size, status.st_mtime_ns, status.st_ino


class World:
    def __init__(self, seed, top, other_disk):
        self.rng = random.Random(seed)
        self.top, self.other_disk = top, other_disk
        self.drive = os.path.join(top, "drive")
        self.places = {name: os.path.join(top, name) for name in ("near", "nearer/by")}
        if other_disk is not None:
            self.places["disk"] = other_disk
        self.far = os.path.join(top, "far")
        self.contents = [self.rng.randbytes(self.rng.randrange(1, 400)) for _ in range(CONTENTS)]
        self.has_archive = HAS_ARCHIVES and self.rng.random() < 0.3
        self.archive = os.path.join(self.places["near"], "all.zip")
        self.list = os.path.join(top, "far.digests")
        self.is_complete = self.rng.random() < 0.6

    def path_in(self, top):
        rng = self.rng
        folder = "/".join(rng.choice(("a", "b c", "d\xff", "e")) for _ in range(rng.randrange(3)))
        return os.fsencode(os.path.join(top, folder)).decode("latin-1") + f"/{rng.randrange(30)}"

    def scatter(self, top, contents, count):
        for _ in range(count):
            path = self.path_in(top)
            if not os.path.isdir(path):
                write(path, self.rng.choice(contents))

    def make(self):
        rng = self.rng
        self.scatter(self.drive, self.contents + [b""], rng.randrange(1, 12))
        for name, path in self.places.items():
            os.makedirs(path, exist_ok=True)
            self.scatter(path, self.contents, CONTENTS * 2 if self.is_complete and name == "near" else rng.randrange(6))
        if self.is_complete:
            for number, content in enumerate(self.contents):
                write(f"{self.places['near']}/copy{number}", content)
        self.scatter(self.far, self.contents, rng.randrange(1, 8))
        for path in self.places.values():
            write(f"{path}/here", b"a place without files is an error")
        files, _ = files_below(self.drive)
        for path in rng.sample(files, min(len(files), rng.randrange(3))):
            link = rng.choice((self.drive, self.places["near"])) + f"/link{rng.randrange(9)}"
            if not os.path.exists(link):
                os.link(path, link)
        if rng.random() < 0.3:
            os.symlink(self.places["near"], f"{self.drive}/symlink")
        self.members = rng.sample(self.contents, rng.randrange(1, CONTENTS)) if self.has_archive else []
        if self.has_archive:
            with zipfile.ZipFile(self.archive, "w") as archive:
                for number, content in enumerate(self.members):
                    archive.writestr(f"w/{number}", content)
        for folder, folders, names in os.walk(self.top):
            own(folder)
            for name in names:
                own(os.path.join(folder, name))
        for path in self.places.values():
            own(path)

    def settle(self):
        """Files that changed just before they are indexed would be read again."""
        for top in (self.drive, self.far, *self.places.values()):
            for path in files_below(top)[0]:
                os.utime(path, ns=(1, self.rng.randrange(10**18)), follow_symlinks=False)

    def index(self):
        self.settle()
        options = ["-z"] if self.has_archive else []
        run({0}, SIMHASH, "-q", *options, self.drive, *self.places.values())
        run({0}, SIMHASH, "-q", "--host=far", self.far)
        with open(self.list, "wb") as file:
            file.write(run({0}, SIMHASH, "--export", "--host=far")[1])
        self.is_renamed = self.rng.random() < 0.2
        if self.is_renamed:
            run({0}, SIMHASH, "-q", "--host=earlier", self.drive)
        self.far_contents = {read(path) for path in files_below(self.far)[0]}
        self.indexed = {}
        for top in (self.drive, *self.places.values()):
            for path in files_below(top)[0]:
                self.indexed[path] = identity(path), read(path)
        shutil.rmtree(self.far)

    def change(self):
        rng = self.rng
        for top in (self.drive, *self.places.values()):
            if rng.random() < 0.4:
                continue
            for path in files_below(top)[0]:
                what = rng.random()
                if path.endswith("/here") or (path == self.archive and what < 0.5):
                    continue
                if what < 0.05:
                    os.unlink(path)
                elif what < 0.1:
                    os.unlink(path)
                    write(path, rng.choice(self.contents))
                    own(path)
                elif what < 0.15:
                    with open(path, "ab") as file:
                        file.write(b"more")
                elif what < 0.2:
                    renamed = path + ".new"
                    os.rename(path, renamed)
            if rng.random() < 0.2:
                write(f"{top}/late", rng.choice(self.contents + [b"late"]))
        self.closed = []
        if rng.random() < 0.2:
            for folder, folders, _ in os.walk(self.drive):
                for name in folders:
                    path = os.path.join(folder, name)
                    if not os.path.islink(path) and rng.random() < 0.4:
                        self.closed.append(path)
        for path in self.closed:
            os.chmod(path, 0)

    def open(self):
        for path in self.closed:
            os.chmod(path, 0o755)

    # ---- The oracle ----

    def is_current(self, path):
        return path in self.indexed and os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode) \
            and identity(path) == self.indexed[path][0]

    def available(self, tops, far, members):
        """Contents outside of the drive: those of files, and those of members."""
        whole, inside = set(self.far_contents) if far else set(), set()
        for path, (_, content) in self.indexed.items():
            if any(path.startswith(f"{top}/") for top in tops) and self.is_current(path):
                whole.add(content)
        if members and self.has_archive and self.is_current(self.archive):
            inside.update(self.members)
        return whole, inside

    def expected(self, tops, far, members):
        whole, inside = self.available(tops, far, members)
        files, closed = files_below(self.drive)
        result = {path: "unreadable" for path in closed}
        for path in files:
            if os.lstat(path).st_size == 0:
                continue
            # A file that was empty had no content.
            if path not in self.indexed or self.indexed[path][1] == b"":
                result[path] = "not indexed"
            elif identity(path) != self.indexed[path][0]:
                result[path] = "changed"
            elif self.indexed[path][1] not in whole | inside:
                result[path] = "missing"
        return result


def ask(*arguments):
    status, out, _ = run({0, 3}, SIMFIND, "--missing", "--summary=none", "--format=jsonl", *arguments)
    found = {}
    for line in out.decode().splitlines():
        item = json.loads(line)
        path = bytes.fromhex(item["path_hex"]) if "path_hex" in item else item["path"].encode()
        found[os.fsdecode(path)] = item["state"]
    return status, found


def compare(world, what, expected, answer):
    status, found = answer
    if found != expected or (status == 3) != bool(expected):
        different = {path: (expected.get(path), found.get(path))
                     for path in expected.keys() | found.keys() if expected.get(path) != found.get(path)}
        sys.exit(f"FAILED: {what}: status {status}, path: (expected, found): {different}")


def wipe(world, status, tops):
    """After "nothing is missing", remove the drive, and look for each of its contents."""
    if status != 0:
        return 0
    world.open()
    contents = {read(path) for path in files_below(world.drive)[0]} - {b""}
    shutil.rmtree(world.drive)
    left = {read(path) for top in tops for path in files_below(top)[0]} | world.far_contents
    if world.has_archive and os.path.exists(world.archive):
        with zipfile.ZipFile(world.archive) as archive:
            left |= {archive.read(name) for name in archive.namelist()}
    lost = contents - left
    if lost:
        sys.exit(f"FAILED: wiping lost {len(lost)} contents")
    return 1


def judge(world, tops):
    """Several directories: each can be deleted if it is safe alone, and as many together as are safe together."""
    def is_safe(*chosen):
        return ask("--only=copies", *chosen)[0] == 0

    _, _, said = run({0, 3}, SIMFIND, "--missing", "--only=copies", "--format=null", *tops)
    alone = {top for top in tops if is_safe(top)}
    lines = said.splitlines()
    found = {top for top in tops if any(line.startswith((f"{top} can be deleted: ", f"{top} has no files"))
                                        for line in lines)}
    if found != alone or sum(" must stay: " in line for line in lines) != len(tops) - len(alone):
        sys.exit(f"FAILED: safe alone: {alone}, found: {said}")
    named = re.compile("|".join(sorted(map(re.escape, tops), key=len, reverse=True)))
    verdict = [line for line in lines if " together" in line]
    if len(alone) < 2:
        together, kept = alone, set()
    elif verdict and verdict[0].startswith("But not"):
        together, kept = (set(named.findall(part)) for part in verdict[0].split(", and keep "))
    else:
        together, kept = set(named.findall(verdict[0])), set()
    if together | kept != alone or together & kept or (together and not is_safe(*together)):
        sys.exit(f"FAILED: not safe together: {said}")
    if any(is_safe(top, *together) for top in kept):
        sys.exit(f"FAILED: more could be deleted: {said}")


def copies(world):
    """The number of file systems and hosts with each content, as indexed; links count once."""
    systems = {}
    for path, (_, content) in world.indexed.items():
        device = os.stat(os.path.dirname(path)).st_dev if os.path.exists(os.path.dirname(path)) else 0
        systems.setdefault(content, set()).add(("here", device))
        if world.is_renamed and path.startswith(f"{world.drive}/"):
            systems[content].add(("earlier", 0))
    for content in world.far_contents:
        systems.setdefault(content, set()).add(("far", 0))
    for content in world.members:
        systems.setdefault(content, set()).add(("here", os.stat(world.places["near"]).st_dev))
    selection, wanted = world.rng.choice((("1", {1}), ("2", {2}), ("<3", {1, 2}), (">1", set(range(2, 9)))))
    expected = {path: len(systems[content]) for path, (_, content) in world.indexed.items()
                if content and len(systems[content]) in wanted and path.startswith(f"{world.drive}/")}
    _, out, _ = run({0}, SIMFIND, f"--copies={selection}", "--summary=none", "--format=jsonl", world.drive)
    found = {}
    for line in out.decode().splitlines():
        item = json.loads(line)
        path = bytes.fromhex(item["path_hex"]) if "path_hex" in item else item["path"].encode()
        found[os.fsdecode(path)] = item["copies"]
    if found != expected:
        sys.exit(f"FAILED: --copies={selection}: expected {expected}, found {found}")


def check(seed, other_disk):
    shutil.rmtree(TOP, ignore_errors=True)
    if other_disk is not None:
        shutil.rmtree(other_disk)
        os.mkdir(other_disk)
    os.makedirs(TOP)
    own(TOP)
    os.environ["SIMHASH_DATABASE"] = f"sqlite:{TOP}/index.db"
    world = World(seed, TOP, other_disk)
    world.make()
    world.index()
    copies(world)
    world.change()
    every = list(world.places.values())
    had_content = any(path.startswith(f"{world.drive}/") and content for path, (_, content) in world.indexed.items())
    files, closed = files_below(world.drive)
    if had_content and not closed and not any(os.lstat(path).st_size for path in files):
        # It may be the place of a drive that is not connected. Empty files do not count.
        said = run({1}, SIMFIND, "--missing", world.drive)[2]
        if f"{world.drive} has no files now, but the index has some" not in said:
            sys.exit(f"FAILED: a drive without files: {said}")
        world.open()
        return 0
    # The parent of a place has no other files, but a name that begins like another one.
    expected = world.expected([world.places["near"]], False, True)
    compare(world, "--in=near", expected, ask(f"--in={world.places['near']}", world.drive))
    expected = world.expected([os.path.join(world.top, "nearer")], True, False)
    compare(world, "--in=nearer --in=far:", expected,
            ask(f"--in={world.top}/nearer", "--in=far:", world.drive))
    expected = world.expected([], True, False)
    compare(world, "--in=LIST", expected, ask(f"--in={world.list}", world.drive))
    if world.has_archive and world.is_current(world.archive):
        expected = world.expected([], False, True)
        compare(world, "--in=all.zip", expected, ask(f"--in={world.archive}", world.drive))
    expected = world.expected(every, True, True)
    answer = ask(world.drive)
    compare(world, "elsewhere", expected, answer)
    if seed % 3 == 0:
        judge(world, [world.drive, *every])
    safe = wipe(world, answer[0], every)
    world.open() if not safe else None
    return safe


def main():
    worlds, seed = int(sys.argv[1]), int(sys.argv[2])
    other_disk = None
    if os.path.isdir("/dev/shm") and os.stat("/dev/shm").st_dev != os.stat(FOLDER).st_dev:
        other_disk = tempfile.mkdtemp(dir="/dev/shm")
    os.chmod(FOLDER, 0o755)
    os.environ.pop("TSAN_OPTIONS", None)  # they name a file that only root may be able to read
    for program in (SIMHASH, SIMFIND):
        shutil.copy(os.environ[os.path.basename(program).upper()], program)
        os.chmod(program, 0o755)
    safe = 0
    try:
        for number in range(worlds):
            print(f"world {seed + number}", flush=True) if os.environ.get("VERBOSE") else None
            safe += check(seed + number, other_disk)
    finally:
        if other_disk is not None:
            shutil.rmtree(other_disk, ignore_errors=True)
    print(f"{worlds} worlds, {safe} wiped without a loss")
    if worlds >= 50 and not worlds / 20 < safe < worlds:
        sys.exit("FAILED: too few or too many worlds were safe to wipe")


main()
