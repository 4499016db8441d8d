/*
 * Replaces the sandbox in a build without libseccomp, which reads archives in the main process.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/sandbox.h"

const char *sandbox_library(void)
{
	return NULL;
}

struct sandbox *sandbox_new(struct sandbox_use *use)
{
	(void)use;
	return NULL;
}

void sandbox_free(struct sandbox *sandbox)
{
	(void)sandbox;
}

int sandbox_isolate(struct file_scanner *scanner, struct sandbox_use *use,
		    struct simhash_error *error)
{
	(void)scanner;
	(void)use;
	(void)error;
	return 0;
}

int sandbox_open(struct sandbox *sandbox, const struct unpack_request *request, int fd,
		 int64_t size_bytes)
{
	(void)sandbox;
	(void)request;
	(void)fd;
	(void)size_bytes;
	return -1;
}

void sandbox_close(struct sandbox *sandbox)
{
	(void)sandbox;
}

enum unpacked sandbox_next(struct sandbox *sandbox, const atomic_bool *stop, void *buffer,
			   struct piece *piece)
{
	(void)sandbox;
	(void)stop;
	(void)buffer;
	(void)piece;
	return UNPACKED_END;
}

bool sandbox_is_meant(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return false;
}

int sandbox_serve(void)
{
	return 1;
}
