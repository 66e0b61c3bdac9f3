/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the kernels of a run do: their times, measured launch by launch, and what they must at least
 * read, write and compute, from a model. The model of bytes counts each number of memory once: what
 * a kernel reads again from neighbour blocks may come from a cache. docs/performance.md
 * ("What limits the kernels") says how much more a GPU's counters show. */
#include <math.h>
#include <string.h>

#include "solver/step/sim.h"

/* Additions, multiplications, divisions and square roots of the criterion lohner, per variable and
 * cell in 3D; a fused multiply-add counts twice, maxima do not count. A test compares this number
 * with the machine code (tests/count_instructions.py). */
enum { LOHNER_FLOPS = 37 };

/* Operations of limited slopes along an axis, and of a value that is interpolated in d
 * dimensions. */
enum { SLOPE_FLOPS = 8 };

oak_status_t oak_measure_kernels(oak_t *sim, int on) {
  OAK_BEGIN(sim);
  return oak_device_meter(sim->setup.dev, on);
}

/* ---- the flux kernel */

/* The number of states that a stage reads or writes, on average over the stages of a step. */
static double states_of_stage(const oak_runge_kutta_t *scheme) {
  double sum = 0;
  for (int s = 0; s < scheme->nstage; s++) {
    const oak_stage_t *stage = &scheme->stage[s];
    unsigned read = 1u << stage->deriv;
    for (int p = 0; p < stage->nprev; p++) read |= 1u << stage->prev[p];
    sum += 1 + __builtin_popcount(read);
  }
  return sum / scheme->nstage;
}

/* The arithmetic depends on the equations and the scheme. */
static void model_flux(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  use->cells = iterations / oak_data_results(&sim->data) * (double)sim->setup.cells;
  use->bytes = use->cells * states_of_stage(sim->setup.method.runge_kutta) * sim->setup.nvar *
               sim->setup.store_size;
  use->flops = NAN;
}

/* ---- ghost cells */

/* Ghost values of one component that a task makes, those that it reads, and its arithmetic. */
static void model_task(const oak_t *sim, const oak_halo_task_t *t, double *made, double *read,
                       double *flops) {
  const int d = sim->setup.dim, fine = 1 << (d - 1), rows = (sim->setup.layers + 1) / 2 + 2;
  const int *n = sim->setup.block_size, dir = t->face / 2 % 3;
  const double slot = sim->setup.layers * (double)sim->setup.cells / n[dir];
  const double piece = slot / fine;
  double beside = rows;
  for (int a = 0; a < d; a++) beside *= a == dir ? 1 : 0.5 * n[a] + 2;
  *made = slot;
  *read = slot;
  *flops = 0;
  switch (t->kind) {
    case OAK_HALO_RESTRICT:
    case OAK_HALO_PACK:
      *made = piece;
      *read = 2 * slot;
      *flops = piece * (1 << d);
      break;
    case OAK_HALO_UNPACK:
      *made = *read = piece;
      break;
    case OAK_HALO_PROLONG:
      *read = beside;
      *flops = slot * (d + 1) + slot / (1 << d) * d * SLOPE_FLOPS;
      break;
    case OAK_HALO_COPY:
    case OAK_HALO_BOUNDARY:
      break;
    default: /* edges */
      *made = *read = d == 3 ? n[2 - t->face / 4] : 1;
  }
}

/* The mean over the tasks of the present mesh. */
static void model_halo(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  const oak_pattern_t *p = &sim->data.pattern;
  const oak_list_t *const list[] = {&p->make1, &p->unpack, &p->make2, &p->late2, &p->last};
  double count = 0, made = 0, read = 0, flops = 0;
  for (int l = 0; l < 5; l++)
    for (int i = 0; i < list[l]->count; i++) {
      double one[3];
      model_task(sim, (const oak_halo_task_t *)list[l]->host + i, &one[0], &one[1], &one[2]);
      made += one[0];
      read += one[1];
      flops += one[2];
      count++;
    }
  const double values = count > 0 ? iterations / count * sim->setup.nvar : 0;
  use->cells = values * made / sim->setup.nvar;
  use->bytes = values * (made + read) * sim->setup.store_size;
  use->flops = values * flops;
}

/* ---- the others */

static void model_flags(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  const int primitives = sim->setup.refine.primitives != 0;
  const int lohner = !strcmp(oak_params_text(sim->setup.params, "refine.criterion"), "lohner");
  const int looked = __builtin_popcount(sim->setup.refine.variables);
  use->cells = iterations * (double)sim->setup.cells;
  use->bytes = use->cells * (primitives ? sim->setup.nvar : looked) * sim->setup.store_size;
  use->flops =
      sim->setup.dim == 3 && !primitives && lohner ? use->cells * looked * LOHNER_FLOPS : NAN;
}

/* Blocks are copied, interpolated or averaged. The model counts all as copies, because the list of
 * tasks is no longer there. */
static void model_adapt(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  use->cells = iterations * (double)sim->setup.cells;
  use->bytes = use->cells * 2 * sim->setup.nvar * sim->setup.store_size;
  use->flops = NAN;
}

static void model_totals(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  use->cells = iterations * (double)sim->setup.cells;
  use->bytes = use->cells * sim->setup.nvar * sim->setup.store_size;
  use->flops = use->cells * sim->setup.nvar;
}

static void model_average(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  const double area = (double)sim->setup.face_cells;
  use->cells = iterations * area;
  use->bytes =
      use->cells * sim->setup.nvar * sim->setup.real_size * (1 + 1.0 / (1 << (sim->setup.dim - 1)));
  use->flops = use->cells * sim->setup.nvar;
}

static void model_apply(const oak_t *sim, double iterations, oak_kernel_use_t *use) {
  use->cells = iterations * (double)sim->setup.face_cells;
  use->bytes = use->cells * sim->setup.nvar * 2 * (sim->setup.store_size + sim->setup.real_size);
  use->flops = use->cells * sim->setup.nvar * 3;
}

int oak_kernel_uses(const oak_t *sim, oak_kernel_use_t *use, int most) {
  OAK_HANDLE(sim, 0);
  const struct {
    const char *name;
    const oak_kernel_t *kernel;
    void (*model)(const oak_t *sim, double iterations, oak_kernel_use_t *use);
  } known[] = {{"flux", sim->setup.kernel.flux, model_flux},
               {"halo", sim->setup.kernel.halo, model_halo},
               {"refine_flags", sim->setup.kernel.refine_flags, model_flags},
               {"adapt", sim->setup.kernel.adapt, model_adapt},
               {"fluxfix_average", sim->setup.kernel.fluxfix_average, model_average},
               {"fluxfix_apply", sim->setup.kernel.fluxfix_apply, model_apply},
               {"totals", sim->setup.kernel.totals, model_totals}};
  int count = 0;
  for (size_t k = 0; k < sizeof known / sizeof *known && count < most; k++) {
    const oak_metered_t m = oak_device_metered(sim->setup.dev, known[k].kernel);
    if (!known[k].kernel || !m.launches) continue;
    use[count] =
        (oak_kernel_use_t){.name = known[k].name, .launches = m.launches, .seconds = m.seconds};
    known[k].model(sim, (double)m.iterations, &use[count]);
    count++;
  }
  return count;
}
