#!/usr/bin/env bash
# Install missing packages, build, index a directory and list its similar pairs.
#
#     scripts/quickstart.sh [DIRECTORY]      (default: /usr/include)
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
directory=${1:-/usr/include}
case $directory in
-h | --help)
	sed -n '2,4s/^# \{0,1\}//p' "$0"
	exit
	;;
esac
# shellcheck source=scripts/lib.sh
. "$source_dir/scripts/lib.sh"

[ -d "$directory" ] || [ -f "$directory" ] || {
	echo "quickstart.sh: $directory: no such file or directory" >&2
	exit 1
}
need_packages "${build_packages[@]}"

echo "Building in $source_dir/build"
cmake -S "$source_dir" -B "$source_dir/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null
cmake --build "$source_dir/build" --parallel "$(nproc)" | tail -n 1

# If some files cannot be read, the status is 2, and the programs continue.
run() {
	echo
	echo "\$ $*"
	local program=$1
	shift
	"$source_dir/build/$program" "$@" || [ $? = 2 ]
}
# A separate index, so that no other files are listed; without this, your own index is used.
export SIMHASH_DATABASE="sqlite:$source_dir/build/quickstart.db"
rm -f "$source_dir"/build/quickstart.db*
pairs=$source_dir/build/similar-pairs.txt
run simhash "$directory"
PAGER="cat" run simfind --limit=5
"$source_dir/build/simfind" --summary=none -o "$pairs" || [ $? = 2 ]
echo
echo "All pairs are in $pairs,"
echo "and the index is in ${SIMHASH_DATABASE#sqlite:}."
echo
echo "The programs are $source_dir/build/simhash, simfind and simkeep, with manuals. For your own files:"
echo "    PATH=$source_dir/build:\$PATH"
echo "    simhash ~/Documents && simfind"
