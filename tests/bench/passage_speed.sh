#!/usr/bin/env bash
# Measures how long simfind --verify=read takes to find a sentence, and a paragraph in which one word
# was changed, in all files of a tree, next to ripgrep -F with the sentence. Prints the medians of
# alternating runs. ripgrep takes one line, so it cannot search for the paragraph.
#
#     tests/bench/passage_speed.sh [BUILD [TREE [ROUNDS]]]   (default: build /usr/share 7)
build=$(cd "${1:-build}" && pwd)
tree=${2:-/usr/share}
rounds=${3:-7}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v rg >/dev/null || {
	echo "needs rg (Debian: ripgrep)" >&2
	exit 1
}

text=/usr/share/common-licenses/GPL-3
sentence=$(sed -n 's/^ *\(IN NO EVENT UNLESS REQUIRED BY APPLICABLE LAW.*\)/\1/p' "$text")
printf %s "$sentence" >"$folder/sentence"
sed -n '/IN NO EVENT UNLESS REQUIRED/,/^$/p' "$text" | sed 's/HOLDER/OWNER/' >"$folder/paragraph"
index=sqlite:$folder/index.db
"$build/simhash" -q -d "$index" "$tree"
threads=$(nproc)
runs() { # WHAT COMMAND...
	timed "${@:2}"
	echo "$wall $work $(("$(wc -l <"$folder/out")"))" >>"$folder/$1"
}
for _ in $(seq "$rounds"); do
	runs ripgrep sh -c "rg -F -a -l --no-ignore --hidden -j$threads -- \"\$1\" \"\$2\" >$folder/out" sh "$sentence" "$tree"
	for what in sentence paragraph; do
		runs "simfind-$what" sh -c "\"\$1\" -d $index -j$threads --summary=none --verify=read \"\$2\" >$folder/out" sh \
			"$build/simfind" "$folder/$what"
	done
done
echo "$tree: $(find "$tree" -type f | wc -l) files, $(du -sm --apparent-size "$tree" | cut -f1) MB, $threads threads"
for what in ripgrep simfind-sentence simfind-paragraph; do
	for column in 1 2; do
		cut -d' ' -f$column "$folder/$what" | sort -g | sed -n "$(((rounds + 1) / 2))p"
	done | paste -sd' ' | awk -v what=$what -v found="$(tail -n1 "$folder/$what" | cut -d' ' -f3)" \
		'{ printf "%-20s %6.2f s %6.2f s of processors, %s files\n", what, $1, $2, found }'
done
