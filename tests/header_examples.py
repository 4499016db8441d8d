#!/usr/bin/env python3
"""Checks that the examples in the headers call existing functions with the right number of arguments.

The examples of the public headers are compiled and run (tests/install/example_of.sh). Examples in
other headers are excerpts with names of their caller, so this test reads them: lines of a comment
that are indented by four spaces after the star. Each function called there must be declared in some
header with this number of parameters, or its name must begin differently from all names of the header.

    tests/header_examples.py SOURCE_DIR
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
headers = {path: path.read_text() for folder in ("include", "src") for path in (root / folder).rglob("*.h")}


def code_of(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def matching(text, start):
    """The text between the parenthesis at `start` and its partner, or None."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[start + 1 : at]
    return None


def count_parts(inside):
    depth = parts = 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        parts += char == "," and depth == 0
    return 0 if inside.strip() in ("", "void") else parts + 1


def calls(text):
    for found in re.finditer(r"\b([a-z_]\w*)\(", text):
        inside = matching(text, found.end() - 1)
        if inside is not None:
            yield found.group(1), inside


not_functions = {"if", "while", "for", "switch", "return", "sizeof", "__attribute__", "format", "defined"}
declared = {}
for text in headers.values():
    for name, inside in calls(code_of(text)):
        if name not in not_functions:
            declared.setdefault(name, set()).add("..." if "..." in inside else count_parts(inside))

problems, seen = [], 0
for path, text in sorted(headers.items()):
    if path.name.endswith("_template.h"):  # lists definitions of the file that includes it
        continue
    own = {name.split("_")[0] for name, _ in calls(code_of(text)) if name not in not_functions}
    for comment in re.findall(r"/\*.*?\*/", text, flags=re.S):
        example = "\n".join(line[7:] for line in comment.split("\n") if line.startswith(" *     "))
        for name, inside in calls(re.sub(r"//[^\n]*|\"(?:[^\"\\]|\\.)*\"", "0", example)):
            if name in not_functions:
                continue
            if name in declared:
                seen += 1
                if "..." not in inside and "..." not in declared[name] and count_parts(inside) not in declared[name]:
                    problems.append(f"{path}: {name} takes {declared[name]} arguments: {name}({inside})")
            elif "_" in name and name.split("_")[0] in own:
                problems.append(f"{path}: there is no function {name}")
if seen < 60:
    problems.append(f"only {seen} calls were read: no test")
print("\n".join(problems) or f"{seen} calls in examples are as declared")
sys.exit(bool(problems))
