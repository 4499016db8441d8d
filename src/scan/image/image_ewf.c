/*
 * Reads an E01 image with libewf. The library gets functions instead of a name, so it opens no file.
 * SPDX-License-Identifier: MIT
 */
#include "scan/image/image_ewf.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* The headers of libewf declare this function only if they are told about libbfio. */
#define HAVE_LIBBFIO 1
#include <libbfio.h>
#include <libewf.h>

#include "scan/file/container_kind.h"
#include "scan/file/library.h"

/* libewf loses some memory with each failure. */
#define FAILURES_MAX 20

#define EWF_FUNCTIONS(F)            \
	F(handle_close)             \
	F(handle_free)              \
	F(handle_get_media_size)    \
	F(handle_initialize)        \
	F(handle_open_file_io_pool) \
	F(handle_read_random)       \
	F(handle_segment_files_corrupted)
#define BFIO_FUNCTIONS(F) \
	F(handle_free) F(handle_initialize) F(pool_append_handle) F(pool_free) F(pool_initialize)

#define EWF_POINTER(name) __typeof__(libewf_##name) *name;
#define BFIO_POINTER(name) __typeof__(libbfio_##name) *name;
#define EWF_NAME(name) "libewf_" #name,
#define BFIO_NAME(name) "libbfio_" #name,

static struct {
	EWF_FUNCTIONS(EWF_POINTER)
} libewf;
static struct {
	BFIO_FUNCTIONS(BFIO_POINTER)
} libbfio;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

/* The place in the file, for libbfio. It belongs to the struct ewf below. */
struct place {
	struct image_source source;
	int64_t offset;
	bool is_open;
};

struct ewf {
	struct place place;
	unsigned failures;
	libbfio_pool_t *pool;
	libewf_handle_t *handle;
};

static struct place *place_of(intptr_t *io_handle)
{
	return (struct place *)(void *)io_handle;
}

static int free_place(intptr_t **io_handle, libbfio_error_t **error)
{
	(void)error;
	*io_handle = NULL;
	return 1;
}

static int clone_place(intptr_t **destination, intptr_t *source, libbfio_error_t **error)
{
	(void)destination;
	(void)source;
	(void)error;
	return -1;
}

static int open_place(intptr_t *io_handle, int access_flags, libbfio_error_t **error)
{
	(void)access_flags;
	(void)error;
	place_of(io_handle)->is_open = true;
	return 1;
}

static int close_place(intptr_t *io_handle, libbfio_error_t **error)
{
	(void)error;
	place_of(io_handle)->is_open = false;
	return 0;
}

static ssize_t read_place(intptr_t *io_handle, uint8_t *buffer, size_t size,
			  libbfio_error_t **error)
{
	struct place *place = place_of(io_handle);
	ssize_t got = place->source.read(place->source.context, place->offset, buffer, size);

	(void)error;
	place->offset += got > 0 ? got : 0;
	return got;
}

static ssize_t write_place(intptr_t *io_handle, const uint8_t *buffer, size_t size,
			   libbfio_error_t **error)
{
	(void)io_handle;
	(void)buffer;
	(void)size;
	(void)error;
	return -1;
}

static off64_t seek_place(intptr_t *io_handle, off64_t offset, int whence, libbfio_error_t **error)
{
	struct place *place = place_of(io_handle);
	int64_t from = whence == SEEK_SET   ? 0
		       : whence == SEEK_CUR ? place->offset
					    : place->source.size_bytes;

	(void)error;
	if (offset < -from || offset > INT64_MAX - from)
		return -1;
	place->offset = from + offset;
	return place->offset;
}

static int place_exists(intptr_t *io_handle, libbfio_error_t **error)
{
	(void)io_handle;
	(void)error;
	return 1;
}

static int place_is_open(intptr_t *io_handle, libbfio_error_t **error)
{
	(void)error;
	return place_of(io_handle)->is_open;
}

static int size_of_place(intptr_t *io_handle, size64_t *size, libbfio_error_t **error)
{
	(void)error;
	*size = (size64_t)place_of(io_handle)->source.size_bytes;
	return 1;
}

static ssize_t read_disk(void *context, int64_t offset, void *buffer, size_t size)
{
	struct ewf *ewf = context;
	ssize_t got = ewf->failures == FAILURES_MAX
			      ? -1
			      : libewf.handle_read_random(ewf->handle, buffer, size, offset, NULL);

	if (got >= 0)
		return got;
	ewf->failures += ewf->failures < FAILURES_MAX;
	errno = CONTAINER_IS_DAMAGED;
	return -1;
}

const char *ewf_library(void)
{
	return library_is_installed(SIMHASH_EWF_FILE) ? LIBEWF_VERSION_STRING : NULL;
}

static void load(void)
{
	static const char *const ewf[] = {EWF_FUNCTIONS(EWF_NAME) NULL};
	static const char *const bfio[] = {BFIO_FUNCTIONS(BFIO_NAME) NULL};

	/*
	 * libewf may contain an older libbfio, as in Debian, or need the library. Its own structures
	 * must go to the functions that it uses itself.
	 */
	is_loaded = library_load(SIMHASH_EWF_FILE, ewf, &libewf) &&
		    library_load(SIMHASH_EWF_FILE, bfio, &libbfio);
}

void ewf_prepare(void)
{
	pthread_once(&load_once, load);
}

/* Give the library the file. Returns false if memory is short. */
static bool make_pool(struct ewf *ewf)
{
	libbfio_handle_t *file = NULL;
	int entry;

	if (libbfio.handle_initialize(&file, (intptr_t *)(void *)&ewf->place, free_place,
				      clone_place, open_place, close_place, read_place, write_place,
				      seek_place, place_exists, place_is_open, size_of_place, 0,
				      NULL) != 1)
		return false;
	if (libbfio.pool_initialize(&ewf->pool, 0, LIBBFIO_POOL_UNLIMITED_NUMBER_OF_OPEN_HANDLES,
				    NULL) == 1 &&
	    libbfio.pool_append_handle(ewf->pool, &entry, file, LIBBFIO_OPEN_READ, NULL) == 1)
		return true;
	libbfio.handle_free(&file, NULL);
	return false;
}

struct ewf *ewf_open(const struct image_source *source, struct image_source *disk, int *why)
{
	struct ewf *ewf;
	size64_t size = 0;

	ewf_prepare();
	ewf = is_loaded ? calloc(1, sizeof *ewf) : NULL;
	*why = is_loaded ? ENOMEM : ENOTSUP;
	if (ewf == NULL)
		return NULL;
	ewf->place.source = *source;
	if (!make_pool(ewf) || libewf.handle_initialize(&ewf->handle, NULL) != 1)
		goto fail;
	*why = CONTAINER_IS_DAMAGED;
	if (libewf.handle_open_file_io_pool(ewf->handle, ewf->pool, LIBEWF_OPEN_READ, NULL) != 1 ||
	    libewf.handle_get_media_size(ewf->handle, &size, NULL) != 1 || size == 0 ||
	    size > INT64_MAX)
		goto fail;
	*disk = (struct image_source){
		.read = read_disk, .context = ewf, .size_bytes = (int64_t)size};
	return ewf;
fail:
	ewf_close(ewf);
	return NULL;
}

bool ewf_is_damaged(const struct ewf *ewf)
{
	return libewf.handle_segment_files_corrupted(ewf->handle, NULL) != 0;
}

void ewf_close(struct ewf *ewf)
{
	if (ewf == NULL)
		return;
	if (ewf->handle != NULL) {
		(void)libewf.handle_close(ewf->handle, NULL);
		(void)libewf.handle_free(&ewf->handle, NULL);
	}
	if (ewf->pool != NULL)
		(void)libbfio.pool_free(&ewf->pool, NULL);
	free(ewf);
}
