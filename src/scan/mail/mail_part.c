/*
 * Reads the headers of parts with GMime. It gets them one part at a time, because its own parser
 * would build a tree of all parts in memory and end the process where memory is short.
 * SPDX-License-Identifier: MIT
 */
#include "scan/mail/mail_part.h"

#include <gmime/gmime.h>
#include <iconv.h>
#include <pthread.h>
#include <stdio.h>
#include <strings.h>

#include "scan/file/library.h"

/* The functions of GMime and of GObject, which it needs: g.mime_init() and so on. */
#define G_FUNCTIONS(F)                                   \
	F(mime_content_encoding_from_string)             \
	F(mime_content_type_get_media_subtype)           \
	F(mime_content_type_get_media_type)              \
	F(mime_content_type_get_parameter)               \
	F(mime_filter_basic_new)                         \
	F(mime_filter_complete)                          \
	F(mime_filter_filter)                            \
	F(mime_init)                                     \
	F(mime_object_get_content_disposition_parameter) \
	F(mime_object_get_content_type)                  \
	F(mime_object_get_content_type_parameter)        \
	F(mime_object_get_header)                        \
	F(mime_parser_construct_part)                    \
	F(mime_parser_new_with_stream)                   \
	F(mime_stream_mem_new_with_buffer)               \
	F(object_unref)
#define G_POINTER(name) __typeof__(g_##name) *name;
#define G_NAME(name) "g_" #name,

static struct {
	G_FUNCTIONS(G_POINTER)
} g;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static char library[48];

static void load(void)
{
	static const char *const names[] = {G_FUNCTIONS(G_NAME) NULL};

	is_loaded = library_load(SIMHASH_MAIL_FILE, names, &g);
	if (is_loaded)
		g.mime_init();
}

bool mail_part_is_ready(void)
{
	pthread_once(&load_once, load);
	return is_loaded;
}

static void name_library(void)
{
	if (library_is_installed(SIMHASH_MAIL_FILE))
		snprintf(library, sizeof library, "GMime %u.%u.%u", GMIME_MAJOR_VERSION,
			 GMIME_MINOR_VERSION, GMIME_MICRO_VERSION);
}

const char *mail_part_library(void)
{
	pthread_once(&library_once, name_library);
	return library[0] == '\0' ? NULL : library;
}

/* ---- Preparations ---- */

void mail_part_prepare(void)
{
	/* The charsets of names, which stay loaded for the life of the process. */
	static const char *const charsets[] = {
		"ISO-8859-1",	"ISO-8859-2",	"ISO-8859-3",	"ISO-8859-4",	"ISO-8859-5",
		"ISO-8859-6",	"ISO-8859-7",	"ISO-8859-8",	"ISO-8859-9",	"ISO-8859-10",
		"ISO-8859-13",	"ISO-8859-14",	"ISO-8859-15",	"ISO-8859-16",	"WINDOWS-1250",
		"WINDOWS-1251", "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255",
		"WINDOWS-1256", "WINDOWS-1257", "WINDOWS-1258", "KOI8-R",	"KOI8-U",
		"GBK",		"GB18030",	"BIG5",		"SHIFT_JIS",	"EUC-JP",
		"ISO-2022-JP",	"EUC-KR",	"ISO-2022-KR",	"CP949",	"CP932",
		"CP437",	"CP850",	"CP852",	"CP866",	"MACINTOSH",
		"BIG5-HKSCS",	"TIS-620",	"UTF-7",	"UTF-16"};
	struct mail_part part;
	struct mail_decoder *decoder;

	if (!mail_part_is_ready())
		return;
	for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
		(void)iconv_open("UTF-8", charsets[i]);
	/* GMime opens converters and makes its types when they are first used. */
	mail_part_read(bytes_of("Content-Type: text/plain; name*=iso-8859-1''%e4\n"
				"Content-Transfer-Encoding: base64\n\n"),
		       false, &part, &decoder);
	mail_decoder_free(decoder);
	mail_part_read(bytes_of("Content-Type: message/rfc822\n\n"), false, &part, &decoder);
	mail_decoder_free(decoder);
	mail_part_read(bytes_of("Content-Type: multipart/mixed; boundary=x\n\n"), false, &part,
		       &decoder);
	mail_decoder_free(decoder);
}

/* ---- Headers ---- */

/* The extensions of parts without names; all other types have "bin". */
static const struct {
	const char *type, *subtype, *extension;
} extensions[] = {
	{"text", "html", "html"},
	{"text", "calendar", "ics"},
	{"text", "csv", "csv"},
	{"text", "rtf", "rtf"},
	{"text", "xml", "xml"},
	{"text", "vcard", "vcf"},
	{"text", NULL, "txt"},
	{"message", "rfc822", "eml"},
	{"message", "global", "eml"},
	{"message", "news", "eml"},
	{"message", NULL, "txt"},
	{"image", "jpeg", "jpg"},
	{"image", "png", "png"},
	{"image", "gif", "gif"},
	{"image", "tiff", "tif"},
	{"image", "webp", "webp"},
	{"image", "svg+xml", "svg"},
	{"audio", "mpeg", "mp3"},
	{"video", "mp4", "mp4"},
	{"application", "pdf", "pdf"},
	{"application", "zip", "zip"},
	{"application", "gzip", "gz"},
	{"application", "json", "json"},
	{"application", "xml", "xml"},
	{"application", "rtf", "rtf"},
	{"application", "msword", "doc"},
	{"application", "ms-tnef", "dat"},
	{"application", "pgp-signature", "asc"},
	{"application", "pgp-encrypted", "asc"},
	{"application", "pkcs7-signature", "p7s"},
	{"application", "x-pkcs7-signature", "p7s"},
	{"application", "pkcs7-mime", "p7m"},
};

static const char *extension_of(const char *type, const char *subtype)
{
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (strcasecmp(extensions[i].type, type) == 0 &&
		    (extensions[i].subtype == NULL ||
		     strcasecmp(extensions[i].subtype, subtype) == 0))
			return extensions[i].extension;
	return "bin";
}

void mail_part_set_name(struct mail_part *part, struct bytes name)
{
	const char *slash = name.size == 0 ? NULL : last_byte(name.data, '/', name.size);

	if (slash != NULL)
		name = bytes_after(name, (size_t)(slash - name.data) + 1);
	if (name.size == 0 || name.size > MAIL_NAME_MAX || name.data[0] == '\0' ||
	    memchr(name.data, '\0', name.size) != NULL || bytes_compare(name, bytes_of(".")) == 0 ||
	    bytes_compare(name, bytes_of("..")) == 0)
		return;
	memcpy(part->name, name.data, name.size);
	part->name_size = name.size;
}

static void take_type(GMimeObject *object, struct mail_part *part)
{
	GMimeContentType *content = g.mime_object_get_content_type(object);
	const char *type = g.mime_content_type_get_media_type(content);
	const char *subtype = g.mime_content_type_get_media_subtype(content);
	const char *boundary = g.mime_content_type_get_parameter(content, "boundary");

	if (type == NULL)
		type = "";
	if (subtype == NULL)
		subtype = "";
	snprintf(part->extension, sizeof part->extension, "%s", extension_of(type, subtype));
	part->is_message = strcmp(part->extension, "eml") == 0;
	part->is_plain_text = strcasecmp(type, "text") == 0 && strcasecmp(subtype, "html") != 0;
	part->is_digest = strcasecmp(subtype, "digest") == 0;
	part->boundary_size = boundary == NULL ? 0 : strlen(boundary);
	part->is_multipart = strcasecmp(type, "multipart") == 0 && part->boundary_size > 0 &&
			     part->boundary_size <= MAIL_BOUNDARY_MAX;
	if (part->is_multipart)
		memcpy(part->boundary, boundary, part->boundary_size);
}

static void take_name(GMimeObject *object, struct mail_part *part)
{
	const char *name = g.mime_object_get_content_disposition_parameter(object, "filename");

	if (name == NULL || name[0] == '\0')
		name = g.mime_object_get_content_type_parameter(object, "name");
	if (name != NULL)
		mail_part_set_name(part, bytes_of(name));
}

static struct mail_decoder *new_decoder(GMimeContentEncoding encoding)
{
	return (struct mail_decoder *)g.mime_filter_basic_new(encoding, FALSE);
}

static struct mail_decoder *decoder_of(GMimeObject *object)
{
	const char *name = g.mime_object_get_header(object, "Content-Transfer-Encoding");
	GMimeContentEncoding encoding = name == NULL ? GMIME_CONTENT_ENCODING_DEFAULT
						     : g.mime_content_encoding_from_string(name);

	return encoding == GMIME_CONTENT_ENCODING_BASE64 ||
			       encoding == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE ||
			       encoding == GMIME_CONTENT_ENCODING_UUENCODE
		       ? new_decoder(encoding)
		       : NULL;
}

static bool has_type(struct bytes headers)
{
	static const char field[] = "\nContent-Type:";

	for (size_t at = 0; at + sizeof field - 1 <= headers.size; at++)
		if ((at == 0 && strncasecmp(headers.data, field + 1, sizeof field - 2) == 0) ||
		    strncasecmp(headers.data + at, field, sizeof field - 1) == 0)
			return true;
	return false;
}

void mail_part_read(struct bytes headers, bool is_in_digest, struct mail_part *part,
		    struct mail_decoder **decoder)
{
	GMimeStream *stream;
	GMimeParser *parser;
	GMimeObject *object;

	*part = (struct mail_part){.extension = "txt", .is_plain_text = true};
	*decoder = NULL;
	stream = g.mime_stream_mem_new_with_buffer(headers.data, headers.size);
	parser = g.mime_parser_new_with_stream(stream);
	object = g.mime_parser_construct_part(parser, NULL);
	if (object != NULL) {
		take_type(object, part);
		take_name(object, part);
		*decoder = part->is_multipart ? NULL : decoder_of(object);
		part->is_plain_text &= *decoder == NULL && part->name_size == 0;
		g.object_unref(object);
	}
	if (is_in_digest && !has_type(headers)) {
		part->is_message = true;
		part->is_plain_text = false;
		memcpy(part->extension, "eml", sizeof "eml");
	}
	g.object_unref(parser);
	g.object_unref(stream);
}

/* ---- Content ---- */

struct mail_decoder *mail_decoder_new_uu(void)
{
	return new_decoder(GMIME_CONTENT_ENCODING_UUENCODE);
}

void mail_decoder_free(struct mail_decoder *decoder)
{
	if (decoder != NULL)
		g.object_unref(decoder);
}

struct bytes mail_decode(struct mail_decoder *decoder, char *bytes, size_t size)
{
	char *out;
	size_t out_size, before;

	g.mime_filter_filter((GMimeFilter *)decoder, bytes, size, 0, &out, &out_size, &before);
	return (struct bytes){out, out_size};
}

struct bytes mail_decode_rest(struct mail_decoder *decoder)
{
	char *out, none[1] = "";
	size_t out_size, before;

	g.mime_filter_complete((GMimeFilter *)decoder, none, 0, 0, &out, &out_size, &before);
	return (struct bytes){out, out_size};
}
