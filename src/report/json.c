/*
 * JSON by RFC 8259: an array of objects, or a line for each (JSON Lines); valid whatever bytes a path holds. A
 * path that is not UTF-8 is shown with U+FFFD in place of what is not, and has
 * beside it the field path_a_hex or path_b_hex with all its bytes.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "report/formatter.h"

static void begin(FILE *out)
{
	fputs("[", out);
}

/* What would act on a display is escaped, though JSON asks for that of C0 alone. */
bool write_json_string(FILE *out, struct bytes text)
{
	bool is_utf8 = true;

	fputc('"', out);
	while (text.size > 0) {
		const unsigned char *b = (const unsigned char *)text.data;
		size_t length = utf8_length(text);
		if (length == 0) {
			fputs("\\ufffd", out);
			is_utf8 = false;
			length = 1;
		} else if (b[0] == '"' || b[0] == '\\') {
			fprintf(out, "\\%c", b[0]);
		} else if (acts_on_display(code_point(b, length))) {
			fprintf(out, "\\u%04" PRIx32, code_point(b, length));
		} else {
			fwrite(b, 1, length, out);
		}
		text.data += length;
		text.size -= length;
	}
	fputc('"', out);
	return is_utf8;
}

static void write_path(FILE *out, const char *name, struct bytes path)
{
	fprintf(out, ",\"%s\":", name);
	if (write_json_string(out, path))
		return;
	fprintf(out, ",\"%s_hex\":\"", name);
	for (size_t i = 0; i < path.size; i++)
		fprintf(out, "%02x", (unsigned char)path.data[i]);
	fputc('"', out);
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	(void)how;
	fprintf(out, "{\"match\":\"%s\",\"distance\":%" PRIu64 ",\"percent\":%.6f,\"changed\":%.6f",
		pair_match(pair), pair->distance, pair_percent(pair), 100 * pair->changed);
	if (pair->verification != PAIR_UNREAD)
		fprintf(out, ",\"confirmation\":\"%s\"", verification_name(pair->verification));
	if (pair->verification == PAIR_CONFIRMED)
		fprintf(out, ",\"contained_a\":%.6f,\"contained_b\":%.6f,\"resemblance\":%.6f",
			pair->contained_a, pair->contained_b, pair->resemblance);
	if (pair->verification == PAIR_MEASURED)
		fprintf(out, ",\"resemblance\":%.6f", pair->resemblance);
	fprintf(out, ",\"size_a\":%" PRId64 ",\"size_b\":%" PRId64, pair->a->size_bytes,
		pair->b->size_bytes);
	write_path(out, "path_a", find_file_display(pair->a));
	write_path(out, "path_b", find_file_display(pair->b));
	fputc('}', out);
}

static void end(FILE *out, uint64_t count)
{
	fputs(count == 0 ? "]\n" : "\n]\n", out);
}

static void write_group(FILE *out, const struct group_line *line)
{
	fprintf(out,
		"{\"group\":%" PRIu64 ",\"files\":%" PRIu64 ",\"bytes\":%" PRId64 ",\"members\":[",
		line->group, line->files, line->bytes);
}

static void group(FILE *out, const struct group_line *line, const struct presentation *how)
{
	(void)how;
	fputs(line->group == 1 ? "\n" : ",\n", out);
	write_group(out, line);
}

static void member(FILE *out, const struct member_line *line, const struct presentation *how)
{
	(void)how;
	fputs(line->role == REPRESENTATIVE ? "" : ",", out);
	fprintf(out, "{\"role\":\"%s\",\"distance\":%" PRIu64 ",\"changed\":%.6f,\"size\":%" PRId64,
		role_name(line->role), line->distance, 100 * line->changed, line->size_bytes);
	write_path(out, "path", line->path);
	fputc('}', out);
}

static void end_group(FILE *out, const struct group_line *line)
{
	(void)line;
	fputs("]}", out);
}

const struct formatter formatter_json = {
	.name = "json",
	.first = "\n",
	.separator = ",\n",
	.begin = begin,
	.pair = write_pair,
	.end = end,
	.begin_groups = begin,
	.group = group,
	.member = member,
	.end_group = end_group,
	.end_groups = end,
};

/* ---- JSON Lines ---- */

static void nothing(FILE *out)
{
	(void)out;
}

static void no_end(FILE *out, uint64_t count)
{
	(void)out;
	(void)count;
}

static void write_pair_line(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	write_pair(out, pair, how);
	fputc('\n', out);
}

static void group_line(FILE *out, const struct group_line *line, const struct presentation *how)
{
	(void)how;
	write_group(out, line);
}

static void end_group_line(FILE *out, const struct group_line *line)
{
	end_group(out, line);
	fputc('\n', out);
}

const struct formatter formatter_jsonl = {
	.name = "jsonl",
	.first = "",
	.separator = "",
	.is_stream = true,
	.begin = nothing,
	.pair = write_pair_line,
	.end = no_end,
	.begin_groups = nothing,
	.group = group_line,
	.member = member,
	.end_group = end_group_line,
	.end_groups = no_end,
};
