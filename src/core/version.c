/*
 * Returns the version of the library.
 * SPDX-License-Identifier: MIT
 */
#include "simhash.h"

const char *simhash_version(void)
{
	return SIMHASH_VERSION;
}
