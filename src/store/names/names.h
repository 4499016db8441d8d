/*
 * Reads and adds hosts and measures, which have ids in the index. The name of a measure is its
 * canonical text.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_NAMES_H
#define SIMHASH_STORE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "simhash.h"
#include "store/names/name_list.h"

struct store;

/* Read all hosts, or all measures. On success the caller releases the list. */
int store_read_hosts(struct store *store, struct name_list *hosts, struct simhash_error *error);
int store_read_measures(struct store *store, struct name_list *measures,
			struct simhash_error *error);

/*
 * Return the id of a host or a measure. If the index does not have it, `create` adds it; otherwise
 * returns 0.
 */
int store_host_id(struct store *store, const char *name, bool create, int64_t *id,
		  struct simhash_error *error);
int store_measure_id(struct store *store, const char *text, bool create, int64_t *id,
		     struct simhash_error *error);

#endif
