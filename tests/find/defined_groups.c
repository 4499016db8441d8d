/*
 * Finds the groups of random rows by brute force.
 * SPDX-License-Identifier: MIT
 */
#include "defined_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define NONE (-1)

struct fact facts[ROWS][ROWS];
struct defined_group defined[ROWS];
int defined_count;

static struct content {
	int files[ROWS], count; /* sorted by path */
} contents[ROWS];		/* sorted */
static int content_count;
static struct fact similar[ROWS][ROWS];
static int center[ROWS]; /* the representative of each content */

static const struct find_request *queried;

const char *display_of(int row)
{
	static char displays[ROWS][64];

	snprintf(displays[row], sizeof displays[row], "elsewhere:%.*s/%s",
		 (int)rows[row].directory.size, rows[row].directory.data, names[row]);
	return displays[row];
}

unsigned sides_of_row(int row)
{
	return row % 3 == 0 ? SIDE_A : row % 3 == 2 ? SIDE_B : 0;
}

/* ---- Contents ---- */

static int by_display(const void *a, const void *b)
{
	return strcmp(display_of(*(const int *)a), display_of(*(const int *)b));
}

static bool is_same(int a, int b)
{
	bool by_extension = queried->rule.verify.mode == VERIFY_NO &&
			    queried->rule.key >= SIMHASH_UNIFORM_EXT;

	return same_content(a, b) && (!by_extension || same_extension(&rows[a], &rows[b])) &&
	       tolerance_of(&queried->rule, &rows[a]) == tolerance_of(&queried->rule, &rows[b]);
}

static void add_file(int row)
{
	int c = 0;

	while (c < content_count && !is_same(row, contents[c].files[0]))
		c++;
	if (c == content_count)
		contents[content_count++].count = 0;
	for (int i = 0; i < contents[c].count && !queried->hard_links; i++)
		if (is_name_of(row, contents[c].files[i]))
			return;
	contents[c].files[contents[c].count++] = row;
}

static int by_order(const void *a, const void *b)
{
	const struct content *x = a, *y = b;
	const struct file_row *r = &rows[x->files[0]], *s = &rows[y->files[0]];
	int64_t r_key = r->keys.key[SIMHASH_UNIFORM], s_key = s->keys.key[SIMHASH_UNIFORM];
	int hashes = memcmp(r->content_hash, s->content_hash, CONTENT_HASH_SIZE);

	if (r_key != s_key)
		return r_key < s_key ? -1 : 1;
	if (r->size_bytes != s->size_bytes)
		return r->size_bytes < s->size_bytes ? -1 : 1;
	return hashes != 0 ? hashes : by_display(&x->files[0], &y->files[0]);
}

/* Negative: x is more alike. */
static int compare_facts(const struct fact *x, wide x_distance, const struct fact *y,
			 wide y_distance)
{
	bool x_is_known = has_resemblance(&x->relation);
	double x_share = x->relation.resemblance, y_share = y->relation.resemblance;

	if (x_is_known != has_resemblance(&y->relation))
		return x_is_known ? -1 : 1;
	if (x_is_known && x_share != y_share)
		return x_share > y_share ? -1 : 1;
	return (x_distance > y_distance) - (x_distance < y_distance);
}

static wide distance_of(int x, int y)
{
	return distances[contents[x].files[0]][contents[y].files[0]];
}

/* The relation of the two most similar files of both contents. */
static struct fact compare_contents(int x, int y)
{
	struct fact best = {.is_pair = false};

	for (int i = 0; i < contents[x].count; i++)
		for (int j = 0; j < contents[y].count; j++) {
			const struct fact *fact =
				&facts[contents[x].files[i]][contents[y].files[j]];
			if (fact->is_pair &&
			    (!best.is_pair || compare_facts(fact, 0, &best, 0) < 0))
				best = *fact;
		}
	return best;
}

static void make_contents(void)
{
	int in_order[ROWS];

	content_count = 0;
	for (int i = 0; i < ROWS; i++)
		in_order[i] = i;
	qsort(in_order, ROWS, sizeof *in_order, by_display);
	for (int i = 0; i < ROWS; i++)
		if (!queried->has_between || sides_of_row(in_order[i]) != 0)
			add_file(in_order[i]);
	qsort(contents, (size_t)content_count, sizeof *contents, by_order);
	for (int x = 0; x < content_count; x++)
		for (int y = 0; y < content_count; y++)
			if (x != y)
				similar[x][y] = compare_contents(x, y);
}

/* ---- Representatives ---- */

/* Returns y, unless z is more alike to x. */
static int more_alike(int x, int y, int z)
{
	int order;

	if (y == NONE || z == NONE)
		return y == NONE ? z : y;
	order = compare_facts(&similar[x][y], distance_of(x, y), &similar[x][z], distance_of(x, z));
	return order < 0 || (order == 0 && y < z) ? y : z;
}

/* Are two of its files a pair? */
static bool has_copies(int c)
{
	unsigned sides = 0;

	for (int i = 0; i < contents[c].count; i++)
		sides |= sides_of_row(contents[c].files[i]);
	return contents[c].count > 1 && (!queried->has_between || sides == (SIDE_A | SIDE_B));
}

/* Does a representative have copies, or contents other than this one? */
static bool is_group_without(int representative, int without)
{
	for (int c = 0; c < content_count; c++)
		if (center[c] == representative && c != representative && c != without)
			return true;
	return has_copies(representative);
}

static void join_lonely(int lonely)
{
	int nearest = NONE, theirs;

	for (int c = 0; c < content_count; c++)
		if (c != lonely && similar[lonely][c].is_pair)
			nearest = more_alike(lonely, nearest, c);
	if (nearest == NONE)
		return;
	theirs = center[nearest];
	if (theirs == nearest) {
		center[lonely] = nearest;
	} else if (is_group_without(theirs, nearest)) {
		center[nearest] = lonely;
	} else {
		center[nearest] = nearest;
		center[theirs] = nearest;
		center[lonely] = nearest;
	}
}

static void choose_representatives(void)
{
	bool is_lonely[ROWS];

	for (int c = 0; c < content_count; c++) {
		int best = NONE;
		for (int d = 0; d < c; d++)
			if (center[d] == d && similar[c][d].is_pair)
				best = more_alike(c, best, d);
		center[c] = best == NONE ? c : best;
	}
	for (int c = 0; c < content_count; c++)
		is_lonely[c] = center[c] == c && !is_group_without(c, c);
	for (int c = 0; c < content_count; c++)
		if (is_lonely[c])
			join_lonely(c);
}

/* Give all connected contents the smallest of their numbers. */
static void connect(void)
{
	bool has_changed = true;

	for (int c = 0; c < content_count; c++)
		center[c] = c;
	while (has_changed) {
		has_changed = false;
		for (int c = 0; c < content_count; c++)
			for (int d = 0; d < content_count; d++)
				if (c != d && similar[c][d].is_pair && center[d] < center[c]) {
					center[c] = center[d];
					has_changed = true;
				}
	}
}

/* ---- Groups ---- */

/*
 * With single linkage, two contents that are not a pair may still have sketches that give an
 * estimate: the same sketches as for pairs, because all are sorted in one way.
 */
static struct fact fact_with(int c, int representative)
{
	const struct file_row *x = &rows[contents[c].files[0]];
	const struct file_row *y = &rows[contents[representative].files[0]];
	struct fact fact = similar[c][representative];

	if (c == representative)
		return (struct fact){.relation = RELATION_OF_COPIES};
	if (!fact.is_pair && queried->rule.verify.mode != VERIFY_NO && x->has_resemblance &&
	    y->has_resemblance &&
	    simhash_resemblance_estimate(&x->resemblance, x->size_bytes, &y->resemblance,
					 y->size_bytes, &fact.relation.resemblance))
		fact.relation.verification = PAIR_SKETCH;
	return fact;
}

static int by_likeness(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b, representative = center[x], order;
	struct fact x_fact = fact_with(x, representative), y_fact = fact_with(y, representative);

	if ((x == representative) != (y == representative))
		return x == representative ? -1 : 1;
	order = compare_facts(&x_fact, distance_of(x, representative), &y_fact,
			      distance_of(y, representative));
	return order != 0 ? order : by_display(&contents[x].files[0], &contents[y].files[0]);
}

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, CONTENT_HASH_SIZE);
}

static uint64_t id_of(const int *members, int count)
{
	uint8_t hashes[ROWS][CONTENT_HASH_SIZE];
	size_t used = 0;

	for (int i = 0; i < count; i++)
		memcpy(hashes[i], rows[contents[members[i]].files[0]].content_hash,
		       CONTENT_HASH_SIZE);
	qsort(hashes, (size_t)count, CONTENT_HASH_SIZE, by_hash);
	for (int i = 0; i < count; i++)
		if (i == 0 || by_hash(hashes[used - 1], hashes[i]) != 0)
			memmove(hashes[used++], hashes[i], CONTENT_HASH_SIZE);
	return XXH3_64bits(hashes, used * CONTENT_HASH_SIZE);
}

static void write_group(int representative)
{
	struct defined_group *group = &defined[defined_count];
	int members[ROWS], count = 0;

	for (int c = 0; c < content_count; c++)
		if (center[c] == representative)
			members[count++] = c;
	if (count == 1 && !has_copies(representative))
		return;
	qsort(members, (size_t)count, sizeof *members, by_likeness);
	*group = (struct defined_group){.id = id_of(members, count)};
	for (int i = 0; i < count; i++) {
		const struct content *content = &contents[members[i]];
		for (int j = 0; j < content->count; j++) {
			int64_t size = rows[content->files[j]].size_bytes;
			group->members[group->count++] = (struct defined_member){
				.row = content->files[j],
				.role = j > 0	? ROLE_COPY
					: i > 0 ? ROLE_MEMBER
						: ROLE_REPRESENTATIVE,
				.fact = fact_with(members[i], representative)};
			group->bytes += size;
			group->copied_bytes += j > 0 ? size : 0;
		}
	}
	defined_count++;
}

static int by_copies(const void *a, const void *b)
{
	const struct defined_group *x = a, *y = b;

	if (x->copied_bytes != y->copied_bytes)
		return x->copied_bytes > y->copied_bytes ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_display(&x->members[0].row, &y->members[0].row);
}

void define_groups(const struct find_request *request, enum linkage linkage)
{
	queried = request;
	make_contents();
	if (linkage == LINK_SINGLE)
		connect();
	else
		choose_representatives();
	defined_count = 0;
	for (int c = 0; c < content_count; c++)
		if (center[c] == c)
			write_group(c);
	qsort(defined, (size_t)defined_count, sizeof *defined, by_copies);
}
