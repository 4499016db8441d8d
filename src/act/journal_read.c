/*
 * Reading the journal.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "act/journal.h"
#include "base/array.h"
#include "base/error.h"
#include "base/read_file.h"
#include "keep/json_fields.h"

static int expect(const char *path, size_t line, const char *expected, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s, line %zu: expected %s", path, line,
			 expected);
}

static bool is_whole(const json_t *value, const char *name, int64_t maximum, int64_t *number)
{
	return field_integer(value, name, number) == 0 && *number >= 0 && *number <= maximum;
}

static int read_file_fields(const json_t *value, struct journal_file *file)
{
	int64_t device, inode, links, owner, group;
	const char *mode = field_text(value, "mode");

	if (mode == NULL || field_integer(value, "device", &device) != 0 ||
	    field_integer(value, "inode", &inode) != 0 ||
	    !is_whole(value, "links", INT64_MAX, &links) ||
	    !is_whole(value, "size", INT64_MAX, &file->size_bytes) ||
	    field_integer(value, "mtime_ns", &file->mtime_ns) != 0 ||
	    field_integer(value, "atime_ns", &file->atime_ns) != 0 ||
	    !is_whole(value, "owner", UINT32_MAX, &owner) ||
	    !is_whole(value, "group", UINT32_MAX, &group))
		return -1;
	file->device = (uint64_t)device;
	file->inode = (uint64_t)inode;
	file->links = (uint64_t)links;
	file->owner = (uint32_t)owner;
	file->group = (uint32_t)group;
	file->mode = (uint32_t)strtoul(mode, NULL, 8) & 07777;
	return 0;
}

static int find_action(const char *name, enum keep_action *action)
{
	for (int i = ACTION_HARDLINK; i <= ACTION_MOVE; i++)
		if (name != NULL && strcmp(name, action_name((enum keep_action)i)) == 0) {
			*action = (enum keep_action)i;
			return 0;
		}
	return -1;
}

static int read_begin(const json_t *line, struct journal_list *list, struct journal_act *act)
{
	const char *temporary = field_text(line, "temporary");

	act->path = field_bytes(line, "path", &list->arena);
	act->kept = field_bytes(line, "kept", &list->arena);
	act->to = field_bytes(line, "to", &list->arena);
	act->same_attributes = json_is_true(json_object_get(line, "same_attributes"));
	act->has_hash = field_hex(line, "hash", act->hash, KEEP_HASH_SIZE) == 0;
	if (temporary != NULL && strlen(temporary) < sizeof act->temporary &&
	    strchr(temporary, '/') == NULL)
		strcpy(act->temporary, temporary);
	if (act->path == NULL || act->path[0] != '/' ||
	    find_action(field_text(line, "action"), &act->action) != 0 ||
	    read_file_fields(json_object_get(line, "file"), &act->copy) != 0)
		return -1;
	if (act->kept == NULL || act->kept[0] != '/')
		return act->action == ACTION_MOVE && act->kept == NULL ? 0 : -1;
	return read_file_fields(json_object_get(line, "kept_file"), &act->kept_file);
}

static int read_line(const json_t *line, const char *path, size_t number, struct journal_list *list,
		     struct simhash_error *error)
{
	const char *state = field_text(line, "state");
	int64_t act;

	if (state != NULL && strcmp(state, "end") == 0)
		return is_whole(line, "acts", INT64_MAX, &act) && (uint64_t)act == list->count
			       ? 0
			       : expect(path, number, "the number of acts", error);
	if (state == NULL || !is_whole(line, "act", INT64_MAX, &act))
		return expect(path, number, "act and state", error);
	if (strcmp(state, "begin") != 0) {
		/* Acts are numbered from 1. */
		if (act < 1 || (uint64_t)act > list->count)
			return expect(path, number, "the outcome of an act before it", error);
		list->acts[act - 1].outcome = strcmp(state, "done") == 0 ? OUTCOME_DONE
									 : OUTCOME_LEFT;
		return 0;
	}
	if ((uint64_t)act != list->count + 1)
		return expect(path, number, "the number of the next act", error);
	if (array_reserve(&list->acts, &list->capacity, list->count + 1, sizeof *list->acts,
			  error) != 0)
		return -1;
	list->acts[list->count] = (struct journal_act){.number = (uint64_t)act};
	if (read_begin(line, list, &list->acts[list->count++]) != 0)
		return expect(path, number, "action, path, kept and file", error);
	return 0;
}

static int read_head(const json_t *line, const char *path, const char *host,
		     struct simhash_error *error)
{
	const char *format = field_text(line, "format"), *on;
	int64_t version;

	if (format == NULL || strcmp(format, "simfind journal") != 0)
		return expect(path, 1, "a journal that simfind wrote", error);
	if (field_integer(line, "format_version", &version) != 0 || version < 1 || version > 2)
		return expect(path, 1, "format_version 1 or 2", error);
	on = field_text(line, "host");
	if (on == NULL || strcmp(on, host) != 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "%s: expected a journal of this host, %s; it is of host %s", path,
				 host, on == NULL ? "(none)" : on);
	return 0;
}

static int take_line(struct bytes text, const char *path, const char *host, size_t number,
		     struct journal_list *list, struct simhash_error *error)
{
	json_t *line = fields_read(text, path, number - 1, error);
	int status;

	if (line == NULL)
		return -1;
	status = number == 1 ? read_head(line, path, host, error)
			     : read_line(line, path, number, list, error);
	json_decref(line);
	return status;
}

static int read_lines(struct bytes text, const char *path, const char *host,
		      struct journal_list *list, struct simhash_error *error)
{
	const char *at = text.data, *end = text.data + text.size, *stop;
	size_t number = 0;

	for (; (stop = memchr(at, '\n', (size_t)(end - at))) != NULL; at = stop + 1)
		if (take_line((struct bytes){at, (size_t)(stop - at)}, path, host, ++number, list,
			      error) != 0)
			return -1;
	return number > 0 ? 0 : expect(path, 1, "a journal that simfind wrote", error);
}

int journal_read(const char *path, const char *host, struct journal_list *list,
		 struct simhash_error *error)
{
	char *text;
	size_t size;
	int status;

	*list = (struct journal_list){.acts = NULL};
	if (read_file(path, SIZE_MAX - 1, &text, &size, error) != 0)
		return -1;
	status = read_lines((struct bytes){text, size}, path, host, list, error);
	free(text);
	if (status != 0)
		journal_list_release(list);
	return status;
}

void journal_list_release(struct journal_list *list)
{
	free(list->acts);
	arena_release(&list->arena);
	*list = (struct journal_list){.acts = NULL};
}
