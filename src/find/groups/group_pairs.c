/*
 * Makes groups from a list of pairs.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "find/groups/groups.h"
#include "find/pairs/block.h"

/* Two contents that are similar; the later one in their order has the relation. */
struct edge {
	struct unique_content *later, *earlier;
	struct relation relation;
};

/* The edges of the later content n begin at firsts[n] and end at firsts[n + 1]. */
struct edges {
	struct edge *items;
	size_t *firsts;
};

/* Add contents with all files that are in a pair. */
static int add_files(struct contents *contents, const struct pair_list *list,
		     struct simhash_error *error)
{
	bool *is_wanted = calloc(list->file_count + 1, sizeof *is_wanted);
	struct content_file **files =
		malloc((list->file_count + 1) * sizeof(struct content_file *));
	size_t count = 0;
	int status = is_wanted == NULL || files == NULL ? error_set_memory(error) : 0;

	for (size_t i = 0; status == 0 && i < list->count; i++)
		is_wanted[list->pairs[i].a->number] = is_wanted[list->pairs[i].b->number] = true;
	for (size_t i = 0; status == 0 && i < list->file_count; i++) {
		if (!is_wanted[i])
			continue;
		files[count] = content_file_new(list->files[i], error);
		if (files[count] == NULL)
			status = -1;
		else
			count++;
	}
	if (status == 0)
		status = contents_add(contents, files, count, error);
	else
		for (size_t i = 0; i < count; i++)
			free(files[i]);
	free(files);
	free(is_wanted);
	return status;
}

/* Does a content precede every content that the file can belong to? */
static bool is_before(const struct unique_content *content, const struct find_file *file)
{
	const struct find_file *other = content->files->file;

	if (other->uniform != file->uniform)
		return other->uniform < file->uniform;
	if (other->size_bytes != file->size_bytes)
		return other->size_bytes < file->size_bytes;
	return memcmp(other->content_hash, file->content_hash, CONTENT_HASH_SIZE) < 0;
}

/*
 * `other` was left out because another name of the same file is kept. Do its pairs belong to
 * `kept`? A list that is not expanded may have the pairs of only one name. If extensions matter, it
 * has the pairs of only one of several identical files with the same extension.
 */
static bool stands_for(const struct find_request *request, const struct find_file *kept,
		       const struct find_file *other)
{
	if (!request->keeps_extensions)
		return are_links(kept, other);
	return kept->extension_hash == other->extension_hash &&
	       rows_are_twins(request, kept, other);
}

/* The content that gets the pairs of a file that was left out; NULL: no content. */
static struct unique_content *content_of_link(const struct contents *contents,
					      const struct find_request *request,
					      const struct find_file *file)
{
	size_t low = 0, high = contents->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_before(contents->items[middle], file))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < contents->count && are_identical(contents->items[low]->files->file, file);
	     low++)
		for (const struct content_file *other = contents->items[low]->files; other != NULL;
		     other = other->next)
			if (stands_for(request, other->file, file))
				return contents->items[low];
	return NULL;
}

/*
 * Number the contents, and find the content of each file of the list; NULL: the file is in no pair.
 */
static void find_contents(const struct contents *contents, const struct pair_list *list,
			  const struct find_request *request, struct unique_content **of_file)
{
	for (size_t i = 0; i < contents->count; i++) {
		contents->items[i]->number = i;
		for (const struct content_file *file = contents->items[i]->files; file != NULL;
		     file = file->next)
			of_file[file->file->number] = contents->items[i];
	}
	for (size_t i = 0; i < list->file_count && !contents->hard_links; i++)
		if (of_file[i] == NULL)
			of_file[i] = content_of_link(contents, request, list->files[i]);
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->earlier->number > y->earlier->number) -
	       (x->earlier->number < y->earlier->number);
}

/* The edge of a pair. False if it has none, for example for two names of one file. */
static bool edge_of(const struct file_pair *pair, const struct contents *contents,
		    struct unique_content **of_file, struct edge *edge)
{
	struct unique_content *a = of_file[pair->a->number], *b = of_file[pair->b->number];
	bool a_is_later;

	if (a == NULL || b == NULL || a == b ||
	    (!contents->hard_links && are_links(pair->a, pair->b)))
		return false;
	a_is_later = a->number > b->number;
	*edge = (struct edge){.later = a_is_later ? a : b,
			      .earlier = a_is_later ? b : a,
			      .relation = a_is_later ? pair->relation
						     : relation_turned(&pair->relation)};
	return true;
}

/*
 * Sorts the edges by later content, then by earlier content. Each edge is stored at its final
 * place.
 */
static void make_edges(struct edges *edges, const struct contents *contents,
		       const struct pair_list *list, struct unique_content **of_file)
{
	size_t *firsts = edges->firsts;
	struct edge edge;

	for (size_t i = 0; i < list->count; i++)
		if (edge_of(&list->pairs[i], contents, of_file, &edge))
			firsts[edge.later->number]++;
	for (size_t i = 1; i <= contents->count; i++)
		firsts[i] += firsts[i - 1];
	for (size_t i = list->count; i-- > 0;)
		if (edge_of(&list->pairs[i], contents, of_file, &edge))
			edges->items[--firsts[edge.later->number]] = edge;
	for (size_t i = 0; i < contents->count; i++)
		if (firsts[i + 1] - firsts[i] > 1)
			qsort(edges->items + firsts[i], firsts[i + 1] - firsts[i],
			      sizeof *edges->items, compare_edges);
}

static void decide(struct unique_content *content, const struct edge *edges, size_t count)
{
	for (size_t e = 0; e < count; e++)
		if (is_representative(edges[e].earlier))
			content_meets(content, edges[e].earlier, &edges[e].relation);
	if (!content_belongs(content))
		for (size_t e = 0; e < count; e++)
			content_notices(content, edges[e].earlier, &edges[e].relation);
	content_decide(content);
}

static void relate_to_root(struct unique_content *content, const struct edge *edges, size_t count)
{
	bool is_pair = false;

	content->center = content_root(content);
	content->relation = relation_estimated(content, content->center);
	for (size_t e = 0; e < count; e++)
		if (edges[e].earlier == content->center &&
		    (!is_pair || relations_compare(&edges[e].relation, &content->relation) < 0)) {
			content->relation = edges[e].relation;
			is_pair = true;
		}
}

static void link_contents(struct contents *contents, const struct edges *edges,
			  enum linkage linkage)
{
	if (linkage == LINK_SINGLE) {
		for (size_t i = 0; i < contents->count; i++)
			content_decide(contents->items[i]);
		for (size_t e = 0; e < edges->firsts[contents->count]; e++)
			content_connect(edges->items[e].earlier, edges->items[e].later);
	}
	for (size_t i = 0; i < contents->count; i++) {
		const struct edge *own = edges->items + edges->firsts[i];
		size_t count = edges->firsts[i + 1] - edges->firsts[i];
		if (linkage == LINK_SINGLE)
			relate_to_root(contents->items[i], own, count);
		else
			decide(contents->items[i], own, count);
	}
	if (linkage == LINK_REPRESENTATIVE)
		contents_mend(contents);
}

int group_pairs(const struct pair_list *list, const struct find_request *request,
		enum linkage linkage, struct group_list *groups, struct simhash_error *error)
{
	struct contents contents;
	/* There are at most as many contents as files. */
	struct edges edges = {.items = malloc((list->count + 1) * sizeof *edges.items),
			      .firsts = calloc(list->file_count + 1, sizeof *edges.firsts)};
	struct unique_content **of_file =
		calloc(list->file_count + 1, sizeof(struct unique_content *));
	int status = edges.items == NULL || edges.firsts == NULL || of_file == NULL
			     ? error_set_memory(error)
			     : 0;

	contents_init(&contents, request);
	*groups = (struct group_list){.count = 0};
	if (status == 0)
		status = add_files(&contents, list, error);
	if (status == 0) {
		find_contents(&contents, list, request, of_file);
		make_edges(&edges, &contents, list, of_file);
		link_contents(&contents, &edges, linkage);
		free(edges.items);
		edges.items = NULL;
		status = groups_write(&contents, request, linkage, groups, error);
		contents_release(&groups->contents); /* the list owns the files */
	}
	free(of_file);
	free(edges.firsts);
	free(edges.items);
	contents_release(&contents);
	if (status != 0)
		group_list_release(groups);
	return status;
}
