#!/usr/bin/python3
"""Shows a directory as a file system on a failing disk: calls fail with EIO.

    broken_disk.py DIRECTORY MOUNT      in the foreground, until it is unmounted

Names select the failures: a file bad-open cannot be opened, the status of bad-stat cannot be read, a
directory bad-list cannot be listed, and reading a file bad-read-N fails from its byte N on. A file
DIRECTORY.dying contains the number of writes and synchronizations that the disk still carries out;
without it, there is no limit. If DIRECTORY.dead exists, no file can be read; if DIRECTORY.well exists,
names mean nothing.
Needs FUSE, and fusepy (Debian: python3-fusepy).
"""
import errno
import os
import re
import sys

try:
    from fusepy import FUSE, FuseOSError, Operations
except ImportError:
    from fuse import FUSE, FuseOSError, Operations


class BrokenDisk(Operations):
    def __init__(self, root):
        self.root = root
        self.dying, self.dead, self.well = (root + end for end in (".dying", ".dead", ".well"))

    def place(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def is_bad(self, path, pattern):
        found = re.fullmatch(pattern, os.path.basename(path))
        return None if os.path.exists(self.well) else found

    def written(self):
        """Count one more write, or fail if the disk carries out no more writes."""
        if not os.path.exists(self.dying):
            return
        with open(self.dying, encoding="ascii") as file:
            left = int(file.read())
        if left == 0:
            raise FuseOSError(errno.EIO)
        with open(self.dying, "w", encoding="ascii") as file:
            file.write(str(left - 1))

    def getattr(self, path, fh=None):
        if self.is_bad(path, "bad-stat"):
            raise FuseOSError(errno.EIO)
        status = os.lstat(self.place(path))
        return {key: getattr(status, key) for key in (
            "st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime", "st_ctime")}

    def readdir(self, path, fh):
        if self.is_bad(path, "bad-list"):
            raise FuseOSError(errno.EIO)
        return [".", ".."] + os.listdir(self.place(path))

    def open(self, path, flags):
        if self.is_bad(path, "bad-open"):
            raise FuseOSError(errno.EIO)
        return os.open(self.place(path), flags)

    def create(self, path, mode, fi=None):
        self.written()
        return os.open(self.place(path), os.O_RDWR | os.O_CREAT, mode)

    def read(self, path, length, offset, fh):
        bad = self.is_bad(path, "bad-read-([0-9]+)")
        if os.path.exists(self.dead) or bad and offset + length > int(bad[1]):
            raise FuseOSError(errno.EIO)
        return os.pread(fh, length, offset)

    def write(self, path, data, offset, fh):
        self.written()
        return os.pwrite(fh, data, offset)

    def fsync(self, path, datasync, fh):
        self.written()
        os.fsync(fh)

    def truncate(self, path, length, fh=None):
        self.written()
        os.truncate(self.place(path), length)

    def unlink(self, path):
        self.written()
        os.unlink(self.place(path))

    def rename(self, old, new):
        os.rename(self.place(old), self.place(new))

    def chmod(self, path, mode):
        os.chmod(self.place(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self.place(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.place(path), times)

    def release(self, path, fh):
        os.close(fh)


if __name__ == "__main__":
    FUSE(BrokenDisk(os.path.abspath(sys.argv[1])), sys.argv[2], foreground=True)
