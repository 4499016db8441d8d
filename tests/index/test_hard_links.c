/*
 * Tests that one name of a file is scanned, and that all other names get its row. Tasks come in
 * random order and are compared with a list of inodes.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/work/hard_links.h"
#include "random.h"

#define INODES 6
#define TASKS 60

/* An inode as the walk found it, with its expected state. */
struct inode {
	struct found_file file;
	uint64_t names_to_come; /* the names that were not met yet */
	unsigned at_work;	/* tasks that were entered and have no row yet */
	bool is_scanning;
	uint8_t content; /* the content of its row; 0 if unknown */
};

enum state { WAITS, PARKED, SCANS, DONE };

/* A name of an inode: not scanned yet, parked, being scanned, or done. */
struct name {
	struct task task;
	struct inode *inode;
	enum state state;
	unsigned parked_at;
};

static struct hard_links *links;
static struct inode inodes[INODES];
static struct name names[TASKS];
static unsigned name_count, parked_count, seen_copied, seen_parked, seen_failed, seen_again;

static bool chance(unsigned percent)
{
	return next_random() % 100 < percent;
}

/* Files with the same inode number that differ in one property that identifies a file. */
static void make_inodes(void)
{
	for (unsigned i = 0; i < INODES; i++)
		inodes[i] = (struct inode){.file = {.size_bytes = 5,
						    .mtime_ns = 6,
						    .changed_ns = 7,
						    .device = 8,
						    .inode = 9,
						    .links = 1 + next_random() % 9}};
	inodes[1].file.size_bytes++;
	inodes[2].file.mtime_ns++;
	inodes[3].file.changed_ns++;
	inodes[4].file.device++;
	inodes[5].file.is_inflated = true;
	name_count = parked_count = 0;
}

/* The first name is scanned, and so is a name that comes after all names were met and done. */
static void enter(struct inode *inode)
{
	struct name *name = &names[name_count++];
	bool is_forgotten = inode->at_work == 0 && inode->names_to_come == 0;

	*name = (struct name){.inode = inode, .task.found.links = (int64_t)name_count};
	hard_links_enter(links, &inode->file, &name->task);
	if (inode->file.links < 2) {
		assert_null(name->task.names.link);
		assert_false(name->task.names.is_leader);
		name->state = DONE;
		return;
	}
	seen_again += is_forgotten && inode->content != 0;
	if (is_forgotten) {
		inode->names_to_come = inode->file.links;
		inode->content = 0;
	}
	assert_non_null(name->task.names.link);
	assert_int_equal(name->task.names.is_leader, !inode->is_scanning && inode->content == 0);
	name->state = name->task.names.is_leader ? SCANS : WAITS;
	inode->is_scanning = inode->is_scanning || name->task.names.is_leader;
	inode->names_to_come -= inode->names_to_come > 0;
	inode->at_work++;
}

static void has_row(struct name *name)
{
	assert_int_equal(name->task.row.content_hash[0], name->inode->content);
	assert_int_equal(name->task.row.links, name->task.found.links);
	assert_null(name->task.names.link);
	name->state = DONE;
	name->inode->at_work--;
}

/* Another name gets the known row, waits for a row that is being made, or makes it. */
static void take(struct name *name)
{
	struct inode *inode = name->inode;
	enum hard_link_answer wanted = inode->content != 0  ? LINK_COPIED
				       : inode->is_scanning ? LINK_PARKED
							    : LINK_SCAN;

	assert_int_equal(hard_links_take(links, &name->task), wanted);
	if (wanted == LINK_COPIED)
		has_row(name);
	name->state = wanted == LINK_COPIED ? DONE : wanted == LINK_PARKED ? PARKED : SCANS;
	name->parked_at = ++parked_count;
	inode->is_scanning = inode->is_scanning || wanted == LINK_SCAN;
	seen_copied += wanted == LINK_COPIED;
	seen_parked += wanted == LINK_PARKED;
}

/* The last parked name, or NULL. */
static struct name *last_parked(const struct inode *inode)
{
	struct name *last = NULL;

	for (unsigned i = 0; i < name_count; i++)
		if (names[i].inode == inode && names[i].state == PARKED &&
		    (last == NULL || names[i].parked_at > last->parked_at))
			last = &names[i];
	return last;
}

/*
 * If a scan made the row of the file that was found, all waiting names get it; otherwise one of
 * them is scanned.
 */
static void finish(struct name *leader)
{
	struct inode *inode = leader->inode;
	struct file_row *row = &leader->task.row;
	bool is_right = chance(60);
	struct name *next;
	struct task *task;

	*row = (struct file_row){.device = (int64_t)inode->file.device,
				 .inode = (int64_t)inode->file.inode,
				 .mtime_ns = inode->file.mtime_ns,
				 .content_hash = {(uint8_t)(1 + next_random() % 255)}};
	*(inode->file.is_inflated ? &row->compressed_size_bytes : &row->size_bytes) =
		inode->file.size_bytes;
	leader->task.result.is_scanned = is_right || chance(80);
	if (!is_right && leader->task.result.is_scanned) {
		int64_t *wrong[] = {&row->device, &row->inode, &row->mtime_ns,
				    inode->file.is_inflated ? &row->compressed_size_bytes
							    : &row->size_bytes};
		++*wrong[next_random() % 4];
	}
	task = hard_links_finish(links, &leader->task);
	leader->state = DONE;
	inode->at_work--;
	inode->is_scanning = false;
	inode->content = is_right ? row->content_hash[0] : 0;
	for (; (next = last_parked(inode)) != NULL && is_right; task = task->names.next_parked) {
		assert_ptr_equal(task, &next->task);
		has_row(next);
	}
	assert_ptr_equal(task, next == NULL ? NULL : &next->task);
	if (next != NULL) {
		assert_true(task->names.is_leader);
		assert_null(task->names.next_parked);
		next->state = SCANS;
		inode->is_scanning = true;
	}
	seen_failed += !is_right;
}

static void work_on(struct name *name)
{
	if (name->state == WAITS)
		take(name);
	else if (name->state == SCANS)
		finish(name);
}

static void each_file_is_scanned_once_for_all_its_names(void **state)
{
	(void)state;
	random_begin();
	for (unsigned round = 0; round < 3000; round++) {
		make_inodes();
		links = hard_links_new();
		while (name_count < TASKS)
			if (name_count == 0 || chance(40))
				enter(&inodes[next_random() % INODES]);
			else
				work_on(&names[next_random() % name_count]);
		for (unsigned i = 0; i < TASKS * TASKS; i++)
			work_on(&names[i % TASKS]);
		for (unsigned i = 0; i < TASKS; i++)
			assert_int_equal(names[i].state, DONE);
		hard_links_free(links);
	}
	assert_true(seen_copied > 1000 && seen_parked > 1000 && seen_failed > 1000 &&
		    seen_again > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_scanned_once_for_all_its_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
