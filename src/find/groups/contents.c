/*
 * Groups files into contents, sorts the contents, and assigns each content to a representative.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/sort.h"
#include "find/rule/verify.h"

static void file_free(struct content_file *file)
{
	free(file->place);
	free(file);
}

static void content_free(struct unique_content *content)
{
	struct content_file *next;

	for (struct content_file *file = content->files; file != NULL; file = next) {
		next = file->next;
		file_free(file);
	}
	free(content);
}

void contents_init(struct contents *contents, const struct find_request *request)
{
	const struct find_rule *rule = &request->rule;

	*contents = (struct contents){.hard_links = request->hard_links,
				      .crosses = request->has_between,
				      .by_extension = rule->verify.mode == VERIFY_NO &&
						      rule->key >= SIMHASH_UNIFORM_EXT};
}

void contents_release(struct contents *contents)
{
	for (size_t i = 0; i < contents->count; i++)
		content_free(contents->items[i]);
	free(contents->items);
	contents->items = NULL;
	contents->count = contents->capacity = 0;
}

struct content_file *content_file_new(const struct find_file *file, struct simhash_error *error)
{
	struct content_file *added = malloc(sizeof *added);

	if (added == NULL) {
		error_set_memory(error);
		return NULL;
	}
	*added = (struct content_file){.file = file};
	return added;
}

struct content_file *content_file_copy(const struct find_file *file, struct simhash_error *error)
{
	struct own_file {
		struct content_file added;
		struct find_file file;
		char display[];
	} *own = malloc(sizeof *own + file->display_size + 1);

	if (own == NULL) {
		error_set_memory(error);
		return NULL;
	}
	memcpy(own->display, file->display, (size_t)file->display_size + 1);
	own->file = *file;
	own->file.display = own->display;
	own->file.copies = NULL;
	own->file.copy_count = 0;
	own->added = (struct content_file){.file = &own->file};
	return &own->added;
}

/* ---- From files to contents ---- */

static int compare_numbers(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

/* Sorts names of one file together, by path. */
static int compare_names(const void *a, const void *b)
{
	const struct find_file *x = (*(struct content_file *const *)a)->file;
	const struct find_file *y = (*(struct content_file *const *)b)->file;
	const int64_t numbers[][2] = {
		{x->uniform, y->uniform},
		{x->size_bytes, y->size_bytes},
		{x->inode, y->inode},
		{x->device, y->device},
		{x->host, y->host},
		{x->mtime_ns, y->mtime_ns},
		{x->compressed_size_bytes, y->compressed_size_bytes},
	};
	int order = memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);

	for (size_t i = 0; order == 0 && i < sizeof numbers / sizeof *numbers; i++)
		order = compare_numbers(numbers[i][0], numbers[i][1]);
	if (order == 0 && x->inode != 0 && x->compressed_size_bytes != 0)
		order = bytes_compare(find_file_member(x), find_file_member(y));
	return order != 0 ? order : find_file_compare(x, y);
}

/* Sorts files of one content together and by path, with files inside other files last. */
static int compare_files(const void *a, const void *b, void *context)
{
	const struct contents *contents = context;
	const struct find_file *x = (*(struct content_file *const *)a)->file;
	const struct find_file *y = (*(struct content_file *const *)b)->file;
	const int64_t numbers[][2] = {
		{x->uniform, y->uniform},
		{x->size_bytes, y->size_bytes},
		{x->tolerance, y->tolerance},
		{contents->by_extension ? x->extension_hash : 0,
		 contents->by_extension ? y->extension_hash : 0},
		{row_is_inside(x->compressed_size_bytes), row_is_inside(y->compressed_size_bytes)},
	};
	int order = memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);

	for (size_t i = 0; order == 0 && i < sizeof numbers / sizeof *numbers; i++)
		order = compare_numbers(numbers[i][0], numbers[i][1]);
	return order != 0 ? order : find_file_compare(x, y);
}

/* The content of standard input is identical to no file. */
static bool is_same_content(const struct contents *contents, const struct find_file *x,
			    const struct find_file *y)
{
	return are_identical(x, y) && x->tolerance == y->tolerance && !x->is_stream &&
	       !y->is_stream && (!contents->by_extension || x->extension_hash == y->extension_hash);
}

static bool has_pair(const struct contents *contents, const struct unique_content *content)
{
	uint8_t sides = 0;

	for (const struct content_file *file = content->files; file != NULL; file = file->next)
		sides |= file->file->sides;
	return content->file_count > 1 && (!contents->crosses || sides == (SIDE_A | SIDE_B));
}

void content_drop_next(const struct contents *contents, struct unique_content *content,
		       struct content_file *before)
{
	struct content_file *dropped = before->next;

	before->next = dropped->next;
	file_free(dropped);
	content->file_count--;
	content->is_pair = has_pair(contents, content);
}

/*
 * If a file has several names, keep only the first, even if their extensions belong to different
 * contents.
 */
static size_t drop_links(struct content_file **files, size_t count)
{
	size_t kept = 0;

	qsort(files, count, sizeof(struct content_file *), compare_names);
	for (size_t i = 0; i < count; i++)
		if (kept > 0 && are_links(files[kept - 1]->file, files[i]->file))
			free(files[i]);
		else
			files[kept++] = files[i];
	return kept;
}

/* Append a new content with these files, which it owns from now on. */
static int add_content(struct contents *contents, struct content_file **files, size_t count,
		       struct simhash_error *error)
{
	struct unique_content *content = NULL;

	if (array_reserve(&contents->items, &contents->capacity, contents->count + 1,
			  sizeof(struct unique_content *), error) == 0) {
		content = calloc(1, sizeof *content);
		if (content == NULL)
			error_set_memory(error);
	}
	if (content == NULL) {
		for (size_t i = 0; i < count; i++)
			free(files[i]);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		files[i]->next = i + 1 < count ? files[i + 1] : NULL;
		files[i]->content = content;
	}
	content->files = files[0];
	content->file_count = count;
	content->is_pair = has_pair(contents, content);
	contents->items[contents->count++] = content;
	return 0;
}

static int compare_contents(const void *a, const void *b)
{
	return contents_compare(*(struct unique_content *const *)a,
				*(struct unique_content *const *)b);
}

int contents_add(struct contents *contents, struct content_file **files, size_t count,
		 struct simhash_error *error)
{
	size_t first = contents->count, begin = 0;
	int status = 0;

	if (count > 0 && !contents->hard_links)
		count = drop_links(files, count);
	if (count > 0)
		sort_with(files, count, sizeof(struct content_file *), compare_files, contents);
	while (begin < count) {
		size_t end = begin + 1;
		while (end < count &&
		       is_same_content(contents, files[begin]->file, files[end]->file))
			end++;
		if (status == 0)
			status = add_content(contents, files + begin, end - begin, error);
		else
			for (size_t i = begin; i < end; i++)
				free(files[i]);
		begin = end;
	}
	if (contents->count - first > 1)
		qsort(contents->items + first, contents->count - first,
		      sizeof(struct unique_content *), compare_contents);
	return status;
}

int contents_compare(const struct unique_content *x, const struct unique_content *y)
{
	const struct find_file *of_x = x->files->file, *of_y = y->files->file;
	int order = compare_numbers(of_x->uniform, of_y->uniform);

	if (order == 0)
		order = compare_numbers(of_x->size_bytes, of_y->size_bytes);
	if (order == 0)
		order = memcmp(of_x->content_hash, of_y->content_hash, CONTENT_HASH_SIZE);
	return order != 0 ? order : find_file_compare(of_x, of_y);
}

/* ---- Relations ---- */

struct relation relation_estimated(const struct unique_content *content,
				   const struct unique_content *other)
{
	const struct find_file *a = content->files->file, *b = other->files->file;
	struct relation relation = {.distance = simhash_distance(&a->table, &b->table)};

	estimate_resemblance(a, b, &relation);
	return relation;
}

/* Is `other` with this relation more alike than the best content so far? */
static bool is_more_alike(const struct unique_content *other, const struct relation *relation,
			  const struct unique_content *known, const struct relation *to_known)
{
	int order = known == NULL ? -1 : relations_compare(relation, to_known);

	return order < 0 || (order == 0 && contents_compare(other, known) < 0);
}

void content_notices(struct unique_content *content, struct unique_content *other,
		     const struct relation *relation)
{
	if (!is_more_alike(other, relation, content->nearest, &content->relation))
		return;
	content->nearest = other;
	content->relation = *relation;
}

void content_meets(struct unique_content *content, struct unique_content *representative,
		   const struct relation *relation)
{
	struct relation back = relation_turned(relation);

	/* The representative may get this content if the content is later assigned elsewhere. */
	content_notices(representative, content, &back);
	if (is_more_alike(representative, relation, content->center, &content->relation)) {
		content->center = representative;
		content->relation = *relation;
	}
}

void content_decide(struct unique_content *content)
{
	if (content->center == NULL)
		content->center = content;
	else
		content->center->members++;
}

/* ---- Single linkage ---- */

struct unique_content *content_root(struct unique_content *content)
{
	while (content->center != content) {
		content->center = content->center->center;
		content = content->center;
	}
	return content;
}

void content_connect(struct unique_content *x, struct unique_content *y)
{
	x = content_root(x);
	y = content_root(y);
	if (x == y)
		return;
	if (contents_compare(y, x) < 0) {
		struct unique_content *first = y;
		y = x;
		x = first;
	}
	y->center = x;
	x->members += y->members + 1;
}

/* ---- Finished contents ---- */

static void forget_places(struct unique_content *content)
{
	for (struct content_file *file = content->files; file != NULL; file = file->next) {
		free(file->place);
		file->place = NULL;
	}
}

/* Can no later content be similar to this one, and no content that is alone notice it? */
static bool is_out_of_reach(const struct unique_content *content, int64_t key, int64_t since)
{
	if (key == INT64_MAX)
		return true;
	return content->end_of_reach < key &&
	       (is_representative(content) || content->files->file->uniform < since);
}

/*
 * The representative of the group that a content is in or may join later. A content that is alone
 * can only join the content nearest to it, or take that content out of its group. So no group waits
 * for another group.
 */
static struct unique_content *head_of(struct unique_content *content)
{
	if (is_representative(content) && !content_is_group(content) && content->nearest != NULL)
		content = content->nearest;
	return content_root(content);
}

/* Mark the representatives of groups with a content still within reach. */
static void mark_open(struct contents *contents, int64_t key, int64_t since)
{
	for (size_t i = 0; i < contents->count; i++) {
		struct unique_content *content = contents->items[i];
		content->is_open = false;
		/* It is not needed again, and that content may be finished earlier. */
		if (is_representative(content) && content_is_group(content))
			content->nearest = NULL;
	}
	for (size_t i = 0; i < contents->count; i++)
		if (!is_out_of_reach(contents->items[i], key, since))
			head_of(contents->items[i])->is_open = true;
}

int contents_take_finished(struct contents *contents, int64_t key, int64_t since,
			   struct contents *finished, struct simhash_error *error)
{
	size_t kept = 0;

	if (array_reserve(&finished->items, &finished->capacity, finished->count + contents->count,
			  sizeof(struct unique_content *), error) != 0)
		return -1;
	mark_open(contents, key, since);
	for (size_t i = 0; i < contents->count; i++) {
		struct unique_content *content = contents->items[i], *head = head_of(content);
		if (is_out_of_reach(content, key, since))
			forget_places(content);
		if (head->is_open)
			contents->items[kept++] = content;
		else if (content_is_group(head))
			finished->items[finished->count++] = content;
		else
			content_free(content);
	}
	contents->count = kept;
	return 0;
}

static void move_to(struct unique_content *content, struct unique_content *center,
		    const struct relation *relation)
{
	content->center = center;
	content->relation = *relation;
	center->members++;
}

static void mend(struct unique_content *alone)
{
	struct unique_content *h = alone->nearest, *old = h->center;
	struct relation to_old = relation_turned(&h->relation),
			to_alone = relation_turned(&alone->relation);

	if (old == h) {
		move_to(alone, h, &alone->relation);
		return;
	}
	old->members--;
	if (content_is_group(old)) {
		move_to(h, alone, &to_alone);
		return;
	}
	h->center = h;
	move_to(old, h, &to_old);
	move_to(alone, h, &alone->relation);
}

void contents_mend(struct contents *contents)
{
	for (size_t i = 0; i < contents->count; i++) {
		struct unique_content *content = contents->items[i];
		if (is_representative(content) && !content_is_group(content) &&
		    content->nearest != NULL)
			mend(content);
	}
}
