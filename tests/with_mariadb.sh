#!/usr/bin/env bash
# Run a command with a private MariaDB server, in a temporary folder, on a socket. The command finds
# it through the option file $HOME/.my.cnf; MARIADB_DATABASE_URL names an empty database on it. With
# MARIADB_NETWORK=plain or =tls it also listens on 127.0.0.1, and on [::1] if available, at
# MARIADB_PORT. Its certificate is signed by $HOME/ca.pem, and so is the certificate of a client,
# $HOME/client.pem and client.key.
#
#     tests/with_mariadb.sh COMMAND [ARGUMENT]...
set -euo pipefail
# shellcheck source=scripts/mariadb.sh
. "$(dirname "$0")/../scripts/mariadb.sh"

folder=$(mktemp -d "${TMPDIR:-/tmp}/simhash-mariadb.XXXXXX")
server=
# shellcheck disable=SC2317  # called by the trap
end() {
	status=$?
	[ -z "$server" ] || end_server "$server"
	rm -rf "$folder"
	exit "$status"
}
trap end EXIT

make_server "$folder"
options=(--skip-networking --port=0)
tls=()
if [ "${MARIADB_NETWORK:-}" = tls ]; then
	certificates "$folder"
	tls=(--ssl-cert="$folder/server.pem" --ssl-key="$folder/server.key" --ssl-ca="$folder/ca.pem")
fi

export HOME="$folder"
printf '[client]\nsocket=%s/s\n' "$folder" >"$HOME/.my.cnf"
for _ in 1 2 3 4 5; do
	# If the port is in use, the server ends: try another one.
	if [ -n "${MARIADB_NETWORK:-}" ]; then
		export MARIADB_PORT=$((20000 + RANDOM % 10000))
		address=127.0.0.1
		! grep -q 00000000000000000000000000000001 /proc/net/if_inet6 || address+=,::1
		options=(--port="$MARIADB_PORT" --bind-address="$address" "${tls[@]}")
	fi
	start_server "$folder" "${options[@]}"
	if wait_for_server "$folder"; then
		at_server "$folder" -e 'CREATE DATABASE simhash'
		export MARIADB_SERVER_PID=$server
		export MARIADB_DATABASE_URL="mysql://$server_user@localhost/simhash"
		"$@"
		exit
	fi
	wait "$server" || true
done
exit 1
