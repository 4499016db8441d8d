/*
 * Stores known files in memory. Each part of the table has its rows, and the first row of each
 * directory. A part that does not fit has a digest of each directory instead, and collects the rows
 * of one directory at a time.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/known_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/byte_order.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/array.h"

/* Other programs may write to the index, so the table is used only for this time. */
#define SECONDS_VALID 300

/* Larger directories have no digest, so the index is queried. */
#define DIGEST_FILES_MAX 32768

struct known_directory_rows {
	uint64_t hash;
	size_t first; /* its rows end where the next directory's rows begin */
};

struct directory_digest {
	uint64_t hash;
	uint64_t digest[2]; /* zeros if the directory has no digest */
};

struct table_part {
	uint64_t low, high; /* the directory hashes of this part */
	uint64_t end;	    /* the directories with lower hashes are known */
	bool is_whole;	    /* all directories of the part are known */
	bool is_condensed;  /* the part has digests, and only the rows of one directory */
	bool is_large;	    /* the current directory is too large for a digest */
	struct known_row *rows;
	size_t count, capacity;
	struct known_directory_rows *directories;
	size_t directory_count, directory_capacity;
	struct directory_digest *digests;
	size_t digest_count, digest_capacity;
};

struct known_table {
	double begun_s;
	size_t part_bytes; /* the maximum of each part */
	unsigned part_count;
	struct table_part parts[];
};

struct known_table *known_table_new(unsigned parts, size_t bytes, struct simhash_error *error)
{
	struct known_table *table = calloc(1, sizeof *table + parts * sizeof *table->parts);
	uint64_t step = UINT64_MAX / parts + (parts == 1 ? 0 : 1);

	if (table == NULL) {
		error_set_memory(error);
		return NULL;
	}
	table->begun_s = clock_monotonic_s();
	table->part_bytes = bytes / parts;
	table->part_count = parts;
	for (unsigned i = 0; i < parts; i++) {
		struct table_part *part = &table->parts[i];
		part->low = part->end = i * step;
		part->high = i == parts - 1 ? UINT64_MAX : (i + 1) * step - 1;
	}
	return table;
}

void known_table_free(struct known_table *table)
{
	for (unsigned i = 0; table != NULL && i < table->part_count; i++) {
		free(table->parts[i].rows);
		free(table->parts[i].directories);
		free(table->parts[i].digests);
	}
	free(table);
}

static struct hash_range range_of(const struct table_part *part)
{
	struct hash_range range;

	memset(range.low, 0x00, sizeof range.low);
	memset(range.high, 0xff, sizeof range.high);
	write_big_endian(range.low, 8, part->low);
	write_big_endian(range.high, 8, part->high);
	return range;
}

static bool is_full(const struct known_table *table, const struct table_part *part)
{
	return (part->count + 1) * sizeof *part->rows +
		       (part->directory_count + 1) * sizeof *part->directories +
		       (part->digest_count + 1) * sizeof *part->digests >
	       table->part_bytes;
}

/* The digest of each row covers the previous digest and the row. */
static void make_digest(const struct known_row *rows, size_t count, uint64_t digest[2])
{
	digest[0] = count;
	digest[1] = 1;
	for (size_t i = 0; i < count; i++) {
		const struct known_row *row = &rows[i];
		uint64_t flags = (uint64_t)row->lacks_look << 4 | (uint64_t)row->is_inflated << 3 |
				 (uint64_t)row->is_settled << 2 |
				 (uint64_t)row->lacks_sketches << 1 | row->lacks_resemblance;
		const uint64_t words[] = {digest[0],
					  digest[1],
					  row->name_hash,
					  (uint64_t)row->mtime_ns,
					  (uint64_t)row->size_bytes,
					  (uint64_t)row->links << 8 | flags,
					  row->inode};
		XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
		digest[0] = hash.low64;
		digest[1] = hash.high64;
	}
}

/* The rows from `first` to `end` are all rows of a directory. */
static int add_digest(struct table_part *part, uint64_t hash, size_t first, size_t end,
		      struct simhash_error *error)
{
	struct directory_digest added = {hash, {0, 0}};

	if (array_reserve(&part->digests, &part->digest_capacity, part->digest_count + 1,
			  sizeof *part->digests, error) != 0)
		return -1;
	if (!part->is_large && end - first <= DIGEST_FILES_MAX)
		make_digest(part->rows + first, end - first, added.digest);
	part->digests[part->digest_count++] = added;
	return 0;
}

/* Free the memory that one directory does not need. */
static int shrink(struct table_part *part, struct simhash_error *error)
{
	struct known_row *rows = realloc(part->rows, DIGEST_FILES_MAX * sizeof *rows);
	struct known_directory_rows *directories =
		realloc(part->directories, sizeof *part->directories);

	if (rows != NULL)
		part->rows = rows;
	if (directories != NULL)
		part->directories = directories;
	if (rows == NULL || directories == NULL)
		return error_set_memory(error);
	part->capacity = DIGEST_FILES_MAX;
	part->directory_capacity = 1;
	return 0;
}

/* Make digests of the complete directories, which are all except the last. */
static int condense(struct table_part *part, struct simhash_error *error)
{
	struct known_directory_rows last;

	for (size_t i = 0; i + 1 < part->directory_count; i++)
		if (add_digest(part, part->directories[i].hash, part->directories[i].first,
			       part->directories[i + 1].first, error) != 0)
			return -1;
	part->is_condensed = true;
	if (part->directory_count == 0)
		return 0;
	last = part->directories[part->directory_count - 1];
	part->count -= last.first;
	part->is_large = part->count > DIGEST_FILES_MAX;
	if (part->is_large)
		part->count = 0;
	memmove(part->rows, part->rows + last.first, part->count * sizeof *part->rows);
	part->directories[0] = (struct known_directory_rows){last.hash, 0};
	part->directory_count = 1;
	return shrink(part, error);
}

/* End the only directory, whose rows are complete. */
static int end_directory(struct table_part *part, struct simhash_error *error)
{
	if (part->directory_count > 0 &&
	    add_digest(part, part->directories[0].hash, 0, part->count, error) != 0)
		return -1;
	part->directory_count = part->count = 0;
	part->is_large = false;
	return 0;
}

/* Begin the rows of the next directory. */
static int begin_directory(struct table_part *part, uint64_t hash, struct simhash_error *error)
{
	part->end = hash;
	if (part->is_condensed && end_directory(part, error) != 0)
		return -1;
	if (array_reserve(&part->directories, &part->directory_capacity, part->directory_count + 1,
			  sizeof *part->directories, error) != 0)
		return -1;
	part->directories[part->directory_count++] =
		(struct known_directory_rows){hash, part->count};
	return 0;
}

static int add_row(struct table_part *part, const struct known_file *known,
		   struct simhash_error *error)
{
	uint64_t hash = read_big_endian(known->path_hash, 8);

	if ((part->directory_count == 0 ||
	     part->directories[part->directory_count - 1].hash != hash) &&
	    begin_directory(part, hash, error) != 0)
		return -1;
	if (part->is_condensed && part->count == DIGEST_FILES_MAX) {
		part->is_large = true;
		part->count = 0;
	}
	if (array_reserve(&part->rows, &part->capacity, part->count + 1, sizeof *part->rows,
			  error) != 0)
		return -1;
	part->rows[part->count++] = known_row_of(known);
	return 0;
}

/* Add a row. Returns 1 if there is no room left. */
static int add_known(const struct known_table *table, struct table_part *part,
		     const struct known_file *known, struct simhash_error *error)
{
	if (is_full(table, part)) {
		if (part->is_condensed)
			return 1;
		if (condense(part, error) != 0)
			return -1;
	}
	return add_row(part, known, error);
}

int known_table_read(struct known_table *table, unsigned part_index, struct store *store,
		     const struct row_scope *scope, const atomic_bool *stop,
		     struct simhash_error *error)
{
	struct table_part *part = &table->parts[part_index];
	const struct hash_range range = range_of(part);
	struct known_files files;
	struct known_file known;
	int status = known_files_begin_range(&files, store, scope, &range, error);

	while (status == 0 && !atomic_load_explicit(stop, memory_order_relaxed) &&
	       (status = known_files_next(&files, &known, error)) == 1)
		status = add_known(table, part, &known, error);
	known_files_end(&files);
	part->is_whole = status == 0 && !atomic_load(stop);
	if (part->is_whole && part->is_condensed)
		status = end_directory(part, error);
	return status < 0 ? -1 : 0;
}

static const struct table_part *find_part(const struct known_table *table, uint64_t hash)
{
	const struct table_part *part = table->parts;

	while (hash > part->high)
		part++;
	return part;
}

/*
 * Find a directory among `count` items of `item_size` bytes, which begin with their hashes and are
 * sorted. Returns `count` if it is not there.
 */
static size_t find_hash(const void *items, size_t count, size_t item_size, uint64_t hash)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t found;
		memcpy(&found, (const char *)items + middle * item_size, sizeof found);
		if (found == hash)
			return middle;
		if (found < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return count;
}

/* Return the part that knows a directory, or NULL. */
static const struct table_part *known_part(const struct known_table *table, uint64_t hash)
{
	const struct table_part *part = find_part(table, hash);
	bool is_known = part->is_whole || hash < part->end;

	return is_known && clock_monotonic_s() - table->begun_s <= SECONDS_VALID ? part : NULL;
}

bool known_table_has(const struct known_table *table,
		     const uint8_t directory_hash[DIRECTORY_HASH_SIZE], struct known_row **rows,
		     size_t *count)
{
	uint64_t hash = read_big_endian(directory_hash, 8);
	const struct table_part *part = known_part(table, hash);
	size_t i, end;

	*rows = NULL;
	*count = 0;
	if (part == NULL)
		return false;
	if (part->is_condensed)
		return find_hash(part->digests, part->digest_count, sizeof *part->digests, hash) ==
		       part->digest_count;
	i = find_hash(part->directories, part->directory_count, sizeof *part->directories, hash);
	if (i == part->directory_count)
		return true;
	end = i + 1 < part->directory_count ? part->directories[i + 1].first : part->count;
	*rows = part->rows + part->directories[i].first;
	*count = end - part->directories[i].first;
	return true;
}

bool known_table_is_same(const struct known_table *table,
			 const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
			 const struct known_row *rows, size_t count)
{
	uint64_t hash = read_big_endian(directory_hash, 8), digest[2];
	const struct table_part *part = known_part(table, hash);
	size_t i;

	if (part == NULL || !part->is_condensed)
		return false;
	i = find_hash(part->digests, part->digest_count, sizeof *part->digests, hash);
	if (i == part->digest_count)
		return false;
	make_digest(rows, count, digest);
	return memcmp(digest, part->digests[i].digest, sizeof digest) == 0;
}

struct known_row *known_row_find(struct known_row *rows, size_t count,
				 const uint8_t path_hash[PATH_HASH_SIZE])
{
	uint64_t hash = read_big_endian(path_hash + DIRECTORY_HASH_SIZE, 8);
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rows[middle].name_hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && rows[low].name_hash == hash ? &rows[low] : NULL;
}

struct known_row known_row_of(const struct known_file *known)
{
	bool is_inflated = known->compressed_size_bytes > 0;

	return (struct known_row){
		.name_hash = read_big_endian(known->path_hash + DIRECTORY_HASH_SIZE, 8),
		.mtime_ns = known->mtime_ns,
		.size_bytes = is_inflated ? known->compressed_size_bytes : known->size_bytes,
		.links = (uint64_t)(known->links > KNOWN_LINKS_MAX ? KNOWN_LINKS_MAX
								   : known->links) &
			 KNOWN_LINKS_MAX,
		.inode = folded_inode((uint64_t)known->inode),
		.is_inflated = is_inflated,
		.is_settled = known->is_settled,
		.lacks_sketches = known->lacks_sketches,
		.lacks_resemblance = known->lacks_resemblance,
		.lacks_look = known->lacks_look,
		.has_members = known->has_members,
	};
}

void known_row_take(const struct known_row *row, const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		    struct known_file *known)
{
	*known = (struct known_file){
		/* The size of inflated content is not compared. */
		.size_bytes = row->is_inflated ? -1 : row->size_bytes,
		.compressed_size_bytes = row->is_inflated ? row->size_bytes : 0,
		.mtime_ns = row->mtime_ns,
		.is_settled = row->is_settled,
		.links = row->links,
		.inode = row->inode,
		.name = {"", 0},
		.lacks_sketches = row->lacks_sketches,
		.lacks_resemblance = row->lacks_resemblance,
		.lacks_look = row->lacks_look,
		.has_members = row->has_members,
	};
	memcpy(known->path_hash, directory_hash, DIRECTORY_HASH_SIZE);
	write_big_endian(known->path_hash + DIRECTORY_HASH_SIZE, 8, row->name_hash);
}
