/*
 * Cuts a text into words by UAX #29, as libunistring does. Most text is ASCII, and is cut here by
 * the same rules. libunistring supplies the classes of the characters, so both follow the same
 * version of Unicode.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwbrk.h>

#include "base/basic/bytes.h"
#include "measure/features.h"

/* The classes of an ASCII character in the rules WB5 to WB13b. */
enum {
	LETTER = 1,
	DIGIT = 2,
	LOW_LINE = 4, /* ExtendNumLet */
	IN_WORD = LETTER | DIGIT | LOW_LINE,
	BETWEEN_LETTERS = 8, /* MidLetter, MidNumLet, Single_Quote */
	BETWEEN_DIGITS = 16  /* MidNum, MidNumLet, Single_Quote */
};

static uint8_t classes[256]; /* 0 for all other bytes */
static pthread_once_t classes_once = PTHREAD_ONCE_INIT;

static uint8_t class_of(ucs4_t character)
{
	switch (uc_wordbreak_property(character)) {
	case WBP_ALETTER:
		return LETTER;
	case WBP_NUMERIC:
		return DIGIT;
	case WBP_EXTENDNUMLET:
		return LOW_LINE;
	case WBP_MIDLETTER:
		return BETWEEN_LETTERS;
	case WBP_MIDNUM:
		return BETWEEN_DIGITS;
	case WBP_MIDNUMLET:
	case WBP_SQ:
		return BETWEEN_LETTERS | BETWEEN_DIGITS;
	default:
		return 0;
	}
}

static void set_classes(void)
{
	for (ucs4_t c = 0; c < 128; c++)
		classes[c] = class_of(c);
}

/* WB6, WB7, WB11, WB12: is this a sign that joins the two letters or two digits around it? */
static inline bool joins(const uint8_t *at)
{
	uint8_t around = classes[at[-1]] & classes[at[1]];

	return ((classes[at[0]] & BETWEEN_LETTERS) != 0 && (around & LETTER) != 0) ||
	       ((classes[at[0]] & BETWEEN_DIGITS) != 0 && (around & DIGIT) != 0);
}

void split_ascii_words(const char *text, size_t size, word_fn *word, void *context)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;

	pthread_once(&classes_once, set_classes);
	while (at < end) {
		const uint8_t *start;
		while (at < end && (classes[*at] & IN_WORD) == 0)
			at++;
		start = at;
		while (at < end) {
			while (at < end && (classes[*at] & IN_WORD) != 0)
				at++;
			if (at == start || end - at < 2)
				break;
			if (!joins(at))
				break;
			at++;
		}
		if (at > start)
			word(context, (const char *)start, (size_t)(at - start));
	}
}

static bool begins_word(const uint8_t *text, size_t size)
{
	ucs4_t character;

	u8_mbtouc(&character, text, size);
	return character == '_' || uc_is_property_alphabetic(character) ||
	       uc_is_property_ideographic(character) ||
	       uc_is_general_category(character, UC_CATEGORY_N) ||
	       uc_wordbreak_property(character) == WBP_EXTENDNUMLET;
}

/* the number of bytes in one call of the library */
#define PIECE 4096

static void split_piece(const uint8_t *text, size_t size, word_fn *word, void *context)
{
	char breaks[PIECE];
	size_t start = 0;

	u8_wordbreaks(text, size, breaks);
	for (size_t i = 1; i <= size; i++) {
		if (i < size && breaks[i] == 0)
			continue;
		if (begins_word(text + start, i - start))
			word(context, (const char *)text + start, i - start);
		start = i;
	}
}

/*
 * Return the size of the next piece of at most PIECE bytes. It ends after a newline, which is
 * always a boundary. Without a newline it ends after a blank, or otherwise between two characters.
 */
static size_t piece_size(const uint8_t *text, size_t size)
{
	size_t limit = size < PIECE ? size : PIECE, at;

	if (limit == size)
		return size;
	for (at = limit; at > 0; at--)
		if (text[at - 1] == '\n')
			return at;
	for (at = limit; at > 0; at--)
		if (text[at - 1] == ' ' || text[at - 1] == '\t')
			return at;
	for (at = limit; at > limit - 4; at--)
		if ((text[at] & 0xc0) != 0x80)
			return at;
	return limit;
}

void split_unicode_words(const char *text, size_t size, word_fn *word, void *context)
{
	const uint8_t *at = (const uint8_t *)text;

	while (size > 0) {
		size_t piece = piece_size(at, size);
		split_piece(at, piece, word, context);
		at += piece;
		size -= piece;
	}
}

/* Return the number of bytes before the first that is not ASCII. */
static size_t ascii_size(const char *text, size_t size)
{
	size_t at = 0;

	for (; at + 32 <= size; at += 32) {
		uint64_t words[4];
		memcpy(words, text + at, sizeof words);
		if (((words[0] | words[1] | words[2] | words[3]) & UINT64_C(0x8080808080808080)) !=
		    0)
			break;
	}
	while (at < size && (text[at] & 0x80) == 0)
		at++;
	return at;
}

/* A newline is always a boundary, so whole lines can be cut by either function. */
void split_words(const char *text, size_t size, word_fn *word, void *context)
{
	while (size > 0) {
		size_t ascii = ascii_size(text, size), other;
		const char *newline;
		if (ascii == size) {
			split_ascii_words(text, size, word, context);
			return;
		}
		newline = last_byte(text, '\n', ascii);
		ascii = newline == NULL ? 0 : (size_t)(newline - text) + 1;
		split_ascii_words(text, ascii, word, context);
		text += ascii;
		size -= ascii;
		newline = memchr(text, '\n', size);
		other = newline == NULL ? size : (size_t)(newline - text) + 1;
		split_unicode_words(text, other, word, context);
		text += other;
		size -= other;
	}
}
