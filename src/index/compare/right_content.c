/*
 * Reads the right content of a file from its row.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/right_content.h"

#include <stdlib.h>

#include "base/data/array.h"
#include "store/row/trust.h"

int find_right_content(struct store *store, const struct row_scope *scope,
		       const struct found_file *file, struct known_content *right, bool *found,
		       struct simhash_error *error)
{
	if (store_find_content(store, scope, file->path_hash, right, found, error) != 0)
		return -1;
	*found = *found && right->mtime_ns == file->mtime_ns &&
		 writes_have_ended(right->mtime_ns, right->verified_at_ns) &&
		 (right->size_bytes == file->size_bytes ||
		  (right->changed_ns != 0 && right->changed_ns == file->changed_ns));
	return 0;
}

void waiting_files_release(struct waiting_files *waiting)
{
	free(waiting->files);
	*waiting = (struct waiting_files){.files = NULL};
}

int waiting_files_add(struct waiting_files *waiting, const struct found_file *file,
		      const struct known_file *known, struct simhash_error *error)
{
	if (array_reserve(&waiting->files, &waiting->capacity, waiting->count + 1,
			  sizeof *waiting->files, error) != 0)
		return -1;
	waiting->files[waiting->count] = (struct waiting_again){*file, *known};
	waiting->files[waiting->count++].known.name = (struct bytes){"", 0};
	return 0;
}
