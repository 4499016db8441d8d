"""Checks that every query of sql/examples gives the same rows in SQLite and on a server: same_rows.py FOLDER INDEX TREE.

SQLite shows names that are not UTF-8 unchanged, and a server shows them as Latin-1 with U+FFFD after them.
SPDX-License-Identifier: MIT
"""
import pathlib
import re
import sqlite3
import subprocess
import sys


def shown(name):
    if is_text(name) and not name.decode().endswith('\ufffd'):
        return name.decode()
    return name.decode('latin-1') + '\ufffd'


def is_text(value):
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def as_server(column, value):
    if value is None:
        return 'NULL'
    if not isinstance(value, bytes):
        return round(float(value), 3)
    if 'path' in column or column == 'one_of_them':
        return '/'.join(shown(part) for part in value.rsplit(b'/', 1))
    return shown(value)


def from_server(value):
    plain = {'n': '\n', 't': '\t', '0': '\0', '\\': '\\'}
    # Only the names by which similar_file finds its file are bytes in this output.
    value = re.sub(r'\\(.)', lambda match: plain[match[1]], shown(value) if not is_text(value) else value.decode())
    return round(float(value), 3) if re.fullmatch(r'-?\d+(\.\d+)?', value) else value


def main(folder, index, tree):
    database = sqlite3.connect(index)
    database.text_factory = bytes
    for file in sorted(pathlib.Path(folder).glob('*.sql')):
        query = re.sub(r'^--.*\n|LIMIT \d+', '', file.read_text(), flags=re.M)
        query = query.replace('/sample', tree).replace('1, 15', f'1, {len(tree) + 8}')
        cursor = database.execute(query.replace(';', ''))
        columns = [column[0] for column in cursor.description]
        rows = [[as_server(*pair) for pair in zip(columns, row)] for row in cursor]
        answer = subprocess.run(['mariadb', '--batch', '--skip-column-names', 'simhash', '-e', query],
                                check=True, capture_output=True).stdout
        found = [[from_server(value) for value in line.split(b'\t')] for line in answer.split(b'\n')[:-1]]
        if sorted(map(str, rows)) != sorted(map(str, found)):
            sys.exit(f'{file.name}: SQLite has {rows}\nthe server has {found}')
        print(file.stem, len(rows))


main(*sys.argv[1:])
