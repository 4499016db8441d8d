/*
 * Labels and paths, each kept once. Each thread remembers those that it met last.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/line_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "base/sort/sort.h"
#include "base/text/escape.h"
#include "report/lists/formatter.h"

#define LABELS_MAX 65535
#define FILES_MAX ((size_t)1 << 24) /* as many numbers as there are */
#define GAP "  "
#define LABEL_SLOTS 131072

/* Of a number: the label, and the two files. */
#define LABEL_SHIFT 48
#define FILE_SHIFT 24
#define FILE_MASK ((UINT64_C(1) << FILE_SHIFT) - 1)

struct known_file {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	bool is_stream;
	uint32_t number;
};

struct known_label {
	uint64_t value; /* what the label was made of */
	uint32_t kind, number;
};

enum { MEMORY_FILES = 16384, MEMORY_LABELS = 4096 };

/* What a thread met last; a number is one more than that of the file or label, 0: none. */
struct memory {
	struct known_file files[MEMORY_FILES];
	struct known_label labels[MEMORY_LABELS];
};

struct label {
	char text[LABEL_COLUMNS];
};

struct line_parts {
	pthread_mutex_t lock;
	unsigned threads;
	struct memory **memories; /* each made by its thread */
	struct arena arena;	  /* of the escaped paths */
	size_t bytes, bytes_max;
	struct bytes *paths;
	struct known_file *files; /* beside them */
	size_t file_count, path_capacity, file_capacity;
	uint32_t *slots; /* numbers of files, from 1 */
	size_t slot_count;
	struct label *labels;
	size_t label_count, label_capacity;
	uint32_t label_slots[LABEL_SLOTS];
	uint32_t *file_ranks, *label_ranks; /* NULL until they are known */
};

int line_parts_new(unsigned threads, size_t bytes_max, struct line_parts **parts,
		   struct simhash_error *error)
{
	struct line_parts *made = calloc(1, sizeof *made);

	*parts = NULL;
	if (made == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&made->lock, NULL);
	made->threads = threads;
	made->bytes_max = bytes_max;
	made->slot_count = 1024;
	made->slots = calloc(made->slot_count, sizeof *made->slots);
	made->memories = calloc(threads, sizeof *made->memories);
	if (made->slots == NULL || made->memories == NULL) {
		line_parts_free(made);
		return error_set_memory(error);
	}
	*parts = made;
	return 0;
}

void line_parts_free(struct line_parts *parts)
{
	if (parts == NULL)
		return;
	for (unsigned i = 0; parts->memories != NULL && i < parts->threads; i++)
		free(parts->memories[i]);
	free(parts->memories);
	free(parts->slots);
	free(parts->paths);
	free(parts->files);
	free(parts->labels);
	free(parts->file_ranks);
	free(parts->label_ranks);
	arena_release(&parts->arena);
	pthread_mutex_destroy(&parts->lock);
	free(parts);
}

/* ---- Files ---- */

static uint64_t hash_of(const struct find_file *file)
{
	return hash_seeded(hash_seeded_bytes(file->path_hash), (uint64_t)file->host);
}

static bool is_file(const struct known_file *known, const struct find_file *file)
{
	return known->host == file->host && known->is_stream == file->is_stream &&
	       memcmp(known->path_hash, file->path_hash, PATH_HASH_SIZE) == 0;
}

static uint32_t *find_slot(const struct line_parts *parts, const struct find_file *file)
{
	size_t slot = hash_of(file) & (parts->slot_count - 1);

	while (parts->slots[slot] != 0 && !is_file(&parts->files[parts->slots[slot] - 1], file))
		slot = (slot + 1) & (parts->slot_count - 1);
	return &parts->slots[slot];
}

static int grow_slots(struct line_parts *parts, struct simhash_error *error)
{
	size_t count = 2 * parts->slot_count;
	uint32_t *slots = calloc(count, sizeof *slots);

	if (slots == NULL)
		return error_set_memory(error);
	free(parts->slots);
	parts->slots = slots;
	parts->slot_count = count;
	for (size_t i = 0; i < parts->file_count; i++) {
		const struct known_file *known = &parts->files[i];
		struct find_file file = {.host = known->host, .is_stream = known->is_stream};
		memcpy(file.path_hash, known->path_hash, PATH_HASH_SIZE);
		*find_slot(parts, &file) = (uint32_t)i + 1;
	}
	return 0;
}

/* Keep a file that is not known: 1, 0 when there is no room for more, -1. */
static int add_file(struct line_parts *parts, const struct find_file *file,
		    struct simhash_error *error)
{
	size_t size;
	char *escaped, *kept;

	if (parts->bytes > parts->bytes_max || parts->file_count == FILES_MAX)
		return 0;
	if (array_reserve(&parts->paths, &parts->path_capacity, parts->file_count + 1,
			  sizeof *parts->paths, error) != 0 ||
	    array_reserve(&parts->files, &parts->file_capacity, parts->file_count + 1,
			  sizeof *parts->files, error) != 0 ||
	    (2 * parts->file_count >= parts->slot_count && grow_slots(parts, error) != 0))
		return -1;
	escaped = escape_text(find_file_display(file), &size);
	kept = escaped == NULL ? NULL : arena_take(&parts->arena, size + 1);
	if (kept != NULL)
		memcpy(kept, escaped, size);
	free(escaped);
	if (kept == NULL)
		return error_set_memory(error);
	parts->paths[parts->file_count] = (struct bytes){kept, size};
	parts->files[parts->file_count] =
		(struct known_file){.host = file->host, .is_stream = file->is_stream, .number = 0};
	memcpy(parts->files[parts->file_count].path_hash, file->path_hash, PATH_HASH_SIZE);
	*find_slot(parts, file) = (uint32_t)++parts->file_count;
	parts->bytes += size + sizeof *parts->paths + sizeof *parts->files + 16;
	return 1;
}

static int number_file(struct line_parts *parts, struct memory *memory,
		       const struct find_file *file, uint64_t *number, struct simhash_error *error)
{
	struct known_file *known = &memory->files[hash_of(file) & (MEMORY_FILES - 1)];
	int status = 1;

	if (known->number == 0 || !is_file(known, file)) {
		pthread_mutex_lock(&parts->lock);
		if (*find_slot(parts, file) == 0)
			status = add_file(parts, file, error);
		if (status == 1) {
			uint32_t found = *find_slot(parts, file);
			*known = parts->files[found - 1];
			known->number = found;
		}
		pthread_mutex_unlock(&parts->lock);
	}
	*number = known->number - 1;
	return status;
}

/* ---- Labels ---- */

/* What a label is made of: the same kind and value make the same label. */
static uint32_t kind_of(const struct file_pair *pair, uint64_t *value)
{
	bool is_a = pair->contained_a >= pair->contained_b;
	double number = pair_percent(pair);

	*value = 0;
	if (pair->is_identical)
		return 1;
	if (pair->is_part)
		number = is_a ? pair->contained_a : pair->contained_b;
	else if (has_resemblance(pair->verification))
		number = pair->resemblance;
	memcpy(value, &number, sizeof number);
	return 2 | (uint32_t)pair->is_part << 2 | (uint32_t)(pair->is_part && is_a) << 3 |
	       (uint32_t)(pair->distance == 0) << 4 | (uint32_t)pair->verification << 5;
}

/* The number of a label: 1, 0 when there is no room for more, -1. */
static int intern(struct line_parts *parts, const struct label *label, uint32_t *number,
		  struct simhash_error *error)
{
	uint64_t halves[2];
	size_t slot;

	memcpy(halves, label->text, sizeof halves);
	slot = (size_t)hash_seeded(halves[0], halves[1]) & (LABEL_SLOTS - 1);
	for (; parts->label_slots[slot] != 0; slot = (slot + 1) & (LABEL_SLOTS - 1)) {
		*number = parts->label_slots[slot] - 1;
		if (memcmp(&parts->labels[*number], label, sizeof *label) == 0)
			return 1;
	}
	if (parts->label_count == LABELS_MAX)
		return 0;
	if (array_reserve(&parts->labels, &parts->label_capacity, parts->label_count + 1,
			  sizeof *label, error) != 0)
		return -1;
	*number = (uint32_t)parts->label_count;
	parts->labels[parts->label_count++] = *label;
	parts->label_slots[slot] = *number + 1;
	return 1;
}

_Static_assert(LABEL_COLUMNS == 2 * sizeof(uint64_t), "a label is hashed as two numbers");
_Static_assert(LABEL_SLOTS == 1 << (64 - 47), "as many as a hash has");

static int number_label(struct line_parts *parts, struct memory *memory,
			const struct file_pair *pair, uint64_t *number, struct simhash_error *error)
{
	uint64_t value;
	uint32_t kind = kind_of(pair, &value), found;
	struct known_label *known =
		&memory->labels[(value * UINT64_C(0x9e3779b97f4a7c15) >> 32 ^ kind) &
				(MEMORY_LABELS - 1)];
	int status = 1;

	if (known->number == 0 || known->value != value || known->kind != kind) {
		char text[LABEL_SIZE];
		struct label label;
		size_t size = strlen(pair_label(pair, text));
		if (size > sizeof label.text)
			return 0;
		memset(label.text, ' ', sizeof label.text);
		memcpy(label.text, text, size);
		pthread_mutex_lock(&parts->lock);
		status = intern(parts, &label, &found, error);
		pthread_mutex_unlock(&parts->lock);
		if (status == 1)
			*known = (struct known_label){value, kind, found + 1};
	}
	*number = known->number - 1;
	return status;
}

int line_parts_number(struct line_parts *parts, unsigned thread, const struct file_pair *pair,
		      uint64_t *number, struct simhash_error *error)
{
	struct memory *memory = parts->memories[thread];
	uint64_t label, a, b;
	int status;

	if (memory == NULL) {
		memory = calloc(1, sizeof *memory);
		parts->memories[thread] = memory;
	}
	if (memory == NULL)
		return error_set_memory(error);
	status = number_label(parts, memory, pair, &label, error);
	if (status == 1)
		status = number_file(parts, memory, pair->a, &a, error);
	if (status == 1)
		status = number_file(parts, memory, pair->b, &b, error);
	if (status == 1)
		*number = label << LABEL_SHIFT | a << FILE_SHIFT | b;
	return status;
}

/* ---- Order ---- */

static struct bytes path_of(uint64_t number, const void *parts)
{
	return ((const struct line_parts *)parts)->paths[number];
}

static struct bytes label_of(uint64_t number, const void *labels)
{
	return (struct bytes){((const struct label *)labels)[number].text, LABEL_COLUMNS};
}

/* The numbers of `count` texts in their order. NULL with the error filled. */
static struct sort_item *rank(size_t count, sort_text_fn *text_of, const void *context,
			      struct simhash_error *error)
{
	struct sort_item *ranked = malloc((count + 1) * 2 * sizeof *ranked);

	if (ranked == NULL) {
		error_set_memory(error);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		ranked[i].number = i;
	sort_texts(ranked, ranked + count, count, text_of, context);
	return ranked;
}

/*
 * A path that goes on behind another with its gap could stand on either side of it, by what comes
 * behind that gap in a line. The next in order does so first.
 */
static bool goes_on(struct bytes path, struct bytes next)
{
	size_t more = next.size - path.size;

	if (next.size < path.size || memcmp(next.data, path.data, path.size) != 0)
		return false;
	return more == 0 ||
	       (next.data[path.size] == ' ' && (more == 1 || next.data[path.size + 1] == ' '));
}

static int rank_files(struct line_parts *parts, struct simhash_error *error)
{
	size_t count = parts->file_count;
	struct bytes *paths = malloc((count + 1) * sizeof *paths);
	struct sort_item *ranked = paths == NULL ? NULL : rank(count, path_of, parts, error);
	int status = 1;

	if (ranked == NULL) {
		free(paths);
		return error_set_memory(error);
	}
	for (size_t i = 0; i < count; i++) {
		paths[i] = parts->paths[ranked[i].number];
		parts->file_ranks[ranked[i].number] = (uint32_t)i;
		if (i > 0 && goes_on(paths[i - 1], paths[i]))
			status = 0;
	}
	if (status == 1) {
		free(parts->paths);
		parts->paths = paths;
	} else {
		free(paths);
	}
	free(ranked);
	return status;
}

static int rank_labels(struct line_parts *parts, struct simhash_error *error)
{
	size_t count = parts->label_count;
	struct label *labels = malloc((count + 1) * sizeof *labels);
	struct sort_item *ranked = rank(count, label_of, parts->labels, error);

	if (labels == NULL || ranked == NULL) {
		free(labels);
		free(ranked);
		return error_set_memory(error);
	}
	for (size_t i = 0; i < count; i++) {
		labels[i] = parts->labels[ranked[i].number];
		parts->label_ranks[ranked[i].number] = (uint32_t)i;
	}
	free(ranked);
	free(parts->labels);
	parts->labels = labels;
	return 1;
}

int line_parts_rank(struct line_parts *parts, struct simhash_error *error)
{
	int status;

	parts->file_ranks = malloc((parts->file_count + 1) * sizeof *parts->file_ranks);
	parts->label_ranks = malloc((parts->label_count + 1) * sizeof *parts->label_ranks);
	if (parts->file_ranks == NULL || parts->label_ranks == NULL)
		return error_set_memory(error);
	status = rank_files(parts, error);
	return status == 1 ? rank_labels(parts, error) : status;
}

uint64_t line_parts_ranked(const struct line_parts *parts, uint64_t number)
{
	return (uint64_t)parts->label_ranks[number >> LABEL_SHIFT] << LABEL_SHIFT |
	       (uint64_t)parts->file_ranks[number >> FILE_SHIFT & FILE_MASK] << FILE_SHIFT |
	       parts->file_ranks[number & FILE_MASK];
}

/* ---- Lines ---- */

static char *put(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	return at + size;
}

size_t line_parts_size(const struct line_parts *parts, uint64_t number)
{
	return LABEL_COLUMNS + 2 * (sizeof GAP - 1) +
	       parts->paths[number >> FILE_SHIFT & FILE_MASK].size +
	       parts->paths[number & FILE_MASK].size + 1;
}

size_t line_parts_write(const struct line_parts *parts, uint64_t number, char *line)
{
	struct bytes a = parts->paths[number >> FILE_SHIFT & FILE_MASK];
	struct bytes b = parts->paths[number & FILE_MASK];
	char *at = put(line, parts->labels[number >> LABEL_SHIFT].text, LABEL_COLUMNS);

	at = put(at, GAP, sizeof GAP - 1);
	at = put(at, a.data, a.size);
	at = put(at, GAP, sizeof GAP - 1);
	at = put(at, b.data, b.size);
	*at++ = '\n';
	return (size_t)(at - line);
}
