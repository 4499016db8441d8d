/*
 * Puts the versions of a lineage in the order in which they are shown: tree by tree, and each version
 * before the versions that come from it.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "find/lineage/lineage.h"

/* Indexed by the numbers of versions before they are sorted. */
struct family {
	size_t *first_child, *next_sibling, *heir; /* heir: the child that comes last */
	size_t *descendants, *order, *place;	   /* order: each version after its parent */
	size_t count;				   /* number of versions in `order` */
	size_t placed;				   /* number of versions in trees */
};

static int family_init(struct family *family, size_t count, struct simhash_error *error)
{
	size_t **arrays[] = {&family->first_child, &family->next_sibling, &family->heir,
			     &family->descendants, &family->order,	  &family->place};

	*family = (struct family){.count = 0};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
		*arrays[i] = calloc(count, sizeof **arrays[i]);
		if (*arrays[i] == NULL)
			return error_set_memory(error);
	}
	return 0;
}

static void family_release(struct family *family)
{
	free(family->first_child);
	free(family->next_sibling);
	free(family->heir);
	free(family->descendants);
	free(family->order);
	free(family->place);
}

static void find_heirs(struct family *family, const struct lineage *lineage)
{
	size_t count = lineage->count;

	for (size_t v = 0; v < count; v++) {
		family->first_child[v] = family->heir[v] = NO_PARENT;
		family->descendants[v] = 0;
	}
	for (size_t v = count; v-- > 0;) {
		size_t parent = lineage->versions[v].parent;
		if (parent == NO_PARENT) {
			family->order[family->count++] = v;
			continue;
		}
		family->next_sibling[v] = family->first_child[parent];
		family->first_child[parent] = v;
	}
	for (size_t i = 0; i < family->count; i++)
		for (size_t v = family->first_child[family->order[i]]; v != NO_PARENT;
		     v = family->next_sibling[v])
			family->order[family->count++] = v;
	for (size_t i = count; i-- > 1;) {
		size_t v = family->order[i], parent = lineage->versions[v].parent, heir;
		if (parent == NO_PARENT)
			break;
		heir = family->heir[parent];
		family->descendants[parent] += family->descendants[v] + 1;
		if (heir == NO_PARENT || family->descendants[v] > family->descendants[heir] ||
		    (family->descendants[v] == family->descendants[heir] && v > heir))
			family->heir[parent] = v;
	}
}

/*
 * Put each version before its children, and each child together with its descendants. A version
 * without relatives has no place.
 */
static void place_all(struct family *family, const struct lineage *lineage)
{
	for (size_t i = 0; i < family->count; i++) {
		size_t parent = family->order[i], next;
		if (lineage->versions[parent].parent == NO_PARENT) {
			family->place[parent] = family->placed;
			family->placed += family->descendants[parent] > 0
						  ? family->descendants[parent] + 1
						  : 0;
		}
		next = family->place[parent] + 1;
		for (size_t v = family->first_child[parent]; v != NO_PARENT;
		     v = family->next_sibling[v])
			if (v != family->heir[parent]) {
				family->place[v] = next;
				next += family->descendants[v] + 1;
			}
		if (family->heir[parent] != NO_PARENT)
			family->place[family->heir[parent]] = next;
	}
}

int lineage_put_in_order(struct lineage *lineage, struct simhash_error *error)
{
	struct lineage_version *placed = malloc((lineage->count + 1) * sizeof *placed);
	struct family family;
	int status = family_init(&family, lineage->count + 1, error);

	if (status == 0 && placed == NULL)
		status = error_set_memory(error);
	if (status == 0) {
		find_heirs(&family, lineage);
		place_all(&family, lineage);
		for (size_t v = 0; v < lineage->count; v++) {
			struct lineage_version *version = &placed[family.place[v]];
			if (lineage->versions[v].parent == NO_PARENT && family.descendants[v] == 0)
				continue;
			*version = lineage->versions[v];
			if (version->parent != NO_PARENT) {
				version->is_last_child = family.heir[version->parent] == v;
				version->parent = family.place[version->parent];
			}
		}
		free(lineage->versions);
		lineage->versions = placed;
		lineage->count = family.placed;
	} else {
		free(placed);
	}
	family_release(&family);
	return status;
}

size_t lineage_tree_end(const struct lineage *lineage, size_t begin)
{
	size_t end = begin + 1;

	while (end < lineage->count && lineage->versions[end].parent != NO_PARENT)
		end++;
	return end;
}
