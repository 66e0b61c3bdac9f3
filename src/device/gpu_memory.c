/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of a GPU, what its errors mean, and how its data reaches other ranks and files: memory
 * that other processes of the host map, flags in memory of the host that queues write and wait for,
 * a second queue for copies while kernels run, and a third one for output. */
#include <stdlib.h>
#include <string.h>

#include "gpu_api.h"

/* ---- errors */

/* Errors of kernels, after which a GPU does nothing more for the process: illegal address, time
 * limit, assertion, and so on up to unspecified failure. */
static int is_fault(gpu_result_t result) {
  return result == 700 || result == 702 || result == 710 || (result >= 714 && result <= 719);
}

/* The status of a call that fails because a kernel launched before it had a fault. */
static oak_status_t fault(const gpu_t *gpu, gpu_result_t result) {
  const char *name = "?", *text = "?";
  gpu->vendor->texts(gpu, result, &name, &text);
  return OAK_FAIL(OAK_ERR_DEVICE, "kernel '%s'%s failed on GPU %d: %s (%s)%s; %s", gpu->launched,
                  gpu->wait ? "" : " or one before it", gpu->ordinal, text, name,
                  gpu->wait ? "" : "; OAK_GPU_SYNC=1 names the kernel for certain",
                  gpu->vendor->fault_advice);
}

oak_status_t oak_gpu_status(const gpu_t *gpu, gpu_result_t result, const char *doing) {
  if (result == 0) return OAK_OK;
  return is_fault(result) ? fault(gpu, result) : oak_gpu_call_status(gpu, result, doing);
}

/* ---- memory */

oak_status_t oak_gpu_alloc(oak_device_t *dev, size_t bytes, void **out) {
  gpu_t *gpu = dev->data;
  gpu_memory_t address = 0;
  gpu_result_t result = gpu->driver.alloc(&address, bytes);
  if (result == GPU_ERROR_OUT_OF_MEMORY) {
    size_t available = 0, total = 0;
    char size[3][32];
    gpu->driver.memory_info(&available, &total);
    return OAK_FAIL(
        OAK_ERR_MEMORY,
        "cannot allocate %s of memory on GPU %d: %s of %s are free%s; use fewer blocks, "
        "single precision, or more GPUs",
        oak_format_size((double)bytes, size[0]), gpu->ordinal,
        oak_format_size((double)available, size[1]), oak_format_size((double)total, size[2]),
        dev->host_size > gpu->count ? ", and several ranks use it" : "");
  }
  OAK_TRY(oak_gpu_status(gpu, result, "allocating memory"));
  memcpy(out, &address, sizeof *out); /* an address of the GPU, as a pointer */
  return OAK_OK;
}

/* Memory that nobody needs any more. The context stays until the process ends. */
static void give_back(oak_hold_t *hold) {
  gpu_t *gpu = hold->gpu;
  if (gpu->vendor->enter(gpu) == OAK_OK) gpu->driver.release((gpu_memory_t)hold->address);
  free(gpu);
}

static int find_held(const gpu_t *gpu, const void *ptr) {
  int n = 0;
  while (n < gpu->nheld && gpu->held[n]->address != ptr) n++;
  return n;
}

oak_status_t oak_gpu_hold(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **out) {
  gpu_t *gpu = dev->data, *copy;
  const int n = find_held(gpu, ptr);
  where[0] = gpu->vendor->memory;
  where[1] = gpu->ordinal;
  GPU_TRY(gpu, wait_all(), "running kernels"); /* those of other programs in the process, too */
  if (!ptr) return OAK_OK;
  if (n < gpu->nheld) return oak_hold_add(&gpu->held[n], ptr, out);
  OAK_TRY(OAK_GROW(gpu->held, n));
  OAK_TRY(OAK_NEW(copy, 1));
  *copy = *gpu;
  gpu->held[n] = NULL;
  const oak_status_t st = oak_hold_add(&gpu->held[n], ptr, out);
  if (st != OAK_OK) {
    free(copy);
    return st;
  }
  gpu->held[n]->gpu = copy;
  gpu->held[n]->give_back = give_back;
  gpu->nheld++;
  return OAK_OK;
}

void oak_gpu_free(oak_device_t *dev, void *ptr) {
  gpu_t *gpu = dev->data;
  const int n = find_held(gpu, ptr);
  if (n == gpu->nheld) {
    gpu->driver.release((gpu_memory_t)ptr); /* waits for what runs */
    return;
  }
  oak_hold_t *hold = gpu->held[n];
  gpu->held[n] = gpu->held[--gpu->nheld];
  oak_hold_free(&hold);
}

oak_status_t oak_gpu_sync(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, stream_wait(gpu->stream), "running kernels");
  gpu->pinned_up = 0;
  return OAK_OK;
}

/* Small uploads return before the data has arrived; large ones wait. */
oak_status_t oak_gpu_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  gpu_t *gpu = dev->data;
  const size_t room = (bytes + 63) / 64 * 64;
  if (bytes <= PINNED_UP) {
    if (gpu->pinned_up + room > PINNED_UP) OAK_TRY(oak_gpu_sync(dev));
    void *copy = gpu->pinned + PINNED_DOWN + gpu->pinned_up;
    memcpy(copy, host, bytes);
    gpu->pinned_up += room;
    host = copy;
  }
  /* This memory is not pinned, so the driver has read it when the call returns. */
  GPU_TRY(gpu, to_device((gpu_memory_t)dst, host, bytes, gpu->stream), "copying to the GPU");
  return OAK_OK;
}

oak_status_t oak_gpu_download(oak_device_t *dev, void *host, const void *src, size_t bytes) {
  gpu_t *gpu = dev->data;
  void *to = bytes <= PINNED_DOWN ? gpu->pinned : host;
  GPU_TRY(gpu, to_host(to, (gpu_memory_t)src, bytes, gpu->stream), "copying from the GPU");
  OAK_TRY(oak_gpu_sync(dev));
  if (to != host) memcpy(host, to, bytes);
  return OAK_OK;
}

double *oak_gpu_answers(oak_device_t *dev, long n) {
  const gpu_t *gpu = dev->data;
  double *at = (double *)gpu->pinned;
  if (n * sizeof *at > PINNED_DOWN) return NULL;
  for (long i = 0; i < n; i++) at[i] = -1;
  return at;
}

/* Numbers of a kernel arrive sooner than a copy of them or an event, which would also keep the next
 * kernel from starting early. Now and then the driver is asked whether kernels still run: if one
 * has failed, no number arrives. */
oak_status_t oak_gpu_answered(oak_device_t *dev, long n) {
  const gpu_t *gpu = dev->data;
  const volatile double *at = (const double *)gpu->pinned;
  for (long i = 0, looks = 0; i < n;) {
    if (at[i] != -1)
      i++;
    else if (++looks % (1 << 18) == 0 &&
             gpu->driver.stream_query(gpu->stream) != GPU_ERROR_NOT_READY)
      return oak_gpu_sync(dev);
  }
  return OAK_OK;
}

/* ---- the second queue */

oak_status_t oak_gpu_transfers_open(gpu_t *gpu) {
  GPU_TRY(gpu, stream_new(&gpu->transfer, GPU_STREAM_NON_BLOCKING), "making a stream");
  GPU_TRY(gpu, event_new(&gpu->forked, GPU_EVENT_DISABLE_TIMING), "making an event");
  GPU_TRY(gpu, event_new(&gpu->joined, GPU_EVENT_DISABLE_TIMING), "making an event");
  return OAK_OK;
}

void oak_gpu_transfers_close(gpu_t *gpu) {
  oak_gpu_nccl_close(gpu);
  for (int i = 0; i < MOST_COPIES; i++)
    if (gpu->copied[i]) gpu->driver.event_free(gpu->copied[i]);
  if (gpu->forked) gpu->driver.event_free(gpu->forked);
  if (gpu->joined) gpu->driver.event_free(gpu->joined);
  if (gpu->kept) gpu->driver.event_free(gpu->kept);
  if (gpu->transfer) gpu->driver.stream_free(gpu->transfer);
  if (gpu->output) gpu->driver.stream_free(gpu->output);
}

oak_status_t oak_gpu_fork(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, event_record(gpu->forked, gpu->stream), "starting a transfer");
  GPU_TRY(gpu, stream_wait_event(gpu->transfer, gpu->forked, 0), "starting a transfer");
  return OAK_OK;
}

oak_status_t oak_gpu_join(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, event_record(gpu->joined, gpu->transfer), "ending a transfer");
  GPU_TRY(gpu, stream_wait_event(gpu->stream, gpu->joined, 0), "ending a transfer");
  return OAK_OK;
}

oak_status_t oak_gpu_settle(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, stream_wait(gpu->transfer), "waiting for a transfer");
  return OAK_OK;
}

/* Copies beyond MOST_COPIES share the last event: it is reached when the last of these copies has
 * ended. */
static int copy_event(int number) { return number < MOST_COPIES ? number : MOST_COPIES - 1; }

oak_status_t oak_gpu_copy_out(oak_device_t *dev, void *host, const void *src, size_t bytes,
                              int number) {
  gpu_t *gpu = dev->data;
  gpu_handle_t *event = &gpu->copied[copy_event(number)];
  GPU_TRY(gpu, to_host(host, (gpu_memory_t)src, bytes, gpu->transfer), "copying from the GPU");
  if (!*event) GPU_TRY(gpu, event_new(event, GPU_EVENT_DISABLE_TIMING), "making an event");
  GPU_TRY(gpu, event_record(*event, gpu->transfer), "copying from the GPU");
  return OAK_OK;
}

int oak_gpu_copied(oak_device_t *dev, int number) {
  const gpu_t *gpu = dev->data;
  const gpu_handle_t event = gpu->copied[copy_event(number)];
  return !event || gpu->driver.event_query(event) != GPU_ERROR_NOT_READY;
}

oak_status_t oak_gpu_copy_in(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  gpu_t *gpu = dev->data;
  if (!bytes) return OAK_OK;
  GPU_TRY(gpu, to_device((gpu_memory_t)dst, host, bytes, gpu->transfer), "copying to the GPU");
  return OAK_OK;
}

oak_status_t oak_gpu_host_alloc(oak_device_t *dev, size_t bytes, void **out) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, host_alloc(out, bytes ? bytes : 1), "allocating memory of the host");
  return OAK_OK;
}

void oak_gpu_host_free(oak_device_t *dev, void *ptr) {
  const gpu_t *gpu = dev->data;
  gpu->driver.host_free(ptr);
}

/* ---- the queue of output */

/* Made when it is first used: most runs are short and write nothing in the background. */
static oak_status_t open_output(gpu_t *gpu) {
  if (!gpu->kept) GPU_TRY(gpu, event_new(&gpu->kept, GPU_EVENT_DISABLE_TIMING), "making an event");
  if (!gpu->output)
    GPU_TRY(gpu, stream_new(&gpu->output, GPU_STREAM_NON_BLOCKING), "making a stream");
  return OAK_OK;
}

oak_status_t oak_gpu_keep(oak_device_t *dev, void *dst, const void *src, size_t bytes) {
  gpu_t *gpu = dev->data;
  OAK_TRY(open_output(gpu));
  if (bytes)
    GPU_TRY(gpu, within((gpu_memory_t)dst, (gpu_memory_t)src, bytes, gpu->stream),
            "copying its memory");
  GPU_TRY(gpu, event_record(gpu->kept, gpu->stream), "copying its memory");
  GPU_TRY(gpu, stream_wait_event(gpu->output, gpu->kept, 0), "copying its memory");
  return OAK_OK;
}

/* Another thread may call this, so the thread must first select this GPU. */
oak_status_t oak_gpu_fetch(oak_device_t *dev, void *host, const void *kept, size_t bytes) {
  gpu_t *gpu = dev->data;
  OAK_TRY(gpu->vendor->enter(gpu));
  GPU_TRY(gpu, to_host(host, (gpu_memory_t)kept, bytes, gpu->output), "copying from the GPU");
  GPU_TRY(gpu, stream_wait(gpu->output), "copying from the GPU");
  return OAK_OK;
}

size_t oak_gpu_room(oak_device_t *dev) {
  const gpu_t *gpu = dev->data;
  size_t available = 0, total = 0;
  return gpu->driver.memory_info(&available, &total) == 0 ? available : 0;
}

/* ---- memory that processes share */

_Static_assert(sizeof(gpu_ipc_t) == sizeof((oak_handle_t *)0)->driver, "a handle of the driver");

oak_status_t oak_gpu_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle) {
  gpu_t *gpu = dev->data;
  gpu_ipc_t ipc;
  *handle = (oak_handle_t){.bytes = (int64_t)bytes};
  OAK_TRY(oak_gpu_alloc(dev, bytes, out));
  const gpu_result_t result = gpu->driver.ipc_get(&ipc, (gpu_memory_t)*out);
  if (result == 0) {
    memcpy(handle->driver, &ipc, sizeof ipc);
    return OAK_OK;
  }
  gpu->driver.release((gpu_memory_t)*out);
  *out = NULL;
  return oak_gpu_status(gpu, result, "sharing memory with other processes");
}

void oak_gpu_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle) {
  (void)handle;
  oak_gpu_free(dev, ptr);
}

oak_status_t oak_gpu_attach(oak_device_t *dev, const oak_handle_t *handle, void **out) {
  gpu_t *gpu = dev->data;
  gpu_memory_t address = 0;
  gpu_ipc_t ipc;
  memcpy(&ipc, handle->driver, sizeof ipc);
  GPU_TRY(gpu, ipc_open(&address, ipc, gpu->ipc_flags), "mapping memory of another process");
  memcpy(out, &address, sizeof *out);
  return OAK_OK;
}

void oak_gpu_detach(oak_device_t *dev, void *ptr) {
  const gpu_t *gpu = dev->data;
  gpu->driver.ipc_close((gpu_memory_t)ptr);
}

/* ---- numbers in the host's memory */

oak_status_t oak_gpu_know_flags(oak_device_t *dev, void *page, size_t bytes) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, host_register(page, bytes, GPU_HOST_REGISTER_MAPPED), "registering shared memory");
  const gpu_result_t result = gpu->driver.host_pointer(&gpu->flags_seen, page, 0);
  if (result != 0)
    gpu->driver.host_unregister(page);
  else
    gpu->flags = page;
  return oak_gpu_status(gpu, result, "mapping shared memory");
}

void oak_gpu_forget_flags(oak_device_t *dev, void *page) {
  gpu_t *gpu = dev->data;
  if (gpu->flags == page) gpu->driver.host_unregister(page);
  gpu->flags = NULL;
}

static gpu_memory_t seen(const gpu_t *gpu, const uint64_t *flag) {
  return gpu->flags_seen + (size_t)((const char *)flag - gpu->flags);
}

/* The driver puts a barrier before the write: a process that sees the new value also sees all that
 * kernels have written before. */
oak_status_t oak_gpu_signal(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, stream_write(gpu->stream, seen(gpu, flag), value, 0), "signalling a peer");
  return OAK_OK;
}

oak_status_t oak_gpu_wait(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  const gpu_t *gpu = dev->data;
  return oak_gpu_status(gpu, gpu->vendor->wait_value(gpu, seen(gpu, flag), value),
                        "waiting for a peer");
}

/* ---- launches that are recorded once as a graph of the driver, which then starts them as a whole.
 * The host needs 3 to 5 us for each launch of its own, and the GPU about 1 us between the kernels
 * of a graph. */

enum {
  CAPTURE_THREAD = 1 /* other threads may use the driver as always (CU_STREAM_CAPTURE_MODE) */
};

int oak_gpu_records(oak_device_t *dev) { return !((gpu_t *)dev->data)->wait; }

oak_status_t oak_gpu_record(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, capture_begin(gpu->stream, CAPTURE_THREAD), "recording kernels");
  gpu->recording = 1;
  return OAK_OK;
}

oak_status_t oak_gpu_recorded(oak_device_t *dev, oak_recording_t **out) {
  gpu_t *gpu = dev->data;
  gpu_handle_t graph = NULL, started = NULL;
  *out = NULL;
  gpu->recording = 0;
  GPU_TRY(gpu, capture_end(gpu->stream, &graph), "recording kernels");
  const oak_status_t st =
      oak_gpu_status(gpu, gpu->driver.graph_prepare(&started, graph, 0), "recording kernels");
  gpu->driver.graph_free(graph);
  *out = started;
  return st;
}

oak_status_t oak_gpu_replay(oak_device_t *dev, oak_recording_t *recording) {
  gpu_t *gpu = dev->data;
  GPU_TRY(gpu, graph_launch(recording, gpu->stream), "launching recorded kernels");
  gpu->launched = "of a recording";
  return OAK_OK;
}

void oak_gpu_forget(oak_device_t *dev, oak_recording_t *recording) {
  gpu_t *gpu = dev->data;
  gpu->driver.prepared_free(recording);
}
