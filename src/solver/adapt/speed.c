/* SPDX-License-Identifier: GPL-2.0-or-later
 * How fast each rank computes, for mesh.balance = measured: blocks per second of kernels, without
 * the time in which a rank waits for others. Cores of a host may differ by a factor of two, and
 * blocks at jumps of level cost more than others. */
#include <math.h>
#include <stdlib.h>

#include "solver/adapt/adapt.h"

/* Weight of earlier measurements in the mean with a new one: about the last five adaptations
 * count. */
static const double MEMORY = 0.8;
/* A rank that the operating system has held up once must not lose all of its blocks. */
static const double LARGEST_RATIO = 4;

oak_status_t oak_speed_open(oak_t *sim) {
  const int measured = oak_params_choice(sim->setup.params, "mesh.balance") == 1;
  if (!measured || sim->setup.size == 1) return OAK_OK;
  OAK_TRY(OAK_NEW(sim->speed.all, sim->setup.size));
  sim->data.timers.all_steps = 1;
  return OAK_OK;
}

/* Seconds that this rank has worked on its blocks in stages. */
static double worked(oak_t *sim) {
  static const oak_phase_t phase[] = {OAK_PHASE_FLUX, OAK_PHASE_GHOST_R1, OAK_PHASE_GHOST_R2,
                                      OAK_PHASE_FLUX_FIX};
  double sum = 0;
  for (size_t i = 0; i < sizeof phase / sizeof *phase; i++)
    sum += oak_timer_seconds(&sim->data.timers, phase[i]);
  return sum;
}

/* The speed of ranks without blocks is not known. They count as average. */
static void fill_gaps(double *speed, int size) {
  double sum = 0;
  int known = 0;
  for (int r = 0; r < size; r++) {
    sum += speed[r];
    known += speed[r] > 0;
  }
  const double mean = known ? sum / known : 1;
  for (int r = 0; r < size; r++) {
    if (!(speed[r] > 0)) speed[r] = mean;
    speed[r] = fmin(fmax(speed[r], mean / LARGEST_RATIO), mean * LARGEST_RATIO);
  }
}

void oak_speed_measure(oak_t *sim) {
  oak_speed_t *s = &sim->speed;
  if (!s->all) return;
  const double seconds = worked(sim);
  s->blocks = MEMORY * s->blocks + (double)(sim->data.results.computed - s->computed);
  s->seconds = MEMORY * s->seconds + (seconds - s->worked);
  s->computed = sim->data.results.computed;
  s->worked = seconds;
  const double mine = s->blocks > 0 && s->seconds > 0 ? s->blocks / s->seconds : 0;
  MPI_Allgather(&mine, 1, MPI_DOUBLE, s->all, 1, MPI_DOUBLE, sim->setup.comm);
  fill_gaps(s->all, sim->setup.size);
}
