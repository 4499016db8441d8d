#!/usr/bin/env bash
# Compares the screens of the programs at several widths, without and with colours, with tests/cli/screens/NAME. With
# WRITE=1 in the environment it writes these files instead; read them before you commit them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export TERM=xterm PAGER=cat
unset NO_COLOR COLUMNS LESS
expected=$SOURCE_DIR/tests/cli/screens

# A home directory whose path is as long as /home/ada, which the screens show.
home=$(mktemp -d /tmp/XXXX)
trap 'rm -rf "$home"' EXIT
cd "$home"

words() { # SEED LINES
	python3 -c 'import random, sys
rng = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
	print(*("".join(rng.choice("bdfgklmn") + rng.choice("aeiou") for _ in range(3)) for _ in range(8)))' "$@"
}

mkdir -p reports docs docs-old photos/2019 archive music
words 1 700 >reports/report_v3.txt
cp reports/report_v3.txt "reports/report_v3 (copy).txt"
{ cat reports/report_v3.txt && echo one more line; } >"reports/report (1).txt"
cp "reports/report (1).txt" reports/report_v2.txt
sed '/^ba/s/$/ and something new in this line/' reports/report_v3.txt >reports/report_v1.txt
for i in 1 2 3 4 5 6 7; do
	words 1$i 300 >docs/chapter-$i.txt
done
cp docs/* docs-old
words 20 4 >docs-old/notes
cp docs/chapter-1.txt photos
words 30 5000 >photos/2019/a.raw
words 31 5000 >photos/2019/b.raw
plainly=(--sort=name --mtime=2020-01-01 --owner=0 --group=0 --numeric-owner '--mode=u=rwX,go=rX')
tar cf backup.tar -C photos/2019 "${plainly[@]}" a.raw b.raw
cp -r photos/2019 archive/2019-photos
words 32 500 >archive/2019-photos/c.raw
tar cf archive/all-2023.tar -C archive "${plainly[@]}" 2019-photos
words 40 200 >single
words 41 4000 >log.txt
sed 3000q log.txt >"first part of the log"
words 50 60 >"music/$(printf 'a long name, %.0s' 1 2 3 4 5 6)last"
cp music/a* "music/another long name, $(printf 'and so on, %.0s' 1 2 3 4 5 6)last"
words 60 60 >"music/$(printf 'a long name, %.0s' 1 2 3 4 5 6)second to last"
cp music/*second* music/third
mkdir sent
gzip -n <reports/report_v1.txt >sent/report_v1.txt.gz
settle .

# screen NAME COMMAND...: check the screen of a command
screen() {
	local name=$1 columns
	shift
	{
		for columns in 60 80 120; do
			printf '#### %s columns: %s\n' $columns "${*##*/}"
			NO_COLOR=1 on_terminal $columns "$@"
			cat "$TEST_FOLDER/screen"
		done
		printf '#### 80 columns, with colours\n'
		on_terminal 80 "$@"
		cat "$TEST_FOLDER/screen"
	} >"$TEST_FOLDER/both"
	# The screens show the day and the minute of a run, but no other day of this year.
	sed -E "s/^.*\x1b\[K//; s|$home|/home/ada|g; s/\x1b/^[/g; s/$(date +%Y)-[0-9]{2}-[0-9]{2}/2030-01-02/g
		s/(^|[^:0-9])[0-2][0-9]:[0-5][0-9]([^:0-9]|$)/\103:04\2/g; s/in [0-9.]+ s \([0-9.]+ ([kMG]B|bytes)\/s\)$/in N s (N B\/s)/" \
		"$TEST_FOLDER/both" >"$TEST_FOLDER/found"
	if [ -n "${WRITE:-}" ]; then
		cp "$TEST_FOLDER/found" "$expected/$name"
	else
		diff -u "$expected/$name" "$TEST_FOLDER/found" || fail "the screen $name has changed"
	fi
}

screen index "$SIMHASH" -f .
screen list "$SIMFIND"
screen limit "$SIMFIND" --limit=2
screen below "$SIMFIND" --limit=1 docs docs-old
# If only some files are searched, a copied folder cannot be recognized.
screen large "$SIMFIND" --min-size=100k
screen groups "$SIMFIND" --group
screen file "$SIMFIND" reports/report_v3.txt
screen files "$SIMFIND" reports/report_v2.txt single docs/chapter-1.txt
screen contents "$SIMFIND" -z sent/report_v1.txt.gz single
screen sorted "$SIMFIND" --sort=-path --limit=3 reports/report_v3.txt
screen nearest "$SIMFIND" --nearest=2 reports/report_v3.txt docs/chapter-1.txt
screen parts "$SIMFIND" log.txt "first part of the log"
screen read "$SIMFIND" --verify=all reports
screen similar "$SIMFIND" --only=similar --exclude=reports
# Hashes of paths decide which of three copies comes first in the pairs.
screen pairs "$SIMFIND" --format=text --exclude=backup.tar --exclude=reports --exclude=chapter-1.txt

# ---- Files that exist only here ----
mkdir kept
{ cat docs-old/chapter-2.txt && words 70 3; } >kept/chapter-two.txt
runs 0 "$SIMHASH" -q kept
# Another minute may have begun since the first run.
sql "UPDATE scan_run SET started_at_ns = (SELECT min(started_at_ns) FROM scan_run)"
screen relative "$SIMFIND" --missing docs-old music --in=kept
rm -r kept
runs 0 "$SIMHASH" --forget kept
screen missing "$SIMFIND" --missing docs-old archive music --in=docs --in=photos --in=reports
screen safe "$SIMFIND" --missing docs
screen alone "$SIMFIND" --missing music
screen copies "$SIMFIND" --copies='<2' docs-old music

# ---- Files that can be removed ----
screen removable "$SIMKEEP"
screen plan "$SIMKEEP" --keep=oldest --action=delete docs docs-old reports
cp -a docs docs-copy
cp -a docs docs2
mkdir -p old/docs old/pictures
cp -a docs old
cp photos/2019/a.raw old/pictures
cp photos/2019/b.raw old
chmod a-w docs-copy/chapter-7.txt
runs 0 "$SIMHASH" -q docs docs2 docs-copy old photos
screen whole "$SIMKEEP" docs docs2 docs-copy old photos/2019
screen acts sh -c '"$0" --keep=oldest --action=hardlink --yes --journal=j old/pictures photos/2019; "$0" --undo=j; "$0" --undo=j --yes; rm j' "$SIMKEEP"

screen one_tree "$SIMKEEP" --into=all --action=delete docs docs2 docs-copy old photos
screen merge "$SIMKEEP" --action=merge:docs old/docs

# ---- Folders ----
screen directories "$SIMFIND" --directories
screen two_directories "$SIMFIND" --directories docs old

# ---- Versions ----
mkdir -p versions/drafts
words 60 400 >versions/letter.txt
{ cat versions/letter.txt && words 61 20; } >versions/letter2.txt
cp versions/letter2.txt "versions/letter2 (copy).txt"
{ cat versions/letter2.txt && words 62 20; } >"versions/drafts/$(printf 'a letter with a long name %.0s' 1 2 3).txt"
{ cat versions/letter2.txt && words 63 20; } >versions/letter3.txt
touch -d '2023-05-01 10:00:00Z' versions/letter.txt
touch -d '2023-05-01 10:00:20Z' versions/letter2*
touch -d '2023-05-02Z' versions/letter3.txt
touch -d '2023-05-03Z' versions/drafts/*
runs 0 "$SIMHASH" -q versions
screen lineage "$SIMFIND" --group=lineage versions
screen compare "$SIMFIND" --compare versions/letter.txt versions/letter3.txt
screen order "$SIMFIND" --order=delta versions reports

# ---- Damage ----
copies="albums/$(printf 'a long name, %.0s' 1 2 3 4 5)copies"
mkdir -p "$copies"
for name in one two three; do
	words 8 100 | sed "1s/^/$name/" >"albums/$name.raw"
done
cp albums/one.raw "$copies"
settle albums
runs 0 "$SIMHASH" -q albums
for name in one two; do
	printf '####' | dd of="albums/$name.raw" bs=1 seek=1024 conv=notrunc status=none
done
truncate -s 1000 albums/three.raw
settle albums
runs 3 "$SIMHASH" -q --scrub albums
screen scrub "$SIMHASH" --scrub albums/one.raw
screen damaged "$SIMFIND" --damaged albums
