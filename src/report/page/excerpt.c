/*
 * Reads texts and pictures for the report, and compares texts.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/json.h"
#include "find/reading/reopen.h"
#include "measure/line_diff.h"
#include "report/page/html_text.h"
#include "report/page/unified.h"

#define PAGE_BYTES 4096 /* opening a file counts as reading this many bytes */
#define BEGINNING_BYTES 8192

void excerpts_init(struct excerpts *excerpts, const struct report *report)
{
	*excerpts = (struct excerpts){.report = report,
				      .left_to_read = EXCERPT_READ_BYTES,
				      .left_of_page = EXCERPT_PAGE_BYTES,
				      .left_for_pictures = PICTURE_PAGE_BYTES};
}

static void release_text(struct excerpt_text *text)
{
	free(text->text);
	*text = (struct excerpt_text){.text = NULL};
}

void excerpts_release(struct excerpts *excerpts)
{
	release_text(&excerpts->first_text);
}

void excerpts_begin_group(struct excerpts *excerpts, const struct find_file *first)
{
	release_text(&excerpts->first_text);
	excerpts->first = first;
	excerpts->is_first_read = false;
	excerpts->group_diffs = 0;
}

static bool is_here(const struct find_file *file)
{
	return file->is_local && !file->is_stream && file->compressed_size_bytes == 0;
}

/* Report an unreadable file. If the user removed or changed it, only the page shows this. */
static void report_failure(const struct excerpts *excerpts, const struct find_file *file, int why)
{
	if (why != 0 && why != ENOENT && why != ENOTDIR && why != EACCES && why != EPERM &&
	    why != ELOOP)
		excerpts->report->unreadable(excerpts->report->context, file, why);
}

/* ---- Texts ---- */

static bool is_text(const char *bytes, size_t size)
{
	return memchr(bytes, '\0', size) == NULL;
}

/* Most files that are not texts are recognized by their beginning. */
static enum excerpt_absence read_text(int fd, struct excerpt_text *text, int64_t *left, int *why)
{
	size_t beginning = text->size < BEGINNING_BYTES ? text->size : BEGINNING_BYTES;
	uint8_t *bytes = (uint8_t *)text->text;

	*left -= (int64_t)beginning;
	if (reread_file(fd, bytes, beginning, why) != 0)
		return EXCERPT_CHANGED;
	if (!is_text(text->text, beginning))
		return EXCERPT_NO_TEXT;
	*left -= (int64_t)(text->size - beginning);
	if (reread_file(fd, bytes, text->size, why) != 0)
		return EXCERPT_CHANGED;
	return is_text(text->text, text->size) ? EXCERPT_PRESENT : EXCERPT_NO_TEXT;
}

static int load_text(struct excerpts *excerpts, const struct find_file *file,
		     struct excerpt_text *text, struct simhash_error *error)
{
	struct stat status;
	int fd, why = 0;

	*text = (struct excerpt_text){.size = (size_t)find_file_bytes(file)};
	if (!is_here(file))
		text->absence = EXCERPT_ELSEWHERE;
	else if (find_file_bytes(file) > EXCERPT_FILE_BYTES)
		text->absence = EXCERPT_LARGE;
	else if (excerpts->left_to_read < PAGE_BYTES + find_file_bytes(file))
		text->absence = EXCERPT_FULL;
	if (text->absence != EXCERPT_OF_FIRST)
		return 0;
	text->absence = EXCERPT_CHANGED;
	excerpts->left_to_read -= PAGE_BYTES;
	fd = reopen_file(file, &status, &why);
	if (fd < 0) {
		report_failure(excerpts, file, why);
		return 0;
	}
	text->text = malloc(text->size + 1);
	if (text->text != NULL)
		text->absence = read_text(fd, text, &excerpts->left_to_read, &why);
	close_content(fd);
	report_failure(excerpts, file, why);
	return text->text == NULL ? error_set_memory(error) : 0;
}

/* Compare two texts. The caller frees *hunks, which is NULL if the texts differ too much. */
static int compare_texts(const struct excerpt_text *a, const struct excerpt_text *b, char **hunks,
			 size_t *size, struct simhash_error *error)
{
	struct line_diff diff;
	FILE *memory;
	int status = line_diff(a->text, a->size, b->text, b->size, LINE_DIFF_MOST, &diff, error);

	*hunks = NULL;
	if (status != 0)
		return status > 0 ? 0 : -1;
	memory = open_memstream(hunks, size);
	if (memory == NULL) {
		status = error_set_memory(error);
	} else {
		status = unified_write(memory, (struct bytes){a->text, a->size},
				       (struct bytes){b->text, b->size}, &diff, EXCERPT_DIFF_BYTES,
				       error);
		if (close_text(memory, hunks) != 0 && status == 0)
			status = error_set_memory(error);
	}
	line_diff_release(&diff);
	return status;
}

static int write_comparison(struct excerpts *excerpts, FILE *out, const struct excerpt_text *other,
			    struct simhash_error *error)
{
	struct line_buffer line = {.out = out};
	char *hunks;
	size_t size;
	int status = compare_texts(&excerpts->first_text, other, &hunks, &size, error);

	if (status == 0 && hunks == NULL) {
		fprintf(out, "%d", EXCERPT_DIFFERENT);
	} else if (status == 0 && (int64_t)size > excerpts->left_of_page) {
		fprintf(out, "%d", EXCERPT_FULL);
	} else if (status == 0) {
		line_put_page_string(&line, (struct bytes){hunks, size}, false);
		line_flush(&line);
		excerpts->left_of_page -= (int64_t)size;
		excerpts->group_diffs++;
	}
	free(hunks);
	return status;
}

int excerpt_write(struct excerpts *excerpts, FILE *out, const struct find_file *other,
		  struct simhash_error *error)
{
	struct excerpt_text text = {.absence = EXCERPT_FULL};
	enum excerpt_absence absence;
	int status = 0;

	if (excerpts->left_of_page > 0 && excerpts->group_diffs < EXCERPT_GROUP_DIFFS) {
		if (!excerpts->is_first_read)
			status = load_text(excerpts, excerpts->first, &excerpts->first_text, error);
		excerpts->is_first_read = true;
		text.absence = excerpts->first_text.absence;
		if (status == 0 && text.absence == EXCERPT_PRESENT)
			status = load_text(excerpts, other, &text, error);
	}
	absence = text.absence;
	if (status == 0 && absence == EXCERPT_PRESENT)
		status = write_comparison(excerpts, out, &text, error);
	else if (status == 0)
		fprintf(out, "%d", absence);
	release_text(&text);
	return status;
}

/* ---- Pictures ---- */

/*
 * Return the MIME type of a picture by its first bytes: a type that browsers show and that cannot
 * contain programs. NULL for other files.
 */
static const char *picture_type(const uint8_t *bytes, size_t size)
{
	static const struct {
		const char *type, *start, *later; /* `later` is at byte 8 */
	} kinds[] = {{"image/png", "\x89PNG\r\n\x1a\n", ""},
		     {"image/jpeg", "\xff\xd8\xff", ""},
		     {"image/gif", "GIF8", ""},
		     {"image/bmp", "BM", ""},
		     {"image/webp", "RIFF", "WEBP"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (size >= 16 && memcmp(bytes, kinds[i].start, strlen(kinds[i].start)) == 0 &&
		    memcmp(bytes + 8, kinds[i].later, strlen(kinds[i].later)) == 0)
			return kinds[i].type;
	return NULL;
}

static bool has_room(const struct excerpts *excerpts, const struct find_file *file)
{
	return excerpts->report->with_pictures && is_here(file) &&
	       excerpts->left_to_read >= PAGE_BYTES &&
	       find_file_bytes(file) <= PICTURE_FILE_BYTES &&
	       find_file_bytes(file) <= excerpts->left_for_pictures;
}

/*
 * *Read a picture. `bytes` is NULL if the file has changed or is not a picture. -1: memory is
 * short.
 */
static int load_picture(const struct excerpts *excerpts, const struct find_file *file,
			uint8_t **bytes, const char **type, struct simhash_error *error)
{
	size_t size = (size_t)find_file_bytes(file), beginning = size < 16 ? size : 16;
	struct stat status;
	int why = 0, fd = reopen_file(file, &status, &why);

	*bytes = NULL;
	*type = NULL;
	if (fd < 0) {
		report_failure(excerpts, file, why);
		return 0;
	}
	*bytes = malloc(size + 1);
	if (*bytes != NULL && reread_file(fd, *bytes, beginning, &why) == 0)
		*type = picture_type(*bytes, beginning);
	if (*type != NULL && reread_file(fd, *bytes, size, &why) != 0)
		*type = NULL;
	close_content(fd);
	report_failure(excerpts, file, why);
	return *bytes == NULL ? error_set_memory(error) : 0;
}

int excerpt_write_picture(struct excerpts *excerpts, FILE *out, const struct find_file *file,
			  struct simhash_error *error)
{
	uint8_t *bytes = NULL;
	const char *type = NULL;

	if (has_room(excerpts, file)) {
		excerpts->left_to_read -= PAGE_BYTES;
		if (load_picture(excerpts, file, &bytes, &type, error) != 0)
			return -1;
	}
	if (type == NULL) {
		fputc('0', out);
	} else {
		fprintf(out, "\"%s;base64,", type);
		html_write_base64(out, bytes, (size_t)find_file_bytes(file));
		fputc('"', out);
		excerpts->left_for_pictures -= find_file_bytes(file);
	}
	free(bytes);
	return 0;
}
