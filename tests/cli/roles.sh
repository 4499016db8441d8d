#!/usr/bin/env bash
# Tests simhash --init-database: it prints the privileges that each role needs, and no others. Also
# tests servers that are too old, read-only, log statements, or accept only small packets.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/mariadb.sh
. "$SOURCE_DIR/scripts/mariadb.sh"

place=$TEST_FOLDER/server
make_server "$place"
start_server "$place" --skip-networking --server-id=1 --log-bin="$place/data/log"
trap 'end_server "$server"' EXIT
wait_for_server "$place"
# at USER: the end of a URL, with an option file for this user
at() {
	printf '[client]\nsocket=%s/s\nuser="%s"\n' "$place" "$1" >"$TEST_FOLDER/$1.cnf"
	echo "?defaults-file=$TEST_FOLDER/$1.cnf"
}
url=mysql://localhost/index-of-files
seq 1000 >"$files/a"
(seq 999; echo 1001) >"$files/b"
settle "$files"

# A missing database, an invalid name, and a database without tables.
runs 1 "$SIMHASH" -d "$url$(at "$server_user")" "$files"
said "Unknown database 'index-of-files' (error 1049); simhash --init-database creates it"
runs 1 "$SIMHASH" -d "mysql://localhost/a%60b$(at "$server_user")" --init-database
said "database 'a\`b': expected 1 to 64 letters"
same "databases" "" "$(at_server "$place" -e "SHOW DATABASES LIKE 'a%'")"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
cp out grants.sql
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
cmp out grants.sql || fail "a second time is not the same"
# A view with a missing definer, a view with another query, and a missing view are created again. A
# table in place of a view is reported.
at_server "$place" index-of-files -e "CREATE OR REPLACE DEFINER = gone@nowhere VIEW file_text AS SELECT id AS path FROM host;
	CREATE OR REPLACE VIEW run_text AS SELECT 1 AS id; DROP VIEW duplicate"
! at_server "$place" index-of-files -e "SELECT COUNT(*) FROM file_text" 2>/dev/null || fail "the definer exists"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
cmp out grants.sql || fail "with views made again it is not the same"
for view in file_text duplicate; do
	same "rows of $view" 0 "$(at_server "$place" index-of-files -e "SELECT COUNT(content_hash) FROM $view")"
done
same "rows of run_text" 0 "$(at_server "$place" index-of-files -e "SELECT COUNT(*) FROM run_text")"
at_server "$place" index-of-files -e "DROP VIEW duplicate; CREATE TABLE duplicate (tag_set INT)"
runs 1 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
said "duplicate"
at_server "$place" index-of-files -e "DROP TABLE duplicate"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
at_server "$place" -e "CREATE DATABASE bare"
grep -q '^GRANT SELECT ON `index-of-files`.file_text TO .index-of-files_sql.@' grants.sql || fail "no grant for a view"

# The printed statements create the users when they are piped to the client, also if anonymous users
# would come before them. Their passwords are only in the option file, which works for both
# programs.
at_server "$place" -e "CREATE USER ''@localhost, ''@'o\\\\d''d'"
for option in --password-file=passwords --require-tls=never; do
	runs 1 "$SIMHASH" -d sqlite:new.db --init-database "$option"
	said "${option%%=*} is for an index on a server; a file of SQLite has no users"
done
[ ! -e passwords ] && [ ! -e new.db ] || fail "made in spite of the error"
runs 1 "$SIMHASH" -d "$url$(at nobody)" --init-database --password-file=passwords
[ ! -e passwords ] || fail "a password file is left"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
grep -q "^--     ALTER USER 'index-of-files_sql'@'localhost' IDENTIFIED BY '...';" out || fail "passwords by hand: $(head -20 out)"
at_server "$place" <out
runs 1 "$SIMFIND" -d "$url$(at index-of-files_reader)"
said "Access denied"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database --password-file=passwords
same "mode" 600 "$(stat -c %a passwords)"
grep -o '^password = .*' passwords | cut -d' ' -f3 >secrets
same "passwords" 3 "$(grep -cE '^[0-9a-f]{40}$' secrets)"
grep -qFf secrets out && fail "a password was printed"
at_server "$place" <out
cp passwords before
runs 1 "$SIMHASH" -d "$url$(at "$server_user")" --init-database --password-file=passwords
said "--password-file: passwords already exists and is not overwritten; name a new file"
cmp passwords before || fail "overwritten"
printf '[client]\nsocket=%s/s\n!include %s\n' "$place" "$PWD/passwords" >both.cnf
runs 0 "$SIMHASH" -d "$url?defaults-file=both.cnf" "$files"
summary 2 0 0 0
runs 0 "$SIMFIND" -d "$url?defaults-file=both.cnf" --store
same "user of SQL" "index-of-files_sql@localhost 2" "$(mariadb --defaults-file=both.cnf --defaults-group-suffix=_sql -BN index-of-files \
	-e 'SELECT CURRENT_USER(), COUNT(*) FROM file_text' | tr '\t' ' ')"
# A second run does not change passwords, and TLS is required if requested.
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
at_server "$place" <out
runs 0 "$SIMFIND" -d "$url?defaults-file=both.cnf"
for choice in "always 1" "never 0"; do
	runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database --require-tls="${choice% *}"
	at_server "$place" <out
	runs "${choice#* }" "$SIMFIND" -d "$url?defaults-file=both.cnf"
done
# Users of any host alone are not enough.
at_server "$place" -e "DROP USER 'index-of-files_reader'@localhost"
runs 1 "$SIMFIND" -d "$url?defaults-file=both.cnf"
said "(error 1045): the server's anonymous user ''@'localhost' has priority over a user of any host; simhash --init-database"
at_server "$place" -e "DROP USER ''@localhost, ''@'o\\\\d''d', 'index-of-files_writer'@localhost, 'index-of-files_sql'@localhost;
	DROP USER 'index-of-files_writer'@'o\\\\d''d', 'index-of-files_reader'@'o\\\\d''d', 'index-of-files_sql'@'o\\\\d''d'"
at_server "$place" -e "DROP USER 'index-of-files_writer', 'index-of-files_reader', 'index-of-files_sql'; DROP DATABASE \`index-of-files\`"
runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
cmp out grants.sql || fail "without anonymous users: $(diff out grants.sql)"

# Each index has its own users: the passwords of another index do not change.
for name in one two; do
	runs 0 "$SIMHASH" -d "mysql://localhost/$name$(at "$server_user")" --init-database --password-file="$name.pw"
	at_server "$place" <out
	printf '[client]\nsocket=%s/s\n!include %s/%s.pw\n' "$place" "$PWD" "$name" >"$name.cnf"
done
runs 0 "$SIMHASH" -d "mysql://localhost/one?defaults-file=one.cnf" "$files"
runs 0 "$SIMHASH" -d "mysql://localhost/two?defaults-file=two.cnf" --status
runs 0 "$SIMFIND" -d "mysql://localhost/one?defaults-file=one.cnf"
runs 1 "$SIMFIND" -d "mysql://localhost/one?defaults-file=two.cnf"
said "denied"
# Each URL of a copy has its own option file, and so has the URL in the environment.
runs 0 "$SIMHASH" -d "mysql://localhost/one?defaults-file=one.cnf" --copy-to="mysql://localhost/two?defaults-file=$PWD/two.cnf"
SIMHASH_DATABASE="mysql://localhost/two?defaults-file=two.cnf" runs 0 "$SIMFIND" --summary=none --format=csv
same "pairs of the copy" "$("$SIMFIND" --summary=none --format=csv -d "mysql://localhost/one?defaults-file=one.cnf")" "$(cat out)"
runs 1 "$SIMHASH" -d "mysql://localhost/one?defaults-file=one.cnf" --copy-to="mysql://localhost/one?defaults-file=./one.cnf"
said "they are the same index"
# Names that are long, that differ only at their ends, or that are unusual; a database with such a
# name already exists.
long=$(printf 'x%.0s' {1..60})
for name in "${long}a" "${long}b" "it's \"odd\" \\"; do
	at_server "$place" -e "CREATE DATABASE \`$name\`"
	rm -f odd.pw
	encoded=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1]))' "$name")
	runs 0 "$SIMHASH" -d "mysql://localhost/$encoded$(at "$server_user")" --init-database --password-file=odd.pw
	at_server "$place" <out
	printf '[client]\nsocket=%s/s\n!include %s/odd.pw\n' "$place" "$PWD" >odd.cnf
	runs 0 "$SIMHASH" -d "mysql://localhost/$encoded?defaults-file=odd.cnf" "$files"
	runs 0 "$SIMFIND" -d "mysql://localhost/$encoded?defaults-file=odd.cnf"
done
same "users of long names" 6 "$(at_server "$place" -e "SELECT COUNT(DISTINCT user) FROM mysql.user WHERE user LIKE 'xxxxxxxxxxxxxxxx-%' AND LENGTH(user) <= 32")"
# An index of an older version keeps its users, but not users that it shares with another index.
at_server "$place" -e "CREATE DATABASE old; CREATE USER simhash_writer, simhash_reader, simhash_sql"
runs 0 "$SIMHASH" -d "mysql://localhost/old$(at "$server_user")" --init-database
sed "s/'old_/'simhash_/" out >shared.sql
at_server "$place" <shared.sql
runs 0 "$SIMHASH" -d "mysql://localhost/old$(at "$server_user")" --init-database --password-file=old.pw
grep -q "^user = \"simhash_writer\"" old.pw || fail "older users: $(cat out)"
sed 's/`old`/`one`/' shared.sql | at_server "$place"
runs 0 "$SIMHASH" -d "mysql://localhost/old$(at "$server_user")" --init-database --password-file=new.pw
grep -q "^user = \"old_writer\"" new.pw || fail "shared users: $(cat out)"
at_server "$place" -e "CREATE DATABASE simhash"
runs 1 "$SIMHASH" -d "mysql://localhost/simhash$(at "$server_user")" --init-database --password-file=third.pw
said "cannot make a new password for user 'simhash_writer': this user has privileges in another database"
[ ! -e third.pw ] || fail "a password file is left"

for role in writer reader sql; do
	at_server "$place" -e "CREATE USER 'index-of-files_$role'@'%'"
done
at_server "$place" <grants.sql
at_server "$place" -e "GRANT SELECT ON bare.* TO 'index-of-files_writer'@'%'"

# denied STATEMENT: the server denies it to the role $role
denied() {
	local status=0
	mariadb --defaults-file="$TEST_FOLDER/index-of-files_$role.cnf" --batch index-of-files -e "$1" 2>denied >/dev/null || status=$?
	[ $status != 0 ] && grep -q 'denied' denied || fail "$role may: $1"
}
allowed() {
	mariadb --defaults-file="$TEST_FOLDER/index-of-files_$role.cnf" --batch index-of-files -e "$1" >allowed ||
		fail "$role may not: $1"
}

role=writer
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
summary 2 0 0 0
rm "$files/b"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" --host=other "$files"
printf 'changed\n' >>"$files/a"
seq 500 >"$files/c"
settle "$files"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
summary 2 0 1 0
mkdir "$files/gone"
seq 300 >"$files/gone/d"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
rm -r "$files/gone"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" --forget "$files/c"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" --status
runs 1 "$SIMHASH" -d "mysql://localhost/bare$(at index-of-files_writer)" "$files"
said "denied"
said "(error 1142); simhash --init-database prints the privileges that are needed"
# Results are stored by a user with write access.
cp -p "$files/a" "$files/same"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
runs 0 "$SIMFIND" -d "$url$(at index-of-files_writer)" --store
said "stored in the index: 1 group of"
runs 0 "$SIMFIND" -d "$url$(at index-of-files_writer)" --store=0
rm "$files/same"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
summary 0 2 1 0
for statement in 'DROP TABLE file' 'DELETE FROM host' 'DELETE FROM tag_set' 'UPDATE tag SET pattern = 1' \
	'CREATE TABLE x (y INT)' 'UPDATE schema_version SET version = 9' 'DROP VIEW file_text' \
	'SELECT * FROM file_text' 'DELETE FROM scan_run' 'CREATE DATABASE y'; do
	denied "$statement"
done

role=reader
runs 0 "$SIMFIND" -d "$url$(at index-of-files_reader)"
runs 0 "$SIMFIND" -d "$url$(at index-of-files_reader)" --group --verify=all
runs 0 "$SIMFIND" -d "$url$(at index-of-files_reader)" --group
runs 0 "$SIMFIND" -d "$url$(at index-of-files_reader)" "$files/a"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_reader)" --status
runs 0 "$SIMHASH" -d "$url$(at index-of-files_reader)" --copy-to=sqlite:copy.db
seq 100 >"$files/new"
runs 1 "$SIMHASH" -d "$url$(at index-of-files_reader)" "$files"
said "command denied to user 'index-of-files_reader'@'localhost'"
runs 1 "$SIMHASH" -d "$url$(at index-of-files_reader)" --forget "$files/a"
said "command denied"
runs 1 "$SIMFIND" -d "$url$(at index-of-files_reader)" --store
said "command denied to user 'index-of-files_reader'@'localhost'"
said "for table "
said "(error 1142); simhash --init-database prints the privileges that are needed"
[ ! -s out ] || fail "listed before it was refused"
for statement in 'DELETE FROM file' 'UPDATE file SET size = 1' 'INSERT INTO host VALUES (9, "x")' \
	'SELECT * FROM similar_pair' 'CREATE TABLE x (y INT)'; do
	denied "$statement"
done

role=sql
at index-of-files_sql >/dev/null
for view in file_text similar_pair similar_file duplicate key_space extension_statistics run_text \
	similar_group grouped_file ungrouped_file found_pair part_of find_run_text; do
	allowed "SELECT * FROM $view LIMIT 3"
done
for statement in 'SELECT * FROM file' 'SELECT * FROM directory' 'SELECT * FROM near_pair' \
	'SELECT * FROM file_group' 'SELECT * FROM live_member' \
	'DELETE FROM file' 'SELECT * FROM host'; do
	denied "$statement"
done
for program in "$SIMHASH $files" "$SIMFIND"; do
	# shellcheck disable=SC2086  # a program and its argument
	runs 1 $program -d "$url?defaults-file=$TEST_FOLDER/index-of-files_sql.cnf"
	said "denied"
done

# A read-only server.
at_server "$place" -e 'SET GLOBAL read_only = 1'
runs 1 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
said "(error 1290); the server is read-only"
runs 0 "$SIMFIND" -d "$url$(at index-of-files_reader)"
at_server "$place" -e 'SET GLOBAL read_only = 0'
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"

# A server that logs statements, or chooses the format, stores all rows.
for logging in STATEMENT/REPEATABLE-READ STATEMENT/READ-COMMITTED MIXED/REPEATABLE-READ; do
	at_server "$place" -e "CREATE DATABASE logged; SET GLOBAL binlog_format = '${logging%/*}', tx_isolation = '${logging#*/}'"
	runs 0 "$SIMHASH" -d "mysql://localhost/logged$(at "$server_user")" --measure=simhash64 "$SOURCE_DIR/tests/cli"
	runs 0 "$SIMFIND" -d "mysql://localhost/logged$(at "$server_user")" --store
	same "$logging: files, sketches" "$(find "$SOURCE_DIR/tests/cli" -type f | wc -l) 1" "$(at_server "$place" logged -e \
		'SELECT (SELECT COUNT(*) FROM file), (SELECT COUNT(*) > 60 FROM sketch)' | tr '\t' ' ')"
	at_server "$place" -e "DROP DATABASE logged"
done
at_server "$place" -e "SET GLOBAL binlog_format = MIXED, tx_isolation = 'REPEATABLE-READ'"

# Packets: too small for anything, or too small for many rows or for a row with a long path.
at_server "$place" -e 'SET GLOBAL max_allowed_packet = 8192'
runs 1 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
said "the server's max_allowed_packet is 8192 bytes; expected at least 16384"
at_server "$place" -e 'SET GLOBAL max_allowed_packet = 16384'
long=$files
for _ in $(seq 12); do
	long=$long/$(printf 'd%.0s' $(seq 200))
done
mkdir -p "$long"
for i in $(seq 100); do
	seq "$i" $((i * 3)) >"$long/$i"
done
settle "$files"
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
same "rows with long paths" 100 "$(at_server "$place" index-of-files -e "SELECT COUNT(*) FROM file WHERE LENGTH(directory) > 2400")"
(
	cd "$files"
	for _ in $(seq 80); do
		name=$(printf 'e%.0s' $(seq 220))
		mkdir "$name"
		cd "$name"
	done
	seq 100 >deep
)
seq 100 2000 >"$files/shallow"
runs 1 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
said "is too long for the server's max_allowed_packet of 16384 bytes"
at_server "$place" -e 'SET GLOBAL max_allowed_packet = 1048576'
runs 0 "$SIMHASH" -d "$url$(at index-of-files_writer)" "$files"
same "the deep row" 1 "$(at_server "$place" index-of-files -e "SELECT COUNT(*) FROM file WHERE name = 'deep'")"
find "$files" -name 'e*' -maxdepth 1 -exec rm -r {} +

# MySQL 8.4 and 9 have no mysql_native_password. Their other plugin stores a hash of crypt(3), but
# with a longer salt.
cat >sha256_crypt.py <<'PYTHON'
import ctypes, re, sys
from hashlib import sha256
def digits(value, count):
    return "".join("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[value >> 6 * i & 63] for i in range(count))
def sha256_crypt(password, salt):
    def take(digest, size):
        return (digest * (size // 32 + 1))[:size]
    other = sha256(password + salt + password).digest()
    text = password + salt + take(other, len(password))
    for bit in reversed(bin(len(password))[2:]):
        text += other if bit == "1" else password
    digest = sha256(text).digest()
    p = take(sha256(password * len(password)).digest(), len(password))
    s = take(sha256(salt * (16 + digest[0])).digest(), len(salt))
    for i in range(5000):
        digest = sha256((p if i % 2 else digest) + (s if i % 3 else b"") + (p if i % 7 else b"") + (digest if i % 2 else p)).digest()
    order = "0 10 20 21 1 11 12 22 2 3 13 23 24 4 14 15 25 5 6 16 26 27 7 17 18 28 8 9 19 29".split()
    bytes_in_order = bytes(digest[int(i)] for i in order)
    groups = [int.from_bytes(bytes_in_order[i:i + 3], "big") for i in range(0, 30, 3)]
    return "".join(digits(group, 4) for group in groups) + digits(digest[31] << 8 | digest[30], 3)
crypt = ctypes.CDLL("libcrypt.so.1").crypt
crypt.restype = ctypes.c_char_p
for password, salt in (b"", b"0123456789abcdef"), (b"secret", b"./ABCDEFabcdef89"), (b"x" * 40, b"zyxwvutsrqponmlk"), (b"y" * 64, b"0000000000000000"):
    assert crypt(password, b"$5$rounds=5000$" + salt).decode().rsplit("$", 1)[1] == sha256_crypt(password, salt), password
passwords = dict(re.findall('user = "(.*)"\npassword = (.*)', open(sys.argv[1]).read()))
hashes = re.findall(r"'(\S+)'@'\S+' IDENTIFIED WITH caching_sha2_password AS '\$A\$005\$([./0-9A-Za-z]{20})([./0-9A-Za-z]{43})'", sys.stdin.read())
assert len(passwords) == 3 and len(hashes) >= 6 and len({salt for user, salt, text in hashes}) == 3, hashes
for user, salt, text in hashes:
    assert text == sha256_crypt(passwords[user].encode(), salt.encode()), user
PYTHON
for version in 8.4.3 9.1.0; do
	end_server "$server"
	start_server "$place" --skip-networking --version="$version"
	wait_for_server "$place"
	runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database
	grep -q native out && fail "$version: $(grep native out)"
	same "hashes of $version" 3 "$(grep -cE "^ *'index-of-files_.*'@'%' IDENTIFIED WITH caching_sha2_password AS '.A.005.[^']{63}'" out)"
	if ! built_with hashes; then
		runs 1 "$SIMHASH" -d "$url$(at "$server_user")" --init-database --password-file=sha2.pw
		said "which MySQL 8.4 and later lack; run without it"
		[ ! -e sha2.pw ] || fail "a password file is left"
	else
		runs 0 "$SIMHASH" -d "$url$(at "$server_user")" --init-database --password-file=sha2.pw
		python3 sha256_crypt.py sha2.pw <out || fail "hashes for $version: $(cat out)"
		rm sha2.pw
	fi
done

# Servers that are too old.
for version in 10.1.48-MariaDB 5.5.68-MariaDB 5.6.51 4.1.22; do
	end_server "$server"
	start_server "$place" --skip-networking --version="$version"
	wait_for_server "$place"
	runs 1 "$SIMHASH" -d "$url$(at "$server_user")" "$files"
	said "server version"
	said "is too old; expected MySQL 5.7.7 or later, or MariaDB 10.2.1 or later"
done
