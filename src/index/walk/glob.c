/*
 * Matches patterns of gitignore(5): cuts them into segments and matches each segment with
 * fnmatch(3).
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/glob.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

struct glob {
	char *text;	 /* the segments, each terminated by a zero */
	size_t segments; /* a single segment matches the name at any depth */
	bool is_negated, is_directory, is_anchored;
};

void glob_list_release(struct glob_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->globs[i].text);
	free(list->globs);
	*list = (struct glob_list){.globs = NULL};
}

/* Return the size without blanks at the end, unless the last is escaped. */
static size_t without_trailing_blanks(const char *line, size_t size)
{
	while (size > 0 && line[size - 1] == ' ') {
		size_t escapes = 0;
		while (escapes + 1 < size && line[size - 2 - escapes] == '\\')
			escapes++;
		if (escapes % 2 == 1)
			break;
		size--;
	}
	return size;
}

/* Remove the backslash before each slash: for git an escaped slash is a slash. */
static void unescape_slashes(char *text)
{
	char *write = text;

	for (; *text != '\0'; text++) {
		if (text[0] == '\\' && text[1] == '/')
			continue;
		*write++ = *text;
		if (text[0] == '\\' && text[1] != '\0')
			*write++ = *++text;
	}
	*write = '\0';
}

/* Does the segment have a bracket that is never closed? For git it then matches nothing. */
static bool is_unclosed(const char *segment)
{
	for (const char *at = segment; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0')
			at++;
		else if (*at == '[') {
			at++;
			at += *at == '!' || *at == '^';
			if (*at == ']')
				at++;
			for (; *at != ']'; at++) {
				if (*at == '\0')
					return true;
				at += *at == '\\' && at[1] != '\0';
			}
		}
	}
	return false;
}

int glob_list_add(struct glob_list *list, const char *line, size_t size,
		  struct simhash_error *error)
{
	struct glob glob = {.segments = 1};

	size = strnlen(line, size);
	if (size > 0 && line[size - 1] == '\r')
		size--;
	size = without_trailing_blanks(line, size);
	if (size == 0 || line[0] == '#')
		return 0;
	if (line[0] == '!') {
		glob.is_negated = true;
		line++;
		size--;
	}
	/*
	 * Remove one slash at each end. More slashes make an empty segment, which no name matches.
	 */
	if (size > 0 && line[size - 1] == '/') {
		glob.is_directory = true;
		size--;
	}
	glob.is_anchored = memchr(line, '/', size) != NULL;
	if (size > 0 && line[0] == '/') {
		line++;
		size--;
	}
	if (size == 0)
		return 0;
	glob.text = strndup(line, size);
	if (glob.text == NULL)
		return error_set_memory(error);
	unescape_slashes(glob.text);
	for (char *at = glob.text; *at != '\0'; at++)
		if (*at == '/') {
			*at = '\0';
			glob.segments++;
		}
	if (array_reserve(&list->globs, &list->capacity, list->count + 1, sizeof *list->globs,
			  error) != 0) {
		free(glob.text);
		return -1;
	}
	list->globs[list->count++] = glob;
	return 0;
}

static const char byte_order_mark[] = "\xef\xbb\xbf";

int glob_list_add_lines(struct glob_list *list, const char *text, size_t size,
			struct simhash_error *error)
{
	size_t mark = sizeof byte_order_mark - 1;

	if (size >= mark && memcmp(text, byte_order_mark, mark) == 0) {
		text += mark;
		size -= mark;
	}
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		size_t line = end == NULL ? size : (size_t)(end - text);
		if (glob_list_add(list, text, line, error) != 0)
			return -1;
		text += line + (end == NULL ? 0 : 1);
		size -= line + (end == NULL ? 0 : 1);
	}
	return 0;
}

static bool is_any_depth(const char *segment)
{
	size_t stars = strspn(segment, "*");

	return stars >= 2 && segment[stars] == '\0';
}

static bool segment_matches(const char *pattern, const char *segment, size_t size)
{
	char name[256], *copy = name;
	bool matches;

	if (is_unclosed(pattern))
		return false;
	if (size >= sizeof name) {
		copy = malloc(size + 1);
		if (copy == NULL)
			return false;
	}
	memcpy(copy, segment, size);
	copy[size] = '\0';
	matches = fnmatch(pattern, copy, 0) == 0;
	if (copy != name)
		free(copy);
	return matches;
}

/* Return the part after the first segment of a path. */
static const char *after_segment(const char *path)
{
	path += strcspn(path, "/");
	return *path == '/' ? path + 1 : path;
}

/*
 * Match the segments of a pattern against the segments of a path, both from their beginning. After
 * "**" the rest is tried at every depth. When another "**" is reached, the earlier "**" cannot find
 * anything new, so the time is proportional to pattern times path.
 */
static bool path_matches(const char *pattern, size_t segments, const char *path)
{
	const char *retry_pattern = NULL, *retry_path = NULL;
	size_t retry_segments = 0;

	for (;;) {
		if (path[0] == '\0' && segments == 0)
			return true;
		if (segments > 0 && is_any_depth(pattern)) {
			if (segments == 1)
				/* matches everything in a directory, but not the directory */
				return path[0] != '\0';
			pattern += strlen(pattern) + 1;
			segments--;
			retry_pattern = pattern;
			retry_segments = segments;
			retry_path = path;
			continue;
		}
		if (segments > 0 && path[0] != '\0' &&
		    segment_matches(pattern, path, strcspn(path, "/"))) {
			pattern += strlen(pattern) + 1;
			segments--;
			path = after_segment(path);
			continue;
		}
		if (retry_pattern == NULL || retry_path[0] == '\0')
			return false;
		retry_path = after_segment(retry_path);
		pattern = retry_pattern;
		segments = retry_segments;
		path = retry_path;
	}
}

static bool matches(const struct glob *glob, const char *path, const char *name, bool is_directory)
{
	if (glob->is_directory && !is_directory)
		return false;
	if (!glob->is_anchored)
		return segment_matches(glob->text, name, strlen(name));
	return path_matches(glob->text, glob->segments, path);
}

enum glob_verdict glob_list_match(const struct glob_list *list, const char *path, bool is_directory)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;

	for (size_t i = list->count; i > 0; i--)
		if (matches(&list->globs[i - 1], path, name, is_directory))
			return list->globs[i - 1].is_negated ? GLOB_INCLUDES : GLOB_EXCLUDES;
	return GLOB_SILENT;
}
