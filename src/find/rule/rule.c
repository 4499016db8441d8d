/*
 * Decides whether two files are a pair (paper, 4.2), with tolerances for extensions. join.c,
 * queried_rows.c and sketch_join.c search for candidates.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/read_file.h"
#include "find/rule/near.h"

#define TOLERANCES_MAX (1 << 20) /* the largest file of tolerances, in bytes */

__extension__ typedef unsigned __int128 wide;

void rule_init(struct find_rule *rule, enum simhash_key key,
	       const struct simhash_tolerance *tolerance)
{
	*rule = (struct find_rule){.key = key,
				   .tolerance = *tolerance,
				   .verify = {.min_resemblance = GRADED},
				   .unverified_percent_millionths = INT64_MAX};
}

void rule_release(struct find_rule *rule)
{
	for (uint32_t i = 0; i < rule->extension_count; i++)
		free(rule->extensions[i].extension);
	free(rule->extensions);
	free(rule->verify.common);
	rule->extensions = NULL;
	rule->verify.common = NULL;
	rule->extension_count = 0;
	rule->extension_capacity = 0;
}

static struct extension_tolerance *find_extension(const struct find_rule *rule,
						  const char *extension, size_t size)
{
	for (uint32_t i = 0; i < rule->extension_count; i++) {
		struct extension_tolerance *known = &rule->extensions[i];
		size_t same = 0;
		if (known->size != size)
			continue;
		while (same < size && known->extension[same] == ascii_lower(extension[same]))
			same++;
		if (same == size)
			return known;
	}
	return NULL;
}

static int add_extension(struct find_rule *rule, const char *extension, size_t size,
			 int64_t percent_millionths, struct simhash_error *error)
{
	char *copy;

	if (array_reserve(&rule->extensions, &rule->extension_capacity, rule->extension_count + 1u,
			  sizeof *rule->extensions, error) != 0)
		return -1;
	copy = malloc(size + 1);
	if (copy == NULL)
		return error_set_memory(error);
	ascii_lower_copy(copy, extension, size);
	rule->extensions[rule->extension_count++] =
		(struct extension_tolerance){copy, size, percent_millionths};
	return 0;
}

int rule_add_tolerance(struct find_rule *rule, const char *text, struct simhash_error *error)
{
	const char *equals = strrchr(text, '=');
	const char *extension = text[0] == '.' ? text + 1 : text;
	struct extension_tolerance *known;
	int64_t percent;
	size_t size;

	if (equals == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "tolerance '%s': expected EXTENSION=PERCENT, such as ps=0.05",
				 text);
	if (simhash_tolerance_parse(equals + 1, &percent, error) != 0)
		return -1;
	size = extension > equals ? 0 : (size_t)(equals - extension);
	known = find_extension(rule, extension, size);
	if (known == NULL)
		return add_extension(rule, extension, size, percent, error);
	known->percent_millionths = percent;
	return 0;
}

/* Returns the line without its '#' comment and without spaces around it. */
static char *trim(char *line, size_t size)
{
	line[size] = '\0';
	size = strcspn(line, "#");
	while (size > 0 && strchr(" \t\r", line[size - 1]) != NULL)
		size--;
	line[size] = '\0';
	return line + strspn(line, " \t");
}

int rule_read_tolerances(struct find_rule *rule, const char *path, struct simhash_error *error)
{
	struct simhash_error what;
	char *bytes;
	size_t size;
	int status = read_text_file(path, TOLERANCES_MAX, &bytes, &size, error), number = 0,
	    found = 0;

	if (status != 0)
		return -1;
	for (char *line = bytes, *end; status == 0 && line < bytes + size; line = end + 1) {
		char *text;
		end = line + strcspn(line, "\n");
		text = trim(line, (size_t)(end - line));
		number++;
		found += text[0] != '\0';
		if (text[0] != '\0' && rule_add_tolerance(rule, text, &what) != 0)
			status = error_set(error, what.code, "%s:%d: %s", path, number,
					   what.message);
	}
	free(bytes);
	if (status == 0 && found == 0 && size > 0)
		status = error_set(error, SIMHASH_E_SYNTAX,
				   "%s has no tolerance; expected a line such as ps=0.05", path);
	return status;
}

uint32_t rule_tolerance_of(const struct find_rule *rule, struct bytes name)
{
	const struct extension_tolerance *known;
	const char *extension;
	size_t size;

	if (rule->extension_count == 0)
		return 0;
	size = simhash_extension(name.data, name.size, &extension);
	known = find_extension(rule, extension, size);
	return known == NULL ? 0 : (uint32_t)(known - rule->extensions) + 1;
}

static struct simhash_tolerance tolerance_number(const struct find_rule *rule, uint32_t number)
{
	struct simhash_tolerance tolerance = rule->tolerance;

	if (number > 0)
		tolerance.percent_millionths = rule->extensions[number - 1].percent_millionths;
	return tolerance;
}

/* floor((s + partner) / 2) may lose a half; the sum of the reach of both halves does not. */
static int64_t reach_of(const struct simhash_tolerance *tolerance, int64_t size_bytes,
			int64_t largest)
{
	int64_t partner = simhash_largest_partner(tolerance, size_bytes);
	int64_t mean, larger;

	if (largest < partner)
		partner = largest;
	larger = partner > size_bytes ? partner : size_bytes;
	mean = size_bytes / 2 + partner / 2 + 1;
	return simhash_key_reach(tolerance, mean < larger ? mean : larger);
}

/* Is the tolerance smaller for a pair that nothing verifies? */
static bool is_limited(const struct find_rule *rule, int64_t percent_millionths)
{
	return rule->verify.mode != VERIFY_NO && rule->verify.mode != VERIFY_ALL &&
	       percent_millionths > rule->unverified_percent_millionths;
}

static int64_t reach_to(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
			int64_t size_bytes, int64_t largest)
{
	struct simhash_tolerance t = tolerance_number(rule, tolerance);

	if (!has_sketch && is_limited(rule, t.percent_millionths))
		t.percent_millionths = rule->unverified_percent_millionths;
	return reach_of(&t, size_bytes, largest);
}

int64_t rule_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
		   int64_t size_bytes)
{
	return reach_to(rule, tolerance, has_sketch, size_bytes, INT64_MAX);
}

int64_t rule_reach_to(const struct find_rule *rule, const struct find_file *file, int64_t largest)
{
	return reach_to(rule, file->tolerance, file->has_sketch, file->size_bytes, largest);
}

int64_t rule_end_reach(const struct find_rule *rule, const struct find_file *file)
{
	int64_t by_counts = rule_reach(rule, file->tolerance, file->has_sketch, file->size_bytes),
		by_keys = 0;

	if (file->has_sketch && verify_proposes(&rule->verify))
		by_keys = verify_reach_by_keys(&rule->verify, file->uniform);
	return by_keys > by_counts ? by_keys : by_counts;
}

int64_t rule_swept_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
			 int64_t size_bytes)
{
	struct simhash_tolerance t = tolerance_number(rule, tolerance);

	if (!has_sketch || !verify_sweeps_less(&rule->verify) ||
	    t.percent_millionths <= SWEPT_PERCENT * SIMHASH_MILLION)
		return rule_reach(rule, tolerance, has_sketch, size_bytes);
	t.percent_millionths = SWEPT_PERCENT * SIMHASH_MILLION;
	return reach_of(&t, size_bytes, INT64_MAX);
}

unsigned rule_power(const struct find_rule *rule, const struct find_file *file, bool all_sketched)
{
	return all_sketched && verify_is_by_keys(&rule->verify, file) ? 0
								      : power_of(file->swept_reach);
}

void rule_slope(const struct find_rule *rule, int64_t *up, int64_t *down)
{
	/* T/100 * (1 + ratio) / 2, both in millionths, as a fraction. */
	wide over = (wide)(100 * SIMHASH_MILLION) * 2 * SIMHASH_MILLION, slope;
	int64_t percent = rule->tolerance.percent_millionths;

	for (uint32_t i = 0; i < rule->extension_count; i++)
		if (rule->extensions[i].percent_millionths > percent)
			percent = rule->extensions[i].percent_millionths;
	slope = (wide)percent * (wide)(SIMHASH_MILLION + rule->tolerance.size_ratio_millionths);
	*up = slope <= over ? 1 : (int64_t)((slope + over - 1) / over);
	*down = slope > over ? 1 : slope == 0 ? INT64_MAX : (int64_t)(over / slope);
}

bool rule_is_by_extension(const struct find_rule *rule)
{
	return rule->verify.mode == VERIFY_NO && rule->candidates == CANDIDATES_EXACT &&
	       rule->key >= SIMHASH_UNIFORM_EXT;
}

bool rule_allows(const struct find_rule *rule, const struct find_file *x, const struct find_file *y)
{
	return simhash_sizes_agree(&rule->tolerance, x->size_bytes, y->size_bytes) &&
	       ((!rule_is_by_extension(rule) && !rule->verify.same_extension) ||
		x->extension_hash == y->extension_hash);
}

/* Returns the smaller of the two tolerances. */
static struct simhash_tolerance tolerance_of_pair(const struct find_rule *rule,
						  const struct find_file *x,
						  const struct find_file *y)
{
	struct simhash_tolerance tolerance = tolerance_number(rule, x->tolerance), other;

	if (x->tolerance == y->tolerance)
		return tolerance;
	other = tolerance_number(rule, y->tolerance);
	return other.percent_millionths < tolerance.percent_millionths ? other : tolerance;
}

bool rule_is_swept(const struct find_rule *rule, const struct find_file *x,
		   const struct find_file *y, uint64_t distance)
{
	struct simhash_tolerance tolerance = tolerance_of_pair(rule, x, y);

	if (verify_sweeps_less(&rule->verify) &&
	    tolerance.percent_millionths > SWEPT_PERCENT * SIMHASH_MILLION)
		tolerance.percent_millionths = SWEPT_PERCENT * SIMHASH_MILLION;
	return simhash_sizes_agree(&tolerance, x->size_bytes, y->size_bytes) &&
	       simhash_sum_table_hit(&tolerance, distance, x->size_bytes, y->size_bytes);
}

bool rule_matches_by_counts(const struct find_rule *rule, const struct find_file *x,
			    const struct find_file *y, struct relation *relation)
{
	struct simhash_tolerance tolerance = tolerance_of_pair(rule, x, y);
	bool verifies = rule->verify.mode != VERIFY_NO;

	if (verifies && are_identical(x, y)) {
		relation->distance = 0;
		return true;
	}
	if (!rule_allows(rule, x, y))
		return false;
	if (rule->candidates == CANDIDATES_KEY &&
	    !simhash_key_hit(&tolerance, &(struct simhash_file){x->key, x->size_bytes},
			     &(struct simhash_file){y->key, y->size_bytes}))
		return false;
	relation->distance = simhash_distance(&x->table, &y->table);
	if (!simhash_sum_table_hit(&tolerance, relation->distance, x->size_bytes, y->size_bytes))
		return false;
	if (!verifies)
		return true;
	if (x->is_wide != y->is_wide)
		return false; /* the sweep does not bring them together */
	if (is_limited(rule, tolerance.percent_millionths))
		tolerance.percent_millionths = rule->unverified_percent_millionths;
	return verify_by_sketches(&rule->verify, &tolerance, x, y, relation);
}

bool rule_matches(const struct find_rule *rule, const struct find_file *x,
		  const struct find_file *y, struct relation *relation)
{
	relation->verification = PAIR_UNVERIFIED;
	relation->shares_key = false;
	return rule_matches_by_counts(rule, x, y, relation) ||
	       verify_by_keys(&rule->verify, true, x, y, relation);
}
