/*
 * Writes the report: the template, the head of its data, and the points of the key space.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html.h"

#include <inttypes.h>
#include <string.h>

#include "report/lists/formatter.h"
#include "report/page/html_groups.h"
#include "report/page/html_text.h"

/* src/report/page/report.html */
extern const char report_template[];

/* ---- The parts of the data ---- */

static const char *how_verified(enum verify_mode mode)
{
	static const char *const names[] = {
		[VERIFY_NO] = "no",
		[VERIFY_SKETCH] = "sketch",
		[VERIFY_READ] = "read",
		[VERIFY_ALL] = "all",
	};

	return names[mode];
}

static int write_head(FILE *out, const struct report *report, struct simhash_error *error)
{
	const struct key_space *space = report->space;
	const struct simhash_tag *tags = simhash_tag_set_tags(report->tags);
	const struct simhash_tolerance *tolerance = &report->rule->tolerance;

	if (page_write_origin(out, &report->origin, error) != 0)
		return -1;
	fprintf(out,
		",\"tolerance\":%.6g,\"how\":\"%s\",\"rows\":%" PRId64 ",\"bytes\":%" PRId64
		",\"compared\":%" PRIu64 ",\"thumbnails\":%s,\"tags\":[",
		(double)tolerance->percent_millionths / 1e6,
		how_verified(report->rule->verify.mode), space->rows, space->bytes,
		report->counts.rows, report->with_pictures ? "true" : "false");
	for (int t = 0; t < SIMHASH_TAGS; t++)
		fprintf(out, "%s\"%02x\"", t == 0 ? "" : ",", tags[t].pattern);
	fputs("],\"kinds\":[", out);
	for (unsigned i = 0; i < space->kind_count; i++) {
		fputs(i == 0 ? "" : ",", out);
		if (html_write_path(out, bytes_of(space->kinds[i]), error) != 0)
			return -1;
	}
	fputs("]", out);
	return 0;
}

/* 7 bytes a point: size, key and shifted key, the low byte first, and kind. */
static void write_points(FILE *out, const struct key_space *space)
{
	uint8_t block[7 * 3 * 64];
	size_t used = 0;

	fprintf(out, ",\"points\":{\"count\":%zu,\"data\":\"", space->count);
	for (size_t i = 0; i < space->count; i++) {
		const struct key_point *p = &space->points[i];
		const uint8_t bytes[7] = {(uint8_t)p->size,	   (uint8_t)(p->size >> 8),
					  (uint8_t)p->key,	   (uint8_t)(p->key >> 8),
					  (uint8_t)p->shifted_key, (uint8_t)(p->shifted_key >> 8),
					  (uint8_t)p->kind};
		memcpy(block + used, bytes, sizeof bytes);
		used += sizeof bytes;
		if (used == sizeof block || i + 1 == space->count) {
			html_write_base64(out, block, used);
			used = 0;
		}
	}
	fputs("\"}", out);
}

int report_write(FILE *out, const struct report *report, struct simhash_error *error)
{
	const char *rest = page_begin(out, report_template);

	fputc('{', out);
	if (write_head(out, report, error) != 0 || html_write_groups(out, report, error) != 0)
		return -1;
	write_points(out, report->space);
	fputc('}', out);
	page_end(out, rest);
	return 0;
}

const struct formatter formatter_html = {.name = "html", .is_report = true};
