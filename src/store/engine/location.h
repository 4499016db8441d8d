/*
 * Defines the location of an index, and the options for opening it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_LOCATION_H
#define SIMHASH_STORE_LOCATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum open_mode {
	OPEN_TO_READ,  /* the index must exist */
	OPEN_TO_WRITE, /* an index that does not exist is created */
	OPEN_TO_CREATE /* the same, and a server's database is also created */
};

/*
 * Counts the calls to databases by all threads. A call that has begun but not ended waits for an
 * answer.
 */
struct store_calls {
	atomic_ulong begun, ended;
};

static inline void store_call_begins(struct store_calls *calls)
{
	if (calls != NULL)
		atomic_fetch_add(&calls->begun, 1);
}

static inline void store_call_ends(struct store_calls *calls)
{
	if (calls != NULL)
		atomic_fetch_add(&calls->ended, 1);
}

struct store_location {
	const char *url;
	struct store_calls *disk_calls; /* counts the calls to SQLite; may be NULL */
	/*
	 * Called with a problem that the user should fix, such as a password that others can read.
	 * May be NULL.
	 */
	void (*warning)(void *context, const char *message);
	/* The rest is for servers. */
	/* The group of option files that has priority over [simhash] and [client]; or NULL. */
	const char *group;
	/* The time, in seconds, to try to reach a server that does not answer. */
	int64_t wait_s;
	/* Called once with the error when waiting begins, from any thread. May be NULL. */
	void (*waiting)(void *context, const char *message);
	/* Called when a connection begins and stops waiting, from any thread. May be NULL. */
	void (*is_waiting)(void *context, bool begins);
	void *context;
	const atomic_bool *stop;   /* stops waiting between calls; may be NULL */
	struct store_calls *calls; /* counts the calls; may be NULL */
};

#endif
