/*
 * Reads and writes the tables tag_set and tag.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/tag_sets.h"

#include "base/basic/error.h"
#include "store/names/ids.h"
#include "store/open/query.h"
#include "store/open/transaction.h"

int store_read_tag_sets(struct store *store, struct name_list *tag_sets,
			struct simhash_error *error)
{
	return name_list_read(store, "SELECT id, name FROM tag_set ORDER BY id", tag_sets, error);
}

/* Return the tag of a row: pattern, uniform, scatter, skew. False if a number is out of range. */
static bool take_tag(struct query *query, struct simhash_tag *tag)
{
	int64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		numbers[i] = query_integer(query, i);
		if (numbers[i] < 0 || numbers[i] > (i == 0 ? UINT8_MAX : SIMHASH_WEIGHT_MAX))
			return false;
	}
	*tag = (struct simhash_tag){(uint8_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2],
				    (uint32_t)numbers[3]};
	return true;
}

/* Read the tags of an id. *is_whole is false if they are not 16 valid tags. */
static int read_tags(struct store *store, int64_t id, struct simhash_tag tags[SIMHASH_TAGS],
		     bool *is_whole, struct simhash_error *error)
{
	struct query query;
	int status, count = 0;

	if (query_begin(&query, store,
			"SELECT pattern, uniform, scatter, skew FROM tag "
			"WHERE tag_set = ? ORDER BY position",
			error) != 0)
		return -1;
	query_bind_integer(&query, id);
	*is_whole = true;
	while ((status = query_next(&query, error)) == 1) {
		if (count < SIMHASH_TAGS)
			*is_whole = take_tag(&query, &tags[count]) && *is_whole;
		count++;
	}
	query_end(&query);
	*is_whole = *is_whole && count == SIMHASH_TAGS;
	return status;
}

int store_read_tag_set(struct store *store, int64_t id, struct simhash_tag_set **set,
		       struct simhash_error *error)
{
	struct simhash_tag tags[SIMHASH_TAGS];
	struct simhash_error why;
	struct name_list list;
	const struct name *name;
	bool is_whole;
	int status = -1;

	*set = NULL;
	if (store_read_tag_sets(store, &list, error) != 0)
		return -1;
	if (read_tags(store, id, tags, &is_whole, error) != 0)
		goto out;
	name = name_list_find(&list, id);
	if (name == NULL || name->text.size > SIMHASH_TAG_SET_NAME_MAX || !is_whole) {
		error_set(error, SIMHASH_E_RANGE,
			  "the index has no tag set with id %lld, or only a part of it",
			  (long long)id);
		goto out;
	}
	status = simhash_tag_set_new(name->text.data, tags, set, error);
	if (status != 0) {
		why = *error;
		error_set(error, why.code, "tag set %lld of the index: %s", (long long)id,
			  why.message);
	}
out:
	name_list_release(&list);
	return status;
}

static bool same_tags(const struct simhash_tag *x, const struct simhash_tag *y)
{
	for (int i = 0; i < SIMHASH_TAGS; i++)
		if (x[i].pattern != y[i].pattern || x[i].uniform != y[i].uniform ||
		    x[i].scatter != y[i].scatter || x[i].skew != y[i].skew)
			return false;
	return true;
}

static int find_among(struct store *store, const struct name_list *list,
		      const struct simhash_tag_set *set, int64_t *id, struct simhash_error *error)
{
	*id = 0;
	for (size_t i = 0; *id == 0 && i < list->count; i++) {
		struct simhash_tag tags[SIMHASH_TAGS];
		bool is_whole;
		if (read_tags(store, list->names[i].id, tags, &is_whole, error) != 0)
			return -1;
		if (is_whole && same_tags(tags, simhash_tag_set_tags(set)))
			*id = list->names[i].id;
	}
	return 0;
}

static int find_tag_set(struct store *store, const struct simhash_tag_set *set, int64_t *id,
			struct simhash_error *error)
{
	struct name_list list;
	int status;

	*id = 0;
	if (store_read_tag_sets(store, &list, error) != 0)
		return -1;
	status = find_among(store, &list, set, id, error);
	name_list_release(&list);
	return status;
}

static int insert_tags(struct store *store, int64_t id, const struct simhash_tag *tags,
		       struct simhash_error *error)
{
	for (int i = 0; i < SIMHASH_TAGS; i++) {
		const int64_t values[] = {
			id, i, tags[i].pattern, tags[i].uniform, tags[i].scatter, tags[i].skew};
		if (store_run(store,
			      "INSERT INTO tag(tag_set, position, pattern, uniform, scatter, skew) "
			      "VALUES (?, ?, ?, ?, ?, ?)",
			      values, 6, error) != 0)
			return -1;
	}
	return 0;
}

static int insert_tag_set(struct store *store, const struct simhash_tag_set *set, int64_t *id,
			  struct simhash_error *error)
{
	int64_t next, next_of_tags;

	/*
	 * If a set was deleted but its tags remain, its id is not reused, because the new set would
	 * have both its own and the old tags.
	 */
	if (next_id(store, "SELECT MAX(id) FROM tag_set", &next, error) != 0 ||
	    next_id(store, "SELECT MAX(tag_set) FROM tag", &next_of_tags, error) != 0)
		return -1;
	if (next_of_tags > next)
		next = next_of_tags;
	if (name_insert(store, "INSERT INTO tag_set(id, name) VALUES (?, ?)", next,
			simhash_tag_set_name(set), error) != 0 ||
	    insert_tags(store, next, simhash_tag_set_tags(set), error) != 0)
		return duplicate_is_retry(error);
	*id = next;
	return 0;
}

/* The caller has begun a transaction. */
static int enter_tag_set(struct store *store, const struct simhash_tag_set *set, int64_t *id,
			 struct simhash_error *error)
{
	const char *name = simhash_tag_set_name(set);
	struct name_list list;
	int status = -1;

	if (store_read_tag_sets(store, &list, error) != 0)
		return -1;
	if (find_among(store, &list, set, id, error) != 0)
		goto out;
	if (*id != 0)
		status = 0;
	else if (name_list_id(&list, name) != 0)
		error_set(error, SIMHASH_E_RANGE,
			  "the index has other tags under the name '%s': give the tag set "
			  "another name",
			  name);
	else
		status = insert_tag_set(store, set, id, error);
out:
	name_list_release(&list);
	return status;
}

int store_tag_set_id(struct store *store, const struct simhash_tag_set *set, bool create,
		     int64_t *id, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (find_tag_set(store, set, id, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	if (*id != 0 || !create)
		return 0;
	while (transaction_next(&transaction, &status, error))
		status = enter_tag_set(store, set, id, error);
	if (status != 0)
		*id = 0;
	return status;
}
