/*
 * Takes the names of rotated logs apart. A number in such a name counts backwards: whenever a new
 * log begins, the number of each older log grows by one.
 * SPDX-License-Identifier: MIT
 */
#include "find/lineage/rotations.h"

#include "base/basic/ascii.h"
#include "find/lineage/version_names.h"

static bool ends_with(struct bytes name, const char *end)
{
	struct bytes ending = bytes_of(end);

	if (name.size <= ending.size)
		return false;
	name = bytes_after(name, name.size - ending.size);
	for (size_t i = 0; i < name.size; i++)
		if (ascii_lower(name.data[i]) != ending.data[i])
			return false;
	return true;
}

static struct bytes without_compression(struct bytes name)
{
	static const char *const endings[] = {".gz", ".xz", ".bz2", ".zst"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (ends_with(name, endings[i]))
			return (struct bytes){name.data, name.size - strlen(endings[i])};
	return name;
}

/* Set the log and the suffix if the name ends with a suffix of this size, after a separator. */
static bool cut(struct bytes name, size_t size, const char *separators, struct rotation *rotation)
{
	size_t before;

	if (name.size < size + 2)
		return false;
	before = name.size - size - 1;
	if (strchr(separators, name.data[before]) == NULL || name.data[before] == '\0')
		return false;
	rotation->log = (struct bytes){name.data, before};
	rotation->suffix = bytes_after(name, before + 1);
	return true;
}

#define DIGITS_MAX 3

/*
 * A number that begins with a zero counts the parts of a file. A number before the point makes both
 * a version: LGPL-2.1.
 */
static bool cut_number(struct bytes name, struct rotation *rotation)
{
	size_t size = 0;

	while (size < name.size && ascii_is_digit(name.data[name.size - size - 1]))
		size++;
	return size > 0 && size <= DIGITS_MAX &&
	       (size == 1 || name.data[name.size - size] != '0') &&
	       cut(name, size, ".", rotation) &&
	       !ascii_is_digit(rotation->log.data[rotation->log.size - 1]);
}

static bool cut_day(struct bytes name, struct rotation *rotation)
{
	static const size_t sizes[] = {sizeof "20250101" - 1, sizeof "2025-01-01" - 1};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (cut(name, sizes[i], "-._", rotation) && name_begins_with_day(rotation->suffix))
			return true;
	return false;
}

struct rotation rotation_of(struct bytes name)
{
	struct bytes text = without_compression(name);
	struct rotation rotation;

	if (cut_number(text, &rotation))
		rotation.kind = ROTATION_NUMBERED;
	else if (cut_day(text, &rotation))
		rotation.kind = ROTATION_DAY;
	else
		rotation = (struct rotation){.kind = ROTATION_CURRENT, .log = name};
	return rotation;
}

bool rotation_is_sure(const struct rotation *rotation)
{
	return ends_with(rotation->log, ".log");
}

int rotation_compare(const struct rotation *x, const struct rotation *y)
{
	bool x_is_current = x->kind == ROTATION_CURRENT, y_is_current = y->kind == ROTATION_CURRENT;

	if (x->log.size != y->log.size || bytes_compare(x->log, y->log) != 0)
		return 0;
	if (x_is_current || y_is_current)
		return x_is_current - y_is_current;
	if (x->kind != y->kind)
		return 0;
	if (x->kind == ROTATION_DAY)
		return x->suffix.size == y->suffix.size ? bytes_compare(x->suffix, y->suffix) : 0;
	/* The larger number is the earlier log. The numbers have no zeros before them. */
	if (x->suffix.size != y->suffix.size)
		return x->suffix.size > y->suffix.size ? -1 : 1;
	return bytes_compare(y->suffix, x->suffix);
}
