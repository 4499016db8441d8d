/*
 * Computes the paper's figures about searches (chapter 5) for any index, as tables for gnuplot with
 * comments after #.
 *
 *     figures URL PERCENT              how many pairs pass each step, for each key
 *     figures URL KEY FROM TO FACTOR   the same for one key and the tolerances FROM * FACTOR^k up
 *                                      to TO, in percent
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "statistics.h"
#include "store/open/store.h"

#define TOLERANCES_MAX 1000

struct figures {
	struct find_request request;
	int64_t tolerances[TOLERANCES_MAX]; /* percent, in millionths */
	size_t count;
	bool is_sweep;
};

static struct simhash_error error;

static void check(int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "figures: %s\n", error.message);
	exit(1);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Writes the percentage as it was given: "1", "0.05", "3.25". */
static void write_percent(FILE *out, int64_t millionths, int width)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64,
			      millionths / SIMHASH_MILLION, millionths % SIMHASH_MILLION);

	while (length > 0 && text[length - 1] == '0')
		text[--length] = '\0';
	if (length > 0 && text[length - 1] == '.')
		text[--length] = '\0';
	fprintf(out, "%-*s", width, text);
}

static void write_columns(FILE *out, const struct key_statistics *s)
{
	fprintf(out, " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %13" PRIu64 " %9.6f %15" PRIu64,
		s->key_hits, s->size_rejections, s->sum_table_hits, s->identical,
		share(s->sum_table_hits, s->key_hits), s->exact_hits);
}

static const char column_names[] =
	"        key_hits size_rejections  sum_table_hits     identical     ratio      "
	"exact_hits";

static void write_head(FILE *out, const struct statistics *s)
{
	fprintf(out, "# files %" PRIu64 "\n# bytes %" PRIu64 "\n", s->rows, s->bytes);
}

static void write_stats(FILE *out, const struct statistics *s)
{
	write_head(out, s);
	fputs("# tolerance ", out);
	write_percent(out, s->percent_millionths[0], 0);
	fprintf(out, "\n# %-10s %s %15s\n", "key", column_names, "collisions");
	for (unsigned k = 0; k < SIMHASH_KEYS; k++) {
		fprintf(out, "%-12s", simhash_key_name((enum simhash_key)k));
		write_columns(out, &s->keys[0][k]);
		fprintf(out, " %15" PRIu64 "\n", s->collisions[k]);
	}
}

static void write_sweep(FILE *out, const struct statistics *s, enum simhash_key key)
{
	uint64_t n = s->rows, pairs = n % 2 == 0 ? n / 2 * (n - 1) : n / 2 * n;

	if (n == 0)
		pairs = 0;
	write_head(out, s);
	fprintf(out, "# key %s\n# pairs %" PRIu64 "\n# %-10s %s %12s %12s\n", simhash_key_name(key),
		pairs, "tolerance", column_names, "key_share", "sum_share");
	for (size_t i = 0; i < s->tolerances; i++) {
		const struct key_statistics *row = &s->keys[i][key];
		write_percent(out, s->percent_millionths[i], 12);
		write_columns(out, row);
		fprintf(out, " %12.6e %12.6e\n", share(row->key_hits, pairs),
			share(row->sum_table_hits, pairs));
	}
}

static void add_tolerance(struct figures *figures, int64_t tolerance)
{
	if (figures->count > 0 && figures->tolerances[figures->count - 1] == tolerance)
		return;
	if (figures->count == TOLERANCES_MAX)
		check(error_set(&error, SIMHASH_E_RANGE, "more than %d tolerances",
				TOLERANCES_MAX));
	figures->tolerances[figures->count++] = tolerance;
}

/* The tolerances are FROM * FACTOR^k, each rounded to a millionth. */
static void set_sweep(struct figures *figures, char **words)
{
	double limit = atof(words[2]) * SIMHASH_MILLION, factor = atof(words[3]);
	int64_t from;

	check(simhash_tolerance_parse(words[1], &from, &error));
	if (from <= 0 || factor <= 1)
		check(error_set(&error, SIMHASH_E_RANGE, "FROM must be above 0, FACTOR above 1"));
	figures->is_sweep = true;
	for (unsigned k = 0; k < SIMHASH_KEYS; k++)
		if (strcmp(words[0], simhash_key_name((enum simhash_key)k)) == 0)
			figures->request.rule.key = (enum simhash_key)k;
	for (double t = (double)from; t <= limit + 0.5; t *= factor)
		add_tolerance(figures, (int64_t)(t + 0.5));
}

int main(int argc, char **argv)
{
	struct store_location where = {0};
	struct find_resources resources = {.threads = processors(),
					   .memory_bytes = FIND_MEMORY_DEFAULT};
	struct figures figures = {.count = 0};
	struct statistics statistics;
	struct simhash_tag_set *tags;
	struct store *store;
	int64_t tolerance;

	if (argc != 3 && argc != 6) {
		fputs("usage: figures URL PERCENT | figures URL KEY FROM TO FACTOR\n", stderr);
		return 1;
	}
	find_request_init(&figures.request);
	if (argc == 6) {
		set_sweep(&figures, argv + 2);
	} else {
		check(simhash_tolerance_parse(argv[2], &tolerance, &error));
		add_tolerance(&figures, tolerance);
	}
	where.url = argv[1];
	check(store_open(&where, OPEN_TO_READ, &store, &error));
	check(simhash_tag_set_new_default(&tags, &error));
	figures.request.tags = tags;
	figures.request.host = "localhost";
	check(statistics_take(store, &figures.request, &resources, figures.tolerances,
			      figures.count, &statistics, &error));
	if (figures.is_sweep)
		write_sweep(stdout, &statistics, figures.request.rule.key);
	else
		write_stats(stdout, &statistics);
	statistics_release(&statistics);
	rule_release(&figures.request.rule);
	simhash_tag_set_free(tags);
	store_close(store);
	return fclose(stdout) == 0 ? 0 : 1;
}
