/*
 * Writes a lineage as a graph for Graphviz. If the order is unclear, the edge has no arrow.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text/escape.h"
#include "report/lineage/lineage.h"

/*
 * Write a path in a quoted string: escaped as for people, and then its quotes and backslashes
 * escaped again.
 */
static void write_path(FILE *out, struct bytes path)
{
	size_t size;
	char *text = escape_text(path, &size);

	for (size_t i = 0; text != NULL && i < size; i++) {
		if (text[i] == '"' || text[i] == '\\')
			fputc('\\', out);
		fputc(text[i], out);
	}
	free(text);
}

static void write_node(FILE *out, size_t group, const struct lineage_version *version,
		       size_t number)
{
	fprintf(out, "\tg%zuv%zu [label=\"", group, number);
	for (size_t i = 0; i < version->file_count; i++) {
		fputs(i == 0 ? "" : "\\n", out);
		write_path(out, find_file_display(version->files[i]));
	}
	fputs("\"];\n", out);
}

static void write_edge(FILE *out, size_t group, const struct lineage_version *version,
		       size_t number)
{
	char label[LABEL_SIZE], reasons[REASONS_SIZE];

	fprintf(out, "\tg%zuv%zu -> g%zuv%zu [label=\"%s\\n", group, version->parent + 1, group,
		number, pair_label(&version->pair, label));
	if (lineage_is_clear(version))
		fprintf(out, "%s (%u %%)\"];\n", lineage_reasons(version, reasons),
			lineage_percent(version));
	else
		fputs("unclear\", dir=none, style=dashed];\n", out);
}

void lineage_write_dot(FILE *out, const struct group *group, const struct lineage *lineage,
		       const struct presentation *how)
{
	(void)how;
	for (size_t v = 0; v < lineage->count; v++) {
		write_node(out, group->number, &lineage->versions[v], v + 1);
		if (lineage->versions[v].parent != NO_PARENT)
			write_edge(out, group->number, &lineage->versions[v], v + 1);
	}
}
