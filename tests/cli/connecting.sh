#!/usr/bin/env bash
# Tests option files, addresses and TLS: they are used when requested, and never silently ignored.
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
root() {
	HOME=$server_home mariadb -e "$1"
}
options() {
	printf '[client]\npassword=right\n' >"$HOME/.my.cnf"
	[ $# -eq 0 ] || printf '%s\n' '[simhash]' "$@" >>"$HOME/.my.cnf"
}

options
runs 0 "$SIMHASH" -d "$url" "$files"

# Only the named file is read, with a relative or an absolute path.
mkdir elsewhere
printf '[client]\npassword=wrong\n' >"$HOME/.my.cnf"
printf '[client]\nuser=visitor\npassword=right\n' >elsewhere/options
for file in elsewhere/options "$PWD/elsewhere/options"; do
	runs 0 "$SIMHASH" -d "mysql://127.0.0.1:$MARIADB_PORT/simhash?defaults-file=$file" "$files"
	runs 0 "$SIMFIND" -d "$url?defaults-file=$file"
	runs 0 "$SIMHASH" -d "$url?defaults-file=$file" --status
done
printf '[client]\nuser=visitor\npassword=right\nsocket=%s\n' "$socket" >elsewhere/socket
runs 0 "$SIMFIND" -d "mysql://localhost/simhash?defaults-file=elsewhere/socket"
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied for user 'visitor'"
grep -q 'wrong' err && fail "the password was printed"
for program in "$SIMHASH" "$SIMFIND"; do
	runs 1 "$program" -d "$url?defaults-file=/no/such/file" "$files/a"
	said "cannot read the option file /no/such/file: No such file or directory"
done
# Each connection reads the file: a pipe is refused without waiting, and so is an endless file.
mkfifo elsewhere/pipe
runs 1 "$SIMHASH" -d "$url?defaults-file=elsewhere/pipe" "$files/a"
said "cannot read the option file elsewhere/pipe: it is a pipe, and each connection reads the file"
runs 1 "$SIMFIND" -d "$url?defaults-file=/dev/zero"
said "/dev/zero: expected a file of at most 1048576 bytes"
ipv6=true
grep -q 00000000000000000000000000000001 /proc/net/if_inet6 || {
	ipv6=false
	not_tested "this machine has no IPv6"
}
if $ipv6; then
	runs 0 "$SIMFIND" -d "mysql://visitor@[::1]:$MARIADB_PORT/simhash?defaults-file=elsewhere/options"
	runs 1 "$SIMFIND" -d "mysql://visitor@[::1]:1/simhash?defaults-file=elsewhere/options"
	said "mysql://visitor@[::1]:1/simhash: "
fi
options 'ssl-mode=SOMETIMES'
runs 1 "$SIMHASH" -d "$url" "$files"
said ".my.cnf: ssl-mode 'SOMETIMES': expected DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"

# The group of the program has priority over [simhash], which has priority over [client], in any
# order in the file.
url=mysql://127.0.0.1:$MARIADB_PORT/simhash
root "CREATE USER writer@'127.0.0.1' IDENTIFIED BY 'wri ter#1', reader@'127.0.0.1' IDENTIFIED BY 'r\"e''a\\\\d',
	nobody@'127.0.0.1' IDENTIFIED BY 'none';
	GRANT ALL ON simhash.* TO writer@'127.0.0.1'; GRANT SELECT ON simhash.* TO reader@'127.0.0.1'"
client=$'[client]\nuser=nobody\npassword=none'
simhash=$'[simhash]\nuser=writer\npassword = wri\\ster#1  # a comment'
simfind=$'[simfind]\nuser=reader\npassword = "r\\"e\\\'a\\\\d"'
umask 077
for order in "$client"$'\n'"$simhash"$'\n'"$simfind" "$simfind"$'\n'"$simhash"$'\n'"$client"; do
	rm -f "$HOME/.my.cnf"
	printf '%s\n' "$order" >"$HOME/.my.cnf"
	runs 0 "$SIMHASH" -q -d "$url" "$files"
	[ ! -s err ] || fail "$(cat err)"
	runs 0 "$SIMFIND" --summary=none -d "$url"
	[ ! -s err ] || fail "$(cat err)"
	# simfind writes like simhash.
	runs 0 "$SIMFIND" -d "$url" --store
	runs 0 "$SIMFIND" -d "$url" --update "$files"
	runs 0 "$SIMHASH" -d "$url" --status
done
printf '%s\n' "$simfind" "$client" >"$HOME/.my.cnf"
runs 0 "$SIMFIND" -d "$url"
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied for user 'nobody'@'127.0.0.1'"
printf '%s\n' "$simhash" >"$HOME/.my.cnf"
printf '%s\n' "$client" "!include $HOME/.my.cnf" >elsewhere/including
runs 0 "$SIMFIND" -d "$url?defaults-file=elsewhere/including"
for wrong in port=none connect-timeout=soon max-allowed-packet=1x protocol=pigeon; do
	printf '%s\n' "$simhash" "$wrong" >"$HOME/.my.cnf"
	runs 1 "$SIMHASH" -d "$url" "$files"
	said ".my.cnf: ${wrong%%=*} '${wrong#*=}': expected "
done
printf '%s\n' "$simhash" protocol=tcp connect_timeout=20 max-allowed-packet=16M loose-compress >"$HOME/.my.cnf"
runs 0 "$SIMHASH" -d "$url" "$files"
# A file with a password that others can read is reported once; an unreadable file is reported if it
# matters.
chmod 644 "$HOME/.my.cnf"
for program in "$SIMHASH $files" "$SIMFIND"; do
	# shellcheck disable=SC2086  # a program and its argument
	runs 0 $program -q -d "$url"
	same "warning" "$(basename "${program%% *}"): warning: others can read or write the option file $HOME/.my.cnf, which has a password: chmod 600 it" "$(cat err)"
done
chmod 755 "$HOME"
chmod 000 "$HOME/.my.cnf"
printf '[client]\nuser=nobody\npassword=no\n!include %s\n' "$HOME/.my.cnf" >elsewhere/including
chmod 644 elsewhere/including && chmod 755 elsewhere
runs 1 as_user "$SIMHASH" -d "$url?defaults-file=elsewhere/including" --status
said "(error 1045); the option file $HOME/.my.cnf cannot be read: Permission denied"
chmod 600 "$HOME/.my.cnf"
umask 022

# The anonymous user of a new server has priority over a user of any host, and the message names it.
root "CREATE USER ''@'127.0.0.1', shaded@'%' IDENTIFIED BY 'right'; GRANT ALL ON simhash.* TO shaded@'%'"
options
runs 1 "$SIMHASH" -d "mysql://shaded@127.0.0.1:$MARIADB_PORT/simhash" "$files"
said "Access denied for user 'shaded'@'127.0.0.1' (using password: YES) (error 1045): the server's anonymous user ''@'127.0.0.1' has priority over a user of any host; simhash --init-database prints statements"
grep -q right err && fail "the password was printed"
rm "$HOME/.my.cnf"
runs 1 "$SIMFIND" -d "mysql://shaded@127.0.0.1:$MARIADB_PORT/simhash"
said "Access denied for user ''@'127.0.0.1' to database 'simhash' (error 1044): the server logged you in as its anonymous user; simhash --init-database"
root "DROP USER ''@'127.0.0.1'"
options
runs 0 "$SIMHASH" -d "mysql://shaded@127.0.0.1:$MARIADB_PORT/simhash" "$files"
printf '[client]\npassword=wrong\n' >"$HOME/.my.cnf"
runs 1 "$SIMHASH" -d "mysql://shaded@127.0.0.1:$MARIADB_PORT/simhash" "$files"
grep -q anonymous err && fail "there is none: $(cat err)"
url=mysql://visitor@127.0.0.1:$MARIADB_PORT/simhash

if [ "$MARIADB_NETWORK" = plain ]; then
	# All ways of requiring TLS work.
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
	# Without such an option TLS is not required, and the last option counts.
	for option in ssl-mode=PREFERRED ssl-mode=DISABLED ssl=0 skip-ssl 'ssl=0 # off' 'ssl-mode="PREFERRED" # or not'; do
		options ssl-mode=REQUIRED "$option"
		runs 0 "$SIMFIND" -d "$url"
	done
	options "ssl-ca=$PWD/ca.pem" ssl-mode=DISABLED
	runs 0 "$SIMFIND" -d "$url"
	exit
fi

root "ALTER USER visitor@'127.0.0.1' REQUIRE SSL"
options
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied"
for option in ssl-verify-server-cert=1 ssl-mode=VERIFY_IDENTITY ssl-mode=REQUIRED; do
	options "ssl-ca=$server_home/ca.pem" "$option"
	runs 0 "$SIMHASH" -d "$url" "$files"
	runs 0 "$SIMFIND" -d "$url"
done
# A certificate of the client.
root "ALTER USER visitor@'127.0.0.1' REQUIRE X509"
runs 1 "$SIMHASH" -d "$url" "$files"
said "Access denied"
options "ssl-ca=$server_home/ca.pem" "ssl-cert=$server_home/client.pem" "ssl-key=$server_home/client.key" \
	ssl-mode=VERIFY_IDENTITY
runs 0 "$SIMHASH" -d "$url" "$files"
runs 0 "$SIMFIND" -d "$url"
# A certificate signed by somebody else, and a certificate of another host.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem 2>openssl.log
for option in ssl-verify-server-cert=1 ssl-mode=VERIFY_CA; do
	options "ssl-ca=$PWD/other.pem" "$option"
	runs 1 "$SIMHASH" -d "$url" "$files"
	grep -qi 'tls\|ssl\|certificate' err || fail "another's certificate: $(cat err)"
done
if $ipv6; then
	options "ssl-ca=$server_home/ca.pem" ssl-mode=VERIFY_IDENTITY
	runs 1 "$SIMFIND" -d "mysql://visitor@[::1]:$MARIADB_PORT/simhash"
	grep -qi 'tls\|ssl\|certificate\|hostname' err || fail "certificate of another host: $(cat err)"
fi
