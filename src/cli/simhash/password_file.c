/*
 * Makes random passwords and writes them to an option file that only its owner can read.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simhash/password_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h> /* getentropy() of macOS */
#endif

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "scan/file/hashing.h"

static int make_password(char password[PASSWORD_SIZE], struct simhash_error *error)
{
	uint8_t bytes[PASSWORD_SIZE / 2];

	if (getentropy(bytes, sizeof bytes) != 0)
		return error_set_errno(error, "cannot make a password");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(password + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int password_file_open(struct password_file *file, const char *path, struct simhash_error *error)
{
	*file = (struct password_file){.path = path, .fd = -1};
	for (int role = 0; role < ROLES; role++)
		if (make_password(file->passwords[role], error) != 0 ||
		    (hashing_library() != NULL &&
		     sha2_password(file->passwords[role], file->sha2_hashes[role], error) != 0))
			return -1;
	file->fd = open_file_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file->fd < 0 && errno == EEXIST)
		return error_set(
			error, SIMHASH_E_SYSTEM,
			"--password-file: %s already exists and is not overwritten; name a "
			"new file",
			path);
	return file->fd < 0 ? error_set_errno(error, "cannot create %s", path) : 0;
}

/* A name may contain any character that a database name may contain. */
static void write_group(FILE *out, const char *group, const char *user, const char *password)
{
	fprintf(out, "[%s]\nuser = \"", group);
	for (; *user != '\0'; user++)
		fprintf(out, *user == '"' || *user == '\\' ? "\\%c" : "%c", *user);
	fprintf(out, "\"\npassword = %s\n", password);
}

int password_file_write(struct password_file *file, const struct role_users *users,
			struct simhash_error *error)
{
	/* The client mariadb --defaults-group-suffix=_sql reads the last one. */
	static const char *const groups[ROLES] = {"simhash", "simfind", "client_sql"};
	FILE *out = fdopen(file->fd, "w");

	if (out == NULL)
		return error_set_errno(error, "cannot write %s", file->path);
	file->fd = -1;
	for (int role = 0; role < ROLES; role++)
		write_group(out, groups[role], users->names[role], file->passwords[role]);
	if (fflush(out) == 0 && fsync(fileno(out)) == 0 && fclose(out) == 0)
		return 0;
	return error_set_errno(error, "cannot write %s", file->path);
}

void password_file_abandon(struct password_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	unlink(file->path);
}
