/* SPDX-License-Identifier: GPL-2.0-or-later
 * A time step from top to bottom. Each line: when it runs, the part that it belongs to, the
 * function, what it waits for. A new part is a file that defines an oak_part_t, and its lines here.
 */
#include "solver/step/part.h"
#include "solver/step/sim.h"

#define STEP(X)                                                                                  \
  X(START, adaptation, oak_adaptation_finish, ALL, "finish an adaptation that lacked memory")    \
  X(START, globals, oak_globals_set, ALL, "globals")                                             \
  X(BEFORE, start, oak_start_settle, ALL, "no rank reads the start of the step any more")        \
  /* parts that are split from the stages; the first half only with scheme.splitting = strang */ \
  X(FIRST_HALF, update, oak_update_apply, ALL, "UPDATE")                                         \
  X(FIRST_HALF, rkl2, oak_rkl2_advance, ALL, "diffusion (rkl2)")                                 \
  /* each stage */                                                                               \
  X(FLUXES, stage_globals, oak_globals_set, ALL, "globals")                                      \
  X(FLUXES, poisson, oak_poisson_solve, ALL, "elliptic equations")                               \
  X(FLUXES, face_fields, oak_face_fields_set, ALL, "fields on faces")                            \
  X(FLUXES, repair, oak_repair_begin, NOTHING, "result in a state of its own")                   \
  X(FLUXES, fluxes, oak_ghosts_begin, NEIGHBOURS, "ghost cells, begin")                          \
  X(FLUXES, inner, oak_fluxes_inner, NOTHING, "fluxes of inner blocks, while messages travel")   \
  X(FLUXES, fluxes, oak_ghosts_end, NEIGHBOURS, "ghost cells, end")                              \
  X(FLUXES, diffusion, oak_diffusion_rate, NEIGHBOURS, "diffusive rates")                        \
  X(FLUXES, fluxes, oak_fluxes_outer, NOTHING, "fluxes of all other blocks")                     \
  X(FLUXES, repair, oak_repair_cells, ALL, "repair of invalid cells")                            \
  /* each stage, but not where only rates are wanted */                                          \
  X(RESULT, fluxfix, oak_fluxfix_match, NEIGHBOURS, "fluxes where levels meet")                  \
  X(RESULT, face_vector, oak_face_vector_advance, NEIGHBOURS, "a vector on faces, by edges")     \
  X(RESULT, repair_levels, oak_repair_again, ALL, "repair, if these make cells invalid")         \
  X(RESULT, floors, oak_floors_apply, ALL, "floors")                                             \
  X(RESULT, accept, oak_stage_accept, ALL, "judgement of the result")                            \
  /* after the stages */                                                                         \
  X(END, fluxes, oak_rates_reduce, ALL, "next time step")                                        \
  X(SECOND_HALF, rkl2, oak_rkl2_advance, ALL, "diffusion (rkl2)")                                \
  X(SECOND_HALF, update, oak_update_apply, ALL, "UPDATE")                                        \
  /* on each new mesh */                                                                         \
  X(NEW_MESH, face_levels, oak_face_vector_refine, ALL, "a vector on faces in refined blocks")   \
  X(NEW_MESH, fields, oak_fields_set, ALL, "fields beside the state")

#define DECLARE(when, part, run, waits, text) \
  extern const oak_part_t oak_part_##part;    \
  oak_status_t run(oak_t *sim, oak_step_t *step);
STEP(DECLARE)

#define LINE(when, part, run, waits, text) \
  {OAK_STEP_##when, &oak_part_##part, run, OAK_WAIT_##waits, text},
static const oak_line_t all[] = {STEP(LINE)};
enum { COUNT = sizeof all / sizeof *all };
_Static_assert((int)COUNT <= (int)OAK_MAX_LINES, "more lines than OAK_MAX_LINES");

/* Whether an earlier line belongs to the same part. */
static int seen(int n) {
  int found = 0;
  for (int m = 0; m < n; m++) found |= all[m].part == all[n].part;
  return found;
}

oak_status_t oak_parts_read(oak_t *sim) {
  oak_parts_t *parts = &sim->parts;
  *parts = (oak_parts_t){.count = 0};
  for (int n = 0; n < COUNT; n++)
    if (all[n].part->read && !seen(n)) OAK_TRY(all[n].part->read(sim));
  for (int n = 0; n < COUNT; n++) {
    const oak_part_t *part = all[n].part;
    if (part->wanted && !part->wanted(sim)) continue;
    if (!seen(n)) parts->part[parts->count++] = part;
    if (all[n].when == OAK_STEP_FIRST_HALF && !sim->setup.method.strang) continue;
    parts->beside |= all[n].when == OAK_STEP_SECOND_HALF;
    parts->line[parts->lines++] = all[n];
  }
  return OAK_OK;
}
