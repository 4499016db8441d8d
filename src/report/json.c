/*
 * JSON by RFC 8259: an array of objects, or a line for each (JSON Lines); valid whatever bytes a path holds. A
 * path that is not UTF-8 is shown with U+FFFD in place of what is not, and has
 * beside it the field path_a_hex or path_b_hex with all its bytes.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/json.h"
#include "report/formatter.h"

static void write_verification(FILE *out, enum verification verification, double resemblance)
{
	if (has_resemblance(verification))
		fprintf(out, ",\"resemblance\":%.6f", resemblance);
	fprintf(out, ",\"verified\":\"%s\"", verification_name(verification));
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	(void)how;
	fprintf(out, "{\"match\":\"%s\",\"distance\":%" PRIu64 ",\"percent\":%.6f,\"changed\":%.6f",
		pair_match(pair), pair->distance, pair_percent(pair),
		100 * estimated_change(pair->a, pair->b));
	if (confirmation_name(pair)[0] != '\0')
		fprintf(out, ",\"confirmation\":\"%s\"", confirmation_name(pair));
	if (pair->verification == PAIR_READ || pair->is_part)
		fprintf(out, ",\"contained_a\":%.6f,\"contained_b\":%.6f", pair->contained_a,
			pair->contained_b);
	write_verification(out, pair->verification, pair->resemblance);
	fprintf(out, ",\"size_a\":%" PRId64 ",\"size_b\":%" PRId64, pair->a->size_bytes,
		pair->b->size_bytes);
	write_json_field(out, "path_a", find_file_display(pair->a));
	write_json_field(out, "path_b", find_file_display(pair->b));
	fputc('}', out);
}

static void begin_group(FILE *out, const struct group *group, const struct presentation *how)
{
	(void)how;
	fprintf(out,
		"{\"group\":%zu,\"id\":\"%016" PRIx64 "\",\"files\":%zu,\"bytes\":%" PRId64
		",\"copied_bytes\":%" PRId64 ",\"members\":[",
		group->number, group->id, group->count, group->bytes, group->copied_bytes);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	(void)how;
	fputs(member->role == ROLE_REPRESENTATIVE ? "" : ",", out);
	fprintf(out, "{\"role\":\"%s\",\"distance\":%" PRIu64 ",\"changed\":%.6f,\"size\":%" PRId64,
		role_name(member->role), member->distance,
		100 * estimated_change(group->representative, member->file),
		member->file->size_bytes);
	write_verification(out, member->verification, member->resemblance);
	write_json_field(out, "path", find_file_display(member->file));
	fputc('}', out);
}

#define ARRAY_FRAME                                                                         \
	{                                                                                   \
		.begin = "[", .first = "\n", .separator = ",\n", .last = "\n", .end = "]\n" \
	}

const struct formatter formatter_json = {
	.name = "json",
	.pairs = ARRAY_FRAME,
	.groups = ARRAY_FRAME,
	.pair = write_pair,
	.group = begin_group,
	.member = write_member,
	.end_group = "]}",
};

/* ---- JSON Lines ---- */

static void write_pair_line(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	write_pair(out, pair, how);
	fputc('\n', out);
}

const struct formatter formatter_jsonl = {
	.name = "jsonl",
	.is_stream = true,
	.pair = write_pair_line,
	.group = begin_group,
	.member = write_member,
	.end_group = "]}\n",
};
