#!/usr/bin/env bash
# Run a command beside a MariaDB server of its own, in a temporary folder, on a
# socket. The command finds it through the option file $HOME/.my.cnf;
# MARIADB_DATABASE_URL names an empty database on it. With MARIADB_NETWORK=plain or
# =tls it also listens on 127.0.0.1, at MARIADB_PORT; its certificate is signed by
# $HOME/ca.pem.
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

tls=()
if [ "${MARIADB_NETWORK:-}" = tls ]; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca \
		-keyout "$folder/ca.key" -out "$folder/ca.pem" 2>"$folder/openssl.log"
	openssl req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 \
		-keyout "$folder/server.key" -out "$folder/server.csr" 2>>"$folder/openssl.log"
	openssl x509 -req -days 2 -in "$folder/server.csr" -CA "$folder/ca.pem" \
		-CAkey "$folder/ca.key" -CAcreateserial -out "$folder/server.pem" 2>>"$folder/openssl.log"
	tls=(--ssl-cert="$folder/server.pem" --ssl-key="$folder/server.key")
fi

# The server ends with its parent, whatever happens to that.
tie=(setpriv --pdeathsig KILL)
command -v setpriv >/dev/null || tie=()

start_server() {
	local network=(--skip-networking --port=0)
	if [ -n "${MARIADB_NETWORK:-}" ]; then
		export MARIADB_PORT=$((20000 + RANDOM % 10000))
		network=(--port="$MARIADB_PORT" --bind-address=127.0.0.1)
	fi
	"${tie[@]}" "$mariadbd" --no-defaults --user="$user" --datadir="$folder/data" \
		--tmpdir="$folder" --socket="$folder/s" --pid-file="$folder/pid" \
		--log-error="$folder/server.log" "${network[@]}" "${tls[@]}" --skip-name-resolve \
		--skip-log-bin --performance-schema=OFF --innodb-buffer-pool-size=64M \
		--innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF &
	server=$!
}

export HOME="$folder"
printf '[client]\nsocket=%s/s\n' "$folder" >"$HOME/.my.cnf"
start_server
for _ in $(seq 300); do
	# A port that is taken ends the server: try another.
	kill -0 "$server" 2>/dev/null || start_server
	if mariadb -u "$user" -e 'CREATE DATABASE IF NOT EXISTS simhash' 2>"$folder/client.log"; then
		export MARIADB_SERVER_PID=$server
		export MARIADB_DATABASE_URL="mysql://$user@localhost/simhash"
		"$@"
		exit
	fi
	sleep 0.1
done
cat "$folder/server.log" "$folder/client.log" >&2
exit 1
