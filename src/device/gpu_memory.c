/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of a GPU, copies in its first queue, and what its errors mean. */
#include <stdlib.h>
#include <string.h>

#include "gpu_private.h"

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

void oak_gpu_free(oak_device_t *dev, void *ptr) {
  gpu_t *gpu = dev->data;
  gpu->driver.release((gpu_memory_t)ptr); /* waits for what runs */
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
