#!/usr/bin/env bash
# Checks the structure of src, as CMakeLists.txt declares it with add_part and add_room:
# - A part includes its own headers, and headers of parts and rooms that it may use, directly or
#   through them. No other file includes the programs' own headers, and a public header includes no part.
# - If a part names its DOORS, other parts include only these headers of it.
# - No chain of includes leads back to the same file. A source and its header are one file here,
#   together with NAME_state.h and NAME_template.h.
# - A folder has at most 30 files, and every folder is a part.
set -euo pipefail

most_files=30

# check FOLDER: prints everything in it that breaks a rule
check() {
	cd "$1"
	local -A uses=() doors=()
	local kind name used file line from to part stem source count folder word
	# Each line is: part NAME [USES x y] [DOORS a.h b.h]
	while read -r kind name line; do
		if [ "$kind" = room ]; then
			uses[$name]=
			for used in "${!uses[@]}"; do
				[[ $used != "$name"/* ]] || uses[$name]+=" $used${uses[$used]}"
			done
			continue
		fi
		uses[$name]='' used=''
		for word in $line; do
			case "$word" in
			USES | DOORS) used=$word ;;
			*)
				if [ "$used" = DOORS ]; then
					doors[$name]+=" $word"
					[ "$word" = none ] || [ -e "src/$name/$word" ] || echo "add_part($name) has no door $word"
				elif [ -n "${uses[$word]+set}" ]; then
					uses[$name]+=" $word${uses[$word]}"
				else
					echo "add_part($name) uses $word, which is not declared above it"
				fi
				;;
			esac
		done
		[ -d "src/$name" ] || echo "add_part($name) has no folder"
	done < <(tr '\n' ' ' <CMakeLists.txt | grep -oE 'add_(part|room)\([a-z/]+[^)]*\)' |
		sed -E 's/ +/ /g; s/add_(part|room)\(([a-z/]+)/\1 \2/; s/ *\)$//; s/ (LIBRARIES|SOURCES)( .*)?$//')
	while IFS=: read -r file line; do
		line=${line#*\"} line=${line%%\"*} file=${file#src/}
		[[ $line != simhash*.h* ]] || continue
		part_of "$file" && from=$part
		part_of "$line" && to=$part
		if [ "$from" = "$to" ]; then
			stem_of "${file%.[ch]}" && source=$stem
			stem_of "${line%.h}"
			[ "$source" = "$stem" ] || echo "$source $stem" >>"$edges"
			continue
		fi
		[[ " ${uses[$from]-} " == *" $to "* ]] || echo "$file points up or across: $line"
		[ -z "${doors[$to]-}" ] || [[ " ${doors[$to]} " == *" ${line#"$to"/} "* ]] ||
			echo "$file goes past the doors of $to: $line"
	done < <(grep -rE '^[[:space:]]*#[[:space:]]*include "' src include --include='*.[ch]')
	tsort <"$edges" 2>&1 >/dev/null | sed -n '/contains a loop/d; s/^tsort: /in a circle: /p'
	while read -r count folder; do
		[ "$count" -le "$most_files" ] || echo "$folder has $count files"
		folder=${folder#src/} folder=${folder%/x86} folder=${folder%/arm}
		[ -n "${uses[$folder]+set}" ] || [ "$folder" = completions ] || echo "src/$folder is not a part"
	done < <(find src -type f -printf '%h\n' | sort | uniq -c)
}

# Set $part to the folder of a file in src, without the folder for an instruction set.
part_of() {
	part=${1%/*} part=${part%/x86} part=${part%/arm}
}

# Set $stem to the common name of a source and its headers: near for near.c and near_template.h.
stem_of() {
	stem=${1%_template} stem=${stem%_state}
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
edges=$work/edges
found=$(: >"$edges" && check "$SOURCE_DIR")
[ -z "$found" ] || {
	echo "$found"
	exit 1
}

# plant FILE TEXT EXPECTED: check that a copy of src with TEXT in FILE breaks a rule.
planted=0
plant() {
	local before
	mkdir -p "$(dirname "$work/tree/$1")"
	before=$(cat "$work/tree/$1" 2>/dev/null || true)
	printf '%s\n' "$2" >>"$work/tree/$1"
	found=$(: >"$edges" && check "$work/tree")
	[[ $found == *"$3"* ]] || {
		echo "$1 with '$2': expected '$3', got '$found'"
		exit 1
	}
	[ -n "$before" ] && printf '%s\n' "$before" >"$work/tree/$1" || rm "$work/tree/$1"
	planted=$((planted + 1))
}
mkdir "$work/tree"
cp -r "$SOURCE_DIR/src" "$SOURCE_DIR/include" "$SOURCE_DIR/CMakeLists.txt" "$work/tree"
plant src/base/data/array.h '#include "store/open/store.h"' 'array.h points up or across'
plant src/index/walk/walk.c '#  include "find/rule/find.h"' 'walk.c points up or across'
plant src/find/rule/rule.c '#include "find/pairs/pairs.h"' 'rule.c points up or across'
plant src/find/pairs/pairs.c '#include "index/walk/walk.h"' 'pairs.c points up or across'
plant include/simhash.h '#include "base/data/array.h"' 'simhash.h points up or across'
plant src/find/groups/groups.c '#include "find/rule/near_template.h"' 'goes past the doors of find/rule'
plant src/store/rows/totals.c '#include "store/engine/mysql_library.h"' 'goes past the doors of store/engine'
plant src/store/open/query.h '#include "store/open/store.h"' 'in a circle: store/open/query'
plant src/scan/file/reading.h '#include "scan/file/scan_file.h"' 'in a circle: scan/file/reading'
plant src/base/odd/odd.h '' 'src/base/odd is not a part'
plant CMakeLists.txt 'add_part(base/none USES base/data SOURCES none.c)' 'add_part(base/none) has no folder'
plant CMakeLists.txt 'add_part(base/data DOORS none.h SOURCES)' 'has no door none.h'
plant CMakeLists.txt 'add_part(base/data USES store/none SOURCES)' 'uses store/none, which is not declared'
for i in {1..30}; do echo >"$work/tree/src/keep/more$i.h"; done
plant src/keep/more.h '' 'src/keep has'
echo "$planted planted faults were found"
