/*
 * Decides by two paths which one is the earlier version, and whether they can be versions of one
 * file: by their last parts and by their directories.
 * SPDX-License-Identifier: MIT
 */
#include "find/lineage/version_paths.h"

#include <stdbool.h>
#include <string.h>

static size_t depth_of(struct bytes path)
{
	size_t depth = 0;

	for (size_t i = 0; i < path.size; i++)
		depth += path.data[i] == '/';
	return depth;
}

static struct bytes last_part(struct bytes path)
{
	const char *slash = path.size == 0 ? NULL : last_byte(path.data, '/', path.size);

	return slash == NULL ? path : bytes_after(path, (size_t)(slash - path.data) + 1);
}

struct version_path version_path_of(struct bytes path)
{
	struct version_path parsed = {
		.path = path, .name = last_part(path), .depth = depth_of(path)};

	parsed.rotation = rotation_of(parsed.name);
	parsed.is_rotated = rotation_is_sure(&parsed.rotation);
	return parsed;
}

void version_path_parse(struct version_path *path, uint8_t *meanings)
{
	name_meanings(path->path, meanings);
	path->meanings = meanings;
}

static struct version_name part_of(const struct version_path *path, struct bytes text)
{
	return (struct version_name){
		text,
		path->meanings == NULL ? NULL : path->meanings + (text.data - path->path.data)};
}

static bool are_equal(struct bytes x, struct bytes y)
{
	return x.size == y.size && bytes_compare(x, y) == 0;
}

/* The size of the directories that both paths begin with. */
static size_t common_directories(struct bytes x, struct bytes y)
{
	size_t smaller = x.size < y.size ? x.size : y.size, size = 0;

	for (size_t i = 0; i < smaller && x.data[i] == y.data[i]; i++)
		if (x.data[i] == '/')
			size = i + 1;
	return size;
}

/* Take the next part off the path. `is_last`: no slash follows. */
static struct bytes next_part(struct bytes *path, bool *is_last)
{
	const char *slash;
	struct bytes part = *path;

	while (part.size > 0 && part.data[0] == '/')
		part = bytes_after(part, 1);
	slash = part.size == 0 ? NULL : memchr(part.data, '/', part.size);
	*is_last = slash == NULL;
	if (slash != NULL)
		part.size = (size_t)(slash - part.data);
	*path = (struct bytes){part.data + part.size,
			       (size_t)(path->data + path->size - part.data) - part.size};
	return part;
}

/*
 * Compares the first directories that differ and give evidence; if the paths have different depths,
 * the first ones that differ.
 */
static struct name_order directories_order(const struct version_path *of_x,
					   const struct version_path *of_y)
{
	size_t common = common_directories(of_x->path, of_y->path);
	struct bytes x = bytes_after(of_x->path, common), y = bytes_after(of_y->path, common);
	bool x_is_last, y_is_last;

	for (;;) {
		struct bytes part_x = next_part(&x, &x_is_last), part_y = next_part(&y, &y_is_last);
		struct name_order order;
		if (x_is_last && y_is_last)
			return NO_ORDER;
		if (x_is_last || y_is_last) { /* dir/old/file and dir/file */
			order = name_mark(x_is_last ? part_y : part_x);
			order.order = x_is_last ? -order.order : order.order;
			return order;
		}
		order = names_order(part_of(of_x, part_x), part_of(of_y, part_y));
		if (order.order != 0 || (of_x->depth != of_y->depth && !are_equal(part_x, part_y)))
			return order;
	}
}

/* `order` is the order of the names or, if the names are equal, of the directories. */
static enum names_relation relation_by(struct name_order order, bool same_name)
{
	switch (order.reason) {
	case NAME_VERSION:
	case NAME_BACKUP:
	case NAME_COPY:
		return NAMES_MARKED;
	case NAME_DATE:
	case NAME_APPENDED:
	case NAME_ROTATION:
		return NAMES_ALIKE;
	case NAME_NUMBER:
		return same_name ? NAMES_ALIKE : NAMES_COUNTED;
	case NAME_NONE:
		break;
	}
	return same_name ? NAMES_ALIKE : NAMES_OTHER;
}

static struct name_order last_parts_order(const struct version_path *x,
					  const struct version_path *y)
{
	int order = x->is_rotated && y->is_rotated ? rotation_compare(&x->rotation, &y->rotation)
						   : 0;

	return order != 0 ? (struct name_order){order, NAME_ROTATION}
			  : names_order(part_of(x, x->name), part_of(y, y->name));
}

struct paths_comparison paths_compare(const struct version_path *x, const struct version_path *y)
{
	bool same_name = are_equal(x->name, y->name);
	struct name_order names = same_name ? NO_ORDER : last_parts_order(x, y);
	struct name_order directories = directories_order(x, y), order = names;

	if (names.order == 0)
		order = directories;
	else if (directories.order != 0 && (names.order < 0) != (directories.order < 0))
		order = NO_ORDER;
	return (struct paths_comparison){order,
					 relation_by(same_name ? directories : names, same_name)};
}
