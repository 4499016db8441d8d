/*
 * Implements simfind --compare: computes every measure of two files. It reads both into memory and
 * opens no index.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/decimal.h"
#include "cli/simfind/find_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "base/text/escape.h"
#include "find/reading/cover.h"
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
};

struct comparison {
	struct compared_file a, b;
	const struct simhash_tag_set *tags;
	const struct find_rule *rule;
	const struct simhash_measure *measure; /* an additional measure; or NULL */
	FILE *out;
};

static bool are_equal(const struct comparison *c)
{
	return c->a.size == c->b.size &&
	       (c->a.size == 0 || memcmp(c->a.bytes, c->b.bytes, c->a.size) == 0);
}

static void begin_line(struct comparison *c, const char *measure, double similarity)
{
	fprintf(c->out, "%-22s ", measure);
	if (similarity < 0)
		fprintf(c->out, "%10s  ", "-");
	else
		fprintf(c->out, "%9.4f%%  ",
			100 * shown_share(similarity, are_equal(c), SIMHASH_MILLION));
}

/* Returns -1 if there is nothing to have a share of. */
static double share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? -1 : (double)part / (double)whole;
}

static double percent(double share)
{
	return share < 0 ? 0 : 100 * share;
}

/* The same for a contained share, to two decimals. */
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

	begin_line(c, "sum table", !has_both ? -1 : apart > 1 ? 0 : 1 - apart);
	fprintf(c->out, "distance %" PRIu64 ", %.4f%% of the mean size: %s at %g%%\n", distance,
		percent(apart), is_similar ? "similar" : "not similar",
		(double)c->rule->tolerance.percent_millionths / SIMHASH_MILLION);
}

static void write_resemblance(struct comparison *c)
{
	struct simhash_resemblance_sketch a, b;
	double resemblance = -1;

	simhash_resemblance_sketch_compute(c->a.bytes, c->a.size, &a);
	simhash_resemblance_sketch_compute(c->b.bytes, c->b.size, &b);
	if (!simhash_resemblance_estimate(&a, (int64_t)c->a.size, &b, (int64_t)c->b.size,
					  &resemblance))
		resemblance = -1;
	begin_line(c, "resemblance sketch", resemblance);
	fputs(resemblance < 0 ? "too small for an estimate\n"
			      : "estimated from 128 bytes of each\n",
	      c->out);
}

static struct cover_source source_of(const struct compared_file *content)
{
	return (struct cover_source){
		.bytes = (const uint8_t *)content->bytes, .fd = -1, .size = content->size};
}

static int write_cover(struct comparison *c, struct simhash_error *error)
{
	struct compared_file *const contents[] = {&c->a, &c->b};
	double found[2] = {0, 0};

	for (int i = 0; i < 2; i++) {
		struct cover_source in = source_of(contents[1 - i]);
		struct cover_source of = source_of(contents[i]);
		struct cover_index index;
		if (in.size == 0 || of.size == 0)
			continue;
		if (cover_index_init(&index, &in, error) != 0)
			return -1;
		found[i] = (double)cover_measure(&index, &in, &of, 0);
		cover_index_release(&index);
	}
	begin_line(c, "cover",
		   c->a.size + c->b.size == 0
			   ? -1
			   : (found[0] + found[1]) / (double)(c->a.size + c->b.size));
	fprintf(c->out, "bytes contained: %.2f%% of A in B, %.2f%% of B in A\n",
		c->a.size == 0 ? 0 : contained_percent(found[0] / (double)c->a.size),
		c->b.size == 0 ? 0 : contained_percent(found[1] / (double)c->b.size));
	return 0;
}

/* A measure that would take too long is not a failure. */
static int is_left_out(struct comparison *c, const char *name, int status,
		       const struct simhash_error *error)
{
	if (status == 0 || error->code != SIMHASH_E_RANGE)
		return status;
	begin_line(c, name, -1);
	fputs("omitted: it would take too long\n", c->out);
	return 1;
}

static bool is_too_large(struct comparison *c, const char *name)
{
	if (c->a.size + c->b.size <= BYTES_MAX)
		return false;
	begin_line(c, name, -1);
	fputs("omitted: the files are too large\n", c->out);
	return true;
}

static int write_lcs(struct comparison *c, struct simhash_error *error)
{
	struct simhash_lcs_lines lines;
	uint64_t length;
	int status = simhash_lcs_lines(c->a.bytes, c->a.size, c->b.bytes, c->b.size, LCS_STEPS_MAX,
				       &lines, error);

	status = is_left_out(c, "LCS of lines", status, error);
	if (status < 0)
		return -1;
	if (status == 0) {
		begin_line(c, "LCS of lines",
			   share(2 * lines.common, lines.lines_a + lines.lines_b));
		fprintf(c->out,
			"%" PRIu64 " lines in common, in order, of %" PRIu64 " and %" PRIu64 "\n",
			lines.common, lines.lines_a, lines.lines_b);
	}
	if (is_too_large(c, "LCS of bytes"))
		return 0;
	status = simhash_lcs_bytes(c->a.bytes, c->a.size, c->b.bytes, c->b.size, LCS_STEPS_MAX,
				   &length, error);
	status = is_left_out(c, "LCS of bytes", status, error);
	if (status < 0)
		return -1;
	if (status == 0) {
		begin_line(c, "LCS of bytes", share(2 * length, c->a.size + c->b.size));
		fprintf(c->out, "%" PRIu64 " bytes in common, in order, of %zu and %zu\n", length,
			c->a.size, c->b.size);
	}
	return 0;
}

static int write_overlaps(struct comparison *c, struct simhash_error *error)
{
	static const struct {
		const char *name, *features, *what;
		bool is_bag;
	} kinds[] = {
		{"bag of words", "words", "words", true},
		{"set of words", "words", "words", false},
		{"shingles of 4 words", "words=4", "shingles", false},
		{"shingles of 8 bytes", "bytes=8", "shingles", false},
		{"shingles of 32 bytes", "bytes=32", "shingles", false},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct simhash_overlap o;
		bool is_bag = kinds[i].is_bag;
		if (is_too_large(c, kinds[i].name))
			continue;
		if (simhash_overlap(kinds[i].features, c->a.bytes, c->a.size, c->b.bytes, c->b.size,
				    &o, error) != 0)
			return -1;
		begin_line(c, kinds[i].name,
			   is_bag ? share(o.bag_both, o.bag_either) : share(o.both, o.either));
		fprintf(c->out,
			"%" PRIu64 " %s in both, of %" PRIu64 " and %" PRIu64
			"; contained: %.2f%% of A, %.2f%% of B\n",
			is_bag ? o.bag_both : o.both, kinds[i].what, is_bag ? o.bag_a : o.a,
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
	size_t bits;

	if (make_sketch(measure, &c->a, a, &features_a, error) != 0 ||
	    make_sketch(measure, &c->b, b, &features_b, error) != 0)
		return -1;
	if (features_a == 0 || features_b == 0) {
		begin_line(c, text, -1);
		fputs("a file has no features of this measure\n", c->out);
		return 0;
	}
	similarity = simhash_sketch_similarity(measure, a, b, &deviation);
	bits = 8 * simhash_measure_sketch_size(measure);
	begin_line(c, text, similarity);
	if (strncmp(text, "simhash", 7) == 0) {
		fprintf(c->out, "%.0f of %zu bits differ\n", (1 - similarity) * (double)bits, bits);
		return 0;
	}
	if (deviation == 0)
		fputs("Jaccard index, exact", c->out);
	else
		fprintf(c->out, "Jaccard index, estimated within about %.2f%%", 100 * deviation);
	fputs(simhash_sketch_cluster(measure, a) == simhash_sketch_cluster(measure, b)
		      ? "; the same cluster\n"
		      : "\n",
	      c->out);
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

static void write_name(FILE *out, char letter, const struct compared_file *content)
{
	fprintf(out, "%c  %12zu bytes  ", letter, content->size);
	write_escaped(out, bytes_of(content->path));
	fputc('\n', out);
}

static int write_all(struct comparison *c, struct simhash_error *error)
{
	bool same = c->a.size == c->b.size && memcmp(c->a.bytes, c->b.bytes, c->a.size) == 0;

	write_name(c->out, 'A', &c->a);
	write_name(c->out, 'B', &c->b);
	fprintf(c->out, "%s\n\n%-22s %10s\n", same ? "identical" : "not identical", "measure",
		"similar");
	write_sum_tables(c);
	write_resemblance(c);
	return write_cover(c, error) != 0 || write_lcs(c, error) != 0 ||
			       write_overlaps(c, error) != 0 || write_sketches(c, error) != 0
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
			       .out = out};
	int status = read_content(path_a, &c.a, error);

	if (status == 0)
		status = read_content(path_b, &c.b, error);
	if (status == 0) {
		simhash_sum_table_compute(tags, c.a.bytes, c.a.size, &c.a.table);
		simhash_sum_table_compute(tags, c.b.bytes, c.b.size, &c.b.table);
		status = write_all(&c, error);
	}
	free(c.a.bytes);
	free(c.b.bytes);
	return status;
}
