/*
 * Builds the tree of versions of a group: compares the versions, sets the costs of steps, and finds
 * the cheapest tree.
 * SPDX-License-Identifier: MIT
 */
#include "find/lineage/lineage.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "find/lineage/arborescence.h"

/* All versions of a slice are compared with each other. Larger groups are divided into slices. */
#define SLICE 1000

/* A step between strangers costs more than another root, so they are in different trees. */
#define COST_OF_ROOT ((int64_t)1 << 36)
#define COST_OF_STRANGERS ((int64_t)1 << 44)

/* ---- The tree of a slice ---- */

/* Evidence that may show the order of versions, or may be unrelated to it. */
enum firm { FIRM_NAMES, FIRM_TIME, FIRMS };

/* The nearest others of a version, the nearest one first. */
#define NEAREST 16
struct nearest {
	uint32_t of[NEAREST], count;
};

struct slice {
	struct lineage_version *versions;
	uint32_t count;
	int32_t *differences; /* between a row and a column */
	/* First of the names; then the confidence in percent that both are versions of one file. */
	uint8_t *relations;
	struct nearest *nearest;
	uint32_t *families;	/* versions in different families are strangers */
	int16_t *firm[FIRMS];	/* the evidence that the row is earlier than the column */
	uint32_t *ranks[FIRMS]; /* the number of versions that are earlier by this evidence */
	int trust_percent[FIRMS];
};

static size_t cell(const struct slice *slice, uint32_t row, uint32_t column)
{
	return (size_t)row * slice->count + column;
}

static void compare_two(struct slice *slice, uint32_t x, uint32_t y)
{
	struct paths_comparison names =
		lineage_compare_names(&slice->versions[x], &slice->versions[y]);
	struct lineage_evidence evidence =
		lineage_compare(&slice->versions[x], &slice->versions[y], names.order);
	int firm[FIRMS] = {0};

	for (int r = 0; r < REASONS; r++)
		if (r != REASON_SIZE)
			firm[is_reason_of_time(r) ? FIRM_TIME : FIRM_NAMES] += evidence.of[r];
	for (int f = 0; f < FIRMS; f++) {
		slice->firm[f][cell(slice, x, y)] = (int16_t)firm[f];
		slice->firm[f][cell(slice, y, x)] = (int16_t)-firm[f];
		slice->ranks[f][x] += firm[f] < 0;
		slice->ranks[f][y] += firm[f] > 0;
	}
	slice->differences[cell(slice, x, y)] = slice->differences[cell(slice, y, x)] =
		(int32_t)lineage_difference(slice->versions[x].files[0],
					    slice->versions[y].files[0]);
	slice->relations[cell(slice, x, y)] = (uint8_t)names.relation;
}

/* ---- Strangers ---- */

static struct nearest find_nearest(const struct slice *slice, uint32_t version)
{
	struct nearest nearest = {.count = 0};
	const int32_t *row = slice->differences + cell(slice, version, 0);

	for (uint32_t v = 0; v < slice->count; v++) {
		uint32_t at = nearest.count;
		if (v == version || (at == NEAREST && row[v] >= row[nearest.of[at - 1]]))
			continue;
		at = at == NEAREST ? at - 1 : at;
		for (; at > 0 && row[nearest.of[at - 1]] > row[v]; at--)
			nearest.of[at] = nearest.of[at - 1];
		nearest.of[at] = v;
		nearest.count += nearest.count < NEAREST;
	}
	return nearest;
}

/* The version that is nearest to x, except y; or slice->count. */
static uint32_t nearest_except(const struct slice *slice, uint32_t x, uint32_t y)
{
	const struct nearest *nearest = &slice->nearest[x];

	if (nearest->count > 0 && nearest->of[0] != y)
		return nearest->of[0];
	return nearest->count > 1 ? nearest->of[1] : slice->count;
}

/* The version that is nearest to either of two others. */
static const struct lineage_version *third_of(const struct slice *slice, uint32_t x, uint32_t y)
{
	uint32_t of_x = nearest_except(slice, x, y), of_y = nearest_except(slice, y, x);

	if (of_x == slice->count || of_y == slice->count)
		return NULL;
	return &slice->versions[slice->differences[cell(slice, x, of_x)] <=
						slice->differences[cell(slice, y, of_y)]
					? of_x
					: of_y];
}

static void join_families(struct slice *slice, uint32_t one, uint32_t other)
{
	for (uint32_t v = 0; v < slice->count; v++)
		if (slice->families[v] == other)
			slice->families[v] = one;
}

/* A family is a set of versions that are connected by relations. */
static void relate_all(struct slice *slice)
{
	for (uint32_t v = 0; v < slice->count; v++) {
		slice->nearest[v] = find_nearest(slice, v);
		slice->families[v] = v;
	}
	for (uint32_t x = 0; x < slice->count; x++)
		for (uint32_t y = x + 1; y < slice->count; y++) {
			double relation = lineage_relation(
				&slice->versions[x], &slice->versions[y],
				(enum names_relation)slice->relations[cell(slice, x, y)],
				third_of(slice, x, y));
			slice->relations[cell(slice, x, y)] = slice->relations[cell(slice, y, x)] =
				(uint8_t)(100 * relation);
			if (relation >= LINEAGE_RELATED && slice->families[x] != slice->families[y])
				join_families(slice, slice->families[x], slice->families[y]);
		}
}

/* Two members of a family that have too little in common are connected by other members. */
static double relation_in_family(const struct slice *slice, uint32_t x, uint32_t y)
{
	double relation = slice->relations[cell(slice, x, y)] * 0.01;

	return relation > LINEAGE_DOUBTFUL ? relation : LINEAGE_DOUBTFUL;
}

/* ---- Trust ---- */

/* The sum of the differences in a minimum spanning tree (Prim), which ignores the order. */
static int64_t least_sum(const struct slice *slice, int32_t *least)
{
	int64_t sum = 0;
	uint32_t last = 0;

	for (uint32_t v = 0; v < slice->count; v++)
		least[v] = INT32_MAX;
	for (uint32_t i = 1; i < slice->count; i++) {
		uint32_t next = 0;
		least[last] = -1; /* marks a version in the tree */
		for (uint32_t v = 0; v < slice->count; v++) {
			int32_t difference = slice->differences[cell(slice, last, v)];
			if (least[v] > difference)
				least[v] = difference;
			if (least[v] >= 0 && (least[next] < 0 || least[v] < least[next]))
				next = v;
		}
		sum += least[next];
		last = next;
	}
	return sum;
}

/* Does the evidence say that u is earlier than v? Without evidence, the numbers decide. */
static bool is_before(int evidence, uint32_t u, uint32_t v)
{
	return evidence > 0 || (evidence == 0 && u < v);
}

static bool is_placed_before(const struct slice *slice, enum firm firm, const uint32_t *place,
			     uint32_t u, uint32_t v)
{
	return is_before(slice->firm[firm][cell(slice, place[u], place[v])], u, v);
}

/* The difference between a version and the nearest earlier one, or 0. */
static int32_t ordered_difference(const struct slice *slice, enum firm firm, const uint32_t *place,
				  uint32_t v)
{
	const int32_t *row = slice->differences + cell(slice, v, 0);
	const struct nearest *nearest = &slice->nearest[v];
	int32_t least = INT32_MAX;

	for (uint32_t i = 0; i < nearest->count; i++)
		if (is_placed_before(slice, firm, place, nearest->of[i], v))
			return row[nearest->of[i]];
	for (uint32_t u = 0; nearest->count == NEAREST && u < slice->count; u++)
		if (row[u] < least && is_placed_before(slice, firm, place, u, v))
			least = row[u];
	return least == INT32_MAX ? 0 : least;
}

/*
 * The same sum if no version may come from a later one. `place` contains for each version the
 * number of the version whose names or times it gets.
 */
static int64_t ordered_sum(const struct slice *slice, enum firm firm, const uint32_t *place)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < slice->count; v++)
		sum += ordered_difference(slice, firm, place, v);
	return sum;
}

/* Assign the places at random (Fisher and Yates). The generator always starts in the same state. */
static void shuffle(uint32_t *place, uint32_t count, uint64_t *state)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j, other = place[i - 1];
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		j = (uint32_t)((*state >> 33) % i);
		place[i - 1] = place[j];
		place[j] = other;
	}
}

/*
 * The right order has a small sum, because each version is most or nearly most like an earlier one.
 * An unrelated order, such as times left by copying or numbers of pages, has the same sum as a
 * random order. Few versions agree with many orders.
 */
#define SHUFFLES 24
#define TRUSTED_GAIN 0.5
#define UNTRUSTED_GAIN 0.25
#define JUDGED_MIN 4

/* Without evidence, all shuffles have the same sum, so nothing is gained. */
static bool has_evidence(const struct slice *slice, enum firm firm)
{
	for (uint32_t v = 0; v < slice->count; v++)
		if (slice->ranks[firm][v] > 0)
			return true;
	return false;
}

static int trust_in(const struct slice *slice, enum firm firm, int64_t least, uint32_t *place)
{
	uint64_t state = 1;
	int64_t ordered, chance = 0;
	double gain;
	int percent;

	if (slice->count < JUDGED_MIN)
		return 100;
	for (uint32_t v = 0; v < slice->count; v++)
		place[v] = v;
	ordered = ordered_sum(slice, firm, place);
	if (ordered <= least)
		return 100;
	if (!has_evidence(slice, firm))
		return 0;
	for (int i = 0; i < SHUFFLES; i++) {
		shuffle(place, slice->count, &state);
		chance += ordered_sum(slice, firm, place);
	}
	chance /= SHUFFLES;
	if (chance <= least)
		return 0;
	gain = (double)(chance - ordered) / (double)(chance - least);
	percent = (int)(100 * (gain - UNTRUSTED_GAIN) / (TRUSTED_GAIN - UNTRUSTED_GAIN));
	return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static int compare_all(struct slice *slice, struct simhash_error *error)
{
	int32_t *spare = malloc(slice->count * sizeof *spare);
	int64_t least;

	if (spare == NULL)
		return error_set_memory(error);
	for (uint32_t x = 0; x < slice->count; x++)
		for (uint32_t y = x + 1; y < slice->count; y++)
			compare_two(slice, x, y);
	relate_all(slice);
	least = least_sum(slice, spare);
	for (unsigned f = 0; f < FIRMS; f++)
		slice->trust_percent[f] = trust_in(slice, f, least, (uint32_t *)spare);
	free(spare);
	return 0;
}

/* ---- Costs ---- */

/*
 * Costs of a step in addition to the difference: for each version that it skips, and for evidence
 * against it. Sizes only decide between trees that are about equally good.
 */
#define COST_OF_PASSING 20000
#define PASSING_MAX 10
#define COST_OF_CONTRADICTING 3000
#define COST_OF_SHRINKING 70
#define COST_OF_DOUBT 200000

/* Skipping costs less if the order is trusted less. */
static int64_t cost_of_passing(const struct slice *slice, uint32_t from, uint32_t to)
{
	for (int f = 0; f < FIRMS; f++) {
		int64_t passed = (int64_t)slice->ranks[f][to] - slice->ranks[f][from] - 1;
		if (slice->firm[f][cell(slice, from, to)] <= 0 || slice->trust_percent[f] == 0)
			continue;
		if (passed <= 0)
			return 0;
		return (passed < PASSING_MAX ? passed : PASSING_MAX) * COST_OF_PASSING *
		       slice->trust_percent[f] / 100;
	}
	return 0;
}

static int64_t cost_of(const struct slice *slice, uint32_t from, uint32_t to)
{
	int64_t strange = slice->families[from] != slice->families[to] ? COST_OF_STRANGERS
			  : slice->relations[cell(slice, from, to)] < 100 * LINEAGE_RELATED
				  ? COST_OF_DOUBT
				  : 0;
	int firm = 0, size = lineage_evidence_of_size(slice->versions[from].files[0]->size_bytes,
						      slice->versions[to].files[0]->size_bytes);

	for (int f = 0; f < FIRMS; f++)
		firm += slice->firm[f][cell(slice, from, to)] * slice->trust_percent[f] / 100;
	return strange + slice->differences[cell(slice, from, to)] +
	       cost_of_passing(slice, from, to) +
	       (firm < 0 ? -COST_OF_CONTRADICTING * (int64_t)firm : 0) +
	       (size < 0 ? -COST_OF_SHRINKING * (int64_t)size : 0);
}

static void set_costs(const struct slice *slice, struct arborescence *graph)
{
	for (uint32_t x = 0; x < slice->count; x++) {
		arborescence_set(graph, slice->count, x, COST_OF_ROOT);
		for (uint32_t y = 0; y < slice->count; y++)
			if (x != y)
				arborescence_set(graph, x, y, cost_of(slice, x, y));
	}
}

static void slice_release(struct slice *slice)
{
	for (int f = 0; f < FIRMS; f++) {
		free(slice->firm[f]);
		free(slice->ranks[f]);
	}
	free(slice->differences);
	free(slice->relations);
	free(slice->nearest);
	free(slice->families);
}

static int slice_init(struct slice *slice, struct lineage_version *versions, uint32_t count,
		      struct simhash_error *error)
{
	size_t cells = (size_t)count * count;
	bool has_memory;

	*slice = (struct slice){.versions = versions,
				.count = count,
				.differences = calloc(cells, sizeof *slice->differences),
				.relations = calloc(cells, sizeof *slice->relations),
				.nearest = calloc(count, sizeof *slice->nearest),
				.families = calloc(count, sizeof *slice->families)};
	has_memory = slice->differences != NULL && slice->relations != NULL &&
		     slice->nearest != NULL && slice->families != NULL;
	for (int f = 0; f < FIRMS; f++) {
		slice->firm[f] = calloc(cells, sizeof *slice->firm[f]);
		slice->ranks[f] = calloc(count, sizeof *slice->ranks[f]);
		has_memory = has_memory && slice->firm[f] != NULL && slice->ranks[f] != NULL;
	}
	return has_memory ? 0 : error_set_memory(error);
}

/* The weight of the evidence is how far it is trusted. */
static void note_trust(struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++) {
		slice->versions[i].names_percent = slice->trust_percent[FIRM_NAMES];
		slice->versions[i].time_percent = slice->trust_percent[FIRM_TIME];
	}
}

/* `parents` are indexes in the slice; slice->count means no parent. */
static int find_parents(struct slice *slice, uint32_t *parents, struct simhash_error *error)
{
	struct arborescence graph;
	int status;

	if (compare_all(slice, error) != 0 || arborescence_init(&graph, slice->count, error) != 0)
		return -1;
	note_trust(slice);
	set_costs(slice, &graph);
	status = arborescence_find(&graph, parents, error);
	arborescence_release(&graph);
	return status;
}

/*
 * The first version of a tree comes from the most similar version of the slice before, unless they
 * are strangers.
 */
static size_t nearest_before(struct lineage *lineage, size_t first, size_t version)
{
	struct lineage_version *versions = lineage->versions;
	size_t nearest = first - 1;
	int64_t least = INT64_MAX;

	for (size_t i = first < SLICE ? 0 : first - SLICE; i < first; i++) {
		int64_t difference =
			lineage_difference(versions[i].files[0], versions[version].files[0]);
		if (difference < least) {
			least = difference;
			nearest = i;
		}
	}
	versions[version].relation = lineage_relation(
		&versions[nearest], &versions[version],
		lineage_compare_names(&versions[nearest], &versions[version]).relation, NULL);
	return versions[version].relation < LINEAGE_RELATED ? NO_PARENT : nearest;
}

static int link_slice(struct lineage *lineage, size_t first, uint32_t *parents,
		      struct simhash_error *error)
{
	size_t left = lineage->count - first;
	uint32_t count = (uint32_t)(left < SLICE ? left : SLICE);
	struct slice slice;
	int status = slice_init(&slice, lineage->versions + first, count, error);

	if (status == 0)
		status = find_parents(&slice, parents, error);
	for (uint32_t i = 0; status == 0 && i < count; i++) {
		slice.versions[i].parent = parents[i] < count ? first + parents[i]
					   : first > 0 ? nearest_before(lineage, first, first + i)
						       : NO_PARENT;
		if (parents[i] < count)
			slice.versions[i].relation = relation_in_family(&slice, i, parents[i]);
	}
	slice_release(&slice);
	return status;
}

int lineage_make(const struct group *group, const struct group_member *members,
		 struct lineage *lineage, struct simhash_error *error)
{
	uint32_t *parents = calloc(SLICE, sizeof *parents);
	int status = lineage_take_versions(group, members, lineage, error);

	if (status == 0 && parents == NULL)
		status = error_set_memory(error);
	for (size_t first = 0; status == 0 && first < lineage->count; first += SLICE)
		status = link_slice(lineage, first, parents, error);
	if (status == 0)
		status = lineage_put_in_order(lineage, error);
	if (status == 0)
		status = lineage_settle_doubts(lineage, error);
	if (status == 0)
		status = lineage_put_in_order(lineage, error);
	if (status == 0)
		status = lineage_find_confidence(lineage, error);
	free(parents);
	if (status != 0)
		lineage_release(lineage);
	return status;
}

void lineage_release(struct lineage *lineage)
{
	free(lineage->versions);
	free(lineage->files);
	free(lineage->paths);
	free(lineage->meanings);
	*lineage = (struct lineage){.count = 0};
}
