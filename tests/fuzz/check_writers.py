#!/usr/bin/env python3
"""Reads the output of fuzz_writers in a folder with Python's own readers: the fields must equal
the names. Usage: check_writers.py FOLDER"""
import csv
import html.parser
import io
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
names = [(folder / f"name.{i}").read_bytes() for i in range(3)]


def read(name):
    return (folder / name).read_bytes()


def json_name(record, field):
    if field + "_hex" in record:
        return bytes.fromhex(record[field + "_hex"])
    return record[field].encode()


def check_csv():
    text = read("pairs.csv").decode("latin-1")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == 1, rows
    # A name that a spreadsheet might treat as a formula gets an apostrophe at its beginning.
    paths = [rows[0][column].encode("latin-1").removeprefix(b"'") for column in ("path_a", "path_b")]
    assert paths == names[:2]
    for path, name in zip((rows[0]["path_a"], rows[0]["path_b"]), names):
        assert path.startswith("'") == (name[:1] in [bytes([byte]) for byte in b"=+-@\t\r\n'"])


def check_json():
    for record in [*json.loads(read("pairs.json")), json.loads(read("pairs.jsonl"))]:
        assert [json_name(record, "path_a"), json_name(record, "path_b")] == names[:2], record
    for group in [*json.loads(read("groups.json")), json.loads(read("groups.jsonl"))]:
        assert [json_name(member, "path") for member in group["members"]] == names, group


def check_null():
    assert read("pairs.null") == b"".join(name + b"\0" for name in names[:2])


class Page(html.parser.HTMLParser):
    """Collects the data, and counts the elements; no name may add an element."""

    def __init__(self):
        super().__init__()
        self.data, self.inside, self.scripts = "", False, 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.inside = ("id", "data") in attrs

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.data += data


def unescaped(text):
    r"""The bytes of a path from the form in the report: \n, \t, \xHH, \\ and UTF-8."""
    def one(match):
        word = match.group(1)
        special = {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}
        return special.get(word) or bytes([int(word[1:], 16)])
    return re.sub(rb"\\(n|t|\\|x[0-9a-f]{2})", one, text.encode())


def check_report():
    page = Page()
    page.feed(read("report.html").decode())
    assert page.scripts == 2, page.scripts
    groups = json.loads(page.data)["groups"]
    files = [file for group in groups for content in group[3] for file in content[8]]
    shown = sorted(unescaped(file[0]) for file in files)
    assert shown == sorted(names), shown
    # For a name that is not shown unchanged, all its bytes are also stored.
    for file in files:
        assert (bytes.fromhex(file[5]) if len(file) > 5 else file[0].encode()) == unescaped(file[0]), file


def check_script():
    commands = re.findall("^#(?:hardlink|reflink|delete) ({.*})$", read("copies.sh").decode(), re.MULTILINE)
    for record in map(json.loads, commands):
        assert {json_name(record, "kept"), json_name(record, "copy")} <= set(names), record


for check in (check_csv, check_json, check_null, check_report, check_script):
    check()
