/*
 * JSON by RFC 8259: an array of objects, or a line for each (JSON Lines); valid whatever bytes a
 * path holds. A path that is not UTF-8 is shown with U+FFFD in place of what is not, and has beside
 * it the field path_a_hex or path_b_hex with all its bytes.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/text/decimal.h"
#include "base/text/json.h"
#include "report/lists/formatter.h"

static void put_share(struct line_buffer *line, const char *name, double share)
{
	line_put(line, name);
	line_put_millionths(line, share);
}

static void put_verification(struct line_buffer *line, enum verification verification,
			     bool is_identical, double resemblance)
{
	if (has_resemblance(verification))
		put_share(line, ",\"resemblance\":",
			  shown_share(resemblance, is_identical, SIMHASH_MILLION));
	line_put(line, ",\"verified\":\"");
	line_put(line, verification_name(verification));
	line_put(line, "\"");
}

static void write_ended(FILE *out, const struct file_pair *pair, const char *end)
{
	struct line_buffer line = {.out = out};

	line_put(&line, "{\"match\":\"");
	line_put(&line, pair_match(pair));
	line_put(&line, "\",\"distance\":");
	line_put_unsigned(&line, pair->distance);
	put_share(&line, ",\"percent\":", pair_percent(pair));
	put_share(&line, ",\"changed\":", 100 * estimated_change(pair->a, pair->b));
	if (confirmation_name(pair)[0] != '\0') {
		line_put(&line, ",\"confirmation\":\"");
		line_put(&line, confirmation_name(pair));
		line_put(&line, "\"");
	}
	if (pair->verification == PAIR_READ || pair->is_part) {
		put_share(&line, ",\"contained_a\":", pair->contained_a);
		put_share(&line, ",\"contained_b\":", pair->contained_b);
	}
	put_verification(&line, pair->verification, pair->is_identical, pair->resemblance);
	line_put(&line, ",\"size_a\":");
	line_put_signed(&line, pair->a->size_bytes);
	line_put(&line, ",\"size_b\":");
	line_put_signed(&line, pair->b->size_bytes);
	line_put_json_field(&line, "path_a", find_file_display(pair->a));
	line_put_json_field(&line, "path_b", find_file_display(pair->b));
	line_put(&line, end);
	line_flush(&line);
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	(void)how;
	write_ended(out, pair, "}");
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
	struct line_buffer line = {.out = out};

	(void)how;
	line_put(&line, member->role == ROLE_REPRESENTATIVE ? "" : ",");
	line_put(&line, "{\"role\":\"");
	line_put(&line, role_name(member->role));
	line_put(&line, "\",\"distance\":");
	line_put_unsigned(&line, member->distance);
	put_share(&line,
		  ",\"changed\":", 100 * estimated_change(group->representative, member->file));
	line_put(&line, ",\"size\":");
	line_put_signed(&line, member->file->size_bytes);
	put_verification(&line, member->verification,
			 are_identical(group->representative, member->file), member->resemblance);
	line_put_json_field(&line, "path", find_file_display(member->file));
	line_put(&line, "}");
	line_flush(&line);
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
	(void)how;
	write_ended(out, pair, "}\n");
}

const struct formatter formatter_jsonl = {
	.name = "jsonl",
	.is_stream = true,
	.pair = write_pair_line,
	.group = begin_group,
	.member = write_member,
	.end_group = "]}\n",
};
