/* SPDX-License-Identifier: GPL-2.0-or-later
 * Formulas, by recursive descent: each function reads what binds at least as tightly as its name
 * says, and leaves `at` behind it. */
#include "setup/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *at;
  const oak_symbol_t *symbol;
  const char *wrong; /* NULL: nothing so far */
  int depth;
} reader_t;

enum { DEEPEST = 100 };

static double read_sum(reader_t *r);

static int next_is(reader_t *r, const char *operator) {
  r->at += strspn(r->at, " \t");
  const size_t length = strlen(operator);
  if (strncmp(r->at, operator, length) != 0) return 0;
  r->at += length;
  return 1;
}

static double fail(reader_t *r, const char *why) {
  if (!r->wrong) r->wrong = why;
  return NAN;
}

static double call(reader_t *r, const char *name, size_t length) {
  static const struct {
    const char *name;
    double (*of)(double);
  } function[] = {{"exp", exp}, {"log", log}, {"log10", log10}, {"sqrt", sqrt}, {"abs", fabs}};
  const double x = read_sum(r);
  if (!next_is(r, ")")) return fail(r, "a closing parenthesis is missing");
  for (size_t n = 0; n < sizeof function / sizeof *function; n++) {
    if (strncmp(name, function[n].name, length) != 0 || function[n].name[length]) continue;
    return function[n].of(x);
  }
  return fail(r, "the functions are exp, log, log10, sqrt and abs");
}

static double read_name(reader_t *r) {
  const char *name = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
  const size_t length = (size_t)(r->at - name);
  if (next_is(r, "(")) return call(r, name, length);
  for (const oak_symbol_t *s = r->symbol; s->name; s++)
    if (!strncmp(name, s->name, length) && !s->name[length]) return s->value;
  return fail(r, "it has a name that is not known, or a constant that is not given");
}

static double read_value(reader_t *r) {
  if (next_is(r, "(")) {
    const double x = read_sum(r);
    return next_is(r, ")") ? x : fail(r, "a closing parenthesis is missing");
  }
  if (isalpha((unsigned char)*r->at)) return read_name(r);
  char *end;
  const double x = strtod(r->at, &end);
  if (end == r->at) return fail(r, "a number or a name is missing");
  r->at = end;
  return x;
}

/* As in Fortran, -a**b is -(a**b), and powers bind from the right. */
static double read_power(reader_t *r) {
  if (r->wrong || r->depth == DEEPEST) return fail(r, "it is too deep");
  r->depth++;
  double x;
  if (next_is(r, "-")) {
    x = -read_power(r);
  } else {
    next_is(r, "+");
    x = read_value(r);
    if (next_is(r, "**") || next_is(r, "^")) x = pow(x, read_power(r));
  }
  r->depth--;
  return x;
}

static double read_product(reader_t *r) {
  double x = read_power(r);
  while (!r->wrong) {
    if (next_is(r, "*"))
      x *= read_power(r);
    else if (next_is(r, "/"))
      x /= read_power(r);
    else
      break;
  }
  return x;
}

static double read_sum(reader_t *r) {
  double x = read_product(r);
  while (!r->wrong) {
    if (next_is(r, "+"))
      x += read_product(r);
    else if (next_is(r, "-"))
      x -= read_product(r);
    else
      break;
  }
  return x;
}

const char *oak_expression(const char *text, const oak_symbol_t *symbol, double *value) {
  reader_t r = {.at = text, .symbol = symbol};
  *value = read_sum(&r);
  next_is(&r, "");
  if (*r.at) fail(&r, "there is more behind it");
  return r.wrong;
}
