/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small helpers for text, for parameters and terminal output. */
#include "str.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 95 };

char *oak_str_trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  text[length] = '\0';
  return text;
}

int oak_str_is_control(const char *text) {
  const unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;
  if (c == 0xc2) return next >= 0x80 && next < 0xa0; /* in UTF-8: U+0080 to U+009F */
  return (c < 0x20 && c != '\0' && c != '\t' && c != '\n') || c == 0x7f;
}

static int same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int least(int a, int b) { return a < b ? a : b; }

const char *oak_str_word(const char **text, size_t *length) {
  static const char blank[] = " \t\r\n";
  const char *word = *text + strspn(*text, blank);
  *length = strcspn(word, blank);
  *text = word + *length;
  return *length ? word : NULL;
}

int oak_str_has_word(const char *text, const char *word, size_t length) {
  size_t letters;
  for (const char *one; (one = oak_str_word(&text, &letters));)
    if (letters == length && !strncmp(one, word, length)) return 1;
  return 0;
}

void oak_str_wrap(FILE *stream, const char *text, int indent, int column) {
  enum { WIDTH = 96 };
  while (*text) {
    const int letters = (int)strcspn(text, " \n");
    if (column > indent && column + 1 + letters > WIDTH) {
      fputc('\n', stream);
      column = 0;
    }
    if (column < indent)
      column += fprintf(stream, "%*s", indent - column, "");
    else if (column > indent)
      column += fprintf(stream, " ");
    column += fprintf(stream, "%.*s", letters, text);
    text += letters;
    if (*text == '\n') column = 0;
    if (*text && *text++ == '\n') fputc('\n', stream);
  }
  fprintf(stream, "\n");
}

int oak_str_distance(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return (int)(na > nb ? na : nb);

  /* Rows i-2, i-1 and i of the table of distances between beginnings of a and b. */
  int row[3][LONGEST + 1];
  for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int *now = row[i % 3];
    const int *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      now[j] =
          least(least(before[j], now[j - 1]) + 1, before[j - 1] + !same_letter(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        now[j] = least(now[j], two_before[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

void oak_str_append(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

oak_nearest_t oak_nearest_to(const char *name) {
  const size_t length = strlen(name);
  return (oak_nearest_t){.name = name, .least = length > 4 ? 3 : length > 1 ? 2 : 1};
}

void oak_nearest_try(oak_nearest_t *n, const char *candidate, size_t length) {
  char word[sizeof n->meant];
  if (length >= sizeof word) return;
  snprintf(word, sizeof word, "%.*s", (int)length, candidate);
  const int distance = oak_str_distance(n->name, word);
  if (distance >= n->least) return;
  n->least = distance;
  memcpy(n->meant, word, sizeof word);
}

const char *oak_str_meant(const char *names, const char *word, char out[96]) {
  oak_nearest_t near = oak_nearest_to(word);
  size_t length;
  for (const char *name; (name = oak_str_word(&names, &length));)
    oak_nearest_try(&near, name, length);
  snprintf(out, 96, *near.meant && near.least ? "; did you mean %s?" : "", near.meant);
  return out;
}

void oak_str_count(char *out, size_t size, double count) {
  static const char unit[] = {'k', 'M', 'G', 'T', 'P', 'E'};
  if (count < 9999.5) {
    snprintf(out, size, "%.0f", count);
    return;
  }
  int u = 0;
  count /= 1000;
  while (count >= 999.5 && u + 1 < (int)sizeof unit) {
    count /= 1000;
    u++;
  }
  int digits = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
  snprintf(out, size, "%.*f%c", digits, count, unit[u]);
}

void oak_str_span(char *out, size_t size, double seconds) {
  if (!(seconds >= 0) || seconds > 8e9) { /* not a number, or centuries: no estimate */
    snprintf(out, size, "-");
    return;
  }
  if (seconds < 59.95) {
    snprintf(out, size, "%.1f s", seconds);
    return;
  }
  long s = lround(seconds);
  if (s < 3600)
    snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
  else if (s < 100 * 3600)
    snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(out, size, "%ldd %02ldh", s / 86400, s / 3600 % 24);
}
