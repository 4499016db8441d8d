#!/usr/bin/env python3
"""Makes archives and documents for containers.sh.

    containers.py pairs FOLDER    100 pairs of versions: FOLDER/old/N.EXT and FOLDER/new/N.EXT
    containers.py found FOLDER    reads the lines of simfind; prints the numbers of pairs found and of strangers
    containers.py odd FOLDER      bombs, and truncated, encrypted and unusual archives
    containers.py gzip FOLDER     gzip files with a changed byte in the content, the checksum or the length, and intact ones
    containers.py left FOLDER     volumes, names that are not text, archives after programs, bytes after archives
"""
import bz2, gzip, io, lzma, os, random, re, struct, subprocess, sys, tarfile, tempfile, zipfile, zlib

WORDS = random.Random(7)
VOCABULARY = ["".join(WORDS.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(WORDS.randrange(3, 10))) for _ in range(3000)]


def sentences(r, count):
    return [" ".join(r.choice(VOCABULARY) for _ in range(14)).capitalize() + "." for _ in range(count)]


def edited(r, parts):
    """The next version: some sentences are changed, one is added and one removed."""
    parts = list(parts)
    for _ in range(2):
        at = r.randrange(len(parts))
        words = parts[at].split()
        words[r.randrange(len(words))] = r.choice(VOCABULARY)
        parts[at] = " ".join(words)
    parts.insert(r.randrange(len(parts)), sentences(r, 1)[0])
    del parts[r.randrange(len(parts))]
    return parts


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def tarred(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.GNU_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def bsdtar(members, *options):
    # To a file, because output to a pipe is padded with zeros.
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["bsdtar", "-cf", out.name, *options, "@-"], input=tarred(members), check=True)
        return out.read()


def rar4(members, volume=0, split=0, stated=None):
    """Stored: the marker, the archive's header, and a header with the bytes for each member. See rar5."""
    def block(kind, flags, rest):
        head = bytes([kind]) + struct.pack("<HH", flags, 7 + len(rest)) + rest
        return struct.pack("<H", zlib.crc32(head) & 0xffff) + head
    out = b"Rar!\x1a\x07\0" + block(0x73, volume, bytes(6))
    for name, data in members:
        name = name.encode()
        out += block(0x74, 0x8000 | split, struct.pack("<IIBIIBBHI", len(data), stated or len(data), 3, zlib.crc32(data), 0x5921_0000, 20,
                                                       0x30, len(name), 0o100644) + name) + data
    return out + block(0x7b, 0x4000 | volume, b"")


def rar5(members, volume=None, split=0, stated=None):
    """Stored, with the number of a volume. `split` has the flags of a member whose other parts are in other volumes."""
    def number(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)
    def block(body, data=b""):
        body = number(len(body)) + body
        return struct.pack("<I", zlib.crc32(body)) + body + data
    out = b"Rar!\x1a\x07\1\0" + block(
        number(1) + number(0) + (number(0) if volume is None else number(1 if volume == 0 else 3) + (number(volume) if volume else b"")))
    for name, data in members:
        name = name.encode()
        out += block(number(2) + number(2 | split) + number(len(data)) + number(4) + number(stated or len(data)) + number(0o100644) +
                     struct.pack("<I", zlib.crc32(data)) + number(0) + number(1) + number(len(name)) + name, data)
    return out + block(number(5) + number(0) + number(0))


def docx(parts):
    body = "".join(f'<w:p w:rsidR="00A77B3E"><w:r><w:t xml:space="preserve">{p}</w:t></w:r></w:p>' for p in parts)
    return [("[Content_Types].xml", '<?xml version="1.0"?><Types><Default Extension="xml"/></Types>'),
            ("word/styles.xml", "<w:styles/>" * 50),
            ("word/document.xml", f'<?xml version="1.0"?><w:document><w:body>{body}</w:body></w:document>')]


def odt(parts):
    body = "".join(f'<text:p text:style-name="P1">{p}</text:p>' for p in parts)
    return [("mimetype", "application/vnd.oasis.opendocument.text"), ("styles.xml", "<style:style/>" * 50),
            ("content.xml", f'<?xml version="1.0"?><office:document-content>{body}</office:document-content>')]


def xlsx(parts):
    return [("[Content_Types].xml", "<Types/>"),
            ("xl/sharedStrings.xml", "<sst>" + "".join(f"<si><t>{p}</t></si>" for p in parts) + "</sst>")]


def epub(parts):
    return [("mimetype", "application/epub+zip"),
            ("OEBPS/chapter1.xhtml", "<html><body>" + "".join(f"<p>{p}</p>" for p in parts) + "</body></html>")]


def jar(parts):
    return [("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n"),
            ("org/example/Main.class", b"\xca\xfe\xba\xbe" + b"\x01\x00".join(p.encode() for p in parts))]


def plain(parts):
    return [("data/notes.txt", "\n".join(parts).encode())]


def as_bytes(members):
    return [(name, data if isinstance(data, bytes) else data.encode()) for name, data in members]


KINDS = [(15, "docx", lambda p: zipped(docx(p))), (15, "odt", lambda p: zipped(odt(p))),
         (10, "xlsx", lambda p: zipped(xlsx(p))), (10, "epub", lambda p: zipped(epub(p))),
         (15, "jar", lambda p: zipped(jar(p))), (10, "tar.xz", lambda p: tarred(plain(p), "w:xz")),
         (8, "tar.zst", lambda p: bsdtar(plain(p), "--zstd")), (7, "7z", lambda p: bsdtar(plain(p), "--format", "7zip")),
         (10, "zip", lambda p: zipped([("in/side.tar", tarred(plain(p)))]))]
CONTENT = re.compile(r"/(?:old|new)/(\d+)\.[^/]*//.*(?:document\.xml|content\.xml|sharedStrings\.xml|\.xhtml|\.class|notes\.txt)$")


def pairs(folder):
    number = 0
    for count, extension, make in KINDS:
        for _ in range(count):
            r = random.Random(number)
            parts = sentences(r, r.randrange(60, 200))
            for side, version in (("old", parts), ("new", edited(r, parts))):
                os.makedirs(f"{folder}/{side}", exist_ok=True)
                with open(f"{folder}/{side}/{number}.{extension}", "wb") as out:
                    out.write(make(version))
            number += 1


def found(folder):
    """Reads simfind --format=null: the label and the two paths, each with a zero at its end."""
    same, strangers = set(), 0
    for line in sys.stdin.read().splitlines():
        fields = line.split("  ")
        sides = [CONTENT.search(path.strip()) for path in fields if folder in path]
        if len(sides) == 2 and all(sides):
            if sides[0][1] == sides[1][1]:
                same.add(sides[0][1])
            else:
                strangers += 1
    print(len(same), strangers)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def stored(data):
    return struct.pack("<BHH", 0, len(data), len(data) ^ 0xffff) + data


def quine():
    """A zip file whose only member is the file itself: data for inflate that produces itself, its head and its end."""
    def made(checksum):
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, checksum, 286, 394, 5, 0)
        head = b"PK\3\4" + fields + b"q.zip"
        end = (b"PK\1\2" + struct.pack("<H", 20) + fields + bytes(14) + b"q.zip" + b"PK\5\6" +
               struct.pack("<HHHHIIH", 0, 0, 1, 1, 51, 321, 0))
        # Blocks with fixed codes: the last 77 bytes again, at the end; the last 40 bytes, and two
        # empty blocks.
        last = bytes.fromhex("a3aa6100") + end
        repeat = bytes.fromhex("22561d000000ffff" "0208000000ffff")
        literal = stored(bytes(40))[:5]
        closing = stored(b"") * 4 + stored(last)[:5]
        return (head + stored(head + literal) + repeat + stored((repeat + literal) * 2) + repeat + stored(repeat + closing) +
                repeat + closing + last + last)

    # The checksum of a file that contains a checksum is linear in the bits of that checksum: find
    # the one that is its own.
    base = zlib.crc32(made(0))
    rows = [(zlib.crc32(made(1 << bit)) ^ base ^ 1 << bit, 1 << bit) for bit in range(32)]
    checksum, rest = 0, base
    for bit in reversed(range(32)):
        row = next(row for row in rows if row[0] >> bit == 1)
        rows = [(value ^ row[0], bits ^ row[1]) if value >> bit & 1 else (value, bits) for value, bits in rows]
        if rest >> bit & 1:
            rest, checksum = rest ^ row[0], checksum ^ row[1]
    return made(checksum)


def odd(folder):
    text = "\n".join(sentences(random.Random(1), 300)).encode()
    write(f"{folder}/bomb/zeros.zip", zipped([("before.txt", text), ("zeros", bytes(100 << 20)), ("after.txt", text)]))
    deep = text
    for level in range(20):
        deep = zipped([(f"{level}.zip" if level else "deep.txt", deep)], zipfile.ZIP_STORED)
    write(f"{folder}/bomb/deep.zip", deep)
    with open(f"{folder}/sparse", "wb") as out:
        out.truncate(1 << 42)
    subprocess.run(["bsdtar", "-C", folder, "-cf", f"{folder}/bomb/sparse.tar", "sparse"], check=True)
    os.remove(f"{folder}/sparse")
    # Bit 0 of the flags marks an encrypted member.
    locked = bytearray(zipped([("secret.txt", text)]))
    locked[6] |= 1
    locked[locked.index(b"PK\1\2") + 8] |= 1
    write(f"{folder}/bomb/locked.zip", bytes(locked))
    # 16 times 16 times 16 MiB of zeros in a few kB.
    wide = zipped([("zeros", bytes(16 << 20))])
    for _ in range(2):
        wide = zipped([(f"{i}.zip", wide) for i in range(16)])
    write(f"{folder}/bomb/wide.zip", wide)
    itself = quine()
    assert zipfile.ZipFile(io.BytesIO(itself)).read("q.zip") == itself
    write(f"{folder}/bomb/quine.zip", itself)
    # The end of a zip file contains the number of members: here two, and a billion.
    many = bytearray(zipped([("a.txt", text), ("b.txt", text[::-1])]))
    end = many.index(b"PK\5\6")
    at, size = struct.unpack_from("<I", many, end + 16)[0], struct.unpack_from("<I", many, end + 12)[0]
    wider = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 10**9, 10**9, size, at)
    many[end:] = wider + struct.pack("<4sIQI", b"PK\6\7", 0, end, 1) + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 65535, 65535, size, 0xffffffff, 0)
    write(f"{folder}/bomb/many.zip", bytes(many))
    # The header of a block contains the size of the dictionary: 4 GiB.
    hungry = bytearray(lzma.compress(text))
    hungry[16] = 40
    size = (hungry[12] + 1) * 4
    hungry[12 + size - 4:12 + size] = struct.pack("<I", zlib.crc32(hungry[12:12 + size - 4]))
    write(f"{folder}/bomb/hungry.xz", bytes(hungry))
    # A list of members that is encrypted with AES.
    header = bytes.fromhex("17060001091000070b01000124" "06f10701" "021300" "0c10" "0000")
    start = struct.pack("<QQI", 16, len(header), zlib.crc32(header))
    write(f"{folder}/bomb/locked.7z", b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + bytes(16) + header)
    write(f"{folder}/rar/4.rar", rar4([("in/x.txt", text), ("y.txt", text[::-1])]))
    write(f"{folder}/rar/5.rar", rar5([("in/x.txt", text), ("y.txt", text[::-1])]))
    whole = {"zip": zipped([("a.txt", text), ("b.txt", text[::-1])]), "tar.xz": tarred(plain(text.decode().split("\n")), "w:xz"),
             "7z": bsdtar(plain(text.decode().split("\n")), "--format", "7zip"), "tar": tarred([("a.txt", text)]),
             # One block without compression; and the header of a member from byte 1988 on.
             "lz4": b"\4\x22\x4d\x18\x60\x70\x73" + struct.pack("<I", len(text) | 1 << 31) + text + bytes(4),
             "ar": bsdtar([("a.txt", text[:1920]), ("b.txt", text)], "--format", "ar")}
    for extension, data in whole.items():
        # After the members of a zip file, there are only copies of their headers.
        end = data.index(b"PK\1\2") if extension == "zip" else len(data)
        for size in range(1000, end, 1000):
            write(f"{folder}/cut/{size}.{extension}", data[:size])
    write(f"{folder}/cut/{len(whole['lz4']) - 2}.lz4", whole["lz4"][:-2])
    names = ["../up.txt", "/etc/absolute", "new\nline", "tab\t\x1b[31m", "a//b", "x" * 2000, "é", "same", "same"]
    write(f"{folder}/names/names.tar", tarred([(name, text[i * 10:]) for i, name in enumerate(names)]))
    write(f"{folder}/names/x.tar.bz2", tarred([("in/x.txt", text)], "w:bz2"))


def left(folder):
    """Members that older versions left out silently: they must be read or reported."""
    text = "\n".join(sentences(random.Random(2), 300)).encode()
    members = [("a.txt", text), ("b.txt", text[::-1])]
    whole = zipped(members, zipfile.ZIP_STORED)
    write(f"{folder}/volumes/x.part1.rar", rar5([("a.txt", text[:9000])], 0, 0x10, len(text)))
    write(f"{folder}/volumes/x.part2.rar", rar5([("a.txt", text[9000:])], 1, 0x08, len(text)))
    write(f"{folder}/volumes/old.rar", rar4([("a.txt", text[:9000])], 1, 2, len(text)))
    write(f"{folder}/volumes/old.r00", rar4([("a.txt", text[9000:])], 1, 1, len(text)))
    write(f"{folder}/volumes/middle.part2.rar", rar5([("a.txt", text[9000:18000])], 1, 0x18, len(text)))
    write(f"{folder}/volumes/middle.r00", rar4([("a.txt", text[9000:18000])], 1, 3, len(text)))
    write(f"{folder}/volumes/x.z01", b"PK\7\10" + whole[:30000])
    # The end of the last volume contains its number.
    last = bytearray(whole[30000:])
    end = last.index(b"PK\5\6")
    last[end + 4:end + 8] = b"\1\0\1\0"
    write(f"{folder}/volumes/x.zip", bytes(last))
    last[end + 20:] = b"\7\0comment"
    write(f"{folder}/volumes/comment.zip", bytes(last))
    write(f"{folder}/volumes/x.7z.001", bsdtar(members, "--format", "7zip")[:9000])
    # The names of two members are not UTF-8, although their flags say so.
    names = bytearray(zipped([("\u00e9", text), ("\u00e8", text[::-1])], zipfile.ZIP_STORED))
    for name, byte in (("\u00e9", 0xff), ("\u00e8", 0xfe)):
        while name.encode() in names:
            at = names.index(name.encode())
            names[at:at + 2] = bytes([byte, byte])
    write(f"{folder}/read/names.zip", bytes(names))
    # Two names are halves of a pair in UTF-16.
    names = bytearray(bsdtar([("\u00e9", text), ("\u00e8", text[::-1])], "--format", "7zip", "--options", "7zip:compression=store"))
    for name, half in ((b"\xe9\0\0\0", b"\0\xd8\0\0"), (b"\xe8\0\0\0", b"\0\xdc\0\0")):
        at = names.rindex(name)
        names[at:at + 4] = half
    at, size = struct.unpack_from("<QQ", names, 12)
    struct.pack_into("<I", names, 28, zlib.crc32(names[32 + at:32 + at + size]))
    struct.pack_into("<I", names, 8, zlib.crc32(names[12:32]))
    write(f"{folder}/read/names.7z", bytes(names))
    tar = tarred(members)
    packed = {"zst": bsdtar(members, "--zstd"), "lz4": bsdtar(members, "--lz4")}
    for kind, data in packed.items():
        write(f"{folder}/read/skipped.tar.{kind}", b"\x50\x2a\x4d\x18\4\0\0\0abcd" * 2 + data)
    program = b"\x7fELF" + random.Random(3).randbytes(300000) + b"7z\xbc\xaf\x27\x1c\0\4Rar!\x1a\7\1\0"
    write(f"{folder}/read/zip.program", program + whole)
    # After bytes that are not a program, with a comment, and with other bytes after the archive.
    noise = random.Random(4).randbytes(5000)
    write(f"{folder}/read/zip.noise", noise + whole[:-2] + b"\7\0comment")
    write(f"{folder}/read/zip.between", noise + whole + noise)
    write(f"{folder}/read/7z.program", program + bsdtar(members, "--format", "7zip"))
    write(f"{folder}/read/rar.program", b"MZ" + program + rar5(members))
    write(f"{folder}/read/rar4.program", b"MZ" + program + rar4(members))
    write(f"{folder}/read/initrd", bsdtar(members[:1], "--format", "newc") + bytes(600) + bsdtar(members[1:], "--format", "newc", "-z"))
    write(f"{folder}/read/large.xz", lzma.compress(text, preset=9))
    write(f"{folder}/read/two.tar", tar + tarred([("c.txt", text[9:])]))
    write(f"{folder}/read/long.7z", bsdtar([("x" * 1500, text)] + members, "--format", "7zip"))
    write(f"{folder}/rest/a.txt.gz", gzip.compress(text) + b"other bytes")
    write(f"{folder}/rest/a.tar", tar + b"other bytes")
    write(f"{folder}/rest/same.tar", tarred(members + members[:1]))
    # A tar file that is cut between two members, and endings that a tool may write instead of two
    # blocks of zeros.
    cut = tar[:tar.index(b"b.txt")]
    for name, data in (("cut.tar", cut), ("one.tar", cut + bytes(512)), ("cut.tar.xz", lzma.compress(cut)),
                       ("cut.tgz", gzip.compress(cut)), ("in.zip", zipped([("cut.tar", cut), ("whole.tar", tar)])),
                       ("last.tar", tar + cut), ("cut.tar.001", cut)):
        write(f"{folder}/end/{name}", data)
    write(f"{folder}/rest/whole.tar", tar + bytes(100))
    write(f"{folder}/rest/whole.empty", gzip.compress(b""))
    write(f"{folder}/rest/whole.empty.gz", gzip.compress(b""))
    write(f"{folder}/rest/whole.txt.gz", gzip.compress(text) + bytes(100))


def gzipped(folder):
    """Stored, so that a changed byte is not an error for inflate(). Some names show that it is gzip, and others do not."""
    text = "\n".join(sentences(random.Random(2), 300)).encode()
    tar = tarred([("a.txt", text), ("b.txt", text[::-1])])
    contents = {"text": [text], "tar": [tar], "parts": [tar[:9000], tar[9000:]],
                "cpio": [bsdtar([("a.txt", text), ("b.txt", text[::-1])], "--format", "newc")],
                "zip": [zipped([("a.txt", text), ("b.txt", text[::-1])])]}
    for damage, at in (("none", None), ("content", -5000), ("checksum", -6), ("length", -2), ("cut", -4)):
        packed = {}
        for name, parts in contents.items():
            data = bytearray(b"".join(gzip.compress(part, 0) for part in parts))
            if damage == "cut":
                del data[at:]
            elif damage != "none":
                data[at] ^= 1
            packed[name] = bytes(data)
        packed["text.gz"], packed["tar.gz"] = packed["text"], packed["tar"]
        packed["tar.gz.gz"], packed["tar.gz.bz2"] = gzip.compress(packed["tar"]), bz2.compress(packed["tar"])
        if damage == "content":
            del packed["zip"] # it contains a checksum
        for name, data in packed.items():
            write(f"{folder}/{damage}/{name}", data + (bytes(100) if damage == "none" else b""))
        write(f"{folder}/{damage}/in.zip", zipped(packed.items(), zipfile.ZIP_STORED))
        write(f"{folder}/{damage}/in.tar", tarred(packed.items()))


if __name__ == "__main__":
    {"pairs": pairs, "found": found, "odd": odd, "gzip": gzipped, "left": left}[sys.argv[1]](sys.argv[2])
