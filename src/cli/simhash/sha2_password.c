/*
 * Computes SHA-256-crypt, as "Unix crypt using SHA-256 and SHA-512" by Ulrich Drepper specifies it,
 * with 5,000 rounds. A salt of MySQL has 20 characters; crypt(3) allows 16.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simhash/sha2_password.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h> /* getentropy() of macOS */
#endif

#include "base/basic/error.h"
#include "scan/file/hashing.h"

#define DIGEST_SIZE 32
#define SALT_SIZE 20
#define PASSWORD_MAX 64
#define ROUNDS 5000

static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct crypt {
	struct hashing *hashing;
	const char *password, *salt;
	size_t size; /* the size of the password */
	uint8_t digest[DIGEST_SIZE];
	/* The sequences P and S of the specification. */
	uint8_t p[PASSWORD_MAX], s[SALT_SIZE];
};

static void add_password(struct crypt *crypt)
{
	hashing_add(crypt->hashing, crypt->password, crypt->size);
}

static void add_salt(struct crypt *crypt)
{
	hashing_add(crypt->hashing, crypt->salt, SALT_SIZE);
}

/* Steps 1 to 12: the first digest. */
static void begin_digest(struct crypt *crypt)
{
	uint8_t other[DIGEST_SIZE];

	hashing_begin(crypt->hashing);
	add_password(crypt);
	add_salt(crypt);
	add_password(crypt);
	hashing_end(crypt->hashing, other);
	hashing_begin(crypt->hashing);
	add_password(crypt);
	add_salt(crypt);
	for (size_t i = 0; i < crypt->size; i++)
		hashing_add(crypt->hashing, other + i % DIGEST_SIZE, 1);
	for (size_t bits = crypt->size; bits > 0; bits >>= 1)
		if ((bits & 1) != 0)
			hashing_add(crypt->hashing, other, DIGEST_SIZE);
		else
			add_password(crypt);
	hashing_end(crypt->hashing, crypt->digest);
}

/* Steps 13 to 20: `size` bytes of the digest of the password, or the salt, repeated many times. */
static void make_sequence(struct crypt *crypt, void (*add)(struct crypt *), unsigned times,
			  uint8_t *sequence, size_t size)
{
	uint8_t digest[DIGEST_SIZE];

	hashing_begin(crypt->hashing);
	for (unsigned i = 0; i < times; i++)
		add(crypt);
	hashing_end(crypt->hashing, digest);
	for (size_t i = 0; i < size; i++)
		sequence[i] = digest[i % DIGEST_SIZE];
}

/* Step 21. */
static void add_round(struct crypt *crypt, unsigned number)
{
	const void *p = crypt->p, *digest = crypt->digest;
	bool is_odd = number % 2 != 0;

	hashing_begin(crypt->hashing);
	hashing_add(crypt->hashing, is_odd ? p : digest, is_odd ? crypt->size : DIGEST_SIZE);
	if (number % 3 != 0)
		hashing_add(crypt->hashing, crypt->s, SALT_SIZE);
	if (number % 7 != 0)
		hashing_add(crypt->hashing, p, crypt->size);
	hashing_add(crypt->hashing, is_odd ? digest : p, is_odd ? DIGEST_SIZE : crypt->size);
	hashing_end(crypt->hashing, crypt->digest);
}

static char *put_digits(char *text, unsigned bits, int count)
{
	for (int i = 0; i < count; i++, bits >>= 6)
		*text++ = digits[bits & 63];
	*text = '\0';
	return text;
}

/* Step 22: three bytes at a time, the low bits first, in a special order. */
static void put_digest(char *text, const uint8_t *digest)
{
	unsigned a = 0, b = 10, c = 20;

	for (int i = 0; i < 10; i++) {
		unsigned last = c;
		text = put_digits(
			text, (unsigned)digest[a] << 16 | (unsigned)digest[b] << 8 | digest[c], 4);
		c = b + 1;
		b = a + 1;
		a = last + 1;
	}
	put_digits(text, (unsigned)digest[31] << 8 | digest[30], 3);
}

int sha2_password(const char *password, char text[SHA2_PASSWORD_SIZE], struct simhash_error *error)
{
	struct crypt crypt = {.password = password, .size = strlen(password)};
	char salt[SALT_SIZE + 1] = "";

	if (getentropy(salt, SALT_SIZE) != 0)
		return error_set_errno(error, "cannot make a salt");
	for (int i = 0; i < SALT_SIZE; i++)
		salt[i] = digits[salt[i] & 63];
	crypt.salt = salt;
	if (hashing_new(1U << FILE_HASH_SHA256, &crypt.hashing, error) != 0)
		return -1;
	begin_digest(&crypt);
	make_sequence(&crypt, add_password, (unsigned)crypt.size, crypt.p, crypt.size);
	make_sequence(&crypt, add_salt, 16U + crypt.digest[0], crypt.s, SALT_SIZE);
	for (unsigned i = 0; i < ROUNDS; i++)
		add_round(&crypt, i);
	hashing_free(crypt.hashing);
	put_digest(text + snprintf(text, SHA2_PASSWORD_SIZE, "$A$005$%s", salt), crypt.digest);
	return 0;
}
