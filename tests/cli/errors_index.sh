#!/usr/bin/env bash
# Tests URLs of indexes, missing or empty indexes, and databases that are not an index.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"

# URLs. A password is refused and not repeated in the message.
for url in index.db http://x/y sqlite: mysql://host mysql://u@h/ mysql://h:0/d mysql://h:99999/d \
	mysql://h:x/d 'mysql://u%4@h/d' 'mysql://[::1/d'; do
	runs 1 "$SIMHASH" -d "$url" "$files"
	said "database URL"
	said "expected"
done
runs 1 "$SIMHASH" -d mysql://user:hunter2@host/database "$files"
said "expected no password"
grep -q hunter2 err && fail "the password was printed"
SIMHASH_DATABASE=postgres://user:hunter2@host/db runs 1 "$SIMFIND"
grep -q hunter2 err && fail "the password was printed"

# There is no index yet.
runs 1 "$SIMFIND"
case $TEST_ENGINE in
sqlite) said "there is no index $TEST_URL yet: run simhash first" ;;
mysql) said "$TEST_URL has no index yet: run simhash on it first" ;;
esac
runs 1 "$SIMFIND" "$files/a"

# A search in an empty index finds nothing.
mkdir empty
runs 0 "$SIMHASH" empty
summary 0 0 0 0
runs 0 "$SIMFIND"
said "0 pairs (0 identical, 0 similar) among 0 files"
runs 0 "$SIMFIND" --format=json
same "no pairs in JSON" "[]" "$(tr -d '\n' <out)"
runs 0 "$SIMFIND" --format=csv
same "no pairs in CSV" \
	"match,distance,count_difference,confirmation,contained_a,contained_b,resemblance,size_a,size_b,path_a,path_b,verified" \
	"$(tr -d '\r' <out)"

# A database that is not an index.
reset
sql "CREATE TABLE precious (x INTEGER)"
runs 1 "$SIMHASH" "$files"
said "$TEST_URL is a database, but not an index of simhash"
runs 1 "$SIMFIND"
said "$TEST_URL is a database, but not an index of simhash"
sql "SELECT * FROM precious" >/dev/null || fail "the table was removed"

if [ "$TEST_ENGINE" = sqlite ]; then
	for index in "$files" /no/such/folder/index.db /proc/index.db; do
		runs 1 "$SIMHASH" -d "sqlite:$index" "$files"
		said "index sqlite:$index: "
	done
	seq 1000 >text.db
	runs 1 "$SIMHASH" -d sqlite:text.db "$files"
	said "cannot open index sqlite:text.db: not an SQLite database"
	cmp text.db <(seq 1000) || fail "the file was changed"
	# Names with a meaning in SQLite are ordinary names here, and anything but a file is
	# refused.
	mkdir odd
	for name in :memory: file:x.db?mode=ro; do
		(cd odd && "$SIMHASH" -q -d "sqlite:$name" "$files" && "$SIMFIND" --summary=none -d "sqlite:$name" >/dev/null) ||
			fail "the index cannot be called $name"
		[ -s "odd/$name" ] || fail "no index called $name"
	done
	mkfifo fifo
	for program in "$SIMHASH" "$SIMFIND"; do
		runs 1 "$program" -d sqlite:fifo "$files/a"
		said "cannot open index sqlite:fifo: not a regular file"
	done
	# For a link to a missing file, the target is created, also through another link; but not in
	# a missing folder.
	mkdir far
	ln -s ../far/target.db odd/second
	ln -s odd/second first
	runs 1 "$SIMFIND" -d sqlite:first
	said "there is no index sqlite:first yet (the target of this symbolic link does not exist): run simhash first"
	runs 0 "$SIMHASH" -d sqlite:first "$files"
	same "the target and its mode" 600 "$(stat -c %a far/target.db)"
	runs 0 "$SIMFIND" -d sqlite:far/target.db
	rm far/target.db
	runs 0 "$SIMHASH" -d sqlite:odd/second --init-database
	rm far/target.db
	runs 0 "$SIMHASH" -d sqlite:odd/second "$files"
	mv far/target.db source.db
	rm -f far/target.db*
	runs 0 "$SIMHASH" -d sqlite:source.db --copy-to=sqlite:first
	[ -s far/target.db ] || fail "no copy at the end of the links"
	rm -r far
	runs 1 "$SIMHASH" -d sqlite:first "$files"
	said "cannot create index sqlite:odd/../far/target.db: No such file or directory"
	ln -s circle circle
	runs 1 "$SIMHASH" -d sqlite:circle "$files"
	said "index sqlite:circle: Too many levels of symbolic links"
	# Text in UTF-16, without tables and with our tables.
	for encoding in UTF-16le UTF-16be; do
		rm -f wide.db
		sqlite3 wide.db "PRAGMA encoding = '$encoding'; CREATE TABLE x (y); DROP TABLE x"
		runs 1 "$SIMHASH" -d sqlite:wide.db "$files"
		said "cannot use index sqlite:wide.db: the text in this database is $encoding, and an index needs UTF-8"
		sqlite3 wide.db "CREATE TABLE schema_version (version INTEGER)"
		for program in "$SIMHASH" "$SIMFIND"; do
			runs 1 "$program" -d sqlite:wide.db "$files/a"
			said "cannot use index sqlite:wide.db: the text in this database is $encoding"
		done
	done
	# The index is neither indexed nor overwritten.
	mkdir own
	seq 1000 >own/a
	settle own
	runs 0 "$SIMHASH" -d sqlite:own/index.db own
	summary 1 0 0 0
	runs 0 "$SIMHASH" -d sqlite:own/index.db own
	summary 0 1 0 0
	ln -s own/index.db link
	runs 1 "$SIMFIND" -d sqlite:own/index.db -o link
	said "simfind: cannot write to link: it is the index itself"
	runs 0 "$SIMFIND" -d sqlite:own/index.db
	# A database of another program is not changed.
	sqlite3 other.db 'CREATE TABLE x (y)'
	runs 1 "$SIMHASH" -d sqlite:other.db own
	same "journal of a foreign database" delete "$(sqlite3 other.db 'PRAGMA journal_mode')"
	# Several programs create one index at the same time.
	for round in 1 2 3 4 5; do
		for _ in 1 2 3; do
			"$SIMHASH" -q -d "sqlite:race$round.db" own || touch race.failed &
		done
		wait
		[ ! -e race.failed ] || fail "one of several could not open a new index"
	done
	# The default index is created where the desktop stores data, readable only by the user.
	unset SIMHASH_DATABASE
	runs 0 "$SIMHASH" "$files"
	same "default index" 600 "$(stat -c %a "$HOME/.local/share/simhash/simhash.db")"
	XDG_DATA_HOME=$PWD/data runs 0 "$SIMHASH" "$files"
	[ -f data/simhash/simhash.db ] || fail "XDG_DATA_HOME is not heeded"
	# A file created in a home directory belongs to the owner of the home, even if root creates
	# it; elsewhere it does not.
	owner=$(id -u):$(id -g)
	[ "$(id -u)" != 0 ] || owner=65534:65533
	mkdir home open
	chown "$owner" home open
	chmod 777 open
	ln -s elsewhere.db home/link.db
	chown -h "$owner" home/link.db
	HOME=$PWD/home/ runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMHASH" -d sqlite:home/link.db "$files"
	runs 0 "$SIMHASH" -d sqlite:open/index.db "$files"
	same "owners in a home" "$owner" "$(find home -printf '%U:%G\n' | sort -u)"
	same "modes in a home" "600 700" "$(find home/.local -printf '%m\n' | sort -u | paste -sd ' ')"
	same "owner where all may write" "$(id -u)" "$(stat -c %u open/index.db)"
	# While it is open, its log has the same owner.
	sqlite3 home/.local/share/simhash/simhash.db "BEGIN IMMEDIATE; CREATE TABLE x(y); COMMIT" ".shell stat -c %u:%g home/.local/share/simhash/simhash.db-wal home/.local/share/simhash/simhash.db-shm" >logs
	same "owners of the logs" "$owner" "$(sort -u logs)"
	HOME='' runs 1 "$SIMHASH" "$files"
	said "no index is named; give --database or set SIMHASH_DATABASE or HOME"
	exit
fi

# A server: wrong password, unknown database, no server, and a server that ends.
reset
mariadb -e "CREATE USER visitor IDENTIFIED BY 'right'; GRANT ALL ON simhash.* TO visitor"
printf '[client]\nsocket=%s\n[simhash]\npassword=wrong\n' \
	"$(sed -n 's/^socket=//p' "$HOME/.my.cnf")" >"$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 1 "$SIMHASH" -d mysql://visitor@localhost/simhash "$files"
said "Access denied for user 'visitor'@'localhost'"
grep -q wrong err && fail "the password was printed"
sed -i 's/wrong/right/' "$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 0 "$SIMHASH" -d mysql://visitor@localhost/simhash "$files"
HOME=$TEST_FOLDER runs 0 "$SIMFIND" -d mysql://visitor@localhost/simhash
printf 'user=visitor\n' >>"$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 0 "$SIMFIND" -d mysql:///simhash
runs 1 "$SIMHASH" -d mysql://localhost/nowhere "$files"
said "Unknown database 'nowhere'"
said "simhash --init-database creates it"
runs 1 "$SIMHASH" -d mysql://127.0.0.1:1/simhash "$files"
said "cannot use index mysql://127.0.0.1:1/simhash: "
