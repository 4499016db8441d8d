/*
 * Formats pairs as lines in the threads that find them, and collects the lines in a sorter.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/listing.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "report/lists/marked.h"

#define LINES_AT_ONCE 128
/* When lines are written immediately, the longest time that a pair waits. */
#define STREAM_EVERY_NS 50000000
/* the second path is aligned only if the first path has at most this many columns */
#define FIRST_MAX 60
#define NO_COLUMN INT_MIN /* used for a path that is not in the first column */
#define COLUMNS_DEFAULT 80
#define COLUMNS_MIN 40 /* narrower terminals wrap the lines */

/* Each thread collects lines here, so that threads seldom wait for each other. */
struct thread_text {
	FILE *stream;
	char *text;
	size_t size, count, written;
	struct line_key lines[LINES_AT_ONCE];
	struct common_prefix prefix;
	/* The time when lines were handed on; used if lines are written immediately. */
	int64_t last_ns;
};

static int write_failed(const struct listing *listing, struct simhash_error *error)
{
	/* The client library of a server ignores SIGPIPE. End as other programs do. */
	if (errno == EPIPE) {
		outputs_remove();
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return error_set_errno(error, "cannot write to %s", listing->output.name);
}

/*
 * Write complete lines. Only one thread writes at a time, so that a reader can already use the
 * lines.
 */
static int write_at_once(struct listing *listing, struct thread_text *text,
			 struct simhash_error *error)
{
	int status = 0;

	pthread_mutex_lock(&listing->lock);
	fwrite(text->text, 1, text->written, listing->file);
	if (fflush(listing->file) != 0 || ferror(listing->file))
		status = write_failed(listing, error);
	listing->written += text->count;
	pthread_mutex_unlock(&listing->lock);
	return status;
}

static int hand_on(struct listing *listing, struct thread_text *text, struct simhash_error *error)
{
	int status;

	if (fflush(text->stream) != 0 || ferror(text->stream))
		return error_set_memory(error);
	if (listing->streams)
		status = write_at_once(listing, text, error);
	else
		status = line_sorter_add_all(listing->sorter, text->text, text->lines, text->count,
					     error);
	text->count = 0;
	text->written = 0;
	if (fseeko(text->stream, 0, SEEK_SET) != 0)
		return error_set_memory(error);
	return status;
}

int listing_check(struct listing *listing, struct simhash_error *error)
{
	return ferror(listing->file) ? write_failed(listing, error) : 0;
}

static int open_texts(struct listing *listing, struct simhash_error *error)
{
	listing->texts = calloc(listing->threads, sizeof *listing->texts);
	if (listing->texts == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < listing->threads; i++) {
		struct thread_text *text = &listing->texts[i];
		text->stream = open_memstream(&text->text, &text->size);
		if (text->stream == NULL)
			return error_set_memory(error);
	}
	return line_sorter_new(listing->memory_bytes, &listing->sorter, error);
}

/* The user's $COLUMNS has priority over the width of the terminal. */
static unsigned output_columns(FILE *file)
{
	const char *wanted = getenv("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long columns = wanted == NULL ? 0 : strtoul(wanted, &end, 10);

	if (columns == 0 || *end != '\0' || columns > UINT16_MAX)
		columns = ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	if (columns == 0)
		return COLUMNS_DEFAULT;
	return columns < COLUMNS_MIN ? COLUMNS_MIN : (unsigned)columns;
}

static bool may_have_colours(void)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL &&
	       strcmp(terminal, "dumb") != 0;
}

struct presentation presentation_of(FILE *file, const struct formatter *formatter)
{
	struct presentation how = {.records = {formatter->format, isatty(fileno(file)) == 1}};

	how.has_marks = how.records.is_terminal && formatter->is_text;
	if (how.has_marks)
		how.columns = output_columns(file);
	how.has_colours = how.has_marks && may_have_colours();
	return how;
}

void listing_set_colours(struct listing *listing, enum use_of_colours use)
{
	listing->how.has_colours =
		listing->formatter->is_text &&
		(use == COLOURS_ALWAYS ||
		 (use == COLOURS_AUTO && listing->how.has_marks && may_have_colours()));
}

int listing_open(struct listing *listing, const char *path, const struct formatter *formatter,
		 unsigned threads, int64_t memory_bytes, const struct store *store,
		 struct simhash_error *error)
{
	*listing = (struct listing){.formatter = formatter,
				    .threads = threads,
				    .memory_bytes = (size_t)memory_bytes / 4,
				    .streams = formatter->is_stream};
	pthread_mutex_init(&listing->lock, NULL);
	/* The report contains lines of files that other users may not be allowed to read. */
	if (output_open(&listing->output, path, formatter->is_report ? 0600 : 0666, store, error) !=
	    0)
		return -1;
	listing->file = listing->output.stream;
	listing->how = presentation_of(listing->file, formatter);
	return open_texts(listing, error);
}

void listing_set_order(struct listing *listing, const struct listing_order *order)
{
	listing->order = *order;
	listing->streams = listing->formatter->is_stream && !order_is_given(order);
	line_sorter_restrict(listing->sorter, order->reverse, order->limit);
}

int listing_publish(struct listing *listing, struct simhash_error *error)
{
	if (fflush(listing->file) != 0 || ferror(listing->file))
		return write_failed(listing, error);
	listing->file = NULL;
	return output_close(&listing->output, error) != 0 ? -1
							  : output_publish(&listing->output, error);
}

void listing_release(struct listing *listing)
{
	for (unsigned i = 0; listing->texts != NULL && i < listing->threads; i++)
		if (listing->texts[i].stream != NULL) {
			fclose(listing->texts[i].stream);
			free(listing->texts[i].text);
			free(listing->texts[i].prefix.bytes);
		}
	free(listing->texts);
	line_sorter_free(listing->sorter);
	listing->texts = NULL;
	listing->sorter = NULL;
	free(listing->prefix.bytes);
	listing->prefix.bytes = NULL;
	output_release(&listing->output);
	listing->file = NULL;
}

/* ---- The common prefix of paths ---- */

/* Shorten the prefix so that this path also has it. The prefix ends at a directory. */
static void shorten(struct common_prefix *prefix, struct bytes path)
{
	size_t size = 0;

	while (size < prefix->size && size < path.size && prefix->bytes[size] == path.data[size])
		size++;
	while (size > 0 && prefix->bytes[size - 1] != '/')
		size--;
	prefix->size = size;
}

/* Shorten the prefix so that the paths of `other` also have it. */
static void join_prefix(struct common_prefix *prefix, struct common_prefix *other)
{
	struct bytes path = {other->bytes, other->size};

	if (other->bytes == NULL)
		return;
	if (other->columns > prefix->columns)
		prefix->columns = other->columns;
	if (prefix->bytes == NULL) {
		prefix->bytes = other->bytes;
		prefix->size = other->size;
		other->bytes = NULL;
	}
	shorten(prefix, path);
}

/* The column of the path is `more` columns wider than the path. */
static int note_path(struct common_prefix *prefix, struct bytes path, int more,
		     struct simhash_error *error)
{
	struct common_prefix own = {.columns = 0};
	long long columns;

	own.bytes = escape_text(path, &own.size);
	if (own.bytes == NULL)
		return error_set_memory(error);
	columns = (long long)text_columns((struct bytes){own.bytes, own.size}) + more;
	if (columns > 0)
		own.columns = (size_t)columns;
	join_prefix(prefix, &own);
	free(own.bytes);
	return 0;
}

int listing_note(struct listing *listing, const struct find_file *file, bool is_first,
		 struct simhash_error *error)
{
	return listing_note_wide(listing, file, is_first ? 0 : NO_COLUMN, error);
}

int listing_note_wide(struct listing *listing, const struct find_file *file, int columns,
		      struct simhash_error *error)
{
	return note_path(&listing->prefix, find_file_display(file), columns, error);
}

struct bytes listing_prefix(const struct listing *listing)
{
	const struct common_prefix *prefix = &listing->prefix;

	/* A single slash gets no heading. */
	if (!listing->how.has_marks || prefix->size < 2)
		return (struct bytes){"", 0};
	return (struct bytes){prefix->bytes, prefix->size};
}

void listing_write_head(struct listing *listing, const char *text)
{
	write_wrapped(listing->file, text, listing->how.columns);
	fputc('\n', listing->file);
}

void listing_begin_marked(struct listing *listing)
{
	struct common_prefix *prefix = &listing->prefix;
	struct layout layout = {.columns = listing->how.columns};
	struct bytes shown;
	size_t left_out;
	char *line;

	if (prefix->bytes == NULL)
		return;
	left_out = text_columns(listing_prefix(listing));
	prefix->columns -= prefix->columns < left_out ? prefix->columns : left_out;
	shown = listing_prefix(listing);
	if (shown.size == 0 || asprintf(&line, "Paths are below %c%.*s.\n", PATH_MARK,
					(int)shown.size, shown.data) < 0)
		return;
	write_marked(listing->file, bytes_of(line), &layout);
	fputc('\n', listing->file);
	free(line);
}

void listing_write_text(struct listing *listing, struct bytes text)
{
	size_t first = listing->prefix.columns;
	const struct layout layout = {.prefix = listing_prefix(listing),
				      .first = first < FIRST_MAX ? first : FIRST_MAX,
				      .columns = listing->how.columns};

	if (listing->how.has_marks)
		write_marked(listing->file, text, &layout);
	else
		fwrite(text.data, 1, text.size, listing->file);
}

/* ---- Pairs ---- */

/* If pairs are written immediately: has this one waited long enough for others? */
static bool is_due(const struct listing *listing, struct thread_text *text)
{
	int64_t now_ns;

	if (!listing->streams)
		return false;
	now_ns = clock_monotonic_ns();
	if (now_ns - text->last_ns < STREAM_EVERY_NS)
		return false;
	text->last_ns = now_ns;
	return true;
}

/* Write the text that pairs with equal keys are sorted by. Return its size. */
static size_t write_sort_text(const struct listing *listing, const struct file_pair *pair,
			      FILE *out)
{
	struct bytes a = find_file_display(pair->a), b = find_file_display(pair->b);

	if (listing->order.by != SORT_PATH)
		return 0;
	/* No path contains a zero, so if two paths begin alike, the shorter one comes first. */
	fwrite(a.data, 1, a.size + 1, out);
	fwrite(b.data, 1, b.size + 1, out);
	return a.size + b.size + 2;
}

int listing_add(struct listing *listing, unsigned thread, const struct file_pair *pair,
		struct simhash_error *error)
{
	struct thread_text *text = &listing->texts[thread];
	struct line_key *line;
	size_t end;

	line = &text->lines[text->count++];
	*line = (struct line_key){.key = pair_sort_key(&listing->order, pair),
				  .then = pair_similarity_key(pair),
				  .text = write_sort_text(listing, pair, text->stream)};
	listing->formatter->pair(text->stream, pair, &listing->how);
	end = (size_t)ftello(text->stream);
	line->size = end - text->written;
	text->written = end;
	if (listing->how.has_marks &&
	    (note_path(&text->prefix, find_file_display(pair->a), 0, error) != 0 ||
	     note_path(&text->prefix, find_file_display(pair->b), NO_COLUMN, error) != 0))
		return -1;
	return text->count == LINES_AT_ONCE || is_due(listing, text) ? hand_on(listing, text, error)
								     : 0;
}

static int write_line(void *context, const char *line, size_t size, struct simhash_error *error)
{
	struct listing *listing = context;

	frame_next(listing->file, &listing->formatter->pairs, listing->written++);
	listing_write_text(listing, (struct bytes){line, size});
	return listing_check(listing, error);
}

int listing_write(struct listing *listing, struct simhash_error *error)
{
	for (unsigned i = 0; i < listing->threads; i++)
		if (hand_on(listing, &listing->texts[i], error) != 0)
			return -1;
	if (listing->streams)
		return 0;
	for (unsigned i = 0; listing->how.has_marks && i < listing->threads; i++)
		join_prefix(&listing->prefix, &listing->texts[i].prefix);
	if (listing->how.has_marks)
		listing_begin_marked(listing);
	frame_begin(listing->file, &listing->formatter->pairs);
	if (line_sorter_write(listing->sorter, write_line, listing, error) != 0)
		return -1;
	frame_end(listing->file, &listing->formatter->pairs, listing->written);
	listing->left_out = line_sorter_added(listing->sorter) - listing->written;
	return listing_check(listing, error);
}

int listing_write_pairs(struct listing *listing, const struct pair_list *pairs,
			struct simhash_error *error)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (listing_add(listing, 0, &pairs->pairs[i], error) != 0)
			return -1;
	return listing_write(listing, error);
}

/* ---- Groups ---- */

static int write_group(struct listing *listing, const struct group *group,
		       const struct group_member *members, struct simhash_error *error)
{
	const struct formatter *formatter = listing->formatter;

	frame_next(listing->file, &formatter->groups, group->number - 1);
	if (formatter->group != NULL)
		formatter->group(listing->file, group, &listing->how);
	for (size_t m = 0; m < group->count; m++)
		formatter->member(listing->file, group, &members[m], &listing->how);
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, listing->file);
	return listing_check(listing, error);
}

int listing_each_group(struct listing *listing, const struct group_sorter *groups,
		       listed_group_fn *each, struct simhash_error *error)
{
	uint64_t limit = listing->order.limit, all = groups->totals.groups;
	uint64_t count = limit > 0 && limit < all ? limit : all;
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	listing->left_out = all - count;
	for (; status == 0 && count > 0; count--)
		if (group_cursor_next(&cursor, error) != 1 ||
		    each(listing, &cursor.group, cursor.members, error) != 0)
			status = -1;
	group_cursor_release(&cursor);
	return status;
}

int listing_write_groups(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error)
{
	frame_begin(listing->file, &listing->formatter->groups);
	if (listing_each_group(listing, groups, write_group, error) != 0)
		return -1;
	frame_end(listing->file, &listing->formatter->groups,
		  groups->totals.groups - listing->left_out);
	return listing_check(listing, error);
}
