/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of device cuda share. Private to src/device. */
#ifndef OAK_CUDA_PRIVATE_H
#define OAK_CUDA_PRIVATE_H

#include "cuda_api.h"
#include "device_private.h"

enum { PINNED_DOWN = 1 << 16, PINNED_UP = 16 << 20, MOST_COPIES = 64 };

typedef struct {
  cu_driver_t driver;
  cu_compiler_t compiler;              /**< library NULL: not opened yet */
  cu_handle_t event[OAK_DEVICE_MARKS]; /**< made when first used */
  char *pinned; /**< memory that copies run from and to without waiting: first PINNED_DOWN bytes for
                   one download, then PINNED_UP bytes for uploads under way */
  size_t pinned_up; /**< bytes of these PINNED_UP that are in use */
  cu_device_t device;
  cu_handle_t stream;
  cu_handle_t transfer;       /**< the second queue */
  cu_handle_t forked, joined; /**< events between the two */
  cu_handle_t output, kept; /**< the queue of output; the event after the copies that it may read */
  cu_handle_t context;      /**< for the thread of output */
  cu_handle_t copied[MOST_COPIES]; /**< events after copies to the host, made when first used */
  char *flags;                     /**< page of flags, and where the GPU sees it */
  cu_memory_t flags_seen;
  struct oak_nccl *nccl; /**< NULL: not opened */
  int ordinal, count, major, minor, driver_version, multiprocessors;
  int wait;             /**< $OAK_CUDA_SYNC: wait for each kernel, so that a failing one is named */
  const char *launched; /**< the kernel launched last, "" if none */
  char name[128];
  size_t memory;
} cuda_t;

#define CUDA_TRY(cuda, call, doing) OAK_TRY(oak_cuda_gpu_status(cuda, (cuda)->driver.call, doing))

/* cuda_memory.c: memory of the GPU, and copies in the first queue */

/** Status of a call of the driver, which may also report the fault of an earlier kernel. */
oak_status_t oak_cuda_gpu_status(const cuda_t *cuda, cu_result_t result, const char *doing);
oak_status_t oak_cuda_alloc(oak_device_t *dev, size_t bytes, void **out);
void oak_cuda_free(oak_device_t *dev, void *ptr);
oak_status_t oak_cuda_sync(oak_device_t *dev);
oak_status_t oak_cuda_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes);
oak_status_t oak_cuda_download(oak_device_t *dev, void *host, const void *src, size_t bytes);

/* cuda_transfer.c: the second queue, and memory that processes share */
oak_status_t oak_cuda_transfers_open(cuda_t *cuda);
void oak_cuda_transfers_close(cuda_t *cuda);
oak_status_t oak_cuda_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle);
void oak_cuda_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle);
oak_status_t oak_cuda_attach(oak_device_t *dev, const oak_handle_t *handle, void **out);
void oak_cuda_detach(oak_device_t *dev, void *ptr);
oak_status_t oak_cuda_know_flags(oak_device_t *dev, void *page, size_t bytes);
void oak_cuda_forget_flags(oak_device_t *dev, void *page);
oak_status_t oak_cuda_signal(oak_device_t *dev, uint64_t *flag, uint64_t value);
oak_status_t oak_cuda_wait(oak_device_t *dev, uint64_t *flag, uint64_t value);
oak_status_t oak_cuda_fork(oak_device_t *dev);
oak_status_t oak_cuda_join(oak_device_t *dev);
oak_status_t oak_cuda_settle(oak_device_t *dev);
oak_status_t oak_cuda_copy_out(oak_device_t *dev, void *host, const void *src, size_t bytes,
                               int number);
int oak_cuda_copied(oak_device_t *dev, int number);
oak_status_t oak_cuda_copy_in(oak_device_t *dev, void *dst, const void *host, size_t bytes);
oak_status_t oak_cuda_host_alloc(oak_device_t *dev, size_t bytes, void **out);
void oak_cuda_host_free(oak_device_t *dev, void *ptr);
oak_status_t oak_cuda_keep(oak_device_t *dev, void *dst, const void *src, size_t bytes);
oak_status_t oak_cuda_fetch(oak_device_t *dev, void *host, const void *kept, size_t bytes);
size_t oak_cuda_room(oak_device_t *dev);

/* cuda_nccl.c */
oak_status_t oak_nccl_probe(oak_device_t *dev);
oak_status_t oak_nccl_open(oak_device_t *dev, MPI_Comm comm);
oak_status_t oak_nccl_exchange(oak_device_t *dev, const oak_parcel_t *send, int nsend,
                               const oak_parcel_t *recv, int nrecv);
void oak_nccl_close(cuda_t *cuda);

#endif
