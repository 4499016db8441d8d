/*
 * Declares the SQL scripts of the folder sql/, which are compiled into the programs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCRIPTS_H
#define SIMHASH_STORE_SCRIPTS_H

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
extern const char sql_sqlite_0016[];
extern const char sql_sqlite_0017[];
extern const char sql_sqlite_0018[];
extern const char sql_sqlite_0019[];
extern const char sql_sqlite_0020[];
extern const char sql_sqlite_0021[];
extern const char sql_sqlite_0022[];
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
extern const char sql_mysql_0016[];
extern const char sql_mysql_0017[];
extern const char sql_mysql_0018[];
extern const char sql_mysql_0019[];
extern const char sql_mysql_0020[];
extern const char sql_mysql_0021[];
extern const char sql_mysql_0022[];
extern const char sql_mysql_views[];
extern const char sql_mysql_text[];
extern const char sql_mysql_roles[];

#endif
