/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small helpers for text: copies, nearest names, numbers for people. Private. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "oak/status.h"

/** strdup for texts that may be NULL. */
static inline char *oak_str_copy(const char *text) { return text ? strdup(text) : NULL; }

/** 1 for letters, digits and _, and for blanks and ends of lines. Called for each character of long
 * texts: functions of ctype.h would ask for the locale. */
static inline int oak_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static inline int oak_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/** Cut white space at both ends, in place. \return the first character kept. */
char *oak_str_trim(char *text);

/** 1 if a control character begins at \a text, such as the one that starts commands to a terminal;
 * tab and line feed are none. */
int oak_str_is_control(const char *text);

/** The next word of \a *text, which then points behind it; white space separates words. \return
 * NULL if there is none. */
const char *oak_str_word(const char **text, size_t *length);

/** Print text with line breaks, indented by \a indent; the line has \a column characters so far.
 * An end of line in the text stays. */
void oak_str_wrap(FILE *stream, const char *text, int indent, int column);

/** Whether one of the words of \a text, which white space separates, is the \a length characters at
 * \a word. */
int oak_str_has_word(const char *text, const char *word, size_t length);

/** Edit distance without regard to case: insertions, deletions, replacements and swaps of
 * neighbours. Texts longer than 95 characters are far from everything. */
int oak_str_distance(const char *a, const char *b);

/** Print behind what \a text holds; what is beyond its \a size is cut. */
void oak_str_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The known name that is nearest to a misspelt one. They differ by \a least edits. */
typedef struct {
  const char *name;
  int least;
  char meant[64]; /**< "" if none is near */
} oak_nearest_t;
oak_nearest_t oak_nearest_to(const char *name);
void oak_nearest_try(oak_nearest_t *n, const char *candidate, size_t length);
/** "; did you mean NAME?" with the nearest of \a names, which white space separates; "" if \a word
 * is one of them or none is near. \return out. */
const char *oak_str_meant(const char *names, const char *word, char out[96]);

/** A count in at most 5 characters: 0 to 9999 as they are, then 10.0k, 1.05M, 262G. */
void oak_str_count(char *out, size_t size, double count);

/** A time span in at most 8 characters: "12.3 s", "4:05", "2:04:05", "12d 03h". */
void oak_str_span(char *out, size_t size, double seconds);
