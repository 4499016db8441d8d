#!/usr/bin/env bash
# Option files, addresses and TLS: used when asked for, and never silently left out.
# Runs under with_mariadb.sh, with MARIADB_NETWORK=plain or =tls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"
url=mysql://visitor@127.0.0.1:$MARIADB_PORT/simhash
server_home=$HOME
socket=$(sed -n 's/^socket=//p' "$HOME/.my.cnf")
mariadb -e "CREATE USER visitor@'127.0.0.1' IDENTIFIED BY 'right', visitor@'::1' IDENTIFIED BY 'right',
		visitor@localhost IDENTIFIED BY 'right';
	GRANT ALL ON simhash.* TO visitor@'127.0.0.1', visitor@'::1', visitor@localhost"
export HOME=$TEST_FOLDER
options() {
	printf '[client]\npassword=right\n' >"$HOME/.my.cnf"
	[ $# -eq 0 ] || printf '%s\n' '[simhash]' "$@" >>"$HOME/.my.cnf"
}

options
runs 0 "$SIMHASH" -d "$url" "$files"

# The one file that is named, and no other; relative and absolute.
mkdir elsewhere
printf '[client]\npassword=wrong\n' >"$HOME/.my.cnf"
printf '[client]\nuser=visitor\npassword=right\n' >elsewhere/options
for file in elsewhere/options "$PWD/elsewhere/options"; do
	runs 0 "$SIMHASH" --defaults-file="$file" -d "mysql://127.0.0.1:$MARIADB_PORT/simhash" "$files"
	runs 0 "$SIMFIND" --defaults-file="$file" -d "$url"
	runs 0 "$SIMHASH" --defaults-file="$file" -d "$url" --status
done
printf '[client]\nuser=visitor\npassword=right\nsocket=%s\n' "$socket" >elsewhere/socket
runs 0 "$SIMFIND" --defaults-file=elsewhere/socket -d mysql://localhost/simhash
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied for user 'visitor'"
grep -q 'wrong' err && fail "the password was printed"
for program in "$SIMHASH" "$SIMFIND"; do
	runs 1 "$program" --defaults-file=/no/such/file -d "$url" "$files/a"
	said "cannot read the option file /no/such/file: No such file or directory"
done
if grep -q 00000000000000000000000000000001 /proc/net/if_inet6; then
	runs 0 "$SIMFIND" --defaults-file=elsewhere/options -d "mysql://visitor@[::1]:$MARIADB_PORT/simhash"
	runs 1 "$SIMFIND" --defaults-file=elsewhere/options -d "mysql://visitor@[::1]:1/simhash"
	said "mysql://visitor@[::1]:1/simhash: "
fi
options 'ssl-mode=SOMETIMES'
runs 1 "$SIMHASH" -d "$url" "$files"
said ".my.cnf: ssl-mode 'SOMETIMES': expected DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"

if [ "$MARIADB_NETWORK" = plain ]; then
	# However it is asked for.
	touch ca.pem
	printf '[client]\nssl_mode = "required"\n' >elsewhere/tls.cnf
	for option in "ssl-ca=$PWD/ca.pem" ssl-verify-server-cert=1 ssl-enforce=1 ssl-mode=REQUIRED \
		'ssl-mode = Verify_CA' ssl-mode=VERIFY_IDENTITY ssl ssl=1 'ssl-mode=REQUIRED  # always' loose_ssl_mode=REQUIRED "!include $PWD/elsewhere/tls.cnf" \
		"!includedir $PWD/elsewhere"; do
		options "$option"
		for address in "127.0.0.1:$MARIADB_PORT" localhost; do
			[ "$address" != localhost ] || printf '[client]\nsocket=%s\n' "$socket" >>"$HOME/.my.cnf"
			runs 1 "$SIMHASH" -d "mysql://visitor@$address/simhash" "$files"
			grep -qi 'tls\|ssl' err || fail "$option, $address: $(cat err)"
			runs 1 "$SIMFIND" -d "mysql://visitor@$address/simhash"
		done
	done
	options ssl-mode=REQUIRED
	runs 1 "$SIMFIND" -d "$url"
	said "cannot use index $url: the option files require TLS, but the connection does not use it"
	# Nor when it is not, and what is said last counts.
	for option in ssl-mode=PREFERRED ssl-mode=DISABLED ssl=0 skip-ssl 'ssl=0 # off' 'ssl-mode="PREFERRED" # or not'; do
		options ssl-mode=REQUIRED "$option"
		runs 0 "$SIMFIND" -d "$url"
	done
	options "ssl-ca=$PWD/ca.pem" ssl-mode=DISABLED
	runs 0 "$SIMFIND" -d "$url"
	exit
fi

as_root() {
	HOME=$server_home mariadb -e "$1"
}
as_root "ALTER USER visitor@'127.0.0.1' REQUIRE SSL"
options
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied"
for option in ssl-verify-server-cert=1 ssl-mode=VERIFY_IDENTITY ssl-mode=REQUIRED; do
	options "ssl-ca=$server_home/ca.pem" "$option"
	runs 0 "$SIMHASH" -d "$url" "$files"
	runs 0 "$SIMFIND" -d "$url"
done
# A client's certificate.
as_root "ALTER USER visitor@'127.0.0.1' REQUIRE X509"
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied"
options "ssl-ca=$server_home/ca.pem" "ssl-cert=$server_home/client.pem" "ssl-key=$server_home/client.key" \
	ssl-mode=VERIFY_IDENTITY
runs 0 "$SIMHASH" -d "$url" "$files"
runs 0 "$SIMFIND" -d "$url"
# A certificate signed by somebody else, and one of another host.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem 2>openssl.log
for option in ssl-verify-server-cert=1 ssl-mode=VERIFY_CA; do
	options "ssl-ca=$PWD/other.pem" "$option"
	runs 1 "$SIMHASH" -d "$url" "$files"
	grep -qi 'tls\|ssl\|certificate' err || fail "another's certificate: $(cat err)"
done
if grep -q 00000000000000000000000000000001 /proc/net/if_inet6; then
	options "ssl-ca=$server_home/ca.pem" ssl-mode=VERIFY_IDENTITY
	runs 1 "$SIMFIND" -d "mysql://visitor@[::1]:$MARIADB_PORT/simhash"
	grep -qi 'tls\|ssl\|certificate\|hostname' err || fail "certificate of another host: $(cat err)"
fi
