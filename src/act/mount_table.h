/*
 * The mounts in the text of /proc/self/mountinfo. It finds the location of a path in its file
 * system, and decides whether the location is inside protected directories, regardless of the
 * mounts that show them. It makes no system calls.
 *
 *     status = mount_table_read(&table, text, size, &error);
 *     if (status == 0 && mount_table_locate(&table, mount_id, path, &locations[0]))
 *             status = mount_table_protect(&table, locations, 1, &error);
 *     ... mount_table_tell(&table, &other) ...
 *     mount_table_release(&table);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_MOUNT_TABLE_H
#define SIMHASH_ACT_MOUNT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* Paths here have no slash at their end, so "/" is empty. */
struct mount {
	uint64_t id, parent;
	uint64_t file_system; /* major and minor number: one for all subvolumes of Btrfs */
	struct bytes root;    /* what of the file system is mounted */
	struct bytes point;   /* where */
	bool has_root;	      /* `root` can be relied on */
};

/* In the file system of `mount`: its root, and `rest` below that. Both are borrowed. */
struct location {
	const struct mount *mount;
	struct bytes rest;
};

struct mount_table {
	char *text;
	struct mount *mounts; /* by id */
	size_t count, capacity;
	struct location *protected;
	size_t protected_count, protected_capacity;
};

/* Takes `text`, which malloc(3) made, also on -1. The caller releases the table in each case. */
int mount_table_read(struct mount_table *table, char *text, size_t size,
		     struct simhash_error *error);
void mount_table_release(struct mount_table *table);

/*
 * Where `path` is, which is absolute and was reached by the mount of this id. False if the table
 * does not tell. The location borrows the path and the table.
 */
bool mount_table_locate(const struct mount_table *table, uint64_t mount_id, struct bytes path,
			struct location *location);

/*
 * Protect what is at these locations and below, with what is mounted there, wherever else it is
 * mounted. Once for a table, which borrows the paths of the locations.
 */
int mount_table_protect(struct mount_table *table, const struct location *locations, size_t count,
			struct simhash_error *error);

enum mount_answer {
	MOUNT_FREE,
	MOUNT_UNKNOWN, /* it may be protected */
	MOUNT_PROTECTED
};

enum mount_answer mount_table_tell(const struct mount_table *table,
				   const struct location *location);

#endif
