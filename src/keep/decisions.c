/*
 * Reads and checks decisions.json: refuses the complete file if a field is not as docs/report.md
 * describes it.
 * SPDX-License-Identifier: MIT
 */
#include "keep/decisions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/sort.h"
#include "keep/json_fields.h"

/* The days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static const char time_form[] = "0000-00-00T00:00:00.000000000Z";

/* "2026-11-22T14:12:41.123456789Z" */
static int parse_time(const char *text, int64_t *ns)
{
	int year, month, day, hour, minute, second;
	long fraction;

	if (text == NULL || strlen(text) != sizeof time_form - 1)
		return -1;
	for (size_t i = 0; text[i] != '\0'; i++)
		if (time_form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != time_form[i])
			return -1;
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%9ldZ", &year, &month, &day, &hour, &minute,
		   &second, &fraction) != 7 ||
	    month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
	    second > 60)
		return -1;
	*ns = clock_ns(((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second,
		       fraction);
	return 0;
}

/* ---- Places in error messages ---- */

/* A decision with its host, path and place in the text. */
struct decided {
	const char *host, *path;
	enum decision decision;
	size_t group, file;
};

enum depth { IN_TOP, IN_GROUP, IN_FILE };

struct decision_reader {
	struct decisions *decisions;
	const char *what, *host;
	enum depth depth;
	size_t group, file; /* the current numbers, as far as `depth` has them */
	struct decided *decided;
	size_t count, capacity;
	bool with_others;
	struct simhash_error *error;
};

/* Write a place such as "groups[2].files[0].". */
static void write_place(const struct decision_reader *reader, char *text, size_t size)
{
	text[0] = '\0';
	if (reader->depth == IN_GROUP)
		snprintf(text, size, "groups[%zu].", reader->group);
	else if (reader->depth == IN_FILE)
		snprintf(text, size, "groups[%zu].files[%zu].", reader->group, reader->file);
}

static int expect(const struct decision_reader *reader, const char *field, const char *expected)
{
	char place[64];

	write_place(reader, place, sizeof place);
	return error_set(reader->error, SIMHASH_E_SYNTAX, "%s: %s%s: expected %s", reader->what,
			 place, field, expected);
}

/* Check that it is an object without unknown fields. */
static int check_object(const struct decision_reader *reader, const json_t *object,
			const char *const *known, size_t count)
{
	char place[64];
	const char *unknown;

	write_place(reader, place, sizeof place);
	if (place[0] != '\0')
		place[strlen(place) - 1] = '\0';
	if (!json_is_object(object))
		return error_set(reader->error, SIMHASH_E_SYNTAX, "%s: %s: expected an object",
				 reader->what, place[0] == '\0' ? "it" : place);
	unknown = field_unknown(object, known, count);
	return unknown == NULL ? 0 : expect(reader, unknown, "no such field");
}

/* Check that it is a text or missing. */
static int check_text(const struct decision_reader *reader, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return value == NULL || json_is_string(value) ? 0 : expect(reader, name, "a text");
}

/* ---- Files ---- */

static int take_elsewhere(struct decision_reader *reader, const char *host, const char *path)
{
	struct decisions *decisions = reader->decisions;
	size_t size = strlen(host) + strlen(path) + 1;
	char *text = arena_take(&decisions->arena, size + 1);

	if (text == NULL)
		return error_set_memory(reader->error);
	if (array_reserve(&decisions->elsewhere, &decisions->elsewhere_capacity,
			  decisions->elsewhere_count + 1, sizeof *decisions->elsewhere,
			  reader->error) != 0)
		return -1;
	snprintf(text, size + 1, "%s:%s", host, path);
	decisions->elsewhere[decisions->elsewhere_count++] = (struct bytes){text, size};
	return 0;
}

/* Keep the JSON of a decision about a file of another host. */
static int take_other(struct decision_reader *reader, const json_t *item)
{
	struct decisions *decisions = reader->decisions;
	size_t size = json_dumpb(item, NULL, 0, JSON_PRESERVE_ORDER);
	char *text = arena_take(&decisions->arena, size + 1);

	if (text == NULL || json_dumpb(item, text, size, JSON_PRESERVE_ORDER) != size)
		return error_set_memory(reader->error);
	if (array_reserve(&decisions->others, &decisions->other_capacity,
			  decisions->other_count + 1, sizeof *decisions->others,
			  reader->error) != 0)
		return -1;
	decisions->others[decisions->other_count++] = (struct bytes){text, size};
	return 0;
}

/* Size and time must both be present, or both be missing. */
static int read_state(const struct decision_reader *reader, const json_t *item,
		      struct keep_file *file)
{
	if (json_object_get(item, "size") == NULL && json_object_get(item, "mtime") == NULL) {
		file->size_bytes = KEEP_SIZE_UNKNOWN;
		return 0;
	}
	if (field_integer(item, "size", &file->size_bytes) != 0 || file->size_bytes < 0)
		return expect(reader, "size", "a number of bytes, since there is an mtime");
	if (parse_time(field_text(item, "mtime"), &file->mtime_ns) != 0)
		return expect(reader, "mtime", "a time such as 2026-11-22T14:12:41.123456789Z");
	return 0;
}

static int read_decision(const struct decision_reader *reader, const json_t *item,
			 struct keep_file *file)
{
	const char *decision = field_text(item, "decision");

	if (decision != NULL && strcmp(decision, "keep") == 0)
		file->decision = DECIDED_KEEP;
	else if (decision != NULL && (strcmp(decision, "remove") == 0 ||
				      strcmp(decision, "give up") == 0 /* earlier versions */))
		file->decision = DECIDED_GIVE_UP;
	else
		return expect(reader, "decision", "keep or remove");
	return 0;
}

static int read_file_fields(const struct decision_reader *reader, const json_t *item,
			    struct keep_file *file)
{
	static const char *const known[] = {"path",  "path_hex", "host",    "size",
					    "mtime", "hash",	 "decision"};
	const char *host = field_text(item, "host");

	if (check_object(reader, item, known, sizeof known / sizeof *known) != 0 ||
	    check_text(reader, item, "path") != 0 || check_text(reader, item, "path_hex") != 0)
		return -1;
	file->path = field_bytes(item, "path", &reader->decisions->arena);
	if (file->path == NULL || file->path[0] != '/')
		return expect(reader,
			      json_object_get(item, "path_hex") != NULL ? "path_hex" : "path",
			      "an absolute path");
	if (host == NULL || host[0] == '\0')
		return expect(reader, "host", "the name of a host");
	if (field_hex(item, "hash", file->hash, KEEP_HASH_SIZE) != 0)
		return expect(reader, "hash", "32 hexadecimal digits");
	return read_state(reader, item, file) != 0 ? -1 : read_decision(reader, item, file);
}

static int take_file(struct decision_reader *reader, const json_t *item)
{
	struct decisions *decisions = reader->decisions;
	struct keep_file file = {.path = NULL};
	const char *host = field_text(item, "host");

	if (read_file_fields(reader, item, &file) != 0 ||
	    array_reserve(&reader->decided, &reader->capacity, reader->count + 1,
			  sizeof *reader->decided, reader->error) != 0)
		return -1;
	reader->decided[reader->count++] =
		(struct decided){host, file.path, file.decision, reader->group, reader->file};
	if (strcmp(host, reader->host) != 0 && reader->with_others && take_other(reader, item) != 0)
		return -1;
	if (strcmp(host, reader->host) != 0)
		return file.decision == DECIDED_KEEP ? 0 : take_elsewhere(reader, host, file.path);
	if (array_reserve(&decisions->files, &decisions->capacity, decisions->count + 1,
			  sizeof *decisions->files, reader->error) != 0)
		return -1;
	decisions->files[decisions->count++] = file;
	return 0;
}

/* ---- Groups ---- */

static int take_group(struct decision_reader *reader, const json_t *group)
{
	static const char *const known[] = {"id", "files"};
	const json_t *files = json_object_get(group, "files");
	int status = 0;

	reader->depth = IN_GROUP;
	if (check_object(reader, group, known, 2) != 0 || check_text(reader, group, "id") != 0)
		return -1;
	if (!json_is_array(files))
		return expect(reader, "files", "an array");
	reader->depth = IN_FILE;
	for (size_t i = 0; status == 0 && i < json_array_size(files); i++) {
		reader->file = i;
		status = take_file(reader, json_array_get(files, i));
	}
	reader->depth = IN_TOP;
	return status;
}

static int check_command(const struct decision_reader *reader, const json_t *top)
{
	const json_t *command = json_object_get(top, "command");
	bool is_wrong = command != NULL && !json_is_array(command);

	for (size_t i = 0; !is_wrong && i < json_array_size(command); i++)
		is_wrong = !json_is_string(json_array_get(command, i));
	return is_wrong ? expect(reader, "command", "an array of texts") : 0;
}

static int check_top(const struct decision_reader *reader, const json_t *top)
{
	static const char *const known[] = {"format", "format_version", "version", "command",
					    "index",  "made",		"groups"};
	const char *format = field_text(top, "format");
	int64_t version;

	if (format == NULL || strcmp(format, "simfind decisions") != 0)
		return error_set(reader->error, SIMHASH_E_SYNTAX,
				 "%s: expected decisions that a report of simfind saved",
				 reader->what);
	if (field_integer(top, "format_version", &version) != 0 || version != 1)
		return error_set(reader->error, SIMHASH_E_RANGE, "%s: expected format_version 1",
				 reader->what);
	if (check_object(reader, top, known, sizeof known / sizeof *known) != 0 ||
	    check_text(reader, top, "version") != 0 || check_text(reader, top, "index") != 0 ||
	    check_text(reader, top, "made") != 0 || check_command(reader, top) != 0)
		return -1;
	return json_is_array(json_object_get(top, "groups")) ? 0
							     : expect(reader, "groups", "an array");
}

static int compare_decided(const void *a, const void *b, void *context)
{
	const struct decided *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	(void)context;
	if (order == 0)
		order = strcmp(x->host, y->host);
	if (order == 0)
		order = (x->group > y->group) - (x->group < y->group);
	return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

/* Check that no file was decided to be both kept and removed. */
static int check_contradictions(struct decision_reader *reader)
{
	struct decided *decided = reader->decided;

	sort_with(decided, reader->count, sizeof *decided, compare_decided, NULL);
	for (size_t i = 1; i < reader->count; i++) {
		const struct decided *x = &decided[i - 1], *y = &decided[i];
		if (strcmp(x->path, y->path) == 0 && strcmp(x->host, y->host) == 0 &&
		    x->decision != y->decision)
			return error_set(reader->error, SIMHASH_E_SYNTAX,
					 "%s: groups[%zu].files[%zu] contradicts "
					 "groups[%zu].files[%zu] about %s; expected one decision",
					 reader->what, y->group, y->file, x->group, x->file,
					 x->path);
	}
	return 0;
}

static int take_groups(struct decision_reader *reader, const json_t *top)
{
	const json_t *groups = json_object_get(top, "groups");
	int status = check_top(reader, top);

	for (; status == 0 && reader->group < json_array_size(groups); reader->group++)
		status = take_group(reader, json_array_get(groups, reader->group));
	return status == 0 ? check_contradictions(reader) : -1;
}

static int read_decisions(struct bytes text, const char *what, const char *host, bool with_others,
			  struct decisions *decisions, struct simhash_error *error)
{
	struct decision_reader reader = {.decisions = decisions,
					 .what = what,
					 .host = host,
					 .with_others = with_others,
					 .error = error};
	json_t *top;
	int status;

	*decisions = (struct decisions){.files = NULL};
	top = fields_read(text, what, 0, error);
	if (top == NULL)
		return -1;
	status = take_groups(&reader, top);
	free(reader.decided);
	json_decref(top);
	if (status != 0)
		decisions_release(decisions);
	return status;
}

int decisions_read(struct bytes text, const char *what, const char *host,
		   struct decisions *decisions, struct simhash_error *error)
{
	return read_decisions(text, what, host, false, decisions, error);
}

int decisions_read_all(struct bytes text, const char *what, const char *host,
		       struct decisions *decisions, struct simhash_error *error)
{
	return read_decisions(text, what, host, true, decisions, error);
}

void decisions_release(struct decisions *decisions)
{
	free(decisions->elsewhere);
	free(decisions->others);
	free(decisions->files);
	arena_release(&decisions->arena);
	*decisions = (struct decisions){.files = NULL};
}

/* ---- Files of the writer, line by line ---- */

#define FILE_LINE "    {\""

static bool begins(const char *line, const char *text)
{
	return strncmp(line, text, strlen(text)) == 0;
}

/* Is it a line that the writer writes? A line with another depth would be another structure. */
static bool is_written(const char *line, size_t number)
{
	static const char *const heads[] = {
		" \"version\": \"",
		" \"command\": [\n",
		"  \"",
		" ],\n",
		" \"index\": \"",
		" \"made\": \"",
		" \"groups\": [\n",
		"  {\n",
		"   \"id\": \"",
		"   \"files\": [\n",
		"   ]\n",
		"  }\n",
		"  },\n",
		" ]\n",
		"}\n",
	};
	static const char *const first[] = {"{\n", " \"format\": \"simfind decisions\",\n",
					    " \"format_version\": 1,\n"};
	size_t size = strlen(line);

	if (number < sizeof first / sizeof *first)
		return strcmp(line, first[number]) == 0;
	if (begins(line, FILE_LINE))
		return size > 2 && (strcmp(line + size - 2, "}\n") == 0 ||
				    (size > 3 && strcmp(line + size - 3, "},\n") == 0));
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (begins(line, heads[i]))
			return true;
	return false;
}

static bool is_of_writer(FILE *file, char **line, size_t *capacity)
{
	bool is_complete = false, is_written_by_us = true;
	ssize_t size;

	for (size_t number = 0; is_written_by_us && (size = getline(line, capacity, file)) > 0;
	     number++) {
		is_written_by_us = strlen(*line) == (size_t)size && is_written(*line, number);
		is_complete = strcmp(*line, "}\n") == 0;
	}
	rewind(file);
	return is_written_by_us && is_complete;
}

static int pass_line(struct decision_reader *reader, struct bytes text, decision_fn *each,
		     void *context)
{
	struct decisions *decisions = reader->decisions;
	json_t *item = fields_read(text, reader->what, reader->group, reader->error);
	int status;

	if (item == NULL)
		return -1;
	decisions->count = decisions->other_count = decisions->elsewhere_count = reader->count = 0;
	arena_clear(&decisions->arena);
	status = take_file(reader, item);
	if (status == 0 && decisions->count > 0)
		status = each(context, &decisions->files[0], NULL, reader->error);
	if (status == 0 && decisions->other_count > 0)
		status = each(context, NULL, &decisions->others[0], reader->error);
	json_decref(item);
	return status;
}

int decisions_each(FILE *file, const char *what, const char *host, decision_fn *each, void *context,
		   struct simhash_error *error)
{
	struct decisions decisions = {.files = NULL};
	/* Errors give the number of the line as the number of the group. */
	struct decision_reader reader = {.decisions = &decisions,
					 .what = what,
					 .host = host,
					 .depth = IN_FILE,
					 .with_others = true,
					 .error = error};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	int status = is_of_writer(file, &line, &capacity) ? 0 : 1;

	for (; status == 0 && (size = getline(&line, &capacity, file)) > 0; reader.group++)
		if (begins(line, FILE_LINE))
			status = pass_line(
				&reader,
				(struct bytes){line,
					       (size_t)size - (line[size - 2] == ',' ? 2 : 1)},
				each, context);
	free(line);
	free(reader.decided);
	decisions_release(&decisions);
	return status;
}
