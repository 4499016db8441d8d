/*
 * Folders as records, in CSV and JSON; folder_text.c writes them for people.
 * SPDX-License-Identifier: MIT
 */
#include "report/folders/folders.h"

#include <math.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "base/text/record.h"
#include "report/folders/folder_text.h"

const char *folder_kind_name(enum folder_kind kind)
{
	static const char *const names[] = {[FOLDERS_IDENTICAL] = "identical",
					    [FOLDERS_CONTAINED] = "contained",
					    [FOLDERS_SIMILAR] = "similar"};

	return names[kind];
}

static const char *fate_name(enum fate fate)
{
	static const char *const names[] = {[FATE_CHANGED] = "changed",
					    [FATE_MOVED] = "moved",
					    [FATE_ONLY_A] = "only_a",
					    [FATE_ONLY_B] = "only_b",
					    [FATE_SAME] = "same"};

	return names[fate];
}

char *folder_name(const struct folder_pairs *found, const struct folder *folder, size_t *size)
{
	const struct name *host = name_list_find(&found->hosts, folder->host);
	struct bytes path = folder->path.size == 0 ? bytes_of("/") : folder->path;
	bool is_local = folder->host == found->local_host;
	struct bytes prefix = is_local	     ? (struct bytes){"", 0}
			      : host == NULL ? bytes_of("?")
					     : host->text;
	char *text = malloc(prefix.size + path.size + 2);

	if (text == NULL)
		return NULL;
	memcpy(text, prefix.data, prefix.size);
	*size = prefix.size;
	if (!is_local)
		text[(*size)++] = ':';
	/* A whole archive is shown as the file that it is. */
	path.size -= path.size > 1 && path.size == folder->archive_size;
	memcpy(text + *size, path.data, path.size);
	*size += path.size;
	text[*size] = '\0';
	return text;
}

/* ---- Pairs ---- */

/* Of one of the two. */
struct side_record {
	struct folder_share share;
	double shown;
	uint64_t only;
	const char *in_archive;
	struct bytes path;
};

#define SIDE(name, member) RECORD_FIELD_NAMED(IN_JSON, struct side_record, member, name)

static const struct field side_fields[] = {
	SIDE("share", shown),
	SIDE("bytes", share.bytes),
	SIDE("shared_bytes", share.shared_bytes),
	SIDE("files", share.files),
	SIDE("same", share.same),
	SIDE("changed", share.changed),
	SIDE("only", only),
	RECORD_FIELD_AS(FIELD_PLAIN, IN_JSON, struct side_record, in_archive, "in_archive"),
	SIDE("path", path),
	FIELDS_END,
};

struct folders_record {
	const char *match;
	int64_t saved_bytes;
	struct side_record a, b;
};

/* A column for each side. */
#define BOTH(name, member)                                                      \
	RECORD_FIELD_NAMED(IN_CSV, struct folders_record, a.member, name "_a"), \
		RECORD_FIELD_NAMED(IN_CSV, struct folders_record, b.member, name "_b")

static const struct field pair_fields[] = {
	RECORD_FIELD(IN_LISTS, struct folders_record, match),
	RECORD_FIELD(IN_LISTS, struct folders_record, saved_bytes),
	RECORD_OBJECT(struct folders_record, a, "a", side_fields),
	RECORD_OBJECT(struct folders_record, b, "b", side_fields),
	BOTH("share", shown),
	BOTH("bytes", share.bytes),
	BOTH("shared", share.shared_bytes),
	BOTH("files", share.files),
	BOTH("same", share.same),
	BOTH("changed", share.changed),
	BOTH("only", only),
	BOTH("path", path),
	FIELDS_END,
};

static struct side_record side_of(const struct folder_share *share, bool in_archive,
				  struct bytes path)
{
	return (struct side_record){.share = *share,
				    .shown = shown_share(folder_shared(share),
							 share->same == share->files,
							 SIMHASH_MILLION),
				    .only = share->files - share->same - share->changed,
				    .in_archive = in_archive ? "true" : NULL,
				    .path = path};
}

static struct folders_record record_of(const struct folder_pair *pair, const struct bytes names[2])
{
	return (struct folders_record){.match = folder_kind_name(pair->kind),
				       .saved_bytes = pair->saved_bytes,
				       .a = side_of(&pair->a, pair->a_in_archive, names[0]),
				       .b = side_of(&pair->b, pair->b_in_archive, names[1])};
}

static struct frame frame_of(const struct listing *listing)
{
	return listing->formatter->is_text ? listing->formatter->groups
					   : record_frame(listing->formatter->format, pair_fields);
}

static int write_pair(struct listing *listing, const struct folder_pair *pair,
		      const struct bytes names[2], uint64_t number, struct simhash_error *error)
{
	const struct folders_record record = record_of(pair, names);
	const struct frame frame = frame_of(listing);

	frame_next(listing->file, &frame, number);
	if (listing->formatter->is_text)
		return folder_text_pair(listing, pair, names, error);
	record_write(listing->file, &listing->how.records, pair_fields, &record);
	return listing_check(listing, error);
}

/* The names of both, for the caller to free. */
static int name_both(const struct folder_pairs *found, const struct folder_pair *pair,
		     struct bytes names[2], char *texts[2], struct simhash_error *error)
{
	const uint32_t folders[2] = {pair->folder_a, pair->folder_b};

	texts[0] = texts[1] = NULL;
	for (int side = 0; side < 2; side++) {
		size_t size = 0;
		texts[side] = folder_name(found, &found->tree.folders[folders[side]], &size);
		if (texts[side] == NULL) {
			free(texts[0]);
			return error_set_memory(error);
		}
		names[side] = (struct bytes){texts[side], size};
	}
	return 0;
}

static int note_names(struct listing *listing, const struct bytes names[2],
		      struct simhash_error *error)
{
	for (int side = 0; side < 2; side++) {
		const struct find_file file = {.display = names[side].data,
					       .display_size = (uint32_t)names[side].size};
		if (listing_note(listing, &file, false, error) != 0)
			return -1;
	}
	return 0;
}

/* Note the names of all pairs, or write these. */
static int each_pair(struct listing *listing, const struct folder_pairs *found, size_t count,
		     bool notes, struct simhash_error *error)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		struct bytes names[2];
		char *texts[2];
		if (name_both(found, &found->pairs[i], names, texts, error) != 0)
			return -1;
		status = notes ? note_names(listing, names, error)
			       : write_pair(listing, &found->pairs[i], names, i, error);
		free(texts[0]);
		free(texts[1]);
	}
	return status;
}

int listing_write_folders(struct listing *listing, const struct folder_pairs *found, uint64_t limit,
			  struct simhash_error *error)
{
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;
	const struct frame frame = frame_of(listing);

	listing->written = count;
	listing->left_out = found->count - count;
	if (listing->how.has_marks) {
		if (each_pair(listing, found, count, true, error) != 0)
			return -1;
		listing_begin_marked(listing);
	}
	frame_begin(listing->file, &frame);
	if (each_pair(listing, found, count, false, error) != 0)
		return -1;
	frame_end(listing->file, &frame, count);
	return listing_check(listing, error);
}

/* ---- Two folders ---- */

struct fate_record {
	const char *match;
	double resemblance;
	int64_t size_a, size_b;
	struct bytes path_a, path_b, like;
};

#define FIELD(in, member) RECORD_FIELD(in, struct fate_record, member)

static const struct field file_fields[] = {
	FIELD(IN_LISTS, match),	 FIELD(IN_LISTS, resemblance), FIELD(IN_LISTS, size_a),
	FIELD(IN_CSV, size_b),	 FIELD(IN_LISTS, path_a),      FIELD(IN_JSON, size_b),
	FIELD(IN_LISTS, path_b), FIELD(IN_LISTS, like),	       FIELDS_END,
};

static void write_file(FILE *out, const struct record_style *style, const struct folder_file *file)
{
	bool is_same = file->fate == FATE_SAME || file->fate == FATE_MOVED || file->is_copy;
	const struct fate_record record = {
		.match = fate_name(file->fate),
		.resemblance = file->resemblance < 0
				       ? NAN
				       : shown_share(file->resemblance, is_same, SIMHASH_MILLION),
		.size_a = file->path_a.size > 0 ? file->size_a_bytes : NO_NUMBER,
		.size_b = file->path_b.size > 0 ? file->size_b_bytes : NO_NUMBER,
		.path_a = file->path_a,
		.path_b = file->path_b,
		.like = file->like};

	record_write(out, style, file_fields, &record);
}

/* The pair with the counts of the list that follows it. */
static struct folder_pair counted_pair(const struct folder_comparison *comparison)
{
	const uint64_t *fates = comparison->fates;
	struct folder_pair pair = comparison->pair;

	pair.a.same = pair.b.same = fates[FATE_SAME] + fates[FATE_MOVED];
	pair.a.changed = pair.b.changed = fates[FATE_CHANGED];
	return pair;
}

/* In JSON, the files are an array in the object of the pair; in JSON Lines they follow its line. */
int listing_write_comparison(struct listing *listing, const struct folder_comparison *comparison,
			     const struct bytes names[2], struct simhash_error *error)
{
	const struct folder_pair pair = counted_pair(comparison);
	const struct folders_record record = record_of(&pair, names);
	const struct record_style *style = &listing->how.records;
	struct frame frame = record_frame(style->format, file_fields);
	FILE *out = listing->file;

	if (listing->formatter->is_text)
		return folder_text_comparison(listing, comparison, names, error);
	if (style->format == RECORD_LINES)
		record_write(out, style, pair_fields, &record);
	if (style->format == RECORD_JSON) {
		fputc('{', out);
		record_write_members(out, pair_fields, &record);
		frame.begin = ",\"files_of_both\":[";
		frame.end = "]}\n";
	}
	frame_begin(out, &frame);
	for (size_t i = 0; i < comparison->count; i++) {
		frame_next(out, &frame, i);
		write_file(out, style, &comparison->files[i]);
	}
	frame_end(out, &frame, comparison->count);
	return listing_check(listing, error);
}
