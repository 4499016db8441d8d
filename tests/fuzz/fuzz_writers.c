/*
 * Fuzzes the output of unusual names: a small reader for each format must read the same fields. If
 * SIMHASH_FUZZ_OUTPUT is set to a folder, the texts of the last input stay there, for
 * check_writers.py.
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>

#include "base/text/escape.h"
#include "cli/simkeep/copy_sorter.h"
#include "cli/simkeep/plan_script.h"
#include "find/pairs/pairs.h"
#include "fuzz.h"
#include "report/formats/formats.h"
#include "report/lists/formatter.h"
#include "report/page/html.h"

#define NAMES 3
#define COPIES_MEMORY ((size_t)64 << 10)

struct text {
	char *data;
	size_t size;
};

static struct bytes names[NAMES]; /* of the current input, without zero bytes */
static struct simhash_tag_set *tags;
static const char *output_folder;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct simhash_error error;

	(void)argc;
	(void)argv;
	EXPECT(simhash_tag_set_new_default(&tags, &error) == 0);
	output_folder = getenv("SIMHASH_FUZZ_OUTPUT");
	return 0;
}

static void save(const char *file_name, const struct text *text)
{
	char path[4096];
	FILE *file;

	if (output_folder == NULL)
		return;
	snprintf(path, sizeof path, "%s/%s", output_folder, file_name);
	file = fopen(path, "wb");
	EXPECT(file != NULL && fwrite(text->data, 1, text->size, file) == text->size);
	EXPECT(fclose(file) == 0);
}

/* ---- Writing ---- */

static struct text write_pair(const char *format, const struct file_pair *pair, bool is_terminal)
{
	const struct formatter *formatter = formatter_find(format);
	const struct presentation how = {.records = {formatter->format, is_terminal}};
	struct text text;
	FILE *out = open_memstream(&text.data, &text.size);

	EXPECT(formatter != NULL && out != NULL);
	frame_begin(out, &formatter->pairs);
	frame_next(out, &formatter->pairs, 0);
	formatter->pair(out, pair, &how);
	frame_end(out, &formatter->pairs, 1);
	EXPECT(fclose(out) == 0);
	return text;
}

static struct text write_group(const char *format, enum verification verification,
			       double resemblance)
{
	const struct formatter *formatter = formatter_find(format);
	const struct presentation how = {.records = {formatter->format, false}};
	const struct find_file first = {.display = names[0].data,
					.display_size = (uint32_t)names[0].size};
	const struct group group = {
		.number = 1, .count = NAMES, .bytes = 7, .representative = &first};
	struct text text;
	FILE *out = open_memstream(&text.data, &text.size);

	EXPECT(formatter != NULL && out != NULL);
	frame_begin(out, &formatter->groups);
	frame_next(out, &formatter->groups, 0);
	if (formatter->group != NULL)
		formatter->group(out, &group, &how);
	for (int i = 0; i < NAMES; i++) {
		const struct find_file file = {.display = names[i].data,
					       .display_size = (uint32_t)names[i].size};
		const struct group_member member = {
			.file = &file,
			.role = i == 0 ? ROLE_REPRESENTATIVE : ROLE_MEMBER,
			.relation = {.verification = verification, .resemblance = resemblance}};
		formatter->member(out, &group, &member, &how);
	}
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, out);
	frame_end(out, &formatter->groups, 1);
	EXPECT(fclose(out) == 0);
	return text;
}

/* ---- A reader for a text; the run ends if it does not find a part ---- */

struct reader {
	const char *at, *end;
};

static struct reader read_text(const struct text *text)
{
	return (struct reader){text->data, text->data + text->size};
}

static bool next_is(const struct reader *r, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(r->end - r->at) >= size && memcmp(r->at, word, size) == 0;
}

static void skip(struct reader *r, const char *word)
{
	EXPECT(next_is(r, word));
	r->at += strlen(word);
}

static void skip_to(struct reader *r, const char *word)
{
	while (!next_is(r, word)) {
		EXPECT(r->at < r->end);
		r->at++;
	}
	r->at += strlen(word);
}

static void expect_end(const struct reader *r)
{
	EXPECT(r->at == r->end);
}

static bool same(const char *data, size_t size, struct bytes name)
{
	return size == name.size && (size == 0 || memcmp(data, name.data, size) == 0);
}

/* ---- CSV: RFC 4180 ---- */

/* A field with the delimiter after it: ',' or '\n', which stands for CRLF. */
static char read_csv_field(struct reader *r, char *field, size_t *size)
{
	*size = 0;
	if (next_is(r, "\"")) {
		for (r->at++; !next_is(r, "\"") || next_is(r, "\"\""); r->at++) {
			r->at += next_is(r, "\"\"");
			EXPECT(r->at < r->end);
			field[(*size)++] = *r->at;
		}
		r->at++;
	} else {
		for (; !next_is(r, ",") && !next_is(r, "\r\n"); r->at++) {
			EXPECT(r->at < r->end && strchr("\"\r\n", *r->at) == NULL);
			field[(*size)++] = *r->at;
		}
	}
	if (next_is(r, ",")) {
		r->at++;
		return ',';
	}
	skip(r, "\r\n");
	return '\n';
}

/* A name that a spreadsheet might treat as a formula gets an apostrophe at its beginning. */
static bool is_csv_path(const char *field, size_t size, struct bytes name)
{
	if (name.size == 0 || strchr("=+-@\t\r\n'", name.data[0]) == NULL || name.data[0] == '\0')
		return same(field, size, name);
	return size > 0 && field[0] == '\'' && same(field + 1, size - 1, name);
}

static void check_csv(const struct file_pair *pair)
{
	struct text text = write_pair("csv", pair, false);
	struct reader r = read_text(&text);
	char *field = malloc(text.size + 1);
	size_t size;

	EXPECT(field != NULL);
	skip_to(&r, "size_a,size_b,path_a,path_b,verified\r\n");
	for (int i = 0; i < 12; i++) {
		EXPECT(read_csv_field(&r, field, &size) == (i == 11 ? '\n' : ','));
		if (i == 1) {
			field[size] = '\0';
			EXPECT(strtoull(field, NULL, 10) == pair->relation.distance);
		}
		if (i == 9 || i == 10)
			EXPECT(is_csv_path(field, size,
					   i == 9 ? find_file_display(pair->a)
						  : find_file_display(pair->b)));
	}
	expect_end(&r);
	save("pairs.csv", &text);
	free(text.data);

	text = write_group("csv", pair->relation.verification, pair->relation.resemblance);
	r = read_text(&text);
	field = realloc(field, text.size + 1);
	EXPECT(field != NULL);
	skip(&r, "group,role,distance,size,path,resemblance,verified,id\r\n");
	for (int n = 0; n < NAMES; n++)
		for (int i = 0; i < 8; i++) {
			EXPECT(read_csv_field(&r, field, &size) == (i == 7 ? '\n' : ','));
			EXPECT(i != 4 || is_csv_path(field, size, names[n]));
		}
	expect_end(&r);
	free(text.data);
	free(field);
}

/* ---- JSON: RFC 8259 ---- */

static unsigned read_hex(struct reader *r, int digits)
{
	unsigned value = 0;

	for (; digits > 0; digits--, r->at++) {
		static const char all[] = "0123456789abcdef";
		const char *digit = r->at < r->end ? strchr(all, *r->at) : NULL;
		EXPECT(digit != NULL && *digit != '\0');
		value = value * 16 + (unsigned)(digit - all);
	}
	return value;
}

/* A character below U+10000 as UTF-8. */
static size_t put_character(char *to, unsigned c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 63));
	to[2] = (char)(0x80 | (c & 63));
	return 3;
}

/* A string as UTF-8. `has_odd`: it contains U+FFFD for bytes that were not UTF-8. */
static size_t read_json_string(struct reader *r, char *string, bool *has_odd)
{
	size_t size = 0;

	*has_odd = false;
	for (skip(r, "\""); !next_is(r, "\"");) {
		EXPECT(r->at < r->end && (unsigned char)*r->at >= 0x20);
		if (*r->at != '\\') {
			size_t length =
				utf8_length((struct bytes){r->at, (size_t)(r->end - r->at)});
			EXPECT(length > 0);
			memcpy(string + size, r->at, length);
			r->at += length;
			size += length;
		} else if (next_is(r, "\\u")) {
			unsigned c;
			r->at += 2;
			c = read_hex(r, 4);
			*has_odd = *has_odd || c == 0xfffd;
			size += put_character(string + size, c);
		} else {
			EXPECT(next_is(r, "\\\"") || next_is(r, "\\\\"));
			string[size++] = r->at[1];
			r->at += 2;
		}
	}
	r->at++;
	return size;
}

static void read_json_path(struct reader *r, const char *field, struct bytes name, char *room)
{
	bool has_odd;
	size_t size;
	char key[32];

	snprintf(key, sizeof key, "\"%s\":", field);
	skip(r, key);
	size = read_json_string(r, room, &has_odd);
	snprintf(key, sizeof key, ",\"%s_hex\":\"", field);
	if (!next_is(r, key)) {
		EXPECT(!has_odd && same(room, size, name));
		return;
	}
	EXPECT(has_odd);
	skip(r, key);
	for (size = 0; !next_is(r, "\""); size++)
		room[size] = (char)read_hex(r, 2);
	r->at++;
	EXPECT(same(room, size, name));
}

static void check_json(const char *format, const struct file_pair *pair)
{
	bool is_array = strcmp(format, "json") == 0;
	struct text text = write_pair(format, pair, false);
	struct reader r = read_text(&text);
	char *room = malloc(text.size + 1), file_name[32];

	EXPECT(room != NULL);
	skip(&r, is_array ? "[\n{\"match\":\"" : "{\"match\":\"");
	skip_to(&r, ",\"size_b\":");
	skip_to(&r, ",");
	read_json_path(&r, "path_a", find_file_display(pair->a), room);
	skip(&r, ",");
	read_json_path(&r, "path_b", find_file_display(pair->b), room);
	skip(&r, is_array ? "}\n]\n" : "}\n");
	expect_end(&r);
	snprintf(file_name, sizeof file_name, "pairs.%s", format);
	save(file_name, &text);
	free(room);
	free(text.data);

	text = write_group(format, pair->relation.verification, pair->relation.resemblance);
	r = read_text(&text);
	room = malloc(text.size + 1);
	EXPECT(room != NULL);
	skip(&r, is_array ? "[\n{\"group\":1," : "{\"group\":1,");
	skip_to(&r, "\"members\":[");
	for (int n = 0; n < NAMES; n++) {
		skip_to(&r, "\"size\":0,");
		skip_to(&r, "\"verified\":\"");
		skip_to(&r, ",");
		read_json_path(&r, "path", names[n], room);
		skip(&r, n + 1 < NAMES ? "}," : "}]}\n");
	}
	skip(&r, is_array ? "]\n" : "");
	expect_end(&r);
	snprintf(file_name, sizeof file_name, "groups.%s", format);
	save(file_name, &text);
	free(room);
	free(text.data);
}

/* ---- Zero bytes, and text ---- */

static void check_null(const struct file_pair *pair)
{
	struct text text = write_pair("null", pair, false);

	EXPECT(text.size == pair->a->display_size + pair->b->display_size + 2);
	EXPECT(same(text.data, pair->a->display_size + 1,
		    (struct bytes){pair->a->display, pair->a->display_size + 1}));
	EXPECT(same(text.data + pair->a->display_size + 1, pair->b->display_size,
		    find_file_display(pair->b)));
	save("pairs.null", &text);
	free(text.data);
}

/* It must be one line without anything that a terminal would act on. */
static void check_terminal(const char *format, const struct file_pair *pair)
{
	struct text text = write_pair(format, pair, true);

	for (size_t i = 0; i < text.size;) {
		const unsigned char *b = (const unsigned char *)text.data + i;
		size_t length = utf8_length((struct bytes){text.data + i, text.size - i});
		EXPECT(length > 0);
		EXPECT(b[0] >= 0x20 || b[0] == '\n' || b[0] == '\r');
		EXPECT(b[0] != '\r' || b[1] == '\n');
		EXPECT(b[0] != 0x7f && !(b[0] == 0xc2 && b[1] < 0xa0));
		i += length;
	}
	free(text.data);
}

/* ---- The report and the script ---- */

static void add_file(struct pair_list *list, const struct find_file *x, const struct find_file *y,
		     uint64_t distance)
{
	struct file_pair pair = {.a = x,
				 .b = y,
				 .relation = {.distance = distance,
					      .verification = PAIR_READ,
					      .resemblance = 0.5,
					      .is_identical = distance == 0}};
	struct simhash_error error;

	EXPECT(pair_list_add(list, &pair, &error) == 0);
}

static void make_list(struct pair_list *list, const struct file_pair *pair)
{
	struct find_file files[NAMES];

	for (uint8_t i = 0; i < NAMES; i++)
		files[i] = (struct find_file){.host = 1,
					      .size_bytes = pair->a->size_bytes | 1,
					      .path_hash = {i, i},
					      .device = 1,
					      .inode = i + 1,
					      .display = names[i].data,
					      .display_size = (uint32_t)names[i].size,
					      .is_local = true};
	pair_list_init(list);
	add_file(list, &files[0], &files[1], 0);
	add_file(list, &files[1], &files[2], pair->relation.distance);
}

/* One of the following strings is the escaped name of the file. */
static void expect_file(struct reader *r, const struct find_file *file, char *room)
{
	struct bytes name = {file->display, file->display_size};
	size_t escaped_size, size;
	bool has_odd;
	char *escaped = escape_text(name, &escaped_size);

	EXPECT(escaped != NULL);
	do {
		skip_to(r, "\"");
		r->at--;
		size = read_json_string(r, room, &has_odd);
	} while (!same(room, size, (struct bytes){escaped, escaped_size}));
	free(escaped);
}

static void ignore_file(void *context, const struct find_file *file, int system_errno)
{
	(void)context;
	(void)file;
	(void)system_errno;
}

/* The data of the page: no byte of it may end its element, and it contains the names. */
static void check_report(const struct pair_list *list)
{
	struct simhash_error error;
	struct simhash_tolerance tolerance = SIMHASH_TOLERANCE_DEFAULT;
	const struct group_order by_copies = {.key = NULL};
	struct group_list made;
	struct group_sorter groups;
	struct group_cursor cursor;
	struct key_space space = {.kind_count = 1};
	struct find_rule rule;
	const struct find_request request = {.parts = 1};
	const struct listing_order order = {.by = SORT_DEFAULT};
	struct report report = {.origin = {.index = "sqlite:index.db", .host = "here"},
				.order = &order,
				.groups = &groups,
				.space = &space,
				.tags = tags,
				.rule = &rule,
				.unreadable = ignore_file};
	struct text text;
	FILE *out = open_memstream(&text.data, &text.size);
	struct reader r;
	const char *data;
	char *room;

	rule_init(&rule, SIMHASH_SKEW_EXT, &tolerance);
	snprintf(space.kinds[0], sizeof space.kinds[0], "%s", names[0].data);
	EXPECT(out != NULL && group_pairs(list, &request, LINK_SINGLE, &made, &error) == 0);
	group_sorter_init(&groups, 600, &by_copies); /* so that most are in a file */
	EXPECT(group_sorter_add(&groups, &made, &error) == 0);
	group_list_release(&made);
	EXPECT(group_sorter_end(&groups, &error) == 0);
	EXPECT(report_write(out, &report, &error) == 0 && fclose(out) == 0);
	r = read_text(&text);
	skip_to(&r, "<script type=\"application/json\" id=\"data\">");
	data = r.at;
	skip_to(&r, "</script>");
	for (const char *c = data; c < r.at - strlen("</script>"); c++)
		EXPECT((unsigned char)*c >= 0x20 || *c == '\n');
	for (const char *c = data; c < r.at - strlen("</script>"); c++)
		EXPECT(*c != '<' && *c != '>' && *c != '&' && *c != 0x7f);
	/* The strings are escaped names, in the order of the groups. */
	room = malloc(text.size + 1);
	EXPECT(room != NULL);
	r.at = data;
	skip_to(&r, "\"groups\":[");
	EXPECT(group_cursor_begin(&cursor, &groups, &error) == 0);
	while (group_cursor_next(&cursor, &error) == 1)
		for (size_t m = 0; m < cursor.group.count; m++)
			expect_file(&r, cursor.members[m].file, room);
	group_cursor_release(&cursor);
	save("report.html", &text);
	free(room);
	free(text.data);
	group_sorter_release(&groups);
	rule_release(&rule);
}

struct one_content {
	struct plan_script script;
	size_t files;
};

static int add_content(void *context, struct keep_file *files, size_t count,
		       struct simhash_error *error)
{
	struct one_content *content = context;

	EXPECT(content->files == 0);
	content->files = count;
	return plan_script_add(&content->script, files, count, error);
}

/* With one content: all files are in the script except for one. */
static size_t write_script(const struct pair_list *list, struct text *text)
{
	const struct keep_policy policy = {.action = ACTION_REPORT};
	const struct script_request request = {.policy = &policy, .host = "here"};
	FILE *out = open_memstream(&text->data, &text->size);
	struct one_content content = {.files = 0};
	struct simhash_error error;
	struct copy_sorter *copies;

	EXPECT(out != NULL && copy_sorter_new(COPIES_MEMORY, false, &copies, &error) == 0);
	for (size_t i = 0; i < list->count; i++)
		if (list->pairs[i].relation.is_identical) {
			EXPECT(copy_sorter_add(copies, list->pairs[i].a, &error) == 0);
			EXPECT(copy_sorter_add(copies, list->pairs[i].b, &error) == 0);
		}
	EXPECT(plan_script_begin(&content.script, out, &request, &error) == 0);
	EXPECT(copy_sorter_each(copies, add_content, &content, &error) == 0 && content.files >= 2);
	plan_script_end(&content.script);
	copy_sorter_free(copies);
	fclose(out);
	return content.files - 1;
}

/* The shorter of the first two names stays, or of names of one length the first by the order of bytes. */
static void check_script(const struct pair_list *list)
{
	static const char *const actions[] = {"#hardlink ", "#reflink ", "#delete "};
	size_t first = strlen(names[0].data), second = strlen(names[1].data);
	bool is_ordered = first != second ? first < second
					  : strcmp(names[0].data, names[1].data) <= 0;
	struct text text = {.size = 0};
	size_t copies;
	struct reader r;
	char *word;

	save("copies.sh", &text);
	for (int i = 0; i < NAMES; i++)
		if (strcmp(names[i].data, names[(i + 1) % NAMES].data) == 0 ||
		    strstr(names[i].data, "//") != NULL)
			return; /* one file; or a member of an archive, which gets no command */
	copies = write_script(list, &text);
	word = malloc(text.size + 1);
	EXPECT(word != NULL);
	r = read_text(&text);
	skip_to(&r, " bytes each\n");
	for (size_t i = 0; i < 3 && copies == 1; i++) {
		skip(&r, actions[i]);
		skip_to(&r, ",");
		read_json_path(&r, "kept", names[is_ordered ? 0 : 1], word);
		skip(&r, ",");
		read_json_path(&r, "copy", names[is_ordered ? 1 : 0], word);
		skip_to(&r, "}\n");
	}
	if (copies == 1) {
		skip(&r, "\n{\"commands\":3}\nEND OF COMMANDS\n}\n");
		expect_end(&r);
	}
	save("copies.sh", &text);
	free(word);
	free(text.data);
}

/* The input: numbers, then names that each end with a zero byte. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct find_file a = {.host = 1}, b = {.host = 1};
	struct file_pair pair = {.a = &a, .b = &b, .relation = {.distance = take_number(&in, 8)}};
	uint64_t sizes;
	struct pair_list list;
	char *owned[NAMES], all_name[16];
	uint8_t how;

	a.size_bytes = (int64_t)(take_number(&in, 8) >> 1);
	b.size_bytes = (int64_t)(take_number(&in, 8) >> 1);
	/* No count exceeds the size, so the distance is at most 16 times both sizes. */
	sizes = (uint64_t)a.size_bytes + (uint64_t)b.size_bytes;
	if (sizes < UINT64_MAX / SIMHASH_TAGS)
		pair.relation.distance %= SIMHASH_TAGS * sizes + 1;
	how = take_byte(&in);
	pair.relation.verification = (enum verification)(how % (PAIR_MEASURED + 1));
	pair.relation.is_part = (how & 0x40) != 0;
	pair.relation.is_unreadable = (how & 0x80) != 0;
	pair.relation.contained_a = pair.relation.resemblance = (double)take_byte(&in) / 255;
	for (int i = 0; i < NAMES; i++) {
		size_t length = strnlen((const char *)in.at, in.left);
		owned[i] = take_text(&in, length);
		take_byte(&in);
		names[i] = (struct bytes){owned[i], length};
		snprintf(all_name, sizeof all_name, "name.%d", i);
		save(all_name, &(struct text){owned[i], length});
	}
	a.display = names[0].data;
	a.display_size = (uint32_t)names[0].size;
	b.display = names[1].data;
	b.display_size = (uint32_t)names[1].size;
	check_csv(&pair);
	check_json("json", &pair);
	check_json("jsonl", &pair);
	check_null(&pair);
	check_terminal("text", &pair);
	check_terminal("csv", &pair);
	check_terminal("json", &pair);
	check_terminal("null", &pair);
	make_list(&list, &pair);
	check_report(&list);
	check_script(&list);
	pair_list_release(&list);
	for (int i = 0; i < NAMES; i++)
		free(owned[i]);
	return 0;
}
