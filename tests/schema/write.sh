#!/usr/bin/env bash
# Write an index by a build, as SQL: how the other files of this folder were made, each by the last
# version of the program that knew its version of the schema.
#
#     tests/schema/write.sh BUILD sqlite | gzip -9n >tests/schema/sqlite-N.sql.gz
#     tests/with_mariadb.sh tests/schema/write.sh BUILD mysql | gzip -9n >tests/schema/mysql-N.sql.gz
#
# It makes /srv/archive and removes it, so it has to be root. Needs sqlite3, or mariadb-dump.
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
	# Whoever reads it defines the views; other clients know no sandbox.
	mariadb-dump --skip-comments --hex-blob --compact --skip-extended-insert "${url##*/}" |
		sed -e '/enable the sandbox mode/d' -e 's/DEFINER=[^ ]* //'
fi
