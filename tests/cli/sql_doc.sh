#!/usr/bin/env bash
# Checks that docs/sql.md contains every query of sql/examples with its answer on a small sample;
# each engine must give exactly this answer. With WRITE=1, the examples of the page are written
# again.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# text SEED LINES: lines of invented words, the same on every machine
text() {
	awk -v seed="$1" -v lines="$2" 'BEGIN {
		split("the ship sailed with a load of grain and salt from port to island while men sang", w)
		for (i = 0; i < lines; i++) {
			line = ""
			for (k = 0; k < 9; k++) {
				seed = (seed * 16807) % 2147483647
				line = line (k ? " " : "") w[seed % 16 + 1]
			}
			print line
		}
	}'
}
mkdir -p "$files/letters" "$files/backup/letters" "$files/code"
month=0
for name in january february march april; do
	month=$((month + 1))
	text $month 120 >"$files/letters/$name.txt"
	touch -d "2024-0$month-01 12:00:00 UTC" "$files/letters/$name.txt"
done
sed '40s/.*/a line that was written anew/' "$files/letters/april.txt" >"$files/letters/april-2.txt"
(cat "$files/letters/april.txt"; echo postscript) >"$files/backup/letters/april.txt"
cp -p "$files/letters/march.txt" "$files/backup/letters/march.txt"
text 9 60 | sed 's/^/int /; s/$/;/' >"$files/code/a.c"
(cat "$files/code/a.c"; echo 'int last;') >"$files/code/b.c"
for name in letters/april-2.txt backup/letters/april.txt code/a.c code/b.c; do
	touch -d '2024-05-01 12:00:00 UTC' "$files/$name"
done
runs 0 "$SIMHASH" --measure=minhash:words=3 --host=alpha "$files"
runs 0 "$SIMHASH" --host=beta "$files/backup"
runs 0 "$SIMFIND" --host=alpha --store
sql "UPDATE scan_run SET finished_at_ns = NULL WHERE id = 2" >/dev/null
printf '#' | dd of="$files/backup/letters/march.txt" bs=1 seek=1000 conv=notrunc status=none
touch -r "$files/letters/march.txt" "$files/backup/letters/march.txt"
runs 3 "$SIMHASH" -q --scrub --host=alpha "$files/backup"

# ask QUERY: print its answer as a readable table, with decimals as short as possible
ask() {
	local query=${1//\/sample\//$files/}
	if [ "$TEST_ENGINE" = sqlite ]; then
		sqlite3 -batch -header -separator $'\t' -nullvalue NULL "${TEST_URL#sqlite:}" "$query"
	else
		mariadb --batch --raw simhash -e "$query"
	fi | sed "s|$files|/sample|g" | awk -F '\t' '
		{
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^[0-9]+\.[0-9]+$/) { sub(/0+$/, "", $i); sub(/\.$/, "", $i) }
				if (length($i) > width[i]) width[i] = length($i)
				if (NR > 1 && $i !~ /^[0-9.]+$/) is_text[i] = 1
				cell[NR, i] = $i
			}
			columns = NF
		}
		END {
			for (r = 1; r <= NR; r++) {
				line = ""
				for (i = 1; i <= columns; i++)
					line = line (i > 1 ? "  " : "") sprintf(is_text[i] ? "%-" width[i] "s" : "%" width[i] "s", cell[r, i])
				sub(/ +$/, "", line)
				print line
			}
		}'
}

page=$SOURCE_DIR/docs/sql.md
examples=(similar_to_one_file all_pairs between_directories similar_by_extension duplicates
	largest_groups largest_savings group_of_one_file copies_by_directory files_in_no_group next_versions
	missing_on_host missing_in_directory only_on_one_disk damaged_files same_path clusters key_space extension_key_space key_order changed_since runs)
same "examples in order" "$(printf '%s.sql\n' "${examples[@]}" | LC_ALL=C sort | paste -sd ' ')" \
	"$(cd "$SOURCE_DIR/sql/examples" && LC_ALL=C ls | paste -sd ' ')"
for example in "${examples[@]}"; do
	file=$SOURCE_DIR/sql/examples/$example.sql
	echo "### $(sed -n 's/^-- //p' "$file" | paste -sd ' ')"
	printf '\n`sql/examples/%s.sql`\n\n```sql\n' "$example"
	grep -v '^--' "$file"
	printf '```\n\n```text\n'
	ask "$(grep -v '^--' "$file")"
	printf '```\n\n'
done >found
begin='<!-- examples -->'
if [ -n "${WRITE:-}" ]; then
	{ sed "/^$begin$/q" "$page"; echo; cat found; sed "1,/^<!-- end of examples -->$/{/^<!-- end/!d}" "$page"; } >page
	cp page "$page"
fi
sed "1,/^$begin$/d; /^<!-- end of examples -->$/,\$d" "$page" | tail -n +2 >expected
cmp expected found || fail "docs/sql.md says otherwise: $(diff expected found | head -20)"
same "examples with an answer" "${#examples[@]}" "$(grep -A1 '^```text' found | grep -vc '^```text\|^--')"
