/*
 * Implements the functions that SQL can call, and adds them to a connection.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/sqlite_functions.h"

#include <string.h>

#include "store/engine/database.h"
#include "store/row/cells.h"

static void is_near(sqlite3_context *context, int count, sqlite3_value **values)
{
	const int64_t outline[OUTLINES] = {sqlite3_value_int64(values[0]),
					   sqlite3_value_int64(values[1])};
	struct outline_counts counts = outline_unpack(outline);
	struct outline_range range;

	(void)count;
	if (sqlite3_value_bytes(values[2]) != (int)sizeof range) {
		sqlite3_result_error(context, "outline_is_near: not a range of outlines", -1);
		return;
	}
	memcpy(&range, sqlite3_value_blob(values[2]), sizeof range);
	sqlite3_result_int(context, outline_is_near(&range, &counts));
}

static void passes(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct row_test *test = sqlite3_value_pointer(values[0], ROW_TEST);
	struct bytes bytes = {sqlite3_value_blob(values[3]),
			      (size_t)sqlite3_value_bytes(values[3])};

	(void)count;
	if (test == NULL) {
		sqlite3_result_error(context, "row_passes: not a test", -1);
		return;
	}
	sqlite3_result_int(context, test->passes(test->context, sqlite3_value_int64(values[1]),
						 sqlite3_value_int64(values[2]), bytes));
}

int sqlite_functions_add(sqlite3 *handle)
{
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	int code = sqlite3_create_function_v2(handle, "outline_is_near", 3,
					      flags | SQLITE_DETERMINISTIC, NULL, is_near, NULL,
					      NULL, NULL);

	return code != SQLITE_OK ? code
				 : sqlite3_create_function_v2(handle, "row_passes", 4, flags, NULL,
							      passes, NULL, NULL, NULL);
}
