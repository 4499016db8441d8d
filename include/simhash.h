/*
 * simhash: hash-based similarity detection of files.
 *
 * The system of C. Sadowski and G. Levin, "SimHash: Hash-based Similarity
 * Detection", UC Santa Cruz, 2007 ("the paper"). This header is the whole of
 * the public library: from bytes to a sum table, from a sum table to keys,
 * and the distances by which files are called similar. It knows nothing of
 * files, directories or databases.
 *
 *     struct simhash_tag_set *tags;
 *     struct simhash_scanner scanner;
 *     struct simhash_sum_table table;
 *     struct simhash_keys keys;
 *     struct simhash_error error;
 *
 *     if (simhash_tag_set_new_default(&tags, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_scanner_init(&scanner, tags);
 *     simhash_scanner_update(&scanner, bytes, size);     // any number of times
 *     simhash_scanner_finish(&scanner, &table);
 *     simhash_keys_compute(tags, &table, "report.txt", 10, &keys);
 *     simhash_tag_set_free(tags);
 *
 * Conventions. A function that can fail returns 0 or -1 and fills the
 * caller's struct simhash_error; nothing here prints, exits or keeps global
 * state, but for the choice of the scan kernel. Objects made by `_new` are freed by `_free`, which takes NULL too.
 * A tag set never changes after it is made and may be shared by any number of
 * threads; everything else belongs to one thread at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_H
#define SIMHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMHASH_VERSION "0.1.0"

#if defined(__GNUC__)
#define SIMHASH_API __attribute__((visibility("default")))
#else
#define SIMHASH_API
#endif

/* The number of tags in a tag set (paper, 4.1). */
#define SIMHASH_TAGS 16

/* ---- Errors ---------------------------------------------------------- */

enum simhash_error_code {
	SIMHASH_E_NONE = 0,
	SIMHASH_E_MEMORY,    /* an allocation failed */
	SIMHASH_E_SYSTEM,    /* a system call failed; see system_errno */
	SIMHASH_E_SYNTAX,    /* text that does not have the expected form */
	SIMHASH_E_RANGE,     /* a value outside what is accepted */
	SIMHASH_E_DATABASE,  /* the database said no */
	SIMHASH_E_DUPLICATE, /* a row of that primary or unique key is there */
	SIMHASH_E_RETRY,     /* lock wait or deadlock: the same again may work */
	SIMHASH_E_SCHEMA,    /* a database that is not an index of ours */
	SIMHASH_E_STOPPED,   /* the caller asked to stop */
	SIMHASH_E_CONNECTION /* a server cannot be reached, or is gone */
};

/*
 * What went wrong, filled by the function that failed. The message is one
 * line without a newline; it names the file or table concerned, byte for
 * byte, so escape it before it reaches a terminal. A message that does not
 * fit ends in "...".
 */
struct simhash_error {
	enum simhash_error_code code;
	int system_errno; /* errno as it was, or 0 */
	char message[4608];
};

/* ---- Tag sets (paper, 4.1 and 5.1) ----------------------------------- */

/* The longest name of a tag set, in bytes, without the terminating zero. */
#define SIMHASH_TAG_SET_NAME_MAX 64

/* The largest weight, in thousandths. */
#define SIMHASH_WEIGHT_MAX 1000000

/* One 8-bit pattern and its weight in each of the three keys. */
struct simhash_tag {
	uint8_t pattern;
	/* Weights in thousandths, 0 .. SIMHASH_WEIGHT_MAX. */
	uint32_t uniform;
	uint32_t scatter;
	uint32_t skew;
};

/* 16 distinct tags, prepared for scanning. */
struct simhash_tag_set;

/*
 * Make a tag set of 16 distinct patterns. `name` has 1 to
 * SIMHASH_TAG_SET_NAME_MAX letters, digits, '.', '_' and '-'; it and `tags`
 * are copied. On success *set is the caller's to free.
 * Errors: SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_API int simhash_tag_set_new(const char *name, const struct simhash_tag tags[SIMHASH_TAGS],
				    struct simhash_tag_set **set, struct simhash_error *error);

/* Make the set "sample", the values of the authors' published tag file. */
SIMHASH_API int simhash_tag_set_new_default(struct simhash_tag_set **set,
					    struct simhash_error *error);

/*
 * Make a tag set from text. Each line holds a tag: two hexadecimal digits,
 * the Scatter weight and the Skew weight, decimals with at most three places;
 * the Uniform weight is always 1. '#' starts a comment. A line "name NAME"
 * names the set; without one it is called after the file, less its extension.
 * `file_name` is for that and for errors, which read "FILE:LINE: ...".
 * Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_API int simhash_tag_set_parse(const char *text, size_t size_bytes, const char *file_name,
				      struct simhash_tag_set **set, struct simhash_error *error);

/* The same from a file of at most 64 KiB. Errors: SIMHASH_E_SYSTEM besides. */
SIMHASH_API int simhash_tag_set_read(const char *path, struct simhash_tag_set **set,
				     struct simhash_error *error);

SIMHASH_API void simhash_tag_set_free(struct simhash_tag_set *set);

/* The name and the 16 tags; both live as long as the set. */
SIMHASH_API const char *simhash_tag_set_name(const struct simhash_tag_set *set);
SIMHASH_API const struct simhash_tag *simhash_tag_set_tags(const struct simhash_tag_set *set);

/* ---- The scan: bytes to a sum table (paper, 4.1) --------------------- */

/* How often each tag was counted. No count exceeds the bytes scanned. */
struct simhash_sum_table {
	uint64_t count[SIMHASH_TAGS];
};

/*
 * A scan in progress, to be placed wherever the caller likes; it owns nothing
 * and needs no release. The tag set must outlive it.
 */
struct simhash_scanner {
	const struct simhash_tag_set *tag_set;
	uint64_t state[2];
	struct simhash_sum_table table;
};

/* Begin a scan: no bytes seen, all counts 0. */
SIMHASH_API void simhash_scanner_init(struct simhash_scanner *scanner,
				      const struct simhash_tag_set *tag_set);

/*
 * Scan the next `size_bytes` bytes, most significant bit first. How a stream
 * is cut into calls never changes the result.
 */
SIMHASH_API void simhash_scanner_update(struct simhash_scanner *scanner, const void *bytes,
					size_t size_bytes);

/* Store the sum table of all bytes so far. The scan may go on afterwards. */
SIMHASH_API void simhash_scanner_finish(const struct simhash_scanner *scanner,
					struct simhash_sum_table *table);

/*
 * Scan kernels are ways to scan that need more or less of the processor; all of
 * them give the same sum table. The fastest that this machine has is used, unless
 * one is selected by name: "portable", and as the processor has them "avx2",
 * "avx512" or "neon". The selection holds for the whole process and
 * may be made at any time, also while others scan.
 * Error: SIMHASH_E_RANGE, with the names that this machine has.
 */
SIMHASH_API int simhash_kernel_select(const char *name, struct simhash_error *error);

/* The name of the scan kernel in use, a static string. */
SIMHASH_API const char *simhash_kernel_name(void);

/* ---- Keys (paper, 4.1 and 5.1) --------------------------------------- */

enum simhash_key {
	SIMHASH_UNIFORM,
	SIMHASH_SCATTER,
	SIMHASH_SKEW,
	SIMHASH_UNIFORM_EXT, /* ..._EXT: shifted by the extension of the name */
	SIMHASH_SCATTER_EXT,
	SIMHASH_SKEW_EXT, /* the standard key */
	SIMHASH_KEYS
};

struct simhash_keys {
	int64_t key[SIMHASH_KEYS]; /* indexed by enum simhash_key, none negative */
};

/* "uniform", "scatter", "skew", "uniform_ext", ...; NULL outside the enum. */
SIMHASH_API const char *simhash_key_name(enum simhash_key key);

/* Find a key by its name. Error: SIMHASH_E_RANGE, with the names expected. */
SIMHASH_API int simhash_key_parse(const char *name, enum simhash_key *key,
				  struct simhash_error *error);

/*
 * The six keys of a sum table: the sum over the tags of floor(count * weight),
 * plain and extension-shifted by the `name_length` bytes of the file's name.
 * A sum beyond INT64_MAX stays there (over a petabyte of tag hits).
 */
SIMHASH_API void simhash_keys_compute(const struct simhash_tag_set *tag_set,
				      const struct simhash_sum_table *table, const char *name,
				      size_t name_length, struct simhash_keys *keys);

/*
 * The extension of a file name: what follows its last dot, unless that dot is
 * its first character. Returns the number of bytes, 0 when there is none, and
 * points *extension into `name`.
 */
SIMHASH_API size_t simhash_extension(const char *name, size_t name_length, const char **extension);

/*
 * The hash that shifts the keys of a file name: CRC-32 of the first three
 * bytes of the extension, ASCII letters in lower case; 0 when there is none.
 */
SIMHASH_API uint32_t simhash_extension_hash(const char *name, size_t name_length);

/* ---- Finding (paper, 4.2) -------------------------------------------- */

/* Tolerances and ratios are exact decimals, held in millionths. */
#define SIMHASH_MILLION INT64_C(1000000)

/* How near two files must be. */
struct simhash_tolerance {
	int64_t percent_millionths;    /* 0 .. 100 percent, that is 0 .. 100 million */
	int64_t size_ratio_millionths; /* at least 1, that is a million */
};

/* The standard: 1 percent, sizes within 1.5. */
#define SIMHASH_TOLERANCE_DEFAULT                            \
	{                                                    \
		1 * SIMHASH_MILLION, 3 * SIMHASH_MILLION / 2 \
	}

/*
 * Read a tolerance in percent, 0 to 100 with at most six places, or a size
 * ratio, 1 to 1000000 with at most six places. Errors: SIMHASH_E_SYNTAX,
 * SIMHASH_E_RANGE.
 */
SIMHASH_API int simhash_tolerance_parse(const char *text, int64_t *percent_millionths,
					struct simhash_error *error);
SIMHASH_API int simhash_size_ratio_parse(const char *text, int64_t *ratio_millionths,
					 struct simhash_error *error);

/*
 * Step 1, key hit: |key_a - key_b| <= max(1, floor(T/100 * the larger size)).
 * The reach is that bound, for ranges.
 */
SIMHASH_API int simhash_key_hit(const struct simhash_tolerance *tolerance, int64_t key_a,
				int64_t key_b, int64_t size_a_bytes, int64_t size_b_bytes);
SIMHASH_API int64_t simhash_key_reach(const struct simhash_tolerance *tolerance,
				      int64_t larger_size_bytes);

/* Step 3, sum-table hit: distance <= max(1, floor(T/100 * the mean size)). */
SIMHASH_API int simhash_sum_table_hit(const struct simhash_tolerance *tolerance, uint64_t distance,
				      int64_t size_a_bytes, int64_t size_b_bytes);

/* Step 2: is neither size more than the size ratio times the other? */
SIMHASH_API int simhash_sizes_agree(const struct simhash_tolerance *tolerance, int64_t size_a_bytes,
				    int64_t size_b_bytes);

/* The largest size that agrees with `size_bytes`. */
SIMHASH_API int64_t simhash_largest_partner(const struct simhash_tolerance *tolerance,
					    int64_t size_bytes);

/* The sum over the tags of |a - b|, at most UINT64_MAX. */
SIMHASH_API uint64_t simhash_distance(const struct simhash_sum_table *a,
				      const struct simhash_sum_table *b);

#ifdef __cplusplus
}
#endif
#endif
