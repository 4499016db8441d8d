/*
 * Writes folders as records, in CSV and JSON; folder_text.c writes them for people.
 * SPDX-License-Identifier: MIT
 */
#include "report/folders/folders.h"

#include <math.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/sort/sort.h"
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
	/* A whole archive is shown by the name of its file. */
	path.size -= path.size > 1 && path.size == folder->archive_size;
	memcpy(text + *size, path.data, path.size);
	*size += path.size;
	text[*size] = '\0';
	return text;
}

/* ---- Pairs ---- */

static double shown_side(const struct folder_share *share)
{
	return shown_share(folder_shared(share), share->same == share->files, SIMHASH_MILLION);
}

static uint64_t only_in(const struct folder_share *share)
{
	return share->files - share->same - share->changed;
}

/* One folder of the pair, as an object. */
#define SIDE(share_, in_archive, name)                                                           \
	{                                                                                        \
		FIELD_SHARE(IN_JSON, "share", shown_side(share_)),                               \
			FIELD_SIGNED(IN_JSON | IN_PAGE, "bytes", (share_)->bytes),               \
			FIELD_SIGNED(IN_JSON | IN_PAGE, "shared_bytes", (share_)->shared_bytes), \
			FIELD_UNSIGNED(IN_JSON | IN_PAGE, "files", (share_)->files),             \
			FIELD_UNSIGNED(IN_JSON | IN_PAGE, "same", (share_)->same),               \
			FIELD_UNSIGNED(IN_JSON | IN_PAGE, "changed", (share_)->changed),         \
			FIELD_UNSIGNED(IN_JSON, "only", only_in(share_)),                        \
			FIELD_PLAIN(IN_JSON | IN_PAGE, "in_archive",                             \
				    (in_archive) ? "true" : NULL),                               \
			FIELD_TEXT(IN_JSON | IN_PAGE, "path", name), FIELDS_END,                 \
	}

/* With `is_open`, only the members of the object are written, because more members follow. */
static void write_record(FILE *out, const struct record_style *style, bool is_open,
			 const struct folder_pair *pair, const struct bytes names[2])
{
	const struct folder_share *a = &pair->a, *b = &pair->b;
	const struct field side_a[] = SIDE(a, pair->a_in_archive, names[0]);
	const struct field side_b[] = SIDE(b, pair->b_in_archive, names[1]);
	const struct field fields[] = {
		FIELD_WORD(IN_LISTS | IN_PAGE, "match", folder_kind_name(pair->kind)),
		FIELD_SIGNED(IN_LISTS | IN_PAGE, "saved_bytes", pair->saved_bytes),
		FIELD_OBJECT(IN_JSON | IN_PAGE, "a", side_a),
		FIELD_OBJECT(IN_JSON | IN_PAGE, "b", side_b),
		FIELD_SHARE(IN_CSV, "share_a", shown_side(a)),
		FIELD_SHARE(IN_CSV, "share_b", shown_side(b)),
		FIELD_SIGNED(IN_CSV, "bytes_a", a->bytes),
		FIELD_SIGNED(IN_CSV, "bytes_b", b->bytes),
		FIELD_SIGNED(IN_CSV, "shared_a", a->shared_bytes),
		FIELD_SIGNED(IN_CSV, "shared_b", b->shared_bytes),
		FIELD_UNSIGNED(IN_CSV, "files_a", a->files),
		FIELD_UNSIGNED(IN_CSV, "files_b", b->files),
		FIELD_UNSIGNED(IN_CSV, "same_a", a->same),
		FIELD_UNSIGNED(IN_CSV, "same_b", b->same),
		FIELD_UNSIGNED(IN_CSV, "changed_a", a->changed),
		FIELD_UNSIGNED(IN_CSV, "changed_b", b->changed),
		FIELD_UNSIGNED(IN_CSV, "only_a", only_in(a)),
		FIELD_UNSIGNED(IN_CSV, "only_b", only_in(b)),
		FIELD_TEXT(IN_CSV, "path_a", names[0]),
		FIELD_TEXT(IN_CSV, "path_b", names[1]),
		FIELDS_END,
	};

	if (is_open)
		record_write_members(out, style->format, fields);
	else
		record_write(out, style, fields);
}

void folder_pair_members(FILE *out, enum record_format format, const struct folder_pair *pair,
			 const struct bytes names[2])
{
	write_record(out, &(struct record_style){.format = format}, true, pair, names);
}

static const struct record_style as_heading = {.format = RECORD_HEADING};

static void pair_heading(FILE *out)
{
	const struct folder_pair none = {.saved_bytes = 0};
	const struct bytes names[2] = {NO_TEXT, NO_TEXT};

	write_record(out, &as_heading, false, &none, names);
}

/* Return the names of both folders. The caller frees the texts. */
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

/* ---- Text ---- */

/*
 * A pair in the order of the text. All pairs with the same partner follow the first of these pairs.
 */
struct text_pair {
	size_t pair, first; /* the numbers of this pair, and of the first pair with its partner */
	uint32_t partner;
};

static int compare_partners(const void *a, const void *b, void *context)
{
	const struct text_pair *x = a, *y = b;

	(void)context;
	if (x->partner != y->partner)
		return x->partner < y->partner ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

static int compare_first(const void *a, const void *b, void *context)
{
	const struct text_pair *x = a, *y = b;

	(void)context;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

static struct text_pair *order_pairs(const struct folder_pairs *found, size_t count)
{
	struct text_pair *pairs = calloc(count + 1, sizeof *pairs);

	for (size_t i = 0; pairs != NULL && i < count; i++)
		pairs[i] = (struct text_pair){.pair = i, .partner = found->pairs[i].folder_b};
	if (pairs == NULL)
		return NULL;
	sort_with(pairs, count, sizeof *pairs, compare_partners, NULL);
	for (size_t i = 0; i < count; i++)
		pairs[i].first = i > 0 && pairs[i - 1].partner == pairs[i].partner
					 ? pairs[i - 1].first
					 : pairs[i].pair;
	sort_with(pairs, count, sizeof *pairs, compare_first, NULL);
	return pairs;
}

static int note_name(struct listing *listing, struct bytes name, struct simhash_error *error)
{
	const struct find_file file = {.display = name.data, .display_size = (uint32_t)name.size};

	return listing_note(listing, &file, false, error);
}

/* There are two passes over the pairs: the first notes the names, the second writes them. */
struct text_pass {
	struct folder_columns columns;
	bool notes;
};

static int pass_pair(struct listing *listing, const struct folder_pair *pair,
		     const struct bytes names[2], bool is_first, struct text_pass *pass,
		     struct simhash_error *error)
{
	if (pass->notes) {
		folder_text_widen(&pair->a, names[0], &pass->columns);
		folder_text_widen(&pair->b, names[1], &pass->columns);
		return note_name(listing, names[0], error) != 0 ||
				       note_name(listing, names[1], error) != 0
			       ? -1
			       : 0;
	}
	if (is_first && folder_text_head(listing, pair, names[1], &pass->columns, error) != 0)
		return -1;
	return folder_text_member(listing, pair, names[0], &pass->columns, error);
}

static int each_text_pair(struct listing *listing, const struct folder_pairs *found,
			  const struct text_pair *pairs, size_t count, struct text_pass *pass,
			  struct simhash_error *error)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		bool is_first = pairs[i].first == pairs[i].pair;
		struct bytes names[2];
		char *texts[2];
		if (name_both(found, &found->pairs[pairs[i].pair], names, texts, error) != 0)
			return -1;
		if (!pass->notes && is_first && i > 0)
			fputc('\n', listing->file);
		status = pass_pair(listing, &found->pairs[pairs[i].pair], names, is_first, pass,
				   error);
		free(texts[0]);
		free(texts[1]);
	}
	return status;
}

static int write_text(struct listing *listing, const struct folder_pairs *found, size_t count,
		      struct simhash_error *error)
{
	struct text_pair *pairs = order_pairs(found, count);
	struct text_pass pass = {.notes = true};
	int status = pairs == NULL ? error_set_memory(error) : 0;

	if (status == 0 && listing->how.has_marks) {
		status = each_text_pair(listing, found, pairs, count, &pass, error);
		if (status == 0)
			listing_begin_marked(listing);
	}
	pass.notes = false;
	if (status == 0)
		status = each_text_pair(listing, found, pairs, count, &pass, error);
	free(pairs);
	return status;
}

/* ---- Records ---- */

static int write_records(struct listing *listing, const struct folder_pairs *found, size_t count,
			 struct simhash_error *error)
{
	const struct frame frame = record_frame(listing->formatter->format, pair_heading);

	frame_begin(listing->file, &frame);
	for (size_t i = 0; i < count; i++) {
		struct bytes names[2];
		char *texts[2];
		if (name_both(found, &found->pairs[i], names, texts, error) != 0)
			return -1;
		frame_next(listing->file, &frame, i);
		write_record(listing->file, &listing->how.records, false, &found->pairs[i], names);
		free(texts[0]);
		free(texts[1]);
		if (listing_check(listing, error) != 0)
			return -1;
	}
	frame_end(listing->file, &frame, count);
	return listing_check(listing, error);
}

int listing_write_folders(struct listing *listing, const struct folder_pairs *found, uint64_t limit,
			  struct simhash_error *error)
{
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;

	listing->written = count;
	listing->left_out = found->count - count;
	return (listing->formatter->is_text ? write_text : write_records)(listing, found, count,
									  error);
}

/* ---- Two folders ---- */

static void write_file(FILE *out, const struct record_style *style, const struct folder_file *file)
{
	bool is_same = file->fate == FATE_SAME || file->fate == FATE_MOVED || file->is_copy;
	double resemblance = file->resemblance < 0
				     ? NAN
				     : shown_share(file->resemblance, is_same, SIMHASH_MILLION);
	int64_t size_a = file->path_a.size > 0 ? file->size_a_bytes : NO_NUMBER;
	int64_t size_b = file->path_b.size > 0 ? file->size_b_bytes : NO_NUMBER;
	const struct field fields[] = {
		FIELD_WORD(IN_LISTS, "match", fate_name(file->fate)),
		FIELD_SHARE(IN_LISTS, "resemblance", resemblance),
		FIELD_SIGNED(IN_LISTS, "size_a", size_a),
		FIELD_SIGNED(IN_CSV, "size_b", size_b),
		FIELD_TEXT(IN_LISTS, "path_a", file->path_a),
		FIELD_SIGNED(IN_JSON, "size_b", size_b),
		FIELD_TEXT(IN_LISTS, "path_b", file->path_b),
		FIELD_TEXT(IN_LISTS, "like", file->like),
		FIELD_SHARE(IN_JSON, "part_of", file->part_of > 0 ? file->part_of : NAN),
		FIELD_SHARE(IN_JSON, "contains", file->contains > 0 ? file->contains : NAN),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void file_heading(FILE *out)
{
	const struct folder_file none = {.fate = FATE_SAME};

	write_file(out, &as_heading, &none);
}

/* Return the pair with the counts of the files that are listed after it. */
static struct folder_pair counted_pair(const struct folder_comparison *comparison)
{
	const uint64_t *fates = comparison->fates;
	struct folder_pair pair = comparison->pair;

	pair.a.same = pair.b.same = fates[FATE_SAME] + fates[FATE_MOVED];
	pair.a.changed = pair.b.changed = fates[FATE_CHANGED];
	return pair;
}

/*
 * In JSON, the files are an array in the object of the pair. In JSON Lines, they follow the line of
 * the pair.
 */
int listing_write_comparison(struct listing *listing, const struct folder_comparison *comparison,
			     const struct bytes names[2], struct simhash_error *error)
{
	const struct folder_pair pair = counted_pair(comparison);
	const struct record_style *style = &listing->how.records;
	struct frame frame = record_frame(style->format, file_heading);
	FILE *out = listing->file;

	if (listing->formatter->is_text)
		return folder_text_comparison(listing, comparison, names, error);
	if (style->format == RECORD_LINES)
		write_record(out, style, false, &pair, names);
	if (style->format == RECORD_JSON) {
		fputc('{', out);
		folder_pair_members(out, RECORD_JSON, &pair, names);
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
