/*
 * Finds the nearest files by reading all files within a distance, which grows until enough files
 * are found.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

__extension__ typedef unsigned __int128 wide;

static void drop_last(struct nearest *nearest)
{
	free((char *)(uintptr_t)nearest->items[--nearest->count].file.display);
}

void nearest_begin_round(struct nearest *nearest)
{
	while (nearest->count > 0)
		drop_last(nearest);
}

void nearest_release(struct nearest *nearest)
{
	nearest_begin_round(nearest);
	free(nearest->items);
	nearest->items = NULL;
}

/* Compares by distance, then by displayed name. */
static bool is_nearer(uint64_t distance, const struct find_file *file, const struct neighbour *than)
{
	if (distance != than->distance)
		return distance < than->distance;
	return strcmp(file->display, than->file.display) < 0;
}

static int keep(struct nearest *nearest, const struct find_file *file, uint64_t distance,
		struct simhash_error *error)
{
	struct neighbour *items = nearest->items;
	size_t at = nearest->count;
	char *display;

	if (at == nearest->wanted && !is_nearer(distance, file, &items[at - 1]))
		return 0;
	display = malloc((size_t)file->display_size + 1);
	if (display == NULL)
		return error_set_memory(error);
	memcpy(display, file->display, (size_t)file->display_size + 1);
	if (at == nearest->wanted)
		drop_last(nearest);
	for (at = nearest->count++; at > 0 && is_nearer(distance, file, &items[at - 1]); at--)
		items[at] = items[at - 1];
	items[at] = (struct neighbour){*file, distance};
	items[at].file.display = display;
	return 0;
}

/*
 * For identical files, sizes and extensions do not matter, unless pairs depend on the counts alone.
 */
static bool may_be_near(const struct find_rule *rule, const struct find_file *queried,
			const struct find_file *file)
{
	return (rule->verify.mode != VERIFY_NO && are_identical(queried, file)) ||
	       rule_allows(rule, queried, file);
}

/* The distance between two files is at most the number of windows of both. */
static int64_t furthest(const struct finder *finder, const struct find_file *file)
{
	int64_t partner =
		simhash_largest_partner(&finder->request->rule.tolerance, file->size_bytes);

	return partner > INT64_MAX / 32 ? INT64_MAX / 2 : 16 * partner + 1;
}

/* If there are many similar files, the nearest are much nearer than the tolerance. */
int nearest_begin(struct nearest *nearest, size_t wanted, const struct finder *finder,
		  const struct queried_file *queried, struct simhash_error *error)
{
	*nearest = (struct nearest){
		.wanted = wanted,
		.last = furthest(finder, &queried->file),
		.distance = rule_reach(&finder->request->rule, queried->file.tolerance,
				       queried->file.has_sketch, queried->file.size_bytes) /
				    16 +
			    1};
	if (nearest->distance > nearest->last)
		nearest->distance = nearest->last;
	nearest->items = calloc(wanted, sizeof *nearest->items);
	return nearest->items == NULL ? error_set_memory(error) : 0;
}

/*
 * The next distance is twice as large if no file was found, and grows less otherwise: the number of
 * files grows with a high power of the distance, and so does the search time.
 */
static uint64_t next_distance(const struct nearest *nearest)
{
	wide distance = (wide)nearest->distance;

	return (uint64_t)(distance + 1 +
			  distance * nearest->wanted / (nearest->wanted + 4 * nearest->count));
}

void nearest_end_round(struct nearest *nearest)
{
	uint64_t distance = (uint64_t)nearest->distance, wider = next_distance(nearest);

	nearest->is_found = nearest->distance == nearest->last;
	if (nearest->count == nearest->wanted) {
		uint64_t worst = nearest->items[nearest->count - 1].distance;
		nearest->is_found = nearest->is_found || worst <= distance;
		/* A file that can displace one of these is not further away than the last one. */
		wider = worst < wider ? worst : wider;
	}
	nearest->distance = wider > (uint64_t)nearest->last ? nearest->last : (int64_t)wider;
}

int nearest_take(struct nearest *nearest, const struct find_rule *rule,
		 const struct find_file *queried, const struct find_file *file,
		 struct simhash_error *error)
{
	if (!may_be_near(rule, queried, file))
		return 0;
	return keep(nearest, file, simhash_distance(&queried->table, &file->table), error);
}
