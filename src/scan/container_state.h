/*
 * What container.c and container_text.c share: a container that is being read.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_STATE_H
#define SIMHASH_SCAN_CONTAINER_STATE_H

#include "scan/container.h"
#include "scan/container_level.h"

/* A member that is kept in memory because it is an archive. */
struct inside {
	unsigned kind;
	uint8_t *bytes;
	size_t size, capacity;
};

struct container {
	struct file_scanner *scanner;
	struct container_file file;
	struct bytes file_name;
	bool has_gzip_row; /* it is a gzip file with a row for its content, which tells if it is damaged */
	struct container_level levels[CONTAINER_DEPTH_MAX];
	unsigned depth;
	struct inside inside; /* looked into next, where it has a kind */
	size_t inside_bytes;  /* of all levels */
	char name[2 * CONTAINER_NAME_MAX];
	size_t name_size;
	int64_t inflated_bytes, members;
	int64_t sparse_size; /* of a member with holes; else 0 */
	int why, later;	     /* a failure that is told after the row of its member */
	bool is_about_member, told_encrypted, told_long;
	const struct extraction *wanted; /* one member alone; or NULL */
};

/* A member that is read for its bytes. */
struct extraction {
	struct bytes name;
	uint8_t *bytes;
	size_t size;
};

static inline struct container_level *container_top(struct container *container)
{
	return &container->levels[container->depth - 1];
}

/* The name of the last member, in the innermost archive. */
static inline struct bytes container_own_name(struct container *container)
{
	size_t prefix_size = container_top(container)->prefix_size;

	return (struct bytes){container->name + prefix_size, container->name_size - prefix_size};
}

/* ---- The text of documents ---- */

/* Is the member a part of a document whose text is to be read? */
bool container_has_part(struct container *container);
/* For each member that is read: its beginning, and then its bytes, which are in the scanner's buffer. */
void container_begin_part(struct container *container);
void container_add_to_part(struct container *container, size_t size, bool is_last);

/*
 * The innermost archive was read to its end: the text of the document that it is, as the row of a
 * member, or copied where it is asked for. CONTAINER_END where there is none, with *why.
 */
enum container_answer container_end_document(struct container *container, struct file_row *row,
					     int *why);

#endif
