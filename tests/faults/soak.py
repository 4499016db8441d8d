#!/usr/bin/env python3
"""Runs for a long time on a changing tree, and checks that nothing grows.

    soak.py       in the environment of on_engine.sh, with SIMHASH and SIMFIND

For SOAK_SECONDS (default 20), files are added, changed and removed. One simhash runs all the time and
gets a list of files to index; other processes walk the tree, and simfind lists its pairs, one after
another. The memory and descriptors of the first process, the peak memory of each of the others, and
the size of the index must be the same in the last third as in the second. The log of an index in a
file, which is emptied only when nobody reads it, must stay below a limit. At the end, the index must
equal the index of a first run.
"""
import os
import random
import subprocess
import sys
import time

from common import ENGINE, FOLDER, INDEX, SIMHASH, TREE, URL, on_server, reset, rows, stop

SIMFIND = os.environ["SIMFIND"]
SECONDS = float(os.environ.get("SOAK_SECONDS", "20"))
ENVIRONMENT = dict(os.environ, SIMHASH_DATABASE=URL)
FILES, DIRECTORIES = 1500, 40
# Eight times the size of the log at which SQLite tries to empty it, and less than its size at the
# end if it were never emptied.
MOST_LOG_KIB = 32 << 10
rng = random.Random(7)
words = [b"%d and so on, " % i for i in range(500)]


def write(path):
    with open(path, "wb") as file:
        file.write(b"".join(rng.choice(words) for _ in range(rng.randrange(1, 600))))


def path_of(number):
    return os.path.join(TREE, "d%d" % (number % DIRECTORIES), "f%d.txt" % number)


def change(numbers):
    for number in numbers:
        path = path_of(number)
        if rng.random() < 0.2 and os.path.exists(path):
            os.remove(path)
        else:
            write(path)


def run(command):
    """Returns its peak memory in KiB."""
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        stop(" ".join(command), "ends with", process.returncode, message)
    return usage.ru_maxrss


def memory_of(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def log_kib():
    return os.path.getsize(INDEX + "-wal") // 1024 if os.path.exists(INDEX + "-wal") else 0


def index_kib():
    if ENGINE == "sqlite":
        return os.path.getsize(INDEX) // 1024
    return int(on_server("SELECT CAST(SUM(data_length + index_length) / 1024 AS SIGNED) FROM information_schema.tables"
                         " WHERE table_schema = 'simhash'")[0][0])


for directory in range(DIRECTORIES):
    os.makedirs(os.path.join(TREE, "d%d" % directory))
change(range(FILES))
reset(None)
run([SIMHASH, "-q", TREE])
staying = subprocess.Popen([SIMHASH, "-q", "--files0-from=-"], env=ENVIRONMENT, stdin=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
names = ("memory of the run that stays", "descriptors of the run that stays", "memory of a walk", "memory of simfind",
         "size of the index", "log of the index")
samples = []
begin = time.monotonic()
while time.monotonic() - begin < SECONDS or len(samples) < 9:
    changed = rng.sample(range(FILES), 100)
    change(changed)
    staying.stdin.write(b"".join(path_of(number).encode() + b"\0" for number in changed
                                 if os.path.exists(path_of(number))))
    staying.stdin.flush()
    walk = run([SIMHASH, "-q", TREE])
    find = run([SIMFIND, "-q", "-T", "5", "-o", os.path.join(FOLDER, "pairs")])
    if staying.poll() is not None:
        stop("the run that stays ends with", staying.returncode, staying.stderr.read())
    samples.append((memory_of(staying.pid), len(os.listdir("/proc/%d/fd" % staying.pid)), walk, find, index_kib(),
                    log_kib()))
staying.stdin.close()
message = staying.stderr.read()
if staying.wait() != 0:
    stop("the run that stays ends with", staying.returncode, message)

third = len(samples) // 3
grown = []
for i, name in enumerate(names):
    # A directory is open while there is work in it, and on a busy machine, more work waits.
    pick = min if "descriptors" in name else max
    before = pick(sample[i] for sample in samples[third:2 * third])
    after = pick(sample[i] for sample in samples[2 * third:])
    print("%-36s %8d then %8d" % (name, before, after))
    # Memory is allocated in pieces, and an index has pages that wait to be used again.
    if "log" in name:
        if after > MOST_LOG_KIB:
            grown.append("%s takes %d and may take %d" % (name, after, MOST_LOG_KIB))
    elif after > before * 1.1 + (DIRECTORIES if "descriptors" in name else 2048):
        grown.append("%s grows from %d to %d" % (name, before, after))
if grown:
    stop("; ".join(grown))
run([SIMHASH, "-q", TREE])
found = rows()
reset(None)
run([SIMHASH, "-q", TREE])
if rows() != found:
    stop("the index differs from a first run")
print("%d rounds in %d s" % (len(samples), time.monotonic() - begin))
sys.exit(0)
