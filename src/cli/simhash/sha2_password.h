/*
 * Hashes a password as MySQL's caching_sha2_password stores it. CREATE USER takes this hash.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SHA2_PASSWORD_H
#define SIMHASH_CLI_SHA2_PASSWORD_H

#include "simhash.h"

/* "$A$005$", a salt of 20 characters, a hash of 43, and a zero. */
#define SHA2_PASSWORD_SIZE (7 + 20 + 43 + 1)

/*
 * Hash a password of at most 64 bytes with a new salt. The text needs no quoting in SQL. Errors: no
 * memory, SIMHASH_E_SYSTEM without random bytes, and a build without Nettle.
 */
int sha2_password(const char *password, char text[SHA2_PASSWORD_SIZE], struct simhash_error *error);

#endif
