/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial condition, of the problem or from a file, on a mesh refined around it. */
#include "solver/adapt/adapt.h"
#include "run/initial_file.h"

/* \a look: as in oak_initial_args_t. */
static oak_status_t launch(oak_t *sim, int state, int look) {
  OAK_CHECK(oak_has_hook(&sim->setup, "problem_initial"), OAK_ERR_INPUT,
            "%s has no INITIAL(at, q) { ... }", sim->setup.files.problem);
  oak_initial_args_t args = {
      .out = oak_data_state(&sim->data, state), .found = sim->data.results.bad, .look = look};
  oak_data_field(&sim->data, state, sim->data.clock.time, &args.f);
  OAK_TRY(oak_device_launch(sim->setup.dev, sim->setup.kernel.initial, sim->data.mesh->nblock,
                            &args, sizeof args));
  return oak_face_vector_initial(sim, state);
}

oak_status_t oak_initial_state(oak_t *sim, int state) {
  return launch(sim, state, OAK_LOOK_BODIES);
}

/* What kernels have found in the blocks of all ranks. */
static oak_status_t look(oak_t *sim, oak_status_t st, int *found) {
  *found = 0;
  if (st == OAK_OK) st = oak_count_invalid(&sim->data, 1, found);
  OAK_TRY(oak_data_agree(&sim->data, st));
  MPI_Allreduce(MPI_IN_PLACE, found, 1, MPI_INT, MPI_BOR, sim->setup.comm);
  return OAK_OK;
}

static oak_status_t set_initial(oak_t *sim, int look_for, int *found) {
  return look(sim, launch(sim, 0, look_for), found);
}

oak_status_t oak_set_initial(oak_t *sim) {
  OAK_BEGIN_FITS(sim);
  int found;
  OAK_TRY(oak_data_agree(&sim->data, oak_globals_clear(sim)));
  OAK_TRY(set_initial(sim, OAK_LOOK_BODIES, &found));
  if (sim->setup.fields.nvector && found & 2) {
    OAK_TRY(look(sim, oak_face_vector_project(sim), &found));
    OAK_CHECK(!(found & 2), OAK_ERR_INPUT,
              "%s: more %s of INITIAL enters the domain than leaves it through walls, so that it "
              "cannot be made free of divergence",
              sim->setup.files.problem, sim->setup.files.declared.vector[0].name);
  }
  oak_rates_forget(sim);
  sim->rates.least = 0;
  sim->run.bodies = found >> 1;
  return found & 1 ? oak_report_invalid(sim, 0, OAK_INVALID_INITIAL) : OAK_OK;
}

/* The state on the present mesh. \a file: NULL if there is none. */
static oak_status_t set_state(oak_t *sim, oak_initial_file_t *file) {
  OAK_TRY(oak_set_initial(sim));
  return file ? oak_initial_file_set(sim, file) : OAK_OK;
}

/* One pass of refine. */
static oak_status_t pass(oak_t *sim, oak_initial_file_t *file, int like_file, int coarsens,
                         int *changed) {
  /* no time step is taken on meshes in between */
  oak_rates_set(sim, (oak_rates_t){.known = OAK_RATES_UNWANTED});
  OAK_TRY(like_file  ? oak_initial_file_refine(sim, file, changed)
          : coarsens ? oak_adjust_refinement(sim, changed)
                     : oak_adapt_first(sim, changed));
  if (!*changed) return OAK_OK;
  OAK_TRY(set_state(sim, file));
  sim->run.cut =
      sim->run.most_blocks > 0 && (double)sim->data.mesh->nglobal >= sim->run.most_blocks;
  return OAK_OK;
}

/* Refine the mesh level by level, by the criterion or with \a like_file as the mesh of the file is.
 * Each pass may add a level; the last one only confirms that nothing changes. Blocks that the
 * criterion wants to refine, and to coarsen once they are finer, come and go. If they are not there
 * at the end, further passes, which coarsen nothing, bring them. New blocks get the initial
 * condition itself, not its interpolation. */
static oak_status_t refine(oak_t *sim, oak_initial_file_t *file, int like_file) {
  int changed = 1;
  for (int n = sim->setup.refine.min_level;
       n <= sim->setup.refine.max_level && changed && !sim->run.cut; n++)
    OAK_TRY(pass(sim, file, like_file, 1, &changed));
  while (changed && !like_file && !sim->run.cut) {
    const int64_t before = sim->data.mesh->nglobal;
    OAK_TRY(pass(sim, file, 0, 0, &changed));
    changed &= sim->data.mesh->nglobal > before; /* balancing moves blocks */
  }
  return OAK_OK;
}

/* What to change, so that a body is seen on a level. */
static const char *advice(const oak_setup_t *setup, int level, char text[64]) {
  const char *key = level > setup->refine.max_level ? "max_level" : "min_level";
  snprintf(text, 64, "set mesh.%s = %d", key, level);
  return text;
}

/* The solid of SOLID. If no cell is in it, the hook may have no solid at all. */
static oak_status_t check_solid(oak_t *sim) {
  char text[64];
  int found, level = 0;
  OAK_TRY(set_initial(sim, OAK_LOOK_LEVELS, &found));
  if (!(found >> 1)) return OAK_OK;
  while (!(found >> 1 >> level & 1)) level++;
  OAK_CHECK(0, OAK_ERR_INPUT,
            "the solid of SOLID(at) in %s contains no centre of a cell of the initial mesh, so it "
            "would have no effect: cells of level %d are small enough: %s%s, or make it larger",
            sim->setup.files.problem, level, advice(&sim->setup, level, text),
            level > sim->setup.refine.max_level ? "" : " or choose a refine.criterion");
  return OAK_OK;
}

/* Two electrodes of different potentials in one place are a short circuit. */
static oak_status_t check_conflicts(oak_t *sim) {
  const int count = oak_body_count(&sim->setup);
  int found, pair[2] = {0, 0};
  OAK_TRY(set_initial(sim, OAK_LOOK_CONFLICTS, &found));
  for (int n = count - 1; n >= 0; n--)
    if (found >> 1 >> n & 1) pair[1] = pair[0], pair[0] = n;
  OAK_CHECK(!(found >> 1), OAK_ERR_INPUT,
            "the electrodes `%s` and `%s` have different potentials and overlap: move them apart, "
            "or give them one potential",
            oak_body_name(&sim->setup, pair[0]), oak_body_name(&sim->setup, pair[1]));
  return OAK_OK;
}

oak_status_t oak_check_bodies(oak_t *sim) {
  const oak_setup_t *setup = &sim->setup;
  const int solid = oak_has_hook(setup, "problem_solid"), count = oak_body_count(setup);
  for (int n = 0; n < setup->bodies.count; n++) {
    char text[64];
    OAK_CHECK(sim->run.bodies >> n & 1, OAK_ERR_INPUT,
              "the body `%s` contains no centre of a cell of the initial mesh, so it would have no "
              "effect: cells of level %d are small enough: %s, choose a refine.criterion, move the "
              "body, or leave it out",
              oak_body_name(setup, n), oak_body_level(setup, n),
              advice(setup, oak_body_level(setup, n), text));
  }
  OAK_CHECK(!oak_has_solids(setup) || sim->run.bodies & OAK_FOUND_GAS >> 1, OAK_ERR_INPUT,
            "solids cover the whole domain, so nothing would be computed: make [body.NAME] or "
            "SOLID(at) smaller");
  if (count > 1) OAK_TRY(check_conflicts(sim));
  if (oak_has_solids(setup)) OAK_TRY(set_initial(sim, OAK_LOOK_WALLS, &sim->run.oblique));
  return solid && !(sim->run.bodies >> (count ? count - 1 : 0) & 1) ? check_solid(sim) : OAK_OK;
}

static oak_status_t initialize(oak_t *sim, oak_initial_file_t *file) {
  OAK_TRY(set_state(sim, file));
  if (file && sim->setup.refine.max_level > sim->setup.refine.min_level)
    OAK_TRY(refine(sim, file, 1));
  if (sim->setup.refine.active) OAK_TRY(refine(sim, file, 0));
  OAK_CHECK(!sim->setup.fields.nvector || (sim->run.bodies & 6) != 4, OAK_ERR_INPUT,
            "%s: the components of %s in INITIAL are another field than that of VECTOR_POTENTIAL, "
            "which does not add to them: leave one of both out",
            sim->setup.files.problem, sim->setup.files.declared.vector[0].name);
  if (!sim->run.most_blocks) OAK_TRY(oak_check_bodies(sim));
  return oak_update_time_step(sim);
}

oak_status_t oak_initialize(oak_t *sim) {
  OAK_BEGIN_FITS(sim);
  oak_initial_file_t *file;
  oak_timer_start(&sim->data.timers, OAK_PHASE_INIT);
  oak_status_t st = oak_initial_file_open(sim, &file);
  if (st == OAK_OK) st = initialize(sim, file);
  oak_initial_file_close(&file);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_INIT);
  return st;
}
