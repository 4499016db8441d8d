/*
 * Sorts archive members by the path of their archive, and reads the needed members of one archive.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/content_members.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "scan/archive/container.h"
#include "scan/document/document.h"
#include "store/row/file_row.h"

/* The path of the archive in PATH//MEMBER. */
static struct bytes archive_path(const struct loaded *content)
{
	const char *path = find_file_path(content->file), *end = strstr(path, "//");

	return end == NULL ? bytes_of(path) : (struct bytes){path, (size_t)(end - path)};
}

static struct bytes member_name(const struct loaded *content)
{
	const char *end = strstr(find_file_path(content->file), "//");

	return content->text_name != NULL ? bytes_of(content->text_name) : bytes_of(end + 2);
}

static struct bytes base_name(struct bytes path)
{
	const char *slash = last_byte(path.data, '/', path.size);
	size_t before = slash == NULL ? 0 : (size_t)(slash + 1 - path.data);

	return (struct bytes){path.data + before, path.size - before};
}

bool content_is_inside(const struct loaded *content)
{
	return content->is_text || row_is_inside(content->file->compressed_size_bytes);
}

bool content_is_member(const struct loaded *content)
{
	const char *path = find_file_path(content->file);

	return content->is_text ||
	       (row_is_inside(content->file->compressed_size_bytes) && strstr(path, "//") != NULL &&
		!is_inflated_name(bytes_of(base_name(archive_path(content)).data)));
}

/* ---- Linking ---- */

static int compare_archives(const struct loaded *a, const struct loaded *b)
{
	if (a->file->host != b->file->host)
		return a->file->host < b->file->host ? -1 : 1;
	return bytes_compare(archive_path(a), archive_path(b));
}

static int compare_members(const void *x, const void *y)
{
	const struct loaded *a = *(struct loaded *const *)x, *b = *(struct loaded *const *)y;
	int order = compare_archives(a, b);

	return order != 0 ? order : bytes_compare(member_name(a), member_name(b));
}

int content_members_link(struct loaded **contents, size_t count, struct simhash_error *error)
{
	struct loaded **members = malloc((count + 1) * sizeof(struct loaded *));
	size_t member_count = 0;

	if (members == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++)
		if (contents[i] != NULL && content_is_member(contents[i]))
			members[member_count++] = contents[i];
	qsort(members, member_count, sizeof(struct loaded *), compare_members);
	for (size_t i = 0; i < member_count; i++) {
		bool is_next = i > 0 && compare_archives(members[i - 1], members[i]) == 0;
		members[i]->first_member = is_next ? members[i - 1]->first_member : members[i];
		members[i]->next_member = NULL;
		if (is_next)
			members[i - 1]->next_member = members[i];
	}
	free(members);
	return 0;
}

/* ---- Reading ---- */

/* The text of a document is a member of it. False if memory is short. */
static bool name_text(struct loaded *content)
{
	const char *document = strstr(find_file_path(content->file), "//");
	const char *before = document == NULL ? "" : document + 2;
	const char *slashes = document == NULL ? "" : "//";

	return asprintf(&content->text_name, "%s%s%s", before, slashes, DOCUMENT_TEXT_NAME) >= 0;
}

static bool make_wanted(struct loaded *content, struct container_member *wanted)
{
	size_t size = (size_t)loaded_size(content);

	content->is_whole = false;
	if (content->is_text && content->text_name == NULL && !name_text(content))
		return false;
	if (content->bytes == NULL)
		content->bytes = malloc(size + 1);
	*wanted = (struct container_member){
		.name = member_name(content), .bytes = content->bytes, .size = size};
	return content->bytes != NULL;
}

void content_members_read(struct loaded *first, struct sandbox *sandbox, int fd,
			  const struct stat *status, int *why)
{
	struct container_member *wanted;
	size_t count = 0, i = 0;
	bool has_room = true;

	for (const struct loaded *next = first; next != NULL; next = next->next_read)
		count++;
	wanted = calloc(count, sizeof *wanted);
	for (struct loaded *next = first; wanted != NULL && next != NULL; next = next->next_read)
		has_room = make_wanted(next, &wanted[i++]) && has_room;
	*why = ENOMEM;
	if (wanted != NULL && has_room)
		container_extract(sandbox, fd, status, base_name(archive_path(first)), wanted,
				  count, why);
	i = 0;
	for (struct loaded *next = first; wanted != NULL && next != NULL; next = next->next_read)
		next->is_whole = wanted[i++].is_whole;
	free(wanted);
}
