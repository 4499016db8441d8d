/*
 * Writes groups as records, sorts the records, and reads them back.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/group_sorter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "find/pairs/archives.h"
#include "find/reading/shared_copies.h"
#include "find/rows/packed_row.h"

/* A group, followed by its members. */
struct group_record {
	uint64_t size; /* the total size in bytes: a multiple of 8 */
	double key, then;
	uint64_t id, count;
	int64_t bytes, copied_bytes;
	uint32_t display_at, display_size; /* the representative's path: its offset in the record */
};

/* A member, followed by its file. */
struct member_record {
	struct relation relation;
	uint32_t role;
	uint32_t is_shared;
};

_Static_assert(sizeof(struct group_record) % 8 == 0, "members are aligned");
_Static_assert(sizeof(struct member_record) % 8 == 0, "files are aligned");

/* ---- Order ---- */

static size_t size_of(const void *head)
{
	const struct group_record *record = head;

	return (size_t)record->size;
}

static int compare_records(const void *a, const void *b, const void *context)
{
	const struct group_order *order = context;
	const struct group_record *x = a, *y = b;
	int result;

	if (x->key != y->key)
		result = x->key < y->key ? -1 : 1;
	else if (x->then != y->then)
		result = x->then < y->then ? -1 : 1;
	else
		result = bytes_compare(
			(struct bytes){(const char *)x + x->display_at, x->display_size},
			(struct bytes){(const char *)y + y->display_at, y->display_size});
	if (result == 0)
		result = (x->id > y->id) - (x->id < y->id);
	return order->reverse ? -result : result;
}

void group_sorter_init(struct group_sorter *sorter, size_t memory_bytes,
		       const struct group_order *order)
{
	*sorter = (struct group_sorter){.order = *order,
					.runs = {.budget = memory_bytes,
						 .size_of = size_of,
						 .compare = compare_records,
						 .context = &sorter->order}};
}

void group_sorter_release(struct group_sorter *sorter)
{
	runs_release(&sorter->runs);
	*sorter = (struct group_sorter){.keeps_sketches = false};
}

/* ---- Adding ---- */

/* The data of a file that is stored. */
static const struct find_file *kept_of(const struct group_sorter *sorter,
				       const struct find_file *file, struct find_file *bare)
{
	if (sorter->keeps_sketches)
		return file;
	memcpy(bare, file, offsetof(struct find_file, sketch));
	bare->has_sketch = false;
	bare->reach = bare->swept_reach = bare->key = 0;
	return bare;
}

static size_t record_size(const struct group_sorter *sorter, const struct group *group,
			  const struct group_member *members)
{
	size_t size = sizeof(struct group_record);
	struct find_file bare;

	for (size_t m = 0; m < group->count; m++)
		size += sizeof(struct member_record) +
			packed_row_size(kept_of(sorter, members[m].file, &bare));
	return size;
}

static void write_record(const struct group_sorter *sorter, const struct group *group,
			 const struct group_member *members, struct group_record *record)
{
	char *write = (char *)(record + 1);
	struct find_file bare, first;

	for (size_t m = 0; m < group->count; m++) {
		struct member_record *member = (void *)write;
		struct packed_row *row = (void *)(member + 1);
		*member = (struct member_record){members[m].relation, members[m].role,
						 members[m].is_shared};
		packed_row_write(row, kept_of(sorter, members[m].file, &bare));
		if (m == 0) {
			packed_row_read(row, &first);
			record->display_at = (uint32_t)(first.display - (const char *)record);
			record->display_size = first.display_size;
		}
		write = (char *)row + row->size;
	}
	record->size = (size_t)(write - (char *)record);
}

static struct group_record record_of(const struct group_sorter *sorter, const struct group *group,
				     const struct group_member *members)
{
	const struct group_order *order = &sorter->order;

	return (struct group_record){
		.key = order->key != NULL ? order->key(group, members)
		       : order->by_path	  ? 0
					  : -(double)group->copied_bytes,
		.then = order->by_path ? 0 : -(double)group->bytes,
		.id = group->id,
		.count = group->count,
		.bytes = group->bytes,
		.copied_bytes = group->copied_bytes,
	};
}

static void count_group(struct group_totals *totals, const struct group *group,
			const struct group_member *members)
{
	totals->groups++;
	totals->files += group->count;
	for (size_t m = 0; m < group->count; m++) {
		totals->copies += members[m].role == ROLE_COPY;
		totals->inside += members[m].role == ROLE_COPY &&
				  row_is_inside(members[m].file->compressed_size_bytes);
		totals->shared += members[m].is_shared;
		totals->similar += members[m].role == ROLE_MEMBER;
	}
	add_size(&totals->copied_bytes, group->copied_bytes);
}

/* Are all files members of archives, and these archives pairs with the first one? */
static bool is_of_archives(const struct group_sorter *sorter, const struct group *group,
			   const struct group_member *members)
{
	bool has_other = false;

	if (sorter->archives == NULL)
		return false;
	for (size_t m = 1; m < group->count; m++) {
		if (!archives_are_related(sorter->archives, members[0].file, members[m].file))
			return false;
		has_other |= archives_are_pair(sorter->archives, members[0].file, members[m].file);
	}
	return has_other;
}

/* Count the blocks of copies once, if copies can share blocks. */
static int count_blocks_once(struct shared_copies *shared, struct group *group,
			     struct group_member *members, struct simhash_error *error)
{
	int64_t bytes = 0;

	for (size_t m = 0; m < group->count; m++) {
		struct shared_copy taken;
		if (members[m].role != ROLE_COPY)
			shared_copies_begin(shared, members[m].file);
		else if (row_is_inside(members[m].file->compressed_size_bytes))
			continue;
		else if (shared_copies_take(shared, members[m].file, &taken, error) != 0)
			return -1;
		else {
			members[m].is_shared = taken.is_shared;
			add_size(&bytes, taken.freed_bytes);
		}
	}
	group->copied_bytes = bytes;
	return 0;
}

int group_sorter_add(struct group_sorter *sorter, struct group_list *groups,
		     struct simhash_error *error)
{
	for (size_t g = 0; g < groups->count; g++) {
		struct group *group = &groups->groups[g];
		struct group_member *members = &groups->members[group->first];
		struct group_record *record;
		uint64_t number;
		if (is_of_archives(sorter, group, members)) {
			sorter->folded++;
			continue;
		}
		if (sorter->shared != NULL && group->copied_bytes > 0 &&
		    count_blocks_once(sorter->shared, group, members, error) != 0)
			return -1;
		record = runs_room(&sorter->runs, record_size(sorter, group, members), error);
		if (record == NULL)
			return -1;
		*record = record_of(sorter, group, members);
		write_record(sorter, group, members, record);
		number = sort_number(record->key);
		runs_add(&sorter->runs, sorter->order.reverse ? ~number : number,
			 (size_t)record->size);
		count_group(&sorter->totals, group, members);
	}
	return 0;
}

int group_sorter_end(struct group_sorter *sorter, struct simhash_error *error)
{
	if (runs_end(&sorter->runs, error) != 0)
		return -1;
	return sorter->runs.spilled > 0 ? runs_spill(&sorter->runs, error) : 0;
}

/* ---- Reading ---- */

static bool comes_before(const void *a, const void *b, const void *order)
{
	const struct run_reader *x = a, *y = b;

	return compare_records(x->record, y->record, order) < 0;
}

static int step(struct run_reader *reader, struct simhash_error *error)
{
	return run_reader_step(reader, sizeof(struct group_record), size_of, error);
}

int group_cursor_begin(struct group_cursor *cursor, const struct group_sorter *sorter,
		       struct simhash_error *error)
{
	*cursor = (struct group_cursor){.order = &sorter->order};
	if (run_cursor_open(&cursor->merge, &sorter->runs, sorter->runs.budget, error) != 0)
		return -1;
	return run_cursor_start(&cursor->merge, step, comes_before, cursor->order, error);
}

static int read_record(struct group_cursor *cursor, const struct group_record *record,
		       struct simhash_error *error)
{
	const char *read = (const char *)(record + 1);
	size_t count = (size_t)record->count;

	if (array_reserve(&cursor->room, &cursor->room_capacity, count, sizeof *cursor->room,
			  error) != 0 ||
	    array_reserve(&cursor->files, &cursor->file_capacity, count, sizeof *cursor->files,
			  error) != 0)
		return -1;
	for (size_t m = 0; m < count; m++) {
		const struct member_record *member = (const void *)read;
		const struct packed_row *row = (const void *)(member + 1);
		packed_row_read(row, &cursor->files[m]);
		cursor->room[m] = (struct group_member){.file = &cursor->files[m],
							.role = (enum member_role)member->role,
							.relation = member->relation,
							.is_shared = member->is_shared != 0};
		read = (const char *)row + row->size;
	}
	cursor->members = cursor->room;
	cursor->group = (struct group){.number = ++cursor->number,
				       .id = record->id,
				       .count = count,
				       .bytes = record->bytes,
				       .copied_bytes = record->copied_bytes,
				       .representative = cursor->files};
	return 0;
}

int group_cursor_next(struct group_cursor *cursor, struct simhash_error *error)
{
	int status = run_cursor_next(&cursor->merge, step, comes_before, cursor->order, error);

	if (status != 1)
		return status;
	return read_record(cursor, run_cursor_first(&cursor->merge)->record, error) == 0 ? 1 : -1;
}

void group_cursor_release(struct group_cursor *cursor)
{
	run_cursor_close(&cursor->merge);
	free(cursor->room);
	free(cursor->files);
	*cursor = (struct group_cursor){.number = 0};
}
