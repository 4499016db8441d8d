#!/usr/bin/env bash
# Tests --action=script:FILE with --keep or --decisions: running the script gives the same tree as
# --yes, for any names, with protected files, and with changes before or after it was written.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_FOLDER"
PATH=$(dirname "$SIMKEEP"):$PATH

mkdir -p "$files/a" "$files/b" "$files/protected"
for i in 1 2 3 4; do
	seq "$((i * 1000))" >"$files/a/$i"
	cp "$files/a/$i" "$files/b/$i"
	cp "$files/a/$i" "$files/b/$i.copy"
done
for name in "with space" "quote'quote" 'dollar$(touch pwned)' 'back\slash' $'new\nline' $'bad\xff\xfe\x1b[31m' '-dash' '#hash'; do
	cp "$files/a/1" "$files/b/$name"
done
cp "$files/a/2" "$files/a/3" "$files/protected"
cp "$files/a/3" "$files/protected/3.copy"
ln "$files/a/4" "$files/a/4.name"
seq 999 >"$files/a/similar"
: >"$files/a/empty"
: >"$files/b/empty"
gzip -nc "$files/a/1" >"$files/inflated.gz"
tar -C "$files" -cf "$files/archive.tar" a/1 a/2
chmod 640 "$files/b/4.copy" # it cannot be a hard link
find "$files" -type f -exec touch -d 2019-01-01 {} +
touch -d 2018-01-01 "$files"/a/*
touch -d 2020-01-01 "$files"/b/*.copy
touch -d 2021-01-01 "$files"/protected/*
cp -a "$files" as_made

make_files() {
	rm -rf "$files" journal
	cp -a as_made "$files"
	reset
	runs 0 "$SIMHASH" -q -z "$files"
}

change_before() {
	echo changed >>"$files/b/-dash"
	touch -d 2022-01-01 "$files/b/-dash"
	chmod 444 "$files/b/#hash"
	rm "$files/b/with space"
}

change_after() {
	echo changed >>"$files/b/quote'quote"
	touch -d 2022-01-01 "$files/b/quote'quote"
	rm "$files/b/1.copy"
	ln -s 1 "$files/b/1.copy"
}

# tree: names, contents, modes, times, and which names belong to one file
tree() {
	python3 - "$files" <<'PYTHON'
import hashlib, os, sys
names, lines = {}, []
for here, _, found in os.walk(os.fsencode(sys.argv[1])):
    for name in found:
        path = os.path.join(here, name)
        status = os.lstat(path)
        names.setdefault(status.st_ino, []).append(path)
        what = os.readlink(path) if os.path.islink(path) else hashlib.md5(open(path, "rb").read()).hexdigest()
        lines.append((path, what, status.st_mode, status.st_ino, 0 if os.path.islink(path) else status.st_mtime_ns))
for path, what, mode, inode, time in sorted(lines):
    print(path, what, oct(mode), time, min(names[inode]))
PYTHON
}

# decide: decisions.json as a report saves it; files in b are removed for files in a
decide() {
	python3 - "$files" "$(hostname)" <<'PYTHON' >decisions.json
import hashlib, json, os, sys, time
top, host = map(os.fsencode, sys.argv[1:])
groups = {}
for folder in b"ab":
    folder = os.path.join(top, bytes([folder]))
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        status, digest = os.stat(path), hashlib.md5(open(path, "rb").read()).hexdigest()
        file = {"host": host.decode(), "size": status.st_size, "hash": digest,
                "mtime": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(status.st_mtime)) + ".000000000Z",
                "decision": "keep" if folder.endswith(b"a") else "give up"}
        try:
            file["path"] = path.decode()
        except UnicodeDecodeError:
            file["path_hex"] = path.hex()
        groups.setdefault(digest, []).append(file)
json.dump({"format": "simfind decisions", "format_version": 1,
           "groups": [{"id": key, "files": files} for key, files in groups.items()]}, sys.stdout)
PYTHON
}

decide
# same_as_yes ACTION KIND OPTION...: check that a script with commands of this KIND has the same
# effect as --yes with ACTION
same_as_yes() {
	local action=$1 kind=$2
	shift 2
	make_files
	change_before
	change_after
	runs 2 "$SIMKEEP" -q "$@" --action="$action" --yes --journal=journal
	tree >expected
	make_files
	change_before
	runs 2 "$SIMKEEP" "$@" --action="$kind" --action=script:todo.sh
	said "/b/-dash: left alone: "
	said "todo.sh: a script for "
	said "; nothing has been changed"
	same "lines about $files/b/-dash" 0 "$(grep -c '^#.*b/-dash' todo.sh || true)"
	change_after
	sed "s/^#$action /$action /" todo.sh | JOURNAL=journal sh >out 2>err && fail "$action: nothing was refused"
	grep -q "$files/b/quote'quote: left alone: " err || fail "not refused: $(cat err)"
	tree >found
	diff expected found || fail "another tree by $action of $kind with $*"
	[ ! -e pwned ] || fail "a name was run"
}

same_as_yes hardlink report --keep=oldest --protect="$files/protected"
same_as_yes delete delete --keep=oldest --protect="$files/protected"
same_as_yes hardlink hardlink --decisions=decisions.json
same_as_yes delete report --decisions=decisions.json

# The script says why a copy cannot become a hard link, and does not mention files without an act.
make_files
runs 0 "$SIMKEEP" -q --keep=oldest --protect="$files/protected" --action=script:todo.sh
same "copies that can be no hard link" 1 \
	"$(grep -c '^# no hardlink: its owner, group or mode differs from the kept file$' todo.sh)"
for name in protected empty similar inflated archive a/4.name; do
	same "lines that remove $name" 0 "$(grep -cE "^#.*\"copy\":\"[^\"]*${name}[^\"]*\"" todo.sh || true)"
done
# No hard link is made to a protected file, but copies of it can be deleted.
runs 0 "$SIMKEEP" -q --keep=oldest --protect="$files/a" --action=script:todo.sh
same "hard links to protected files" 0 "$(grep -cE "^#hardlink .*\"kept\":\"$files/a/" todo.sh || true)"
grep -q "^#delete .*\"kept\":\"$files/a/4\",\"copy\":\"$files/b/4\"" todo.sh || fail "no copy of a protected file is deleted: $(cat todo.sh)"

# The directories are still protected when the script runs, by any name that a copy has then.
mv "$files/b" "$files/b.away"
mv "$files/a" "$files/b"
sed "s/^#delete /delete /; s|\"kept\":\"$files/a/|\"kept\":\"$files/b.away/|" todo.sh >moved.sh
rm -f journal
JOURNAL=journal sh moved.sh >out 2>err || true
same "deleted files" "" "$(grep '^delete' out || true)"
mv "$files/b" "$files/a"
mv "$files/b.away" "$files/b"

# Files that a script must not replace, and options that it cannot be combined with.
runs 1 "$SIMKEEP" --decisions=decisions.json --action=script:./decisions.json
said "cannot write to ./decisions.json: it has the decisions of --decisions"
runs 1 "$SIMKEEP" --keep=oldest --action="move:$files" --action=script:todo.sh
said "--action=script:FILE cannot be combined with --action=move:DIR; expected report, hardlink, reflink or delete"
runs 1 "$SIMKEEP" --keep=oldest --action=delete --yes --journal=journal --action=script:todo.sh
said "--action=script:FILE cannot be combined with --yes"
runs 1 "$SIMKEEP" --keep=oldest --action=script:"${TEST_URL#sqlite:}"
said "it is the index itself"
