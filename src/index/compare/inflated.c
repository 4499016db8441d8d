/*
 * Scans the content of a gzip file again if the file has changed.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/inflated.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"

int inflate_if_changed(struct directory *directory, const struct known_file *known,
		       const struct stat *status, struct feed *feed, struct simhash_error *error)
{
	struct found_file file = {.name_size = known->name.size,
				  .size_bytes = status->st_size,
				  .mtime_ns = stat_mtime_ns(status),
				  .device = (uint64_t)status->st_dev,
				  .inode = (uint64_t)status->st_ino,
				  .links = (uint64_t)status->st_nlink,
				  .is_inflated = true};
	char *name;
	int result;

	if (file.size_bytes == known->compressed_size_bytes && file.mtime_ns == known->mtime_ns)
		return 0;
	name = strndup(known->name.data, known->name.size);
	if (name == NULL)
		return error_set_memory(error);
	file.name = name;
	memcpy(file.path_hash, known->path_hash, PATH_HASH_SIZE);
	result = feed_scan(feed, directory, &file, error);
	free(name);
	return result;
}
