/*
 * Writes the parts of a progress line, and estimates the time left.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/progress_line.h"

#include <stdint.h>
#include <string.h>

#include "cli/terminal/terminal.h"

#define SHORT_S 2.0    /* an estimate below this is not shown ... */
#define BELIEVED_S 3.0 /* ... for longer than this */
#define RATE_MIN 1e-9

static size_t width_of(const struct line_part *parts, size_t count, unsigned rank)
{
	size_t width = 0;

	for (size_t i = 0; i < count; i++)
		if (parts[i].text[0] != '\0' && parts[i].rank <= rank)
			width += strlen(parts[i].text) + (width == 0 ? 0 : 2);
	return width;
}

unsigned write_parts(FILE *line, const struct line_part *parts, size_t count, unsigned columns)
{
	unsigned rank = 0, width = 0;

	for (size_t i = 0; i < count; i++)
		rank = parts[i].rank > rank ? parts[i].rank : rank;
	while (rank > 0 && width_of(parts, count, rank) > columns)
		rank--;
	if (width_of(parts, count, rank) > columns)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (parts[i].text[0] != '\0' && parts[i].rank <= rank) {
			int size = fprintf(line, "%s%s", width == 0 ? "" : "  ", parts[i].text);
			width += size < 0 ? 0 : (unsigned)size;
		}
	return width;
}

unsigned whole_percent(double done, double all)
{
	return done >= all ? 100 : (unsigned)(100 * done / all);
}

void write_time_left(struct time_left *left, double seconds, double done, double rest,
		     char text[64])
{
	double rate = progress_rate(&left->rate, seconds, done), rest_s;
	char buffer[32];

	text[0] = '\0';
	if (rest > 0 && rate < RATE_MIN)
		return;
	rest_s = rest > 0 ? rest / rate : 0;
	if (rest_s >= SHORT_S)
		left->is_short = false;
	else if (!left->is_short) {
		left->is_short = true;
		left->short_since_s = seconds;
	}
	if (rest <= 0 || (left->is_short && seconds - left->short_since_s > BELIEVED_S))
		snprintf(text, 64, "finishing");
	else
		snprintf(text, 64, "%s left", format_seconds(rest_s, buffer));
}

void skip_time(struct time_left *left, double seconds, double done)
{
	left->rate.seconds = seconds;
	left->rate.done = done;
	left->is_short = false;
}
