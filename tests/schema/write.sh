#!/usr/bin/env bash
# Write an index with a build, as SQL. The other files of this folder were made in this way, each by
# the last version of the program with its version of the schema.
#
#     tests/schema/write.sh BUILD sqlite | gzip -9n >tests/schema/sqlite-N.sql.gz
#     tests/with_mariadb.sh tests/schema/write.sh BUILD mysql | gzip -9n >tests/schema/mysql-N.sql.gz
#
# It creates and removes /srv/archive, so run it as root. Needs sqlite3, or mariadb-dump.
set -euo pipefail
build=$(cd "${1:?is the folder with the programs}" && pwd)
engine=${2:?is sqlite or mysql}
tree=/srv/archive
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$tree"' EXIT
"$(dirname "$0")/tree.sh" "$tree"

case $engine in
sqlite) url=sqlite:$folder/index.db ;;
mysql) url=$MARIADB_DATABASE_URL ;;
*) echo "expected sqlite or mysql" >&2 && exit 1 ;;
esac
"$build/simhash" -q -d "$url" --host=archive "$tree"
help=$("$build/simhash" --help)
[[ $help != *--measure* ]] || "$build/simhash" -q -d "$url" --host=archive --measure=simhash64 "$tree"
if [ "$engine" = sqlite ]; then
	sqlite3 "$folder/index.db" .dump
else
	# The user who reads it defines the views; other clients have no sandbox mode.
	mariadb-dump --skip-comments --hex-blob --compact --skip-extended-insert "${url##*/}" |
		sed -e '/enable the sandbox mode/d' -e 's/DEFINER=[^ ]* //'
fi
