#!/usr/bin/env python3
"""Makes documents for documents.sh, with the layouts of different editors.

    documents.py versions FOLDER   100 documents: FOLDER/one/N.EXT; the same text by another editor in FOLDER/again/N.EXT
                                   and as FOLDER/plain/N.txt; and with 1 % of the words changed, FOLDER/next/N.EXT
    documents.py libraries FOLDER  20 such documents. python-docx writes "again" and "next" from its template of Word, or
                                   odfpy does; "next" is "again" opened, changed and saved
    documents.py texts FOLDER      the same as versions, but each document is a plain file with its text
    documents.py template FOLDER   60 documents from three templates, whose styles and pictures are larger than their texts. In FOLDER/a,
                                   all texts are different; FOLDER/b has versions of every third one: edited and with another order
    documents.py pairs A [B]       reads a list of simfind as CSV; prints the pairs without labels and sizes, with paths below A or B
    documents.py found FOLDER      reads the lines of simfind; prints the numbers of texts found again, next versions, strangers
    documents.py dated FOLDER      versions that their properties put in order
    documents.py odd FOLDER        entities, endless markup, damaged parts, documents in archives
"""
import csv, io, os, random, re, sys, zipfile

CHOICE = random.Random(11)
VOCABULARY = ["".join(CHOICE.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(CHOICE.randrange(3, 10))) for _ in range(3000)] + ["é", "naïve", "für"]


def zipped(members, method=zipfile.ZIP_DEFLATED, level=6):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=level) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def lines_of(r, kind):
    """2 to 20 kB of text. A line with one cell is a paragraph."""
    size, lines = r.randrange(2000, 20000), []
    while sum(len(cell) + 1 for line in lines for cell in line) < size:
        if kind in ("xlsx", "ods"):
            lines.append([" ".join(r.choices(VOCABULARY, k=r.randrange(1, 5))) for _ in range(6)] + [str(r.randrange(100000))])
        else:
            lines.append([" ".join(r.choices(VOCABULARY, k=r.randrange(5, 60))).capitalize() + "."])
    return lines


def edited(r, lines):
    """1 % of the words are changed, in at least two places."""
    places = [(i, j) for i, line in enumerate(lines) for j, _ in enumerate(line)]
    lines, words = [list(line) for line in lines], sum(len(cell.split()) for line in lines for cell in line)
    for _ in range(max(2, words // 100)):
        i, j = r.choice(places)
        cell = lines[i][j].split(" ")
        cell[r.randrange(len(cell))] = r.choice(VOCABULARY)
        lines[i][j] = " ".join(cell)
    return lines


def text_of(lines):
    return "".join("\t".join(line) + "\n" for line in lines)


def split(r, text):
    """A paragraph in runs that end anywhere, as editors write them."""
    cuts = sorted(r.sample(range(len(text)), min(len(text), r.randrange(0, 5))))
    return [text[i:j] for i, j in zip([0] + cuts, cuts + [len(text)])]


def rsid(r):
    return f"{r.randrange(1 << 32):08X}"


XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(r, lines, is_other):
    # The last two lines are a footnote and an endnote.
    body, notes = [line[0] for line in lines[:-2]], [line[0] for line in lines[-2:]]
    # One run per paragraph, each on a separate line, another prefix and name, another order.
    if is_other:
        paragraphs = "".join(f"\n <x:p>\n  <x:pPr><x:tabs><x:tab x:val='left'/></x:tabs></x:pPr>\n  <x:r><x:rPr><x:b/></x:rPr><x:t xml:space='preserve'>{p}</x:t>"
                             f"</x:r><x:r><x:instrText>PAGE</x:instrText><x:delText>gone</x:delText></x:r>\n </x:p>" for p in body)
        root = f"xmlns:x='{W}'"
        return zipped([("_rels/.rels", "<Relationships/>"), ("word/styles.xml", f"<x:styles {root}>" + "<x:style><x:t>no</x:t></x:style>" * 20 + "</x:styles>"),
                       ("word/endnotes7.xml", f"<x:endnotes {root}><x:endnote><x:p><x:r><x:t>{notes[1]}</x:t></x:r></x:p></x:endnote></x:endnotes>"),
                       ("word/document2.xml", f"<?xml version='1.0'?>\n<x:document {root}>\n<x:body>{paragraphs}\n</x:body>\n</x:document>"),
                       ("word/a.xml", f"<x:footnotes {root}><x:footnote><x:p><x:r><x:t>{notes[0]}</x:t></x:r></x:p></x:footnote></x:footnotes>"),
                       ("[Content_Types].xml", "<Types/>")], level=1)
    runs = ["".join(f'<w:r w:rsidRPr="{rsid(r)}"><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t xml:space="preserve">{run}</w:t></w:r><w:proofErr w:type="spellStart"/>'
                    for run in split(r, p)) for p in body]
    paragraphs = "".join(f'<w:p w14:paraId="{rsid(r)}" w:rsidR="{rsid(r)}" w:rsidRDefault="{rsid(r)}"><w:pPr><w:pStyle w:val="Normal"/></w:pPr>{p}</w:p>' for p in runs)
    box = "<mc:AlternateContent><mc:Choice/><mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent>"
    return zipped([("[Content_Types].xml", XML + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'), ("_rels/.rels", XML + "<Relationships/>"),
                   ("word/document.xml", XML + f'<w:document xmlns:w="{W}" xmlns:w14="w14" xmlns:mc="mc"><w:body>{paragraphs}<w:p><w:r>{box}</w:r></w:p></w:body></w:document>'),
                   ("word/footnotes.xml", XML + f'<w:footnotes xmlns:w="{W}"><w:footnote><w:p><w:r><w:t>{notes[0]}</w:t></w:r></w:p></w:footnote></w:footnotes>'),
                   ("word/endnotes.xml", XML + f'<w:endnotes xmlns:w="{W}"><w:endnote><w:p><w:r><w:t>{notes[1]}</w:t></w:r></w:p></w:endnote></w:endnotes>'),
                   ("word/header1.xml", XML + f'<w:hdr xmlns:w="{W}"><w:p><w:r><w:t>Header</w:t></w:r></w:p></w:hdr>'), ("word/theme/theme1.xml", "<a:theme/>" * 2)])


def pptx(r, lines, is_other):
    per, prefix = (3, "q") if is_other else (4, "a")
    slides = [lines[i:i + per] for i in range(0, len(lines), per)]
    if is_other:
        slides = [lines[:1]] + [lines[i:i + per] for i in range(1, len(lines), per)]
    members = [("[Content_Types].xml", "<Types/>"), ("ppt/slideLayouts/slideLayout1.xml", "<p:sldLayout><a:t>Click to edit</a:t></p:sldLayout>")]
    for number, slide in enumerate(slides, 1):
        paragraphs = "".join(f"<{prefix}:p>" + "".join(f"<{prefix}:r><{prefix}:rPr lang='en'/><{prefix}:t>{run}</{prefix}:t></{prefix}:r>" for run in split(r, line[0])) + f"</{prefix}:p>"
                             for line in slide)
        field = f"<{prefix}:p><{prefix}:fld type='slidenum'><{prefix}:t>{number}</{prefix}:t></{prefix}:fld></{prefix}:p>"
        members.append((f"ppt/slides/slide{number}.xml", XML + f"<p:sld xmlns:p='p' xmlns:{prefix}='a'><p:txBody>{paragraphs}{field}</p:txBody></p:sld>"))
    # Sorted by name as text: slide10 comes before slide2.
    return zipped(sorted(members), level=9 if is_other else 5)


def xlsx(r, lines, is_other):
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    if is_other:
        rows = "".join("<row>" + "".join(f"<c><v>{float(cell):.16E}</v></c>" if cell.isdigit() else f"<c t='inlineStr'><is><t>{cell}</t></is></c>" for cell in line) + "</row>" for line in lines)
        return zipped([("[Content_Types].xml", "<Types/>"), ("xl/worksheets/a.xml", f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>")], zipfile.ZIP_STORED)
    shared = sorted({cell for line in lines for cell in line if not cell.isdigit()})
    number = {cell: i for i, cell in enumerate(shared)}
    rows = "".join(f'<row r="{i}">' + "".join(f'<c r="A{i}"><f>SUM(B1:B2)</f><v>{cell}</v></c>' if cell.isdigit() else f'<c r="A{i}" s="1" t="s"><v>{number[cell]}</v></c>' for cell in line) + "</row>"
                   for i, line in enumerate(lines, 1))
    strings = "".join("<si>" + "".join(f"<r><rPr><b/></rPr><t>{run}</t></r>" for run in split(r, cell)) + "<rPh><t>x</t></rPh></si>" for cell in shared)
    return zipped([("[Content_Types].xml", "<Types/>"), ("xl/worksheets/sheet1.xml", XML + f"<worksheet {main}><sheetData>{rows}</sheetData><headerFooter><oddHeader>H</oddHeader></headerFooter></worksheet>"),
                   ("xl/sharedStrings.xml", XML + f"<sst {main}>{strings}</sst>")])


def spaced(text, is_other):
    return text.replace(" ", "<text:s/>", 1) if is_other else text


def opened(kind, r, lines, is_other):
    """OpenDocument: odt, ods, odp."""
    if kind == "ods":
        body = "".join("<table:table-row>" + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in line) + "</table:table-row>" for line in lines)
        body = f"<office:spreadsheet><table:table>{body}</table:table></office:spreadsheet>"
    else:
        tag = "h" if is_other else "p"
        body = "".join(f"<text:{tag} text:style-name='P{r.randrange(9)}'>" + "".join(f"<text:span>{spaced(run, is_other)}</text:span>" for run in split(r, line[0])) + f"</text:{tag}>" for line in lines)
        if kind == "odp":
            body = f"<draw:page><draw:frame><draw:text-box>{body}</draw:text-box></draw:frame></draw:page>"
        else:
            body = f"<text:tracked-changes><text:p>was</text:p></text:tracked-changes>{body}<office:annotation><text:p>note</text:p></office:annotation>"
    space = "\n  " if is_other else ""
    names = " ".join(f"xmlns:{n}='urn:oasis:names:tc:opendocument:xmlns:{n}:1.0'" for n in ("office", "text", "table", "draw", "style"))
    content = f"<?xml version='1.0'?><office:document-content {names}><office:automatic-styles>{'<style:style/>' * r.randrange(1, 90)}</office:automatic-styles>{space}<office:body>{space}{body}</office:body></office:document-content>"
    parts = [("styles.xml", "<style:style/>"), ("content.xml", content), ("Object 1/content.xml", "<office:document-content><text:p>chart</text:p></office:document-content>"), ("META-INF/manifest.xml", "<m/>")]
    return zipped([("mimetype", "application/vnd.oasis.opendocument.text")] + (parts[::-1] if is_other else parts), level=1 if is_other else 9)


def epub(r, lines, is_other):
    escape = (lambda s: s.replace("é", "&eacute;").replace(" ", "&nbsp;", 1)) if is_other else (lambda s: s)
    pages, folder, per = [], "OPS/" if is_other else "", 40 if is_other else 15
    for i in range(0, len(lines), per):
        tag = "div" if is_other else "p"
        body = "".join(f"\n<{tag} class='c{r.randrange(5)}'>{escape(line[0])}</{tag}>" for line in lines[i:i + per])
        pages.append(f"<?xml version='1.0'?>\n<!DOCTYPE html>\n<html xmlns='http://www.w3.org/1999/xhtml'><head><title>T{i}</title><style>p {{}}</style></head><body>{body}<script>f()</script></body></html>")
    # The names do not show the order.
    names = [f"text/{len(pages) - i} page.xhtml" for i in range(len(pages))]
    items = "".join(f"<item id='i{i}' href='{name.replace(' ', '%20')}'/>" for i, name in enumerate(names)) + "<item id='nav' href='nav.xhtml'/>"
    spine = "".join(f"<itemref idref='i{i}'/>" for i in range(len(names)))
    members = [(folder + "book.opf", f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"), (folder + "nav.xhtml", "<html><body>Contents</body></html>")]
    members += [(folder + name, page) for name, page in zip(names, pages)]
    return zipped([("mimetype", "application/epub+zip"), ("META-INF/container.xml", "<container/>")] + (members[::-1] if is_other else members))


MAKERS = {"docx": docx, "pptx": pptx, "xlsx": xlsx, "epub": epub}


def made(kind, r, lines, is_other):
    return MAKERS[kind](r, lines, is_other) if kind in MAKERS else opened(kind, r, lines, is_other)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data.encode() if isinstance(data, str) else data)


def versions(folder, as_text=False):
    kinds = ["docx", "odt", "pptx", "xlsx", "epub", "ods", "odp", "docx", "odt", "docx"]
    for number in range(100):
        r, kind = random.Random(number), kinds[number % len(kinds)]
        lines = lines_of(r, kind)
        write(f"{folder}/plain/{number}.txt", text_of(lines))
        one, again = made(kind, r, lines, False), made(kind, r, lines, True)
        new = edited(r, lines)
        later = made(kind, r, new, number % 2 == 0)
        for place, data, text in (("one", one, lines), ("again", again, lines), ("next", later, new)):
            write(f"{folder}/{place}/{number}.{kind}", text_of(text) if as_text else data)


def docx_by_library(path, lines, opened_path):
    from docx import Document

    document = Document(opened_path)
    if opened_path is None:
        document.add_heading("Heading", level=1)
        for line in lines:
            paragraph = document.add_paragraph()
            for number, part in enumerate(re.split(r"(?<= )", line[0])):
                paragraph.add_run(part).bold = number % 7 == 0
    else:
        for paragraph, line in zip([p for p in document.paragraphs if p.style.name == "Normal"], lines):
            if paragraph.text != line[0]:
                paragraph.text = line[0]
    document.save(path)


def odt_by_library(path, lines, opened_path):
    from odf import opendocument, style, text

    if opened_path is None:
        document = opendocument.OpenDocumentText()
        bold = style.Style(name="Bold", family="text")
        bold.addElement(style.TextProperties(fontweight="bold"))
        document.automaticstyles.addElement(bold)
        document.text.addElement(text.H(outlinelevel=1, text="Heading"))
    else:
        document = opendocument.load(opened_path)
        for paragraph in list(document.getElementsByType(text.P)):
            paragraph.parentNode.removeChild(paragraph)
    for line in lines:
        paragraph = text.P()
        for number, part in enumerate(re.split(r"(?<= )", line[0])):
            paragraph.addElement(text.Span(stylename="Bold", text=part) if number % 7 == 0 else text.Span(text=part))
        document.text.addElement(paragraph)
    document.save(path)


def libraries(folder):
    for number in range(20):
        r, kind = random.Random(1000 + number), ["docx", "odt"][number % 2]
        by_library = docx_by_library if kind == "docx" else odt_by_library
        lines = lines_of(r, kind)
        write(f"{folder}/plain/{number}.txt", "Heading\n" + text_of(lines))
        write(f"{folder}/one/{number}.{kind}", made(kind, r, [["Heading"]] + lines, False))
        for place in "again", "next":
            os.makedirs(f"{folder}/{place}", exist_ok=True)
        by_library(f"{folder}/again/{number}.{kind}", lines, None)
        by_library(f"{folder}/next/{number}.{kind}", edited(r, lines), f"{folder}/again/{number}.{kind}")


def found(folder):
    path = re.compile(re.escape(folder) + r"/(one|again|next|plain)/(\d+)\.\w+(?://text)?")
    again, later, strangers = {}, set(), 0
    for line in sys.stdin.read().splitlines():
        label, *fields = re.split("  +", line)
        sides = [path.fullmatch(field) for field in fields]
        if len(sides) != 2 or not all(sides):
            continue
        (x, n), (y, m) = sorted(side.groups() for side in sides)
        if n != m:
            strangers += 1
        elif "next" in (x, y):
            later.add(n)
        else:
            again.setdefault(n, set()).update((x, y))
    print(sum(names == {"one", "again", "plain"} for names in again.values()), len(later), strangers)


def template(folder):
    for number in range(60):
        r, kind = random.Random(f"template {number}"), ["docx", "odt", "pptx"][number % 3]
        lines = [["Example Trading Company"]] + lines_of(r, kind)[:r.randrange(8, 40)] + [["Yours sincerely"]]
        picture = random.Random(kind).randbytes(30000)
        styles = "<s>" + random.Random(kind).randbytes(9000).hex() + "</s>"

        def from_template(lines):
            with zipfile.ZipFile(io.BytesIO(made(kind, random.Random(kind), lines, False))) as old:
                members = [(name, old.read(name)) for name in old.namelist() if name != "styles.xml"]
            return zipped(members + [("styles.xml", styles), ("media/logo.png", picture)])

        write(f"{folder}/a/{number}.{kind}", from_template(lines))
        if number % 3 == 0:
            write(f"{folder}/b/{number}-edited.{kind}", from_template(edited(r, lines)))
            moved = lines[1:]
            r.shuffle(moved)
            write(f"{folder}/b/{number}-moved.{kind}", from_template(lines[:1] + moved))


def pairs(*folders):
    below = re.compile("|".join(map(re.escape, folders)))
    for row in csv.DictReader(sys.stdin):
        paths = sorted(below.sub("", row[name]) for name in ("path_a", "path_b"))
        print(*paths, row["distance"], row["resemblance"].replace("0.999999", "1.000000"))  # of files that differ


def pdf(lines, number, information="", metadata="", more="", filler=0, trailer="", extra=""):
    """A PDF without compression. `more` is added to it as an update, with a trailer. `filler` bytes are in front of the other objects, and after
    them, so that these are far from both ends."""
    noise = random.Random(number).randbytes(filler).hex().encode()
    shown = "\n".join(f"({' '.join(line)}) Tj T*" for line in lines).encode("latin-1", "replace")
    objects = [b"<< /Type /Catalog /Pages 2 0 R" + (b" /Metadata 6 0 R" if metadata else b"") + b" >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", b"<< /Length %d >>\nstream\nBT\n%s\nET\nendstream" % (len(shown) + 6, shown),
               f"<< /Title (A letter) {information} >>".encode()]
    if metadata:
        objects.append(f"<< /Type /Metadata /Subtype /XML >>\nstream\n<x:xmpmeta>{metadata}</x:xmpmeta>\nendstream".encode())
    out = b"%PDF-1.4\n" + noise
    for i, data in enumerate(objects):
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, data)
    if extra:
        out += f"7 0 obj\n{extra}\nendobj\n".encode()
    end = f"trailer\n<< /Size 7 /Root 1 0 R {trailer} /Info 5 0 R >>\nstartxref\n0\n%%EOF\n".encode()
    return out + noise + end + (f"5 0 obj\n<< {more} >>\nendobj\n".encode() + end if more else b"")


def dated(folder):
    """Versions with names without an order. Their properties say when they were changed, or only how often they were saved: in FOLDER/order.txt,
    the names from the first version to the last. The properties in FOLDER/equal are equal in all files. Those in FOLDER/against contradict each
    other, and those in FOLDER/bad are no times."""
    r = random.Random(5)
    core = ('<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
            ' xmlns:dcterms="http://purl.org/dc/terms/"><cp:revision>%s</cp:revision><dcterms:created>%s'
            "</dcterms:created><dcterms:modified>%s</dcterms:modified></cp:coreProperties>")
    meta = ('<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
            ' xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta><meta:editing-cycles>%s</meta:editing-cycles>'
            "<meta:creation-date>%s</meta:creation-date><dc:date>%s</dc:date></office:meta></office:document-meta>")
    created = "2010-01-01T00:00:00"

    def with_properties(kind, lines, seed, *values):
        properties, part = (core, "docProps/core.xml") if kind == "docx" else (meta, "meta.xml")
        with zipfile.ZipFile(io.BytesIO(made(kind, random.Random(seed), lines, False))) as archive:
            members = [(member, archive.read(member)) for member in archive.namelist() if member != part]
        return zipped(members + [(part, properties % values)])

    def by_time(kind, lines, number):
        # Half of them have a zone, in which the day is another one.
        changed = f"2021-03-{10 + number}T23:30:00" + ("" if kind == "odt" else ".25-02:00" if number % 2 else "Z")
        return with_properties(kind, lines, number, 1, created, changed)

    def by_revision(kind, lines, number):
        return with_properties(kind, lines, number, (2, 9, 10, 100)[number], created, "2021-03-10T10:00:00")

    def equal(kind, lines, number):
        return with_properties(kind, lines, number, 5, created, "2021-03-10T10:00:00")

    def by_pdf(_, lines, number):
        """The time is in the dictionary, in an attribute or an element, in an update, or that of the creation."""
        day = f"2021-03-{10 + number}"
        plain = "D:" + day.replace("-", "") + "233000"
        old = "/CreationDate (D:20210301000000Z)"
        return [lambda: pdf(lines, 0, f"{old} /ModDate ({plain}+01'00')"),
                lambda: pdf(lines, 0, old, f'<r:Description xmp:ModifyDate="{day}T23:30:00Z" />'),
                lambda: pdf(lines, 0, f"{old} /ModDate (D:20210302000000Z)", f"<xmp:ModifyDate>{day}T23:30:00-01:00</xmp:ModifyDate>"),
                lambda: pdf(lines, 0, old, more=f"/ModDate ({plain}Z)"),
                lambda: pdf(lines, 0, f"/CreationDate ({plain})"),
                lambda: pdf(lines, 0, f"/CreationDate (D:20010101000000)\n/ModDate 7 0 R", extra=f"({plain[2:14]}-08)")][number]()

    with open(f"{folder}/order.txt", "w", encoding="utf-8") as order:
        for where, kind, make, count in (("docx", "docx", by_time, 6), ("odt", "odt", by_time, 6), ("saved", "docx", by_revision, 4),
                                         ("cycles", "odt", by_revision, 4), ("equal", "docx", equal, 4), ("pdf", "pdf", by_pdf, 6)):
            names = ["maple", "birch", "olive", "aspen", "hazel", "cedar"]
            r.shuffle(names)
            lines = lines_of(r, kind)
            for number, name in enumerate(names[:count]):
                write(f"{folder}/{where}/{name}.{kind}", make(kind, lines, number))
                order.write(f"{where}/{name}.{kind}\n")
                lines = edited(r, lines)
                lines.insert(r.randrange(len(lines)), [" ".join(r.choices(VOCABULARY, k=40))])
    # The same size, so that nothing else says which one is earlier
    lines = lines_of(r, "docx")
    write(f"{folder}/against/oak.docx", with_properties("docx", lines, 1, 3, created, "2021-03-12T10:00:00Z"))
    write(f"{folder}/against/elm.docx", with_properties("docx", lines[1:] + lines[:1], 1, 7, created, "2021-03-10T10:00:00Z"))
    for number, changed in enumerate(("", "yesterday", "2021-03-01", "2021-13-01T00:00:00Z", "1601-01-01T00:00:00Z", "9999-01-01T00:00:00Z",
                                      "2021-03-01T25:00:00Z", "1970-01-01T00:00:00Z", "1980-01-01T00:00:00Z", "2190-01-01T00:00:00Z",
                                      "2009-12-31T00:00:00Z")):
        lines = lines_of(random.Random(100 + number), "docx")
        write(f"{folder}/bad/{number}.docx", with_properties("docx", lines, number, 1, created, changed))
    time = "/ModDate (D:20210301000000Z)"
    for name, information, more in (
            ("encrypted", time, {"trailer": "/Encrypt 9 0 R"}), ("far", time, {"filler": 150000}), ("1970", time.replace("2021", "1970"), {}),
            ("future", time.replace("2021", "2190"), {}), ("before", time + " /CreationDate (D:20220301000000Z)", {}),
            ("hex", "/ModDate <443a3230323130333031303030303030>", {}), ("name", "/ModDate /None", {}), ("none", "", {}),
            ("short", "/ModDate (D:2021)", {})):
        write(f"{folder}/bad-pdf/{name}.pdf", pdf(lines_of(random.Random(name), "pdf"), 1, information, **more))
    write(f"{folder}/bad-pdf/other.dat", pdf(lines_of(random.Random(9), "pdf"), 1, time))
    write(f"{folder}/large/large.pdf", pdf(lines_of(random.Random(10), "pdf"), 1, time, filler=30000) + b"\n" * 100)


def odd(folder):
    r = random.Random(3)
    lines = lines_of(r, "docx")
    text, good = text_of(lines[:-2]), docx(r, lines, False)

    def with_part(path, name, data, *more):
        write(f"{folder}/{path}", zipped([("[Content_Types].xml", "<Types/>"), (name, data), *more]))

    def words(body, doctype=""):
        return f"<?xml version='1.0'?>{doctype}<w:document xmlns:w='{W}'>{body}</w:document>"

    laughs = "<!DOCTYPE d [<!ENTITY a 'ha'>" + "".join(f"<!ENTITY {chr(98 + i)} '{('&' + chr(97 + i) + ';') * 10}'>" for i in range(9)) + "]>"
    with_part("bad/laughs.docx", "word/document.xml", words("<w:p><w:t>before &j;</w:t></w:p>", laughs))
    with_part("bad/outside.docx", "word/document.xml", words("<w:p><w:t>&x;</w:t></w:p>", "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"))
    with_part("bad/cut.docx", "word/document.xml", words(f"<w:p><w:t>{text[:3000]}</w:t></w:p>")[:-40])
    with_part("bad/deep.docx", "word/document.xml", words("<w:p>" * 100000))
    with_part("bad/tag.docx", "word/document.xml", words(f"<w:p a='{CHOICE.randbytes(2 << 20).hex()}'/>"))
    with_part("good/other.docx", "custom/x.xml", "<not well formed", ("a/b.xml", "<unknown>" * 2))
    with_part("good/none.docx", "word/document.xml", words("<w:p><w:r><w:drawing/></w:r></w:p>"))
    with_part("good/own.docx", "word/document.xml", words("<w:p><w:t>text</w:t></w:p>"), ("text", "a member of this name"))
    with_part("good/renamed.bin", "word/document.xml", words(f"<w:p><w:t>{text}</w:t></w:p>"))
    write(f"{folder}/good/plain.zip", zipped([("a.txt", text), ("word/document.xml", words("<w:p><w:t>a zip file</w:t></w:p>"))]))
    write(f"{folder}/nested/outer.zip", zipped([("in/report.docx", good)]))
    write(f"{folder}/nested/report.docx", good)


if __name__ == "__main__":
    {"versions": versions, "texts": lambda folder: versions(folder, True), "libraries": libraries, "template": template,
     "pairs": pairs, "found": found, "odd": odd, "dated": dated}[sys.argv[1]](*sys.argv[2:])
