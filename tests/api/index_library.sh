#!/usr/bin/env bash
# Checks that libsimhash-index returns the contents of the index tables and the results of simfind,
# with shared ($DUMP_SHARED) and static linking ($DUMP_STATIC).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

mkdir -p "$files/sub"
seq 1 3000 >"$files/a.txt"
seq 2 3000 >"$files/b.txt"
cp "$files/a.txt" "$files/sub/copy.txt"
seq 5 3000 >"$files/other.c"
# Many files that are not pairs, because each has a different extension.
for i in $(seq 1100); do echo "$i" >"$files/sub/$(printf 'f.%03x' "$i")"; done
: >"$files/empty"
settle "$files"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMHASH" --host=elsewhere "$files/sub"

# dump TASK...: the same by both libraries
dump() {
	"$DUMP_SHARED" "$TEST_URL" "$@" >shared 2>shared.err || fail "$*: $(cat shared.err)"
	"$DUMP_STATIC" "$TEST_URL" "$@" >static 2>static.err || fail "$*: $(cat static.err)"
	LC_ALL=C sort shared >dumped
	LC_ALL=C sort static | cmp - dumped || fail "$*: the libraries differ"
}
# pairs_found OPTION...: the pairs that simfind finds
pairs_found() {
	runs 0 "$SIMFIND" --summary=none --format=json "$@"
	python3 -c 'import json
host = "'"$(hostname | tr -c 'A-Za-z0-9.\n-' -)"'"
def shown(p, side):
    path = p["path_" + side]
    return path if not path.startswith("/") else host + ":" + path
for p in json.load(open("out")):
    print(shown(p, "a"), shown(p, "b"), p["distance"], int(p["match"] == "identical"),
        p["verified"], "%.6f" % p.get("resemblance", -1))' |
		LC_ALL=C sort
}

dump files </dev/null
sql "SELECT h.name, f.directory, f.name, f.size, f.mtime_ns, f.sum_15, f.uniform, f.scatter, f.skew,
	f.uniform_ext, f.scatter_ext, f.skew_ext, LOWER(HEX(f.content_hash)),
	CASE WHEN LENGTH(f.resemblance_sketch) = 0 THEN '$(printf '%0256d' 0)' ELSE LOWER(HEX(f.resemblance_sketch)) END
	FROM file f JOIN host h ON h.id = f.host" |
	sed 's/^\([^|]*|[^|]*\)|/\1\//' | LC_ALL=C sort >expected
[ "$(wc -l <expected)" -gt 2100 ] || fail "too few files to need several pages"
cmp expected dumped || fail "files: $(diff expected dumped | head -4)"

dump pairs
pairs_found >expected
[ "$(wc -l <expected)" -gt 4 ] || fail "too few pairs for a test"
cmp expected dumped || fail "pairs: $(diff expected dumped | head -4)"
dump pairs every
pairs_found --group=none >expected
cmp expected dumped || fail "all pairs: $(diff expected dumped | head -4)"
dump pairs paper
pairs_found --verify=no >expected
cmp expected dumped || fail "the paper's pairs: $(diff expected dumped | head -4)"
grep -q ' no -1.000000$' expected || fail "no pair by counts alone"

# groups_found OPTION: the groups that simfind lists, in the same order
groups_found() {
	runs 0 "$SIMFIND" --summary=none --format=json "$1"
	python3 -c 'import json
host = "'"$(hostname | tr -c 'A-Za-z0-9.\n-' -)"'"
for g in json.load(open("out")):
    print(g["id"], g["bytes"], g["copied_bytes"], g["files"])
    for m in g["members"]:
        path = m["path"] if not m["path"].startswith("/") else host + ":" + m["path"]
        print("", m["role"], path, m["size"], m["distance"], m["verified"], "%.6f" % m.get("resemblance", -1))'
}
for linkage in representative single; do
	groups_found --group=$linkage >expected
	grep -q '^ copy' expected && grep -q '^ member.* sketch ' expected || fail "too few groups to be a test"
	for library in "$DUMP_SHARED" "$DUMP_STATIC"; do
		# shellcheck disable=SC2046  # one word or none
		"$library" "$TEST_URL" groups $([ $linkage = representative ] || echo single) >found
		cmp expected found || fail "groups: $(diff expected found | head -4)"
	done
done

# The partners of a file, which is first in each pair.
dump file "$files/b.txt"
pairs_found "$files/b.txt" >expected
same "partners" "$(wc -l <expected)" "$(wc -l <dumped)"
same "the file asked for" "$(wc -l <dumped)" "$(grep -c ":$files/b.txt .*:/" dumped)"
[ "$(wc -l <dumped)" -gt 2 ] || fail "too few partners to be a test"
grep -q '/other.c [1-9][0-9]* 0 sketch ' dumped || fail "no partner of another extension: $(cat dumped)"
# Partners by counts alone, without host and sketch, as in the paper.
"$DUMP_SHARED" "$TEST_URL" table b.txt <"$files/b.txt" | LC_ALL=C sort >by_table
pairs_found --verify=no "$files/b.txt" | sed "s|[^ ]*:$files/b.txt ||" | LC_ALL=C sort >partners
grep -v ":$files/b.txt 0" by_table | sed 's/^:b.txt //' | LC_ALL=C sort | cmp partners - ||
	fail "by counts: $(diff partners by_table)"
[ "$(wc -l <partners)" -gt 2 ] || fail "too few partners by counts to be a test"
same "its own row" 1 "$(grep -c "^:b.txt .*:$files/b.txt 0 0 no -1.000000$" by_table)"

# Each error has a code.
fails() { # CODE TEXT COMMAND...
	local code=$1 text=$2
	shift 2
	! "$@" >out 2>err || fail "no error: $*"
	grep -q "^$code .*$text" err || fail "expected $code and '$text': $(cat err)"
}
fails 4 "enough" "$DUMP_SHARED" "$TEST_URL" ended
fails 2 "cannot read /no/such: No such file" "$DUMP_SHARED" "$TEST_URL" file /no/such
fails 3 "" "$DUMP_SHARED" nonsense:x files
fails 4 "no tag set 'mine'" env TAG_SET=mine "$DUMP_SHARED" "$TEST_URL" files
same "impossible searches that were made" 0 "$("$DUMP_SHARED" "$TEST_URL" wrong)"
sql "INSERT INTO schema_version(version) VALUES (99)"
fails 17 "schema version 99" "$DUMP_SHARED" "$TEST_URL" files
sql "DELETE FROM schema_version WHERE version = 99"

# Without a URL, the library opens the same index as simfind.
"$DUMP_SHARED" "$TEST_URL" pairs | LC_ALL=C sort >expected
SIMHASH_DATABASE=$TEST_URL "$DUMP_SHARED" "" pairs | LC_ALL=C sort | cmp expected - ||
	fail "another index by default"
