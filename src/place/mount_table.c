/*
 * Parses the lines of mountinfo, as proc_pid_mountinfo(5) describes them, and compares locations.
 * SPDX-License-Identifier: MIT
 */
#include "place/mount_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"

/* ---- Reading ---- */

/* The next field of a line, and removes it with the following space. Empty at the end. */
static struct bytes next_field(struct bytes *line)
{
	const char *space = memchr(line->data, ' ', line->size);
	size_t size = space == NULL ? line->size : (size_t)(space - line->data);
	struct bytes field = {line->data, size};

	size += space != NULL;
	*line = (struct bytes){line->data + size, line->size - size};
	return field;
}

/* Take digits up to `end` or to the end of the field off the field. */
static bool take_number(struct bytes *field, char end, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < field->size && field->data[i] != end; i++) {
		if (field->data[i] < '0' || field->data[i] > '9' || *number > UINT32_MAX)
			return false;
		*number = *number * 10 + (uint64_t)(field->data[i] - '0');
	}
	if (i == 0)
		return false;
	i += i < field->size;
	*field = (struct bytes){field->data + i, field->size - i};
	return true;
}

static bool is_octal(const char *digits)
{
	return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
	       digits[2] >= '0' && digits[2] <= '7';
}

/* Replace escapes in place, because the table owns the text: "\040" is a space, for example. */
static struct bytes unescape(char *text, struct bytes field)
{
	char *out = text + (field.data - text), *const begin = out;

	for (size_t i = 0; i < field.size; i++)
		if (field.data[i] == '\\' && field.size - i > 3 && is_octal(field.data + i + 1)) {
			*out++ = (char)((field.data[i + 1] - '0') * 64 +
					(field.data[i + 2] - '0') * 8 + (field.data[i + 3] - '0'));
			i += 3;
		} else {
			*out++ = field.data[i];
		}
	return (struct bytes){begin, (size_t)(out - begin)};
}

static bool ends_with(struct bytes path, const char *end)
{
	size_t size = strlen(end);

	return path.size >= size && memcmp(path.data + path.size - size, end, size) == 0;
}

static bool is_equal(struct bytes x, const char *text)
{
	return bytes_compare(x, bytes_of(text)) == 0;
}

static struct bytes without_last_slash(struct bytes path)
{
	return is_equal(path, "/") ? (struct bytes){path.data, 0} : path;
}

/*
 * 36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda rw
 *
 * On NFS, the root of each mount is "/". A removed root ends with "//deleted". For the kernel's
 * internal file systems, the root may not be a path.
 */
static bool read_line(char *text, struct bytes line, struct mount *mount)
{
	struct bytes id = next_field(&line), parent = next_field(&line), device = next_field(&line);
	struct bytes root = next_field(&line), point = next_field(&line), type;
	uint64_t major, minor;

	if (!take_number(&id, ' ', &mount->id) || !take_number(&parent, ' ', &mount->parent) ||
	    !take_number(&device, ':', &major) || !take_number(&device, ' ', &minor) ||
	    root.size == 0 || point.size == 0 || point.data[0] != '/')
		return false;
	mount->file_system = major << 32 | minor;
	next_field(&line); /* options */
	while (line.size > 0 && !is_equal(next_field(&line), "-"))
		;
	type = next_field(&line);
	if (type.size == 0)
		return false;
	mount->has_root = root.data[0] == '/' && !ends_with(root, "//deleted") &&
			  !is_equal(type, "nfs") && !is_equal(type, "nfs4");
	mount->root = without_last_slash(unescape(text, root));
	mount->point = without_last_slash(unescape(text, point));
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct mount *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

int mount_table_read(struct mount_table *table, char *text, size_t size,
		     struct simhash_error *error)
{
	struct bytes rest = {text, size};

	*table = (struct mount_table){.text = text};
	while (rest.size > 0) {
		const char *end = memchr(rest.data, '\n', rest.size);
		size_t length = end == NULL ? rest.size : (size_t)(end - rest.data);
		if (array_reserve(&table->mounts, &table->capacity, table->count + 1,
				  sizeof *table->mounts, error) != 0)
			return -1;
		if (!read_line(text, (struct bytes){rest.data, length},
			       &table->mounts[table->count]))
			return error_set(error, SIMHASH_E_RANGE,
					 "line %zu: expected a mount as proc_pid_mountinfo(5) "
					 "describes it",
					 table->count + 1);
		table->count++;
		length += end != NULL;
		rest = (struct bytes){rest.data + length, rest.size - length};
	}
	if (table->count > 0)
		qsort(table->mounts, table->count, sizeof *table->mounts, compare_ids);
	return 0;
}

void mount_table_release(struct mount_table *table)
{
	free(table->text);
	free(table->mounts);
	free(table->protected);
	*table = (struct mount_table){.text = NULL};
}

/* ---- Locations ---- */

static const struct mount *find_mount(const struct mount_table *table, uint64_t id)
{
	struct mount key = {.id = id};

	return table->count == 0 ? NULL
				 : bsearch(&key, table->mounts, table->count, sizeof *table->mounts,
					   compare_ids);
}

bool mount_table_locate(const struct mount_table *table, uint64_t mount_id, struct bytes path,
			struct location *location)
{
	const struct mount *mount = find_mount(table, mount_id);
	struct bytes absolute = without_last_slash(path);

	if (mount == NULL || path.size == 0 || path.data[0] != '/' ||
	    !path_is_at_or_below(path, mount->point.size == 0 ? bytes_of("/") : mount->point))
		return false;
	*location = (struct location){
		mount, {absolute.data + mount->point.size, absolute.size - mount->point.size}};
	return true;
}

/* The byte at position i of the path in the file system, or 0 after its end. */
static char byte_at(const struct location *location, size_t i)
{
	const struct bytes *root = &location->mount->root, *rest = &location->rest;

	if (i < root->size)
		return root->data[i];
	i -= root->size;
	return (char)(i < rest->size ? rest->data[i] : '\0');
}

static bool is_at_or_below(const struct location *location, const struct location *top)
{
	size_t size = top->mount->root.size + top->rest.size;
	char after;

	for (size_t i = 0; i < size; i++)
		if (byte_at(location, i) != byte_at(top, i))
			return false;
	after = byte_at(location, size);
	return after == '\0' || after == '/';
}

/* If a root is not reliable, only paths of the same mount can be compared. */
static enum mount_answer tell_one(const struct location *location, const struct location *top)
{
	if (location->mount->file_system != top->mount->file_system)
		return MOUNT_FREE;
	if (location->mount != top->mount && !(location->mount->has_root && top->mount->has_root))
		return MOUNT_UNKNOWN;
	return is_at_or_below(location, top) ? MOUNT_PROTECTED : MOUNT_FREE;
}

enum mount_answer mount_table_tell(const struct mount_table *table, const struct location *location)
{
	enum mount_answer answer = MOUNT_FREE;

	for (size_t i = 0; i < table->protected_count && answer != MOUNT_PROTECTED; i++) {
		enum mount_answer one = tell_one(location, &table->protected[i]);
		if (one > answer)
			answer = one;
	}
	return answer;
}

/* ---- Protecting ---- */

static int add_protected(struct mount_table *table, struct location location,
			 struct simhash_error *error)
{
	if (array_reserve(&table->protected, &table->protected_capacity, table->protected_count + 1,
			  sizeof *table->protected, error) != 0)
		return -1;
	table->protected[table->protected_count++] = location;
	return 0;
}

/* Is this unprotected mount mounted at a protected location? */
static bool is_mounted_there(const struct mount_table *table, const struct mount *mount)
{
	struct location point, root = {mount, {mount->point.data, 0}};

	return mount->parent != mount->id &&
	       mount_table_locate(table, mount->parent,
				  mount->point.size == 0 ? bytes_of("/") : mount->point, &point) &&
	       mount_table_tell(table, &point) != MOUNT_FREE &&
	       mount_table_tell(table, &root) != MOUNT_PROTECTED;
}

int mount_table_protect(struct mount_table *table, const struct location *locations, size_t count,
			struct simhash_error *error)
{
	size_t before;

	for (size_t i = 0; i < count; i++)
		if (add_protected(table, locations[i], error) != 0)
			return -1;
	/* Mounts can contain mounts, so repeat this. Each round adds at least one mount. */
	do {
		before = table->protected_count;
		for (size_t i = 0; i < table->count; i++)
			if (is_mounted_there(table, &table->mounts[i]) &&
			    add_protected(table,
					  (struct location){&table->mounts[i],
							    {table->mounts[i].point.data, 0}},
					  error) != 0)
				return -1;
	} while (table->protected_count > before);
	return 0;
}
