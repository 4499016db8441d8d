#!/usr/bin/env python3
"""Makes two versions of a document, a picture, a page and a piece of music that share text but no bytes.

    filter_examples.py FOLDER    writes documents/{one,two}.pdf, pictures/{one,two}.png, site/{one,two}.html, music/{one,two}.raw
"""
import os, random, struct, sys, zlib


def lines(seed):
    r = random.Random(seed)
    words = ["".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(r.randrange(3, 10))) for _ in range(200)]
    return [" ".join(r.choice(words) for _ in range(9)) for _ in range(40)]


def pdf(level, seed):
    page = "BT /F1 10 Tf 40 800 Td 14 TL\n" + "".join(f"({line}) Tj T*\n" for line in lines(20)) + "ET"
    # A different number at the beginning of the content changes all its following bytes.
    packed = zlib.compress(f"%{seed}\n{page}".encode(), level)
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)


def png(seed):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    pixels = bytearray(random.Random(seed).randbytes(64 * 193))
    pixels[::193] = bytes(64)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)) +
            chunk(b"zTXt", b"Description\0\0" + zlib.compress(" ".join(lines(30)).encode(), seed)) +
            chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def html(paragraph):
    return "<html><body>" + "".join(paragraph % line for line in lines(40)) + "</body></html>"


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


def main(folder):
    for name, seed in ("one", 1), ("two", 9):
        write(f"{folder}/documents/{name}.pdf", pdf(seed, seed))
        write(f"{folder}/pictures/{name}.png", png(seed))
        write(f"{folder}/music/{name}.raw", random.Random(seed).randbytes(40000))
    write(f"{folder}/site/one.html", html("<p>%s</p>"))
    write(f"{folder}/site/two.html", html("\n\n<p class='paragraph' style='margin: 0 0 1em 0; color: rgb(20, 20, 20)'><span>%s</span></p>"))


main(sys.argv[1])
