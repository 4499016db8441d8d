#!/usr/bin/env bash
# Bad input: a clear line, the right exit status, and nothing lost.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"

# Options.
runs 1 "$SIMHASH"
said "simhash: no path given: expected simhash [OPTION]... PATH..."
runs 1 "$SIMHASH" --no-such-option "$files"
said "simhash: try 'simhash --help'"
runs 1 "$SIMHASH" -j 0 "$files"
said "threads '0': expected a number from 1 to 1024"
runs 1 "$SIMHASH" --host='a b' "$files"
said "host name 'a b': expected 1 to 255 letters, digits, '.', '-' or '_'"
runs 1 "$SIMFIND" -k middle
said "simfind: unknown key 'middle': expected uniform, scatter, skew, uniform_ext, scatter_ext or skew_ext"
for tolerance in -1 100.5 1,5 1.0000001 x ''; do
	runs 1 "$SIMFIND" -T "$tolerance"
	said "tolerance '$tolerance': expected a number from 0 to 100 with at most six decimal places"
done
runs 1 "$SIMFIND" --size-ratio=0.5
said "size ratio '0.5': expected a number from 1 to 1000000 with at most six decimal places"
# wrong OPTION... MESSAGE: simfind says what was expected.
wrong() {
	local message=${*: -1}
	runs 1 "$SIMFIND" "${@:1:$#-1}"
	said "simfind: $message"
}
wrong --candidates=all "unknown candidates 'all': expected exact or key"
for part in 0/3 4/3 1 x 1/ /3 1/0 1/3x -1/3; do
	wrong --partition="$part" "partition '$part': expected I/N, such as 2/8"
done
wrong --group=ward "unknown grouping 'ward': expected representative or single"
wrong --confirm=some "unknown way to confirm 'some': expected all or doubtful"
wrong --min-resemblance=1.01 "resemblance '1.01': expected a number from 0 to 1"
wrong --max-change=-1 "change '-1': expected a number from 0 to 1000"
wrong --nearest=0 "nearest '0': expected a number from 1"
wrong --nearest=3 "--nearest needs FILEs"
wrong --threads=0 "threads '0': expected a number from 1"
wrong --tolerance-for=ps "tolerance 'ps': expected EXTENSION=PERCENT"
wrong --tolerance-for=ps=101 "tolerance '101': expected a number from 0 to 100"
wrong --tolerances=/no/such/file "cannot read /no/such/file: No such file or directory"
printf 'ps=1\nhalf a line\n' >tolerances
wrong --tolerances=tolerances "tolerances:2: tolerance 'half a line': expected EXTENSION=PERCENT"
wrong --sweep=1:2 "sweep '1:2': expected FROM:TO:FACTOR"
wrong --sweep=0:6:1.2 "sweep '0:6:1.2': expected a FROM above 0"
wrong --sweep=1:6:1 "sweep '1:6:1': expected a FROM above 0"
wrong --sweep=0.000001:100:1.000001 "the sweep has more than 1000 tolerances"
wrong --stats --group "--stats and --sweep count all pairs of the index by one tolerance"
wrong --group --expand "--group lists copies once"
wrong --group --partition=1/2 "--group needs all pairs"
wrong --between /a "option --between: expected two directories or hosts"
wrong --between web1:relative /b "side 'web1:relative': expected an absolute directory"
wrong --between no-such-directory /b "cannot find directory no-such-directory"
wrong --between /a /b file "--between is for all pairs, not for FILEs"
wrong --files0-from=/no/such/file "cannot read /no/such/file: No such file or directory"
wrong - - "standard input can be asked for once only"
wrong --between "$0" /b "$0 is not a directory"
: >asked
wrong -o asked asked "cannot write to asked: it is a file asked for"
wrong --files0-from=- - "standard input cannot be a FILE and a list of them"
printf 'a\0\0b\0' >list0
wrong --files0-from=list0 "list0: an empty file name"
runs 1 "$SIMFIND" --format=xml
said "unknown format 'xml': expected text, csv, json, jsonl, null or html"
# Options that would not be heeded together.
wrong --stats --format=csv "--format is for pairs and groups, not for --stats and --sweep"
wrong --sweep --max-change=5 "--max-change is for pairs and groups"
wrong --stats --expand "--stats and --sweep count every pair; leave out --expand"
wrong --stats --fail-on-match "--fail-on-match is for pairs and groups"
wrong --min-resemblance=0.5 "--min-resemblance needs --confirm, which measures it"
wrong --stdin-name=a.txt "--stdin-name needs the FILE -"
wrong -z "--decompress is for FILEs; simhash --decompress puts content into the index"
wrong --max-inflated=5M x "--max-inflated needs --decompress"
wrong --progress=sometimes "unknown progress 'sometimes': expected auto, always or never"
wrong --format=html --partition=1/2 "a report needs all pairs"
wrong --format=html --expand "a report lists copies once"
wrong --script=x -o x "--script and --output name the same file"
# The same of simhash.
hash_wrong() {
	local message=${*: -1}
	runs 1 "$SIMHASH" "${@:1:$#-1}"
	said "simhash: $message"
}
for size in x -1 1X 5MBx '' 99999999999999999999 9999999P; do
	hash_wrong --min-size="$size" "$files" "size '$size': expected a number of bytes, or one with a unit"
done
hash_wrong --min-size=2k --max-size=1k "$files" "--min-size is above --max-size"
hash_wrong --ext= "$files" "extensions '': expected names such as txt,md"
hash_wrong --ext=a,,b "$files" "extensions 'a,,b': expected names"
hash_wrong --exclude-from=/no/such/file "$files" "cannot read patterns from /no/such/file: No such file"
hash_wrong --files0-from=/no/such/file "cannot read /no/such/file: No such file or directory"
hash_wrong --status "$files" "--status is of the whole index: no PATH"
hash_wrong --status --forget "--status, --forget, --print, --init-database and --copy-to: expected one of them"
hash_wrong --forget "--forget: expected at least one PATH"
hash_wrong --print "--print: expected at least one FILE"
hash_wrong --print --files0-from=x "--files0-from is for indexing, and for nothing else"
hash_wrong --status --host=x "--status was given with an option that it would not heed"
hash_wrong --forget --exclude='*.c' "$files" "--forget was given with an option that it would not heed"
hash_wrong --print -f "$files/a" "--print was given with an option that it would not heed"
hash_wrong --print - - "standard input can be printed once only"
hash_wrong --max-inflated=5M "$files" "--max-inflated needs --decompress"
hash_wrong --files0-from=- --exclude-from=- "standard input cannot be both a list of files and of patterns"
hash_wrong --exclude-from=- --exclude-from=- "$files" "standard input can be read for patterns once only"
hash_wrong --progress=no "$files" "unknown progress 'no': expected auto, always or never"

# Help and version go to standard output, within 80 columns.
for program in "$SIMHASH" "$SIMFIND"; do
	runs 0 "$program" --help
	grep -q '^Usage: ' out || fail "no usage"
	same "columns over 80" 0 "$(awk 'length > 80' out | wc -l)"
	runs 0 "$program" --version
	grep -Eq '^sim(hash|find) [0-9]+\.[0-9]+\.[0-9]+$' out || fail "no version"
	grep -q '^scan kernel: [a-z0-9]' out || fail "no kernel"
	grep -q "^indexes: .*$TEST_ENGINE" out || fail "no $TEST_ENGINE in --version"
	runs 1 sh -c '"$0" --help >/dev/full' "$program"
done

# The scan kernel can be forced, and shows; what the machine has not is told.
runs 0 env SIMHASH_KERNEL=portable "$SIMHASH" --version
grep -q '^scan kernel: portable$' out || fail "kernel not forced"
for program in "$SIMHASH" "$SIMFIND"; do
	runs 1 env SIMHASH_KERNEL=abacus "$program" -d "$TEST_URL" .
	said "scan kernel 'abacus': expected one that this machine has: "
	said portable
done

# URLs. A password is refused and not repeated.
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

# Nothing there yet.
runs 1 "$SIMFIND"
case $TEST_ENGINE in
sqlite) said "there is no index $TEST_URL yet: run simhash first" ;;
mysql) said "$TEST_URL has no index yet: run simhash on it first" ;;
esac
runs 1 "$SIMFIND" "$files/a"

# An index of nothing finds nothing.
mkdir empty
runs 0 "$SIMHASH" empty
summary 0 0 0 0
runs 0 "$SIMFIND"
said "0 pairs (0 identical, 0 similar) among 0 files"
runs 0 "$SIMFIND" --format=json
same "no pairs in JSON" "[]" "$(tr -d '\n' <out)"
runs 0 "$SIMFIND" --format=csv
same "no pairs in CSV" \
	"match,distance,percent,changed,confirmation,contained_a,contained_b,resemblance,size_a,size_b,path_a,path_b" \
	"$(tr -d '\r' <out)"

# A list of no files asks for none.
: >none
runs 0 "$SIMFIND" --files0-from=none
said "0 pairs (0 identical, 0 similar) among 0 files within reach"

# Files asked for that cannot be read; the others are answered.
runs 0 "$SIMHASH" "$files"
cp "$files/a" b
runs 2 "$SIMFIND" "$files/missing" b "$files"
said "simfind: $files/missing: No such file or directory"
said "simfind: $files: Not a regular file"
same "answer for the readable one" 1 "$(grep -c ^identical out)"

# Output that cannot be written.
cp "$files/a" "$files/d"
runs 0 "$SIMHASH" "$files"
runs 1 "$SIMFIND" -o /no/such/folder/out
said "simfind: cannot write to /no/such/folder/out: No such file or directory"
runs 1 "$SIMFIND" -o /dev/full
said "simfind: cannot write to /dev/full: No space left on device"
runs 1 sh -c '"$0" >/dev/full' "$SIMFIND"
said "simfind: cannot write to standard output: No space left on device"

# An index from the future.
sql "INSERT INTO schema_version(version) VALUES (99)"
runs 1 "$SIMHASH" "$files"
said "$TEST_URL has schema version 99, and this program knows up to 5: use a newer simhash"
runs 1 "$SIMFIND"
said "schema version 99"
sql "DELETE FROM schema_version WHERE version = 99"

# An index of version 1 is brought up to date by the next run, and read by none before.
to_version_1() {
	sql "DELETE FROM schema_version WHERE version > 1"
	if [ "$TEST_ENGINE" = sqlite ]; then
		sql "DROP VIEW sketched_file; DROP TABLE sketch; DROP TABLE measure;
			DROP VIEW similar_file; DROP VIEW similar_pair; DROP VIEW near_file;
			DROP VIEW near_pair; DROP VIEW key_space; DROP VIEW run_text;
			DROP TABLE size_class; DROP INDEX file_bucket; DROP INDEX directory_text;
			ALTER TABLE file DROP COLUMN bucket;
			DROP VIEW file_text; DROP VIEW duplicate; CREATE VIEW duplicate AS SELECT 1; ALTER TABLE file DROP COLUMN links;
			ALTER TABLE file DROP COLUMN compressed_size;
			CREATE VIEW file_text AS SELECT name FROM file;
			DROP INDEX file_uniform; CREATE INDEX file_uniform ON file (tag_set, uniform)"
	else
		sql "ALTER TABLE file DROP COLUMN links, DROP COLUMN compressed_size,
			DROP KEY file_bucket, DROP COLUMN bucket,
			DROP KEY file_uniform, ADD KEY file_uniform (tag_set, uniform)"
	fi
}
# Buckets are the same, computed by the program or by the update.
mkdir "$files/sizes"
for size in 0 1 2 3 4 5 7 8 11 12 17 18 93 139 140 1064 1065 53143 53144 3000000 5000000000; do
	truncate -s $size "$files/sizes/$size"
done
seq 20000 >"$files/sizes/text"
runs 0 "$SIMHASH" "$files"
sql "SELECT name, bucket FROM file ORDER BY path_hash" >buckets
to_version_1
runs 1 "$SIMFIND"
said "$TEST_URL has schema version 1, and this program needs 5: run simhash on it once"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND"
# So is one whose update was cut off when its work was done, where that can be.
if [ "$TEST_ENGINE" != sqlite ]; then
	sql "DELETE FROM schema_version WHERE version > 1"
	runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMFIND"
fi
sql "SELECT name, bucket FROM file ORDER BY path_hash" >updated
cmp buckets updated || fail "buckets: $(diff buckets updated | head)"
[ "$(cut -d'|' -f2 buckets | sort -u | wc -l)" -gt 18 ] || fail "too few buckets to be a test"
rm -r "$files/sizes"
runs 0 "$SIMHASH" "$files"
same "versions" "1 2 3 4 5" "$(sql "SELECT version FROM schema_version ORDER BY version" | paste -sd ' ')"

# A row that no file can have.
sql "UPDATE file SET sum_03 = size + 1 WHERE sum_03 < size"
runs 1 "$SIMFIND"
said "holds numbers that no file has; scan it again with simhash --force"
runs 0 "$SIMHASH" --force "$files"
runs 0 "$SIMFIND"

# A database that is not an index.
reset
sql "CREATE TABLE precious (x INTEGER)"
runs 1 "$SIMHASH" "$files"
said "$TEST_URL is a database, but not an index of simhash"
runs 1 "$SIMFIND"
said "$TEST_URL is a database, but not an index of simhash"
sql "SELECT * FROM precious" >/dev/null || fail "the table is gone"

if [ "$TEST_ENGINE" = sqlite ]; then
	for index in "$files" /no/such/folder/index.db /proc/index.db; do
		runs 1 "$SIMHASH" -d "sqlite:$index" "$files"
		said "index sqlite:$index: "
	done
	seq 1000 >text.db
	runs 1 "$SIMHASH" -d sqlite:text.db "$files"
	said "sqlite:text.db is not a database of SQLite, so it is no index"
	cmp text.db <(seq 1000) || fail "the file was changed"
	# What has a meaning to SQLite is only a name here, and what is no file is refused.
	mkdir odd
	for name in :memory: file:x.db?mode=ro; do
		(cd odd && "$SIMHASH" -q -d "sqlite:$name" "$files" && "$SIMFIND" -q -d "sqlite:$name" >/dev/null) ||
			fail "the index cannot be called $name"
		[ -s "odd/$name" ] || fail "no index called $name"
	done
	mkfifo fifo
	for program in "$SIMHASH" "$SIMFIND"; do
		runs 1 "$program" -d sqlite:fifo "$files/a"
		said "index sqlite:fifo: that is not a regular file"
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
	# A database of somebody else's is left as it is.
	sqlite3 other.db 'CREATE TABLE x (y)'
	runs 1 "$SIMHASH" -d sqlite:other.db own
	same "journal of a foreign database" delete "$(sqlite3 other.db 'PRAGMA journal_mode')"
	# Several that make one index at once.
	for round in 1 2 3 4 5; do
		for _ in 1 2 3; do
			"$SIMHASH" -q -d "sqlite:race$round.db" own || touch race.failed &
		done
		wait
		[ ! -e race.failed ] || fail "one of several could not open a new index"
	done
	# The default index is made where the desktop keeps data, private to the user.
	unset SIMHASH_DATABASE
	runs 0 "$SIMHASH" "$files"
	same "default index" 600 "$(stat -c %a "$HOME/.local/share/simhash/simhash.db")"
	XDG_DATA_HOME=$PWD/data runs 0 "$SIMHASH" "$files"
	[ -f data/simhash/simhash.db ] || fail "XDG_DATA_HOME is not heeded"
	HOME='' runs 1 "$SIMHASH" "$files"
	said "no index named: give --database, or set SIMHASH_DATABASE or HOME"
	exit
fi

# A server: wrong password, unknown database, nobody there, a server that goes away.
reset
mariadb -e "CREATE USER tester IDENTIFIED BY 'right'; GRANT ALL ON simhash.* TO tester"
printf '[client]\nsocket=%s\n[simhash]\npassword=wrong\n' \
	"$(sed -n 's/^socket=//p' "$HOME/.my.cnf")" >"$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 1 "$SIMHASH" -d mysql://tester@localhost/simhash "$files"
said "Access denied for user 'tester'@'localhost'"
grep -q wrong err && fail "the password was printed"
sed -i 's/wrong/right/' "$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 0 "$SIMHASH" -d mysql://tester@localhost/simhash "$files"
HOME=$TEST_FOLDER runs 0 "$SIMFIND" -d mysql://tester@localhost/simhash
printf 'user=tester\n' >>"$TEST_FOLDER/.my.cnf"
HOME=$TEST_FOLDER runs 0 "$SIMFIND" -d mysql:///simhash
runs 1 "$SIMHASH" -d mysql://localhost/nowhere "$files"
said "Unknown database 'nowhere'"
said "simhash --init-database makes it"
runs 1 "$SIMHASH" -d mysql://127.0.0.1:1/simhash "$files"
said "cannot use index mysql://127.0.0.1:1/simhash: "
