#!/usr/bin/env bash
# What is found and what is wrongly found, beside ssdeep and tlsh: recall of real files
# with 0.1 to 2 % of their bytes changed in seven ways, and the share of pairs of unrelated
# files of one kind and one size that are taken for similar; and the error of the estimate.
#
#     tests/bench/quality.sh [BUILD [TREE]]   (default: build /usr)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v tlsh >/dev/null || { echo "needs tlsh (Debian: tlsh-tools)" >&2; exit 1; }

mkdir "$folder/edits" "$folder/unrelated"
# Every so many of the files of 4 KiB to 2 MiB, of many kinds, none twice.
find "$tree" -type f -size +7 -size -4096 -readable ! -path '*/test*' -printf '%s %p\n' 2>/dev/null |
	sort -k2 | awk -v n=0 '!seen[$1]++ && n++ % 401 == 0 { sub(/^[0-9]* /, ""); printf "%s%c", $0, 0 }' |
	head -z -n 120 >"$folder/sources"
"$build/tests/files" edits "$folder/edits" <"$folder/sources"
for size in 65536 262144 1048576; do
	"$build/tests/files" unrelated "$folder/unrelated" 25 "$size"
done
echo "$(find "$folder/edits" -type f | wc -l) files of $(tr -cd '\0' <"$folder/sources" | wc -c)," \
	"$(find "$folder/unrelated" -type f | wc -l) unrelated ones"

# judge NAME < PAIRS: two paths a line, separated by a tab
judge() {
	awk -F'\t' -v name="$1" -v originals="$(tr -cd '\0' <"$folder/sources" | wc -c)" '
		function base(path) { sub(/.*\//, "", path); return path }
		{ x = base($1); y = base($2); split(x, a, "-"); split(y, b, "-")
		  if ((x, y) in seen || (y, x) in seen) next
		  seen[x, y] = 1
		  if ($1 ~ /\/unrelated\// && $2 ~ /\/unrelated\//) {
			if (a[1] == b[1] && a[2] == b[2]) wrong[a[2]]++
			next }
		  if (a[1] != b[1]) { strange++; next }
		  if ((a[2] == "original") != (b[2] == "original"))
			found[int(a[2] == "original" ? b[3] : a[3])]++ }
		END { printf "%-34s", name
			for (r = 1; r <= 20; r += r == 1 ? 1 : r == 2 ? 3 : r == 5 ? 5 : 10)
				printf " %6.1f", 100 * found[r] / (7 * originals)
			for (s = 65536; s <= 1048576; s *= 4) printf " %8.2f", 100 * wrong[s] / (6 * 300)
			printf " %7d\n", strange }'
}

ours() { # OPTION...
	timed "$build/simfind" -q -d "sqlite:$folder/index.db" --expand --format=csv \
		-o "$folder/pairs.csv" "$@"
	tr -d '\r' <"$folder/pairs.csv" | awk -F, -v OFS='\t' 'NR > 1 { print $11, $12 }' |
		judge "simfind $* ($wall s)"
}

printf '%-34s %6s %6s %6s %6s %6s %8s %8s %8s %7s\n' "recall %, by % changed; false pairs %" \
	0.1 0.2 0.5 1 2 64KiB 256KiB 1MiB others
"$build/simhash" -q -d "sqlite:$folder/index.db" "$folder/edits" "$folder/unrelated"
ours -T 1
ours -T 2
ours -T 2 --max-change=10
ours -T 2 --confirm=doubtful
ours -T 2 --confirm
ssdeep -s -r "$folder/edits" "$folder/unrelated" >"$folder/digests" 2>/dev/null
"$build/tests/measure" "$folder/measured" ssdeep -x "$folder/digests" >"$folder/deep" 2>/dev/null || true
read -r wall _ <"$folder/measured"
for score in 1 90; do
	sed -n "s|^$folder/digests:\(.*\) matches $folder/digests:\(.*\) (\([0-9]*\))$|\3\t\1\t\2|p" "$folder/deep" |
		awk -F'\t' -v OFS='\t' -v least=$score '$1 >= least { print $2, $3 }' |
		judge "ssdeep, score >= $score ($wall s)"
done
for part in edits unrelated; do tlsh -r "$folder/$part" 2>/dev/null; done |
	grep -v '^0*	' >"$folder/digests"
"$build/tests/measure" "$folder/measured" tlsh -xref -l "$folder/digests" -T 50 >"$folder/trend" 2>/dev/null || true
read -r wall _ <"$folder/measured"
for distance in 30 50; do
	awk -F'\t' -v OFS='\t' -v most=$distance '$3 <= most { print $1, $2 }' "$folder/trend" |
		judge "tlsh, distance <= $distance ($wall s)"
done

echo
echo "The estimate of the share changed, by what was changed (mean, 10th and 90th percentile, trusted):"
"$build/simhash" -q -d "sqlite:$folder/edits.db" "$folder/edits"
"$build/simfind" -q -d "sqlite:$folder/edits.db" -T 5 --expand \
	--confirm=doubtful --min-resemblance=0 --format=csv -o "$folder/pairs.csv"
tr -d '\r' <"$folder/pairs.csv" | awk -F, 'NR > 1 {
	n = split($11, p, "/"); x = p[n]; n = split($12, p, "/"); y = p[n]
	split(x, a, "-"); split(y, b, "-")
	if (a[1] != b[1] || (a[2] == "original") == (b[2] == "original")) next
	if (a[2] == "original") print b[2], b[3] / 10, $4, $5 == "trusted"
	else print a[2], a[3] / 10, $4, $5 == "trusted" }' |
	sort -k1,1 -k2,2n -k3,3n | awk '
	function flush(  high) { if (!n) return; high = int(n * 0.9) + 1; if (high > n) high = n
		printf "%-8s %5.1f %%: %7.2f %7.2f %7.2f %6.0f %% of %d\n", kind, rate,
			sum / n, v[int(n / 10) + 1], v[high], 100 * trusted / n, n }
	$1 != kind || $2 != rate { flush(); kind = $1; rate = $2; n = sum = trusted = 0 }
	{ v[++n] = $3; sum += $3; trusted += $4 } END { flush() }'
