/*
 * Fuzzes the members of archives: every limit is respected, and a member that is read again by its
 * name has the bytes that were scanned.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "scan/archive/container.h"
#include "store/row/file_row.h"

#define FILE_MAX ((size_t)1 << 20)
#define INFLATED_MAX ((size_t)8 << 20)
#define ANSWERS_MAX 100000 /* a limit for these few bytes of input */

static struct simhash_tag_set *tags;
static atomic_bool stop;

/* The inode of a link may claim 4 GiB; the process that reads archives has a limit for that. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

/*
 * libewf loses some memory when it cannot read a damaged chunk, and libtsk for some damaged tables. The
 * test cli.images finds memory that this program does not free.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libewf.so\nleak:libtsk.so";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/*
	 * The header of an xz file may request 4 GiB, but only the inflated bytes are ever touched.
	 */
	static char no_limit[] = "-malloc_limit_mb=16384";
	char **arguments = calloc((size_t)*argc + 2, sizeof *arguments);
	struct simhash_error error;

	EXPECT(arguments != NULL);
	memcpy(arguments, *argv, (size_t)*argc * sizeof *arguments);
	arguments[(*argc)++] = no_limit;
	*argv = arguments;
	EXPECT(simhash_tag_set_new_default(&tags, &error) == 0);
	return 0;
}

/* The bytes of the input, unchanged or expanded. */
static uint8_t *make_file(struct input *in, size_t *size)
{
	const uint8_t *bytes;
	uint8_t *file;

	if (take_byte(in) & 1)
		return take_expanded(in, FILE_MAX, size);
	file = malloc(in->left + 1);
	EXPECT(file != NULL);
	bytes = take_bytes(in, FILE_MAX, size);
	memcpy(file, bytes, *size);
	return file;
}

struct found {
	char name[2 * CONTAINER_NAME_MAX];
	size_t name_size;
	struct file_row row;
	size_t members;
	bool is_troubled;
};

static void take_member(struct found *found, const struct file_row *row)
{
	EXPECT(row->name.size > 0 && row->name.size <= CONTAINER_NAME_MAX);
	EXPECT(row->size_bytes >= 0 && row->size_bytes <= (int64_t)INFLATED_MAX);
	EXPECT(memchr(row->name.data, '\0', row->name.size) == NULL);
	memcpy(found->name, row->name.data, row->name.size);
	found->name_size = row->name.size;
	found->row = *row;
	found->members++;
}

static void read_all(struct container *container, struct found *found)
{
	struct file_row row = {.size_bytes = 0};
	enum container_answer answer;
	size_t answers = 0;
	int64_t inflated = 0;

	while ((answer = container_next(container, &row)) != CONTAINER_END) {
		EXPECT(++answers < ANSWERS_MAX);
		EXPECT(answer == CONTAINER_MEMBER || answer == CONTAINER_TROUBLE);
		if (answer == CONTAINER_MEMBER) {
			take_member(found, &row);
			inflated += row.size_bytes;
			EXPECT(inflated <= (int64_t)INFLATED_MAX);
		} else {
			EXPECT(container_why(container) != 0);
			EXPECT(container_name(container).size < sizeof found->name);
			found->is_troubled = true;
		}
		row = (struct file_row){.size_bytes = 0};
	}
}

/* The last member is the last one with its name. It is read again alone and with others. */
static void read_again(int fd, const struct stat *status, struct bytes file_name,
		       const struct found *found)
{
	size_t size = (size_t)found->row.size_bytes;
	uint8_t *bytes = malloc(size + 1), none;
	struct container_member members[2] = {
		{.name = {"", 0}, .bytes = &none},
		{.name = {found->name, found->name_size}, .bytes = bytes, .size = size}};
	struct simhash_scanner scanner;
	struct simhash_sum_table table;
	int why;

	EXPECT(bytes != NULL);
	for (size_t others = 0; others < 2; others++) {
		memset(bytes, 0, size);
		members[1].is_whole = false;
		container_extract(NULL, fd, status, file_name, members + 1 - others, 1 + others,
				  &why);
		EXPECT(members[1].is_whole);
		simhash_scanner_init(&scanner, tags);
		simhash_scanner_update(&scanner, bytes, size);
		simhash_scanner_finish(&scanner, &table);
		EXPECT(memcmp(&table, &found->row.table, sizeof table) == 0);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_size)
{
	static struct found found;
	struct input in = {data, data_size};
	struct bytes name = {"x.docx", 6};
	size_t size;
	uint8_t *file = make_file(&in, &size);
	int fd = memfd_create("archive", MFD_CLOEXEC);
	struct file_scanner scanner;
	struct simhash_error error;
	struct container *container;
	struct stat status;
	unsigned kind;

	found.members = 0;
	found.is_troubled = false;
	EXPECT(fd >= 0 && write(fd, file, size) == (ssize_t)size && fstat(fd, &status) == 0);
	EXPECT(file_scanner_init(&scanner, tags, true, &stop, &error) == 0);
	EXPECT(container_kinds(&scanner.containers, &error) == 0);
	scanner.max_inflated_bytes = (int64_t)INFLATED_MAX;
	scanner.max_depth = CONTAINER_DEPTH_MAX;
	EXPECT(scan_kind(&scanner, fd, &kind, NULL) == 0);
	if (kind != 0) {
		container = container_open(&scanner, fd, &status, name);
		EXPECT(container != NULL);
		read_all(container, &found);
		container_close(container);
		if (found.members > 0 && !found.is_troubled)
			read_again(fd, &status, name, &found);
	}
	file_scanner_release(&scanner);
	close(fd);
	free(file);
	return 0;
}
