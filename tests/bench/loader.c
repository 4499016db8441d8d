/*
 * Measures writing and reading of rows: with the store, and by hand with the client library alone,
 * in the fastest ways in its manual, for the same table of a MySQL or MariaDB server.
 *
 *     loader WAY SOURCE TARGET [PART/PARTS]
 *
 * WAY says how rows of the SQLite index SOURCE are put into the existing index TARGET: store, or by
 * hand: rows (prepared, 20 rows for each statement), array (MariaDB's array binding), load (LOAD
 * DATA from memory). Or it says how all rows of TARGET are read in the order of uniform: read (the
 * store), select (by hand). Prints seconds and rows.
 * SPDX-License-Identifier: MIT
 */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/engine/url.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/load.h"
#include "store/open/store.h"
#include "store/row/bucket.h"
#include "store/row/cells.h"
#include "store/rows/row_reader.h"
#include "store/write/batch.h"

#define BATCH 8192
#define MANY 20
#define BLOBS 5 /* path_hash, directory, name, extension, content_hash */

static struct simhash_error error;

static void check(int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "loader: %s\n", error.message);
	exit(1);
}

static MYSQL *server;

static void check_server(int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "loader: %s\n", mysql_error(server));
	exit(1);
}

static void check_statement(MYSQL_STMT *statement, int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "loader: %s\n", mysql_stmt_error(statement));
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- The rows, as columns ---- */

static struct file_row *rows;
static size_t row_count, row_room;

static struct bytes copy(struct bytes bytes)
{
	char *data = malloc(bytes.size + 1);

	memcpy(data, bytes.data, bytes.size);
	return (struct bytes){data, bytes.size};
}

static void keep(const struct file_row *row)
{
	if (row_count == row_room) {
		row_room = row_room * 2 + 1024;
		rows = realloc(rows, row_room * sizeof *rows);
	}
	rows[row_count] = *row;
	rows[row_count].directory = copy(row->directory);
	rows[row_count].name = copy(row->name);
	rows[row_count++].extension = copy(row->extension);
}

static const char columns[] =
	"tag_set, host, path_hash, directory, name, extension, content_hash, size, mtime_ns, "
	"device, "
	"inode, links, compressed_size, scanned_at_ns, sum_00, sum_01, sum_02, sum_03, sum_04, "
	"sum_05, "
	"sum_06, sum_07, sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15, uniform, "
	"scatter, skew, uniform_ext, scatter_ext, skew_ext, bucket, "
	"cell, signed_1, signed_2, outline_00, outline_08";
#define WIDTH 42

static struct row_scope scope;

/* Split a row into numbers and texts, in the order of the columns. */
static void split(const struct file_row *row, long long numbers[WIDTH], struct bytes texts[WIDTH])
{
	struct file_cell cell = cell_of(row);
	int i = 0;

	numbers[i++] = scope.tag_set;
	numbers[i++] = scope.host;
	texts[i++] = (struct bytes){(const char *)row->path_hash, PATH_HASH_SIZE};
	texts[i++] = row->directory;
	texts[i++] = row->name;
	texts[i++] = row->extension;
	texts[i++] = (struct bytes){(const char *)row->content_hash, CONTENT_HASH_SIZE};
	numbers[i++] = row->size_bytes;
	numbers[i++] = row->mtime_ns;
	numbers[i++] = row->device;
	numbers[i++] = row->inode;
	numbers[i++] = row->links;
	numbers[i++] = row->compressed_size_bytes;
	numbers[i++] = row->scanned_at_ns;
	for (int t = 0; t < SIMHASH_TAGS; t++)
		numbers[i++] = (long long)row->table.count[t];
	for (int k = 0; k < SIMHASH_KEYS; k++)
		numbers[i++] = row->keys.key[k];
	numbers[i++] = bucket_of(row);
	numbers[i++] = cell.cell;
	for (int s = 0; s < SIGNED_SUMS; s++)
		numbers[i++] = cell.signed_sum[s];
	for (int o = 0; o < OUTLINES; o++)
		numbers[i++] = cell.outline[o];
}

static int is_text(int column)
{
	return column >= 2 && column < 2 + BLOBS;
}

/* ---- Writing by hand ---- */

static char *statement_text(int many)
{
	char *text = malloc(65536), *at = text;

	at += sprintf(at, "INSERT INTO file(%s) VALUES ", columns);
	for (int r = 0; r < many; r++)
		for (int i = 0; i < WIDTH; i++)
			at += sprintf(at, "%s?%s",
				      i > 0   ? ", "
				      : r > 0 ? ", ("
					      : "(",
				      i == WIDTH - 1 ? ")" : "");
	at += sprintf(at, " ON DUPLICATE KEY UPDATE ");
	for (const char *c = columns, *end; *c != '\0'; c = end + (*end == ',' ? 2 : 0)) {
		end = c + strcspn(c, ",");
		at += sprintf(at, "%s%.*s=VALUES(%.*s)", c == columns ? "" : ", ", (int)(end - c),
			      c, (int)(end - c), c);
	}
	return text;
}

static void write_rows(size_t first, size_t last)
{
	static long long numbers[MANY][WIDTH];
	static struct bytes texts[MANY][WIDTH];
	static MYSQL_BIND binds[MANY * WIDTH];
	MYSQL_STMT *many = mysql_stmt_init(server), *one = mysql_stmt_init(server);
	char *sql = statement_text(MANY);

	check_statement(many, mysql_stmt_prepare(many, sql, strlen(sql)));
	free(sql);
	sql = statement_text(1);
	check_statement(one, mysql_stmt_prepare(one, sql, strlen(sql)));
	free(sql);
	for (size_t i = first; i < last;) {
		int count = last - i >= MANY ? MANY : 1;
		MYSQL_STMT *statement = count == MANY ? many : one;
		if ((i - first) % BATCH < MANY)
			check_server(mysql_query(server, "START TRANSACTION"));
		for (int r = 0; r < count; r++, i++) {
			split(&rows[i], numbers[r], texts[r]);
			for (int c = 0; c < WIDTH; c++) {
				MYSQL_BIND *bind = &binds[r * WIDTH + c];
				bind->buffer_type = is_text(c) ? MYSQL_TYPE_BLOB
							       : MYSQL_TYPE_LONGLONG;
				bind->buffer = is_text(c) ? (void *)(size_t)texts[r][c].data
							  : (void *)&numbers[r][c];
				bind->buffer_length = is_text(c) ? texts[r][c].size : 8;
			}
		}
		check_statement(statement, mysql_stmt_bind_param(statement, binds));
		check_statement(statement, mysql_stmt_execute(statement));
		if ((i - first) % BATCH < MANY)
			check_server(mysql_query(server, "COMMIT"));
	}
	check_server(mysql_query(server, "COMMIT"));
	mysql_stmt_close(many);
	mysql_stmt_close(one);
}

#ifdef MARIADB_PACKAGE_VERSION
static void write_array(size_t first, size_t last)
{
	enum { ARRAY = 1024 };
	static long long numbers[WIDTH][ARRAY], row_numbers[WIDTH];
	static struct bytes row_texts[WIDTH];
	static char *texts[WIDTH][ARRAY];
	static unsigned long lengths[WIDTH][ARRAY];
	MYSQL_BIND binds[WIDTH];
	MYSQL_STMT *statement = mysql_stmt_init(server);
	char *sql = statement_text(1);

	check_statement(statement, mysql_stmt_prepare(statement, sql, strlen(sql)));
	free(sql);
	memset(binds, 0, sizeof binds);
	for (int c = 0; c < WIDTH; c++) {
		binds[c].buffer_type = is_text(c) ? MYSQL_TYPE_BLOB : MYSQL_TYPE_LONGLONG;
		binds[c].buffer = is_text(c) ? (void *)texts[c] : (void *)numbers[c];
		binds[c].length = lengths[c];
	}
	for (size_t i = first; i < last;) {
		unsigned count = 0;
		if ((i - first) % BATCH == 0)
			check_server(mysql_query(server, "START TRANSACTION"));
		for (; count < ARRAY && i < last; count++, i++) {
			split(&rows[i], row_numbers, row_texts);
			for (int c = 0; c < WIDTH; c++) {
				numbers[c][count] = row_numbers[c];
				texts[c][count] = (char *)(size_t)row_texts[c].data;
				lengths[c][count] = is_text(c) ? row_texts[c].size : 8;
			}
		}
		check_statement(statement,
				mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &count));
		check_statement(statement, mysql_stmt_bind_param(statement, binds));
		check_statement(statement, mysql_stmt_execute(statement));
		if ((i - first) % BATCH == 0)
			check_server(mysql_query(server, "COMMIT"));
	}
	check_server(mysql_query(server, "COMMIT"));
	mysql_stmt_close(statement);
}
#else
static void write_array(size_t first, size_t last)
{
	(void)first;
	(void)last;
	fprintf(stderr, "loader: array binding is MariaDB's\n");
	exit(1);
}
#endif

/* The input of LOAD DATA: lines with tabs and escapes. */
struct feed {
	size_t next, last;
	char line[65536];
	size_t size, at;
};

static void next_line(struct feed *feed)
{
	long long numbers[WIDTH];
	struct bytes texts[WIDTH];
	char *out = feed->line;

	split(&rows[feed->next++], numbers, texts);
	for (int c = 0; c < WIDTH; c++) {
		if (c > 0)
			*out++ = '\t';
		if (!is_text(c)) {
			out += sprintf(out, "%lld", numbers[c]);
			continue;
		}
		for (size_t i = 0; i < texts[c].size; i++) {
			char byte = texts[c].data[i];
			if (byte == '\t' || byte == '\n' || byte == '\\' || byte == '\0') {
				*out++ = '\\';
				byte = byte == '\t'   ? 't'
				       : byte == '\n' ? 'n'
				       : byte == '\0' ? '0'
						      : byte;
			}
			*out++ = byte;
		}
	}
	*out++ = '\n';
	feed->size = (size_t)(out - feed->line);
	feed->at = 0;
}

static int feed_init(void **self, const char *name, void *context)
{
	(void)name;
	*self = context;
	return 0;
}

static int feed_read(void *self, char *buffer, unsigned size)
{
	struct feed *feed = self;
	unsigned done = 0;

	while (done < size) {
		size_t part = feed->size - feed->at;
		if (part == 0) {
			if (feed->next == feed->last)
				break;
			next_line(feed);
			continue;
		}
		if (part > size - done)
			part = size - done;
		memcpy(buffer + done, feed->line + feed->at, part);
		feed->at += part;
		done += (unsigned)part;
	}
	return (int)done;
}

static void feed_end(void *self)
{
	(void)self;
}

static int feed_error(void *self, char *message, unsigned size)
{
	(void)self;
	snprintf(message, size, "no error");
	return 0;
}

static void write_load(size_t first, size_t last)
{
	static struct feed feed;
	char sql[4096];

	feed.next = first;
	feed.last = last;
	mysql_set_local_infile_handler(server, feed_init, feed_read, feed_end, feed_error, &feed);
	snprintf(sql, sizeof sql,
		 "LOAD DATA LOCAL INFILE 'rows' REPLACE INTO TABLE file CHARACTER SET binary (%s)",
		 columns);
	check_server(mysql_query(server, sql));
}

static void connect_by_hand(const char *text)
{
	struct store_url url;
	unsigned on = 1;

	check(store_url_parse(text, &url, &error));
	server = mysql_init(NULL);
	mysql_options(server, MYSQL_READ_DEFAULT_GROUP, "simhash");
	mysql_options(server, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(server, MYSQL_OPT_LOCAL_INFILE, &on);
	if (mysql_real_connect(server, url.host, url.user, NULL, url.database, url.port, NULL, 0) ==
	    NULL)
		check_server(1);
	store_url_release(&url);
}

/* ---- With the store ---- */

static void write_store(struct store *store, size_t first, size_t last)
{
	static const struct file_row *pointers[BATCH];
	int64_t removed;

	check(store_begin_load(store, &error));
	for (size_t i = first; i < last;) {
		struct store_batch batch = {.rows = pointers};
		while (batch.row_count < BATCH && i < last)
			pointers[batch.row_count++] = &rows[i++];
		check(store_write(store, &scope, &batch, &removed, &error));
	}
	check(store_end_load(store, &error));
}

static void count_rows(struct store *store, const struct row_filter *filter)
{
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int status;

	check(store_rows_in_order(&cursor, store, filter, &error));
	while ((status = store_rows_next(&cursor, &row, &error)) == 1)
		row_count++;
	check(status);
	store_rows_end(&cursor);
}

static void read_rows(struct store *store)
{
	struct file_row row = {.host = scope.host};
	struct row_cursor cursor;
	int status;

	check(store_rows_after(&cursor, store, ROW_WHOLE, &scope, NULL, NULL, INT64_MAX, &error));
	while ((status = store_rows_next(&cursor, &row, &error)) == 1)
		keep(&row);
	check(status);
	store_rows_end(&cursor);
}

/* Read the same columns in the same order, as the library returns them. */
static void select_by_hand(void)
{
	static const char sql[] =
		"SELECT host, path_hash, directory, name, size, mtime_ns, compressed_size, device, "
		"inode, content_hash, uniform, sum_00, sum_01, sum_02, sum_03, sum_04, sum_05, "
		"sum_06, "
		"sum_07, sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15, skew_ext "
		"FROM file WHERE tag_set = 1 AND size >= 1 ORDER BY +uniform, host, path_hash";
	MYSQL_STMT *statement = mysql_stmt_init(server);
	static char buffers[64][4096];
	MYSQL_BIND binds[64];
	unsigned count;

	check_statement(statement, mysql_stmt_prepare(statement, sql, sizeof sql - 1));
	count = mysql_stmt_field_count(statement);
	memset(binds, 0, sizeof binds);
	for (unsigned i = 0; i < count; i++) {
		bool is_number = i != 1 && i != 2 && i != 3 && i != 9;
		binds[i].buffer_type = is_number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB;
		binds[i].buffer = buffers[i];
		binds[i].buffer_length = sizeof buffers[i];
	}
	check_statement(statement, mysql_stmt_execute(statement));
	check_statement(statement, mysql_stmt_bind_result(statement, binds));
	while (mysql_stmt_fetch(statement) == 0)
		row_count++;
	mysql_stmt_close(statement);
}

int main(int argc, char **argv)
{
	struct store_location from, to;
	struct simhash_tag_set *tags;
	struct store *store;
	unsigned part = 1, parts = 1;
	size_t first, last;
	double start;

	if (argc < 4 || (argc == 5 && sscanf(argv[4], "%u/%u", &part, &parts) != 2)) {
		fprintf(stderr, "usage: loader WAY SOURCE TARGET [PART/PARTS]\n");
		return 1;
	}
	from = (struct store_location){.url = argv[2]};
	to = (struct store_location){.url = argv[3]};
	check(simhash_tag_set_new_default(&tags, &error));
	if (strcmp(argv[1], "read") == 0 || strcmp(argv[1], "select") == 0) {
		struct row_filter filter = {
			.columns = ROW_CHECKED | ROW_HOST | ROW_PATH_HASH | ROW_DIRECTORY |
				   ROW_NAME | ROW_SIZE | ROW_MTIME | ROW_COMPRESSED_SIZE |
				   ROW_DEVICE | ROW_INODE | ROW_CONTENT_HASH | ROW_UNIFORM |
				   ROW_TABLE | ROW_KEY(SIMHASH_SKEW_EXT),
			.low = INT64_MIN,
			.high = INT64_MAX,
			.order = ORDER_BY_SORTING};
		check(store_open(&to, OPEN_TO_READ, &store, &error));
		check(store_tag_set_id(store, tags, false, &filter.tag_set, &error));
		connect_by_hand(argv[3]);
		start = now();
		if (strcmp(argv[1], "read") == 0)
			count_rows(store, &filter);
		else
			select_by_hand();
		printf("%.3f %zu\n", now() - start, row_count);
		return 0;
	}
	check(store_open(&from, OPEN_TO_READ, &store, &error));
	check(store_tag_set_id(store, tags, false, &scope.tag_set, &error));
	scope.host = 1;
	read_rows(store);
	store_close(store);
	check(store_open(&to, OPEN_TO_WRITE, &store, &error));
	check(store_tag_set_id(store, tags, true, &scope.tag_set, &error));
	check(store_host_id(store, part == 1 ? "one" : "two", true, &scope.host, &error));
	first = row_count * (part - 1) / parts;
	last = row_count * part / parts;
	if (strcmp(argv[1], "store") != 0)
		connect_by_hand(argv[3]);
	start = now();
	if (strcmp(argv[1], "store") == 0)
		write_store(store, first, last);
	else if (strcmp(argv[1], "rows") == 0)
		write_rows(first, last);
	else if (strcmp(argv[1], "array") == 0)
		write_array(first, last);
	else
		write_load(first, last);
	printf("%.3f %zu\n", now() - start, last - first);
	store_close(store);
	simhash_tag_set_free(tags);
	return 0;
}
