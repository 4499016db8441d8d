#!/usr/bin/env bash
# Run a test on one engine, in a temporary folder, which is $HOME and the working directory. The
# test gets these environment variables:
#   TEST_URL     the URL of an index that does not exist yet
#   TEST_RESET   a command that removes this index
#   TEST_SQL     a command that runs the SQL of its last argument with the engine's own client
#
# A command that cannot run all its tests writes the reasons to $TEST_FOLDER/not_tested (lib.sh),
# one per line. Then this script prints them and ends with 77, which ctest reports as a skipped
# test.
#
# If MEMCHECK is set, simhash and simfind run under valgrind, and any error that it finds is a
# failure.
#
#     tests/on_engine.sh sqlite|mysql COMMAND [ARGUMENT]...
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
engine=$1
shift
if [ "$engine" = mysql ] && [ -z "${MARIADB_DATABASE_URL:-}" ]; then
	exec "$here/with_mariadb.sh" "$0" mysql "$@"
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-test.XXXXXX")
trap 'chmod -R u+rwx "$folder" 2>/dev/null; rm -rf "$folder"' EXIT
case $engine in
sqlite)
	export HOME=$folder
	TEST_URL=sqlite:$folder/index.db
	TEST_RESET="rm -f '$folder/index.db' '$folder/index.db-wal' '$folder/index.db-shm'"
	TEST_SQL="sqlite3 -batch -noheader -separator | $folder/index.db"
	;;
mysql)
	TEST_URL=$MARIADB_DATABASE_URL
	# shellcheck disable=SC2089,SC2090  # for eval
	TEST_RESET='mariadb -e "DROP DATABASE IF EXISTS simhash; CREATE DATABASE simhash"'
	TEST_SQL="mariadb --batch --skip-column-names simhash -e"
	;;
*)
	echo "on_engine.sh: unknown engine '$engine': expected sqlite or mysql" >&2
	exit 1
	;;
esac
unset SIMHASH_DATABASE XDG_DATA_HOME
# shellcheck disable=SC2090
export TEST_ENGINE=$engine TEST_URL TEST_RESET TEST_SQL TEST_FOLDER=$folder
if [ -n "${MEMCHECK:-}" ]; then
	mkdir "$folder/memcheck"
	for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
		printf '#!/bin/sh\nexec valgrind -q --error-exitcode=99 --leak-check=full --track-fds=no %s %s "$@"\n' \
			"--errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=20" "$program" \
			>"$folder/memcheck/${program##*/}"
		chmod +x "$folder/memcheck/${program##*/}"
	done
	export SIMHASH=$folder/memcheck/simhash SIMFIND=$folder/memcheck/simfind SIMKEEP=$folder/memcheck/simkeep
fi
cd "$folder"
status=0
"$@" || status=$?
if [ -e "$folder/not_tested" ] && { [ $status = 0 ] || [ $status = 77 ]; }; then
	echo "SKIPPED: $(sort -u "$folder/not_tested" | paste -sd ';' | sed 's/;/; /g')"
	exit 77
fi
exit $status
