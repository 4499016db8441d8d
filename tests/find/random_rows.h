/*
 * Shared by the tests of searches: random rows, an index that contains them, the pairs found in it,
 * and the parts of the rule as the paper describes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FIND_RANDOM_ROWS_H
#define TESTS_FIND_RANDOM_ROWS_H

/*
 * Include these before the name `error` below, because their functions have an argument with this
 * name.
 */
#include "base/sort/runs.h"
#include "find/rule/find.h"
#include "store/open/query.h"
#include "store/open/store.h"

#define ROWS 600
#define SMALL_MEMORY 20000 /* about thirty rows are in memory, the others in files */
#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

__extension__ typedef __int128 wide;

extern struct simhash_error error;
extern struct simhash_tag_set *sample;
extern struct file_row rows[ROWS];
extern char names[ROWS][24];
extern bool found[ROWS][ROWS];	    /* the pairs that the last find_all found, in both directions */
extern wide distances[ROWS][ROWS];  /* set by store_with_rows */
extern const struct find_sink sink; /* records the results */
extern size_t repeated;		    /* pairs that were found more than once */

/* For cmocka_run_group_tests. */
int set_up(void **state);
int tear_down(void **state);

uint64_t random_below(uint64_t limit);

/* Name row i by its number, with a random extension, and set all values derived from others. */
void name_row(int i);
void complete_row(int i);

/*
 * Counts for a file of this size: up to `share` of it for each tag. The second function changes
 * some of them.
 */
void random_counts(struct file_row *row, uint64_t share);
void change_counts(struct file_row *row, uint64_t share);
/*
 * A sketch for a content of this size. The second function changes this number of registers, as an
 * edit does.
 */
void random_sketch(struct file_row *row);
void change_sketch(struct file_row *row, uint64_t changes);
void set_content(struct file_row *row, uint64_t number);

/* Make the sketch that of a text, with this size and hash of its normal form. */
void set_text(struct file_row *row, int64_t size, uint64_t hash);
/* The size of the text, or of another file. */
int64_t text_size(const struct file_row *row);

/* A new index with all rows. */
struct store *store_with_rows(void);

/* Search in this number of parts. Returns the numbers of rows and pairs found. */
struct find_counts find_all(struct store *store, struct find_request *request,
			    const struct find_resources *resources, unsigned parts);

/* Forget the pairs that were found. */
void find_anew(void);

int number_of(const struct find_file *file);

/* ---- The rule ---- */

wide apart(wide a, wide b);

/* Is x at most max(1, floor(T / 100 * twice / 2))? T is in millionths of a percent. */
bool within(wide x, wide tolerance, wide twice);

/* 0.05 % for .ps files if the rule has tolerances for extensions. */
int64_t tolerance_of(const struct find_rule *rule, const struct file_row *row);
bool same_extension(const struct file_row *x, const struct file_row *y);
/* Are these two names of one file, regardless of its number of links? */
bool is_name_of(int a, int b);

bool same_content(int a, int b);

#endif
