/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of src/device/ share: the host and its memory. Private. */
#pragma once

#include <stdatomic.h>

#include "build/build.h"

/** The type of a function of oak_device_ops_t. */
#define OAK_OP_TYPE(member) __typeof__(*((oak_device_ops_t *)0)->member)

/* ---- host.c */

/** The processor. */
typedef struct {
  char model[96];
  const char *simd; /**< widest vector unit, for people; "" if not known */
  int avx512;
  unsigned signature; /**< family, model and stepping; 0 if not known */
  oak_hash_t target;  /**< the instructions that a compiler may use here; equal on all models of
                           processors with the same ones */
} oak_host_cpu_t;

void oak_host_cpu(oak_host_cpu_t *cpu);

/** The record of memory use: how many bytes each rank of a host has allocated. All ranks of the
 * host can read it. Linux grants memory that it does not have, and kills a process when too much
 * of it is used. Ranks that allocate at the same time would not notice this without the record.
 *
 * Collective on \a host, whose ranks share memory. */
oak_status_t oak_memory_use_open(MPI_Comm host, oak_memory_use_t **out);
void oak_memory_use_close(oak_memory_use_t **use);
/** Record \a bytes that are about to be allocated; refused if the host cannot give them. Not
 * collective. */
oak_status_t oak_memory_use_add(oak_memory_use_t *use, size_t bytes);
/** After the memory was freed. */
void oak_memory_use_drop(oak_memory_use_t *use, size_t bytes);

/** Threads for this rank: \a choice, $OMP_NUM_THREADS, or its share of the cores. Collective on
 * dev->host; the status is this rank's own. */
oak_status_t oak_host_threads(oak_device_t *dev, int choice, int *threads);

/* ---- host_memory.c: memory of the host, for back ends whose kernels run there. */

oak_status_t oak_host_alloc(oak_device_t *dev, size_t bytes, void **out);
void oak_host_free(oak_device_t *dev, void *ptr);
/** Who needs a piece of memory: the device, and those that hold it. Holds may be given back by any
 * thread, also after the device was closed. */
struct oak_hold {
  atomic_int users;
  void *address;
  size_t mapped;                       /**< bytes to unmap; 0: the memory is free()d */
  void *gpu;                           /**< for memory of a GPU: a copy of gpu_t */
  void (*give_back)(oak_hold_t *hold); /**< the memory, when the last user has gone */
};

oak_status_t oak_host_hold(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **out);
/** Add a user to a hold, which is made if it is new, with one user beside the device. */
oak_status_t oak_hold_add(oak_hold_t **kept, void *address, oak_hold_t **out);
/** Free all that is still there. */
void oak_host_clear(oak_device_t *dev);

/** Pages that other processes of the host can map. They are a file without a name that exists in
 * memory only, so the limit of /dev/shm does not apply. Not collective. */
oak_status_t oak_host_map_new(size_t bytes, void **out, oak_handle_t *handle);
oak_status_t oak_host_map_attach(const oak_handle_t *handle, void **out);
/** \a handle: that of oak_host_map_new, on the process that made the memory; NULL on a process that
 * attached it. */
void oak_host_map_close(void *ptr, size_t bytes, oak_handle_t *handle);

/** Members of oak_device_ops_t for memory of the host, whose use the device records. */
#define OAK_HOST_OPS(X) X(share) X(unshare) X(attach) X(detach)
#define OAK_HOST_OP(member) .member = oak_host_##member,
#define OAK_HOST_DECLARE(member) extern OAK_OP_TYPE(member) oak_host_##member;
OAK_HOST_OPS(OAK_HOST_DECLARE)

/** 1 if MPI says that it takes addresses of a GPU; $OAK_MPI_GPU overrules it. */
int oak_mpi_takes_gpu(void);

/* ---- object.c: kernels as shared objects, for back ends with a C compiler. */

/** Members of oak_device_ops_t. load_data reads a shared object without loading it: loading runs
 * code, such as functions with the attribute constructor. Only constant and writable work with such
 * a module. */
#define OAK_OBJECT_OPS(X) X(load) X(load_data) X(unload) X(kernel) X(constant) X(writable) X(launch)
#define OAK_OBJECT_OP(member) .member = oak_object_##member,
#define OAK_OBJECT_DECLARE(member) extern OAK_OP_TYPE(member) oak_object_##member;
OAK_OBJECT_OPS(OAK_OBJECT_DECLARE)
/** Address of a symbol of the module, or NULL. */
void *oak_object_symbol(oak_module_t *module, const char *name);

/* ---- back ends */

extern const oak_device_ops_t oak_device_ops_cuda, oak_device_ops_hip, oak_device_ops_cpu,
    oak_device_ops_openacc;
