#!/usr/bin/env python3
"""Makes an archive of each format for formats.sh.

    formats.py whole FOLDER    FOLDER/made/X.EXT, and each of its members as a file in FOLDER/plain/X.EXT
    formats.py cut FOLDER      truncated archives: FOLDER/SIZE.EXT has SIZE bytes
    formats.py odd FOLDER      members with the same name, links, names with zero bytes and of 64 KiB, a million members
"""
import gzip, os, random, subprocess, sys, tempfile
from containers import as_bytes, bsdtar, docx, epub, jar, odt, rar4, rar5, sentences, tarred, write, xlsx, zipped

FILTERS = {"gzip": "gz", "bzip2": "bz2", "xz": "xz", "zstd": "zst", "lzip": "lz", "lz4": "lz4", "compress": "Z"}
TEXT = "\n".join(sentences(random.Random(2), 300)).encode()
MEMBERS = [("a.txt", TEXT[:5000]), ("in/b.txt", TEXT[5000:])]


def iso(members):
    """As bsdtar writes it, without the 300 KiB of padding after the last member."""
    data = bsdtar(members, "--format", "iso9660")
    return data[:data.index(members[-1][1]) + len(members[-1][1])]


def compressed(data, name):
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/x", data)
        subprocess.run(["bsdtar", "-C", folder, "-cf", f"{folder}/out", "--format", "raw", f"--{name}", "x"], check=True)
        with open(f"{folder}/out", "rb") as out:
            return out.read()


def presentation(parts):
    return [("[Content_Types].xml", "<Types/>"), ("ppt/slides/slide1.xml", f"<p:sld><a:t>{parts[0]}</a:t></p:sld>")]


def deb():
    members = [("debian-binary", b"2.0\n"), ("control.tar.xz", tarred([("./control", b"Package: x\n")], "w:xz")),
               ("data.tar.xz", tarred(MEMBERS, "w:xz"))]
    return bsdtar(members, "--format", "arsvr4"), members


def formats():
    """The extension, the archive and its members."""
    parts = sentences(random.Random(3), 20)
    for extension, members in {
            "zip": MEMBERS, "docx": docx(parts), "xlsx": xlsx(parts), "pptx": presentation(parts), "odt": odt(parts), "ods": odt(parts[1:]),
            "odp": odt(parts[2:]), "jar": jar(parts), "epub": epub(parts), "apk": [("AndroidManifest.xml", b"\3\0\x08\0"), ("classes.dex", b"dex\n035\0")],
            "whl": [("x/__init__.py", TEXT[:99]), ("x-1.0.dist-info/METADATA", b"Name: x\n")]}.items():
        yield extension, zipped(members), as_bytes(members)
    yield "tar", tarred(MEMBERS), MEMBERS
    for extension, name in (("7z", "7zip"), ("cpio", "cpio"), ("newc.cpio", "newc")):
        yield extension, bsdtar(MEMBERS, "--format", name), MEMBERS
    yield "iso", iso(MEMBERS), MEMBERS
    flat = [(name.split("/")[-1], data) for name, data in MEMBERS]
    for name in ("arbsd", "argnu"):
        yield f"{name}.a", bsdtar(flat, "--format", name), flat
    yield "deb", *deb()
    yield "4.rar", rar4(MEMBERS), MEMBERS
    yield "5.rar", rar5(MEMBERS), MEMBERS
    for name, extension in FILTERS.items():
        yield f"tar.{extension}", compressed(tarred(MEMBERS), name), MEMBERS
        yield f"txt.{extension}", compressed(TEXT, name), [("x.txt", TEXT)]


def whole(folder):
    for extension, archive, members in formats():
        write(f"{folder}/made/x.{extension}", archive)
        for name, data in members:
            write(f"{folder}/plain/x.{extension}/{name}", data)


def cut(folder):
    kinds = {f"tar.{extension}": compressed(tarred(MEMBERS), name) for name, extension in FILTERS.items() if name != "compress"}
    for extension, data, _ in formats():
        if extension in ("newc.cpio", "argnu.a", "iso"):
            kinds[extension.split(".")[-1]] = data
    for extension, data in kinds.items():
        # A file that is cut before its format can be recognized is an ordinary file.
        for size in range(33000 if extension == "iso" else 1000, len(data), 1000):
            write(f"{folder}/{size}.{extension}", data[:size])


def odd(folder):
    one, other = TEXT[:5000], TEXT[5000:]
    for extension, data in ("zip", zipped([("same", one), ("same", other)])), ("tar", tarred([("same", one), ("same", other)])):
        write(f"{folder}/twice.{extension}", data)
    write(f"{folder}/links/first", one)
    os.link(f"{folder}/links/first", f"{folder}/links/last")
    os.symlink("first", f"{folder}/links/symbolic")
    for extension in "tar", "newc":
        subprocess.run(["bsdtar", "-C", f"{folder}/links", "-cf", f"{folder}/links.{extension}",
                        "--format", extension.replace("tar", "ustar"), "first", "last", "symbolic"], check=True)
    write(f"{folder}/zero.zip", zipped([("beforeXafter", one)]).replace(b"beforeXafter", b"before\0after"))
    write(f"{folder}/long.zip", zipped([("x" * 65535, one), ("short", other)]))
    write(f"{folder}/long.tar", tarred([("x" * 65537, one), ("short", other)]))
    # An invalid header, and a truncated one; the checksum of gzip is right.
    harmed = bytearray(tarred(MEMBERS))
    harmed[6000:6656] = b"x" * 656
    write(f"{folder}/harmed.tar", harmed)
    write(f"{folder}/outer.zip", zipped([("inner.tar", bytes(harmed)), ("after", one)]))
    harmed = bsdtar([*MEMBERS, ("c.txt", one)], "--format", "cpio")
    begin = harmed.index(b"in/b.txt") - 76
    write(f"{folder}/harmed.cpio", harmed[:begin] + b"no mag" + harmed[begin + 6:])
    write(f"{folder}/header.tar.gz", gzip.compress(tarred(MEMBERS)[:6000]))
    # Directories, which get no rows.
    header = b"070707" + b"%06o" * 7 % (0, 0, 0o40755, 0, 0, 1, 0) + b"%011o%06o%011o" % (0, 2, 0) + b"d\0"
    end = header.replace(b"%06o%011od\0" % (2, 0), b"%06o%011oTRAILER!!!\0" % (11, 0))
    write(f"{folder}/over.cpio.gz", gzip.compress(header * 1000001 + end, 1))


if __name__ == "__main__":
    {"whole": whole, "cut": cut, "odd": odd}[sys.argv[1]](sys.argv[2])
