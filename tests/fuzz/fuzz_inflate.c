/*
 * Fuzzes the content of gzip files: scan_inflated finds the same content as zlib's inflate(),
 * member by member, and never inflates more than the limit.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "scan/file/scan_file.h"
#include "store/row/file_row.h"

#define OUTPUT_MAX ((size_t)4 << 20)
#define MEMBERS_MAX 4
#define CONTENT_MAX ((size_t)1 << 20)

static struct simhash_tag_set *tags;
static atomic_bool stop;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct simhash_error error;

	(void)argc;
	(void)argv;
	EXPECT(simhash_tag_set_new_default(&tags, &error) == 0);
	return 0;
}

/* Append a member with the expanded input. */
static void add_member(struct input *in, uint8_t **file, size_t *size)
{
	int level = take_byte(in) % 10;
	size_t content_size, room;
	uint8_t *content;
	z_stream z = {.zalloc = NULL};
	struct input own = {NULL, 0};

	own.at = take_bytes(in, (size_t)take_number(in, 2), &own.left);
	content = take_expanded(&own, CONTENT_MAX, &content_size);
	EXPECT(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	room = deflateBound(&z, content_size);
	*file = realloc(*file, *size + room + 1);
	EXPECT(*file != NULL);
	z.next_in = content;
	z.avail_in = (unsigned)content_size;
	z.next_out = *file + *size;
	z.avail_out = (unsigned)room;
	EXPECT(deflate(&z, Z_FINISH) == Z_STREAM_END);
	*size += room - z.avail_out;
	deflateEnd(&z);
	free(content);
}

/* The bytes of the input, unchanged, or members made from them with some bytes changed. */
static uint8_t *make_file(struct input *in, size_t *size)
{
	uint8_t choices = take_byte(in), *file = NULL;
	const uint8_t *rest;
	size_t rest_size, changes = choices >> 4;

	*size = 0;
	if (choices & 1)
		for (int i = 0; i <= (choices >> 1) % MEMBERS_MAX; i++)
			add_member(in, &file, size);
	else
		changes = 0;
	for (size_t i = 0; i<changes && * size> 0; i++) {
		size_t at = (size_t)take_number(in, 3) % *size;
		file[at] ^= take_byte(in);
	}
	if ((choices & 9) == 9) /* truncated, or followed by other bytes */
		*size -= (size_t)take_number(in, 2) % (*size + 1);
	rest = take_bytes(in, SIZE_MAX, &rest_size);
	file = realloc(file, *size + rest_size + 1);
	EXPECT(file != NULL);
	if (rest_size > 0)
		memcpy(file + *size, rest, rest_size);
	*size += rest_size;
	return file;
}

/*
 * Inflate all members: returns 0 and the content, or the errno that scan_inflated must set. Bytes
 * after a member that are not a member are ignored, as in gzip(1).
 */
static int inflate_all(const uint8_t *file, size_t size, uint8_t *content, size_t *content_size)
{
	bool is_first = true;

	*content_size = 0;
	while (size >= 2 && file[0] == 0x1f && file[1] == 0x8b) {
		z_stream z = {.next_in = (Bytef *)(uintptr_t)file, .avail_in = (unsigned)size};
		int status;
		EXPECT(inflateInit2(&z, 15 + 16) == Z_OK);
		z.next_out = content + *content_size;
		z.avail_out = (unsigned)(OUTPUT_MAX - *content_size);
		status = inflate(&z, Z_FINISH);
		*content_size = OUTPUT_MAX - z.avail_out;
		file += size - z.avail_in;
		size = z.avail_in;
		inflateEnd(&z);
		if (status == Z_BUF_ERROR && *content_size == OUTPUT_MAX)
			return EOVERFLOW;
		if (status != Z_STREAM_END)
			return EBADMSG;
		is_first = false;
	}
	return is_first ? EILSEQ : 0;
}

static void expect_content(const struct file_row *row, const uint8_t *content, size_t size)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	simhash_scanner_init(&scanner, tags);
	simhash_scanner_update(&scanner, content, size);
	simhash_scanner_finish(&scanner, &table);
	EXPECT((size_t)row->size_bytes == size);
	EXPECT(memcmp(&table, &row->table, sizeof table) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_size)
{
	static uint8_t content[OUTPUT_MAX];
	struct input in = {data, data_size};
	int64_t limit = (int64_t)take_number(&in, 3) % (int64_t)OUTPUT_MAX;
	size_t size, content_size;
	uint8_t *file = make_file(&in, &size);
	int fd = memfd_create("input.gz", MFD_CLOEXEC), expected;
	struct file_row row = {.name = {"x.gz//x", 7}};
	struct file_scanner scanner;
	struct simhash_error error;
	enum scan_outcome outcome;
	char path[32];

	EXPECT(fd >= 0 && write(fd, file, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	EXPECT(file_scanner_init(&scanner, tags, true, &stop, &error) == 0);
	scanner.max_inflated_bytes = limit;
	errno = 0;
	outcome = scan_inflated(&scanner, AT_FDCWD, path, &row);
	if (outcome != SCAN_DONE)
		EXPECT(outcome == SCAN_FAILED);
	/* One buffer beyond the limit may have been inflated when this is noticed. */
	EXPECT(row.size_bytes <= limit + FILE_SCANNER_BUFFER);
	{
		int got = outcome == SCAN_DONE ? 0 : errno;
		expected = inflate_all(file, size, content, &content_size);
		if (expected == 0 && content_size > (size_t)limit)
			expected = EOVERFLOW;
		/* If the file is damaged after the limit, either error may be reported. */
		if (expected == EBADMSG && content_size > (size_t)limit)
			EXPECT(got == EBADMSG || got == EOVERFLOW);
		else
			EXPECT(got == expected);
		if (got == 0)
			expect_content(&row, content, content_size);
	}
	file_scanner_release(&scanner);
	close(fd);
	free(file);
	return 0;
}
