/*
 * Draws on the full screen: a thin layer over curses, for texts of unknown origin. Without curses
 * there is no screen.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_SCREEN_H
#define SIMHASH_CLI_REVIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/basic/bytes.h"
#include "simhash.h"

enum screen_style { STYLE_PLAIN, STYLE_BOLD, STYLE_SOFT, STYLE_KEEP, STYLE_REMOVE, STYLE_BAR };

/* Keys that are no characters. */
enum screen_key {
	SCREEN_UP = 0x110000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACKSPACE,
	SCREEN_RESIZED,
	SCREEN_IDLE, /* no key was pressed for a second */
	SCREEN_STOP, /* a signal ends the program, or the terminal is lost */
	SCREEN_OTHER
};
#define SCREEN_ENTER '\n'
#define SCREEN_ESCAPE 27

bool screen_is_built_in(void);

/* Can this terminal show a full screen? */
int screen_check(struct simhash_error *error);

/* Begin and end the full screen. Signals that end a program are caught in between. */
int screen_begin(bool has_colours, struct simhash_error *error);
void screen_end(void);

/* The signal that ended the program, or 0. */
int screen_signal(void);

unsigned screen_rows(void);
unsigned screen_columns(void);

/* Draw everything since screen_clear, as few bytes as possible. */
void screen_clear(void);
void screen_show(void);

/* Wait for a key. */
unsigned screen_key(void);

/*
 * Draw text in exactly `width` columns: a longer text loses its middle, or its end if `keeps_head`;
 * a shorter one is followed by spaces. Characters that act on a display, and invalid UTF-8, are
 * escaped. `selected`: draw it inverted.
 */
struct screen_place {
	unsigned row, column, width;
	enum screen_style style;
	bool is_selected, keeps_head;
};
void screen_put(const struct screen_place *place, struct bytes text);

#endif
