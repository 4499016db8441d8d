"""Chooses the packages of a corpus by a hash of their names, downloads and unpacks them.

The hash of its name decides whether a source belongs to corpus a, b or c, so that values tuned with
one corpus are judged with another. The seed decides which sources of a corpus are used. apt-get
downloads Debian's packages, and npm downloads JavaScript packages.

SPDX-License-Identifier: MIT
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

# The number of packages of each section of Debian; they contain the kinds of files that people
# have.
SECTIONS = {"doc": 10, "fonts": 3, "graphics": 4, "sound": 3, "games": 4, "libdevel": 4, "python": 5,
            "web": 2, "science": 4, "utils": 4, "libs": 4, "java": 2, "perl": 2, "ruby": 2, "x11": 2,
            "localization": 2, "javascript": 2, "editors": 1, "debug": 1, "haskell": 1, "gnu-r": 6}
# Few packages contain documents, pictures and sound: these many more are chosen if their name or
# description matches.
MEDIA = {"documents": (5, re.compile("^(texlive|texmf|context).*-doc |pdf.*\\(?(documentation|manual)|^[^ ]*-pdf")),
         "pictures": (3, re.compile("^[^ ]*(wallpaper|background|artwork|pictures|icon-theme)")),
         "music": (3, re.compile("^[^ ]*(-sounds?|music) "))}
# The number of packages with two versions in the archive, and the number of npm modules.
TWINS, MODULES = 36, 12
NPM = """lodash react-dom vue typescript webpack express axios moment chart.js d3 three jquery
bootstrap angular @babel/core eslint prettier mathjs highlight.js ace-builds codemirror leaflet
video.js handlebars ember-source preact svelte rxjs immutable underscore pdfjs-dist mermaid katex
ajv terser core-js date-fns ramda zod fastify socket.io uglify-js postcss sass less cheerio acorn
@types/node mime-db caniuse-lite electron-to-chromium iconv-lite emojibase-data world-atlas
i18n-iso-countries bootstrap-icons simple-icons @fortawesome/fontawesome-free quill sequelize
mongodb graphql pixi.js ol cesium echarts video-react semantic-ui-css bulma foundation-sites
tinymce swagger-ui-dist redoc yarn pnpm knex mocha jasmine-core karma""".split()


def number(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def of_corpus(corpus, name):
    return "abc"[number(name) % 3] == corpus


def run(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, **how)
    if done.returncode:
        sys.exit(f"quality: {' '.join(command[:4])}: {done.stderr.strip()[-300:]}")
    return done.stdout


def archive():
    """The packages of the archive: {name: {version: record}}."""
    lists = run(["apt-get", "indextargets", "--format", "$(FILENAME)", "Created-By: Packages",
                 "Origin: Debian"]).split()
    if not lists:
        sys.exit("quality: no list of packages: run apt-get update")
    packages = {}
    for record in run(["/usr/lib/apt/apt-helper", "cat-file"] + lists).split("\n\n"):
        field = dict(line.split(": ", 1) for line in record.split("\n") if ": " in line[1:])
        if "Package" in field:
            field["Source"] = field.get("Source", field["Package"]).split()[0]
            packages.setdefault(field["Package"], {})[field["Version"]] = field
    return packages


def shelf_of(name, record):
    """The kind of media that a package contains, or otherwise its section."""
    text = f"{name} {record.get('Description', '').lower()}"
    return next((kind for kind, (_, pattern) in MEDIA.items() if pattern.search(text)), record["Section"])


def is_older(a, b):
    return -1 if subprocess.run(["dpkg", "--compare-versions", a, "lt", b]).returncode == 0 else 1


def choose_debian(corpus, seed):
    """Packages with two versions, the oldest first, and other packages by section: [(name, versions)]."""
    packages, twins, others, taken = archive(), [], [], {}
    left = {**SECTIONS, **{kind: count for kind, (count, _) in MEDIA.items()}}
    for name in sorted(packages, key=lambda name: number(seed + name)):
        versions = packages[name]
        first = next(iter(versions.values()))
        source, size = first["Source"], int(first["Size"])
        shelf = shelf_of(name, first)
        if not of_corpus(corpus, source) or not 60_000 < size < (40_000_000 if shelf in MEDIA else 12_000_000):
            continue
        if len(versions) > 1 and len(twins) < TWINS and taken.get(source, 0) < 2:
            twins.append((name, sorted(versions, key=functools.cmp_to_key(is_older))[-2:]))
        elif len(versions) == 1 and left.get(shelf, 0) and source not in taken:
            left[shelf] -= 1
            others.append((name, list(versions)))
        else:
            continue
        taken[source] = taken.get(source, 0) + 1
    return twins, others


def choose_npm(corpus, seed):
    """Modules with two consecutive releases: [(name, versions)]."""
    chosen = []
    for name in sorted(NPM, key=lambda name: number(seed + name)):
        if not of_corpus(corpus, name) or len(chosen) == MODULES:
            continue
        versions = json.loads(run(["npm", "view", name, "versions", "--json"]))
        stable = [version for version in versions if "-" not in version][-20:]
        if len(stable) > 1:
            first = number(seed + name + "version") % (len(stable) - 1)
            chosen.append((name, stable[first:first + 2]))
    return chosen


def place(folder, name, version):
    return os.path.join(folder, name.replace("/", "+"), version.replace(":", "+"))


def unpack_debian(places):
    """Download and unpack {(name, version): folder}, all in one call of apt-get."""
    with tempfile.TemporaryDirectory() as loads:
        run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download"] +
            [f"{name}={version}" for name, version in places], cwd=loads)
        for package in sorted(os.listdir(loads)):
            path = os.path.join(loads, package)
            fields = run(["dpkg-deb", "-f", path, "Package", "Version"])
            name, version = (line.split(": ", 1)[1] for line in fields.strip().split("\n"))
            os.makedirs(places[name, version])
            run(["dpkg-deb", "-x", path, places[name, version]])


def unpack_npm(name, version, to):
    os.makedirs(to)
    package = run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=to).split()[-1]
    with tarfile.open(os.path.join(to, package)) as tar:
        tar.extractall(to, filter="data")
    os.remove(os.path.join(to, package))


def fetch(folder, manifest):
    """Unpack each line "debian|npm NAME VERSION...": the last version in FOLDER/tree, others in
    FOLDER/older. Returns the pairs of folders of two versions."""
    debian, pairs = {}, []
    for origin, name, *versions in map(str.split, manifest):
        places = [place(os.path.join(folder, "tree" if version == versions[-1] else "older"), name,
                        version) for version in versions]
        for version, to in zip(versions, places):
            if origin == "debian":
                debian[name, version] = to
            else:
                unpack_npm(name, version, to)
        pairs.extend(zip(places, places[1:]))
    unpack_debian(debian)
    return pairs


def choose(corpus, seed):
    """The lines of the manifest of a corpus."""
    twins, others = choose_debian(corpus, seed)
    return [" ".join(["debian", name] + versions) for name, versions in twins + others] + \
        [" ".join(["npm", name] + versions) for name, versions in choose_npm(corpus, seed)]
