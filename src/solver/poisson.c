/* SPDX-License-Identifier: GPL-2.0-or-later
 * Poisson's equation as part of a run: div grad phi = f, where the hook POISSON of the problem or
 * the physics gives f. It is solved for the state that a stage starts from, and phi and its
 * gradient are fields beside the state, which the sources of that stage read. Every solution starts
 * from the field phi, which moves with the blocks and is in checkpoints: a run that goes on from
 * one finds the same bits. */
#include <string.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "solver/sim.h"

enum { ISOLATED, ZERO, NO_SLOPE };

static const char *const field_name[4] = {"phi", "phi_x", "phi_y", "phi_z"};

int oak_poisson_wanted(const oak_t *sim) {
  return sim->description.has.problem_poisson || sim->description.has.physics_poisson;
}

static oak_status_t find_fields(oak_t *sim) {
  for (int i = 0; i < 4; i++) {
    const int n = oak_field_find(sim, field_name[i]);
    sim->poisson.field[i] = n;
    OAK_CHECK(n < 0 || !sim->fields.field[n].function, OAK_ERR_INPUT,
              "the hook FIELD sets %s, which is a result of POISSON: write FIELD_STORED(%s)",
              field_name[i], field_name[i]);
  }
  OAK_CHECK(sim->poisson.field[0] >= 0, OAK_ERR_INPUT,
            "POISSON needs a field for its solution: write FIELD_STORED(phi) in the same file, and "
            "FIELD_STORED(phi_x) and so on for the gradient");
  return OAK_OK;
}

oak_status_t oak_poisson_open(oak_t *sim) {
  const int choice = oak_params_choice(sim->params, "poisson.boundary");
  int periodic = 0;
  if (!oak_poisson_wanted(sim)) return OAK_OK;
  OAK_TRY(find_fields(sim));
  for (int d = 0; d < sim->dim; d++) periodic += sim->mesh->periodic[d];
  sim->poisson.isolated = choice == ISOLATED && periodic < sim->dim;
  OAK_CHECK(!sim->poisson.isolated || periodic == 0, OAK_ERR_INPUT,
            "poisson.boundary = isolated: some axes are periodic and others are not; use zero or "
            "no_slope for those that are not");
  oak_elliptic_setup_t setup = {
      .transport = &sim->transport, .timers = &sim->timers, .block_size = sim->block_size, .a = 1};
  memcpy(setup.xmin, sim->xmin, sizeof setup.xmin);
  memcpy(setup.dx0, sim->dx0, sizeof setup.dx0);
  for (int face = 0; face < 6; face++)
    setup.condition[face] = choice == NO_SLOPE ? OAK_ELLIPTIC_NEUMANN : OAK_ELLIPTIC_DIRICHLET;
  return oak_elliptic_new(sim->comm, &setup, sim->mesh, &sim->poisson.elliptic);
}

void oak_poisson_clear(oak_t *sim) { oak_elliptic_destroy(&sim->poisson.elliptic); }

/* Run one of the kernels between state and solver. */
static oak_status_t run(oak_t *sim, oak_kernel_t *kernel, int state, double time, void *values,
                        int number, int store) {
  oak_poisson_args_t args = {.values = values, .store = store};
  if (number >= 0) args.field = sim->fields.field[number].now.memory.mine;
  oak_sim_field(sim, state, time, &args.f);
  return sim->mesh->nblock
             ? oak_device_launch(sim->dev, kernel, sim->mesh->nblock, &args, sizeof args)
             : OAK_OK;
}

/* The solution and its gradient. No rank still reads the old ones: the sums of a solution end after
 * the kernels before it on all ranks. */
static oak_status_t store(oak_t *sim, int state, double time) {
  oak_elliptic_level_t *top = oak_elliptic_top(sim->poisson.elliptic);
  const int *field = sim->poisson.field;
  oak_status_t st =
      run(sim, sim->kernel.poisson_field, state, time, top->u.memory.mine, field[0], 1);
  oak_keep_failure(&st, oak_field_fill(sim, field[0]));
  for (int d = 0; d < sim->dim; d++) {
    if (field[1 + d] < 0) continue;
    oak_keep_failure(&st, oak_elliptic_gradient(sim->poisson.elliptic, d, top->res));
    if (st == OAK_OK)
      st = run(sim, sim->kernel.poisson_field, state, time, top->res, field[1 + d], 1);
    oak_keep_failure(&st, oak_field_fill(sim, field[1 + d]));
  }
  return oak_sim_agree(sim, st);
}

oak_status_t oak_poisson_solve(oak_t *sim, int state, double time) {
  oak_elliptic_t *e = sim->poisson.elliptic;
  if (!e) return OAK_OK;
  const oak_elliptic_options_t options = {
      .tolerance = oak_params_real(sim->params, "poisson.tolerance"),
      .most_cycles = (int)oak_params_int(sim->params, "poisson.max_cycles")};
  oak_elliptic_report_t report;
  int changed;
  oak_timer_start(&sim->timers, OAK_PHASE_POISSON);
  oak_status_t st = oak_elliptic_fit(e, &changed);
  if (st == OAK_OK) {
    void *u = oak_elliptic_top(e)->u.memory.mine;
    st = run(sim, sim->kernel.poisson_rhs, state, time, e->f, -1, 0);
    if (st == OAK_OK)
      st = run(sim, sim->kernel.poisson_field, state, time, u, sim->poisson.field[0], 0);
    st = oak_sim_agree(sim, st);
  }
  if (st == OAK_OK && sim->poisson.isolated) st = oak_elliptic_isolate(e);
  if (st == OAK_OK) st = oak_elliptic_solve(e, &options, &report);
  if (st == OAK_OK) st = store(sim, state, time);
  oak_timer_stop(&sim->timers, OAK_PHASE_POISSON);
  return st;
}
