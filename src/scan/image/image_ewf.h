/*
 * Reads the bytes of a disk from an image in the format of EnCase (E01) with libewf.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_IMAGE_EWF_H
#define SIMHASH_SCAN_IMAGE_EWF_H

#include <stdbool.h>

#include "scan/image/image_source.h"

struct ewf;

/* Return the version of libewf, or NULL if it was not built in or is not installed. */
const char *ewf_library(void);

/* Load libewf; otherwise ewf_open does. */
void ewf_prepare(void);

/*
 * Open the image; *disk becomes the source of the disk's bytes. Returns NULL with an errno or an
 * enum container_failure.
 */
struct ewf *ewf_open(const struct image_source *source, struct image_source *disk, int *why);
/* Is a part of the image missing? libewf may read the other parts all the same. */
bool ewf_is_damaged(const struct ewf *ewf);
void ewf_close(struct ewf *ewf);

#endif
