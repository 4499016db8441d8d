/*
 * Distributes the partitions of the table `file` to lists.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/partitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/names/ids.h"
#include "store/open/connection.h"
#include "store/open/store.h"

/* Is the name safe to write into SQL without quotes? */
static bool is_plain(struct bytes name)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	const char *text = (const char *)name.data;

	return name.size > 0 && strspn(text, plain) == name.size;
}

/* Add a name to a list; an empty list is NULL. */
static bool add_name(char **list, struct bytes name)
{
	char *longer;
	int size = *list == NULL ? asprintf(&longer, "`%s`", (const char *)name.data)
				 : asprintf(&longer, "%s, `%s`", *list, (const char *)name.data);

	if (size < 0)
		return false;
	free(*list);
	*list = longer;
	return true;
}

static bool deal(const struct name_list *names, size_t most, struct partitions *partitions)
{
	partitions->count = names->count < most ? names->count : most;
	partitions->lists = calloc(partitions->count, sizeof *partitions->lists);
	for (size_t i = 0; partitions->lists != NULL && i < names->count; i++) {
		struct bytes name = names->names[i].text;
		if (!is_plain(name) || !add_name(&partitions->lists[i % partitions->count], name))
			return false;
	}
	return partitions->lists != NULL;
}

bool store_deal_partitions(struct store *store, size_t most, struct partitions *partitions)
{
	/* ignored, because a lasting error returns in later queries */
	struct simhash_error ignored;
	struct name_list names = {.names = NULL};
	bool are_own = true, are_dealt;

	*partitions = (struct partitions){.lists = NULL};
	if (store->driver->partitions == NULL || most < 2 ||
	    store_rows_are_own(store, &are_own, &ignored) != 0 || are_own ||
	    name_list_read(store, store->driver->partitions, &names, &ignored) != 0)
		return false;
	are_dealt = names.count > 1 && deal(&names, most, partitions);
	name_list_release(&names);
	if (!are_dealt)
		partitions_release(partitions);
	return are_dealt;
}

void partitions_release(struct partitions *partitions)
{
	for (size_t i = 0; partitions->lists != NULL && i < partitions->count; i++)
		free(partitions->lists[i]);
	free(partitions->lists);
	*partitions = (struct partitions){.lists = NULL};
}
