/*
 * Stores the names of a tree in a hash table of parents and last names.
 * SPDX-License-Identifier: MIT
 */
#include "keep/tree_names.h"

#include <string.h>

#include "base/basic/seed.h"
#include "base/data/array.h"

struct name_key {
	const struct tree_names *names;
	uint32_t parent;
	struct bytes text;
};

static bool is_same(const void *context, uint32_t number)
{
	const struct name_key *key = context;
	const struct tree_name *name = tree_names_at(key->names, number);

	return name->parent == key->parent && name->size == key->text.size &&
	       memcmp(name->text, key->text.data, key->text.size) == 0;
}

static uint64_t hash_of(const struct name_key *key)
{
	uint64_t hash = hash_seeded(key->parent, key->text.size), piece;

	for (size_t at = 0; at < key->text.size; at += sizeof piece) {
		size_t left = key->text.size - at;
		piece = 0;
		memcpy(&piece, key->text.data + at, left < sizeof piece ? left : sizeof piece);
		hash = hash_seeded(hash, piece);
	}
	return hash;
}

static int add(struct tree_names *names, uint32_t parent, struct bytes text,
	       struct simhash_error *error)
{
	if (text.size > UINT32_MAX)
		return error_set(error, SIMHASH_E_RANGE, "a name has more than 4 GiB");
	if (array_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items,
			  error) != 0)
		return -1;
	names->items[names->count++] = (struct tree_name){
		.parent = parent, .text = text.data, .size = (uint32_t)text.size};
	return 0;
}

int tree_names_step(struct tree_names *names, uint32_t *number, struct bytes text,
		    struct simhash_error *error)
{
	const struct name_key key = {names, *number, text};
	uint64_t hash = hash_of(&key);
	struct slot *slot;

	if (slots_reserve(&names->slots, error) != 0)
		return -1;
	slot = slots_find(&names->slots, hash, is_same, &key);
	if (slot->number == NO_ITEM) {
		if (add(names, *number, text, error) != 0)
			return -1;
		slots_add(&names->slots, slot, hash, (uint32_t)names->count);
	}
	*number = slot->number;
	return 0;
}

int tree_names_find(struct tree_names *names, struct bytes path, uint32_t *number,
		    struct simhash_error *error)
{
	*number = TREE_TOP;
	if (names->count == 0 && add(names, 0, (struct bytes){"", 0}, error) != 0)
		return -1;
	while (path.size > 0) {
		const char *slash = memchr(path.data, '/', path.size);
		size_t size = slash == NULL ? path.size : (size_t)(slash - path.data);
		if (tree_names_step(names, number, (struct bytes){path.data, size}, error) != 0)
			return -1;
		path = bytes_after(path, size + (slash != NULL));
	}
	return 0;
}

bool tree_names_has(const struct tree_names *names, uint32_t directory, struct bytes text)
{
	const struct name_key key = {names, directory, text};
	uint32_t number = slots_number(&names->slots, hash_of(&key), is_same, &key);

	return number != NO_ITEM && (tree_names_at(names, number)->is_directory ||
				     tree_names_at(names, number)->is_file);
}

static uint32_t above(const struct tree_names *names, uint32_t number)
{
	return tree_names_at(names, number)->parent;
}

/* Measure a path: the number of its parts and of its bytes. */
static size_t path_depth(const struct tree_names *names, uint32_t number, size_t *size)
{
	size_t depth = 0;

	for (*size = 0; number != TREE_TOP; number = above(names, number), depth++)
		*size += tree_names_at(names, number)->size + 1;
	return depth;
}

int tree_names_compare(const struct tree_names *names, uint32_t x, uint32_t y)
{
	size_t x_size, y_size;
	size_t x_depth = path_depth(names, x, &x_size), y_depth = path_depth(names, y, &y_size);
	const struct tree_name *a, *b;

	if (x == y || x_size != y_size)
		return (x_size > y_size) - (x_size < y_size);
	for (; x_depth > y_depth; x_depth--)
		x = above(names, x);
	for (; y_depth > x_depth; y_depth--)
		y = above(names, y);
	while (above(names, x) != above(names, y)) {
		x = above(names, x);
		y = above(names, y);
	}
	a = tree_names_at(names, x);
	b = tree_names_at(names, y);
	return bytes_compare((struct bytes){a->text, a->size}, (struct bytes){b->text, b->size});
}

void tree_names_release(struct tree_names *names)
{
	slots_release(&names->slots);
	free(names->items);
	*names = (struct tree_names){.count = 0};
}
