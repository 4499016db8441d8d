# Runs private MariaDB servers, each in a folder, for tests and trials. Source it in bash.
#
#     make_server FOLDER                  create a data folder; does not start the server
#     start_server FOLDER [OPTION]...     start it on the socket FOLDER/s; sets server to its number
#     wait_for_server FOLDER              wait until it answers
#     end_server NUMBER [SIGNAL]          end it, and wait until it has ended
# shellcheck shell=bash

server_user=$(id -un)
mariadbd=$(PATH="$PATH:/usr/sbin" command -v mariadbd)
# A server ends with its parent, even if the parent is killed.
server_tie=(setpriv --pdeathsig KILL)
command -v setpriv >/dev/null || server_tie=()

make_server() {
	mkdir -p "$1"
	# When a server starts, it removes files that look like its own from its folder of temporary
	# files.
	TMPDIR=$1 mariadb-install-db --no-defaults --auth-root-authentication-method=socket \
		--auth-root-socket-user="$server_user" --skip-test-db --skip-name-resolve \
		--innodb-log-file-size=8M --user="$server_user" --datadir="$1/data" >"$1/install.log" 2>&1 ||
		{ cat "$1/install.log" >&2; exit 1; }
}

start_server() {
	local folder=$1
	shift
	"${server_tie[@]}" "$mariadbd" --no-defaults --user="$server_user" --datadir="$folder/data" \
		--tmpdir="$folder" --socket="$folder/s" --pid-file="$folder/pid" \
		--log-error="$folder/server.log" --skip-name-resolve --skip-log-bin \
		--performance-schema=OFF --innodb-buffer-pool-size=64M --innodb-log-file-size=8M \
		--innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF --table-open-cache=400 \
		--open-files-limit=1024 "$@" 2>>"$folder/start.log" &
	server=$!
}

# Run the administrator's client.
at_server() {
	local folder=$1
	shift
	mariadb --no-defaults --socket="$folder/s" -u "$server_user" --batch --skip-column-names "$@"
}

wait_for_server() {
	local _
	for _ in $(seq 300); do
		at_server "$1" -e 'SELECT 1' >/dev/null 2>"$1/client.log" && return
		kill -0 "$server" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 20 "$1/server.log" "$1/client.log" >&2
	return 1
}

end_server() {
	kill "-${2:-TERM}" "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# certificates FOLDER: make ca.pem, and .pem and .key for server and client, signed by it
certificates() {
	local name
	(
		cd "$1" || exit
		openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem
		for name in server client; do
			openssl req -newkey rsa:2048 -nodes -subj "/CN=$([ $name = server ] && echo 127.0.0.1 || echo client)" \
				-keyout $name.key -out $name.csr
			openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem
		done
	) 2>"$1/openssl.log"
}
