/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values of parameters: from text to numbers, and what is allowed in words. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "params_private.h"
#include "str.h"

static int any_range(const oak_param_desc_t *desc) {
  return desc->min == desc->max || (isinf(desc->min) && isinf(desc->max));
}

static int in_range(const oak_param_desc_t *desc, double x) {
  if (any_range(desc)) return 1;
  return x <= desc->max && (desc->above_min ? x > desc->min : x >= desc->min);
}

/** One integer at \a text, ending before \a end. */
static int parse_int(const oak_param_desc_t *desc, const char *text, const char *end, int *out) {
  char *stop;
  errno = 0;
  long n = strtol(text, &stop, 10);
  if (stop == text || stop != end || errno == ERANGE || n < INT_MIN || n > INT_MAX) return 0;
  if (!in_range(desc, (double)n) || (desc->multiple_of > 1 && n % desc->multiple_of != 0)) return 0;
  *out = (int)n;
  return 1;
}

/** One number, such as 0.5 or 2pi, or a fraction of two, such as 5/3. Numbers that are too large or
 * too small for a double are none: 1e-400 would become 0, which may have another meaning. */
static int parse_real(const oak_param_desc_t *desc, const char *text, const char *end,
                      double *out) {
  char *stop;
  errno = 0;
  double x = strtod(text, &stop);
  if (x == 0 && errno == ERANGE) return 0;
  const int zero = x == 0 && stop != text;
  if (!strncmp(stop, "pi", 2)) {
    x = stop == text ? M_PI : x * M_PI;
    stop += 2;
  }
  if (stop == text) return 0;
  if (stop != end && *stop == '/') {
    const char *below = stop + 1;
    if (isspace((unsigned char)*below)) return 0;
    double divisor = strtod(below, &stop);
    if (stop == below || divisor == 0 || !isfinite(divisor)) return 0;
    x /= divisor;
    if (x == 0 && !zero) return 0;
  }
  if (stop != end || !isfinite(x) || !in_range(desc, x)) return 0;
  *out = x;
  return 1;
}

static int parse_bool(const char *text, int *out) {
  static const char *const word[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
  for (int w = 0; w < 8; w++)
    if (strcasecmp(text, word[w]) == 0) {
      *out = w % 2;
      return 1;
    }
  return 0;
}

static int parse_choice(const char *choices, const char *text, int *out) {
  const size_t length = strlen(text);
  size_t letters;
  *out = 0;
  for (const char *word; (word = oak_str_word(&choices, &letters)); ++*out)
    if (letters == length && strncmp(word, text, length) == 0) return 1;
  return 0;
}

/** One to three numbers, separated by blanks or a comma, or as many as the key has. Numbers that
 * are left out take the value of the last one, so a single number stands for all. The value holds
 * the first three; oak_params_array() reads all of them from the text. */
static int parse_list(const oak_param_desc_t *desc, const char *text, oak_param_value_t *out) {
  static const char blank[] = " \t";
  const char *at = text + strspn(text, blank);
  int count = 0, unused_n;
  double unused_x;
  while (*at) {
    const char *end = at + strcspn(at, " \t,");
    if (count == (desc->count > 3 ? desc->count : 3)) return 0;
    int ok = desc->type == OAK_PARAM_INTS
                 ? parse_int(desc, at, end, count < 3 ? &out->n[count] : &unused_n)
                 : parse_real(desc, at, end, count < 3 ? &out->x[count] : &unused_x);
    if (!ok) return 0;
    count++;
    at = end + strspn(end, blank);
    if (*at == ',') {
      at++;
      at += strspn(at, blank);
      if (!*at) return 0;
    }
  }
  if (count == 0 || (desc->count > 0 && count != desc->count)) return 0;
  out->count = count;
  for (int d = count; d < 3; d++) {
    out->n[d] = out->n[count - 1];
    out->x[d] = out->x[count - 1];
  }
  return 1;
}

int oak_param_parse(const oak_param_desc_t *desc, const char *text, oak_param_value_t *out) {
  const char *end = text + strlen(text);
  memset(out, 0, sizeof *out);
  out->count = 1;
  switch (desc->type) {
    case OAK_PARAM_INT:
      return parse_int(desc, text, end, &out->n[0]);
    case OAK_PARAM_REAL:
      return parse_real(desc, text, end, &out->x[0]);
    case OAK_PARAM_BOOL:
      return parse_bool(text, &out->n[0]);
    case OAK_PARAM_TEXT:
      return 1;
    case OAK_PARAM_CHOICE:
      return parse_choice(desc->choices, text, &out->n[0]);
    case OAK_PARAM_INTS:
    case OAK_PARAM_REALS:
      return parse_list(desc, text, out);
  }
  return 0;
}

static void allowed_range(const oak_param_desc_t *desc, char *out, size_t size) {
  const char *from = desc->above_min ? " above" : " from";
  out[0] = '\0';
  if (any_range(desc)) return;
  if (isinf(desc->min))
    snprintf(out, size, " of at most %.10g", desc->max);
  else if (!isinf(desc->max))
    snprintf(out, size, "%s %.10g %s %.10g", from, desc->min, desc->above_min ? "and up to" : "to",
             desc->max);
  else if (desc->above_min)
    snprintf(out, size, " above %.10g", desc->min);
  else
    snprintf(out, size, " of at least %.10g", desc->min);
}

static void allowed_numbers(const oak_param_desc_t *desc, int article, char *out, size_t size) {
  static const char *const how_many[] = {"one to three ", "one ", "two ", "three "};
  int list = desc->type == OAK_PARAM_INTS || desc->type == OAK_PARAM_REALS;
  int plural = list && desc->count != 1;
  int integer = desc->type == OAK_PARAM_INT || desc->type == OAK_PARAM_INTS;
  int even = integer && desc->multiple_of == 2;
  char many[32];
  snprintf(many, sizeof many, "%d ", desc->count);
  const char *lead = list       ? desc->count > 3 ? many : how_many[desc->count]
                           : !article ? ""
                     : integer  ? "an "
                                : "a ";
  char range[96], multiple[48] = "";
  allowed_range(desc, range, sizeof range);
  if (integer && desc->multiple_of > 2)
    snprintf(multiple, sizeof multiple, ", %s of %d", plural ? "multiples" : "a multiple",
             desc->multiple_of);
  snprintf(out, size, "%s%s%s%s%s%s", lead, even ? "even " : "", integer ? "integer" : "number",
           plural ? "s" : "", range, multiple);
}

void oak_param_allowed(const oak_param_desc_t *desc, int article, char *out, size_t size) {
  switch (desc->type) {
    case OAK_PARAM_BOOL:
      snprintf(out, size, "yes or no");
      return;
    case OAK_PARAM_TEXT:
    case OAK_PARAM_CHOICE:
      if (desc->choices) break;
      snprintf(out, size, "text");
      return;
    default:
      allowed_numbers(desc, article, out, size);
      return;
  }
  const char *separator = "", *rest = desc->choices;
  size_t letters;
  snprintf(out, size, article ? "one of " : "");
  for (const char *word; (word = oak_str_word(&rest, &letters)); separator = ", ")
    oak_str_append(out, size, "%s%.*s", separator, (int)letters, word);
}

int oak_params_numbers(const char *text, int most, double *out) {
  static const oak_param_desc_t any = {.min = -INFINITY, .max = INFINITY};
  static const char blank[] = " ,\t";
  int count = 0;
  for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
    const char *end = text + strcspn(text, blank);
    double x;
    if (!parse_real(&any, text, end, &x)) return -1;
    if (count < most) out[count] = x;
    count++;
    text = end;
  }
  return count;
}
