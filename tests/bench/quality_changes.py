"""Changes files in the ways that users and programs do: edits, parts of files, white space, templates.

SPDX-License-Identifier: MIT
"""

import re
import textwrap

from quality_kinds import vocabulary

# ---- Edits: each changes a bytearray; amount is in bytes, and the donor is another file of the kind ----


def pieces(rng, amount, least, most):
    """Random lengths whose sum is amount."""
    while amount > 0:
        length = min(amount, rng.randint(least, most))
        yield length
        amount -= length


def donated(rng, donor, length):
    at = rng.randrange(max(1, len(donor) - length))
    return (donor[at:at + length] * (length // max(1, len(donor)) + 1))[:length].ljust(length, b"\0")


def replace_bytes(rng, data, _, amount):
    for at in rng.sample(range(len(data)), amount):
        data[at] ^= rng.randrange(1, 256)


def replace_block(rng, data, donor, amount):
    at = rng.randrange(len(data) - amount)
    data[at:at + amount] = donated(rng, donor, amount)


def insert_pieces(rng, data, donor, amount):
    cuts = [(rng.randrange(len(data)), length) for length in pieces(rng, amount, 4, 64)]
    parts, last = [], 0
    for at, length in sorted(cuts):
        parts += data[last:at], donated(rng, donor, length)
        last = at
    data[:] = b"".join(parts) + data[last:]


def delete_pieces(rng, data, _, amount):
    cuts = [(rng.randrange(len(data)), length) for length in pieces(rng, amount, 4, 64)]
    parts, last = [], 0
    for at, length in sorted(cuts):
        parts.append(data[last:max(at, last)])
        last = max(at, last) + length
    data[:] = b"".join(parts) + data[last:]


def insert_block(rng, data, donor, amount):
    at = rng.randrange(len(data))
    data[at:at] = donated(rng, donor, amount)


def move_blocks(rng, data, _, amount):
    for length in pieces(rng, amount, max(1, amount // 4), max(1, amount // 2)):
        at = rng.randrange(len(data) - length)
        piece = data[at:at + length]
        del data[at:at + length]
        at = rng.randrange(len(data))
        data[at:at] = piece


def append(rng, data, donor, amount):
    data += donated(rng, donor, amount)


def change_lines(rng, data, donor, amount):
    """Replace lines by lines of the donor, or pieces of 60 bytes if there are no lines."""
    def split(content):
        found = content.splitlines(keepends=True)
        return [line[i:i + 200] for line in found for i in range(0, len(line), 200)]
    mine, others = split(bytes(data)), split(donor)
    order = list(range(len(mine)))
    rng.shuffle(order)
    for i in order:
        if amount <= 0:
            break
        amount -= len(mine[i])
        mine[i] = rng.choice(others)
    data[:] = b"".join(mine)


# ---- Parts ----

def cut(_rng, data, _donor, amount):
    del data[amount:]


def insert_at_front(rng, data, donor, amount):
    data[0:0] = donated(rng, donor, amount)


# ---- White space: each returns a text with the same words ----

def use_crlf(text):
    return re.sub(rb"\r?\n", b"\r\n", text)


def use_tabs(text):
    return re.sub(rb"(?m)^(?: {4})+", lambda found: b"\t" * (len(found[0]) // 4), text)


def indent_more(text):
    return re.sub(rb"(?m)^[ \t]+", lambda found: found[0].expandtabs(4) if b"\t" in found[0] else found[0] * 2, text)


def add_trailing_blanks(text):
    return re.sub(rb"(?m)(?<=[^\r\n])(?=\r?$)", b"  ", text)


def add_mark(text):
    return b"\xef\xbb\xbf" + text


def wrap(text):
    """Paragraphs in lines of 75 columns."""
    return b"\n\n".join(textwrap.fill(paragraph, 75, break_long_words=False, break_on_hyphens=False).encode("latin-1")
                        for paragraph in re.split(r"\n\s*\n", text.decode("latin-1"))) + b"\n"


# ---- Forms of one text ----

def sort_lines(_rng, text):
    return b"\n".join(sorted(text.split(b"\n")))


def add_words(rng, text):
    """One word more after one in ten."""
    names = vocabulary(rng, 2000)
    return re.sub(rb"\w+", lambda found: found[0] + b" " + rng.choice(names).encode()
                  if rng.random() < 0.1 else found[0], text)


EDITS = {"bytes": replace_bytes, "block": replace_block, "insert": insert_pieces, "delete": delete_pieces,
         "insert block": insert_block, "move": move_blocks, "append": append, "lines": change_lines}
EDIT_PERCENTS = (0.1, 0.5, 1, 2, 5, 10)
# The percentage of the file that is left, or that is added.
PARTS = {"cut": (cut, (95, 90, 80, 70, 60, 50, 33, 20, 10)), "grown": (append, (5, 10, 20, 50, 100)),
         "front": (insert_at_front, (1, 5, 10, 20, 50))}
WHITE = {"CRLF": use_crlf, "tabs for blanks": use_tabs, "other indentation": indent_more,
         "trailing blanks": add_trailing_blanks, "byte-order mark": add_mark, "75 columns": wrap}
FORMS = {"wrapped": lambda _, text: wrap(text), "sorted": sort_lines, "added": add_words}
