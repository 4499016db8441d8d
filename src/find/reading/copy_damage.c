/*
 * Compares two files block by block, and ends at the first difference that is not damage.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/copy_damage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "find/reading/reopen.h"

#define BLOCK 512
#define CHUNK ((size_t)64 << 10) /* a multiple of BLOCK */
#define FIRST_CHUNK ((size_t)4 << 10)
#define CLOSE 0.97
/* The least cost of a pair in bytes, because opening two files also takes time. */
#define CHARGE (INT64_C(512) << 10)
#define EDGE 16		/* the first and last bytes of exchanged blocks may be equal by chance */
#define LEAST_BYTES 128 /* that differ in a run, unless it is a bit */
#define LEAST_TOLD 256	/* the bytes of exchanged blocks that are not zero in both files */
#define SHARE_OF_FILE 4 /* at most 1/4 of a file is exchanged */

/* A run of blocks that differ. */
struct run {
	int64_t begin, end;		   /* the blocks; the end may be the end of the file */
	int64_t first, last;		   /* the bytes that differ */
	int64_t differing;		   /* their number */
	int64_t told;			   /* the bytes that are not zero in both files */
	unsigned bits;			   /* of the last byte that differs */
	uint8_t a, b;			   /* the last byte that differs, in both files */
	uint8_t a_first, b_first;	   /* the first byte of the run, in both files */
	bool a_is_constant, b_is_constant; /* the run repeats its first byte */
	/* A byte from the first to the last one that differs is not zero; and one after these. */
	bool a_is_set, b_is_set, is_set_after;
};

/* ---- One run ---- */

static void add_byte(struct run *run, int64_t at, uint8_t a, uint8_t b)
{
	run->told += (a | b) != 0;
	run->a_is_constant = run->a_is_constant && a == run->a_first;
	run->b_is_constant = run->b_is_constant && b == run->b_first;
	if (a == b) {
		run->is_set_after = run->is_set_after || a != 0;
		return;
	}
	if (run->differing == 0) {
		run->first = at;
		run->is_set_after = false;
	}
	run->a_is_set = run->a_is_set || a != 0 || run->is_set_after;
	run->b_is_set = run->b_is_set || b != 0 || run->is_set_after;
	run->is_set_after = false;
	run->last = at;
	run->differing++;
	run->a = a;
	run->b = b;
}

static void add_block(struct run *run, int64_t at, const uint8_t *a, const uint8_t *b, size_t size)
{
	if (run->end == run->begin)
		*run = (struct run){.begin = at,
				    .a_first = a[0],
				    .b_first = b[0],
				    .a_is_constant = true,
				    .b_is_constant = true};
	for (size_t i = 0; i < size; i++)
		add_byte(run, at + (int64_t)i, a[i], b[i]);
	run->end = at + (int64_t)size;
}

static bool is_printable(uint8_t byte)
{
	return byte >= ' ' && byte <= '~';
}

/* Could an edit change this byte: a character of a text, or a small number? */
static bool may_be_edit(uint8_t a, uint8_t b)
{
	return (is_printable(a) && is_printable(b)) || (a < 16 && b < 16);
}

static bool is_bit(const struct run *run)
{
	unsigned changed = run->a ^ run->b;

	return run->differing == 1 && (changed & (changed - 1)) == 0;
}

/*
 * Has one file lost the content of the run? *in is the file. Whole blocks with one repeated byte, or
 * zeros from the first to the last byte that differs.
 */
static bool is_lost(const struct run *run, char *in, uint8_t *value)
{
	bool is_long = run->last - run->first + 1 >= BLOCK;
	bool a_is_whole = run->a_is_constant && !run->b_is_constant;
	bool b_is_whole = run->b_is_constant && !run->a_is_constant;
	bool a_is_zero = is_long && !run->a_is_set;
	bool b_is_zero = is_long && !run->b_is_set;

	if (run->differing < LEAST_BYTES)
		return false;
	if (!a_is_whole && !b_is_whole && !a_is_zero && !b_is_zero)
		return false;
	*in = a_is_whole || (a_is_zero && !b_is_whole) ? 'a' : 'b';
	*value = a_is_whole ? run->a_first : b_is_whole ? run->b_first : 0;
	return true;
}

static bool is_exchanged(const struct run *run)
{
	return run->differing >= LEAST_BYTES && run->told >= LEAST_TOLD &&
	       run->differing * 10 > run->told * 9 && run->first - run->begin < EDGE &&
	       run->end - 1 - run->last < EDGE;
}

/* ---- All runs ---- */

struct comparison {
	struct run run;		 /* empty: the last block was equal */
	int64_t exchanged, size; /* bytes in exchanged blocks; the size of each file */
	bool has_lost;
	unsigned bits, edited_bits; /* the runs with one bit; edits may have made some of them */
	struct copy_damage *damage;
};

static void add_range(struct copy_damage *damage, int64_t begin, int64_t end)
{
	damage->ranges[damage->count++] = (struct damage_range){begin, end};
}

/* Is the run damage, and is it not too much? */
static bool end_run(struct comparison *c)
{
	struct copy_damage *damage = c->damage;
	struct run *run = &c->run;
	bool is_whole;
	uint8_t value;
	char in;

	if (run->end == run->begin)
		return true;
	if (damage->count == DAMAGE_RUNS)
		return false;
	if (is_bit(run)) {
		c->bits++;
		c->edited_bits += may_be_edit(run->a, run->b);
		add_range(damage, run->first, run->first + 1);
		run->end = run->begin;
		return true;
	}
	if (is_lost(run, &in, &value)) {
		bool is_same = !c->has_lost || (damage->lost_in == in && damage->value == value);
		is_whole = in == 'a' ? run->a_is_constant : run->b_is_constant;
		damage->lost_in = is_same ? in : 0;
		damage->value = value;
		c->has_lost = true;
	} else if (is_exchanged(run)) {
		is_whole = true;
		c->exchanged += run->end - run->begin;
	} else {
		return false;
	}
	add_range(damage, is_whole ? run->begin : run->first, is_whole ? run->end : run->last + 1);
	run->end = run->begin;
	return c->exchanged <= c->size / SHARE_OF_FILE || c->exchanged <= BLOCK;
}

/* Two open files with the same size. */
struct reading {
	int fds[2];
	int64_t size;
	int64_t to_read;    /* the bytes that may still be read */
	int failed, errors; /* the side that could not be read, and its errno; 0: none */
};

/* Returns the bytes that both files have at this place; 0 on a failure. */
static size_t read_chunks(struct reading *reading, uint8_t *bytes, int64_t at)
{
	/* Most files that are not damaged copies differ near their beginning. */
	size_t most = at < (int64_t)CHUNK - (int64_t)FIRST_CHUNK ? FIRST_CHUNK : CHUNK;
	int64_t left = reading->size - at;
	size_t wanted = left < (int64_t)most ? (size_t)left : most;

	for (int side = 0; side < 2; side++)
		for (size_t got = 0; got < wanted;) {
			ssize_t part = pread(reading->fds[side], bytes + (size_t)side * CHUNK + got,
					     wanted - got, (off_t)(at + (int64_t)got));
			if (part < 0 && errno == EINTR)
				continue;
			if (part <= 0) {
				reading->failed = side;
				reading->errors = part < 0 ? errno : 0;
				return 0;
			}
			got += (size_t)part;
		}
	reading->to_read -= 2 * (int64_t)wanted;
	return wanted;
}

static bool compare_chunk(struct comparison *c, const uint8_t *bytes, int64_t at, size_t size)
{
	const uint8_t *a = bytes, *b = bytes + CHUNK;

	if (memcmp(a, b, size) == 0)
		return end_run(c);
	for (size_t i = 0; i < size; i += BLOCK) {
		size_t part = size - i < BLOCK ? size - i : BLOCK;
		if (memcmp(a + i, b + i, part) != 0)
			add_block(&c->run, at + (int64_t)i, a + i, b + i, part);
		else if (!end_run(c))
			return false;
	}
	return true;
}

static bool compare_all(struct reading *reading, uint8_t *bytes, struct comparison *c)
{
	for (int64_t at = 0; at < reading->size;) {
		size_t got =
			reading->to_read < 2 * (int64_t)CHUNK ? 0 : read_chunks(reading, bytes, at);
		if (got == 0 || !compare_chunk(c, bytes, at, got))
			return false;
		at += (int64_t)got;
	}
	return end_run(c) && c->damage->count > 0;
}

/* False if the files differ in another way, or cannot be read. */
static bool compare(struct reading *reading, struct copy_damage *damage)
{
	uint8_t *bytes = malloc(2 * CHUNK);
	struct comparison c = {.size = reading->size, .damage = damage};
	bool is_damage;

	*damage = (struct copy_damage){.count = 0};
	reading->errors = bytes == NULL ? ENOMEM : 0;
	is_damage = bytes != NULL && compare_all(reading, bytes, &c);
	free(bytes);
	damage->is_bit = damage->count == c.bits;
	damage->may_be_edit = damage->is_bit && c.edited_bits > 0;
	if (c.exchanged > 0 || c.bits > 0)
		damage->lost_in = 0;
	/* An edit may change several letters. */
	return is_damage && (damage->count == 1 || !damage->may_be_edit);
}

/* ---- Pairs ---- */

void damage_finder_init(struct damage_finder *finder, int64_t read_max, damage_failed_fn *failed,
			void *context)
{
	*finder = (struct damage_finder){.to_read = read_max, .failed = failed, .context = context};
	pthread_mutex_init(&finder->lock, NULL);
}

void damage_finder_release(struct damage_finder *finder)
{
	for (size_t i = 0; i < finder->count; i++)
		free(finder->pairs[i].damage);
	free(finder->pairs);
	slots_release(&finder->slots);
	pthread_mutex_destroy(&finder->lock);
}

static bool is_readable(const struct find_file *file)
{
	return file->is_local && !file->is_stream && file->compressed_size_bytes == 0;
}

/*
 * In a file of this size, damage of up to four pages leaves about this resemblance, which is an
 * estimate.
 */
static double least_resemblance(int64_t size)
{
	double least = 1 - 16384.0 / (double)size;

	return least < 0.5 ? 0.5 : least > 0.95 ? 0.95 : least;
}

static bool is_similar_enough(const struct relation *relation, double least)
{
	return relation->verification == PAIR_COUNTS ||
	       (has_resemblance(relation) && relation->resemblance >= least);
}

static bool may_be_damaged(const struct file_pair *pair)
{
	const struct relation *relation = &pair->relation;
	int64_t size = find_file_bytes(pair->a);

	return !relation->is_identical && !relation->is_part && size > 0 &&
	       size == find_file_bytes(pair->b) && is_readable(pair->a) && is_readable(pair->b) &&
	       is_similar_enough(relation, least_resemblance(size)) &&
	       !are_identical(pair->a, pair->b);
}

struct pair_key {
	const struct damage_finder *finder;
	const struct file_pair *pair;
};

static bool is_pair(const void *key, uint32_t number)
{
	const struct pair_key *wanted = key;
	const struct examined_pair *pair = &wanted->finder->pairs[number - 1];

	return memcmp(pair->a, wanted->pair->a->path_hash, PATH_HASH_SIZE) == 0 &&
	       memcmp(pair->b, wanted->pair->b->path_hash, PATH_HASH_SIZE) == 0;
}

static uint64_t hash_of_pair(const struct file_pair *pair)
{
	return hash_seeded(hash_seeded_bytes(pair->a->path_hash),
			   hash_seeded_bytes(pair->b->path_hash));
}

/* Takes the damage. Sets *lacks_memory if it could not be remembered. */
static const struct copy_damage *remember(struct damage_finder *finder,
					  const struct file_pair *pair, struct copy_damage *damage,
					  bool *lacks_memory)
{
	uint64_t hash = hash_of_pair(pair);
	struct simhash_error ignored;
	struct examined_pair *examined;
	struct slot *slot;

	*lacks_memory = slots_reserve(&finder->slots, &ignored) != 0 ||
			array_reserve(&finder->pairs, &finder->capacity, finder->count + 1,
				      sizeof *finder->pairs, &ignored) != 0;
	if (*lacks_memory) {
		free(damage);
		return NULL;
	}
	slot = slots_find(&finder->slots, hash, is_pair, &(struct pair_key){finder, pair});
	if (slot->number != NO_ITEM) { /* by another thread */
		free(damage);
		return finder->pairs[slot->number - 1].damage;
	}
	examined = &finder->pairs[finder->count++];
	memcpy(examined->a, pair->a->path_hash, PATH_HASH_SIZE);
	memcpy(examined->b, pair->b->path_hash, PATH_HASH_SIZE);
	examined->damage = damage;
	slots_add(&finder->slots, slot, hash, (uint32_t)finder->count);
	return damage;
}

/* An error that says that this user has no such file, which is not a failure. */
static bool is_absence(int system_errno)
{
	return system_errno == 0 || system_errno == ENOENT || system_errno == ENOTDIR ||
	       system_errno == EACCES || system_errno == EPERM || system_errno == ELOOP ||
	       system_errno == ENAMETOOLONG;
}

static void report(const struct damage_finder *finder, const struct find_file *file,
		   int system_errno)
{
	if (!is_absence(system_errno))
		finder->failed(finder->context, file, system_errno);
}

/* Open both files and compare them. NULL: no damage. Subtracts the bytes read from *to_read. */
static struct copy_damage *examine(const struct damage_finder *finder, const struct file_pair *pair,
				   int64_t *to_read)
{
	const struct find_file *files[2] = {pair->a, pair->b};
	struct reading reading = {
		.fds = {-1, -1}, .size = find_file_bytes(pair->a), .to_read = *to_read};
	struct copy_damage damage, *found = NULL;
	int why = 0;

	for (int side = 0; side < 2 && (side == 0 || reading.fds[0] >= 0); side++) {
		struct stat status;
		reading.fds[side] = reopen_file(files[side], &status, &why);
		if (reading.fds[side] < 0)
			report(finder, files[side], why);
	}
	if (reading.fds[1] >= 0 && compare(&reading, &damage)) {
		found = malloc(sizeof *found);
		if (found == NULL)
			reading.errors = ENOMEM;
		else
			*found = damage;
	}
	report(finder, files[reading.failed], reading.errors);
	for (int side = 0; side < 2; side++)
		if (reading.fds[side] >= 0)
			close_content(reading.fds[side]);
	*to_read = reading.to_read;
	return found;
}

const struct copy_damage *damage_find(struct damage_finder *finder, const struct file_pair *pair)
{
	const struct copy_damage *result = NULL;
	struct copy_damage *found;
	int64_t granted, left;
	uint32_t number;
	bool lacks_memory;

	if (finder == NULL || !may_be_damaged(pair))
		return NULL;
	pthread_mutex_lock(&finder->lock);
	number = slots_number(&finder->slots, hash_of_pair(pair), is_pair,
			      &(struct pair_key){finder, pair});
	granted = left = finder->to_read;
	/* Half of the bytes are for pairs that are more similar than most. */
	if (!is_similar_enough(&pair->relation, CLOSE))
		granted = left = granted - DAMAGE_READ_MAX / 2;
	if (number != NO_ITEM)
		result = finder->pairs[number - 1].damage;
	pthread_mutex_unlock(&finder->lock);
	if (number != NO_ITEM || granted <= 0)
		return result;
	found = examine(finder, pair, &left);
	pthread_mutex_lock(&finder->lock);
	finder->to_read -= granted - left > CHARGE ? granted - left : CHARGE;
	result = remember(finder, pair, found, &lacks_memory);
	pthread_mutex_unlock(&finder->lock);
	if (lacks_memory)
		report(finder, pair->a, ENOMEM);
	return result;
}
