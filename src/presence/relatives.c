/*
 * Finds the most similar file elsewhere for each missing content, by a search between the missing
 * files and the places.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "presence/presence_files.h"

struct relatives {
	struct held_files *held;
	pthread_mutex_t lock;
};

static uint8_t sides_of(const void *context, const struct file_row *row)
{
	const struct held_files *held = context;
	const struct held_file *file;

	if (held_top(held, row) == NULL)
		return held_is_in_place(held, NULL, row) ? SIDE_B : 0;
	file = held_file_find(held, row->host, row->path_hash);
	return file != NULL && file->is_met && file->state == CONTENT_MISSING &&
			       file->content > 0 &&
			       held->contents[file->content - 1].state == CONTENT_MISSING
		       ? SIDE_A
		       : 0;
}

/* Any file may contain a missing one, but only missing files are searched for. */
static unsigned roles_of(const void *context, const uint8_t *content_hash, int64_t size_bytes)
{
	const struct held_files *held = context;
	uint32_t number = held_content_find(held, size_bytes, content_hash);

	return number != 0 && held->contents[number - 1].state == CONTENT_MISSING
		       ? CONTENT_MAY_BE_PART | CONTENT_MAY_BE_WHOLE
		       : CONTENT_MAY_BE_WHOLE;
}

/* The share of the missing file that is in its relative, as far as it is known. */
static double share_of(const struct relation *relation)
{
	if (has_containment(relation))
		return relation->contained_a;
	return has_resemblance(relation) ? relation->resemblance : 0;
}

static bool is_better(const struct held_files *held, const struct relation *relation,
		      struct bytes display, uint32_t known)
{
	const struct held_relative *other;

	if (known == 0)
		return true;
	other = &held->relatives[known - 1];
	if (share_of(relation) != share_of(&other->relation))
		return share_of(relation) > share_of(&other->relation);
	return bytes_compare(display, other->display) < 0;
}

static int keep(struct held_files *held, struct held_content *content,
		const struct relation *relation, struct bytes display, struct simhash_error *error)
{
	char *kept = arena_take(&held->found->arena, display.size + 1);

	if (kept == NULL)
		return error_set_memory(error);
	if (content->relative == 0) {
		if (array_reserve(&held->relatives, &held->relative_capacity,
				  held->relative_count + 1, sizeof *held->relatives, error) != 0)
			return -1;
		content->relative = (uint32_t)++held->relative_count;
	}
	memcpy(kept, display.data, display.size);
	kept[display.size] = '\0';
	held->relatives[content->relative - 1] =
		(struct held_relative){{kept, display.size}, *relation};
	return 0;
}

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct relatives *relatives = context;
	struct held_files *held = relatives->held;
	bool a_is_missing = (pair->a->sides & SIDE_A) != 0;
	const struct find_file *missing = a_is_missing ? pair->a : pair->b;
	const struct find_file *other = a_is_missing ? pair->b : pair->a;
	struct relation relation = a_is_missing ? pair->relation : relation_turned(&pair->relation);
	struct bytes display = find_file_display(other);
	struct held_content *content;
	struct held_file *file;
	int status = 0;

	(void)thread;
	pthread_mutex_lock(&relatives->lock);
	file = held_file_find(held, missing->host, missing->path_hash);
	content = file == NULL || file->content == 0 ? NULL : &held->contents[file->content - 1];
	if (content != NULL && is_better(held, &relation, display, content->relative))
		status = keep(held, content, &relation, display, error);
	pthread_mutex_unlock(&relatives->lock);
	return status;
}

int held_relatives_find(struct held_files *held, struct simhash_error *error)
{
	struct relatives relatives = {.held = held, .lock = PTHREAD_MUTEX_INITIALIZER};
	const struct find_sink sink = {.context = &relatives, .pair = take_pair};
	struct find_request request = *held->finder->request;
	struct finder finder;
	int status;

	request.has_between = true;
	request.sides = sides_of;
	request.piece_roles = roles_of;
	request.sides_context = held;
	request.takes = NULL;
	request.known = NULL;
	request.kinds = held->wanted->relatives;
	if (finder_init(&finder, held->finder->store, &request, &sink, held->finder->resources,
			error) != 0)
		return -1;
	status = finder_all(&finder, error);
	finder_release(&finder);
	return status;
}
