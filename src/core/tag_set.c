/*
 * Makes tag sets: the built-in set, and sets from a text (paper, 4.1 and 5.1).
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/read_file.h"
#include "base/text/decimal.h"
#include "core/automaton.h"
#include "simhash.h"

#define FILE_SIZE_MAX 65536

struct simhash_tag_set {
	char name[SIMHASH_TAG_SET_NAME_MAX + 1];
	struct simhash_tag tags[SIMHASH_TAGS];
	struct automaton automaton;
};

/* The authors' published tag file, in its order. */
static const struct simhash_tag sample_tags[SIMHASH_TAGS] = {
	{0x00, 1000, 1280, 6000}, {0x74, 1000, 1240, 4030}, {0x65, 1000, 1200, 3290},
	{0xa4, 1000, 1160, 2680}, {0xd3, 1000, 1120, 0},    {0x27, 1000, 1080, 0},
	{0x3f, 1000, 1040, 0},	  {0xc0, 1000, 1000, 0},    {0x49, 1000, 1000, 0},
	{0xed, 1000, 960, 0},	  {0x3c, 1000, 920, 0},	    {0x18, 1000, 880, 0},
	{0x05, 1000, 840, 0},	  {0xdb, 1000, 800, 0},	    {0x76, 1000, 760, 0},
	{0xef, 1000, 720, 0},
};

/* A word of the parsed text. */
struct word {
	const char *text;
	size_t length;
};

struct parser {
	const char *file_name;
	const char *line_text;
	int line;
	char name[SIMHASH_TAG_SET_NAME_MAX + 1];
	struct simhash_tag tags[SIMHASH_TAGS];
	int tag_count;
	struct simhash_error *error;
};

static bool name_is_valid(const char *name, size_t length)
{
	if (length == 0 || length > SIMHASH_TAG_SET_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = name[i];
		if (!ascii_is_letter(c) && !ascii_is_digit(c) && c != '.' && c != '_' && c != '-')
			return false;
	}
	return true;
}

int simhash_tag_set_new(const char *name, const struct simhash_tag tags[SIMHASH_TAGS],
			struct simhash_tag_set **set, struct simhash_error *error)
{
	struct simhash_tag_set *made;

	*set = NULL;
	if (!name_is_valid(name, strlen(name)))
		return error_set(
			error, SIMHASH_E_RANGE,
			"tag set name '%s': expected 1 to %d letters, digits, '.', '_' or '-'",
			name, SIMHASH_TAG_SET_NAME_MAX);
	for (int i = 0; i < SIMHASH_TAGS; i++) {
		if (tags[i].uniform > SIMHASH_WEIGHT_MAX || tags[i].scatter > SIMHASH_WEIGHT_MAX ||
		    tags[i].skew > SIMHASH_WEIGHT_MAX)
			return error_set(error, SIMHASH_E_RANGE, "tag %02x has a weight above %d",
					 tags[i].pattern, SIMHASH_WEIGHT_MAX / 1000);
		for (int j = 0; j < i; j++)
			if (tags[i].pattern == tags[j].pattern)
				return error_set(error, SIMHASH_E_RANGE, "tag %02x occurs twice",
						 tags[i].pattern);
	}
	made = calloc(1, sizeof *made);
	if (made == NULL)
		return error_set_memory(error);
	memcpy(made->name, name, strlen(name));
	memcpy(made->tags, tags, sizeof made->tags);
	if (automaton_init(&made->automaton, tags, error) != 0) {
		free(made);
		return -1;
	}
	*set = made;
	return 0;
}

int simhash_tag_set_new_default(struct simhash_tag_set **set, struct simhash_error *error)
{
	return simhash_tag_set_new("sample", sample_tags, set, error);
}

void simhash_tag_set_free(struct simhash_tag_set *set)
{
	if (set == NULL)
		return;
	automaton_release(&set->automaton);
	free(set);
}

const char *simhash_tag_set_name(const struct simhash_tag_set *set)
{
	return set->name;
}

const struct simhash_tag *simhash_tag_set_tags(const struct simhash_tag_set *set)
{
	return set->tags;
}

const struct automaton *tag_set_automaton(const struct simhash_tag_set *set)
{
	return &set->automaton;
}

static int column(const struct parser *parser, const char *at)
{
	return (int)(at - parser->line_text) + 1;
}

/* Report "FILE:LINE:COLUMN: what, found 'word'". */
static int syntax(const struct parser *parser, const char *what, struct word found)
{
	return error_set(parser->error, SIMHASH_E_SYNTAX, "%s:%d:%d: %s, found '%.*s'",
			 parser->file_name, parser->line, column(parser, found.text), what,
			 (int)found.length, found.text);
}

static int parse_weight(const struct parser *parser, struct word word, uint32_t *weight)
{
	int64_t value;

	switch (decimal_parse(word.text, word.length, 3, SIMHASH_WEIGHT_MAX, &value)) {
	case DECIMAL_OK:
		*weight = (uint32_t)value;
		return 0;
	case DECIMAL_RANGE:
		return syntax(parser, "expected a weight of at most 1000", word);
	case DECIMAL_PLACES:
		return syntax(parser, "expected a weight with at most three decimal places", word);
	case DECIMAL_SYNTAX:
	default:
		return syntax(parser, "expected a weight such as 1.28", word);
	}
}

static int parse_tag(struct parser *parser, const struct word words[3])
{
	struct simhash_tag tag = {.uniform = 1000};
	struct word pattern = words[0];

	if (pattern.length != 2 || hex_byte(pattern.text) < 0)
		return syntax(parser, "expected a tag of two hexadecimal digits", pattern);
	tag.pattern = (uint8_t)hex_byte(pattern.text);
	for (int i = 0; i < parser->tag_count; i++)
		if (parser->tags[i].pattern == tag.pattern)
			return syntax(parser, "expected a tag that occurs once", pattern);
	if (parser->tag_count == SIMHASH_TAGS)
		return syntax(parser, "expected no more than 16 tags", pattern);
	if (parse_weight(parser, words[1], &tag.scatter) != 0 ||
	    parse_weight(parser, words[2], &tag.skew) != 0)
		return -1;
	parser->tags[parser->tag_count++] = tag;
	return 0;
}

static int parse_name(struct parser *parser, struct word name)
{
	if (!name_is_valid(name.text, name.length))
		return syntax(parser, "expected a name of 1 to 64 letters, digits, '.', '_' or '-'",
			      name);
	if (parser->name[0] != '\0')
		return syntax(parser, "expected one name only", name);
	memcpy(parser->name, name.text, name.length);
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Split a line without its comment into at most 4 words. Returns their number. */
static int split(const char *line, size_t length, struct word words[4])
{
	int count = 0;
	size_t i = 0;

	while (count < 4) {
		size_t start;
		while (i < length && is_blank(line[i]))
			i++;
		if (i == length || line[i] == '#')
			break;
		start = i;
		while (i < length && !is_blank(line[i]) && line[i] != '#')
			i++;
		words[count++] = (struct word){line + start, i - start};
	}
	return count;
}

static int parse_line(struct parser *parser, size_t length)
{
	const char *zero = memchr(parser->line_text, '\0', length);
	struct word words[4];
	int count = split(parser->line_text, length, words);

	if (zero != NULL)
		return error_set(parser->error, SIMHASH_E_SYNTAX,
				 "%s:%d:%d: expected text, found a zero byte", parser->file_name,
				 parser->line, column(parser, zero));
	if (count == 0)
		return 0;
	if (words[0].length == 4 && memcmp(words[0].text, "name", 4) == 0) {
		if (count != 2)
			return syntax(parser, "expected \"name NAME\"",
				      count > 2 ? words[2] : words[0]);
		return parse_name(parser, words[1]);
	}
	if (count != 3)
		return syntax(parser, "expected a tag, its Scatter weight and its Skew weight",
			      count > 3 ? words[3] : words[count - 1]);
	return parse_tag(parser, words);
}

/* The default name of a set: its file's name without directory and extension. */
static int name_after_file(struct parser *parser)
{
	const char *slash = strrchr(parser->file_name, '/');
	const char *base = slash == NULL ? parser->file_name : slash + 1;
	const char *extension;
	size_t length = strlen(base);
	size_t extension_length = simhash_extension(base, length, &extension);

	if (extension_length > 0)
		length -= extension_length + 1;
	if (!name_is_valid(base, length))
		return error_set(
			parser->error, SIMHASH_E_SYNTAX,
			"%s: expected a line \"name NAME\", since the file's own name is not "
			"made of letters, digits, '.', '_' and '-'",
			parser->file_name);
	memcpy(parser->name, base, length);
	return 0;
}

int simhash_tag_set_parse(const char *text, size_t size_bytes, const char *file_name,
			  struct simhash_tag_set **set, struct simhash_error *error)
{
	struct parser parser = {.file_name = file_name, .error = error};
	size_t i = 0;

	*set = NULL;
	while (i < size_bytes) {
		const char *line = text + i;
		const char *end = memchr(line, '\n', size_bytes - i);
		size_t length = end == NULL ? size_bytes - i : (size_t)(end - line);
		parser.line++;
		parser.line_text = line;
		if (parse_line(&parser, length) != 0)
			return -1;
		i += length + 1;
	}
	if (parser.tag_count != SIMHASH_TAGS)
		return error_set(error, SIMHASH_E_SYNTAX, "%s:%d: expected 16 tags, found %d",
				 file_name, parser.line, parser.tag_count);
	if (parser.name[0] == '\0' && name_after_file(&parser) != 0)
		return -1;
	return simhash_tag_set_new(parser.name, parser.tags, set, error);
}

int simhash_tag_set_read(const char *path, struct simhash_tag_set **set,
			 struct simhash_error *error)
{
	char *text;
	size_t size;
	int status;

	*set = NULL;
	if (read_path(path, FILE_SIZE_MAX, &text, &size, error) != 0 ||
	    text_decode(path, &text, &size, error) != 0)
		return -1;
	status = simhash_tag_set_parse(text, size, path, set, error);
	free(text);
	return status;
}
