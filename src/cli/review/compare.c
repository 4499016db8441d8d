/*
 * Reads two files, and turns the differences between their lines into rows.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"
#include "measure/line_diff.h"
#include "report/page/unified.h"

#define READ_MAX ((size_t)16 << 20) /* of each file */
#define SHOWN_MAX ((size_t)1 << 20)

static int read_regular(const char *path, char **bytes, size_t *size, struct simhash_error *error)
{
	struct stat status;
	int result = -1, fd = open_path_directly(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0)
		return error_set_errno(error, "cannot open the file");
	if (fstat(fd, &status) != 0)
		error_set_errno(error, "cannot read the file");
	else if (!S_ISREG(status.st_mode))
		error_set(error, SIMHASH_E_RANGE, "it is no longer a file");
	else if ((uint64_t)status.st_size > READ_MAX)
		error_set(error, SIMHASH_E_RANGE,
			  "files of more than 16 MiB are not compared here");
	else
		result = read_descriptor(fd, "the file", READ_MAX, bytes, size, error);
	close_content(fd);
	return result;
}

/* Write what differs, as lines of the unified format. */
static int write_differences(FILE *out, struct bytes left, struct bytes right,
			     struct simhash_error *error)
{
	struct line_diff diff;
	int status;

	if (bytes_compare(left, right) == 0) {
		fputs("@The files have the same bytes.\n", out);
		return 0;
	}
	if (memchr(left.data, '\0', left.size) != NULL ||
	    memchr(right.data, '\0', right.size) != NULL) {
		fputs("@The files differ. One of them is not a text.\n", out);
		return 0;
	}
	status = line_diff(left.data, left.size, right.data, right.size, LINE_DIFF_MOST, &diff,
			   error);
	if (status == 1)
		fputs("@The texts differ in more than 1,000 lines.\n", out);
	if (status != 0)
		return status < 0 ? -1 : 0;
	status = unified_write(out, left, right, &diff, SHOWN_MAX, error);
	line_diff_release(&diff);
	return status;
}

/* ---- Rows ---- */

static int add_row(struct comparison *comparison, struct compared_row row,
		   struct simhash_error *error)
{
	if (array_reserve(&comparison->rows, &comparison->capacity, comparison->count + 1,
			  sizeof *comparison->rows, error) != 0)
		return -1;
	comparison->rows[comparison->count++] = row;
	return 0;
}

/* Put an added line next to the first removed line before it that has none. */
static int add_line(struct comparison *comparison, struct bytes line, size_t *waiting,
		    bool is_beside, struct simhash_error *error)
{
	char mark = line.size == 0 ? ' ' : line.data[0];
	struct bytes text = line.size == 0 ? line : bytes_after(line, 1);
	struct compared_row row = {.left = text, .right = text, .mark = mark};

	if (mark == '+' && is_beside && *waiting < comparison->count &&
	    comparison->rows[*waiting].mark == '-') {
		comparison->rows[*waiting].right = text;
		comparison->rows[(*waiting)++].mark = '|';
		return 0;
	}
	if (mark == '-')
		row.right = (struct bytes){text.data, 0};
	else if (mark == '+')
		row.left = (struct bytes){text.data, 0};
	else if (mark != ' ')
		row.mark = '@';
	if (mark == '@' && line.size > 1 && line.data[1] == '@')
		row.left = line;
	if (mark != '-' || comparison->count == 0 ||
	    comparison->rows[comparison->count - 1].mark != '-')
		*waiting = comparison->count + (mark != '-');
	return add_row(comparison, row, error);
}

int compare_files(const char *left, const char *right, bool is_beside,
		  struct comparison *comparison, struct simhash_error *error)
{
	char *bytes[2] = {NULL, NULL};
	size_t sizes[2] = {0, 0}, size, waiting = 0;
	FILE *out;
	int status = -1;

	*comparison = (struct comparison){.text = NULL};
	if (read_regular(left, &bytes[0], &sizes[0], error) != 0 ||
	    read_regular(right, &bytes[1], &sizes[1], error) != 0)
		goto out;
	out = open_memstream(&comparison->text, &size);
	if (out == NULL) {
		error_set_memory(error);
		goto out;
	}
	status = write_differences(out, (struct bytes){bytes[0], sizes[0]},
				   (struct bytes){bytes[1], sizes[1]}, error);
	if (close_text(out, &comparison->text) != 0)
		status = error_set_memory(error);
	for (const char *at = comparison->text, *end; status == 0 && *at != '\0'; at = end + 1) {
		end = strchr(at, '\n');
		if (end == NULL)
			break;
		status = add_line(comparison, (struct bytes){at, (size_t)(end - at)}, &waiting,
				  is_beside, error);
	}
out:
	free(bytes[0]);
	free(bytes[1]);
	return status;
}

void comparison_release(struct comparison *comparison)
{
	free(comparison->rows);
	free(comparison->text);
	*comparison = (struct comparison){.text = NULL};
}
