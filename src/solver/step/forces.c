/* SPDX-License-Identifier: GPL-2.0-or-later
 * The force on solids, for histories. */
#include "solver/step/sim.h"

#include <stdlib.h>

#include "base/reduce.h"
#include "solver/data/variables.h"

enum { COMPONENTS = 2 * 3 };

int oak_forces_has(const oak_setup_t *setup, int d) {
  const int axial =
      setup->domain.coordinates == OAK_AXISYMMETRIC || setup->domain.coordinates == OAK_CYLINDRICAL;
  if (oak_variables_mask(setup) < 0 || setup->description.normal[0] < 0 || d >= setup->dim)
    return 0;
  return setup->domain.coordinates == OAK_CARTESIAN || (axial && d == setup->dim - 1);
}

/* The forces in each block of this rank: \a part [nblock][COMPONENTS]. */
static oak_status_t read_parts(oak_t *sim, const int (*box)[6], double *part) {
  const int nblock = sim->data.mesh->nblock;
  const size_t bytes = (size_t)nblock * COMPONENTS * sizeof *part;
  const size_t boxes = box ? (size_t)nblock * sizeof *box : 0;
  oak_forces_args_t args = {.first = 0};
  if (!nblock) return OAK_OK;
  OAK_TRY(oak_storage_scratch(&sim->data, bytes + boxes));
  char *memory = sim->data.storage.scratch.at;
  if (box) OAK_TRY(oak_device_upload(sim->setup.dev, memory + bytes, box, boxes));
  if (box) args.box = (const int *)(memory + bytes);
  oak_data_field(&sim->data, 0, sim->data.clock.time, &args.f);
  for (int n = 0; args.first < nblock; args.first += n) {
    n = nblock - (int)args.first;
    if (sim->setup.method.diffusion)
      OAK_TRY(oak_diffusion_copy(sim, (int)args.first, &n, (const void **)&args.q));
    args.out = (double *)memory + args.first * COMPONENTS;
    OAK_TRY(oak_device_launch(sim->setup.dev, sim->forces.kernel, n, &args, sizeof args));
  }
  return oak_device_download(sim->setup.dev, part, memory, bytes);
}

oak_status_t oak_forces_measure(oak_t *sim, const int (*box)[6], double force[2][3]) {
  const int nblock = sim->data.mesh->nblock;
  double sum[COMPONENTS];
  OAK_FREED double *part = NULL;
  OAK_TRY(oak_late_kernel(&sim->setup, &sim->forces, "read/forces", "oak_forces"));
  oak_status_t st = OAK_NEW(part, nblock * COMPONENTS + 1);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, 0, sim->data.clock.time));
  if (st == OAK_OK) st = read_parts(sim, box, part);
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) st = oak_sum_exact(sim->setup.comm, COMPONENTS, nblock, part, sum);
  for (int i = 0; i < COMPONENTS && st == OAK_OK; i++) force[i / 3][i % 3] = sum[i];
  return st;
}
