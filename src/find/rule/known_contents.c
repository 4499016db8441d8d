/*
 * Collects lists of known files by kind of hash, and converts the hashes to content hashes.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/known_contents.h"

#include "base/basic/error.h"
#include "store/names/names.h"
#include "store/open/query.h"
#include "store/write/sketch_table.h"

#define LINES_MAX 1000000000U

int known_contents_init(struct known_contents *known, struct store *store, int64_t tag_set,
			struct simhash_error *error)
{
	*known = (struct known_contents){.store = store, .tag_set = tag_set};
	for (unsigned kind = 0; kind < KNOWN_KINDS; kind++)
		known->hashes[kind].width = known_kind_size(kind);
	for (unsigned kind = 0; kind < FILE_HASHES; kind++)
		if (store_measure_id(store, file_hash_names[kind], false, &known->measures[kind],
				     error) != 0)
			return -1;
	return 0;
}

/* Does the index have hashes of this kind? */
static bool is_usable(const struct known_contents *known, unsigned kind)
{
	return kind == KNOWN_CONTENT || known->measures[kind] != 0;
}

/* Without such hashes the list would leave out no file, and the user does not want that. */
static int refuse_list(const char *path, unsigned kinds, struct simhash_error *error)
{
	unsigned kind = 0;

	while ((kinds & 1U << kind) == 0)
		kind++;
	return error_set(error, SIMHASH_E_RANGE,
			 "%s has %s hashes, but the index has no %s hashes; run simhash --hash=%s "
			 "first",
			 path, known_kind_name(kind), known_kind_name(kind), known_kind_name(kind));
}

static int refuse_length(const char *path, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE, "%s: expected a list of at most %u hashes", path,
			 LINES_MAX);
}

static int take_hashes(struct known_contents *known, const struct known_hashes *line,
		       struct simhash_error *error)
{
	for (unsigned kind = 0; kind < KNOWN_KINDS; kind++)
		if ((line->found & 1U << kind) != 0 && is_usable(known, kind) &&
		    hash_set_add(&known->hashes[kind], line->hash[kind], error) != 0)
			return -1;
	return 0;
}

int known_contents_read(struct known_contents *known, const char *path, enum known_format format,
			const char **doubt, struct simhash_error *error)
{
	struct known_hashes line;
	struct known_list *list;
	unsigned kinds = 0, usable = 0;
	uint64_t lines = 0;
	int status;

	if (known_list_open(path, format, &list, error) != 0)
		return -1;
	while ((status = known_list_next(list, &line, error)) == 1) {
		kinds |= line.found;
		status = ++lines > LINES_MAX ? refuse_length(path, error)
					     : take_hashes(known, &line, error);
		if (status != 0)
			break;
	}
	*doubt = known_list_doubt(list);
	known_list_close(list);
	for (unsigned kind = 0; kind < KNOWN_KINDS; kind++)
		usable |= is_usable(known, kind) ? 1U << kind : 0;
	if (status == 0 && kinds != 0 && (kinds & usable) == 0)
		return refuse_list(path, kinds, error);
	return status;
}

/* Add the contents that have one of the hashes of this kind. */
static int turn(struct known_contents *known, unsigned kind, struct simhash_error *error)
{
	uint8_t hash[FILE_HASH_SIZE_MAX], content[CONTENT_HASH_SIZE];
	struct query query;
	int status;

	if (store_find_hashes(known->store, known->tag_set, known->measures[kind], &query, error) !=
	    0)
		return -1;
	while ((status = store_next_hash(&query, known_kind_size(kind), hash, content, error)) == 1)
		if (hash_set_has(&known->hashes[kind], hash) &&
		    hash_set_add(&known->hashes[KNOWN_CONTENT], content, error) != 0) {
			status = -1;
			break;
		}
	query_end(&query);
	return status;
}

int known_contents_end(struct known_contents *known, struct simhash_error *error)
{
	struct hash_set *contents = &known->hashes[KNOWN_CONTENT];

	if (hash_set_sort(contents, error) != 0)
		return -1;
	known->count = contents->count;
	known->bytes = hash_set_bytes(contents);
	for (unsigned kind = 0; kind < FILE_HASHES; kind++) {
		struct hash_set *set = &known->hashes[kind];
		if (set->count == 0)
			continue;
		if (hash_set_sort(set, error) != 0)
			return -1;
		known->count += set->count;
		known->bytes += hash_set_bytes(set);
		if (turn(known, kind, error) != 0)
			return -1;
		hash_set_release(set);
	}
	return hash_set_sort(contents, error);
}

bool known_contents_have(const struct known_contents *known,
			 const uint8_t content_hash[CONTENT_HASH_SIZE])
{
	return hash_set_has(&known->hashes[KNOWN_CONTENT], content_hash);
}

void known_contents_release(struct known_contents *known)
{
	for (unsigned kind = 0; kind < KNOWN_KINDS; kind++)
		hash_set_release(&known->hashes[kind]);
}
