/*
 * Stores, decodes, compares and resolves names in documents. Look-ups search a sorted list, so no
 * choice of names makes them slow.
 * SPDX-License-Identifier: MIT
 */
#include "scan/document/document_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/data/array.h"
#include "scan/file/container_kind.h"

#define NAMES_MAX 100000
#define NAME_MAX_BYTES 4096

struct document_name {
	const char *id, *reference;
	size_t order;
};

static char *copy_text(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = arena_take(arena, size);

	return copy == NULL ? NULL : memcpy(copy, text, size);
}

int document_names_add(struct document_names *names, const char *id, const char *reference)
{
	struct document_name *item;
	struct simhash_error error;

	if (id == NULL || reference == NULL)
		return 0;
	if (names->count == NAMES_MAX || strlen(id) > NAME_MAX_BYTES ||
	    strlen(reference) > NAME_MAX_BYTES)
		return CONTAINER_HAS_LONG_TEXT;
	if (array_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items,
			  &error) != 0)
		return ENOMEM;
	item = &names->items[names->count];
	item->id = copy_text(&names->arena, id);
	item->reference = copy_text(&names->arena, reference);
	item->order = names->count;
	if (item->id == NULL || item->reference == NULL)
		return ENOMEM;
	names->count++;
	names->is_sorted = false;
	return 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct document_name *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

const char *document_names_find(struct document_names *names, const char *id)
{
	size_t low = 0, high = names->count;

	if (id == NULL || names->count == 0)
		return NULL;
	if (!names->is_sorted)
		qsort(names->items, names->count, sizeof *names->items, compare_items);
	names->is_sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(names->items[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->count && strcmp(names->items[low].id, id) == 0
		       ? names->items[low].reference
		       : NULL;
}

void document_names_release(struct document_names *names)
{
	arena_release(&names->arena);
	free(names->items);
}

/* ---- Entities ---- */

static const char *const latin1[] = {
	"nbsp",	  "iexcl",  "cent",   "pound",	"curren", "yen",    "brvbar", "sect",	"uml",
	"copy",	  "ordf",   "laquo",  "not",	"shy",	  "reg",    "macr",   "deg",	"plusmn",
	"sup2",	  "sup3",   "acute",  "micro",	"para",	  "middot", "cedil",  "sup1",	"ordm",
	"raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",	"Atilde",
	"Auml",	  "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",	"Igrave",
	"Iacute", "Icirc",  "Iuml",   "ETH",	"Ntilde", "Ograve", "Oacute", "Ocirc",	"Otilde",
	"Ouml",	  "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
	"szlig",  "agrave", "aacute", "acirc",	"atilde", "auml",   "aring",  "aelig",	"ccedil",
	"egrave", "eacute", "ecirc",  "euml",	"igrave", "iacute", "icirc",  "iuml",	"eth",
	"ntilde", "ograve", "oacute", "ocirc",	"otilde", "ouml",   "divide", "oslash", "ugrave",
	"uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
#define LATIN1_FROM 160

static const struct {
	const char *name;
	unsigned code;
} others[] = {
	{"OElig", 338},	 {"oelig", 339},   {"Scaron", 352},  {"scaron", 353},  {"Yuml", 376},
	{"ensp", 8194},	 {"emsp", 8195},   {"thinsp", 8201}, {"ndash", 8211},  {"mdash", 8212},
	{"lsquo", 8216}, {"rsquo", 8217},  {"sbquo", 8218},  {"ldquo", 8220},  {"rdquo", 8221},
	{"bdquo", 8222}, {"dagger", 8224}, {"Dagger", 8225}, {"bull", 8226},   {"hellip", 8230},
	{"prime", 8242}, {"Prime", 8243},  {"lsaquo", 8249}, {"rsaquo", 8250}, {"euro", 8364},
	{"trade", 8482}, {"larr", 8592},   {"rarr", 8594},   {"minus", 8722}};

static size_t write_utf8(unsigned code, char *text)
{
	if (code < 0x800) {
		text[0] = (char)(0xc0 | code >> 6);
		text[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	text[0] = (char)(0xe0 | code >> 12);
	text[1] = (char)(0x80 | (code >> 6 & 0x3f));
	text[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

size_t document_entity(const char *name, char *text)
{
	for (unsigned i = 0; i < sizeof latin1 / sizeof *latin1; i++)
		if (strcmp(latin1[i], name) == 0)
			return write_utf8(LATIN1_FROM + i, text);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(others[i].name, name) == 0)
			return write_utf8(others[i].code, text);
	return 0;
}

/* ---- Order and references ---- */

static size_t digits(const char *text)
{
	size_t size = 0;

	while (ascii_is_digit(text[size]))
		size++;
	return size;
}

static const char *skip_zeros(const char *text)
{
	while (text[0] == '0' && ascii_is_digit(text[1]))
		text++;
	return text;
}

/* Compare two numbers that begin here: the number with more digits is greater. */
static int compare_numbers(const char **x, const char **y)
{
	const char *a = skip_zeros(*x), *b = skip_zeros(*y);
	size_t a_size = digits(a), b_size = digits(b);

	*x = a + a_size;
	*y = b + b_size;
	return a_size != b_size ? (a_size > b_size ? 1 : -1) : memcmp(a, b, a_size);
}

int document_compare_names(const char *x, const char *y)
{
	const char *a = x, *b = y;
	int order = 0;

	while (order == 0 && *a != '\0' && *b != '\0')
		if (ascii_is_digit(*a) && ascii_is_digit(*b))
			order = compare_numbers(&a, &b);
		else
			order = (unsigned char)*a++ - (unsigned char)*b++;
	if (order == 0)
		order = (unsigned char)*a - (unsigned char)*b;
	return order != 0 ? order : strcmp(x, y);
}

/* Remove the last folder from a name of `size` bytes that ends in a slash. */
static size_t go_up(const char *name, size_t size)
{
	if (size > 0)
		size--;
	while (size > 0 && name[size - 1] != '/')
		size--;
	return size;
}

void document_resolve(const char *from, const char *reference, char *name)
{
	const char *slash = strrchr(from, '/');
	size_t size = slash == NULL ? 0 : (size_t)(slash - from) + 1;

	memcpy(name, from, size);
	while (*reference == '.' || *reference == '/') {
		if (*reference == '/')
			reference++;
		else if (strncmp(reference, "./", 2) == 0)
			reference += 2;
		else if (strncmp(reference, "../", 3) == 0) {
			size = go_up(name, size);
			reference += 3;
		} else
			break;
	}
	while (*reference != '\0' && *reference != '#') {
		int byte = *reference == '%' ? hex_byte(reference + 1) : -1;
		name[size++] = byte < 0 ? *reference : (char)byte;
		reference += byte < 0 ? 1 : 3;
	}
	name[size] = '\0';
}
