/*
 * A table of known files: for each part its rows, and where those of each directory begin.
 * SPDX-License-Identifier: MIT
 */
#include "store/known_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/byte_order.h"
#include "base/clock.h"
#include "base/error.h"

/* Others may write to the index meanwhile: what was read is taken for true no longer than this. */
#define SECONDS_VALID 60

struct known_directory_rows {
	uint64_t hash;
	size_t first; /* its rows end where those of the next one begin */
};

struct part {
	uint64_t low, high; /* the directory hashes that are its own */
	uint64_t end;	    /* those before it are known */
	bool is_whole;	    /* all of them are */
	struct known_row *rows;
	size_t count, capacity;
	struct known_directory_rows *directories;
	size_t directory_count, directory_capacity;
};

struct known_table {
	double begun_s;
	size_t part_bytes; /* the most that each may take */
	unsigned part_count;
	struct part parts[];
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
		struct part *part = &table->parts[i];
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
	}
	free(table);
}

static struct hash_range range_of(const struct part *part)
{
	struct hash_range range;

	memset(range.low, 0x00, sizeof range.low);
	memset(range.high, 0xff, sizeof range.high);
	write_big_endian(range.low, 8, part->low);
	write_big_endian(range.high, 8, part->high);
	return range;
}

static bool is_full(const struct known_table *table, const struct part *part)
{
	return (part->count + 1) * sizeof *part->rows +
		       (part->directory_count + 1) * sizeof *part->directories >
	       table->part_bytes;
}

/* The rows that follow are those of another directory. */
static int begin_directory(struct part *part, uint64_t hash, struct simhash_error *error)
{
	part->end = hash;
	if (array_reserve(&part->directories, &part->directory_capacity, part->directory_count + 1,
			  sizeof *part->directories, error) != 0)
		return -1;
	part->directories[part->directory_count++] =
		(struct known_directory_rows){hash, part->count};
	return 0;
}

static int add_row(struct part *part, const struct known_file *known, struct simhash_error *error)
{
	uint64_t hash = read_big_endian(known->path_hash, 8);
	bool is_inflated = known->compressed_size_bytes > 0;

	if ((part->directory_count == 0 ||
	     part->directories[part->directory_count - 1].hash != hash) &&
	    begin_directory(part, hash, error) != 0)
		return -1;
	if (array_reserve(&part->rows, &part->capacity, part->count + 1, sizeof *part->rows,
			  error) != 0)
		return -1;
	part->rows[part->count++] = (struct known_row){
		.name_hash = read_big_endian(known->path_hash + DIRECTORY_HASH_SIZE, 8),
		.mtime_ns = known->mtime_ns,
		.is_settled = known->is_settled,
		.size_bytes = is_inflated ? known->compressed_size_bytes : known->size_bytes,
		.links = known->links > INT32_MAX ? INT32_MAX : (int32_t)known->links,
		.is_inflated = is_inflated,
		.lacks_sketches = known->lacks_sketches,
		.lacks_resemblance = known->lacks_resemblance,
	};
	return 0;
}

int known_table_read(struct known_table *table, unsigned part_index, struct store *store,
		     const struct row_scope *scope, const atomic_bool *stop,
		     struct simhash_error *error)
{
	struct part *part = &table->parts[part_index];
	const struct hash_range range = range_of(part);
	struct known_files files;
	struct known_file known;
	int status = known_files_begin_range(&files, store, scope, &range, error);

	while (status == 0 && !atomic_load_explicit(stop, memory_order_relaxed) &&
	       (status = known_files_next(&files, &known, error)) == 1)
		status = is_full(table, part) ? 1 : add_row(part, &known, error);
	part->is_whole = status == 0 && !atomic_load(stop);
	known_files_end(&files);
	return status < 0 ? -1 : 0;
}

static const struct part *find_part(const struct known_table *table, uint64_t hash)
{
	const struct part *part = table->parts;

	while (hash > part->high)
		part++;
	return part;
}

/* The first directory of a part whose hash is not below `hash`. */
static size_t find_directory(const struct part *part, uint64_t hash)
{
	size_t low = 0, high = part->directory_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (part->directories[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool known_table_has(const struct known_table *table,
		     const uint8_t directory_hash[DIRECTORY_HASH_SIZE], struct known_row **rows,
		     size_t *count)
{
	uint64_t hash = read_big_endian(directory_hash, 8);
	const struct part *part = find_part(table, hash);
	size_t i, end;

	*rows = NULL;
	*count = 0;
	if ((!part->is_whole && hash >= part->end) ||
	    clock_monotonic_s() - table->begun_s > SECONDS_VALID)
		return false;
	i = find_directory(part, hash);
	if (i == part->directory_count || part->directories[i].hash != hash)
		return true;
	end = i + 1 < part->directory_count ? part->directories[i + 1].first : part->count;
	*rows = part->rows + part->directories[i].first;
	*count = end - part->directories[i].first;
	return true;
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

void known_row_take(const struct known_row *row, const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		    struct known_file *known)
{
	*known = (struct known_file){
		/* Nobody compares the size of inflated content. */
		.size_bytes = row->is_inflated ? -1 : row->size_bytes,
		.compressed_size_bytes = row->is_inflated ? row->size_bytes : 0,
		.mtime_ns = row->mtime_ns,
		.is_settled = row->is_settled,
		.links = row->links,
		.name = {"", 0},
		.lacks_sketches = row->lacks_sketches,
		.lacks_resemblance = row->lacks_resemblance,
	};
	memcpy(known->path_hash, directory_hash, DIRECTORY_HASH_SIZE);
	write_big_endian(known->path_hash + DIRECTORY_HASH_SIZE, 8, row->name_hash);
}
