/*
 * Prints the sizes of the public structs and the offsets of their fields, in lines "STRUCT FIELD
 * OFFSET SIZE" and "STRUCT - - SIZE", for the test that compares them with python/simhash.
 * SPDX-License-Identifier: MIT
 */
#include <simhash_index.h>
#include <stddef.h>
#include <stdio.h>

#define STRUCT(type) printf(#type " - - %zu\n", sizeof(struct type))
#define FIELD(type, field)                                                  \
	printf(#type " " #field " %zu %zu\n", offsetof(struct type, field), \
	       sizeof(((struct type *)0)->field))

static void print_contents(void)
{
	STRUCT(simhash_error);
	FIELD(simhash_error, code);
	FIELD(simhash_error, system_errno);
	FIELD(simhash_error, reserved);
	FIELD(simhash_error, message);
	STRUCT(simhash_tag);
	FIELD(simhash_tag, pattern);
	FIELD(simhash_tag, uniform);
	FIELD(simhash_tag, scatter);
	FIELD(simhash_tag, skew);
	STRUCT(simhash_sum_table);
	FIELD(simhash_sum_table, count);
	STRUCT(simhash_scanner);
	FIELD(simhash_scanner, tag_set);
	FIELD(simhash_scanner, state);
	FIELD(simhash_scanner, table);
	FIELD(simhash_scanner, reserved);
	STRUCT(simhash_keys);
	FIELD(simhash_keys, key);
	STRUCT(simhash_tolerance);
	FIELD(simhash_tolerance, percent_millionths);
	FIELD(simhash_tolerance, size_ratio_millionths);
	FIELD(simhash_tolerance, reserved);
	STRUCT(simhash_resemblance_sketch);
	FIELD(simhash_resemblance_sketch, registers);
	FIELD(simhash_resemblance_sketch, text);
}

static void print_files(void)
{
	STRUCT(simhash_index_options);
	FIELD(simhash_index_options, tag_set);
	FIELD(simhash_index_options, host);
	FIELD(simhash_index_options, reserved);
	STRUCT(simhash_index_file);
	FIELD(simhash_index_file, host);
	FIELD(simhash_index_file, path);
	FIELD(simhash_index_file, path_size);
	FIELD(simhash_index_file, size_bytes);
	FIELD(simhash_index_file, compressed_size_bytes);
	FIELD(simhash_index_file, mtime_ns);
	FIELD(simhash_index_file, table);
	FIELD(simhash_index_file, keys);
	FIELD(simhash_index_file, content_hash);
	FIELD(simhash_index_file, has_sketch);
	FIELD(simhash_index_file, sketch);
}

static void print_searches(void)
{
	STRUCT(simhash_index_search);
	FIELD(simhash_index_search, key);
	FIELD(simhash_index_search, tolerance);
	FIELD(simhash_index_search, min_resemblance);
	FIELD(simhash_index_search, unverified);
	FIELD(simhash_index_search, every_copy);
	FIELD(simhash_index_search, empty_files);
	FIELD(simhash_index_search, hard_links);
	FIELD(simhash_index_search, threads);
	FIELD(simhash_index_search, reserved);
	STRUCT(simhash_index_pair);
	FIELD(simhash_index_pair, a);
	FIELD(simhash_index_pair, b);
	FIELD(simhash_index_pair, distance);
	FIELD(simhash_index_pair, resemblance);
	FIELD(simhash_index_pair, verified);
	FIELD(simhash_index_pair, is_identical);
	STRUCT(simhash_index_member);
	FIELD(simhash_index_member, file);
	FIELD(simhash_index_member, role);
	FIELD(simhash_index_member, distance);
	FIELD(simhash_index_member, resemblance);
	FIELD(simhash_index_member, verified);
	STRUCT(simhash_index_group);
	FIELD(simhash_index_group, id);
	FIELD(simhash_index_group, size_bytes);
	FIELD(simhash_index_group, copied_bytes);
	FIELD(simhash_index_group, count);
	FIELD(simhash_index_group, members);
}

int main(void)
{
	print_contents();
	print_files();
	print_searches();
	return 0;
}
