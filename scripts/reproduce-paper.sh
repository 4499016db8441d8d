#!/usr/bin/env bash
# Repeat the measurements of the paper and answer its open questions: make the sets of files, run
# the two programs, and draw the figures of docs/lab/paper.md. Seeds are fixed, so a second run over
# the same tree gives the same curves, except for the times in figure 9.
#
#     scripts/reproduce-paper.sh [TREE]      (default: /usr)
#
# $MOST_FILES is the end of figure 9 (1000000, which needs 5 GB for the files and their index). On
# Debian, missing packages are installed: gnuplot, and the converters to PDF and PostScript.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
tree=$(cd "${1:-/usr}" && pwd)
most=${MOST_FILES:-1000000}
need_packages "${build_packages[@]}" libcmocka-dev libsimde-dev sqlite3 gnuplot-nox enscript ghostscript

build=$PWD/build-paper
out=$PWD/docs/lab/paper
folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-paper.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
echo "Building"
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --parallel "$(nproc)" | tail -n 1
simhash() { "$build/simhash" -q "$@"; }
simfind() { "$build/simfind" -q "$@"; }
paper() { "$build/tests/paper" "$@"; }
figures() { "$build/tests/figures" "$@"; }
results=$out/results.txt
{
	echo "date     $(date +%F)"
	echo "commit   $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
	echo "machine  $(nproc) processors: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
} | tee "$results"
section() { printf '\n%s\n\n' "$*" | tee -a "$results"; }

# plot NAME: run gnuplot in the folder of the data, with commands from standard input
plot() {
	(cd "$folder" && gnuplot -e "set terminal svg size 720,480 font 'sans,13' background 'white' noenhanced;
		set output '$out/$1.svg'; set key left top; set grid; set style data lines" -)
}

# ---- A real tree: the same 10,364 files if the tree has not changed ----
section "The tree: $(cd "$tree" && pwd)"
find "$tree" -xdev -type f -size +0 -readable -printf '%p\0' 2>/dev/null | LC_ALL=C sort -z >"$folder/all"
# Sort by a hash of each name, which is the same shuffle everywhere.
xargs -0 -a "$folder/all" -n 1000 printf '%s\n' | awk '{ h = 17; n = split($0, c, "")
	for (i = 1; i <= n; i++) h = (h * 31 + index(" !\"#$%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~", c[i])) % 2147483647
	printf "%010d %s\n", h, $0 }' | LC_ALL=C sort | cut -c 12- | tr '\n' '\0' >"$folder/shuffled"
head -z -n 10364 "$folder/shuffled" >"$folder/tree"
tree_db=sqlite:$folder/tree.db
simhash -d "$tree_db" --files0-from="$folder/tree" || [ $? = 2 ]
sqlite3 "$folder/tree.db" "SELECT count(*) || ' files, ' || sum(size) || ' bytes' FROM file" | tee -a "$results"

section "Figures 3 and 4: the key spaces"
# Some of the files are enough to see their positions.
sqlite3 -separator ' ' "$folder/tree.db" "SELECT size, uniform, skew, skew_ext FROM file
	WHERE size BETWEEN 1 AND 30000000 ORDER BY path_hash LIMIT 1000" >"$folder/space"
sqlite3 "$folder/tree.db" "SELECT 'uniform / size: ' || round(avg(1.0 * uniform / size), 3) ||
	', skew / size: ' || round(avg(1.0 * skew / size), 3) || ', their standard deviations: ' ||
	round(sqrt(avg(1.0 * uniform / size * uniform / size) - avg(1.0 * uniform / size) * avg(1.0 * uniform / size)), 3) || ' and ' ||
	round(sqrt(avg(1.0 * skew / size * skew / size) - avg(1.0 * skew / size) * avg(1.0 * skew / size)), 3)
	FROM file WHERE size > 0" | tee -a "$results"
plot figure-3 <<'END'
set logscale xy; set xrange [10:]; set yrange [1:]
set xlabel 'size, bytes'; set ylabel 'key'
plot 'space' using 1:2 with points pt 7 ps 0.25 title 'Uniform', 'space' using 1:3 with points pt 7 ps 0.25 title 'Skew', x title 'y = x'
END
plot figure-4 <<'END'
set logscale x; set xrange [10:]
set xlabel 'size, bytes'; set ylabel 'Skew with extension'
plot 'space' using 1:4 with points pt 7 ps 0.25 notitle
END

section "Figure 6: sum-table hits / key hits, by tolerance"
mkdir "$folder/similar" "$folder/different"
paper chain "$folder/similar" 2000 4
echo "different files: $(paper cut "$folder/different" 2000 <"$folder/shuffled")" | tee -a "$results"
for set in similar different; do
	simhash -d "sqlite:$folder/$set.db" "$folder/$set"
	for key in uniform skew uniform_ext skew_ext; do
		figures "sqlite:$folder/$set.db" $key 0.01 3.2 1.2 >"$folder/$set.$key"
		awk -v name="$set files, $key" '$1 !~ /#/ && ($1 > 0.3 && $1 < 0.35 || $1 > 0.9 && $1 < 0.95 || $1 > 2.7) {
			printf "%-30s at %.2f %%: %.4f of %d key hits\n", name, $1, $6, $2 }' "$folder/$set.$key" | tee -a "$results"
	done
done
plot figure-6 <<'END'
set logscale xy; set xrange [0.01:3.2]; set yrange [0.00001:1]
set xlabel 'tolerance, %'; set ylabel 'sum-table hits / key hits'; set key outside bottom center horizontal maxcols 2
plot for [k in 'uniform skew uniform_ext skew_ext'] 'similar.'.k using 1:6 lw 2 title 'similar files, '.k, for [k in 'uniform skew uniform_ext skew_ext'] 'different.'.k using 1:6 lw 2 dt 2 title 'different files, '.k
END

section "Figure 7: hits as a share of all pairs, with and without extension"
for key in skew skew_ext; do
	figures "$tree_db" $key 0.01 3.2 1.2 >"$folder/tree.$key"
	awk -v name="$key" '$1 !~ /#/ { last = $0 } END { split(last, c)
		printf "%-10s at %.2f %%: key hits %s, sum-table hits %s\n", name, c[1], c[8], c[9] }' "$folder/tree.$key" | tee -a "$results"
done
plot figure-7 <<'END'
set logscale xy; set xrange [0.01:3.2]
set xlabel 'tolerance, %'; set ylabel 'hits / (n choose 2)'
plot for [k in 'skew skew_ext'] 'tree.'.k using 1:8 lw 2 title 'key hits, '.k, for [k in 'skew skew_ext'] 'tree.'.k using 1:9 lw 2 dt 2 title 'sum-table hits, '.k
END

section "Figure 8: 200 random texts, as PDF and as PostScript"
mkdir "$folder/txt" "$folder/pdf" "$folder/ps"
paper texts "$folder/txt" 200
for text in "$folder"/txt/*.txt; do
	name=$(basename "$text" .txt)
	enscript -q -B -p "$folder/page.ps" "$text" 2>/dev/null || true
	ps2pdf "$folder/page.ps" "$folder/pdf/$name.pdf"
	# The files must differ only in their text, not in the time when they were made.
	sed -i -E 's/(D:)[0-9]{14}/\120071213000000/g; s/<(CreateDate|ModifyDate|xmp:CreateDate|xmp:ModifyDate)>[^<]*/<\1>2007/g
		s/\/ID ?\[[^]]*\]/\/ID [<00><00>]/; s/uuid:[0-9a-f-]*/uuid:0/g' "$folder/pdf/$name.pdf"
	pdf2ps "$folder/pdf/$name.pdf" "$folder/ps/$name.ps"
	sed -i -E 's/^%%CreationDate:.*/%%CreationDate: 2007/; s/(D:)[0-9]{14}/\120071213000000/g' "$folder/ps/$name.ps"
done
for kind in txt pdf ps; do
	simhash -d "sqlite:$folder/$kind.db" "$folder/$kind"
	figures "sqlite:$folder/$kind.db" skew 0.01 6 1.2 >"$folder/$kind.sweep"
	sqlite3 "$folder/$kind.db" "SELECT '$kind: ' || count(*) || ' files of ' || cast(avg(size) AS INTEGER) || ' bytes' FROM file" | tee -a "$results"
	awk '$1 !~ /#/ && $9 > 0.5 { printf "    half of all pairs are similar from %.3f %% on\n", $1; exit }' "$folder/$kind.sweep" | tee -a "$results"
done
plot figure-8 <<'END'
set logscale x; set xrange [0.01:6]; set yrange [0:1.02]
set xlabel 'tolerance, %'; set ylabel 'sum-table hits / (n choose 2)'
plot 'txt.sweep' using 1:9 lw 2 title 'text', 'pdf.sweep' using 1:9 lw 2 title 'PDF', 'ps.sweep' using 1:9 lw 2 title 'PostScript'
END

section "Figure 9: time of finding, by the number of files of the chain"
mkdir "$folder/chain"
paper chain "$folder/chain" "$most" 4
printf '# files exact_s key_s cat_and_sha1sum_s pairs\n' | tee "$folder/times" | tee -a "$results"
find "$folder/chain" -type f -printf '%f\n' | LC_ALL=C sort >"$folder/chain.names"
now() { date +%s.%N; }
for count in 500 1000 2000 4000 8000 16000 64000 250000 1000000; do
	[ "$count" -le "$most" ] || break
	rm -f "$folder"/chain.db*
	head -n "$count" "$folder/chain.names" | sed "s|^|$folder/chain/|" | tr '\n' '\0' >"$folder/chain.list"
	simhash -d "sqlite:$folder/chain.db" --files0-from="$folder/chain.list"
	a=$(now)
	simfind -d "sqlite:$folder/chain.db" --verify=no --format=jsonl -o /dev/null
	b=$(now)
	simfind -d "sqlite:$folder/chain.db" --verify=no --format=jsonl -o /dev/null --candidates=skew_ext
	c=$(now)
	# For comparison, measure a known tool in the same run: read and hash every file.
	xargs -0 -a "$folder/chain.list" cat | sha1sum >/dev/null
	d=$(now)
	pairs=0
	[ "$count" -gt 16000 ] || pairs=$(simfind -d "sqlite:$folder/chain.db" --verify=no | wc -l)
	awk -v n="$count" -v a="$a" -v b="$b" -v c="$c" -v d="$d" -v p="$pairs" 'BEGIN {
		printf "%d %.3f %.3f %.3f %d\n", n, b - a, c - b, d - c, p }' | tee -a "$folder/times" | tee -a "$results"
done
rm -rf "$folder/chain"
plot figure-9 <<'END'
set logscale xy; set xrange [400:1500000]; set yrange [0.005:]
set xlabel 'files'; set ylabel 's'
plot 'times' using 1:2 with linespoints lw 2 pt 7 ps 0.6 title 'all pairs within the tolerance (exact)', 'times' using 1:3 with linespoints lw 2 pt 7 ps 0.6 title 'of these with near keys (key)', x * x / 90000 lw 2 dt 2 title 'the paper: n^2 / 90,000', x / 16000 dt 3 title 'linear'
END

section "The final difficulty: a narrower key tolerance"
paper difficulty <"$folder/tree" >"$folder/difficulty"
awk '/^#/ || $1 == 0.5 || $1 == 0.75 || $1 == 1' "$folder/difficulty" | tee -a "$results"
plot difficulty <<'END'
set xrange [0:2]; set yrange [0:1.02]; set key right bottom
set xlabel 'key tolerance, %, where that of sum tables is 1 %'; set ylabel 'share'
plot 'difficulty' using 1:6 lw 2 lc 1 title 'hits kept, Skew with extension', 'difficulty' using 1:(1-$7) lw 2 lc 1 dt 2 title 'candidates saved', 'difficulty' using 1:2 lw 2 lc 2 title 'hits kept, Uniform', 'difficulty' using 1:(1-$3) lw 2 lc 2 dt 2 title 'candidates saved'
END

section "More keys, and keys as a progressive filter"
paper keys <"$folder/tree" | tee -a "$results"

section "Other tag sets"
mkdir "$folder/edits" "$folder/unrelated"
find "$tree" -type f -size +7 -size -1024 -readable -printf '%s %p\n' 2>/dev/null | LC_ALL=C sort -k2 |
	awk '!seen[$1]++ && n++ % 301 == 0 { sub(/^[0-9]* /, ""); printf "%s%c", $0, 0 }' | head -z -n 100 >"$folder/sources"
"$build/tests/files" edits "$folder/edits" <"$folder/sources"
for size in 65536 262144; do
	"$build/tests/files" unrelated "$folder/unrelated" 25 $size
done
head -z -n 4000 "$folder/shuffled" >"$folder/some"
paper tags "$folder/edits" "$folder/unrelated" <"$folder/some" | tee -a "$results"

section "A pairwise check afterwards"
simhash -d "sqlite:$folder/quality.db" "$folder/edits" "$folder/unrelated"
# judge NAME OPTION...: count the edits found of the originals, and the pairs of unrelated files
judge() {
	local name=$1
	shift
	simfind -d "sqlite:$folder/quality.db" --group=none --format=csv "$@" | tr -d '\r' | awk -F, -v name="$name" \
		-v edits="$(($(find "$folder/edits" -type f | wc -l) - $(tr -cd '\0' <"$folder/sources" | wc -c)))" '
		function base(path) { sub(/.*\//, "", path); return path }
		NR > 1 { split(base($10), a, "-"); split(base($11), b, "-")
			if ($10 ~ /\/unrelated\// || $11 ~ /\/unrelated\//) wrong++
			else if (a[1] == b[1]) found += (a[2] == "original") != (b[2] == "original")
			else strange++ }
		END { printf "%-46s %7.2f %% of the edits, %6d pairs of unrelated files, %3d of others\n", name, 100 * found / edits, wrong, strange }' |
		tee -a "$results"
}
judge "sum tables at 1 %" -T 1 --verify=no
judge "sum tables at 2 %" -T 2 --verify=no
judge "sum tables at 5 %, and the sketches"
judge "... and the files read where that is open" --verify=read
judge "... and all files read" --verify=all

section "Tolerances by type of file"
# The 200 texts in all three forms: no pair of texts shares content.
simhash -d "sqlite:$folder/types.db" "$folder/txt" "$folder/pdf" "$folder/ps"
for options in "-T 1" "-T 0.1" "-T 1 --tolerance=ps=0.02 --tolerance=pdf=0.2"; do
	# shellcheck disable=SC2086  # options and their values
	simfind -d "sqlite:$folder/types.db" --verify=no --format=csv $options | tr -d '\r' | awk -F, -v options="$options" '
		NR > 1 { sub(/.*\./, "", $10); n[$10]++ }
		END { printf "%-56s %6d pairs of text, %6d of PDF, %6d of PostScript\n", options, n["txt"], n["pdf"], n["ps"] }' |
		tee -a "$results"
done
rm -rf "$build"
echo
echo "The figures are in $out, the numbers in $results."
