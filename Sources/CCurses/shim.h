#pragma once
// Behind functions, since Swift sees neither macros with arguments nor the library's variables as safe.
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

// <term.h> would define names such as `lines`.
extern int setupterm(const char *terminal, int descriptor, int *error);
extern char *tigetstr(const char *capability);

// The person's character set; UTF-8 where they have only ASCII, which all terminals of today understand.
static inline void ccurses_choose_characters(void) {
  setlocale(LC_CTYPE, "");
  if (strncmp(nl_langinfo(CODESET), "ANSI", 4) == 0) setlocale(LC_CTYPE, "C.UTF-8");
}

// The terminal's columns that a character takes; -1 for one that is not shown.
static inline int ccurses_width(unsigned int scalar) { return wcwidth((wchar_t)scalar); }

// Whether lines can be put anywhere on this terminal.
static inline int ccurses_can_address(void) {
  int error = 0;
  if (setupterm(NULL, 1, &error) != OK || error != 1) return 0;
  char *capability = tigetstr("cup");
  return capability && capability != (char *)-1;
}

static inline int ccurses_begin(void) {
  if (!newterm(NULL, stdout, stdin)) return 0;
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  return 1;
}

// Takes over the size that the terminal has now.
static inline void ccurses_measure(int *rows, int *columns) {
  struct winsize size = {0};
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
      (size.ws_row != LINES || size.ws_col != COLS))
    resizeterm(size.ws_row, size.ws_col);
  *rows = LINES;
  *columns = COLS;
}

// 0: no key waits. 1: a character. 2: one of ncurses' key codes.
static inline int ccurses_key(unsigned int *key) {
  wint_t value = 0;
  int kind = get_wch(&value);
  *key = value;
  return kind == ERR ? 0 : kind == KEY_CODE_YES ? 2 : 1;
}

static inline void ccurses_line(int row, const char *text, int bold, int reverse) {
  // Cleared first: after a text that fills the last line the cursor stands on its last character.
  move(row, 0);
  clrtoeol();
  attrset((bold ? A_BOLD : 0) | (reverse ? A_REVERSE : 0));
  addstr(text);
  attrset(A_NORMAL);
}
