/*
 * Reads the headers of a part with GMime, and decodes its bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MAIL_PART_H
#define SIMHASH_SCAN_MAIL_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/basic/bytes.h"

#define MAIL_BOUNDARY_MAX 255
#define MAIL_NAME_MAX 255

struct mail_part {
	bool is_multipart, is_digest; /* the parts of a digest are messages */
	bool is_message;
	bool is_plain_text; /* it is text without a name that is not encoded */
	size_t boundary_size;
	char boundary[MAIL_BOUNDARY_MAX];
	size_t name_size; /* 0: it has no usable name */
	char name[MAIL_NAME_MAX];
	char extension[8]; /* for a part without a name */
};

struct mail_decoder; /* a GMimeFilter */

/* See mail_library and mail_prepare. */
const char *mail_part_library(void);
void mail_part_prepare(void);
/* Load GMime the first time. The functions below may be called only if this is true. */
bool mail_part_is_ready(void);

/*
 * Get a part from its headers; only the fields Content-* are used. `is_in_digest`: the
 * multipart around it is a digest. *decoder is NULL if the bytes are not encoded.
 */
void mail_part_read(struct bytes headers, bool is_in_digest, struct mail_part *part,
		    struct mail_decoder **decoder);
/* Use the name if it is a usable one. */
void mail_part_set_name(struct mail_part *part, struct bytes name);

struct mail_decoder *mail_decoder_new_uu(void);
void mail_decoder_free(struct mail_decoder *decoder); /* NULL is allowed */
/* Decode bytes, and the rest at the end. The result lives until the next call. */
struct bytes mail_decode(struct mail_decoder *decoder, char *bytes, size_t size);
struct bytes mail_decode_rest(struct mail_decoder *decoder);

#endif
