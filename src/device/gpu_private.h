/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of the back ends for GPUs share. Private to src/device. */
#pragma once

#include "device_private.h"
#include "gpu_api.h"

typedef struct gpu_kernel {
  gpu_handle_t function;
  unsigned threads, shared, most; /**< threads of a block, bytes of shared memory, threads if there
                                   * are few blocks (OAK_KERNEL_FEW) */
  char name[64];
  struct gpu_kernel *next;
} gpu_kernel_t;

/** What differs between vendors: names, numbers and functions (cuda.c, hip.c). */
struct gpu_vendor {
  int names;        /**< which names of the tables of gpu_api.h are theirs */
  const char *name; /**< of the device */
  /** Words of messages: whose GPUs, interface, driver, compiler. */
  const char *company, *platform, *driver, *compiler;
  /** What the user is told if one of the three is not found, or is too old. */
  const char *no_driver, *no_compiler, *no_nccl, *needs;
  const char *visible;      /**< the variable of the environment that hides GPUs */
  const char *tool;         /**< shows what GPUs do */
  const char *fault_advice; /**< how to find the line of a fault */
  gpu_places_t driver_places, compiler_places, nccl_places;
  int oldest, version_unit[2]; /**< the oldest version of the driver; in a version, the units of its
                                  major and minor number */
  int threads_from; /**< the oldest version of the compiler that several threads may use; 0: none */
  int newest_compiler; /**< 1: refuse a compiler whose major version is newer than that of the
                          driver */
  int attribute_multiprocessors, attribute_shared; /**< numbers of attributes: multiprocessors, and
                                                      the most shared memory of a block */
  long most_threads; /**< of all blocks of a launch; 0: only the number of blocks is limited */
  /** Whether this result of starting the driver means that there is no GPU. */
  int (*is_none)(gpu_result_t result);
  const char *(*why_none)(void);              /**< what to do if it is so */
  const char *(*advice)(gpu_result_t result); /**< what to do about an error of the driver */
  const char *(*compile_advice)(gpu_result_t result); /**< the same for the compiler */
  void (*texts)(const gpu_t *gpu, gpu_result_t result, const char **name, const char **text);
  /** Refuse a GPU that is too old; fill gpu->target and gpu->generation. */
  oak_status_t (*look)(gpu_t *gpu);
  oak_status_t (*enter)(gpu_t *gpu); /**< the calling thread uses this GPU from now on */
  /** Options of the compiler, with those flags of the user that it knows. */
  void (*options)(const gpu_t *gpu, const oak_words_t *user, oak_words_t *options);
  oak_status_t (*allow_shared)(gpu_t *gpu, const gpu_kernel_t *kernel);
  gpu_result_t (*launch)(const gpu_t *gpu, const gpu_kernel_t *kernel, unsigned n, unsigned threads,
                         void **arguments);
  gpu_result_t (*wait_value)(const gpu_t *gpu, gpu_memory_t address, uint64_t value);
};

enum { PINNED_DOWN = 1 << 16, PINNED_UP = 16 << 20, MOST_COPIES = 64 };

struct gpu {
  const gpu_vendor_t *vendor;
  gpu_driver_t driver;
  gpu_compiler_t compiler;              /**< library NULL: not opened yet */
  gpu_handle_t event[OAK_DEVICE_MARKS]; /**< made when first used */
  char *pinned; /**< memory that copies run from and to without waiting: first PINNED_DOWN bytes for
                   one download, then PINNED_UP bytes for uploads under way */
  size_t pinned_up; /**< bytes of these PINNED_UP that are in use */
  gpu_device_t device;
  gpu_handle_t stream;
  gpu_handle_t transfer;       /**< the second queue */
  gpu_handle_t forked, joined; /**< events between the two */
  gpu_handle_t output,
      kept;             /**< the queue of output; the event after the copies that it may read */
  gpu_handle_t context; /**< of CUDA, for the thread of output */
  gpu_handle_t copied[MOST_COPIES]; /**< events after copies to the host, made when first used */
  char *flags;                      /**< page of flags, and where the GPU sees it */
  gpu_memory_t flags_seen;
  struct oak_nccl *nccl; /**< NULL: not opened */
  int ordinal, count, driver_version, multiprocessors, most_shared;
  int major, wave;      /**< CUDA: of the compute capability; HIP: lanes of a wavefront */
  unsigned ipc_flags;   /**< to map memory of another process */
  char target[160];     /**< for the compiler */
  char generation[160]; /**< for the user */
  int recording;        /**< 1: launches are recorded, and do not run */
  int wait;             /**< $OAK_GPU_SYNC: wait for each kernel, so that a failing one is named */
  const char *launched; /**< the kernel launched last, "" if none */
  char name[128];
  size_t memory;
};

#define GPU_TRY(gpu, call, doing) OAK_TRY(oak_gpu_status(gpu, (gpu)->driver.call, doing))

extern const gpu_vendor_t oak_gpu_cuda, oak_gpu_hip; /* cuda.c, hip.c */

/* gpu_memory.c: memory of the GPU, and copies in the first queue */

/** Status of a call of the driver, which may also report the fault of an earlier kernel. */
oak_status_t oak_gpu_status(const gpu_t *gpu, gpu_result_t result, const char *doing);
oak_status_t oak_gpu_alloc(oak_device_t *dev, size_t bytes, void **out);
void oak_gpu_free(oak_device_t *dev, void *ptr);
oak_status_t oak_gpu_sync(oak_device_t *dev);
oak_status_t oak_gpu_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes);
oak_status_t oak_gpu_download(oak_device_t *dev, void *host, const void *src, size_t bytes);

/* gpu_record.c */
int oak_gpu_records(oak_device_t *dev);
oak_status_t oak_gpu_record(oak_device_t *dev);
oak_status_t oak_gpu_recorded(oak_device_t *dev, oak_recording_t **out);
oak_status_t oak_gpu_replay(oak_device_t *dev, oak_recording_t *recording);
void oak_gpu_forget(oak_device_t *dev, oak_recording_t *recording);

/* gpu_transfer.c: the second queue, and memory that processes share */
oak_status_t oak_gpu_transfers_open(gpu_t *gpu);
void oak_gpu_transfers_close(gpu_t *gpu);
oak_status_t oak_gpu_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle);
void oak_gpu_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle);
oak_status_t oak_gpu_attach(oak_device_t *dev, const oak_handle_t *handle, void **out);
void oak_gpu_detach(oak_device_t *dev, void *ptr);
oak_status_t oak_gpu_know_flags(oak_device_t *dev, void *page, size_t bytes);
void oak_gpu_forget_flags(oak_device_t *dev, void *page);
oak_status_t oak_gpu_signal(oak_device_t *dev, uint64_t *flag, uint64_t value);
oak_status_t oak_gpu_wait(oak_device_t *dev, uint64_t *flag, uint64_t value);
oak_status_t oak_gpu_fork(oak_device_t *dev);
oak_status_t oak_gpu_join(oak_device_t *dev);
oak_status_t oak_gpu_settle(oak_device_t *dev);
oak_status_t oak_gpu_copy_out(oak_device_t *dev, void *host, const void *src, size_t bytes,
                              int number);
int oak_gpu_copied(oak_device_t *dev, int number);
oak_status_t oak_gpu_copy_in(oak_device_t *dev, void *dst, const void *host, size_t bytes);
oak_status_t oak_gpu_host_alloc(oak_device_t *dev, size_t bytes, void **out);
void oak_gpu_host_free(oak_device_t *dev, void *ptr);
oak_status_t oak_gpu_keep(oak_device_t *dev, void *dst, const void *src, size_t bytes);
oak_status_t oak_gpu_fetch(oak_device_t *dev, void *host, const void *kept, size_t bytes);
size_t oak_gpu_room(oak_device_t *dev);
double oak_gpu_energy(oak_device_t *dev);

/* gpu_messages.c */
oak_status_t oak_gpu_nccl_probe(oak_device_t *dev);
oak_status_t oak_gpu_nccl_open(oak_device_t *dev, MPI_Comm comm);
oak_status_t oak_gpu_nccl_exchange(oak_device_t *dev, const oak_direct_message_t *send, int nsend,
                                   const oak_direct_message_t *recv, int nrecv);
void oak_gpu_nccl_close(gpu_t *gpu);
