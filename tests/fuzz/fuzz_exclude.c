/*
 * Fuzzes ignore files and patterns: no text and no path causes an error or takes long, and patterns
 * of simple segments match as documented. The oracle is a table of the segments of pattern and
 * path, with fnmatch(3) for single segments.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <unistd.h>

#include "fuzz.h"
#include "index/walk/exclusions.h"

#define SEGMENTS_MAX 40

/* Of the ignore file, in $TMPDIR. */
static char folder[256];
static int directory = -1;

static void clean_up(void)
{
	unlinkat(directory, ".gitignore", 0);
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *top = getenv("TMPDIR");

	(void)argc;
	(void)argv;
	snprintf(folder, sizeof folder, "%s/fuzz_filter.XXXXXX", top == NULL ? "/tmp" : top);
	EXPECT(mkdtemp(folder) != NULL);
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EXPECT(directory >= 0);
	atexit(clean_up);
	return 0;
}

/* Split a text at its slashes; false if there are too many segments or empty ones. */
static bool cut(char *text, char *segments[SEGMENTS_MAX], size_t *count)
{
	*count = 0;
	for (;;) {
		char *slash = strchr(text, '/');
		if (*count == SEGMENTS_MAX || text[0] == '\0' || text == slash)
			return false;
		segments[(*count)++] = text;
		if (slash == NULL)
			return true;
		*slash = '\0';
		text = slash + 1;
	}
}

static bool is_any_depth(const char *segment)
{
	return strlen(segment) >= 2 && strspn(segment, "*") == strlen(segment);
}

/* Do the segments of the pattern from p on match the segments of the path from s on? */
static bool naive_match(char *const *pattern, size_t p_count, char *const *path, size_t s_count)
{
	bool matches[SEGMENTS_MAX + 1][SEGMENTS_MAX + 2] = {{false}};

	for (size_t p = p_count + 1; p-- > 0;)
		for (size_t s = s_count + 1; s-- > 0;) {
			if (p == p_count)
				matches[p][s] = s == s_count;
			else if (is_any_depth(pattern[p]) && p + 1 == p_count)
				matches[p][s] = s < s_count; /* everything inside, but not itself */
			else if (is_any_depth(pattern[p]))
				matches[p][s] = matches[p + 1][s] || matches[p][s + 1];
			else
				matches[p][s] = s < s_count &&
						fnmatch(pattern[p], path[s], 0) == 0 &&
						matches[p + 1][s + 1];
		}
	return matches[0][0];
}

static void compare(const char *line, const char *path, bool is_directory)
{
	static const char simple[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._-+*?/";
	char *pattern = strdup(line), *name = strdup(path), *text = pattern,
	     *segments[SEGMENTS_MAX];
	char *parts[SEGMENTS_MAX];
	size_t size = strlen(line), count, part_count;
	struct glob_list list = {.globs = NULL};
	struct simhash_error error;
	bool needs_directory = false, expected, is_anchored;

	EXPECT(pattern != NULL && name != NULL);
	if (size == 0 || strspn(line, simple) != size || strspn(path, simple) != strlen(path))
		goto out;
	if (text[size - 1] == '/') {
		needs_directory = true;
		text[size - 1] = '\0';
	}
	is_anchored = strchr(text, '/') != NULL;
	if (text[0] == '/')
		text++;
	if (!cut(text, segments, &count) || !cut(name, parts, &part_count))
		goto out;
	expected = is_anchored ? naive_match(segments, count, parts, part_count)
			       : fnmatch(segments[0], parts[part_count - 1], 0) == 0;
	expected = expected && (is_directory || !needs_directory);
	EXPECT(glob_list_add(&list, line, size, &error) == 0);
	EXPECT(glob_list_match(&list, path, is_directory) ==
	       (expected ? GLOB_EXCLUDES : GLOB_SILENT));
	glob_list_release(&list);
out:
	free(pattern);
	free(name);
}

static void write_ignore_file(const char *text, size_t size)
{
	int fd = openat(directory, ".gitignore", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	EXPECT(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
}

/*
 * The input: a byte of choices, a path, a zero byte, a list of extensions, a zero byte, patterns.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	uint8_t choices = take_byte(&in);
	char *path = take_text(&in, strnlen((const char *)in.at, in.left)), *list, *patterns;
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	struct unreadable_ignores unreadable;
	struct ignores *ignores = NULL;
	struct simhash_error error;
	struct exclusions exclusions;
	size_t patterns_size;

	take_byte(&in);
	list = take_text(&in, strnlen((const char *)in.at, in.left));
	take_byte(&in);
	patterns_size = in.left;
	patterns = take_text(&in, in.left);

	exclusions_init(&exclusions);
	exclusions.ignore_files = choices & 1;
	if (choices & 4) {
		write_ignore_file(patterns, patterns_size);
		EXPECT(ignores_read(directory, NULL, "", &ignores, &unreadable, &error) == 0);
	} else {
		EXPECT(glob_list_add_lines(&exclusions.rules, patterns, patterns_size, &error) ==
		       0);
	}
	if (list[0] != '\0')
		exclusions_add_extensions(&exclusions, list, &error);
	exclusions_leave_out(&exclusions, ignores, path, name, choices & 8);
	compare(patterns, path, choices & 8);

	ignores_drop(ignores);
	exclusions_release(&exclusions);
	free(patterns);
	free(list);
	free(path);
	return 0;
}
