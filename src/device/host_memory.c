/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of the host, for back ends whose kernels run there. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device_private.h"

struct oak_host_block {
  void *address;
  size_t bytes;
};

static oak_status_t reserve(oak_host_memory_t *memory) {
  if (memory->count < memory->room) return OAK_OK;
  int room = 2 * memory->room + 32;
  oak_host_block_t *grown = realloc(memory->block, (size_t)room * sizeof *grown);
  OAK_CHECK(grown, OAK_ERR_MEMORY, "no memory for the table of %d allocations", room);
  memory->block = grown;
  memory->room = room;
  return OAK_OK;
}

oak_status_t oak_host_alloc(oak_device_t *dev, oak_host_memory_t *memory, size_t bytes,
                            void **out) {
  const size_t huge = (size_t)2 << 20, line = 64;
  OAK_TRY(reserve(memory));
  OAK_TRY(oak_ledger_take(dev->ledger, bytes));
  /* Huge pages save address lookups of kernels that walk all of it. The pages are placed by who
   * writes first, so nothing is cleared here. */
  size_t unit = bytes >= 2 * huge ? huge : line;
  size_t rounded = (bytes + unit - 1) / unit * unit;
  void *address = aligned_alloc(unit, rounded);
  if (!address) {
    char size[32];
    oak_ledger_give(dev->ledger, bytes);
    return OAK_FAIL(
        OAK_ERR_MEMORY,
        "cannot allocate %s of memory: the system refuses (%s); use fewer blocks, more hosts, or "
        "a higher limit (ulimit -v)",
        oak_format_size((double)bytes, size), strerror(ENOMEM));
  }
  if (unit == huge) madvise(address, rounded, MADV_HUGEPAGE);
  memory->block[memory->count++] = (oak_host_block_t){address, bytes};
  *out = address;
  return OAK_OK;
}

void oak_host_free(oak_device_t *dev, oak_host_memory_t *memory, void *ptr) {
  for (int i = 0; i < memory->count; i++) {
    if (memory->block[i].address != ptr) continue;
    oak_ledger_give(dev->ledger, memory->block[i].bytes);
    memory->block[i] = memory->block[--memory->count];
    free(ptr);
    return;
  }
  OAK_ASSERT(!"memory of this device");
}

void oak_host_memory_clear(oak_host_memory_t *memory) {
  for (int i = 0; i < memory->count; i++) free(memory->block[i].address);
  free(memory->block);
  *memory = (oak_host_memory_t){0};
}
