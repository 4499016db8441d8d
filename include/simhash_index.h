/*
 * The codes of errors that functions on an index report, beside those of simhash.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_H
#define SIMHASH_INDEX_H

#include <simhash.h>

enum simhash_index_error_code {
	SIMHASH_E_DATABASE = 16,  /* the database refused a statement */
	SIMHASH_E_SCHEMA = 17,	  /* the database is not an index, or of another version */
	SIMHASH_E_CONNECTION = 18 /* a server cannot be reached, or is gone */
};

#endif
