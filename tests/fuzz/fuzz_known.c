/*
 * Fuzzes lists of known files in all formats: any bytes are refused with a message or are hashes.
 * If these are written as sums, reading gives the same hashes again, and a set of them contains
 * these hashes and no others.
 *
 * The first byte is the format that is given for the list.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/hash_set.h"
#include "fuzz.h"
#include "lists/known_list.h"

#define KEPT_MAX 256

/* The hashes of a list, in the same order. */
struct kept {
	unsigned kind;
	uint8_t hash[FILE_HASH_SIZE_MAX];
};

static void put_sum(FILE *text, const struct kept *kept)
{
	static const char *const names[] = {"MD5", "SHA1", "SHA256", "XXH128"};

	fprintf(text, "%s (a ) = name) = ", names[kept->kind]);
	for (size_t i = 0; i < known_kind_size(kept->kind); i++)
		fprintf(text, "%02x", kept->hash[i]);
	putc('\n', text);
}

/* Read a list and keep *count of its hashes. False: it is refused. */
static bool read_list(const char *name, enum known_format format, struct kept kept[KEPT_MAX],
		      size_t *count)
{
	struct simhash_error error = {.message = ""};
	struct known_hashes hashes;
	struct known_list *list;
	int status = known_list_open(name, format, &list, &error);

	*count = 0;
	if (status == 0) {
		while ((status = known_list_next(list, &hashes, &error)) == 1) {
			EXPECT(hashes.found != 0 && hashes.found < 1U << KNOWN_KINDS);
			for (unsigned kind = 0; kind < KNOWN_KINDS; kind++) {
				if ((hashes.found & 1U << kind) == 0 || *count == KEPT_MAX)
					continue;
				kept[*count].kind = kind;
				memcpy(kept[(*count)++].hash, hashes.hash[kind],
				       known_kind_size(kind));
			}
		}
		known_list_close(list);
	}
	EXPECT(status == 0 || error.message[0] != '\0');
	return status == 0;
}

static bool is_kept(const struct kept *kept, size_t count, unsigned kind, const uint8_t *hash)
{
	for (size_t i = 0; i < count; i++)
		if (kept[i].kind == kind && memcmp(kept[i].hash, hash, known_kind_size(kind)) == 0)
			return true;
	return false;
}

/* Check the hashes, and hashes that differ from them in one bit. */
static void expect_set(const struct kept *kept, size_t count, unsigned kind)
{
	struct hash_set set = {.width = known_kind_size(kind)};

	for (size_t i = 0; i < count; i++)
		if (kept[i].kind == kind)
			EXPECT(hash_set_add(&set, kept[i].hash, NULL) == 0);
	EXPECT(hash_set_sort(&set, NULL) == 0);
	for (size_t i = 0; i < count; i++) {
		uint8_t other[FILE_HASH_SIZE_MAX];
		if (kept[i].kind != kind)
			continue;
		memcpy(other, kept[i].hash, sizeof other);
		other[i % set.width] ^= (uint8_t)(1U << i % 8);
		EXPECT(hash_set_has(&set, kept[i].hash));
		EXPECT(hash_set_has(&set, other) == is_kept(kept, count, kind, other));
	}
	hash_set_release(&set);
}

static void expect_again(const struct kept *kept, size_t count)
{
	static struct kept again[KEPT_MAX];
	char *text = NULL, name[32];
	size_t size, count_again;
	FILE *stream = open_memstream(&text, &size);
	int fd;

	EXPECT(stream != NULL);
	for (size_t i = 0; i < count; i++)
		put_sum(stream, &kept[i]);
	EXPECT(fclose(stream) == 0);
	fd = memory_file(name);
	memory_file_add(fd, text, size);
	EXPECT(read_list(name, KNOWN_BY_FORM, again, &count_again) && count_again == count);
	for (size_t i = 0; i < count; i++)
		EXPECT(again[i].kind == kept[i].kind &&
		       memcmp(again[i].hash, kept[i].hash, known_kind_size(kept[i].kind)) == 0);
	close(fd);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kept kept[KEPT_MAX];
	struct input in = {data, size};
	enum known_format format = (enum known_format)(take_byte(&in) % (KNOWN_XXH128 + 1));
	char name[32];
	size_t count;
	int fd = memory_file(name);

	memory_file_add(fd, in.at, in.left);
	read_list(name, format, kept, &count);
	expect_again(kept, count);
	for (unsigned kind = 0; kind < KNOWN_KINDS; kind++)
		expect_set(kept, count, kind);
	close(fd);
	return 0;
}
