"""Tests simhash.scan and similar functions: compares them with simhash --print and the definition, and checks wrong calls.

SPDX-License-Identifier: MIT
"""

import ctypes
import io
import mmap
import os
import pathlib
import pickle
import random
import re
import sqlite3
import subprocess
import sys
import threading

import numpy
import pytest

import simhash
from simhash import _library

CONTENT = random.Random(23).randbytes(300_000)


def printed(path):
    """The numbers of `simhash --print`: sums, keys by name, and the sketch."""
    lines = subprocess.run([os.environ["SIMHASH"], "--print", path], check=True, stdout=subprocess.PIPE).stdout
    words = [line.split() for line in lines.decode("utf-8", "surrogateescape").splitlines()]
    return words


def test_sum_table_is_that_of_simhash(tmp_path):
    path = tmp_path / "some.odt"
    path.write_bytes(CONTENT)
    words, table = printed(path), simhash.scan(path)
    assert list(table.counts) == [int(word[2]) for word in words if word[0] == "sum"]
    assert {name: str(key) for name, key in table.keys(path)._asdict().items()}.items() <= {
        word[-2]: word[-1] for word in words if len(word) > 1
    }.items()
    assert table.size_bytes == len(CONTENT)
    assert [simhash.sketch(path)] == [
        simhash.Sketch(bytes.fromhex(word[-1]), len(CONTENT)) for word in words if re.fullmatch("([0-9a-f]{256}|[0-9a-f]{288})", word[-1])
    ]


def test_sum_table_is_as_defined():
    content = CONTENT[:5000]
    bits = "".join(f"{byte:08b}" for byte in content)
    # The search continues after the complete tag that was found, like str.count.
    assert simhash.scan(content).counts == tuple(bits.count(f"{tag.pattern:08b}") for tag in simhash.TagSet().tags)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO, "path", "file", "mmap", "read", "array"])
def test_every_source_gives_the_same(kind, tmp_path):
    path = tmp_path / "content"
    path.write_bytes(CONTENT)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:

        class OnlyReads:
            read = file.read

        named = {
            "path": str(path),
            "file": file,
            "mmap": mapped,
            "read": OnlyReads(),
            "array": (ctypes.c_uint16 * (len(CONTENT) // 2)).from_buffer_copy(CONTENT),
        }
        for function in (simhash.scan, simhash.sketch):
            file.seek(0)
            assert function(named.get(kind) or kind(CONTENT)) == function(CONTENT)


def test_odd_paths_and_contents(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff\n\xc3"
    pathlib.Path(os.fsdecode(path)).write_bytes(b"abc")
    assert simhash.scan(os.fsdecode(path)) == simhash.scan(b"abc")
    for empty in (b"", bytearray(), memoryview(b"")):
        assert simhash.scan(empty).counts == (0,) * 16
    assert simhash.scan(memoryview(CONTENT)[7:1000]) == simhash.scan(CONTENT[7:1000])
    with pytest.raises(FileNotFoundError):
        simhash.scan(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        simhash.scan(tmp_path)
    for wrong in (7, None, memoryview(CONTENT)[::2]):
        with pytest.raises(TypeError):
            simhash.scan(wrong)


def test_pieces_make_no_difference():
    for sizes in ([1, 2, 3], [65536, 17], [100_000]):
        scanner, at = simhash.Scanner(), 0
        for size in sizes:
            scanner.update(CONTENT[at : at + size])
            at += size
            assert scanner.table() == simhash.scan(CONTENT[:at])
            assert scanner.sketch() == simhash.sketch(CONTENT[:at])


def test_distance_resemblance_and_similarity():
    other = CONTENT[:150_000] + b"inserted" * 20 + CONTENT[150_000:]
    a, b = simhash.scan(CONTENT), simhash.scan(other)
    assert a.distance(b) == sum(abs(x - y) for x, y in zip(a.counts, b.counts)) > 0
    assert a.is_similar(b) and not a.is_similar(b, percent=0)
    assert not a.is_similar(simhash.scan(CONTENT[: len(CONTENT) // 2]), percent=100)
    x, y = simhash.sketch(CONTENT), simhash.sketch(other)
    assert x.resemblance(y) > 0.95 and x.resemblance(x) == 1
    assert simhash.sketch(CONTENT[:250_000]).containment(x) > 0.8
    text, crlf = b"a text\n" * 99 + b"its last line\n", b"a text \r\n" * 99 + b"its last line"
    assert simhash.sketch(text).same_text(simhash.sketch(crlf)) and not x.same_text(simhash.sketch(text))
    assert simhash.sketch(text).resemblance(simhash.sketch(crlf)) == 1 and len(bytes(simhash.sketch(text))) == 144
    assert simhash.sketch(b"short").resemblance(simhash.sketch(b"other")) is None
    assert a.keys() == a.keys("no-extension") and a.keys("x.c").uniform_ext == a.keys("/dir.d/y.c").uniform_ext


def test_tables_and_sketches_are_values(tmp_path):
    table, sketch = simhash.scan(CONTENT), simhash.sketch(CONTENT)
    for value in (table, sketch, table.tags):
        again = pickle.loads(pickle.dumps(value))
        assert again == value and hash(again) == hash(value) and again != "other"
    assert simhash.SumTable(table.counts, table.size_bytes) == table
    assert simhash.Sketch(bytes(sketch), len(CONTENT)) == sketch
    assert "SumTable" in repr(table) and bytes(sketch).hex() in repr(sketch) and "sample" in repr(table.tags)
    for wrong in (lambda: simhash.SumTable([1] * 15, 9), lambda: simhash.SumTable([10] * 16, 9)):
        with pytest.raises(simhash.InvalidError):
            wrong()
    with pytest.raises(ValueError, match="128 or 144 bytes"):
        simhash.Sketch(b"x", 1)


def test_tag_sets(tmp_path):
    default = simhash.TagSet()
    lines = "".join(f"{tag.pattern ^ 1:02x} 1 {tag.skew / 1000}\n" for tag in default.tags)
    (tmp_path / "mine.txt").write_text(lines)
    mine = simhash.TagSet.read(tmp_path / "mine.txt")
    assert mine.name == "mine" and mine != default
    assert simhash.TagSet.parse(lines, "other.txt") == mine == simhash.TagSet("x", mine.tags)
    with pytest.raises(simhash.InvalidError, match="mine and sample"):
        simhash.scan(CONTENT, mine).distance(simhash.scan(CONTENT))
    with pytest.raises(simhash.InvalidError, match="other.txt:1"):
        simhash.TagSet.parse("zz", "other.txt")
    with pytest.raises(FileNotFoundError, match="none"):
        simhash.TagSet.read(tmp_path / "none")
    with pytest.raises(simhash.InvalidError, match="16 tags, not 3"):
        simhash.TagSet("x", default.tags[:3])
    # A result of a tag set keeps the set in existence.
    table = simhash.scan(CONTENT, simhash.TagSet("x", mine.tags))
    assert table.keys("a.b") == simhash.scan(CONTENT, mine).keys("a.b")


def test_numpy_arrays():
    table = simhash.scan(CONTENT)
    array = numpy.asarray(table)
    assert array.dtype == numpy.uint64 and array.tolist() == list(table.counts)
    array[0] = 7  # a copy
    assert simhash.scan(CONTENT) == table
    many = simhash.counts([table, simhash.scan(b"other")])
    assert many.shape == (2, 16) and many[1].tolist() == list(simhash.scan(b"other").counts)
    assert simhash.counts([]).shape == (0, 16)
    assert simhash.scan(numpy.frombuffer(CONTENT, dtype=numpy.uint16)) == table


def test_another_thread_runs_while_one_scans():
    scanner, gate, ran = simhash.Scanner(), threading.Lock(), []
    interval = sys.getswitchinterval()
    gate.acquire()

    def run():
        with gate:
            ran.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    # From now on, another thread runs only if the GIL is released.
    sys.setswitchinterval(3600)
    try:
        gate.release()
        while not ran:
            scanner.update(CONTENT)
    finally:
        sys.setswitchinterval(interval)
    thread.join()


def test_threads_share_a_scanner():
    scanner = simhash.Scanner()
    pieces = [b"\0" * 4096] * 200
    threads = [threading.Thread(target=lambda: list(map(scanner.update, pieces))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scanner.table() == simhash.scan(bytes(4096 * 800)) and scanner.sketch() == simhash.sketch(bytes(4096 * 800))


def test_a_buffer_cannot_be_resized_while_it_is_scanned():
    buffer, waiting, go = bytearray(CONTENT), threading.Event(), threading.Event()
    scanner = simhash.Scanner(sketch=False)
    take = scanner._take

    def stopped(data, size):
        waiting.set()
        go.wait()
        take(data, size)

    scanner._take = stopped
    thread = threading.Thread(target=scanner.update, args=(buffer,))
    thread.start()
    waiting.wait()
    with pytest.raises(BufferError):
        buffer.clear()
    go.set()
    thread.join()
    assert scanner.table() == simhash.scan(CONTENT)
    buffer.clear()


def test_structs_are_laid_out_as_the_compiler_does():
    structs = {
        "simhash_error": _library.CError,
        "simhash_tag": _library.CTag,
        "simhash_sum_table": _library.CSumTable,
        "simhash_scanner": _library.CScanner,
        "simhash_keys": _library.CKeys,
        "simhash_tolerance": _library.CTolerance,
        "simhash_resemblance_sketch": _library.CSketch,
        "simhash_index_options": _library.COptions,
        "simhash_index_file": _library.CFile,
        "simhash_index_search": _library.CSearch,
        "simhash_index_pair": _library.CPair,
        "simhash_index_member": _library.CMember,
        "simhash_index_group": _library.CGroup,
    }
    declared = set()
    for name, struct in structs.items():
        declared.add(f"{name} - - {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            declared.add(f"{name} {field} {place.offset} {place.size}")
    compiled = subprocess.run([os.environ["LAYOUTS"]], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert declared == set(compiled.splitlines())


def test_all_but_arrays_works_without_numpy():
    program = "import sys; sys.modules['numpy'] = None; import simhash; print(simhash.scan(b'content').counts)"
    ran = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
    assert ran.stdout.strip() == str(simhash.scan(b"content").counts)


def locks_of(path):
    """The number of locks on a file in the kernel's list."""
    with open("/proc/locks") as file:
        inode = f":{os.stat(path).st_ino} "
        return sum(inode in line for line in file)


@pytest.mark.parametrize("ending", ["", "-shm"])
@pytest.mark.parametrize("through", ["path", "hard link", "symbolic link"])
def test_a_database_that_this_process_has_open_keeps_its_locks(tmp_path, ending, through):
    database = tmp_path / "a.db"
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (1)")
    path = pathlib.Path(f"{database}{ending}")
    locks = locks_of(path)
    assert locks > 0
    name = path
    if through != "path":
        name = tmp_path / "other"
        (os.link if through == "hard link" else os.symlink)(path, name)
    open_files = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        assert simhash.sketch(name).size_bytes == path.stat().st_size
        simhash.scan(str(name))
        assert locks_of(path) == locks
    # One descriptor stays open, no matter how often the file is read.
    assert len(os.listdir("/proc/self/fd")) == open_files + 1
    connection.execute("COMMIT")
    connection.close()


def test_files_are_closed(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"SQLite format 3\0" + bytes(496))
    open_files = len(os.listdir("/proc/self/fd"))
    assert simhash.sketch(path).size_bytes == 512
    assert len(os.listdir("/proc/self/fd")) == open_files
    with pytest.raises(FileNotFoundError):
        simhash.scan(tmp_path / "nothing")


def test_version_and_documentation():
    header = pathlib.Path(os.environ["SOURCE_DIR"], "include", "simhash.h").read_text()
    assert f'#define SIMHASH_VERSION "{simhash.__version__}"' in header
    assert simhash.library_version() == simhash.__version__
    for name in simhash.__all__:
        thing = getattr(simhash, name)
        assert thing.__doc__, name
        for method, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not method.startswith("_") and issubclass(type(value), type(test_tag_sets)):
                assert value.__doc__, f"{name}.{method}"
