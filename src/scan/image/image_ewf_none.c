/*
 * Replaces image_ewf.c in a build without libewf.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/image/image_ewf.h"

const char *ewf_library(void)
{
	return NULL;
}

void ewf_prepare(void)
{
}

struct ewf *ewf_open(const struct image_source *source, struct image_source *disk, int *why)
{
	(void)source;
	(void)disk;
	*why = ENOTSUP;
	return NULL;
}

bool ewf_is_damaged(const struct ewf *ewf)
{
	(void)ewf;
	return false;
}

void ewf_close(struct ewf *ewf)
{
	(void)ewf;
}
