/*
 * Parses the commands of a script line by line, and makes a plan from them.
 * SPDX-License-Identifier: MIT
 */
#include "keep/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "keep/json_fields.h"

static const char head_start[] = "{\"format\":\"simkeep script\"";

struct reader {
	struct commands *commands;
	const char *what;
	size_t line;
	bool has_ended;
	struct simhash_error *error;
};

static int expect(const struct reader *reader, const char *expected)
{
	return error_set(reader->error, SIMHASH_E_SYNTAX, "%s, line %zu: expected %s", reader->what,
			 reader->line, expected);
}

static bool begins_with(struct bytes text, const char *start)
{
	size_t size = strlen(start);

	return text.size >= size && memcmp(text.data, start, size) == 0;
}

bool commands_are_in(struct bytes text)
{
	return begins_with(text, head_start);
}

static json_t *read_object(struct reader *reader, struct bytes text)
{
	return fields_read(text, reader->what, reader->line - 1, reader->error);
}

static int read_head(struct reader *reader, const json_t *head)
{
	static const char *const known[] = {"format", "format_version", "version",
					    "host",   "host_hex",	"host_is_given"};
	const json_t *is_given = json_object_get(head, "host_is_given");
	struct commands *commands = reader->commands;
	int64_t version;

	if (field_integer(head, "format_version", &version) != 0 || version != 1)
		return expect(reader, "format_version 1");
	commands->host = field_bytes(head, "host", &commands->arena);
	if (commands->host == NULL || !json_is_boolean(is_given) ||
	    field_unknown(head, known, sizeof known / sizeof *known) != NULL)
		return expect(reader, "host and host_is_given");
	commands->host_is_given = json_is_true(is_given);
	return 0;
}

/* Read a directory and add it to a list. */
static int read_directory(struct reader *reader, const json_t *item, struct bytes **list,
			  size_t *count, size_t *capacity)
{
	const char *directory = field_bytes(item, "directory", &reader->commands->arena);

	if (directory == NULL || directory[0] != '/')
		return expect(reader, "an absolute directory");
	if (array_reserve(list, capacity, *count + 1, sizeof **list, reader->error) != 0)
		return -1;
	(*list)[(*count)++] = bytes_of(directory);
	return 0;
}

/* The sizes and times of the two files in the index: all of them, or none. */
static int read_states(const json_t *item, struct command *command)
{
	int64_t size;

	if (json_is_null(json_object_get(item, "size"))) {
		command->kept.size_bytes = command->copy.size_bytes = KEEP_SIZE_UNKNOWN;
		return 0;
	}
	if (field_integer(item, "size", &size) != 0 || size < 0)
		return -1;
	command->kept.size_bytes = command->copy.size_bytes = size;
	return field_integer(item, "kept_mtime_ns", &command->kept.mtime_ns) != 0
		       ? -1
		       : field_integer(item, "copy_mtime_ns", &command->copy.mtime_ns);
}

static int add_command(struct reader *reader, const struct command *command)
{
	struct commands *commands = reader->commands;

	if (array_reserve(&commands->list, &commands->capacity, commands->count + 1,
			  sizeof *commands->list, reader->error) != 0)
		return -1;
	commands->list[commands->count++] = *command;
	return 0;
}

static int read_command(struct reader *reader, const json_t *item, enum keep_action action)
{
	static const char *const known[] = {"size",	     "kept",	 "kept_hex",
					    "copy",	     "copy_hex", "kept_mtime_ns",
					    "copy_mtime_ns", "moved",	 "moved_hex"};
	struct commands *commands = reader->commands;
	struct command command = {.action = action};
	const char *moved = field_bytes(item, "moved", &commands->arena);
	bool has_moved = json_object_get(item, "moved") != NULL ||
			 json_object_get(item, "moved_hex") != NULL;

	command.kept.path = field_bytes(item, "kept", &commands->arena);
	command.copy.path = field_bytes(item, "copy", &commands->arena);
	if (command.kept.path == NULL || command.kept.path[0] != '/' || command.copy.path == NULL ||
	    command.copy.path[0] != '/' || read_states(item, &command) != 0 ||
	    field_unknown(item, known, sizeof known / sizeof *known) != NULL)
		return expect(reader, "size, kept, copy, kept_mtime_ns and copy_mtime_ns");
	if (has_moved && (moved == NULL || moved[0] != '/' || action != ACTION_DELETE))
		return expect(reader, "moved only for delete, with an absolute path");
	if (moved != NULL) {
		command.to = command.kept.path;
		command.kept.path = moved;
	}
	return add_command(reader, &command);
}

static int read_move(struct reader *reader, const json_t *item)
{
	static const char *const known[] = {"size", "file", "file_hex", "to", "to_hex", "mtime_ns"};
	struct arena *arena = &reader->commands->arena;
	struct command command = {.action = ACTION_MOVE};

	command.copy.path = field_bytes(item, "file", arena);
	command.to = field_bytes(item, "to", arena);
	if (command.copy.path == NULL || command.copy.path[0] != '/' || command.to == NULL ||
	    command.to[0] != '/' || field_integer(item, "size", &command.copy.size_bytes) != 0 ||
	    command.copy.size_bytes < 0 ||
	    field_integer(item, "mtime_ns", &command.copy.mtime_ns) != 0 ||
	    field_unknown(item, known, sizeof known / sizeof *known) != NULL)
		return expect(reader, "size, file, to and mtime_ns");
	return add_command(reader, &command);
}

static int read_end(struct reader *reader, const json_t *end)
{
	static const char *const known[] = {"commands"};
	int64_t written;

	if (field_integer(end, "commands", &written) != 0 || written < 0 ||
	    field_unknown(end, known, 1) != NULL)
		return expect(reader, "the number of commands");
	reader->commands->written = (uint64_t)written;
	reader->has_ended = true;
	return 0;
}

/* The kinds of lines, by their first word. */
enum line_kind {
	LINE_HARDLINK,
	LINE_REFLINK,
	LINE_DELETE,
	LINE_MOVE,
	LINE_PROTECT,
	LINE_EMPTY,
	LINE_OTHER
};
static const char *const words[] = {"hardlink ", "reflink ", "delete ",
				    "move ",	 "protect ", "empty "};

static enum line_kind find_kind(struct bytes line)
{
	unsigned kind = 0;

	while (kind < LINE_OTHER && !begins_with(line, words[kind]))
		kind++;
	return (enum line_kind)kind;
}

static int read_item(struct reader *reader, const json_t *item, enum line_kind kind)
{
	static const enum keep_action actions[] = {ACTION_HARDLINK, ACTION_REFLINK, ACTION_DELETE};
	struct commands *commands = reader->commands;

	if (kind == LINE_OTHER)
		return reader->line == 1 ? read_head(reader, item) : read_end(reader, item);
	if (kind == LINE_PROTECT)
		return read_directory(reader, item, &commands->protected,
				      &commands->protected_count, &commands->protected_capacity);
	if (kind == LINE_EMPTY)
		return read_directory(reader, item, &commands->emptied, &commands->emptied_count,
				      &commands->emptied_capacity);
	return kind == LINE_MOVE ? read_move(reader, item)
				 : read_command(reader, item, actions[kind]);
}

static int read_line(struct reader *reader, struct bytes line)
{
	bool is_comment = begins_with(line, "#");
	struct bytes text = {line.data + is_comment, line.size - is_comment};
	enum line_kind kind = find_kind(text);
	json_t *item;
	int status;

	if (line.size == 0)
		return 0;
	if (reader->has_ended)
		return expect(reader, "nothing after the number of commands");
	reader->commands->found += kind < LINE_PROTECT;
	if (is_comment)
		return 0;
	if (kind == LINE_OTHER && !begins_with(text, "{"))
		return expect(reader, "hardlink, reflink, delete or move, or # and a comment");
	if (kind != LINE_OTHER) {
		text.data += strlen(words[kind]);
		text.size -= strlen(words[kind]);
	}
	item = read_object(reader, text);
	status = item == NULL ? -1 : read_item(reader, item, kind);
	json_decref(item);
	return status;
}

int commands_read(struct bytes text, const char *what, struct commands *commands,
		  struct simhash_error *error)
{
	struct reader reader = {.commands = commands, .what = what, .error = error};
	const char *at = text.data, *end = text.data + text.size, *stop;
	int status = 0;

	*commands = (struct commands){.list = NULL};
	for (; status == 0 && (stop = memchr(at, '\n', (size_t)(end - at))) != NULL;
	     at = stop + 1) {
		reader.line++;
		status = read_line(&reader, (struct bytes){at, (size_t)(stop - at)});
	}
	if (status == 0 && (at < end || !reader.has_ended)) {
		reader.line++;
		status = expect(&reader, "the number of commands at the end: the script was cut");
	}
	if (status != 0)
		commands_release(commands);
	return status;
}

void commands_release(struct commands *commands)
{
	free(commands->list);
	free(commands->protected);
	free(commands->emptied);
	arena_release(&commands->arena);
	*commands = (struct commands){.list = NULL};
}

/* ---- The acts ---- */

/* Consecutive commands with the same kept file share it, as in other plans. */
static const struct keep_file *kept_of(const struct commands *commands, const struct plan *plan,
				       size_t i)
{
	const struct keep_file *kept = &commands->list[i].kept;
	const struct keep_file *last = i == 0 ? NULL : plan->acts[i - 1].kept;

	if (kept->path == NULL)
		return NULL;
	return last != NULL && strcmp(last->path, kept->path) == 0 &&
			       last->mtime_ns == kept->mtime_ns &&
			       last->size_bytes == kept->size_bytes
		       ? last
		       : kept;
}

int commands_plan(const struct commands *commands, struct plan *plan, struct simhash_error *error)
{
	*plan = (struct plan){.acts = calloc(commands->count, sizeof *plan->acts)};
	if (plan->acts == NULL && commands->count > 0)
		return error_set_memory(error);
	for (; plan->count < commands->count; plan->count++)
		plan->acts[plan->count] =
			(struct planned_act){.file = &commands->list[plan->count].copy,
					     .kept = kept_of(commands, plan, plan->count),
					     .to = commands->list[plan->count].to,
					     .action = commands->list[plan->count].action};
	return 0;
}
