#!/usr/bin/env bash
# TLS from the option files: used when asked for, and never silently left out.
# Runs under with_mariadb.sh, with MARIADB_NETWORK=plain or =tls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"
url=mysql://tester@127.0.0.1:$MARIADB_PORT/simhash
server_home=$HOME
mariadb -e "CREATE USER tester@'127.0.0.1' IDENTIFIED BY 'right';
	GRANT ALL ON simhash.* TO tester@'127.0.0.1'"
export HOME=$TEST_FOLDER
options() {
	printf '[client]\npassword=right\n' >"$HOME/.my.cnf"
	[ $# -eq 0 ] || printf '%s\n' '[simhash]' "$@" >>"$HOME/.my.cnf"
}

options
runs 0 "$SIMHASH" -d "$url" "$files"
if [ "$MARIADB_NETWORK" = plain ]; then
	touch ca.pem
	for option in "ssl-ca=$PWD/ca.pem" ssl-verify-server-cert=1; do
		options "$option"
		runs 1 "$SIMHASH" -d "$url" "$files"
		runs 1 "$SIMFIND" -d "$url"
	done
	exit
fi
HOME=$server_home mariadb -e "ALTER USER tester@'127.0.0.1' REQUIRE SSL"
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied"
options "ssl-ca=$server_home/ca.pem" ssl-verify-server-cert=1
runs 0 "$SIMHASH" -d "$url" "$files"
runs 0 "$SIMFIND" -d "$url"
# A certificate signed by somebody else.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem 2>openssl.log
options "ssl-ca=$PWD/other.pem" ssl-verify-server-cert=1
runs 1 "$SIMHASH" -d "$url" "$files"
