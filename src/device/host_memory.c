/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of the host, for back ends whose kernels run there, and what MPI does with memory of
 * GPUs. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

#include "device_private.h"

struct oak_host_block {
  void *address;
  size_t bytes;
  oak_hold_t *hold; /* NULL: nobody has asked for one */
};

static void give_back(void *address, size_t mapped) {
  if (mapped)
    munmap(address, mapped);
  else
    free(address);
}

static void drop(oak_hold_t *hold) {
  if (atomic_fetch_sub(&hold->users, 1) > 1) return;
  hold->give_back(hold);
  free(hold);
}

void oak_hold_free(oak_hold_t **hold) {
  if (!hold || !*hold) return;
  drop(*hold);
  *hold = NULL;
}

/* The device needs a block no more. */
static void leave(const oak_host_block_t *block, size_t mapped) {
  if (block->hold)
    drop(block->hold);
  else
    give_back(block->address, mapped);
}

static oak_host_block_t *find(oak_host_memory_t *memory, const void *ptr) {
  for (int i = 0; i < memory->count; i++)
    if (memory->block[i].address == ptr) return &memory->block[i];
  return NULL;
}

oak_status_t oak_hold_add(oak_hold_t **kept, void *address, oak_hold_t **out) {
  if (!*kept) {
    OAK_TRY(OAK_NEW(*kept, 1));
    atomic_store(&(*kept)->users, 1);
    (*kept)->address = address;
  }
  atomic_fetch_add(&(*kept)->users, 1);
  *out = *kept;
  return OAK_OK;
}

static void give_back_pages(oak_hold_t *hold) { give_back(hold->address, hold->mapped); }

oak_status_t oak_host_hold(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **out) {
  oak_host_block_t *block = find(&dev->allocated, ptr);
  const int mapped = block == NULL;
  if (mapped) block = find(&dev->shared, ptr);
  where[0] = 1;
  where[1] = 0;
  if (!ptr) return OAK_OK; /* memory of no bytes */
  OAK_ASSERT(block && "memory of this device");
  OAK_TRY(oak_hold_add(&block->hold, ptr, out));
  block->hold->mapped = mapped ? block->bytes : 0;
  block->hold->give_back = give_back_pages;
  return OAK_OK;
}

oak_status_t oak_host_alloc(oak_device_t *dev, size_t bytes, void **out) {
  oak_host_memory_t *memory = &dev->allocated;
  const size_t huge = (size_t)2 << 20, line = 64;
  OAK_TRY(OAK_GROW(memory->block, memory->count));
  OAK_TRY(oak_memory_use_add(dev->memory_use, bytes));
  /* Huge pages save address lookups in kernels that go through all of the memory. The thread that
   * writes a page first decides where it is placed, so nothing is cleared here. */
  size_t unit = bytes >= 2 * huge ? huge : line;
  size_t rounded = (bytes + unit - 1) / unit * unit;
  void *address = aligned_alloc(unit, rounded);
  if (!address) {
    char size[32];
    oak_memory_use_drop(dev->memory_use, bytes);
    return OAK_FAIL(
        OAK_ERR_MEMORY,
        "cannot allocate %s of memory: the system refuses (%s); use fewer blocks, more hosts, or "
        "a higher limit (ulimit -v)",
        oak_format_size((double)bytes, size), strerror(ENOMEM));
  }
  if (unit == huge) madvise(address, rounded, MADV_HUGEPAGE);
  memory->block[memory->count++] = (oak_host_block_t){address, bytes, NULL};
  *out = address;
  return OAK_OK;
}

/* Take a piece off the table. */
static oak_host_block_t take_off(oak_host_memory_t *memory, const void *ptr) {
  oak_host_block_t *block = find(memory, ptr);
  OAK_ASSERT(block && "memory of this device");
  const oak_host_block_t taken = *block;
  *block = memory->block[--memory->count];
  return taken;
}

void oak_host_free(oak_device_t *dev, void *ptr) {
  const oak_host_block_t block = take_off(&dev->allocated, ptr);
  leave(&block, 0);
  oak_memory_use_drop(dev->memory_use, block.bytes);
}

void oak_host_clear(oak_device_t *dev) {
  for (int i = 0; i < dev->allocated.count; i++) leave(&dev->allocated.block[i], 0);
  free(dev->allocated.block);
  free(dev->shared.block);
  free(dev->attached.block);
  dev->allocated = dev->shared = dev->attached = (oak_host_memory_t){0};
}

/* ---- memory that processes share */

static oak_status_t map_file(int file, size_t bytes, void **out) {
  *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (*out != MAP_FAILED) return OAK_OK;
  char size[32];
  const int error = errno;
  *out = NULL;
  return OAK_FAIL(OAK_ERR_MEMORY, "cannot map %s of memory: %s",
                  oak_format_size((double)bytes, size), strerror(error));
}

oak_status_t oak_host_map_new(size_t bytes, void **out, oak_handle_t *handle) {
  const int file = memfd_create("oak", MFD_CLOEXEC);
  *handle = (oak_handle_t){.bytes = (int64_t)bytes, .pid = getpid(), .file = file};
  OAK_CHECK(file >= 0, OAK_ERR_DEVICE, "memory to share cannot be made (memfd_create): %s",
            strerror(errno));
  oak_status_t st = ftruncate(file, (off_t)bytes) == 0
                        ? map_file(file, bytes, out)
                        : OAK_FAIL(OAK_ERR_MEMORY, "memory to share cannot have %zu bytes: %s",
                                   bytes, strerror(errno));
  if (st != OAK_OK) close(file);
  return st;
}

oak_status_t oak_host_map_attach(const oak_handle_t *handle, void **out) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->pid, handle->file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  OAK_CHECK(file >= 0, OAK_ERR_DEVICE, "memory of process %d cannot be opened (%s): %s",
            handle->pid, path, strerror(errno));
  oak_status_t st = map_file(file, (size_t)handle->bytes, out);
  close(file);
  return st;
}

void oak_host_map_close(void *ptr, size_t bytes, oak_handle_t *handle) {
  munmap(ptr, bytes);
  if (handle) close(handle->file);
}

oak_status_t oak_host_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle) {
  OAK_TRY(OAK_GROW(dev->shared.block, dev->shared.count));
  OAK_TRY(oak_memory_use_add(dev->memory_use, bytes));
  oak_status_t st = oak_host_map_new(bytes, out, handle);
  if (st != OAK_OK) {
    oak_memory_use_drop(dev->memory_use, bytes);
    return st;
  }
  madvise(*out, bytes, MADV_HUGEPAGE); /* as in oak_host_alloc, where the system allows it */
  dev->shared.block[dev->shared.count++] = (oak_host_block_t){*out, bytes, NULL};
  return OAK_OK;
}

void oak_host_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle) {
  const oak_host_block_t block = take_off(&dev->shared, ptr);
  close(handle->file);
  leave(&block, block.bytes);
  oak_memory_use_drop(dev->memory_use, block.bytes);
}

oak_status_t oak_host_attach(oak_device_t *dev, const oak_handle_t *handle, void **out) {
  OAK_TRY(OAK_GROW(dev->attached.block, dev->attached.count));
  OAK_TRY(oak_host_map_attach(handle, out));
  dev->attached.block[dev->attached.count++] =
      (oak_host_block_t){*out, (size_t)handle->bytes, NULL};
  return OAK_OK;
}

void oak_host_detach(oak_device_t *dev, void *ptr) {
  munmap(ptr, take_off(&dev->attached, ptr).bytes);
}

/* ---- memory that MPI takes */

int oak_mpi_takes_gpu(void) {
  const char *choice = getenv("OAK_MPI_GPU");
  if (choice && choice[0]) return strcmp(choice, "0") != 0;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support();
#else
  return 0;
#endif
}
