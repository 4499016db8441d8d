/*
 * Fuzzes digest lists: any bytes are refused with a message or are files, and if these files are
 * written, reading gives the same files again.
 *
 * The first byte says whether a heading precedes the rest, whether its files have hashes, and
 * whether the list has an end mark.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "lists/digest_reader.h"
#include "lists/digest_text.h"

static void expect_whole(const struct file_row *row)
{
	EXPECT(row->size_bytes >= 0 && row->name.size > 0 && row->directory.data[0] == '/');
	EXPECT(memchr(row->name.data, 0, row->name.size) == NULL);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		EXPECT(row->table.count[t] <= (uint64_t)row->size_bytes);
}

/* Read a list and write its files; *files is their number. False: it is refused. */
static bool read_list(const char *name, char **text, size_t *size, unsigned *files)
{
	struct digest_reader *reader;
	struct simhash_error error = {.message = ""};
	struct line_buffer line = {.out = open_memstream(text, size)};
	struct file_row row;
	int status;

	*files = 0;
	EXPECT(line.out != NULL);
	status = digest_reader_open(name, &reader, &error);
	if (status == 0) {
		unsigned hashes = digest_reader_hashes(reader);
		digests_put_heading(&line, digest_reader_tag_set(reader), hashes);
		while ((status = digest_reader_next(reader, &row, &error)) == 1) {
			expect_whole(&row);
			digests_put_row(&line, &row,
					row.sketches == NULL ? (struct bytes){NULL, 0}
							     : row.sketches->pieces,
					hashes, false);
			++*files;
		}
		digests_put_end(&line, *files);
		digest_reader_close(reader);
	}
	EXPECT(status == 0 || error.message[0] != '\0');
	line_flush(&line);
	EXPECT(fclose(line.out) == 0);
	return status == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char headings[2][512];
	struct input in = {data, size};
	uint8_t choice = take_byte(&in);
	bool has_heading = choice % 2 == 1, with_hashes = choice / 2 % 2 == 1;
	char *heading = headings[with_hashes];
	char *text = NULL, *again = NULL, name[32];
	size_t text_size, again_size;
	unsigned files, files_again;
	int fd;

	if (heading[0] == '\0') {
		struct line_buffer line = {.out = fmemopen(heading, sizeof headings[0], "w")};
		struct simhash_tag_set *set;
		EXPECT(line.out != NULL && simhash_tag_set_new_default(&set, NULL) == 0);
		digests_put_heading(&line, set, with_hashes ? 7 : 0);
		line_flush(&line);
		EXPECT(fclose(line.out) == 0);
		simhash_tag_set_free(set);
	}
	fd = memory_file(name);
	heading[strlen(DIGESTS_FIRST_LINE) - 1] = choice / 4 % 2 == 1 ? '5'
						  : with_hashes	      ? '2'
								      : '1';
	memory_file_add(fd, heading, has_heading ? strlen(heading) : 0);
	memory_file_add(fd, in.at, in.left);
	if (read_list(name, &text, &text_size, &files) || files > 0) {
		close(fd);
		fd = memory_file(name);
		memory_file_add(fd, text, text_size);
		EXPECT(read_list(name, &again, &again_size, &files_again));
		EXPECT(files == files_again && text_size == again_size &&
		       memcmp(text, again, text_size) == 0);
	}
	close(fd);
	free(text);
	free(again);
	return 0;
}
