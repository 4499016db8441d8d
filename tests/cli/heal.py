#!/usr/bin/env python3
"""Heals planted damage with simkeep --heal: the tree is as before the damage, and undo restores the damaged tree.

heal.py [KILLER [FAULTS]]: also kills each run before calls that change something, with the library of act/killer.c,
and lets calls fail, with the library of faults.c. Needs SIMKEEP, SIMHASH, SIMFIND and SOURCE_DIR. The seed is
printed; $SIMHASH_TEST_SEED sets another one. $DAMAGES is the number of damaged files, and $HEAL_IN a directory for
them. With $ALL_KILLS, runs are killed before every call."""
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

SIMKEEP, SIMHASH, SIMFIND = (os.environ[name] for name in ("SIMKEEP", "SIMHASH", "SIMFIND"))
SCRUB = os.path.join(os.environ["SOURCE_DIR"], "tests/cli/scrub.py")
DAMAGES = int(os.environ.get("DAMAGES", "200"))
folder = tempfile.TemporaryDirectory(
    dir=os.environ.get("HEAL_IN") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
seed = int(os.environ.get("SIMHASH_TEST_SEED", random.randrange(10**6)))
print("seed", seed)
dice = random.Random(seed)
top, copies, journal, index = (os.path.join(folder.name, name) for name in ("files", "copies", "journal", "index"))
os.environ["SIMHASH_DATABASE"] = "sqlite:" + index


def run(*words, status=0, **more):
    done = subprocess.run(words, capture_output=True, env={**os.environ, **more})
    assert status is None or done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout.decode() + done.stderr.decode()


def sql(text):
    with contextlib.closing(sqlite3.connect(index)) as database:
        rows = database.execute(text).fetchall()
        database.commit()
    return rows


def attributes(path):
    try:
        return [(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path))]
    except OSError:
        return []


def tree(top):
    """Everything about a tree that healing must restore; hard links are the same files as before."""
    found, inodes = {}, {}
    for here, _, names in os.walk(top):
        for name in sorted(names):
            path = os.path.join(here, name)
            status = os.lstat(path)
            with open(path, "rb") as file:
                digest = hashlib.md5(file.read()).hexdigest()
            found[path] = (digest, status.st_size, status.st_mode, status.st_mtime_ns, status.st_uid, status.st_gid,
                           attributes(path))
            inodes.setdefault(status.st_ino, []).append(path)
    return found, sorted(sorted(group) for group in inodes.values() if len(group) > 1)


def make(count, links):
    for name in (top, copies):
        shutil.rmtree(name, ignore_errors=True)
    for name in os.listdir(folder.name):
        os.remove(os.path.join(folder.name, name))
    os.makedirs(os.path.join(top, "sub"))
    for i in range(count):
        size = dice.choice([20, 512, 4095, 4096, 4097, dice.randint(16, 40000), dice.randint(40000, 400000)])
        path = os.path.join(top, str(i))
        with open(path, "wb") as file:
            file.write(dice.randbytes(size) if dice.random() < 0.7 else b"%d text\n" % i * (size // 8 + 1))
            if i % 9 == 0:
                file.seek(600000, os.SEEK_CUR)
                file.write(b"after a hole")
        with contextlib.suppress(OSError):
            os.setxattr(path, "user.note", b"%d" % i)
        os.chmod(path, dice.choice([0o644, 0o600, 0o400, 0o755]))
        when = 10**18 + i * 1000000007
        os.utime(path, ns=(when, when))
    for i in range(links):
        os.link(os.path.join(top, str(i)), os.path.join(top, "sub", f"link {i}"))
        os.link(os.path.join(top, str(i)), os.path.join(top, f"link {i}"))
    shutil.copytree(top, copies, ignore=lambda here, names: [name for name in names if "link" in name])


def spoil(count):
    """Damage all files; the status time is not evidence, as if the disk had damaged them."""
    run(sys.executable, SCRUB, "damage", str(seed), *(os.path.join(top, str(i)) for i in range(count)))
    run(SIMHASH, "-q", "--scrub", status=3)
    sql("UPDATE damage SET status_moved = 0")


def healed(count, names):
    assert sql("SELECT COUNT(*) FROM damage") == [(0,)]
    run(SIMHASH, "-q", "--scrub")
    text = run(SIMHASH, top)
    assert "0 scanned" in text.replace("scanned 0", "0 scanned"), text


def check_all():
    links = max(2, DAMAGES // 20)
    make(DAMAGES, links)
    run(SIMHASH, "-q", top, copies)
    before = tree(folder.name)[0], tree(top)[1]
    before = tree(top)
    spoil(DAMAGES)
    damaged = tree(top)
    assert before != damaged
    names = DAMAGES + 2 * links
    said = run(SIMKEEP, "--heal")
    assert f"would heal {names} files" in said and tree(top) == damaged, said
    assert not os.path.exists(journal)
    said = run(SIMKEEP, "--heal", "--yes", "--journal=" + journal)
    assert f"healed {names} files" in said, said
    assert tree(top) == before
    assert os.stat(journal + ".bytes").st_mode & 0o777 == 0o600
    healed(DAMAGES, names)
    # Undo
    said = run(SIMKEEP, "--undo=" + journal)
    assert f"would restore {names} files" in said and tree(top) == before, said
    said = run(SIMKEEP, "--undo=" + journal, "--yes")
    assert f"restored {names} files" in said, said
    assert tree(top) == damaged
    assert "restored 0 files" in run(SIMKEEP, "--undo=" + journal, "--yes") and tree(top) == damaged
    # The index knows the damage again, and the rows of the files are right.
    assert sql("SELECT COUNT(*) FROM damage") == [(names,)]
    run(SIMHASH, "-q", "--scrub", status=3)
    assert sql("SELECT COUNT(*) FROM damage WHERE status_moved = 0") == [(names,)]
    # A program may have restored the time: only a named file is healed.
    sql("UPDATE damage SET status_moved = 1")
    number = sql("SELECT COUNT(*) FROM damage WHERE status_moved = 1")[0][0]
    said = run(SIMKEEP, "--heal", top, "--yes", "--journal=" + journal + "2", status=2)
    assert number == names and "healed 0 files" in said and tree(top) == damaged, (number, said)
    said = run(SIMKEEP, "--heal", os.path.join(top, "1000000"), status=1)
    last = os.path.join(top, str(DAMAGES - 1))
    said = run(SIMKEEP, "--heal", last, "--yes", "--journal=" + journal + "3")
    assert "healed 1 file " in said and tree(last) == tree(last), said
    assert hashlib.md5(open(last, "rb").read()).hexdigest() == before[0][last][0]


def refusals():
    make(12, 2)
    run(SIMHASH, "-q", top, copies)
    before = tree(top)
    spoil(12)
    damaged = tree(top)
    words = SIMKEEP, "--heal", "--yes"
    said = run(*words, "--journal=" + journal, "--protect=" + top, status=2)
    assert tree(top) == damaged and "left 16 alone" in said, said
    # Hard links outside of the chosen files, or that the index does not know
    os.link(os.path.join(top, "5"), os.path.join(folder.name, "outside"))
    # The intact copies change, are damaged too, or are missing.
    with open(os.path.join(copies, "2"), "r+b") as file:
        file.write(b"other")
    when = os.stat(os.path.join(top, "2")).st_mtime_ns
    os.utime(os.path.join(copies, "2"), ns=(when, when))
    os.remove(os.path.join(copies, "3"))
    os.utime(os.path.join(copies, "4"))
    # A file is edited honestly, and another one is right again.
    os.chmod(os.path.join(top, "6"), 0o600)
    with open(os.path.join(top, "6"), "ab") as file:
        file.write(b"more")
    os.chmod(os.path.join(top, "7"), 0o600)
    shutil.copyfile(os.path.join(copies, "7"), os.path.join(top, "7"))
    when = before[0][os.path.join(top, "7")][3]
    os.utime(os.path.join(top, "7"), ns=(when, when))
    os.chmod(os.path.join(top, "7"), before[0][os.path.join(top, "7")][2] & 0o777)
    size = os.path.getsize(os.path.join(top, "7"))
    # The clock runs on, but this file is as scrub found it.
    for name, found in ("5", os.path.getsize(os.path.join(top, "5"))), ("7", size):
        sql(f"UPDATE damage SET found_at_ns = found_at_ns + 1000000000000, found_size = {found} WHERE path_hash IN "
            f"(SELECT path_hash FROM file WHERE CAST(name AS TEXT) = '{name}' AND CAST(directory AS TEXT) = '{top}')")
    os.chmod(os.path.join(top, "9"), 0o777)
    left = {os.path.join(top, str(i)) for i in (2, 3, 4, 5, 6, 9)}
    expected = tree(top)[0]
    said = run(*words, "--journal=" + journal + "2", status=2)
    now = tree(top)[0]
    for path, was in before[0].items():
        assert now[path] == (expected[path] if path in left else was), (path, said)
    assert "is right again" in said and said.count("left alone") == 6 and "hard links that are not" in said, said
    assert now[os.path.join(top, "7")] == before[0][os.path.join(top, "7")]
    run(SIMKEEP, "--undo=" + journal + "2", "--yes")
    now = tree(top)[0]
    for path in now:
        if path not in (os.path.join(top, str(i)) for i in (6, 7, 9)):
            assert now[path] == damaged[0][path], path
    # Undo refuses a healed file that somebody has changed since, and saved bytes that are not the right ones.
    run(SIMHASH, "-q", "--scrub", status=3)
    sql("UPDATE damage SET status_moved = 0")
    run(*words, "--journal=" + journal + "3", status=2)
    os.chmod(os.path.join(top, "8"), 0o600)
    with open(os.path.join(top, "8"), "ab") as file:
        file.write(b"edited")
    with open(journal + "3.bytes", "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(bytes(byte ^ 255 for byte in content))
    now = tree(top)
    said = run(SIMKEEP, "--undo=" + journal + "3", "--yes", status=2)
    assert "changed since it was healed" in said and tree(top)[0][os.path.join(top, "8")] == now[0][os.path.join(top, "8")], said
    assert not [name for name in os.listdir(top) if name.startswith(".simkeep")]


def archives():
    make(3, 0)
    os.remove(os.path.join(copies, "0"))
    run("tar", "-C", top, "-cf", os.path.join(copies, "all.tar"), "0")
    run(SIMHASH, "-q", "-z", top, copies)
    before = tree(top)
    spoil(3)
    damaged = tree(top)
    said = run(SIMKEEP, "--heal", os.path.join(top, "0"), status=2)
    assert "--count-archives" in said and "all.tar//0" in said, said
    run(SIMKEEP, "--heal", "--count-archives", "--yes", "--journal=" + journal)
    assert tree(top) == before
    run(SIMKEEP, "--undo=" + journal, "--yes")
    assert tree(top) == damaged


def reset(saved):
    for name in (top, index, journal, journal + ".bytes", index + "-wal", index + "-shm"):
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.remove(name)
    subprocess.run(["cp", "-a", saved, top], check=True)
    shutil.copy(index + ".saved", index)
    sql("UPDATE file SET inode = 0")
    sql("UPDATE damage SET found_at_ns = found_at_ns + 1000000000000")


def act_and_undo(before, damaged, saved, act, undo):
    """Returns which of the two runs were killed."""
    reset(saved)
    words = [SIMKEEP, "--heal", "--yes", "--journal=" + journal]
    status = subprocess.run(words, capture_output=True, env={**os.environ, **act})
    killed = status.returncode == -signal.SIGKILL
    assert killed or (status.returncode == 0 and tree(top) == before), status
    for path, was in tree(top)[0].items():
        if ".simkeep-" not in path:
            assert was in (before[0][path], damaged[0][path]), (path, status)
    if not os.path.exists(journal) or os.path.getsize(journal) == 0 or not open(journal, "rb").read().endswith(b"\n"):
        assert tree(top) == damaged
        return killed, False
    more = subprocess.run([SIMKEEP, "--undo=" + journal, "--yes"], capture_output=True, env={**os.environ, **undo})
    run(SIMKEEP, "--undo=" + journal, "--yes")
    now = tree(top)
    assert now[0] == damaged[0], (more, now, damaged)
    assert now[1] == damaged[1] or "NO_EXCHANGE" in act, (now[1], damaged[1])
    return killed, more.returncode == -signal.SIGKILL


def kills(library, fast):
    make(2, 1)
    run(SIMHASH, "-q", top, copies)
    before = tree(top)
    spoil(2)
    damaged = tree(top)
    shutil.copy(index, index + ".saved")
    saved = os.path.join(folder.name, "saved")
    subprocess.run(["cp", "-a", top, saved], check=True)
    count = 0
    for more in ({}, {"NO_EXCHANGE": "1"}):
        before_call, is_killed = 1, True
        while is_killed:
            preload = {"LD_PRELOAD": library, "KILL_MORE": "1", **more}
            is_killed, other = act_and_undo(before, damaged, saved, {**preload, "KILL_BEFORE": str(before_call)},
                                            {**preload, "KILL_BEFORE": str(dice.randint(1, 12))})
            count += is_killed + other
            before_call += dice.randint(1, 4) if fast else 1
        before_call, is_killed = 1, True
        while is_killed:
            _, is_killed = act_and_undo(before, damaged, saved, dict(more, LD_PRELOAD=library, KILL_BEFORE="0"),
                                        {**preload, "KILL_BEFORE": str(before_call)})
            count += is_killed
            before_call += dice.randint(1, 4) if fast else 1
    assert count > 10, count
    print(count, "kills")
    shutil.rmtree(saved)


def fails(library):
    """Calls fail: each file is damaged or healed afterwards, and undo restores the damaged tree."""
    make(3, 1)
    run(SIMHASH, "-q", top, copies)
    before = tree(top)
    spoil(3)
    damaged = tree(top)
    shutil.copy(index, index + ".saved")
    saved = os.path.join(folder.name, "saved")
    subprocess.run(["cp", "-a", top, saved], check=True)
    failed = 0

    def fault(what, **files):
        reset(saved)
        words = [SIMKEEP, "--heal", "--yes", "--journal=" + journal]
        environment = dict(os.environ, LD_PRELOAD=library, FAULT=what, **files)
        done = subprocess.run(words, capture_output=True, env=environment)
        now = tree(top)[0]
        assert set(now) == set(before[0]), (what, done, set(now) - set(before[0]))
        for path, was in now.items():
            assert was in (before[0][path], damaged[0][path]), (what, path, done)
        assert done.returncode != 0 or now == before[0], (what, done)
        return done

    def restore(status=0):
        if os.path.exists(journal):
            run(SIMKEEP, "--undo=" + journal, "--yes", status=status)
        return tree(top)

    for kind in "write", "sync":
        for number in range(1, 40, 3):
            done = fault(f"{kind}:{number}")
            failed += done.returncode != 0
            assert not os.path.exists(journal) or done.returncode not in (0, 2) or restore() == damaged, (kind, number)
    # The copies cannot be read, or the damaged files: at first, or never.
    done = fault("read:1+", FAULT_FILES=copies)
    assert done.returncode == 2 and done.stderr.count(b"cannot be read: Input/output error") == 5, done
    assert tree(top) == damaged and not os.path.exists(journal + ".bytes")
    done = fault("read:1", FAULT_FILES=top)
    assert done.returncode == 0 and tree(top)[0] == before[0] and restore() == damaged, done
    done = fault("read:1+", FAULT_FILES=top)
    assert done.returncode == 0 and tree(top)[0] == before[0], done
    sizes = {path: was[1] for path, was in restore(None)[0].items()}
    assert sizes == {path: was[1] for path, was in damaged[0].items()}
    assert failed > 5, failed
    print(failed, "failures")
    shutil.rmtree(saved)


check_all()
refusals()
archives()
if len(sys.argv) > 1:
    kills(sys.argv[1], "ALL_KILLS" not in os.environ)
if len(sys.argv) > 2:
    fails(sys.argv[2])
