/*
 * Defines the state of a container that is being read, which unpacker.c, unpacker_names.c and
 * unpacker_text.c share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_UNPACKER_STATE_H
#define SIMHASH_SCAN_UNPACKER_STATE_H

#include <locale.h>

#include "scan/archive/container_level.h"
#include "scan/archive/unpacker.h"
#include "scan/file/container_kind.h"

/* A member that is kept in memory because it is an archive. */
struct inside {
	unsigned kind;
	uint8_t *bytes;
	size_t size, capacity;
};

/* The current member. */
struct member {
	bool is_begun;	     /* more pieces follow */
	bool is_emitted;     /* unpacker_next returns its pieces */
	bool is_looked_into; /* it is read as an archive if it is one */
	int64_t size_bytes;  /* the number of bytes read so far */
	int64_t sparse_size; /* for a member with holes; otherwise 0 */
	int64_t stated_size; /* the size in the archive; 0 if it is unknown */
	const char *text;    /* the text of the document that was read last; or NULL */
	size_t text_size;
	struct document_dates dates;
};

struct unpacker {
	struct unpack_request request;
	const atomic_bool *stop;
	struct container_file file;
	/* The content of this gzip file has a row. Both report damage as EBADMSG of the file. */
	bool has_gzip_row;
	struct container_level levels[CONTAINER_DEPTH_MAX];
	unsigned depth;
	struct inside inside; /* the next archive to open, if its kind is not 0 */
	size_t inside_bytes;  /* the size of the nested archives at all levels */
	char name[2 * CONTAINER_NAME_MAX];
	size_t name_size;
	struct member member;
	uint8_t *buffer; /* owned by the caller */
	int64_t inflated_bytes, members;
	int why, later; /* `later` is a failure to report after its member */
	bool is_about_member, told_encrypted, told_long;
};

static inline struct container_level *unpacker_top(struct unpacker *unpacker)
{
	return &unpacker->levels[unpacker->depth - 1];
}

/* Return the size of the innermost archive's name; 0 for the file. */
static inline size_t unpacker_archive_name_size(struct unpacker *unpacker)
{
	size_t prefix_size = unpacker_top(unpacker)->prefix_size;

	return prefix_size > 0 ? prefix_size - 2 : 0;
}

/* Return the name of the last member within the innermost archive. */
static inline struct bytes unpacker_own_name(struct unpacker *unpacker)
{
	size_t prefix_size = unpacker_top(unpacker)->prefix_size;

	return (struct bytes){unpacker->name + prefix_size, unpacker->name_size - prefix_size};
}

/* ---- Names ---- */

/*
 * Between begin and end, names are UTF-8 on this thread. Call unpacker_names_are_ready first; it
 * returns false if memory is short.
 */
bool unpacker_names_are_ready(void);
locale_t unpacker_names_begin(void);
void unpacker_names_end(locale_t before);

/* Return the name of the innermost archive. */
struct bytes unpacker_outer_name(struct unpacker *unpacker);
/*
 * Name a member: the archives around it and its own name. `is_raw`: it is the content of a
 * compressed file, which has no name. False if the name is too long.
 */
bool unpacker_name_member(struct unpacker *unpacker, struct archive_entry *entry, bool is_raw);

/* ---- The text of documents ---- */

/* Is the member a part of a document whose text is requested? */
bool unpacker_has_part(struct unpacker *unpacker);
/* Called for each member: at its beginning, and then for its bytes, which are in the buffer. */
void unpacker_begin_part(struct unpacker *unpacker);
void unpacker_add_to_part(struct unpacker *unpacker, size_t size, bool is_last);

/*
 * After the end of the innermost archive: begin the text of its document as a member. False if
 * there is none, with *why.
 */
bool unpacker_begin_text(struct unpacker *unpacker, int *why);
/* Read the next bytes of the text into the buffer. */
size_t unpacker_read_text(struct unpacker *unpacker);

#endif
