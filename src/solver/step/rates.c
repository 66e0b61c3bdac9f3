/* SPDX-License-Identifier: GPL-2.0-or-later
 * The largest rate of the solution, from which the time step follows, and whether it is known. */
#include <math.h>
#include <stdlib.h>

#include "solver/step/sim.h"

void oak_rates_set(oak_t *sim, oak_rates_t rates) {
  sim->rates = rates;
  sim->revision++;
}
void oak_rates_forget(oak_t *sim) {
  sim->rates.known = OAK_RATES_UNKNOWN;
  sim->revision++;
}
void oak_rates_doubt(oak_t *sim) {
  sim->rates.doubted = 1;
  sim->revision++;
}

void oak_rates_agree(oak_t *sim) {
  MPI_Allreduce(MPI_IN_PLACE, &sim->rates.known, 1, MPI_INT, MPI_MIN, sim->setup.comm);
}

double oak_time_step(const oak_t *sim) {
  OAK_HANDLE(sim, 0);
  const oak_method_t *method = &sim->setup.method;
  const double dt = sim->rates.most > 0 ? method->cfl / sim->rates.most : INFINITY;
  return method->dt_max > 0 && dt > method->dt_max ? method->dt_max : dt;
}

oak_status_t oak_block_rates(const oak_t *sim, int blocks, double *rate) {
  const int results = oak_data_results(&sim->data); /* how many a block has */
  double *all;
  OAK_TRY(OAK_NEW(all, (size_t)blocks * results + 1));
  const double *next = all;
  oak_status_t st = OAK_OK;
  if (blocks)
    st = oak_device_download(sim->setup.dev, all, sim->data.results.rate,
                             (size_t)blocks * results * sizeof *all);
  for (int b = 0; b < blocks && st == OAK_OK; b++) {
    rate[b] = 0;
    for (int t = 0; t < results; t++, next++)
      if (*next > rate[b]) rate[b] = *next;
  }
  free(all);
  return st;
}

oak_status_t oak_block_rates_set(const oak_t *sim, const double *rate) {
  const int n = sim->data.mesh->nblock, results = oak_data_results(&sim->data);
  OAK_FREED double *all = NULL;
  OAK_TRY(OAK_NEW(all, (size_t)n * results + 1));
  for (int b = 0; b < n; b++) all[(size_t)b * results] = rate[b];
  oak_status_t st = OAK_OK;
  if (n)
    st = oak_device_upload(sim->setup.dev, sim->data.results.rate, all,
                           (size_t)n * results * sizeof *all);
  return st;
}
