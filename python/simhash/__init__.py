"""Finds files that are nearly the same: sum tables, sketches, and the index of simhash.

    >>> import simhash
    >>> a, b = simhash.scan(b"one content" * 100), simhash.scan(b"one content" * 99 + b"other")
    >>> a.distance(b), a.is_similar(b)
    (16, True)

``scan`` and ``sketch`` accept a path, bytes in memory, or an open file. ``Index`` opens an index that the
program simhash wrote, and finds similar files in it like the program simfind.

Paths are str, decoded by os.fsdecode, which keeps all bytes. A bytes object is always a content, never a path.

SPDX-License-Identifier: MIT
"""

from ._content import Keys, Scanner, Sketch, SumTable, Tag, TagSet, counts, scan, sketch
from ._index import File, Group, Index, Linkage, Member, Pair, Role, Search, Verified
from ._library import DatabaseError, Error, InvalidError, SchemaError, ServerError, library_version
from ._version import version as __version__

__all__ = [
    "DatabaseError",
    "Error",
    "File",
    "Group",
    "Index",
    "InvalidError",
    "Keys",
    "Linkage",
    "Member",
    "Pair",
    "Role",
    "Scanner",
    "SchemaError",
    "Search",
    "ServerError",
    "Sketch",
    "SumTable",
    "Tag",
    "TagSet",
    "Verified",
    "counts",
    "library_version",
    "scan",
    "sketch",
]
