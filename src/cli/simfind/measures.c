/*
 * Writing what was counted of finding.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include <inttypes.h>

#include "find/pairs/statistics.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

/* "1", "0.05", "3.25": as it was given. */
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

int write_measures(const struct find_arguments *arguments, struct store *store, FILE *out,
		   struct simhash_error *error)
{
	struct statistics statistics;

	if (statistics_take(store, &arguments->request, &arguments->resources,
			    arguments->tolerances, arguments->tolerance_count, &statistics,
			    error) != 0)
		return -1;
	if (arguments->is_sweep)
		write_sweep(out, &statistics, arguments->request.rule.key);
	else
		write_stats(out, &statistics);
	statistics_release(&statistics);
	return 0;
}
