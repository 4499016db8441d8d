/*
 * Sorts versions by their names. It ignores the common parts of two names, and recognizes the rest
 * as a version, as a mark such as ".bak", or as meaningless.
 * SPDX-License-Identifier: MIT
 */
#include "find/lineage/version_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/basic/ascii.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_separator(char c)
{
	return c != '\0' && strchr(" ._-+()[]", c) != NULL;
}

/* ---- Versions ---- */

/*
 * Words in versions. A word with a negative rank comes before the same version without a word:
 * 2.0-rc1 before 2.0.
 */
static const struct version_word {
	const char *text;
	int rank;
} version_words[] = {
	{"dev", -5},	 {"alpha", -4}, {"a", -4},  {"beta", -3}, {"b", -3},	  {"pre", -2},
	{"rc", -1},	 {"v", 0},	{"ver", 0}, {"r", 0},	  {"version", 0}, {"rev", 0},
	{"revision", 0}, {"p", 1},	{"pl", 1},  {"u", 1},	  {"deb", 1},	  {"ubuntu", 1},
	{"post", 1},	 {"dfsg", 1},	{"ds", 1},  {"bpo", 1},	  {"sp", 1},	  {"build", 1},
};

#define RANK_TILDE (-6)
#define RANK_END 0
#define RANK_NUMBER 2
#define RANK_WRONG 3

struct version_token {
	int rank;
	struct bytes digits; /* the digits of a number without leading zeros */
};

static size_t run_of(struct bytes text, bool (*is_one)(char))
{
	size_t size = 0;

	while (size < text.size && is_one(text.data[size]))
		size++;
	return size;
}

static struct bytes without(struct bytes text, size_t size)
{
	return (struct bytes){text.data + size, text.size - size};
}

static bool is_word(struct bytes text, const char *word)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_lower(text.data[i]) != word[i] || word[i] == '\0')
			return false;
	return word[text.size] == '\0';
}

static int rank_of_word(struct bytes word)
{
	for (size_t i = 0; i < sizeof version_words / sizeof *version_words; i++)
		if (is_word(word, version_words[i].text))
			return version_words[i].rank;
	return RANK_WRONG;
}

/* Take the next token off the text. Words of rank 0 are skipped like separators. */
static struct version_token next_token(struct bytes *text)
{
	struct version_token token = {.rank = RANK_END};
	size_t size;

	for (;;) {
		*text = without(*text, run_of(*text, is_separator));
		size = run_of(*text, is_letter);
		if (size == 0)
			break;
		token.rank = rank_of_word((struct bytes){text->data, size});
		*text = without(*text, size);
		if (token.rank != 0)
			return token;
	}
	if (text->size == 0)
		return token;
	size = run_of(*text, is_digit);
	if (size == 0) {
		token.rank = text->data[0] == '~' ? RANK_TILDE : RANK_WRONG;
		*text = without(*text, 1);
		return token;
	}
	token.rank = RANK_NUMBER;
	token.digits = (struct bytes){text->data, size};
	while (token.digits.size > 1 && token.digits.data[0] == '0')
		token.digits = without(token.digits, 1);
	*text = without(*text, size);
	return token;
}

static bool is_version(struct bytes text)
{
	struct version_token token;

	do {
		token = next_token(&text);
		if (token.rank == RANK_WRONG)
			return false;
	} while (token.rank != RANK_END);
	return true;
}

static int compare_tokens(const struct version_token *x, const struct version_token *y)
{
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->digits.size != y->digits.size)
		return x->digits.size < y->digits.size ? -1 : 1;
	return x->digits.size == 0 ? 0 : memcmp(x->digits.data, y->digits.data, x->digits.size);
}

static int compare_versions(struct bytes x, struct bytes y)
{
	struct version_token token_x, token_y;
	int order;

	do {
		token_x = next_token(&x);
		token_y = next_token(&y);
		order = compare_tokens(&token_x, &token_y);
	} while (order == 0 && token_x.rank != RANK_END);
	return order;
}

/* ---- Marks ---- */

static const struct mark_word {
	const char *text;
	int order;
	enum name_reason reason;
} mark_words[] = {
	{"bak", -1, NAME_BACKUP},      {"backup", -1, NAME_BACKUP},   {"old", -1, NAME_BACKUP},
	{"orig", -1, NAME_BACKUP},     {"original", -1, NAME_BACKUP}, {"prev", -1, NAME_BACKUP},
	{"previous", -1, NAME_BACKUP}, {"save", -1, NAME_BACKUP},     {"draft", -1, NAME_BACKUP},
	{"rpmsave", -1, NAME_BACKUP},  {"dpkg-old", -1, NAME_BACKUP}, {"ucf-old", -1, NAME_BACKUP},
	{"copy", 1, NAME_COPY},	       {"copy of", 1, NAME_COPY},     {"kopie", 1, NAME_COPY},
	{"new", 1, NAME_COPY},	       {"final", 1, NAME_COPY},	      {"latest", 1, NAME_COPY},
	{"edited", 1, NAME_COPY},      {"rpmnew", 1, NAME_COPY},      {"dpkg-new", 1, NAME_COPY},
	{"dpkg-dist", 1, NAME_COPY},   {"ucf-dist", 1, NAME_COPY},
};

static struct bytes trim(struct bytes text, bool with_digits)
{
	text = without(text, run_of(text, is_separator));
	while (text.size > 0 && (is_separator(text.data[text.size - 1]) ||
				 (with_digits && is_digit(text.data[text.size - 1]))))
		text.size--;
	return text;
}

/* Is it like " (2)", which browsers and file managers append? */
static bool is_in_parentheses(struct bytes text)
{
	const char *open = memchr(text.data, '(', text.size);
	size_t digits;

	if (text.size < 3 || open == NULL || text.data[text.size - 1] != ')')
		return false;
	text = without(text, (size_t)(open - text.data) + 1);
	digits = run_of(text, is_digit);
	return digits > 0 && digits + 1 == text.size;
}

static struct name_order mark_of(struct bytes text)
{
	struct bytes word = trim(text, true);

	if (text.size > 0 && text.data[text.size - 1] == '~' && is_version(text))
		return (struct name_order){-1, NAME_BACKUP};
	for (size_t i = 0; i < sizeof mark_words / sizeof *mark_words; i++)
		if (is_word(word, mark_words[i].text))
			return (struct name_order){mark_words[i].order, mark_words[i].reason};
	if (is_in_parentheses(text) && word.size == 0)
		return (struct name_order){1, NAME_COPY};
	return (struct name_order){0, NAME_NONE};
}

/* ---- Names ---- */

static bool has_digit(struct bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (is_digit(text.data[i]))
			return true;
	return false;
}

/* The order by the different parts of two names. If numbers decide, the reason is NAME_NUMBER. */
static struct name_order parts_order(struct bytes x, struct bytes y)
{
	struct name_order mark_x = mark_of(x), mark_y = mark_of(y);
	bool x_is_plain = mark_x.order != 0 || trim(x, false).size == 0;
	bool y_is_plain = mark_y.order != 0 || trim(y, false).size == 0;
	int order;

	if (x_is_plain && y_is_plain && mark_x.order != mark_y.order)
		return (struct name_order){mark_x.order < mark_y.order ? -1 : 1,
					   mark_x.order != 0 ? mark_x.reason : mark_y.reason};
	if ((!has_digit(x) && !has_digit(y)) || !is_version(x) || !is_version(y))
		return (struct name_order){0, NAME_NONE};
	order = compare_versions(x, y);
	return (struct name_order){order, order == 0 ? NAME_NONE : NAME_NUMBER};
}

/* ---- Numbers: do they say a version or a date, or do they count something? ---- */

/* Is this a number with digits from `low` to `high`? */
static bool is_within(struct bytes digits, unsigned low, unsigned high)
{
	unsigned value = 0;

	for (size_t i = 0; i < digits.size; i++)
		value = 10 * value + (unsigned)(digits.data[i] - '0');
	return value >= low && value <= high;
}

/* Does it begin with a day like 2024-03-05, or 20240305 without separators? */
static bool begins_with_date(struct bytes text)
{
	size_t between = text.size > 4 && is_separator(text.data[4]);
	const char *month, *day;

	if (text.size < 8 + 2 * between || run_of(text, is_digit) < (between ? 4 : 8))
		return false;
	month = text.data + 4 + between;
	day = month + 2 + between;
	if (!is_digit(month[0]) || !is_digit(month[1]) || !is_digit(day[0]) || !is_digit(day[1]) ||
	    (between && day[-1] != text.data[4]))
		return false;
	return is_within((struct bytes){text.data, 4}, 1900, 2099) &&
	       is_within((struct bytes){month, 2}, 1, 12) &&
	       is_within((struct bytes){day, 2}, 1, 31);
}

/* Is a number after this word a version? One letter can also stand for a page or a part. */
static bool is_version_mark(struct bytes word)
{
	if (word.size == 1)
		return is_word(word, "v") || is_word(word, "r");
	for (size_t i = 0; i < sizeof mark_words / sizeof *mark_words; i++)
		if (is_word(word, mark_words[i].text))
			return true;
	return rank_of_word(word) != RANK_WRONG && !is_word(word, "pl") && !is_word(word, "ds");
}

/* The word before `at`, without separators between. */
static struct bytes word_before(struct bytes name, size_t at)
{
	size_t end;

	while (at > 0 && is_separator(name.data[at - 1]))
		at--;
	for (end = at; at > 0 && is_letter(name.data[at - 1]);)
		at--;
	return (struct bytes){name.data + at, end - at};
}

/* A number goes on after a single separator: 1.2, 2024-03-05. */
static bool continues(struct bytes name, size_t at)
{
	return (at < name.size && is_digit(name.data[at])) ||
	       (at + 1 < name.size && is_separator(name.data[at]) && is_digit(name.data[at + 1]));
}

/*
 * The meaning of the number in a name from `head` to `end`. The number may begin before, and end
 * after, since the common parts of two names have been left out.
 */
static enum name_reason meaning_of(struct bytes name, size_t head, size_t end)
{
	bool has_mark = false, has_dot = false;

	while (head > 0 && (is_digit(name.data[head - 1]) || continues(name, head - 1)))
		head--;
	while (continues(name, end))
		end++;
	for (size_t i = head; i < end; i++) {
		bool is_first = i == head || !is_digit(name.data[i - 1]);
		if (!is_digit(name.data[i]) || !is_first)
			continue;
		if (begins_with_date((struct bytes){name.data + i, end - i}))
			return NAME_DATE;
		has_mark = has_mark || is_version_mark(word_before(name, i)) ||
			   (i > 0 && name.data[i - 1] == '~');
		has_dot = has_dot ||
			  (i > head + 1 && name.data[i - 1] == '.' && is_digit(name.data[i - 2]));
	}
	return has_mark || has_dot ? NAME_VERSION : NAME_NUMBER;
}

static bool is_in_parentheses_at(struct bytes name, size_t at)
{
	while (at < name.size && is_digit(name.data[at]))
		at++;
	if (at == name.size || name.data[at] != ')')
		return false;
	while (at > 0 && is_digit(name.data[at - 1]))
		at--;
	return at > 0 && name.data[at - 1] == '(';
}

/* The stronger meaning in either name. */
static enum name_reason meaning_of_both(struct bytes x, struct bytes y, size_t head, size_t tail)
{
	enum name_reason in_x = meaning_of(x, head, x.size - tail);
	enum name_reason in_y = meaning_of(y, head, y.size - tail);
	enum name_reason stronger = in_x < in_y ? in_x : in_y;
	struct bytes middle_x = {x.data + head, x.size - head - tail};
	struct bytes middle_y = {y.data + head, y.size - head - tail};

	bool is_appended = !has_digit(middle_x) || !has_digit(middle_y) ||
			   (is_in_parentheses_at(x, head) && is_in_parentheses_at(y, head));

	return stronger == NAME_NUMBER && is_appended ? NAME_APPENDED : stronger;
}

/* Would a cut before `at` divide a run of such characters? */
static bool splits(struct bytes x, struct bytes y, size_t at, bool (*is_one)(char))
{
	return at > 0 && is_one(x.data[at - 1]) &&
	       ((at < x.size && is_one(x.data[at])) || (at < y.size && is_one(y.data[at])));
}

static bool splits_end(struct bytes x, struct bytes y, size_t tail, bool (*is_one)(char))
{
	return tail > 0 && is_one(x.data[x.size - tail]) &&
	       ((tail < x.size && is_one(x.data[x.size - tail - 1])) ||
		(tail < y.size && is_one(y.data[y.size - tail - 1])));
}

/*
 * Ignore the common beginning and end, but no part of a number and, if `whole_words`, no part of a
 * word.
 */
static struct name_order middles_order(struct bytes x, struct bytes y, bool whole_words)
{
	size_t smaller = x.size < y.size ? x.size : y.size, head = 0, tail = 0;
	struct name_order order;

	while (head < smaller && x.data[head] == y.data[head])
		head++;
	while (splits(x, y, head, is_digit) || (whole_words && splits(x, y, head, is_letter)))
		head--;
	while (tail < smaller - head && x.data[x.size - tail - 1] == y.data[y.size - tail - 1])
		tail++;
	while (splits_end(x, y, tail, is_digit) ||
	       (whole_words && splits_end(x, y, tail, is_letter)))
		tail--;
	order = parts_order((struct bytes){x.data + head, x.size - head - tail},
			    (struct bytes){y.data + head, y.size - head - tail});
	if (order.reason == NAME_NUMBER)
		order.reason = meaning_of_both(x, y, head, tail);
	return order;
}

struct name_order names_order(struct bytes x, struct bytes y)
{
	struct name_order order = middles_order(x, y, false);

	return order.order != 0 ? order : middles_order(x, y, true);
}

/* ---- Paths ---- */

/* Take the next part off the path. `is_last`: no slash follows. */
static struct bytes next_part(struct bytes *path, bool *is_last)
{
	const char *slash;
	struct bytes part = *path;

	while (part.size > 0 && part.data[0] == '/')
		part = without(part, 1);
	slash = part.size == 0 ? NULL : memchr(part.data, '/', part.size);
	*is_last = slash == NULL;
	if (slash != NULL)
		part.size = (size_t)(slash - part.data);
	*path = (struct bytes){part.data + part.size,
			       (size_t)(path->data + path->size - part.data) - part.size};
	return part;
}

static size_t depth_of(struct bytes path)
{
	size_t depth = 0;

	for (size_t i = 0; i < path.size; i++)
		depth += path.data[i] == '/';
	return depth;
}

/*
 * Compares the first directories that differ and give evidence; if the paths have different depths,
 * the first ones that differ.
 */
static struct name_order directories_order(struct bytes x, struct bytes y)
{
	bool same_depth = depth_of(x) == depth_of(y), x_is_last, y_is_last;

	for (;;) {
		struct bytes part_x = next_part(&x, &x_is_last), part_y = next_part(&y, &y_is_last);
		struct name_order order;
		if (x_is_last && y_is_last)
			return (struct name_order){0, NAME_NONE};
		if (x_is_last || y_is_last) { /* dir/old/file and dir/file */
			order = mark_of(x_is_last ? part_y : part_x);
			order.order = x_is_last ? -order.order : order.order;
			return order;
		}
		order = names_order(part_x, part_y);
		if (order.order != 0 || (!same_depth && bytes_compare(part_x, part_y) != 0))
			return order;
	}
}

static struct bytes last_part(struct bytes path)
{
	size_t size = 0;

	while (size < path.size && path.data[path.size - size - 1] != '/')
		size++;
	return without(path, path.size - size);
}

enum names_relation paths_relation(struct bytes x, struct bytes y)
{
	struct bytes name_x = last_part(x), name_y = last_part(y);
	bool are_equal = bytes_compare(name_x, name_y) == 0;
	struct name_order order = are_equal ? directories_order(x, y) : names_order(name_x, name_y);

	switch (order.reason) {
	case NAME_VERSION:
	case NAME_BACKUP:
	case NAME_COPY:
		return NAMES_MARKED;
	case NAME_DATE:
	case NAME_APPENDED:
		return NAMES_ALIKE;
	case NAME_NUMBER:
		return are_equal ? NAMES_ALIKE : NAMES_COUNTED;
	case NAME_NONE:
		break;
	}
	return are_equal ? NAMES_ALIKE : NAMES_OTHER;
}

struct name_order paths_order(struct bytes x, struct bytes y)
{
	struct name_order names = names_order(last_part(x), last_part(y));
	struct name_order directories = directories_order(x, y);

	if (names.order == 0)
		return directories;
	if (directories.order != 0 && (names.order < 0) != (directories.order < 0))
		return (struct name_order){0, NAME_NONE};
	return names;
}
