/* SPDX-License-Identifier: GPL-2.0-or-later
 * Topics of the set-up: what a user may set beside mesh and scheme. Each topic NAME has a structure
 * oak_NAME_t, which is a member of oak_setup_t, and an oak_topic_t. A new topic is a file that
 * defines both, and its header and name here. Private to the library. */
#pragma once

#include <stdio.h>

#include "setup/bodies.h"
#include "setup/equations.h"
#include "setup/scalars.h"
#include "setup/table.h"
#include "setup/units.h"

/** X(NAME), in the order in which they are read. */
#define OAK_TOPICS(X) X(scalars) X(bodies) X(equations) X(tables) X(reactions) X(units)

/** Purposes of a text for the compiler. */
enum { OAK_FOR_KERNELS, OAK_TO_DESCRIBE, OAK_TO_DECLARE };

/** A topic. Any function may be NULL. All are rank-local. */
typedef struct {
  const oak_param_desc_t *keys; /**< keys of its section; NULL: none */
  /** Read the keys that the files of physics and problem must know. */
  oak_status_t (*begin)(oak_setup_t *setup);
  /** Take what the files declare, and declare keys that follow from it. \a module describes them.
   */
  oak_status_t (*describe)(oak_setup_t *setup, oak_module_t *module);
  /** Read and judge the other keys; the domain is known. */
  oak_status_t (*read)(oak_setup_t *setup);
  /** Judge the keys when all others are read. */
  oak_status_t (*check)(const oak_setup_t *setup);
  /** Print C in front of the files; \a purpose: OAK_FOR_KERNELS, ... */
  void (*print)(const oak_setup_t *setup, int purpose, FILE *f);
  /** Print lines for the head of a run. */
  void (*report)(const oak_setup_t *setup, FILE *f);
  void (*clear)(oak_setup_t *setup);
} oak_topic_t;

extern const oak_topic_t *const oak_topics[]; /**< ends with NULL */
/** A loop over the topics t that have a function. */
#define OAK_FOR_TOPICS(t, function)                                               \
  for (const oak_topic_t *const *at_ = oak_topics, *t; (t = *at_) != NULL; at_++) \
    if (t->function)

/** Keys of a new set of parameters, with those of all topics. */
const oak_param_desc_t *const *oak_topics_keys(void);
