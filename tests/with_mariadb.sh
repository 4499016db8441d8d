#!/usr/bin/env bash
# Run a command beside a MariaDB server of its own, in a temporary folder, on a
# socket and on a port of 127.0.0.1. The command finds it through the option file
# $HOME/.my.cnf; MARIADB_DATABASE_URL names an empty database on it.
#
#     tests/with_mariadb.sh COMMAND [ARGUMENT]...
set -euo pipefail

folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-mariadb.XXXXXX")
server=
# shellcheck disable=SC2317  # called by the trap
end() {
	status=$?
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$folder"
	exit "$status"
}
trap end EXIT

user=$(id -un)
mariadbd=$(PATH="$PATH:/usr/sbin" command -v mariadbd)
mariadb-install-db --no-defaults --auth-root-authentication-method=socket \
	--auth-root-socket-user="$user" --skip-test-db --skip-name-resolve \
	--innodb-log-file-size=8M --user="$user" --datadir="$folder/data" >"$folder/install.log" 2>&1 ||
	{ cat "$folder/install.log" >&2; exit 1; }

# shellcheck disable=SC2016  # the parent's number is for the inner shell
start=(setpriv --pdeathsig KILL)
command -v setpriv >/dev/null || start=()
"${start[@]}" "$mariadbd" --no-defaults --user="$user" --datadir="$folder/data" \
	--tmpdir="$folder" --socket="$folder/s" --pid-file="$folder/pid" \
	--log-error="$folder/server.log" --bind-address=127.0.0.1 --port=0 --skip-networking \
	--skip-name-resolve --skip-log-bin --performance-schema=OFF --innodb-buffer-pool-size=64M \
	--innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF &
server=$!

export HOME="$folder"
export MARIADB_SERVER_PID=$server
printf '[client]\nsocket=%s/s\n' "$folder" >"$HOME/.my.cnf"
for _ in $(seq 100); do
	if mariadb -u "$user" -e 'CREATE DATABASE IF NOT EXISTS simhash' 2>"$folder/client.log"; then
		export MARIADB_DATABASE_URL="mysql://$user@localhost/simhash"
		"$@"
		exit
	fi
	sleep 0.1
done
cat "$folder/server.log" "$folder/client.log" >&2
exit 1
