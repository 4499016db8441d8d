/*
 * Declares libsimhash, which detects similar files by hashes.
 *
 * The library implements C. Sadowski and G. Levin, "SimHash: Hash-based Similarity Detection", UC
 * Santa Cruz, 2007 ("the paper"). This header has the paper's algorithm: from bytes to a sum table,
 * from a sum table to keys, and the rule for similar files. simhash_measures.h declares other
 * measures of similarity in the same library. simhash_index.h declares a separate library,
 * libsimhash-index, which reads the index of the program simhash.
 *
 *     struct simhash_tag_set *tags;
 *     struct simhash_scanner scanner;
 *     struct simhash_sum_table table;
 *     struct simhash_keys keys;
 *     struct simhash_error error;
 *     char bytes[65536];
 *     size_t size;
 *
 *     if (simhash_tag_set_new_default(&tags, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_scanner_init(&scanner, tags);
 *     while ((size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
 *             simhash_scanner_update(&scanner, bytes, size);
 *     simhash_scanner_finish(&scanner, &table);
 *     simhash_keys_compute(tags, &table, "report.txt", strlen("report.txt"), &keys);
 *     printf("%" PRId64 "\n", keys.key[SIMHASH_SKEW_EXT]);
 *     simhash_tag_set_free(tags);
 *
 * Conventions.
 *
 * Errors. A function that can fail returns 0 or -1. On -1 it fills the caller's struct
 * simhash_error, unless that pointer is NULL. If it should have made an object, it stores NULL.
 * No function prints or exits.
 *
 * Files. simhash_tag_set_read and simhash_weights_read read the file that the caller names. All
 * other functions use only memory.
 *
 * Ownership. The caller owns the objects of functions with "_new", "_read" or "_parse" in their
 * names, and frees each with the "_free" function of its type, which accepts NULL. The library owns
 * returned texts.
 *
 * Threads. Tag sets, weights and measures never change after they are made, and any number of
 * threads may share them. Any other object belongs to one thread at a time. The only global state
 * is the choice of the scan kernel.
 *
 * Reserved fields leave room for later versions. Set them to 0 in a struct that the caller fills.
 * They are 0 in a struct that the library fills.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_H
#define SIMHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define SIMHASH_VERSION "1.0.0"
#define SIMHASH_VERSION_MAJOR 1
#define SIMHASH_VERSION_MINOR 0
#define SIMHASH_VERSION_PATCH 0

#if defined(__GNUC__)
#define SIMHASH_API __attribute__((visibility("default")))
/* Marks functions whose result must be checked: compilers warn if a caller ignores it. */
#define SIMHASH_CHECKED SIMHASH_API __attribute__((warn_unused_result))
#else
#define SIMHASH_API
#define SIMHASH_CHECKED
#endif

/* Return the version of the library at run time, a static string. */
SIMHASH_API const char *simhash_version(void);

/* The number of tags in a tag set (paper, 4.1). */
#define SIMHASH_TAGS 16

/* ---- Errors ---------------------------------------------------------- */

enum simhash_error_code {
	SIMHASH_E_NONE = 0,
	SIMHASH_E_MEMORY = 1, /* an allocation failed */
	SIMHASH_E_SYSTEM = 2, /* a system call failed; see system_errno */
	SIMHASH_E_SYNTAX = 3, /* text that does not have the expected form */
	SIMHASH_E_RANGE = 4   /* a value outside the accepted range */
};

/*
 * The description of an error. The function that fails fills it. A function that succeeds may
 * change it. The message is one line without a newline. It names the file or table byte for byte,
 * so escape it before you write it to a terminal. A message that does not fit has "..." in its
 * middle: its beginning names the operation, and its end gives the reason.
 */
struct simhash_error {
	int code;	  /* a value of enum simhash_error_code, or of simhash_index.h */
	int system_errno; /* errno if the code is SIMHASH_E_SYSTEM, else 0 */
	uint64_t reserved[3];
	char message[1024];
};

/* ---- Tag sets (paper, 4.1 and 5.1) ----------------------------------- */

/* The maximum length of a tag set's name, in bytes, without the terminating zero. */
#define SIMHASH_TAG_SET_NAME_MAX 64

/* The maximum weight, in thousandths. */
#define SIMHASH_WEIGHT_MAX 1000000

/* One 8-bit pattern and its weight in each of the three keys. */
struct simhash_tag {
	uint8_t pattern;
	/* Weights in thousandths, 0 to SIMHASH_WEIGHT_MAX. */
	uint32_t uniform;
	uint32_t scatter;
	uint32_t skew;
};

/* 16 distinct tags, prepared for scanning. */
struct simhash_tag_set;

/*
 * Make a tag set of 16 distinct patterns. `name` has 1 to SIMHASH_TAG_SET_NAME_MAX letters, digits,
 * '.', '_' and '-'. `name` and `tags` are copied. On success the caller owns *set and frees it.
 * Errors: SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_tag_set_new(const char *name,
					const struct simhash_tag tags[SIMHASH_TAGS],
					struct simhash_tag_set **set, struct simhash_error *error);

/* Make the set "sample", the authors' published tag file. Error: SIMHASH_E_MEMORY. */
SIMHASH_CHECKED int simhash_tag_set_new_default(struct simhash_tag_set **set,
						struct simhash_error *error);

/*
 * Make a tag set from text. Each line has a tag: two hexadecimal digits, the Scatter weight and the
 * Skew weight, which are decimals with at most three places. The Uniform weight is always 1. '#'
 * starts a comment. A line "name NAME" names the set; the default is the name of the file without
 * its extension. `file_name` is used for this default and for messages, which have the form
 * "FILE:LINE:COLUMN: ...". Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_tag_set_parse(const char *text, size_t size_bytes,
					  const char *file_name, struct simhash_tag_set **set,
					  struct simhash_error *error);

/*
 * Make a tag set from a file of at most 64 KiB, in UTF-8, or in UTF-16 with a byte-order mark.
 * Errors: the errors of simhash_tag_set_parse, and SIMHASH_E_SYSTEM.
 */
SIMHASH_CHECKED int simhash_tag_set_read(const char *path, struct simhash_tag_set **set,
					 struct simhash_error *error);

SIMHASH_API void simhash_tag_set_free(struct simhash_tag_set *set);

/* Return the name and the 16 tags. Both live as long as the set. */
SIMHASH_API const char *simhash_tag_set_name(const struct simhash_tag_set *set);
SIMHASH_API const struct simhash_tag *simhash_tag_set_tags(const struct simhash_tag_set *set);

/* ---- The scan: bytes to a sum table (paper, 4.1) --------------------- */

/* The number of times that each tag was counted. No count exceeds the number of bytes scanned. */
struct simhash_sum_table {
	uint64_t count[SIMHASH_TAGS];
};

/* Count the tags in `size_bytes` bytes of memory, most significant bit first. */
SIMHASH_API void simhash_sum_table_compute(const struct simhash_tag_set *tag_set, const void *bytes,
					   size_t size_bytes, struct simhash_sum_table *table);

/*
 * A scan in progress. The caller provides the memory. The scanner owns nothing and needs no
 * release. The tag set must outlive it. The fields belong to the library.
 */
struct simhash_scanner {
	const struct simhash_tag_set *tag_set;
	uint64_t state[2];
	struct simhash_sum_table table;
	uint64_t reserved[4];
};

/* Begin a scan: no bytes seen, all counts 0. */
SIMHASH_API void simhash_scanner_init(struct simhash_scanner *scanner,
				      const struct simhash_tag_set *tag_set);

/*
 * Scan the next `size_bytes` bytes. The result does not depend on how a stream is cut into calls.
 */
SIMHASH_API void simhash_scanner_update(struct simhash_scanner *scanner, const void *bytes,
					size_t size_bytes);

/* Store the sum table of all bytes so far. The scan can continue afterwards. */
SIMHASH_API void simhash_scanner_finish(const struct simhash_scanner *scanner,
					struct simhash_sum_table *table);

/*
 * Select a scan kernel by name: "portable", or, if the processor supports it, "avx2", "avx512",
 * "avx512vbmi" or "neon". All kernels give the same sum tables. The default is the fastest kernel
 * that this machine supports. The selection applies to the whole process. Any thread may call this
 * at any time, even while others scan. Error: SIMHASH_E_RANGE; its message has the names that this
 * machine supports.
 */
SIMHASH_CHECKED int simhash_kernel_select(const char *name, struct simhash_error *error);

/* Return the name of the scan kernel in use, a static string. */
SIMHASH_API const char *simhash_kernel_name(void);

/* ---- Keys (paper, 4.1 and 5.1) --------------------------------------- */

enum simhash_key {
	SIMHASH_UNIFORM,
	SIMHASH_SCATTER,
	SIMHASH_SKEW,
	SIMHASH_UNIFORM_EXT, /* the _EXT keys are shifted by the extension of the name */
	SIMHASH_SCATTER_EXT,
	SIMHASH_SKEW_EXT, /* the default key */
	SIMHASH_KEYS
};

struct simhash_keys {
	int64_t key[SIMHASH_KEYS]; /* indexed by enum simhash_key, none negative */
};

/* Return "uniform", "scatter", "skew", "uniform_ext", ...; NULL outside the enum. */
SIMHASH_API const char *simhash_key_name(enum simhash_key key);

/* Find a key by its name. Error: SIMHASH_E_RANGE; its message has the expected names. */
SIMHASH_CHECKED int simhash_key_parse(const char *name, enum simhash_key *key,
				      struct simhash_error *error);

/*
 * Compute the six keys of a sum table. A key is the sum over the tags of floor(count * weight),
 * plain and shifted by the extension of the file name. `name` has `name_length` bytes and no
 * directory. A sum above INT64_MAX (over a petabyte of tag hits) becomes INT64_MAX.
 */
SIMHASH_API void simhash_keys_compute(const struct simhash_tag_set *tag_set,
				      const struct simhash_sum_table *table, const char *name,
				      size_t name_length, struct simhash_keys *keys);

/*
 * Return the number of bytes in the extension of a file name, and point *extension to it in `name`.
 * The extension consists of the bytes after the last dot, unless the dot is the first byte. 0: no
 * extension.
 */
SIMHASH_API size_t simhash_extension(const char *name, size_t name_length, const char **extension);

/*
 * Return the hash that shifts the keys of a file name (paper, 5.1): the CRC-32 of the first three
 * bytes of the extension, with ASCII letters in lower case. 0: no extension.
 */
SIMHASH_API uint32_t simhash_extension_hash(const char *name, size_t name_length);

/* ---- Similar files (paper, 4.2) -------------------------------------- */

/* Tolerances and ratios are exact decimals, stored in millionths. */
#define SIMHASH_MILLION INT64_C(1000000)

/* How close two files must be. */
struct simhash_tolerance {
	int64_t percent_millionths;    /* 0 to 100 million, for 0 to 100 percent */
	int64_t size_ratio_millionths; /* at least a million, for a ratio of 1 */
	int64_t reserved[2];
};

/* The default: 1 percent, and sizes that differ by a factor of at most 1.5. */
#define SIMHASH_TOLERANCE_DEFAULT                             \
	{                                                     \
		1 * SIMHASH_MILLION, 3 * SIMHASH_MILLION / 2, \
		{                                             \
			0, 0                                  \
		}                                             \
	}

/*
 * Make a tolerance of `percent`, 0 to 100, rounded to millionths, with the default size ratio.
 * Error: SIMHASH_E_RANGE.
 */
SIMHASH_CHECKED int simhash_tolerance_from_percent(double percent,
						   struct simhash_tolerance *tolerance,
						   struct simhash_error *error);

/*
 * Read a tolerance in percent, 0 to 100 with at most six decimal places and perhaps a %, or a size
 * ratio, 1 to 1000000 with at most six decimal places, without rounding.
 * Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE.
 */
SIMHASH_CHECKED int simhash_tolerance_parse(const char *text, int64_t *percent_millionths,
					    struct simhash_error *error);
SIMHASH_CHECKED int simhash_size_ratio_parse(const char *text, int64_t *ratio_millionths,
					     struct simhash_error *error);

/*
 * The two values of a file that step 1 compares: one of its keys, and its size. Neither is
 * negative.
 */
struct simhash_file {
	int64_t key;
	int64_t size_bytes;
};

/*
 * Step 1, key hit: |a's key - b's key| <= max(1, floor(T/100 * the larger size)). simhash_key_reach
 * returns the right side, for searches of key ranges.
 */
SIMHASH_API bool simhash_key_hit(const struct simhash_tolerance *tolerance,
				 const struct simhash_file *a, const struct simhash_file *b);
SIMHASH_API int64_t simhash_key_reach(const struct simhash_tolerance *tolerance,
				      int64_t larger_size_bytes);

/* Step 2: true if neither size is more than the size ratio times the other. */
SIMHASH_API bool simhash_sizes_agree(const struct simhash_tolerance *tolerance,
				     int64_t size_a_bytes, int64_t size_b_bytes);

/* Return the maximum size that agrees with `size_bytes`. */
SIMHASH_API int64_t simhash_largest_partner(const struct simhash_tolerance *tolerance,
					    int64_t size_bytes);

/*
 * Step 3, sum-table hit: distance <= max(1, floor(T/100 * the mean of the sizes)). `distance` is
 * the distance of the two sum tables, from simhash_distance.
 */
SIMHASH_API bool simhash_sum_table_hit(const struct simhash_tolerance *tolerance, uint64_t distance,
				       int64_t size_a_bytes, int64_t size_b_bytes);

/* Return the sum over the tags of |a - b|, at most UINT64_MAX. */
SIMHASH_API uint64_t simhash_distance(const struct simhash_sum_table *a,
				      const struct simhash_sum_table *b);

#ifdef __cplusplus
}
#endif
#endif
