/*
 * Compares the actions for files and rows of a directory with the rules in their simplest form.
 * When the test is linked, the calls of reconcile.c to the disk, the index and the feed are
 * replaced.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "index/compare/reconcile.h"
#include "index/walk/failures.h"
#include "random.h"
#include "scan/file/container_kind.h"
#include "store/rows/known_table.h"

#define ENTRIES 7
#define SCANNED_AT (INT64_C(1000) * 1000000000)
#define KINDS 5U

/* A name with its file and its row, if they exist. */
struct entry {
	const char *name;
	size_t own;		 /* the file whose content it is, or itself */
	struct found_file found; /* set by the walk if it is in the chunk */
	/* is_old: it existed before the last run, so it may have been moved */
	bool in_chunk, is_old;
	bool has_row, row_is_gone; /* row_is_gone: since the rows were read ahead */
	struct known_file row;
	int now; /* the result of looking at the disk: 0, or an errno */
	struct stat status;
};

enum rows_from { ROWS_ASKED, ROWS_AHEAD, ROWS_AS_DIGEST };

/* The actions for a name. */
struct outcome {
	unsigned scans, waits, content_waits, removed, lost, replaced, has_new_names, relinks,
		reports;
	bool is_unchanged, looks_only, had_sketch, had_members, knows_content;
	unsigned kinds, filter;
	int64_t links;
};

static struct {
	struct entry entries[ENTRIES];
	struct reconciler reconciler;
	enum rows_from rows_from;
	enum chunk_part part;
	bool inodes_last, has_room;
	uint64_t unchanged; /* expected */
	struct outcome done[ENTRIES];
	/* The cursor of the index. */
	size_t next, end;
	bool is_reading; /* rows of the index */
	struct known_row ahead[ENTRIES];
	size_t ahead_count;
} world;

static struct simhash_error error;
static struct put_aside aside;

static bool chance(unsigned percent)
{
	return next_random() % 100 < percent;
}

static size_t place(const uint8_t hash[PATH_HASH_SIZE])
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (memcmp(world.entries[i].found.path_hash, hash, PATH_HASH_SIZE) == 0)
			return i;
	fail_msg("another path");
	return 0;
}

/* ---- Replaces the feed, the files put aside, the failures and the disk ---- */

int __wrap_feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
		     struct simhash_error *e);
int __wrap_feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE],
		       struct simhash_error *e);
int __wrap_feed_relink(struct feed *feed, const struct relinked_file *file,
		       struct simhash_error *e);
int __wrap_put_aside_file(struct put_aside *to, struct directory *directory,
			  const struct found_file *file, struct simhash_error *e);
int __wrap_put_aside_row(struct put_aside *to, struct directory *directory,
			 const struct known_file *known, struct bytes name, bool is_replaced,
			 struct simhash_error *e);
int __wrap_put_aside_linked(struct put_aside *to, const struct found_file *file,
			    struct simhash_error *e);
void __wrap_failures_report(struct failures *failures, unsigned root, struct bytes path,
			    int system_errno);
int __wrap_fstatat(int fd, const char *name, struct stat *status, int flags);
int __wrap_fstatat64(int fd, const char *name, struct stat *status, int flags);
bool __wrap_inodes_are_lasting(int fd);

int __wrap_feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
		     struct simhash_error *e)
{
	size_t at = place(file->path_hash);
	struct outcome *done = &world.done[at];
	const struct entry *entry = &world.entries[at];

	(void)feed, (void)directory, (void)e;
	assert_string_equal(file->name, entry->name);
	assert_int_equal(file->is_inflated, entry->own != at);
	done->scans++;
	done->is_unchanged = file->is_unchanged;
	done->looks_only = file->looks_only;
	done->had_sketch = file->had_sketch;
	done->had_members = file->had_members;
	done->kinds = file->kinds;
	done->filter = file->filter;
	done->knows_content = file->known_content != NULL;
	if (file->known_content != NULL)
		assert_memory_equal(file->known_content, entry->row.content_hash,
				    CONTENT_HASH_SIZE);
	return 0;
}

int __wrap_feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE],
		       struct simhash_error *e)
{
	(void)feed, (void)e;
	world.done[place(hash)].removed++;
	return 0;
}

int __wrap_feed_relink(struct feed *feed, const struct relinked_file *file, struct simhash_error *e)
{
	struct outcome *done = &world.done[place(file->path_hash)];

	(void)feed, (void)e;
	done->relinks++;
	done->links = file->links;
	return 0;
}

int __wrap_put_aside_file(struct put_aside *to, struct directory *directory,
			  const struct found_file *file, struct simhash_error *e)
{
	size_t at = 0;

	(void)to, (void)directory, (void)e;
	/* A content that is not requested has the path hash of its file. */
	while (strcmp(world.entries[at].name, file->name) != 0)
		at++;
	if (file->moves_only)
		world.done[world.entries[at].own].content_waits++;
	else if (world.entries[at].is_old)
		world.done[at].waits++;
	return world.entries[at].is_old;
}

int __wrap_put_aside_row(struct put_aside *to, struct directory *directory,
			 const struct known_file *known, struct bytes name, bool is_replaced,
			 struct simhash_error *e)
{
	size_t at = place(known->path_hash);

	(void)to, (void)directory, (void)e;
	assert_int_equal(name.size, strlen(world.entries[at].name));
	if (!world.has_room)
		return 0;
	world.done[at].replaced += is_replaced;
	world.done[at].lost += !is_replaced;
	return 1;
}

int __wrap_put_aside_linked(struct put_aside *to, const struct found_file *file,
			    struct simhash_error *e)
{
	(void)to, (void)e;
	world.done[place(file->path_hash)].has_new_names++;
	return 1;
}

void __wrap_failures_report(struct failures *failures, unsigned root, struct bytes path,
			    int system_errno)
{
	(void)failures, (void)root;
	for (size_t i = 0; i < ENTRIES; i++)
		if (path.size == 3 + strlen(world.entries[i].name) &&
		    strcmp(path.data + 3, world.entries[i].name) == 0)
			world.done[i].reports += world.entries[i].now == system_errno;
}

int __wrap_fstatat(int fd, const char *name, struct stat *status, int flags)
{
	(void)fd;
	assert_int_equal(flags == 0, world.reconciler.follow);
	for (size_t i = 0; i < ENTRIES; i++)
		if (strcmp(world.entries[i].name, name) == 0) {
			*status = world.entries[i].status;
			errno = world.entries[i].now;
			return errno == 0 ? 0 : -1;
		}
	fail_msg("a look at %s", name);
	return -1;
}

int __wrap_fstatat64(int fd, const char *name, struct stat *status, int flags)
{
	return __wrap_fstatat(fd, name, status, flags);
}

bool __wrap_inodes_are_lasting(int fd)
{
	(void)fd;
	return world.inodes_last;
}

/* ---- Replaces the index ---- */

int __wrap_store_renew_view(struct store *store, struct simhash_error *e);
void __wrap_store_end_view(struct store *store);
int __wrap_known_files_begin(struct known_files *files, struct store *store,
			     const struct row_scope *scope, const uint8_t *hash,
			     struct simhash_error *e);
int __wrap_known_files_begin_range(struct known_files *files, struct store *store,
				   const struct row_scope *scope, const struct hash_range *range,
				   struct simhash_error *e);
int __wrap_known_files_next(struct known_files *files, struct known_file *known,
			    struct simhash_error *e);
void __wrap_known_files_end(struct known_files *files);
int __wrap_store_find_content(struct store *store, const struct row_scope *scope,
			      const uint8_t hash[PATH_HASH_SIZE], struct known_content *known,
			      bool *found, struct simhash_error *e);
int __wrap_store_find_file(struct store *store, const struct row_scope *scope,
			   const uint8_t hash[PATH_HASH_SIZE], struct known_file *known,
			   bool *found, struct simhash_error *e);
bool __wrap_known_table_has(const struct known_table *table, const uint8_t *hash,
			    struct known_row **rows, size_t *count);
bool __wrap_known_table_is_same(const struct known_table *table, const uint8_t *hash,
				const struct known_row *rows, size_t count);

int __wrap_store_renew_view(struct store *store, struct simhash_error *e)
{
	(void)store, (void)e;
	return 0;
}

void __wrap_store_end_view(struct store *store)
{
	(void)store;
}

int __wrap_known_files_begin(struct known_files *files, struct store *store,
			     const struct row_scope *scope, const uint8_t *hash,
			     struct simhash_error *e)
{
	(void)files, (void)store, (void)scope, (void)hash, (void)e;
	assert_true(world.reconciler.has_rows && world.reconciler.has_view);
	world.next = 0;
	world.end = ENTRIES;
	world.is_reading = true;
	return 0;
}

int __wrap_known_files_begin_range(struct known_files *files, struct store *store,
				   const struct row_scope *scope, const struct hash_range *range,
				   struct simhash_error *e)
{
	(void)files, (void)store, (void)scope, (void)e;
	assert_true(world.reconciler.has_rows && world.reconciler.has_view);
	assert_memory_equal(range->low, range->high, PATH_HASH_SIZE);
	world.next = place(range->low);
	world.is_reading = true;
	world.end = world.next + 1;
	return 0;
}

int __wrap_known_files_next(struct known_files *files, struct known_file *known,
			    struct simhash_error *e)
{
	(void)files, (void)e;
	while (world.next < world.end &&
	       (!world.entries[world.next].has_row || world.entries[world.next].row_is_gone))
		world.next++;
	if (world.next == world.end)
		return 0;
	*known = world.entries[world.next].row;
	known->name = bytes_of(world.entries[world.next++].name);
	return 1;
}

void __wrap_known_files_end(struct known_files *files)
{
	(void)files;
	world.is_reading = false;
}

/* On a server, rows that are being read occupy the connection. */
int __wrap_store_find_content(struct store *store, const struct row_scope *scope,
			      const uint8_t hash[PATH_HASH_SIZE], struct known_content *known,
			      bool *found, struct simhash_error *e)
{
	(void)store, (void)scope, (void)hash, (void)known, (void)e;
	assert_true(world.reconciler.has_rows && world.reconciler.has_view && !world.is_reading);
	*found = false;
	return 0;
}

int __wrap_store_find_file(struct store *store, const struct row_scope *scope,
			   const uint8_t hash[PATH_HASH_SIZE], struct known_file *known,
			   bool *found, struct simhash_error *e)
{
	const struct entry *entry = &world.entries[place(hash)];

	(void)store, (void)scope, (void)e;
	assert_true(world.reconciler.has_rows && world.reconciler.has_view);
	*found = entry->has_row && !entry->row_is_gone;
	if (*found)
		*known = entry->row;
	return 0;
}

bool __wrap_known_table_has(const struct known_table *table, const uint8_t *hash,
			    struct known_row **rows, size_t *count)
{
	(void)table, (void)hash;
	*rows = world.ahead;
	*count = world.rows_from == ROWS_AHEAD ? world.ahead_count : 0;
	return world.rows_from == ROWS_AHEAD;
}

bool __wrap_known_table_is_same(const struct known_table *table, const uint8_t *hash,
				const struct known_row *rows, size_t count)
{
	(void)table, (void)hash;
	return world.rows_from == ROWS_AS_DIGEST && count == world.ahead_count &&
	       memcmp(rows, world.ahead, count * sizeof *rows) == 0;
}

/* ---- The rules ---- */

static bool is_content(const struct entry *entry)
{
	return entry != &world.entries[entry->own];
}

static int64_t size_in_row(const struct entry *entry)
{
	return is_content(entry) ? entry->row.compressed_size_bytes : entry->row.size_bytes;
}

/*
 * A file is scanned, or waits if it may have been moved here. The content of a gzip file goes with
 * it.
 */
static void scan_or_wait(const struct entry *entry, struct outcome *wanted)
{
	const struct reconciler *by = &world.reconciler;

	if (by->aside == NULL || !entry->is_old) {
		wanted->scans = 1;
		return;
	}
	wanted->waits = 1;
	wanted->had_sketch = false;
	if (!entry->has_row || !by->has_rows)
		wanted->content_waits = !by->inflates && strstr(entry->name, ".gz") != NULL;
	else
		wanted->replaced = world.has_room;
}

/* A row without a file is removed or kept for a moved file if there is no regular file. */
static void rules_without_file(const struct entry *entry, struct outcome *wanted)
{
	const struct entry *own = &world.entries[entry->own];
	bool is_there = own->now == 0 && S_ISREG(own->status.st_mode);

	if (own->now == ENOENT || (own->now == 0 && !is_there))
		*(world.reconciler.aside != NULL && world.has_room ? &wanted->lost
								   : &wanted->removed) = 1;
	else if (is_there && is_content(entry) && !world.reconciler.inflates)
		wanted->scans = own->status.st_size != entry->row.compressed_size_bytes ||
				own->status.st_mtim.tv_sec * INT64_C(1000000000) !=
					entry->row.mtime_ns;
}

/* A file with members is opened again for everything that was read from it before. */
static void keep_members(const struct entry *entry, bool is_as_known, struct outcome *wanted)
{
	wanted->scans = 1;
	wanted->had_members = entry->row.has_members;
	if (wanted->had_members) {
		wanted->kinds = KINDS;
		wanted->filter = 9;
		wanted->knows_content = is_as_known && entry->row.has_content_hash;
	}
}

static void rules_with_both(const struct entry *entry, struct outcome *wanted)
{
	const struct reconciler *by = &world.reconciler;
	const struct found_file *found = &entry->found;
	const struct known_file *row = &entry->row;
	int64_t links = by->follow ? 0 : (int64_t)found->links;
	bool same_times = found->size_bytes == size_in_row(entry) &&
			  found->mtime_ns == row->mtime_ns;
	bool same_inode = row->inode == 0 || row->inode == (int64_t)found->inode;
	bool is_exchanged = !same_inode && (world.inodes_last || found->changed_ns > SCANNED_AT);

	if (by->force || row->lacks_sketches || !same_times || !row->is_settled || is_exchanged) {
		wanted->had_sketch = !by->force && same_times && !row->lacks_resemblance;
		if (row->has_members)
			keep_members(entry, same_times, wanted);
		else if (same_inode)
			wanted->scans = 1;
		else
			scan_or_wait(entry, wanted);
	} else if (by->resemble && row->lacks_resemblance) {
		keep_members(entry, same_times, wanted);
		wanted->is_unchanged = true;
	} else {
		world.unchanged++;
		if (row->lacks_look && !is_content(entry)) {
			keep_members(entry, same_times, wanted);
			wanted->looks_only = true;
			wanted->had_sketch = !row->lacks_resemblance;
		} else if (links != row->links) {
			wanted->relinks = 1;
			wanted->links = links;
			wanted->has_new_names = by->aside != NULL && links > row->links;
		}
	}
}

/* If not all files are known, a row without a file means nothing. */
static bool is_looked_for(const struct entry *entry)
{
	return entry->has_row && world.reconciler.has_rows && !entry->row_is_gone &&
	       !entry->in_chunk && world.part != CHUNK_INCOMPLETE;
}

static struct outcome rules(const struct entry *entry)
{
	struct outcome wanted = {0};

	if (entry->in_chunk && entry->has_row && world.reconciler.has_rows)
		rules_with_both(entry, &wanted);
	else if (entry->in_chunk)
		scan_or_wait(entry, &wanted);
	else if (is_looked_for(entry))
		rules_without_file(entry, &wanted);
	/* A file that cannot be examined is reported for its row and for the row of its content. */
	for (size_t i = 0; i < ENTRIES; i++)
		wanted.reports += &world.entries[world.entries[i].own] == entry &&
				  is_looked_for(&world.entries[i]) && entry->now == EACCES;
	return wanted;
}

/* ---- Random directories ---- */

static void make_file(struct entry *entry, struct directory *directory)
{
	entry->in_chunk = chance(70);
	entry->is_old = chance(50);
	entry->found = (struct found_file){
		.name = entry->name,
		.name_size = strlen(entry->name),
		.size_bytes = 1 + (int64_t)(next_random() % 3),
		.mtime_ns = (1 + (int64_t)(next_random() % 3)) * 1000000000,
		.changed_ns = chance(50) ? SCANNED_AT / 2 : SCANNED_AT * 2,
		.device = 1,
		.inode = 1 + next_random() % 3,
		.links = 1 + next_random() % 2,
	};
	if (is_content(entry)) {
		const struct entry *own = &world.entries[entry->own];
		entry->in_chunk = own->in_chunk && world.reconciler.inflates;
		entry->is_old = own->is_old;
		entry->found = own->found;
		entry->found.name = entry->name;
		entry->found.name_size = strlen(entry->name);
		entry->found.is_inflated = true;
	}
	path_hash(directory->hash, bytes_of(entry->name), entry->found.path_hash);
	/* Names that were not listed may exist now. */
	entry->status.st_mode = chance(80) || entry->in_chunk ? S_IFREG : S_IFDIR;
	entry->status.st_size = entry->found.size_bytes;
	entry->status.st_mtim.tv_sec = entry->found.mtime_ns / 1000000000;
	entry->now = entry->in_chunk || chance(20) ? 0
		     : chance(20)		   ? EACCES
		     : chance(20)		   ? ELOOP
						   : ENOENT;
}

static void make_row(struct entry *entry)
{
	struct known_file *row = &entry->row;
	const struct found_file *found = &entry->found;
	bool has_members = !is_content(entry) && chance(20);

	entry->has_row = chance(80);
	*row = (struct known_file){
		.size_bytes = found->size_bytes + (chance(15) ? 9 : 0),
		.mtime_ns = found->mtime_ns + (chance(15) ? 9 : 0),
		.inode = (int64_t)found->inode + (chance(25) ? 9 : 0),
		.links = world.reconciler.follow ? 0 : (int64_t)found->links,
		.scanned_at_ns = SCANNED_AT,
		.is_settled = chance(90),
		.lacks_sketches = chance(5),
		.lacks_resemblance = chance(15),
		.lacks_look = chance(15),
		.has_members = has_members,
		.has_content_hash = has_members && chance(80),
		.contents = has_members ? KINDS | CONTENTS_HAS_MEMBERS |
						  INT64_C(9) << CONTENTS_FILTER_AT
					: 0,
	};
	if (chance(5))
		row->inode = 0; /* unknown */
	row->links += chance(15) ? (chance(50) ? 1 : -1) : 0;
	row->links = row->links < 0 ? 0 : row->links;
	memset(row->content_hash, (int)(1 + (entry - world.entries)), CONTENT_HASH_SIZE);
	if (is_content(entry)) {
		row->compressed_size_bytes = row->size_bytes;
		row->size_bytes = 77;
	}
	memcpy(row->path_hash, found->path_hash, PATH_HASH_SIZE);
	entry->row_is_gone = world.rows_from == ROWS_AHEAD && !entry->in_chunk && chance(10);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return memcmp(x->found.path_hash, y->found.path_hash, PATH_HASH_SIZE);
}

/* Sort the entries like the index and the walk. */
static void sort_entries(void)
{
	const char *owns[ENTRIES];

	for (size_t i = 0; i < ENTRIES; i++)
		owns[i] = world.entries[world.entries[i].own].name;
	for (size_t i = 0; i < ENTRIES; i++)
		world.entries[i].row.name = bytes_of(owns[i]);
	qsort(world.entries, ENTRIES, sizeof *world.entries, compare_entries);
	for (size_t i = 0; i < ENTRIES; i++)
		for (size_t k = 0; k < ENTRIES; k++)
			if (strcmp(world.entries[k].name, world.entries[i].row.name.data) == 0)
				world.entries[i].own = k;
	for (size_t i = 0; i < ENTRIES; i++)
		world.entries[i].row.name = bytes_of("");
}

static void make_world(struct directory *directory)
{
	static const struct {
		const char *name;
		size_t own;
	} names[ENTRIES] = {{"a", 0},	    {"b", 1},	 {"c", 2},	{"x.gz", 3},
			    {"x.gz//x", 3}, {"y.gz", 5}, {"y.gz//y", 5}};

	memset(&world, 0, sizeof world);
	world.part = (enum chunk_part[]){CHUNK_WHOLE, CHUNK_WHOLE, CHUNK_PART,
					 CHUNK_INCOMPLETE}[next_random() % 4];
	world.rows_from = (enum rows_from)(next_random() % 3);
	world.inodes_last = chance(50);
	world.has_room = chance(80);
	world.reconciler = (struct reconciler){
		.begun_ns = INT64_MAX,
		.table = world.rows_from == ROWS_ASKED ? NULL : (struct known_table *)&world,
		.has_rows = chance(90),
		.force = chance(5),
		.resemble = chance(50),
		.inflates = chance(50),
		.follow = chance(20),
		.aside = chance(60) ? &aside : NULL,
	};
	for (size_t i = 0; i < ENTRIES; i++) {
		world.entries[i].name = names[i].name;
		world.entries[i].own = names[i].own;
		make_file(&world.entries[i], directory);
		make_row(&world.entries[i]);
	}
	if (chance(20)) /* nothing has changed */
		for (size_t i = 0; i < ENTRIES; i++) {
			struct entry *entry = &world.entries[i];
			entry->has_row = entry->in_chunk;
			entry->row.mtime_ns = entry->found.mtime_ns;
			entry->row.inode = (int64_t)entry->found.inode;
			entry->row.links = world.reconciler.follow ? 0
								   : (int64_t)entry->found.links;
			entry->row.is_settled = true;
			entry->row.lacks_sketches = entry->row.lacks_look = false;
			entry->row.lacks_resemblance = entry->row.has_members = false;
			*(is_content(entry) ? &entry->row.compressed_size_bytes
					    : &entry->row.size_bytes) = entry->found.size_bytes;
		}
	sort_entries();
	for (size_t i = 0; i < ENTRIES; i++)
		if (world.entries[i].has_row)
			world.ahead[world.ahead_count++] = known_row_of(&world.entries[i].row);
}

/* Reconcile the files, in parts if the walk passes them in parts. */
static void reconcile(struct directory *directory)
{
	struct found_file files[ENTRIES];
	struct feed feed = {0};
	size_t count = 0, first = 0;

	for (size_t i = 0; i < ENTRIES; i++)
		if (world.entries[i].in_chunk)
			files[count++] = world.entries[i].found;
	while (world.part == CHUNK_PART && first < count && chance(60)) {
		struct chunk chunk = {directory, files + first, 1 + next_random() % (count - first),
				      CHUNK_PART};
		assert_int_equal(reconcile_chunk(&world.reconciler, &chunk, &feed, &error), 0);
		first += chunk.count;
	}
	if (world.part == CHUNK_PART)
		world.part = CHUNK_LAST_PART;
	struct chunk chunk = {directory, files + first, count - first, world.part};
	assert_int_equal(reconcile_chunk(&world.reconciler, &chunk, &feed, &error), 0);
}

static unsigned seen[9];

static void check(unsigned round)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		const struct entry *entry = &world.entries[i];
		struct outcome wanted = rules(entry);
		const struct outcome *done = &world.done[i];
		const unsigned counts[] = {wanted.scans,   wanted.waits,      wanted.content_waits,
					   wanted.removed, wanted.lost,	      wanted.replaced,
					   wanted.relinks, wanted.looks_only, wanted.has_new_names};
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
			seen[k] += counts[k];
		if (memcmp(done, &wanted, sizeof wanted) != 0)
			fail_msg("round %u, %s: scans %u of %u, waits %u of %u, removed %u of %u, "
				 "lost %u of %u, replaced "
				 "%u of %u, relinks %u of %u, or with other marks",
				 round, entry->name, done->scans, wanted.scans, done->waits,
				 wanted.waits, done->removed, wanted.removed, done->lost,
				 wanted.lost, done->replaced, wanted.replaced, done->relinks,
				 wanted.relinks);
	}
	assert_int_equal(world.reconciler.unchanged, world.unchanged);
}

static void every_file_and_row_is_dealt_with_by_the_rules(void **state)
{
	struct directory *directory = directory_new_top(-1, 0, "/d");

	(void)state;
	random_begin();
	for (unsigned round = 0; round < 100000; round++) {
		make_world(directory);
		reconcile(directory);
		check(round);
	}
	for (size_t k = 0; k < sizeof seen / sizeof *seen; k++)
		assert_true(seen[k] > 100);
	directory_drop(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_and_row_is_dealt_with_by_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
