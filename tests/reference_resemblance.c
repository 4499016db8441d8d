/*
 * Computes resemblance sketches step by step, as docs/algorithm.md defines them.
 * SPDX-License-Identifier: MIT
 */
#include "reference_resemblance.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "data.h"

static unsigned word(const uint8_t *p)
{
	return p[0] + 256u * p[1];
}

static unsigned t(const uint8_t *p)
{
	return (word(p) * 0x9E35u + word(p + 2)) % 65536u;
}

static unsigned u(const uint8_t *p)
{
	return (t(p) * 0xC2B3u + t(p + 4)) % 65536u;
}

static unsigned v(const uint8_t *p)
{
	return (u(p) * 0x85EBu + u(p + 8)) % 65536u;
}

unsigned reference_rank(const uint8_t *p)
{
	return (v(p) * 0x27D5u + 0xA598u) % 65536u;
}

unsigned reference_level(uint64_t size)
{
	uint64_t positions = size < 16 ? 0 : size - 15;
	unsigned level = 0;

	while (level < 7 && positions >= 1024) {
		positions /= 2;
		level++;
	}
	return level;
}

static uint64_t number(const uint8_t *p)
{
	uint64_t x = 0, place = 1;

	for (int i = 0; i < 8; i++) {
		x += p[i] * place;
		place *= 256;
	}
	return x;
}

/* Both halves of the product, by long multiplication with digits of 32 bits. */
static uint64_t mum(uint64_t a, uint64_t b)
{
	uint64_t a0 = a % 4294967296u, a1 = a / 4294967296u;
	uint64_t b0 = b % 4294967296u, b1 = b / 4294967296u;
	uint64_t low = a0 * b0;
	uint64_t middle = a1 * b0 + low / 4294967296u;
	uint64_t carry = a0 * b1 + middle % 4294967296u;
	uint64_t high = a1 * b1 + middle / 4294967296u + carry / 4294967296u;

	return high ^ (a * b);
}

static uint64_t hash(const uint8_t *p)
{
	return mum(number(p) ^ 0xa0761d6478bd642fu, number(p + 8) ^ 0xe7037ed1a0b428dbu) *
	       0x9E3779B97F4A7C15u;
}

/* Must a group of 64 positions be left out because its block has reached the cap? */
static bool is_capped(unsigned level, unsigned hits)
{
	unsigned most = 32768u >> level;

	return hits >= (most < 256 ? 256 : most);
}

struct hit {
	unsigned rank;
	uint64_t hash;
};

/* Returns the number of hits. */
static size_t find_hits(const uint8_t *bytes, size_t size, struct hit *found)
{
	size_t positions = size < 16 ? 0 : size - 15, count = 0;
	unsigned level = reference_level(size), hits = 0;
	bool is_left_out = false;

	for (size_t i = 0; i < positions; i++) {
		unsigned rank;
		if (i % 4096 == 0)
			hits = 0;
		if (i % 64 == 0)
			is_left_out = is_capped(level, hits);
		rank = reference_rank(bytes + i);
		if (is_left_out || rank > 0xFFFFu >> level)
			continue;
		hits++;
		found[count].rank = rank;
		found[count++].hash = hash(bytes + i);
	}
	return count;
}

static struct hit *all_hits(const uint8_t *bytes, size_t size, size_t *count)
{
	struct hit *hits = malloc((size + 1) * sizeof *hits);

	if (hits == NULL)
		abort();
	*count = find_hits(bytes, size, hits);
	return hits;
}

void reference_registers(const uint8_t *bytes, size_t size, uint8_t sketch[128])
{
	const uint64_t none = 0xffffffffffffffffu;
	uint64_t least[128];
	size_t count;
	struct hit *hits = all_hits(bytes, size, &count);

	for (int r = 0; r < 128; r++)
		least[r] = none;
	for (size_t i = 0; i < count; i++) {
		uint64_t h = hits[i].hash;
		uint64_t value = hits[i].rank * 281474976710656u + h / 512 % 281474976710656u;
		if (value < least[h / 144115188075855872u])
			least[h / 144115188075855872u] = value;
	}
	for (int r = 0; r < 128; r++)
		sketch[r] = least[r] == none ? 0 : (uint8_t)(1 + least[r] % 255);
	free(hits);
}

/* ---- Texts ---- */

/* HT, LF, VT, FF, CR, blank */
static bool is_white(unsigned c)
{
	return c == 9 || c == 10 || c == 11 || c == 12 || c == 13 || c == 32;
}

static bool is_allowed(unsigned c)
{
	return c >= 32 ? c != 127 : is_white(c) || c == 8 || c == 27;
}

static bool begins(const uint8_t *bytes, size_t size, const char *text, size_t text_size)
{
	return size >= text_size && memcmp(bytes, text, text_size) == 0;
}

static unsigned unit(bool is_little, const uint8_t *p)
{
	return is_little ? p[0] + 256u * p[1] : p[1] + 256u * p[0];
}

static bool is_high(unsigned c)
{
	return c >= 0xD800 && c <= 0xDBFF;
}

static bool is_low(unsigned c)
{
	return c >= 0xDC00 && c <= 0xDFFF;
}

static bool has_text_units(bool is_little, const uint8_t *p, size_t size)
{
	for (size_t i = 0; i + 1 < size; i += 2) {
		unsigned c = unit(is_little, p + i);
		if (is_low(c) || !is_allowed(c))
			return false;
		if (!is_high(c) || i + 3 >= size)
			continue;
		i += 2;
		if (!is_low(unit(is_little, p + i)))
			return false;
	}
	return true;
}

static bool has_text_bytes(const uint8_t *p, size_t size)
{
	size_t others = 0;

	for (size_t i = 0; i < size; i++)
		if (!is_allowed(p[i]))
			others++;
	return others <= size / 50 && !begins(p, size, "%PDF-", 5);
}

static size_t put_character(unsigned long c, uint8_t *out)
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(192 + c / 64);
		out[1] = (uint8_t)(128 + c % 64);
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(224 + c / 4096);
		out[1] = (uint8_t)(128 + c / 64 % 64);
		out[2] = (uint8_t)(128 + c % 64);
		return 3;
	}
	out[0] = (uint8_t)(240 + c / 262144);
	out[1] = (uint8_t)(128 + c / 4096 % 64);
	out[2] = (uint8_t)(128 + c / 64 % 64);
	out[3] = (uint8_t)(128 + c % 64);
	return 4;
}

/* All units of a text, whose last ones may be incomplete, as UTF-8. */
static size_t decode(bool is_little, const uint8_t *p, size_t size, uint8_t *out)
{
	size_t written = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		unsigned long c = unit(is_little, p + i), next;
		if (is_high((unsigned)c)) {
			if (i + 3 >= size)
				break;
			next = unit(is_little, p + i + 2);
			if (is_low((unsigned)next)) {
				c = 0x10000 + (c - 0xD800) * 1024 + (next - 0xDC00);
				i += 2;
			} else {
				c = 0xFFFD;
			}
		} else if (is_low((unsigned)c)) {
			c = 0xFFFD;
		}
		written += put_character(c, out + written);
	}
	return written;
}

/* In place. */
static size_t collapse(uint8_t *bytes, size_t size)
{
	size_t kept = 0, begin = 0;

	while (size > 0 && is_white(bytes[size - 1]))
		size--;
	while (begin < size && is_white(bytes[begin]))
		begin++;
	for (size_t i = begin; i < size; i++) {
		if (!is_white(bytes[i]))
			bytes[kept++] = bytes[i];
		else if (!is_white(bytes[i + 1]))
			bytes[kept++] = ' ';
	}
	return kept;
}

uint8_t *reference_normal_form(const uint8_t *bytes, size_t size, size_t *normal_size)
{
	bool is_little = begins(bytes, size, "\xFF\xFE", 2);
	bool is_units = is_little || begins(bytes, size, "\xFE\xFF", 2);
	size_t mark = is_units ? 2 : begins(bytes, size, "\xEF\xBB\xBF", 3) ? 3 : 0;
	size_t head = (size < 4096 ? size : 4096) - mark;
	uint8_t *out;

	if (is_units ? !has_text_units(is_little, bytes + mark, head)
		     : !has_text_bytes(bytes + mark, head))
		return NULL;
	out = malloc(2 * size + 4);
	if (out == NULL)
		abort();
	if (is_units) {
		*normal_size = decode(is_little, bytes + mark, size - mark, out);
	} else {
		*normal_size = size - mark;
		memcpy(out, bytes + mark, size - mark);
	}
	*normal_size = collapse(out, *normal_size);
	return out;
}

/* The highest byte first. */
static void put_number(uint8_t *bytes, uint64_t x)
{
	for (int i = 7; i >= 0; i--) {
		bytes[i] = (uint8_t)(x % 256);
		x /= 256;
	}
}

void reference_sketch(const uint8_t *bytes, size_t size, uint8_t sketch[144])
{
	size_t normal_size;
	uint8_t *normal = reference_normal_form(bytes, size, &normal_size);
	bool has_hit = false;

	memset(sketch, 0, 144);
	if (normal == NULL) {
		reference_registers(bytes, size, sketch);
		return;
	}
	reference_registers(normal, normal_size, sketch);
	for (int r = 0; r < 128; r++)
		has_hit = has_hit || sketch[r] != 0;
	if (has_hit) {
		put_number(sketch + 128, normal_size);
		put_number(sketch + 136, XXH3_64bits(normal, normal_size));
	}
	free(normal);
}

/* ---- Pieces ---- */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The number of values below 2^(48 - level). */
static size_t count_below(const uint64_t *values, size_t count, unsigned level)
{
	uint64_t bound = 281474976710656u;
	size_t below = 0;

	for (unsigned i = 0; i < level; i++)
		bound /= 2;
	while (below < count && values[below] < bound)
		below++;
	return below;
}

static uint64_t *pieces_of(const uint8_t *bytes, size_t size, unsigned wanted, size_t *count,
			   unsigned *level)
{
	unsigned least = reference_level(size);
	size_t hit_count, different = 0;
	struct hit *hits = all_hits(bytes, size, &hit_count);
	uint64_t *values = malloc((hit_count + 1) * sizeof *values);

	if (values == NULL)
		abort();
	for (size_t i = 0; i < hit_count; i++)
		values[i] = hits[i].rank * 4294967296u + hits[i].hash / 33554432u % 4294967296u;
	qsort(values, hit_count, sizeof *values, compare_numbers);
	for (size_t i = 0; i < hit_count; i++)
		if (i == 0 || values[i] != values[i - 1])
			values[different++] = values[i];
	if (size < 2063)
		different = 0;
	*level = wanted > least ? wanted : least;
	while (different > 0 && *level > least && count_below(values, different, *level) < 64)
		*level -= 1;
	while (count_below(values, different, *level) > 65536)
		*level += 1;
	*count = count_below(values, different, *level);
	free(hits);
	return values;
}

uint64_t *reference_pieces(const uint8_t *bytes, size_t size, unsigned text_level,
			   unsigned other_level, size_t *count, unsigned *level)
{
	size_t normal_size;
	uint8_t *normal = reference_normal_form(bytes, size, &normal_size);
	uint64_t *values;

	if (normal == NULL)
		return pieces_of(bytes, size, other_level, count, level);
	values = pieces_of(normal, normal_size, text_level, count, level);
	free(normal);
	return values;
}

static void put_bit(uint8_t *bytes, size_t *bits, bool bit)
{
	if (bit)
		bytes[*bits / 8] = (uint8_t)(bytes[*bits / 8] + (1 << *bits % 8));
	*bits += 1;
}

size_t reference_store_pieces(const uint64_t *values, size_t count, unsigned level, uint8_t *bytes)
{
	uint64_t mean = 281474976710656u, next = 0, step = 1;
	unsigned lower = 0;
	size_t bits = 16;

	for (unsigned i = 0; i < level; i++)
		mean /= 2;
	for (mean /= count; mean >= 2; mean /= 2) {
		lower++;
		step *= 2;
	}
	bytes[0] = (uint8_t)level;
	bytes[1] = (uint8_t)lower;
	for (size_t i = 0; i < count; i++) {
		uint64_t difference = values[i] - next;
		for (uint64_t ones = difference / step; ones > 0; ones--)
			put_bit(bytes, &bits, true);
		put_bit(bytes, &bits, false);
		for (uint64_t rest = difference % step, b = 0; b < lower; b++, rest /= 2)
			put_bit(bytes, &bits, rest % 2 == 1);
		next = values[i] + 1;
	}
	while (bits % 8 != 0)
		put_bit(bytes, &bits, true);
	return bits / 8;
}

/* ---- Resemblance ---- */

bool reference_resemblance(const uint8_t a[128], uint64_t size_a, const uint8_t b[128],
			   uint64_t size_b, double *resemblance)
{
	unsigned level_a = reference_level(size_a), level_b = reference_level(size_b);
	double used = 0, both = 0, equal = 0;

	for (int r = 0; r < 128; r++) {
		if (a[r] == 0 && b[r] == 0)
			continue;
		if (a[r] == 0 && level_a > level_b)
			continue;
		if (b[r] == 0 && level_b > level_a)
			continue;
		used++;
		if (a[r] != 0 && b[r] != 0)
			both++;
		if (a[r] == b[r])
			equal++;
	}
	if (used < 16)
		return false;
	*resemblance = (equal - both / 255) / (used - both / 255);
	if (*resemblance < 0)
		*resemblance = 0;
	if (*resemblance * (double)size_a > (double)size_b)
		*resemblance = (double)size_b / (double)size_a;
	if (*resemblance * (double)size_b > (double)size_a)
		*resemblance = (double)size_a / (double)size_b;
	return true;
}

static int compare_shingles(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

/* The shingles of a content, sorted, each once. */
static uint8_t (*shingle_set(const uint8_t *bytes, size_t size, size_t *count))[16]
{
	size_t all = size < 16 ? 0 : size - 15;
	uint8_t(*set)[16] = malloc((all + 1) * sizeof *set);

	*count = 0;
	if (set == NULL)
		abort();
	for (size_t i = 0; i < all; i++)
		memcpy(set[i], bytes + i, 16);
	qsort(set, all, sizeof *set, compare_shingles);
	for (size_t i = 0; i < all; i++)
		if (*count == 0 || memcmp(set[*count - 1], set[i], 16) != 0)
			memmove(set[(*count)++], set[i], 16);
	return set;
}

double reference_jaccard(const uint8_t *a, size_t size_a, const uint8_t *b, size_t size_b)
{
	size_t count_a, count_b, i = 0, j = 0, both = 0;
	uint8_t(*set_a)[16] = shingle_set(a, size_a, &count_a);
	uint8_t(*set_b)[16] = shingle_set(b, size_b, &count_b);

	while (i < count_a && j < count_b) {
		int order = memcmp(set_a[i], set_b[j], 16);
		both += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	free(set_a);
	free(set_b);
	return (double)both / (double)(count_a + count_b - both);
}

/*
 * 1 / D5 modulo 256: adding one to the last byte of a shingle adds D5 to the upper byte of its
 * rank.
 */
#define BYTES_FOR_RANK 125u

void reference_fill_sampled(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned upper_byte = data_random_byte() % 2;
		bytes[i] = data_random_byte();
		if (i < 15)
			continue;
		upper_byte += 256 - reference_rank(bytes + i - 15) / 256;
		bytes[i] = (uint8_t)(bytes[i] + upper_byte * BYTES_FOR_RANK);
	}
}
