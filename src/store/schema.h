/*
 * The schema of an index: created when it is first opened, updated when it is older than the
 * program, refused when it is newer or is not an index at all.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCHEMA_H
#define SIMHASH_STORE_SCHEMA_H

#include "simhash.h"
#include "store/location.h"

struct store;

/* The scripts of sql/, compiled in. */
extern const char sql_sqlite_0001[];
extern const char sql_sqlite_0002[];
extern const char sql_sqlite_0003[];
extern const char sql_sqlite_0004[];
extern const char sql_sqlite_0005[];
extern const char sql_sqlite_0006[];
extern const char sql_sqlite_0007[];
extern const char sql_sqlite_0008[];
extern const char sql_sqlite_0009[];
extern const char sql_sqlite_0010[];
extern const char sql_sqlite_0011[];
extern const char sql_sqlite_0012[];
extern const char sql_sqlite_0013[];
extern const char sql_sqlite_0014[];
extern const char sql_sqlite_0015[];
extern const char sql_sqlite_views[];
extern const char sql_sqlite_before_load[];
extern const char sql_sqlite_after_load[];
extern const char sql_mysql_0001[];
extern const char sql_mysql_0002[];
extern const char sql_mysql_0003[];
extern const char sql_mysql_0004[];
extern const char sql_mysql_0005[];
extern const char sql_mysql_0006[];
extern const char sql_mysql_0007[];
extern const char sql_mysql_0008[];
extern const char sql_mysql_0009[];
extern const char sql_mysql_0010[];
extern const char sql_mysql_0011[];
extern const char sql_mysql_0012[];
extern const char sql_mysql_0013[];
extern const char sql_mysql_0014[];
extern const char sql_mysql_0015[];
extern const char sql_mysql_views[];
extern const char sql_mysql_text[];
extern const char sql_mysql_roles[];

/*
 * Check the schema of a connection, and create or update it unless `mode` is OPEN_TO_READ.
 * Errors: SIMHASH_E_SCHEMA, SIMHASH_E_DATABASE.
 */
int schema_open(struct store *store, enum open_mode mode, struct simhash_error *error);

/* Make the views of an index anew, which an upgrade does, too. */
int schema_make_views(struct store *store, struct simhash_error *error);

/* The driver's scripts around a first load, where it has any. */
int schema_before_load(struct store *store, struct simhash_error *error);
int schema_after_load(struct store *store, struct simhash_error *error);

#endif
