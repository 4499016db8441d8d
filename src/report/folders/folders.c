/*
 * Folders as CSV and JSON, and which format writes them.
 * SPDX-License-Identifier: MIT
 */
#include "report/folders/folders.h"
#include "base/text/decimal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/text/json.h"
#include "report/folders/folder_text.h"
#include "report/lists/csv_path.h"

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

/* ---- Numbers ---- */

static double shown(const struct folder_share *share)
{
	return shown_share(folder_shared(share), share->same == share->files, SIMHASH_MILLION);
}

static uint64_t alone(const struct folder_share *share)
{
	return share->files - share->same - share->changed;
}

static double shown_resemblance(const struct folder_file *file)
{
	bool is_same = file->fate == FATE_SAME || file->fate == FATE_MOVED || file->is_copy;

	return shown_share(file->resemblance, is_same, SIMHASH_MILLION);
}

static void csv_numbers(FILE *out, const struct folder_pair *pair)
{
	const struct folder_share *a = &pair->a, *b = &pair->b;

	fprintf(out,
		"%s,%" PRId64 ",%.6f,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",",
		folder_kind_name(pair->kind), pair->saved_bytes, shown(a), shown(b), a->bytes,
		b->bytes, a->shared_bytes, b->shared_bytes, a->files, b->files, a->same, b->same,
		a->changed, b->changed, alone(a), alone(b));
}

static void json_share(FILE *out, const char *side, const struct folder_share *share,
		       bool in_archive, struct bytes name)
{
	fprintf(out,
		",\"%s\":{\"share\":%.6f,\"bytes\":%" PRId64 ",\"shared_bytes\":%" PRId64
		",\"files\":%" PRIu64 ",\"same\":%" PRIu64 ",\"changed\":%" PRIu64
		",\"only\":%" PRIu64,
		side, shown(share), share->bytes, share->shared_bytes, share->files, share->same,
		share->changed, alone(share));
	if (in_archive)
		fputs(",\"in_archive\":true", out);
	write_json_field(out, "path", name);
	fputc('}', out);
}

static void json_pair(FILE *out, const struct folder_pair *pair, const struct bytes names[2])
{
	fprintf(out, "{\"match\":\"%s\",\"saved_bytes\":%" PRId64, folder_kind_name(pair->kind),
		pair->saved_bytes);
	json_share(out, "a", &pair->a, pair->a_in_archive, names[0]);
	json_share(out, "b", &pair->b, pair->b_in_archive, names[1]);
}

/* ---- Pairs ---- */

enum form { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_LINES };

static enum form form_of(const struct listing *listing)
{
	const struct formatter *formatter = listing->formatter;

	return formatter == &formatter_csv     ? FORM_CSV
	       : formatter == &formatter_json  ? FORM_JSON
	       : formatter == &formatter_jsonl ? FORM_LINES
					       : FORM_TEXT;
}

static int write_pair(struct listing *listing, enum form form, const struct folder_pair *pair,
		      const struct bytes names[2], uint64_t number, struct simhash_error *error)
{
	FILE *out = listing->file;

	switch (form) {
	case FORM_CSV:
		csv_numbers(out, pair);
		csv_write_path(out, names[0], listing->how.is_terminal);
		fputc(',', out);
		csv_write_path(out, names[1], listing->how.is_terminal);
		fputs("\r\n", out);
		break;
	case FORM_JSON:
	case FORM_LINES:
		if (form == FORM_JSON)
			frame_next(out, &formatter_json.pairs, number);
		json_pair(out, pair, names);
		fputs(form == FORM_JSON ? "}" : "}\n", out);
		break;
	case FORM_TEXT:
	default:
		if (number > 0)
			fputc('\n', out);
		return folder_text_pair(listing, pair, names, error);
	}
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
	enum form form = form_of(listing);
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		struct bytes names[2];
		char *texts[2];
		if (name_both(found, &found->pairs[i], names, texts, error) != 0)
			return -1;
		status = notes ? note_names(listing, names, error)
			       : write_pair(listing, form, &found->pairs[i], names, i, error);
		free(texts[0]);
		free(texts[1]);
	}
	return status;
}

int listing_write_folders(struct listing *listing, const struct folder_pairs *found, uint64_t limit,
			  struct simhash_error *error)
{
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;
	enum form form = form_of(listing);
	FILE *out = listing->file;

	listing->written = count;
	listing->left_out = found->count - count;
	if (listing->how.has_marks) {
		if (each_pair(listing, found, count, true, error) != 0)
			return -1;
		listing_begin_marked(listing);
	}
	if (form == FORM_CSV)
		fputs("match,saved_bytes,share_a,share_b,bytes_a,bytes_b,shared_a,shared_b,files_a,"
		      "files_b,same_a,same_b,changed_a,changed_b,only_a,only_b,path_a,path_b\r\n",
		      out);
	if (form == FORM_JSON)
		frame_begin(out, &formatter_json.pairs);
	if (each_pair(listing, found, count, false, error) != 0)
		return -1;
	if (form == FORM_JSON)
		frame_end(out, &formatter_json.pairs, count);
	return listing_check(listing, error);
}

/* ---- Two folders ---- */

static void csv_file(FILE *out, const struct folder_file *file, bool is_terminal)
{
	fputs(fate_name(file->fate), out);
	fputc(',', out);
	if (file->resemblance >= 0)
		fprintf(out, "%.6f", shown_resemblance(file));
	fputc(',', out);
	if (file->path_a.size > 0)
		fprintf(out, "%" PRId64, file->size_a_bytes);
	fputc(',', out);
	if (file->path_b.size > 0)
		fprintf(out, "%" PRId64, file->size_b_bytes);
	fputc(',', out);
	if (file->path_a.size > 0)
		csv_write_path(out, file->path_a, is_terminal);
	fputc(',', out);
	if (file->path_b.size > 0)
		csv_write_path(out, file->path_b, is_terminal);
	fputc(',', out);
	if (file->like.size > 0)
		csv_write_path(out, file->like, is_terminal);
	fputs("\r\n", out);
}

static void json_file(FILE *out, const struct folder_file *file)
{
	fprintf(out, "{\"match\":\"%s\"", fate_name(file->fate));
	if (file->resemblance >= 0)
		fprintf(out, ",\"resemblance\":%.6f", shown_resemblance(file));
	if (file->path_a.size > 0) {
		fprintf(out, ",\"size_a\":%" PRId64, file->size_a_bytes);
		write_json_field(out, "path_a", file->path_a);
	}
	if (file->path_b.size > 0) {
		fprintf(out, ",\"size_b\":%" PRId64, file->size_b_bytes);
		write_json_field(out, "path_b", file->path_b);
	}
	if (file->like.size > 0)
		write_json_field(out, "like", file->like);
	fputc('}', out);
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

int listing_write_comparison(struct listing *listing, const struct folder_comparison *comparison,
			     const struct bytes names[2], struct simhash_error *error)
{
	const struct folder_pair pair = counted_pair(comparison);
	enum form form = form_of(listing);
	FILE *out = listing->file;

	if (form == FORM_TEXT)
		return folder_text_comparison(listing, comparison, names, error);
	if (form == FORM_CSV) {
		fputs("match,resemblance,size_a,size_b,path_a,path_b,like\r\n", out);
	} else {
		json_pair(out, &pair, names);
		fputs(form == FORM_JSON ? ",\"files_of_both\":[" : "}\n", out);
	}
	for (size_t i = 0; i < comparison->count; i++) {
		if (form == FORM_CSV) {
			csv_file(out, &comparison->files[i], listing->how.is_terminal);
			continue;
		}
		if (form == FORM_JSON)
			fputs(i == 0 ? "\n" : ",\n", out);
		json_file(out, &comparison->files[i]);
		if (form == FORM_LINES)
			fputc('\n', out);
	}
	if (form == FORM_JSON)
		fputs(comparison->count > 0 ? "\n]}\n" : "]}\n", out);
	return listing_check(listing, error);
}
