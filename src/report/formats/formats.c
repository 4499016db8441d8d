/*
 * Lists all formats, and finds a format by its name.
 * SPDX-License-Identifier: MIT
 */
#include "report/formats/formats.h"

#include <string.h>

static const struct formatter *const formatters[] = {
	&formatter_text, &formatter_csv,  &formatter_json, &formatter_jsonl,
	&formatter_null, &formatter_html, &formatter_dot,
};

const struct formatter *formatter_find(const char *name)
{
	for (size_t i = 0; i < sizeof formatters / sizeof *formatters; i++)
		if (strcmp(formatters[i]->name, name) == 0)
			return formatters[i];
	return NULL;
}
