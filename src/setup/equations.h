/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations. Private to the library. */
#pragma once

#include <stddef.h>

#include "declare/declared.h"

enum { OAK_LONGEST_FUNCTION = OAK_LONGEST_NAME + 48 };

typedef struct oak_equation {
  const char *name; /**< name of the field of the solution */
  int section;      /**< 1: POISSON_OF declares it, and it has the section [poisson.NAME] */
  char rhs[OAK_LONGEST_FUNCTION]; /**< functions of hooks; empty: there is none */
  char coefficients[OAK_LONGEST_FUNCTION], b[OAK_LONGEST_FUNCTION];
  char boundary[OAK_LONGEST_FUNCTION];
} oak_equation_t;

typedef struct {
  int count;
  oak_equation_t of[OAK_MAX_EQUATIONS];
} oak_equations_t;

typedef struct oak_setup oak_setup_t;

/** The key "poisson.word" of an equation, or "poisson.NAME.word"; it stays to the end of the block.
 */
#define OAK_EQUATION_KEY(e, word) oak_equation_key(e, word, (char[OAK_LONGEST_FUNCTION]){0})
const char *oak_equation_key(const oak_equation_t *e, const char *word,
                             char key[OAK_LONGEST_FUNCTION]);
/** How a file writes a hook of the equation: "POISSON(", "POISSON_OF(psi, "; it stays as long. */
#define OAK_EQUATION_HOOK(e, hook) oak_equation_hook(e, hook, (char[OAK_LONGEST_FUNCTION]){0})
const char *oak_equation_hook(const oak_equation_t *e, const char *hook,
                              char text[OAK_LONGEST_FUNCTION]);
/** Steps from one solution to the next; 0: it is solved in each stage. */
int oak_equation_every(const oak_setup_t *setup, int number);
/** Number of the field beside the state of that name, -1: none. */
int oak_field_find(const oak_setup_t *setup, const char *name);
/** Whether an equation sets the field \a name: what follows the name of its solution: "" for that
 * itself, "_x" for a derivative, "_t", "_tt" and "_x_t" for rates of change. NULL: none does. */
const char *oak_equation_result(const oak_setup_t *setup, const char *name);
/** Whether the solution of POISSON_OF is 0 in all bodies. */
int oak_equation_absorbs(const oak_setup_t *setup, int number);
/** Whether an equation has a hook: rhs, coefficients, b or boundary. */
#define OAK_EQUATION_HAS(setup, hook) oak_equation_has(setup, offsetof(oak_equation_t, hook))
int oak_equation_has(const oak_setup_t *setup, size_t member);
