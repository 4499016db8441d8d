#!/usr/bin/env python3
"""Kills simhash, and servers, at random moments, and compares the results with the results of
undisturbed runs.

    kills.py       in the environment of on_engine.sh, with SIMHASH

KILLS runs are killed (default 200, on a server 70), and also KILLS / 6 servers. After each kill, the
index must be undamaged and contain no wrong row. Some runs are killed again without a check, and the
next run must complete the index. With KILLS_SERVERS_ONLY, only servers are killed.
"""
import os
import random
import signal
import sqlite3
import subprocess
import time

from common import (ENGINE, INDEX, INDEXES, SIMHASH, TREE, URL, make_states, make_tree, on_server, reset, rows,
                    stop)

KILLS = int(os.environ.get("KILLS", "200" if ENGINE == "sqlite" else "70"))
SEED = int(os.environ.get("KILLS_SEED", str(time.time_ns() % 1000000)))
COMMAND = [SIMHASH, "-z", TREE]
ENVIRONMENT = dict(os.environ, SIMHASH_DATABASE=URL)
rng = random.Random(SEED)
tally = {}


def start(options=()):
    return subprocess.Popen(COMMAND + list(options), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def complete(what, expected):
    run = start()
    message = run.communicate(timeout=120)[1]
    if run.returncode != 0:
        stop(what, "cannot be run again:", message)
    found = rows()
    if found != expected:
        stop(what, "and run again gives other rows:", [key for key in found.keys() | expected.keys()
                                                       if found.get(key) != expected.get(key)])
    if ENGINE == "sqlite":
        connection = sqlite3.connect(INDEX)
        names = [name for (name,) in connection.execute(INDEXES)]
        connection.close()
        if names != ["file_cell", "file_uniform"]:
            stop(what, "leaves the indexes", names)
    elif on_server("SELECT COUNT(*) FROM simhash.file WHERE LENGTH(path_hash) <> 16") != [("0",)]:
        stop(what, "leaves paths without a hash")


def check_rows(what, before, expected, has_old):
    for key, row in rows().items():
        right = expected.get(key, ())
        updated = right[:10] + ("0", "") + right[12:13] + ("0",) + right[14:] if has_old else right
        not_looked_into = right[:13] + ("0",) + right[14:]
        if row not in (right, updated, not_looked_into, before.get(key)):
            stop(what, "leaves a row that is wrong:", row, "instead of", right)


def undisturbed(state):
    reset(state)
    before = rows()
    begin = time.monotonic()
    run = start()
    if run.communicate()[1] is None or run.returncode != 0:
        stop("undisturbed, simhash ends with", run.returncode)
    return before, rows(), time.monotonic() - begin


def kill_runs(states):
    known = {state: undisturbed(state) for state in states}
    for number in range(KILLS):
        state = rng.choice(states)
        before, expected, seconds = known[state]
        what = "kill %d of seed %d, from state %s" % (number, SEED, state)
        reset(state)
        for _ in range(rng.randrange(1, 4)):
            run = start(["--force"] if state == "whole" else [])
            time.sleep(rng.random() ** 1.5 * 1.1 * seconds)
            run.kill()
            run.communicate()
            ended = "in time" if run.returncode == 0 else "killed"
            if run.returncode not in (0, -signal.SIGKILL):
                stop(what, "ends with", run.returncode)
            tally[ended] = tally.get(ended, 0) + 1
        # Checking opens the index, so the engine rolls back; half of the time simhash does so
        # first.
        if rng.random() < 0.5:
            check_rows(what, before, expected, state == "old")
        complete(what, expected)


class Server:
    """The server of on_engine.sh, which is killed and started again with the same options."""

    def __init__(self):
        pid = int(os.environ["MARIADB_SERVER_PID"])
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            self.command = file.read().decode().split("\0")[:-1]
        # Committed rows must survive the end of the server process.
        self.command = ["setpriv", "--pdeathsig", "KILL"] + self.command + ["--innodb-flush-log-at-trx-commit=2"]
        os.kill(pid, signal.SIGTERM)
        while os.path.exists("/proc/%d/fd/0" % pid):
            time.sleep(0.05)
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if subprocess.run(["mariadb", "-e", "SELECT 1"], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.05)
        stop("the server does not start again")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        self.process.wait()


def kill_servers(states):
    server = Server()
    known = {state: undisturbed(state) for state in states}
    for number in range(KILLS // 6):
        state = rng.choice(states)
        before, expected, seconds = known[state]
        what = "kill %d of a server, of seed %d, from state %s" % (number, SEED, state)
        reset(state)
        waits = rng.random() < 0.5
        run = start(["--wait-server=60"] if waits else [])
        time.sleep(rng.random() * seconds)
        server.kill()
        if waits:
            server.start()
        message = run.communicate(timeout=120)[1].decode()
        if run.returncode not in ((0,) if waits else (0, 1)) or (run.returncode == 1 and "mysql://" not in message):
            stop(what, "ends with", run.returncode, message)
        tally["server"] = tally.get("server", 0) + 1
        if not waits:
            server.start()
        found = rows()
        if run.returncode == 0 and found != expected:
            stop(what, "is done, but rows are missing or wrong")
        check_rows(what, before, expected, False)
        complete(what, expected)
    server.end()


make_tree(copies=12)
make_states()
if "KILLS_SERVERS_ONLY" not in os.environ:
    kill_runs([None, "changed", "whole"] + (["old"] if ENGINE == "sqlite" else []))
if ENGINE == "mysql":
    kill_servers([None, "changed"])
print(", ".join("%d %s" % (count, what) for what, count in sorted(tally.items())), "and every index is whole")
