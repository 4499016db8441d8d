#!/usr/bin/env bash
# Tests a database on a server with rows or tables that somebody else made: every command ends soon,
# with its answer or with a message that says what is wrong. cli.hostile does the same without a
# server.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for number in 1 2 3 4 5 6; do
	seq $((number * 10)) $((number * 10 + 3000)) >"$files/similar$number.txt"
done
cp "$files/similar1.txt" "$files/copy.txt"
settle "$files"
big=9223372036854775807

try() {
	local attack=$1 status=0
	shift
	within 30 "$@" >out 2>err </dev/null || status=$?
	case $status in
	0 | 2) ;;
	1) grep -qE 'mysql:|table |index|tag set' err || fail "$attack: '$*' does not explain the error: $(head -c 300 err)" ;;
	*) fail "$attack: '$*' ended with $status: $(head -c 3000 err)" ;;
	esac
	! grep -qE 'Sanitizer|runtime error' err || fail "$attack: '$*': $(head -c 3000 err)"
	[ "$(cat out err | LC_ALL=C tr -d '\n -~\200-\377' | head -c 1 | wc -c)" = 0 ] ||
		fail "$attack: '$*' shows control bytes: $(head -c 300 out | od -c | head -20)"
}

# attack NAME SQL
attack() {
	reset
	"$SIMHASH" -q "$files"
	sql "$2" >/dev/null
	try "$1" "$SIMFIND" --group
	try "$1" "$SIMFIND" --directories
	try "$1" "$SIMFIND" "$files/similar2.txt"
	try "$1" "$SIMHASH" --status
	try "$1" "$SIMHASH" --copy-to=sqlite:copy.db
	rm -f copy.db*
	try "$1" "$SIMHASH" "$files"
}

sums=$(for t in 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do printf 'sum_%s = %%s, ' "$t"; done)
attack "negative numbers" "UPDATE file SET ${sums//%s/-1} size = -size, mtime_ns = -1, links = -1, skew = -$big"
attack "sums over 64 bits" "UPDATE file SET ${sums//%s/$big} size = $big, uniform = $big, scatter = $big,
	skew = $big, uniform_ext = $big, scatter_ext = $big, skew_ext = $big"
attack "control bytes" "UPDATE file SET directory = CONCAT('/', CHAR(27), ']0;x', CHAR(7)), name = CONCAT(CHAR(13, 10, 27), HEX(path_hash));
	UPDATE host SET name = CONCAT(CHAR(27), '[31m'); UPDATE tag_set SET name = CONCAT(CHAR(27), '[31m');
	UPDATE scan_run SET root = CONCAT('/', CHAR(27))"
attack "nothing to refer to" "DELETE FROM host; DELETE FROM tag; DELETE FROM directory"
attack "tags that are none" "UPDATE tag SET pattern = 70000 + position, uniform = -1, skew = $big"
attack "a version to come" "INSERT INTO schema_version VALUES (99)"
grep -q '^simhash: ' err || fail "a version to come is not refused"
attack "a version before the first" "UPDATE schema_version SET version = -version"
grep -q '^simhash: ' err || fail "a negative version is not refused"
attack "other types" "DROP VIEW similar_pair, near_pair, similar_file, near_file; ALTER TABLE file
	MODIFY size VARCHAR(30) NOT NULL, MODIFY content_hash VARBINARY(40) NOT NULL, MODIFY sum_03 DOUBLE NOT NULL,
	MODIFY mtime_ns BIGINT; UPDATE file SET size = 'many', content_hash = 'short', sum_03 = 1e300, mtime_ns = NULL"
attack "unsigned numbers" "ALTER TABLE file MODIFY skew BIGINT UNSIGNED NOT NULL, MODIFY sum_00 BIGINT UNSIGNED NOT NULL;
	UPDATE file SET skew = 18446744073709551615, sum_00 = 18446744073709551615"
attack "a view of more rows than there are" "RENAME TABLE directory TO other; CREATE VIEW directory AS
	SELECT o.tag_set, o.host, o.directory_hash, o.path FROM other o, file f, file g"
attack "large names" "ALTER TABLE file MODIFY name LONGBLOB NOT NULL; UPDATE file SET name = REPEAT('x', 3000000)"
