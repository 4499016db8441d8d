/*
 * Writes the file of --password-file: an option file with passwords that nobody has to type or see.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PASSWORD_FILE_H
#define SIMHASH_CLI_PASSWORD_FILE_H

#include "cli/simhash/sha2_password.h"
#include "store/open/roles.h"

#define PASSWORD_SIZE 41 /* 160 random bits in hexadecimal digits, with a terminating zero */

struct password_file {
	const char *path;
	int fd;
	char passwords[ROLES][PASSWORD_SIZE];
	char sha2_hashes[ROLES][SHA2_PASSWORD_SIZE]; /* empty without Nettle */
};

/*
 * Make passwords, and create a new file that only its owner can read. Errors: SIMHASH_E_SYSTEM,
 * also if the file exists.
 */
int password_file_open(struct password_file *file, const char *path, struct simhash_error *error);

/* Write the passwords as an option file for both programs and mariadb, and close it. */
int password_file_write(struct password_file *file, const struct role_users *users,
			struct simhash_error *error);

/* Remove the file again. */
void password_file_abandon(struct password_file *file);

#endif
