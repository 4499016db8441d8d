/*
 * Parses the rules of --keep, and decides by these rules which of two copies to keep.
 * SPDX-License-Identifier: MIT
 */
#include <fnmatch.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "keep/keep.h"

static const struct rule_name {
	const char *name;
	enum keep_order order;
	bool has_text;
} names[] = {
	{"oldest", KEEP_OLDEST, false},
	{"newest", KEEP_NEWEST, false},
	{"shortest-path", KEEP_SHORTEST_PATH, false},
	{"longest-name", KEEP_LONGEST_NAME, false},
	{"in:", KEEP_IN, true},
	{"not-in:", KEEP_NOT_IN, true},
	{"match:", KEEP_MATCH, true},
};

int keep_rule_parse(const char *text, struct keep_rule *rule, struct simhash_error *error)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t size = strlen(names[i].name);
		if (names[i].has_text
			    ? strncmp(text, names[i].name, size) != 0 || text[size] == '\0'
			    : strcmp(text, names[i].name) != 0)
			continue;
		*rule = (struct keep_rule){names[i].order, text + size};
		return 0;
	}
	return error_set(error, SIMHASH_E_RANGE, "--keep '%s': expected " KEEP_RULE_EXPECTED, text);
}

static int compare_numbers(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int64_t name_size(const struct keep_file *file)
{
	return (int64_t)strlen(path_name(file->path));
}

/* Returns 0 if the rule matches and otherwise 1; 0 is better. */
static int misses(const struct keep_rule *rule, const struct keep_file *file)
{
	bool has_slash = strchr(rule->text, '/') != NULL;

	if (rule->order == KEEP_MATCH)
		return fnmatch(rule->text, has_slash ? file->path : path_name(file->path), 0) != 0;
	return path_is_at_or_below(bytes_of(file->path), bytes_of(rule->text)) !=
	       (rule->order == KEEP_IN);
}

static int compare_by(const struct keep_rule *rule, const struct keep_file *x,
		      const struct keep_file *y)
{
	switch (rule->order) {
	case KEEP_OLDEST:
		return compare_numbers(x->mtime_ns, y->mtime_ns);
	case KEEP_NEWEST:
		return compare_numbers(y->mtime_ns, x->mtime_ns);
	case KEEP_SHORTEST_PATH:
		return compare_numbers((int64_t)strlen(x->path), (int64_t)strlen(y->path));
	case KEEP_LONGEST_NAME:
		return compare_numbers(name_size(y), name_size(x));
	case KEEP_IN:
	case KEEP_NOT_IN:
	case KEEP_MATCH:
		return misses(rule, x) - misses(rule, y);
	}
	return 0;
}

int keep_rules_decide(const struct keep_policy *policy, const struct keep_file *x,
		      const struct keep_file *y)
{
	int order = 0;

	for (size_t i = 0; order == 0 && i < policy->rule_count; i++)
		order = compare_by(&policy->rules[i], x, y);
	return order;
}

bool keep_rule_matches(const struct keep_rule *rule, const struct keep_file *file)
{
	bool has_text = rule->order == KEEP_IN || rule->order == KEEP_NOT_IN ||
			rule->order == KEEP_MATCH;

	return !has_text || misses(rule, file) == 0;
}

/* If no rule decides, keep the shortest path: "x" before "x (copy)" and "x-old". */
int keep_rules_compare(const struct keep_policy *policy, const struct keep_file *x,
		       const struct keep_file *y)
{
	static const struct keep_rule shortest = {.order = KEEP_SHORTEST_PATH};
	int order = keep_rules_decide(policy, x, y);

	if (order == 0)
		order = compare_by(&shortest, x, y);
	return order != 0 ? order : strcmp(x->path, y->path);
}
