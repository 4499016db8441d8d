/*
 * Groups as records: in memory with their places in order, or as sorted runs of a file.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/group_sorter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "base/files/temporary.h"
#include "base/sort/sort.h"
#include "find/rows/packed_row.h"

#define READ_MIN ((size_t)4 << 10) /* of a run at once */
#define READ_MAX ((size_t)256 << 10)

/* A group, followed by its members. */
struct group_record {
	uint64_t size; /* of all, in bytes: a multiple of 8 */
	double key, then;
	uint64_t id, count;
	int64_t bytes, copied_bytes;
	uint32_t display_at, display_size; /* of the representative, from the first byte on */
};

/* A member, followed by its file. */
struct member_record {
	uint64_t distance;
	double resemblance, contained;
	uint8_t role, verification;
	bool is_part;
	uint8_t unused[5];
};

_Static_assert(sizeof(struct group_record) % 8 == 0, "members are aligned");
_Static_assert(sizeof(struct member_record) % 8 == 0, "files are aligned");

void group_sorter_init(struct group_sorter *sorter, size_t memory_bytes,
		       const struct group_order *order)
{
	*sorter = (struct group_sorter){.budget = memory_bytes, .order = *order};
}

void group_sorter_release(struct group_sorter *sorter)
{
	if (sorter->file != NULL)
		fclose(sorter->file);
	free(sorter->ends);
	free(sorter->sorted);
	free(sorter->bytes);
	*sorter = (struct group_sorter){.budget = 0};
}

/* ---- Order ---- */

static int compare_records(const struct group_order *order, const struct group_record *x,
			   const struct group_record *y)
{
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

static int compare_sorted(const void *a, const void *b, void *context)
{
	const struct group_sorter *sorter = context;
	const struct sorted_group *x = a, *y = b;

	/* What most of them differ in lies together. */
	if (x->key != y->key)
		return (x->key < y->key) != sorter->order.reverse ? -1 : 1;
	if (x->then != y->then)
		return (x->then < y->then) != sorter->order.reverse ? -1 : 1;
	return compare_records(&sorter->order, (const void *)(sorter->bytes + x->place),
			       (const void *)(sorter->bytes + y->place));
}

static void sort_memory(struct group_sorter *sorter)
{
	sort_with(sorter->sorted, sorter->count, sizeof *sorter->sorted, compare_sorted, sorter);
}

/* ---- Adding ---- */

/* What is kept of a file. */
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

static struct member_record member_record_of(const struct group_member *member)
{
	return (struct member_record){.distance = member->distance,
				      .resemblance = member->resemblance,
				      .contained = member->contained,
				      .role = (uint8_t)member->role,
				      .verification = (uint8_t)member->verification,
				      .is_part = member->is_part};
}

static void write_record(const struct group_sorter *sorter, const struct group *group,
			 const struct group_member *members, struct group_record *record)
{
	char *write = (char *)(record + 1);
	struct find_file bare, first;

	for (size_t m = 0; m < group->count; m++) {
		struct member_record *member = (void *)write;
		struct packed_row *row = (void *)(member + 1);
		*member = member_record_of(&members[m]);
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

/* Move what is in memory to a run of the file. */
static int spill(struct group_sorter *sorter, struct simhash_error *error)
{
	off_t end = sorter->run_count == 0 ? 0 : sorter->ends[sorter->run_count - 1];

	if (array_reserve(&sorter->ends, &sorter->run_capacity, sorter->run_count + 1,
			  sizeof *sorter->ends, error) != 0)
		return -1;
	if (sorter->file == NULL)
		sorter->file = temporary_file();
	if (sorter->file == NULL)
		return temporary_no_room(error);
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count; i++) {
		const char *bytes = sorter->bytes + sorter->sorted[i].place;
		const struct group_record *record = (const void *)bytes;
		if (fwrite(bytes, 1, record->size, sorter->file) != record->size)
			return temporary_no_room(error);
	}
	if (fflush(sorter->file) != 0)
		return temporary_no_room(error);
	sorter->ends[sorter->run_count++] = end + (off_t)sorter->used;
	sorter->used = 0;
	sorter->count = 0;
	return 0;
}

/* Room for a record of so many bytes, unless it alone has more than there may be. */
static int make_room(struct group_sorter *sorter, size_t size, struct simhash_error *error)
{
	size_t needed = sorter->used + size + (sorter->count + 1) * sizeof *sorter->sorted;

	if (needed > sorter->budget && sorter->count > 0 && spill(sorter, error) != 0)
		return -1;
	/* At once: memory that was never written to is not taken. */
	if (sorter->bytes == NULL) {
		sorter->capacity = sorter->budget > size ? sorter->budget : size;
		sorter->bytes = malloc(sorter->capacity);
		if (sorter->bytes == NULL)
			return error_set_memory(error);
	}
	return array_reserve(&sorter->bytes, &sorter->capacity, sorter->used + size, 1, error) != 0
		       ? -1
		       : array_reserve(&sorter->sorted, &sorter->sorted_capacity, sorter->count + 1,
				       sizeof *sorter->sorted, error);
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
		totals->similar += members[m].role == ROLE_MEMBER;
	}
	add_size(&totals->copied_bytes, group->copied_bytes);
}

int group_sorter_add(struct group_sorter *sorter, const struct group_list *groups,
		     struct simhash_error *error)
{
	for (size_t g = 0; g < groups->count; g++) {
		const struct group *group = &groups->groups[g];
		const struct group_member *members = &groups->members[group->first];
		struct group_record *record;
		if (make_room(sorter, record_size(sorter, group, members), error) != 0)
			return -1;
		record = (void *)(sorter->bytes + sorter->used);
		*record = record_of(sorter, group, members);
		write_record(sorter, group, members, record);
		sorter->sorted[sorter->count++] =
			(struct sorted_group){record->key, record->then, sorter->used};
		sorter->used += record->size;
		count_group(&sorter->totals, group, members);
	}
	return 0;
}

int group_sorter_end(struct group_sorter *sorter, struct simhash_error *error)
{
	if (sorter->file == NULL) {
		sort_memory(sorter);
		return 0;
	}
	if (sorter->count > 0 && spill(sorter, error) != 0)
		return -1;
	free(sorter->bytes);
	free(sorter->sorted);
	sorter->bytes = NULL;
	sorter->sorted = NULL;
	sorter->capacity = sorter->sorted_capacity = 0;
	return 0;
}

/* ---- Going through them ---- */

/* A run that is being merged. */
struct sorted_run {
	struct temporary_window window;
	const struct group_record *record; /* the first that was not given */
};

/* Read the next record of a run: 1, 0 behind the last, -1. */
static int advance(struct sorted_run *run, struct simhash_error *error)
{
	struct temporary_window *window = &run->window;

	if (temporary_is_at_end(window))
		return 0;
	run->record = temporary_peek(window, sizeof *run->record, error);
	if (run->record != NULL)
		run->record = temporary_peek(window, (size_t)run->record->size, error);
	if (run->record == NULL)
		return -1;
	window->at += (size_t)run->record->size;
	return 1;
}

static bool comes_before(const void *a, const void *b, const void *context)
{
	const struct group_order *order = context;
	const struct sorted_run *x = a, *y = b;

	return compare_records(order, x->record, y->record) < 0;
}

static int begin_runs(struct group_cursor *cursor, struct simhash_error *error)
{
	const struct group_sorter *sorter = cursor->sorter;
	size_t room = sorter->budget / sorter->run_count;

	room = room < READ_MIN ? READ_MIN : room > READ_MAX ? READ_MAX : room;
	cursor->runs = calloc(sorter->run_count, sizeof *cursor->runs);
	cursor->heap.items = calloc(sorter->run_count, sizeof *cursor->heap.items);
	if (cursor->runs == NULL || cursor->heap.items == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < sorter->run_count; i++) {
		struct sorted_run *run = &cursor->runs[i];
		cursor->run_count++;
		run->window = (struct temporary_window){.file = sorter->file,
							.next = i == 0 ? 0 : sorter->ends[i - 1],
							.end = sorter->ends[i]};
		if (array_reserve(&run->window.buffer, &run->window.capacity, room, 1, error) !=
			    0 ||
		    advance(run, error) != 1) /* no run is empty */
			return -1;
		cursor->heap.items[cursor->heap.count++] = run;
	}
	heap_make(&cursor->heap, comes_before, &sorter->order);
	return 0;
}

int group_cursor_begin(struct group_cursor *cursor, const struct group_sorter *sorter,
		       struct simhash_error *error)
{
	*cursor = (struct group_cursor){.sorter = sorter};
	return sorter->file == NULL ? 0 : begin_runs(cursor, error);
}

/* Go on from the record that was given last: 1 where the heap's first is the next one, 0, -1. */
static int next_of_runs(struct group_cursor *cursor, struct simhash_error *error)
{
	const struct group_order *order = &cursor->sorter->order;
	struct heap *heap = &cursor->heap;

	if (cursor->number > 0 && heap->count > 0) {
		int status = advance(heap->items[0], error);
		if (status < 0)
			return -1;
		if (status == 1)
			heap_settle_first(heap, comes_before, order);
		else
			heap_remove_first(heap, comes_before, order);
	}
	return heap->count > 0;
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
							.role = member->role,
							.distance = member->distance,
							.verification = member->verification,
							.resemblance = member->resemblance,
							.is_part = member->is_part,
							.contained = member->contained};
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
	const struct group_sorter *sorter = cursor->sorter;
	const struct group_record *record;

	if (sorter->file == NULL) {
		if (cursor->number == sorter->count)
			return 0;
		record = (const void *)(sorter->bytes + sorter->sorted[cursor->number].place);
	} else {
		int status = next_of_runs(cursor, error);
		if (status != 1)
			return status;
		record = ((const struct sorted_run *)cursor->heap.items[0])->record;
	}
	return read_record(cursor, record, error) == 0 ? 1 : -1;
}

void group_cursor_release(struct group_cursor *cursor)
{
	for (size_t i = 0; i < cursor->run_count; i++)
		free(cursor->runs[i].window.buffer);
	free(cursor->runs);
	free(cursor->heap.items);
	free(cursor->room);
	free(cursor->files);
	*cursor = (struct group_cursor){.number = 0};
}
