/* SPDX-License-Identifier: GPL-2.0-or-later
 * The energy that a GPU of NVIDIA has used, by its management library (NVML). */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "gpu_api.h"

/** Functions of NVML and of the driver; all return 0 for success. */
typedef struct {
  int (*start)(void);
  int (*bus)(char *text, int size, gpu_device_t device);
  int (*find)(const char *bus, void **handle);
  int (*energy)(void *handle, unsigned long long *millijoules);
} api_t;

static int look_up(void *library, const char *name, void *function) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/** Find the functions and the GPU. The library stays open until the process ends. */
static int open_meter(gpu_t *gpu, api_t *api, void **handle) {
  char bus[32];
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  return look_up(library, "nvmlInit_v2", &api->start) &&
         look_up(library, "nvmlDeviceGetHandleByPciBusId_v2", &api->find) &&
         look_up(library, "nvmlDeviceGetTotalEnergyConsumption", &api->energy) &&
         look_up(gpu->driver.library, "cuDeviceGetPCIBusId", &api->bus) && api->start() == 0 &&
         api->bus(bus, sizeof bus, gpu->device) == 0 && api->find(bus, handle) == 0;
}

double oak_gpu_energy(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  api_t api;
  void *handle;
  unsigned long long millijoules;
  const int here = dev->host_rank / gpu->count; /* ranks before this one on the same GPU */
  if (!open_meter(gpu, &api, &handle) || api.energy(handle, &millijoules) != 0) return NAN;
  return here == 0 ? 1e-3 * (double)millijoules : 0;
}
