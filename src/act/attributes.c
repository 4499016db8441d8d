/*
 * Extended attributes, access lists among them: compared and copied, where there are any.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "act/act.h"

#ifdef __linux__
#include <sys/xattr.h>

#define VALUE_MAX 65536 /* XATTR_SIZE_MAX, which is that of the list, too */

/* Attributes as list and values; -1 with errno. */
struct attributes {
	char names[VALUE_MAX], value[VALUE_MAX], other[VALUE_MAX];
	ssize_t size;
};

static struct attributes *list_attributes(int fd)
{
	struct attributes *all = malloc(sizeof *all);

	if (all == NULL)
		return NULL;
	all->size = flistxattr(fd, all->names, sizeof all->names);
	if (all->size < 0 && errno == ENOTSUP)
		all->size = 0;
	return all;
}

/* Are those that x has the same in y? */
static bool are_in(struct attributes *all, int x, int y)
{
	for (ssize_t at = 0; at < all->size; at += (ssize_t)strlen(all->names + at) + 1) {
		ssize_t size = fgetxattr(x, all->names + at, all->value, VALUE_MAX);
		if (size < 0 || fgetxattr(y, all->names + at, all->other, VALUE_MAX) != size ||
		    memcmp(all->value, all->other, (size_t)size) != 0)
			return false;
	}
	return true;
}

bool has_same_attributes(int x, int y)
{
	struct attributes *of_x = list_attributes(x), *of_y = list_attributes(y);
	bool same = of_x != NULL && of_y != NULL && of_x->size >= 0 && of_x->size == of_y->size &&
		    are_in(of_x, x, y);

	free(of_y);
	free(of_x);
	return same;
}

int copy_attributes(int from, int to)
{
	struct attributes *all = list_attributes(from);
	int status = all == NULL || all->size < 0 ? -1 : 0;

	for (ssize_t at = 0; status == 0 && at < all->size;
	     at += (ssize_t)strlen(all->names + at) + 1) {
		ssize_t size = fgetxattr(from, all->names + at, all->value, VALUE_MAX);
		if (size < 0 || fsetxattr(to, all->names + at, all->value, (size_t)size, 0) != 0)
			status = -1;
	}
	free(all);
	return status;
}
#else
bool has_same_attributes(int x, int y)
{
	(void)x, (void)y;
	return true;
}

int copy_attributes(int from, int to)
{
	(void)from, (void)to;
	return 0;
}
#endif
