#!/usr/bin/env bash
# Compares the measures on the same files in one run: the sum tables, the measures of --measure,
# ssdeep and tlsh. Prints the recall for real files changed in seven ways by 0.1 to 2 %, by kind and
# by rate; the share of pairs of unrelated files of one kind and size that are called similar; MB/s
# on one processor; and bytes per file. Needs ssdeep and tlsh (Debian: tlsh-tools).
#
#     tests/bench/measures.sh [BUILD [TREE]]   (default: build /usr)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v tlsh >/dev/null || { echo "needs tlsh (Debian: tlsh-tools)" >&2; exit 1; }

mkdir "$folder/edits" "$folder/unrelated"
# Every 307th file of 4 KiB to 1 MiB, of many kinds, without repetitions.
find "$tree" -type f -size +7 -size -2048 -readable ! -path '*/test*' -printf '%s %p\n' 2>/dev/null |
	sort -k2 | awk -v n=0 '!seen[$1]++ && n++ % 307 == 0 { sub(/^[0-9]* /, ""); printf "%s%c", $0, 0 }' |
	head -z -n 100 >"$folder/sources"
"$build/tests/files" edits "$folder/edits" <"$folder/sources"
for size in 65536 262144 1048576; do
	"$build/tests/files" unrelated "$folder/unrelated" 25 "$size"
done
originals=$(tr -cd '\0' <"$folder/sources" | wc -c)
xargs -0 -a "$folder/sources" cat | head -c 67108864 >"$folder/everything"
echo "$originals files of $tree with $(($(find "$folder/edits" -type f | wc -l) - originals)) edits," \
	"$(find "$folder/unrelated" -type f | wc -l) unrelated files"
kinds="scatter block insert delete move blocks append"

# judge NAME MB_S BYTES < PAIRS: two paths per line, separated by a tab
judge() {
	awk -F'\t' -v name="$1" -v speed="$2" -v bytes="$3" -v originals="$originals" -v kinds="$kinds" '
		function base(path) { sub(/.*\//, "", path); return path }
		{ x = base($1); y = base($2); split(x, a, "-"); split(y, b, "-")
		  if ((x, y) in seen || (y, x) in seen) next
		  seen[x, y] = 1
		  if ($1 ~ /\/unrelated\// && $2 ~ /\/unrelated\//) {
			if (a[1] == b[1] && a[2] == b[2]) wrong[a[2]]++
			next }
		  if (a[1] != b[1]) { strange++; next }
		  if ((a[2] == "original") != (b[2] == "original")) {
			kind = a[2] == "original" ? b[2] : a[2]
			rate = int(a[2] == "original" ? b[3] : a[3]) # an extension may be a number
			found[rate]++
			if (rate <= 10) of_kind[kind]++ } }
		END { printf "%-36s", name
			for (r = 1; r <= 20; r += r == 1 ? 1 : r == 2 ? 3 : r == 5 ? 5 : 10)
				printf " %5.1f", 100 * found[r] / (7 * originals)
			n = split(kinds, k, " ")
			for (i = 1; i <= n; i++) printf " %6.1f", 100 * of_kind[k[i]] / (4 * originals)
			for (s = 65536; s <= 1048576; s *= 4) printf " %6.2f", 100 * wrong[s] / (6 * 300)
			printf " %6d %6s %6s\n", strange, speed, bytes }'
}

# ours NAME MEASURE OPTION...: pairs found by simfind
ours() {
	local name=$1 measure=$2 speed bytes
	shift 2
	read -r _ speed bytes < <("$build/tests/sketching" -f "$folder/everything" "$measure")
	"$build/simfind" --summary=none -d "sqlite:$folder/index.db" --group=none --format=csv "$@" | tr -d '\r' |
		awk -F, -v OFS='\t' 'NR > 1 { print $10, $11 }' | judge "$name" "$speed" "$bytes"
}

printf '%-36s %5s %5s %5s %5s %5s' "recall %, by % changed, by kind" 0.1 0.2 0.5 1 2
# shellcheck disable=SC2086  # words
printf ' %6s' $kinds
printf ' %6s %6s %6s %6s %6s %6s\n' 64K% 256K% 1M% others MB/s bytes
measures=(simhash64 simhash128 simhash64:words minhash minhash:words=3 bottomk)
"$build/simhash" -q -d "sqlite:$folder/index.db" "${measures[@]/#/--measure=}" "$folder/edits" "$folder/unrelated"
ours "sum table, T = 1 %" sum -T 1 --verify=no
ours "sum table, T = 2 %" sum -T 2 --verify=no
ours "sum table and sketch" sum
ours "... and the files read" sum --verify=all
ours "simhash64, 3 bits" simhash64 --measure=simhash64:bytes=8
ours "simhash64, 8 bits" simhash64 --measure=simhash64:bytes=8 --min-resemblance=0.875
ours "simhash128, 6 bits" simhash128 --measure=simhash128
ours "simhash64 of words, 3 bits" simhash64:words --measure=simhash64:words
ours "minhash, J >= 0.8" minhash --measure=minhash:bytes=8
ours "minhash, J >= 0.5" minhash --measure=minhash:bytes=8 --min-resemblance=0.5
ours "minhash of 3 words, J >= 0.8" minhash:words=3 --measure=minhash:words=3
ours "bottomk, J >= 0.8" bottomk --measure=bottomk
ours "bottomk, J >= 0.5" bottomk --measure=bottomk --min-resemblance=0.5
# clusters MEASURE: pairs in the same cluster, by SQL alone
for measure in minhash:bytes=8 bottomk; do
	sqlite3 -separator $'\t' "$folder/index.db" "SELECT a.path, b.path FROM sketched_file a JOIN sketched_file b
		ON a.measure = b.measure AND a.cluster = b.cluster AND a.path < b.path WHERE a.measure LIKE '$measure%'" |
		judge "the same cluster of ${measure%:*}" "" 8
done

size=$(stat -c %s "$folder/everything")
best 3 ssdeep "$folder/everything"
speed=$(awk -v s="$size" -v t="$wall" 'BEGIN { printf "%.0f", s / t / 1e6 }')
ssdeep -s -r "$folder/edits" "$folder/unrelated" >"$folder/digests" 2>/dev/null
bytes=$(awk -F, 'NR > 1 { n++; s += length($1) } END { printf "%.0f", s / n }' "$folder/digests")
ssdeep -x "$folder/digests" >"$folder/deep" 2>/dev/null || true
for score in 1 90; do
	sed -n "s|^$folder/digests:\(.*\) matches $folder/digests:\(.*\) (\([0-9]*\))$|\3\t\1\t\2|p" "$folder/deep" |
		awk -F'\t' -v OFS='\t' -v least=$score '$1 >= least { print $2, $3 }' |
		judge "ssdeep, score >= $score" "$speed" "$bytes"
done
best 3 tlsh -f "$folder/everything"
speed=$(awk -v s="$size" -v t="$wall" 'BEGIN { printf "%.0f", s / t / 1e6 }')
for part in edits unrelated; do tlsh -r "$folder/$part" 2>/dev/null; done |
	grep -v '^0*	' >"$folder/digests"
tlsh -xref -l "$folder/digests" -T 50 >"$folder/trend" 2>/dev/null || true
for distance in 30 50; do
	awk -F'\t' -v OFS='\t' -v most=$distance '$3 <= most { print $1, $2 }' "$folder/trend" |
		judge "tlsh, distance <= $distance" "$speed" 35
done
