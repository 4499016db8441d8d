/*
 * Of each copy, which ways there are to free its space, and the file that each way keeps.
 * SPDX-License-Identifier: MIT
 */
#include "cli/plan_script.h"

#include <stdlib.h>
#include <string.h>

#include "act/act.h"
#include "base/error.h"
#include "cli/terminal.h"
#include "report/script.h"

/* Can the content be compared, and the name be changed, on this host? */
static bool is_within_reach(const struct find_file *file)
{
	return file->is_local && !file->is_stream && file->compressed_size_bytes == 0 &&
	       file->size_bytes > 0;
}

int copies_of_pairs(const struct pair_list *pairs, struct keep_file **files, size_t *count,
		    struct simhash_error *error)
{
	bool *is_wanted = calloc(pairs->file_count + 1, sizeof *is_wanted);

	*count = 0;
	*files = calloc(pairs->file_count + 1, sizeof **files);
	if (is_wanted == NULL || *files == NULL) {
		free(*files);
		free(is_wanted);
		return error_set_memory(error);
	}
	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->pairs[i].is_identical)
			is_wanted[pairs->pairs[i].a->number] =
				is_wanted[pairs->pairs[i].b->number] = true;
	for (size_t i = 0; i < pairs->file_count; i++) {
		const struct find_file *file = pairs->files[i];
		struct keep_file *copy = &(*files)[*count];
		if (!is_wanted[i] || !is_within_reach(file))
			continue;
		*copy = (struct keep_file){.path = find_file_path(file),
					   .size_bytes = file->size_bytes,
					   .mtime_ns = file->mtime_ns,
					   .device = (uint64_t)file->device,
					   .inode = (uint64_t)file->inode};
		memcpy(copy->hash, file->content_hash, KEEP_HASH_SIZE);
		++*count;
	}
	free(is_wanted);
	return 0;
}

/* ---- The plan ---- */

static const enum keep_action actions[SCRIPT_WAYS] = {ACTION_HARDLINK, ACTION_REFLINK,
						      ACTION_DELETE};

/* What each way keeps for a copy; NULL: the copy does not go that way. */
struct copy_ways {
	const struct keep_file *kept[SCRIPT_WAYS];
};

/* Ways that have the same plan, from `first` to `last`. */
static int add_plan(struct copy_ways *ways, struct keep_file *files, size_t count,
		    const struct keep_policy *given, enum script_way first, enum script_way last,
		    struct simhash_error *error)
{
	struct keep_policy policy = *given;
	struct plan plan;

	policy.action = actions[first];
	if (plan_make(files, count, &policy, &plan, error) != 0)
		return -1;
	for (size_t i = 0; i < plan.count; i++)
		for (unsigned way = first; way <= last; way++)
			ways[plan.acts[i].file - files].kept[way] = plan.acts[i].kept;
	plan_release(&plan);
	return 0;
}

static int plan_ways(struct copy_ways *ways, struct keep_file *files, size_t count,
		     const struct keep_policy *policy, struct simhash_error *error)
{
	for (unsigned way = 0; way < SCRIPT_WAYS; way++)
		if (actions[way] == policy->action)
			return add_plan(ways, files, count, policy, way, way, error);
	if (policy->protected_count == 0)
		return add_plan(ways, files, count, policy, SCRIPT_HARDLINK, SCRIPT_DELETE, error);
	/* Hard links are made to no file that is protected, so another one may be kept for them. */
	return add_plan(ways, files, count, policy, SCRIPT_HARDLINK, SCRIPT_HARDLINK, error) != 0
		       ? -1
		       : add_plan(ways, files, count, policy, SCRIPT_REFLINK, SCRIPT_DELETE, error);
}

/* ---- Writing ---- */

struct script_writer {
	FILE *out;
	struct actor *actor;	      /* NULL: no file is looked at */
	const struct keep_file *last; /* the copy before */
	uint64_t copies;
};

/* Would simfind itself leave this copy alone? */
static int look(const struct script_writer *writer, enum script_way way,
		const struct planned_act *act, struct simhash_error *why,
		struct simhash_error *error)
{
	struct act_result result;
	int status;

	why->message[0] = '\0';
	if (writer->actor == NULL)
		return 0;
	writer->actor->options.action = actions[way];
	status = actor_act(writer->actor, act, &result, error);
	*why = result.why;
	free(result.to);
	return status;
}

static int write_copy(struct script_writer *writer, const struct keep_file *copy,
		      const struct copy_ways *ways, struct simhash_error *error)
{
	const struct keep_file *last = writer->last;
	struct simhash_error why[SCRIPT_WAYS];
	unsigned commands = 0;

	for (unsigned way = 0; way < SCRIPT_WAYS; way++) {
		const struct planned_act act = {copy, ways->kept[way]};
		if (act.kept == NULL)
			continue;
		if (look(writer, way, &act, &why[way], error) != 0)
			return -1;
		commands += why[way].message[0] == '\0';
	}
	if (commands == 0)
		return 0; /* where files are looked at, the plan has told so */
	if (last == NULL || last->size_bytes != copy->size_bytes ||
	    memcmp(last->hash, copy->hash, KEEP_HASH_SIZE) != 0)
		script_write_content(writer->out, copy->size_bytes);
	for (unsigned way = 0; way < SCRIPT_WAYS; way++)
		if (ways->kept[way] != NULL && why[way].message[0] != '\0')
			script_write_refusal(writer->out, way, why[way].message);
		else if (ways->kept[way] != NULL)
			script_write_command(writer->out, way, bytes_of(ways->kept[way]->path),
					     bytes_of(copy->path));
	writer->last = copy;
	writer->copies++;
	return 0;
}

static int write_copies(struct script_writer *writer, const struct keep_file *files, size_t count,
			const struct copy_ways *ways, const struct script_request *request,
			struct simhash_error *error)
{
	const struct act_options options = {.protected = request->policy->protected,
					    .protected_count = request->policy->protected_count};
	struct actor actor;
	int status = 0;

	if (request->looks) {
		if (actor_init(&actor, &options, error) != 0)
			return -1;
		writer->actor = &actor;
	}
	script_begin(writer->out);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = write_copy(writer, &files[i], &ways[i], error);
	script_end(writer->out);
	if (request->looks)
		actor_release(&actor);
	return status;
}

int write_plan_script(struct output_file *script, struct keep_file *files, size_t count,
		      const struct script_request *request, struct simhash_error *error)
{
	struct copy_ways *ways = calloc(count + 1, sizeof *ways);
	struct script_writer writer = {.out = script->stream};
	char text[32];
	int status;

	if (ways == NULL)
		return error_set_memory(error);
	status = plan_ways(ways, files, count, request->policy, error);
	if (status == 0)
		status = write_copies(&writer, files, count, ways, request, error);
	free(ways);
	if (status != 0 || output_close(script, error) != 0)
		return -1;
	if (!request->quiet)
		fprintf(stderr, "%s: a script for %s cop%s; edit it before you run it\n",
			script->name, format_count(writer.copies, text),
			writer.copies == 1 ? "y" : "ies");
	return 0;
}
