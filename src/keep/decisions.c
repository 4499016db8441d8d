/*
 * Reading decisions.json: every field that something is decided by has to be there.
 * SPDX-License-Identifier: MIT
 */
#include "keep/decisions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "keep/json_fields.h"

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2026-11-22T14:12:41.123456789Z" */
static int parse_time(const char *text, int64_t *ns)
{
	int year, month, day, hour, minute, second, length = 0;
	long fraction;

	if (text == NULL || strlen(text) != 30 ||
	    sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%9ldZ%n", &year, &month, &day, &hour, &minute,
		   &second, &fraction, &length) != 7 ||
	    length != 30 || month < 1 || month > 12 || fraction < 0)
		return -1;
	*ns = clock_ns(((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second,
		       fraction);
	return 0;
}

static int take_elsewhere(struct decisions *decisions, const char *host, const char *path,
			  struct simhash_error *error)
{
	size_t size = strlen(host) + strlen(path) + 1;
	char *text = arena_take(&decisions->arena, size + 1);

	if (text == NULL)
		return error_set_memory(error);
	if (array_reserve(&decisions->elsewhere, &decisions->elsewhere_capacity,
			  decisions->elsewhere_count + 1, sizeof *decisions->elsewhere, error) != 0)
		return -1;
	snprintf(text, size + 1, "%s:%s", host, path);
	decisions->elsewhere[decisions->elsewhere_count++] = (struct bytes){text, size};
	return 0;
}

/* Neither is there, or both are. */
static int read_state(const json_t *item, struct keep_file *file)
{
	if (json_object_get(item, "size") == NULL && json_object_get(item, "mtime") == NULL) {
		file->size_bytes = KEEP_SIZE_UNKNOWN;
		return 0;
	}
	return field_integer(item, "size", &file->size_bytes) == 0 && file->size_bytes >= 0
		       ? parse_time(field_text(item, "mtime"), &file->mtime_ns)
		       : -1;
}

static int take_file(struct decisions *decisions, const json_t *item, const char *host,
		     const char *what, struct simhash_error *error)
{
	struct keep_file file = {.path = field_bytes(item, "path", &decisions->arena)};
	const char *on = field_text(item, "host"), *decision = field_text(item, "decision");

	if (file.path == NULL || file.path[0] != '/' || on == NULL || decision == NULL ||
	    read_state(item, &file) != 0 || field_hex(item, "hash", file.hash, KEEP_HASH_SIZE) != 0)
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"%s: expected files with path, host, size, mtime, hash and decision", what);
	if (strcmp(decision, "keep") == 0)
		file.decision = DECIDED_KEEP;
	else if (strcmp(decision, "give up") == 0)
		file.decision = DECIDED_GIVE_UP;
	else
		return error_set(error, SIMHASH_E_SYNTAX,
				 "%s: decision '%s': expected keep or give up", what, decision);
	if (strcmp(on, host) != 0)
		return file.decision == DECIDED_KEEP
			       ? 0
			       : take_elsewhere(decisions, on, file.path, error);
	if (array_reserve(&decisions->files, &decisions->capacity, decisions->count + 1,
			  sizeof *decisions->files, error) != 0)
		return -1;
	decisions->files[decisions->count++] = file;
	return 0;
}

static int take_groups(struct decisions *decisions, const json_t *top, const char *host,
		       const char *what, struct simhash_error *error)
{
	const json_t *groups = json_object_get(top, "groups");
	const char *format = field_text(top, "format");
	int64_t version;

	if (format == NULL || strcmp(format, "simfind decisions") != 0 || groups == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "%s: expected decisions that a report of simfind saved", what);
	if (field_integer(top, "format_version", &version) != 0 || version != 1)
		return error_set(error, SIMHASH_E_RANGE, "%s: expected format_version 1", what);
	for (size_t g = 0; g < json_array_size(groups); g++) {
		const json_t *files = json_object_get(json_array_get(groups, g), "files");
		for (size_t f = 0; f < json_array_size(files); f++)
			if (take_file(decisions, json_array_get(files, f), host, what, error) != 0)
				return -1;
	}
	return 0;
}

int decisions_read(struct bytes text, const char *what, const char *host,
		   struct decisions *decisions, struct simhash_error *error)
{
	json_t *top;
	int status;

	*decisions = (struct decisions){.files = NULL};
	top = fields_read(text, what, 0, error);
	if (top == NULL)
		return -1;
	status = take_groups(decisions, top, host, what, error);
	json_decref(top);
	if (status != 0)
		decisions_release(decisions);
	return status;
}

void decisions_release(struct decisions *decisions)
{
	free(decisions->elsewhere);
	free(decisions->files);
	arena_release(&decisions->arena);
	*decisions = (struct decisions){.files = NULL};
}
