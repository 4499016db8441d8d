/*
 * Writing the report.
 * SPDX-License-Identifier: MIT
 */
#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/escape.h"
#include "report/formatter.h"

/* src/report/report.html, which has this where the data goes. */
extern const char report_template[];
static const char data_mark[] = "@DATA@";

#define HISTOGRAM_BINS 40
#define NOT_KNOWN (-1.0)

/* ---- Pieces of JSON ---- */

/* A string that is harmless inside of <script>. */
static void write_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/* A path as everywhere for people: escaped, so that it is UTF-8 without control bytes. */
static int write_path(FILE *out, struct bytes path, struct simhash_error *error)
{
	size_t size;
	char *text = escape_text(path, &size);

	if (text == NULL)
		return error_set_memory(error);
	write_text(out, text);
	free(text);
	return 0;
}

/* ---- The parts of the data ---- */

static const char *how_verified(enum verify_mode mode)
{
	static const char *const names[] = {
		[VERIFY_NO] = "not verified",
		[VERIFY_SKETCH] = "verified by sketches",
		[VERIFY_READ] = "verified by sketches and by reading",
		[VERIFY_ALL] = "verified by reading",
	};

	return names[mode];
}

static void write_head(FILE *out, const struct report *report)
{
	const struct key_space *space = report->space;
	const struct simhash_tag *tags = simhash_tag_set_tags(report->tags);
	const struct simhash_tolerance *tolerance = &report->rule->tolerance;
	time_t now = time(NULL);
	struct tm utc;
	char made[32] = "";

	if (gmtime_r(&now, &utc) != NULL)
		strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", &utc);
	fprintf(out,
		"\"made\":\"%s\",\"version\":\"%s\",\"tolerance\":%.6g,\"how\":\"%s\","
		"\"rows\":%" PRId64 ",\"bytes\":%" PRId64 ",\"identical\":%" PRIu64
		",\"similar\":%" PRIu64 ",\"tags\":[",
		made, SIMHASH_VERSION, (double)tolerance->percent_millionths / 1e6,
		how_verified(report->rule->verify.mode), space->rows, space->bytes,
		report->counts.identical, report->counts.similar);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		fprintf(out, "%s\"%02x\"", t == 0 ? "" : ",", tags[t].pattern);
	fputs("],\"kinds\":[", out);
	for (unsigned i = 0; i < space->kind_count; i++) {
		struct bytes kind = {space->kinds[i], strlen(space->kinds[i])};
		struct simhash_error ignored;
		fputs(i == 0 ? "" : ",", out);
		if (write_path(out, kind, &ignored) != 0)
			fputs("\"?\"", out);
	}
	fputs("]", out);
}

static void write_base64(FILE *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		unsigned b = (unsigned)bytes[i] << 16;
		char four[4] = {0, 0, '=', '='};
		if (i + 1 < size)
			b |= (unsigned)bytes[i + 1] << 8;
		if (i + 2 < size)
			b |= bytes[i + 2];
		four[0] = digits[b >> 18];
		four[1] = digits[b >> 12 & 63];
		if (i + 1 < size)
			four[2] = digits[b >> 6 & 63];
		if (i + 2 < size)
			four[3] = digits[b & 63];
		fwrite(four, 1, 4, out);
	}
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
			write_base64(out, block, used);
			used = 0;
		}
	}
	fputs("\"}", out);
}

/* The distance of a member from its representative, in percent. */
static double member_percent(const struct group *group, const struct group_member *member)
{
	struct file_pair pair = {
		.a = group->representative, .b = member->file, .distance = member->distance};

	return pair_percent(&pair);
}

/*
 * How many members are how far from their representative: copies, steps up to the tolerance, and
 * what is above it, such as a distance of 1 between small files.
 */
static void write_histogram(FILE *out, const struct group_list *groups,
			    const struct simhash_tolerance *tolerance)
{
	uint64_t bins[HISTOGRAM_BINS + 1] = {0}, identical = 0;
	double top = (double)tolerance->percent_millionths / SIMHASH_MILLION;

	for (size_t g = 0; g < groups->count; g++)
		for (size_t m = 0; m < groups->groups[g].count; m++) {
			const struct group *group = &groups->groups[g];
			const struct group_member *member = &groups->members[group->first + m];
			double percent = member_percent(group, member);
			int bin = percent > top ? HISTOGRAM_BINS
				  : top == 0	? 0
						: (int)(percent / top * (HISTOGRAM_BINS - 0.001));
			identical += member->role == ROLE_COPY;
			bins[bin] += member->role == ROLE_MEMBER;
		}
	fprintf(out, ",\"histogram\":{\"identical\":%" PRIu64 ",\"bins\":[", identical);
	for (int i = 0; i <= HISTOGRAM_BINS; i++)
		fprintf(out, "%s%" PRIu64, i == 0 ? "" : ",", bins[i]);
	fputs("]}", out);
}

static int write_file(FILE *out, const struct find_file *file, struct simhash_error *error)
{
	fputc('[', out);
	if (write_path(out, find_file_display(file), error) != 0)
		return -1;
	fprintf(out, ",%" PRId64 ",[", file->size_bytes);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		fprintf(out, "%s%" PRIu64, t == 0 ? "" : ",", file->table.count[t]);
	fputs("]]", out);
	return 0;
}

/* Groups of two and more, each as its files and what they are to the first of them. */
static int write_groups(FILE *out, const struct report *report, struct simhash_error *error)
{
	const struct group_list *groups = report->groups;
	const char *separator = "";
	size_t files = 0, left_out = 0;

	fputs(",\"groups\":[", out);
	for (size_t g = 0; g < groups->count; g++) {
		const struct group *group = &groups->groups[g];
		const struct group_member *members = &groups->members[group->first];
		if (group->count < 2)
			continue;
		if (files + group->count > REPORT_FILES_MAX) {
			left_out++;
			continue;
		}
		files += group->count;
		fprintf(out, "%s\n[", separator);
		separator = ",";
		for (size_t m = 0; m < group->count; m++) {
			bool has_number = has_resemblance(members[m].verification);
			char label[LABEL_SIZE];
			fprintf(out, "%s[%d,%" PRIu64 ",\"%s\",%.6g,", m == 0 ? "" : ",",
				members[m].role == ROLE_COPY, members[m].distance,
				member_label(group, &members[m], label),
				has_number ? members[m].resemblance : NOT_KNOWN);
			if (write_file(out, members[m].file, error) != 0)
				return -1;
			fputc(']', out);
		}
		fputc(']', out);
	}
	fprintf(out, "],\"left_out\":%zu", left_out);
	return 0;
}

int report_write(FILE *out, const struct report *report, struct simhash_error *error)
{
	const char *mark = strstr(report_template, data_mark);
	int status;

	fwrite(report_template, 1, (size_t)(mark - report_template), out);
	fputc('{', out);
	write_head(out, report);
	write_histogram(out, report->groups, &report->rule->tolerance);
	status = write_groups(out, report, error);
	write_points(out, report->space);
	fputc('}', out);
	fputs(mark + strlen(data_mark), out);
	return status;
}

const struct formatter formatter_html = {.name = "html", .is_report = true};
