/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of the messages that a rank sends or receives: lists that grow, and their order.
 *
 * Both ends of a message sort its parts in the same way without communication: by kind, by face of
 * the receiving block, by number of the receiving block on its rank, and by position of the fine
 * block (paper, "Ghost cell exchange"). */
#include <stdlib.h>

#include "halo/pattern_build.h"

oak_status_t oak_build_part(parts_t *list, part_t part) {
  OAK_TRY(OAK_GROW(list->part, list->count));
  list->part[list->count++] = part;
  return OAK_OK;
}

static int compare_parts(const void *a, const void *b) {
  const part_t *p = a, *q = b;
  if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->face != q->face) return p->face < q->face ? -1 : 1;
  if (p->block != q->block) return p->block < q->block ? -1 : 1;
  return p->sub < q->sub ? -1 : p->sub > q->sub;
}

void oak_build_sort(parts_t *list) {
  if (list->count) qsort(list->part, list->count, sizeof(part_t), compare_parts);
}

int64_t oak_build_pieces(const build_t *b, const parts_t *parts, int messages_only) {
  int64_t sum = 0;
  for (int i = 0; i < parts->count; i++)
    if (!messages_only || by_message(b, parts->part[i].rank))
      sum += parts->part[i].kind <= PART_OPPOSITE ? b->half : 1;
  return sum;
}
