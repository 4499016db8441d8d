/*
 * Divides the primary key into ranges with about equal numbers of rows.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/row_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/data/array.h"

#define PLACES_PER_THREAD 8 /* more than one, so that all threads end at about the same time */
#define ROWS_PER_PLACE 16384

__extension__ typedef unsigned __int128 wide;

static wide number_of(const uint8_t hash[PATH_HASH_SIZE])
{
	return (wide)read_big_endian(hash, 8) << 64 | read_big_endian(hash + 8, 8);
}

static void write_number(uint8_t hash[PATH_HASH_SIZE], wide number)
{
	write_big_endian(hash, 8, (uint64_t)(number >> 64));
	write_big_endian(hash + 8, 8, (uint64_t)number);
}

/* ---- Dividing ---- */

static int add_place(struct row_places *places, const struct row_place *place,
		     struct simhash_error *error)
{
	if (array_reserve(&places->items, &places->capacity, places->count + 1,
			  sizeof *places->items, error) != 0)
		return -1;
	places->items[places->count++] = *place;
	return 0;
}

static int add_hosts(struct row_places *places, int64_t first, int64_t last,
		     struct simhash_error *error)
{
	const struct row_place place = {.first_host = first, .last_host = last, .most = INT64_MAX};

	return add_place(places, &place, error);
}

static int add_range(struct row_places *places, int64_t host, const struct hash_range *range,
		     struct simhash_error *error)
{
	const struct row_place place = {
		.first_host = host, .last_host = host, .hashes = *range, .most = ROWS_PER_PLACE};

	return add_place(places, &place, error);
}

static void init(struct row_places *places, unsigned pieces)
{
	*places = (struct row_places){.pieces = pieces};
	pthread_mutex_init(&places->lock, NULL);
	pthread_cond_init(&places->changed, NULL);
}

int row_places_all(struct row_places *places, struct simhash_error *error)
{
	init(places, 1);
	return add_hosts(places, INT64_MIN, INT64_MAX, error);
}

int row_places_dealt(struct row_places *places, const struct partitions *partitions,
		     struct simhash_error *error)
{
	init(places, 1);
	for (size_t i = 0; i < partitions->count; i++) {
		const struct row_place place = {.partitions = partitions->lists[i],
						.first_host = INT64_MIN,
						.last_host = INT64_MAX,
						.most = INT64_MAX};
		if (add_place(places, &place, error) != 0)
			return -1;
	}
	return 0;
}

/*
 * There are few hosts, and most path hashes are evenly distributed. Rows of a host without a name
 * in the index are also included.
 */
int row_places_cut(struct row_places *places, const struct name_list *hosts, unsigned threads,
		   struct simhash_error *error)
{
	unsigned wanted = threads * PLACES_PER_THREAD;
	unsigned parts = hosts->count == 0 ? 1 : (unsigned)((wanted - 1) / hosts->count + 1);
	int64_t first = INT64_MIN;

	init(places, wanted);
	for (size_t i = 0; i < hosts->count; i++) {
		int64_t host = hosts->names[i].id;
		if (host < first)
			continue;
		if (host > first && add_hosts(places, first, host - 1, error) != 0)
			return -1;
		for (unsigned part = 0; part < parts; part++) {
			struct hash_range range = hash_range_of_part(part, parts);
			if (add_range(places, host, &range, error) != 0)
				return -1;
		}
		if (host == INT64_MAX)
			return 0;
		first = host + 1;
	}
	return add_hosts(places, first, INT64_MAX, error);
}

void row_places_release(struct row_places *places)
{
	free(places->items);
	pthread_cond_destroy(&places->changed);
	pthread_mutex_destroy(&places->lock);
}

/* ---- Reading ---- */

bool row_places_take(struct row_places *places, struct row_place *place)
{
	bool is_taken;

	pthread_mutex_lock(&places->lock);
	while (places->count == 0 && places->taken > 0)
		pthread_cond_wait(&places->changed, &places->lock);
	is_taken = places->count > 0;
	if (is_taken) {
		*place = places->items[--places->count];
		places->taken++;
	}
	pthread_mutex_unlock(&places->lock);
	return is_taken;
}

/* The range after the rows that were read; false if there is none. */
static bool find_rest(const struct row_place *place, const struct read_rows *read,
		      struct hash_range *rest)
{
	*rest = place->hashes;
	if (read->count == 0)
		return true;
	memcpy(rest->low, read->last, sizeof rest->low);
	return hash_range_step(rest->low) && memcmp(rest->low, rest->high, sizeof rest->low) <= 0;
}

/*
 * Divide the rest into pieces. If rows are as dense there, each piece has three quarters as many
 * rows as were read.
 */
static int add_rest(struct row_places *places, int64_t host, struct hash_range rest,
		    const struct read_rows *read, struct simhash_error *error)
{
	wide width = (number_of(read->last) - number_of(read->first)) / 4 * 3;
	wide low = number_of(rest.low), high = number_of(rest.high);

	for (unsigned i = 1; i < places->pieces && high - low > width; i++) {
		write_number(rest.low, low);
		write_number(rest.high, low + width);
		if (add_range(places, host, &rest, error) != 0)
			return -1;
		low += width + 1;
	}
	write_number(rest.low, low);
	write_number(rest.high, high);
	return add_range(places, host, &rest, error);
}

int row_places_end(struct row_places *places, const struct row_place *place,
		   const struct read_rows *read, struct simhash_error *error)
{
	struct hash_range rest;
	int status = 0;

	pthread_mutex_lock(&places->lock);
	if (read->count == place->most && find_rest(place, read, &rest))
		status = add_rest(places, place->first_host, rest, read, error);
	places->taken--;
	pthread_cond_broadcast(&places->changed);
	pthread_mutex_unlock(&places->lock);
	return status;
}

int row_places_give_up(struct row_places *places, const struct row_place *place,
		       const struct read_rows *read, struct simhash_error *error)
{
	bool is_one_host = place->first_host == place->last_host;
	struct row_place left = *place;
	int status = 0;

	pthread_mutex_lock(&places->lock);
	if (!is_one_host && read->count > 0)
		status = -1;
	else if (find_rest(place, read, &left.hashes))
		status = add_place(places, &left, error);
	places->taken--;
	pthread_cond_broadcast(&places->changed);
	pthread_mutex_unlock(&places->lock);
	return status;
}
