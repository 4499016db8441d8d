"""Computes the expected texts of the report from the groups as JSON, the index and the files.

    expected.py FOLDER FIRST OTHER >expected.json

Reads groups.json, folders.json, lead, hashes, counts and hunks, which html.sh makes. FIRST and OTHER are
the files of the pair to open.
SPDX-License-Identifier: MIT
"""
import json
import os
import re
import socket
import sys

FOLDER, FIRST, OTHER = sys.argv[1:]


def shown(path):
    """The name as it is displayed, with the escapes for the names in html.sh."""
    return path.replace("\\", "\\\\").replace("\n", "\\n").replace("\x1b", "\\x1b").replace("\ufffd", "\\xff")


def size(count):
    units = ["bytes", "kB", "MB"]
    while count >= 999.95:
        count /= 1000
        units.pop(0)
    return f"{count} bytes" if units[0] == "bytes" else f"{count:.1f} {units[0]}"


def kind(member):
    """0: a copy, 1: nearly identical, 2: similar."""
    if member["role"] == "copy":
        return 0
    return 1 if member["resemblance"] >= 0.9 else 2


def label(member):
    percent = 100 * member["resemblance"]
    return "%d %%" % (percent + 1e-4) if percent < 99.5 else ">99 %"


def others(group):
    """Each file except for the first, with the file that it is compared with: the first, or the one that it is a copy of."""
    last = group["members"][0]
    for member in group["members"][1:]:
        yield member, last if member["role"] == "copy" else group["members"][0]
        last = last if member["role"] == "copy" else member


def matches(group, text="", folder="", kind_is=None, common=0, least=0, type_is=None):
    def fits(member):
        path = shown(member["path"])
        return (text.lower() in path.lower() and path.startswith(folder) and member["size"] >= least and
                type_is in (None, path.rsplit(".", 1)[-1]))
    if kind_is is None and common == 0:
        return any(fits(member) for member in group["members"])
    return any((kind_is is None or kind(member) == kind_is) and
               (kind(member) == 0 or member["resemblance"] >= common) and (fits(member) or fits(like))
               for member, like in others(group))


def filters(groups):
    found = []
    for chosen, options in (
            ({"text": "GROUP1"}, {"text": "GROUP1"}),
            ({"kind": "1"}, {"kind_is": 1}),
            ({"kind": "0", "text": "group1"}, {"kind_is": 0, "text": "group1"}),
            ({"kind": "1", "folder": FOLDER + "/others"}, {"kind_is": 1, "folder": FOLDER + "/others/"}),
            ({"kind": "1", "type": "txt", "size": "1e4"}, {"kind_is": 1, "type_is": "txt", "least": 10000}),
            ({"kind": "2"}, {"kind_is": 2}),
            ({"common": "80"}, {"common": 0.8}),
            ({"common": "99"}, {"common": 0.99}),
            ({"common": "95", "kind": "1", "text": "group", "type": "txt", "size": "1e3", "folder": FOLDER},
             {"common": 0.95, "kind_is": 1, "text": "group", "type_is": "txt", "least": 1000, "folder": FOLDER + "/"})):
        count = sum(matches(group, **options) for group in groups)
        assert 0 < count <= len(groups), chosen
        found.append({"set": chosen, "groups": count})
    assert len({f["groups"] for f in found}) > 3, found
    return found


def keepers(members, rule, folder):
    def time(member):
        return os.stat(member["path"]).st_mtime_ns
    if rule == "folder":
        return [m for m in members if m["path"].startswith(folder + "/")]
    key = {"oldest": lambda m: (time(m), len(m["path"]), m["path"]),
           "newest": lambda m: (-time(m), len(m["path"]), m["path"]),
           "shortest": lambda m: (len(m["path"]), m["path"])}[rule]
    return [min(members, key=key)]


def decide(groups, rule, scope="same", text="", folder=""):
    chosen = [group for group in groups if matches(group, text=text)]
    kept, given = [], 0
    for group in chosen:
        units = [[]]
        for member in group["members"]:
            if member["role"] == "member" and scope == "same":
                units.append([])
            units[-1].append(member)
        for unit in units:
            keep = keepers(unit, rule, folder) if len(unit) > 1 else []
            kept += keep
            given += len(unit) - len(keep) if keep else 0
    return {"text": text, "scope": scope, "folder": folder, "groups": len(chosen), "decided": [len(kept), given],
            "kept": sorted(os.path.basename(m["path"]) for m in kept)}


def hostile():
    """The line of each file in its harmless form; the names decide which file is A."""
    with open(os.path.join(FOLDER, "others", "hostile-a.txt"), encoding="ascii") as file:
        line = file.read().split("\n")[500]
    return ["-" + line, "+</script><script>window.injected=1</script>[U+202E]\ufffd\u241b[31m<!--"]


def rows(group):
    """The path of each file, its relation, and the file that it is a copy of, if that is not the first."""
    first, found = group["members"][0], []
    for member, original in [(first, first), *others(group)]:
        is_copy = member["role"] == "copy"
        found.append([member["path"], "first file" if member is first else "identical" if is_copy else label(member),
                      "same as " + os.path.relpath(original["path"], FOLDER) if is_copy and original is not first else ""])
    return found


def whole(pair):
    a, b = (os.path.relpath(pair[side]["path"], FOLDER) for side in "ab")
    percent = 100 * pair["a"]["shared_bytes"] // pair["a"]["bytes"]
    texts = {"identical": f"{a} is a copy of {b}", "contained": f"All of {a} is in {b}"}
    return [texts.get(pair["match"], f"{a} is {percent} % in {b}"), "frees " + size(pair["saved_bytes"])]


def main():
    groups = json.load(open("groups.json", encoding="utf-8"))
    members = [m for group in groups for m in group["members"]]
    counts = [int(line) for line in open("counts")]
    by_kind = [[m for group in groups for m, _ in others(group) if kind(m) == k] for k in range(3)]
    assert all(by_kind), by_kind
    everything = [os.path.join(folder, name) for folder, _, names in os.walk(os.fsencode(FOLDER)) for name in names]
    folders = {}
    for member in members:
        name = member["path"][len(FOLDER) + 1:].split("/")[0]
        folders[name] = folders.get(name, 0) + 1
    with open("hashes", encoding="utf-8", errors="replace") as file:
        # A name with a newline continues on the next line.
        hashes = dict(reversed(line.split("|", 1)) for line in re.split(r"\n(?=[0-9A-F]{32}\|)", file.read().rstrip("\n")))
    lines = [re.sub(r"^@@ -(\d+),\d+ \+(\d+),\d+ @@$", r"line \1 of A, line \2 of B", line.rstrip("\n"))
             for line in open("hunks", encoding="utf-8")]
    sizes = [os.stat(path).st_size for path in (FIRST, OTHER)]

    def date(path):
        return {"a": "2020-02-03 04:05", "b": "2019-01-01 00:00", "c": "2021-06-07 08:09:10"}[path[-5]]
    facts = []
    for path, own, other, age in ((FIRST, sizes[0], sizes[1], " (older)"), (OTHER, sizes[1], sizes[0], " (newer)")):
        facts += [date(path) + (age if FIRST[-5] != "c" else " (newer)" if path == FIRST else " (older)"),
                  size(own) + (f" ({size(own - other)} more)" if own > other else "")]
    print(json.dumps({
        "title": "Similar files in " + FOLDER, "lead": open("lead", encoding="utf-8").read().rstrip("\n"),
        "whole": [whole(pair) for pair in json.load(open("folders.json", encoding="utf-8"))
                  if pair["a"]["files"] > 1 and pair["saved_bytes"] > 0],
        "groups": len(groups), "files": len(members), "rows": len(everything), "ids": [g["id"] for g in groups],
        "kinds": [len(of) for of in by_kind], "kind_bytes": [size(sum(m["size"] for m in of)) for of in by_kind],
        "command": "simfind --group=single --format=html:thumbnails -o report.html",
        "about": {"Index": os.environ["SIMHASH_DATABASE"], "Similar": "Verified by sketches",
                  "Found": f"{len(groups)} groups of {len(members)} files"},
        "index": os.environ["SIMHASH_DATABASE"], "host": socket.gethostname(),
        "most_files": max(g["files"] for g in groups), "filters": filters(groups), "folders": folders,
        "pair": {"a": FIRST, "b": OTHER, "rows": rows(next(g for g in groups if g["members"][0]["path"] == FIRST)), "common": label(next(m for m in members if m["path"] == OTHER)),
                 "counts_a": counts[:16], "counts_b": counts[16:], "lines": lines, "facts": facts},
        "absences": {
            "noise-b.bin": "These are not text files, so there are no lines to compare.",
            "changed-b.txt": "At least one of the two has changed since it was indexed, or cannot be read. "
                             "Run simhash and simfind again to compare their lines."},
        "hostile": {"path": "hostile-b.txt", "lines": hostile()},
        "pictures": {"path": "picture-b.bmp", "widths": [100, 100]},
        "rules": {"oldest": decide(groups, "oldest", text="/group3"),
                  "newest": decide(groups, "newest", scope="group", text="/group3"),
                  "shortest": decide(groups, "shortest"),
                  "folder": decide(groups, "folder", folder=FOLDER + "/originals"),
                  "all_ids": [g["id"] for g in groups if any(m["role"] == "copy" for m in g["members"])]},
        "hashes": {name: value.lower() for name, value in hashes.items()},
        "exact": [{"shown": "not-\\xff-utf8.txt", "path_hex": (os.fsencode(FOLDER) + b"/names/not-\xff-utf8.txt").hex()},
                  {"shown": "back\\\\slash.txt", "path": FOLDER + "/names/back\\slash.txt"},
                  {"shown": "line\\nend\\x1b[31m.txt", "path": FOLDER + "/names/line\nend\x1b[31m.txt"}],
        "names": ["<img src=x onerror=window.injected=1>.txt", "<script>window.injected=1", '"quoted"&amp;.txt',
                  "';window.injected=1;'", "<b class=injected>bold.txt", "ключ-αβγ-日本.txt", "</script>.txt",
                  "line\\nend\\x1b[31m.txt"],
    }))


if __name__ == "__main__":
    main()
