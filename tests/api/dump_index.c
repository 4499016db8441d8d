/*
 * Prints the answers of libsimhash-index about an index, in lines that a test can compare:
 *
 *     dump_index URL files | pairs [every | paper] | groups [single] | file PATH | table NAME <CONTENT | ended | wrong
 *
 * Links both libraries, and defines names that both also use internally.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <simhash_index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that the libraries also use internally. */
int error_set(const struct simhash_error *error);
int reconcile(void);

int error_set(const struct simhash_error *error)
{
	fprintf(stderr, "%d %s\n", error->code, error->message);
	return 1;
}

int reconcile(void)
{
	return 0;
}

static const char *const verified[] = {[SIMHASH_INDEX_UNVERIFIED] = "no",
				       [SIMHASH_INDEX_BY_HASH] = "hash",
				       [SIMHASH_INDEX_BY_SKETCH] = "sketch",
				       [SIMHASH_INDEX_BY_COUNTS] = "counts",
				       [SIMHASH_INDEX_BY_TEXT] = "text"};

static int print_pair(void *context, const struct simhash_index_pair *pair,
		      struct simhash_error *error)
{
	(void)context;
	(void)error;
	printf("%s:%s %s:%s %" PRIu64 " %d %s %.6f\n", pair->a->host, pair->a->path, pair->b->host,
	       pair->b->path, pair->distance, pair->is_identical, verified[pair->verified],
	       pair->resemblance);
	return strlen(pair->a->path) == pair->a->path_size ? 0 : -1;
}

static int end_search(void *context, const struct simhash_index_pair *pair,
		      struct simhash_error *error)
{
	(void)pair;
	++*(int *)context;
	error->code = SIMHASH_E_RANGE;
	snprintf(error->message, sizeof error->message, "enough");
	return 7;
}

/* Rows have the last bytes only for a text. */
static size_t stored_size(const struct simhash_resemblance_sketch *sketch)
{
	static const uint8_t no_text[SIMHASH_RESEMBLANCE_TEXT];

	return memcmp(sketch->text, no_text, sizeof no_text) == 0 ? sizeof sketch->registers
								  : sizeof *sketch;
}

static int print_files(struct simhash_index *index, struct simhash_error *error)
{
	const struct simhash_index_file *file;
	struct simhash_index_files *files;
	int status;

	if (simhash_index_files_begin(index, &files, error) != 0)
		return -1;
	while ((status = simhash_index_files_next(files, &file, error)) == 1) {
		printf("%s|%s|%" PRId64 "|%" PRId64 "|%" PRIu64, file->host, file->path,
		       file->size_bytes, file->mtime_ns, file->table.count[15]);
		for (int k = 0; k < SIMHASH_KEYS; k++)
			printf("|%" PRId64, file->keys.key[k]);
		putchar('|');
		for (int i = 0; i < SIMHASH_INDEX_HASH_SIZE; i++)
			printf("%02x", file->content_hash[i]);
		putchar('|');
		for (size_t i = 0; file->has_sketch && i < stored_size(&file->sketch); i++)
			printf("%02x", ((const uint8_t *)&file->sketch)[i]);
		putchar('\n');
	}
	simhash_index_files_end(files);
	return status;
}

/* Another iterator reads files at the same time. */
static int print_groups(struct simhash_index *index, enum simhash_index_linkage linkage,
			struct simhash_error *error)
{
	static const char *const roles[] = {[SIMHASH_INDEX_REPRESENTATIVE] = "representative",
					    [SIMHASH_INDEX_MEMBER] = "member",
					    [SIMHASH_INDEX_COPY] = "copy"};
	const struct simhash_index_group *group;
	struct simhash_index_groups *groups;
	struct simhash_index_files *files = NULL;
	const struct simhash_index_file *file;
	int status;

	if (simhash_index_groups_begin(index, NULL, linkage, &groups, error) != 0)
		return -1;
	status = simhash_index_files_begin(index, &files, error);
	while (status >= 0 && (status = simhash_index_groups_next(groups, &group, error)) == 1) {
		printf("%016" PRIx64 " %" PRId64 " %" PRId64 " %zu\n", group->id, group->size_bytes,
		       group->copied_bytes, group->count);
		for (size_t i = 0; i < group->count; i++) {
			const struct simhash_index_member *member = group->members[i];
			printf(" %s %s:%s %" PRId64 " %" PRIu64 " %s %.6f\n", roles[member->role],
			       member->file->host, member->file->path, member->file->size_bytes,
			       member->distance, verified[member->verified], member->resemblance);
		}
		status = simhash_index_files_next(files, &file, error);
	}
	simhash_index_files_end(files);
	simhash_index_groups_end(groups);
	return status;
}

/* The sum table is computed by libsimhash with the tags of the index. */
static int print_pairs_of_table(struct simhash_index *index, const char *name,
				struct simhash_error *error)
{
	static char content[1 << 20];
	size_t size = fread(content, 1, sizeof content, stdin);
	struct simhash_tag_set *tags;
	struct simhash_sum_table table;

	if (simhash_tag_set_new("mine", simhash_index_tags(index), &tags, error) != 0)
		return -1;
	simhash_sum_table_compute(tags, content, size, &table);
	simhash_tag_set_free(tags);
	return simhash_index_pairs_of_table(index, NULL, &table, (int64_t)size, name, print_pair,
					    NULL, error);
}

static int end_early(struct simhash_index *index, struct simhash_error *error)
{
	int pairs = 0;

	if (simhash_index_pairs(index, NULL, end_search, &pairs, NULL) != -1 || pairs < 1)
		return 0;
	return simhash_index_pairs(index, NULL, end_search, &pairs, error);
}

/* All of these searches must be refused; returns the number that were not. */
static int search_wrongly(struct simhash_index *index)
{
	struct simhash_index_search search;
	struct simhash_index_groups *groups;
	struct simhash_sum_table table = {{2}};
	int taken = 0;

	simhash_index_search_init(&search);
	search.key = SIMHASH_KEYS;
	taken += simhash_index_pairs(index, &search, print_pair, NULL, NULL) == 0;
	simhash_index_search_init(&search);
	search.tolerance.percent_millionths = -1;
	taken += simhash_index_pairs(index, &search, print_pair, NULL, NULL) == 0;
	simhash_index_search_init(&search);
	search.min_resemblance = 1.5;
	taken += simhash_index_pairs_of_file(index, &search, "/", print_pair, NULL, NULL) == 0;
	taken += simhash_index_groups_begin(index, &search, SIMHASH_INDEX_SINGLE_LINKAGE, &groups,
					    NULL) == 0;
	taken += groups != NULL;
	taken += simhash_index_groups_begin(index, NULL, (enum simhash_index_linkage)2, &groups,
					    NULL) == 0;
	taken += simhash_index_pairs_of_file(index, NULL, "/no/such", print_pair, NULL, NULL) == 0;
	taken += simhash_index_pairs_of_file(index, NULL, "/", print_pair, NULL, NULL) == 0;
	taken += simhash_index_pairs_of_table(index, NULL, &table, 1, "x", print_pair, NULL,
					      NULL) == 0;
	taken += simhash_index_pairs_of_table(index, NULL, &table, -1, "x", print_pair, NULL,
					      NULL) == 0;
	printf("%d\n", taken);
	return 0;
}

int main(int argc, char **argv)
{
	struct simhash_index_options options = {.tag_set = getenv("TAG_SET")};
	struct simhash_index_search search;
	struct simhash_index *index;
	struct simhash_error error;
	const char *url = argv[1][0] == '\0' ? NULL : argv[1], *task = argv[2];
	int status;

	if (simhash_index_open(url, &options, &index, &error) != 0)
		return error_set(&error);
	simhash_index_search_init(&search);
	search.every_copy = argc > 3 && strcmp(argv[3], "every") == 0;
	if (argc > 3 && strcmp(argv[3], "paper") == 0) {
		search.key = SIMHASH_SKEW_EXT;
		search.tolerance.percent_millionths = 1000000;
		search.unverified = true;
	}
	if (strcmp(task, "files") == 0)
		status = print_files(index, &error);
	else if (strcmp(task, "pairs") == 0)
		status = simhash_index_pairs(index, &search, print_pair, NULL, &error);
	else if (strcmp(task, "groups") == 0)
		status = print_groups(index,
				      argc > 3 ? SIMHASH_INDEX_SINGLE_LINKAGE
					       : SIMHASH_INDEX_BY_REPRESENTATIVE,
				      &error);
	else if (strcmp(task, "file") == 0)
		status =
			simhash_index_pairs_of_file(index, NULL, argv[3], print_pair, NULL, &error);
	else if (strcmp(task, "table") == 0)
		status = print_pairs_of_table(index, argv[3], &error);
	else if (strcmp(task, "ended") == 0)
		status = end_early(index, &error);
	else
		status = search_wrongly(index);
	simhash_index_close(index);
	return status == 0 ? reconcile() : error_set(&error);
}
