#!/usr/bin/env python3
"""Measures how many listed pairs of office files are strangers that only share a template.

    office.py BUILD [FOLDER]

Makes 60 documents in FOLDER: letters, reports, minutes, slides and price lists from five templates, whose styles, themes
and pictures are larger than their texts. The texts are unrelated, but those of a template share some lines. Some
documents have versions: edited, with other order of paragraphs, and saved in another format. Lists all pairs, and
prints for each way of reading documents how many versions are listed, and how many strangers. Needs python-docx,
openpyxl and odfpy (Debian: python3-docx, python3-openpyxl, python3-odf).
"""
import csv, io, os, random, subprocess, sys, tempfile, zipfile, zlib

from docx import Document
from docx.shared import Cm
from odf import opendocument, style, text
from openpyxl import Workbook
from openpyxl.drawing.image import Image
from openpyxl.styles import Font, PatternFill

R = random.Random(7)
WORDS = ["".join(R.choice("abcdefghijklmnoprstuvwz") for _ in range(R.randrange(2, 10))) for _ in range(4000)]


def picture(seed, side=96):
    """A PNG file of noise, as large as the logo of a company."""
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    rows = b"".join(b"\0" + random.Random(seed + y).randbytes(3 * side) for y in range(side))
    head = side.to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def paragraph(r):
    return " ".join(r.choices(WORDS, k=r.randrange(12, 70))).capitalize() + "."


def edited(r, lines):
    """About 3 % of the words change, and one paragraph is new."""
    lines = [" ".join(r.choice(WORDS) if r.random() < 0.03 else word for word in line.split(" ")) for line in lines]
    lines.insert(r.randrange(len(lines)), paragraph(r))
    return lines


def reordered(r, lines):
    lines = list(lines)
    r.shuffle(lines)
    return lines


# ---- Templates: a name, the lines that all its documents have, and a function that writes a file ----

LETTER = ["Example Trading Company, 12 Harbour Street", "Dear customer,", "Yours sincerely,", "The management"]
REPORT = ["Quarterly report", "Summary", "Distribution: management, all heads of department"]
MINUTES = ["Minutes of the meeting", "Present: as listed", "The meeting was closed at noon."]
SLIDES = ["Example Trading Company", "Questions?"]
PRICES = ["Item\tQuantity\tPrice", "All prices include tax", "Total"]


def write_docx(path, lines, seed, own):
    document = Document()
    document.sections[0].header.paragraphs[0].add_run().add_picture(picture(seed), width=Cm(3))
    for number, line in enumerate([own[0]] + lines + own[1:]):
        run = document.add_paragraph().add_run(line)
        run.bold = number % 5 == 0
    document.save(path)


def write_odt(path, lines, seed, own):
    document = opendocument.OpenDocumentText()
    document.addPicture("logo.png", "image/png", picture(seed).read())
    for number in range(60):
        each = style.Style(name=f"Style{number}", family="paragraph")
        each.addElement(style.TextProperties(fontsize=f"{number + 6}pt", color=f"#{number * 4000:06x}"))
        document.styles.addElement(each)
    for line in [own[0]] + lines + own[1:]:
        document.text.addElement(text.P(text=line))
    document.save(path)


def write_xlsx(path, lines, seed, own):
    book = Workbook()
    sheet = book.active
    sheet.add_image(Image(picture(seed)), "H1")
    for number, line in enumerate([own[0]] + lines + own[1:], 1):
        for column, cell in enumerate(line.split("\t"), 1):
            sheet.cell(number, column, cell).font = Font(bold=number == 1)
            sheet.cell(number, column).fill = PatternFill("solid", fgColor=f"{number * 977 % 0xffffff:06x}")
    book.save(path)


def write_pptx(path, lines, seed, own):
    lines = [own[0]] + lines + own[1:]
    parts = [("[Content_Types].xml", "<Types/>"), ("ppt/media/image1.png", picture(seed).read())]
    for number in range(11):
        parts.append((f"ppt/slideLayouts/slideLayout{number}.xml", "<p:sldLayout xmlns:p='p'>" + random.Random(seed + number).randbytes(700).hex() + "</p:sldLayout>"))
    for number in range(0, len(lines), 3):
        body = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines[number:number + 3])
        parts.append((f"ppt/slides/slide{number // 3 + 1}.xml", f"<p:sld xmlns:p='p' xmlns:a='a'><p:txBody>{body}</p:txBody></p:sld>"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts:
            archive.writestr(name, data)


def prices(r):
    return [f"{' '.join(r.choices(WORDS, k=3))}\t{r.randrange(1, 90)}\t{r.randrange(1, 10000) / 100:.2f}" for _ in range(r.randrange(20, 60))]


def paragraphs(low, high):
    return lambda r: [paragraph(r) for _ in range(r.randrange(low, high))]


# The name, the number of texts, a text, a writer, and the writer of the same text in another format.
TEMPLATES = [("letter", 10, paragraphs(3, 7), write_docx, LETTER, write_odt, "odt"),
             ("report", 8, paragraphs(10, 40), write_docx, REPORT, write_odt, "odt"),
             ("minutes", 8, paragraphs(5, 20), write_odt, MINUTES, write_docx, "docx"),
             ("slides", 6, paragraphs(6, 20), write_pptx, SLIDES, None, None),
             ("prices", 6, prices, write_xlsx, PRICES, None, None)]
EXTENSIONS = {write_docx: "docx", write_odt: "odt", write_xlsx: "xlsx", write_pptx: "pptx"}


def make(folder):
    """Returns the family of each path; documents of one family are versions."""
    families = {}
    for seed, (name, count, make_text, write, own, export, extension) in enumerate(TEMPLATES):
        for number in range(count):
            r = random.Random(f"{name} {number}")
            lines = make_text(r)
            files = [(f"{name}-{number}.{EXTENSIONS[write]}", lines, write)]
            if number % 3 == 0:
                files.append((f"{name}-{number} edited.{EXTENSIONS[write]}", edited(r, lines), write))
            if number % 4 == 1:
                files.append((f"{name}-{number} reordered.{EXTENSIONS[write]}", reordered(r, lines), write))
            if export is not None and number % 3 == 2:
                files.append((f"{name}-{number}.{extension}", lines, export))
            for file, content, writer in files:
                writer(f"{folder}/{file}", content, 1000 * seed, own)
                families[f"{folder}/{file}"] = name, number
    return families


def pairs_of(build, folder, options, base):
    index = f"sqlite:{base}/{len(options)}.db"
    subprocess.run([f"{build}/simhash", "-q", *options, "-d", index, folder], check=True)
    subprocess.run([f"{build}/simfind", "-q", "-d", index, "--group=none", "--format=csv", "-o", f"{base}/pairs.csv"], check=True)
    with open(f"{base}/pairs.csv", newline="") as table:
        return [(row["path_a"], row["path_b"], float(row["resemblance"])) for row in csv.DictReader(table)]


def main():
    build, base = os.path.abspath(sys.argv[1]), tempfile.mkdtemp()
    folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else f"{base}/office"
    os.makedirs(folder, exist_ok=True)
    families = make(folder)
    paths = sorted(families)
    true = {(a, b) for i, a in enumerate(paths) for b in paths[i + 1:] if families[a] == families[b]}
    print(f"{len(families)} documents, {len(true)} pairs of versions")
    for options in (["--no-documents"], ["--no-documents", "-z"], []):
        pairs = pairs_of(build, folder, options, base)
        own = {tuple(sorted(path.split("//")[0] for path in pair[:2])) for pair in pairs}
        versions = {pair for pair in own if pair in true}
        strangers = [pair for pair in pairs if pair[0].split("//")[0] != pair[1].split("//")[0]
                     and tuple(sorted(path.split("//")[0] for path in pair[:2])) not in true]
        print(f"{' '.join(options) or 'default':20} {len(pairs):5} pairs listed: {len(versions)} of {len(true)} versions, "
              f"{len(strangers)} pairs of strangers")
        if not options:
            for pair in sorted(strangers):
                print("  stranger:", *(os.path.basename(path) for path in pair[:2]), pair[2])
            for pair in sorted(true - versions):
                print("  not listed:", *(os.path.basename(path) for path in pair))


main()
