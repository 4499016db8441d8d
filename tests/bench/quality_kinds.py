"""Generates files of many kinds that look alike but share no content.

Each generator takes a random.Random and a size, and returns at least this many bytes. Two files
of one kind are like the files of two people: the same format with different content. A template
makes files of one person: each has the same content in one part, and its own content in another.

SPDX-License-Identifier: MIT
"""

import array
import base64
import io
import json
import lzma
import math
import os
import sqlite3
import struct
import tempfile
import zipfile
import zlib

SYLLABLES = """ba ce di fo gu la me ni po ru sa te vi xo zu stra pler kin dor mal tion ing est per con
ver shu wo ek ti ar on il um der lich qui ph ly out""".split()
AGENTS = """Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36
Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1
Googlebot/2.1 (+http://www.google.com/bot.html)
curl/7.88.1""".split("\n")


def vocabulary(rng, count):
    return ["".join(rng.choices(SYLLABLES, k=rng.randrange(1, 5))) for _ in range(count)]


def words(rng, count, names=None):
    """Words with frequencies as in a language: a few words are most of the text."""
    names = names or vocabulary(rng, 5000)
    return rng.choices(names, [1 / rank for rank in range(1, len(names) + 1)], k=count)


def lines(size, line):
    """Lines from line() until there are `size` bytes."""
    made, length = [], 0
    while length < size:
        made.append(line())
        length += len(made[-1]) + 1
    return "\n".join(made).encode()


def prose(rng, size):
    word = iter(words(rng, size // 2))
    return lines(size, lambda: " ".join(next(word) for _ in range(rng.randrange(7, 12))))


def access_log(rng, size):
    time, names = rng.randrange(10**9, 2 * 10**9), vocabulary(rng, 300)
    weights = [1 / rank for rank in range(1, 301)]

    def line():
        nonlocal time
        time += rng.randrange(20)
        a, b = rng.choices(names, weights, k=2)
        return (f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)} - - "
                f"[{time // 86400 % 28 + 1:02}/Nov/2025:{time // 3600 % 24:02}:{time // 60 % 60:02}:{time % 60:02} "
                f"+0000] \"GET /{a}/{b}.html HTTP/1.1\" {rng.choice((200, 200, 200, 304, 404))} "
                f"{rng.randrange(200, 90000)} \"-\" \"{rng.choice(AGENTS)}\"")
    return lines(size, line)


def system_log(rng, size):
    time, host, names = rng.randrange(10**9), vocabulary(rng, 1)[0], vocabulary(rng, 60)

    def line():
        nonlocal time
        time += rng.randrange(90)
        return (f"Nov {time // 86400 % 28 + 1:2} {time // 3600 % 24:02}:{time // 60 % 60:02}:{time % 60:02} {host} "
                f"{rng.choice(names)}[{rng.randrange(300, 32000)}]: {rng.choice(names)} {rng.choice(names)} "
                f"took {rng.randrange(9000)} us, id {rng.getrandbits(48):x}")
    return lines(size, line)


def numbers_csv(rng, size):
    return lines(size, lambda: f"{rng.random():.6f},{rng.gauss(0, 90):.3f},{rng.randrange(10**6)},{rng.randrange(9)}")


def people_csv(rng, size):
    names = vocabulary(rng, 4000)
    return lines(size, lambda: f"{rng.randrange(10**7)},{rng.choice(names).title()},{rng.choice(names).title()},"
                 f"{rng.choice(names)}@example.org,19{rng.randrange(40, 99)}-{rng.randrange(1, 13):02}-"
                 f"{rng.randrange(1, 29):02},{rng.randrange(90000) / 100}")


def json_records(rng, size):
    names = vocabulary(rng, 4000)
    return lines(size, lambda: json.dumps({
        "id": rng.getrandbits(40), "name": rng.choice(names), "active": rng.random() < 0.5,
        "score": round(rng.random(), 4), "tags": rng.sample(names, rng.randrange(4))}) + ",")


def xml_records(rng, size):
    names = vocabulary(rng, 4000)
    return lines(size, lambda: f"  <item id=\"{rng.randrange(10**8)}\"><name>{rng.choice(names)}</name>"
                 f"<price currency=\"EUR\">{rng.randrange(10**5) / 100}</price><text>{rng.choice(names)} "
                 f"{rng.choice(names)}</text></item>")


def dna(rng, size):
    text = rng.randbytes(size).translate(bytes(b"ACGT"[i & 3] for i in range(256)))
    return b">chromosome\n" + b"\n".join(text[i:i + 70] for i in range(0, len(text), 70))


def word_list(rng, size):
    return "\n".join(dict.fromkeys(vocabulary(rng, size // 4))).encode()


def random_bytes(rng, size):
    return rng.randbytes(size)


def base64_text(rng, size):
    return base64.encodebytes(rng.randbytes(size))


def hex_dump(rng, size):
    data = rng.randbytes(size // 2)
    return b"\n".join(b"S315%08X" % i + data[i:i + 16].hex().upper().encode() for i in range(0, len(data), 16))


def sound(rng, size):
    """Three tones at a time and noise, with 16 bits per sample."""
    samples = array.array("h")
    while len(samples) * 2 < size:
        steps = [rng.uniform(0.01, 0.2) for _ in range(3)]
        noise = array.array("b", rng.randbytes(4000))
        samples.extend(int(4000 * (math.sin(steps[0] * i) + math.sin(steps[1] * i) + math.sin(steps[2] * i))) + noise[i]
                       for i in range(4000))
    return b"RIFF" + struct.pack("<I", size) + b"WAVEfmt \x10\0\0\0\1\0\1\0" + samples.tobytes()


def records(rng, size):
    """Structures with counters, times and unused space."""
    time, made = rng.randrange(10**9), []
    for i in range(size // 48 + 1):
        time += rng.randrange(60)
        made.append(struct.pack("<IIdIHH24x", i, time, rng.random() * 100, rng.randrange(5000), rng.randrange(9), 1))
    return b"".join(made)


def sparse(rng, size):
    """Mostly zeros, like a disk image or a core file."""
    made = bytearray(size)
    for at in range(0, size - 600, 4096):
        if rng.random() < 0.3:
            piece = rng.randbytes(rng.randrange(20, 600))
            made[at:at + len(piece)] = piece
    return bytes(made)


def database(rng, size):
    names = vocabulary(rng, 3000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "db")
        link = sqlite3.connect(path)
        link.execute("create table person(id integer primary key, name text, mail text, born integer, score real)")
        link.execute("create index by_name on person(name)")
        while os.path.getsize(path) < size:
            link.executemany("insert into person(name, mail, born, score) values(?, ?, ?, ?)", [
                (rng.choice(names), rng.choice(names) + "@example.org", rng.randrange(10**9), rng.random())
                for _ in range(size // 200)])
            link.commit()
        link.close()
        with open(path, "rb") as file:
            return file.read()


def gzipped(rng, size):
    deflate = zlib.compressobj(1, wbits=31)
    made = b""
    while len(made) < size:
        made += deflate.compress(numbers_csv(rng, size)) + deflate.flush(zlib.Z_SYNC_FLUSH)
    return made


def xzipped(rng, size):
    return b"".join(lzma.compress(numbers_csv(rng, 600_000), preset=0) for _ in range(size // 230_000 + 1))


def zipped(rng, size):
    made, number = io.BytesIO(), 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        while made.tell() < size:
            number += 1
            archive.writestr(f"data/{number:04}.csv", people_csv(rng, rng.randrange(20_000, 200_000)))
    return made.getvalue()


GENERATORS = {
    "prose": (prose, "txt"), "access log": (access_log, "log"), "system log": (system_log, "log"),
    "CSV of numbers": (numbers_csv, "csv"), "CSV of people": (people_csv, "csv"), "JSON": (json_records, "json"),
    "XML": (xml_records, "xml"), "DNA": (dna, "fa"), "word list": (word_list, "dic"),
    "random": (random_bytes, "bin"), "base64": (base64_text, "pem"), "hex dump": (hex_dump, "srec"),
    "sound": (sound, "wav"), "records": (records, "dat"), "mostly zeros": (sparse, "img"),
    "SQLite": (database, "db"), "gz": (gzipped, "gz"), "xz": (xzipped, "xz"), "zip": (zipped, "zip")}


def translation(rng, size):
    names = vocabulary(rng, 2000)
    return lines(size, lambda: f"#: {rng.choice(names)}.c:{rng.randrange(2000)}\nmsgid \"" +
                 " ".join(words(rng, 6, names)) + "\"\nmsgstr \"" + " ".join(words(rng, 6, names)) + "\"\n")


# ---- Templates: each joins shared bytes and an own text to a file ----

def code(rng, size):
    names = vocabulary(rng, 400)

    def line():
        a, b, c = rng.sample(names, 3)
        return rng.choice((f"static int {a}_{b}(struct {c} *{a})\n{{", f"\t{a} = {b}({c}, \"{a} {c}\");",
                           f"\tif ({a}->{b} > {rng.randrange(999)})\n\t\treturn {c}({a}, {b});", "}\n"))
    return lines(size, line)


def html_paragraphs(rng, size):
    return b"<p>" + b"</p>\n<p>".join(prose(rng, size).split(b"\n")) + b"</p>\n"


def items(rng, size):
    names = vocabulary(rng, 3000)
    return lines(size, lambda: f"{rng.randrange(1, 20):4} x {' '.join(words(rng, 4, names)):40} "
                 f"{rng.randrange(10**6) / 100:10.2f} EUR")


def pdf(streams):
    made, places = b"%PDF-1.4\n", []
    for number, stream in enumerate(streams, 1):
        places.append(len(made))
        made += b"%d 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % (number, len(stream)) + stream + \
            b"\nendstream\nendobj\n"
    return made + b"xref\n" + b"".join(b"%010d 00000 n \n" % at for at in places) + \
        b"trailer\n<< /Size %d >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, len(made))


def letter(shared, own):
    """A docx with a picture and styles."""
    made, half = io.BytesIO(), len(shared) // 2
    text = b"<w:document><w:body>" + b"".join(b"<w:p><w:r><w:t>%s</w:t></w:r></w:p>" % line
                                              for line in own.split(b"\n")) + b"</w:body></w:document>"
    with zipfile.ZipFile(made, "w") as archive:
        for name, content, packed in (
                ("[Content_Types].xml", b"<Types/>", False), ("word/styles.xml", base64.b16encode(shared[:half]), True),
                ("word/media/image1.png", shared[half:], False), ("word/document.xml", text, True)):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
    return made.getvalue()


def invoice(shared, own):
    return pdf([shared, zlib.compress(own, 9)])


def report(shared, own):
    """Pictures and fonts of the program between compressed pages."""
    def quarter(data, i):
        return data[len(data) * i // 4:len(data) * (i + 1) // 4]
    return pdf([stream for i in range(4) for stream in (quarter(shared, i), zlib.compress(quarter(own, i), 9))])


def around(shared, own):
    return shared[:len(shared) // 2] + own + shared[len(shared) // 2:]


def before(shared, own):
    return shared + own


# The content that files share, their own content, how both make a file, its extension, and whether the own
# content is compressed. The shared content has TEMPLATE_SIZE bytes.
TEMPLATES = {
    "letters with a logo": (random_bytes, prose, letter, "docx", True),
    "invoices with a logo": (random_bytes, items, invoice, "pdf", True),
    "documents of one program": (random_bytes, prose, report, "pdf", True),
    "pages of a site": (html_paragraphs, html_paragraphs, around, "html", False),
    "bills as text": (prose, items, around, "txt", False),
    "sources with a licence": (prose, code, before, "c", False)}
TEMPLATE_SIZE = 11_000
