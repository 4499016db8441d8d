/*
 * Orders the files of a group by age: builds trees in which the parent of a content is probably its
 * earlier version. It uses the sketches, names, times and sizes. docs/algorithm.md describes the
 * rule.
 *
 *     lineage_make(&group, members, &lineage, &error);
 *     for (size_t v = 0; v < lineage.count; v++)
 *             // lineage.versions[v]; its parent comes before it, if it has one
 *     lineage_release(&lineage);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_LINEAGE_H
#define SIMHASH_FIND_LINEAGE_H

#include "find/groups/groups.h"
#include "find/lineage/version_paths.h"

#define NO_PARENT SIZE_MAX

/* Reasons why one version is earlier than another. */
enum lineage_reason {
	REASON_VERSION,	 /* a number in the names */
	REASON_ROTATION, /* the name of one is the name of a rotated log */
	REASON_BACKUP,	 /* one name is the name of a backup */
	REASON_COPY,	 /* one name is the name of a copy */
	REASON_REVISION, /* how often a document was saved, as it says itself */
	REASON_TIME,
	REASON_SIZE, /* files grow */
	REASONS
};

/*
 * Evidence that the first version is the earlier one, or evidence against it if negative: 100 times
 * the logarithm of the odds.
 */
struct lineage_evidence {
	int of[REASONS];
};

int lineage_evidence_sum(const struct lineage_evidence *evidence);

/* Only the first names of a version are compared. */
#define LINEAGE_NAMES_MAX 4

struct lineage_version {
	const struct find_file *const *files; /* identical files; the first one represents them */
	size_t file_count;
	const struct version_path *paths; /* of the first files: see lineage_names */
	int64_t mtime_ns;		  /* the time of the oldest file */
	size_t parent;			  /* its index, or NO_PARENT */
	unsigned depth;
	/* If it has a parent: */
	struct file_pair pair; /* the pair of this version and its parent, which is b */
	struct lineage_evidence evidence;
	double relation;   /* the confidence that the two are versions of one file: 0 to 1 */
	double order;	   /* the confidence that the parent is the earlier one: 0 to 1 */
	double confidence; /* the confidence in both */
	bool is_last_child;
	int names_percent, time_percent; /* how far names and times are trusted */
};

static inline size_t lineage_names(const struct lineage_version *version)
{
	return version->file_count < LINEAGE_NAMES_MAX ? version->file_count : LINEAGE_NAMES_MAX;
}

/* Below the first, two files are strangers. At the second, nothing is against their relation, but too
 * little is for it. */
#define LINEAGE_RELATED 0.5
#define LINEAGE_DOUBTFUL 0.6

/* Is it clear that the parent is an earlier version? */
#define LINEAGE_CLEAR 0.75

static inline bool lineage_is_clear(const struct lineage_version *version)
{
	return version->order >= LINEAGE_CLEAR && version->relation > LINEAGE_DOUBTFUL;
}

/*
 * The trees of a group, one after another. Each begins with its first version, which has no parent,
 * and has at least two versions. Files that are no versions of another file are left out. The child
 * with the most descendants is the last child of a version.
 */
struct lineage {
	struct lineage_version *versions;
	size_t count;
	const struct find_file **files; /* the files of all versions */
	struct version_path *paths;
	uint8_t *meanings; /* for the paths */
};

int lineage_make(const struct group *group, const struct group_member *members,
		 struct lineage *lineage, struct simhash_error *error);
void lineage_release(struct lineage *lineage);

/* Take the versions from a group, in the order of `uniform`. They have no parents. */
int lineage_take_versions(const struct group *group, const struct group_member *members,
			  struct lineage *lineage, struct simhash_error *error);

/* The end of the tree that begins at this version. */
size_t lineage_tree_end(const struct lineage *lineage, size_t begin);

/* The difference between two contents, from 0 to this. */
#define LINEAGE_DIFFERENCE_MAX 1000000
int64_t lineage_difference(const struct find_file *x, const struct find_file *y);

/*
 * Compare the names of two versions: the first names that give evidence decide the order, and the
 * names that are most alike decide the relation.
 */
struct paths_comparison lineage_compare_names(const struct lineage_version *x,
					      const struct lineage_version *y);

/* Does this reason belong to a time, and not to names or sizes? */
static inline bool is_reason_of_time(int reason)
{
	return reason == REASON_REVISION || reason == REASON_TIME;
}

/* The evidence that x is earlier than y. */
struct lineage_evidence lineage_compare(const struct lineage_version *x,
					const struct lineage_version *y, struct name_order names);

/*
 * The confidence that two files of a group are versions of one file, from 0 to 1. `third` is the
 * file nearest to either of them, or NULL. Below LINEAGE_RELATED they are strangers.
 */
double lineage_relation(const struct lineage_version *x, const struct lineage_version *y,
			enum names_relation names, const struct lineage_version *third);

/*
 * Raise the relations of a tree that are in doubt, or remove the edges, if the whole tree shows what
 * is right. The versions must be in order, and are not afterwards.
 */
int lineage_settle_doubts(struct lineage *lineage, struct simhash_error *error);

/*
 * Reduce the evidence for two versions that are next to each other, but whose names are not names of
 * versions of one file: such files may have no order.
 */
void lineage_doubt(struct lineage_evidence *evidence);

/*
 * Put the versions in order and remove those without a relative. `parent` must be set; it is changed
 * to the new numbers.
 */
int lineage_put_in_order(struct lineage *lineage, struct simhash_error *error);

/*
 * Set the relation of each version to its parent and the confidence in it. `parent` and the trust
 * must be set.
 */
int lineage_find_confidence(struct lineage *lineage, struct simhash_error *error);

/* From times or sizes alone. */
int lineage_evidence_of_time(int64_t x_ns, int64_t y_ns);
int lineage_evidence_of_size(int64_t x, int64_t y);

#endif
