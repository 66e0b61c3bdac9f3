/* SPDX-License-Identifier: GPL-2.0-or-later
 * How data of a GPU reaches other ranks and files: memory that other processes of the host map,
 * flags in memory of the host that queues write and wait for, a second queue for copies while
 * kernels run, and a third one for output. */
#include <string.h>

#include "cuda_private.h"

/* ---- the second queue */

oak_status_t oak_cuda_transfers_open(cuda_t *cuda) {
  CUDA_TRY(cuda, stream_new(&cuda->transfer, CU_STREAM_NON_BLOCKING), "making a stream");
  CUDA_TRY(cuda, event_new(&cuda->forked, CU_EVENT_DISABLE_TIMING), "making an event");
  CUDA_TRY(cuda, event_new(&cuda->joined, CU_EVENT_DISABLE_TIMING), "making an event");
  return OAK_OK;
}

void oak_cuda_transfers_close(cuda_t *cuda) {
  oak_nccl_close(cuda);
  for (int i = 0; i < MOST_COPIES; i++)
    if (cuda->copied[i]) cuda->driver.event_free(cuda->copied[i]);
  if (cuda->forked) cuda->driver.event_free(cuda->forked);
  if (cuda->joined) cuda->driver.event_free(cuda->joined);
  if (cuda->kept) cuda->driver.event_free(cuda->kept);
  if (cuda->transfer) cuda->driver.stream_free(cuda->transfer);
  if (cuda->output) cuda->driver.stream_free(cuda->output);
}

oak_status_t oak_cuda_fork(oak_device_t *dev) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, event_record(cuda->forked, cuda->stream), "starting a transfer");
  CUDA_TRY(cuda, stream_wait_event(cuda->transfer, cuda->forked, 0), "starting a transfer");
  return OAK_OK;
}

oak_status_t oak_cuda_join(oak_device_t *dev) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, event_record(cuda->joined, cuda->transfer), "ending a transfer");
  CUDA_TRY(cuda, stream_wait_event(cuda->stream, cuda->joined, 0), "ending a transfer");
  return OAK_OK;
}

oak_status_t oak_cuda_settle(oak_device_t *dev) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, stream_wait(cuda->transfer), "waiting for a transfer");
  return OAK_OK;
}

/* Copies beyond MOST_COPIES share the last event: it is reached when the last of these copies has
 * ended. */
static int copy_event(int number) { return number < MOST_COPIES ? number : MOST_COPIES - 1; }

oak_status_t oak_cuda_copy_out(oak_device_t *dev, void *host, const void *src, size_t bytes,
                               int number) {
  cuda_t *cuda = dev->data;
  cu_handle_t *event = &cuda->copied[copy_event(number)];
  CUDA_TRY(cuda, to_host(host, (cu_memory_t)src, bytes, cuda->transfer), "copying from the GPU");
  if (!*event) CUDA_TRY(cuda, event_new(event, CU_EVENT_DISABLE_TIMING), "making an event");
  CUDA_TRY(cuda, event_record(*event, cuda->transfer), "copying from the GPU");
  return OAK_OK;
}

int oak_cuda_copied(oak_device_t *dev, int number) {
  const cuda_t *cuda = dev->data;
  const cu_handle_t event = cuda->copied[copy_event(number)];
  return !event || cuda->driver.event_query(event) != CU_ERROR_NOT_READY;
}

oak_status_t oak_cuda_copy_in(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  cuda_t *cuda = dev->data;
  if (!bytes) return OAK_OK;
  CUDA_TRY(cuda, to_device((cu_memory_t)dst, host, bytes, cuda->transfer), "copying to the GPU");
  return OAK_OK;
}

oak_status_t oak_cuda_host_alloc(oak_device_t *dev, size_t bytes, void **out) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, host_alloc(out, bytes ? bytes : 1), "allocating memory of the host");
  return OAK_OK;
}

void oak_cuda_host_free(oak_device_t *dev, void *ptr) {
  const cuda_t *cuda = dev->data;
  cuda->driver.host_free(ptr);
}

/* ---- the queue of output */

/* Made when it is first used: most runs are short and write nothing in the background. */
static oak_status_t open_output(cuda_t *cuda) {
  if (!cuda->kept)
    CUDA_TRY(cuda, event_new(&cuda->kept, CU_EVENT_DISABLE_TIMING), "making an event");
  if (!cuda->output)
    CUDA_TRY(cuda, stream_new(&cuda->output, CU_STREAM_NON_BLOCKING), "making a stream");
  return OAK_OK;
}

oak_status_t oak_cuda_keep(oak_device_t *dev, void *dst, const void *src, size_t bytes) {
  cuda_t *cuda = dev->data;
  OAK_TRY(open_output(cuda));
  if (bytes)
    CUDA_TRY(cuda, within((cu_memory_t)dst, (cu_memory_t)src, bytes, cuda->stream),
             "copying its memory");
  CUDA_TRY(cuda, event_record(cuda->kept, cuda->stream), "copying its memory");
  CUDA_TRY(cuda, stream_wait_event(cuda->output, cuda->kept, 0), "copying its memory");
  return OAK_OK;
}

/* Another thread may call this. It has no CUDA context at first, so it gets that of the device. */
oak_status_t oak_cuda_fetch(oak_device_t *dev, void *host, const void *kept, size_t bytes) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, context_set(cuda->context), "using it in another thread");
  CUDA_TRY(cuda, to_host(host, (cu_memory_t)kept, bytes, cuda->output), "copying from the GPU");
  CUDA_TRY(cuda, stream_wait(cuda->output), "copying from the GPU");
  return OAK_OK;
}

size_t oak_cuda_room(oak_device_t *dev) {
  const cuda_t *cuda = dev->data;
  size_t available = 0, total = 0;
  return cuda->driver.memory_info(&available, &total) == 0 ? available : 0;
}

/* ---- memory that processes share */

_Static_assert(sizeof(cu_ipc_t) == sizeof((oak_handle_t *)0)->driver, "a handle of the driver");

oak_status_t oak_cuda_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle) {
  cuda_t *cuda = dev->data;
  cu_ipc_t ipc;
  *handle = (oak_handle_t){.bytes = (int64_t)bytes};
  OAK_TRY(oak_cuda_alloc(dev, bytes, out));
  const cu_result_t result = cuda->driver.ipc_get(&ipc, (cu_memory_t)*out);
  if (result == 0) {
    memcpy(handle->driver, &ipc, sizeof ipc);
    return OAK_OK;
  }
  cuda->driver.release((cu_memory_t)*out);
  *out = NULL;
  return oak_cuda_gpu_status(cuda, result, "sharing memory with other processes");
}

void oak_cuda_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle) {
  const cuda_t *cuda = dev->data;
  (void)handle;
  cuda->driver.release((cu_memory_t)ptr);
}

oak_status_t oak_cuda_attach(oak_device_t *dev, const oak_handle_t *handle, void **out) {
  cuda_t *cuda = dev->data;
  cu_memory_t address = 0;
  cu_ipc_t ipc;
  memcpy(&ipc, handle->driver, sizeof ipc);
  CUDA_TRY(cuda, ipc_open(&address, ipc, CU_IPC_LAZY_PEER_ACCESS),
           "mapping memory of another process");
  memcpy(out, &address, sizeof *out);
  return OAK_OK;
}

void oak_cuda_detach(oak_device_t *dev, void *ptr) {
  const cuda_t *cuda = dev->data;
  cuda->driver.ipc_close((cu_memory_t)ptr);
}

/* ---- numbers in the host's memory */

oak_status_t oak_cuda_know_flags(oak_device_t *dev, void *page, size_t bytes) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, host_register(page, bytes, CU_HOST_REGISTER_MAPPED), "registering shared memory");
  const cu_result_t result = cuda->driver.host_pointer(&cuda->flags_seen, page, 0);
  if (result != 0)
    cuda->driver.host_unregister(page);
  else
    cuda->flags = page;
  return oak_cuda_gpu_status(cuda, result, "mapping shared memory");
}

void oak_cuda_forget_flags(oak_device_t *dev, void *page) {
  cuda_t *cuda = dev->data;
  if (cuda->flags == page) cuda->driver.host_unregister(page);
  cuda->flags = NULL;
}

static cu_memory_t seen(const cuda_t *cuda, const uint64_t *flag) {
  return cuda->flags_seen + (size_t)((const char *)flag - cuda->flags);
}

/* The driver puts a barrier before the write: a process that sees the new value also sees all that
 * kernels have written before. */
oak_status_t oak_cuda_signal(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, stream_write(cuda->stream, seen(cuda, flag), value, 0), "signalling a peer");
  return OAK_OK;
}

oak_status_t oak_cuda_wait(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, stream_wait_value(cuda->stream, seen(cuda, flag), value, CU_WAIT_AT_LEAST),
           "waiting for a peer");
  return OAK_OK;
}
