/*
 * Reads members of an archive again into a mapped temporary file.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/kept_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/temporary.h"
#include "scan/archive/container.h"
#include "scan/file/inflating.h"

#define ALONE_MAX 16 /* a pass reads at most this number of members again alone */

void kept_archive_init(struct kept_archive *kept)
{
	*kept = (struct kept_archive){.side = {.place = {.directory_fd = -1}, .fd = -1}};
}

void kept_archive_forget(struct kept_archive *kept)
{
	if (kept->bytes != NULL)
		munmap(kept->bytes, kept->size);
	kept->bytes = NULL;
	kept->size = 0;
	kept->count = 0;
}

void kept_archive_close(struct kept_archive *kept)
{
	kept_archive_forget(kept);
	side_close(&kept->side);
	free(kept->path);
	kept->path = NULL;
	kept->side = (struct side){.place = {.directory_fd = -1}, .fd = -1};
}

void kept_archive_release(struct kept_archive *kept)
{
	kept_archive_close(kept);
	sandbox_free(kept->sandbox);
	free(kept->members);
	kept_archive_init(kept);
}

/* ---- The archive ---- */

/* Is it a member of the archive that is open? */
static bool is_member(const struct kept_archive *kept, const char *path)
{
	size_t size = outer_path_size(bytes_of(path));

	return kept->path != NULL && size == strlen(kept->path) &&
	       memcmp(path, kept->path, size) == 0 && path[size] != '\0';
}

bool kept_archive_has_open(const struct kept_archive *kept, const struct keep_file *member)
{
	const struct stat *status = &kept->side.status;

	return is_member(kept, member->path) && kept->side.fd >= 0 &&
	       (member->archive_bytes == KEEP_SIZE_UNKNOWN ||
		(status->st_size == member->archive_bytes &&
		 stat_mtime_ns(status) == member->mtime_ns));
}

int kept_archive_open(struct kept_archive *kept, const struct keep_file *member,
		      struct simhash_error *why)
{
	struct keep_file archive = {.size_bytes = member->archive_bytes,
				    .mtime_ns = member->mtime_ns};

	kept_archive_close(kept);
	kept->path = strndup(member->path, outer_path_size(bytes_of(member->path)));
	if (kept->path == NULL)
		return error_set_memory(why);
	archive.path = kept->path;
	if (side_open(&kept->side, &archive, NULL, why) == 0)
		return 0;
	kept_archive_close(kept);
	return -1;
}

/* ---- Its members ---- */

/* The name in the archive: the path after the "//", also for the content of a compressed file. */
static struct bytes name_of(const char *path)
{
	size_t size = outer_path_size(bytes_of(path));

	return bytes_of(path + size + 2);
}

bool kept_archive_add(struct kept_archive *kept, const char *path, int64_t size_bytes)
{
	struct simhash_error ignored;
	size_t size = (size_t)size_bytes;

	if (!is_member(kept, path) || size_bytes < 0 || (uint64_t)size_bytes > SIZE_MAX / 4 ||
	    (kept->count > 0 && kept->size + size > KEPT_ARCHIVE_BYTES) ||
	    array_reserve(&kept->members, &kept->capacity, kept->count + 1, sizeof *kept->members,
			  &ignored) != 0)
		return false;
	kept->members[kept->count++] =
		(struct kept_member){.name = name_of(path), .at = kept->size, .size = size};
	kept->size += size;
	return true;
}

/* Make room for all members in a file, so that they need not fit into memory. */
static int map_file(struct kept_archive *kept)
{
	FILE *file = kept->size == 0 ? NULL : temporary_file();
	int failed = file == NULL ? errno : posix_fallocate(fileno(file), 0, (off_t)kept->size);
	void *bytes = failed != 0 || file == NULL ? MAP_FAILED
						  : mmap(NULL, kept->size, PROT_READ | PROT_WRITE,
							 MAP_SHARED, fileno(file), 0);

	if (file != NULL)
		fclose(file);
	kept->bytes = bytes == MAP_FAILED ? NULL : bytes;
	return bytes == MAP_FAILED ? -1 : 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct kept_member *x = a, *y = b;

	return bytes_compare(x->name, y->name);
}

/* Members that are requested twice are read once. */
static void sort_members(struct kept_archive *kept)
{
	size_t last = 0;

	qsort(kept->members, kept->count, sizeof *kept->members, compare_members);
	for (size_t i = 0; i < kept->count; i++)
		if (last == 0 || compare_members(&kept->members[last - 1], &kept->members[i]) != 0)
			kept->members[last++] = kept->members[i];
	kept->count = last;
}

static void extract(struct kept_archive *kept, struct kept_member *members, size_t count)
{
	struct container_member *wanted = calloc(count, sizeof *wanted);
	int why;

	for (size_t i = 0; wanted != NULL && i < count; i++)
		wanted[i] = (struct container_member){.name = members[i].name,
						      .bytes = kept->bytes + members[i].at,
						      .size = members[i].size};
	if (wanted != NULL)
		container_extract(kept->sandbox, kept->side.fd, &kept->side.status,
				  bytes_of(path_name(kept->path)), wanted, count, &why);
	for (size_t i = 0; wanted != NULL && i < count; i++)
		members[i].is_whole = wanted[i].is_whole;
	free(wanted);
}

/* The content of a compressed file has its own row, and is read to its end. */
static void inflate(const struct kept_archive *kept, struct kept_member *member)
{
	uint8_t *bytes = kept->bytes + member->at, rest;
	size_t got = 0;
	ssize_t part = 1;
	int fd = fcntl(kept->side.fd, F_DUPFD_CLOEXEC, 0);
	struct inflating *in;

	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0) {
		close_keeping_errno(fd);
		return;
	}
	in = inflating_new(fd);
	while (in != NULL && part > 0 && got < member->size) {
		part = inflating_read(in, bytes + got, member->size - got);
		got += part > 0 ? (size_t)part : 0;
	}
	member->is_whole = in != NULL && got == member->size && inflating_read(in, &rest, 1) == 0;
	if (in != NULL)
		inflating_free(in);
}

static bool is_inflated(const struct kept_archive *kept, const struct kept_member *member)
{
	char *name = NULL;
	bool is_inflated;

	if (kept->count != 1 ||
	    asprintf(&name, "%s//%s", path_name(kept->path), member->name.data) < 0)
		return false;
	is_inflated = is_inflated_name(bytes_of(name));
	free(name);
	return is_inflated;
}

void kept_archive_read(struct kept_archive *kept)
{
	if (kept->sandbox == NULL)
		kept->sandbox = sandbox_new(&kept->use);
	sort_members(kept);
	if (kept->sandbox == NULL || map_file(kept) != 0)
		return;
	if (is_inflated(kept, &kept->members[0]))
		inflate(kept, &kept->members[0]);
	/* A tar.gz may also have such a member. */
	if (!kept->members[0].is_whole)
		extract(kept, kept->members, kept->count);
	/* Another member may have stopped the pass. */
	for (size_t i = 0, again = 0; kept->count > 1 && i < kept->count; i++)
		if (!kept->members[i].is_whole && again++ < ALONE_MAX)
			extract(kept, &kept->members[i], 1);
}

const uint8_t *kept_archive_find(const struct kept_archive *kept, const char *path,
				 int64_t size_bytes)
{
	const struct kept_member *found;
	struct kept_member key;

	if (kept->bytes == NULL || !is_member(kept, path))
		return NULL;
	key.name = name_of(path);
	found = bsearch(&key, kept->members, kept->count, sizeof *kept->members, compare_members);
	return found == NULL || !found->is_whole || (uint64_t)size_bytes != found->size
		       ? NULL
		       : kept->bytes + found->at;
}
