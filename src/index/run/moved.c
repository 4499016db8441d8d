/*
 * Matches waiting files with rows that lost their files, by their keys: the files are in an array
 * sorted by key, and the rows come one by one. A match is a claim. The complete row and the file
 * itself confirm or refute it.
 * SPDX-License-Identifier: MIT
 */
#include "index/run/moved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "index/run/moved_members.h"
#include "store/open/connection.h"
#include "store/open/view.h"
#include "store/row/trust.h"
#include "store/rows/known_file.h"
#include "store/rows/row_reader.h"

/* A file that waits, sorted by its key. */
struct candidate {
	uint64_t key;
	struct put_aside *aside;
	struct waiting_file *file;
};

/* A row that may belong to a candidate. */
struct claim {
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
	/* at first the first candidate with this key; at the end the claim's own candidate */
	struct candidate *candidate;
	struct lost_row *lost; /* NULL: the row is from a vanished directory */
	bool is_shared;	       /* other rows claim the same candidate */
};

struct settling {
	struct walkers *walkers;
	struct store *store;
	struct feed *feed;
	struct candidate *candidates;
	size_t candidate_count;
	struct claim *claims;
	size_t claim_count, claim_capacity;
	struct moved_archives archives;
	/* The last opened directory. */
	const struct aside_directory *entered;
	struct directory *directory; /* NULL: it could not be opened */
	bool has_lasting_inodes;
};

/* ---- Directories ---- */

static void leave(struct settling *settling)
{
	if (settling->directory != NULL)
		directory_release(settling->directory);
	settling->directory = NULL;
	settling->entered = NULL;
}

static struct directory *open_again(const struct aside_directory *aside)
{
	const struct directory *old = aside->directory;
	int fd = open_path_directly(old->path, O_RDONLY | O_DIRECTORY);
	struct directory *directory = NULL;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		goto out;
	/* A directory that replaced this one may be outside of the tree. */
	errno = ENOENT;
	if ((uint64_t)status.st_dev != aside->device || (uint64_t)status.st_ino != aside->inode)
		goto out;
	directory = directory_new_top(fd, old->root, old->path);
	errno = ENOMEM;
out:
	if (directory == NULL && fd >= 0)
		close_keeping_errno(fd);
	return directory;
}

static bool says_gone(int system_errno)
{
	return system_errno == ENOENT || system_errno == ENOTDIR || system_errno == ELOOP ||
	       system_errno == ENAMETOOLONG;
}

/*
 * Open the directory of a name. NULL if it was removed or cannot be opened; a failure is reported.
 */
static struct directory *enter(struct settling *settling, const struct put_aside *aside,
			       struct aside_name at)
{
	const struct aside_directory *wanted = &aside->directories[at.directory];

	if (settling->entered != wanted) {
		leave(settling);
		feed_limit_directories(settling->feed, settling->walkers->directories_max);
		settling->directory = open_again(wanted);
		settling->entered = wanted;
		if (settling->directory == NULL && !says_gone(errno))
			failures_report(settling->walkers->failures, wanted->directory->root,
					directory_path(wanted->directory), errno);
		settling->has_lasting_inodes = settling->directory != NULL &&
					       inodes_are_lasting(settling->directory->fd);
	}
	return settling->directory;
}

/* Read the identity of a file. For inflated content, it is the identity of the compressed file. */
static int read_identity(const struct directory *directory, struct bytes name,
			 struct file_identity *identity)
{
	char *own = strndup(name.data, own_name_size(name));
	int status, saved;

	if (own == NULL)
		return -1;
	status = file_identity_read(directory->fd, own, identity);
	saved = errno;
	free(own);
	errno = saved;
	return status;
}

/* ---- Candidates ---- */

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int list_candidates(struct settling *settling, struct simhash_error *error)
{
	struct walkers *walkers = settling->walkers;
	size_t count = 0;

	for (unsigned i = 0; i < walkers->count; i++)
		count += walkers->threads[i].aside.waiting_count;
	if (count == 0)
		return 0;
	settling->candidates = malloc(count * sizeof *settling->candidates);
	if (settling->candidates == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < walkers->count; i++) {
		struct put_aside *aside = &walkers->threads[i].aside;
		for (size_t k = 0; k < aside->waiting_count; k++)
			settling->candidates[settling->candidate_count++] = (struct candidate){
				aside->waiting[k].key, aside, &aside->waiting[k]};
	}
	qsort(settling->candidates, count, sizeof *settling->candidates, compare_candidates);
	return 0;
}

/* Return the first candidate with a key, or NULL. */
static struct candidate *find_candidate(const struct settling *settling, uint64_t key)
{
	size_t low = 0, high = settling->candidate_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (settling->candidates[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < settling->candidate_count && settling->candidates[low].key == key
		       ? &settling->candidates[low]
		       : NULL;
}

/* ---- Claims ---- */

static int claim(struct settling *settling, uint64_t key, const uint8_t path_hash[PATH_HASH_SIZE],
		 struct lost_row *lost, struct simhash_error *error)
{
	struct claim new = {.candidate = find_candidate(settling, key), .lost = lost};

	if (new.candidate == NULL)
		return 0;
	if (array_reserve(&settling->claims, &settling->claim_capacity, settling->claim_count + 1,
			  sizeof *settling->claims, error) != 0)
		return -1;
	memcpy(new.path_hash, path_hash, PATH_HASH_SIZE);
	settling->claims[settling->claim_count++] = new;
	return 0;
}

static void report(const struct settling *settling, const struct directory *directory,
		   struct bytes name, int system_errno)
{
	char *path = path_join(directory_path(directory), name);

	failures_report(settling->walkers->failures, directory->root,
			path == NULL ? name : bytes_of(path), system_errno);
	free(path);
}

/* Is the file certainly removed? Checks again, because it may have returned during the walk. */
static bool is_gone(struct settling *settling, const struct put_aside *aside,
		    const struct lost_row *lost)
{
	struct bytes name = bytes_of(aside_name(aside, lost->at));
	struct directory *directory = enter(settling, aside, lost->at);
	bool is_inflated = own_name_size(name) < name.size;
	struct file_identity identity;

	if (directory == NULL)
		return false;
	if (read_identity(directory, name, &identity) != 0) {
		int saved = errno;
		if (!says_gone(saved))
			report(settling, directory, name, saved);
		return says_gone(saved);
	}
	return !identity.is_regular ||
	       (is_inflated && lost->key != file_key(identity.inode, identity.size_bytes,
						     identity.mtime_ns, true));
}

static int claim_for_lost(struct settling *settling, struct put_aside *aside,
			  struct simhash_error *error)
{
	for (size_t i = 0; i < aside->lost_count; i++) {
		struct lost_row *lost = &aside->lost[i];
		lost->is_gone = !lost->is_replaced && !lost->is_linked &&
				is_gone(settling, aside, lost);
		if ((lost->is_gone || lost->is_replaced || lost->is_linked) &&
		    claim(settling, lost->key, lost->path_hash, lost, error) != 0)
			return -1;
	}
	return 0;
}

static int claim_for_directory(struct settling *settling, const uint8_t hash[DIRECTORY_HASH_SIZE],
			       struct simhash_error *error)
{
	struct known_files files;
	struct known_file known;
	int status =
		known_files_begin(&files, settling->store, &settling->walkers->scope, hash, error);

	while (status == 0 && (status = known_files_next(&files, &known, error)) == 1) {
		bool is_inflated = known.compressed_size_bytes > 0;
		uint64_t key;
		status = 0;
		/* Members of archives are written again with their archive. */
		if (is_inflated && !is_inflated_name(known.name))
			continue;
		key = file_key((uint64_t)known.inode,
			       is_inflated ? known.compressed_size_bytes : known.size_bytes,
			       known.mtime_ns, is_inflated);
		status = claim(settling, key, known.path_hash, NULL, error);
	}
	known_files_end(&files);
	return status;
}

static int list_claims(struct settling *settling, struct simhash_error *error)
{
	struct walkers *walkers = settling->walkers;
	const struct directory_list *vanished = &walkers->vanished->found;

	for (unsigned i = 0; i < walkers->count; i++)
		if (claim_for_lost(settling, &walkers->threads[i].aside, error) != 0)
			return -1;
	for (size_t i = 0; settling->candidate_count > 0 && i < vanished->count; i++)
		if (claim_for_directory(settling, vanished->hashes[i], error) != 0)
			return -1;
	return 0;
}

/* ---- Several names of one file ---- */

static int compare_paths(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return x->candidate != y->candidate ? (x->candidate < y->candidate ? -1 : 1)
					    : compare_paths(a, b);
}

/* Called with the row of each claim. Rows are read for at most ROWS_WITH_MAX claims at a time. */
typedef int use_row_fn(struct settling *settling, struct claim *claim, const struct file_row *row,
		       struct simhash_error *error);

static int use_rows_once(struct settling *settling, struct claim *const *claims, size_t count,
			 use_row_fn *use, struct simhash_error *error)
{
	uint8_t hashes[ROWS_WITH_MAX][PATH_HASH_SIZE];
	const uint8_t(*borrowed)[PATH_HASH_SIZE] = (void *)hashes;
	struct file_row row = {.host = settling->walkers->scope.host};
	struct row_cursor cursor = {.columns = 0};
	int status;

	for (size_t i = 0; i < count; i++)
		memcpy(hashes[i], claims[i]->path_hash, PATH_HASH_SIZE);
	status = store_rows_with(&cursor, settling->store, ROW_WHOLE, &settling->walkers->scope,
				 borrowed, count, error);
	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		status = 0;
		for (size_t i = 0; status == 0 && i < count; i++)
			if (memcmp(row.path_hash, claims[i]->path_hash, PATH_HASH_SIZE) == 0)
				status = use(settling, claims[i], &row, error);
	}
	store_rows_end(&cursor);
	return status;
}

/* Read the rows of all claims, or only of claims that share candidates. */
static int use_rows(struct settling *settling, bool only_shared, use_row_fn *use,
		    struct simhash_error *error)
{
	struct claim *some[ROWS_WITH_MAX];
	size_t count = 0;

	for (size_t i = 0; i < settling->claim_count; i++) {
		if (!only_shared || settling->claims[i].is_shared)
			some[count++] = &settling->claims[i];
		if (count == 0 || (count < ROWS_WITH_MAX && i + 1 < settling->claim_count))
			continue;
		while (use_rows_once(settling, some, count, use, error) != 0)
			if (store_recover(settling->store, error) != 0)
				return -1;
		count = 0;
	}
	return 0;
}

static int keep_content_hash(struct settling *settling, struct claim *claim,
			     const struct file_row *row, struct simhash_error *error)
{
	(void)settling;
	(void)error;
	memcpy(claim->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	return 0;
}

/*
 * Assign the rows of one key, sorted by path, to the same number of candidates, and return this
 * number. Rows of several names of one file can be assigned to any of its names, but only if their
 * contents are equal.
 */
static size_t share_out(const struct settling *settling, struct claim *claims, size_t count)
{
	struct candidate *end = settling->candidates + settling->candidate_count;
	struct candidate *candidate = claims[0].candidate;
	size_t given = 0;

	for (size_t i = 1; i < count; i++)
		if (memcmp(claims[i].content_hash, claims[0].content_hash, CONTENT_HASH_SIZE) != 0)
			return 0;
	for (; given < count && candidate + given < end && candidate[given].key == candidate->key;
	     given++)
		claims[given].candidate = candidate + given;
	return given;
}

static size_t same_key(const struct settling *settling, size_t first)
{
	size_t count = 1;

	while (first + count < settling->claim_count &&
	       settling->claims[first + count].candidate == settling->claims[first].candidate)
		count++;
	return count;
}

/* Sort the claims by candidate, and mark claims that share a candidate. */
static void mark_shared(struct settling *settling)
{
	struct claim *claims = settling->claims;
	size_t count;

	qsort(claims, settling->claim_count, sizeof *claims, compare_claims);
	for (size_t i = 0; i < settling->claim_count; i += count) {
		count = same_key(settling, i);
		for (size_t k = i; count > 1 && k < i + count; k++)
			claims[k].is_shared = true;
	}
}

/* Assign a separate candidate to each claim. */
static int share_all_out(struct settling *settling, struct simhash_error *error)
{
	struct claim *claims = settling->claims;
	size_t kept = 0, count;

	if (settling->claim_count == 0)
		return 0;
	mark_shared(settling);
	if (use_rows(settling, true, keep_content_hash, error) != 0)
		return -1;
	for (size_t i = 0; i < settling->claim_count; i += count) {
		size_t given;
		count = same_key(settling, i);
		given = share_out(settling, claims + i, count);
		memmove(claims + kept, claims + i, given * sizeof *claims);
		kept += given;
	}
	settling->claim_count = kept;
	qsort(claims, kept, sizeof *claims, compare_paths);
	return 0;
}

/* ---- Moving and scanning ---- */

static struct found_file found_as(const struct directory *directory, const char *name,
				  const struct file_identity *identity)
{
	struct found_file file = {.name = name,
				  .name_size = strlen(name),
				  .size_bytes = identity->size_bytes,
				  .mtime_ns = identity->mtime_ns,
				  .changed_ns = identity->changed_ns,
				  .device = identity->device,
				  .inode = identity->inode,
				  .links = identity->links};

	file.is_inflated = own_name_size(bytes_of(name)) < file.name_size;
	path_hash(directory->hash, bytes_of(name), file.path_hash);
	return file;
}

/* Does the run look for kinds of containers that were not looked for in this file? */
static bool lacks_look(const struct index_request *request, const struct file_row *row)
{
	return (request->containers & ~(unsigned)row->contents) != 0;
}

static bool lacks_sketch(const struct index_request *request, const struct file_row *row)
{
	return !request->no_sketch &&
	       (!row->has_resemblance || (row->pieces_made == 0 && !request->no_pieces));
}

static bool is_row_of(const struct settling *settling, const struct file_row *row,
		      const struct file_identity *identity, bool is_inflated)
{
	int64_t size_bytes = is_inflated ? row->compressed_size_bytes : row->size_bytes;

	return identity->is_regular && (row->compressed_size_bytes > 0) == is_inflated &&
	       (uint64_t)row->device == identity->device &&
	       (uint64_t)row->inode == identity->inode && size_bytes == identity->size_bytes &&
	       row->mtime_ns == identity->mtime_ns && is_same_file(identity, row->scanned_at_ns) &&
	       (is_inflated || !lacks_look(settling->walkers->request, row)) &&
	       !lacks_sketch(settling->walkers->request, row);
}

/* Give a row to a waiting file, if it really belongs to this file. */
static int give_row(struct settling *settling, struct claim *claim,
		    const struct candidate *candidate, const struct file_row *row,
		    struct simhash_error *error)
{
	struct waiting_file *file = candidate->file;
	const char *name = aside_name(candidate->aside, file->at);
	bool is_linked = claim->lost != NULL && claim->lost->is_linked;
	struct directory *directory;
	struct file_identity identity;
	struct found_file found;

	/* The rows of archive members stay with the current name of the archive. */
	if (file->is_moved || (is_linked && (row->contents & CONTENTS_HAS_MEMBERS) != 0))
		return 0;
	directory = enter(settling, candidate->aside, file->at);
	if (directory == NULL || !settling->has_lasting_inodes ||
	    read_identity(directory, bytes_of(name), &identity) != 0)
		return 0;
	found = found_as(directory, name, &identity);
	if (!is_row_of(settling, row, &identity, found.is_inflated))
		return 0;
	file->is_moved = true;
	if (claim->lost == NULL)
		settling->walkers->moved_from_vanished++;
	else
		claim->lost->is_moved = true;
	if (!is_linked &&
	    moved_archives_note(&settling->archives, row, directory, bytes_of(name), error) != 0)
		return -1;
	return feed_move(settling->feed, directory, &found, row,
			 claim->lost != NULL && claim->lost->is_gone ? claim->path_hash : NULL,
			 error);
}

/*
 * Give a row to the file that claims it. If the row's own file still exists, give a copy to all new
 * names of this file.
 */
static int move_row(struct settling *settling, struct claim *claim, const struct file_row *row,
		    struct simhash_error *error)
{
	const struct candidate *end = settling->candidates + settling->candidate_count;
	uint64_t key = claim->candidate->key;

	if (claim->lost == NULL || !claim->lost->is_linked)
		return give_row(settling, claim, claim->candidate, row, error);
	for (const struct candidate *candidate = find_candidate(settling, key);
	     candidate < end && candidate->key == key; candidate++)
		if (give_row(settling, claim, candidate, row, error) != 0)
			return -1;
	return 0;
}

/* Scan a waiting file that got no row. The scanner reports problems. */
static int scan_waiting(struct settling *settling, const struct put_aside *aside,
			const struct waiting_file *file, struct simhash_error *error)
{
	struct directory *directory = enter(settling, aside, file->at);
	const char *name = aside_name(aside, file->at);
	struct file_identity identity = {.links = 1};
	struct found_file found;

	if (directory == NULL)
		return 0;
	if (read_identity(directory, bytes_of(name), &identity) != 0)
		identity = (struct file_identity){.links = 1};
	found = found_as(directory, name, &identity);
	return feed_scan(settling->feed, directory, &found, error);
}

/* Scan the remaining files, and remove the remaining rows. */
static int end_waiting(struct settling *settling, const struct put_aside *aside,
		       struct simhash_error *error)
{
	for (size_t i = 0; i < aside->waiting_count; i++)
		if (!aside->waiting[i].is_moved && !aside->waiting[i].moves_only &&
		    scan_waiting(settling, aside, &aside->waiting[i], error) != 0)
			return -1;
	for (size_t i = 0; i < aside->lost_count; i++)
		if (aside->lost[i].is_gone && !aside->lost[i].is_moved &&
		    feed_remove(settling->feed, aside->lost[i].path_hash, error) != 0)
			return -1;
	return 0;
}

static int settle(struct settling *settling, struct simhash_error *error)
{
	struct walkers *walkers = settling->walkers;

	if (list_candidates(settling, error) != 0 ||
	    store_renew_view(settling->store, error) != 0 || list_claims(settling, error) != 0 ||
	    share_all_out(settling, error) != 0)
		return -1;
	store_end_view(settling->store);
	if (use_rows(settling, false, move_row, error) != 0 ||
	    moved_archives_feed(&settling->archives, settling->feed, settling->store,
				&walkers->scope, &walkers->moved_from_vanished, error) != 0)
		return -1;
	for (unsigned i = 0; i < walkers->count; i++)
		if (end_waiting(settling, &walkers->threads[i].aside, error) != 0)
			return -1;
	return 0;
}

int moved_settle(struct walkers *walkers, struct simhash_error *error)
{
	struct settling settling = {.walkers = walkers,
				    .store = walkers->threads[0].reconciler.store,
				    .feed = &walkers->threads[0].feed};
	int status;

	if (!walkers->looks_for_moved)
		return 0;
	status = settle(&settling, error);
	leave(&settling);
	store_end_view(settling.store);
	feed_flush(settling.feed);
	free(settling.candidates);
	free(settling.claims);
	moved_archives_release(&settling.archives);
	return status;
}
