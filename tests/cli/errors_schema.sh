#!/usr/bin/env bash
# Tests indexes of other schema versions, and impossible rows.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"
cp "$files/a" "$files/d"
runs 0 "$SIMHASH" "$files"

# An index of a future version.
sql "INSERT INTO schema_version(version) VALUES (99)"
runs 1 "$SIMHASH" "$files"
said "$TEST_URL has schema version 99, but this program knows versions up to $(newest_version): use a newer simhash"
runs 1 "$SIMFIND"
said "schema version 99"
sql "DELETE FROM schema_version WHERE version = 99"

# The next run updates an index of version 1; before that, no program reads it.
to_version_1() {
	drop_version_8
	sql "DELETE FROM schema_version WHERE version > 1"
	if [ "$TEST_ENGINE" = sqlite ]; then
		sql "DROP VIEW sketched_file; DROP TABLE sketch; DROP TABLE measure;
			DROP VIEW key_space; DROP VIEW run_text;
			DROP TABLE size_class; DROP INDEX directory_text;
			ALTER TABLE file DROP COLUMN bucket; ALTER TABLE file DROP COLUMN resemblance_sketch;
			DROP VIEW duplicate; CREATE VIEW duplicate AS SELECT 1; ALTER TABLE file DROP COLUMN links;
			ALTER TABLE file DROP COLUMN compressed_size;
			CREATE VIEW file_text AS SELECT name FROM file;
			DROP INDEX file_uniform; CREATE INDEX file_uniform ON file (tag_set, uniform)"
	else
		sql "ALTER TABLE file DROP COLUMN links, DROP COLUMN compressed_size,
			DROP KEY file_bucket, DROP COLUMN bucket, DROP COLUMN resemblance_sketch,
			DROP KEY file_cell, DROP COLUMN cell, DROP COLUMN signed_1, DROP COLUMN signed_2, DROP COLUMN outline_00, DROP COLUMN outline_08,
			DROP KEY file_uniform, ADD KEY file_uniform (tag_set, uniform)"
	fi
}
# The program and the update compute the same cells.
mkdir "$files/sizes"
for size in 0 1 2 3 4 5 7 8 11 12 17 18 93 139 140 1064 1065 53143 53144 3000000 5000000000; do
	truncate -s $size "$files/sizes/$size"
done
seq 20000 >"$files/sizes/text"
head -c 30000 "$SIMHASH" >"$files/sizes/program"
cells="bucket, cell, signed_1, signed_2, outline_00, outline_08"
runs 0 "$SIMHASH" "$files"
sql "SELECT name, $cells FROM file ORDER BY path_hash" >buckets
to_version_1
runs 1 "$SIMFIND"
said "$TEST_URL has schema version 1, but this program needs $(newest_version): run simhash on it once"
runs 0 "$SIMHASH" "$files"
runs 0 "$SIMFIND"
# An update that was interrupted after its work can be completed, on engines where this can happen.
if [ "$TEST_ENGINE" != sqlite ]; then
	sql "DELETE FROM schema_version WHERE version > 1"
	runs 0 "$SIMHASH" "$files"
	runs 0 "$SIMFIND"
fi
sql "SELECT name, $cells FROM file ORDER BY path_hash" >updated
cmp buckets updated || fail "buckets: $(diff buckets updated | head)"
[ "$(cut -d'|' -f2 buckets | sort -u | wc -l)" -gt 18 ] || fail "too few buckets to be a test"
rm -r "$files/sizes"
runs 0 "$SIMHASH" "$files"
same "versions" "$(seq "$(newest_version)" | paste -sd ' ')" "$(sql "SELECT version FROM schema_version ORDER BY version" | paste -sd ' ')"

# Indexes of every version, made by its scripts, become the same as a new index.
shape() {
	if [ "$TEST_ENGINE" = sqlite ]; then
		# An added column is the last one, and has no line breaks.
		sqlite3 index.db "SELECT name, tbl_name, CASE type WHEN 'table' THEN '' ELSE sql END FROM sqlite_master
			ORDER BY type, name; SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m
			JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.name"
	else
		sql "SELECT table_name, column_name, column_type, column_key, is_nullable FROM information_schema.columns
			WHERE table_schema = 'simhash' ORDER BY table_name, column_name"
		sql "SELECT table_name, index_name, seq_in_index, column_name FROM information_schema.statistics
			WHERE table_schema = 'simhash' ORDER BY 1, 2, 3"
	fi
}
scripts=("$SOURCE_DIR/sql/$TEST_ENGINE"/00[0-9][0-9]_*.sql)
newest=${#scripts[@]}
same "version of the last script" "$newest" "$(sql "SELECT MAX(version) FROM schema_version")"
reset
runs 0 "$SIMHASH" "$files"
shape >expected
for version in $(seq $((newest - 1))); do
	reset
	if [ "$TEST_ENGINE" = sqlite ]; then
		cat "${scripts[@]:0:version}" >script
		# Older versions had other indexes.
		[ "$version" -gt 8 ] || echo 'CREATE INDEX file_skew_ext ON file (tag_set, skew_ext);' >>script
		[ "$version" -lt 4 ] || [ "$version" -gt 10 ] ||
			echo 'CREATE INDEX file_bucket ON file (tag_set, bucket, uniform, size, skew_ext);' >>script
		[ "$version" -gt 10 ] ||
			echo 'CREATE INDEX file_uniform ON file (tag_set, uniform, size, skew_ext, scatter);' >>script
		sqlite3 -batch index.db <script
	else
		cat "${scripts[@]:0:version}" | mariadb simhash
	fi
	for done in $(seq "$version"); do
		sql "INSERT INTO schema_version(version) VALUES ($done)"
	done
	runs 1 "$SIMFIND"
	said "has schema version $version, but this program needs $newest: run simhash on it once"
	runs 0 "$SIMHASH" "$files"
	summary 2 0 0 0
	shape >found
	cmp expected found || fail "from version $version: $(diff expected found | head -8)"
	runs 0 "$SIMFIND" --store
	said "stored in the index: 1 group of 2 files, 1 pair"
	same "groups in version $version" "2|$(wc -c <"$files/a")" "$(sql "SELECT files, copied_bytes FROM similar_group")"
done

# An impossible row.
sql "UPDATE file SET sum_03 = size + 1 WHERE sum_03 < size"
runs 1 "$SIMFIND"
said "holds numbers that no file has; scan it again with simhash --force"
runs 0 "$SIMHASH" --force "$files"
runs 0 "$SIMFIND"
