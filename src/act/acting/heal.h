/*
 * Replaces the content of a damaged file with the content of an intact copy.
 *
 *     status = actor_init(&actor, &options, &error);
 *     for (size_t i = 0; status == 0 && i < count; i++)
 *             status = actor_heal(&actor, &bytes, &files[i], &result, &error);
 *     damaged_bytes_close(&bytes);
 *     actor_release(&actor);
 *
 * The bytes of the damaged file that differ are saved first, so undo restores them exactly. The
 * right content is written to a new file, which gets all attributes of the damaged file, is read
 * again from the disk, and then exchanges its name with the damaged file. All hard links of the file
 * become links of the new file. If some are unknown, the file is left alone. docs/apply.md describes
 * the steps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_HEAL_H
#define SIMHASH_ACT_HEAL_H

#include "act/acting/act.h"
#include "act/file/damaged_bytes.h"

struct heal_file {
	const char *path;	      /* absolute */
	uint8_t hash[KEEP_HASH_SIZE]; /* the right content */
	int64_t size_bytes;
	/* The file as it was found damaged. inode 0: unknown. */
	int64_t found_size_bytes, mtime_ns, found_at_ns;
	uint64_t inode;
	/* Its other hard links. */
	const char *const *names;
	size_t name_count;
	/* Files and members of archives on this host that should have the content; the first is tried first. */
	const struct keep_file *sources;
	size_t source_count;
};

enum heal_outcome {
	HEAL_LEFT,  /* nothing was changed; the reason is in `why` */
	HEAL_RIGHT, /* the file has the right content */
	HEAL_DONE   /* it was healed, or would be */
};

struct heal_result {
	enum heal_outcome outcome;
	struct simhash_error why;
	const struct keep_file *source; /* the intact copy */
	uint64_t inode;			/* of the file now */
	int64_t changed_ns;		/* its status time */
	int64_t read_at_ns;		/* the time before its content was read */
};

/*
 * Heal a file. Without a journal, nothing is read or changed. `bytes` belongs to the journal. -1
 * means that nothing more can be done, because the journal cannot be written.
 */
int actor_heal(struct actor *actor, struct damaged_bytes *bytes, const struct heal_file *file,
	       struct heal_result *result, struct simhash_error *error);

#endif
