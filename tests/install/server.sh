#!/usr/bin/env bash
# Tests docs/server.md. Its "sh" blocks run as they are written and in order. The blocks of the
# server and of another host run in separate homes, with a new data directory. Only commands that
# affect a whole machine are replaced: apt, systemctl, sudo, chown and scp, and the paths and
# addresses of the page.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"
unset SIMHASH_DATABASE

place=$TEST_FOLDER/server
root=$TEST_FOLDER/root
address=127.0.0.2
mkdir -p "$root/etc/mysql/mariadb.conf.d" server-home other-home/documents stubs
export USER=$server_user
make_server "$place"
printf '[client]\nsocket=%s/s\n' "$place" >server-home/.my.cnf
trap 'end_server "$server"' EXIT
start() {
	local _
	for _ in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 10000))
		cat "$root"/etc/mysql/mariadb.conf.d/*.cnf >"$root/options" 2>/dev/null || printf '[mariadb]\nbind-address=127.0.0.1\n' >"$root/options"
		# Like start_server, but with the configuration of the page.
		"${server_tie[@]}" "$mariadbd" --defaults-file="$root/options" --user="$server_user" --datadir="$place/data" --tmpdir="$place" \
			--socket="$place/s" --pid-file="$place/pid" --log-error="$place/server.log" --port="$port" --skip-name-resolve \
			--innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 2>>"$place/start.log" &
		server=$!
		! wait_for_server "$place" || return 0
		wait "$server" || true # the port is in use: try another one
	done
	fail "the server does not start: $(tail "$place/server.log")"
}

# Each replacement records its arguments, which the test uses between blocks.
for name in apt systemctl chown scp; do
	printf '#!/bin/sh\necho "%s $*" >>%s/calls\n' $name "$TEST_FOLDER" >stubs/$name
done
printf 'while [ $# -gt 1 ]; do cp "$1" %s/other-home/ || exit; shift; done\n' "$TEST_FOLDER" >>stubs/scp
# Waits for a restart, like systemctl.
printf 'touch %s/restart\nwhile [ -e %s/restart ]; do sleep 0.02; done\n' "$TEST_FOLDER" "$TEST_FOLDER" >>stubs/systemctl
printf '#!/bin/sh\nexec "$@"\n' >stubs/sudo
chmod +x stubs/*
PATH=$TEST_FOLDER/stubs:$(dirname "$SIMHASH"):$(dirname "$SIMFIND"):$PATH

# Each block gets a file that names its host: NUMBER.server or NUMBER.other.
awk -v folder="$TEST_FOLDER" '/^```sh/ { inside = 1; n++; file = sprintf("%s/%02d.%s", folder, n, last ~ /on the server/ ? "server" : \
		last ~ /on another host/ ? "other" : "unmarked"); next }
	/^```/ && !inside { print "another kind of block in line " NR ": " $0 >(folder "/odd"); inside = 1; file = folder "/odd"; next }
	/^```/ { inside = 0; close(file); next }
	inside { print >file; next }
	/^    / { print "indented block in line " NR ": " $0 >(folder "/odd") }
	{ last = $0 }' "$SOURCE_DIR/docs/server.md"
[ ! -e odd ] || fail "$(cat odd)"

start
seq 3000 4000 | factor >other-home/documents/a.txt
sed 100d other-home/documents/a.txt >other-home/documents/b.txt
settle other-home
(umask 077 && : >other-home/.my.cnf)
# run_block NUMBER.HOST: run the block on this host; the page cannot name the port that the test
# uses
run_block() {
	[ "$1" != "$first_elsewhere" ] || printf '[client]\nport=%s\n' "$port" >"$TEST_FOLDER/other-home/.my.cnf"
	cd "$TEST_FOLDER/${1##*.}-home"
	# As in one shell: if a block changes the umask, the change applies to the following blocks.
	umask "$(cat "$TEST_FOLDER/umask.${1##*.}" 2>/dev/null || echo 022)"
	printf '\numask >%s\n' "$TEST_FOLDER/umask.${1##*.}" >>"$TEST_FOLDER/block"
	HOME=$PWD bash -eu -o pipefail "$TEST_FOLDER/block" >"$TEST_FOLDER/out" 2>"$TEST_FOLDER/err" </dev/null
}
# Without TLS, with the name of another host, or to a server of another authority, there is no
# connection.
refuse_others() {
	local url=mysql://$address/simhash
	sed '/ssl-/d' other-home/.my.cnf >plain.cnf
	printf '[simfind]\nskip-ssl\n' >>plain.cnf
	chmod 600 plain.cnf
	runs 1 "$SIMFIND" -d "$url?defaults-file=plain.cnf"
	said "Access denied for user 'simhash_reader'@'127.0.0.1' (using password: YES)"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem 2>openssl.log
	sed 's|^ssl-ca.*|ssl-ca = other.pem|' other-home/.my.cnf >other.cnf
	runs 1 "$SIMFIND" -d "$url?defaults-file=other.cnf"
	said "TLS/SSL error"
}
first_elsewhere=$(find . -maxdepth 1 -name '*.other' | LC_ALL=C sort | sed -n '1s|./||p')
ran=0
for block in [0-9]*.*; do
	sed "s|/etc/mysql|$root/etc/mysql|g; s|db\.example\.org|$address|g; s|0\.0\.0\.0|$address|" "$block" >block
	(
		ended=0
		run_block "$block" || ended=$?
		echo $ended >"$TEST_FOLDER/status.new"
		mv "$TEST_FOLDER/status.new" "$TEST_FOLDER/status"
	) &
	runner=$!
	end=$((SECONDS + 120))
	until [ -e status ]; do
		[ $SECONDS -lt $end ] || fail "does not end: $(cat block)"
		if [ -e restart ]; then
			end_server "$server"
			start
			rm restart
		fi
		sleep 0.02
	done
	wait "$runner" || true
	[ "$(cat status)" = 0 ] || fail "$(cat block): $(cat err)"
	rm status
	cat out err >"output.${block%%.*}"
	ran=$((ran + 1))
	# Results that the page promises.
	case $(cat block) in
	*have_ssl*)
		grep -q 'have_ssl.*YES' out || fail "no TLS: $(cat out "$place/server.log")"
		# The server runs as mysql, which must be able to read its configuration.
		same "modes" "644 644 644 400 600" "$(cd "$root/etc/mysql" && stat -c %a mariadb.conf.d/60-simhash.cnf tls/ca.pem tls/server.pem tls/server.key \
			"$TEST_FOLDER/server-home/ca.key" | paste -sd ' ')"
		;;
	*password-file*)
		same "mode of the passwords" 600 "$(stat -c %a server-home/passwords.cnf)"
		same "users who need TLS" 3 "$(at_server "$place" -e "SELECT COUNT(*) FROM mysql.user WHERE user LIKE 'simhash%' AND ssl_type = 'ANY'")"
		;;
	*'simfind -d'*)
		grep -q 'a.txt .*b.txt' out || fail "nothing is found: $(cat out err)"
		refuse_others
		;;
	*similar_pair*) same "pairs by SQL" 2 "$(wc -l <out)" ;;
	*copy-to*) same "copies" 2 "$(grep -c 'verified: 2 rows are equal' err)" ;;
	esac
done
[ $ran -gt 10 ] || fail "only $ran blocks"
same "databases" 0 "$(at_server "$place" -e "SHOW DATABASES LIKE 'simhash'" | wc -l)"
same "calls" "apt install mariadb-server openssl;chown mysql $root/etc/mysql/tls/server.key;systemctl restart mariadb;chown $USER passwords.cnf;scp ca.pem passwords.cnf ada@laptop:;systemctl restart mariadb" \
	"$(paste -sd ';' calls)"
