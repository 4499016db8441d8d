/*
 * The argument of --measure.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_MEASURE_OPTION_H
#define SIMHASH_CLI_MEASURE_OPTION_H

#include "simhash_measures.h"

/*
 * Make a measure from text as simhash_measure_new accepts it, with a last parameter
 * "weights=FILE" besides, which is read. Errors: those of simhash_measure_new_weighted and
 * simhash_weights_read.
 */
int measure_option_parse(const char *text, struct simhash_measure **measure,
			 struct simhash_error *error);

#endif
