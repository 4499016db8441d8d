/*
 * Does the parts of scripts/reproduce-paper.sh that the two programs cannot do: makes sets of
 * files, and answers the paper's "final difficulty" and future work. Sum tables are compared by
 * brute force. Lists of files come from standard input; each name ends with a zero byte.
 *
 *     paper chain FOLDER COUNT BYTES    4 KiB each, with so many random bytes changed from
 *                                       one to the next
 *     paper texts FOLDER COUNT          random printable ASCII, 4 KiB each
 *     paper cut FOLDER COUNT            the first 4 KiB of files, without those that resemble
 *                                       another: a Jaccard index of 8-byte shingles above 0.1
 *     paper difficulty                  share of the sum-table hits kept, and of the key hits
 *                                       saved, by key tolerance
 *     paper keys                        candidates and hits kept by more and more keys
 *     paper tags EDITS UNRELATED        tag sets: the default, random and learned ones; besides
 *                                       the tree on standard input two folders made by `files`
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simhash.h"
#include "simhash_measures.h"

#define CUT 4096
#define PATTERNS 256

static uint64_t random_state = 20071213; /* the date of the paper */

static uint64_t random_bits(void)
{
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t random_below(size_t limit)
{
	return (size_t)(random_bits() % limit);
}

static void *must(void *pointer)
{
	if (pointer == NULL) {
		fputs("paper: out of memory\n", stderr);
		exit(1);
	}
	return pointer;
}

static void die(const char *path)
{
	perror(path);
	exit(1);
}

static void write_file(const char *folder, size_t number, const char *extension, const void *bytes,
		       size_t size)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof path, "%s/%07zu.%s", folder, number, extension);
	file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		die(path);
}

static int make_chain(const char *folder, size_t count, size_t changed)
{
	uint8_t bytes[CUT];

	for (size_t i = 0; i < CUT; i++)
		bytes[i] = (uint8_t)random_bits();
	for (size_t n = 0; n < count; n++) {
		write_file(folder, n, "bin", bytes, CUT);
		for (size_t i = 0; i < changed; i++)
			bytes[random_below(CUT)] = (uint8_t)random_bits();
	}
	return 0;
}

static int make_texts(const char *folder, size_t count)
{
	char text[CUT];

	for (size_t n = 0; n < count; n++) {
		for (size_t i = 0; i < CUT; i++)
			text[i] = i % 72 == 71 ? '\n' : (char)(' ' + random_below(95));
		write_file(folder, n, "txt", text, CUT);
	}
	return 0;
}

/* ---- Files ---- */

struct file {
	char *path;
	uint8_t *bytes;
	size_t size;
	int64_t size_bytes;
	struct simhash_sum_table table;
	struct simhash_keys keys;
	uint32_t *count; /* the counts of every pattern, if they are needed */
};

struct files {
	struct file *file;
	size_t count;
};

static uint8_t *read_bytes(const char *path, size_t most, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	size_t room = 0;

	*size = 0;
	if (file == NULL)
		return NULL;
	do {
		if (*size == room) {
			room = room == 0 ? CUT : 2 * room;
			bytes = must(realloc(bytes, room));
		}
		*size += fread(bytes + *size, 1, (room < most ? room : most) - *size, file);
	} while (*size == room && *size < most);
	fclose(file);
	return bytes;
}

static void add_file(struct files *files, const char *path, size_t most)
{
	struct file file = {.path = NULL};

	file.bytes = read_bytes(path, most, &file.size);
	if (file.bytes == NULL || file.size == 0) {
		free(file.bytes);
		return;
	}
	file.path = must(strdup(path));
	file.size_bytes = (int64_t)file.size;
	if ((files->count & (files->count - 1)) == 0)
		files->file = must(realloc(files->file, (files->count == 0 ? 1 : 2 * files->count) *
								sizeof *files->file));
	files->file[files->count++] = file;
}

static struct files read_list(size_t most)
{
	struct files files = {NULL, 0};
	char *path = NULL;
	size_t room = 0;

	while (getdelim(&path, &room, '\0', stdin) > 0)
		add_file(&files, path, most);
	free(path);
	return files;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static struct files read_folder(const char *folder)
{
	struct files files = {NULL, 0};
	DIR *directory = opendir(folder);
	struct dirent *entry;
	char path[4200];

	if (directory == NULL)
		die(folder);
	while ((entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			add_file(&files, path, SIZE_MAX);
	}
	closedir(directory);
	qsort(files.file, files.count, sizeof *files.file, compare_paths);
	return files;
}

static const char *name_of(const struct file *file)
{
	return strrchr(file->path, '/') + 1;
}

static struct simhash_tag_set *default_tags(void)
{
	struct simhash_tag_set *tags;
	struct simhash_error error;

	if (simhash_tag_set_new_default(&tags, &error) != 0)
		exit(1);
	return tags;
}

static void scan(const struct simhash_tag_set *tags, struct file *file)
{
	struct simhash_scanner scanner;
	const char *name = name_of(file);

	simhash_scanner_init(&scanner, tags);
	simhash_scanner_update(&scanner, file->bytes, file->size);
	simhash_scanner_finish(&scanner, &file->table);
	simhash_keys_compute(tags, &file->table, name, strlen(name), &file->keys);
}

/* Scan files and forget their bytes. */
static void scan_all(struct files *files)
{
	struct simhash_tag_set *tags = default_tags();

	for (size_t i = 0; i < files->count; i++) {
		scan(tags, &files->file[i]);
		free(files->file[i].bytes);
	}
	simhash_tag_set_free(tags);
}

/* ---- Cut ---- */

static int cut_files(const char *folder, size_t wanted)
{
	struct files files = read_list(CUT);
	struct simhash_measure *measure;
	struct simhash_sketcher *sketcher;
	struct simhash_error error;
	size_t kept = 0, size;
	uint8_t *sketches;

	if (simhash_measure_new("bottomk:k=256", &measure, &error) != 0 ||
	    simhash_sketcher_new(measure, &sketcher, &error) != 0)
		return 1;
	size = simhash_measure_sketch_size(measure);
	sketches = must(malloc((files.count + 1) * size));
	for (size_t i = 0; i < files.count && kept < wanted; i++) {
		const char *extension;
		bool is_alike = files.file[i].size < CUT;
		simhash_sketcher_update(sketcher, files.file[i].bytes, files.file[i].size);
		if (simhash_sketcher_finish(sketcher, sketches + kept * size, size, NULL, &error) !=
		    0)
			return 1;
		for (size_t k = 0; k < kept && !is_alike; k++)
			is_alike = simhash_sketch_similarity(measure, sketches + k * size,
							     sketches + kept * size, NULL) > 0.1;
		if (is_alike)
			continue;
		if (simhash_extension(name_of(&files.file[i]), strlen(name_of(&files.file[i])),
				      &extension) == 0)
			extension = "none";
		write_file(folder, kept++, extension, files.file[i].bytes, CUT);
	}
	printf("%zu\n", kept);
	return 0;
}

/* ---- The final difficulty ---- */

static const struct simhash_tolerance standard = SIMHASH_TOLERANCE_DEFAULT;

static bool is_hit(const struct file *a, const struct file *b)
{
	return simhash_sizes_agree(&standard, a->size_bytes, b->size_bytes) &&
	       simhash_sum_table_hit(&standard, simhash_distance(&a->table, &b->table),
				     a->size_bytes, b->size_bytes);
}

/* The smallest tolerance, in percent, at which two keys are a hit. */
static double key_tolerance(const struct file *a, const struct file *b, enum simhash_key key)
{
	double size = (double)(a->size_bytes > b->size_bytes ? a->size_bytes : b->size_bytes);
	double apart = (double)(a->keys.key[key] - b->keys.key[key]);

	return 100 * (apart < 0 ? -apart : apart) / size;
}

static int show_difficulty(void)
{
	enum { STEPS = 40 };
	static const enum simhash_key keys[] = {SIMHASH_UNIFORM, SIMHASH_SKEW, SIMHASH_SKEW_EXT};
	static uint64_t hits[3][STEPS + 1], candidates[3][STEPS + 1], all, all_candidates[3];
	struct files files = read_list(SIZE_MAX);

	scan_all(&files);
	for (size_t i = 0; i < files.count; i++)
		for (size_t k = i + 1; k < files.count; k++) {
			const struct file *a = &files.file[i], *b = &files.file[k];
			double nearest = 1e300, reach[3];
			bool hit;
			if (!simhash_sizes_agree(&standard, a->size_bytes, b->size_bytes))
				continue;
			for (int m = 0; m < 3; m++) {
				reach[m] = key_tolerance(a, b, keys[m]);
				nearest = reach[m] < nearest ? reach[m] : nearest;
			}
			if (nearest > 8)
				continue;
			hit = is_hit(a, b);
			all += hit;
			for (int m = 0; m < 3; m++)
				for (int s = 0; s <= STEPS; s++) {
					/*
					 * 0 to 8 percent; above 1, also for the tolerance of the
					 * sums
					 */
					double limit = s <= 20 ? s / 20.0 : 1 + (s - 20) * 7 / 20.0;
					hits[m][s] += hit && reach[m] <= limit;
					candidates[m][s] += reach[m] <= limit;
				}
		}
	for (int m = 0; m < 3; m++)
		all_candidates[m] = candidates[m][20];
	printf("# %zu files, %" PRIu64 " sum-table hits at 1%%; candidates as a share of those at "
	       "a key tolerance of 1%%\n# tolerance",
	       files.count, all);
	for (int m = 0; m < 3; m++)
		printf(" %s_hits %s_candidates", simhash_key_name(keys[m]),
		       simhash_key_name(keys[m]));
	putchar('\n');
	for (int s = 0; s <= STEPS; s++) {
		printf("%.4f", s <= 20 ? s / 20.0 : 1 + (s - 20) * 7 / 20.0);
		for (int m = 0; m < 3; m++)
			printf(" %.6f %.6f", (double)hits[m][s] / (double)all,
			       (double)candidates[m][s] / (double)all_candidates[m]);
		putchar('\n');
	}
	return 0;
}

/* ---- More keys ---- */

/* A signed sum of the counts: the parity of (row AND position) is the sign. Row 0 is uniform. */
static int64_t signed_sum(const struct file *file, unsigned row)
{
	int64_t sum = 0;

	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		int64_t count = (int64_t)file->table.count[t];
		sum += __builtin_parity(row & t) ? -count : count;
	}
	return sum;
}

static int show_keys(void)
{
	static const unsigned rows[] = {0, 3, 9, 11, 5, 14, 6, 8};
	enum { ROWS = sizeof rows / sizeof *rows };
	uint64_t passed[ROWS + 1] = {0}, hits = 0, by_key[4] = {0}, kept_by_key[4] = {0};
	static const char *const names[] = {"skew", "skew and uniform", "skew, uniform and scatter",
					    "skew_ext and uniform"};
	struct files files = read_list(SIZE_MAX);
	int64_t(*sums)[ROWS];

	scan_all(&files);
	sums = must(malloc((files.count + 1) * sizeof *sums));
	for (size_t i = 0; i < files.count; i++)
		for (unsigned r = 0; r < ROWS; r++)
			sums[i][r] = signed_sum(&files.file[i], rows[r]);
	for (size_t i = 0; i < files.count; i++)
		for (size_t k = i + 1; k < files.count; k++) {
			const struct file *a = &files.file[i], *b = &files.file[k];
			/* The largest distance of a hit. */
			int64_t most = (a->size_bytes + b->size_bytes) / 200;
			bool near[4], hit;
			unsigned r;
			if (!simhash_sizes_agree(&standard, a->size_bytes, b->size_bytes))
				continue;
			most = most < 1 ? 1 : most;
			near[0] = key_tolerance(a, b, SIMHASH_SKEW) <= 1;
			near[1] = near[0] && key_tolerance(a, b, SIMHASH_UNIFORM) <= 1;
			near[2] = near[1] && key_tolerance(a, b, SIMHASH_SCATTER) <= 1;
			near[3] = near[1] && key_tolerance(a, b, SIMHASH_SKEW_EXT) <= 1;
			for (r = 0; r < ROWS && llabs(sums[i][r] - sums[k][r]) <= most; r++)
				passed[r]++;
			hit = r == ROWS && is_hit(a, b);
			if (!hit && near[0])
				hit = is_hit(a, b);
			hits += hit;
			for (int n = 0; n < 4; n++) {
				by_key[n] += near[n];
				kept_by_key[n] += near[n] && hit;
			}
		}
	printf("# %zu files, %.2f sum-table hits a file\n", files.count,
	       (double)hits / (double)files.count);
	for (int n = 0; n < 4; n++)
		printf("%-40s %10.2f candidates a file, %6.2f %% of the hits kept\n", names[n],
		       (double)by_key[n] / (double)files.count,
		       100 * (double)kept_by_key[n] / (double)hits);
	for (unsigned r = 0; r < ROWS; r++)
		printf("%u signed sum%-27s %10.2f candidates a file, 100.00 %% of the hits kept\n",
		       r + 1, r == 0 ? ", which is uniform" : "s",
		       (double)passed[r] / (double)files.count);
	free(sums);
	return 0;
}

/* ---- Tag sets ---- */

/* The count of each of the 256 patterns, with 16 in one scan. */
static void count_patterns(struct files *files)
{
	struct simhash_tag tags[SIMHASH_TAGS] = {{0}};
	struct simhash_tag_set *set;
	struct simhash_error error;

	for (size_t i = 0; i < files->count; i++)
		files->file[i].count = must(calloc(PATTERNS, sizeof(uint32_t)));
	for (unsigned first = 0; first < PATTERNS; first += SIMHASH_TAGS) {
		for (unsigned t = 0; t < SIMHASH_TAGS; t++)
			tags[t] = (struct simhash_tag){(uint8_t)(first + t), 1000, 1000, 1000};
		if (simhash_tag_set_new("some", tags, &set, &error) != 0)
			exit(1);
		for (size_t i = 0; i < files->count; i++) {
			scan(set, &files->file[i]);
			for (unsigned t = 0; t < SIMHASH_TAGS; t++)
				files->file[i].count[first + t] =
					(uint32_t)files->file[i].table.count[t];
		}
		simhash_tag_set_free(set);
	}
}

static uint64_t distance_by(const uint8_t *tags, const struct file *a, const struct file *b)
{
	uint64_t distance = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		distance +=
			(uint64_t)llabs((int64_t)a->count[tags[t]] - (int64_t)b->count[tags[t]]);
	return distance;
}

static bool is_similar_by(const uint8_t *tags, const struct file *a, const struct file *b)
{
	return simhash_sizes_agree(&standard, a->size_bytes, b->size_bytes) &&
	       simhash_sum_table_hit(&standard, distance_by(tags, a, b), a->size_bytes,
				     b->size_bytes);
}

/* Is the part before the n-th '-' of both names the same? */
static bool same_start(const struct file *a, const struct file *b, int dashes)
{
	const char *x = name_of(a), *y = name_of(b);

	for (; *x == *y && *x != '\0'; x++, y++)
		if (*x == '-' && --dashes == 0)
			return true;
	return false;
}

struct judgement {
	double recall, wrong, candidates, distance_zero;
};

static struct judgement judge(const uint8_t *tags, const struct files *edits,
			      const struct files *unrelated, const struct files *tree)
{
	uint64_t found = 0, edited = 0, wrong = 0, strangers = 0, candidates = 0, pairs = 0;
	struct judgement judgement;

	for (size_t i = 0; i < edits->count; i++)
		for (size_t k = 0; k < edits->count; k++) {
			const struct file *a = &edits->file[i], *b = &edits->file[k];
			if (strstr(name_of(a), "-original-") == NULL || i == k ||
			    !same_start(a, b, 1))
				continue;
			edited++;
			found += is_similar_by(tags, a, b);
		}
	for (size_t i = 0; i < unrelated->count; i++)
		for (size_t k = i + 1; k < unrelated->count; k++)
			if (same_start(&unrelated->file[i], &unrelated->file[k], 2)) {
				strangers++;
				wrong += is_similar_by(tags, &unrelated->file[i],
						       &unrelated->file[k]);
			}
	for (size_t i = 0; i < tree->count; i++)
		for (size_t k = i + 1; k < tree->count; k++) {
			const struct file *a = &tree->file[i], *b = &tree->file[k];
			int64_t apart = 0, size = a->size_bytes > b->size_bytes ? a->size_bytes
										: b->size_bytes;
			if (!simhash_sizes_agree(&standard, a->size_bytes, b->size_bytes))
				continue;
			for (int t = 0; t < SIMHASH_TAGS; t++)
				apart += (int64_t)a->count[tags[t]] - (int64_t)b->count[tags[t]];
			candidates += llabs(apart) <= (size / 100 < 1 ? 1 : size / 100);
			pairs += is_similar_by(tags, a, b);
		}
	judgement.recall = 100 * (double)found / (double)edited;
	judgement.wrong = 100 * (double)wrong / (double)strangers;
	judgement.candidates = (double)candidates / (double)tree->count;
	judgement.distance_zero = (double)pairs / (double)tree->count;
	return judgement;
}

static void show_judgement(const char *name, struct judgement j)
{
	printf("%-34s %8.2f %8.2f %12.2f %12.3f\n", name, j.recall, j.wrong, j.candidates,
	       j.distance_zero);
	fflush(stdout);
}

static void random_tags(uint8_t *tags)
{
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		bool is_new = true;
		tags[t] = (uint8_t)random_bits();
		for (int k = 0; k < t; k++)
			is_new = is_new && tags[k] != tags[t];
		t -= !is_new;
	}
}

/*
 * Learn tags from a tree, one after another: each is the one that best distinguishes pairs of files
 * of about equal size, up to the tolerance.
 */
static void learn_tags(const struct files *tree, uint8_t *tags)
{
	enum { PAIRS = 20000 };
	const struct file **a = must(malloc(PAIRS * sizeof *a)),
			  **b = must(malloc(PAIRS * sizeof *b));
	double *distance = must(calloc(PAIRS, sizeof *distance));
	bool is_taken[PATTERNS] = {false};
	size_t count = 0;

	for (size_t tries = 0; count < PAIRS && tries < 100 * PAIRS; tries++) {
		const struct file *x = &tree->file[random_below(tree->count)];
		const struct file *y = &tree->file[random_below(tree->count)];
		if (x != y && (double)x->size_bytes <= 1.1 * (double)y->size_bytes &&
		    (double)y->size_bytes <= 1.1 * (double)x->size_bytes) {
			a[count] = x;
			b[count++] = y;
		}
	}
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		double best = -1;
		for (unsigned p = 0; p < PATTERNS; p++) {
			double sum = 0;
			if (is_taken[p])
				continue;
			for (size_t i = 0; i < count; i++) {
				double size = 0.005 * (double)(a[i]->size_bytes + b[i]->size_bytes);
				double d = distance[i] + (double)llabs((int64_t)a[i]->count[p] -
								       (int64_t)b[i]->count[p]);
				sum += d > size ? 1 : d / size;
			}
			if (sum > best) {
				best = sum;
				tags[t] = (uint8_t)p;
			}
		}
		is_taken[tags[t]] = true;
		for (size_t i = 0; i < count; i++)
			distance[i] += (double)llabs((int64_t)a[i]->count[tags[t]] -
						     (int64_t)b[i]->count[tags[t]]);
	}
	free(distance);
	free(b);
	free(a);
}

static int compare_rates(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The patterns with the highest counts in the tree. */
static void frequent_tags(const struct files *tree, uint8_t *tags)
{
	double rates[PATTERNS][2] = {{0}};

	for (unsigned p = 0; p < PATTERNS; p++) {
		rates[p][1] = p;
		for (size_t i = 0; i < tree->count; i++)
			rates[p][0] += tree->file[i].count[p] / (double)tree->file[i].size_bytes;
	}
	qsort(rates, PATTERNS, sizeof *rates, compare_rates);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		tags[t] = (uint8_t)rates[t][1];
}

static void show_patterns(const uint8_t *tags)
{
	printf("#  ");
	for (int t = 0; t < SIMHASH_TAGS; t++)
		printf(" %02x", tags[t]);
	putchar('\n');
}

static int show_tags(const char *edits_folder, const char *unrelated_folder)
{
	enum { SETS = 20 };
	struct files tree = read_list(SIZE_MAX), edits = read_folder(edits_folder);
	struct files unrelated = read_folder(unrelated_folder), half = tree;
	struct simhash_tag_set *standard_set = default_tags();
	struct judgement sum = {0, 0, 0, 0}, least = {1e9, 1e9, 1e9, 1e9}, most = {0, 0, 0, 0};
	uint8_t tags[SIMHASH_TAGS];

	count_patterns(&tree);
	count_patterns(&edits);
	count_patterns(&unrelated);
	printf("# %zu files of a tree, %zu edited, %zu unrelated\n%-34s %8s %8s %12s %12s\n",
	       tree.count, edits.count, unrelated.count, "# tags", "recall %", "false %",
	       "candidates", "hits a file");
	for (int t = 0; t < SIMHASH_TAGS; t++)
		tags[t] = simhash_tag_set_tags(standard_set)[t].pattern;
	show_judgement("the default", judge(tags, &edits, &unrelated, &tree));
	for (int s = 0; s < SETS; s++) {
		struct judgement j;
		random_tags(tags);
		j = judge(tags, &edits, &unrelated, &tree);
#define GATHER(field)                                                \
	sum.field += j.field / SETS;                                 \
	least.field = j.field < least.field ? j.field : least.field; \
	most.field = j.field > most.field ? j.field : most.field
		GATHER(recall);
		GATHER(wrong);
		GATHER(candidates);
		GATHER(distance_zero);
	}
	show_judgement("20 random sets, mean", sum);
	show_judgement("... the least of each", least);
	show_judgement("... the most of each", most);
	/* From only one half of the tree. */
	half.count = tree.count / 2;
	learn_tags(&half, tags);
	show_judgement("learned: what tells most apart", judge(tags, &edits, &unrelated, &tree));
	show_patterns(tags);
	frequent_tags(&half, tags);
	show_judgement("learned: the most frequent", judge(tags, &edits, &unrelated, &tree));
	show_patterns(tags);
	simhash_tag_set_free(standard_set);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "chain") == 0 && argc == 5)
		return make_chain(argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	if (strcmp(what, "texts") == 0 && argc == 4)
		return make_texts(argv[2], strtoul(argv[3], NULL, 10));
	if (strcmp(what, "cut") == 0 && argc == 4)
		return cut_files(argv[2], strtoul(argv[3], NULL, 10));
	if (strcmp(what, "difficulty") == 0 && argc == 2)
		return show_difficulty();
	if (strcmp(what, "keys") == 0 && argc == 2)
		return show_keys();
	if (strcmp(what, "tags") == 0 && argc == 4)
		return show_tags(argv[2], argv[3]);
	fputs("usage: see the beginning of paper.c\n", stderr);
	return 1;
}
