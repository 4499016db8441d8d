/*
 * Candidates and the rule by which two of them are similar (paper, 4.2).
 * Leaves the search for candidates to sweep.c and query.c.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "find/find.h"

static int add_host(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct finder *finder = context;
	size_t count = finder->host_count;
	struct host_name *grown = realloc(finder->hosts, (count + 1) * sizeof *grown);

	if (grown == NULL)
		return error_set_memory(error);
	finder->hosts = grown;
	grown[count].id = id;
	grown[count].name = strndup(name.data, name.size);
	if (grown[count].name == NULL)
		return error_set_memory(error);
	finder->host_count++;
	return 0;
}

int finder_init(struct finder *finder, struct store *store, const struct find_options *options,
		struct simhash_error *error)
{
	*finder = (struct finder){.store = store, .options = options};
	if (store_tag_set_id(store, options->tags, false, &finder->tag_set, error) == 0 &&
	    store_host_id(store, options->host, false, &finder->local_host, error) == 0 &&
	    store_read_hosts(store, add_host, finder, error) == 0)
		return 0;
	finder_release(finder);
	return -1;
}

void finder_release(struct finder *finder)
{
	for (size_t i = 0; i < finder->host_count; i++)
		free(finder->hosts[i].name);
	free(finder->hosts);
	free(finder->other_classes);
	free(finder->buffers);
	*finder = (struct finder){.store = NULL};
}

/* The name to show before a path; "" for this host. */
static const char *host_prefix(const struct finder *finder, int64_t host)
{
	if (host == finder->local_host)
		return "";
	for (size_t i = 0; i < finder->host_count; i++)
		if (finder->hosts[i].id == host)
			return finder->hosts[i].name;
	return "?";
}

struct candidate *candidate_new(const struct finder *finder, const struct file_row *row)
{
	const char *host = host_prefix(finder, row->host);
	size_t prefix = host[0] == '\0' ? 0 : strlen(host) + 1;
	size_t slash = row->directory.size == 1 ? 0 : 1; /* "/" has its own */
	size_t size = prefix + row->directory.size + slash + row->name.size;
	struct candidate *made = malloc(sizeof *made + size + 1);
	char *write;

	if (made == NULL)
		return NULL;
	*made = (struct candidate){.host = row->host,
				   .size_bytes = row->size_bytes,
				   .key = row->keys.key[finder->options->key],
				   .table = row->table,
				   .display_size = size};
	memcpy(made->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		made->total += row->table.count[t];
	write = made->display;
	if (prefix > 0) {
		memcpy(write, host, prefix - 1);
		write[prefix - 1] = ':';
	}
	write += prefix;
	made->path = write;
	memcpy(write, row->directory.data, row->directory.size);
	write += row->directory.size;
	if (slash > 0)
		*write++ = '/';
	memcpy(write, row->name.data, row->name.size);
	write[row->name.size] = '\0';
	return made;
}

bool candidates_match(const struct finder *finder, const struct candidate *x,
		      const struct candidate *y, uint64_t *distance)
{
	const struct simhash_tolerance *tolerance = &finder->options->tolerance;
	uint64_t totals_apart = x->total > y->total ? x->total - y->total : y->total - x->total;

	if (!simhash_sizes_agree(tolerance, x->size_bytes, y->size_bytes) ||
	    !simhash_key_hit(tolerance, x->key, y->key, x->size_bytes, y->size_bytes))
		return false;
	/* The distance is at least the difference of the totals. */
	if (!simhash_sum_table_hit(tolerance, totals_apart, x->size_bytes, y->size_bytes))
		return false;
	*distance = simhash_distance(&x->table, &y->table);
	return simhash_sum_table_hit(tolerance, *distance, x->size_bytes, y->size_bytes);
}

static bool comes_first(const struct candidate *x, const struct candidate *y)
{
	size_t common = x->display_size < y->display_size ? x->display_size : y->display_size;
	int order = memcmp(x->display, y->display, common);

	return order < 0 || (order == 0 && x->display_size < y->display_size);
}

int finder_report(struct finder *finder, struct candidate *file, struct candidate *other,
		  uint64_t distance, struct simhash_error *error)
{
	bool first = comes_first(file, other);
	struct found_pair pair = {first ? file : other, first ? other : file, distance, false};

	if (distance == 0 && confirm_identical(finder, file, other, &pair.is_identical, error) != 0)
		return -1;
	if (pair.is_identical)
		finder->counts.identical++;
	else
		finder->counts.similar++;
	return finder->options->pair(finder->options->context, &pair, error);
}
