/*
 * Implements simkeep --heal: replaces damaged files with intact copies.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "act/acting/heal.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "cli/simkeep/acting.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "find/rule/finder.h"
#include "presence/damaged.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/write/damage_table.h"

#define PROGRAM "simkeep"
#define COPIES_SHOWN 3

/* A damaged file of this host that the options choose. */
struct chosen {
	const struct damaged_item *item;
	uint64_t device, inode, links; /* inode 0: it does not exist */
};

struct healing_run {
	struct acting *acting;
	struct damaged_list found;
	struct chosen *chosen; /* in the order of their paths */
	size_t count;
	const struct chosen **by_inode;
	char **files; /* the FILE arguments, with absolute paths */
	size_t file_count;
	struct verified_file *verified;
	size_t verified_count, verified_capacity;
	struct row_scope scope;
	uint64_t healed, right, without_copy;
	int64_t bytes;
	bool is_updated;
};

/* ---- Which files ---- */

/* A FILE that no longer exists may still be in the index, but cannot be healed. */
static int resolve_files(struct healing_run *run, struct simhash_error *error)
{
	const struct operands *operands = &run->acting->arguments->operands;

	run->files = calloc(operands->query_count + 1, sizeof *run->files);
	if (run->files == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < operands->query_count; i++) {
		run->files[i] = realpath(operands->queries[i], NULL);
		if (run->files[i] == NULL)
			return error_set_errno(error, "%s", operands->queries[i]);
		run->file_count++;
	}
	return 0;
}

static int read_damaged(struct healing_run *run, struct store *store, const char *host,
			const struct simhash_tag_set *tags, struct simhash_error *error)
{
	const struct keep_arguments *arguments = run->acting->arguments;
	const struct operands *operands = &arguments->operands;
	const struct find_sink sink = {.context = NULL};
	struct find_side *tops = calloc(operands->below_count + run->file_count + 1, sizeof *tops);
	struct find_request request;
	struct finder finder;
	size_t count = 0;
	int status;

	if (tops == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < operands->below_count; i++)
		tops[count++].directory = operands->below[i];
	for (size_t i = 0; i < run->file_count; i++)
		tops[count++].directory = bytes_of(run->files[i]);
	find_request_init(&request);
	request.tags = tags;
	request.host = host;
	status = finder_init(&finder, store, &request, &sink, &arguments->resources, error);
	for (size_t i = 0; status == 0 && i < operands->below_count; i++)
		if (finder_check_side(&finder, &tops[i], error) != 0) {
			finder_release(&finder);
			status = -1;
		}
	if (status == 0) {
		status = finder_damaged(&finder, tops, count, &run->found, error);
		finder_release(&finder);
	}
	rule_release(&request.rule);
	free(tops);
	return status;
}

static int compare_inodes(const void *a, const void *b)
{
	const struct chosen *x = *(const struct chosen *const *)a,
			    *y = *(const struct chosen *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

static int compare_places(const void *a, const void *b)
{
	const struct chosen *x = *(const struct chosen *const *)a,
			    *y = *(const struct chosen *const *)b;
	int order = compare_inodes(a, b);

	return order != 0 ? order : (x > y) - (x < y);
}

static int choose(struct healing_run *run, struct simhash_error *error)
{
	const struct keep_arguments *arguments = run->acting->arguments;
	struct stat status;

	run->chosen = calloc(run->found.count + 1, sizeof *run->chosen);
	run->by_inode = calloc(run->found.count + 1, sizeof *run->by_inode);
	if (run->chosen == NULL || run->by_inode == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < run->found.count; i++) {
		const struct damaged_item *item = &run->found.items[i];
		struct chosen *next = &run->chosen[run->count];
		char *path = item->is_local ? strdup(item->path) : NULL;
		if (item->is_local && path == NULL)
			return error_set_memory(error);
		if (path != NULL &&
		    operands_let_through(&arguments->operands, &arguments->exclusions, path,
					 item->size_bytes)) {
			*next = (struct chosen){.item = item};
			if (lstat(item->path, &status) == 0)
				*next = (struct chosen){item, (uint64_t)status.st_dev,
							(uint64_t)status.st_ino,
							(uint64_t)status.st_nlink};
			run->scope = item->scope;
			run->by_inode[run->count++] = next;
		}
		free(path);
	}
	qsort(run->by_inode, run->count, sizeof *run->by_inode, compare_places);
	return 0;
}

/* All chosen names of the file, in the order of their paths. Returns their number. */
static size_t names_of(const struct healing_run *run, const struct chosen *file,
		       const struct chosen *const **first)
{
	const struct chosen **found, **end = run->by_inode + run->count;
	size_t count = 0;

	if (file->links < 2)
		return 0;
	found = bsearch(&file, run->by_inode, run->count, sizeof *run->by_inode, compare_inodes);
	while (found > run->by_inode && compare_inodes(&found[-1], &file) == 0)
		found--;
	*first = found;
	while (found + count < end && compare_inodes(&found[count], &file) == 0)
		count++;
	return count;
}

/* ---- One file ---- */

static bool is_named(const struct healing_run *run, const struct chosen *file)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (strcmp(run->files[i], file->item->path) == 0)
			return true;
	return false;
}

/* Write that no copy can be used, and where copies are. */
static void leave_without_copy(struct healing_run *run, const struct damaged_item *item)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool has_member = item->source_count > 0;

	run->without_copy++;
	if (out == NULL)
		return;
	fputs(has_member	 ? "its copies are in archives, which need --count-archives"
	      : item->copies > 0 ? "no intact copy on this host; copies are elsewhere"
				 : "no intact copy is known",
	      out);
	for (size_t i = 0; i < item->name_count && i < COPIES_SHOWN; i++) {
		fputs(i == 0 ? ": " : ", ", out);
		write_escaped(out, bytes_of(item->names[i]));
	}
	if (item->copies > COPIES_SHOWN)
		fputs(", ...", out);
	if (fclose(out) == 0)
		acting_leave(run->acting, item->path, text);
	free(text);
}

/* The copies that may be used. Their number is 0 if there is none. */
static size_t list_sources(const struct healing_run *run, const struct damaged_item *item,
			   struct keep_file sources[2 * COPIES_NAMED])
{
	size_t count = 0;

	for (size_t i = 0; i < item->source_count && count < 2 * COPIES_NAMED; i++) {
		const struct damaged_source *source = &item->sources[i];
		if (source->archive_bytes > 0 && !run->acting->arguments->count_archives)
			continue;
		sources[count++] = (struct keep_file){.path = source->path,
						      .size_bytes = source->size_bytes,
						      .mtime_ns = source->mtime_ns,
						      .archive_bytes = source->archive_bytes};
	}
	return count;
}

static int note_verified(struct healing_run *run, const struct damaged_item *item,
			 const struct heal_result *result, struct simhash_error *error)
{
	struct verified_file *verified;

	if (array_reserve(&run->verified, &run->verified_capacity, run->verified_count + 1,
			  sizeof *run->verified, error) != 0)
		return -1;
	verified = &run->verified[run->verified_count++];
	*verified = (struct verified_file){.verified_at_ns = result->read_at_ns,
					   .changed_ns = result->changed_ns,
					   .was_damaged = true,
					   .inode = (int64_t)result->inode};
	memcpy(verified->path_hash, item->damage.path_hash, PATH_HASH_SIZE);
	memcpy(verified->content_hash, item->damage.content_hash, CONTENT_HASH_SIZE);
	return 0;
}

static void write_line(const struct healing_run *run, const char *path,
		       const struct heal_result *result)
{
	if (run->acting->arguments->quiet)
		return;
	printf("%-9s ", result->outcome == HEAL_RIGHT ? "right" : "heal");
	write_escaped(stdout, bytes_of(path));
	if (result->outcome == HEAL_DONE) {
		fputs(" <- ", stdout);
		write_escaped(stdout, bytes_of(result->source->path));
	}
	putchar('\n');
}

static int take_result(struct healing_run *run, const struct chosen *const *names, size_t count,
		       const struct heal_result *result, struct simhash_error *error)
{
	bool does = run->acting->arguments->yes;

	if (result->outcome == HEAL_LEFT) {
		for (size_t i = 0; i < count; i++)
			acting_leave(run->acting, names[i]->item->path, result->why.message);
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		write_line(run, names[i]->item->path, result);
		if (does && note_verified(run, names[i]->item, result, error) != 0)
			return -1;
	}
	if (result->outcome == HEAL_RIGHT) {
		run->right += count;
		return 0;
	}
	run->healed += count;
	add_size(&run->bytes, names[0]->item->size_bytes);
	return 0;
}

static int heal_one(struct healing_run *run, struct actor *actor, struct damaged_bytes *bytes,
		    const struct chosen *const *names, size_t count, struct simhash_error *error)
{
	const struct damaged_item *item = names[0]->item;
	struct keep_file sources[2 * COPIES_NAMED];
	struct heal_result result = {.outcome = HEAL_LEFT};
	struct heal_file file = {.path = item->path,
				 .size_bytes = item->size_bytes,
				 .found_size_bytes = item->damage.found_size_bytes,
				 .mtime_ns = item->mtime_ns,
				 .found_at_ns = item->damage.found_at_ns,
				 .inode = item->inode,
				 .name_count = count - 1,
				 .sources = sources};
	bool is_asked = !item->damage.status_moved;
	const char **others = calloc(count, sizeof *others);
	int status;

	if (others == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		is_asked |= is_named(run, names[i]);
		if (i > 0)
			others[i - 1] = names[i]->item->path;
	}
	file.names = others;
	memcpy(file.hash, item->damage.content_hash, KEEP_HASH_SIZE);
	file.source_count = list_sources(run, item, sources);
	status = 0;
	if (!is_asked)
		error_set(&result.why, SIMHASH_E_RANGE,
			  "its status time shows that a program may have written it; to heal it "
			  "anyway, name the file itself");
	else if (file.source_count > 0)
		status = actor_heal(actor, bytes, &file, &result, error);
	if (status == 0 && is_asked && file.source_count == 0)
		leave_without_copy(run, item);
	else if (status == 0)
		status = take_result(run, names, count, &result, error);
	free(others);
	return status;
}

static int heal_all(struct healing_run *run, struct actor *actor, struct damaged_bytes *bytes,
		    struct simhash_error *error)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct chosen *file = &run->chosen[i], *const *names = &file;
		size_t count = names_of(run, file, &names);
		if (count > 0 && names[0] != file)
			continue; /* healed together with its first name */
		if (heal_one(run, actor, bytes, names, count == 0 ? 1 : count, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- The run ---- */

static int act(struct healing_run *run, const char *host, struct simhash_error *error)
{
	struct acting *acting = run->acting;
	const struct keep_arguments *arguments = acting->arguments;
	struct journal journal = {.stream = NULL};
	struct damaged_bytes bytes = {.journal = arguments->journal_path, .fd = -1};
	const struct act_options options = {.protected = acting->policy.protected,
					    .protected_count = acting->policy.protected_count,
					    .journal = arguments->yes ? &journal : NULL,
					    .is_acting = &acts_are_under_way};
	struct actor actor;
	struct simhash_error closing;
	int status;

	if (actor_init(&actor, &options, error) != 0)
		return -1;
	status = arguments->yes ? journal_create(&journal, arguments->journal_path, host, error)
				: 0;
	if (status == 0)
		status = heal_all(run, &actor, &bytes, error);
	if (journal_close(&journal, &closing) != 0 && status == 0) {
		*error = closing;
		status = -1;
	}
	damaged_bytes_close(&bytes);
	actor_release(&actor);
	return status;
}

/* Also after a failure: the files until then are healed. */
static void update_index(struct healing_run *run, struct store *reader)
{
	struct store *store = NULL;
	struct simhash_error error;
	char *text = NULL;

	if (run->verified_count == 0)
		return;
	run->is_updated = store_open_to_write(reader, &store, &error) == 0 &&
			  store_write_verified(store, &run->scope, run->verified,
					       run->verified_count, NULL, 0, &error) == 0;
	store_close(store);
	if (!run->is_updated &&
	    asprintf(&text, "the index was not updated: %s; next: simhash --scrub",
		     error.message) >= 0)
		say(PROGRAM, text);
	free(text);
}

static void summarize(const struct healing_run *run)
{
	const struct acting *acting = run->acting;
	const struct keep_arguments *arguments = acting->arguments;
	char count[32], bytes[32];

	if (arguments->quiet)
		return;
	fprintf(stderr, "%s %s file%s (%s)", arguments->yes ? "healed" : "would heal",
		format_count(run->healed, count), run->healed == 1 ? "" : "s",
		format_bytes((double)run->bytes, bytes));
	if (run->right > 0)
		fprintf(stderr, "; %s %s right again", format_count(run->right, count),
			run->right == 1 ? "is" : "are");
	if (run->without_copy > 0)
		fprintf(stderr, "; %s %s no intact copy here",
			format_count(run->without_copy, count),
			run->without_copy == 1 ? "has" : "have");
	if (acting->left > run->without_copy)
		fprintf(stderr, "; left %s alone",
			format_count(acting->left - run->without_copy, count));
	if (!arguments->yes)
		fputs("; nothing has been changed\n", stderr);
	else if (run->healed == 0)
		fputc('\n', stderr);
	else {
		fputs("; to undo: simkeep --undo=", stderr);
		write_escaped(stderr, bytes_of(arguments->journal_path));
		fputc('\n', stderr);
	}
	if (run->healed > 0)
		next_step_say(arguments, false);
}

int heal_damaged(struct acting *acting, const char *host, struct simhash_error *error)
{
	struct healing_run run = {.acting = acting};
	struct simhash_tag_set *tags = NULL;
	struct store *store = NULL;
	char *url = NULL;
	bool has_files = false;
	int status = open_chosen_index(&acting->arguments->index, &url, &store, error);

	if (status == 0)
		status = choose_tags(store, &tags, &has_files, error);
	if (status == 0)
		status = resolve_files(&run, error);
	if (status == 0 && has_files)
		status = read_damaged(&run, store, host, tags, error);
	if (status == 0)
		status = choose(&run, error);
	if (status == 0) {
		status = act(&run, host, error);
		update_index(&run, store);
	}
	if (status == 0)
		status = finish_output(error);
	if (status == 0)
		summarize(&run);
	store_close(store);
	for (size_t i = 0; i < run.file_count; i++)
		free(run.files[i]);
	free(run.files);
	free(run.verified);
	free(run.by_inode);
	free(run.chosen);
	damaged_list_release(&run.found);
	free(url);
	simhash_tag_set_free(tags);
	return status;
}

/* ---- Undoing ---- */

/* Fill in what the index gets for a file that is damaged again. False if it has changed. */
static bool describe(const struct journal_act *act, struct damage *damage,
		     struct verified_file *verified)
{
	uint8_t directory[DIRECTORY_HASH_SIZE];
	struct stat status;

	if (lstat(act->path, &status) != 0 || status.st_size != act->copy.size_bytes ||
	    stat_mtime_ns(&status) != act->copy.mtime_ns)
		return false;
	*damage = (struct damage){.has_found_hash = true,
				  .found_size_bytes = status.st_size,
				  .found_at_ns = clock_wall_ns(),
				  .compared_bytes = DAMAGE_UNKNOWN,
				  .different_bytes = DAMAGE_UNKNOWN,
				  .first_byte = DAMAGE_UNKNOWN,
				  .last_byte = DAMAGE_UNKNOWN,
				  .resemblance_ppm = DAMAGE_UNKNOWN};
	/* Until then, it was right. */
	damage->verified_at_ns = damage->found_at_ns - 1;
	directory_hash(path_directory(act->path), directory);
	path_hash(directory, bytes_of(path_name(act->path)), damage->path_hash);
	memcpy(damage->content_hash, act->hash, CONTENT_HASH_SIZE);
	memcpy(damage->found_hash, act->damaged_hash, CONTENT_HASH_SIZE);
	*verified = (struct verified_file){.verified_at_ns = damage->verified_at_ns,
					   .changed_ns = stat_ctime_ns(&status),
					   .inode = (int64_t)status.st_ino};
	memcpy(verified->path_hash, damage->path_hash, PATH_HASH_SIZE);
	memcpy(verified->content_hash, act->hash, CONTENT_HASH_SIZE);
	return true;
}

static int write_damage_again(struct store *reader, const char *host, const struct damage *damages,
			      const struct verified_file *verified, size_t count,
			      struct simhash_error *error)
{
	struct simhash_tag_set *tags = NULL;
	struct store *store = NULL;
	struct row_scope scope = {.host = 0};
	bool has_files;
	int status = choose_tags(reader, &tags, &has_files, error);

	if (status == 0)
		status = store_open_to_write(reader, &store, error);
	if (status == 0)
		status = store_tag_set_id(store, tags, false, &scope.tag_set, error);
	if (status == 0)
		status = store_host_id(store, host, false, &scope.host, error);
	if (status == 0 && scope.tag_set != 0 && scope.host != 0)
		status =
			store_write_verified(store, &scope, verified, count, damages, count, error);
	store_close(store);
	simhash_tag_set_free(tags);
	return status;
}

bool heal_note_undone(const struct keep_arguments *arguments, const char *host,
		      const struct journal_act *const *acts, size_t count)
{
	struct damage *damages = calloc(count, sizeof *damages);
	struct verified_file *verified = calloc(count, sizeof *verified);
	struct simhash_error error;
	struct store *reader = NULL;
	char *url = NULL;
	size_t known = 0;
	int status = damages == NULL || verified == NULL ? error_set_memory(&error) : 0;

	for (size_t i = 0; status == 0 && i < count; i++)
		known += describe(acts[i], &damages[known], &verified[known]);
	if (status == 0 && known > 0)
		status = open_chosen_index(&arguments->index, &url, &reader, &error);
	if (status == 0 && known > 0)
		status = write_damage_again(reader, host, damages, verified, known, &error);
	store_close(reader);
	free(url);
	free(verified);
	free(damages);
	return status == 0;
}
