#!/usr/bin/env bash
# Checks that the vectors in tests/vectors equal the results of the oracles and of the programs: for
# files, and as digest lists, which the programs read again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

mkdir files
vectors=0
for tags in sample other; do
	"$MAKE_VECTORS" $tags | cmp - "$SOURCE_DIR/tests/vectors/$tags.txt" || fail "other vectors by the oracles: $tags"
	"$MAKE_VECTORS" $tags files
	sed -n "s/^tags /name /p; s/^tag //p" "$SOURCE_DIR/tests/vectors/$tags.txt" >$tags.tags
	sed -n "s/^digest //p" "$SOURCE_DIR/tests/vectors/$tags.txt" >expected
	vectors=$((vectors + $(wc -l <expected)))
	python3 - "$SOURCE_DIR/tests/vectors/$tags.txt" >values <<'SCRIPT'
import sys
for line in open(sys.argv[1]):
    word, _, rest = line.rstrip("\n").partition(" ")
    if word in ("counts", "keys"):
        print("\n".join(rest.split(" ")))
    elif word == "sketch":
        print(rest)
SCRIPT
	# In the order of the vectors, separated by NUL, because a name may contain a blank.
	python3 - "$SOURCE_DIR/tests/vectors/$tags.txt" >paths <<'SCRIPT'
import os, sys, urllib.parse
for line in open(sys.argv[1]):
    if line.startswith("name "):
        sys.stdout.buffer.write(b"files/" + urllib.parse.unquote_to_bytes(line[5:-1]) + b"\0")
SCRIPT
	xargs -0 "$SIMHASH" --print -t $tags.tags <paths >printed
	awk '$1 == "sketch" { sketch = $2 } $1 == "sum" { print $3 } /^(uniform|scatter|skew)/ { print $2 } $1 == "skew_ext" { print sketch }' printed >found
	cmp values found || fail "$tags: $(diff values found | head -4)"
	xargs -0 "$SIMHASH" --print --format=digest -t $tags.tags <paths >list
	sed '1,19d; $d' list | sed -E 's/^([0-9]+) -?[0-9]+ /\1 - /; s| /[^ ]*/([^/ ]*) ([^ ]*)$| /vectors/\1 \2|' | cmp - expected ||
		fail "$tags: other digest lines"
	# With hashes; one of them may be unknown.
	xargs -0 "$SIMHASH" --print --format=digest --hash=sha256 --hash=md5 --hash=sha1 -t $tags.tags <paths >list.hashed
	sed '1,20d; $d' list.hashed | sed 's/ [^ ]*$//' | cut -d' ' -f8- | cmp - <(sed -n "s/^hashes //p" "$SOURCE_DIR/tests/vectors/$tags.txt") || fail "$tags: other hashes"
	sed '1,20d; $d' list.hashed | cut -d' ' -f1-7,11 | cmp - <(sed '1,19d; $d' list) || fail "$tags: hashes change the line before them"
	sed "s/^files$/hashes md5 sha1 sha256\nfiles/; 19q" list | cmp - <(head -n 20 list.hashed) ||
		fail "$tags: another heading with hashes: $(head -n 20 list.hashed)"
	sed '21s/ [0-9a-f]* \([^ ]*\)$/ - \1/; 22s/[0-9a-f]* [0-9a-f]* \([0-9a-f]* [^ ]*\)$/- - \1/' list.hashed >given
	"$SIMHASH" -q -d sqlite:hashed.db --import=given --host=$tags
	"$SIMHASH" -q -d sqlite:hashed.db -t $tags.tags --export --host=$tags | LC_ALL=C sort | cmp - <(LC_ALL=C sort given) ||
		fail "$tags: another list with hashes after an import"
	{ head -n 19 list && cat expected && tail -n 1 list; } >given
	"$SIMHASH" -q -d sqlite:index.db --import=given --host=$tags
	[ "$("$SIMHASH" -q -d sqlite:index.db -t $tags.tags --export --host=$tags | sed '1,19d; $d' | sed -E 's/^([0-9]+) 0 /\1 - /' | LC_ALL=C sort)" = "$(LC_ALL=C sort expected)" ] ||
		fail "$tags: another list after an import"
done
[ "$vectors" -ge 30 ] || fail "only $vectors vectors"
