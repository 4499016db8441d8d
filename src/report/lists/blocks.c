/*
 * Writes groups for people as blocks: the first file with its size, and below it each other file
 * with its relation to the first file, its path and its size.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/text/columns.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "report/lists/listing.h"
#include "report/lists/marked.h"

/* The most members to show; if there are more, a line with their number replaces one of them. */
#define SHOWN_MAX 4
#define PATH_MAX_COLUMNS 80 /* after a wider path, the size is not aligned with the others */
#define GAP 2
#define BLOCK_MARGIN 2 /* the columns before a label */
#define SIZE_COLUMNS 9 /* the columns of "999 bytes" */
#define SHARE_SIZE_MAX (LABEL_SIZE + PLACE_SIZE + 2)

struct block_line {
	const struct find_file *file;
	const char *colour;
	char label[LABEL_SIZE];	    /* empty for the first file */
	char share[SHARE_SIZE_MAX]; /* the share and the place after the path, or empty */
	char damage[DAMAGE_SIZE];   /* the damaged bytes, on the next line, or empty */
	const struct find_file
		*same_as; /* the file that this file is a copy of, unless that is the first file */
	bool is_alone;	  /* the block has only its first file */
	bool is_shared;	  /* it shares the blocks of the file that it is a copy of */
};

/* ---- The content of a line ---- */

/* Describe the relation of a pair: a member and the first file. */
static void describe_relation(const struct listing *listing, const struct file_pair *pair,
			      struct block_line *line)
{
	const struct relation *relation = &pair->relation;
	const struct copy_damage *damage = damage_find(listing->how.damages, pair);
	char label[LABEL_SIZE], place[PLACE_SIZE];

	if (damage != NULL) {
		snprintf(line->label, LABEL_SIZE, "%s", damage_label(damage));
		damage_place(damage, "this file", "the first file", line->damage);
		return;
	}
	if (relation->is_part && !relation->is_identical) {
		snprintf(line->label, LABEL_SIZE, "%s",
			 relation->contained_b > relation->contained_a ? "part of" : "contains");
		snprintf(line->share, SHARE_SIZE_MAX, " %s%s%s", share_label(relation, label),
			 pair->place == NULL ? "" : " ", place_label(pair->place, place));
		return;
	}
	pair_label(pair, label);
	/* Percentages are aligned to the right. */
	if (!relation->is_identical && relation->verification != PAIR_TEXT &&
	    has_resemblance(relation))
		snprintf(line->label, LABEL_SIZE, "%*s",
			 relation->verification == PAIR_SKETCH ? 6 : 8, label);
	else
		snprintf(line->label, LABEL_SIZE, "%s", label);
}

/* Return the line of a member. `before` is the last member that is not a copy. */
static struct block_line line_of(const struct listing *listing, const struct group *group,
				 const struct group_member *member, const struct find_file *before)
{
	struct block_line line = {.file = member->file,
				  .is_shared = member->is_shared,
				  .colour = member->role == ROLE_REPRESENTATIVE ? BOLD
					    : member->role == ROLE_COPY		? GREEN
										: YELLOW};
	struct file_pair pair = member_pair(group, member);

	if (member->role == ROLE_COPY && !has_same_content(member->file, group->representative)) {
		line.same_as = before;
		/* A match of a FILE has a label for that FILE, as the summary counts it. */
		if (listing->by_file) {
			pair.relation = member->relation;
			line.colour = YELLOW;
		}
	}
	if (member->role != ROLE_REPRESENTATIVE)
		describe_relation(listing, &pair, &line);
	else
		line.is_alone = group->count == 1;
	return line;
}

static size_t shown_of(const struct listing *listing, const struct group *group)
{
	size_t others = group->count - 1;

	return !listing->folds || others <= SHOWN_MAX ? others : SHOWN_MAX - 1;
}

/* ---- Writing a line ---- */

static size_t columns_of(const struct listing *listing)
{
	return listing->how.has_marks ? listing->how.columns : SIZE_MAX;
}

/* Return the column where the sizes end. */
static size_t size_end(const struct listing *listing)
{
	size_t path = listing->prefix.columns, all = columns_of(listing), end;

	end = BLOCK_INDENT + (path < PATH_MAX_COLUMNS ? path : PATH_MAX_COLUMNS) + GAP +
	      SIZE_COLUMNS;
	return end < all ? end : all;
}

static void colour(const struct listing *listing, const char *code)
{
	if (listing->how.has_colours)
		fputs(code, listing->file);
}

/* Adds the columns written to *used. */
static int write_path(struct listing *listing, const struct find_file *file, size_t room,
		      size_t *used, struct simhash_error *error)
{
	size_t size;
	char *text = escape_text(find_file_display(file), &size);

	if (text == NULL)
		return error_set_memory(error);
	*used += write_within(listing->file,
			      without_prefix((struct bytes){text, size}, listing_prefix(listing)),
			      room);
	free(text);
	return 0;
}

/*
 * Write "same as" and the path after the size if there is enough space, otherwise on the next line,
 * below the path.
 */
static int write_same_as(struct listing *listing, const struct find_file *file, size_t used,
			 struct simhash_error *error)
{
	static const char words[] = "same as ";
	size_t all = columns_of(listing), size, needed = GAP + sizeof words - 1;
	char *text = escape_text(find_file_display(file), &size);

	if (text == NULL)
		return error_set_memory(error);
	needed += text_columns(without_prefix((struct bytes){text, size}, listing_prefix(listing)));
	free(text);
	if (needed <= all - used) {
		fprintf(listing->file, "%*s%s", GAP, "", words);
		used += GAP + sizeof words - 1;
	} else {
		fprintf(listing->file, "\n%*s%s", BLOCK_INDENT, "", words);
		used = BLOCK_INDENT + sizeof words - 1;
	}
	return write_path(listing, file, all - used, &used, error);
}

/* A long label moves the path to the right. */
static size_t label_columns(const struct block_line *line)
{
	size_t columns = strlen(line->label) + BLOCK_MARGIN + GAP;

	return columns < BLOCK_INDENT ? BLOCK_INDENT : columns;
}

static void write_label(const struct listing *listing, const struct block_line *line)
{
	fprintf(listing->file, "%*s", BLOCK_MARGIN, "");
	colour(listing, line->colour);
	fputs(line->label, listing->file);
	colour(listing, PLAIN);
	fprintf(listing->file, "%*s",
		(int)(label_columns(line) - BLOCK_MARGIN - strlen(line->label)), "");
}

static int write_line(struct listing *listing, const struct block_line *line,
		      struct simhash_error *error)
{
	const char *last = line->is_alone    ? "  no match"
			   : line->is_shared ? "  already shared"
					     : "";
	size_t all = columns_of(listing) - strlen(last), end = size_end(listing), used = 0, width;
	bool is_first = line->label[0] == '\0';
	FILE *out = listing->file;
	char size[32];

	width = strlen(format_bytes((double)find_file_bytes(line->file), size));
	if (is_first)
		colour(listing, line->colour);
	else
		write_label(listing, line);
	used = is_first ? 0 : label_columns(line);
	if (write_path(listing, line->file, all - used - strlen(line->share) - GAP - width, &used,
		       error) != 0)
		return -1;
	if (is_first)
		colour(listing, PLAIN);
	used += strlen(line->share);
	end = (end < all ? end : all) - width;
	if (end < used + GAP)
		end = used + GAP;
	fprintf(out, "%s%*s%s%s", line->share, (int)(end - used), "", size, last);
	if (line->same_as != NULL &&
	    write_same_as(listing, line->same_as, end + width + strlen(last), error) != 0)
		return -1;
	if (line->damage[0] != '\0') {
		fprintf(out, "\n%*s", BLOCK_INDENT, "");
		write_within(out, bytes_of(line->damage), columns_of(listing) - BLOCK_INDENT);
	}
	fputc('\n', out);
	return listing_check(listing, error);
}

/* ---- Blocks ---- */

int listing_note_block(struct listing *listing, const struct group *group,
		       const struct group_member *members, struct simhash_error *error)
{
	for (size_t m = 0; m <= shown_of(listing, group); m++) {
		struct block_line line =
			line_of(listing, group, &members[m], group->representative);
		bool is_above = line.label[0] == '\0' && group->count > 1;
		if (listing_note_wide(listing, members[m].file,
				      is_above ? -BLOCK_INDENT : (int)strlen(line.share),
				      error) != 0)
			return -1;
	}
	return 0;
}

int listing_write_block(struct listing *listing, const struct group *group,
			const struct group_member *members, struct simhash_error *error)
{
	size_t shown = shown_of(listing, group), others = group->count - 1;
	const struct find_file *before = group->representative;
	bool is_alone = others == 0;
	char count[32];

	if (group->number > 1 && !(is_alone && listing->was_alone))
		fputc('\n', listing->file);
	listing->was_alone = is_alone;
	for (size_t m = 0; m <= shown; m++) {
		struct block_line line = line_of(listing, group, &members[m], before);
		if (write_line(listing, &line, error) != 0)
			return -1;
		if (members[m].role != ROLE_COPY)
			before = members[m].file;
	}
	if (shown < others)
		fprintf(listing->file, "%*sand %s more (--group)\n", BLOCK_INDENT, "",
			format_count(others - shown, count));
	return listing_check(listing, error);
}

int listing_note_blocks(struct listing *listing, const struct group_sorter *groups,
			struct simhash_error *error)
{
	return listing_each_group(listing, groups, listing_note_block, error);
}

int listing_write_blocks(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error)
{
	return listing_each_group(listing, groups, listing_write_block, error);
}
