/*
 * Finds names and ids in a list.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/name_list.h"

#include <stdlib.h>
#include <string.h>

void name_list_release(struct name_list *list)
{
	arena_release(&list->texts);
	free(list->names);
	*list = (struct name_list){.names = NULL};
}

const struct name *name_list_find(const struct name_list *list, int64_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->names[i].id == id)
			return &list->names[i];
	return NULL;
}

int64_t name_list_id(const struct name_list *list, const char *text)
{
	size_t size = strlen(text);

	for (size_t i = 0; i < list->count; i++)
		if (list->names[i].text.size == size &&
		    memcmp(list->names[i].text.data, text, size) == 0)
			return list->names[i].id;
	return 0;
}
