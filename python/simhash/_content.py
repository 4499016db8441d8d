"""Computes and compares the sum tables and sketches of contents, using libsimhash.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from ctypes import byref
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Union

from . import _library as lib

if TYPE_CHECKING:
    import numpy
    from ._index import File

_CHUNK = 1 << 20  # bytes that are read or copied at once

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Any]


# ---- Tags ----


class Tag(NamedTuple):
    """A pattern of 8 bits and its weights, in thousandths."""

    pattern: int
    uniform: int
    scatter: int
    skew: int


class TagSet:
    """16 tags that are counted in contents. A tag set never changes, and threads may share it.

    ``TagSet()`` is the default set, "sample". Two sets are equal if their tags are equal.
    """

    __slots__ = ("__weakref__", "_pointer", "name", "tags")

    name: str
    tags: tuple[Tag, ...]

    def __init__(self, name: str | None = None, tags: Iterable[Tag] | None = None) -> None:
        """The default set, or a set of 16 given tags, which needs a name."""
        pointer, error = ctypes.c_void_p(), lib.CError()
        if tags is None and name is None:
            lib.check(lib.tag_set_new_default(byref(pointer), byref(error)), error)
        elif tags is None or name is None:
            raise TypeError("a tag set has a name and tags, or neither for the default")
        else:
            own = list(tags)
            if len(own) != lib.TAGS:
                raise lib.InvalidError(f"a tag set has {lib.TAGS} tags, not {len(own)}")
            array = (lib.CTag * lib.TAGS)(*(lib.CTag(*tag) for tag in own))
            lib.check(lib.tag_set_new(os.fsencode(name), array, byref(pointer), byref(error)), error)
        self._take(pointer)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TagSet:
        """Read a tag set from a file in the format of ``simhash --tags``."""
        pointer, error = ctypes.c_void_p(), lib.CError()
        lib.check(lib.tag_set_read(os.fsencode(path), byref(pointer), byref(error)), error)
        made = cls.__new__(cls)
        made._take(pointer)
        return made

    @classmethod
    def parse(cls, text: str, file_name: str) -> TagSet:
        """Parse a tag set. `file_name` is used in messages; the default is the name of the set."""
        pointer, error, data = ctypes.c_void_p(), lib.CError(), os.fsencode(text)
        status = lib.tag_set_parse(data, len(data), os.fsencode(file_name), byref(pointer), byref(error))
        lib.check(status, error)
        made = cls.__new__(cls)
        made._take(pointer)
        return made

    def _take(self, pointer: ctypes.c_void_p) -> None:
        self._pointer = pointer
        weakref.finalize(self, lib.tag_set_free, pointer).atexit = False
        self.name = lib.tag_set_name(pointer).decode()
        tags = lib.tag_set_tags(pointer)[: lib.TAGS]
        self.tags = tuple(Tag(tag.pattern, tag.uniform, tag.scatter, tag.skew) for tag in tags)

    def __eq__(self, other: object) -> bool:
        return self.tags == other.tags if isinstance(other, TagSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.tags)

    def __repr__(self) -> str:
        return f"<simhash.TagSet {self.name!r}>"

    def __reduce__(self) -> Any:
        return TagSet, (self.name, self.tags)


_default: TagSet | None = None


def default_tags() -> TagSet:
    """The default tag set, which is created only once."""
    global _default
    if _default is None:
        _default = TagSet()
    return _default


# ---- Sum tables ----


class Keys(NamedTuple):
    """The six keys of a sum table (paper, 4.1 and 5.1)."""

    uniform: int
    scatter: int
    skew: int
    uniform_ext: int
    scatter_ext: int
    skew_ext: int


class SumTable:
    """The counts of the 16 tags in a content of `size_bytes` bytes."""

    __slots__ = ("_table", "size_bytes", "tags")

    size_bytes: int
    tags: TagSet

    def __init__(self, counts: Iterable[int], size_bytes: int, tags: TagSet | None = None) -> None:
        """A table from stored counts. No count may exceed the size."""
        numbers = [int(count) for count in counts]
        if len(numbers) != lib.TAGS:
            raise lib.InvalidError(f"a sum table has {lib.TAGS} counts, not {len(numbers)}")
        if not all(0 <= count <= size_bytes for count in numbers) or size_bytes >= 1 << 63:
            raise lib.InvalidError(f"a count is below 0 or above the size, {size_bytes} bytes")
        self._table = lib.CSumTable((ctypes.c_uint64 * lib.TAGS)(*numbers))
        self.size_bytes, self.tags = size_bytes, tags or default_tags()

    @classmethod
    def _of(cls, table: lib.CSumTable, size_bytes: int, tags: TagSet) -> SumTable:
        made = cls.__new__(cls)
        made._table, made.size_bytes, made.tags = table, size_bytes, tags
        return made

    @property
    def counts(self) -> tuple[int, ...]:
        """The 16 counts, in the order of the tags."""
        return tuple(self._table.count)

    def distance(self, other: SumTable) -> int:
        """The sum of the differences of the counts over all tags (paper, 4.2)."""
        self._must_match(other)
        distance: int = lib.distance(byref(self._table), byref(other._table))
        return distance

    def keys(self, name: str = "") -> Keys:
        """The keys. The extension of the file name shifts the last three."""
        keys, base = lib.CKeys(), os.path.basename(os.fsencode(name))
        lib.keys_compute(self.tags._pointer, byref(self._table), base, len(base), byref(keys))
        return Keys(*keys.key)

    def is_similar(self, other: SumTable, percent: float = 1.0) -> bool:
        """Are sizes and counts within the tolerance (paper, 4.2, steps 2 and 3)?

        Unrelated files of one kind can have similar counts. Sketches distinguish such files.
        """
        self._must_match(other)
        tolerance, sizes = tolerance_of(percent), (self.size_bytes, other.size_bytes)
        return bool(
            lib.sizes_agree(byref(tolerance), *sizes)
            and lib.sum_table_hit(byref(tolerance), self.distance(other), *sizes)
        )

    def _must_match(self, other: SumTable) -> None:
        if self.tags is not other.tags and self.tags != other.tags:
            raise lib.InvalidError(f"sum tables of the tag sets {self.tags.name} and {other.tags.name} cannot be compared")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """The counts as a numpy array of uint64, for ``numpy.asarray(table)``."""
        import numpy

        counts = numpy.frombuffer(bytes(self._table), dtype=numpy.uint64)
        return counts.astype(dtype or numpy.uint64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SumTable):
            return NotImplemented
        return (self.size_bytes, bytes(self._table), self.tags) == (other.size_bytes, bytes(other._table), other.tags)

    def __hash__(self) -> int:
        return hash((self.size_bytes, bytes(self._table)))

    def __repr__(self) -> str:
        return f"<simhash.SumTable of {self.size_bytes} bytes: {' '.join(map(str, self.counts))}>"

    def __reduce__(self) -> Any:
        return SumTable, (self.counts, self.size_bytes, self.tags)


def tolerance_of(percent: float, size_ratio: float | None = None) -> lib.CTolerance:
    """A tolerance in percent, with the default size ratio of 1.5 or another one."""
    tolerance, error = lib.CTolerance(), lib.CError()
    lib.check(lib.tolerance_from_percent(percent, byref(tolerance), byref(error)), error)
    if size_ratio is not None:
        if not 1 <= size_ratio <= 1_000_000:
            raise lib.InvalidError(f"size ratio {size_ratio}: expected 1 to 1000000")
        tolerance.size_ratio_millionths = round(size_ratio * 1_000_000)
    return tolerance


def counts(tables: Iterable[SumTable | File]) -> numpy.ndarray[Any, numpy.dtype[numpy.uint64]]:
    """The counts of many tables, or of many files of an index, as a numpy array with one row for each."""
    import numpy

    rows = b"".join(bytes((item if isinstance(item, SumTable) else item.table)._table) for item in tables)
    return numpy.frombuffer(rows, dtype=numpy.uint64).reshape(-1, lib.TAGS)


# ---- Sketches ----


class Sketch:
    """The resemblance sketch of a content: 128 bytes, and 144 of a text, the same on every machine."""

    __slots__ = ("_sketch", "size_bytes")

    size_bytes: int

    def __init__(self, stored: bytes, size_bytes: int) -> None:
        """A sketch from its stored bytes, for a content of `size_bytes` bytes."""
        if len(stored) not in (lib.REGISTERS, lib.REGISTERS + lib.TEXT):
            raise lib.InvalidError(f"a sketch has {lib.REGISTERS} or {lib.REGISTERS + lib.TEXT} bytes, not {len(stored)}")
        if not 0 <= size_bytes < 1 << 63:
            raise lib.InvalidError(f"a content cannot have {size_bytes} bytes")
        self._sketch = lib.CSketch.from_buffer_copy(stored.ljust(lib.REGISTERS + lib.TEXT, b"\0"))
        self.size_bytes = size_bytes

    def same_text(self, other: Sketch) -> bool:
        """Are both contents texts that differ only in white space, a byte-order mark or UTF-16?"""
        return bool(lib.same_text(byref(self._sketch), byref(other._sketch)))

    def resemblance(self, other: Sketch) -> float | None:
        """Estimate the share of content that both have, 0 to 1; None if the sketches allow no estimate."""
        return self._estimate(lib.resemblance_estimate, other)

    def containment(self, other: Sketch) -> float | None:
        """Estimate how much of the smaller content is in the larger one, 0 to 1; None as above."""
        return self._estimate(lib.containment_estimate, other)

    def _estimate(self, function: Any, other: Sketch) -> float | None:
        share = ctypes.c_double()
        known = function(byref(self._sketch), self.size_bytes, byref(other._sketch), other.size_bytes, byref(share))
        return share.value if known else None

    def __bytes__(self) -> bytes:
        return bytes(self._sketch) if any(self._sketch.text) else bytes(self._sketch.registers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        return (self.size_bytes, bytes(self)) == (other.size_bytes, bytes(other))

    def __hash__(self) -> int:
        return hash((self.size_bytes, bytes(self)))

    def __repr__(self) -> str:
        return f"<simhash.Sketch of {self.size_bytes} bytes: {bytes(self).hex()}>"

    def __reduce__(self) -> Any:
        return Sketch, (bytes(self), self.size_bytes)


# ---- Scanning ----


def _is_buffer(source: Any) -> bool:
    """Is it a buffer? A mapped file is also a file, but it is used as a buffer with all its bytes."""
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


class Scanner:
    """Scans a content piece by piece, like the objects of hashlib.

    >>> scanner = Scanner()
    >>> scanner.update(b"one piece, ")
    >>> scanner.update(b"and another")
    >>> scanner.table() == scan(b"one piece, and another")
    True

    With ``sketch=False`` it only counts tags, which is faster. Threads may share a scanner; an update
    waits for the previous update.
    """

    def __init__(self, tags: TagSet | None = None, *, sketch: bool = True, table: bool = True) -> None:
        self._tags = tags or default_tags()
        self._lock = threading.Lock()
        self._size = 0
        self._scanner: lib.CScanner | None = None
        self._sketcher: ctypes.c_void_p | None = None
        if table:
            self._scanner = lib.CScanner()
            lib.scanner_init(byref(self._scanner), self._tags._pointer)
        if sketch:
            pointer, error = ctypes.c_void_p(), lib.CError()
            lib.check(lib.sketcher_new(byref(pointer), byref(error)), error)
            self._sketcher = pointer
            weakref.finalize(self, lib.sketcher_free, pointer).atexit = False

    def update(self, data: bytes | bytearray | memoryview | Any) -> None:
        """Scan the next bytes, from any object with a contiguous buffer. This releases the GIL."""
        if isinstance(data, bytes):
            self._take(data, len(data))
            return
        if memoryview(data).nbytes == 0:
            return
        with memoryview(data) as view, view.cast("B") as flat:
            if not flat.readonly:
                # While the array exists, nobody can resize its buffer.
                self._take((ctypes.c_char * len(flat)).from_buffer(flat), len(flat))
                return
            for start in range(0, len(flat), _CHUNK):
                piece = bytes(flat[start : start + _CHUNK])
                self._take(piece, len(piece))

    def _take(self, data: Any, size: int) -> None:
        with self._lock:
            if self._scanner is not None:
                lib.scanner_update(byref(self._scanner), data, size)
            if self._sketcher is not None:
                lib.sketcher_update(self._sketcher, data, size)
            self._size += size

    def table(self) -> SumTable:
        """The sum table of all bytes so far."""
        if self._scanner is None:
            raise lib.InvalidError("this scanner was made with table=False")
        table = lib.CSumTable()
        with self._lock:
            lib.scanner_finish(byref(self._scanner), byref(table))
            return SumTable._of(table, self._size, self._tags)

    def sketch(self) -> Sketch:
        """The resemblance sketch of all bytes so far."""
        if self._sketcher is None:
            raise lib.InvalidError("this scanner was made with sketch=False")
        sketch = lib.CSketch()
        with self._lock:
            lib.sketcher_finish(self._sketcher, byref(sketch))
            return Sketch(bytes(sketch), self._size)

    def update_from(self, source: Source) -> None:
        """Scan all bytes of a path or a buffer, or the remaining bytes of an open binary file."""
        if isinstance(source, (str, os.PathLike)):
            with _Content(source) as file:
                self._read(file)
        elif hasattr(source, "read") and not _is_buffer(source):
            self._read(source)
        else:
            self.update(source)

    def _read(self, file: Any) -> None:
        if hasattr(file, "readinto"):
            buffer = bytearray(_CHUNK)
            view = memoryview(buffer)
            while size := file.readinto(buffer):
                self.update(view[:size])
        else:
            while data := file.read(_CHUNK):
                self.update(data)


class _Content:
    """A file that is read from its beginning.

    POSIX says: if a process closes any descriptor of a file, it loses all its locks on this file, also
    the locks of the module sqlite3 on a database. So a database that is open elsewhere in this
    process is opened once and never closed.
    """

    _kept: dict[tuple[int, int], int] = {}
    _lock = threading.Lock()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        status = os.stat(path)
        self._at = 0
        with self._lock:
            kept = self._kept.get((status.st_dev, status.st_ino))
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)) if kept is None else kept

    def readinto(self, view: Any) -> int:
        if hasattr(os, "preadv"):
            got = os.preadv(self._fd, [view], self._at)
        else:
            data = os.pread(self._fd, len(view), self._at)
            got = len(data)
            view[:got] = data
        self._at += got
        return got

    def __enter__(self) -> _Content:
        return self

    def __exit__(self, *_: object) -> None:
        status = os.fstat(self._fd)
        key = status.st_dev, status.st_ino
        with self._lock:
            if self._kept.get(key) == self._fd:
                return
            if self._is_like_database(status) and self._is_open_elsewhere(key):
                self._kept.setdefault(key, self._fd)
                return
        os.close(self._fd)

    def _is_like_database(self, status: os.stat_result) -> bool:
        if status.st_size == 0 or status.st_size % 512 != 0:
            return False
        head = os.pread(self._fd, 16, 0)
        return head == b"SQLite format 3\0" or head[:4] == (3007000).to_bytes(4, sys.byteorder)

    def _is_open_elsewhere(self, key: tuple[int, int]) -> bool:
        for name in os.listdir("/dev/fd"):
            try:
                status = os.fstat(int(name))
            except OSError:
                continue
            if (status.st_dev, status.st_ino) == key and int(name) != self._fd:
                return True
        return False


def scan(source: Source, tags: TagSet | None = None) -> SumTable:
    """The sum table of a content, which is a path, bytes in memory, or an open binary file.

    Raises OSError if the file cannot be read.
    """
    scanner = Scanner(tags, sketch=False)
    scanner.update_from(source)
    return scanner.table()


def sketch(source: Source) -> Sketch:
    """The resemblance sketch of a content; the source is the same as for ``scan``."""
    scanner = Scanner(table=False)
    scanner.update_from(source)
    return scanner.sketch()
