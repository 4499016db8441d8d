"""Calls the two public libraries with ctypes: defines their structs, functions, and exceptions for their errors.

Each struct has the same layout as in include/*.h; a test compares sizes and offsets with a compiler. ctypes
releases the GIL during every call.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Any

from ._version import libraries

TAGS = 16
KEYS = 6
REGISTERS = 128
TEXT = 16
HASH_SIZE = 16


# ---- Structs ----


class CError(Structure):
    _fields_ = [
        ("code", c_int),
        ("system_errno", c_int),
        ("reserved", c_uint64 * 3),
        ("message", ctypes.c_char * 1024),
    ]


class CTag(Structure):
    _fields_ = [("pattern", c_uint8), ("uniform", c_uint32), ("scatter", c_uint32), ("skew", c_uint32)]


class CSumTable(Structure):
    _fields_ = [("count", c_uint64 * TAGS)]


class CScanner(Structure):
    _fields_ = [
        ("tag_set", c_void_p),
        ("state", c_uint64 * 2),
        ("table", CSumTable),
        ("reserved", c_uint64 * 4),
    ]


class CKeys(Structure):
    _fields_ = [("key", c_int64 * KEYS)]


class CTolerance(Structure):
    _fields_ = [
        ("percent_millionths", c_int64),
        ("size_ratio_millionths", c_int64),
        ("reserved", c_int64 * 2),
    ]


class CSketch(Structure):
    _fields_ = [("registers", c_uint8 * REGISTERS), ("text", c_uint8 * TEXT)]


class COptions(Structure):
    _fields_ = [
        ("tag_set", c_char_p),
        ("host", c_char_p),
        ("reserved", c_uint64 * 6),
    ]


class CFile(Structure):
    _fields_ = [
        ("host", c_void_p),
        ("path", c_void_p),
        ("path_size", c_size_t),
        ("size_bytes", c_int64),
        ("compressed_size_bytes", c_int64),
        ("mtime_ns", c_int64),
        ("table", CSumTable),
        ("keys", CKeys),
        ("content_hash", c_uint8 * HASH_SIZE),
        ("has_sketch", c_bool),
        ("sketch", CSketch),
    ]


class CSearch(Structure):
    _fields_ = [
        ("key", c_int),
        ("tolerance", CTolerance),
        ("min_resemblance", c_double),
        ("unverified", c_bool),
        ("every_copy", c_bool),
        ("empty_files", c_bool),
        ("hard_links", c_bool),
        ("threads", c_uint),
        ("reserved", c_uint64 * 8),
    ]


class CPair(Structure):
    _fields_ = [
        ("a", POINTER(CFile)),
        ("b", POINTER(CFile)),
        ("distance", c_uint64),
        ("resemblance", c_double),
        ("verified", c_int),
        ("is_identical", c_bool),
    ]


class CMember(Structure):
    _fields_ = [
        ("file", POINTER(CFile)),
        ("role", c_int),
        ("distance", c_uint64),
        ("resemblance", c_double),
        ("verified", c_int),
    ]


class CGroup(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("size_bytes", c_int64),
        ("copied_bytes", c_int64),
        ("count", c_size_t),
        ("members", POINTER(POINTER(CMember))),
    ]


PAIR_FUNCTION = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(CPair), POINTER(CError))


# ---- Loading ----


def _load(name: str) -> ctypes.CDLL:
    """The library in this package, or else the library of the system."""
    own = pathlib.Path(__file__).parent / "_lib" / name
    try:
        return ctypes.CDLL(str(own) if own.exists() else name)
    except OSError as error:
        raise ImportError(f"simhash cannot load {name}: {error}; install the missing library") from error


_simhash, _simhash_index = map(_load, libraries)


def _bind(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


_ERROR = POINTER(CError)

tag_set_new = _bind(_simhash, "simhash_tag_set_new", c_int, c_char_p, POINTER(CTag), POINTER(c_void_p), _ERROR)
tag_set_new_default = _bind(_simhash, "simhash_tag_set_new_default", c_int, POINTER(c_void_p), _ERROR)
tag_set_parse = _bind(
    _simhash, "simhash_tag_set_parse", c_int, c_char_p, c_size_t, c_char_p, POINTER(c_void_p), _ERROR
)
tag_set_read = _bind(_simhash, "simhash_tag_set_read", c_int, c_char_p, POINTER(c_void_p), _ERROR)
tag_set_free = _bind(_simhash, "simhash_tag_set_free", None, c_void_p)
tag_set_name = _bind(_simhash, "simhash_tag_set_name", c_char_p, c_void_p)
tag_set_tags = _bind(_simhash, "simhash_tag_set_tags", POINTER(CTag), c_void_p)
scanner_init = _bind(_simhash, "simhash_scanner_init", None, POINTER(CScanner), c_void_p)
scanner_update = _bind(_simhash, "simhash_scanner_update", None, POINTER(CScanner), c_void_p, c_size_t)
scanner_finish = _bind(_simhash, "simhash_scanner_finish", None, POINTER(CScanner), POINTER(CSumTable))
keys_compute = _bind(
    _simhash, "simhash_keys_compute", None, c_void_p, POINTER(CSumTable), c_char_p, c_size_t, POINTER(CKeys)
)
tolerance_from_percent = _bind(
    _simhash, "simhash_tolerance_from_percent", c_int, c_double, POINTER(CTolerance), _ERROR
)
key_parse = _bind(_simhash, "simhash_key_parse", c_int, c_char_p, POINTER(c_int), _ERROR)
sizes_agree = _bind(_simhash, "simhash_sizes_agree", c_bool, POINTER(CTolerance), c_int64, c_int64)
sum_table_hit = _bind(_simhash, "simhash_sum_table_hit", c_bool, POINTER(CTolerance), c_uint64, c_int64, c_int64)
distance = _bind(_simhash, "simhash_distance", c_uint64, POINTER(CSumTable), POINTER(CSumTable))
sketcher_new = _bind(_simhash, "simhash_resemblance_scanner_new", c_int, POINTER(c_void_p), _ERROR)
sketcher_free = _bind(_simhash, "simhash_resemblance_scanner_free", None, c_void_p)
sketcher_update = _bind(_simhash, "simhash_resemblance_scanner_update", None, c_void_p, c_void_p, c_size_t)
sketcher_finish = _bind(_simhash, "simhash_resemblance_scanner_finish", None, c_void_p, POINTER(CSketch))
same_text = _bind(_simhash, "simhash_resemblance_same_text", c_bool, POINTER(CSketch), POINTER(CSketch))
resemblance_estimate = _bind(
    _simhash,
    "simhash_resemblance_estimate",
    c_bool,
    POINTER(CSketch),
    c_int64,
    POINTER(CSketch),
    c_int64,
    POINTER(c_double),
)
containment_estimate = _bind(
    _simhash,
    "simhash_containment_estimate",
    c_bool,
    POINTER(CSketch),
    c_int64,
    POINTER(CSketch),
    c_int64,
    POINTER(c_double),
)
_version = _bind(_simhash, "simhash_version", c_char_p)

index_open = _bind(
    _simhash_index, "simhash_index_open", c_int, c_char_p, POINTER(COptions), POINTER(c_void_p), _ERROR
)
index_close = _bind(_simhash_index, "simhash_index_close", None, c_void_p)
index_tags = _bind(_simhash_index, "simhash_index_tags", POINTER(CTag), c_void_p)
files_begin = _bind(_simhash_index, "simhash_index_files_begin", c_int, c_void_p, POINTER(c_void_p), _ERROR)
files_next = _bind(_simhash_index, "simhash_index_files_next", c_int, c_void_p, POINTER(POINTER(CFile)), _ERROR)
files_end = _bind(_simhash_index, "simhash_index_files_end", None, c_void_p)
search_init = _bind(_simhash_index, "simhash_index_search_init", None, POINTER(CSearch))
index_pairs = _bind(
    _simhash_index, "simhash_index_pairs", c_int, c_void_p, POINTER(CSearch), PAIR_FUNCTION, c_void_p, _ERROR
)
index_pairs_of_file = _bind(
    _simhash_index,
    "simhash_index_pairs_of_file",
    c_int,
    c_void_p,
    POINTER(CSearch),
    c_char_p,
    PAIR_FUNCTION,
    c_void_p,
    _ERROR,
)
index_pairs_of_table = _bind(
    _simhash_index,
    "simhash_index_pairs_of_table",
    c_int,
    c_void_p,
    POINTER(CSearch),
    POINTER(CSumTable),
    c_int64,
    c_char_p,
    PAIR_FUNCTION,
    c_void_p,
    _ERROR,
)
groups_begin = _bind(
    _simhash_index,
    "simhash_index_groups_begin",
    c_int,
    c_void_p,
    POINTER(CSearch),
    c_int,
    POINTER(c_void_p),
    _ERROR,
)
groups_next = _bind(
    _simhash_index, "simhash_index_groups_next", c_int, c_void_p, POINTER(POINTER(CGroup)), _ERROR
)
groups_end = _bind(_simhash_index, "simhash_index_groups_end", None, c_void_p)


def library_version() -> str:
    """The version of the loaded libsimhash."""
    version: bytes = _version()
    return version.decode()


# ---- Errors ----


class Error(Exception):
    """An error of the libraries. The message is one line, which may contain any bytes of a path.

    A failed system call raises OSError, and a failed allocation raises MemoryError.
    """


class InvalidError(Error, ValueError):
    """A text that does not have the expected form, or a value outside its range."""


class DatabaseError(Error):
    """The database refused a statement, or contains damaged rows."""


class SchemaError(DatabaseError):
    """The database is not an index, or is an index of another version."""


class ServerError(DatabaseError):
    """A server cannot be reached, or the connection was lost."""


_EXCEPTIONS = {3: InvalidError, 4: InvalidError, 16: DatabaseError, 17: SchemaError, 18: ServerError}


def exception_of(error: CError) -> Exception:
    """The exception for an error that a function reported."""
    message = os.fsdecode(error.message)
    if error.code == 1:
        return MemoryError(message)
    if error.code == 2:
        return OSError(error.system_errno, message) if error.system_errno else OSError(message)
    return _EXCEPTIONS.get(error.code, Error)(message)


def check(status: int, error: CError) -> int:
    """Return the status of a call, or raise its error."""
    if status < 0:
        raise exception_of(error)
    return status
