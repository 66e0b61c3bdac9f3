/* SPDX-License-Identifier: GPL-2.0-or-later
 * Launches that are recorded once as a graph of the driver, which then starts them as a whole. The
 * host needs 3 to 5 us for each launch of its own, and the GPU about 1 us between the kernels of a
 * graph. */
#include <stdlib.h>

#include "gpu_api.h"

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
