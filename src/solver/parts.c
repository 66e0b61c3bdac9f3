/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of parts: a time step from its beginning to its end. A new part is a file that defines
 * an oak_part_t, and a line here. */
#include "solver/step/part.h"
#include "solver/step/sim.h"

#define TABLE(X)                                                                              \
  /* before the stages */                                                                     \
  X(adaptation) /* complete a mesh for which memory was lacking        begin_step */          \
  X(globals)    /* maxima and integrals that hooks of the step read    begin_step */          \
  /* beside the stages: after them, and with scheme.splitting = strang before them too, in    \
   * the reverse order */                                                                     \
  X(rkl2)   /* super time stepping of diffusive fluxes             advance */                 \
  X(update) /* the hooks UPDATE                                    advance */                 \
  /* in each stage */                                                                         \
  X(stage_globals) /* the same with scheme.globals = stage               before_ghosts */     \
  X(poisson)       /* Poisson's equation                                   before_ghosts */   \
  X(face_fields)   /* the hooks FACE_FIELD                                 before_ghosts */   \
  X(diffusion)     /* rate of change by diffusive fluxes                   with_ghosts   */   \
  X(repair)        /* fluxes, repair of invalid cells and floors           stage         */   \
  X(fluxes)        /* ghost cells and the flux kernel, unless repair does it stage         */ \
  X(fluxfix)       /* fluxes that match where levels meet                  after_fluxes  */   \
  /* on a new mesh */                                                                         \
  X(fields) /* fields beside the state                             renew */

#define DECLARE(name) extern const oak_part_t oak_part_##name;
TABLE(DECLARE)

oak_status_t oak_parts_read(oak_t *sim) {
#define ADDRESS(name) &oak_part_##name,
  static const oak_part_t *const all[] = {TABLE(ADDRESS)};
  enum { COUNT = sizeof all / sizeof *all };
  _Static_assert((int)COUNT <= (int)OAK_MAX_PARTS, "more parts than OAK_MAX_PARTS");
  sim->parts.count = 0;
  for (int n = 0; n < COUNT; n++)
    if (all[n]->read) OAK_TRY(all[n]->read(sim));
  for (int n = 0; n < COUNT; n++)
    if ((!all[n]->wanted || all[n]->wanted(sim)) && !(all[n]->stage && oak_parts_stage(sim)))
      sim->parts.part[sim->parts.count++] = all[n];
  return OAK_OK;
}
