/*
 * Sets up libarchive to read one archive. Its callbacks can seek, because some archives have their
 * list of members at the end.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/container_level.h"

#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "scan/document/document.h"
#include "scan/file/container_kind.h"
#include "scan/file/inflating.h"
#include "scan/image/image.h"
#include "scan/mail/mail.h"

#define READ_BUFFER ((size_t)128 * 1024)
#define FRAMED (CONTAINER_ZSTD | CONTAINER_LZ4)

typedef int enable_fn(struct archive *archive);

static const struct {
	unsigned kind;
	enable_fn *enable;
} enablers[] = {
	{CONTAINER_ZIP, archive_read_support_format_zip},
	{CONTAINER_TAR, archive_read_support_format_tar},
	{CONTAINER_7Z, archive_read_support_format_7zip},
	{CONTAINER_ISO, archive_read_support_format_iso9660},
	{CONTAINER_CPIO, archive_read_support_format_cpio},
	{CONTAINER_AR, archive_read_support_format_ar},
	{CONTAINER_RAR, archive_read_support_format_rar},
	{CONTAINER_RAR, archive_read_support_format_rar5},
	{CONTAINER_BZIP2, archive_read_support_filter_bzip2},
	{CONTAINER_XZ, archive_read_support_filter_xz},
	{CONTAINER_ZSTD, archive_read_support_filter_zstd},
	{CONTAINER_LZIP, archive_read_support_filter_lzip},
	{CONTAINER_LZ4, archive_read_support_filter_lz4},
	{CONTAINER_COMPRESS, archive_read_support_filter_compress},
};

int container_level_kinds(unsigned *kinds, struct simhash_error *error)
{
	struct archive *archive = archive_read_new();
	int status = archive == NULL ? ARCHIVE_FATAL : ARCHIVE_OK;

	*kinds = CONTAINER_GZIP | image_kinds();
	for (size_t i = 0; status != ARCHIVE_FATAL && i < sizeof enablers / sizeof *enablers; i++) {
		/* ARCHIVE_WARN: the library lacks this format and would run a program. */
		status = enablers[i].enable(archive);
		*kinds |= status == ARCHIVE_OK ? enablers[i].kind : 0;
	}
	archive_read_free(archive);
	if ((*kinds & CONTAINER_ZIP) != 0 && document_library() != NULL)
		*kinds |= CONTAINER_TEXT;
	if (mail_library() != NULL)
		*kinds |= CONTAINER_MAIL;
	return status == ARCHIVE_FATAL ? error_set_memory(error) : 0;
}

const char *container_level_library(void)
{
	return archive_version_string();
}

/*
 * Make a reader for the kind `kind`, or return NULL. A compressed file may contain any of `kinds`,
 * or no archive. Otherwise only its own format is enabled, because libarchive mistakes an image
 * that was cut off after its first zeros for an empty tar file.
 */
static struct archive *new_reader(unsigned kinds, unsigned kind)
{
	struct archive *archive = archive_read_new();
	int status = ARCHIVE_OK;

	kinds = (kind & CONTAINER_COMPRESSED) != 0 ? container_read_for(kinds) : kind;
	for (size_t i = 0; archive != NULL && i < sizeof enablers / sizeof *enablers; i++)
		if ((kinds & enablers[i].kind) != 0 && status == ARCHIVE_OK)
			status = enablers[i].enable(archive);
	if (archive != NULL && status == ARCHIVE_OK && (kind & CONTAINER_COMPRESSED) != 0) {
		/* Another tar file may follow the end of a tar file. */
		(void)archive_read_set_format_option(archive, "tar", "read_concatenated_archives",
						     "1");
		archive_read_support_format_raw(archive);
		status = archive_read_support_format_empty(archive);
	}
	if (status == ARCHIVE_OK)
		return archive;
	archive_read_free(archive);
	return NULL;
}

/* ---- Reading a file ---- */

static ssize_t read_at(struct container_file *file, int64_t offset, void *buffer, size_t size)
{
	ssize_t got = reading_at(&file->reading, offset, buffer, size);

	if (got < 0)
		file->failed_errno = errno;
	return got;
}

static ssize_t read_next(struct container_file *file, void *buffer, size_t size)
{
	ssize_t got = read_at(file, file->offset, buffer, size);

	if (got >= 0) {
		reading_is_done(&file->reading, file->offset);
		file->offset += got;
	}
	return got;
}

static la_ssize_t read_file(struct archive *archive, void *data, const void **buffer)
{
	struct container_file *file = data;
	ssize_t got = read_next(file, file->buffer, READ_BUFFER);

	if (got < 0) {
		archive_set_error(archive, errno, "cannot read");
		return ARCHIVE_FATAL;
	}
	*buffer = file->buffer;
	return got;
}

static la_int64_t skip_file(struct archive *archive, void *data, la_int64_t request)
{
	struct container_file *file = data;
	int64_t rest = file->size_bytes - file->offset;

	(void)archive;
	if (request > rest)
		request = rest;
	if (request < 0)
		request = 0;
	file->offset += request;
	return request;
}

static la_int64_t seek_file(struct archive *archive, void *data, la_int64_t offset, int whence)
{
	struct container_file *file = data;
	int64_t from = whence == SEEK_SET   ? file->begin
		       : whence == SEEK_CUR ? file->offset
					    : file->size_bytes;

	(void)archive;
	if (offset < file->begin - from || offset > file->size_bytes - from)
		return ARCHIVE_FATAL;
	file->offset = from + offset;
	return file->offset - file->begin;
}

/* ---- Reading a gzip file (libarchive would ignore its checksums) ---- */

struct gzip {
	struct inflating *inflating;
	struct container_file *file; /* the file; NULL if the archive is in memory */
	const uint8_t *next;
	size_t left;
	int failed_errno;	  /* the errno of inflating, or 0 */
	bool is_begun, has_inner; /* used for the first bytes of the content */
	uint8_t plain[READ_BUFFER];
};

static ssize_t read_packed(void *context, void *buffer, size_t size)
{
	struct gzip *gzip = context;

	if (gzip->file != NULL)
		return read_next(gzip->file, buffer, size);
	if (size > gzip->left)
		size = gzip->left;
	memcpy(buffer, gzip->next, size);
	gzip->next += size;
	gzip->left -= size;
	return (ssize_t)size;
}

static ssize_t inflate_gzip(struct gzip *gzip, void *buffer, size_t size)
{
	ssize_t got = inflating_read(gzip->inflating, buffer, size);

	if (got < 0)
		gzip->failed_errno = errno;
	return got;
}

/*
 * On damage, libarchive gets all bytes before it and then the end. If it got a failure, it would
 * also discard the bytes that it has buffered to detect the format.
 */
static la_ssize_t read_gzip(struct archive *archive, void *data, const void **buffer)
{
	struct gzip *gzip = data;
	ssize_t got = inflate_gzip(gzip, gzip->plain, sizeof gzip->plain);

	(void)archive;
	if (!gzip->is_begun && got > 0)
		gzip->has_inner = (container_kind(gzip->plain, (size_t)got) &
				   (CONTAINER_GZIP | CONTAINER_IMAGES)) != 0;
	gzip->is_begun = true;
	*buffer = gzip->plain;
	return got < 0 ? 0 : got;
}

/* Open a gzip file, or gzip bytes in memory. Returns a libarchive status. */
static int open_gzip(struct container_level *level, struct container_file *file,
		     const uint8_t *memory, size_t size)
{
	struct gzip *gzip = calloc(1, sizeof *gzip);

	level->gzip = gzip;
	if (gzip != NULL) {
		gzip->file = file;
		gzip->next = memory;
		gzip->left = size;
		gzip->inflating = inflating_new_from(read_packed, gzip);
	}
	if (gzip == NULL || gzip->inflating == NULL) {
		archive_set_error(level->archive, ENOMEM, "cannot inflate");
		return ARCHIVE_FATAL;
	}
	return archive_read_open(level->archive, gzip, NULL, read_gzip, NULL);
}

bool container_level_has_inner(const struct container_level *level)
{
	return level->gzip != NULL && level->gzip->has_inner;
}

bool container_level_is_damaged(const struct container_level *level)
{
	return level->gzip != NULL && level->gzip->failed_errno != 0;
}

ssize_t container_level_read_on(struct container_level *level, void *buffer, size_t size)
{
	return level->gzip == NULL ? 0 : inflate_gzip(level->gzip, buffer, size);
}

/* ---- Opening ---- */

int container_level_failure(const struct container_level *level)
{
	int system_errno = container_level_is_damaged(level) ? level->gzip->failed_errno
							     : archive_errno(level->archive);
	const char *text = archive_error_string(level->archive);

	if (system_errno == EIO || system_errno == ENOMEM || system_errno == ENOTSUP)
		return system_errno;
	/* zstd and others have no error number for this. */
	return text != NULL && strstr(text, "memory") != NULL ? ENOMEM : CONTAINER_IS_DAMAGED;
}

/*
 * Record errors while the archive was opened. Not for gzip files: their errors are known, and
 * libarchive has tried to seek in them.
 */
static int opened(struct container_level *level)
{
	if (level->gzip == NULL && archive_error_string(level->archive) != NULL)
		level->failed_as_opened = container_level_failure(level);
	return 0;
}

static int open_image(struct container_level *level, int *why)
{
	if (container_image_open(level, why) == 0)
		return 0;
	container_level_close(level);
	return -1;
}

static int open_failed(struct container_level *level, int *why)
{
	*why = container_level_failure(level);
	container_level_close(level);
	return -1;
}

/* The file ends within the part to skip. */
static int cut_off(struct container_level *level, int *why)
{
	*why = CONTAINER_IS_DAMAGED;
	container_level_close(level);
	return -1;
}

/* A zstd file may begin with frames that zstd skips and libarchive does not. */
static void skip_frames(struct container_file *file)
{
	uint8_t head[8];
	int64_t frame;

	while (file->begin < file->size_bytes &&
	       read_at(file, file->begin, head, sizeof head) == sizeof head &&
	       (frame = container_skipped_frame(head, sizeof head)) > 0)
		file->begin += frame;
}

static int open_plain(struct container_level *level, struct container_file *file)
{
	if ((level->kind & CONTAINER_MAIL) != 0)
		return container_mail_open(level);
	archive_read_set_read_callback(level->archive, read_file);
	archive_read_set_skip_callback(level->archive, skip_file);
	archive_read_set_seek_callback(level->archive, seek_file);
	archive_read_set_callback_data(level->archive, file);
	return archive_read_open1(level->archive);
}

int container_level_open_file(struct container_level *level, struct container_file *file,
			      unsigned kinds, unsigned kind, int *why)
{
	int status;

	*level = (struct container_level){
		.archive = new_reader(kinds, kind), .file = file, .kind = kind};
	*why = ENOMEM;
	if (level->archive == NULL)
		return -1;
	if ((kind & FRAMED) != 0)
		skip_frames(file);
	if (file->failed_errno == 0 && file->begin > file->size_bytes)
		return cut_off(level, why);
	file->offset = file->begin;
	if ((kind & CONTAINER_IMAGES) != 0)
		return open_image(level, why);
	status = kind == CONTAINER_GZIP ? open_gzip(level, file, NULL, 0) : open_plain(level, file);
	if (file->failed_errno == 0 && status == ARCHIVE_OK)
		return opened(level);
	if (file->failed_errno == 0)
		return open_failed(level, why);
	*why = file->failed_errno;
	container_level_close(level);
	return -1;
}

int container_level_open_memory(struct container_level *level, uint8_t *memory, size_t size,
				unsigned kinds, unsigned kind, int *why)
{
	size_t begin = 0;
	int64_t frame = (kind & FRAMED) != 0 ? 1 : 0;
	int status;

	*level = (struct container_level){
		.archive = new_reader(kinds, kind), .memory = memory, .size = size, .kind = kind};
	level->is_volume = container_is_volume(kind, memory, size);
	*why = ENOMEM;
	if (level->archive == NULL) {
		free(memory);
		level->memory = NULL;
		return -1;
	}
	if ((kind & CONTAINER_IMAGES) != 0)
		return open_image(level, why);
	while (frame > 0 && begin < size) {
		frame = container_skipped_frame(memory + begin, size - begin);
		if (frame > (int64_t)(size - begin))
			return cut_off(level, why);
		begin += (size_t)frame;
	}
	status = kind == CONTAINER_GZIP ? open_gzip(level, NULL, memory, size)
		 : (kind & CONTAINER_MAIL) != 0
			 ? container_mail_open(level)
			 : archive_read_open_memory(level->archive, memory + begin, size - begin);
	return status == ARCHIVE_OK ? opened(level) : open_failed(level, why);
}

/* Open it once more, for its inflated content alone. -1: it can only be closed. */
static int reopen_raw(struct container_level *level)
{
	struct container_level again;
	int why, status = level->file != NULL
				  ? container_level_open_file(&again, level->file, level->kind,
							      level->kind, &why)
				  : container_level_open_memory(&again, level->memory, level->size,
								level->kind, level->kind, &why);

	level->memory = NULL; /* the new level owns it, even after a failure */
	if (status != 0)
		return -1;
	again.prefix_size = level->prefix_size;
	again.is_volume = level->is_volume;
	again.has_header = true;
	container_level_close(level);
	*level = again;
	return 0;
}

/*
 * libarchive takes a block of zeros for the end of a tar file and looks for another tar file after
 * it, but compressed disk images also begin with zeros. If no tar file follows, the content is not
 * an archive.
 */
int container_level_next(struct container_level *level, struct archive_entry **entry)
{
	int status = level->image != NULL  ? container_image_next(level, entry)
		     : level->mail != NULL ? container_mail_next(level, entry)
					   : archive_read_next_header(level->archive, entry);
	bool is_first = !level->has_header;

	level->has_header = true;
	if (is_first && (level->kind & CONTAINER_COMPRESSED) != 0 && status != ARCHIVE_OK &&
	    status != ARCHIVE_WARN && archive_format(level->archive) == ARCHIVE_FORMAT_TAR)
		status = reopen_raw(level) != 0 ? ARCHIVE_FATAL
						: archive_read_next_header(level->archive, entry);
	return status;
}

ssize_t container_level_read(struct container_level *level, void *buffer, size_t size)
{
	return level->image != NULL  ? container_image_read(level, buffer, size)
	       : level->mail != NULL ? container_mail_read(level, buffer, size)
				     : archive_read_data(level->archive, buffer, size);
}

int container_level_begin(struct container_level *level, unsigned kinds, struct bytes name,
			  struct bytes member)
{
	bool is_zip = (archive_format(level->archive) & ARCHIVE_FORMAT_BASE_MASK) ==
		      ARCHIVE_FORMAT_ZIP;

	if (level->is_begun || !is_zip)
		return 0;
	level->is_begun = true;
	level->is_for_text = (kinds & CONTAINER_ZIP) == 0;
	if ((kinds & CONTAINER_TEXT) == 0 || !document_is_one(name, member))
		return 0;
	level->document = document_new();
	return level->document == NULL ? -1 : 0;
}

static int format_of(const struct container_level *level)
{
	return archive_format(level->archive) & ARCHIVE_FORMAT_BASE_MASK;
}

bool container_level_is_archive(const struct container_level *level)
{
	return format_of(level) != ARCHIVE_FORMAT_RAW && format_of(level) != ARCHIVE_FORMAT_EMPTY;
}

static bool is_cut_image(const struct container_level *level)
{
	const char *text = archive_error_string(level->archive);

	return format_of(level) == ARCHIVE_FORMAT_ISO9660 && text != NULL &&
	       strstr(text, "beyond end-of-media") != NULL;
}

/*
 * libarchive only warns (without an errno) about extra bytes in cpio, and about directories of a
 * cut-off image.
 */
bool container_level_is_after_gap(const struct container_level *level, int status)
{
	return status == ARCHIVE_RETRY ||
	       (status == ARCHIVE_WARN &&
		((format_of(level) == ARCHIVE_FORMAT_CPIO && archive_errno(level->archive) == 0) ||
		 is_cut_image(level)));
}

/* In cpio any of the names can have the content, often the last. */
bool container_level_is_link(const struct container_level *level, struct archive_entry *entry)
{
	return archive_entry_hardlink(entry) != NULL &&
	       (format_of(level) != ARCHIVE_FORMAT_CPIO || archive_entry_size(entry) == 0);
}

bool container_level_has_no_end(const struct container_level *level)
{
	/* libarchive looked for a header and found no block of zeros there. */
	return format_of(level) == ARCHIVE_FORMAT_TAR &&
	       archive_filter_bytes(level->archive, 0) <=
		       archive_read_header_position(level->archive);
}

/* Return the end of the archive in its file, or -1 if it is unknown. */
static int64_t end_of(const struct container_level *level, const struct container_file *file)
{
	int format = format_of(level);
	bool is_plain = (level->kind & (CONTAINER_TAR | CONTAINER_CPIO | CONTAINER_AR)) != 0;
	/* For compressed archives of other formats, the end may be unread. */
	bool is_stream = (level->kind & CONTAINER_COMPRESSED) != 0 &&
			 (format == ARCHIVE_FORMAT_RAW || format == ARCHIVE_FORMAT_TAR);

	/* It is unknown which bytes the filter for .Z skips at the end. */
	if (level->memory != NULL)
		return -1;
	if (level->gzip != NULL)
		return file->begin + inflating_end(level->gzip->inflating);
	if ((!is_plain && !is_stream) || level->kind == CONTAINER_COMPRESS)
		return -1;
	return file->begin + archive_filter_bytes(level->archive, -1);
}

int64_t container_level_rest(const struct container_level *level, struct container_file *file)
{
	int64_t at = end_of(level, file);
	ssize_t got = 1;

	for (; at >= 0 && got > 0; at += got) {
		got = read_at(file, at, file->buffer, READ_BUFFER);
		for (ssize_t i = 0; i < got; i++)
			if (file->buffer[i] != 0)
				return at + i;
	}
	return -1;
}

void container_level_close(struct container_level *level)
{
	archive_read_free(level->archive);
	container_image_close(level);
	if (level->gzip != NULL)
		inflating_free(level->gzip->inflating);
	free(level->gzip);
	document_free(level->document);
	container_mail_close(level);
	free(level->memory);
	*level = (struct container_level){.archive = NULL};
}
