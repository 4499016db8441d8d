#!/usr/bin/env bash
# Measures groups and lists when very many files resemble each other: time, processor time and peak
# memory; with another build, also its values and the ratio. Each build makes its own indexes. A run
# stops if it needs more than LIMIT seconds (default: 900) or 12 GB. FAMILY, FORM, LARGE and CHAIN
# set the numbers of files; 0 leaves a part out.
#
#     tests/bench/dense.sh BUILD [OTHER_BUILD]
build=$(cd "${1:-build}" && pwd)
builds=("$build")
[ -z "${2:-}" ] || builds+=("$(cd "$2" && pwd)")
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
limit=${LIMIT:-900}
family=${FAMILY:-6000}
form=${FORM:-20000}
large=${LARGE:-60000}
chain=${CHAIN:-1000000}
measure=$build/tests/measure

# run BUILD INDEX OPTION...: run simfind of a build; sets $wall, $work and $peak (MB), or - if it
# was stopped, and $count, the first number of its summary
run() {
	local program=$1/simfind index=$2
	shift 2
	if (
		ulimit -v $((12 << 20))
		exec timeout "$limit" "$measure" "$folder/measured" "$program" -d "sqlite:$index" --progress=never "$@"
	) >/dev/null 2>"$folder/said"; then
		read -r wall work peak <"$folder/measured"
		peak=$((peak / 1024))
	else
		wall=- work=- peak=-
	fi
	count=$(tr -d , <"$folder/said" | grep -oE '^[0-9]+' | tail -1 || true)
}

# least BUILD INDEX OPTION...: the best of three runs
least() {
	local best="" i
	for i in 1 2 3; do
		run "$@"
		[ "$wall" != - ] || return 0
		[ -n "$best" ] && awk -v a="${best%% *}" -v b="$wall" 'BEGIN { exit a > b }' || best="$wall $work $peak"
	done
	read -r wall work peak <<<"$best"
}

# line HOW WHAT INDEX OPTION...: print a line for each build, measured by `run` or `least`
line() {
	local how=$1 what=$2 index=$3 first="" i
	shift 3
	printf '%-42s' "$what"
	for i in "${!builds[@]}"; do
		"$how" "${builds[i]}" "$folder/$index.$i.db" "$@"
		if [ "$wall" = - ]; then
			printf '  %32s' "given up"
		else
			printf '%10.2f s%10.2f s%7d MB' "$wall" "$work" "$peak"
		fi
		if [ "$i" = 0 ]; then
			first=$wall
		elif [ "$wall" != - ] && [ "$first" != - ]; then
			awk -v a="$first" -v b="$wall" 'BEGIN { printf "%8.3f", a / b }'
		fi
	done
	echo
	wall=$first
}

# rate: of the last list, by the only build or the second one
rate() {
	[ "$wall" = - ] ||
		awk -v n="${count:-0}" -v t="$wall" 'BEGIN { printf "%42s%10.2f million pairs a second, of %d\n", "", n / t / 1e6, n }'
}

# indexed NAME PATH: index PATH with each build
indexed() {
	local i
	for i in "${!builds[@]}"; do
		rm -f "$folder/$1.$i.db"*
		"${builds[i]}/simhash" -q -d "sqlite:$folder/$1.$i.db" "$2" || [ $? = 2 ]
	done
}

made() { # NAME KIND COUNT [SIZE]
	mkdir "$folder/$1"
	"$build/tests/files" "$2" "$folder/$1" "${@:3}"
	indexed "$1" "$folder/$1"
	rm -rf "${folder:?}/$1"
}

printf '%-42s%12s%12s%10s' "$(nproc) processors" time processors memory
[ ${#builds[@]} = 1 ] || printf '%12s%12s%10s%8s' before processors memory ratio
echo
if [ "$family" -gt 0 ]; then
	made family family "$family" 20480
	line least "groups, a family of $family" family --group
	line least "groups, single linkage" family --group=single
	line run "list, sorted" family
	rate
	line run "list as it is found (jsonl)" family --format=jsonl
	rate
	rm -f "$folder"/family.*
fi
if [ "$form" -gt 0 ]; then
	made form form "$form"
	line least "list, $form small files of one form" form
	line least "groups of these" form --group
	rm -f "$folder"/form.*
fi
if [ "$large" -gt 0 ]; then
	made large family "$large" 20480
	line run "groups, a family of $large" large --group
	rm -f "$folder"/large.*
fi
if [ "$chain" -gt 0 ]; then
	made chain chain "$chain"
	line run "groups, a chain of $chain" chain --group
	rm -f "$folder"/chain.*
fi
indexed usr /usr
line least "list, /usr" usr
line least "groups, /usr" usr --group
