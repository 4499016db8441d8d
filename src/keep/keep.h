/*
 * Decides which copies are removed: makes a plan of acts from files with decisions, or from files
 * and rules. This room opens no files, so the code that acts must check that each file still is as
 * described.
 *
 *     keep_rule_parse("oldest", &policy.rules[policy.rule_count++], &error);
 *     status = plan_make(files, count, &policy, &plan, &error);
 *     for (size_t i = 0; i < plan.count; i++)
 *             act(&plan.acts[i]);
 *     plan_release(&plan);
 *
 * For each content, at least one file is either in no act or only moved. docs/apply.md describes
 * the rules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_KEEP_H
#define SIMHASH_KEEP_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

#define KEEP_HASH_SIZE 16
#define KEEP_SIZE_UNKNOWN (-1)

/* Temporary names of acts begin with this, followed by 16 hexadecimal digits. */
#define KEEP_TEMPORARY_PREFIX ".simkeep-"

enum decision {
	DECIDED_BY_RULES,
	DECIDED_GIVE_UP,
	DECIDED_KEEP /* if a path has two decisions, the later one in this list counts */
};

struct keep_file {
	const char *path; /* absolute, on this host */
	/* KEEP_SIZE_UNKNOWN: any size and any time */
	int64_t size_bytes, mtime_ns;
	/*
	 * For a member of an archive, or the content of a compressed file: the size of that file,
	 * whose time is mtime_ns. Otherwise 0. A member can be kept, but is in no act.
	 */
	int64_t archive_bytes;
	uint8_t hash[KEEP_HASH_SIZE]; /* the hash of its content */
	uint64_t device, inode;	      /* inode 0: unknown */
	enum decision decision;
	/* Set by plan_make: is the path protected, or another name of the file? */
	bool is_protected, has_protected_name;
	/* For tree_plan: an option excludes the file, so only its name counts. */
	bool is_excluded;
};

enum keep_action {
	ACTION_REPORT,
	ACTION_HARDLINK,
	ACTION_REFLINK,
	ACTION_DELETE,
	ACTION_MOVE,
	/*
	 * These are not planned: other acts entail them. A move to another file system is a copy and
	 * then a deletion; a damaged file is healed; the others act on directories.
	 */
	ACTION_MKDIR,
	ACTION_RMDIR,
	ACTION_COPY,
	ACTION_HEAL
};

enum keep_order {
	KEEP_OLDEST,
	KEEP_NEWEST,
	KEEP_SHORTEST_PATH,
	KEEP_LONGEST_NAME,
	KEEP_IN,
	KEEP_NOT_IN,
	KEEP_MATCH
};

struct keep_rule {
	enum keep_order order;
	const char *text; /* the directory or the pattern; it must stay valid */
};

#define KEEP_RULES_MAX 16
#define KEEP_RULE_EXPECTED \
	"oldest, newest, shortest-path, longest-name, in:DIR, not-in:DIR or match:GLOB"

/* Read a rule; `text` must stay valid. DIR must be absolute. */
int keep_rule_parse(const char *text, struct keep_rule *rule, struct simhash_error *error);

struct keep_policy {
	enum keep_action action;
	struct keep_rule rules[KEEP_RULES_MAX];
	size_t rule_count;
	const struct bytes *protected; /* absolute directories */
	size_t protected_count;
};

struct planned_act {
	const struct keep_file *file;
	/* A file with the same content; NULL: a file is moved without a copy. */
	const struct keep_file *kept;
	enum keep_action action;
	/*
	 * The new absolute path of a moved file, whose directories may be missing; NULL: derived
	 * from the directory of the action. For a deletion: NULL, or the file is another name (hard
	 * link) of `kept`, which an earlier act moves to this path on another file system. It must
	 * stay valid as long as the plan.
	 */
	const char *to;
};

/* A decision that is not carried out. */
struct planned_refusal {
	const struct keep_file *file;
	const char *why;
};

struct plan {
	/*
	 * Sorted by size in descending order, then by path. Acts that keep members of archives come
	 * last, sorted by archive first.
	 */
	struct planned_act *acts;
	size_t count;
	struct planned_refusal *refusals;
	size_t refusal_count;
	uint64_t protected_count; /* files that would be removed if they were not protected */
};

/*
 * Sorts `files`, to which the plan points. Removes files with a decision if a file with the same
 * content is kept. Of the files without a decision, it keeps the best one by the rules in their
 * order.
 */
int plan_make(struct keep_file *files, size_t count, const struct keep_policy *policy,
	      struct plan *plan, struct simhash_error *error);
void plan_release(struct plan *plan);

/*
 * Decide which of two files the rules keep. Negative: the first one; positive: the second one;
 * never 0 for different paths.
 */
int keep_rules_compare(const struct keep_policy *policy, const struct keep_file *x,
		       const struct keep_file *y);

/* The same, but 0 if no rule prefers one of the files. */
int keep_rules_decide(const struct keep_policy *policy, const struct keep_file *x,
		      const struct keep_file *y);

/* Does a file match a rule with a directory or a pattern? All files match the other rules. */
bool keep_rule_matches(const struct keep_rule *rule, const struct keep_file *file);

/*
 * Is a path at or below a directory that belongs to version control, a build or a package manager,
 * such as .git or node_modules? Files in an archive do not count.
 */
bool keep_is_in_tool_tree(struct bytes path);

/*
 * Return the directory that has the first version control directory of a path: "/p" for
 * "/p/.git/HEAD". NULL and 0: the path has none, or it is in an archive.
 */
struct bytes keep_work_tree(struct bytes path);

/* Is this the name of a file that an interrupted act left? Undo needs it. */
bool keep_is_left_over(const char *path);

/* Is a path at or below a protected directory? */
bool keep_is_protected(const struct keep_policy *policy, const char *path);

#endif
