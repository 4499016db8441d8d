/*
 * Resemblance sketches: from the shingles of a content to 128 bytes.
 * SPDX-License-Identifier: MIT
 */
#include "core/resemblance.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/error.h"

__extension__ typedef unsigned __int128 wide;

#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS
#define GROUP 64 /* positions between two looks at the hits of a block */
#define SAMPLE_MIN 1024

/* ---- Registers ---- */

unsigned resemblance_level(uint64_t size_bytes)
{
	uint64_t positions = size_bytes < SHINGLE_SIZE ? 0 : size_bytes - SHINGLE_OVERLAP;
	unsigned level = 0;

	while (level < RESEMBLANCE_LEVEL_MAX && positions >> level >= SAMPLE_MIN)
		level++;
	return level;
}

void resemblance_begin(struct resemblance_registers *registers)
{
	memset(registers, 0xff, sizeof *registers);
}

void resemblance_merge(struct resemblance_registers *registers,
		       const struct resemblance_registers *other)
{
	for (int i = 0; i < REGISTERS; i++)
		if (other->value[i] < registers->value[i])
			registers->value[i] = other->value[i];
}

void resemblance_finish(const struct resemblance_registers *registers,
			struct simhash_resemblance_sketch *sketch)
{
	for (int i = 0; i < REGISTERS; i++) {
		uint64_t value = registers->value[i];
		sketch->registers[i] = value == UINT64_MAX ? 0 : (uint8_t)(1 + value % 255);
	}
}

static uint16_t word(const uint8_t *p, int i)
{
	return (uint16_t)(p[2 * i] | p[2 * i + 1] << 8);
}

static uint16_t rank_of(const uint8_t *p)
{
	uint16_t t[4], u[2], v;

	for (int i = 0; i < 4; i++)
		t[i] = (uint16_t)(word(p, 2 * i) * 0x9E35u + word(p, 2 * i + 1));
	for (int i = 0; i < 2; i++)
		u[i] = (uint16_t)(t[2 * i] * 0xC2B3u + t[2 * i + 1]);
	v = (uint16_t)(u[0] * 0x85EBu + u[1]);
	return (uint16_t)(v * 0x27D5u + 0xA598u);
}

static uint64_t little64(const uint8_t *p)
{
	uint64_t x = 0;

	for (int i = 7; i >= 0; i--)
		x = x << 8 | p[i];
	return x;
}

static void enter(struct resemblance_registers *registers, uint16_t rank, const uint8_t *p)
{
	wide product = (wide)(little64(p) ^ UINT64_C(0xa0761d6478bd642f)) *
		       (little64(p + 8) ^ UINT64_C(0xe7037ed1a0b428db));
	uint64_t h = ((uint64_t)product ^ (uint64_t)(product >> 64)) * UINT64_C(0x9E3779B97F4A7C15);
	uint64_t value = (uint64_t)rank << 48 | (h >> 9 & ((UINT64_C(1) << 48) - 1));
	uint64_t *least = &registers->value[h >> 57];

	if (value < *least)
		*least = value;
}

void resemblance_add(struct resemblance_registers *registers, unsigned level, uint64_t offset,
		     const uint8_t *bytes, size_t size_bytes)
{
	size_t positions = size_bytes < SHINGLE_SIZE ? 0 : size_bytes - SHINGLE_OVERLAP;
	size_t most = 8 * RESEMBLANCE_BLOCK >> level, hits = 0;

	(void)offset;
	most = most < 256 ? 256 : most;
	for (size_t i = 0; i < positions; i++) {
		uint16_t rank;
		if (i % RESEMBLANCE_BLOCK == 0)
			hits = 0;
		if (i % GROUP == 0 && hits >= most) {
			i += GROUP - 1;
			continue;
		}
		rank = rank_of(bytes + i);
		if (rank > 0xFFFF >> level)
			continue;
		hits++;
		enter(registers, rank, bytes + i);
	}
}

void simhash_resemblance_sketch_compute(const void *bytes, size_t size_bytes,
					struct simhash_resemblance_sketch *sketch)
{
	struct resemblance_registers registers;

	resemblance_begin(&registers);
	resemblance_add(&registers, resemblance_level(size_bytes), 0, bytes, size_bytes);
	resemblance_finish(&registers, sketch);
}

/* ---- A content in pieces ---- */

/* Bytes wait until the level is known, then until they fill blocks. */
struct simhash_resemblance_scanner {
	struct resemblance_registers registers;
	uint64_t offset; /* of `held` in the content */
	size_t held_size;
	uint8_t held[RESEMBLANCE_LEVEL_KNOWN + RESEMBLANCE_BLOCK];
};

int simhash_resemblance_scanner_new(struct simhash_resemblance_scanner **scanner,
				    struct simhash_error *error)
{
	*scanner = malloc(sizeof **scanner);
	if (*scanner == NULL)
		return error_set_memory(error);
	simhash_resemblance_scanner_begin(*scanner);
	return 0;
}

void simhash_resemblance_scanner_free(struct simhash_resemblance_scanner *scanner)
{
	free(scanner);
}

void simhash_resemblance_scanner_begin(struct simhash_resemblance_scanner *scanner)
{
	resemblance_begin(&scanner->registers);
	scanner->offset = 0;
	scanner->held_size = 0;
}

/* Sketch what fills blocks, and keep the rest. */
static void drain(struct simhash_resemblance_scanner *scanner)
{
	size_t blocks = (scanner->held_size - SHINGLE_OVERLAP) / RESEMBLANCE_BLOCK;
	size_t done = blocks * RESEMBLANCE_BLOCK;

	resemblance_add(&scanner->registers, RESEMBLANCE_LEVEL_MAX, scanner->offset, scanner->held,
			done + SHINGLE_OVERLAP);
	memmove(scanner->held, scanner->held + done, scanner->held_size - done);
	scanner->offset += done;
	scanner->held_size -= done;
}

void simhash_resemblance_scanner_update(struct simhash_resemblance_scanner *scanner,
					const void *bytes, size_t size_bytes)
{
	const uint8_t *next = bytes;

	while (size_bytes > 0) {
		size_t room = sizeof scanner->held - scanner->held_size;
		size_t taken = size_bytes < room ? size_bytes : room;
		memcpy(scanner->held + scanner->held_size, next, taken);
		scanner->held_size += taken;
		next += taken;
		size_bytes -= taken;
		if (scanner->held_size == sizeof scanner->held)
			drain(scanner);
	}
}

void simhash_resemblance_scanner_finish(const struct simhash_resemblance_scanner *scanner,
					struct simhash_resemblance_sketch *sketch)
{
	struct resemblance_registers registers = scanner->registers;

	resemblance_add(&registers, resemblance_level(scanner->offset + scanner->held_size),
			scanner->offset, scanner->held, scanner->held_size);
	resemblance_finish(&registers, sketch);
}

/* ---- Estimates ---- */

#define REGISTERS_MIN 16 /* in use, for an estimate */
#define VALUES 255.0	 /* of a register: so often two agree by chance */

bool simhash_resemblance_estimate(const struct simhash_resemblance_sketch *a, int64_t size_a_bytes,
				  const struct simhash_resemblance_sketch *b, int64_t size_b_bytes,
				  double *resemblance)
{
	unsigned level_a = resemblance_level((uint64_t)size_a_bytes);
	unsigned level_b = resemblance_level((uint64_t)size_b_bytes);
	unsigned only_a = 0, only_b = 0, both = 0, equal = 0, used;
	double chance, share;

	for (int i = 0; i < REGISTERS; i++) {
		uint8_t x = a->registers[i], y = b->registers[i];
		both += x != 0 && y != 0;
		only_a += x != 0 && y == 0;
		only_b += x == 0 && y != 0;
		equal += x == y && x != 0;
	}
	/* The sample of the higher level is the smaller one: what it lacks says nothing. */
	used = both + (level_b > level_a ? 0 : only_a) + (level_a > level_b ? 0 : only_b);
	if (used < REGISTERS_MIN)
		return false;
	chance = both / VALUES;
	share = (equal - chance) / (used - chance);
	*resemblance = share < 0 ? 0 : share > 1 ? 1 : share;
	return true;
}

bool simhash_containment_estimate(const struct simhash_resemblance_sketch *a, int64_t size_a_bytes,
				  const struct simhash_resemblance_sketch *b, int64_t size_b_bytes,
				  double *share)
{
	int64_t smaller = size_a_bytes < size_b_bytes ? size_a_bytes : size_b_bytes;
	double resemblance, part;

	if (!simhash_resemblance_estimate(a, size_a_bytes, b, size_b_bytes, &resemblance))
		return false;
	part = resemblance / (1 + resemblance) * ((double)size_a_bytes + (double)size_b_bytes) /
	       (double)smaller;
	*share = part > 1 ? 1 : part;
	return true;
}
