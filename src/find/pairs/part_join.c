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
#include "find/pairs/pair_reporter.h"
#include "store/rows/piece_rows.h"
#include "store/rows/totals.h"

/* The share of 32 seeds has a standard deviation of 7 % where it is 80 %. */
#define SEEDS 32
/* A seed that more contents have, such as a licence or a picture of a template, does not count. */
#define CONTENTS_MAX 32
/* The memory of a seed, with its slots. */
#define SEED_BYTES (sizeof(struct seed) + 4 * sizeof(struct slot))

struct content {
	struct piece_row key; /* without the value */
	uint32_t first_seed;  /* while it is searched for; from 1 */
	uint8_t seeds, level;
	bool is_searched;    /* it has or had its seeds in the table */
	bool is_paired;	     /* it is a part or a whole */
	uint16_t shared;     /* the seeds that the content has to which it is compared */
	uint32_t files, end; /* the first file with this content, and the last one; from 1 */
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

struct content_file {
	struct find_file file;
	uint32_t next; /* the next file with the same content; from 1 */
};

struct part_join {
	struct finder *finder;
	double min_share;
	struct content *contents;
	size_t count, capacity;
	struct slots numbers; /* of contents, by their hash */
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
	struct content_file *files;
	size_t file_count, file_capacity;
	struct arena arena;
};

/* ---- Contents ---- */

struct content_key {
	const struct part_join *join;
	const struct piece_row *row;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct content_key *wanted = key;

	return compare_piece_rows(&wanted->join->contents[number - 1].key, wanted->row) == 0;
}

static uint32_t find_content(const struct part_join *join, const struct piece_row *row)
{
	return slots_number(&join->numbers, hash_seeded_bytes(row->content_hash), is_content,
			    &(struct content_key){join, row});
}

/* Returns its number; 0: memory is short. */
static uint32_t find_or_add_content(struct part_join *join, const struct piece_row *row,
				    struct simhash_error *error)
{
	uint64_t hash = hash_seeded_bytes(row->content_hash);
	struct slot *slot;

	if (slots_reserve(&join->numbers, error) != 0)
		return 0;
	slot = slots_find(&join->numbers, hash, is_content, &(struct content_key){join, row});
	if (slot->number != NO_ITEM)
		return slot->number;
	if (array_reserve(&join->contents, &join->capacity, join->count + 1, sizeof *join->contents,
			  error) != 0)
		return 0;
	join->contents[join->count] = (struct content){.key = *row};
	join->contents[join->count].key.value = (struct bytes){NULL, 0};
	slots_add(&join->numbers, slot, hash, (uint32_t)++join->count);
	return slot->number;
}

typedef int visit_fn(struct part_join *join, uint32_t number, const struct content_pieces *pieces,
		     struct simhash_error *error);

/* Call a function for each content of the index. */
static int visit_contents(struct part_join *join, visit_fn *visit, struct simhash_error *error)
{
	struct content_pieces pieces;
	struct piece_row row;
	struct query query;
	int status;

	if (piece_rows_begin(&query, join->finder->store, join->finder->tag_set, error) != 0)
		return -1;
	while ((status = piece_rows_next(&query, &row, error)) == 1) {
		uint32_t number;
		if (!piece_row_load(&row, join->values, &pieces) || pieces.count == 0)
			continue;
		number = find_or_add_content(join, &row, error);
		if (number == 0 || visit(join, number, &pieces, error) != 0) {
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
static int take_seeds(struct part_join *join, uint32_t number, const struct content_pieces *pieces,
		      struct simhash_error *error)
{
	struct content *content = &join->contents[number - 1];
	size_t count = pieces->count < SEEDS ? pieces->count : SEEDS;

	(void)error;
	if (content->is_searched || pieces->count < PIECES_FEWEST)
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
static int count_contents(struct part_join *join, uint32_t number,
			  const struct content_pieces *pieces, struct simhash_error *error)
{
	(void)number;
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
	    content->key.size_bytes >= join->contents[whole - 1].key.size_bytes ||
	    (share = share_of(join, content, pieces)) == 0)
		return 0;
	if (array_reserve(&join->parts, &join->part_capacity, join->part_count + 1,
			  sizeof *join->parts, error) != 0)
		return -1;
	join->parts[join->part_count++] = (struct part){part, whole, share};
	join->contents[part - 1].is_paired = join->contents[whole - 1].is_paired = true;
	return 0;
}

static int compare_content(struct part_join *join, uint32_t number,
			   const struct content_pieces *pieces, struct simhash_error *error)
{
	int status = 0;

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

/* ---- Files ---- */

/* Does the request need all files of a content, and not only one that represents them? */
static bool needs_all_files(const struct find_request *request)
{
	return request->expand || request->has_between;
}

/* Files represent members of archives, and otherwise the order of names decides. */
static bool represents(const struct find_file *x, const struct find_file *y)
{
	bool x_is_inside = row_is_inside(x->compressed_size_bytes);
	bool y_is_inside = row_is_inside(y->compressed_size_bytes);

	return x_is_inside != y_is_inside ? y_is_inside : find_file_compare(x, y) < 0;
}

static int add_file(struct part_join *join, struct content *content, const struct find_file *file,
		    struct simhash_error *error)
{
	if (content->files != 0 && !needs_all_files(join->finder->request)) {
		struct find_file *present = &join->files[content->files - 1].file;
		if (represents(file, present))
			*present = *file;
		return 0;
	}
	if (array_reserve(&join->files, &join->file_capacity, join->file_count + 1,
			  sizeof *join->files, error) != 0)
		return -1;
	join->files[join->file_count++] = (struct content_file){*file, 0};
	if (content->files == 0)
		content->files = (uint32_t)join->file_count;
	else
		join->files[content->end - 1].next = (uint32_t)join->file_count;
	content->end = (uint32_t)join->file_count;
	return 0;
}

static int take_row(struct part_join *join, const struct file_row *row, struct simhash_error *error)
{
	struct find_file file;
	struct piece_row key;
	uint32_t number;

	/* A document is compared by its text. */
	if (finder_convert(join->finder, row, &file, error) != 0)
		return -1;
	key = (struct piece_row){.is_text = file.document_bytes > 0, .size_bytes = file.size_bytes};
	memcpy(key.content_hash, file.content_hash, CONTENT_HASH_SIZE);
	number = find_content(join, &key);
	if (number == 0 || !join->contents[number - 1].is_paired)
		return 0;
	return finder_show(join->finder, row, &join->arena, &file, error) != 0
		       ? -1
		       : add_file(join, &join->contents[number - 1], &file, error);
}

static int read_files(struct part_join *join, struct simhash_error *error)
{
	const struct finder *finder = join->finder;
	const struct row_filter filter = {.columns = FINDING_COLUMNS | ROW_RESEMBLANCE |
						     ROW_KEY(finder->request->rule.key),
					  .tag_set = finder->tag_set};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (store_rows_lying(&cursor, finder->store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (finder_takes(finder, &row) && take_row(join, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	return status;
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

static int report_part(struct pair_reporter *reporter, const struct part_join *join,
		       const struct part *part, struct simhash_error *error)
{
	const struct content_file *x, *y, *files = join->files;
	uint32_t first = join->contents[part->whole - 1].files;

	for (uint32_t i = join->contents[part->part - 1].files; i != 0; i = x->next) {
		x = &files[i - 1];
		for (uint32_t k = first; k != 0; k = y->next) {
			struct file_pair pair = {.a = &x->file};
			y = &files[k - 1];
			pair.b = &y->file;
			if (!is_pair(join->finder, pair.a, pair.b, part->share, &pair.relation))
				continue;
			if (report_pair(reporter, pair, error) != 0)
				return -1;
			if (!join->finder->request->expand)
				return 0;
		}
	}
	return 0;
}

static int report_parts(struct part_join *join, struct simhash_error *error)
{
	struct pair_reporter reporter = {.finder = join->finder};
	int status = 0;

	for (size_t i = 0; status == 0 && i < join->part_count; i++)
		status = report_part(&reporter, join, &join->parts[i], error);
	find_counts_add(&join->finder->counts, &reporter.counts);
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
	if (status == 0 && join.part_count > 0 &&
	    ((status = read_files(&join, error)) != 0 ||
	     (status = report_parts(&join, error)) != 0))
		status = -1;
	slots_release(&join.numbers);
	slots_release(&join.seed_slots);
	free(join.contents);
	free(join.seeds);
	free(join.holders);
	free(join.values);
	free(join.touched);
	free(join.parts);
	free(join.files);
	arena_release(&join.arena);
	return status;
}
