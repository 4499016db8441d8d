/*
 * Reads the pieces of a file unit by unit, so that the place of each piece is known. If there are
 * too many units, two units become one, and half of the pieces remain.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/file_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "core/normal_form.h"
#include "core/resemblance.h"

#define CHUNK ((size_t)64 * 1024)
/* The memory of a unit: its begin, two pieces with room to sort, and their numbers before it. */
#define UNIT_MEMORY 160
#define UNIT_PIECES_MAX 4 /* on average; contents that are made for it have more */
#define PIECE_SAMPLED 6	  /* the level of pieces without places */
#define PLACES_MAX 16	  /* a piece in more places does not show where something is */
#define BUCKET_BITS_MAX 24

/* Makes a form from bytes that arrive one after another. */
struct form_maker {
	struct file_form *form;
	struct piece_collector collector;
	struct resemblance_registers registers;
	uint64_t slices; /* of UNIT_BYTES, so far */
	size_t units_max;
	int64_t begin; /* of the next slice in the file, about */
	size_t fill;
	uint8_t bytes[UNIT_BYTES + SHINGLE_OVERLAP + UNIT_BYTES];
};

struct reader {
	struct file_pieces *pieces;
	struct form_maker makers[FORMS];
	struct normal_form normal;
	uint8_t chunk[CHUNK];
	uint8_t text[NORMAL_ROOM_MIN + SQUEEZE_SLACK];
};

/* ---- Units ---- */

static unsigned slices_shift(const struct file_form *form)
{
	return form->level - RESEMBLANCE_LEVEL_MAX;
}

/* Two units become one. */
static void raise_level(struct file_form *form)
{
	size_t kept = 0;

	form->level++;
	for (size_t i = 0; i < form->count; i++) {
		struct sort_item piece = form->pieces[i];
		piece.number /= 2;
		if (piece.key < piece_bound(form->level))
			form->pieces[kept++] = piece;
	}
	form->count = kept;
	form->units = (form->units + 1) / 2;
	for (size_t i = 0; i < form->units; i++)
		form->begins[i] = form->begins[2 * i];
}

static int begin_unit(struct form_maker *maker, struct simhash_error *error)
{
	struct file_form *form = maker->form;

	if (array_reserve(&form->begins, &form->unit_capacity, form->units + 2,
			  sizeof *form->begins, error) != 0)
		return -1;
	form->begins[form->units++] = maker->begin;
	return 0;
}

/* Add a piece to the last unit. A run of one byte has the same piece again and again. */
static void add_piece(struct file_form *form, size_t first, uint64_t value)
{
	for (size_t i = first; i < form->count; i++)
		if (form->pieces[i].key == value)
			return;
	form->pieces[form->count++] = (struct sort_item){value, form->units - 1};
}

/* Are there too many units, or far more pieces than random bytes have? */
static bool is_full(const struct form_maker *maker)
{
	return maker->form->units >= maker->units_max ||
	       maker->form->count >= UNIT_PIECES_MAX * maker->units_max;
}

/* Take the pieces of the shingles that begin in the next slice. */
static int take_slice(struct form_maker *maker, size_t size, struct simhash_error *error)
{
	struct file_form *form = maker->form;
	struct piece_collector *collector = &maker->collector;

	if (is_full(maker) && form->level < PIECE_LEVEL_MAX)
		raise_level(form);
	if (maker->slices % (UINT64_C(1) << slices_shift(form)) == 0 &&
	    begin_unit(maker, error) != 0)
		return -1;
	piece_collector_begin(collector, RESEMBLANCE_LEVEL_MAX);
	maker->registers.pieces = collector;
	resemblance_add(&maker->registers, RESEMBLANCE_LEVEL_MAX, 0, maker->bytes, size);
	if (collector->has_failed ||
	    array_reserve(&form->pieces, &form->capacity, form->count + collector->count,
			  sizeof *form->pieces, error) != 0)
		return error_set_memory(error);
	for (size_t i = 0, first = form->count; i < collector->count; i++)
		if (collector->values[i] < piece_bound(form->level))
			add_piece(form, first, collector->values[i]);
	maker->slices++;
	return 0;
}

/* Add at most UNIT_BYTES of the form, which begin at this place of the file. */
static int add_bytes(struct form_maker *maker, const uint8_t *bytes, size_t size, int64_t place,
		     struct simhash_error *error)
{
	size_t before = maker->fill;

	if (maker->slices == 0 && before == 0)
		maker->begin = place;
	memcpy(maker->bytes + maker->fill, bytes, size);
	maker->fill += size;
	if (maker->fill < UNIT_BYTES + SHINGLE_OVERLAP)
		return 0;
	if (take_slice(maker, UNIT_BYTES + SHINGLE_OVERLAP, error) != 0)
		return -1;
	maker->begin = place + (int64_t)UNIT_BYTES - (int64_t)before;
	maker->fill -= UNIT_BYTES;
	memmove(maker->bytes, maker->bytes + UNIT_BYTES, maker->fill);
	return 0;
}

static int end_form(struct form_maker *maker, int64_t size_bytes, struct simhash_error *error)
{
	struct file_form *form = maker->form;

	if (maker->fill > 0 && take_slice(maker, maker->fill, error) != 0)
		return -1;
	if (form->units == 0 && begin_unit(maker, error) != 0)
		return -1;
	form->begins[form->units] = size_bytes;
	return 0;
}

/* ---- Reading ---- */

static int add_text(struct reader *reader, const uint8_t *bytes, size_t size, int64_t place,
		    struct simhash_error *error)
{
	for (size_t i = 0, done; i < size; i += done) {
		size_t written;
		done = normal_form_add(&reader->normal, bytes + i, size - i, reader->text,
				       NORMAL_ROOM_MIN, &written);
		if (done == 0 || written > UNIT_BYTES)
			break;
		if (add_bytes(&reader->makers[FORM_TEXT], reader->text, written, place + (int64_t)i,
			      error) != 0)
			return -1;
	}
	return 0;
}

/* Does a slice of the bytes consist of one repeated byte? */
static int note_blank(struct file_pieces *pieces, const uint8_t *bytes, size_t size,
		      struct simhash_error *error)
{
	size_t slice = (size_t)pieces->size_bytes / UNIT_BYTES;
	bool is_blank = memcmp(bytes, bytes + 1, size - 1) == 0;

	if (array_reserve(&pieces->blank, &pieces->blank_capacity, slice / 64 + 1,
			  sizeof *pieces->blank, error) != 0)
		return -1;
	if (slice % 64 == 0)
		pieces->blank[slice / 64] = 0;
	pieces->blank[slice / 64] |= (uint64_t)is_blank << slice % 64;
	return 0;
}

static int add_chunk(struct reader *reader, size_t size, struct simhash_error *error)
{
	struct file_pieces *pieces = reader->pieces;

	for (size_t i = 0, here; i < size; i += here) {
		const uint8_t *bytes = reader->chunk + i;
		here = size - i < UNIT_BYTES ? size - i : UNIT_BYTES;
		if (note_blank(pieces, bytes, here, error) != 0 ||
		    add_bytes(&reader->makers[FORM_BYTES], bytes, here, pieces->size_bytes,
			      error) != 0 ||
		    add_text(reader, bytes, here, pieces->size_bytes, error) != 0)
			return -1;
		pieces->size_bytes += (int64_t)here;
	}
	return 0;
}

/* Fill the chunk. Returns its size, which is less at the end of the file; -1 with errno. */
static ssize_t fill_chunk(int fd, uint8_t *chunk)
{
	size_t size = 0;

	while (size < CHUNK) {
		ssize_t got = read(fd, chunk + size, CHUNK - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		size += (size_t)got;
	}
	return (ssize_t)size;
}

static int read_all(struct reader *reader, int fd, int *why, struct simhash_error *error)
{
	ssize_t size;

	do {
		size = fill_chunk(fd, reader->chunk);
		if (size < 0) {
			*why = errno;
			return 0;
		}
		if (add_chunk(reader, (size_t)size, error) != 0)
			return -1;
	} while (size == (ssize_t)CHUNK);
	for (int i = 0; i < FORMS; i++)
		if (end_form(&reader->makers[i], reader->pieces->size_bytes, error) != 0)
			return -1;
	return 1;
}

/* ---- All pieces without places ---- */

struct collecting {
	struct resemblance_registers registers;
	struct normal_form normal;
	size_t fill; /* bytes of the form; the first ones are the end of the bytes before */
	uint8_t chunk[CHUNK], form[SHINGLE_OVERLAP + CHUNK + SQUEEZE_SLACK];
};

/* Add the next bytes of the form, and keep the last ones. */
static void collect(struct collecting *collecting, size_t size)
{
	collecting->fill += size;
	if (collecting->fill < SHINGLE_SIZE)
		return;
	resemblance_add(&collecting->registers, PIECE_SAMPLED, 0, collecting->form,
			collecting->fill);
	memmove(collecting->form, collecting->form + collecting->fill - SHINGLE_OVERLAP,
		SHINGLE_OVERLAP);
	collecting->fill = SHINGLE_OVERLAP;
}

static void collect_chunk(struct collecting *collecting, size_t size, bool as_text)
{
	size_t written = size;

	if (as_text)
		normal_form_add(&collecting->normal, collecting->chunk, size,
				collecting->form + collecting->fill, CHUNK, &written);
	else
		memcpy(collecting->form + collecting->fill, collecting->chunk, size);
	collect(collecting, written);
}

/* False if the file cannot be read to its end. */
static bool collect_all(struct collecting *collecting, int fd, bool as_text)
{
	ssize_t size;

	do {
		size = fill_chunk(fd, collecting->chunk);
		if (size > 0)
			collect_chunk(collecting, (size_t)size, as_text);
	} while (size == (ssize_t)CHUNK);
	return size >= 0;
}

static int store_pieces(struct piece_collector *collector, struct arena *arena,
			struct bytes *stored, struct simhash_error *error)
{
	struct content_pieces pieces;
	uint8_t *bytes;

	if (!piece_collector_finish(collector, &pieces))
		return error_set_memory(error);
	if (pieces.count == 0)
		return 0;
	bytes = arena_take(arena, PIECES_STORED_MAX(pieces.count));
	if (bytes == NULL)
		return error_set_memory(error);
	*stored = (struct bytes){(const char *)bytes, content_pieces_store(&pieces, bytes)};
	return 0;
}

int file_other_pieces(const char *path, bool is_text, const struct piece_levels *levels,
		      struct arena *arena, struct bytes *stored, struct simhash_error *error)
{
	struct collecting *collecting = calloc(1, sizeof *collecting);
	struct piece_collector collector = {.limit = 0};
	int fd, status = 0;

	if (collecting == NULL)
		return error_set_memory(error);
	piece_collector_begin(&collector, is_text ? levels->other : levels->text);
	collector.takes_small = levels->small;
	resemblance_begin(&collecting->registers);
	collecting->registers.pieces = &collector;
	collecting->normal = (struct normal_form){.is_text = true, .is_after_white = true};
	fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && collect_all(collecting, fd, !is_text))
		status = store_pieces(&collector, arena, stored, error);
	if (fd >= 0)
		close_content(fd);
	piece_collector_release(&collector);
	free(collecting);
	return status;
}

/* ---- The table of pieces ---- */

/* Sort the pieces by value, and leave out values that are in many places. */
static int sort_pieces(struct file_form *form, struct simhash_error *error)
{
	struct sort_item *scratch = malloc((form->count + 1) * sizeof *scratch);
	size_t kept = 0, end;

	if (scratch == NULL)
		return error_set_memory(error);
	sort_items(form->pieces, scratch, form->count, PIECE_BITS - form->level);
	free(scratch);
	for (size_t i = 0; i < form->count; i = end) {
		for (end = i + 1;
		     end < form->count && form->pieces[end].key == form->pieces[i].key;)
			end++;
		if (end - i > PLACES_MAX)
			continue;
		for (size_t k = i; k < end; k++)
			if (k == i || form->pieces[k].number != form->pieces[k - 1].number)
				form->pieces[kept++] = form->pieces[k];
	}
	form->count = kept;
	return 0;
}

static unsigned bucket_shift(const struct file_form *form)
{
	return PIECE_BITS - form->level - form->bucket_bits;
}

/* As many buckets as there are pieces, because values are evenly distributed. */
static int make_buckets(struct file_form *form, struct simhash_error *error)
{
	unsigned most = PIECE_BITS - form->level;
	size_t at = 0;

	while (form->bucket_bits < most && form->bucket_bits < BUCKET_BITS_MAX &&
	       (size_t)1 << form->bucket_bits < form->count)
		form->bucket_bits++;
	form->buckets = malloc((((size_t)1 << form->bucket_bits) + 1) * sizeof *form->buckets);
	if (form->buckets == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i <= (size_t)1 << form->bucket_bits; i++) {
		while (at < form->count && form->pieces[at].key >> bucket_shift(form) < i)
			at++;
		form->buckets[i] = (uint32_t)at;
	}
	return 0;
}

const struct sort_item *file_form_find(const struct file_form *form, uint64_t value, size_t *count)
{
	size_t bucket = (size_t)(value >> bucket_shift(form));
	size_t low = form->buckets[bucket], high = form->buckets[bucket + 1], end;

	*count = 0;
	if (low == high)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (form->pieces[middle].key < value)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < form->count && form->pieces[end].key == value;)
		end++;
	*count = end - low;
	return form->pieces + low;
}

const uint32_t *file_form_before(struct file_form *form, unsigned level)
{
	uint32_t *before = form->before[level];

	if (before != NULL)
		return before;
	before = calloc(form->units + 1, sizeof *before);
	if (before == NULL)
		return NULL;
	for (size_t i = 0; i < form->count; i++)
		before[form->pieces[i].number + 1] += form->pieces[i].key < piece_bound(level);
	for (size_t i = 0; i < form->units; i++)
		before[i + 1] += before[i];
	form->before[level] = before;
	return before;
}

static void begin_reading(struct reader *reader, struct file_pieces *pieces, size_t memory_bytes)
{
	size_t units_max = memory_bytes / UNIT_MEMORY / FORMS;

	if (units_max > UINT32_MAX / 4)
		units_max = UINT32_MAX / 4;
	reader->pieces = pieces;
	reader->normal = (struct normal_form){.is_text = true, .is_after_white = true};
	for (int i = 0; i < FORMS; i++) {
		struct form_maker *maker = &reader->makers[i];
		maker->form = &pieces->forms[i];
		maker->form->level = RESEMBLANCE_LEVEL_MAX;
		maker->units_max = units_max;
		resemblance_begin(&maker->registers);
	}
}

int file_pieces_read(struct file_pieces *pieces, int fd, size_t memory_bytes, int *why,
		     struct simhash_error *error)
{
	struct reader *reader = calloc(1, sizeof *reader);
	int status;

	if (reader == NULL)
		return error_set_memory(error);
	begin_reading(reader, pieces, memory_bytes);
	status = read_all(reader, fd, why, error);
	for (int i = 0; i < FORMS; i++) {
		piece_collector_release(&reader->makers[i].collector);
		if (status == 1 && (sort_pieces(&pieces->forms[i], error) != 0 ||
				    make_buckets(&pieces->forms[i], error) != 0))
			status = -1;
	}
	free(reader);
	return status;
}

void file_pieces_release(struct file_pieces *pieces)
{
	for (int i = 0; i < FORMS; i++) {
		struct file_form *form = &pieces->forms[i];
		free(form->pieces);
		free(form->begins);
		free(form->buckets);
		for (unsigned level = 0; level <= PIECE_LEVEL_MAX; level++)
			free(form->before[level]);
	}
	free(pieces->blank);
	*pieces = (struct file_pieces){.size_bytes = 0};
}
