/*
 * Fuzzes the confirmation of pairs: compares the cover of one file by another with all diagonals of
 * the two, in memory and with small windows, and checks the results of confirm_pairs.
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/open_file.h"
#include "find/reading/confirm.h"
#include "find/reading/cover.h"
#include "fuzz.h"

/*
 * Compile the cover again with windows and pages that are so small that files of some kilobytes
 * move them. A page needs at least two halves of 4096 bytes.
 */
#undef COVER_WINDOW_BYTES
#undef COVER_PAGES
#define COVER_WINDOW_BYTES ((size_t)5000)
#define COVER_PAGES 3
#define cover_index_bytes small_cover_index_bytes
#define cover_index_init small_cover_index_init
#define cover_index_release small_cover_index_release
#define cover_measure small_cover_measure
#define cover_equal small_cover_equal
size_t cover_index_bytes(size_t size);
int cover_index_init(struct cover_index *index, struct cover_source *source,
		     struct simhash_error *error);
void cover_index_release(struct cover_index *index);
size_t cover_measure(const struct cover_index *index, struct cover_source *a,
		     struct cover_source *b, double needed);
bool cover_equal(struct cover_source *a, struct cover_source *b);
#include "find/reading/cover.c"
#undef cover_index_bytes
#undef cover_index_init
#undef cover_index_release
#undef cover_measure
#undef cover_equal

#define BYTES_MAX 80000
#define NAIVE_MAX 800 /* the time is the product of the sizes */
#define EDITS_MAX 8
#define PROBED_FROM 65536 /* from this size, a few places may decide for all */

struct bytes_of {
	uint8_t *bytes;
	size_t size;
	int fd;
};

static void make_file(struct bytes_of *file)
{
	file->fd = memfd_create("input", MFD_CLOEXEC);
	EXPECT(file->fd >= 0);
	EXPECT(write(file->fd, file->bytes, file->size) == (ssize_t)file->size);
}

/* Replace bytes of b at `to` by `size` bytes of a at `from`. */
static void paste(struct bytes_of *b, const struct bytes_of *a, size_t from, size_t to, size_t size)
{
	from %= a->size + 1;
	to %= b->size + 1;
	if (size > a->size - from)
		size = a->size - from;
	if (size > BYTES_MAX - to)
		size = BYTES_MAX - to;
	memcpy(b->bytes + to, a->bytes + from, size);
	if (to + size > b->size)
		b->size = to + size;
}

/* Make two files; the second one contains pieces of the first. */
static void take_files(struct input *in, struct bytes_of *a, struct bytes_of *b)
{
	size_t edits = take_byte(in) % (EDITS_MAX + 1);
	uint64_t places[EDITS_MAX][3];
	struct input own = {NULL, 0};
	uint8_t *grown;

	for (size_t i = 0; i < edits; i++)
		for (int j = 0; j < 3; j++)
			places[i][j] = take_number(in, 2);
	own.at = take_bytes(in, (size_t)take_number(in, 2), &own.left);
	a->bytes = take_expanded(&own, BYTES_MAX, &a->size);
	b->bytes = take_expanded(in, BYTES_MAX, &b->size);
	grown = realloc(b->bytes, BYTES_MAX + 1);
	EXPECT(grown != NULL);
	b->bytes = grown;
	for (size_t i = 0; i < edits; i++)
		paste(b, a, places[i][0], places[i][1], places[i][2]);
	/* Allocate exactly the size again, so that reading beyond it is noticed. */
	a->bytes = realloc(a->bytes, a->size > 0 ? a->size : 1);
	b->bytes = realloc(b->bytes, b->size > 0 ? b->size : 1);
	EXPECT(a->bytes != NULL && b->bytes != NULL);
}

/* ---- The oracle ---- */

/*
 * The bytes of b that may be counted: equal bytes on a diagonal with a window of `width` equal
 * bytes, or on the diagonal of the common beginning. *must is the number of bytes in equal
 * stretches of at least `long_width`.
 */
static size_t naive_cover(const struct bytes_of *a, const struct bytes_of *b, size_t width,
			  size_t long_width, size_t *must)
{
	uint8_t *can = calloc(1, b->size + 1), *has_to = calloc(1, b->size + 1);
	size_t count = 0;

	EXPECT(can != NULL && has_to != NULL);
	for (size_t shift = 1; shift < a->size + b->size; shift++) {
		/* b[i] is compared with a[i + shift - b->size] */
		size_t begin = shift < b->size ? b->size - shift : 0, run = 0;
		size_t end = a->size + b->size - shift;
		bool has_window = shift == b->size;
		end = end < b->size ? end : b->size;
		for (size_t i = begin; i <= end; i++) {
			if (i < end && a->bytes[i + shift - b->size] == b->bytes[i]) {
				has_window = ++run >= width || has_window;
				continue;
			}
			run = 0;
		}
		run = 0;
		for (size_t i = begin; i <= end; i++) {
			if (i < end && a->bytes[i + shift - b->size] == b->bytes[i]) {
				can[i] |= has_window;
				run++;
				continue;
			}
			if (run >= long_width)
				memset(has_to + i - run, 1, run);
			run = 0;
		}
	}
	*must = 0;
	for (size_t i = 0; i < b->size; i++) {
		count += can[i];
		*must += has_to[i];
	}
	free(has_to);
	free(can);
	return count;
}

static size_t measure_in_memory(const struct bytes_of *a, const struct bytes_of *b, double needed)
{
	struct cover_source x = {.bytes = a->bytes, .fd = -1, .size = a->size};
	struct cover_source y = {.bytes = b->bytes, .fd = -1, .size = b->size};
	struct simhash_error error;
	struct cover_index index;
	size_t covered;

	EXPECT(cover_index_init(&index, &x, &error) == 0);
	covered = cover_measure(&index, &x, &y, needed);
	cover_index_release(&index);
	EXPECT(covered <= b->size);
	return covered;
}

static size_t measure_by_windows(const struct bytes_of *a, const struct bytes_of *b, double needed)
{
	struct cover_source x = {.fd = a->fd, .size = a->size};
	struct cover_source y = {.fd = b->fd, .size = b->size};
	size_t room = COVER_WINDOW_BYTES + COVER_PAGES * COVER_PAGE_BYTES, covered;
	struct simhash_error error;
	struct cover_index index;

	x.window = malloc(room);
	y.window = malloc(room);
	EXPECT(x.window != NULL && y.window != NULL);
	EXPECT(small_cover_index_init(&index, &x, &error) == 0);
	covered = small_cover_measure(&index, &x, &y, needed);
	EXPECT(x.failed == 0 && y.failed == 0);
	if (a->size == b->size)
		EXPECT(small_cover_equal(&x, &y) == (memcmp(a->bytes, b->bytes, a->size) == 0));
	small_cover_index_release(&index);
	free(x.window);
	free(y.window);
	return covered;
}

static void expect_cover(const struct bytes_of *a, const struct bytes_of *b)
{
	size_t covered = measure_in_memory(a, b, 0), can, must;
	bool is_small = a->size < 4096;

	EXPECT(measure_by_windows(a, b, 0) == covered);
	if (a->size > NAIVE_MAX || b->size > NAIVE_MAX || a->size == 0 || b->size == 0)
		return;
	can = naive_cover(a, b, is_small ? 8 : 16, is_small ? 16 : 40, &must);
	EXPECT(covered <= can);
	/* Another byte may be counted instead of one, so the result may be a little smaller. */
	EXPECT(covered + covered / 2 + 16 >= must);
}

/* ---- confirm_pairs ---- */

static void unconfirmed(void *context, const struct find_file *file, int system_errno)
{
	(void)context;
	fprintf(stderr, "%s: unreadable: %d\n", file->display, system_errno);
	abort();
}

static void describe(const struct bytes_of *from, struct find_file *file, char path[32], uint8_t n)
{
	struct stat status;

	EXPECT(fstat(from->fd, &status) == 0);
	snprintf(path, 32, "/proc/self/fd/%d", from->fd);
	*file = (struct find_file){.host = 1,
				   .size_bytes = (int64_t)from->size,
				   .mtime_ns = stat_mtime_ns(&status),
				   .path_hash = {n, n},
				   .display = path,
				   .display_size = (uint32_t)strlen(path),
				   .is_local = true};
}

static double share(size_t part, size_t whole)
{
	return whole == 0 ? 1 : (double)part / (double)whole;
}

/* Confirm the only pair of a list; false if it is dropped. */
static bool confirm(const struct bytes_of *a, const struct bytes_of *b, double least,
		    struct file_pair *kept)
{
	const struct confirm_request request = {.reads_all = true, .min_resemblance = least};
	const struct find_sink sink = {.unconfirmed = unconfirmed};
	const struct find_resources resources = {.threads = 1};
	struct find_file x, y;
	struct file_pair pair = {.a = &x, .b = &y};
	struct simhash_error error;
	struct pair_list list;
	char x_path[32], y_path[32];
	bool is_kept;

	describe(a, &x, x_path, 1);
	describe(b, &y, y_path, 2);
	pair_list_init(&list);
	EXPECT(pair_list_add(&list, &pair, &error) == 0);
	EXPECT(confirm_pairs(&list, &request, &sink, &resources, &error) == 0);
	EXPECT(list.count <= 1);
	is_kept = list.count == 1;
	if (is_kept)
		*kept = list.pairs[0];
	pair_list_release(&list);
	return is_kept;
}

static void expect_confirmed(const struct bytes_of *a, const struct bytes_of *b, double least)
{
	bool is_same = a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
	size_t a_found = is_same ? a->size : measure_in_memory(b, a, 0);
	size_t b_found = is_same ? b->size : measure_in_memory(a, b, 0);
	double both = ((double)a_found + (double)b_found) / 2;
	double all = (double)a->size + (double)b->size - both;
	double ratio = a->size < b->size ? share(a->size, b->size) : share(b->size, a->size);
	double resemblance = all > 0 ? both / all : 1;
	struct file_pair pair;
	bool is_kept;

	/* No share exceeds the ratio of the sizes. */
	resemblance = resemblance < ratio ? resemblance : ratio;
	EXPECT(confirm(a, b, 0, &pair) && pair.relation.verification == PAIR_READ);
	EXPECT(pair.relation.is_identical == is_same && pair.relation.resemblance == resemblance);
	EXPECT(pair.relation.contained_a == share(a_found, a->size));
	EXPECT(pair.relation.contained_b == share(b_found, b->size));
	/*
	 * Pairs that are measured only as far as necessary are dropped correctly, and no others
	 * are.
	 */
	is_kept = confirm(a, b, least, &pair);
	if (is_kept)
		EXPECT(resemblance >= least - 1e-9 && pair.relation.resemblance >= least);
	else if (a->size < PROBED_FROM && b->size < PROBED_FROM)
		EXPECT(resemblance < least + 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	double least = (double)take_byte(&in) / 255;
	struct bytes_of a, b;

	take_files(&in, &a, &b);
	make_file(&a);
	make_file(&b);
	expect_cover(&a, &b);
	expect_cover(&b, &a);
	expect_confirmed(&a, &b, least);
	close(a.fd);
	close(b.fd);
	free(a.bytes);
	free(b.bytes);
	return 0;
}
