/*
 * Collects text in a buffer and formats numbers exactly as fprintf(3) does.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/line_buffer.h"

#include <float.h>
#include <math.h>

#define MILLION 1000000
/* the limit up to which the millionths fit into 63 bits */
#define LARGEST ((double)(UINT64_C(1) << 43))
#define DIGITS_MAX 20 /* for 64 bits */

__extension__ typedef unsigned __int128 wide;

void line_flush(struct line_buffer *line)
{
	fwrite(line->text, 1, line->size, line->out);
	line->size = 0;
}

void line_put_bytes(struct line_buffer *line, struct bytes bytes)
{
	if (bytes.size > sizeof line->text - line->size) {
		line_flush(line);
		if (bytes.size > sizeof line->text) {
			fwrite(bytes.data, 1, bytes.size, line->out);
			return;
		}
	}
	memcpy(line->text + line->size, bytes.data, bytes.size);
	line->size += bytes.size;
}

/* Write at least `places` digits that end before `end`. Returns the beginning. */
static char *digits_before(char *end, uint64_t value, int places)
{
	char *at = end;

	for (; value > UINT32_MAX; value /= 10)
		*--at = (char)('0' + value % 10);
	for (uint32_t rest = (uint32_t)value; rest > 0 || end - at < places; rest /= 10)
		*--at = (char)('0' + rest % 10);
	return at;
}

void line_put_unsigned(struct line_buffer *line, uint64_t value)
{
	char digits[DIGITS_MAX], *end = digits + sizeof digits;
	char *at = digits_before(end, value, 1);

	line_put_bytes(line, (struct bytes){at, (size_t)(end - at)});
}

void line_put_signed(struct line_buffer *line, int64_t value)
{
	if (value < 0)
		line_put(line, "-");
	line_put_unsigned(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void line_put_hex(struct line_buffer *line, struct bytes bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char byte = (unsigned char)bytes.data[i];
		const char two[] = {digits[byte >> 4], digits[byte & 15]};
		line_put_bytes(line, (struct bytes){two, sizeof two});
	}
}

/* Round a value in [DBL_MIN, 2^43) to the nearest millionth; ties go to the even one. */
static uint64_t round_to_millionths(double value)
{
	uint64_t bits, mantissa, whole;
	int shift;
	wide product, rest, half;

	memcpy(&bits, &value, sizeof bits);
	mantissa = (bits & ((UINT64_C(1) << (DBL_MANT_DIG - 1)) - 1)) |
		   UINT64_C(1) << (DBL_MANT_DIG - 1);
	shift = DBL_MAX_EXP - 1 + DBL_MANT_DIG - 1 - (int)(bits >> (DBL_MANT_DIG - 1));
	if (shift > 100)
		return 0; /* the product has fewer bits */
	product = (wide)mantissa * MILLION;
	whole = (uint64_t)(product >> shift);
	rest = product & (((wide)1 << shift) - 1);
	half = (wide)1 << (shift - 1);
	return whole + (rest > half || (rest == half && whole % 2 == 1));
}

void line_put_millionths(struct line_buffer *line, double value)
{
	char digits[DIGITS_MAX + 1], *end = digits + sizeof digits, *at;
	uint64_t millionths;

	if (!(value >= DBL_MIN && value < LARGEST) && (value != 0 || signbit(value))) {
		char text[DBL_MAX_10_EXP + 16];
		snprintf(text, sizeof text, "%.6f", value);
		line_put(line, text);
		return;
	}
	millionths = value == 0 ? 0 : round_to_millionths(value);
	at = digits_before(end, millionths % MILLION, 6);
	*--at = '.';
	at = digits_before(at, millionths / MILLION, 1);
	line_put_bytes(line, (struct bytes){at, (size_t)(end - at)});
}
