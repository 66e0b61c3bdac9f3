/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of a GPU, copies in its first queue, and what its errors mean. */
#include <stdlib.h>
#include <string.h>

#include "cuda_private.h"

/* ---- errors */

/* Errors of kernels, after which a GPU does nothing more for the process: illegal address, time
 * limit, assertion, and so on up to unspecified failure. */
static int is_fault(cu_result_t result) {
  return result == 700 || result == 702 || result == 710 || (result >= 714 && result <= 719);
}

/* The status of a call that fails because a kernel launched before it had a fault. */
static oak_status_t fault(const cuda_t *cuda, cu_result_t result) {
  const char *name = "?", *text = "?";
  cuda->driver.error_name(result, &name);
  cuda->driver.error_text(result, &text);
  return OAK_FAIL(
      OAK_ERR_DEVICE,
      "kernel '%s'%s failed on GPU %d: %s (%s)%s; compute-sanitizer oak run ... finds the "
      "line",
      cuda->launched, cuda->wait ? "" : " or one before it", cuda->ordinal, text, name,
      cuda->wait ? "" : "; OAK_CUDA_SYNC=1 names the kernel for certain");
}

oak_status_t oak_cuda_gpu_status(const cuda_t *cuda, cu_result_t result, const char *doing) {
  if (result == 0) return OAK_OK;
  return is_fault(result) ? fault(cuda, result)
                          : oak_cuda_status(&cuda->driver, result, cuda->ordinal, doing);
}

/* ---- memory */

oak_status_t oak_cuda_alloc(oak_device_t *dev, size_t bytes, void **out) {
  cuda_t *cuda = dev->data;
  cu_memory_t address = 0;
  cu_result_t result = cuda->driver.alloc(&address, bytes);
  if (result == CU_ERROR_OUT_OF_MEMORY) {
    size_t available = 0, total = 0;
    char size[3][32];
    cuda->driver.memory_info(&available, &total);
    return OAK_FAIL(
        OAK_ERR_MEMORY,
        "cannot allocate %s of memory on GPU %d: %s of %s are free%s; use fewer blocks, "
        "single precision, or more GPUs",
        oak_format_size((double)bytes, size[0]), cuda->ordinal,
        oak_format_size((double)available, size[1]), oak_format_size((double)total, size[2]),
        dev->host_size > cuda->count ? ", and several ranks use it" : "");
  }
  OAK_TRY(oak_cuda_gpu_status(cuda, result, "allocating memory"));
  memcpy(out, &address, sizeof *out); /* an address of the GPU, as a pointer */
  return OAK_OK;
}

void oak_cuda_free(oak_device_t *dev, void *ptr) {
  cuda_t *cuda = dev->data;
  cuda->driver.release((cu_memory_t)ptr); /* waits for what runs */
}

oak_status_t oak_cuda_sync(oak_device_t *dev) {
  cuda_t *cuda = dev->data;
  CUDA_TRY(cuda, stream_wait(cuda->stream), "running kernels");
  cuda->pinned_up = 0;
  return OAK_OK;
}

/* Small uploads return before the data has arrived; large ones wait. */
oak_status_t oak_cuda_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  cuda_t *cuda = dev->data;
  const size_t room = (bytes + 63) / 64 * 64;
  if (bytes <= PINNED_UP) {
    if (cuda->pinned_up + room > PINNED_UP) OAK_TRY(oak_cuda_sync(dev));
    void *copy = cuda->pinned + PINNED_DOWN + cuda->pinned_up;
    memcpy(copy, host, bytes);
    cuda->pinned_up += room;
    host = copy;
  }
  /* This memory is not pinned, so the driver has read it when the call returns. */
  CUDA_TRY(cuda, to_device((cu_memory_t)dst, host, bytes, cuda->stream), "copying to the GPU");
  return OAK_OK;
}

oak_status_t oak_cuda_download(oak_device_t *dev, void *host, const void *src, size_t bytes) {
  cuda_t *cuda = dev->data;
  void *to = bytes <= PINNED_DOWN ? cuda->pinned : host;
  CUDA_TRY(cuda, to_host(to, (cu_memory_t)src, bytes, cuda->stream), "copying from the GPU");
  OAK_TRY(oak_cuda_sync(dev));
  if (to != host) memcpy(host, to, bytes);
  return OAK_OK;
}
