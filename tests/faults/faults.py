#!/usr/bin/env python3
"""Makes each allocation, read, write, open, stat and database call of the programs fail in
turn, with the preloaded library of faults.c, and compares the results with the results of
undisturbed runs.

    faults.py LIBRARY      in the environment of on_engine.sh, with SIMHASH, SIMFIND and SIMKEEP

If a task has more than FAULTS_EACH calls (default 3) of one class, this many are chosen,
evenly spread; FAULTS_EACH=0 makes every call fail.

After any failure, the program must end by itself with one of its statuses and, unless that
is 0, a message. It must release the same memory and files as in an undisturbed run, leave an
undamaged index with only complete and right rows and, if it ends with 0, have done
everything. Another run without a fault must complete the index.
"""
import errno
import gzip
import os
import re
import sqlite3
import subprocess
import sys

from common import (ENGINE, FOLDER, INDEX, INDEXES, SIMHASH, TREE, URL, answer, keep, make_states, make_tree, remove_index,
                    reset, rows, stop)

sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "cli"))
import containers as made  # noqa: E402  pylint: disable=wrong-import-position

LIBRARY = sys.argv[1]
SIMFIND = os.environ["SIMFIND"]
SIMKEEP = os.environ["SIMKEEP"]
EACH = int(os.environ.get("FAULTS_EACH", "3"))
# The usual error of a call, and the errors of a network file system whose server has lost the file or
# the connection.
LOST = (None, errno.ESTALE, errno.ENOTCONN)
OTHER, OUTPUT = os.path.join(FOLDER, "other.db"), os.path.join(FOLDER, "output")
REPORT = os.path.join(FOLDER, "report")


# ---- Running ----

def run(command, fault=None, error=None, swap=None):
    environment = dict(os.environ, FAULT_REPORT=REPORT, LD_PRELOAD=LIBRARY, SIMHASH_DATABASE=URL)
    if fault is not None:
        environment["FAULT"] = fault
    if error is not None:
        environment["FAULT_ERROR"] = str(error)
    if swap is not None:
        environment["FAULT_SWAP"], environment["FAULT_LINK"] = swap
    if os.path.exists(REPORT):
        os.remove(REPORT)
    what = "%s of '%s'" % (fault, " ".join(command))
    try:
        result = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False,
                                stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        stop(what, "hangs")
    if result.returncode not in (0, 1, 2, 3):
        stop(what, "ends with", result.returncode, result.stderr)
    known = (b"simhash: ", b"simfind: ", b"simkeep: ", b" scanned", b" pairs", b" groups", b" copied", b" removed", b" reaches",
             b" Indexed: ", b" a copy", b" copies", b" another.", b" match", b"; edit it before you run it", b"stored in the index: ", b" left out, as reported above",
             b" must stay: ", b" can be deleted", b"But not all together: ")
    for line in result.stderr.splitlines():
        if not any(part in line for part in known):
            stop(what, "says", line)
    if result.returncode != 0 and b": " not in result.stderr:
        stop(what, "ends with", result.returncode, "and says", result.stderr)
    report = {}
    if os.path.exists(REPORT):
        with open(REPORT, encoding="ascii") as file:
            for line in file:
                name, value = line.split()
                report.setdefault(name, value)
    return result, report


class Task:
    """A command, the state in which it begins, and the values to compare with the undisturbed run."""

    def __init__(self, name, state, command, writes=False, output=None):
        self.name, self.state, self.command = name, state, command
        self.writes, self.output = writes, output
        self.waits = command[0] == SIMHASH and TREE in command
        self.path = OTHER if name == "copy" else INDEX

    success = 0

    def is_right(self, found):
        return found == self.expected

    def begin(self):
        reset(self.state) if self.writes else None
        remove_index(OTHER)
        if os.path.exists(OUTPUT):
            os.remove(OUTPUT)

    def result(self, result):
        if self.writes:
            return rows(self.path)
        if self.output:
            if not os.path.exists(self.output):
                return None
            with open(self.output, "rb") as file:
                return re.sub(rb"\"made\":\"[^\"]*\"", b"now", file.read())
        return result.stdout

    def undisturbed(self):
        reset(self.state)
        self.begin()
        self.before = self.result(None) if self.writes else {}
        result, report = run(self.command)
        if result.returncode != self.success:
            stop(self.name, "undisturbed ends with", result.returncode, result.stderr)
        self.expected = self.result(result)
        if not self.expected:
            stop(self.name, "undisturbed does nothing")
        self.counts = {name: int(value) for name, value in report.items() if name != "at"}
        self.report = report

    def disturbed(self, fault, error=None, must_succeed=False):
        what = "%s of task %s" % (fault, self.name)
        self.begin()
        result, report = run(self.command, fault, error)
        if not report:
            stop(what, "left no report", result.stderr)
        for held in ("live", "descriptors"):
            if int(report[held]) > int(self.report[held]):
                stop(what, "ends with", result.returncode, result.stderr, "and holds", held, report[held],
                     "instead of", self.report[held], "first at", report.get("at"))
        found = self.result(result)
        if must_succeed and result.returncode != self.success:
            stop(what, "ends with", result.returncode, result.stderr)
        if result.returncode == self.success and not self.is_right(found):
            stop(what, "succeeds, but the result is another", result.stderr, self.differences(found))
        if result.returncode == 0 and self.success != 0:
            stop(what, "ends with 0, as if nothing was missing", result.stderr)
        if self.writes:
            for key, row in found.items():
                right = self.expected.get(key, ())
                # After an update from the first version, there is no number of links and no sketch,
                # and the file was not opened for members.
                updated = right[:10] + ("0", "") + right[12:13] + ("0",) + right[14:] if self.name == "update" else right
                not_looked_into = right[:13] + ("0",) + right[14:]
                if row not in (right, updated, not_looked_into, self.before.get(key)):
                    stop(what, "leaves a row that is wrong:", row, "instead of", self.expected.get(key))
            # Forgetting again fails, because nothing is left.
            if result.returncode != 0 and not (self.name == "forget" and found == self.expected):
                again, _ = run(self.command)
                if again.returncode != 0:
                    stop(what, "cannot be run again:", again.stderr)
                if self.result(again) != self.expected:
                    stop(what, "and run again gives another result:", self.differences(self.result(again)))
            if ENGINE == "sqlite" and self.path == INDEX:
                connection = sqlite3.connect(INDEX)
                names = [name for (name,) in connection.execute(INDEXES)]
                connection.close()
                if names != ["file_cell", "file_uniform"]:
                    stop(what, "leaves the indexes", names)
        return result.returncode

    def differences(self, found):
        if not self.writes:
            return (found or b"")[-500:], self.expected[-500:]
        return {key: (found.get(key), self.expected.get(key))
                for key in found.keys() | self.expected.keys() if found.get(key) != self.expected.get(key)}


class MissingTask(Task):
    """Faults can make more files missing, but never fewer, and more directories must stay."""

    success = 3

    def result(self, result):
        stays = {b"stays " + line.split(b" must stay: ")[0] for line in result.stderr.splitlines() if b" must stay: " in line}
        return set(result.stdout.split(b"\0")) | stays

    def is_right(self, found):
        return not self.differences(found)

    def differences(self, found):
        """A directory that cannot be read stands for its files."""
        return [path for path in self.expected
                if not any(path == other or path.startswith(other + b"/") for other in found)]


class StoreTask(Task):
    """The views must show the old answer or the new one."""

    def begin(self):
        super().begin()
        run([SIMFIND, "-q", "--store", "--between", os.path.join(TREE, "a"), os.path.join(TREE, "a")])

    def result(self, result):
        return {"answer": answer()}

    def undisturbed(self):
        super().undisturbed()
        if self.before == self.expected:
            stop("both answers are the same")


def choose(count, most=EACH):
    if most == 0 or count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})


make_tree()
make_states()
one_file = os.path.join(TREE, "a", "file1.txt")
tasks = [
    Task("first", None, [SIMHASH, "-z", TREE], writes=True),
    Task("rescan", "changed", [SIMHASH, "-z", "--ignore-files", TREE], writes=True),
    Task("measures", "changed", [SIMHASH, "--measure=minhash", "--measure=simhash64:words", TREE], writes=True),
    Task("forget", "whole", [SIMHASH, "--forget", os.path.join(TREE, "c")], writes=True),
    Task("copy", "whole", [SIMHASH, "--copy-to=sqlite:" + OTHER], writes=True),
    Task("status", "whole", [SIMHASH, "--status"]),
    Task("print", "whole", [SIMHASH, "--print", one_file, os.path.join(TREE, "large.bin")]),
    Task("pairs", "whole", [SIMFIND, "--format=csv"]),
    Task("file", "whole", [SIMFIND, "--format=jsonl", one_file]),
    Task("compare", "whole", [SIMFIND, "--compare", one_file, os.path.join(TREE, "a", "file2.txt")]),
    Task("groups", "whole", [SIMFIND, "--group", "--verify=all"]),
    Task("report", "whole", [SIMFIND, "--format=html", "-o", OUTPUT], output=OUTPUT),
    MissingTask("missing", "whole", [SIMFIND, "--missing", "--format=null", os.path.join(TREE, "a"), os.path.join(TREE, "c")]),
    Task("script", "whole", [SIMKEEP, "--action=script:" + OUTPUT], output=OUTPUT),
]
tasks.append(StoreTask("store", "whole", [SIMFIND, "--store"], writes=True))
if ENGINE == "sqlite":
    tasks.insert(2, Task("update", "old", [SIMHASH, "-z", TREE], writes=True))
classes = ["memory", "read", "write", "stream", "open", "status", "directory", "sync", "map", "thread", "sqlite"]
if ENGINE == "mysql":
    # Calls below the database were tested with SQLite. MariaDB's library ends the program itself if
    # some allocations fail while it connects.
    classes = ["own", "mysql"]
only = os.environ.get("FAULTS_ONLY")
if only is not None:
    tasks = [task for task in tasks if task.name in only.split(",")]

tally = {}
for task in tasks:
    # All tasks take hours, so print the progress.
    print("%s, after %d faults" % (task.name, sum(tally.values())), flush=True)
    task.undisturbed()
    for kind in classes:
        for number, call in enumerate(choose(task.counts[kind])):
            error = LOST[number % len(LOST)] if kind in ("open", "read", "status", "directory") else None
            status = task.disturbed("%s:%d" % (kind, call), error)
            tally[kind, status] = tally.get((kind, status), 0) + 1
    if ENGINE == "mysql":
        for call in choose(task.counts["mysql"]):  # a deadlock is tried again
            status = task.disturbed("mysql:%d" % call, error=1213)
            tally["deadlock", status] = tally.get(("deadlock", status), 0) + 1
        # A server that does not answer while a program connects also counts as lost.
        if task.name == "first":
            for call in range(1, 13):
                result, _ = run(task.command, "silent:%d" % call)
                if result.returncode != 1 or b"read-timeout in an option file says how long" not in result.stderr:
                    stop("silent:%d" % call, "ends with", result.returncode, result.stderr)
        if task.waits:
            task.command.append("--wait-server=60")
            # A connection that is cut at any place is opened again.
            for call in choose(task.counts["lost"], 6 * EACH):
                task.disturbed("lost:%d" % call, must_succeed=True)
                tally["lost", 0] = tally.get(("lost", 0), 0) + 1
        continue
    # From some moment on, the disk is full, or nothing can be read or opened.
    for kind in ("write", "stream", "sync", "read", "open", "memory"):
        for call in choose(task.counts[kind])[::3]:
            status = task.disturbed("%s:%d+" % (kind, call))
            tally[kind + " from then on", status] = tally.get((kind + " from then on", status), 0) + 1
    # A signal interrupts every other call, every read is short, and the clock jumps.
    for order, error in (("read:2/", 4), ("open:2/", 4), ("write:2/", 4), ("short:1/", None), ("clock:1/", None),
                         ("clock:2/", None)):
        task.disturbed(order, error, must_succeed=True)
        tally[order, 0] = tally.get((order, 0), 0) + 1


def swaps():
    """Before each file or directory is opened, replace it by a link to the outside."""
    outside, link = os.path.join(FOLDER, "outside"), os.path.join(FOLDER, "link")
    os.mkdir(outside)
    for name in ("file2.txt", "some.txt.gz", "b"):
        with open(os.path.join(outside, name), "wb") as file:
            file.write(gzip.compress(b"outside" * 99) if name.endswith("gz") else b"outside" * 77)
    for victim in ("a", "a/b", "a/file2.txt", "c/some.txt.gz"):
        path = os.path.join(TREE, victim)
        target = outside if os.path.isdir(path) else os.path.join(outside, os.path.basename(path))
        for call in range(1, tasks[0].counts["swap"] + 1):
            os.symlink(target, link)
            reset(None)
            run([SIMHASH, "-z", TREE], "swap:%d" % call, swap=(path, link))
            for row in rows().values():
                if row[6] in ("539", "693"):
                    stop("swap %d of %s: a file of outside is in the index: %s" % (call, victim, row))
            if os.path.exists(path + ".kept"):
                os.remove(path)
                os.rename(path + ".kept", path)
                tally["swap", 0] = tally.get(("swap", 0), 0) + 1
            else:
                os.remove(link)


# ---- Looking into containers ----

CONTAINED = os.path.join(FOLDER, "contained")


def make_containers():
    """One container of each kind, after other bytes and inside another one, and parts of volumes that are left out."""
    folder = os.path.join(FOLDER, "made")
    made.left(folder)
    text = "\n".join(made.sentences(made.random.Random(1), 50))
    more = {"letter.docx": made.zipped(made.docx(text.split("\n"))), "file.txt": text.encode(), "file.cmd": text.encode(),
            "inside.tar": made.tarred([("side.zip", made.zipped([("a.txt", text)]))]), "blob": gzip.compress(text.encode())}
    for name, data in more.items():
        made.write(os.path.join(folder, "more", name), data)
    os.mkdir(CONTAINED)
    for directory, _, names in os.walk(folder):
        for name in names:
            os.rename(os.path.join(directory, name), os.path.join(CONTAINED, name))
    os.link(os.path.join(CONTAINED, "initrd"), os.path.join(CONTAINED, "link"))


def date_containers(second):
    for name in os.listdir(CONTAINED):
        os.utime(os.path.join(CONTAINED, name), (second, second))


def by_file(paths_and_lines):
    """The rows of each file of CONTAINED and of its members."""
    found = {name: set() for name in os.listdir(CONTAINED)}
    for path, line in paths_and_lines:
        name = re.search(re.escape(CONTAINED) + "/([^/]*)", path)
        if name:
            found[name[1].split(": ")[0]].add(line)
    return found


def known_of_files(_):
    return by_file((bytes.fromhex(row[3]).decode() + "/" + bytes.fromhex(row[4]).decode("latin1"), row) for row in rows().values())


def said_of_files(result):
    return by_file((line, line) for line in result.stderr.decode("latin1").splitlines())


def printed_of_files(result):
    blocks = re.split("\n(?=file  )", result.stdout.decode("latin1"))
    return by_file((block.split("\n")[0], block) for block in blocks)


def contained(command, state, known):
    """For each file, the Nth call to open it, to get its status or to read it fails."""
    reset(state)
    right, _ = run(command)
    if right.returncode != 0:
        stop("undisturbed, looking into containers ends with", right.returncode, right.stderr)
    expected, said = known(right), said_of_files(right)
    count = 0
    for kind in ("open", "status", "read"):
        call = failed = 1
        while failed > 0:
            fault = "%s:%d" % (kind, call)
            reset(state)
            result, report = run(command, fault)
            found, now_said = known(result), said_of_files(result)
            failed = int(report["failed"])
            count += failed
            call += 1
            for name in expected:
                news = now_said[name] - said[name]
                if (found[name], now_said[name]) != (expected[name], said[name]) and not (news and result.returncode == 2):
                    stop(fault, "of", name, state, "ends with", result.returncode, "says", news, "and leaves", found[name],
                         "instead of", expected[name], result.stderr.decode())
            if result.returncode == 0:
                continue
            again, _ = run(command)
            if again.returncode != 0 or known(again) != expected:
                stop(fault, state, "and run again", again.returncode, again.stderr)
    return count


def containers():
    make_containers()
    date_containers(1400000000)
    reset(None)
    run([SIMHASH, "-z", "--filter=cmd:cat", CONTAINED])
    keep("looked")
    date_containers(1500000000)
    reset(None)
    run([SIMHASH, CONTAINED])
    keep("unlooked")
    os.environ["FAULT_FILES"] = CONTAINED
    os.environ["SIMHASH_SANDBOX"] = "no"
    command = [SIMHASH, "-z", "--filter=cmd:cat", CONTAINED]
    tally["file", 2] = sum(contained(command, state, known_of_files) for state in (None, "looked", "unlooked"))
    names = [os.path.join(CONTAINED, name) for name in sorted(os.listdir(CONTAINED))]
    tally["printed", 2] = contained([SIMHASH, "-z", "--print", *names], None, printed_of_files)
    del os.environ["FAULT_FILES"], os.environ["SIMHASH_SANDBOX"]


if ENGINE == "sqlite" and only in (None, "containers"):
    containers()
if ENGINE == "sqlite" and tasks and tasks[0].name == "first":
    swaps()
for (kind, status), count in sorted(tally.items()):
    print("%-24s ends with %d: %5d" % (kind, status, count))
print("%d faults, and every result is whole" % sum(tally.values()))
