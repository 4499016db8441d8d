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

static bool is_separator(char c)
{
	switch (c) {
	case ' ':
	case '.':
	case '_':
	case '-':
	case '+':
	case '(':
	case ')':
	case '[':
	case ']':
		return true;
	default:
		return false;
	}
}

/* ---- Words ---- */

/* A word in lower case, filled with zeros, so that two words are compared at once. */
#define WORD_SIZE 16
struct word {
	char text[WORD_SIZE];
};

/* A longer text is none of the words below: it becomes the empty word. */
static struct word word_of(struct bytes text)
{
	struct word word = {""};

	if (text.size < WORD_SIZE)
		ascii_lower_copy(word.text, text.data, text.size);
	return word;
}

static bool is_equal(const struct word *x, const char text[WORD_SIZE])
{
	return memcmp(x->text, text, WORD_SIZE) == 0;
}

/* ---- Versions ---- */

/*
 * Words in versions. A word with a negative rank comes before the same version without a word:
 * 2.0-rc1 before 2.0.
 */
static const struct version_word {
	char text[WORD_SIZE];
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

static int rank_of_word(const struct word *word)
{
	for (size_t i = 0; i < sizeof version_words / sizeof *version_words; i++)
		if (is_equal(word, version_words[i].text))
			return version_words[i].rank;
	return RANK_WRONG;
}

static struct version_token number_token(struct bytes digits)
{
	while (digits.size > 1 && digits.data[0] == '0')
		digits = bytes_after(digits, 1);
	return (struct version_token){RANK_NUMBER, digits};
}

/* Take the next token off the text. Words of rank 0 are skipped like separators. */
static struct version_token next_token(struct bytes *text)
{
	struct version_token token = {.rank = RANK_END};
	struct word word;
	size_t size;

	for (;;) {
		*text = bytes_after(*text, run_of(*text, is_separator));
		size = run_of(*text, ascii_is_letter);
		if (size == 0)
			break;
		word = word_of((struct bytes){text->data, size});
		token.rank = rank_of_word(&word);
		*text = bytes_after(*text, size);
		if (token.rank != 0)
			return token;
	}
	if (text->size == 0)
		return token;
	size = run_of(*text, ascii_is_digit);
	if (size == 0) {
		token.rank = text->data[0] == '~' ? RANK_TILDE : RANK_WRONG;
		*text = bytes_after(*text, 1);
		return token;
	}
	token = number_token((struct bytes){text->data, size});
	*text = bytes_after(*text, size);
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

static int compare_numbers(struct bytes x, struct bytes y)
{
	struct version_token token_x = number_token(x), token_y = number_token(y);

	return compare_tokens(&token_x, &token_y);
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
	char text[WORD_SIZE];
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

/* Returns NULL if this is not a word of a mark. */
static const struct mark_word *find_mark(const struct word *word)
{
	for (size_t i = 0; word->text[0] != '\0' && i < sizeof mark_words / sizeof *mark_words; i++)
		if (is_equal(word, mark_words[i].text))
			return &mark_words[i];
	return NULL;
}

static struct bytes trim(struct bytes text, bool with_digits)
{
	text = bytes_after(text, run_of(text, is_separator));
	while (text.size > 0 && (is_separator(text.data[text.size - 1]) ||
				 (with_digits && ascii_is_digit(text.data[text.size - 1]))))
		text.size--;
	return text;
}

/* Is it like " (2)", which browsers and file managers append? */
static bool is_in_parentheses(struct bytes text)
{
	const char *open;
	size_t digits;

	if (text.size < 3 || text.data[text.size - 1] != ')')
		return false;
	open = memchr(text.data, '(', text.size);
	if (open == NULL)
		return false;
	text = bytes_after(text, (size_t)(open - text.data) + 1);
	digits = run_of(text, ascii_is_digit);
	return digits > 0 && digits + 1 == text.size;
}

struct name_order name_mark(struct bytes text)
{
	struct bytes trimmed = trim(text, true);
	struct word word = word_of(trimmed);
	const struct mark_word *mark = find_mark(&word);

	if (text.size > 0 && text.data[text.size - 1] == '~' && is_version(text))
		return (struct name_order){-1, NAME_BACKUP};
	if (mark != NULL)
		return (struct name_order){mark->order, mark->reason};
	if (trimmed.size == 0 && is_in_parentheses(text))
		return (struct name_order){1, NAME_COPY};
	return NO_ORDER;
}

/* ---- Names ---- */

static bool has_digit(struct bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_is_digit(text.data[i]))
			return true;
	return false;
}

static bool is_plain(struct bytes text, struct name_order mark)
{
	return mark.order != 0 || trim(text, false).size == 0;
}

static bool is_number(struct bytes text)
{
	return text.size > 0 && run_of(text, ascii_is_digit) == text.size;
}

static struct name_order order_by_numbers(int order)
{
	return (struct name_order){order, order == 0 ? NAME_NONE : NAME_NUMBER};
}

/* The order by the different parts of two names. If numbers decide, the reason is NAME_NUMBER. */
static struct name_order texts_order(struct bytes x, struct bytes y)
{
	struct name_order mark_x, mark_y;

	if (is_number(x) && is_number(y))
		return order_by_numbers(compare_numbers(x, y));
	mark_x = name_mark(x);
	mark_y = name_mark(y);
	if (mark_x.order != mark_y.order && is_plain(x, mark_x) && is_plain(y, mark_y))
		return (struct name_order){mark_x.order < mark_y.order ? -1 : 1,
					   mark_x.order != 0 ? mark_x.reason : mark_y.reason};
	if ((!has_digit(x) && !has_digit(y)) || !is_version(x) || !is_version(y))
		return NO_ORDER;
	return order_by_numbers(compare_versions(x, y));
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

bool name_begins_with_day(struct bytes text)
{
	size_t between = text.size > 4 && is_separator(text.data[4]);
	const char *month, *day;

	if (text.size < 8 + 2 * between || run_of(text, ascii_is_digit) < (between ? 4 : 8))
		return false;
	month = text.data + 4 + between;
	day = month + 2 + between;
	if (!ascii_is_digit(month[0]) || !ascii_is_digit(month[1]) || !ascii_is_digit(day[0]) ||
	    !ascii_is_digit(day[1]) || (between && day[-1] != text.data[4]))
		return false;
	return is_within((struct bytes){text.data, 4}, 1900, 2099) &&
	       is_within((struct bytes){month, 2}, 1, 12) &&
	       is_within((struct bytes){day, 2}, 1, 31);
}

/* Is a number after this word a version? One letter can also stand for a page or a part. */
static bool is_version_mark(struct bytes text)
{
	static const char others[][WORD_SIZE] = {"pl", "ds"};
	struct word word = word_of(text);

	if (text.size == 1)
		return word.text[0] == 'v' || word.text[0] == 'r';
	return find_mark(&word) != NULL ||
	       (rank_of_word(&word) != RANK_WRONG && !is_equal(&word, others[0]) &&
		!is_equal(&word, others[1]));
}

/* The word before `at`, without separators between. */
static struct bytes word_before(struct bytes name, size_t at)
{
	size_t end;

	while (at > 0 && is_separator(name.data[at - 1]))
		at--;
	for (end = at; at > 0 && ascii_is_letter(name.data[at - 1]);)
		at--;
	return (struct bytes){name.data + at, end - at};
}

/* A number goes on after a single separator: 1.2, 2024-03-05. */
static bool continues(struct bytes name, size_t at)
{
	return (at < name.size && ascii_is_digit(name.data[at])) ||
	       (at + 1 < name.size && is_separator(name.data[at]) &&
		ascii_is_digit(name.data[at + 1]));
}

static bool begins_number(struct bytes text, size_t at)
{
	return ascii_is_digit(text.data[at]) && (at == 0 || !ascii_is_digit(text.data[at - 1]));
}

/* The meaning of the number that begins at `at`. */
static enum name_reason meaning_at(struct bytes text, size_t at)
{
	char before = at > 0 ? text.data[at - 1] : '\0';

	if (name_begins_with_day(bytes_after(text, at)))
		return NAME_DATE;
	if (before == '~' || (before == '.' && at > 1 && ascii_is_digit(text.data[at - 2])) ||
	    is_version_mark(word_before(text, at)))
		return NAME_VERSION;
	return NAME_NUMBER;
}

/*
 * The meaning of the number in a name from `head` to `end`. The number may begin before, and end
 * after, since the common parts of two names have been left out.
 */
static enum name_reason meaning_of(struct version_name name, size_t head, size_t end)
{
	struct bytes text = name.text;
	bool is_version = false;

	while (head > 0 && (ascii_is_digit(text.data[head - 1]) || continues(text, head - 1)))
		head--;
	while (continues(text, end))
		end++;
	for (size_t i = head; i < end; i++) {
		enum name_reason meaning;
		if (!begins_number(text, i))
			continue;
		meaning = name.meanings == NULL ? meaning_at(text, i)
						: (enum name_reason)name.meanings[i];
		if (meaning == NAME_DATE)
			return NAME_DATE;
		is_version = is_version || meaning == NAME_VERSION;
	}
	return is_version ? NAME_VERSION : NAME_NUMBER;
}

static bool is_in_parentheses_at(struct bytes name, size_t at)
{
	while (at < name.size && ascii_is_digit(name.data[at]))
		at++;
	if (at == name.size || name.data[at] != ')')
		return false;
	while (at > 0 && ascii_is_digit(name.data[at - 1]))
		at--;
	return at > 0 && name.data[at - 1] == '(';
}

/* The stronger meaning in either name. */
static enum name_reason meaning_of_both(struct version_name name_x, struct version_name name_y,
					size_t head, size_t tail)
{
	struct bytes x = name_x.text, y = name_y.text;
	enum name_reason in_x = meaning_of(name_x, head, x.size - tail);
	enum name_reason in_y = meaning_of(name_y, head, y.size - tail);
	enum name_reason stronger = in_x < in_y ? in_x : in_y;
	struct bytes middle_x = {x.data + head, x.size - head - tail};
	struct bytes middle_y = {y.data + head, y.size - head - tail};

	if (stronger == NAME_NUMBER &&
	    (!has_digit(middle_x) || !has_digit(middle_y) ||
	     (is_in_parentheses_at(x, head) && is_in_parentheses_at(y, head))))
		return NAME_APPENDED;
	return stronger;
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

/* The sizes of the common beginning and end of two names. */
struct common {
	size_t head, tail;
};

/*
 * Ignore the common beginning and end, but no part of a number and, if `whole_words`, no part of a
 * word.
 */
static struct common find_common(struct bytes x, struct bytes y, bool whole_words)
{
	size_t smaller = x.size < y.size ? x.size : y.size, head = 0, tail = 0;

	while (head < smaller && x.data[head] == y.data[head])
		head++;
	while (splits(x, y, head, ascii_is_digit) ||
	       (whole_words && splits(x, y, head, ascii_is_letter)))
		head--;
	while (tail < smaller - head && x.data[x.size - tail - 1] == y.data[y.size - tail - 1])
		tail++;
	while (splits_end(x, y, tail, ascii_is_digit) ||
	       (whole_words && splits_end(x, y, tail, ascii_is_letter)))
		tail--;
	return (struct common){head, tail};
}

static struct name_order middles_order(struct version_name x, struct version_name y,
				       struct common common)
{
	size_t head = common.head, tail = common.tail;
	struct name_order order =
		texts_order((struct bytes){x.text.data + head, x.text.size - head - tail},
			    (struct bytes){y.text.data + head, y.text.size - head - tail});

	if (order.reason == NAME_NUMBER)
		order.reason = meaning_of_both(x, y, head, tail);
	return order;
}

struct name_order names_order(struct version_name x, struct version_name y)
{
	struct common common = find_common(x.text, y.text, false);
	struct name_order order = middles_order(x, y, common);

	if (order.order != 0 || (!splits(x.text, y.text, common.head, ascii_is_letter) &&
				 !splits_end(x.text, y.text, common.tail, ascii_is_letter)))
		return order;
	return middles_order(x, y, find_common(x.text, y.text, true));
}

void name_meanings(struct bytes text, uint8_t *meanings)
{
	for (size_t i = 0; i < text.size; i++)
		meanings[i] = begins_number(text, i) ? (uint8_t)meaning_at(text, i) : NAME_NONE;
}
