/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs a kernel of an elliptic equation over all blocks. */
#include "oak.h"

#include "solver/step/poisson.h"
#include "solver/step/sim.h"

oak_status_t oak_poisson_run(oak_t *sim, const oak_poisson_t *p, oak_kernel_t *kernel, int state,
                             double time, void *values, int field, int store) {
  oak_poisson_args_t args = {.values = values, .equation = p->number, .store = store};
  if (field >= 0) args.field = sim->data.fields.field[field].now.memory.mine;
  args.shift = p->shift;
  for (int i = 0; i < 4; i++)
    if (field >= 0 && field == p->field[i] && p->rate[i] >= 0)
      args.rate = sim->data.fields.field[p->rate[i]].now.memory.mine;
  oak_data_field(&sim->data, state, time, &args.f);
  return sim->data.mesh->nblock
             ? oak_device_launch(sim->setup.dev, kernel, sim->data.mesh->nblock, &args, sizeof args)
             : OAK_OK;
}
