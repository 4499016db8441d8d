"""Compares simhash.Index with simfind, and tests iterators when an index is closed or the process forks.

SPDX-License-Identifier: MIT
"""

import gc
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading

import pytest

import simhash

URL, SIMHASH, SIMFIND = (os.environ[name] for name in ("TEST_URL", "SIMHASH", "SIMFIND"))
FILES = pathlib.Path(os.environ["TEST_FOLDER"], "files")


@pytest.fixture(scope="module", autouse=True)
def tree():
    """An index with identical and similar files, unusual names and another host."""
    rng, folder = random.Random(5), os.fsencode(FILES)
    (FILES / "sub").mkdir(parents=True, exist_ok=True)
    for family in range(12):
        lines = [b"%d" % rng.randrange(10**9) for _ in range(2000)]
        for version in range(5):
            with open(folder + b"/family%02d_%d.txt" % (family, version), "wb") as file:
                file.write(b"\n".join(lines[version * 3 :]))
        with open(folder + b"/sub/copy\xff\n%d" % family, "wb") as file:
            file.write(b"\n".join(lines))
    (FILES / "empty").touch()
    subprocess.run([SIMHASH, "-d", URL, "-q", FILES], check=True)
    subprocess.run([SIMHASH, "-d", URL, "-q", "--host=elsewhere", FILES / "sub"], check=True)


def simfind(*options):
    output = subprocess.run([SIMFIND, "-d", URL, "--summary=none", "--format=json", *options], check=True, stdout=subprocess.PIPE)
    return json.loads(output.stdout.decode("utf-8", "surrogateescape"), strict=False)


def shown(file):
    """As simfind shows it: another host before the path."""
    path = file.path if file.host != "elsewhere" else f"elsewhere:{file.path}"
    return path


def path_of(item, name="path"):
    """JSON has bytes that are not UTF-8 in another field."""
    return os.fsdecode(bytes.fromhex(item[name + "_hex"])) if name + "_hex" in item else item[name]


def summary(pair):
    share = None if pair.resemblance is None else round(pair.resemblance, 6)
    return (shown(pair.a), shown(pair.b), pair.distance, pair.is_identical, share)


def expected(*options):
    return sorted(
        (
            path_of(pair, "path_a"),
            path_of(pair, "path_b"),
            pair["distance"],
            pair["match"] == "identical",
            round(pair["resemblance"], 6) if "resemblance" in pair else None,
        )
        for pair in simfind(*options)
    )


def test_files_are_as_scanned():
    with simhash.Index(URL) as index:
        files = list(index)
        assert len(files) == 60 + 12 * 2 + 1
        for file in files:
            content = pathlib.Path(file.path).read_bytes()
            assert file.table == simhash.scan(content) and file.size_bytes == len(content)
            assert file.keys == file.table.keys(file.path)
            assert file.sketch == simhash.sketch(content)
            assert file.mtime_ns == os.stat(file.path_bytes).st_mtime_ns and file.compressed_size_bytes == 0
            assert len(file.content_hash) == 16
        assert {file.host for file in files} == {"elsewhere", socket.gethostname()}
        assert any(b"\xff\n" in file.path_bytes for file in files)
        assert simhash.counts(index.files()).shape == (len(files), 16)
    # They are copies.
    assert files[0].path and files[0].table.distance(files[0].table) == 0 and files[0] == files[0]
    assert files[0] != files[1] and len(set(files)) == len(files)


def test_pairs_are_those_of_simfind():
    with simhash.Index(URL) as index:
        assert sorted(map(summary, index.pairs())) == expected() != []
        assert sorted(map(summary, index.pairs(simhash.Search(every_copy=True)))) == expected("--group=none")
        paper = simhash.Search(key="skew_ext", tolerance=1, verify=False)
        assert sorted(map(summary, index.pairs(paper))) == expected("--verify=no")
        assert {pair.verified for pair in index.pairs(paper)} <= {
            simhash.Verified.UNVERIFIED,
            simhash.Verified.BY_HASH,
        }
        strict = simhash.Search(min_resemblance=0.99, threads=1)
        assert sorted(map(summary, index.pairs(strict))) == expected("--min-resemblance=0.99")


@pytest.mark.parametrize("linkage", simhash.Linkage)
def test_groups_are_those_of_simfind(linkage):
    with simhash.Index(URL) as index:
        groups = list(index.groups(linkage=linkage))
        found = [
            (
                group.id,
                group.size_bytes,
                group.copied_bytes,
                [(member.role.name.lower(), shown(member.file), member.distance) for member in group.members],
            )
            for group in groups
        ]
    assert found == [
        (
            group["id"],
            group["bytes"],
            group["copied_bytes"],
            [(member["role"], path_of(member), member["distance"]) for member in group["members"]],
        )
        for group in simfind(f"--group={linkage.name.lower()}")
    ]
    assert len(found) == 12 and groups[0].representative == groups[0].members[0].file


def test_neighbours(tmp_path):
    asked = FILES / "family03_2.txt"
    with simhash.Index(URL) as index:
        near = index.neighbours(asked)
        assert all(pair.a.path == str(asked) for pair in near)
        assert sorted(shown(pair.b) for pair in near) == sorted(
            path for pair in expected(str(asked)) for path in pair[:2] if path != str(asked)
        )
        other = tmp_path / "new.txt"
        other.write_bytes(asked.read_bytes() + b"\nmore")
        assert {pair.b.path for pair in index.neighbours(other)} >= {str(asked)}
        by_table = index.neighbours(simhash.scan(other), name="new.txt")
        assert str(asked) in {pair.b.path for pair in by_table} and by_table[0].resemblance is None
        assert [pair.a.host for pair in by_table] == [""] * len(by_table)
        with pytest.raises(FileNotFoundError):
            index.neighbours(tmp_path / "none")
        with pytest.raises(ValueError, match="null byte"):
            index.neighbours("a\0b")
        mine = simhash.TagSet("x", [tag._replace(pattern=tag.pattern ^ 1) for tag in index.tags.tags])
        with pytest.raises(simhash.InvalidError, match="tag set x"):
            index.neighbours(simhash.scan(b"x", mine))


def test_iterators_nest_and_threads_share_an_index():
    with simhash.Index(URL) as index:
        nested = 0
        for pair in index.pairs():
            nested += len(index.neighbours(pair.a.path)) > 0
            next(index.files())
        assert nested == len(expected())
        wanted, found = sorted(map(summary, index.pairs())), []
        threads = [threading.Thread(target=lambda: found.append(sorted(map(summary, index.pairs())))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [wanted] * 4


@pytest.mark.parametrize("begin", ["files", "pairs", "groups"])
def test_an_index_closed_under_an_iterator(begin):
    index = simhash.Index(URL)
    iterator = getattr(index, begin)()
    first = next(iterator)
    index.close()
    index.close()
    with pytest.raises(ValueError, match="the index is closed"):
        next(iterator)
    assert repr(first)  # its results stay valid
    for call in (index.files, index.pairs, index.groups, lambda: index.neighbours("/")):
        with pytest.raises(ValueError, match="the index is closed"):
            call()
    # An index without references ends after its iterators.
    iterator = getattr(simhash.Index(URL), begin)()
    next(iterator)
    gc.collect()
    assert next(iterator)


def test_iterators_that_are_given_up():
    before = {thread.name for thread in threading.enumerate()}
    with simhash.Index(URL) as index:
        for begin in (index.files, index.pairs, index.groups):
            iterator = begin()
            next(iterator)
            iterator.close()
            with pytest.raises(StopIteration):
                next(iterator)
            next(begin())
            begin()
    for thread in threading.enumerate():
        if thread.name == "simhash pairs":
            thread.join()
    assert {thread.name for thread in threading.enumerate()} == before


def test_a_program_that_ends_while_it_searches():
    program = "import simhash; i = simhash.Index(%r); p = i.pairs(simhash.Search(every_copy=True)); f = i.files(); print(next(p), next(f))"
    for _ in range(5):
        ended = subprocess.run([sys.executable, "-c", program % URL], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (ended.returncode, ended.stderr) == (0, b"") and ended.stdout


def test_pairs_wait_for_who_takes_them(monkeypatch):
    monkeypatch.setattr(simhash._index, "_WAITING_MAX", 2)
    with simhash.Index(URL) as index:
        assert sorted(map(summary, index.pairs())) == expected()


def test_errors(tmp_path):
    with pytest.raises(simhash.InvalidError, match="nonsense"):
        simhash.Index("nonsense:x")
    with pytest.raises(simhash.InvalidError, match="no tag set 'mine'"):
        simhash.Index(URL, tag_set="mine")
    (tmp_path / "no.db").write_bytes(b"no database" * 100)
    with pytest.raises(simhash.DatabaseError):
        simhash.Index(tmp_path / "no.db")
    with pytest.raises(FileNotFoundError):
        simhash.Index(tmp_path / "none.db")
    with simhash.Index(URL) as index:
        for wrong in (
            simhash.Search(tolerance=101),
            simhash.Search(key="none"),
            simhash.Search(size_ratio=0.5),
            simhash.Search(min_resemblance=2),
            simhash.Search(threads=-1),
            simhash.Search(threads=1 << 30),
        ):
            with pytest.raises(simhash.InvalidError):
                list(index.pairs(wrong))
        with pytest.raises(simhash.InvalidError):
            list(index.groups(simhash.Search(threads=1 << 30)))


def test_a_callers_error_ends_a_search(monkeypatch):
    def fail(raw, tags):
        raise KeyError("mine")

    monkeypatch.setattr(simhash._index, "_pair_of", fail)
    with simhash.Index(URL) as index:
        with pytest.raises(KeyError, match="mine"):
            list(index.pairs())
        with pytest.raises(KeyError, match="mine"):
            index.neighbours(FILES / "family03_2.txt")


def in_child(work):
    """The result of `work` as text, in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = str(work())
        except BaseException as exception:
            answer = f"{type(exception).__name__}: {exception}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


def test_an_index_is_not_used_in_a_child_of_fork():
    with simhash.Index(URL) as index:
        files = len(list(index))
        for work in (lambda: len(list(index)), lambda: len(list(simhash.Index(URL)))):
            assert in_child(work).startswith("InvalidError: an index was open when this process was forked")
        assert in_child(index.close) == "None"
        assert len(list(index)) == files
    assert in_child(lambda: len(list(simhash.Index(URL)))) == str(files)
