/*
 * Reads and checks a journal.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "act/journal/journal.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"
#include "keep/json_fields.h"

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
	for (int i = ACTION_HARDLINK; i <= ACTION_HEAL; i++)
		if (name != NULL && strcmp(name, action_name((enum keep_action)i)) == 0) {
			*action = (enum keep_action)i;
			return 0;
		}
	return -1;
}

/* Is this a name that an act may have made, and that undo may remove? */
static bool is_temporary(const char *name)
{
	const size_t prefix = strlen(KEEP_TEMPORARY_PREFIX);

	return strncmp(name, KEEP_TEMPORARY_PREFIX, prefix) == 0 && strlen(name) == prefix + 16 &&
	       strspn(name + prefix, "0123456789abcdef") == 16;
}

static int read_heal(const json_t *line, struct journal_act *act)
{
	return !act->has_hash || act->temporary[0] == '\0' ||
			       field_hex(line, "damaged_hash", act->damaged_hash, KEEP_HASH_SIZE) !=
				       0 ||
			       !is_whole(line, "bytes_at", INT64_MAX / 2, &act->bytes_at) ||
			       !is_whole(line, "bytes", INT64_MAX / 2, &act->bytes) ||
			       !is_whole(line, "unreadable", INT64_MAX, &act->unreadable_bytes)
		       ? -1
		       : 0;
}

static int read_begin(const json_t *line, struct journal_list *list, struct journal_act *act)
{
	const char *temporary = field_text(line, "temporary");

	act->path = field_bytes(line, "path", &list->arena);
	act->kept = field_bytes(line, "kept", &list->arena);
	act->to = field_bytes(line, "to", &list->arena);
	act->same_attributes = json_is_true(json_object_get(line, "same_attributes"));
	act->has_hash = field_hex(line, "hash", act->hash, KEEP_HASH_SIZE) == 0;
	if (temporary != NULL && !is_temporary(temporary))
		return -1;
	if (temporary != NULL)
		strcpy(act->temporary, temporary);
	if (act->path == NULL || act->path[0] != '/' ||
	    find_action(field_text(line, "action"), &act->action) != 0 ||
	    (act->action != ACTION_MKDIR &&
	     read_file_fields(json_object_get(line, "file"), &act->copy) != 0) ||
	    (act->action == ACTION_HEAL && read_heal(line, act) != 0))
		return -1;
	if (act->kept == NULL || act->kept[0] != '/')
		return act->action >= ACTION_MOVE && act->kept == NULL ? 0 : -1;
	return read_file_fields(json_object_get(line, "kept_file"), &act->kept_file);
}

struct journal_reader {
	const char *path, *host;
	struct journal_list *list;
	size_t line;
	int64_t version;
	bool has_ended;
	struct simhash_error *error;
};

static int expect(const struct journal_reader *reader, const char *expected)
{
	return error_set(reader->error, SIMHASH_E_SYNTAX, "%s, line %zu: expected %s", reader->path,
			 reader->line, expected);
}

static int compare_numbers(const void *number, const void *act)
{
	uint64_t x = *(const uint64_t *)number, y = ((const struct journal_act *)act)->number;

	return (x > y) - (x < y);
}

/* Read the outcome of an act. If its line is missing, the act is also missing. */
static void take_outcome(const struct journal_reader *reader, uint64_t number, const char *state)
{
	struct journal_list *list = reader->list;
	struct journal_act *act = list->count == 0 ? NULL
						   : bsearch(&number, list->acts, list->count,
							     sizeof *list->acts, compare_numbers);

	if (act != NULL)
		act->outcome = strcmp(state, "done") == 0 ? OUTCOME_DONE : OUTCOME_LEFT;
}

static int take_begin(struct journal_reader *reader, const json_t *line, uint64_t number)
{
	struct journal_list *list = reader->list;
	uint64_t last = list->count == 0 ? 0 : list->acts[list->count - 1].number;

	if (number <= last)
		return expect(reader, "a higher number than the previous act has");
	list->missing += number - last - 1;
	if (array_reserve(&list->acts, &list->capacity, list->count + 1, sizeof *list->acts,
			  reader->error) != 0)
		return -1;
	list->acts[list->count] = (struct journal_act){.number = number};
	if (read_begin(line, list, &list->acts[list->count++]) != 0)
		return expect(reader, "action, path, kept and file");
	return 0;
}

static int take_end(struct journal_reader *reader, const json_t *line)
{
	struct journal_list *list = reader->list;
	uint64_t last = list->count == 0 ? 0 : list->acts[list->count - 1].number;
	int64_t acts;

	if (!is_whole(line, "acts", INT64_MAX, &acts) || (uint64_t)acts < last)
		return expect(reader, "the number of acts");
	list->missing += (uint64_t)acts - last;
	reader->has_ended = true;
	return 0;
}

static int read_line(struct journal_reader *reader, const json_t *line)
{
	const char *state = field_text(line, "state");
	int64_t number;

	if (reader->has_ended)
		return expect(reader, "nothing after the line that ends the journal");
	if (state != NULL && strcmp(state, "end") == 0)
		return take_end(reader, line);
	if (state == NULL || !is_whole(line, "act", INT64_MAX, &number))
		return expect(reader, "act and state");
	if (strcmp(state, "begin") == 0)
		return take_begin(reader, line, (uint64_t)number);
	take_outcome(reader, (uint64_t)number, state);
	return 0;
}

static int read_head(struct journal_reader *reader, const json_t *line)
{
	const char *format = field_text(line, "format"), *on;

	if (format == NULL || strcmp(format, "simkeep journal") != 0)
		return expect(reader, "a journal that simkeep wrote");
	if (field_integer(line, "format_version", &reader->version) != 0 || reader->version < 1 ||
	    reader->version > 5)
		return expect(reader, "format_version 1, 2, 3, 4 or 5");
	on = field_text(line, "host");
	if (on == NULL || strcmp(on, reader->host) != 0)
		return error_set(reader->error, SIMHASH_E_RANGE,
				 "%s: expected a journal of this host, %s; it is of host %s",
				 reader->path, reader->host, on == NULL ? "(none)" : on);
	return 0;
}

static int take_line(struct journal_reader *reader, struct bytes text)
{
	json_t *line = fields_read(text, reader->path, reader->line - 1, reader->error);
	int status;

	if (line == NULL)
		return -1;
	status = reader->line == 1 ? read_head(reader, line) : read_line(reader, line);
	json_decref(line);
	return status;
}

/* Without an end mark, the run may have been stopped between two acts. */
static void judge_ending(const struct journal_reader *reader, bool has_part_of_line)
{
	struct journal_list *list = reader->list;
	bool has_outcome = list->count == 0 || list->acts[list->count - 1].outcome != OUTCOME_NONE;

	if (!reader->has_ended && (reader->version > 1 || has_part_of_line || !has_outcome))
		list->ending = JOURNAL_STOPPED;
}

static int read_lines(struct journal_reader *reader, struct bytes text)
{
	const char *at = text.data, *end = text.data + text.size, *stop;

	for (; (stop = memchr(at, '\n', (size_t)(end - at))) != NULL; at = stop + 1) {
		reader->line++;
		if (take_line(reader, (struct bytes){at, (size_t)(stop - at)}) != 0)
			return -1;
	}
	judge_ending(reader, at < end);
	if (reader->line > 0)
		return 0;
	reader->line = 1;
	return expect(reader, text.size == 0
				      ? "a journal that simkeep wrote; the file is empty"
				      : "a journal that simkeep wrote; it has no complete line");
}

int journal_lock(const char *path, int *fd, struct simhash_error *error)
{
	*fd = strcmp(path, "-") == 0 ? -1 : open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close_content(*fd);
	*fd = -1;
	return error_set(error, SIMHASH_E_RANGE,
			 "%s: another program still writes this journal, or undoes it", path);
}

int journal_read(const char *path, const char *host, struct journal_list *list,
		 struct simhash_error *error)
{
	struct journal_reader reader = {.path = path, .host = host, .list = list, .error = error};
	char *text;
	size_t size;
	int status;

	*list = (struct journal_list){.acts = NULL};
	if (read_file(path, SIZE_MAX - 1, &text, &size, error) != 0)
		return -1;
	while (size > 0 && text[size - 1] == '\0')
		size--; /* a crashed system may leave zeros after the written text */
	status = read_lines(&reader, (struct bytes){text, size});
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
