/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the preprocessor makes of the files of physics and problem: lines of C, of #define, and of
 * `# 12 "file"`, which say where the next line comes from. */
#pragma once

#include "base/failure.h"

typedef enum { OAK_FROM_OAK, OAK_FROM_SCHEMES, OAK_FROM_USER } oak_text_from_t;

/** A line of such a text; start from {.next = text}. */
typedef struct {
  const char *at, *next; /**< the line, and the one behind it */
  const char *path;      /**< of its file, as far as the next quote */
  int path_length, line;
  oak_text_from_t from; /**< SCHEMES: a file of numerics/; USER: a file of physics or problem */
} oak_text_line_t;

/** Go to the next line that is not a place. \return 0: there is none. */
int oak_text_next(oak_text_line_t *l);

/** 1 for letters, digits and _. */
int oak_is_word(char c);

/** A place in a file of a user. */
typedef struct {
  char path[4096]; /**< "": there is none */
  int line;
} oak_text_place_t;

/** The first place where \a name stands as a word in a file of a user, behind \a before, if this is
 * not "". */
oak_text_place_t oak_text_find(const char *text, const char *before, const char *name);

/** Whether the function that follows `hook(name, structure)` may read a member of the structure. */
int oak_text_reads(const char *text, const char *hook, const char *name, const char *member);

/** Names in capitals that the files of users enumerate in C, blank-separated. */
void oak_text_enumerators(const char *text, char *names, size_t size);

/** Refuse macros of users that have no effect: no compiler says so. */
oak_status_t oak_text_check_macros(const char *text);
