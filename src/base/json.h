/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values in JSON, for commands that programs read. Private. */
#pragma once

#include <stdio.h>

#include "oak/status.h"

/** Print a text in quotes. */
void oak_json_text(FILE *stream, const char *text);
/** Print a number with all of its digits. JSON has no infinity and no NaN: they become null. */
void oak_json_real(FILE *stream, double x);
/** Print \a n numbers as a list. */
void oak_json_reals(FILE *stream, int n, const double *x);
/** Print the words of \a text, which blanks separate, as a list of texts. */
void oak_json_words(FILE *stream, const char *text);
