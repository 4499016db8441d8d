/*
 * Chooses the names of the parts of a message, so that no two parts have the same name.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MAIL_NAMES_H
#define SIMHASH_SCAN_MAIL_NAMES_H

#include <stdint.h>

#include "scan/mail/mail_part.h"

struct part_names {
	uint64_t *hashes; /* of all names so far; two names with the same hash count as the same */
	size_t count, capacity;
	char *name;
	size_t name_capacity;
};

/* The name lives until the next call. Returns 1, or -1 if memory is short. */
int part_names_choose(struct part_names *names, const struct mail_part *part, struct bytes *name);
void part_names_release(struct part_names *names);

#endif
