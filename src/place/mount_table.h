/*
 * Reads the mounts from the text of /proc/self/mountinfo. It finds the location of a path in its
 * file system, and decides whether the location is inside protected directories, no matter through
 * which mounts. It makes no system calls.
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

/* Paths in this file have no slash at their end, so "/" is empty. */
struct mount {
	uint64_t id, parent;
	uint64_t file_system; /* major and minor number; the same for all subvolumes of Btrfs */
	struct bytes root;    /* the mounted part of the file system */
	struct bytes point;   /* the mount point */
	bool has_root;	      /* `root` is reliable */
};

/*
 * A location in the file system of `mount`: the path `rest` below its root. The pointers must stay
 * valid.
 */
struct location {
	const struct mount *mount;
	struct bytes rest;
};

struct mount_table {
	char *text;
	struct mount *mounts; /* sorted by id */
	size_t count, capacity;
	struct location *protected;
	size_t protected_count, protected_capacity;
};

/*
 * Takes over `text`, which was allocated by malloc(3), also on -1. The caller always releases the
 * table.
 */
int mount_table_read(struct mount_table *table, char *text, size_t size,
		     struct simhash_error *error);
void mount_table_release(struct mount_table *table);

/*
 * The location of an absolute path that was reached through the mount with this id. False if the
 * table does not show it. The path and the table must stay valid.
 */
bool mount_table_locate(const struct mount_table *table, uint64_t mount_id, struct bytes path,
			struct location *location);

/*
 * Protect these locations, everything below them, and everything mounted there, also if it is
 * mounted elsewhere. Call it once for each table. The paths of the locations must stay valid.
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
