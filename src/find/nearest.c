/*
 * The nearest files, by a growing distance: what is nearer than the distance read around
 * has then been seen.
 * SPDX-License-Identifier: MIT
 */
#include "find/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "find/around.h"

int nearest_init(struct nearest *nearest, size_t wanted, struct simhash_error *error)
{
	*nearest = (struct nearest){.wanted = wanted};
	if (wanted == 0)
		return 0;
	nearest->items = calloc(wanted, sizeof *nearest->items);
	return nearest->items == NULL ? error_set_memory(error) : 0;
}

static void drop_last(struct nearest *nearest)
{
	free((char *)(uintptr_t)nearest->items[--nearest->count].file.display);
}

static void clear(struct nearest *nearest)
{
	while (nearest->count > 0)
		drop_last(nearest);
}

void nearest_release(struct nearest *nearest)
{
	clear(nearest);
	free(nearest->items);
	nearest->items = NULL;
}

/* By distance, then by the bytes displayed. */
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

/* Of identical files sizes and extensions do not matter, unless pairs are those of the counts alone. */
static bool may_be_near(const struct find_rule *rule, const struct find_file *asked,
			const struct find_file *file)
{
	return (rule->verify.mode != VERIFY_NO && are_identical(asked, file)) ||
	       rule_allows(rule, asked, file);
}

static int read_within(struct nearest *nearest, const struct finder *finder,
		       const struct asked_file *asked, int64_t distance, uint64_t *rows,
		       struct simhash_error *error)
{
	struct around around;
	struct find_file file;
	int status;

	clear(nearest);
	if (around_begin(&around, finder, asked, distance, error) != 0)
		return -1;
	while ((status = around_next(&around, &file, error)) == 1)
		if (may_be_near(&finder->request->rule, &asked->file, &file) &&
		    keep(nearest, &file, simhash_distance(&asked->file.table, &file.table),
			 error) != 0) {
			status = -1;
			break;
		}
	*rows += around.rows;
	around_end(&around);
	return status;
}

/* No file that the rule allows is further away than all windows of both. */
static int64_t furthest(const struct finder *finder, const struct find_file *file)
{
	int64_t partner =
		simhash_largest_partner(&finder->request->rule.tolerance, file->size_bytes);

	return partner > INT64_MAX / 32 ? INT64_MAX / 2 : 16 * partner + 1;
}

int nearest_find(struct nearest *nearest, const struct finder *finder,
		 const struct asked_file *asked, uint64_t *rows, struct simhash_error *error)
{
	int64_t last = furthest(finder, &asked->file), distance = asked->file.reach / 16 + 1;

	/* Where files are dense, the nearest are much nearer than the tolerance. */
	for (;;) {
		uint64_t worst;
		if (distance > last)
			distance = last;
		if (read_within(nearest, finder, asked, distance, rows, error) != 0)
			return -1;
		if (distance == last)
			return 0;
		if (nearest->count < nearest->wanted) {
			distance *= 2;
			continue;
		}
		worst = nearest->items[nearest->count - 1].distance;
		if (worst <= (uint64_t)distance)
			return 0;
		/* All that can displace one of these is within the last of them. */
		distance = worst < (uint64_t)distance * 2 ? (int64_t)worst : distance * 2;
	}
}
