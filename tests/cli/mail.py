#!/usr/bin/env python3
"""Makes mail with Python's own modules for mail.sh, and says which members it should have.

    mail.py make FOLDER            attached files in FOLDER/disk, FOLDER/inbox (mbox), FOLDER/maildir, FOLDER/eml
    mail.py expect FOLDER OUT      Python reads the mail in FOLDER; the decoded members are OUT/NUMBER, and OUT/list has a line
                                   "NUMBER FILE//MEMBER" for each
    mail.py texts FOLDER           files with header lines that are no mail, and FOLDER/mail: files that are
    mail.py charsets               the names of the parts of FOLDER/charsets below
    mail.py recall FOLDER          reads pairs of simfind as CSV; how many of FOLDER/disk are found in mail?
    mail.py append MBOX            one more message
    mail.py hostile FOLDER         mail that nobody sends
"""
import base64, csv, email, email.policy, io, mailbox, os, random, re, sys, tarfile, zipfile
from email.message import EmailMessage, MIMEPart

CHOICE = random.Random(7)
NAMES = ["report.pdf", "naïve été.txt", "отчёт за год.docx", "表.xlsx", "a b  c.tar", "photo.jpg", "notes.txt", "data.csv", "x.zip", "long" + "g" * 120 + ".bin"]


def text(lines):
    return "".join(f"{CHOICE.randrange(10**9)} some words of a line, é={i}\n" for i in range(lines))


def content(name):
    """Bytes that suit the name."""
    out = io.BytesIO()
    if name.endswith((".txt", ".csv")):
        return text(CHOICE.randrange(1, 200)).encode()
    if name.endswith((".zip", ".docx", ".xlsx")):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", '<w:document xmlns:w="x"><w:p><w:t>' + text(90) + "</w:t></w:p></w:document>")
            archive.writestr("inside.txt", text(50))
    elif name.endswith(".tar"):
        with tarfile.open(fileobj=out, mode="w") as archive:
            data = text(20).encode()
            entry = tarfile.TarInfo("in/the tar.txt")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    else:
        return b"%PDF-1.4\n" + CHOICE.randbytes(CHOICE.randrange(1, 100000))
    return out.getvalue()


def message(number, disk):
    """A message with up to 6 attachments, which are also files."""
    mail = EmailMessage(policy=email.policy.default.clone(cte_type="7bit" if number % 2 else "8bit"))
    mail["From"] = "Sender <sender@example.org>"
    mail["To"] = "Receiver <receiver@example.org>"
    mail["Date"] = f"Mon, {number % 28 + 1:2} Nov 2025 10:{number % 60:02}:00 +0100"
    mail["Subject"] = f"Message {number} – with attachments"
    mail["Message-ID"] = f"<{number}@example.org>"
    mail.set_content(text(CHOICE.randrange(1, 30)) + "From here on\n>From there on\n" + "--\nx\n", cte=CHOICE.choice(["quoted-printable", "8bit", "base64"]))
    if number % 3 == 0:
        mail.add_alternative("<p>" + text(5) + "</p>", subtype="html")
    for i in range(number % 7):
        name = NAMES[(number + i) % len(NAMES)]
        data = content(name)
        with open(f"{disk}/{number}-{i}-{name[-30:]}", "wb") as file:
            file.write(data)
        if name.endswith((".txt", ".csv")):
            mail.add_attachment(data.decode(), filename=name, subtype="plain", cte=CHOICE.choice(["quoted-printable", "base64"]))
        else:
            part = MIMEPart()
            part.set_content(data, "application", "octet-stream", filename=name, cte=CHOICE.choice(["base64", "quoted-printable"]) if len(data) < 20000 else "base64")
            mail.make_mixed() if mail.get_content_type() != "multipart/mixed" else None
            mail.attach(part)
    return mail


def make(folder):
    os.makedirs(f"{folder}/disk")
    os.makedirs(f"{folder}/eml")
    inbox = mailbox.mbox(f"{folder}/inbox")
    maildir = mailbox.Maildir(f"{folder}/maildir")
    for number in range(60):
        mail = message(number, f"{folder}/disk")
        if number % 10 == 5:  # a forwarded message
            outer = EmailMessage()
            for field in ("From", "To", "Date", "Message-ID"):
                outer[field] = str(mail[field])
            outer["Subject"] = "Fwd"
            outer.set_content("See below.\n")
            outer.add_attachment(mail)
            mail = outer
        if number % 3 == 0:
            inbox.add(mail)
        elif number % 3 == 1:
            maildir.add(mail)
        else:
            with open(f"{folder}/eml/{number}.eml", "wb") as file:
                file.write(mail.as_bytes(policy=mail.policy.clone(linesep="\r\n" if number % 2 else "\n")))
    inbox.flush()


EXTENSIONS = {"text/plain": "txt", "text/html": "html", "message/rfc822": "eml", "application/octet-stream": "bin"}


def parts(data, path, out):
    """Add the parts of a message."""
    names = set()
    parsed = email.message_from_bytes(data, policy=email.policy.default)

    def leaves(part, data):
        """All parts, each with its own bytes."""
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            pieces = re.split(rb"(?:^|\r?\n)--" + re.escape(part.get_boundary().encode()) + rb"(?:--)?[ \t]*(?:\r?\n|$)", data)
            for inner, piece in zip(part.iter_parts(), pieces[1:]):
                yield from leaves(inner, piece)
        else:
            yield part, re.split(rb"\r?\n\r?\n", data, maxsplit=1)[1]

    for number, (part, body) in enumerate(leaves(parsed, data), 1):
        name = part.get_filename() or f"{number}.{EXTENSIONS[part.get_content_type()]}"
        name = name.split("/")[-1]
        while name in names:
            stem, dot, extension = name.rpartition(".")
            name = f"{stem}-{number}.{extension}" if dot and stem else f"{name}-{number}"
        names.add(name)
        if part.get_content_type() == "message/rfc822":
            out.append((f"{path}//{name}", body))
            parts(body, f"{path}//{name}", out)
        else:
            out.append((f"{path}//{name}", part.get_payload(decode=True)))


def expect(folder, target):
    out = []
    for file in ["inbox"] + [f"{inside}/{name}" for inside in ("maildir/new", "eml") for name in sorted(os.listdir(f"{folder}/{inside}"))]:
        if file == "inbox":
            box = mailbox.mbox(f"{folder}/inbox")
            for number, key in enumerate(box.keys(), 1):
                raw = box.get_bytes(key).replace(b"\n>From ", b"\nFrom ")
                out.append((f"inbox//{number:06}.eml", raw))
                parts(raw, f"inbox//{number:06}.eml", out)
        else:
            with open(f"{folder}/{file}", "rb") as mail:
                parts(mail.read(), file, out)
    os.makedirs(target)
    with open(f"{target}/list", "w") as names:
        for number, (name, data) in enumerate(out):
            names.write(f"{number} {name}\n")
            with open(f"{target}/{number}", "wb") as file:
                file.write(data)


def recall(folder):
    """How many attachments are found as identical to their files? Encoded text in a message with CRLF has CRLF itself."""
    found, alike = set(), set()
    for row in csv.DictReader(sys.stdin):
        for a, b in ((row["path_a"], row["path_b"]), (row["path_b"], row["path_a"])):
            if os.path.dirname(a) == f"{folder}/disk" and "//" in b and "/disk/" not in b:
                if row["match"] == "identical":
                    found.add(os.path.basename(a))
                elif row["match"] == "same text" and a.endswith((".txt", ".csv")):
                    alike.add(os.path.basename(a))
    alike -= found
    files = set(os.listdir(f"{folder}/disk"))
    print(f"Of {len(files)} attachments, {len(files & found)} are identical to their files, and {len(files & alike)} have the same text")
    for name in sorted(files - found - alike):
        print(name)
    sys.exit(len(files - found - alike) > 0 or len(alike) > 9)


def append(box):
    inbox = mailbox.mbox(box)
    mail = EmailMessage()
    mail["From"] = "a@example.org"
    mail.set_content("New mail\n")
    inbox.add(mail)
    inbox.flush()


CHARSETS = [
    ("koi8-r", "отчёт.txt"),
    ("windows-1251", "счёт.txt"),
    ("iso-2022-jp", "報告.txt"),
    ("shift_jis", "表紙.txt"),
    ("euc-jp", "議事録.txt"),
    ("gb2312", "报告.txt"),
    ("gb18030", "合同.txt"),
    ("big5", "報表.txt"),
    ("euc-kr", "보고서.txt"),
    ("iso-8859-2", "zpráva.txt"),
    ("cp437", "Übersicht.txt"),
    ("utf-7", "Größe.txt"),
    ("utf-16", "Straße.txt"),
]
MAIL = b"""Return-Path: <a@example.org>
From: a@example.org
Date: Mon, 24 Nov 2025 10:00:00 +0100
Message-ID: <1@example.org>
"""


def texts(folder):
    os.makedirs(f"{folder}/mail")
    git = b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: Mon, 24 Nov 2025 10:00:00 +0100\nSubject: [PATCH] x\n\n---\n x\n"
    for name, data in {
        "patch": git,
        "http": b"HTTP/1.1 200 OK\nDate: Mon, 24 Nov 2025 10:00:00 GMT\nServer: x\nFrom: a@example.org\n\nx\n",
        "http2": b"Date: Mon, 24 Nov 2025 10:00:00 GMT\nServer: x\nContent-Type: text/html\n\nx\n",
        "control": b"Package: x\nVersion: 1\nMaintainer: x\nDate: Mon, 24 Nov 2025 10:00:00 +0100\n\nx\n",
        "metadata": b"Metadata-Version: 2.1\nName: x\nVersion: 1\nAuthor-email: a@example.org\n\nx\n",
        "pasted": b"From: A\nSent: Monday, November 24\nTo: B\nSubject: x\n\nx\n",
        "draft": b"From: A\nDate: today\nSubject: x\n\nx\n",
        "quoted": b"This is a mail:\n" + MAIL + b"\nx\n",
        "later": MAIL + b"This line is no header.\n\nx\n",
        "zero": MAIL + b"X: \0\n\nx\n",
        "prose": b"From time to time it rains.\nFrom: here\n\n",
        "from": b"From a@example.org Mon Nov 24 10:00:00 2025\nThis line is no header.\n",
        "c.c": b"From: case Date: goto x;\nMessage-ID: break;\n",
        "yaml": b"From: x\nDate: y\nMessages:\n  - z\n",
    }.items():
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
    for name, data in {
        "plain": MAIL + b"\nText.\n",
        "crlf": (MAIL + b"\nText.\n").replace(b"\n", b"\r\n"),
        "folded": MAIL + b"Received: from x\n\tby y\nX-Odd_Name.1: z\n\nText.\n",
        "no.end": MAIL,
        "long": MAIL + b"X-Long: " + b"y" * 40000 + b"\nX-Not a header\n\nText.\n",
        "box": b"From a@example.org Mon Nov  3 10:00:00 2025\n" + MAIL + b"\nText.\n",
        "box.zone": b"From MAILER-DAEMON Mon Nov 24 10:00:00 +0100 2025\n" + MAIL + b"\nText.\n",
    }.items():
        with open(f"{folder}/mail/{name}", "wb") as file:
            file.write(data)


def multipart(parts, boundary="b", end=True, kind="mixed"):
    return (
        MAIL
        + f'MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="{boundary}"\n\nPreamble\n'.encode()
        + b"".join(f"--{boundary}\n".encode() + part + b"\n" for part in parts)
        + (f"--{boundary}--\n".encode() if end else b"")
    )


def hostile(folder):
    def write(name, *pieces):
        with open(f"{folder}/{name}", "wb") as file:
            for piece in pieces:
                file.write(piece)

    named = lambda name, data=b"x": b'Content-Disposition: attachment; filename="' + name + b'"\n\n' + data
    write("many", multipart([b"Content-Type: text/plain\n\npart %d" % i for i in range(10000)]))
    write("same", multipart([named(b"same.txt", b"part %d" % i) for i in range(10000)]))
    write("too.many", multipart([b"\nx"] * 20001))
    deep = MAIL + b"MIME-Version: 1.0\n"
    for i in range(1000):
        deep += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i)
    write("deep", deep, b"\ninnermost\n")
    write("headers", MAIL, *(b"X-%d: y\n" % i for i in range(1000000)), b"Content-Type: text/plain; name=found.txt\n\ntext\n")
    write("big.headers", multipart([b"Content-Type: text/plain;\n" + b" x=y;\n" * 50000 + b" name=lost.txt\n\ntext", named(b"next.txt")]))
    # A line of 2 GB, mostly a hole
    write("line", MAIL, b"\nstart")
    os.truncate(f"{folder}/line", 2 << 30)
    write("line.header", MAIL, b"X-Long: start")
    os.truncate(f"{folder}/line.header", 2 << 30)
    write("base64", multipart([b"Content-Transfer-Encoding: base64\n" + named(b"broken.bin", b"AAA=BBB*\xff\0CC\n====\nQUJD=")]))
    write("cut", multipart([named(b"whole.txt", b"whole"), b"Content-Transfer-Encoding: base64\n" + named(b"cut.bin", base64.encodebytes(b"cut" * 100)[:200])], end=False))
    write(
        "names",
        multipart(
            [
                named(b"../../../etc/passwd"),
                named(b"/"),
                named(b".."),
                named(b"a//b.txt"),
                named(b"C:\\\\x\\\\y.txt"),
                named(b"passwd"),
                named(b"a\0b.txt"),
                named(b"=?utf-8?B?YQBiLnR4dA==?="),
                named(b"\xff\xfe.txt"),
                b"Content-Disposition: attachment; filename*=utf-8''%2e%2e%2fp%61th%2fencoded.txt\n\nx",
                b"Content-Disposition: attachment; filename*0=con; filename*1=tin; filename*2=ued.txt\n\nx",
                named(b"n" * 3000),
                named(b"3.txt"),
                b"\nx",
            ]
        ),
    )
    inner = multipart([named(b"inner.txt", b"inner\n--b\n"), b"\ny"], "inner")
    write("boundaries", multipart([b"Content-Type: message/rfc822\n\n" + inner, b"--bb\n\nnot a boundary", b"\n--b--not\n--", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsame"]))
    write("uu", MAIL, b"\nbefore\nbegin 644 ../cat.txt\n#0V%T\n`\nend\n\nafter\n\nbegin 644 of nothing\nis text\nend\n")
    attached = b"before\nbegin 644 cat.txt\n#0V%T\n`\nend\nafter\n"
    write(
        "charsets",
        multipart(
            [named(f"=?{charset}?B?{base64.b64encode(name.encode(charset)).decode()}?=".encode()) for charset, name in CHARSETS]
            + [named(b"kept.uu", attached), b"Content-Transfer-Encoding: x-uuencode\n" + named(b"cat.txt", attached[7:-6])]
        ),
    )
    # Three messages of 45 MiB, and an empty one
    begin = b"From a@example.org Mon Nov 24 10:00:00 2025\n"
    write("large", *[begin, MAIL, b"\n", b"0123456789abcde\n" * (45 << 16), b"\n"] * 3, begin)
    write("box", b"From a@example.org Mon Nov 24 10:00:00 2025\n", multipart([named(b"one.txt", b"one")]), b"\nFrom a@example.org Mon Nov 24 10:00:00 2025\n", MAIL, b"\n>From x\nFrom the text\n>>From y\n\nFrom a@example.org Mon Nov 24 10:00:00 2025\n", multipart([named(b"cut.txt", b"cut")], end=False)[:-4])


if __name__ == "__main__":
    {"make": make, "expect": expect, "texts": texts, "hostile": hostile, "recall": recall, "append": append, "charsets": lambda: print("\n".join(name for _, name in CHARSETS))}[sys.argv[1]](*sys.argv[2:])
