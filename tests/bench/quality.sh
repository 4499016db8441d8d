#!/usr/bin/env bash
# Measures what simfind finds and what it finds wrongly, compared with ssdeep and tlsh. The truth is
# the exact Jaccard index of all runs of 16 bytes, or the way in which a file was made. Prints tables
# in Markdown: first all goals and what was measured, then the details: recall for next versions of
# files, for files changed in eight ways, for parts of files and for texts with other white space;
# pairs listed among unrelated files of one kind and size, and among files of one template; the
# precision of the list for a tree, identical files, and the error of the printed resemblance.
#
#     tests/bench/quality.sh BUILD CORPUS [OPTIONS]...
#
# CORPUS is a, b, c, or a list of packages, as for quality_corpus.py. Each OPTIONS is one word, such
# as '-T 2 --same-extension', and a column of the tables. The default is a run without options and,
# if simfind verifies pairs, '-T 1 --verify=no', the rule of the paper. A corpus takes 5 GB, is made
# with its truth in 20 minutes, and stays in $QUALITY_FOLDER (default: $TMPDIR or /tmp); then a run
# takes 2 minutes. Needs ssdeep and tlsh, and apt-get and npm to make a corpus.
build=$(cd "${1:?is the folder with the programs}" && pwd)
corpus=${2:?is a, b, c or a list of packages}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/bench/lib.sh
. "$here/lib.sh"
command -v tlsh >/dev/null || { echo "needs tlsh (Debian: tlsh-tools)" >&2; exit 1; }

name=$(basename "$corpus")
[ "$name" != c ] || name=c-$(date +%F)
kept=${QUALITY_FOLDER:-${TMPDIR:-/tmp}}/quality-$name
if [ $# -eq 0 ]; then
	set -- ''
	! "$build/simfind" --help | grep -q -e '--verify' || set -- '' '-T 1 --verify=no'
fi

# make FILE COMMAND...: write the output of COMMAND to FILE in the corpus, once
make() {
	[ -s "$kept/$1" ] && return
	"${@:2}" >"$kept/$1.new"
	mv "$kept/$1.new" "$kept/$1"
}

# on_all COMMAND < LINES: print the output of COMMAND for the lines, with one process for each
# processor
on_all() {
	local part pid pids=()
	cat >"$folder/lines"
	split -n "l/$(nproc)" "$folder/lines" "$folder/lines."
	for part in "$folder"/lines.??; do
		"$@" <"$part" >"$part.done" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	cat "$folder"/lines.??.done
	rm "$folder"/lines*
}

exact() { on_all "$build/tests/shingles"; }
exact_of() { cut -f 1,2 "$kept/$1.tsv" | exact; }
exact_strangers() { "$here/quality_table.py" strangers "$kept" | exact; }
exact_templates() {
	local version
	for version in "$kept"/templates/*/*/v*; do
		printf '%s\t%s\n' "${version%/*}/m${version##*/v}" "$version"
	done | exact
}

# Digests of all files that are in a pair; both tools fail if they skip one.
digests() {
	{
		cut -f 1,2 "$kept/edits.tsv" "$kept/versions.tsv" | tr '\t' '\n' | sort -u
		cut -f 1 "$kept/strangers.tsv"
	} | on_all "$1"
}
of_ssdeep() { xargs -d '\n' -n 500 ssdeep -s 2>/dev/null || true; }
of_tlsh() { xargs -d '\n' -n 1 tlsh -f 2>/dev/null || true; }

# listed PART [PATH]...: index the paths alone, or otherwise the files of standard input, and add the list
# for each OPTIONS to $folder/NUMBER.PART.csv, without similar pairs that no table needs
listed() {
	local part=$1 number=10 column only='' index=sqlite:$folder/index.db
	case $part in
	versions) only=older ;;
	templates-*) only=templates ;;
	esac
	shift
	rm -f "$folder"/index.db*
	"$build/simhash" -q -d "$index" "${@:---files0-from=-}"
	for column in "${columns[@]}"; do
		# shellcheck disable=SC2086  # are several words
		"$build/simfind" -q -d "$index" --format=csv $column -o "$folder/list.csv"
		grep -e ^match -e ^identical -e "$kept/$only" "$folder/list.csv" >>"$folder/$number.$part.csv"
		printf '%s\n' "$column" >"$folder/$number.options"
		number=$((number + 1))
	done
}

# filled COUNT FOLDER: print the names of the files of the folder, and of other files up to the count
filled() {
	{ find "$2" -type f; cat "$kept/fill"; } | awk -v count="$1" 'NR <= count' | tr '\n' '\0'
}

columns=("$@")
if [ ! -e "$kept/strangers.tsv" ]; then
	"$here/quality_corpus.py" "$corpus" "$kept"
fi
make versions.truth exact_of versions
make edits.truth exact_of edits
make strangers.truth exact_strangers
make templates.truth exact_templates
for tool in ssdeep tlsh; do
	make "digests.$tool" digests "of_$tool"
	make "pairs.$tool" "$here/quality_table.py" digests "$kept" "$tool"
done
make tree.sha256 find "$kept/tree" -type f -exec sha256sum {} +

listed strangers "$kept/strangers"
listed tree "$kept/tree"
listed versions "$kept/tree" "$kept/older"
listed reflowed "$kept/reflowed"
for part in edits parts white; do
	for change in "$kept/$part"/*-*; do
		listed "$part" "$kept/$part/original" "$change"
	done
done
for family in "$kept"/templates/*/*; do
	[ "$(find "$family" -type f | wc -l)" -gt 40 ] || listed templates-40 < <(filled 40 "$family")
done
for kind in "$kept"/templates/*; do
	listed templates-1000 < <(filled 1000 "$kind")
done
listed templates-20000 < <(filled 20000 "$kept/templates")
"$here/quality_table.py" sample "$kept" "$folder" | exact >>"$kept/tree.truth"

echo "Corpus $name: $(head -n 1 "$kept/manifest"), $(grep -vc '^#' "$kept/manifest") packages;" \
	"$(wc -l <"$kept/versions.tsv") next versions, $(wc -l <"$kept/edits.tsv") edits," \
	"$(wc -l <"$kept/strangers.tsv") strangers, a tree of $(wc -l <"$kept/tree.sha256") files"
"$here/quality_goals.py" "$kept" "$folder"
