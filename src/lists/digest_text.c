/*
 * Formats digest lists. It escapes every byte of a path that is not printable ASCII, so that any
 * program can show, sort and send a list.
 * SPDX-License-Identifier: MIT
 */
#include "lists/digest_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/text/base64.h"
#include "core/resemblance.h"

#define ENCODED_AT_ONCE 384 /* a multiple of 3, so that the texts can follow each other */

static const char hex[] = "0123456789abcdef";

static void put_hex(struct line_buffer *line, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char pair[] = {hex[bytes[i] >> 4], hex[bytes[i] & 15]};
		line_put_bytes(line, (struct bytes){pair, sizeof pair});
	}
}

/* Write thousandths with as few decimal places as possible. */
static void put_weight(struct line_buffer *line, uint32_t weight)
{
	char text[16];
	int length =
		snprintf(text, sizeof text, "%" PRIu32 ".%03" PRIu32, weight / 1000, weight % 1000);

	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	line_put_bytes(line, (struct bytes){text, (size_t)length});
}

void digests_put_heading(struct line_buffer *line, const struct simhash_tag_set *tag_set,
			 unsigned hashes)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(tag_set);

	line_put(line, DIGESTS_FIRST_LINE "\nname ");
	line_put(line, simhash_tag_set_name(tag_set));
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		line_put(line, "\n");
		put_hex(line, &tags[t].pattern, 1);
		line_put(line, " ");
		put_weight(line, tags[t].scatter);
		line_put(line, " ");
		put_weight(line, tags[t].skew);
	}
	if (hashes != 0)
		line_put(line, "\n" DIGESTS_HASHES);
	for (int i = 0; i < FILE_HASHES; i++) {
		if ((hashes & 1U << i) == 0)
			continue;
		line_put(line, " ");
		line_put(line, file_hash_names[i]);
	}
	line_put(line, "\n" DIGESTS_FILES_LINE "\n");
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '%';
}

static void put_escaped(struct line_buffer *line, struct bytes bytes)
{
	size_t plain = 0;

	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char c = (unsigned char)bytes.data[i];
		if (is_plain(c))
			continue;
		line_put_bytes(line, (struct bytes){bytes.data + plain, i - plain});
		line_put(line, "%");
		put_hex(line, &c, 1);
		plain = i + 1;
	}
	line_put_bytes(line, (struct bytes){bytes.data + plain, bytes.size - plain});
}

/* Escapes the extension "-", because "-" means no extension. */
static void put_extension(struct line_buffer *line, struct bytes extension, bool has_mark)
{
	if (extension.size == 0 && has_mark)
		return;
	if (extension.size == 0)
		line_put(line, "-");
	else if (extension.size == 1 && extension.data[0] == '-')
		line_put(line, "%2d");
	else
		put_escaped(line, extension);
}

static void put_path(struct line_buffer *line, const struct file_row *row, bool is_anonymous)
{
	if (is_anonymous) {
		const char mark[] = {DIGESTS_ANONYMOUS};
		line_put_bytes(line, (struct bytes){mark, 1});
		put_hex(line, row->path_hash, PATH_HASH_SIZE);
		return;
	}
	put_escaped(line, row->directory);
	if (row->directory.size != 1 || row->directory.data[0] != '/')
		line_put(line, "/");
	put_escaped(line, row->name);
}

static void put_hashes(struct line_buffer *line, const struct row_sketches *known, unsigned hashes)
{
	for (unsigned i = 0, k = 0; i < FILE_HASHES; i++) {
		struct bytes value = {NULL, 0};
		if ((hashes & 1U << i) == 0)
			continue;
		if (known != NULL)
			value = known->sketch[k++].value;
		line_put(line, value.size == 0 ? " -" : " ");
		put_hex(line, (const uint8_t *)value.data, value.size);
	}
}

static void put_base64(struct line_buffer *line, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;
	char text[BASE64_LENGTH(ENCODED_AT_ONCE)];

	for (size_t done = 0, some; done < size; done += some) {
		some = size - done < ENCODED_AT_ONCE ? size - done : ENCODED_AT_ONCE;
		base64_encode(next + done, some, text);
		line_put_bytes(line, (struct bytes){text, BASE64_LENGTH(some)});
	}
}

static void put_sketch(struct line_buffer *line, const struct file_row *row)
{
	if (row->has_resemblance)
		put_base64(line, &row->resemblance, resemblance_stored_size(&row->resemblance));
	else
		line_put(line, "-");
}

static void put_pieces(struct line_buffer *line, const struct file_row *row, struct bytes pieces)
{
	if (row->pieces_made == 0)
		line_put(line, "-");
	else if (pieces.size == 0)
		line_put(line, DIGESTS_NO_PIECES);
	else
		put_base64(line, pieces.data, pieces.size);
}

void digests_put_row(struct line_buffer *line, const struct file_row *row, struct bytes pieces,
		     unsigned hashes, bool is_anonymous)
{
	bool is_marked = (row->contents & (CONTENTS_HAS_TEXT | CONTENTS_IS_TEXT)) != 0;

	line_put_signed(line, row->size_bytes);
	line_put(line, " ");
	if (is_anonymous)
		line_put(line, "-");
	else
		line_put_signed(line, row->mtime_ns);
	line_put(line, " ");
	put_hex(line, row->content_hash, CONTENT_HASH_SIZE);
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		line_put(line, t == 0 ? " " : ",");
		line_put_unsigned(line, row->table.count[t]);
	}
	line_put(line, " ");
	put_sketch(line, row);
	line_put(line, " ");
	put_extension(line, row->extension, is_marked);
	if (is_marked)
		line_put(line, DIGESTS_TEXT);
	if (row_is_text(row->contents))
		line_put_signed(line, row->links);
	line_put(line, " ");
	put_path(line, row, is_anonymous);
	put_hashes(line, row->sketches, hashes);
	line_put(line, " ");
	put_pieces(line, row, pieces);
	line_put(line, "\n");
}

bool digests_take_mark(struct file_row *row)
{
	const size_t size = sizeof DIGESTS_TEXT - 1;
	struct bytes *extension = &row->extension;

	if (extension->size < size)
		return true;
	if (memcmp(extension->data + extension->size - size, DIGESTS_TEXT, size) == 0) {
		row->contents = CONTENTS_HAS_TEXT;
		extension->size -= size;
	} else if (memcmp(extension->data, DIGESTS_TEXT, size) == 0) {
		if (extension->size > size + 18)
			return false;
		for (size_t i = size; i < extension->size; i++) {
			if (!ascii_is_digit(extension->data[i]))
				return false;
			row->links = row->links * 10 + (extension->data[i] - '0');
		}
		row->contents = CONTENTS_IS_TEXT;
		extension->size = 0;
	}
	return true;
}

void digests_put_end(struct line_buffer *line, uint64_t files)
{
	line_put(line, DIGESTS_END " ");
	line_put_unsigned(line, files);
	line_put(line, "\n");
}
