#!/usr/bin/env python3
"""Changes a tree while it is indexed, for moving.sh.

    mutator.py files TOP SEED      change the files of TOP in every way, until killed
    mutator.py swap PARENT NAME    exchange a directory of PARENT and the link NAME.link next to it,
                                   as fast as possible, until killed
    mutator.py directories TOP SEED rename, remove and make directories of TOP, until killed
    mutator.py watch DIRECTORY     watch until a signal ends it; then print how often a file or
                                   directory at or below DIRECTORY was opened
    mutator.py deep TOP DEPTH      make nested directories, some of them with two others next to them
    mutator.py many TOP COUNT      make files of up to 9 bytes
    mutator.py measure COMMAND...  run it; then print its peak memory in KiB

SPDX-License-Identifier: MIT
"""

import ctypes
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
RENAME_EXCHANGE = 2


def exchange(x, y, at=-100):  # AT_FDCWD
    """Exchange two names at once, or one after another if the system cannot."""
    if hasattr(libc, "renameat2"):
        if libc.renameat2(at, os.fsencode(x), at, os.fsencode(y), RENAME_EXCHANGE) == 0:
            return
        if ctypes.get_errno() not in (22, 38, 95):  # EINVAL, ENOSYS, EOPNOTSUPP
            raise OSError(ctypes.get_errno(), "exchange")
    at = None if at < 0 else at
    spare = x + ".spare"
    os.rename(x, spare, src_dir_fd=at, dst_dir_fd=at)
    os.rename(y, x, src_dir_fd=at, dst_dir_fd=at)
    os.rename(spare, y, src_dir_fd=at, dst_dir_fd=at)


def write(path, rng, flags=os.O_CREAT | os.O_TRUNC, at=None):
    """Never write through a link, so that nothing outside the tree changes."""
    fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | flags, 0o644, dir_fd=at)
    # Sizes rarely repeat, and none equals the size of a file outside.
    os.write(fd, rng.randbytes(8) * rng.randrange(1, 4000) + rng.randbytes(rng.randrange(1, 8)))
    os.close(fd)


def open_directory(path):
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def clear(path):
    """Remove the file, whatever type it has now."""
    try:
        os.unlink(path)
    except (IsADirectoryError, PermissionError):
        fd = open_directory(path)
        for name in os.listdir(fd):
            os.unlink(name, dir_fd=fd)
        os.close(fd)
        os.rmdir(path)
    except FileNotFoundError:
        pass


def become_fifo(path):
    clear(path)
    os.mkfifo(path)


def become_socket(path):
    clear(path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path)


def become_directory(path, rng):
    clear(path)
    os.mkdir(path)
    fd = open_directory(path)
    write("within", rng, at=fd)
    os.close(fd)


def become_link(path, target):
    clear(path)
    os.symlink(target, path)


def become_loop(path):
    become_link(path, os.path.basename(path))


def truncate(path, rng):
    fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    os.ftruncate(fd, rng.randrange(1, 1 + max(1, os.fstat(fd).st_size)))
    os.close(fd)


def change_mode(path, mode):
    if not os.path.islink(path):
        os.chmod(path, mode)


def replace(path, rng):
    write(path + ".new", rng)
    os.rename(path + ".new", path)


def change_files(top, seed):
    rng = random.Random(seed)
    names = [f"f{seed}.{n}" + (".gz" if n % 8 == 0 else "") for n in range(40)]
    # Files that are not regular replace a regular file and then return: devices and links that
    # existed at the start.
    spares = [os.path.join(top, name) for name in os.listdir(top) if name.startswith("spare")]
    while True:
        path = os.path.join(top, rng.choice(names))
        other = os.path.join(top, rng.choice(names))
        ways = [
            lambda: write(path, rng),
            lambda: write(path, rng, os.O_APPEND),
            lambda: truncate(path, rng),
            lambda: replace(path, rng),
            lambda: clear(path),
            lambda: os.rename(path, other),
            lambda: change_mode(path, 0),
            lambda: change_mode(path, 0o644),
            lambda: become_fifo(path),
            lambda: become_socket(path),
            lambda: become_directory(path, rng),
            lambda: become_loop(path),
            lambda: become_link(path, other),
            lambda: exchange(path, rng.choice(spares)),
            lambda: os.link(path, other),
        ]
        try:
            rng.choice(ways)()
        except OSError:
            pass


def change_directories(top, seed):
    rng = random.Random(seed)
    paths = [os.path.join(top, f"d{seed}.{n}") for n in range(6)]
    while True:
        path, other = rng.choice(paths), rng.choice(paths)
        try:
            way = rng.randrange(5)
            if way == 0:
                os.makedirs(os.path.join(path, "below", "deeper"))
            elif way == 1:
                write(os.path.join(path, "below", f"f{rng.randrange(9)}"), rng)
            elif way == 2:
                os.rename(path, other)
            elif way == 3:
                os.rename(os.path.join(path, "below"), other)
            else:
                subprocess.run(["rm", "-rf", path], check=False)
        except OSError:
            pass


def swap(parent, name):
    """Use the parent's descriptor. Because of another exchange, its path may lead outside for a moment,
    and an exchange there would move a directory into the tree."""
    at = None
    while at is None:
        try:
            at = open_directory(parent)
        except OSError:  # the link is there at the moment
            pass
    while True:
        try:
            exchange(name, name + ".link", at)
        except OSError:  # the file system cannot exchange names, and this was stopped in between
            pass


def watch(top):
    """Use inotify: IN_OPEN and IN_ACCESS for the directories and their entries."""
    fd = libc.inotify_init1(os.O_CLOEXEC) if hasattr(libc, "inotify_init1") else -1
    places = [top] + [os.path.join(at, name) for at, names, _ in os.walk(top) for name in names]
    if fd < 0 or any(libc.inotify_add_watch(fd, os.fsencode(place), 0x20 | 0x1) < 0 for place in places):
        print("cannot watch it: " + os.strerror(ctypes.get_errno()), flush=True)
        signal.pause()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    print("watching", flush=True)
    signal.sigwait([signal.SIGTERM])
    os.set_blocking(fd, False)
    count = 0
    while True:
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            break
        at = 0
        while at < len(data):
            count += 1
            at += 16 + struct.unpack_from("iIII", data, at)[3]
    print(count)


def make_deep(top, depth):
    os.mkdir(top)
    os.chdir(top)
    for level in range(depth):
        for name in ("a", "d", "z") if level % 8 == 0 or level == depth - 1 else ("d",):
            os.mkdir(name)
        if level % 504 == 0 or level == depth - 1:
            for path in ("f", "a/f", "z/f"):
                with open(path, "w", encoding="ascii") as file:
                    file.write(path[0] * (10 * level + 10))
        os.chdir("d")


def make_many(top, count):
    os.mkdir(top)
    at = os.open(top, os.O_RDONLY)
    for number in range(count):
        fd = os.open(str(number), os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=at)
        if number % 16 == 0:
            os.write(fd, b"%d" % number)
        os.close(fd)


def measure(command):
    status = subprocess.run(command, check=False).returncode
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    sys.exit(status)


def main():
    what, words = sys.argv[1], sys.argv[2:]
    if what == "files":
        change_files(words[0], int(words[1]))
    elif what == "directories":
        change_directories(words[0], int(words[1]))
    elif what == "swap":
        swap(words[0], words[1])
    elif what == "watch":
        watch(words[0])
    elif what == "deep":
        make_deep(words[0], int(words[1]))
    elif what == "many":
        make_many(words[0], int(words[1]))
    elif what == "measure":
        measure(words)
    else:
        sys.exit(f"mutator.py: unknown '{what}'")


main()
