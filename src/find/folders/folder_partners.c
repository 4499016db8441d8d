/*
 * Finds the partner of a folder: starts at the places of its contents and goes up to the folders
 * around them, until these would contain the folder itself.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_partners.h"

#include <stdlib.h>

#include "base/basic/error.h"

/*
 * An inner folder replaces a folder if it leaves out at least 1/4 of the folder's bytes, and loses
 * at most 1/20 as many bytes of the other folder as it leaves out.
 */
#define VAGUE_LEFT_OUT 4
#define VAGUE_LOST 20

int partner_search_init(struct partner_search *search, const struct folder_tree *tree,
			double min_shared, struct simhash_error *error)
{
	*search = (struct partner_search){.tree = tree, .min_shared = min_shared};
	if (share_marks_init(&search->marks, tree, error) != 0)
		return -1;
	search->meetings = calloc(tree->count + 1, sizeof *search->meetings);
	search->met = malloc((tree->count + 1) * sizeof *search->met);
	search->common = malloc((tree->content_count + 1) * sizeof *search->common);
	if (search->meetings != NULL && search->met != NULL && search->common != NULL)
		return 0;
	partner_search_release(search);
	return error_set_memory(error);
}

void partner_search_release(struct partner_search *search)
{
	share_marks_release(&search->marks);
	free(search->meetings);
	free(search->met);
	free(search->common);
	*search = (struct partner_search){.tree = NULL};
}

/* ---- Shared contents that are not common ---- */

static struct folder_meeting *meet(struct partner_search *search, uint32_t folder)
{
	struct folder_meeting *meeting = &search->meetings[folder];

	if (!meeting->is_met) {
		meeting->is_met = true;
		search->met[search->met_count++] = folder;
	}
	return meeting;
}

/*
 * Add `bytes` to every folder around the places of a content, once for each content of the searched
 * folder. Contents are added in descending order of similarity, so a folder gets the most.
 */
static void add_here(struct partner_search *search, uint32_t content, int64_t bytes)
{
	const struct folder_tree *tree = search->tree;

	for (size_t p = tree->place_first[content]; p < tree->place_first[content + 1]; p++) {
		uint32_t at = tree->places[p].folder;
		if (folder_holds(tree, search->folder, at))
			continue;
		while (at != NO_FOLDER && search->meetings[at].seen != search->seen &&
		       !folder_holds(tree, at, search->folder)) {
			struct folder_meeting *meeting = meet(search, at);
			meeting->seen = search->seen;
			meeting->shared_here = add_bytes(meeting->shared_here, bytes, 1);
			at = tree->folders[at].parent;
		}
	}
}

/* Add the share of the content in these folders that the searched folder has. */
static void add_there(struct partner_search *search, uint32_t content, uint32_t millionths)
{
	const struct folder_tree *tree = search->tree;
	int64_t size_bytes = tree->contents[content].size_bytes;

	for (size_t p = tree->place_first[content]; p < tree->place_first[content + 1]; p++) {
		const struct content_place *place = &tree->places[p];
		int64_t bytes = add_shared(0, size_bytes, millionths,
					   place[1].files_before - place->files_before);
		uint32_t at = place->folder;
		if (folder_holds(tree, search->folder, at))
			continue;
		for (; at != NO_FOLDER && !folder_holds(tree, at, search->folder);
		     at = tree->folders[at].parent) {
			struct folder_meeting *meeting = &search->meetings[at];
			meeting->shared_there = add_bytes(meeting->shared_there, bytes, 1);
		}
	}
}

static void add_content(struct partner_search *search, uint32_t content)
{
	const struct folder_tree *tree = search->tree;
	struct content_mark *marks = search->marks.marks;
	int64_t size_bytes = tree->contents[content].size_bytes;
	uint32_t files = marks[content].files;

	search->seen++;
	add_here(search, content, add_shared(0, size_bytes, IDENTICAL_MILLIONTHS, files));
	add_there(search, content, IDENTICAL_MILLIONTHS);
	for (size_t i = tree->alike_first[content]; i < tree->alike_first[content + 1]; i++) {
		const struct alike_content *alike = &tree->alike[i];
		struct content_mark *mark = &marks[alike->content];
		add_here(search, alike->content,
			 add_shared(0, size_bytes, alike->millionths, files));
		if (mark->files > 0)
			continue;
		if (mark->millionths == 0)
			search->marks.other[search->marks.other_count++] = alike->content;
		if (mark->millionths < alike->millionths)
			mark->millionths = alike->millionths;
	}
}

static void add_contents(struct partner_search *search)
{
	const struct folder_tree *tree = search->tree;
	struct share_marks *marks = &search->marks;

	share_mark(tree, marks, range_of(tree, search->folder));
	for (size_t i = 0; i < marks->own_count; i++) {
		uint32_t content = marks->own[i];
		if (content_folders(tree, content) <= COMMON_FOLDERS) {
			add_content(search, content);
			continue;
		}
		search->common[search->common_count++] = content;
		search->common_bytes = add_bytes(search->common_bytes,
						 tree->contents[content].size_bytes,
						 marks->marks[content].files);
	}
	search->passed_over += marks->own_count > 0 && search->common_count == marks->own_count;
	for (size_t i = 0; i < marks->other_count; i++)
		add_there(search, marks->other[i], marks->marks[marks->other[i]].millionths);
}

/* ---- Choosing ---- */

/* Add the common contents to the sums of a folder. */
static void complete(struct partner_search *search, uint32_t folder)
{
	const struct folder_tree *tree = search->tree;
	struct folder_meeting *meeting = &search->meetings[folder];
	struct folder_range range = range_of(tree, folder);

	if (meeting->is_complete)
		return;
	meeting->is_complete = true;
	for (size_t i = 0; i < search->common_count; i++) {
		uint32_t content = search->common[i];
		int64_t size_bytes = tree->contents[content].size_bytes;
		uint64_t there = content_files(tree, content, range);
		if (there == 0)
			continue;
		meeting->shared_here = add_bytes(meeting->shared_here, size_bytes,
						 search->marks.marks[content].files);
		meeting->shared_there = add_bytes(meeting->shared_there, size_bytes, there);
	}
}

static bool is_enough(const struct partner_search *search, int64_t shared_bytes)
{
	return (double)shared_bytes >=
	       search->min_shared * (double)search->tree->folders[search->folder].bytes;
}

/* May a folder be the partner? If so, its sums are complete. */
static bool is_wanted(struct partner_search *search, uint32_t folder)
{
	const struct folder_meeting *meeting = &search->meetings[folder];

	if (!is_enough(search, add_bytes(meeting->shared_here, search->common_bytes, 1)))
		return false;
	complete(search, folder);
	return is_enough(search, meeting->shared_here);
}

/*
 * Should an inner folder replace this folder? `others` and `inner_others` are the bytes of the
 * other folder that they have.
 */
static bool gives_way(const struct folder *folder, int64_t others, const struct folder *inner,
		      int64_t inner_others)
{
	int64_t left_out = folder->bytes - inner->bytes;

	return left_out >= folder->bytes / VAGUE_LEFT_OUT &&
	       others - inner_others <= left_out / VAGUE_LOST;
}

/*
 * The same for two folders that were met. Completes the sums of the inner folder only if they can
 * decide.
 */
static bool gives_way_to(struct partner_search *search, uint32_t folder, uint32_t inner)
{
	const struct folder *folders = search->tree->folders;
	const struct folder_meeting *of_inner = &search->meetings[inner];
	int64_t others = search->meetings[folder].shared_here;

	if (!of_inner->is_complete &&
	    !gives_way(&folders[folder], others, &folders[inner],
		       add_bytes(of_inner->shared_here, search->common_bytes, 1)))
		return false;
	complete(search, inner);
	return gives_way(&folders[folder], others, &folders[inner], of_inner->shared_here);
}

/* Find folders that a direct subfolder replaces. */
static void find_vague(struct partner_search *search)
{
	for (size_t i = 0; i < search->met_count; i++) {
		uint32_t inner = search->met[i];
		uint32_t folder = search->tree->folders[inner].parent;
		struct folder_meeting *meeting;
		if (folder == NO_FOLDER)
			continue;
		meeting = &search->meetings[folder];
		if (meeting->is_met && !meeting->is_vague && is_wanted(search, folder))
			meeting->is_vague = gives_way_to(search, folder, inner);
	}
}

/* Find folders that a deeper folder replaces, if that folder can be the partner. */
static void find_deeper(struct partner_search *search)
{
	const struct folder *folders = search->tree->folders;

	for (size_t i = 0; i < search->met_count; i++) {
		uint32_t inner = search->met[i], folder = folders[inner].parent;
		if (search->meetings[inner].is_vague || !is_wanted(search, inner))
			continue;
		for (; folder != NO_FOLDER && search->meetings[folder].is_met;
		     folder = folders[folder].parent) {
			struct folder_meeting *meeting = &search->meetings[folder];
			if (!meeting->is_vague && !meeting->has_deeper && is_wanted(search, folder))
				meeting->has_deeper = gives_way_to(search, folder, inner);
		}
	}
}

/*
 * Is x a better partner than y? The better one has more bytes of the searched folder. If they have
 * equally many, the searched folder has a larger share of the better one. Otherwise the earlier one
 * is better.
 */
static bool is_better(const struct partner_search *search, uint32_t x, uint32_t y)
{
	const struct folder_meeting *of_x = &search->meetings[x], *of_y = &search->meetings[y];
	double share_x, share_y;

	if (of_x->shared_here != of_y->shared_here)
		return of_x->shared_here > of_y->shared_here;
	share_x = (double)of_x->shared_there / (double)search->tree->folders[x].bytes;
	share_y = (double)of_y->shared_there / (double)search->tree->folders[y].bytes;
	return share_x != share_y ? share_x > share_y : x < y;
}

static uint32_t choose(struct partner_search *search, bool in_archive)
{
	uint32_t best = NO_FOLDER;

	for (size_t i = 0; i < search->met_count; i++) {
		uint32_t folder = search->met[i];
		if (is_in_archive(search->tree, folder) == in_archive &&
		    !search->meetings[folder].is_vague && !search->meetings[folder].has_deeper &&
		    is_wanted(search, folder) &&
		    (best == NO_FOLDER || is_better(search, folder, best)))
			best = folder;
	}
	return best;
}

static void forget(struct partner_search *search)
{
	for (size_t i = 0; i < search->met_count; i++)
		search->meetings[search->met[i]] = (struct folder_meeting){.seen = 0};
	search->met_count = search->common_count = 0;
	search->common_bytes = 0;
	share_unmark(&search->marks);
}

/* Does an inner folder replace the folder itself for this partner? */
static bool is_vague(struct partner_search *search, uint32_t partner,
		     const struct folder_meeting *meeting)
{
	const struct folder_tree *tree = search->tree;
	const struct folder *folder = &tree->folders[search->folder];

	for (uint32_t i = search->folder + 1; i < folder->end; i = tree->folders[i].end) {
		const struct folder *inner = &tree->folders[i];
		struct folder_share here = {.bytes = 0}, there = {.bytes = 0};
		if (folder->bytes - inner->bytes < folder->bytes / VAGUE_LEFT_OUT)
			continue;
		share_measure(tree, &search->marks, range_of(tree, i), range_of(tree, partner),
			      &here, &there);
		if (gives_way(folder, meeting->shared_there, inner, there.shared_bytes))
			return true;
	}
	return false;
}

void partner_search_find(struct partner_search *search, uint32_t folder,
			 struct folder_partner partners[2])
{
	struct folder_meeting meetings[2] = {{.seen = 0}};

	search->folder = folder;
	add_contents(search);
	find_vague(search);
	find_deeper(search);
	for (int k = 0; k < 2; k++) {
		partners[k].folder = choose(search, k == 1);
		if (partners[k].folder != NO_FOLDER)
			meetings[k] = search->meetings[partners[k].folder];
		partners[k].shared_bytes = meetings[k].shared_here;
	}
	forget(search);
	for (int k = 0; k < 2; k++)
		if (partners[k].folder != NO_FOLDER &&
		    is_vague(search, partners[k].folder, &meetings[k]))
			partners[k].folder = NO_FOLDER;
}
