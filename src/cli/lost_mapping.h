/*
 * Bus errors. SQLite maps a file beside the index into memory; where that file cannot be written,
 * since its disk is full, over its quota or broken, using the memory is SIGBUS.
 *
 *     end_at_bus_error("simhash");     // first of all
 *     name_index(url);                 // before there are threads
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_LOST_MAPPING_H
#define SIMHASH_CLI_LOST_MAPPING_H

/*
 * From now on a bus error ends the program with status 1 and a message that names the indexes.
 * Before an index is named it ends the program as it does by default.
 */
void end_at_bus_error(const char *program);

/* An index that the program opens; its URL is copied. */
void name_index(const char *url);

#endif
