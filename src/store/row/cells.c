/*
 * Computes cells of files, ranges of cells, and outlines.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/cells.h"

__extension__ typedef __int128 wide;

/* A cell combines three numbers: the class, and the place of each sum. */
#define CELLS INT64_C(4096)

/* From this class on, the sums are 0, because they might exceed 64 bits. */
#define CLASSES_WITH_SUMS 95

/*
 * A cell is two reaches wide. A sum is at most 16 times the size, the size is about 100 reaches,
 * and half of the cells are for negative sums.
 */
#define MIDDLE 2047

/* An outline has seven bits of each count. Five reaches are at most 150 of its units. */
#define OUTLINE_BITS 7
#define UNITS_PER_REACH 30

/*
 * The tags whose counts are subtracted. Of all choices, these leave the fewest other files in a
 * cell, see docs/lab/performance.md.
 */
static const unsigned minus[SIGNED_SUMS] = {0x6216, 0x4e99};

/*
 * As in size_class: sizes from `low` to below `next`; keys of similar files differ by at most
 * `reach`.
 */
struct size_class {
	int64_t number, low, next, reach;
};

static void next_class(struct size_class *class)
{
	class->number++;
	class->low = class->next;
	class->next = class->low > INT64_MAX / 3 * 2 ? INT64_MAX
						     : class->low + (class->low + 1) / 2;
}

static struct size_class first_class(void)
{
	return (struct size_class){.number = 0, .low = 1, .next = 2};
}

static struct size_class with_reach(struct size_class class)
{
	class.reach = class.next / 100 + 2;
	return class;
}

static struct size_class class_of_size(int64_t size)
{
	struct size_class class = first_class();

	while (class.next <= size && class.next < INT64_MAX)
		next_class(&class);
	return with_reach(class);
}

static struct size_class class_of_number(int64_t number)
{
	struct size_class class = first_class();

	while (class.number < number && class.next < INT64_MAX)
		next_class(&class);
	return with_reach(class);
}

int64_t size_class_of(int64_t size_bytes)
{
	return class_of_size(size_bytes).number;
}

int64_t size_class_largest(int64_t class)
{
	int64_t next = class_of_number(class).next;

	return next == INT64_MAX ? next : next - 1;
}

static int64_t sum_of(const struct size_class *class, const struct simhash_sum_table *table,
		      unsigned which)
{
	uint64_t sum = 0; /* cannot overflow for the counts of a file */

	if (class->number >= CLASSES_WITH_SUMS)
		return 0;
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		sum += (minus[which] >> t & 1) != 0 ? 0 - table->count[t] : table->count[t];
	return (int64_t)sum;
}

/* Return the cell of a sum. */
static int64_t cell_number(const struct size_class *class, int64_t sum)
{
	int64_t middle = class->number < CLASSES_WITH_SUMS ? MIDDLE : 1;
	int64_t shifted, offset = (middle + 1) * class->reach, cell;

	if (__builtin_add_overflow(sum, offset, &shifted))
		return CELLS - 1;
	cell = shifted < 0 ? 0 : shifted / (2 * class->reach);
	return cell < CELLS ? cell : CELLS - 1;
}

static int64_t unit_of(const struct size_class *class)
{
	return class->reach / UNITS_PER_REACH + 1;
}

struct file_cell cell_of(const struct file_row *row)
{
	struct size_class class = class_of_size(row->size_bytes);
	struct file_cell cell = {.cell = class.number};

	for (unsigned s = 0; s < SIGNED_SUMS; s++) {
		cell.signed_sum[s] = sum_of(&class, &row->table, s);
		cell.cell = cell.cell * CELLS + cell_number(&class, cell.signed_sum[s]);
	}
	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		uint64_t units = row->table.count[t] / (uint64_t)unit_of(&class);
		cell.outline[t / 8] |= (int64_t)(units % (1 << OUTLINE_BITS))
				       << t % 8 * OUTLINE_BITS;
	}
	return cell;
}

static int64_t add_cut_off(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The number of parts of a unit. 2^16 parts are one more than the largest count of an outline. */
#define UNIT_PARTS (1 << 16 >> OUTLINE_BITS)

static struct outline_range outline_within(const struct size_class *class,
					   const struct simhash_sum_table *table, int64_t distance)
{
	const uint32_t furthest = SIMHASH_TAGS * (UINT16_MAX / 2 + 1);
	int64_t unit = unit_of(class);
	/*
	 * A count differs from the middle of its unit by at most half a unit. Rounding loses at
	 * most one part of each.
	 */
	wide limit = (wide)add_cut_off(distance, SIMHASH_TAGS * (unit / 2)) * UNIT_PARTS / unit +
		     SIMHASH_TAGS;
	struct outline_range near = {.limit = limit < furthest ? (uint32_t)limit : furthest};

	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		wide parts = ((wide)table->count[t] - (unit - 1) / 2) * UNIT_PARTS;
		wide rounded = parts / unit - (parts % unit < 0);
		near.counts.count[t] = (uint16_t)rounded;
	}
	return near;
}

struct cell_range cells_within(int64_t class, const struct simhash_sum_table *table,
			       int64_t distance)
{
	struct size_class sizes = class_of_number(class);
	struct cell_range range = {.class = class, .near = outline_within(&sizes, table, distance)};

	for (unsigned s = 0; s < SIGNED_SUMS; s++) {
		int64_t sum = sum_of(&sizes, table, s);
		range.low[s] = add_cut_off(sum, -distance);
		range.high[s] = add_cut_off(sum, distance);
		range.first[s] = cell_number(&sizes, range.low[s]);
		range.last[s] = cell_number(&sizes, range.high[s]);
	}
	return range;
}

int64_t cell_at(const struct cell_range *range, int64_t first, int64_t second)
{
	return (range->class * CELLS + first) * CELLS + second;
}

int64_t cell_class(int64_t cell)
{
	return cell / (CELLS * CELLS);
}

int64_t cell_lowest(int64_t class)
{
	return class * CELLS * CELLS;
}

int64_t cells_in(const struct cell_range *range)
{
	return (range->last[0] - range->first[0] + 1) * (range->last[1] - range->first[1] + 1);
}

struct outline_counts outline_unpack(const int64_t outline[OUTLINES])
{
	struct outline_counts counts;

	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		uint64_t units = (uint64_t)outline[t / 8] >> t % 8 * OUTLINE_BITS;
		counts.count[t] = (uint16_t)(units * UNIT_PARTS);
	}
	return counts;
}

bool outline_is_near(const struct outline_range *near, const struct outline_counts *row)
{
	uint32_t total = 0;

	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		uint16_t over = (uint16_t)(near->counts.count[t] - row->count[t]);
		uint16_t under = (uint16_t)(row->count[t] - near->counts.count[t]);
		total += over < under ? over : under;
	}
	return total <= near->limit;
}
