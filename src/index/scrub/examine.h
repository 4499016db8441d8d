/*
 * Reads one file from its medium, and decides whether it has the content of its row.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_SCRUB_EXAMINE_H
#define SIMHASH_INDEX_SCRUB_EXAMINE_H

#include <stdatomic.h>

#include "store/rows/damage_rows.h"

struct store;
struct XXH3_state_s;

/* Delays reading so that all threads together read at most a number of bytes per second. */
struct pace {
	int64_t bytes_per_second; /* 0: no limit */
	int64_t begun_ns;
	atomic_llong bytes;
};

enum examined {
	EXAMINED_RIGHT,
	EXAMINED_CHANGED, /* somebody changed, moved or removed it; or it is unknown whether */
	EXAMINED_DAMAGED, /* `damage` is filled, without a comparison */
	EXAMINED_FAILED,  /* system_errno says why; `damage` is filled if the medium is at fault */
	EXAMINED_STOPPED
};

/* A file to verify, and the result. */
struct examination {
	struct file_row row; /* its texts belong to the caller */
	char *path;
	bool was_damaged;
	/* The result. */
	enum examined result;
	int system_errno;
	bool is_damage; /* `damage` is filled */
	struct damage damage;
	int64_t begun_ns, changed_ns, read_bytes;
	uint64_t device, inode; /* as they are now */
};

#define EXAMINER_BUFFER ((size_t)1 << 20)

/* The state of a thread. */
struct examiner {
	const struct store *own; /* an index whose own files are left alone */
	const atomic_bool *stop;
	struct pace *pace;
	atomic_llong *bytes_read; /* a running total for the progress; or NULL */
	uint8_t *buffer, *other;  /* EXAMINER_BUFFER bytes each */
	struct XXH3_state_s *hash;
};

/* Allocate the buffers and the hash. Release it even after an error. */
int examiner_init(struct examiner *examiner, struct simhash_error *error);
void examiner_release(struct examiner *examiner);

void examine(struct examiner *examiner, struct examination *file);

/*
 * Compare a damaged file with a file that should be intact, and fill the places in its damage.
 * Returns false if the other file is not intact, is the same file, or cannot be read.
 */
bool examine_extent(struct examiner *examiner, struct examination *file, const char *copy);

#endif
