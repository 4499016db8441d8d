/*
 * Fuzzes differing lines of any two contents, and their hunks: as many lines differ as a longest
 * common subsequence leaves; each is in a hunk or counted as left out, and no byte of it acts on a
 * display.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/escape.h"
#include "fuzz.h"
#include "measure/line_diff.h"
#include "report/page/html_text.h"
#include "report/page/unified.h"
#include "simhash_measures.h"

#define TEXT_BYTES 4096

struct seen {
	uint64_t removed, added, left_out;
};

static uint64_t count_changed(const uint8_t *is_changed, size_t lines)
{
	uint64_t count = 0;

	for (size_t i = 0; i < lines; i++)
		count += is_changed[i];
	return count;
}

/* Only tabs, line ends, and UTF-8 that does not act on a display are allowed. */
static void check_visible(struct bytes text)
{
	while (text.size > 0) {
		size_t length = utf8_length(text);
		EXPECT(length > 0);
		EXPECT(text.data[0] == '\n' || text.data[0] == '\t' ||
		       !acts_on_display(code_point((const unsigned char *)text.data, length)));
		text.data += length;
		text.size -= length;
	}
}

static struct seen read_hunks(const char *text, size_t size)
{
	struct seen seen = {0};

	for (const char *at = text, *end; at < text + size; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text + size - at));
		EXPECT(end != NULL && strchr("@ +-\\~", *at) != NULL);
		seen.removed += *at == '-';
		seen.added += *at == '+';
		if (*at == '~') {
			seen.left_out = strtoull(at + 1, NULL, 10);
			EXPECT(seen.left_out > 0 && end + 1 == text + size);
		}
	}
	return seen;
}

static void check_hunks(struct bytes a, struct bytes b, const struct line_diff *diff, size_t room)
{
	struct simhash_error error;
	uint64_t changed_a = count_changed(diff->is_changed_a, diff->lines_a);
	uint64_t changed_b = count_changed(diff->is_changed_b, diff->lines_b);
	struct seen seen;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	EXPECT(out != NULL && unified_write(out, a, b, diff, room, &error) == 0 &&
	       fclose(out) == 0);
	check_visible((struct bytes){text, size});
	seen = read_hunks(text, size);
	EXPECT(seen.removed <= changed_a && seen.added <= changed_b);
	EXPECT(seen.removed + seen.added + seen.left_out == changed_a + changed_b);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct simhash_error error;
	struct simhash_lcs_lines lines;
	struct line_diff diff;
	struct bytes a, b;
	unsigned most = (unsigned)take_number(&in, 2) % (LINE_DIFF_MOST + 1);
	size_t room = take_number(&in, 2), a_size = take_number(&in, 2) % TEXT_BYTES;
	uint64_t differing;
	int status;

	a.data = (const char *)take_bytes(&in, a_size, &a.size);
	b.data = (const char *)take_bytes(&in, TEXT_BYTES, &b.size);
	EXPECT(simhash_lcs_lines(a.data, a.size, b.data, b.size, 0, &lines, &error) == 0);
	differing = lines.lines_a + lines.lines_b - 2 * lines.common;
	status = line_diff(a.data, a.size, b.data, b.size, most, &diff, &error);
	EXPECT(status == (differing > most));
	if (status != 0)
		return 0;
	EXPECT(count_changed(diff.is_changed_a, diff.lines_a) == lines.lines_a - lines.common);
	EXPECT(count_changed(diff.is_changed_b, diff.lines_b) == lines.lines_b - lines.common);
	check_hunks(a, b, &diff, room);
	line_diff_release(&diff);
	return 0;
}
