/*
 * Reads the SQLite files of the NSRL. SQLite compares the size of a file with its header, so a file
 * that was cut off counts as damaged.
 * SPDX-License-Identifier: MIT
 */
#include "lists/known_database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"

#define MAGIC "SQLite format 3" /* followed by a zero byte */
#define VALUE_MAX (1 << 20)

struct known_database {
	const char *path;
	sqlite3 *handle;
	sqlite3_stmt *rows;
	unsigned kinds; /* a bit for each column */
	unsigned long long row;
};

bool is_database(const char *path)
{
	char first[sizeof MAGIC] = "";
	struct stat status;
	ssize_t got;
	int fd;

	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	fd = open_input(path);
	if (fd < 0)
		return false;
	got = read(fd, first, sizeof first);
	close_content(fd);
	return got == (ssize_t)sizeof first && memcmp(first, MAGIC, sizeof first) == 0;
}

static int fail(const struct known_database *database, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "cannot read %s as an SQLite file: %s",
			 database->path, sqlite3_errmsg(database->handle));
}

/* Allow nothing except reading columns. */
static int allow(void *context, int action, const char *a, const char *b, const char *c,
		 const char *d)
{
	(void)context;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

/* Return the name of a file with all special bytes escaped for SQLite. NULL if memory is short. */
static char *file_url(const char *path)
{
	static const char options[] = "?mode=ro&immutable=1", hex[] = "0123456789abcdef";
	char *url = malloc(3 * strlen(path) + sizeof options + sizeof "file:./"), *at = url;

	if (url == NULL)
		return NULL;
	at += sprintf(at, "file:%s", path[0] == '/' ? "" : "./");
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	memcpy(at, options, sizeof options);
	return url;
}

static int open_handle(struct known_database *database, struct simhash_error *error)
{
	char *url = file_url(database->path);
	int code;

	if (url == NULL)
		return error_set_memory(error);
	code = sqlite3_open_v2(url, &database->handle,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(url);
	if (database->handle == NULL)
		return error_set_memory(error);
	if (code != SQLITE_OK)
		return fail(database, error);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
	sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_set_authorizer(database->handle, allow, NULL);
	return 0;
}

/* Is there a real table with this name, and not a view or a virtual table? -1 for an error. */
static int has_table(struct known_database *database, const char *name, struct simhash_error *error)
{
	static const char sql[] = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
				  "rootpage > 0 AND name = ?1 COLLATE NOCASE";
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		fail(database, error);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

/* Prepare reading the existing hash columns of a table. False if it has none. */
static bool prepare_rows(struct known_database *database, const char *table)
{
	char sql[128];

	for (unsigned kinds = (1U << FILE_HASHES) - 1; kinds > 0; kinds--) {
		int size = sprintf(sql, "SELECT ");
		for (unsigned i = 0; i < FILE_HASHES; i++)
			if ((kinds & 1U << i) != 0)
				size += sprintf(sql + size, "t.%s, ", file_hash_names[i]);
		sprintf(sql + size - 2, " FROM %s AS t", table);
		if (sqlite3_prepare_v2(database->handle, sql, -1, &database->rows, NULL) ==
		    SQLITE_OK) {
			database->kinds = kinds;
			return true;
		}
	}
	return false;
}

static int find_rows(struct known_database *database, struct simhash_error *error)
{
	static const char *const tables[] = {"METADATA", "FILE"};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		int status = has_table(database, tables[i], error);
		if (status < 0)
			return -1;
		if (status > 0 && prepare_rows(database, tables[i]))
			return 0;
	}
	return error_set(error, SIMHASH_E_SYNTAX,
			 "%s is an SQLite file without hashes of known files; expected a table "
			 "METADATA or FILE with a column sha256, sha1 or md5, as the NSRL has",
			 database->path);
}

int known_database_open(const char *path, struct known_database **database,
			struct simhash_error *error)
{
	struct known_database *opened = calloc(1, sizeof *opened);

	*database = NULL;
	if (opened == NULL)
		return error_set_memory(error);
	opened->path = path;
	if (open_handle(opened, error) != 0 || find_rows(opened, error) != 0) {
		known_database_close(opened);
		return -1;
	}
	*database = opened;
	return 0;
}

void known_database_close(struct known_database *database)
{
	if (database == NULL)
		return;
	sqlite3_finalize(database->rows);
	sqlite3_close(database->handle);
	free(database);
}

/* Read a column, which may be empty. */
static int take_column(const struct known_database *database, int column, unsigned kind,
		       struct known_hashes *hashes, struct simhash_error *error)
{
	const char *digits = (const char *)sqlite3_column_text(database->rows, column);
	size_t size = known_kind_size(kind);

	if (digits == NULL || digits[0] == '\0')
		return 0;
	for (size_t i = 0; strlen(digits) == 2 * size && i < size; i++) {
		int byte = hex_byte(digits + 2 * i);
		if (byte < 0)
			break;
		hashes->hash[kind][i] = (uint8_t)byte;
		if (i + 1 < size)
			continue;
		hashes->found |= 1U << kind;
		return 0;
	}
	return error_set(error, SIMHASH_E_SYNTAX, "%s: row %llu: expected %zu hexadecimal digits",
			 database->path, database->row, 2 * size);
}

int known_database_next(struct known_database *database, struct known_hashes *hashes,
			struct simhash_error *error)
{
	hashes->found = 0;
	while (hashes->found == 0) {
		int code = sqlite3_step(database->rows), column = 0;
		if (code == SQLITE_DONE)
			return 0;
		if (code != SQLITE_ROW)
			return fail(database, error);
		database->row++;
		for (unsigned kind = 0; kind < FILE_HASHES; kind++)
			if ((database->kinds & 1U << kind) != 0 &&
			    take_column(database, column++, kind, hashes, error) != 0)
				return -1;
	}
	return 1;
}
