"""Shared by faults.py and kills.py: the tree, indexes of it, and reading them with the
engine's own tools. Needs the environment of on_engine.sh, and SIMHASH."""
import glob
import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time

SIMHASH = os.environ["SIMHASH"]
ENGINE, URL, FOLDER = os.environ["TEST_ENGINE"], os.environ["TEST_URL"], os.environ["TEST_FOLDER"]
SOURCE = os.environ["SOURCE_DIR"]
TREE, INDEX = os.path.join(FOLDER, "files"), os.path.join(FOLDER, "index.db")
ROWS = """SELECT t.name, h.name, hex(path_hash), hex(directory), hex(f.name), hex(extension), size,
    mtime_ns, inode, hex(content_hash), links, hex(resemblance_sketch), compressed_size, contents, bucket, uniform, scatter, skew,
    uniform_ext, scatter_ext, skew_ext, %s FROM file f JOIN tag_set t ON t.id = f.tag_set
    JOIN host h ON h.id = f.host""" % ", ".join("sum_%02d" % i for i in range(16))
NEWEST_VERSION = len(glob.glob(os.path.join(SOURCE, "sql/sqlite/[0-9]*.sql")))
ANSWERS = ["SELECT group_id, role, path, distance, resemblance, verified, representative_path FROM grouped_file",
           "SELECT path_a, path_b, is_copy, distance, resemblance, verified FROM found_pair"]
INDEXES = ("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'file' "
           "AND sql IS NOT NULL ORDER BY name")


def stop(*what):
    print("FAILED:", *what, file=sys.stderr)
    sys.exit(1)


# ---- The index, read with the engine's own tools ----

def on_server(sql):
    result = subprocess.run(["mariadb", "--batch", "--skip-column-names", "-e", sql],
                            capture_output=True, check=False)
    if result.returncode != 0:
        stop("the server answers", result.stderr)
    return [tuple(line.split("\t")) for line in result.stdout.decode().splitlines()]


def remove_index(path=INDEX):
    for end in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(path + end):
            os.remove(path + end)


def reset(state):
    """Put the index into a state: None is no index; otherwise it is the name of a stored index."""
    if ENGINE == "sqlite":
        remove_index()
        if state is not None:
            shutil.copy(os.path.join(FOLDER, state), INDEX)
    elif state is None:
        on_server("DROP DATABASE IF EXISTS simhash; CREATE DATABASE simhash")
    else:
        tables = [row[0] for row in on_server("SHOW FULL TABLES FROM %s WHERE Table_type LIKE 'BASE%%'" % state)]
        sql = "USE simhash; START TRANSACTION;"
        for table in tables:
            sql += "DELETE FROM %s; INSERT INTO %s SELECT * FROM %s.%s;" % (table, table, state, table)
        on_server(sql + "COMMIT")


def keep(state):
    if ENGINE == "sqlite":
        connection = sqlite3.connect(INDEX)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
        shutil.copy(INDEX, os.path.join(FOLDER, state))
        return
    on_server("CREATE DATABASE " + state)
    for (table,) in on_server("SHOW FULL TABLES FROM simhash WHERE Table_type LIKE 'BASE%'"
                              .replace("SHOW FULL TABLES", "SELECT table_name")
                              .replace("FROM simhash WHERE Table_type",
                                       "FROM information_schema.tables WHERE table_schema = 'simhash' AND table_type")):
        on_server("CREATE TABLE %s.%s SELECT * FROM simhash.%s" % (state, table, table))


def rows(path=INDEX):
    """The rows by path; a damaged index ends the test."""
    if ENGINE == "mysql" and path == INDEX:
        tables = on_server("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'simhash'"
                           " AND column_name = 'contents'")
        if tables[0][0] == "0":
            return {}
        found = on_server("USE simhash; " + ROWS)
        return {row[:3]: tuple(map(str, row)) for row in found}
    if not os.path.exists(path):
        return {}
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA busy_timeout = 10000")
    integrity = connection.execute("PRAGMA integrity_check").fetchall()
    if integrity != [("ok",)]:
        stop("integrity", integrity)
    try:
        version = connection.execute("SELECT max(version) FROM schema_version").fetchone()[0]
    except sqlite3.OperationalError:
        version = None
    found = connection.execute(ROWS).fetchall() if version == NEWEST_VERSION else []
    connection.close()
    return {row[:3]: tuple(map(str, row)) for row in found}


def answer():
    """The results that simfind --store has stored, as the views show them."""
    found = []
    for query in ANSWERS:
        if ENGINE == "mysql":
            found += on_server("USE simhash; " + query)
            continue
        connection = sqlite3.connect(INDEX)
        connection.execute("PRAGMA busy_timeout = 10000")
        found += connection.execute(query).fetchall()
        connection.close()
    return tuple(sorted(map(repr, found)))


def index_tree(*options):
    result = subprocess.run([SIMHASH, "-z", *options, TREE], env=dict(os.environ, SIMHASH_DATABASE=URL),
                            capture_output=True, check=False)
    if result.returncode != 0:
        stop("undisturbed, simhash ends with", result.returncode, result.stderr)


# ---- The tree and the states ----

def make_tree(copies=0):
    rng = random.Random(1)
    for directory in ("a", "a/b", "c"):
        os.makedirs(os.path.join(TREE, directory), exist_ok=True)
        content = bytes(rng.randrange(256) for _ in range(5000))
        for i in range(6):
            changed = bytearray(content)
            changed[i * 7] ^= 85
            with open(os.path.join(TREE, directory, "file%d.txt" % i), "wb") as file:
                file.write(changed)
    changed[4000] ^= 128  # a damaged copy of the last file
    with open(os.path.join(TREE, "c", "damaged.txt"), "wb") as file:
        file.write(changed)
    for i in range(copies):
        shutil.copytree(os.path.join(TREE, "c"), os.path.join(TREE, "copy%d" % i, "c"))
    with open(os.path.join(TREE, "c", "some.txt.gz"), "wb") as file:
        file.write(gzip.compress(content * 4, mtime=0))
    with open(os.path.join(TREE, "large.bin"), "wb") as file:
        file.write(bytes(range(256)) * 4096 * 17)  # several threads read it
    shutil.copy(os.path.join(TREE, "a", "file0.txt"), os.path.join(TREE, "c", "copy.txt"))
    os.link(os.path.join(TREE, "a", "file0.txt"), os.path.join(TREE, "c", "link.txt"))
    with open(os.path.join(TREE, ".gitignore"), "w", encoding="ascii") as file:
        file.write("*.o\n")
    for folder, _, names in os.walk(TREE):
        for name in names:
            os.utime(os.path.join(folder, name), (1500000000, 1500000000))


def make_states():
    """"changed" is an index of the tree from before files were changed, added, removed and moved."""
    gone = os.path.join(TREE, "gone")
    os.mkdir(gone)
    for i in range(3):
        with open(os.path.join(gone, "file%d" % i), "w", encoding="ascii") as file:
            file.write("gone %d\n" % i * 500)
    hidden = os.path.join(TREE, "a", "file5.txt")
    os.rename(hidden, os.path.join(FOLDER, "hidden"))
    for i in (1, 2):
        os.utime(os.path.join(TREE, "c", "file%d.txt" % i), (1400000000, 1400000000))
    moved = [("a/b", "c/was"), ("c/copy.txt", "moved.c"), ("c/file4.txt", "a/b.txt")]
    for new, old in moved:
        os.rename(os.path.join(TREE, new), os.path.join(TREE, old))
    time.sleep(0.1)  # longer than the clock tick of a scan
    reset(None)
    index_tree()
    keep("changed")
    shutil.rmtree(gone)
    os.rename(os.path.join(FOLDER, "hidden"), hidden)
    for new, old in moved:
        os.rename(os.path.join(TREE, old), os.path.join(TREE, new))
    for i in (1, 2):
        os.utime(os.path.join(TREE, "c", "file%d.txt" % i), (1500000000, 1500000000))
    reset(None)
    index_tree()
    keep("whole")
    if ENGINE != "sqlite":
        return
    # The first version of the schema, with some of the rows.
    old = os.path.join(FOLDER, "old")
    connection = sqlite3.connect(old)
    with open(os.path.join(SOURCE, "sql/sqlite/0001_schema.sql"), encoding="ascii") as script:
        connection.executescript(script.read())
    columns = [row[1] for row in connection.execute("PRAGMA table_info(file)")]
    connection.execute("ATTACH ? AS whole", (os.path.join(FOLDER, "whole"),))
    for table in ("tag_set", "tag", "host", "directory"):
        connection.execute("INSERT INTO main.%s SELECT * FROM whole.%s" % (table, table))
    connection.execute("INSERT INTO main.file SELECT %s FROM whole.file WHERE compressed_size = 0 LIMIT 9" % ", ".join(columns))
    connection.execute("INSERT INTO schema_version VALUES (1)")
    connection.commit()
    connection.close()
