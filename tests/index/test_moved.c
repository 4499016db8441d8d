/*
 * Tests files that are put aside and the rows that they get. Random files that were meanwhile
 * renamed, replaced, linked, restored or changed are compared with the rules in their simplest
 * form. The linker replaces the calls to the disk, the index and the feed.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "index/run/moved.h"
#include "random.h"
#include "store/rows/row_reader.h"

#define DIRECTORIES 3
#define INODES 5
#define ITEMS 16
#define KINDS 6U
#define SECOND INT64_C(1000000000)
#define LAST_SCAN (1000 * SECOND)
#define MEMBERS 2

enum role { FILE_WAITS, ROW_LOST, ROW_REPLACED, ROW_LINKED, ROW_VANISHED };

/* A name: of a file that the walk found without a row, or of a row. */
struct item {
	enum role role;
	char name[40], own[20];
	unsigned directory;
	/* The identity that the walk found; for a row, the identity of its file. */
	struct file_identity walked;
	struct file_identity now; /* on the disk, unless now_errno is set */
	int now_errno;
	bool is_content, moves_only, is_kept; /* is_kept: put aside */
	bool is_member;			      /* a member of an archive, which moves with it */
	uint8_t path_hash[PATH_HASH_SIZE];
	struct file_row row;
	uint8_t member_hashes[MEMBERS][PATH_HASH_SIZE];
	/* The actions that were counted. */
	unsigned moves, scans, removals, leavings, given, members_moved;
};

static struct {
	struct directory *directories[DIRECTORIES];
	int open_errno[DIRECTORIES]; /* the errno when it is opened again */
	bool is_other[DIRECTORIES];  /* another directory has its path by then */
	struct item items[ITEMS];
	unsigned count;
	bool loses_connection, is_walked;
	/* Cursors. */
	uint8_t asked[ROWS_WITH_MAX][PATH_HASH_SIZE];
	size_t asked_count, next;
	const uint8_t *in_directory;
} world;

static uint8_t vanished_hashes[1][DIRECTORY_HASH_SIZE];
static unsigned directory_of_fd[1024];
static struct walkers walkers;
static struct vanished vanished;
static struct simhash_error error;
static unsigned seen_moved, seen_linked, seen_disputed, seen_left, seen_back, seen_members;

static bool chance(unsigned percent)
{
	return next_random() % 100 < percent;
}

/* ---- Replaces the disk ---- */

int __wrap_file_identity_read(int directory_fd, const char *name, struct file_identity *identity);
int __wrap_open_path_directly(const char *path, int flags);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat64(int fd, struct stat *status);
bool __wrap_inodes_are_lasting(int fd);
void __wrap_failures_report(struct failures *failures, unsigned root, struct bytes path,
			    int system_errno);

static int new_fd(unsigned directory)
{
	int fd = open("/dev/null", O_RDONLY);

	assert_in_range(fd, 0, 1023);
	directory_of_fd[fd] = directory;
	return fd;
}

int __wrap_file_identity_read(int directory_fd, const char *name, struct file_identity *identity)
{
	for (unsigned i = 0; i < world.count; i++) {
		const struct item *item = &world.items[i];
		if (item->directory != directory_of_fd[directory_fd] ||
		    strcmp(item->own, name) != 0)
			continue;
		*identity = item->now;
		errno = item->now_errno;
		return errno == 0 ? 0 : -1;
	}
	fail_msg("a look at %s", name);
	return -1;
}

int __wrap_open_path_directly(const char *path, int flags)
{
	unsigned directory = (unsigned)(path[1] - '0');

	(void)flags;
	errno = world.open_errno[directory];
	return errno == 0 ? new_fd(directory) : -1;
}

int __wrap_fstat(int fd, struct stat *status)
{
	unsigned directory = directory_of_fd[fd];

	*status = (struct stat){.st_dev = 1, .st_ino = 1 + directory};
	status->st_ino += world.is_walked && world.is_other[directory] ? 100 : 0;
	return 0;
}

int __wrap_fstat64(int fd, struct stat *status)
{
	return __wrap_fstat(fd, status);
}

/* In the last directory, inode numbers change. */
bool __wrap_inodes_are_lasting(int fd)
{
	return directory_of_fd[fd] + 1 < DIRECTORIES;
}

void __wrap_failures_report(struct failures *failures, unsigned root, struct bytes path,
			    int system_errno)
{
	(void)failures, (void)root, (void)path;
	assert_int_equal(system_errno, EACCES);
}

/* ---- Replaces the index ---- */

int __wrap_store_renew_view(struct store *store, struct simhash_error *e);
void __wrap_store_end_view(struct store *store);
int __wrap_store_recover(struct store *store, struct simhash_error *e);
int __wrap_known_files_begin(struct known_files *files, struct store *store,
			     const struct row_scope *scope, const uint8_t *hash,
			     struct simhash_error *e);
int __wrap_known_files_next(struct known_files *files, struct known_file *known,
			    struct simhash_error *e);
void __wrap_known_files_end(struct known_files *files);
int __wrap_store_rows_with(struct row_cursor *cursor, struct store *store, unsigned columns,
			   const struct row_scope *scope, const uint8_t (*hashes)[PATH_HASH_SIZE],
			   size_t count, struct simhash_error *e);
int __wrap_store_rows_next(struct row_cursor *cursor, struct file_row *row,
			   struct simhash_error *e);
void __wrap_store_rows_end(struct row_cursor *cursor);

int __wrap_store_renew_view(struct store *store, struct simhash_error *e)
{
	(void)store, (void)e;
	return 0;
}

void __wrap_store_end_view(struct store *store)
{
	(void)store;
}

int __wrap_store_recover(struct store *store, struct simhash_error *e)
{
	(void)store, (void)e;
	return 0;
}

int __wrap_known_files_begin(struct known_files *files, struct store *store,
			     const struct row_scope *scope, const uint8_t *hash,
			     struct simhash_error *e)
{
	(void)files, (void)store, (void)scope, (void)e;
	world.in_directory = hash;
	world.next = 0;
	return 0;
}

static struct known_file known_of(const struct item *item)
{
	const struct file_row *row = &item->row;
	struct known_file known = {.size_bytes = row->size_bytes,
				   .mtime_ns = row->mtime_ns,
				   .compressed_size_bytes = row->compressed_size_bytes,
				   .inode = row->inode,
				   .name = row->name};

	memcpy(known.path_hash, item->path_hash, PATH_HASH_SIZE);
	return known;
}

/* The rows of the removed directory, or the members of an archive. */
int __wrap_known_files_next(struct known_files *files, struct known_file *known,
			    struct simhash_error *e)
{
	(void)files, (void)e;
	for (; world.next < (size_t)ITEMS * (1 + MEMBERS); world.next++) {
		const struct item *item = &world.items[world.next / (1 + MEMBERS)];
		size_t member = world.next % (1 + MEMBERS);
		const uint8_t *hash = member == 0 ? item->path_hash
						  : item->member_hashes[member - 1];
		if (item >= world.items + world.count || item->role == FILE_WAITS ||
		    (member > 0 && item->row.contents < CONTENTS_HAS_MEMBERS) ||
		    memcmp(hash, world.in_directory, DIRECTORY_HASH_SIZE) != 0)
			continue;
		*known = known_of(item);
		memcpy(known->path_hash, hash, PATH_HASH_SIZE);
		world.next++;
		return 1;
	}
	return 0;
}

void __wrap_known_files_end(struct known_files *files)
{
	(void)files;
}

int __wrap_store_rows_with(struct row_cursor *cursor, struct store *store, unsigned columns,
			   const struct row_scope *scope, const uint8_t (*hashes)[PATH_HASH_SIZE],
			   size_t count, struct simhash_error *e)
{
	(void)cursor, (void)store, (void)columns, (void)scope, (void)e;
	memcpy(world.asked, hashes, count * PATH_HASH_SIZE);
	world.asked_count = count;
	world.next = 0;
	return 0;
}

/* Each row comes once, even if its hash is requested twice. */
static bool was_asked_before(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (memcmp(world.asked[i], world.asked[at], PATH_HASH_SIZE) == 0)
			return true;
	return false;
}

int __wrap_store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *e)
{
	(void)cursor, (void)e;
	if (world.loses_connection && chance(10))
		return -1;
	while (world.next < world.asked_count && was_asked_before(world.next))
		world.next++;
	if (world.next == world.asked_count)
		return 0;
	for (unsigned i = 0; i < world.count; i++) {
		const struct item *item = &world.items[i];
		if (item->role != FILE_WAITS &&
		    memcmp(item->path_hash, world.asked[world.next], PATH_HASH_SIZE) == 0)
			*row = item->row;
		for (size_t m = 0; m < MEMBERS; m++)
			if (memcmp(item->member_hashes[m], world.asked[world.next],
				   PATH_HASH_SIZE) == 0) {
				*row = (struct file_row){.name = {m == 0 ? "m0" : "m1", 2},
							 .directory = {"/x/", 3}};
				memcpy(row->path_hash, item->member_hashes[m], PATH_HASH_SIZE);
			}
	}
	world.next++;
	return 1;
}

void __wrap_store_rows_end(struct row_cursor *cursor)
{
	(void)cursor;
}

/* ---- The rules ---- */

/* Did both belong to one file, as far as the walk and the index knew? */
static bool have_same_key(const struct item *a, const struct item *b)
{
	return a->walked.inode == b->walked.inode && a->walked.size_bytes == b->walked.size_bytes &&
	       a->walked.mtime_ns == b->walked.mtime_ns && a->is_content == b->is_content;
}

static bool can_be_entered(const struct item *item)
{
	return world.open_errno[item->directory] == 0 && !world.is_other[item->directory];
}

/*
 * Rows take part if their file was removed, replaced or has new names, or if their whole directory
 * was removed.
 */
static bool is_gone(const struct item *row)
{
	return row->role == ROW_LOST && row->is_kept && can_be_entered(row) &&
	       (row->now_errno == ENOENT ||
		(row->now_errno == 0 &&
		 (!row->now.is_regular ||
		  (row->is_content && (row->now.inode != row->walked.inode ||
				       row->now.size_bytes != row->walked.size_bytes ||
				       row->now.mtime_ns != row->walked.mtime_ns)))));
}

static bool takes_part(const struct item *item)
{
	return item->role == ROW_LOST ? is_gone(item) : item->is_kept && !item->is_member;
}

/*
 * The row belongs to the file: it has this inode, which was the same when it was scanned, and
 * everything that is wanted.
 */
static bool fits(const struct item *row, const struct item *file)
{
	const struct file_identity *now = &file->now;
	bool is_trusted = now->changed_ns < row->row.scanned_at_ns ||
			  (now->has_birth && now->born_ns < row->row.scanned_at_ns);
	bool has_look = file->is_content || ((unsigned)row->row.contents & KINDS) == KINDS;

	return can_be_entered(file) && file->directory + 1 < DIRECTORIES && file->now_errno == 0 &&
	       now->is_regular && now->device == (uint64_t)row->row.device &&
	       now->inode == row->walked.inode && now->size_bytes == row->walked.size_bytes &&
	       now->mtime_ns == row->walked.mtime_ns && is_trusted && has_look &&
	       row->is_content == file->is_content &&
	       (walkers.request->no_sketch ||
		(row->row.has_resemblance &&
		 (row->row.pieces_made == 1 || walkers.request->no_pieces)));
}

static int compare_paths(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return memcmp((*x)->path_hash, (*y)->path_hash, PATH_HASH_SIZE);
}

/*
 * Files with one key, all in the same state, and its rows. Returns the number of files that get a
 * row.
 */
static unsigned count_moves(const struct item *const *files, unsigned file_count,
			    const struct item **rows, unsigned row_count)
{
	unsigned moved = 0;

	for (unsigned i = 1; i < row_count; i++)
		if (memcmp(rows[i]->row.content_hash, rows[0]->row.content_hash,
			   CONTENT_HASH_SIZE) != 0) {
			seen_disputed++;
			return 0;
		}
	qsort(rows, row_count, sizeof(struct item *), compare_paths);
	for (unsigned i = 0; i < row_count && i < file_count; i++) {
		if (!fits(rows[i], files[0]))
			continue;
		moved++;
		if (rows[i]->role == ROW_LINKED) {
			moved--;
			if (rows[i]->row.contents < CONTENTS_HAS_MEMBERS) {
				seen_linked++;
				return file_count;
			}
		}
	}
	return moved;
}

static bool are_alike(const struct item *a, const struct item *b)
{
	return can_be_entered(a) && can_be_entered(b) && a->directory + 1 < DIRECTORIES &&
	       b->directory + 1 < DIRECTORIES && a->now_errno == 0 && b->now_errno == 0 &&
	       memcmp(&a->now, &b->now, sizeof a->now) == 0;
}

/* Check the files that waited with this one, and the rows with the same key. */
static void check_key(const struct item *first)
{
	const struct item *files[ITEMS], *rows[ITEMS];
	unsigned file_count = 0, row_count = 0, moved = 0;
	bool alike = true;

	for (unsigned i = 0; i < world.count; i++) {
		const struct item *item = &world.items[i];
		if (!takes_part(item) || !have_same_key(item, first))
			continue;
		if (item->role == FILE_WAITS) {
			alike = alike && are_alike(item, first);
			moved += item->moves;
			files[file_count++] = item;
		} else {
			rows[row_count++] = item;
		}
	}
	if (alike)
		assert_int_equal(moved, count_moves(files, file_count, rows, row_count));
	else
		assert_in_range(moved, 0, file_count);
	seen_moved += moved;
}

/* Each item must end in exactly one way. */
static void check_item(const struct item *item)
{
	bool is_file = item->role == FILE_WAITS;
	bool is_scanned = is_file && item->is_kept && !item->moves_only && item->moves == 0 &&
			  can_be_entered(item);

	if (!is_file && item->is_kept && item->role == ROW_LOST && !is_gone(item))
		seen_back++;
	assert_int_equal(item->scans, is_scanned);
	assert_in_range(item->moves, 0, is_file && item->is_kept);
	assert_int_equal(item->removals + item->leavings, !is_file && is_gone(item));
	assert_in_range(item->given, 0, item->role == ROW_LINKED ? ITEMS : 1);
	assert_int_equal(item->members_moved,
			 item->row.contents >= CONTENTS_HAS_MEMBERS ? MEMBERS * item->given : 0);
	seen_left += item->leavings;
}

/* ---- Replaces the feed ---- */

int __wrap_feed_move(struct feed *feed, struct directory *directory, const struct found_file *file,
		     const struct file_row *row, const uint8_t *left, struct simhash_error *e);
int __wrap_feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
		     struct simhash_error *e);
int __wrap_feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE],
		       struct simhash_error *e);
void __wrap_feed_flush(struct feed *feed);
void __wrap_feed_limit_directories(struct feed *feed, unsigned max);

static struct item *item_of(const uint8_t *hash)
{
	for (unsigned i = 0; i < world.count; i++)
		if (memcmp(world.items[i].path_hash, hash, PATH_HASH_SIZE) == 0)
			return &world.items[i];
	fail_msg("another path");
	return NULL;
}

/* The members of an archive move with it. */
static void move_member(const struct directory *inside, const struct file_row *row)
{
	for (unsigned i = 0; i < world.count; i++)
		for (unsigned m = 0; m < MEMBERS; m++)
			if (memcmp(world.items[i].member_hashes[m], row->path_hash,
				   PATH_HASH_SIZE) == 0)
				world.items[i].members_moved++;
	seen_members++;
	for (unsigned i = 0; i < world.count; i++) {
		const struct item *item = &world.items[i];
		const struct directory *own = world.directories[item->directory];
		if (item->moves > 0 &&
		    inside->path_size == own->path_size + strlen(item->name) + 2 &&
		    memcmp(inside->path + own->path_size + 1, item->name, strlen(item->name)) == 0)
			return;
	}
	fail_msg("a member goes to %s", inside->path);
}

int __wrap_feed_move(struct feed *feed, struct directory *directory, const struct found_file *file,
		     const struct file_row *row, const uint8_t *left, struct simhash_error *e)
{
	struct item *to, *from;

	(void)feed, (void)e;
	if (is_inside_directory(directory_path(directory))) {
		move_member(directory, row);
		return 0;
	}
	to = item_of(file->path_hash);
	from = item_of(row->path_hash);
	assert_true(to->role == FILE_WAITS && fits(from, to) && have_same_key(from, to) &&
		    takes_part(from));
	assert_string_equal(file->name, to->name);
	assert_int_equal(file->inode, to->now.inode);
	to->moves++;
	from->given++;
	assert_true(left == NULL || memcmp(left, row->path_hash, PATH_HASH_SIZE) == 0);
	from->leavings += left != NULL;
	return 0;
}

int __wrap_feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
		     struct simhash_error *e)
{
	(void)feed, (void)directory, (void)e;
	item_of(file->path_hash)->scans++;
	return 0;
}

int __wrap_feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE],
		       struct simhash_error *e)
{
	(void)feed, (void)e;
	item_of(hash)->removals++;
	return 0;
}

void __wrap_feed_flush(struct feed *feed)
{
	(void)feed;
}

void __wrap_feed_limit_directories(struct feed *feed, unsigned max)
{
	(void)feed, (void)max;
}

/* ---- Random worlds ---- */

static struct file_identity make_inode(void)
{
	return (struct file_identity){
		.is_regular = true,
		.device = 1,
		.inode = 1 + next_random() % INODES,
		.links = 1,
		.size_bytes = chance(80) ? 5 : 6,
		.mtime_ns = 5 * SECOND,
		.changed_ns = LAST_SCAN + (chance(70) ? -500 : 500) * SECOND,
		.has_birth = chance(60),
		.born_ns = LAST_SCAN + (chance(70) ? -700 : 700) * SECOND,
	};
}

static void make_row(struct item *item, const struct directory *directory)
{
	const struct file_identity *of = &item->walked;
	char inside[80];
	uint8_t hash[DIRECTORY_HASH_SIZE];

	item->row = (struct file_row){
		.directory = directory_path(directory),
		.name = bytes_of(item->name),
		.size_bytes = of->size_bytes,
		.compressed_size_bytes = item->is_content ? of->size_bytes : 0,
		.mtime_ns = of->mtime_ns,
		.device = chance(95) ? 1 : 2,
		.inode = (int64_t)of->inode,
		.contents = chance(80) ? KINDS : 2,
		.content_hash = {(uint8_t)(chance(85) ? 1 : 2)},
		.scanned_at_ns = LAST_SCAN - (chance(90) ? 0 : 600 * SECOND),
		.has_resemblance = chance(90),
		.pieces_made = chance(90),
	};
	memcpy(item->row.path_hash, item->path_hash, PATH_HASH_SIZE);
	if (item->is_content || chance(80))
		return;
	item->row.contents |= CONTENTS_HAS_MEMBERS;
	snprintf(inside, sizeof inside, "%s/%s/", directory->path, item->name);
	directory_hash(bytes_of(inside), hash);
	path_hash(hash, bytes_of("m0"), item->member_hashes[0]);
	path_hash(hash, bytes_of("m1"), item->member_hashes[1]);
}

static void put_aside(struct item *item)
{
	struct directory *directory = world.directories[item->directory];
	struct put_aside *aside = &walkers.threads[item->directory % 2].aside;
	const struct file_identity *at = &item->walked;
	struct found_file found = {.name = item->name,
				   .name_size = strlen(item->name),
				   .size_bytes = at->size_bytes,
				   .mtime_ns = at->mtime_ns,
				   .inode = at->inode,
				   .is_inflated = item->is_content,
				   .moves_only = item->moves_only};
	struct known_file known = known_of(item);
	bool is_young = (at->has_birth ? at->born_ns : at->changed_ns) > LAST_SCAN;
	int kept = 1;

	memcpy(found.path_hash, item->path_hash, PATH_HASH_SIZE);
	if (item->role == FILE_WAITS)
		kept = put_aside_file(aside, directory, &found, &error);
	else if (item->role == ROW_LINKED)
		kept = put_aside_linked(aside, &found, &error);
	else if (item->role != ROW_VANISHED)
		kept = put_aside_row(aside, directory, &known, known.name,
				     item->role == ROW_REPLACED, &error);
	/* Only files that may have existed in the last run wait. */
	assert_int_equal(kept, item->role == FILE_WAITS && is_young ? 0 : 1);
	item->is_kept = kept == 1;
}

static void make_item(unsigned number)
{
	struct item *item = &world.items[number];
	struct directory *directory;

	*item = (struct item){
		.role = chance(45) ? FILE_WAITS : (enum role)(1 + next_random() % 4),
		.directory = (unsigned)next_random() % DIRECTORIES,
		.walked = make_inode(),
		.is_content = chance(20),
	};
	directory = world.directories[item->directory];
	snprintf(item->own, sizeof item->own, item->is_content ? "f%u.gz" : "f%u", number);
	snprintf(item->name, sizeof item->name, item->is_content ? "f%u.gz//f%u" : "f%u", number,
		 number);
	if (item->role == ROW_VANISHED && item->is_content && chance(50)) {
		item->is_member = true;
		memcpy(item->name, item->own, sizeof item->own);
	}
	/* All names of one inode have the same status. */
	for (unsigned i = 0; i < number; i++)
		if (world.items[i].walked.inode == item->walked.inode && chance(90))
			item->walked = world.items[i].walked;
	item->moves_only = item->is_content && chance(50);
	path_hash(item->role == ROW_VANISHED ? vanished_hashes[0] : directory->hash,
		  bytes_of(item->name), item->path_hash);
	if (item->role != FILE_WAITS)
		make_row(item, directory);
	item->now = item->walked;
	put_aside(item);
	/* Changes until the end of the walk. */
	if (item->role == FILE_WAITS)
		item->now_errno = chance(95) ? 0 : ENOENT;
	else
		item->now_errno = chance(85) ? ENOENT : chance(30) ? EACCES : 0;
	item->now.size_bytes += chance(5);
	item->now.is_regular = chance(95);
}

static void make_world(const struct index_request *request)
{
	static const char *const paths[DIRECTORIES] = {"/0", "/1", "/2"};
	static struct aside_bounds bounds;

	memset(&world, 0, sizeof world);
	memset(&bounds, 0, sizeof bounds);
	bounds.last_scan_ns = LAST_SCAN;
	walkers = (struct walkers){.request = request,
				   .vanished = &vanished,
				   .count = 2,
				   .looks_for_moved = true,
				   .directories_max = 100};
	walkers.threads[0].aside.bounds = walkers.threads[1].aside.bounds = &bounds;
	for (unsigned i = 0; i < DIRECTORIES; i++) {
		world.directories[i] = directory_new_top(new_fd(i), 0, paths[i]);
		world.is_other[i] = chance(5);
		world.open_errno[i] = chance(90) ? 0 : chance(50) ? ENOENT : EACCES;
	}
	world.loses_connection = chance(20);
	while (world.count < ITEMS)
		make_item(world.count++);
}

static void check(void)
{
	uint64_t from_vanished = 0;

	for (unsigned i = 0; i < world.count; i++) {
		check_item(&world.items[i]);
		if (world.items[i].role == FILE_WAITS && world.items[i].is_kept)
			check_key(&world.items[i]);
		from_vanished += world.items[i].members_moved;
		if (world.items[i].role == ROW_VANISHED)
			from_vanished += world.items[i].given;
	}
	/* These rows were not put aside, so they are counted separately. */
	assert_int_equal(walkers.moved_from_vanished, from_vanished);
}

static void each_file_has_the_row_that_is_its_own_or_is_scanned(void **state)
{
	(void)state;
	random_begin();
	directory_hash(bytes_of("/vanished"), vanished_hashes[0]);
	vanished.found = (struct directory_list){.hashes = vanished_hashes, .count = 1};
	for (unsigned round = 0; round < 10000; round++) {
		const struct index_request request = {.inflate = chance(30),
						      .containers = KINDS,
						      .no_sketch = chance(30),
						      .no_pieces = chance(30)};
		make_world(&request);
		for (unsigned i = 0; i < DIRECTORIES; i++)
			directory_end_use(world.directories[i]);
		world.is_walked = true;
		assert_int_equal(moved_settle(&walkers, &error), 0);
		check();
		put_aside_release(&walkers.threads[0].aside);
		put_aside_release(&walkers.threads[1].aside);
		for (unsigned i = 0; i < DIRECTORIES; i++)
			directory_drop(world.directories[i]);
	}
	assert_int_equal(directory_open_count(), 0);
	assert_true(seen_moved > 100 && seen_linked > 100 && seen_disputed > 100 &&
		    seen_left > 100 && seen_back > 100 && seen_members > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_has_the_row_that_is_its_own_or_is_scanned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
