/*
 * Reads a content once to search it, and again, as far as needed, for the place of a passage.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/passage_content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "core/normal_form.h"

#define BLOCK ((size_t)64 << 10) /* what a scan has room for */
#define CHUNK ((size_t)NORMAL_ROOM_MIN)
#define MARGIN 64 /* the bytes around a region in which short equal stretches count */
/* A place has at least this part of the shingles of a passage, or the content has half of them. */
#define SHARED_MIN 4
#define SEEN_MIN 2

/* ---- The passages ---- */

static int make_normal(struct passage_form *form, struct simhash_error *error)
{
	struct normal_form normal;
	size_t done = 0, written;

	normal_form_begin(&normal, form->bytes, form->size);
	if (!normal.is_text)
		return 0;
	/* UTF-16 becomes at most one and a half times as long. */
	form->normal = malloc(form->size + form->size / 2 + CHUNK + SQUEEZE_SLACK);
	if (form->normal == NULL)
		return error_set_memory(error);
	for (size_t at = normal.mark_size; at < form->size; at += done) {
		done = normal_form_add(&normal, form->bytes + at, form->size - at,
				       form->normal + form->normal_size,
				       form->size - at < CHUNK ? CHUNK : form->size - at, &written);
		form->normal_size += written;
	}
	/* The blank at the end may be in the middle of a line of the content. */
	if (form->normal_size > 0 && form->normal[form->normal_size - 1] == ' ')
		form->normal_size--;
	return 0;
}

int passage_set_add(struct passage_set *set, uint8_t *bytes, size_t size,
		    struct simhash_error *error)
{
	struct passage_form *form;

	if (array_reserve(&set->forms, &set->capacity, set->count + 1, sizeof *set->forms, error) !=
	    0) {
		free(bytes);
		return -1;
	}
	form = &set->forms[set->count++];
	*form = (struct passage_form){.bytes = bytes, .size = size};
	if (make_normal(form, error) != 0 ||
	    passages_add(&set->texts, form->normal, form->normal_size, error) != 0)
		return -1;
	set->has_other = set->has_other || form->normal == NULL;
	return passages_add(&set->contents, bytes, size, error);
}

int passage_set_end(struct passage_set *set, struct simhash_error *error)
{
	return passages_end(&set->texts, error) == 0 ? passages_end(&set->contents, error) : -1;
}

void passage_set_release(struct passage_set *set)
{
	passages_release(&set->texts);
	passages_release(&set->contents);
	while (set->count > 0) {
		free(set->forms[--set->count].bytes);
		free(set->forms[set->count].normal);
	}
	free(set->forms);
	*set = (struct passage_set){.count = 0};
}

size_t passage_form_size(const struct passage_form *form)
{
	return form->normal == NULL ? form->size : form->normal_size;
}

/* ---- Reading ---- */

/* Read bytes of a content that it must have. False if it fails. */
static bool read_bytes(struct cover_source *source, uint64_t at, uint8_t *bytes, size_t size)
{
	size_t got = 0;

	if (source->bytes != NULL) {
		memcpy(bytes, source->bytes + at, size);
		return true;
	}
	while (got < size) {
		ssize_t part = pread(source->fd, bytes + got, size - got, (off_t)(at + got));
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0) {
			source->failed = part < 0 ? errno : -1;
			return false;
		}
		got += (size_t)part;
	}
	return true;
}

static size_t least(uint64_t x, size_t y)
{
	return x < y ? (size_t)x : y;
}

/* The bytes at `at`, at most `most` and at least one. NULL if they cannot be read. */
static const uint8_t *look(struct passage_search *search, uint64_t at, size_t most, size_t *size)
{
	struct cover_source *source = search->source;
	size_t into;

	*size = least(source->size - at, most);
	if (source->bytes != NULL)
		return source->bytes + at;
	if (at < search->buffer_at || at >= search->buffer_at + search->buffered) {
		search->buffer_at = at;
		search->buffered = least(source->size - at, BLOCK);
		if (!read_bytes(source, at, search->buffer, search->buffered)) {
			search->buffered = 0;
			return NULL;
		}
	}
	into = (size_t)(at - search->buffer_at);
	*size = least(search->buffered - into, *size);
	return search->buffer + into;
}

/* ---- Searching ---- */

int passage_search_init(struct passage_search *search, const struct passage_set *set,
			struct simhash_error *error)
{
	*search = (struct passage_search){.set = set};
	if (passage_scan_init(&search->texts, &set->texts, error) != 0 ||
	    passage_scan_init(&search->contents, &set->contents, error) != 0)
		return -1;
	search->buffer = malloc(BLOCK);
	return search->buffer == NULL ? error_set_memory(error) : 0;
}

void passage_search_release(struct passage_search *search)
{
	passage_scan_release(&search->texts);
	passage_scan_release(&search->contents);
	free(search->buffer);
	free(search->marks);
}

static int scan_normal(struct passage_search *search, struct normal_form form,
		       struct simhash_error *error)
{
	struct passage_scan *scan = &search->texts;
	uint64_t at = form.mark_size;

	while (at < search->source->size) {
		size_t size, done, written, room;
		const uint8_t *bytes = look(search, at, BLOCK, &size);
		if (bytes == NULL)
			return 0;
		for (size_t i = 0; i < size; i += done) {
			uint8_t *out = passage_scan_room(scan, &room);
			done = normal_form_add(&form, bytes + i, size - i, out, room, &written);
			if (passage_scan_add(scan, written, error) != 0)
				return -1;
		}
		at += size;
	}
	return passage_scan_end(scan, error);
}

static int scan_bytes(struct passage_search *search, struct simhash_error *error)
{
	struct passage_scan *scan = &search->contents;
	struct cover_source *source = search->source;
	uint64_t at = 0;

	while (at < source->size) {
		size_t room;
		uint8_t *out = passage_scan_room(scan, &room);
		room = least(source->size - at, room);
		if (at == 0 && search->buffer_at == 0 && search->buffered > 0)
			memcpy(out, search->buffer, room = search->buffered);
		else if (!read_bytes(source, at, out, room))
			return 0;
		if (passage_scan_add(scan, room, error) != 0)
			return -1;
		at += room;
	}
	return passage_scan_end(scan, error);
}

int passage_search_run(struct passage_search *search, struct cover_source *source,
		       struct simhash_error *error)
{
	struct normal_form form;
	const uint8_t *bytes;
	size_t size;

	search->source = source;
	search->buffered = 0;
	search->is_text = search->has_texts = false;
	search->mark_count = 0;
	passage_scan_begin(&search->texts);
	passage_scan_begin(&search->contents);
	if (source->size == 0 || (bytes = look(search, 0, BLOCK, &size)) == NULL)
		return 0;
	normal_form_begin(&form, bytes, size);
	search->is_text = form.is_text;
	search->has_texts = form.is_text && search->texts.passages->shingle_count > 0;
	if ((!search->has_texts || search->set->has_other) && scan_bytes(search, error) != 0)
		return -1;
	return search->has_texts ? scan_normal(search, form, error) : 0;
}

/* ---- The place of a passage ---- */

/* A walk through the normal form of a content, or through its bytes, in chunks. */
struct passage_walk {
	struct normal_form form;
	bool is_normal;
	uint64_t at, written; /* the bytes that are done, and the size of their form */
	uint64_t lines;	      /* the ends of lines among the bytes that are done */
};

/* Write the form of at most CHUNK bytes. Returns the number of bytes that are done. */
static size_t convert(struct normal_form *form, bool is_normal, const uint8_t *bytes, size_t size,
		      uint8_t out[CHUNK + SQUEEZE_SLACK], size_t *written)
{
	if (is_normal)
		return normal_form_add(form, bytes, size, out, CHUNK, written);
	memcpy(out, bytes, size);
	*written = size;
	return size;
}

/* Count the ends of lines. A unit of UTF-16 begins at an even place, and so do the bytes. */
static uint64_t count_lines(const struct passage_walk *walk, const uint8_t *bytes, size_t size)
{
	uint64_t count = 0;
	size_t low = walk->form.encoding == TEXT_UTF16_BE;

	if (walk->form.encoding == TEXT_BYTES) {
		for (size_t i = 0; i < size; i++)
			count += bytes[i] == '\n';
		return count;
	}
	for (size_t i = 0; i + 2 <= size; i += 2)
		count += bytes[i + low] == '\n' && bytes[i + 1 - low] == 0;
	return count;
}

/* The bytes of the next chunk, or NULL at the end or if it cannot be read. */
static const uint8_t *next_chunk(struct passage_search *search, const struct passage_walk *walk,
				 size_t *size)
{
	return walk->at < search->source->size ? look(search, walk->at, CHUNK, size) : NULL;
}

/* Make the marks of a text. Returns 1, 0 if it cannot be read, or -1. */
static int make_marks(struct passage_search *search, struct simhash_error *error)
{
	uint8_t out[CHUNK + SQUEEZE_SLACK];
	struct passage_walk walk = {.is_normal = true};
	uint64_t next = 0;
	const uint8_t *bytes;
	size_t size, written;

	if (search->mark_count > 0)
		return 1;
	bytes = look(search, 0, TEXT_HEAD, &size);
	if (bytes == NULL)
		return 0;
	normal_form_begin(&walk.form, bytes, size);
	walk.at = walk.form.mark_size;
	while ((bytes = next_chunk(search, &walk, &size)) != NULL) {
		if (walk.at >= next) {
			if (array_reserve(&search->marks, &search->mark_capacity,
					  search->mark_count + 1, sizeof walk, error) != 0)
				return -1;
			search->marks[search->mark_count++] = walk;
			next = walk.at + BLOCK;
		}
		size = convert(&walk.form, true, bytes, size, out, &written);
		walk.lines += count_lines(&walk, bytes, size);
		walk.at += size;
		walk.written += written;
	}
	return search->mark_count > 0 && walk.at >= search->source->size;
}

/* Begin a walk at the last mark that is not after this byte of the form. */
static struct passage_walk walk_from(const struct passage_search *search, bool is_normal,
				     uint64_t form_at)
{
	struct passage_walk walk = {.at = form_at, .written = form_at};
	size_t low = 0, high = search->mark_count;

	if (!search->is_text)
		return walk;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		const struct passage_walk *mark = &search->marks[middle];
		if ((is_normal ? mark->written : mark->at) <= form_at)
			low = middle;
		else
			high = middle;
	}
	walk = search->marks[low];
	if (is_normal)
		return walk;
	walk.is_normal = false;
	/* The byte-order mark belongs to the bytes. */
	walk.at = walk.written = low == 0 ? 0 : walk.at;
	return walk;
}

/* Copy the form from `begin` to `end` as far as it exists. Returns the number of bytes. */
static size_t copy_form(struct passage_search *search, bool is_normal, uint64_t begin, uint64_t end,
			uint8_t *copy)
{
	uint8_t out[CHUNK + SQUEEZE_SLACK];
	struct passage_walk walk = walk_from(search, is_normal, begin);
	const uint8_t *bytes;
	size_t size, written, count = 0;

	while (walk.written < end && (bytes = next_chunk(search, &walk, &size)) != NULL) {
		size_t from = 0, done = convert(&walk.form, is_normal, bytes, size, out, &written);
		if (walk.written < begin)
			from = least(begin - walk.written, written);
		size = least(end - walk.written, written);
		memcpy(copy + count, out + from, size - from);
		count += size - from;
		walk.at += done;
		walk.written += written;
	}
	return count;
}

/* The byte of a chunk, which starts the walk, that writes this byte of the form. */
static size_t find_byte(const struct passage_walk *walk, const uint8_t *bytes, size_t size,
			uint64_t form_at)
{
	uint8_t out[CHUNK + SQUEEZE_SLACK];
	struct normal_form form = walk->form;
	uint64_t at = walk->written;
	size_t i = 0, written, rest = 0;

	for (; i < size; i++) {
		rest = form.rest_size;
		convert(&form, walk->is_normal, bytes + i, 1, out, &written);
		at += written;
		if (at > form_at)
			break;
	}
	/* A character of UTF-16 is written when its last byte comes. */
	return i < rest ? 0 : i - rest;
}

/*
 * Find the byte that writes this byte of the form, and the number of its line. The walk stays at
 * the beginning of its chunk. False if the content cannot be read.
 */
static bool walk_to(struct passage_search *search, struct passage_walk *walk, uint64_t form_at,
		    int64_t *at, int64_t *line)
{
	uint8_t out[CHUNK + SQUEEZE_SLACK];
	const uint8_t *bytes;
	size_t size, written;

	while ((bytes = next_chunk(search, walk, &size)) != NULL) {
		struct normal_form form = walk->form;
		size_t done = convert(&form, walk->is_normal, bytes, size, out, &written);
		if (walk->written + written > form_at) {
			size = find_byte(walk, bytes, size, form_at);
			*at = (int64_t)(walk->at + size);
			*line = (int64_t)(walk->lines + count_lines(walk, bytes, size)) + 1;
			return true;
		}
		walk->lines += count_lines(walk, bytes, done);
		walk->form = form;
		walk->at += done;
		walk->written += written;
	}
	return false;
}

/* Find the bytes and lines of a region of the form. False if the content cannot be read. */
static bool find_place(struct passage_search *search, bool is_normal,
		       const struct passage_region *region, struct part_place *place)
{
	struct passage_walk walk = walk_from(search, is_normal, region->begin);

	*place = (struct part_place){.begin = (int64_t)region->begin, .end = (int64_t)region->end};
	if (!search->is_text)
		return true;
	if (!walk_to(search, &walk, region->begin, &place->begin, &place->first_line))
		return false;
	walk = walk_from(search, is_normal, region->end - 1);
	if (!walk_to(search, &walk, region->end - 1, &place->end, &place->last_line))
		return false;
	place->end += walk.form.encoding == TEXT_BYTES || !is_normal ? 1 : 2;
	return true;
}

/* The equal bytes before x and y, and from x and y on. */
static size_t equal_before(const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size)
{
	size_t n = 0;

	while (n < x_size && n < y_size && x[-1 - (ptrdiff_t)n] == y[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

static size_t equal_after(const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size)
{
	size_t n = 0;

	while (n < x_size && n < y_size && x[n] == y[n])
		n++;
	return n;
}

/*
 * A shingle that the passage repeats is in its region only once, and a long passage is sampled. So
 * extend the region by the equal bytes around it. `around` are the bytes of the form from `from` on.
 */
static void extend(const struct passage *passage, const uint8_t *around, size_t size, uint64_t from,
		   struct passage_region *region)
{
	const uint8_t *begin = around + (region->begin - from),
		      *end = around + (region->end - from);
	const uint8_t *bytes = passage->bytes, *last = end - PASSAGE_SHINGLE, *seen;
	size_t before = 0, after = 0, i;

	/* The last place of the first shingle, and the first place of the last one. */
	for (i = passage->size - PASSAGE_SHINGLE + 1; i-- > 0;)
		if (memcmp(bytes + i, begin, PASSAGE_SHINGLE) == 0) {
			before = equal_before(begin, (size_t)(begin - around), bytes + i, i);
			break;
		}
	seen = memmem(bytes, passage->size, last, PASSAGE_SHINGLE);
	if (seen != NULL) {
		i = (size_t)(seen - bytes) + PASSAGE_SHINGLE;
		after = equal_after(end, size - (size_t)(end - around), bytes + i,
				    passage->size - i);
	}
	/* Content that repeats the passage could be extended without an end. */
	if (region->end + after - (region->begin - before) > 2 * passage->size)
		return;
	region->begin -= before;
	region->end += after;
}

/* The share of a passage in these bytes. */
static int measure(const struct passage *passage, const uint8_t *bytes, size_t size, double *share,
		   struct simhash_error *error)
{
	struct cover_source a = {.bytes = bytes, .fd = -1, .size = size};
	struct cover_source b = {.bytes = passage->bytes, .fd = -1, .size = passage->size};
	struct cover_index index;

	if (cover_index_init(&index, &a, error) != 0)
		return -1;
	*share = (double)cover_measure(&index, &a, &b, 0) / (double)passage->size;
	cover_index_release(&index);
	return 0;
}

/* Returns 1, or 0 if the content cannot be read. */
static int settle(struct passage_search *search, const struct passage *passage, bool is_normal,
		  struct passage_region region, struct part_place *place, double *share,
		  struct simhash_error *error)
{
	uint64_t around = passage->size + MARGIN;
	uint64_t from = region.begin < around ? 0 : region.begin - around;
	uint8_t *copy = malloc((size_t)(region.end + around - from));
	size_t size, begin, end;
	int status = 0;

	if (copy == NULL)
		return error_set_memory(error);
	size = copy_form(search, is_normal, from, region.end + around, copy);
	if (from + size >= region.end) {
		extend(passage, copy, size, from, &region);
		begin = (size_t)(region.begin - from);
		begin -= begin < MARGIN ? begin : MARGIN;
		end = (size_t)(region.end - from);
		end += size - end < MARGIN ? size - end : MARGIN;
		if (share != NULL)
			status = measure(passage, copy + begin, end - begin, share, error);
		if (status == 0)
			status = find_place(search, is_normal, &region, place) ? 1 : 0;
	}
	free(copy);
	return status;
}

int passage_search_place(struct passage_search *search, size_t number, struct part_place *place,
			 double *share, struct simhash_error *error)
{
	bool is_normal = search->has_texts && search->set->forms[number].normal != NULL;
	struct passage_scan *scan = is_normal ? &search->texts : &search->contents;
	const struct passage *passage = &scan->passages->items[number];
	const struct passage_region *region = passage_scan_region(scan, number);

	double seen;
	int status;

	if (region == NULL || ((uint64_t)region->shared * SHARED_MIN < passage->shingles &&
			       (uint64_t)region->seen * SEEN_MIN < passage->shingles))
		return 0;
	status = search->is_text ? make_marks(search, error) : 1;
	if (status == 1)
		status = settle(search, passage, is_normal, *region, place, share, error);
	seen = (double)region->seen / passage->shingles;
	if (status == 1 && share != NULL && *share < seen)
		*share = seen;
	return status;
}
