/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of kinds of output, in the order of `oak help`, and parameter sets with their keys. */
#include "output/item.h"
#include "setup/setup.h"

#define OAK_KINDS(X) \
  X(plotfile)        \
  X(picture)         \
  X(slice)           \
  X(line)            \
  X(probe)           \
  X(xdmf)            \
  X(vtkhdf)          \
  X(history)

#define DECLARE(name) extern const oak_output_kind_t oak_output_##name;
OAK_KINDS(DECLARE)

#define KIND(name) &oak_output_##name,
const oak_output_kind_t *const oak_output_kinds[] = {OAK_KINDS(KIND) NULL};

#define WORD(name) &oak_output_##name.word,
static const oak_output_word_t *const words[] = {OAK_KINDS(WORD) NULL};

/* Here, so that src/base needs to know no kind, and no section of src/setup. */
oak_status_t oak_params_new(oak_params_t **out) {
  return oak_params_create(words, oak_topics_keys(), out);
}
