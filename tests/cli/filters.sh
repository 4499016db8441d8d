#!/usr/bin/env bash
# Tests which files are indexed. git decides what gitignore patterns mean.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

indexed() {
	sql "SELECT path FROM file_text" | sed "s|^$files/||" | LC_ALL=C sort
}

# indexes EXPECTED OPTION...: the names that a run over $files adds to the index, in one line
indexes() {
	local expected=$1
	shift
	reset
	runs 0 "$SIMHASH" "$@" "$files"
	same "indexed by $*" "$expected" "$(indexed | paste -sd ' ')"
}

mkdir -p "$files"/{src/deep,build,.git,.config}
for name in a.txt b.TXT c.md d.tar.gz README src/main.c src/main.o src/deep/main.o build/out \
	.git/config .config/x .hidden.txt; do
	seq 10 >"$files/$name"
done
head -c 5000 /dev/zero >"$files/src/5000"
head -c 10240 /dev/zero >"$files/src/10k"
ln -s a.txt "$files/link"

everything=".config/x .git/config .hidden.txt README a.txt b.TXT build/out c.md d.tar.gz src/10k src/5000 src/deep/main.o src/main.c src/main.o"
indexes "$everything"
indexes "README a.txt b.TXT build/out c.md d.tar.gz src/10k src/5000 src/deep/main.o src/main.c src/main.o" --exclude='.*'
# A hidden file or directory can be included after the pattern, also by its path.
indexes "${everything/.git\/config /}" --exclude='.*' --exclude='!.config' --exclude='!.hid*'
indexes "${everything#*.hidden.txt }" --exclude='!.config' --exclude='.*'
(cd "$files" && find . -type f -print0) >list0
reset
runs 0 env -C "$files" "$SIMHASH" --exclude='.*' --exclude='!.config/' --files0-from=- <list0
same "hidden files of a list" "${everything/.git*hidden.txt /}" "$(indexed | paste -sd ' ')"
indexes ".hidden.txt a.txt b.TXT c.md" --ext=txt,MD
seq 10 >"$files/.txt"
indexes ".hidden.txt a.txt b.TXT" --ext=txt
rm "$files/.txt"
indexes "a.txt b.TXT d.tar.gz" --exclude='.*' --ext=.txt --ext=gz
indexes "src/10k src/5000" --min-size=5000
indexes "src/10k" --min-size=10k
indexes "src/5000" --min-size=1k --max-size=5kB
indexes "src/10k src/5000 src/main.c" --exclude='*' --exclude='!src/' --exclude='src/*' --exclude='!src/5000' --exclude='!10k' --exclude='!/src/main.c'
indexes "README a.txt b.TXT c.md d.tar.gz src/10k src/5000 src/main.c" --exclude='.*' --exclude='*.o' --exclude=build/
printf '*.o\n\n# a comment\nbuild\n' >rules
indexes "README a.txt b.TXT c.md d.tar.gz src/10k src/5000 src/main.c" --exclude='.*' --exclude=@rules
reset
runs 0 "$SIMHASH" --exclude=@- "$files" <rules
same "patterns from standard input" 11 "$(indexed | wc -l)"
# A pattern that begins with @ is not the name of a file on a line of a file, or after a backslash.
seq 10 >"$files/@rules"
printf '@rules\n' >at.rules
for options in '--exclude=\@rules' --exclude=@at.rules '--exclude=[@]*'; do
	reset
	runs 0 "$SIMHASH" "$options" "$files"
	same "pattern with @ of $options" 14 "$(indexed | wc -l)"
done
rm "$files/@rules"
# A file that is given directly is indexed, regardless of patterns.
reset
runs 0 "$SIMHASH" --exclude='*' "$files/a.txt"
same "file named" a.txt "$(indexed)"

# Files that are left out later stay in the index; removed files are removed from it.
reset
runs 0 "$SIMHASH" "$files"
settle "$files"
runs 0 "$SIMHASH" "$files"
rm "$files/src/main.o"
runs 0 "$SIMHASH" --exclude='*.o' --exclude='.*' "$files"
summary 0 9 1 0
same "rows left" 13 "$(indexed | wc -l)"
rm -r "$files/src/deep"
runs 0 "$SIMHASH" --exclude=deep "$files"
same "row of a removed directory that is left out" 0 "$(indexed | grep -c deep || true)"

# Ignore files: deeper ones have priority, .ignore has priority over .gitignore, and patterns of the
# user over both.
rm -rf "$files"
mkdir -p "$files/sub/keep"
printf '*.log\n/top\nkeep/\n' >"$files/.gitignore"
printf '!b.log\n' >"$files/sub/.gitignore"
for name in a.log top b.log sub/a.log sub/b.log sub/top sub/keep/x sub/c.txt; do
	seq 10 >"$files/$name"
done
indexes ".gitignore sub/.gitignore sub/b.log sub/c.txt sub/top" --ignore-files
printf '!*.log\nc.txt\n' >"$files/.ignore"
indexes ".gitignore .ignore a.log b.log sub/.gitignore sub/a.log sub/b.log sub/top" --ignore-files
indexes ".gitignore .ignore sub/.gitignore sub/c.txt sub/top" --ignore-files --exclude='*.log' --exclude='!c.txt'
# Ignore files above a path count if they are in the same repository, but not without a repository.
reset
runs 0 "$SIMHASH" --ignore-files "$files/sub"
same "without a repository" "sub/.gitignore sub/a.log sub/b.log sub/c.txt sub/keep/x sub/top" \
	"$(indexed | paste -sd ' ')"
mkdir "$files/.git"
seq 10 >"$files/.git/object"
reset
runs 0 "$SIMHASH" --ignore-files "$files/sub"
same "within a repository" "sub/.gitignore sub/a.log sub/b.log sub/top" "$(indexed | paste -sd ' ')"
reset
runs 0 "$SIMHASH" --ignore-files "$files"
same "the repository itself" 0 "$(indexed | grep -c '^\.git/' || true)"

# Random trees and patterns, each in a repository, compared with git.
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
git init -q --template= template
python3 - <<'PYTHON'
import os, random, shutil
random.seed(7)
pieces = ["*.o", "*", "a", "b/", "/a", "a/b", "/b/*", "**/c", "a/**", "a/**/c", "!a", "!b/", "!*.o",
          "[ab]", "?.o", "[!a]*", "!/a/c", "\\!a", "#a", "\\#a", "c.o ", "c\\ ", "**", "a/**/**/b", "*/c",
          "!**/c/", "b/c/", "/*", "*.[oc]", "a*b", "!*", "**/", "/**/a", "a**b", "[]a]", "", "é", "a/*/c"]
names = ["a", "b", "c", "a.o", "b.o", "c.o", "ab", "#a", "!a", "c ", "aab", "é", "]"]
for number in range(150):
    top = f"trees/{number}"
    shutil.copytree("template/.git", top + "/.git")
    for _ in range(40):
        path = top
        for _ in range(random.randint(1, 4)):
            path += "/" + random.choice(names)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            continue
        if not os.path.isdir(path):
            open(path, "w").write("x\n")
    for where in (top, top + "/a", top + "/b", top + "/a/b"):
        if os.path.isdir(where) and random.random() < 0.6:
            lines = random.choices(pieces, k=random.randint(1, 4))
            end = random.choice(["\n", "\n", "\r\n"])
            open(where + "/.gitignore", "w").write(end.join(lines) + random.choice(["", end]))
PYTHON
reset
runs 0 "$SIMHASH" -q --ignore-files trees
sql "SELECT path FROM file_text" | sed "s|^$PWD/trees/||" | LC_ALL=C sort >found
for tree in trees/*; do
	git -C "$tree" -c core.quotePath=false ls-files --others --exclude-standard | sed "s|^|${tree#trees/}/|"
done | LC_ALL=C sort >expected
[ "$(wc -l <expected)" -gt 1000 ] || fail "git leaves too little: $(wc -l <expected)"
if ! cmp -s expected found; then
	tree=$(diff expected found | sed -n 's/^[<>] \([0-9]*\).*/\1/p' | head -n 1 || true)
	fail "tree $tree: $({ diff expected found || true; } | grep "^[<>] $tree/" | head -5) with
$(cd "trees/$tree" && grep -r . --include=.gitignore . | cat -A)"
fi

# Single patterns with special rules in git: a byte order mark, extra slashes, escapes, open
# brackets, and a pattern that is slow for a matcher that tries everything.
rm -rf trees odd
mkdir -p odd/foo odd/a/b "odd/a/$(printf 'a/%.0s' $(seq 60))"
touch odd/foo/z 'odd/[ab' 'odd/tr\' 'odd/tr\ ' odd/a/b/f odd/plain "odd/a/$(printf 'a/%.0s' $(seq 60))f"
git init -q odd
patterns=('foo//' '//foo' 'foo\/z' '[ab' 'tr\\ ' 'a/***/f' '***/f' $'\xef\xbb\xbfplain' 'plain'
	"$(printf '**/a/%.0s' $(seq 3))zz" 'foo/' 'foo')
for pattern in "${patterns[@]}"; do
	printf '%s\n' "$pattern" >odd/.gitignore
	reset
	runs 0 within 20 "$SIMHASH" -q --ignore-files odd
	# The client of a server would escape backslashes.
	sql "SELECT hex(path) FROM file_text" |
		python3 -c 'import sys; sys.stdout.buffer.writelines(bytes.fromhex(l) + b"\n" for l in sys.stdin)' |
		sed "s|^$PWD/odd/||" | LC_ALL=C sort >found
	git -C odd -c core.quotePath=false ls-files -z --others --exclude-standard | tr '\0' '\n' | LC_ALL=C sort >expected
	cmp -s expected found || fail "pattern '$pattern': $(diff expected found || true)"
done
# Git itself would need hours for this pattern.
printf '**/a/%.0s' $(seq 20) >odd/.gitignore
echo zz >>odd/.gitignore
reset
runs 0 within 20 "$SIMHASH" -q --ignore-files odd
same "files that are left" "$(find odd -type f -not -path '*/.git/*' | wc -l)" "$(sql 'SELECT COUNT(*) FROM file')"
printf 'foo\0bar\n' >odd/.gitignore
reset
runs 0 "$SIMHASH" -q --ignore-files odd
same "pattern cut at a zero byte" 0 "$(sql "SELECT COUNT(*) FROM file_text WHERE path LIKE '%/foo/z'")"
# Ignore files that cannot be used are reported.
head -c 2000000 /dev/zero | tr '\0' 'x' >odd/.gitignore
runs 2 "$SIMHASH" --ignore-files odd
said "odd/.gitignore: File too large"

# Another file system is not entered.
mounted=$(mktemp -d /dev/shm/simhash-test.XXXXXX)
trap 'rm -rf "$mounted"' EXIT
[ "$(stat -c %d /dev)" != "$(stat -c %d "$mounted")" ] || fail "/dev/shm is not a separate file system"
seq 10 >"$mounted/x.simhash-test"
for option in -x --one-file-system --; do
	reset
	runs 0 "$SIMHASH" --ext=simhash-test --exclude='/[!s]*' $option /dev
	same "rows with $option" "$([ $option = -- ] && echo 1 || echo 0)" "$(sql 'SELECT COUNT(*) FROM file')"
done

# Lists of files, as find writes them.
rm -rf "$files"
mkdir -p "$files/one/two" "$files/with space"
for name in a one/b one/two/c 'with space/new
line' one/skip.o; do
	seq 100 >"$files/$name"
done
reset
mkfifo "$files/fifo"
ln -s a "$files/link"
find "$files" -print0 | runs 0 "$SIMHASH" --files0-from=- --exclude='*.o'
summary 4 0 0 0
said "4 directories in the list skipped; give them as PATHs"
said "2 names in the list skipped: links, pipes or devices"
rm "$files"/{fifo,link}
settle "$files"
find "$files" -type f -print0 >list
runs 0 "$SIMHASH" --files0-from=list
runs 0 "$SIMHASH" --files0-from=list
summary 0 5 0 0
# Patterns apply to names as in the list, with their directories.
(cd "$files" && printf 'one/b\0one/two/c\0./a' | runs 0 "$SIMHASH" -f --exclude=two/ --files0-from=-)
summary 2 0 0 0
# A request to stop does not wait for the program that writes the list.
mkfifo slow
(exec 3>slow; sleep 30) &
writer=$!
runs 130 timeout --preserve-status -s INT 2 "$SIMHASH" --files0-from=slow
kill "$writer"
said "interrupted"
# In addition to a path, with names relative to the current directory; a list removes nothing.
rm "$files/a"
(cd "$files" && printf 'one/b\0missing\0' | runs 2 "$SIMHASH" --files0-from=- "$files/one/two")
summary 0 2 0 1
said "simhash: missing: No such file or directory"
same "nothing removed" 1 "$(sql "SELECT COUNT(*) FROM file_text WHERE path = '$files/a'")"
printf 'x\ny\n' >list
runs 1 "$SIMHASH" --files0-from=list
said "list: names are terminated by newlines; expected zero bytes, as from find -print0"
printf 'x\0\0y\0' >list
runs 1 "$SIMHASH" --files0-from=list
said "list: empty file name; expected names terminated by zero bytes"

# simfind with a filter lists the same as if only the files that pass the filter were indexed.
reset
rm -rf "${files:?}"/*
make_tree --files=40 "$files/tree"
mkdir "$files/tree/build" "$files/copies" "$files/parts"
for name in one.c two.c three.TXT four.o; do
	random_bytes 9000 7 >"$files/copies/$name"
	random_bytes 90000 8 >"$files/tree/build/large $name"
done
seq 9000 >"$files/parts/part.txt"
seq 14000 >"$files/parts/whole.txt"
cp "$files/parts/whole.txt" "$files/parts/whole.c"
settle "$files"
printf '# comment\n*.o\n/tree/build/\n' >patterns
modes=(--group=none "--group --format=json" --min-resemblance=0.7 --verify=all "--directories --format=csv" "--order=delta --format=csv"
	"--format=csv $files/copies/four.o" --between_trees --fold)
# simfind_as MODE FILTER...: the list in one of these ways, below the directory that patterns are
# relative to
simfind_as() {
	local mode=$1 words
	shift
	case $mode in
	--between_trees) set -- --format=csv --between "$files/tree" "$files/copies" "$@" ;;
	--fold) set -- --store=100 "$@" "$files" ;;
	--directories*) read -ra words <<<"$mode" && set -- "${words[@]}" "$@" ;;
	*) read -ra words <<<"$mode" && set -- "${words[@]}" "$@" "$files" ;;
	esac
	runs 0 "$SIMFIND" --summary=none "$@"
	[ "$mode" != --fold ] || sql "SELECT path, role FROM grouped_file ORDER BY path, role" >out
}
for filter in --ext=txt,c --exclude=@patterns "--min-size=1k --max-size=9k --exclude=*.c --exclude=!one.c"; do
	read -ra words <<<"$filter"
	reset
	runs 0 "$SIMHASH" -q "${words[@]}" "$files"
	for i in "${!modes[@]}"; do
		simfind_as "${modes[i]}"
		cp out "expected.$i"
	done
	[ "$(wc -l <expected.0)" -gt 0 ] || fail "$filter lets nothing through"
	reset
	runs 0 "$SIMHASH" -q "$files"
	for i in "${!modes[@]}"; do
		# Without a directory, patterns are relative to the root.
		[[ "$filter ${modes[i]}" != *patterns*-directories* && "$filter ${modes[i]}" != *patterns*between* ]] || continue
		simfind_as "${modes[i]}" "${words[@]}"
		cmp out "expected.$i" || fail "${modes[i]} $filter: $(diff out "expected.$i" | head -4)"
	done
	simfind_as "--format=csv"
	cp out all
	simfind_as "--format=csv" "${words[@]}"
	cmp -s out all && fail "$filter leaves out nothing"
done
# A FILE is searched for even if the filter excludes it.
runs 0 "$SIMFIND" --ext=c "$files/copies/three.TXT"
same "copies of a file" 2 "$(wc -l <out)"
said "2 pairs (2 identical, 0 similar) for 1 file."
runs 0 "$SIMFIND" --fail-on-match --ext=nothing
said "0 pairs (0 identical, 0 similar) among 0 files"
runs 3 "$SIMFIND" --fail-on-match --ext=c
runs 1 "$SIMFIND" --min-size=2k --max-size=1k
said "simfind: --min-size is larger than --max-size"
runs 1 "$SIMFIND" --exclude=@- - <patterns
said "--exclude=@- cannot be combined with FILE -: both read standard input"
runs 1 "$SIMFIND" --exclude=@patterns -o patterns
said "cannot write to patterns: it has the patterns of --exclude"

# --only: of all listed pairs, only the pairs of these kinds.
runs 0 "$SIMFIND" -q --format=csv -o all.csv
# kinds_of KIND...: the lines of these kinds
kinds_of() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open("all.csv", newline="")):
    kind = "copies" if row["match"] == "identical" else "parts" if row["contained_a"] else "similar"
    if kind in sys.argv[1:]: print(",".join(row.values()))' "$@" | LC_ALL=C sort
}
for kinds in copies similar parts copies,parts similar,parts copies,similar,parts; do
	read -ra words <<<"${kinds//,/ }"
	kinds_of "${words[@]}" >expected
	count=$(wc -l <expected)
	[ "$count" -gt 0 ] || fail "no $kinds"
	runs 0 "$SIMFIND" --only="$kinds" --format=csv
	tail -n +2 out | tr -d '\r' | LC_ALL=C sort | cmp - expected || fail "--only=$kinds"
	said "$count pair"
	runs 0 "$SIMFIND" --only="$kinds" --limit=1 --format=jsonl
	same "first of $kinds" 1 "$(wc -l <out)"
	[ "$count" = 1 ] || said "$((count - 1)) more pair"
	runs 0 "$SIMFIND" -q --only="$kinds" --store
	same "stored $kinds" "$count" "$(sql "SELECT count(*) FROM found_pair")"
	runs 0 "$SIMFIND" --summary=none --only="$kinds" --group --format=json
	python3 - "$count" <<'PYTHON' || fail "groups of $kinds"
import csv, json, sys
lines = [line.rstrip("\n").split(",") for line in open("expected")]
listed = {member["path"] for group in json.load(open("out")) for member in group["members"]}
assert listed == {path for line in lines for path in line[9:11]}, listed
PYTHON
	runs 3 "$SIMFIND" -q --only="$kinds" --fail-on-match
done
# Reading shows which files are parts of others, so the kind is checked after it.
runs 0 "$SIMFIND" --summary=none --only=parts --verify=all --format=csv
grep -qE ',read' out || fail "no part was read"
tail -n +2 out | grep -q '^identical' && fail "--only=parts lists copies"
runs 0 "$SIMFIND" --fail-on-match --only=parts --min-size=10M
same "parts of small files" "" "$(cat out)"
