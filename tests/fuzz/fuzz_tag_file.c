/*
 * Fuzzes files of tag sets: any text is refused with a message or makes a set, and if a set is
 * written, reading makes the same set again.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "simhash.h"

static size_t print_weight(char *text, size_t room, uint32_t thousandths)
{
	return (size_t)snprintf(text, room, " %u.%03u", thousandths / 1000, thousandths % 1000);
}

/* Print the set as a file, which needs less than `room` bytes. */
static size_t print_set(const struct simhash_tag_set *set, char *text, size_t room)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	size_t size = (size_t)snprintf(text, room, "name %s\n", simhash_tag_set_name(set));

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		EXPECT(tags[t].uniform == 1000);
		size += (size_t)snprintf(text + size, room - size, "%02x", tags[t].pattern);
		size += print_weight(text + size, room - size, tags[t].scatter);
		size += print_weight(text + size, room - size, tags[t].skew);
		size += (size_t)snprintf(text + size, room - size, "\n");
	}
	EXPECT(size < room);
	return size;
}

static void expect_same(const struct simhash_tag_set *set, const struct simhash_tag_set *again)
{
	const struct simhash_tag *x = simhash_tag_set_tags(set), *y = simhash_tag_set_tags(again);

	EXPECT(strcmp(simhash_tag_set_name(set), simhash_tag_set_name(again)) == 0);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		EXPECT(x[t].pattern == y[t].pattern && x[t].scatter == y[t].scatter &&
		       x[t].skew == y[t].skew);
}

/* The name of the file is the input before the first zero byte; its text is the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t name_size = strnlen((const char *)data, size);
	struct input in = {data, size};
	char *name = take_text(&in, name_size), *text, printed[2048];
	struct simhash_tag_set *set, *again;
	struct simhash_error error = {.message = ""};
	size_t text_size;

	take_byte(&in);
	text_size = in.left;
	text = malloc(text_size + 1); /* the sanitizer notices reads beyond it */
	EXPECT(text != NULL);
	memcpy(text + 1, in.at, text_size);
	if (simhash_tag_set_parse(text + 1, text_size, name, &set, &error) == 0) {
		size_t printed_size = print_set(set, printed, sizeof printed);
		EXPECT(simhash_tag_set_parse(printed, printed_size, "", &again, &error) == 0);
		expect_same(set, again);
		simhash_tag_set_free(again);
		simhash_tag_set_free(set);
	} else {
		EXPECT(set == NULL && error.code != SIMHASH_E_NONE && error.message[0] != '\0');
	}
	free(text);
	free(name);
	return 0;
}
