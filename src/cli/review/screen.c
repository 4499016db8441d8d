/*
 * Implements the full screen with curses (X/Open Curses, with wide characters).
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/screen.h"

#include "base/basic/error.h"

#ifdef SIMHASH_HAVE_CURSES
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "base/text/columns.h"
#include "base/text/escape.h"

#define IDLE_S 1
#define CELLS_MAX 1000 /* the most columns that are drawn */
#define ESCAPE_MS 50   /* a slow line sends the bytes of a key together */

static SCREEN *screen;
static bool colours;
static volatile sig_atomic_t stop_signal;

/* ---- Signals ---- */

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NUMBERS (sizeof numbers / sizeof *numbers)
static struct sigaction before[NUMBERS];

/* The next signal ends the program, for a terminal that takes no more bytes. */
static void on_stop(int number)
{
	if (stop_signal == 0)
		stop_signal = number;
}

static void catch_stops(void)
{
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static void restore_stops(void)
{
	for (size_t i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &before[i], NULL);
}

int screen_signal(void)
{
	return stop_signal;
}

/* ---- Begin and end ---- */

/* Names are UTF-8 for all programs of this project, no matter which locale is set. */
static void choose_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}

int screen_begin(bool has_colours, struct simhash_error *error)
{
	choose_locale();
	catch_stops();
	stop_signal = 0;
	screen = newterm(NULL, stdout, stdin);
	if (screen == NULL) {
		restore_stops();
		return error_set(error, SIMHASH_E_SYSTEM, "cannot use the terminal");
	}
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	wtimeout(stdscr, 0);
	curs_set(0);
	colours = has_colours && has_colors() && start_color() == OK && use_default_colors() == OK;
	if (colours) {
		init_pair(STYLE_KEEP, COLOR_GREEN, -1);
		init_pair(STYLE_REMOVE, COLOR_RED, -1);
	}
	return 0;
}

void screen_end(void)
{
	if (screen == NULL)
		return;
	curs_set(1);
	endwin();
	delscreen(screen);
	screen = NULL;
	setlocale(LC_CTYPE, "C");
	restore_stops();
}

/* ---- Drawing ---- */

unsigned screen_rows(void)
{
	return (unsigned)LINES;
}

unsigned screen_columns(void)
{
	return COLS > CELLS_MAX ? CELLS_MAX : (unsigned)COLS;
}

void screen_clear(void)
{
	erase();
}

void screen_show(void)
{
	refresh();
}

static attr_t attribute_of(const struct screen_place *place)
{
	attr_t attribute = A_NORMAL;

	if (place->style == STYLE_BOLD || place->style == STYLE_KEEP ||
	    place->style == STYLE_REMOVE)
		attribute = A_BOLD;
	if (colours && (place->style == STYLE_KEEP || place->style == STYLE_REMOVE))
		attribute = (attr_t)COLOR_PAIR(place->style);
	if (place->is_selected || place->style == STYLE_BAR)
		attribute |= A_REVERSE;
	return attribute;
}

/* Append the characters of a valid text that fit. Returns the columns that are used. */
static unsigned add_characters(wchar_t *cells, size_t *count, unsigned used, unsigned width,
			       struct bytes text)
{
	while (text.size > 0) {
		size_t length = utf8_length(text);
		uint32_t code = length == 0 ? '?'
					    : code_point((const unsigned char *)text.data, length);
		int columns = wcwidth((wchar_t)code);
		if (columns < 0) { /* this terminal's library does not know it */
			code = '?';
			columns = 1;
		}
		if (used + (unsigned)columns > width || *count >= CELLS_MAX)
			break;
		cells[(*count)++] = (wchar_t)code;
		used += (unsigned)columns;
		text = bytes_after(text, length == 0 ? 1 : length);
	}
	return used;
}

void screen_put(const struct screen_place *place, struct bytes text)
{
	static wchar_t cells[CELLS_MAX + 1];
	size_t count = 0, size;
	unsigned used, width = place->width;
	char *escaped = escape_text(text, &size);
	struct text_ends ends;

	if (width > screen_columns() - place->column)
		width = screen_columns() - place->column;
	if (escaped == NULL || place->row >= screen_rows() || place->column >= screen_columns()) {
		free(escaped);
		return;
	}
	ends = place->keeps_head ? (struct text_ends){size, 0}
				 : text_shorten((struct bytes){escaped, size}, width);
	used = add_characters(cells, &count, 0, width, (struct bytes){escaped, ends.head});
	if (ends.head < size) {
		used = add_characters(cells, &count, used, width, bytes_of(LEFT_OUT));
		used = add_characters(cells, &count, used, width,
				      (struct bytes){escaped + size - ends.tail, ends.tail});
	}
	for (; used < width && count < CELLS_MAX; used++)
		cells[count++] = L' ';
	cells[count] = L'\0';
	attrset((int)attribute_of(place));
	mvaddnwstr((int)place->row, (int)place->column, cells, (int)count);
	attrset(A_NORMAL);
	free(escaped);
}

/* ---- Keys ---- */

static unsigned special_key(wint_t key)
{
	static const struct {
		wint_t curses;
		unsigned key;
	} keys[] = {
		{KEY_UP, SCREEN_UP},	      {KEY_DOWN, SCREEN_DOWN},
		{KEY_LEFT, SCREEN_LEFT},      {KEY_RIGHT, SCREEN_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP},  {KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},      {KEY_END, SCREEN_END},
		{KEY_ENTER, SCREEN_ENTER},    {KEY_BACKSPACE, SCREEN_BACKSPACE},
		{KEY_RESIZE, SCREEN_RESIZED},
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].curses == key)
			return keys[i].key;
	return SCREEN_OTHER;
}

/* Wait until there is a byte, or a signal. Returns the result of poll(2). */
static int wait_for_input(short *events)
{
	const struct timespec idle = {.tv_sec = IDLE_S};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t stops, mask;
	int status = -1;

	sigemptyset(&stops);
	for (size_t i = 0; i < NUMBERS; i++)
		sigaddset(&stops, numbers[i]);
	sigprocmask(SIG_BLOCK, &stops, &mask);
	if (stop_signal == 0)
		status = ppoll(&input, 1, &idle, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	*events = input.revents;
	return status;
}

unsigned screen_key(void)
{
	for (;;) {
		short events = 0;
		wint_t key = 0;
		int kind = stop_signal == 0 ? get_wch(&key) : ERR, status;
		if (kind == KEY_CODE_YES)
			return special_key(key);
		if (kind == OK)
			return key == '\r'		? SCREEN_ENTER
			       : key == 127 || key == 8 ? SCREEN_BACKSPACE
							: key;
		status = wait_for_input(&events);
		if (status > 0 && (events & (POLLHUP | POLLERR | POLLNVAL)) != 0 &&
		    stop_signal == 0)
			stop_signal = SIGHUP;
		if (stop_signal != 0)
			return SCREEN_STOP;
		if (status == 0)
			return SCREEN_IDLE;
	}
}

#else

int screen_begin(bool has_colours, struct simhash_error *error)
{
	(void)has_colours;
	return screen_check(error);
}

void screen_end(void)
{
}

int screen_signal(void)
{
	return 0;
}

unsigned screen_rows(void)
{
	return 0;
}

unsigned screen_columns(void)
{
	return 0;
}

void screen_clear(void)
{
}

void screen_show(void)
{
}

unsigned screen_key(void)
{
	return SCREEN_STOP;
}

void screen_put(const struct screen_place *place, struct bytes text)
{
	(void)place;
	(void)text;
}

#endif
