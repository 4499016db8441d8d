/*
 * Replaces marks by columns, and shortens and wraps lines.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/marked.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "report/lists/formatter.h"

/*
 * Return the text before a mark and remove both from *rest. Without a mark, return the whole text.
 */
static struct bytes take_to(struct bytes *rest, char mark)
{
	const char *at = memchr(rest->data, mark, rest->size);
	struct bytes before = *rest;

	if (at == NULL) {
		rest->size = 0;
		return before;
	}
	before.size = (size_t)(at - rest->data);
	rest->data += before.size + 1;
	rest->size -= before.size + 1;
	return before;
}

static bool has_mark(struct bytes text, char mark)
{
	return memchr(text.data, mark, text.size) != NULL;
}

struct bytes without_prefix(struct bytes path, struct bytes prefix)
{
	if (prefix.size > 0 && path.size >= prefix.size &&
	    memcmp(path.data, prefix.data, prefix.size) == 0)
		return (struct bytes){path.data + prefix.size, path.size - prefix.size};
	return path;
}

size_t write_within(FILE *out, struct bytes text, size_t columns)
{
	struct text_ends ends = text_shorten(text, columns);

	fwrite(text.data, 1, ends.head, out);
	if (ends.head == text.size)
		return text_columns(text);
	fputs(LEFT_OUT, out);
	fwrite(text.data + text.size - ends.tail, 1, ends.tail, out);
	return text_columns((struct bytes){text.data, ends.head}) + sizeof LEFT_OUT - 1 +
	       text_columns((struct bytes){text.data + text.size - ends.tail, ends.tail});
}

/* Each path gets half of the columns, and the columns that the other path does not need. */
static void write_two(FILE *out, struct bytes a, struct bytes between, struct bytes b,
		      size_t columns, size_t first)
{
	size_t half = columns / 2, needs_b = text_columns(b), used;

	used = write_within(out, a, needs_b < columns - half ? columns - needs_b : half);
	/* Align the second path with other lines, unless it needs the space. */
	for (; used < first && (used < half || used + needs_b < columns); used++)
		fputc(' ', out);
	fwrite(between.data, 1, between.size, out);
	write_within(out, b, columns - used);
}

/* Does a line have two paths that fit only if they are shortened? */
static bool must_fold(struct bytes line, size_t columns, const struct layout *layout)
{
	struct bytes rest = line, a, between;
	size_t needed = text_columns(take_to(&rest, PATH_MARK));

	if (!layout->folds || !has_mark(rest, WIDTH_MARK))
		return false;
	a = without_prefix(take_to(&rest, WIDTH_MARK), layout->prefix);
	between = take_to(&rest, PATH_MARK);
	needed += text_columns(a) + text_columns(between) +
		  text_columns(without_prefix(rest, layout->prefix));
	return needed > columns;
}

/* Write the second path and the text before it on their own line, below the first path. */
static void write_second(FILE *out, struct bytes line, const struct layout *layout)
{
	struct bytes rest = line, between;
	size_t used = text_columns(take_to(&rest, PATH_MARK)) + 2;

	take_to(&rest, WIDTH_MARK);
	between = take_to(&rest, PATH_MARK);
	while (between.size > 0 && between.data[0] == ' ')
		between = bytes_after(between, 1);
	fprintf(out, "\n%*s%.*s", (int)used, "", (int)between.size, between.data);
	used += text_columns(between);
	write_within(out, without_prefix(rest, layout->prefix),
		     layout->columns > used ? layout->columns - used : 0);
}

static void write_shortened(FILE *out, struct bytes line, const struct layout *layout)
{
	struct bytes rest = line, head, a, between;
	size_t columns, gap;

	head = take_to(&rest, PATH_MARK);
	fwrite(head.data, 1, head.size, out);
	columns = text_columns(head);
	columns = layout->columns > columns ? layout->columns - columns : 0;
	if (has_mark(rest, WIDTH_MARK)) {
		a = without_prefix(take_to(&rest, WIDTH_MARK), layout->prefix);
		between = take_to(&rest, PATH_MARK);
		gap = text_columns(between);
		write_two(out, a, between, without_prefix(rest, layout->prefix),
			  columns > gap ? columns - gap : 0, layout->first);
	} else {
		write_within(out, without_prefix(rest, layout->prefix), columns);
	}
}

void write_marked(FILE *out, struct bytes line, const struct layout *layout)
{
	bool has_end = line.size > 0 && line.data[line.size - 1] == '\n';

	line.size -= has_end;
	if (must_fold(line, layout->columns, layout)) {
		struct bytes rest = line;
		write_shortened(out, take_to(&rest, WIDTH_MARK), layout);
		write_second(out, line, layout);
	} else {
		write_shortened(out, line, layout);
	}
	if (has_end)
		fputc('\n', out);
}

void write_marked_to(FILE *out, struct bytes line, const char *end, const struct layout *layout)
{
	size_t needed = text_columns(bytes_of(end)) + 2, used, size;
	struct layout before = *layout;
	struct bytes rest = line, first = line;
	char *text = NULL;
	bool folds;
	FILE *memory = open_memstream(&text, &size);

	if (memory == NULL)
		return;
	before.columns = layout->columns > needed ? layout->columns - needed : 0;
	folds = must_fold(line, before.columns, layout);
	if (folds)
		first = take_to(&rest, WIDTH_MARK);
	write_shortened(memory, first, &before);
	if (close_text(memory, &text) != 0)
		return;
	used = text_columns((struct bytes){text, size});
	fprintf(out, "%s  %*s%s", text, (int)(before.columns > used ? before.columns - used : 0),
		"", end);
	if (folds)
		write_second(out, line, layout);
	free(text);
}

struct bytes paths_prefix(struct bytes directory)
{
	struct bytes prefix = {NULL, 0};
	char *path = directory.size == 0 ? NULL : path_join(directory, (struct bytes){"", 0});

	if (path != NULL)
		prefix.data = escape_text(bytes_of(path), &prefix.size);
	if (prefix.data == NULL)
		prefix.size = 0;
	free(path);
	return prefix;
}

void write_prefix(FILE *out, const struct layout *layout)
{
	if (layout->prefix.size > 0)
		fprintf(out, "Paths are below %s.\n\n", layout->prefix.data);
}

/* The size of the next word; "929.6 kB" and "99 %" are one word. */
static size_t unbroken_size(const char *text)
{
	static const char *const units[] = {" kB", " MB", " GB", " TB", " bytes", " %"};
	size_t size = strcspn(text, " \n");

	for (size_t i = 0; ascii_is_digit(text[0]) && i < sizeof units / sizeof *units; i++)
		if (strncmp(text + size, units[i], strlen(units[i])) == 0)
			return size + 1 + strcspn(text + size + 1, " \n");
	return size;
}

void write_wrapped(FILE *out, const char *text, size_t columns)
{
	size_t used = 0, blanks = 0;

	while (*text != '\0') {
		size_t size = unbroken_size(text);
		size_t width = text_columns((struct bytes){text, size});
		if (used > 0 && used + blanks + width > columns) {
			fputc('\n', out);
			used = blanks = 0;
		}
		used += blanks + width;
		/* A name can have several blanks in a row. */
		fprintf(out, "%*s%.*s", (int)blanks, "", (int)size, text);
		text += size;
		blanks = strspn(text, " ");
		text += blanks;
		if (*text == '\n' && *++text != '\0') {
			fputc('\n', out);
			used = blanks = 0;
		}
	}
	fputc('\n', out);
}
