#!/usr/bin/env python3
"""Measures how often simfind finds files in the files that really contain them, with files of /usr.

    tests/bench/real_parts.py BUILD FOLDER [SEED]

Makes archives, documents, rotated logs, mail and an image of a disk from files of /usr in FOLDER (1 GB,
not removed), and requests each file that is in them. `ar` takes objects out of the static libraries of
the system. An answer is wrong if the container does not have the requested file, and shares less than
half of its different shingles with it. Mail is read with -z. For --cover, the known files are in the
index, and the container is requested: a known file is found if the cover names it or a copy. Needs mkfs.ext4. Prints a table in Markdown.
"""
import email.message
import glob
import json
import os
import random
import shutil
import subprocess
import sys

FILES = 200


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def find(folders, ends, least, most=2 << 20):
    """Files with different contents and names."""
    found, contents = {}, set()
    for top in folders:
        for folder, inner, names in os.walk(top):
            inner.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(ends) and not os.path.islink(path) and os.path.isfile(path) \
                        and least <= os.path.getsize(path) <= most and name not in found:
                    content = hash(read(path))
                    if content not in contents:
                        found[name] = path
                        contents.add(content)
    paths = sorted(found.values())
    random.shuffle(paths)
    return paths


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


# Each case writes containers below `folder` and returns for each requested file its container.

def in_tar(folder):
    """files in uncompressed tar files of 20"""
    paths = find(["/usr/share/doc", "/usr/lib/python3", "/usr/share/icons"], ("",), 2100)[:FILES]
    for i in range(0, len(paths), 20):
        run("tar", "-cf", f"{folder}/{i}.tar", "-P", *paths[i:i + 20])
    return {path: f"{folder}/{i // 20 * 20}.tar" for i, path in enumerate(paths)}


def in_libraries(folder):
    """objects in static libraries"""
    wanted = {}
    libraries = find(["/usr/lib"], (".a",), 100000, 8 << 20)[:20]
    for i, library in enumerate(libraries):
        shutil.copy(library, f"{folder}/{os.path.basename(library)}")
        objects = f"{folder}.objects/{i}"
        os.makedirs(objects)
        run("ar", "x", library, cwd=objects)
        taken = sorted(glob.glob(f"{objects}/*.o"))
        random.shuffle(taken)
        for path in taken[:FILES // len(libraries)]:
            if os.path.getsize(path) >= 2100:
                wanted[path] = f"{folder}/{os.path.basename(library)}"
    return wanted


def in_documents(folder):
    """pictures in PDF files, five in each"""
    paths = find(["/usr/share"], (".png", ".jpg"), 3000)[:FILES]
    for i in range(0, len(paths), 5):
        made = b"%PDF-1.4\n"
        for number, path in enumerate(paths[i:i + 5]):
            picture = read(path)
            made += b"%d 0 obj\n<< /Type /XObject /Subtype /Image /Length %d >>\nstream\n" % (number + 1, len(picture))
            made += picture + b"\nendstream\nendobj\n"
        write(f"{folder}/{i}.pdf", made + b"trailer\n<< >>\n%%EOF\n")
    return {path: f"{folder}/{i // 5 * 5}.pdf" for i, path in enumerate(paths)}


def in_logs(folder):
    """days of a log in the log of a month"""
    wanted = {}
    for month in range(FILES // 30):
        days = []
        for day in range(30):
            lines = "".join(f"2026-{month + 1:02}-{day + 1:02} {hour:02}:{random.randrange(60):02} host{random.randrange(9)} "
                            f"daemon[{random.randrange(30000)}]: request {random.getrandbits(40):x} took {random.randrange(900)} ms\n"
                            for hour in range(24) for _ in range(random.randrange(2, 40)))
            days.append(lines.encode())
            write(f"{folder}.days/{month}-{day}.log", days[-1])
            wanted[f"{folder}.days/{month}-{day}.log"] = f"{folder}/{month}.log"
        write(f"{folder}/{month}.log", b"".join(days))
    return wanted


def in_mail(folder):
    """attachments of mail, in mailboxes of 50 messages"""
    paths = find(["/usr/share"], (".pdf", ".png", ".html", ".gz", ".txt"), 2100, 500000)[:FILES]
    boxes = {}
    for i, path in enumerate(paths):
        mail = email.message.EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "ada@example.org", "bob@example.org", os.path.basename(path)
        mail["Date"], mail["Message-ID"] = "Thu, 26 Nov 2026 10:00:00 +0000", f"<{i}@example.org>"
        mail.set_content("See the attached file.\n")
        mail.add_attachment(read(path), maintype="application", subtype="octet-stream", filename=os.path.basename(path))
        box = f"{folder}/{i // 50}.mbox"
        boxes.setdefault(box, []).append(b"From ada@example.org Thu Nov 26 10:00:00 2026\n" + mail.as_bytes() + b"\n")
    for box, mails in boxes.items():
        write(box, b"".join(mails))
    return {path: f"{folder}/{i // 50}.mbox" for i, path in enumerate(paths)}


def make_image(folder):
    """files in an image of ext4"""
    paths = find(["/usr/share/doc", "/usr/bin", "/usr/lib/python3"], ("",), 16384)[:FILES]
    for path in paths:
        write(f"{folder}.tree/{os.path.basename(path)}", read(path))
    size = sum(os.path.getsize(path) for path in paths) * 2 + (8 << 20)
    with open(f"{folder}/disk.img", "wb") as image:
        image.truncate(size)
    run("mkfs.ext4", "-q", "-d", f"{folder}.tree", f"{folder}/disk.img")
    shutil.rmtree(f"{folder}.tree")
    return {path: f"{folder}/disk.img" for path in paths}


def shares_half(path, container):
    x, y = read(path), read(container)
    places = [random.randrange(len(x) - 15) for _ in range(200)]
    return sum(x[place:place + 16] in y for place in places) >= 100


def measure(build, folder, make, number, decompress):
    containers = f"{folder}/{number}"
    os.makedirs(containers)
    wanted, database = make(containers), f"sqlite:{containers}.db"
    run(f"{build}/simhash", "-q", *decompress, "-d", database, containers)
    run(f"{build}/simfind", "-q", "-d", database, "--files0-from=-", "--format=json", "-o", f"{containers}.json",
        input="\0".join(wanted).encode())
    listing = json.loads(read(f"{containers}.json"))
    found, wrong = set(), {}
    for pair in listing:
        for path, other in ((pair["path_a"], pair["path_b"]), (pair["path_b"], pair["path_a"])):
            container = other.split("//")[0]
            if path in wanted and container == wanted[path]:
                found.add(path)
            elif path in wanted and other == container and other.startswith(containers) and not shares_half(path, container):
                wrong[path, other] = pair.get("contained_a", pair.get("resemblance"))
    return len(found), len(wanted), wrong


def measure_cover(build, folder, number):
    image = f"{folder}/{number}"
    os.makedirs(image)
    wanted, database = make_image(image), f"sqlite:{image}.db"
    run(f"{build}/simhash", "-q", "-d", database, "/usr/share/doc", "/usr/bin", "/usr/lib/python3")
    run(f"{build}/simfind", "-q", "-d", database, "--cover", "--format=json", "-o", f"{image}.json", f"{image}/disk.img")
    [cover] = json.loads(read(f"{image}.json"))
    named = {part["path"] for part in cover["parts"]}
    contents = {hash(read(path)) for path in named if os.path.isfile(path)}
    found = {path for path in wanted if hash(read(path)) in contents}
    wrong = {part["path"]: part["share"] for part in cover["parts"]
             if os.path.isfile(part["path"]) and part["share"] > 0.5 and not shares_half(part["path"], f"{image}/disk.img")}
    known = sum(os.path.getsize(path) for path in wanted)
    return len(found), len(wanted), wrong, cover["covered_bytes"] / known, cover["size"]


def main():
    build, folder = sys.argv[1:3]
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    shutil.rmtree(folder, ignore_errors=True)
    print("| requested | found | wrong answers, and the worst |\n|---|---|---|")
    cases = [(in_tar, []), (in_libraries, []), (in_documents, []), (in_logs, []), (in_mail, ["-z"]), (make_image, ["-z"])]
    for number, (make, decompress) in enumerate(cases):
        found, wanted, wrong = measure(build, os.path.abspath(folder), make, number, decompress)
        worst = max(wrong.values(), default=None)
        print(f"| {make.__doc__}{', with -z' if decompress else ''} | {found} of {wanted} | {len(wrong)}{'' if worst is None else f', {worst}'} |",
              flush=True)
    found, wanted, wrong, covered, size = measure_cover(build, os.path.abspath(folder), len(cases))
    print(f"| the image ({size >> 20} MB), with `--cover` | {found} of {wanted}, {100 * covered:.0f} % of their bytes | {len(wrong)} |")


main()
