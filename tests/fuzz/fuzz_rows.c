/*
 * Fuzzes indexes that somebody else wrote: rows with values of wrong types and any size, and
 * database files with changed bytes. simfind must give a result or an error, and the result must
 * not depend on blocks and threads.
 *
 * The index is a file in $TMPDIR, which is created once; each input replaces its rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/simfind/find_tasks.h"
#include "cli/simkeep/copy_sorter.h"
#include "cli/simkeep/plan_script.h"
#include "find/rule/find.h"
#include "fuzz.h"
#include "report/formats/formats.h"
#include "report/lists/listing.h"
#include "report/page/html.h"
#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/row/bucket.h"
#include "store/row/cells.h"
#include "store/rows/known_file.h"
#include "store/rows/totals.h"
#include "transfer/copy.h"

#define ROWS_MAX 40
#define CHANGES_MAX 8
#define FLIPS_MAX 16
#define COLUMNS 43
#define SORTER_BYTES ((size_t)16384)

static char folder[256], index_path[300], damaged_path[300], target_path[300], queried_path[300];
static char index_url[320], damaged_url[320], target_url[320];
static sqlite3 *database;
static sqlite3_stmt *insert;
static struct simhash_tag_set *tags;
static const char *const directories[] = {"/", "/a", "/a/b", "/ab"};
static const char *const key_columns[] = {"uniform",	 "scatter",	"skew",
					  "uniform_ext", "scatter_ext", "skew_ext"};

/*
 * The linker makes listings call this for their sorter (--wrap). Allocating 128 MB for lines is
 * slower than everything else under a sanitizer, and with little memory, lines are also written to
 * files.
 */
int __real_line_sorter_new(size_t memory_bytes, struct line_sorter **sorter,
			   struct simhash_error *error);
int __wrap_line_sorter_new(size_t memory_bytes, struct line_sorter **sorter,
			   struct simhash_error *error);

int __wrap_line_sorter_new(size_t memory_bytes, struct line_sorter **sorter,
			   struct simhash_error *error)
{
	EXPECT(memory_bytes > SORTER_BYTES);
	return __real_line_sorter_new(SORTER_BYTES, sorter, error);
}

/* ---- The index ---- */

static void execute(const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, message);
		abort();
	}
}

static void remove_index(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char name[320];

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
		unlink(name);
	}
}

static void clean_up(void)
{
	sqlite3_finalize(insert);
	sqlite3_close(database);
	remove_index(index_path);
	remove_index(damaged_path);
	remove_index(target_path);
	unlink(queried_path);
	rmdir(folder);
}

static void prepare_insert(void)
{
	char sql[2048] =
		"INSERT OR REPLACE INTO file(tag_set, host, path_hash, directory, name, "
		"extension, size, mtime_ns, device, inode, links, compressed_size, "
		"content_hash, scanned_at_ns, bucket, cell, signed_1, signed_2, outline_00, "
		"outline_08, resemblance_sketch";
	size_t size = strlen(sql);

	for (int t = 0; t < SIMHASH_TAGS; t++)
		size += (size_t)snprintf(sql + size, sizeof sql - size, ", sum_%02d", t);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		size += (size_t)snprintf(sql + size, sizeof sql - size, ", %s", key_columns[k]);
	size += (size_t)snprintf(sql + size, sizeof sql - size, ") VALUES (?");
	for (int i = 1; i < COLUMNS; i++)
		size += (size_t)snprintf(sql + size, sizeof sql - size, ",?");
	snprintf(sql + size, sizeof sql - size, ")");
	EXPECT(sqlite3_prepare_v2(database, sql, -1, &insert, NULL) == SQLITE_OK);
}

static void enter_directories(void)
{
	sqlite3_stmt *statement;

	EXPECT(sqlite3_prepare_v2(database, "INSERT INTO directory VALUES (1, ?, ?, ?)", -1,
				  &statement, NULL) == SQLITE_OK);
	for (int i = 0; i < 8; i++) {
		struct bytes path = {directories[i / 2], strlen(directories[i / 2])};
		uint8_t hash[DIRECTORY_HASH_SIZE];
		directory_hash(path, hash);
		sqlite3_bind_int(statement, 1, 1 + i % 2);
		sqlite3_bind_blob(statement, 2, hash, sizeof hash, SQLITE_TRANSIENT);
		sqlite3_bind_blob(statement, 3, path.data, (int)path.size, SQLITE_TRANSIENT);
		EXPECT(sqlite3_step(statement) == SQLITE_DONE);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *top = getenv("TMPDIR");
	struct simhash_error error;
	struct store_location where = {.url = index_url};
	struct store *store;
	int64_t id;
	int fd;

	(void)argc;
	(void)argv;
	snprintf(folder, sizeof folder, "%s/fuzz_rows.XXXXXX", top == NULL ? "/tmp" : top);
	EXPECT(mkdtemp(folder) != NULL);
	snprintf(index_path, sizeof index_path, "%s/index.db", folder);
	snprintf(damaged_path, sizeof damaged_path, "%s/damaged.db", folder);
	snprintf(target_path, sizeof target_path, "%s/target.db", folder);
	snprintf(queried_path, sizeof queried_path, "%s/asked.txt", folder);
	snprintf(index_url, sizeof index_url, "sqlite:%s", index_path);
	snprintf(damaged_url, sizeof damaged_url, "sqlite:%s", damaged_path);
	snprintf(target_url, sizeof target_url, "sqlite:%s", target_path);
	atexit(clean_up);
	fd = open(queried_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	EXPECT(fd >= 0 && write(fd, "teeth and feet", 14) == 14 && close(fd) == 0);

	EXPECT(simhash_tag_set_new_default(&tags, &error) == 0);
	EXPECT(store_open(&where, OPEN_TO_WRITE, &store, &error) == 0);
	EXPECT(store_tag_set_id(store, tags, true, &id, &error) == 0 && id == 1);
	EXPECT(store_host_id(store, "here", true, &id, &error) == 0 && id == 1);
	EXPECT(store_host_id(store, "there", true, &id, &error) == 0 && id == 2);
	store_close(store);
	EXPECT(sqlite3_open(index_path, &database) == SQLITE_OK);
	execute("PRAGMA journal_mode = MEMORY");
	execute("PRAGMA synchronous = OFF");
	enter_directories();
	execute("CREATE TEMP TABLE good_tag AS SELECT * FROM tag");
	execute("CREATE TEMP TABLE good_directory AS SELECT * FROM directory");
	prepare_insert();
	return 0;
}

/* ---- Rows ---- */

/*
 * A sketch, derived from the row, of other content or of a slightly different one; one in five rows
 * has none.
 */
static void make_sketch(struct file_row *row, bool is_new, int number)
{
	uint64_t random = row->table.count[0] + (uint64_t)row->size_bytes + (uint64_t)number;

	for (int i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		if (is_new || random >> 60 == 0)
			row->resemblance.registers[i] = (uint8_t)(random >> 40);
	}
}

/* A row near to the previous one, so that there are pairs to find. */
static void take_row(struct input *in, struct file_row *row, char name[16], int number)
{
	static const char *const extensions[] = {"", ".c", ".txt", ".gz"};
	uint8_t choices = take_byte(in), directory[DIRECTORY_HASH_SIZE];

	if ((choices & 3) == 0) {
		uint64_t largest;
		row->size_bytes = (int64_t)(take_number(in, (choices >> 4 & 7) + 1u) & INT64_MAX);
		largest = (uint64_t)row->size_bytes;
		for (int t = 0; t < SIMHASH_TAGS; t++)
			row->table.count[t] = largest == 0 ? 0 : take_number(in, 2) % (largest + 1);
		memset(row->content_hash, choices, CONTENT_HASH_SIZE);
	} else if ((choices & 3) == 1) {
		uint64_t *count = &row->table.count[take_byte(in) % SIMHASH_TAGS];
		if (*count < (uint64_t)row->size_bytes)
			++*count;
		row->content_hash[0] = choices;
	} /* otherwise a copy */
	if ((choices & 3) < 2)
		make_sketch(row, (choices & 3) == 0, number);
	row->has_resemblance = number % 5 != 4;
	snprintf(name, 16, "%d%s", number, extensions[choices >> 2 & 3]);
	row->host = 1 + (choices >> 7);
	row->directory.data = directories[choices >> 5 & 3];
	row->directory.size = strlen(row->directory.data);
	row->name = (struct bytes){name, strlen(name)};
	row->inode = choices & 0x10 ? 7 : number;
	row->links = choices & 0x10 ? 2 : 1;
	directory_hash(row->directory, directory);
	path_hash(directory, row->name, row->path_hash);
	simhash_keys_compute(tags, &row->table, row->name.data, row->name.size, &row->keys);
}

static void bind_row(const struct file_row *row)
{
	const struct bytes blobs[] = {
		{(const char *)row->path_hash, PATH_HASH_SIZE}, row->directory, row->name, {"", 0}};
	const int64_t numbers[] = {row->size_bytes, row->mtime_ns, row->device,
				   row->inode,	    row->links,	   row->compressed_size_bytes};
	struct file_cell cell = cell_of(row);
	int at = 1;

	sqlite3_bind_int64(insert, at++, 1);
	sqlite3_bind_int64(insert, at++, row->host);
	for (size_t i = 0; i < 4; i++)
		sqlite3_bind_blob(insert, at++, blobs[i].data, (int)blobs[i].size,
				  SQLITE_TRANSIENT);
	for (size_t i = 0; i < 6; i++)
		sqlite3_bind_int64(insert, at++, numbers[i]);
	sqlite3_bind_blob(insert, at++, row->content_hash, CONTENT_HASH_SIZE, SQLITE_TRANSIENT);
	sqlite3_bind_int64(insert, at++, row->scanned_at_ns);
	sqlite3_bind_int64(insert, at++, bucket_of(row));
	sqlite3_bind_int64(insert, at++, cell.cell);
	for (size_t i = 0; i < SIGNED_SUMS; i++)
		sqlite3_bind_int64(insert, at++, cell.signed_sum[i]);
	for (size_t i = 0; i < OUTLINES; i++)
		sqlite3_bind_int64(insert, at++, cell.outline[i]);
	if (row->has_resemblance)
		sqlite3_bind_blob(insert, at++, row->resemblance.registers,
				  sizeof row->resemblance.registers, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(insert, at++);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		sqlite3_bind_int64(insert, at++, (int64_t)row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		sqlite3_bind_int64(insert, at++, row->keys.key[k]);
	EXPECT(at == COLUMNS + 1);
}

/* A value of any type. The schema refuses NULL, and then the row does not exist. */
static void bind_odd(sqlite3_stmt *statement, int at, struct input *in)
{
	static const int64_t edges[] = {-1, 0, 1, INT64_MAX, INT64_MIN, INT64_MAX - 1, 1 << 30, 7};
	uint8_t type = take_byte(in);
	uint64_t number;
	double real;
	size_t size;
	const uint8_t *bytes;

	switch (type % 6) {
	case 0:
		sqlite3_bind_int64(statement, at, edges[type / 6 % 8]);
		break;
	case 1:
		number = take_number(in, 8);
		sqlite3_bind_int64(statement, at, (int64_t)number);
		break;
	case 2:
		number = take_number(in, 8);
		memcpy(&real, &number, sizeof real);
		sqlite3_bind_double(statement, at, real);
		break;
	case 3:
		bytes = take_bytes(in, type / 6, &size);
		sqlite3_bind_text(statement, at, size == 0 ? "" : (const char *)bytes, (int)size,
				  SQLITE_TRANSIENT);
		break;
	case 4:
		bytes = take_bytes(in, type / 6, &size);
		sqlite3_bind_blob(statement, at, size == 0 ? "" : (const char *)bytes, (int)size,
				  SQLITE_TRANSIENT);
		break;
	default:
		sqlite3_bind_zeroblob(statement, at, type / 6 * 100);
		break;
	}
}

/* Change the small tables with one of these statements. */
static void change_other(struct input *in)
{
	static const char *const changes[] = {
		"UPDATE host SET name = ? WHERE id = 2",
		"INSERT OR IGNORE INTO host(id, name) VALUES (?, 'third')",
		"UPDATE tag SET pattern = ? WHERE tag_set = 1 AND position = 3",
		"UPDATE tag SET skew = ? WHERE tag_set = 1 AND position = 0",
		"UPDATE OR IGNORE tag SET position = ? WHERE tag_set = 1 AND position = 1",
		"UPDATE tag_set SET name = ?",
		"INSERT OR IGNORE INTO tag_set(id, name) VALUES (?, 'second')",
		"INSERT OR REPLACE INTO directory VALUES (1, 1, X'0011223344556677', ?)",
		"INSERT OR REPLACE INTO directory VALUES (1, 1, ?, X'2f61')",
		"INSERT INTO scan_run(tag_set, host, root, started_at_ns) VALUES (1, 1, X'2f', ?)",
		"INSERT INTO scan_run(tag_set, host, root, started_at_ns) VALUES (1, 1, ?, 0)",
		"UPDATE file SET host = ?",
		"UPDATE file SET directory = ?",
		"UPDATE file SET name = ?",
		"UPDATE file SET extension = ?",
		"UPDATE file SET mtime_ns = ?",
		"UPDATE file SET resemblance_sketch = ? WHERE path_hash < X'80'",
	};
	const char *sql = changes[take_byte(in) % (sizeof changes / sizeof *changes)];
	sqlite3_stmt *statement;

	EXPECT(sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK);
	bind_odd(statement, 1, in);
	sqlite3_step(statement);
	sqlite3_finalize(statement);
}

static void make_rows(struct input *in, uint8_t changes)
{
	int rows = take_byte(in) % (ROWS_MAX + 1);
	struct file_row row = {.size_bytes = 100};
	char name[16];

	execute("BEGIN; DELETE FROM file; DELETE FROM scan_run; DELETE FROM directory; "
		"INSERT INTO directory SELECT * FROM good_directory; "
		"DELETE FROM tag; INSERT INTO tag SELECT * FROM good_tag; DELETE FROM host; "
		"DELETE FROM tag_set; INSERT INTO tag_set(id, name) VALUES (1, 'sample'); "
		"INSERT INTO host(id, name) VALUES (1, 'here'), (2, 'there')");
	for (int i = 0; i < rows && in->left > 0; i++) {
		take_row(in, &row, name, i);
		bind_row(&row);
		if (changes > 0 && take_byte(in) % 4 == 0) {
			bind_odd(insert, 1 + take_byte(in) % COLUMNS, in);
			changes--;
		}
		sqlite3_step(insert);
		sqlite3_reset(insert);
	}
	for (; changes > 0 && in->left > 0; changes--)
		change_other(in);
	execute("COMMIT");
}

/* Change some bytes of the index file, or truncate it. */
static void damage(struct input *in)
{
	int from = open(index_path, O_RDONLY | O_CLOEXEC), to;
	size_t size, flips = 1 + take_byte(in) % FLIPS_MAX;
	struct stat status;
	uint8_t *bytes;

	EXPECT(from >= 0 && fstat(from, &status) == 0);
	size = (size_t)status.st_size;
	bytes = malloc(size);
	EXPECT(bytes != NULL && read(from, bytes, size) == status.st_size);
	close(from);
	for (; flips > 0 && in->left > 0; flips--) {
		size_t at = (size_t)take_number(in, 3) % size;
		uint8_t value = take_byte(in);
		/* Most of the file is unused, so half of the changes are in the first page. */
		bytes[value & 1 ? at % 4096 : at] = take_byte(in);
	}
	if (take_byte(in) % 8 == 1)
		size = (size_t)take_number(in, 3) % size;
	remove_index(damaged_path);
	to = open(damaged_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	EXPECT(to >= 0 && write(to, bytes, size) == (ssize_t)size);
	close(to);
	free(bytes);
}

/* ---- Searches ---- */

struct taking {
	struct listing *listing;
	struct pair_list *kept;
};

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct taking *taking = context;

	EXPECT(pair->relation.resemblance >= 0 && pair->relation.resemblance <= 1);
	EXPECT(!pair->relation.is_identical || pair->relation.verification == PAIR_HASH);
	EXPECT(!pair->relation.is_part || pair->relation.contained_a <= 1);
	return taking->kept != NULL ? pair_list_add(taking->kept, pair, error)
				    : listing_add(taking->listing, thread, pair, error);
}

static void unreadable(void *context, struct bytes path, int system_errno)
{
	(void)context;
	(void)path;
	(void)system_errno;
}

static void expect_told(int status, const struct simhash_error *error)
{
	EXPECT(status == 0 || (error->code != SIMHASH_E_NONE && error->message[0] != '\0'));
}

static void ignore_file(void *context, const struct find_file *file, int system_errno)
{
	(void)context;
	(void)file;
	(void)system_errno;
}

#define GROUPS_MEMORY 600 /* so that most groups are in a file */
#define GROUPS_ALL ((size_t)16 << 20)

/* The groups of a list of pairs, sorted. Always release them, also after an error. */
static int sort_pairs(const struct pair_list *kept, const struct find_request *request,
		      enum linkage linkage, size_t memory_bytes, struct group_sorter *groups,
		      struct simhash_error *error)
{
	const struct group_order order = {.key = NULL};
	struct group_list made;
	int status = group_pairs(kept, request, linkage, &made, error);

	group_sorter_init(groups, memory_bytes, &order);
	if (status == 0)
		status = group_sorter_add(groups, &made, error);
	group_list_release(&made);
	return status == 0 ? group_sorter_end(groups, error) : -1;
}

static int write_report(struct store *store, const struct find_request *request,
			const struct pair_list *kept, FILE *out, struct simhash_error *error)
{
	struct key_space space;
	struct group_sorter groups;
	const struct listing_order order = {.by = SORT_DEFAULT};
	struct report report = {.origin = {.index = "sqlite:index.db", .host = "here"},
				.order = &order,
				.groups = &groups,
				.space = &space,
				.tags = tags,
				.rule = &request->rule,
				.unreadable = ignore_file};
	int status = -1;

	if (key_space_read(store, tags, 1, &space, error) != 0)
		return -1;
	if (sort_pairs(kept, request, LINK_SINGLE, GROUPS_MEMORY, &groups, error) == 0)
		status = report_write(out, &report, error);
	group_sorter_release(&groups);
	key_space_release(&space);
	return status;
}

static int add_copies(void *context, struct keep_file *files, size_t count,
		      struct simhash_error *error)
{
	return plan_script_add(context, files, count, error);
}

static int write_script(const struct pair_list *kept, struct simhash_error *error)
{
	const struct keep_policy policy = {.action = ACTION_REPORT};
	const struct script_request request = {.policy = &policy, .host = "host"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct copy_sorter *copies;
	struct plan_script script;
	int status;

	EXPECT(out != NULL && copy_sorter_new(GROUPS_ALL, false, &copies, error) == 0);
	for (size_t i = 0; i < kept->count; i++)
		if (kept->pairs[i].relation.is_identical) {
			EXPECT(copy_sorter_add(copies, kept->pairs[i].a, error) == 0);
			EXPECT(copy_sorter_add(copies, kept->pairs[i].b, error) == 0);
		}
	EXPECT(plan_script_begin(&script, out, &request, error) == 0);
	status = copy_sorter_each(copies, add_copies, &script, error);
	plan_script_end(&script);
	copy_sorter_free(copies);
	fclose(out);
	free(text);
	return status;
}

static int write_groups(struct listing *listing, const struct group_sorter *groups,
			struct simhash_error *error)
{
	if (!listing->formatter->is_text)
		return listing_write_groups(listing, groups, error);
	listing->folds = groups->totals.groups % 2 == 0;
	if (listing_note_blocks(listing, groups, error) != 0)
		return -1;
	listing_begin_marked(listing);
	return listing_write_blocks(listing, groups, error);
}

static int write_kept(struct store *store, const struct find_request *request,
		      struct listing *listing, const struct pair_list *kept, uint8_t how,
		      struct simhash_error *error)
{
	struct group_sorter groups;
	int status;

	switch (how % 4) {
	case 0:
		return listing_write_pairs(listing, kept, error);
	case 1:
		return write_report(store, request, kept, listing->file, error);
	case 2:
		return write_script(kept, error);
	default:
		status = sort_pairs(kept, request, how & 4 ? LINK_SINGLE : LINK_REPRESENTATIVE,
				    GROUPS_MEMORY, &groups, error);
		if (status == 0)
			status = write_groups(listing, &groups, error);
		group_sorter_release(&groups);
		return status;
	}
}

static void expect_same_groups(const struct group_sorter *x, const struct group_sorter *y)
{
	struct simhash_error error;
	struct group_cursor of_x, of_y;

	EXPECT(x->totals.groups == y->totals.groups && x->totals.files == y->totals.files);
	EXPECT(group_cursor_begin(&of_x, x, &error) == 0);
	EXPECT(group_cursor_begin(&of_y, y, &error) == 0);
	while (group_cursor_next(&of_x, &error) == 1) {
		EXPECT(group_cursor_next(&of_y, &error) == 1);
		EXPECT(of_x.group.id == of_y.group.id && of_x.group.count == of_y.group.count);
		for (size_t m = 0; m < of_x.group.count; m++) {
			const struct group_member *a = &of_x.members[m], *b = &of_y.members[m];
			EXPECT(a->role == b->role && a->relation.distance == b->relation.distance);
			EXPECT(find_file_compare(a->file, b->file) == 0);
		}
	}
	EXPECT(of_x.number == x->totals.groups && group_cursor_next(&of_y, &error) == 0);
	group_cursor_release(&of_x);
	group_cursor_release(&of_y);
}

/*
 * Is each name of a file in a pair with the other names? If not, a list may not know which name is
 * first.
 */
static bool pairs_all_names(const struct find_request *request)
{
	const struct find_rule *rule = &request->rule;

	return request->hard_links ||
	       (rule->candidates == CANDIDATES_EXACT && rule->extension_count == 0 &&
		!rule->verify.same_extension && !rule_is_by_extension(rule));
}

/*
 * Groups found through few pairs, and groups found without pairs, are the same as groups of all
 * pairs, if these are known.
 */
static void find_groups(struct store *store, const struct find_request *request,
			const struct find_resources *resources, const struct pair_list *all,
			uint8_t how)
{
	enum linkage linkage = how & 4 ? LINK_SINGLE : LINK_REPRESENTATIVE;
	const struct find_sink sink = {.unreadable = unreadable};
	const struct group_order order = {.key = NULL};
	struct group_sorter groups, expected;
	struct simhash_error error;
	struct finder finder;

	if (!finder_finds_groups(request))
		return;
	EXPECT(finder_init(&finder, store, request, &sink, resources, &error) == 0);
	group_sorter_init(&groups, GROUPS_MEMORY, &order);
	group_sorter_init(&expected, GROUPS_ALL, &order);
	EXPECT(finder_groups(&finder, linkage, &groups, &error) == 0);
	EXPECT(group_sorter_end(&groups, &error) == 0);
	EXPECT(finder_groups_without_pairs(&finder, linkage, &expected, &error) == 0);
	EXPECT(group_sorter_end(&expected, &error) == 0);
	expect_same_groups(&groups, &expected);
	group_sorter_release(&expected);
	finder_release(&finder);
	if (all != NULL && pairs_all_names(request)) {
		EXPECT(sort_pairs(all, request, linkage, GROUPS_ALL, &expected, &error) == 0);
		expect_same_groups(&groups, &expected);
		group_sorter_release(&expected);
	}
	group_sorter_release(&groups);
}

static int find(struct store *store, const struct find_request *request,
		const struct find_resources *resources, uint8_t how, struct find_counts *counts,
		struct simhash_error *error)
{
	static const char *const formats[] = {"text", "csv", "json", "jsonl", "null"};
	const char *query = queried_path;
	struct listing listing;
	struct pair_list kept;
	struct taking taking = {.listing = &listing, .kept = how & 0x40 ? &kept : NULL};
	const struct find_sink sink = {
		.context = &taking, .pair = take_pair, .unreadable = unreadable};
	struct finder finder;
	int status = finder_init(&finder, store, request, &sink, resources, error);

	if (status != 0)
		return -1;
	pair_list_init(&kept);
	EXPECT(listing_open(&listing, "/dev/null", formatter_find(formats[how % 5]),
			    resources->threads, FIND_MEMORY_DEFAULT, store, error) == 0);
	if (how & 0x20) /* like on a terminal */
		listing.how = (struct presentation){{listing.formatter->format, true},
						    true,
						    listing.formatter->is_text,
						    80,
						    NULL};
	status = how & 0x80 ? finder_files(&finder, &query, 1, error) : finder_all(&finder, error);
	*counts = finder.counts;
	if (status == 0 && (how & 0x80) == 0)
		find_groups(store, request, resources,
			    taking.kept != NULL && request->expand ? &kept : NULL, how);
	if (status == 0)
		status = taking.kept == NULL
				 ? listing_write(&listing, error)
				 : write_kept(store, request, &listing, &kept, how >> 3, error);
	listing_release(&listing);
	pair_list_release(&kept);
	finder_release(&finder);
	return status;
}

/* Search twice, with different blocks and numbers of threads: both must agree if they succeed. */
static void find_twice(struct store *store, struct find_request *request, struct input *in)
{
	uint8_t how = take_byte(in);
	struct find_resources resources = {.threads = 1, .block_rows = ROWS_MAX + 1};
	struct simhash_error error = {.message = ""};
	struct find_counts one, two;
	int status;

	request->nearest = how & 3;
	status = find(store, request, &resources, how, &one, &error);
	expect_told(status, &error);
	if (status != 0)
		return;
	resources.threads = 1 + (how & 1);
	resources.block_rows = 1 + take_byte(in) % 16;
	resources.memory_bytes = 4096; /* so that rows are in a file */
	EXPECT(find(store, request, &resources, how, &two, &error) == 0);
	EXPECT(one.identical == two.identical && one.similar == two.similar);
}

/* Reads the data with which simhash notices changes. */
static void read_known(struct store *store)
{
	const struct row_scope scope = {1, 1};
	struct simhash_error error = {.message = ""};
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct known_directories below;
	struct known_directory directory;
	struct known_files files;
	struct known_file known;
	int status;

	directory_hash((struct bytes){"/a", 2}, hash);
	status = known_files_begin(&files, store, &scope, hash, &error);
	while (status == 0 && (status = known_files_next(&files, &known, &error)) == 1)
		status = 0;
	known_files_end(&files);
	expect_told(status, &error);
	status = known_directories_begin(&below, store, &scope, (struct bytes){"/", 1}, &error);
	while (status == 0 && (status = known_directories_next(&below, &directory, &error)) == 1)
		status = 0;
	known_directories_end(&below);
	expect_told(status, &error);
}

/* Reads the data of simhash --status. */
static void read_status(struct store *store)
{
	struct simhash_error error = {.message = ""};
	struct simhash_tag_set *set;
	struct scan_run_list runs;
	struct name_list names;
	struct scope_total *totals;
	size_t count;
	int64_t id;

	expect_told(store_read_tag_sets(store, &names, &error), &error);
	name_list_release(&names);
	expect_told(store_read_runs(store, &runs, &error), &error);
	scan_run_list_release(&runs);
	expect_told(store_read_totals(store, &totals, &count, &error), &error);
	free(totals);
	if (store_read_tag_set(store, 1, &set, &error) != 0)
		return;
	/* Every tag set that can be read is in the index. */
	EXPECT(store_tag_set_id(store, set, false, &id, &error) != 0 || id != 0);
	simhash_tag_set_free(set);
}

static void copy(const char *url)
{
	const struct copy_options options = {.from = {.url = url}, .to = {.url = target_url}};
	struct copy_summary summary;
	struct simhash_error error = {.message = ""};

	remove_index(target_path);
	if (index_copy(&options, &summary, &error) != 0)
		EXPECT(error.message[0] != '\0');
	else /* all rows are new there, and the same when they are read again */
		EXPECT(summary.copied == summary.rows &&
		       summary.checksum_from == summary.checksum_to);
}

static struct find_request take_request(struct input *in)
{
	struct find_request request;
	uint8_t choices = take_byte(in), more = take_byte(in);
	struct simhash_tolerance *tolerance = &request.rule.tolerance;
	struct simhash_error error;

	find_request_init(&request);
	request.tags = tags;
	request.host = "here";
	if (choices & 1)
		tolerance->percent_millionths = 100 * SIMHASH_MILLION;
	if (choices & 2)
		tolerance->size_ratio_millionths = SIMHASH_MILLION * SIMHASH_MILLION;
	request.rule.key = (enum simhash_key)(more % SIMHASH_KEYS);
	if (more & 0x80)
		EXPECT(rule_add_tolerance(&request.rule, "c=0.05", &error) == 0);
	request.rule.verify.mode = more & 0x40 ? VERIFY_SKETCH : VERIFY_NO;
	request.rule.verify.same_extension = (more & 0x60) == 0x60;
	if (more & 8)
		request.rule.verify.min_resemblance = 0.5;
	request.rule.verify.by_keys = (more & 0x50) != 0x50;
	if (more & 4)
		request.rule.unverified_percent_millionths = INT64_MAX;
	request.rule.candidates = choices & 4 ? CANDIDATES_KEY : CANDIDATES_EXACT;
	request.with_empty = choices & 8;
	request.expand = choices & 16;
	request.hard_links = choices & 32;
	if (choices & 64) {
		request.parts = 3;
		request.part = more / 8 % 3;
	}
	request.has_between = choices & 128;
	request.between[0] = (struct find_side){"here", {"/a", 2}};
	request.between[1] = (struct find_side){"there", {"", 0}};
	return request;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct find_request request = take_request(&in);
	uint8_t action = take_byte(&in);
	bool is_damaged = action >= 0xc0;
	struct simhash_error error = {.message = ""};
	struct store_location where = {.url = NULL};
	struct store *store;
	struct input how;

	how.at = take_bytes(&in, 2, &how.left);
	make_rows(&in, is_damaged ? 0 : take_byte(&in) % CHANGES_MAX);
	if (is_damaged)
		damage(&in);
	where.url = is_damaged ? damaged_url : index_url;
	if (action % 64 == 63 && how.left > 0 && how.at[0] % 4 == 0)
		copy(where.url);
	if (store_open(&where, OPEN_TO_READ, &store, &error) != 0) {
		EXPECT(is_damaged && error.message[0] != '\0');
		goto out;
	}
	if (action % 16 == 1)
		read_status(store);
	else if (action % 16 == 5)
		read_known(store);
	else
		find_twice(store, &request, &how);
	store_close(store);
out:
	rule_release(&request.rule);
	return 0;
}
