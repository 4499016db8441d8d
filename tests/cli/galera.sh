#!/usr/bin/env bash
# Tests an index in a Galera cluster of three nodes. Writers at all nodes, whose transactions
# conflict, leave the same as one writer. A node without its cluster is an error or is waited for,
# and a node that comes back has all rows.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

provider=/usr/lib/galera/libgalera_smm.so
[ -e "$provider" ] || fail "no Galera: install galera-4"
place=$TEST_FOLDER/cluster
port=$((20000 + RANDOM % 10000))
PATH=$SOURCE_DIR/tests/cli:$PATH # wsrep_sst_copy
url=mysql://localhost/simhash
trap 'for i in 1 2 3; do [ ! -e "$place/n$i/number" ] || end_server "$(cat "$place/n$i/number")" KILL; done' EXIT

# start NODE ADDRESS [OPTION]...: start it in the cluster of the node with this address, or in a new
# one. Nodes find each other fast, and a machine that is busy for half a minute does not count as a
# lost node.
start() {
	local i=$1 peer=$2 options
	shift 2
	options="base_host=127.0.0.$i;base_port=$((port + 1));gmcast.listen_addr=tcp://127.0.0.$i:$((port + 1));ist.recv_addr=127.0.0.$i:$((port + 2))"
	options+=";gcache.size=16M;pc.announce_timeout=PT0.5S;evs.keepalive_period=PT0.1S;evs.inactive_check_period=PT0.1S;evs.join_retrans_period=PT0.1S"
	options+=";evs.suspect_timeout=PT30S;evs.inactive_timeout=PT60S"
	mkdir -p "$place/n$i/data"
	start_server "$place/n$i" --bind-address="127.0.0.$i" --port="$port" --wsrep-on=ON --wsrep-provider="$provider" --wsrep-cluster-name=simhash \
		--wsrep-cluster-address="gcomm://${peer:+$peer:$((port + 1))}" --wsrep-node-address="127.0.0.$i:$((port + 1))" --wsrep-sst-method=copy \
		--wsrep-sst-receive-address="127.0.0.$i:$((port + 3))" --wsrep-provider-options="$options" --binlog-format=ROW --innodb-autoinc-lock-mode=2 "$@"
	echo "$server" >"$place/n$i/number"
	wait_for_server "$place/n$i"
	wait_until is_ready "$i"
	printf '[client]\nsocket=%s/n%s/s\nuser=%s\n' "$place" "$i" "$server_user" >"$i.cnf"
	printf '!include %s\n[simfind]\ninit-command = SET wsrep_sync_wait = 1\n' "$PWD/$i.cnf" >"$i.synced.cnf"
}
is_ready() { [ "$(status "$1" wsrep_ready)" = ON ]; }
status() { at_server "$place/n$1" -e "SHOW STATUS LIKE '$2'" | cut -f2; }
index() { "$SIMHASH" -d "$url?defaults-file=$1.cnf" "${@:2}"; }
# A search at one node waits until it has the rows written at another node.
find_in() { "$SIMFIND" -d "$url?defaults-file=$1.synced.cnf" --summary=none "${@:2}"; }
# A search at every node finds the same as in an index in a file.
compare() {
	local i
	"$SIMFIND" --summary=none --format=csv --group=none >expected
	for i in 1 2 3; do
		find_in "$i" --format=csv --group=none >found
		cmp expected found || fail "$1: node $i: $(diff expected found | head -4)"
	done
}

make_server "$place/n1"
start 1 "" --wsrep-new-cluster
start 2 127.0.0.1
start 3 127.0.0.2
same "nodes" 3 "$(status 1 wsrep_cluster_size)"
make_tree --flat --files=400 --sizes=1000-9000 "$files"
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 0 index 1 --init-database
[ -z "$(at_server "$place/n1" -e "SELECT table_name FROM information_schema.tables t WHERE table_schema = 'simhash' AND table_type = 'BASE TABLE'
	AND NOT EXISTS (SELECT * FROM information_schema.statistics s WHERE s.table_schema = 'simhash' AND s.table_name = t.table_name
		AND index_name = 'PRIMARY')")" ] || fail "a table has no primary key"

# Write the same rows from three nodes at once, until transactions of other nodes have undone some.
conflicts() {
	local i sum=0
	for i in 1 2 3; do sum=$((sum + $(status "$i" wsrep_local_cert_failures) + $(status "$i" wsrep_local_bf_aborts))); done
	echo $sum
}
for _ in $(seq 100); do
	for i in 1 2 3; do index "$i" -q --force "$files" 2>"err$i" & writers[i]=$!; done
	for i in 1 2 3; do wait "${writers[i]}" || fail "node $i: $(cat "err$i")"; done
	[ "$(conflicts)" -lt 3 ] || break
done
[ "$(conflicts)" -ge 3 ] || fail "no conflicts"
compare "after conflicts"
runs 0 find_in 2 --store
runs 0 index 3 --forget "$files"
same "rows after --forget" 0 "$(at_server "$place/n1" simhash -e 'SET wsrep_sync_wait = 1; SELECT COUNT(*) FROM file')"
runs 0 index 3 -q "$files"

# Two of three nodes are stopped, so the last one has no cluster. It answers nothing, and the run
# waits for it.
(while [ ! -e enough ]; do index 1 -q --force --wait-server=300 "$files" || exit; done) 2>waited &
waiting=$!
at_server "$place/n1" -e "SET GLOBAL wsrep_provider_options = 'evs.suspect_timeout=PT0.5S;evs.inactive_timeout=PT1S'"
for i in 2 3; do end_server "$(cat "$place/n$i/number")" KILL; done
is_alone() { [ "$(status 1 wsrep_cluster_status)" = non-Primary ]; }
wait_until is_alone
wait_until grep -q 'trying again for' waited
runs 1 "$SIMFIND" -d "$url?defaults-file=1.cnf"
said "cannot use index $url: WSREP has not yet prepared node for application use (error 1047); this node is not in its cluster now, and others may be"
[ ! -s out ] || fail "listed without its cluster"
runs 1 index 1 "$files"
said "(error 1047)"
at_server "$place/n1" -e "SET GLOBAL wsrep_provider_options = 'evs.inactive_timeout=PT60S;evs.suspect_timeout=PT30S';
	SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'"
touch enough
wait "$waiting" || fail "waited for: $(cat waited)"

# The others come back and get the rows written without them.
seq 4000 >"$files/new"
settle "$files"
runs 0 "$SIMHASH" -q "$files"
runs 0 index 1 "$files"
summary 1 400 0 0
start 2 127.0.0.1
start 3 127.0.0.1
compare "when the nodes are back"
