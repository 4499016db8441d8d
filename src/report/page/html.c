/*
 * Fills the template of the report with its data: the head, whole folders, groups, and the points of
 * the key space.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/text/record.h"
#include "report/folders/folders.h"
#include "report/lists/formatter.h"
#include "report/page/html_groups.h"
#include "report/page/html_text.h"

#define WHOLE_FOLDERS_MAX 20

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

static void write_head(FILE *out, const struct report *report)
{
	const struct key_space *space = report->space;
	const struct simhash_tag *tags = simhash_tag_set_tags(report->tags);
	const char *tag_names[SIMHASH_TAGS], *kinds[KEY_SPACE_KINDS];
	char patterns[SIMHASH_TAGS][3];
	const struct field fields[] = {
		FIELD_SHARE(IN_PAGE, "tolerance",
			    (double)report->rule->tolerance.percent_millionths / SIMHASH_MILLION),
		FIELD_WORD(IN_PAGE, "how", how_verified(report->rule->verify.mode)),
		FIELD_SIGNED(IN_PAGE, "rows", space->rows),
		FIELD_SIGNED(IN_PAGE, "bytes", space->bytes),
		FIELD_UNSIGNED(IN_PAGE, "compared", report->counts.rows),
		FIELD_UNSIGNED(IN_PAGE, "empty", report->counts.empty),
		FIELD_PLAIN(IN_PAGE, "without_copies", report->without_copies ? "true" : "false"),
		FIELD_PLAIN(IN_PAGE, "thumbnails", report->with_pictures ? "true" : "false"),
		FIELD_TEXTS(IN_PAGE, "tags", tag_names, SIMHASH_TAGS),
		FIELD_TEXTS(IN_PAGE, "kinds", kinds, space->kind_count),
		FIELDS_END,
	};

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		snprintf(patterns[t], sizeof patterns[t], "%02x", tags[t].pattern);
		tag_names[t] = patterns[t];
	}
	for (unsigned i = 0; i < space->kind_count; i++)
		kinds[i] = space->kinds[i];
	page_write_origin(out, &report->origin);
	fputc(',', out);
	record_write_members(out, RECORD_PAGE, fields);
}

/* Is this a copied folder with more than one file? A single file is already shown in its group. */
static bool is_whole_copy(const struct folder_pair *pair)
{
	return pair->a.files > 1 && pair->saved_bytes > 0;
}

static int write_whole_folder(FILE *out, const struct folder_pairs *found,
			      const struct folder_pair *pair, struct simhash_error *error)
{
	struct bytes names[2];
	char *a = folder_name(found, &found->tree.folders[pair->folder_a], &names[0].size);
	char *b = folder_name(found, &found->tree.folders[pair->folder_b], &names[1].size);

	names[0].data = a;
	names[1].data = b;
	if (a != NULL && b != NULL) {
		fputc('{', out);
		folder_pair_members(out, RECORD_PAGE, pair, names);
		fputc('}', out);
	}
	free(a);
	free(b);
	return a == NULL || b == NULL ? error_set_memory(error) : 0;
}

/* Write whole folders. The folders that free the most space come first. */
static int write_whole_folders(FILE *out, const struct folder_pairs *found,
			       struct simhash_error *error)
{
	size_t shown = 0;

	fputs(",\"folders\":[", out);
	for (size_t i = 0; found != NULL && i < found->count && shown < WHOLE_FOLDERS_MAX; i++) {
		if (!is_whole_copy(&found->pairs[i]))
			continue;
		fputs(shown++ > 0 ? "," : "", out);
		if (write_whole_folder(out, found, &found->pairs[i], error) != 0)
			return -1;
	}
	fputc(']', out);
	return 0;
}

/* A point has 7 bytes: size, key and shifted key, each with the low byte first, and kind. */
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
	write_head(out, report);
	if (write_whole_folders(out, report->folders, error) != 0 ||
	    html_write_groups(out, report, error) != 0)
		return -1;
	write_points(out, report->space);
	fputc('}', out);
	page_end(out, rest);
	return 0;
}

const struct formatter formatter_html = {.name = "html", .is_report = true};
