/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collects the mistakes in the values of parameters, so that the user sees all of them at once. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "params_private.h"

enum { MOST_SHOWN = 20, SHORTEST = 400 /* a message is added only if so many bytes are free */ };

int oak_mistakes_full(const oak_mistakes_t *mistakes) {
  return mistakes->shown == MOST_SHOWN || sizeof mistakes->text - mistakes->length < SHORTEST;
}

void oak_mistakes_add(oak_mistakes_t *mistakes, const char *format, ...) {
  size_t room = sizeof mistakes->text - mistakes->length;
  mistakes->count++;
  /* Messages that do not fit are counted, not cut: a file that is no parameter file may have a
   * mistake in each line. */
  if (oak_mistakes_full(mistakes)) return;
  va_list args;
  va_start(args, format);
  char *line = mistakes->text + mistakes->length;
  int separator = mistakes->shown > 0;
  if (separator) *line = '\n';
  int written = vsnprintf(line + separator, room - (size_t)separator, format, args);
  va_end(args);
  if (written < 0) return;
  if ((size_t)(written + separator) >= room) { /* one huge value: show how it begins */
    written = (int)room - separator - 1;
    memcpy(line + room - 4, "...", 4);
  }
  mistakes->length += (size_t)(written + separator);
  mistakes->shown++;
}

oak_status_t oak_mistakes_fail(const oak_mistakes_t *mistakes) {
  if (mistakes->count == 0) return OAK_OK;
  int hidden = mistakes->count - mistakes->shown;
  if (hidden > 0)
    return OAK_FAIL(OAK_ERR_INPUT, "%s\n... and %d more mistakes", mistakes->text, hidden);
  return OAK_FAIL(OAK_ERR_INPUT, "%s", mistakes->text);
}
