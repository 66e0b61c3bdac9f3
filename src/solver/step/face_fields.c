/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks FACE_FIELD: numbers on faces, which are set before each stage, after the elliptic
 * equations are solved. The hooks of fluxes read them in the parameters of the physics. */
#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

static int wanted(const oak_t *sim) { return sim->setup.fields.nface > 0; }

/* The part of diffusion, which sets method.diffusion, comes later. */
static oak_status_t check(oak_t *sim) {
  const int rkl2 = oak_params_choice(sim->setup.params, "scheme.diffusion") == 1;
  OAK_CHECK(!wanted(sim) || !rkl2, OAK_ERR_INPUT,
            "%s: scheme.diffusion = rkl2: the stages of diffusion have no numbers on faces, but %s "
            "has FACE_FIELD: set scheme.diffusion = explicit",
            oak_params_origin(sim->setup.params, "scheme.diffusion"), sim->setup.files.physics);
  return OAK_OK;
}

oak_status_t oak_face_fields_set(oak_t *sim, oak_step_t *step) {
  oak_face_fields_args_t args = {.bc = sim->setup.domain.bc};
  for (int face = 0; face < 6 && sim->setup.equations.count; face++)
    args.given[face] = sim->poisson[0].elliptic->setup.condition[face] != OAK_ELLIPTIC_NEUMANN &&
                       !sim->poisson[0].isolated;
  for (int n = 0; n < sim->setup.equations.count; n++) args.slope[n] = sim->poisson[n].slope.at;
  if (sim->poisson[0].bodies) args.cut = oak_elliptic_top(sim->poisson[0].elliptic)->cut;
  return oak_data_agree(&sim->data, oak_data_launch(&sim->data, sim->setup.kernel.face_fields,
                                                    step->state, step->time, &args, sizeof args));
}

const oak_part_t oak_part_face_fields = {.wanted = wanted, .read = check};
