/*
 * What the tests of finding share: random rows, the index that holds them, the pairs found in it,
 * and the parts of the rule, from the words of the paper.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FIND_RANDOM_ROWS_H
#define TESTS_FIND_RANDOM_ROWS_H

/* These before the name `error` below: their functions have such an argument. */
#include "base/sort/runs.h"
#include "find/rule/find.h"
#include "store/open/query.h"
#include "store/open/store.h"

#define ROWS 600
#define SMALL_MEMORY 20000 /* some thirty rows of them wait in memory, the others in files */
#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

__extension__ typedef __int128 wide;

extern struct simhash_error error;
extern struct simhash_tag_set *sample;
extern struct file_row rows[ROWS];
extern char names[ROWS][24];
extern bool found[ROWS][ROWS];	    /* by the last find_all, both ways round */
extern wide distances[ROWS][ROWS];  /* since store_with_rows */
extern const struct find_sink sink; /* notes what is found */
extern size_t repeated;		    /* pairs found more than once */

/* For cmocka_run_group_tests. */
int set_up(void **state);
int tear_down(void **state);

uint64_t random_below(uint64_t limit);

/* Name row i after its number, with a random extension; and set what follows from all else. */
void name_row(int i);
void complete_row(int i);

/* Counts of a file of this size: up to `share` of it for each tag; and changes of some of them. */
void random_counts(struct file_row *row, uint64_t share);
void change_counts(struct file_row *row, uint64_t share);
/* A sketch of a content of this size; and so many registers of another value, as an edit makes them. */
void random_sketch(struct file_row *row);
void change_sketch(struct file_row *row, uint64_t changes);
void set_content(struct file_row *row, uint64_t number);

/* A new index of all rows. */
struct store *store_with_rows(void);

/* Find in so many parts; the number of rows and of pairs found. */
struct find_counts find_all(struct store *store, struct find_request *request,
			    const struct find_resources *resources, unsigned parts);

/* Forget what was found. */
void find_anew(void);

int number_of(const struct find_file *file);

/* ---- The rule ---- */

wide apart(wide a, wide b);

/* Does x not exceed max(1, floor(T / 100 * twice / 2))? T in millionths of a percent. */
bool within(wide x, wide tolerance, wide twice);

/* Of files .ps 0.05 %, if the rule has tolerances by extension. */
int64_t tolerance_of(const struct find_rule *rule, const struct file_row *row);
bool same_extension(const struct file_row *x, const struct file_row *y);
/* Are these two names of one file, whatever its link count? */
bool is_name_of(int a, int b);

bool same_content(int a, int b);

#endif
