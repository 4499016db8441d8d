/*
 * Implements simfind --compare: computes every measure of two files. It reads both into memory and
 * opens no index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "base/text/columns.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "find/reading/cover.h"
#include "report/lists/listing.h"
#include "report/lists/marked.h"
#include "simhash_measures.h"

/* Takes some seconds; measures that would take longer are left out. */
#define LCS_STEPS_MAX UINT64_C(4000000000)

/* Shingles need about 24 bytes of memory for each byte of both files; other measures need less. */
#define BYTES_MAX ((size_t)256 << 20)

/* Larger files are refused before they are read; the size of pipes and devices is unknown. */
#define FILE_MAX ((size_t)UINT32_MAX)
#define PIPE_MAX BYTES_MAX

struct compared_file {
	const char *path;
	char *bytes;
	size_t size;
	struct simhash_sum_table table;
	struct simhash_resemblance_sketch sketch;
};

struct comparison {
	struct compared_file a, b;
	const struct simhash_tag_set *tags;
	const struct find_rule *rule;
	const struct simhash_measure *measure; /* an additional measure; or NULL */
	FILE *out;
	struct presentation how;
	bool lacks_memory; /* for a line of the result */
	double found[2];   /* the bytes of A that are in B, and the bytes of B that are in A */
};

static bool are_equal(const struct comparison *c)
{
	return c->a.size == c->b.size &&
	       (c->a.size == 0 || memcmp(c->a.bytes, c->b.bytes, c->a.size) == 0);
}

#define NAME_COLUMNS 24
#define RESULT_COLUMNS 10
#define DETAILS_COLUMN (NAME_COLUMNS + RESULT_COLUMNS + 2)

#define SAME_TEXT 2.0

/* Only identical files get 100 %. A similarity below 0 is unknown. */
static void write_result(FILE *out, double similarity, bool is_same)
{
	char text[32] = "-";

	if (similarity == SAME_TEXT)
		snprintf(text, sizeof text, "same text");
	else if (similarity > 0.999999 && !is_same)
		snprintf(text, sizeof text, ">99.99 %%");
	else if (similarity >= 0)
		snprintf(text, sizeof text, "%.4f %%",
			 100 * shown_share(similarity, is_same, SIMHASH_MILLION));
	fprintf(out, "%*s  ", RESULT_COLUMNS, text);
}

/*
 * Write the details in as many lines as necessary. A tilde is written as a blank at which no line
 * is broken. -1 if memory is short.
 */
static int write_details(FILE *out, const char *details, size_t columns)
{
	char *text = NULL;
	size_t size;
	FILE *wrapped = open_memstream(&text, &size);

	if (wrapped == NULL)
		return -1;
	write_wrapped(wrapped, details, columns);
	if (close_text(wrapped, &text) != 0)
		return -1;
	for (char *tilde; (tilde = strchr(text, '~')) != NULL;)
		*tilde = ' ';
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		fprintf(out, "%*s%.*s\n", line == text ? 0 : DETAILS_COLUMN, "", (int)(end - line),
			line);
	free(text);
	return 0;
}

__attribute__((format(printf, 4, 5))) static void
write_measure(struct comparison *c, const char *measure, double similarity, const char *format, ...)
{
	size_t columns = c->how.has_marks && c->how.columns > DETAILS_COLUMN
				 ? c->how.columns - DETAILS_COLUMN
				 : SIZE_MAX;
	char *details = NULL;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vasprintf(&details, format, arguments);
	va_end(arguments);
	if (size < 0) {
		c->lacks_memory = true;
		return;
	}
	fprintf(c->out, "%-*s", NAME_COLUMNS, measure);
	if (text_columns(bytes_of(measure)) >= NAME_COLUMNS)
		fprintf(c->out, "\n%*s", NAME_COLUMNS, "");
	write_result(c->out, similarity, are_equal(c));
	if (write_details(c->out, details, columns) != 0)
		c->lacks_memory = true;
	free(details);
}

/* Return the share, or -1 if the whole is 0. */
static double share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? -1 : (double)part / (double)whole;
}

static double percent(double share)
{
	return share < 0 ? 0 : 100 * share;
}

/* Return a contained share in percent, to two decimals. An undefined share is 0. */
static double contained_percent(double share)
{
	return share < 0 ? 0 : 100 * shown_share(share, share >= 1, 10000);
}

static void write_sum_tables(struct comparison *c)
{
	int64_t size_a = (int64_t)c->a.size, size_b = (int64_t)c->b.size;
	uint64_t distance = simhash_distance(&c->a.table, &c->b.table);
	double apart = share(2 * distance, c->a.size + c->b.size);
	bool has_both = size_a > 0 && size_b > 0;
	bool is_similar = simhash_sum_table_hit(&c->rule->tolerance, distance, size_a, size_b) &&
			  simhash_sizes_agree(&c->rule->tolerance, size_a, size_b);

	write_measure(c, "sum table",
		      !has_both	  ? -1
		      : apart > 1 ? 0
				  : 1 - apart,
		      "distance %" PRIu64 ", %.4f~%% of the mean size: %s at %g~%%", distance,
		      percent(apart), is_similar ? "similar" : "not similar",
		      (double)c->rule->tolerance.percent_millionths / SIMHASH_MILLION);
}

/* If two files differ and 128 registers are equal, fewer than one in 128 shingles differ. */
#define ESTIMATE_MAX 0.995

static void write_resemblance(struct comparison *c)
{
	const struct simhash_resemblance_sketch *a = &c->a.sketch, *b = &c->b.sketch;
	double resemblance = -1;

	if (simhash_resemblance_same_text(a, b) && !are_equal(c))
		resemblance = SAME_TEXT;
	else if (!simhash_resemblance_estimate(a, (int64_t)c->a.size, b, (int64_t)c->b.size,
					       &resemblance))
		resemblance = -1;
	if (resemblance > ESTIMATE_MAX && resemblance != SAME_TEXT && !are_equal(c))
		resemblance = ESTIMATE_MAX;
	write_measure(c, "resemblance sketch", resemblance, "%s",
		      resemblance == SAME_TEXT ? "they differ only in white space or encoding"
		      : resemblance < 0	       ? "too small for an estimate"
					       : "estimated from 128 bytes of each");
}

static struct cover_source source_of(const struct compared_file *content)
{
	return (struct cover_source){
		.bytes = (const uint8_t *)content->bytes, .fd = -1, .size = content->size};
}

static int find_cover(struct comparison *c, struct simhash_error *error)
{
	struct compared_file *const contents[] = {&c->a, &c->b};

	for (int i = 0; i < 2; i++) {
		struct cover_source in = source_of(contents[1 - i]);
		struct cover_source of = source_of(contents[i]);
		struct cover_index index;
		if (in.size == 0 || of.size == 0)
			continue;
		if (cover_index_init(&index, &in, error) != 0)
			return -1;
		c->found[i] = (double)cover_measure(&index, &in, &of, 0);
		cover_index_release(&index);
	}
	return 0;
}

/* Return the share of both files that is in the other file, or -1 if both files are empty. */
static double resemblance_of(const struct comparison *c)
{
	size_t size = c->a.size + c->b.size;

	return size == 0 ? -1 : (c->found[0] + c->found[1]) / (double)size;
}

static void write_cover(struct comparison *c)
{
	write_measure(c, "bytes in both", resemblance_of(c),
		      "%.2f~%% of A is in B, %.2f~%% of B is in A",
		      c->a.size == 0 ? 0 : contained_percent(c->found[0] / (double)c->a.size),
		      c->b.size == 0 ? 0 : contained_percent(c->found[1] / (double)c->b.size));
}

/* A measure that would take too long is not a failure. */
static int is_left_out(struct comparison *c, const char *name, int status,
		       const struct simhash_error *error)
{
	if (status == 0 || error->code != SIMHASH_E_RANGE)
		return status;
	write_measure(c, name, -1, "omitted: it would take too long");
	return 1;
}

static bool is_too_large(struct comparison *c, const char *name)
{
	if (c->a.size + c->b.size <= BYTES_MAX)
		return false;
	write_measure(c, name, -1, "omitted: the files are too large");
	return true;
}

#define LINES "lines in order"
#define BYTES "bytes in order"

static int write_lcs(struct comparison *c, struct simhash_error *error)
{
	struct simhash_lcs_lines lines;
	uint64_t length;
	int status = simhash_lcs_lines(c->a.bytes, c->a.size, c->b.bytes, c->b.size, LCS_STEPS_MAX,
				       &lines, error);

	status = is_left_out(c, LINES, status, error);
	if (status < 0)
		return -1;
	if (status == 0)
		write_measure(c, LINES, share(2 * lines.common, lines.lines_a + lines.lines_b),
			      "%" PRIu64 " in common, of %" PRIu64 " and %" PRIu64, lines.common,
			      lines.lines_a, lines.lines_b);
	if (is_too_large(c, BYTES))
		return 0;
	status = simhash_lcs_bytes(c->a.bytes, c->a.size, c->b.bytes, c->b.size, LCS_STEPS_MAX,
				   &length, error);
	status = is_left_out(c, BYTES, status, error);
	if (status < 0)
		return -1;
	if (status == 0)
		write_measure(c, BYTES, share(2 * length, c->a.size + c->b.size),
			      "%" PRIu64 " in common, of %zu and %zu", length, c->a.size,
			      c->b.size);
	return 0;
}

static int write_overlaps(struct comparison *c, struct simhash_error *error)
{
	static const struct {
		const char *name, *features;
		bool is_bag;
	} kinds[] = {
		{"words with repeats", "words", true},	 {"different words", "words", false},
		{"runs of 4 words", "words=4", false},	 {"runs of 8 bytes", "bytes=8", false},
		{"runs of 32 bytes", "bytes=32", false},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct simhash_overlap o;
		bool is_bag = kinds[i].is_bag;
		if (is_too_large(c, kinds[i].name))
			continue;
		if (simhash_overlap(kinds[i].features, c->a.bytes, c->a.size, c->b.bytes, c->b.size,
				    &o, error) != 0)
			return -1;
		write_measure(
			c, kinds[i].name,
			is_bag ? share(o.bag_both, o.bag_either) : share(o.both, o.either),
			"%" PRIu64 " in both, of %" PRIu64 " and %" PRIu64
			": %.2f~%% of A, %.2f~%% of B",
			is_bag ? o.bag_both : o.both, is_bag ? o.bag_a : o.a,
			is_bag ? o.bag_b : o.b,
			contained_percent(is_bag ? share(o.bag_both, o.bag_a) : share(o.both, o.a)),
			contained_percent(is_bag ? share(o.bag_both, o.bag_b)
						 : share(o.both, o.b)));
	}
	return 0;
}

static int make_sketch(const struct simhash_measure *measure, const struct compared_file *content,
		       uint8_t *sketch, uint64_t *features, struct simhash_error *error)
{
	struct simhash_sketcher *sketcher;
	int status;

	if (simhash_sketcher_new(measure, &sketcher, error) != 0)
		return -1;
	simhash_sketcher_update(sketcher, content->bytes, content->size);
	status = simhash_sketcher_finish(sketcher, sketch, SIMHASH_SKETCH_MAX, features, error);
	simhash_sketcher_free(sketcher);
	return status;
}

static int write_sketch(struct comparison *c, const char *text,
			const struct simhash_measure *measure, struct simhash_error *error)
{
	uint8_t a[SIMHASH_SKETCH_MAX], b[SIMHASH_SKETCH_MAX];
	uint64_t features_a, features_b;
	double similarity, deviation;
	const char *cluster = "";
	size_t bits;

	if (make_sketch(measure, &c->a, a, &features_a, error) != 0 ||
	    make_sketch(measure, &c->b, b, &features_b, error) != 0)
		return -1;
	if (features_a == 0 || features_b == 0) {
		write_measure(c, text, -1, "a file has no features of this measure");
		return 0;
	}
	similarity = simhash_sketch_similarity(measure, a, b, &deviation);
	if (simhash_sketch_cluster(measure, a) == simhash_sketch_cluster(measure, b))
		cluster = "; the same cluster";
	bits = 8 * simhash_measure_sketch_size(measure);
	if (strncmp(text, "simhash", 7) == 0)
		write_measure(c, text, similarity, "%.0f of %zu bits differ",
			      (1 - similarity) * (double)bits, bits);
	else if (deviation == 0)
		write_measure(c, text, similarity, "Jaccard index, exact%s", cluster);
	else
		write_measure(c, text, similarity,
			      "Jaccard index, estimated; standard error %.2f~%%%s", 100 * deviation,
			      cluster);
	return 0;
}

static int write_sketches(struct comparison *c, struct simhash_error *error)
{
	static const char *const features[] = {"", ":words"};

	for (unsigned i = 0; simhash_measure_name(i) != NULL; i++)
		for (int k = 0; k < 2; k++) {
			struct simhash_measure *measure;
			char text[64];
			int status;
			snprintf(text, sizeof text, "%s%s", simhash_measure_name(i), features[k]);
			if (simhash_measure_new(text, &measure, error) != 0)
				return -1;
			status = write_sketch(c, text, measure, error);
			simhash_measure_free(measure);
			if (status != 0)
				return -1;
		}
	return c->measure == NULL
		       ? 0
		       : write_sketch(c, simhash_measure_text(c->measure), c->measure, error);
}

/* Write a whole percentage; only all bytes are 100 % and only no bytes are 0 %. */
static void write_share(FILE *out, double found, size_t size, char of, char in)
{
	double part = size == 0 ? 0 : found / (double)size;

	if (size > 0 && part >= 1)
		fprintf(out, "all of %c is in %c", of, in);
	else if (found <= 0)
		fprintf(out, "nothing of %c is in %c", of, in);
	else if (part < 0.005 || part > 0.995)
		fprintf(out, "%s of %c is in %c", part < 0.5 ? "<1 %" : ">99 %", of, in);
	else
		fprintf(out, "%.0f %% of %c is in %c", 100 * part, of, in);
}

/* Write the resemblance as a sentence. */
static void write_sentence(FILE *out, const struct comparison *c)
{
	double resemblance = resemblance_of(c);

	if (are_equal(c)) {
		fputs("A and B are identical.", out);
		return;
	}
	if (simhash_resemblance_same_text(&c->a.sketch, &c->b.sketch))
		fputs("same text; ", out);
	else if (resemblance > 0.995)
		fputs(">99 % resemblance; ", out);
	else if (resemblance > 0 && resemblance < 0.005)
		fputs("<1 % resemblance; ", out);
	else
		fprintf(out, "%.0f %% resemblance; ", resemblance < 0 ? 0 : 100 * resemblance);
	write_share(out, c->found[0], c->a.size, 'A', 'B');
	fputs(", and ", out);
	write_share(out, c->found[1], c->b.size, 'B', 'A');
	fputc('.', out);
}

/* Write the name of a file and its size: "35.7 kB (35,706 bytes)". */
static void write_name(const struct comparison *c, char letter, const struct compared_file *content)
{
	char bytes[32], count[32];

	fprintf(c->out, "%c  ", letter);
	write_escaped(c->out, bytes_of(content->path));
	if (content->size < 1000)
		fprintf(c->out, "  %zu byte%s\n", content->size, content->size == 1 ? "" : "s");
	else
		fprintf(c->out, "  %s (%s bytes)\n", format_bytes((double)content->size, bytes),
			format_count(content->size, count));
}

static int write_all(struct comparison *c, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (find_cover(c, error) != 0)
		return -1;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_sentence(out, c);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	write_wrapped(c->out, text, c->how.has_marks ? c->how.columns : SIZE_MAX);
	free(text);
	fputc('\n', c->out);
	write_name(c, 'A', &c->a);
	write_name(c, 'B', &c->b);
	fprintf(c->out, "\n%-*s%*s  %s\n", NAME_COLUMNS, "measure", RESULT_COLUMNS, "result",
		"details");
	write_cover(c);
	write_resemblance(c);
	write_sum_tables(c);
	return write_lcs(c, error) != 0 || write_overlaps(c, error) != 0 ||
			       write_sketches(c, error) != 0
		       ? -1
		       : 0;
}

static int read_content(const char *path, struct compared_file *content,
			struct simhash_error *error)
{
	struct stat status;
	bool is_pipe = strcmp(path, "-") == 0 ||
		       (stat(path, &status) == 0 && !S_ISREG(status.st_mode));

	return read_file(path, is_pipe ? PIPE_MAX : FILE_MAX, &content->bytes, &content->size,
			 error);
}

int compare_files(const char *path_a, const char *path_b, const struct simhash_tag_set *tags,
		  const struct find_rule *rule, const struct simhash_measure *measure, FILE *out,
		  struct simhash_error *error)
{
	struct comparison c = {.a = {.path = path_a},
			       .b = {.path = path_b},
			       .tags = tags,
			       .rule = rule,
			       .measure = measure,
			       .out = out,
			       .how = presentation_of(out, &formatter_text)};
	int status = read_content(path_a, &c.a, error);

	if (status == 0)
		status = read_content(path_b, &c.b, error);
	if (status == 0) {
		simhash_sum_table_compute(tags, c.a.bytes, c.a.size, &c.a.table);
		simhash_sum_table_compute(tags, c.b.bytes, c.b.size, &c.b.table);
		simhash_resemblance_sketch_compute(c.a.bytes, c.a.size, &c.a.sketch);
		simhash_resemblance_sketch_compute(c.b.bytes, c.b.size, &c.b.sketch);
		status = write_all(&c, error);
	}
	if (status == 0 && c.lacks_memory)
		status = error_set_memory(error);
	free(c.a.bytes);
	free(c.b.bytes);
	return status;
}
