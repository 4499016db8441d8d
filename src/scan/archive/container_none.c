/*
 * Replaces container.c in a build without libarchive, which cannot read containers.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/archive/container.h"

int container_kinds(unsigned *kinds, struct simhash_error *error)
{
	(void)error;
	*kinds = 0;
	return 0;
}

const char *container_library(void)
{
	return NULL;
}

struct container *container_open(struct file_scanner *scanner, int fd, const struct stat *status,
				 struct bytes name)
{
	(void)scanner;
	(void)fd;
	(void)status;
	(void)name;
	errno = ENOTSUP;
	return NULL;
}

void container_close(struct container *container)
{
	(void)container;
}

enum container_answer container_next(struct container *container, struct file_row *row)
{
	(void)container;
	(void)row;
	return CONTAINER_END;
}

void container_extract(struct sandbox *sandbox, int fd, const struct stat *status,
		       struct bytes file_name, struct container_member *members, size_t count,
		       int *why)
{
	(void)sandbox;
	(void)fd;
	(void)status;
	(void)file_name;
	(void)members;
	(void)count;
	*why = ENOTSUP;
}

struct bytes container_name(const struct container *container)
{
	(void)container;
	return (struct bytes){"", 0};
}

int container_why(const struct container *container)
{
	(void)container;
	return 0;
}
