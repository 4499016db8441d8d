/*
 * Finds parts of much larger files. A few smallest pieces of each content, its seeds, are in a
 * table. Each content is looked up in this table with all its pieces: if it has most seeds of a
 * smaller content, that content is a part of it.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/part_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "find/pairs/archives.h"
#include "find/pairs/content_files.h"
#include "find/pairs/pair_reporter.h"
#include "store/rows/totals.h"

/* The share of 32 seeds has a standard deviation of 7 % where it is 80 %. */
#define SEEDS 32
/* A seed that more contents have, such as a licence or a picture of a template, does not count. */
#define CONTENTS_MAX 32
/* The memory of a seed, with its slots. */
#define SEED_BYTES (sizeof(struct seed) + 4 * sizeof(struct slot))

/* A content that is searched for. */
struct content {
	uint32_t first_seed; /* while it is searched for; from 1 */
	uint8_t seeds, level;
	bool is_searched; /* it has or had its seeds in the table */
	uint16_t shared;  /* the number of its seeds that the compared content has */
};

/* A small piece of a content. */
struct seed {
	uint64_t value;
	uint32_t content; /* from 1 */
	uint32_t next;	  /* the next one with the same value; from 1 */
};

/* A part and a whole, by their numbers from 1. */
struct part {
	uint32_t part, whole;
	double share;
};

struct part_join {
	struct finder *finder;
	double min_share;
	struct content_set keys;
	struct content *contents; /* by their numbers */
	size_t capacity;
	struct seed *seeds;
	uint8_t *holders; /* of each first seed: the contents with it, up to CONTENTS_MAX + 1 */
	size_t seed_count, seeds_max;
	struct slots seed_slots; /* the first seeds with each value */
	bool is_full;		 /* contents wait for the next round */
	uint64_t *values;	 /* room for the pieces of one content */
	uint32_t *touched;	 /* contents that share seeds with the compared one */
	size_t touched_count, touched_capacity;
	struct part *parts;
	size_t part_count, part_capacity;
};

/* ---- Contents ---- */

/* Returns its number; 0: memory is short. */
static uint32_t need_content(struct part_join *join, const struct piece_row *row,
			     struct simhash_error *error)
{
	size_t count = join->keys.count;
	uint32_t number = content_set_add(&join->keys, row, error);

	if (number <= count)
		return number;
	if (array_reserve(&join->contents, &join->capacity, number, sizeof *join->contents,
			  error) != 0)
		return 0;
	join->contents[number - 1] = (struct content){.level = 0};
	return number;
}

typedef int visit_fn(struct part_join *join, uint32_t number, unsigned roles,
		     const struct content_pieces *pieces, struct simhash_error *error);

/* The text of a document has another size than the document, so it may have any role. */
static unsigned roles_of(const struct finder *finder, const struct piece_row *row)
{
	const struct find_request *request = finder->request;

	return request->sides == NULL || row->is_text
		       ? CONTENT_MAY_BE_PART | CONTENT_MAY_BE_WHOLE
		       : request->piece_roles(request->sides_context, row->content_hash,
					      row->size_bytes);
}

/* Call a function for each content that may be in a pair. */
static int visit_contents(struct part_join *join, visit_fn *visit, struct simhash_error *error)
{
	struct content_pieces pieces;
	struct piece_row row;
	struct query query;
	int status;

	if (piece_rows_begin(&query, join->finder->store, join->finder->tag_set, error) != 0)
		return -1;
	while ((status = piece_rows_next(&query, &row, error)) == 1) {
		unsigned roles = roles_of(join->finder, &row);
		uint32_t number;
		if (roles == 0 || !piece_row_load(&row, join->values, &pieces) || pieces.count == 0)
			continue;
		number = need_content(join, &row, error);
		if (number == 0 || visit(join, number, roles, &pieces, error) != 0) {
			status = -1;
			break;
		}
	}
	piece_rows_end(&query);
	return status;
}

/* ---- The table of seeds ---- */

struct seed_key {
	const struct seed *seeds;
	uint64_t value;
};

static bool is_seed(const void *key, uint32_t number)
{
	const struct seed_key *wanted = key;

	return wanted->seeds[number - 1].value == wanted->value;
}

/* The number of the first seed with this value, or 0. */
static uint32_t first_seed(const struct part_join *join, uint64_t value)
{
	return slots_number(&join->seed_slots, hash_seeded(value, 0), is_seed,
			    &(struct seed_key){join->seeds, value});
}

/* There is room for it. */
static void add_seed(struct part_join *join, uint64_t value, uint32_t content)
{
	uint64_t hash = hash_seeded(value, 0);
	struct slot *slot = slots_find(&join->seed_slots, hash, is_seed,
				       &(struct seed_key){join->seeds, value});
	struct seed *seed = &join->seeds[join->seed_count++];

	*seed = (struct seed){.value = value, .content = content};
	join->holders[join->seed_count - 1] = 0;
	if (slot->number == NO_ITEM) {
		slots_add(&join->seed_slots, slot, hash, (uint32_t)join->seed_count);
		return;
	}
	seed->next = join->seeds[slot->number - 1].next;
	join->seeds[slot->number - 1].next = (uint32_t)join->seed_count;
}

/* Enter the seeds of a content, unless it was searched for or the table is full. */
static int take_seeds(struct part_join *join, uint32_t number, unsigned roles,
		      const struct content_pieces *pieces, struct simhash_error *error)
{
	struct content *content = &join->contents[number - 1];
	size_t count = pieces->count < SEEDS ? pieces->count : SEEDS;

	(void)error;
	if (content->is_searched || pieces->count < PIECES_FEWEST ||
	    (roles & CONTENT_MAY_BE_PART) == 0)
		return 0;
	if (join->seed_count + count > join->seeds_max) {
		join->is_full = true;
		return 0;
	}
	content->first_seed = (uint32_t)join->seed_count + 1;
	content->seeds = (uint8_t)count;
	content->level = (uint8_t)pieces->level;
	content->is_searched = true;
	for (size_t i = 0; i < count; i++)
		add_seed(join, pieces->values[i], number);
	return 0;
}

/* Count the contents that have each seed. */
static int count_contents(struct part_join *join, uint32_t number, unsigned roles,
			  const struct content_pieces *pieces, struct simhash_error *error)
{
	(void)number;
	(void)roles;
	(void)error;
	for (size_t i = 0; i < pieces->count; i++) {
		uint32_t seed = first_seed(join, pieces->values[i]);
		if (seed != 0 && join->holders[seed - 1] <= CONTENTS_MAX)
			join->holders[seed - 1]++;
	}
	return 0;
}

/* ---- Comparing ---- */

/* Is this the first seed of a value that few contents have? */
static bool is_rare(const struct part_join *join, uint32_t seed)
{
	return seed != 0 && join->holders[seed - 1] <= CONTENTS_MAX;
}

static int touch(struct part_join *join, uint64_t value, struct simhash_error *error)
{
	uint32_t number = first_seed(join, value);

	if (!is_rare(join, number))
		return 0;
	for (const struct seed *seed; number != 0; number = seed->next) {
		struct content *content;
		seed = &join->seeds[number - 1];
		content = &join->contents[seed->content - 1];
		if (content->shared++ == 0) {
			if (array_reserve(&join->touched, &join->touched_capacity,
					  join->touched_count + 1, sizeof *join->touched,
					  error) != 0)
				return -1;
			join->touched[join->touched_count++] = seed->content;
		}
	}
	return 0;
}

/* The share of a content that is in the compared one: 0 if most of it is not, or all is common. */
static double share_of(const struct part_join *join, const struct content *content,
		       const struct content_pieces *pieces)
{
	unsigned level = content->level > pieces->level ? content->level : pieces->level;
	const struct seed *seeds = &join->seeds[content->first_seed - 1];
	size_t counted = 0, shared = 0, all = 0, at = 0;

	for (; all < content->seeds && seeds[all].value < piece_bound(level); all++) {
		counted += is_rare(join, first_seed(join, seeds[all].value));
		while (at < pieces->count && pieces->values[at] < seeds[all].value)
			at++;
		shared += at < pieces->count && pieces->values[at] == seeds[all].value;
	}
	return pieces_share(join->min_share, content->shared, counted) == 0
		       ? 0
		       : pieces_share(join->min_share, shared, all);
}

static int note_part(struct part_join *join, uint32_t part, uint32_t whole,
		     const struct content_pieces *pieces, struct simhash_error *error)
{
	const struct content *content = &join->contents[part - 1];
	double share;

	if (part == whole || content->shared < PIECES_FEWEST ||
	    join->keys.keys[part - 1].size_bytes >= join->keys.keys[whole - 1].size_bytes ||
	    (share = share_of(join, content, pieces)) == 0)
		return 0;
	if (array_reserve(&join->parts, &join->part_capacity, join->part_count + 1,
			  sizeof *join->parts, error) != 0)
		return -1;
	join->parts[join->part_count++] = (struct part){part, whole, share};
	return 0;
}

static int compare_content(struct part_join *join, uint32_t number, unsigned roles,
			   const struct content_pieces *pieces, struct simhash_error *error)
{
	int status = 0;

	if ((roles & CONTENT_MAY_BE_WHOLE) == 0)
		return 0;
	join->touched_count = 0;
	for (size_t i = 0; status == 0 && i < pieces->count; i++)
		status = touch(join, pieces->values[i], error);
	for (size_t i = 0; i < join->touched_count; i++) {
		if (status == 0)
			status = note_part(join, join->touched[i], number, pieces, error);
		join->contents[join->touched[i] - 1].shared = 0;
	}
	return status;
}

/* ---- Rounds ---- */

/* Take room for the seeds of all contents, or of as many as fit into the memory. */
static int begin(struct part_join *join, struct simhash_error *error)
{
	const struct finder *finder = join->finder;
	size_t fit = finder_memory(finder) / 2 / SEED_BYTES;
	int64_t rows;

	if (store_count_rows(finder->store, finder->tag_set, &rows, error) != 0)
		return -1;
	join->seeds_max = rows < (int64_t)(fit / SEEDS) ? (size_t)(rows + 1) * SEEDS : fit;
	if (join->seeds_max > UINT32_MAX / 2)
		join->seeds_max = UINT32_MAX / 2;
	join->seeds = malloc(join->seeds_max * sizeof *join->seeds);
	join->holders = malloc(join->seeds_max);
	join->values = malloc(PIECES_MAX * sizeof *join->values);
	if (join->seeds == NULL || join->holders == NULL || join->values == NULL)
		return error_set_memory(error);
	return slots_reserve_all(&join->seed_slots, join->seeds_max, error);
}

static int find_parts(struct part_join *join, struct simhash_error *error)
{
	do {
		join->seed_count = 0;
		join->is_full = false;
		slots_clear(&join->seed_slots, SIZE_MAX);
		if (visit_contents(join, take_seeds, error) != 0 ||
		    visit_contents(join, count_contents, error) != 0 ||
		    visit_contents(join, compare_content, error) != 0)
			return -1;
	} while (join->is_full);
	slots_release(&join->seed_slots);
	return 0;
}

/* ---- Reporting ---- */

/* Are these files a pair that the other searches do not find? */
static bool is_pair(const struct finder *finder, const struct find_file *part,
		    const struct find_file *whole, double share, struct relation *relation)
{
	const struct find_rule *rule = &finder->request->rule;
	struct relation found = {.distance = 0};

	return finder_crosses(finder, part->sides, whole->sides) &&
	       !archive_has_member(part, whole) && !archive_has_member(whole, part) &&
	       !rule_matches(rule, part, whole, &found) &&
	       verify_by_pieces(&rule->verify, part, whole, share, 0, relation);
}

static int report_part(struct pair_reporter *reporter, const struct content_files *files,
		       const struct part *part, struct simhash_error *error)
{
	const struct finder *finder = reporter->finder;
	const struct content_file *x = content_files_of(files, part->part), *y;

	for (; x != NULL; x = content_files_next(files, x))
		for (y = content_files_of(files, part->whole); y != NULL;
		     y = content_files_next(files, y)) {
			struct file_pair pair = {.a = &x->file, .b = &y->file};
			if (!is_pair(finder, pair.a, pair.b, part->share, &pair.relation))
				continue;
			if (report_pair(reporter, pair, error) != 0)
				return -1;
			if (!finder->request->expand)
				return 0;
		}
	return 0;
}

static int read_files(const struct part_join *join, struct content_files *files,
		      struct simhash_error *error)
{
	const struct find_request *request = join->finder->request;
	bool *wanted = calloc(join->keys.count, sizeof *wanted);
	const struct content_wish wish = {.all = request->expand || request->has_between,
					  .contents = wanted};
	int status;

	if (wanted == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < join->part_count; i++)
		wanted[join->parts[i].part - 1] = wanted[join->parts[i].whole - 1] = true;
	status = content_files_read(files, join->finder, &join->keys, &wish, error);
	free(wanted);
	return status;
}

static int report_parts(struct part_join *join, struct simhash_error *error)
{
	struct pair_reporter reporter = {.finder = join->finder};
	struct content_files files = {.items = NULL};
	int status = read_files(join, &files, error);

	for (size_t i = 0; status == 0 && i < join->part_count; i++)
		status = report_part(&reporter, &files, &join->parts[i], error);
	find_counts_add(&join->finder->counts, &reporter.counts);
	content_files_release(&files);
	return status;
}

int part_join_report(struct finder *finder, struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	struct part_join join = {.finder = finder,
				 .min_share = verify_part_min_share(&request->rule.verify)};
	int status;

	if ((request->kinds & PAIRS_PARTS) == 0 || !verify_proposes(&request->rule.verify) ||
	    finder->sink->tally != NULL || request->against != NULL)
		return 0;
	status = begin(&join, error);
	if (status == 0)
		status = find_parts(&join, error);
	if (status == 0 && join.part_count > 0)
		status = report_parts(&join, error);
	content_set_release(&join.keys);
	slots_release(&join.seed_slots);
	free(join.contents);
	free(join.seeds);
	free(join.holders);
	free(join.values);
	free(join.touched);
	free(join.parts);
	return status;
}
