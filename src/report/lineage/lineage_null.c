/*
 * A lineage for programs: the path of each file and of the file that it comes from, or is identical
 * to, each ended by a zero byte. The second is empty for the first version. A file comes after the
 * one that it comes from, so patches can be made and applied in this order.
 * SPDX-License-Identifier: MIT
 */
#include "report/lineage/lineage.h"
#include "report/lists/null_path.h"

static void write_file(FILE *out, const struct find_file *file, const struct presentation *how)
{
	null_write_path(out, file == NULL ? bytes_of("") : find_file_display(file),
			how->is_terminal);
}

void lineage_write_null(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	(void)group;
	for (size_t v = 0; v < lineage->count; v++) {
		const struct lineage_version *version = &lineage->versions[v];
		bool is_first = version->parent == NO_PARENT;
		write_file(out, version->files[0], how);
		write_file(out, is_first ? NULL : version->pair.b, how);
		for (size_t i = 1; i < version->file_count; i++) {
			write_file(out, version->files[i], how);
			write_file(out, version->files[0], how);
		}
	}
}
