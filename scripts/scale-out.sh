#!/usr/bin/env bash
# Runs an index on several servers for trials: MariaDB's Spider engine on a head, with data nodes on
# loopback addresses, all in one folder. docs/scale-out.md explains it.
#
#     scripts/scale-out.sh start FOLDER [NODES]    NODES: default 3
#     scripts/scale-out.sh stop FOLDER
#
# Needs simhash in the PATH or as $SIMHASH, and Debian's mariadb-server-core, mariadb-client-core
# and mariadb-plugin-spider. Set $SPIDER_PLUGIN_DIR if ha_spider.so is not in the plugin folder of
# the server. Uses port $SCALE_OUT_PORT (34300) and the following ones.
set -euo pipefail
# shellcheck source=scripts/mariadb.sh
. "$(dirname "$0")/mariadb.sh"

usage() {
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
	exit 1
}
[ $# -ge 2 ] || usage
command=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
simhash=${SIMHASH:-simhash}
port=${SCALE_OUT_PORT:-34300}

stop() {
	local pid
	for pid in "$folder"/*/pid; do
		[ -e "$pid" ] || continue
		kill "$(cat "$pid")" 2>/dev/null || true
		for _ in $(seq 100); do
			[ -e "$pid" ] || break
			sleep 0.1
		done
	done
}

# run NAME OPTION...: start a server that continues after this script, and wait until it answers
run() {
	local place=$folder/$1
	shift
	start_server "$place" --innodb-flush-log-at-trx-commit=1 --innodb-doublewrite=ON "$@" </dev/null >/dev/null
	wait_for_server "$place"
}

# Print the definition of a table on the head; the nodes use the same definition.
definition() {
	at_server "$folder/head" --raw simhash -e "SHOW CREATE TABLE $1" | sed '1s/^[^\t]*\t//'
}

# spread TABLE COLUMN: spread the same table over the nodes by a column
spread() {
	local table=$1 column=$2 i separator=
	definition "$table" >"$folder/$table.sql"
	for i in $(seq "$nodes"); do
		at_server "$folder/node$i" simhash <"$folder/$table.sql"
	done
	{
		echo "DROP TABLE $table;"
		sed 's/) ENGINE=InnoDB.*/) ENGINE=SPIDER/' "$folder/$table.sql"
		echo "COMMENT='wrapper \"mysql\", table \"$table\"' PARTITION BY KEY ($column) ("
		for i in $(seq "$nodes"); do
			echo "$separator PARTITION p$i COMMENT='srv \"node$i\"'"
			separator=,
		done
		echo ');'
	} | at_server "$folder/head" simhash
}

start() {
	local i password spider
	[ ! -e "$folder/head" ] || { echo "$folder is in use: scale-out.sh stop it, and remove it" >&2; exit 1; }
	trap '[ $? = 0 ] || stop' EXIT
	# The servers do not end with this script.
	server_tie=(setsid)
	spider=(--plugin-load-add=ha_spider.so --spider-direct-dup-insert=1 --spider-bgs-mode=1)
	[ -z "${SPIDER_PLUGIN_DIR:-}" ] || spider+=(--plugin-dir="$SPIDER_PLUGIN_DIR")
	password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	for i in $(seq "$nodes"); do
		make_server "$folder/node$i"
		run "node$i" --bind-address="127.0.0.$i" --port=$((port + i))
		at_server "$folder/node$i" <<-SQL
			CREATE DATABASE simhash;
			CREATE USER spider@'127.0.0.%' IDENTIFIED BY '$password';
			GRANT SELECT, INSERT, UPDATE, DELETE, CREATE TEMPORARY TABLES ON simhash.* TO spider@'127.0.0.%';
		SQL
	done
	make_server "$folder/head"
	run head --bind-address="127.0.0.$((nodes + 1))" --port="$port" "${spider[@]}"
	printf '[client]\nsocket=%s/head/s\nuser=%s\n' "$folder" "$server_user" >"$folder/head.cnf"
	"$simhash" -d "mysql://localhost/simhash?defaults-file=$folder/head.cnf" --init-database >/dev/null
	for i in $(seq "$nodes"); do
		echo "CREATE SERVER node$i FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.$i',
			PORT $((port + i)), DATABASE 'simhash', USER 'spider', PASSWORD '$password');"
	done | at_server "$folder/head"
	spread file path_hash
	spread directory directory_hash
	cat <<-TEXT
		The index is spread over $nodes nodes. Use it by
		    simhash -d 'mysql://localhost/simhash?defaults-file=$folder/head.cnf' PATH...
		    simfind -d 'mysql://localhost/simhash?defaults-file=$folder/head.cnf'
	TEXT
}

case $command in
start)
	nodes=${3:-3}
	[[ $nodes =~ ^[1-9][0-9]?$ ]] || usage
	start
	;;
stop) stop ;;
*) usage ;;
esac
