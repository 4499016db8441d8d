#!/usr/bin/env python3
"""Measures how many documents of real editors are found after another editor saved them, changed or not.

    documents.py BUILD FOLDER [SCRATCH]

Uses each .docx, .odt, .pptx, .odp, .xlsx and .ods below FOLDER with at least 500 bytes of text. LibreOffice
(Debian: libreoffice-writer-nogui, -impress-nogui, -calc-nogui) saves it again unchanged, and with 1 % of its words
changed. `simhash -z` indexes all of them. A document is found if simfind lists it, or a member of
500 bytes or more, with its other version or a member of that. Also counts pairs of different documents,
and how many of them share almost no run of three words.
"""
import csv, os, random, re, shutil, subprocess, sys, tempfile, zipfile

PARTS = re.compile(rb"word/document\d*[.]xml$|content[.]xml$|ppt/slides/slide\d+[.]xml$|xl/sharedStrings[.]xml$")
PIECE = re.compile(rb"(?<=>)[^<>]*[A-Za-z]{3,}[^<>]*(?=<)")
TEXT_MIN = 500


def words_of(data):
    return [(piece.start() + word.start(), piece.start() + word.end())
            for piece in PIECE.finditer(data) for word in re.finditer(rb"[A-Za-z]{3,}", piece[0])]


def change(path, out, r):
    """Change one of a hundred words, anywhere in the parts with the text."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        members = [(info, old.read(info)) for info in old.infolist()]
        words = [(at, word) for at, (info, data) in enumerate(members) if PARTS.search(info.filename.encode())
                 for word in words_of(data)]
        changed = set(r.sample(words, min(len(words), max(1, len(words) // 100))))
        for at, (info, data) in enumerate(members):
            data = bytearray(data)
            for start, end in (word for part, word in changed if part == at):
                data[start:end] = r.choices(b"abcdefghijklmnopqrstuvwxyz", k=end - start)
            members[at] = info, bytes(data)
        for info, data in members:
            new.writestr(info, data)


def save_again(paths, out, scratch):
    """Save documents with LibreOffice in their format, a few at a time, because some make it crash."""
    for kind in sorted({path.rsplit(".", 1)[1] for path in paths}):
        some = [path for path in paths if path.endswith("." + kind)]
        for size in (10, 1):
            some = [path for path in some if not os.path.exists(f"{out}/{os.path.basename(path)}")]
            for begin in range(0, len(some), size):
                try:
                    subprocess.run(["soffice", f"-env:UserInstallation=file://{scratch}/profile", "--headless",
                                    "--convert-to", kind, "--outdir", out] + some[begin:begin + size],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
                except subprocess.TimeoutExpired:
                    pass


def pairs_of(build, index):
    subprocess.run([f"{build}/simfind", "-q", "-d", index, "--group=none", "--format=csv", "-o", index[7:] + ".csv"], check=True)
    with open(index[7:] + ".csv", newline="", errors="surrogateescape") as table:
        return [(row["path_a"], row["path_b"]) for row in csv.DictReader(table)]


def runs_of_words(path):
    """All runs of three consecutive words in a document, without its markup."""
    with zipfile.ZipFile(path) as archive:
        text = b" ".join(archive.read(name) for name in archive.namelist() if PARTS.search(name.encode()))
    words = re.sub(rb"<[^>]*>", b" ", text).split()
    return set(zip(words, words[1:], words[2:]))


def sizes_of(index):
    """The sizes of all members and texts, by path."""
    lines = subprocess.run(["sqlite3", index[7:], "SELECT path || '|' || size FROM file_text WHERE path LIKE '%//%'"],
                           capture_output=True, text=True, errors="surrogateescape").stdout.split("\n")
    return {path: int(size) for path, _, size in (line.rpartition("|") for line in lines if line)}


def main():
    build, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    scratch = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else tempfile.mkdtemp()
    r = random.Random(5)
    for name in ("one", "changed", "again", "next"):
        os.makedirs(f"{scratch}/{name}", exist_ok=True)
    taken = []
    for top, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            if re.search(r"[.](docx|odt|pptx|odp|xlsx|ods)$", file) and zipfile.is_zipfile(f"{top}/{file}"):
                taken.append(f"{len(taken):03}.{file.rsplit('.', 1)[1]}")
                shutil.copy(f"{top}/{file}", f"{scratch}/one/{taken[-1]}")
    index = f"sqlite:{scratch}/one.db"
    subprocess.run([f"{build}/simhash", "-q", "-z", "-d", index, f"{scratch}/one"])
    sizes = sizes_of(index)
    taken = [name for name in taken if sizes.get(f"{scratch}/one/{name}//text", 0) >= TEXT_MIN]
    for name in taken:
        change(f"{scratch}/one/{name}", f"{scratch}/changed/{name}", r)
    save_again([f"{scratch}/one/{name}" for name in taken], f"{scratch}/again", scratch)
    save_again([f"{scratch}/changed/{name}" for name in taken], f"{scratch}/next", scratch)

    for version in ("again", "next"):
        index = f"sqlite:{scratch}/{version}.db"
        subprocess.run([f"{build}/simhash", "-q", "-z", "-d", index, f"{scratch}/one", f"{scratch}/{version}"])
        sizes = sizes_of(index)
        asked = [name for name in taken if os.path.exists(f"{scratch}/{version}/{name}")]
        by_text, by_member, strangers = set(), set(), set()
        for pair in pairs_of(build, index):
            sides = [re.fullmatch(re.escape(scratch) + r"/(one|again|next)/([^/]*)(?://(.*))?", path) for path in pair]
            if not all(sides):
                continue
            (a, name, inside_a), (b, other, inside_b) = (side.groups() for side in sides)
            if inside_a is None and inside_b is None:
                if name != other:
                    strangers.add((name, other))
                elif a != b:
                    by_text.add(name)
            elif name == other and a != b and None not in (inside_a, inside_b) and \
                    min(sizes.get(path, 0) for path in pair) >= TEXT_MIN:
                by_member.add(name)
        runs = {name: runs_of_words(f"{scratch}/one/{name}") for pair in strangers for name in pair}
        unlike = [pair for pair in strangers
                  if 10 * len(runs[pair[0]] & runs[pair[1]]) < min(len(runs[pair[0]]), len(runs[pair[1]]))]
        print(f"{version}: {len(asked)} documents; found by text {len(by_text & set(asked))}, by a member "
              f"{len(by_member & set(asked))}; {len(strangers)} pairs of different documents, {len(unlike)} of which "
              f"have less than a tenth of their runs of three words in common")
        print("unlike:", *sorted(unlike))
        print("not found by text:", *sorted(set(asked) - by_text))


main()
