/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times every launch of a kernel, for benchmarks. The host waits for each, so a run is slower. */
#include <mpi.h>
#include <stdlib.h>

#include "device_private.h"

enum { MOST_KERNELS = 64 };

struct oak_meter {
  int count;
  oak_metered_t list[MOST_KERNELS];
};

oak_status_t oak_device_meter(oak_device_t *dev, int on) {
  OAK_NEED(dev);
  free(dev->meter);
  dev->meter = NULL;
  if (!on) return OAK_OK;
  dev->meter = calloc(1, sizeof *dev->meter);
  OAK_CHECK(dev->meter, OAK_ERR_MEMORY, "no memory to time kernels");
  return OAK_OK;
}

static oak_metered_t *find(struct oak_meter *meter, const oak_kernel_t *kernel) {
  for (int i = 0; i < meter->count; i++)
    if (meter->list[i].kernel == kernel) return &meter->list[i];
  if (meter->count == MOST_KERNELS) return NULL;
  meter->list[meter->count].kernel = kernel;
  return &meter->list[meter->count++];
}

oak_metered_t oak_device_metered(const oak_device_t *dev, const oak_kernel_t *kernel) {
  OAK_HANDLE(dev, (oak_metered_t){0});
  const oak_metered_t none = {.kernel = kernel};
  for (int i = 0; dev->meter && i < dev->meter->count; i++)
    if (dev->meter->list[i].kernel == kernel) return dev->meter->list[i];
  return none;
}

oak_status_t oak_meter_launch(oak_device_t *dev, oak_kernel_t *kernel, long n, const void *args,
                              size_t bytes) {
  oak_metered_t *m = find(dev->meter, kernel);
  OAK_TRY(dev->ops->sync(dev));
  const double begin = MPI_Wtime();
  OAK_TRY(dev->ops->launch(dev, kernel, n, args, bytes));
  OAK_TRY(dev->ops->sync(dev));
  if (!m) return OAK_OK;
  m->seconds += MPI_Wtime() - begin;
  m->launches++;
  m->iterations += n;
  return OAK_OK;
}
