/*
 * Recognizes texts and computes their normal form. The kernels replace white space; this file
 * decodes UTF-16.
 * SPDX-License-Identifier: MIT
 */
#include "core/normal_form.h"

#include <string.h>

#include "core/scan_kernel.h"

/* UTF-16 is decoded in pieces of this size. */
#define UTF16_PIECE 1024

/* The control characters that are no part of a text; ESC and BS are in the output of programs. */
static inline bool is_control(unsigned c)
{
	return (c < 0x20 && c - 0x08 > 0x0d - 0x08 && c != 0x1b) || c == 0x7f;
}

/* Without a branch for each byte, so that compilers use vectors. */
static unsigned count_controls(const uint8_t *bytes, size_t size)
{
	unsigned count = 0;

	for (size_t i = 0; i < size; i++) {
		uint8_t c = bytes[i];
		count += (uint8_t)((c < 0x08) | ((uint8_t)(c - 0x0e) < 0x12 && c != 0x1b) |
				   (c == 0x7f));
	}
	return count;
}

/*
 * A text with a few damaged bytes is still a text, so that it resembles the text without them.
 * Binary files usually have many control characters in their first bytes.
 */
#define BYTES_PER_CONTROL 50

static bool are_text_bytes(const uint8_t *bytes, size_t size)
{
	size_t most = size / BYTES_PER_CONTROL, count = 0;

	for (size_t i = 0; i < size && count <= most; i += 256)
		count += count_controls(bytes + i, size - i < 256 ? size - i : 256);
	return count <= most;
}

/*
 * A PDF begins with lines of text. Whether its first 4,096 bytes have others may change from one
 * version to the next.
 */
static bool is_pdf(const uint8_t *bytes, size_t size)
{
	return size >= 5 && memcmp(bytes, "%PDF-", 5) == 0;
}

/* Half a pair of surrogates shows that the bytes are not UTF-16, except at the end of the head. */
static bool are_text_units(enum text_form encoding, const uint8_t *bytes, size_t size)
{
	unsigned before = 0;

	for (size_t i = 0; i + 2 <= size; i += 2) {
		unsigned first = bytes[i], second = bytes[i + 1];
		unsigned unit = encoding == TEXT_UTF16_LE ? first | second << 8
							  : first << 8 | second;
		bool is_low = (unit & 0xfc00) == 0xdc00, wants_low = (before & 0xfc00) == 0xd800;
		if (is_control(unit) || is_low != wants_low)
			return false;
		before = unit;
	}
	return true;
}

void normal_form_begin(struct normal_form *form, const uint8_t *head, size_t size)
{
	*form = (struct normal_form){.is_after_white = true};
	if (size > TEXT_HEAD)
		size = TEXT_HEAD;
	if (size == 0)
		return;
	form->encoding = text_form_of(head, size, &form->mark_size);
	head += form->mark_size;
	size -= form->mark_size;
	if (form->encoding != TEXT_BYTES)
		form->is_text = are_text_units(form->encoding, head, size);
	else
		form->is_text = size > 0 && !is_pdf(head, size) && are_text_bytes(head, size);
}

static size_t squeeze(struct normal_form *form, const uint8_t *bytes, size_t size, uint8_t *out)
{
	return scan_kernel()->squeeze(out, bytes, size, &form->is_after_white);
}

static size_t add_utf16(struct normal_form *form, const uint8_t *bytes, size_t size, uint8_t *out,
			size_t *written)
{
	uint8_t units[sizeof form->rest + UTF16_PIECE];
	char utf8[UTF8_ROOM(sizeof units)];
	size_t taken = size < UTF16_PIECE ? size : UTF16_PIECE, all = form->rest_size + taken;
	size_t converted, done;

	memcpy(units, form->rest, form->rest_size);
	memcpy(units + form->rest_size, bytes, taken);
	done = utf16_to_utf8(form->encoding, units, all, utf8, &converted);
	form->rest_size = all - done;
	memcpy(form->rest, units + done, form->rest_size);
	*written = squeeze(form, (const uint8_t *)utf8, converted, out);
	return taken;
}

size_t normal_form_add(struct normal_form *form, const uint8_t *bytes, size_t size, uint8_t *out,
		       size_t room, size_t *written)
{
	size_t taken = size < room ? size : room;

	if (form->encoding != TEXT_BYTES)
		return add_utf16(form, bytes, size, out, written);
	*written = squeeze(form, bytes, taken, out);
	return taken;
}

/* ---- The kernel for every machine ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The upper bit of each byte that is at least `least`, at most 128; `bytes` have no upper bits. */
static inline uint64_t at_least(uint64_t bytes, unsigned least)
{
	return (bytes + EACH(0x80 - least)) & EACH(0x80);
}

/* The upper bit of each byte that is white space. */
static inline uint64_t white_bytes(uint64_t bytes)
{
	uint64_t low = bytes & EACH(0x7f);

	return ((at_least(low, '\t') & ~at_least(low, '\r' + 1)) |
		(at_least(low, ' ') & ~at_least(low, ' ' + 1))) &
	       ~bytes;
}

/* Between the order of the machine and the order in which the first byte is the lowest. */
static inline uint64_t in_order(uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(bytes);
#else
	return bytes;
#endif
}

static size_t squeeze_bytes(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white)
{
	bool after = *is_after_white;
	size_t written = 0;

	for (size_t i = 0; i < size; i++) {
		bool is_white = bytes[i] == ' ' || (uint8_t)(bytes[i] - '\t') <= '\r' - '\t';
		out[written] = is_white ? ' ' : bytes[i];
		written += !(is_white & after);
		after = is_white;
	}
	*is_after_white = after;
	return written;
}

/* Eight bytes without a run of white space are copied at once. */
size_t squeeze_portable(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white)
{
	uint8_t *next = out;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		uint64_t eight, white, blanks;
		memcpy(&eight, bytes + i, 8);
		eight = in_order(eight);
		white = white_bytes(eight);
		if ((white & (white << 8 | (uint64_t)*is_after_white << 7)) != 0) {
			next += squeeze_bytes(next, bytes + i, 8, is_after_white);
			continue;
		}
		blanks = (white >> 7) * 0xff;
		eight = in_order((eight & ~blanks) | (EACH(' ') & blanks));
		memcpy(next, &eight, 8);
		*is_after_white = white >> 63;
		next += 8;
	}
	return (size_t)(next - out) + squeeze_bytes(next, bytes + i, size - i, is_after_white);
}
