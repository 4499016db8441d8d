#!/usr/bin/env python3
"""Kills acts on copies 200 times: no content is lost, the journal is right, and undo restores every file and
leaves no other name. Undo is also killed, and all of this is repeated without renames that keep existing files.

apply_killed.py LIBRARY [BTRFS]: kills with the library of act/killer.c before each call that changes something,
in one run after another; then at random moments. With the folder BTRFS, only while reflinks are made there.
Needs SIMKEEP and SIMHASH. The action "folders" deletes all files of some folders, so that these are removed, too,
"tree" moves files into a new tree and deletes the others, and "far" does so on another file system. Some files have
another name in another folder, which undo must find, and for "far", one moves together with another name.
The seed is printed; $SIMHASH_TEST_SEED sets another one."""
import contextlib
import fcntl
import glob
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

KILLS, KILLS_AT_RANDOM = 200, 20
CONTENTS, COPIES = 3, 4
SIMKEEP, SIMHASH = os.environ["SIMKEEP"], os.environ["SIMHASH"]
# In memory, because a thousand waits for a disk would be slow.
folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
seed = int(os.environ.get("SIMHASH_TEST_SEED", "20261122"))
print("seed", seed)
dice = random.Random(seed)


def work_in(folder):
    global here, top, elsewhere, stays, journal, decisions, index, first_index
    top, elsewhere, stays, journal, decisions, index, first_index = (
        os.path.join(folder, name)
        for name in ("files", "moved", "stays", "journal", "decisions.json", "index", "first"))
    here = elsewhere
    os.environ["SIMHASH_DATABASE"] = "sqlite:" + index


def make_index():
    """The tree is always the same, except for inodes, so one index serves all runs."""
    if os.path.exists(first_index):
        os.remove(first_index)
    make()
    subprocess.run([SIMHASH, "-q", "--database=sqlite:" + first_index, top], check=True)
    with contextlib.closing(sqlite3.connect(first_index)) as database:
        database.execute("UPDATE file SET device = 0, inode = 0")
        database.commit()


def set_inodes():
    """simkeep must know the names of one file."""
    with contextlib.closing(sqlite3.connect(index)) as database:
        for here, _, names in os.walk(top):
            for name in names:
                status = os.lstat(os.path.join(here, name))
                database.execute("UPDATE file SET device = ?, inode = ? WHERE directory = ? AND name = ?",
                                 (status.st_dev, status.st_ino, os.fsencode(here), os.fsencode(name)))
        database.commit()


def indexed():
    with contextlib.closing(sqlite3.connect(index)) as database:
        return {os.fsdecode(os.path.join(*row[:2])): row[2]
                for row in database.execute("SELECT directory, name, content_hash FROM file")}


def make(with_index=False):
    for folder in (top, elsewhere, stays):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    for name in [journal, *glob.glob(index + "*")]:
        if os.path.exists(name):
            os.remove(name)
    if with_index:
        shutil.copy(first_index, index)
    files = []
    for content in range(contents):
        for copy in range(COPIES):
            path = os.path.join(top, f"d{copy}", "in" * (content % 2), f"c{content}")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(b"%d " % content * 20000)
            when = 10**18 + content * 10**9 + copy * 1001
            os.utime(path, ns=(when, when))
            # One copy cannot be a hard link.
            os.chmod(path, 0o600 if copy == COPIES - 1 else 0o640)
            if copy <= 1:
                os.link(path, os.path.join(stays, f"{content}.{copy}"))
            if copy == 0 and has_names:
                os.link(path, os.path.join(top, f"name{content}"))
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when // 10**9))
            files.append({"path": path, "host": socket.gethostname(), "size": os.path.getsize(path),
                          "mtime": f"{stamp}.{when % 10**9:09d}Z", "hash": f"{content:032x}",
                          "decision": "keep" if copy == content % COPIES else "give up"})
    for number, (here, _, _) in enumerate(os.walk(top, topdown=False)):
        os.chmod(here, 0o711 + number)
        os.utime(here, ns=(1, 10**17 + number))
    with open(decisions, "w") as out:
        json.dump({"format": "simfind decisions", "format_version": 1,
                   "groups": [{"id": "0", "files": files}]}, out)


def tree(folder, with_all=True):
    """The content of each file and, unless only the content counts, its mode, time and links."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            status = os.lstat(path)
            digest = hashlib.md5(open(path, "rb").read()).hexdigest()
            found[os.path.relpath(path, folder)] = (
                (digest, status.st_mode, status.st_mtime_ns, status.st_nlink) if with_all else digest)
    return found


def folders(folder):
    """The mode and the time of each directory below a folder."""
    found = {}
    for here, _, _ in os.walk(folder):
        status = os.lstat(here)
        found[os.path.relpath(here, folder)] = status.st_mode, status.st_mtime_ns
    return found


has_flags, contents = True, CONTENTS  # do renames support flags?
has_names = False  # has a file in the tree two names?


def run(*words, kill_after=None, kill_before=None):
    """Returns whether the program was killed, its status, and its messages."""
    environment = dict(os.environ)
    if kill_before is not None or not has_flags:
        environment.update(LD_PRELOAD=sys.argv[1], KILL_BEFORE=str(kill_before or 0))
    if not has_flags:
        environment.update(NO_EXCHANGE="1")
    if elsewhere != here:
        environment.update(KILL_MORE="1")
    process = subprocess.Popen([SIMKEEP, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment)
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    text = process.communicate()[1].decode()
    return process.returncode == -signal.SIGKILL, process.returncode, text


def lines():
    if not os.path.exists(journal):
        return []
    with open(journal, "rb") as text:
        return [json.loads(line) for line in text.read().split(b"\n")[:-1]]


def first_block(path):
    # FS_IOC_FIEMAP for one extent, which is written to the disk first
    with open(path, "rb") as file:
        found = fcntl.ioctl(file, 0xC020660B, struct.pack("=QQLLLL", 0, 2**63, 1, 0, 1, 0) + bytes(56))
    return struct.unpack_from("=QQ", found, 32)[1]


def check_journal(before, action):
    """Every act that the journal calls done is done, and no act is done without an entry before it."""
    begun, over = {}, {}
    for line in lines()[1:]:
        if line["state"] != "end":
            (begun if line["state"] == "begin" else over)[line["act"]] = line
    # Acts are done in order; the act after the completed ones may be incomplete.
    assert sorted(begun) == list(range(1, len(begun) + 1)) and sorted(over) == list(range(1, len(over) + 1)), (begun, over)
    touched = {os.path.relpath(line["path"], top) for number, line in begun.items() if number <= len(over) + 1}
    now = tree(top)
    assert set(before_folders) - set(folders(top)) <= touched, "a folder is removed without an entry"
    for path, was in before.items():
        if path in touched:
            continue
        # Kept files have more links.
        assert path in now and now[path][:3] == was[:3], (path, was, now.get(path))
    for number, line in over.items():
        path, state = os.path.relpath(line["path"] if "path" in line else begun[number]["path"], top), line["state"]
        if begun[number]["action"] == "copy":
            copied = os.path.exists(begun[number]["to"]) or path not in now
            assert copied or state == "left" or number < len(begun), line
        elif begun[number]["action"] in ("mkdir", "rmdir"):
            assert state == "done" and os.path.isdir(begun[number]["path"]) == (begun[number]["action"] == "mkdir"), line
        elif action == "hardlink":
            same = os.path.samefile(os.path.join(top, path), begun[number]["kept"])
            assert same == (state == "done"), line
        elif action == "reflink":
            blocks = [first_block(name) for name in (os.path.join(top, path), begun[number]["kept"])]
            assert state == "done" and blocks[0] == blocks[1], (line, blocks)
        else:
            assert (path in now) == (state == "left"), line
        if begun[number]["action"] == "move" and state == "done":
            assert os.path.exists(begun[number]["to"]), line
    return len(begun), len(over)


def check_contents(before, action):
    """No content is lost, and a name that is only replaced always exists."""
    now = tree(top, False)
    contents = set(now.values()) | set(tree(elsewhere, False).values())
    assert {was[0] for was in before.values()} <= contents, "a content is lost"
    if action == "hardlink":
        for path, was in before.items():
            assert now.get(path) == was[0], path
    if action == "reflink":
        assert tree(top) == before, "a reflink changes more than blocks"
    return [path for path in now if re.search(r"\.simkeep-[0-9a-f]{16}$", path)]


def act(action, **kill):
    global before_folders
    global elsewhere
    elsewhere = far if action == "far" else here
    make(with_index=action in ("folders", "tree", "far"))
    if has_names:
        set_inodes()
    before, before_folders = tree(top), folders(top)
    words = ["--decisions=" + decisions, "--action=" + ("move:" + elsewhere if action == "move" else action)]
    if action == "folders":
        words = ["--keep=in:" + os.path.join(top, "d0"), "--action=delete", top]
    if action in ("tree", "far"):
        words = ["--into=" + os.path.join(elsewhere, "new", "tree"), "--action=delete", top]
    killed, status, text = run(*words, "--yes", "--journal=" + journal, **kill)
    if not killed:
        assert status == (2 if action == "hardlink" else 0), text
    beside = check_contents(before, action)
    begun, over = check_journal(before, action)
    return killed, before, begun, over, beside


def undo(before, **kill):
    """Returns whether it was killed before its end; then it runs again."""
    killed = False
    if not lines():
        return killed
    gone = set(before_folders) - set(folders(top))
    if kill:
        killed = run("--undo=" + journal, "--yes", **kill)[0]
        check_contents(before, "undo")
    asks = dice.random() < 0.25
    said = run("--undo=" + journal)[2] if asks else ""
    status, text = run("--undo=" + journal, "--yes")[1:]
    assert status == 0, text
    text = re.sub(r"simkeep: to update the index, [^\n]*\n$", "", text)
    # A dry run announces exactly what a real run does.
    counts = [re.findall(r"(\d+) (?:file|folder|name)", summary.splitlines()[-1]) for summary in (said or text, text)]
    assert counts[0] == counts[1], (said, text)
    if os.path.exists(index):
        rows = indexed()
        assert set(rows) == {os.path.join(top, path) for path in before}, (sorted(rows), text)
        hashes = {(rows[os.path.join(top, path)], was[0]) for path, was in before.items()}
        assert len(hashes) == contents, "a row has the hash of another content"
    after = tree(top)
    assert set(after) == set(before), (sorted(set(after) - set(before)), text)
    assert os.listdir(elsewhere) == [], (os.listdir(elsewhere), text)
    found = folders(top)
    for path, was in before_folders.items():
        assert found[path][0] == was[0] and (path not in gone or found[path] == was), (path, was, found, text)
    assert after == before, "undoing has not restored the tree"
    text = run("--undo=" + journal, "--yes")[2] if asks else ""
    assert not asks or text.endswith("restored 0 files\n"), text
    return killed


def before_each_call(action):
    kills = moments = 0
    killed = True
    while killed:
        moments += 1
        killed, before, _, _, _ = act(action, kill_before=moments)
        kills += killed + undo(before, kill_before=dice.randint(1, 6))
    assert moments > 5 * contents, "too few calls were seen"
    killed, moments = action != "reflink", 0  # undo changes nothing for reflinks
    while killed:
        moments += 1
        killed = undo(act(action)[1], kill_before=moments)
        kills += killed
    return kills


def without_flags():
    """A kill leaves the most names if a link and a removal replace a rename."""
    global has_flags, contents
    has_flags, contents = False, 1
    kills = sum(before_each_call(action) for action in ("hardlink", "delete", "move"))
    has_flags, contents = True, CONTENTS
    return kills


def to_another_file_system():
    """Returns the number of kills; None: there is only one file system."""
    global far, has_flags, has_names, contents
    with tempfile.TemporaryDirectory(prefix="simhash-test.") as folder_there:
        far = os.path.join(folder_there, "far")
        if os.stat(folder_there).st_dev == os.stat(top).st_dev:
            return None
        contents, has_names = 1, True
        make_index()
        kills = before_each_call("far")
        has_flags = False
        kills += before_each_call("far")
        has_flags, has_names, contents = True, False, CONTENTS
        make_index()
        return kills


actions = ("hardlink", "move", "folders", "tree")


def main():
    work_in(sys.argv[2] if len(sys.argv) > 2 else folder.name)
    if len(sys.argv) > 2:
        print(f"{before_each_call('reflink')} kills before a call while reflinks are made")
        return
    make_index()
    kills = sum(before_each_call(action) for action in actions) + without_flags()
    print(f"{kills} kills before a call")
    kills_far = to_another_file_system()
    print("there is no other file system" if kills_far is None else f"{kills_far} kills of moves to another one")
    took = {}
    for action in actions:
        begun = time.monotonic()
        act(action)
        took[action] = time.monotonic() - begun
    at_random = runs = 0
    while at_random < KILLS_AT_RANDOM or kills + at_random < KILLS:
        action = actions[runs % len(actions)]
        killed, before, _, _, _ = act(action, kill_after=dice.uniform(0, took[action]))
        at_random += killed + undo(before, kill_after=dice.uniform(0, took[action]))
        runs += 1
        assert runs < 3 * KILLS, "too few runs are killed"
    print(f"{at_random} kills at random moments of {runs} runs")


sys.exit(main())
