/*
 * Reads all rows, finds similar files, and sorts all files. likeness_forest.c decides which
 * contents are joined.
 * SPDX-License-Identifier: MIT
 */
#include "find/order/file_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "find/order/likeness_forest.h"
#include "find/rule/finder.h"

struct ordering {
	struct file_order *order;
	/* Numbers of files, sorted by content; the first file of each content is first. */
	size_t *by_content;
	uint32_t contents;
	struct likeness_forest forest; /* the forest of the contents */
};

/* ---- Files: by directory, extension and name ---- */

static struct bytes part_of(const struct ordered_file *file, size_t first, size_t end)
{
	return (struct bytes){file->display.data + first, end - first};
}

static int compare_files(const void *a, const void *b)
{
	const struct ordered_file *x = a, *y = b;
	int order = path_compare(part_of(x, 0, x->name_at), part_of(y, 0, y->name_at));

	if (order == 0)
		order = bytes_compare(part_of(x, x->extension_at, x->display.size),
				      part_of(y, y->extension_at, y->display.size));
	return order != 0 ? order : bytes_compare(x->display, y->display);
}

static int add_file(const struct finder *finder, const struct file_row *row,
		    struct file_order *order, struct simhash_error *error)
{
	struct find_file shown;
	struct ordered_file *file;
	const char *extension;
	uint32_t size;

	if (order->count == NO_NODE - 1)
		return error_set(error, SIMHASH_E_RANGE, "--order: too many files");
	if (array_reserve(&order->files, &order->capacity, order->count + 1, sizeof *order->files,
			  error) != 0 ||
	    finder_show(finder, row, &order->names, &shown, error) != 0)
		return -1;
	file = &order->files[order->count++];
	size = (uint32_t)simhash_extension(row->name.data, row->name.size, &extension);
	*file = (struct ordered_file){.display = find_file_display(&shown),
				      .name_at = shown.display_size - (uint32_t)row->name.size,
				      .extension_at = shown.display_size - size,
				      .size_bytes = row->size_bytes,
				      .reference = NO_REFERENCE};
	memcpy(file->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	return 0;
}

static int read_files(const struct finder *finder, struct file_order *order,
		      struct simhash_error *error)
{
	const struct row_filter filter = {.columns = TAKING_COLUMNS | ROW_NAME | ROW_SIZE |
						     ROW_COMPRESSED_SIZE | ROW_CHECKED,
					  .tag_set = finder->tag_set,
					  .with_empty = true};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int status;

	if (store_rows_lying(&cursor, finder->store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (!row_is_inside(row.compressed_size_bytes) && finder_takes(finder, &row) &&
		    add_file(finder, &row, order, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	if (status == 0 && order->count > 0)
		qsort(order->files, order->count, sizeof *order->files, compare_files);
	return status;
}

/* ---- Contents, numbered by their first files ---- */

static int compare_content(const struct ordered_file *file, int64_t size_bytes,
			   const uint8_t *content_hash)
{
	int order = memcmp(file->content_hash, content_hash, CONTENT_HASH_SIZE);

	return order != 0 ? order
			  : (file->size_bytes > size_bytes) - (file->size_bytes < size_bytes);
}

static int compare_by_content(const void *a, const void *b, void *context)
{
	const struct file_order *order = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int difference = compare_content(&order->files[x], order->files[y].size_bytes,
					 order->files[y].content_hash);

	return difference != 0 ? difference : (x > y) - (x < y);
}

/* Each empty file is a separate content, because it shares no bytes with another file. */
static int number_contents(struct ordering *ordering, struct simhash_error *error)
{
	struct file_order *order = ordering->order;
	size_t first = 0;
	uint32_t count = 0;

	ordering->by_content = malloc((order->count + 1) * sizeof *ordering->by_content);
	if (ordering->by_content == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < order->count; i++)
		ordering->by_content[i] = i;
	sort_with(ordering->by_content, order->count, sizeof *ordering->by_content,
		  compare_by_content, order);
	for (size_t i = 0; i < order->count; i++) {
		struct ordered_file *file = &order->files[ordering->by_content[i]];
		const struct ordered_file *before = &order->files[ordering->by_content[first]];
		file->is_copy = i > 0 && file->size_bytes > 0 &&
				compare_content(before, file->size_bytes, file->content_hash) == 0;
		if (!file->is_copy)
			first = i;
		file->reference = ordering->by_content[first];
	}
	/* A copy follows the file that it is a copy of. */
	for (size_t i = 0; i < order->count; i++) {
		struct ordered_file *file = &order->files[i];
		file->content = file->is_copy ? order->files[file->reference].content : count++;
	}
	ordering->contents = count;
	return 0;
}

/* NO_NODE: only archive members have this content, or it is new. */
static uint32_t find_content(const struct ordering *ordering, const struct find_file *file)
{
	const struct file_order *order = ordering->order;
	size_t low = 0, high = order->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ordered_file *other = &order->files[ordering->by_content[middle]];
		int difference = compare_content(other, file->size_bytes, file->content_hash);
		if (difference == 0)
			return other->content;
		if (difference < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NO_NODE;
}

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct ordering *ordering = context;
	uint32_t x, y;

	(void)thread, (void)error;
	if (pair->relation.is_identical || !has_resemblance(&pair->relation))
		return 0;
	x = find_content(ordering, pair->a);
	y = find_content(ordering, pair->b);
	if (x != NO_NODE && y != NO_NODE)
		likeness_forest_offer(&ordering->forest, x, y, pair->relation.resemblance);
	return 0;
}

/* Sketches find files whose counts differ more, in a quarter of the time. */
static int find_likenesses(const struct finder *finder, struct ordering *ordering,
			   struct simhash_error *error)
{
	const struct find_sink sink = {.context = ordering, .pair = take_pair};
	struct find_request request = *finder->request;
	struct finder searching = *finder;
	double *minimum = &request.rule.verify.min_resemblance;

	request.rule.tolerance.percent_millionths = SWEPT_PERCENT * SIMHASH_MILLION;
	*minimum = *minimum < 0 ? ORDER_MIN_RESEMBLANCE : *minimum;
	searching.request = &request;
	searching.sink = &sink;
	return finder_all(&searching, error);
}

/* ---- The order ---- */

static int compare_places(const void *a, const void *b, void *context)
{
	const struct likeness_node *nodes = context;
	const struct ordered_file *x = a, *y = b;

	if (x->content != y->content)
		return nodes[x->content].place < nodes[y->content].place ? -1 : 1;
	return compare_files(x, y);
}

/* The first file of a content represents it; the others are copies of that file. */
static int set_references(struct ordering *ordering, struct simhash_error *error)
{
	struct file_order *order = ordering->order;
	const struct likeness_node *nodes = ordering->forest.nodes;
	size_t *first_file = malloc(((size_t)ordering->forest.count + 1) * sizeof *first_file);

	if (first_file == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < order->count; i++) {
		struct ordered_file *file = &order->files[i];
		const struct likeness_node *node = &nodes[file->content];
		const struct likeness *reference = &node->reference;
		file->depth = node->depth;
		if (file->is_copy) {
			file->reference = first_file[file->content];
			file->shared_bytes = file->size_bytes;
			continue;
		}
		first_file[file->content] = i;
		file->reference = reference->other == NO_NODE ? NO_REFERENCE
							      : first_file[reference->other];
		file->shared_bytes = reference->other == NO_NODE ? 0 : reference->common_bytes;
	}
	free(first_file);
	return 0;
}

static int put_in_order(const struct finder *finder, struct ordering *ordering,
			struct simhash_error *error)
{
	struct file_order *order = ordering->order;
	struct likeness_forest *forest = &ordering->forest;
	int status = likeness_forest_init(forest, ordering->contents, error);

	for (size_t i = 0; status == 0 && i < order->count; i++)
		forest->nodes[order->files[i].content].size_bytes = order->files[i].size_bytes;
	if (status == 0)
		status = find_likenesses(finder, ordering, error);
	if (status == 0)
		status = likeness_forest_grow(forest, error);
	if (status == 0) {
		sort_with(order->files, order->count, sizeof *order->files, compare_places,
			  forest->nodes);
		status = set_references(ordering, error);
	}
	likeness_forest_release(forest);
	return status;
}

int finder_order(const struct finder *finder, struct file_order *order, struct simhash_error *error)
{
	struct ordering ordering = {.order = order};
	int status;

	*order = (struct file_order){.count = 0};
	status = read_files(finder, order, error);
	if (status == 0)
		status = number_contents(&ordering, error);
	if (status == 0)
		status = put_in_order(finder, &ordering, error);
	free(ordering.by_content);
	if (status != 0)
		file_order_release(order);
	return status;
}

void file_order_release(struct file_order *order)
{
	arena_release(&order->names);
	free(order->files);
	*order = (struct file_order){.count = 0};
}
