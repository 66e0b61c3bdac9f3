/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values in JSON. */
#include "json.h"

#include <math.h>
#include <string.h>

#include "str.h"

static void print_text(FILE *stream, const char *text, size_t length) {
  fputc('"', stream);
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c < 0x20)
      fprintf(stream, "\\u%04x", c);
    else
      fprintf(stream, c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  fputc('"', stream);
}

void oak_json_text(FILE *stream, const char *text) { print_text(stream, text, strlen(text)); }

void oak_json_real(FILE *stream, double x) {
  if (isfinite(x))
    fprintf(stream, "%.17g", x);
  else
    fputs("null", stream);
}

void oak_json_reals(FILE *stream, int n, const double *x) {
  fputc('[', stream);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", stream);
    oak_json_real(stream, x[i]);
  }
  fputc(']', stream);
}

void oak_json_words(FILE *stream, const char *text) {
  const char *comma = "";
  size_t length;
  fputc('[', stream);
  for (const char *word; (word = oak_str_word(&text, &length)); comma = ", ") {
    fputs(comma, stream);
    print_text(stream, word, length);
  }
  fputc(']', stream);
}
