/*
 * Encodes bytes of files for the report.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_text.h"

#include <inttypes.h>

#include "base/text/escape.h"

/* The symbols of the control characters 0 to 0x1f begin here in Unicode. */
#define CONTROL_PICTURES 0x2400
#define SYMBOL_FOR_DELETE 0x2421

void html_write_base64(FILE *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		unsigned b = (unsigned)bytes[i] << 16;
		char four[4] = {0, 0, '=', '='};
		if (i + 1 < size)
			b |= (unsigned)bytes[i + 1] << 8;
		if (i + 2 < size)
			b |= bytes[i + 2];
		four[0] = digits[b >> 18];
		four[1] = digits[b >> 12 & 63];
		if (i + 1 < size)
			four[2] = digits[b >> 6 & 63];
		if (i + 2 < size)
			four[3] = digits[b & 63];
		fwrite(four, 1, 4, out);
	}
}

static void write_three_bytes(FILE *out, uint32_t code)
{
	fputc((int)(0xe0 | code >> 12), out);
	fputc((int)(0x80 | (code >> 6 & 0x3f)), out);
	fputc((int)(0x80 | (code & 0x3f)), out);
}

void html_write_visible(FILE *out, struct bytes bytes)
{
	while (bytes.size > 0) {
		const unsigned char *b = (const unsigned char *)bytes.data;
		size_t length = utf8_length(bytes);
		uint32_t code = length == 0 ? 0xfffd : code_point(b, length);
		if (code == '\t' || (length > 0 && !acts_on_display(code)))
			fwrite(b, 1, length, out);
		else if (code < 0x20)
			write_three_bytes(out, CONTROL_PICTURES + code);
		else if (code == 0x7f)
			write_three_bytes(out, SYMBOL_FOR_DELETE);
		else if (length == 0)
			write_three_bytes(out, code);
		else
			fprintf(out, "[U+%04" PRIX32 "]", code);
		length = length == 0 ? 1 : length;
		bytes.data += length;
		bytes.size -= length;
	}
}
