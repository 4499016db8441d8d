"""Reads an index that the program simhash wrote, and finds similar files in it, using libsimhash-index.

Only one thread and one search at a time can use an open index of the library. So an Index opens more of
them when iterators need them, and each iterator returns its open index when it ends. An open index is
never closed while an iterator uses it.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import atexit
import collections
import ctypes
import dataclasses
import enum
import os
import threading
import weakref
from ctypes import byref
from types import TracebackType
from typing import Any, Callable, Iterator

from . import _library as lib
from ._content import Keys, Sketch, SumTable, Tag, TagSet, tolerance_of

_WAITING_MAX = 4096  # pairs that were found but not yet returned


# ---- Results ----


class Verified(enum.Enum):
    """How a pair was verified."""

    UNVERIFIED = 0  # only the counts are near
    BY_HASH = 1  # the content hashes are equal
    BY_SKETCH = 2  # the sketches estimate the resemblance
    BY_COUNTS = 3  # the sketches are equal but too sparse
    BY_TEXT = 4  # the texts are the same, except for white space


class Role(enum.Enum):
    """The role of a file in its group."""

    REPRESENTATIVE = 0
    MEMBER = 1
    COPY = 2  # identical to the representative or member before it


class Linkage(enum.Enum):
    """How files are grouped."""

    REPRESENTATIVE = 0  # each file is similar to the representative, as in simfind
    SINGLE = 1  # all files that are connected by pairs


class File:
    """A file of the index. It is a copy, which stays valid after the index is closed."""

    __slots__ = ("_raw", "_tags", "host", "path_bytes")

    host: str
    path_bytes: bytes

    def __init__(self, raw: lib.CFile, tags: TagSet) -> None:
        self.host = os.fsdecode(ctypes.string_at(raw.host))
        self.path_bytes = ctypes.string_at(raw.path, raw.path_size)
        # The pointers are not valid any more.
        self._raw = lib.CFile.from_buffer_copy(raw)
        self._raw.host = self._raw.path = None
        self._tags = tags

    @property
    def path(self) -> str:
        """The absolute path, decoded by os.fsdecode, which keeps all bytes."""
        return os.fsdecode(self.path_bytes)

    @property
    def size_bytes(self) -> int:
        return int(self._raw.size_bytes)

    @property
    def compressed_size_bytes(self) -> int:
        """The size of the compressed file that contains it; 0 if there is none."""
        return int(self._raw.compressed_size_bytes)

    @property
    def mtime_ns(self) -> int:
        """The time of the last change, in nanoseconds since 1970."""
        return int(self._raw.mtime_ns)

    @property
    def table(self) -> SumTable:
        return SumTable._of(lib.CSumTable.from_buffer_copy(self._raw.table), self.size_bytes, self._tags)

    @property
    def keys(self) -> Keys:
        return Keys(*self._raw.keys.key)

    @property
    def content_hash(self) -> bytes:
        """16 bytes: XXH3-128."""
        return bytes(self._raw.content_hash)

    @property
    def sketch(self) -> Sketch | None:
        """None for a file that was indexed without one."""
        return Sketch(bytes(self._raw.sketch), self.size_bytes) if self._raw.has_sketch else None

    def __eq__(self, other: object) -> bool:
        """Are they the same file with the same content?"""
        return self._identity() == other._identity() if isinstance(other, File) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return self.host, self.path_bytes, self.size_bytes, self.mtime_ns, self.content_hash

    def __repr__(self) -> str:
        return f"<simhash.File {self.host}:{self.path!r}, {self.size_bytes} bytes>"


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two similar files."""

    a: File
    b: File
    distance: int  # of the sum tables
    resemblance: float | None  # the share of content that both have, 0 to 1; None if unknown
    verified: Verified
    is_identical: bool


@dataclasses.dataclass(frozen=True)
class Member:
    """A file of a group, with its relation to the representative."""

    file: File
    role: Role
    distance: int
    resemblance: float | None
    verified: Verified


@dataclasses.dataclass(frozen=True)
class Group:
    """Two or more similar files, the representative first."""

    id: str  # depends only on the contents; simfind shows the same id
    members: tuple[Member, ...]
    size_bytes: int  # the size of all files
    copied_bytes: int  # the size of the copies

    @property
    def representative(self) -> File:
        return self.members[0].file


@dataclasses.dataclass(frozen=True)
class Search:
    """The rule that makes two files a pair. The defaults are the same as in simfind."""

    key: str = "uniform"  # a key "..._ext" only finds similar files with equal extensions
    tolerance: float = 5.0  # the allowed difference of the counts, in percent
    size_ratio: float = 1.5
    min_resemblance: float | None = None  # 0 to 1; None: it depends on the distance, as in simfind
    verify: bool = True  # False: do not use sketches
    every_copy: bool = False  # return each pair of identical files, not only pairs with a representative
    empty_files: bool = False  # also return pairs of empty files
    hard_links: bool = False  # also return pairs of two names of one file
    threads: int = 0  # 0: one for each processor

    def _prepared(self) -> lib.CSearch:
        search, key, error = lib.CSearch(), ctypes.c_int(), lib.CError()
        lib.search_init(byref(search))
        lib.check(lib.key_parse(os.fsencode(self.key), byref(key), byref(error)), error)
        if not 0 <= self.threads < 1 << 31:
            raise lib.InvalidError(f"{self.threads} threads: out of range")
        if self.min_resemblance is not None:
            if not 0 <= self.min_resemblance <= 1:
                raise lib.InvalidError(f"a resemblance of at least {self.min_resemblance}: expected 0 to 1")
            search.min_resemblance = self.min_resemblance
        search.key = key.value
        search.tolerance = tolerance_of(self.tolerance, self.size_ratio)
        search.unverified = not self.verify
        search.every_copy, search.empty_files = self.every_copy, self.empty_files
        search.hard_links, search.threads = self.hard_links, self.threads
        return search


def _pair_of(raw: lib.CPair, tags: TagSet) -> Pair:
    return Pair(
        File(raw.a.contents, tags),
        File(raw.b.contents, tags),
        raw.distance,
        None if raw.resemblance < 0 else raw.resemblance,
        Verified(raw.verified),
        raw.is_identical,
    )


def _group_of(raw: lib.CGroup, tags: TagSet) -> Group:
    members = (raw.members[i].contents for i in range(raw.count))
    return Group(
        f"{raw.id:016x}",
        tuple(
            Member(
                File(member.file.contents, tags),
                Role(member.role),
                member.distance,
                None if member.resemblance < 0 else member.resemblance,
                Verified(member.verified),
            )
            for member in members
        ),
        raw.size_bytes,
        raw.copied_bytes,
    )


# ---- Open indexes ----


class _Pool:
    """The open indexes of an Index that are not in use."""

    def __init__(self, url: str | None, options: lib.COptions) -> None:
        self._url = None if url is None else os.fsencode(url)
        self._options = options
        self._lock = threading.Lock()
        self._idle: list[ctypes.c_void_p] = []
        self.is_closed = self.is_used = False
        _pools.add(self)

    def check_open(self) -> None:
        if self.is_closed:
            raise ValueError("the index is closed")
        if _opened_before_fork:
            raise lib.InvalidError(_AFTER_FORK)

    def take(self) -> ctypes.c_void_p:
        """Take an open index, which belongs to the caller until `give`."""
        with self._lock:
            self.check_open()
            if self._idle:
                return self._idle.pop()
        handle, error = ctypes.c_void_p(), lib.CError()
        lib.check(lib.index_open(self._url, byref(self._options), byref(handle), byref(error)), error)
        self.is_used = True
        return handle

    def give(self, handle: ctypes.c_void_p) -> None:
        with self._lock:
            if not self.is_closed:
                self._idle.append(handle)
                return
        lib.index_close(handle)

    def close(self) -> None:
        # After fork, a child must not touch the connections of its parent, and the lock may never be released.
        if _opened_before_fork:
            return
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
            self.is_used = False
        for handle in idle:
            lib.index_close(handle)


# After fork, the parent keeps the locks of SQLite, but SQLite in the child assumes that it has them.
_pools: weakref.WeakSet[_Pool] = weakref.WeakSet()
_opened_before_fork = False
_AFTER_FORK = (
    "an index was open when this process was forked, and none can be used in the child: close it before, "
    "or start processes by multiprocessing.set_start_method('spawn')"
)


def _note_fork() -> None:
    global _opened_before_fork
    _opened_before_fork = any(pool.is_used for pool in _pools)


os.register_at_fork(after_in_child=_note_fork)


# ---- Pairs, from the threads of the library to iterators ----


class _Channel:
    """Holds pairs that were found but not yet returned, and stops the search if no more are wanted."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pairs: collections.deque[Pair] = collections.deque()
        self._has_ended = self._is_unwanted = False
        self._exception: BaseException | None = None

    def put(self, pair: Pair) -> bool:
        """Add a pair when there is space. False: no more are wanted."""
        with self._changed:
            while len(self._pairs) >= _WAITING_MAX and not self._is_unwanted:
                self._changed.wait()
            self._pairs.append(pair)
            self._changed.notify_all()
            return not self._is_unwanted

    def end(self, exception: BaseException | None) -> None:
        with self._changed:
            self._has_ended, self._exception = True, exception
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._is_unwanted = True
            self._pairs.clear()
            self._changed.notify_all()

    def take(self) -> Pair | None:
        """The next pair; None after the last one. Raises the exception that ended the search."""
        with self._changed:
            while not self._pairs and not self._has_ended:
                self._changed.wait()
            if self._pairs:
                pair = self._pairs.popleft()
                if len(self._pairs) == _WAITING_MAX - 1:
                    self._changed.notify_all()
                return pair
            if self._exception is not None:
                raise self._exception
            return None


# Searches of iterators that are neither exhausted nor closed end before the interpreter.
_running: dict[_Channel, threading.Thread] = {}


@atexit.register
def _end_searches() -> None:
    for channel, thread in list(_running.items()):
        channel.stop()
        thread.join()


def _call_with_pairs(put: Callable[[Pair], bool], tags: TagSet, call: Callable[[Any, lib.CError], int]) -> None:
    """Search with `call`. An exception of `put` ends the search and is raised here."""
    error, raised = lib.CError(), []

    def take(_context: Any, raw: Any, _error: Any) -> int:
        try:
            return 0 if put(_pair_of(raw.contents, tags)) else -1
        except BaseException as exception:  # exceptions cannot pass through the library
            raised.append(exception)
            return -1

    function = lib.PAIR_FUNCTION(take)
    status = call(function, error)
    if raised:
        raise raised[0]
    lib.check(status, error)


def _search_pairs(pool: _Pool, tags: TagSet, search: lib.CSearch) -> Iterator[Pair]:
    """All pairs, found by a separate thread, which returns its open index at the end."""
    handle, channel = pool.take(), _Channel()

    def run() -> None:
        exception = None
        try:
            _call_with_pairs(
                channel.put,
                tags,
                lambda function, error: lib.index_pairs(handle, byref(search), function, None, byref(error)),
            )
        except BaseException as caught:
            exception = caught
        finally:
            pool.give(handle)
            _running.pop(channel, None)
            channel.end(exception)

    thread = threading.Thread(target=run, name="simhash pairs", daemon=True)
    _running[channel] = thread
    try:
        thread.start()
    except RuntimeError:
        del _running[channel]
        pool.give(handle)
        raise
    try:
        while (pair := channel.take()) is not None:
            yield pair
            pool.check_open()
    finally:
        channel.stop()


# ---- The index ----


class Index:
    """An index that is opened for reading. Nothing is written to it.

    >>> with simhash.Index() as index:  # doctest: +SKIP
    ...     for pair in index.pairs():
    ...         print(pair.resemblance, pair.a.path, pair.b.path)

    Threads may share an Index, and its iterators may be nested: each has its own connection. After
    ``close`` they raise ValueError. An iterator keeps a read transaction open from its first item until
    it is exhausted, closed or collected.
    """

    def __init__(
        self,
        url: str | os.PathLike[str] | None = None,
        *,
        tag_set: str | None = None,
        host: str | None = None,
    ) -> None:
        """Open "sqlite:FILE", "mysql://USER@HOST/DATABASE", or the path of an SQLite file.

        Without a URL, open the same index as simfind: $SIMHASH_DATABASE, or the index of this user.
        "?defaults-file=FILE" at the end of a server's URL names the only option file that is read.
        `tag_set` is the name of the tag set of the files, and `host` the host of the paths that
        ``neighbours`` gets.
        """
        options = lib.COptions(*(None if text is None else os.fsencode(text) for text in (tag_set, host)))
        if isinstance(url, os.PathLike):
            url = "sqlite:" + os.fspath(url)
        self._pool = _Pool(url, options)
        handle = self._pool.take()
        try:
            tags = lib.index_tags(handle)[: lib.TAGS]
            self.tags = TagSet(
                tag_set or "sample", [Tag(tag.pattern, tag.uniform, tag.scatter, tag.skew) for tag in tags]
            )
        finally:
            self._pool.give(handle)
        weakref.finalize(self, self._pool.close)

    def close(self) -> None:
        """Close the index. Unfinished iterators raise ValueError."""
        self._pool.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[File]:
        return self.files()

    def files(self) -> Iterator[File]:
        """All files, one host after another."""
        self._pool.check_open()
        return self._files()

    def _files(self) -> Iterator[File]:
        handle, files, error = self._pool.take(), ctypes.c_void_p(), lib.CError()
        raw = ctypes.POINTER(lib.CFile)()
        try:
            lib.check(lib.files_begin(handle, byref(files), byref(error)), error)
            while lib.check(lib.files_next(files, byref(raw), byref(error)), error) == 1:
                yield File(raw.contents, self.tags)
                self._pool.check_open()
        finally:
            lib.files_end(files)
            self._pool.give(handle)

    def pairs(self, search: Search = Search()) -> Iterator[Pair]:
        """All pairs of similar files, each once, in any order. Each pair is returned when it is found."""
        self._pool.check_open()
        return self._pairs(search._prepared())

    def _pairs(self, search: lib.CSearch) -> Iterator[Pair]:
        # This also keeps a reference to the Index, so that it is not closed while the iterator is used.
        yield from _search_pairs(self._pool, self.tags, search)

    def groups(self, search: Search = Search(), linkage: Linkage = Linkage.REPRESENTATIVE) -> Iterator[Group]:
        """The groups of similar files, with the most bytes in copies first. All groups are found before
        the first one is returned.
        """
        self._pool.check_open()
        return self._groups(search._prepared(), linkage)

    def _groups(self, search: lib.CSearch, linkage: Linkage) -> Iterator[Group]:
        handle, groups, error = self._pool.take(), ctypes.c_void_p(), lib.CError()
        raw = ctypes.POINTER(lib.CGroup)()
        try:
            status = lib.groups_begin(handle, byref(search), linkage.value, byref(groups), byref(error))
            lib.check(status, error)
            while lib.check(lib.groups_next(groups, byref(raw), byref(error)), error) == 1:
                yield _group_of(raw.contents, self.tags)
                self._pool.check_open()
        finally:
            lib.groups_end(groups)
            self._pool.give(handle)

    def neighbours(
        self, source: str | os.PathLike[str] | SumTable, search: Search = Search(), *, name: str = ""
    ) -> list[Pair]:
        """The files that are similar to a file, or to a content whose sum table is given.

        A path is read as it is now and need not be in the index. With a sum table, the extension of
        `name` is used. In each pair, `a` is the given file or content.
        """
        prepared, found = search._prepared(), list[Pair]()

        def put(pair: Pair) -> bool:
            found.append(pair)
            return True

        def call(function: Any, error: lib.CError) -> int:
            status: int
            if not isinstance(source, SumTable):
                path = os.fsencode(source)
                if b"\0" in path:
                    raise ValueError("embedded null byte")
                status = lib.index_pairs_of_file(handle, byref(prepared), path, function, None, byref(error))
                return status
            if source.tags != self.tags:
                raise lib.InvalidError(f"a sum table of the tag set {source.tags.name}, in an index by {self.tags.name}")
            status = lib.index_pairs_of_table(
                handle, byref(prepared), byref(source._table), source.size_bytes, os.fsencode(name), function, None,
                byref(error),
            )
            return status

        handle = self._pool.take()
        try:
            _call_with_pairs(put, self.tags, call)
        finally:
            self._pool.give(handle)
        return found
