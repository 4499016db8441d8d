/*
 * Classifies errors of SQLite, and finds out which disk is full.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/sqlite_error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/basic/error.h"

#define ROOM_MIN (UINT64_C(1) << 20) /* SQLite writes less than this at once */

static int classify(sqlite3 *handle)
{
	int code = sqlite3_errcode(handle);

	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERROR_RETRY;
	case SQLITE_NOTADB:
		return SIMHASH_E_SCHEMA;
	case SQLITE_CONSTRAINT:
		code = sqlite3_extended_errcode(handle);
		return code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE
			       ? ERROR_DUPLICATE
			       : SIMHASH_E_DATABASE;
	case SQLITE_NOMEM:
		return SIMHASH_E_MEMORY;
	case SQLITE_ERROR: /* for example "no such table" */
		return strncmp(sqlite3_errmsg(handle), "no such table", 13) == 0
			       ? SIMHASH_E_SCHEMA
			       : SIMHASH_E_DATABASE;
	default:
		return SIMHASH_E_DATABASE;
	}
}

int sqlite_error_set(sqlite3 *handle, const char *path, const char *what,
		     struct simhash_error *error)
{
	return error_set(error, classify(handle), "%s index sqlite:%s: %s", what, path,
			 sqlite3_errmsg(handle));
}

/* ---- Temporary files ---- */

/*
 * Return the folder that SQLite uses: see "Temporary File Storage Locations" in its documentation.
 */
static const char *temporary_folder(void)
{
	const char *const folders[] = {getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp",
				       "/usr/tmp", "/tmp"};
	struct stat status;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (folders[i] != NULL && stat(folders[i], &status) == 0 &&
		    S_ISDIR(status.st_mode) && access(folders[i], W_OK | X_OK) == 0)
			return folders[i];
	return ".";
}

static bool has_room(const char *path)
{
	struct statvfs status;

	return statvfs(path, &status) == 0 &&
	       (uint64_t)status.f_bavail * status.f_frsize >= ROOM_MIN;
}

/* Did writing a temporary file fail? A reader writes no other files. */
static bool is_of_temporary_file(sqlite3 *handle, const char *path)
{
	int code = sqlite3_extended_errcode(handle);

	if (code == SQLITE_IOERR_GETTEMPPATH)
		return true;
	if (code != SQLITE_FULL && code != SQLITE_IOERR_WRITE && code != SQLITE_IOERR_TRUNCATE)
		return false;
	return sqlite3_db_readonly(handle, "main") == 1 ||
	       (!has_room(temporary_folder()) && has_room(path));
}

int sqlite_error_set_query(sqlite3 *handle, const char *path, struct simhash_error *error)
{
	int system_errno = sqlite3_system_errno(handle);

	if (!is_of_temporary_file(handle, path))
		return sqlite_error_set(handle, path, "cannot query", error);
	return error_set(error, SIMHASH_E_SYSTEM,
			 "cannot write a temporary file in %s, where SQLite sorts the rows of "
			 "index sqlite:%s: %s; set TMPDIR to a folder with more room",
			 temporary_folder(), path,
			 system_errno != 0 ? strerror(system_errno) : sqlite3_errmsg(handle));
}
