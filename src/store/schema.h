/*
 * The schema of an index: made when it is first opened, brought up to date
 * when it is older, refused when it is newer than the program or is not an
 * index at all.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCHEMA_H
#define SIMHASH_STORE_SCHEMA_H

#include "store/database.h"

/* The scripts of sql/, compiled in. */
extern const char sql_sqlite_0001[];
extern const char sql_sqlite_0002[];
extern const char sql_sqlite_0003[];
extern const char sql_sqlite_0004[];
extern const char sql_sqlite_0005[];
extern const char sql_sqlite_0006[];
extern const char sql_sqlite_before_load[];
extern const char sql_sqlite_after_load[];
extern const char sql_mysql_0001[];
extern const char sql_mysql_0002[];
extern const char sql_mysql_0003[];
extern const char sql_mysql_0004[];
extern const char sql_mysql_0005[];
extern const char sql_mysql_0006[];
extern const char sql_mysql_roles[];

/*
 * Check the schema of a connection, and with OPEN_TO_WRITE create or migrate
 * it. `name` is the index's, for messages. Errors: SIMHASH_E_SCHEMA,
 * SIMHASH_E_DATABASE.
 */
int schema_open(const struct database_driver *driver, struct database *database,
		enum open_mode mode, const char *name, struct simhash_error *error);

/* The driver's scripts around a first load, where it has any. */
int schema_before_load(const struct database_driver *driver, struct database *database,
		       struct simhash_error *error);
int schema_after_load(const struct database_driver *driver, struct database *database,
		      struct simhash_error *error);

#endif
