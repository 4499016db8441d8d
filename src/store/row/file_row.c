/*
 * Computes the hashes that identify rows and directories, derives the names of inflated content,
 * and manages the sketches of a row.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/file_row.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

#include "base/basic/byte_order.h"
#include "base/files/path.h"

void row_take_file(struct file_row *row, const struct file_row *from)
{
	row->size_bytes = from->size_bytes;
	row->mtime_ns = from->mtime_ns;
	row->device = from->device;
	row->inode = from->inode;
	row->compressed_size_bytes = from->compressed_size_bytes;
	row->contents = from->contents;
	memcpy(row->content_hash, from->content_hash, CONTENT_HASH_SIZE);
	row->scanned_at_ns = from->scanned_at_ns;
	row->verified_at_ns = from->verified_at_ns;
	row->changed_ns = from->changed_ns;
	row->table = from->table;
	row_sketches_drop(row->sketches);
	row->sketches = row_sketches_hold(from->sketches);
	row->has_resemblance = from->has_resemblance;
	row->resemblance = from->resemblance;
	row->pieces_made = from->pieces_made;
	row->dates = from->dates;
}

static void hash_bytes(struct bytes bytes, uint8_t hash[8])
{
	XXH64_canonical_t canonical;

	XXH64_canonicalFromHash(&canonical, XXH3_64bits(bytes.data, bytes.size));
	memcpy(hash, canonical.digest, 8);
}

void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE])
{
	hash_bytes(directory, hash);
}

void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE])
{
	memcpy(hash, directory, DIRECTORY_HASH_SIZE);
	hash_bytes(name, hash + DIRECTORY_HASH_SIZE);
}

int compare_path_hashes(const void *a, const void *b)
{
	return memcmp(a, b, PATH_HASH_SIZE);
}

/* The endings of gzip files, and the endings of their content. */
static const struct {
	const char *packed, *plain;
} gzip_ends[] = {{".gz", ""}, {".tgz", ".tar"}, {".taz", ".tar"}, {".svgz", ".svg"}};

static bool ends_in(struct bytes name, const char *end)
{
	size_t size = strlen(end);

	/* A name that consists only of such an ending is a hidden file without an ending. */
	return name.size > size && strncasecmp(name.data + name.size - size, end, size) == 0;
}

bool is_gzip_name(struct bytes name)
{
	for (size_t i = 0; i < sizeof gzip_ends / sizeof *gzip_ends; i++)
		if (ends_in(name, gzip_ends[i].packed))
			return true;
	return false;
}

size_t inflated_name(struct bytes name, char *inflated)
{
	for (size_t i = 0; i < sizeof gzip_ends / sizeof *gzip_ends; i++) {
		size_t stem = name.size - strlen(gzip_ends[i].packed);
		char *write = inflated;
		if (!ends_in(name, gzip_ends[i].packed))
			continue;
		memcpy(write, name.data, name.size);
		write += name.size;
		memcpy(write, "//", 2);
		memcpy(write + 2, name.data, stem);
		strcpy(write + 2 + stem, gzip_ends[i].plain);
		return name.size + 2 + stem + strlen(gzip_ends[i].plain);
	}
	return 0;
}

bool is_inflated_name(struct bytes name)
{
	struct bytes own = {name.data, own_name_size(name)};
	char *inflated = own.size == name.size ? NULL : malloc(2 * own.size + 8);
	bool is_same = inflated != NULL && inflated_name(own, inflated) == name.size &&
		       memcmp(inflated, name.data, name.size) == 0;

	free(inflated);
	return is_same;
}

size_t own_name_size(struct bytes name)
{
	const char *slash = memchr(name.data, '/', name.size);

	return slash == NULL ? name.size : (size_t)(slash - name.data);
}

size_t outer_path_size(struct bytes path)
{
	const char *slashes = memmem(path.data, path.size, "//", 2);

	return slashes == NULL ? path.size : (size_t)(slashes - path.data);
}

struct bytes inner_name(struct bytes name)
{
	for (size_t i = name.size; i >= 2; i--)
		if (name.data[i - 2] == '/' && name.data[i - 1] == '/')
			return (struct bytes){name.data + i, name.size - i};
	return name;
}

struct bytes name_in_archive(struct bytes path)
{
	size_t at = outer_path_size(path), own = at;

	while (own > 0 && path.data[own - 1] != '/')
		own--;
	if (at == path.size || is_inflated_name((struct bytes){path.data + own, path.size - own}))
		return (struct bytes){"", 0};
	return (struct bytes){path.data + at + 2, path.size - at - 2};
}

bool row_is_below(struct bytes directory, struct bytes name, struct bytes side)
{
	struct bytes rest;

	if (path_is_at_or_below(directory, side))
		return true;
	if (!path_is_at_or_below(side, directory))
		return false;
	rest = (struct bytes){side.data + directory.size, side.size - directory.size};
	if (rest.size > 0 && rest.data[0] == '/') {
		rest.data++;
		rest.size--;
	}
	if (rest.size == 0 || name.size < rest.size || memcmp(name.data, rest.data, rest.size) != 0)
		return false;
	/* A file is not in itself, but a member is in the side that it names. */
	return name.size == rest.size ? is_inside_path(side) : name.data[rest.size] == '/';
}

bool row_is_at(struct bytes directory, struct bytes name, struct bytes path)
{
	size_t above = directory.size == 1 ? 0 : directory.size, own = own_name_size(name);

	return path.size == above + 1 + own && memcmp(path.data, directory.data, above) == 0 &&
	       path.data[above] == '/' && memcmp(path.data + above + 1, name.data, own) == 0;
}

bool path_is_below(struct bytes path, struct bytes side)
{
	return path_is_at_or_below(path, side) &&
	       (path.size > side.size || side.size == 0 || is_inside_path(side));
}

struct row_sketches *row_sketches_new(size_t size)
{
	struct row_sketches *sketches = calloc(1, sizeof *sketches + size);

	if (sketches != NULL)
		atomic_init(&sketches->references, 1);
	return sketches;
}

void row_sketches_add_hash(struct row_sketches *sketches, enum file_hash hash, const uint8_t *bytes)
{
	struct row_sketch *sketch = &sketches->sketch[sketches->count++];

	*sketch = (struct row_sketch){.features = 1};
	if (bytes == NULL)
		return;
	sketch->cluster = (int64_t)read_big_endian(bytes, 8);
	sketch->value = (struct bytes){(const char *)bytes, file_hash_size(hash)};
}

struct row_sketches *row_sketches_hold(struct row_sketches *sketches)
{
	if (sketches != NULL)
		atomic_fetch_add_explicit(&sketches->references, 1, memory_order_relaxed);
	return sketches;
}

void row_sketches_drop(struct row_sketches *sketches)
{
	if (sketches != NULL && atomic_fetch_sub(&sketches->references, 1) == 1)
		free(sketches);
}

void row_compute_keys(struct file_row *row, const struct simhash_tag_set *tag_set)
{
	struct bytes name = inner_name(row->name);

	simhash_keys_compute(tag_set, &row->table, name.data, name.size, &row->keys);
}
